"""How a reply is put right before it is read: place for place, so that what is read of it stands where it stood."""

import pytest

from selfexec.readers.notation import plain_text

THOUGHTS = [
    # reasoning between marks is blank; what stands around it stays
    ("<think>A? No.</think>B", " " * 21 + "B"),
    ("So <thinking>A?</thinking> B <thought>C?</thought> D", "So " + " " * 24 + "B" + " " * 23 + "D"),
    ("[THINK]A?[/THINK]B", " " * 17 + "B"),
    ("◁think▷A?◁/think▷B", " " * 17 + "B"),
    ("<|begin_of_thought|>A?<|end_of_thought|>B", " " * 40 + "B"),
    ("<reasoning>A?</reasoning>B", " " * 25 + "B"),
    ("<think><think><think>A?</think>B", " " * 31 + "B"),
    ("A? No.</think>B", " " * 14 + "B"),  # its opening mark is lost
    ("<think>A?</think>B</think>C", " " * 26 + "C"),
    ("B <think>A? N", "B" + " " * 12),  # its end is cut off
    ("I think > that", "I think > that"),
]
QUOTATIONS = [
    ("> A\n> B\nC", "  A\n  B\nC"),
    ("So:\n\n> A\n > B\n\nC", "So:\n\n  A\n   B\n\nC"),
    ("So:\n> A", "So:\n> A"),  # no passage of its own
    ("> A\n\n> B", "  A\n\n  B"),
    ("A > B", "A > B"),
]
MARKUP = [
    ("ĠYes.ĊNo.", " Yes.\nNo."),
    ("&quot;A&quot; &lt; B", '"     A"      <    B'),
    ("<b>A</b> <i>B</i>", "   A        B    "),
    ("<li>A</li>", "\n-  A\n    "),
    ("A<br>B<br/>C", "A\n   B\n    C"),
    ("<tr><td>A</td><td>B</td></tr>", "\n|      A  |      B  |       "),
    ("“A” «B» „C“", '"A" "B" "C"'),
    ('“A” "B"', '“A” "B"'),  # they are not the only ones
    ("“", '"'),
    ("", ""),
]


@pytest.mark.parametrize(("text", "plain"), [*THOUGHTS, *QUOTATIONS, *MARKUP])
def test_a_reply_is_put_right_place_for_place(text: str, plain: str) -> None:
    assert plain_text(text) == plain_text(text, formulas=False) == plain
    assert len(plain) == len(text)


def test_formulas_stay_but_around_an_object_and_where_words_are_wanted() -> None:
    for text, formula, words in (
        (r'\text{"a": 1}', '      "a": 1}', '      "a": 1 '),
        (r'\{"a": 1\}', ' {"a": 1 }', ' {"a": 1 }'),
        (r"\mathbf{A}", r"\mathbf{A}", "        A "),
        (r"a \ b", r"a \ b", r"a \ b"),
    ):
        assert (plain_text(text), plain_text(text, formulas=False)) == (formula, words)
