"""What simulated respondents know of the world: the items that they may be asked about."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from selfexec.engines.sim.simulation import simulation_of
from selfexec.items import ItemSet


@dataclass(frozen=True)
class Knowledge:
    """Facts by their kind, as the simulations of the experiments call it: `labels` of requests, `keys` of questions."""

    facts: Mapping[str, Mapping[str, Any]]

    def __getitem__(self, kind: str) -> Mapping[str, Any]:
        """The facts of a kind, none where nothing of it is known."""
        return self.facts.get(kind, MappingProxyType({}))

    @classmethod
    def of(cls, item_set: ItemSet) -> "Knowledge":
        """What the items of a set tell."""
        facts: dict[str, dict[str, Any]] = {}
        for experiment, by_id in item_set.items.items():
            if simulation := simulation_of(experiment):
                for kind, known in simulation.facts(list(by_id.values())).items():
                    facts.setdefault(kind, {}).update(known)
        return cls(facts)
