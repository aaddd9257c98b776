"""What scores rest on that may mislead: names of one model, responses that are the same to whatever is asked, epochs
that are one, answers whose tokens nobody counted or sees, models without a reply, what servers say of their replies,
and what a source leaves open.

Models that gave the same replies are two names of one model, or a server that heeds no name. They tell of one model's
behaviour, however many names there are: as each other's reference models they predict each other fully, so that a
margin over a baseline of others means nothing. Of ten recorded models no two gave the same text in more than 14% of
their common sessions; where all replies but responses are one letter, two of three may well be alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Protocol, get_args

import numpy as np
import polars as pl

from selfexec.claims import Numbers, Tables
from selfexec.claims.tables import REPEATED
from selfexec.experiments import EXPERIMENTS, by_source
from selfexec.facets import is_call
from selfexec.metrics import JudgeTest, LossTest
from selfexec.readers import most_tokens
from selfexec.runs.server_notices import About
from selfexec.text.numbers import joined, number_of
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.runs import Run

# --- models that gave the same replies -------------------------------------------------------------------------------


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


def _texts(runs: Iterable["Run"]) -> tuple[list[str], Numbers]:
    """The models, and of each a number for its text in each session: by its hash. -1 where there is none."""
    given: dict[str, tuple[list[int], list[int]]] = {}  # of each model the columns, and what stands in them
    columns: dict[tuple[object, ...], int] = {}
    for run in runs:
        of_run = {model: given.setdefault(model, ([], [])) for model in run.models}
        for key, reply in run.replies.items():
            if reply.text is not None and not is_call(key.session):
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
    how = _how_many(same, sessions)
    least = " or more" if len(names) > 2 and same < sessions else ""
    who = f"{', '.join(names[:-1])} and {names[-1]}"
    text = (
        f"{who} gave the same replies in {how}{least} that they have in common: take them for one model. As each "
        "other's reference models they predict each other, and margins over the best baseline mean nothing."
    )
    return SameReplies(names, same, sessions, text)


def _how_many(same: int, sessions: int) -> str:
    """all 120 sessions; 119 of 120 sessions (99%), and never 100% of what is not all"""
    shared = number_of(sessions, "session")
    return f"all {shared}" if same == sessions else f"{same:,} of {shared} ({int(100 * same / sessions)}%)"


# --- responses that are the same to whatever is asked ----------------------------------------------------------------


@dataclass(frozen=True)
class Canned:
    """A model whose responses to one experiment's items are nearly all, word for word, responses to others of its
    items as well: `texts` different ones to `items` items.
    """

    model: str
    experiment: str
    texts: int
    items: int
    text: str
    kind: str = "canned"


def canned(runs: Iterable["Run"]) -> Iterator[Canned]:
    """Models whose responses in 9 of 10 items or more, of at least 20, answer other items too; not simulated ones.

    Responses are replies that are kept as they are and not read. Of ten recorded models the share was .42 at most, all
    of it one refusal.
    """
    for run in runs:
        given: dict[tuple[str, str], dict[str, set[str]]] = {}  # by model and experiment: text -> items
        for key, reply in run.replies.items():
            kept = key.session_kind in EXPERIMENTS[key.experiment].kept
            if kept and key.model not in run.simulated and (text := reply.text):
                given.setdefault((key.model, key.experiment), {}).setdefault(text, set()).add(key.item)
        for (model, experiment), items_by_text in given.items():
            items = set().union(*items_by_text.values())
            shared = set().union(*(those for those in items_by_text.values() if len(those) > 1))
            if len(items) >= LEAST_SESSIONS and len(shared) >= NEARLY_ALL * len(items):
                yield _canned(run, model, experiment, len(items_by_text), len(items))


def _canned(run: "Run", model: str, experiment: str, texts: int, items: int) -> Canned:
    different = number_of(texts, "response", "different responses") if texts > 1 else "one and the same response"
    asked = number_of(items, EXPERIMENTS[experiment].item_name)
    text = (
        f"{model} gave {different} to {asked} of {experiment}: they look like canned texts of a server or a filter "
        "rather than a model's. Before you trust its scores, read some: "
        f"{command_line('read {} --experiment {} --session execute --show', run.folder, experiment)}"
    )
    return Canned(model, experiment, texts, items, text)


# --- epochs that are one ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SameEpochs:
    """A model that gave the same text in every epoch in `same` of `sessions` that were asked in several."""

    model: str
    same: int
    sessions: int
    text: str
    kind: str = "same epochs"


def same_epochs(runs: Iterable["Run"]) -> Iterator[SameEpochs]:
    """Models that gave the same text in every epoch in 9 of 10 sessions or more, of at least 20 that came in several;
    not simulated ones.
    """
    for run in runs:
        if run.manifest.epochs < 2:
            continue
        texts: dict[str, dict[tuple[object, ...], list[str]]] = {}
        for key, reply in run.replies.items():
            if key.model not in run.simulated and reply.text is not None and not is_call(key.session):
                session = (key.experiment, key.item, key.session, key.facets)
                texts.setdefault(key.model, {}).setdefault(session, []).append(reply.text)
        for model, by_session in texts.items():
            repeated = [given for given in by_session.values() if len(given) > 1]
            same = sum(len(set(given)) == 1 for given in repeated)
            if len(repeated) >= LEAST_SESSIONS and same >= NEARLY_ALL * len(repeated):
                yield _same_epochs(model, same, len(repeated))


def _same_epochs(model: str, same: int, sessions: int) -> SameEpochs:
    text = (
        f"{model} gave the same text in every epoch in {_how_many(same, sessions)}: a cache, or a model that always "
        "gives it. Such epochs count as one: they do not show how consistent the model is."
    )
    return SameEpochs(model, same, sessions, text)


# --- answers whose tokens nobody counted -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Uncounted:
    """A model of whose `answers` in an experiment that goes by tokens, `uncounted` came without their number."""

    model: str
    experiment: str
    uncounted: int
    answers: int
    text: str
    kind: str = "uncounted tokens"


def uncounted_tokens(runs: Iterable["Run"]) -> Iterator[Uncounted]:
    """By model and experiment whose claims go by what an answer took: how many answers came without a token count."""
    for run in runs:
        counts: dict[tuple[str, str], list[bool]] = {}
        for key, reply in run.replies.items():
            is_answer = key.session_kind == EXPERIMENTS[key.experiment].answers
            if is_answer and not reply.failed and key.model not in run.people:  # whose seconds count
                counts.setdefault((key.model, key.experiment), []).append(reply.output_tokens is None)
        for (model, experiment), lacking in counts.items():
            if any(lacking):
                yield _uncounted(model, experiment, sum(lacking), len(lacking))


def _uncounted(model: str, experiment: str, uncounted: int, answers: int) -> Uncounted:
    what = f"{uncounted:,} of {number_of(answers, 'answer')} in {experiment} came without a token count"
    if uncounted == answers:
        what = f"no answer in {experiment} came with a token count"
    text = f"{model}: {what}, so pairs of questions that are alike in correctness have no order, and are missing."
    return Uncounted(model, experiment, uncounted, answers, text)


# --- answers with more tokens than their texts can have --------------------------------------------------------------


@dataclass(frozen=True)
class UnseenTokens:
    """A model of whose `answers` in an experiment that goes by tokens, `unseen` have more tokens than their texts can
    have, where nothing says what the others are.
    """

    model: str
    experiment: str
    unseen: int
    answers: int
    text: str
    kind: str = "unseen tokens"


def unseen_tokens(runs: Iterable["Run"]) -> Iterator[UnseenTokens]:
    """By model and experiment whose claims go by what an answer took, where this holds of half of the answers or more,
    of at least 20: a model thinks unseen, or the count is not one of this text.
    """
    for run in runs:
        counts: dict[tuple[str, str], list[bool]] = {}
        for key, reply in run.replies.items():
            is_answer = key.session_kind == EXPERIMENTS[key.experiment].answers
            if is_answer and reply.text and key.model not in run.simulated and key.model not in run.people:
                explained = reply.reasoning_tokens is not None or bool(reply.reasoning) or "tool" in reply.facets
                more = (reply.output_tokens or 0) > most_tokens(reply.text)
                counts.setdefault((key.model, key.experiment), []).append(more and not explained)
        for (model, experiment), unseen in counts.items():
            if len(unseen) >= LEAST_SESSIONS and 2 * sum(unseen) >= len(unseen):
                yield _unseen(model, experiment, sum(unseen), len(unseen))


def _unseen(model: str, experiment: str, unseen: int, answers: int) -> UnseenTokens:
    what = f"{unseen:,} of {number_of(answers, 'answer')} in {experiment} have more tokens than their texts can have"
    text = (
        f"{model}: {what}: unseen thoughts, or a count of something else. They order the pairs of questions that are "
        "alike in correctness; to leave such pairs out: --source visible"
    )
    return UnseenTokens(model, experiment, unseen, answers, text)


# --- models that have answered nothing -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unanswered:
    """A model from which a run has no reply in some of the experiments that it was to ask."""

    model: str
    experiments: tuple[str, ...]
    text: str
    kind: str = "unanswered"


def unanswered(runs: Iterable["Run"]) -> Iterator[Unanswered]:
    """What each run lists as asked of a model, where not one reply of an experiment is there."""
    for run in runs:
        for model, experiments in run.unanswered.items():
            text = (
                f"Nothing that {run.folder.name} was to ask {model} in {joined(experiments)} has been answered yet: no "
                "score here is about that."
            )
            yield Unanswered(model, experiments, text)


# --- what servers say of their replies -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ServerNotice:
    """What the server said of `replies` of a run's replies of a model: that another `served` it than was asked, that
    their prompts were cut or extended, that they were there before they were asked for, or have more tokens than their
    texts can have; and what they look like together: some lack what others have, or have texts that came to prompts
    which have nothing in common.
    """

    model: str
    about: About
    replies: int
    text: str
    kind: str = "server"


def server_notices(runs: Iterable["Run"]) -> Iterator[ServerNotice]:
    """By model: replies that bear the name of another model, by their number, those whose prompts the server seems to
    have cut, those that are older than their calls, as it says, those that are shorter than it counted, those that
    lack what others have, and texts that came to prompts which have nothing in common.
    """
    for run in runs:
        yield from (ServerNotice(*notice) for notice in run.server_notices)


def of_replies(
    runs: Sequence["Run"],
) -> Iterator["Canned | SameEpochs | Uncounted | UnseenTokens | Unanswered | ServerNotice"]:
    """What there is to say of the replies of runs before any is read. Simulated models give no canned responses, and no
    server brings theirs.
    """
    served = [run for run in runs if not run.all_simulated]
    if served:
        yield from canned(served)
        yield from same_epochs(served)
        yield from uncounted_tokens(served)
        yield from unseen_tokens(served)
    yield from unanswered(runs)
    if served:
        yield from server_notices(served)


# --- what a source leaves open that counts only where it is chosen ---------------------------------------------------


@dataclass(frozen=True)
class LeftOpen:
    """Of a model's claims in an experiment, `open` of `claims` that its source leaves open for one reason."""

    model: str
    experiment: str
    source: str
    reason: str
    open: int
    claims: int
    text: str
    condition: str
    kind: str = "left open"


