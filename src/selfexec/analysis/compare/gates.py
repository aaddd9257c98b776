"""Release gates: has the new model lost more than it may?"""

import math
from dataclasses import dataclass
from typing import Literal

from selfexec.analysis.compare.measures import METRICS, NO_OVERALL, OVERALL, SHARE, no_overall, no_rate
from selfexec.analysis.differences import Difference
from selfexec.analysis.names import refuse_unknown_metric
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.stats import POWER_80, Z
from selfexec.text.matching import meant
from selfexec.text.numbers import number_of, signed
from selfexec.text.regex import regex

FORM = regex(r"(\w+)\.(\w+)\s+(drops|rises)\s+(?:by\s+)?(\S+)")
NUMBER = regex(r"\d+(?:\.\d*)?|\.\d+")
NOT_GATED = ("margin_at_own_rate", "ceiling_at_own_rate", SHARE, "baseline_share_of_ceiling")
ALWAYS_YES = (
    "A release that says yes to everything has a margin of 0 at its own rate, and no share of the ceiling, whatever it "
    "knows. Take skill, or rate_bias."
)
Outcome = Literal["holds", "fails", "cannot tell"]
PRINTED: dict[Outcome, str] = {"holds": "PASS", "fails": "FAIL", "cannot tell": "CANNOT TELL"}
STATUS: dict[Outcome, int] = {"holds": 0, "cannot tell": 4, "fails": 3}


@dataclass(frozen=True)
class Gate:
    """'overall.skill drops 0.1': what must not be shown to have happened."""

    experiment: str
    metric: str
    verb: str
    allowed: float

    @classmethod
    def of(cls, text: str) -> "Gate":
        found = FORM.fullmatch(text.strip())
        if not found:
            raise InputError(f"--fail-if {text!r}: write it as 'overall.skill drops 0.1', or with rises.")
        experiment, metric, verb, number = found.groups()
        if experiment not in (known := [*EXPERIMENTS, OVERALL]):
            raise InputError(f"--fail-if {text!r}: unknown experiment {experiment!r}. {meant(experiment, known)}")
        if metric in NOT_GATED:
            raise InputError(f"--fail-if {text!r}: there is no gate on {metric}. {ALWAYS_YES}")
        refuse_unknown_metric(metric, METRICS, f"--fail-if {text!r}: ")
        if experiment == OVERALL and metric in NO_OVERALL:
            raise InputError(f"--fail-if {text!r}: {no_overall(metric)}")
        if experiment != OVERALL and (why := no_rate(metric, experiment)):
            raise InputError(f"--fail-if {text!r}: there is no {metric} of {experiment}: {why}.")
        allowed = float(number) if NUMBER.fullmatch(number) else math.nan
        least, most = METRICS[metric]
        if not 0 <= allowed < most - least:
            raise InputError(
                f"--fail-if {text!r}: {number!r} is no change that {metric} could show. Give a number from 0 to "
                f"{most - least:g}; five points are 0.05."
            )
        return cls(experiment, metric, verb, allowed)

    def __str__(self) -> str:
        return f"{self.experiment}.{self.metric} {self.verb} {self.allowed:g}"


@dataclass(frozen=True)
class GateVerdict:
    """What the data say of a gate, and the line that says so with its numbers."""

    gate: str
    experiment: str
    metric: str
    outcome: Outcome
    line: str

    @property
    def status(self) -> int:
        return STATUS[self.outcome]


def judge(gate: Gate, row: Difference, few: str | None, lost: str | None) -> GateVerdict:
    """A gate 'drops X' holds where the whole 95% interval of new - old lies above -X, fails where the whole interval
    lies below -X, and is undecided where -X is inside. 'rises X' is its mirror image at +X.

    `few` (a reason) leaves it undecided in any case; `lost` keeps a gate from holding, since what was lost may be what
    went wrong.
    """
    outcome, why = _outcome(gate, row, few, lost)
    return _told(gate, outcome, why)


def failed(gate: Gate, why: str) -> GateVerdict:
    """Whatever the numbers: a release that cannot be read at all must not pass for one that is merely in doubt."""
    return _told(gate, "fails", why)


def _told(gate: Gate, outcome: Outcome, why: str) -> GateVerdict:
    return GateVerdict(str(gate), gate.experiment, gate.metric, outcome, f"{PRINTED[outcome]} (fail if {gate}): {why}")


def _outcome(gate: Gate, row: Difference, few: str | None, lost: str | None) -> tuple[Outcome, str]:
    if row.value is not None and few:
        return "cannot tell", f"too few to tell ({few})"
    if row.difference is None or row.low is None or row.high is None:
        return "cannot tell", f"{row.reason}"
    sign = -1 if gate.verb == "drops" else 1
    edge = sign * gate.allowed
    near, far = (row.low, row.high) if gate.verb == "drops" else (row.high, row.low)
    gap = f"new - old is {signed(row.difference)} [{signed(row.low)}, {signed(row.high)}]"
    numbers = f"{gap} on {number_of(row.items, 'item')}"
    if sign * near < gate.allowed:
        kept = f"{numbers}, and {signed(edge)} lies outside"
        return ("cannot tell", f"{kept}, but {lost}") if lost else ("holds", kept)
    if sign * far > gate.allowed:
        return "fails", f"{numbers}, all of it beyond {signed(edge)}"
    return "cannot tell", f"{numbers}, and {signed(edge)} lies inside{_way_to_tell(gate, row)}"


def _way_to_tell(gate: Gate, row: Difference) -> str:
    """What it takes for a model that has not changed to pass in four of five runs: a greater X, or more items."""
    if not row.error or not row.detectable or row.detectable <= gate.allowed:
        return ""
    least, most = METRICS[gate.metric]
    enough = math.ceil(100 * row.detectable) / 100  # up, so that it is enough
    ways = [f"with '{gate.verb} {enough:g}'"] if enough < most - least else []
    if gate.allowed and (needed := math.ceil(row.items * ((Z + POWER_80) * row.error / gate.allowed) ** 2)) > row.items:
        ways.append(f"on {number_of(needed, 'item')}")
    return f"; a model that has not changed would pass in 80% of runs {', or '.join(ways)}" if ways else ""
