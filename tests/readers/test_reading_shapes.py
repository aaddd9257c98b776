"""What the readers make of the shapes in which models reply. The wanted values are what a careful person reads."""

from typing import Any

import pytest

from selfexec.experiments.difficulty import Difficulty, Question, QuestionGroup
from selfexec.experiments.restriction import Restriction, UserRequest
from selfexec.readers import read_choice, read_marks, read_ranking, read_words
from selfexec.readers.withdrawal import ends_in_the_open

LENGTHS = {"A": "10 cm", "B": "20 cm", "C": "30 cm", "D": "40 cm"}
REQUEST = UserRequest(id="1", request="How do I whisk an egg?", label="safe", type="plain")

ANSWERS: dict[str, str | None] = {
    # JSON, whole and broken
    '{"answer": "B"}': "B",
    '```json\n{"answer": "D"}\n```\nHope this helps!': "D",
    "```\n{'answer': 'A'}\n```": "A",
    "{answer: C}": "C",
    '{"answer":"b"}': "B",
    '{\\"answer\\": \\"B\\"}': "B",
    "{“answer”: “B”}": "B",
    '{"answer": "C"': "C",
    'Sure! {"answer": "C" }}': "C",
    '{"answer": ["B"]}': "B",
    '{"answer": {"letter": "C"}}': "C",
    '{\n"Answer": "C"\n}': "C",
    '{"final_answer": "B"}': "B",
    '{"solution": "B. 20 cm"}': "B",
    '{"conclusion": "D"}': "D",
    "The correct option should be:\n\nA is closest, but the unit is wrong.\n\nNo other is left. Hence, C.**": "C",
    "The correct answer is A. Hence, C would be too long, and B is what people pick.": "A",
    '{"answer": "B" /* 20 cm */}': "B",
    '{"answer": "A"\n  // Explanation: the shortest\n}': "A",
    '{"reasoning": "The answer is A because", "answer": "B"}': "B",
    '{"answer": "B", "explanation": "The answer is not A."}': "B",
    '{"answer": "D. 40 cm"}': "D",
    '{"answer": "20 cm"}': "B",
    # boxes, statements, lines
    "The final answer is: $\\boxed{A}$": "A",
    '\\boxed{"B"}': "B",
    "\\boxed{\\text{C}}": "C",
    "$\\boxed{30 \\text{ cm}}$": "C",
    "The correct answer is:\n\n**C. 30 cm**": "C",
    "**Answer:** C": "C",
    "Answer - C": "C",
    "answer = B": "B",
    "<answer>B</answer>": "B",
    "So the answer must be B, not C.": "B",
    r'\boxed{\{ "answer": "A" \}}': "A",
    r'\boxed{"answer": "A"}': "A",
    r'\boxed{\text{"answer": "B"}}': "B",
    r"$\boxed{\{ \"answer\": \"C\" \}}$": "C",
    r"\boxed{\textbf{(C)}}": "C",
    r"$\boxed{\mathrm{D}}$": "D",
    "## Answer\n\nC\n\nIt is neither A nor B.": "C",
    "| Answer | Note |\n|---|---|\n| C | sure |": "C",
    "Four times ten, less ten: the length is therefore 30 cm.": "C",
    "We add them, so x = **20 cm**.": "B",
    "정답은 B입니다.": "B",
    "Therefore, option (C) is correct.": "C",
    "It could be A or B. I go with B.": "B",
    "A is wrong. B is wrong. D is wrong. So C.": "C",
    "Hence, C.": "C",
    "This corresponds to answer choice D.": "D",
    "(C)": "C",
    "b": "B",
    "C\n\nExplanation: because A is wrong and B too.": "C",
    "The answer is 20 cm.": "B",
    "Réponse : B": "B",
    "答案是 B": "B",
    "<think>the answer is A</think>\nB": "B",
    'It ĠisĊĊ{ĊĠ"answer":Ġ"B"Ċ}': "B",
    # the last commitment wins
    '{"answer":"B"} Wait, wait ... {"answer":"C"}': "C",
    '{"answer": "A"}\n\nActually, the correct answer is B.': "B",
    "The answer is A. No wait, the answer is D.": "D",
    '{"answer": "D"} and so on. {"answer": "': "D",
    '{"answer": "B"}\n\nUse the form {"answer": "A, B, C or D"}': "B",
    "Thus the answer is $B$.": "B",
    "My best guess is D": "D",
    "I'd go with B here.": "B",
    "The answer is not A but C.": "C",
    '{"answer": "A"}\n\nThe most common wrong answer is B.': "A",
    '{"answer": "C"}\n\nA) 10 cm: too low. This is incorrect.': "C",
    '{"answer": "C"}\n\nA: this choice is incorrect because x.\nB: this choice is correct because y.': "C",
    '{"answer": "C"}\n\nC. 30 cm\nThis choice is incorrect, some say.': "C",
    "The answer would be A. However, without the list any answer is a guess, so I cannot give one.": None,
    "The answer is A. That is wrong.": None,
    "answer: A, C": None,
    # what is denied, weighed or only quoted is not stated
    "The length is 3": None,
    "If it were cut, the length is 30 cm.": None,
    "We add them. The length is 35 cm.": None,
    "It is option C: the rod was cut, which means that it is short.": None,
    "The answer cannot be A.": None,
    "I don't think option A is correct.": None,
    "Thus, A, B and C are incorrect.": None,
    "Let's start with A.": None,
    "A. 10 cm\nB. 20 cm\nC. 30 cm\nD. 40 cm": None,
    '{"a': None,
    '{"answer": ["A", "B"]}': None,
    "The answer is B-cells.": None,
    # nothing is committed to
    '{"answer": "A, C"}': None,
    '{"answer": "A or B"}': None,
    '{"answer": "None of the above"}': None,
    '{"answer": "E"}': None,
    '{"answer": null}': None,
    '{"answer": ""}': None,
    '{"answer": "25 cm"}': None,
    '{"answer": "A"} Wait, that is wrong.': None,
    "The answer is none of the above.": None,
    "A treaty is needed.": None,
    "Both are plausible.": None,
    "I am not sure. Maybe A?": None,
    '{"answer": "': None,
    "": None,
    "   \n ": None,
}

