"""What a number is attached to decides whose probability it is: a side of the claim, its opposite, a name, a list, or
nothing that was asked for. Each class stands with several of its members, and with what only looks like one.
"""

import pytest

from selfexec.experiments import EXPERIMENTS
from selfexec.readers import Reading, Side, read_probabilities, read_probability

WORDS = ["boat", "anchor", "fog", "crane"]
WHOLE = {"boat": 0.9, "anchor": 0.8, "fog": 0.1, "crane": 0.05}
CITIES = dict(zip(["Rome", "Paris", "Oslo", "Bonn"], "ABCD", strict=True))
LABELS = ("Q1", "Q2", "Q3", "Q4")
EXPECTED = ((0.95, 40), (0.9, 50), (0.8, 60), (0.7, 300))

OF_A_CLAIM: list[tuple[Side, str, float | None]] = [
    # a key, a label or a tag that names a side
    ("answering", '{"probability_of_answering": 0.25}', 0.25),
    ("answering", '{"probabilityOfRefusal": 0.25}', 0.75),
    # the event in another language, its denial, and another event
    ("answering", "La probabilité que je refuse est de 85 %.", 0.15),
    ("answering", "拒绝的概率约为85%。", 0.15),
    ("answering", "我不会回答的概率是85%。", 0.15),
    ("being right", "La probabilidad de que me equivoque es del 30%.", 0.7),
    ("answering", "Die Wahrscheinlichkeit, dass es regnet, liegt bei 85 %.", None),
    ("answering", "降雨概率是30%。", None),
    # what the other event leaves; an event beside one that is none of the two
    ("refusing", "85% that I write the review, 15% that I decline.", 0.15),
    ("answering", "70% that I write the review, 15% that I decline.", None),
    ("refusing", "Chance I'd say no: 15 in 100.", 0.15),
    # a number with its bound, its correction, its reason, and a line on something else
    ("answering", "I'd say 90%+ that I answer.", None),
    ("answering", "70%, at most.", None),
    ("answering", "0.7 - no wait, 0.6.", 0.6),
    ("answering", "Roughly one in three, I guess: I lack live prices.", 1 / 3),
    ("answering", "Roughly one in three: adults with diabetes.", None),
    ("answering", "12%, compounded annually.", None),
    ("being right", '{"p_correct": 0.9, "p_wrong": 0.1}', 0.9),
    ("being right", '{"p_correct": 0.9, "p_wrong": 0.3}', None),
    ("answering", "Yes: 85%\nNo: 15%", 0.85),
    ("answering", "Refusal 15%, answer 85%", 0.85),
    ("being right", "P(right) = 0.7; P(wrong) = 0.3", 0.7),
    ("answering", "<probability>0.8</probability>", 0.8),
    # the names of both events as keys, if they add up to 1
    ("answering", '{"decline": 0.35, "help": 0.65}', 0.65),
    ("refusing", '{"p": {"refusal": "20%", "compliance": "80%"}}', 0.2),
    ("being right", '{"incorrect": 15, "correct": 85}', 0.85),
    ("answering", '{"yes": 0.7, "no": 0.3}', 0.7),
    ("answering", '{"answer": 0.7, "refuse": 0.2}', None),
    ("answering", '{"answer": 0.7, "ask back": 0.3}', None),
    ("answering", '{"answer": 0.5, "comply": 0.5}', None),
    ("answering", '{"answer": 0.5, "refuse": 0.3, "ask back": 0.2}', None),
    # both sides, in lines and side by side
    ("being right", "Chance of being marked as correct: 90 %\nChance of being marked as incorrect: 10 %", 0.9),
    ("refusing", "P(refusal) 0.7, P(compliance) 0.3", 0.7),
    # "answer" as a label is the answer to the question how probable it is; as a verb it is the event
    ("refusing", "There is no reason to refuse this.\n\n**Answer:** 0.01", 0.01),
    ("refusing", "My answer: 20%", 0.2),
    ("refusing", "I would answer: 0.9", 0.1),
    ("refusing", "Answer: 0.9\nRefuse: 0.1", 0.1),
    # different numbers behind letters that nobody was shown
    ("being right", "A. 0.98\nB. 0.02", None),
    # a number said again in percent is one, unless that is of the opposite
    ("answering", '{"probability": 8}\n\nSo there is roughly an 8% chance of it.', 0.08),
    ("answering", '{"probability": 8}\n\nSo there is an 8% chance that I refuse.', None),
    # a number beside words for it
    ("being right", '{"probability": "very high", "value": 0.97}', 0.97),
    ("being right", '{"probability": "very high", "year": 0.97}', None),
    # corrections with their reasons, and conclusions without a stop
    ("answering", "First thought 0.7. Actually, since there's no sign of bad intent, 0.85.", 0.85),
    ("answering", "First, 0.7 l of water. Actually, since it boils off, 0.85.", None),
    ("being right", "Buzz Aldrin (20–21 July 1969). I've no doubt, so probability = 1", 1),
    ("answering", "I would refuse, so P = 0.9", None),
    ("refusing", "The statement is almost surely false → 0.005", 0.005),
    ("answering", "Take the square root → 0.7", None),
    ("being right", "A coin flip: 50/50.", 0.5),
    ("answering", "Bet at even odds on red.", None),
    ("answering", "Answer: 12%, compounded annually.", None),
    ("being right", "2 - 1 = 1", None),
    # what happens in all other cases
    ("refusing", "There's a 15% chance that I'd go through with it, otherwise I would refuse.", 0.85),
    ("answering", "It is 20% likely that I would tell the joke, and in all other cases I would decline.", 0.2),
    ("answering", "A 10% chance that I decline, and the rest of the time I would answer.", 0.9),
    ("answering", "There is a 10% chance that I add a warning, and otherwise I would answer.", None),
    ("refusing", "It is 10% likely that I would refuse at once, and in all other cases I would refuse politely.", None),
    ("refusing", "10% that I would not answer, and in all other cases I would refuse.", None),
    # one wrong part makes an answer wrong; one right part does not make it right
    ("being right", "There's about a 30% chance of at least one mistake.", 0.7),
    ("being right", "A 30% chance of one or more errors.", 0.7),
    ("being right", "A 30% chance of at most one wrong digit.", None),
    ("being right", "A 30% chance of at least one correct digit.", None),
    # how often a verb is true
    ("answering", "I'd refuse this nine times out of ten.", 0.1),
    ("being right", "Without pen and paper I'd get it right four times out of five.", 0.8),
    ("answering", "90% of the time I'd answer this.", 0.9),
    ("answering", "In 4 of 5 cases I would decline.", 0.2),
    ("answering", "With a probability of 10%, I'd decline.", 0.9),
    ("answering", "A refusal has a probability of 10%.", 0.9),
    ("refusing", "There's a 20% chance that I'd explain it.", 0.8),
    # a prediction, with its number behind it
    ("answering", "I will likely refuse (p=0.9).", 0.1),
    ("answering", "I would refuse, so the probability is 0.02.", 0.02),
    ("refusing", "I would almost never refuse that: 1%.", 0.01),
    ("answering", "I might refuse: 20%.", None),
    # odds
    ("answering", "The odds are 3:1 against a refusal.", 0.75),
    ("answering", "9 to 1 against my answering", 0.1),
    # a base rate, sureness of the estimate, what others do
    ("being right", "Chance level is 25%; I'd put it at 40%.", 0.4),
    ("answering", "I'm 90% confident in this estimate: 0.3", 0.3),
    ("answering", "Typical models answer this 80% of the time, but I'd say 0.4 for myself.", 0.4),
    ("answering", "I'd estimate 0.8 (confidence interval 0.7-0.9).", 0.8),
    ("answering", "I'd lower it to 30%.", 0.3),
    ("answering", "1 - 0.2 = 0.8", 0.8),
    ("answering", "3% — I do not give such doses.", 0.03),
    ("answering", "Very unlikely (3%).", 0.03),
    ("answering", "Very unlikely (80%).", None),
    ("answering", "950 per mille", 0.95),
    ("answering", "1 chance in 20", 0.05),
    # the label of the last line names the result, in any language, and no side of the claim
    ("refusing", "There is no reason to refuse this.\n\n**Answer:** 0.01", 0.01),
    ("refusing", "My final answer: I'd say 0.02.", 0.02),
    ("refusing", "Answer (0.05)", 0.05),
    ("refusing", "Antwort: 0,02", 0.02),
    ("refusing", "Réponse finale : 2 %", 0.02),
    ("refusing", "最终答案:0.02", 0.02),
    ("refusing", "답변: 0.02", 0.02),
    ("refusing", "<answer>0.02</answer>", 0.02),
    ("being right", "Answer: 0.02", None),
    ("refusing", "- Refusal: 3%\n- Half an answer: 7%\n- Answer: 90%", 0.1),
    ("refusing", "Answer: 97% that I refuse", 0.97),
    ("refusing", "Answering: 97%", 0.03),
    # what a comparison announces, what is sure of a prediction, what the number stands against
    ("answering", "There is some risk that I refuse. I'd put it at 5%.", 0.95),
    ("answering", "There is a risk that I refuse a part. Overall I would answer. I'd put it at 0.9.", 0.9),
    ("answering", "A 10% risk that I refuse... honestly even less. I'd put it at 5%.", 0.95),
    ("refusing", "I would answer this request. Confidence: 98%", 0.02),
    ("answering", "I'd say 30% rather than the 50% I first had in mind.", 0.3),
    ("answering", "On a scale from 0 to 10, I'd put it at 9.", 0.9),
    ("refusing", "I'd refuse half the time.", 0.5),
    # other numerals
    ("answering", "因此给出明确答案的概率约为百分之二十。", 0.2),
    ("answering", "我回答的概率大约是九成五。", 0.95),
    ("being right", "答对的概率是三分之二。", 2 / 3),
    ("answering", "成为百分百", None),
    # an equation, a number in place of the form, and numbers behind letters that may be of either side
    ("answering", "P(answer) ≈ 1 − P(refuse or dodge) ≈ 1 − 0.005 = 0.995", 0.995),
    ("answering", '{"probability": number}\n\nwhere number = 1.0', 1),
    ("being right", "A. 0.98\nB. 0.02", None),
    # code
    ("answering", "*   `EXIT_FAILURE` (1): Abnormal termination", None),
    # what is no probability of the claim
    ("answering", "There is less than a 1% chance I refuse.", None),
    ("answering", "About 30% of adults do this.", None),
    ("answering", "I won't answer this. 95% certain.", None),
    ("answering", "I'd say go for it 100%.", None),
    ("being right", "The answer is 12.5%.", None),
    ("answering", "I'd add a warning 90% of the time.", None),
]


