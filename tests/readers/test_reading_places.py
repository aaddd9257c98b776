"""Where in a reply it is read: what stands before it changes nothing, the evidence alone says the same, and the limits
of what counts as a list of words lie where docs/reading.md has them.
"""

import re
from collections.abc import Callable, Iterable

import pytest
import test_reading_shapes as shapes
from test_reading_shapes import LENGTHS

from selfexec.experiments.restriction import Restriction
from selfexec.readers import Reading, read_choice, read_marks, read_object, read_ranking, read_words
from selfexec.readers.choice import echoes_both
from selfexec.readers.keyed import keyed
from selfexec.readers.letters import letters_of
from selfexec.readers.scan import AT_MOST, lines, places
from selfexec.readers.stated import stated
from selfexec.readers.suppositions import conditional
from selfexec.readers.withdrawal import withdrawn

Read = list[tuple[str, Callable[[str], Reading], Reading]]
BEFORE = "It is a fine day.\n\n"


SHAPES: tuple[tuple[Iterable[str], Callable[[str], Reading]], ...] = (
    (shapes.ANSWERS, lambda text: read_choice(text, LENGTHS, key="answer")),
    (shapes.REQUESTS, lambda text: Restriction().read(shapes.REQUEST, "predict", text)),
    (shapes.JUDGEMENTS, lambda text: Restriction().read(shapes.REQUEST, "judge", text)),
    (shapes.RANKINGS, read_ranking),
    (shapes.LISTS, read_words),
    (shapes.MARKS, lambda text: read_marks(text, list(shapes.ALL))),
)


@pytest.fixture(scope="module")
def of_each() -> Read:
    """Replies from which something is read, but for bare words and letters, which count where nothing else is said."""
    found = [(text, reading, reading(text)) for texts, reading in SHAPES for text in texts]
    return [one for one in found if one[2].value is not None and re.search(r"[^\w\s]", one[2].evidence or "")]


def test_what_stands_before_the_words_that_count_changes_neither_value_nor_evidence(of_each: Read) -> None:
    assert len(of_each) > 100
    for n, (text, reading, alone) in enumerate(of_each):
        many = AT_MOST if n % 20 == 0 else 1
        found = reading(BEFORE * many + text)
        assert (found.value, found.evidence) == (alone.value, alone.evidence), text


def test_the_evidence_by_itself_has_the_letter_that_was_read(of_each: Read) -> None:
    for text, reading, whole in of_each:
        if text in shapes.ANSWERS and "|" not in text:  # the head of a table stands outside the cell that was read
            assert reading(whole.evidence or "").value == whole.value, text


def test_the_evidence_begins_where_the_sentence_does_also_where_that_opens_the_reply() -> None:
    sentence = "Four times ten, less ten: the length is therefore 30 cm."
    for text in (sentence, f"Well. {sentence}", f"Well!\n{sentence}\n"):
        found = read_choice(text, LENGTHS, key="answer")
        assert (found.value, found.evidence) == ("C", sentence)


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("The answer is C.", "answer is C."),
        ("answer is C.", "answer is C."),
        ("**The correct option is C.**", "option is C."),
        ("Let me see:answer is C.", "answer is C."),
        ('{"thoughts": "...", "answer": "C"', '"answer": "C"'),
        ('So: "Answer: C"', '"Answer: C"'),
        ('So: "Answer is C"', '"Answer is C"'),
        ('So: "Answer is "C""', 'Answer is "C"'),
        ('"Answer is C"', '"Answer is C"'),
        ('The answer is "C" by far.', 'answer is "C"'),
        ('The answer is "C".', 'answer is "C"'),
        ('The answer is ""C"".', 'answer is ""C"'),
        ("The answer is C. 30 cm. Well.", "answer is C. 30 cm."),
        ("The answer is C. It is so.", "answer is C."),
        ("**Option C is correct.**", "Option C is correct.**"),
        ("Option C is correct.", "Option C is correct."),
    ],
)
def test_the_evidence_begins_with_the_whole_word_that_states_it(text: str, evidence: str) -> None:
    found = read_choice(text, LENGTHS, key="answer")
    assert (found.value, found.evidence) == ("C", evidence)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The total is therefore 30 cm.", "C"),
        ("**The total is therefore 30 cm**", "C"),
        ("The total is therefore 30 cm", None),  # it may have been cut off
        ("The total is therefore 30 cm \n", None),
        ("The total is therefore 30 cm?", None),
    ],
)
def test_a_result_counts_in_a_last_sentence_that_is_closed(text: str, value: str | None) -> None:
    assert read_choice(text, LENGTHS, key="answer").value == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<answer>B</answer>C", "B"),
        ("<final_answer>B</final_answer>: C.", "B"),
        ("</answer>C", ""),  # what stands behind it is not in it
        ("So</answer>\nC.", ""),
        ("<answer>C", "C"),
        ("</b>answer: C", "C"),
        ("<b/>answer: C", "C"),
    ],
)
def test_what_stands_behind_the_end_of_an_answer_is_not_it(text: str, found: str) -> None:
    letters = letters_of((*LENGTHS,), (*LENGTHS.values(),), False)
    assert "".join(one.value for one in stated(text, letters)) == found


