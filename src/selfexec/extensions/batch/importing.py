"""Results of batches, put into the run that exported the requests: each as the reply that it would have been over HTTP.

Files may come in any order, in parts and more than once, results and errors alike. Nothing is written before all of it
has been read and found to be of this run.
"""

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from selfexec.engines import is_at_home
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.extensions.batch.forms import FORMS, BatchResult, NoResult, call_result, result_in
from selfexec.files import jsonl
from selfexec.options import Files, Names, files, names
from selfexec.runs.arguments import tells_wrong_names
from selfexec.runs.asking import EndsInARow, held_back, row_message
from selfexec.runs.ends import accepted_in, keep_accepted, way_to_texts, with_accepted_end
from selfexec.runs.folder import MANIFEST, REPLIES
from selfexec.runs.journal import Journal
from selfexec.runs.reply import Reply
from selfexec.runs.requests import OURS, REQUESTS, ExportedRequest, Requests, replies_in, requests_of
from selfexec.runs.run import Run, load
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line

NAMED = 3  # custom ids that a message names


class Came(NamedTuple):
    """A result with the request that it is of, and the place that it was read from."""

    place: str
    request: ExportedRequest
    reply: Reply


@dataclass
class ImportedBatch:
    """What came of an import. `replies` are those that were taken; `again` counts results that were there already,
    `late` those of sessions that had a reply by other means, which stays. `out` counts what has still not come back.
    `forms` are those of the files, `at_home` the models that were asked at their provider's own address.
    """

    replies: list[Reply] = field(default_factory=list)
    again: int = 0
    late: int = 0
    out: int = 0
    forms: list[str] = field(default_factory=list)
    at_home: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    @property
    def ended(self) -> int:
        """How many of the failures have an unknown end, so that they are not asked again."""
        return sum(reply.ended_unknown for reply in self.replies)

    @property
    def failures(self) -> Counter[str]:
        """What is missing, and to be asked again but for what has an unknown end, by the reason."""
        return Counter(reply.failure for reply in self.replies if reply.failed)


@tells_wrong_names("an import", paths="results", run="out")
def import_batch(results: Files, *, out: str | Path, accept_filters: bool = False, accept_ends: Names = ()) -> Run:
    """Put the results of batches into the run that `export_batch` wrote the requests of.

      results         the files that came back, results and errors alike, in any order, also gzipped
      out             the folder of that run
      accept_filters  keep errors that look like a content filter even where the model itself has said nothing
      accept_ends     words with which replies count though they are not known to end one; the run keeps them

    What expired, was cancelled or failed is missing, with the reason, until it is asked again. InputError: a line is no
    result, a file is of other requests than this run's, or a result contradicts an earlier one; nothing is written
    then. InputError, too, where ten results of one model in a row have the same unknown end; all are written then. What
    is odd and can be used all the same comes as a warning.
    """
    found = imported(files(results), Path(out), accept_filters=accept_filters, accept_ends=names(accept_ends))
    for text in found.warnings:
        warnings.warn(text, stacklevel=3)  # of the caller, beyond what refuses wrong names
    return load(out)


def imported(
    paths: Sequence[Path], out: Path, *, accept_filters: bool = False, accept_ends: Sequence[str] = ()
) -> ImportedBatch:
    """Put these results into a run, which accepts these unknown ends from now on. InputError, once they are written: of
    one model too many came in a row that ended with the same unknown word.
    """
    if not (out / MANIFEST).is_file():
        raise InputError(f"{out}: this is not a run's folder. Give the folder of the run that exported the requests.")
    found = ImportedBatch()
    with Journal(out / REPLIES) as journal:
        requests = requests_of(out)
        if not requests.by_id:
            raise InputError(
                f"{out}: this run has no batch out (there is no {REQUESTS}). Export it first: "
                f"{command_line('export {} --to batch-openai', out)}, or to batch-anthropic or batch-gemini."
            )
        came = list(_of_files(paths, requests, out, found.warnings))
        words = accepted_in(out, accept_ends)
        lines = list(replies_in(out))
        there = [with_accepted_end(line, words) for line in lines]
        new = _new(came, there, found, words)
        keep_accepted(out, accept_ends)  # not before it is sure that something is written
        held = held_back(there, [with_accepted_end(one.reply, words) for one in new], accept_filters)
        for model, some in held.items():
            found.warnings.append(_held(model, some))
        left = {reply.batch for some in held.values() for reply in some}
        new = [one for one in new if one.reply.batch not in left]
        for reply in journal_lines(new, lines, requests, found, words):
            journal.append(reply)
        found.replies = [with_accepted_end(one.reply, words) for one in new]
        found.forms = list(dict.fromkeys(one.request.form for one in came))
        found.at_home = {one.request.model for one in came if is_at_home(one.request.model, one.request.url)}
    back = {one.request.custom_id for one in new}
    found.out = sum(request.custom_id not in back for request in requests.out.values())
    rows = EndsInARow()
    if too_long := [reply for reply in found.replies if rows.count(reply)]:
        raise InputError(row_message(too_long[0], way_to_texts(out)))
    return found


# --- reading ---------------------------------------------------------------------------------------------------------


