"""What models are shown of results that a run has already: which items these are of, and the templates with them in."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, MISSING_READING, Key, Prompts, session_kind
from selfexec.facets import HISTORY, STRATEGY, Condition, Shown, condition_name, history_in, in_condition, put
from selfexec.items import ItemSet
from selfexec.prompts import AllPrompts, name_in, of_model
from selfexec.readers import Reading
from selfexec.runs.folder import MANIFEST
from selfexec.runs.run import Run, read_without_shards

HELD_OUT = "held_out"  # the setting that names the items


@dataclass(frozen=True)
class Histories:
    """`held_out`: the items whose results are shown, by experiment and condition; `templates`: those of predictions
    with the results in, by name and model as a run keeps them.
    """

    held_out: Mapping[tuple[str, Condition], Sequence[str]] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)

    def conditions(self, asking: Iterable[Condition], experiment: str, item: str) -> list[Condition]:
        """Those of these conditions in which an item is predicted."""
        return [c for c in asking if item not in self.held_out.get((experiment, c), ())]

    def prompts(self, model: str, experiment: str, condition: Condition, prompts: Prompts) -> Prompts:
        """The templates of a condition as this model is asked with them."""
        names = {kind: of_model(name_in(condition, experiment, kind), model) for kind in prompts if "." not in kind}
        return {**prompts, **{kind: self.templates[name] for kind, name in names.items() if name in self.templates}}

    @property
    def settings(self) -> dict[str, list[str]]:
        """The items, as the manifest names them."""
        return {_setting(e, condition): list(ids) for (e, condition), ids in self.held_out.items()}


def histories_of(
    out: Path,
    models: Sequence[str],
    item_set: ItemSet,
    prompts: AllPrompts,
    asking: Mapping[str, Mapping[Condition, Prompts]],
) -> Histories | None:
    """Whatever these conditions show; None where they show nothing. The results must be in the run already; InputError
    where they are not.
    """
    wanted = {(e, c): shown for e, by_its in asking.items() for c in by_its if (shown := history_in(c)) is not None}
    if not wanted:
        return None
    if not (out / MANIFEST).exists():
        raise InputError(
            f"--{STRATEGY}: {out} has no results yet that could be shown. Ask first without it, with the same --out."
        )
    run = read_without_shards(out)
    found = Histories()
    for (experiment, condition), shown in wanted.items():
        subjects = list(dict.fromkeys(shown.of or model for model in models))
        held_out = _held_out(run, experiment, condition, shown, subjects, item_set)
        history = {who: _history(run, who, experiment, condition, held_out, prompts) for who in subjects}
        filled = {
            of_model(name_in(condition, experiment, kind), model): put(
                template, HISTORY, history[shown.of or model].replace("$", "$$")
            )
            for kind, template in asking[experiment][condition].items()
            if kind in EXPERIMENTS[experiment].predictions
            for model in models
        }
        kept = {name: text for name in filled if (text := run.prompts.get(name)) is not None}
        found = replace(
            found,
            held_out={**found.held_out, (experiment, condition): held_out},
            # as it was shown, whatever readers make of the replies by now
            templates={**found.templates, **filled, **kept},
        )
    return found


def _setting(experiment: str, condition: Condition) -> str:
    return f"{experiment}@{condition_name(condition)}.{HELD_OUT}"


def _held_out(
    run: Run, experiment: str, condition: Condition, shown: Shown, subjects: Sequence[str], item_set: ItemSet
) -> list[str]:
    """The items whose results are shown: those that the run has held out before, and then others in an order that
    depends on nothing but their names, of those for which every one of these models has results that can be shown.
    """
    known = run.manifest.settings
    kept = known.get(_setting(experiment, condition))
    if kept is not None:
        held_out = list(kept)
        ready = {who: [id for id in held_out if _is_asked(run, who, experiment, id, condition)] for who in subjects}
    else:
        before = [ids for name, ids in known.items() if name.startswith(f"{experiment}@") and name.endswith(HELD_OUT)]
        there = run.items.items.get(experiment, {})
        drawn = sorted(there, key=lambda name: hashlib.sha256(f"held out\n{experiment}\n{name}".encode()).digest())
        order = dict.fromkeys([*max(before, key=len, default=[]), *drawn])
        ready = {who: [id for id in order if _is_told(run, who, experiment, id, condition)] for who in subjects}
        held_out = [id for id in order if all(id in ids for ids in ready.values())][: shown.results]
    if len(held_out) < shown.results or any(len(ids) < len(held_out) for ids in ready.values()):
        who = min(subjects, key=lambda model: len(ready[model]))
        raise InputError(
            f"--{STRATEGY}: {shown.results} results of {who} in {experiment} are to be shown, and {run.folder} has "
            f"{len(ready[who])} that could be. Ask {who} first without it, with the same --out, or show fewer."
        )
    if not set(item_set.items[experiment]) - {*held_out}:
        raise InputError(
            f"--{STRATEGY}: no {experiment} item would be left to predict beside the {shown.results} that are shown. "
            "Show fewer, as own-history:5, or ask more items."
        )
    return held_out


def _readings(run: Run, model: str, experiment: str, id: str, condition: Condition) -> dict[str, Reading]:
    """What a model did with an item, in the condition as far as that makes a difference to what it does."""
    one, item = EXPERIMENTS[experiment], run.items.items.get(experiment, {}).get(id)
    sessions = [] if item is None else [s for s in one.session_names(item) if session_kind(s) not in one.predictions]
    keys = {s: in_condition(Key(model, experiment, id, 1, s), condition) for s in sessions}
    return {session: run.readings.get(key, MISSING_READING) for session, key in keys.items()}


def _is_asked(run: Run, model: str, experiment: str, id: str, condition: Condition) -> bool:
    """Whether all that a model did with an item is there, so that it can be read or not."""
    readings = _readings(run, model, experiment, id, condition)
    idle = EXPERIMENTS[experiment].idle(readings)
    return bool(readings) and all(r.state != "missing" for session, r in readings.items() if session not in idle)


def _is_told(run: Run, model: str, experiment: str, id: str, condition: Condition) -> bool:
    one = EXPERIMENTS[experiment]
    shipped = {f"{kind}.{letter}": said for kind, said_by in one.options.items() for letter, said in said_by.items()}
    return _told(run, model, experiment, id, condition, {**shipped, **one.variants}) is not None


def _told(run: Run, model: str, experiment: str, id: str, condition: Condition, texts: Prompts) -> str | None:
    item = run.items.items.get(experiment, {}).get(id)
    if item is None:
        return None
    return EXPERIMENTS[experiment].recounts(item, _readings(run, model, experiment, id, condition), texts)


def _history(
    run: Run, model: str, experiment: str, condition: Condition, held_out: Sequence[str], prompts: AllPrompts
) -> str:
    """The results of these items as they are shown. One that cannot be read is left out."""
    told = [_told(run, model, experiment, id, condition, prompts[experiment]) for id in held_out]
    return "\n\n".join(text for text in told if text is not None)
