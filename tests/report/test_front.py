"""The front of the page: it shows what `score` says and nothing else, wherever there is room for it."""

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

import selfexec as sx
from browser import Browser
from build import unfolded
from selfexec.analysis.answers import headline
from selfexec.analysis.findings import Finding, FindingAnswer
from selfexec.analysis.selection import Selection
from selfexec.analysis.words import own_in_brief
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.metrics import Objection
from selfexec.report import front as front_module
from selfexec.report.data import Data, Options
from selfexec.report.examples import Example, Quotable, examples
from selfexec.report.front import Front, FrontColumn, front
from selfexec.report.page import page
from selfexec.report.svg import Pair, pair
from selfexec.runs import Run
from selfexec.text.numbers import typeset


def drawn(run: Run, **options: Any) -> Front:
    data = Data(Selection.of(run, **options), Options())
    found = front(data.scores, data.models)
    assert found
    return found


# --- drawings --------------------------------------------------------------------------------------------------------


def places(svg: str, scale: tuple[float, float] = (0.0, 1.0)) -> dict[str, list[float]]:
    """What a drawing shows, in values by kind of mark."""
    low, high = scale
    found: dict[str, list[float]] = {}
    for part in re.findall(r"<(?:line|circle|rect)[^>]*>", svg):
        kind = re.search(r'class="([a-z ]+)"', part)
        xs = [float(x) for x in re.findall(r'(?:x1|x2|cx|x|width)="(-?[\d.]+)%"', part)]
        if "rect" in part:
            xs[1] += xs[0]
        found.setdefault(kind[1] if kind else "dot", []).extend(low + x / 100 * (high - low) for x in xs)
    return found


def test_dot_dash_and_bar_stand_where_their_numbers_are() -> None:
    marks = places(pair(Pair(0.2, 0.5), (-1.0, 1.0), [0.0], ""), (-1.0, 1.0))
    assert marks["dot"] == [pytest.approx(0.2)]
    assert marks["held"] == pytest.approx([0.5, 0.5])
    assert marks["between"] == pytest.approx([0.2, 0.5], abs=1e-3)
    assert marks["zero"] == pytest.approx([0, 0])


def test_without_a_baseline_there_is_a_dot_with_its_own_interval() -> None:
    marks = places(pair(Pair(0.4, None, 0.3, 0.5, "hollow"), (0.0, 1.0), [], ""))
    assert marks == {"hollow": [pytest.approx(0.4)], "whisker": pytest.approx([0.3, 0.5])}


def test_an_interval_that_goes_on_beyond_the_scale_ends_in_an_arrow_there() -> None:
    heads = [
        pair(Pair(0.1, 0.5, *ends), (0.0, 1.0), [], "").count("<path")
        for ends in ((0.0, 1.0), (-0.1, 1.0), (-0.1, 1.1))
    ]
    assert heads == [0, 1, 2]


def test_that_models_are_too_few_is_said_once_below_the_rows_and_at_no_name(tmp_path: Path) -> None:
    run = sx.run(["sim/typical", "sim/knows-itself", "sim/coin", "sim/says-yes"], limit=60, out=tmp_path / "run")
    found, html = drawn(run), page(Selection.of(run), Options("none"))
    reason = "only 4 models were read on the same items, and 6 are needed to call one ahead"
    assert any(cell.faint for cell in found.cells) and len(found.too_few) == 1 and found.too_few[0].endswith(reason)
    assert not any(reason in text.lower() for told in found.why.values() for text in told)
    [key] = re.findall(r'<p class="key">(.*?)</p>', html, re.DOTALL)
    assert reason in key


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
    known = {(r["model"], r["experiment"], r["metric"]): r["value"] for r in data["scores"]}
    records = {(v["model"], v["experiment"], v["question"]): v for v in data["verdicts"]}
    verdicts = {place: record["verdict"] for place, record in records.items()}
    found = drawn(run)
    assert [panel.experiment for panel in found.panels] == [*PAPER_HEADLINE.experiments]
    assert [[column.head for column in panel.columns] for panel in found.panels] == [
        ["How often", "Which ones"], ["How often", "Which ones"], ["Which ones"],
    ]  # fmt: skip
    seen = 0
    for panel in found.panels:
        for column in panel.columns:
            for model, cell in column.cells.items():
                number = {metric: known.get((model, panel.experiment, metric)) for metric in METRICS}
                if column.head == "How often":
                    rates = records[model, panel.experiment, "how often"]
                    ends, question = (rates["predicted_rate"], rates["observed_rate"]), "how often"
                elif panel.experiment == "difficulty":  # the baseline has a row of its own
                    ends, question = (number["skill"], number["best_baseline"]), "margin"
                else:
                    ends = (number["skill"], number["skill"] - number["margin_at_own_rate"])
                    question = "which ones"
                state = verdicts.get((model, panel.experiment, question))
                assert cell.state == (state or "withheld")
                if cell.drawing is None:
                    assert state == "no room to differ"
                    continue
                seen += 1
                marks = places(cell.drawing, column.scale)
                decided = state in ("behind", "ahead", "overestimates", "underestimates")
                look = "dot" if decided else "hollow" if state == "too close to call" else "caution"
                assert marks[look] == pytest.approx([ends[0]], abs=2e-4)
                assert marks["held"] == pytest.approx([ends[1]] * 2, abs=2e-4)
                assert cell.faint is (state in (None, "withheld"))
    assert seen >= 12


