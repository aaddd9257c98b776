"""Every result says the same on a terminal, in a notebook and in Markdown, whatever the models are called."""

import csv
import html
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import selfexec as sx
from extension_parts import needs
from selfexec.analysis.correlate import correlations
from selfexec.analysis.score import Scores
from selfexec.runs import Run
from selfexec.text.tables import as_markdown

HOSTILE = 'a|b\\ <script>alert("x")</script> & c'


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Simulated models, of which one has a hostile name and one cannot keep to a format."""
    folder = tmp_path_factory.mktemp("runs")
    models = ["sim/typical", "sim/coin", "sim/knows-itself", "sim/breaks-format", "sim/knows-models"]
    sx.run(models, limit=12, out=folder / "made")
    replies = (folder / "made" / "replies.jsonl").read_text("utf-8").replace('"sim/coin"', json.dumps(HOSTILE))
    (folder / "replies.jsonl").write_text(replies, "utf-8")
    return sx.import_replies(folder / "replies.jsonl", items=folder / "made" / "items", out=folder / "run")


def correlated(panel: Run, folder: Path) -> Any:
    hostile = HOSTILE.replace('"', '""')
    lines = ["model,a <b>,few", "sim/typical,1,1", f'"{hostile}",2,2', "sim/knows-itself,3,", "sim/breaks-format,5,"]
    (folder / "t.csv").write_text("\n".join(lines))
    return correlations([panel.folder], [folder / "t.csv"])


def contrasted(panel: Run, folder: Path) -> Any:
    (folder / "tags.json").write_text(json.dumps({HOSTILE: {"<kind>": 1}, "sim/typical": {"<kind>": 2}}))
    gates = ["overall.skill drops 0.02"]
    return sx.compare(panel, models=["sim/typical", HOSTILE], tags=folder / "tags.json", fail_if=gates, precision=0.02)


def fitted(panel: Run, folder: Path) -> Any:
    from selfexec.extensions.rasch.rates import RateTable

    rates = np.array([[0.9, 0.5, 0.6], [0.7, np.nan, 0.5], [0.4, 0.2, 0.4]])
    return sx.rasch(RateTable((HOSTILE, "b", "c"), ("easy", "<i>hard</i>", "odd"), rates), jackknife=True)


RESULTS: dict[str, Callable[[Run, Path], Any]] = {
    "score": lambda panel, _: sx.score(panel),
    "compare": lambda panel, _: sx.compare(panel, metrics=["skill", "baseline_margin"]),
    "compare two": contrasted,
    "trend": lambda panel, _: sx.trend(panel),
    "cross": lambda panel, _: sx.cross_prediction(panel),
    "ladder": lambda panel, _: sx.ladder(panel),
    "ladder of one": lambda panel, _: sx.ladder(panel, models=HOSTILE),
    "ledger": lambda panel, _: sx.ledger(panel),
    "correlate": correlated,
    "rasch": fitted,
    "check": lambda *_: sx.check("sim/typical"),
}
EXTENSIONS = {"card": "card", "ledger": "published", "rasch": "rasch"}  # whose results these are


def results(*names: str) -> pytest.MarkDecorator:
    """A test with each of these results, as far as it can be had here."""
    marks = {name: needs(extension) for name, extension in EXTENSIONS.items()}
    return pytest.mark.parametrize("name", [pytest.param(one, marks=marks.get(one, ())) for one in names])


@pytest.fixture(scope="module")
def made(panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Each of the results, made when it is first wanted."""
    return cache(lambda name: RESULTS[name](panel, tmp_path_factory.mktemp("made")))


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\s─]+", text))


@results(*RESULTS)
@pytest.mark.slow
def test_a_notebook_says_all_that_a_terminal_says(made: Callable[[str], Any], name: str) -> None:
    found = made(name)
    on_a_terminal = words(found.table(width=10_000))
    in_a_notebook = words(html.unescape(re.sub(r"<[^>]+>", " ", found._repr_html_())))
    assert on_a_terminal - in_a_notebook == Counter()
    assert "<script>" not in found._repr_html_() and "<b>" not in found._repr_html_()
    shown = {"check": "", "correlate": "<b>"}.get(name, '<script>alert("x")</script>')
    assert not shown or shown in in_a_notebook


@pytest.mark.slow
def test_what_was_lost_on_the_way_to_the_notebook_is_there(panel: Run, tmp_path: Path) -> None:
    correlations = correlated(panel, tmp_path)._repr_html_()
    assert "not in the table: sim/knows-models" in correlations
    assert "eligible: models whose headline is not withheld" in correlations
    assert "only 2 pairs, fewer than 4" in correlations


