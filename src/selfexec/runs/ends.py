"""Replies whose end is not known, and the words for such ends that somebody has accepted.

A server says in a word how a reply ended. Where that word is not in the table of known ends, nobody knows whether the
text is a whole reply: the session is missing, and its text is kept apart. After a look at these texts one may accept
the word; replies that ended with it then count like all others. The journal keeps every reply as it came. What is
accepted is said in the manifest, so everything that reads a run takes its replies from here.
"""

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.runs.folder import MANIFEST, REPLIES, load_manifest, write_manifest
from selfexec.runs.journal import read_journal
from selfexec.runs.reply import NO_WORD, BySession, Loaded, Reply, ended_with, load_replies
from selfexec.text.matching import meant
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line, harmless_line

R = TypeVar("R", bound=Reply)
JUDGE_REPLIES = "judge_replies.jsonl"  # what judges replied, beside the replies of the run


# --- accepting -------------------------------------------------------------------------------------------------------


def with_accepted_end(reply: R, words: Collection[str]) -> R:
    """The reply as it counts where these words are accepted. One with another end, or a known one, stays as it is; so
    does one without a text, since a word that nobody knows is no sign that the model chose to say nothing.
    """
    if not reply.unknown_end_text or not is_accepted(reply.unknown_end, words):
        return reply
    accepted: R = msgspec.structs.replace(reply, text=reply.unknown_end_text, error=None, stop_reason=reply.unknown_end)
    return accepted


def is_accepted(word: str | None, words: Collection[str]) -> bool:
    """Whether a word is among those that are accepted, as the server wrote it or as it is shown."""
    return word is not None and (word in words or harmless_line(word) in words)


def with_accepted_ends(replies: Mapping[Key, R], words: Collection[str]) -> Mapping[Key, R]:
    """The replies as they count where these words are accepted."""
    if not words:
        return replies
    return BySession((key, with_accepted_end(reply, words)) for key, reply in replies.items())


def accepted_in(folder: Path, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The words that the run in a folder accepts, and `more`; nothing but these where no run is there."""
    kept = load_manifest(folder).accept_ends if (folder / MANIFEST).is_file() else []
    return tuple(dict.fromkeys([*kept, *more]))


def keep_accepted(folder: Path, words: Iterable[str]) -> None:
    """Write down in the manifest that a run accepts these words besides those that it accepts already."""
    manifest = load_manifest(folder)
    accepted = list(dict.fromkeys([*manifest.accept_ends, *words]))
    if accepted != manifest.accept_ends:
        write_manifest(folder, msgspec.structs.replace(manifest, accept_ends=accepted))


def stored_replies(folder: Path, accept_ends: Iterable[str] = ()) -> Mapping[Key, Reply]:
    """The replies of the run in a folder as they count, by session: with the ends that its manifest accepts, and these.

    What a run has is taken from here; `read_journal` has the lines as they came.
    """
    return with_accepted_ends(read_journal(folder / REPLIES), accepted_in(folder, accept_ends))


def given_replies(paths: Iterable[Path], accept_ends: Iterable[str] = ()) -> Loaded:
    """Replies from files and from folders of runs. Those of a run count as they do in it."""
    words = tuple(accept_ends)
    paths = list(paths)
    found = load_replies(path / REPLIES if path.is_dir() else path for path in paths)
    accepted = {path / REPLIES: accepted_in(path, words) for path in paths if path.is_dir()}
    replies = BySession(
        (key, with_accepted_end(reply, accepted.get(Path(found.places[key].rpartition(":")[0]), words)))
        for key, reply in found.replies.items()
    )
    return Loaded(replies, found.places, found.warnings)


# --- naming ----------------------------------------------------------------------------------------------------------


def ends_named(replies: Iterable[Reply], way_to_look: str) -> Iterator[str]:
    """One line for each model and unknown end that nobody has accepted, however few replies have it. `way_to_look`: how
    their texts are looked at.
    """
    came: Counter[str] = Counter()
    ended: Counter[tuple[str, str, bool]] = Counter()
    for reply in replies:
        came[reply.model] += reply.ended_unknown or not reply.failed
        if reply.ended_unknown:
            ended[reply.model, str(reply.unknown_end), bool(reply.unknown_end_text)] += 1
    for (model, word, has_text), number in ended.items():
        of_all = number_of(came[model], "reply", "replies")
        is_missing, them = ("it is", "it") if number == 1 else ("they are", "them")
        without = "" if has_text else " and came without text"
        ways = (
            f"Read {them}: {way_to_look}; to count {them}: --accept-ends {as_typed(word)}"
            if has_text
            else f"To ask for {them} again: --retry-ends"
        )
        how = f"{ended_with(word)}, {why_unknown(word)}{without}"
        yield f"{model}: {number:,} of {of_all} {how}; {is_missing} missing. {ways}"


def why_unknown(word: str | None) -> str:
    return "so that it is not known whether that is all" if word == NO_WORD else "which is not known to end a reply"


def as_typed(word: str | None) -> str:
    """A word as it is given to an option."""
    return shlex.quote(harmless_line(word or ""))


def way_to_texts(folder: Path) -> str:
    """The command that shows what came with unknown ends."""
    return command_line("read {} --state missing --show", folder)


def way_to_texts_of_judges(folder: Path) -> str:
    """Where it stands what came from judges with unknown ends."""
    return f"the lines of {folder / JUDGE_REPLIES} with `unknown_end`"


def refuse_other_words(words: Iterable[str], known: Iterable[str], where: str) -> None:
    """Raise InputError for a word that is accepted and that no reply has. `known`: the words that there are."""
    there = sorted({shown for word in known for shown in (word, harmless_line(word))})
    for word in words:
        if word not in there:
            way_out = meant(word, there) if there else "All replies there have a known end. Leave it out."
            raise InputError(f"--accept-ends {harmless_line(word)}: no reply in {where} ended with that. {way_out}")


def words_in(replies: Iterable[Reply]) -> set[str]:
    """The words for unknown ends that replies have, accepted or not."""
    return {reply.unknown_end for reply in replies if reply.unknown_end is not None}


class _Ended(msgspec.Struct, frozen=True, kw_only=True):
    unknown_end: str | None = None


def words_of_judges(folder: Path) -> set[str]:
    """The words for unknown ends that replies of judges have, in the run in this folder."""
    path = folder / JUDGE_REPLIES
    if not path.is_file():
        return set()
    return {line.unknown_end for line in jsonl.values(path, _Ended) if line.unknown_end is not None}


def ways_on(number: int, folder: Path) -> str:
    """What can be done about so many replies of a run whose end is not known."""
    if number == 1:
        return (
            f"1 reply has an end that is not known, and is not asked for again. Read it: {way_to_texts(folder)}; then "
            "the same command counts it with --accept-ends WORD, or asks for it again with --retry-ends."
        )
    return (
        f"{number:,} replies have an end that is not known, and are not asked for again. Read them: "
        f"{way_to_texts(folder)}; then the same command counts them with --accept-ends WORD, or asks for them again "
        "with --retry-ends."
    )
