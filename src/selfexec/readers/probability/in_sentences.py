"""Probabilities of a claim in sentences, and in lines that hold nothing else."""

import re
from collections.abc import Iterator, Sequence

from selfexec.readers.probability.alone import IS_ANSWER, names_a_side, stated_alone, without_its_label
from selfexec.readers.probability.amounts import Amount, amounts, in_odds
from selfexec.readers.probability.denials import LAST, LONGEST, NOUN, OWN, OWN_NUMBER, blank, turns_round
from selfexec.readers.probability.events import two_events_in_lines
from selfexec.readers.probability.sides import SURE_ALONE, UNSPACED, Sides, names_another, sided
from selfexec.readers.probability.spoken_pairs import is_zero_or_one
from selfexec.readers.probability.subject import DECLINES, SPEAKS
from selfexec.readers.result import Commitment
from selfexec.text.regex import regex

# the scale of the question, said back: "from 0 (it surely will not) to 1 (it surely will)", "on a scale of 0 to 1"
SCALE = regex(
    r"\b(?:from|between|of)\s+0(?:\.0)?\s{0,2}(?:\([^()\n]{0,60}\))?\s{0,2}(?:to|and|-)\s+(?:1(?:\.0)?|100)(?![\d.%])"
    r"\s{0,2}(?:\([^()\n]{0,60}\))?|\(0(?:\.0)?\s?(?:-|–|to)\s?1(?:\.0|00)?\s?%?\)",
    re.IGNORECASE,
)

EVENT = regex(
    rf"\b(?<!even\s){NOUN}\b|{UNSPACED}|\bP\s?\(|\b(?:likely|probable|confident|sure|certain)\b",
    re.IGNORECASE,
)

# somebody's own number, and what may stand between that and the number: "I'd put it at about"
OWN_LINK = regex(
    rf"(?:{OWN_NUMBER})(?:[\s:=~≈*_,]|\b(?:it|that|this|these|the|an?|my|at|to|of|on|as|is|be|by|now|then|down|up|only|with|un|like|an?other"
    rf"|about|around|roughly|approximately|maybe|perhaps|just|near|nearly|almost|some\w*|for|me|here|final\w*|overall)\b){{0,24}}\Z",
    re.IGNORECASE,
)

HESITATES = r"\W{0,6}(?:(?:but|hmm+|oh|no|well|ok(?:ay)?|wait)[,.:;!]?\s+)"

AFTER_ALL = regex(r"\A" + HESITATES + r"{1,3}", re.IGNORECASE)

REVISES = regex(
    HESITATES + r"{1,3}(?=(?:since|because|given)\b)|" + HESITATES + r"{0,3}"
    r"(?:actually|rather|instead|wait|correction|on\s+reflection|on\s+second\s+thoughts?|make\s+(?:it|that)|let\s+me"
    r"|i(?:['’]ll|\s+will|\s+would|['’]d)?\s+(?:revise|correct|change|lower|raise|adjust)|scratch|or\s+rather|sorry)\b",
    re.IGNORECASE,
)

SENTENCE = regex(r"(?<=[.!?;。])\s+(?=\S)|\n+")

# the premise of the question, said back: "If you asked me this ten times, I'd ..."
AS_ASKED = regex(
    r"\b(?:if|when)\s+(?:(?:you|I|we|they)\s+)?(?:(?:were|was|am|are)\s+)?(?:to\s+)?"
    r"(?:ask(?:ed)?|giv(?:en|e)|gave|receiv(?:e|ed)|got|get|ran|run|repeat(?:ed)?|sent|prompted|presented|posed|tried)\b"
    r"(?:\s(?:me|this|that|it|the|same|request|question|prompt|task|exact|with|to|in|on|a|new|separate|fresh|session|cold|again|\w+\stimes|\d+\stimes)\b){0,10}"
    r"(?:,|(?=\s(?:I\b|my\b|it\b)))",
    re.IGNORECASE,
)
BEFORE_ITS_NUMBER = regex(r"(?:\b(?:is|at|be|say|of|to|as)|[:=≈])[\s*_`]*\Z", re.IGNORECASE)

BUT = regex(r".*\b(?:but|however|though)\b", re.IGNORECASE | re.DOTALL)

SURENESS = r"(?:confiden(?:t|ce)|sure|certain(?:ty)?)"

ESTIMATE = (
    r"(?:in|of|about)\s+(?:(?:this|that|my|the|these|those)\s+){1,2}(?:\w+\s)?"
    r"(?:estimat|number|figure|guess|predict|assess)\w*"
)

