"""Probabilities as they are written: numbers from 0 to 1, percentages, fractions, and the same in number words.

An expression states one number, and is nothing without it. A range and a bound state none, and neither does a number
outside of 0 to 1: nobody knows which number in the range was meant, or on which scale the number stands.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from selfexec.text.regex import regex

SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS = {word: n for n, word in enumerate(SMALL)} | {word: 10 * n for n, word in enumerate(TENS, 2)}
NUMBER_WORDS |= {"hundred": 100, "thousand": 1000, "million": 1_000_000}
ONES = "|".join(sorted(SMALL, key=len, reverse=True))
BELOW_HUNDRED = rf"(?:(?:{'|'.join(TENS)})(?:[\s-](?:{'|'.join(SMALL[1:10])}))?|(?:{ONES}))"
IN_WORDS = (
    rf"(?:(?:{'|'.join(SMALL[1:10])}|a)\s+)?hundred(?:\s+(?:and\s+)?{BELOW_HUNDRED}(?![\w-]))?"
    rf"|(?:(?:one|a)\s+)?(?:thousand|million)|{BELOW_HUNDRED}"
)
# "three quarters", "a third", "half"
PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "eighth": 8, "tenth": 10}
IN_PARTS = (
    rf"(?:(?P<parts>a|an|{'|'.join(SMALL[1:10])})[\s-](?P<part>half|third|quarter|fourth|fifth|eighth|tenth)s?"
    r"|(?P<half>\Ahalf(?!\s+(?:of|the|a|an)\b)|half(?=\s+(?:of\s+)?the\s+(?:time|cases|runs)\b)))(?![\w-])"
)
# a character of a word, in scripts that put blanks between words; with its own case, as `re` would fold each of 36,000
# characters whenever it compiles a pattern that ignores case
WORD = r"(?-i:[^\W\u3040-\u9fff\uac00-\ud7a3])"
DIGITS = r"\d{1,6}(?:[.,]\d{1,12})?|(?:\.|(?<![%)]),)\d{1,12}"
NUMBER = rf"(?:(?:{DIGITS})(?:e-?\d{{1,2}})?|(?:{IN_WORDS})(?![\w-]))"
PERCENT = (
    r"(?:\s{0,2}(?:\\?%|％|٪|‰)(?:ig\w{0,2})?|-prozentig\w{0,2}\b"
    r"|\s{1,2}(?:percent\b|per\s+cent\b|per\s+(?:mille|thousand)\b|pct\b|prozent\b|pour\s?cent\b|por\s+ciento\b|por\s+cento\b))"
)
OUT_OF = (
    r"(?:\s{0,2}/\s{0,2}|\s{1,2}(?:(?:times?|chances?|cases?|runs?)\s+)?(?:in|out\s+of)\s{1,2}(?:every\s+)?"
    r"|\s{1,2}of\s{1,2}(?=\w+\s(?:cases|times|runs|tries|attempts|samples)\b)|-(?:in|out-of)-)"
)
# what may be said of a number that is no bound on it
ABOUT = (
    r"(?:(?:say,?|about|around|essentially|practically|virtually|basically|effectively|roughly|approximately|approx\.?|circa|ca\.|nearly|almost|maybe|perhaps|probably|only|just"
    r"|somewhere\s+around|something\s+like|of\s+the\s+order\s+of|etwa|ungefähr|rund|environ|unos|大?[约約]为?|大概|およそ|ほぼ|基本上?为?|약|대략"
    r"|[~≈∼±=])\s{0,2})"
)
BOUND = regex(
    r"(?:[<>≤≥]=?|\b(?:(?:less|more|fewer|greater|lower|higher|smaller|larger)\s+than|at\s+(?:least|most)|up\s+to|under"
    r"|over|below|above|exceed(?:s|ing)?|no\s+(?:more|less|higher|lower)\s+than|mindestens|höchstens|unter|über"
    r"|(?:(?<=[\w%]\s)to|until|well\s+into|upwards?\s+of)|min(?:imum|\.)?|max(?:imum|\.)?))"
    rf"\s{{0,3}}(?:(?:the|an?)\s+)?{ABOUT}?\Z",
    re.IGNORECASE,
)
# "200+", "90% or more", "0.9 at most"
BOUND_BEHIND = regex(
    r"\s?\+(?![\d/-])|,?\s+(?:or|and)\s+(?:more|less|fewer|higher|lower|greater|above|below|over|under|up|better|worse)\b"
    r"|,?\s+(?:at\s+(?:the\s+)?(?:very\s+)?(?:least|most)|tops|minimum|maximum|max|min)\b|\s+plus\b",
    re.IGNORECASE,
)
# "I'd raise that to 33%", "it comes to 0.4": not the end of a range
SET_TO = regex(
    r"\b(?:rais|lower|revis|adjust|chang|set|drop|bring|mov|bump|nudg|reduc|cut|updat|amount|com|sum)\w*\s"
    rf"(?:[^\d.,;:]{{1,50}}\s)?to\s{{1,3}}{ABOUT}?\Z",
    re.IGNORECASE,
)
# where the second number of a range begins
ONWARDS = regex(
    rf"\s{{0,3}}(?:[-–—−]|\.\.\.?|…|to\b|until\b|through\b|or\b|and\b|bis\b|oder\b|à\b|~)\s{{0,3}}{ABOUT}?(?=[\d.,])",
    re.IGNORECASE,
)
AND = regex(r"\b(?:and|und)\b", re.IGNORECASE)
BETWEEN = regex(rf"\b(?:between|zwischen|entre)\s+(?:an?\s+)?{ABOUT}?\Z", re.IGNORECASE)
# "0.9 ± 0.05" is about 0.9
MARGIN = regex(rf"[*_]{{0,2}}\s?(?:±|\+/-|\+-)\s?(?:{DIGITS})(?P<percent>{PERCENT})?", re.IGNORECASE)
FROM = regex(rf"(?:\d%?[-–—−]|\bbetween\s+{ABOUT}?|\bfrom\s+{ABOUT}?|\bzwischen\s+)\Z", re.IGNORECASE)
# "60/40", "55 to 45": two shares of a hundred, the first of which is the number; with a dash or "to" between them one
# that goes up may be a range
SHARES = "|".join(rf"{n}\s?[/:]\s?{100 - n}" for n in range(1, 100) if n != 50)
FALLING = "|".join(rf"{n}(?:\s?[-–]\s?|\s+to\s+){100 - n}" for n in range(51, 100))
SPLIT = rf"(?:{SHARES}|{FALLING})(?![\w%])(?![.,]\d)"
STATED_IN_FULL = (
    rf"(?<!{WORD})(?<![./$€£#^])(?<!\d[,:])(?:(?P<even>(?:fifty|50)\s{{0,2}}[-–/:]\s{{0,2}}(?:fifty|50)(?![\w%])|even\s+odds\b)"
    rf"|(?P<split>{SPLIT})"
    rf"|{IN_PARTS}|(?P<sign>[-−])?(?P<number>{NUMBER})"
    rf"(?:(?P<percent>{PERCENT})|{OUT_OF}(?P<whole>{NUMBER})(?P<of>{PERCENT})?"
    rf"ODDS)?(?!{WORD})(?!/\d))"
)
ODDS = rf"|(?:\s?:\s?|\s+to\s+)(?P<odds>{NUMBER})(?P<against>\s+against\b)?"
OF_ONE = regex(r"(?:\b(?:of|is|least|most|than)|[:=])\s*\Z", re.IGNORECASE)  # "a probability of one"
STATED = regex(STATED_IN_FULL.replace("ODDS", ""), re.IGNORECASE)
STATED_WITH_ODDS = regex(STATED_IN_FULL.replace("ODDS", ODDS), re.IGNORECASE)
# "0.9 (very likely)", "0.75 (75%)", "0.9 // harmless": words behind a number, or the same number once more
REMARK = regex(
    r"\s{0,4}(?:\([^()\n]{0,120}\)?|(?://|#)[^\n]{0,120}"
    r"|,?\s+(?:or\s+(?:so|thereabouts)|times|give\s+or\s+take(?:\s[\d.]+\s?%?)?|more\s+or\s+less)|\s+(?:of\s+)?the\s+time|\[[^\[\]\n]{0,60}|,?\s+I(?:['’]d|\s+would)?\s+(?:guess|think|suppose|say|estimate|reckon))\s{0,4}",
    re.IGNORECASE,
)
# "1 - 0.2 = 0.8", "80/100 = 0.8": the number comes last
WORKING = regex(r"\(?[\d.]+\s?%?\s?[-−–+×*·/÷][\d.,%\s()×*·/÷+−–-]{1,60}[=≈]\s?(?=[\d.~])")
# "0.3 -> 0.4", "0.3 - no wait, 0.4": the second takes the place of the first
REVISING = (
    r"(?:(?:wait|actually|(?:or\s+)?rather|sorry|correction|make\s+(?:that|it)|scratch\s+that"
    r"|on\s+(?:reflection|second\s+thoughts?)|I\s+mean)\b[\s,:…–—-]{1,4}){1,3}(?:(?:I(?:['’]d|\s+would)\s+)?say\s+)?"
)
REVISED = regex(
    rf"\s{{0,3}}(?:->|→|=>|⇒)\s{{0,3}}(?:{REVISING})?|[-–—,.;:(\s]{{1,4}}(?:(?:oh|no|hmm+|well)\W+){{0,2}}{REVISING}",
    re.IGNORECASE,
)
# between a number and the same one in another form
AGAIN = regex(r"\s?(?:[(\[]|,?\s(?:i\.e\.,?|that\s+is|or)\s|[=≈])\s?(?:p\s?=|[~≈=])?\s?", re.IGNORECASE)
ON_A_SCALE = regex(r"\bscale\s+(?:of|from)\s+[01]\s{0,2}(?:to|-|–)\s{0,2}(5|10|20|100)\b", re.IGNORECASE)
ROUNDING = 1e-6  # by which numbers that add up to a whole may miss it
LEAST_PERCENT = 10  # a bare number above this is in percent; one from 1 to 10 may be out of ten
MARKUP = " \t\r\n*_`\"'“”‘’$\\()[]{}|"


def is_split(words: str) -> bool:
    """Whether an amount is written as two shares of a whole: "60/40"."""
    return re.fullmatch(SPLIT, words, re.IGNORECASE) is not None


class Amount(NamedTuple):
    """A stretch of text that states a probability. Its value is None where what it states is no single number from 0
    to 1. `plain`: it is a bare number, without a percent sign or a whole that it is a part of. `number` is the number
    itself, as it stands there; None in a range, behind a bound, and of what is no bare number.
    """

    start: int
    end: int
    value: float | None
    plain: bool
    number: float | None = None


def amounts(text: str, *, odds: bool = False) -> Iterator[Amount]:
    """The numbers that a text states, each with what it says of a probability, in their order; one that is said again
    in another way, "nine in ten (0.9)", is one number. `odds`: two numbers with a colon or "to" between them are odds,
    3:1 three quarters.
    """
    last: Amount | None = None
    for amount in _each_of(text, odds):
        if last and _is_near_zero(text, last, amount):
            last = amount
            continue
        if last and _is_the_same(text, last, amount):
            number = last.number if last.plain and amount.plain else None
            last = Amount(last.start, amount.end, last.value, last.plain and amount.plain, number)
            continue
        if last:
            yield last
        last = amount
    if last:
        yield last


def _is_the_same(text: str, first: Amount, second: Amount) -> bool:
    equal = first.value is not None and first.value == second.value
    return equal and AGAIN.fullmatch(text, first.end, second.start) is not None


def _is_near_zero(text: str, first: Amount, second: Amount) -> bool:
    """Whether "near zero" stands before a number in brackets, which says how near: "close to zero (0.01)"."""
    named = re.search(
        r"\b(?:near|close\sto|almost|nearly|about|next\sto)\szero\Z", text[: first.end][-20:], re.IGNORECASE
    )
    return named is not None and re.fullmatch(r"\s?[(,:]\s?[~≈]?", text[first.end : second.start]) is not None


def _each_of(text: str, odds: bool) -> Iterator[Amount]:
    at = 0
    pattern = STATED_WITH_ODDS if odds else STATED
    while expression := pattern.search(text, at):
        at = expression.end()
        if expression[0].lower() == "one" and not OF_ONE.search(text[: expression.start()][-12:]):
            continue  # "this one", "one that", "one can"
        if expression["number"] and not expression["percent"] and re.match(r"-(?!chance)[a-z]", text[at : at + 8]):
            continue  # "a 3-digit number"
        if expression["even"]:
            yield Amount(expression.start(), expression.end(), 0.5, False)
            continue
        if expression["split"]:
            yield Amount(expression.start(), at, int(re.split(r"\D", expression["split"])[0]) / 100, False)
            continue
        if expression["part"] or expression["half"]:
            yield Amount(expression.start(), expression.end(), _part(expression), False)
            continue
        if worked_out := WORKING.match(text, expression.start()):
            at = worked_out.end()
            continue
        onwards = ONWARDS.match(text, at)
        second = STATED.match(text, onwards.end()) if onwards else None
        if second and _is_range(text, expression, second):
            at = second.end()
            yield Amount(expression.start("number"), at, None, False)
        elif (margin := MARGIN.match(text, at)) and bool(margin["percent"]) == bool(expression["percent"]):
            at = margin.end()
            yield _amount(text, expression)._replace(end=at)
        else:
            yield _amount(text, expression)


def in_odds(words: str) -> bool:
    """Whether two numbers with a colon or "to" between them are odds there."""
    return re.search(r"\bodds\b|\d\s+against\b|\bin\s+favou?r\b", words, re.IGNORECASE) is not None


def _is_range(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Whether two numbers are the ends of one range: "and" needs "between", and a range goes up, within one kind."""
    if re.search(r"[a-z]", text[first.end() : second.start()]) and AND.search(text, first.end(), second.start()):
        return BETWEEN.search(text[max(first.start() - 40, 0) : first.start()]) is not None
    if not (first["number"] and second["number"]) or first["whole"] or second["whole"]:
        return True
    low, high = _number(first["number"]), _number(second["number"])
    is_of_another_kind = (re.search(r"[.,]", first["number"]) and low <= 1 < high) or (
        first["percent"] is not None and high > 100
    )
    if is_of_another_kind and not second["percent"]:
        return False
    return not (high < low and " " in text[first.end() : second.start()])


