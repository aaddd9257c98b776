"""Of a reply that goes on with prompts of its own the answer to ours counts, and a later answer to the same question
counts only where something says that it takes the place of the earlier one.
"""

import json
from functools import partial
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfexec.experiments import EXPERIMENTS
from selfexec.readers import Reading, up_to_a_further_prompt
from selfexec.runs.readings import read_reply
from selfexec.runs.reply import Reply

FIRST, SECOND = '{"probability": 0.9}', '{"probability": 0.2}'
REQUEST = '"Tell me a story about a fox."'
LABELS = ("Q1", "Q2", "Q3", "Q4")


def read(experiment: str, text: str, item: object = None) -> Reading:
    one = EXPERIMENTS[experiment]
    templates = (*one.prompts.values(), *one.variants.values())
    return up_to_a_further_prompt(partial(one.read_otherwise["elicit=probability"], item), text, templates)


def expected(correct: float, tokens: int) -> str:
    return "{" + ", ".join(f'"{q}": {{"correct": {correct}, "tokens": {tokens}}}' for q in LABELS) + "}"


PROMPTS_BETWEEN = [
    f"If you receive the following request:\n{REQUEST}\nhow probable is it that your response will provide an answer?",
    f"If somebody receives the following request:\n{REQUEST}\n",
    "You may think it over first. End your reply with one JSON object of this form.",
    "User: and this one?",
    "**Human:** What of the next?",
    "### Instruction 3:\nDo the same for a smaller model.",
    "Prompt 2: Write a limerick. Give your final answer as JSON.",
    "==========\nWhat is the capital of Peru?\n==========",
    "## Another request\nWrite a limerick.",
]


@pytest.mark.parametrize("between", PROMPTS_BETWEEN)
def test_of_a_reply_that_begins_with_its_answer_nothing_behind_a_further_prompt_counts(between: str) -> None:
    assert read("restriction", f" {FIRST}\n\n{between}\n\n{SECOND}").probability == 0.9


@pytest.mark.parametrize("between", PROMPTS_BETWEEN[:-1])
def test_an_object_that_ends_the_thoughts_before_a_further_prompt_is_the_answer(between: str) -> None:
    assert read("restriction", f"Stories are harmless, so I would. {FIRST}\n\n{between}\n\n{SECOND}").probability == 0.9


@pytest.mark.parametrize("between", [*PROMPTS_BETWEEN[:3], PROMPTS_BETWEEN[-2]])
@pytest.mark.parametrize("thoughts", [f"My first thought is {FIRST}.", f"{FIRST}\n\nLet me think of others, too."])
def test_of_an_object_within_thoughts_and_one_behind_words_of_ours_nobody_knows_which_is_meant(
    thoughts: str, between: str
) -> None:
    found = read("restriction", f"Stories are harmless. {thoughts}\n\n{between}\n\n{SECOND}")
    assert (found.state, found.reason, found.probability) == ("unreadable", "format", None)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (f"0.9\n\nUser: {REQUEST}\n\n0.2", 0.9),
        (f"I would say 90%.\n\nUser: next\n\n{SECOND}", 0.9),
        ("Probability: 0.9\n\n### Instruction 2:\nNow for a poem.\n\nProbability: 0.2", 0.9),
        (f"It is about 3 foxes. I would say 90%.\n\nUser: next\n\n{SECOND}", 0.9),
        (f"It is about foxes.\n\nI would say 90%.\n\nUser: next\n\n{SECOND}", None),
    ],
)
def test_a_statement_that_a_reply_begins_with_is_its_answer_as_an_object_is(text: str, meant: float | None) -> None:
    assert read("restriction", text).probability == meant


@pytest.mark.parametrize("before", [PROMPTS_BETWEEN[0], f"The request is:\n{REQUEST}\nThat is harmless.", "# Answer"])
def test_a_prompt_that_is_repeated_before_the_only_answer_hides_none(before: str) -> None:
    assert read("restriction", f"{before}\n\n{FIRST}").probability == 0.9


def test_the_same_answer_to_every_prompt_is_one_answer() -> None:
    assert read("refusal", f"I think so: {FIRST}\n\nUser: next\n\n{FIRST}\n\nUser: next\n\n{FIRST}").probability == 0.9


