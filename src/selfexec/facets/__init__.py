"""Facets: ways in which sessions may be asked otherwise. Each is one file; to add one, write it and list it here, or
have a package of your own announce it under the entry point `selfexec.facets`."""

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from itertools import product
from string import Template
from typing import Any

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Answer, Ask, AskFunction, Key, Prompt, Prompts, Registry, session_kind
from selfexec.facets.base import (
    DEFAULT,
    DEFAULT_NAME,
    Condition,
    Facet,
    condition_name,
    condition_named,
    put,
)
from selfexec.facets.cue import CUE
from selfexec.facets.dialogue import (
    Dialogue,
    Nested,
    base_of,
    call_of,
    is_call,
    is_withheld,
    nested,
    tokens_of,
    turn_of,
)
from selfexec.facets.elicit import BY_TOKENS, ELICITING, LETTER_ALONE, OF_CHOICE, asks_for_probabilities
from selfexec.facets.elicit import NAME as ELICIT
from selfexec.facets.frame import FRAME, addressed
from selfexec.facets.strategy import HISTORY, RECALLING, STRATEGY, Shown, history_in
from selfexec.facets.thinking import DOING, OFF, PREDICTING, THINKING, budget_of
from selfexec.renamed import FACETS as RENAMED

OURS: tuple[Facet, ...] = (FRAME, ELICITING, PREDICTING, DOING, RECALLING, CUE)
FACETS = Registry(Facet, "facets", OURS, lambda facet: facet.name)


def crossed_levels(levels: Mapping[str, Sequence[str]]) -> list[Condition]:
    """Every level of each facet with every level of the others, in the order in which they are named; of none, the
    default condition. InputError for a facet or a level that there is none of.
    """
    for name, some in levels.items():
        for level in some:
            facet(name).refuse_unknown(level)
    chosen = [[(name, level) for level in _asked_levels(name, some)] for name, some in levels.items()]
    conditions = [facets_of(dict(pairs)) for pairs in product(*chosen)]
    for condition in conditions:
        _refuse_clash(condition)
    return conditions


def _asked_levels(name: str, levels: Sequence[str]) -> list[str]:
    """The levels of a facet that are asked: of one that stands apart, the default level too, which they are held
    against.
    """
    first = [facet(name).default] if facet(name).apart else []
    return list(dict.fromkeys([*first, *levels]))


def _refuse_clash(condition: Condition) -> None:
    """Raise InputError where two facets of a condition do not go together."""
    for name, level in condition:
        clashes = facet(name).clashes
        for other, its in condition:
            if why := clashes.get(other) or clashes.get(f"{other}={its}"):
                raise InputError(f"--{name} {level} with --{other} {its}: {why} Ask them in two commands.")


def apart(condition: Condition) -> str | None:
    """Why predictions in a condition are none of what a model knows of itself, as the end of a sentence; None where
    they are.
    """
    return next((why for name, _ in condition if name in FACETS and (why := FACETS[name].apart)), None)


def why_apart(condition: str) -> str | None:
    """The same of a condition by its name."""
    if condition == DEFAULT_NAME or not all("=" in part for part in condition.split(",")):
        return None
    return apart(condition_named(condition))


def facets_of(levels: Mapping[str, str]) -> Condition:
    """Levels as keys have them: by the names that facets have now, sorted, without those that are the default ones
    anyway.
    """
    named = {RENAMED.get(name, name): level for name, level in levels.items()}
    return tuple(sorted((n, level) for n, level in named.items() if n not in FACETS or level != FACETS[n].default))


def canonical(condition: str) -> str:
    """The name of a condition as tables have it: `default` for `frame=self`, facets in the order of their names. What
    is no name of one stays as it is. InputError for a facet by an old name.
    """
    if condition == DEFAULT_NAME or not all("=" in part for part in condition.split(",")):
        return condition
    levels = dict(condition_named(condition))
    for name in levels.keys() & RENAMED.keys():
        raise InputError(f"--condition {condition}: {_called_now(name)}")
    return condition_name(facets_of(levels))


