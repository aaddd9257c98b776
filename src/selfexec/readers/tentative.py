"""Statements in prose that are only a step on the way to an answer.

What is called a first instinct or a guess so far is no answer where the reply thinks again behind it, or breaks off. A
reply that breaks off in its reasoning commits to what it concluded before, in a sentence that says so; what it stated
on the way ("I'd decline the one part, but I'd mention ...") might not have stood.
"""

import re

from selfexec.readers.result import Commitment
from selfexec.readers.suppositions import SO
from selfexec.text.regex import regex

REACH = 240  # characters before a statement in which its sentence begins
LONG = 400  # characters: a shorter text may end without a stop
LAST_LINE = 40  # characters: a shorter line may be an answer without a stop
STATEMENT = 120  # characters: what goes on for longer is a list, whose lines may say anything
SENTENCE = 1_000  # characters: what has no stop for longer is noise
STOP = regex(r"[.!?](?=[\s)\"”*_]|$)|[。！？؟]|\n")
OPEN_ENDS = ",;–—(、，；،"
FIRST = regex(
    r"""\b(?:(?:first|initial|early|immediate|gut)\s+(?:\w+\s+)?(?:instinct|impression|guess|thought|impulse|reaction|idea|feeling|intuition|take|pass|ordering|ranking|order)
        |initially|at\s+first(?:\s+(?:glance|sight|blush))?|(?:my\s+)?(?:gut|instinct)\s+(?:says?|feeling)|off\s+the\s+top\s+of\s+my\s+head|preliminar\w+|provisional(?:ly)?
        |tentativ\w+|(?:guess|order|ranking|idea|pick)\s+so\s+far|so\s+far|for\s+now
        |erste[rns]?\s+(?:eindruck|gedanke|impuls|instinkt|vermutung|idee)|auf\s+den\s+ersten\s+blick|zunächst|vorläufig\w*
        |primera?\s+(?:impresión|idea|intuición|instinto|impulso)|a\s+primera\s+vista|por\s+ahora|provisional\w*
        |premi(?:er|ère)\s+(?:impression|idée|intuition|instinct|réflexe)|à\s+première\s+vue|pour\s+l['’]instant|provisoire\w*)\b
      |第一(?:反应|直觉|印象|感觉)|初步|乍一看|暂时|للوهلة\s+الأولى|مبدئي|انطباعي\s+الأول""",
    re.VERBOSE | re.IGNORECASE,
)
# one of these is in all that the pattern above finds, in small letters
OF_A_FIRST = (
    *("first", "initial", "early", "immediate", "gut", "instinct", "top of", "prelim", "provis", "tentativ"),
    *("far", "for now", "erste", "zunächst", "vorläuf", "prime", "vista", "ahora", "premi", "première"),
    *("instant", "第一", "初步", "乍", "暂时", "الوهلة", "مبدئي", "انطباع"),
)
ASCII_OF_A_FIRST = tuple(word for word in OF_A_FIRST if word.isascii())
THINKS_AGAIN = regex(
    r"""\b(?:wait|hmm+|but|however|actually|although|though|re-?(?:consider|think|check|examin|evaluat|assess)\w*|check|let\s+me|let['’]s|second\s+thoughts?|alternatively
        |on\s+the\s+other\s+hand|not\s+(?:so\s+)?sure|unsure|or\s+(?:maybe|perhaps)|depends?|then\s+again
        |aber|moment|jedoch|doch|andererseits|eigentlich|pero|espera|sin\s+embargo|en\s+realidad|mais|attend\w*|cependant|en\s+fait)\b
      |\?|但|不过|等等|再想|لكن|انتظر|؟""",
    re.VERBOSE | re.IGNORECASE,
)
# a doubt that a statement carries in its own words
PERHAPS = regex(r"\b(?:maybe|perhaps|possibly|vielleicht|quizás?|tal\s+vez|peut-être)\b|也许|可能|ربما", re.IGNORECASE)
CONCLUDING = regex(
    r"\b(?:final\w*|conclu\w+|overall|in\s+(?:short|sum|the\s+end)|all\s+in\s+all|settle\w*|answer\w*|verdict|decision|my\s+(?:ranking|order|choice|prediction)"
    r"|the\s+(?:ranking|order)|fazit|schließlich|somit|insgesamt|antwort|rangfolge|reihenfolge|en\s+resumen|finalmente|respuesta|donc|finalement"
    r"|réponse|classement)\b|综上|总之|最终|答案|因此|排序|الخلاصة|الجواب|الترتيب",
    re.IGNORECASE,
)


def breaks_off(text: str) -> bool:
    """Whether a long text ends inside a sentence, as far as its own letters show."""
    body = text.rstrip()
    if len(body) <= LONG or not (body[-1].isalnum() or body[-1] in OPEN_ENDS):
        return False
    return len(body) - body.rfind("\n") > LAST_LINE and STOP.search(body, max(len(body) - SENTENCE, 0)) is not None


def _names_a_first(small: str) -> bool:
    return any(word in small for word in (ASCII_OF_A_FIRST if small.isascii() else OF_A_FIRST))


def on_the_way(text: str, statement: Commitment, *, truncated: bool, weak: bool) -> bool:
    """Whether a statement is only a step on the way to an answer.

    Args:
        text: The reply.
        statement: The statement in it.
        truncated: Whether the reply was cut off, so that nothing behind the statement can have confirmed it.
        weak: Whether its words state an answer only where they conclude something.
    """
    begin = max(statement.start - REACH, 0)
    if not truncated and not _names_a_first(text[begin : min(statement.end, statement.start + STATEMENT)].lower()):
        return False
    for stop in STOP.finditer(text, begin, statement.start):
        announced = stop[0] == "\n" and text[max(stop.start() - 20, 0) : stop.start()].rstrip(" \n*_")[-1:] in (
            ":",
            "：",
        )
        begin = begin if announced else stop.end()
    sentence = text[begin : min(statement.end, statement.start + STATEMENT)]
    if not truncated:
        return FIRST.search(sentence) is not None and THINKS_AGAIN.search(text, statement.end) is not None
    if FIRST.search(sentence) or PERHAPS.search(sentence):
        return True
    return weak and not (SO.search(sentence) or CONCLUDING.search(sentence))
