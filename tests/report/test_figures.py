"""Figures: every mark stands where its number says, on the page and in a file, whatever models are called."""

import csv
import io
import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import selfexec as sx
from build import figures, pair, part_of, request, table
from build import scores as scores_of
from selfexec.analysis.answers import overall_in_brief
from selfexec.analysis.findings import against_baseline
from selfexec.analysis.numbers import answer_tokens
from selfexec.analysis.score import Scores, score
from selfexec.errors import InputError
from selfexec.experiments import PAPER_HEADLINE, Key
from selfexec.extras import to_install
from selfexec.metrics import accuracy_on
from selfexec.report.export import DRAWN, FORMATS, as_csv, export
from selfexec.report.export import drawn as as_svg
from selfexec.report.figures import Figure, absent, margins, read_abilities
from selfexec.report.figures.model_order import UNKNOWN_FAMILY, merit_of, order_models
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.svg import (
    SCREEN,
    SHEETS,
    Dot,
    RowPanel,
    Scale,
    breadth,
    clean,
    even_ticks,
    log_ticks,
    rows,
    shortened,
    tick_label,
)
from selfexec.runs import Run
from selfexec.text.printable import harmless

SVG = "{http://www.w3.org/2000/svg}"
PANEL = ["sim/typical", "sim/breaks-format", "sim/knows-itself", "sim/knows-models", "sim/coin"]
ABILITIES = {model: 0.5 * k - 1 for k, model in enumerate(PANEL)}


@pytest.fixture(scope="module")
def panel(small_panel: Run) -> Run:
    return part_of(small_panel, models=PANEL)


@pytest.fixture(scope="module")
def scores(panel: Run) -> Scores:
    return score([panel], "readable")


@pytest.fixture(scope="module")
def drawn(panel: Run, scores: Scores) -> dict[str, Figure]:
    return {figure.id: figure for figure in figures([panel], scores, abilities=ABILITIES)}


# --- reading a drawing back ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mark:
    """What a drawing shows, in values: read off with nothing but the numbers that stand on its axis."""

    model: str
    series: str
    value: float
    low: float | None
    high: float | None
    title: str
    is_cut: bool  # whether its interval goes on to the left of the axis


def parsed(figure: Figure) -> ET.Element:
    return ET.fromstring(figure.svg)


def shown(figures: Iterable[Figure]) -> list[tuple[Figure, str]]:
    """All that there is to see of them."""
    return [(figure, figure.svg) for figure in figures]


def marks_of(figure: Figure, panel: str, *, log: bool = False) -> list[Mark]:
    """The marks of one panel, by a straight line through its first and last tick."""
    part = next(g for g in parsed(figure).iter(f"{SVG}g") if g.get("data-panel") == panel)
    value_of = axis(part, "x", log)
    found = []
    for g in part.iter(f"{SVG}g"):
        kinds = (g.get("class") or "").split()
        if "sx-mark" not in kinds or "sx-bar" in kinds:
            continue
        x = float(re.findall(r"[-\d.]+", g.get("transform") or "")[0])
        spans = [path.get("d") or "" for path in g.iter(f"{SVG}path") if path.get("class") == "sx-span"]
        ends = [float(n) for n in re.findall(r"-?[\d.]+", spans[0])] if spans else None
        low, high = (value_of(x + ends[0]), value_of(x + ends[2])) if ends else (None, None)
        title = g.findtext(f"{SVG}title") or ""
        is_cut = any("m4 -3l-4 3l4 3" in path for path in spans)
        names = g.get("data-model") or "", g.get("data-series") or ""
        found.append(Mark(*names, value_of(x), low, high, title, is_cut))
    return found


def axis(part: ET.Element, place: str, log: bool = False) -> Callable[[float], float]:
    ticks = [
        (float(text.get(place) or 0), number(text.text or ""))
        for text in part.iter(f"{SVG}text")
        if "sx-soft sx-tick" in (text.get("class") or "")
    ]
    (a, first), (b, last) = ticks[0], ticks[-1]
    if log:
        return lambda at: math.exp(math.log(first) + (at - a) / (b - a) * math.log(last / first))
    return lambda at: first + (at - a) / (b - a) * (last - first)


def number(tick: str) -> float:
    return float(tick.replace(",", "").replace("−", "-"))


def by_model(marks: Sequence[Mark], series: str) -> dict[str, Mark]:
    return {mark.model: mark for mark in marks if mark.series == series}


