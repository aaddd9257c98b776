"""The head of the page: what is surely so, and what the page is of."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.analysis import words
from selfexec.analysis.answers import headline
from selfexec.analysis.reference_panel import panel_lines
from selfexec.analysis.warnings import Canned, SameReplies, ServerNotice, texts_of
from selfexec.facets import DEFAULT_NAME, addressed, condition_named, in_words
from selfexec.report.data import Data
from selfexec.text.numbers import number_of


@dataclass(frozen=True)
class Top:
    """`about` is what was done, and `details` what it was held against; `same` says which models are one by their
    replies.
    """

    headline: str
    about: str
    details: Sequence[str]
    same: Sequence[str]
    simulated: str | None


def top(data: Data) -> Top:
    scores = data.scores
    details = [
        *texts_of(scores.warnings, Canned, ServerNotice),
        *(line for one in scores.panels for line in panel_lines(one)),
    ]
    if data.selection.condition != DEFAULT_NAME:
        explained = in_words(condition_named(data.selection.condition))
        more = f" ({explained})" if explained else ""
        details.append(f"Asked in the condition {data.selection.condition}{more}.")
    who = "it" if len(data.models) == 1 else "they"
    somebody = addressed(condition_named(data.selection.condition))
    about = f"{number_of(len(data.models), 'model')} predicted what {somebody or who} would do; this is what {who} did."
    same, simulated = texts_of(scores.warnings, SameReplies), words.who_replied(data.asked, data.runs)
    return Top(headline(scores, data.areas), about, details, same, simulated)
