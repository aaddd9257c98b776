"""Which way an order runs, by the words that introduce it.

An order runs from easy to hard, as our prompts ask for, unless its introduction says that the hardest, slowest or
longest comes first, or that difficulty, tokens or length descend. "The most straightforward first" and "in descending
order of confidence" say nothing of the kind, nor does what is said of another order ("I previously sorted from hardest
to easiest").
"""

import re
from functools import lru_cache
from typing import NamedTuple

from selfexec.text.regex import regex

REACH = 280  # characters before an order in which the sentence that introduces it is looked for
BEHIND = 160  # characters behind an order that may say which way it runs
ONE_DIRECTION = 60  # characters: no more names a direction
ENDS_A_REPLY = " \t\r\n`*_\"'”]})$\\"


class Tongue(NamedTuple):
    """How a language names the ends of an order: patterns, each of whole words. Add a language here, and nowhere else.

    `cues` are literal pieces in small letters: every pattern of a hard end, or of what descends, holds one of them.
    """

    hard: str
    easy: str
    to: str  # what stands between the two ends
    first: str  # what says of an end that it comes first
    last: str  # what says of an end that it comes last
    begins: str  # "starting with"
    descending: str
    ascending: str
    cues: tuple[str, ...]
    hardest: str = ""  # the ends in the superlative alone, where `hard` and `easy` hold more
    easiest: str = ""


