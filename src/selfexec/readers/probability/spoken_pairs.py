"""Names and probabilities in sentences: "an 80% chance of cup", "dark, moon and stars each have 0.8", "P(fog) = .1".

A sentence or a line is read where its names and its numbers go together in one of four ways: a number behind each name
or group of names, a number before each, one number behind a group, or one for each of a group. A sentence that denies,
supposes or asks, and one with a number that belongs to no name, states nothing of any.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from selfexec.readers.folding import fold
from selfexec.readers.probability.amounts import ABOUT, WORD, Amount, amounts, in_odds, is_split, only_amount
from selfexec.text.regex import regex

LONGEST = 400  # characters of a sentence
UNSPACED_SCRIPT = regex(rf"(?!{WORD})\w")  # a character of a script that puts no blanks between words
UNIT = regex(r"(?<=[.!?。])(?<!\.[a-z]\.)\s+(?=\S)|;\s+|\n+|\$\$")
# what hangs a sentence on a condition, asks it, or makes it about something else
VOIDS = regex(
    r"\b(?:unless|if|whether|instead|rather\s+than|wenn|falls)\b|\?|\b(?:others?|another|people|base\s+rate"
    r"|(?:typical|average|usual)\s+(?:person|human|model|respondent|user|assistant|reader|list))\b"
    r"|\b(?:left\s+out|absent|absence|missing|omitted|excluded|omit|exclude|leav(?:e|ing)(?!\s(?:\w+\s)?[~≈]?[\d.])|skip\w*|drop\w*|avoid\w*)\b"
    r"|\d\s?%?\s+(?:unlikely|improbable)\b"
    r"|\b(?:for\s+example|for\s+instance|e\.g\.|at\s+first|initially|between)\b",
    re.IGNORECASE,
)
DENIES = regex(
    r"n['’]t\b|\b(?<!than\s)(?:not|no|never|neither|nor|nicht|kein\w*|pas|jamais)\b|\bdoubt"
    r"|\bun(?:likely|sure|certain)\b(?=[^()]{0,30}(?:to\s+be|that))",
    re.IGNORECASE,
)
DENIED = regex(r"\b(?:not|no|without)\s+[\"'“*_`]{0,3}\Z", re.IGNORECASE)  # "not fog: 0.9"
OF_AN_EVENT = regex(
    r"\b(?:prob\w*|(?<!not\sa\s)(?<!no\s)chances?|odds|likel\w*|sure|certain|confident|with|at(?!\s+all))\b|\bP\s?\(",
    re.IGNORECASE,
)
# "the other two: 1% each": what was named nowhere else
REST = (
    r"\b(?:(?:the|all|any|every)\s+)?(?:others?|remaining|rest|(?:thing|word|option)\s+else)\b"
    r"(?:\s+(?:two|three|four|five|six|\d|ones?|options?|words?|choices?|of\s+them)\b)*"
)
SHARED = regex(r"\b(?:shar|split|spread|divid|distribut|together|total|combin|sum|between|among)\w*", re.IGNORECASE)
OF_EACH = regex(r"\d\s?%?[*_]{0,2}\s(?:each|apiece)\b", re.IGNORECASE)
EACH = regex(r"\b(?:each|all|both|every|either|apiece|alike|these|chacun\w*|je(?:weils)?)\b", re.IGNORECASE)
OF_ALL = regex(
    r"\b(?:all|every|each|any)\s+(?:of\s+)?(?:the\s+)?(?:them|these|those|words?|options?|choices?|one|two|three|four|five|six|\d)\b",
    re.IGNORECASE,
)
ALIKE = regex(r"\b(?:equal(?:ly)?|same|uniform(?:ly)?)\b", re.IGNORECASE)
CORRECTS = regex(
    r"\b(?:actually|correction|typo|mistake|I\s+meant|on\s+reflection|on\s+second\s+thoughts?|make\s+(?:it|that)|scratch\s+that"
    r"|should\s+(?:be|have\s+been)|chang(?:e|ing)|revis(?:e|ing)|lower(?:ing)?|rais(?:e|ing)|wait)\b",
    re.IGNORECASE,
)
# "1%, not 5%": the number that another one takes the place of
INSTEAD_OF = regex(
    r",?\s*\b(?:not|instead\s+of|rather\s+than|from)\s+[~≈]?\d[\d.,]{0,12}\s?%?(?=\s{0,2}(?:to\b|[.,;!)]|\Z))",
    re.IGNORECASE,
)
# "7 × 8 = 56, so B (0.9)"
EQUATION = regex(r"\b\d{1,9}(?:\s?[×x*+÷/-]\s?\d{1,9}){1,4}\s?=\s?\d{1,9}\b(?!\s?[.%/])")
# "fog: no (0.1)": the choice beside its number
YES_OR_NO = regex(r"(?<=[:=|–—-])\s*(?:yes|no|true|false)\b(?=\s*[(,|–—-])", re.IGNORECASE)
# between the names of a group: commas, "and", quotes
LISTED = regex(r"[\s\"'“”*_`,&/(:.|]*(?:\b(?:and|or|und|oder|et|ou|y|o)\b)?[\s\"'“”*_`,]*", re.IGNORECASE)
# behind a number that is not of a probability: a unit, a degree, a thing that is counted
COUNTED = regex(
    r"\s{0,2}(?:°|(?!(?:chances?|probab\w*|likel\w*|that|and|for|each|to|in|because|as|vs|there|here|too|then|now|but|since|so"
    r"|while|whereas|again|overall|with|at|on|would|is|seems|given)\b)[a-z]+\b)",
    re.IGNORECASE,
)
OTHERS = ""  # whose a number is that is of all the others
# between a name and its number
LINK = regex(
    rf"[\s\"'”*_`)\]]*(?:[(:=|,–—-]|->|→)?[\s*_`]*(?:(?:is|at|gets?|has|to|with|mit|would\s+be)\s+)?{ABOUT}?",
    re.IGNORECASE,
)
IN_BRACKETS = regex(r"\([^()]{0,120}\)")
DECIMAL = regex(r"[.,]\d")


class _Mark(NamedTuple):
    """A name or a number in a sentence, whichever it is."""

    start: int
    end: int
    name: str | None
    amount: Amount | None


def spoken_pairs(text: str, names: Mapping[str, str], begun: int = 0) -> Iterator[tuple[str, Amount]]:
    """Each name with the number that a sentence gives it. A correction that cannot be read gives the names in it a
    number without a value: what was said of them before does not hold. `names`: words as they stand in a text -> whose
    they are.
    """
    pattern, odds = named_by(list(names)), in_odds(text)
    whose = {as_named(word): owner for word, owner in names.items()}
    # "and C never", "and next to none for C": a name with a word and no number
    name = rf"[\"'“*_]*(?:{'|'.join(map(spelled, names))})[\"'”*_]*"
    never = re.compile(
        rf"(?:,?\s(?:and|but)\s|,\s)(?:{name}\s(?:is\s)?(?:a\s(?:definite\s)?no|never|not\sat\sall|out)"
        rf"|(?:(?:next\sto|almost|practically|virtually)\s(?:none|nothing|nil)|hardly\sany)\s(?:for|of)\s{name})(?=\W*\Z)",
        re.IGNORECASE,
    )
    mentioned = {mark.name for mark in _names(text[begun:], pattern, whose)} - {OTHERS}
    others = [owner for owner in dict.fromkeys(names.values()) if owner not in mentioned]
    above: list[_Mark] = []
    head: Amount | None = None
    for start, unit in _units(text, begun):
        plain = never.sub(_blank, unit)
        plain = EQUATION.sub(_blank, YES_OR_NO.sub(_blank, INSTEAD_OF.sub(_blank, plain)))
        named = list(_names(plain, pattern, whose))
        marks = sorted([*named, *_numbers(plain, odds, named)], key=lambda mark: mark.start)
        pairs = _together(plain, marks, above) or list(_in_clauses(plain, marks))
        if head and named and len(named) == len(marks) and not _between(plain, marks).strip(" *_`\"'-•."):
            yield from ((mark.name, head) for mark in named if mark.name)
            continue
        heads = [m.amount for m in marks if len(marks) == 1 and m.amount and _heads(plain, m, len(plain))]
        head = next((_moved(amount, start) for amount in heads), None)
        pairs = [] if _is_void(plain, marks) else pairs
        if not pairs and CORRECTS.search(plain) and any(mark.amount for mark in marks):
            pairs = [(mark.name, Amount(mark.start, mark.end, None, False)) for mark in marks if mark.name]
        for name, amount in pairs:
            owners = others if name == OTHERS else [name]
            if name != OTHERS or len(others) == 1 or EACH.search(plain):
                yield from ((o, _moved(amount, start)) for o in owners)
        above = named if len(named) == len(marks) and _is_list(plain, named) else []
    if not mentioned:
        yield from _of_all(text, list(dict.fromkeys(names.values())), begun)


def _moved(amount: Amount, begun: int) -> Amount:
    """An amount of a unit in its place in the text, which the unit begins at."""
    return amount._replace(start=begun + amount.start, end=begun + amount.end)


# between a number and the names that it heads: "High (0.8): boat, anchor"
COLON = regex(r"[)*_\s]{0,6}(?:[:：]|->|→)[*_\s\"']{0,6}")


def _heads(unit: str, number: _Mark, end: int) -> bool:
    """Whether a number heads what follows it behind a colon: no bare whole number, which may rank, but in brackets."""
    denied = DENIES.search(unit, 0, number.start) is not None and not _is_low(number)
    if number.amount is None or denied or not COLON.fullmatch(unit, number.end, end) or _is_void(unit, [number]):
        return False
    in_brackets = unit[number.end : number.end + 1] == ")"
    return number.amount.value is not None and (in_brackets or not is_whole(unit, number.amount))


def _between(unit: str, marks: Sequence[_Mark]) -> str:
    """What stands in a unit beside its names and numbers, and what separates them."""
    ends = [(0, 0), *((mark.start, mark.end) for mark in marks), (len(unit), len(unit))]
    gaps = [unit[a[1] : b[0]] for a, b in pairwise(ends)]
    return "".join(gap for n, gap in enumerate(gaps) if n in (0, len(marks)) or not LISTED.fullmatch(gap))


def _is_void(unit: str, marks: Sequence[_Mark]) -> bool:
    """Whether a unit states nothing of its names: it supposes or asks, or denies what a number is not low for. "Fog is
    not typical (2%)" says one thing twice; "an 80% chance that fog is not there" speaks of the opposite.
    """
    if OF_EACH.search(unit):
        unit = SHARED.sub(_blank, unit)
    bare = re.sub(REST, _blank, unit, flags=re.IGNORECASE) if any(mark.name == OTHERS for mark in marks) else unit
    of_several = bare != unit or any(len(run) > 1 for run in _runs(marks) if run[0].name is not None)
    if VOIDS.search(bare) or (of_several and SHARED.search(unit)):
        return True
    if any(mark.name and DENIED.search(unit[: mark.start]) for mark in marks):
        return True
    numbers = [mark for mark in marks if mark.amount is not None]
    names_follow = bool(marks) and marks[0].amount is not None
    for earlier, mark in zip([None, *numbers], numbers, strict=False):
        begun = mark.start if names_follow else earlier.end if earlier else 0
        ends = [n.start for n in marks if n.start > mark.start and (n.amount is not None or not names_follow)]
        said = unit[begun : min(ends, default=len(unit))].rpartition(", but ")[2]
        if DENIES.search(said) and (not _is_low(mark) or OF_AN_EVENT.search(said)):
            return True
    return False


def _is_low(mark: _Mark) -> bool:
    """Whether a number is below a half, on the scale to 1 or in percent."""
    if mark.amount is None or (mark.amount.value is None and mark.amount.number is None):
        return False
    return (mark.amount.number or 0) / 100 < 0.5 if mark.amount.value is None else mark.amount.value < 0.5


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _of_all(text: str, owners: Sequence[str], begun: int) -> Iterator[tuple[str, Amount]]:
    """One number for all, in a text that names none of them: "all five are equally likely: 20% each"."""
    for start, unit in _units(text, begun):
        match = [mark.amount for mark in _numbers(unit, odds=False) if mark.amount and mark.amount.value is not None]
        if (
            len(match) == 1
            and not VOIDS.search(unit)
            and not DENIES.search(unit)
            and (not SHARED.search(unit) or (match[0].value or 0) * len(owners) == 1)
            and (
                OF_ALL.search(unit)
                or (ALIKE.search(unit) and (match[0].value or 0) * len(owners) == 1)
                or EACH.fullmatch(unit[match[0].end :].strip(" .)*_"))
            )
        ):
            yield from ((owner, _moved(match[0], start)) for owner in owners)


def as_named(word: str) -> str:
    """How names are compared: in any case, and with "_" or "-" for a blank."""
    return fold(re.sub(r"[\s_-]+", " ", OPTION.sub("", word)))


OPTION = regex(r"\A(?:option|choice|letter)\s+(?=\w\Z)", re.IGNORECASE)


def spelled(word: str) -> str:
    """A pattern of a name, however its blanks are written."""
    return re.sub(r"(?:\\ |_|\\-)+", r"[\\s_-]+", re.escape(word))


def named_by(words: Sequence[str]) -> re.Pattern[str]:
    """What finds the names in a text, and words for all that have no number of their own."""
    long = "|".join(spelled(word) for word in sorted(words, key=len, reverse=True) if len(word) > 1)
    # "A" is an article and "I" a pronoun: a letter has to stand alone
    letters = "".join(re.escape(word) for word in words if len(word) == 1)
    # "boat的概率": a word of Latin letters ends where characters without blanks begin
    inner = r"(?:\w|-)" if UNSPACED_SCRIPT.search(long) else rf"(?:{WORD}|-)"
    parts = [rf"(?i:(?<!{inner})(?:{long})(?!{inner}))"] if long else []
    ends = r"(?=[\"'”*_`)\]}]*\s*(?:[,:;.|=)(–—→/-]|(?:and|or|with|has|gets|at|is|about|around"
    ends += rf"|roughly|maybe|perhaps)\b|[~≈]?\d|the\s(?:rest|remaining)|{UNSPACED_SCRIPT.pattern}|\Z))"
    article = r"(?!\s+[\d.]+(?:\s?%|\spercent)?\s+(?:chance|prob|likel|risk))"  # "A 90% chance"
    parts += (
        [
            rf"(?i:option|choice|letter)\s+[{letters}](?!\w)",
            rf"(?<!{WORD})(?<!['°-])[{letters}]{ends}{article}",
        ]
        if letters
        else []
    )
    return re.compile("|".join([*parts, rf"(?i:{REST})"]))


def _units(text: str, begun: int) -> Iterator[tuple[int, str]]:
    for match in [*UNIT.finditer(text, begun), None]:
        end = match.start() if match else len(text)
        if 0 < end - begun <= LONGEST and "{" not in text[begun:end].replace("\\text{", ""):
            yield begun, text[begun:end]
        begun = match.end() if match else end


def _names(unit: str, pattern: re.Pattern[str], whose: Mapping[str, str]) -> Iterator[_Mark]:
    last: _Mark | None = None
    for match in pattern.finditer(unit):
        mark = _Mark(match.start(), match.end(), whose.get(as_named(match[0]), OTHERS), None)
        if last and last.name == mark.name and LISTED.fullmatch(unit, last.end, mark.start):
            mark = mark._replace(start=last.start)  # "B (Saturn)" is one
        elif last and mark.name == OTHERS and unit[last.end : mark.start].strip(" \"'*_") == "":
            mark = last  # "C the remaining 5%"
        elif last:
            yield last
        last = mark
    if last:
        yield last


def _numbers(unit: str, odds: bool, named: Sequence[_Mark] = ()) -> Iterator[_Mark]:
    """The numbers that may be probabilities: without those in a remark in brackets, where others stand outside."""
    match = [
        amount
        for amount in amounts(unit, odds=odds)
        if not _is_counted(unit, amount, named)
        and not any(n.start < amount.end and amount.start < n.end for n in named)
    ]
    # "wave (0.9)" gives the word its number; "0.8 (or maybe 0.9)" and "Mercury (-38.8 °C)" only remark on something
    remarks = [
        m.span() for m in IN_BRACKETS.finditer(unit) if only_amount(m[0]) is None and not _is_of_a_name(m, named)
    ]
    outside = [a for a in match if not any(start < a.start < end for start, end in remarks)]
    for amount in outside or match:
        yield _Mark(amount.start, amount.end, None, amount)


def _is_of_a_name(brackets: re.Match[str], named: Sequence[_Mark]) -> bool:
    """Whether brackets directly behind a name state a probability, which is that name's: "A (second, with 0.28)"."""
    behind = any(not brackets.string[mark.end : brackets.start()].strip(" \"'*_`") for mark in named)
    return behind and any(a.value is not None and not _is_counted(brackets[0], a, ()) for a in amounts(brackets[0]))


