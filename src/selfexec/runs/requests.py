"""What of a run went out in batch files, and what of it has come back.

batches/requests.jsonl    one line per request: its custom id, the session that it is for, the file that it is in
batches/*                 the files themselves

A reply that came so carries the custom id of its request in the journal: what is out has none there. The custom id
tells the run and the request apart, not the session alone: the results of another run, or of an earlier request for the
same session, are never taken for these.
"""

import hashlib
import re
import secrets
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec

from selfexec.engines import Wire
from selfexec.errors import InputError
from selfexec.experiments import Key, Prompt
from selfexec.files import jsonl
from selfexec.files.replacing import current, put
from selfexec.prompts import digest
from selfexec.runs.folder import BATCHES, REPLIES
from selfexec.runs.reply import OfSession, Reply
from selfexec.text.regex import regex

REQUESTS = "requests.jsonl"
OURS = regex(r"sx-([0-9a-f]{8})-[0-9a-f]{32}-[0-9]+")  # 3 + 8 + 1 + 32 + 1: far below 64 characters


class ExportedRequest(OfSession, frozen=True, kw_only=True, omit_defaults=True):
    """One request that was exported, and where it was to be asked: `form` of the file, wire format and address."""

    custom_id: str
    prompt_sha256: str
    file: str
    time: str
    form: str
    wire: Wire
    url: str
    parent: str | None = None


@dataclass(frozen=True)
class Requests:
    """All requests of a run by custom id, in the order in which they were exported; and the ids of those that have a
    result.
    """

    by_id: Mapping[str, ExportedRequest] = field(default_factory=dict)
    came: frozenset[str] = frozenset()

    @property
    def newest(self) -> dict[Key, ExportedRequest]:
        """The last request of each session."""
        return {request.key: request for request in self.by_id.values()}

    @cached_property
    def out(self) -> Mapping[Key, ExportedRequest]:
        """The last request of each session for which nothing has come back."""
        return {key: request for key, request in self.newest.items() if request.custom_id not in self.came}

    def is_out(self, key: Key, prompt: Prompt) -> bool:
        """Whether a session is out with this prompt: a judge's is another one where the response was asked for anew."""
        return bool(self.out) and key in self.out and self.out[key].prompt_sha256 == digest(prompt)

    @property
    def rounds(self) -> int:
        """How many exports there were."""
        numbers = (re.match("[0-9]+", request.file) for request in self.by_id.values())
        return max((int(number[0]) for number in numbers if number), default=0)

    def name_of_run(self) -> str:
        """The part of its custom ids that only this run has."""
        for id in self.by_id:
            if ours := OURS.fullmatch(id):
                return ours[1]
        return secrets.token_hex(4)


def custom_ids(requests: Requests, keys: Iterable[Key]) -> Iterator[tuple[Key, str]]:
    """An id for one more request of each session, of letters, digits and hyphens. InputError where two sessions would
    have the same.
    """
    of_run, times = requests.name_of_run(), dict.fromkeys(requests.newest, 0)
    for request in requests.by_id.values():
        times[request.key] += 1
    given: dict[str, Key] = {}
    for key in keys:
        digest = hashlib.sha256(msgspec.json.encode([of_run, *key])).hexdigest()[:32]
        id = f"sx-{of_run}-{digest}-{times.get(key, 0) + 1}"
        if id in given or id in requests.by_id:
            raise InputError(f"{key} would have the same custom id as another session, {id}. Begin a new run.")
        given[id] = key
        yield key, id


def requests_of(folder: Path) -> Requests:
    """The requests of a run; none where it never exported any."""
    path = folder / BATCHES / REQUESTS
    if not path.is_file():
        return Requests()
    by_id = {request.custom_id: request for request in jsonl.values(current(path), ExportedRequest)}
    came = {reply.batch for reply in replies_in(folder) if reply.batch}
    return Requests(by_id, frozenset(came))


def out_with_batches(folder: Path, there: Container[Key]) -> int:
    """How many sessions of a run are out in batch files, of those that have no reply that counts."""
    return sum(key not in there for key in requests_of(folder).out)


def replies_in(folder: Path) -> list[Reply]:
    """Every line of the journal of a run, those too that later ones replaced."""
    return jsonl.values(folder / REPLIES, Reply)


def add_requests(folder: Path, more: Iterable[ExportedRequest]) -> None:
    """Write down what is out, in one step: with it the files that hold the requests count as exported."""
    path = folder / BATCHES / REQUESTS
    before = current(path).read_bytes() if path.is_file() else b""
    whole = before[: before.rfind(b"\n") + 1]
    encode = msgspec.json.Encoder().encode
    put(path, [whole, *(encode(request) + b"\n" for request in more)], synced=True)