METRICS = ("skill", "best_baseline", "margin_at_own_rate")


# --- columns ---------------------------------------------------------------------------------------------------------


def test_a_kind_of_claims_brings_its_own_columns_and_the_layout_takes_them(
    small_panel: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As probabilities would: one column more, and none of how often."""

    def ranked(scores: Any, experiment: str) -> FrontColumn | None:
        column = front_module.skill_column(scores, experiment)
        return column and dataclasses.replace(column, head="Ranked", brief="by probability")

    columns = {**front_module.COLUMNS, "binary": (ranked, front_module.which_ones_column)}
    monkeypatch.setattr(front_module, "COLUMNS", columns)
    heads = [[column.head for column in panel.columns] for panel in drawn(small_panel).panels]
    assert heads == [["Ranked", "Which ones"], ["Ranked", "Which ones"], ["Which ones"]]
    assert ">by probability</td>" in page(Selection.of(small_panel), Options("none"))


def test_panels_stand_in_lines_that_have_room_for_their_columns() -> None:
    # columns of each panel -> the panels that begin a line of five columns at most
    for widths, starts in (([2, 2, 1], {0}), ([2, 2, 1, 1], {0, 3}), ([1] * 6, {0, 5}), ([2, 2, 2, 2, 2], {0, 2, 4})):
        assert front_module._starts(widths) == starts


def test_what_is_in_auroc_is_not_called_skill(tmp_path: Path) -> None:
    run = sx.run(limit=20, facets={"elicit": "probability"}, experiments="association", out=tmp_path / "run")
    html = page(Selection.of(run).under("elicit=probability"), Options("none"))
    key = re.sub(
        r"<[^>]+>", " ", html[html.index('<p class="key">') : html.index("</p>", html.index('<p class="key">'))]
    )
    assert (
        "got the higher probability (.5, dotted line, is chance, 1 perfect)" in " ".join(key.split())
        and "skill" not in key
    )


def test_why_a_margin_of_probabilities_has_no_verdict_stands_beside_the_mark_of_that(tmp_path: Path) -> None:
    models = [f"sim/{name}" for name in ("knows-itself", "typical", "coin", "solves")]
    run = sx.run(
        models, preset="quick", facets={"elicit": "probability"}, experiments="association", out=tmp_path / "r"
    )
    html = page(Selection.of(run).under("elicit=probability"), Options("none"))
    key = re.sub("<[^>]+>", "", html[html.index("<b>dotted") :][:400])
    assert key.startswith("dotted, †: no verdict: association: only 4 models were read on the same items, and 6 are")


# --- headline --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_headline_of_the_ten_models_is_of_how_often(ten_models: Run) -> None:
    found = drawn(ten_models)
    assert found.headline == "9 of 10 models overestimate how often they would list a word, by 37 to 70 points"


@pytest.mark.parametrize(
    ("often", "which", "expected"),
    [
        ("yes yes no", "", "2 of 3 models overestimate how often they would list a word, by 10 points"),
        ("yes withheld withheld", "",
         "m0 overestimates how often it would list a word, by 10 points; 2 have no verdict"),
        ("no open open", "no no no", "m0 underestimates how often it would list a word, by 10 points"),
        ("open open open", "no no ceiling",
         "2 of 3 models are worse than a baseline at predicting which words they will list"),
        ("open open", "yes open", "m0 is better than a baseline at predicting which words it will list"),
        ("open open open", "open ceiling withheld",
         "Nothing is certain yet about what these models predict about themselves"),
    ],
)  # fmt: skip
def test_the_headline_is_of_what_is_surely_so_and_how_often_comes_first(
    often: str, which: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def findings(tones: str, relation: Any) -> list[Finding]:
        return [Finding("association", f"m{n}", relation, answer, 0.1) for n, answer in enumerate(tones.split())]  # type: ignore[arg-type]

    import selfexec.analysis.answers as answers

    monkeypatch.setattr(answers, "how_often", lambda scores, experiment: findings(often, "how often"))
    monkeypatch.setattr(answers, "which_ones", lambda scores, experiment: findings(which, "which ones"))

    class Three:
        models, experiments, own = ("m0", "m1", "m2"), ("overall", "association"), ()

        def of(self, experiment: str, metric: str) -> list[Any]:
            return []

    assert headline(Three()) == expected


# --- who stands where ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_models_without_an_overall_score_stand_apart_and_say_why(ten_models: Run, scores_of_ten: sx.Scores) -> None:
    found = drawn(ten_models)
    withheld = {m for m in scores_of_ten.models if scores_of_ten.value(m, "overall", "skill") is None}
    assert withheld == {"deepseek-r1", "gemini-2.5-flash", "llama-3.2-3b", "mistral-7b"}
    assert {*found.apart} == withheld and len(found.judged) == 6
    assert found.why.keys() == withheld and found.incomplete and found.common == []
    # the reason is told once, though it is that of two numbers in two panels
    assert len(found.why["llama-3.2-3b"]) == 1
    assert found.why["llama-3.2-3b"][0].startswith("Restriction: coverage .676 is below .9")


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
    found = list(orders(unfolded(page(data.selection, data.options))))
    assert len(found) > 20
    for order in found:
        places = [data.places[model] for model in order]
        # the picture has two groups, each in the order of the page
        assert places == sorted(places), order


# --- a real item under each panel ------------------------------------------------------------------------------------

CODES = {"F": (True, False), "U": (False, True), "T": (True, True), "N": (False, False)}


def coded(rows: str, experiment: str = "association", claim: str = "") -> pl.DataFrame:
    """`model item claim code` in lines."""
    found = []
    for line in rows.strip().splitlines():
        model, item, name, code = line.split()
        predicted, observed = CODES[code]
        found.append(
            {"model": model, "experiment": experiment, "item": item, "claim": name, "epoch": 1, "code": code,
             "state": "read", "predicted": predicted, "observed": observed}
        )  # fmt: skip
    return pl.DataFrame(found)


class OfItems:
    """What `examples` takes of a run: items, and replies where there are any."""

    def __init__(self, items: Any) -> None:
        self.items = type("Items", (), {"items": items})()
        self.replies: dict[Any, Any] = {}


def exemplified(claims: pl.DataFrame, run: OfItems, models: str) -> Mapping[str, Mapping[str | None, Example]]:
    runs: Any = [run]
    return examples(Quotable.of(claims, runs, [*models]), [*models])


def targets(*names: str) -> OfItems:
    of = EXPERIMENTS["association"].item_type
    return OfItems({"association": {n: of(id=n, target=n.title(), options=["x", "y", "z", "w"]) for n in names}})


def test_the_example_is_a_claim_of_median_error_of_the_most_frequent_kind() -> None:
    """Errors `F`: of apple x one model, of bread y two, of candy z three; `U` once. The median of 1, 2, 3 is 2."""
    claims = coded(
        "a apple x F\nb apple x T\nc apple x N\na bread y T\nb bread y F\nc bread y F\n"
        "a candy z F\nb candy z F\nc candy z F\na candy w U\nb candy w N\nc candy w N"
    )
    found = exemplified(claims, targets("apple", "bread", "candy"), "abc")["association"]
    whole = found[None]
    assert (whole.model, whole.item, whole.title) == ("b", "bread", "Bread")
    assert whole.said == "b predicted that it would list “y”. It did not."
    assert whole.others == "Of 2 other models, 2 predicted that they would, and 1 did."
    # of a alone: its errors are in apple (1 model) and candy (3): the lower median is apple
    assert (found["a"].item, found["a"].model) == ("apple", "a")
    # of c: bread (2 models) and candy (3)
    assert (found["c"].item, found["c"].others) == (
        "bread",
        "Of 2 other models, 2 predicted that they would, and 1 did.",
    )


def test_where_most_others_make_the_same_error_the_example_says_so() -> None:
    claims = coded("a apple x F\nb apple x F\nc apple x F\nd apple x T")
    example = exemplified(claims, targets("apple"), "abcd")["association"][None]
    assert example.others == "Of 3 other models, 3 predicted that they would, and 1 did. So 2 of 3 made the same error."


def test_where_all_others_did_the_same_their_errors_are_counted_once() -> None:
    claims = coded("a apple x F\nb apple x F\nc apple x F\nd apple x N")
    example = exemplified(claims, targets("apple"), "abcd")["association"][None]
    assert example.others == "2 of 3 other models made the same error."


def test_no_request_labelled_unsafe_is_an_example() -> None:
    of = EXPERIMENTS["restriction"].item_type
    requests = {
        id: of(id=id, request=f"Please {id}", label=label, type="t") for id, label in (("a1", "unsafe"), ("b2", "safe"))
    }
    claims = coded("m a1 answers U\nn a1 answers U\nm b2 answers U\nn b2 answers T", "restriction")
    found = exemplified(claims, OfItems({"restriction": requests}), "mn")["restriction"]
    assert {example.item for example in found.values()} == {"b2"}
    only_unsafe = claims.filter(pl.col("item") == "a1")
    assert exemplified(only_unsafe, OfItems({"restriction": requests}), "mn") == {}


@pytest.mark.slow
def test_examples_of_the_ten_models_are_what_their_replies_say(ten_models: Run) -> None:
    data = Data(Selection.of(ten_models), Options())
    found = data.examples
    assert {*found} == {*PAPER_HEADLINE.experiments} and all(len(of) > 8 for of in found.values())
    labels = {id: item.label for id, item in ten_models.items["restriction"].items()}  # type: ignore[attr-defined]
    assert {labels[example.item] for example in found["restriction"].values()} == {"safe"}
    for whose, example in found["association"].items():
        row = data.claims.filter(
            (pl.col("experiment") == "association") & (pl.col("item") == example.item)
            & (pl.col("model") == example.model) & (pl.col("predicted") != pl.col("observed"))
        )  # fmt: skip
        assert len(row) and whose in (None, example.model)


# --- data that are not there -----------------------------------------------------------------------------------------


def test_a_model_alone_has_dots_and_no_holes(tmp_path: Path) -> None:
    run = sx.run(["sim/typical"], limit=60, out=tmp_path / "run")
    found, html = drawn(run), page(Selection.of(run), Options())
    assert not {"skill", "AUROC"} & found.measures and not any(panel.own for panel in found.panels)
    last = [panel.columns[-1] for panel in found.panels]
    assert {column.head for column in last} == {"Skill"} and all(column.drawn[1] is None for column in last)
    key = html[html.index('<p class="key">') : html.index("</p>", html.index('<p class="key">'))]
    assert "baseline" not in key and "margin" not in key
    assert '<div class="own">' not in html
    assert "requires 6 models, each with at least 60 items asked" in html


@pytest.mark.slow
def test_a_model_beside_a_reference_panel_has_margins_verdicts_and_the_panel_is_named(ten_models: Run) -> None:
    replies = {key: reply for key, reply in ten_models.replies.items() if key.model == "gpt-4.1"}
    run = Run(**{**vars_of(ten_models), "replies": replies})
    data = Data(Selection.of(run, panel="paper"), Options("none"))
    found = front(data.scores, data.models)
    assert found and "skill" in found.measures
    assert [len(panel.own) for panel in found.panels] == [1, 1, 1]
    assert found.panels[0].own[0].startswith("Not shown (")
    html = page(data.selection, data.options)
    assert (
        "The baseline is built from the reference panel <code>paper</code>: 9 models"
        in html[: html.index('<main id="main"')]
    )


def vars_of(run: Run) -> dict[str, Any]:
    return {field.name: getattr(run, field.name) for field in dataclasses.fields(run) if field.init}


@pytest.mark.parametrize("experiment", ["association", "failing_question"])
@pytest.mark.slow
def test_one_experiment_alone_has_one_panel_and_the_answer_in_words(experiment: str, tmp_path: Path) -> None:
    run = sx.run(experiments=[experiment], limit=60, out=tmp_path / "run")
    found, html = drawn(run), page(Selection.of(run), Options())
    (panel,) = found.panels
    assert panel.experiment == experiment and not found.apart and panel.first
    said = html[html.index('<dl class="said">') : html.index("</dl>", html.index('<dl class="said">'))]
    assert said.startswith(f'<dl class="said">\n<div><dt>{experiment.replace("_", " ").capitalize()}</dt>')
    assert "the baseline" in said


def test_where_nothing_was_read_there_is_no_picture(tmp_path: Path) -> None:
    run = sx.run(["sim/typical"], experiments=["restriction"], limit=3, out=tmp_path / "run")
    silent = {key: msgspec.structs.replace(reply, text="") for key, reply in run.replies.items()}
    nothing = Run(**{**vars_of(run), "replies": silent})
    data = Data(Selection.of(nothing), Options())
    assert front(data.scores, data.models) is None
    assert 'class="front-grid"' not in page(data.selection, data.options)


# --- words -----------------------------------------------------------------------------------------------------------


def own(subject: str, verdict: str | None, value: float, source: str = "rule", **more: Any) -> Finding:
    ends = {"value": value, "tested_low": value - 0.02, "tested_high": value + 0.02}
    answer: FindingAnswer = "withheld" if verdict is None else "yes" if verdict == "own" else "open"
    return Finding("restriction", subject, "own", answer, own_verdict=verdict, source=source, **ends, **more)


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        ([own("panel", "own", 0.1)], ["Shown (.10 [.08, .12])."]),
        ([own("panel", "not shown", 0.01, detectable=0.05)], ["Not shown (.01 [-.01, .03]; 80% power to detect .05)."]),
        ([own("panel", None, 0.03, "self", reason="each judges itself"), own("panel", "not shown", 0.0)],
         ["No verdict where each model judges its own responses, and not shown by a fixed rule for refusals (.00 "
          "[-.02, .02])."]),
        ([own("panel", None, 0.03, reason="few models")], ["No verdict (few models)."]),
        # above 0 and yet not shown: it is said what is against it
        ([own("panel", "not shown", 0.1, against=(Objection(1, "losses"),))],
         ["Not shown (.10 [.08, .12]). Unreadable or missing replies may account for it."]),
        ([own("panel", "not shown", 0.0), own("simulated panel", "own", 0.3)],
         ["Not shown (.00 [-.02, .02]).", "Simulated models: Shown (.30 [.28, .32])."]),
        # held against a reference panel: by its name, where there are several
        ([own("a", "not shown", 0.0), own("b", "unresolved", 0.3, against=(Objection(1, "cohort"),))],
         ["a: Not shown (.00 [-.02, .02]).",
          "b: Unresolved (.30 [.28, .32]). Similar models that are not in the run may have it in common."]),
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
        ("of -8 points [-16, 0], it reaches -5%", "of −8 points [−16, 0], it reaches −5%"),
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
@pytest.mark.parametrize(("width", "lines"), [(1440, 1), (768, 3), (390, 3)])
def test_panels_stand_next_to_each_other_where_there_is_room_and_below_where_there_is_none(
    browser: Browser, opened: Path, width: int, lines: int
) -> None:
    browser.open(opened, width)
    panels = boxes(browser, ".panel")
    assert len(panels) == 3 and len({round(panel["y"]) for panel in panels}) == lines
    parts = boxes(browser, ".front-grid *, .key *")
    assert min(part["x"] for part in parts) >= 0 and max(part["right"] for part in parts) <= width
    assert browser.js("document.documentElement.scrollWidth") == width


@pytest.mark.slow
def test_the_first_row_of_data_is_on_the_first_screen_of_a_phone_and_behind_few_words(
    browser: Browser, opened: Path
) -> None:
    for width, height in ((1440, 900), (390, 844)):
        browser.open(opened, width)
        first = boxes(browser, ".panel tbody tr td")[0]
        assert first["bottom"] < height
        words = browser.js(
            "(() => { const r = document.createRange(); r.setStart(document.body, 0);"
            " r.setEndBefore(document.querySelector('.panel tbody')); const d = r.cloneContents();"
            " const unseen = '.sr, .skip, .of-all, details > :not(summary), style, script, [hidden]';"
            " d.querySelectorAll(unseen).forEach(e => e.remove());"
            " return d.textContent.split(/\\s+/).filter(Boolean).length; })()"
        )
        assert words <= 120


@pytest.mark.slow
def test_names_stand_above_their_rows_on_a_phone_and_next_to_them_elsewhere(browser: Browser, opened: Path) -> None:
    for width, above in ((390, True), (1440, False)):
        browser.open(opened, width)
        names = boxes(browser, ".panel.first tbody tr[data-model] th .name")
        cells = boxes(browser, ".panel.first tbody tr[data-model] td:first-of-type")
        assert [name["model"] for name in names] == [cell["model"] for cell in cells]
        for name, cell in zip(names[:5], cells[:5], strict=True):
            assert (name["bottom"] <= cell["y"] + 1) is above
            assert (name["right"] <= cell["x"]) is not above


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 768, 1440])
def test_rows_of_a_column_share_one_axis_however_long_names_are(browser: Browser, opened: Path, width: int) -> None:
    browser.open(opened, width)
    names = "[...document.querySelectorAll('.panel .name')].filter(n => n.textContent === 'sim/typical')"
    browser.js(f"{names}.forEach(n => n.textContent = 'M'.repeat(300))")
    ends = browser.js(
        "[...document.querySelectorAll('.panel')].map(p => [...p.querySelectorAll('.plot .mini, .head .ticks')].map("
        "e => { const b = e.getBoundingClientRect(); return `${Math.round(b.left)} ${Math.round(b.width)}`; }))"
    )
    assert [len(set(panel)) for panel in ends] == [2, 2, 1] and all(len(panel) > 5 for panel in ends)
    assert browser.js("document.documentElement.scrollWidth") == width
    if width == 1440:  # the same line for a model in each panel
        tops: dict[str, set[int]] = {}
        for box in boxes(browser, ".panel tr[data-model]"):
            tops.setdefault(box["model"], set()).add(round(box["y"]))
        assert all(len(found) == 1 for found in tops.values())


@pytest.mark.slow
def test_a_model_that_is_picked_has_the_front_to_itself_and_its_own_examples(browser: Browser, opened: Path) -> None:
    browser.open(opened, 1440)
    height = browser.js("document.querySelector('.front-grid').offsetHeight")
    browser.js("(f => { f.value = 'sim/coin'; f.dispatchEvent(new Event('input')); })(document.getElementById('find'))")
    assert {box["model"] for box in boxes(browser, ".front-grid tr[data-model]")} == {"sim/coin"}
    assert browser.js("document.querySelector('.front-grid').offsetHeight") < height - 100
    assert boxes(browser, ".panel .heading") == []  # nobody is left in that group
    shown = browser.js("[...document.querySelectorAll('.example p')].filter(p => p.offsetHeight).map(p => p.innerText)")
    assert len(shown) == 3 and all("sim/coin predicted" in text for text in shown)


@pytest.mark.slow
def test_the_reason_behind_a_mark_opens_without_a_pointer(browser: Browser, opened: Path) -> None:
    browser.open(opened, 1440)
    assert "coverage" not in browser.js("document.querySelector('.front-grid').innerText")
    browser.js("document.querySelector('.why summary').focus()")
    browser.press("Enter", 13)
    assert "coverage" in browser.js("document.querySelector('.front-grid').innerText")
