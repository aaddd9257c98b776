"""What states no number: words that deny, suppose, ask, or decline; and what all readers of probabilities share."""

import re

from selfexec.readers.probability.sides import NOUNS, Sides
from selfexec.readers.result import Reading
from selfexec.text.regex import regex

KEYS = r"(?:prob(?:ability)?|p|chance|likelihood)"

NOUN = rf"(?:{NOUNS}|estimate)"

# what turns a statement round, hangs it on a condition, asks it, or makes it about something else
TURNS = regex(
    r"n['’]t\b|\b(?:not|no|never|unless|if|whether|neither|nor|nicht|kein\w*|pas|jamais|nunca)\b"
    r"|\b(?:refus|declin|reject|omit|fail|absen|miss)\w*|\b(?:turn\w*|leav\w*)\s+(?:it\s+|this\s+)?(?:down|out)\b"
    r"|\bun(?:likely|sure|certain|able)\w*|\bim(?:probable|possible)\w*|\bdoubt\w*|\bagainst\b|\?|"
    r"\b(?:others?|another|people|person|someone|somebody|average|typical|usual|base\s+rate|prior)\b"
    r"|\b(?:for\s+example|for\s+instance|e\.g\.|such\s+as|confidence(?!\s+(?:interval|range))|confident\s+in|error|margin)\b"
    r"|\b(?:chance\s+level|by\s+chance|at\s+chance|baseline|(?:random|blind|pure)\w*\s+guess\w*|guessing\s+(?:rate|alone|at\s+random))\b",
    re.IGNORECASE,
)

REFUSES_NUMBERS = regex(
    r"\b(?:don['’]t|do\s+not|didn['’]t|did\s+not|no)\s+(?:actually\s+)?(?:have\s+)?(?:any\s+)?(?:access|memory|record)\b"
    r"|(?:\b(?:not|no|never|without|rather|cannot|unable|refuse|decline|prefer|impossible|meaningless|pointless)\b"
    r"|n['’]t\b)[^.!?\n]{0,80}\b(?:numbers?|numerical\w*|numeric|figures?|probabilit\w+|percentages?|estimates?"
    r"|quantif\w+|odds)\b",
    re.IGNORECASE,
)


def or_declined(text: str, reading: Reading) -> Reading:
    """The reading, or that it declines to give numbers, where it says so and gives none."""
    if reading.state == "unreadable" and reading.reason == "format" and REFUSES_NUMBERS.search(text[-4000:]):
        return Reading("unreadable", reason="declined", evidence=reading.evidence)
    return reading


OWN_NUMBER = (
    r"(?:\bI(?:['’]d|['’]ll|\s+would|\s+will)?\s+(?:\w+ly\s+)?(?:say|put|guess|estimate|give|go\s+with|assign|set|rais|lower|revis|adjust|drop|bring|bet"
    r"|settle\s+(?:on|at)|land\s+(?:on|at)|call)e?\b"
    r"|\bmakes?\s+it\b|\b(?:je\s+dirais|ich\s+(?:schätze|würde\s+sagen)|diría|direi|diria|ik\s+schat|powiedział\w*)\b|\bmy\s+(?:\w+\s+){0,2}(?:answer|guess|estimate|number|prediction|probability)\b"
    r"|\b(?:final|overall)\s+(?:answer|estimate|number|probability)\b)"
)

OWN = regex(OWN_NUMBER, re.IGNORECASE)


def turns_round(sentence: str, sides: Sides | None) -> bool:
    """Whether a sentence denies, supposes or asks, or speaks of the opposite of the claim."""
    opposite = sides is not None and sides.no.search(OWN.sub(" ", sentence)) is not None
    return opposite or TURNS.search(sentence) is not None


def blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


OTHERS = regex(
    r"(?P<lead>(?P<n>\d{1,4})\s(?:times\s)?(?:out\s)?(?:in|of)\s(?P<whole>\d{2,4})\b[^.;\n\d]{1,80}\b)the\sother\s(?P<m>\d{1,4})\b"
)


def less_the_others(text: str) -> str:
    """The text, place for place, with the share of those that remain: "60 times out of 100 ... the other 40"."""

    def share(m: re.Match[str]) -> str:
        is_rest = int(m["n"]) + int(m["m"]) == int(m["whole"])
        return f"{m['lead']}{m['m']} in {m['whole']}".ljust(len(m[0])) if is_rest else m[0]

    return OTHERS.sub(share, text)


LONGEST = 400  # characters of a sentence or a line that is read

LAST = 40_000  # characters of a reply that are read: the end of it


def is_torn(text: str, end: int) -> bool:
    """Whether an object breaks off here: of a number that may have gone on nobody knows the rest."""
    ends = not text[end : end + LONGEST].strip() and not text[end:].strip()
    return ends and text.rfind("{") > text.rfind("}")
