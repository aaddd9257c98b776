"""Read probabilities: one number, or a number for each of some words.

What commits to a probability is a number under the key that was asked for, a reply or a line that holds nothing else,
or a sentence that says of the very thing how probable it is. A sentence that denies, supposes or asks states no
probability of it: "a chance of 15% that I would not" leaves open on what scale the rest was meant.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from selfexec.readers.conclusion import conclude, unreadable
from selfexec.readers.nesting import place
from selfexec.readers.notation import plain_text
from selfexec.readers.probability.amounts import Amount, amounts, in_odds, on_one_scale, only_amount, top_of_scale
from selfexec.readers.probability.events import probability_of_two_events
from selfexec.readers.probability.sides import (
    NOT,
    NOUNS,
    ROUNDING,
    SIDES,
    SURE_ALONE,
    UNSURE,
    Sides,
    names_another,
    sided,
)
from selfexec.readers.probability.spoken_pairs import as_named, is_zero_or_one, named_by, spelled, spoken_pairs
from selfexec.readers.probability.subject import DECLINES, SPEAKS, is_of_the_choice
from selfexec.readers.probability.tables import Table, tables_of
from selfexec.readers.result import Commitment, Reading, Side
from selfexec.readers.run_on import settled
from selfexec.readers.shown import mentioned
from selfexec.readers.suppositions import counterfactual

LONGEST = 400  # characters of a sentence or a line that is read
LAST = 40_000  # characters of a reply that are read: the end of it
UNIT = r"(?P<percent>[\s_(-]{0,2}(?:percent(?:age)?|pct|%|in\s%)\)?)?"
KEYS = r"(?:prob(?:ability)?|p|chance|likelihood)"
# "refusal_probability", "P(correct)": a key that names a side beside the noun
SIDED_KEY = re.compile(
    r"[\"'](?P<key>[^\W\d_][\w ().-]{0,40})[\"']\s{0,8}:\s{0,8}(?P<value>\"[^\"\n]{1,40}\"|[^,}\n]{1,40}|\d,\d+)",
)
KEYED = re.compile(
    rf"(?<![\w-])(?P<quote>\\?[\"']?){KEYS}{UNIT}(?P=quote)\s{{0,8}}[:=]\s{{0,8}}"
    r"(?P<value>\\?\"[^\"\\\n]{0,80}\\?\"|'[^'\n]{0,80}'|\[[^\]\n]{0,80}\]?|\{[^}\n]{0,80}\}?|(?:[^,}\n]|,(?=\d)){0,80})",
    re.IGNORECASE,
)
NOUN = rf"(?:{NOUNS}|estimate)"
OWN_NUMBER = (
    r"(?:\bI(?:['’]d|['’]ll|\s+would|\s+will)?\s+(?:\w+ly\s+)?(?:say|put|guess|estimate|give|go\s+with|assign|set|rais|lower|revis|adjust|drop|bring|bet"
    r"|settle\s+(?:on|at)|land\s+(?:on|at)|call)e?\b"
    r"|\bmakes?\s+it\b|\b(?:je\s+dirais|ich\s+(?:schätze|würde\s+sagen)|diría)\b|\bmy\s+(?:\w+\s+){0,2}(?:answer|guess|estimate|number|prediction|probability)\b"
    r"|\b(?:final|overall)\s+(?:answer|estimate|number|probability)\b)"
)
OWN = re.compile(OWN_NUMBER, re.IGNORECASE)
# the scale of the question, said back: "from 0 (it surely will not) to 1 (it surely will)", "on a scale of 0 to 1"
SCALE = re.compile(
    r"\b(?:from|between|of)\s+0(?:\.0)?\s{0,2}(?:\([^()\n]{0,60}\))?\s{0,2}(?:to|and|-)\s+(?:1(?:\.0)?|100)(?![\d.%])"
    r"\s{0,2}(?:\([^()\n]{0,60}\))?|\(0(?:\.0)?\s?(?:-|–|to)\s?1(?:\.0|00)?\s?%?\)",
    re.IGNORECASE,
)
EVENT = re.compile(
    rf"\b(?<!even\s){NOUN}\b|概率|可能性|几率|確率|\bP\s?\(|\b(?:likely|probable|confident|sure|certain)\b",
    re.IGNORECASE,
)
# somebody's own number, and what may stand between that and the number: "I'd put it at about"
OWN_LINK = re.compile(
    rf"(?:{OWN_NUMBER})(?:[\s:=~≈*_,]|\b(?:it|that|this|these|the|an?|my|at|to|of|on|as|is|be|by|now|then|down|up|only|with|un|like|an?other"
    rf"|about|around|roughly|approximately|maybe|perhaps|just|near|nearly|almost|some\w*|for|me|here|final\w*|overall)\b){{0,24}}\Z",
    re.IGNORECASE,
)
# what turns a statement round, hangs it on a condition, asks it, or makes it about something else
TURNS = re.compile(
    r"n['’]t\b|\b(?:not|no|never|unless|if|whether|neither|nor|nicht|kein\w*|pas|jamais|nunca)\b"
    r"|\b(?:refus|declin|reject|omit|fail|absen|miss)\w*|\b(?:turn\w*|leav\w*)\s+(?:it\s+|this\s+)?(?:down|out)\b"
    r"|\bun(?:likely|sure|certain|able)\w*|\bim(?:probable|possible)\w*|\bdoubt\w*|\bagainst\b|\?|"
    r"\b(?:others?|another|people|person|someone|somebody|average|typical|usual|base\s+rate|prior)\b"
    r"|\b(?:for\s+example|for\s+instance|e\.g\.|such\s+as|confidence(?!\s+(?:interval|range))|confident\s+in|error|margin)\b"
    r"|\b(?:chance\s+level|by\s+chance|at\s+chance|baseline|(?:random|blind|pure)\w*\s+guess\w*|guessing\s+(?:rate|alone|at\s+random))\b",
    re.IGNORECASE,
)
HESITATES = r"\W{0,6}(?:(?:but|hmm+|oh|no|well|ok(?:ay)?|wait)[,.:;!]?\s+)"
AFTER_ALL = re.compile(r"\A" + HESITATES + r"{1,3}", re.IGNORECASE)
REVISES = re.compile(
    HESITATES + r"{1,3}(?=(?:since|because|given)\b)|" + HESITATES + r"{0,3}"
    r"(?:actually|rather|instead|wait|correction|on\s+reflection|on\s+second\s+thoughts?|make\s+(?:it|that)|let\s+me"
    r"|i(?:['’]ll|\s+will|\s+would|['’]d)?\s+(?:revise|correct|change|lower|raise|adjust)|scratch|or\s+rather|sorry)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?;。])\s+(?=\S)|\n+")
# "Probability: 0.7", "**Final answer:** 70%"
LABEL = re.compile(
    r"[\W_]{0,4}(?:on\s+a\s+)?scale\s+(?:of|from)\s+[01]\s{0,2}(?:to|-|–)\s{0,2}\d{1,3},?\s{0,2}:?\s|"
    rf"[\W_]{{0,8}}(?:(?:my|mon|ma|meine?|mi|la|le|die|el|the|final|overall|estimated|predicted|best|numerical)\s+){{0,3}}(?:{NOUN}|answer|guess|number|P|p|final"
    r"|prediction|estimation|Schätzung|estimación|verdict|conclusion|result|call|it|that|this)"
    r"(?:\s?\([^()\n]{0,60}\)|\s(?:in\s)?(?:percent|%))?[*_`\"']{0,3}\s{0,2}(?:[:=≈~]|['’]s\b|(?:is|ist|est|es|è|é|это)\b(?:\s+d[ei]l?\b)?|[は为是约約])[*_`\"']{0,3}\s{0,4}",
    re.IGNORECASE,
)
BOXED = re.compile(r"\\(?:boxed|fbox)\{([^{}]{1,60})\}")
REFUSES_NUMBERS = re.compile(
    r"\b(?:don['’]t|do\s+not|didn['’]t|did\s+not|no)\s+(?:actually\s+)?(?:have\s+)?(?:any\s+)?(?:access|memory|record)\b"
    r"|(?:\b(?:not|no|never|without|rather|cannot|unable|refuse|decline|prefer|impossible|meaningless|pointless)\b"
    r"|n['’]t\b)[^.!?\n]{0,80}\b(?:numbers?|numerical\w*|numeric|figures?|probabilit\w+|percentages?|estimates?"
    r"|quantif\w+|odds)\b",
    re.IGNORECASE,
)


TAG = re.compile(rf"<(?P<close>/?)(?P<noun>{KEYS})>", re.IGNORECASE)
APPROXIMATELY = re.compile(r"\\(?:approx|simeq|sim)\b")


def _as_a_label(tag: re.Match[str]) -> str:
    """ "<probability>" as "probability: ", and its end as a blank."""
    return " " * len(tag[0]) if tag["close"] else f"{tag['noun']}: "


def read_probability(text: str, *, keyed_alone: bool = False, side: Side | None = None) -> Reading:
    """The probability that a reply states, as its value: a number from 0 to 1.

    An object with the key wins over what is said around it, unless that revises it in so many words. With
    `keyed_alone`, nothing else counts: of a reply that was cut off, nobody knows what would have followed. `side`
    is what the claim says: a number that belongs to the opposite is turned round.
    """
    plain = TAG.sub(_as_a_label, APPROXIMATELY.sub(lambda found: "≈".ljust(len(found[0])), plain_text(text)))
    plain = _less_the_others(plain)
    keyed = list(_under_keys(plain, SIDES[side] if side else None))
    keyed = settled(plain, [c for c in keyed if place(plain, c.start + 1).answers and not _only_shown(plain, c)])
    if keyed_alone:
        return conclude(text, keyed) if keyed else unreadable(text)
    stated = list(_stated(plain, SIDES[side] if side else None))
    if not keyed and _are_several_bare_numbers(plain, [c for c, _ in stated]):
        return unreadable(text, stated[-1][0])
    if keyed:
        last = max(keyed, key=lambda c: c.end)
        revised = [c for c, revises in stated if revises and c.start > last.end]
        return conclude(text, [*keyed, *revised])
    return _or_declined(text, conclude(text, [c for c, _ in stated]))


def read_probabilities(text: str, options: Sequence[str], aliases: Mapping[str, str] | None = None) -> Reading:
    """The probability of each option that a reply states, as its value: a map from option to a number from 0 to 1.

    Of an option that is stated several times the last one counts; one that is stated otherwise than by a number from 0
    to 1 has none. Bare numbers stand on one scale, which may be that of percentages (`on_one_scale`). `aliases`: other
    words for options, such as the text behind a letter -> the option.
    """
    plain = _less_the_others(plain_text(text, formulas=False))
    plain = _without_complements(_without_echoes(_lettered(plain, aliases or {}), aliases or {}))
    plain, otherwise = _without_the_rest(plain, {**{option: option for option in options}, **(aliases or {})})
    opposite = _of_the_opposite(plain)
    named = _named(plain, options, aliases or {})
    if _is_unsettled(plain, named):
        return unreadable(text)
    last = {
        name: _turned(amount) if any(start <= amount.start < end for start, end in opposite) else amount
        for name, amount in named
    }
    values = on_one_scale(last, top_of_scale(plain))
    if not values:
        return _or_declined(text, unreadable(text))
    if len(options) == 2 and otherwise and list(values) == [o for o in options if o != otherwise]:
        values[otherwise] = round(1 - values[next(iter(values))], 9)
    start, end = min(a.start for a in last.values()), max(a.end for a in last.values())
    return conclude(text, [Commitment(start, end, values)])


def _without_the_rest(text: str, names: Mapping[str, str]) -> tuple[str, str | None]:
    """The text, place for place, without the option that is left at its end, and that: "A with 0.8, otherwise B"."""
    lead = r"(?P<else>(?:otherwise|else)\b,?\s(?:I(?:['’]d|\swould)\s\w+\s(?:for\s)?)?)?"
    name = rf"[\"'*]*(?P<name>{'|'.join(map(spelled, names))})[\"'*]*(?(else)|\s(?:for\s)?the\srest)"
    if (match := re.search(rf",?\s(?:and\s)?{lead}{name}(?=\W*(?:\n|\Z))", text, re.IGNORECASE)) is None:
        return text, None
    whose = {as_named(name): option for name, option in names.items()}
    return text[: match.start()] + _blank(match) + text[match.end() :], whose[as_named(match["name"])]


OTHERS = re.compile(
    r"(?P<lead>(?P<n>\d{1,4})\s(?:times\s)?(?:out\s)?(?:in|of)\s(?P<whole>\d{2,4})\b[^.;\n\d]{1,80}\b)the\sother\s(?P<m>\d{1,4})\b"
)


def _less_the_others(text: str) -> str:
    """The text, place for place, with the share of those that remain: "60 times out of 100 ... the other 40"."""

    def share(m: re.Match[str]) -> str:
        is_rest = int(m["n"]) + int(m["m"]) == int(m["whole"])
        return f"{m['lead']}{m['m']} in {m['whole']}".ljust(len(m[0])) if is_rest else m[0]

    return OTHERS.sub(share, text)


def _is_unsettled(text: str, named: Sequence[tuple[str, Amount]]) -> bool:
    """Whether an option has one number in an object that the reply begins with, and another one later, which nothing
    says is a revision.
    """
    stated: dict[str, list[Commitment]] = {}
    top = top_of_scale(text)
    for name, amount in named:
        worth = on_one_scale({name: amount}, top).get(name, amount.number)  # 90 is 90%
        stated.setdefault(name, []).append(Commitment(amount.start, amount.end, worth))
    return any(settled(text, several) != several for several in stated.values())


def _named(text: str, options: Sequence[str], aliases: Mapping[str, str]) -> Sequence[tuple[str, Amount]]:
    """Options with their numbers, in the order of the text: from tables, notation and sentences, else by place."""
    names = {**{option: option for option in options}, **aliases}
    # an option that is a number may be told from its probability beside its letter, or in its column, alone
    words = {name: owner for name, owner in names.items() if only_amount(name) is None}
    begun = max(len(text) - LAST, 0)
    tables = list(tables_of(text, names, begun))
    cells = [pair for table in tables for pair in table.pairs]
    written = [pair for pair in _pairs(text, words) if not any(t.start <= pair[1].start < t.end for t in tables)]
    spoken = [p for p in spoken_pairs(_outside(text, tables), words, begun) if not _is_among(p, written)]
    if all(is_zero_or_one(text, amount) for _, amount in [*cells, *written, *spoken]):
        spoken = []  # "fog 1, crane 0" with no other number may count, or rank
    named = [*cells, *written, *spoken]
    name, declined = named_by(list(names)), DECLINES.search(text, begun) is not None
    is_whole = not aliases and {option for option, _ in named} == set(options)
    may_be_of_another = {amount: not (is_whole or amount.plain) for _, amount in named}
    chosen = [p for p in named if is_of_the_choice(text, p[1].start, name, declined, may_be_of_another[p[1]])]
    return sorted(chosen, key=lambda pair: pair[1].start) if named else _in_their_order(text, options)


def _lettered(text: str, aliases: Mapping[str, str]) -> str:
    """The text, place for place, with letters for options that are numbers where a fraction follows: "42: 0.1"."""
    for word, letter in aliases.items() if all(word.isdecimal() for word in aliases) else ():
        weighed = r"(?=\s+(?:has|gets|with|at)\b[^.,;\d]{0,20}0?\.\d|\s?[:→(]\s?[~≈]?0?\.\d)"
        text = re.sub(rf"(?<![\w.,])(?<![=+×*/-]\s){word}{weighed}", letter.ljust(len(word)), text)
    return text


def _without_echoes(text: str, aliases: Mapping[str, str]) -> str:
    """The text, place for place, without the one that comes second of a letter and its option: "B: Saturn"."""
    for word, letter in aliases.items():
        before = rf"(?<![\w'-]){letter}(?=[*_\"'`]{{0,3}}\s?[.:)(\]=–—-])"
        echo = rf"(?P<echo>[*_\"'`]{{0,3}}\s?[.:)(\]=–—-]{{1,2}}\s?[\"'*_`]{{0,3}}{spelled(word)}(?!\w)\)?)"
        behind = rf"(?<=(?<!\w){re.escape(word)})(?P<letter>[*_\"'`]{{0,3}}\s?[(\[]{letter}[)\]])"
        text = re.sub(
            rf"{before}{echo}|{behind}",
            lambda m: m[0].replace(m["echo"] or m["letter"], " " * len(m["echo"] or m["letter"])),
            text,
            flags=re.IGNORECASE,
        )
    return text


# "0.9 yes / 0.1 no", "yes 90%, no 10%", "0.9 (0.1 not)": a number, and what it leaves for the opposite
ANY = r"\.?\d[\d.]{0,8}\s?%?"
BOTH_SIDES = re.compile(
    rf"(?:\b(?:yes|in)\b[\s:=]{{1,3}})?(?P<yes>{ANY})(?:\s(?:yes|in)\b)?(?P<rest>\s?[,;/|(]\s?(?:and\s)?(?:"
    rf"(?:no|not(?:\s\w+)?|out|absent|missing)[\s:=]{{1,3}}(?P<no>{ANY})|(?P<other>{ANY})\s(?:no|not|out|absent|missing)\b)\)?)",
    re.IGNORECASE,
)


def _without_complements(text: str) -> str:
    """The text, place for place, without what is stated of the opposite beside a number, where both add up to 1."""

    def alone(found: re.Match[str]) -> str:
        values = [
            amount.value for words in (found["yes"], found["no"] or found["other"]) if (amount := only_amount(words))
        ]
        if len(values) < 2 or None in values or abs(sum(v for v in values if v is not None) - 1) > ROUNDING:
            return found[0]
        before, behind = found.start("yes") - found.start(), found.end() - found.end("yes")
        return " " * before + found["yes"] + " " * behind

    begun = max(len(text) - LAST, 0)
    return text[:begun] + BOTH_SIDES.sub(alone, text[begun:])


ORDINAL = re.compile(
    r"\W{0,4}(?:(?:option|word|choice|candidate)\s)?#?(?P<n>\d{1,2})\s?[*_`]{0,2}[.):=–—-]{1,2}[*_`]{0,2}\s(?P<value>[^\n]+)",
    re.IGNORECASE,
)


def _in_their_order(text: str, options: Sequence[str]) -> list[tuple[str, Amount]]:
    """The numbers of a reply that names no option, where they are as many and in the order of the options: a list of
    bare numbers, or lines that are numbered.
    """
    if names := _listed_first(text, options):
        options, text = names
    lines = [line for line in text.splitlines() if line.strip()]
    found = [match for line in lines if (match := ORDINAL.fullmatch(line.rstrip()))]
    if [match["n"] for match in found] == [str(n + 1) for n in range(len(options))]:
        values = [only_amount(match["value"]) for match in found]
    else:
        parts = re.split(r"[,;\s]+", text.strip("[]() \t\n`.")) if len(text) <= LONGEST else []
        values = [only_amount(part) for part in parts]
    known = [value for value in values if value and value.value is not None]
    whole = len(values) == len(known) == len(options) > 2 and any(value.value not in (0, 1) for value in known)
    return [(option, value) for option, value in zip(options, values, strict=True) if value] if whole else []


TWO_LISTS = re.compile(r"\[(?P<names>[^\[\]]{1,400})\][\s,;\"'\w:=]{1,60}\[(?P<numbers>[^\[\]]{1,200})\]")


def _listed_first(text: str, options: Sequence[str]) -> tuple[Sequence[str], str] | None:
    """The options in the order of a list of them, and the list of numbers behind it."""
    lists = TWO_LISTS.search(text, max(len(text) - LAST, 0))
    order = [as_named(name.strip(" \n\"'")) for name in lists["names"].split(",")] if lists else []
    known = {as_named(option): option for option in options}
    return ([known[name] for name in order], lists["numbers"]) if lists and sorted(order) == sorted(known) else None


def _outside(text: str, tables: Sequence[Table]) -> str:
    """The text without its tables, place for place."""
    for table in tables:
        text = text[: table.start] + re.sub(r"[^\n]", " ", text[table.start : table.end]) + text[table.end :]
    return text


# "Probability that it did NOT appear: nurse 0.4, hospital 0.1"
OF_THE_OPPOSITE = re.compile(
    rf"\b{NOUN}\b[^:\n]{{0,60}}(?:\bnot\b|n['’]t\b|\babsen\w*|\bmissing\b)[^:\n]{{0,40}}:", re.IGNORECASE
)


def _of_the_opposite(text: str) -> Sequence[tuple[int, int]]:
    """Where a heading says that numbers are of the absence of words: from there to the end of the paragraph."""
    leads = (found.end() for found in OF_THE_OPPOSITE.finditer(text))
    return [(lead, end if (end := text.find("\n\n", lead)) >= 0 else len(text)) for lead in leads]


def _turned(amount: Amount) -> Amount:
    """One less it: of a word's absence."""
    known = None if amount.value is None else round(1 - amount.value, 9)
    return amount._replace(value=known, number=known if amount.plain else None)


