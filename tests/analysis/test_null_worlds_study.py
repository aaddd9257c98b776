"""What is kept of the verdicts in the worlds of a second author: the page says what the counts say."""

import csv
import json
import shlex
import subprocess
import sys
from pathlib import Path

STUDY = Path(__file__).parents[2] / "studies" / "null_worlds"
EXCEPTED = "corpora"  # said on the page: sharing too thin to be seen among few models
SIZES = (8, 10, 15)
TABLE = "simulate.py --judge judge:judge --out verdicts.csv --worlds nulls true --sizes paper --table"


def own() -> dict[tuple[str, str, int], float]:
    """(world, shape, models) -> share of panels that are `own`."""
    with (STUDY / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["panels"] for row in rows} == {"200"}
    return {
        (row["world"], row["shape"], int(row["models"])): json.loads(row["verdicts"]).get("own", 0) / 200
        for row in rows
    }


def worlds(group: str) -> list[str]:
    code = f"import json, nulls; print(json.dumps(list(nulls.{group})))"
    found = subprocess.run([sys.executable, "-c", code], cwd=STUDY, capture_output=True, text=True, check=True)
    return list(json.loads(found.stdout))


def test_in_all_null_worlds_but_the_one_that_the_page_names_few_verdicts_are_false() -> None:
    shares, page = own(), (STUDY / "README.md").read_text("utf-8")
    nulls = worlds("NULLS")
    false = {key: share for key, share in shares.items() if key[0] in nulls}
    assert {key[0] for key in false} == {*nulls} and {key[2] for key in false} == {*SIZES}
    assert f"{len(nulls) - 1} of the {len(nulls)} null worlds" in page
    assert max(share for key, share in false.items() if key[0] != EXCEPTED) == 0.015
    assert "at most .015 of the panels" in page
    of_it = {
        size: [false[EXCEPTED, shape, size] for shape in ("association", "order", "restriction")] for size in SIZES
    }
    assert of_it == {8: [0.065, 0.085, 0.21], 10: [0.0, 0.01, 0.1], 15: [0.0, 0.0, 0.0]}
    assert ".065, .085 and .21 of 8 models" in page and "0, .01 and .10 of 10, and none of 15" in page


def test_panels_that_know_themselves_are_found_as_often_as_the_page_says() -> None:
    shares, page = own(), (STUDY / "README.md").read_text("utf-8")

    def span(*names: str) -> tuple[float, float]:
        found = [share for key, share in shares.items() if key[0] in names]
        return min(found), max(found)

    assert span("knows 0.5", "knows 1") == (0.915, 1.0) and ".915 to 1.00" in page
    assert span("knows 0.3") == (0.805, 1.0) and ".805 to 1.00" in page
    assert span("no norm, all known") == (0.995, 1.0) and ".995 to 1.00" in page
    # one that knows itself is no property of the panel
    assert span("one knows", "one knows .5") == (0.0, 0.01)


def test_the_table_is_of_the_kept_counts() -> None:
    made = subprocess.run(
        [sys.executable, *shlex.split(TABLE)],
        cwd=STUDY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == (STUDY / "verdicts.txt").read_text("utf-8")
