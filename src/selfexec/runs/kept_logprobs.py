"""Predictions that were asked as ever with log-probabilities kept: read by these, in a condition of their own, without
asking again.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from selfexec.experiments import EXPERIMENTS, Key
from selfexec.facets import ELICIT, OF_CHOICE, condition_named, facets_of
from selfexec.runs.reply import BySession, Reply

if TYPE_CHECKING:
    from selfexec.runs.run import Run

LEVEL = condition_named(OF_CHOICE)[0]


def with_kept_logprobs(runs: Sequence["Run"], conditions: Collection[str]) -> list["Run"]:
    """The runs; with the predictions that have log-probabilities in the condition that is read by them too, where such
    a condition is named. A run that was asked in it already stays as it is.
    """
    if not any(LEVEL in condition_named(name) for name in conditions if "=" in name):
        return list(runs)
    return [run if any(LEVEL in key.facets for key in run.replies) else _with_kept(run) for run in runs]


def _with_kept(run: "Run") -> "Run":
    copies = BySession(
        (copy.key, copy) for key, reply in run.replies.items() if (copy := _read_by_tokens(key, reply)) is not None
    )
    return replace(run, replies=BySession({**run.replies, **copies})) if copies else run


def _read_by_tokens(key: Key, reply: Reply) -> Reply | None:
    """The reply of a prediction that was asked as ever, in the condition that is read by its tokens; None for any other
    reply, and for one whose tokens were not kept.
    """
    experiment = EXPERIMENTS[key.experiment]
    if key.session_kind not in experiment.predictions or not experiment.decided_by_tokens or ELICIT in dict(key.facets):
        return None
    if not any(len(token.top_logprobs) > 1 for token in reply.logprobs or ()):
        return None
    return msgspec.structs.replace(reply, facets=dict(facets_of({**dict(key.facets), **dict([LEVEL])})))
