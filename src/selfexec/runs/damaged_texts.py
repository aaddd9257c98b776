"""Texts that were damaged on their way, by signs in the text itself.

    another encoding       what has been written otherwise than the model wrote it: see `encoded_texts`
    lost characters        U+FFFD, which decoders write in the place of bytes that they cannot read, or ? within words
    signs for machines     characters that steer a terminal, or that nobody sees
    two scripts            Cyrillic or Greek letters within words of Latin ones, or the other way round
    blanks                 none between words, or one behind each letter
    words twice            each word twice, many in one text, or several phrases of two words
    a loop                 the end is the same words over and over
    no vowels              letters that no language puts together so
    a second beginning     the beginning, and then the same once more, though not a third time: of 16 characters or more
                           where the first copy breaks off, else of 48
    a second end           the end twice, though not three times: 48 characters or more that go on in the same line
    words out of order     small letters behind most ends of sentences, and capital ones within them
    lost line breaks       one line, with marks of lists or headings in it, or sentences joined without a blank
    a program's nothing    `None`, `undefined` and the like, joined to the beginning or the end without a blank
    the end of thoughts    no `</think>`, where most texts of the model have one: see `lack_end_of_thoughts`

A model may write each of these when it is asked for it, and a small one may break a character itself. So what counts is
that it happened to two replies at least, to prompts that show nothing of the kind, and it is only named.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import eq

from selfexec.runs.encoded_texts import encodings_of
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

LEAST, LEAST_SHARE = 2, 0.001  # replies, and how many of a model's: now and then one writes so itself
LOST = "\N{REPLACEMENT CHARACTER}"
# within a word, in a text where all that is not ASCII may have become a question mark
MARK_IN_WORD = regex(r"(?<![\w/=&:?])[^\W\d_]+(?:\?[^\W\d_A-Z]+)+(?![\w/=&?])")
MAYBE_IN_WORD = regex(r"\?[^\W\d_A-Z]")
CONTROLS = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
# where no script has a use for them: behind ASCII
HIDDEN = regex("[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0100-\U000e01ef](?<=[\x20-\x7e].)")
GREEK_OR_CYRILLIC = regex("[\u0370-\u052f]")
TWO_SCRIPTS = regex("[A-Za-z][\u0370-\u052f]+[A-Za-z]|[\u0400-\u052f][A-Za-z]+[\u0400-\u052f]")
LEAST_SIGNS = 2  # of each of these in a text
LONGEST_WORD, MOSTLY_LETTERS, LEAST_LETTERS = 100, 0.8, 8  # characters, how many are letters, and different ones
PIECE, MOSTLY_NEW = 4, 0.6  # letters, and how many such pieces of a row differ: a model may go round in circles
WITHOUT_BLANKS = "\u0e00"  # from Thai on, scripts may do without
LEAST_SPACED = 40  # letters
SPACED = regex(rf"(?:[^\W\d_] ){{{LEAST_SPACED}}}")
PHRASES, LEAST_PHRASES = (2, 3, 4), 3  # words of one that comes twice, and how many such there are
FIRST_PAGE, SHORTEST = 1_500, 1  # characters that are looked through, and letters that make no word
IN_A_LOOP = "the same words over and over at their end"
LOOP, LEAST_ROUNDS, LEAST_IN_LOOP = 40, 4, 120  # characters of an end, how often what ends so comes, and all of it
LEAST_IN_LOOPS = 0.01  # of a model's replies: small ones come to do so
LEAST_STUTTERED, STUTTERED = 6, 0.08  # different words that follow themselves, and how many of all
LEAST_SPELT, LEAST_VOWELS = 60, 0.25  # letters, and how many are vowels
VOWELS = "aeiouAEIOU"
LEAST_WORDS, LEAST_TWICE = 6, 0.9  # different words, since a model may repeat one, and how many of them come twice
FEW, MOST_UNLIKE = 80, 0.7  # characters of a text whose words are compared at first
LEAST_AGAIN, LEAST_BROKEN, SIGNS_AGAIN = 48, 16, 8  # characters, and different ones: no row of dashes
CAPITAL_WITHIN = regex(r"(?<=[a-z,] )[A-Z][a-z]+")
LEAST_ENDS, MOSTLY_SMALL, LEAST_CAPITALS = 6, 0.8, 4
MARK_IN_LINE = regex(r"(?<=[^\W\d_][.:!?*)]) (?:[-*•]|\#{1,6}|\d\d?\.(?= \*\*)) (?=[A-Z*\"“])")
JOINED_LINES = regex(r"[a-z)*][.!?:](?:\*\*)?(?:[A-Z*>•-]|\#{2}|\d\.)")  # where a line ended, and the next began
MARKS, LEAST_MARKS = (" - ", " * ", " • ", "# ", ". **"), 3
NOTHING_FIRST = regex(r"(?:None|undefined|null|nil|NaN)(?=[A-Z\d{\[\"'*#`])")
NOTHING_LAST = regex(r"(?<=[\w.!?…)\]}\"'”*`])(?:None|undefined|null|NaN|<nil>|\[object Object\]|\[DONE\])")
LONGEST_NOTHING = 15
END_OF_THOUGHTS = regex(r"</(?:think|thinking|reasoning|thought)>")
MOST_LACKING = 1 / 3


def damaged_texts(
    replies: Iterable[Reply], asked: Callable[[Reply], str] = lambda reply: ""
) -> Mapping[str, list[Reply]]:
    """The replies of a model with each sign of damage, by what it is, where there are two or more of them. `asked` has
    what the item of a reply says.
    """
    damaged: dict[str, list[Reply]] = defaultdict(list)
    came = [reply for reply in replies if reply.text]
    for reply in came:
        for damage in damages_of(reply.text or "", asked(reply)):
            damaged[damage].append(reply)
    damaged["no end of their thoughts"] = lack_end_of_thoughts(came)
    share = {IN_A_LOOP: LEAST_IN_LOOPS}
    return {
        damage: those
        for damage, those in damaged.items()
        if len(those) >= max(LEAST, share.get(damage, LEAST_SHARE) * len(came))
    }


def damages_of(text: str, asked: str = "") -> Iterator[str]:
    """What a text shows of damage, where what was asked does not show it."""
    yield from encodings_of(text, asked)
    yield from (damage for damage, shows in SIGNS.items() if shows(text) and not shows(asked))


def lack_end_of_thoughts(replies: Sequence[Reply]) -> list[Reply]:
    """The replies without the mark at which thoughts end, where most of the model's texts have it."""
    lacking = [reply for reply in replies if not _has_end_of_thoughts(reply.text or "")]
    return lacking if len(lacking) <= MOST_LACKING * len(replies) else []


