"""Replies of a sample that was under way when its evaluation was killed. Inspect writes the store of a sample when it
ends; what came before stands in the events, which `inspect log recover` brings back.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from selfexec.engines import CallResult
from selfexec.experiments import Key, Message
from selfexec.extensions.inspect.engine import result_of
from selfexec.extensions.inspect.engine.asking import provider_of
from selfexec.extensions.inspect.engine.results import NoCompletion
from selfexec.facets import Condition, in_condition
from selfexec.prompts import digest
from selfexec.runs import Reply

ROLES = ("user", "assistant")  # a system prompt is a setting


def replies_in_events(path: Path, model: str, experiment: str, condition: Condition, sample: Any) -> Iterator[Reply]:
    """One for each session that brought something, without what only a store has: why it was asked for again."""
    from inspect_ai.log import read_eval_log_sample

    try:
        whole = read_eval_log_sample(str(path), sample.id, sample.epoch, resolve_attachments=True)
    except Exception:  # a sample that cannot be read has no events
        return
    sessions = {e.id: e.name for e in whole.events if e.event == "span_begin" and e.type == "session"}
    calls = [event for event in whole.events if event.event == "model" and event.span_id in sessions]
    last = {sessions[event.span_id]: event for event in calls if not event.pending and event.error is None}
    for session, event in last.items():
        with suppress(NoCompletion):
            key = in_condition(Key(model, experiment, str(sample.id), sample.epoch, session), condition)
            yield _reply(key, event, result_of(event.output, provider_of(event.model)))


def _reply(key: Key, event: Any, result: CallResult) -> Reply:
    messages = [Message(message.role, message.text) for message in event.input if message.role in ROLES]
    came = {name: value for name, value in msgspec.structs.asdict(result).items() if name != "waited"}
    return Reply(
        **key.fields(),
        **came,
        prompt_sha256=digest(messages),
        latency=event.output.time,
        time=event.timestamp.isoformat(timespec="seconds"),
    )