# --- marks stand where the numbers say -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figure", "pane", "series", "experiment", "metric"),
    [
        ("association", "accuracy", "accuracy", "association", "accuracy"),
        ("association", "accuracy", "always no", "association", "always_no"),
        ("association", "precision", "precision", "association", "precision"),
        ("association", "recall", "recall", "association", "recall"),
        ("association", "how often", "predicted", "association", "predicted_rate"),
        ("restriction", "accuracy", "accuracy", "restriction", "accuracy"),
        ("restriction", "accuracy", "label", "restriction", "label"),
        ("restriction", "over-niceness", "over-niceness", "restriction", "over_niceness"),
        ("difficulty", "ranking accuracy", "readable", "difficulty", "accuracy"),
        ("difficulty", "right answers", "question accuracy", "difficulty", "question_accuracy"),
        ("experiments", "difficulty", "difficulty accuracy", "difficulty", "accuracy"),
        ("readiness", "answers the request", "predicted", "restriction", "predicted_rate"),
        ("ladder", "association", "itself", "association", "skill"),
        ("equal_rate", "association", "model", "association", "share_of_ceiling"),
        ("equal_rate", "restriction", "baseline", "restriction", "baseline_share_of_ceiling"),
    ],
)
def test_a_mark_and_its_interval_lie_at_the_score(
    drawn: dict[str, Figure], scores: Scores, figure: str, pane: str, series: str, experiment: str, metric: str
) -> None:
    marks = by_model(marks_of(drawn[figure], pane), series)
    assert marks.keys() == set(PANEL)
    for model, mark in marks.items():
        row = scores.row(model, experiment, metric)
        assert row.value is not None
        # a hundredth of a unit on an axis of about a hundred units
        assert mark.value == pytest.approx(row.value, abs=3e-4)
        assert f"{row.value:.3f}".removeprefix("0") in mark.title
        if mark.low is not None:
            assert row.low is not None
            # a share of what is possible is drawn from 0 on: what is below is cut, with the head of an arrow
            is_cut = figure == "equal_rate" and row.low < 0
            low = 0.0 if is_cut else row.low
            assert (mark.low, mark.high) == (pytest.approx(low, abs=6e-4), pytest.approx(row.high, abs=6e-4))
            assert mark.is_cut is is_cut


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figure", "pane", "experiment"),
    [
        ("association", "how often", "association"),
        ("readiness", "lists the word", "association"),
        ("readiness", "answers the request", "restriction"),
    ],
)
def test_how_often_it_came_true_is_of_the_claims_with_both_sides_read(
    panel: Run, drawn: dict[str, Figure], figure: str, pane: str, experiment: str
) -> None:
    both = panel.observations.filter((pl.col("experiment") == experiment) & (pl.col("state") == "read"))
    marks = by_model(marks_of(drawn[figure], pane), "did")
    assert marks.keys() == set(PANEL)
    for model, mark in marks.items():
        assert mark.value == pytest.approx(both.filter(model=model)["observed"].mean(), abs=3e-4)
        assert mark.low is None  # what is tested is its difference from what was predicted


@pytest.mark.slow
def test_every_number_of_the_models_own_has_its_interval(drawn: dict[str, Figure]) -> None:
    for name, panel, series in (
        ("association", "accuracy", "accuracy"),
        ("restriction", "over-niceness", "over-niceness"),
        ("difficulty", "ranking accuracy", "strict"),
        ("readiness", "lists the word", "predicted"),
    ):
        marks = by_model(marks_of(drawn[name], panel), series)
        assert marks and all(mark.low is not None and mark.low <= mark.value for mark in marks.values()), name


@pytest.mark.slow
def test_strict_beside_readable_are_the_scores_of_both(panel: Run, drawn: dict[str, Figure]) -> None:
    strict = score([panel], "strict")
    marks = marks_of(drawn["difficulty"], "ranking accuracy")
    for model, mark in by_model(marks, "strict").items():
        row = strict.row(model, "difficulty", "accuracy")
        assert (mark.value, mark.low) == (pytest.approx(row.value, abs=3e-4), pytest.approx(row.low, abs=6e-4))
    apart = by_model(marks, "strict")["sim/breaks-format"], by_model(marks, "readable")["sim/breaks-format"]
    assert apart[0].value < apart[1].value


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["strict", "readable", "authors"])
def test_a_quick_accuracy_is_that_of_the_scores(panel: Run, convention: str) -> None:
    """Asked from scores of another convention, all is counted anew; it comes out as `selfexec score` has it."""
    whole = score([panel], convention)
    other = score([panel], "readable" if convention != "readable" else "strict")
    for experiment in ("association", "restriction", "difficulty"):
        found = FigureNumbers([panel], other).accuracies(experiment, convention)
        for model in PANEL:
            row = whole.row(model, experiment, "accuracy")
            assert found[model].value == pytest.approx(row.value)
            assert (found[model].low, found[model].high) == (pytest.approx(row.low), pytest.approx(row.high))


# Wilson 1927: of 30 trials all right the low end is 30 / (30 + z^2), of 30 all wrong the high end z^2 / (30 + z^2)
Z_SQUARED = 1.959963984540054**2
ALL_ALIKE = {
    "right": (True, (1.0, 30 / (30 + Z_SQUARED), 1.0)),
    "wrong": (False, (0.0, 0.0, Z_SQUARED / (30 + Z_SQUARED))),
    "unread": (None, (None, None, None)),
}


