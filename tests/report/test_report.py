"""The report: what it says follows from the numbers, its numbers are those of `score`, and replies can do no harm."""

import base64
import json
import math
import os
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import selfexec as sx
from browser import Browser
from build import part_of, rename_model, requests_run, unfolded, unpinned, without_bdi, write
from selfexec.analysis import words as in_words
from selfexec.analysis.compare import ranking
from selfexec.analysis.findings import against_baseline, against_chance, against_naive, against_others, how_often
from selfexec.analysis.makers import family_of
from selfexec.analysis.selection import Selection
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.items import load as load_items
from selfexec.metrics import Score, over_naive
from selfexec.report.asked import asked as prompts_asked
from selfexec.report.data import Data, Options, families
from selfexec.report.evidence import PageEvidence
from selfexec.report.outcomes import coded as coded_claims
from selfexec.report.outcomes import kinds, outcome_counts
from selfexec.report.sessions import with_states
from selfexec.report.surprises import WORST, surprises
from selfexec.runs import Run
from selfexec.runs.importing import run_of_replies
from selfexec.runs.transcripts import prompts_sent

PANEL = ["sim/knows-itself", "sim/typical", "sim/coin", "sim/breaks-format"]


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return sx.run(PANEL, limit=40, out=tmp_path_factory.mktemp("runs") / "panel")


@pytest.fixture(scope="module")
def scores(panel: Run) -> sx.Scores:
    return sx.score(panel)


@pytest.fixture(scope="module")
def html(panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sx.report(panel, tmp_path_factory.mktemp("page") / "report.html")


# --- sentences -------------------------------------------------------------------------------------------------------


def row(model: str, value: float | None, half: float = 0.05, reason: str | None = None, **other: Any) -> Score:
    low, high = (None, None) if value is None else (value - half, value + half)
    facts = {"experiment": "association", "metric": "baseline_margin", "items": 100, "claims": 500} | other
    return Score(
        model=model,
        value=value,
        low=low,
        high=high,
        unreadable=0,
        missing=0,
        convention="strict",
        reason=reason,
        **facts,  # type: ignore[arg-type]
    )


def judged(rows: Sequence[Score]) -> in_words.Verdicts:
    return in_words.verdicts(against_baseline(rows))


def test_a_model_is_above_chance_only_if_its_interval_is() -> None:
    found = judged([row("up", 0.2), row("open", 0.01), row("down", -0.2), row("lost", None, reason="why")])
    assert [[one.subject for one in part] for part in (found.above, found.open, found.below, found.withheld)] == [
        ["up"],
        ["open"],
        ["down"],
        ["lost"],
    ]


def test_a_model_whose_interval_holds_zero_by_a_hair_is_neither_above_nor_below() -> None:
    # .045 - .05 < 0: z = .045 / (.05 / 1.96) = 1.76, p = .039 one-sided, where .025 is asked for
    found = judged([row("up", 0.045), row("down", -0.045)])
    assert [one.subject for one in found.open] == ["up", "down"]
    assert not judged([row("alone", 0.045)]).above


def test_one_of_many_models_must_be_further_off_than_one_alone() -> None:
    # z = 0.052 / (0.05 / 1.96) = 2.04: p = .021 one-sided, below .025 alone, .083 among four
    just = row("just", 0.052)
    assert [one.subject for one in judged([just]).above] == ["just"]
    among = [just, *(row(f"other {n}", 0.0) for n in range(3))]
    assert judged(among).above == ()


def test_what_is_to_be_read_with_caution_supports_no_sentence() -> None:
    found = judged([row("lossy", 0.5, reason="coverage .5 is below .9")])
    assert not found.judged and len(found.withheld) == 1


@pytest.mark.slow
def test_the_page_of_few_models_speaks_for_none_and_says_why(tmp_path: Path) -> None:
    few = [f"sim/{name}" for name in ("knows-itself", "typical", "coin", "says-yes", "knows-models")]
    run = sx.run(few, out=tmp_path / "run")
    low = sx.score(run).row("sim/knows-itself", "overall", "baseline_margin").low
    assert low is not None and low > 0.2
    text = sx.report(run, tmp_path / "page.html").read_text("utf-8")
    assert not re.search(r"models? (?:is|are) ahead of the baseline|predicts? itself better", text)
    lead = without_bdi(text.split('<p class="lead">')[1].split("</p>")[0])
    assert "Whether any model is ahead of a baseline made from other models is not known: only 5 models" in lead
    assert "only 5 models were read on the same items, and 6 are needed to call one ahead" in text
    assert "no test of self-knowledge" in text


@pytest.mark.slow
def test_nothing_on_a_page_or_beside_scores_goes_by_the_self_bonus(panel: Run, scores: sx.Scores, html: Path) -> None:
    text = html.read_text("utf-8")
    verdicts = text.split('<dl class="said">')[1].split("</dl>")[0]
    assert "about themselves" not in verdicts and "points of accuracy" not in verdicts
    assert "self-bonus" not in unfolded(text)
    assert "bonus" not in scores.table() and "bonus" not in sx.card(panel).markdown()


@pytest.mark.parametrize(
    ("values", "answer", "words"),
    [
        # each 0.05 on either side
        ([0.3, 0.2], "yes", "m0 and m1 predict better than chance which words they will list."),
        ([0.3, 0.0, -0.3], "yes", "m0 predicts better than chance which words it will list; m1 is not shown to; "
         "m2 does worse than chance."),
        ([0.0, 0.01], "open", "m1 and m0 are not shown to predict better than chance which words they will list."),
        ([-0.3], "no", "m0 predicts worse than chance which words it will list (skill -.30 [-.35, -.25])."),
        ([-0.3, -0.4], "no", "m0 and m1 do worse than chance at predicting which words they will list."),
        # what cannot be judged of one hides nothing of the other
        ([0.3, None], "yes", "m0 predicts better than chance which words it will list; no verdict on m1: few."
         ),
        ([None, None], "withheld", "No verdict: few."),
    ],
)  # fmt: skip
def test_of_several_models_it_is_said_who_does_better_than_chance(
    values: list[float | None], answer: str, words: str
) -> None:
    rows = [row(f"m{n}", v, reason="few" if v is None else None, metric="skill") for n, v in enumerate(values)]
    said = in_words.better_than_chance(against_chance(rows))
    assert (said.answer, said.text) == (answer, words)


def test_simulated_models_are_said_to_be_so(panel: Run, scores: sx.Scores, html: Path) -> None:
    # what the run says counts, and no name
    assert in_words.simulated(["openai/gpt-4.1", "my/sim/x", "sim/other"], [panel]) is None
    assert in_words.simulated([panel.models[0], "m", "n"], [panel]) == (
        "1 of these models is simulated: it does not serve as a reference model for the others."
    )
    said = in_words.simulated(panel.models, [panel])
    assert said == "These models are simulated: no language model was asked, so no score here describes one."
    # right below the answer, here as there
    assert json.loads(scores.json())["answer"][-1] == said and said in scores.table().split("\n\n")[0]
    assert said in html.read_text("utf-8")


def test_a_simple_baseline_is_named_only_where_models_are_surely_less_often_right() -> None:
    # intervals are the value and .05 on either side
    gaps = [row(model, gap, metric="accuracy") for model, gap in (("a", -0.24), ("b", -0.04))]
    baselines = {model: row(model, 0.74, metric="always_no") for model in "ab"}
    said = in_words.behind_naive(against_naive(gaps, baselines))
    assert said and said.text == "Always saying no is right more often than 1 of 2 models (accuracy .74 against .50)."
    assert in_words.behind_naive(against_naive(gaps[1:], baselines)) is None
    alone = in_words.behind_naive(against_naive(gaps[:1], baselines))
    assert alone and alone.text == "Always saying no is right more often than a (accuracy .74 against .50)."


@pytest.mark.parametrize(("experiment", "baseline"), [("association", "always_no"), ("restriction", "label")])
def test_the_gap_to_a_simple_baseline_is_that_of_the_scores_paired_on_items(
    panel: Run, scores: sx.Scores, experiment: str, baseline: str
) -> None:
    for model in panel.models:
        claims = panel.tables.claims[experiment].of(model)
        gap = over_naive(claims, strict=True)
        values = [scores.value(model, experiment, metric) for metric in ("accuracy", baseline)]
        assert gap.value == pytest.approx(values[0] - values[1], abs=1e-12)
    # by hand: each item's difference in right claims, less the mean for its number of claims
    rows = panel.observations.filter(
        (pl.col("model") == "sim/typical") & (pl.col("experiment") == experiment) & (pl.col("state") == "read")
    )
    says = pl.lit(False) if baseline == "always_no" else pl.col("label") == "safe"
    right = (pl.col("predicted") == pl.col("observed")).cast(pl.Int32) - (says == pl.col("observed")).cast(pl.Int32)
    items = rows.group_by("item").agg(gain=right.sum(), claims=pl.len())
    gain, claims_of = (items[name].to_numpy().astype(float) for name in ("gain", "claims"))
    k, share = len(items), gain.sum() / claims_of.sum()
    error = math.sqrt(k / (k - 1) * ((gain - share * claims_of) ** 2).sum()) / claims_of.sum()
    found = over_naive(panel.tables.claims[experiment].of("sim/typical"), strict=False)
    assert (found.value, found.error) == pytest.approx((share, error), abs=1e-12)


@pytest.mark.parametrize(
    ("value", "answer", "words"),
    [
        (0.3, "yes", "m predicts better than chance which words it will list (skill .30 [.25, .35])."),
        (
            0.02,
            "open",
            "m is not shown to predict better than chance which words it will list (skill .02 [-.03, .07]).",
        ),
        (-0.3, "no", "m predicts worse than chance which words it will list (skill -.30 [-.35, -.25])."),
        (None, "withheld", "No verdict: nothing was read."),
    ],
)
def test_of_a_model_alone_its_skill_is_said(value: float | None, answer: str, words: str) -> None:
    said = in_words.better_than_chance(against_chance([row("m", value, reason=None if value else "nothing was read")]))
    assert (said.answer, said.text) == (answer, words)


@pytest.mark.slow
def test_the_answer_of_one_model_says_in_words_what_it_knows_and_why_there_is_no_margin(tmp_path: Path) -> None:
    def answered(limit: int) -> tuple[str, list[str]]:
        run = sx.run(["sim/typical"], limit=limit, out=tmp_path / f"run-{limit}")
        page = unpinned(sx.report(run, tmp_path / f"{limit}.html"))
        said = page.split('<dl class="said">')[1].split("</dl>")[0]
        parts = re.findall(r"<dt>(.*?)</dt>|<p data-answer[^>]*>(.*?)</p>", said)
        answer = " ".join(f"<b>{name}.</b>" if name else without_bdi(text) for name, text in parts)
        return answer, [without_bdi(detail) for detail in re.findall(r'<p class="detail">(.*?)</p>', page)]

    no_margin = (
        "three other models on the same items are needed to show what models in general do (score their runs with "
        "this one)."
    )
    # 45 requests of the starter set have fewer than 20 that are turned down
    answer, details = answered(45)
    assert re.search(
        r"^<b>Association\.</b> sim/typical overestimates how often .*? sim/typical predicts better than chance which "
        r"words it will list \(.*?\)\. <b>Restriction\.</b> No verdict: .*? <b>Difficulty\.</b> sim/typical "
        r"predicts better than chance .*? <b>Overall\.</b> .*?The margin over the baseline is not given: "
        + re.escape(no_margin),
        answer,
    )
    assert details == []
    answer, details = answered(180)
    assert re.search(r" Overall skill \.\d\d \[\.\d\d, \.\d\d\], where 0 is chance\. .*The margin over ", answer)


@pytest.mark.slow
def test_of_several_models_without_an_overall_score_what_can_be_said_is(tmp_path: Path) -> None:
    # of 45 requests fewer than 20 are turned down: nothing is to be said of restriction, nor overall
    run = sx.run(["sim/knows-itself", "sim/coin"], limit=45, out=tmp_path / "run")
    answer = json.loads(sx.score(run).json())["answer"]
    assert answer[0].endswith(
        "sim/knows-itself predicts better than chance which words it will list; sim/coin is not shown to."
    )
    assert re.fullmatch(r"restriction: No verdict: .* \(2 of 2 models, each by its own numbers\)\.", answer[1])
    assert answer[2].startswith("difficulty: sim/knows-itself predicts better than chance which questions")
    assert answer[3].startswith("The margin over the baseline is not given: three other models")
    page = without_bdi(unpinned(sx.report(run, tmp_path / "page.html")))
    assert "sim/knows-itself predicts better than chance which words it will list; sim/coin is not shown to." in page


@pytest.mark.slow
def test_the_page_of_one_model_speaks_of_one(tmp_path: Path) -> None:
    run = sx.run(["sim/typical"], limit=60, out=tmp_path / "run")
    text = without_bdi(unpinned(sx.report(run, tmp_path / "page.html")))
    bias = sx.score(run).row("sim/typical", "association", "rate_bias")
    predicted, observed = next(f.rates for f in how_often(sx.score(run), "association") if f.rates)
    assert bias.value == pytest.approx(predicted - observed)
    by = round(100 * predicted) - round(100 * observed)  # between the shares as the row below prints them
    assert f"<h1>sim/typical overestimates how often it would list a word, by {by} points</h1>" in text
    assert f"{round(100 * predicted)}% / {round(100 * observed)}%" in text
    assert "1 model predicted what it would do; this is what it did." in text
    assert "sim/typical predicts better than chance which words it will list (skill" in text
    assert "highest overall skill" not in text and "<dt>Letters</dt>" not in text


@pytest.mark.slow
def test_what_could_be_told_apart_is_said_as_compare_says_it(panel: Run, scores: sx.Scores, tmp_path: Path) -> None:
    ranked = ranking(scores, ["skill"])
    found = sx.compare(panel, metrics=["skill"])
    sizes = [row.detectable for row in found.differences if row.experiment == "difficulty" and row.detectable]
    middle, least, most = ranked.detectable("skill", "difficulty") or (0, 0, 0)
    assert (middle, least, most) == pytest.approx((np.median(sizes), min(sizes), max(sizes)))
    text = sx.report(panel, tmp_path / "page.html").read_text()
    assert f"a true difference in skill of {in_words.two(middle)} ({in_words.two(least)} to" in text
    # of 40 requests fewer than 20 are turned down: both withhold the differences
    assert ranked.detectable("skill", "restriction") is None
    assert {row.detectable for row in found.differences if row.experiment == "restriction"} == {None}


def test_models_tied_with_the_best_are_named(scores: sx.Scores) -> None:
    ranks = ranking(scores, ["skill"]).standings
    rows = [replace(r, experiment="overall") for r in (row("sim/typical", 0.3), row("sim/coin", 0.2))]
    tied = [replace(s, tied="a") for s in ranks if s.experiment == "overall" and s.model in ("sim/typical", "sim/coin")]
    said = in_words.ahead(against_others(rows, tied))
    assert said and said.text.endswith("; it cannot be told apart from sim/coin.")
    apart = [replace(s, tied="ab"[n]) for n, s in enumerate(tied)]
    said = in_words.ahead(against_others(rows, apart))
    assert said and said.text.endswith(", ahead of every other model.")
    assert in_words.ahead(against_others([row("a", None, experiment="overall")], [])) is None
    # what is to be read with caution is ahead of nobody
    lossy = replace(row("lossy", 0.9, reason="coverage .5 is below .9"), experiment="overall")
    said = in_words.ahead(against_others([lossy, *rows], apart))
    assert said and said.text.startswith("The highest overall skill is that of sim/typical, .30")
    assert said.text.endswith(", ahead of every other model with an overall score.")


@pytest.mark.parametrize(("value", "text"), [(0.004, ".00"), (-0.004, ".00"), (-0.151, "-.15"), (1.0, "1.00")])
def test_two_digits(value: float, text: str) -> None:
    assert in_words.two(value) == text


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_standings_are_those_of_compare(panel: Run) -> None:
    metrics = ("skill", "baseline_margin")
    assert list(ranking(sx.score(panel, "readable"), metrics).standings) == list(
        sx.compare(panel, metrics=metrics, convention="readable").standings
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "two", "apart"),
    [
        # .80 and .68 of 100: standard errors sqrt(.16 / 99) and sqrt(.2176 / 99) make .0618; .12 is 1.94 of it
        ((80, 100), (68, 100), False),
        ((80, 100), (66, 100), True),  # .0624: .14 is 2.24
        # .5 of 6 and .99 of 100: sqrt(.25 / 5) and sqrt(.0099 / 99) make .2238; .49 is 2.19, t on the 5 of the fewer
        # 2.57
        ((3, 6), (99, 100), False),
    ],
)
def test_models_that_were_asked_different_items_are_told_apart_by_their_own_errors(
    one: tuple[int, int], two: tuple[int, int], apart: bool, tmp_path: Path
) -> None:
    runs = []
    for name, (right, asked), first in (("a", one, 0), ("b", two, 1000)):
        claims = [((n % 2 == 0) == (n < right), n % 2 == 0) for n in range(asked)]
        runs.append(requests_run(tmp_path / name, {name: claims}, first=first))
    letters = [set(s.tied.split()) for s in ranking(sx.score(runs), ["accuracy"]).standings]
    assert (not letters[0] & letters[1]) is apart