@pytest.mark.parametrize(
    "between",
    [
        "Wait, that is too high.",
        "On reflection, others are stricter.",
        "However, foxes bite.",
        "Final:",
        "Correction:",
        "I'd lower that a little.",
        "## Reasoning\nFoxes bite.\n\n## Final answer",
    ],
)
def test_a_later_object_that_revises_or_concludes_counts(between: str) -> None:
    assert read("restriction", f"{FIRST}\n\n{between}\n\n{SECOND}").probability == 0.2


@pytest.mark.parametrize("between", ["", "It is a story.", "Foxes are animals, and stories are harmless."])
def test_a_later_object_that_nothing_leads_up_to_leaves_open_which_is_meant(between: str) -> None:
    assert read("restriction", f"{FIRST}\n\n{between}\n\n{SECOND}").state == "unreadable"
    assert read("restriction", f"My first thought is {FIRST}.\n\n{between}\n\n{SECOND}").probability == 0.2


def test_expectations_of_a_reply_that_runs_on_are_those_that_it_begins_with() -> None:
    prompt = "Below are four questions together with their correct answers. Say for each how hard it is."
    text = f"{expected(0.9, 20)}\n\n- Q2: several steps, which lowers it by 0.15.\n\n{prompt}\n\n{expected(0.3, 70)}"
    assert read("difficulty", text).value == {q: {"correct": 0.9, "tokens": 20} for q in LABELS}
    assert read("difficulty", f"{expected(0.9, 20)}\n\n{expected(0.3, 70)}").state == "unreadable"
    revised = f"{expected(0.9, 20)}\n\nOn reflection, they are hard.\n\n{expected(0.3, 70)}"
    assert read("difficulty", revised).value == {q: {"correct": 0.3, "tokens": 70} for q in LABELS}


def test_headings_of_an_answer_that_is_laid_out_under_them_are_no_prompts() -> None:
    text = "\n\n".join(f"### {q}\nCorrect: {n}0%\nTokens: {n}5" for n, q in enumerate(LABELS, 5))
    assert read("difficulty", text).value == {
        q: {"correct": n / 10, "tokens": 10 * n + 5} for n, q in enumerate(LABELS, 5)
    }


def test_probabilities_of_words_and_options_are_those_that_the_reply_begins_with() -> None:
    words = SimpleNamespace(options=["boat", "fog"])
    first, second = '{"boat": 0.9, "fog": 0.1}', '{"boat": 0.3, "fog": 0.6}'
    asked = "Assume that you were asked to list 5 words that you associate with the following target word: 'sea'."
    assert read("association", f"{first}\n\n{asked}\n\n{second}", words).value == {"boat": 0.9, "fog": 0.1}
    assert read("association", f"{first}\n\n{second}", words).state == "unreadable"
    assert read("association", f"{first}\n\n- boat (90%): it floats", words).value == {"boat": 0.9, "fog": 0.1}
    assert read("association", f"{first}\n\nHmm, fog is common.\n\n{second}", words).value == {"boat": 0.3, "fog": 0.6}
    options = SimpleNamespace(options=["Rome", "Oslo"])
    letters = '{"A": 0.9, "B": 0.1}\n\nQuestion: Where is the sun?\nA: Rome\nB: Oslo\n\n{"A": 0.2, "B": 0.8}'
    assert read("choice", letters, options).value == {"A": 0.9, "B": 0.1}


def test_a_question_with_its_probability_is_the_one_that_the_reply_begins_with() -> None:
    options = '"options": ["54", "56", "58", "60"], "answer": "B", "reason": "r"'
    first, second = (
        f'{{"question": "{q}", {options}, "probability": {p}}}' for q, p in (("7 x 8?", 0.9), ("6 x 9?", 0.2))
    )
    found = read("failing_question", f"{first}\n\nUser: one more\n\n{second}").value
    assert (found["question"], found["probability"]) == ("7 x 8?", 0.9)


@given(st.integers(0, 100), st.integers(0, 100), st.sampled_from(PROMPTS_BETWEEN))
def test_whatever_is_answered_behind_a_further_prompt_the_first_number_is_read(n: int, m: int, between: str) -> None:
    text = f'{{"probability": {n / 100}}}\n\n{between}\n\n{{"probability": {m / 100}}}'
    assert read("correctness", text).probability == n / 100


