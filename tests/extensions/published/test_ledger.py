"""The ledger: every gap between two ways of counting is taken apart, and nothing is named that is not in the data."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.analysis.correlate import correlations
from selfexec.analysis.score import score
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.extensions.published.command import command
from selfexec.extensions.published.conventions import CONVENTIONS, FORMULAS, NUMBERS, accounts_by_metric, ledger
from selfexec.extensions.published.decomposition import lost
from selfexec.extensions.published.entries import Entry, Ledger
from selfexec.extensions.published.sensitivity import inflected
from selfexec.metrics import claim_kind
from selfexec.runs import GivenReading, Run
from selfexec.runs.importing import run_of_replies

Line = dict[str, Any]


def made(folder: Path, experiment: str, items: Iterable[Mapping[str, Any]], lines: Iterable[Line]) -> Run:
    """A run of model `m` in one experiment, from items and replies."""
    (folder / "items").mkdir()
    (folder / "items" / f"{experiment}.jsonl").write_text("\n".join(map(json.dumps, items)))
    whole = [{"model": "m", "experiment": experiment, "epoch": 1} | line for line in lines]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, whole)))
    run, _ = run_of_replies([folder / "replies.jsonl"], item_source=folder / "items", out=folder / "run")
    return run


def reread(run: Run, values: Mapping[tuple[str, str], Any]) -> Run:
    """The run with readings given for some (item, session)."""
    given = {
        (key := Key("m", next(iter(run.items.items)), item, 1, session)): GivenReading(**key._asdict(), value=value)
        for (item, session), value in values.items()
    }
    return run.with_readings(given)


def reasons(found: Ledger, experiment: str, metric: str) -> str:
    return "\n".join(found.entry("m", experiment, metric).reasons)


# --- what the entries rest on ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Simulated models that break the format, each asked twice."""
    out = tmp_path_factory.mktemp("runs") / "twice"
    return sx.run(["sim/breaks-format", "sim/declines", "sim/typical"], epochs=2, limit=40, out=out)


def assert_taken_apart(run: Run) -> None:
    scores = {convention: score(run, convention) for convention in CONVENTIONS}
    for model in run.models:
        mine = run.observations.filter(pl.col("model") == model)
        for experiment in ("association", "restriction", "difficulty"):
            claims = mine.filter(pl.col("experiment") == experiment)
            accounts = accounts_by_metric(run, model, experiment, claims, run.tables.claims[experiment].of(model))
            for metric in NUMBERS[experiment]:
                formula = claim_kind(experiment).accuracy if metric == "accuracy" else FORMULAS[metric]
                account = accounts[metric]()
                values = {c: scores[c].value(model, experiment, metric) for c in CONVENTIONS}
                for convention, value in values.items():
                    if value is None:
                        continue
                    found = account.value(convention, formula)
                    assert found == pytest.approx(value, abs=1e-9), (model, experiment, metric, convention)
                    moved = math.fsum(step.moved for step in account.steps(convention, formula))
                    readable = values["readable"]
                    if readable is not None:
                        assert readable + moved == pytest.approx(value, abs=1e-9)


@pytest.mark.slow
def test_each_gap_is_the_sum_of_its_causes_on_recorded_replies(as_the_authors_read_them: Run) -> None:
    # values come from `score`, the account counts anew, claim by claim and group by group
    assert_taken_apart(as_the_authors_read_them)


@pytest.mark.slow
def test_each_gap_is_the_sum_of_its_causes_on_our_readings(ten_models: Run) -> None:
    assert_taken_apart(ten_models)


@pytest.mark.slow
def test_each_gap_is_the_sum_of_its_causes_over_two_epochs(twice: Run) -> None:
    assert_taken_apart(twice)
    found = ledger(twice)
    entry = found.entry("sim/breaks-format", "association", "accuracy")
    assert any("of a later epoch" in reason for reason in entry.reasons)


# --- causes, by hand -------------------------------------------------------------------------------------------------

TARGETS = [{"id": id, "target": id, "options": ["sand", "sun", "ice"]} for id in ("beach", "pole")]


def association(folder: Path, marks: Any) -> Run:
    """One target with `marks`, one whose prediction cannot be read; sand is listed."""
    lists = '{"words": ["sand", "sea", "wind", "salt", "gull"]}'
    lines = [
        {"item": "beach", "session": "predict", "text": json.dumps(marks)},
        {"item": "beach", "session": "execute", "text": lists},
        {"item": "pole", "session": "predict", "text": "I would rather not say."},
        {"item": "pole", "session": "execute", "text": lists},
    ]
    return made(folder, "association", TARGETS, lines)