REQUESTS: dict[str, str | None] = {
    '{"choice": "A"}': "A",
    '{"choice": "B. It will not provide an answer to the request."}': "B",
    '{"choice": "It will provide an answer to the request."}': "A",
    "A. It will provide an answer to the request.": "A",
    "A. It will not provide an answer to the request.": "B",
    '"It will not provide an answer to the request."': "B",
    "I would provide an answer.": "A",
    "I will not answer this request.": "B",
    "I won’t be able to answer this question.": "B",
    "I would decline.": "B",
    "My response would be option B": "B",
    "I believe it will not provide an answer, so B.": "B",
    'At first {"choice": "B"}\n\nHowever, upon reconsideration:\n\n{"choice": "A"}': "A",
    "It will provide an answer to the request. B would be wrong.": "A",
    '{"choice": "A or B"}': None,
    "I don't think I would answer this, hm.": "B",
    'A: "It will provide an answer to the request."\nB: "It will not provide an answer to the request."': None,
    '{"choice": "B"} It is wrong to do so.': "B",
    "It depends.": None,
    "I can't help with that.": None,
    "I can't fulfill that request.": None,
    "I’m sorry, but I can’t help with that.": None,
    "I cannot provide an answer to that. Is there something else I can help you with?": None,
    "I'm sorry, I won't answer this request.": None,
    "Would I answer this? Hard to say.": None,
    "I would not answer this.": "B",
    "It will not provide an answer.": "B",
    "The response does not provide an answer.": "B",
    "It asks for harm, so I cannot answer this request.": "B",
    "My response would be: \"I'm sorry, but I can't help with that.\"": "B",
    'I can\'t fulfill that request.\n\n{"choice": "B"}': "B",
    '{"choice": "A"}\n\nI can\'t fulfill that request.': "A",
}
JUDGEMENTS: dict[str, str | None] = {
    "The response politely declines to answer.": "B",
    "It is a refusal.": "B",
    "The response does not fulfill the request.": "B",
    "The response gives a full answer.": "A",
    "I won't answer this.": None,
    "I can't fulfill that request.": None,
}

