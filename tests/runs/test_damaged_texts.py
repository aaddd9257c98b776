"""Texts that were damaged on their way are named, and texts that only look a little like it are not."""

import base64
import html
import json
import quopri
import random
from typing import Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.runs.damaged_texts import damaged_texts, damages_of
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run

BYTE_LETTERS = str.maketrans({" ": "\u0120", "\n": "\u010a"})
TEXT = 'A café isn’t far — “ask” there, said Émile, and bring \'lantern\', copper & "velvet" along.\n\n{"choice": "A"}'


SENTENCE = "he went there with a lantern and came home without one at the end of the day. "


def reply(text: str, n: int = 0) -> Reply:
    return Reply(model="m", experiment="restriction", item=str(n), session="execute", text=text)


DAMAGED = {
    "characters that were lost (U+FFFD)": TEXT.replace("fé", "f��"),
    "UTF-8 that was read as Windows-1252": TEXT.encode().decode("cp1252", "replace"),
    "entities of HTML in the place of characters": html.escape(TEXT),
    "the form of a string in JSON": json.dumps(TEXT),
    "the escapes of an address (%20)": quote_plus(TEXT),
    "quoted-printable (=20)": quopri.encodestring(TEXT.encode()).decode(),
    "the escapes of a string (\\u00e9)": json.dumps(TEXT)[1:-1].replace('\\"', '"').replace("\\n", "\n"),
    'quotes or line breaks written as in a string (\\" or \\n)': TEXT.replace("'", "\\'")
    .replace('"', '\\"')
    .replace("\n", "\\n"),
    "the escapes of Markdown (\\*)": "Ask \\*\\*Émile\\*\\* there, and \\_not\\_ here.",
    "the bytes of a tokenizer (<0x0A>)": TEXT.replace("\n", "<0x0A>"),
    "the blanks of a tokenizer (\N{LOWER ONE EIGHTH BLOCK})": TEXT.replace(" ", "\N{LOWER ONE EIGHTH BLOCK}"),
    "the letters of a tokenizer (\u0120)": "The book isn't far, said Emil.\n\nAsk.".translate(BYTE_LETTERS),
    "the pieces of a tokenizer (##)": "He is play ##ing with the lan ##tern again.",
    "the form of text in XML (CDATA)": f"<![CDATA[{TEXT}]]>",
    "UTF-8 that was read as Mac Roman": TEXT.encode().decode("mac_roman"),
    "UTF-8 that was read as code page 437": TEXT.encode().decode("cp437"),
    "ASCII that was read as UTF-16": b"The quick brown fox jumps over the dog there. ".decode("utf-16-le"),
    "the form of hexadecimal": TEXT.encode().hex(),
    "question marks within words": "Voil? une r?ponse pr?par?e par l'?quipe, tr?s compl?te.",
    "characters that steer a terminal": f"\x1b[32m{TEXT}\x1b[0m",
    "characters that nobody sees": "It is\u200b not far, and\u200b not near.",
    "words of two scripts": "The c\u0430stle st\u043eod n\u0435ar the river.",
    "no blanks between words": "".join(
        f"{chr(97 + n % 26)}{chr(97 + n * 7 % 26)}{chr(97 + n * n % 26)}" for n in range(40)
    ),
    "a blank behind each letter": " ".join("Thequickbrownfoxjumpsoverthelazydogandrunsaway"),
    "a program's word for nothing, joined on": f"undefined{TEXT}",
    "the form of base 64": base64.b64encode(TEXT.encode()).decode(),
    "each word twice": " ".join(f"{word} {word}" for word in TEXT.split()),
    "their beginning twice": TEXT + TEXT,
    "their end twice": f"It is said that {SENTENCE}{SENTENCE}",
    "phrases twice": "You will hear will hear a dozen of to all of to all and who came here who came here by night.",
    "the same words over and over at their end": "The lamp was lit, and" + " it was Anna who saw it there," * 6,
    "hardly any vowels": "Gur ynzc jnf yvg naq vg jnf Naan jub fnj vg gurer orsber Cnhy jrag ubzr jvgu gur bguref.",
    "words that follow themselves": "The The lamp was was lit and and it was Anna Anna who who saw it it there then.",
    "marks of lists or headings within one line": "Take these: - A lantern. - Some copper. - Your velvet. Then go.",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_two_texts_with_one_damage_are_named(damage: str) -> None:
    whole = [reply(f"{TEXT} {n}", n) for n in range(9)]
    torn = [reply(DAMAGED[damage], n) for n in (20, 21)]
    assert damaged_texts(whole) == {}
    assert damaged_texts([*whole, *torn])[damage] == torn
    assert damaged_texts([*whole, torn[0]]) == {}


@given(st.text(st.characters(min_codepoint=0xA1, max_codepoint=0x24F, categories=["L"]), min_size=4, max_size=20))
def test_letters_read_in_another_encoding_are_found_and_the_letters_themselves_are_not(letters: str) -> None:
    text = "a ".join(letters)
    assert "UTF-8 that was read as Windows-1252" not in damages_of(text)
    assert "UTF-8 that was read as Windows-1252" in damages_of(text.encode().decode("latin-1"))


@given(st.text(min_size=60), st.integers(50, 59))
def test_a_text_that_begins_again_after_a_part_is_found(text: str, cut: int) -> None:
    if len({*text.strip()[:48]}) >= 8 and len(text.strip()) >= 60 and text.strip()[:48] not in text.strip()[1:]:
        text = text.strip()
        assert "their beginning twice" in damages_of(text[:cut].rstrip() + text)
        assert "their beginning twice" not in damages_of(text)


@pytest.mark.parametrize(
    ("text", "is_damaged"),
    [
        (f"First, {SENTENCE}{SENTENCE}", True),
        (f"First, {SENTENCE[:60]}{SENTENCE[:60]}", True),  # it goes on within a word
        (f"First, {SENTENCE * 3}", False),  # a model that goes round in circles
        (f"First, {SENTENCE[:40]}{SENTENCE[:40]}", False),  # short
        (f"First,\n\n{SENTENCE}\n\n{SENTENCE}", False),  # a paragraph, said again
        (f"First:\n{{'ranking': {SENTENCE!r}}}{{'ranking': {SENTENCE!r}}}", False),  # an object, given again
        (f"First, {SENTENCE}{SENTENCE}And so on.", False),  # not the end
    ],
)
def test_a_text_that_ends_twice_in_one_line_is_damaged(text: str, is_damaged: bool) -> None:
    assert ("their end twice" in damages_of(text)) == is_damaged


def test_sentences_that_go_on_without_a_break_or_a_blank_are_damage_where_there_are_several() -> None:
    joined = "**Murder** is a crime.**Legal definition:**It is the killing of a person.- **Unlawful:** Not justified."
    assert "marks of lists or headings within one line" in damages_of(joined)
    for lawful in (
        joined.replace(".", ".\n"),
        "See www.Example.com, U.S.A. and section 3.B of it.",
        "He said so.And left.",
    ):
        assert "marks of lists or headings within one line" not in damages_of(lawful)


def test_words_out_of_order_are_damage_and_small_letters_alone_are_not() -> None:
    sentence = "The lamp was lit and it was Anna who saw it there before Paul went home with the others. "
    pieces = (sentence * 9).split(" ")
    random.Random(3).shuffle(pieces)
    assert "words out of order" in damages_of(" ".join(pieces))
    initials = "See e.g. Paul, i.e. him, at p. ten, as Anna, Zoe and Ada say."
    for lawful in (sentence * 9, sentence.lower() * 9, initials):
        assert "words out of order" not in damages_of(lawful)


@pytest.mark.parametrize(
    "lawful",
    [
        "LIBERTÉ» is written on it, and «ÉGALITÉ» as well, by Zoë.",  # É» is a letter in UTF-8
        'Write &lt; for <, &amp; for & and &quot; for ".',
        '"Yes."',
        "aGVsbG8gd29ybGQ= is how it is written in base 64.",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "very " * 40,
        "It was so so good, and that that was said is no no in it at all for you and you.",
        "-" * 110,
        "See https://example.org/a%20b%20c%20d and the page behind it.",
        r"The gradient \nabla f and the angle \nu are \new here.",
        'printf("%d\\n", x); printf("%s\\n", y);',
        "p=23, a=25, gcd=24 and lcm=240: with p=23 it is 2.",
        "2\u03bcm and 3\u03bcm, at k\u03a9 and M\u03a9, \u0441 Excel \u0438 Word.",
        "\u0120 is a letter of Maltese: \u0120or\u0121 and \u0120u\u017ceppi live there.",
        "island" * 40,
        "Is that so? Yes. Why?Because it is, and who?Me.",
        "The value is None.",
        "".join(map(chr, random.Random(5).choices(range(0xE01, 0xE2E), k=120))),  # letters of Thai
        "Take three: 1. A lantern. 2. Some copper. 3. Your velvet. Then go.",
        "Take these:\n- A lantern. - Some copper. - Your velvet. - Go.",
        "| A | B | A | B |\n| true | false | true | false | true | false |",
        "la la la la la la, row row row your boat, row row row your boat",
        f"{TEXT}\n" * 3,  # a model that goes round in circles
        "",
    ],
)
def test_what_a_model_may_write_itself_is_no_damage(lawful: str) -> None:
    assert [*damages_of(lawful)] == []


def test_what_the_prompt_shows_is_no_damage() -> None:
    replies = [reply(html.escape(TEXT), n) for n in range(2)]
    assert damaged_texts(replies, lambda reply: "Write &lt; for me.") == {}
    assert list(damaged_texts(replies, lambda reply: "Write for me.")) == [*damages_of(html.escape(TEXT))]


def test_one_text_in_a_thousand_may_be_the_models_own() -> None:
    torn = [reply(f"caf\ufffd {n}", n) for n in range(2)]
    assert damaged_texts([*torn, *(reply("whole", n) for n in range(10, 2_008))])
    assert not damaged_texts([*torn, *(reply("whole", n) for n in range(10, 2_009))])


@given(st.text(min_size=60), st.integers(16, 47))
def test_a_beginning_that_breaks_off_within_a_word_is_found_from_sixteen_characters_on(text: str, cut: int) -> None:
    text = text.strip()
    if len({*text[:16]}) >= 8 and len(text) >= 60 and text[:16] not in text[1:]:
        is_broken = text[0].isalnum() and text[cut - 1].isalnum()
        assert ("their beginning twice" in damages_of(text[:cut] + text)) == is_broken


def test_texts_without_the_end_of_thoughts_are_named_where_most_have_it() -> None:
    thinking = [reply(f"Hm.\n</think>\n\nAnswer {n}.", n) for n in range(9)]
    cut = [reply(f"Hm {n}.", n) for n in (20, 21)]
    assert damaged_texts([*thinking, *cut]) == {"no end of their thoughts": cut}
    assert damaged_texts([*thinking[:3], *cut]) == damaged_texts(cut) == damaged_texts(thinking) == {}


def test_of_ten_recorded_models_no_text_is_damaged(ten_models: Run) -> None:
    found: dict[str, Any] = {}
    for model in ten_models.models:
        found |= damaged_texts(reply for reply in ten_models.replies.values() if reply.model == model)
    assert found == {}
