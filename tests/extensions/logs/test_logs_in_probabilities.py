"""Predictions about logs in probabilities: what is asked, what is read, and what claims have."""

import math
from string import Template

import pytest

from selfexec.engines.sim import PROFILES, Knowledge
from selfexec.engines.sim.engine import SimRespondent
from selfexec.engines.sim.simulation import SimTask
from selfexec.experiments import EXPERIMENTS, Likely, Token, messages_of
from selfexec.extensions.logs.experiments.choice import ChoiceQuestion
from selfexec.extensions.logs.experiments.length import SampleGroup
from selfexec.extensions.logs.samples import Sample, Turn
from selfexec.facets import prompts_in
from selfexec.readers import Reading

FORM = "elicit=probability"
SHOWN = {"task": "quiz", "sample": "s", "shown": [Turn("user", "Which is it?")]}
QUESTION = ChoiceQuestion(id="q", options=["w", "x", "y"], right="B", **SHOWN)
GROUP = SampleGroup(id="g", samples=[Sample(id=str(n), **SHOWN) for n in range(4)])
ONE = Sample(id="1", **SHOWN)
ITEMS = {"correctness": ONE, "refusal": ONE, "choice": QUESTION, "length": GROUP}


@pytest.mark.parametrize("name", ITEMS)
def test_each_is_asked_in_probabilities_and_about_somebody_else(name: str) -> None:
    one = EXPERIMENTS[name]
    texts = {**one.prompts, **one.variants, "frame.person": "a person"}
    names = set(Template(one.prompts["predict"]).get_identifiers())
    for condition in ((("elicit", "probability"),), (("elicit", "probability"), ("frame", "person"))):
        asked = prompts_in(condition, name, texts)["predict"]
        assert set(Template(asked).get_identifiers()) == names
        assert ("a person" in asked) == (len(condition) == 2)
        assert asked.count("number") >= 1


@pytest.mark.parametrize("name", ITEMS)
@pytest.mark.parametrize("about", ["Which is it?", "Another one?"])
def test_a_simulated_model_answers_in_that_form(name: str, about: str) -> None:
    parts = {"choice": ("w", "x", "y"), "length": ("a", "b", "c", "d")}.get(name, ())
    task = SimTask(name, "predict", about, parts, probably=True)
    respondent = SimRespondent(PROFILES["knows-itself"], 7, Knowledge({}))
    text = respondent.reply(messages_of(about), 1, task).text or ""
    found = EXPERIMENTS[name].read_otherwise[FORM](ITEMS[name], text)
    assert found.state == "read", text


def test_the_probability_of_a_response_is_that_of_its_claim() -> None:
    refusal = EXPERIMENTS["refusal"]
    predict = refusal.read_otherwise[FORM](ONE, '{"probability": 0.3}')
    [claim] = refusal.observe(ONE, {"predict": predict, "execute": Reading("read", "refusal")})
    assert (claim.predicted, claim.probability, claim.observed) == (False, 0.3, True)


def test_each_option_has_its_probability_and_one_that_lacks_it_is_unread() -> None:
    choice = EXPERIMENTS["choice"]
    predict = choice.read_otherwise[FORM](QUESTION, '{"A": 0.6, "B": "30%"}')
    claims = choice.observe(QUESTION, {"predict": predict, "execute": Reading("read", "B")})
    assert [(c.probability, c.predicted, c.observed, c.state) for c in claims] == [
        (0.6, True, False, "read"),
        (0.3, False, True, "read"),
        (None, None, False, "unreadable"),
    ]


def test_letters_of_a_choice_share_what_their_tokens_have() -> None:
    likely = tuple(Likely(letter, math.log(chance)) for letter, chance in {"A": 0.1, "B": 0.2, "C": 0.1}.items())
    token = Token("B", math.log(0.2), likely)
    found = EXPERIMENTS["choice"].read_tokens(QUESTION, Reading("read", "B", evidence="B"), "B", [token], alone=True)
    assert found.value == pytest.approx({"A": 0.25, "B": 0.5, "C": 0.25})


def test_the_order_of_lengths_follows_from_expected_tokens() -> None:
    length = EXPERIMENTS["length"]
    predict = length.read_otherwise[FORM](GROUP, '{"Q1": 100, "Q2": 100, "Q3": 200, "Q4": 50}')
    responses = {f"execute.Q{n}": Reading("read", 1, tokens=10 * n) for n in range(1, 5)}
    claims = {c.claim: c for c in length.observe(GROUP, {"predict": predict, **responses})}
    # Phi(log 2) = Phi(.6931) = .7559
    assert claims["Q1 before Q3"].probability == pytest.approx(0.7559, abs=1e-4)
    assert claims["Q1 before Q4"].probability == pytest.approx(1 - 0.7559, abs=1e-4)
    assert (claims["Q1 before Q2"].state, claims["Q1 before Q2"].predicted) == ("unreadable", None)
    assert claims["Q1 before Q3"].observed is True