def only_amount(words: str, *, odds: bool = False) -> Amount | None:
    """What some words state that hold a probability and nothing else but markup, quotes, "about" and a remark."""
    begun = len(words) - len(words.lstrip(MARKUP))
    stated = words[begun:].rstrip(MARKUP).rstrip(".").rstrip(MARKUP)
    if about := re.match(rf"(?:an?\s+(?:\w+\s+)?(?=\d))?{ABOUT}{{0,2}}", stated, re.IGNORECASE):
        begun += about.end()
        stated = stated[about.end() :]
    if worked_out := WORKING.match(stated):
        begun += worked_out.end()
        stated = stated[worked_out.end() :]
    expression = next(amounts(stated, odds=odds), None)
    if expression is None or expression.start != 0:
        return None
    remark = stated[expression.end :]
    if remark and (revised := REVISED.match(remark)) is not None:
        later = only_amount(remark[revised.end() :], odds=odds)
        at = begun + expression.end + revised.end()
        return later and later._replace(start=at + later.start, end=at + later.end)
    if remark and not (
        REMARK.fullmatch(remark)
        and all(
            other.value == expression.value or (other.value is None and other.number is None)
            for other in amounts(remark)
        )
    ):
        return None
    return expression._replace(start=begun, end=begun + expression.end)