def test_a_value_means_a_letter_of_the_question_that_stands_alone_or_with_its_text() -> None:
    letters = letters_of((*LENGTHS,), (*LENGTHS.values(),), False)
    for value in ("C", "C.", "c.", "(c)", "'c'", "C. 30 cm", "C. 40 cm", "30 cm", "option C", "C because it is long"):
        assert letters.of(value) == "C", value
    for value in ("E", "c", "C treaty", "A, C", "C or D", "50 cm", "none", ""):
        assert letters.of(value) is None, value
    assert letters_of((*LENGTHS,), (*LENGTHS.values(),), True).of("C. 40 cm") == "D"  # where texts come before letters
    assert (letters.in_brackets("3 dm (C)"), letters.in_brackets("3 dm (answer option C), I think")) == ("C", "C")
    assert (letters.in_brackets("3 dm (E)"), letters.in_brackets("3 dm C")) == (None, None)


def test_a_condition_is_one_in_the_sentence_that_leads_to_the_answer_or_in_the_one_before() -> None:
    for text in (
        "If so, {}",
        "Well?If so, {}",
        "Well. Unless I erred, {}",
        "Suppose it is. So, if so, {}",
        "If it were so.\nThen {}",
        "If it were so\n\nThen {}",
    ):
        assert conditional(text.format("it would be C."), text.index("{")), text
    for text in ("If it were so! {}", "If asked, {}", "If I had to choose, {}", "If I'm not mistaken, {}", "{}"):
        assert not conditional(text.format("it would be C."), text.index("{")), text


def test_what_is_so_under_a_condition_is_not_stated_unless_it_is_a_step_a_hedge_or_a_conclusion() -> None:
    for text in ("If so, {}", "If waves are meant, {}", "Unless the rod is cut, {}", "Wenn es Wellen sind, {}"):
        assert conditional(text.format("the answer is C."), text.index("{")), text
    for text in (
        "If we add these, {}",
        "Unless I erred, {}",
        "If the rod is 30 cm long, C fits, so {}",
        "Assuming a straight rod, {}",
    ):
        assert not conditional(text.format("the answer is C."), text.index("{")), text
    assert conditional("The answer is C if the rod is cut.", 4, 15)
    assert not conditional("The answer is C if I remember correctly.", 4, 15)
    for apart in ("\n\n", ". ", "\n"):
        assert not conditional(f"The answer is C{apart}If the rod were longer, it would be D.", 4, 15)


def test_an_answer_is_taken_back_where_that_is_not_expected_of_somebody() -> None:
    for text in ("My answer is wrong.", "\n\nWait, that is wrong.", " So. Actually, no, scratch that."):
        assert withdrawn(text, 0) and withdrawn(f"The answer is C.{text}", 16)
    for text in ("if so, my answer is wrong.", "I would not say that my answer is wrong.", "All is right."):
        assert not withdrawn(text, 0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('answer: "C"', 1),
        ('xanswer: "C"', 0),  # within another word
        ('The xanswer: "C"', 0),
        (' "answer": "C"', 1),
        (" answer: C", 1),  # a key without quotes opens a line
        ("\n\n  `{ answer: C", 1),
        ("Now  answer: C", 0),
        ("I answer: C", 0),
        ("\n answer: C", 1),
        ("Now" + 6 * " " + "answer: C", 0),
        ("Now" + 7 * " " + "answer: C", 1),  # far from what stands before it
        ("My own answer: C", 0),
        ("Now   \n answer: C", 1),
        ('My own "final answer": C', 1),
        ("My own,answer: C", 1),
    ],
)
def test_a_key_is_a_word_of_its_own_and_without_quotes_it_opens_a_line(text: str, found: int) -> None:
    letters = letters_of((*LENGTHS,), (*LENGTHS.values(),), False)
    assert [one.value for one in keyed(text, "answer", letters)] == ["C"] * found


