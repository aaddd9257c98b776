"""Texts of whole replies that are not what the model said, by the text itself and by what was asked.

    a text that begins with the whole prompt    servers that send back what they were asked (`return_full_text`,
                                                `echo`), as it was, in a template, or cut to its end
    a text that is an error and nothing else    gateways that write the error of another server into a reply: its body,
                                                its status with the phrase that HTTP has for it, or its page
    a text that is an object of a program       gateways that print a reply in the place of its text (`printed_objects`)
    a text that ends in half a character        streams that were cut, or put together, within one

A model may do each of these: repeat a short prompt, write an error where it is asked for one, and repeat half a
character. So the prompt has to be a long one, and must not speak of errors or hold half a character itself.
"""

import ast
import html
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import msgspec

from selfexec.engines.base import CallResult
from selfexec.engines.http.errors import mapping_of, says_something
from selfexec.engines.http.printed_objects import printed_object
from selfexec.engines.http.wires.base import list_of, object_of
from selfexec.text.regex import regex

LEAST_PROMPT = 120  # characters: a shorter prompt a model may well repeat before its answer
LONGEST_BODY = 20_000  # characters of an error that was written into a text
HEAD = 24  # characters of a text that are looked for in the prompt
# how templates name who asks and who answers, in chats and in tasks
BY_USER = regex(r"\W{0,8}(?:user|human|prompt|instruction|question|inst|usr|q)\W{1,8}", re.IGNORECASE)
BY_MODEL = regex(r"\W{1,8}(?:assistant|model|ai|bot|response|answer|inst|a)\b\W", re.IGNORECASE)
HALF = "\N{REPLACEMENT CHARACTER}"
PROMPTS = ("messages", "input", "contents")  # of a request, in any wire format
# the fields that may stand beside `error` in the body of one, and which of them say what an error is
AROUND = frozenset(("error", "type", "object", "status", "code", "message", "request_id", "id", "success", "timestamp"))
KINDS = ("type", "code", "status")
# a status as programs print one, with what stands behind it: "Error: 429 Too Many Requests", "Error code: 400 - {...}"
OF_A_STATUS = r"(?:api|http|server|client|upstream|status|error|code|[12]\.[01])"
STATUS_LINE = regex(rf"\W*(?:{OF_A_STATUS}[\W_]+)*([45]\d\d)\b[\s:.,-]*(.*)", re.IGNORECASE | re.DOTALL)
TITLE = regex(r"<title>(.*?)</title>", re.IGNORECASE | re.DOTALL)
PAGE = regex(r"\s*(?:<!doctype html|<html)\b.*</html>\s*", re.IGNORECASE | re.DOTALL)
PHRASES: Mapping[int, str] = {status.value: status.phrase.casefold() for status in HTTPStatus if status >= 400}
OF_HTTP = (b"http", b"status")  # a prompt with one of these may ask for a status


def why_foreign(result: CallResult, asked: bytes | None) -> str | None:
    """Why the text of a reply is not what the model said; None where it may be.

    Args:
        result: A reply that is whole by all else.
        asked: The body of the request, where it is known. Without it only half a character is looked for.
    """
    text = result.text
    if not text:
        return None
    if result.stop_reason == "stop" and text.endswith(HALF) and not (asked and HALF.encode() in asked):
        return "its text ends with half a character: some of it was lost"
    if asked is None:
        return None
    if may_repeat(text, asked) and repeats_prompt(text, msgspec.json.decode(asked)):
        return "it answers with the prompt itself"
    small = asked.lower()
    if b"error" not in small and is_error(text):
        return "its text is an error, and not an answer"
    if (status := failed_status(text)) and not any(word in small for word in (*OF_HTTP, b"error", b"%d" % status)):
        return "its text is the status of an error, and not an answer"
    if (printed := printed_object(text)) and not printed.asked_by.search(_asked_text(msgspec.json.decode(asked))):
        return f"its text is {printed.what}, and not an answer"
    return None