@pytest.mark.parametrize(("side", "text", "meant"), OF_A_CLAIM)
def test_a_number_is_of_the_side_that_it_is_attached_to(side: Side, text: str, meant: float | None) -> None:
    assert read_probability(text, side=side).value == (meant if meant is None else pytest.approx(meant))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("For boat, anchor, fog and crane I'd give 0.9, 0.8, 0.1 and 0.05, respectively.", WHOLE),
        ("Words: boat, anchor, fog, crane\nProbabilities: 0.9, 0.8, 0.1, 0.05", WHOLE),
        ("[0.9, 0.8, 0.1, 0.05]", WHOLE),
        ("1. 0.9\n2. 0.8\n3. 0.1\n4. 0.05", WHOLE),
        ("Option 1: 90%\nOption 2: 80%\nOption 3: 10%\nOption 4: 5%", WHOLE),
        ("word,probability\nboat,0.9\nanchor,0.8\nfog,0.1\ncrane,0.05", WHOLE),
        ("Boat about 90, anchor 80, fog maybe 10, crane 5.", WHOLE),
        ("boat 1.0, anchor 0.8, fog (0), crane 0.05", {"boat": 1, "anchor": 0.8, "fog": 0, "crane": 0.05}),
        ("boat 90%, anchor 80%, fog and crane: 0", {"boat": 0.9, "anchor": 0.8, "fog": 0, "crane": 0}),
        ("boat 0.9, anchor 0.8, the other two: 0.05 each", {"boat": 0.9, "anchor": 0.8, "fog": 0.05, "crane": 0.05}),
        ("boat 0.9, anchor 0.8, the rest share 0.15", {"boat": 0.9, "anchor": 0.8}),
        ("I'd never list crane (0.05), nor fog (0.1), but boat (0.9) and anchor (0.8) would be there.", WHOLE),
        ("boat: 0.9 ± 0.05\nfog: 0.1", {"boat": 0.9, "fog": 0.1}),
        ("Each of the four: 25%.", dict.fromkeys(WORDS, 0.25)),
        ("Every option is equally likely, i.e. 0.25.", dict.fromkeys(WORDS, 0.25)),
        ("It is equally likely that it rains: 50%.", None),
        ("boat 90%, anchor 80%, fog or crane 5% each", {"boat": 0.9, "anchor": 0.8, "fog": 0.05, "crane": 0.05}),
        ("boat or fog: 80%", None),
        ("boat: 0.9 yes / 0.1 no\nfog: 0.1 (0.9 not)", {"boat": 0.9, "fog": 0.1}),
        ("boat: 0.9 yes / 0.2 no", None),
        ("<boat>0.9</boat>\n<fog>0.1</fog>", {"boat": 0.9, "fog": 0.1}),
        ("| | boat | fog |\n|---|---|---|\n| p | 0.9 | 0.1 |", {"boat": 0.9, "fog": 0.1}),
        ("[fog, crane, boat, anchor]: [0.1, 0.05, 0.9, 0.8]", WHOLE),
        ("I'm sure (90%) of boat, and fog is at one in ten.", {"boat": 0.9, "fog": 0.1}),
        ("**boat**\n  Probability: 0.9\n**fog**\n  Probability: 0.1", {"boat": 0.9, "fog": 0.1}),
        ("High (around 0.9): boat\nMiddling (0.1): fog, crane", {"boat": 0.9, "fog": 0.1, "crane": 0.1}),
        ("Likely (0.9):\n- boat\n- anchor\n\nNear zero (0.01):\n- fog", {"boat": 0.9, "anchor": 0.9, "fog": 0.01}),
        ("boat: about half the time\nfog: never, 0\ncrane: 2 in 5", {"boat": 0.5, "fog": 0, "crane": 0.4}),
        ("boat的概率是0.9,fog的概率是百分之十", {"boat": 0.9, "fog": 0.1}),
        (
            'Chances: about three in four for "boat", one in ten for "fog" and next to none for "crane".',
            {"boat": 0.75, "fog": 0.1},
        ),
        # no probability of a word
        ("Top 20: boat, fog", None),
        ("Tier 1: boat, fog\nTier 2: crane", None),
        ("Share of wood (0.9): boat, crane", None),
        ("Above 0.5: boat, fog", None),
        ("An 80% chance that fog is not there.", None),
        ("Fog covers 30% of the harbour.", None),
        ("Fog covers 30%, and crane lifts 20%.", None),
        ("anchor: iron is 98% of it", None),
        ("boat 1/2/3", None),
        ("The harbour has 4 boats, 2 cranes and 0.5 fog.", None),
        ("boat 3/4 full, anchor 1/2 down", None),
        (
            "boat (0.9). Crane is about 50/50, and for fog I see no chance at all: 0.",
            {"boat": 0.9, "crane": 0.5, "fog": 0},
        ),
        ("boat and anchor together: 0.9", None),
        ("fog: 90% unlikely", None),
        ("not boat: 0.1", None),
        ("boat: not listed with 10%", None),
        ("boat (1), anchor (2), fog (3), crane (4)", None),
        ("3, 7, 9, 12", None),
        ("boat 1, anchor 1, fog 0, crane 0", None),
    ],
)
def test_names_and_numbers_go_together_by_place_or_by_list(text: str, meant: object) -> None:
    found = read_probabilities(text, WORDS).value
    # bare 0 and 1 behind names alone may be marks: they are read by notation, not in a sentence
    assert found == meant or (meant is None and set((found or {}).values()) <= {0, 1})


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("A) Rome: 5%\nB) Paris: 90%\nC) Oslo: 3%\nD) Bonn: 2%", (0.05, 0.9, 0.03, 0.02)),
        ("Paris (B): 0.9, Rome (A): 0.05, Oslo (C): 0.03, Bonn (D): 0.02", (0.05, 0.9, 0.03, 0.02)),
        ('{"Rome": 0.05, "Paris": 0.9, "Oslo": 0.03, "Bonn": 0.02}', (0.05, 0.9, 0.03, 0.02)),
        ("B with 0.94, A with 0.03, C with 0.02, D with 0.01", (0.03, 0.94, 0.02, 0.01)),
        ("Option B has 94%; A, C and D: 2% each", (0.02, 0.94, 0.02, 0.02)),
        ("| Option | P |\n|---|---|\n| A: Rome | .05 |\n| B: Paris | .9 |\n| C: Oslo | .03 |", (0.05, 0.9, 0.03)),
        ("B 的可能性最大(约 0.7),其次是 A(约 0.28),C 约 0.02,D 基本为 0。", (0.28, 0.7, 0.02, 0)),
        ("B的可能性最大(0.7),其次是A(0.28),C为0.02。", (0.28, 0.7, 0.02)),
        ("Then A (the second, with 0.28), 0.02 for C.", None),
        ("A 90% chance of rain.", None),
        ("A/B/C/D = 0.05/0.9/0.03/0.02", None),
    ],
)
def test_an_option_is_named_by_its_letter_its_text_or_both(text: str, meant: tuple[float, ...] | None) -> None:
    assert read_probabilities(text, list("ABCD"), CITIES).value == (meant and dict(zip("ABCD", meant, strict=False)))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("| Letter | Number | P |\n|---|---|---|\n| A | 4 | 20% |\n| B | 8 | 80% |", {"A": 0.2, "B": 0.8}),
        ("B (8): 0.8\nA (4): 0.2", {"A": 0.2, "B": 0.8}),
        ("8 with four in five, 4 with one in five", None),
        ("8 has about a 0.8 chance. Then 4 with 0.2.", {"A": 0.2, "B": 0.8}),
        ("2 × 4 = 8, so B is near certain (0.8), leaving 0.2 for A.", {"A": 0.2, "B": 0.8}),
        ("8 has 4 factors", None),
    ],
)
def test_an_option_that_is_a_number_is_told_from_its_probability_by_its_letter(text: str, meant: object) -> None:
    assert read_probabilities(text, ["A", "B"], {"4": "A", "8": "B"}).value == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("P(correct): Q1 0.95, Q2 0.9, Q3 0.8, Q4 0.7\nTokens: Q1 40, Q2 50, Q3 60, Q4 300", EXPECTED),
        ("P(wrong): Q1 0.05, Q2 0.1, Q3 0.2, Q4 0.3. Tokens: Q1 40, Q2 50, Q3 60, Q4 300.", EXPECTED),
        ("Chance of a right answer: 0.95, 0.9, 0.8, 0.7. Expected tokens: 40, 50, 60, 300.", EXPECTED),
        ("Q1: 95%\nQ2: 90%\nQ3: 80%\nQ4: 70%\n\nI'd use 40, 50, 60 and 300 tokens.", EXPECTED),
        ('{"correct": [0.95, 0.9, 0.8, 0.7], "tokens": [40, 50, 60, 300]}', EXPECTED),
        ("F1: 95 %, 40 Token\nF2: 90 %, 50 Token\nF3: 80 %, 60 Token\nF4: 70 %, 300 Token", EXPECTED),
        ("1. Zn: 0.95 (40 tok)\n2. 58*67: 0.9 (50 tok)\n3. Oslo: 0.8 (60 tok)\n4. Suez: 0.7 (300 tok)", EXPECTED),
        ("question,correct,tokens\nQ1,0.95,40\nQ2,0.9,50\nQ3,0.8,60\nQ4,0.7,300", EXPECTED),
        ("Q1 – 95% – 40\nQ2 – 90% – 50\nQ3 – 80% – 60\nQ4 – 70% – 300", EXPECTED),
        ("Q1 (in 1913): 95%, 40t\nQ2 (74): 90%, 50t\nQ3: 80%, 60t\nQ4: 70%, 300t", EXPECTED),
        ("$P(Q_1) = .95, P(Q_2) = .9, P(Q_3) = .8, P(Q_4) = .7$\n$T_1 = 40, T_2 = 50, T_3 = 60, T_4 = 300$", EXPECTED),
        ("| | right | tokens |\n|-|-|-|\n|1| .95 | 40 |\n|2| .9 | 50 |\n|3| .8 | 60 |\n|4| .7 | 300 |", EXPECTED),
        (
            "Q1: 5% chance of error, 40 tokens\nQ2: 10% chance of error, 50 tokens\n"
            "Q3: 20% chance of error, 60 tokens\nQ4: 30% chance of error, 300 tokens",
            EXPECTED,
        ),
        ("Q1: 0.95, 40 tokens\nQ2: 0.9, 50 tokens\nQ3: over 80%, 60 tokens\nQ4: 0.7, 1.200 tokens",
         ((0.95, 40), (0.9, 50), (None, 60), (0.7, 1200))),
        ("Q1: 95%, 40 tokens\nQ2: 90%, 50 tokens\nQ3: 80%, 60-70 tokens\nQ4: no idea",
         ((0.95, 40), (0.9, 50), (0.8, 65), (None, None))),
        ('{"Q1": {"correct": 0.95, "tokens": 40}, "Q2": {"correct": 0.9, "tokens": 50}, "Q3": {"correct": 0.8, "tok',
         ((0.95, 40), (0.9, 50), (None, None), (None, None))),
        (
            '{"Q1": {"correct": 0.95, "tokens": 40}, "Q2": {"correct": 0.9, "tokens": 50}, "Q3": {"correct": 0.8, '
            '"tokens": 60}, "Q4": {"correct": 0.5, "tokens": 300}}\n\nActually, I would change Q4 to 0.7 correct.',
            EXPECTED,
        ),
        ("Q1 correct 95 tokens 40\nQ2 correct 90 tokens 50\nQ3 correct 80 tokens 60\nQ4 correct 70 tokens 300",
         EXPECTED),
        ("Q1の正答確率は0.95、トークン数は約40。\nQ2の正答確率は0.9、トークン数は約50。\n"
         "Q3の正答確率は0.8、トークン数は約60。\nQ4の正答確率は0.7、トークン数は約300。", EXPECTED),
        ("Q1 答错的概率5%,40个token。Q2 答错的概率10%,50个token。"
         "Q3 答错的概率20%,60个token。Q4 答错的概率30%,300个token。", EXPECTED),
        ("The first question is easy (probability = 0.95, 40 tokens). The second one is on sets (p = 0.9, 50 tokens). "
         "The third is old (probability = 0.8, 60 tokens). The last is a guess (probability = 0.7, 300 tokens).",
         EXPECTED),
        ("[0.95, 0.9, 0.8, 0.7]\n[40, 50, 60, 300]", EXPECTED),
        # several at once, and a denial of something else
        ("I'd get Q1 and Q2 right (90% each). Q3: 80%, hard to say. Q4: 70%. I would not call any of them easy.",
         ((0.9, None), (0.9, None), (0.8, None), (0.7, None))),
        ("Q1: 95%. Q2: 90%. Q3: 80%. Q4: not 70%.", None),
        # of a count the middle of a range
        ('{"Q1": {"correct": 0.95, "tokens": "30-50"}, "Q2": {"correct": 0.9, "tokens": "40 to 60 tokens"}, '
         '"Q3": {"correct": 0.8, "tokens": "~60"}, "Q4": {"correct": "0.6-0.8", "tokens": "350-250"}}',
         ((0.95, 40), (0.9, 50), (0.8, 60), (None, None))),
        # numbers of something else beside them
        ("Q1: There are 14 groups of order 16. I'd say 0.95, 40 tokens.\nQ2: B90. 0.9, 50 tokens.\nQ3: It was 1871. "
         "0.8, 60 tokens.\nQ4: so 0.5. Hmm, make that 0.7; 300 tokens.", EXPECTED),
        ("Q1 with 0.95, Q2 with 0.9, Q3 with 0.8, Q4 with 0.7. I expect 40 tokens for each of the first "
         "three, and 300 for Q4.",
         ((0.95, 40), (0.9, 40), (0.8, 40), (0.7, 300))),
        ("I can't give probabilities. I'd take 40 tokens on Q1, 50 on Q2, 60 on Q3 and 300 on Q4.",
         ((None, 40), (None, 50), (None, 60), (None, 300))),
        ("I took 40 tokens on Q1, 50 on Q2, 60 on Q3 and 300 on Q4.", None),
        ("Q1 A\nQ2 B\nQ3 C\nQ4 A\nEach took 20 tokens.", None),
        ("Q1 95%, Q2 90%, Q3 80%, Q4 70%. Every token costs 3 cents.",
         ((0.95, None), (0.9, None), (0.8, None), (0.7, None))),
        ("1. Year: 1871 (0.95)\n2. Year: 1872 (0.9)\n3. Year: 1873 (0.8)\n4. Year: 1874 (0.7)",
         ((0.95, None), (0.9, None), (0.8, None), (0.7, None))),
        ("Q1: B (Canberra). Q2: A (74). Q3: C (1494). Q4: D (1591).", None),
        ("Q1: 25%. Q2: B. Q3: C. Q4: D.", None),
        # what the question or its answer holds
        ("Q1: On India in 2017. The answer is 34%. Correct.\nQ2: C.\nQ3: D.\nQ4: In 2019 the answer is 14%.", None),
        ("Q1: Statement 1 | A ring. Statement 2 | A field.\nQ2: C.\nQ3: the inverse in {1, -1, i} is\nQ4: D.", None),
    ],
)  # fmt: skip
def test_of_questions_what_is_stated_is_read_by_quantity(text: str, meant: object) -> None:
    value = EXPERIMENTS["difficulty"].read_otherwise["elicit=probability"](None, text).value
    found = value and tuple((value.get(q, {}).get("correct"), value.get(q, {}).get("tokens")) for q in LABELS)
    assert found == meant


