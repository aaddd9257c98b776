"""Keys in small letters, in letters of double width, and in encodings of UTF-16 are taken out as well."""

from base64 import b64encode

import pytest
from aiohttp import web
from test_streams import asked

from selfexec.engines.http.scrubbing import Scrubber
from sockets import completion

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


def test_a_short_value_of_a_header_is_taken_out_unless_it_is_a_plain_word_or_a_date() -> None:
    async def echo(request: web.Request) -> web.Response:
        return web.json_response(completion(f"You sent {request.headers['X-Team']}, a team."))

    for value, shown in (
        ("s3cr3t-7", "[key]"),
        ("Bearer s3cr3t-7", "Bearer [key]"),
        ("our-team", "our-team"),
        ("research", "research"),
        ("2023-06-01", "2023-06-01"),  # the version of an interface
    ):
        found = asked(echo, headers={"X-Team": value}, stream=False)[0].text
        assert found in (f"You sent {shown}, a team.", f"You sent {shown.split()[-1]}, a team.")
