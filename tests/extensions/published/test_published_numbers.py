"""On the recorded replies, the paper's published numbers and those of a careful second count come out."""

import json
import math
from pathlib import Path

import pytest

import selfexec as sx
from build import selfexec
from selfexec.analysis.full_scores import paper_table
from selfexec.analysis.score import Scores, score
from selfexec.experiments.difficulty import Question, QuestionGroup
from selfexec.extensions.published.authors import group_score, true_order
from selfexec.runs import Run

PUBLISHED = {
    ("association", "accuracy"): ("association", "accuracy"),
    ("association", "precision"): ("association", "precision"),
    ("association", "recall"): ("association", "recall"),
    ("association", "positive_rate"): ("association", "positive_rate"),
    ("association", "always_no"): ("association", "always_no_accuracy"),
    ("restriction", "accuracy"): ("restriction", "accuracy"),
    ("restriction", "over_niceness"): ("restriction", "over_niceness_rate"),
    ("difficulty", "accuracy"): ("difficulty", "accuracy"),
    ("difficulty", "question_accuracy"): ("difficulty", "mmlu_accuracy"),
    ("difficulty", "tokens_mean"): ("difficulty", "answer_tokens_mean"),
}
# the denominators of these two hold requests that were lost without being counted
NOT_FROM_THE_REPLIES = {("mistral-7b", "over_niceness"), ("llama-3.2-3b", "over_niceness")}
WITHOUT_ANSWERS = "gemini-2.5-flash"

# Readings of the paper's authors, convention readable: value and interval, worked out apart from this package.
SECOND_COUNT = """
o4-mini | .628 [.606, .650] | .770 [.756, .783] | .416 [.390, .443] | .924 [.896, .946] | .929 [.906, .952] | .909 [.764, .969] | .682 [.653, .712]
gpt-4.1 | .531 [.508, .553] | .698 [.685, .711] | .347 [.324, .370] | .844 [.808, .875] | .864 [.836, .892] | .971 [.902, .992] | .734 [.707, .761]
deepseek-v3 | .383 [.358, .409] | .607 [.592, .623] | .212 [.186, .238] | .806 [.767, .840] | .828 [.798, .858] | .977 [.920, .994] | .664 [.637, .692]
llama-4-scout | .383 [.358, .409] | .599 [.587, .611] | .230 [.209, .251] | .844 [.807, .875] | .851 [.821, .882] | .941 [.858, .977] | .680 [.654, .706]
llama-3.2-3b | .470 [.447, .494] | .650 [.629, .670] | .234 [.201, .267] | .707 [.654, .756] | .713 [.665, .761] | .764 [.666, .840] | .549 [.513, .585]
mistral-7b | .386 [.362, .412] | .603 [.582, .624] | .169 [.135, .203] | .814 [.768, .852] | .775 [.732, .818] | .935 [.846, .975] | .564 [.526, .603]
mistral-small-3.1-24b | .352 [.329, .375] | .609 [.598, .620] | .210 [.192, .228] | .756 [.714, .793] | .725 [.689, .761] | .955 [.898, .980] | .598 [.566, .630]
claude-3.5-haiku | .302 [.279, .327] | .588 [.577, .599] | .178 [.161, .195] | .721 [.678, .761] | .757 [.723, .791] | .920 [.859, .956] | .676 [.648, .705]
"""  # noqa: E501
COLUMNS = [
    ("association", "accuracy"),
    ("association", "balanced_accuracy"),
    ("association", "mcc"),
    ("restriction", "accuracy"),
    ("restriction", "balanced_accuracy"),
    ("restriction", "over_niceness"),
    ("difficulty", "accuracy"),
]


@pytest.fixture(scope="module")
def authors(as_the_authors_read_them: Run) -> Scores:
    return score(as_the_authors_read_them, "authors")


@pytest.fixture(scope="module")
def published(reference: Path) -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = json.loads((reference / "published.json").read_text())["models"]
    return found


def test_the_published_numbers_of_ten_models_appear(
    authors: Scores, published: dict[str, dict[str, dict[str, float]]], as_the_authors_read_them: Run
) -> None:
    compared = 0
    for model in as_the_authors_read_them.models:
        for (experiment, metric), (part, name) in PUBLISHED.items():
            if (model, metric) in NOT_FROM_THE_REPLIES or (model, experiment) == (WITHOUT_ANSWERS, "difficulty"):
                continue
            assert authors.value(model, experiment, metric) == pytest.approx(published[model][part][name], abs=1e-9)
            compared += 1
    assert compared == 10 * len(PUBLISHED) - 2 - 3


