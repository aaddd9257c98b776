"""The table of wordings: each row can match, in every spelling of every word that it begins with."""

import pytest
from test_reading_shapes import LENGTHS, REQUEST

from selfexec.experiments import restriction
from selfexec.experiments.restriction import Restriction
from selfexec.readers import read_choice
from selfexec.readers.cues import Phrase, cued, wordings_in
from selfexec.readers.directions import ASCII_CUES, CUES, TONGUES, runs_down
from selfexec.readers.wordings import CHANGES, CONCLUDES, LETTER_FIRST, NAMES, STATES

ROWS = [*STATES, *CHANGES, *NAMES, *CONCLUDES]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example)
def test_each_wording_is_found_in_its_example(row: Phrase) -> None:
    [found] = [match for match in wordings_in(row.example, cued((row,), whole_words=False)) if match["value"]][:1]
    assert found["value"].strip(" .,。").startswith(("B", "(B")) or "B" in found["value"]


@pytest.mark.parametrize("row", [*ROWS, *LETTER_FIRST], ids=lambda row: row.example)
def test_the_reader_reads_each_example_as_b(row: Phrase) -> None:
    assert read_choice(row.example, LENGTHS, key="answer").value == "B"


@pytest.mark.parametrize("row", [*ROWS, *LETTER_FIRST], ids=lambda row: row.example)
def test_what_is_searched_for_stands_in_every_spelling_of_every_word_that_a_wording_begins_with(row: Phrase) -> None:
    [ready] = cued((row,), whole_words=False)
    for word in row.begins:
        for spelled in (word, word[0].upper() + word[1:], word.upper()):
            assert any(cue in spelled for cue, _, _ in ready.cues + ready.in_capitals), spelled


@pytest.mark.parametrize(
    ("letter", "phrase"),
    [*restriction.OF_THE_RESPONSE, *restriction.IF_ASKED, *restriction.OF_MYSELF],
    ids=lambda part: part if isinstance(part, str) else part.example,
)
def test_the_options_of_a_request_are_read_in_each_of_their_other_wordings(letter: str, phrase: Phrase) -> None:
    assert Restriction().read(REQUEST, "predict", phrase.example).value == letter


def test_a_wording_that_is_added_in_one_place_is_found_with_a_capital_in_capitals_and_with_either_apostrophe() -> None:
    row = Phrase(("i'd plump for",), r"\\s+(?P<value>[A-Z])".replace("\\\\", "\\"), "I'd plump for B")
    for text in ("i'd plump for B", "I'd plump for B", "I’d plump for B", "so I'D PLUMP FOR B"):
        assert [found["value"] for found in wordings_in(text, cued((row,)))] == ["B"], text


@pytest.mark.parametrize("tongue", TONGUES)
def test_each_language_has_words_for_an_order_that_runs_down(tongue: str) -> None:
    leads = {
        "English": "From hardest to easiest: ",
        "German": "Von schwer zu leicht: ",
        "Spanish": "De difícil a fácil: ",
        "French": "Du plus difficile au plus facile : ",
        "Chinese": "从难到易：",
        "Arabic": "من الأصعب إلى الأسهل: ",
    }
    lead = leads[tongue]
    assert runs_down(lead, len(lead), len(lead))
    assert set(ASCII_CUES) <= set(CUES)
