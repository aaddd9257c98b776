"""A reference panel: what some models predicted and did, claim by claim, without a word of text.

A claim is known by a hash of its item's content and its name, so that an item that was changed in any way is another
item, whatever it is called. What a model said, what it did as each source has it, and what became of the claim are a
letter each.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Facts, Item
from selfexec.facets import DEFAULT_NAME
from selfexec.files.jsonl import UNDECODABLE

PAPER_PANEL = "paper"  # the panel that ships: ten recorded models on the paper's items (studies/panel makes it)
SHIPPED = Path(__file__).parent / "paper.json"
FORMAT, VERSION = "selfexec panel", 1
MOST_BYTES = 100_000_000  # the one that ships has 200,000
STATES = {"r": "read", "t": "tie", "u": "unreadable", "m": "missing"}
YES, NO, UNKNOWN = "1", "0", "."
NOT_ASKED = "."  # in place of a state
WAY_OUT = "`selfexec export --to panel` makes one of a run"


class PanelClaims(msgspec.Struct, frozen=True):
    """One model in one experiment, a letter for each of its claims: what became of it, what the model said, and what it
    did as each source has it. `skill` is that on all of these claims (readable, by the experiment's own source): what a
    cut of the items is adjusted to; None where it is not known.
    """

    state: str
    predicted: str
    observed: dict[str, str]
    skill: float | None = None


class PanelPart(msgspec.Struct, frozen=True):
    """One experiment: the keys of its claims, with blanks between them, and what there is of each model."""

    claims: str
    models: dict[str, PanelClaims]

    @property
    def keys(self) -> list[str]:
        return self.claims.split()


class Head(msgspec.Struct):
    """What every version of the format begins with."""

    format: str = ""
    version: int = 0


class ReferencePanel(msgspec.Struct, frozen=True, kw_only=True):
    """`date` is when the models were asked, `convention` how claims count for others: readable (what could not be read
    says nothing); `prompts` are hashes of what they were asked with, none where that is not known. `simulated` names
    the models that are.
    """

    format: str = FORMAT
    version: int = VERSION
    name: str
    date: str | None = None
    citation: str | None = None
    licence: str | None = None
    convention: str = "readable"
    condition: str = DEFAULT_NAME
    prompts: dict[str, str] = {}
    simulated: list[str] = []
    experiments: dict[str, PanelPart]

    @property
    def models(self) -> tuple[str, ...]:
        """All that are in it, in any experiment."""
        return tuple(dict.fromkeys(model for part in self.experiments.values() for model in part.models))

    def json(self) -> str:
        """As the file has it."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1).decode() + "\n"


def claim_keys(experiment: str, item: Item) -> Iterator[tuple[str, Facts, str]]:
    """Each claim of an item: its name, what is known of it without asking anybody, and its key."""
    content = msgspec.json.encode([experiment, _without_ids(msgspec.to_builtins(item))], order="deterministic")
    known = hashlib.sha256(content)
    for claim in EXPERIMENTS[experiment].observe(item, {}):
        digest = known.copy()
        digest.update(b"\n" + claim.claim.encode())
        yield claim.claim, claim.facts, digest.hexdigest()[:16]


def _without_ids(content: Any) -> Any:
    """What is asked, and not what it is called."""
    if isinstance(content, dict):
        return {name: _without_ids(value) for name, value in content.items() if name != "id"}
    return [_without_ids(value) for value in content] if isinstance(content, list | tuple) else content


def load_panel(source: str | Path) -> ReferencePanel:
    """The panel `paper`, or one of a file. InputError: there is none, or it is not whole."""
    return _shipped() if str(source) == PAPER_PANEL else _read(Path(source))


@cache
def _shipped() -> ReferencePanel:
    return _read(SHIPPED)


def _read(path: Path) -> ReferencePanel:
    content = _bytes(path)
    try:
        head = msgspec.json.decode(content, type=Head)
    except msgspec.ValidationError:
        head = Head()
    except UNDECODABLE as fault:
        raise InputError(f"{path}: it is no whole JSON file ({fault}). Was it cut off? {WAY_OUT}") from None
    if head.format != FORMAT:
        raise InputError(f"{path}: it is no reference panel. {WAY_OUT}")
    if head.version != VERSION:
        raise InputError(
            f"{path}: a reference panel of version {head.version}, and this selfexec reads version {VERSION}. Read it "
            "with the selfexec that made it, or make it again from its run."
        )
    try:
        panel = msgspec.json.decode(content, type=ReferencePanel)
    except UNDECODABLE as fault:
        raise InputError(f"{path}: {fault}. {WAY_OUT}") from None
    for wrong in _faults(panel):
        raise InputError(f"{path}: {wrong}. {WAY_OUT}")
    return panel


def _bytes(path: Path) -> bytes:
    if path.is_dir():
        raise InputError(f"{path}: it is a folder, and a reference panel is a file. {WAY_OUT}")
    if not path.exists():
        raise InputError(f"reference panel {str(path)!r}: neither {PAPER_PANEL} nor a file. {WAY_OUT}")
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: it is no reference panel: no file, or one above {MOST_BYTES:,} bytes. {WAY_OUT}")
        return path.read_bytes()
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). {WAY_OUT}") from None


def _faults(panel: ReferencePanel) -> Iterator[str]:
    """What is wrong with a panel, of what its types do not say."""
    head = (panel.date, panel.citation, panel.licence, panel.convention, panel.condition)
    for text in (panel.name, *panel.models, *panel.experiments, *(one for one in head if one is not None)):
        if not text.strip() or not text.isprintable():
            yield f"{text!r} is empty, or has characters that cannot be shown"
    if not panel.models:
        yield "there is no model in it"
    for experiment, part in panel.experiments.items():
        claims = len(part.keys)
        if len(set(part.keys)) < claims:
            yield f"{experiment}: a claim occurs twice"
        for model, told in part.models.items():
            for what, letters, known in _letters(told):
                if len(letters) != claims:
                    yield f"{experiment}, {model}: {what} has {len(letters):,} letters for {claims:,} claims"
                elif strange := set(letters) - set(known):
                    yield f"{experiment}, {model}: {what} has {min(strange)!r}, and only {known} mean anything"


def _letters(told: PanelClaims) -> Iterator[tuple[str, str, str]]:
    """What it is, the letters, and those that there are."""
    yield "state", told.state, "".join(STATES) + NOT_ASKED
    yield "predicted", told.predicted, YES + NO + UNKNOWN
    for source, letters in told.observed.items():
        yield f"observed by {source}", letters, YES + NO + UNKNOWN


def signs(letters: str) -> list[bool | None]:
    """Letters as what was said or done, None where that is not known."""
    meant: Mapping[str, bool] = {YES: True, NO: False}
    return [meant.get(letter) for letter in letters]
