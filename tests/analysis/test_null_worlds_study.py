"""What is kept of the verdicts in the worlds of a second author: the page says what the counts say."""

import csv
import json
import shlex
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import ModuleType

import pytest
from scipy.stats import beta

STUDY = Path(__file__).parents[2] / "studies" / "null_worlds"
PAPER = {"association": 488, "restriction": 450, "order": 250}
FALSE, POWER = 0.05, {"knows 0.3": 0.70, "knows 0.5": 0.90, "knows 1": 0.97, "no norm, all known": 0.90}
TABLE = (
    "simulate.py --judge judge:judge --out verdicts.csv --worlds nulls true --sizes quick 100 200 paper "
    "--models 8 10 15 --table"
)
Cell = tuple[str, str, int, int]


def kept() -> dict[Cell, Counter[str]]:
    """Verdicts by world, shape, models and items."""
    found: dict[Cell, Counter[str]] = defaultdict(Counter)
    with (STUDY / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cell = (row["world"], row["shape"], int(row["models"]), int(row["items"]))
            found[cell].update(json.loads(row["verdicts"]))
    return found


def own(counts: Counter[str]) -> float:
    return counts["own"] / counts.total()


def worlds(group: str) -> list[str]:
    code = f"import json, nulls; print(json.dumps(list(nulls.{group})))"
    found = subprocess.run([sys.executable, "-c", code], cwd=STUDY, capture_output=True, text=True, check=True)
    return list(json.loads(found.stdout))


def upper(counts: Counter[str]) -> float:
    """The upper 95% limit of the share of `own` (Clopper and Pearson 1934)."""
    wrong, panels = counts["own"], counts.total()
    return float(beta.ppf(0.975, wrong + 1, panels - wrong))


def test_in_no_null_world_is_more_than_one_verdict_in_twenty_false() -> None:
    nulls = worlds("NULLS")
    false = {cell: counts for cell, counts in kept().items() if cell[0] in nulls}
    of_the_papers_size = {cell for cell in false if cell[3] == PAPER[cell[1]]}
    for models in (10, 15):
        assert {cell[0] for cell in of_the_papers_size if cell[2] == models} == {*nulls}
    assert max(map(own, false.values())) <= FALSE
    large = [false[cell] for cell in of_the_papers_size if cell[2] in (10, 15)]
    required = [counts for cell, counts in false.items() if cell[3] in (60, PAPER[cell[1]])]  # 8, 10 and 15 models
    assert len(required) == 2 * len(of_the_papers_size)
    assert all(upper(counts) <= 0.07 for counts in required)
    assert {counts.total() for cell, counts in false.items() if cell[3] == PAPER[cell[1]]} == {500}
    panels, wrong = sum(counts.total() for counts in large), sum(counts["own"] for counts in large)
    assert f"Of {panels:,} panels of the null worlds {wrong} are `own`" in (STUDY / "README.md").read_text("utf-8")
    assert all(not counts["own"] for cell, counts in false.items() if cell[2] < 10)


def test_panels_that_know_themselves_are_found_as_often_as_they_have_to_be() -> None:
    found, page = kept(), (STUDY / "README.md").read_text("utf-8")
    for world, least in POWER.items():
        counts = found[world, "association", 10, 200]
        assert counts.total() == 500 and own(counts) >= least, world
        assert f"{own(counts):.3f}".lstrip("0") in page, world


def test_what_is_said_of_panels_of_the_quick_presets_size_is_what_was_counted() -> None:
    found, page, nulls = kept(), (STUDY / "README.md").read_text("utf-8"), worlds("NULLS")
    quick = [counts for cell, counts in found.items() if cell[3] == 60 and cell[0] in nulls]
    assert {counts.total() for counts in quick} == {160}
    panels, wrong = sum(counts.total() for counts in quick), sum(counts["own"] for counts in quick)
    refused = sum(counts["none"] for counts in quick) / panels
    said = f"Of {panels:,} panels of the null worlds {wrong} are `own`, {refused:.2f} of the panels are refused"
    assert said.replace(" 0.", " .") in page
    assert f"the upper 95% limit is {max(map(upper, quick)):.3f}".replace("0.", ".") in page
    for world, verb in (("knows 0.5", " are `own` with words and "), ("knows 1", " and ")):
        words, questions = (own(found[world, shape, 10, 60]) for shape in ("association", "order"))
        assert f"{words:.2f}{verb}{questions:.2f}".replace("0.", ".") in page, world


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(STUDY)
    import rules

    for name in ("simulate", "judge", "nulls", "rules"):  # other studies have modules of these names
        sys.modules.pop(name, None)
    return rules


def test_the_curves_of_the_rules_are_of_the_kept_panels(rules: ModuleType) -> None:
    assert rules.table(rules.stored()) + "\n" == (STUDY / "rules.txt").read_text("utf-8")
    assert rules.CHOSEN[1] == "3 times"
    # at equal power against models that know three tenths of their own part, the chosen rule is the one that errs least
    text = (STUDY / "rules.txt").read_text("utf-8")
    of_ten = text[text.index("10 models; misfit") : text.index("15 models; misfit")].splitlines()
    numbers = [[*map(float, line[34:].split())] for line in of_ten if line.startswith("  ")]
    misfit, crossed, coinciding = numbers[:8], numbers[8:16], numbers[16:]
    forty, knows = 3, 5
    chosen = coinciding[4]
    for former in (misfit, crossed):
        assert min(row[forty] for row in former if row[knows] >= chosen[knows]) > 3 * chosen[forty]


def test_the_table_is_of_the_kept_counts() -> None:
    made = subprocess.run(
        [sys.executable, *shlex.split(TABLE)],
        cwd=STUDY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == (STUDY / "verdicts.txt").read_text("utf-8")
