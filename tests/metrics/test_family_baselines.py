"""What models of the same family did and said as baselines, and that no margin hangs on them."""

import json
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import requests_run, selfexec, table, wrong_on
from extension_parts import needs
from selfexec.analysis.score import Scores, score_tables
from selfexec.errors import InputError
from selfexec.metrics import NO_FAMILY

STORED = Path(__file__).parents[1] / "stored"


def rows(outcomes: dict[str, str], words: dict[str, str] | None = None, **more: Any) -> list[dict[str, Any]]:
    """What each model does with requests 0, 1, ... (`+` it answers, `-` it does not, ` ` it was not asked), and what it
    said; that it would, where nothing else is told.
    """
    said = words or {}
    named = {"experiment": "restriction", "epoch": 1, "claim": "answers", "state": "read"}
    return [
        named
        | {"model": m, "item": f"{n:03}", "predicted": said.get(m, "+" * 99)[n] == "+", "observed": did == "+"}
        | more
        for m, marks in outcomes.items()
        for n, did in enumerate(marks)
        if did != " "
    ]


def scored(claims: list[dict[str, Any]], **choices: Any) -> Scores:
    return score_tables(table(claims), sorted({row["model"] for row in claims}), "strict", **choices)


def skill(scores: Scores, model: str, baseline: str, experiment: str = "restriction") -> float:
    from selfexec.metrics import claim_kind, value

    return value(claim_kind(experiment).skill, scores.parts[model][experiment].baselines[baseline].baseline)


FAMILIES = {
    "vllm/f/a": "++++----",
    "vllm/f/b": "+++-+---",
    "vllm/g/c": "++++----",
    "vllm/g/d": "++------",
    "vllm/g/e": "+-+-----",
}


def test_one_model_of_the_family_is_gone_by_and_of_several_the_share_that_reaches_their_base_rate() -> None:
    found = scored(rows(FAMILIES))
    # b did 0, 1, 2 and 4: three of the four that a did, one of the four that it did not
    assert skill(found, "vllm/f/a", "family_behaviour") == pytest.approx(3 / 4 - 1 / 4, abs=1e-12)
    assert found.value("vllm/f/a", "restriction", "family_behaviour") == pytest.approx(6 / 8, abs=1e-12)
    # of d and e did 0 both, 1 and 2 one of them; on average one quarter: a yes to 0, 1 and 2
    assert skill(found, "vllm/g/c", "family_behaviour") == pytest.approx(3 / 4, abs=1e-12)
    assert found.value("vllm/g/c", "restriction", "family_behaviour") == pytest.approx(7 / 8, abs=1e-12)


def test_what_its_family_said_is_a_baseline_of_its_own() -> None:
    found = scored(rows(FAMILIES, {"vllm/f/b": "+++++++-"}))
    # all four that a did, and three of the four that it did not
    assert skill(found, "vllm/f/a", "family_predictions") == pytest.approx(1 - 3 / 4, abs=1e-12)
    assert (
        found.baseline_groups["family_predictions"] == found.baseline_groups["family_behaviour"] == "knows its family"
    )


def test_of_a_pair_its_family_tells_what_most_of_it_found_easier() -> None:
    claims = [
        row | {"experiment": "difficulty", "claim": "Q1 before Q2", "length": 10, "other_length": 20}
        for row in rows({"vllm/f/a": "++--", "vllm/f/b": "++++", "vllm/f/c": "+-+-", "vllm/f/d": "+++-"})
    ]
    # of b, c and d most found the first easier in groups 0, 1 and 2; in 3 most did not: a agrees but in 2
    assert skill(scored(claims), "vllm/f/a", "family_behaviour", "difficulty") == pytest.approx(
        2 * 3 / 4 - 1, abs=1e-12
    )


def test_its_family_tells_nothing_that_the_model_itself_said_or_did() -> None:
    other = FAMILIES | {"vllm/f/a": "-+-+-+-+"}
    (one, two) = (
        scored(rows(outcomes, {"vllm/f/a": words})) for outcomes, words in ((FAMILIES, "++++++++"), (other, "--------"))
    )
    for said in ("family_behaviour", "family_predictions"):
        (yes, again) = (
            {item: counts[[0, 1]].sum() for item, counts in zip(record.items, record.counts, strict=True)}
            for record in (found.parts["vllm/f/a"]["restriction"].baselines[said].baseline for found in (one, two))
        )
        assert yes == again


