"""Answers that a reply sets side by side as alternatives and leaves so: "Scenario 1: {...} Scenario 2: {...}".

A later answer replaces an earlier one, unless both are introduced as alternatives ("from the safety side", "by tokens",
"optimistic: / pessimistic:"), the later one as another possibility, or it is said behind them that nothing is chosen.
What is marked as a change or a decision is no alternative, whatever it is called.
"""

import re
from collections.abc import Sequence

from selfexec.readers.result import Commitment, last_of
from selfexec.text.regex import regex

REACH = 240  # characters before an answer that may introduce it
BEHIND = 400  # characters behind the last answer that may say that none is chosen
AROUND = " \t\r\n`*_#>{}[]()\"'“”„«»,;.-–—|$\\"
COLONS = (":", "：")
FENCE = regex(r"```[a-z]{0,10}|</?\w{1,20}>")
# one of several ways to see the matter
A_WAY_TO_SEE_IT = regex(
    r"""\b(?:scenario|possibilit(?:y|ies)|alternative|versions?|variants?|variation|hypothes[ie]s|interpretation|reading|perspective
        |viewpoint|standpoint|view|angle|side|lens|criteri(?:on|a)|yardstick|metric|measure|assumption|mood|outcome|case|branch|path
        |persona|sense|meaning|option\s?[1-9a-d]|(?:one|other)\s+hand|either|szenario|fall|möglichkeit|seite|sicht|variante
        |half\s+of\s+me|kriterium|escenario|caso|posibilidad|lado|perspectiva|criterio|versión|scénario|cas|possibilité|côté|point\s+de\s+vue|critère)
        (?![a-zäöüßáéíóúñ])|情况|场景|情景|可能性|角度|方面|标准|方案|سيناريو|احتمال|ناحية|منظور|معيار""",
    re.VERBOSE | re.IGNORECASE,
)
# words that open a line and name what it goes by: two lines that begin with the same one, and differ, are alternatives
FRAMES = frozenset(
    (
        *("by", "from", "for", "in", "on", "without", "under", "with", "as", "if", "when", "assuming", "going"),
        *("looking", "judged", "judging", "measured", "considering", "purely", "on", "according", "seen"),
        *("taken", "thinking", "focusing", "focussing", "following", "given", "suppose", "supposing", "sorted"),
        *("ranked", "ordered", "wearing", "through", "counting", "nach", "aus", "bei", "wenn", "falls"),
        *("angenommen", "según", "desde", "por", "si", "suponiendo", "con", "selon", "depuis", "du", "d'après"),
        *("按", "从", "如果", "假如", "إذا", "حسب", "من"),
    )
)
# short labels that say no more than which answer of several in a row this is, or that it is one
OF_A_SEQUENCE = regex(
    r"(?:my\s+|the\s+)?(?:first|initial\w*|before|after|old|new|original\w*|later|now|then|second|third)\b"
    r"|.*\b(?:steps?|takes?|try|tries|attempts?|drafts?|guess\w*|thoughts?|thinking|pass|rounds?|iterations?|answers?|choices?|predictions?"
    r"|rankings?|json|responses?|results?|outputs?|orders?|words?|lists?|format|object|example|antwort|ergebnis|respuesta|réponse"
    r"|résultat|reasoning|analysis|note|summary)\b|.*(?:答|结果|إجابة)",
    re.IGNORECASE,
)
# "Run 1:", "Ranking A:": of two such lines with the same noun neither replaces the other
ORDINAL = r"first|second|third|fourth|one|two|three|[1-9]|[a-d]"
COUNTED = regex(
    rf"(?P<noun>[^\W\d]+)\s(?:{ORDINAL})\W*|(?:the\s+)?(?:first|second|third|fourth)\s(?P<behind>[^\W\d]+)\W*",
    re.IGNORECASE,
)
IN_SUCCESSION = frozenset(
    (
        *("step", "take", "try", "attempt", "draft", "guess", "thought", "pass", "round", "iteration"),
        *("impression", "instinct", "idea"),
    )
)
# "second answer", not "answer 2"
WITH_AN_ORDINAL = IN_SUCCESSION | {*("answer", "choice", "prediction", "ranking", "response")}
ONLY_OR = regex(
    r"(?:either\s+)?(?:and/or|or|oder|ou|o|u|或|或者|أو)(?:\s*,?\s*(?:else|maybe|perhaps|possibly|equally(?:\s+well)?|just\s+as\s+well|vielleicht|quizás?|peut-être))?",
    re.IGNORECASE,
)
SHARE = regex(r"(?:about\s+|~\s?)?\d{1,3}\s?%(?:\s+\w+){0,2}\W*", re.IGNORECASE)
NUMBERED = regex(r"\(?(?:[1-9]|[a-z]|i{1,3})[.):]?", re.IGNORECASE)
SENTENCE_ENDS = regex(r"[.!?。][\s)\"”]|[.!?。]$")
PREFERS = regex(
    r"\b(?:but|not|than|to|into|over|however|though|sondern|aber|sino|pero|mais)\b|n['’]t\b|->|→|=>|而是|但|بل",
    re.IGNORECASE,
)
LIST_NUMBER = regex(r"^\(?[1-9a-c][.)]\s+(?=\w)")
# the later one alone is said to be another possibility
ANOTHER = regex(
    r"""\b(?:alternative(?:ly)?|conversely|then\s+again|otherwise|(?:the|an)\s?other\s+(?:possibility|possible|option|scenario|reading|way|hand|side|case|candidate|view|version)
        |(?:could|might|may)\s+(?:also|equally|just\s+as\s+(?:well|easily))|(?:equally|just\s+as|as|less|almost\s+as)\s+(?:likely|plausible|possible|probable|good|defensible)
        |runner-?up|fall-?back|back-?up|second\s+(?:choice|best)|ebenso\s+gut|genauso\s+gut|andererseits|alternativ|también\s+podría|por\s+otro\s+lado
        |alternativamente|d['’]autre\s+part|sinon)\b|或者|另一种|另一方面|من\s+ناحية\s+أخرى|بدلا""",
    re.VERBOSE | re.IGNORECASE,
)
# the later one is a change or a decision
DECIDED = regex(
    r"""\b(?:final\w*|wait|actually|correct(?:ion|ed|ing|s)?|reconsider\w*|second\s+thoughts?|revis\w+|updat\w+|chang\w+|instead|oops|sorry
        |scratch|fix(?:ed|ing)?|conclu\w+|in\s+the\s+end|decid\w+|decision|settl\w+|commit\w*|overall|all\s+in\s+all|altogether|combin\w+
        |taken?\s+together|weigh\w*|balance|(?:up)?on\s+(?:further\s+)?(?:reflection|review|closer\s+look)|re-?(?:evaluat|assess|think|examin)\w+|better|rather|prefer\w*|go(?:ing)?\s+with|i(?:['’]ll|\s+will|\s+must|\s+have\s+to)\s+(?:pick|choose|take|say|answer)
        |my\s+(?:\w+\s+)?(?:pick|bet|vote|choice)|more\s+(?:likely|plausible|probable)|most\s+(?:likely|plausible|probable)|forced
        |letztlich|schließlich|endgültig\w*|korrektur|doch|definitiv\w*|finalmente|corrección|corrijo|en\s+definitiva|finalement|en\s+fin\s+de\s+compte)\b
      |最终|最后|更正|改为|综上|总之|أخير|نهائي|تصحيح""",
    re.VERBOSE | re.IGNORECASE,
)
CONCLUDED = regex(
    r"\b(?:so|therefore|thus|hence|also|daher|donc|por\s+(?:lo\s+)?tanto)\b|所以|因此|إذن|لذلك", re.IGNORECASE
)
# behind the answers: none of them is chosen
NOT_CHOSEN = regex(
    r"""\b(?:(?:both|these|the\s+two|either|all)\s+(?:\w+\s+){0,3}?(?:equally|just\s+as|plausible|possible|likely|valid|defensible|reasonable|conceivable|imaginable)
      | (?:equally|just\s+as)\s+(?:likely|plausible|possible|probable|valid|good)
      | (?:either|both)\s+ways?\b | which\s?ever | either\s+(?:one\s+|order\s+|answer\s+|ranking\s+
      |list\s+)?(?:might|may|could|can|would|is|seems)\b | no\s+telling | toss-?\s?up | coin[\s-](?:flip|toss)
      | fifty[\s-]fifty | 50[/\s:-]{1,3}50 | undecided | torn\b | up\s+to\s+you | take\s+your\s+pick
      | you\s+(?:can\s+)?(?:choose|decide|pick)
      | (?:can(?:not|['’]t|\s+not)|could(?:\s+not|n['’]t)|unable\s+to|impossible\s+to|won['’]t|will\s+not
      |would\s+not|wouldn['’]t|not\s+able\s+to|no\s+way\s+to|hard\s+to|don['’]t|do\s+not|refuse\s+to|hesitate\s+to)\s+
        (?:\w+\s+){0,2}?(?:combine|choose|decide|tell|say|commit|reconcile|pick|merge|rank\s+one|know|settle|determine|favou?r|prefer|unify|select|rule\s+out)
      | leav(?:e|ing)\s+(?:it|this|that|them)\s+(?:at|open|there|like)|(?:it|that|this)\s+depends|depends\s+on
      |not\s+sure\s+which|no\s+(?:single|clear|one)\s+(?:\w+\s+)?(?:answer|winner|favou?rite|preference|order
      |ranking|choice|list)
      | neither\s+(?:of\s+\w+\s+)?(?:is|seems|looks|wins|stands)|one\s+(?:or|of)\s+the\s+(?:other|two)
      | kann\s+mich\s+nicht\s+entscheiden|beide[s]?\s+(?:\w+\s+){0,2}(?:möglich|denkbar|plausibel|gleich)
      |hängt\s+davon|unentschieden
      | (?:ambas|ambos|las\s+dos|los\s+dos)\s+\w+\s+(?:\w+\s+)?(?:posibles?|plausibles?|válid\w+|igual\w*)
      |no\s+(?:puedo|sé|me)\s+(?:\w+\s+)?(?:decid\w+|eleg\w+|cuál|combinar)|depende
      | les\s+deux\s+(?:\w+\s+){0,2}(?:possibles?|plausibles?|valables?)|ne\s+peux\s+pas\s+(?:choisir|trancher
      |décider)|dépend)
      |都有可能|都可能|两种.{0,6}(?:可能|合理)|无法(?:决定|选择|确定|合并)|取决于|不确定|كلاهما|كلا\s|لا\s+(?:أستطيع|يمكنني)|يعتمد""",
    re.VERBOSE | re.IGNORECASE,
)
# the same, where it shows that there were several, whatever their form
OF_SEVERAL = regex(
    r"""\b(?:(?:can(?:not|['’]t|\s+not)|could(?:\s+not|n['’]t)|unable\s+to|impossible\s+to|no\s+way\s+to|won['’]t|don['’]t|do\s+not)\s+(?:\w+\s+){0,2}?
        (?:combine|merge|reconcile|unify|(?:choose|decide|pick|select)\s+between)\s+(?:them|these|those|the\s+two|both|the\s+(?:rankings|orders|answers|lists|options))
      | leave\s+it\s+at\s+(?:these|those|both|the)\s+two | both\s+(?:orders|rankings|answers|lists
      |choices)?\s*(?:are|seem)\s+(?:equally|just\s+as)\s+\w+)\b""",
    re.VERBOSE | re.IGNORECASE,
)
CHOSEN_AFTER_ALL = regex(
    r"\b(?:but|so|still|however)\b[^.!?\n]{0,60}\b(?:last|latter|second|final|this)\b", re.IGNORECASE
)


