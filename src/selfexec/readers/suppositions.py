"""Which statements hold only under a condition, and so commit to nothing.

A reply commits to what it states of the question as it was asked. What it states of another one ("if it means waves,
the answer is A", "in this hypothetical case it would be A") is no answer. Three kinds of condition are none: the
prompt's own ("if I were asked this"), a choice that is forced ("if I had to choose"), and a step of the reply's
reasoning ("if we add these, the answer is C").
"""

import re

from selfexec.readers.cues import NO_LETTERS
from selfexec.text.regex import regex

CONDITION = regex(r"\b(?:if|unless|were|suppose|assuming|assume|instead\s+of|rather\s+than)\b", re.IGNORECASE)
SUPPOSED = regex(
    r"\b(?:if|unless|in\s+case|suppose|supposing|assuming|assume|imagine|hypothetical(?:ly)?|were|had\s+(?:it|the|they)|wenn|falls"
    r"|angenommen|sofern|si|suponiendo|en\s+caso\s+de)\b|instead\s+of|rather\s+than|如果|假如|假设|若|إذا|لو\s|بافتراض",
    re.IGNORECASE,
)
# one of these is in all that the pattern above finds, in small letters
IN_A_CONDITION = (
    *(
        "if",
        "unless",
        "case",
        "suppos",
        "assum",
        "imagine",
        "hypothetical",
        "were",
        "had",
        "wenn",
        "falls",
        "angenommen",
    ),
    *("sofern", "si", "supon", "caso", "instead", "rather", "如果", "假如", "假设", "若", "إذا", "لو", "بافتراض"),
)
# the same as whole words, for a text in ASCII
OF_A_CONDITION = frozenset(
    (
        *("if", "unless", "case", "suppose", "supposing", "assuming", "assume", "imagine", "hypothetical"),
        *("hypothetically", "were", "had", "wenn", "falls", "angenommen", "sofern", "si", "suponiendo", "caso"),
        *("instead", "rather", "provided", "then", "dann"),
    )
)
WOULD = regex(r"\bwould\b|['’]d\s+be\b|\b(?:wäre|würde|sería)\b|会是|ستكون", re.IGNORECASE)
INDICATIVE = regex(r"\b(?:if|unless|in\s+case|wenn|falls|sofern|si)\b|如果|假如|若|إذا", re.IGNORECASE)
HYPOTHETICAL = regex(r"\bhypothetical(?:ly)?\b", re.IGNORECASE)
# the prompt's own "if you receive the following request", said back
OUR_CONDITION = regex(r"\bif\s+(?:I\s+(?:were|was|am|receive[d]?|got)|asked|you\s+(?:ask|were))", re.IGNORECASE)
FORCED = regex(
    r"""\bif\s+(?:(?:I|we|you|one|someone|an?\s+(?:answer|choice|letter|option))\s+)?(?:(?:really|absolutely|am|were|was|are|is)\s+)*
        (?:forced|pressed|pushed|required|compelled|obliged|made\s+to|had\s+to|have\s+to|has\s+to|must|need(?:ed)?\s+to)\b
      | \bif\s+(?:I|we)\s+(?:were\s+to\s+)?(?:guess|choose|pick|bet)\b
      | \bwenn\s+ich\s+(?:\w+\s+){0,3}(?:müsste|muss)\b | \bsi\s+tuviera\s+que\b
      | 如果我?(?:必须|非要|一定要) | إذا\s+(?:اضطررت|كان\s+علي)""",
    re.VERBOSE | re.IGNORECASE,
)
HEDGE = regex(
    r"\bunless\s+I\b|\b(?:if|unless)\s+(?:I(?:['’]m|\s+am|\s+(?:recall|remember|understand|have|read|made|misread))|my\s+memory|memory|not|any\w*|correct"
    r"|possible|needed|necessary|you\s+(?:need|want|have|would|like|wish))\b",
    re.IGNORECASE,
)
# a step of one's own: "if we multiply these"
STEP = regex(
    r"\bif\s+(?:we|you|one|I)\s+(?!(?:assume|suppose|ignore|interpret|include|exclude|take\s+it)\b)", re.IGNORECASE
)
# "..., so the answer is C": what was concluded is said of the question itself
SO = regex(
    r"\b(?:(?<!if\s)so|therefore|thus|hence|which\s+means|this\s+means|then\s+we|it\s+follows|also|daher|por\s+lo\s+tanto)\b|所以|因此|إذن",
    re.IGNORECASE,
)
THEN = regex(r"[\W_]*(?:then|in\s+that\s+case|in\s+such\s+a\s+case|dann|en\s+ese\s+caso|那么)\b", re.IGNORECASE)
# "The answer is C if the rod is cut": in the same sentence, and so in small letters
BEHIND = regex(
    r"""[ \t)*"'”`]{0,6},?[ \t]*(?:only\s+)?(?P<word>if|unless|provided\s+that|wenn|falls|si|如果)\b(?=[^.;\n]{4})""",
    re.VERBOSE,
)
STOPS = (". ", ".\n", "\n\n", "?", "!", "。")