def left_open(tables: Tables) -> list[LeftOpen]:
    """By model and reason; nothing of sources that are always there, whose losses are reported as such."""
    asked = [(e, source) for e, definition in EXPERIMENTS.items() for source in definition.on_request]
    if not asked:
        return []
    place = ["model", "experiment", "source", "condition"]
    why = pl.col("reason")
    chosen = pl.any_horizontal(
        (pl.col("experiment") == experiment) & (pl.col("source") == source) for experiment, source in asked
    )
    if (rows := tables.observations.filter(chosen)).is_empty():
        return []
    told = (
        rows.with_columns(claims=pl.len().over(place))
        .filter(pl.col("state").is_in(["missing", "tie"]), why.is_not_null(), why != REPEATED)
        .group_by(*place, "reason", maintain_order=True)
        .agg(open=pl.len(), claims=pl.col("claims").first())
    )
    return [LeftOpen(**row, text=_said(**row)) for row in told.iter_rows(named=True)]


def _said(source: str, reason: str, open: int, claims: int, **place: str) -> str:
    return f"{open:,} of {number_of(claims, 'claim')} open {by_source(source)}: {reason}"


# --- those that stand beside the answer ------------------------------------------------------------------------------


# of whole runs, in the order in which they stand
BesideAnswers = SameReplies | Canned | SameEpochs | Uncounted | UnseenTokens | Unanswered | ServerNotice
# these stand behind the answers, others before them; unseen tokens only where each model has its sentences
BEHIND_ANSWERS: tuple[type[BesideAnswers], ...] = (SameEpochs, Uncounted, Unanswered)
BESIDE_ANSWERS: tuple[type[BesideAnswers], ...] = get_args(BesideAnswers)
Warned = LossTest | JudgeTest | LeftOpen | BesideAnswers


class Wants(Protocol):
    """Whether what is said of any of these models is meant, and of this experiment, if it is of one."""

    def __call__(self, models: Iterable[str], experiment: str | None = None) -> bool: ...


def is_about(warning: Warned, wants: Wants) -> bool:
    """Whether a warning is about models and experiments that are wanted."""
    if isinstance(warning, SameReplies):
        return wants(warning.models)
    if isinstance(warning, ServerNotice | SameEpochs):
        return wants([warning.model])
    if isinstance(warning, Unanswered):
        return any(wants([warning.model], experiment) for experiment in warning.experiments)
    return wants([warning.model], warning.experiment)


def texts_of(warnings: Iterable[Warned], *kinds: type[BesideAnswers]) -> list[str]:
    """What stands next to the answers, which would mislead without it; of some kinds alone, where any are named."""
    found = list(warnings)
    return [warning.text for kind in kinds or BESIDE_ANSWERS for warning in found if isinstance(warning, kind)]
