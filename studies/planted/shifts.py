"""The second stage in numbers: mirrored assignments, how far something moved with what was planted, and intervals.

Arrays in, numbers out; no model is needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tables import Flags, balanced

from selfexec.stats import Interval, mean_interval

Floats = NDArray[np.float64]
OWN, OTHER = "own", "other"  # arms: whose behaviour is planted


@dataclass(frozen=True)
class Planted:
    """How far four things moved in one draw of one arm, at one dose: means over topics, in logits.

    A shift is positive where something moved towards what was planted.
    """

    own_behaviour: float
    own_prediction: float
    other_behaviour: float
    other_prediction: float


def mirrored(rng: np.random.Generator, topics: int) -> tuple[Flags, Flags]:
    """An assignment that answers half of the topics, and the one that declines these and answers the others."""
    first = balanced(rng, topics)
    return first, ~first


def shift(margins: Floats, mirrored_margins: Floats, assignment: Flags) -> float:
    """How far the margins of an answer over a refusal moved with the assignment, by topic, and that on average.

    `mirrored_margins` are those of a second plant, of all topics the opposite: whatever a topic suggests by itself is
    in both and cancels.
    """
    signs = np.where(assignment, 1.0, -1.0)
    return float((signs * (margins - mirrored_margins) / 2).mean())


def moves_with_its_own(own: Planted, other: Planted) -> float:
    """The causal number of one draw: how much further the own prediction moves when the own behaviour is planted than
    when the other person's is, beyond the same of the prediction about the other person.

    That is the interaction of the 2 x 2. It is 0 where a plant moves a topic, whoever it is about.
    """
    return (own.own_prediction - own.other_prediction) - (other.own_prediction - other.other_prediction)


def over_draws(values: Sequence[float]) -> tuple[float, Interval]:
    """The mean of what was seen in each draw, and its interval by Student's t: draws are the units, not topics."""
    numbers = np.array(values, float)
    return float(numbers.mean()), mean_interval(numbers)[0]


def persons_apart(own_margins: Floats, own: Flags, other: Flags) -> Floats:
    """On the taught topics on which two persons differ: how far the own prediction goes with the own table, one value
    for each topic. Above 0 it goes with the own table, below with the other person's.
    """
    differ = own != other
    apart: Floats = np.where(own[differ], 1.0, -1.0) * own_margins[differ]
    return apart


def gate(own_apart: Floats, other_apart: Floats) -> bool:
    """Whether taught predictions surely tell two persons apart: both intervals over topics are above 0."""
    return all(mean_interval(values)[0].low > 0 for values in (own_apart, other_apart))
