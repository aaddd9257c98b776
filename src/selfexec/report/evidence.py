"""What stands behind the numbers: items, what became of each claim, and the sessions as they came back.

Replies are somebody else's text and may be hostile. All of it is packed (JSON, deflate, base64), so that no character
of it stands in the page; the page's script unpacks it when somebody asks, and shows it as text, never as markup.

    index     items, and for every model, experiment and epoch two strings: what became of each claim, and the state
              of each session, one character each, in the order of the items; blank where it was not asked. Of each
              further source that says otherwise of what was done, `disputed` has a string, with a "d" for each claim
              about which it does; `sources` are their names in words, and `counts` that of the source that counts.
              `baseline_predictions` has what baselines predicted for each claim (`report.baseline_predictions`),
              `baselines` their names in words
    chunks    sessions, one chunk per model: {experiment: {item: {epoch: {session: ...}}}}
    prompts   one block per run: {experiment: {item: {session: the prompt as it was sent}}}, of those whose sessions are
              in a chunk and need no reply before them; a session that was asked otherwise than others has its own
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from selfexec.experiments import EXPERIMENTS, SELF, Item, Key, source_name
from selfexec.facets import DEFAULT, Condition, condition_named
from selfexec.readers import Reading
from selfexec.report.asked import asked
from selfexec.report.baseline_predictions import BaselinePredictions
from selfexec.report.outcomes import OUTCOMES
from selfexec.report.packing import packed
from selfexec.report.sessions import STATE_NAMES
from selfexec.runs import Reply, read_reply

if TYPE_CHECKING:
    from selfexec.runs import Run

Place = tuple[str, str, str]  # model, experiment, item


@dataclass(frozen=True)
class PackedSessions:
    """Packed, ready to stand in a page; the chunks are in the order of the models, prompts in that of the runs.
    `whole`: all that there are.
    """

    chunks: Sequence[str]
    prompts: Sequence[str]
    whole: bool


@dataclass(frozen=True)
class PageEvidence:
    """What stands behind the numbers of a page; `claims` and `sessions` have codes."""

    runs: Sequence["Run"]
    claims: pl.DataFrame
    sessions: pl.DataFrame
    baseline_predictions: BaselinePredictions | None = None

    def kept(self, wanted: Set[Place] | None) -> PackedSessions:
        """The sessions of these items, or all."""
        with ThreadPoolExecutor() as pool:  # deflate lets other threads work
            kept = [_kept(run, wanted) for run in self.runs]
            prompts = [asked(run, keys) for run, keys in zip(self.runs, kept, strict=True)]
            mine = [_by_model(keys) for keys in kept]
            found = (
                sessions_of(run, mine[number].get(model, ()), prompts[number].own)
                for number, run in enumerate(self.runs)
                for model in run.models
            )
            whole = all(len(keys) == len(run.replies) for run, keys in zip(self.runs, kept, strict=True))
            return PackedSessions(list(pool.map(packed, found)), [packed(one.nested) for one in prompts], whole)

    @cached_property
    def index(self) -> str:
        """Packed."""
        told = self.baseline_predictions.told if self.baseline_predictions else {}
        claim_codes = code_strings(self.claims, self.runs, claims_of)
        sessions = _counted(self.sessions, self.runs)
        session_codes = code_strings(sessions, self.runs, lambda e, item: EXPERIMENTS[e].session_names(item))
        others = self.claims["disputed"].explode().drop_nulls().unique().sort()
        disputed = {other: _disputed_by(other, self.claims, self.runs) for other in others}
        counted = self.claims.select("experiment", "source").unique().sort("experiment", "source")
        return packed(
            {
                "outcomes": OUTCOMES,
                "states": STATE_NAMES,
                "sources": {other: source_name(other) for other in others},
                "counts": {e: source_name(source) for e, source in counted.iter_rows()},
                "baselines": self.baseline_predictions.names if self.baseline_predictions else {},
                **_of_experiments(),
                "judges": _judges(self.claims),
                "runs": [_run(run) for run in self.runs],
                "models": [
                    {
                        "name": model,
                        "run": number,
                        "claims": claim_codes.get(model, {}),
                        "disputed": {
                            other: by_model[model] for other, by_model in disputed.items() if model in by_model
                        },
                        "sessions": session_codes.get(model, {}),
                        "baseline_predictions": told.get(model, {}),
                    }
                    for number, run in enumerate(self.runs)
                    for model in run.models
                ],
            }
        )


def _of_experiments() -> dict[str, Any]:
    return {
        "orders": [name for name, experiment in EXPERIMENTS.items() if experiment.claim_kind == "order"],
        "behaviour": {
            name: e.words.behaviour[0]
            for name, e in EXPERIMENTS.items()
            if e.words.behaviour and e.claim_kind == "binary"
        },
        "predictions": {name: experiment.predictions for name, experiment in EXPERIMENTS.items()},
        "unneeded": {name: experiment.unneeded for name, experiment in EXPERIMENTS.items()},
        "kept": {name: experiment.kept for name, experiment in EXPERIMENTS.items()},
    }


def _judges(claims: pl.DataFrame) -> dict[str, list[str]]:
    """The kinds of session in which a model itself says what it did, where that counts."""
    by_itself = claims.filter(pl.col("source") == SELF)["experiment"].unique().sort()
    experiments = {name: EXPERIMENTS[name] for name in by_itself}
    return {
        name: [kind for kind in e.prompts if kind not in (*e.predictions, *e.kept)] for name, e in experiments.items()
    }


def _disputed_by(other: str, claims: pl.DataFrame, runs: Sequence["Run"]) -> dict[str, dict[str, dict[str, str]]]:
    """Strings of the experiments of each model in which this source says otherwise of anything."""
    says_otherwise = pl.col("disputed").list.contains(other)
    those = claims.filter(says_otherwise.any().over("model", "experiment"))
    letters = pl.when(says_otherwise).then(pl.lit("d")).otherwise(pl.lit("-"))
    return code_strings(those.with_columns(code=letters), runs, claims_of)


def _counted(sessions: pl.DataFrame, runs: Sequence["Run"]) -> pl.DataFrame:
    """Those that are known beforehand: an item has a place for each."""
    places = {
        (experiment, id, session)
        for run in runs
        for experiment, by_id in run.items.items.items()
        if EXPERIMENTS[experiment].open_ended
        for id, item in by_id.items()
        for session in EXPERIMENTS[experiment].session_names(item)
    }
    if not places:
        return sessions
    columns = ["experiment", "item", "session"]
    is_open = pl.col("experiment").is_in(sorted({experiment for experiment, *_ in places}))
    known = sessions.join(
        pl.DataFrame(sorted(places), columns, orient="row"), on=columns, how="semi", maintain_order="left"
    )
    return sessions.filter(~is_open).vstack(known)


def code_strings(
    table: pl.DataFrame, runs: Sequence["Run"], names_of: Callable[[str, Item], Sequence[str]]
) -> dict[str, dict[str, dict[str, str]]]:
    """Model -> experiment -> epoch -> one character per row, blank where an item was not asked in the epoch."""
    columns = ["model", "experiment", "epoch", "item"]
    joined = table.group_by(columns, maintain_order=True).agg(pl.col("code").str.join(""))
    codes = {tuple(row[:4]): row[4] for row in joined.iter_rows()}
    epochs = dict.fromkeys(place[:3] for place in codes)
    run_of = {model: run for run in runs for model in run.models}
    blank: dict[tuple[int, str], dict[str, str]] = {}
    found: dict[str, dict[str, dict[str, str]]] = {}
    for model, experiment, epoch in epochs:
        run = run_of[model]
        items = run.items[experiment]
        if (id(run), experiment) not in blank:
            blank[id(run), experiment] = {i: " " * len(names_of(experiment, item)) for i, item in items.items()}
        rows = (codes.get((model, experiment, epoch, i), absent) for i, absent in blank[id(run), experiment].items())
        found.setdefault(model, {}).setdefault(experiment, {})[str(epoch)] = "".join(rows)
    return found


def _run(run: "Run") -> dict[str, Any]:
    return {
        "name": run.folder.name,
        "items": {e: [_item(e, item) for item in items.values()] for e, items in run.items.items.items()},
        "prompts": {e: _prompts(run, e) for e in run.items.items},
    }


def _item(experiment: str, item: Item) -> dict[str, Any]:
    claims = EXPERIMENTS[experiment].observe(item, {})
    more = {
        "title": EXPERIMENTS[experiment].title(item),
        "claims": [claim.claim for claim in claims],
        "kinds": sorted({kind for claim in claims for kind in (claim.facts.label, claim.facts.subject) if kind}),
        "sessions": EXPERIMENTS[experiment].session_names(item),
    }
    facts: dict[str, Any] = msgspec.to_builtins(item)
    return facts | more


def claims_of(experiment: str, item: Item) -> list[str]:
    """The names of an item's claims, in the order of the observations."""
    return [o.claim for o in EXPERIMENTS[experiment].observe(item, {})]