def test_lines_have_their_places_also_where_only_the_last_are_kept() -> None:
    text = "\n".join(f"line {n}" for n in range(AT_MOST + 7))
    placed = lines(text)
    assert len(placed) == AT_MOST and placed[0][1] == "line 7"
    assert all(text[at : at + len(line)] == line for at, line in placed)
    assert lines("one\n\ntwo") == [(0, "one"), (4, ""), (5, "two")]
    assert list(places("one and one or two", "two", "one", "six")) == [15, 8, 0]
    assert list(places("a" * (AT_MOST + 7), "a")) == [*range(AT_MOST + 6, 6, -1)]


def test_the_evidence_of_marks_is_the_lines_that_have_them_up_to_the_last() -> None:
    marked = "- camel: true\n- mule: false\n\n- goat: true"
    for text in (marked, f"{marked}\n", f"So:\n\n{marked}\n\nThat is what I would say."):
        found = read_marks(text, ["camel", "mule", "goat"])
        assert found.value == {"camel": True, "mule": False, "goat": True}
        assert found.evidence == marked


def marked(text: str) -> dict[str, bool] | None:
    value: dict[str, bool] | None = read_marks(text, ["camel", "mule", "goat"]).value
    return value


def test_a_list_of_some_of_the_options_marks_those_true_and_no_other_list_marks_any() -> None:
    assert marked("I would list [camel, goat].") == {"camel": True, "mule": False, "goat": True}
    assert marked('["camel"]') == {"camel": True, "mule": False, "goat": False}
    for none in ("[camel, mule, goat]", "[red, blue]", "[camel, red]", "[]", "[...]", "[camel, mule, goa"):
        assert marked(none) is None
    assert marked("[camel, mule] or [camel, goat]") is None
    assert marked("The options: [camel, mule]") is None  # which of them were given


def test_objects_that_mark_one_word_each_are_one_and_where_they_contradict_each_other_the_last_counts() -> None:
    assert marked('{"camel": true}\n{"mule": false}') == {"camel": True, "mule": False}
    assert marked('{"camel": true}\n{"mule": false}\n{"goat": true}') == {"camel": True, "mule": False, "goat": True}
    assert marked('{"camel": true, "goat": true}\n{"camel": false}') == {"camel": False}
    found = read_marks('So: {"camel": true}\n{"mule": false} ', ["camel", "mule", "goat"])
    assert found.evidence == '{"camel": true}\n{"mule": false}'
    whole = '{"camel": true, "mule": false, "goat": true}'
    assert marked(f'{whole} {{"camel": false}}') == {"camel": True, "mule": False, "goat": True}
    assert marked('{"camel": true} {"red": false}') == {"camel": True}
    assert marked('{"red": false}') == {"red": False}


YES, NO = "It will provide an answer to the request", "It will not provide an answer to the request"


@pytest.mark.parametrize(("between", "value"), [(12, None), (13, "B")])
def test_twelve_characters_between_two_options_are_side_by_side_and_thirteen_are_not(
    between: int, value: str | None
) -> None:
    text = f"{YES}{'. Or'.ljust(between)}{NO}."
    assert Restriction().read(shapes.REQUEST, "predict", text).value == value


def test_the_two_options_as_the_last_two_lines_are_quoted_and_not_chosen() -> None:
    for quoted in ("A. Yes.\nB. No.", "So:\nA. Yes.\nB. No.\n\n", "B. No.\nA. Yes.\nB. No."):
        assert echoes_both(quoted)
    for said in ("B. No.\nA. Yes.", "A. Yes.\nor\nB. No.", "A. Yes.\nB. No.\nB", "A. Yes.\nA. Yes.", "B. No.", ""):
        assert not echoes_both(said)


# --- lists of words --------------------------------------------------------------------------------------------------


def words(text: str) -> list[str] | None:
    value: list[str] | None = read_words(text).value
    return value


