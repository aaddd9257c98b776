"""Lines read at once are what they are one by one, and faults are told by their lines either way."""

import gzip
from pathlib import Path

import msgspec
import pytest

from selfexec.errors import InputError
from selfexec.files import jsonl


class Line(msgspec.Struct):
    a: int
    text: str = ""


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (b"", []),
        (b'{"a":1}\n{"a":2}\n', [1, 2]),
        (b'{"a":1}\n{"a":2}\n{"a":3}', [1, 2]),  # the last is still being written
        (b'{"a":1}\n{"a":2}\n{"a":', [1, 2]),
        (b'\xef\xbb\xbf{"a":1}\n', [1]),
        (b'{"a":1}\r\n\n  \n{"a":2}\r\n', [1, 2]),
        ('{"a":1,"text":"\u2028"}\n{"a":2}\n'.encode(), [1, 2]),
        (gzip.compress(b'{"a":1}\n{"a":2}\n'), [1, 2]),
    ],
)
def test_all_whole_lines_are_read_and_none_that_is_still_being_written(
    content: bytes, values: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(content)
    assert [line.a for line in jsonl.values(path, Line)] == values


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"a":1}\n{"a":2}{"a":3}\n', 2),
        (b'{"a":1}\n\n{"a":2} {"a":3}\n\n', 3),
        (b'{"a":1}\n{"a":\n2}\n', 2),
        (b'\n{"a":1}{"a":2}\n', 2),  # as many values as newlines, but not one in each line
        (b'{"a":\n1}\n{"a":2}{"a":3}\n', 1),
        (b'{"a":1}\n{"a":"2"}\n', 2),
        (b'{"a":1}\n{"a":2},\n', 2),
        (b'{"a":1}\n{"a":2,"text":"\xff"}\n', 2),
        (b"[1]\n", 1),
        (b'{"a":1}\n' + b'{"a":2,"text":' + b"[" * 100_000 + b"\n", 2),
    ],
)
def test_a_line_that_is_not_one_whole_value_is_named(content: bytes, line: int, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"lines\.jsonl:{line}: "):
        jsonl.values(path, Line)
