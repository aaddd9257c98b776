"""The figure of the ladder: a model's own prediction and the best other predictor, each at its skill."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import selfexec as sx
from build import SEVEN, rename_model, requests_run, wrong_on
from selfexec.analysis.ladder import HEADS
from selfexec.metrics import ITSELF
from selfexec.report.export import as_csv
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.ladder import PREDICTORS, ladder
from selfexec.report.figures.numbers import FigureNumbers
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
    """Title of a panel -> the panel."""
    return {g.get("data-panel") or "": g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.get("data-panel")}


def marks(part: ET.Element) -> dict[tuple[str, str], tuple[float, float, ET.Element]]:
    """(model, series) -> its place and the mark."""
    found = {}
    for g in part.iter(f"{SVG}g"):
        if "sx-mark" in (g.get("class") or "").split():
            x, y = map(float, re.findall(r"[-\d.]+", g.get("transform") or ""))
            found[g.get("data-model") or "", g.get("data-series") or ""] = (x, y, g)
    return found


def ticks(part: ET.Element) -> list[tuple[float, float]]:
    """Ticks of the axis below: place and value."""
    found = [t for t in part.iter(f"{SVG}text") if "sx-soft sx-tick" in (t.get("class") or "")]
    return [(float(t.get("x") or 0), float((t.text or "").replace("−", "-"))) for t in found]


@pytest.mark.slow
def test_the_own_prediction_and_the_predictor_that_the_title_is_about_are_at_their_skills(
    panel: sx.Run, figure: Figure
) -> None:
    rows = [r for r in sx.ladder(panel) if r.skill is not None]
    behind = Counter(row.level for row in rows if row.own_prediction == "behind" and row.level in PREDICTORS)
    [(level, _), *_] = behind.most_common()
    assert (
        f"Going by {PREDICTORS[level]} is a better guide to" in figure.finding and PREDICTORS[level] in figure.caption
    )
    seen = 0
    for experiment, part in parts(figure.svg).items():
        (x0, v0), *_, (x1, v1) = ticks(part)
        for (model, series), (x, _, mark) in marks(part).items():
            wanted = ITSELF if series == "itself" else level
            (row,) = (r for r in rows if (r.experiment, r.model, r.level) == (experiment, model, wanted))
            assert series == "itself" or HEADS[level] in (mark.findtext(f"{SVG}title") or "")
            assert v0 + (x - x0) / (x1 - x0) * (v1 - v0) == pytest.approx(row.skill, abs=1e-3)
            assert f"{abs(row.skill or 0):.3f}".removeprefix("0") in (mark.findtext(f"{SVG}title") or "")
            seen += 1
    assert seen == 2 * 3 * len(panel.models)


@pytest.mark.slow
def test_what_is_to_be_read_with_caution_is_drawn_faintly_and_says_why(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "run", {"f/a": wrong_on([0], 40), "f/b": [(True, n < 38) for n in range(40)]})
    found = ladder(FigureNumbers([run], sx.score(run)))
    assert found
    (part,) = parts(found.svg).values()
    own = {model: mark for (model, series), (_, _, mark) in marks(part).items() if series == "itself"}
    assert "sx-main" in (own["f/a"].get("class") or "") and "sx-faint" in (own["f/b"].get("class") or "")
    assert "at least 20 are needed" in (own["f/b"].findtext(f"{SVG}title") or "")


@pytest.mark.slow
def test_where_there_is_nothing_to_hold_a_word_against_there_is_no_figure(panel: sx.Run, tmp_path: Path) -> None:
    scores = sx.score(panel)
    assert ladder(FigureNumbers([panel], type(scores)([]))) is None
    assert ladder(FigureNumbers([panel], sx.score(panel, "authors"))) is None


@pytest.mark.slow
def test_one_experiment_has_one_panel_and_levels_that_nobody_has_no_column(panel: sx.Run, figure: Figure) -> None:
    only = replace(panel, replies={k: r for k, r in panel.replies.items() if k.experiment == "association"})
    found = ladder(FigureNumbers([only], sx.score([only])))
    assert found and list(parts(found.svg)) == ["association"]
    fact = PREDICTORS["facts"]
    assert fact in figure.columns and fact not in found.columns  # no fact of a target predicts a word


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
    assert own.skill is not None and row["its own prediction"].startswith(f"{own.skill:.3f}".removeprefix("0"))
