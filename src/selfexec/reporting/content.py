"""What a report shows: tables as plain data, made of scores and observations. Nothing here knows HTML."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from selfexec.experiments import EXPERIMENTS
from selfexec.items import Group, Item, Request, Target
from selfexec.observations import Tables
from selfexec.reporting.figures.figure import Figure
from selfexec.scores import sentences
from selfexec.scores.compared import Standing
from selfexec.scores.crossed import CrossPrediction
from selfexec.scores.rows import Score
from selfexec.scores.sentences import Said
from selfexec.scores.simple import SIMPLE, over_simple
from selfexec.scores.table import ACCURACY, GUESSERS, SKILL, Scores, with_interval
from selfexec.stats import Interval, wilson

if TYPE_CHECKING:
    from selfexec.runs import Run

SHOWN = (*EXPERIMENTS, "overall")
WORST = 10
LEAST_OTHERS = 2
FEW_REASONS = 4

# what became of a claim, as one character
HIT, OVER, UNDER, DENIED = "T", "F", "U", "N"
RIGHT, WRONG_ANSWER, WRONG_TOKENS = "R", "C", "W"
TIE, UNREADABLE, LOST = "=", "?", "."
OUTCOMES = {
    HIT: "said it would, and did",
    OVER: "said it would, and did not",
    UNDER: "said it would not, and did",
    DENIED: "said it would not, and did not",
    RIGHT: "ranked rightly",
    WRONG_ANSWER: "ranked wrongly: one was answered wrongly",
    WRONG_TOKENS: "ranked wrongly: by tokens",
    TIE: "tie",
    UNREADABLE: "unreadable",
    LOST: "missing",
}

# --- scores ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Index:
    """Scores by model, experiment and metric."""

    scores: Scores

    @cached_property
    def rows(self) -> Mapping[tuple[str, str, str], Score]:
        return {(row.model, row.experiment, row.metric): row for row in self.scores}

    @cached_property
    def experiments(self) -> list[str]:
        found = {row.experiment for row in self.scores}
        return [experiment for experiment in SHOWN if experiment in found]

    def get(self, model: str, experiment: str, metric: str) -> Score | None:
        return self.rows.get((model, experiment, metric))

    def of(self, experiment: str, metric: str) -> list[Score]:
        return [row for row in self.scores if (row.experiment, row.metric) == (experiment, metric)]


@dataclass(frozen=True)
class BoardRow:
    """A model's skill and self-knowledge. Models that share a letter in `*_tied` cannot be told apart."""

    model: str
    skill: Score | None
    knowledge: Score | None
    coverage: Score | None
    skill_tied: str
    knowledge_tied: str

    @property
    def withheld(self) -> str | None:
        return next((row.reason for row in (self.skill, self.knowledge) if row and row.value is None), None)


@dataclass(frozen=True)
class Board:
    """Models of one experiment, the most skilled first, with the ends of the scales on which they are drawn."""

    experiment: str
    rows: tuple[BoardRow, ...]
    skill: tuple[float, float]
    knowledge: tuple[float, float]


def boards(index: Index, models: Sequence[str], standings: Sequence[Standing]) -> list[Board]:
    """Overall first."""
    letters = {(s.metric, s.experiment, s.model): s.tied for s in standings}
    found = []
    for experiment in ("overall", *EXPERIMENTS):
        if experiment in index.experiments:
            rows = [row for model in models if (row := _board_row(index, experiment, model, letters))]
            rows.sort(key=lambda r: (_value(r.skill) is None, -(_value(r.skill) or 0.0), r.model))
            skills, knowledge = ([getattr(row, name) for row in rows] for name in ("skill", "knowledge"))
            found.append(Board(experiment, tuple(rows), scale(skills), scale(knowledge)))
    return found


def summary(boards: Sequence[Board]) -> Figure:
    """Skill, self-knowledge and coverage of every model, as a table for a paper."""
    rows = [
        [row.model, board.experiment, *(_printed(score) for score in (row.skill, row.knowledge, row.coverage))]
        for board in boards
        for row in board.rows
    ]
    columns = ["model", "experiment", "skill", "self-knowledge", "coverage"]
    return Figure("summary", "Skill and self-knowledge, with 95% intervals", "", "", columns, rows)


def _printed(score: Score | None) -> str:
    return "" if score is None or score.value is None else with_interval(score.value, score.low, score.high)


