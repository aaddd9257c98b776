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
    "constant": "a constant answer",
    "facts": "a plain fact of the item ({})",
    "text": "the text of the item",
    "others_predictions": "what other models predict",
    "others_behaviour": "other models' behaviour",
    "stacked": "everything combined (all)",
    "family_predictions": "what its family predicts",
    "family_behaviour": "its family's behaviour",
    "history": "its own history",
}
LEGEND = (
    "Each column is a predictor that uses only the information named; itself: the model's own prediction.",
    "same: a constant answer; facts: a request's label, a question's length; text: the words of an item; others "
    "predict, others do: what other models predicted and did on the same item; all: facts, text and other models "
    "combined, which is the baseline for margins; family: other models of its family; history: its own behaviour on "
    "other items.",
)
MARKS = (
    f"*: predicts the model significantly better than its own prediction does; ~: {TOO_CLOSE}; no mark: significantly "
    "worse, or not compared (paired, Holm-adjusted)."
)
NO_TEST = (
    "The ladder does not test self-knowledge: a model that only knows how models in general behave may beat every "
    "other predictor, and one with self-knowledge may not."
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
        told = "; ".join(f"in {joined(where)}, {finding}" for finding, where in said.items())
        yield model, f"{model}: {told or 'no verdict'}."


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
        return f"{phrase} predicts it better than it predicts itself"
    if few := few_models(itself.models):
        return f"no other predictor is shown to predict it better than it predicts itself ({few})"
    judged = [row for row in steps if row.own_prediction is not None]
    if open_ := [row for row in judged if row.own_prediction == "open"]:
        return f"it predicts itself {_better_than_the_rest(len(judged) - len(open_), len(judged))}"
    return "it predicts itself better than every other predictor does"


def _better_than_the_rest(better: int, judged: int) -> str:
    """better than 3 of 5 other predictors do; 2 are too close to call; or about as well as every other predictor"""
    if not better:
        many = "every other predictor" if judged > 1 else "the one other predictor that is compared"
        return f"about as well as {many} ({TOO_CLOSE})"
    return f"better than {better} of {judged} other predictors do ({judged - better} {TOO_CLOSE})"
