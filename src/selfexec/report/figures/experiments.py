"""The paper's Figure 7: the experiments side by side, each with a baseline of its own in place of one line."""

from collections.abc import Mapping

from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, baseline_dots, dots, signs_of, texts
from selfexec.report.figures.said import Stand, as_the_paper_counts, by_experiment, paper, sentence, stand
from selfexec.report.svg import RowPanel, Sign, rows, shares
from selfexec.text.numbers import joined

TITLE = "The experiments side by side"
CAPTION = (
    "Accuracy in each experiment, next to that of the baseline that is most accurate for the model and knows nothing "
    "about it."
)


def experiments(numbers: FigureNumbers) -> Figure | None:
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
    panels = [
        RowPanel(experiment.replace("_", " "), found, domain=domain, axis="accuracy", of=experiment)
        for experiment, found in marks.items()
    ]
    signs = [
        Sign("main", "model, with 95% interval"),
        Sign("baseline", BASELINE),
    ]
    cells: dict[str, dict[str, str]] = {}
    for experiment, found in accuracies.items():
        cells |= {f"{experiment} accuracy": texts(found), f"{experiment}: {BASELINE}": texts(baselines[experiment])}
        cells |= {f"{experiment}: as the paper counts": texts(as_the_paper_counts(numbers, experiment))}
    table = behind(numbers.models, cells)
    svg = rows(numbers.model_order, "experiments", TITLE, CAPTION, panels, signs_of(signs, *accuracies.values()))
    stands = {e: stand(found, {m: b.number for m, b in baselines[e].items()}) for e, found in accuracies.items()}
    return Figure("experiments", TITLE, CAPTION, svg, *table, _finding(stands), paper(numbers, 7, [*accuracies]))


def _finding(stands: Mapping[str, Stand]) -> str:
    """Who is right more often, by experiment."""
    behind = {e: found.whom(found.below) for e, found in stands.items() if found.below}
    ahead = {e: found.whom(found.above) for e, found in stands.items() if found.above}
    alone = len(set(ahead.values())) == 1 and all(len(found.above) < 2 for found in stands.values())
    if not behind:
        verb = "is" if alone else "are"
        return sentence(
            f"{by_experiment(ahead)} {verb} right more often than the most accurate baseline" if ahead else ""
        )
    more = f"The most accurate baseline is right more often than {by_experiment(behind)}"
    if not ahead:
        return more
    same = len({*behind.values(), *ahead.values()}) == 1
    less = f"in {joined([e.replace('_', ' ') for e in ahead])}" if same else f"than {by_experiment(ahead)}"
    return f"{more}, and less often {less}"
