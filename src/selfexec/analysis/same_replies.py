"""Models that gave the same replies: two names of one model, or a server that heeds no name.

They tell of one model's behaviour, however many names there are: as each other's reference models they predict each
other fully, so that a margin over the best baseline means nothing. Of ten recorded models no two gave the same text in
more than 14% of their common sessions; where all replies but responses are one letter, two of three may well be alike.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from selfexec.text.numbers import number_of

if TYPE_CHECKING:
    from selfexec.claims import Numbers
    from selfexec.runs import Run

NEARLY_ALL = 0.9  # of the sessions for which both have a text
LEAST_SESSIONS = 20  # with fewer nothing is said


@dataclass(frozen=True)
class SameReplies:
    """Models that each gave the same text as another in nearly all sessions that they have in common.

    `same` of `sessions` are those of the pair that is least alike.
    """

    models: tuple[str, ...]
    same: int
    sessions: int
    text: str
    kind: str = "same replies"


def same_replies(runs: Iterable["Run"]) -> list[SameReplies]:
    """Groups of models that gave the same text in 9 of 10 common sessions or more, of at least 20."""
    runs = list(runs)
    if len({model for run in runs for model in run.models}) < 2:
        return []
    models, texts = _texts(runs)
    pairs: list[tuple[int, int, int, int]] = []
    for one, other in combinations(range(len(models)), 2):
        both = (texts[one] >= 0) & (texts[other] >= 0)
        same, sessions = int((both & (texts[one] == texts[other])).sum()), int(both.sum())
        if sessions >= LEAST_SESSIONS and same >= NEARLY_ALL * sessions:
            pairs.append((one, other, same, sessions))
    return [_found(group, models, pairs) for group in _groups(pairs)]


def _texts(runs: Iterable["Run"]) -> tuple[list[str], "Numbers"]:
    """The models, and of each a number for its text in each session: by its hash. -1 where there is none."""
    given: dict[str, tuple[list[int], list[int]]] = {}  # of each model the columns, and what stands in them
    columns: dict[tuple[object, ...], int] = {}
    for run in runs:
        of_run = {model: given.setdefault(model, ([], [])) for model in run.models}
        for key, reply in run.replies.items():
            if reply.text is not None:
                at, hashes = of_run[key.model]
                at.append(columns.setdefault(key[1:], len(columns)))
                hashes.append(hash(reply.text))
    texts = np.full((len(given), len(columns)), -1, np.int64)
    for row, (at, hashes) in zip(texts, given.values(), strict=True):
        row[at] = np.array(hashes, np.int64) & np.iinfo(np.int64).max
    return list(given), texts


def _groups(pairs: Sequence[tuple[int, int, int, int]]) -> list[list[int]]:
    """Models that are tied by pairs, directly or over others."""
    groups: list[set[int]] = []
    for one, other, *_ in pairs:
        tied = [group for group in groups if group & {one, other}]
        groups = [group for group in groups if group not in tied] + [{one, other}.union(*tied)]
    return sorted(sorted(group) for group in groups)


def _found(group: Sequence[int], models: Sequence[str], pairs: Sequence[tuple[int, int, int, int]]) -> SameReplies:
    counts = [(same, sessions) for one, _, same, sessions in pairs if one in group]
    same, sessions = min(counts, key=lambda pair: (pair[0] / pair[1], pair))
    names = tuple(models[n] for n in group)
    shared = number_of(sessions, "session")
    how = f"all {shared}" if same == sessions else f"{same:,} of {shared} ({_percent(same, sessions)})"
    least = " or more" if len(names) > 2 and same < sessions else ""
    who = f"{', '.join(names[:-1])} and {names[-1]}"
    text = (
        f"{who} gave the same replies in {how}{least} that they have in common: take them for one model. As each "
        "other's reference models they predict each other, and margins over the best baseline mean nothing."
    )
    return SameReplies(names, same, sessions, text)


def _percent(part: int, whole: int) -> str:
    """Never 100% of what is not all."""
    return f"{int(100 * part / whole)}%"
