"""The two forms in which runs are exchanged, replies and readings, as typed lines.

A reply is what came back from one session, verbatim. A given reading is what somebody (a person, another parser)
took a reply to commit to. Our own readings are never stored: `runs.readings` makes them of the replies each time.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import Injection, Key, Message, Token
from selfexec.facets import facets_of
from selfexec.files import jsonl
from selfexec.prompts import digest
from selfexec.run_options import MOST_EPOCHS
from selfexec.text.matching import nearest, what_there_is
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line, harmless_line
from selfexec.text.tables import beginning

if TYPE_CHECKING:
    from selfexec.engines import CallResult

Name = Annotated[str, msgspec.Meta(min_length=1)]
Epoch = Annotated[int, msgspec.Meta(ge=1, le=MOST_EPOCHS)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e7)]
Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
T = TypeVar("T")
Part = TypeVar("Part", bound=tuple[Any, ...])
Several = TypeVar("Several", bound=Sized)
_ENCODE = msgspec.json.Encoder().encode
VOID = "void"  # how the error of a reply begins that counted once and does not any more
EXPORTED = ("custom_id", "prompt", "cut")  # what lines of `selfexec export` have beside the key


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


class ByPart(dict[Part, Several]):
    """What belongs to parts of a run, such as a model in an experiment. It prints as how many each part has."""

    def __repr__(self) -> str:
        lines = [f"  {', '.join(str(name) for name in part if name)}: {len(of):,}" for part, of in self.items()]
        return beginning("\n".join([number_of(len(self), "part"), *lines]))


NO_WORD = "none"  # as `unknown_end`: the server did not say how the reply ended


def ended_with(word: str | None) -> str:
    """How a reply ended, by the server's word for it."""
    return "ended without a word for how" if word == NO_WORD else f"ended with '{harmless_line(word or '')}'"


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


