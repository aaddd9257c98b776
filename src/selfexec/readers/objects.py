"""Read an object with several fields, whose texts may be long: a question with its options."""

import ast
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from selfexec.readers.conclusion import conclude
from selfexec.readers.folding import fold
from selfexec.readers.notation import plain_text
from selfexec.readers.result import Commitment, Reading
from selfexec.readers.run_on import settled
from selfexec.readers.scan import places
from selfexec.text.regex import regex

TRIES = 8  # braces from which an object may begin, from the end of a reply
LONGEST = 20_000  # characters of an object
STRING_OR_BRACE = regex(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}]', re.DOTALL)
# a backslash of LaTeX, which JSON takes for something else or for nothing: "\(x\)", "\frac", "\times"
ESCAPE = regex(
    r"\\(?:[\"\\/]|u[0-9a-fA-F]{4}|n(?!(?:eq|abla|ot)\b)|t(?!(?:imes|ext|heta|au|an|o)\b)|r(?=\\n)|(.))", re.DOTALL
)
DECIMAL_COMMA = regex(r"(?<=:)(\s{0,4}(?:0(?=,)|1(?=,0))),(\d{1,6})(?=\s{0,4}(?:[}\]\n]|,\s))")  # "p": 0,65
TRAILING = regex(r",(?=\s*[}\]])")
# a quote that neither opens a string nor closes one stands within one: "so "to say" it."
QUOTE_WITHIN = regex(
    r"(?<!\\)\"(?!\s{0,20}(?:[}\]:]|\Z|,\s{0,20}(?:[\"{\[\d-]|true|false|null)))(?<![{\[:].)"
    r"(?<![{\[:]\s.)(?<![\"\]}\de],.)(?<![\"\]}\de],\s.)(?<!\n.)(?<!\s\s.)",
    re.DOTALL,
)
PART = regex(r"\\.|[\"{}\[\]]", re.DOTALL)
CLOSED_BY = {"{": "}", "[": "]"}
ENDS_A_VALUE = regex(r"(?:[\d%\"'}\]]|true|false|null)\Z")
DECODER = json.JSONDecoder(strict=False)  # a string may go over several lines


def read_object(text: str, key: str, meant: Callable[[Mapping[str, Any]], Any], *, drafts: bool = True) -> Reading:
    """What the last whole object with this key means; None is what `meant` says of one that is no answer.

    Objects are read as JSON, LaTeX, raw line breaks and trailing commas among it; or as Python writes them. Unless
    earlier objects may be `drafts` of the last, one that differs from them counts only where it revises them.
    """
    plain = plain_text(text)
    found = [Commitment(start, end, meant(value)) for start, end, value in objects(plain, key)]
    return conclude(text, found if drafts else settled(plain, found), of_a_request=True)


def without_fields(text: str, key: str, hidden: Collection[str]) -> str:
    """A reply with none of some fields in its last whole object that has the key: what else it says of the object."""
    plain = plain_text(text)
    start, end, value = next(objects(plain, key), (len(plain), len(plain), {}))
    rest = {name: part for name, part in value.items() if fold(name) not in hidden}
    return plain[:start] + (json.dumps(rest) if rest else "") + plain[end:]


def objects(text: str, key: str) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """The last objects that have the key, none of them within another."""
    tries = 0
    begun = len(text)
    for at in sorted(places(text, *(f"{quote}{key}{quote}" for quote in "\"'")), reverse=True):
        start = min(at, begun)
        while at < begun and tries < TRIES and (start := text.rfind("{", max(at - LONGEST, 0), start)) >= 0:
            tries += 1
            end = _closing(text, start)
            if end is not None and end > at and key in (value := _value(text[start:end])):
                yield start, end, value
                begun = start


def closed(text: str) -> str:
    """A reply that ended by itself, with the brackets that its last object lacks: each value in it is whole, unless it
    ends in a string or behind a key.
    """
    body = text.rstrip(" \n`")
    opened, in_a_string = "", False
    for part in (
        PART.finditer(body, max(len(body) - LONGEST, 0)) if "{" in body and ENDS_A_VALUE.search(body[-5:]) else ()
    ):
        if part[0] == '"':
            in_a_string = opened != "" and not in_a_string
        elif in_a_string:
            continue
        elif part[0] == "{" or (part[0] == "[" and opened):
            opened += CLOSED_BY[part[0]]
        elif part[0] == opened[-1:]:
            opened = opened[:-1]
    return text if in_a_string else body + opened[::-1] + text[len(body) :]


def _closing(text: str, start: int) -> int | None:
    """Where the object ends that begins here."""
    depth = 0
    for part in STRING_OR_BRACE.finditer(text, start, start + LONGEST):
        depth += {"{": 1, "}": -1}.get(part[0], 0)
        if depth == 0:
            return part.end()
    return None if (last := text.rfind("}", start, start + LONGEST)) < 0 else last + 1  # a quote in a string is open


def _value(words: str) -> Mapping[str, Any]:
    """What an object's words say; nothing where they are none."""
    escaped = ESCAPE.sub(lambda found: "\\" + found[0] if found[1] else found[0], words)
    ways = (
        (DECODER.decode, escaped),
        (DECODER.decode, TRAILING.sub("", DECIMAL_COMMA.sub(r"\1.\2", escaped))),
        (ast.literal_eval, words),
        (DECODER.decode, QUOTE_WITHIN.sub(r"\"", escaped)),
    )
    for decoded, source in ways:
        try:
            value = decoded(source)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict):
            return {name: part for name, part in value.items() if isinstance(name, str)}
    return {}