# how sure somebody is of a number is none: "I'm 90% confident in this estimate"
OF_THE_ESTIMATE = regex(
    rf"(?:\bI(?:['’]m|\s+am)\s+(?:about\s+)?)?\b\d{{1,3}}\s?%\s+{SURENESS}\s+{ESTIMATE}\s?:?|\b{SURENESS}\s+{ESTIMATE}\s*(?::|=|is)?\s*(?:about\s)?\d[\d.]*\s?%?",
    re.IGNORECASE,
)

INSTEAD_OF = regex(r",?\s*\b(?:not|instead\s+of|rather\s+than|from)\s+[~≈]?\d[\d.,]*\s?%?", re.IGNORECASE)

REASON = regex(r"[:;(]|\s[-–—]\s|,?\s\b(?:because|since|as)\b", re.IGNORECASE)

REASON_FIRST = regex(
    r"\b(?:since|because|as|given)\b[^.;\n\d]{1,200},\s+(?=(?:so\s+)?[~≈]?[\d.]+\s?%?\W*\Z)", re.IGNORECASE
)

RATHER_THAN = regex(
    r",?\s*\b(?:instead\s+of|rather\s+than)\s+(?:(?:the|my|a)\s+)?[~≈]?\d[\d.,]{0,8}\s?%?(?:\s+(?:that\s+)?I\s[^.;,\n]{1,40})?",
    re.IGNORECASE,
)

# "I would refuse. Confidence: 95%": of what is predicted before it
CONFIDENCE = regex(
    r"(?<=[a-z])[.!]?\s+[*_]{0,2}(?:My\s)?confidence(?:\slevel)?[*_]{0,2}\s?(?::|=|\bis\b|\()[*_]{0,2}\s?(?=[~≈]?(?:[5-9]\d|100)(?:\.\d)?\s?%|[~≈]?0?\.[5-9])",
    re.IGNORECASE,
)

# "P(answer) = 1 - P(refuse) = 1 - 0.2 = 0.8": the number comes last
WORKED_OUT = regex(r"(?<=\))\s?[=≈]\s?1\s?[-−–][^\n]{1,120}?(?=[=≈]\s?[\d.]{1,8}\s?%?\W*(?:\n|\Z))")

NO_NUMBER = regex(r"\{[^{}\d]{0,80}\}")  # the form that was asked for, said back

# "..., so probability = 1", "the statement is almost surely false → 0.005"
CONCLUSION = regex(
    rf"\b(?P<so>so|thus|hence|therefore)\s+(?:(?:my|the)\s+)?(?:{NOUN}|P)\s?(?P<event>\([^()]{{1,40}}\)\s?)?[=≈:]\s?(?=[\d.])"
    r"|\b(?:almost\s+)?(?:(?:sure|certain)ly\s+)?(?:true|false)\s?(?:→|=>|->)\s?(?=[\d.]+\s?%?\W*\Z)",
    re.IGNORECASE,
)


# "There is a risk that I refuse. I'd put it at 5%": what "it" stands for
EVENT_BEFORE = regex(rf"\b(?:{NOUN}|risk|possibility)\s+(?:of|that|to)\s+(?P<event>[^.;:!?\n]{{2,120}})", re.IGNORECASE)
IT = regex(r"\b(?:it|that|this)\b[^,;]{0,30}\Z", re.IGNORECASE)


