"""A key is known in dumps with offsets and characters, in lists of its characters, and however often it was encoded."""

import base64
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from effort import examples
from selfexec.engines import CallResult
from selfexec.engines.http.scrubbing import MARK, Scrubber

KEY = "sk-planted-Qz81LmWq02XcVbNmK3uYtReW7aSdFg"
SCRUBBER = Scrubber([KEY])
WORDS = st.text("abcdefghij ,.", max_size=20)


def dump(data: bytes, width: int, group: int, *, offsets: bool, characters: bool) -> str:
    """Bytes as `xxd` and `hexdump -C` print them."""
    lines = []
    for at in range(0, len(data), width):
        row = data[at : at + width]
        line = " ".join(row[n : n + group].hex() for n in range(0, len(row), group))
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append((f"{at:08x}: " if offsets else "") + line + (f"  |{shown}|" if characters else ""))
    return "\n".join(lines)


@given(
    before=WORDS,
    width=st.sampled_from([4, 8, 16, 24]),
    group=st.sampled_from([1, 2, 4]),
    offsets=st.booleans(),
    characters=st.booleans(),
)
@settings(max_examples=examples(80), deadline=None)
def test_nothing_of_a_dump_with_a_key_is_left(
    before: str, width: int, group: int, offsets: bool, characters: bool
) -> None:
    assume(width > group)
    data = f"Authorization: Bearer {before} {KEY} \n".encode()
    data += bytes(-len(data) % width)  # whole lines
    written = dump(data, width, group, offsets=offsets, characters=characters)
    found = SCRUBBER.text(f"The request was:\n{written}\nIt failed.")
    assert found == f"The request was:\n{MARK}\nIt failed."


WRITTEN: dict[str, Callable[[bytes], str]] = {
    "ascii85": lambda data: base64.a85encode(data).decode(),
    "base85": lambda data: base64.b85encode(data).decode(),
    "octal escapes": lambda data: "".join(f"\\{byte:03o}" for byte in data),
    "octal numbers": lambda data: " ".join(f"{byte:o}" for byte in data),
    "octal numbers of three digits": lambda data: ", ".join(f"{byte:03o}" for byte in data),
    "code points": lambda data: " ".join(f"U+{byte:04X}" for byte in data),
    "calls of char": lambda data: "+".join(f"char({byte})" for byte in data),
    "backwards": lambda data: data.decode()[::-1],
    "backwards in capitals": lambda data: data.decode()[::-1].upper(),
    "backwards with dashes": lambda data: "-".join(data.decode()[::-1]),
}


@pytest.mark.parametrize("way", WRITTEN)
@given(before=WORDS, behind=WORDS, start=st.integers(0, 18), length=st.sampled_from([len(KEY), 16]))
@settings(max_examples=examples(60), deadline=None)
def test_a_key_or_a_part_of_it_is_known_in_other_ways_of_writing_bytes_and_backwards(
    way: str, before: str, behind: str, start: int, length: int
) -> None:
    # where dashes are put between characters, too little of a short part tells a key from words; in base85 too few of
    # the characters of one may be letters
    part = KEY if way in ("ascii85", "base85", "backwards with dashes") else KEY[start : start + length]
    data = f"{before}{part}{behind}".encode()
    assert MARK in SCRUBBER.text(f"See: {WRITTEN[way](data)} there.")
    other = f"{before}{'the-quick-brown-fox-jumps-over-it'[start % 9 :]}{behind}".encode()
    text = f"See: {WRITTEN[way](other)} there."
    assert SCRUBBER.text(text) == text


def test_words_backwards_are_no_secret() -> None:
    assert Scrubber(["correct horse battery staple"]).text("elpats yrettab esroh tcerroc") != MARK


STEPS: list[Callable[[bytes], bytes]] = [
    base64.b64encode,
    base64.urlsafe_b64encode,
    base64.b32encode,
    lambda data: data.hex().encode(),
    lambda data: data.hex().upper().encode(),
    lambda data: base64.encodebytes(data),  # in lines
]


@given(before=WORDS, behind=WORDS, steps=st.lists(st.sampled_from(STEPS), min_size=2, max_size=3))
@settings(max_examples=examples(100), deadline=None)
def test_a_key_that_is_encoded_several_times_is_known(
    before: str, behind: str, steps: list[Callable[[bytes], bytes]]
) -> None:
    data = f"{before}{KEY}{behind}".encode()
    for step in steps:
        data = step(data)
    found = SCRUBBER.text(f"See: {data.decode()}")
    assert found.strip() == f"See: {MARK}"


@pytest.mark.parametrize(
    "item", ["{n}. {c}\n", "{n}) {c} ", "[{n}] {c}, ", "{n}: '{c}', ", "{n} {c};", "{n} - {c}\n", '{n} => "{c}"\n']
)
@given(first=st.integers(0, 200))
@settings(max_examples=examples(20), deadline=None)
def test_a_key_in_a_list_of_its_characters_is_known(item: str, first: int) -> None:
    listed = "".join(item.format(n=first + n, c=char) for n, char in enumerate(KEY))
    found = SCRUBBER.text(f"Letters:\n{listed}That was it.")
    assert MARK in found and "That was it." in found and not any(f"{n}" in found for n in (first + 20, first + 30))


@pytest.mark.parametrize(
    "text",
    [
        "1. a\n2. b\n3. c\n4. d\n5. a\n6. b\n7. c\n8. d\n9. a\n10. b",
        base64.b64encode(b"nothing of interest stands in here, or does it?").decode(),
        base64.b64encode(base64.b64encode(b"nothing of interest stands in here, or does it?")).decode(),
        dump(b"nothing of interest stands in here, or does it?", 16, 2, offsets=True, characters=True),
        "0123456789abcdef" * 40,
        '{"choice": "A"} ' * 30,
    ],
)
def test_what_holds_no_key_stays_as_it_is(text: str) -> None:
    assert SCRUBBER.text(text) == text
    result = CallResult(text, completion_id="chatcmpl-abcdefghijklmnopqrstuvwxyz")
    assert SCRUBBER.result(result) is result or SCRUBBER.result(result) == result


def test_all_words_of_a_reply_are_looked_through() -> None:
    twice = base64.b64encode(base64.b64encode(KEY.encode())).decode()
    found = SCRUBBER.result(CallResult(f"a {twice}", reasoning=f"b {twice}", error=f"c {twice}"))
    assert (found.text, found.reasoning, found.error) == (f"a {MARK}", f"b {MARK}", f"c {MARK}")


def test_a_text_of_encoded_letters_takes_a_time_that_is_linear_in_its_length() -> None:
    """It ends at all: the rows are decoded, but for what is longer than any key needs."""
    for text in ("QUJD" * 250_000, ("QUJD" * 19 + "\n") * 5_000, "1. a\n" * 50_000, "0a 0b 0c\n" * 50_000):
        assert SCRUBBER.text(text) == text
