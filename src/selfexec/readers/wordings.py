"""The wordings in which a reply says which option is its answer. To teach the readers another one, add a row here.

A row names the words that it begins with, in small letters, as anybody would spell them; they are found with a capital
and in capitals too. `then` is a regular expression (verbose, so that blanks in it mean nothing) of what follows up to
the value, which is added behind it. `example` is a reply that it reads, in which a test looks for it: a row that can
match nothing fails. What is searched for first, to be fast, is derived from `begins`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from selfexec.readers.scan import places

# where the answer is said to be: "is", ":", "->"; the words that may stand before the value
SAYS = r"""[^\n.:;={}?!"“”|]{0,60}?
    (?:\s*(?:[:=>→|：]|\](?=[^\n]{1,80}\[/))\**|\s[-–—]\s|\s(?:is|be|was|remains))
    (?:\s+(?:likely|probably|clearly|approximately|about|roughly|therefore|thus|indeed|simply|still|definitely|actually
      |now|most\s+likely))?
    \s?:?\s{0,6}"""
SAYS_ABROAD = r"""["'*_`]{0,4}[^\n.:;={}]{0,30}?
    (?:\s*[:=：|>]\**|\s[-–—]\s|\s(?:est|ist|lautet|wäre|es|è|é)\s:?|\s?[是为は은는选]|\s(?:هي|هو)\s?:?)\s{0,6}"""
REST_OF_LINE = r"(?P<value>[^\n]{1,400})"
OPTION = r"(?:(?:the\s+)?(?:answer\s+)?(?:option|choice|letter|answer)\s+)?"
OPTION_ABROAD = (
    r"(?:(?:l[ae]|el|die|der|für|auf|mit)\s+)*"
    r"(?:(?i:antwort|option|lösung|opción|respuesta|letra|选项|الخيار|الإجابة)\s?)?"
)
LETTER = r"""[("'*`\[]{0,3}(?P<value>[A-Z])["')*`\]]{0,3}"""
LETTER_ABROAD = r"""[("'*`\[“]{0,3}(?P<value>[A-Zأبجد])["')*`\]”]{0,3}
    (?=\s*(?:[.,;!)\n。，！；،؛]|$|(?:weil|da|porque|ya|لأن)\b))"""
STOPS = r"(?=\s*(?:[.,;!)\n]|$|(?:here|as|since|because|instead|rather|now|on)\b))"
# "option C: 30 cm": whether the text is C's is looked up
OR_TEXT = r"""(?P<text>\s?[:–-]\s)?
    (?(text)|(?=\s*(?:[.,;!)\n]|$|(?:here|as|since|because|(?:on|for)\s+th(?:is|at))\b)))"""


WORD = re.compile("[a-z]+")
SHOUTED = re.compile("[A-Z]{3}")


class Wording(NamedTuple):
    """Words that a statement begins with, what follows them, and a reply that it reads."""

    begins: tuple[str, ...]
    then: str
    example: str


# A statement that names what it states: "the answer is". It counts wherever it stands.
STATES = (
    Wording(
        ("answer", "choice", "option", "guess", "verdict", "description"),
        rf"(?!s\b)['*_`]{{0,3}}{SAYS}{REST_OF_LINE}",
        "Answer: B",
    ),
    Wording(
        ("correct", "best ", "closest"),
        rf"\s?(?<=\s)(?:[a-z]+\s){{0,6}}?(?=is\b|would\b){SAYS}{REST_OF_LINE}",
        "The closest of them would be B",
    ),
    Wording(
        (
            *(
                "réponse",
                "antwort",
                "respuesta",
                "risposta",
                "resposta",
                "ответ",
                "答案",
                "答え",
                "回答",
                "正解",
                "정답",
                "답",
            ),
            *(
                "lösung",
                "urteil",
                "solución",
                "soluzione",
                "solução",
                "正确选项",
                "الإجابة",
                "الجواب",
                "إجابتي",
                "جوابي",
            ),
        ),
        SAYS_ABROAD + REST_OF_LINE,
        "答案是 B",
    ),
    Wording(
        ('name="answer"', 'name="choice"', 'name="option"', 'name="letter"'),
        r"\s{0,4}>\s{0,12}(?P<value>[^<\n]{1,400})(?=\s{0,12}</)",
        '<parameter name="answer">B</parameter>',
    ),
)
# A statement that replaces an answer, marked as a change. It counts like those above, where its clause is plain.
CHANGES = (
    Wording(
        (
            "changing",
            "change",
            "changed",
            "switching",
            "switch",
            "revising",
            "revise",
            "updating",
            "update",
            "correcting",
            "correct",
            "amending",
            "amend",
        ),
        rf"\s+(?:my|the|this|that)\s+(?:final\s+)?(?:answer|choice|response|selection|prediction)\s+(?:from\s+\S{{1,6}}\s+)?to\s*:?\s+{OPTION}{LETTER}{STOPS}",
        "I am changing my answer to B.",
    ),
    Wording(("no", "nope"), rf",\s+{OPTION}{LETTER}{STOPS}", "No, B."),
    Wording(("switching to", "switch to"), rf"\s+{OPTION}{LETTER}{STOPS}", "Switching to B."),
    Wording(
        ("make that", "make it", "correction", "corrected answer", "i meant", "i mean", "edit", "update"),
        rf"\s*[:,—–-]?\s*(?:it(?:'s|’s|\s+is|\s+should\s+be)\s+|to\s+say\s+|my\s+answer\s+is\s+)?{OPTION}{LETTER}{STOPS}",
        "Correction: B.",
    ),
    Wording(
        (
            "on second thought",
            "on second thoughts",
            "on reflection",
            "scratch that",
            "wait, no",
            "actually",
            "no wait",
            "after reconsidering",
            "upon reflection",
        ),
        rf"\s*[:,;.—–-]{{0,3}}\s*(?:it(?:'s|’s|\s+is|\s+should\s+be|\s+must\s+be)\s+|I(?:'d|’d|\s+would)\s+say\s+|I(?:'ll|’ll|\s+will)\s+go\s+with\s+"
        rf"|the\s+answer\s+(?:is|should\s+be)\s+)?{OPTION}{LETTER}{STOPS}",
        "On second thought, it should be B.",
    ),
    Wording(
        ("ich ändere meine Antwort", "ich ändere meine Wahl"),
        rf"\s+(?:zu|auf|in)\s+{OPTION_ABROAD}{LETTER_ABROAD}",
        "Ich ändere meine Antwort zu B.",
    ),
    Wording(
        ("cambio mi respuesta", "cambio mi elección"),
        rf"\s+(?:a|por)\s+{OPTION_ABROAD}{LETTER_ABROAD}",
        "Cambio mi respuesta a la B.",
    ),
    Wording(("改为", "改选", "更正为", "更正："), rf"\s?{OPTION_ABROAD}{LETTER_ABROAD}", "我把答案改为B。"),
    Wording(("أغير إجابتي", "سأغير إجابتي"), rf"\s+إلى\s+{OPTION_ABROAD}{LETTER_ABROAD}", "أغير إجابتي إلى B."),
)
# An option that is named right. It counts where nothing of the above does, or as the last words of a reply.
NAMES = (
    Wording(
        ("option", "choice", "answer", "statement"),
        rf"""\s+{LETTER}(?:\s?[,(][^\n,)]{{0,80}}[,)])?\s
        (?:is|seems|appears|would\s+be|must\s+be|remains)\s+(?:to\s+be\s+)?(?:also\s+)?(?:the\s+)?(?:most\s+|only\s+|more\s+)?
        (?:correct|best|right|appropriate|accurate|closest|true|answer)""",
        "Option B is correct",
    ),
)
# An option that is concluded or taken, in everyday words. It counts like those above.
CONCLUDES = (
    Wording(
        ("hence", "therefore", "thus", "so", "choose", "select", "pick", "say", "guess", "leaves"),
        rf"\s?,?\s+(?:[Oo]ption\s+|choice\s+|the\s+answer\s+)?{LETTER}{OR_TEXT}",
        "Hence, B.",
    ),
    Wording(
        (
            "go",
            "going",
            "went",
            "goes",
            "stick",
            "sticking",
            "agree",
            "agrees",
            "agreeing",
            "align",
            "aligns",
            "aligning",
        ),
        rf"\s+with\s+(?:[Oo]ption\s+|choice\s+|the\s+answer\s+)?{LETTER}{OR_TEXT}",
        "Going with (B).",
    ),
    Wording(("answer's",), rf"\s+{OPTION}{LETTER}{STOPS}", "My answer's B."),
    Wording(("toward", "towards"), rf"\s+(?:[Oo]ption\s+|choice\s+)?{LETTER}{OR_TEXT}", "I'm leaning towards B."),
    Wording(
        ("is ", "is, ", "be ", "match ", "matches ", "corresponds to", "correspond to", "equal to"),
        rf"\s?(?<=\s)(?:the\s+)?(?:answer\s+)?(?:option|choice)\s+{LETTER}{OR_TEXT}",
        "which is option B",
    ),
    Wording(
        ("it", "which", "that"),
        rf"(?:['’]s|\sis|\smust\sbe|\swould\sbe|['’]s\s(?:got\s?ta|got\s+to|going\s+to)\sbe|\shas\s+(?:got\s+)?to\sbe|\sshould\sbe)\s+(?:definitely\s+)?{LETTER}{OR_TEXT}",
        "It's gotta be B.",
    ),
    Wording(
        ("i'll take", "i will take", "i take", "i'd take", "i would take", "i'll have"),
        rf"\s+{OPTION}{LETTER}{STOPS}",
        "I'll take B.",
    ),
    Wording(
        ("definitely", "certainly", "clearly", "obviously", "probably", "likely"),
        rf"\s+{OPTION}{LETTER}{STOPS}",
        "Definitely B.",
    ),
    Wording(
        (
            "my pick",
            "my vote",
            "my bet",
            "my selection",
            "my money",
            "my prediction",
            "my instinct",
            "my gut",
        ),
        rf"\s*(?:[:=]|(?:['’]s|\s+is|\s+goes|\s+would\s+be|\s+says)(?:\s+(?:on|to|for))?)\s+{OPTION}{LETTER}{STOPS}",
        "My pick is B.",
    ),
    Wording(
        ("final", "verdict", "pick", "selected"),
        rf"[*_]{{0,2}}\s?[:=]\s?[*_]{{0,2}}{OPTION}{LETTER}{STOPS}",
        "Final: B",
    ),
    Wording(
        (
            *("ich nehme", "ich wähle", "ich entscheide mich", "ich tippe", "ich würde", "richtig ist", "korrekt ist"),
            *("also", "daher", "somit", "richtig wäre"),
        ),
        rf",?\s+{OPTION_ABROAD}{LETTER_ABROAD}",
        "Ich entscheide mich für B.",
    ),
    Wording(
        (
            *(
                "elijo la",
                "escojo la",
                "selecciono la",
                "me quedo con la",
                "opto por la",
                "es la",
                "sería la",
                "elegiría la",
            ),
        ),
        rf"\s+(?:opción\s+|respuesta\s+|letra\s+)?{LETTER_ABROAD}",
        "Es la B.",
    ),
    Wording(("elijo", "escojo", "selecciono", "elegiría", "opto por"), rf"\s+{LETTER_ABROAD}", "Elijo B."),
    Wording(
        ("选", "选择", "我选", "应选", "故选", "应该选", "所以选", "因此选", "我选择", "应选择", "选项是"),
        rf"[：:]?\s?{OPTION_ABROAD}{LETTER_ABROAD}",
        "我选B。",
    ),
    Wording(("أختار", "سأختار", "اخترت", "الصحيح هو", "الصحيحة هي"), rf"\s+{OPTION_ABROAD}{LETTER_ABROAD}", "أختار B."),
)
# The letter first: "B it is." What stands before it is `then`, and the words of the row end the statement.
LETTER_FIRST = (
    Wording(
        ("it is", "for me", "is my answer", "is my choice", "is my pick", "all the way", "then", "i'd say", "i think"),
        r"(?:^|[.!?:\n][\s\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]*|\b(?:[Ss]o|[Tt]hen|[Ww]ell|[Oo]kay|OK|[Yy]es|[Yy]eah),?\s+)[*(]{0,3}(?P<value>[A-Z])[*)]{0,3},?\s$",
        "B it is.",
    ),
    Wording(
        (
            *(
                "is correct",
                "is right",
                "is the right answer",
                "is the correct answer",
                "is the answer",
                "final answer",
            ),
            *("is the right choice", "is the correct choice", "is the best answer", "is the correct option"),
            *("ist richtig", "es correcta", "es la correcta"),
        ),
        r"(?:^|[.!?:\n][\s\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]*|\b(?:[Ss]o|[Tt]hus|[Hh]ence|[Tt]herefore),?\s+)[*(]{0,3}(?P<value>[A-Z])[*)]{0,3},?\s$",
        "B is correct.",
    ),
    Wording(
        ("是正确的", "是对的", "正确"),
        r"(?:^|[。！？；，\n：]\s*)(?:选项|答案)?\s?[*(]{0,3}(?P<value>[A-Z])[*)]{0,3}\s?$",
        "选项B是正确的。",
    ),
    Wording(
        ("wählen", "nehmen"),
        r"\b[Ii]ch\s+(?:würde|werde)\s+[*(]{0,3}(?P<value>[A-Z])[*)]{0,3}\s$",
        "Ich würde B wählen.",
    ),
)


@dataclass(frozen=True)
class Cued:
    """A wording made ready: literal pieces that it cannot be without, each with its distance from where it begins, and
    with the word without which the text need not be searched for it; and its pattern.
    """

    cues: tuple[tuple[str, int, str], ...]
    in_capitals: tuple[tuple[str, int, str], ...]
    keys: frozenset[str]  # one of these words is in every text with this wording; empty where that cannot be said
    form: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first tried: most texts need few of them."""
        return re.compile(self.form, re.VERBOSE)


def cued(wordings: tuple[Wording, ...], *, whole_words: bool = True) -> tuple[Cued, ...]:
    """Wordings made ready to search with; unless `whole_words`, they may begin within a word ("FinalAnswer")."""
    return tuple(_cued(wording, whole_words) for wording in wordings)


def _cued(wording: Wording, whole_words: bool) -> Cued:
    begins = "|".join(re.escape(form) for word in wording.begins for form in _spellings(word))
    apart = r"(?<![^\W_])" if whole_words and wording.begins[0].isascii() else ""
    keys = {word: _key(word) if whole_words else "" for word in wording.begins}
    cues = dict.fromkeys((cue, offset, keys[word]) for word in wording.begins for cue, offset in _cues(word))
    capitals = dict.fromkeys(
        (word.upper(), 0, keys[word]) for word in wording.begins if word.upper() not in (word, word.title())
    )
    all_keyed = frozenset(keys.values()) if all(keys.values()) else frozenset()
    return Cued(tuple(cues), tuple(capitals), all_keyed, f"{apart}(?:{begins}){wording.then}")


def wordings_in(text: str, wordings: tuple[Cued, ...]) -> Iterator[re.Match[str]]:
    """The statements of a text in these wordings, row by row, each row from the end."""
    plain = text.isascii()
    words, shouted = _words_of(text)
    for row in wordings:
        if row.keys and row.keys.isdisjoint(words):
            continue
        for cue, offset, key in row.cues + row.in_capitals if shouted else row.cues:
            if (key and key not in words) or (plain and not cue.isascii()):
                continue  # as of most words
            for at in places(text, cue):
                if found := row.pattern.match(text, max(at - offset, 0)):
                    yield found


@lru_cache(maxsize=8)
def _words_of(text: str) -> tuple[frozenset[str], bool]:
    """The words of a text in small letters, and whether any is in capitals."""
    return frozenset(WORD.findall(text.lower())), SHOUTED.search(text) is not None


def _key(word: str) -> str:
    """The longest word of a phrase, where words are parted by blanks."""
    return max(WORD.findall(word.lower()), key=len, default="") if word.isascii() else ""


def _cues(word: str) -> list[tuple[str, int]]:
    """What to search for: a word of some length without its first letter, so that one search finds two spellings."""
    forms = _spellings(word)[:-1] if len(word) > 1 and word.upper() != word else [word]
    if len(word) < 4:
        return [(form, 0) for form in forms if form != word.upper()] or [(word, 0)]
    return list(dict.fromkeys((form[1:], 1) for form in forms if form != word.upper())) or [(word, 0)]


def _spellings(word: str) -> list[str]:
    """A word in small letters, with a capital, and in capitals; with either apostrophe."""
    forms = (word, word[0].upper() + word[1:], word.upper())
    return list(dict.fromkeys(form.replace("'", mark) for form in forms for mark in "'’"))
