"""What stands in the first or the last line of a text and is about the reply, or the way it came by, and not of it.

    the protocol          a line of a stream of events (`data: {...}`, `[DONE]`), a status or a header of HTTP, a field
                          of a wire format, or brackets that close what the text has not opened
    a log                 a line with a time and a level
    a note on the reply   a bracket or a sentence that says of a reply, an output, an answer that it was cut, cached,
                          filtered or made by something else: `[response truncated]`, `(fallback: m-1)`, `Cached reply:`
    a status              a first line that says what a program does at the moment: `Searching the web ...`
    more behind a click   an ellipsis and a bracket at the end: `... [read more]`
    one part of several   its number at the beginning or the end: `(1/3)`

A model may be asked about each of these, so the words must not stand in what it was asked. None of 34,760 recorded
replies of ten models has one.
"""

import re
from collections.abc import Callable, Iterator

from selfexec.engines.http.known_names import HEADERS
from selfexec.text.regex import regex

HEAD, TAIL = 200, 240  # characters that are looked at
PROTOCOL, LOG, NOTE = "remains of the protocol", "a line of a log", "a note about the reply itself"
STATUS, MORE = "the status of a program before the reply", "an end that says that there is more"
DOES = (
    "generating|searching|thinking|loading|processing|retrieving|looking|fetching|analy[sz]ing|running|calling|querying"
    "|reading|waiting|working|consulting|checking|browsing|reasoning|routing"
)
DOING = regex(rf"\W{{0,6}}(?:{DOES})\b[^\n]{{0,120}}?(?:\.\.\.|…)\W{{0,4}}\n", re.IGNORECASE)
MORE_BEHIND = regex(r"(?:\.\.\.|…)\s*[\[(][^\[\]()\n]{3,80}[\])]\s*\Z")
PART = "the number of one part of several"
NUMBER = r"[\[(](?:part |page |message )?\d{1,2} ?(?:/|of) ?\d{1,2}[\])]"
FIRST_PART = regex(rf"\W{{0,2}}{NUMBER}(?=\s|\Z)", re.IGNORECASE)
LAST_PART = regex(rf"(?:\A|(?<=\s)){NUMBER}\W{{0,2}}\Z", re.IGNORECASE)
LONGEST_PART = 24  # characters
EVENT = regex(r"(?:data|event): ?\S")
HTTP = regex(r"HTTP/\d(?:\.\d)? \d{3}\b|([A-Za-z]+(?:-[A-Za-z]+)+): \S")
# of the objects in which all wire formats send a reply, and hardly any other has
FIELD = regex(
    r'"(choices|finish_reason|finishReason|stop_reason|tool_calls|usage|usageMetadata|candidates|delta|logprobs'
    r'|output_text|(?:prompt|completion|input|output)_tokens|role)"\s*:'
)
LAST_EVENT = "[DONE]"
CLOSING = regex(r"[\"'][}\]]{2,}\Z")
TIME = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d\S*"
LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|ERROR|FATAL|CRITICAL)\w*"
LOGGED = regex(rf"\W{{0,3}}(?:{TIME}\W+(?:\w+\W+)?{LEVEL}\b|{LEVEL}\W+{TIME})", re.IGNORECASE)
REPLY = r"(?:response|reply|replies|output|completion|answer|message|text|content|stream|generation|result|version)s?"
# what is done to a reply on its way, and what stands in its place
DONE = (
    *("truncated", "cached", "mocked", "mock", "interrupted", "filtered", "redacted", "shortened", "aborted"),
    *("replayed", "stubbed", "stub", "censored", "moderated", "cut", "abridged", "terminated", "stopped", "generated"),
    *("served", "simulated", "sanitized", "sanitised", "edited", "modified", "altered", "rewritten", "blocked"),
    *("suppressed", "withheld", "continued", "clipped", "trimmed", "omitted", "removed", "fallback", "placeholder"),
    *("revised", "approved", "reviewed", "translated", "refined", "verified"),
    *("canned", "dummy", "stale", "partial", "incomplete", "fabricated", "masked", "replaced", "retried", "recorded"),
)
ANY_DONE = f"(?:{'|'.join(DONE)})"
INNER = r"[^\[\](){}<>*\n]"
OPEN, CLOSE = r"[\[(<{*]{1,3}", r"[\])>}*]{1,3}"
SAID = (
    rf"(?:{INNER}{{0,60}}?\b{REPLY}\b{INNER}{{0,40}}?\b{ANY_DONE}\b"
    rf"|{INNER}{{0,40}}?\b{ANY_DONE} {INNER}{{0,40}}?\b{REPLY}\b"
    rf"|(?<=[\[(]){ANY_DONE}(?=\W*{CLOSE}|:| (?:at|after|by|due|for|from|here|in|on|per|to)\b)){INNER}{{0,100}}"
)
FIRST_BRACKET = regex(rf"\W{{0,3}}{OPEN}{SAID}{CLOSE}")
LAST_BRACKET = regex(rf"{OPEN}{SAID}{CLOSE}\W{{0,2}}\Z")
SENTENCE = regex(
    r"\W{0,4}(?:(?:note|warning|error|notice|info|disclaimer|caution)\b\W{1,4})?"
    r"(?:(?:this|here|below) (?:is|was) (?:an?|the|your) |the |this |your |an? )?(?:\w+[- ])?"
    rf"(?:{ANY_DONE} {REPLY}\b|{REPLY} (?:(?:was|is|has|were|had|got|been|being) ){{0,2}}(?:\w+ )?{ANY_DONE}\b)",
)
OPENING, CLOSED = frozenset("[(<{*"), frozenset("])>}*")
ENDS = (". ", ": ", "! ", "? ", "\n")  # of the sentence before the last