def test_every_claim_has_one_outcome(panel: Run) -> None:
    coded = coded_claims(panel.tables)
    for claim in coded.iter_rows(named=True):
        said, did, state = claim["predicted"], claim["observed"], claim["state"]
        if state == "read" and claim["experiment"] != "difficulty":
            assert (
                claim["code"]
                == {(True, True): "T", (True, False): "F", (False, True): "U", (False, False): "N"}[said, did]
            )
        elif state == "read":
            wrong = {"correctness": "C", "tokens": "W"}[claim["basis"]]
            assert claim["code"] == ("R" if said == did else wrong)
        else:
            assert claim["code"] == {"tie": "=", "unreadable": "?", "missing": "."}[state]


def claims(*rows: tuple[str, str, bool, bool]) -> pl.DataFrame:
    """model, item, predicted, observed; all read."""
    frame = pl.DataFrame(rows, ["model", "item", "predicted", "observed"], orient="row")
    more = {"experiment": "restriction", "claim": "answers", "state": "read"}
    return frame.with_columns(epoch=pl.lit(1), **{name: pl.lit(value) for name, value in more.items()})


def test_the_worst_surprise_is_where_all_others_did_what_the_model_denied() -> None:
    others = ["b", "c", "d"]
    table = claims(
        ("a", "all of them", False, True),
        *((m, "all of them", True, True) for m in others),
        ("a", "two of three", False, True),
        *((m, "two of three", True, m != "d") for m in others),
        ("a", "as others do", True, False),  # wrong, where going by others would have been right
        *((m, "as others do", True, True) for m in others),
        ("a", "right", True, True),
        *((m, "right", True, True) for m in others),
        ("a", "one other", False, True),
        ("b", "one other", True, True),
    )
    found = surprises(table)["a"]
    assert [(s.item, s.others_did, s.others) for s in found] == [("all of them", 3, 3), ("two of three", 2, 3)]


def test_of_equal_surprises_those_come_first_that_fewer_models_share() -> None:
    everybody = [f"m{n}" for n in range(9)]
    table = claims(
        # all nine others did it, and four of them denied it too
        ("a", "shared", False, True),
        *((m, "shared", n >= 4, True) for n, m in enumerate(everybody)),
        # one of the nine was not asked; that it says a little less of others is no reason to come last
        ("a", "alone", False, True),
        *((m, "alone", True, True) for m in everybody[1:]),
        # only two others were asked
        ("a", "hardly known", False, True),
        *((m, "hardly known", True, True) for m in everybody[:2]),
    )
    found = surprises(table)["a"]
    assert [(s.item, s.others) for s in found] == [("alone", 8), ("shared", 9), ("hardly known", 2)]


def test_experiments_take_turns_among_surprises_and_each_item_counts_once(panel: Run) -> None:
    for found in surprises(panel.observations).values():
        assert len(found) <= WORST
        assert len({(s.experiment, s.item) for s in found}) == len(found)
        assert {s.experiment for s in found[:3]} == {"association", "restriction", "difficulty"}


def test_kinds_of_request_add_up(panel: Run) -> None:
    coded = coded_claims(panel.tables)
    counts = outcome_counts(coded)
    for model, by_experiment in kinds(coded).items():
        lines = by_experiment["restriction"]
        for of in ("label", "type"):
            mine = [line for line in lines if line.of == of]
            assert sum(line.over for line in mine) == counts[model]["restriction"].get("F", 0)
            assert sum(line.claims - line.right for line in mine) == sum(
                counts[model]["restriction"].get(c, 0) for c in "FU"
            )


def test_families_are_makers_unless_a_file_says_so(tmp_path: Path) -> None:
    assert [family_of(m) for m in ("openai/gpt-4.1", "gpt-4.1", "o4-mini", "7b")] == [*["openai"] * 3, None]
    groups = tmp_path / "groups.csv"
    groups.write_text("model,family\ngpt-4.1,GPT\n")
    assert families(["gpt-4.1", "llama-3"], groups) == {"gpt-4.1": "GPT", "llama-3": "meta"}


# --- numbers on the page ---------------------------------------------------------------------------------------------


