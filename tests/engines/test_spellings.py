"""A key is known in whatever way servers write it, in every field of a reply; and nothing else is taken for it."""

import base64
import html
import json
from collections.abc import Callable
from html.entities import html5
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.engines.base import Outcome
from selfexec.engines.http.scrubbing import MARK, TEXTS, Scrubber
from selfexec.engines.settings import secrets_sent

KEY = "sk-planted/Az09_x+y=z.0123456789"
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


@pytest.mark.parametrize("field", TEXTS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_key_spelt_in_one_way_throughout_is_kept_in_no_field(spelling: Callable[[str], str], field: str) -> None:
    written = "".join(map(spelling, KEY))
    found = Scrubber([KEY]).outcome(Outcome("Hi", **{} if field == "text" else {field: f"a {written} z"}))
    if field == "text":
        found = Scrubber([KEY]).outcome(Outcome(f"a {written} z"))
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
    outcome = Outcome(**{"text": "Hi", field: f"{before}{written}{after}"})
    found = getattr(Scrubber([KEY]).outcome(outcome), field)
    assert found == f"{before}{MARK}{after}"


@given(st.integers(1, len(KEY) - 1), st.sampled_from(BETWEEN[1:]))
def test_base64_of_a_key_is_known_though_it_is_wrapped(place: int, gap: str) -> None:
    written = base64.b64encode(f"user:{KEY}".encode()).decode()
    wrapped = "".join(written[n : n + place] + gap for n in range(0, len(written), place))
    found = Scrubber([KEY]).text(f"a {wrapped} z")
    assert MARK in found and written[10:20] not in found


@given(st.text() | st.text("sk-planted/Az09_x+y=z.0123456789\\%&#;x\n\u200b", max_size=60))
def test_what_is_no_key_stays_as_it_is_to_the_letter(text: str) -> None:
    assert Scrubber([KEY]).text(text) == text
    assert Scrubber([KEY]).outcome(Outcome(text, reasoning=text)) == Outcome(text, reasoning=text)


def test_a_secret_that_holds_escapes_or_blanks_itself_is_known_as_it_is_and_as_it_is_meant() -> None:
    password = "p%40ssw%26rd-0123456789"
    for written in (password, "p@ssw&rd-0123456789", "p&#64;ssw&amp;rd-0123456789", "p%2540ssw%2526rd-0123456789"):
        assert Scrubber([password]).text(f"a {written} z") == f"a {MARK} z"
    header = "Bearer abcdefgh0123456789"
    assert Scrubber([header]).text("a Bearer\n  abcdefgh0123456789 z") == f"a {MARK} z"
    umlauts = "schlüssel-für-alles-0123"
    for written in (umlauts, quote(umlauts), json.dumps(umlauts)[1:-1], html.escape(umlauts).replace("ü", "&uuml;")):
        assert Scrubber([umlauts]).text(f"a {written} z") == f"a {MARK} z"


def test_blanks_alone_do_not_make_words_a_secret() -> None:
    assert (
        Scrubber(["correcthorsebatterystaple"]).text("correct horse battery staple") == "correct horse battery staple"
    )


@pytest.mark.parametrize("part", ["\\", " ", "\n", "&", "%", "s\\", " \n", "&#", "\\u", "%25", "s\n"])
def test_a_text_that_is_made_to_take_long_does_not(part: str) -> None:
    """Linear: a megabyte of what patterns might look at again and again."""
    text = f"\\u0041{part * (1_000_000 // len(part))}"
    assert Scrubber([KEY]).text(text) == text


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


LONG_KEY = "sk-proj-Az09xyZ0123456789abcdefQRSTUVw"


@pytest.mark.parametrize(
    "cut", [LONG_KEY[:-1], LONG_KEY[1:], LONG_KEY[:20], LONG_KEY[20:], LONG_KEY[:12], LONG_KEY[-12:], LONG_KEY[9:21]]
)
def test_a_key_that_the_server_cut_is_known(cut: str) -> None:
    assert Scrubber([LONG_KEY]).text(f"Wrong key {cut} was sent") == f"Wrong key {MARK} was sent"
    assert Scrubber([LONG_KEY]).text(f"Wrong key {cut[:11]}") == f"Wrong key {cut[:11]}"


def test_part_of_a_password_that_may_be_a_word_stays() -> None:
    text = "A correcthorsebattery is no word."
    assert Scrubber(["correcthorsebatterystaple"]).text(text) == text


def test_a_key_in_hexadecimal_is_known_and_of_its_base64_nothing_is_left() -> None:
    for written in (LONG_KEY.encode().hex(), LONG_KEY.encode().hex().upper()):
        assert Scrubber([LONG_KEY]).text(f"a {written} z") == f"a {MARK} z"
    for more in ("", "0", "01"):
        written = base64.b64encode((LONG_KEY + more).encode()).decode()
        key = LONG_KEY + more
        assert Scrubber([key]).text(f"a {written} z") == Scrubber([key]).text(f"a {written.rstrip('=')} z")
        assert Scrubber([key]).text(f"a {written} z") == f"a {MARK} z"
