"""A key is known in whatever way servers write it, in every field of a reply; and nothing else is taken for it."""

import base64
import html
import json
from collections.abc import Callable
from functools import cache
from html.entities import html5
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.engines.base import CallResult, Token
from selfexec.engines.http.scrubbing import MARK, TEXTS, Scrubber
from selfexec.engines.settings import secrets_sent

KEY = "sk-planted/Az09_x+y=z.0123456789"
LONG_KEY = "sk-proj-Az09xyZ0123456789abcdefQRSTUVw"
NAMED: dict[str, list[str]] = {}
for name, meant in html5.items():
    if name.endswith(";") and len(meant) == 1:
        NAMED.setdefault(meant, []).append(f"&{name}")

# one character as servers write it
SPELLINGS: tuple[Callable[[str], str], ...] = (
    lambda c: c,
    lambda c: f"%{ord(c):02X}",
    lambda c: f"%{ord(c):02x}",
    lambda c: f"&#{ord(c)};",
    lambda c: f"&#0{ord(c)};",
    lambda c: f"&#x{ord(c):x};",
    lambda c: f"&#X{ord(c):02X};",
    lambda c: NAMED.get(c, [c])[0],
    lambda c: NAMED.get(c, [c])[-1],
    lambda c: f"\\u{ord(c):04x}",
    lambda c: f"\\\\u{ord(c):04X}",
    lambda c: f"\\x{ord(c):02x}",
    lambda c: c if c.isalnum() else f"\\{c}",
    lambda c: html.escape(f"&#{ord(c)};"),
    lambda c: quote(quote(c, safe=""), safe=""),
)
BETWEEN = (
    *("", "\n", "\r", "\r\n", "\n    ", "  \n\t", "\u2028", "\x85", "\u200b", "\u200d", "\u2060", "\ufeff", "\xad"),
    *(
        "\\n",
        "\\r\\n    ",
        "%0A",
        "%0D%0A",
        "&#10;",
        "&#xD;&#xA;",
        "&ZeroWidthSpace;",
        "&shy;",
        "<br>",
        "<br />",
        "<wbr>",
    ),
    *("\\u200b", "%E2%80%8B", "&#8203;", "\\\n"),
)
everyone = st.sampled_from(TEXTS)


@cache
def scrubber_of(secret: str) -> Scrubber:
    return Scrubber([secret])


