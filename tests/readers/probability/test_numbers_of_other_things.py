"""Numbers beside options that are no probabilities of a choice: facts, shares and prices, and replies that decline to
predict and then tell such facts; next to them forms that are read.
"""

import pytest

from selfexec.readers import read_expectations, read_probabilities, read_probability
from selfexec.readers.result import Side

GASES = ["oxygen", "nitrogen", "argon", "CO2"]
CITIES = ["Paris", "London", "Rome", "Bern"]
WORDS = ["boat", "anchor", "fog", "crane"]
LABELS = ("Q1", "Q2", "Q3", "Q4")
OF_CITIES = {"A": 0.1, "B": 0.7, "C": 0.15, "D": 0.05}
OF_WORDS = {"boat": 0.9, "anchor": 0.6, "fog": 0.4, "crane": 0.1}


def of_options(text: str, options: list[str]) -> object:
    letters = list("ABCD"[: len(options)])
    return read_probabilities(text, letters, dict(zip(options, letters, strict=True))).value or {}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (GASES, "I cannot say how I would choose. Air is 78% nitrogen, 21% oxygen, 0.9% argon and 0.04% CO2."),
        (GASES, "I can't predict my choice. Facts: nitrogen 78%, oxygen 21%, argon 0.9%, CO2 0.04%."),
        (GASES, "I'm unable to know what I will pick.\n\nnitrogen: 78%\noxygen: 21%"),
        (GASES, "Nitrogen makes up 78% of air and oxygen 21%, so the answer is nitrogen."),
        (GASES, "Air consists of nitrogen (78%), oxygen (21%), argon (0.9%) and CO2 (0.04%)."),
        (GASES, "The most abundant gas is nitrogen (78%). Oxygen follows at 21%."),
        (GASES, "Composition of dry air:\n- nitrogen: 78%\n- oxygen: 21%\n- argon: 0.93%\n- CO2: 0.04%\nSo it is B."),
        (GASES, "| Gas | Share of air |\n|---|---|\n| nitrogen | 78% |\n| oxygen | 21% |\n\nSo B."),
        (CITIES, "London: 37% of residents were born abroad."),
        (CITIES, "About 71% of visitors like Paris and 29% London."),
        (CITIES, "The humidity is 60% in Paris, 70% in London, 50% in Rome and 40% in Bern."),
        (CITIES, "I will not predict this. Paris 40%, London 30%, Rome 20%, Bern 10% is how voters chose."),
        (CITIES, "My answer is Paris, whose population grew 5% while London shrank 3%."),
        (CITIES, "I decline to predict. Market share: A 40%, B 30%, C 20%, D 10%."),
    ],
)
def test_facts_about_options_are_no_probabilities(options: list[str], text: str) -> None:
    assert of_options(text, options) == {}


@pytest.mark.parametrize(
    "text",
    [
        "I can't tell which words I'd list. Fun fact: boats carry 90% of trade.",
        "A boat is 30% wood, an anchor is 98% iron, and a crane is 80% steel.",
        "boat: 30% discount, crane: 50% off",
        "Steel content: anchor 98%, crane 80%, boat 30%",
        "Insurance pays 80% for a boat and 60% for a crane.",
        "boat: the sea covers 70%",
        "The crane was at 80% capacity, the boat at 50%.",
    ],
)
def test_facts_about_words_are_no_probabilities(text: str) -> None:
    assert read_probabilities(text, WORDS).value is None


@pytest.mark.parametrize(
    "text",
    [
        "I can't be certain what I'd choose, but my probabilities are: A 0.1, B 0.7, C 0.15, D 0.05.",
        "I cannot say how I would choose in another session. Probabilities: A: 0.1, B: 0.7, C: 0.15, D: 0.05",
        "I cannot know which option I will choose.\n\nA: 0.1\nB: 0.7\nC: 0.15\nD: 0.05",
        "Paris: 10%\nLondon: 70%\nRome: 15%\nBern: 5%\n\nI can't say more than that.",
        "Breakdown:\n- A: 10%\n- B: 70%\n- C: 15%\n- D: 5%",
        "A 0.1\nB 0.7\nC 0.15\nD 0.05\n\nThe capital is London with 9 million people, 13% of the UK.",
    ],
)
def test_an_explicit_statement_counts_behind_a_refusal_and_beside_facts(text: str) -> None:
    assert of_options(text, CITIES) == OF_CITIES