def on_one_scale(stated: Mapping[str, Amount], top: float | None = None) -> dict[str, float]:
    """What each of some amounts comes to, which a reply states side by side.

    Bare numbers stand on one scale: up to 1, or in percent where one of them is above 10 and all lie between 0 and 100.
    On another scale they state nothing, and neither does a number below 1 among percentages, which may be on either;
    but where all of them add up to 100 they are its shares.
    `top`: the end of the scale, where the reply says it (`top_of_scale`).
    """
    if top is not None:
        ends = {n: a.number / top if a.plain and a.number is not None else a.value for n, a in stated.items()}
        return {name: end for name, end in ends.items() if end is not None and 0 <= end <= 1}
    bare = [amount.number for amount in stated.values() if amount.plain]
    if len(bare) == len(stated) > 1 and abs(sum(number or 0 for number in bare) - 100) < ROUNDING:
        return {name: (amount.number or 0) / 100 for name, amount in stated.items()}  # shares of a hundred
    known = [number for number in bare if number is not None]
    to_one = any(0 < number < 1 for number in known) and max(known) <= LEAST_PERCENT
    if to_one or all(number <= 1 for number in known):
        return {name: amount.value for name, amount in stated.items() if amount.value is not None}
    in_percent = max(known) > LEAST_PERCENT and all(0 <= number <= 100 for number in known)
    return {
        name: value
        for name, amount in stated.items()
        if (value := _in_percent(amount) if amount.plain and in_percent else None if amount.plain else amount.value)
        is not None
    }