# what grows with difficulty: "the most tokens", "in descending order of expected length"
NOUN = (
    r"(?:(?:the\s+)?(?:(?:estimated|expected|predicted|required|total|overall|number\s+of|amount\s+of|output|answer|response|of)\s+)*"
    r"(?:tokens?|difficult\w*|complex\w*|effort|length|time|challeng\w+|demanding|verbos\w+|time-consuming|hardness)"
    r"(?:\s+(?:counts?|usage|use|cost|questions?|ones?|responses?|answers?|prompts?|problems?))?)"
)
TONGUES = {
    "English": Tongue(
        hard=rf"(?:(?:hardest|toughest|slowest|longest|lengthiest|trickiest|heaviest|costliest)(?:\s+(?:questions?|ones?|responses?|answers?|prompts?))?|(?:most|highest|greatest|largest)\s+{NOUN}|most\s+(?:token-\w+|expensive|costly|involved|intensive|laborious))",
        easy=(
            r"(?:easiest|simplest|shortest|quickest|fastest"
            rf"|(?:fewest|least|lowest|smallest)(?:\s+{NOUN})?)"
        ),
        to=r"(?:down\s+)?(?:to|→|->|–|—)(?:\s+the)?",
        # "the hardest question first came to my mind" says nothing of an order
        first=(
            r"(?:(?:questions?|ones?|listed|comes?|goes|go|placed|put|ranked|is|are)\s+){0,2}(?:first|at\s+the\s+(?:top|front|beginning|start)|on\s+top)"
            r"(?!\s+(?:came|comes?|to|for|needs?|requires?|takes?"
            r"|(?:I|we|you)(?!(?:['’]d|['’]ll|\s+would|\s+will|\s+should)?\s+(?:say|get|have|rank|order|list|put|go|guess|sort)\b))\b)"
        ),
        last=(
            r"(?<!lowest )(?<!least )(?<!smallest )"
            r"(?:(?:questions?|ones?|listed|comes?|goes|go|placed|put|ranked|is|are)\s+){0,2}(?:last|at\s+the\s+(?:end|bottom))"
        ),
        begins=(
            r"(?:starting|beginning|start|begin|leading|opening)\s+(?:with|from|at)\s+"
            r"(?:(?:the\s+)?(?:one|question|problem|item)s?\s+(?:that|which|where|with)\s+(?:\w+\s+){0,6}?)?(?:the\s+)?"
        ),
        descending=(
            rf"(?:descending|decreasing)(?:\s+(?:order|sequence))?\s+(?:(?:of|by|in)\s+)?{NOUN}|(?:by|of|in)\s+(?:descending|decreasing)\s+{NOUN}"
            rf"|(?:most|highest|high)\s+to\s+(?:the\s+)?(?:least|fewest|lowest|low)\s+{NOUN}"
            rf"|{NOUN}[\s,(:–-]{{1,3}}(?:descending|decreasing)|(?:most|biggest|largest|highest)(?:\s+ones?)?\s+first"
            r"|from\s+(?:hard|difficult|complex|long|slow|tough|tricky)\s+to\s+(?:easy|simple|short|quick|fast|trivial)"
        ),
        ascending=r"(?:ascending|increasing)",
        cues=(
            *("toughest", "biggest", "trickiest", "heaviest", "costliest", "complex", "tough", "tricky", "last"),
            *("bottom", "lengthiest", "most", "highest", "greatest", "largest", "decreasing", "descending"),
            *("hard", "difficult", "long", "slow", "high"),
        ),
    ),
    "German": Tongue(
        hard=r"(?:schwer(?:st\w*)?|schwierig(?:st\w*)?|längst\w*|lang|aufwendigst\w*|aufwändigst\w*|meisten\s+tokens?)",
        easy=r"(?:leicht(?:est\w*)?|einfach(?:st\w*)?|kürzest\w*|kurz)",
        to=r"(?:fragen?\s+)?(?:(?:bis\s+)?(?:hin\s+)?zu[mr]?|nach)",
        first=r"(?:(?:fragen?|antwort(?:en)?|kommt|kommen|steht|stehen)\s+){0,2}(?:zuerst|an\s+erster\s+stelle|vorne?)",
        last=r"(?:(?:fragen?|antwort(?:en)?|kommt|kommen|steht|stehen)\s+){0,2}(?:zuletzt|am\s+ende)",
        begins=r"(?:beginnend|angefangen|anfangend|startend)\s+(?:mit|bei)\s+(?:der\s+|den\s+|dem\s+)?(?:fragen?\s+)?",
        descending=(
            r"(?:absteigend\w*|fallend\w*)(?:\s+\w+)?\s+(?:nach\s+|der\s+|an\s+)?(?:schwierigkeit\w*|tokens?|tokenzahl|länge|aufwand)"
            r"|(?:nach\s+)?(?:schwierigkeit|tokens?|tokenzahl|länge|aufwand)\s+(?:absteigend|fallend)"
            r"|von\s+(?:den\s+)?(?:meisten|vielen)\s+(?:tokens?\s+)?(?:zu|bis)(?:\s+den)?\s+(?:wenigsten|wenigen)"
        ),
        ascending=r"(?:aufsteigend\w*|steigend\w*)",
        cues=(
            *("leicht", "einfach", "kurz", "kürz", "schwer", "schwierig", "läng", "lang", "absteigend", "fallend"),
            *("meisten", "aufwendig", "aufwändig", "vielen"),
        ),
        hardest=r"(?:am\s+)?(?:schwerst|schwierigst|längst)\w+",
        easiest=r"(?:am\s+)?(?:leichtest|einfachst|kürzest)\w+",
    ),
    "Spanish": Tongue(
        hard=r"(?:más\s+(?:difícil(?:es)?|complej\w+|larg\w+|lent\w+|tokens)|difícil(?:es)?)",
        easy=r"(?:más\s+(?:fácil(?:es)?|sencill\w+|simples?|cort\w+|rápid\w+)|menos\s+(?:difícil(?:es)?|tokens)|fácil(?:es)?)",
        to=r"a(?:\s+l[ao]s?)?",
        first=r"(?:va\s+|van\s+)?(?:de\s+)?primer[oa]s?",
        last=r"(?:va\s+|van\s+)?al\s+final",
        begins=(
            r"(?:empezando|comenzando)\s+(?:por|con)\s+"
            r"(?:(?:la|las|el|los)\s+)?(?:(?:pregunta\s+)?que\s+(?:\w+\s+){1,3}?)?"
        ),
        descending=(
            r"(?:(?:descendente|decreciente)\s+(?:de|según|por)(?:\s+la)?|(?:mayor\s+a\s+menor|más\s+a\s+menos))\s+"
            r"(?:dificultad|complejidad|(?:número\s+de\s+)?tokens|longitud)"
        ),
        ascending=r"(?:ascendente|creciente)",
        cues=("menos", "fácil", "difícil", "mayor", "más", "descendente", "decreciente"),
        hardest=r"más\s+(?:difícil(?:es)?|complej\w+|larg\w+|lent\w+)",
        easiest=r"más\s+(?:fácil(?:es)?|sencill\w+|simples?|cort\w+|rápid\w+)",
    ),
    "French": Tongue(
        hard=r"(?:(?:la|le|les|du|des)\s+)?plus\s+(?:difficiles?|dure?s?|complexes?|longue?s?|lente?s?|coûteu\w+|(?:de\s+)?tokens)",
        easy=r"(?:(?:la|le|les|du|des)\s+)?plus\s+(?:faciles?|simples?|courte?s?|rapides?)",
        to=r"(?:à|au|aux|vers)",
        first=r"(?:(?:questions?|vient|va)\s+){0,2}(?:en\s+premi(?:er|ère)|d'abord)",
        last=r"(?:(?:questions?|vient|va)\s+){0,2}(?:en\s+derni(?:er|ère)|à\s+la\s+fin)",
        begins=r"en\s+commençant\s+par\s+(?:celle\s+qui\s+(?:\w+\s+){1,4}?)?",
        descending=r"(?:du\s+plus\s+au\s+moins\s+(?:difficile|long|complexe|coûteux|de\s+tokens))|(?:ordre\s+)?décroissant\s+de\s+(?:difficulté|complexité|longueur|tokens)|(?:difficulté|complexité|longueur)\s+décroissante",
        ascending=r"croissante?",
        cues=("plus", "décroissant"),
    ),
    "Chinese": Tongue(
        hard=r"(?:最?难|最?困难|最?长|最慢|最耗(?:费)?\s?tokens?)",
        easy=r"(?:最?易|最?容易|最?简单|最?短|最快)",
        to=r"(?:的)?(?:到|至)",
        first=r"(?:的|题目?|问题)*(?:排|放)?(?:在前|在最前面?|在先|第一)",
        last=r"(?:的|题目?|问题)*(?:排|放)?(?:在后|在最后面?|最后)",
        begins=r"[从由](?=最)",
        descending=(
            r"(?:难度|长度|token\w*|用量|数量)(?:的)?(?:递减|降序|[从由](?:高|大|多|长)[到至](?:低|小|少|短))|按(?:难度|长度)(?:降序|递减)"
            r"|[从由](?:多|高)[到至](?:少|低)"
        ),
        ascending=r"(?:递增|升序)",
        cues=("易", "简单", "短", "难", "长", "慢", "递减", "降序", "token"),
        hardest=r"(?:最难|最困难|最长|最慢)",
        easiest=r"(?:最易|最容易|最简单|最短|最快)",
    ),
    "Arabic": Tongue(
        hard=r"(?:الأصعب|الأطول|الأكثر\s+صعوبة|الأبطأ)",
        easy=r"(?:الأسهل|الأقصر|الأقل\s+صعوبة|الأسرع)",
        to=r"إلى",
        first=r"أول(?:ا|ًا|اً)",
        last=r"أخير(?:ا|ًا|اً)",
        begins=r"(?:بدءا|بدءًا|بدءاً|ابتداء|ابتداءً)\s+(?:من|ب)\s*",
        descending=r"تنازلي\w*\s+(?:حسب|من\s+حيث|وفق)\s+(?:\w+\s+)?(?:الصعوبة|الطول|صعوبة)",
        ascending=r"تصاعدي\w*",
        cues=("الأسهل", "الأقصر", "الأصعب", "الأطول", "الأكثر", "الأبطأ", "تنازلي"),
    ),
}


