"""Scores and readings as people read them: on a terminal, in a notebook, as JSON or CSV."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selfexec.scores import Score, Scores

SKILL = {"association": "youden_j", "restriction": "youden_j", "difficulty": "tau", "overall": "self_execution_skill"}
ACCURACY = {"overall": "self_execution_score"}
GUESSERS = {
    "always_yes": "always yes",
    "always_no": "always no",
    "label": "label",
    "order_shown": "order shown",
    "question_length": "question length",
}
TITLE = "Did the model know what it would do?"
COLUMNS = ["model", "experiment", "accuracy", "best guesser", "skill", "coverage"]
LEGEND = {
    "strict": "strict: an unreadable prediction is a wrong one",
    "readable": "readable: unreadable claims are left out",
    "authors": "authors: counted as for the paper's published numbers",
}


def print_scores(scores: "Scores", form: str) -> None:
    if form == "json":
        print(json.dumps({"scores": scores.records()}, ensure_ascii=False, indent=1, allow_nan=False))
    elif form == "csv":
        print(score_csv(scores), end="")
    else:
        show((TITLE, COLUMNS, _rows(scores)))
        for note in _notes(scores):
            print(note)


def show(table: tuple[str, Sequence[str], list[list[str]]]) -> None:
    """A table on standard output, as wide as it needs where it does not go to a terminal."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    console.print(_rich_table(*table))


def score_table_text(scores: "Scores") -> str:
    from rich.console import Console

    text = io.StringIO()
    Console(file=text, width=120, highlight=False).print(_rich_table(TITLE, COLUMNS, _rows(scores)))
    return text.getvalue() + "\n".join(_notes(scores))


def score_table_html(scores: "Scores") -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in COLUMNS)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _rows(scores))
    notes = "<br>".join(map(escape, _notes(scores)))
    return f"<table><caption>{TITLE}</caption><tr>{head}</tr>{body}</table><p>{notes}</p>"


def score_csv(scores: "Scores") -> str:
    text = io.StringIO()
    records = scores.records()
    writer = csv.DictWriter(text, fieldnames=list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def _rich_table(title: str, columns: Sequence[str], rows: list[list[str]]) -> "object":
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True)
    last = None
    for row in rows:
        # a model's name once, above its experiments
        if last is not None and row[0] != last:
            table.add_section()
        table.add_row(row[0] if row[0] != last else "", *row[1:])
        last = row[0]
    return table


def _rows(scores: "Scores") -> list[list[str]]:
    found: dict[tuple[str, str], dict[str, Score]] = {}
    for row in scores:
        found.setdefault((row.model, row.experiment), {})[row.metric] = row
    return [[model, experiment, *_cells(experiment, rows)] for (model, experiment), rows in found.items()]


def _cells(experiment: str, rows: "dict[str, Score]") -> Iterator[str]:
    accuracy = rows.get(ACCURACY.get(experiment, "accuracy"))
    yield _number(accuracy)
    yield _best_guesser(rows)
    yield _number(rows.get(SKILL[experiment]))
    coverage = rows.get("coverage")
    yield _decimal(coverage.value) if coverage and coverage.value is not None else ""


def _number(row: "Score | None") -> str:
    if row is None:
        return ""
    if row.value is None:
        return "withheld" if row.experiment == "overall" else "–"
    interval = f" [{_decimal(row.low)}, {_decimal(row.high)}]" if row.low is not None and row.high is not None else ""
    return _decimal(row.value) + interval


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def _best_guesser(rows: "dict[str, Score]") -> str:
    values = {name: row.value for name, row in rows.items() if name in GUESSERS and row.value is not None}
    if not values:
        return ""
    best = max(values, key=lambda name: values[name] or 0.0)
    return f"{_decimal(values[best])} {GUESSERS[best]}"


def _notes(scores: "Scores") -> list[str]:
    convention = scores[0].convention if len(scores) else "strict"
    notes = [
        f"{LEGEND[convention]}. Intervals are 95%, over items.",
        "skill: Youden's J, for difficulty Kendall's tau, overall their mean: 0 is chance, 1 is perfect.",
        "best guesser: the accuracy of whoever knows nothing of the model. An accuracy below it is no self-knowledge.",
    ]
    reasons = {
        (row.model, row.experiment): row.reason
        for row in scores
        if row.reason and row.metric == ACCURACY.get(row.experiment, "accuracy")
    }
    told = {(model, f"{experiment}: {reason}") for (model, experiment), reason in reasons.items()}
    # an overall score is mostly held back by what is said of an experiment already
    lines = [
        f"  {model}, {experiment}: {reason}"
        for (model, experiment), reason in reasons.items()
        if (model, reason) not in told
    ]
    return [*notes, "withheld, or to be read with caution:", *lines] if lines else notes
