"""Hypotheses that are written down before the first call: what they are, and the bytes that they are known by.

The file is JSON. Its canonical bytes are the same object with sorted keys, in UTF-8 and without blanks; they are kept
in the manifest with their SHA-256, so that anybody can see what was expected before anything was asked.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from selfexec.errors import InputError
from selfexec.facets import DEFAULT_NAME, why_apart

OURS = "ours"
Name = Annotated[str, msgspec.Meta(min_length=1)]


class Hypothesis(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One expectation: that a metric of each of these models lies above, or below, a margin.

    `metric`, `experiment`, `condition` and `convention` are those of a row of scores. `readings` is `ours`, or the
    SHA-256 of a file of readings that is to take the place of ours.
    """

    name: Name
    metric: Name
    models: Annotated[list[Name], msgspec.Meta(min_length=1)]
    experiment: Name
    condition: Name = DEFAULT_NAME
    direction: Literal["above", "below"]
    margin: float
    convention: Literal["strict", "readable"] = "strict"
    readings: str = OURS


class Hypotheses(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file holds: the hypotheses, the SHA-256 of the items of each experiment that they are about, and the seed
    of the simulation that they come from, if any.
    """

    items: dict[str, str]
    hypotheses: Annotated[list[Hypothesis], msgspec.Meta(min_length=1)]
    seed: int | None = None


class DeclaredHypotheses(msgspec.Struct, frozen=True, kw_only=True):
    """Hypotheses as a manifest keeps them: the canonical text of their file, and the SHA-256 of its bytes."""

    sha256: str
    text: str

    @property
    def contents(self) -> Hypotheses:
        """Raises InputError where the text is not the one that the SHA-256 is of, or holds no hypotheses."""
        if sha256(self.text) != self.sha256:
            raise InputError(
                "the hypotheses in the manifest are not those that were written down: their SHA-256 differs."
            )
        return msgspec.json.decode(self.text, type=Hypotheses)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def canonical_text(value: Any) -> str:
    """JSON with sorted keys and without blanks; no character is escaped that need not be."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def declared_hypotheses(path: str | Path, items: Mapping[str, str]) -> DeclaredHypotheses:
    """The hypotheses of a file, for a run of these items (experiment -> SHA-256).

    Raises:
        InputError: The file cannot be read, holds something else, or is about other items.
    """
    try:
        value = json.loads(Path(path).read_bytes(), object_pairs_hook=_once, parse_constant=_no_number)
        contents = msgspec.convert(value, type=Hypotheses)
    except OSError as fault:
        raise InputError(f"--hypotheses {path}: {fault.strerror or fault}.") from None
    except (ValueError, msgspec.ValidationError) as fault:
        raise InputError(f"--hypotheses {path}: {fault}. docs/hypotheses.md has what it may hold.") from None
    for hypothesis in contents.hypotheses:
        if hypothesis.experiment != "overall" and hypothesis.experiment not in items:
            raise InputError(
                f"--hypotheses {path}: {hypothesis.name} is about {hypothesis.experiment}, which is not asked here."
            )
        if why := why_apart(hypothesis.condition):
            raise InputError(
                f"--hypotheses {path}: {hypothesis.name} is about {hypothesis.condition}, and hypotheses are about "
                f"what models know of themselves: {why}."
            )
    for experiment in sorted(
        {*contents.items, *(hypothesis.experiment for hypothesis in contents.hypotheses)} - {"overall"}
    ):
        here, named = items.get(experiment), contents.items.get(experiment)
        if here != named:
            raise InputError(
                f"--hypotheses {path}: items.{experiment} is {named or 'not there'}, and the SHA-256 of the items that "
                f"are asked is {here or 'not known, since the experiment is not asked'}."
            )
    text = canonical_text(value)
    return DeclaredHypotheses(sha256=sha256(text), text=text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, in which no key stands twice: nobody would know which of them was meant."""
    contents = dict(pairs)
    if len(contents) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return contents


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number that JSON has")