def test_the_published_overall_scores_appear(
    authors: Scores, published: dict[str, dict[str, dict[str, float]]]
) -> None:
    compared = 0
    for model, numbers in published.items():
        if model in {row.model for row in authors} - {WITHOUT_ANSWERS}:
            score = authors.value(model, "overall", "self_execution_score")
            assert score == pytest.approx(numbers["self_execution_score"], abs=1e-9)
            compared += 1
    assert compared == 10 - 1  # of the fifteen published, the ten that were recorded, less the one without answers


def test_answers_that_were_never_recorded_give_no_number_but_the_reason(authors: Scores) -> None:
    for metric in ("accuracy", "question_accuracy", "tokens_mean"):
        row = authors.row(WITHOUT_ANSWERS, "difficulty", metric)
        assert row.value is None
        assert row.reason == "its answers were never recorded"
    assert authors.row(WITHOUT_ANSWERS, "overall", "self_execution_score").value is None


@pytest.mark.parametrize("line", SECOND_COUNT.strip().splitlines(), ids=lambda line: line.split(" | ")[0])
def test_a_careful_second_count_agrees_to_its_last_digit(scores_as_the_authors_read_them: Scores, line: str) -> None:
    model, *cells = line.split(" | ")
    for (experiment, metric), cell in zip(COLUMNS, cells, strict=True):
        row = scores_as_the_authors_read_them.row(model, experiment, metric)
        assert row.value is not None and row.low is not None and row.high is not None
        assert f"{row.value:.3f} [{row.low:.3f}, {row.high:.3f}]".replace("0.", ".") == cell, (experiment, metric)


def test_models_that_lost_much_of_what_they_were_asked_get_no_headline(scores_as_the_authors_read_them: Scores) -> None:
    # deepseek-r1 has 63 of 488 targets, mistral-7b lost 117 of 450 requests, llama-3.2-3b 146
    for model in ("deepseek-r1", "mistral-7b", "llama-3.2-3b", "gemini-2.5-flash"):
        for metric in ("self_execution_score", "skill"):
            row = scores_as_the_authors_read_them.row(model, "overall", metric)
            assert row.value is None and row.low is None
            assert row.reason
    skill = scores_as_the_authors_read_them.row("gpt-4.1", "overall", "skill")
    assert skill.value is not None and skill.reason is None


def test_the_request_label_alone_predicts_better_than_the_models_do(scores_as_the_authors_read_them: Scores) -> None:
    # the ledger of the paper's numbers: label .86 on average, the models .80, on readable requests
    models = {row.model for row in scores_as_the_authors_read_them}
    assert len(models) == 10
    label, accuracy = (
        {model: scores_as_the_authors_read_them.value(model, "restriction", metric) for model in models}
        for metric in ("label", "accuracy")
    )
    # one that were missing would count as 0, and make the gap wider
    assert None not in [*label.values(), *accuracy.values()]
    mean_label, mean_accuracy = (math.fsum(v or 0 for v in found.values()) / 10 for found in (label, accuracy))
    assert mean_label > mean_accuracy + 0.05


def test_the_authors_true_order_puts_wrong_answers_last_and_uncounted_tokens_after_counted_ones() -> None:
    questions = [Question(id=str(n), subject="s", question="?", choices=list("wxyz"), answer="A") for n in range(4)]
    group = QuestionGroup(id="g", questions=questions)
    values = {("g", "execute.Q1"): "B", ("g", "execute.Q2"): "A", ("g", "execute.Q3"): "A"}  # Q4 has no letter
    tokens = {("g", "execute.Q1"): None, ("g", "execute.Q2"): 90, ("g", "execute.Q3"): 40, ("g", "execute.Q4"): 10}
    assert true_order(group, values, tokens) == ["Q3", "Q2", "Q4", "Q1"]
    # 5 of the 6 pairs of Q3 < Q2 < Q4 < Q1 are in this ranking's order; a ranking without all labels scores 0
    assert group_score(["Q3", "Q2", "Q1", "Q4"], ["Q3", "Q2", "Q4", "Q1"]) == pytest.approx(5 / 6)
    assert group_score(["3", "2", "1", "4"], ["Q3", "Q2", "Q4", "Q1"]) == 0


def test_of_the_authors_counting_the_papers_numbers_are_shown_too(authors: Scores) -> None:
    assert "precision" in paper_table(authors).columns


def test_scores_counted_as_the_authors_did_say_nothing_of_loss_and_noise(authors: Scores) -> None:
    assert {warning.kind for warning in authors.warnings} == {"unseen tokens"}  # which order their pairs as well
    assert all(row.worst is None and row.best is None for row in authors)
    assert not any(word in authors.table() for word in ("worst", "ceiling", "repeats itself"))


def test_the_authors_convention_has_no_empty_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = sx.run("sim/coin", limit=5, out=tmp_path / "run")
    assert selfexec(monkeypatch, "score", run.folder, "--convention", "authors") == 0
    heads = capsys.readouterr().out.split("─")[0].splitlines()[-2]
    assert heads.split() == ["experiment", "accuracy"]
