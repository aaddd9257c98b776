"""Which of its two sides a statement of probability is about: that the claim comes true, or that it does not.

"A chance of 10% that I get it wrong" states 90% of a right answer. It does so only where the number belongs to the
other side by its grammar: "that ..." or "of ..." behind it, "with a probability of" behind the verb, or the name of a
side before a colon or in a cell of a table. A prediction with a number behind it ("I would refuse: 90%", "I would not
answer this, so 5%") says which side the number belongs to by being above or below a half.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from selfexec.readers.probability.amounts import ABOUT, ROUNDING, Amount, amounts, in_odds, is_split
from selfexec.readers.result import Side
from selfexec.text.regex import regex

# in languages that put no blanks between words
UNSPACED = r"(?:概率|可能性|几率|機率|或然率|把握|信心|確率|自信|확률|가능성)"
NOUNS = (
    r"prob(?:abilit(?:y|ies|é|à)|abilidade?)?|chances?|likelihood|odds|Wahrscheinlichkeit|вероятност\w{1,2}"
    rf"|{UNSPACED}"
)
CHANCE = rf"(?:{NOUNS}|risk|confidence|P)"
SURE = r"(?:sure|certain|confident|likely|sicher)"
# "not sure" and "not only" say nothing of a side
QUALIFIES = r"(?:sure|certain|only|quite|entirely|really|just|much|too|necessarily)"
NOT = regex(
    rf"n['’]t\b|\bnon-|¬|[不没]|\b(?:not|never|nicht|pas|jamais|nunca|non|не)\b(?!\s+{QUALIFIES}\b)|\bno\b(?!\s+(?:more|less|idea|doubt|way|reason))",
    re.IGNORECASE,
)
UNSURE = regex(
    rf"\b(?:not|n['’]t)\s+{QUALIFIES}\b|\bno\s+(?:more|less|idea|doubt|way|reason)\b|\?|\b(?:if|unless|whether|suppose"
    r"|assuming|others?|another|people|person|someone|somebody|average|typical|for\s+example|for\s+instance|e\.g\.)\b",
    re.IGNORECASE,
)
OF_THE_KEY = regex(r"\b[A-D]\)?\s+(?:is|being|was)\b")  # "B is right" says it of an option, not of an answer
WITHOUT = regex(r"\bwithout\s+\w+(?:\s+\w+)?", re.IGNORECASE)
# "thirty percent that I would": the verb is the one of the question
AS_ASKED = regex(
    rf"\W*(?:(?:chance|probability|likelihood|{SURE})\s+)?(?:that\s+)?(?:I|it|my\s+\w+)?"
    r"(?:['’](?:d|ll)|\s*\b(?:would|will|do|does))(?:\s?n['’o]t|\s+not)?\W*",
    re.IGNORECASE,
)
HIGHEST = 100  # a bare number above this is none of a probability on any scale
LETTERED = regex(r"\b[AB]\b[.:)]?|[()\"“”*_`]|(?<!\w)'|'(?!\w)")  # the letters of the two sides
IDENTIFIER = regex(r"[A-Za-z]+_[A-Za-z]\w*")  # "`EXIT_FAILURE` (1)" is code
# where the words about a side end: what follows is a reason, or something else
GOES_ON = regex(
    r"[,;:()\[|–—]|\s-\s|\b(?:because|since|as(?=\s+(?:I|it|this|that|the|my|there|they)\b)|though|although|but|given"
    r"|while|whereas)\b",
    re.IGNORECASE,
)
# an answer with one wrong part is wrong; one with a right part need not be right
ONE_OR_MORE = regex(r"\b(?:at\s+least\s+one|one\s+or\s+more)\s+", re.IGNORECASE)
IN_THE_REST = regex(
    r"[,;]?\s+(?:and\s+|but\s+)?(?:otherwise|(?:in\s+)?(?:all\s+)?(?:the\s+)?other\s+cases|(?:for\s+)?the\s+rest\s+of\s+the\s+time),?\s+(?=I\b|it\b)",
    re.IGNORECASE,
)
JOINT = regex(
    r"\s*[,;/|](?:\s*(?:and|but|so|while|whereas|then)\b)?\s*|\s+(?:and|but|while|whereas|versus|vs\.?)\s+",
    re.IGNORECASE,
)
BEHIND = regex(
    rf"\s?[的の의]?\s?{UNSPACED}[でに으로]{{0,2}}|[\s*_`)]{{0,3}}(?:(?:(?:{CHANCE}|{SURE})\s+(?:of|for|to|that)|that|(?:of\s+)?the\s+time)\b"
    rf"|(?:of\s+)?(?:cases|times|runs|tries|attempts)\b|(?:{CHANCE}|{SURE})\s+(?=(?:I|my|it|this|the)\b)|(?=I['’]d\b|I['’]ll\b|I\s+[a-z]+))",
    re.IGNORECASE,
)
IN_BRACKETS = regex(rf"\b(?:{CHANCE}|(?:un)?likely|{SURE})\s{{0,2}}\(\s{{0,2}}[~≈]?\s?\Z", re.IGNORECASE)
IN_FAVOUR = regex(
    r"[\s*_`]{0,3}(?:(?:for|of|on|in\s+favou?r\s+of|against)\s+)?(?:(?:my|me|its?|an?|the|full|actually)\s+){0,2}",
    re.IGNORECASE,
)
FOR_OR_AGAINST = regex(r"\s{1,2}(?:in\s+favou?r\s+of|against)\b", re.IGNORECASE)
BEFORE = regex(
    rf"\b{CHANCE}\b\s{{0,2}}(?:that|,?\s?dass|of|for|to|(?:de\s|di\s)?(?:que|qu['’]|che)|d[eio']|de[sr]|eine[sr]|(?P<against>against)|\(|(?=(?:I|it|my)\b))"
    r"(?P<side>\s{0,2}[^\s.;:=|][^.;:=|]{0,119}?)\)?[*_`]{0,3}\s{0,2}"
    r"(?:[:=≈(]|(?<=\)\s)|\b(?:is|are|at|as|to|would\s+be|bei|ist|beträgt|est|es|è|é)\b(?![^.;|]*[:=]))[^.;|]{0,40}\Z"
    rf"|(?P<modifier>[^\s。，、；：,;:.\d]{{1,30}}?)的?{UNSPACED}[^。；;\d]{{0,12}}\Z",
    re.IGNORECASE,
)
WITH = regex(
    rf"\b(?:with|at|ha(?:s|ve)|mit|avec|con|com)\s+(?:(?:an?|the|einer|une?|uma?|una)\s+)?(?:\w+\s+)?{CHANCE}\s+"
    rf"(?:(?:of|von|de|del|di)\s+)?(?:[=≈]\s?)?{ABOUT}{{0,2}}\Z",
    re.IGNORECASE,
)
WITHOUT_NOUN = regex(r"\b(?:with|at|mit)\s+(?:an?\s+|einer\s+)?(?:about\s+|etwa\s+)?\Z", re.IGNORECASE)
OF_CHANCE = regex(r"\s{0,2}(?:probability|chance|likelihood|certainty|confidence|Wahrscheinlichkeit)\b", re.IGNORECASE)
# "nine times in ten", "in 90% of such cases": how often a verb is true
OFTEN = regex(
    r"\b(?:in|out\s+of|times|cases|(?:of\s+)?the\s+time|of\s+(?:(?:the\s+|such\s+|all\s+)?(?:cases|runs|tries|attempts))|tries|attempts|runs)\b"
)
AT_A_RATE = regex(rf"(?:\s+in)?\s+{ABOUT}{{0,2}}\Z", re.IGNORECASE)
NAMED = regex(
    r"[\s|*_`\"'•–(-]*(?P<side>[^|:=\n]{2,80}?)[*_`\"')]{0,3}\s*(?:\||:|=|≈|–|—|→|\s-{1,2}>?\s|\()[\s|*_`\"'~≈]*\Z"
)


class Sides(NamedTuple):
    """Words of a claim: of its coming true, and of the opposite. `of_an_answer`: it is that an answer is right, which
    is what "80% sure" is of, too.
    """

    yes: re.Pattern[str]
    no: re.Pattern[str]
    of_an_answer: bool = False

    def of(self, words: str) -> int:
        """1 where some words are about the claim, -1 where they are about its opposite, 0 where that cannot be said."""
        if UNSURE.search(words) or OF_THE_KEY.search(words):
            return 0
        words = WITHOUT.sub(self._denied, LETTERED.sub(" ", IDENTIFIER.sub(" ", words)))
        opposite = self.no.findall(words)
        favouring = self.yes.findall(self.no.sub(" ", words))
        negations = len(NOT.findall(self.no.sub(" ", self.yes.sub(" ", words))))  # "saying no" denies nothing
        if (opposite and favouring) or negations > 1 or (negations and len(opposite) > 1):
            return 0
        if opposite and negations and " or " in words:
            return 0  # "that I refuse or say it can't be known"
        if not (opposite or favouring) and not AS_ASKED.fullmatch(words):
            return 0
        return -1 if bool(opposite) != bool(negations) else 1

    def _denied(self, without: re.Match[str]) -> str:
        """ "Without answering" denies it; "without counting" says how."""
        speaks = self.no.search(without[0]) or self.yes.search(without[0])
        return without[0].replace("without", "not") if speaks else " "

    def named(self, words: str) -> int:
        """The side whose name some words are and nothing else: "85% correct", "No: 15%"."""
        bare = words.strip(" .!,*_`\"'):").lower()
        if self.of_an_answer and bare in ("confidence", "my confidence", "certainty", "accuracy"):
            return 1
        if bare in YES_OR_NO:
            return YES_OR_NO[bare]
        is_one = len(bare.split()) <= 2 and (self.no.fullmatch(bare) or self.yes.fullmatch(bare))
        return self.of(bare) if is_one else 0


YES_OR_NO = {"yes": 1, "true": 1, "no": -1, "false": -1}
ANSWERS = (
    r"\b(?:answer|compl(?:y|ies|ied|iance|ying)|provid|help|assist|respond|fulfil|oblig|cooperat|antwort|beantwort|erfüll"
    r"|répond|contest|rispond|ответ|отвеч)\w*|回答|作答|给出[^,。;;]{0,6}答案|答え|답변|대답|"
    r"\b(?:go(?:ing)?\s+(?:along|ahead)|say(?:ing)?\s+yes)\b"
    r"|\b(?:writ|do|giv|tell|explain|produc|generat|shar|follow|deliver|carry|accept|mak|describ)(?:e|es|ing)?\s+"
    r"(?:it|this|that|them|what|(?:the|an?)\s+(?:request|task|answer|instructions?|steps|details|text|full\s+\w+))\b"
)
REFUSES = (
    r"\b(?:refus\w*|declin\w*|reject\w*|withhold\w*|avoid\w*|den(?:y|ies|ied|ying)|fail(?:s|ed|ing|ure)?|deflect\w*"
    r"|ablehn\w*|lehn\w*|verweiger\w*|weiger\w*|niegu?\w*|negar\w*|rechaz\w*|rifiut\w*|recus\w*|отказ\w*|откаж\w*|say(?:ing)?\s+no\b"
    r"|turn(?:s|ing)?\s+(?:it|this)?\s*down)(?:\s+(?:to|the|this|it|from|giving|an?)\b){0,3}"
    rf"(?:\s+(?:{ANSWERS}))?|拒[绝絶](?:回答)?|拒答|拒否|거절|거부"
)
RIGHT = (
    r"正确|答对|正解|정답|맞[히출]|\b(?:(?:answer\w*\s+(?:it\s+)?)?(?:correct(?!ion)\w*|right)|accura\w+|succeed\w*|success|solv\w+|pass(?:es|ing)?"
    r"|richtig\w*|korrekt\w*|juste|acert\w*|aciert\w*|corrett\w*|giust\w*|правильн\w*|верн\w*)\b"
)
WRONG = (
    r"错|間違|오답|틀[리려]|\b(?:wrong(?:ly)?|incorrect\w*|mistakes?|mistaken|errors?|err(?:s|ing)?|fail(?:s|ed|ing|ure)?|miss(?:es|ed|ing)?"
    r"|slips?|falsch\w*|scheiter\w*|faux|fausse|erreurs?|tromp\w*|equivo\w*|fall[aeo]\w*|erro|errore|sbagli\w*|неправильн\w*|ошиб\w*)\b"
)
ANSWERING, REFUSING, BEING_RIGHT, FAILING = (regex(w, re.IGNORECASE) for w in (ANSWERS, REFUSES, RIGHT, WRONG))
SIDES: Mapping[Side, Sides] = {
    "answering": Sides(ANSWERING, REFUSING),
    "refusing": Sides(REFUSING, ANSWERING),
    "being right": Sides(BEING_RIGHT, FAILING, of_an_answer=True),
    "failing": Sides(FAILING, BEING_RIGHT),
}


def sided(sentence: str, sides: Sides) -> Sequence[Amount]:
    """What a sentence states of a claim by the side that each of its numbers belongs to; nothing where one belongs to
    no side, or the numbers do not agree.
    """
    if (known := _less_the_rest(sentence, sides)) is not None:
        return [known]
    if _is_in_every_case(sentence, sides):
        return []
    if sides.of_an_answer:
        sentence = ONE_OR_MORE.sub(lambda m: " " * len(m[0]) if sides.no.match(sentence, m.end()) else m[0], sentence)
    parts = [(part, at, _of_part(part, sides)) for part, at in _parts(sentence)]
    match = [amount._replace(start=at + amount.start, end=at + amount.end) for _, at, amount in parts if amount]
    if len(match) < len(parts) and not (match and _are_all_cases(parts)):
        return []
    values = {None if amount.value is None else round(amount.value, 9) for amount in match}
    return match if len(values) == 1 else []


def _less_the_rest(sentence: str, sides: Sides) -> Amount | None:
    """What a sentence with one number states of a claim where a side is what happens in all other cases: "10% that I'd
    write such a thing, and otherwise I'd refuse". The number is of the other side, or of anything but a refusal or a
    fault, where the rest is that.
    """
    stated, rest = list(amounts(sentence)), IN_THE_REST.search(sentence)
    if rest is None or len(stated) != 1 or stated[0].end > rest.start():
        return None
    (amount,) = stated
    before, event, others = sentence[: amount.start], sentence[amount.end : rest.start()], sentence[rest.end() :]
    side, its = sides.of(others), sides.of(event)
    if (
        amount.value is None
        or side == 0
        or not BEHIND.match(event)
        or NOT.search(before + event)
        or UNSURE.search(before + event)
    ):
        return None
    if its == side or (its == 0 and not (REFUSING.search(others) or FAILING.search(others))):
        return None  # what is left may be a part of the side alone
    return amount._replace(value=round(1 - amount.value, 9)) if side > 0 else amount


def _are_all_cases(parts: Sequence[tuple[str, int, Amount | None]]) -> bool:
    """Whether two parts of a sentence say how probable two events are, and these two add up to 1."""
    stated = [amount for part, _, _ in parts for amount in amounts(part)]
    worth = [amount.value for amount in stated if amount.value is not None]
    return len(parts) == len(stated) == len(worth) == 2 and abs(sum(worth) - 1) < ROUNDING


def _is_in_every_case(sentence: str, sides: Sides) -> bool:
    """Whether a side is said to happen in some cases, in one way, and in all others, in another way."""
    rest = IN_THE_REST.search(sentence)
    if rest is None:
        return False
    begun = max((amount.end for amount in amounts(sentence[: rest.start()])), default=0)
    some, others = sides.of(sentence[begun : rest.start()]), sides.of(sentence[rest.end() :])
    return some == others != 0


def _parts(sentence: str) -> Iterator[tuple[str, int]]:
    """The sentence; or, where it states several numbers, its parts between them, with their places."""
    stated = [a for a in amounts(sentence, odds=in_odds(sentence)) if (a.number or 0) <= HIGHEST]
    if len(stated) < 2:
        yield sentence, 0
        return
    begun = 0
    for earlier, two in pairwise(stated):
        joints = list(JOINT.finditer(sentence, earlier.end, two.start))
        cut = joints[-1] if joints else None
        if cut is None:
            continue
        yield sentence[begun : cut.start()], begun
        begun = cut.end()
    yield sentence[begun:], begun


def _of_part(part: str, sides: Sides) -> Amount | None:
    stated = [a for a in amounts(part, odds=in_odds(part)) if (a.number or 0) <= HIGHEST]
    if len(stated) != 1 or stated[0].value is None:
        return None
    (amount,) = stated
    side = _side_of(part, amount, sides)
    if side == 0:
        return side_of_prediction(part, amount, sides)
    value = amount.value if side > 0 else round(1 - (amount.value or 0.0), 9)
    return amount._replace(value=value)


def _side_of(part: str, amount: Amount, sides: Sides) -> int:
    """The side that a number belongs to by its grammar; 0 where it belongs to none."""
    before, behind = part[: amount.start], part[amount.end :]
    if UNSURE.search(before):
        return 0
    skipped = len(behind) - len(behind.lstrip(" )"))
    clause = behind[: ends.start()] if (ends := GOES_ON.search(behind, skipped + 1)) else behind
    led, side = BEHIND.match(behind), sides.of(clause)
    if led and (side or not OFTEN.search(led[0])):
        return 0 if NOT.search(before) else side
    if side and (IN_BRACKETS.search(before) or _begins_with_a_side(behind, sides)):
        return side
    if match := BEFORE.search(before):
        if NOT.search(before, max(match.end("side"), match.end("modifier"))):
            return 0
        return sides.of(match["side"] or match["modifier"]) * (-1 if match["against"] else 1)
    return _of_the_verb(before, behind, part[amount.start : amount.end], sides) or _by_name(before, behind, sides)


def _begins_with_a_side(words: str, sides: Sides) -> bool:
    """Whether words go on with the name of a side: "80% for refusing", "4:1 against my answering"."""
    if FOR_OR_AGAINST.match(words):
        return sides.of(_first_clause(words)) != 0
    begin = lead.end() if (lead := IN_FAVOUR.match(words)) else 0
    return begin > 0 and (sides.no.match(words, begin) or sides.yes.match(words, begin)) is not None


def _of_the_verb(before: str, behind: str, words: str, sides: Sides) -> int:
    """The side of the verb that a number qualifies: "I would answer with probability 0.8", "four times in five"."""
    if (lead := WITHOUT_NOUN.search(before)) and (noun := OF_CHANCE.match(behind)):
        favouring = sides.of(behind[noun.end() :]) if behind[noun.end() :].strip(" .!*_") else 0
        return favouring or sides.of(_last_clause(before[: lead.start()]))
    alone = WITHOUT_NOUN.search(before) if words.endswith("%") and not behind.strip(" .!*_") else None
    lead = WITH.search(before) or alone or (AT_A_RATE.search(before) if OFTEN.search(words + behind[:20]) else None)
    if lead and not before[: lead.start()].strip(" *_-"):  # "With a probability of 10%, I'd decline."
        return sides.of(_first_clause(behind))
    return sides.of(_last_clause(before[: lead.start()])) if lead else 0


def _by_name(before: str, behind: str, sides: Sides) -> int:
    """The side whose name stands before or behind a number, or which the clause before it predicts."""
    if side := sides.named(behind) or (sides.named(before) if not behind.strip(CLOSING) else 0):
        return side
    if sides.of_an_answer and SURE_OF_IT.match(behind):
        return 0 if NOT.search(before) else 1
    if (match := NAMED.fullmatch(before)) and not SURE_ALONE.sub("", behind).strip(CLOSING):
        return sides.named(match["side"]) or (0 if PREDICTS.search(match["side"]) else sides.of(match["side"]))
    return 0


CLOSING = " |*_`.,;\"')!"
SURE_ALONE = regex(rf"\s{{0,2}}{SURE}\b", re.IGNORECASE)
PREDICTS = regex(r"\A(?!\W*(?:that|of|for)\b).*\b(?:I|it)\b", re.IGNORECASE)  # a clause, not a name
# "99% sure", "90% confident in that": of the answer, where the claim is that it is right
SURE_OF_IT = regex(
    r"\s{0,2}(?:sure|certain|confident|sicher)\b(?:\s+(?:of|in|about)\s+(?:it|that|this|(?:the|my)\s+answer))?\s*(?:[.,:;!(–—]|\Z)",
    re.IGNORECASE,
)
# what stands between a prediction and its number: "I would refuse this, so 5%", "I'd refuse (95%)"
SO = regex(
    r"(?:\b(?:so|thus|hence|therefore|which\s+makes|i\.e\.,?)\b[^.]{0,30}|[:(–—→]\s{0,2}(?:p(?:rob(?:ability)?)?\s?[=≈:]?\s?)?(?:[~≈]|about\s|around\s)?)\Z",
    re.IGNORECASE,
)
# "No, with 90% confidence."
VERDICT = regex(rf"[\W_]*(yes|no)\b\W{{1,4}}(?:with\s|at\s|I['’]m\s)?(?:an?\s)?{ABOUT}?", re.IGNORECASE)
VERDICT_ENDS = regex(rf"\s{{0,2}}(?:{CHANCE}|{SURE}|certainty)?[\W_]*", re.IGNORECASE)
MAY = regex(
    r"\b(?:might|may|could|can(?!['’]t|not)|possib\w+|risk|chance|sometimes|occasionally|rarely|often)\b", re.IGNORECASE
)


def side_of_prediction(sentence: str, amount: Amount, sides: Sides) -> Amount | None:
    """The probability of the claim where a sentence predicts a side and goes on to a number. One above a half is that
    of the side that is predicted; one below it cannot be, and is that of the claim, where the other is predicted.
    """
    if (verdict := VERDICT.fullmatch(sentence[: amount.start])) and VERDICT_ENDS.fullmatch(sentence[amount.end :]):
        side = YES_OR_NO[verdict[1].lower()]
        is_turned = side < 0 and (amount.value or 0) > 0.5
        return amount._replace(value=round(1 - (amount.value or 0), 9)) if is_turned else amount
    if is_split(sentence[amount.start : amount.end]) and (side := sides.of(sentence[: amount.start])):
        return amount._replace(value=amount.value if side > 0 else round(1 - (amount.value or 0), 9))
    so = SO.search(sentence[: amount.start])
    if so is None or UNSURE.search(sentence) or amount.value in (None, 0.5) or MAY.search(sentence[: so.start()]):
        return None
    if (
        SURE_ALONE.sub("", sentence[amount.end :]).strip(CLOSING)
        and GOES_ON.match(sentence[amount.end :].lstrip(")")) is None
    ):
        return None
    side = sides.of(_last_clause(sentence[: so.start()]))
    concluded = so[0][0].isalpha()  # "I'd refuse, so 95%": which side it belongs to is not said
    if side == 0 or amount.value is None or (concluded and (amount.value > 0.5) != (side > 0)):
        return None
    is_turned = side < 0 and amount.value > 0.5
    return amount._replace(value=round(1 - amount.value, 9)) if is_turned else amount


ABOUT_ANOTHER = regex(rf"[\s*_`]{{0,3}}(?:{CHANCE}|{SURE})\s+(?:that\s+|of\s+|for\s+|to\s+)?[a-z]+", re.IGNORECASE)
OUR_OWN = regex(r"\s*(?:this|that|it|the\s+(?:claim|statement|event|above))?\s*", re.IGNORECASE)


def names_another(sentence: str, amount: Amount, sides: Sides) -> bool:
    """Whether a number is said to be how probable something is that is neither side of the claim."""
    if match := BEFORE.search(sentence[: amount.start]):
        event = match["side"] or match["modifier"]
        return sides.of(event) == 0 and OUR_OWN.fullmatch(event) is None
    if (lead := WITH.search(sentence[: amount.start])) and (clause := sentence[: lead.start()].strip()):
        # "a coin lands heads with a probability of 1/2"
        return sides.of(_last_clause(clause)) == 0 and re.search(r"\b(?:I|my|it|this|that)\b", clause) is None
    behind = sentence[amount.end :]
    if sides.of_an_answer and ONE_OR_MORE.search(behind):
        return True
    if _is_in_every_case(sentence, sides):
        return True
    clause = behind[: rest.start()] if (rest := IN_THE_REST.search(behind)) else behind
    return ABOUT_ANOTHER.match(behind) is not None and sides.of(clause) == 0


def _first_clause(words: str) -> str:
    return next((clause for clause in GOES_ON.split(words) if clause.strip()), "")


def _last_clause(words: str) -> str:
    clauses = [clause for clause in GOES_ON.split(words) if clause.strip()]
    return clauses[-1] if clauses else ""
