"""What a run will ask, settled before anything is asked."""

import difflib
import hashlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from string import Template
from typing import Any

from selfexec.arguments import Names, names
from selfexec.engines import EngineOptions, default_models, engine_for, in_process
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Prompts
from selfexec.items import Item, ItemSet
from selfexec.items import load as load_items
from selfexec.settings import check_settings

AllPrompts = Mapping[str, Prompts]  # experiment -> its templates
# sampling settings by scope, see engines.lean.settings_for
PROTOCOLS: Mapping[str, Mapping[str, float]] = {
    "default": {},
    "paper": {"association.temperature": 0.0, "restriction.temperature": 0.0, "difficulty.temperature": 1.0},
}


@dataclass(frozen=True)
class Plan:
    """Everything that a run asks, before it asks it."""

    models: list[str]
    item_set: ItemSet
    epochs: int
    prompts: AllPrompts
    options: EngineOptions
    out: Path
    preset: str | None = None
    max_calls: int | None = None

    def visits(self) -> Iterator[tuple[str, str, Item, int]]:
        """Each model with each item in each epoch: the pieces that do not depend on each other."""
        for epoch in range(1, self.epochs + 1):
            for experiment, by_id in self.item_set.items.items():
                for item in by_id.values():
                    for model in self.models:
                        yield model, experiment, item, epoch

    @property
    def sessions(self) -> int:
        """How many sessions the plan has at most."""
        return sum(len(EXPERIMENTS[experiment].session_names(item)) for _, experiment, item, _ in self.visits())


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
    system, extra_body.
    """
    asked = None if models is None else names(models)
    parts = None if experiments is None else names(experiments)
    unknown = [name for name in parts or [] if name not in EXPERIMENTS]
    if unknown:
        raise InputError(f"unknown experiment {unknown[0]!r}. The experiments are {', '.join(EXPERIMENTS)}.")
    if epochs < 1:
        raise InputError(f"--epochs {epochs}: give 1 or more.")
    if max_calls is not None and max_calls < 1:
        raise InputError(f"--max-calls {max_calls}: give 1 or more.")
    item_set = load_items(items).cut(parts, limit=limit, fraction=fraction, preset=preset)
    chosen = list(dict.fromkeys(asked or default_models()))
    if protocol not in PROTOCOLS:
        raise InputError(f"protocol {protocol!r}: there are {', '.join(PROTOCOLS)}.")
    engine = EngineOptions(**_known(options))
    engine = replace(engine, settings={**PROTOCOLS[protocol], **engine.settings})
    check_settings(engine.settings, engine.extra_body)
    if in_process(chosen, engine):
        engine_for(chosen, item_set, engine)  # refuses models that nobody simulates; real ones want a key, later
    folder = Path(out) if out else Path("runs") / _folder_name(asked, item_set.name)
    return Plan(chosen, item_set, epochs, all_prompts(prompts or {}), engine, folder, preset, max_calls)


def _known(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """These options, if all of them are known."""
    there = [*inspect.signature(plan).parameters, *(field.name for field in fields(EngineOptions))]
    for name in options.keys() - {field.name for field in fields(EngineOptions)}:
        like = difflib.get_close_matches(name, there, n=1)
        way_out = f"Is {like[0]!r} meant?" if like else "Sampling settings go into settings={...}."
        raise InputError(f"unknown choice {name!r} for a run. {way_out}")
    return options


def all_prompts(changed: Mapping[str, str]) -> AllPrompts:
    """Every experiment's templates, with some replaced; `changed` goes from 'restriction.predict' to a template."""
    prompts = {experiment: dict(module.PROMPTS) for experiment, module in EXPERIMENTS.items()}
    for name, template in changed.items():
        experiment, _, session = name.partition(".")
        if session not in prompts.get(experiment, {}):
            known = ", ".join(f"{e}.{s}" for e, templates in prompts.items() for s in templates)
            raise InputError(f"prompt {name!r}: there is no such prompt. There are {known}.")
        prompts[experiment][session] = _checked(name, template, prompts[experiment][session])
    return prompts


def _checked(name: str, template: str, original: str) -> str:
    if not Template(template).is_valid():
        raise InputError(f"prompt {name!r}: a stray $. Write $$ for a dollar sign.")
    wanted, found = set(Template(original).get_identifiers()), set(Template(template).get_identifiers())
    if wanted != found:
        names = ", ".join(f"${w}" for w in sorted(wanted))
        raise InputError(f"prompt {name!r}: it must contain {names}, each at least once, and nothing else with a $.")
    return template


def prompt_hashes(prompts: AllPrompts) -> dict[str, str]:
    return {
        f"{experiment}.{session}": hashlib.sha256(template.encode()).hexdigest()
        for experiment, templates in prompts.items()
        for session, template in templates.items()
    }


def _folder_name(models: Sequence[str] | None, item_name: str) -> str:
    who = "-".join(model.replace("/", "-") for model in models) if models else "simulated-panel"
    return f"{who[:80]}-{Path(item_name).name}"
