"""How far the sources of an experiment agree, and where they do not."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from selfexec.claims import Claims, Flags, Floats
from selfexec.claims.arrays import Signs
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.readers import Reading
from selfexec.runs import Run
from selfexec.stats import NONE, Interval, coincidences, nominal_alpha, percentile_intervals, resampled_totals
from selfexec.text.printable import command_line

REPLICATES = 2000


@dataclass(frozen=True)
class JudgedClaims:
    """The claims of an experiment, and what each source says of them: `by` has a column for each, +1, -1 and 0 where it
    says nothing. `idle`: there was nothing to judge. `label` is what labels say.
    """

    claims: Claims
    sources: tuple[str, ...]
    by: Signs
    idle: Flags
    label: Signs

    def column(self, source: str) -> Signs:
        found: Signs = self.by[:, self.sources.index(source)]
        return found


@dataclass(frozen=True)
class Agreement:
    """Of some sources: Krippendorff's alpha over the replies that two of them or more judged, with a 95% bootstrap
    interval over items, and the share of their pairs of judgements that agree.
    """

    experiment: str
    sources: tuple[str, ...]
    replies: int
    agree: float
    alpha: float
    interval: Interval


@dataclass(frozen=True)
class Dispute:
    """A claim about which the sources say different things: `said` by source, None where one says nothing. `agree` is
    the share of their pairs that agree, `label` what labels say, `address` the command that shows it.
    """

    experiment: str
    model: str
    item: str
    epoch: int
    claim: str
    said: Mapping[str, bool | None]
    label: bool | None
    agree: float
    address: str


def said_of(run: Run, claims: Claims, labels: Mapping[Key, bool | None]) -> JudgedClaims:
    """What every source says of these claims."""
    jobs = [
        (claims.models[model], claims.items[item], int(epoch))
        for model, item, epoch in zip(claims.model, claims.item, claims.epoch, strict=True)
    ]
    experiment = EXPERIMENTS[claims.experiment]
    there: dict[tuple[str, str, int], dict[str, Reading]] = {}
    for key, reading in run.readings.items():
        if key.experiment == claims.experiment:
            there.setdefault((key.model, key.item, key.epoch), {})[key.session] = reading
    of_labels = {(k.model, k.item, k.epoch): value for k, value in labels.items() if k.experiment == claims.experiment}
    return JudgedClaims(
        claims,
        (claims.source, *claims.further_sources),
        np.column_stack([claims.observed, claims.further_outcomes]),
        np.array([bool(experiment.idle(there.get(one, {}))) for one in jobs], np.bool_),
        np.array([_sign(of_labels.get(one)) for one in jobs], np.int8),
    )


def _sign(said: bool | None) -> int:
    return 0 if said is None else 1 if said else -1


def agreements(said: JudgedClaims) -> Iterator[Agreement]:
    """Of all sources together, and of every two."""
    if len(said.sources) > 2:
        yield agreement(said, said.sources)
    yield from (agreement(said, pair) for pair in combinations(said.sources, 2))


def agreement(said: JudgedClaims, sources: Sequence[str]) -> Agreement:
    pairs = coincidences(_counts(said, sources))
    by_item = np.stack([said.claims.by_item(column) for column in pairs.T], axis=1)
    by_item = by_item[by_item.sum(1) > 0]
    total = by_item.sum(0)
    interval = NONE
    if len(by_item) > 1:
        drawn = nominal_alpha(resampled_totals(by_item, REPLICATES, np.random.default_rng(0)))
        interval = percentile_intervals(drawn[:, None])[0]
    judged = float(total[1:].sum()) if len(by_item) else 0.0
    return Agreement(
        said.claims.experiment,
        tuple(sources),
        int((pairs[:, 1:].sum(1) > 0).sum()),
        float(total[0]) / judged if judged else math.nan,
        float(nominal_alpha(total)) if judged else math.nan,
        interval,
    )


def _counts(said: JudgedClaims, sources: Sequence[str]) -> Floats:
    """How many sources say yes and how many no to each claim, shape (claims, 2); of what was not judged, none."""
    by = np.column_stack([said.column(source) for source in sources]) * ~said.idle[:, None]
    return np.stack([(by > 0).sum(1), (by < 0).sum(1)], axis=1).astype(np.float64)


def pairs_by_item(said: JudgedClaims) -> tuple[Floats, Floats, Floats]:
    """Of each item: the pairs of judgements that agree, all of them, and how many of its replies were judged twice or
    more.
    """
    pairs = coincidences(_counts(said, said.sources))
    judged = pairs[:, 1:].sum(1)
    return said.claims.by_item(pairs[:, 0]), said.claims.by_item(judged), said.claims.by_item(judged > 0)


def disputes(said: JudgedClaims, folder: str) -> list[Dispute]:
    """Where sources say different things, the most divided first; then in the order of the claims."""
    counts = _counts(said, said.sources)
    m = counts.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        agree = (counts * (counts - 1)).sum(1) / (m * (m - 1))
    divided = np.flatnonzero((counts > 0).all(1))
    return [_dispute(said, int(row), float(agree[row]), folder) for row in sorted(divided, key=lambda row: agree[row])]


def _dispute(said: JudgedClaims, row: int, agree: float, folder: str) -> Dispute:
    claims = said.claims
    model, item = claims.models[claims.model[row]], claims.items[claims.item[row]]
    return Dispute(
        claims.experiment,
        model,
        item,
        int(claims.epoch[row]),
        claims.claim_names[claims.claim_name[row]],
        {source: _yes(value) for source, value in zip(said.sources, said.by[row], strict=True)},
        _yes(said.label[row]),
        agree,
        command_line("read {} --model {} --experiment {} --item {} --show", folder, model, claims.experiment, item),
    )


def _yes(sign: int) -> bool | None:
    return None if not sign else bool(sign > 0)
