"""Wordings are found by literal words in them, so that the patterns of few are tried on a text.

The wordings themselves are in `wordings`, which takes a megabyte: a command that only asks does without it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import NamedTuple

from selfexec.readers.scan import places
from selfexec.text.regex import regex

WORD = regex("[a-z]+")
SHOUTED = regex("[A-Z]{3}")
NO_LETTERS = {code: " " for code in range(128) if not chr(code).islower()}
NO_CAPITALS = {code: " " for code in range(128) if not chr(code).isupper()}


class Phrase(NamedTuple):
    """Words that a statement begins with, what follows them, and a reply that it reads."""

    begins: tuple[str, ...]
    then: str
    example: str


Cue = tuple[str, int, str]


@dataclass(frozen=True, eq=False)  # one is what it is, so that many of them are a key that is quick to hash
class Cued:
    """A wording made ready: literal pieces that it cannot be without, each with its distance from where it begins, and
    with the word without which the text need not be searched for it ("" where there is none); and its pattern.
    """

    cues: tuple[Cue, ...]
    in_capitals: tuple[Cue, ...]
    form: str
    whole_words: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first tried: most texts need few of them."""
        return re.compile(self.form, re.VERBOSE)


def cued(wordings: tuple[Phrase, ...], *, whole_words: bool = True) -> tuple[Cued, ...]:
    """Wordings made ready to search with; unless `whole_words`, they may begin within a word ("FinalAnswer")."""
    return tuple(_cued(wording, whole_words) for wording in wordings)


def _cued(wording: Phrase, whole_words: bool) -> Cued:
    begins = "|".join(re.escape(form) for word in wording.begins for form in _spellings(word))
    apart = r"(?<![^\W_])" if whole_words and wording.begins[0].isascii() else ""
    keys = {word: _key(word) for word in wording.begins}
    cues = dict.fromkeys((cue, offset, keys[word]) for word in wording.begins for cue, offset in _cues(word))
    capitals = dict.fromkeys(
        (word.upper(), 0, keys[word]) for word in wording.begins if word.upper() not in (word, word.title())
    )
    return Cued(tuple(cues), tuple(capitals), f"{apart}(?:{begins}){wording.then}", whole_words)


Search = tuple[int, Cued, str, int]  # its place in the order of rows, the row, what to search for, the distance


def wordings_in(text: str, wordings: tuple[Cued, ...], since: int = 0) -> Iterator[re.Match[str]]:
    """The statements of a text in these wordings from a place on, row by row, each row from the end."""
    words, joined, shouted = _words_of(text[since:] if since else text)
    always, by_word, by_part = _searches(wordings, text.isascii(), shouted)
    there = [search for word in by_word if word in words for search in by_word[word]]
    there += [search for part in by_part if part in joined for search in by_part[part]]
    for _, row, cue, offset in sorted([*always, *there], key=itemgetter(0)) if there else always:
        for at in places(text, cue, since=since) if text.rfind(cue, since) >= 0 else ():
            if found := row.pattern.match(text, max(at - offset, 0)):
                yield found


BySearchedWord = dict[str, tuple[Search, ...]]


@lru_cache(maxsize=2048)
def _searches(
    wordings: tuple[Cued, ...], plain: bool, shouted: bool
) -> tuple[tuple[Search, ...], BySearchedWord, BySearchedWord]:
    """What to search for in any text, what in texts with a word, and what in texts with a part of one: in a plain text,
    that is ASCII alone, nothing in other letters, and in capitals only where a text has some.
    """
    rows = [(row, (*row.cues, *row.in_capitals) if shouted else row.cues) for row in wordings]
    every = [(row, cue) for row, cues in rows for cue in cues if not plain or cue[0].isascii()]
    by_word: BySearchedWord = {}
    by_part: BySearchedWord = {}
    for n, (row, (literal, offset, word)) in enumerate(every):
        by = by_word if row.whole_words or not word else by_part
        by[word] = (*by.get(word, ()), (n, row, literal, offset))
    return by_word.pop("", ()), by_word, by_part


@lru_cache(maxsize=8)
def _words_of(text: str) -> tuple[frozenset[str], str, bool]:
    """The words of a text in small letters, also in one string, and whether any is in capitals."""
    small = text.lower()
    if text.isascii():
        words = frozenset(small.translate(NO_LETTERS).split())
        shouted = max(map(len, text.translate(NO_CAPITALS).split()), default=0) > 2
    else:
        words, shouted = frozenset(WORD.findall(small)), SHOUTED.search(text) is not None
    return words, " ".join(words), shouted


def _key(word: str) -> str:
    """The longest word of a phrase, where words are parted by blanks."""
    return max(WORD.findall(word.lower()), key=len, default="") if word.isascii() else ""


def _cues(word: str) -> list[tuple[str, int]]:
    """What to search for: a word of some length without its first letter, so that one search finds two spellings."""
    forms = _spellings(word)[:-1] if len(word) > 1 and word.upper() != word else [word]
    if len(word) < 4:
        return [(form, 0) for form in forms if form != word.upper()] or [(word, 0)]
    return list(dict.fromkeys((form[1:], 1) for form in forms if form != word.upper())) or [(word, 0)]


def _spellings(word: str) -> list[str]:
    """A word in small letters, with a capital, and in capitals; with either apostrophe."""
    forms = (word, word[0].upper() + word[1:], word.upper())
    return list(dict.fromkeys(form.replace("'", mark) for form in forms for mark in "'’"))


Equivalents = Sequence[tuple[str, tuple[Cued, ...]]]


def equivalents_of(*said: tuple[str, Phrase]) -> Equivalents:
    """Letters with wordings of their options' sentences, made ready to search with."""
    return [(letter, cued((wording,))) for letter, wording in said]
