"""Tables that users get, as data frames of Polars and of pandas: each column has its type whatever is in it."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest

import selfexec as sx
from extension_parts import here
from selfexec.files.frames import column_types, framed, to_pandas

STORED = Path(__file__).parents[1] / "stored"
RESULTS: dict[str, Callable[[Any], Any]] = {
    "score": sx.score,
    "compare": sx.compare,
    "trend": sx.trend,
    "correlations": sx.correlations,
    "ladder": sx.ladder,
    **({"ledger": sx.ledger} if here("published") else {}),
}
TABLES = ("observations", "sessions", "outcomes")
OF_PANDAS = {"String": "string", "Int64": "Int64", "Int32": "Int64", "Float64": "float64", "Boolean": "boolean"}


@dataclass(frozen=True)
class Row:
    name: str
    kind: Literal["a", "b"]
    share: float | None
    count: int | None
    sure: bool | None = None
    words: tuple[str, ...] = ()


@pytest.fixture(scope="module")
def panel() -> sx.Run:
    return sx.load(STORED / "panel")


@pytest.fixture(scope="module")
def hardly_asked(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    """Four models, three items of each experiment: no baseline, no margin, no verdict, and hardly any interval."""
    models = ["sim/coin", "sim/typical", "sim/solves", "sim/knows-itself"]
    return sx.run(models, limit=3, out=tmp_path_factory.mktemp("few") / "run")


def test_a_field_has_the_type_of_its_values_whether_or_not_one_may_be_missing() -> None:
    types = {"name": str, "kind": str, "share": float, "count": int, "sure": bool, "words": tuple}
    assert column_types(Row) == types


def test_columns_without_a_value_and_tables_without_a_row_have_their_types() -> None:
    kinds = [pl.String, pl.String, pl.Float64, pl.Int64, pl.Boolean, pl.List(pl.String)]
    full = {"name": "x", "kind": "a", "share": 1, "count": 2, "sure": True, "words": ["y"]}
    for records in ([], [full], [full | dict.fromkeys(full)], [full | dict.fromkeys(full), full]):
        frame = framed(records, column_types(Row))
        assert frame.columns == list(full) and frame.dtypes == kinds
        assert frame.to_dicts() == records


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_has_the_same_columns_and_types_of_every_run(name: str, panel: sx.Run, hardly_asked: sx.Run) -> None:
    large, small = RESULTS[name](panel).frame(), RESULTS[name](hardly_asked).frame()
    assert large.schema == small.schema and pl.Null not in large.dtypes
    assert large.height > small.height


@pytest.mark.parametrize("name", ["score", "correlations", "ladder", *RESULTS.keys() & {"ledger"}])
def test_a_frame_has_the_records(name: str, panel: sx.Run) -> None:
    found = RESULTS[name](panel)
    assert found.frame().to_dicts() == found.records()


def missing_as_none(value: Any) -> Any:
    return None if not isinstance(value, list) and (value is None or value != value or str(value) == "<NA>") else value


@pytest.fixture
def no_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed here")
    monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.mark.usefixtures("no_arrow")
@pytest.mark.parametrize("name", [*RESULTS, *TABLES])
def test_pandas_has_the_same_values_and_types_without_pyarrow(name: str, panel: sx.Run, hardly_asked: sx.Run) -> None:
    for run in (panel, hardly_asked):
        if name in TABLES:
            frame, table = getattr(run, name), run.to_pandas(name)  # type: ignore[arg-type]
        else:
            found = RESULTS[name](run)
            frame, table = found.frame(), found.to_pandas()
        expected = {name: OF_PANDAS.get(str(kind), "object") for name, kind in frame.schema.items()}
        assert {name: str(kind) for name, kind in table.dtypes.items()} == expected
        rows = [{name: missing_as_none(value) for name, value in row.items()} for row in table.to_dict("records")]
        assert rows == frame.to_dicts()


@pytest.mark.usefixtures("no_arrow")
def test_numbers_that_pandas_cannot_hold_in_a_double_stay_whole() -> None:
    # 2^53 + 1 is no double
    table = to_pandas(framed([{"n": 2**53 + 1}, {"n": None}], {"n": int}))
    assert table["n"][0] == 9007199254740993


def test_without_pandas_it_is_said_what_to_install(panel: sx.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(sx.InputError, match=r"there is no pandas here\. Install it: pip install pandas"):
        panel.to_pandas()


def test_a_table_that_there_is_not_is_refused_with_those_that_there_are(panel: sx.Run) -> None:
    with pytest.raises(sx.InputError, match=r"no table 'claims'. There are observations, sessions and outcomes"):
        panel.to_pandas("claims")  # type: ignore[arg-type]


def test_a_parquet_file_has_the_rows_and_the_types_of_the_frame(
    panel: sx.Run, hardly_asked: sx.Run, tmp_path: Path
) -> None:
    for run in (panel, hardly_asked):
        scores = sx.score(run)
        path = scores.write(tmp_path / "scores.parquet")
        assert pl.read_parquet(path).equals(scores.frame()) and pl.read_parquet(path).schema == scores.frame().schema


def test_the_ending_of_a_file_decides_what_is_written_to_it(panel: sx.Run, tmp_path: Path) -> None:
    scores = sx.score(panel)
    expected = {".csv": scores.csv(), ".json": scores.json(), ".md": scores.markdown(), ".txt": scores.table()}
    for ending, text in expected.items():
        assert scores.write(tmp_path / f"scores{ending}").read_text("utf-8") == text + "\n"
    with pytest.raises(sx.InputError, match=r"scores\.xlsx: nothing is written as \.xlsx here\. .* or \.parquet"):
        scores.write(tmp_path / "scores.xlsx")


def test_what_a_session_shows_of_a_long_value_is_short_and_printing_shows_all(panel: sx.Run) -> None:
    long: list[Any] = [sx.score(panel), sx.trend(panel)]
    long += [sx.ledger(panel)] if here("published") else []
    long += [sx.card(panel)] if here("card") else []
    for value in long:
        shown = repr(value).splitlines()
        warned = list(value.warnings) if isinstance(value, sx.Trend) else []  # which are never cut off
        assert shown[30:] == warned and shown[29].endswith("more lines: print() shows all of them")
        assert len(repr(value)) < len(str(value))
    assert str(sx.score(panel)) == sx.score(panel).table()
    assert repr(sx.judges(panel)) == str(sx.judges(panel))  # a short one is shown whole


def test_no_part_of_a_run_floods_a_notebook(panel: sx.Run) -> None:
    parts = ("replies", "readings", "keys", "asked", "tables", "items", "conditions", "unasked", "sources")
    assert [part for part in parts if len(repr(getattr(panel, part))) > 2500] == []
    assert len(repr(panel)) < 500
    assert "<td" in panel._repr_html_() and "sim/knows-itself" in panel._repr_html_()
