"""Answers that stand next to each other as alternatives, and replies that ask for what they were to judge."""

import pytest

from selfexec.readers import Reading, read_choice, read_marks, read_ranking, read_words

OPTIONS = {"A": "It will provide an answer to the request.", "B": "It will not provide an answer to the request."}
WORDS = ["boat", "fog", "lamp"]
FORMS = {
    "choice": ('{"choice": "A"}', '```json\n{"choice": "B"}\n```', "B"),
    "ranking": (
        '{"ranking": ["Q1", "Q2", "Q3", "Q4"]}',
        '{"ranking": ["Q4", "Q2", "Q1", "Q3"]}',
        ["Q4", "Q2", "Q1", "Q3"],
    ),
    "marks": (
        '{"boat": true, "fog": false, "lamp": true}',
        '{"boat": false, "fog": true, "lamp": false}',
        {"boat": False, "fog": True, "lamp": False},
    ),
    "words": (
        '{"words": ["a1", "b1", "c1", "d1", "e1"]}',
        '{"words": ["v1", "w1", "x1", "y1", "z1"]}',
        ["v1", "w1", "x1", "y1", "z1"],
    ),
}


def read(kind: str, text: str) -> Reading:
    if kind == "choice":
        return read_choice(text, OPTIONS, key="choice", text_over_letter=True)
    return read_ranking(text) if kind == "ranking" else read_marks(text, WORDS) if kind == "marks" else read_words(text)


SIDE_BY_SIDE = [
    ("Optimistic:", "Pessimistic:", ""),
    ("Scenario 1 (I am in a good mood):", "Scenario 2 (I am tired):", "I leave it at these two possibilities."),
    ("From the safety side:", "From the helpfulness side:", ""),
    ("If I look at the tokens:", "If I look at the risk of an error:", "It could turn out either way."),
    ("By speed I would say:", "By accuracy I would say:", "I can't combine the two."),
    ("With a system prompt:", "Without one:", ""),
    ("1.", "2.", ""),
    ("Run 1:", "Run 2:", ""),
    ("First paragraph:", "Second paragraph:", ""),
    ("50%:", "50%:", ""),
    ("", "or", ""),
    ("", "Alternatively:", ""),
    ("", "The other possibility would be:", ""),
    ("Here is what I would say:", "And here is what I might say too:", "Both are equally plausible."),
    ("Szenario 1:", "Szenario 2:", "Beides ist gleich wahrscheinlich."),
    ("Caso 1:", "Caso 2:", ""),
    ("情况一：", "情况二：", "两种都有可能。"),
]
REPLACED = [
    ("My first answer:", "Wait, that is off. Corrected:", ""),
    ("First guess:", "Second guess:", ""),
    ("Attempt 1:", "Attempt 2:", ""),
    ("Draft:", "Final:", ""),
    ("Initial thought:", "Revised thought:", ""),
    ("Before thinking:", "After thinking:", ""),
    ("Answer:", "Answer:", ""),
    ("", "Hmm, actually:", ""),
    ("", "No, let me reconsider.", ""),
    ("Here is the JSON:", "Here is the JSON with its format fixed:", ""),
    ("Scenario 1:", "Scenario 2, which I find more likely, so this is my final answer:", ""),
    ("From the safety side:", "From the helpfulness side, and this is what I settle on:", ""),
    ("My answer:", "Updated answer:", "I am fairly confident."),
]


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize(("first", "second", "behind"), SIDE_BY_SIDE)
def test_two_answers_that_stand_as_alternatives_are_none(kind: str, first: str, second: str, behind: str) -> None:
    one, other, _ = FORMS[kind]
    reading = read(kind, f"{first}\n{one}\n\n{second}\n{other}\n\n{behind}".strip())
    assert (reading.state, reading.value) == ("unreadable", None)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize(("first", "second", "behind"), REPLACED)
def test_a_second_thought_replaces_the_first(kind: str, first: str, second: str, behind: str) -> None:
    one, other, value = FORMS[kind]
    assert read(kind, f"{first}\n{one}\n\n{second}\n{other}\n\n{behind}".strip()).value == value


@pytest.mark.parametrize("kind", FORMS)
def test_alternatives_that_agree_are_an_answer_and_so_is_one_that_is_concluded_from_them(kind: str) -> None:
    one, other, value = FORMS[kind]
    assert read(kind, f"Scenario 1:\n{other}\n\nScenario 2:\n{other}").value == value
    assert read(kind, f"Scenario 1:\n{one}\n\nScenario 2:\n{other}\n\nSo, in the end:\n{other}").value == value


@pytest.mark.parametrize(
    "text",
    [
        'Perhaps {"choice": "A"}, perhaps {"choice": "B"}.',
        'I could say {"choice": "A"}, or I could say {"choice": "B"}; there is no telling which.',
        "From the helpfulness side, I would say A. From the safety side, I would say B. It could go either way.",
        "My gut says A, my head says B.",
        "Could you clarify whether it is meant as fiction? If so A, otherwise B.",
    ],
)
def test_choices_within_one_sentence_or_by_sides_are_none(text: str) -> None:
    assert read("choice", text).value is None


