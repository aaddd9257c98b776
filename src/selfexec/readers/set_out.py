"""A question with four options that a reply sets out in lines, with its answer, in place of an object."""

import re
from typing import NamedTuple

from selfexec.readers.notation import plain_text
from selfexec.text.regex import regex

LONGEST = 4_000  # characters of a question, and of all that follows it
LAST = 20_000  # characters of a reply that are read: the end of it
TRIES = 8  # places that a question may begin at, from the end
LETTERS = "ABCD"
QUESTION = regex(
    r"^[\W_]{0,8}(?:here(?:['’]s|\s+is)\s+)?(?:(?:the|my|a)\s+)?(?:(?:question|q|frage|pregunta)\b|题目|问题|問題|질문)"
    r"[*_ ]{0,4}(?:[:.]|\n)[\W_]{0,6}",
    re.IGNORECASE | re.MULTILINE,
)
OPTIONS = regex(r"[\W_]{0,6}(?:options|choices|optionen)[\W_]{0,6}\Z", re.IGNORECASE)
NEXT_BULLET = regex(r"\n[ \t]*[-*•][ \t]*\Z")
ANSWER = regex(
    r"^[\W_]{0,8}(?:(?:the|my)\s+)?(?:(?:correct|right|key)(?:\s+(?:answer|option|choice))?|answer(?:\s+key)?|solution|(?:richtige\s+)?antwort|(?:正确)?答案|正解|정답)"
    r"[*_ ]{0,4}(?:[:=]|\bis\b)[\W_]{0,6}(?P<answer>[^\n]{1,300}?)"
    r"(?=\s+(?:I|My|The|There|This|P\w*)\b[^\n]*\d|\n|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
REASON = regex(
    r"^[\W_]{0,8}(?:reason(?:ing)?|explanation|rationale|why\b[^:\n]{0,60}|begründung|理由|이유)"
    r"[*_ ]{0,4}:[\W_]{0,6}(?P<reason>[^\n]{1,2000}?)"
    r"(?=(?<=[.!?])\s+(?:I|My|There)\b[^\n]{0,200}\d|\n|\Z)",
    re.IGNORECASE | re.MULTILINE,
)


class SetOut(NamedTuple):
    """The fields of a question, and the reply without them."""

    fields: dict[str, object]
    rest: str


def set_out(text: str) -> SetOut | None:
    """The last question in a reply that stands behind that word, with four lettered options and its answer below."""
    plain = plain_text(text)
    for lead in list(QUESTION.finditer(plain, max(len(plain) - LAST, 0)))[: -TRIES - 1 : -1]:
        if parsed := _from(plain, lead):
            return parsed
    return None


def _from(text: str, lead: re.Match[str]) -> SetOut | None:
    marks: list[re.Match[str]] = []
    position = lead.end()
    for letter in LETTERS:
        mark = re.compile(rf"(?<![^\W_])[*_(\[]{{0,3}}{letter}[.):\]][*_]{{0,2}}\s+").search(
            text, position, position + LONGEST
        )
        if mark is None:
            return None
        marks.append(mark)
        position = mark.end()
    last = text.find("\n", position)
    ends = [*(mark.start() for mark in marks[1:]), last if last >= 0 else len(text)]
    answer = ANSWER.search(text, ends[-1], ends[-1] + LONGEST) if last >= 0 else None
    if answer is None:
        return None
    reason = REASON.search(text, ends[-1], ends[-1] + LONGEST)
    options = {
        letter: NEXT_BULLET.sub("", text[m.end() : end]).strip()
        for letter, m, end in zip(LETTERS, marks, ends, strict=True)
    }
    question = OPTIONS.sub("", NEXT_BULLET.sub("", text[lead.end() : marks[0].start()])).strip()
    fields = {
        "question": question,
        "options": options,
        "answer": answer["answer"].strip(" *_`."),
        "reason": reason["reason"] if reason else "",
    }
    spans = [(lead.start(), ends[-1]), answer.span(), *([reason.span()] if reason else [])]
    rest = text
    for start, end in spans:
        rest = rest[:start] + re.sub(r"[^\n]", " ", rest[start:end]) + rest[end:]
    return SetOut(fields, rest)
