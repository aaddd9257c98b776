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
from selfexec.text.regex import regex

REACH = 2_000  # characters behind a list in which it is amended
CLOSING = " \t\r\n\"'`*_”“]})."
OLD, NEW = "\0", "\1"  # what stands for a word of the list and for another one in quotes
SETS_APART = r"[\"'“”«»‘’*_`\s「」『』]{0,6}"
# one of these is in all that amends, in small letters
CUES = (
    *(
        "replac",
        "swap",
        "switch",
        "exchang",
        "substitut",
        "chang",
        "instead",
        "in place of",
        "in lieu of",
        "rather than",
    ),
    *("should", "make that", "make it", "drop", "remov", "scratch", "strike", "take out", "take back", "withdraw"),
    *("leave out", "my five", "my words", "list", "answer", "words are", "five", "correct", "→", "->", "=>"),
    *("ersetz", "tausch", "änder", "statt", "anstelle", "sollte", "streich", "fünf", "reemplaz", "sustitu", "cambi"),
    *("lugar de", "vez de", "debería", "quit", "cinco", "remplac", "au lieu", "place de", "devrait", "retire", "cinq"),
    *("换", "替", "改", "代", "删", "去掉", "是", "استبد", "ستبدل", "بدل", "غير", "يجب"),
)
REPLACES = regex(
    r"\b(?:replac(?:e|ing|ed)|swap(?:ping|ped)?|switch(?:ing|ed)?|exchang(?:e|ing|ed)|substitut(?:e|ing|ed)|chang(?:e|ing|ed)"
    r"|make\s+(?:that|it)|ersetz(?:e|en|t)|(?:aus)?tausch(?:e|en)|änder[en]+|reemplaz(?:o|ar|aré)|sustitu(?:yo|ir|iré)|cambi(?:o|ar|aré)"
    r"|remplace(?:r|rai)?|changer(?:ai)?)\b|换成|替换|改成|改为|代替|换掉|[اأ]?ستبد\w*|غي[ّ]?ر",
    re.IGNORECASE,
)
REMOVES = regex(
    r"\b(?:drop(?:ping)?|remov(?:e|ing)|scratch|strike|take\s+(?:out|back)|withdraw|leave\s+out|streiche|quito|quitar|retire|retirer)\b|去掉|删",
    re.IGNORECASE,
)
INSTEAD = (
    r"(?:\binstead\s+of|\bin\s+(?:place|lieu)\s+of|\brather\s+than|\bstatt|\banstelle\s+von|\ben\s+(?:lugar|vez)\s+de"
    r"|\bau\s+lieu\s+de|\bà\s+la\s+place\s+de|而不是|بدلا\s+من)"
)
INSTEAD_OF_ONE = regex(rf"{INSTEAD}{SETS_APART}{OLD}", re.IGNORECASE)
SHOULD_BE = regex(
    rf"{OLD}{SETS_APART}(?:should\s+(?:be|read|have\s+been)|sollte|debería\s+ser|devrait\s+être|应该?是|يجب\s+أن\s+تكون)",
    re.IGNORECASE,
)
# who amends, before the verb: "let me replace", "should be replaced"
RESOLVES = regex(
    r"\b(?:let\s+me|let's|i'll|i\s+will|i'd|i\s+would|i\s+want\s+to|i\s+(?:should|must|need\s+to|have\s+to|take|withdraw)|i'm|i\s+am"
    r"|(?:should|must|needs?\s+to|has\s+to)\s+be|sollte|muss)\b",
    re.IGNORECASE,
)
# a verb that is a command, with what it is done to
COMMANDS = regex(
    rf"(?:^|[,;:–—]|\b(?:so|and|then|please))[\W_]*(?:(?:replace|swap|switch|exchange|substitute|change)\s+(?:out\s+|in\s+)?(?:the\s+)?(?:\w+\s+){{0,2}}?{SETS_APART}(?:{OLD}|{NEW}|it\b|that\b|\w+\s+for\s+{SETS_APART}{OLD})"
    rf"|make\s+(?:that|it)\b|(?:drop|remove|scratch|strike|take\s+out|leave\s+out)\s+(?:the\s+word\s+)?{SETS_APART}(?:{OLD}|it\b|that\b))",
    re.IGNORECASE,
)
# first persons of other languages, which do what they name
DOES = regex(
    r"\b(?:ersetze|(?:aus)?tausche|ändere|streiche|nehme|schreibe|reemplazo|sustituyo|cambio|quito|pongo|elijo|je\s+(?:remplace|change|retire|mets|choisis))\b"
    r"|换成|替换|改成|改为|代替|换掉|去掉|[اأس]?[اأ]?ستبدل|[سأ]?أختار",
    re.IGNORECASE,
)
OFFERS = regex(
    r"\b(?:let\s+me\s+know|would\s+you|you(?:'d)?\s+(?:like|want|prefer|can)|i\s+can|can\s+i|feel\s+free|happy\s+to|glad\s+to|shall\s+i)\b",
    re.IGNORECASE,
)
DENIED = regex(
    r"(?:\b(?:no|not|never|without|nicht|kein\w*|sin|sans|pas|no\s+need\s+to|no\s+reason\s+to)"
    r"|n't|不|无需|لا|لن)\s*(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
IT = regex(r"\b(?:it|that|this(?:\s+one)?|that\s+one|es|das|lo|la|eso|le|ça)\b|它|这个|ها\b", re.IGNORECASE)
PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
BY_PLACE = regex(rf"\b(?:the|my)\s+(?P<place>{'|'.join(PLACES)})\s+(?:one|word|item|entry)\b", re.IGNORECASE)
ENDS = (
    r"(?=[\"'”»’*_`」]{0,3}\s*(?:$|[.,;:!)。，；！]"
    r"|\b(?:instead|now|then|and|so|as|because|since|statt|ersetzen|aus)\b))"
)
NO_WORD = (
    r"(?!(?:something|anything|another|one|it|that|this|them|others?|the|a|an|instead|which|more|less"
    r"|etwas|algo|otra|autre)\b)"
)
ONE_WORD = rf"{NO_WORD}(?P<new>[^\W\d_][\w'-]{{0,30}})"
# where the new word stands, if it is not in quotes
SLOTS = tuple(
    regex(slot, re.IGNORECASE)
    for slot in (
        rf"{OLD}{SETS_APART}(?:out\s+)?(?:with|for|by|to|durch|gegen|zu|in|por|con|par|→|->|换成|替换[成为]|改[成为]|为|بـ?)\s*"
        rf"(?:the\s+word\s+|das\s+Wort\s+|la\s+palabra\s+|le\s+mot\s+)?{SETS_APART}{ONE_WORD}{ENDS}",
        rf"\b(?:replaced|swapped|exchanged)\s+(?:with|by|for)\s+{SETS_APART}{ONE_WORD}{ENDS}|\bdurch\s+(?P<other>[^\W\d_][\w'-]*)\s+ersetz",
        rf"\b{ONE_WORD}\s+(?:for|{INSTEAD}){SETS_APART}{OLD}",
        rf"{INSTEAD}{SETS_APART}{OLD}{SETS_APART},?\s*(?:i(?:'ll|\s+will|'d|\s+would)\s+(?:\w+\s+){{1,3}}|(?:nehme|schreibe|sage)\s+ich\s+|pongo\s+"
        rf"|elijo\s+|je\s+mets\s+|je\s+choisis\s+)?{SETS_APART}{ONE_WORD}{ENDS}",
        rf"\bmake\s+(?:that|it|{OLD})\s+{SETS_APART}{ONE_WORD}{ENDS}",
        rf"{OLD}{SETS_APART}(?:should\s+(?:be|read|have\s+been)|sollte|debería\s+ser|devrait\s+être|应该?是)\s*{SETS_APART}{ONE_WORD}{ENDS}",
        rf"\b(?:use|say|put|take|choose|write|list|add|stattdessen|en\s+su\s+lugar|à\s+la\s+place)[:,]?\s+{SETS_APART}{ONE_WORD}{ENDS}",
    )
)
AN_ARROW = regex(rf"{OLD}{SETS_APART}(?:→|->|=>)")
ONE_OF_THEM = regex(r"\bone\s+of\s+(?:them|these|those|the\s+words)\b|\ba\s+(?:word|few)\b", re.IGNORECASE)
EXCHANGES = regex(r"swap|switch|exchang|tausch|cambi|chang", re.IGNORECASE)
BOTH = regex(rf"{OLD}{SETS_APART}(?:and|with|und|mit|y|con|et|avec|和|و)\s*{SETS_APART}{OLD}\W*$", re.IGNORECASE)
ASKED_FOR = 5  # words
LONGEST = 3  # words of a member
IN_QUOTES = regex(r"[\"“«「『](?P<word>[^\"“”«»「」『』\n]{1,40})[\"”»」』]")
# "My five are: ..."
ANNOUNCES = regex(
    r"(?:\bmy\s+(?:(?:final|corrected|revised|updated|new|amended)\s+)?|(?:\A|[.!?\n]\s*|\bthe\s+)(?:final|corrected|revised|updated|new|amended)\s+)"
    r"(?:five|list|words|answer)(?:\s+(?:words|list|answer|are|is|would|be|becomes?|now|then|therefore|thus))*\s*$"
    r"|\b(?:meine|mis|mes)\s+(?:fünf|cinco|cinq)(?:\s+(?:Wörter|palabras|mots|sind|son|sont|jetzt|ahora))*\s*$|我的五个词?(?:是|为)?\s*$|\bmake\s+(?:that|it)\s*$",
    re.IGNORECASE,
)
ALREADY = regex(rf"\b(?:with|by|durch|por|par)\s+{SETS_APART}{OLD}", re.IGNORECASE)  # "I replaced rain with wind"
ROW = regex(r"(?P<row>[^\n.!?:：。]{1,40}?(?:\s?[,،、，]\s?[^\n.!?:：,،、，。]{1,40}){4})(?=[.!。(]|\s*$|\n)")


def amended_words(text: str, listed: Commitment) -> Commitment:
    """A list of words with what is said behind it of single words, or the list that is stated in its place.

    The value is None where a word is replaced or taken out, and it cannot be read what comes in its place.
    """
    if text[listed.end - 1] == "]" and not text[listed.end :].strip(CLOSING):
        return listed  # as most are
    begin = _end_of(text, listed)
    tail = text[begin : begin + REACH].replace("’", "'")
    small = tail.lower()
    if not small.strip(CLOSING) or not any(cue in small for cue in CUES):
        return listed
    words: list[str] = list(listed.value)
    unclear, end, last = False, 0, ""
    at = 0
    for stop in (*(match.end() for match in SENTENCES.finditer(tail)), len(tail)):
        sentence, at = tail[at:stop], stop
        if not sentence.strip():
            continue
        named = _named(OLD, sentence, words)
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
        start = text.find(word, at, listed.end)
        if start < 0:
            return listed.end
        at = start + len(word)
    return at


def _change(sentence: str, words: Sequence[str], last: str) -> tuple[str, str] | None:
    """The word that a sentence takes out and the one that it puts in its place, "" where it cannot be read; None where
    the sentence amends nothing.
    """
    spared = re.sub(INSTEAD, " ", sentence, flags=re.IGNORECASE)
    if (
        "?" in sentence
        or "？" in sentence
        or any(hedge.search(spared) for hedge in (SUPPOSED, DOUBTS, NOT_SAID, OFFERS))
    ):
        return None
    signed, named = _signed(sentence, words), []
    place = BY_PLACE.search(signed)
    if place and OLD not in signed and len(words) == ASKED_FOR:
        named = [words[PLACES[place["place"].lower()]]]
        signed = signed[: place.start()] + OLD + signed[place.end() :]
    verb = _amending(signed)
    if verb is None:
        return None
    named = named or _named(signed, sentence, words)
    if (not named and last) or (len(named) == 1 and OLD not in signed[verb.start() :]):
        named = named or [last]
        signed = signed[: verb.start()] + IT.sub(OLD, signed[verb.start() :], count=1)
        named = named if OLD in signed else []
    if not named:
        return ("", "") if ONE_OF_THEM.search(signed) else None  # which one is not said
    if len(named) > 1:
        both = (
            NEW not in signed and BOTH.search(signed, verb.end()) is not None and EXCHANGES.match(verb[0]) is not None
        )
        return None if both else ("", "")  # "swap wind and storm" takes none out
    return (named[0], _new(sentence, signed, words))


def _amending(signed: str) -> re.Match[str] | None:
    """The words by which a sentence amends a list, where it does so itself and does not only speak of it."""
    opens = OPENS.search(signed) or ERROR.search(signed)
    if instead := INSTEAD_OF_ONE.search(signed):
        alone = signed[: instead.start()].strip(" \t\n\"'“”*_`(").count(" ") == 0 or signed[instead.start() - 1] == "("
        return instead if alone or opens or RESOLVES.search(signed) or DOES.search(signed) else None
    if (opens or NEW in signed) and (should := SHOULD_BE.search(signed)):
        return should
    if opens and (arrow := AN_ARROW.search(signed)):
        return arrow
    verb = REPLACES.search(signed) or REMOVES.search(signed)
    if verb is None or DENIED.search(signed, 0, verb.start()):
        return None
    if signed.count(OLD) == 1 and ALREADY.search(signed, verb.end()) and not verb[0].lower().startswith("substitut"):
        return None
    resolved = RESOLVES.search(signed, 0, verb.end()) or DOES.search(signed) or COMMANDS.search(signed)
    return verb if resolved or opens else None


def _named(signed: str, sentence: str, words: Sequence[str]) -> list[str]:
    """The words of the list that a sentence names, other words in quotes left out."""
    folded = fold(IN_QUOTES.sub(lambda match: match[0] if fold(match["word"]) in map(fold, words) else " ", sentence))
    return (
        [word for word in words if re.search(APART + re.escape(fold(word)) + CLOSED, folded)] if OLD in signed else []
    )


def _signed(sentence: str, words: Sequence[str]) -> str:
    """A sentence with signs for the words of the list, and for other words in quotes."""
    folded = [fold(word) for word in words]
    names = sorted((word for word in words if word), key=len, reverse=True)
    listed = re.compile(rf"{APART}(?:{'|'.join(map(re.escape, names))}){CLOSED}", re.IGNORECASE)
    sentence = IN_QUOTES.sub(lambda match: match[0] if fold(match["word"]) in folded else NEW, sentence)
    return listed.sub(OLD, sentence)


def _new(sentence: str, signed: str, words: Sequence[str]) -> str:
    """The one new word of a sentence, "" where there is none, or several."""
    folded = {fold(word) for word in words}
    in_quotes = [match["word"].strip(" .,") for match in IN_QUOTES.finditer(sentence)]
    others = [word for word in in_quotes if fold(word) not in folded]
    if others:
        return others[0] if len(others) == 1 and len(others[0].split()) <= LONGEST else ""
    for slot in SLOTS:
        if match := slot.search(signed):
            return next(word for word in match.groups() if word)
    return ""


def _stated_anew(tail: str, words: Sequence[str], *, amended: bool) -> Commitment | None:
    """Five words in a row that are announced as the list, or that keep most of a list which was amended."""
    for match in reversed(list(ROW.finditer(tail))):
        row = [re.sub(r"^(?:and|und|y|et)\s+", "", part.strip()) for part in re.split("[,،、，]", match["row"])]
        before = tail[max(match.start() - 80, 0) : match.start()].replace("*", "")
        lead = re.search(
            r"^(?P<lead>.*\b(?:are|is|be|sind|son|sont|make\s+that|make\s+it)|.*是)\s+(?=\S+$)", row[0], re.IGNORECASE
        )
        if lead:
            row[0], before = row[0][lead.end() :], before + lead["lead"]
        row = [part.strip("\"'“”*_` ") for part in row]
        kept = len({fold(part) for part in row} & {fold(word) for word in words})
        before = before.rstrip().rstrip(":：")
        announced = ANNOUNCES.search(before) is not None
        if (
            len(set(row)) == ASKED_FOR
            and all(row)
            and all(len(part.split()) <= 2 for part in row)
            and (announced or (amended and kept >= 3))
        ):
            return Commitment(match.start(), match.end(), row)
    return None
