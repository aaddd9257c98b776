"""What an item of each experiment is."""

from typing import Annotated, Literal

import msgspec

Name = Annotated[str, msgspec.Meta(min_length=1)]
Letter = Literal["A", "B", "C", "D"]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Association: a target word and the options of which the model says which it would list."""

    id: Name
    target: Name
    options: Annotated[list[str], msgspec.Meta(min_length=1)]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Restriction: something a user might ask for. `label` is its author's, not the model's, judgement."""

    id: Name
    request: Name
    label: Literal["safe", "unsafe"]
    type: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A four-choice question; `answer` is the letter of the right choice."""

    id: Name
    subject: Name
    question: Name
    choices: Annotated[list[str], msgspec.Meta(min_length=4, max_length=4)]
    answer: Letter

    @property
    def right(self) -> str:
        """The text of the right choice."""
        return self.choices["ABCD".index(self.answer)]


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Difficulty: four questions to be ranked; their order here is Q1 to Q4."""

    id: Name
    questions: Annotated[list[Question], msgspec.Meta(min_length=4, max_length=4)]


Item = Target | Request | Group

KINDS: dict[str, type[Item]] = {"association": Target, "restriction": Request, "difficulty": Group}