def _all(form: str) -> str:
    return "|".join(form.format(**tongue._asdict()) for tongue in TONGUES.values())


APART, CLOSED = r"(?<![a-zäöüßáéíóúñ])", r"(?![a-zäöüßáéíóúñ])"
HARDEST = "|".join(tongue.hardest or tongue.hard for tongue in TONGUES.values()) + r"|last|fourth|4th"
EASIEST = "|".join(tongue.easiest or tongue.easy for tongue in TONGUES.values()) + r"|first|1st"
ONE_END = regex(rf"{APART}(?:(?P<hard>{HARDEST})|(?P<easy>{EASIEST})){CLOSED}", re.IGNORECASE)
# of what a chain of ">" has more to the left: "in difficulty", "Difficulty: ", "in ease"
HARDER = (
    r"(?:difficult\w*|hard(?:ness|er)?|complex\w*|tokens?|length|effort|time"
    r"|schwierigkeit|dificultad|difficulté|难度|الصعوبة)"
)
EASIER = r"(?:ease|easiness|easier|simplicity|confidence|certainty|accuracy)"
SCALE_BEFORE = regex(
    rf"(?:\b(?:in|by|of|for|on)\s+(?:terms\s+of\s+)?(?:\w+\s+)?|^|[\n.*#(]\s*)(?:(?P<harder>{HARDER})|(?P<easier>{EASIER}))[\s*_]*[:,：]?[\s*$`\\(]*$",
    re.IGNORECASE,
)
SCALE_BEHIND = regex(
    rf"[\s*$`\\)]*[,(]?\s*(?:in|by|for|>\s*means|按|where\s+>\s+means)\s+(?:terms\s+of\s+)?(?:\w+\s+)?(?:(?P<harder>{HARDER})|(?P<easier>{EASIER}))(?!\w)",
    re.IGNORECASE,
)
NOTE = r"\s*(?:\([^)\n]{{0,60}}\)\s*)?"
# the ends in the superlative, and nothing that may be the name of a place
HARD_END = "|".join(tongue.hardest or tongue.hard for tongue in TONGUES.values())
EASY_END = "|".join(tongue.easiest or tongue.easy for tongue in TONGUES.values())
CALLED_AN_END = regex(
    rf"[\W_]*(?:the\s+)?(?:(?P<hard>{HARD_END})|(?P<easy>{EASY_END}))(?:\s+(?:one|question))?[\s*_]*(?:[),;:.–—|]|$)",
    re.IGNORECASE,
)
PLACE_ONE = (
    r"(?:(?:rank|place|position|number|no\.|#)\s?1\s*(?:=|is|:|means)|\b1\s?(?:=|means)|\bfirst\s*(?:=|means))"
    r"\s*(?:the\s+)?"
)
DOWN = _all(
    rf"(?:{{hard}}){NOTE}{{to}}\s*(?:{{easy}})|(?:{{hard}})[\s-]*{{first}}|(?:{{easy}})[\s-]*{{last}}|{{begins}}{{hard}}|{{descending}}"
)
UP = _all(
    rf"(?:{{easy}}){NOTE}{{to}}\s*(?:{{hard}})|(?:{{easy}})[\s-]*{{first}}|(?:{{hard}})[\s-]*{{last}}|{{begins}}{{easy}}|{{ascending}}"
)
# "from easiest to hardest", "hardest first", "in descending order of difficulty": the last one named counts
DIRECTION = regex(
    rf"(?<![a-zäöüßáéíóúñ])(?:(?P<up>{UP})|(?P<down>{DOWN}|{PLACE_ONE}(?:{HARD_END})))(?![a-zäöüßáéíóúñ])",
    re.IGNORECASE,
)
CUES = tuple(cue for tongue in TONGUES.values() for cue in tongue.cues)
ASCII_CUES = tuple(cue for cue in CUES if cue.isascii())
REJECTED = regex(
    r"(?:rather\s+than|instead\s+of|unlike|\bnot|\bnever|\bno\s+longer|\bnicht|\bno|不是|不|ليس)\W{0,6}(?:from\s+|the\s+|in\s+){0,2}$",
    re.IGNORECASE,
)
# words by which a sentence speaks of an order that is not the one that follows
ANOTHER_ORDER = regex(
    r"\b(?:previous\w*|earlier|initial\w*|at\s+first|originally|wrong\w*|incorrect\w*|mistak\w+|error|correct(?:ed|ing|ion)"
    r"|fix(?:ed|ing)?|revers\w+(?!\s+order\s+of\s+difficulty)|wait|oops|should|would|could|might|if|flip\w*|swap\w*|turn\w*|invert\w*|instead|contrary|usual\w*|normal\w*|typical\w*|opposite|inverse)\b",
    re.IGNORECASE,
)
# "I could go from hardest to easiest, but here is what was asked for:"
YET = regex(r"\b(?:but|however|though|aber|pero|mais)\b|但|لكن", re.IGNORECASE)
SENTENCE = regex(r"[.!?。！？؟](?=[\s)\"”]|$)|\n\s*\n")
# of what the reply does itself, or what gives the order that follows: "I would say", "If I sort them", "would be:"
OWN = regex(
    r"\b(?:I|we)(?:['’]d|\s+(?:would|should|could|might|must))\s+(?!(?:not|never|have)\b)"
    r"|\bif\s+(?:I|we)\s+(?:(?:had|have|were|was|am|must|need|needed)\s+(?:(?:forced|asked|told)\s+)?(?:to\s+)?)?"
    r"(?=(?:rank|sort|order|list|arrange|put|place|go|name|give|say)\b)"
    r"|\b(?:would|should|could|might)\s+(?:then\s+|probably\s+|therefore\s+)?"
    r"(?:be|give|yield|produce|result\s+in|read|run|go|look\s+like)(?:\s+(?:this|so|the\s+following|as\s+follows))?"
    r"[^\w]*(?:\w+[\"'”]?\s?:[^\w]*)?$",
    re.IGNORECASE,
)
# a sentence that does no more than announce an order: "Here is the result:", "## Ranking"
ANNOUNCES = regex(
    r"[\W_]*(?:(?:here|this|that|is|are|it|so|the|my|final|result|results|ranking|rank|order|list|below|as|follows|therefore|thus|then|answer|json|output"
    r"|hier|das|ist|die|meine?|rangfolge|reihenfolge|ergebnis|antwort|aquí|está|el|mi|orden|resultado|clasificación|respuesta"
    r"|voici|le|mon|ma|la|classement|résultat|ordre|réponse|结果|如下|排序|顺序|答案|الترتيب|النتيجة|هو|هنا)[\W_]*){0,7}$",
    re.IGNORECASE,
)
# a sentence that says how the reply lists the labels: "I list them hardest first."
LISTS = regex(
    r"\b(?:list\w*|rank\w*|order\w*|sort\w*|arrang\w+|(?:ich|wir)\s+(?:ordne|sortiere)\w*|geordnet|sortiert|orden\w+|class\w+|rang\w+|tri\w+)\b"
    r"|排|顺序|列|رتب|ترتيب|مرتب",
    re.IGNORECASE,
)
# what may stand between an order and the words behind it that say which way it runs
LEADS_BACK = regex(
    r"(?:[\W_]*(?:(?:this|that|these|which|the|my|it|i|have|has|is|are|was|were|list\w*|order\w*|ranking|ranked|sorted|arranged|given|written|put|placed"
    r"|them|runs?|goes|going|from|in|with|by|note|so|i\.e|here|labels|questions|above|json|answer|array"
    r"|das|ist|sind|also|vo[nm]|der|den|absteigende[rn]?|geordnet|sortiert|jeweils|die|esto|es|está\w*|de|en|del|orden|la|el|ordenad\w+|es\s+decir"
    r"|c['’]est|du|des|par|ordre|le|class\w+|trié\w*|soit|dans|l['’])(?![^\W_])|这是|即|按照?|从|由|排列|مرتب\w*|بترتيب|من|هذا|أي))*[\W_]*",
    re.IGNORECASE,
)