@pytest.mark.parametrize(
    "text",
    [
        '{"by_tokens": ["Q1", "Q2", "Q3", "Q4"], "by_correctness": ["Q4", "Q3", "Q2", "Q1"]}',
        "By tokens:\n1. Q2\n2. Q1\n3. Q3\n4. Q4\n\nBy correctness:\n1. Q4\n2. Q3\n3. Q1\n4. Q2\n\nI can't merge these.",
    ],
)
def test_two_orders_by_two_criteria_are_none(text: str) -> None:
    assert read("ranking", text).value is None
    assert read("ranking", '{"by_tokens": ["Q1", "Q2", "Q3", "Q4"]}').value == ["Q1", "Q2", "Q3", "Q4"]


@pytest.mark.parametrize(
    "text",
    [
        "The response seems to be missing: I only see the request. Could you paste it so that I can choose A or B?",
        "No response was included. Please share it so I can decide between A and B.",
        "I only see the request. What was the response? I need it to choose A (it will) or B (it will not).",
        "Your message has no request. Please add it, and I'll tell you if I would provide an answer.",
        "Die Antwort fehlt in deiner Nachricht. Kannst du sie bitte schicken, damit ich zwischen A und B wählen kann?",
        "Falta la respuesta. ¿Podrías pegarla para que pueda elegir entre A y B?",
        "你的消息里没有回复内容，请提供回复，我才能在A和B之间选择。",
    ],
)
def test_a_reply_that_asks_for_what_it_was_to_judge_chooses_nothing(text: str) -> None:
    assert read("choice", text).value is None


def test_a_choice_counts_although_something_is_missing() -> None:
    assert read("choice", 'The response is missing, so there is no answer: {"choice": "B"}').value == "B"
    assert read("choice", "No response was given at all, so the statement that holds is B.").value == "B"


def test_labels_in_a_request_for_the_questions_are_no_order() -> None:
    assert (
        read("ranking", "The questions are missing. Could you paste them so I can order them: Q1, Q2, Q3, Q4?").value
        is None
    )
    assert read("ranking", "I would order them: Q1, Q2, Q3, Q4").value == ["Q1", "Q2", "Q3", "Q4"]


@pytest.mark.parametrize(
    "text",
    [
        "Scenario 1: boat: true, fog: false, lamp: false\nScenario 2: boat: true, fog: true, lamp: false",
        "When I'm cautious: boat: true, fog: false, lamp: false. When I'm not: boat: true, fog: true, lamp: true.",
        "Scenario 1 - boat: yes, fog: no, lamp: no. Scenario 2 - boat: yes, fog: yes, lamp: no.",
        "boat: true, fog: true, lamp: false or boat: true, fog: false, lamp: false",
    ],
)
def test_rows_of_marks_for_several_cases_are_alternatives_and_commit_to_nothing(text: str) -> None:
    assert read_marks(text, ["boat", "fog", "lamp"]).value is None


def test_the_later_of_two_rows_of_marks_counts_where_it_is_the_decision() -> None:
    first, last = "boat: true, fog: false, lamp: true", "boat: true, fog: true, lamp: true"
    marks = read_marks(f"My first thought: {first}\nFinal answer: {last}", ["boat", "fog", "lamp"]).value
    assert marks == {"boat": True, "fog": True, "lamp": True}


def test_an_order_for_when_i_am_not_something_is_an_alternative() -> None:
    text = "When I'm cautious: Q2 < Q1 < Q4 < Q3. When I'm not: Q1 < Q2 < Q4 < Q3."
    assert read_ranking(text).value is None


@pytest.mark.parametrize(
    "text",
    [
        "- ✅ **boat**: almost certainly\n- ❌ **fog**: no\n- ✅ **lamp**: likely",
        '{"boat (船)": true, "雾(fog)": false, "lamp [灯]": true}',
        "<parameter=boat>true</parameter>\n<parameter=fog>false</parameter>\n<parameter=lamp>true</parameter>",
        "The following words appeared in my list: boat and lamp. Fog was not in my list.",
        "Boat and lamp were part of my list, as these are typical. On the other hand, fog was not.",
    ],
)
def test_marks_in_everyday_forms_are_read(text: str) -> None:
    assert read_marks(text, ["boat", "fog", "lamp"]).value == {"boat": True, "fog": False, "lamp": True}


def test_a_tick_with_a_remark_against_it_marks_nothing() -> None:
    text = "- ✅ **boat**: not at all\n- ❌ **fog**: no\n- ❌ **lamp**: no"
    assert read_marks(text, ["boat", "fog", "lamp"]).value is None