def _is_among(pair: tuple[str, Amount], written: Sequence[tuple[str, Amount]]) -> bool:
    """Whether what a sentence states is stated there by its notation already, perhaps as no number."""
    return any(one.start < pair[1].end and pair[1].start < one.end for _, one in written)


def _are_several_bare_numbers(text: str, stated: Sequence[Commitment]) -> bool:
    """Whether all that is stated are different numbers, each on a line without a word: nobody knows which is meant."""
    bare = [c.value for c in stated if not text[text.rfind("\n", 0, c.start) + 1 : c.start].strip(" *_`")]
    return len(bare) == len(stated) and len(set(bare)) > 1


def _or_declined(text: str, reading: Reading) -> Reading:
    """The reading, or that it declines to give numbers, where it says so and gives none."""
    if reading.state == "unreadable" and reading.reason == "format" and REFUSES_NUMBERS.search(text[-4000:]):
        return Reading("unreadable", reason="declined", evidence=reading.evidence)
    return reading


def _only_shown(text: str, commitment: Commitment) -> bool:
    return mentioned(text, commitment.start, commitment.end) or counterfactual(text, commitment.start)


def _under_keys(text: str, sides: Sides | None) -> Sequence[Commitment]:
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
        if _repeats_the_form(match["value"]) or _is_torn(text, match.end()):
            continue
        in_percent = bool(match["percent"]) or match["value"].strip(' "') in restated
        yield Commitment(start, match.end("value"), _value(match["value"], in_percent, top))