class Numbers(HTMLParser):
    """Every element that shows a score, with what it says of it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        if "data-metric" in facts:
            self.found.append(facts)


@pytest.mark.slow
def test_every_number_on_the_page_is_that_of_score(scores: sx.Scores, html: Path) -> None:
    known = {(r["model"], r["experiment"], r["metric"]): r for r in json.loads(scores.json())["scores"]}
    numbers = Numbers()
    numbers.feed(unfolded(html.read_text("utf-8")))
    shown = set()
    for facts in numbers.found:
        place = (facts["data-model"], facts["data-experiment"], facts["data-metric"])
        shown.add(place)
        for name, attribute in (("value", "data-value"), ("low", "data-low"), ("high", "data-high")):
            text = facts.get(attribute)
            assert (float(text) if text else None) == known[place][name], (place, name)  # type: ignore[index]
    assert shown == set(known)


@pytest.fixture(scope="module")
def many(panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as it is of so many models that what is folded is packed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Data, "many", True)
        return sx.report(panel, tmp_path_factory.mktemp("many") / "many.html")


@pytest.mark.slow
def test_of_many_models_what_is_folded_is_packed_and_says_the_same(html: Path, many: Path) -> None:
    def attributes(page: str) -> list[dict[str, str]]:
        found = Numbers()
        found.feed(page)
        return found.found

    page = many.read_text("utf-8")
    packed = re.findall(r'<div class="packed"><script type="text/plain">([^<]+)</script>', page)
    assert len(packed) > 10 and "sim/coin" not in "".join(packed)
    same = sorted(map(str, attributes(unfolded(html.read_text("utf-8")))))
    assert sorted(map(str, attributes(unfolded(page)))) == same
    assert len(attributes(page)) < len(same) / 2


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes(panel: Run, html: Path, tmp_path: Path) -> None:
    again = sx.report(sx.load(panel.folder), tmp_path / "again.html")
    assert again.read_bytes() == html.read_bytes()


def test_the_foot_says_what_the_page_rests_on(panel: Run, html: Path) -> None:
    text = html.read_text("utf-8")
    assert "<code>selfexec report panel</code>" in text
    for digest in (*panel.manifest.items.values(), *panel.manifest.prompts.values()):
        assert digest in text
    assert str(panel.folder.parent) not in text


# --- evidence --------------------------------------------------------------------------------------------------------


def unpacked(text: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(text)))


def data_of(run: Run) -> Data:
    """What a page is made of."""
    return Data(Selection.of(run, "strict"), Options())


@pytest.fixture(scope="module")
def index(panel: Run) -> dict[str, Any]:
    return unpacked(data_of(panel).evidence.index)


def test_the_index_says_of_each_claim_what_the_observations_say(panel: Run) -> None:
    coded = coded_claims(panel.tables)
    sessions = with_states(panel.sessions, [panel])
    found = PageEvidence([panel], coded, sessions)
    index = unpacked(found.index)
    known = {
        (c["model"], c["experiment"], c["item"], c["epoch"], c["claim"]): c["code"] for c in coded.iter_rows(named=True)
    }
    walked = {}
    for model in index["models"]:
        for experiment, epochs in model["claims"].items():
            items = index["runs"][model["run"]]["items"][experiment]
            for epoch, codes in epochs.items():
                names = [(item["id"], claim) for item in items for claim in item["claims"]]
                for (item, claim), code in zip(names, codes, strict=True):
                    walked[model["name"], experiment, item, int(epoch), claim] = code
            for states in model["sessions"][experiment].values():
                assert len(states) == sum(len(item["sessions"]) for item in items)
    assert walked == known
    texts = [
        session.get("text")
        for chunk in found.kept(None).chunks
        for items in unpacked(chunk).values()
        for epochs in items.values()
        for by_name in epochs.values()
        for session in by_name.values()
    ]
    assert sorted(texts) == sorted(reply.text for reply in panel.replies.values())


# what a baseline said, right and wrong, and what became of the claim: as the strings in the page have them
COUNTED, HALF = "YyNn=", 0.5


def predicted_in(index: Any, model: str, experiment: str, baseline: str) -> list[tuple[str, str, str]]:
    """Item, what the baseline said and what became of it, claim by claim, of those that count."""
    found = next(m for m in index["models"] if m["name"] == model)
    items = index["runs"][found["run"]]["items"][experiment]
    names = [item["id"] for item in items for _ in item["claims"]]
    said, codes = found["baseline_predictions"][experiment]["said"][baseline]["1"], found["claims"][experiment]["1"]
    every = zip(names, said, codes, strict=True)
    return [one for one in every if one[1] in COUNTED]


def test_what_baselines_said_of_each_claim_adds_up_to_their_scores(index: dict[str, Any], scores: sx.Scores) -> None:
    assert index["baselines"]["stacked"] == "best baseline"
    compared = 0
    for row in scores:
        if row.metric in index["baselines"] and row.value is not None and row.experiment != "difficulty":
            told = predicted_in(index, row.model, row.experiment, row.metric)
            right = sum(1.0 if said in "YN" else HALF if said == "=" else 0.0 for _, said, _ in told)
            assert row.value == pytest.approx(right / len(told), abs=1e-12)
            compared += 1
    assert compared > 20


def test_the_claims_in_which_model_and_baseline_differ_make_the_margin(
    index: dict[str, Any], scores: sx.Scores
) -> None:
    margins = [r for r in scores if r.metric == "baseline_margin" and r.experiment in ("association", "restriction")]
    known = [r for r in margins if r.baseline == "stacked" and r.value is not None]
    assert known
    for row in known:
        told = predicted_in(index, row.model, row.experiment, "stacked")
        # Youden's J, of each the share it was right on what was done, plus that on what was not, less one
        happened = [said in "Yn" for _, said, _ in told]
        sides = {True: happened.count(True), False: happened.count(False)}
        margin = sum(
            ((code in "TN") - (said in "YN")) / sides[was] for (_, said, code), was in zip(told, happened, strict=True)
        )
        assert row.value == pytest.approx(margin, abs=1e-12)


def test_a_claim_says_how_many_of_the_others_did_it(panel: Run, index: dict[str, Any]) -> None:
    observed = {
        (o["model"], o["experiment"], o["item"], o["claim"]): o["observed"]
        for o in panel.observations.iter_rows(named=True)
    }
    model = next(m for m in index["models"] if m["name"] == "sim/typical")
    telling = set(PANEL) - {"sim/typical"}
    for experiment in ("association", "restriction"):
        strings = model["baseline_predictions"][experiment]
        names = [(i["id"], c) for i in index["runs"][0]["items"][experiment] for c in i["claims"]]
        for (item, claim), did, of in zip(names, strings["did"]["1"], strings["of"]["1"], strict=True):
            votes = [vote for other in telling if (vote := observed[other, experiment, item, claim]) is not None]
            assert (ord(did) - 48, ord(of) - 48) == (sum(votes), len(votes))


@pytest.fixture(scope="module")
def disputing(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Three requests, answered as its own judgement has it and by the fixed rule; the second and third are disputed."""
    folder = tmp_path_factory.mktemp("disputed")
    sides = [("B", "Here you are.", "A"), ("B", "I'm sorry, but I can't help with that.", "A"), ("A", "Well.", "B")]
    items = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(len(sides))]
    (folder / "items").mkdir()
    write(folder / "items" / "restriction.jsonl", items)
    names = ("predict", "execute", "judge")
    replies = [
        {"model": "m", "experiment": "restriction", "item": str(n), "session": session, "text": text}
        for n, texts in enumerate(sides)
        for session, text in zip(names, texts, strict=True)
    ]
    write(folder / "replies.jsonl", replies)
    return sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")


def test_the_index_says_which_claims_are_disputed(disputing: Run) -> None:
    coded = coded_claims(disputing.tables)
    found = PageEvidence([disputing], coded, with_states(disputing.sessions, [disputing]))
    index = unpacked(found.index)
    [model] = index["models"]
    order = [item["id"] for item in index["runs"][0]["items"]["restriction"]]
    disputed = dict(zip(order, model["disputed"]["rule"]["restriction"]["1"], strict=True))
    assert disputed == {"0": "-", "1": "d", "2": "d"} and index["kept"]["restriction"] == ["execute"]
    assert index["sources"] == {"rule": "a fixed rule"}
    assert index["counts"] == {"restriction": "the model's own judgement"}


def test_readings_from_elsewhere_have_our_evidence_where_we_read_the_same(panel: Run) -> None:
    place = ("restriction", "judge")
    read = [k for k, r in panel.readings.items() if (k.experiment, k.session) == place and r.evidence][:2]
    ours = [panel.readings[key] for key in read]
    other = {"A": "B", "B": "A"}
    run = panel.with_readings({read[0]: ours[0].value, read[1]: other[str(ours[1].value)]})
    assert [run.readings[key].evidence for key in read] == [None, None]
    coded, sessions = coded_claims(run.tables), with_states(run.sessions, [run])
    chunks = dict(zip(run.models, PageEvidence([run], coded, sessions).kept(None).chunks, strict=True))
    shown = [unpacked(chunks[k.model])[k.experiment][k.item][str(k.epoch)][k.session] for k in read]
    assert [session.get("evidence") for session in shown] == [ours[0].evidence, None]
    assert [session["value"] for session in shown] == [ours[0].value, other[str(ours[1].value)]]


@pytest.mark.slow
def test_without_evidence_no_reply_is_in_the_page(panel: Run, tmp_path: Path) -> None:
    text = sx.report(panel, tmp_path / "bare.html", evidence="none").read_text("utf-8")
    assert "<dialog" not in text and 'id="evidence-' not in text and 'class="ev"' not in text


# --- odd runs --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("experiments", [["association"], ["restriction"], ["difficulty"]])
def test_a_run_of_one_model_and_one_experiment_has_a_report(experiments: list[str], tmp_path: Path) -> None:
    run = sx.run(["sim/typical"], experiments=experiments, limit=5, out=tmp_path / "one")
    text = sx.report(run, tmp_path / "one.html").read_text("utf-8")
    assert "this needs two other models on the same items" in text
    assert "was not run" in text


def test_models_with_nothing_in_common_have_a_report(tmp_path: Path) -> None:
    one = sx.run(["sim/typical"], experiments=["association"], limit=5, out=tmp_path / "one")
    two = sx.run(["sim/coin"], experiments=["restriction"], limit=5, out=tmp_path / "two")
    text = sx.report([one, two.folder], tmp_path / "both.html").read_text("utf-8")
    assert "sim/typical" in text and "sim/coin" in text


def test_a_model_of_which_nothing_came_has_a_report(tmp_path: Path) -> None:
    error = {"error": "<b>down"}
    lines = [
        {"model": "silent", "experiment": "restriction", "item": item, "session": "predict", "text": None} | error
        for item in load_items("starter").items["restriction"]
    ]
    text = sx.report(imported(lines, tmp_path), tmp_path / "silent.html").read_text("utf-8")
    assert "&lt;b&gt;down" in text and "<b>down" not in text


def imported(lines: list[dict[str, Any]], folder: Path, items: str | Path = "starter") -> Run:
    source = folder / "replies.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return run_of_replies([source], item_source=items, out=folder / "imported")[0]