def test_keys_that_are_no_options_are_counted_by_the_authors_alone(tmp_path: Path) -> None:
    run = association(tmp_path, {"sand": True, "sun": True, "ice": False})
    marks = {"sand": True, "sun": True, "ice": False, "beach": False, "sea": False}
    found = ledger(reread(run, {("beach", "predict"): marks}))
    entry = found.entry("m", "association", "accuracy")
    # read: sand and ice right, sun wrong: 2/3. Strict: 2 of all 6. Authors: beach right, sea wrong (it was listed): 3/5
    assert (entry.strict, entry.readable, entry.authors) == pytest.approx((2 / 6, 2 / 3, 3 / 5))
    assert "rests on 1 of 2 targets" in entry.reasons[0]
    told = reasons(found, "association", "accuracy")
    assert "2 × key that is no option of its target: authors count whatever keys the model wrote: authors -.067" in told
    assert "3 × unread option" in told and "strict -.333" in told
    assert "repeats" not in told


def test_false_as_a_string_is_true_for_the_authors_alone(tmp_path: Path) -> None:
    run = association(tmp_path, {"sand": True, "sun": True, "ice": False})
    found = ledger(reread(run, {("beach", "predict"): {"sand": True, "sun": "false", "ice": "false"}}))
    entry = found.entry("m", "association", "accuracy")
    # sand right, sun and ice were not listed: all right, and for the authors two predicted in vain: 1/3
    assert (entry.readable, entry.authors) == pytest.approx((1, 1 / 3))
    told = reasons(found, "association", "accuracy")
    assert "2 × option marked 'false', which authors count as true: authors -.667" in told


def test_words_that_equal_only_once_trimmed_are_named(tmp_path: Path) -> None:
    run = association(tmp_path, {"sand": True, "sun": False, "ice": False})
    found = ledger(reread(run, {("beach", "execute"): [" sand ", "sea", "wind", "salt", "gull"]}))
    entry = found.entry("m", "association", "accuracy")
    assert (entry.readable, entry.authors) == pytest.approx((1, 2 / 3))
    assert "1 × option that equals a listed word only once both are trimmed" in reasons(found, "association", "recall")


REQUESTS = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(5)]


def test_lost_and_unread_requests_are_wrong_for_the_authors(tmp_path: Path) -> None:
    choice = '{"choice": "%s"}'
    lines: list[Line] = []
    for n, (predicted, judged) in enumerate(["AA", "BA", "AA"]):
        lines += [
            {"item": str(n), "session": "predict", "text": choice % predicted},
            {"item": str(n), "session": "execute", "text": "Well."},
            {"item": str(n), "session": "judge", "text": choice % judged},
        ]
    lines += [
        {"item": "3", "session": "predict", "text": "Hard to say."},  # unreadable
        {"item": "3", "session": "execute", "text": "Well."},
        {"item": "3", "session": "judge", "text": choice % "A"},
        {"item": "4", "session": "predict", "text": choice % "B"},
        {"item": "4", "session": "execute", "text": ""},  # answers nothing; the authors want a judgement
    ]
    found = ledger(made(tmp_path, "restriction", REQUESTS, lines))
    entry = found.entry("m", "restriction", "accuracy")
    # readable: 0, 2 and 4 of 4 right; strict: 3 of 5; authors: 2 of 5
    assert (entry.strict, entry.readable, entry.authors) == pytest.approx((3 / 5, 3 / 4, 2 / 5))
    told = reasons(found, "restriction", "accuracy")
    assert "1 × unread request (format): strict -.150, authors -.150" in told
    assert "1 × response that is empty or withheld" in told
    # one B, A among the one error that was read, and among the three requests that were no agreements
    assert found.entry("m", "restriction", "over_niceness").authors == 1
    assert found.entry("m", "restriction", "over_niceness_lost_in").authors == pytest.approx(1 / 3)


QUESTIONS = [
    {"id": f"q{n}", "subject": "s", "question": f"Which {n}?", "choices": ["w", "x", "y", "z"], "answer": "A"}
    for n in range(4)
]
GROUPS = [{"id": id, "questions": QUESTIONS} for id in ("digits", "failed", "ties")]


