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

For who reads the source: the way of one reply to its number, in the order of the work, each step with what goes in and
what comes out. It is that of association, asked over HTTP. `selfexec run` takes all of it, `selfexec score` the part
below "From lines to numbers".

From what was typed to lines

cli/run.py:command                                what was typed -> RunOptions -> Plan -> Run -> the first screen
runs/asking/planning.py:plan_run                  RunOptions -> Plan: models, items, conditions (ways of asking; mostly
                                                  one, the default), templates of prompts. By the next step, unless
                                                  --out is the folder of a run (then `continuing.plan_in_folder`)
runs/asking/new_run.py:plan_new_run               the same
engines/registry.py:engine_of                     models -> Engine: the one over HTTP where an address was given, else
                                                  from a table by the beginning of a model's name, else HTTP. The
                                                  command comes to it by `keys_lacking`, to refuse models that cannot
                                                  be asked; `carry_out` makes an engine of its own
runs/asking/carrying_out.py:carry_out             Plan -> Run: the folder is begun, what remains is asked (`ask_due`
                                                  makes an `Executor` for it), and all is read back
runs/asking/growing.py:begin                      Plan -> the folder with its manifest, items, prompts and no replies
runs/asking/remaining.py:remaining_of             Plan and stored replies -> Remaining: what is still to be asked
runs/asking/executor.py:Executor.ask_all          Remaining -> its jobs, each a model with an item, asked concurrently
runs/asking/executor.py:Executor._ask_job         a job -> replies. It hands its inner `ask` to the next step, which
                                                  calls it back for each session: a stored reply, or steps `Plan.call`
                                                  to `append`
runs/asking/plan.py:Plan.play                     a job -> `sessions` of its experiment, once in each condition
experiments/base.py:Experiment.sessions           an item -> the prompts of `predict` and `execute`: the templates with
                                                  the fields that `filled_in` gives; both are asked concurrently (some
                                                  experiments have their own)
runs/asking/plan.py:Plan.call                     a session and its messages -> Call, with the settings that are sent
runs/asking/executor.py:reply_to                  Call -> CallResult, by the engine's `ask` -> Reply
engines/http/client.py:HttpEngine.ask             Call -> CallResult: the body is made by a wire format, sent by
                                                  `transport`, and sent again after failures that pass (simulated:
                                                  `engines/sim/engine.py`)
engines/http/bodies.py:decoded                    the body of an answer -> CallResult: its text, or an error, and how
                                                  it ended
engines/http/wires/usual_chat.py:usual_result     the same, for nearly all answers of chat completions; None for the
                                                  others
runs/reply.py:Reply.of                            CallResult -> Reply, field by field. What a reply counts as is no
                                                  field: its properties `withheld_by`, `failed`, `ended_unknown` and
                                                  `takes_back` say so
runs/asking/reply_gate.py:ReplyGate.keep          Reply -> the same, and nothing is changed but an unknown end that
                                                  the user accepts. It is handed on to be written, at once or, where a
                                                  filter seems to answer in place of the model, once that is settled
runs/journal_writer.py:JournalWriter.keep         Reply -> nothing: it is written. What shows later that it may answer
                                                  another prompt makes it void, by a line of its own
runs/journal.py:Journal.append                    Reply -> a line of replies.jsonl, its property `line`

From lines to numbers, worked out anew each time

cli/score.py:command                              what was typed -> ScoreOptions -> Scores -> the first screen
analysis/score.py:scores_of                       runs -> Scores: rows of numbers; there are no findings yet
runs/run.py:read_without_shards                   a folder -> Run: of a session the last line counts (`read_journal`).
                                                  `run` ends with it as well
analysis/selection.py:Selection.tables            runs -> Tables, when first used. It uses the next step, by way of the
                                                  properties `tables` and `readings` of each Run
runs/readings.py:read_reply                       Reply -> Reading. By its properties one that failed is missing, and
                                                  one that a filter or the API's own refusal took the place of is
                                                  withheld; else it is what the next step reads. Then the experiment
                                                  says whether the reply did the task instead (`performed`) and, of one
                                                  that was cut off, whether it counts (`counts_when_cut`), and whether
                                                  it leaves a part open (`leaves_open`; it is read all the same)