class Reply(OfSession, frozen=True, kw_only=True, omit_defaults=True, dict=True):
    """One line of replies. `text` is None where nothing came back; `error` then says why. What a reply counts as is in
    no field: the properties `withheld_by`, `failed`, `ended_unknown` and `takes_back` follow from the fields.

    The second block is what a run's journal adds. Token counts are None where nobody counted; `cost_usd` is what the
    call cost, `completion_id` what the server calls this completion, `upstream` who answered behind a gateway. `policy`
    is what a server said that answered with an error, not with a reply, and gave a content policy against this input as
    the reason: the reply counts as withheld by the provider. `retry_causes` says why it was asked for again, once for
    each time. `effort` is how hard the server says that the model was to think; `prompt_cut`: it counted fewer tokens
    of the prompt than that must take, and `prompt_extended`: far more than the request can have. `parent` is the
    session within which it was asked; `simulated`: the server said that no language model is behind it. `batch` is the
    custom id of the request that it came by, where that was one of a batch file. `logprobs` has its tokens with their
    log-probabilities, where these were asked for and came. `connection` is the network connection that brought it and
    the number of the call on it (`runs.journal_writer` says what for). `injection` is what was forced into it while it
    was written, `forced` these tokens, and `forced_end` the number of characters before what the model wrote behind
    them.

    `age` is for how many seconds it had been there when its call was sent, as its server says, where that is ten
    minutes or more: it came from a cache, or the server's clock is wrong.
    `person`: a person replied, in so many `seconds`, and not a model.

    `form` is the number of what the reply was made up of: the names of its fields and headers, and who they say
    answered. The first replies of a form have these as `form_parts`. `other_model` is the name of another model than
    was asked that a field or a header has, with its place; `other_fields` the fields and headers that are not known,
    with short values, and `contradictions` what does not fit the request, other replies or the reply itself.
    `prompt_bytes` is the length of the text of the prompt, its system prompt included.

    `unknown_end` is the server's word for how the reply ended, where that word is not in the table of known ends; it is
    `none` where the server gave no word, and has `+error` behind a known word where something speaks against the reply.
    `unknown_end_text` is the text that came with it. The reply has an `error` and no `text` until that word is accepted
    (`selfexec.runs.ends`); then it has a `text`, and the word as `stop_reason`.
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
    prompt_extended: bool = False
    parent: str | None = None
    simulated: bool = False
    batch: str | None = None
    logprobs: tuple[Token, ...] | None = None
    unknown_end: str | None = None
    unknown_end_text: str | None = None
    connection: str | None = None
    age: Count | None = None
    injection: Injection | None = None
    forced: tuple[Token, ...] | None = None
    forced_end: Count | None = None
    seconds: Seconds | None = None
    person: bool = False
    form: Count | None = None
    form_parts: str | None = None
    other_model: str | None = None
    other_fields: str | None = None
    contradictions: str | None = None
    prompt_bytes: Count | None = None

    @classmethod
    def of(
        cls,
        key: Key,
        result: "CallResult",
        latency: float,
        prompt_sha256: str | None = None,
        parent: str | None = None,
        injection: Injection | None = None,
    ) -> "Reply":
        """What an engine brought back from a session, now. The time for which it was held is no latency.

        Raises:
            TypeError: It is no result.
        """
        if not isinstance(result, msgspec.Struct):
            raise TypeError(f"an engine brings a CallResult, and not a {type(result).__name__}")
        model, experiment, item, epoch, session, facets = key
        # each field by itself, in the order of the fields: by way of a dictionary it takes three times as long
        return cls(
            model=model,
            experiment=experiment,
            item=item,
            epoch=epoch,
            session=session,
            facets=dict(facets),
            text=result.text,
            output_tokens=result.output_tokens,
            error=result.error,
            prompt_sha256=prompt_sha256,
            input_tokens=result.input_tokens,
            reasoning_tokens=result.reasoning_tokens,
            reasoning=result.reasoning,
            stop_reason=result.stop_reason,
            refusal=result.refusal,
            served_model=result.served_model,
            fingerprint=result.fingerprint,
            latency=round(max(0.0, latency - result.waited), 6),
            attempt=result.attempt,
            time=_time_of(int(time.time())),
            cost_usd=result.cost_usd,
            completion_id=result.completion_id,
            upstream=result.upstream,
            policy=result.policy,
            retry_causes=result.retry_causes,
            effort=result.effort,
            prompt_cut=result.prompt_cut,
            prompt_extended=result.prompt_extended,
            parent=parent,
            simulated=result.simulated,
            logprobs=result.logprobs,
            unknown_end=result.unknown_end,
            unknown_end_text=result.unknown_end_text,
            connection=result.connection,
            age=result.age,
            injection=injection,
            forced=result.forced,
            forced_end=result.forced_end,
            form=result.form,
            form_parts=result.form_parts,
            other_model=result.other_model,
            other_fields=result.other_fields,
            contradictions=result.contradictions,
            prompt_bytes=result.prompt_bytes,
        )

    @property
    def line(self) -> bytes:
        """The reply as a line of a journal. It is encoded once, since a reply does not change.

        Raises:
            ValueError, TypeError: It cannot be written down.
        """
        known: bytes | None = self.__dict__.get("line")
        if known is None:
            known = self.__dict__["line"] = _ENCODE(self) + b"\n"
        return known

    @property
    def read_text(self) -> str:
        """What is read of it: all of its text, or what came behind an injection."""
        return (self.text or "")[self.forced_end or 0 :]

    @property
    def ended_unknown(self) -> bool:
        """Whether it is missing because its end is not known, and nobody has accepted that end."""
        return self.unknown_end is not None and (self.error is not None or self.text is None)

    @property
    def known_stop(self) -> str | None:
        """How the reply ended, where that is known. An accepted word does not become a known one, whatever it is."""
        return self.stop_reason if self.unknown_end is None else None

    @property
    def withheld_by(self) -> str | None:
        """Who withheld the reply, `model` or `provider`; None if nobody did."""
        if self.ended_unknown:
            return None
        if self.refusal or self.known_stop == "refusal":
            return "model"
        return "provider" if self.known_stop == "content_filter" else None

    @property
    def spoken(self) -> bool:
        """Whether the model said anything, in words that reached us."""
        said = (self.text or "").strip() or self.refusal or self.reasoning
        return bool(said) and not self.failed and self.withheld_by != "provider"

    @property
    def takes_back(self) -> bool:
        """Whether an earlier reply of this session was found not to count, and none has come since."""
        return self.error is not None and self.error.startswith(f"{VOID}:")

    @property
    def failed(self) -> bool:
        """Whether nothing came back that counts. What was withheld counts: it is behaviour."""
        return (self.text is None or self.error is not None) and self.withheld_by is None

    @property
    def failure(self) -> str:
        """Why nothing came that counts, as it is counted: without the details that each case has of its own."""
        if self.ended_unknown:
            word = harmless_line(self.unknown_end or "")[:40]
            return "unknown end, no word" if word == NO_WORD else f"unknown end '{word}'"
        return (self.error or "no text").split(" (")[0][:60]


@lru_cache(maxsize=2)
def _time_of(second: int) -> str:
    """A second since 1970 as lines have it: many replies come in one."""
    return datetime.fromtimestamp(second, UTC).isoformat()


class Cut(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Which of the items were asked, and with which prompts, as lines of `selfexec export` carry it."""

    preset: str | None = None
    limit: int | None = None
    fraction: float | None = None
    prompts: str | None = None

    @property
    def whole(self) -> bool:
        """Whether it names no cut of the items."""
        return self.preset is None and self.limit is None and self.fraction is None

    @property
    def typed(self) -> str:
        """As it is typed."""
        named = (("preset", self.preset), ("limit", self.limit), ("fraction", self.fraction), ("prompts", self.prompts))
        return " ".join(f"--{name} {value}" for name, value in named if value is not None) or "no cut"


