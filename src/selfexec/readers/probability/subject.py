"""What numbers beside words are about: how probable a word is, or something else, "air is 78% nitrogen"."""

import re

from selfexec.readers.probability.amounts import ABOUT, amounts
from selfexec.readers.probability.sides import UNSPACED
from selfexec.text.regex import regex

NEAR = 1_000  # characters before a number, and behind it
UNIT = regex(r"(?<=[.!?。])\s+(?=\S)|[;\n]")
SPEAKS = regex(
    r"\b(?:(?:im)?prob\w*|chances?|odds|lik?el\w*|sure\w*|certain\w*|confiden\w*|expect\w*|guess\w*|estimat\w*|predict\w*|forecast\w*"
    r"|would|could|might|should|will|I|my|me|ich|je|cho(?:os|ice|sen)\w*|pick\w*|select\w*|list\w*|appear\w*|includ\w*|mention\w*"
    r"|nam(?:e|ed|ing)|present|absent|(?:im)?possib\w*|definite\w*|right|correct\w*|words|options|distribution|weights?|responses?"
    r"|actually|reflection|coin|given|uniform\w*|equal\w*|Wahrsch\w*|Schätz\w*|würde\w*|diría|dirais|вероятн\w*|оцен\w*|P)\b"
    rf"|['’]d\b|\btimes\s+(?:in|out\s+of)\b|{UNSPACED}|可能",
    re.IGNORECASE,
)
# words that say nothing of their own, between a name and its number or before both
EMPTY = regex(
    rf"\A.*\bso\b|{ABOUT}|\b(?:an?|the|and|or|but|so|for|of|at|on|in|with|to|as|is|are|be|has|have|gets?|each|all|both|apiece"
    r"|only|then|here|now|it|its|that|this|these|also|too|while|whereas|und|mit|bei|word|option|letter|choice|answers?"
    r"|répon\w*|respuestas?|Antwort\w*|final\w*|numbers?|yes|no|high|low|medium|moderate|middling|strong|weak"
    r"|near|zero|never|always|tier|group|very|quite|rather|almost|nearly)\b|[\W\d_]|\b\w\b",
    re.IGNORECASE,
)
# "boat: a must, 90%", "boat is a must (90%)"
SET_OFF = regex(r"(?:[\s*_`\"')]*(?::|=|\||→|->).*[,:;(–—-]|[^,]*\()[\s~≈]*\Z")
COUNTS = regex(r"(?<![\w.,:/])[1-9]\d*\s(?!in\b|of\b|out\b|to\b|times\b|chances?\b|per)[a-z]")  # "4 boats, 0.5 fog"
OF_A_THING = regex(r"[\d.,]+\s?(?:%|percent)\s(?P<thing>of\s\w+|[a-z]+)(?!\w)(?!\s?[:=])")  # "30% wood"
MARKUP = regex(r"\A(?:\W|\d|_)+")
BRACKETS = regex(r"\([^()]*\)")
# "I cannot say how I would choose", but not "I cannot know for sure"
DECLINES = regex(
    r"\b(?:cannot|can(?:['’]t|\s+not)|(?:unable|impossible|decline|refuse|no\s+way)\s+to|(?:wo|do)n['’]t|(?:will|do|would|could)\s+not)"
    r"\s+(?:\w+\s+){0,3}?(?:(?:say|know|tell)(?:\s+(?:how|wh\w+|if|my|in)\b|(?=\.))|predict|estimate|guess|foresee)\b"
    r"(?![^.!?\n]*\b(?:sure|certain\w*|exact\w*|precise\w*|but|so)\b)|\bI\s+can(?:not|['’]t)[.!]|\bdecline\s+to\b|\bno\s+prediction\b",
    re.IGNORECASE,
)


def is_of_the_choice(text: str, at: int, name: re.Pattern[str], declined: bool, may_be_of_another: bool) -> bool:
    """Whether a number in a text is one of a choice, a list or a probability: its sentence says so, the line that heads
    it does, or it stands there with names and numbers alone. In an object it always is; in a reply that has `declined`
    to predict only where its sentence or heading says so. `may_be_of_another`: percentages of some words under another
    heading are of something else, where fractions and numbers of all words that were asked for hardly are.
    """
    near = max(at - NEAR, 0)
    if text.rfind("{", near, at) > text.rfind("}", near, at):
        return True
    begun = max((match.end() for match in UNIT.finditer(text, near, at)), default=near)
    end = match.start() if (match := UNIT.search(text, at, at + NEAR)) else at + NEAR
    unit, heading = text[begun:end], _heading(text[max(begun - NEAR, 0) : begun], name)
    if "whose" in unit:
        return False
    if SPEAKS.search(name.sub(" ", unit)) or SPEAKS.search(heading):
        return True
    unnamed = name.sub(lambda found: "_" * len(found[0]), unit)
    of_things = any(_content(found["thing"]) for found in OF_A_THING.finditer(unnamed))
    if COUNTS.search(unnamed) or of_things:
        return False
    number = at - begun
    names = [match.span() for match in name.finditer(unit)]
    is_lettered = any(stop - start == 1 for start, stop in names)  # facts are about things, not about letters
    if (declined and not is_lettered) or (may_be_of_another and _content(heading) > 1):
        return False
    first = min([number, *(amount.start for amount in amounts(unit)), *(start for start, _ in names)])
    before = max((stop for _, stop in names if stop <= number), default=None)
    gap = unit[before:number] if before is not None else unit[number : min((s for s, _ in names), default=number)]
    is_list = len(set(name.findall(unit))) > 4  # facts with numbers are seldom of so many
    is_bare = SET_OFF.match(gap) is not None or not _content(BRACKETS.sub("", gap))
    return is_list or (_content(unit[:first]) <= unit[:first].rstrip().endswith(":") and is_bare)


def _content(words: str) -> int:
    """How many of some words say something of their own."""
    return len(EMPTY.sub(" ", words).split())


def _heading(text: str, name: re.Pattern[str]) -> str:
    """The line above a list or a table that ends in a colon, or is marked as a heading."""
    lines = [line for line in text.splitlines() if line.strip(" |:-")]
    while lines and name.match(MARKUP.sub("", lines[-1])):
        lines.pop()
    last = lines[-1].strip() if lines else ""
    return last if re.search(r"\A(?:#|\*\*[^*]+\*\*\Z|\|)|:[*_]*\Z", last) else ""
