"""Do a model's sessions share a memory? Then a prediction may know the outcome, and every score here means nothing.

A code word made up on the spot is given in one session and asked for in another. Where it comes back, the address is
marked on this machine, and no run asks there until a later check finds the memory gone.
"""

import hashlib
import secrets
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from selfexec.engines import Call, CallResult, Engine, Respondent
from selfexec.errors import InputError
from selfexec.experiments import Key, messages_of
from selfexec.files.cache import cache_root
from selfexec.runs.ends import is_accepted

TELL = 'The code word is "$word". Please keep it in mind, and reply with the code word alone.'
ASK = "Which code word were you given earlier? Reply with the code word alone, or with NONE if you were given none."
WORDS = 2  # a memory may take a moment to form: the second word is asked for after the first
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


class Memory(NamedTuple):
    """Whether a word given in one session was known in another, and how many calls that took to see. `ended` has the
    words for unknown ends of these replies that nobody has accepted: where there are any, replies may have been cut off
    before a word that was known.
    """

    shared: bool
    calls: int
    ended: frozenset[str] = frozenset()

    @property
    def is_sure(self) -> bool:
        """Whether it is known."""
        return self.shared or not self.ended


async def sessions_share_memory(
    engine: Engine, model: str, sampling: Mapping[str, Any], accept_ends: Collection[str] = ()
) -> Memory:
    told: list[str] = []
    ended: set[str] = set()

    async def answer_to(prompt: str, turn: int) -> str:
        result = await _result(engine, model, prompt, turn, sampling)
        if result.unknown_end is not None and not is_accepted(result.unknown_end, accept_ends):
            ended.add(result.unknown_end)
        parts = (result.text, result.unknown_end_text, result.reasoning, result.refusal)
        return " ".join(part for part in parts if part).lower()

    for turn in range(1, WORDS + 1):
        told.append(code_word())
        await answer_to(TELL.replace("$word", told[-1]), turn)
        answer = await answer_to(ASK, turn)
        if any(word in answer for word in told):
            return Memory(True, 2 * turn, frozenset(ended))
    return Memory(False, 2 * WORDS, frozenset(ended))


def code_word() -> str:
    """A word that nobody says by chance."""
    return "".join(secrets.choice(CONSONANTS) + secrets.choice(VOWELS) for _ in range(6))


async def _result(engine: Engine, model: str, prompt: str, turn: int, sampling: Mapping[str, Any]) -> CallResult:
    key = Key(model, "check", "memory", turn, "memory")
    result: CallResult = await engine.ask(Call(key, messages_of(prompt), sampling))
    if result.error is not None and result.unknown_end is None:
        raise InputError(f"{model}: memory between sessions could not be tried ({result.error}). Check again later.")
    if result.policy:
        raise InputError(
            f"{model}: asked for a made-up code word alone, the server ended in an error that looks like a content "
            f"filter ({result.policy}). Look at the key, the account and the region first. selfexec run holds such "
            "errors back until the model has said something; with --accept-filters it keeps them."
        )
    return result


# --- what was found is remembered on this machine --------------------------------------------------------------------


def note(model: str, base_url: str | None, shared: bool) -> None:
    """Mark an address whose sessions share memory, or take the mark away."""
    mark = mark_of(model, base_url)
    if not shared:
        mark.unlink(missing_ok=True)
        return
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(f"{model}: sessions share memory\n")


def refuse_memory(respondents: Iterable[Respondent]) -> None:
    """Raise InputError where a check has found that sessions of a model share a memory. Simulated ones have none."""
    for one in respondents:
        if not one.simulated:
            for connection in one.connections:
                refuse_shared(one.asked, connection.base_url)


def refuse_shared(model: str, base_url: str | None) -> None:
    """Raise InputError where the last check found that sessions share memory."""
    if mark_of(model, base_url).exists():
        raise InputError(shared_message(model))


def shared_message(model: str) -> str:
    return (
        f"{model}: sessions share memory (a code word given in one was known in another), so that no prediction can be "
        "distinguished from a recollection. Turn the memory off, or ask another endpoint; then run selfexec check "
        "again."
    )


def mark_of(model: str, base_url: str | None) -> Path:
    from selfexec.engines.http.providers import trimmed  # it brings the HTTP client, which nothing else here needs

    address = trimmed(base_url)[0] if base_url else ""
    digest = hashlib.sha256(f"{address}\n{model}".encode()).hexdigest()
    return cache_root() / "shared-memory" / f"{digest[:32]}.txt"