class GivenReading(OfSession, frozen=True, kw_only=True):
    """One line of readings made elsewhere. `value` is None where the reply could not be read; `probability` is that of
    a yes, where the reply gives one.
    """

    value: Any
    reason: str | None = None
    probability: Probability | None = None


@dataclass(frozen=True)
class Loaded:
    """Replies from files, the place that each was read from, what was odd about the files, and the cut that all lines
    name, where each names one.
    """

    replies: dict[Key, Reply]
    places: dict[Key, str]
    warnings: list[str]
    cut: Cut = Cut()


def load_replies(paths: Iterable[Path]) -> Loaded:
    """Replies from files of anybody's making.

    A session that occurs twice with different replies is refused, since nothing tells which one counts. A line
    that failed (`error`, or no text) gives way to one that did not. A void line takes back what stands before it.
    """
    replies: BySession[Reply] = BySession()
    places: dict[Key, str] = {}
    unknown: dict[str, str] = {}
    cuts: dict[Cut, str] = {}
    for path in paths:
        sent = _sent(path)
        cuts |= {cut: f"{path}:{number}" for number, cut in _cuts(path).items() if cut not in cuts}
        for number, reply in jsonl.decode(path, Reply):
            if number in sent and reply.prompt_sha256 is None:
                reply = msgspec.structs.replace(reply, prompt_sha256=sent[number])
            place = f"{path}:{number}"
            known = replies.get(reply.key)
            if known is None or known.failed or reply.takes_back:
                replies[reply.key], places[reply.key] = reply, place
            elif not reply.failed and reply != known:
                raise InputError(
                    f"{place}: {reply.key} was already given, with another reply, at {places[reply.key]}. "
                    "Keep one of the two."
                )
        unknown |= {name: f"{path}:{number}" for number, name in _unknown_fields(path)}
    warnings = [f"{place}: ignored the unknown field {name!r}" for name, place in unknown.items()]
    return Loaded(replies, places, warnings, _agreed(cuts))


def load_readings(paths: Iterable[Path]) -> dict[Key, GivenReading]:
    """Readings made elsewhere, in files or in folders of *.jsonl; the last line per session wins."""
    files = (file for path in paths for file in (_readings_in(path) if path.is_dir() else [path]))
    return {reading.key: reading for path in files for _, reading in jsonl.decode(path, GivenReading)}


def _readings_in(folder: Path) -> list[Path]:
    """The files of a folder, by name."""
    if (folder / "manifest.json").exists():
        raise InputError(
            f"--readings {folder}: this is a run, no readings. Its own: {command_line('read {} --format json', folder)}"
        )
    if files := sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")]):
        return files
    raise InputError(f"--readings {folder}: this folder has no *.jsonl. Give the file or the folder of readings.")


class _OfCut(msgspec.Struct, frozen=True, kw_only=True):
    cut: Cut = Cut()


def _cuts(path: Path) -> dict[int, Cut]:
    """The cuts that lines name, each once, by the number of its first line."""
    decode = msgspec.json.Decoder(_OfCut).decode
    found: dict[Cut, int] = {}
    for number, line in jsonl.numbered_lines(path):
        with suppress(*jsonl.UNDECODABLE):  # reported when the whole line is decoded
            found.setdefault(decode(line).cut if b'"cut"' in line else Cut(), number)
    return {number: cut for cut, number in found.items()}


def _agreed(cuts: Mapping[Cut, str]) -> Cut:
    """The cut of all lines: none where lines of somebody else's making name none. InputError: there are two."""
    named = [(cut, place) for cut, place in cuts.items() if not cut.whole]
    if len(named) > 1:
        (one, place), (other, further) = named[:2]
        raise InputError(
            f"{further}: this line was exported with {other.typed}, and {place} with {one.typed}. Import them into two "
            "runs."
        )
    if len(cuts) == 1:
        return next(iter(cuts))
    prompts = {cut.prompts for cut in cuts if cut.prompts}
    return Cut(prompts=prompts.pop()) if len(prompts) == 1 else Cut()


class _Sent(msgspec.Struct, frozen=True):
    prompt: str | list[Message]


def _sent(path: Path) -> dict[int, str]:
    """The SHA-256 of the prompts in lines that carry them, as `selfexec export` writes them, by number."""
    decode = msgspec.json.Decoder(_Sent).decode
    found: dict[int, str] = {}
    for number, line in jsonl.numbered_lines(path):
        if b'"prompt"' in line:
            with suppress(*jsonl.UNDECODABLE):  # reported when the whole line is decoded
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
            if meant := nearest(name, known, 0.8):
                raise InputError(f"{path}:{number}: unknown field {name!r}. Did you mean {meant!r}?")
            yield number, name


def prompts_of(replies: Iterable[Reply]) -> set[tuple[str, ...]]:
    """The different prompts that replies answer, as far as they are known."""
    return {(reply.prompt_sha256,) if reply.prompt_sha256 else (reply.experiment, reply.item) for reply in replies}