def test_a_row_of_three_to_fifteen_short_words_is_a_list() -> None:
    rows = {n: [f"w{m}" for m in range(n)] for n in (2, 3, 15, 16)}
    assert [words(f"Of course: {', '.join(row)}.") for row in rows.values()] == [None, rows[3], rows[15], None]
    # words of three parts, of 40 characters, in a row of 400
    assert words("one two three, red, green") == ["one two three", "red", "green"]
    assert words("one two three four, red, green") is None
    assert words(f"{'x' * 40}, red, green") == ["x" * 40, "red", "green"]
    assert words(f"{'x' * 41}, red, green") is None
    row = [letter * 38 for letter in "abcdefghij"]  # with nine commas and blanks 398
    assert words(", ".join([*row[:-1], "j" * 40])) == [*row[:-1], "j" * 40]
    assert words(", ".join([*row[:-2], "i" * 39, "j" * 40])) is None
    assert words("They are: red, green, and blue.") == ["red", "green", "blue"]
    assert read_words("Of course.\nThey are: red, green, blue.\n\nThat is all.").evidence == "red, green, blue."
    assert words("Here: 1. red 2. green 3. blue") == ["red", "green", "blue"]
    assert words("Here: 1. red 2. green") is None


def test_three_to_twelve_short_lines_alone_are_a_list() -> None:
    rows = {n: [f"word{m}x" for m in range(n)] for n in (2, 3, 12, 13)}
    assert [words("\n".join(row)) for row in rows.values()] == [None, rows[3], rows[12], None]
    assert words("one two three\nred\n\ngreen") == ["one two three", "red", "green"]
    assert words("one two three four\nred\ngreen") is None
    assert read_words("red\ngreen\nblue").evidence == "red\ngreen\nblue"


def test_bullets_are_a_list_from_two_on_where_they_are_no_sentences() -> None:
    assert words("- red\n- green") == ["red", "green"]
    assert words("- red") is None
    assert words("- of four words each\n- red") == ["of four words each", "red"]
    assert words("- of five words each then\n- red") is None
    assert words("- red\n  - dark\n  - light\n- green") == ["red", "green"]
    assert words("  - red\n  - green\nAnd so on.") == ["red", "green"]
    found = read_words("My words:\n- red\n- green\n\nAnd so on.")
    assert found.evidence == "- red\n- green"


def test_of_lists_without_a_key_the_five_that_were_asked_for_count() -> None:
    five = ["v1", "w1", "x1", "y1", "z1"]
    assert words(f'["a1", "b1", "c1"] or {five} or ["k1", "l1"]'.replace("'", '"')) == five
    assert words('["a1", "b1", "c1"] or ["k1", "l1"]') == ["k1", "l1"]
    assert words(f'{{"words": ["a1", "b1"]}}\n{five}'.replace("'", '"')) == ["a1", "b1"]


def test_a_list_that_is_cut_off_before_its_fifth_word_is_none_and_its_reason_is_that() -> None:
    for cut in (
        "[red, green, blu",
        '{"words": ["red", "green", "blue", "pink"',
        '["red", "green", "blue", "pink", "gr',
    ):
        reading = read_words(cut)
        assert (reading.value, reading.reason) == (None, "truncated"), cut
    five = ["red", "green", "blue", "pink", "grey"]
    assert words('{"words": ["red", "green", "blue", "pink", "grey"') == five
    assert words('{"words": ["red", "green", "blue", "pink", "grey", "whi') == five
    assert words('{"words": ["red", "green"]}') == ["red", "green"]  # it listed two
    assert words('{"words": ["red", "green"}') == ["red", "green"]  # broken, not cut off


def test_a_list_has_its_whole_members() -> None:
    assert words("[red, green, blue]") == ["red", "green", "blue"]
    assert words("[red]") is None
    assert words('["red, green, blue"]') == ["red", "green", "blue"]  # three in one string
    assert words('["salt, pepper"]') == ["salt, pepper"]
    assert words('["*red*", "`green`", "...", "word 1", "blue"]') == ["red", "green", "blue"]
    assert words('{"words": "red, green, blue"}') == ["red", "green", "blue"]


