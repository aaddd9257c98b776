"""The two interchange forms of DESIGN.md, replies and readings, as typed lines.

A reply is what came back from one session, verbatim. A given reading is what somebody (a person, another parser)
took a reply to commit to.
"""

import difflib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import Key, Message, Token
from selfexec.facets import facets_of
from selfexec.files import jsonl
from selfexec.prompts import digest
from selfexec.text.lookups import what_there_is
from selfexec.text.numbers import number_of

if TYPE_CHECKING:
    from selfexec.engines import Outcome

Name = Annotated[str, msgspec.Meta(min_length=1)]
MOST_EPOCHS = 10_000
Epoch = Annotated[int, msgspec.Meta(ge=1, le=MOST_EPOCHS)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
T = TypeVar("T")
EXPORTED = ("custom_id", "prompt")  # what lines of `selfexec export` have beside the key


class BySession(dict[Key, T]):
    """What belongs to sessions, by their keys. A run has thousands: it prints as the first few."""

    def __missing__(self, key: Any) -> T:
        if not isinstance(key, tuple) or len(key) not in (len(Key._fields) - 1, len(Key._fields)):
            raise KeyError(f"{key!r} names no session. Give Key(model, experiment, item, epoch, session).")
        if len(key) < len(Key._fields) and (whole := Key(*key)) in self:
            return self[whole]
        there = what_there_is(self, dict(zip(Key._fields, key, strict=False)))
        raise KeyError(f"there is no session {Key(*key)} ({there})")

    def __repr__(self) -> str:
        shown = [f"  {key}: {value!r}" for key, value in islice(self.items(), 3)]
        lines = [line if len(line) <= 200 else line[:199] + "…" for line in shown]
        more = [f"  and {len(self) - len(lines):,} more, by Key(model, experiment, item, epoch, session)"]
        return "\n".join([number_of(len(self), "session"), *lines, *(more if len(self) > len(lines) else [])])


class OfSession(msgspec.Struct, frozen=True, kw_only=True):
    """A line about a session begins with what names it; `facets` are absent at their defaults."""

    model: Name
    experiment: Name
    item: Name
    epoch: Epoch = 1
    session: Name
    facets: dict[str, str] = {}

    @property
    def key(self) -> Key:
        facets = facets_of(self.facets) if self.facets else ()
        return Key(self.model, self.experiment, self.item, self.epoch, self.session, facets)


class Reply(OfSession, frozen=True, kw_only=True, omit_defaults=True):
    """One line of replies. `text` is None where nothing came back; `error` then says why.

    The second block is what a run's journal adds. Token counts are None where nobody counted; `cost_usd` is what the
    call cost, `completion_id` what the server calls this completion, `upstream` who answered behind a gateway. `policy`
    is what a server said that answered with an error, not with a reply, and gave a content policy against this input as
    the reason: the reply counts as withheld by the provider. `retry_causes` says why it was asked for again, once for
    each time. `effort` is how hard the server says that the model was to think; `prompt_cut`: it counted fewer tokens
    of the prompt than that must take. `parent` is the session within which it was asked; `simulated`: the server said
    that no language model is behind it. `batch` is the custom id of the request that it came by, where that was one of
    a batch file. `logprobs` has its tokens with their log-probabilities, where these were asked for and came.
    """

    text: str | None
    output_tokens: Count | None = None
    error: str | None = None

    prompt_sha256: str | None = None
    input_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    reasoning: str | None = None
    stop_reason: str | None = None
    refusal: str | None = None
    served_model: str | None = None
    fingerprint: str | None = None
    latency: float | None = None
    attempt: Count | None = None
    time: str | None = None
    cost_usd: float | None = None
    completion_id: str | None = None
    upstream: str | None = None
    policy: str | None = None
    retry_causes: tuple[str, ...] = ()
    effort: str | None = None
    prompt_cut: bool = False
    parent: str | None = None
    simulated: bool = False
    batch: str | None = None
    logprobs: tuple[Token, ...] | None = None

    @classmethod
    def of(
        cls,
        key: Key,
        outcome: "Outcome",
        latency: float,
        prompt_sha256: str | None = None,
        parent: str | None = None,
    ) -> "Reply":
        """What an engine brought back from a session, now."""
        return cls(
            **key.fields(),
            **msgspec.structs.asdict(outcome),
            prompt_sha256=prompt_sha256,
            latency=round(latency, 6),
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            parent=parent,
        )

    @property
    def withheld_by(self) -> str | None:
        """Who withheld the reply, `model` or `provider`; None if nobody did."""
        if self.refusal or self.stop_reason == "refusal":
            return "model"
        return "provider" if self.stop_reason == "content_filter" else None

    @property
    def spoken(self) -> bool:
        """Whether the model said anything, in words that reached us."""
        said = (self.text or "").strip() or self.refusal or self.reasoning
        return bool(said) and not self.failed and self.withheld_by != "provider"

    @property
    def failed(self) -> bool:
        """Whether nothing came back that counts. What was withheld counts: it is behaviour."""
        return (self.text is None or self.error is not None) and self.withheld_by is None


class GivenReading(OfSession, frozen=True, kw_only=True):
    """One line of readings made elsewhere. `value` is None where the reply could not be read; `probability` is that of
    a yes, where the reply gives one.
    """

    value: Any
    reason: str | None = None
    probability: Probability | None = None


@dataclass(frozen=True)
class Loaded:
    """Replies from files, the place that each was read from, and what was odd about the files."""

    replies: dict[Key, Reply]
    places: dict[Key, str]
    warnings: list[str]


def load_replies(paths: Iterable[Path]) -> Loaded:
    """Replies from files of anybody's making.

    A session that occurs twice with different replies is refused, since nothing tells which one counts. A line
    that failed (`error`, or no text) gives way to one that did not.
    """
    replies: BySession[Reply] = BySession()
    places: dict[Key, str] = {}
    unknown: dict[str, str] = {}
    for path in paths:
        sent = _sent(path)
        for number, reply in jsonl.decode(path, Reply):
            if number in sent and reply.prompt_sha256 is None:
                reply = msgspec.structs.replace(reply, prompt_sha256=sent[number])
            place = f"{path}:{number}"
            known = replies.get(reply.key)
            if known is None or known.failed:
                replies[reply.key], places[reply.key] = reply, place
            elif not reply.failed and reply != known:
                raise InputError(
                    f"{place}: {reply.key} was already given, with another reply, at {places[reply.key]}. "
                    "Keep one of the two."
                )
        unknown |= {name: f"{path}:{number}" for number, name in _unknown_fields(path)}
    warnings = [f"{place}: ignored the unknown field {name!r}" for name, place in unknown.items()]
    return Loaded(replies, places, warnings)


def load_readings(paths: Iterable[Path]) -> dict[Key, GivenReading]:
    """Readings made elsewhere, in files or in folders of *.jsonl; the last line per session wins."""
    files = (file for path in paths for file in (_readings_in(path) if path.is_dir() else [path]))
    return {reading.key: reading for path in files for _, reading in jsonl.decode(path, GivenReading)}


def _readings_in(folder: Path) -> list[Path]:
    """The files of a folder, by name."""
    if (folder / "manifest.json").exists():
        raise InputError(
            f"--readings {folder}: this is a run, no readings. Its own: selfexec read {folder} --format json"
        )
    if files := sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")]):
        return files
    raise InputError(f"--readings {folder}: no *.jsonl is in this folder. Give the file, or the folder, of readings.")


class _Sent(msgspec.Struct, frozen=True):
    prompt: str | list[Message]


def _sent(path: Path) -> dict[int, str]:
    """The SHA-256 of the prompts in lines that carry them, as `selfexec export` writes them, by number."""
    decode = msgspec.json.Decoder(_Sent).decode
    found: dict[int, str] = {}
    for number, line in jsonl.numbered_lines(path):
        if b'"prompt"' in line:
            with suppress(*jsonl.UNDECODABLE):  # told by whoever decodes the whole line
                found[number] = digest(decode(line).prompt)
    return found


def _unknown_fields(path: Path) -> Iterator[tuple[int, str]]:
    """Fields that no reply line has, each once. One that looks like a slip of the pen, or occurs twice, is an error."""
    known = {*Reply.__struct_fields__, *EXPORTED}
    seen = set(known)
    # the only decoder at hand that shows a key as often as it was written
    names_in = json.JSONDecoder(object_pairs_hook=lambda pairs: [name for name, _ in pairs]).decode
    for number, line in jsonl.numbered_lines(path):
        try:
            names = names_in(line.decode())
        except (RecursionError, UnicodeDecodeError) as fault:
            raise InputError(f"{path}:{number}: {jsonl.what_is_wrong(line, fault)}") from None
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{path}:{number}: field {twice!r} occurs twice in the line. Keep one.")
        for name in names:
            if name in seen:
                continue
            seen.add(name)
            if meant := difflib.get_close_matches(name, known, n=1, cutoff=0.8):
                raise InputError(f"{path}:{number}: unknown field {name!r}. Is {meant[0]!r} meant?")
            yield number, name