def in_words(condition: Condition) -> str:
    """What a condition is, by what its facets say of themselves: `in what form predictions are given: as a probability
    of each claim`.
    """
    known = [(FACETS[name], level) for name, level in condition if name in FACETS]
    parts = ((one.about[:1].lower() + one.about[1:], one.levels.get(level, level)) for one, level in known)
    return "; ".join(f"{about}: {words}" for about, words in parts)


def facet(name: str) -> Facet:
    """The facet of this name."""
    if name not in FACETS:
        raise InputError(_unknown(name))
    return FACETS[name]


def _called_now(name: str) -> str:
    return f"the facet {name} is called {RENAMED[name]} now."


def _unknown(name: str) -> str:
    if name in RENAMED:
        return _called_now(name)
    known = f"There are {', '.join(FACETS)}." if FACETS else "There is none here."
    return f"unknown facet {name!r}. {known} Is the package installed that it comes from?"


# --- conversations ----------------------------------------------------------------------------------------------------


def dialogue_in(condition: Condition, experiment: str, kind: str) -> tuple[Dialogue, str] | None:
    """How a condition makes a conversation of a kind of session, and at which level; None where it does not."""
    for name, level in condition:
        dialogue = FACETS[name].dialogue if name in FACETS else None
        if dialogue and touches(name, level, experiment, kind):
            return dialogue, level
    return None


def opens_sessions(condition: Condition) -> bool:
    """Whether models have other sessions opened in a condition."""
    return any(name in FACETS and FACETS[name].dialogue is not None for name, _ in condition)


def conversing(condition: Condition, experiment: str, ask: Ask) -> Ask:
    """What opens sessions in a condition, with the conversations that it makes of them."""
    if not opens_sessions(condition):
        return ask

    def ask_or_converse(session: str, prompt: Prompt, *, parent: str | None = None, **more: Any) -> Awaitable[Answer]:
        held = dialogue_in(condition, experiment, session_kind(session))
        if held is None:
            return ask(session, prompt, parent=parent, **more)
        dialogue, level = held
        return dialogue.converse(level, session, prompt, ask, parent)

    return AskFunction(ask_or_converse, ask.can)


def nested_sessions(condition: Condition, experiment: str, session: str) -> list[str]:
    """The sessions that a condition may open within one, as far as they are known beforehand."""
    held = dialogue_in(condition, experiment, session_kind(session))
    return [] if held is None else held[0].sessions(held[1], session)


def may_nest(condition: Condition, experiment: str, within: Nested) -> bool:
    """Whether a condition may open such a session within another one."""
    held = dialogue_in(condition, experiment, session_kind(within.base))
    return held is not None and held[0].has(held[1], within)


def behaviour_kind(experiment: str) -> str:
    """The kind of session in which a model shows the behaviour that is predicted."""
    asked = EXPERIMENTS[experiment]
    return next(kind for kind in asked.session_kinds if kind not in asked.predictions)


def answers_calls(key: Key) -> str:
    """The model that answers a session: the one whose session it is, but for a call that another one stands in for."""
    held = dialogue_in(key.facets, key.experiment, key.session_kind) if is_call(key.session) else None
    return (held[0].stand_in(held[1]) if held else None) or key.model


# --- which sessions they touch ----------------------------------------------------------------------------------------


def misfit(facets: Condition, experiment: str, kind: str) -> str | None:
    """What is wrong with the facets of a session of this kind; None where nothing is."""
    for name, level in facets:
        if name not in FACETS:
            return _unknown(name)
        if not FACETS[name].has(level):
            return f"the facet {name!r} has no level {level!r}."
        if not touches(name, level, experiment, kind):
            return f"the facet {name!r} makes no difference to {experiment} {kind}: leave it out."
    return None


