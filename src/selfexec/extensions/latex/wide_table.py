"""A paper's Table 1: a row for each model, for each experiment how often it said and did it, its skill and margins."""

from collections.abc import Iterator, Sequence

from selfexec.analysis.findings import against_baseline, which_ones
from selfexec.analysis.score import Score, Scores
from selfexec.extensions.latex.writing import ROOM, latex, name, prose
from selfexec.report.leaderboards import Board
from selfexec.text.numbers import decimal, with_zeros

NEEDS = "% needs \\usepackage{booktabs}"
CAPTION = (
    "How often models said that they would do it and did it, in per cent; their skill (0 is chance, 1 is perfect); the "
    "margin over the best baseline, and that at the model's own rate of yes. Bold: decided (95%, adjusted for the "
    "number of models). "
)
CAUTION = "†: to be read with caution. "
HEADS = ("said", "did", "skill", "margin", "own rate")
WIDTHS = (18.0, 15.0, 21.0, 25.0, 25.0)  # points of a column, in \scriptsize
LABEL = 90.0
ROWS = 50  # of one table


def wide_table(scores: Scores, boards: Sequence[Board]) -> str:
    """In LaTeX. Experiments that have no room next to each other stand in blocks, models in tables of fifty."""
    models = list(dict.fromkeys(row.model for board in boards for row in board.rows))
    tables = [list(_floated(scores, boards, models[n : n + ROWS], n // ROWS + 1)) for n in range(0, len(models), ROWS)]
    return "\n".join([NEEDS, *(line for table in tables for line in table)]) + "\n"


def _floated(scores: Scores, boards: Sequence[Board], models: Sequence[str], number: int) -> Iterator[str]:
    tabulars = ["\n".join(_tabular(scores, block, models)) for block in _blocks(boards)]
    caution = CAUTION if any("\\dag" in tabular for tabular in tabulars) else ""
    yield from ("\\begin{table*}", "\\centering\\scriptsize", "\\setlength{\\tabcolsep}{2pt}")
    yield f"\\caption{{{prose((CAPTION + caution).strip())}}}"
    yield f"\\label{{tab:models{f'-{number}' if number > 1 else ''}}}\\par\\smallskip"
    yield "\n\\par\\medskip\n".join(tabulars)
    yield "\\end{table*}"


def _columns(board: Board) -> list[int]:
    """Which of the columns anything is known for; overall, margins alone."""
    return [n for n in range(len(HEADS)) if any(row.summarised[n] is not None for row in board.rows)]


def _blocks(boards: Sequence[Board]) -> list[list[Board]]:
    blocks: list[list[Board]] = []
    left = 0.0
    for board in boards:
        width = sum(WIDTHS[n] for n in _columns(board))
        if not blocks or width > left:
            blocks.append([])
            left = ROOM - LABEL
        blocks[-1].append(board)
        left -= width
    return blocks


def _tabular(scores: Scores, boards: Sequence[Board], models: Sequence[str]) -> Iterator[str]:
    spans = [_columns(board) for board in boards]
    yield f"\\begin{{tabular}}{{l{'r' * sum(map(len, spans))}}}"
    heads = (f"\\multicolumn{{{len(s)}}}{{c}}{{{latex(b.experiment)}}}" for b, s in zip(boards, spans, strict=True))
    yield f"\\toprule\n & {' & '.join(heads)} \\\\"
    starts = [2 + sum(map(len, spans[:n])) for n in range(len(spans))]
    yield "".join(f"\\cmidrule(lr){{{at}-{at + len(s) - 1}}}" for at, s in zip(starts, spans, strict=True))
    yield f"model & {' & '.join(HEADS[n] for columns in spans for n in columns)} \\\\\n\\midrule"
    rows = [{row.model: row for row in board.rows} for board in boards]
    decided = [_decided(scores, board.experiment) for board in boards]
    for model in models:
        cells = [
            _cell(by_model[model].summarised[n] if model in by_model else None, n, sure)
            for by_model, columns, sure in zip(rows, spans, decided, strict=True)
            for n in columns
        ]
        yield f"{name(model)} & {' & '.join(cells)} \\\\"
    yield "\\bottomrule\n\\end{tabular}"


def _decided(scores: Scores, experiment: str) -> set[tuple[str, str]]:
    """Metric and model of the margins that are found to be above 0, or below."""
    findings = {"baseline_margin": against_baseline(scores.of(experiment, "baseline_margin"))}
    if experiment != "overall":
        findings["margin_at_own_rate"] = which_ones(scores, experiment)
    return {(metric, f.subject) for metric, of in findings.items() for f in of if f.answer in ("yes", "no")}


def _cell(score: Score | None, column: int, decided: set[tuple[str, str]]) -> str:
    if score is None or score.value is None:
        return "--"
    is_rate = HEADS[column] in ("said", "did")
    text = f"{100 * score.value:.0f}" if is_rate else latex(with_zeros(decimal(score.value, 2)).replace("-", "−"))
    bold = f"\\textbf{{{text}}}" if (score.metric, score.model) in decided else text
    return f"{bold}\\rlap{{\\textsuperscript{{\\dag}}}}" if score.reason else bold