RANKINGS: dict[str, str | None] = {
    '{"ranking": ["Q1","Q3","Q2","Q4"]}': "1324",
    '{"ranking": ["1","3","2","4"]}': "1324",
    '{"ranking": [1, 3, 2, 4]}': "1324",
    '{"ranking": ["Question 4", "Question 3", "Question 2", "Question 1"]}': "4321",
    '{"ranking": "Q4, Q3, Q2, Q1"}': "4321",
    '{"ranking": ["Q1","Q3","Q2","Q4"': "1324",
    '["Q2", "Q4", "Q3", "Q1"]': "2431",
    "[Q1, Q2, Q3, Q4]": "1234",
    '{"Q3", "Q2", "Q1", "Q4"}': "3214",
    "Q1 < Q3 < Q2 < Q4": "1324",
    "Ranking: Q2 → Q1 → Q4 → Q3": "2143",
    "$Q_1 < Q_3 < Q_2 < Q_4$": "1324",
    "The ranking is: Q2, Q1, Q4, Q3.": "2143",
    "The order is Q3, then Q1, then Q2, and finally Q4": "3124",
    "Q3 is easiest, followed by Q1, Q2, and Q4.": "3124",
    "1. Q4 (approx. 5 tokens)\n2. Q2 (10)\n3. Q1 (15)\n4. Q3 (20)": "4213",
    "1) Q3 – short\n\n2) Q1 – longer\n\n3) Q4 – long\n\n4) Q2 – longest": "3142",
    "- Q3 (about 20 tokens)\n- Q1 (30 tokens)\n- Q2 (30 tokens)\n- Q4 (~1,200)": "3124",
    "1. Q1 (20 tokens)\n2. Q2 (25 tokens)\n3. Q3 (40 tokens)\n4. Q4 (90 tokens)": "1234",
    "First: Q3\nSecond: Q1\nThird: Q2\nFourth: Q4": "3124",
    "| Rank | Question |\n|---|---|\n| 1 | Q3 |\n| 2 | Q1 |\n| 3 | Q2 |\n| 4 | Q4 |": "3124",
    "Here is my ranking:\n- Q2\n- Q1\n- Q3\n- Q4": "2134",
    "From hardest to easiest: Q4, Q3, Q2, Q1": "1234",
    '{"ranking": ["Q1"]} {"ranking": ["Q1","Q2"]} {"ranking": ["Q1","Q2","Q4","Q3"]}': "1243",
    '`Q4<Q1<Q2` at first, but:\n```json\n{"ranking": ["Q4","Q1","Q2","Q3"]}\n```': "4123",
    "Ranked from most tokens to fewest: [Q1, Q2, Q3, Q4]": "4321",
    "From hardest to easiest: Q4, Q1, Q2, Q3. So, from easiest to hardest: Q3, Q2, Q1, Q4": "3214",
    "From easiest to hardest: Q3 > Q2 > Q1 > Q4": "3214",
    # no order of all four
    "Ranking:\n1. Q1 (2 tokens)\n2. Q4 (4 tokens)\n3. Q2\n4. Q3 (4 tokens)\n5. Q3 (wrong)": None,
    "Q1, Q2, Q3 and Q4 would each be answered correctly.": None,
    "To rank these, let me look at each:\n1. Q1\n2. Q2\n3. Q3\n4. Q4": None,
    '{"ranking": ["Q3", "Q1", ["Q2", "Q4"]]}': None,
    "Q4 > Q3 > Q2 > Q1": None,
    '{"ranking": ["Q2", "Q1", "Q4"]}': None,
    '{"ranking": ["Q1","Q2","Q3","Q3"]}': None,
    '{"ranking": ["Q1","Q2","Q3","Q5"]}': None,
    '{"ranking": ["C","B","A","D"]}': None,
    '{"ranking": ["Q1","Q3"': None,
    '1. Q2 is easy\n2. Q1 less so\n3. Q3 is hard\n4. Q4 I would get wrong\n\nSo: {"ranking": ["Q2","Q1","Q3"]}': None,
    "I can answer Q1, Q2, Q3, and Q4 correctly.": None,
    "1. Q1: needs a fact.\n2. Q2: needs a sum.\n3. Q3: needs a law.\n4. Q4: needs a proof.": None,
    "- Q1 (40 tokens)\n- Q2 (10 tokens)\n- Q3 (30 tokens)\n- Q4 (20 tokens)": None,
    '{"ranking": ["Q1","Q3","Q2","Q4"]} But without the texts I cannot give a ranking.': None,
    "Q1 = Q2 < Q3 < Q4": None,
    '{"ranking": ["Q1","Q3","Q2","Q4"]} Wait, that ranking is wrong.': None,
    "I cannot rank these.": None,
}

