"""Texts that were damaged on their way, by signs in the text itself.

    lost characters        U+FFFD, which decoders write in the place of bytes that they cannot read
    another encoding       UTF-8 that was read as Windows-1252: all that is not ASCII makes fewer characters, read back
    HTML                   characters written as entities, where none stands there as itself
    JSON                   the text as a string in JSON, with its quotes and escapes
    base 64                letters of base 64 alone that hold another text
    words twice            each word twice
    a second beginning     the first 48 characters or more, and then the same once more, though not a third time
    the end of thoughts    no `</think>`, where most texts of the model have one: see `lack_end_of_thoughts`

A model may write each of these when it is asked for it, and a small one may break a character itself. So what counts is
that it happened to two replies at least, and it is only named.
"""

import binascii
import json
import re
from base64 import urlsafe_b64decode
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from selfexec.runs.records import Reply

LEAST = 2
LOST = "\N{REPLACEMENT CHARACTER}"
NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
# how programs write the characters that HTML reserves
ENTITIES: Mapping[str, str] = {
    **{"&amp;": "&", "&lt;": "<", "&gt;": ">"},
    **dict.fromkeys(("&quot;", "&#34;", "&#034;", "&#x22;"), '"'),
    **dict.fromkeys(("&apos;", "&#39;", "&#039;", "&#x27;"), "'"),
}
ENTITY = re.compile("|".join(map(re.escape, ENTITIES)))
BASE_64 = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
TO_URL_SAFE = str.maketrans("+/", "-_")
LEAST_RUNS = 2
LEAST_WORDS, LEAST_TWICE = 6, 0.9  # different words, since a model may repeat one, and how many of them come twice
FEW, MOST_UNLIKE = 80, 0.7  # characters of a text whose words are compared at first
LEAST_AGAIN, SIGNS_AGAIN = 48, 8  # characters, as in the pieces of a stream, and different ones: no row of dashes
END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|reasoning|thought)>")
MOST_LACKING = 1 / 3


def damaged_texts(replies: Iterable[Reply]) -> Mapping[str, list[Reply]]:
    """The replies of a model with each sign of damage, by what it is, where there are two or more of them."""
    damaged: dict[str, list[Reply]] = defaultdict(list)
    came = [reply for reply in replies if reply.text]
    for reply in came:
        for damage in damages_of(reply.text or ""):
            damaged[damage].append(reply)
    damaged["no end of their thoughts"] = lack_end_of_thoughts(came)
    return {damage: those for damage, those in damaged.items() if len(those) >= LEAST}


def damages_of(text: str) -> Iterator[str]:
    """What a text shows of damage."""
    return (damage for damage, shows in SIGNS.items() if shows(text))


def lack_end_of_thoughts(replies: Sequence[Reply]) -> list[Reply]:
    """The replies without the mark at which thoughts end, where most of the model's texts have it."""
    lacking = [reply for reply in replies if not _has_end_of_thoughts(reply.text or "")]
    return lacking if len(lacking) <= MOST_LACKING * len(replies) else []


def _has_end_of_thoughts(text: str) -> bool:
    return "</" in text and END_OF_THOUGHTS.search(text) is not None


def _has_lost_characters(text: str) -> bool:
    return LOST in text


def _is_in_another_encoding(text: str) -> bool:
    """Whether all that is not ASCII is UTF-8 that was read as Windows-1252. Words in capitals before a quotation mark
    may look so by chance, but not all that a text has.
    """
    if text.isascii():
        return False
    runs = [run for run in NOT_ASCII.findall(text) if LOST not in run]
    return len(runs) >= LEAST_RUNS and all(map(_reads_back, runs))


def _reads_back(run: str) -> bool:
    """Whether characters are the bytes of fewer ones in UTF-8. Bytes without a character stand for themselves."""
    try:
        raw = b"".join(sign.encode("cp1252") if sign > "\xff" else sign.encode("latin-1") for sign in run)
        return len(raw.decode()) < len(run)
    except UnicodeError:
        return False


def _is_html(text: str) -> bool:
    """Whether characters stand there as entities alone. Who writes about HTML writes them themselves, too."""
    if "&" not in text or not (entities := set(ENTITY.findall(text))):
        return False
    rest = ENTITY.sub("", text)
    return not any(ENTITIES[entity] in rest for entity in entities)


def _is_in_json(text: str) -> bool:
    text = text.strip()
    if not (len(text) > 2 and text[0] == text[-1] == '"' and "\\" in text):
        return False
    try:
        return isinstance(json.loads(text), str)
    except ValueError:
        return False


def _is_base_64(text: str) -> bool:
    """Whether a text is one row of letters, broken into lines at most, that are the bytes of another text."""
    row = "".join(text.splitlines())
    if not BASE_64.fullmatch(row):
        return False
    try:
        hidden = urlsafe_b64decode(row.translate(TO_URL_SAFE) + "=" * (-len(row) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return all(sign.isprintable() or sign.isspace() for sign in hidden)


def _has_words_twice(text: str) -> bool:
    if len({*text[:FEW].split()}) > MOST_UNLIKE * len(text[:FEW].split()):
        return False  # nearly all
    words = text.split()
    pairs = [*zip(words[::2], words[1::2], strict=False)]
    twice = [first for first, second in pairs if first == second]
    return len({*twice}) >= LEAST_WORDS and len(twice) >= LEAST_TWICE * len(pairs)


def _begins_again(text: str) -> bool:
    """Whether a text begins a second time: its beginning, up to some place, follows there as a whole, and no third
    time, which a model does that goes round in circles.
    """
    text = text.strip()
    head = text[:LEAST_AGAIN]
    place = text.find(head, LEAST_AGAIN) if len(text) >= 2 * LEAST_AGAIN else -1
    if place < 0 or len({*head}) < SIGNS_AGAIN:
        return False
    first = text[:place].rstrip()
    second = text[place:]
    return second.startswith(first) and not second[len(first) :].lstrip().startswith(first)


SIGNS: Mapping[str, Callable[[str], bool]] = {
    "characters that were lost (U+FFFD)": _has_lost_characters,
    "UTF-8 that was read as Windows-1252": _is_in_another_encoding,
    "entities of HTML in the place of characters": _is_html,
    "the form of a string in JSON": _is_in_json,
    "the form of base 64": _is_base_64,
    "each word twice": _has_words_twice,
    "their beginning twice": _begins_again,
}
