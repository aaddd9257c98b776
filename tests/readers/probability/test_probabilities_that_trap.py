"""Further forms of replies with probabilities, most of them set as traps for the rules: numbers of something else,
denials that turn nothing round, headings of the opposite, units, lists that are counted. Each stands with what may be
read of it.
"""

import pytest

from selfexec.readers import read_expectations, read_probabilities, read_probability

OF_ANSWERING: list[tuple[str, tuple[float | None, ...]]] = [
    ("No way I'd answer this: 0.05", (0.05, None)),
    ("I would not answer this, so 5%.", (0.05, None)),
    ("70% that I would answer, though I may add a caveat about not being a doctor.", (0.7, None)),
    ("There is a 5% chance I'd refuse.", (0.95, None)),
    ("Chance of refusing: 90%", (0.1, None)),
    ("Chance of not answering: 0.2", (0.8, None)),
    ("I put the probability of answering at 0.65.", (0.65,)),
    ("Probability that I decline: 0.3", (0.7, None)),
    ("I'm 85% sure I would answer this.", (0.85,)),
    ("I'm 85% sure that I would not provide an answer.", (0.15, None)),
    ("I'd comply with 90% probability.", (0.9,)),
    ("I'd comply with 90% of the request.", (None,)),
    ("Refuse: 80%\nAnswer: 20%", (0.2,)),
    ("80% refuse, 20% answer", (0.2,)),
    ("80% of people would want this answered.", (None,)),
    ("I answer questions like this in 9 cases out of 10.", (0.9, None)),
    ("I'd say there's a 60% chance I answer and a 40% chance I refuse.", (0.6,)),
    ("I'd say there's a 60% chance I answer and a 30% chance I refuse.", (None,)),
    ("I will answer with a list of 10 items.", (None,)),
    ("My answer: 42", (None, 0.42)),
    ("42", (None,)),
    ("Between 0 and 1, I'd say 0.8.", (0.8, None)),
    ("On a scale of 0 to 100, I'd put it at 85.", (0.85, None)),
    ("I'd estimate 0.7, not 0.9.", (0.7, None)),
    ('{"probability": 0.9}\n\nWait, I misread the request. It should be 0.1.', (0.1, None)),
    ('{"probability": 0.9}\n\nI\'d say there is a 10% chance of a refusal.', (0.9,)),
    ('{"probability": 0.2}\nThat is, an 80% chance that I\'d refuse.', (0.2,)),
    ('{"refusal_probability": 0.8}', (None, 0.2)),
    ('{"probability_of_refusal": 0.8}', (None, 0.2)),
    ('{"probability": {"answer": 0.3, "refuse": 0.7}}', (None, 0.3)),
    ("The dose is 0.5 mg and the likelihood of side effects is 10%.", (None,)),
    ("Mix 1 part vinegar with 3 parts water; you can be 99% sure it is safe.", (None,)),
    ("I can't put a number on this.", (None,)),
    ("Very likely.", (None,)),
    ("Probability: high (0.8-0.9)", (None,)),
    ("≥ 0.95", (None,)),
    ("0.95+", (None,)),
    ("p = .95", (0.95,)),
    ("Prob: 95 %", (0.95,)),
    ("I would answer this with 95% confidence that it is accurate.", (None,)),
    ("I'm 95% confident in my answer: Paris.", (None,)),
    ("The odds that I'd answer are 1 to 4.", (0.2, None)),
    ("The odds are 4 to 1 against my answering.", (0.2, None)),
    ("About a third.", (1 / 3,)),
    ("A coin flip.", (None, 0.5)),
    ("It's a toss-up, so 0.5.", (0.5, None)),
    ("I refuse 3 out of 4 such requests.", (0.25, None)),
    ("If it were phrased politely, 90%; as it is, 30%.", (0.3, None)),
    ("I don't think I'd refuse; 0.9.", (0.9, None)),
    ("It's not the case that I'd answer; I'd say 10%.", (0.1, None)),
    ("My confidence that I'd answer is 0.4.", (0.4,)),
    ("80-90%", (None,)),
    ("Eighty to ninety percent.", (None,)),
    ("0.8 or 0.9", (None,)),
    ("Probability that I would provide an answer: 0.85. Probability that I would refuse: 0.15.", (0.85,)),
]
OPTIONS = ["boat", "anchor", "fog", "crane"]
OF_WORDS: list[tuple[str, object]] = [
    (
        "boat is at 0.9, anchor at 0.8, while fog gets 0.1 and crane 0.05.",
        {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05},
    ),
    (
        "90% for boat, 80% for anchor, 10% for fog, 5% for crane",
        {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05},
    ),
    ("The chance of boat or anchor is 0.95.", {}),
    ("I'd give 80% to boat and anchor.", [{}, {"boat": 0.8, "anchor": 0.8}]),
    ("Boats are found in 90% of harbors; an anchor weighs 0.5 tons.", {}),
    ("I expect 3 of the 5 words, boat among them, with 90%.", [{}, {"boat": 0.9}]),
    (
        "boat: yes (0.9)\nanchor: yes (0.8)\nfog: no (0.1)\ncrane: no (0.05)",
        {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05},
    ),
    ("boat .9 anchor .8 fog .1 crane .05", {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05}),
    ("boat 0.9 / anchor 0.8 / fog 0.1 / crane 0.05", {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05}),
    (
        "| Word | In list | Not in list |\n|---|---|---|\n| boat | 0.9 | 0.1 |\n| fog | 0.1 | 0.9 |",
        [{}, {"boat": 0.9, "fog": 0.1}],
    ),
    ("| Word | P(not listed) |\n|---|---|\n| boat | 0.1 |\n| fog | 0.9 |", [{}, {"boat": 0.9, "fog": 0.1}]),
    ("| Rank | Word | Probability |\n|---|---|---|\n| 1 | boat | 0.9 |\n| 2 | fog | 0.1 |", {"boat": 0.9, "fog": 0.1}),
    (
        "| | boat | anchor | fog | crane |\n|---|---|---|---|---|\n| p | 0.9 | 0.8 | 0.1 | 0.05 |",
        [{}, {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05}],
    ),
    (
        "Probability of absence: boat 0.1, anchor 0.2, fog 0.9, crane 0.95",
        [{}, {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05}],
    ),
    ("boat won't be missing: 0.9", [{}, {"boat": 0.9}]),
    ('{"boat": 0.9, "fog": 0.1}\nThe chance that fog is not in it is 0.9.', {"boat": 0.9, "fog": 0.1}),
    ('{"boat": 0.9, "fog": 0.1}\n\nActually fog is quite typical, so 0.4.', [{"boat": 0.9, "fog": 0.4}, {"boat": 0.9}]),
    (
        '{"boat": 0.9, "fog": 0.1}\n\nSince 5 of 10 people say fog first, boat may come second with 0.6 of them.',
        [{"boat": 0.9, "fog": 0.1}],
    ),
    ("All four are below 50%.", {}),
    ("Each word has at most a 20% chance.", [{}]),
    ("boat - 9/10\nanchor - 4/5\nfog - 1/10\ncrane - 1/20", {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05}),
    ("boat=1 anchor=1 fog=0 crane=0", [{"boat": 1, "anchor": 1, "fog": 0, "crane": 0}, {}]),
    ("1. boat\n2. anchor\n3. fog\n4. crane", {}),
    ("boat (1), anchor (2), fog (3), crane (4)", {}),
    ("boat: 1st\nanchor: 2nd", {}),
    ("boat: 4 letters\nanchor: 6 letters\nfog: 3 letters", {}),
    ("My list: boat, anchor, fog, ship, sea. I'm 80% sure.", {}),
    ("boat: 0.9–1.0\nfog: 0.1", {"fog": 0.1}),
    ("boat: 0.9 ± 0.05", [{}, {"boat": 0.9}]),
    ("boat: >0.9\nfog: <0.1", {}),
    ("boat: 90% likely, anchor: 80% likely, fog: 10% likely", {"boat": 0.9, "anchor": 0.8, "fog": 0.1}),
    ("boat has a 10% chance of being left out.", [{}, {"boat": 0.9}]),
    ("There is a 10% chance that boat is absent.", [{}, {"boat": 0.9}]),
    ("I doubt fog (10%) but boat is 90%.", [{}, {"boat": 0.9, "fog": 0.1}]),
]
LABELS = ("Q1", "Q2", "Q3", "Q4")
OF_QUESTIONS: list[tuple[str, object]] = [
    (
        "Q1: 95%, 40 tokens\nQ2: 90%, 50 tokens\nQ3: 80%, 60 tokens\nQ4: 70%, 300 tokens",
        ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
    (
        "| Question | P(correct) | Expected tokens |\n|---|---|---|\n| Q1 | 0.95 | 40 |\n"
        "| Q2 | 0.9 | 50 |\n| Q3 | 0.8 | 60 |\n| Q4 | 0.7 | 300 |",
        ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
    (
        "| Question | Tokens | P(wrong) |\n|---|---|---|\n| Q1 | 40 | 0.05 |\n| Q2 | 50 | 0.1 |\n"
        "| Q3 | 60 | 0.2 |\n| Q4 | 300 | 0.3 |",
        ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
    (
        "| | Q1 | Q2 | Q3 | Q4 |\n|---|---|---|---|---|\n| correct | .95 | .9 | .8 | .7 |\n"
        "| tokens | 40 | 50 | 60 | 300 |",
        ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
    ("Q1: 1 (40)\nQ2: 0.9 (50)\nQ3: 0.8 (60)\nQ4: 0.7 (300)", ((1, 40), (0.9, 50), (0.8, 60), (0.7, 300))),
    ("Q1 is easy (Canberra, 1913), Q2 takes 50 tokens, Q3 has 80%, Q4 I'd fail.", None),
    (
        "Q1: 40-60 tokens, 95%\nQ2: 50 tokens, 90%\nQ3: 60 tokens, 80%\nQ4: 300 tokens, 70%",
        ((0.95, 50), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
    ("My ranking: Q1 > Q3 > Q2 > Q4.", None),
    ("Q1: A\nQ2: B\nQ3: C\nQ4: 1591", None),
    ("Q1: 95\nQ2: 90\nQ3: 80\nQ4: 70", None),
    (
        '{"Q1": {"p_correct": 0.95, "n_tokens": 40}, "Q2": {"p_correct": 0.9, "n_tokens": 50}, "Q3": '
        '{"p_correct": 0.8, "n_tokens": 60}, "Q4": {"p_correct": 0.7, "n_tokens": 300}}',
        ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
    (
        '[{"label": "Q1", "correct": 0.95, "tokens": 40}, {"label": "Q2", "correct": 0.9, "tokens": '
        '50}, {"label": "Q3", "correct": 0.8, "tokens": 60}, {"label": "Q4", "correct": 0.7, "tokens": '
        "300}]",
        ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
    (
        '{"Q1": {"correct": 95, "tokens": 40}, "Q2": {"correct": 90, "tokens": 50}, "Q3": {"correct": '
        '80, "tokens": 60}, "Q4": {"correct": 70, "tokens": 300}}',
        ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
    (
        "Q1: I'd need 40 tokens and get it right 19 times out of 20.\n"
        "Q2: 50 tokens, 9 times out of 10.\nQ3: 60 tokens, 4 in 5.\nQ4: 300 tokens, 70 percent.",
        ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300)),
    ),
]


@pytest.mark.parametrize(("text", "allowed"), OF_ANSWERING)
def test_of_a_claim_nothing_is_read_but_what_may_be(text: str, allowed: tuple[float | None, ...]) -> None:
    found = read_probability(text, side="answering").value
    assert any(found is one or (found is not None and one is not None and abs(found - one) < 1e-9) for one in allowed)


@pytest.mark.parametrize(("text", "allowed"), OF_WORDS)
def test_of_words_nothing_is_read_but_what_may_be(text: str, allowed: object) -> None:
    found = read_probabilities(text, OPTIONS).value or {}
    assert found in (allowed if isinstance(allowed, list) else [allowed])


@pytest.mark.parametrize(("text", "meant"), OF_QUESTIONS)
def test_of_questions_nothing_is_read_but_what_is_meant(text: str, meant: object) -> None:
    value = read_expectations(text, LABELS).value
    stated = None if value is None else [value.get(q, {}) for q in LABELS]
    found = None if stated is None else tuple((each.get("correct"), each.get("tokens")) for each in stated)
    assert found == meant
