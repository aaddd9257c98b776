"""Figures by themselves, in a notebook and as files."""

from pathlib import Path

import pytest

import selfexec as sx

STORED = Path(__file__).parents[1] / "stored" / "panel"


@pytest.fixture(scope="module")
def figures() -> sx.Figures:
    return sx.figures(STORED)


def test_figures_are_found_by_their_ids_and_in_the_order_of_the_report(figures: sx.Figures) -> None:
    assert figures.ids[0] == "margins" and figures["margins"] is figures[0]
    assert [figure.id for figure in figures] == figures.ids and len(set(figures.ids)) == len(figures)
    assert "<svg" in figures["margins"]._repr_html_()
    with pytest.raises(KeyError, match=r"there is no figure 'margin' \(figures: margins, "):
        figures["margin"]


def test_a_list_of_figures_shows_their_ids_and_no_drawing(figures: sx.Figures) -> None:
    for shown in (repr(figures), figures._repr_html_()):
        assert all(id in shown for id in figures.ids) and "<svg" not in shown
        assert len(shown) < 5000


def test_the_files_are_those_of_a_report(figures: sx.Figures, tmp_path: Path) -> None:
    written = figures.write(tmp_path / "alone")
    assert [path.name for path in written] == [f"{id}.{form}" for id in figures.ids for form in ("svg", "csv")]
    sx.report(STORED, tmp_path / "report.html", figures=tmp_path / "with-report")
    for path in written:
        assert path.read_bytes() == (tmp_path / "with-report" / path.name).read_bytes()


def test_what_figures_do_not_take_is_refused(tmp_path: Path, figures: sx.Figures) -> None:
    with pytest.raises(sx.InputError, match=r"^expected a run, .*, not None\.$"):
        sx.figures(None)  # type: ignore[arg-type]
    with pytest.raises(sx.InputError, match="unknown format 'gif'"):
        figures.write(tmp_path, "gif")
