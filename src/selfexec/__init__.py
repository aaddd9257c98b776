"""selfexec: can a language model predict what it will do?

import selfexec as sx

run = sx.run(["sim/typical"])         # or sx.load("runs/mine")
run.replies, run.readings, run.observations, run.sessions
sx.score(run)
sx.rasch("rates.csv")                 # abilities from success rates on benchmarks
sx.compare(run)                       # or sx.compare(["runs/before", "runs/after"])
sx.report(run, "report.html")
sx.figures(run)["margins"]            # in a notebook: the drawing

docs/python.md is the guide; docs/reference.md and help(sx.run) say what each choice is, and what comes back.

For who reads the source, the way of one reply to its number, as `selfexec run` and then `score` take it:

cli/run.py:command                                 what was typed -> options, a plan, replies, and the first screen
runs/asking/planning.py:plan_run                   options -> Plan: models, items, conditions, templates of prompts
                                                   (`new_run`; `continuing` where the folder holds a run)
runs/asking/carrying_out.py:carry_out                   Plan -> Run: what is still due is asked, then the folder is read
runs/asking/executor.py:Executor.ask_all           the jobs that are due, each a model with an item
experiments/base.py:Experiment.sessions            an item -> the prompt of each session, `filled_in` from `PROMPTS` in
                                                   the experiment's file (some experiments have `sessions` of their own)
engines/http/client.py:HttpEngine.ask              a prompt, as a Call -> CallResult: `transport` sends the body,
                                                   `bodies` reads the answer (simulated: `engines/sim/engine.py`)
runs/journal_writer.py:JournalWriter.keep          Reply -> a line of replies.jsonl. All that follows is worked out from
                                                   these lines, each time anew
cli/score.py:command                               a folder -> the same screen; here `score` begins
analysis/score.py:scores_of                        Run -> Scores, by the steps down to the findings
runs/readings.py:read_reply                        Reply -> Reading, by `read` of the experiment; the readers are in
                                                   `readers`, as `read_marks` in `marks_and_words`
claims/tables.py:observe                           Readings -> Tables, by `observe` of the experiment: prediction and
                                                   outcome of each claim
claims/arrays.py:claims_of                         Tables -> Claims, as arrays
metrics/score.py:score_experiment                  Claims of a model and of others -> Score rows: skill,
                                                   baselines, margins
metrics/baseline_margin.py:compare_with_baseline   `baseline_margin`: skill less that of the stacked baseline, both on
                                                   the claims that three others share, so that the skill here may differ
                                                   from the row `skill`. Printed with --full, as "margin"
metrics/margin_at_own_rate.py:margin_at_own_rate   the same where the baseline says yes as often as the model does. This
                                                   one decides, of claims of yes and no. Printed on the first screen,
                                                   and with --full as "at equal rates"
analysis/findings.py:which_ones                    the rows of that margin -> Finding: ahead, behind, too close to call,
                                                   no room to differ, or withheld. It is by Holm's adjustment for all
                                                   models shown, not by each one's 95% interval
analysis/screen.py:Screen                          Findings -> what `run` and `score` print (`score_table`: with --full)

A margin needs three other models that were asked the same items, and to call a model ahead takes six models in all:
those of the run, or of the reference panel that ships, which has the paper's items and not those of the starter set
(analysis/selection.py:Selection.matched_panel). Where no margin has a verdict the screen shows skill in its place.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from selfexec.version import __version__ as __version__

if TYPE_CHECKING:
    from selfexec.analysis.compare import Comparison as Comparison
    from selfexec.analysis.compare import Trend as Trend
    from selfexec.analysis.compare import compare as compare
    from selfexec.analysis.compare import trend as trend
    from selfexec.analysis.correlate import Correlations as Correlations
    from selfexec.analysis.correlate import correlations as correlations
    from selfexec.analysis.cross import CrossPrediction as CrossPrediction
    from selfexec.analysis.cross import PredictionsAbout as PredictionsAbout
    from selfexec.analysis.cross import cross_prediction as cross_prediction
    from selfexec.analysis.cross import predictions_about as predictions_about
    from selfexec.analysis.judges import Judges as Judges
    from selfexec.analysis.judges import judges as judges
    from selfexec.analysis.ladder import Ladder as Ladder
    from selfexec.analysis.ladder import ladder as ladder
    from selfexec.analysis.score import Score as Score
    from selfexec.analysis.score import Scores as Scores
    from selfexec.analysis.score import score as score
    from selfexec.analysis.selection import Selection as Selection
    from selfexec.errors import InputError as InputError
    from selfexec.experiments import Key as Key
    from selfexec.extensions.batch.exporting import Exported as Exported
    from selfexec.extensions.batch.exporting import export_batch as export_batch
    from selfexec.extensions.batch.importing import import_batch as import_batch
    from selfexec.extensions.card.document import Card as Card
    from selfexec.extensions.card.document import card as card
    from selfexec.extensions.finetuning.writing import TrainingFiles as TrainingFiles
    from selfexec.extensions.finetuning.writing import export_sft as export_sft
    from selfexec.extensions.injecting.scores import InjectionScores as InjectionScores
    from selfexec.extensions.injecting.scores import injection_scores as injection_scores
    from selfexec.extensions.inspect.importing import import_task_logs as import_task_logs
    from selfexec.extensions.judging.asking import judge as judge
    from selfexec.extensions.logs.importing import import_logs as import_logs
    from selfexec.extensions.published.conventions import ledger as ledger
    from selfexec.extensions.published.entries import Ledger as Ledger
    from selfexec.extensions.rasch.abilities import Rasch as Rasch
    from selfexec.extensions.rasch.abilities import rasch as rasch
    from selfexec.extensions.shards.joining import merge as merge
    from selfexec.extensions.simulating.free_text import FreeTextMatches as FreeTextMatches
    from selfexec.extensions.simulating.scores import PropertyScores as PropertyScores
    from selfexec.extensions.simulating.scores import property_scores as property_scores
    from selfexec.extensions.study.planning import Study as Study
    from selfexec.extensions.study.planning import load_study as load_study
    from selfexec.extensions.tool.scores import ToolScores as ToolScores
    from selfexec.extensions.tool.scores import tool_scores as tool_scores
    from selfexec.report.figure_list import Figures as Figures
    from selfexec.report.figure_list import figures as figures
    from selfexec.report.writing import report as report
    from selfexec.runs import Run as Run
    from selfexec.runs import load as load
    from selfexec.runs.asking import run as run
    from selfexec.runs.asking.checks import Check as Check
    from selfexec.runs.asking.checks import check as check
    from selfexec.runs.importing import import_replies as import_replies

# names are imported when they are first used, so that the command line starts at once
_HOMES = {
    "Check": "selfexec.runs.asking.checks",
    "Comparison": "selfexec.analysis.compare",
    "Correlations": "selfexec.analysis.correlate",
    "CrossPrediction": "selfexec.analysis.cross",
    "Figures": "selfexec.report.figure_list",
    "InputError": "selfexec.errors",
    "Judges": "selfexec.analysis.judges",
    "Key": "selfexec.experiments",
    "Ladder": "selfexec.analysis.ladder",
    "PredictionsAbout": "selfexec.analysis.cross",
    "Run": "selfexec.runs",
    "Score": "selfexec.analysis.score",
    "Scores": "selfexec.analysis.score",
    "Selection": "selfexec.analysis.selection",
    "Trend": "selfexec.analysis.compare",
    "check": "selfexec.runs.asking.checks",
    "compare": "selfexec.analysis.compare",
    "correlations": "selfexec.analysis.correlate",
    "cross_prediction": "selfexec.analysis.cross",
    "figures": "selfexec.report.figure_list",
    "import_replies": "selfexec.runs.importing",
    "judges": "selfexec.analysis.judges",
    "ladder": "selfexec.analysis.ladder",
    "load": "selfexec.runs",
    "predictions_about": "selfexec.analysis.cross",
    "report": "selfexec.report.writing",
    "run": "selfexec.runs.asking",
    "score": "selfexec.analysis.score",
    "trend": "selfexec.analysis.compare",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module
    from importlib.util import find_spec

    # a module is no name of an extension: to look for it in theirs would import them while ours are being imported
    is_module = name not in _HOMES and find_spec(f"{__name__}.{name}") is not None
    homes = _HOMES if name in _HOMES or is_module else _all_homes()
    if name == "__all__":
        return ["__version__", *homes]
    if name not in homes:
        raise AttributeError(f"module 'selfexec' has no attribute {name!r}")
    return getattr(import_module(homes[name]), name)


def _all_homes() -> dict[str, str]:
    """By name the module of everything here, and of what extensions add."""
    from selfexec.extension import registered

    return dict(sorted({**_HOMES, **registered("public")}.items()))


class _Package(ModuleType):
    """This package. A package in it is called like a function of its own, `report`, and the import of that package
    would put it in the function's place.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name != "report" or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return ["__version__", *_all_homes()]