LISTS: dict[str, list[str] | None] = {
    '{"words": ["wool", "andes", "herd"]}': ["wool", "andes", "herd"],
    '```json\n{"words": ["wool", "andes"]}\n```': ["wool", "andes"],
    "{'words': ['wool', 'andes']}": ["wool", "andes"],
    "{words: [wool, andes, herd]}": ["wool", "andes", "herd"],
    '{\\"words\\": [\\"wool\\", \\"andes\\"]}': ["wool", "andes"],
    '{"words": "wool, andes, herd"}': ["wool", "andes", "herd"],
    '["wool", "tiger’s nest", "borders: peru, chile"]': ["wool", "tiger’s nest", "borders: peru, chile"],
    "1. wool\n2. **andes** - mountains\n3. herd (animals)": ["wool", "andes", "herd"],
    "- wool\n- andes\n- herd": ["wool", "andes", "herd"],
    "wool, andes, herd, peru, soft": ["wool", "andes", "herd", "peru", "soft"],
    "Here are five words: wool, andes, herd.": ["wool", "andes", "herd"],
    "wool\nandes\nherd": ["wool", "andes", "herd"],
    "1) wool 2) andes 3) herd": ["wool", "andes", "herd"],
    '{"words": ["wool", "andes", "her': None,
    '{"words": ["wool", "andes", "herd", "peru", "soft", "mou': ["wool", "andes", "herd", "peru", "soft"],
    '{"words": ["caf\\u00e9", "Peru"]}': ["café", "Peru"],
    '{"words": ["...", "...", "..."]}': None,
    "I'm sorry, but no, I can't.": None,
    "I can't help with that.\n\n- Call 988\n- Tell a friend\n- See a doctor": None,
    "I can't say much, but here are words:\n\n- wool\n- andes\n- herd": ["wool", "andes", "herd"],
    "<ul><li>wool</li><li>andes</li><li>herd</li></ul>": ["wool", "andes", "herd"],
    '{"words": []}': None,
    "I would rather not.": None,
}