def _is_counted(unit: str, amount: Amount, named: Sequence[_Mark]) -> bool:
    """Whether a bare number says how many there are of something: it has a unit, which the next name is none of, or is
    a whole number, 0 or 1, that stands directly behind no name.
    """
    if not amount.plain and "/" not in unit[amount.start : amount.end]:
        return False
    thing = COUNTED.match(unit, amount.end)
    if thing and not any(thing.start() <= mark.start < thing.end() for mark in named):
        return True
    before = max((mark.end for mark in named if mark.end <= amount.start), default=None)
    is_its_own = before is not None and LINK.fullmatch(unit, before, amount.start) is not None
    gap = unit[before : amount.start] if before is not None else ""
    ends_its_clause = ENDS.match(unit, amount.end) and SET_APART.fullmatch(gap)
    is_its_own = is_its_own or ends_its_clause is not None
    return is_zero_or_one(unit, amount) and not is_its_own and not OF_A_CHANCE.search(unit[: amount.start])


# "sponge is impossible, 0.", "sponge: never, 0": a number that stands apart from the words on its name, and ends them
SET_APART = regex(
    r"(?:\s(?:is|has|would|will|seems|looks|gets)\b|[*_\"'`]{0,3}\s?[:–—]\s)[^\d.;]{0,60}[,:(=–—-]\s?[*_]{0,2}"
)
ENDS = regex(r"[*_)]{0,3}\s*(?:[.,;]|\Z)")
OF_A_CHANCE = regex(r"\b(?:chance|probability)\b[^,;\d]{0,20}[:=]\s?\Z", re.IGNORECASE)


