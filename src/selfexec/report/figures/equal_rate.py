"""Which ones: a model next to the baseline that says yes as often as it does."""

from collections.abc import Mapping
from dataclasses import replace

from selfexec.analysis.findings import NO_ROOM, which_ones
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import NO_VERDICT, FigureNumbers, dots, signs_in, texts
from selfexec.report.figures.said import Stand, by_experiment
from selfexec.report.svg import RowPanel, Sign, reach, rows

TITLE = "Skill at equal yes rates"
CAPTION = (
    "How much of the skill possible at a model's yes rate it and the baseline reach, with 95% intervals; where both "
    "are near 1, they cannot be told apart."
)
LEFT_OUT = " Models at whose yes rate hardly any skill is possible are left out."


def equal_rate(numbers: FigureNumbers) -> Figure | None:
    """None where there are no rates, or no baselines."""
    panels: list[RowPanel] = []
    cells: dict[str, dict[str, str]] = {}
    stands: dict[str, Stand] = {}
    without_room: set[str] = set()
    caption = CAPTION
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
        full = {f.subject for f in findings if f.answer == "ceiling"}
        without_room |= full & own.keys()
        caption = CAPTION + LEFT_OUT if full - own.keys() else caption
        above, below = (tuple(f.subject for f in findings if f.answer == answer) for answer in ("yes", "no"))
        stands[experiment] = Stand(above, below, len(findings))
    if not panels:
        return None
    domain = reach([dot.value for panel in panels for dot in panel.dots], 0.0, 1.0)  # one, to be compared
    panels = [replace(panel, domain=domain) for panel in panels]
    signs = signs_in(panels, [Sign("main", "model"), Sign("baseline", "baseline at its yes rate")])
    if without_room:
        signs = [replace(sign, text=f"{NO_VERDICT}, or {NO_ROOM}") if sign.kind == "faint" else sign for sign in signs]
    svg = rows(numbers.model_order, "equal_rate", TITLE, caption, panels, signs)
    return Figure("equal_rate", TITLE, caption, svg, *behind(numbers.models, cells), _finding(stands))


def _finding(stands: Mapping[str, Stand]) -> str:
    """Than whom the baseline is better, and than whom it is worse, by experiment; empty where it is neither."""
    worse = {e: found.whom(found.below) for e, found in stands.items() if found.below}
    better = {e: found.whom(found.above) for e, found in stands.items() if found.above}
    parts = [f"{where} {by_experiment(whom)}" for where, whom in (("ahead of", worse), ("behind", better)) if whom]
    return f"At equal yes rates the baseline is {', and '.join(parts)}" if parts else ""