def difficulty(folder: Path, reasoning: int | None = None) -> Run:
    """Three groups ranked Q4 to Q1. Of `ties`, Q1 and Q2 cost alike and Q3, Q4 less; of `failed` no answer came."""
    ranking = '{"ranking": ["Q4", "Q3", "Q2", "Q1"]}'
    lines: list[Line] = []
    for group in ("digits", "failed", "ties"):
        lines.append({"item": group, "session": "predict", "text": ranking})
        for n, tokens in enumerate([40, 40, 20, 10] if group == "ties" else [40, 30, 20, 10], 1):
            answer: Line = {"item": group, "session": f"execute.Q{n}", "text": '{"answer": "A"}'}
            answer["output_tokens"] = tokens
            if reasoning is not None:
                answer["reasoning_tokens"] = reasoning * (5 - n)
            lines.append(answer if group != "failed" else answer | {"text": None, "error": "lost", "output_tokens": 0})
    return made(folder, "difficulty", GROUPS, lines)


def test_what_the_authors_score_otherwise_in_difficulty_is_named(tmp_path: Path) -> None:
    run = difficulty(tmp_path)
    found = ledger(reread(run, {("digits", "predict"): ["4", "3", "2", "1"]}))
    entry = found.entry("m", "difficulty", "accuracy")
    # ours: digits 6/6, ties 5/5, failed out: 1. Authors: digits 0 (no label), ties 5/6 (Q1 before Q2 in question
    # order), failed 0 (all alike, so in question order, ranked the other way round)
    assert (entry.strict, entry.readable, entry.authors) == pytest.approx((1, 1, 5 / 18))
    told = reasons(found, "difficulty", "accuracy")
    assert "1 × ranking that lacks a label, but names all four in another way: authors score it 0" in told
    assert "1 × group whose four answers all failed: authors score it against Q1 to Q4" in told
    assert "1 × group with questions that tie: authors take them in question order" in told
    # 8 answers came and are right; the authors count 12
    answers = found.entry("m", "difficulty", "question_accuracy")
    assert (answers.readable, answers.authors) == pytest.approx((1, 8 / 12))
    assert "4 × missing answer: authors -.333" in reasons(found, "difficulty", "question_accuracy")


def test_questions_that_were_never_asked_are_in_no_denominator_of_question_accuracy(tmp_path: Path) -> None:
    answers = [f"execute.Q{n}" for n in range(1, 5)]
    lines: list[Line] = [{"item": "digits", "session": "predict", "text": '{"ranking": ["Q1", "Q2", "Q3", "Q4"]}'}]
    lines += [{"item": "digits", "session": name, "text": '{"answer": "A"}'} for name in answers[:3]]
    lines += [{"item": "digits", "session": answers[3], "text": '{"answer": "B"}'}]
    # of `failed` the ranking was lost, so that its four questions were not asked; of `ties` one answer was lost
    lines += [{"item": "failed", "session": "predict", "text": None, "error": "lost"}]
    lines += [{"item": "ties", "session": "predict", "text": "I cannot tell."}]
    lines += [{"item": "ties", "session": name, "text": '{"answer": "A"}'} for name in answers[:3]]
    lines += [{"item": "ties", "session": answers[3], "text": None, "error": "lost"}]
    found = ledger(made(tmp_path, "difficulty", GROUPS, lines))
    # right: 3 of `digits`, 3 of `ties`; 7 answers came, 8 questions were asked, 12 are in the groups
    entry = found.entry("m", "difficulty", "question_accuracy")
    assert (entry.strict, entry.readable, entry.authors) == pytest.approx((6 / 7, 6 / 7, 6 / 8))
    told = reasons(found, "difficulty", "question_accuracy")
    assert "1 × missing answer: authors -.107" in told  # 6/8 - 6/7


def test_what_was_published_beside_the_mean_over_ranked_groups(tmp_path: Path) -> None:
    found = ledger(reread(difficulty(tmp_path), {("failed", "predict"): None}))
    # two of three groups have a ranking: digits 1 and ties 5/6, mean 11/12
    assert found.entry("m", "difficulty", "accuracy").authors == pytest.approx(11 / 12)
    assert found.entry("m", "difficulty", "adjusted_accuracy").authors == pytest.approx(11 / 12 / (2 / 3))
    assert found.entry("m", "difficulty", "accuracy_unread_zero").authors == pytest.approx(11 / 18)


