"""Numbers of a question, each a probability of being right or wrong, or a number of tokens, by name, unit or form."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from selfexec.readers.probability.amounts import SET_TO, WORD, Amount, amounts
from selfexec.text.regex import regex

Quantity = Literal["correct", "tokens", "wrong"]

Expected = dict[str, dict[str, float]]  # label -> quantity -> number

NEAR = 30  # characters before a number that may bound it

CORRECT_NAME = (
    r"(?:(?!in)\w*correct\w*|probabilit\w*|prob|chances?|likelihood|accuracy|confidence|right|success|richtig\w*"
    r"|Wahrscheinlichkeit\w*|(?:正答|正解|正确|答对|정답)\w{0,2}?|概率|確率|几率|확률|p(?=\s*(?:\(|[=:\"'|])))"
)

WRONG_NAME = r"(?:\w*incorrect\w*|\w*wrong\w*|errors?|fail\w*|mistakes?|falsch\w*|scheiter\w*"
WRONG_NAME += r"|(?:答错|错误|不正解|誤答|間違い|오답)(?:[的の]?\s?(?:概率|確率|几率|可能性|率|확률))?)"

TOKENS_NAME = r"(?:\w*tokens?|toks?|jetons?|length|トークン数?|令牌数?|词元数?|토큰|t(?=\s*[=:\"'|]))"

NAMES = regex(
    rf"(?<!{WORD})(?:(?P<wrong>{WRONG_NAME})|(?P<correct>{CORRECT_NAME})|(?P<tokens>{TOKENS_NAME}))(?!{WORD})",
    re.IGNORECASE,
)

# "1,200", "1.2k": thousands of tokens, which are no decimal fractions
COUNT = regex(
    rf"(?<!{WORD})(?<![./])(?<!(?<!%),)"
    r"(?:(?P<whole>[1-9]\d{0,2}(?:[.,’' ]\d{3})+|\d{1,7})|(?P<part>\d{1,4}(?:\.\d{1,3})?)\s?k)"
    rf"(?!(?!t(?:ok\w*)?\b){WORD}|[.,]\d)",
    re.IGNORECASE,
)

PAIR = regex(r"(?<![\w.])(?:[01]?[.]\d+|[01]\.0)\s?/\s?(?=[2-9]|\d{2})")  # ".95/50": a probability and tokens

ROW = regex(
    r"\A,(?:(?:[01]?\.\d+|[01]|\d{1,3}%),\d+|\d+,(?:[01]?\.\d+|[01]|\d{1,3}%))[ \t]*$", re.MULTILINE
)  # ",0.95,40"

UNIT = regex(r"[ \t\xa0]{0,2}(?:[个個]の?\s?)?(?:tokens?|toks?\b|jetons?\b|t\b|トークン|令牌|词元|토큰)", re.IGNORECASE)

BOUNDED = regex(
    r"(?:[<>≤≥]|\b(?:under|over|below|above|less\s+than|more\s+than|at\s+(?:least|most)|up\s+to|fewer\s+than|by))\s*~?\Z",
    re.IGNORECASE,
)

# "14 groups of order 16", "Year: 1871": a number of something else
OF_ANOTHER = regex(r"[ ](?!tok|jetons)[a-z]{2,}s\b(?<!\bis)(?<!\bas)(?<!\bplus)")

AFTER_ANOTHER = regex(r"[a-z]{2,}\s?[:=]\s?\Z")

TURNS = regex(r"\b(?:if|unless|not|never|n['’]t|another|others?|for\s+example|e\.g\.)\b|\?", re.IGNORECASE)

# "Each took 20 tokens" says what was done
PAST = regex(r"\b(?:took|used|spent|needed|wrote|cost|were|was)\b", re.IGNORECASE)


# what the answer says, “2%”, and what an equation comes to
QUOTED = regex(r"(?<=[a-z]\s)[“\"][^“”\"\n:]{1,40}[”\"]|(?<=[)\d])\s?=\s?-?\d+\b(?![.%])")
# "the answer is 34%", "in 2017", "Statement 2", "{1, -1}": what the question or its answer holds
OF_THE_QUESTION = regex(
    r"\banswer\s(?:\w+\s){0,3}?(?:is|was)\s[~≈]?\d[\d.,]*\s?%?(?!\s?(?:likely|sure|certain|correct|right|chance|prob))"
    r"|\b(?:in|of|since|by|from|until)\s(?:1[5-9]|20)\d\d(?![\d.,]|\s?t(?:ok|\b))"
    r"|\b(?:statement|step|scenario|option|part|figure|case|level)\s\d{1,2}(?![\d.%])|[,({=]\s?-\d+(?![\d.%])",
    re.IGNORECASE,
)
CLAUSE = regex(r"[^\d,;.\n]{0,40}")


class Number(NamedTuple):
    """A number, what it counts as far as its name or unit says it, and both of what it may be worth."""

    at: int
    quantity: Quantity | None
    amount: Amount | None
    tokens: float | None


def quantity_named(words: str) -> Quantity | None:
    """The quantity that some words name; "P(wrong)" has both names in it, and is of the wrong answers."""
    names = [quantity_of(name) for name in NAMES.finditer(words)]
    return "wrong" if "wrong" in names else names[-1] if names else None


def quantity_of(name: re.Match[str]) -> Quantity | None:
    return next((each for each in ("correct", "tokens", "wrong") if name[each]), None)


def numbers_in(stretch: str) -> Iterator[Number]:
    """The numbers in a stretch, each with the name that stands nearest before it, or the unit behind it."""
    stretch = QUOTED.sub(lambda match: " " * len(match[0]), stretch)
    stretch = OF_THE_QUESTION.sub(lambda match: re.sub(r"[\d.,%]", " ", match[0]), stretch)
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
        if unit and name not in (None, "tokens") and _names_the_next(stretch, unit):
            unit = None
        in_tokens = unit is not None
        name = _quantity_behind(stretch, end, name)
        before = stretch[max(at - 2 * NEAR, 0) : at]
        bounded = is_range or (BOUNDED.search(before) is not None and not SET_TO.search(before))
        quantity: Quantity | None = "tokens" if in_tokens else name
        middle = _middle(stretch[at:end]) if is_range and quantity in ("tokens", None) else None
        if amount is not None and not amount.plain and not in_tokens and middle is None:
            quantity, count = "wrong" if name == "wrong" else "correct", None
            end = amount.end
        spelled_out = amount is not None and stretch[at].isalpha() and count is None
        in_words = amount.number if amount and quantity == "tokens" and spelled_out else None
        counts_other = not in_tokens and (
            OF_ANOTHER.match(stretch, end) or (quantity is None and AFTER_ANOTHER.search(stretch, taken, at))
        )
        counted = None if counts_other else _count(count) if count else in_words
        yield Number(at, quantity, None if bounded else amount, middle or (None if bounded else counted))
        taken = unit.end() if unit else _behind_its_name(stretch, end, quantity)


def _names_the_next(stretch: str, unit: re.Match[str]) -> bool:
    """Whether what looks like the unit of a number is the name of the next one: "correct 95 tokens 40"."""
    behind = re.compile(r"[ \t]?[:=]?[ \t]?[~≈]?\d[\d.,]*(?!\s?%)").match(stretch, unit.end())
    return behind is not None and UNIT.match(stretch, behind.end()) is None


def _middle(words: str) -> float | None:
    """The middle of a range of tokens. A range of probabilities states none."""
    ends = [_count(match) for match in COUNT.finditer(words)]
    return (ends[0] + ends[1]) // 2 if len(ends) == 2 and ends[0] < ends[1] and "%" not in words else None


def _behind_its_name(stretch: str, end: int, quantity: Quantity | None) -> int:
    """Where what belongs to a number ends: its name behind it names no further number, as in "35% wrong, 65% right"."""
    clause = CLAUSE.match(stretch, end)
    name = NAMES.search(stretch, end, clause.end()) if clause and quantity else None
    return name.end() if name and quantity_of(name) == quantity else end


def _quantity_behind(stretch: str, end: int, named: Quantity | None) -> Quantity | None:
    """The quantity of a number by what follows it in its clause: "5% chance of error", "0.7 correct"."""
    clause = CLAUSE.match(stretch, end)
    behind = quantity_named(clause[0]) if clause else None
    return behind if behind == "wrong" or (named is None and behind == "correct") else named


def _is_a_word(stretch: str, amount: Amount) -> bool:
    """Whether a bare number is a word that only counts something: "all four", "every one". Behind the name of a
    quantity it is none of these: "Tokens: thirty".
    """
    named = stretch[max(amount.start - NEAR, 0) : amount.start].rstrip().endswith((":", "="))
    return amount.plain and stretch[amount.start].isalpha() and not named


def _nearest(stretch: str, begun: int, at: int) -> Quantity | None:
    names = list(NAMES.finditer(stretch, begun, at))
    return quantity_of(names[-1]) if names else None


def _count(match: re.Match[str]) -> float:
    if match["whole"]:
        return float(re.sub(r"\D", "", match["whole"]))
    return 1000 * float(match["part"])


def told_apart(
    numbers: Sequence[Number], enclosing: Quantity | None, heads: Sequence[Quantity]
) -> Mapping[Quantity, Number]:
    """Which of a label's numbers is which; nothing where there are others, or one may be either."""
    numbers = _without_complement(numbers)
    named: dict[Quantity, Number] = {n.quantity: n for n in numbers if n.quantity}
    if len(named) == 2 and len([n for n in numbers if n.quantity]) == 2:
        return named
    if len(numbers) == 1:
        (number,) = numbers
        return {enclosing: number} if enclosing else named
    if len(numbers) != 2:
        return _clear(numbers)
    if heads:
        return dict(zip(heads, numbers, strict=True))
    by_quantity = {number.quantity or by_size(number): number for number in numbers}
    return by_quantity if len(by_quantity) == 2 and "tokens" in by_quantity else {}


def _without_complement(numbers: Sequence[Number]) -> Sequence[Number]:
    """The numbers without the probability of a wrong answer, where that of a right one is stated too and makes it 1."""
    chances = {n.quantity: n.amount.value for n in numbers if n.amount and n.amount.value is not None}
    if abs((chances.get("correct") or 0.0) + (chances.get("wrong") or 0.0) - 1) > 1e-9 or "wrong" not in chances:
        return numbers
    return [n for n in numbers if n.quantity != "wrong"]


def _clear(numbers: Sequence[Number]) -> Mapping[Quantity, Number]:
    """The one number of tokens, in their unit or by their name, and the only fraction of 1, among others without a name
    that are neither.
    """
    tokens = [n for n in numbers if n.quantity == "tokens" and n.tokens]
    chances = [n for n in numbers if n.quantity != "tokens" and n.amount and 0 < (n.amount.value or 0) < 1]
    if len(tokens) != 1 or len(chances) != 1:
        return {}
    return {chances[0].quantity or "correct": chances[0], "tokens": tokens[0]}


def by_size(number: Number) -> Quantity:
    """From 0 to 1 it is a probability, above that a number of tokens."""
    return "correct" if number.amount is not None and number.amount.value is not None else "tokens"