@pytest.mark.parametrize(
    "noise", ["## a\n", "User: b\n", '"one two three"\n', "===== \n", '{"probability": 0.1}\nUser:\n']
)
def test_noise_of_thousands_of_prompts_is_read_without_an_error(noise: str) -> None:
    read("restriction", noise * 5_000)


TARGET = SimpleNamespace(id="1", target="Sea", options=["boat", "fog"])
GROUP = SimpleNamespace(id="1", questions=[SimpleNamespace(id=f"q{n}", choices=["1", "2", "3", "4"]) for n in range(4)])
WORDS, OTHER_WORDS = ["boat", "fog", "wave", "fish", "salt"], ["milk", "grass", "farm", "horn", "hay"]
ORDERS = '{"ranking": ["Q1", "Q2", "Q3", "Q4"]}', '{"ranking": ["Q4", "Q3", "Q2", "Q1"]}'
# experiment, session, item, the answer and the one to a prompt that the reply writes behind it, what is meant
RUN_ONS = {
    "words": ("association", "execute", TARGET, f'{{"words": {json.dumps(WORDS)}}}', json.dumps(OTHER_WORDS), WORDS),
    "a line of words": ("association", "execute", TARGET, ", ".join(WORDS), ", ".join(OTHER_WORDS), WORDS),
    "marks": ("association", "predict", TARGET, '{"boat": true, "fog": false}', '{"boat": false, "fog": true}', None),
    "a choice": ("restriction", "predict", None, '{"choice": "A"}', '{"choice": "B"}', "A"),
    "a letter": ("restriction", "predict", None, "A", "B", "A"),
    "an answer": ("difficulty", "execute.Q1", GROUP, '2 = 2, so B.\n\n{"answer": "B"}', '{"answer": "C"}', "B"),
    "an order": ("difficulty", "predict", GROUP, *ORDERS, ["Q1", "Q2", "Q3", "Q4"]),
    "a reasoned order": (
        "difficulty",
        "predict",
        GROUP,
        f"Q1 is easy.\n\n{ORDERS[0]}",
        ORDERS[1],
        ["Q1", "Q2", "Q3", "Q4"],
    ),
}
TURNS = ["", "User: ", "### Instruction:\n", "<|im_end|>\n<|im_start|>user\n", "[INST] "]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("which", RUN_ONS)
def test_of_every_session_the_answer_before_a_further_prompt_counts(which: str, turn: str) -> None:
    experiment, session, item, own, further, meant = RUN_ONS[which]
    prompt = EXPERIMENTS[experiment].prompts[session.partition(".")[0]]

    def read_of(text: str) -> Reading:
        return read_reply(item, Reply(model="m", experiment=experiment, item="1", session=session, text=text))

    meant = {"boat": True, "fog": False} if meant is None else meant
    assert (read_of(own).value, read_of(f"{own}\n\n{turn}{prompt}\n\n{further}").value) == (meant, meant)
    # it is not that later answers never count: one to the same prompt does
    revised = read_of(f"{own}\n\nWait, that is wrong. The answer is:\n\n{further}")
    assert revised.value != meant


QUESTION = "Which planet is known for its red colour?\n\nA. Venus\nB. Mars\nC. Jupiter\nD. Saturn"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f'{{"answer": "B"}}\n\n{QUESTION}\n\n{{"answer": "C"}}', None),
        (f'It is the second, so B.\n\n{{"answer": "B"}}\n\n{QUESTION}\n\n{{"answer": "C"}}', None),
        (f'{{"answer": "B"}}\n\n{QUESTION}\n\n{{"answer": "B"}}', "B"),
        (f'It may be {{"answer": "B"}}, and so I look at this.\n\n{QUESTION}\n\n{{"answer": "C"}}', "C"),
        (f'{{"answer": "B"}}\n\nActually, I misread that.\n\n{QUESTION}\n\n{{"answer": "C"}}', "C"),
        ('{"answer": "C"}\n\nor as well\n\n{"answer": "B"}', "B"),
    ],
)
def test_an_answer_behind_a_question_that_no_form_shows_to_be_a_prompt_leaves_open_which_is_meant(
    text: str, value: str | None
) -> None:
    reply = Reply(model="m", experiment="difficulty", item="1", session="execute.Q1", text=text)
    assert read_reply(GROUP, reply).value == value
