"""Read a list of words, and how words are compared."""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from selfexec.readers.notation import legible
from selfexec.readers.result import Commitment, Reading, conclude
from selfexec.readers.scan import lines, matches
from selfexec.readers.withdrawal import declines

MARKUP = " \t\r*_`\"'“”‘’\\"
LIST = re.compile(r"\[(?P<body>[^\[\]{}]{0,2000})(?P<close>\])?")
KEYED_LIST = re.compile(r"words\\?[\"'“”]?\s{0,4}:\s{0,4}\[(?P<body>[^\[\]{}]{0,2000})(?P<close>\])?")
KEYED_STRING = re.compile(r"words\\?[\"'“”]?\s{0,4}:\s{0,4}\\?\"(?P<body>[^\"\\\n]{1,400})\\?\"(?!\s*,\s*\\?\")")
INLINE = re.compile(r"(?:^|\s)\d[.)]\s{0,2}([^\d.)\n]{1,60}?)(?=\s+\d[.)]|$)")
QUOTED = re.compile(
    r"\\?\"((?:[^\"\\\n]|\\[^\"\n]){0,300})\\?\"|[“”]([^“”\n]{0,100})[“”]|(?<!\w)'((?:[^'\n\\]|\\.){0,100})'(?!\w)"
)
BULLET = re.compile(
    r"[ \t]{0,12}(?:\d{1,2}[.)]|[-*•–]|\|[ \t]{0,4}\d{1,2}[ \t]{0,4}\|)[ \t]{1,8}(?P<word>[^\n]{1,200})"
)
EXPLANATION = re.compile(r"\s+[-–—]\s|\s*[:：(–—|]|\s*->")
PLACEHOLDER = re.compile(r"[.…_\s]*|word\s?\d", re.IGNORECASE)
OPENING = 300  # characters: a reply that refuses says so early
LINE_OF_ITS_OWN = re.compile(r"[\w’' -]{1,40}[.,]?$")


@lru_cache(maxsize=10_000)
def fold(word: str) -> str:
    """How words are compared: NFKC, case folded, trimmed."""
    return unicodedata.normalize("NFKC", word).casefold().strip()


def read_words(text: str) -> Reading:
    """The words that a reply lists: under the key "words", else in brackets, else as a list of lines or commas."""
    plain = legible(text, formulas=False)
    for source in (_keyed, _bracketed, _bulleted, _separated, _bare_lines):
        if found := [c for c in source(plain) if c.value]:
            if source is not _keyed and declines(plain[:OPENING]):
                # helplines below a refusal are no answer, unless words are announced
                found = [c for c in found if "word" in plain[: c.start].lower()]
            # among lists without a key, the five that were asked for come before others
            return conclude(text, [c for c in found if len(c.value) == 5] or found)
    return conclude(text, [])


def _keyed(text: str) -> Iterator[Commitment]:
    for found in matches(text, KEYED_LIST, "words"):
        yield Commitment(found.start(), found.end(), members(found))
    for found in matches(text, KEYED_STRING, "words"):
        yield Commitment(found.start(), found.end(), _words(found["body"].split(",")))


def _bracketed(text: str) -> Iterator[Commitment]:
    for found in matches(text, LIST, "["):
        yield Commitment(found.start(), found.end(), members(found))


def members(found: re.Match[str]) -> list[str]:
    """The members of a list in brackets that are whole."""
    body = found["body"]
    quoted = [unescaped(next(filter(None, m.groups()), "")) for m in QUOTED.finditer(body)]
    if len(quoted) == 1 and quoted[0].count(",") > 1:
        return _words(quoted[0].split(","))
    if quoted:
        bare = [word.strip("*`") if word[:1] in "*`" else word for word in quoted]
        return [word for word in bare if not PLACEHOLDER.fullmatch(word)]
    # an unquoted member counts only where what follows it shows that it is whole
    parts = body.split(",") if found["close"] else body.split(",")[:-1]
    return _words(parts) if len(parts) > 1 else []


def unescaped(word: str) -> str:
    """A string as JSON means it: 'caf\\u00e9' is 'café'."""
    if "\\" not in word:
        return word.strip()
    try:
        return str(json.loads('"' + word.replace("\\'", "'") + '"')).strip()
    except ValueError:
        return word.strip()


def _bulleted(text: str) -> Iterator[Commitment]:
    """Runs of numbered or bulleted lines at one indentation."""
    run: list[tuple[int, int, str]] = []
    indent = 0
    for at, line in [*lines(text), (len(text), "end")]:
        if found := BULLET.match(line):
            depth = len(line) - len(line.lstrip())
            indent = indent if run else depth
            if depth <= indent:
                word = EXPLANATION.split(found["word"].replace("**", ""), maxsplit=1)[0]
                run.append((at, at + len(line), word))
        elif line.strip() and run:
            if len(run) > 1:
                yield _run(run)
            run = []


def _run(run: list[tuple[int, int, str]]) -> Commitment:
    words = _words([word for _, _, word in run])
    # whole sentences are no words
    return Commitment(run[0][0], run[-1][1], words if all(len(word.split()) <= 4 for word in words) else [])


def _separated(text: str) -> Iterator[Commitment]:
    """A line of words with commas between them, alone or behind a colon."""
    for at, line in lines(text):
        if len(line) > 400 or declines(line):
            continue
        if len(numbered := INLINE.findall(line)) > 2:
            yield Commitment(at, at + len(line), _words(numbered))
        start = max(line.rfind(":"), line.rfind("：")) + 1
        row = re.sub(r"</?\w+>|\([^)]{0,60}\)|[{}]|\$|\\(?:boxed|text)", "", line[start:])
        parts = row.strip().rstrip(".").split(",")
        words = _words([part.strip().removeprefix("and ") for part in parts])
        if 3 <= len(words) == len(parts) <= 15 and all(len(w.split()) <= 3 and len(w) <= 40 for w in words):
            yield Commitment(at + start, at + len(line), words)


def _bare_lines(text: str) -> Iterator[Commitment]:
    """A reply that is nothing but a few short lines."""
    found = [line.strip() for _, line in lines(text) if line.strip()]
    if 3 <= len(found) <= 12 and all(LINE_OF_ITS_OWN.match(line) and len(line.split()) <= 3 for line in found):
        yield Commitment(0, len(text), _words(found))


def _words(parts: list[str]) -> list[str]:
    stripped = [part.strip(MARKUP + ".,;()\n") for part in parts]
    return [word for word in stripped if not PLACEHOLDER.fullmatch(word)]
