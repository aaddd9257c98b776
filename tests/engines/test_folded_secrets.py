"""Keys in small letters, in letters of double width, and in encodings of UTF-16 are taken out as well."""

from base64 import b64encode

import pytest

from selfexec.engines.http.scrubbing import Scrubber

KEY = "sk-Planted-0A1b2C3d4E5f6G7h"


@pytest.mark.parametrize("key", [KEY, "correcthorsebatteryStaple", "sk-abcdefghijklmnopqrstuv"])
def test_a_key_is_known_however_its_letters_are_written(key: str) -> None:
    wide = "".join(chr(ord(char) + 0xFEE0) for char in key)
    utf16 = key.encode("utf-16-le")
    forms = [key.lower(), key.upper(), key.title(), wide, wide.lower(), utf16.hex(), utf16.hex().upper()]
    for written in (*forms, *(b64encode(b"\0" * n + utf16).decode() for n in range(3))):
        said = Scrubber([key]).text(f"X-Cache-Key-{written}: HIT")
        assert "[key]" in said and written[6:-6] not in said, written


def test_ordinary_text_stays() -> None:
    text = "In the year 2000 … 3000 planted trees, ½ of them “correct” ﬁrs: HIT, é, ﹏."
    assert Scrubber([KEY]).text(text) == text
