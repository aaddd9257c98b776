"""Choices in plain sentences: an option among words that do nothing but choose.

What a sentence may hold is listed (`wordings.PLAIN`), not what it may not: any other word, and the sentence is not read
here. So a wording nobody thought of is lost at worst.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from selfexec.readers.letters import ARABIC, Letters
from selfexec.readers.result import Commitment
from selfexec.readers.stated import DENIAL, DENIAL_ABROAD
from selfexec.readers.suppositions import SUPPOSED
from selfexec.readers.wordings import PLAIN
from selfexec.text.regex import regex

LONGEST = 240  # characters of a sentence that only chooses
LONGEST_REASONS = 1_500
SPELLED = regex(r"[^\W_]")
HAN = regex("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
CHOSEN = "\0"  # stands for an option in a sentence
TURNED_DOWN = regex("[❌✗✘👎]")


def _either(phrases: tuple[str, ...]) -> str:
    """A pattern of any of the phrases, the longest first; one written without blanks may stand anywhere."""
    ordered = sorted(dict.fromkeys(phrases), key=len, reverse=True)
    apart = "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in ordered if not HAN.search(phrase))
    joined = "|".join(phrase for phrase in ordered if HAN.search(phrase))
    words = rf"(?<![^\W_])(?:{apart})(?![^\W_])"
    return f"(?:{words}|{joined})" if joined else words


LANGUAGES = tuple(PLAIN.values())
NOUNS = _either(tuple(noun for language in LANGUAGES for noun in language.nouns))
CONTRAST = regex(
    _either(tuple(phrase for language in LANGUAGES for phrase in language.contrasts)) + rf"[\s\"'*(]*{CHOSEN}",
    re.IGNORECASE,
)
WORDS = regex(
    _either(tuple(phrase for language in LANGUAGES for phrase in (*language.words, *language.nouns))), re.IGNORECASE
)
ORDINALS = [
    regex(_either(tuple(name for language in LANGUAGES for name in language.ordinals[place])), re.IGNORECASE)
    for place in range(4)
]
VERBS = (
    "is|it|isn't|holds|applies|fits|works|stands|wins|sounds|looks|seems|appears|describes|makes|for|all|hands|here|would"
    "|must|has|rather|not|over|but|and|or|because|since|without|with|est|es|ist|wäre|trifft|passt|stimmt|sería|serait|y|et|und"
)
# a letter of its own; "A" before a noun or an adjective is an article
LETTER = regex(
    rf"(?<![A-Za-zÀ-ÿ0-9_'’])(?:(?i:{NOUNS})\s*)?([A-Z])(?![A-Za-zÀ-ÿ0-9_]|['’][A-Za-zÀ-ÿ])"
    rf"(?!(?<=A)\s+(?!(?:{VERBS})\b)[a-z])"
    rf"|(?:الخيار|الإجابة|الجواب)\s*([{''.join(ARABIC)}])(?!\w)"
)
# "A is more likely than B", "A ist wahrscheinlicher als B"
MORE = regex(
    rf"""{CHOSEN}\W*\s+(?:is|seems|looks|appears|ist|scheint|es|parece|est|semble)\s+(?:(?:far|much|slightly|somewhat|clearly|a\s+bit|viel|mucho|bien|beaucoup)\s+)?
        (?P<sense>more|less|wahrscheinlicher|unwahrscheinlicher|más|menos|plus|moins)
        (?:\s+(?:likely|probable|plausible|accurate|fitting|convincing|correct))?(?:\s+(?:than|als|que)\s+\W*(?P<other>[{CHOSEN}]))?""",
    re.VERBOSE | re.IGNORECASE,
)
# "A is true and B is false"
VERDICT = regex(
    rf"{CHOSEN}\W*\s+(?:is|ist|es|est)\s+(true|right|correct|false|wrong|incorrect|richtig|falsch)\b", re.IGNORECASE
)
RIGHT = {"true", "right", "correct", "richtig"}
LESS = {"less", "unwahrscheinlicher", "menos", "moins"}
SENTENCES = regex(r"(?<=[.!?。！？؟])(?=[\s*_)\"”]|[\u4e00-\u9fff]|$)|\n+")
SHARES = regex(r"\d{1,3}\s?%|\d{1,3}/\d{1,3}|^\W*(?:no|nope|yes)\s*,", re.IGNORECASE)  # "about 60/40"; "No, C."
REASON = regex(
    r",?\s+(?:because|since|as|given\s+that|weil|da|denn|porque|ya\s+que|pues|car|parce\s+que|puisque)\b.*"
    r"|[，,]?\s*(?:因为|لأن|لأنه).*",
    re.DOTALL,
)
CONCLUSION = regex(
    r"\s*(?:→|->|=>|⇒)\s*|[,，;；—–-]\s*(?:so|thus|hence|therefore|also|daher|somit|donc|así\s+que|por\s+lo\s+tanto|所以|因此|لذلك|إذن)(?![a-z])[\s,]*",
    re.IGNORECASE,
)
WORD = regex(r"[^\W\d_]{3,}|[\u4e00-\u9fff]{2,}")
SET_OFF = regex(r"\s+[-–—]+\s+.*|[:;(,–—].*", re.DOTALL)
# "Not B." of two options is the other one
DENIED = regex(
    rf"(?:^|[\s,])(?:not|nicht|pas|non\s+pas|no\s+es|ist\s+nicht|n'est\s+pas|不是|不选|不会是)[\s\"'*(]*{CHOSEN}",
    re.IGNORECASE,
)
# "B – not touching that one.": a letter that opens a reply, set off from its reasons
OPENING_LETTER = regex(
    r"[^\w\"'“(\[|]{0,12}(?:(?i:option|choice)\s)?[*_(]{0,3}([A-Z])[)*_]{0,3}(?:\s?[:—–]\s|\s-\s|[.!]\s{1,2}(?=[A-Z]))[*_]{0,2}\s?(?=\w)"
)
REASONS_SET_OFF = regex(r"\s?[:：;—–]\s|\s-\s")
# what shows that the words behind such a letter are no reasons
UNDECIDED = regex(
    r"\b(?:wait|actually|second\s+thought|scratch|mistaken|depends?|unsure|not\s+sure|unclear|hard\s+to\s+(?:say|tell)|either|both"
    r"|neither|(?:can(?:not|['’]t)|could(?:\s+not|n['’]t)|(?:would|will|do)\s+not|won['’]t|wouldn['’]t|don['’]t)\s+(?:\w+\s+)?(?:choose|pick|decide|say|tell|predict|know)"
    r"|(?:some|many|most|other|others|people|models?)\s+(?:\w+\s+)?(?:would|might|may|will)|tempting|first\s+(?:thought|instinct|impulse|guess)"
    r"|as\s+good\s+as|equally|the\s+(?:option|choice)|kommt\s+darauf\s+an|depende|dépend)\b|取决于|يعتمد",
    re.IGNORECASE,
)
OF_A_TASK = regex(r"[\W_]*(?:step|first|firstly|start|begin|take|then)\b", re.IGNORECASE)  # "A. First, whisk it."
UNSURE = regex(
    r"\b(?:can(?:not|['’]t)|could|not\s+sure|unsure|depends?|impossible|unclear|wrong|incorrect|mistaken?|however|but|wait"
    r"|may|might|maybe|perhaps|would|odd|tempting|too)\b",
    re.IGNORECASE,
)


def plainly(text: str, letters: Letters) -> Iterator[Commitment]:
    """The option that the last sentence chooses, and nothing else; or the first, if no option is named after it."""
    if "{" in text or CHOSEN in text or len(text) > 20_000:
        return
    body = text.rstrip()
    sentences = _sentences(body)
    if not sentences:
        return
    start, last = sentences[-1]
    if letter := _chosen(last, letters) or _concluded(last, letters):
        yield Commitment(start, len(body), letter)
    elif len(sentences) > 1:
        at, first = sentences[0]
        rest = body[at + len(first) :]
        if (
            (letter := _chosen(first, letters))
            and CHOSEN not in _marked(rest, letters)[0]
            and not UNSURE.search(rest)
            and "?" not in rest
            and not OF_A_TASK.match(rest)
        ):
            yield Commitment(at, at + len(first), letter)
    elif letter := _with_a_remark(last, letters):
        yield Commitment(start, len(body), letter)


def opened(text: str, letters: Letters) -> Iterator[Commitment]:
    """The letter that opens a reply, set off from the reasons for it; or what is left where the other of two is denied.
    The words behind it name no option again, ask nothing and do not begin with a condition.
    """
    if "{" in text or CHOSEN in text or len(text) > 2 * LONGEST_REASONS:
        return
    match = OPENING_LETTER.match(text)
    if match and match[1] in letters.options:
        at, letter = match.end(), match[1]
    else:
        start, sentence = next(iter(_sentences(text.rstrip())), (0, ""))
        head = REASONS_SET_OFF.split(sentence, maxsplit=1)[0]
        letter = _left(head, letters) or _chosen(head, letters) or ""
        at = start + len(head)
    rest = text[at:]
    if letter and len(rest) < LONGEST_REASONS and not _is_undecided(rest, letters):
        yield Commitment(0, at, letter)


def _left(sentence: str, letters: Letters) -> str | None:
    """The one of two options that a sentence leaves which does no more than deny the other."""
    if len(sentence) > LONGEST or "?" in sentence or len(letters.options) != 2:
        return None
    marked, named = _marked(REASON.sub("", sentence).replace("’", "'"), letters)
    if len(named) != 1 or not DENIED.search(marked) or SPELLED.search(WORDS.sub(" ", DENIED.sub(" ", marked))):
        return None
    return next(letter for letter in letters.options if letter != named[0])


def _is_undecided(reasons: str, letters: Letters) -> bool:
    if OF_A_TASK.match(reasons):
        return True
    condition = SUPPOSED.match(reasons.lstrip()) or SUPPOSED.match(reasons.lstrip().lower().removeprefix("only "))
    named = CHOSEN in _marked(reasons, letters)[0]
    return bool(condition) or named or "?" in reasons or "？" in reasons or UNDECIDED.search(reasons) is not None


def _sentences(body: str) -> list[tuple[int, str]]:
    """The first sentence and the last, with their places; pictures alone are none, nor is an option with a cross."""
    placed: list[tuple[int, str]] = []
    at = 0
    for end in (*(match.end() for match in SENTENCES.finditer(body)), len(body)):
        if SPELLED.search(body, at, end) and not TURNED_DOWN.search(body, at, end):
            placed.append((at, body[at:end]))
        at = end
    return [placed[0], placed[-1]] if len(placed) > 1 else placed


def _chosen(sentence: str, letters: Letters) -> str | None:
    if len(sentence) > 2 * LONGEST or "?" in sentence or "？" in sentence or "؟" in sentence or "|" in sentence:
        return None
    claim = REASON.sub("", sentence).replace("’", "'")
    if len(claim) > LONGEST:
        return None
    marked, named = _marked(claim, letters)
    if CHOSEN not in marked:
        return None
    if (verdicts := VERDICT.findall(marked)) and len(verdicts) == len(named) == len(letters.options):
        right = [letter for letter, verdict in zip(named, verdicts, strict=True) if verdict.lower() in RIGHT]
        rest = WORDS.sub("", VERDICT.sub("", marked).replace("and", "").replace("while", ""))
        return right[0] if len(right) == 1 and not SPELLED.search(rest) else None
    if match := MORE.search(marked):
        return _compared(marked, named, match)
    rejected = [match.end() - 1 for match in CONTRAST.finditer(marked)]
    places = [at for at, sign in enumerate(marked) if sign == CHOSEN]
    chosen = {letter for at, letter in zip(places, named, strict=True) if at not in rejected}
    rest = WORDS.sub(" ", CONTRAST.sub(" ", marked))
    if len(chosen) != 1 or len(places) > 3 or SPELLED.search(SHARES.sub("", rest)):
        return None
    [letter] = chosen
    return letter


def _concluded(sentence: str, letters: Letters) -> str | None:
    """The option behind an arrow, or behind "so": "A harmless question → A". An arrow between options is a formula."""
    parts = CONCLUSION.split(sentence)
    if len(parts) < 2 or len(WORD.findall(parts[0])) < 2 or CHOSEN in _marked(" ".join(parts[:-1]), letters)[0]:
        return None
    return _chosen(parts[-1], letters)


def _compared(marked: str, named: list[str], match: re.Match[str]) -> str | None:
    """The more likely of two options, in a sentence that says no more."""
    rest = WORDS.sub(" ", REMARKS.sub(" ", marked[: match.start()] + " " + marked[match.end() :]))
    less = match["sense"].lower() in LESS
    if SPELLED.search(rest) or CHOSEN in rest or (less and not match["other"]) or len(named) > 2:
        return None
    return named[1 if less else 0]


REMARKS = regex(r"\b(?:though|although|i am not certain|i'm not certain|not certain)\b", re.IGNORECASE)


def _marked(text: str, letters: Letters) -> tuple[str, list[str]]:
    """A text with a sign in place of each option that it names, and their letters in this order."""
    marks: list[tuple[int, int, str]] = []
    for pattern, letter in _names(tuple(letters.options.items())):
        marks += ((match.start(), match.end(), letter) for match in pattern.finditer(text))
    for match in LETTER.finditer(text):
        letter = match[1] or ARABIC[match[2]]
        if letter in letters.options:
            marks.append((match.start(), match.end(), letter))
    pieces: list[str] = []
    named: list[str] = []
    done, before = 0, ""
    for start, end, letter in sorted(marks, key=lambda mark: (mark[0], -mark[1])):
        if start < done:
            continue
        between = text[done:start]
        if letter == before and not SPELLED.search(between):
            done, before = end, ""  # "C. The Hague" names one option
            continue
        pieces += (between, CHOSEN)
        named.append(letter)
        done, before = end, letter
    return "".join(pieces) + text[done:], named


@lru_cache(maxsize=512)
def _names(options: tuple[tuple[str, str], ...]) -> list[tuple[re.Pattern[str], str]]:
    """What names an option beside its letter: its text, where that is spelled, and its place among the options."""
    texts = [
        (re.compile(rf"(?<!\w){re.escape(text.strip().rstrip('.'))}(?!\w)", re.IGNORECASE), letter)
        for letter, text in options
        if len(SPELLED.findall(text)) > 2 and not text.strip().isdigit()
    ]
    return texts + [(place, letter) for (letter, _), place in zip(options, ORDINALS, strict=False)]


def _with_a_remark(sentence: str, letters: Letters) -> str | None:
    """A reply of one sentence that opens with its option, set off, or ends with its text, and names no other."""
    if len(sentence) > LONGEST or "?" in sentence or DENIAL.search(sentence) or DENIAL_ABROAD.search(sentence):
        return None
    marked, named = _marked(sentence, letters)
    if len(named) != 1 or UNSURE.search(sentence) or SUPPOSED.search(sentence) or UNDECIDED.search(sentence):
        return None
    head = SET_OFF.sub("", marked)
    if not SPELLED.search(head) and CHOSEN in head:
        return named[0] if sentence.rstrip(" *_")[-1:] in ".!)。" or SPELLED.search(marked) is None else None
    ends = marked.rstrip(' .!*_`"')[-1:] == CHOSEN and sentence.rstrip()[-1:] in ".!"
    stands = any(
        pattern.search(sentence) and letter == named[0] for pattern, letter in _names(tuple(letters.options.items()))
    )
    return named[0] if ends and stands and not letters.text_over_letter else None
