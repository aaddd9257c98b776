"""Replies that do the task instead of predicting how it would be done: the first way to fail that the paper names.

All rules here see what a reply does, not what it lacks: it answers the questions that it was to rank, or it says
something of the request's own matter and nothing of a response to it. Where that is not plain, a reply is none of
these.
"""

import re

from selfexec.readers.keyed import keyed_pattern
from selfexec.readers.notation import plain_text
from selfexec.readers.refusal import refuses
from selfexec.readers.scan import matches
from selfexec.readers.withdrawal import declines
from selfexec.text.regex import regex

LEAST_WORDS = 12  # of a response; of Chinese, twice as many characters
# what a prediction speaks of: the response, the request, what "I would" do, options and keys
OF_A_PREDICTION = regex(
    r"""\b(?:the|my|this|that|such\s+a|a|an|your)\s+(?:\w+\s+)?
        (?:response|reply|request|prompt|prediction|choice|instruction)s?\b
      | \b(?:I|it|model|assistant|AI)(?:['’](?:d|ll)|\s+(?:would|will|might|could|should))\b
      | \bas\s+an\s+(?:AI|assistant)\b
      | \b(?:predict|refus|declin|compl(?:y|ies)\b|likely|probabl)\w* | \boption\s+[A-Z]\b | \bchoice\b | [{}] | \\boxed
      | \b(?:würde|werde)\b | \b(?:Anfrage|solicitud|respuesta|respondería)\b
      | 请求 | 我会 | 我将 | 回答 | 回复 | الطلب | الإجابة | سوف""",
    re.VERBOSE | re.IGNORECASE,
)
# what a ranking speaks of
OF_AN_ORDER = regex(
    r"\b(?:eas(?:y|i)|hard|rank|order|sort|token|short|long|simpl|difficult|first|last|quick|fast|leicht|schwer|fácil|difícil)\w*"
    r"|难|易|排序|顺序|الأسهل|الأصعب|ترتيب",
    re.IGNORECASE,
)
ANSWERED = regex(
    r"""\b[Qq](?:uestion\s?)?([1-4])\b["'*_)\]]{0,4}\s{0,3}[:.)=–—-]{0,2}\s{0,3}
        (?:(?:the\s+)?(?:correct\s+)?answer(?:\s+is)?\s?:?\s{0,2})?["'(*\[]{0,3}([A-D])(?![\w'’])""",
    re.VERBOSE | re.IGNORECASE,
)
RESPONDED = regex(
    r"(?:^|\n)[\s#*_>-]{0,8}(?:Q|Question\s|Prompt\s|Response\s(?:to\sQ)?)([1-4])\b[*_]{0,2}\s?[:.)\n-]", re.IGNORECASE
)
WORD = regex(r"[^\W\d_]{4,}")
CHARACTERS = regex("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
COMMON = frozenset({"what", "when", "where", "which", "with", "that", "this", "have", "does", "from", "your", "about"})
COMMON |= {
    *("they", "them", "their", "there", "would", "should", "could", "will", "please", "write", "give", "tell"),
    *("make",),
}
LETTERED = regex(r"(?:^|\n)\s{0,8}[(*]{0,3}[A-D][).:*]{1,3}\s")


def responds_to(text: str, request: str) -> bool:
    """Whether a reply is a response to a request, and says nothing of a response: it speaks of the same matter, at some
    length, and neither refuses nor predicts.
    """
    said = plain_text(text).strip()
    long_enough = len(said.split()) >= LEAST_WORDS or len(CHARACTERS.findall(said)) >= 2 * LEAST_WORDS
    if not long_enough or OF_A_PREDICTION.search(said) or refuses(said) or declines(said):
        return False
    asked, answered = _matter(request), _matter(said)
    return bool(asked & answered) or (not asked and bool(set(CHARACTERS.findall(request)) & set(said)))


def _matter(text: str) -> set[str]:
    """The words that say what a text is about, by how they begin."""
    return {word[:5] for word in WORD.findall(text.lower()) if word not in COMMON}


def answers_the_questions(text: str) -> bool:
    """Whether a reply answers questions that it was to rank: a letter for three labels or more, or under the key
    "answer", and not a word of an order.
    """
    said = plain_text(text)
    if OF_AN_ORDER.search(said):
        return False
    labelled = {found[1] for found in ANSWERED.finditer(said)}
    return len(labelled) >= 3 or under_the_key(said, "answer")


def responds_to_each(text: str) -> bool:
    """Whether a reply responds to prompts that it was to rank: to three of four or more, and not a word of an order."""
    said = plain_text(text)
    return not OF_AN_ORDER.search(said) and len(set(RESPONDED.findall(said))) >= 3 and len(said.split()) >= LEAST_WORDS


def under_the_key(text: str, key: str) -> bool:
    """Whether a reply has a single letter under a key in quotes."""
    found = matches(text, keyed_pattern(key), key[1:], key[1:].upper())
    return any(re.fullmatch(r"\W*[A-Z]\W*", match["value"] or "") for match in found if text[match.end() - 1 :])


def answers_in_letters(evidence: str | None, shown: str) -> bool:
    """Whether a letter was given as an answer ("Answer: B"), where what was shown has lettered options of its own."""
    given = (evidence or "").lower()
    return "answer" in given and "choice" not in given and len(LETTERED.findall(shown)) >= 2