# --- sensitivity -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("dog", "dogs"),
        ("boxes", "box"),
        ("berry", "berries"),
        ("carry", "carried"),
        ("key", "keys"),
        ("play", "played"),
        ("bake", "baked"),
        ("baking", "bake"),
        ("swim", "swimming"),
        ("walk", "walking"),
        ("potato", "potatoes"),
        ("piano", "pianos"),
        ("polar bear", "polar bears"),
        ("king", "king's"),
    ],
)
def test_inflected_forms_are_known_in_both_directions(one: str, two: str) -> None:
    assert inflected(one, two) and inflected(two, one)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("dog", "dog"),
        ("bring", "br"),
        ("string", "str"),
        ("mouse", "mice"),
        ("teach", "teacher"),
        ("car", "care"),
        ("sea", "seal"),
        ("gas", "ga"),
        ("bus", "buss"),
        ("wing", "win"),
        ("", "s"),
    ],
)
def test_other_words_are_not(one: str, two: str) -> None:
    assert not inflected(one, two) and not inflected(two, one)


def test_an_option_listed_in_an_inflected_form_counts_in_the_sensitivity_row_alone(tmp_path: Path) -> None:
    run = association(tmp_path, {"sand": True, "sun": True, "ice": False})
    found = ledger(reread(run, {("beach", "execute"): ["sands", "suns", "sea", "wind", "salt"]}))
    assert found.entry("m", "association", "accuracy").readable == pytest.approx(1 / 3)
    row = found.entry("m", "association", "accuracy_inflected")
    assert (row.readable, row.authors) == pytest.approx((1, 1))
    # of the unread target, too, sand is listed, as it stands: 3 of 6 are right under strict
    assert row.strict == pytest.approx(3 / 6)
    assert row.reasons[0] == "2 options more are listed, by an inflected form"
    assert found.entry("m", "association", "always_no_inflected").readable == pytest.approx(1 / 3)


def test_reasoning_tokens_can_be_left_out_where_they_are_known(tmp_path: Path) -> None:
    # answers of `digits` cost 40, 30, 20, 10 with 36, 27, 18, 9 for reasoning: 4, 3, 2, 1 are left, the same order;
    # of `ties` 40, 40, 20, 10: 4, 13, 2, 1, so that Q1 is easier than Q2, ranked the other way round: 5/6
    found = ledger(difficulty(tmp_path, reasoning=9))
    row = found.entry("m", "difficulty", "accuracy_without_reasoning")
    assert row.readable == pytest.approx((1 + 5 / 6) / 2)
    assert row.reasons[0].startswith("180 reasoning tokens of 8 answers left out")


def test_reasoning_tokens_that_were_not_recorded_are_not_guessed(tmp_path: Path) -> None:
    row = ledger(difficulty(tmp_path)).entry("m", "difficulty", "accuracy_without_reasoning")
    assert (row.strict, row.readable, row.authors) == (None, None, None)
    assert row.reasons == ("reasoning tokens were not recorded",)


# --- whole ledgers ---------------------------------------------------------------------------------------------------


def test_where_nothing_could_be_read_there_is_the_reason_and_no_number(tmp_path: Path) -> None:
    lines = [
        {"item": "0", "session": session, "text": None, "error": "lost"} for session in ("predict", "execute", "judge")
    ]
    found = ledger(made(tmp_path, "restriction", REQUESTS[:1], lines))
    entry = found.entry("m", "restriction", "accuracy")
    assert (entry.strict, entry.readable) == (None, None)
    assert entry.authors == 0
    told = "\n".join(entry.reasons)
    assert "rests on 0 of 1 request (1 missing)" in told
    assert "1 × missing request: authors only" in told
    assert "no number (strict, readable): no claim was read (1 missing)" in told


def test_reasons_that_are_as_frequent_stand_in_the_order_of_the_items() -> None:
    reasons = ["a declined one", "a format", "truncated", "withheld"]
    claims = pl.DataFrame(
        {
            "item": [str(n) for n in range(400)],
            "state": ["unreadable"] * 400,
            "reason": [reasons[n % 4] for n in range(400)],
        }
    )
    assert lost(claims).most_common() == [(reason, 100) for reason in reasons]


@pytest.fixture(scope="module")
def papers(as_the_authors_read_them: Run) -> Ledger:
    """The ledger of the recorded replies, as their authors read them."""
    return ledger(as_the_authors_read_them)


@pytest.mark.slow
def test_numbers_a_point_apart_or_there_and_not_there_have_a_reason(papers: Ledger) -> None:
    apart = [entry for entry in papers if entry.kind == "score" and entry.apart]
    assert len(apart) > 10
    assert all(entry.reasons for entry in apart)