@pytest.mark.slow
@needs("published", "rasch")
def test_both_tables_of_a_ledger_and_of_a_scale_are_in_the_notebook(panel: Run, tmp_path: Path) -> None:
    ledger = sx.ledger(panel)._repr_html_()
    assert "<caption>One number, three conventions</caption>" in ledger
    assert "<caption>If one choice of ours were otherwise</caption>" in ledger
    assert fitted(panel, tmp_path)._repr_html_().count("<table>") == 2


# --- in Markdown -----------------------------------------------------------------------------------------------------

CELL = re.compile(r"((?:\\.|[^|\\])*)\|")  # of GitHub's tables: what a backslash stands before ends no cell


def cells(row: str) -> list[str]:
    """The cells of a row as they are shown."""
    assert row.startswith("|") and row.endswith("|")
    return [html.unescape(re.sub(r"\\(.)", r"\1", cell)).strip() for cell in CELL.findall(row[1:])]


@results(*sorted(RESULTS.keys() - {"check"}), "card")
@pytest.mark.slow
def test_no_name_breaks_a_table_in_markdown(panel: Run, made: Callable[[str], Any], name: str) -> None:
    page = (sx.card(panel) if name == "card" else made(name)).markdown()
    page = re.sub(r"(?s)\A---\n.*?\n---\n", "", page)  # what a card begins with is YAML, not Markdown
    assert re.findall(r"<(?!br>|\.\d)", page) == []
    found: list[str] = []
    for table in re.findall(r"(?m)(?:^\|.*\n?)+", page):
        header, rule, *rows = table.splitlines()
        assert set(cells(rule)) == {"---"}
        assert {len(cells(row)) for row in rows} == {len(cells(header))}
        found += [cell for row in rows for cell in cells(row)]
    # the columns of `correlate` have names of their own; two that are compared, and a model alone, stand in the title
    name_in_a_cell = {"correlate": "a <b>", "compare two": "", "ladder of one": ""}.get(name, HOSTILE)
    assert any(cell.endswith(name_in_a_cell) for cell in found)


@results("score", "ladder", "ledger", "correlate")
def test_a_result_of_rows_has_a_line_of_csv_and_a_row_of_its_frame_for_each(
    made: Callable[[str], Any], name: str
) -> None:
    found = made(name)
    header, *lines = csv.reader(io.StringIO(found.csv()))
    assert header == list(found.records()[0]) == found.frame().columns
    assert len(lines) == len(found) == len(found.records()) == found.frame().height > 0


def test_a_result_without_rows_still_names_its_columns() -> None:
    assert Scores([]).csv().split(",")[:3] == ["model", "experiment", "metric"]


def test_a_cell_in_markdown_keeps_its_lines() -> None:
    # a line break would end the table, and a backslash before the pipe would be taken for its escape
    row = as_markdown(["a", "b"], [["x\n y  z", "p\\|q<r <.05"]]).splitlines()[2]
    assert row == "| x<br>y z | p\\\\\\|q&lt;r <.05 |"


def test_what_cannot_be_scored_has_one_reason_in_scores_comparisons_and_trends(tmp_path: Path) -> None:
    sx.run(["sim/typical", "sim/coin"], limit=20, out=tmp_path / "run")
    journal = tmp_path / "run" / "replies.jsonl"
    replies = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    answers = ("sim/coin", "difficulty", "execute")
    kept = [one for one in replies if (one["model"], one["experiment"], one["session"].split(".")[0]) != answers]
    journal.write_text("".join(json.dumps(one) + "\n" for one in kept), "utf-8")
    # 20 groups of four questions: six pairs each
    why = "no claim was read (120 missing)"
    trend = sx.trend(tmp_path / "run", metrics=["skill"])
    printed = {"trend": trend.table(), "compare": sx.compare(tmp_path / "run").table()}
    printed["score"] = sx.score(tmp_path / "run").table()
    assert all("withheld, or to be read with caution" in text for text in printed.values())
    assert f"  sim/coin, difficulty: {why}: its answers were never recorded" in printed["score"].splitlines()
    assert all(f"  difficulty: sim/coin: {why}" in printed[name].splitlines() for name in ("trend", "compare"))
    overall = printed["trend"].partition("overall")[2]
    assert re.search(r"sim/coin +withheld", overall)
