"""The paper's Figure 7: the three experiments side by side, each with a guesser of its own in place of one line."""

from selfexec.experiments import EXPERIMENTS
from selfexec.reporting.figures.canvas import Sign
from selfexec.reporting.figures.figure import Figure, behind
from selfexec.reporting.figures.rows import Panel, dots, guesser_dots, rows
from selfexec.reporting.figures.tables import Numbers, texts

TITLE = "The three experiments side by side"
CAPTION = (
    "Accuracy in each experiment, and what the best guesser reaches who never saw the model. The three have different "
    "baselines: one half is what guessing reaches in none but the third."
)


def experiments(numbers: Numbers) -> Figure | None:
    accuracies = {experiment: numbers.scored(experiment, "accuracy") for experiment in EXPERIMENTS}
    accuracies = {experiment: found for experiment, found in accuracies.items() if found}
    if len(accuracies) < 2:
        return None
    best = {experiment: numbers.best_guessers(experiment) for experiment in accuracies}
    panels = [
        Panel(experiment, [*guesser_dots(numbers, best[experiment]), *dots(numbers, f"{experiment} accuracy", found)])
        for experiment, found in accuracies.items()
    ]
    signs = [Sign("main", "model, with 95% interval"), Sign("guess", "best guesser who never saw the model")]
    cells = {}
    for experiment, found in accuracies.items():
        cells |= {experiment: texts(found), f"best guesser, {experiment}": texts(best[experiment])}
    table = behind(numbers.models, cells)
    return Figure(
        "experiments", TITLE, CAPTION, rows(numbers, "experiments", TITLE, CAPTION, panels, signs), *table
    )