# {"probability": "very high", "value": 0.97}
NUMBER_BESIDE = re.compile(
    r"(?<=[a-z]\")\s{0,8},\s{0,8}\"(?:value|num\w{1,20}|decimal|score|estimate|p)\"\s{0,8}:"
    r"\s{0,8}(?P<value>[01]?\.\d{1,9})\s{0,8}\}"
)


RESTATED = re.compile(r"(?<![\d.,-])(?P<n>[2-9](?:\.\d{1,3})?|10)\s?(?:%|percent)(?P<of>[^.;,\n]{0,120})")


def _in_percent(text: str, sides: Sides | None) -> Collection[str]:
    """Numbers that may be on any scale, where they stand in percent, and not of the opposite."""
    match = RESTATED.finditer(text, max(len(text) - LAST, 0))
    return {m["n"] for m in match if not NOT.search(m["of"]) and not (sides and sides.no.search(m["of"]))}


def _keyed_by_side(text: str, sides: Sides) -> Iterator[Commitment]:
    """Numbers under keys that name a side of the claim, where they agree: that of the opposite is turned round."""
    found = [(match, _of_key(match, sides)) for match in SIDED_KEY.finditer(text)]
    stated = [(match, value) for match, value in found if value is not None]
    if not stated or _is_torn(text, stated[-1][0].end()):
        return
    values = {value for _, value in stated}
    yield Commitment(stated[0][0].start(), stated[-1][0].end(), values.pop() if len(values) == 1 else None)


