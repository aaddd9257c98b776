"""Whole texts that are what a program prints of an object, in any language: a message or a reply with its fields, raw
bytes, an object without a form of its own, the pieces of a stream, or where a program failed.

A gateway writes these in the place of what a model said where it turns the reply of another server into text. What
counts is the whole of a text, and that the prompt does not show such a form: a model may be asked for one.

    fields      `Name(content='...', role='assistant')`, `{"choices": [{...}]}`, `candidates {`, `map[role:assistant`: a
                bracket, behind a name or none, with two fields in it by which messages are made up, and one of them
                stands in hardly anything else; behind the name of a class one field is enough
    a row       `content='...' additional_kwargs={}`
    bytes       `b'...'`
    no form     `<coroutine object ask at 0x7f>`, `<Response [200]>`, `[object Response]`, `chat.Message@1b6d3586`
    pieces      `data: {...}` in each line
    failures    `Traceback (most recent call last):`, or two lines of a stack or more
"""

import re
from typing import NamedTuple

from selfexec.text.regex import regex

LONGEST = 2_000  # characters that are looked through for the fields of an object: they stand at the beginning
# of messages and replies in all wire formats and in programs' libraries for them
OWN_FIELDS = (
    "role|choices|finish_?reason|stop_?reason|refusal|tool_calls|usage|candidates|delta|parts|logprobs|output_text"
    "|additional_kwargs|response_metadata|usage_metadata|citations|annotations|reasoning_content|function_call"
)
FIELDS = f"{OWN_FIELDS}|content|text|message|output|type|id|object|model|status"
HINTS = ("ole", "ontent", "ext", "essage", "hoices", "utput")  # nearly all texts have none of these in a bracket
LEAST_FIELDS, LEAST_COMMON = 2, 4
SIGN = r"(?:=>|[=:]|(?=\s?[{\[]))"
FIELD = regex(rf"""[\[{{('":\s,]({FIELDS})['"\]]{{0,2}}\s?{SIGN}""", re.IGNORECASE)
OWN_FIELD = regex(OWN_FIELDS)
NAME = r"(?:[A-Za-z_]\w*(?:\.|::))*[A-Za-z_]\w*"
OPENING = regex(rf"""[&\[(]{{0,3}}(?:#<)?(?:{NAME})?(?:\(\d+\))?\s?[({{\[]\s*[\["':{{]{{0,3}}[A-Za-z_(]|#<{NAME}""")
NAMED = regex(r"(?:\w+(?:\.|::))*[A-Z]\w*[a-z]\w*\s?[({\[]\s*(?:content|text|message|role)\s?[:=]")
PART = regex(r"""\btype['"]?\s?[:=]\s?['"](?:output_)?(?:text|message)['"]""")
ROW = regex(r"(?:content|text|message|role|id)=['\"\[{]")
CLOSING = (")", "]", "}", ">")
BYTES = regex(r"""b(['"]).*\1""", re.DOTALL)
FORMLESS = regex(
    r"#?<([^<>\s]+)[^<>\n]*(?:\bobject\b|\b0x[0-9a-f]{4,}|\[\d+\]|\bpending\b)[^<>\n]*>"
    r"|\[object (\w+)\]|(Promise) \{[^{}]*\}|((?:\w+\.)*[A-Z]\w*)@[0-9a-f]{6,8}"
)
LONGEST_FORMLESS = 200
PIECE = regex(r"(?:data|event|id|retry)?:.*")
DATA = regex(r"^data: ?(?:\{|\[DONE\])", re.MULTILINE)
FAILURE = regex(
    r"\W{0,3}(?:Traceback \(most recent call last\):|panic: |Exception in thread |Uncaught \w+|thread '[^']+' panicked)"
)
FRAME = regex(r"^\s+(?:at [\w.$<>/ ]+ ?\(.*\)|File \".*\", line \d+.*)$", re.MULTILINE)
LEAST_FRAMES = 2
OF_FAILURES = regex("traceback|exception|stack|error|python|java|panic", re.IGNORECASE)
OF_BYTES = regex(r"(?i:\bbytes?\b|python|encod)|(?<![\w\"'])b['\"]")
OF_STREAMS = regex(r"data:|event.stream", re.IGNORECASE)


class Printed(NamedTuple):
    """What a whole text is, and how a prompt looks that asks for such a text."""

    what: str
    asked_by: re.Pattern[str]


def printed_object(text: str) -> Printed | None:
    """What a whole text is that a program may have printed; None where it is no such thing."""
    text = text.strip()
    if text.endswith(CLOSING) and any(hint in text[:LONGEST] for hint in HINTS) and OPENING.match(text):
        fields = _fields(text)
        if fields:
            return Printed("an object of a program", _shown(fields))
    if ROW.match(text) and (fields := _fields(f" {text}")):
        return Printed("an object of a program", _shown(fields))
    if text.startswith("b") and BYTES.fullmatch(text):
        return Printed("raw bytes of a program", OF_BYTES)
    if len(text) <= LONGEST_FORMLESS and (formless := FORMLESS.fullmatch(text)):
        name = formless[formless.lastindex or 0]  # that of a class is no word of a prompt: `Response` and `response`
        asked_by = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE if name.islower() else re.NOFLAG)
        return Printed("an object of a program", asked_by)
    if text.startswith(("data:", "event:", "id:", ":")) and _is_stream(text):
        return Printed("the pieces of a stream", OF_STREAMS)
    if FAILURE.match(text) or ("\n    at " in text and len(FRAME.findall(text)) >= LEAST_FRAMES):
        return Printed("the place where a program failed", OF_FAILURES)
    return None


def _is_stream(text: str) -> bool:
    return DATA.search(text) is not None and all(PIECE.fullmatch(line) for line in text.splitlines() if line.strip())


def _fields(text: str) -> set[str]:
    """The fields of a message that an object has; none where it has too few to be one."""
    named = {field.lower() for field in FIELD.findall(text[:LONGEST])}
    is_message = len(named) >= LEAST_FIELDS and (any(map(OWN_FIELD.fullmatch, named)) or PART.search(text[:LONGEST]))
    return named if is_message or len(named) >= LEAST_COMMON or (named and NAMED.match(text)) else set()


def _shown(fields: set[str]) -> re.Pattern[str]:
    """One of these fields as a prompt shows it, quoted or before the sign for its value."""
    names = "|".join(map(re.escape, sorted(fields)))
    return re.compile(rf"""["'`](?:{names})["'`]|\b(?:{names})\s?[:=]""", re.IGNORECASE)
