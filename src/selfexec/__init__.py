"""selfexec: does a language model know what it will do?

import selfexec as sx

run = sx.run(["sim/typical"])         # or sx.load("runs/mine")
run.replies, run.readings, run.observations, run.sessions
sx.score(run)
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from selfexec.checks import Check, check
    from selfexec.errors import InputError
    from selfexec.runner import run
    from selfexec.runs import Run, import_replies, load
    from selfexec.scores import Score, Scores, score
    from selfexec.scores.correlating import correlations
    from selfexec.scores.ledger import ledger

# Names are imported when they are first used, so that the command line starts at once.
_HOMES = {
    "Check": "selfexec.checks",
    "InputError": "selfexec.errors",
    "Run": "selfexec.runs",
    "Score": "selfexec.scores",
    "Scores": "selfexec.scores",
    "check": "selfexec.checks",
    "correlations": "selfexec.scores.correlating",
    "import_replies": "selfexec.runs",
    "ledger": "selfexec.scores.ledger",
    "load": "selfexec.runs",
    "run": "selfexec.runner",
    "score": "selfexec.scores",
}

__all__ = [
    "Check",
    "InputError",
    "Run",
    "Score",
    "Scores",
    "__version__",
    "check",
    "correlations",
    "import_replies",
    "ledger",
    "load",
    "run",
    "score",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'selfexec' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
