"""What was called otherwise in earlier versions. What somebody types by an old name is refused with the new one; what
a run kept under an old name is read under the new one. What is gone is refused with the reason.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")

METRICS = {
    "guesser_skill": "best_baseline",
    "self_knowledge": "baseline_margin",
    "self_execution_skill": "skill",
    "siblings_say": "family_predictions",
    "siblings_did": "family_behaviour",
    "others_say": "others_predictions",
}
LEVELS = {  # of the ladder
    "siblings_say": "family_predictions",
    "siblings_do": "family_behaviour",
    "others_say": "others_predictions",
    "others_do": "others_behaviour",
}
FACETS = {"deed-thinking": "behaviour-thinking"}
FIELDS = {"sittings": "invocations"}
PROMPTS = {"deed@strategy": "behaviour@strategy"}
NAMES = {  # module -> its names in Python, with their module where that is another one now
    "selfexec.engines": {"Check": "ConnectionCheck", "Outcome": "CallResult", "Telling": "Notices"},
    "selfexec.engines.base": {"Check": "ConnectionCheck", "Outcome": "CallResult"},
    "selfexec.errors": {"NoKey": "NoApiKey"},
    "selfexec.experiments": {
        "NoKey": "NoAnswerKey",
        "at_once": "concurrently",
        "Visited": "JobKey",
        "Told": "selfexec.extensions.logs.samples.LoggedReply",
        **{name: f"selfexec.extensions.logs.samples.{name}" for name in ("Logged", "LoggedReply", "Mark", "Sample")},
        **{name: f"selfexec.extensions.logs.samples.{name}" for name in ("Turn", "Unfit")},
    },
}
WORDS = {"deed": "behaviour"}  # fields of the class of this name
EXPERIMENT = {"kind": "claim_kind", "whole": "counts_when_cut", "lacks": "leaves_open"}  # attributes of an experiment
OPTIONS = {f"--{old}": f"--{new}" for old, new in FACETS.items()} | {"--output": "--out"}
AGREEMENT = "`selfexec judge` asks, and `selfexec score --agreement` shows how far judges agree: give it there"
REMOVED = {  # command and option
    "serve --fault": "`selfexec serve` no longer fails on purpose. --rate turns away what comes too fast",
    **{f"judge {option}": AGREEMENT for option in ("--labels", "--format", "--out", "-o")},
}
ANALYSES = ("trend", "cross", "ladder", "correlate", "ledger", "rasch")  # which were commands of their own
COMMANDS = {name: f"analyze {name}" for name in ANALYSES}
PARTS = {f"{old}=": f"{new}=" for old, new in FACETS.items()} | PROMPTS  # of the names of settings and prompts
IN_RUNS = re.compile("|".join(re.escape(old) for old in (*PARTS, *FACETS, *FIELDS)).encode())  # in a file of a run


def with_new_names(kept: Any) -> Any:
    """What was read from a file of a run, with the names that fields, facets, settings and prompts have now."""
    if isinstance(kept, list):
        return [with_new_names(one) for one in kept]
    if isinstance(kept, dict):
        return {new_name(name): with_new_names(value) for name, value in kept.items()}
    return kept


def new_name(name: str) -> str:
    """What a field, a facet, a setting or a prompt is called now."""
    for old, new in PARTS.items():
        name = name.replace(old, new)
    return (FIELDS | FACETS).get(name, name)


def module_getattr(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module in which some `NAMES` have changed.

    Raises:
        ImportError: For an old name, with the new one. `from module import name` would replace an AttributeError by
            one that does not have it.
        AttributeError: For any other name that the module does not have.
    """

    def missing(name: str) -> Any:
        if now := NAMES[module].get(name):
            raise ImportError(f"{module}.{name} is called {now} now.", name=name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return missing


def refuses_old_words(words: type[T]) -> type[T]:
    """A decorator of the class `Words`: a field that is given by an old name is a TypeError with the new one."""
    accept = words.__init__

    @wraps(accept)
    def checked(self: T, *values: Any, **named: Any) -> None:
        refuse_old_names(words, named, WORDS)
        accept(self, *values, **named)

    words.__init__ = checked  # type: ignore[method-assign, assignment]
    return words


def refuse_old_names(owner: type, given: Collection[str], now: Mapping[str, str]) -> None:
    """TypeError where what a class is given has an old name, with the one that it has `now`."""
    for old in now.keys() & given:
        raise TypeError(f"{owner.__name__}: {old} is called {now[old]} now.")
