"""The page: one file that opens anywhere, offline, and says what it rests on."""

import base64
import hashlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import selfexec
from selfexec.reporting import content, evidence
from selfexec.reporting.evidence import Level
from selfexec.reporting.export import export, export_tables
from selfexec.reporting.families import families
from selfexec.reporting.figures import figures, read_abilities
from selfexec.scores import score_together, sentences
from selfexec.scores.crossed import cross_prediction, self_bonus_line
from selfexec.scores.entries import shown
from selfexec.scores.ledger import ledger
from selfexec.scores.notes import noise_and_loss
from selfexec.scores.standings import standings
from selfexec.scores.table import LEGEND, decimal
from selfexec.scores.together import tables_of

if TYPE_CHECKING:
    from selfexec.runs import Run

METRICS = ("skill", "self_knowledge")


@dataclass(frozen=True)
class Options:
    """What a report was asked for."""

    convention: str = "strict"
    evidence: Level = "sample"
    readings: Sequence[Path] = ()
    groups: Path | None = None
    abilities: Path | None = None
    figures: Path | None = None

    @property
    def known_abilities(self) -> Mapping[str, float] | None:
        return read_abilities(self.abilities) if self.abilities else None

    def command(self, runs: Sequence["Run"]) -> str:
        """The command that makes this page, without the folders in which things happened to lie."""
        words = ["selfexec", "report", *(run.folder.name for run in runs)]
        if self.convention != "strict":
            words += ["--convention", self.convention]
        if self.evidence != "sample":
            words += ["--evidence", self.evidence]
        if self.readings:
            words += ["--readings", *(path.name for path in self.readings)]
        if self.groups:
            words += ["--groups", self.groups.name]
        if self.abilities:
            words += ["--abilities", self.abilities.name]
        return shlex.join(words)


def page(runs: Sequence["Run"], options: Options) -> str:
    """The whole page as HTML. The same runs and options give the same bytes."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("selfexec.reporting"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"decimal": decimal, "two": sentences.two, "shown": shown, "count": "{:,}".format}
    environment.globals |= {"at": position, "short": content.shortened}
    style, script = (_source(environment, name) for name in ("style.css", "script.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    told = _told(runs, options)
    drawn = figures(runs, told["index"].scores, abilities=options.known_abilities, groups=told["families"])
    if options.figures:
        export(drawn, options.figures)
        texts = {"scores.csv": told["index"].scores.csv() + "\n", "ledger.csv": told["entries"].csv() + "\n"}
        export_tables([content.summary(told["boards"])], texts, options.figures)
    return environment.get_template("page.html.j2").render(
        told,
        style=Markup(style),
        script=Markup(script),
        script_hash=digest,
        figures=[(figure, Markup(figure.svg)) for figure in drawn],
    )


def _source(environment: Any, name: str) -> str:
    source: str = environment.loader.get_source(environment, name)[0]
    return source


def position(value: float, scale: tuple[float, float]) -> str:
    """Where a value lies on a scale, in per cent of its width."""
    low, high = scale
    return f"{100 * (value - low) / (high - low):.2f}%"


def _told(runs: Sequence["Run"], options: Options) -> dict[str, Any]:
    """Everything that the template shows."""
    tables = tables_of(runs)
    models = [model for run in runs for model in run.models]
    scores = score_together(runs, options.convention)
    index = content.Index(scores)
    crossed = cross_prediction(runs)
    ranks = standings(scores, METRICS)
    claims = content.coded(tables.observations)
    sessions = content.with_states(tables.sessions, runs)
    worst = content.surprises(tables.observations)
    entries = ledger(runs, sensitivities=False, known={options.convention: scores})
    boards = content.boards(index, models, ranks)
    states = content.state_lines(sessions)
    return {
        "version": selfexec.__version__,
        "options": options,
        "command": options.command(runs),
        "convention": LEGEND[options.convention],
        "models": models,
        "numbers": {model: number for number, model in enumerate(models)},
        "families": families(models, options.groups),
        "simulated": sum(model.startswith("sim/") for model in models),
        "advice": content.advice(claims),
        "items": {e: n for e in index.experiments if e != "overall" and (n := _items(index, e))},
        "index": index,
        "answer": sentences.answer(
            *(index.of("overall", metric) for metric in ("self_knowledge", "self_execution_skill"))
        ),
        "said": content.said(index, tables, crossed, ranks),
        "boards": boards,
        "front": next(
            (b.experiment for b in boards if any(row.skill and row.skill.value is not None for row in b.rows)),
            "overall",
        ),
        "lines": content.score_lines(index, models),
        "counts": content.outcome_counts(claims),
        "outcomes": content.OUTCOMES,
        "kinds": content.kinds(claims),
        "surprises": worst,
        "titles": _titles(runs),
        "states": states,
        "lossy": [line for line in states if line.lossy],
        "state_names": content.STATE_NAMES,
        "warnings": {m: [w for w in scores.warnings if w.model == m] for m in models},
        "notes": noise_and_loss(scores),
        "crossed": [(*key, found, self_bonus_line(found)) for key, found in crossed.parts.items()],
        "entries": entries,
        "ledger": {kind: [e for e in entries if e.kind == kind] for kind in ("score", "guesser", "rule", "readings")},
        "provenance": [provenance(run) for run in runs],
        "evidence": _evidence(runs, claims, sessions, worst, options.evidence),
    }


def _items(index: content.Index, experiment: str) -> int:
    """The most that a model was asked."""
    return max((row.items for row in index.scores if row.experiment == experiment), default=0)


def _titles(runs: Sequence["Run"]) -> Mapping[tuple[str, str], str]:
    return {
        (e, id): content.title(item)
        for run in runs
        for e, items in run.items.items.items()
        for id, item in items.items()
    }


def _evidence(runs: Sequence["Run"], claims: Any, sessions: Any, worst: Mapping[str, Any], level: str) -> Any:
    if level == "none":
        return None
    wanted = None if level == "all" else evidence.sample(claims, sessions, (s for w in worst.values() for s in w))
    return evidence.evidence(runs, claims, sessions, wanted)


def provenance(run: "Run") -> dict[str, Any]:
    """What identifies a run: hashes of replies, items and prompts, and how it was made."""
    manifest = run.manifest
    replies = run.folder / "replies.jsonl"
    return {
        "name": run.folder.name,
        "origin": manifest.origin,
        "made_by": manifest.selfexec,
        "models": run.models,
        "epochs": manifest.epochs,
        "preset": manifest.preset,
        "replies": len(run.replies),
        "given": len(run.given or ()),
        "settings": manifest.settings,
        "hashes": [
            ("replies", hashlib.sha256(replies.read_bytes()).hexdigest() if replies.is_file() else "not on disk"),
            *((f"items {name}", digest) for name, digest in sorted(manifest.items.items())),
            *((f"prompt {name}", digest) for name, digest in sorted(manifest.prompts.items())),
            *((f"source {name}", digest) for name, digest in sorted(manifest.sources.items())),
        ],
    }
