"""What a reply has, by fixed rules on its text: the same for all models, in the order of the properties.

Thoughts that stand in a reply are no part of it. Where a rule cannot tell, the value is None. Rules about words go by
spaces between them, so that they say little of a text in Chinese or Japanese.
"""

import re
from collections.abc import Sequence

from selfexec.readers import fold, refuses
from selfexec.readers.notation import plain_text
from selfexec.text.regex import regex


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NONE = "none"  # the value of what is not there
WORD = regex(r"[^\W_]+(?:['’-][^\W_]+)*")
MARKER = regex(r"^[ \t>]{0,8}(?:[-*•–]|\d{1,3}[.)])[ \t]+(?=\S)", re.MULTILINE)
QUESTION = regex(r"[?？](?=[\s\"'”’»*_)\]]|$)")
NUMBER = regex(r"(?<![\w.,])[0-9]{1,12}(?:,[0-9]{3})*(?:\.[0-9]+)?(?!\w)|[^\W\d_]+")
NUMBERS = dict(
    zip(
        ("zero", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        (0, *range(2, 11)),
        strict=True,
    )
)  # without "one", which is seldom a number
COLOURS = {
    **{
        name: name for name in ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white")
    },
    **{
        "grey": "grey",
        "gray": "grey",
        "violet": "purple",
        "teal": "teal",
        "turquoise": "turquoise",
        "indigo": "indigo",
    },
}
POSITIVE = _set(
    "amazing beautiful best brilliant cheerful congratulations delight delighted delightful enjoy excellent exciting "
    "fantastic fun glad good great happy hope joy joyful kind love lovely nice perfect pleased pleasure proud "
    "warm welcome well-deserved wonderful"
)
NEGATIVE = _set(
    "afraid angry awful bad bitter boring broken cold cruel disappointing dreadful dull exhausting fail failed failure "
    "gloomy hard hate horrible hurt lonely loss lost miserable pain painful poor sad sadly stressful terrible tough "
    "unfortunately upset worried worse worst wrong"
)
SCRIPTS = (
    ("japanese", regex("[\u3040-\u30ff]")),
    ("korean", regex("[\uac00-\ud7af]")),
    ("chinese", regex("[\u4e00-\u9fff]")),
    ("russian", regex("[\u0400-\u04ff]")),
    ("arabic", regex("[\u0600-\u06ff]")),
    ("greek", regex("[\u0370-\u03ff]")),
    ("hebrew", regex("[\u0590-\u05ff]")),
    ("hindi", regex("[\u0900-\u097f]")),
)
# short words that are frequent in one of these languages and rare in the others
FREQUENT = {
    "english": _set("the and is of to you that it with are this what have your for was not can hello my"),
    "german": _set("der die das und ist nicht ein eine ich du sie mit auf für zu wie auch von gut hallo"),
    "french": _set("le la les et est pas une des je vous nous que pour dans avec sur ce bonjour oui très"),
    "spanish": _set("el los las y es una que por para con está muy pero cómo hola sí del tú qué gracias"),
    "italian": _set("il gli e è una che per con non sono come ciao molto di della grazie questo anche bene sì"),
    "portuguese": _set("o os e é uma que por para com não você muito olá obrigado sim como está do da em"),
    "dutch": _set("de het een en is niet ik je met voor van zijn ook goed hallo wat dat naar op aan"),
}
CHOOSES = (
    r"\b(?:pick|choose|choosing|take|prefer|say|go (?:with|for)|lean(?:ing)? (?:towards?|to)|vote for|answer is|"
    r"choice is|favou?rite is|pick is)\b"
)


def words_of(text: str) -> list[str]:
    """The words of a reply, folded."""
    return [fold(word).replace("’", "'") for word in WORD.findall(shown_part(text))]


def shown_part(text: str) -> str:
    """A reply without the thoughts that stand in it."""
    return plain_text(text, formulas=False)


def first_word(text: str) -> str:
    """Its first word, without marks around it."""
    found = WORD.search(shown_part(text))
    return fold(found[0]).replace("’", "'") if found else NONE


def second_character(text: str) -> str:
    """The second character of its first word."""
    return first_word(text)[1:2] or NONE if WORD.search(shown_part(text)) else NONE


def sentiment(text: str) -> str:
    """Whether it has more words of a short list of positive ones or of one of negative ones; a "not" before them is not
    seen.
    """
    words = words_of(text)
    balance = sum(word in POSITIVE for word in words) - sum(word in NEGATIVE for word in words)
    return "positive" if balance > 0 else "negative" if balance < 0 else "neutral"


def holds_a_list(text: str) -> bool:
    """Whether two lines or more begin with a dash, an asterisk, a bullet or a number."""
    return len(MARKER.findall(shown_part(text))) > 1


def asks(text: str) -> bool:
    """Whether a question mark ends a word."""
    return QUESTION.search(shown_part(text)) is not None


def is_longer(text: str, words: int) -> bool:
    """Whether it has more words than this, as spaces part them."""
    return len(shown_part(text).split()) > words


def calls_by(text: str, name: str) -> bool:
    """Whether the name is in it as a word."""
    return mentions(shown_part(text), name)


def declines(text: str) -> bool:
    """Whether it refuses in words near its beginning, or is empty."""
    plain = shown_part(text).strip()
    return not plain or refuses(plain)


def pick(text: str, options: Sequence[str]) -> str | None:
    """Which of two it picks: the only one that it names; where it names both, the last one that comes behind a word of
    choosing.
    """
    plain = fold(shown_part(text))
    named = [fold(option) for option in options if mentions(plain, option)]
    if len(named) < 2:
        return named[0] if named else NONE
    either = "|".join(re.escape(option) for option in named)
    chosen = re.findall(rf"{CHOOSES}[^.!?\n]{{0,40}}?(?<!\w)({either})(?!\w)", plain)
    return str(chosen[-1]) if chosen else None


def first_number(text: str) -> str:
    """The first number in it, in digits or as a word up to ten (but for "one", which is seldom a number); the numbers
    of a list's lines are none.
    """
    for found in NUMBER.findall(MARKER.sub("", shown_part(text))):
        if found[0].isdigit():
            return str(found.replace(",", ""))
        if fold(found) in NUMBERS:
            return str(NUMBERS[fold(found)])
    return NONE


def first_colour(text: str) -> str:
    """The first of sixteen colours that it names."""
    return next((COLOURS[word] for word in words_of(text) if word in COLOURS), NONE)


def language(text: str) -> str | None:
    """By its script; in Latin letters, the one of seven languages whose frequent words it has most of."""
    plain = shown_part(text)
    letters = sum(character.isalpha() for character in plain)
    for name, script in SCRIPTS:
        if 3 * len(script.findall(plain)) > letters > 0:
            return name
    words = words_of(text)
    ranked = sorted(((sum(word in known for word in words), name) for name, known in FREQUENT.items()), reverse=True)
    return ranked[0][1] if ranked[0][0] > ranked[1][0] else None


def mentions(text: str, name: str) -> bool:
    """Whether a text has a name as a word."""
    return re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", fold(text)) is not None