KEY_NOUN = re.compile(
    rf"(?<![a-z])(?:{KEYS}|{NOUNS}|pr|confidence|certainty|estimate|prediction|prawdopod\w+|sann(?:olik|synl)\w+|확률)(?![a-z])",
    re.IGNORECASE,
)
OF_THE_TASK = re.compile(r"\b(?:answers?|responses?|results?|solutions?)\b", re.IGNORECASE)


OWN_KEY = re.compile(r"\b(?:my|own|final|overall|estimated?|predicted|best|self|of|that|the|is|being)\b", re.IGNORECASE)


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


def _is_torn(text: str, end: int) -> bool:
    """Whether an object breaks off here: of a number that may have gone on nobody knows the rest."""
    ends = not text[end : end + LONGEST].strip() and not text[end:].strip()
    return ends and text.rfind("{") > text.rfind("}")


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


def _stated(text: str, sides: Sides | None) -> Iterator[tuple[Commitment, bool]]:
    """What sentences and lines of their own state, and whether each revises what was said before."""
    announced = False  # "Wait, I misread that." is about the number in the next sentence
    declined = DECLINES.search(text)
    for at, sentence in _sentences(text):
        if declined and at > declined.end() and not SPEAKS.search(sentence):
            continue
        revises = announced or REVISES.match(sentence) is not None
        announced = revises and next(amounts(sentence), None) is None
        cut = _conclusion(sentence, sides)
        at, sentence = at + cut, OF_THE_ESTIMATE.sub(_blank, sentence[cut:])
        if (amount := _alone(sentence, sides)) is not None:
            yield Commitment(at + amount.start, at + amount.end, amount.value), revises
            continue
        sentence = _without_contrast(sentence)
        if revises:
            sentence = _to_its_number(AFTER_ALL.sub(_blank, sentence))
        if sides and (belonging := sided(sentence, sides)):
            yield Commitment(at + belonging[0].start, at + belonging[-1].end, belonging[-1].value), revises
            continue
        several = _probable(sentence)
        if len(several) == 1 and (several[0].value or 1) < 0.5:
            sentence = re.sub(r"\bun(?=likely\s+(?:that|I|it)\b)", "  ", sentence)  # says the same twice
        of_the_task = sides and sides.of_an_answer and IS_ANSWER.search(sentence)
        is_own = not of_the_task and any(OWN_LINK.search(sentence[: a.start]) for a in several)
        states = (revises and _has_a_number(text, at)) or EVENT.search(sentence) or is_own
        if not states or _turns(sentence, sides) or _is_of_another(sentence, sides, several):
            if revises and several:  # it takes back what was said, for something that cannot be read
                yield Commitment(at + several[0].start, at + several[-1].end, None), True
            continue
        if several:
            same = several[0].value if len({amount.value for amount in several}) == 1 else None
            yield Commitment(at + several[0].start, at + several[-1].end, same), revises