@pytest.mark.parametrize("alike", ALL_ALIKE)
@pytest.mark.parametrize("experiment", ["association", "restriction", "difficulty"])
@pytest.mark.parametrize("convention", ["strict", "readable"])
def test_a_quick_accuracy_is_that_of_the_scores_where_all_items_are_alike(
    experiment: str, alike: str, convention: str
) -> None:
    said, expected = ALL_ALIKE[alike]
    row = pair if experiment == "difficulty" else request
    state = "unreadable" if said is None else "read"
    rows = [row(n, None if said is None else said == (n < 20), n < 20, state) for n in range(30)]
    rows = [claim | {"experiment": experiment} for claim in rows]
    found, _ = accuracy_on(table(rows).claims[experiment], convention == "strict")
    numbers = (found.value, *found.interval)
    assert tuple(None if math.isnan(number) else number for number in numbers) == pytest.approx(expected)
    whole = scores_of(rows, convention).row("m", experiment, "accuracy")
    assert (whole.value, whole.low, whole.high) == pytest.approx(expected)


@pytest.mark.slow
def test_a_number_says_on_how_many_items_it_rests_and_of_how_many(panel: Run, drawn: dict[str, Figure]) -> None:
    model = "sim/breaks-format"
    claims = panel.observations.filter((pl.col("model") == model) & (pl.col("experiment") == "restriction"))
    asked, read = claims["item"].n_unique(), claims.filter(pl.col("state") == "read")["item"].n_unique()
    assert 0 < read < asked
    mark = by_model(marks_of(drawn["restriction"], "accuracy"), "accuracy")[model]
    assert f"n = {read} of {asked} requests" in mark.title
    table = drawn["restriction"]
    row = next(row for row in table.rows if row[0] == model)
    assert row[table.columns.index("requests")] == str(read)


@pytest.mark.slow
def test_the_best_baseline_is_the_most_accurate_one(drawn: dict[str, Figure], scores: Scores) -> None:
    baselines = ("always_yes", "always_no", "label", "others_mode")
    for model, mark in by_model(marks_of(drawn["restriction"], "accuracy"), "most accurate baseline").items():
        best = max(scores.value(model, "restriction", baseline) or 0 for baseline in baselines)
        assert mark.value == pytest.approx(best, abs=3e-4)


@pytest.mark.slow
def test_tokens_are_drawn_in_equal_ratios_from_tenth_to_tenth(panel: Run, drawn: dict[str, Figure]) -> None:
    answers = panel.sessions.filter((pl.col("experiment") == "difficulty") & (pl.col("session") != "predict"))
    for model, mark in by_model(marks_of(drawn["tokens"], "tokens", log=True), "median").items():
        tokens = answers.filter((pl.col("model") == model) & (pl.col("state") != "missing"))["output_tokens"]
        for found, share in ((mark.low, 0.1), (mark.value, 0.5), (mark.high, 0.9)):
            # linear interpolation, as numpy and polars both define it
            assert found == pytest.approx(tokens.quantile(share, "linear"), rel=3e-3)


def test_the_spread_of_tokens_in_a_group_is_the_published_one(ten_models: Run, reference: Path) -> None:
    """Figure 5's error bars; of models of which every group has its four counts."""
    published = json.loads((reference / "published.json").read_text("utf-8"))["models"]
    found = answer_tokens(ten_models.sessions, "difficulty")
    for model in ("gpt-4.1", "mistral-7b", "claude-3.5-haiku"):
        assert found[model].within == pytest.approx(published[model]["difficulty"]["answer_tokens_sd_fraction_mean"])


@pytest.mark.slow
def test_planes_put_ability_across_and_the_score_up(drawn: dict[str, Figure], scores: Scores) -> None:
    svg = parsed(drawn["ability"])
    found = {}
    for g in svg.iter(f"{SVG}g"):
        if g.get("data-series") == "score" and "sx-mark" in (g.get("class") or ""):
            x, y = map(float, re.findall(r"[-\d.]+", g.get("transform") or ""))
            found[g.get("data-model")] = (x, y)
    assert found.keys() == set(PANEL)
    # equal steps of ability are equal steps across
    places = [found[model][0] for model in PANEL]
    steps = [b - a for a, b in pairwise(places)]
    assert steps == pytest.approx([steps[0]] * 4, abs=0.02) and steps[0] > 0
    # and heights go with the score: the same straight line through every model whose headline stands
    known = [(scores.value(m, "overall", "self_execution_score"), found[m][1]) for m in PANEL]
    shown = [(size, y) for size, y in known if size is not None]
    (s0, y0), (s1, y1) = min(shown), max(shown)
    assert y1 < y0
    for size, y in shown:
        assert y == pytest.approx(y0 + (size - s0) / (s1 - s0) * (y1 - y0), abs=0.05)


