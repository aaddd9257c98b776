"""Marks that are corrected in words behind them: "Wait, nomad should be false; the rest stands."

A sentence corrects where it says what a mark should be, or where it says what one is behind words that name an error.
What is only reported ("I wrote nomad as true"), supposed or doubted corrects nothing. Where an error is named together
with a word, and it cannot be read what its mark should be, the marks are not known.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from selfexec.readers.folding import fold
from selfexec.readers.result import Commitment
from selfexec.readers.suppositions import SUPPOSED
from selfexec.text.regex import regex

REACH = 2_000  # characters behind the marks in which they are corrected
OPTION, TRUE, FALSE = "\0", "\1", "\2"  # what stands for a name and for marks while a sentence is looked at
SIGN = f"[{TRUE}{FALSE}]"
QUOTED = r"[\"'“”«»‘’*_`\s]{0,4}"
SENTENCES = regex(r"(?<=[.!?])(?=[\s)\"”*]|$)|(?<=[。！？؟])|\n+")
SEGMENTS = regex(
    r"\s*[;；؛]\s*|,?\s+(?:but|whereas|while|because|since|aber|denn|weil|pero|porque|mais|car)\s+"
    r"|[，,]?\s*(?:但是?|因为|لكن|لأن)",
    re.IGNORECASE,
)
# of names in Latin letters; Chinese puts no blank before them
APART, CLOSED = r"(?<![A-Za-zÀ-ɏ0-9_])", r"(?![A-Za-zÀ-ɏ0-9_])"
# marks that are nothing else, and those that are one only between the word that links them to a name and a stop
MARKS = {
    TRUE: rf"{APART}(?:true(?!\s+that\b)|wahr|verdader[oa]|vraie?){CLOSED}|真|(?<!\w)صحيحة?",
    FALSE: rf"{APART}(?:false|falso|falsa|faux|fausse){CLOSED}|假|خاطئة?",
}
LINKED_MARKS = {
    TRUE: r"yes|in|listed|included|ja|sí|oui|dabei|drin|是|نعم",
    FALSE: r"no|out|excluded|omitted|left\s+out|removed|dropped|nein|non|falsch|raus|否|لا|خطأ",
}
LINK = (
    r"(?P<link>(?:(?<![^\W_])(?:be|been|is|was|to|as|an?|say|read|sein|sollte|soll|muss|müsste|eigentlich|ist|auf|lauten|ser|es|estar|être|est|à|en)\s"
    r"|[=:→]|->|为|成|是|(?<![^\W_])(?:هو|هي|إلى|تكون|يكون)\s)\s{0,2}[\"'“”«‘*_`]{0,3})"
)
ENDS = r"(?=[\"'”»’*_`]{0,3}\s*(?:$|[.,;:!)。，；！]|\b(?:and|as|on|und|y|et|sein|lauten|werden|heißen)\b))"
SIGNS = [(regex(words, re.IGNORECASE), sign) for sign, words in MARKS.items()]
LINKED_SIGNS = [(regex(f"{LINK}(?:{words}){ENDS}", re.IGNORECASE), sign) for sign, words in LINKED_MARKS.items()]
# "should not appear", "belongs on the list"
BELONGS = regex(
    r"\b(?:should|must|does|did|has\s+to|ought\s+to)(?P<no>\s?n['o]t|\s+never)?\s+(?:have\s+)?"
    r"(?:appear(?:ed)?|belong|be(?:en)?\s+(?:there|on\s+(?:it|the\s+list)))\b|\bbelongs\b",
    re.IGNORECASE,
)
FROM_TO = regex(
    rf"(?:\bfrom|\bvon|\bde)?{QUOTED}{SIGN}{QUOTED}(?:\bto\b|\bauf\b|\bzu\b|\ba\b|à|→|->|=>)(?={QUOTED}{SIGN})",
    re.IGNORECASE,
)
NOT = r"(?:\bnot|n't|\bnever|\bnicht|\bno|\bpas|\bnon|不|\bلا|\bليس\w*)"
REJECTED = regex(
    rf"[,，]?\s*(?:\b(?:and|y|et|und)\s+)?(?:{NOT}|\brather\s+than|\binstead\s+of|\bstatt|\ben\s+(?:lugar|vez)\s+de|\bau\s+lieu\s+de|而不是|不是"
    rf"|وليس|بدلا\s+من)\s*(?:(?:as|be|to\s+be|是)\s+)?{QUOTED}{SIGN}",
    re.IGNORECASE,
)
DENIED = regex(rf"{NOT}\s*(?:\w+\s+){{0,2}}?(?:应该|应当|应|该)?[是为]?{QUOTED}(?P<sign>{SIGN})", re.IGNORECASE)
SHOULD_BE = regex(
    r"\b(?:should|shouldn't|must|ought|needs?\s+to|has\s+to|meant|mean|supposed|intended|make|change|correct|set|turn|flip|switch|mark|put|count"
    r"|treat|read\s+it|belongs?|sollte\w*|soll|muss|müsste|gehört|meinte|ändere|setze|korrigiere|deber\w+|debe|tiene\s+que|tendría\s+que|quería"
    r"|cambi\w+|corrij\w+|pon|devrait|doit|voulais|chang\w+|corrige|mets)\b|应|该|改|更正|يجب|ينبغي|غي[ّ]?ر",
    re.IGNORECASE,
)
ERROR = regex(
    r"\b(?:slips?|mistake\w*|mistook|typos?|errors?|erroneous\w*|oops|wrong\w*|incorrect\w*|misread|miswrote|mistyped|swapped|mixed\s+up"
    r"|correction|accident\w*|scratch\s+that|fehler\w*|korrektur|versehentlich|vertan|verschrieben|vertauscht|error|corrección|equivoqu\w+"
    r"|equivocad\w+|por\s+error|erreur|trompée?|par\s+erreur)\b|错|更正|写反|تصحيح|أخطأت",
    re.IGNORECASE,
)
# words that open a correction, besides those that name an error
OPENS = regex(
    r"\b(?:actually|hmm+|sorry|no|on\s+(?:second\s+thoughts?|reflection)|wait|edit|update|moment|stopp|doch|eigentlich|entschuldigung"
    r"|perdón|espera|en\s+realidad|pardon|attends?|attendez|en\s+fait|finalement)\b|等等|不对|其实|抱歉|عفو|انتظر|في\s+الواقع",
    re.IGNORECASE,
)
PERHAPS_BEHIND = regex(
    r"\s+(?:is|are|may|might|could|can)\s+(?:be\s+)?(?:possible|likely|happen|there|expected)", re.IGNORECASE
)
NOT_SAID = regex(
    r"(?:\bn[o']t|n't)\s+(?:think|believe|see|mean|suggest|say|claim)\b|\bwould\s+be\s+(?:wrong|an?\s+(?:mistake|error))\b|\bno\s+reason\b"
    r"|\b(?:almost|nearly|tempted|hesitat\w+|consider(?:ed|ing)?|thought\s+(?:about|of)|(?:was|were)\s+(?:going|about)\s+to|beinahe|fast|casi|presque)\b|差点"
    r"|\bnicht,?\s+dass\b|\bno\s+creo\b|\bne\s+(?:pense|crois)\s+pas\b|不认为|لا\s+أعتقد",
    re.IGNORECASE,
)
PERHAPS_AN_ERROR = regex(
    r"\b(?:no|not|n't|may|might|could|any|possib\w+|if|whether|without|margin\s+of)\b[^.!?\n]{0,24}$", re.IGNORECASE
)
DOUBTS = regex(
    r"\b(?:may|might|could|maybe|perhaps|possibly|quizás?|podría|vielleicht|könnte|peut-être|pourrait)\b|也许|可能|ربما",
    re.IGNORECASE,
)
REPORTS = regex(
    r"\b(?:I(?:'ve|'d)?|it|the\s+(?:json|object|list)|above|ich|yo|je|j'ai)\s+(?:(?:had|have|just|first|originally|before|\w+ly|by\s+mistake|habe|hatte|había|avais)\s+)*"
    r"(?:wrote|written|marked|put|had|gave|given|said|set|listed|typed|entered|have|says|reads|shows|schrieb|geschrieben|markiert|escribí|puse|marqué"
    r"|écrit|mis|marqué)\b|\bhabe\b[^.]{0,40}\b(?:geschrieben|markiert)|我(?:把|刚才|之前)?[^。]{0,12}(?:写|标)成?|كتبت",
    re.IGNORECASE,
)
SHOULD_HAVE = regex(r"\b(?:should|meant|wanted|ought)\b", re.IGNORECASE)
TURNS_ROUND = regex(
    r"\b(?:flip\w*|toggl\w+|invert\w*)\b|\bthe\s+other\s+way\s+(?:a?round)\b|\bandersherum\b|\bal\s+revés\b|写反|标反|反过来",
    re.IGNORECASE,
)
SWAPS = regex(r"\b(?:swap\w*|switch\w*|exchang\w+|replac\w+|mixed\s+up|vertausch\w+)\b", re.IGNORECASE)
COMMANDS = regex(r"[\W_]*(?:(?:so|let\s+me|i'll|i\s+will)\s+)?(?:swap|switch|exchange|replace)\b", re.IGNORECASE)
THOSE_TWO = regex(r"\b(?:those|these|the)\s+two\b|\bthem\b", re.IGNORECASE)
OF_THE_OTHERS = regex(
    r"\b(?:rest|others?|all|every\w*|else|remaining|übrigen|demás|resto|autres)\b|其他|其余|الباقي", re.IGNORECASE
)
IT = regex(
    r"^\W*(?:(?:so|and|which|then|also)\s+)?(?:it|that|this(?:\s+one)?|which|es|das|eso|ça|cela|should|must|make\s+it|change\s+it|set\s+it"
    r"|turn\s+it|mark\s+it|put\s+it)\b|应|改为|改成|它",
    re.IGNORECASE,
)
IT_IS = regex(rf"\W*(?:it|that|this)(?:\s+one)?\s+is\s+{QUOTED}{SIGN}{QUOTED}[.!]?\s*$", re.IGNORECASE)
AN_ENUMERATION = regex(r"(?:[\s,\"'*`“”،、]|\b(?:and|or|und|y|et|both)\b|和|و)*", re.IGNORECASE)
NAMES_THE_SLIP = regex(r"\s*(?:that|this|it|das|eso|fue|c'était)\W[^.!?\n]{0,60}[.!]", re.IGNORECASE)
CUES = (
    *("shou", "must", "ought", "need", "has to", "mean", "suppos", "intend", "slip", "mist", "typo", "err"),
    *("oops", "wrong", "correct", "misread", "miswr", "swap", "switch", "exchang", "replac", "mix", "scratch"),
    *("accident", "actually", "hmm", "sorry", "no", "second", "reflection", "wait", "edit", "update", "flip"),
    *("toggl", "invert", "way", "make", "chang", "set", "turn", "fehler", "korr", "soll", "muss", "müss"),
    *("gehör", "eigentlich", "deb", "tiene", "corr", "cambi", "equivoc", "devr", "doit", "错", "更正", "改"),
    *("应", "该", "反", "等", "يجب", "ينبغي", "تصحيح", "أخطأت", "عفو"),
)


class _Sentence(NamedTuple):
    words: str
    end: int
    names: list[str]
    error: bool  # whether it names an error
    opens: bool  # whether it opens a correction


def corrected(text: str, marked: Commitment, options: Sequence[str]) -> Commitment:
    """Marks with what is said afterwards, as a correction, of single options. Their value is None where an error is
    named and its correction cannot be read.
    """
    tail = text[marked.end : marked.end + REACH].replace("’", "'")
    small = tail.lower()
    if not any(cue in small for cue in CUES):
        return marked
    named = _pattern_of(tuple(options))
    sentences = _sentences(tail, named)
    if not any(sentence.names for sentence in sentences):
        return marked
    marks = {fold(word): mark for word, mark in marked.value.items()}
    stated: dict[str, bool] = {}
    end, last, unclear = 0, "", False
    for sentence, before in zip(sentences, (None, *sentences), strict=False):
        near = (sentence, before) if before else (sentence,)
        for segment in SEGMENTS.split(sentence.words):
            error, opens = any(s.error for s in near), any(s.opens for s in near)
            segment = _with_the_two(segment, before)
            here = _said(segment, named, marks | stated, last, error, opens or COMMANDS.match(segment) is not None)
            if here is None:
                unclear = True
                continue
            stated |= here
            end = sentence.end if any(marks.get(word) != mark for word, mark in here.items()) else end
            names = {fold(match[0]) for match in named.finditer(segment)}
            last = names.pop() if len(names) == 1 else "" if names else last
    if unclear or (not stated and _an_error_with_a_name(sentences)):
        return marked._replace(value=None)
    if not end:
        return marked
    slip = NAMES_THE_SLIP.match(tail, end)
    end = slip.end() if slip and ERROR.search(slip[0]) else end
    value = {word: stated.get(fold(word), mark) for word, mark in marked.value.items()}
    return marked._replace(value=value, end=marked.end + end)


def _sentences(tail: str, named: re.Pattern[str]) -> list[_Sentence]:
    sentences: list[_Sentence] = []
    at = 0
    for end in (*(match.end() for match in SENTENCES.finditer(tail)), len(tail)):
        words, at = tail[at:end], end
        if words.strip():
            names = [fold(match[0]) for match in named.finditer(words)]
            error = not NOT_SAID.search(words) and any(
                not PERHAPS_AN_ERROR.search(words, 0, match.start()) and not PERHAPS_BEHIND.match(words, match.end())
                for match in ERROR.finditer(words)
            )
            sentences.append(_Sentence(words, end, names, error, error or OPENS.search(words) is not None))
    return sentences


def _an_error_with_a_name(sentences: list[_Sentence]) -> bool:
    """Whether an error is named in a sentence that names a word, or next to one."""
    return any(
        sentence.error and any(near.names for near in sentences[max(n - 1, 0) : n + 2])
        for n, sentence in enumerate(sentences)
    )


def _with_the_two(segment: str, before: _Sentence | None) -> str:
    """ "Swap those two" with the two that were named in the sentence before, unless that exchanged them already."""
    two = list(dict.fromkeys(before.names)) if before and not SWAPS.search(before.words) else []
    if len(two) != 2 or not SWAPS.search(segment):
        return segment
    return THOSE_TWO.sub(lambda _: " and ".join(two), segment, count=1)


@lru_cache(maxsize=512)
def _pattern_of(options: tuple[str, ...]) -> re.Pattern[str]:
    names = sorted(options, key=len, reverse=True)
    return re.compile(rf"{APART}(?:{'|'.join(map(re.escape, names))}){CLOSED}", re.IGNORECASE)


def _said(
    segment: str, named: re.Pattern[str], marks: Mapping[str, bool], last: str, error: bool, opens: bool
) -> dict[str, bool] | None:
    """The marks that a part of a sentence says some words should have; None where it corrects and cannot be read."""
    names = [fold(match[0]) for match in named.finditer(segment)]
    signed = _signed(named.sub(OPTION, segment))
    signs = [sign == TRUE for sign in re.findall(SIGN, signed)]
    if "?" in segment or "？" in segment or any(held.search(signed) for held in (SUPPOSED, DOUBTS, NOT_SAID)):
        return {}
    if not signs:
        if not names or not (TURNS_ROUND.search(segment) or (SWAPS.search(segment) and error | opens)):
            return {}
        exchanged = len(set(names)) == 2 and len({marks.get(name) for name in names}) == 2
        turned = bool(TURNS_ROUND.search(segment)) and len(set(names)) == 1
        return {name: not marks[name] for name in names} if exchanged or turned else None
    if REPORTS.search(segment) and not SHOULD_HAVE.search(segment):
        return _contrary(names, signs, marks) if ERROR.search(segment) else {}
    should = SHOULD_BE.search(segment) is not None
    if not should and not opens:
        return {}
    if not names:
        of_the_last = IT.search(segment) and (should or IT_IS.match(signed)) and not OF_THE_OTHERS.search(segment)
        if not last or len(set(signs)) > 1 or not of_the_last:
            return {}
        names = [last]
    return _paired(signed, names, signs)


def _contrary(names: list[str], signs: list[bool], marks: Mapping[str, bool]) -> dict[str, bool] | None:
    """ "I marked nomad as true by mistake": the mark that was given is not the one that was meant."""
    given = len(names) == len(signs) == 1 and marks.get(names[0]) == signs[0]
    return {names[0]: not signs[0]} if given else {} if not names else None


def _paired(signed: str, names: list[str], signs: list[bool]) -> dict[str, bool] | None:
    """Names and marks of a sentence put together: one mark for all names in a row, or one for each in turn."""
    kinds = re.sub(f"[^{OPTION}{TRUE}{FALSE}]", "", signed)
    if len(set(signs)) == 1 and (len(set(names)) == 1 or _in_a_row(signed)):
        return dict.fromkeys(names, signs[0])
    if len(names) == len(signs) and re.fullmatch(f"(?:{OPTION}{SIGN})+|(?:{SIGN}{OPTION})+", kinds):
        return dict(zip(names, signs, strict=True))
    return None


def _in_a_row(signed: str) -> bool:
    row = signed[signed.index(OPTION) + 1 : signed.rindex(OPTION)]
    return AN_ENUMERATION.fullmatch(row.replace(OPTION, "")) is not None


def _signed(segment: str) -> str:
    """A part of a sentence with a sign for each mark that it gives, denials worked in."""
    signed = segment
    for pattern, sign in SIGNS:
        signed = pattern.sub(sign, signed)
    for pattern, sign in LINKED_SIGNS:
        signed = pattern.sub(rf"\g<link>{sign}", signed)
    signed = BELONGS.sub(lambda match: FALSE if match["no"] else TRUE, signed)
    if len(re.findall(SIGN, signed)) > 1:
        signed = FROM_TO.sub(" ", signed)
        spared = REJECTED.sub(" ", signed)
        signed = spared if re.search(SIGN, spared) else signed
    return DENIED.sub(lambda match: FALSE if match["sign"] == TRUE else TRUE, signed)
