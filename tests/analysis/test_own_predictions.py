"""What is said of own excess: in the answer, in the report, and where there is too little for any verdict."""

from dataclasses import replace
from pathlib import Path

import pytest

import selfexec as sx
from selfexec.analysis.findings import PANEL, SIMULATED, Finding, findings, own_prediction_findings, too_few_for_own
from selfexec.analysis.words import advice, own_in_brief, own_in_short, own_predictions
from selfexec.runs import Run

NOT_SHOWN = Finding("association", PANEL, "own", "open", 0.012, -0.01, 0.033, panel=10, verdict="not shown")
SHARED = replace(NOT_SHOWN, about="difficulty", value=0.04, low=0.023, high=0.058, verdict="unresolved")
BY_ITSELF = replace(
    NOT_SHOWN, about="restriction", tone="withheld", verdict=None, source="self", reason="each judges itself"
)
BY_RULE = replace(NOT_SHOWN, about="restriction", source="rule")
OWN = replace(NOT_SHOWN, tone="yes", value=0.2, low=0.1, high=0.3, verdict="own", source="rule")

OF_ITSELF = "tell something of their own behaviour that nobody else's predictions or behaviour tell"


def test_the_answer_has_the_verdicts_of_all_experiments_in_one_sentence() -> None:
    assert own_in_short([NOT_SHOWN, BY_ITSELF, BY_RULE, SHARED]) == [
        f"Do their predictions {OF_ITSELF}? In difficulty, more than all models share (a kind or family of models may "
        "share it); in association, not shown; in restriction, when one fixed rule judges what they did, not shown (no "
        "verdict when each model judges itself)."
    ]
    alike = [NOT_SHOWN, replace(NOT_SHOWN, about="difficulty")]
    assert own_in_short(alike)[0].endswith("? In association and difficulty, not shown.")
    assert own_in_short([]) == []


def test_what_is_not_shown_stands_beside_what_runs_like_it_would_find() -> None:
    blind = replace(NOT_SHOWN, detectable=0.046)
    assert own_in_short([blind, replace(SHARED, detectable=0.02)])[0].endswith(
        "? In difficulty, more than all models share (a kind or family of models may share it); in association, not "
        "shown (a true value of .05 would show in 4 of 5 such runs)."
    )
    (said,) = own_predictions([blind])
    assert said.text.endswith("(own excess .01 [-.01, .03]; a true value of .05 would show in 4 of 5 such runs).")
    # it was large enough, and something else keeps the verdict
    lost = replace(blind, low=0.002, against=("1:losses",))
    assert "would show" not in own_in_short([lost])[0] + own_predictions([lost])[0].text


def test_simulated_models_are_named_where_there_are_others() -> None:
    simulated = replace(OWN, subject=SIMULATED)
    assert own_in_short([simulated])[0].startswith("Do their predictions")
    assert own_in_short([NOT_SHOWN, simulated])[1].startswith("Do the predictions of the simulated models tell")
    assert own_predictions([NOT_SHOWN, simulated])[1].text.startswith("The simulated models' predictions tell")


@pytest.mark.parametrize(
    ("found", "tone", "text"),
    [
        ([OWN], "yes", f"Their predictions {OF_ITSELF} (own excess .20 [.10, .30])."),
        (
            [OWN, replace(OWN, subject="a", value=0.4, low=0.3, high=0.5)],
            "yes",
            f"Their predictions {OF_ITSELF} (own excess .20 [.10, .30]). Of single models it is shown of a, .40 [.30, "
            ".50].",
        ),
        (
            [SHARED],
            "open",
            "Their predictions tell more of their own behaviour than all models share; whether that is each one's own, "
            "or a kind's, a family's or a cohort's, cannot be told (own excess .04 [.02, .06]).",
        ),
        (
            [BY_ITSELF, BY_RULE],
            "open",
            f"When one fixed rule judges what they did, it is not shown that their predictions {OF_ITSELF} (own excess "
            ".01 [-.01, .03]). When each model judges itself there is no verdict.",
        ),
        (
            [replace(OWN, tone="open", verdict="not shown", against=("1:losses",))],
            "open",
            f"It is not shown that their predictions {OF_ITSELF} (own excess .20 [.10, .30]: what was lost may "
            "account for it).",
        ),
        (
            [replace(NOT_SHOWN, tone="withheld", verdict=None, value=None, reason="only 5 models tell enough")],
            "withheld",
            f"Nothing can be said of whether their predictions {OF_ITSELF}: only 5 models tell enough.",
        ),
    ],
)
def test_the_report_has_a_sentence_for_each_verdict(found: list[Finding], tone: str, text: str) -> None:
    (said,) = own_predictions(found)
    assert (said.tone, said.text) == (tone, text)


def test_of_many_single_models_the_best_are_named_and_the_others_counted() -> None:
    single = [replace(OWN, subject=f"m{n}", value=0.1 * n, low=0.1, high=0.9) for n in (1, 5, 2, 4, 3)]
    (said,) = own_predictions([OWN, *single])
    assert said.text.endswith("it is shown of m5, .50 [.10, .90]; m4, .40 [.10, .90]; m3, .30 [.10, .90], and 2 more.")
    (brief,) = own_in_brief([OWN, *single])
    assert brief.endswith("Of single models it is shown of m5, m4, m3 and 2 more.")


def test_nobody_is_said_to_know_itself(scores_of_ten: sx.Scores) -> None:
    scores = scores_of_ten
    told = [one for experiment in scores.experiments for one in own_prediction_findings(scores.own, experiment)]
    every = [*own_in_short(told), *(said.text for said in own_predictions([OWN])), scores.table()]
    assert not any("knows itself" in text or "self-aware" in text for text in every)


def test_findings_have_the_verdicts_of_each_source_as_data(ten_models: Run, scores_of_ten: sx.Scores) -> None:
    scores = scores_of_ten
    found = {(o.about, o.source): o for o in findings(scores, ten_models.tables, []) if o.relation == "own"}
    own = {(one.experiment, one.source): one.found for one in scores.own}
    assert list(found) == list(own)
    for key, finding in found.items():
        judged = own[key].panel
        assert (finding.subject, finding.panel) == (PANEL, len(own[key].of.models))
        assert (finding.verdict, finding.against, finding.value) == (
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
    assert lines == [
        "Own excess (what a model's prediction tells of its own behaviour, and nobody else's prediction or behaviour "
        "tells) takes 6 models read on 60 items each, 20 of them with the rarer outcome and as many with the rarer "
        "prediction; none is here."
    ]
    assert not any("tell something of their own" in line for line in text.splitlines()[:5])
    (few,) = too_few_for_own(scores.own)
    assert (few.about, few.tone, few.panel) == ("overall", "withheld", 0)
    assert [one.about for one in findings(scores, run.tables, []) if one.relation == "own"] == ["overall"]


def test_a_share_is_nothing_only_where_none_did_and_whole_only_where_all_did() -> None:
    # 3 of 799 are .4%, and 1206 of 1207 are 99.9%
    assert advice("association", 1206, 1, 3, 796) == (
        "When it says that it would list a word, it does in more than 99% of 1,207 cases; when it says that it would "
        "not, it lists it all the same in less than 1% of 799."
    )
    assert "in 100% of 5 cases" in (told := advice("association", 5, 0, 0, 9) or "") and "in 0% of 9" in told