runs/readings.py:_read_as_asked                   the text -> Reading: what the next step reads, of a longer reply up to
                                                  a further prompt that it writes itself
experiments/association.py:Association.read       the text -> Reading, by one of the next two steps
readers/marks_and_words.py:read_marks             a prediction -> which options it marks true, which false. A reply
                                                  that is anything but one plain object with every option goes to
                                                  `weigh_marks` of `weighed_marks` (by way of `late_imports`)
readers/marks_and_words.py:read_words             a behaviour -> the words that it lists
claims/tables.py:observe                          Readings -> Tables: a row for each claim, and one for each session
experiments/association.py:Association.observe    the Readings of an item -> an Observation of each option, which is
                                                  one claim: was it predicted, was it listed, and are both known
claims/arrays.py:claims_of                        the rows of claims -> Claims: all of an experiment, as arrays
metrics/baselines/votes.py:VoteTables.others      Claims of the model, and names of others -> Others: the reference
                                                  models, those that behave differently from item to item
metrics/score.py:score_experiment                 Claims of a model, and Others -> ModelScores: the steps below, as
                                                  rows
metrics/kinds/binary.py:count                     Claims -> Record: counts by item. What is called `kind` is this
                                                  module, of claims of yes and no
metrics/baseline_margin.py:compare_with_baseline  Claims and Others -> `baseline_margin`: skill less that of the
                                                  baseline, both on the claims that three others share, so that the
                                                  skill here may differ from the row `skill`. The baseline is the
                                                  stacked one; where that has no skill on this model, a constant answer
metrics/baselines/stacked.py:stacked              Others -> the baseline: a regression that has never seen the model
metrics/reference_doubt.py:reference_doubt        the baseline -> what other reference models would have changed, for
                                                  intervals
metrics/margin_at_own_rate.py:margin_at_own_rate  the same claims -> `margin_at_own_rate`: the margin where the
                                                  baseline says yes as often as the model does, with its own interval
                                                  (`_margin`). Of yes-or-no claims this one decides
metrics/kinds/paired_differences.py:skill_difference
                                                  two Records of the same claims -> `baseline_margin` with its interval:
                                                  delta method over items, Student's t (`stats/intervals.py`), and where
                                                  few items tell the two apart with two made-up items. (The step above
                                                  has made-up claims of its own in that case)
analysis/screen.py:Screen._content                Scores -> what is printed. Only now, by the next step, there are
                                                  findings
analysis/findings.py:which_ones                   rows of `margin_at_own_rate`, or of `baseline_margin` where no
                                                  model has one -> Finding, whose `state` says its `answer` in words:
                                                  ahead, behind, too close to call, no room to differ, or withheld; by
                                                  Holm's adjustment over the models shown whose margin is neither
                                                  withheld nor without room, not by each one's 95% interval

Names: what is printed as "which ones", "which words" and, with --full, "at equal rates" is `margin_at_own_rate`; so is
what sentences of the first screen call the margin, where no column is headed so. The column "margin" of --full is
`baseline_margin`; `best_baseline` is the skill of the baseline of the latter. Of claims of yes and no skill is Youden's
J (`youden_j`). "Own excess" is another question, asked of all models together: whether predictions go with the model's
own behaviour more than with the others'.

A margin needs three other models that were asked the same items, and to call a model ahead takes six models in all:
those of the run, or of the reference panel that ships, which has the paper's items and not those of the starter set,
which is asked where no items are named (`Selection.matched_panel`). A margin of too few items, or with too many claims
that could not be read, gets a `caution` (`metrics/score.py:score_experiment`): its row keeps the value, and its finding
is withheld. Where no margin has a verdict the screen shows skill in its place. On a single item neither is defined, nor
is how often a yes is predicted (metrics/score.py:degenerate): the screen has "–" for each.
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