def _has_a_number(text: str, end: int) -> bool:
    """Whether a number before may be a probability, which another can take the place of; or there is none at all."""
    before = text[max(end - LONGEST, 0) : end]
    stated = list(amounts(before))
    return not stated or any(not _counts_something(before, amount) for amount in stated)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _without_contrast(sentence: str) -> str:
    """A sentence, place for place, without the scale and what its own number stands against: "others say 80%, but I'd
    say 40%".
    """
    sentence = SCALE.sub(_blank, sentence)
    contrast = BUT.search(sentence)
    if contrast and OWN.search(sentence, contrast.end()) and next(amounts(sentence[contrast.end() :]), None):
        sentence = " " * contrast.end() + sentence[contrast.end() :]
    return sentence


def _probable(sentence: str) -> Sequence[Amount]:
    """The numbers in a sentence that may be probabilities: none that counts, no bare 0 or 1 but where one is due."""
    stated = [a for a in amounts(sentence, odds=in_odds(sentence)) if not _counts_something(sentence, a)]
    return [
        a
        for a in _without_intervals(sentence, stated)
        if not is_zero_or_one(sentence, a) or BEFORE_ITS_NUMBER.search(sentence[: a.start])
    ]


def _without_intervals(sentence: str, stated: Sequence[Amount]) -> Sequence[Amount]:
    """Numbers without the ranges that stand in brackets behind one: "0.8 (interval: 0.7 to 0.9)"."""
    inner = [
        a for a in stated if a.value is None and a.number is None and re.search(r"[(\[][^)\]]*\Z", sentence[: a.start])
    ]
    return [a for a in stated if a not in inner] or stated


