"""The head of the page: what is surely so, and what the page is of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis import words
from selfexec.analysis.answers import comparison_with_others, headline
from selfexec.analysis.reference_panel import panel_lines
from selfexec.analysis.warnings import Canned, SameReplies, ServerNotice, Warned
from selfexec.experiments.sources import judges_later
from selfexec.facets import DEFAULT_NAME, addressed, condition_named, in_words
from selfexec.report.data import Data
from selfexec.text.numbers import number_of


@dataclass(frozen=True)
class Top:
    """`about` is what was done, and `details` what it was held against. `cautions`: what replies look like, and which
    models that is said of, each with what there is to say in full.
    """

    headline: str
    about: str
    details: Sequence[str]
    cautions: Sequence[tuple[str, Sequence[str]]]
    simulated: str | None


def top(data: Data) -> Top:
    scores = data.scores
    details = [line for one in scores.panels for line in panel_lines(one)]
    details += [other.text for other in data.other_sources if judges_later(other.source)]
    if data.numbers.conditions or data.selection.condition != DEFAULT_NAME:
        explained = in_words(condition_named(data.selection.condition))
        name = data.selection.condition
        others = "; the other conditions stand below" if data.numbers.conditions else ""
        details.append(f"Condition {name}{f' ({explained})' if explained else ''}{others}.")
    who = "it" if len(data.models) == 1 else "they"
    somebody = addressed(condition_named(data.selection.condition))
    about = f"{number_of(len(data.models), 'model')} predicted what {somebody or who} would do; this is what {who} did."
    about = f"{about} {comparison_with_others(scores, data.areas)}".strip()
    cautions, simulated = _cautions(scores.warnings, len(data.models)), words.who_replied(data.asked, data.runs)
    return Top(headline(scores, data.areas), about, details, list(cautions), simulated)


CAUTIONS: Mapping[type[SameReplies | Canned | ServerNotice], str] = {
    SameReplies: "gave the same replies: take them for one, and do not go by their margins",
    Canned: "gave replies that look canned: read some before you trust their scores",
    ServerNotice: "got replies that are odd by what the server says or by their text",
}


def _cautions(warnings: Sequence[Warned], models: int) -> Iterator[tuple[str, Sequence[str]]]:
    for kind, what in CAUTIONS.items():
        those = [warning for warning in warnings if isinstance(warning, kind)]
        if whose := {name for w in those for name in (w.models if isinstance(w, SameReplies) else (w.model,))}:
            who = next(iter(whose)) if len(whose) == 1 else f"{len(whose)} of {models} models"
            yield f"{who} {what}", [warning.text for warning in those]
