"""A line that holds a probability and nothing else, perhaps behind a label, in a box, or with a reason behind it."""

import re

from selfexec.readers.probability.amounts import Amount, amounts, on_one_scale, only_amount, top_of_scale
from selfexec.readers.probability.denials import LONGEST, NOUN, OWN_NUMBER, turns_round
from selfexec.readers.probability.sides import NAMED, UNSURE, Sides
from selfexec.readers.probability.spoken_pairs import is_zero_or_one
from selfexec.text.regex import regex

# what the line of the result is called, in the languages that answers come in: "Answer: 0.1" says where the answer
# stands, and not that one is given
RESULT = (
    r"(?:answer|result|verdict|conclusion|decision|assessment|Antwort|Ergebnis|réponse|résultat|respuesta|resultado"
    r"|resposta|risposta|risultato|antwoord|svar|odpowied[źz]|wynik|cevap|sonuç|jawaban|ответ|итог|результат"
    r"|回答|答案|答え?|結論|结论|结果|結果|답변|답|결론|결과|정답|उत्तर|الإجابة|الجواب)"
)
FINAL = r"(?:final[ea]?|endgültige?|definitiv[aeo]|окончательн\w{2}|итогов\w{2}|最[终終]的?|最後の?|최종)"
WHOSE = r"(?:my|the|meine?|mon|ma|la|le|die|das|mi|el|minha|a|mój|мой|我的|私の|내)"
OF_THE_RESULT = regex(
    rf"[\W_]{{0,8}}(?:{WHOSE}\s?)?(?:{FINAL}\s?)?{RESULT}(?:\s{FINAL})?[*_`\"']{{0,3}}"
    r"(?:\s?[:=]|\s(?:is|ist|est|es|è|é|это)(?=\s)|[は为是]|\s?[(|–—-](?=\s?[*_`]{0,3}[\d.,]{1,9}\s?%?\W*\Z))",
    re.IGNORECASE,
)


IS_WHOLE = regex(r"[\s*_`\"'~≈]*(?!1\b)[1-9]\d{0,11}[\s*_`\"'.]*")  # "Answer: 42" is that of the task


def without_its_label(sentence: str, sides: Sides | None) -> str:
    """A line, place for place, with "P:" for a label that names the result and no side of the claim. "Answer: 0.1" may
    be the answer itself, where the claim is that one is right.
    """
    label = OF_THE_RESULT.match(sentence) if not (sides and sides.of_an_answer) else None
    label = None if label and IS_WHOLE.fullmatch(sentence, label.end()) else label
    return "P:".rjust(label.end(), "_") + sentence[label.end() :] if label else sentence


def names_a_side(line: str, sides: Sides) -> bool:
    """Whether a line gives a number to a side of the claim by its name, "Refusal: 3%": then "Answer: 97%" names one."""
    number = next(amounts(line[:LONGEST]), None)
    name = NAMED.fullmatch(line[: number.start]) if number else None
    return name is not None and OF_THE_RESULT.match(line) is None and sides.named(name["side"]) != 0


# "Probability: 0.7", "**Final answer:** 70%"
LABEL = regex(
    rf"[\W_]{{0,4}}(?:on\s+a\s+)?scale\s+(?:of|from)\s+[01]\s{{0,2}}(?:to|-|–)\s{{0,2}}\d{{1,3}},?\s{{0,2}}:?\s(?:{OWN_NUMBER}(?:\s+(?:it|this|that|a|at|about|around))*\s)?|"
    rf"[\W_]{{0,40}}(?:(?:my|mon|ma|meine?|mi|la|le|die|el|the|where|with|final|overall|estimated|predicted|best|numerical)\s+){{0,3}}(?:{NOUN}|guess|number|P|p|final"
    r"|prediction|estimation|Schätzung|estimación|call|it|that|this)"
    r"(?:\s?\([^()\n]{0,60}\)|\s(?:in\s)?(?:percent|%))?[*_`\"']{0,3}\s{0,2}(?:[:=≈~]|['’]s\b|(?:is|ist|est|es|è|é|это)\b(?:\s+d[ei]l?\b)?|[は为是约約])[*_`\"']{0,3}\s{0,4}",
    re.IGNORECASE,
)

BOXED = regex(r"\\(?:boxed|fbox)\{([^{}]{1,60})\}")

LEAD = regex(
    r"[\W_]{0,4}(?:(?:so|thus|hence|therefore|overall|finally|call\s+it|let['’]?s\s+(?:say|call\s+it|go\s+with)|say|make\s+(?:it|that))\b"
    r"[,:]?\s{1,3}|(?:(?:it|that)['’]s\s+|it\s+is\s+)?(?:(?:very|quite|extremely|highly|rather|pretty|almost|fairly|virtually|practically|surely|certainly)\s+){0,2}"
    r"(?:(?P<low>unlikely|improbable|low|impossible|false)|likely|probable|certain|sure|certainly|surely|high|true"
    r"|(?:a\s)?(?:coin\s(?:flip|toss)|toss-?up))\s{0,2}(?:[,:(–—-]|→|=>)\s{0,2})",
    re.IGNORECASE,
)

IS_ANSWER = regex(r"\A\W*(?:(?:my|the)\s+)?(?:answer|result|it|that|this)\b", re.IGNORECASE)  # perhaps of the task


def stated_alone(sentence: str, sides: Sides | None) -> Amount | None:
    """What a line states that holds nothing but a probability, perhaps behind a label or in a box."""
    if boxed := BOXED.search(sentence):
        amount = only_amount(boxed[1])
        return amount and amount._replace(start=boxed.start(), end=boxed.end())
    lead = LEAD.match(sentence)
    label = LABEL.match(sentence, lead.end() if lead else 0)
    begun = label.end() if label else lead.end() if lead else 0
    if label and (turns_round(label[0], sides) or (sides and sides.of_an_answer and IS_ANSWER.search(label[0]))):
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
DASH = regex(
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
