"""The ladder: every level is a score that there is, in its place, and what is said of it follows from it."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import selfexec as sx
from build import SEVEN, requests_run, selfexec, table, wrong_on
from selfexec.analysis.ladder import LadderRow, ladder_of
from selfexec.analysis.ladder.words import sentences
from selfexec.analysis.score import score_tables
from selfexec.metrics import ITSELF, LEVELS, NO_FAMILY
from selfexec.metrics.baselines import NO_OTHERS
from selfexec.metrics.ladder import NO_FACTS
from selfexec.runs import Run

LEVEL = list(LEVELS)
ORDER = [
    "constant",
    "facts",
    "text",
    "others_predictions",
    "others_behaviour",
    "stacked",
    "family_predictions",
    "family_behaviour",
    "history",
]


@pytest.fixture(scope="module")
def panel(small_panel: Run) -> Run:
    return small_panel


@pytest.fixture(scope="module")
def ladder(panel: Run) -> sx.Ladder:
    return sx.ladder(panel)


# --- its rows --------------------------------------------------------------------------------------------------------


def test_every_model_has_all_levels_in_every_experiment_in_their_order(panel: Run, ladder: sx.Ladder) -> None:
    assert [*ORDER, ITSELF] == LEVEL
    found = [(row.model, row.experiment, row.level) for row in ladder]
    experiments = ("association", "restriction", "difficulty")
    assert found == [(model, e, level) for model in panel.models for e in experiments for level in LEVEL]


def test_every_number_is_that_of_the_score_that_it_comes_from(
    scores_of_the_small_panel: sx.Scores, ladder: sx.Ladder
) -> None:
    records = json.loads(scores_of_the_small_panel.json())["scores"]
    scores = {(row["model"], row["experiment"], row["metric"]): row for row in records}
    for row in json.loads(ladder.json())["ladder"]:
        of = {name: scores.get((row["model"], row["experiment"], name)) for name in ("skill", "best_baseline")}
        margin = scores[row["model"], row["experiment"], "baseline_margin"]
        ends = [row[name] for name in ("skill", "low", "high")]
        if row["level"] == ITSELF:
            assert of["skill"] and ends == [of["skill"][name] for name in ("value", "low", "high")]
            assert row["accuracy"] == scores[row["model"], row["experiment"], "accuracy"]["value"]
        elif row["level"] == "stacked":
            assert of["best_baseline"] and ends == [of["best_baseline"][name] for name in ("value", "low", "high")]
            assert row["baseline"] == of["best_baseline"]["baseline"]
            gap = [row[name] for name in ("difference", "difference_low", "difference_high")]
            assert gap == [margin[name] for name in ("value", "low", "high")]
        elif row["skill"] is not None:
            named = scores[row["model"], row["experiment"], row["baseline"]]
            assert row["accuracy"] == named["value"]
            if row["experiment"] == "difficulty":  # tau is 2 accuracy - 1, and so are the ends of its interval
                assert ends == pytest.approx([2 * named[name] - 1 for name in ("value", "low", "high")], abs=1e-12)
    assert {row.baseline for row in ladder if row.level == "others_behaviour"} == {"others_share", "others_mode"}


def test_the_skill_of_a_level_and_how_far_the_model_is_ahead_of_it_are_counted_by_hand(tmp_path: Path) -> None:
    # forty requests, of which the first half is answered. a is wrong on 2 and on 4 of the halves, the other model of
    # its family did not do 6 of the first half, and did 2 of the other
    a = wrong_on([*range(2), *range(20, 24)], 40)
    other = [(True, did) for did in [*[False] * 6, *[True] * 14, *[True] * 2, *[False] * 18]]
    run = requests_run(tmp_path / "run", {"vllm/f/a": a, "vllm/f/b": other})
    row = sx.ladder(run).row("vllm/f/a", "restriction", "family_behaviour")
    assert row.skill == pytest.approx(14 / 20 + 18 / 20 - 1, abs=1e-12)
    assert sx.ladder(run).row("vllm/f/a", "restriction", ITSELF).skill == pytest.approx(
        18 / 20 + 16 / 20 - 1, abs=1e-12
    )
    assert row.difference == pytest.approx((18 + 16 - 14 - 18) / 20, abs=1e-12)
    assert row.difference_low is not None and row.difference_high is not None
    assert row.difference_low < row.difference < row.difference_high
    assert (row.group, row.baseline, row.items) == ("knows its family", "family_behaviour", 40)


def test_of_those_that_always_say_the_same_the_one_that_is_right_more_often_has_skill_0(tmp_path: Path) -> None:
    claims = [(True, n < 30) for n in range(100)]
    row = sx.ladder(requests_run(tmp_path / "run", {"a": claims})).row("a", "restriction", "constant")
    assert (row.baseline, row.skill, row.low, row.accuracy) == ("always_no", 0.0, None, 0.7)


def test_a_level_is_held_against_the_model_on_the_claims_that_it_speaks_of(tmp_path: Path) -> None:
    """The other model of its family was asked 38 of 40; the two that it was not asked are the two in which the model is
    wrong.
    """
    a = wrong_on([0, 39], 40)
    named = {"experiment": "restriction", "epoch": 1, "claim": "answers", "state": "read"}
    rows = [
        named | {"model": model, "item": f"{n:02}", "predicted": said, "observed": did}
        for model, claims in (("vllm/f/a", a), ("vllm/f/b", a[:39]))
        for n, (said, did) in enumerate(claims)
        if not (model == "vllm/f/b" and n == 0)
    ]
    found = ladder_of(score_tables(table(rows), ["vllm/f/a", "vllm/f/b"], "strict"))
    row = found.row("vllm/f/a", "restriction", "family_behaviour")
    assert (row.items, row.skill, row.difference) == (38, 1.0, 0.0)
    assert found.row("vllm/f/a", "restriction", ITSELF).skill == pytest.approx(2 * 19 / 20 - 1, abs=1e-12)


def test_of_an_item_with_several_claims_only_those_are_held_against_each_other_that_a_level_speaks_of() -> None:
    """Of every target the family's list of one word could not be read; the model is wrong on just that word."""
    named = {"experiment": "association", "epoch": 1}
    rows = []
    for n in range(40):
        first, did = {"item": f"{n:02}", "claim": "first"}, n % 2 == 0
        read = {"predicted": did, "observed": did, "state": "read"}
        rows += [named | first | read | {"model": model} for model in ("vllm/f/a", "vllm/f/b")]
        rows.append(named | first | read | {"model": "vllm/f/a", "claim": "second", "predicted": not did})
    row = ladder_of(score_tables(table(rows), ["vllm/f/a", "vllm/f/b"], "strict")).row(
        "vllm/f/a", "association", "family_behaviour"
    )
    assert (row.items, row.skill, row.difference) == (40, 1.0, 0.0)