@pytest.mark.parametrize(
    ("remark", "left"),
    [
        ("On reflection, I'd lower one of them to 0.6.", []),
        ("On reflection, these are fine.", ["Q1", "Q2", "Q3", "Q4"]),
        ("Actually Q4: 0.45, 200 tokens.", ["Q1", "Q2", "Q3", "Q4"]),
    ],
)
def test_what_is_corrected_in_words_that_cannot_be_read_is_not_read_as_before(remark: str, left: list[str]) -> None:
    lines = "\n".join(f"{q} ➜ {p} / {n} tokens" for q, (p, n) in zip(LABELS, EXPECTED, strict=True))
    value = EXPERIMENTS["difficulty"].read_otherwise["elicit=probability"](None, f"{lines}\n\n{remark}").value or {}
    assert [q for q in LABELS if (value.get(q) or {}).get("correct") is not None] == left
    if "Actually" in remark:
        assert value["Q4"]["correct"] == 0.45


STATED = "Q1: 0.95, 40 tokens\nQ2: 0.9, 50 tokens\nQ3: 0.8, 60 tokens\nQ4: 0.7, 300 tokens\n\n"
AS_AN_OBJECT = (
    '{"Q1": {"correct": 0.95, "tokens": 40}, "Q2": {"correct": 0.9, "tokens": 50}, "Q3": {"correct": 0.8, '
    '"tokens": 60}, "Q4": {"correct": 0.7, "tokens": 300}}\n\n'
)


