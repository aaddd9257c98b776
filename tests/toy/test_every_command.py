"""Three experiments of a package that is not ours, one of each kind, through every command and the Python API.

They are announced by entry points alone (tests/toy/package), and models answer them by rule (respondents.py), so that
their scores are known by hand.
"""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from browser import Browser
from build import changed, unfolded, write
from extension_parts import needs
from respondents import MODELS, items, lines, respondents, written_items
from selfexec.cli import root
from selfexec.cli.completion import models_to_ask
from selfexec.experiments import EXPERIMENTS, OURS
from selfexec.extension import registered
from selfexec.runs import Run
from sockets import served

pytestmark = pytest.mark.usefixtures("toys")

TOYS = ("brevity", "habit", "lengths")
KINDS = {"brevity": "binary", "habit": "share", "lengths": "order"}
THIRD = 1 / 3
# (model, experiment) -> accuracy and skill under strict, and under readable, from what respondents.py says of them
BY_HAND = {
    # J: 27/30 + 27/30 - 1; one outcome only; 19/20 + 38/40 - 1, or 1; 20/20 + 36/40 - 1
    ("vllm/a", "brevity"): ((0.9, 0.8), (0.9, 0.8)),
    ("vllm/b", "brevity"): ((THIRD, 0), (THIRD, 0)),
    ("vllm/c", "brevity"): ((57 / 60, 0.9), (1, 1)),
    ("vllm/d", "brevity"): ((56 / 60, 0.9), (56 / 60, 0.9)),
    # tau: 18 of 24 trios rightly, 6 the other way round; all; two pairs of three, in 22 of 24; all
    ("vllm/a", "lengths"): ((0.75, 0.5), (0.75, 0.5)),
    ("vllm/b", "lengths"): ((1, 1), (1, 1)),
    ("vllm/c", "lengths"): ((44 / 72, 88 / 72 - 1), (2 / 3, THIRD)),
    ("vllm/d", "lengths"): ((1, 1), (1, 1)),
    # lift: 54/72 less 24/72; 1 less 0; 48/66 less 0, of which 6 tries are of no known outcome; 36/72 less 1
    ("vllm/a", "habit"): ((0.75, 0.75 - THIRD), (0.75, 0.75 - THIRD)),
    ("vllm/b", "habit"): ((1, 1), (1, 1)),
    ("vllm/c", "habit"): ((48 / 72, 48 / 66), (48 / 66, 48 / 66)),
    ("vllm/d", "habit"): ((0.5, -0.5), (0.5, -0.5)),
}


