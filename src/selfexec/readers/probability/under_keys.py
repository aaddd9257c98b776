"""Probabilities of a claim under keys: the one that was asked for, the names of two events, or a side of it."""

import re
from collections.abc import Collection, Iterator, Sequence

from selfexec.readers.probability.amounts import Amount, amounts, on_one_scale, only_amount, top_of_scale
from selfexec.readers.probability.denials import KEYS, LAST, TURNS, is_torn
from selfexec.readers.probability.events import probability_of_two_events
from selfexec.readers.probability.sides import NOT, NOUNS, Sides
from selfexec.readers.result import Commitment
from selfexec.text.regex import regex

UNIT = r"(?P<percent>[\s_(-]{0,2}(?:percent(?:age)?|pct|%|in\s%)\)?)?"

KEYED = regex(
    rf"(?<![\w-])(?P<quote>\\?[\"']?){KEYS}{UNIT}(?P=quote)\s{{0,8}}[:=]\s{{0,8}}"
    r"(?P<value>\\?\"[^\"\\\n]{0,80}\\?\"|'[^'\n]{0,80}'|\[[^\]\n]{0,80}\]?|\{[^}\n]{0,80}\}?|(?:[^,}\n]|,(?=\d)){0,80})",
    re.IGNORECASE,
)

# "refusal_probability", "P(correct)": a key that names a side beside the noun
SIDED_KEY = regex(
    r"[\"'](?P<key>[^\W\d_][\w ().-]{0,40})[\"']\s{0,8}:\s{0,8}(?P<value>\"[^\"\n]{1,40}\"|[^,}\n]{1,40}|\d,\d+)",
)


def under_keys(text: str, sides: Sides | None) -> Sequence[Commitment]:
    """Numbers under the key that was asked for, or under the names of two events, perhaps within it; else under keys
    that name a side beside the noun.
    """
    events = list(probability_of_two_events(text, sides)) if sides else []
    asked = [c for c in _keyed(text, sides) if not any(event.start <= c.start < event.end for event in events)]
    return [*asked, *events] or (list(_keyed_by_side(text, sides)) if sides else [])


def _keyed(text: str, sides: Sides | None) -> Iterator[Commitment]:
    """Numbers under the key. What is no number there commits to nothing; the form that was asked for is no answer."""
    top, restated = top_of_scale(text), _in_percent(text, sides)
    for match in KEYED.finditer(text):
        quoted = bool(match["quote"])
        brace = text.rfind("{", max(match.start() - 40, 0), match.start())
        if not quoted and brace < 0:
            continue  # a line of prose, which is read as one
        start = brace if brace >= 0 else match.start()
        if beside := NUMBER_BESIDE.match(text, match.end()) if '"' in match["value"] else None:
            yield Commitment(start, beside.end(), _value(beside["value"], in_percent=False, top=top))
        if _repeats_the_form(match["value"]) or is_torn(text, match.end()):
            continue
        in_percent = bool(match["percent"]) or match["value"].strip(' "') in restated
        yield Commitment(start, match.end("value"), _value(match["value"], in_percent, top))


# {"probability": "very high", "value": 0.97}
NUMBER_BESIDE = regex(
    r"(?<=[a-z]\")\s{0,8},\s{0,8}\"(?:value|num\w{1,20}|decimal|score|estimate|p)\"\s{0,8}:"
    r"\s{0,8}(?P<value>[01]?\.\d{1,9})\s{0,8}\}"
)

RESTATED = regex(r"(?<![\d.,-])(?P<n>[2-9](?:\.\d{1,3})?|10)\s?(?:%|percent)(?P<of>[^.;,\n]{0,120})")


def _in_percent(text: str, sides: Sides | None) -> Collection[str]:
    """Numbers that may be on any scale, where they stand in percent, and not of the opposite."""
    match = RESTATED.finditer(text, max(len(text) - LAST, 0))
    return {m["n"] for m in match if not NOT.search(m["of"]) and not (sides and sides.no.search(m["of"]))}


def _keyed_by_side(text: str, sides: Sides) -> Iterator[Commitment]:
    """Numbers under keys that name a side of the claim, where they agree: that of the opposite is turned round."""
    found = [(match, _of_key(match, sides)) for match in SIDED_KEY.finditer(text)]
    stated = [(match, value) for match, value in found if value is not None]
    if not stated or is_torn(text, stated[-1][0].end()):
        return
    values = {value for _, value in stated}
    yield Commitment(stated[0][0].start(), stated[-1][0].end(), values.pop() if len(values) == 1 else None)


KEY_NOUN = regex(
    rf"(?<![a-z])(?:{KEYS}|{NOUNS}|pr|confidence|certainty|estimate|prediction|prawdopod\w+|sann(?:olik|synl)\w+|확률)(?![a-z])",
    re.IGNORECASE,
)

OF_THE_TASK = regex(r"\b(?:answers?|responses?|results?|solutions?)\b", re.IGNORECASE)

OWN_KEY = regex(r"\b(?:my|own|final|overall|estimated?|predicted|best|self|of|that|the|is|being)\b", re.IGNORECASE)


def _of_key(match: re.Match[str], sides: Sides) -> float | None:
    """What a key with its value states of a claim; None where it names no side, or is no name of a probability."""
    key = re.sub(r"(?<=[a-z])(?=[A-Z])|[\W_]+", " ", match["key"])
    rest = OWN_KEY.sub(" ", KEY_NOUN.sub(" ", key)).strip()
    is_alone = match.string[: match.start()].rstrip()[-1:] + match.string[match.end() :].lstrip()[:1] == "{}"
    is_of_the_claim = not rest and (sides.of_an_answer or is_alone or "confidence" not in key.lower())
    is_named = KEY_NOUN.search(key) or (is_alone and not OF_THE_TASK.search(rest))
    side = (1 if is_of_the_claim else sides.of(rest)) if is_named else 0
    value = _value(match["value"], in_percent=False, top=None) if side else None
    return value if value is None or side > 0 else round(1 - value, 9)


def _repeats_the_form(words: str) -> bool:
    """Whether a value is the one that the prompt shows: "a number from 0 to 1", or a place for one."""
    bare = words.strip(" \"'\\<>[]_.…")
    return not any(c.isdigit() for c in bare) or re.search(r"\b0(?:\.0+)?\b.{1,12}\b1(?:\.0+)?\b", bare) is not None


def _value(words: str, in_percent: bool, top: float | None) -> float | None:
    match = only_amount(words) or _among_words(words)
    if match is None:
        return None
    if in_percent and match.plain:
        inner = only_amount(f"{words.strip().strip(chr(34))}%")
        return inner.value if inner else None
    return on_one_scale({"p": match}, top).get("p")


def _among_words(words: str) -> Amount | None:
    """The only number of a value in words, that denies and supposes nothing: "low (0.2)"."""
    stated = list(amounts(words))
    return stated[0] if len(stated) == 1 and not TURNS.search(words) else None