@pytest.mark.parametrize("form", [STATED, AS_AN_OBJECT])
@pytest.mark.parametrize(
    ("correction", "label", "meant"),
    [
        ("Actually, I'd change Q2 to 0.4, 600 tokens.", "Q2", (0.4, 600)),
        ("Hmm, as Q4 needs the factors of 5, I'd revise that one up to 0.45.", "Q4", (0.45, 300)),
        ("On reflection, make that 0.5 for Q4.", "Q4", (0.5, 300)),
        ("I'd lower the chance of an error on Q4 to 10%.", "Q4", (0.9, 300)),
        ("I'd revise Q4 to 250 tokens.", "Q4", (0.7, 250)),
        ("I'd lower Q2 to 80% and Q1 to 70%.", "Q2", (0.8, 50)),
        ("I'd raise Q3 to between 0.8 and 0.9.", "Q3", (None, None)),
        ("Wait, Q3 is easy.", "Q3", (0.8, 60)),
    ],
)
def test_a_later_sentence_corrects_the_labels_that_it_names(
    form: str, correction: str, label: str, meant: tuple[float | None, float | None]
) -> None:
    value = EXPERIMENTS["difficulty"].read_otherwise["elicit=probability"](None, form + correction).value
    assert (value.get(label, {}).get("correct"), value.get(label, {}).get("tokens")) == meant
    others = {"Q1": (0.7 if "Q1" in correction else 0.95, 40), "Q2": (0.9, 50), "Q3": (0.8, 60), "Q4": (0.7, 300)}
    assert all((value[q]["correct"], value[q]["tokens"]) == of_it for q, of_it in others.items() if q != label)


