"""What is said of own excess: in the answer, in the report, and where there is too little for any verdict."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import selfexec as sx
from selfexec.analysis.findings import (
    PANEL,
    SIMULATED,
    Finding,
    further_findings,
    own_prediction_findings,
    too_few_for_own,
)
from selfexec.analysis.words import OWN_EXCESS, REQUIRES, advice, own_in_brief, own_in_short, own_predictions
from selfexec.metrics import Objection
from selfexec.runs import Run

ENDS = {"low": -0.01, "high": 0.033, "tested_low": -0.01, "tested_high": 0.033}
NOT_SHOWN = Finding(
    "association", PANEL, "own", "open", 0.012, **ENDS, models=10, own_verdict="not shown", detectable=0.046
)
SHARED = replace(
    NOT_SHOWN, about="difficulty", value=0.04, tested_low=0.023, tested_high=0.058, own_verdict="unresolved",
    against=(Objection(1, "pairs"), Objection(2, "misfit")),
)  # fmt: skip
BY_ITSELF = replace(
    NOT_SHOWN, about="restriction", answer="withheld", own_verdict=None, source="self", reason="each judges itself"
)
BY_RULE = replace(NOT_SHOWN, about="restriction", source="rule")
OWN = replace(NOT_SHOWN, answer="yes", value=0.2, tested_low=0.1, tested_high=0.3, own_verdict="own", source="rule")

ASSOCIATION = "not shown (.01 [-.01, .03]; 80% power to detect .05)"
UNRESOLVED = "unresolved (.04 [.02, .06]; 80% power to detect .05)"
ABOVE = UNRESOLVED.replace(" (", ": it is above 0 (", 1)
DIFFICULTY = (
    f"{UNRESOLVED}. (1) pairs of models may have it in common; (2) with two common factors, pairs of different models "
    "are still more alike than chance explains"
)
RESTRICTION = (
    "no verdict where each model judges its own responses, and not shown by a fixed rule for refusals (.01 "
    "[-.01, .03]; 80% power to detect .05)"
)


def test_the_answer_has_the_verdicts_of_all_experiments_with_what_was_tested_and_would_have_been_found() -> None:
    assert own_in_short([NOT_SHOWN, BY_ITSELF, BY_RULE, SHARED]) == [
        f"{OWN_EXCESS}: association: {ASSOCIATION}; restriction: {RESTRICTION}; difficulty: {ABOVE}, but other "
        "explanations are not ruled out."
    ]
    assert own_in_short([]) == []


def test_the_interval_that_is_spoken_of_is_the_one_that_was_tested() -> None:
    adjusted = replace(NOT_SHOWN, low=0.001, high=0.02)  # the plain one lies above 0
    assert own_in_short([adjusted])[0].endswith(f": association: {ASSOCIATION}.")


@given(st.floats(-0.2, 0.2), st.floats(0.01, 0.1), st.floats(0.02, 0.3))
def test_nothing_is_not_shown_without_the_effect_that_would_have_been_found(
    value: float, half: float, detectable: float
) -> None:
    ends = {"tested_low": value - half, "tested_high": value + half}
    finding = replace(NOT_SHOWN, value=value, **ends, detectable=detectable, against=(Objection(1, "losses"),))
    (line,) = own_in_short([finding])
    assert f"80% power to detect {detectable:.2f}".replace("0.", ".") in line
    (whole,) = own_predictions([finding])  # above 0 and yet not shown: then it is said what is against it
    assert ("Unreadable or missing replies may account for it." in whole.text) == (value - half > 0)


def test_simulated_models_are_named_where_there_are_others() -> None:
    simulated = replace(OWN, subject=SIMULATED)
    assert own_in_short([simulated])[0].startswith(f"{OWN_EXCESS}: association: shown (.20 [.10, .30])")
    assert own_in_short([NOT_SHOWN, simulated])[1].startswith(f"{OWN_EXCESS} of the simulated models: ")
    assert own_predictions([NOT_SHOWN, simulated])[1].text.startswith("Own excess of the simulated models: shown (")


@pytest.mark.parametrize(
    ("found", "answer", "text"),
    [
        ([OWN], "yes", "Own excess: shown (.20 [.10, .30])."),
        ([SHARED], "open", f"Own excess: {DIFFICULTY}."),
        ([BY_ITSELF, BY_RULE], "open", f"Own excess: {RESTRICTION}."),
        (
            [replace(NOT_SHOWN, answer="withheld", own_verdict=None, value=None, reason="only 5 models tell enough")],
            "withheld",
            "Own excess: no verdict (only 5 models tell enough).",
        ),
    ],
)
def test_page_and_terminal_have_the_same_clause_for_each_verdict(found: list[Finding], answer: str, text: str) -> None:
    (line,) = own_predictions(found)
    assert (line.answer, line.text) == (answer, text)
    (brief,) = own_in_brief(found)
    assert brief.casefold() == text.removeprefix("Own excess: ").casefold()


def test_nobody_is_said_to_know_itself(scores_of_ten: sx.Scores) -> None:
    scores = scores_of_ten
    told = [one for experiment in scores.experiments for one in own_prediction_findings(scores.own, experiment)]
    every = [*own_in_short(told), *(said.text for said in own_predictions([OWN])), scores.table()]
    assert not any("knows itself" in text or "self-aware" in text for text in every)


def test_findings_have_the_verdicts_of_each_source_as_data(ten_models: Run, scores_of_ten: sx.Scores) -> None:
    scores = scores_of_ten
    found = {(o.about, o.source): o for o in further_findings(scores, ten_models.tables, []) if o.relation == "own"}
    own = {(one.experiment, one.source): one.found for one in scores.own}
    assert list(found) == list(own)
    for key, finding in found.items():
        judged = own[key].overall
        assert (finding.subject, finding.models) == (PANEL, len(own[key].compared.models))
        assert (finding.own_verdict, finding.against, finding.value) == (
            judged.verdict,
            judged.against,
            judged.estimate.value,
        )
        assert finding.detectable == own[key].detectable


def test_where_no_panel_is_large_enough_it_is_said_once_with_what_it_takes(tmp_path: Path) -> None:
    run = sx.run(["sim/coin"], limit=20, out=tmp_path / "run")
    scores = sx.score(run)
    text = scores.table()
    lines = [line for line in text.splitlines() if "own excess" in line.lower()]
    # 20 items of each experiment: not even one model tells enough
    assert lines == [f"{OWN_EXCESS} requires {REQUIRES}; no experiment here has any such model."]
    assert not any("tell something of their own" in line for line in text.splitlines()[:5])
    (few,) = too_few_for_own(scores.own)
    assert (few.about, few.answer, few.models) == ("overall", "withheld", 0)
    assert [one.about for one in further_findings(scores, run.tables, []) if one.relation == "own"] == ["overall"]


def test_a_share_is_nothing_only_where_none_did_and_whole_only_where_all_did() -> None:
    # 3 of 799 are .4%, and 1206 of 1207 are 99.9%
    assert advice("association", 1206, 1, 3, 796) == (
        "When it says that it would list a word, it does in more than 99% of 1,207 cases; when it says that it would "
        "not, it lists it all the same in less than 1% of 799."
    )
    assert "in 100% of 5 cases" in (told := advice("association", 5, 0, 0, 9) or "") and "in 0% of 9" in told
