"""Observations as arrays say what the table says."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import selfexec as sx
from build import pair, request, table
from selfexec.claims import STATES, Claims
from selfexec.runs import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    models = ["sim/typical", "sim/breaks-format", "sim/declines"]
    return sx.run(models, limit=30, epochs=2, out=tmp_path_factory.mktemp("runs") / "r")


def said_again(claims: Claims) -> list[dict[str, Any]]:
    """The rows of the table, from the arrays."""

    def name(names: tuple[str, ...], number: int) -> str | None:
        return names[number] if number >= 0 else None

    sign = {1: True, -1: False, 0: None}
    return [
        {
            "model": name(claims.models, claims.model[n]),
            "experiment": claims.experiment,
            "item": name(claims.items, claims.item[n]),
            "epoch": claims.epoch[n],
            "claim": name(claims.claim_names, claims.claim_name[n]),
            "predicted": sign[int(claims.predicted[n])],
            "probability": None if np.isnan(claims.probability[n]) else claims.probability[n],
            "observed": sign[int(claims.observed[n])],
            "source": claims.source,
            "state": STATES[claims.state[n]],
            "label": name(claims.labels, claims.label[n]),
            "subject": name(claims.subjects, claims.subject[n]),
            "length": None if np.isnan(claims.length[n]) else claims.length[n],
            "other_subject": name(claims.subjects, claims.other_subject[n]),
            "other_length": None if np.isnan(claims.other_length[n]) else claims.other_length[n],
        }
        for n in range(len(claims))
    ]


@pytest.mark.parametrize("experiment", ["association", "restriction", "difficulty"])
def test_arrays_hold_the_whole_table_in_its_order(run: Run, experiment: str) -> None:
    rows = run.observations.filter(pl.col("experiment") == experiment).drop("condition", "reason", "basis")
    assert said_again(run.tables.claims[experiment]) == rows.to_dicts()


def test_a_claim_has_one_place_for_all_models_and_epochs(run: Run) -> None:
    claims = run.tables.claims["difficulty"]
    places = {(claims.item[n], claims.claim_name[n], claims.claim_id[n]) for n in range(len(claims))}
    assert len(places) == claims.claim_ids == 6 * len(claims.items)
    assert sorted(place for *_, place in places) == list(range(claims.claim_ids))


def test_parts_are_those_of_the_table(run: Run) -> None:
    claims = run.tables.claims["restriction"]
    rows = run.observations.filter(pl.col("experiment") == "restriction")
    mine = rows.filter(pl.col("model") == "sim/declines")
    assert len(claims.of("sim/declines")) == len(mine)
    assert len(claims.of("nobody")) == 0
    others = claims.where(claims.among({"sim/typical", "sim/breaks-format"})[claims.model])
    rest = rows.filter(pl.col("model") != "sim/declines")
    assert said_again(others) == rest.drop("condition", "reason", "basis").to_dicts()
    sums = dict(zip(claims.items, claims.by_item(claims.predicted > 0), strict=True))
    assert sums == dict(rows.group_by("item").agg(pl.col("predicted").sum()).iter_rows())


def test_answers_are_those_of_the_sessions(run: Run) -> None:
    answers = run.tables.answers["difficulty"]["sim/breaks-format"]
    rows = run.sessions.filter((pl.col("model") == "sim/breaks-format") & pl.col("session").str.starts_with("execute."))
    assert answers.by_item(answers.correct).sum(0).tolist() == [rows["correct"].sum(), rows["correct"].count()]
    assert answers.by_item(answers.tokens).sum(0).tolist() == [
        rows["output_tokens"].sum(),
        rows["output_tokens"].count(),
    ]


def test_what_is_not_known_of_a_claim_is_no_name() -> None:
    claims = table([request(1, None, None, "missing"), pair(1, True, None, "tie")]).claims
    assert claims["restriction"].labels == () and claims["restriction"].label.tolist() == [-1]
    assert np.isnan(claims["restriction"].length).all()
    assert claims["difficulty"].read_or_tied.tolist() == [True] and claims["restriction"].lost.tolist() == [True]


def test_a_run_without_an_experiment_has_no_claims_of_it(tmp_path: Path) -> None:
    found = sx.run(["sim/coin"], experiments=["restriction"], preset="quick", out=tmp_path / "r")
    assert list(found.tables.claims) == ["restriction"]
    assert found.tables.answers == {}
