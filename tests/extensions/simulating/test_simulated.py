"""Simulated respondents write replies of which just what they decided is true, and say what they predict."""

from itertools import product
from typing import Any

import pytest
from annie import EXPERIMENT

import selfexec as sx
from selfexec.engines.sim import Knowledge, shapes
from selfexec.engines.sim.engine import SimRespondent, named
from selfexec.engines.sim.traits import PROFILES
from selfexec.experiments import messages_of
from selfexec.extensions.simulating.experiment import PROMPTS, true_of
from selfexec.extensions.simulating.simulated import reply_with, value_of
from selfexec.items import load

ITEMS: list[Any] = [*load("starter")[EXPERIMENT.name].values()]
SHAPES = (0.0, 0.2, 0.4, 0.6, 0.75, 0.9)  # one of each in which simulated models put a map


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_a_reply_has_just_the_properties_that_were_decided_and_a_prediction_says_them(item: Any) -> None:
    given = item.properties.by_name()
    for decided in product([True, False], repeat=len(given)):
        true = dict(zip(given, decided, strict=True))
        assert true_of(item, EXPERIMENT.read(item, "execute.1", reply_with(given, true))) == true
    for decided in (True, False):
        true = dict.fromkeys(given, decided)
        values: Any = {name: value_of(name, given[name], decided) for name in given}
        for shape in SHAPES:
            assert true_of(item, EXPERIMENT.read(item, "predict", shapes.marks(values, shape))) == true


def test_two_executions_of_a_prompt_differ_as_two_epochs_do() -> None:
    known = Knowledge.of(load("starter"))

    def said(session: str, epoch: int, profile: str = "typical") -> list[str | None]:
        one = SimRespondent(PROFILES[profile], 7, known)
        return [
            one.reply(messages_of(i.prompt), epoch, named(EXPERIMENT.name, i, session, PROMPTS["execute"])).text
            for i in ITEMS
        ]

    first, second, later = said("execute.1", 1), said("execute.2", 1), said("execute.1", 2)
    assert first == said("execute.1", 1)
    # of five claims each is drawn anew in one execution in ten, and half of these come out otherwise: about 2/5
    assert all(
        0.2 < sum(a != b for a, b in zip(first, rest, strict=True)) / len(ITEMS) < 0.6 for rest in (second, later)
    )


def test_a_check_of_a_simulated_model_says_nothing_of_a_server() -> None:
    notes = sx.check("sim/solves", experiments=EXPERIMENT.name).notes
    assert not [note for note in notes if note.startswith("warning: ")]