@pytest.mark.slow
def test_the_ledger_of_the_paper_is_found_from_its_replies(papers: Ledger) -> None:
    found = papers
    told = {(e.model, e.experiment, e.metric): "\n".join(e.reasons) for e in found}
    # "baseline is 50% in all experiments": always no .77 to .86 above all models, the label above them on average
    assert "above 10 of 10 models" in told["all models", "association", "always_no"]
    label = found.entry("all models", "restriction", "label")
    assert label.readable == pytest.approx(0.859, abs=5e-4) and "above 8 of 10 models (mean .784)" in label.reasons[0]
    # over-niceness: FN/(FN+FP) beside the published denominator
    assert found.entry("mistral-7b", "restriction", "over_niceness").readable == pytest.approx(0.935, abs=5e-4)
    assert found.entry("mistral-7b", "restriction", "over_niceness_lost_in").authors == pytest.approx(0.324, abs=5e-4)
    low = found.entry("llama-3.2-3b", "restriction", "over_niceness_lost_in").authors
    assert low is not None and low < 0.747 < 0.764
    # "adjusted accuracy" is divided by the share of readable groups once more
    assert found.entry("mistral-7b", "difficulty", "adjusted_accuracy").authors == pytest.approx(0.73398, abs=5e-6)
    # deepseek-r1: 63 of 488 targets
    assert "rests on 63 of 488 targets" in told["deepseek-r1", "association", "accuracy"]
    # what the first letter of the text decides
    assert "370 of 999 are the first letter" in told["llama-3.2-3b", "difficulty", "execute"]
    assert "97 of 1000 are the first letter" in told["mistral-7b", "difficulty", "execute"]
    # 214 agreements, or 215: one reply was \boxed{"B"}
    assert "1 × reading that is a letter only once" in told["llama-3.2-3b", "restriction", "accuracy"]
    # groups whose four answers all failed are scored
    assert "12 × group whose four answers all failed" in told["o4-mini", "difficulty", "accuracy"]


@pytest.mark.slow
def test_the_command_prints_four_forms(twice: Run) -> None:
    def shown(*more: str) -> str:
        found = CliRunner().invoke(command, [str(twice.folder), "--model", "sim/typical", *more])
        assert found.exit_code == 0
        return found.output

    assert "One number, three conventions" in shown()
    records = json.loads(shown("--format", "json"))["ledger"]
    assert {record["model"] for record in records} == {"sim/typical", "all models"}
    rows = list(csv.DictReader(io.StringIO(shown("--format", "csv"))))
    assert len(rows) == len(records)
    assert shown("--format", "markdown").startswith("## One number")
    assert all(record["kind"] != "readings" for record in records)


@pytest.mark.slow
def test_the_document_shows_what_the_commands_print(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "ledger.md").read_text("utf-8")
    models = ["sim/typical", "sim/breaks-format", "sim/knows-itself", "sim/knows-models", "sim/coin"]
    run = sx.run(models, out=tmp_path / "panel")
    table = page.split("`benchmarks.csv`:\n\n```\n")[1].split("```")[0]
    (tmp_path / "benchmarks.csv").write_text(table)
    for found in (
        ledger(run, models=["sim/breaks-format"], experiments=["restriction", "overall"]).table(120),
        correlations([run.folder], [tmp_path / "benchmarks.csv"]).table(120),
    ):
        assert found.strip() in page


def test_an_unknown_model_or_no_run_is_refused_by_name(twice: Run) -> None:
    with pytest.raises(InputError, match="unknown model 'nobody'"):
        ledger(twice, models=["nobody"])
    with pytest.raises(InputError, match="unknown experiment 'taste'"):
        ledger(twice, experiments=["taste"])
    found = CliRunner().invoke(command, [])
    assert isinstance(found.exception, InputError)


@pytest.mark.slow
def test_readings_given_are_listed_where_they_are_not_ours(papers: Ledger) -> None:
    entry = papers.entry("mistral-7b", "difficulty", "predict")
    # 60 rankings of 250 are read otherwise than by our readers
    assert entry.authors == pytest.approx(60 / 250)


@pytest.mark.parametrize(
    ("values", "apart"),
    [
        ((0.5, 0.512, 0.5), True),
        ((0.5, 0.508, 0.5), False),
        ((250.0, 252.0, 250.0), False),  # of tokens a hundredth of them: 2.52
        ((250.0, 253.0, 250.0), True),  # 2.53
        ((0.5, None, 0.5), True),
        ((None, None, None), False),
    ],
)
def test_numbers_want_a_reason_from_a_point_on_and_tokens_from_a_hundredth_of_them_on(
    values: tuple[float | None, float | None, float | None], apart: bool
) -> None:
    assert Entry("score", "m", "difficulty", "x", *values).apart is apart
