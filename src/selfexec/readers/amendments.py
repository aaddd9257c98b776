"""Lists and orders that are amended in words behind them: "Replace Katrina with evacuation", "Swap those two".

An amendment is carried out where it leaves no choice: one named word gives way to one new word, two named labels change
places. Where something is amended and it cannot be read how, the value is not known. What is only reported, supposed,
doubted, offered or denied amends nothing.
"""

import re
from collections.abc import Sequence

from selfexec.readers.corrections import APART, CLOSED, DOUBTS, ERROR, NOT_SAID, OPENS, SENTENCES
from selfexec.readers.folding import fold
from selfexec.readers.result import Commitment
from selfexec.readers.suppositions import SUPPOSED

REACH = 2_000  # characters behind a list in which it is amended
OLD, NEW = "\0", "\1"  # what stands for a word of the list and for another one in quotes
SETS_APART = r"[\"'“”«»‘’*_`\s「」『』]{0,6}"
# one of these is in all that amends, in small letters
CUES = (
    *("replac", "swap", "switch", "exchang", "substitut", "chang", "instead", "in place of", "should", "make that"),
    *(
        "make it",
        "drop",
        "remov",
        "scratch",
        "strike",
        "my five",
        "my words",
        "list",
        "my answer",
        "words are",
        "correct",
        "revis",
    ),
    *("ersetz", "tausch", "änder", "statt", "anstelle", "sollte", "streich", "mein", "reemplaz", "sustitu", "cambi"),
    *("lugar de", "vez de", "quit", "mis ", "remplac", "au lieu", "place de", "mes ", "换", "替", "改", "代", "而不是"),
    *("استبد", "ستبدل", "بدل", "غير"),
)
REPLACES = re.compile(
    r"\b(?:replac(?:e|ing|ed)|swap(?:s|ping|ped)?|switch(?:ing|ed)?|exchang(?:e|ing|ed)|substitut(?:e|ing|ed)|chang(?:e|ing|ed)"
    r"|make\s+(?:that|it)|ersetz\w*|(?:aus)?tausch\w*|änder\w*|reemplaz\w+|sustitu\w+|cambi(?:o|ar|aré|emos|é)|remplac\w+|chang(?:er|eons))\b"
    r"|换成|替换|改成|改为|代替|换掉|[اأ]?ستبد\w*|غي[ّ]?ر",
    re.IGNORECASE,
)
REMOVES = re.compile(
    r"\b(?:drop(?:ping)?|remov(?:e|ing)|scratch|strike|take\s+out|taking\s+out|leave\s+out|streich\w*|quit(?:o|ar|aré)|retire(?:r)?)\b|去掉|删",
    re.IGNORECASE,
)
INSTEAD = (
    r"(?:\binstead\s+of|\bin\s+(?:place|lieu)\s+of|\brather\s+than|\bstatt|\banstelle\s+von|\ben\s+(?:lugar|vez)\s+de"
    r"|\bau\s+lieu\s+de|\bà\s+la\s+place\s+de|而不是|بدلا\s+من)"
)
INSTEAD_OF_ONE = re.compile(rf"{INSTEAD}{SETS_APART}{OLD}", re.IGNORECASE)
SHOULD_BE = re.compile(
    rf"{OLD}{SETS_APART}(?:should\s+(?:be|read|have\s+been)|sollte|debería\s+ser|devrait\s+être|应该?是|يجب\s+أن\s+تكون)",
    re.IGNORECASE,
)
# who amends, where no verb says it
RESOLVES = re.compile(
    r"\b(?:let\s+me|let's|i'll|i\s+will|i'd\s+(?:like\s+to|rather)|i\s+want\s+to|i\s+(?:should|must|need\s+to|have\s+to)|i'm|i\s+am)\b",
    re.IGNORECASE,
)
OFFERS = re.compile(
    r"\b(?:let\s+me\s+know|would\s+you|you(?:'d)?\s+(?:like|want|prefer|can)|i\s+can|can\s+i|feel\s+free|happy\s+to|glad\s+to|shall\s+i)\b",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"(?:\b(?:no|not|never|without|nicht|kein\w*|sin|sans|pas|no\s+need\s+to|no\s+reason\s+to)|n't|不|无需|لا|لن)\s*(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
IT = re.compile(r"\b(?:it|that|this(?:\s+one)?|that\s+one|es|das|lo|la|eso|le|ça)\b|它|这个|ها\b", re.IGNORECASE)
PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
BY_PLACE = re.compile(rf"\b(?:the|my)\s+(?P<place>{'|'.join(PLACES)})\s+(?:one|word|item|entry)\b", re.IGNORECASE)
ENDS = r"(?=[\"'”»’*_`」]{0,3}\s*(?:$|[.,;:!)。，；！]|\b(?:instead|now|then|and|so|as|because|since|statt|ersetzen|aus)\b))"
NO_WORD = r"(?!(?:something|anything|another|one|it|that|this|them|others?|the|a|an|instead|etwas|algo|otra|autre|which|more|less)\b)"
ONE_WORD = rf"{NO_WORD}(?P<new>[^\W\d_][\w'-]{{0,30}})"
# where the new word stands, if it is not in quotes
SLOTS = (
    re.compile(
        rf"{OLD}{SETS_APART}(?:out\s+)?(?:with|for|by|to|durch|gegen|zu|in|por|con|par|→|->|换成|替换[成为]|改[成为]|为|بـ?)\s*"
        rf"(?:the\s+word\s+|das\s+Wort\s+|la\s+palabra\s+|le\s+mot\s+)?{SETS_APART}{ONE_WORD}{ENDS}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:substitut(?:e|ing)|swap(?:ping)?(?:\s+in)?|put(?:ting)?|us(?:e|ing)|say|take|nehme|pongo|mets|choose)?\s*\b{ONE_WORD}"
        rf"\s+(?:for|{INSTEAD}){SETS_APART}{OLD}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{INSTEAD}{SETS_APART}{OLD}{SETS_APART},\s*(?:i(?:'ll|\s+will|'d|\s+would)\s+(?:\w+\s+){{1,3}})?{SETS_APART}{ONE_WORD}{ENDS}",
        re.IGNORECASE,
    ),
    re.compile(rf"\bmake\s+(?:that|it|{OLD})\s+{SETS_APART}{ONE_WORD}{ENDS}", re.IGNORECASE),
    re.compile(
        rf"{OLD}{SETS_APART}(?:should\s+(?:be|read|have\s+been)|sollte|debería\s+ser|devrait\s+être|应该?是)\s*{SETS_APART}{ONE_WORD}{ENDS}",
        re.IGNORECASE,
    ),
)
IN_QUOTES = re.compile(r"[\"“«「『](?P<word>[^\"“”«»「」『』\n]{1,40})[\"”»」』]")
# "My five are: ..."
ANNOUNCES = re.compile(
    r"\bmy\s+(?:(?:final|corrected|revised|updated|new|amended)\s+)?(?:five|list|words|answer)\b[^.:\n]{0,30}$"
    r"|\bthe\s+(?:final|corrected|revised|updated|new|amended)\s+(?:five|list|words|answer)\b[^.:\n]{0,30}$"
    r"|\b(?:meine|mis|mes)\s+(?:fünf|cinco|cinq)\b[^.:\n]{0,30}$|我的五个词?[^。\n]{0,8}$",
    re.IGNORECASE,
)
ALREADY = re.compile(rf"\b(?:with|by|durch|por|par)\s+{SETS_APART}{OLD}", re.IGNORECASE)  # "I replaced rain with wind"
ROW = re.compile(r"(?P<row>[^\n.!?:：。]{1,40}?(?:\s?[,،、，]\s?[^\n.!?:：,،、，。]{1,40}){4})(?=[.!。]|\s*$|\n)")


def amended_words(text: str, listed: Commitment) -> Commitment:
    """A list of words with what is said behind it of single words, or the list that is stated in its place. The value is
    None where a word is replaced or taken out, and it cannot be read what comes in its place.
    """
    begin = _end_of(text, listed)
    tail = text[begin : begin + REACH].replace("’", "'")
    small = tail.lower()
    if not any(cue in small for cue in CUES):
        return listed
    words: list[str] = list(listed.value)
    unclear, end, last = False, 0, ""
    at = 0
    for stop in (*(match.end() for match in SENTENCES.finditer(tail)), len(tail)):
        sentence, at = tail[at:stop], stop
        if not sentence.strip():
            continue
        named = _named(sentence, words)
        change = _change(sentence, words, last)
        last = named[0] if len(named) == 1 else "" if named else last
        if change is None:
            continue
        end = stop
        old, new = change
        if not new or fold(new) in map(fold, words):
            unclear = True
        else:
            words = [new if fold(word) == fold(old) else word for word in words]
    if stated := _stated_anew(tail, listed.value, amended=bool(end)):
        return listed._replace(end=begin + stated.end, value=stated.value)
    if not end:
        return listed
    return listed._replace(end=begin + end, value=None if unclear else words)


def _end_of(text: str, listed: Commitment) -> int:
    """Where the last of the words stands: the line of a list may go on behind it."""
    at = listed.start
    for word in listed.value:
        found = text.find(word, at, listed.end)
        if found < 0:
            return listed.end
        at = found + len(word)
    return at


def _named(sentence: str, words: Sequence[str]) -> list[str]:
    """The words of the list that a sentence names."""
    folded = fold(sentence)
    return [
        word for word in words if fold(word) in folded and re.search(APART + re.escape(fold(word)) + CLOSED, folded)
    ]


def _change(sentence: str, words: Sequence[str], last: str) -> tuple[str, str] | None:
    """The word that a sentence takes out and the one that it puts in its place, "" where it cannot be read; None where
    the sentence amends nothing.
    """
    spared = re.sub(INSTEAD, " ", sentence, flags=re.IGNORECASE)
    if "?" in sentence or "？" in sentence or any(said.search(spared) for said in (SUPPOSED, DOUBTS, NOT_SAID, OFFERS)):
        return None
    named = _named(sentence, words)
    signed = _signed(sentence, words)
    verb = REPLACES.search(signed) or REMOVES.search(signed)
    instead = INSTEAD_OF_ONE.search(signed)
    should = SHOULD_BE.search(signed) if OPENS.search(signed) or ERROR.search(signed) or NEW in signed else None
    if not (verb or instead or should) or (verb and not instead and DENIED.search(signed, 0, verb.start())):
        return None
    if verb and not instead and ALREADY.search(signed, verb.end()) and not verb[0].lower().startswith("substitut"):
        return None
    placed = BY_PLACE.search(signed)
    if not named and placed and len(words) == 5:
        named = [words[PLACES[placed["place"].lower()]]]
        signed = signed[: placed.start()] + OLD + signed[placed.end() :]
    elif not named and last and verb and IT.search(signed, verb.start()):
        named = [last]
        signed = signed[: verb.start()] + IT.sub(OLD, signed[verb.start() :], count=1)
    elif len(named) == 1 and verb and (it := IT.search(signed, verb.end())) and OLD not in signed[verb.start() :]:
        signed = signed[: it.start()] + OLD + signed[it.end() :]
    if not named:
        # "let me change one of them": which one is not said
        return ("", "") if verb and RESOLVES.search(signed, 0, verb.start()) and NEW in signed else None
    if len(named) > 1:
        return ("", "") if RESOLVES.search(signed) or OPENS.search(signed) else None
    new = _new(sentence, signed, words)
    plain = verb and not instead and not should and not (RESOLVES.search(signed) or OPENS.search(signed) or new)
    if plain and not signed.strip(" \t\n\"'*_`(").lower().startswith(verb[0].lower()):
        return None  # "wind changes the coast"
    return (named[0], new)


def _signed(sentence: str, words: Sequence[str]) -> str:
    """A sentence with signs for the words of the list, and for other words in quotes."""
    names = sorted((word for word in words if word), key=len, reverse=True)
    listed = re.compile(rf"{APART}(?:{'|'.join(map(re.escape, names))}){CLOSED}", re.IGNORECASE)
    return IN_QUOTES.sub(lambda match: match[0] if OLD in match[0] else NEW, listed.sub(OLD, sentence))


def _new(sentence: str, signed: str, words: Sequence[str]) -> str:
    """The one new word of a sentence, "" where there is none, or several."""
    folded = {fold(word) for word in words}
    in_quotes = [match["word"].strip(" .,") for match in IN_QUOTES.finditer(sentence)]
    others = [word for word in in_quotes if fold(word) not in folded]
    if others:
        return others[0] if len(others) == 1 and len(others[0].split()) == 1 else ""
    for slot in SLOTS:
        if match := slot.search(signed):
            return match["new"]
    return ""


def _stated_anew(tail: str, words: Sequence[str], *, amended: bool) -> Commitment | None:
    """Five words in a row that are announced as the list, or that keep most of a list which was amended."""
    for match in reversed(list(ROW.finditer(tail))):
        row = [re.sub(r"^(?:and|und|y|et)\s+", "", part.strip()) for part in re.split("[,،、，]", match["row"])]
        before = tail[max(match.start() - 80, 0) : match.start()].replace("*", "")
        lead = re.search(r"^(?P<lead>.*\b(?:are|is|be|sind|son|sont)|.*是)\s+(?=\S+$)", row[0])
        if lead:
            row[0], before = row[0][lead.end() :], before + lead["lead"]
        row = [part.strip("\"'“”*_` ") for part in row]
        kept = len({fold(part) for part in row} & {fold(word) for word in words})
        before = before.rstrip().rstrip(":：")
        announced = ANNOUNCES.search(before) is not None
        if (
            len(set(row)) == 5
            and all(row)
            and all(len(part.split()) <= 2 for part in row)
            and (announced or (amended and kept >= 3))
        ):
            return Commitment(match.start(), match.end(), row)
    return None
