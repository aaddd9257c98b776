"""What levels are called, and what is said of a model's ladder."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from selfexec.analysis.findings import TOO_CLOSE
from selfexec.analysis.ladder.row import LadderRow
from selfexec.analysis.names import baseline_name
from selfexec.metrics import ITSELF, few_models
from selfexec.text.numbers import joined

# level -> its head in a table and in a figure
HEADS: Mapping[str, str] = {
    "constant": "same",
    "facts": "facts",
    "text": "text",
    "others_predictions": "others predict",
    "others_behaviour": "others do",
    "stacked": "all",
    "family_predictions": "family predicts",
    "family_behaviour": "family does",
    "history": "history",
    ITSELF: ITSELF,
}
# level -> who knows only that, in a sentence
PHRASES: Mapping[str, str] = {
    "constant": "saying always the same",
    "facts": "a plain fact of the item ({})",
    "text": "the text of the item",
    "others_predictions": "what others predict",
    "others_behaviour": "what others do",
    "stacked": "questions and others together",
    "family_predictions": "what its family predicts",
    "family_behaviour": "what its family does",
    "history": "its own history",
}
LEGEND = (
    "A level is a prediction made from the information that is named; itself: the model's own prediction.",
    "same: always the same answer; facts: a request's label, a question's length; text: the words of an item; others "
    "predict, others do: what other models predicted and did on the same item; all: these stacked, the baseline of "
    "margins; family: the same of other models of its family; history: its own behaviour with other items.",
)
MARKS = f"*: predicts the model significantly better than its own prediction does; ~: {TOO_CLOSE} (paired, by Holm)."
NO_TEST = (
    "The ladder is no test of self-knowledge: a model that knows models in general may be ahead of every level, and "
    "one that knows its own ways may be behind."
)


def sentences(rows: Iterable[LadderRow]) -> Iterator[tuple[str, str]]:
    """Model and what its ladder shows, experiment by experiment; what is the same of several is said once. Nothing of
    one that is withheld or to be read with caution.
    """
    by_model: dict[str, dict[str, list[LadderRow]]] = {}
    for row in rows:
        by_model.setdefault(row.model, {}).setdefault(row.experiment, []).append(row)
    for model, parts in by_model.items():
        said: dict[str, list[str]] = {}
        for experiment, steps in parts.items():
            if finding := _finding(steps):
                said.setdefault(finding, []).append(experiment)
        told = "; ".join(f"in {joined(where)} {finding}" for finding, where in said.items())
        yield model, f"{model}: {told or 'nothing can be said'}."


def _finding(steps: Sequence[LadderRow]) -> str | None:
    """How a model's own prediction stands in one experiment. Of those that tell surely more than it does the one of the
    greatest skill is named, a single one rather than all stacked.
    """
    itself = next((row for row in steps if row.level == ITSELF), None)
    if itself is None or itself.skill is None or itself.reason:
        return None
    if more := [row for row in steps if row.own_prediction == "behind"]:
        most = max(more, key=lambda row: (row.level != "stacked", row.skill or 0.0))
        phrase = PHRASES[most.level].format(baseline_name(most.baseline))
        return f"{phrase} {'predict' if most.level == 'stacked' else 'predicts'} it better than its own prediction does"
    if few := few_models(itself.models):
        return f"no level is shown to predict it better than its own prediction does ({few})"
    judged = [row for row in steps if row.own_prediction is not None]
    if open_ := [row for row in judged if row.own_prediction == "open"]:
        return f"its own prediction is {_ahead_of_the_rest(len(judged) - len(open_), len(judged))}"
    return "its own prediction is ahead of every level"


def _ahead_of_the_rest(ahead: int, judged: int) -> str:
    """too close to call with every level, or ahead of 3 of 5 levels, and too close to call with 2"""
    if not ahead:
        return f"{TOO_CLOSE} with every level" if judged > 1 else f"{TOO_CLOSE} with the one level that is judged"
    return f"ahead of {ahead} of {judged} levels, and {TOO_CLOSE} with {judged - ahead}"