def _prompts(run: "Run", experiment: str) -> Mapping[str, str]:
    """The templates that were asked with, as far as they were kept."""
    kept = {session: run.prompts.get(f"{experiment}.{session}") for session in EXPERIMENTS[experiment].prompts}
    return {session: text for session, text in kept.items() if text is not None}


def _kept(run: "Run", wanted: Set[Place] | None) -> list[Key]:
    """The sessions that the page takes along."""
    return [key for key in run.replies if wanted is None or (key.model, key.experiment, key.item) in wanted]


def _by_model(keys: Iterable[Key]) -> Mapping[str, Sequence[Key]]:
    found: dict[str, list[Key]] = {}
    for key in keys:
        found.setdefault(key.model, []).append(key)
    return found


def sessions_of(run: "Run", keys: Sequence[Key], prompts: Mapping[Key, str | None]) -> dict[str, Any]:
    """Of one model; with the `prompts` that are its own."""
    found: dict[str, Any] = {}
    for key in keys:
        reply = run.replies[key]
        by_epoch = found.setdefault(key.experiment, {}).setdefault(key.item, {})
        given = key in (run.given or {})
        reading = run.readings[key]
        if given and reading.evidence is None:
            here = DEFAULT if run.condition is None else condition_named(run.condition)
            reading = _with_our_evidence(reading, run.items[key.experiment][key.item], reply, here)
        own = {"prompt": prompts[key]} if key in prompts else {}
        by_epoch.setdefault(str(key.epoch), {})[key.session] = _session(reply, reading, given) | own
    return found


def _with_our_evidence(given: Reading, item: Item, reply: Reply, condition: Condition) -> Reading:
    """A reading from elsewhere has no words to mark. Where our reader comes to the same, it has ours."""
    ours = read_reply(item, reply, condition=condition)
    same = (ours.state, ours.value) == (given.state, given.value)
    return msgspec.structs.replace(given, evidence=ours.evidence) if same else given


def _session(reply: Reply, reading: Reading, given: bool) -> dict[str, Any]:
    facts = {
        "text": reply.text,
        "reasoning": reply.reasoning,
        "refusal": reply.refusal,
        "error": reply.error,
        "stop": reply.stop_reason,
        "tokens": reply.output_tokens,
        "reasoning_tokens": reply.reasoning_tokens,
        "state": reading.state,
        "reason": reading.reason,
        "value": reading.value,
        "evidence": reading.evidence,
        "given": given or None,
    }
    return {name: value for name, value in facts.items() if value is not None}