def left_open(text: str, commitments: Sequence[Commitment]) -> bool:
    """Whether the last answer stands as an alternative to an earlier one that differs, and neither is chosen."""
    if not commitments:
        return False
    last = last_of(commitments)
    tail = text[last.end : last.end + BEHIND]
    if len(tail) > 20 and OF_SEVERAL.search(tail):
        return True
    if len(commitments) < 2:
        return False
    earlier = [c for c in commitments if c.end <= last.start and c.value is not None and c.value != last.value]
    if not earlier or last.value is None:
        return False
    other = last_of(earlier)
    begin = max((c.end for c in commitments if c.end <= other.start), default=0)
    first, second = _lead(text, begin, other.start), _lead(text, other.end, last.start)
    if DECIDED.search(second) and not DECIDED.search(first):
        return False
    if NOT_CHOSEN.search(tail) and not CHOSEN_AFTER_ALL.search(tail):
        return True
    if _concluded(first, second):
        return False
    return _are_alternatives(first, second) or ("{" in text and _in_one_breath(text, other.end, last.start))


def _in_one_breath(text: str, start: int, end: int) -> bool:
    """Whether no sentence ends between two answers, and nothing is said between them that prefers one."""
    between = text[start:end]
    return (
        len(between) <= REACH
        and not (SENTENCE_ENDS.search(between) and re.search(r"\w\w", between))
        and "\n" not in between
        and not PREFERS.search(between)
    )


