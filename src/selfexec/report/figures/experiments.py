"""The paper's Figure 7: the experiments side by side, each with a baseline of its own in place of one line."""

from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, Numbers, baseline_dots, dots, texts
from selfexec.report.svg import Panel, Sign, rows, shares

TITLE = "The experiments side by side"
CAPTION = (
    "Accuracy in each experiment, beside what the most accurate baseline reaches, which knows nothing of the model. "
    "There is no one line at one half, since each experiment has baselines of its own, and each model its own most "
    "accurate one."
)


def experiments(numbers: Numbers) -> Figure | None:
    accuracies = {experiment: numbers.scored(experiment, "accuracy") for experiment in EXPERIMENTS}
    accuracies = {experiment: found for experiment, found in accuracies.items() if found}
    if len(accuracies) < 2:
        return None
    baselines = {experiment: numbers.baselines(experiment) for experiment in accuracies}
    marks = {
        experiment: [*baseline_dots(numbers, baselines[experiment]), *dots(numbers, f"{experiment} accuracy", found)]
        for experiment, found in accuracies.items()
    }
    domain = shares(*marks.values())
    panels = [Panel(experiment, found, domain=domain, axis="accuracy") for experiment, found in marks.items()]
    signs = [
        Sign("main", "model, with 95% interval"),
        Sign("baseline", f"{BASELINE}, which never saw the model"),
    ]
    cells: dict[str, dict[str, str]] = {}
    for experiment, found in accuracies.items():
        cells |= {f"{experiment} accuracy": texts(found), f"{experiment}: {BASELINE}": texts(baselines[experiment])}
    table = behind(numbers.models, cells)
    return Figure(
        "experiments", TITLE, CAPTION, rows(numbers.lineup, "experiments", TITLE, CAPTION, panels, signs), *table
    )
