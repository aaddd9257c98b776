"""Own excess of the models of an experiment, by each source of what was done."""

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass

from selfexec.claims import Claims
from selfexec.experiments import SELF
from selfexec.metrics.kinds import kind_of
from selfexec.metrics.own.panel import panel_of_claims
from selfexec.metrics.own.verdict import OwnExcess, own_excess, without_verdict

NAME = "own_excess"
OWN_JUDGE = "what was done is each model's own judgement, with which its prediction may agree for other reasons"


@dataclass(frozen=True)
class Own:
    """Own excess of models asked in one condition, by one source of what was done; `metric` is its name in scores.
    `simulated`: no language model is behind them. `panel` names the reference panel that some of them are of and that
    nothing is said of; None where all are of the runs.
    """

    experiment: str
    condition: str
    source: str
    metric: str
    found: OwnExcess
    simulated: bool = False
    panel: str | None = None

    def is_of(self, model: str) -> bool:
        """Whether something is said of this model, be it why nothing can be said."""
        return model in self.found.each or model in self.found.of.left_out


def own_excesses(
    claims: Claims, simulated: Container[str], families: Mapping[str, str | None], references: Collection[str] = ()
) -> Iterator[Own]:
    """By the source that counts, then by each further one that says something of the same behaviour. Simulated models
    are a panel of their own. Nothing where what is predicted is each model's own.

    Where each model judges for itself what it did, no verdict follows: it may be of one mind with itself in prediction
    and judgement without knowing what it does. `references` are models of a reference panel.
    """
    if not kind_of(claims).CROSSED:
        return
    named = {NAME: claims, **{f"{NAME}_by_{other}": claims.by(other) for other in claims.others}}
    for metric, these in named.items():
        for apart in (False, True):
            if models := [model for model in these.models if (model in simulated) == apart]:
                found = own_excess(panel_of_claims(these, models, families), references)
                found = without_verdict(found, OWN_JUDGE) if these.source == SELF else found
                yield Own(these.experiment, these.condition, these.source, metric, found, apart)
