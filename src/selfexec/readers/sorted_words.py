"""Marks that sentences, headings and rows give to words: "Only boat and anchor.", "Fog and lamp would not appear."

What a clause may hold beside the options is listed (`wordings.SORTING`); with any other word nothing is read, so that
nothing has to be known of what doubts or supposes.
"""

import re
from collections.abc import Iterator, Sequence

from selfexec.readers.folding import fold
from selfexec.readers.result import Commitment
from selfexec.readers.stated import DENIAL, DENIAL_ABROAD
from selfexec.readers.suppositions import SUPPOSED
from selfexec.readers.wordings import LEFT_OPEN, SORTING
from selfexec.text.regex import regex

LONGEST = 1_500  # characters of a reply that sorts a few words
SPELLED = regex(r"[^\W_]")
HAN = regex("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
OPTION = "\0"
SIGNS_AND_NOR = regex(r"[+-]|\bni\b", re.IGNORECASE)
ACROSS = regex(rf"\+[^+-]*{OPTION}[^+-]*-|-[^+-]*{OPTION}[^+-]*\+")
OTHERS = regex(r"\b(?:others|rest)\b")
# clauses, each with one verb at most: lines, sentences, and what "but" and its like part
ENDS = r"\n+|[;；。]|[.!](?=\s|$)"
SENTENCES = regex(ENDS)
CLAUSES = regex(
    ENDS + r"|\s+[–—]\s+|\s+and\s+(?=(?:skip|leave|omit|drop|exclude|not)\b)|(?:[,，،]\s*|\s+|(?<=[\u4e00-\u9fff]))"
    r"(?:but|while|whereas|aber|während|pero|mientras\s+que|mais|tandis\s+que|但是?|而|لكن)(?![a-z])",
    re.IGNORECASE,
)
COMMAS = regex(r"\s*[,，،]\s*(?:and\s+)?|\s+but\s+")
ELLIPSIS = regex(r"\.{2,}|…")


def _either(phrases: Sequence[str]) -> re.Pattern[str]:
    ordered = sorted(dict.fromkeys(phrases), key=len, reverse=True)
    apart = "|".join(
        re.escape(phrase).replace(r"\ ", r"\s+")
        for phrase in ordered
        if SPELLED.match(phrase) and not HAN.search(phrase)
    )
    joined = "|".join(re.escape(phrase) for phrase in ordered if HAN.search(phrase) or not SPELLED.match(phrase))
    return re.compile(rf"(?<![^\W_])(?:{apart})(?![^\W_])|{joined}", re.IGNORECASE)


YES, NO, WEAK, ONLY, ALL, NONE, EXCEPT, REST, FILL = (
    _either([phrase for language in SORTING.values() for phrase in language[kind]]) for kind in range(9)
)

OPEN = _either(LEFT_OPEN)
# "Boat? Yes."
ANSWERED = regex(r"\?(?=[\s*\"']{1,4}(?:yes|no|ja|nein|sí|oui|non)\b)", re.IGNORECASE)
# how sure a denial is: "most likely did not"
LIKELY = regex(
    r"\b(?:(?:most|very|quite|almost|sehr|höchst|muy|très)\s+)?(?:likely|probably|certainly|definitely|surely|wahrscheinlich|vermutlich"
    rf"|sicher|probablemente|seguramente|probablement|sûrement)\s+(?=(?:{NO.pattern}))",
    re.IGNORECASE,
)
I_WOULD_SAY = regex(
    r"\bI(?:'d|\s+would)\s+(?:say|guess|think|expect)(?:\s+that)?\b(?!\s+(?:yes|no)\b)[:,]?", re.IGNORECASE
)
# "..., as these are closely linked with candles"
REASON = regex(
    r",?\s+(?:as|since|because|given\s+that)\s+(?:these|those|they|it|both|all|each)\b[^.;\n]{1,200}", re.IGNORECASE
)
# what a closing remark may not hold: it would say something of the words
SAYS_MORE = regex(
    r"\b(?:other|others|rest|all|both|every\w*|any\w*|none|only|instead|opposite|reverse|wait|actually|scratch|kidding|except|but"
    r"|hope|wish|least|think|believe|may|might|maybe|perhaps|could|can|guess\w*|sure|wrong|if|would)\b",
    re.IGNORECASE,
)


def sorted_words(text: str, options: Sequence[str]) -> Iterator[Commitment]:
    """Every option, each marked by the clause that it stands in."""
    if "{" in text or len(text) > LONGEST or not options:
        return
    plain = ANSWERED.sub(":", text) if "?" in text else text
    if "?" in plain:
        return
    plain = LIKELY.sub("", I_WOULD_SAY.sub("", ELLIPSIS.sub(" ", plain.replace("’", "'"))))
    parts = SENTENCES if ALL.search(plain) or NONE.search(plain) else CLAUSES  # "all but crane"
    names = sorted(options, key=len, reverse=True)
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)
    plain = REASON.sub(lambda reason: reason[0] if named.search(reason[0]) or NO.search(reason[0]) else "", plain)
    for clauses in (parts.split(plain), _in_rows(plain, named)):
        if marks := _sorted([clause for clause in clauses if clause], options, named):
            yield Commitment(0, len(text), marks)
            return