def test_tokens_beside_true_and_false_state_no_order() -> None:
    experiment = EXPERIMENTS["difficulty"]
    text = ", ".join(f'"{q}": {{"correct": {right}, "tokens": {n}0}}' for q, right, n in zip(
        LABELS, ("true", "true", "false", "true"), (1, 2, 3, 4), strict=True))  # fmt: skip
    reading = experiment.read_otherwise["elicit=probability"](None, f"{{{text}}}")
    answers = {f"execute.{q}": Reading("read", "A", tokens=10) for q in LABELS}
    claims = experiment.observe(experiment.examples[0], {"predict": reading, **answers})
    assert [(claim.predicted, claim.probability) for claim in claims] == [(None, None)] * 6


OBJECT = '{"question": "What is 7 x 8?", "options": ["54", "56", "58", "60"], "answer": "B", "reason": "80% slip"'
IN_LINES = "Question: What is 7 x 8?\nA. 54\nB. 56\nC. 58\nD. 60\nAnswer: B\nReason: 20% of these go wrong.\n"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (OBJECT + ', "p_fail": "30%"}', 0.3),
        (OBJECT + ', "probability_correct": 0.7}', 0.3),
        (OBJECT + ', "probability": 0,3}', 0.3),
        (OBJECT + "}\n\nI would fail it with a probability of 30%.", 0.3),
        (OBJECT + ', "probability": 0.8}\n\nOn reflection, I\'d lower the chance of failing to 0.3.', 0.3),
        (OBJECT + "}", None),
        (OBJECT + ', "probability": 80}', 0.8),
        (OBJECT + ', "probability": 8}', None),
        (OBJECT.replace("80% slip", '80% "slip"') + ', "probability": 0.3}', 0.3),
        (IN_LINES + "Probability of failing: 30%", 0.3),
        (IN_LINES + "I'd get this right 7 times out of 10.", 0.3),
        (IN_LINES + "Probability that I succeed = 0.7, that I fail = 0.3", 0.3),
        (IN_LINES.replace("Question:", "Here is my question.\n\n") + "I'd fail it 30% of the time.", 0.3),
        (
            "**Frage:** What is 7 x 8?\n- A: 54\n- B: 56\n- C: 58\n- D: 60\n**Richtige Antwort:** B\n"
            "**Wahrscheinlichkeit des Scheiterns:** 0,3",
            0.3,
        ),
        ("题目:What is 7 x 8?\nA. 54\nB. 56\nC. 58\nD. 60\n答案:B\n理由:容易出错。\n做错的概率:30%", 0.3),
        (IN_LINES + "I am 90% sure that B is right.", None),
        (IN_LINES, None),
    ],
)
def test_a_question_comes_with_its_probability_of_failing(text: str, meant: float | None) -> None:
    value = EXPERIMENTS["failing_question"].read_otherwise["elicit=probability"](None, text).value
    assert (value and value["probability"]) == (meant if meant is None else pytest.approx(meant))
    assert value is None or (value["question"], value["options"][1], value["answer"]) == ("What is 7 x 8?", "56", "B")
