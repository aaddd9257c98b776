"""What simulated respondents know of the world: the items that they may be asked about."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from selfexec.experiments import choice
from selfexec.experiments.association import Target, distinct
from selfexec.experiments.difficulty import QuestionGroup
from selfexec.experiments.failing_question import Task
from selfexec.experiments.restriction import UserRequest
from selfexec.items import ItemSet


@dataclass(frozen=True)
class Knowledge:
    """Options by target, labels by request, the right letter by question and choices, the right choice of questions
    whose choices come in any order, the right letter by sample of a log."""

    options: Mapping[str, list[str]]
    labels: Mapping[str, str]
    keys: Mapping[str, str]
    controls: Mapping[str, str]
    samples: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, item_set: ItemSet) -> "Knowledge":
        items = [item for by_id in item_set.items.values() for item in by_id.values()]
        return cls(
            {item.target: distinct(item.options) for item in items if isinstance(item, Target)},
            {item.request: item.label for item in items if isinstance(item, UserRequest)},
            {
                question_id(question.question.strip(), question.choices): question.answer
                for item in items
                if isinstance(item, QuestionGroup)
                for question in item.questions
            },
            {
                item.control.question.strip(): item.control.choices["ABCD".index(item.control.answer)]
                for item in items
                if isinstance(item, Task) and item.control
            },
            {item.last.strip(): item.right for item in items if isinstance(item, choice.ChoiceQuestion) and item.right},
        )


def question_id(question: str, choices: list[str]) -> str:
    return "\n".join([question, *choices])