def _of_files(paths: Sequence[Path], requests: Requests, out: Path, odd: list[str]) -> Iterator[Came]:
    """The results in all the files that are of this run's requests."""
    read = 0
    for path in paths:
        results = list(_results(path, odd))
        read += len(results)
        known = [(place, result) for place, result in results if result.custom_id in requests.by_id]
        strange = [result.custom_id for _, result in results if result.custom_id not in requests.by_id]
        if strange and not known:
            raise InputError(f"{path}: {unknown_results(strange, requests, out)} Nothing was imported.")
        if strange:
            odd.append(f"{path}: {unknown_results(strange, requests, out)} The others are taken.")
        for place, result in known:
            yield _came(place, result, requests.by_id[result.custom_id])
    if not read:
        raise InputError(f"{', '.join(map(str, paths))}: there are no results. Nothing was imported.")


def _results(path: Path, odd: list[str]) -> Iterator[tuple[str, BatchResult]]:
    """The results in a file. A last line that was never finished is passed over, with a warning."""
    lines = list(jsonl.numbered_lines(path))
    if not lines:
        odd.append(f"{path}: nothing is in this file. Has the batch ended?")
    whole = jsonl.ends_whole(path)
    for n, (number, line) in enumerate(lines, 1):
        try:
            yield f"{path}:{number}", result_in(line)
        except NoResult as fault:
            if n == len(lines) > 1 and not whole:
                odd.append(f"{path}:{number}: the last line is cut off, and passed over. Fetch the file again.")
                return
            raise InputError(f"{path}:{number}: this is {fault} Nothing was imported.") from None


def unknown_results(ids: Sequence[str], requests: Requests, out: Path) -> str:
    shown = ", ".join(ids[:NAMED]) + (" and others" if len(ids) > NAMED else "")
    runs = {ours[1] for id in ids if (ours := OURS.fullmatch(id))}
    another = runs and requests.name_of_run() not in runs
    why = "It is of another run." if another else "Is it of another run, or another batch?"
    return f"{number_of(len(ids), 'result')} of requests that {out} never exported ({shown}). {why}"


def _came(place: str, result: BatchResult, request: ExportedRequest) -> Came:
    if result.form != request.form:
        raise InputError(
            f"{place}: {result.custom_id} comes in {FORMS[result.form].title} form and was exported in "
            f"{FORMS[request.form].title}. Is this the right file? Nothing was imported."
        )
    called = call_result(result, request.model, request.url, request.wire)
    reply = Reply.of(request.key, called, 0.0, request.prompt_sha256, request.parent)
    return Came(place, request, msgspec.structs.replace(reply, batch=request.custom_id, latency=None))


# --- what is new -----------------------------------------------------------------------------------------------------


def _new(came: Iterable[Came], lines: Iterable[Reply], found: ImportedBatch, words: Collection[str]) -> list[Came]:
    """Those that were not there before, once each. A result that failed gives way to one that did not, where the same
    requests were sent twice. InputError where two say different things. `words`: the unknown ends that are accepted.
    """
    there: dict[str, tuple[str, Reply]] = {}
    for line in lines:
        if line.batch and (line.batch not in there or there[line.batch][1].failed):
            there[line.batch] = ("the run", line)
    new: dict[str, Came] = {}
    for one in came:
        id, reply = one.request.custom_id, with_accepted_end(one.reply, words)
        if id not in there:
            there[id], new[id] = (one.place, reply), one
            continue
        place, known = there[id]
        if reply.failed:
            found.again += 1
        elif known.failed:
            there[id], new[id] = (one.place, reply), one
        elif _said(reply) == _said(known):
            found.again += 1
        else:
            raise InputError(
                f"{one.place}: the result of {id} ({one.request.key}) is another than the one that {place} has. "
                "A request has one result: leave out the file that is wrong. Nothing was imported."
            )
    return list(new.values())


def _said(reply: Reply) -> Reply:
    """A reply without when it was read."""
    return msgspec.structs.replace(reply, time=None, latency=None)


def journal_lines(
    new: Sequence[Came], lines: Iterable[Reply], requests: Requests, found: ImportedBatch, words: Collection[str] = ()
) -> Iterator[Reply]:
    """What the journal gets; the last line of a session counts. What has a reply keeps it, but where that is
    to another prompt than the last request of the session; what comes late stands before it. All is written as it came.
    """
    known: dict[Key, Reply] = {line.key: line for line in lines}
    newest = requests.newest
    order = {id: n for n, id in enumerate(requests.by_id)}
    for one in sorted(new, key=lambda one: order[one.request.custom_id]):
        reply = with_accepted_end(one.reply, words)
        key, before = reply.key, known.get(reply.key)
        counts = before is not None and not with_accepted_end(before, words).failed
        stale = before is not None and before.prompt_sha256 != reply.prompt_sha256 and newest[key] == one.request
        yield one.reply
        if before is not None and counts and not (stale and not reply.failed):
            found.late += not reply.failed
            yield before
        else:
            known[key] = one.reply


def _held(model: str, held: Sequence[Reply]) -> str:
    said: Mapping[str | None, int] = Counter(reply.policy for reply in held)
    return (
        f"{model}: {number_of(len(held), 'result')} look like a content filter, and the model itself has said nothing "
        f"yet. The provider says ({max(said, key=lambda text: said[text])}). They are not taken, since the key, the "
        "account, the region or a firewall may be behind it, and are still out. Import them with others in which the "
        "model speaks, or add --accept-filters if it does filter all of this."
    )