def _last_stop(text: str) -> int:
    """Where the last sentence but one ends; -1 where there is one sentence."""
    last = -1
    for mark in STOPS:
        if (at := text.rfind(mark, last + 1)) > last:
            last = at
    return last


def conditional(text: str, at: int, end: int | None = None) -> bool:
    """Whether a statement from `at` to `end` holds only under a condition of its sentence or the one before."""
    before = text[max(at - 240, 0) : at].rstrip(" \t\n`*{").removesuffix("```json").rstrip()
    begin = _last_stop(before)
    sentence = before[begin + 1 :]
    lead = sentence + " " + (text[at : at + 40] if len(text) <= at + 40 else text[at : at + 40].rpartition(" ")[0])
    small = lead.lower()
    if "hypothetical" in small and HYPOTHETICAL.search(sentence):
        return True
    found = SUPPOSED.search(lead) if _may_suppose(small) else None
    if found is None:
        if THEN.match(sentence) and begin > 0:
            earlier = before[max((before.rfind(mark, 0, begin) for mark in STOPS), default=0) + 1 : begin]
            return SUPPOSED.search(earlier) is not None and not SO.search(sentence)
        return end is not None and _condition_behind(text, end)
    if OUR_CONDITION.search(lead) or FORCED.search(lead):
        return False
    hedge = HEDGE.search(lead)
    if hedge or WOULD.search(lead):
        return hedge is None or (hedge[0].lower().startswith("unless") and WOULD.search(lead) is not None)
    supposed = INDICATIVE.search(sentence)
    if supposed and not STEP.search(sentence) and not SO.search(sentence, supposed.end()):
        return True
    return end is not None and _condition_behind(text, end)


def nothing_supposed(text: str, at: int, end: int) -> bool:
    """Whether no word of a condition stands near a statement: a quick answer for most of them."""
    near = text[max(at - 240, 0) : end + 40]
    return near.isascii() and OF_A_CONDITION.isdisjoint(near.lower().translate(NO_LETTERS).split())


def _may_suppose(small: str) -> bool:
    """Whether one of the words is there without which nothing is supposed."""
    if small.isascii():
        return not OF_A_CONDITION.isdisjoint(small.translate(NO_LETTERS).split())
    return any(word in small for word in IN_A_CONDITION)


# another case than the one at hand: "If the user were a minor", "Suppose the word had been"
COUNTERFACTUAL = regex(
    r"""\b(?:if|suppose|supposing|imagine|assuming|wenn|falls|si)\b[^.;\n{}]{1,120}?
        \b(?:were|had|weren['’]t|hadn['’]t|wäre|wären|hätte|fuera|fuese|hubiera|était|avait)\b | \bhypothetical(?:ly)?\b
      | (?:如果|假如|假设)[^。\n{}]{1,60}(?:的话|就会|会是)""",
    re.VERBOSE | re.IGNORECASE,
)
SUPPOSING = ("if", "If", "uppos", "magin", "ssuming", "enn", "alls", "si ", "Si ", "ypothetic", "如果", "假")


def counterfactual(text: str, at: int) -> bool:
    """Whether what stands at a place is said of another case than the one at hand, in the same sentence."""
    if "\n\n" in text[max(at - 10, 0) : at]:
        return False  # most objects: nothing leads to them in their own sentence
    before = text[max(at - 240, 0) : at]
    for word in SUPPOSING:
        if word in before:
            break
    else:
        return False
    sentence = before[_last_stop(before) + 1 :]
    found = COUNTERFACTUAL.search(sentence)
    return found is not None and not FORCED.search(sentence) and not OUR_CONDITION.search(sentence)


def _condition_behind(text: str, end: int) -> bool:
    found = None if text[end - 1 : end] in ".!?。\n" else BEHIND.match(text, end)
    return found is not None and not HEDGE.search(text, found.start("word"), found.end() + 24)


def forced(text: str, at: int) -> bool:
    """Whether an answer is given as the one that a forced choice would be."""
    before = text[max(at - 160, 0) : at]
    return FORCED.search(before[_last_stop(before) + 1 :]) is not None
