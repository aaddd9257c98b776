"""How a person answers a session: what a form offers in the place of a reply in a model's words."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

FieldKind = Literal["marks", "words", "choice", "order", "text"]


class FormField(NamedTuple):
    """What a form offers to a person who is asked in a session. The answer becomes a reply that the experiment reads
    as it reads a model's.

    kind      `marks`: the options that apply are ticked, and the reply is an object of true and false by option;
              `words`: so many words are typed; `choice`: one option is chosen; `order`: all options are put in order;
              `text`: anything is typed, or nothing at all, which is declining
    key       the name under which the reply's object has the answer: of words, a choice and an order
    options   what the reply has for an option -> what the person is shown
    words     how many of them
    """

    kind: FieldKind
    key: str = ""
    options: Mapping[str, str] = {}
    words: int = 0