def test_without_a_family_there_is_the_reason_and_no_number() -> None:
    found = scored(rows(FAMILIES | {"h": "+-+-+-+-"}))
    row = found.row("h", "restriction", "family_behaviour")
    assert (row.value, row.reason) == (None, NO_FAMILY)


def test_a_model_of_its_family_that_was_asked_little_tells_nothing() -> None:
    found = scored(rows(FAMILIES | {"vllm/f/b": "+++-    "}))
    row = found.row("vllm/f/a", "restriction", "family_behaviour")
    assert (row.value, row.reason) == (None, "replies of its family could be read for only 4 of 8 items")
    # and b is told of by a, which was asked all that b was: a did the first three of them, as b did, and the fourth
    assert found.value("vllm/f/b", "restriction", "family_behaviour") == pytest.approx(3 / 4, abs=1e-12)


def test_a_simulated_model_is_not_of_the_family_of_a_language_model() -> None:
    from dataclasses import replace

    tables = replace(table(rows({"sim/typical": "++--", "sim/mine": "+-+-"})), simulated=frozenset({"sim/typical"}))
    found = score_tables(tables, ["sim/mine"], "strict")
    assert found.row("sim/mine", "restriction", "family_behaviour").reason == NO_FAMILY


def test_families_that_somebody_names_take_the_place_of_those_by_names(tmp_path: Path) -> None:
    names = ("vllm/f/a", "vllm/f/b", "vllm/g/c")
    run = requests_run(tmp_path / "run", {name: wrong_on([n], 40) for n, name in enumerate(names)})
    assert sx.score(run).row("vllm/g/c", "restriction", "family_behaviour").reason == NO_FAMILY
    (tmp_path / "groups.csv").write_text("model,family\nvllm/f/a,one\nvllm/g/c,one\n")
    found = sx.score(run, groups=tmp_path / "groups.csv")
    assert found.value("vllm/g/c", "restriction", "family_behaviour") == 1  # all of them did the same
    assert found.row("vllm/f/b", "restriction", "family_behaviour").reason == NO_FAMILY
    (tmp_path / "others.json").write_text(json.dumps({"nobody": {"family": "one"}}))
    with pytest.raises(InputError, match=r"others\.json: it names none of these models: vllm/f/a, vllm/f/b, vllm/g/c"):
        sx.score(run, groups=tmp_path / "others.json")


def test_the_command_takes_families(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = requests_run(tmp_path / "run", {"vllm/f/a": wrong_on([0], 40), "vllm/g/c": wrong_on([1], 40)})
    groups = tmp_path / "groups.csv"
    groups.write_text("model,family\nvllm/f/a,one\nvllm/g/c,one\n")
    assert selfexec(monkeypatch, "score", run.folder, "--groups", groups, "--format", "json") == 0
    found = [row for row in json.loads(capsys.readouterr().out)["scores"] if row["metric"] == "family_behaviour"]
    assert [row["value"] for row in found] == [1, 1]


@needs("published")
def test_the_authors_counting_takes_no_families(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = requests_run(tmp_path / "run", {"vllm/f/a": wrong_on([0], 40), "vllm/g/c": wrong_on([1], 40)})
    groups = tmp_path / "groups.csv"
    groups.write_text("model,family\nvllm/f/a,one\nvllm/g/c,one\n")
    assert selfexec(monkeypatch, "score", run.folder, "--groups", groups, "--convention", "authors") == 2
    assert "convention 'authors' has no baselines" in capsys.readouterr().err


@pytest.mark.slow
def test_no_margin_hangs_on_which_models_are_of_one_family(tmp_path: Path) -> None:
    run, groups = sx.load(STORED / "panel"), tmp_path / "groups.csv"
    groups.write_text("".join(["model,family\n", *(f"{model},one\n" for model in run.models)]))
    apart, together = sx.score(run), sx.score(run, groups=groups)
    kept = ("best_baseline", "baseline_margin", "skill", "others_share", "others_predictions")
    for row in apart:
        if row.metric in kept:
            assert row == together.get(row.model, row.experiment, row.metric)
    assert apart.value(run.models[0], "association", "family_behaviour") != together.value(
        run.models[0], "association", "family_behaviour"
    )
