"""Which ones: a model next to the baseline that says yes as often as it does."""

from dataclasses import replace

from selfexec.analysis.answers import brief
from selfexec.analysis.findings import which_ones
from selfexec.analysis.numbers import Number
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, dots, signs_of, texts
from selfexec.report.svg import RowPanel, Sign, reach, rows

TITLE = "Skill at equal yes rates"
CAPTION = (
    "How much of the skill possible at a model's yes rate it and the baseline reach, with 95% intervals; where both "
    "are near 1, they cannot be told apart."
)


def equal_rate(numbers: FigureNumbers) -> Figure | None:
    """None where there are no rates, or no baselines."""
    panels: list[RowPanel] = []
    cells: dict[str, dict[str, str]] = {}
    shown: list[dict[str, Number]] = []
    told: list[str] = []
    for experiment in EXPERIMENTS:
        own, baseline = (numbers.scored(experiment, m) for m in ("share_of_ceiling", "baseline_share_of_ceiling"))
        if not own or not baseline:
            continue
        name = experiment.replace("_", " ")
        marks = [*dots(numbers, "baseline", baseline, "baseline", offset=3), *dots(numbers, "model", own, offset=-3)]
        panels.append(RowPanel(name, marks, axis="share of possible skill", of=experiment))
        shown.append(own)
        cells |= {f"{experiment}: model": texts(own), f"{experiment}: baseline": texts(baseline)}
        if states := brief(which_ones(numbers.scores, experiment)):
            states = states.replace(" ahead", " ahead of the baseline").replace(" behind", " behind the baseline")
            told.append(f"{name}: {states}")
    if not panels:
        return None
    domain = reach([dot.value for panel in panels for dot in panel.dots], 0.0, 1.0)  # one, to be compared
    panels = [replace(panel, domain=domain) for panel in panels]
    signs = [Sign("main", "model"), Sign("baseline", "baseline at its yes rate")]
    svg = rows(numbers.model_order, "equal_rate", TITLE, CAPTION, panels, signs_of(signs, *shown))
    finding = f"At equal yes rates: {'; '.join(told)}" if told else ""
    return Figure("equal_rate", TITLE, CAPTION, svg, *behind(numbers.models, cells), finding)
