"""Names and errors are somebody else's text: wherever they are shown, nothing in them is swallowed or obeyed."""

import sys
import unicodedata

import pytest

from selfexec.text.printable import HARMFUL, harmless, in_ascii
from selfexec.text.tables import Layout, as_html, as_markdown, as_text

TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # Unicode's bidirectional classes


def test_what_is_obeyed_or_swallowed_is_shown_by_its_number() -> None:
    assert harmless("\u202egnp.exe") == "\\u202egnp.exe"
    assert harmless("\x1b[31mred") == "\\x1b[31mred"
    assert harmless("zero\u200bwidth \ufeff\U000e0041") == "zero\\u200bwidth \\ufeff\\U000e0041"


def test_signs_have_plain_ones_in_ascii_and_other_characters_are_written_as_json_does() -> None:
    assert in_ascii("J = .5† ± .1 — a “quote” … 2 × 3") == 'J = .5* +- .1 - a "quote" ... 2 x 3'
    assert in_ascii("┌─┬╴│━┼╋ a→b") == "+-+-|-++ a->b"
    assert in_ascii("vllm/modèle-你 \U0001f600") == "vllm/mod\\u00e8le-\\u4f60 \\ud83d\\ude00"
    assert in_ascii("\udc80") == "\\udc80"  # half a character, as file names may have it
    assert in_ascii("Is it plain?") == "Is it plain?"


def test_a_text_that_can_be_printed_has_none_of_these_characters() -> None:
    # what is printable is passed on without a search
    assert not [code for first, last in HARMFUL for code in range(first, last + 1) if chr(code).isprintable()]


@pytest.mark.slow
def test_no_control_and_nothing_that_turns_text_is_left() -> None:
    kept = [character for character in map(chr, range(sys.maxunicode + 1)) if harmless(character) == character]
    assert [c for c in kept if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")] == ["\t", "\n"]
    assert [c for c in kept if unicodedata.bidirectional(c) in TURNING] == []


@pytest.mark.parametrize("text", ["qwen/qwen-3 (8b)\tx\ny", "模型", "דגם", "می\u200cخواهم", "👩\u200d🔬 ❤\ufe0f"])
def test_what_people_write_stays(text: str) -> None:
    assert harmless(text) == text


def test_what_looks_like_a_number_already_stays_and_is_not_shown_twice() -> None:
    assert harmless(harmless("a\u202eb")) == harmless("a\u202eb")


@pytest.mark.parametrize("layout", ["sections", "stacked", "plain"])
def test_a_table_shows_names_whole_wherever_it_is_printed(layout: Layout) -> None:
    name = "evil/\u202egnp.exe\x1b[31m"
    shown = "evil/\\u202egnp.exe\\x1b[31m"
    rows = [[name, "x", "1"]]
    assert shown in as_text("t", ["model", "of", "n"], rows, layout=layout)
    page, markdown = as_html(name, ["model", "of", name], rows, [name]), as_markdown([name, "of", "n"], rows)
    assert page.count(shown) == 4 and markdown.count(shown.replace("\\", "\\\\")) == 2
    for text in (page, markdown):
        assert "\u202e" not in text and "\x1b" not in text