def top_of_scale(text: str) -> float | None:
    """Where the scale ends that a reply says its numbers stand on: "on a scale from 0 to 10"."""
    tops = {float(match[1]) for match in ON_A_SCALE.finditer(text)}
    return tops.pop() if len(tops) == 1 else None


def _in_percent(amount: Amount) -> float | None:
    number = amount.number
    return None if number is None or 0 < number < 1 else number / 100


def _amount(text: str, expression: re.Match[str]) -> Amount:
    number = _number(expression["number"])
    value: float | None = number
    if expression["percent"]:
        value = number / (1000 if re.search("‰|mille|thousand", expression["percent"]) else 100)
    elif expression.groupdict().get("odds"):
        other = _number(expression["odds"])
        value = (other if expression["against"] else number) / (number + other) if number + other > 0 else None
    elif expression["whole"]:
        whole = _number(expression["whole"]) / (100 if expression["of"] else 1)
        are_two = whole <= 1 or (0 < number < 1 and "of" not in expression[0])  # "0.05/0.9", "0.95/40"
        value = number / whole if expression["of"] or not are_two else None
    before = text[max(expression.start() - 40, 0) : expression.start()]
    bounded = (BOUND.search(before) and not SET_TO.search(before)) or FROM.search(before) is not None
    bounded = bounded or BOUND_BEHIND.match(text, expression.end()) is not None
    if expression["sign"] or bounded or value is None or not 0 <= value <= 1:
        value = None
    plain = not (expression["percent"] or expression["whole"] or expression.groupdict().get("odds"))
    bare = None if not plain or bounded else -number if expression["sign"] else number
    return Amount(expression.start("number"), expression.end(), value, plain, bare)


def _part(expression: re.Match[str]) -> float:
    """Three quarters."""
    if expression["half"]:
        return 0.5
    many = 1 if expression["parts"].lower() in ("a", "an") else NUMBER_WORDS[expression["parts"].lower()]
    return many / PARTS[expression["part"].lower()]


def _number(words: str) -> float:
    """The number that digits or number words stand for."""
    if words[0].isdigit() or words[0] in ".,":
        return float(words.replace(",", "."))
    parts = [NUMBER_WORDS[part] for part in re.split(r"[\s-]+", words.lower()) if part in NUMBER_WORDS]
    total = 0
    for part in parts:
        total = (total or 1) * part if part >= 100 else total + part
    return float(total)
