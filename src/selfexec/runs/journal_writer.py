"""The writer of a run's replies, `JournalWriter`, finds out which of them are certain to answer their own prompt. What
a line has is in `runs.reply.Reply`, and the file itself is `runs.journal.Journal`.

A reply over a network connection that has carried other calls before may be the answer to one of those, where a server
sends answers twice. An engine that learns of this later reports it (`engines.Checking`). Such a reply is written down
at once, with its connection; what becomes known of the connection is written to a file beside the replies:

    {"connection": "5f0c2a91.3", "checked": 50}    the replies to its first 50 calls answer these calls

A reply behind the last such line counts, and is reported as unchecked: the command was killed, or the connection ended,
before it could be checked. A reply that may be swapped is void: a line with an error follows it in the journal, so that
it is asked again.

Other replies are copies, by the ids that servers give them. A cache with a bad key, or a gateway that mixes calls up,
sends again what it has sent for another prompt: the same id, the same text, the same counts. An id says so only where
it is one:

- A server that gives all replies one id says nothing by it: at least two ids must have come of a model.
- What has come to two prompts belongs to neither, also where one of them is asked again and gets it a second time.
- Of two replies with the same text and two ids nothing is known: models give the same answer to many prompts, above all
  short ones and refusals, and a hundred replies may be of the same second.
- One that draws ids from a few hundred numbers gives an id to different texts sooner or later. From then on its ids say
  nothing, and a short id with a short text says nothing at any time, since both may agree by chance.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from selfexec.engines import Checking, ConnectionCheck, Engine
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.runs.folder import CONNECTIONS
from selfexec.runs.journal import Journal, ends_torn
from selfexec.runs.reply import VOID, BySession, Reply
from selfexec.text.numbers import number_of

# what a reply holds that a model or a server said
SAID = (
    *("text", "reasoning", "refusal", "stop_reason", "policy", "logprobs"),
    *("unknown_end", "unknown_end_text"),
)
R = TypeVar("R", bound=Reply)
SWAPPED = f"{VOID}: its connection carried an answer that no call was waiting for, so it may belong to another prompt"
COPIED = f"{VOID}: it is, with its id, the reply that came to another prompt, so it may belong to either of them"
DEPENDENT = f"{VOID}: it was asked from a reply that may belong to another prompt"


class CertainReplies(msgspec.Struct, frozen=True, kw_only=True):
    """One line: the replies to the first `checked` calls of a connection are certain."""

    connection: str
    checked: int


def append_mark(path: Path, mark: CertainReplies) -> None:
    """Write a line down, behind whatever a killed process left of one. InputError: it cannot be written."""
    line = msgspec.json.encode(mark) + b"\n"
    try:
        with path.open("a+b", buffering=0) as file:
            file.write(b"\n" + line if ends_torn(path) else line)
    except OSError as fault:
        raise InputError(
            f"{path}: a line could not be written ({fault.strerror}). All replies so far are kept; make room and give "
            "the same command again."
        ) from None


class Unchecked:
    """The replies on one connection that nothing is known of yet: which call each is of, and where its line begins.
    There are thousands at a time. An array takes 16 bytes for each, where objects would take over a hundred.
    """

    def __init__(self) -> None:
        self._pairs = array("q")

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def append(self, call: int, position: int) -> None:
        self._pairs.extend((call, position))

    def take(self, first: int, last: int) -> list[int]:
        """Take out the replies to some calls, and return where their lines begin."""
        pairs = list(zip(self._pairs[::2], self._pairs[1::2], strict=True))
        left = [pair for pair in pairs if not first <= pair[0] <= last]
        self._pairs = array("q", chain.from_iterable(left))
        return [position for call, position in pairs if first <= call <= last]


class JournalWriter:
    """Writes replies down, and writes down what becomes known of their connections.

    Attributes:
        void: How many replies that are to be asked for again were found to be void, by address; those that are copies
            by model.
        copies: Knows which replies are copies of one to another prompt.
    """

    def __init__(self, journal: Journal, engine: Engine) -> None:
        """Begin a writer of the replies that an engine brings, which are written to `journal`. Its marks are in the
        folder of the journal.
        """
        self.void = Counter[str]()
        self.copies = RepeatedReplies(journal.reply_at)
        self._copied = Counter[str]()
        self._void_copies: set[tuple[Key, str | None]] = set()
        self._asked_again: set[Key] = set()
        self._journal = journal
        self._unchecked: dict[str, Unchecked] = {}
        self._kind = Reply  # all lines of a journal are of one
        self._certain: dict[str, int] = {}
        self._swapped: dict[str, list[ConnectionCheck]] = {}
        self._fault: InputError | None = None
        if isinstance(engine, Checking):
            engine.report_checks(self.note_check)

    def keep(self, reply: Reply) -> None:
        """Write a reply down. Raises InputError also for an earlier line that could not be written."""
        self.raise_fault()
        position = self._journal.append(reply)
        for copy in self.copies.note(reply, position):
            if _named(copy.earlier) not in self._void_copies:
                self._void_copy(copy.earlier)
            self._void_copy(copy.later)
        if reply.connection is None or not brought_text(reply):
            return
        connection, number = parts_of(reply.connection)
        if number <= self._certain.get(connection, 0):
            return
        for check in self._swapped.get(connection, ()):  # this became known while the reply was held back
            if check.first <= number <= check.last:
                self._void(check.address, reply)
                return
        self._kind = type(reply)
        self._unchecked.setdefault(connection, Unchecked()).append(number, position)

    def raise_fault(self) -> None:
        """Raise InputError if a line could not be written."""
        if self._fault:
            raise self._fault

    def note_check(self, check: ConnectionCheck) -> None:
        """Write down what became known of a connection. An exception here would reach nobody: an engine calls this from
        within the event loop.
        """
        try:
            if check.result == "clean":
                self._mark(check)
            elif check.result == "swapped":
                self._void_all(check)
        except InputError as fault:
            self._fault = fault

    def _mark(self, check: ConnectionCheck) -> None:
        self._certain[check.connection] = check.last
        self._take_out(check)
        mark = CertainReplies(connection=check.connection, checked=check.last)
        append_mark(self._journal.path.parent / CONNECTIONS, mark)

    def _void_all(self, check: ConnectionCheck) -> None:
        self._swapped.setdefault(check.connection, []).append(check)
        for position in self._take_out(check):
            self._void(check.address, self._journal.reply_at(position, self._kind))

    def _take_out(self, check: ConnectionCheck) -> list[int]:
        """Take the replies that a check is about out of those that nothing is known of; return where they stand."""
        if (unchecked := self._unchecked.get(check.connection)) is None:
            return []
        positions = unchecked.take(check.first, check.last)
        if not unchecked:
            del self._unchecked[check.connection]
        return positions

    def _void(self, address: str, reply: Reply) -> None:
        self.void[address] += 1
        self._journal.append(as_void(reply, SWAPPED))

    def _void_copy(self, reply: Reply) -> None:
        """Make a reply void that is a copy. What is one a second time is not asked for again: it would be a third."""
        self._copied[reply.model] += 1
        if reply.key not in self._asked_again:
            self.void[reply.model] += 1
        self._asked_again.add(reply.key)
        self._void_copies.add(_named(reply))
        self._journal.append(as_void(reply, COPIED))

    def warnings(self) -> Iterator[str]:
        """Return a sentence for each model with copies and each address that may have swapped answers."""
        for model, copies in self._copied.items():
            yield (
                f"{model}: {number_of(copies, 'reply', 'replies')} came with the id and the text of a reply to another "
                "prompt. Something on the way, like a gateway with a cache, sends again what it has sent. They do not "
                "count and were asked for again once, with the sessions asked from them. Turn the cache off"
            )
        for address in dict.fromkeys(check.address for checks in self._swapped.values() for check in checks):
            replies = number_of(self.void[address], "reply", "replies")
            do = "does not count and is" if self.void[address] == 1 else "do not count and are"
            yield (
                f"{address}: it sent an answer that no call was waiting for, so answers may have been swapped between "
                f"prompts. {replies} that may belong to another prompt {do} asked for again, with the sessions asked "
                "from them. From then on each call to this address has a connection of its own"
            )


def _named(reply: Reply) -> tuple[Key, str | None]:
    return reply.key, reply.completion_id


def as_void(reply: Reply, error: str) -> Reply:
    """Return the line that makes a reply void. What was paid for it stays in the line."""
    nothing = dict.fromkeys(SAID)
    void: Reply = msgspec.structs.replace(reply, error=error, **nothing)
    return void


def brought_text(reply: Reply) -> bool:
    """Return whether something came that counts, or that counts once the end of the reply is accepted."""
    return not reply.failed or reply.ended_unknown


def replaced_void(lines: Sequence[R]) -> list[R]:
    """Return the void lines of a journal for which a reply has come since: they were paid for, too."""
    last = {reply.key: n for n, reply in enumerate(lines)}
    return [reply for n, reply in enumerate(lines) if reply.takes_back and last[reply.key] > n]


def parts_of(connection: str) -> tuple[str, int]:
    """Return the name of a connection and the number of the call on it; 0 where it has none."""
    name, _, number = connection.rpartition(":")
    return name, int(number) if number.isdecimal() else 0


def checked_calls(folders: Iterable[Path]) -> dict[str, int]:
    """Return up to which call each connection was checked, as these folders say. A damaged line says nothing."""
    found: dict[str, int] = {}
    decode = msgspec.json.Decoder(CertainReplies).decode
    for path in (folder / CONNECTIONS for folder in folders):
        for _, line in jsonl.numbered_lines(path) if path.is_file() else ():
            try:
                mark = decode(line)
            except jsonl.UNDECODABLE:
                continue
            found[mark.connection] = max(mark.checked, found.get(mark.connection, 0))
    return found


def unchecked(replies: Iterable[Reply], folders: Iterable[Path]) -> list[Reply]:
    """Return the replies that count although nobody could check whether they answer their own prompts."""
    carried = [reply for reply in replies if reply.connection is not None and brought_text(reply)]
    checked = checked_calls(folders) if carried else {}
    return [reply for reply in carried if _is_unchecked(reply, checked)]


def _is_unchecked(reply: Reply, checked: Mapping[str, int]) -> bool:
    connection, number = parts_of(reply.connection or "")
    return number > checked.get(connection, 0)


def without_checked(replies: Mapping[Key, Reply], folders: Iterable[Path]) -> dict[Key, Reply]:
    """Return replies from files, without the connection where the folder of a file says that it was checked."""
    open_ones = {reply.key for reply in unchecked(replies.values(), folders)}
    return BySession(
        (
            key,
            reply if reply.connection is None or key in open_ones else msgspec.structs.replace(reply, connection=None),
        )
        for key, reply in replies.items()
    )


def unchecked_warning(place: Path, replies: Iterable[Reply], folder: Path) -> str | None:
    """Return a sentence about replies that nobody could check; None where there are none."""
    if not (found := unchecked(replies, [folder])):
        return None
    were = "was" if len(found) == 1 else "were"
    return (
        f"{place}: {number_of(len(found), 'reply', 'replies')} {were} not checked for swapped answers: the command was "
        "killed or is still running, or the connection ended, before the check. They count"
    )


# --- copies of replies -----------------------------------------------------------------------------------------------


LONG_ID = 20  # characters of an id that nobody draws twice
LONG_TEXT = 48  # characters that hardly come twice under a short id
MOST_PENDING = 50  # copies under the only id so far


class Copy(NamedTuple):
    """Two replies with the same id and text to two prompts: which of them it belongs to nobody knows."""

    earlier: Reply
    later: Reply


class FirstPositions:
    """Where the line of the first reply with each id begins, by the hash of the id.

    A run of many calls holds one entry for each of them. A dictionary would take some 110 bytes for it, two integers
    included; this takes some 25: hashes and positions lie in arrays in the order in which they came, and `_places` is
    a hash table with open addressing, which holds the places of entries in these arrays.
    """

    def __init__(self) -> None:
        self._hashes = array("q")
        self._positions = array("q")
        self._places = _free_places(64)

    def __len__(self) -> int:
        return len(self._hashes)

    def setdefault(self, id_hash: int, position: int) -> int:
        """Return the position that an id came with first, which is this one where it has not come before."""
        slot = self._slot_of(id_hash)
        if (place := self._places[slot]) != FREE:
            return self._positions[place]
        self._places[slot] = len(self._hashes)
        self._hashes.append(id_hash)
        self._positions.append(position)
        if len(self._hashes) * 4 > len(self._places) * 3:
            self._double_table()
        return position

    def _slot_of(self, id_hash: int) -> int:
        """Return the slot that holds the place of an id, or the free one for it."""
        last = len(self._places) - 1
        slot = id_hash & last
        while (place := self._places[slot]) != FREE and self._hashes[place] != id_hash:
            slot = slot + 1 & last
        return slot

    def _double_table(self) -> None:
        self._places = _free_places(2 * len(self._places))
        for place, id_hash in enumerate(self._hashes):
            self._places[self._slot_of(id_hash)] = place


FREE = -1  # a slot of a hash table that holds no place


def _free_places(slots: int) -> "array[int]":
    return array("i", (FREE,)) * slots


@dataclass
class _Ids:
    """The ids of a model's replies. `known` has by the hash of an id the reply of an earlier command that bore it, and
    `first` where the first line of this command with it begins; `pending` are copies under the only id that has come so
    far, and `copied` the hashes of ids that came with one text to two prompts.
    """

    known: dict[int, Reply] = field(default_factory=dict)
    first: FirstPositions = field(default_factory=FirstPositions)
    pending: list[Copy] = field(default_factory=list)
    copied: set[int] = field(default_factory=set)
    say_nothing: bool = False


class RepeatedReplies:
    """Notices copies among the replies of a run as they come."""

    def __init__(self, reply_at: Callable[[int, type[Reply]], Reply]) -> None:
        """`reply_at` reads the reply whose line begins at a position back."""
        self._reply_at = reply_at
        self._of_models: dict[str, _Ids] = {}

    def remember(self, replies: Iterable[Reply]) -> None:
        """Take note of replies that earlier commands brought."""
        for reply in replies:
            if reply.completion_id and reply.text:
                self._of_models.setdefault(reply.model, _Ids()).known.setdefault(hash(reply.completion_id), reply)

    def note(self, reply: Reply, position: int) -> list[Copy]:
        """Take note of a reply whose line begins at a position, and return the copies that are known by it."""
        if not (reply.completion_id and reply.text):
            return []
        ids = self._of_models.setdefault(reply.model, _Ids())
        if ids.say_nothing:
            return []
        if earlier := self._first_with_id(ids, reply, position):
            _compare(ids, earlier, reply)
        if len(ids.known) + len(ids.first) < 2:
            return []
        copies, ids.pending = ids.pending, []
        return copies

    def _first_with_id(self, ids: _Ids, reply: Reply, position: int) -> Reply | None:
        """Return the reply that bore the id of this one first; None where this one does."""
        id_hash = hash(reply.completion_id)
        if earlier := ids.known.get(id_hash):
            return earlier
        first = ids.first.setdefault(id_hash, position)
        return None if first == position else self._reply_at(first, type(reply))


def _compare(ids: _Ids, earlier: Reply, reply: Reply) -> None:
    """Look whether a reply is a copy of the one that bore its id, or one with the same hash, first."""
    if earlier.completion_id != reply.completion_id:
        return
    if earlier.text != reply.text or len(ids.pending) == MOST_PENDING:
        ids.say_nothing = True
        ids.known.clear()
        ids.first = FirstPositions()
        ids.pending.clear()
    elif hash(reply.completion_id) in ids.copied or _is_copy(earlier, reply):
        ids.copied.add(hash(reply.completion_id))
        ids.pending.append(Copy(earlier, reply))


def _is_copy(earlier: Reply, reply: Reply) -> bool:
    """Whether two replies of the same id and text are one, to two prompts. Some gateways count the prompt anew, which
    says nothing where both the id and the text are long.
    """
    if earlier.prompt_sha256 == reply.prompt_sha256:
        return False
    has_long_id, has_long_text = len(reply.completion_id or "") >= LONG_ID, len(reply.text or "") >= LONG_TEXT
    if has_long_id and has_long_text:
        return True
    return (has_long_id or has_long_text) and _counts(earlier) == _counts(reply)


def _counts(reply: Reply) -> tuple[int | None, ...]:
    return reply.input_tokens, reply.output_tokens, reply.reasoning_tokens
