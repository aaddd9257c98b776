"""Read what is expected of several questions: how probable a correct answer is, and how many tokens it takes.

Each label stands with its two numbers in an object, a row, a line or a sentence. A number is a probability or a number
of tokens by its name ("correct", "tokens"), its form (95%, "60 tok") or the heads of a table; else the one from 0 to 1
is the probability and the one above 1 the tokens. Where a number may be either, nothing is read of the label.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

import msgspec

from selfexec.readers.conclusion import conclude, unreadable
from selfexec.readers.notation import plain_text
from selfexec.readers.objects import objects
from selfexec.readers.probability.amounts import SMALL, Amount, amounts, on_one_scale
from selfexec.readers.result import Commitment, Reading
from selfexec.readers.withdrawal import withdrawn

Quantity = Literal["correct", "tokens", "wrong"]
Expected = dict[str, dict[str, float]]  # label -> quantity -> number
LAST = 40_000  # characters of a reply that are read: the end of it
LONGEST = 1_000  # characters of a sentence, and of what stands behind a label
NEAR = 30  # characters before a number that may bound it
CORRECT_NAME = (
    r"(?:(?!in)\w*correct\w*|probabilit\w*|prob|chances?|likelihood|accuracy|confidence|right|success|richtig\w*"
    r"|Wahrscheinlichkeit\w*|p(?=\s*(?:\(|[=:\"'|])))"
)
WRONG_NAME = r"(?:\w*incorrect\w*|\w*wrong\w*|errors?|fail\w*|mistakes?|falsch\w*)"
TOKENS_NAME = r"(?:\w*tokens?|toks?|jetons?|length|t(?=\s*[=:\"'|]))"
QUESTION = r"question|frage|pregunta|domanda|no\.|nr\."  # "Frage 1" for Q1
# "问题1", "F1": a word that stands before all of the numbers of the questions, in their order
BEFORE_A_NUMBER = re.compile(r"(?<![^\W_])(?P<word>[^\W\d_]{1,12})[ ]?(?P<n>\d)(?![\w.,]|\s?%)")
ORDINALS = ("first", "second", "third", "fourth")
NAMES = re.compile(
    rf"(?<![\w])(?:(?P<wrong>{WRONG_NAME})|(?P<correct>{CORRECT_NAME})|(?P<tokens>{TOKENS_NAME}))(?!\w)", re.IGNORECASE
)
# "tokens": "100-200": of a count that is expected, which is no probability, the middle of a range is a plain reading
TOKEN_RANGE = re.compile(
    rf"(?P<name>[\"']{TOKENS_NAME}[\"']\s{{0,8}}:\s{{0,8}})[\"'](?:[~≈]|about\s)?\s?(?P<low>\d{{1,6}})\s?(?:-|–|to)\s?(?P<high>\d{{1,6}})"
    r"(?:\s?tok\w*)?[\"']",
    re.IGNORECASE,
)
COMMENTS = re.compile(
    r"(?<=[,}\]\d\"\s])//[^\n]*|(?<=[,}\]\d\"])[ \t]{0,8}#[^\n]*|/\*.*?\*/|\([^()\n]*[×*=][^()\n]*\)", re.DOTALL
)
# "1,200", "1.2k": thousands of tokens, which are no decimal fractions
COUNT = re.compile(
    r"(?<![\w.,/])(?:(?P<whole>[1-9]\d{0,2}(?:[.,’' ]\d{3})+|\d{1,7})|(?P<part>\d{1,4}(?:\.\d{1,3})?)\s?k)"
    r"(?!(?!t(?:ok\w*)?\b)\w|[.,]\d)",
    re.IGNORECASE,
)
PAIR = re.compile(r"(?<![\w.])(?:[01]?[.]\d+|[01]\.0)\s?/\s?(?=[2-9]|\d{2})")  # ".95/50": a probability and tokens
ROW = re.compile(
    r"\A,(?:(?:[01]?\.\d+|[01]|\d{1,3}%),\d+|\d+,(?:[01]?\.\d+|[01]|\d{1,3}%))[ \t]*$", re.MULTILINE
)  # ",0.95,40"
UNIT = re.compile(r"[ \t\xa0]{0,2}(?:个\s?)?(?:tokens?|toks?\b|jetons?\b|t\b)", re.IGNORECASE)
BOUNDED = re.compile(
    r"(?:[<>≤≥]|\b(?:under|over|below|above|less\s+than|more\s+than|at\s+(?:least|most)|up\s+to|fewer\s+than|by))\s*~?\Z",
    re.IGNORECASE,
)
# "14 groups of order 16", "Year: 1871": a number of something else
OF_ANOTHER = re.compile(r"[ ](?!tok|jetons)[a-z]{2,}s\b(?<!\bis)(?<!\bas)(?<!\bplus)")
AFTER_ANOTHER = re.compile(r"[a-z]{2,}\s?[:=]\s?\Z")
# "Each took 20 tokens" says what was done
PAST = re.compile(r"\b(?:took|used|spent|needed|wrote|cost|were|was)\b", re.IGNORECASE)
NEVER_WRONG = re.compile(rf"\b(?:never|hardly\s+ever)\s+(?:be\s+|get\s+\w+\s+)?{WRONG_NAME}", re.IGNORECASE)
BARE = re.compile(r"(?<![\w.])\d*\.?\d+%?")
IN_PLACE = re.compile(r"\b(?:or\s+rather|actually|make\s+(?:it|that)|on\s+reflection)\b", re.IGNORECASE)
TURNS = re.compile(r"\b(?:if|unless|not|never|n['’]t|another|others?|for\s+example|e\.g\.)\b|\?", re.IGNORECASE)
SENTENCE = re.compile(r"(?:[^.!?\n]|[.](?=\d)){1,400}")
STOP = re.compile(r"[.!?](?=\s)|\n")
AND = re.compile(r"[\s,&/*_`\"']*(?:\b(?:and|und|et|y|to)\b)?[\s*_`\"']*", re.IGNORECASE)
# "Error probabilities: Q1 5%, Q2 ...": what stands at the head of several labels
HEADS = re.compile(r"(?:[^\n.;:\d]|(?<=\w)\.(?=\w)){0,60}[:\n(|]\W*\Z")
# "(George Eliot, 1871)" between a label and its numbers is of the question
REMARK = re.compile(r"\([^()\n]*\)")
TITLE = re.compile(r"[^:\n]{1,80}:\s(?=[\d.~≈*])")  # "2. 58 * 67: 0.9 (50 tokens)"
EXCEPTS = re.compile(r"\b(?:(?:all|each|every)\s+but|except(?:\s+for)?|apart\s+from|other\s+than)\W+\Z", re.IGNORECASE)
COUNTS_EACH = re.compile(
    rf"\d\S{{0,3}}(?:{UNIT.pattern}|\s+(?:each|apiece|for\s+(?:each|every|all))\b)|%|\.\d", re.IGNORECASE
)
OF_EACH = re.compile(
    r"(?:\A|(?<=[.;\n]))(?P<rule>[^.;,\n]{0,80}\b(?:each|all|every|apiece)\b[^.;,\n]{0,80}?)"
    r"(?P<other>,?\s+(?:apart\s+from|except(?:\s+for)?|but|other\s+than|excluding)\s[^.;\n]{0,80})?(?=[.;,\n]|\Z)",
    re.IGNORECASE,
)
SEPARATES = r"\s*(?:[,;/|]\s*(?:and\s)?|\band\b|\s)\s*"
ONE_OF_A_LIST = r"[~≈]?\.?\d[\d.]*(?:\s?%)?"
CORRECTS = re.compile(
    r"[^.!?\n]*\b(?:actually|correction|wait|I\s+meant|on\s+reflection|on\s+second\s+thoughts?|should\s+be|instead|make\s+(?:it|that)"
    r"|(?:I|let\s+me)(?:['’](?:d|ll)|\s+(?:would|will|should|have))?\s+(?:\w+\s+)?(?:chang|revis|lower|rais|adjust)\w*)\b",
    re.IGNORECASE,
)
ALL = re.compile(r"\b(?:all(?:\s+(?:four|of\s+them|questions))?|each|every)\b", re.IGNORECASE)


class _Number(NamedTuple):
    """A number, what it counts as far as its name or unit says it, and both of what it may be worth."""

    at: int
    quantity: Quantity | None
    amount: Amount | None
    tokens: float | None


def read_expectations(text: str, labels: Sequence[str], wanted: Sequence[Quantity] = ("correct", "tokens")) -> Reading:
    """Of each label the quantities that are stated of it, as its value: a map of maps; what is stated last of a label
    counts. Nothing is read unless two labels at least have all that is wanted, or all labels have the same part of it.
    """
    plain = NEVER_WRONG.sub(lambda match: "correct".ljust(len(match[0])), plain_text(text))
    plain = _relabelled(TOKEN_RANGE.sub(_middle, _uncommented(plain)[-LAST:]), labels)
    match = _by_label(plain, labels)
    if not _enough(match, labels, wanted):
        match = _of_all(plain, labels, wanted) or match
    if not _enough(match, labels, wanted):
        return unreadable(text)
    return conclude(text, [Commitment(0, len(plain), match)], of_a_request=True)


def read_revised(text: str, labels: Sequence[str], reading: Reading) -> Reading:
    """The reading of an object, where what stands behind it corrects some of it: "I'd change Q2 to 0.4, 600 tokens"."""
    plain = plain_text(text)
    behind = plain[next((end for _, end, _ in objects(plain, labels[0])), len(plain)) :]
    corrects = CORRECTS.search(behind)
    changed = _by_label(_uncommented(behind[corrects.start() :]), labels) if corrects else {}
    value = {label: {**each, **changed.get(label, {})} for label, each in reading.value.items()}
    return msgspec.structs.replace(reading, value=value) if changed else reading


def _relabelled(text: str, labels: Sequence[str]) -> str:
    """A text that names no label, with labels for other names of the questions: a word before their numbers, in their
    order, or "the first" to "the fourth".
    """
    if re.search(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, labels))})(?!\w)", text, re.IGNORECASE):
        return text
    bare = BARE.findall(text) if not re.sub(r"json|[][\s(),;`]", "", BARE.sub("", text)) else []
    each, rest = divmod(len(bare), len(labels))  # "[0.9, 0.8, 0.95, 0.7]", "[[0.9, 50], ...]"
    chances = bare[::each] if each in (1, 2) and not rest else []
    if any(not p.isdigit() for p in chances) and all(float(p.strip("%")) <= (100 if "%" in p else 1) for p in chances):
        rows = (", tokens ".join(bare[n * each : (n + 1) * each]) for n in range(len(labels)))
        return "\n".join(f"{label}: correct {row}" for label, row in zip(labels, rows, strict=True))
    numbers: dict[str, list[re.Match[str]]] = {}
    for match in BEFORE_A_NUMBER.finditer(text):
        numbers.setdefault(match["word"].lower(), []).append(match)
    order = [str(n + 1) for n in range(len(labels))]
    named = [each for each in numbers.values() if [match["n"] for match in each] == order]
    ordinals = list(re.finditer(rf"\b(?:{'|'.join(ORDINALS)})\b(?:\s+question\b)?", text, re.IGNORECASE))
    if [match[0].split()[0].lower() for match in ordinals] == list(ORDINALS[: len(labels)]):
        named.append(ordinals)
    for label, match in zip(labels[::-1], named[0][::-1], strict=True) if len(named) == 1 else ():
        text = f"{text[: match.start()]}{label}{text[match.end() :]}"
    return text


def _middle(stated: re.Match[str]) -> str:
    """A range of tokens as the whole number in its middle, place for place; as it is, where it does not go up."""
    low, high = int(stated["low"]), int(stated["high"])
    middle = f"{stated['name']}{(low + high) // 2}"
    return middle.ljust(len(stated[0])) if low < high else stated[0]


def _uncommented(text: str) -> str:
    return COMMENTS.sub(lambda match: " " * len(match[0]), text)


def _enough(match: Expected, labels: Sequence[str], wanted: Sequence[Quantity]) -> bool:
    whole = [label for label in labels if match.get(label, {}).keys() >= set(wanted)]
    return len(whole) > 1 or any(all(quantity in match.get(label, {}) for label in labels) for quantity in wanted)


def _by_label(text: str, labels: Sequence[str]) -> Expected:
    """What stands behind each label, up to the next one; and what lists and rows of as many numbers say of them all."""
    match: Expected = {}
    heads = _heads(text, labels)
    scale: dict[str, tuple[Quantity, Amount]] = {}
    text, listed = _listed(text, labels)
    text, shared = _shared(text, labels)
    listed += shared
    text, counted = _counted_for(text, labels)
    for label, start, end, before, head in _stretches(text, labels):
        stretch = text[start : min(end, start + LONGEST)]
        if _turns(stretch) or EXCEPTS.search(before[-NEAR:]):
            continue
        may_be_alone = bool(counted) or before.rfind("{") > before.rfind("}")
        for quantity, number in _named_in(stretch, _enclosing(before) or head, heads, may_be_alone).items():
            if quantity == "tokens" and number.tokens:
                match.setdefault(label, {})["tokens"] = number.tokens
            elif quantity != "tokens" and number.amount is not None:
                scale[label] = quantity, number.amount
    for quantity, numbers in listed:
        for label, number in zip(labels, numbers, strict=True):
            if quantity == "tokens" and number.tokens:
                match.setdefault(label, {}).setdefault("tokens", number.tokens)
            elif quantity != "tokens" and number.amount is not None:
                scale.setdefault(label, (quantity, number.amount))
    for label, tokens in counted.items():
        match.setdefault(label, {}).setdefault("tokens", tokens)
    values = on_one_scale({label: amount for label, (_, amount) in scale.items()})
    for label, value in values.items():
        match.setdefault(label, {})["correct"] = value if scale[label][0] == "correct" else round(1 - value, 9)
    return {label: match[label] for label in labels if label in match}


def _turns(stretch: str) -> bool:
    """Whether what states the numbers of a label denies, supposes or asks, or is taken back: "Q4: 70%. I would not need
    many tokens" denies nothing of it.
    """
    digits = [match.end() for match in re.finditer(r"\d", stretch)]
    stop = STOP.search(stretch, digits[-1]) if digits else None
    statement = stretch[: stop.end()] if stop else stretch
    return TURNS.search(statement) is not None or withdrawn(stretch, len(statement))


def _named_in(
    stretch: str, head: Quantity | None, heads: Sequence[Quantity], may_be_alone: bool
) -> Mapping[Quantity, _Number]:
    """The numbers of a label by quantity, remarks in brackets aside where there are enough without them. The only value
    of a label in an object, a fraction, is its probability.
    """
    if (revised := list(IN_PLACE.finditer(stretch))) and (numbers := list(_numbers(stretch[revised[-1].end() :]))):
        earlier = _named_in(stretch[: revised[-1].start()], head, heads, may_be_alone)
        first = numbers[0].quantity or _by_size(numbers[0])
        later = _named(numbers, head, ()) if len(numbers) > 1 else {first: numbers[0]}
        return {**earlier, **later}
    columns = heads if stretch.lstrip().startswith("|") else ()
    bare = REMARK.sub(lambda match: " " * len(match[0]), stretch)
    named = _named(list(_numbers(bare)), head, columns)
    named = named if len(named) == 2 else _named(list(_numbers(stretch)), head, columns) or named
    title = TITLE.match(stretch)
    if len(named) < 2 and title and not NAMES.search(title[0]):
        named = _named(list(_numbers(stretch[title.end() :])), head, columns) or named
    numbers = list(_numbers(stretch))
    if not named and len(numbers) == 1 and may_be_alone and "." in stretch and _by_size(numbers[0]) == "correct":
        return {"correct": numbers[0]}
    return named


def _listed(text: str, labels: Sequence[str]) -> tuple[str, list[tuple[Quantity, list[_Number]]]]:
    """Lists of as many numbers as there are labels, each with the quantity that it is headed by or is in the unit of;
    and the text without them.
    """
    names = "|".join(map(re.escape, labels))
    pattern = re.compile(
        rf"(?<![\w.%])(?<!\d\s)(?<!\d,\s)(?<!\d,)({ONE_OF_A_LIST}(?:{SEPARATES}{ONE_OF_A_LIST}){{{len(labels) - 1}}})"
        r"(?![\w%]|[.,;/]?\s?\d)"
    )
    listed: list[tuple[Quantity, list[_Number]]] = []
    done = 0
    for match in list(pattern.finditer(text)):
        begun = max(done, *(text.rfind(mark, 0, match.start()) + 1 for mark in ("\n", ". ", "; ")))
        lead = text[begun : match.start()]
        labelled = re.findall(rf"(?<!\w)(?:{names})(?!\w)", lead)
        if labelled and labelled not in (list(labels), [labels[0], labels[-1]]):
            continue
        quantity = "tokens" if UNIT.match(text, match.end()) else _of_names(lead)
        numbers = [next(_numbers(part), None) for part in re.findall(ONE_OF_A_LIST, match[0])]
        known = [number for number in numbers if number]
        if quantity and len(known) == len(labels) and not TURNS.search(lead):
            listed.append((quantity, known))
            text = text[:begun] + " " * (match.end() - begun) + text[match.end() :]
            done = match.end()
    return text, listed


def _shared(text: str, labels: Sequence[str]) -> tuple[str, list[tuple[Quantity, list[_Number]]]]:
    """What a sentence before or behind all of the labels says of each of them, perhaps with an exception: "About 20
    tokens each, apart from Q3 with 300"; and the text without it.
    """
    label = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, labels))})(?!\w)", re.IGNORECASE)
    shared: list[tuple[Quantity, list[_Number]]] = []
    for match in OF_EACH.finditer(text) if label.search(text) else ():
        rule, exceptional = list(_numbers(match["rule"])), list(_numbers(match["other"] or ""))
        exceptions = [each.upper() for each in label.findall(match["other"] or "")]
        is_within = label.search(text, 0, match.start()) and label.search(text, match.end())
        if is_within or label.search(match["rule"]) or len(rule) != 1 or len(exceptional) != bool(match["other"]):
            continue
        quantity = rule[0].quantity
        if (
            quantity
            and COUNTS_EACH.search(match["rule"])
            and not TURNS.search(match["rule"])
            and not PAST.search(match["rule"])
            and (not match["other"] or exceptions)
        ):
            shared.append((quantity, [exceptional[0] if name in exceptions else rule[0] for name in labels]))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text, shared


def _counted_for(text: str, labels: Sequence[str]) -> tuple[str, dict[str, float]]:
    """The tokens that a sentence counts for labels behind them, and the text without it: "30 tokens for each of the
    first three, and 150 for Q4".
    """
    name = f"(?:{'|'.join(map(re.escape, labels))})"
    first = "|".join(f"first {SMALL[n]}" for n in range(2, len(labels)))
    pattern = re.compile(
        rf"(?<![\w.,])(?P<n>\d{{1,6}})(?:\s+tok\w*)?\s+(?:for|on|to)\s+(?:each\s+of\s+)?"
        rf"(?P<labels>{name}(?:(?:,\s|,?\s+and\s+){name}(?!\w))*|the\s+(?P<first>{first}))(?!\w)",
        re.IGNORECASE,
    )
    counted: dict[str, float] = {}
    for sentence in SENTENCE.finditer(text):
        match = list(pattern.finditer(sentence[0]))
        if len(match) < 2 or not _is_of_tokens(sentence[0]):
            continue
        for each in match:
            named = re.findall(name, each["labels"].upper())
            named = list(labels[: SMALL.index(each["first"].lower().split()[1])]) if each["first"] else named
            counted |= dict.fromkeys(named, float(each["n"]))
        text = text[: sentence.start()] + " " * len(sentence[0]) + text[sentence.end() :]
    return text, counted


def _is_of_tokens(sentence: str) -> bool:
    """Whether a sentence speaks of tokens to come, and of no other quantity."""
    named = {_quantity(name) for name in NAMES.finditer(sentence)}
    return named == {"tokens"} and not TURNS.search(sentence) and not PAST.search(sentence)


def _of_names(words: str) -> Quantity | None:
    """The quantity that some words name; "P(wrong)" has both names in it, and is of the wrong answers."""
    names = [_quantity(name) for name in NAMES.finditer(words)]
    return "wrong" if "wrong" in names else names[-1] if names else None


def _stretches(text: str, labels: Sequence[str]) -> Iterator[tuple[str, int, int, str, Quantity | None]]:
    """Each label, where what belongs to it begins and ends, what stands before it in its object, and the quantity that
    is named at the head of it and those before it.
    """
    names = "|".join(rf"{re.escape(label[0])}_?\{{?{re.escape(label[1:])}\}}?" for label in labels)
    pattern = re.compile(
        rf"(?<![^\W_])(?:(?P<label>{names})|(?P<sign>[TP])_?\{{?(?P<m>[1-{len(labels)}])\}}?|(?:{QUESTION})\s?(?P<n>[1-{len(labels)}]))"
        r"(?!\w)[\"'”*_`)\]]*",
        re.IGNORECASE,
    )
    marks = [(_label(match, labels), match.start(), match.end(), match["sign"]) for match in pattern.finditer(text)]
    if not marks:
        marks = [(*mark, None) for mark in _numbered(text, labels)]
    group: list[str] = []
    head: Quantity | None = None
    begun = 0
    is_torn = text.rfind("{") > text.rfind("}")
    for (label, start, end, sign), after in zip_longest(marks, marks[1:]):
        stop = after[1] if after else len(text)
        lead = text[max(begun, text.rfind("\n\n", 0, max(start - 3, 0)), start - 100) : start]
        if (heading := HEADS.search(lead)) and (quantity := _of_names(heading[0])):
            head = quantity
        begun = end
        group.append(label)
        if after and AND.fullmatch(text, end, stop):
            continue  # "Q1, Q2: 99%": what follows is of both
        paragraph = text.find("\n\n", end, stop)
        sought: Quantity | None = {"T": "tokens", "P": "correct"}[sign.upper()] if sign else head  # type: ignore[assignment]
        if after or not is_torn:
            yield from ((each, end, paragraph if paragraph >= 0 else stop, text[:start], sought) for each in group)
        group = []


def _label(match: re.Match[str], labels: Sequence[str]) -> str:
    digits = re.sub(r"\D", "", match["label"] or match["m"] or match["n"])
    return labels[int(digits) - 1]


def _numbered(text: str, labels: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """The lines of a numbered list, where its numbers are as many as the labels and in their order."""
    lines = list(re.finditer(r"^[ \t]*(?:[*_]{0,2}(\d{1,2})[.):]\s|\|\s*(?P<cell>\d)\s*(?=\|))", text, re.MULTILINE))
    if [line[1] or line["cell"] for line in lines] == [str(n + 1) for n in range(len(labels))]:
        yield from ((label, line.start(), line.end()) for label, line in zip(labels, lines, strict=True))


def _enclosing(before: str) -> Quantity | None:
    """The quantity whose object a label stands in: {"correct": {"Q1": ..."""
    opening = before.rfind("{")
    lead = NAMES.search(before, max(opening - 40, 0), opening) if opening >= 0 else None
    return _quantity(lead) if lead and re.fullmatch(r"[\"'\s:]*", before[lead.end() : opening]) else None


def _heads(text: str, labels: Sequence[str]) -> Sequence[Quantity]:
    """The quantities in the order of the columns of a table, from the last line of heads before its rows."""
    for line in text.splitlines():
        match = [name for cell in line.split("|") if (name := _of_names(cell))]
        of_a_row = any(label in line for label in labels)
        if line.count("|") > 2 and len(match) == 2 and len(set(match)) == 2 and not of_a_row:
            return match
    return ()


def _quantity(name: re.Match[str]) -> Quantity | None:
    return next((each for each in ("correct", "tokens", "wrong") if name[each]), None)


def _numbers(stretch: str) -> Iterator[_Number]:
    """The numbers in a stretch, each with the name that stands nearest before it, or the unit behind it."""
    stretch = ROW.sub(lambda match: match[0].replace(",", " "), stretch)
    stretch = PAIR.sub(lambda match: match[0].replace("/", " "), stretch)
    counts = {match.start(): match for match in COUNT.finditer(stretch)}
    probabilities = {amount.start: amount for amount in amounts(stretch) if not _is_a_word(stretch, amount)}
    taken = 0
    for at in sorted({*counts, *probabilities}):
        if at < taken:
            continue
        count, amount = counts.get(at), probabilities.get(at)
        is_range = amount is not None and amount.number is None and amount.value is None
        end = max(count.end() if count else 0, amount.end if amount and (count is None or is_range) else 0)
        name = _nearest(stretch, taken, at)
        unit = UNIT.match(stretch, end) if count else None
        in_tokens = unit is not None
        name = _quantity_behind(stretch, end, name)
        bounded = is_range or BOUNDED.search(stretch[max(at - NEAR, 0) : at]) is not None
        quantity: Quantity | None = "tokens" if in_tokens else name
        if amount is not None and not amount.plain and not in_tokens:
            quantity, count = "wrong" if name == "wrong" else "correct", None
            end = amount.end
        spelled_out = amount is not None and stretch[at].isalpha() and count is None
        in_words = amount.number if amount and quantity == "tokens" and spelled_out else None
        counts_other = not in_tokens and (
            OF_ANOTHER.match(stretch, end) or (quantity is None and AFTER_ANOTHER.search(stretch, taken, at))
        )
        counted = None if counts_other else _count(count) if count else in_words
        yield _Number(at, quantity, None if bounded else amount, None if bounded else counted)
        taken = unit.end() if unit else end


def _quantity_behind(stretch: str, end: int, named: Quantity | None) -> Quantity | None:
    """The quantity of a number by what follows it in its clause: "5% chance of error", "0.7 correct"."""
    clause = re.compile(r"[^\d,;.\n]{0,40}").match(stretch, end)
    behind = _of_names(clause[0]) if clause else None
    return behind if behind == "wrong" or (named is None and behind == "correct") else named


def _is_a_word(stretch: str, amount: Amount) -> bool:
    """Whether a bare number is a word that only counts something: "all four", "every one". Behind the name of a
    quantity it is none of these: "Tokens: thirty".
    """
    named = stretch[max(amount.start - NEAR, 0) : amount.start].rstrip().endswith((":", "="))
    return amount.plain and stretch[amount.start].isalpha() and not named


def _nearest(stretch: str, begun: int, at: int) -> Quantity | None:
    names = list(NAMES.finditer(stretch, begun, at))
    return _quantity(names[-1]) if names else None


def _count(match: re.Match[str]) -> float:
    if match["whole"]:
        return float(re.sub(r"\D", "", match["whole"]))
    return 1000 * float(match["part"])


def _named(
    numbers: Sequence[_Number], enclosing: Quantity | None, heads: Sequence[Quantity]
) -> Mapping[Quantity, _Number]:
    """Which of a label's numbers is which; nothing where there are others, or one may be either."""
    numbers = _without_complement(numbers)
    named: dict[Quantity, _Number] = {n.quantity: n for n in numbers if n.quantity}
    if len(named) == 2 and len([n for n in numbers if n.quantity]) == 2:
        return named
    if len(numbers) == 1:
        (number,) = numbers
        return {enclosing: number} if enclosing else named
    if len(numbers) != 2:
        return _clear(numbers)
    if heads:
        return dict(zip(heads, numbers, strict=True))
    by_quantity = {number.quantity or _by_size(number): number for number in numbers}
    return by_quantity if len(by_quantity) == 2 and "tokens" in by_quantity else {}


def _without_complement(numbers: Sequence[_Number]) -> Sequence[_Number]:
    """The numbers without the probability of a wrong answer, where that of a right one is stated too and makes it 1."""
    chances = {n.quantity: n.amount.value for n in numbers if n.amount and n.amount.value is not None}
    if abs((chances.get("correct") or 0.0) + (chances.get("wrong") or 0.0) - 1) > 1e-9 or "wrong" not in chances:
        return numbers
    return [n for n in numbers if n.quantity != "wrong"]


def _clear(numbers: Sequence[_Number]) -> Mapping[Quantity, _Number]:
    """The one number of tokens, in their unit or by their name, and the only fraction of 1, among others without a name
    that are neither.
    """
    tokens = [n for n in numbers if n.quantity == "tokens" and n.tokens]
    chances = [n for n in numbers if n.quantity != "tokens" and n.amount and 0 < (n.amount.value or 0) < 1]
    if len(tokens) != 1 or len(chances) != 1:
        return {}
    return {chances[0].quantity or "correct": chances[0], "tokens": tokens[0]}


def _by_size(number: _Number) -> Quantity:
    """From 0 to 1 it is a probability, above that a number of tokens."""
    return "correct" if number.amount is not None and number.amount.value is not None else "tokens"


def _of_all(text: str, labels: Sequence[str], wanted: Sequence[Quantity]) -> Expected | None:
    """One sentence about all of the questions, where no label is named."""
    if any(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) for label in labels):
        return None
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
        if len(sentence) > LONGEST or not ALL.search(sentence):
            continue
        stated = list(_numbers(sentence))
        if any(number.amount is None and not number.tokens for number in stated):
            continue  # a range, or a bound
        numbers = [number for number in stated if number.quantity]
        if TURNS.search(sentence) or len(numbers) != len(wanted):
            continue
        named = _named(numbers, None, ())
        correct, tokens = named.get("correct"), named.get("tokens")
        if correct and tokens and correct.amount and correct.amount.value is not None and tokens.tokens:
            return {label: {"correct": correct.amount.value, "tokens": tokens.tokens} for label in labels}
    return None
