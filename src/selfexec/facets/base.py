"""A facet: a way in which sessions may be asked otherwise; and a condition: the levels of facets that hold at once."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from selfexec.errors import InputError
from selfexec.experiments import Capability, Facets, Prompts
from selfexec.facets.dialogue import Dialogue

Condition = Facets  # the levels that are not the default ones; none is the default condition
DEFAULT: Condition = ()
DEFAULT_NAME = "default"


@dataclass(frozen=True, kw_only=True, eq=False)
class Facet:
    """All that is known of a facet.

    name      as in keys, conditions and `--facet NAME=LEVEL`, which `--NAME LEVEL` is short for
    about     what is asked otherwise, in a few words
    default   the level that everything is asked at where no other is named; it leaves no trace in keys
    usual     what that level is in words, as pages say it beside the other levels
    levels    each other level with what it is in words; `accepts` says which more there are (`named:GPT`), `further`
              how they are written (`named:NAME`), and `hint` what is to be said of that, in a sentence
    touches   whether an experiment's kind of session is asked otherwise; one that is not is shared by all levels
    touches_at   the same at a level other than the default one, where levels differ in it
    prompts   the templates of an experiment at a level; those that it does not touch stay as they are. It is
              given the experiment's `variants` too (`predict@frame`), and its own `texts` (`frame.person`)
    texts     what it puts into templates, in English; sets of prompts have it in other words
    translations  the same by the name of a set that ships, where the set does not have it, as of an extension's facet
    needs     what of an engine a level takes, where it takes anything
    settings  what is sent with a session of a kind at a level, over what is sent anyway: {"temperature": 0}
    dialogue  how each session that it touches becomes a conversation, within which other sessions are opened
    apart     why predictions at its levels are none of what a model knows of itself, as the end of a sentence. The
              default level is then always asked with them, and they are in no headline, own excess, panel or overall
              score
    clashes   facets with whose levels it cannot be crossed, each with why, as a sentence; of some levels alone where
              they are named (`elicit=logprob`)
    """

    name: str
    default: str
    levels: Mapping[str, str]
    touches: Callable[[str, str], bool]
    touches_at: Callable[[str, str, str], bool] | None = None
    about: str = ""
    usual: str = ""
    further: str = ""
    texts: Prompts = field(default_factory=dict)
    translations: Mapping[str, Prompts] = field(default_factory=dict)
    accepts: Callable[[str], bool] = lambda level: False
    hint: str = ""
    prompts: Callable[[str, str, Prompts], Prompts] = lambda level, experiment, prompts: prompts
    needs: Mapping[str, frozenset[Capability]] = field(default_factory=dict)
    settings: Callable[[str, str, str], Mapping[str, Any]] = lambda level, experiment, kind: {}
    dialogue: Dialogue | None = None
    apart: str = ""
    clashes: Mapping[str, str] = field(default_factory=dict)

    @property
    def written(self) -> list[str]:
        """Its levels as they are written, the default one first."""
        return [self.default, *self.levels, *([self.further] if self.further else [])]

    def touches_by(self, level: str, experiment: str, kind: str) -> bool:
        """Whether an experiment's kind of session is asked otherwise at a level."""
        if self.touches_at is None:
            return self.touches(experiment, kind)
        return self.touches_at(level, experiment, kind)

    def needed(self, level: str) -> frozenset[Capability]:
        """What of an engine a level takes: a conversation takes several messages."""
        turns: frozenset[Capability] = frozenset({"turns"}) if self.dialogue else frozenset()
        return self.needs.get(level, frozenset()) | turns

    def has(self, level: str) -> bool:
        return level == self.default or level in self.levels or ("," not in level and self.accepts(level))

    def refuse_unknown(self, level: str) -> None:
        """Raise InputError for a level that there is none of."""
        if not self.has(level):
            known = ", ".join(self.written)
            comma = " A level has no comma in it." if "," in level else ""
            hint = f" {self.hint}" if self.hint else ""
            raise InputError(f"{self.name} {level}: there is no such level. There are {known}.{hint}{comma}")


def condition_name(condition: Condition) -> str:
    """`default`, or `frame=another-model,thinking=off`."""
    return ",".join(f"{facet}={level}" for facet, level in condition) or DEFAULT_NAME


def condition_named(name: str) -> Condition:
    """The condition that has this name."""
    pairs = [] if name == DEFAULT_NAME else [part.split("=", 1) for part in name.split(",")]
    return tuple((facet, level) for facet, level in pairs)


def put(template: str, name: str, text: str) -> str:
    """A template with one of its names filled in; the others are left, and so is $$."""
    return re.sub(rf"\$\$|\${name}\b|\${{{name}}}", lambda found: found[0] if found[0] == "$$" else text, template)