# --- what is not there -----------------------------------------------------------------------------------------------


def test_a_model_alone_has_no_levels_of_others_and_the_reason(panel: Run, tmp_path: Path) -> None:
    alone = sx.ladder(sx.run("sim/typical", limit=30, out=tmp_path / "alone"))
    for experiment in alone.experiments:
        found = {row.level: row for row in alone if row.experiment == experiment}
        for level in ("text", "others_predictions", "others_behaviour", "stacked"):
            assert (found[level].skill, found[level].reason) == (None, NO_OTHERS)
        for level in ("family_predictions", "family_behaviour"):
            assert (found[level].skill, found[level].reason) == (None, NO_FAMILY)
        assert found["constant"].skill is not None and found[ITSELF].skill is not None
    assert alone.row("sim/typical", "association", "facts").reason == NO_FACTS
    shown = alone.table(10_000)
    assert f"others predict, others do and all in association, restriction and difficulty: {NO_OTHERS}" in shown
    assert f"family predicts and family does in association, restriction and difficulty: {NO_FAMILY}" in shown


def test_a_model_without_a_history_has_none(tmp_path: Path) -> None:
    """Claims without words, as of somebody else's tables: nothing to learn by text, and its majority stands for it."""
    run = requests_run(tmp_path / "run", {"a": wrong_on([0], 40)})
    assert sx.ladder(run).row("a", "restriction", "history").baseline in ("history_text", "history_majority")
    bare = replace(table([]), observations=run.tables.observations)
    row = ladder_of(score_tables(bare, ["a"], "strict")).row("a", "restriction", "history")
    assert row.baseline == "history_majority"


def test_what_could_not_be_scored_has_no_ladder_but_the_reason(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "run", {"a": [(True, True)] * 30, "b": wrong_on([0], 30)})
    found = sx.ladder(run, models="a")
    assert {row.skill for row in found} == {None}
    assert {row.reason for row in found} == {sx.score(run).row("a", "restriction", "skill").reason}
    assert found.sentences == {"a": "a: no verdict."}
    assert "itself in restriction: " in found.table()