def is_zero_or_one(text: str, amount: Amount) -> bool:
    """Whether a number is a bare 0 or 1, which may count or rank, too."""
    return amount.number in (0, 1) and is_whole(text, amount)


def is_whole(text: str, amount: Amount) -> bool:
    """Whether a number is a bare one without decimals."""
    return amount.plain and DECIMAL.search(text[amount.start : amount.end]) is None


def _together(unit: str, marks: Sequence[_Mark], above: Sequence[_Mark] = ()) -> list[tuple[str, Amount]]:
    """The names with their numbers; none where they do not go together in one of the ways. `above`: the names that the
    line before lists, whose numbers this one may give.
    """
    runs = _runs(marks)
    names = [run for run in runs if run[0].name is not None]
    numbers = [run for run in runs if run[0].amount is not None]
    lists = [*names, above] if not names and above else names
    if len(lists) == len(numbers) == 1 and len(lists[0]) == 2 and (shares := _shares(unit, numbers[0])):
        numbers = [shares]
    in_order = False
    if len(lists) == len(numbers) == 1 and len(lists[0]) == len(numbers[0]) > 1:
        in_order = _is_list(unit, numbers[0]) and (not names or _is_list(unit, lists[0]))
        numbers = [[number] for number in numbers[0]] if in_order else []
        names = [[mark] for mark in lists[0]] if in_order else []
    if not names or any(len(run) > 1 for run in numbers) or len(names) != len(numbers):
        return []
    in_a_list = all(_is_list(unit, run) for run in names)
    one_for_each = len(numbers) == 1 and EACH.search(unit) is not None
    if not (in_a_list or one_for_each):
        return []
    if any(_is_together(unit, run, runs) for run in names) and not EACH.search(unit):
        return []  # "80% for cup and beans", "cup or beans 80%": of both together, perhaps
    return [
        (mark.name, number.amount)
        for run, (number,) in zip(names, numbers, strict=True)
        for mark in run
        if mark.name is not None and number.amount is not None
    ]