@pytest.fixture(scope="module")
def asked(toys: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The four models, asked over HTTP."""
    folder = tmp_path_factory.mktemp("toys")
    source = written_items(folder / "questions")
    write(folder / "theirs.jsonl", list(lines()))
    with served(respondents()) as url:
        return sx.run(MODELS, items=source, base_url=url, out=folder / "asked")


@pytest.fixture(autouse=True)
def _there(asked: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(asked.folder.parent)


def said(*arguments: str, status: int = 0) -> str:
    """What a command prints, of this exit status."""
    found = CliRunner().invoke(root, arguments)
    wrong = found.exception
    if status == 2:
        assert isinstance(wrong, (sx.InputError, SystemExit)), found.output
        return found.output + str(wrong)
    assert found.exit_code == status, (found.output, wrong)
    return found.output


# --- found, and named ------------------------------------------------------------------------------------------------


def test_they_are_found_behind_ours_by_their_entry_points_alone() -> None:
    assert tuple(EXPERIMENTS) == (*(ours.name for ours in OURS), *registered("experiments"), *TOYS)
    assert {name: EXPERIMENTS[name].claim_kind for name in TOYS} == KINDS


@pytest.mark.slow
def test_another_process_finds_them_too(toys: Path) -> None:
    code = "from selfexec.experiments import EXPERIMENTS; print(*EXPERIMENTS)"
    places = os.pathsep.join([*sys.path, str(toys)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-3:] == list(TOYS)


def test_they_use_nothing_but_what_is_offered_to_everybody(toys: Path) -> None:
    for path in (toys / "toy").glob("*.py"):
        imported = set(re.findall(r"(?m)^(?:from|import) (selfexec\S*)", path.read_text("utf-8")))
        assert imported <= {
            "selfexec.engines",
            "selfexec.errors",
            "selfexec.experiments",
            "selfexec.facets",
            "selfexec.readers",
        }


# --- asking ----------------------------------------------------------------------------------------------------------


def test_run_keeps_every_reply_and_says_what_they_are(asked: Run) -> None:
    # 60 x 2, 24 x 4 (a ranking and three notes), 24 x 4 and 24 x 3 (the control predicts nothing), for each model
    assert len(asked.replies) == 4 * (120 + 96 + 96 + 72) == 1536
    again = said(
        "run",
        *(f"--model={m}" for m in MODELS),
        "--items",
        "questions",
        "--out",
        "asked",
        "--base-url",
        "http://127.0.0.1:9/v1",
    )
    assert "1,536 of 1,536 sessions are here; nothing remains to be asked." in again
    for name in TOYS:
        assert f"{name}: {EXPERIMENTS[name].words.their}" in again


def test_dry_run_says_what_would_be_asked() -> None:
    found = said("run", "--model", "vllm/e", "--items", "questions", "--base-url", "http://127.0.0.1:9/v1", "--dry-run")
    assert "60 brevity, 48 habit, 24 lengths" in found and "at most 384 sessions" in found
    assert "ten recorded models" not in found  # nobody recorded these


def test_check_tries_each_kind_of_session() -> None:
    with served(respondents()) as url:
        found = said("check", "vllm/b", "--items", "questions", "--base-url", url)
    for name in TOYS:
        assert re.search(rf"{name}\W+predict", found), found


def test_import_and_run_come_to_the_same_scores(asked: Run) -> None:
    assert "1,536 replies, 0 sessions missing, 4 models" in said(
        "import", "theirs.jsonl", "--items", "questions", "--out", "imported"
    )
    ours, theirs = sx.score(asked), sx.score("imported")
    for model, experiment in BY_HAND:
        for metric in ("accuracy", "skill"):
            assert ours.value(model, experiment, metric) == pytest.approx(theirs.value(model, experiment, metric))


def test_export_writes_the_sessions_to_ask() -> None:
    said("export", "--items", "questions", "--model", "vllm/e", "--out", "to-ask.jsonl")
    sessions = [json.loads(line) for line in Path("to-ask.jsonl").read_text().splitlines()]
    assert len(sessions) == 384


# --- scores ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "convention"), [(0, "strict"), (1, "readable")])
def test_scores_are_those_worked_out_by_hand(asked: Run, n: int, convention: str) -> None:
    scores = sx.score(asked, convention)
    for (model, experiment), values in BY_HAND.items():
        found = [scores.value(model, experiment, metric) for metric in ("accuracy", "skill")]
        assert found == pytest.approx(values[n]), (model, experiment)
    names = {"brevity": "youden_j", "habit": "lift", "lengths": "tau"}
    for row in scores:
        if row.metric == names.get(row.experiment):
            assert row.value == scores.value(row.model, row.experiment, "skill")
    assert "overall" not in scores.experiments


def test_an_interval_holds_its_value_and_has_a_width(asked: Run) -> None:
    for row in sx.score(asked):
        if row.metric in ("accuracy", "skill"):
            assert row.low is not None and row.high is not None and row.low <= row.value <= row.high
            assert row.high - row.low > 0.05


def test_baselines_of_an_experiment_that_is_not_ours_are_scored_by_their_names(asked: Run) -> None:
    scores = sx.score(asked)
    # a short question is one with a number up to 20, and so brief with d
    assert scores.value("vllm/d", "brevity", "short_question") == 1
    assert scores.baseline_groups["short_question"] == "knows the question"
    # the stacked baseline has learnt from the others what that tells of them
    best = scores.row("vllm/d", "brevity", "best_baseline")
    assert best.baseline == "stacked" and 0 < (best.value or 0) < 1
    assert scores.value("vllm/d", "brevity", "baseline_margin") == pytest.approx(0.9 - (best.value or 0))


def test_metrics_of_questions_belong_to_experiments_that_ask_some(asked: Run) -> None:
    metrics = {row.metric for row in sx.score(asked) if row.experiment == "lengths"}
    assert not metrics & {
        "question_accuracy",
        "tokens_mean",
        "accuracy_by_tokens",
        "accuracy_by_correctness",
        "subject",
    }


@needs("published")
def test_the_authors_have_no_number_of_them_and_the_table_says_so(asked: Run) -> None:
    found = said("score", "asked", "--convention", "authors")
    assert "vllm/a, habit: the paper's authors counted no such experiment" in found
    assert all(row.value is None for row in sx.score(asked, "authors"))


@pytest.mark.slow
def test_what_skill_is_is_said_of_the_kinds_that_there_are() -> None:
    kinds = "Youden's J (for lengths, Kendall's tau; for habit, the lift over the control"
    printed = {command: said(*command.split(), "asked") for command in ("compare", "analyze trend", "card")}
    printed["score"] = said("score", "asked", "--full")
    assert f"skill: {kinds}). 0 is chance" in printed["score"]
    assert f"skill: {kinds}). 0 is chance" in printed["compare"]
    assert "skill: Kendall's tau. 0 is chance" in said("compare", "asked", "--experiment", "lengths")
    assert "difficulty" not in "".join(printed.values())


@pytest.mark.slow
def test_bootstrap_intervals_are_near_the_formulas(asked: Run) -> None:
    formula, drawn = sx.score(asked), sx.score(asked, bootstrap=2000)
    for experiment in TOYS:
        one, two = (scores.row("vllm/a", experiment, "skill") for scores in (formula, drawn))
        assert None not in (one.low, one.high, two.low, two.high)
        # the control of `habit` is alike on every item: draws do not doubt it, its formula does; of 24 `lengths` six
        # are wrong, so that it has Wilson's interval, which leans to the middle
        assert one.low - 0.05 < two.low < one.low + 0.12 and one.high - 0.12 < two.high < one.high + 0.08
    assert "percentiles of 500 bootstrap draws" in said("score", "asked", "--full", "--bootstrap", "500")


def test_one_model_alone_is_answered_for_each_of_them() -> None:
    found = said("score", "asked", "--model", "vllm/a")
    assert "brevity: vllm/a predicts better than chance which questions it answers briefly (skill .80" in found
    assert "habit: What it will pick: too close to call between it and the baseline" in found


# --- readings --------------------------------------------------------------------------------------------------------


def test_read_counts_and_filters_their_sessions() -> None:
    assert "1,536 sessions" in said("read", "asked")
    unread = said("read", "asked", "--state", "unreadable")
    # three predictions, six picks, two rankings
    assert "11 sessions" in unread and re.search(r"habit\s+execute\s+6", unread)
    wrong = said(
        "read", "asked", "--claim", "wrong", "--show", "--experiment", "habit", "--model", "vllm/c", "--limit", "4"
    )
    assert '"try 3": predicted yes, observed no' in wrong
    assert "60 sessions" in said(
        "read", "asked", "--experiment", "brevity", "--session", "execute", "--model", "vllm/a"
    )


def test_readings_from_elsewhere_replace_ours() -> None:
    rows = [
        {
            "model": "vllm/c",
            "experiment": "brevity",
            "item": f"q{n}",
            "session": "predict",
            "value": "A" if n == 60 else "B",
        }
        for n in (58, 59, 60)
    ]
    write(Path("given.jsonl"), rows)
    scores = sx.score("asked", readings="given.jsonl")
    assert scores.value("vllm/c", "brevity", "skill") == 1


# --- comparisons -----------------------------------------------------------------------------------------------------


def test_compare_and_its_gates_know_them() -> None:
    two = ("--model", "vllm/a,vllm/b")  # the second is new
    found = said("compare", "asked", *two, "--fail-if", "habit.skill drops 0.1", "--fail-if", "lengths.skill rises 0.9")
    assert "PASS (fail if habit.skill drops 0.1): new - old is +.583" in found
    assert "PASS (fail if lengths.skill rises 0.9)" in found
    failed = said("compare", "asked", "--model", "vllm/b,vllm/d", "--fail-if", "habit.skill drops 0.1", status=3)
    assert "FAIL (fail if habit.skill drops 0.1): new - old is -1.500" in failed
    told = said("compare", "asked", *two, "--fail-if", "habbit.skill drops 0.1", status=2)
    assert "unknown experiment 'habbit'. Did you mean 'habit'?" in told
    for metric in ("accuracy", "baseline_margin", "coverage"):
        assert "habit" in said("compare", "asked", "--metric", metric, "--precision", "0.1")


def test_trend_follows_them() -> None:
    found = said("analyze", "trend", "asked", "--metric", "skill")
    for name, change in (("brevity", "-.800"), ("habit", "+.583"), ("lengths", "+.500")):
        assert re.search(rf"{name}\n.*vllm/a.*\n.*vllm/b.*{re.escape(change)}", found), found


def test_cross_holds_yes_and_no_and_orders_against_others_and_says_why_no_shares() -> None:
    found = said("analyze", "cross", "asked")
    assert "Who predicts whom: brevity" in found and "Who predicts whom: lengths" in found
    assert "Who predicts whom: habit" not in found
    assert "habit: what is predicted is each model's own" in found
    assert "habit: what is predicted is each model's own" in said(
        "analyze", "cross", "asked", "--experiment", "habit", status=2
    )
    matrix = sx.cross_prediction("asked").parts["brevity", "self_bonus"].matrix
    # on the 57 questions that all read: c says what c does, always
    assert matrix[2, 2] == 1


@pytest.mark.slow
def test_correlate_has_a_column_for_each() -> None:
    found = said("analyze", "correlate", "asked")
    for one, two in (("brevity", "habit"), ("brevity", "lengths"), ("habit", "lengths")):
        assert sx.correlations("asked").pair(f"{one} skill", f"{two} skill").pearson.n == 4
    assert "overall" not in found and "eligible" not in found


@needs("published")
def test_the_ledger_is_of_the_papers_experiments_and_says_so() -> None:
    assert "None of them was asked here" in said("analyze", "ledger", "asked")
    assert list(sx.ledger("asked")) == []


# --- pages -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(asked: Run) -> Path:
    return sx.report(asked, asked.folder.parent / "page.html", evidence="all")


def plain(html: str) -> str:
    """What a page says, in one line."""
    html = re.sub(r"<(style|script|svg).*?</\1>", " ", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).replace("&#39;", "'")


def test_the_report_names_them_and_what_became_of_their_claims(page: Path) -> None:
    text = plain(unfolded(page.read_text("utf-8")))
    for name in TOYS:
        assert name.capitalize() in text
    assert "Youden's J (for lengths, Kendall's tau; for habit, the lift over the control" in text
    assert "when it says that it would answer briefly, it does in 90% of 30 cases" in text
    assert "it does in 75% of 72 cases; in the control the named option is picked in 33% of 72" in text
    assert "Predicted, came true" in text and "Ranking of subjects by how much it writes on them" in text
    for word in (
        "difficulty",
        "Difficulty",
        "answered wrongly",
        "by tokens",
        "restriction",
        "association",
        "three experiments",
    ):
        assert word not in text.replace("the paper's", "")


def test_surprises_speak_of_predictions_and_not_of_the_control(page: Path) -> None:
    text = plain(page.read_text("utf-8"))
    assert re.search(
        r"subject 19z → S1 shorter than S3: predicted no, but it was yes, as for 2 of 3 other models", text
    ) or re.search(r"→ S\d shorter than S\d: predicted (yes|no), but it was (yes|no), as for", text)
    assert re.search(r"red 1\d\d, green 1\d\d, blue 1\d\d → try", text) is None


def waited(browser: Browser, what: str) -> bool:
    """Whether it comes true within ten seconds."""
    return bool(
        browser.js(
            "new Promise(done => { let n = 0; const look = () => "
            f"({what}) ? done(true) : ++n > 200 ? done(false) : setTimeout(look, 50); look(); }})"
        )
    )


@pytest.mark.slow
def test_the_report_opens_in_a_browser_and_shows_their_sessions(browser: Browser, page: Path) -> None:
    browser.open(page, 1200, 900, False)
    text = "document.querySelector('#drill-items').textContent + document.querySelector('#drill-item').textContent"
    for name, word in (("brevity", "Question"), ("habit", "Options"), ("lengths", "Subjects")):
        button = f"document.querySelector('button.ev[data-e=\"{name}\"][data-c=all]')"
        browser.js("document.querySelectorAll('details').forEach(part => { part.open = true })")
        assert waited(browser, f"{button} !== null")  # what is folded is unpacked when it is opened
        browser.js(f"{button}.click()")
        assert waited(browser, f"({text}).includes('{word}: ')"), (browser.js(text), browser.log)
        assert "execute" in browser.js(text)
        browser.js("document.querySelector('#drill .close').click()")
        assert waited(browser, "!document.querySelector('#drill').open && !location.hash.startsWith('#items')")
    assert not browser.log


@needs("card")
def test_the_card_tells_of_them() -> None:
    card = said("card", "asked")
    for name in TOYS:
        assert f"- **{name}**: {EXPERIMENTS[name].words.measured}" in card
        assert EXPERIMENTS[name].words.task in card


def test_list_counts_their_items() -> None:
    [run] = [run for run in json.loads(said("list", ".", "--format", "json"))["runs"] if run["run"] == "asked"]
    assert run["items"] == {"brevity": 60, "habit": 48, "lengths": 24} and run["missing"] == 0


# --- items and prompts -----------------------------------------------------------------------------------------------


def test_items_new_writes_examples_of_whatever_is_installed() -> None:
    said("items", "new", "mine")
    folder = Path("mine")
    assert {path.name for path in folder.iterdir()} == {
        "README.md",
        *(f"{e.name}.jsonl" for e in EXPERIMENTS.values() if e.examples),
    }
    readme = (folder / "README.md").read_text("utf-8")
    assert "| `brevity.jsonl` | a question, and its topic | 60 questions or more" in readme
    assert all(f"`{name}.jsonl`" in readme for name, one in EXPERIMENTS.items() if not one.recorded)
    assert "0 errors" in said("items", "check", "mine")


def test_items_check_names_faults_of_their_items() -> None:
    Path("faulty").mkdir(exist_ok=True)
    first = {**items()["brevity"][0], "question": "No question"}
    write(Path("faulty/brevity.jsonl"), [first, {"id": "x", "question": "Why?"}])
    write(Path("faulty/habit.jsonl"), [{"id": "x", "options": ["a"]}])
    found = said("items", "check", "faulty", status=2)
    assert "brevity.jsonl:1: warning: the question does not end in a question mark" in found
    assert "brevity.jsonl:2: error: the line lacks 'topic'" in found
    assert "habit.jsonl:1: warning: there is nothing to choose from" in found


def test_errors_and_help_name_them_beside_ours() -> None:
    assert ", ".join(EXPERIMENTS) in said("run", "--experiment", "denial", status=2)
    Path("empty").mkdir(exist_ok=True)
    assert "brevity.jsonl" in said("items", "check", "empty", status=2)
    assert "brevity.jsonl" in said("run", "--items", "empty", status=2)
    assert re.search(r"60\s+brevity", said("run", "--help"))


def test_prompts_prints_and_checks_theirs() -> None:
    shipped = json.loads(said("prompts"))
    assert shipped["brevity.execute"] == "$question" and "habit.predict" in shipped
    Path("changed.json").write_text(json.dumps({"brevity.execute": "Be brief. $question"}))
    assert "1 prompt; 1 differs from the built-in ones (brevity.execute)" in said("prompts", "--check", "changed.json")
    theirs = {name for name in shipped if name.split(".")[0] in TOYS}
    assert {"brevity.predict.A", "brevity.predict.B"} < theirs  # sentences of options, which a run keeps in its prompts
    asked = {name for name in theirs if name.count(".") == 1}
    assert set(json.loads(said("prompts", "asked"))) == asked


def test_the_shell_completes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {
        "_SELFEXEC_COMPLETE": "bash_complete",
        "COMP_WORDS": "selfexec score --experiment h",
        "COMP_CWORD": "3",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = CliRunner().invoke(root, prog_name="selfexec", env=environment)
    assert "habit" in found.output


def test_the_api_gives_their_items_claims_and_sessions(asked: Run) -> None:
    run = sx.load(asked.folder)
    claims, sessions = run.observations, run.sessions
    assert dict(claims.group_by("experiment").len().iter_rows()) == {
        "brevity": 4 * 60,
        "habit": 4 * 48 * 3,
        "lengths": 4 * 24 * 3,
    }
    assert sessions.height == 1536
    assert run.items["habit"]["c1"].named == "green 101"
    assert math.isclose(sx.score(run).value("vllm/a", "habit", "control"), THIRD)
    assert sx.compare(run, models=["vllm/a", "vllm/b"]).row("habit", "vllm/b", "vllm/a").difference == pytest.approx(
        0.75 - 1 / 6
    )


# --- its engine ------------------------------------------------------------------------------------------------------

# rote.py: always right; half of the questions are brief and it says so of all, its orders are the other way round, it
# picks what it never predicted and always what is named in the control
BY_HEART = {"rote/clever": {"brevity": (1, 1), "lengths": (1, 1), "habit": (1, 1)}}
BY_HEART["rote/dull"] = {"brevity": (0.5, 0), "lengths": (0, -1), "habit": (0, -1)}


@pytest.fixture(scope="module")
def by_heart(toys: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("rote")
    return sx.run(list(BY_HEART), items=written_items(folder / "questions"), out=folder / "by-heart")


def test_an_engine_that_is_not_ours_is_asked_by_the_name_of_its_models(by_heart: Run) -> None:
    again = said("run", "--model", "rote/clever,rote/dull", "--items", "questions", "--out", str(by_heart.folder))
    assert "768 of 768 sessions are here; nothing remains to be asked." in again
    scores = sx.score(by_heart)
    for model, experiments in BY_HEART.items():
        for experiment, (accuracy, skill) in experiments.items():
            found = [scores.value(model, experiment, metric) for metric in ("accuracy", "skill")]
            assert found == pytest.approx([accuracy, skill]), (model, experiment)


@pytest.mark.slow
def test_what_it_says_of_itself_is_said_of_its_models(by_heart: Run, asked: Run) -> None:
    assert json.loads((by_heart.folder / "manifest.json").read_bytes())["simulated"] == list(BY_HEART)
    sentence = "These models are simulated: no language model was asked, so no score here describes one."
    assert sentence in said("score", str(by_heart.folder), "--full")
    assert "2 simulated models; none is real." in said("score", str(by_heart.folder))
    page = sx.report(by_heart, by_heart.folder / "page.html").read_text("utf-8")
    assert sentence in page
    assert "Nothing about any language model: all replies are simulated." in said("card", str(by_heart.folder))
    assert "2 of these models are simulated: they do not serve as reference models for the others" in said(
        "score", "asked", str(by_heart.folder)
    )
    # no reference for each other
    assert sx.score([asked, by_heart]).value("rote/dull", "brevity", "baseline_margin") is None


def test_its_models_are_tried_and_foreseen(by_heart: Run) -> None:
    dry = said("run", "--model", "rote/clever", "--items", "questions", "--dry-run")
    assert "60 brevity, 48 habit, 24 lengths" in dry and "at most 384 sessions" in dry
    assert "ready: rote/clever can be asked" in said("check", "rote/clever", "--items", "questions")
    assert "memory between sessions could not be tried (it is ill)" in said(
        "check", "rote/ill", "--items", "questions", status=2
    )


def test_its_failures_and_refusals_are_told_as_any_others(tmp_path: Path) -> None:
    ill = said("run", "--model", "rote/ill", "--items", "questions", "--out", str(tmp_path / "ill"), status=3)
    assert "0 replies kept" in ill and "failed: " in ill and "x it is ill" in ill
    assert "nobody learnt that. There are rote/clever" in said("run", "--model", "rote/x", "--dry-run", status=2)


def test_a_shell_completes_its_models(toys: Path) -> None:
    assert {"rote/clever", "sim/coin", "openai/"} <= set(models_to_ask())


@pytest.mark.parametrize("command", [["run", "--dry-run", "--model"], ["run", "--model"], ["check"]])
def test_an_experiment_that_needs_what_an_engine_cannot_do_is_refused_before_anything_is_asked(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needing = changed(EXPERIMENTS["brevity"], needs=frozenset({"logprobs", "turns"}))
    monkeypatch.setitem(EXPERIMENTS._found, "brevity", needing)
    found = said(*command, "rote/dull", "--items", "questions", status=2)
    assert "brevity needs logprobs of the engine, and rote cannot do that for the model 'rote/dull'" in found
    assert not Path("runs").exists()
