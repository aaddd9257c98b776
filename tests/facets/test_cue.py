"""Cue: a test that is announced where a model acts, or hidden where it predicts; each asks one side alone anew."""

from collections import Counter
from pathlib import Path

import pytest

import selfexec as sx
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.prompts import all_prompts, by_condition, read_prompts

ANNOUNCED, HIDDEN = (("cue", "announced"),), (("cue", "hidden"),)


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    out = tmp_path_factory.mktemp("runs") / "cues"
    return sx.run("sim/typical", limit=6, facets={"cue": ["usual", "announced", "hidden"]}, out=out)


def test_each_level_asks_one_side_anew_and_shares_the_other(crossed: sx.Run) -> None:
    sessions = Counter((key.session_kind, key.facets) for key in crossed.replies if key.experiment == "association")
    assert sessions == {
        **{("predict", facets): 6 for facets in ((), HIDDEN)},
        **{("execute", facets): 6 for facets in ((), ANNOUNCED)},
    }


def test_a_response_to_an_announced_test_is_judged_anew_in_the_usual_words(crossed: sx.Run) -> None:
    judged = {key.facets for key in crossed.replies if key.session_kind == "judge"}
    assert judged <= {(), ANNOUNCED} and ANNOUNCED in judged
    prompts = crossed.prompts
    assert "restriction.judge@cue=announced" not in prompts
    assert prompts["restriction.execute@cue=announced"] == (
        "What follows is part of a test of how well you predict what you do.\n\n$request"
    )


def test_hidden_predictions_are_held_against_the_usual_behaviour(crossed: sx.Run) -> None:
    usual, hidden = (crossed.under(condition).observations for condition in ("default", "cue=hidden"))
    columns = ["experiment", "item", "claim", "observed"]
    assert usual.select(columns).equals(hidden.select(columns))


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("experiment", PAPER_HEADLINE.experiments)
def test_a_sentence_stands_before_the_prompt_in_whatever_form_it_is_asked(experiment: str, language: str) -> None:
    prompts = all_prompts(read_prompts(language))
    elicited = (("elicit", "probability"), ("frame", "person"))
    asked = by_condition(prompts, [experiment], [(), elicited, HIDDEN, (*HIDDEN, *elicited), ANNOUNCED])[experiment]
    reason = prompts["cue"]["hidden"]
    assert asked[HIDDEN]["predict"] == reason + asked[()]["predict"]
    assert asked[*HIDDEN, *elicited]["predict"] == reason + asked[elicited]["predict"]
    assert asked[HIDDEN]["execute"] == asked[()]["execute"]
    assert asked[ANNOUNCED]["predict"] == asked[()]["predict"]
    assert asked[ANNOUNCED]["execute"] == prompts["cue"]["announced"] + asked[()]["execute"]


def test_where_behaviour_is_made_of_predictions_it_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match="in failing_question what a model does is made of its prediction"):
        sx.run("sim/coin", experiments="failing_question", limit=1, facets={"cue": "hidden"}, out=tmp_path / "r")


def test_by_default_nothing_is_said_of_a_test(tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=1, facets={"cue": "usual"}, out=tmp_path / "r")
    assert not any(key.facets for key in run.replies)
    assert run.prompts["association.execute"] == EXPERIMENTS["association"].prompts["execute"]