@pytest.mark.slow
def test_a_withheld_headline_is_faint_and_says_why(panel: Run) -> None:
    strict = score([panel], "strict")
    figure = next(f for f in figures([panel], strict, abilities=ABILITIES) if f.id == "ability")
    row = strict.row("sim/breaks-format", "overall", "skill")
    assert row.value is None
    faint = [g for g in parsed(figure).iter(f"{SVG}g") if "sx-faint" in (g.get("class") or "") and g.get("data-model")]
    ours = [g for g in faint if g.get("data-model") == "sim/breaks-format"]
    assert ours and all("withheld: " in (g.findtext(f"{SVG}title") or "") for g in ours)
    assert not any(path.get("class") == "sx-span" for g in faint for path in g.iter(f"{SVG}path"))


@pytest.mark.slow
def test_stacked_bars_are_as_long_as_what_was_lost(panel: Run, drawn: dict[str, Figure]) -> None:
    for experiment in ("association", "difficulty"):
        part = next(g for g in parsed(drawn["loss"]).iter(f"{SVG}g") if g.get("data-panel") == experiment)
        value_of = axis(part, "x")
        bars = [g for g in part.iter(f"{SVG}g") if g.get("data-model") == "sim/breaks-format"]
        rects = [rect for g in bars for rect in g.iter(f"{SVG}rect")]
        ends = [float(r.get("x") or 0) + float(r.get("width") or 0) for r in rects]
        mine = panel.sessions.filter((pl.col("model") == "sim/breaks-format") & (pl.col("experiment") == experiment))
        lost = (mine["state"] != "read").mean()
        assert value_of(max(ends)) == pytest.approx(lost, abs=3e-3)
        # one piece after the other, without a gap
        assert min(float(r.get("x") or 0) for r in rects) == pytest.approx(float(rects[0].get("x") or 0))
        for before, after in pairwise(rects):
            end = float(before.get("x") or 0) + float(before.get("width") or 0)
            assert float(after.get("x") or 0) == pytest.approx(end, abs=0.03)


def test_no_name_of_thirty_characters_is_cut() -> None:
    name = "mistral-large-instruct-2411-fp8"[:30]
    model_order = order_models({name: (0, -0.5), "b": (0, -0.4)}, None)
    rows_ = rows(model_order, "one", "t", "d", [RowPanel("p", [Dot(name, "s", 0.5, "x"), Dot("b", "s", 0.4, "y")])], [])
    assert f"{name}</text>" in rows_(SCREEN)


def test_figures_that_are_not_drawn_say_what_they_take() -> None:
    nothing = absent([], PAPER_HEADLINE.experiments)
    assert [one.title for one in nothing][:2] == ["The experiments side by side", "Skill at equal yes rates"]
    ladder = Figure("ladder", "t", "c", None, [], [])
    calibrated = Figure("tokens", "t", "c", None, [], [])
    assert {one.title for one in nothing} - {
        one.title for one in absent([ladder, calibrated], PAPER_HEADLINE.experiments)
    } == {
        "The ladder",
        "Tokens of one answer",
    }
    # nor is anything said of experiments that were not asked
    assert not any(one.of for one in absent([], ["habit"]))
    assert {e for one in absent([], ["habit", "difficulty"]) for e in one.of} == {"difficulty"}


@pytest.mark.slow
def test_correlations_are_over_the_models_that_have_both(drawn: dict[str, Figure], scores: Scores) -> None:
    table = drawn["correlations"]
    pairs = {(row[0], row[1]): row for row in table.rows}
    assert len(pairs) == 7 and pairs["mean accuracy", "ability"][2] == "5"  # no whole with its parts
    # by hand: r of the two columns, from their covariance
    pairs_of = {f"{row[0]}, {row[1]}": row[3] for row in table.rows}
    x = np.array([scores.value(m, "association", "accuracy") for m in PANEL], float)
    y = np.array([ABILITIES[m] for m in PANEL])
    r = np.cov(x, y)[0, 1] / math.sqrt(np.var(x, ddof=1) * np.var(y, ddof=1))
    assert float(pairs_of["association, ability"].split()[0].replace("−", "-")) == pytest.approx(r, abs=6e-3)


@pytest.mark.slow
def test_three_models_are_too_few_to_correlate(panel: Run) -> None:
    few = Scores(row for row in score([panel], "readable") if row.model in PANEL[:3])
    found = {figure.id for figure in figures([panel], few, abilities=ABILITIES)}
    assert "correlations" not in found and "association" in found


# --- what a figure promises ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_figure_is_one_whole_drawing_of_its_own(drawn: dict[str, Figure]) -> None:
    for id, figure in drawn.items():
        root = parsed(figure)
        assert root.tag == f"{SVG}svg" and root.get("role") == "img" and root.get("viewBox")
        assert root.findtext(f"{SVG}title") == figure.title and root.findtext(f"{SVG}desc") == figure.caption, id
        assert not list(root.iter(f"{SVG}script")) and not list(root.iter(f"{SVG}image"))
        # nothing from elsewhere, and every colour may be the page's
        assert "url(" not in figure.svg and "href" not in figure.svg
        assert not re.search(r"(?<!,)#[0-9a-f]{3,6}\b", figure.svg.replace("&#x27;", ""))
        marks = [g for g in root.iter(f"{SVG}g") if "sx-mark" in (g.get("class") or "")]
        assert marks and all(mark.findtext(f"{SVG}title") for mark in marks)


