"""Read a list of words, and how words are compared."""

import re
import unicodedata
from collections.abc import Iterator

from selfexec.reading.result import Commitment, Reading, conclude, legible, lines, matches

MARKUP = " \t\r*_`\"'“”‘’\\"
LIST = re.compile(r"\[(?P<body>[^\[\]{}]{0,2000})(?P<close>\])?")
KEYED_LIST = re.compile(r"words\\?[\"'“”]?\s{0,4}:\s{0,4}\[(?P<body>[^\[\]{}]{0,2000})(?P<close>\])?")
KEYED_STRING = re.compile(r"words\\?[\"'“”]?\s{0,4}:\s{0,4}\\?\"(?P<body>[^\"\\\n]{1,400})\\?\"")
INLINE = re.compile(r"(?:^|\s)\d[.)]\s{0,2}([^\d.)\n]{1,60}?)(?=\s+\d[.)]|$)")
QUOTED = re.compile(
    r"\\?\"((?:[^\"\\\n]|\\[^\"\n]){0,300})\\?\"|[“”]([^“”\n]{0,100})[“”]|(?<!\w)'([^'\n]{0,100})'(?!\w)"
)
BULLET = re.compile(r"[ \t]{0,12}(?:\d{1,2}[.)]|[-*•–])[ \t]{1,4}(?P<word>[^\n]{1,200})")
EXPLANATION = re.compile(r"\s+[-–—]\s|\s*[:(–—]|\s*->")
COMMAS = re.compile(r"[^\n,:.]{1,40}(?:,\s*[^\n,:.]{1,40}){2,14}\.?$")


def fold(word: str) -> str:
    """How words are compared: NFKC, case folded, trimmed."""
    return unicodedata.normalize("NFKC", word).casefold().strip()


def read_words(text: str) -> Reading:
    """The words that a reply lists: under the key "words", else in brackets, else as a list of lines or commas."""
    plain = legible(text)
    for source in (_keyed, _bracketed, _bulleted, _separated, _bare_lines):
        if found := [c for c in source(plain) if c.value]:
            return conclude(text, found)
    return conclude(text, [])


def _keyed(text: str) -> Iterator[Commitment]:
    for found in matches(text, KEYED_LIST, "words"):
        yield Commitment(found.start(), found.end(), _members(found))

    for found in matches(text, KEYED_STRING, "words"):
        yield Commitment(found.start(), found.end(), _words(found["body"].split(",")))


def _bracketed(text: str) -> Iterator[Commitment]:
    for found in matches(text, LIST, "["):
        yield Commitment(found.start(), found.end(), _members(found))


def _members(found: re.Match[str]) -> list[str]:
    body = found["body"]
    quoted = [next(filter(None, m.groups()), "") for m in QUOTED.finditer(body)]
    if quoted:
        return [word.strip() for word in quoted if word.strip()]
    # an unquoted member counts only where what follows it shows that it is whole
    parts = body.split(",") if found["close"] else body.split(",")[:-1]
    return _words(parts) if len(parts) > 1 else []


def _bulleted(text: str) -> Iterator[Commitment]:
    """The last run of numbered or bulleted lines."""
    run: list[tuple[int, int, str]] = []
    for at, line in lines(text):
        if found := BULLET.match(line):
            run.append((at, at + len(line), EXPLANATION.split(found["word"].replace("**", ""), maxsplit=1)[0]))
        elif line.strip() and run:
            if len(run) > 1:
                yield _run(run)
            run = []
    if len(run) > 1:
        yield _run(run)


def _run(run: list[tuple[int, int, str]]) -> Commitment:
    words = _words([word for _, _, word in run])
    # whole sentences are no words
    return Commitment(run[0][0], run[-1][1], words if all(len(word.split()) <= 4 for word in words) else [])


def _separated(text: str) -> Iterator[Commitment]:
    """A line of words with commas between them, alone or behind a colon."""
    for at, line in lines(text):
        if len(line) <= 400 and len(numbered := INLINE.findall(line)) > 2:
            yield Commitment(at, at + len(line), _words(numbered))
        start = line.rfind(":") + 1
        if len(line) <= 400 and COMMAS.fullmatch(line[start:].strip()):
            words = _words(re.split(r",\s*(?:and\s+)?", line[start:].strip().rstrip(".")))
            if all(len(word.split()) <= 3 for word in words):
                yield Commitment(at + start, at + len(line), words)


def _bare_lines(text: str) -> Iterator[Commitment]:
    """A reply that is nothing but a few short lines."""
    found = [line for _, line in lines(text) if line.strip()]
    if 3 <= len(found) <= 12 and all(len(line) <= 40 and len(line.split()) <= 3 for line in found):
        yield Commitment(0, len(text), _words(found))


def _words(parts: list[str]) -> list[str]:
    return [word for part in parts if (word := part.strip(MARKUP + ".,;\n"))]