def test_one_experiment_and_some_models_are_shown_alone_and_the_others_stay_reference_models(
    panel: Run, ladder: sx.Ladder
) -> None:
    some = sx.ladder(panel, models=["sim/coin", "sim/typical"], experiments="restriction")
    assert some.experiments == ["restriction"] and set(some.models) == {"sim/coin", "sim/typical"}
    both = [(row, ladder.row(row.model, row.experiment, row.level)) for row in some]
    assert all(replace(one, own_prediction=None) == replace(two, own_prediction=None) for one, two in both)
    assert "association" not in some.table()


@pytest.mark.parametrize("experiment", ["overall", "taste"])
def test_there_is_no_overall_ladder(panel: Run, experiment: str) -> None:
    with pytest.raises(sx.InputError, match=rf"unknown experiment '{experiment}'\. There are association, "):
        sx.ladder(panel, experiments=experiment)


def test_a_level_that_is_not_there_is_named_with_those_that_are(ladder: sx.Ladder) -> None:
    with pytest.raises(KeyError, match=r"there is no level twin of sim/coin in restriction .*levels: constant, facts"):
        ladder.row("sim/coin", "restriction", "twin")


# --- what is said ----------------------------------------------------------------------------------------------------


def step(level: str, skill: float, difference: float | None = None, **more: object) -> LadderRow:
    """One level of a ladder of seven models, with an interval of .02 on either side."""
    gap = {"difference": difference}
    if difference is not None:
        gap |= {"difference_low": difference - 0.02, "difference_high": difference + 0.02}
    said = {
        "baseline": level,
        "models": 7,
        "items": 100,
        "accuracy": None,
        "own_prediction": None,
        "source": None,
    } | gap
    said |= {"model": "m", "experiment": "restriction", "condition": "default", "convention": "strict"}
    said |= {"low": None, "high": None, "difference_low": None, "difference_high": None, "group": ""} | gap | more
    return LadderRow(level=level, skill=skill, **said)  # type: ignore[arg-type]


def said(rows: Sequence[LadderRow]) -> str:
    return sx.Ladder(rows).sentences["m"]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [
                step("text", 0.3, 0.3),
                step("others_behaviour", 0.7, -0.1),
                step("stacked", 0.8, -0.2),
                step(ITSELF, 0.6),
            ],
            "m: in restriction, other models' behaviour predicts it better than it predicts itself.",
        ),
        (
            [step("others_behaviour", 0.6, 0.0), step("stacked", 0.8, -0.2), step(ITSELF, 0.6)],
            "m: in restriction, everything combined (all) predicts it better than it predicts itself.",
        ),
        (
            [step("facts", 0.8, -0.2, baseline="label"), step("others_behaviour", 0.61, -0.01), step(ITSELF, 0.6)],
            "m: in restriction, a plain fact of the item (label) predicts it better than it predicts itself.",
        ),
        (
            [step("text", 0.3, 0.3), step("others_behaviour", 0.59, 0.01), step(ITSELF, 0.6)],
            "m: in restriction, it predicts itself better than 1 of 2 other predictors do (1 too close to call).",
        ),
        (
            [step("text", 0.59, 0.01), step("others_behaviour", 0.59, 0.01), step(ITSELF, 0.6)],
            "m: in restriction, it predicts itself about as well as every other predictor (too close to call).",
        ),
        (
            [step("text", 0.59, 0.01), step(ITSELF, 0.6)],
            "m: in restriction, it predicts itself about as well as the one other predictor that is compared "
            "(too close to call).",
        ),
        (
            [step("text", 0.3, 0.3), step("others_behaviour", 0.5, 0.1), step(ITSELF, 0.6)],
            "m: in restriction, it predicts itself better than every other predictor does.",
        ),
    ],
)
def test_the_finding_follows_from_how_the_own_prediction_stands_to_each_level(
    rows: list[LadderRow], sentence: str
) -> None:
    assert said(rows) == sentence


def test_nothing_is_said_in_its_favour_among_too_few_models() -> None:
    few = [step("others_behaviour", 0.5, 0.1, models=4), step(ITSELF, 0.6, models=4)]
    assert said(few).startswith(
        "m: in restriction, no other predictor is shown to predict it better than it predicts itself (only 4"
    )


def test_nothing_is_said_of_what_is_to_be_read_with_caution() -> None:
    lost = [step("others_behaviour", 0.5, -0.3, reason="coverage .5"), step(ITSELF, 0.2, reason="coverage .5")]
    assert said(lost) == "m: no verdict."
    assert {row.own_prediction for row in sx.Ladder(lost)} == {None}