@pytest.mark.parametrize("field", TEXTS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_key_spelt_in_one_way_throughout_is_kept_in_no_field(spelling: Callable[[str], str], field: str) -> None:
    written = "".join(map(spelling, KEY))
    found = scrubber_of(KEY).result(CallResult("Hi", **{} if field == "text" else {field: f"a {written} z"}))
    if field == "text":
        found = scrubber_of(KEY).result(CallResult(f"a {written} z"))
    assert getattr(found, field) == f"a {MARK} z"


@given(
    st.lists(st.tuples(st.sampled_from(SPELLINGS), st.sampled_from(BETWEEN)), min_size=len(KEY), max_size=len(KEY)),
    everyone,
    st.sampled_from(("", "a ", "a\n", "50% of R&D: ", '{"said": "', "ends.\r\n  ")),
    st.sampled_from(("", " z", "\nz", '"}', ". R&D", " 100%")),
)
def test_a_key_in_any_mixture_of_spellings_and_breaks_is_kept_in_no_field(
    ways: list[tuple[Callable[[str], str], str]], field: str, before: str, after: str
) -> None:
    written = "".join(spelling(c) + gap for c, (spelling, gap) in zip(KEY[:-1], ways, strict=False))
    written += ways[-1][0](KEY[-1])
    result = CallResult(**{"text": "Hi", field: f"{before}{written}{after}"})
    found = getattr(scrubber_of(KEY).result(result), field)
    assert found == f"{before}{MARK}{after}"


@given(st.integers(1, len(KEY) - 1), st.sampled_from(BETWEEN[1:]))
def test_base64_of_a_key_is_known_though_it_is_wrapped(place: int, gap: str) -> None:
    written = base64.b64encode(f"user:{KEY}".encode()).decode()
    wrapped = "".join(written[n : n + place] + gap for n in range(0, len(written), place))
    found = scrubber_of(KEY).text(f"a {wrapped} z")
    assert MARK in found and written[10:20] not in found


@given(st.text() | st.text("sk-planted/Az09_x+y=z.0123456789\\%&#;x\n\u200b", max_size=60))
def test_what_is_no_key_stays_as_it_is_to_the_letter(text: str) -> None:
    assert scrubber_of(KEY).text(text) == text
    assert scrubber_of(KEY).result(CallResult(text, reasoning=text)) == CallResult(text, reasoning=text)


def test_a_secret_that_holds_escapes_or_blanks_itself_is_known_as_it_is_and_as_it_is_meant() -> None:
    password = "p%40ssw%26rd-0123456789"
    for written in (password, "p@ssw&rd-0123456789", "p&#64;ssw&amp;rd-0123456789", "p%2540ssw%2526rd-0123456789"):
        assert scrubber_of(password).text(f"a {written} z") == f"a {MARK} z"
    header = "Bearer abcdefgh0123456789"
    assert scrubber_of(header).text("a Bearer\n  abcdefgh0123456789 z") == f"a {MARK} z"
    umlauts = "schlüssel-für-alles-0123"
    for written in (umlauts, quote(umlauts), json.dumps(umlauts)[1:-1], html.escape(umlauts).replace("ü", "&uuml;")):
        assert scrubber_of(umlauts).text(f"a {written} z") == f"a {MARK} z"


def test_blanks_alone_do_not_make_words_a_secret() -> None:
    assert (
        Scrubber(["correcthorsebatterystaple"]).text("correct horse battery staple") == "correct horse battery staple"
    )


@pytest.mark.parametrize("part", ["\\", " ", "\n", "&", "%", "s\\", " \n", "&#", "\\u", "%25", "s\n"])
def test_a_text_that_is_made_to_take_long_does_not(part: str) -> None:
    """Linear: a quarter of a megabyte of what patterns might look at again and again."""
    text = f"\\u0041{part * (250_000 // len(part))}"
    assert scrubber_of(KEY).text(text) == text


SENT = "v07C19F4E02BD7713Ax55"


@pytest.mark.parametrize(
    "name", ["foo", "passphrase", "jwt", "sig", "dsn", "connection_string", "user_pass", "webhook"]
)
@pytest.mark.parametrize("form", [lambda v: v, lambda v: [v], lambda v: {"deep": [{"q": f"it is ({v})."}]}])
def test_what_looks_random_in_a_field_that_the_manifest_hides_is_in_no_reply(
    name: str, form: Callable[[str], object]
) -> None:
    scrubber = Scrubber(secrets_sent({name: form(SENT)}))
    assert scrubber.text(f"You sent {SENT} to me") == f"You sent {MARK} to me"


@pytest.mark.parametrize(
    "value",
    [
        *("true", "0", "default", "responsibilities", "internationalization", "2026-11-23T23:15:17Z"),
        *("meta-llama/Llama-3.3-70B-Instruct-Turbo", "claude-3-5-sonnet-20241022", "gpt-4o-mini-2024-07-18"),
        *("Answer in one short sentence, without any explanation.", "1234567890123456"),
    ],
)
def test_an_ordinary_value_of_such_a_field_stays_in_replies(value: str) -> None:
    text = f"I was told {value}, and so I say {value}."
    assert Scrubber(secrets_sent({"foo": value, "bar": {"baz": [value]}})).text(text) == text


@pytest.mark.parametrize(
    "cut", [LONG_KEY[:-1], LONG_KEY[1:], LONG_KEY[:20], LONG_KEY[20:], LONG_KEY[:12], LONG_KEY[-12:], LONG_KEY[9:21]]
)
def test_a_key_that_the_server_cut_is_known(cut: str) -> None:
    assert scrubber_of(LONG_KEY).text(f"Wrong key {cut} was sent") == f"Wrong key {MARK} was sent"
    assert scrubber_of(LONG_KEY).text(f"Wrong key {cut[:11]}") == f"Wrong key {cut[:11]}"


def test_part_of_a_password_that_may_be_a_word_stays() -> None:
    text = "A correcthorsebattery is no word."
    assert Scrubber(["correcthorsebatterystaple"]).text(text) == text


def test_a_key_in_hexadecimal_is_known_and_of_its_base64_nothing_is_left() -> None:
    for written in (LONG_KEY.encode().hex(), LONG_KEY.encode().hex().upper()):
        assert scrubber_of(LONG_KEY).text(f"a {written} z") == f"a {MARK} z"
    for more in ("", "0", "01"):
        written = base64.b64encode((LONG_KEY + more).encode()).decode()
        key = LONG_KEY + more
        assert scrubber_of(key).text(f"a {written} z") == scrubber_of(key).text(f"a {written.rstrip('=')} z")
        assert scrubber_of(key).text(f"a {written} z") == f"a {MARK} z"


INVISIBLE = [*map(chr, (0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x180B, 0x200B, 0x202E, 0x2063, 0x3164, 0xFE0F, 0xFEFF))]
TAG_CHARACTERS = [chr(code) for code in range(0xE0000, 0xE0080)]
GAPS = (
    *(
        "\t",
        "\xa0",
        " \t ",
        "\n> ",
        "\n>> ",
        "\n# ",
        "\n// ",
        "`",
        "**",
        "``\n``",
        "\0",
        "\x7f",
        "|",
        "·",
        "…",
        "中",
        "\u3000",
    ),
    *("\x1b[0m", "\x1b[1;31m", "\x1b[38;5;196m", "\x9b31m", "[31m", "\x1b]8;;http://x\x07", "\\u001b[31m", "\\033[0m"),
    *("\\e[0m", "<b>", "</b>", "<span class='k'>", "<!-- -->", "&lt;b&gt;", "%3Cb%3E", "&nbsp;", "\\t", "\\ufe0f"),
    *INVISIBLE,
    *TAG_CHARACTERS,
)


@pytest.mark.parametrize("every", [1, 3, 7])
@pytest.mark.parametrize("gap", GAPS, ids=ascii)
def test_a_key_with_anything_between_its_characters_is_kept_in_no_field(gap: str, every: int) -> None:
    for key in (KEY, LONG_KEY):
        written = gap.join(key[n : n + every] for n in range(0, len(key), every))
        assert scrubber_of(key).result(CallResult("Hi", error=f"a {written} z")).error == f"a {MARK} z"


@given(st.text(st.characters(exclude_categories=("L", "N", "Cs"), exclude_characters="\\\x1b[\x9b<&%"), max_size=5))
def test_nothing_but_letters_and_digits_keeps_the_characters_of_a_key_apart(gap: str) -> None:
    assert scrubber_of(LONG_KEY).text(f"a {gap.join(LONG_KEY)} z") == f"a {MARK} z"


def test_plain_blanks_between_the_characters_of_a_key_hide_none_of_it() -> None:
    for written in (" ".join(LONG_KEY), f"{LONG_KEY[:15]} {LONG_KEY[15:30]} {LONG_KEY[30:]}", ", ".join(LONG_KEY[:30])):
        assert scrubber_of(LONG_KEY).text(f"a {written} z") == f"a {MARK} z"


@pytest.mark.parametrize(
    ("secret", "prose"),
    [
        ("correcthorsebatterystaple", "Correct: correct, horse, battery, staple (correct *horse* **battery** staple)."),
        ("correct-horse-battery-staple", "correct horse battery staple"),
        ("sk-this-is-my-local-key", "I ask: this is my local key, is it?"),
        ("sk-learn-models", "We ask learn models, risk learn models."),
        ("sk-mycompany-production-a1b2c3d4e5f6", "my company production, as risk my company prod"),
        ("sk-1234567890abcdef", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1234567890 ab"),
        ("Summer2024vacationplans", "Summer 2024 vacation plans"),
    ],
)
def test_ordinary_words_that_make_up_a_secret_stay(secret: str, prose: str) -> None:
    assert scrubber_of(secret).text(prose) == prose


def test_a_word_behind_a_cut_key_that_begins_as_the_key_goes_on_stays() -> None:
    assert scrubber_of(LONG_KEY).text(f"Wrong key {LONG_KEY[:-2]} Very wrong") == f"Wrong key {MARK} Very wrong"


@pytest.mark.parametrize(
    "written",
    [
        lambda part: quote(part, safe="").replace("-", "%2D"),
        lambda part: "".join(f"%{ord(c):02x}" for c in part),
        lambda part: "".join(f"&#{ord(c)};" for c in part),
        lambda part: "".join(f"\\u{ord(c):04x}" for c in part),
        lambda part: part.encode().hex(),
        lambda part: part.encode().hex().upper(),
        lambda part: part.encode().hex(":"),
        lambda part: part.encode().hex(" "),
        lambda part: "".join(f"={code:02X}" for code in part.encode()),
        lambda part: "=\n".join(f"={code:02X}" for code in part.encode()),
        lambda part: part.replace("-", "=2D"),
        lambda part: "=\r\n".join(part[at : at + 3] for at in range(0, len(part), 3)),
    ],
)
@pytest.mark.parametrize("start", [0, 5, 11, len(LONG_KEY) - 12])
def test_twelve_characters_of_a_key_are_known_however_they_are_spelt(written: Callable[[str], str], start: int) -> None:
    part = LONG_KEY[start : start + 12]
    assert scrubber_of(LONG_KEY).text(f"a {written(part)} z") == f"a {MARK} z"
    assert scrubber_of(LONG_KEY).text(f"a {written(part[:10])} z") == f"a {written(part[:10])} z"


@given(
    st.integers(0, 5),
    st.integers(0, len(LONG_KEY) - 12),
    st.integers(12, len(LONG_KEY)),
    st.integers(0, 5),
    st.booleans(),
)
def test_part_of_a_keys_base64_is_known_at_every_alignment(
    before: int, start: int, length: int, behind: int, in_addresses: bool
) -> None:
    """Of `\0` before and behind, base64 has `A`: what is left of the key are those and the letters that it shares."""
    part = LONG_KEY[start : start + length]
    encoded = base64.urlsafe_b64encode if in_addresses else base64.b64encode
    written = encoded(b"\0" * before + part.encode() + b"\0" * behind).decode()
    found = scrubber_of(LONG_KEY).text(f"({written})")
    left = found.replace(MARK, "").strip("()=").strip("A")
    assert MARK in found and len(left) <= 2


@given(st.integers(0, 7), st.integers(0, len(LONG_KEY) - 12), st.integers(12, len(LONG_KEY)), st.integers(0, 5))
def test_part_of_a_keys_base32_is_known_at_every_alignment(before: int, start: int, length: int, behind: int) -> None:
    part = LONG_KEY[start : start + length]
    written = base64.b32encode(b"\0" * before + part.encode() + b"\0" * behind).decode()
    found = scrubber_of(LONG_KEY).text(f"({written})")
    left = found.replace(MARK, "").strip("()=").strip("A")
    assert MARK in found and len(left) <= 2


@pytest.mark.parametrize(
    "written",
    [
        lambda part: str(list(part.encode())),
        lambda part: json.dumps(list(part.encode()), indent=2),
        lambda part: " ".join(map(str, part.encode())),
        lambda part: ",".join(f"0x{code:02x}" for code in part.encode()),
        lambda part: "{" + ", ".join(f"0x{code:02X}" for code in part.encode()) + "}",
    ],
)
@pytest.mark.parametrize("start", [0, 5, 11, len(LONG_KEY) - 15])
def test_fifteen_bytes_of_a_key_are_known_in_a_list_of_numbers(written: Callable[[str], str], start: int) -> None:
    part = LONG_KEY[start : start + 15]
    found = scrubber_of(LONG_KEY).text(written(part))
    assert found.strip("[]{} \n") in (MARK[1:-1], MARK)
    assert scrubber_of(LONG_KEY).text(written(part[:10])) == written(part[:10])


def test_a_key_in_a_list_of_numbers_is_known_within_a_longer_list() -> None:
    numbers = [1, 2, 3, *LONG_KEY.encode(), 250]
    assert scrubber_of(LONG_KEY).text(str(numbers)) == f"[1, 2, 3, {MARK}, 250]"
    prose = "In 2024 there were 115, 107 and 45 of them; 112, 114, 111 and 106 the year before. =2D or =?"
    assert scrubber_of(LONG_KEY).text(prose) == prose


@given(st.integers(0, 40), st.integers(15, 60), st.sampled_from(("", "u", "user:")))
def test_base64_of_a_key_that_is_cut_itself_is_known(start: int, length: int, user: str) -> None:
    """Fifteen characters that the key alone decides: eight bits a character of it, six a character of base64."""
    before, behind = -(-8 * len(user) // 6), 8 * len(user + LONG_KEY) // 6
    cut = slice(max(start, before), min(start + length, behind))
    whole = base64.b64encode(f"{user}{LONG_KEY}".encode()).decode()
    found = scrubber_of(LONG_KEY).text(f"({whole[start : start + length]})")
    # at the end there are a character of which the key decides some bits, and the padding
    known = min(start + length, len(whole)) - cut.start
    assert MARK in found if known >= 15 else known == 14 or MARK not in found
    assert cut.stop - cut.start < 15 or whole[cut] not in found


@given(st.integers(0, 3), st.integers(1, 10))  # the bits of eleven may be those of fifteen characters
def test_what_gives_away_ten_characters_or_less_in_base64_stays(start: int, length: int) -> None:
    written = base64.b64encode(LONG_KEY[start : start + length].encode()).decode()
    assert scrubber_of(LONG_KEY).text(written) == written


@pytest.mark.parametrize("secret", ["пароль-пароль-пароль", "!$%!$%!$%!$%!$%!$%", "sk-?>~?>~?>~?>~?>~"])
def test_a_secret_with_hardly_a_letter_is_known_as_well(secret: str) -> None:
    for written in (secret, "\t".join(secret), "\n".join(secret), "\x1b[1m".join(secret), quote(secret, safe="")):
        assert scrubber_of(secret).text(f"a {written} z") == f"a {MARK} z"


@pytest.mark.parametrize(
    "part", [LONG_KEY, f"{LONG_KEY[:12]} ", f"{LONG_KEY[:11]} ", "S1", "<a", "\x1b]", "%\n", "&#4\n"]
)
def test_many_keys_halves_of_keys_and_broken_markup_take_no_long_time_either(part: str) -> None:
    text = part * (50_000 // len(part))
    assert LONG_KEY[:12] not in scrubber_of(LONG_KEY).text(f"\\u0041{text}")


def test_a_key_said_over_two_fields_leaves_log_probabilities_where_they_are() -> None:
    result = CallResult(LONG_KEY[:8], reasoning=LONG_KEY[8:16], logprobs=(Token("A", -0.1),))
    assert scrubber_of(LONG_KEY).result(result) == result


def without_quick_look(scrubber: Scrubber, text: str) -> str:
    """A text as it leaves the exact search, which no quick look has spared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scrubber, "_may_hold", lambda text: True)
        return scrubber.text(text)


ANY_KEY = st.text("abcdefghijABCDEFGHIJ0123456789-_+/=.%&", min_size=8, max_size=48)
ENCODED: tuple[Callable[[bytes], str], ...] = (
    *(lambda raw: base64.b64encode(raw).decode(), lambda raw: base64.urlsafe_b64encode(raw).decode()),
    *(lambda raw: base64.b32encode(raw).decode(), bytes.hex, lambda raw: raw.hex().upper()),
    *(lambda raw: str(list(raw)), lambda raw: raw.decode(errors="replace")),
)


@given(
    ANY_KEY | st.sampled_from((KEY, LONG_KEY)),
    st.sampled_from(ENCODED),
    st.sampled_from(SPELLINGS),
    st.sampled_from(BETWEEN),
    st.tuples(st.integers(0, 60), st.integers(8, 200)),
    st.text(max_size=40),
    st.text("sk-abcABC012\\%&#;x\n= ", max_size=40),
)
def test_the_quick_look_spares_no_text_in_which_the_exact_search_finds_a_part_of_a_key(
    key: str,
    encoded: Callable[[bytes], str],
    spelling: Callable[[str], str],
    gap: str,
    part: tuple[int, int],
    before: str,
    after: str,
) -> None:
    start, length = part
    written = gap.join(map(spelling, encoded(key.encode())[start : start + length]))
    text = f"{before}{written}{after}"
    scrubber = Scrubber([key])
    assert scrubber.text(text) == without_quick_look(scrubber, text)