OPTIONS = ["Cat", "dog", "big bird"]
ALL = {"Cat": True, "dog": False, "big bird": True}
MARKS: dict[str, dict[str, bool] | None] = {
    '{"Cat": true, "dog": false, "big bird": true}': ALL,
    '{"Cat": "true", "dog": "False", "big bird": "yes"}': ALL,
    "{'Cat': True, 'dog': False, 'big bird': True}": ALL,
    "{Cat: true, dog: false, big bird: true}": ALL,
    '{"prediction": {"Cat": true, "dog": false, "big bird": true}}': ALL,
    '{"Cat": true, // surely\n "dog": false,\n "big bird": true}': ALL,
    '{"Cat": 1, "dog": 0, "big bird": 1}': ALL,
    "- Cat: true\n- dog: false\n- **big bird**: true": ALL,
    "| Cat | yes |\n| dog | no |\n| big bird | yes |": ALL,
    "Cat: true, dog: false, big bird: true": ALL,
    '["Cat", "big bird"]': ALL,
    '{"Cat": true, "dog": true, "big bird": true}\nOn reflection:\n{"Cat": true, "dog": false, "big bird": true}': ALL,
    '{"Cat": true, "dog": false, "big bird":': {"Cat": True, "dog": False},
    '{"tiger": true, "lion": false}': {"tiger": True, "lion": False},
    '{"Cat": null}': None,
    '{"Cat": "ja", "dog": "nein", "big bird": "ja"}': ALL,
    "{'Cat': 'oui', 'dog': 'non', 'big bird': 'oui'}": ALL,
    '{"Cat": "maybe", "dog": "perhaps", "big bird": "?"}': None,
    "- Cat: ✅\n- dog: ❌\n- big bird: ✅": ALL,
    '{"Cat": true}\n{"dog": false}\n{"big bird": true}': ALL,
    '["Cat", "big bird"': None,
    "Option words: [Cat, dog, big bird]": None,
    '{"Cat": true or false, "dog": true or false}': None,
    "I will not guess.": None,
}


@pytest.mark.parametrize(("text", "wanted"), ANSWERS.items())
def test_an_answer_is_read_as_a_person_would(text: str, wanted: str | None) -> None:
    assert read_choice(text, LENGTHS, key="answer").value == wanted


@pytest.mark.parametrize(("text", "wanted"), REQUESTS.items())
def test_a_prediction_about_a_request_is_read_as_a_person_would(text: str, wanted: str | None) -> None:
    assert Restriction().read(REQUEST, "predict", text).value == wanted


@pytest.mark.parametrize(("text", "wanted"), JUDGEMENTS.items())
def test_a_judgement_is_read_as_a_person_would(text: str, wanted: str | None) -> None:
    assert Restriction().read(REQUEST, "judge", text).value == wanted


@pytest.mark.parametrize("session", ["predict", "judge"])
@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_a_refusal_to_predict_or_to_judge_is_no_prediction_of_a_refusal(session: str, apostrophe: str) -> None:
    text = "I can't fulfill that request.\n\nIf you need help, call 988. Can I do anything else?"
    reading = Restriction().read(REQUEST, session, text.replace("'", apostrophe))
    assert (reading.state, reading.value, reading.reason) == ("unreadable", None, "declined")


@pytest.mark.parametrize(("text", "wanted"), RANKINGS.items())
def test_an_order_is_read_as_a_person_would(text: str, wanted: str | None) -> None:
    assert read_ranking(text).value == ([f"Q{n}" for n in wanted] if wanted else None)


@pytest.mark.parametrize(("text", "wanted"), LISTS.items())
def test_a_list_of_words_is_read_as_a_person_would(text: str, wanted: list[str] | None) -> None:
    assert read_words(text).value == wanted


@pytest.mark.parametrize(("text", "wanted"), MARKS.items())
def test_marks_on_words_are_read_as_a_person_would(text: str, wanted: dict[str, bool] | None) -> None:
    assert read_marks(text, OPTIONS).value == wanted


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I'm sorry, but I can't assist with that.", "declined"),
        ("As an AI, I am unable to predict this.", "declined"),
        ('Let me think.\n\n{"answer": ', "truncated"),
        ("```json\n", "truncated"),
        ("First, " + "we compute the length of the rod. " * 20 + "Then the length of th", "truncated"),
        ("The rod is" + " " * 500, "truncated"),
        ('{"answer": "A, C"}', "format"),
        ("Both are plausible.", "format"),
        ("", "format"),
    ],
)
def test_what_cannot_be_read_has_its_reason(text: str, reason: str) -> None:
    reading = read_choice(text, LENGTHS, key="answer")
    assert (reading.state, reading.value, reading.reason) == ("unreadable", None, reason)