def _has_end_of_thoughts(text: str) -> bool:
    return "</" in text and END_OF_THOUGHTS.search(text) is not None


def _has_lost_characters(text: str) -> bool:
    return LOST in text


def _has_marks_in_words(text: str) -> bool:
    if not (text.isascii() and MAYBE_IN_WORD.search(text)):
        return False
    return len(MARK_IN_WORD.findall(text)) >= LEAST_SIGNS


def _has_controls(text: str) -> bool:
    return CONTROLS.search(text) is not None


def _has_hidden(text: str) -> bool:
    return not text.isascii() and len(HIDDEN.findall(text)) >= LEAST_SIGNS


def _mixes_scripts(text: str) -> bool:
    if text.isascii() or not GREEK_OR_CYRILLIC.search(text):
        return False
    return len(TWO_SCRIPTS.findall(text)) >= LEAST_SIGNS


def _lacks_blanks(text: str) -> bool:
    """Whether many letters stand in a row, of a script that puts blanks between its words."""
    words = text.split() if len(text) >= LONGEST_WORD else []
    if max(map(len, words), default=0) < LONGEST_WORD:
        return False
    return any(_is_row(word) for word in words if len(word) >= LONGEST_WORD)


def _is_row(word: str) -> bool:
    letters = [sign for sign in word if sign.isalpha() and sign < WITHOUT_BLANKS]
    pieces = {word[n : n + PIECE] for n in range(len(word))}
    is_text = len(letters) >= MOSTLY_LETTERS * len(word) and len({*letters}) >= LEAST_LETTERS
    return is_text and len(pieces) >= MOSTLY_NEW * len(word) and "://" not in word


def _is_spaced(text: str) -> bool:
    row = SPACED.search(text) if text.count(" ") >= max(LEAST_SPACED, len(text) / 4) else None
    return row is not None and len({*row[0]}) >= LEAST_LETTERS


def _has_words_twice(text: str) -> bool:
    if len({*text[:FEW].split()}) > MOST_UNLIKE * len(text[:FEW].split()):
        return False  # nearly all
    words = text.split()
    pairs = [*zip(words[::2], words[1::2], strict=False)]
    twice = [first for first, second in pairs if first == second]
    return len({*twice}) >= LEAST_WORDS and len(twice) >= LEAST_TWICE * len(pairs)


def _stutters(text: str) -> bool:
    words = text[:FIRST_PAGE].split()
    if sum(map(eq, words, words[1:])) < LEAST_STUTTERED:
        return False  # nearly all
    again = [word for word, next_one in pairwise(words) if word == next_one and word.isalpha()]
    return len({*again}) >= LEAST_STUTTERED and len(again) >= STUTTERED * len(words)


