"""The picture on the front: it shows what `score` says and nothing else, wherever there is room for it."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

import selfexec as sx
from browser import Browser
from selfexec.analysis.findings import Finding, Tone
from selfexec.analysis.selection import Selection
from selfexec.analysis.words import own_in_brief
from selfexec.experiments import PAPER
from selfexec.report.data import Data, Options
from selfexec.report.page import page
from selfexec.report.picture import Picture, in_a_line, picture
from selfexec.report.svg import Gap, gap
from selfexec.runs import Run
from selfexec.text.numbers import typeset

EXPERIMENTS = [*PAPER.experiments]


def drawn(run: Run, **options: Any) -> Picture:
    data = Data(Selection.of(run, **options), Options())
    found = picture(data.scores, data.models)
    assert found
    return found


# --- drawings --------------------------------------------------------------------------------------------------------


def places(svg: str, picture: Picture | None = None) -> dict[str, list[float]]:
    """What a drawing shows, in values by kind of mark, read off its own lines at the ticks."""
    low, high = picture.axis.scale if picture else (0.0, 1.0)
    found: dict[str, list[float]] = {}
    for part in re.findall(r"<(?:line|circle|rect)[^>]*>", svg):
        kind = re.search(r'class="([a-z ]+)"', part)
        xs = [float(x) for x in re.findall(r'(?:x1|x2|cx|x|width)="(-?[\d.]+)%"', part)]
        if "rect" in part:
            xs[1] += xs[0]
        found.setdefault(kind[1] if kind else "dot", []).extend(low + x / 100 * (high - low) for x in xs)
    return found


def test_dot_dash_bar_and_interval_stand_where_their_numbers_are() -> None:
    # .8 held against .5: the margin is .3, and its interval [.2, .4] lies around the dot, .5 + .2 to .5 + .4
    marks = places(gap(Gap(0.8, 0.5, 0.2, 0.4), (0.0, 1.0), [0.0, 0.5, 1.0]))
    assert marks["dot"] == [pytest.approx(0.8)]
    assert marks["held"] == pytest.approx([0.5, 0.5])
    assert marks["gap ahead"] == pytest.approx([0.5, 0.8])
    assert marks["whisker"] == pytest.approx([0.7, 0.9])
    assert marks["zero"] + marks["tick"] == pytest.approx([0, 0, 0.5, 0.5, 1, 1])


def test_a_bar_goes_from_the_lesser_to_the_greater_and_says_who_is_ahead() -> None:
    behind = places(gap(Gap(0.2, 0.5, -0.4, -0.2), (-1.0, 1.0), []), None)
    # on a scale from -1: .2 is at .6 of the width, .5 at .75
    assert behind["gap behind"] == pytest.approx([0.6, 0.75])
    assert behind["whisker"] == pytest.approx([0.55, 0.65])


def test_without_a_baseline_there_is_a_dot_with_its_own_interval() -> None:
    marks = places(gap(Gap(0.4, None, 0.3, 0.5), (0.0, 1.0), []))
    assert marks == {"dot": [pytest.approx(0.4)], "whisker": pytest.approx([0.3, 0.5])}


@pytest.mark.parametrize(
    ("which", "scored"),
    [
        ("small_panel", "scores_of_the_small_panel"),
        pytest.param("ten_models", "scores_of_ten", marks=pytest.mark.slow),
    ],
)
def test_every_mark_is_at_the_number_of_score(which: str, scored: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(which)
    data = json.loads(request.getfixturevalue(scored).json())
    rows = data["scores"]
    known = {(r["model"], r["experiment"], r["metric"]): r for r in rows}
    tested = {
        (v["model"], v["experiment"]): v for v in data["verdicts"] if v["question"] == "margin" and v["tested_together"]
    }
    found = drawn(run)
    assert [panel.experiment for panel in found.panels] == ["overall", *EXPERIMENTS]
    seen = 0
    for panel in found.panels:
        for mark in (*panel.judged, *panel.apart):
            skill, margin = (known[mark.model, panel.experiment, m] for m in ("skill", "baseline_margin"))
            if skill["value"] is None:
                assert mark.drawing is None
                continue
            seen += 1
            marks = places(mark.drawing or "", found)
            assert marks["dot"] == pytest.approx([skill["value"]], abs=2e-4)
            if panel.experiment == "overall":
                held = skill["value"] - margin["value"]
            else:  # the same by another way: the baseline has a row of its own
                held = known[mark.model, panel.experiment, "best_baseline"]["value"]
            assert marks["held"] == pytest.approx([held, held], abs=2e-4)
            one = tested.get((mark.model, panel.experiment))
            low, high = (one["tested_low"], one["tested_high"]) if one else (margin["low"], margin["high"])
            assert marks["whisker"] == pytest.approx([held + low, held + high], abs=2e-4)
            assert mark.number and mark.number.value == margin["value"]
            assert mark.faint is bool(skill["reason"] or margin["reason"])
    assert seen >= 20


# --- who stands where ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_models_without_an_overall_score_stand_apart_and_say_why(ten_models: Run, scores_of_ten: sx.Scores) -> None:
    found = drawn(ten_models)
    withheld = {m for m in scores_of_ten.models if scores_of_ten.value(m, "overall", "skill") is None}
    assert withheld == {"deepseek-r1", "gemini-2.5-flash", "llama-3.2-3b", "mistral-7b"}
    for panel in found.panels:
        assert {mark.model for mark in panel.apart} == withheld
        assert len(panel.judged) == 6
    assert found.why.keys() == withheld and found.incomplete and found.common == []
    # the reason is told once, though it is that of two numbers in two panels
    assert len(found.why["llama-3.2-3b"]) == 1
    assert found.why["llama-3.2-3b"][0].startswith("restriction: coverage .676 is below .9")


def orders(html: str) -> Iterator[list[str]]:
    """The models of each table and drawing, in the order in which they stand there."""
    for table in re.findall(r"<table.*?</table>", html, re.DOTALL):
        rows = re.findall(r'<tr (?:role="row" )?data-model="([^"]+)"', table)
        if len(set(rows)) > 1:
            yield list(dict.fromkeys(rows))
    yield re.findall(r'<details class="model" data-model="([^"]+)"', html)
    for svg in re.findall(r'<svg[^>]*class="sx .*?</svg>', html, re.DOTALL):
        if bands := re.findall(r'data-model="([^"]+)"[^>]*data-band', svg):
            yield bands


@pytest.mark.slow
def test_all_tables_and_figures_have_one_order_of_models(whole_panel: Run) -> None:
    data = Data(Selection.of(whole_panel), Options("none"))
    skill = {m: data.scores.value(m, "overall", "skill") for m in data.models}
    judged = [m for m in data.models if skill[m] is not None]
    assert judged == sorted(judged, key=lambda m: -(skill[m] or 0)) == list(data.models[: len(judged)])
    found = list(orders(page(data.selection, data.options)))
    assert len(found) > 20
    for order in found:
        places = [data.places[model] for model in order]
        # the picture has two groups, each in the order of the page
        assert places == sorted(places), order


# --- data that are not there -----------------------------------------------------------------------------------------


def test_a_model_alone_has_dots_and_no_holes(tmp_path: Path) -> None:
    run = sx.run(["sim/typical"], limit=60, out=tmp_path / "run")
    found, html = drawn(run), page(Selection.of(run), Options())
    assert not found.has_margins and not found.has_own and not found.has_open
    assert all(mark.number and mark.number.metric == "skill" for mark in found.marks)
    key = html[html.index('<p class="key">') : html.index('<div class="picture"')]
    assert "baseline" not in key and "margin" not in key
    assert 'class="held"' not in html and '<div class="own">' not in html
    assert "takes 6 models read on 60 items" in html


@pytest.mark.slow
def test_a_model_beside_a_reference_panel_has_margins_verdicts_and_the_panel_is_named(ten_models: Run) -> None:
    replies = {key: reply for key, reply in ten_models.replies.items() if key.model == "gpt-4.1"}
    run = Run(**{**vars_of(ten_models), "replies": replies})
    data = Data(Selection.of(run, panel="paper"), Options("none"))
    found = picture(data.scores, data.models)
    assert found and found.has_margins
    assert [len(panel.own) for panel in found.panels] == [0, 1, 1, 1]
    assert found.panels[1].own[0].startswith("Not shown (")
    html = page(data.selection, data.options)
    assert "Baselines are of the reference panel <code>paper</code>: 9 models" in html[: html.index('<main id="main">')]


def vars_of(run: Run) -> dict[str, Any]:
    import dataclasses

    return {field.name: getattr(run, field.name) for field in dataclasses.fields(run) if field.init}


@pytest.mark.parametrize("experiment", ["association", "failing_question"])
@pytest.mark.slow
def test_one_experiment_alone_has_one_panel_and_the_answer_says_who_is_ahead_in_it(
    experiment: str, tmp_path: Path
) -> None:
    run = sx.run(experiments=[experiment], limit=60, out=tmp_path / "run")
    found, html = drawn(run), page(Selection.of(run), Options())
    (panel,) = found.panels
    assert panel.experiment == experiment and not panel.apart and panel.first and found.beside == 1
    baseline, answer, *_ = re.findall(r'<p class="answer"[^>]*><bdi>(.*?)</bdi>', html)
    assert baseline.startswith("Models are compared with a baseline that knows only the questions and what other")
    assert answer.startswith(f"<b>{experiment.replace('_', ' ').capitalize()}.</b> ") and "the baseline" in answer


def test_where_nothing_was_read_there_is_no_picture(tmp_path: Path) -> None:
    run = sx.run(["sim/typical"], experiments=["restriction"], limit=3, out=tmp_path / "run")
    silent = {key: msgspec.structs.replace(reply, text="") for key, reply in run.replies.items()}
    nothing = Run(**{**vars_of(run), "replies": silent})
    data = Data(Selection.of(nothing), Options())
    assert picture(data.scores, data.models) is None
    assert 'class="picture"' not in page(data.selection, data.options)


def test_many_panels_stand_in_lines_of_like_length() -> None:
    # six are two lines of three, seven are four and three, eleven are four, four and three
    assert [in_a_line(panels) for panels in (1, 4, 5, 6, 7, 11)] == [1, 4, 5, 3, 4, 4]


# --- words -----------------------------------------------------------------------------------------------------------


def own(subject: str, verdict: str | None, value: float, source: str = "rule", **more: Any) -> Finding:
    ends = {"value": value, "tested_low": value - 0.02, "tested_high": value + 0.02}
    tone: Tone = "withheld" if verdict is None else "yes" if verdict == "own" else "open"
    return Finding("restriction", subject, "own", tone, verdict=verdict, source=source, **ends, **more)


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        ([own("panel", "own", 0.1)], ["Own (.10 [.08, .12])."]),
        ([own("panel", "not shown", 0.01, detectable=0.05)], ["Not shown (.01 [-.01, .03]; 80% power for .05)."]),
        ([own("panel", None, 0.03, "self", reason="each judges itself"), own("panel", "not shown", 0.0)],
         ["By one rule for all models, not shown (.00 [-.02, .02]); no verdict where each model judges its own "
          "responses."]),
        ([own("panel", None, 0.03, reason="few models")], ["No verdict: few models."]),
        # above 0 and yet not shown: it is said what is against it
        ([own("panel", "not shown", 0.1, against=("1:losses",))],
         ["Not shown (.10 [.08, .12]), since what was lost may account for it."]),
        ([own("panel", "not shown", 0.0), own("simulated panel", "own", 0.3)],
         ["Not shown (.00 [-.02, .02]).", "Simulated models: Own (.30 [.28, .32])."]),
        # held against a reference panel: by its name, where there are several
        ([own("a", "not shown", 0.0), own("b", "unresolved", 0.3, against=("1:cohort",))],
         ["a: Not shown (.00 [-.02, .02]).",
          "b: Unresolved (.30 [.28, .32]), since absent models of its kind may share it."]),
    ],
)  # fmt: skip
def test_the_verdict_on_own_excess_is_said_in_brief(found: Sequence[Finding], lines: list[str]) -> None:
    assert own_in_brief(found) == lines


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("-.05", "−.05"),
        ("margin -.26 [-.35, -.20]", "margin −.26 [−.35, −.20]"),
        ("(-1.000)", "(−1.000)"),
        ("gpt-4.1 and o4-mini, llama-3.2-3b", "gpt-4.1 and o4-mini, llama-3.2-3b"),
        ("by .11 to .31 - or so", "by .11 to .31 - or so"),
        ("gpt -3.5", "gpt -3.5"),
    ],
)
def test_numbers_have_a_true_minus_and_names_keep_their_hyphens(text: str, printed: str) -> None:
    assert typeset(text) == printed


HYPHENED = r"(?<![\w.])-(?:\.\d+|\d+\.\d\d)"


@pytest.mark.slow
def test_no_number_on_the_page_has_a_hyphen_for_a_minus(whole_panel: Run) -> None:
    html = page(Selection.of(whole_panel), Options("none"))
    for drawing in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        assert re.findall(HYPHENED, re.sub(r"<style>.*?</style>|<[^>]*>", " ", drawing)) == []
    shown = re.sub(r"<(style|script)\b.*?</\1>|<svg.*?</svg>|<[^>]*>", " ", html, flags=re.DOTALL)
    assert "−." in shown and re.search(r"<title>[^<]*−\.", html)  # hover texts, too
    assert re.findall(HYPHENED, shown) == []


# --- in a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def opened(whole_panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sx.report(whole_panel, tmp_path_factory.mktemp("page") / "report.html", evidence="none")


BOXES = """(selector => [...document.querySelectorAll(selector)].filter(e => e.getClientRects().length).map(e => {
    const b = e.getBoundingClientRect();
    return {model: (e.closest('tr') || e).dataset.model, x: b.left, y: b.top, right: b.right, bottom: b.bottom}; }))"""


def boxes(browser: Browser, selector: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = browser.js(f"{BOXES}({json.dumps(selector)})")
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("width", "lines"), [(1440, 1), (768, 2), (390, 4)])
def test_panels_stand_beside_each_other_where_there_is_room_and_below_where_there_is_none(
    browser: Browser, opened: Path, width: int, lines: int
) -> None:
    browser.open(opened, width)
    panels = boxes(browser, ".panel")
    assert len(panels) == 4 and len({round(panel["y"]) for panel in panels}) == lines
    parts = boxes(browser, ".picture *, .key *")
    assert min(part["x"] for part in parts) >= 0 and max(part["right"] for part in parts) <= width
    rows = {model: [b for b in boxes(browser, ".panel td.plot") if b["model"] == model] for model in ("sim/coin",)}
    assert len({round(b["y"]) for b in rows["sim/coin"]}) == lines  # a line of its own in each line of panels


@pytest.mark.slow
def test_names_stand_above_their_rows_on_a_phone_and_beside_them_elsewhere(browser: Browser, opened: Path) -> None:
    for width, above in ((390, True), (1440, False)):
        browser.open(opened, width)
        names, plots = boxes(browser, ".panel.first tbody th .name"), boxes(browser, ".panel.first td.plot")
        assert [name["model"] for name in names] == [plot["model"] for plot in plots]
        for name, plot in zip(names[:5], plots[:5], strict=True):
            assert (name["bottom"] <= plot["y"] + 1) is above
            assert (name["right"] <= plot["x"]) is not above


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 768, 1440])
def test_rows_of_all_panels_share_one_axis_however_long_names_are(browser: Browser, opened: Path, width: int) -> None:
    browser.open(opened, width)
    names = "[...document.querySelectorAll('.panel .name')].filter(n => n.textContent === 'sim/typical')"
    browser.js(f"{names}.forEach(n => n.textContent = 'M'.repeat(300))")
    marks = "p.querySelectorAll('tr:not(.blank) .plot .mini, .scale .mini')"
    plots = f"[...document.querySelectorAll('.panel')].map(p => [...{marks}]"
    ends = ".map(e => { const b = e.getBoundingClientRect(); return `${b.left} ${b.width}`; }))"
    for panel in browser.js(plots + ends):
        assert len(panel) > 5 and len(set(panel)) == 1
    assert browser.js("document.documentElement.scrollWidth") == width
    if width == 1440:  # the same line for a model in each panel
        tops: dict[str, set[int]] = {}
        for box in boxes(browser, ".panel tr[data-model]"):
            tops.setdefault(box["model"], set()).add(round(box["y"]))
        assert all(len(found) == 1 for found in tops.values())


@pytest.mark.slow
def test_a_filtered_model_leaves_every_panel_and_no_gap(browser: Browser, opened: Path) -> None:
    browser.open(opened, 1440)
    height = browser.js("document.querySelector('.picture').offsetHeight")
    browser.js("(f => { f.value = 'coin'; f.dispatchEvent(new Event('input')); })(document.getElementById('find'))")
    assert {box["model"] for box in boxes(browser, ".picture tr[data-model]")} == {"sim/coin"}
    assert browser.js("document.querySelector('.picture').offsetHeight") < height - 100
    assert boxes(browser, ".panel .heading") == []  # nobody is left in that group


@pytest.mark.slow
def test_the_reason_behind_a_mark_opens_without_a_pointer(browser: Browser, opened: Path) -> None:
    browser.open(opened, 1440)
    assert "coverage" not in browser.js("document.querySelector('.picture').innerText")
    browser.js("document.querySelector('.why summary').focus()")
    browser.press("Enter", 13)
    assert "coverage" in browser.js("document.querySelector('.picture').innerText")
