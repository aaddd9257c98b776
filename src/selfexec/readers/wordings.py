"""The wordings in which a reply says which option is its answer. To teach the readers another one, add a row here.

A row names the words that it begins with, in small letters, as anybody would spell them; they are found with a capital
and in capitals too. `then` is a regular expression (verbose, so that blanks in it mean nothing) of what follows up to
the value, which is added behind it. `example` is a reply that it reads, in which a test looks for it: a row that can
match nothing fails. What is searched for first, to be fast, is derived from `begins`.
"""

from typing import NamedTuple

from selfexec.readers.cues import Phrase

# where the answer is said to be: "is", ":", "->"; the words that may stand before the value
SAYS = r"""[^\n.:;={}?!"“”|]{0,60}?
    (?:\s*(?:[:=>→：]|\|(?!\s*\n)|\](?=[^\n]{1,80}\[/))\**|\s[-–—]\s|\s(?:is|be|was|remains))
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


# A statement that names what it states: "the answer is". It counts wherever it stands.
STATES = (
    Phrase(
        ("answer", "choice", "option", "guess", "verdict", "description", "judgment", "judgement"),
        rf"(?!s\b)['*_`]{{0,3}}{SAYS}{REST_OF_LINE}",
        "Answer: B",
    ),
    Phrase(
        ("correct", "best ", "closest"),
        rf"\s?(?<=\s)(?:[a-z]+\s){{0,6}}?(?=is\b|would\b){SAYS}{REST_OF_LINE}",
        "The closest of them would be B",
    ),
    Phrase(
        (
            *("réponse", "antwort", "respuesta", "risposta", "resposta", "ответ", "答案", "答え", "回答", "正解"),
            *("정답", "답", "lösung", "urteil", "solución", "soluzione", "solução", "正确选项", "الإجابة"),
            *("الجواب", "إجابتي", "جوابي"),
        ),
        SAYS_ABROAD + REST_OF_LINE,
        "答案是 B",
    ),
    Phrase(
        ('name="answer"', 'name="choice"', 'name="option"', 'name="letter"', "<letter", "<choice_letter"),
        r"\s{0,4}>\s{0,12}(?P<value>[^<\n]{1,400})(?=\s{0,12}</)",
        '<parameter name="answer">B</parameter>',
    ),
)
# A statement that replaces an answer, marked as a change. It counts like those above, where its clause is plain.
CHANGES = (
    Phrase(
        (
            *("changing", "change", "changed", "switching", "switch", "revising", "revise", "updating", "update"),
            *("correcting", "correct", "amending", "amend"),
        ),
        rf"\s+(?:my|the|this|that)\s+(?:final\s+)?(?:answer|choice|response|selection|prediction)\s+(?:from\s+\S{{1,6}}\s+)?to\s*:?\s+{OPTION}{LETTER}{STOPS}",
        "I am changing my answer to B.",
    ),
    Phrase(("no", "nope"), rf",\s+{OPTION}{LETTER}{STOPS}", "No, B."),
    Phrase(("switching to", "switch to"), rf"\s+{OPTION}{LETTER}{STOPS}", "Switching to B."),
    Phrase(
        ("replace", "replacing", "swap", "swapping", "exchange", "change", "changing", "switch"),
        rf"\s+(?:that|it|this|{OPTION}[(\"'*`]{{0,3}}[A-Z][)\"'*`]{{0,3}})\s+(?:with|for|to|by|into)\s+{OPTION}{LETTER}{STOPS}",
        "Replace A with B.",
    ),
    Phrase(
        ("instead of",),
        rf"\s+{OPTION}[(\"'*`]{{0,3}}[A-Z][)\"'*`]{{0,3}},\s+(?:I(?:'ll|’ll|'d|’d|\s+will|\s+would)\s+(?:say|choose|pick|go\s+with|take)\s+)?{OPTION}{LETTER}{STOPS}",
        "Instead of A, I'll say B.",
    ),
    Phrase(("wait", "sorry"), rf",\s+{OPTION}{LETTER}\s+(?=instead|rather|and\s+not|not)", "Wait, B instead of A."),
    Phrase(
        ("ich ändere",), rf"\s+(?:das|es|[A-Z])\s+(?:zu|auf|in)\s+{OPTION_ABROAD}{LETTER_ABROAD}", "Ich ändere A zu B."
    ),
    Phrase(
        ("cambio",),
        rf"\s+(?:eso|esto|la\s+[A-Z]|[A-Z])\s+(?:a|por)\s+{OPTION_ABROAD}{LETTER_ABROAD}",
        "Cambio A por B.",
    ),
    Phrase(
        ("make that", "make it", "correction", "corrected answer", "i meant", "i mean", "edit", "update"),
        rf"\s*[:,—–-]?\s*(?:it(?:'s|’s|\s+is|\s+should\s+be)\s+|to\s+say\s+|my\s+answer\s+is\s+)?{OPTION}{LETTER}{STOPS}",
        "Correction: B.",
    ),
    Phrase(
        (
            *("on second thought", "on second thoughts", "on reflection", "scratch that", "wait, no", "actually"),
            *("no wait", "after reconsidering", "upon reflection"),
        ),
        rf"\s*[:,;.—–-]{{0,3}}\s*(?:it(?:'s|’s|\s+is|\s+should\s+be|\s+must\s+be)\s+|I(?:'d|’d|\s+would)\s+say\s+|I(?:'ll|’ll|\s+will)\s+go\s+with\s+"
        rf"|the\s+answer\s+(?:is|should\s+be)\s+)?{OPTION}{LETTER}{STOPS}",
        "On second thought, it should be B.",
    ),
    Phrase(
        ("ich ändere meine Antwort", "ich ändere meine Wahl"),
        rf"\s+(?:zu|auf|in)\s+{OPTION_ABROAD}{LETTER_ABROAD}",
        "Ich ändere meine Antwort zu B.",
    ),
    Phrase(
        ("cambio mi respuesta", "cambio mi elección"),
        rf"\s+(?:a|por)\s+{OPTION_ABROAD}{LETTER_ABROAD}",
        "Cambio mi respuesta a la B.",
    ),
    Phrase(
        ("改为", "改成", "换成", "改选", "更正为", "更正："), rf"\s?{OPTION_ABROAD}{LETTER_ABROAD}", "我把答案改为B。"
    ),
    Phrase(("أغير إجابتي", "سأغير إجابتي"), rf"\s+إلى\s+{OPTION_ABROAD}{LETTER_ABROAD}", "أغير إجابتي إلى B."),
)
# An option that is named right. It counts where nothing of the above does, or as the last words of a reply.
NAMES = (
    Phrase(
        ("option", "choice", "answer", "statement"),
        rf"""\s+{LETTER}(?:\s?[,(][^\n,)]{{0,80}}[,)])?\s
        (?:is|seems|appears|would\s+be|must\s+be|remains)\s+(?:to\s+be\s+)?(?:also\s+)?(?:the\s+)?(?:most\s+|only\s+|more\s+)?
        (?:correct|best|right|appropriate|accurate|closest|true|answer)""",
        "Option B is correct",
    ),
)
# An option that is concluded or taken, in everyday words. It counts like those above.
CONCLUDES = (
    Phrase(
        ("hence", "therefore", "thus", "so", "choose", "select", "pick", "say", "guess", "leaves"),
        rf"\s?,?\s+(?:[Oo]ption\s+|choice\s+|the\s+answer\s+)?{LETTER}{OR_TEXT}",
        "Hence, B.",
    ),
    Phrase(
        (
            *("go", "going", "went", "goes", "stick", "sticking", "agree", "agrees", "agreeing", "align"),
            *("aligns", "aligning"),
        ),
        rf"\s+with\s+(?:[Oo]ption\s+|choice\s+|the\s+answer\s+)?{LETTER}{OR_TEXT}",
        "Going with (B).",
    ),
    Phrase(("answer's",), rf"\s+{OPTION}{LETTER}{STOPS}", "My answer's B."),
    Phrase(("toward", "towards"), rf"\s+(?:[Oo]ption\s+|choice\s+)?{LETTER}{OR_TEXT}", "I'm leaning towards B."),
    Phrase(
        ("is ", "is, ", "be ", "match ", "matches ", "corresponds to", "correspond to", "equal to"),
        rf"\s?(?<=\s)(?:the\s+)?(?:answer\s+)?(?:option|choice)\s+{LETTER}{OR_TEXT}",
        "which is option B",
    ),
    Phrase(
        ("it", "which", "that"),
        rf"(?:['’]s|\sis|\smust\sbe|\swould\sbe|['’]s\s(?:got\s?ta|got\s+to|going\s+to)\sbe|\shas\s+(?:got\s+)?to\sbe|\sshould\sbe)\s+(?:definitely\s+)?{LETTER}{OR_TEXT}",
        "It's gotta be B.",
    ),
    Phrase(
        ("i'll take", "i will take", "i take", "i'd take", "i would take", "i'll have"),
        rf"\s+{OPTION}{LETTER}{STOPS}",
        "I'll take B.",
    ),
    Phrase(
        ("definitely", "certainly", "clearly", "obviously", "probably", "likely"),
        rf"\s+{OPTION}{LETTER}{STOPS}",
        "Definitely B.",
    ),
    Phrase(
        (
            *("my pick", "my vote", "my bet", "my selection", "my money", "my prediction", "my instinct"),
            *("my gut",),
        ),
        rf"\s*(?:[:=]|(?:['’]s|\s+is|\s+goes|\s+would\s+be|\s+says)(?:\s+(?:on|to|for))?)\s+{OPTION}{LETTER}{STOPS}",
        "My pick is B.",
    ),
    Phrase(
        ("final", "verdict", "pick", "selected"),
        rf"[*_]{{0,2}}\s?[:=]\s?[*_]{{0,2}}{OPTION}{LETTER}{STOPS}",
        "Final: B",
    ),
    Phrase(
        (
            *("ich nehme", "ich wähle", "ich entscheide mich", "ich tippe", "ich würde", "richtig ist", "korrekt ist"),
            *("also", "daher", "somit", "richtig wäre"),
        ),
        rf",?\s+{OPTION_ABROAD}{LETTER_ABROAD}",
        "Ich entscheide mich für B.",
    ),
    Phrase(
        (
            *("elijo la", "escojo la", "selecciono la", "me quedo con la", "opto por la", "es la", "sería la"),
            *("elegiría la",),
        ),
        rf"\s+(?:opción\s+|respuesta\s+|letra\s+)?{LETTER_ABROAD}",
        "Es la B.",
    ),
    Phrase(("elijo", "escojo", "selecciono", "elegiría", "opto por"), rf"\s+{LETTER_ABROAD}", "Elijo B."),
    Phrase(
        ("选", "选择", "我选", "应选", "故选", "应该选", "所以选", "因此选", "我选择", "应选择", "选项是"),
        rf"[：:]?\s?{OPTION_ABROAD}{LETTER_ABROAD}",
        "我选B。",
    ),
    Phrase(("أختار", "سأختار", "اخترت", "الصحيح هو", "الصحيحة هي"), rf"\s+{OPTION_ABROAD}{LETTER_ABROAD}", "أختار B."),
)
# The letter first: "B it is." What stands before it is `then`, and the words of the row end the statement.
LETTER_FIRST = (
    Phrase(
        ("it is", "for me", "is my answer", "is my choice", "is my pick", "all the way", "then", "i'd say", "i think"),
        r"(?:^|[.!?:\n][\s\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]*|\b(?:[Ss]o|[Tt]hen|[Ww]ell|[Oo]kay|OK|[Yy]es|[Yy]eah),?\s+)[*(]{0,3}(?P<value>[A-Z])[*)]{0,3},?\s$",
        "B it is.",
    ),
    Phrase(
        (
            *("is correct", "is right", "is the right answer", "is the correct answer", "is the answer"),
            *("final answer", "is the right choice", "is the correct choice", "is the best answer"),
            *("is the correct option", "ist richtig", "es correcta", "es la correcta"),
        ),
        r"(?:^|[.!?:\n][\s\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]*|\b(?:[Ss]o|[Tt]hus|[Hh]ence|[Tt]herefore),?\s+)[*(]{0,3}(?P<value>[A-Z])[*)]{0,3},?\s$",
        "B is correct.",
    ),
    Phrase(
        ("是正确的", "是对的", "正确"),
        r"(?:^|[。！？；，\n：]\s*)(?:选项|答案)?\s?[*(]{0,3}(?P<value>[A-Z])[*)]{0,3}\s?$",
        "选项B是正确的。",
    ),
    Phrase(
        ("wählen", "nehmen"),
        r"\b[Ii]ch\s+(?:würde|werde)\s+[*(]{0,3}(?P<value>[A-Z])[*)]{0,3}\s$",
        "Ich würde B wählen.",
    ),
)


class Plain(NamedTuple):
    """How a language states a choice in a sentence that does nothing else. A sentence in which an option stands among
    these words alone chooses it; one other word, and it is not read so: nothing has to be known of what denies, doubts
    or supposes. To teach the readers another wording, add its words.

    `words` may stand beside an option; `nouns` too, and before its letter. `contrasts` stand before an option that is
    turned down ("A, not B"). `ordinals` name an option by its place among the options.
    """

    words: tuple[str, ...]
    nouns: tuple[str, ...] = ()
    contrasts: tuple[str, ...] = ()
    ordinals: tuple[tuple[str, ...], ...] = ()


PLAIN = {
    "English": Plain(
        words=(
            *("but", "it", "it's", "it is", "that's", "that", "this", "this is", "is", "be", "must be"),
            *("has to be", "have to be", "should be", "would be", "it'd", "that'd", "it'll", "gotta be"),
            *("got to be", "going to be", "can only be", "i'd", "i'll", "i'm", "i", "i would", "i will", "i am"),
            *("we", "my", "the", "me", "for me", "to me", "us", "say", "pick", "choose", "select", "take"),
            *("go with", "going with", "go for", "bet on", "reckon", "guess", "think", "believe", "lean"),
            *("leaning", "lean towards", "leaning towards", "lean toward", "leaning toward", "vote for"),
            *("settle on", "settle for", "opt for", "conclude", "expect", "stick with", "sticking with"),
            *("let me", "let's", "going to", "what", "all signs point to", "everything points to", "points to"),
            *("leaves", "leaves us with", "leaving", "process of elimination", "by elimination", "that leaves"),
            *("so", "thus", "hence", "therefore", "ok", "okay", "well", "overall", "in conclusion", "in short"),
            *("now", "clearly", "definitely", "certainly", "surely", "probably", "likely", "most likely"),
            *("very likely", "obviously", "undoubtedly", "easily", "simply", "just", "really", "fairly"),
            *("pretty", "quite", "very", "confident", "sure", "certain", "for sure", "for certain", "no doubt"),
            *("without doubt", "without a doubt", "hands down", "easy", "all the way", "here", "in this case"),
            *("too", "personally", "honestly", "about", "correct", "right", "true", "best", "accurate"),
            *("the one", "one", "holds", "applies", "fits", "works", "fits best", "describes it best"),
            *("describes it", "applies here", "of these", "of the four", "of the two", "can't be anything but"),
            *("cannot be anything but", "can't be anything other than", "nothing but", "if i had to choose"),
            *("if i had to pick", "if i had to guess", "if i must choose", "if forced to choose", "with", "high"),
            *("confidence", "100%", "final", "sounds right", "looks right", "makes sense", "great question"),
            *("seems", "seems right", "looks", "will be true", "would be true", "that will be true"),
            *("put my money on", "my money is on", "in all likelihood", "likelier", "more likely"),
            *("the likelier one", "chances are", "inclined to", "tempted to say", "yup", "yep", "yeah", "sure"),
            *("of course", "no question", "normally", "my answer", "my choice", "if i must", "by far", "clear"),
            *("safe", "bet", "prediction", "verdict", "without hesitation", "describes", "response", "outcome"),
            *("situation", "end", "going", "settling on", "leading candidate", "winner", "more"),
        ),
        nouns=("option", "choice", "answer", "letter", "statement", "alternative", "description", "pick", "selection"),
        contrasts=("not", "and not", "rather than", "instead of", "over", "but not", "as opposed to"),
        ordinals=(
            ("the first one", "the first", "the former", "the 1st", "number one"),
            ("the second one", "the second", "the latter", "the 2nd", "number two"),
            ("the third one", "the third", "the 3rd", "number three"),
            ("the fourth one", "the fourth", "the last one", "the 4th", "number four"),
        ),
    ),
    "German": Plain(
        words=(
            *("sondern", "es", "ist", "wäre", "muss", "sein", "das", "die", "der", "ich", "würde", "sage"),
            *("sagen", "wähle", "wählen", "nehme", "nehmen", "tippe", "auf", "denke", "glaube", "meine", "mein"),
            *("entscheide mich", "für", "also", "daher", "somit", "wohl", "wahrscheinlich", "sicher", "klar"),
            *("eindeutig", "definitiv", "richtig", "richtige", "vermutlich", "ganz", "meiner meinung nach"),
            *("korrekt", "korrekte", "trifft", "zu", "trifft zu", "gehe", "mit", "dass", "stimmt", "beste"),
            *("am ehesten", "auf jeden fall", "ganz klar", "natürlich", "jedenfalls"),
        ),
        nouns=("antwort", "aussage", "option", "lösung", "wahl", "möglichkeit", "buchstabe"),
        contrasts=("nicht", "und nicht", "statt", "anstatt"),
        ordinals=(("die erste", "erstere"), ("die zweite", "letztere"), ("die dritte",), ("die vierte",)),
    ),
    "Spanish": Plain(
        words=(
            *("sino", "es", "la", "el", "sería", "debe ser", "tiene que ser", "yo", "diría", "elijo", "elegiría"),
            *("escojo", "opto por", "creo", "que", "pienso", "me quedo con", "mi", "correcta", "correcto"),
            *("verdadera", "cierta", "por", "lo tanto", "por lo tanto", "así que", "sin duda", "seguramente"),
            *("probablemente", "claramente", "definitivamente", "más", "seguro", "en mi opinión"),
            *("me inclino por", "yo elegiría", "probable", "mejor", "para mí", "selecciono", "se cumple"),
            *("aplica",),
        ),
        nouns=("respuesta", "opción", "letra", "afirmación", "elección", "alternativa"),
        contrasts=("no", "y no", "en lugar de", "en vez de"),
        ordinals=(("la primera",), ("la segunda",), ("la tercera",), ("la cuarta",)),
    ),
    "French": Plain(
        words=(
            *("mais", "c'est", "ce serait", "ça doit être", "est", "la", "le", "l'", "je", "dirais", "choisis"),
            *("choisirais", "je choisis", "j'opte pour", "opterais pour", "prends", "pense", "crois", "que"),
            *("ma", "mon", "bonne", "correcte", "vraie", "juste", "donc", "sans doute", "sûrement"),
            *("probablement", "clairement", "certainement", "plutôt", "à mon avis", "sans hésiter"),
            *("j'opterais pour", "je prends", "plus", "probable", "meilleure", "pour moi", "doit être", "serait"),
            *("s'applique", "il s'agit de"),
        ),
        nouns=("réponse", "option", "lettre", "affirmation", "choix", "proposition"),
        contrasts=("pas", "et non", "et pas", "plutôt que", "non"),
        ordinals=(("la première", "le premier"), ("la deuxième", "la seconde"), ("la troisième",), ("la quatrième",)),
    ),
    "Chinese": Plain(
        words=(
            *("而是", "我", "认为", "觉得", "想", "应该", "应", "会", "是", "为", "选择", "选", "就", "的", "最"),
            *("更", "有", "可能", "因此", "所以", "答案", "正确", "最终", "肯定", "一定", "显然", "大概"),
            *("很可能", "可能性", "大", "选出", "最佳", "描述", "符合", "对", "准确", "成立", "合适", "说法"),
            *("应当", "当然", "了", "吧", "我的", "正确的"),
        ),
        nouns=("选项", "答案", "选择"),
        contrasts=("而不是", "不是", "不选"),
        ordinals=(
            ("第一个选项", "第一个", "第一项"),
            ("第二个选项", "第二个", "第二项"),
            ("第三个选项", "第三个", "第三项"),
            ("第四个选项", "第四个", "第四项"),
        ),
    ),
    "Arabic": Plain(
        words=(
            *("هو", "هي", "أعتقد", "أن", "أظن", "سأختار", "أختار", "اخترت", "الصحيح", "الصحيحة", "النهائية"),
            *("النهائي", "الأرجح", "لذلك", "إذن", "بالتأكيد", "على", "إنها", "إنه", "الأفضل", "اختياري"),
            *("إجابتي", "جوابي", "خياري"),
        ),
        nouns=("الخيار", "الإجابة", "الجواب", "الحرف", "العبارة"),
        contrasts=("وليس", "لا", "بدلا من"),
        ordinals=(("الخيار الأول",), ("الخيار الثاني",), ("الخيار الثالث",), ("الخيار الرابع",)),
    ),
}


# what leaves the words of its clause open: they are not marked, and the others are
LEFT_OPEN = (
    *("go either way", "either way", "a toss-up", "toss-up", "coin flip", "50/50", "not sure about"),
    *("unsure about", "not sure", "unsure", "can't say", "cannot say", "can't tell", "cannot tell"),
    *("can't decide", "cannot decide", "no way to tell", "hard to say", "hard to tell", "impossible to say"),
    *("don't know", "schwer zu sagen", "unsicher", "no sé", "no estoy seguro", "have to guess", "had to guess"),
    *("only guess", "just guessing", "je ne sais pas", "difficile à dire", "不确定", "不好说", "لست متأكدا"),
)


class Sorting(NamedTuple):
    """How a language sorts words into those that were listed and the others. A clause is read if it holds these alone.

    `rest` stands for the options that no clause names, `fill` says nothing of them.
    """

    yes: tuple[str, ...]
    no: tuple[str, ...]
    weak: tuple[str, ...]  # says yes where nothing else says yes or no
    only: tuple[str, ...]
    all: tuple[str, ...]
    none: tuple[str, ...]
    besides: tuple[str, ...]
    rest: tuple[str, ...]
    fill: tuple[str, ...]


SORTING = {
    "English": Sorting(
        yes=(
            *("true", "yes", "would", "appeared", "appear", "appears", "listed", "included", "present", "likely"),
            *("in", "t", "most likely", "almost certainly", "wrote", "contained", "contain", "contains"),
            *("did contain", "mentioned", "would list", "did", "made it", "made my list", "would appear"),
            *("would be", "were", "was", "did appear", "probably", "probably yes", "very likely", "✅", "✔", "✓"),
            *("👍", "would be there", "would have", "i'd list", "will", "will appear", "would have listed"),
            *("i would have listed", "i would list", "i listed", "would be listed", "would be included"),
            *("would include", "i'd include"),
        ),
        no=(
            *("false", "no", "would not", "wouldn't", "did not", "didn't", "not", "unlikely", "absent"),
            *("excluded", "out", "f", "did not contain", "didn't contain", "did not write", "didn't write"),
            *("did not mention", "didn't mention", "would not list", "wouldn't appear", "would not appear"),
            *("did not appear", "didn't appear", "not listed", "not included", "were not", "weren't", "was not"),
            *("wasn't", "not present", "not likely", "probably not", "neither", "nor", "no to", "won't"),
            *("will not", "wouldn't be in", "not on", "don't", "doesn't", "probably no", "would not be"),
            *("wouldn't be", "would not be listed", "did not make it", "left out", "missing", "not in"),
            *("would not be in", "would not have", "would have been left out", "very unlikely", "❌", "✗", "✘"),
            *("👎", "would not include", "wouldn't have", "did not list", "would be left out", "not appear"),
            *("would leave out", "no way", "no chance", "not a chance", "skip", "would skip", "i'd skip"),
            *("leave out", "i'd leave out", "omit", "would omit", "drop", "would not write", "wouldn't write"),
            *("would not name", "wouldn't list", "would not mention"),
        ),
        weak=(
            *("in my list", "in the list", "on my list", "on the list", "in there", "to be there", "my list"),
            *("on it", "in it", "i'd have", "a sure thing", "sure things", "a given", "for sure", "write down"),
            *("would write down", "would write", "i'd write", "i'd write down", "i'd name", "i'd mention"),
            *("would name", "would mention"),
        ),
        only=("only", "just", "nothing but"),
        all=("all five", "all four", "all three", "all", "everything", "every one", "each", "every"),
        none=("none", "none of the others", "no word", "not one", "not a single one"),
        besides=(
            *("except for", "except", "but", "apart from", "other than", "save", "save for", "besides"),
            *("aside from",),
        ),
        rest=(
            *("everything else", "anything else", "the other three", "the other two", "all others", "the others"),
            *("the rest", "the other words", "the remaining words", "the remaining ones", "the other ones"),
        ),
        fill=(
            *("i", "i'd", "think", "believe", "say", "expect", "guess", "and", "or", "the", "word", "words"),
            *("option", "options", "my", "list", "them", "of them", "these", "of these", "be", "been", "have"),
            *("have been", "have made", "there", "that", "this", "those", "of those", "out of", "six", "seven"),
            *("eight", "make", "make it", "it", "would have been", "appear", "appearing", "in my list"),
            *("in the list", "on my list", "on the list", "it in", "into", "as", "well", "so", "answer"),
            *("prediction", "final", "my answer", "are", "is", "for sure", "definitely", "certainly", "surely"),
            *("honestly", "to be honest", "both", "five", "from", "appeared?", "why", "sure", "here"),
            *("predictions", "yes to", "i am", "fairly sure", "pretty sure", "quite sure", "fairly certain"),
            *("pretty certain", "quite certain", "confident", "in my view", "to", "for", "ones", "i would have"),
            *("have listed", "that appeared", "picked", "so", "in", "to be there", "i'm", "in there", "to be"),
            *("the option words", "following", "part", "on the other hand", "however", "by contrast", "it's"),
            *("too", "made", "of", "a"),
        ),
    ),
    "German": Sorting(
        yes=(
            *("ja", "wahr", "standen", "stand", "kamen vor", "kam vor", "dabei", "genannt", "wahrscheinlich"),
            *("würde ich nennen",),
        ),
        no=("nein", "falsch", "nicht", "nicht dabei", "nicht genannt", "unwahrscheinlich", "kamen nicht vor"),
        weak=(
            *("in meiner liste", "auf der liste", "in meine liste", "auf meiner liste", "stehen", "nennen"),
            *("aufschreiben", "schreiben", "auflisten", "aufnehmen", "aufzählen", "stünden", "stünde", "wären"),
            *("wäre",),
        ),
        only=("nur", "lediglich"),
        all=("alle fünf", "alle", "alles"),
        none=("keine", "keines", "keins", "keiner", "keine davon"),
        besides=("außer", "bis auf", "mit ausnahme von"),
        rest=("die anderen", "die übrigen", "der rest"),
        fill=(
            *("ich", "denke", "glaube", "meiner", "liste", "und", "dass", "die", "wörter", "davon", "der"),
            *("meine", "in", "in meiner liste", "würde", "würden", "hätte", "hingegen", "dagegen", "auch"),
            *("wohl", "auf", "von", "diesen", "wörtern", "dazu", "sowie", "eher", "auf jeden fall", "sicher"),
            *("bestimmt", "sechs", "fünf", "das", "wort"),
        ),
    ),
    "Spanish": Sorting(
        yes=(*("sí", "verdadero", "aparecieron", "apareció", "aparecerían", "aparecería", "estarían", "probable"),),
        no=(
            *("no", "ni", "falso", "no aparecieron", "no aparecerían", "no estarían", "improbable"),
            *("no apareció", "no aparecería"),
        ),
        weak=(
            *("en mi lista", "en la lista", "pondría", "escribiría", "mencionaría", "incluiría", "listaría"),
            *("nombraría", "pondría en mi lista", "daría"),
        ),
        only=("solo", "sólo", "solamente", "únicamente"),
        all=("todas", "todos", "todo"),
        none=("ninguna", "ninguno", "ninguna de ellas"),
        besides=("menos", "excepto", "salvo", "aparte de"),
        rest=("las demás", "las otras", "el resto", "los demás"),
        fill=(
            *("y", "e", "ni", "o", "creo", "que", "las", "palabras", "en", "mi", "lista", "de", "la", "ellas"),
            *("yo", "sí que", "a", "cambio", "en cambio", "también", "seguro", "probablemente", "seguramente"),
            *("siguientes", "seis", "cinco", "estas", "esas", "palabra"),
        ),
    ),
    "French": Sorting(
        yes=("oui", "vrai", "apparaîtraient", "apparaîtrait", "étaient", "figureraient", "figuraient", "probable"),
        no=(
            *("non", "faux", "n'apparaîtraient pas", "n'apparaîtrait pas", "pas", "ni", "ne figureraient pas"),
            *("improbable",),
        ),
        weak=(
            *("dans ma liste", "dans la liste", "mettrais", "listerais", "citerais", "écrirais", "noterais"),
            *("donnerais", "inclurais", "mentionnerais", "choisirais"),
        ),
        only=("seulement", "uniquement", "seuls", "seul"),
        all=("tous", "toutes", "tout"),
        none=("aucun", "aucune", "aucun d'eux"),
        besides=("sauf", "excepté", "à part", "hormis"),
        rest=("les autres", "le reste"),
        fill=(
            *("et", "ni", "ou", "je", "ne", "n'", "j'", "pense", "crois", "que", "les", "mots", "dans", "ma"),
            *("liste", "de", "d'entre eux", "en revanche", "par contre", "aussi", "sûrement", "certainement"),
            *("probablement", "ces", "six", "cinq", "parmi", "mot", "le", "la"),
        ),
    ),
    "Chinese": Sorting(
        yes=("是", "会出现", "出现了", "出现", "会", "有", "在列表中", "真", "可能"),
        no=("否", "不会出现", "没有出现", "未出现", "不会", "不在列表中", "没有", "假", "不是", "不可能", "不太可能"),
        weak=("在我的列表中", "在列表里"),
        only=("只有", "仅有", "仅", "只"),
        all=("全部", "所有", "都"),
        none=("没有一个",),
        besides=("除了",),
        rest=("其他词", "其他", "其余"),
        fill=(
            *("和", "与", "这些", "这", "个", "我", "认为", "觉得", "在", "列表", "中", "词", "的", "我的"),
            *("单词", "我列出的", "了", "写", "写下", "写出", "列出", "列入", "列", "提到", "想到", "选", "选择"),
            *("选出", "包含", "包括", "放进", "放", "里", "以及", "还有", "而", "则", "这六个词", "六", "五"),
            *("、", "肯定", "一定", "应该", "到"),
        ),
    ),
    "Arabic": Sorting(
        yes=("نعم", "صحيح", "ظهرت", "ظهر", "ستظهر", "سيظهر"),
        no=(
            *("لا", "خطأ", "لم تظهر", "لم يظهر", "فلم تظهر", "فلم يظهر", "فلن تظهر", "فلن يظهر", "لن تظهر"),
            *("لن يظهر", "لن", "ليس"),
        ),
        weak=("في قائمتي", "في القائمة", "سأكتب", "سأذكر", "سأدرج", "أكتب", "أذكر", "أدرج"),
        only=("فقط",),
        all=("كلها", "جميعها", "جميع الكلمات", "كل الكلمات"),
        none=("لا شيء منها",),
        besides=("ما عدا", "باستثناء", "إلا"),
        rest=("الباقي", "البقية"),
        fill=(
            *("و", "في", "قائمتي", "القائمة", "الكلمات", "أعتقد", "أن", "أو", "من", "هذه", "التي", "على الأرجح"),
            *("أما", "كلمات"),
        ),
    ),
}
