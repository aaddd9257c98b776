"""The figure of the ladder: every mark at its skill over its level, own predictions with their intervals and names."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import selfexec as sx
from build import SEVEN, rename_model, requests_run, wrong_on
from selfexec.analysis.ladder import HEADS
from selfexec.metrics import ITSELF
from selfexec.report.export import as_csv
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.ladder import ladder
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.svg import SCREEN, SMALL_LETTERS, PlotFacet, Series, Step, Whose, breadth, steps
from selfexec.text.printable import harmless

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = 'a<script>alert("1")</script>&amp;/b'


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    return sx.run(SEVEN, limit=60, out=tmp_path_factory.mktemp("runs") / "panel")


@pytest.fixture(scope="module")
def figure(panel: sx.Run) -> Figure:
    found = ladder(FigureNumbers([panel], sx.score(panel)))
    assert found
    return found


def parts(svg: str) -> dict[str, ET.Element]:
    """Title of a plane -> the plane."""
    return {g.get("data-panel") or "": g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.get("data-panel")}


def marks(part: ET.Element) -> dict[tuple[str, str], tuple[float, float, ET.Element]]:
    """(model, level) -> its place and the mark."""
    found = {}
    for g in part.iter(f"{SVG}g"):
        if "sx-mark" in (g.get("class") or "").split():
            x, y = map(float, re.findall(r"[-\d.]+", g.get("transform") or ""))
            found[g.get("data-model") or "", g.get("data-series") or ""] = (x, y, g)
    return found


def heights(part: ET.Element) -> list[tuple[float, float]]:
    """Ticks of the upright axis: place and value."""
    ticks = [t for t in part.iter(f"{SVG}text") if t.get("class") == "sx-soft sx-tick"]
    return [(float(t.get("y") or 0), float((t.text or "").replace("−", "-"))) for t in ticks]


@pytest.mark.slow
def test_every_mark_is_at_the_skill_of_its_level(panel: sx.Run, figure: Figure) -> None:
    rows = {(r.experiment, r.model, HEADS[r.level]): r for r in sx.ladder(panel) if r.skill is not None}
    seen = 0
    for title, part in parts(figure.svg).items():
        (y0, v0), *_, (y1, v1) = heights(part)
        for (model, level), (_, y, mark) in marks(part).items():
            row = rows[title.partition(",")[0], model, level]
            value = v0 + (y - y0) / (y1 - y0) * (v1 - v0)
            assert value == pytest.approx(row.skill, abs=1e-3)
            assert f"{abs(row.skill or 0):.3f}".removeprefix("0") in (mark.findtext(f"{SVG}title") or "")
            spans = [p.get("d") or "" for p in mark.iter(f"{SVG}path") if p.get("class") == "sx-span"]
            assert bool(spans) == (level == HEADS[ITSELF] and row.low is not None)
            if spans:
                ends = [v0 + (y + float(n) - y0) / (y1 - y0) * (v1 - v0) for n in re.findall(r"-?[\d.]+", spans[0])[1:]]
                assert sorted(ends) == pytest.approx([row.low, row.high], abs=1e-3)
            seen += 1
    assert seen == len(rows)


@pytest.mark.slow
def test_levels_stand_in_their_order_and_own_predictions_side_by_side_with_their_names_apart(figure: Figure) -> None:
    for part in parts(figure.svg).values():
        found = marks(part)
        places = {level: {round(x, 2) for (_, r), (x, _, _) in found.items() if r == level} for _, level in found}
        order = [min(places[head]) for head in HEADS.values() if head in places]
        assert order == sorted(order)
        assert all(len(at) == 1 for level, at in places.items() if level != HEADS[ITSELF])
        own = sorted((x, y) for (_, level), (x, y, _) in found.items() if level == HEADS[ITSELF])
        assert len({x for x, _ in own}) == len(own) and [y for _, y in own] == sorted(y for _, y in own)
        names = [t for t in part.iter(f"{SVG}text") if t.find(f"{SVG}title") is not None]
        assert len(names) == len(own)
        assert all(b - a >= SMALL_LETTERS for a, b in pairwise(sorted(float(t.get("y") or 0) for t in names)))


@pytest.mark.slow
def test_what_is_to_be_read_with_caution_is_drawn_faintly_and_says_why(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "run", {"f/a": wrong_on([0], 40), "f/b": [(True, n < 38) for n in range(40)]})
    found = ladder(FigureNumbers([run], sx.score(run)))
    assert found
    (part,) = parts(found.svg).values()
    own = {model: mark for (model, level), (_, _, mark) in marks(part).items() if level == HEADS[ITSELF]}
    assert "sx-main" in (own["f/a"].get("class") or "") and "sx-faint" in (own["f/b"].get("class") or "")
    assert "it takes 20" in (own["f/b"].findtext(f"{SVG}title") or "")


@pytest.mark.slow
def test_where_there_is_nothing_to_hold_a_word_against_there_is_no_figure(panel: sx.Run, tmp_path: Path) -> None:
    scores = sx.score(panel)
    assert ladder(FigureNumbers([panel], type(scores)([]))) is None
    assert ladder(FigureNumbers([panel], sx.score(panel, "authors"))) is None


@pytest.mark.slow
def test_one_experiment_has_one_plane_and_levels_that_nobody_has_no_place(panel: sx.Run, figure: Figure) -> None:
    only = replace(panel, replies={k: r for k, r in panel.replies.items() if k.experiment == "association"})
    found = ladder(FigureNumbers([only], sx.score([only])))
    assert found and list(parts(found.svg)) == ["association, Youden's J"]
    assert "facts" in figure.columns and "facts" not in found.columns  # no fact of a target predicts a word
    assert ">facts<" not in found.svg


@pytest.mark.slow
def test_names_are_text_and_nothing_else(tmp_path: Path) -> None:
    made = requests_run(tmp_path / "run", {HOSTILE: wrong_on([0], 40), "模型/測試": wrong_on([1], 40)})
    rename_model(made.folder, "模型/測試", "模型/測試 \u202eevil")  # as earlier versions took it in
    run = sx.load(made.folder)
    found = ladder(FigureNumbers([run], sx.score(run)))
    assert found
    tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(found.svg).iter()}
    assert tags <= {"svg", "title", "desc", "style", "g", "rect", "line", "path", "circle", "text"}
    assert "\u202e" not in found.svg + as_csv(found)
    assert {model for part in parts(found.svg).values() for model, _ in marks(part)} == {
        harmless(m) for m in run.models
    }


@pytest.mark.slow
def test_the_table_behind_it_has_a_row_for_each_model_and_experiment(panel: sx.Run, figure: Figure) -> None:
    assert len(figure.rows) == 3 * len(panel.models)
    row = dict(zip(figure.columns, figure.rows[0], strict=True))
    own = sx.ladder(panel).row(row["model"], row["experiment"], ITSELF)
    assert own.skill is not None and row["itself"].startswith(f"{own.skill:.3f}".removeprefix("0"))


# --- the layout ------------------------------------------------------------------------------------------------------


class Value(float):
    """A value without an interval."""

    low = high = None

    @property
    def value(self) -> float:
        return float(self)


@pytest.mark.slow
def test_many_series_and_long_names_stay_within_the_drawing() -> None:
    places = [f"place {n}" for n in range(10)]
    series = [
        Series(
            Whose(f"m{n}", "g"),
            f"{'long-' * (n % 9)}name-{n}",
            {place: Step(Value((n * k) % 7 / 7), place) for k, place in enumerate(places)},
        )
        for n in range(30)
    ]
    drawn = steps("s", "A title", "Words", places, [PlotFacet("one", series, (0.0, 1.0))], axis="skill")
    root = ET.fromstring(drawn(SCREEN))
    height = float((root.get("viewBox") or "").split()[3])
    names = [t for t in root.iter(f"{SVG}text") if t.find(f"{SVG}title") is not None]
    assert len(names) == 30
    for text in names:
        shown = "".join(text.itertext()).removeprefix(text.findtext(f"{SVG}title") or "")
        assert float(text.get("x") or 0) + breadth(shown, SMALL_LETTERS) <= SCREEN.width
        assert 0 < float(text.get("y") or 0) < height
    above = sorted(float(text.get("y") or 0) for text in names)
    assert all(b - a >= SMALL_LETTERS for a, b in pairwise(above))


@pytest.mark.slow
def test_a_series_that_does_not_reach_the_last_place_has_no_label() -> None:
    series = [Series(Whose("m", "g"), "short", {"a": Step(Value(0.5), "a")})]
    svg = steps("s", "A title", "Words", ["a", "b"], [PlotFacet("one", series, (0.0, 1.0))])(SCREEN)
    assert ">short<" not in svg and svg.count("sx-mark") == 1