def _board_row(
    index: Index, experiment: str, model: str, letters: Mapping[tuple[str, str, str], str]
) -> BoardRow | None:
    skill, knowledge = (index.get(model, experiment, m) for m in (SKILL[experiment], "self_knowledge"))
    if skill is None and knowledge is None:
        return None
    tied = [
        letters.get((metric, experiment, model), "") if _value(row) is not None else ""
        for metric, row in (("skill", skill), ("self_knowledge", knowledge))
    ]
    return BoardRow(model, skill, knowledge, index.get(model, experiment, "coverage"), *tied)


def _value(row: Score | None) -> float | None:
    return row.value if row else None


def scale(rows: Sequence[Score | None]) -> tuple[float, float]:
    """From the lowest end of an interval, or 0, to the highest."""
    ends = [x for row in rows if row for x in (row.value, row.low, row.high) if x is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = 0.03 * (high - low) or 1.0
    return low - room, high + room


@dataclass(frozen=True)
class ScoreLine:
    """The numbers of one model in one experiment that people look at first."""

    model: str
    experiment: str
    accuracy: Score | None
    skill: Score | None
    guesser: Score | None
    guesser_name: str
    knowledge: Score | None
    coverage: Score | None
    reason: str | None


def score_lines(index: Index, models: Sequence[str]) -> list[ScoreLine]:
    return [
        _score_line(index, model, experiment)
        for model in models
        for experiment in index.experiments
        if (model, experiment, ACCURACY.get(experiment, "accuracy")) in index.rows
    ]


def _score_line(index: Index, model: str, experiment: str) -> ScoreLine:
    guesser = index.get(model, experiment, "guesser_skill")
    guesser = guesser if guesser and guesser.value is not None else None
    accuracy = index.get(model, experiment, ACCURACY.get(experiment, "accuracy"))
    return ScoreLine(
        model,
        experiment,
        accuracy,
        index.get(model, experiment, SKILL[experiment]),
        guesser,
        GUESSERS[guesser.guesser or ""] if guesser else "",
        index.get(model, experiment, "self_knowledge"),
        index.get(model, experiment, "coverage"),
        accuracy.reason if accuracy else None,
    )


# --- sentences -------------------------------------------------------------------------------------------------------


def said(index: Index, tables: Tables, crossed: CrossPrediction, standings: Sequence[Standing]) -> list[Said]:
    """Everything that the numbers support: overall, then by experiment."""
    return sentences.all_said(_said(index, tables, crossed, standings))


def _said(
    index: Index, tables: Tables, crossed: CrossPrediction, standings: Sequence[Standing]
) -> Iterator[Said | None]:
    yield sentences.best_skill(index.of("overall", "self_execution_skill"), standings)
    for experiment in index.experiments:
        if experiment == "overall":
            continue
        yield sentences.self_knowledge(experiment, index.of(experiment, "self_knowledge"))
        if experiment in SIMPLE:
            guesses = {row.model: row for row in index.of(experiment, SIMPLE[experiment])}
            yield sentences.simple_guesser(experiment, _over_simple(index, tables, experiment), guesses)
        own_rule, one_rule = (crossed.parts.get((experiment, f"self_bonus{rule}")) for rule in ("", "_by_rule"))
        if one_rule is not None:
            yield sentences.self_bonus(experiment, one_rule, own_rule)
        elif own_rule is not None:
            yield sentences.self_bonus(experiment, own_rule)


def _over_simple(index: Index, tables: Tables, experiment: str) -> list[Score]:
    """Accuracy less that of the guess that takes no model, as rows that have the accuracy's own reasons."""
    everyone, found = tables.claims[experiment], []
    for row in index.of(experiment, "accuracy"):
        gap = over_simple(everyone.of(row.model), row.convention == "strict")
        low, high = (None if math.isnan(end) else end for end in gap.interval)
        value = None if math.isnan(gap.value) else gap.value
        found.append(replace(row, value=value, low=low, high=high, reason=row.reason or gap.reason))
    return found


# --- what became of claims -------------------------------------------------------------------------------------------


def coded(observations: pl.DataFrame) -> pl.DataFrame:
    """Observations with a column `code`: what became of each claim, as one character."""
    predicted, observed, state = pl.col("predicted"), pl.col("observed"), pl.col("state")
    orders = pl.col("experiment") == "difficulty"
    code = (
        pl.when(state == "missing")
        .then(pl.lit(LOST))
        .when(state == "tie")
        .then(pl.lit(TIE))
        .when((state != "read") | predicted.is_null() | observed.is_null())
        .then(pl.lit(UNREADABLE))
        .when(orders & (predicted == observed))
        .then(pl.lit(RIGHT))
        .when(orders & (pl.col("basis") == "correctness"))
        .then(pl.lit(WRONG_ANSWER))
        .when(orders)
        .then(pl.lit(WRONG_TOKENS))
        .when(predicted & observed)
        .then(pl.lit(HIT))
        .when(predicted)
        .then(pl.lit(OVER))
        .when(observed)
        .then(pl.lit(UNDER))
        .otherwise(pl.lit(DENIED))
    )
    return observations.with_columns(code=code)


Counts = Mapping[tuple[str, str], Mapping[str, int]]


def outcome_counts(claims: pl.DataFrame) -> Counts:
    """(model, experiment) -> code -> claims; `claims` are coded."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for model, experiment, code, n in claims.group_by("model", "experiment", "code").agg(pl.len()).iter_rows():
        found.setdefault((model, experiment), {})[code] = n
    return found


def advice(claims: pl.DataFrame) -> Mapping[str, list[tuple[str, str]]]:
    """Model -> (experiment, how far to trust its word); `claims` are coded."""
    found: dict[str, list[tuple[str, str]]] = {}
    for (model, experiment), counts in sorted(outcome_counts(claims).items()):
        text = sentences.advice(experiment, *(counts.get(code, 0) for code in (HIT, OVER, UNDER, DENIED)))
        if text:
            found.setdefault(model, []).append((experiment, text))
    return found


@dataclass(frozen=True)
class KindLine:
    """Requests of one kind: how many claims were read, what the model said, what it did, and how often it was right."""

    kind: str
    of: str
    claims: int
    answered: int
    predicted: int
    right: int
    over: int
    under: int
    interval: Interval

    @property
    def accuracy(self) -> float:
        return self.right / self.claims


def kinds(claims: pl.DataFrame) -> Mapping[str, list[KindLine]]:
    """Model -> its requests by label, then by type. Only claims that were read; Wilson's interval on requests."""
    read = claims.filter((pl.col("experiment") == "restriction") & (pl.col("state") == "read"))
    found: dict[str, list[KindLine]] = {}
    for of, column in (("label", "label"), ("type", "subject")):
        table = (
            read.drop_nulls(column)
            .group_by("model", column)
            .agg(
                pl.len().alias("claims"),
                pl.col("item").n_unique().alias("items"),
                *(pl.col(c).sum().alias(c) for c in ("observed", "predicted")),
                (pl.col("predicted") == pl.col("observed")).sum().alias("right"),
                *((pl.col("code") == code).sum().alias(code) for code in (OVER, UNDER)),
            )
            .sort("model", column)
        )
        for model, kind, n, items, did, told, right, over, under in table.iter_rows():
            line = KindLine(kind, of, n, did, told, right, over, under, wilson(right / n, items))
            found.setdefault(model, []).append(line)
    return found


# --- worst surprises -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Surprise:
    """A prediction that was wrong where a stranger would have been right: `others_did` of `others` models did it."""

    model: str
    experiment: str
    item: str
    epoch: int
    claim: str
    predicted: bool
    observed: bool
    others_did: float
    others: int


def surprises(observations: pl.DataFrame, worst: int = WORST) -> Mapping[str, list[Surprise]]:
    """Model -> its worst surprises.

    Of a claim that k of n other models made true (n at least 2), (k + 1/2) / (n + 1) is what a stranger would say.
    Wrong predictions are ranked by how far they lie from that, at least one half, so that nine of nine others weigh
    more than two of two. Each item counts once, and the experiments take turns, since there are many more claims in one
    of them. Equals stand in the fixed order of the items.
    """
    votes = (
        observations.drop_nulls("observed")
        .group_by("experiment", "item", "claim", "model")
        .agg(vote=pl.col("observed").mean())
    )
    place = ["experiment", "item", "claim"]
    votes = votes.with_columns(others=pl.len().over(place) - 1, did=pl.col("vote").sum().over(place) - pl.col("vote"))
    stranger = (pl.col("did") + 0.5) / (pl.col("others") + 1)
    wrong = (
        observations.with_row_index("row")
        .filter((pl.col("state") == "read") & (pl.col("predicted") != pl.col("observed")))
        .join(votes, on=[*place, "model"], how="left")
        .filter(pl.col("others") >= LEAST_OTHERS)
        .with_columns(surprise=(pl.col("predicted").cast(pl.Float64) - stranger).abs().round(12))
        .filter(pl.col("surprise") > 0.5)
        .sort(["surprise", "row"], descending=[True, False])
        .unique(["model", "experiment", "item"], keep="first", maintain_order=True)
        .with_columns(turn=pl.int_range(pl.len()).over("model", "experiment"))
    )
    order = pl.col("experiment").replace_strict({e: n for n, e in enumerate(EXPERIMENTS)}, return_dtype=pl.Int64)
    wrong = wrong.with_columns(order=order).sort("model", "turn", "order", maintain_order=True)
    wrong = wrong.group_by("model", maintain_order=True).head(worst)
    columns = ["model", "experiment", "item", "epoch", "claim", "predicted", "observed", "did", "others"]
    found: dict[str, list[Surprise]] = {}
    for row in wrong.select(columns).iter_rows():
        found.setdefault(row[0], []).append(Surprise(*row))
    return found


def title(item: Item) -> str:
    """An item in a few words, for lists."""
    if isinstance(item, Target):
        return item.target
    return item.request if isinstance(item, Request) else _group_title(item)


def _group_title(item: Group) -> str:
    return f"{item.id}: {', '.join(dict.fromkeys(q.subject.replace('_', ' ') for q in item.questions))}"


# --- sessions --------------------------------------------------------------------------------------------------------

SESSION_STATES = {  # state and reason -> code
    "read": "r",
    "unreadableformat": "f",
    "unreadabletruncated": "t",
    "unreadabledeclined": "d",
    "withheldmodel": "o",
    "withheldprovider": "p",
}
STATE_NAMES = {
    "r": "read",
    "f": "unreadable: format",
    "t": "unreadable: truncated",
    "d": "unreadable: declined",
    "u": "unreadable: other",
    "o": "withheld by the model",
    "p": "withheld by the provider",
    "x": "not needed",
    "m": "missing",
}


READ_OR_IDLE = ("r", "x")


@dataclass(frozen=True)
class StateLine:
    """Sessions of one kind by state, and why the missing ones are missing."""

    model: str
    experiment: str
    session: str
    counts: Mapping[str, int]
    why_missing: str

    @property
    def lossy(self) -> bool:
        return any(n for code, n in self.counts.items() if code not in READ_OR_IDLE)


def with_states(sessions: pl.DataFrame, runs: Sequence["Run"]) -> pl.DataFrame:
    """Sessions with a column `code`, one character for state and reason. A judge that had nothing to judge, since the
    response was withheld or empty, is not needed rather than missing."""
    idle = [
        (key.model, key.item, key.epoch)
        for run in runs
        for key, reading in run.readings.items()
        if key.session == "execute"
        and key.experiment == "restriction"
        and (reading.state == "withheld" or reading.value == "empty")
    ]
    schema = {"model": pl.String, "item": pl.String, "epoch": pl.Int32}
    nothing = pl.DataFrame(idle, schema, orient="row").with_columns(
        experiment=pl.lit("restriction"), session=pl.lit("judge"), idle=pl.lit(True)
    )
    keys = ["model", "experiment", "item", "epoch", "session"]
    found = sessions.join(nothing, on=keys, how="left", maintain_order="left")
    place = pl.concat_str(
        "state", pl.when(pl.col("state") == "read").then(pl.lit("")).otherwise("reason"), ignore_nulls=True
    )
    missing = pl.when(pl.col("idle").fill_null(False)).then(pl.lit("x")).otherwise(pl.lit("m"))
    other = place.replace_strict(SESSION_STATES, default="u", return_dtype=pl.String)
    return found.with_columns(code=pl.when(pl.col("state") == "missing").then(missing).otherwise(other)).drop("idle")


def state_lines(sessions: pl.DataFrame) -> list[StateLine]:
    """One line per model, experiment and kind of session; `sessions` have codes."""
    kinds = sessions.with_columns(session=pl.col("session").str.split(".").list.first())
    table = kinds.group_by("model", "experiment", "session", "code", "reason", maintain_order=True).agg(pl.len())
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    whys: dict[tuple[str, str, str], Counter[str]] = {}
    for model, experiment, session, code, reason, n in table.iter_rows():
        place = (model, experiment, session)
        counts.setdefault(place, Counter())[code] += n
        if code == "m":
            whys.setdefault(place, Counter())[reason or "no line"] += n
    return [StateLine(*place, count, _most(whys.get(place, Counter()))) for place, count in counts.items()]


def _most(whys: Counter[str]) -> str:
    told = [f"{n:,} × {why if len(why) <= 80 else why[:79] + '…'}" for why, n in whys.most_common(FEW_REASONS)]
    rest = sum(whys.values()) - sum(n for _, n in whys.most_common(FEW_REASONS))
    return ", ".join([*told, *([f"{rest:,} for other reasons"] if rest else [])])


def shortened(text: str, length: int = 110) -> str:
    """On one line, and cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