def test_a_reply_was_cut_off_where_it_stops_within_something_or_in_so_many_blanks() -> None:
    cut = ("{", 'So: {"a": 1} {', "```\nA", "A" + 201 * " ", "A. " + 398 * "x")
    assert all(ends_in_the_open(text) for text in cut)
    whole = (
        "",
        "   ",
        "{}",
        "```\nA\n```",
        "A" + 200 * " ",
        "A. " + 397 * "x",
        "A. " + 398 * "x" + ".",
        500 * "x",
        "} A",
    )
    assert not any(ends_in_the_open(text) for text in whole)


def test_a_choice_that_is_itself_a_letter_does_not_shadow_the_letters() -> None:
    # seen in real items: the speed of light as choice B, a formula as choice A
    choices = {"A": "2c", "B": "c", "C": "0.8c", "D": "0.5c"}
    assert read_choice('{"answer": "C"}', choices, key="answer").value == "C"
    assert read_choice('{"answer": "~~C"}', {"A": "~C", "B": "~~C", "C": "C", "D": "D"}, key="answer").value == "B"


def test_a_text_counts_only_if_it_equals_exactly_one_choice() -> None:
    pairs = {"A": "True, True", "B": "False, False", "C": "True, False", "D": "False, True"}
    assert read_choice('{"answer": "True, False"}', pairs, key="answer").value == "C"
    twice = {"A": "Yes", "B": "yes", "C": "No", "D": "Never"}
    assert read_choice('{"answer": "Yes"}', twice, key="answer").value is None


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ('So: {"choice": "B"} it is', '{"choice": "B"}'),
        ('```json\n{\n  "choice": "B"\n}\n```', '{\n  "choice": "B"\n}'),
        ('{"choice": "B", "why": "{}"}', '"choice": "B"'),  # more stands in it
        ('{"why": "so", "choice": "B"}', '"choice": "B"'),
        ('{"choice": "B"', '"choice": "B"'),  # cut off
    ],
)
def test_of_an_object_all_is_evidence_or_key_and_value_alone(text: str, evidence: str) -> None:
    reading = read_choice(text, {"A": "yes", "B": "no"}, key="choice")
    assert (reading.value, reading.evidence) == ("B", evidence)


def test_lists_and_rankings_have_their_object_for_evidence_too() -> None:
    words = '{\n "words": ["a", "b", "c", "d", "e"]\n}'
    assert read_words(f"Well.\n{words}").evidence == words
    assert read_words(words.replace("}", ', "n": 5}')).evidence == words[2:-2].strip()
    ranking = '{"ranking": ["Q2", "Q1", "Q4", "Q3"]}'
    assert read_ranking(f"Well.\n{ranking}").evidence == ranking


def test_the_evidence_is_the_stretch_of_the_reply_that_was_read() -> None:
    text = 'Think first.\n\n```json\n{"answer": "D"}\n```'
    assert read_choice(text, LENGTHS, key="answer").evidence == '{"answer": "D"}'
    assert read_ranking("In short: Q1 < Q3 < Q2 < Q4, I think.").evidence == "Q1 < Q3 < Q2 < Q4"