# "From hardest to easiest it is Q3, Q4, ...": what is said of the next order
ANOTHER_ROW = regex(r"(?:[^.\n]{0,24}?[Qq][1-4]){2}")

LABEL = regex(r"[Qq][1-4]")


def runs_down(text: str, start: int, stop: int) -> bool | None:
    """Whether the words that introduce an order, its key among them, or stand right behind it say that it runs from
    hard to easy; None where they contradict each other.
    """
    directions = [_direction(_introduction(text[max(start - REACH, 0) : start].replace("_", " ")))]
    if behind := text[stop : stop + BEHIND].strip(ENDS_A_REPLY):
        directions.append(_direction_behind(behind, up_as_well=directions[0] is True))
    if "\n" in text[start:stop]:  # a list, of which the last line may go on
        end = text.find("\n", stop)
        directions.append(_direction_behind(text[end : end + BEHIND]) if end >= 0 else None)
        directions.append(_by_its_ends(text[start:stop] + text[stop : end if end >= 0 else len(text)]))
    named = {down for down in directions if down is not None}
    return named.pop() if len(named) == 1 else None if named else False


def _by_its_ends(rows: str) -> bool | None:
    """Whether a list runs from hard to easy, as what stands behind the labels of its first and its last line says:
    "1. Q2 (hardest)"; None where nothing is said there, or both are called the same.
    """
    lines = rows.strip().split("\n")
    named = [CALLED_AN_END.match(LABEL.split(line, maxsplit=1)[-1]) for line in (lines[0], lines[-1])]
    says = {(end["hard"] is None) == bool(n) for n, end in enumerate(named) if end}
    return says.pop() if len(says) == 1 else None