def edges_of(text: str, asked: Callable[[], str] = lambda: "") -> Iterator[str]:
    """What the edges of a text show, where what was asked shows nothing of the kind."""
    text = text.strip()
    head, tail = text[:HEAD], text[-TAIL:]
    first, last = head.partition("\n")[0], tail.rpartition("\n")[2]
    lines = (first,) if first == last else (first, last)
    if (
        sign := next(filter(None, map(_of_protocol, lines)), None) or _closing(text)
    ) and sign not in asked().casefold():
        yield PROTOCOL
    if any(map(LOGGED.match, lines)):
        yield LOG
    if DOING.match(head) and first not in asked():
        yield STATUS
    if _is_numbered(first, last) and not FIRST_PART.search(asked()):
        yield PART
    head, tail = head.casefold(), tail.casefold()
    if _is_note(head, tail) and not (_done_in(head) | _done_in(tail)) & _done_in(asked().casefold()):
        yield NOTE
    elif not CLOSED.isdisjoint(last[-3:]) and MORE_BEHIND.search(last) and not MORE_BEHIND.search(asked().strip()):
        yield MORE


def _of_protocol(line: str) -> str | None:
    """The word of a line in small letters by which it is one of a protocol, as a prompt about it would have it."""
    if EVENT.match(line) and not line.startswith("data: image"):
        return line.partition(":")[0] + ":"
    if line.endswith(LAST_EVENT):
        return LAST_EVENT.casefold()
    if '"' in line and (field := FIELD.search(line)):
        return field[1].casefold()
    header = HTTP.match(line) if ":" in line or "HTTP/" in line else None
    if header and (header[1] is None or header[1].casefold() in HEADERS):
        return "http" if header[1] is None else header[1].casefold()
    return None


def _is_numbered(first: str, last: str) -> bool:
    """Whether the first line begins, or the last one ends, with the number of one part of several."""
    if not OPENING.isdisjoint(first[:3]) and FIRST_PART.match(first):
        return True
    return not CLOSED.isdisjoint(last[-3:]) and LAST_PART.search(last[-LONGEST_PART:]) is not None


def _closing(text: str) -> str | None:
    """The brackets at the end of a text, where it has not opened as many of either kind."""
    if not text.endswith(("}", "]")) or text.count("}") <= text.count("{") or text.count("]") <= text.count("["):
        return None
    closing = CLOSING.search(text)
    return closing[0] if closing else None


def _done_in(text: str) -> set[str]:
    return {word for word in DONE if word in text}


def _is_note(head: str, tail: str) -> bool:
    """Whether the first or the last bracket or sentence of a text, in small letters, is about the reply that it is."""
    if head[:1] != "{" and SENTENCE.match(head):
        return True
    if not OPENING.isdisjoint(head[:4]) and FIRST_BRACKET.match(head):
        return True
    if not CLOSED.isdisjoint(tail[-3:]):  # no sentence ends so
        return LAST_BRACKET.search(tail) is not None
    begin = max(map(tail.rstrip(".!").rfind, ENDS))
    if begin >= 0 and SENTENCE.match(tail, begin + 1):
        return True
    line = tail.rfind("\n")
    return 0 <= line != begin and SENTENCE.match(tail, line + 1) is not None
