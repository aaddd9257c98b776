"""Readers: from a verbatim reply to what it commits to, with the words it was read from, or to why it cannot be read.

One set of rules for every model. The last complete commitment wins, unless it is withdrawn and not replaced; what was
completely committed to before a reply was cut off counts. Every reader takes time linear in the length of the reply:
it finds literal words first and looks only at a bounded stretch of text around each. docs/reading.md has the rules
in one table.
"""

from selfexec.readers.cues import Equivalents, Phrase, equivalents_of
from selfexec.readers.folding import fold
from selfexec.readers.late_imports import (
    answers_in_letters,
    answers_the_questions,
    closed,
    ends_in_the_open,
    read_choice,
    read_expectations,
    read_object,
    read_probabilities,
    read_probability,
    read_ranking,
    read_revised,
    responds_to,
    responds_to_each,
    set_out,
    under_the_key,
    without_fields,
)
from selfexec.readers.letter_tokens import letter_shares, word_shares
from selfexec.readers.marks_and_words import read_marks, read_words
from selfexec.readers.notation import only_thinks
from selfexec.readers.refusal import refuses
from selfexec.readers.result import Commitment, Reading, Side, State
from selfexec.readers.run_on import up_to_a_further_prompt
from selfexec.readers.tokens import UNCOUNTED, UNTOLD, most_tokens, visible_tokens