def _goes_round(text: str) -> bool:
    text = text.rstrip()
    end = text[-LOOP:]
    before = text.rfind(end, 0, len(text) - 1) if len({*end}) >= SIGNS_AGAIN else -1
    if before < 0:
        return False
    round_ = text[before + LOOP :]
    rounds = max(LEAST_ROUNDS, -(-LEAST_IN_LOOP // len(round_)))
    return text.endswith(round_ * rounds)


def _lacks_vowels(text: str) -> bool:
    page = text[:FIRST_PAGE]
    vowels = sum(map(page.count, VOWELS))
    if vowels >= LEAST_VOWELS * len(page) or not page.isascii():
        return False
    letters = sum(map(str.isalpha, page))
    return letters >= LEAST_SPELT and vowels < LEAST_VOWELS * letters


def _has_phrases_twice(text: str) -> bool:
    """Whether several phrases of two to four words follow each other twice, as pieces of a stream that came twice."""
    words = text[:FIRST_PAGE].split()
    twice = set[str]()
    for size in PHRASES:
        alike = bytes(map(eq, words, words[size:]))
        at = alike.find(b"\1" * size)
        while at >= 0:
            phrase = words[at : at + size]
            if len({word for word in phrase if len(word) > SHORTEST and word.isalpha()}) > 1:  # no row of a table
                twice.add(" ".join(phrase))
            at = alike.find(b"\1" * size, at + size)
    return len(twice) >= LEAST_PHRASES


def _begins_again(text: str) -> bool:
    """Whether a text begins a second time: its beginning, up to some place, follows there as a whole, and no third
    time, which a model does that goes round in circles.
    """
    text = text.strip()
    head = text[:LEAST_BROKEN]
    place = text.find(head, LEAST_BROKEN)
    if place < 0 or len({*head}) < SIGNS_AGAIN:
        return False
    is_broken = text[place - 1].isalnum() and text[place].isalnum()
    first, second = text[:place].rstrip(), text[place:]
    is_long = place >= LEAST_AGAIN or is_broken
    return is_long and second.startswith(first) and not second[len(first) :].lstrip().startswith(first)


def _ends_again(text: str) -> bool:
    """Whether the end of a text stands before it as well, in the same line, and not a third time."""
    text = text.strip()
    again = len(text) - LEAST_BROKEN - text.rfind(text[-LEAST_BROKEN:], 0, -1)
    if not LEAST_AGAIN <= again <= len(text) / 2:
        return False
    first, second = text[-2 * again : -again], text[-again:]
    # a model may say its object twice, and begin a line as it began the one before
    is_in_line = "\n" not in first.rstrip(" ")[-1:] and second.lstrip(" ")[:1].isalnum()
    is_third = text[: -2 * again].endswith(first)
    return first == second and is_in_line and not is_third and len({*second}) >= SIGNS_AGAIN


def _is_out_of_order(text: str) -> bool:
    sentences = text.split(". ")[1:]
    small = sum(sentence[:1].islower() for sentence in sentences)
    is_mixed = len(sentences) >= LEAST_ENDS and small >= MOSTLY_SMALL * len(sentences)
    return is_mixed and len(CAPITAL_WITHIN.findall(text)) >= LEAST_CAPITALS


def _lacks_line_breaks(text: str) -> bool:
    if "\n" in text.strip():
        return False
    if any(mark in text for mark in MARKS) and len(MARK_IN_LINE.findall(text)) >= LEAST_MARKS:
        return True
    return len(JOINED_LINES.findall(text)) >= LEAST_MARKS


def _has_nothing_joined(text: str) -> bool:
    return NOTHING_FIRST.match(text) is not None or any(
        word.end() == len(text.rstrip())
        for word in NOTHING_LAST.finditer(text.rstrip(), max(0, len(text.rstrip()) - LONGEST_NOTHING))
    )


SIGNS: Mapping[str, Callable[[str], bool]] = {
    "characters that were lost (U+FFFD)": _has_lost_characters,
    "question marks within words": _has_marks_in_words,
    "characters that steer a terminal": _has_controls,
    "characters that nobody sees": _has_hidden,
    "words of two scripts": _mixes_scripts,
    "no blanks between words": _lacks_blanks,
    "a blank behind each letter": _is_spaced,
    "each word twice": _has_words_twice,
    "words that follow themselves": _stutters,
    "phrases twice": _has_phrases_twice,
    IN_A_LOOP: _goes_round,
    "hardly any vowels": _lacks_vowels,
    "their beginning twice": _begins_again,
    "their end twice": _ends_again,
    "words out of order": _is_out_of_order,
    "marks of lists or headings within one line": _lacks_line_breaks,
    "a program's word for nothing, joined on": _has_nothing_joined,
}
