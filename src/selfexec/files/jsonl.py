"""JSON Lines, read with suspicion: every fault is named by file and line."""

import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from selfexec.errors import InputError

T = TypeVar("T")
STANDARD_INPUT = Path("-")
GZIP = b"\x1f\x8b"
MOST_UNPACKED = 2_000_000_000
UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def numbered_lines(path: Path, *, torn_tail: bool = False) -> Iterator[tuple[int, bytes]]:
    """The non-empty lines of a UTF-8 file with their numbers, counted from 1."""
    content = _content(path, torn_tail)
    # Only "\n" ends a line: JSON strings may hold other line separators (U+2028) as they are.
    for number, line in enumerate(content.split(b"\n"), 1):
        if line and not line.isspace():
            yield number, line


def ends_whole(path: Path) -> bool:
    """Whether the last line of a file has its end."""
    return _content(path, torn_tail=False).endswith(b"\n")


def decode(
    path: Path,
    kind: type[T],
    *,
    torn_tail: bool = False,
    explain: Callable[[bytes, Exception], str] | None = None,
) -> Iterator[tuple[int, T]]:
    """The lines of a file as values of `kind` (a msgspec Struct), with their numbers.

    With `torn_tail`, what stands behind the last newline is passed over: a line that is still being written. `explain`
    says what is wrong with a line, in place of `what_is_wrong`.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in numbered_lines(path, torn_tail=torn_tail):
        try:
            yield number, decoder.decode(line)
        except UNDECODABLE as fault:
            if number == 1 and (form := another_format(path)):
                raise InputError(f"{path}: {form}") from None
            raise InputError(f"{path}:{number}: {(explain or what_is_wrong)(line, fault)}") from None


def values(path: Path, kind: type[T]) -> list[T]:
    """What `decode` yields of a file that is appended to, without the numbers of lines, and at half the time: a last
    line that is still being written is passed over.
    """
    content = _content(path, torn_tail=True)
    with suppress(*UNDECODABLE):
        found = msgspec.json.Decoder(kind).decode_lines(content)
        # else some stand on one line, go over several, or have more between them than a newline
        if len(found) == content.count(b"\n") == content.count(b"}\n{") + (content[:1] == b"{"):
            return found
    return [value for _, value in decode(path, kind, torn_tail=True)]


def write(path: Path, lines: Iterable[bytes]) -> None:
    """Write lines to a new file and make sure that they are on the disk."""
    with path.open("xb") as file:
        file.writelines(line + b"\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())


def file_bytes(path: Path) -> bytes:
    """A file as it is; `-` is standard input."""
    if path == STANDARD_INPUT:
        return _standard_input()
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. Check the path.") from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). Give a file.") from None


@cache
def _standard_input() -> bytes:
    """It can be read once, and is wanted more often."""
    return sys.stdin.buffer.read() if sys.stdin else b""


def _content(path: Path, torn_tail: bool) -> bytes:
    content = file_bytes(path)
    if content.startswith(GZIP):
        content = _unpacked(path, content)
    if torn_tail:
        content = content[: content.rfind(b"\n") + 1]
    return content.removeprefix(b"\xef\xbb\xbf")


def _unpacked(path: Path, packed: bytes) -> bytes:
    """What a gzip file holds, as long as it is no more than a machine bears: a thousandfold is soon packed."""
    import gzip  # most files are not packed

    try:
        content = gzip.GzipFile(fileobj=io.BytesIO(packed)).read(MOST_UNPACKED + 1)
    except (EOFError, OSError, zlib.error):
        raise InputError(f"{path}: the gzip file is damaged or cut off. Fetch it again, or unpack it.") from None
    if len(content) > MOST_UNPACKED:
        raise InputError(f"{path}: unpacked it has more than {MOST_UNPACKED:,} bytes. Give it in parts.")
    return content


def another_format(path: Path) -> str | None:
    """What a file is that begins otherwise than JSON Lines do, and the way out; None where that is not plain."""
    content = _content(path, torn_tail=False)
    first, _, rest = content.lstrip().partition(b"\n")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "the file is UTF-16. Save it as UTF-8."
    if first.startswith(b"["):
        with suppress(*UNDECODABLE):
            objects = msgspec.json.decode(content, type=list[dict[str, msgspec.Raw]])
            held = f"{len(objects):,} objects" if len(objects) != 1 else "1 object"
            return f"the file is one JSON list of {held}. Write each on a line of its own, without brackets and commas."
        return None
    if first.strip() == b"{" and rest:
        return "its objects go over several lines. Write each on a line of its own."
    if b"{" not in content and (b"," in first or b"\t" in first) and _is_utf8(content):
        form = "CSV" if b"," in first else "a table with tabs"
        return f"the file looks like {form}. It must be JSON Lines: one object, in braces, in each line."
    return None


def what_is_wrong(line: bytes, fault: Exception) -> str:
    """Why a line could not be decoded, and the way out."""
    if line.lstrip()[:1] != b"{" and _is_utf8(line):
        return "not a JSON object. The file must be JSON Lines: one object in each line."
    if isinstance(fault, RecursionError):
        return "lists or objects in it are nested too deeply. Is this the right file?"
    if isinstance(fault, msgspec.ValidationError):
        return in_words(str(fault))
    if not _is_utf8(line):
        return "not UTF-8. Save the file as UTF-8."
    if line.rstrip().endswith(b"},") and _is_object(line.rstrip()[:-1]):
        return "a comma stands behind the object. Take it off: in JSON Lines nothing stands between the lines."
    if not line.rstrip().endswith(b"}"):
        return "the line is cut off. Remove it, or write the file again."
    return "not valid JSON. Each line must be one whole object."


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except UNDECODABLE:
        return False


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}


BOUNDS = {">=": "no less than", "<=": "no more than", ">": "above", "<": "below"}


def in_words(fault: str) -> str:
    """msgspec's message as a person would put it."""
    message, _, place = fault.partition(" - at `$")
    field = f"field {place.rstrip('`').lstrip('.')!r}" if place.strip("`.") else "the line"
    if missing := re.match(r"Object missing required field `(\w+)`", message):
        return f"{field} lacks {missing[1]!r}. Add it (null where there is none)."
    if types := re.match(r"Expected `(.+?)`, got `(.+?)`", message):
        wanted, got = (" or ".join(TYPES.get(name, name) for name in names.split(" | ")) for names in types.groups())
        return f"{field} must be {wanted}, not {got}. Fix the line."
    if bound := re.match(r"Expected `(\w+)` (of length )?(>=|<=|>|<) (\S+)", message):
        what, length, sign, limit = bound.groups()
        size = f"whose length is {BOUNDS[sign]}" if length else BOUNDS[sign]
        return f"{field} must be {TYPES.get(what, what)} {size} {limit}. Fix the line."
    return f"{field}: {message}. Fix the line."
