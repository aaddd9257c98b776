"""The readers whose patterns take megabytes in all. They are imported when the first reply is read with them, so that a
command which only asks does without.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selfexec.readers.choice import read_choice as read_choice
    from selfexec.readers.objects import closed as closed
    from selfexec.readers.objects import read_object as read_object
    from selfexec.readers.objects import without_fields as without_fields
    from selfexec.readers.performed import (
        answers_in_letters as answers_in_letters,
    )
    from selfexec.readers.performed import (
        answers_the_questions as answers_the_questions,
    )
    from selfexec.readers.performed import (
        responds_to as responds_to,
    )
    from selfexec.readers.performed import (
        responds_to_each as responds_to_each,
    )
    from selfexec.readers.performed import (
        under_the_key as under_the_key,
    )
    from selfexec.readers.probability.expectations import read_expectations as read_expectations
    from selfexec.readers.probability.expectations import read_revised as read_revised
    from selfexec.readers.probability.of_a_claim import read_probability as read_probability
    from selfexec.readers.probability.of_options import read_probabilities as read_probabilities
    from selfexec.readers.ranking import read_ranking as read_ranking
    from selfexec.readers.set_out import set_out as set_out
    from selfexec.readers.weighed_marks import weigh_marks as weigh_marks
    from selfexec.readers.weighed_words import weigh_words as weigh_words
    from selfexec.readers.withdrawal import ends_in_the_open as ends_in_the_open
else:

    def _imported_at_first_call(module: str, name: str) -> Callable[..., Any]:
        """A function of another module, which is imported when it is called."""

        @cache
        def found() -> Callable[..., Any]:
            return getattr(import_module(f"selfexec.readers.{module}"), name)

        def call(*args: Any, **options: Any) -> Any:
            return found()(*args, **options)

        return call

    read_choice = _imported_at_first_call("choice", "read_choice")
    read_expectations = _imported_at_first_call("probability.expectations", "read_expectations")
    read_revised = _imported_at_first_call("probability.expectations", "read_revised")
    weigh_marks = _imported_at_first_call("weighed_marks", "weigh_marks")
    closed = _imported_at_first_call("objects", "closed")
    read_object = _imported_at_first_call("objects", "read_object")
    read_probabilities = _imported_at_first_call("probability.of_options", "read_probabilities")
    read_probability = _imported_at_first_call("probability.of_a_claim", "read_probability")
    read_ranking = _imported_at_first_call("ranking", "read_ranking")
    ends_in_the_open = _imported_at_first_call("withdrawal", "ends_in_the_open")
    set_out = _imported_at_first_call("set_out", "set_out")
    without_fields = _imported_at_first_call("objects", "without_fields")
    weigh_words = _imported_at_first_call("weighed_words", "weigh_words")
    answers_in_letters = _imported_at_first_call("performed", "answers_in_letters")
    answers_the_questions = _imported_at_first_call("performed", "answers_the_questions")
    responds_to = _imported_at_first_call("performed", "responds_to")
    responds_to_each = _imported_at_first_call("performed", "responds_to_each")
    under_the_key = _imported_at_first_call("performed", "under_the_key")
