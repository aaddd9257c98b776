"""Judgements made later: what a person, or another model, says of stored replies. They lie in the run, in a journal of
their own beside the replies, `judgements.jsonl`; without that file there are none.
"""

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, HUMAN, JUDGE, Key, judges_later
from selfexec.files import jsonl
from selfexec.items import ItemSet
from selfexec.prompts import digest
from selfexec.readers import Reading
from selfexec.runs.reply import BySession, Name, OfSession, Reply

JUDGEMENTS = "judgements.jsonl"
JudgementKey = tuple[Key, str]  # a session, and who judged its reply


class Judgement(OfSession, frozen=True, kw_only=True, omit_defaults=True):
    """One line: what `source` (human or judge:NAME) says was done in the reply of a session.

    `value` answers the item's claim: true or false, null where the source cannot tell; of an item with several claims
    it is a map from claim to answer. Of a question that a model made up it is what the source takes to be right. Which
    text was judged is said by its SHA-256, or by the text itself.
    """

    source: Name
    value: bool | dict[str, bool | None] | str | None
    reason: str | None = None
    time: str | None = None
    reply_sha256: str | None = None
    text: str | None = None

    def is_of(self, text: str) -> bool:
        """Whether this is the text that was judged."""
        return self.text in (None, text) and self.reply_sha256 in (None, digest(text))


def load_judgements(path: Path) -> tuple[dict[JudgementKey, Judgement], dict[Key, str]]:
    """Judgements by session and source, the last line for each, and where those of a session stand. None without a
    file.
    """
    found: dict[JudgementKey, Judgement] = {}
    places: dict[Key, str] = {}
    for number, judgement in jsonl.decode(path, Judgement) if path.is_file() else ():
        place = f"{path}:{number}"
        if not judges_later(judgement.source):
            raise InputError(
                f"{place}: unknown source {judgement.source!r}. Judgements are by {HUMAN!r}, or by '{JUDGE}NAME'; what "
                "models and rules say is worked out from the replies."
            )
        if judgement.reply_sha256 is None and judgement.text is None:
            raise InputError(
                f"{place}: it is unclear which text was judged. Give it as 'text', or its SHA-256 as 'reply_sha256'."
            )
        found[judgement.key, judgement.source] = judgement
        places[judgement.key] = place
    return found, places


def of_replies(
    judgements: Mapping[JudgementKey, Judgement],
    places: Mapping[Key, str],
    item_set: ItemSet,
    replies: Mapping[Key, Reply],
) -> dict[JudgementKey, Judgement]:
    """Those of replies as they are here, whose sessions are known to fit. A warning names what is none.

    InputError: a value does not answer the claims of its item.
    """
    found: dict[JudgementKey, Judgement] = {}
    for (key, source), judgement in judgements.items():
        if fault := _fault(judgement, item_set):
            raise InputError(f"{places[key]}: {fault}")
        if (reply := replies.get(key)) is not None and reply.text is not None and judgement.is_of(reply.text):
            found[key, source] = judgement
    if unused := [place for place in judgements if place not in found]:
        key, source = unused[0]
        warnings.warn(
            f"{places[key]}: {len(unused)} of {len(judgements)} judgements are of replies that are not here, or that "
            f"have changed since, and are not used: {key}, by {source}, is the first. Judge these again.",
            stacklevel=3,
        )
    return found


def _fault(judgement: Judgement, item_set: ItemSet) -> str | None:
    """Why a value is no answer to the claims of its item, and the way out; None where it is."""
    experiment, value = EXPERIMENTS[judgement.experiment], judgement.value
    if isinstance(value, str):
        return _no_key(judgement, value)
    if experiment.kept and (kind := judgement.key.session_kind) not in experiment.kept:
        return f"replies of {kind} are read, not judged. What is judged in {experiment.name} is {experiment.kept[0]}."
    claims = [o.claim for o in experiment.observe(item_set.items[experiment.name][judgement.item], {})]
    if isinstance(value, bool) and len(claims) > 1:
        each = msgspec.json.encode(dict.fromkeys(claims, value)).decode()
        return f"one answer, and the item has {len(claims)} claims. Give each its own: {each}."
    if isinstance(value, dict) and (strange := [claim for claim in value if claim not in claims]):
        return f"the item has no claim {strange[0]!r}. There are {', '.join(map(repr, claims))}."
    return None


def _no_key(judgement: Judgement, value: str) -> str | None:
    """Why a value is no answer to a question that a model made up; None where it is."""
    keying = EXPERIMENTS[judgement.experiment].keying
    if keying is None:
        return f"the value {value!r} is no answer to a claim. Write true, false or null."
    if judgement.key.session_kind != keying.session:
        return f"what is right of a question belongs to the session in which it was made up: {keying.session}."
    if value not in keying.answers:
        return f"the value {value!r} is no answer to the question. There are {', '.join(keying.answers)}."
    if judgement.source == f"{JUDGE}{judgement.model}":
        return "a model's answer to its own question is no key. Let others answer it."
    return None


def with_judgements(readings: BySession[Reading], judgements: Iterable[Judgement]) -> BySession[Reading]:
    """The readings, each with what was said of its reply afterwards."""
    by_session: dict[Key, dict[str, object]] = {}
    for judgement in judgements:
        by_session.setdefault(judgement.key, {})[judgement.source] = judgement.value
    judged = {key: msgspec.structs.replace(readings[key], judged=said) for key, said in by_session.items()}
    return BySession({**readings, **judged}) if judged else readings
