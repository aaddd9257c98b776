"""The page: one file that opens anywhere, offline, and says what it rests on."""

import base64
import hashlib
import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfexec.analysis import findings
from selfexec.analysis.compare import ranking
from selfexec.analysis.cross import cross_prediction, self_bonus_line
from selfexec.analysis.notes import noise_and_loss, one_model
from selfexec.analysis.published import ledger, shown
from selfexec.analysis.score import Scores, score_together
from selfexec.analysis.score_table import ABSENT, LEGEND, lacks_overall, no_margins, skills_by_experiment
from selfexec.analysis.selection import tables_of
from selfexec.engines import is_simulated
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import WARNING, LossTest
from selfexec.report import evidence, leaderboards, outcomes, sessions, surprises
from selfexec.report.evidence import Level
from selfexec.report.export import DRAWN, FORMATS, export, export_tables, lacking
from selfexec.report.families import families
from selfexec.report.figures import Numbers, drawn, read_abilities
from selfexec.report.sentences import said
from selfexec.report.svg import tick_label
from selfexec.text.legible import SCRIPT_PATTERN, harmless
from selfexec.text.numbers import decimal
from selfexec.text.redaction import kept
from selfexec.version import __version__

if TYPE_CHECKING:
    from selfexec.runs import Run


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
        for path in self.readings:
            words += ["--readings", path.name]
        if self.groups:
            words += ["--groups", self.groups.name]
        if self.abilities:
            words += ["--abilities", self.abilities.name]
        return shlex.join(words)


def page(runs: Sequence["Run"], options: Options) -> str:
    """The whole page as HTML. The same runs and options give the same bytes."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown_as(value: Any) -> Any:
        return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("selfexec.report"),
        autoescape=True,
        finalize=shown_as,  # whatever the page says passes here, names and errors among it
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"decimal": decimal, "two": findings.two, "shown": shown, "count": "{:,}".format}
    environment.globals |= {"at": position, "short": sessions.one_line, "tick_label": tick_label}
    environment.globals |= {"unseen": SCRIPT_PATTERN}
    style, script = (_source(environment, name) for name in ("style.css", "script.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    told = _told(runs, options)
    figures = list(drawn(told["numbers"]))
    if options.figures:
        if said := lacking():
            warnings.warn(f"{said}. The other formats are written", stacklevel=2)
        export(figures, options.figures, [form for form in FORMATS if not (said and form in DRAWN)])
        summary, data = leaderboards.summary(told["boards"]), leaderboards.summary_csv(told["boards"])
        texts = {"scores.csv": told["scores"].csv() + "\n", "ledger.csv": told["entries"].csv() + "\n"}
        export_tables([summary], texts | {"summary.csv": data}, options.figures)
    return environment.get_template("page.html.j2").render(
        told,
        style=Markup(style),
        script=Markup(script),
        script_hash=digest,
        figures=[(figure, Markup(figure.svg)) for figure in figures],
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
    asked = [model for run in runs for model in run.models]
    kin = families(asked, options.groups)
    scores = score_together(runs, options.convention)
    numbers = Numbers(runs, scores, options.known_abilities, kin)
    crossed = cross_prediction(runs)
    ranks = ranking(scores, list(leaderboards.COMPARED.values()))
    claims = outcomes.coded(tables.observations)
    states = sessions.with_states(tables.sessions, runs)
    worst = surprises.surprises(tables.observations)
    entries = ledger(runs, sensitivities=False, known={options.convention: scores})
    ranked = leaderboards.boards(scores, asked, ranks)
    lines = sessions.state_lines(states)
    answer, details = _answer(scores)
    return {
        "version": __version__,
        "options": options,
        "command": options.command(runs),
        "convention": LEGEND[options.convention],
        "numbers": numbers,
        "models": numbers.models,
        "number_of": {model: number for number, model in enumerate(asked)},
        "families": kin,
        "no_test": findings.NO_TEST,
        "simulated": sum(map(is_simulated, asked)),
        "advice": outcomes.advice(claims),
        "unpaired": any(" to " in _items(scores, e) for e in scores.experiments),
        "items": {e: n for e in scores.experiments if e != "overall" and (n := _items(scores, e))},
        "scores": scores,
        "answer": answer,
        "details": [*details, *one_model(scores.warnings)],
        "said": said(scores, tables, ranks.standings),
        "boards": ranked,
        "front": next(
            (b.experiment for b in ranked if any(row.skill and row.skill.value is not None for row in b.rows)),
            "overall",
        ),
        "lines": leaderboards.score_lines(scores, numbers.models),
        "counts": outcomes.outcome_counts(claims),
        "outcomes": outcomes.OUTCOMES,
        "kinds": outcomes.kinds(claims),
        "surprises": worst,
        "experiments": EXPERIMENTS,
        "titles": _titles(runs),
        "states": lines,
        "lossy": [line for line in lines if line.lossy],
        "state_names": sessions.STATE_NAMES,
        "warnings": {m: [w for w in scores.warnings if isinstance(w, LossTest) and w.model == m] for m in asked},
        "absent": ABSENT,
        "notes": noise_and_loss(scores, scores.warnings),
        "crossed": [(*key, found, self_bonus_line(found)) for key, found in crossed.parts.items()],
        "warning": WARNING,
        "entries": entries,
        "ledger": {kind: [e for e in entries if e.kind == kind] for kind in ("score", "baseline", "rule", "readings")},
        "provenance": [provenance(run) for run in runs],
        "evidence": _evidence(runs, claims, states, worst, options.evidence),
    }


def _items(scores: Scores, experiment: str) -> str:
    """How many each model was asked: 488, or 40 to 488."""
    asked = sorted({row.items for row in scores.of(experiment, "accuracy")} - {0})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([*asked[:1], *asked[-1:]]))


def _titles(runs: Sequence["Run"]) -> Mapping[tuple[str, str], str]:
    return {
        (e, id): EXPERIMENTS[e].title(item)
        for run in runs
        for e, items in run.items.items.items()
        for id, item in items.items()
    }


def _evidence(runs: Sequence["Run"], claims: Any, sessions: Any, worst: Mapping[str, Any], level: str) -> Any:
    if level == "none":
        return None
    wanted = None if level == "all" else evidence.sample(claims, sessions, (s for w in worst.values() for s in w))
    return evidence.evidence(runs, claims, sessions, wanted)


def _answer(scores: Scores) -> tuple[findings.Said, Sequence[str]]:
    """The sentence on top, and what is said below it in smaller letters. Without an overall score, what is predicted
    better than chance; the numbers stand with each experiment.
    """
    margins, skills = (scores.of("overall", metric) for metric in ("baseline_margin", "skill"))
    if lacks_overall(scores) and (parts := skills_by_experiment(scores)):
        if len(scores.models) == 1:
            return findings.skills_in_short([row for rows in parts.values() for row in rows]), list(no_margins(scores))
        return findings.models_in_short(parts), [*findings.overall_skills(skills), *no_margins(scores)]
    found = findings.answer(margins, skills)
    if found.tone != "withheld":
        return found, []
    first, *details = findings.without_margin(margins, skills)
    return findings.Said("overall", found.tone, first), details


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
        "settings": {name: kept(name, value) for name, value in manifest.settings.items()},
        "hashes": [
            ("replies", hashlib.sha256(replies.read_bytes()).hexdigest() if replies.is_file() else "not on disk"),
            *((f"items {name}", digest) for name, digest in sorted(manifest.items.items())),
            *((f"prompt {name}", digest) for name, digest in sorted(manifest.prompts.items())),
            *((f"source {name}", digest) for name, digest in sorted(manifest.sources.items())),
        ],
    }