def _asked_text(asked: Mapping[str, Any]) -> str:
    """All texts of the messages of a request."""
    given = next((asked[name] for name in PROMPTS if name in asked), None)
    turns = [{"content": given}] if isinstance(given, str) else map(object_of, list_of(given))
    return "\n".join(_words_of(turn.get("content", turn.get("parts"))) for turn in turns)


def may_repeat(text: str, asked: bytes) -> bool:
    """A quick look: False where a text neither begins with what stands in the request nor names its author first."""
    head = text.lstrip()[:HEAD]
    if len(head) < HEAD:
        return False
    return msgspec.json.encode(head)[1:-1] in asked or BY_USER.match(text) is not None


def repeats_prompt(text: str, asked: Mapping[str, Any]) -> bool:
    """Whether a text begins with the user's last message: with the whole, where that is long; with the whole between
    the names of who speaks, as templates have them; or with the end of it from the middle of a sentence on, where it
    was cut by tokens. What a reply was begun with for the model is no message of the user's.
    """
    given = next((asked[name] for name in PROMPTS if name in asked), None)
    last = {"role": "user", "content": given} if isinstance(given, str) else object_of([None, *list_of(given)][-1])
    if last.get("role") not in ("user", None):
        return False
    prompt, text = _words_of(last.get("content", last.get("parts"))).strip(), text.lstrip()
    if not prompt:
        return False
    if len(prompt) >= LEAST_PROMPT and text.startswith(prompt):
        return True
    return _is_in_template(text, prompt) or _begins_with_end(text, prompt)


def _is_in_template(text: str, prompt: str) -> bool:
    """Whether a text is the prompt behind the name of who asks; a short prompt also before that of who answers."""
    named = BY_USER.match(text)
    if named is None or not text.startswith(prompt, named.end()):
        return False
    return len(prompt) >= LEAST_PROMPT or BY_MODEL.match(text, named.end() + len(prompt)) is not None


def _begins_with_end(text: str, prompt: str) -> bool:
    """Whether a text begins with the end of a prompt, from the middle of a sentence on. A sentence of its own, as the
    question that a prompt ends with, a model may well repeat.
    """
    place = prompt.find(text[:HEAD], 1)
    while 0 < place <= len(prompt) - HEAD:
        is_within = prompt[place].isalnum() and (
            prompt[place - 1].isalnum() or prompt[:place].rstrip(" ")[-1:].isalnum()
        )
        if is_within and text.startswith(prompt[place:]):
            return True
        place = prompt.find(text[:HEAD], place + 1)
    return False


def _words_of(content: Any) -> str:
    """The text of a message, which is one or stands in parts."""
    return (
        content
        if isinstance(content, str)
        else "".join(part["text"] for part in map(object_of, list_of(content)) if isinstance(part.get("text"), str))
    )


def failed_status(text: str) -> int | None:
    """The status of 400 or more that a whole text is, as a line with its phrase (RFC 9110) or the body of an error
    behind it, or as a page in HTML of that title.
    """
    if len(text) > LONGEST_BODY:
        return None
    if PAGE.fullmatch(text):
        title = TITLE.search(text)
        parts = html.unescape(title[1]).split("|") if title else []
        return next((status for part in parts if (status := failed_status(part))), None)
    if (found := STATUS_LINE.fullmatch(text.strip())) is None:
        return None
    status, behind = int(found[1]), found[2]
    phrase = " ".join(behind.casefold().strip(" \t\n.!*)]}").split())
    return status if is_error(behind) or (phrase and phrase == PHRASES.get(status)) else None


def is_error(text: str) -> bool:
    """Whether a whole text is the body of an error as servers send it: an object with a message and a kind under
    `error`, and nothing beside it but what stands there in such bodies. It may be printed as Python prints one.
    """
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}") and "error" in text[:200] and len(text) <= LONGEST_BODY):
        return False
    body: Any = None
    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            body = read(text)
            break
    if not isinstance(body, dict):
        return False
    error = mapping_of(body.get("error"))
    return (
        AROUND.issuperset(body)
        and isinstance(error.get("message"), str)
        and any(says_something(error.get(name)) for name in KINDS)
    )
