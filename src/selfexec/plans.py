"""What a run will ask, settled before anything is asked."""

import difflib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from selfexec.arguments import Names, names
from selfexec.engines import EngineOptions, default_models, engine_for, in_process
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.formats import MOST_EPOCHS
from selfexec.items import ItemSet
from selfexec.items import load as load_items
from selfexec.prompts import AllPrompts, all_prompts
from selfexec.settings import check_settings

# sampling settings by scope, see engines.lean.settings_for
PROTOCOLS: Mapping[str, Mapping[str, float]] = {
    "default": {},
    "paper": {"association.temperature": 0.0, "restriction.temperature": 0.0, "difficulty.temperature": 1.0},
}


class Visit(NamedTuple):
    """One model with one item in one epoch: what does not depend on anything else that is asked."""

    model: str
    experiment: str
    item: str
    epoch: int


@dataclass(frozen=True)
class Plan:
    """Everything that a run asks, before it asks it. `item_set` is the cut that is asked, `whole_set` what it is of;
    `command` is how the plan was made, as it may be written down.
    """

    models: list[str]
    item_set: ItemSet
    whole_set: ItemSet
    epochs: int
    prompts: AllPrompts
    options: EngineOptions
    out: Path
    preset: str | None = None
    max_calls: int | None = None
    command: str | None = None

    def visits(self) -> Iterator[Visit]:
        """Everything in the order in which it is asked, epoch by epoch. Experiments and models take turns, so that
        whenever it ends each has been asked its share, to within one item.
        """
        for epoch in range(1, self.epochs + 1):
            yield from (visit._replace(epoch=epoch) for visit in self.turns)

    @cached_property
    def turns(self) -> Sequence[Visit]:
        """One epoch in order: the items of an experiment stand evenly spread over it, and those of a model too."""
        placed = [
            ((n * len(self.models) + m + 0.5) / (len(by_id) * len(self.models)), e, m, id)
            for e, by_id in enumerate(self.item_set.items.values())
            for n, id in enumerate(by_id)
            for m in range(len(self.models))
        ]
        experiments = self.item_set.experiments
        return [Visit(self.models[m], experiments[e], id, 1) for _, e, m, id in sorted(placed)]

    def names(self, visit: Visit) -> Sequence[str]:
        """The sessions that a visit has at most."""
        return EXPERIMENTS[visit.experiment].session_names(self.item_set[visit.experiment][visit.item])

    @property
    def sessions(self) -> int:
        """How many sessions the plan has at most."""
        items = self.item_set.items.items()
        once = sum(len(EXPERIMENTS[e].session_names(item)) for e, by_id in items for item in by_id.values())
        return once * len(self.models) * self.epochs

    @property
    def asked_prompts(self) -> AllPrompts:
        """The templates of the experiments that are asked."""
        return {experiment: self.prompts[experiment] for experiment in self.item_set.experiments}


def plan(
    models: Names | None = None,
    *,
    experiments: Names | None = None,
    items: str | Path = "starter",
    limit: int | None = None,
    fraction: float | None = None,
    preset: str | None = None,
    epochs: int = 1,
    max_calls: int | None = None,
    prompts: Mapping[str, str] | None = None,
    protocol: str = "default",
    out: str | Path | None = None,
    **options: Any,
) -> Plan:
    """What would be asked. Without models it is the simulated panel.

    `preset` is quick, standard or full. With `max_calls`, at most so many sessions are opened now; the same plan goes
    on from there. `protocol` "paper" sends the sampling settings of the paper's authors; `settings` add to them.
    `options` are those of EngineOptions: base_url, wire, api_key_env, headers, max_connections, timeout, settings,
    system, extra_body, accept_filters.
    """
    asked = None if models is None else names(models)
    parts = None if experiments is None else names(experiments)
    unknown = [name for name in parts or [] if name not in EXPERIMENTS]
    if unknown:
        raise InputError(f"unknown experiment {unknown[0]!r}. The experiments are {', '.join(EXPERIMENTS)}.")
    if epochs < 1:
        raise InputError(f"--epochs {epochs}: give 1 or more.")
    if epochs > MOST_EPOCHS:
        raise InputError(f"--epochs {epochs}: a run holds {MOST_EPOCHS:,} at most.")
    if max_calls is not None and max_calls < 1:
        raise InputError(f"--max-calls {max_calls}: give 1 or more.")
    whole_set = load_items(items)
    item_set = whole_set.cut(parts, limit=limit, fraction=fraction, preset=preset)
    chosen = list(dict.fromkeys(asked or default_models()))
    if protocol not in PROTOCOLS:
        raise InputError(f"protocol {protocol!r}: there are {', '.join(PROTOCOLS)}.")
    engine = EngineOptions(**_known(options))
    engine = replace(engine, settings={**PROTOCOLS[protocol], **engine.settings})
    check_settings(engine.settings, engine.extra_body)
    if in_process(chosen, engine):
        engine_for(chosen, item_set, engine)  # refuses models that nobody simulates; real ones want a key, later
    folder = Path(out) if out else Path("runs") / _folder_name(asked, item_set.name)
    return Plan(chosen, item_set, whole_set, epochs, all_prompts(prompts or {}), engine, folder, preset, max_calls)


def _known(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """These options, if all of them are known."""
    there = [*inspect.signature(plan).parameters, *(field.name for field in fields(EngineOptions))]
    for name in options.keys() - {field.name for field in fields(EngineOptions)}:
        like = difflib.get_close_matches(name, there, n=1)
        way_out = f"Is {like[0]!r} meant?" if like else "Sampling settings go into settings={...}."
        raise InputError(f"unknown choice {name!r} for a run. {way_out}")
    return options


def _folder_name(models: Sequence[str] | None, item_name: str) -> str:
    who = "-".join(model.replace("/", "-") for model in models) if models else "simulated-panel"
    return f"{who[:80]}-{Path(item_name).name}"
