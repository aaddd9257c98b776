"""Which ones: a model next to the baseline that says yes as often as it does."""

from collections.abc import Mapping
from dataclasses import replace

from selfexec.analysis.findings import which_ones
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, dots, signs_in, texts
from selfexec.report.figures.said import Stand, by_experiment
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
    stands: dict[str, Stand] = {}
    for experiment in EXPERIMENTS:
        own, baseline = (numbers.scored(experiment, m) for m in ("share_of_ceiling", "baseline_share_of_ceiling"))
        if not own or not baseline:
            continue
        name = experiment.replace("_", " ")
        findings = which_ones(numbers.scores, experiment)
        marks = dots(numbers, "baseline", baseline, "baseline", offset=3)
        marks += dots(numbers, "model", own, offset=-3, findings=findings)
        panels.append(RowPanel(name, marks, axis="share of possible skill", of=experiment))
        cells |= {f"{experiment}: model": texts(own), f"{experiment}: baseline": texts(baseline)}
        above, below = (tuple(f.subject for f in findings if f.answer == answer) for answer in ("yes", "no"))
        stands[experiment] = Stand(above, below, len(findings))
    if not panels:
        return None
    domain = reach([dot.value for panel in panels for dot in panel.dots], 0.0, 1.0)  # one, to be compared
    panels = [replace(panel, domain=domain) for panel in panels]
    signs = [Sign("main", "model"), Sign("baseline", "baseline at its yes rate")]
    svg = rows(numbers.model_order, "equal_rate", TITLE, CAPTION, panels, signs_in(panels, signs))
    return Figure("equal_rate", TITLE, CAPTION, svg, *behind(numbers.models, cells), _finding(stands))


def _finding(stands: Mapping[str, Stand]) -> str:
    """Than whom the baseline is better, and than whom it is worse, by experiment; empty where it is neither."""
    worse = {e: found.whom(found.below) for e, found in stands.items() if found.below}
    better = {e: found.whom(found.above) for e, found in stands.items() if found.above}
    parts = [f"{where} {by_experiment(whom)}" for where, whom in (("ahead of", worse), ("behind", better)) if whom]
    return f"At equal yes rates the baseline is {', and '.join(parts)}" if parts else ""