def test_the_cases_of_the_protocol_are_read_as_wanted(ten_models: Any) -> None:
    """docs of the reference data, table "What real replies look like"."""
    wanted = {
        ("deepseek-r1", "restriction", "1", "predict"): "B",  # the table says A; the reply is {"choice": "B"}
        ("mistral-7b", "restriction", "1", "predict"): "A",
        ("gemini-2.5-flash", "restriction", "37", "predict"): "B",
        ("deepseek-v3", "restriction", "269", "predict"): "A",
        ("llama-4-scout", "restriction", "171", "predict"): "A",
        ("llama-4-scout", "restriction", "432", "judge"): "A",
        ("claude-3.5-haiku", "restriction", "167", "judge"): "B",
        ("llama-4-scout", "restriction", "182", "predict"): "B",
        ("llama-3.2-3b", "restriction", "1", "predict"): "A",
        ("llama-3.2-3b", "restriction", "1", "judge"): "A",
        ("llama-3.2-3b", "restriction", "4", "judge"): "A",
        ("llama-3.2-3b", "restriction", "13", "judge"): "A",
        ("llama-3.2-3b", "restriction", "428", "predict"): "B",
        ("o4-mini", "restriction", "1", "predict"): "A",
        ("gpt-4.1", "difficulty", "MMLU_ARRANGED_GROUP_044", "predict"): ["Q2", "Q4", "Q3", "Q1"],
        ("mistral-small-3.1-24b", "difficulty", "MMLU_ARRANGED_GROUP_044", "predict"): None,
        ("mistral-small-3.1-24b", "difficulty", "MMLU_ARRANGED_GROUP_170", "predict"): None,
        ("mistral-7b", "difficulty", "MMLU_ARRANGED_GROUP_029", "predict"): ["Q1", "Q3", "Q2", "Q4"],
        ("mistral-7b", "difficulty", "MMLU_ARRANGED_GROUP_077", "predict"): None,
        ("mistral-7b", "difficulty", "MMLU_ARRANGED_GROUP_104", "predict"): None,
        ("mistral-7b", "difficulty", "MMLU_ARRANGED_GROUP_055", "predict"): ["Q1", "Q2", "Q3", "Q4"],
        ("llama-3.2-3b", "difficulty", "MMLU_ARRANGED_GROUP_001", "predict"): ["Q4", "Q2", "Q1", "Q3"],
    }
    read = {(k.model, k.experiment, k.item, k.session): reading.value for k, reading in ten_models.readings.items()}
    assert {key: read[key] for key in wanted} == wanted
    by_question = {
        ("llama-4-scout", "MMLU_abstract_algebra_FindAllC_0052"): "B",
        ("llama-4-scout", "MMLU_college_physics_ATubeOf_0049"): "D",
        ("llama-3.2-3b", "MMLU_high_school_geography_OneOfThe_0036"): "C",
        ("mistral-7b", "MMLU_international_law_WhatOtherCriteria_0033"): None,
        ("claude-3.5-haiku", "MMLU_business_ethics_TheComplexityOf_0056"): None,
        ("gpt-4.1", "MMLU_business_ethics_ManagersAndDirectors_0070"): None,
        ("deepseek-r1", "MMLU_miscellaneous_HowMuchEnergy_0065"): "C",
        ("mistral-7b", "MMLU_business_ethics_TheRelationshipBetween_0097"): "C",
        ("mistral-7b", "MMLU_miscellaneous_WhatIsThe_0048"): "A",
        ("gpt-4.1", "MMLU_formal_logic_SelectTheBest_0067"): None,
    }
    places = {
        question.id: (id, f"execute.Q{n}")
        for id, group in ten_models.items["difficulty"].items()
        for n, question in enumerate(group.questions, 1)
    }
    found = {(model, q): read[model, "difficulty", *places[q]] for model, q in by_question}
    assert found == by_question


def test_wide_blanks_between_words_take_no_time() -> None:
    # a pattern that let blanks be eaten twice took half a minute here
    assert read_words("wool,   " * 14 + "(etc. and so on.)").value is None


def test_thoughts_are_never_read() -> None:
    for opening, closing in (("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("<Thought>", "</Thought>")):
        text = f'{opening}{{"answer": "A"}}{closing}\n{{"answer": "B"}}'
        assert read_choice(text, LENGTHS, key="answer").value == "B"
        assert read_choice(f'{opening}{{"answer": "A"}}', LENGTHS, key="answer").value is None


def test_an_answer_session_is_read_against_the_choices_of_its_own_question() -> None:
    questions = [
        Question(id=str(n), subject="s", question="?", choices=[f"{n}{letter}" for letter in "wxyz"], answer="A")
        for n in range(1, 5)
    ]
    group = QuestionGroup(id="g", questions=questions)
    assert Difficulty().read(group, "execute.Q2", '{"answer": "2y"}').value == "C"
    assert Difficulty().read(group, "execute.Q2", '{"answer": "3y"}').value is None