def _direction_behind(behind: str, *, up_as_well: bool = False) -> bool | None:
    """Whether words right behind an order say that it runs from hard to easy; that it runs up is looked for only where
    it would contradict what was said before.
    """
    lead = LEADS_BACK.match(behind)
    reach = lead.end() if lead else 0
    near = behind[: reach + ONE_DIRECTION]
    small = near.lower()
    if not up_as_well and not any(cue in small for cue in (ASCII_CUES if small.isascii() else CUES)):
        return None
    direction = DIRECTION.search(near)
    if direction is None or direction.start() > reach or ANOTHER_ROW.match(behind, direction.end()):
        return None
    return direction["down"] is not None


@lru_cache(maxsize=4096)
def _direction(sentences: tuple[str, str]) -> bool | None:
    """Whether the sentence that introduces an order says that it runs from hard to easy: models often write the same
    one. Where it only announces the order, the sentence before counts that says how it is listed. None where neither
    names a direction.
    """
    earlier, introduction = sentences
    small = introduction.lower()
    rest = small.replace("easiest to hardest", "")  # as our prompts put it, and so most replies
    cues = ASCII_CUES if rest.isascii() else CUES
    if any(cue in rest for cue in cues) and (named := _named_in(introduction)):
        at_the_end = not introduction[named[-1].end() :].strip(" \t\r\n:：,(（*_`–—-)）>|#")
        clause = OWN.sub("", introduction)
        if at_the_end:  # "Corrected, from hardest to easiest: ..."
            lead = introduction[: named[-1].start()]
            clause = lead[max(lead.rfind(mark) for mark in ",;:(") + 1 :]
        down = named[-1]["down"] is not None
        other = ANOTHER_ORDER.search(clause) or YET.search(introduction, named[-1].end())
        return None if down and other else down
    if len(rest) < len(small):
        return False
    if earlier and ANNOUNCES.match(introduction) and any(cue in earlier.lower() for cue in CUES):
        named = _named_in(earlier) if LISTS.search(earlier) and not ANOTHER_ORDER.search(OWN.sub("", earlier)) else []
        return named[-1]["down"] is not None if named else None
    return None