def _is_of_another(sentence: str, sides: Sides | None, stated: Sequence[Amount]) -> bool:
    """Whether numbers say how probable something else than the claim is: "the likelihood of side effects"; or how sure
    somebody is of what the sentence does not say.
    """
    if sides and not sides.of_an_answer and any(SURE_ALONE.match(sentence, a.end) for a in stated):
        return True
    return sides is not None and any(names_another(sentence, amount, sides) for amount in stated)


BEFORE_ITS_NUMBER = re.compile(r"(?:\b(?:is|at|be|say|of|to|as)|[:=≈])[\s*_`]*\Z", re.IGNORECASE)
BUT = re.compile(r".*\b(?:but|however|though)\b", re.IGNORECASE | re.DOTALL)
SURENESS = r"(?:confiden(?:t|ce)|sure|certain(?:ty)?)"
ESTIMATE = (
    r"(?:in|of|about)\s+(?:(?:this|that|my|the|these|those)\s+){1,2}(?:\w+\s)?"
    r"(?:estimat|number|figure|guess|predict|assess)\w*"
)
# how sure somebody is of a number is none: "I'm 90% confident in this estimate"
OF_THE_ESTIMATE = re.compile(
    rf"(?:\bI(?:['’]m|\s+am)\s+(?:about\s+)?)?\b\d{{1,3}}\s?%\s+{SURENESS}\s+{ESTIMATE}\s?:?|\b{SURENESS}\s+{ESTIMATE}\s*(?::|=|is)?\s*(?:about\s)?\d[\d.]*\s?%?",
    re.IGNORECASE,
)
INSTEAD_OF = re.compile(r",?\s*\b(?:not|instead\s+of|rather\s+than|from)\s+[~≈]?\d[\d.,]*\s?%?", re.IGNORECASE)
REASON = re.compile(r"[:;(]|\s[-–—]\s|,?\s\b(?:because|since|as)\b", re.IGNORECASE)

REASON_FIRST = re.compile(
    r"\b(?:since|because|as|given)\b[^.;\n\d]{1,200},\s+(?=(?:so\s+)?[~≈]?[\d.]+\s?%?\W*\Z)", re.IGNORECASE
)


def _to_its_number(sentence: str) -> str:
    """A correction without its reason, and without the number that it takes the place of."""
    sentence = REASON_FIRST.sub(_blank, INSTEAD_OF.sub(_blank, sentence))
    first = next(amounts(sentence), None)
    reason = REASON.search(sentence, first.end) if first else None
    return sentence[: reason.start()] if reason else sentence


