"""What a study wants written at its end."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfexec.cli.options import say, write

if TYPE_CHECKING:
    from selfexec.analysis.score import Scores
    from selfexec.runs import Run


def write_outputs(run: "Run", scores: "Scores", outputs: Mapping[Any, Sequence[Path]]) -> None:
    """Scores, report and card of a run, each in the form that the name of its file asks for."""
    from selfexec.extensions.card.document import card
    from selfexec.report.writing import report

    for path in chain(*outputs.values()):
        path.parent.mkdir(parents=True, exist_ok=True)
    for path in outputs.get("scores", ()):
        say(f"{scores.write(path)}: written.")
    for path in outputs.get("report", ()):
        report(run, path)
        say(f"{path}: written.")
    for path in outputs.get("card", ()):
        write(path, card(run).markdown())