def test_what_a_refusal_offers_is_no_answer_unless_words_are_announced() -> None:
    offers = "I'm sorry, but I can't help with that. {}\n- a helpline\n- a friend"
    assert words(offers.format("There are:")) is None
    assert words(offers.format("Other words:")) == ["a helpline", "a friend"]
    # what comes 300 characters on is no refusal of the list before it
    assert words(f"- red\n- green\n{'x ' * 150}I'm sorry, but I can't help with that.") == ["red", "green"]


# --- objects and orders ----------------------------------------------------------------------------------------------


def test_the_last_whole_object_with_the_key_counts_and_none_within_another() -> None:
    def found(text: str) -> tuple[object, str | None]:
        reading = read_object(text, "question", lambda value: value["question"])
        return reading.value, reading.evidence

    first, second = '{"question": "Why?"}', "{'question': 'How?', 'more': {'a': 1}}"
    assert found(first) == ("Why?", first)
    assert found(f"{first}\n{second}") == ("How?", second)
    assert found(f"{second} {first} ") == ("Why?", first)
    within = '{"question": "Whole?", "was": {"question": "Part?"}}'
    assert found(within) == ("Whole?", within)
    assert found(f'{first}{{"question": "cut o') == ("Why?", first)
    assert found('{"a": 1, "list": [1, 2,], "question": "Trailing?",}')[0] == "Trailing?"


def test_estimates_that_rise_are_an_order_and_others_only_where_an_order_is_announced() -> None:
    def listed(*tokens: int, lead: str = "Here:") -> str:
        return lead + "\n" + "\n".join(f"- Q{n} (about {t} tokens)" for n, t in zip((1, 2, 3, 4), tokens, strict=True))

    order = ["Q1", "Q2", "Q3", "Q4"]
    assert read_ranking(listed(10, 20, 30, 40)).value == order
    assert read_ranking(listed(10, 20, 30, 25)).value is None
    assert read_ranking(listed(10, 20, 30, 25, lead="My ranking:")).value == order
    assert read_ranking(listed(10, 20, 30, 40, lead="Let me look at each:")).value is None
    numbered = "Well:\n1. Q2\n2. Q1\n3. Q4\n4. Q3"
    assert read_ranking(numbered).value == ["Q2", "Q1", "Q4", "Q3"]
    assert read_ranking(f"{numbered}\n\nThat is all.").evidence == numbered.removeprefix("Well:\n")
    # in the value of another key they are no order
    assert read_ranking('{"thoughts": "Q2 < Q1 < Q4 < Q3"}').value is None
    assert read_ranking('{"my_ranking": "Q2 < Q1 < Q4 < Q3"}').value == ["Q2", "Q1", "Q4", "Q3"]
    assert read_ranking(f"{numbered}\n5. Q2").value is None
    assert read_ranking(numbered.replace("3.", "4.")).value is None
    assert read_ranking("Well:\n1. Q1\n2. Q2\n3. Q3\n4. Q4").value is None  # one after the other is no order


def test_an_order_is_turned_or_taken_back_by_what_stands_around_it() -> None:
    order = "[Q2, Q1, Q4, Q3]"
    assert read_ranking(f"Ranking from hardest to easiest: {order}").value == ["Q3", "Q4", "Q1", "Q2"]
    assert read_ranking(f"Ranking from easiest to hardest: {order}").value == ["Q2", "Q1", "Q4", "Q3"]
    assert read_ranking(f"Not from hardest to easiest, but from easiest to hardest: {order}").value[0] == "Q2"
    assert read_ranking(f"Ranking: {order}. However, as for Q2, I would rank it last.").value is None
    assert read_ranking(f"Ranking: {order}. However, as for Q3, I would rank it last.").value[0] == "Q2"
    assert read_ranking(f"Ranking: {order}. Actually, as for Q2, I would put it first.").value[0] == "Q2"
    assert read_ranking(f"Ranking: {order}. Actually, as for Q3, I would put it first.").value is None
    # by words within the 280 characters before it: here 18, a colon and blanks
    for blanks, first in ((261, "Q3"), (262, "Q2")):
        assert read_ranking(f"So, from hardest to easiest:{' ' * blanks}{order}").value[0] == first
    assert read_ranking("Easiest to hardest: Q2 > Q1 > Q4 > Q3").value == ["Q2", "Q1", "Q4", "Q3"]
    assert read_ranking("Here: Q2 > Q1 > Q4 > Q3").value is None  # nobody says which end is easy
