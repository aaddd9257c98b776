"""Our experiments, and those of other packages, as tasks of Inspect: `inspect eval selfexec/NAME`."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from inspect_ai import Epochs, Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment, session_kind
from selfexec.extensions.inspect.records import ITEM, LOG_OF, TASKS, VERSION, LogOf
from selfexec.extensions.inspect.scoring import claims
from selfexec.extensions.inspect.sessions import Asking, sessions
from selfexec.facets import FACETS, THINKING, Condition, condition_name, crossed_levels, history_in, settings_in
from selfexec.items import ItemSet, load, newest_order
from selfexec.prompts import all_prompts, asked_prompts, by_condition, read_prompts
from selfexec.runs.replay import ReplayedItem, prompts_of
from selfexec.runs.sampling import sampling_settings
from selfexec.version import __version__


def task_of(experiment: Experiment) -> Callable[..., Task]:
    """The function that Inspect finds under the experiment's name."""
    found: Callable[..., Task] = task(name=experiment.name)(maker_of(experiment))
    return found


def maker_of(experiment: Experiment) -> Callable[..., Task]:
    """What makes the task of an experiment."""

    def make(
        items: str = "starter",
        limit: int | None = None,
        fraction: float | None = None,
        preset: str | None = None,
        epochs: int = 1,
        prompts: str | None = None,
        facets: str | dict[str, Any] | None = None,
        protocol: str = "default",
    ) -> Task:
        try:
            return _task(
                experiment,
                load(items).cut([experiment.name], limit=limit, fraction=fraction, preset=preset),
                epochs,
                _condition(facets),
                read_prompts(prompts) if prompts else {},
                sampling_settings(protocol, [experiment.name]),
                preset,
            )
        except InputError as fault:  # said by Inspect in a line, and not in a traceback
            raise PrerequisiteError(str(fault)) from None

    make.__name__ = make.__qualname__ = experiment.name
    make.__doc__ = f"""Does a model predict {experiment.words.about}?

    Args:
        items: A set of items (starter, paper), or a folder of item files.
        limit: At most so many items, the first of a fixed order.
        fraction: This share of the items.
        preset: A cut with its strata in proportion: quick, standard or full.
        epochs: How often everything is asked.
        prompts: Other prompts: a set (de), or a file as `selfexec prompts` prints it.
        facets: Another condition: "frame=another-model".
        protocol: paper: the sampling settings of the paper's authors.
    """
    return make


def _condition(facets: str | Mapping[str, Any] | None) -> Condition:
    """The one condition of a task. InputError for one that takes what a task cannot give."""
    if isinstance(facets, str):
        name, equals, level = facets.partition("=")
        if not equals:
            raise InputError(f"-T facets={facets}: write it as -T facets=FACET=LEVEL, like frame=another-model.")
        facets = {name: level}
    if on := [f"{name}={level}" for name, level in (facets or {}).items() if name in FACETS and FACETS[name].dialogue]:
        raise InputError(f"{on[0]}: models have prompts executed there. Only `selfexec run` asks that.")
    [condition] = crossed_levels({name: [str(level)] for name, level in (facets or {}).items()})
    if history_in(condition):
        raise InputError(f"{condition_name(condition)}: only `selfexec run` shows results of other items.")
    return condition


def _task(
    experiment: Experiment,
    item_set: ItemSet,
    epochs: int,
    condition: Condition,
    changed: Mapping[str, str],
    settings: Mapping[str, Any],
    preset: str | None,
) -> Task:
    name = experiment.name
    if wanting := sorted(experiment.needs - {"turns"}):
        raise InputError(f"{name} needs {', '.join(wanting)} of the engine, which Inspect's tasks do not carry.")
    there = (session for item in item_set[name].values() for session in experiment.session_names(item))
    if elsewhere := sorted({session_kind(session) for session in there} - experiment.prompts.keys()):
        raise InputError(
            f"{name}: what a model did ({', '.join(elsewhere)}) is not asked, but comes from logs. Only `selfexec run` "
            "asks the predictions."
        )
    if any(THINKING in settings_in(condition, name, kind) for kind in experiment.prompts):
        raise InputError(f"{condition_name(condition)}: tell Inspect how to think, by --reasoning-effort.")
    prompts = all_prompts(changed)
    [(condition, templates)] = by_condition(prompts, [name], [condition])[name].items()
    texts = asked_prompts(prompts, [name], [condition])
    own = {scope: value for scope, value in settings.items() if scope.partition(".")[0] == name}
    asking = Asking(name, item_set, condition, templates, texts, own)
    log_of = LogOf(
        version=__version__,
        experiment=name,
        items=item_set.name,
        items_sha256=item_set.hashes[name],
        condition=dict(condition),
        preset=preset,
        preset_order=newest_order(load(item_set.name).hashes) if preset else None,
        prompts=texts,
        settings=own,
    )
    return Task(
        dataset=MemoryDataset(_samples(experiment, item_set, templates), name=item_set.name),
        solver=sessions(asking),
        scorer=claims(),
        epochs=Epochs(epochs),
        version=VERSION,
        metadata={LOG_OF: msgspec.to_builtins(log_of)},
        description=f"Does a model predict {experiment.words.about}?",
    )


def _samples(experiment: Experiment, item_set: ItemSet, templates: Mapping[str, str]) -> list[Sample]:
    """The items in their fixed order, each with the prompt of its behaviour, as far as that is known beforehand."""
    by_id = item_set[experiment.name]
    opened = prompts_of(ReplayedItem(experiment.name, item, templates, {}) for item in by_id.values())
    return [
        Sample(
            id=id,
            input=_behaviour(experiment, prompts),
            metadata={
                LOG_OF: experiment.name,
                "title": experiment.title(item),
                ITEM: item_set.lines[experiment.name][id].decode(),
            },
        )
        for (id, item), prompts in zip(by_id.items(), opened, strict=True)
    ]


def _behaviour(experiment: Experiment, prompts: Mapping[str, Any]) -> str:
    """The first prompt in which nothing is predicted, and where none is known the first of all."""
    known = [p for session, p in prompts.items() if session_kind(session) not in experiment.predictions]
    first = [*known, *prompts.values()][0]
    return first if isinstance(first, str) else first[-1].content


TASKS_BY_NAME = {
    f"{TASKS}{name}": task_of(experiment) for name, experiment in EXPERIMENTS.items() if not experiment.recorded
}