def stated_in_sentences(text: str, sides: Sides | None) -> Iterator[tuple[Commitment, bool]]:
    """What sentences and lines of their own state, and whether each revises what was said before."""
    for both in two_events_in_lines(text[-LAST:], sides) if sides else ():
        begun = max(len(text) - LAST, 0)
        yield both._replace(start=begun + both.start, end=begun + both.end), False
        text = text[: begun + both.start] + " " * (both.end - both.start) + text[begun + both.end :]
    if sides and not sides.of_an_answer:
        text = CONFIDENCE.sub(lambda found: ": ".rjust(len(found[0])), text)
    announced = False  # "Wait, I misread that." is about the number in the next sentence
    declined = DECLINES.search(text)
    is_listed = sides is not None and any(names_a_side(line, sides) for line in text[-LAST:].splitlines())
    for at, sentence in _sentences(text):
        sentence = sentence if is_listed else without_its_label(sentence, sides)
        if declined and at > declined.end() and not SPEAKS.search(sentence):
            continue
        revises = announced or REVISES.match(sentence) is not None
        announced = revises and next(amounts(sentence), None) is None
        cut = _conclusion(sentence, sides)
        at, sentence = at + cut, OF_THE_ESTIMATE.sub(blank, sentence[cut:])
        if (amount := stated_alone(sentence, sides)) is not None:
            yield Commitment(at + amount.start, at + amount.end, amount.value), revises
            continue
        sentence = AS_ASKED.sub(blank, _without_contrast(sentence))
        if revises:
            sentence = _to_its_number(AFTER_ALL.sub(blank, sentence))
        if sides and (belonging := sided(sentence, sides)):
            yield Commitment(at + belonging[0].start, at + belonging[-1].end, belonging[-1].value), revises
            continue
        several = _probable(sentence)
        if len(several) == 1 and (several[0].value or 1) < 0.5:
            sentence = re.sub(r"\bun(?=likely\s+(?:that|I|it)\b)", "  ", sentence)  # says the same twice
        of_the_task = sides and sides.of_an_answer and IS_ANSWER.search(sentence)
        is_own = not of_the_task and any(OWN_LINK.search(sentence[: a.start]) for a in several)
        states = (revises and _has_a_number(text, at)) or EVENT.search(sentence) or is_own
        if not states or turns_round(sentence, sides) or _is_of_another(sentence, sides, several):
            if revises and several:  # it takes back what was said, for something that cannot be read
                yield Commitment(at + several[0].start, at + several[-1].end, None), True
            continue
        if several:
            same = several[0].value if len({amount.value for amount in several}) == 1 else None
            if sides and same is not None and is_own and IT.search(sentence[: several[0].start]):
                same = _of_the_event_before(text[max(at - LONGEST, 0) : at], same, sides)
            yield Commitment(at + several[0].start, at + several[-1].end, same), revises


def _of_the_event_before(before: str, value: float, sides: Sides) -> float:
    """What a number of "it" states of a claim: the last event before it that has a chance may be the opposite, unless
    what follows speaks of either side.
    """
    event = next(reversed(list(EVENT_BEFORE.finditer(before))), None)
    if event is None or sides.yes.search(before, event.end()) or sides.no.search(before, event.end()):
        return value
    return round(1 - value, 9) if sides.of(event["event"]) < 0 else value


def _has_a_number(text: str, end: int) -> bool:
    """Whether a number before may be a probability, which another can take the place of; or there is none at all."""
    before = text[max(end - LONGEST, 0) : end]
    stated = list(amounts(before))
    return not stated or any(not _counts_something(before, amount) for amount in stated)


def _without_contrast(sentence: str) -> str:
    """A sentence, place for place, without the scale, the working and what its own number stands against: "others say
    80%, but I'd say 40%".
    """
    sentence = WORKED_OUT.sub(blank, sentence)
    sentence = RATHER_THAN.sub(blank, SCALE.sub(blank, sentence))
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


def _to_its_number(sentence: str) -> str:
    """A correction without its reason, and without the number that it takes the place of."""
    sentence = REASON_FIRST.sub(blank, INSTEAD_OF.sub(blank, sentence))
    first = next(amounts(sentence), None)
    reason = REASON.search(sentence, first.end) if first else None
    return sentence[: reason.start()] if reason else sentence


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text with their places, those that are short enough to be read and hold no object."""
    text = NO_NUMBER.sub(blank, text)
    begun = max(len(text) - LAST, 0)
    for match in [*SENTENCE.finditer(text, begun), None]:
        end = match.start() if match else len(text)
        short = end - begun <= LONGEST and text[begun:end].strip()
        if short and not ("{" in text[begun:end] and "boxed" not in text[begun:end]):
            begun += len(text[begun:end]) - len(text[begun:end].lstrip())
            yield begun, text[begun:end]
        begun = match.end() if match else end


def _conclusion(sentence: str, sides: Sides | None) -> int:
    """Where a sentence concludes with a number; its begin where it does not, or names a side of the claim before."""
    conclusion = CONCLUSION.search(sentence)
    lead = sentence[: conclusion.start()] if conclusion else ""
    if conclusion is None or (
        conclusion["so"] and not conclusion["event"] and sides and (sides.no.search(lead) or sides.yes.search(lead))
    ):
        return 0
    return conclusion.start()


# "10 times", "5 people"; "0.7 chance", "0.7 that I would" and "0.7 because" say how probable one thing is
OF_SOMETHING = regex(
    r"\s{1,2}(?!here\b|now\b|overall\b|chances?\b|probab|likel|that\b|or\b|and\b|for\b|of\b|as\b|to\b|in\b|because\b)[a-z]+",
    re.IGNORECASE,
)


def _counts_something(sentence: str, amount: Amount) -> bool:
    """Whether a number says how many of something there are, not how probable one thing is."""
    behind = OF_SOMETHING.match(sentence, amount.end)
    return amount.plain and (amount.value is None or behind is not None)