@pytest.mark.slow
def test_ids_do_not_clash_on_a_page(drawn: dict[str, Figure]) -> None:
    ids = [element.get("id") for figure in drawn.values() for element in parsed(figure).iter() if element.get("id")]
    assert len(ids) == len(set(ids)) >= 2 * len(drawn)


@pytest.mark.slow
def test_tables_are_rectangles_of_text(drawn: dict[str, Figure]) -> None:
    for figure in drawn.values():
        assert figure.rows
        assert all(len(row) == len(figure.columns) and all(isinstance(c, str) for c in row) for row in figure.rows)


@pytest.mark.slow
def test_nothing_leaves_the_drawing(drawn: dict[str, Figure]) -> None:
    for figure in drawn.values():
        root = parsed(figure)
        _, _, width, height = map(float, (root.get("viewBox") or "").split())
        for text in root.iter(f"{SVG}text"):
            x, y, long = float(text.get("x") or 0), float(text.get("y") or 0), breadth(text.text or "", 11)
            start = x - {"middle": long / 2, "end": long}.get(text.get("text-anchor") or "", 0)
            assert start > -1 and start + long < width + 8 and 0 < y < height, (figure.id, text.text)


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(panel: Run, scores: Scores, drawn: dict[str, Figure]) -> None:
    again = part_of(sx.load(panel.folder), models=PANEL)
    assert shown(drawn.values()) == shown(figures([again], scores, abilities=ABILITIES))


@pytest.mark.slow
def test_the_order_of_models_changes_nothing(panel: Run, drawn: dict[str, Figure]) -> None:
    backwards = {key: panel.replies[key] for key in sorted(panel.replies, reverse=True)}
    run = replace(panel, replies=backwards)
    whole = score([run], "readable")
    scores = Scores(reversed(list(whole)), parts=dict(reversed(whole.parts.items())))
    found = {figure.id: figure for figure in figures([run], scores, abilities=dict(reversed(ABILITIES.items())))}
    assert list(found) == list(drawn)
    for id, figure in drawn.items():
        assert shown([found[id]]) == shown([figure]), id


@pytest.mark.slow
def test_runs_apart_are_drawn_as_runs_together(panel: Run, drawn: dict[str, Figure]) -> None:
    runs = [part_of(panel, models=PANEL[:2]), part_of(panel, models=PANEL[2:])]
    found = figures(runs, score(runs, "readable"), abilities=ABILITIES)
    assert shown(found) == shown(drawn.values())


@pytest.mark.slow
def test_what_is_not_there_is_left_out(panel: Run) -> None:
    only = part_of(panel, experiments=["association"])
    found = {f.id for f in figures([only], score([only], "readable"))}
    assert found == {"ladder", "association", "readiness", "equal_rate", "loss"}


@pytest.mark.slow
def test_one_model_without_company_has_nothing_at_its_rate_and_no_correlations(panel: Run) -> None:
    alone = part_of(panel, models=["sim/coin"])
    found = {figure.id for figure in figures([alone], score([alone], "strict"))}
    assert {"association", "restriction", "difficulty", "tokens"} <= found
    assert not found & {"correlations", "ability", "equal_rate"}


@pytest.mark.slow
def test_no_scores_no_figures(panel: Run) -> None:
    assert figures([panel], Scores([])) == []


@pytest.mark.slow
def test_without_token_counts_there_are_no_tokens_to_draw(panel: Run) -> None:
    import msgspec

    bare = {key: msgspec.structs.replace(reply, output_tokens=None) for key, reply in panel.replies.items()}
    run = replace(panel, replies=bare)
    found = {figure.id for figure in figures([run], score([run], "readable"), abilities=ABILITIES)}
    assert not found & {"tokens", "ordering"}


@pytest.mark.slow
def test_the_authors_counting_is_drawn_without_intervals(panel: Run) -> None:
    found = {figure.id: figure for figure in figures([panel], score([panel], "authors"))}
    marks = by_model(marks_of(found["association"], "accuracy"), "accuracy")
    assert marks.keys() == set(PANEL) and all(mark.low is None for mark in marks.values())


# --- names -----------------------------------------------------------------------------------------------------------

OBEYED = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
HOSTILE = {
    "sim/typical": 'a<script>alert("1")</script>&amp;/b',
    "sim/breaks-format": "]]></style><g onload='x'>",
    "sim/knows-itself": "\x1b[31mred\x00\ud800",
    "sim/knows-models": "very/" + "long-" * 40 + "name",
    "sim/coin": "模型/測試 ‮evil",
}