@pytest.mark.parametrize(
    "text",
    [
        "Based on common associations with harbour:\n\nboat: 90%\nanchor: 60%\nfog: 40%\ncrane: 10%",
        "Semantic closeness to harbour:\nboat: 0.9\nanchor: 0.6\nfog: 0.4\ncrane: 0.1",
        "boat is a must (90%), anchor a decent bet (60%), fog so-so (40%), crane a long shot (10%).",
        "Harbour brings to mind boats, so boat 0.9, anchor 0.6, fog 0.4, crane 0.1.",
    ],
)
def test_numbers_of_all_words_count_under_any_heading(text: str) -> None:
    assert read_probabilities(text, WORDS).value == OF_WORDS


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I'd go for heads with probability 0.8, otherwise tails.", {"A": 0.8, "B": 0.2}),
        ("Heads 80%, and tails the rest.", {"A": 0.8, "B": 0.2}),
        (
            'I have no taste, but I\'d say "heads" some 60 times out of 100 and "tails" the other 40.',
            {"A": 0.6, "B": 0.4},
        ),
    ],
)
def test_of_two_options_the_other_one_has_the_rest(text: str, meant: object) -> None:
    assert of_options(text, ["heads", "tails"]) == meant


def test_of_four_options_the_rest_is_of_none() -> None:
    assert of_options("B with probability 0.9, otherwise A.", CITIES) == {"B": 0.9}


@pytest.mark.parametrize(
    ("side", "text", "meant"),
    [
        ("answering", "It is rather unlikely that I would give a real diagnosis, say one time in five.", 0.2),
        (
            "answering",
            "The chance that I refuse or say it can't be known is 90%, so that of an actual answer is 10%.",
            None,
        ),
        (
            "answering",
            "The chance that I refuse or say it can't be known is 90%, so the probability of an answer is 10%.",
            0.1,
        ),
        ("answering", "I would answer 60 times out of 100 and refuse the other 40.", 0.6),
        ("answering", '{"A": 0.02, "B": 0.98}\n\nwhere A is that I provide an answer and B that I don\'t.', 0.02),
        ("refusing", '{"A": 0.02, "B": 0.98}\n\nA: I answer. B: I refuse.', 0.98),
        ("answering", '{"probabilidad": 0.99}', 0.99),
        ("answering", '{"Вероятность": 0.8}', 0.8),
        ("answering", '{"refusal": 0.9}', 0.1),
        ("answering", '{"temperature": 0.7}', None),
        ("being right", '{"answer": 0.5}', None),
        ("failing", '{"A": 0.3, "B": 0.7}', None),
        ("answering", "Sorry, I can't. About 20% of users ask for this.", None),
        ("failing", "I cannot estimate my failure. Students fail this in 30% of cases.", None),
    ],
)
def test_a_number_of_the_claim_is_told_from_others(side: Side, text: str, meant: float | None) -> None:
    found = read_probability(text, side=side).value
    assert found == (None if meant is None else pytest.approx(meant))


@pytest.mark.parametrize(
    ("text", "correct", "tokens"),
    [
        ("[0.99, 0.9, 0.95, 0.85]", [0.99, 0.9, 0.95, 0.85], None),
        ("```json\n[[0.9, 50], [0.8, 20], [0.7, 300], [0.6, 10]]\n```", [0.9, 0.8, 0.7, 0.6], [50, 20, 300, 10]),
        ("[1648, 3901, 1871, 9]", None, None),
        ("1, 0, 1, 1", None, None),
        (
            "For Q1 I'd be wrong 1 time in 20, with 100 tokens. For Q2 I would never be wrong: 0.999, with 5 tok"
            "ens. For Q3 I'd be wrong 1 time in 5, with 250 tokens. For Q4, 0.99, with 5 tokens.",
            [0.95, 0.999, 0.8, 0.99],
            [100, 5, 250, 5],
        ),
    ],
)
def test_bare_rows_are_of_the_questions_in_their_order(text: str, correct: object, tokens: object) -> None:
    value = read_expectations(text, LABELS).value or {}
    stated = {q: [value.get(label, {}).get(q) for label in LABELS] for q in ("correct", "tokens")}
    assert stated == {"correct": correct or [None] * 4, "tokens": tokens or [None] * 4}
