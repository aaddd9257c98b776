"""A table of models is read in one way, whichever command it is given to, and written so that it harms nobody."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extension_parts import here, needs
from selfexec.analysis.correlate import read_tables
from selfexec.analysis.score import Scores, score
from selfexec.errors import InputError
from selfexec.files.csv_rows import written
from selfexec.files.tags import load_tags
from selfexec.metrics import Score
from selfexec.report.export import as_csv, dictionary
from selfexec.report.figures.figure import Figure
from selfexec.report.score_lines import ScoreLine, summary_csv
from selfexec.runs import load
from selfexec.text.numbers import ABSENT, count_in_a_cell, in_a_cell


def rates(path: Path) -> dict[str, dict[str, float]]:
    from selfexec.extensions.rasch.rates import load_rates

    found = load_rates(path)
    return {name: dict(zip(found.models, found.rates[:, k], strict=True)) for k, name in enumerate(found.benchmarks)}


def tables(path: Path) -> dict[str, dict[str, float]]:
    return read_tables([path])


def tags(path: Path) -> dict[str, dict[str, float]]:
    return {tag: {m: float(value) for m, value in found.items()} for tag, found in load_tags(path).values.items()}


Reader = Callable[[Path], dict[str, dict[str, float]]]
of_rates = pytest.param(rates, marks=needs("rasch"))
every_reader = pytest.mark.parametrize("reader", [of_rates, tables, tags])


@every_reader
def test_a_table_from_a_spreadsheet_is_read(reader: Reader, tmp_path: Path) -> None:
    # a byte order mark, Windows line ends, blank lines, space around cells, and quotes where a name holds a comma
    text = '\ufeffmodel, a ,b\r\n\r\n"x, large",.5, .25\r\n,,\r\n y\u2028z , ".75",1\r\n'
    (tmp_path / "t.csv").write_bytes(text.encode())
    large, odd = "x, large", "y\u2028z"
    assert reader(tmp_path / "t.csv") == {"a": {large: 0.5, odd: 0.75}, "b": {large: 0.25, odd: 1}}


BAD: dict[str, tuple[str, str]] = {
    # what is on line 5 is said to be on line 5, though two lines before it are blank
    "too many cells below blank lines": ("model,a,b\n\nx,.5,.4\n,,\ny,.5,.4,.3\n", "t.csv:5: "),
    "a cell over two lines": ('model,a,b\n\n"x\nlarge",.5,.4\ny,.5,.4\n', "t.csv:3: not CSV"),
    "a cell over the rows below it": ('model,a,b\n"x,.5,.4\ny,.5,.4\n"z",.5,.4\n', "t.csv:2: not CSV"),
    "a heading over two lines": ('model,"a\n(5 shots)",b\nx,.5,.4\n', "t.csv:1: not CSV"),
    "text behind quotes": ('model,a,b\n"x"large,.5,.4\n', "t.csv:2: not CSV"),
}


@every_reader
@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_by_its_number(reader: Reader, tmp_path: Path, name: str) -> None:
    text, place = BAD[name]
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError) as fault:
        reader(tmp_path / "t.csv")
    assert place in str(fault.value)


@pytest.mark.parametrize("reader", [of_rates, tables])
def test_a_model_named_again_is_reported_on_its_line(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,a,b\n\n\nx,.5,.4\nx,.5,.4\n")
    with pytest.raises(InputError, match=r"t\.csv:5: the model 'x' occurs twice|t\.csv:5: model 'x' is already"):
        reader(tmp_path / "t.csv")


@every_reader
def test_a_file_that_cannot_be_read_is_named(reader: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(b"model,a\ncaf\xe9,.5\n")
    for file, reason in (("latin.csv", "not UTF-8"), ("none.csv", "here|no such file"), ("", "cannot be read")):
        with pytest.raises(InputError, match=reason) as fault:
            reader(tmp_path / file)
        assert str(fault.value).startswith(str(tmp_path / file))


# --- what we write ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1+1", "＝1+1"])
def test_no_cell_that_is_written_is_a_formula_for_a_spreadsheet(cell: str) -> None:
    # quotes do not help: a spreadsheet takes them off before it looks
    assert next(csv.reader([written([["a", cell]])])) == ["a", f"'{cell}"]


@pytest.mark.parametrize("cell", ["gpt-4.1", "a=b", "'=1", "", "-0.116", "+.5", "-1e-05", -0.116, None, 3])
def test_numbers_and_other_text_are_written_as_they_are(cell: Any) -> None:
    assert next(csv.reader([written([["a", cell]])])) == ["a", "" if cell is None else str(cell)]


def test_a_character_that_a_screen_would_obey_is_written_by_its_number() -> None:
    assert written([["\u202egnp.exe", "\x1b[31m"]]) == "\\u202egnp.exe,\\x1b[31m\n"


def test_a_table_of_scores_opens_harmlessly_in_a_spreadsheet() -> None:
    rows = (Score("=1+1", "association", "skill", -0.5, -0.7, -0.3, 9, 20, 0, 0, "strict", reason="@x"),)
    (row,) = csv.DictReader(io.StringIO(Scores(rows).csv()))
    assert (row["model"], row["reason"], row["value"], row["low"]) == ("'=1+1", "'@x", "-0.5", "-0.7")


def cells(*rows: list[str]) -> list[dict[str, str]]:
    """The numbers of a figure as its CSV file has them, without what is empty."""
    figure = Figure("id", "title", "", None, ["model", "skill", "lost"], list(rows))
    found = csv.DictReader(io.StringIO(as_csv(figure)))
    return [{name: cell for name, cell in row.items() if cell} for row in found]


def test_a_number_is_there_in_full_and_words_stand_where_there_is_none() -> None:
    skill = in_a_cell(-0.1163, -0.15432, 1 / 13)
    assert cells(["a", skill, ""], ["b", "only 3 pairs", ""], ["c", ABSENT, ""]) == [
        {"model": "a", "quantity": "skill", "value": "-0.1163", "low": "-0.15432", "high": "0.07692307692307693"},
        {"model": "b", "quantity": "skill", "said": "only 3 pairs"},
    ]


def test_a_count_of_how_many_is_two_numbers() -> None:
    lost = count_in_a_cell(1204, "replies", of=12500)
    (row,) = cells(["a", "", lost])
    assert row == {"model": "a", "quantity": "lost", "value": "1204", "of": "12500", "unit": "replies"}


def test_a_name_that_looks_like_a_number_stays_a_name() -> None:
    one = count_in_a_cell(1, "replies")
    assert [row["model"] for row in cells(["4.10", one, ""], [".5", one, ""])] == ["4.10", ".5"]


@pytest.mark.parametrize("values", [(-0.116, None), (None, None)])
def test_the_summary_has_every_number_in_a_column_of_its_own(values: tuple[float | None, ...]) -> None:
    def score(value: float | None, metric: str) -> Score:
        low, high = (None, None) if value is None else (value - 0.25, value + 0.25)
        reason = None if value is not None else "too few"
        return Score("m", "overall", metric, value, low, high, 9, 20, 0, 0, "strict", reason=reason)

    def line(value: float | None) -> ScoreLine:
        skill, margin = score(value, "skill"), score(value, "baseline_margin")
        return ScoreLine("m", "overall", None, skill, None, None, margin, None, None, None, None, {})

    found = list(csv.DictReader(io.StringIO(summary_csv([line(value) for value in values]))))
    names = ("predicted rate", "observed rate", "skill", "margin", "margin at own rate", "coverage")
    numbers = [f"{name}{end}" for name in names for end in ("", " low", " high")]
    for row, value in zip(found, values, strict=True):
        assert list(row) == ["model", "experiment", *numbers, "withheld, or with caution"]
        ends = ["", "", ""] if value is None else ["-0.116", "-0.366", "0.134"]
        assert [row[name] for name in numbers] == [*[""] * 6, *ends, *ends, *[""] * 6]
        assert row["withheld, or with caution"] == ("too few" if value is None else "")


def test_the_dictionary_has_every_column_of_every_table() -> None:
    run = load(Path(__file__).parents[1] / "stored" / "two-epochs")
    figure = Figure("one", "What is drawn", "How to read it", None, ["model", "skill"], [["a", in_a_cell(0.5)]])
    told = list(csv.DictReader(io.StringIO(dictionary([figure]))))
    tables = {
        "each figure": as_csv(figure),
        "summary.csv": summary_csv([]),
        "scores.csv": score(run).csv(),
    }
    if here("published"):
        from selfexec.extensions.published.conventions import ledger

        tables["ledger.csv"] = ledger(run, sensitivities=False).csv()
    for name, table in tables.items():
        columns = [row["column"] for row in told if row["file"] == name]
        assert next(csv.reader(io.StringIO(table)))[name == "each figure" :] == columns, name
    assert all(row["meaning"] for row in told)
    assert told[-1] == {"file": "one.csv", "column": "", "meaning": "What is drawn. How to read it"}