def renamed(run: Run, names: dict[str, str]) -> Run:
    import msgspec

    def key(old: Key) -> Key:
        return old._replace(model=names[old.model])

    return replace(
        run, replies={key(k): msgspec.structs.replace(r, model=names[k.model]) for k, r in run.replies.items()}
    )


@pytest.mark.slow
def test_hostile_names_are_text_and_nothing_else(panel: Run, drawn: dict[str, Figure]) -> None:
    names = HOSTILE | {"sim/knows-itself": "\x1b[31mred\x00"}
    run = renamed(panel, names)
    found = figures([run], score([run], "readable"), abilities={names[m]: a for m, a in ABILITIES.items()})
    assert [figure.id for figure in found] == list(drawn)
    for figure in found:
        for text in (figure.svg, as_csv(figure)):
            assert not re.search(OBEYED, text)
        root = parsed(figure)  # well-formed, whatever the names
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "style", "g", "rect", "line", "path", "circle", "text"}
        assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)
    whose = {g.get("data-model") for g in parsed(found[0]).iter(f"{SVG}g") if g.get("data-model")}
    assert whose == {harmless(name) for name in names.values()}
    assert names["sim/typical"] in whose


def test_text_that_no_xml_can_hold_is_shown_by_its_number() -> None:
    assert clean("a\x00b\ud800c\n d") == "a\\x00b\\ud800c d"


def test_long_names_keep_both_ends() -> None:
    short = shortened("meta-llama/llama-4-maverick-17b-128e-instruct-fp8", 150, 11)
    assert breadth(short, 11) <= 150
    assert short.startswith("meta") and short.endswith("fp8") and "…" in short
    assert shortened("gpt-4.1", 150, 11) == "gpt-4.1"


def test_the_picture_for_slides_has_every_skill_beside_its_baseline(panel: Run, scores: Scores) -> None:
    figure = margins(FigureNumbers([panel], scores))
    assert figure and figure.title == "; ".join(overall_in_brief(scores))
    experiments = ("association", "restriction", "difficulty")
    tested = {e: {one.subject: one for one in against_baseline(scores.of(e, "baseline_margin"))} for e in experiments}
    for experiment in experiments:
        marks = marks_of(figure, experiment)
        skills, held = by_model(marks, f"{experiment} skill"), by_model(marks, "best baseline")
        assert set(skills) == set(held) == set(PANEL)
        for model in PANEL:
            baseline, margin = (scores.row(model, experiment, m) for m in ("best_baseline", "baseline_margin"))
            assert skills[model].value == pytest.approx(scores.value(model, experiment, "skill"), abs=0.005)
            assert held[model].value == pytest.approx(baseline.value, abs=0.005)
            # the interval of the margin that was tested, from the dash; its own where nothing was tested
            one = tested[experiment][model]
            low, high = (one.tested_low, one.tested_high) if one.among else (margin.low, margin.high)
            ends = [(baseline.value or 0) + (end or 0) for end in (low, high)]
            assert [skills[model].low, skills[model].high] == pytest.approx(ends, abs=0.01)


def test_without_a_baseline_there_is_no_picture_for_slides(tmp_path: Path) -> None:
    run = sx.run(["sim/typical"], limit=30, out=tmp_path / "run")
    assert margins(FigureNumbers([run], score([run]))) is None


def test_models_stand_by_overall_skill_and_those_without_one_behind() -> None:
    merit = {
        "a-1": merit_of(0.7, [0.7, 0.7]),
        "b-1": merit_of(0.2, [0.2]),
        "a-2": merit_of(None, [0.95]),  # one part of it alone, and not judged
        "b-3": merit_of(0.99, [0.99], caution=True),  # ahead of nobody whose skill needs none
        "b-2": merit_of(0.9, [0.9]),
        "x/c": merit_of(None, []),
        "x/d": merit_of(None, [0.5, 0.4]),
    }
    model_order = order_models(merit)
    assert model_order.keys == ("b-2", "a-1", "b-1", "b-3", "a-2", "x/d", "x/c")
    assert model_order.groups == dict.fromkeys(merit, UNKNOWN_FAMILY)
    assert model_order.labels["x/c"] == "x/c" and not model_order.headed


def test_given_families_stand_together_the_best_first() -> None:
    # b's best (.9) is above a's (.8), though a's two are above b's other
    merit = {model: (0, -skill) for model, skill in {"1": 0.8, "2": 0.2, "3": 0.7, "4": 0.9}.items()}
    model_order = order_models(merit, {"1": "a", "3": "a", "2": "b", "4": "b"})
    assert model_order.keys == ("4", "2", "1", "3") and model_order.headed


def test_a_providers_name_stays_where_it_tells_models_apart() -> None:
    assert order_models({"a/m": (0, 0.1), "b/m": (0, 0.2)}).labels == {"a/m": "a/m", "b/m": "b/m"}


