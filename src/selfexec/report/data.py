"""What the sections of a page are made from: runs, and what is found in them, each found once."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from selfexec.analysis.compare import Ranking, ranking
from selfexec.analysis.in_probabilities import areas_beside
from selfexec.analysis.makers import family_of
from selfexec.analysis.score import Scores, Selection, score
from selfexec.claims import Tables
from selfexec.files.tags import load_families
from selfexec.report import outcomes, sessions
from selfexec.report.baseline_predictions import BaselinePredictions
from selfexec.report.evidence import PackedSessions, PageEvidence
from selfexec.report.examples import Example, Quotable, examples
from selfexec.report.figures import APPENDIX, SHOWN, Figure, FigureNumbers, drawn, margins, read_abilities
from selfexec.report.figures.model_order import UNKNOWN_FAMILY
from selfexec.report.front import Front, front
from selfexec.report.guesses import Guess, guesses
from selfexec.report.options import Evidence, Width
from selfexec.report.other_sources import OtherSource, other_sources
from selfexec.report.preview import preview
from selfexec.report.sample import sample
from selfexec.report.score_lines import COMPARED, ScoreLine, score_lines
from selfexec.report.surprises import Surprise, surprises
from selfexec.report.svg import MOST

if TYPE_CHECKING:
    from selfexec.runs import Run

T = TypeVar("T")


@dataclass(frozen=True)
class Options:
    """What a report was asked for."""

    evidence: Evidence = "sample"
    figure_width: Width = "column"
    groups: Path | None = None
    abilities: Path | None = None
    figures: Path | None = None
    figure: str | None = None
    url: str | None = None
    preview: Path | None = None

    @property
    def known_abilities(self) -> Mapping[str, float] | None:
        return read_abilities(self.abilities) if self.abilities else None

    def command(self, selection: Selection) -> str:
        """The command that makes this page, without the folders in which things happened to lie."""
        words = ["selfexec", "report", *(run.folder.name for run in selection.runs)]
        given = [
            ("--convention", selection.convention if selection.convention != "strict" else None),
            ("--evidence", self.evidence if self.evidence != "sample" else None),
            ("--source", selection.source),
            ("--panel", selection.panel and Path(selection.panel).name),
            *(("--readings", path.name) for path in selection.readings),
            ("--groups", self.groups and self.groups.name),
            ("--abilities", self.abilities and self.abilities.name),
            ("--url", self.url),
        ]
        words += [part for flag, value in given if value for part in (flag, value)]
        return shlex.join(words)


PAGE, LEAST = 3_000_000, 300_000  # bytes of a page with a sample of sessions, and of these where the rest has as many


@dataclass(frozen=True)
class Data:
    """Everything that sections draw on."""

    selection: Selection
    options: Options

    @property
    def runs(self) -> Sequence["Run"]:
        return self.selection.runs

    @cached_property
    def asked(self) -> list[str]:
        """The models in the order of the runs, by which the page numbers them."""
        return self.selection.everybody

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        return {model: number for number, model in enumerate(self.asked)}

    @cached_property
    def families(self) -> Mapping[str, str]:
        return families(self.asked, self.options.groups)

    @cached_property
    def tables(self) -> Tables:
        return self.selection.tables

    @cached_property
    def scores(self) -> Scores:
        return score(self.selection.under(self.selection.condition))

    @cached_property
    def numbers(self) -> FigureNumbers:
        return FigureNumbers(self.runs, self.scores, self.options.known_abilities, self.families, self.selection)

    @property
    def models(self) -> tuple[str, ...]:
        """The models in the one order in which the whole page shows them."""
        return self.numbers.models

    @property
    def many(self) -> bool:
        """Whether there are so many models that what is folded is packed."""
        return len(self.models) > MOST

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where each model stands in it."""
        return {model: place for place, model in enumerate(self.models)}

    @cached_property
    def figures(self) -> list[Figure]:
        """Those that answer the questions of the front."""
        return list(drawn(self.numbers, SHOWN))

    @cached_property
    def further_figures(self) -> list[Figure]:
        """The paper's other figures."""
        return list(drawn(self.numbers, APPENDIX))

    @cached_property
    def drawings(self) -> list[Figure]:
        """Every figure as a file of its own: the margins, where there are any, and those of the page."""
        front = margins(self.numbers)
        return [*([front] if front else []), *self.figures, *self.further_figures]

    @cached_property
    def other_sources(self) -> Sequence[OtherSource]:
        """Who else says what was done: on top of the page, where judges do, and among its notes."""
        return list(other_sources(self.tables, [run.folder.name for run in self.selection.runs]))

    @cached_property
    def ranking(self) -> Ranking:
        return ranking(self.scores, list(COMPARED.values()))

    @cached_property
    def lines(self) -> list[ScoreLine]:
        return score_lines(self.scores, self.models, self.ranking)

    def once(self, make: "Callable[[Data], T]") -> T:
        """What an extension makes of these data, made once for all that show it."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    @cached_property
    def claims(self) -> pl.DataFrame:
        """Observations with codes of what became of them."""
        return outcomes.coded(self.tables)

    @cached_property
    def counts(self) -> outcomes.Counts:
        return outcomes.outcome_counts(self.claims)

    @cached_property
    def sessions(self) -> pl.DataFrame:
        """Sessions with codes of their states."""
        return sessions.with_states(self.tables.sessions, self.runs)

    @cached_property
    def surprises(self) -> Mapping[str, list[Surprise]]:
        return surprises(self.tables.observations)

    @cached_property
    def baseline_predictions(self) -> BaselinePredictions:
        """What baselines predicted for the claims."""
        return BaselinePredictions(self.runs, self.tables, self.scores, self.selection.convention == "strict")

    @cached_property
    def quotable(self) -> Quotable:
        return Quotable.of(self.claims, self.runs, self.models)

    @cached_property
    def examples(self) -> Mapping[str, Mapping[str | None, Example]]:
        return examples(self.quotable, self.models)

    @cached_property
    def front(self) -> Front | None:
        return front(self.scores, self.models, self.examples, self.areas)

    @cached_property
    def areas(self) -> Scores | None:
        """The scores of the same predictions as probabilities; None where nobody was asked for them."""
        return areas_beside(self.scores, self.numbers.conditions)

    @property
    def preview(self) -> str | None:
        """What previews of links show, as SVG; None where the front shows nothing."""
        return preview(self.front, self.models[0] if len(self.models) == 1 else None) if self.front else None

    @cached_property
    def guesses(self) -> Mapping[str, Sequence[Guess]]:
        return guesses(self.quotable, self.models, self.baseline_predictions)

    @cached_property
    def evidence(self) -> PageEvidence | None:
        if self.options.evidence == "none":
            return None
        return PageEvidence(self.runs, self.claims, self.sessions, self.baseline_predictions)

    def sessions_beside(self, size: int) -> PackedSessions:
        """Those that a page takes along that has so many bytes without them."""
        assert self.evidence
        if self.options.evidence == "all":
            return self.evidence.kept(None)
        quoted = {(s.model, s.experiment, s.item) for found in self.surprises.values() for s in found}
        quoted |= {(e.model, e.experiment, e.item) for found in self.examples.values() for e in found.values()}
        room = max(LEAST, PAGE - size - len(self.evidence.index))
        decisive = self.baseline_predictions.decisive
        return self.evidence.kept(sample(self.runs, self.claims, self.sessions, quoted, decisive, room))


def families(models: Sequence[str], groups: Path | None = None) -> Mapping[str, str]:
    """Model -> family: as the file says in its column `family` (or its first one), else the maker, if it is known."""
    said = load_families(groups, models) if groups is not None else {}
    return {model: said.get(model) or family_of(model) or UNKNOWN_FAMILY for model in models}