def _turns(sentence: str, sides: Sides | None) -> bool:
    """Whether a sentence denies, supposes or asks, or speaks of the opposite of the claim."""
    opposite = sides is not None and sides.no.search(OWN.sub(" ", sentence)) is not None
    return opposite or TURNS.search(sentence) is not None


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text with their places, those that are short enough to be read and hold no object."""
    text = NO_NUMBER.sub(_blank, text)
    begun = max(len(text) - LAST, 0)
    for match in [*SENTENCE.finditer(text, begun), None]:
        end = match.start() if match else len(text)
        short = end - begun <= LONGEST and text[begun:end].strip()
        if short and not ("{" in text[begun:end] and "boxed" not in text[begun:end]):
            begun += len(text[begun:end]) - len(text[begun:end].lstrip())
            yield begun, text[begun:end]
        begun = match.end() if match else end


NO_NUMBER = re.compile(r"\{[^{}\d]{0,80}\}")  # the form that was asked for, said back
LEAD = re.compile(
    r"[\W_]{0,4}(?:(?:so|thus|hence|therefore|overall|finally|call\s+it|let['’]?s\s+(?:say|call\s+it|go\s+with)|say|make\s+(?:it|that))\b"
    r"[,:]?\s{1,3}|(?:(?:it|that)['’]s\s+|it\s+is\s+)?(?:(?:very|quite|extremely|highly|rather|pretty|almost|fairly|virtually|practically|surely|certainly)\s+){0,2}"
    r"(?:(?P<low>unlikely|improbable|low|impossible|false)|likely|probable|certain|sure|certainly|surely|high|true"
    r"|(?:a\s)?(?:coin\s(?:flip|toss)|toss-?up))\s{0,2}(?:[,:(–—-]|→|=>)\s{0,2})",
    re.IGNORECASE,
)


# "..., so probability = 1", "the statement is almost surely false → 0.005"
CONCLUSION = re.compile(
    rf"\b(?P<so>so|thus|hence|therefore)\s+(?:(?:my|the)\s+)?(?:{NOUN}|P)\s?[=≈:]\s?(?=[\d.])"
    r"|\b(?:almost\s+)?(?:(?:sure|certain)ly\s+)?(?:true|false)\s?(?:→|=>|->)\s?(?=[\d.]+\s?%?\W*\Z)",
    re.IGNORECASE,
)


def _conclusion(sentence: str, sides: Sides | None) -> int:
    """Where a sentence concludes with a number; its begin where it does not, or names a side of the claim before."""
    conclusion = CONCLUSION.search(sentence)
    lead = sentence[: conclusion.start()] if conclusion else ""
    if conclusion is None or (conclusion["so"] and sides and (sides.no.search(lead) or sides.yes.search(lead))):
        return 0
    return conclusion.start()


IS_ANSWER = re.compile(r"\A\W*(?:(?:my|the)\s+)?(?:answer|result|it|that|this)\b", re.IGNORECASE)  # perhaps of the task


def _alone(sentence: str, sides: Sides | None) -> Amount | None:
    """What a line states that holds nothing but a probability, perhaps behind a label or in a box."""
    if boxed := BOXED.search(sentence):
        amount = only_amount(boxed[1])
        return amount and amount._replace(start=boxed.start(), end=boxed.end())
    lead = LEAD.match(sentence)
    label = LABEL.match(sentence, lead.end() if lead else 0)
    begun = label.end() if label else lead.end() if lead else 0
    if label and (_turns(label[0], sides) or (sides and sides.of_an_answer and IS_ANSWER.search(label[0]))):
        return None
    amount = only_amount(sentence[begun:]) or _with_a_reason(sentence[begun:], sides)
    if amount is None or (label is None and amount.plain and _is_a_count(sentence, amount)):
        return None
    if lead and lead["low"] and not (amount.value or 0) < 0.5:
        return None
    if label:  # "Probability: 85"
        amount = amount._replace(value=on_one_scale({"p": amount}, top_of_scale(sentence)).get("p"))
    return amount._replace(start=begun + amount.start, end=begun + amount.end)


# behind a comma or a colon stands a reason only where the author speaks of it: "0.4, I guess: I have no live prices"
DASH = re.compile(
    r"\s+[-–—]+\s+(?=\D)|[,:;]\s+(?!(?:that|of|to|chance|for|against)\b)"
    r"(?=(?:because|since|as|although|though)\b|[^.\n]{0,120}\b(?:I|my|me)\b|\w+ly\W*\Z)"
)


def _with_a_reason(line: str, sides: Sides | None) -> Amount | None:
    """A number with words behind a dash, which hold no other number and speak of no side that goes against it."""
    dash = DASH.search(line)
    amount = only_amount(line[: dash.start()]) if dash else None
    first = next(amounts(line), None)
    if (
        dash is None
        or amount is None
        or first is None
        or first.value is None
        or next(amounts(line[dash.end() :]), None)
    ):
        return None
    side = sides.of(line[dash.end() :]) if sides else 0
    against = side != 0 and (first.value > 0.5) != (side > 0)
    return None if against or UNSURE.search(line[dash.end() :]) else amount


def _is_a_count(words: str, amount: Amount) -> bool:
    """Whether a bare number on a line of its own is none from 0 to 1 in so many digits: "2.", which counts a list, or
    "2 - 1 = 1".
    """
    if is_zero_or_one(words, amount) and "=" in words:
        return True
    return re.search(r"\d\s*[.)]\s*\Z", words) is not None and "0." not in words


# "10 times", "5 people"; "0.7 chance", "0.7 that I would" and "0.7 because" say how probable one thing is
OF_SOMETHING = re.compile(
    r"\s{1,2}(?!here\b|now\b|overall\b|chances?\b|probab|likel|that\b|or\b|and\b|for\b|of\b|as\b|to\b|in\b|because\b)[a-z]+",
    re.IGNORECASE,
)


def _counts_something(sentence: str, amount: Amount) -> bool:
    """Whether a number says how many of something there are, not how probable one thing is."""
    behind = OF_SOMETHING.match(sentence, amount.end)
    return amount.plain and (amount.value is None or behind is not None)


# --- for each of some words ------------------------------------------------------------------------------------------

# between a name and its number, perhaps with the noun before that: "<cup>0.8", "**cup**\n  Probability: 0.8"
BETWEEN = (
    r"[\s\"'“”*_`)\]}]{0,100}(?::|=|：|->|→|–|—|\||\(|>|\s-\s|\s(?=[\d.~≈])|(?=\n?[\s*_\"'-]{0,8}probability\b))[\s*_`\"'“|]{0,10}"
    rf"(?:[-•]?\s?{KEYS}[\"'*_]{{0,3}}\s?(?:[:=≈~]|\s(?:of|is)\s)[\s*_`\"']{{0,6}})?"
)
NESTED = re.compile(
    r"\{\s{0,12}(?:[\"']\w{1,20}[\"']\s{0,4}:\s{0,4}(?:true|false|\"[^\"\n]{0,40}\")\s{0,4},\s{0,8})?"
    rf"[\"']{KEYS}[\"']\s{{0,4}}:\s{{0,4}}",
    re.IGNORECASE,
)
OPENS = re.compile(
    r"(?:^|[\n{,;:|\"'“$<]|[.!?]\s|\bP\s?(?=\())[\s*_`\"'“(\[]{0,8}(?:[-*•–]\s{1,3}|\d{1,2}[.)]\s{1,3})?[*_`\"'“]{0,4}\Z"
)
IN_A_RECORD = re.compile(
    rf"[\"'](?:word|option|term|name)[\"']\s{{0,4}}:\s{{0,4}}[\"'](?P<word>[^\"'\n]{{1,80}})[\"']\s{{0,4}},\s{{0,12}}"
    rf"[\"']{KEYS}[\"']\s{{0,4}}:\s{{0,4}}(?P<value>\"[^\"\n]{{0,40}}\"|[^,}}\n]{{1,40}})",
    re.IGNORECASE,
)
TO_THE_END = re.compile(r"[^,;}\]|\n<]{0,60}(?:,\d{1,6}[^,;}\]|\n<]{0,20})?")
EXPLAINED = re.compile(r"\s{1,3}(?:[-–—(]|because\b|since\b|as\b)", re.IGNORECASE)


def _pairs(text: str, whose: Mapping[str, str]) -> Iterator[tuple[str, Amount]]:
    """Each option with what is stated behind it, wherever that is."""
    known = {as_named(name): owner for name, owner in whose.items()}
    if not known:
        return
    names = "|".join(spelled(name) for name in sorted(whose, key=len, reverse=True))
    odds = in_odds(text)
    pattern = re.compile(rf"(?<![\w-])(?P<name>{names}){BETWEEN}", re.IGNORECASE)
    listed = re.compile(
        rf"(?<![\w-])(?:{names})[\"'*_`)]{{0,4}}\s?(?:[,/&]|and\b|or\b)\s?(?:and\s)?[\"'*_`(]{{0,4}}\Z", re.IGNORECASE
    )
    for match in pattern.finditer(text, max(len(text) - LAST, 0)):
        if listed.search(text[max(match.start() - 100, 0) : match.start()]):
            continue  # what follows is of several
        option = known.get(as_named(match["name"]))
        if option and _begins_a_part(text, match.start()):
            amount = _behind(text, match.end(), odds)
            if amount and not mentioned(text, match.start(), amount.end):
                yield option, amount
    for match in IN_A_RECORD.finditer(text):
        option, amount = known.get(as_named(match["word"])), only_amount(match["value"])
        if option and amount:
            at = match.start("value")
            yield option, amount._replace(start=at + amount.start, end=at + amount.end)


def _begins_a_part(text: str, at: int) -> bool:
    """Whether a name opens a key, a cell, a line or a member of a row: else it stands in a sentence on something."""
    return OPENS.search(text[max(at - 24, 0) : at]) is not None


def _behind(text: str, at: int, odds: bool = False) -> Amount | None:
    nested = NESTED.match(text, at)
    at = nested.end() if nested else at
    rest = TO_THE_END.match(text, at)
    words = rest[0] if rest else ""
    if _is_torn(text, at + len(words)):
        return None
    explained = EXPLAINED.search(words, 1)
    # "0.6 - 0.7" is a range; "0.6 - it is common" has its reason behind it
    if explained and not re.match(r"\W*\d", words[explained.start() :]):
        words = words[: explained.start()]
    amount = only_amount(words, odds=odds)
    return amount and amount._replace(start=at + amount.start, end=at + amount.end)