def _concluded(first: str, second: str) -> bool:
    return CONCLUDED.search(_line(second)) is not None and CONCLUDED.search(_line(first)) is None


def _are_alternatives(first: str, second: str) -> bool:
    if ONLY_OR.fullmatch(second.strip(":： ")) or ANOTHER.search(second):
        return True
    if A_WAY_TO_SEE_IT.search(first) and A_WAY_TO_SEE_IT.search(second):
        return True
    line, next_line = _line(first), _line(second)
    if NUMBERED.fullmatch(line) and NUMBERED.fullmatch(next_line):
        return line != next_line
    if SHARE.fullmatch(line) and SHARE.fullmatch(next_line):
        return True
    words = [line.lower().split(), next_line.lower().split()]
    if not all(words) or words[0] == words[1]:
        return False
    heads = [head.strip(",") for head, *_ in words]
    announced = line.endswith(COLONS) and next_line.endswith(COLONS)
    if FRAMES.issuperset(heads) and (heads[0] == heads[1] or announced):
        return True
    if announced and _counted(line) == _counted(next_line) is not None:
        return True
    return announced and max(map(len, words)) <= 4 and not any(map(OF_A_SEQUENCE.match, (line, next_line)))


def _counted(line: str) -> str | None:
    """The noun of "Run 1:" or "First paragraph:", where things that are so counted do not follow upon one another."""
    counted = COUNTED.fullmatch(line)
    if counted is None:
        return None
    noun = (counted["noun"] or counted["behind"]).lower()
    return None if noun in (IN_SUCCESSION if counted["noun"] else WITH_AN_ORDINAL) else noun


def _lead(text: str, begin: int, end: int) -> str:
    """What introduces an answer: all that stands before it, or its last paragraph where that is much."""
    lead = FENCE.sub(" ", text[max(begin, end - REACH) : end]).strip(AROUND)
    lead = lead[lead.rfind("\n\n") + 1 :] if end - begin > REACH else lead
    return lead.lstrip(AROUND + "".join(COLONS))


def _line(lead: str) -> str:
    line = lead[lead.rfind("\n") + 1 :].strip(AROUND)
    return LIST_NUMBER.sub("", line)
