"""What may be true of a reply: how a prediction is asked for each property, what it may say, and what is claimed.

A claim is a yes or a no. Of a property with a value ("its first word") it is that the value is the one which the item
names; the prompt does not say which one that is.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from selfexec.extensions.simulating import rules
from selfexec.extensions.simulating.rules import COLOURS, FREQUENT, NONE, NUMBERS, SCRIPTS
from selfexec.readers import fold

Value = str | bool
Sentiment = Literal["positive", "negative", "neutral"]
SENTIMENTS = ("positive", "negative", "neutral")
MARKS = " \t\"'“”‘’«»*_`.,!?:;…()[]"
YES, NO = ("true", "yes"), ("false", "no")
LANGUAGES = (*FREQUENT, *(name for name, _ in SCRIPTS))
NAMES_OF_LANGUAGES = {
    **{name: name for name in LANGUAGES},
    **{"en": "english", "de": "german", "deutsch": "german", "fr": "french", "français": "french", "es": "spanish"},
    **{"español": "spanish", "it": "italian", "italiano": "italian", "pt": "portuguese", "português": "portuguese"},
    **{"nl": "dutch", "nederlands": "dutch", "ja": "japanese", "zh": "chinese", "ru": "russian"},
}


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which properties of a reply an item asks for, in the order in which the prompt shows them. Of those with a value,
    the value is given that the claim is about; `picks` has the two options, and the claim is about the first.
    """

    first_word: str | None = None
    second_character: str | None = None
    sentiment: Sentiment | None = None
    list: bool = False
    question: bool = False
    longer: int | None = None
    names: str | None = None
    refuses: bool = False
    picks: tuple[str, str] | None = None
    number: int | None = None
    colour: str | None = None
    language: str | None = None

    def by_name(self) -> dict[str, Any]:
        """The properties that are asked for, with what is given of each."""
        given = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in given.items() if value is not None and value is not False}


class Property(NamedTuple):
    """One property of replies.

    asks    what stands in the prompt, with {} for what is given
    form    how its value is written there
    had     what a reply has of it, from the text and what is given; None where the rule cannot tell
    meant   what a value in a prediction means; None where it is no answer
    claim   what is claimed, after "its reply would", with {} for what is given
    cut     whether what a reply has of it is known of its beginning, from the value and the text
    """

    asks: str
    form: str
    had: Callable[[str, Any], Value | None]
    meant: Callable[[Any, Any], Value | None]
    claim: str
    cut: Callable[[Value | None, str], bool]

    @property
    def is_open(self) -> bool:
        """Whether its value is more than a yes or a no."""
        return self.form != YES_NO


# --- what a prediction may say ---------------------------------------------------------------------------------------


def _words(value: Any) -> str:
    """Text without marks around it; "" of what is none."""
    return fold(value.strip(MARKS)).replace("’", "'") if isinstance(value, str) else ""


def _yes_or_no(value: Any, given: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    answer = _words(value)
    return True if answer in YES else False if answer in NO else None


def _word(value: Any, given: Any) -> str | None:
    answer = _words(value)
    return answer if rules.WORD.fullmatch(answer) else None


def _character(value: Any, given: Any) -> str | None:
    if isinstance(value, str) and len(character := value.strip(' \t"“”`')) == 1:
        return fold(character).replace("’", "'")
    answer = _words(value)
    return answer if len(answer) == 1 or answer == NONE else None


def _number(value: Any, given: Any) -> str | None:
    if value is None or isinstance(value, bool):
        return NONE if value is None else None
    answer = _words(str(value))
    if answer in NUMBERS:
        return str(NUMBERS[answer])
    return answer if answer == NONE or re.fullmatch(r"\d{1,12}(?:\.\d+)?", answer, re.ASCII) else None


def _colour(value: Any, given: Any) -> str | None:
    answer = NONE if value is None else _words(value)
    return NONE if answer == NONE else COLOURS.get(answer)


def _language(value: Any, given: Any) -> str | None:
    return NAMES_OF_LANGUAGES.get(_words(value))


def _sentiment(value: Any, given: Any) -> str | None:
    answer = _words(value)
    return answer if answer in SENTIMENTS else None


def _option(value: Any, given: Sequence[str]) -> str | None:
    answer = _words(value)
    return answer if answer in (NONE, *map(fold, given)) else None


# --- all of them -----------------------------------------------------------------------------------------------------


def _begun(value: Value | None, text: str) -> bool:
    """The first word is whole where more follows it."""
    return len(rules.words_of(text)) > 1


def _came_true(value: Value | None, text: str) -> bool:
    """What came true stays true, whatever would have followed."""
    return value is True


def _there(value: Value | None, text: str) -> bool:
    """The first of a kind stays the first."""
    return value not in (None, NONE) and _begun(value, text)


def _never(value: Value | None, text: str) -> bool:
    return False


YES_NO = "true or false"
PROPERTIES: Mapping[str, Property] = {
    "first_word": Property(
        "its first word", '"..."', lambda text, given: rules.first_word(text), _word, "begin with “{}”", _begun
    ),
    "second_character": Property(
        'the second character of its first word, "none" where that word has only one',
        '"..."',
        lambda text, given: rules.second_character(text),
        _character,
        "begin with a word whose second character is “{}”",
        _begun,
    ),
    "sentiment": Property(
        'its sentiment: "positive", "negative" or "neutral"',
        '"..."',
        lambda text, given: rules.sentiment(text),
        _sentiment,
        "be {}",
        _never,
    ),
    "list": Property(
        "whether it holds a list: lines that begin with a dash, an asterisk, a bullet or a number",
        YES_NO,
        lambda text, given: rules.holds_a_list(text),
        _yes_or_no,
        "hold a list",
        _came_true,
    ),
    "question": Property(
        "whether it asks a question",
        YES_NO,
        lambda text, given: rules.asks(text),
        _yes_or_no,
        "ask a question",
        _came_true,
    ),
    "longer": Property(
        "whether it is longer than {} words", YES_NO, rules.is_longer, _yes_or_no, "be longer than {} words", _came_true
    ),
    "names": Property(
        "whether it calls the user by the name {}", YES_NO, rules.calls_by, _yes_or_no, "name {}", _came_true
    ),
    "refuses": Property(
        "whether it declines to do what the prompt asks",
        YES_NO,
        lambda text, given: rules.declines(text),
        _yes_or_no,
        "decline",
        _came_true,
    ),
    "picks": Property(
        'which of the two it picks: "{0[0]}", "{0[1]}", or "none"',
        '"..."',
        rules.pick,
        _option,
        "pick “{0[0]}” rather than “{0[1]}”",
        _never,
    ),
    "number": Property(
        'the first number in it, in digits; "none" where it has none',
        '"..."',
        lambda text, given: rules.first_number(text),
        _number,
        "have {} as its first number",
        _there,
    ),
    "colour": Property(
        'the first colour that it names, in English; "none" where it names none',
        '"..."',
        lambda text, given: rules.first_colour(text),
        _colour,
        "have {} as its first colour",
        _there,
    ),
    "language": Property(
        "the language that it is written in, in English",
        '"..."',
        lambda text, given: rules.language(text),
        _language,
        "be in {}",
        _never,
    ),
}


def wanted(given: Any) -> Value:
    """The value that a claim is about: of a yes or no, the yes."""
    if isinstance(given, tuple):
        return fold(given[0])
    return fold(str(given))


def holds(name: str, given: Any, value: Value | None) -> bool | None:
    """Whether a claim comes true by this value of its property; None where the value is not known."""
    if value is None or isinstance(value, bool):
        return value
    return value == wanted(given)