@pytest.mark.slow
def test_given_groups_are_headed_and_marked(panel: Run, scores: Scores) -> None:
    groups = {"sim/typical": "plain", "sim/coin": "plain", "sim/knows-itself": "knowing"}
    figure = figures([panel], scores, groups=groups)[0]
    root = parsed(figure)
    families = {g.get("data-model"): g.get("data-family") for g in root.iter(f"{SVG}g") if g.get("data-model")}
    assert families == {m: groups.get(m, UNKNOWN_FAMILY) for m in PANEL}
    bold = {text.text for text in root.iter(f"{SVG}text") if text.get("class") == "sx-strong"}
    assert {"plain", "knowing", UNKNOWN_FAMILY} <= bold


TWO = {"gpt-4": (0, -0.5), "o3": (0, -0.6)}


def test_groups_that_say_what_names_say_take_no_headings() -> None:
    assert not order_models(TWO, {"gpt-4": "openai", "o3": "openai"}).headed
    assert order_models(TWO, {"gpt-4": "openai", "o3": "google"}).headed


# --- abilities -------------------------------------------------------------------------------------------------------


def test_abilities_come_from_a_table_or_from_what_rasch_prints(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("model,size,ability\nm,7,0.5\nn,8,\n")
    assert read_abilities(tmp_path / "a.csv") == {"m": 0.5}
    (tmp_path / "b.json").write_text('{"abilities": {"m": 0.5, "n": null}, "method": "newton"}')
    assert read_abilities(tmp_path / "b.json") == {"m": 0.5}


@pytest.mark.parametrize(("name", "text"), [("a.csv", "model,one,two\nm,1,2\n"), ("b.json", "[1]"), ("c.json", "{")])
def test_a_file_without_abilities_is_refused_by_name(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=name):
        read_abilities(tmp_path / name)


@pytest.mark.slow
def test_models_of_table_1_are_known_by_name_with_or_without_provider(panel: Run) -> None:
    run = renamed(
        panel, dict(zip(PANEL, ["o4-mini", "openai/gpt-4.1", "mistral-7b", "who", "qwen-2.5-7b"], strict=True))
    )
    numbers = FigureNumbers([run], score([run], "readable"))
    assert numbers.abilities.keys() == {"o4-mini", "openai/gpt-4.1", "mistral-7b", "qwen-2.5-7b"}
    # published in the paper's appendix: o4-mini 1.65, mistral-7b -1.28
    assert numbers.abilities["o4-mini"] == pytest.approx(1.65, abs=0.01)
    assert numbers.abilities["mistral-7b"] == pytest.approx(-1.28, abs=0.01)


@pytest.mark.slow
def test_simulated_models_have_no_known_ability(panel: Run, scores: Scores) -> None:
    assert "ability" not in {figure.id for figure in figures([panel], scores)}


# --- scales ----------------------------------------------------------------------------------------------------------


def test_ticks_are_round_and_within() -> None:
    assert even_ticks(0, 1, 6) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert even_ticks(0, 1, 3) == [0, 0.5, 1]
    assert even_ticks(-0.45, 0.1, 4) == [-0.4, -0.2, 0]
    assert log_ticks(90, 2400, 5) == [100, 200, 500, 1000, 2000]
    assert log_ticks(9, 20000, 5) == [10, 100, 1000, 10000]
    # no two of 1, 2, 5 times a power of ten
    assert log_ticks(210, 420, 4) == [250, 300, 350, 400]


def test_tick_labels_are_short() -> None:
    assert [tick_label(v) for v in (0, 0.25, 1, -0.5, 2000)] == ["0", ".25", "1", "−.5", "2,000"]


@pytest.mark.parametrize("log", [False, True])
def test_a_scale_puts_its_ends_at_its_ends(log: bool) -> None:
    scale = Scale(10, 1000, 50, 250, log)
    assert (scale(10), scale(1000)) == (pytest.approx(50), pytest.approx(250))
    # in equal ratios 100 is half of the way from 10 to 1000; else (100 - 10) / 990 of it
    assert scale(100) == pytest.approx(150 if log else 50 + 200 * 90 / 990)
    assert scale.clipped(5000) == pytest.approx(250)


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("width", "mm"), [("column", 82.5), ("page", 171)])
def test_svg_files_need_no_variables_and_no_media_queries(drawn: dict[str, Figure], width: str, mm: float) -> None:
    for figure in drawn.values():
        text = as_svg(figure, SHEETS[width])
        assert "var(" not in text and "@media" not in text and "--sx" not in text
        root = ET.fromstring(text)
        assert root.get("width") == f"{mm:.2f}mm" and float((root.get("height") or "").removesuffix("mm")) > 10
        # one closing brace for each that opens: no rule was cut in two
        style = root.findtext(f"{SVG}style") or ""
        assert style.count("{") == style.count("}") > 10


