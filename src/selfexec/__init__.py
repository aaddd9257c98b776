"""selfexec: can a language model predict what it will do?

import selfexec as sx

run = sx.run(["sim/typical"])         # or sx.load("runs/mine")
run.replies, run.readings, run.observations, run.sessions
sx.score(run)
sx.rasch("rates.csv")                 # abilities from success rates on benchmarks
sx.compare(run)                       # or sx.compare(["runs/before", "runs/after"])
sx.report(run, "report.html")

docs/python.md has every function and what comes back; help(sx.run) what each choice is.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from selfexec.abilities import Rasch as Rasch
    from selfexec.abilities import rasch as rasch
    from selfexec.cards import Card as Card
    from selfexec.cards import card as card
    from selfexec.checks import Check as Check
    from selfexec.checks import check as check
    from selfexec.errors import InputError as InputError
    from selfexec.formats import Key as Key
    from selfexec.importing import import_replies as import_replies
    from selfexec.reporting import report as report
    from selfexec.runner import run as run
    from selfexec.runs import Run as Run
    from selfexec.runs import load as load
    from selfexec.scores import Score as Score
    from selfexec.scores import Scores as Scores
    from selfexec.scores import score as score
    from selfexec.scores.compare.compare import compare as compare
    from selfexec.scores.compare.comparison import Comparison as Comparison
    from selfexec.scores.compare.trends import Trend as Trend
    from selfexec.scores.compare.trends import trend as trend
    from selfexec.scores.correlating import Correlations as Correlations
    from selfexec.scores.correlating import correlations as correlations
    from selfexec.scores.cross_prediction import CrossPrediction as CrossPrediction
    from selfexec.scores.cross_prediction import cross_prediction as cross_prediction
    from selfexec.scores.ledger.entries import Ledger as Ledger
    from selfexec.scores.ledger.ledger import ledger as ledger

# Names are imported when they are first used, so that the command line starts at once. No name may be that of a module
# beside this file, which would take its place once it is imported.
_HOMES = {
    "Card": "selfexec.cards",
    "Check": "selfexec.checks",
    "Comparison": "selfexec.scores.compare.comparison",
    "Correlations": "selfexec.scores.correlating",
    "CrossPrediction": "selfexec.scores.cross_prediction",
    "InputError": "selfexec.errors",
    "Key": "selfexec.formats",
    "Ledger": "selfexec.scores.ledger.entries",
    "Rasch": "selfexec.abilities",
    "Run": "selfexec.runs",
    "Score": "selfexec.scores",
    "Scores": "selfexec.scores",
    "Trend": "selfexec.scores.compare.trends",
    "card": "selfexec.cards",
    "check": "selfexec.checks",
    "compare": "selfexec.scores.compare.compare",
    "correlations": "selfexec.scores.correlating",
    "cross_prediction": "selfexec.scores.cross_prediction",
    "import_replies": "selfexec.importing",
    "ledger": "selfexec.scores.ledger.ledger",
    "load": "selfexec.runs",
    "rasch": "selfexec.abilities",
    "report": "selfexec.reporting",
    "run": "selfexec.runner",
    "score": "selfexec.scores",
    "trend": "selfexec.scores.compare.trends",
}


__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'selfexec' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return ["__version__", *_HOMES]