def _named_in(sentence: str) -> list[re.Match[str]]:
    """The directions that a sentence names and does not reject."""
    return [
        found
        for found in DIRECTION.finditer(sentence)
        if not REJECTED.search(sentence, max(found.start() - 24, 0), found.start())
    ]


def begins_hard(text: str, start: int, stop: int) -> bool:
    """Whether the first of the labels in a row is called the hard end: "Q3 is the hardest, followed by"."""
    row = text[start:stop]
    behind = re.split(r"[,;]|\bfollowed\b|\bthen\b|[Qq][1-4]", row[2:])[0]
    found = ONE_END.search(behind) if len(behind) < 80 else None
    return found is not None and found["hard"] is not None


def grows_with(text: str, start: int, stop: int) -> bool | None:
    """Whether the greater in a chain of labels is the harder one; None where it is not said."""
    found = SCALE_BEFORE.search(text[max(start - 60, 0) : start]) or SCALE_BEHIND.match(text, stop)
    return None if found is None else found["harder"] is not None


def names_a_direction(text: str, start: int, end: int) -> bool:
    """Whether it is said between two places which end of an order is easy."""
    return DIRECTION.search(text, start, end) is not None


def _introduction(before: str) -> tuple[str, str]:
    """The sentence that leads up to an order, one that is still open or else the last one, and the one before it."""
    plain = before.rstrip(" \t\r\n*`\"'{[(~$\\").removesuffix("json").rstrip(" \t\r\n*`\"'{[(~$\\")
    ends = [found.end() for found in SENTENCE.finditer(plain) if plain[found.end() :].strip(' \t\r\n)"”*_#')]
    if not ends:
        return "", plain
    return plain[(ends[-2] if len(ends) > 1 else 0) : ends[-1]], plain[ends[-1] :]