def touches(name: str, level: str, experiment: str, kind: str) -> bool:
    """Whether a session of a kind is asked otherwise by a level of a facet: by itself, or since its prompt shows what
    was said in one that is. What stands in a log was asked as it was asked.
    """
    if kind in EXPERIMENTS[experiment].recorded:
        return False
    shown = EXPERIMENTS[experiment].shows.get(kind, ())
    asked = facet(name).touches_by(level, experiment, kind)
    return asked or any(touches(name, level, experiment, other) for other in shown)


def touching(condition: Condition, experiment: str, *kinds: str) -> Condition:
    """What of a condition makes a difference to any of these kinds of session: the facets of the key of one."""
    return tuple(
        (name, level) for name, level in condition if any(touches(name, level, experiment, kind) for kind in kinds)
    )


def parts_of(condition: Condition, experiment: str) -> set[Condition]:
    """The facets that sessions of an experiment have in a condition."""
    return {touching(condition, experiment, kind) for kind in EXPERIMENTS[experiment].prompts}


def in_condition(key: Key, condition: Condition) -> Key:
    """The session of this name in a condition."""
    return (
        key._replace(facets=touching(condition, key.experiment, key.session_kind)) if condition or key.facets else key
    )


def conditions_of(conditions: Iterable[Condition], experiment: str) -> list[Condition]:
    """The conditions that are distinguished in an experiment, each by what makes a difference to it."""
    kinds = EXPERIMENTS[experiment].prompts
    return list(dict.fromkeys(touching(condition, experiment, *kinds) for condition in conditions))


def settings_in(facets: Condition, experiment: str, kind: str) -> dict[str, Any]:
    """What facets send with a session of this kind, by the field's name."""
    sent: dict[str, Any] = {}
    for name, level in facets:
        if facet(name).touches_by(level, experiment, kind):
            sent |= facet(name).settings(level, experiment, kind)
    return sent


def _refuse_unknown_names(level: str, experiment: str, prompts: Prompts, changed: Prompts) -> None:
    """Raise InputError where a level's templates have a $name that neither the experiment nor its items know."""
    fields = getattr(EXPERIMENTS[experiment].item_type, "__struct_fields__", ())
    for kind, text in changed.items():
        templates = [given for name, given in prompts.items() if name.partition("@")[0] == kind]
        known = {HISTORY, *fields, *(name for given in templates for name in Template(given).get_identifiers())}
        if unknown := sorted(set(Template(text).get_identifiers()) - known):
            raise InputError(
                f"{experiment}.{kind}@{level}: {experiment} does not fill in ${', $'.join(unknown)}. The facet's "
                "`prompts` has to, or leaves it out."
            )


def prompts_in(condition: Condition, experiment: str, prompts: Prompts) -> Prompts:
    """The templates of an experiment in a condition, and the sentences of its options. A text that the prompts have for
    just this condition (`predict@frame=person`, as a run keeps it) stands; the others are made of the plain ones.
    """
    kinds = EXPERIMENTS[experiment].prompts
    names = {kind: f"{kind}@{condition_name(touching(condition, experiment, kind))}" for kind in kinds}
    given = {kind: prompts[name] for kind, name in names.items() if name in prompts}
    asked = dict(prompts)
    for name, level in condition:
        if touched := {kind for kind in kinds if facet(name).touches_by(level, experiment, kind)} - given.keys():
            changed = facet(name).prompts(level, experiment, asked)
            of_kinds = {kind: changed[kind] for kind in touched & changed.keys()}
            _refuse_unknown_names(f"{name}={level}", experiment, prompts, of_kinds)
            # with its variants: a facet that is named later takes the words of its own from those
            asked |= {name: text for name, text in changed.items() if name.partition("@")[0] in touched}
    plain = {name: text for name, text in prompts.items() if "@" not in name and name.partition(".")[0] in kinds}
    return {**plain, **{kind: asked[kind] for kind in kinds}, **given}
