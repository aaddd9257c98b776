"""selfexec: does a language model know what it will do?

import selfexec as sx

run = sx.run(["sim/typical"])         # or sx.load("runs/mine")
run.replies, run.readings, run.observations, run.sessions
sx.score(run)
sx.compare(run)                       # or sx.compare(["runs/before", "runs/after"])
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from selfexec.checks import Check, check
    from selfexec.errors import InputError
    from selfexec.runner import run
    from selfexec.runs import Run, import_replies, load
    from selfexec.scores import Score, Scores, score
    from selfexec.scores.compared import Comparison
    from selfexec.scores.comparisons import compare
    from selfexec.scores.trends import Trend, trend

# Names are imported when they are first used, so that the command line starts at once.
_HOMES = {
    "Check": "selfexec.checks",
    "Comparison": "selfexec.scores.compared",
    "InputError": "selfexec.errors",
    "Run": "selfexec.runs",
    "Score": "selfexec.scores",
    "Scores": "selfexec.scores",
    "Trend": "selfexec.scores.trends",
    "check": "selfexec.checks",
    "compare": "selfexec.scores.comparisons",
    "import_replies": "selfexec.runs",
    "load": "selfexec.runs",
    "run": "selfexec.runner",
    "score": "selfexec.scores",
    "trend": "selfexec.scores.trends",
}

__all__ = [
    "Check",
    "Comparison",
    "InputError",
    "Run",
    "Score",
    "Scores",
    "Trend",
    "__version__",
    "check",
    "compare",
    "import_replies",
    "load",
    "run",
    "score",
    "trend",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'selfexec' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
