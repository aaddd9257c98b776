"""A paper's Table 1: a row for each model, for each experiment how often it said and did it, its skill and margins; and
the same of probabilities, with AUROC in a table of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis.findings import against_baseline, which_ones
from selfexec.analysis.score import Score, Scores
from selfexec.extensions.latex.writing import ROOM, latex, name, prose
from selfexec.report.score_lines import ScoreLine, by_experiment, rates
from selfexec.text.numbers import decimal, with_zeros

NEEDS = "% needs \\usepackage{booktabs}"


@dataclass(frozen=True)
class _Measures:
    """What a table shows: its columns with their widths, in points in \\scriptsize, and what is said of them."""

    heads: Sequence[str]
    widths: Sequence[float]
    caption: str
    label: str


@dataclass(frozen=True)
class _Experiment:
    """The numbers of one experiment by model, in the order of the columns; `decided`: metric and model of the margins
    that are found to be above 0, or below.
    """

    name: str
    rows: Mapping[str, Sequence[Score | None]]
    decided: set[tuple[str, str]]

    @property
    def columns(self) -> list[int]:
        """Which of the columns anything is known for; overall, margins alone."""
        known = list(self.rows.values())
        return [n for n in range(len(known[0]) if known else 0) if any(row[n] is not None for row in known)]


DECIDED = "Bold: decided (95%, adjusted for the number of models). "
SKILLS = _Measures(
    ("said", "did", "skill", "margin", "own rate"),
    (18.0, 15.0, 21.0, 25.0, 25.0),
    "How often models said that they would do it and did it, in per cent; their skill (0 is chance, 1 is perfect); the "
    f"margin over the best baseline, and that at the model's own yes rate. {DECIDED}",
    "tab:models",
)
AREAS = _Measures(
    ("given", "did", "AUROC", "within", "AUROC margin"),
    (18.0, 15.0, 24.0, 24.0, 48.0),
    "Predictions that were asked for as probabilities. The mean probability that models gave and how often they did "
    "it, in per cent; AUROC over all claims and within items (.5 is chance, 1 is perfect); the AUROC margin, AUROC "
    f"less that of the baseline. {DECIDED}",
    "tab:models-auroc",
)
PERCENTAGES = ("said", "given", "did")
CAUTION = "†: to be read with caution. "
LABEL = 90.0
ROWS = 50  # of one table


def wide_table(scores: Scores, lines: Sequence[ScoreLine], areas: Scores | None = None) -> str:
    """In LaTeX. Experiments that have no room next to each other stand in blocks, models in tables of fifty. `areas`:
    the scores of the same predictions as probabilities, which have a table of their own.
    """
    found = by_experiment(lines)
    models = list(dict.fromkeys(line.model for some in found.values() for line in some))
    tables = []
    if experiments := [_in_skills(scores, experiment, some) for experiment, some in found.items()]:
        tables += list(_tables(SKILLS, experiments, models))
    in_areas = areas or (scores if any(row.metric == "auroc" and row.value is not None for row in scores) else None)
    if in_areas and (experiments := list(_of_areas(in_areas, models))):
        tables += list(_tables(AREAS, experiments, models))
    return "\n".join([NEEDS, *tables]) + "\n"


def _in_skills(scores: Scores, experiment: str, lines: Sequence[ScoreLine]) -> _Experiment:
    rows = {line.model: line.summarised[: len(SKILLS.heads)] for line in lines}
    return _Experiment(experiment, rows, _decided(scores, experiment))


def _of_areas(areas: Scores, models: Sequence[str]) -> Iterator[_Experiment]:
    """The experiments that have an AUROC."""
    for experiment in areas.experiments:
        if any(row.value is not None for row in areas.of(experiment, "auroc")):
            metrics = ("auroc", "auroc_within", "auroc_margin")
            rows = {
                model: [
                    row if row and row.value is not None else None
                    for row in (
                        *rates(areas, model, experiment),
                        *(areas.get(model, experiment, metric) for metric in metrics),
                    )
                ]
                for model in models
            }
            yield _Experiment(experiment, rows, _decided(areas, experiment))


def _tables(measures: _Measures, experiments: Sequence[_Experiment], models: Sequence[str]) -> Iterator[str]:
    for n in range(0, len(models), ROWS):
        yield from _floated(measures, experiments, models[n : n + ROWS], n // ROWS + 1)


def _floated(
    measures: _Measures, experiments: Sequence[_Experiment], models: Sequence[str], number: int
) -> Iterator[str]:
    tabulars = ["\n".join(_tabular(measures, block, models)) for block in _blocks(measures, experiments)]
    caution = CAUTION if any("\\dag" in tabular for tabular in tabulars) else ""
    yield from ("\\begin{table*}", "\\centering\\scriptsize", "\\setlength{\\tabcolsep}{2pt}")
    yield f"\\caption{{{prose((measures.caption + caution).strip())}}}"
    yield f"\\label{{{measures.label}{f'-{number}' if number > 1 else ''}}}\\par\\smallskip"
    yield "\n\\par\\medskip\n".join(tabulars)
    yield "\\end{table*}"


def _blocks(measures: _Measures, experiments: Sequence[_Experiment]) -> list[list[_Experiment]]:
    blocks: list[list[_Experiment]] = []
    left = 0.0
    for experiment in experiments:
        width = sum(measures.widths[n] for n in experiment.columns)
        if not blocks or width > left:
            blocks.append([])
            left = ROOM - LABEL
        blocks[-1].append(experiment)
        left -= width
    return blocks


def _tabular(measures: _Measures, experiments: Sequence[_Experiment], models: Sequence[str]) -> Iterator[str]:
    spans = [experiment.columns for experiment in experiments]
    yield f"\\begin{{tabular}}{{l{'r' * sum(map(len, spans))}}}"
    heads = (f"\\multicolumn{{{len(s)}}}{{c}}{{{latex(e.name)}}}" for e, s in zip(experiments, spans, strict=True))
    yield f"\\toprule\n & {' & '.join(heads)} \\\\"
    starts = [2 + sum(map(len, spans[:n])) for n in range(len(spans))]
    yield "".join(f"\\cmidrule(lr){{{at}-{at + len(s) - 1}}}" for at, s in zip(starts, spans, strict=True))
    yield f"model & {' & '.join(measures.heads[n] for columns in spans for n in columns)} \\\\\n\\midrule"
    for model in models:
        cells = [
            _cell(e.rows[model][n] if model in e.rows else None, measures.heads[n] in PERCENTAGES, e.decided)
            for e, columns in zip(experiments, spans, strict=True)
            for n in columns
        ]
        yield f"{name(model)} & {' & '.join(cells)} \\\\"
    yield "\\bottomrule\n\\end{tabular}"


def _decided(scores: Scores, experiment: str) -> set[tuple[str, str]]:
    """Metric and model of the margins that are found to be above 0, or below."""
    findings = {"baseline_margin": against_baseline(scores.of(experiment, "baseline_margin"))}
    if experiment != "overall":
        which = which_ones(scores, experiment)
        of_areas = any(finding.relation == "auroc" for finding in which)
        findings["auroc_margin" if of_areas else "margin_at_own_rate"] = which
    return {(metric, f.subject) for metric, of in findings.items() for f in of if f.answer in ("yes", "no")}


def _cell(score: Score | None, in_percent: bool, decided: set[tuple[str, str]]) -> str:
    if score is None or score.value is None:
        return "--"
    text = f"{100 * score.value:.0f}" if in_percent else latex(with_zeros(decimal(score.value, 2)).replace("-", "−"))
    bold = f"\\textbf{{{text}}}" if (score.metric, score.model) in decided else text
    return f"{bold}\\rlap{{\\textsuperscript{{\\dag}}}}" if score.reason else bold