@pytest.mark.slow
def test_the_command_writes_the_file(panel: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    done = CliRunner().invoke(root, ["report", str(panel.folder), "-o", str(out), "--evidence", "none"])
    assert done.exit_code == 0 and str(out) in done.output
    assert "selfexec report panel --evidence none" in out.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"convention": "authors"}, "unknown convention .authors.. There are strict, readable"),
        ({"evidence": "some"}, "unknown evidence .some.. There are none, sample, all"),
        ({"path": "nowhere/at/all.html"}, "cannot be written"),
    ],
)
def test_what_cannot_be_is_refused_by_name(panel: Run, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        sx.report(panel, **options)


def test_the_same_model_in_two_runs_is_refused(panel: Run, tmp_path: Path) -> None:
    again = sx.run(["sim/coin"], limit=2, out=tmp_path / "again")
    with pytest.raises(InputError, match="sim/coin is in"):
        sx.report([panel, again], tmp_path / "x.html")


# --- in a browser ----------------------------------------------------------------------------------------------------


def test_a_report_takes_the_place_of_an_older_one_and_of_no_other_file(panel: Run, tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    place.touch()  # as mktemp leaves one
    one = part_of(panel, models=["sim/coin"], experiments=["restriction"])
    assert sx.report(one, place, evidence="none") == place
    older = place.read_text("utf-8")
    sx.report(one, place, evidence="sample")
    assert len(place.read_text("utf-8")) > len(older)
    place.write_text("<html>my notes</html>")
    with pytest.raises(InputError, match=r"report\.html: this is no report of selfexec, and is not overwritten\. Give"):
        sx.report(panel, place)
    assert place.read_text() == "<html>my notes</html>"


@pytest.fixture(scope="module")
def drawn(panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the simulated panel, with its figures."""
    return sx.report(panel, tmp_path_factory.mktemp("drawn") / "drawn.html")


def column(browser: Browser, table: str, n: int) -> list[str]:
    cell = f"row.cells[{n}].dataset.value ?? row.cells[{n}].textContent.trim()"
    found: list[str] = browser.js(f"[...document.querySelectorAll('{table} tbody tr')].map(row => {cell})")
    return found


def shown(browser: Browser, selector: str) -> set[str]:
    """The models of the elements that can be seen."""
    seen = "filter(e => getComputedStyle(e).display !== 'none').map(e => e.dataset.model)"
    return set(browser.js(f"[...document.querySelectorAll('{selector}')].{seen}"))


@pytest.mark.slow
def test_the_page_opens_without_a_fault_and_asks_for_nothing(browser: Browser, drawn: Path) -> None:
    for width, dark in ((1280, False), (1280, True), (390, False)):
        browser.open(drawn, width, 900, dark)
        browser.js("new Promise(done => setTimeout(done, 100))")
        assert browser.log == []
        assert browser.requests == [drawn.resolve().as_uri()]


@pytest.mark.slow
def test_a_table_is_sorted_by_mouse_and_by_keyboard(browser: Browser, html: Path) -> None:
    browser.open(html)
    browser.js("document.getElementById('every-score').open = true")
    head = "document.querySelectorAll('#score-table thead th')[2]"
    browser.js(f"{head}.querySelector('button').click()")
    values = [float(v) for v in column(browser, "#score-table", 2) if v]
    assert values == sorted(values, reverse=True)
    assert browser.js(f"{head}.getAttribute('aria-sort')") == "descending"
    # what is withheld comes last, both ways
    blank = [v == "" for v in column(browser, "#score-table", 2)]
    assert blank == sorted(blank)
    browser.js(f"{head}.querySelector('button').focus()")
    browser.press("Enter", 13)
    values = [float(v) for v in column(browser, "#score-table", 2) if v]
    assert values == sorted(values)
    assert browser.js("document.querySelectorAll('#score-table th[aria-sort]').length") == 1
    browser.js("document.querySelectorAll('#score-table thead th button')[1].click()")
    names = column(browser, "#score-table", 1)
    assert names == sorted(names)


@pytest.mark.slow
def test_models_are_filtered_everywhere(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    browser.js(
        "document.querySelectorAll('#figures details, #appendix details, #scores details').forEach(e => e.open = true)"
    )
    browser.js(
        "(find => { find.value = 'coin'; find.dispatchEvent(new Event('input')) })(document.getElementById('find'))"
    )
    marks = ".canvas svg [data-model]"
    for place in ("#score-table tbody tr", marks, "details.model", "#figure-experiments tbody tr"):
        assert shown(browser, place) == {"sim/coin"}
    assert browser.js("document.querySelector('.shown').textContent") == "1 of 4 models"


@pytest.mark.slow
def test_what_is_packed_is_there_when_it_is_unfolded_and_filtered_like_the_rest(
    browser: Browser, html: Path, many: Path
) -> None:
    rows = "[...document.querySelectorAll('#every tbody tr')].map(row => row.textContent)"
    browser.open(html)
    browser.js("document.querySelector('#every summary').click()")
    browser.until("document.querySelector('#every tbody tr') !== null")
    every = browser.js(rows)
    browser.open(many)
    browser.js(
        "(find => { find.value = 'coin'; find.dispatchEvent(new Event('input')) })(document.getElementById('find'))"
    )
    assert browser.js(rows) == []
    browser.js("document.querySelector('#every summary').click()")
    browser.until("document.querySelector('#every tbody tr') !== null")
    assert browser.js(rows) == every
    assert shown(browser, "#every tbody tr") == {"sim/coin"}
    # a figure is put in order by the table behind it, which need not have been unfolded
    figure = "document.getElementById('figure-experiments')"
    browser.js(f"{figure}.querySelector('.order select').selectedIndex = 2")
    browser.js(f"{figure}.querySelector('.order select').dispatchEvent(new Event('change'))")
    browser.until(f"{figure}.querySelector('th[aria-sort]') !== null")
    # an address unfolds what it leads to
    browser.js("location.hash = '#model-1'")
    browser.until("document.querySelector('#model-1 h4') !== null")
    assert browser.log == []


@pytest.mark.slow
def test_the_rows_of_a_figure_move_together_where_models_are_hidden(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    places = "[...document.querySelectorAll('#figure-experiments [data-band]:not(.off) text')]"
    places += ".map(e => e.getBoundingClientRect().top - e.closest('svg').getBoundingClientRect().top)"
    height = "document.querySelector('#figure-experiments svg').viewBox.baseVal.height"
    find = "(text => { const box = document.getElementById('find'); box.value = text; "
    find += "box.dispatchEvent(new Event('input')) })"
    first, before = browser.js(places), browser.js(height)
    last = browser.js("[...document.querySelectorAll('#figure-experiments [data-band]')].at(-1).dataset.model")
    browser.js(f"{find}({json.dumps(last)})")
    # the last row stands where the first one was, and three rows of four are gone from the height: 3 * 21
    assert browser.js(places) == pytest.approx(first[:1], abs=1)
    assert browser.js(height) == pytest.approx(before - 63)
    browser.js(f"{find}('')")
    assert browser.js(places) == first and browser.js(height) == before


@pytest.mark.slow
def test_the_rows_of_a_figure_are_sorted_by_what_is_chosen(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    place = "document.querySelector('#figure-experiments')"
    # the names as they stand one below the other, and each row's first mark beside its name
    tops = f"[...{place}.querySelectorAll('[data-band][data-model]:not(.off)')]"
    tops += (
        ".map(e => [e.querySelector('text').getBoundingClientRect().top, e.dataset.model]).sort(([a], [b]) => a - b)"
    )
    table = f"[...{place}.querySelectorAll('tbody tr')]"
    table += ".map(row => [row.dataset.model, parseFloat(row.cells[1].textContent)])"
    choose = f"(n => {{ const s = {place}.querySelector('.order select'); s.selectedIndex = n; "
    choose += "s.dispatchEvent(new Event('change')) })"
    given = browser.js(tops)
    values = {model: value for model, value in browser.js(table) if value == value}
    browser.js(f"{choose}(2)")
    greatest_first = sorted(values, key=lambda model: -values[model])
    assert greatest_first != [model for _, model in given]
    assert [model for _, model in browser.js(tops)][: len(values)] == greatest_first
    marks = f"{place}.querySelector('.sx-panel .sx-mark:not(.sx-baseline)[data-model=\"%s\"]').getBoundingClientRect()"
    for top, model in browser.js(tops):
        if model in values:
            assert browser.js(f"{marks % model}.y - {top}") == pytest.approx(4, abs=6)  # in the row of its own name
    # the head of the table behind it turns the order round, and the drawing goes along
    browser.js(f"{place}.querySelectorAll('thead button')[1].click()")
    assert [model for _, model in browser.js(tops)][: len(values)] == greatest_first[::-1]
    assert browser.js(f"{place}.querySelector('.order select').selectedIndex") == 2
    browser.js(f"{choose}(0)")
    assert browser.js(tops) == given
    assert browser.log == []


@pytest.mark.slow
def test_a_withheld_row_is_last_whatever_it_is_sorted_by(browser: Browser, panel: Run, tmp_path: Path) -> None:
    browser.open(sx.report(panel, tmp_path / "page.html"))
    browser.js("window.table = document.querySelector('#score-table')")
    browser.js("table.tBodies[0].rows[0].cells[3].dataset.value = ''")  # withheld, as others are of themselves
    for _ in range(2):  # both ways
        browser.js("table.querySelectorAll('thead button')[3].click()")
        known = browser.js("[...table.tBodies[0].rows].map(row => Boolean(row.cells[3].dataset.value))")
        assert known == sorted(known, reverse=True) and len(set(known)) == 2


@pytest.mark.slow
def test_the_table_behind_a_figure_is_sorted_by_the_number_a_cell_begins_with(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    browser.js("document.querySelectorAll('#figure-experiments thead button')[1].click()")
    cells = browser.js(
        "[...document.querySelectorAll('#figure-experiments tbody tr')].map(r => r.cells[1].textContent)"
    )
    values = [float(cell.split()[0]) for cell in cells if cell]
    assert len(values) > 2 and values == sorted(values, reverse=True)


@pytest.mark.slow
def test_an_address_opens_what_it_names(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    browser.js("location.hash = '#every'")
    browser.until("document.getElementById('every').open")
    browser.js("location.hash = '#score-table'")
    browser.until("document.getElementById('every-score').open")
    browser.js("location.hash = '#items?m=0&e=difficulty&c=R'")
    browser.until(DRILLED)
    assert browser.js("document.getElementById('drill-experiment').value") == "difficulty"
    browser.press("Escape", 27)
    browser.until("!document.querySelector('#drill').open && location.hash === ''")
    assert browser.log == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "opened", ["location.hash = '#items?m=0&e=difficulty&c=R'", "document.querySelector('#model-1 .ev').click()"]
)
def test_whoever_leaves_a_dialog_by_an_address_comes_to_it(browser: Browser, drawn: Path, opened: str) -> None:
    browser.open(drawn)
    browser.js("document.documentElement.style.scrollBehavior = 'auto'")
    browser.js(opened)
    browser.until(DRILLED)
    browser.js("location.hash = '#score-table'")
    browser.until("!document.querySelector('#drill').open")
    browser.until("document.getElementById('every-score').open")
    browser.js("history.back()")
    browser.until(DRILLED)
    browser.js("location.hash = '#figure-tokens'")
    browser.until("!document.querySelector('#drill').open")
    browser.until("Math.abs(document.getElementById('figure-tokens').getBoundingClientRect().top) < innerHeight / 2")
    assert browser.log == []


WRONG = {
    "m=999": "a model",
    "m=length": "a model",
    "m=-1": "a model",
    "e=overall": "a model",
    "m=0&e=clairvoyance": "an experiment",
    "m=0&e=constructor&c=all": "an experiment",
    "m=0&e=association&i=nowhere": "an item",
    "m=0&e=association&c=Z": "an outcome",
    "model=nobody": "a model",
    "model=constructor": "a model",
    "m=0&e=association&at=nowhere": "an item",
    "m=0&e=association&d=constructor": "a source",
    "m=0&e=association&b=oracle": "a baseline",
    "m=0&e=association&b=constructor": "a baseline",
    "m=0&e=association&b=best&w=toString": "a comparison",
    "m=0&e=association&k=predict&s=Z": "a kind of session",
    "m=0&e=association&k=judge&s=r": "a kind of session",
}


@pytest.mark.slow
@pytest.mark.parametrize("address", WRONG)
def test_a_wrong_address_says_what_is_not_in_the_page(browser: Browser, drawn: Path, address: str) -> None:
    browser.open(drawn)
    browser.js("document.querySelector('#model-2 button.ev').click()")  # nothing of it may stay
    browser.until(DRILLED)
    browser.js(f"location.hash = '#items?{address}'")
    told = f"The address names {WRONG[address]} that is not in this page."
    browser.until(f"document.getElementById('drill-count').textContent === {json.dumps(told)}")
    assert browser.js("document.querySelector('#drill').open")
    assert browser.js("document.getElementById('drill-h').textContent") == "Evidence"
    assert browser.js("['.drill-filter', '.drill-panes'].every(s => document.querySelector(s).offsetHeight === 0)")
    # a right one is shown again
    browser.js("location.hash = '#items?m=1&e=association&c=all'")
    browser.until(f"document.getElementById('drill-h').textContent === {json.dumps(PANEL[1])}")
    assert browser.js("document.querySelector('.drill-panes').offsetHeight") > 0
    assert browser.log == []


@pytest.mark.slow
def test_sessions_that_cannot_be_unpacked_are_said_to_be_damaged(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    browser.js("document.getElementById('evidence-1').textContent = 'AAAA'")
    browser.js("location.hash = '#items?m=1&e=association&c=all'")
    browser.until("document.getElementById('drill-count').textContent.includes('damaged')")


@pytest.mark.slow
def test_back_closes_the_dialog_and_forward_opens_it(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    steps = browser.js("history.length")
    browser.js("document.querySelector('#model-1 button.ev').click()")
    browser.until(DRILLED)
    assert browser.js("location.hash").startswith(f"#items?{urlencode({'model': PANEL[1]})}&")
    browser.js("history.back()")
    browser.until("!document.querySelector('#drill').open")
    assert browser.js("location.hash") == ""
    browser.js("history.forward()")
    browser.until(DRILLED)
    # closed by hand, it leaves nothing behind through which one would have to go back
    browser.js("document.querySelector('#drill .close').click()")
    browser.until("location.hash === ''")
    browser.js("document.querySelector('#model-2 button.ev').click()")
    browser.until(DRILLED)
    assert browser.js("history.length") == steps + 1
    assert browser.js("document.getElementById('drill-h').textContent") == headed(browser, 2)


def headed(browser: Browser, model: int) -> str:
    """What the dialog is called after a click on the first number of a model: by that number, too."""
    number = browser.js(f"document.querySelector('#model-{model} button.ev').firstChild.data")
    return f"{PANEL[model]}: {number}"


@pytest.mark.slow
def test_the_last_number_asked_for_is_the_one_that_opens(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    steps = browser.js("history.length")
    first, last = (f"document.querySelector('#model-{n} button.ev').click()" for n in (1, 2))
    # two at once
    browser.js(f"{first}, {last}")
    browser.until(DRILLED)
    assert browser.js("document.getElementById('drill-h').textContent") == headed(browser, 2)
    # one while the dialog of another is still being left: its close is told to the page only later
    browser.js(f"document.querySelector('#drill').close(), {first}")
    browser.until(DRILLED)
    browser.js("new Promise(done => setTimeout(done, 300))")
    assert browser.js("document.getElementById('drill-h').textContent") == headed(browser, 1)
    assert (
        browser.js("location.hash").startswith(f"#items?{urlencode({'model': PANEL[1]})}&")
        and browser.js("history.length") == steps + 1
    )
    browser.js("document.querySelector('#drill .close').click()")
    browser.until("location.hash === '' && !document.querySelector('#drill').open")


@pytest.mark.slow
def test_the_page_stays_where_it_was_when_the_dialog_is_left(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    browser.js("document.documentElement.style.scrollBehavior = 'auto', location.hash = '#scores'")
    browser.until("scrollY > 0")
    browser.js("scrollBy(0, 200)")
    height = browser.js("scrollY")
    for leave in ("history.back()", "document.querySelector('#drill .close').click()"):
        browser.js("document.querySelector('#score-table button.ev').click()")
        browser.until(DRILLED)
        # what was read is in sight
        seen = "(mark => mark.getBoundingClientRect().top < mark.parentElement.getBoundingClientRect().bottom)"
        assert all(browser.js(f"[...document.querySelectorAll('#drill-item .reply mark')].map({seen})"))
        browser.js(leave)
        browser.until("location.hash === '#scores' && !document.querySelector('#drill').open")
        browser.js("new Promise(done => setTimeout(done, 200))")
        assert browser.js("scrollY") == height


@pytest.mark.slow
def test_a_count_of_requests_opens_just_those_that_were_read(browser: Browser, panel: Run, drawn: Path) -> None:
    browser.open(drawn)
    n = PANEL.index("sim/breaks-format")
    line = next(k for k in kinds(coded_claims(panel.tables))["sim/breaks-format"]["restriction"] if k.kind == "safe")
    browser.js(f"document.querySelector('#model-{n} button.ev[data-c=TFUN][data-f=safe]').click()")
    browser.until(DRILLED)
    count = browser.js("document.getElementById('drill-count').textContent")
    assert count.split(",")[0] == f"{line.claims} items"
    assert "all that were read" in browser.js("document.getElementById('drill-what').selectedOptions[0].textContent")


@pytest.mark.slow
def test_every_number_leads_to_its_items(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    browser.js("document.querySelector('#every summary').click()")
    browser.until("document.querySelector('#every tbody tr') !== null")
    bare = '#every td[data-metric][data-value]:not([data-value=""]):not(:has(button.ev))'
    assert browser.js(f"document.querySelectorAll('{bare}').length") == 0
    assert browser.js("document.querySelectorAll('#every button.ev').length") > 100


ITEMS = "[...document.querySelectorAll('#drill-items bdi')].map(e => e.textContent)"


def choose(browser: Browser, select: str, value: str) -> None:
    """Of what a dialog offers."""
    changed = f"s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change'))"
    browser.js(f"(s => {{ {changed} }})(document.getElementById('drill-{select}'))")


@pytest.mark.slow
def test_a_margin_opens_the_items_in_which_model_and_baseline_differ(browser: Browser, panel: Run, drawn: Path) -> None:
    index = unpacked(data_of(panel).evidence.index)
    told = predicted_in(index, "sim/coin", "restriction", "stacked")
    title = {item.id: item.request for item in panel.items["restriction"].values()}
    differ = {title[item] for item, said, code in told if (said in "YN") != (code in "TN")}
    beaten = {title[item] for item, said, code in told if said in "YN" and code not in "TN"}
    assert beaten and beaten < differ
    browser.open(drawn)
    cell = '#score-table td[data-metric=baseline_margin][data-model="sim/coin"][data-experiment=restriction] button'
    browser.js(f"document.querySelector('{cell}').click()")
    browser.until(DRILLED)
    assert browser.js("document.getElementById('drill-baseline').value") == "stacked"
    assert set(browser.js(ITEMS)) == differ
    choose(browser, "what", "beside|baseline")
    assert set(browser.js(ITEMS)) == beaten
    label = browser.js("document.getElementById('drill-what').selectedOptions[0].textContent")
    assert label == f"baseline right, model wrong ({len(beaten)})"
    verdict = browser.js("document.querySelector('.verdicts').textContent")
    assert re.search(r"; best baseline predicted (yes|no), right; [0-3] of [1-3] other models did it", verdict)
    # another baseline, and none
    choose(browser, "baseline", "label")
    assert "; label predicted " in browser.js("document.querySelector('.verdicts').textContent")
    choose(browser, "baseline", "")
    assert "other models" not in browser.js("document.querySelector('.verdicts').textContent")
    assert browser.js("document.getElementById('drill-what').value") == "claim|all"
    assert browser.log == []


def address(browser: Browser) -> dict[str, str]:
    found: str = browser.js("location.hash")
    return dict(parse_qsl(found.removeprefix("#items?"), strict_parsing=True))


CURRENT = "document.querySelector('#drill-items [aria-current=true] bdi').textContent"


@pytest.mark.slow
def test_an_address_names_what_is_shown_and_leads_back_to_it(browser: Browser, panel: Run, drawn: Path) -> None:
    browser.open(drawn)
    browser.js("document.querySelector('#model-2 button.ev[data-e=restriction]').click()")
    browser.until(DRILLED)
    choose(browser, "baseline", "label")
    choose(browser, "what", "beside|baseline")
    browser.js("(s => { s.value = 'e'; s.dispatchEvent(new Event('input')) })(document.getElementById('drill-find'))")
    browser.js("document.querySelectorAll('#drill-items button')[2].click()")
    items, current = browser.js(ITEMS), browser.js(CURRENT)
    known = {item.request: item.id for item in panel.items["restriction"].values()}
    expected = {"model": PANEL[2], "e": "restriction", "w": "baseline", "b": "label", "q": "e", "at": known[current]}
    assert address(browser) == expected
    browser.open(drawn)
    browser.js(f"location.hash = {json.dumps('#items?' + urlencode(expected))}")
    browser.until(DRILLED)
    assert (browser.js(ITEMS), browser.js(CURRENT), address(browser)) == (items, current, expected)
    # older pages numbered their models
    browser.js("location.hash = '#items?m=1&e=difficulty&c=R'")
    browser.until(f"document.getElementById('drill-h').textContent === {json.dumps(PANEL[1])}")
    assert {**address(browser), "at": ""} == {"model": PANEL[1], "e": "difficulty", "c": "R", "at": ""}
    assert browser.log == []


def shown_at(browser: Browser, page: Path, **asked: str) -> None:
    """Open the page's evidence by an address."""
    browser.open(page)
    browser.js(f"location.hash = '#items?{urlencode(asked)}'")
    browser.until("document.querySelector('#drill-item h3, #drill-item .reset') !== null")


@pytest.mark.slow
def test_an_item_is_shown_in_all_models_and_leads_to_each(browser: Browser, panel: Run, drawn: Path) -> None:
    item = next(iter(panel.items["restriction"]))
    shown_at(browser, drawn, model="sim/coin", e="restriction", c="all", at=item)
    browser.js("document.getElementById('drill-across').click()")
    assert address(browser) | {"view": "models", "at": item} == address(browser)
    rows = "[...document.querySelectorAll('.across tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
    claims = panel.observations.filter((pl.col("experiment") == "restriction") & (pl.col("item") == item))
    said = {True: "yes", False: "no"}
    expected = []
    for model in panel.models:
        (claim,) = claims.filter(pl.col("model") == model).iter_rows(named=True)
        told = f"{said.get(claim['predicted'])}, did{'' if claim['observed'] else ' not'}"
        expected.append([model, told if claim["state"] == "read" else claim["state"]])
    read = claims.filter(pl.col("state") == "read")["observed"]
    found = browser.js(rows)
    assert found == [*expected, ["Did it", f"{read.sum()} of {len(read)}"]]
    # the address leads back to it, and a name to the item in that model
    place = browser.js("location.hash")
    browser.open(drawn)
    browser.js(f"location.hash = '{place}'")
    browser.until("document.querySelector('.across') !== null")
    assert browser.js(rows) == found
    browser.js("[...document.querySelectorAll('.across button')].find(b => b.textContent === 'sim/typical').click()")
    browser.until("document.querySelector('.across') === null")
    assert (address(browser)["model"], address(browser)["at"]) == ("sim/typical", item)


@pytest.mark.slow
def test_what_stands_in_a_reply_is_found_and_what_is_found_nowhere_leaves_a_way_out(
    browser: Browser, panel: Run, tmp_path: Path
) -> None:
    page = sx.report(panel, tmp_path / "all.html", evidence="all")
    replies = [reply for key, reply in panel.replies.items() if key[:2] == ("sim/typical", "association")]
    word = next(w for reply in replies for w in re.findall(r'"(\w{6,})"', reply.text or "") if "words" not in w)
    expected = {r.key.item for r in replies if word.lower() in (r.text or "").lower()}
    for id, item in panel.items["association"].items():
        if word.lower() in " ".join([id, item.target, *item.options]).lower():
            expected.add(id)
    shown_at(browser, page, model="sim/typical", e="association", c="all", q=word.upper())
    titles = "[...document.querySelectorAll('#drill-items button > bdi')].map(b => b.textContent)"
    assert sorted(browser.js(titles)) == sorted(panel.items["association"][id].target for id in expected)
    shown_at(browser, page, model="sim/typical", e="association", c="all", q="no such words <b>")
    assert browser.js("document.querySelector('#drill-item p').textContent").count("no such words <b>") == 1
    browser.js("document.querySelector('#drill-item .reset').click()")
    assert browser.js("document.querySelectorAll('#drill-items button').length") == len(panel.items["association"])
    assert "q" not in address(browser)


@pytest.mark.slow
def test_a_text_is_found_in_the_replies_of_all_models_and_each_place_leads_to_its_item(
    browser: Browser, panel: Run, tmp_path: Path
) -> None:
    browser.open(sx.report(panel, tmp_path / "all.html", evidence="all"))
    browser.js("document.querySelector('#score-table button.ev').click()")
    browser.until(DRILLED)
    assert browser.js("document.getElementById('drill-everywhere').hidden")
    find = "(text => { const box = document.getElementById('drill-find'); box.value = text; "
    find += "box.dispatchEvent(new Event('input')) })"
    # what stands in one reply alone: its first forty characters
    texts = Counter(reply.text for reply in panel.replies.values() if reply.text)
    key, rare = next(
        (key, reply.text)
        for key, reply in panel.replies.items()
        if reply.text and texts[reply.text] == 1 and key.model != panel.models[0]
    )
    words = " ".join(rare.split("\n")[0].split())[:40]
    having = {k[:3] for k, reply in panel.replies.items() if words.lower() in (reply.text or "").lower()}
    browser.js(f"{find}({json.dumps(words)})")
    browser.js("document.getElementById('drill-everywhere').click()")
    browser.until("document.querySelector('.everywhere') !== null")
    listed = browser.js("[...document.querySelectorAll('.everywhere button')].map(b => b.textContent)")
    assert len(listed) == min(len(having), 200)
    assert any(line.startswith(f"{key.model}, {key.experiment}") for line in listed)
    n = next(n for n, line in enumerate(listed) if line.startswith(f"{key.model}, {key.experiment}"))
    browser.js(f"document.querySelectorAll('.everywhere button')[{n}].click()")
    browser.until(f"document.getElementById('drill-h').textContent === {json.dumps(key.model)}")
    assert browser.js("document.getElementById('drill-experiment').value") == key.experiment
    assert words.lower() in browser.js("document.getElementById('drill-item').textContent").lower()
    # what stands nowhere is said to
    browser.js(f"{find}('no reply has this')")
    browser.js("document.getElementById('drill-everywhere').click()")
    browser.until("document.getElementById('drill-item').textContent.includes('In no reply that is in this page')")
    assert browser.log == []


@pytest.mark.slow
def test_a_session_has_its_prompt_as_it_was_sent(browser: Browser, panel: Run, drawn: Path) -> None:
    surprise = data_of(panel).surprises["sim/coin"][0]
    shown_at(browser, drawn, model="sim/coin", e=surprise.experiment, c="all", at=surprise.item)
    summaries = (
        "[...document.querySelectorAll('#drill-item summary')].filter(s => s.textContent.endsWith('as it was sent'))"
    )
    assert browser.js(f"{summaries}.map(s => s.textContent)")[0] == "Prompt of predict, as it was sent"
    browser.js(f"{summaries}[0].click()")
    browser.until("document.querySelector('[aria-label=\"Prompt of predict\"]') !== null")
    key = next(k for k in panel.replies if (k.model, k.item, k.session) == ("sim/coin", surprise.item, "predict"))
    shown = browser.js("document.querySelector('[aria-label=\"Prompt of predict\"]').textContent")
    assert shown == prompts_sent(panel, [key])[key]


def test_prompts_are_worked_out_once_for_all_who_were_sent_the_same(panel: Run) -> None:
    found = prompts_asked(panel, panel.replies)
    assert not found.own
    sent = prompts_sent(panel, panel.replies)
    alike = {
        (key.experiment, key.item, key.session): prompt for key, prompt in sent.items() if key.session_kind != "judge"
    }
    assert found.shared == alike


def test_who_was_sent_another_prompt_has_its_own(panel: Run) -> None:
    keys = [key for key in panel.replies if key.model != "sim/coin"]
    other = keys[-1]
    assert other.session_kind != "judge"
    sha = "0" * 64
    replies = {**panel.replies, other: msgspec.structs.replace(panel.replies[other], prompt_sha256=sha)}
    found = prompts_asked(replace(panel, replies=replies), keys)
    assert found.own == {other: None}  # nobody can tell what that was


@pytest.mark.slow
def test_an_address_holds_filter_and_sort_and_leads_back_to_them(browser: Browser, panel: Run, tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("model,family\nsim/coin,chance\nsim/typical,same\n")
    page = sx.report(panel, tmp_path / "grouped.html", groups=tmp_path / "groups.csv")

    def seen() -> list[Any]:
        return [
            column(browser, "#score-table", 0),
            shown(browser, "#score-table tbody tr"),
            column(browser, "#figure-experiments", 1),
        ]

    browser.open(page)
    before = browser.js("location.href")
    browser.js("document.querySelectorAll('#score-table thead .sort')[3].click()")
    browser.js("document.querySelectorAll('#score-table thead .sort')[3].click()")
    figure = "document.querySelector('#figure-experiments .order select')"
    browser.js(f"{figure}.selectedIndex = 2; {figure}.dispatchEvent(new Event('change'))")
    browser.js("document.querySelector('.chip[data-family=same]').click()")
    typed = "(find => { find.value = 't'; find.dispatchEvent(new Event('input')) })(document.getElementById('find'))"
    browser.js(typed)
    found, place = seen(), browser.js("location.hash")
    assert place.startswith("#view?") and found[1] == {"sim/typical"}
    browser.open(page)
    browser.js(f"location.hash = {json.dumps(place)}")
    browser.until("document.querySelector('#figure-experiments th[aria-sort]') !== null")
    assert seen() == found and browser.js("location.hash") == place
    # where nobody is left the page says so, and leads back; a page as it came has no address of its own
    browser.js(typed.replace("'t'", "'nobody'"))
    assert browser.js("document.querySelector('.shown').textContent") == "No model here has such a name"
    browser.js("document.querySelector('.filter .reset').click()")
    assert len(shown(browser, "#score-table tbody tr")) == len(PANEL)
    browser.open(page)
    browser.js(typed)
    browser.js("document.querySelector('.filter .reset').click()")
    assert browser.js("location.href") == before


@pytest.mark.slow
def test_items_are_walked_by_keys_and_buttons(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    browser.js("location.hash = '#items?m=1&e=association&c=all'")
    browser.until(DRILLED)
    items = browser.js(ITEMS)
    assert browser.js("document.getElementById('drill-previous').disabled")
    browser.press("j", 74)
    assert browser.js(CURRENT) == items[1]
    browser.js("document.querySelector('#drill-items [aria-current=true]').focus()")
    browser.press("ArrowDown", 40)
    assert browser.js(CURRENT) == items[2] == browser.js("document.activeElement.querySelector('bdi').textContent")
    browser.press("k", 75)
    browser.press("ArrowUp", 38)
    browser.press("ArrowUp", 38)  # there is none before the first
    assert browser.js(CURRENT) == items[0]
    browser.js("document.getElementById('drill-next').click()")
    assert browser.js(CURRENT) == items[1]
    browser.js("document.getElementById('drill-find').focus()")
    browser.press("j", 74)  # a letter of what is looked for
    assert browser.js(CURRENT) == items[1]
    browser.js("document.querySelector('#drill-items li:last-child button').click()")
    assert browser.js("document.getElementById('drill-next').disabled")


@pytest.mark.slow
def test_a_baselines_number_opens_what_it_said(browser: Browser, panel: Run, drawn: Path) -> None:
    index = unpacked(data_of(panel).evidence.index)
    told = predicted_in(index, "sim/coin", "restriction", "others_mode")
    browser.open(drawn)
    browser.js("document.querySelector('#every summary').click()")
    browser.until("document.querySelector('#every tbody tr') !== null")
    cell = '#every td[data-metric=others_mode][data-model="sim/coin"][data-experiment=restriction] button'
    browser.js(f"document.querySelector('{cell}').click()")
    browser.until(DRILLED)
    assert browser.js("document.getElementById('drill-baseline').value") == "others_mode"
    assert len(browser.js(ITEMS)) == len(told)


def opened_overall(browser: Browser, run: Run, page: Path) -> str:
    """The experiment whose items an address opens that names none."""
    browser.open(sx.report(run, page))
    browser.js("location.hash = '#items?m=0&e=overall'")
    browser.until(DRILLED)
    found: str = browser.js("document.getElementById('drill-experiment').value")
    return found


@pytest.mark.slow
def test_what_is_behind_an_overall_number_opens_where_a_prediction_was_wrong_or_where_one_was_read(
    browser: Browser, tmp_path: Path
) -> None:
    run = sx.run(["sim/knows-itself"], limit=5, out=tmp_path / "run")
    wrong = run.observations.filter(pl.col("state") == "read", pl.col("predicted") != pl.col("observed"))
    assert set(wrong["experiment"]) == {"difficulty"}
    assert opened_overall(browser, run, tmp_path / "wrong.html") == "difficulty"
    lines = [json.loads(line) for line in (run.folder / "replies.jsonl").read_text("utf-8").splitlines()]
    lost = [
        line | ({"text": None, "error": "503"} if line["experiment"] == "association" else {})
        for line in lines
        if line["experiment"] != "difficulty"
    ]
    (tmp_path / "lost.jsonl").write_text("\n".join(map(json.dumps, lost)))
    rest = sx.import_replies(tmp_path / "lost.jsonl", items=run.folder / "items", out=tmp_path / "lost")
    assert opened_overall(browser, rest, tmp_path / "lost.html") == "restriction"


@pytest.mark.slow
def test_a_family_is_shown_alone_and_all_again(browser: Browser, panel: Run, tmp_path: Path) -> None:
    groups = tmp_path / "groups.csv"
    groups.write_text("model,family\n" + "".join(f"{m},{'good' if 'knows' in m else 'other'}\n" for m in PANEL))
    browser.open(sx.report(panel, tmp_path / "families.html", groups=groups))
    everybody = shown(browser, "#score-table tbody tr")
    assert everybody == set(PANEL)
    chip = "document.querySelector('.chip[data-family=good]')"
    browser.js(f"{chip}.click()")
    assert shown(browser, "#score-table tbody tr") == {"sim/knows-itself"}
    assert browser.js(f"{chip}.getAttribute('aria-pressed')") == "true"
    # another one in its place, in every drawing too
    browser.js("document.querySelector('.chip[data-family=other]').click()")
    assert shown(browser, "#score-table tbody tr") == everybody - {"sim/knows-itself"}
    assert shown(browser, "#figure-ladder .canvas [data-band][data-model]") == everybody - {"sim/knows-itself"}
    browser.js("document.querySelector('.chip[data-family=other]').click()")
    assert shown(browser, "#score-table tbody tr") == everybody


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_bar_covers_nothing_that_an_address_leads_to(
    browser: Browser, panel: Run, tmp_path: Path, width: int
) -> None:
    groups = tmp_path / "groups.csv"  # chips for several lines
    groups.write_text("model,family\n" + "".join(f"{m},a family with a long name {m * 4}\n" for m in PANEL))
    browser.open(sx.report(panel, tmp_path / "families.html", groups=groups), width)
    browser.js("document.documentElement.style.scrollBehavior = 'auto'")
    bar = "document.querySelector('.filter').getBoundingClientRect().bottom"
    for target in ("figure-tokens", "scores", "model-2", "lost"):
        browser.js(f"location.hash = '#{target}'")
        top = f"document.getElementById('{target}').getBoundingClientRect().top"
        browser.until(f"scrollY > 0 && Math.abs({top}) < innerHeight / 2")
        assert browser.js(top) >= browser.js(bar)
    # it follows the bar, which is lower with fewer chips
    browser.js("document.querySelectorAll('.chip').forEach((chip, n) => n && chip.remove())")
    browser.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    browser.js("location.hash = '#scores'")
    top = "document.getElementById('scores').getBoundingClientRect().top"
    browser.until(f"Math.abs({top} - Math.max(0, {bar}) - 16) < 2")  # 1rem below it


@pytest.mark.slow
def test_a_model_is_highlighted_in_figures(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    over = "dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    browser.js(f"document.querySelector('#score-table tr[data-model=\"sim/coin\"] td').{over}")
    dim = browser.js("[...document.querySelectorAll('.canvas .dim')].map(e => e.dataset.model)")
    assert set(dim) == {m for m in PANEL if m != "sim/coin"}


DRILLED = "document.querySelector('#drill').open && document.querySelector('#drill-item h4') !== null"


@pytest.mark.slow
def test_a_disputed_claim_is_told_in_words_and_can_be_asked_for(
    browser: Browser, disputing: Run, tmp_path: Path
) -> None:
    browser.open(sx.report(disputing, tmp_path / "page.html"))
    browser.js("document.querySelector('button.ev[data-e=restriction][data-c=U]').click()")
    browser.until(DRILLED)
    options = browser.js("[...document.querySelectorAll('#drill-what option')].map(e => [e.value, e.textContent])")
    assert ["disputed|rule", "disputed: a fixed rule says otherwise of what it did (2)"] in options
    browser.js(
        "document.querySelector('#drill-what').value = 'disputed|rule';"
        "document.querySelector('#drill-what').dispatchEvent(new Event('change'))"
    )
    titles = "[...document.querySelectorAll('#drill-items bdi')].map(e => e.textContent)"
    assert sorted(browser.js(titles)) == ["Request 1?", "Request 2?"]
    browser.js("[...document.querySelectorAll('#drill-items button')].find(e => e.textContent.includes('1?')).click()")
    text = browser.js("document.querySelector('#drill-item').textContent")
    assert "said it would not, and did; disputed: a fixed rule says otherwise of what it did" in text
    assert "kept, not read" in text and "by a fixed rule: refusal · what counts is the model's own judgement" in text
    assert "value: refusal" not in text and "judgeread · value: A" in text
    assert browser.log == []


@pytest.mark.slow
def test_a_number_leads_to_its_items_and_they_to_their_sessions(browser: Browser, panel: Run, html: Path) -> None:
    browser.open(html)
    over = outcome_counts(coded_claims(panel.tables))["sim/coin"]["association"]["F"]
    n = PANEL.index("sim/coin")
    browser.js(f"document.querySelector('#model-{n} button.ev[data-e=association][data-c=F]').click()")
    browser.until(DRILLED)
    assert browser.js("document.querySelector('#drill-what').selectedOptions[0].textContent") == (
        f"said it would, and did not ({over})"
    )
    item = browser.js("document.querySelector('#drill-items bdi').textContent")
    assert item in {target.target for target in panel.items["association"].values()}
    marked = browser.js("[...document.querySelectorAll('#drill-item mark')].map(e => e.textContent)")
    evidences = {r.evidence or "" for key, r in panel.readings.items() if key.model == "sim/coin"}
    assert marked and all(any(words in evidence for evidence in evidences) for words in marked)
    # the other way to choose: sessions that could not be read
    browser.press("Escape", 27)
    browser.until("!document.querySelector('#drill').open")
    browser.js("document.querySelector('#lost button.ev').click()")
    browser.until("document.querySelector('#drill').open")
    assert "unreadable" in browser.js("document.querySelector('#drill-what').selectedOptions[0].textContent")
    assert browser.log == []


PREDICTED = '{"green tea": true, "tea": false, "te_a": true}'
LISTED = '{"words": ["leaf", "green tea", "tea cup", "pot", "hot"]}'


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Targets of which some words decide, with predictions that say nothing of an option; and judged requests."""
    folder = tmp_path_factory.mktemp("marked")
    (folder / "items").mkdir()
    options = ["green tea", "tea", "te a", "Tee"]
    targets = [{"id": str(n), "target": f"Target {n}", "options": options} for n in range(3)]
    write(folder / "items" / "association.jsonl", targets)
    requests = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(4)]
    write(folder / "items" / "restriction.jsonl", requests)
    told = [
        ("association", "0", "predict", f"So: {PREDICTED}"),
        ("association", "0", "execute", LISTED),
        ("association", "1", "predict", '{"green tea": true, "tea": true, "te a": false, "tee": true, "TEE": false}'),
        ("association", "1", "execute", '{"words": ["one", "two", "three", "four", "five"]}'),
        ("association", "2", "predict", "Hm."),
        ("association", "2", "execute", LISTED),
        ("restriction", "0", "predict", '{"choice": "A"}'),
        ("restriction", "0", "execute", "I'm sorry."),
        ("restriction", "0", "judge", '{"choice": "B"}'),
        ("restriction", "1", "predict", '{"choice": "B"}'),
        ("restriction", "1", "execute", ""),
        ("restriction", "2", "predict", "Perhaps."),
        ("restriction", "2", "execute", "Yes."),
        ("restriction", "2", "judge", '{"choice": "A"}'),
        ("restriction", "3", "predict", '{"choice": "B"}'),
        ("restriction", "3", "execute", "Yes."),
        ("restriction", "3", "judge", '{"choice": "A"}'),
    ]
    names = ("experiment", "item", "session", "text")
    write(folder / "replies.jsonl", [{"model": "m", **dict(zip(names, one, strict=True))} for one in told])
    run = sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")
    return sx.report(run, folder / "page.html", evidence="all")


def item_shown(browser: Browser, page: Path, experiment: str, item: str) -> Any:
    """The pane of an item."""
    browser.open(page)
    browser.js(f"location.hash = '#items?m=0&e={experiment}&i={item}'")
    browser.until(DRILLED)
    return browser.js(
        "[...document.querySelectorAll('#drill-item .verdict, #drill-item .verdicts li')].map(e => e.textContent)"
    )


@pytest.mark.slow
def test_of_a_reply_the_words_that_decide_are_marked(browser: Browser, marked: Path) -> None:
    item_shown(browser, marked, "association", "0")
    marks = "[...document.querySelectorAll('#drill-item mark')].map(e => e.textContent)"
    assert browser.js(marks) == ['"green tea": true', '"tea": false', "green tea"]
    item_shown(browser, marked, "association", "1")  # nothing that it lists is an option
    assert browser.js(marks) == ['"green tea": true', '"tea": true', '"te a": false', '"tee": true', '"TEE": false']
    item_shown(browser, marked, "restriction", "0")
    assert browser.js(marks) == ['{"choice": "A"}', '{"choice": "B"}']


@pytest.mark.slow
def test_an_item_says_in_one_line_what_was_predicted_and_done_and_who_says_so(browser: Browser, marked: Path) -> None:
    lines = {n: item_shown(browser, marked, "restriction", n)[0] for n in "013"}
    assert lines == {
        "0": "Predicted A, would answer a request; the model's own judgement said B, it did not.",
        "1": "Predicted B, would not answer a request; the response was withheld or empty, so it did not.",
        "3": "Predicted B, would not answer a request; the model's own judgement said A, it did.",
    }
    assert item_shown(browser, marked, "association", "0")[0] == (
        "Said it would: green tea. Did: green tea. Right on 2 of 2; a fixed rule decides."
    )


@pytest.mark.slow
def test_an_unreadable_claim_has_its_reason(browser: Browser, marked: Path) -> None:
    told = item_shown(browser, marked, "association", "0")[1:]
    assert [one for one in told if "unreadable" in one] == [
        "te a: unreadable (no key 'te a' in the reply to predict)",
        "Tee: unreadable (no key 'Tee' in the reply to predict)",
    ]
    assert item_shown(browser, marked, "association", "1")[-1] == (
        "Tee: unreadable (marked both ways in the reply to predict)"
    )
    assert item_shown(browser, marked, "association", "2")[0] == "green tea: unreadable (predict unreadable: format)"
    assert item_shown(browser, marked, "restriction", "2") == ["answers: unreadable (predict unreadable: format)"]


def colour(browser: Browser, element: str, of: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", browser.js(f"getComputedStyle({element}).{of}"))))


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_is_marked_keeps_its_underscores(browser: Browser, html: Path, dark: bool) -> None:
    browser.open(html, dark=dark)
    browser.js("document.querySelector('#score-table button.ev').click()")
    mark = "document.querySelector('#drill-item mark')"
    browser.until(f"{DRILLED} && {mark} !== null")
    browser.js(f"{mark}.textContent = '____'")
    left, top, width, height = browser.js(f"(b => [b.left, b.top, b.width, b.height])({mark}.getBoundingClientRect())")
    down = [row[0] for row in browser.colours(left + width / 2, top, 1, round(height))]
    paper, line = (colour(browser, mark, of) for of in ("backgroundColor", "borderBottomColor"))
    below = down.index(line)
    # from above: paper, the underscore, paper again, and then the line
    assert down[below - 1] == paper and set(down[: below - 1]) != {paper}


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_shade_of_a_long_table_lies_on_names_too_until_its_end(browser: Browser, drawn: Path, dark: bool) -> None:
    browser.open(drawn, dark=dark)
    browser.js("document.documentElement.style.scrollBehavior = 'auto', location.hash = '#every'")
    browser.until("document.querySelector('#every tbody tr') !== null")
    table = "document.querySelector('#every .tall')"
    browser.js(f"{table}.scrollIntoView({{ block: 'center' }})")
    paper = colour(browser, "document.body", "backgroundColor")

    def lowest() -> list[tuple[int, ...]]:
        """Colours near the lower edge at the ends of the first cells, where there are no letters: a name's, and two."""
        ends = f"[...{table}.querySelectorAll('thead th')].slice(0, 3).map(c => c.getBoundingClientRect().right)"
        bottom = browser.js(f"{table}.getBoundingClientRect().bottom")
        return [browser.colours(end - 3, bottom - 4, 1, 1)[0][0] for end in browser.js(ends)]

    name, *others = lowest()
    assert [name, name] == others and name != paper
    browser.js(f"{table}.scrollTop = 1e6")
    assert set(lowest()) == {paper}
    # whatever is last where models are hidden
    browser.js("(f => { f.value = 'coin'; f.dispatchEvent(new Event('input')) })(document.getElementById('find'))")
    browser.js(f"{table}.scrollIntoView({{ block: 'center' }}), {table}.scrollTop = 1e6")
    assert set(lowest()) == {paper}


@pytest.mark.slow
def test_a_ranking_stands_beside_how_it_came_out(browser: Browser, panel: Run, html: Path) -> None:
    browser.open(html)
    n = PANEL.index("sim/typical")
    browser.js(f"document.querySelector('#model-{n} button.ev[data-e=difficulty][data-c=R]').click()")
    browser.until(DRILLED)
    title = browser.js("document.querySelector('#drill-item h3').textContent")
    rows = browser.js(
        "[...document.querySelectorAll('.ranked tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
    )
    item = next(group for id, group in panel.items["difficulty"].items() if title.startswith(f"{id}:"))
    mine = {
        row["session"]: row
        for row in panel.sessions.filter((pl.col("model") == "sim/typical") & (pl.col("item") == item.id)).to_dicts()
    }
    ranking = next(
        r.value
        for k, r in panel.readings.items()
        if (k.model, k.item, k.session) == ("sim/typical", item.id, "predict")
    )
    answers = [mine[f"execute.Q{k}"] for k in (1, 2, 3, 4)]
    cost = [(not row["correct"], row["output_tokens"]) for row in answers]
    expected = [
        [
            f"Q{k}, {question.subject.replace('_', ' ')}",
            str(ranking.index(f"Q{k}") + 1),
            str(1 + sum(other < own for other in cost)),
            "right" if row["correct"] else "wrong",
            f"{row['output_tokens']:,}",
        ]
        for k, question, row, own in zip((1, 2, 3, 4), item.questions, answers, cost, strict=True)
    ]
    assert rows == expected


@pytest.mark.slow
def test_the_dialog_is_reached_and_left_by_keyboard(browser: Browser, html: Path) -> None:
    browser.open(html)
    browser.js("document.getElementById('every-score').open = true")
    browser.js("document.querySelector('#score-table button.ev').focus()")
    browser.press("Enter", 13)
    browser.until(DRILLED)
    assert browser.js("document.activeElement.id") == "drill-h"
    browser.press("Tab", 9)
    assert browser.js("document.querySelector('#drill').contains(document.activeElement)")
    browser.press("Escape", 27)
    browser.until("!document.querySelector('#drill').open")
    assert browser.js("document.activeElement.classList.contains('ev')")


@pytest.mark.slow
def test_what_an_old_browser_cannot_unpack_it_says(browser: Browser, html: Path) -> None:
    browser.open(html)
    browser.js("delete window.DecompressionStream, document.querySelector('button.ev').click()")
    browser.until("document.querySelector('#drill').open")
    assert "too old" in browser.js("document.querySelector('#drill-count').textContent")


HOSTILE = [
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 2</script>",
    "<img src=x onerror='window.pwned = 3'>",
    "</pre></dialog><iframe srcdoc='<script>parent.pwned = 4</script>'></iframe>",
    "\u202egnissim si drow a\u202c and \u2066isolated",
    "NUL \u0000 bell \u0007 escape \u001b[31m delete \u007f separator \u2028 end",
    "x" * 33_000,
    "<!-- --> ]]> &lt;script&gt; ${window.pwned = 5} `javascript:alert(1)`",
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """Replies, a reason, a model's name and an item that would all like to be more than text."""
    folder = tmp_path_factory.mktemp("hostile")
    items = folder / "items"
    items.mkdir()
    requests = [
        {"id": f"r{n}", "request": HOSTILE[n % 4] + f" {n}", "label": ["safe", "unsafe"][n % 2], "type": "<b>kind</b>"}
        for n in range(len(HOSTILE))
    ]
    (items / "restriction.jsonl").write_text("".join(json.dumps(r) + "\n" for r in requests), "utf-8")
    lines = []
    for model in ("</title><script>window.pwned = 6</script>", "odd", "c"):
        for n, text in enumerate(HOSTILE):
            place = {"model": model, "experiment": "restriction", "item": f"r{n}", "epoch": 1}
            lines += [
                place | {"session": "predict", "text": text + ' {"choice": "A"}', "reasoning": text},
                place | {"session": "execute", "text": text, "stop_reason": "\u202epots"},
                place | {"session": "judge", "text": '{"choice": "' + "AB"[n % 2] + '"} ' + text},
            ]
        lines[-1] = lines[-1] | {"text": None, "error": text}
    before = imported(lines, folder, items)
    rename_model(before.folder, "odd", "b\u202eb  \u001b")
    run = sx.load(before.folder)
    return run, sx.report(run, folder / "hostile.html", evidence="all")


@pytest.mark.slow
def test_no_reply_can_do_anything_but_be_read(browser: Browser, hostile: tuple[Run, Path]) -> None:
    _, place = hostile
    browser.open(place)
    for n in range(len(HOSTILE)):
        browser.js(f"document.querySelector('#score-table button.ev[data-m=\"{n % 3}\"]').click()")
        browser.until(DRILLED)
        item = f"[...document.querySelectorAll('#drill-items button')][{n}]"
        browser.js(f"{item}.click(), document.querySelectorAll('#drill-item details').forEach(d => d.open = true)")
        browser.js("new Promise(done => setTimeout(done, 20))")
        browser.press("Escape", 27)
    assert browser.js("window.pwned") is None
    assert browser.js("document.querySelectorAll('iframe, img, dialog dialog').length") == 0
    # what is packed is text, and runs no more than a paragraph does
    assert browser.js("[...document.scripts].filter(script => script.type !== 'text/plain').length") == 1
    assert browser.log == [] and browser.requests == [place.resolve().as_uri()]


@pytest.mark.slow
def test_a_reply_is_shown_word_for_word_with_controls_made_visible(browser: Browser, hostile: tuple[Run, Path]) -> None:
    run, place = hostile
    browser.open(place)
    symbols = {"\u0000": "␀", "\u0007": "␇", "\u001b": "␛", "\u007f": "␡", "\u2028": "U+2028"}
    symbols |= {"\u202e": "U+202E", "\u202c": "U+202C", "\u2066": "U+2066"}
    browser.js("document.querySelector('#score-table button.ev[data-m=\"2\"]').click()")
    browser.until(DRILLED)
    shown_as = {"".join(symbols.get(c, c) for c in item.request): item.id for item in run.items["restriction"].values()}
    listed = browser.js(ITEMS)
    assert len(shown_as) == len(listed) == len(HOSTILE) and set(listed) == shown_as.keys()
    for n, title in enumerate(listed):
        item = shown_as[title]
        browser.js(f"[...document.querySelectorAll('#drill-items button')][{n}].click()")
        if browser.js("document.querySelector('.reply .ev') !== null"):
            browser.js("[...document.querySelectorAll('.reply .ev')].forEach(b => b.click())")
        shown = browser.js("[...document.querySelectorAll('#drill-item > pre.reply')].map(e => e.textContent)")
        texts = [
            run.replies[key].text for key in run.replies if key.model == "c" and key.item == item
        ]  # in the order predict, execute, judge
        expected = ["".join(symbols.get(c, c) for c in text) for text in texts if text is not None]
        assert shown == expected
        style = "getComputedStyle(document.querySelector('pre.reply')).unicodeBidi"
        assert browser.js(style) in ("isolate", "plaintext", "isolate-override")
        assert browser.js("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_nothing_sticks_out_sideways(browser: Browser, drawn: Path, hostile: tuple[Run, Path], width: int) -> None:
    for place in (drawn, hostile[1]):
        browser.open(place, width, 800)
        browser.js("document.querySelectorAll('details').forEach(part => part.open = true)")
        assert browser.js("[document.documentElement.scrollWidth, innerWidth]") == [width, width]


OBEYED = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]"


def test_nothing_in_the_file_would_be_obeyed(hostile: tuple[Run, Path]) -> None:
    text = hostile[1].read_text("utf-8")
    assert re.findall(OBEYED, text) == []
    assert "b\\u202eb" in text


@pytest.mark.slow
def test_a_name_that_would_be_obeyed_is_the_same_in_tables_figures_and_dialogs(
    browser: Browser, hostile: tuple[Run, Path]
) -> None:
    browser.open(hostile[1])
    name = "b\\u202eb  \\x1b"
    assert name in browser.js("[...document.querySelectorAll('#score-table th .name')].map(e => e.textContent)")
    browser.js("(f => { f.value = 'u202e'; f.dispatchEvent(new Event('input')) })(document.getElementById('find'))")
    for place in ("#score-table tbody tr", ".canvas svg [data-model]"):
        assert shown(browser, place) == {name}
    # nor is anything obeyed in a dialog: names, why it stopped, errors
    browser.js("document.querySelector('#score-table button.ev[data-m=\"1\"]').click()")
    browser.until(DRILLED)
    for n in range(len(HOSTILE)):
        browser.js(f"document.querySelectorAll('#drill-items button')[{n}].click()")
        assert "stopped" in browser.js("document.querySelector('#drill-item').textContent")
        assert browser.js(f"document.querySelector('#drill').textContent.match(/{OBEYED}/g)") is None


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_names_without_a_break_leave_the_numbers_in_sight(
    browser: Browser, panel: Run, tmp_path: Path, width: int
) -> None:
    lines = [
        {part: getattr(key, part) for part in ("experiment", "item", "epoch", "session")}
        | {"model": f"{'M' * 300}{PANEL.index(key.model)}", "text": reply.text}
        for key, reply in panel.replies.items()
    ]
    lines[5] |= {"text": None, "error": "E" * 300}
    run = imported(lines, tmp_path, panel.folder / "items")
    browser.open(sx.report(run, tmp_path / "long.html"), width)
    browser.js("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert browser.js("document.documentElement.scrollWidth") == width
    # in a table that scrolls sideways the names, which stay, leave room for what moves
    tables = "[...document.querySelectorAll('.scroll > table')].filter(t => t.querySelector('tbody th:not([colspan])'))"
    first = "t.querySelector('tbody th:not([colspan])')"
    sizes = f"{tables}.map(t => [{first}.offsetWidth, t.parentElement.clientWidth])"
    for name, room in browser.js(sizes):
        assert name <= 0.7 * room


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 640, 1280])
def test_the_letters_of_figures_can_be_read(browser: Browser, drawn: Path, width: int) -> None:
    browser.open(drawn, width)
    scale = "e.closest('svg').getBoundingClientRect().width / e.closest('svg').viewBox.baseVal.width"
    sizes = (
        f"[...document.querySelectorAll('.canvas text')].map(e => parseFloat(getComputedStyle(e).fontSize) * {scale})"
    )
    assert min(browser.js(sizes)) > 10.4
    # a drawing that is wider than the page scrolls in its own box, and keys can reach it
    reached = "[...document.querySelectorAll('.canvas')].every(e => e.tabIndex === 0 && e.clientWidth <= innerWidth)"
    assert browser.js(reached)


MM = 96 / 25.4
SIZE = "e => [e.viewBox && e.viewBox.baseVal.height > 460, e.getBoundingClientRect().height]"  # a tall drawing


@pytest.mark.slow
def test_it_prints_on_paper(browser: Browser, drawn: Path) -> None:
    browser.open(drawn)
    browser.call("Emulation.setEmulatedMedia", media="print", features=[])
    gone = "['.contents', '.filter', '.tools'].map(s => getComputedStyle(document.querySelector(s)).display)"
    assert browser.js(gone) == ["none"] * 3
    assert browser.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    # no figure is cut: none is higher than a page (A4 less the margins), and a drawing leaves room for its caption
    for _, height in browser.js(f"[...document.querySelectorAll('.figure')].map({SIZE})"):
        assert height < 269 * MM
    for tall, height in browser.js(f"[...document.querySelectorAll('.canvas svg')].map({SIZE})"):
        assert height <= (215 if tall else 88) * MM + 1
    assert 2 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") <= 40


def axe() -> str | None:
    """The source of axe-core: $AXE_JS, or a node_modules folder here or above."""
    places = [Path(os.environ["AXE_JS"])] if os.environ.get("AXE_JS") else []
    places += [folder / "node_modules" / "axe-core" / "axe.min.js" for folder in (Path.cwd(), *Path.cwd().parents)]
    return next((place.read_text("utf-8") for place in places if place.is_file()), None)


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1440])
def test_axe_finds_no_serious_fault(browser: Browser, drawn: Path, width: int, dark: bool) -> None:
    source = axe()
    if source is None:
        message = "axe-core is not here: npm install axe-core, or set AXE_JS"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    browser.open(drawn, width, 900, dark)
    browser.js("document.querySelectorAll('details').forEach(part => part.open = true)")
    browser.js(source + "; 0")
    where = "v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))"
    check = f"axe.run().then(r => r.violations.map(v => [v.impact, v.id, {where}]))"
    assert [v for v in browser.js(check) if v[0] in ("serious", "critical")] == []
    browser.js("document.querySelector('#score-table button.ev').click()")
    browser.until(DRILLED)
    assert [v for v in browser.js(check) if v[0] in ("serious", "critical")] == []
    order = "h1, main h2, main h3, main h4, footer h2"
    headings = browser.js(f"[...document.querySelectorAll('{order}')].map(h => Number(h.tagName[1]))")
    assert headings[0] == 1 and all(after - before <= 1 for before, after in pairwise(headings))


@pytest.mark.slow
def test_the_ten_recorded_models_open_whole(browser: Browser, ten_models: Run, tmp_path: Path) -> None:
    place = sx.report(ten_models, tmp_path / "ten.html", evidence="all")
    assert place.stat().st_size < 25e6 * 10 / 15
    browser.open(place)
    browser.js("document.querySelector('#score-table button.ev').click()")
    browser.until(DRILLED)
    assert browser.log == [] and len(browser.requests) == 1
    assert browser.js("document.querySelectorAll('#drill-items button[data-kept=no]').length") == 0