def _shares(unit: str, numbers: Sequence[_Mark]) -> list[_Mark]:
    """Both shares of a whole, where one number is the first of them: "tea or coffee? 60/40"."""
    (mark, *others) = numbers
    if others or mark.amount is None or mark.amount.value is None or not is_split(unit[mark.start : mark.end]):
        return []
    rest = mark.amount._replace(value=round(1 - mark.amount.value, 9))
    return [mark._replace(end=mark.start), mark._replace(start=mark.end, amount=rest)]


def _is_together(unit: str, names: Sequence[_Mark], runs: Sequence[Sequence[_Mark]]) -> bool:
    """Whether a number of several names may be that of any of them, and not of each."""
    either = any(EITHER.search(unit, a.end, b.start) for a, b in pairwise(names))
    after = min((run[0].start for run in runs if run[0].start > names[-1].start), default=len(unit))
    is_headed = _heads(unit, runs[0][0], names[0].start) and LISTED.fullmatch(unit, names[-1].end, after)
    return len(names) > 1 and (either or (runs[0][0].amount is not None and not is_headed))


EITHER = regex(r"\b(?:or|oder|ou|o)\b", re.IGNORECASE)


def _in_clauses(unit: str, marks: Sequence[_Mark]) -> Iterator[tuple[str, Amount]]:
    """The names with their numbers where each clause of a sentence with either has one of both: "95% for cup, and beans
    is at 80%".
    """
    ends = [joint.start() for joint in CLAUSE.finditer(unit)] + [len(unit)]
    clauses = [[m for m in marks if begun <= m.start < end] for begun, end in pairwise([0, *ends])]
    clauses = [clause for clause in clauses if clause]
    is_pair = [len(c) == 2 and (c[0].name is None) != (c[1].name is None) for c in clauses]
    if len(clauses) > 1 and all(is_pair):
        yield from (
            (mark.name, other.amount)
            for clause in clauses
            for mark, other in (clause, clause[::-1])
            if mark.name is not None and other.amount is not None
        )


CLAUSE = regex(r",\s|\s[-–—]\s|\b(?:and|but|while|whereas)\b", re.IGNORECASE)


def _runs(marks: Sequence[_Mark]) -> list[list[_Mark]]:
    """Marks of a kind that follow each other."""
    runs: list[list[_Mark]] = []
    for mark in marks:
        if runs and mark.name is not None and runs[-1][-1].name == mark.name:
            runs[-1][-1] = mark  # "D is the one that comes up: D has 0.65"
        elif runs and (runs[-1][0].name is None) == (mark.name is None):
            runs[-1].append(mark)
        else:
            runs.append([mark])
    return runs


def _is_list(unit: str, run: Sequence[_Mark]) -> bool:
    return all(LISTED.fullmatch(unit, earlier.end, two.start) for earlier, two in pairwise(run))