def _in_rows(text: str, named: re.Pattern[str]) -> list[str]:
    """Clauses that commas part: "Yes to boat, no to fog, crane and lamp", each verb with all the words that it governs:
    those before it where the words come first, those behind it else.
    """
    clauses: list[str] = []
    for sentence in SENTENCES.split(text):
        parts = [part for part in COMMAS.split(sentence) if part]
        verbs = [_verb(part) for part in parts]
        if not any(verbs):
            clauses.append(sentence)
            continue
        leads = {
            named.search(part, 0, verb.start()) is None
            for part, verb in zip(parts, verbs, strict=True)
            if verb and named.search(part)
        }
        between = any(
            verb and named.search(part, 0, verb.start()) and named.search(part, verb.end())
            for part, verb in zip(parts, verbs, strict=True)
        )
        if len(leads) > 1 or between:
            return []
        rows: list[str] = [""]
        for part, verb in zip(parts, verbs, strict=True):
            if True in leads and verb and rows[-1]:
                rows.append("")
            rows[-1] += " " + part
            if False in leads and verb:
                rows.append("")
        clauses += rows
    return clauses


def _sorted(clauses: list[str], options: Sequence[str], named: re.Pattern[str]) -> dict[str, bool] | None:
    known = {fold(option): option for option in options}
    marks: dict[str, bool] = {}
    standing: bool | None = None  # what a heading says of the lines below it
    rest: bool | None = None
    left_open: set[str] = set()
    for clause in clauses:
        words = [known[fold(match[0])] for match in named.finditer(clause) if fold(match[0]) in known]
        marked = named.sub(OPTION, clause)
        if OPEN.search(marked):
            if not words or not marks.keys().isdisjoint(words):
                return None
            left_open.update(words)
            continue
        if not words and len(marks) + len(left_open) == len(known) and _is_a_remark(marked):
            continue
        if not SPELLED.search(marked) and not words and not (YES.search(marked) or NO.search(marked)):
            continue  # a rule below a table's head
        others = REST.search(marked) is not None
        said = _said(REST.sub(" ", marked), bool(words))
        if said is None:
            return None
        mark, exact = said
        if exact is not None:
            if marks and not words and not exact and OTHERS.search(clause):
                continue  # "Just boat. None of the others."
            if marks:
                return None
            marks = {option: (option in words) == exact if words else exact for option in options}
            continue
        if mark is None:
            mark = standing
        elif not words and not others:
            standing = mark
        if (words or others) and mark is None:
            return None
        if others:
            if rest is not None and rest != mark:
                return None
            rest = mark  # and the words beside it are the others, one by one
        if not left_open.isdisjoint(words):
            return None
        for word in words:
            if marks.setdefault(word, bool(mark)) != mark:
                return None
    if rest is not None:
        marks = dict.fromkeys((option for option in options if option not in left_open), rest) | marks
    whole = len(marks) + len(left_open) == len(options) and marks
    return {option: marks[option] for option in options if option in marks} if whole else None


def _is_a_remark(clause: str) -> bool:
    """Whether a clause behind marks of all the options says nothing more of them."""
    said = (SAYS_MORE, DENIAL, DENIAL_ABROAD, SUPPOSED, YES, NO)
    return not any(pattern.search(clause) for pattern in said)


def _signed(clause: str) -> str:
    """A clause with "-" for what says no and "+" for what says yes weakly."""
    return WEAK.sub("+", NO.sub("-", SIGNS_AND_NOR.sub(" ", clause)))


def _verb(part: str) -> re.Match[str] | None:
    """The first word of a part that says yes or no."""
    return min(filter(None, (kind.search(part) for kind in (YES, NO, WEAK))), key=re.Match.start, default=None)


def _said(clause: str, names_words: bool) -> tuple[bool | None, bool | None] | None:
    """What a clause says of its words, and whether exactly they are in (True) or out (False), or, if it names none, all
    or none; None where it holds a word that is not known.
    """
    left = EXCEPT.sub(" ", NONE.sub(" ", ONLY.sub(" ", ALL.sub(" ", clause))))
    left = FILL.sub(" ", WEAK.sub(" ", YES.sub(" ", NO.sub(" ", left))))
    if SPELLED.search(re.sub(r"(?:^|\s)\d{1,2}[.)]\s|\d{1,3}\s?%", " ", left)):
        return None
    denies = NO.search(clause) is not None
    agrees = YES.search(WEAK.sub(" ", NO.sub(" ", clause)) if denies else NO.sub(" ", clause)) is not None
    but = EXCEPT.search(clause)
    bare = NO.sub(" ", clause)
    if NONE.search(clause):
        if denies or (names_words and not but):
            return None
        return bool(but), bool(but)
    if ALL.search(clause) and (but or not names_words):
        if denies:
            return None
        return not but, not but
    if ONLY.search(bare):
        return None if denies or not names_words else (True, True)
    if but:
        return None
    if (denies and agrees) or ACROSS.search(_signed(clause)):
        return None  # "I would write boat, not fog": two clauses in one
    agrees = agrees or (not denies and WEAK.search(clause) is not None)
    return (False if denies else True if agrees else None), None
