"""What an extension adds to scores and to the report appears there, and nowhere names the extension in the core."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import selfexec as sx
from build import unfolded
from extension_parts import here
from selfexec import extension
from selfexec.analysis.score import Scores
from selfexec.analysis.selection import Selection, rows_by
from selfexec.engines import ENGINES
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.extension import AppendixPart, Convention, Extension, ReportFile
from selfexec.facets import FACETS
from selfexec.metrics import Estimate, RowMaker, Score
from selfexec.report.data import Data, Options
from selfexec.report.figures import FigureNumbers
from selfexec.report.figures.abilities import published_abilities
from selfexec.report.page import page
from selfexec.runs import Run

HERE = __name__
CALLS: list[str] = []


def halves(run: Run) -> Iterator[Score]:
    """A convention by which every model is right half of the time."""
    for model in run.models:
        yield RowMaker(model, "association", "half", 1, 1, 0, 0).row("accuracy", Estimate(0.5))


def names(data: Data) -> str:
    """The models, worked out once for the table that wants them and the part that does."""
    CALLS.append("names")
    return ", ".join(data.models)


def abilities() -> dict[str, float]:
    return {"sim/coin": 1.5}


def shown(data: Data) -> str | None:
    return data.once(names)


def table(data: Data) -> str:
    return f"models\n{data.once(names)}\n"


COLUMNS = {"models": "who is in the page"}
ADDED = Extension(
    conventions={"half": Convention(f"{HERE}:halves", "half are right.", "Halves", "half: right half the time")},
    appendix={
        "named": AppendixPart(
            f"{HERE}:shown", "added_names/named.html.j2", "Who is here", "who is here", "selfexec analyze names"
        )
    },
    report_files={"names.csv": ReportFile(f"{HERE}:table", columns=f"{HERE}:COLUMNS")},
    abilities={"few": f"{HERE}:abilities"},
)


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This extension in place of all that are here."""
    assert EXPERIMENTS and FACETS and ENGINES  # looked up before, so that all of them are there afterwards
    monkeypatch.setattr(extension, "all_extensions", lambda: {"added": ADDED})
    published_abilities.cache_clear()
    yield
    published_abilities.cache_clear()


@pytest.mark.usefixtures("only")
def test_a_convention_has_its_rows_its_title_and_its_legend(small_panel: Run) -> None:
    scores = Scores(rows_by("half", small_panel))
    assert {row.value for row in scores} == {0.5} and len(scores) == len(small_panel.models)
    text = str(scores)
    assert text.startswith("Halves") and "half: right half the time. It has neither skill" in text
    there = "strict, readable, half" if here("published") else "strict, readable"  # as it was when we were imported
    with pytest.raises(InputError, match=rf"unknown convention 'authors'\. There are {there}"):
        sx.score(small_panel, "authors")
    numbers = FigureNumbers([small_panel], sx.score(small_panel))
    assert {number.value for number in numbers.accuracies("association", "half").values()} == {0.5}
    assert numbers.accuracies("association", "authors") == {}


@pytest.mark.usefixtures("only")
def test_abilities_are_those_that_extensions_have(small_panel: Run) -> None:
    assert FigureNumbers([small_panel], sx.score(small_panel)).abilities == {"sim/coin": 1.5}


@pytest.mark.usefixtures("only")
def test_a_part_is_folded_in_the_appendix_and_a_file_written_with_the_figures(
    small_panel: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = tmp_path / "added_names" / "templates"
    templates.mkdir(parents=True)
    (templates.parent / "__init__.py").touch()
    (templates / "named.html.j2").write_text("<p>{{ section }}, of {{ data.models | length }}</p>")
    monkeypatch.syspath_prepend(str(tmp_path))
    CALLS.clear()
    shown = page(Selection.of(small_panel, panel="none"), Options(evidence="none", figures=tmp_path / "figures"))
    text = unfolded(shown)  # the appendix is packed
    models = ", ".join(Data(Selection.of(small_panel, panel="none"), Options()).models)
    assert f'id="named"><summary>Who is here</summary>\n<p>{models}, of {len(small_panel.models)}</p>' in text
    assert 'id="conventions"' not in text  # what is not registered is not there
    assert (tmp_path / "figures" / "names.csv").read_text() == f"models\n{models}\n"
    columns = (tmp_path / "figures" / "columns.csv").read_text()
    assert "names.csv,models,who is in the page" in columns and "ledger.csv" not in columns
    assert CALLS == ["names"]  # worked out once, for the table and the part
