"""What people are asked: the sessions of each item as a model has them, with the questions for people in the place of
prompts.

An experiment is played through with a mark in the place of each reply. A prompt that shows a reply has its mark, where
the form puts what the person wrote; a session that is opened only if another has a reply waits for that one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item, Prompts, session_kind
from selfexec.experiments.form_fields import FormField
from selfexec.facets import FACETS, Condition, addressed, conditions_of, prompts_in, touching
from selfexec.items import ItemSet
from selfexec.runs.replay import ReplayedItem, prompts_of
from selfexec.text.matching import apart
from selfexec.text.printable import harmless
from selfexec.text.regex import regex

PREDICT: "Round" = "predict"
EXECUTE: "Round" = "execute"
Round = Literal["predict", "execute"]
BEGIN, END = "\ue000", "\ue001"  # around the name of a session, where its reply is shown
MARK = regex(f"{BEGIN}([^{BEGIN}{END}]*){END}")


@dataclass(frozen=True)
class Question:
    """One session as a person is asked it.

    Attributes:
        facets: Those of the session's key.
        ask: The question.
        about: What it is about, word for word, in parts: what stands between `BEGIN` and `END` is a session of this
            item, whose reply is shown there.
        needs: The sessions of this item that need a reply before this one is asked.
    """

    experiment: str
    item: str
    session: str
    facets: Mapping[str, str]
    ask: str
    about: str
    field: FormField
    needs: Sequence[str] = ()


def questions_of(item_set: ItemSet, conditions: Sequence[Condition]) -> dict[Round, list[Question]]:
    """The questions of both rounds, in the order of experiments and items. A session that several conditions share is
    asked once.

    Raises:
        InputError: People cannot be asked in one of the conditions.
    """
    _refuse_conditions(item_set.experiments, conditions)
    rounds: dict[Round, list[Question]] = {PREDICT: [], EXECUTE: []}
    for experiment, items in item_set.items.items():
        templates = {c: _templates(experiment, c) for c in conditions_of(conditions, experiment)}
        for item in items.values():
            asked: set[tuple[str, Condition]] = set()
            for condition, texts in templates.items():
                for question in _of_item(experiment, item, condition, texts):
                    place = (question.session, tuple(question.facets.items()))
                    if place not in asked:
                        rounds[_round_of(question)].append(question)
                        asked.add(place)
    if all(addressed(condition) for condition in conditions):
        rounds[EXECUTE] = []  # somebody else's behaviour is predicted
    return rounds


def _refuse_conditions(experiments: Iterable[str], conditions: Iterable[Condition]) -> None:
    """Raise InputError for a facet for which there are no words for people."""
    for experiment in experiments:
        worded = {part for name in EXPERIMENTS[experiment].people for part in name.partition("@")[2].split(",")}
        for facet in (name for condition in conditions for name, _ in condition):
            if facet not in worded:
                ways = [f"--{name}" for name in sorted(worded - {""})]
                raise InputError(f"--{facet}: {experiment} cannot ask people that. It has {apart(ways)} alone.")


def _templates(experiment: str, condition: Condition) -> Prompts:
    """The words for people in a condition."""
    texts = {f"{name}.{key}": text for name, facet in FACETS.items() for key, text in facet.texts.items()}
    return prompts_in(condition, experiment, {**texts, **EXPERIMENTS[experiment].people})


def _of_item(experiment: str, item: Item, condition: Condition, templates: Prompts) -> Iterator[Question]:
    module = EXPERIMENTS[experiment]
    marks = {session: f"{BEGIN}{session}{END}" for session in module.asked_names(item)}
    [opened, *without] = prompts_of(
        ReplayedItem(experiment, item, templates, texts)
        for texts in (marks, *({**marks, session: ""} for session in marks))
    )
    for session, prompt in opened.items():
        if not isinstance(prompt, str):
            raise InputError(f"{experiment}: a form has no conversations. Leave it out.")
        needs = [other for other, rest in zip(marks, without, strict=True) if session not in rest]
        ask, _, about = prompt.partition("\n\n")
        facets = touching(condition, experiment, session_kind(session))
        field = module.form_field(item, session, own=not addressed(facets))
        yield Question(
            experiment,
            item.id,
            session,
            dict(facets),
            harmless(ask),
            harmless(about),
            field._replace(options={value: harmless(shown) for value, shown in field.options.items()}),
            needs,
        )


def _round_of(question: Question) -> Round:
    return PREDICT if session_kind(question.session) in EXPERIMENTS[question.experiment].predictions else EXECUTE
