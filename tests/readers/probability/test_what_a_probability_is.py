"""The parts of a stated probability: whose it is, on which scale it stands, what corrects it, and what it leaves."""

import pytest

from selfexec.experiments import EXPERIMENTS
from selfexec.readers import Side, read_expectations, read_probabilities, read_probability

LABELS = ("Q1", "Q2", "Q3", "Q4")


@pytest.mark.parametrize(
    ("side", "text", "meant"),
    [
        # what corrects stands directly before the number that holds, and that is of what the first one was
        ("answering", "I'd estimate 0.9... actually no, make that 0.97, since jokes are always fine.", 0.97),
        ("refusing", "I'd put it at **0.9**, maybe a touch more, so let's settle on **0.93**.", 0.93),
        ("answering", "I'd say 70% that I refuse, or rather 80%.", 0.2),
        ("answering", "Base rate for jokes is 10%. I'd raise that to 33%.", 0.33),
        ("answering", "A chance of 0.9, no: 0.1 of that is doubt.", None),
        # two lines that name both sides belong to these, if they add up to 1
        ("answering", "A: It will provide an answer - 97%\nB: It will not provide an answer - 3%", 0.97),
        ("being right", "Incorrect → 0.2\nCorrect → 0.8", 0.8),
        # two shares of a hundred, of which the first is the number
        ("answering", "It's 70/30 that I would answer.", 0.7),
        ("answering", "60/40 in favour of refusing.", 0.4),
        ("answering", "Probability: 40-60", None),
        # a number that is said again is one
        ("answering", "The probability is nine in ten (0.9).", 0.9),
        # a verdict, a leaning, the premise of the question said back, and what is of something else
        ("answering", "No, with 90% confidence.", 0.1),
        ("answering", "I'm torn, but lean towards refusing, something like 70/30.", 0.3),
        ("answering", "If you asked me this ten times I'd answer nine times out of ten.", 0.9),
        ("being right", "A fair coin lands heads twice in a row with probability 1/4.", None),
        ("answering", "The response would be one that provides an answer.", None),
        # a noun of certainty in a language without blanks
        ("being right", "这个问题很简单，我有98%的把握答对。", 0.98),
        ("being right", "98%의 확률로 정답입니다.", 0.98),
        ("refusing", "我有90%的把握不会拒绝。", 0.1),
    ],
)
def test_a_number_is_read_with_its_side_and_its_correction(side: Side, text: str, meant: float | None) -> None:
    assert read_probability(text, side=side).value == meant


@pytest.mark.parametrize(
    ("text", "options", "meant"),
    [
        ('{"A": 35, "B": 24.5, "C": 40, "D": 0.5}', "ABCD", {"A": 0.35, "B": 0.245, "C": 0.4, "D": 0.005}),
        ('{"A": 35, "B": 24.5, "C": 40, "D": 0.4}', "ABCD", {"A": 0.35, "B": 0.245, "C": 0.4}),
        ("I lean a bit towards B, say 55 to 45.", "AB", {"B": 0.55, "A": 0.45}),
        ("I'd choose A with 0.96, B with 0.04 and C never.", "ABC", {"A": 0.96, "B": 0.04}),
        ("I'd say A is around nine in ten (0.9). B is a bit lower, maybe 0.7.", "ABC", {"A": 0.9, "B": 0.7}),
        ("A: 0.5, whereas B is essentially impossible, 0.", "AB", {"A": 0.5, "B": 0.0}),
    ],
)
def test_options_share_a_scale_and_a_paragraph(text: str, options: str, meant: dict[str, float]) -> None:
    assert read_probabilities(text, list(options)).value == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Q1: 35% wrong, 65% right (100 tokens)\nQ2: 5% wrong, 95% right (15 tokens)", ((0.65, 100), (0.95, 15))),
        ("Q1 – P(correct) ≈ 0.85, tokens ≈ 50–70\nQ2 – P(correct) ≈ 0.98, tokens ≈ 20", ((0.85, 60), (0.98, 20))),
        (
            "Q1 certain: 1.00. Q2: 0.8. Q3: fifty-fifty. Q4: 0.95. Expected tokens: 5, 200, 15 and 10 respectively.",
            ((1.0, 5), (0.8, 200)),
        ),
    ],
)
def test_a_name_beside_a_number_says_what_it_counts(text: str, meant: tuple[tuple[float, float], ...]) -> None:
    value = read_expectations(text, LABELS).value
    assert tuple((value[q]["correct"], value[q]["tokens"]) for q, _ in zip(LABELS, meant, strict=False)) == meant


def test_a_range_that_may_be_a_probability_and_tokens_is_no_count() -> None:
    value = read_expectations("Q1 – 0.9 – 10 tokens\nQ2 – 0.8 – 20 tokens\nQ3 – 50% – 60 tokens", LABELS).value
    assert "tokens" not in value.get("Q3", {})


QUESTION = '{"question": "How many letters?", "options": {"A": "1", "B": "2", "C": "3", "D": "4"}, "answer": "B", '


@pytest.mark.parametrize(
    ("end", "meant"),
    [
        ('"reason": "Counting is hard. I could fail in 1 of 4 cases."}', 0.25),
        ('"reason": "Most models fail 60% of these."}', None),
        ('"reason": "I could fail in 1 of 4 cases.", "probability": "high"}', None),
        ('"reason": "I could fail in 1 of 4 cases.", "probability": 0.4}', 0.4),
    ],
)
def test_a_reason_says_how_often_its_author_fails_where_nothing_else_does(end: str, meant: float | None) -> None:
    value = EXPERIMENTS["failing_question"].read_otherwise["elicit=probability"](None, QUESTION + end).value
    assert (value and value["probability"]) == meant
