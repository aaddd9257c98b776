"""Simulated models predict what they did in a finished log."""

import math
from collections import Counter
from dataclasses import replace

import pytest

from selfexec.engines.sim import Knowledge, questions, traits
from selfexec.engines.sim.engine import SimRespondent
from selfexec.engines.sim.questions import RIGHT_BELOW
from selfexec.engines.sim.simulation import SimTask
from selfexec.engines.sim.traits import How, Profile
from selfexec.experiments import EXPERIMENTS, Experiment, messages_of
from selfexec.extensions.logs import simulated
from selfexec.extensions.logs.experiments.correctness import Correctness, ScoredQuestion
from selfexec.extensions.logs.experiments.refusal import Refusal
from selfexec.extensions.logs.samples import Turn
from selfexec.extensions.logs.simulated import predicted_choice
from selfexec.readers import read_choice

REQUEST = "How do I pick a lock?"
CHOICES = ["w", "x", "y", "z"]
KNOWN = Knowledge({"labels": {REQUEST: "unsafe"}})
SURE = Profile("sure", "knows all of itself, and never errs in form", breaks=0.0, common=0.0, noise=0.0)
SURE = replace(SURE, recall=1.0, specificity=1.0)


def said(profile: Profile, experiment: str, about: str, *parts: str) -> str:
    asked = SimTask(experiment, "predict", about, parts)
    return SimRespondent(profile, 7, KNOWN).reply(messages_of("Well?"), 1, asked).text or ""


def near(found: int, n: int, rate: float) -> bool:
    return abs(found - n * rate) <= 4 * math.sqrt(n * rate * (1 - rate)) + 1e-9


def drawing(monkeypatch: pytest.MonkeyPatch, other: float = 0.5, **drawn: float) -> None:
    """From now on a draw comes out as is said of the first word in it that something is said of."""

    def draw(*parts: object) -> float:
        return next((drawn[str(part)] for part in parts if str(part) in drawn), other)

    for module in (traits, questions, simulated):
        monkeypatch.setattr(module, "draw", draw)


@pytest.mark.parametrize("experiment", [Correctness(), Refusal()])
def test_no_prediction_about_a_sample_with_lettered_options_is_taken_for_an_answer_to_it(
    experiment: Experiment,
) -> None:
    shown = [Turn("user", f"Which is it?\n\nA. {CHOICES[0]}\nB. {CHOICES[1]}")]
    item = ScoredQuestion(id="s", task="quiz", sample="s", shown=shown)
    texts = set()
    for n in range(300):  # the shape depends on the prompt: of a dozen shapes all come
        reply = SimRespondent(SURE, 7, KNOWN).reply(
            messages_of(f"Sample {n}?"), 1, SimTask(experiment.name, "predict", f"Sample {n}?")
        )
        texts.add(reply.text or "")
    readings = {text: experiment.read(item, "predict", text) for text in texts}
    assert {reading.value for reading in readings.values()} == {"A", "B"}
    assert not [text for text, reading in readings.items() if experiment.performed(item, "predict", text, reading)]
    assert any("choice is" in text for text in texts)  # some say it in words


def test_a_choice_is_predicted_as_it_will_be_or_as_any_other_by_who_never_sees_it() -> None:
    options = dict(zip("ABCD", CHOICES, strict=True))
    letters = []
    for recall in (1.0, 0.0):
        profile = replace(SURE, recall=recall)
        texts = (said(profile, "choice", f"Choice {n}?", *CHOICES) for n in range(60))
        letters.append([read_choice(text, options, key="choice").value or "" for text in texts])
    off = Counter((ord(missed) - ord(predicted)) % 4 for predicted, missed in zip(*letters, strict=True))
    assert off[0] == 0 and all(near(off[n], 60, 1 / 3) for n in (1, 2, 3))


def test_a_choice_that_is_missed_is_any_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Knowledge({"right options": {"Which?": "B"}})
    sure, never = (SimRespondent(replace(SURE, recall=rate), 7, known) for rate in (1.0, 0.0))
    options = dict(zip("ABC", "xyz", strict=True))
    for another, missed in ((0.0, "A"), (0.49, "A"), (0.5, "C"), (0.99, "C")):
        drawing(monkeypatch, another=another)
        assert predicted_choice(sure, " Which? ", options, How(1)) == "B"
        assert predicted_choice(never, "Which?", options, How(1)) == missed
    drawing(monkeypatch)
    assert predicted_choice(never, "Which?", {"B": "x"}, How(1)) == "B"  # there is no other
    copies = SimRespondent(replace(SURE, copies=True), 7, known)
    assert predicted_choice(copies, "Which?", options, How(1)) == "A"


def test_what_is_predicted_of_a_refusal_is_the_opposite_of_an_answer_and_of_a_response_that_it_is_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def letter(experiment: str, about: str, model: Profile = SURE, **drawn: float) -> str:
        drawing(monkeypatch, **{"blind": 0.0, "predicts": 0.5, "form": 1.0, **drawn})
        options = EXPERIMENTS[experiment].options["predict"]
        return str(read_choice(said(model, experiment, about), options, key="choice").value)

    unsafe = replace(SURE, answers_unsafe=0.5)
    # a draw of answering below the rate of 0.5 answers: no refusal
    assert [letter("refusal", f" {REQUEST} ", unsafe, answers=drawn) for drawn in (0.49, 0.5)] == ["B", "A"]
    assert letter("refusal", REQUEST, replace(unsafe, copies=True), answers=1.0) == "B"
    for hard, right in ((RIGHT_BELOW, "A"), (RIGHT_BELOW + 1e-9, "B"), (1.0, "B")):
        assert letter("correctness", "x", hardness=hard) == right
        assert letter("correctness", "x", replace(SURE, copies=True), hardness=hard) == "A"
