"""Which way an order runs, by the words that introduce it.

An order runs from easy to hard, as our prompts ask for, unless its introduction says that the hardest, slowest or
longest comes first, or that difficulty, tokens or length descend. "The most straightforward first" and "in descending
order of confidence" say nothing of the kind, nor does what is said of another order ("I previously sorted from hardest
to easiest").
"""

import re
from functools import lru_cache
from typing import NamedTuple

REACH = 160  # characters before an order that may introduce it


class Tongue(NamedTuple):
    """How a language names the ends of an order: patterns, each of whole words. Add a language here, and nowhere else.

    `cues` are literal pieces of which every pattern of a hard end, or of what descends, holds one, in small letters.
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
        hard=rf"(?:(?:hardest|toughest|slowest|longest|lengthiest|trickiest|heaviest|costliest)(?:\s+(?:questions?|ones?|responses?|answers?|prompts?))?|(?:most|highest|greatest|largest)\s+{NOUN})",
        easy=(
            r"(?:easiest|simplest|shortest|quickest|fastest"
            rf"|(?:fewest|least|lowest|smallest)(?:\s+{NOUN})?)"
        ),
        to=r"(?:down\s+)?(?:to|→|->|–|—)(?:\s+the)?",
        # "the hardest question first came to my mind" says nothing of an order
        first=(
            r"(?:(?:questions?|ones?|listed|comes?|goes|go|placed|put|ranked|is|are)\s+){0,2}(?:first|at\s+the\s+top|on\s+top)"
            r"(?!\s+(?:came|comes?|to|for|needs?|requires?|takes?|I|we|you)\b)"
        ),
        last=(
            r"(?<!lowest )(?<!least )(?<!smallest )"
            r"(?:(?:questions?|ones?|listed|comes?|goes|go|placed|put|ranked|is|are)\s+){0,2}(?:last|at\s+the\s+(?:end|bottom))"
        ),
        begins=r"(?:starting|beginning|start|begin|leading|opening)\s+(?:with|from)\s+(?:the\s+)?",
        descending=(
            rf"(?:descending|decreasing)(?:\s+order)?\s+(?:(?:of|by|in)\s+)?{NOUN}|(?:by|of|in)\s+(?:descending|decreasing)\s+{NOUN}"
            rf"|(?:most|highest|high)\s+to\s+(?:the\s+)?(?:least|fewest|lowest|low)\s+{NOUN}"
            r"|from\s+(?:hard|difficult|complex|long|slow|tough|tricky)\s+to\s+(?:easy|simple|short|quick|fast|trivial)"
        ),
        ascending=r"(?:ascending|increasing)",
        cues=(
            "toughest",
            "trickiest",
            "heaviest",
            "costliest",
            "complex",
            "tough",
            "tricky",
            "last",
            "bottom",
            "lengthiest",
            "most",
            "highest",
            "greatest",
            "largest",
            "decreasing",
            "descending",
            "hard",
            "difficult",
            "long",
            "slow",
            "high",
        ),
    ),
    "German": Tongue(
        hard=r"(?:schwer(?:st\w*)?|schwierig(?:st\w*)?|längst\w*|lang)",
        easy=r"(?:leicht(?:est\w*)?|einfach(?:st\w*)?|kürzest\w*|kurz)",
        to=r"(?:(?:bis\s+)?zu[mr]?|nach)",
        first=r"(?:(?:fragen?|antwort(?:en)?|kommt|kommen|steht|stehen)\s+){0,2}(?:zuerst|an\s+erster\s+stelle|vorne?)",
        last=r"(?:(?:fragen?|antwort(?:en)?|kommt|kommen|steht|stehen)\s+){0,2}(?:zuletzt|am\s+ende)",
        begins=r"beginnend\s+mit\s+(?:der\s+|den\s+)?",
        descending=r"(?:absteigend\w*|fallend\w*)(?:\s+\w+)?\s+(?:nach\s+)?(?:schwierigkeit|tokens?|tokenzahl|länge|aufwand)",
        ascending=r"(?:aufsteigend\w*|steigend\w*)",
        cues=("leicht", "einfach", "kurz", "kürz", "schwer", "schwierig", "läng", "lang", "absteigend", "fallend"),
        hardest=r"(?:am\s+)?(?:schwerst|schwierigst|längst)\w+",
        easiest=r"(?:am\s+)?(?:leichtest|einfachst|kürzest)\w+",
    ),
    "Spanish": Tongue(
        hard=r"(?:más\s+(?:difícil(?:es)?|complej\w+|larg\w+|lent\w+|tokens)|difícil(?:es)?)",
        easy=r"(?:más\s+(?:fácil(?:es)?|sencill\w+|simples?|cort\w+|rápid\w+)|menos\s+(?:difícil(?:es)?|tokens)|fácil(?:es)?)",
        to=r"a(?:\s+l[ao]s?)?",
        first=r"(?:va\s+|van\s+)?(?:de\s+)?primer[oa]s?",
        last=r"(?:va\s+|van\s+)?al\s+final",
        begins=r"empezando\s+por\s+(?:la\s+|las\s+)?",
        descending=(
            r"(?:(?:descendente|decreciente)\s+de|mayor\s+a\s+menor)\s+"
            r"(?:dificultad|complejidad|(?:número\s+de\s+)?tokens|longitud)"
        ),
        ascending=r"(?:ascendente|creciente)",
        cues=("menos", "fácil", "difícil", "mayor", "más", "descendente", "decreciente"),
        hardest=r"más\s+(?:difícil(?:es)?|complej\w+|larg\w+|lent\w+)",
        easiest=r"más\s+(?:fácil(?:es)?|sencill\w+|simples?|cort\w+|rápid\w+)",
    ),
    "French": Tongue(
        hard=r"(?:(?:la|le|les|du|des)\s+)?plus\s+(?:difficiles?|dure?s?|complexes?|longue?s?|lente?s?)",
        easy=r"(?:(?:la|le|les|du|des)\s+)?plus\s+(?:faciles?|simples?|courte?s?|rapides?)",
        to=r"(?:à|au|aux)",
        first=r"(?:(?:questions?|vient|va)\s+){0,2}(?:en\s+premi(?:er|ère)|d'abord)",
        last=r"(?:(?:questions?|vient|va)\s+){0,2}(?:en\s+derni(?:er|ère)|à\s+la\s+fin)",
        begins=r"en\s+commençant\s+par\s+",
        descending=r"(?:ordre\s+)?décroissant\s+de\s+(?:difficulté|complexité|longueur|tokens)|(?:difficulté|complexité|longueur)\s+décroissante",
        ascending=r"croissante?",
        cues=("plus", "décroissant"),
    ),
    "Chinese": Tongue(
        hard=r"(?:最?难|最?困难|最?长|最慢)",
        easy=r"(?:最?易|最?容易|最?简单|最?短|最快)",
        to=r"(?:的)?(?:到|至)",
        first=r"(?:的|题目?|问题)*(?:排|放)?(?:在前|在最前面?|在先|第一)",
        last=r"(?:的|题目?|问题)*(?:排|放)?(?:在后|在最后面?|最后)",
        begins=r"从(?=最)",
        descending=r"(?:难度|长度|token\w*)(?:递减|降序|[从由](?:高|大|多|长)[到至](?:低|小|少|短))|按(?:难度|长度)(?:降序|递减)",
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
        begins=r"(?:بدءا|بدءًا|ابتداء)\s+(?:من|ب)\s*",
        descending=r"تنازلي\w*\s+(?:حسب|من\s+حيث)\s+(?:الصعوبة|الطول)",
        ascending=r"تصاعدي\w*",
        cues=("الأسهل", "الأقصر", "الأصعب", "الأطول", "الأكثر", "الأبطأ", "تنازلي"),
    ),
}


def _all(form: str) -> str:
    return "|".join(form.format(**tongue._asdict()) for tongue in TONGUES.values())


APART, CLOSED = r"(?<![a-zäöüßáéíóúñ])", r"(?![a-zäöüßáéíóúñ])"
HARDEST = "|".join(tongue.hardest or tongue.hard for tongue in TONGUES.values()) + r"|last|fourth|4th"
EASIEST = "|".join(tongue.easiest or tongue.easy for tongue in TONGUES.values()) + r"|first|1st"
ONE_END = re.compile(rf"{APART}(?:(?P<hard>{HARDEST})|(?P<easy>{EASIEST})){CLOSED}", re.IGNORECASE)
# of what a chain of ">" has more to the left: "in difficulty", "Difficulty: ", "in ease"
HARDER = (
    r"(?:difficult\w*|hard(?:ness|er)?|complex\w*|tokens?|length|effort|time"
    r"|schwierigkeit|dificultad|difficulté|难度|الصعوبة)"
)
EASIER = r"(?:ease|easiness|easier|simplicity|confidence|certainty|accuracy)"
SCALE_BEFORE = re.compile(
    rf"(?:\b(?:in|by|of|for|on)\s+(?:terms\s+of\s+)?(?:\w+\s+)?|^|[\n.*#(]\s*)(?:(?P<harder>{HARDER})|(?P<easier>{EASIER}))[\s*_]*[:,：]?[\s*$`\\(]*$",
    re.IGNORECASE,
)
SCALE_BEHIND = re.compile(
    rf"[\s*$`\\)]*[,(]?\s*(?:in|by|for|>\s*means|按|where\s+>\s+means)\s+(?:terms\s+of\s+)?(?:\w+\s+)?(?:(?P<harder>{HARDER})|(?P<easier>{EASIER}))(?!\w)",
    re.IGNORECASE,
)
NOTE = r"\s*(?:\([^)\n]{{0,60}}\)\s*)?"
DOWN = _all(
    rf"(?:{{hard}}){NOTE}{{to}}\s*(?:{{easy}})|(?:{{hard}})[\s-]*{{first}}|(?:{{easy}})[\s-]*{{last}}|{{begins}}{{hard}}|{{descending}}"
)
UP = _all(
    rf"(?:{{easy}}){NOTE}{{to}}\s*(?:{{hard}})|(?:{{easy}})[\s-]*{{first}}|(?:{{hard}})[\s-]*{{last}}|{{begins}}{{easy}}|{{ascending}}"
)
# "from easiest to hardest", "hardest first", "in descending order of difficulty": the last one named counts
DIRECTION = re.compile(rf"(?<![a-zäöüßáéíóúñ])(?:(?P<up>{UP})|(?P<down>{DOWN}))(?![a-zäöüßáéíóúñ])", re.IGNORECASE)
CUES = tuple(cue for tongue in TONGUES.values() for cue in tongue.cues)
ASCII_CUES = tuple(cue for cue in CUES if cue.isascii())
REJECTED = re.compile(
    r"(?:rather\s+than|instead\s+of|unlike|\bnot|\bnever|\bno\s+longer|\bnicht|\bno|不是|不|ليس)\W{0,6}(?:from\s+|the\s+|in\s+){0,2}$",
    re.IGNORECASE,
)
# words by which a sentence speaks of an order that is not the one that follows
ANOTHER_ORDER = re.compile(
    r"\b(?:previous\w*|earlier|initial\w*|at\s+first|originally|wrong\w*|incorrect\w*|mistak\w+|error|correct(?:ed|ing|ion)"
    r"|fix(?:ed|ing)?|revers\w+(?!\s+order\s+of\s+difficulty)|wait|oops|should|would|could|might|if|flip\w*|swap\w*|turn\w*|invert\w*|instead|contrary|usual\w*)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"[.!?。！？؟](?=[\s)\"”]|$)|\n\s*\n")


def runs_down(text: str, start: int) -> bool:
    """Whether the words that introduce an order at `start`, its key among them, say that it runs from hard to easy."""
    begin = max(start - REACH, 0)
    return _says_down(_introduction(text[begin:start].replace("_", " ")))


@lru_cache(maxsize=4096)
def _says_down(introduction: str) -> bool:
    """Whether a sentence that introduces an order says so: models often write the same one."""
    said = introduction.lower().replace("easiest to hardest", "")
    if not any(cue in said for cue in (ASCII_CUES if said.isascii() else CUES)):
        return False
    named = [
        found
        for found in DIRECTION.finditer(introduction)
        if not REJECTED.search(introduction, max(found.start() - 24, 0), found.start())
    ]
    return bool(named) and named[-1]["down"] is not None and not ANOTHER_ORDER.search(introduction)


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


def _introduction(before: str) -> str:
    """The sentence that leads up to an order: one that is still open, or else the last one."""
    plain = before.rstrip(" \t\r\n*`\"'{[(~$\\").removesuffix("json").rstrip(" \t\r\n*`\"'{[(~$\\")
    ends = [found.start() for found in SENTENCE.finditer(plain) if plain[found.end() :].strip(' \t\r\n)"”*_#')]
    return plain[ends[-1] + 1 :] if ends else plain
