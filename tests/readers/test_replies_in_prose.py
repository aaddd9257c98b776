"""Words in quotes before an object, orders in markup and in sentences, and marks in short sentences."""

import pytest

from selfexec.readers import read_choice, read_marks, read_ranking, read_words

FIVE = ["queso", "masa", "tomate", "Italia", "horno"]
OBJECT = '{"words": ["queso", "masa", "tomate", "Italia", "horno"]}'


@pytest.mark.parametrize(
    "lead",
    ['Five words for "Pizza": ', 'Words that I associate with "Pizza":\n\n', '**"Pizza":**\n', "Wörter zu „Pizza“:\n"],
)
@pytest.mark.parametrize("listed", [OBJECT, OBJECT[10:-1]])
def test_a_word_in_quotes_and_a_colon_in_prose_is_no_key(lead: str, listed: str) -> None:
    assert read_words(lead + listed).value == FIVE


def test_a_word_in_quotes_on_the_line_of_an_object_is_a_key() -> None:
    for text in (f'"rejected": {OBJECT}', f'{{"a": 1, "rejected": {OBJECT}}}', f'{{\n  "rejected":\n  {OBJECT}\n}}'):
        assert read_words(text).value is None
    options = {"A": "yes, it is", "B": "no, it is not"}
    assert read_choice('For "the request":\n{"choice": "A"}', options, key="choice").value == "A"


@pytest.mark.parametrize(
    "text",
    [
        '<ranking>\n  <item rank="1">Q4</item>\n  <item rank="2">Q1</item>\n  <item rank="3">Q2</item>\n '
        ' <item rank="4">Q3</item>\n</ranking>',
        '<ranking><q position="2">Q1</q><q position="1">Q4</q><q position="4">Q3</q><q position="3">Q2</q></ranking>',
        "<order><entry place='1' label='Q4'/><entry place='2' label='Q1'/><entry place='3'"
        " label='Q2'/><entry place='4' label='Q3'/></order>",
        "<ranking><first>Q4</first><second>Q1</second><third>Q2</third><fourth>Q3</fourth></ranking>",
        "<ranking><Q1>2</Q1><Q2>3</Q2><Q3>4</Q3><Q4>1</Q4></ranking>",
        "<ranking><label>Q4</label><label>Q1</label><label>Q2</label><label>Q3</label></ranking>",
        "".join(f"<item><rank>{n}</rank><label>Q{q}</label></item>\n" for n, q in enumerate((4, 1, 2, 3), 1)),
    ],
)
def test_an_order_in_markup_is_read_by_its_places(text: str) -> None:
    assert read_ranking(text).value == ["Q4", "Q1", "Q2", "Q3"]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f'<item confidence="{n}">Q{n}</item>' for n in (4, 1, 2, 3)),
        '<ranking><item rank="1">Q4</item><item rank="1">Q1</item><item rank="2">Q2</item><item'
        ' rank="3">Q3</item></ranking>',
        '<ranking><item rank="1">Q4</item><item rank="2">Q1</item><item rank="3">Q2</item></ranking>',
        "<Q4>A</Q4><Q1>B</Q1><Q2>C</Q2><Q3>D</Q3>",
    ],
)
def test_markup_with_ties_gaps_or_another_scale_is_no_order(text: str) -> None:
    assert read_ranking(text).value is None


@pytest.mark.parametrize(
    "text",
    [
        "The easiest for me is the median (Q1), followed by the article on self-defence (Q2). After that comes the"
        " norms question (Q4), and the hardest is the decay (Q3), because it involves a calculation.",
        "The median question (Q1) is the easiest, then self-defence (Q2), then norms (Q4), and finally the decay (Q3).",
        "Easiest is Q1 because it is simple, followed by Q2. Q4 comes next since it needs a definition, and"
        " Q3 is the hardest.",
        "Hardest is the decay (Q3), then norms (Q4), then self-defence (Q2), and the easiest is the median (Q1).",
        "Am leichtesten ist für mich der Median (Q1), gefolgt von Artikel 51 (Q2). Danach kommt die Frage zu"
        " Normen (Q4), und am schwersten ist der Zerfall (Q3).",
    ],
)
def test_an_order_in_sentences_is_read_with_what_the_questions_are_about(text: str) -> None:
    assert read_ranking(text).value == ["Q1", "Q2", "Q4", "Q3"]


@pytest.mark.parametrize(
    "text",
    [
        "The easiest is not the median (Q1), followed by the article (Q2). After that comes norms (Q4), and"
        " the hardest is the decay (Q3).",
        "The easiest might be the median (Q1) or the article (Q2). Then norms (Q4), and the hardest is the decay (Q3).",
        "The dullest is the median (Q1), followed by the article (Q2). Then comes norms (Q4), and the nicest"
        " is the decay (Q3).",
        "For a student, the easiest is the median (Q1), followed by the article (Q2), then norms (Q4), and"
        " the hardest the decay (Q3).",
    ],
)
def test_sentences_that_deny_doubt_or_speak_of_somebody_else_order_nothing(text: str) -> None:
    assert read_ranking(text).value is None


@pytest.mark.parametrize(
    "text",
    [
        'I believe "boat" and "sea" appeared in my list. "Fog" and "lamp" most likely did not.',
        "Boat and sea? Yes. Fog and lamp? No.",
        "Most likely boat and sea are in my list, whereas fog and lamp are not.",
        "I am fairly sure boat and sea made my list. Fog and lamp almost certainly did not make it.",
        "My list likely contained boat and sea. It likely did not contain fog and lamp.",
    ],
)
def test_short_sentences_mark_every_word_that_they_name(text: str) -> None:
    assert read_marks(text, ["boat", "fog", "lamp", "sea"]).value == {
        "boat": True,
        "fog": False,
        "lamp": False,
        "sea": True,
    }


def test_a_question_that_is_not_answered_marks_nothing() -> None:
    assert (
        read_marks("Did boat and sea appear in my list? Fog and lamp did not.", ["boat", "fog", "lamp", "sea"]).value
        is None
    )