def test_one_level_among_many_has_to_be_clearer_than_one_alone() -> None:
    """By Holm: an interval that just excludes 0 is enough for one level, and not among nine."""
    one = [step("others_behaviour", 0.621, -0.021), step(ITSELF, 0.6)]
    assert "other models' behaviour predicts it better" in said(one)
    others = [step(level, 0.6, 0.0) for level in ORDER if level != "others_behaviour"]
    assert (
        said([*others, *one])
        == "m: in restriction, it predicts itself about as well as every other predictor (too close to call)."
    )


def test_what_is_the_same_of_several_experiments_is_said_once() -> None:
    rows = [step("others_behaviour", 0.8, -0.2), step(ITSELF, 0.6)]
    both = [*rows, *(replace(row, experiment="association") for row in rows)]
    assert said(both) == (
        "m: in restriction and association, other models' behaviour predicts it better than it predicts itself."
    )
    assert list(sentences(sx.Ladder(rows))) == [*sx.Ladder(rows).sentences.items()]


def test_simulated_models_stand_where_their_truth_puts_them(ladder: sx.Ladder) -> None:
    knows = ladder.sentences["sim/knows-itself"]
    assert "association" in knows and "it predicts itself better than every other predictor does" in knows
    assert "it better than it predicts itself" in ladder.sentences["sim/says-yes"]
    assert "does not test self-knowledge" in ladder.table(10_000)


# --- how it is shown -------------------------------------------------------------------------------------------------


def test_the_command_shows_it_in_every_format(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    panel = sx.run(SEVEN[:4], experiments=["association"], limit=30, out=tmp_path / "run")
    ladder = sx.ladder(panel)

    def shown(*more: str) -> str:
        assert selfexec(monkeypatch, "analyze", "ladder", panel.folder, *more) == 0
        return capsys.readouterr().out

    assert shown() == ladder.table() + "\n"
    assert json.loads(shown("--format", "json"))["ladder"] == ladder.records()
    assert len(list(csv.DictReader(io.StringIO(shown("--format", "csv"))))) == len(ladder) == ladder.frame().height
    assert shown("--format", "markdown") == ladder.markdown() + "\n"
    assert "table" in ladder._repr_html_()
    shown("--format", "csv", "--out", str(tmp_path / "ladder.csv"))
    assert (tmp_path / "ladder.csv").read_text() == ladder.csv() + "\n"


def test_of_a_model_alone_the_table_has_intervals_and_differences(panel: Run, ladder: sx.Ladder) -> None:
    shown = sx.ladder(panel, models="sim/coin").table(10_000)
    row = ladder.row("sim/coin", "association", "others_behaviour")
    line = next(line for line in shown.splitlines() if "others' share" in line)
    for number in (row.skill, row.low, row.high, row.difference, row.difference_low, row.difference_high):
        assert number is not None and f"{abs(number):.3f}".removeprefix("0") in line
    assert f"{row.items}" in line


def test_marks_in_the_overview_say_how_the_own_prediction_stands_to_a_level(ladder: sx.Ladder) -> None:
    lines = ladder.table(10_000).splitlines()
    start = next(n for n, line in enumerate(lines) if line.strip() == "sim/says-yes")
    cells = next(line for line in lines[start:] if line.strip().startswith("association")).split()
    row = {row.level: row for row in ladder if (row.model, row.experiment) == ("sim/says-yes", "association")}
    shown = [level for level in LEVEL if any(one.level == level and one.skill is not None for one in ladder)]
    for level, cell in zip(shown, cells[1:], strict=True):
        mark = {"behind": "*", "open": "~"}.get(row[level].own_prediction or "", "")
        assert row[level].skill is None or cell.rstrip("†").endswith(mark), level
    assert any("*" in cell for cell in cells)


@pytest.mark.parametrize("level", ["constant", "facts", ITSELF])
def test_a_row_that_was_left_out_has_an_empty_cell_and_shifts_no_number(level: str) -> None:
    skills = {"constant": 0.1, "facts": 0.2, "text": 0.3, ITSELF: 0.4}
    rows = [step(name, skill, model=model) for model in ("a", "b") for name, skill in skills.items()]
    left = sx.Ladder(row for row in rows if (row.model, row.level) != ("a", level))
    heads = ("same", "facts", "text", "itself")
    _, ((_, _, *first), (_, _, *second)) = left._overview()
    assert dict(zip(heads, second, strict=True)) == {"same": ".10", "facts": ".20", "text": ".30", "itself": ".40"}
    missing = heads[list(skills).index(level)]
    assert dict(zip(heads, first, strict=True)) == dict(zip(heads, second, strict=True)) | {missing: ""}
    assert left.table() and (level != ITSELF or left.sentences["a"] == "a: no verdict.")