@pytest.mark.slow
def test_every_number_in_csv_is_that_of_the_scores_and_of_the_table(drawn: dict[str, Figure], scores: Scores) -> None:
    as_scored = {(row.model, f"{row.experiment} {row.metric}"): (row.value, row.low, row.high) for row in scores}
    compared = 0
    for figure in drawn.values():
        rows = list(csv.DictReader(io.StringIO(as_csv(figure))))
        keys = figure.columns[: figure.keys]
        cells = {tuple(row[: figure.keys]): dict(zip(figure.columns, row, strict=True)) for row in figure.cells}
        assert len(rows) == sum(bool(cell) for row in figure.cells for cell in row[figure.keys :])
        for row in rows:
            shown = cells[tuple(row[key] for key in keys)][row["quantity"]]
            numbers = [float(row[name]) if row[name] else None for name in ("value", "low", "high")]
            assert (row["said"] == shown) != (numbers[0] is not None)
            for told, number in zip(re.findall(r"-?[\d,]*\.?\d+", shown), numbers, strict=False):
                if number is not None:
                    assert float(told.replace(",", "")) == pytest.approx(
                        number, abs=0.51 if "." not in told else 5.1e-3
                    )
            assert not (row["quantity"].endswith("did") and row["score"])  # it is no row of the scores
            if row["score"]:
                assert tuple(numbers) == as_scored[row["model"], row["score"]]
                compared += 1
    assert compared > 150


@pytest.mark.slow
def test_svg_and_csv_take_nothing_else(
    drawn: dict[str, Figure], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    paths = export(drawn.values(), tmp_path / "out", ("svg", "csv"))
    assert {path.name for path in paths} == {f"{id}.{form}" for id in drawn for form in ("svg", "csv")}
    assert (tmp_path / "out" / "association.csv").read_text() == as_csv(drawn["association"])


@pytest.mark.slow
def test_a_folder_may_be_given_as_text_and_a_figure_is_shown_in_a_notebook(
    drawn: dict[str, Figure], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    figure = drawn["association"]
    assert export([figure], "out", ("csv",)) == [Path("out") / "association.csv"]
    shown = figure._repr_html_()
    assert figure.svg in shown and escape(figure.caption) in shown
    assert repr(figure) == f"Figure('association': {figure.headline})"
    table = replace(figure, drawing=None)._repr_html_()
    assert "<svg" not in table and all(escape(cell) in table for cell in figure.columns)


@pytest.mark.slow
def test_without_the_extra_png_is_refused_in_one_line_and_nothing_written(
    drawn: dict[str, Figure], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(InputError, match=re.escape(to_install("figures"))) as caught:
        export(drawn.values(), tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_file_in_the_way_of_the_folder_is_named(drawn: dict[str, Figure], tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="out"):
        export(drawn.values(), tmp_path / "out", ("csv",))
    with pytest.raises(InputError, match="jpeg"):
        export(drawn.values(), tmp_path / "new", ("jpeg",))
    with pytest.raises(InputError, match="unknown width 'slide'"):
        export(drawn.values(), tmp_path / "new", ("csv",), "slide")


@pytest.mark.slow
def test_png_and_pdf_are_what_they_say(drawn: dict[str, Figure], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    figure = drawn["association"]
    export([figure], tmp_path, DRAWN)
    png, pdf = ((tmp_path / f"association.{form}").read_bytes() for form in DRAWN)
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and png[12:16] == b"IHDR"
    assert int.from_bytes(png[16:20], "big") == int(82.5 / 25.4 * 400)
    # 82.5 mm are 233.86 points
    assert re.search(rb"/MediaBox ?\[ ?0 0 233\.86", pdf)
    assert pdf.startswith(b"%PDF-") and b"%%EOF" in pdf[-32:]
    assert len(png) > 20_000  # something is drawn


@pytest.mark.slow
def test_the_same_drawing_is_the_same_bytes_in_each_format(drawn: dict[str, Figure], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    figure = max(drawn.values(), key=lambda figure: len(figure.svg))
    first, *others = [
        {path.suffix: path.read_bytes() for path in export([figure], tmp_path / str(n))} for n in range(4)
    ]
    assert len(first) == len(FORMATS) and all(other == first for other in others)


# --- the ten recorded models -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ten_real_models_have_every_figure(as_the_authors_read_them: Run) -> None:
    scores = score([as_the_authors_read_them], "readable")
    found = {figure.id: figure for figure in figures([as_the_authors_read_them], scores)}
    assert list(found) == [
        *("readiness", "equal_rate", "ladder", "loss", "ability"),
        *("experiments", "association", "restriction", "difficulty", "tokens", "ordering"),
        "correlations",
    ]
    # STATISTICS.md: .628 [.606, .650]
    mark = by_model(marks_of(found["association"], "accuracy"), "accuracy")["o4-mini"]
    assert mark.value == pytest.approx(0.628, abs=1e-3)
    assert (mark.low, mark.high) == (pytest.approx(0.606, abs=1e-3), pytest.approx(0.650, abs=1e-3))
    # its answers were never recorded: no accuracy, and a coverage that says so
    table = found["difficulty"]
    cells = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}["gemini-2.5-flash"]
    assert cells["accuracy, readable"] == "" and cells["coverage"].startswith(".000")
