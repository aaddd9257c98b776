"""Our experiments as tasks of Inspect, with the real package: the same sessions, the same readings, the same numbers as
`selfexec run` and `selfexec score`, without a network.
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import write
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
pytestmark = pytest.mark.slow
INSPECT = [sys.executable, "-m", "inspect_ai"]
NO_NETWORK = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "NO_PROXY": ""}


def evaluated(task: str, tmp_path: Path, model: str = "selfexec/sim", **more: Any) -> Any:
    [log] = inspect_ai.eval(f"selfexec/{task}", model=model, log_dir=str(tmp_path), display="none", **more)
    return log


def metrics(log: Any) -> dict[str, float]:
    [score] = log.results.scores
    return {name: metric.value for name, metric in score.metrics.items()}


def test_a_task_by_its_command_offline(tmp_path: Path) -> None:
    command = [*INSPECT, "eval", "selfexec/difficulty", "--model", "selfexec/sim", "--limit", "2", "--display", "plain"]
    environment = {**os.environ, **NO_NETWORK}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "accuracy_stderr" in done.stdout and "selfexec/sim " in done.stdout


@pytest.mark.parametrize("experiment", [*PAPER_HEADLINE.experiments, "failing_question"])
def test_scores_are_those_of_selfexec_score(experiment: str, tmp_path: Path) -> None:
    log = evaluated(experiment, tmp_path, "selfexec/sim/breaks-format", task_args={"limit": 40, "epochs": 2})
    assert log.status == "success" and len(log.samples) == 80
    run = sx.run("sim/breaks-format", experiments=experiment, limit=40, epochs=2, out=tmp_path / "r")
    rows = {row.metric: row for row in sx.score(run) if row.experiment == experiment}
    found = metrics(log)
    for name in ("accuracy", "skill", "coverage"):
        expected = (rows[name].value, rows[name].low, rows[name].high)
        assert (found[name], found[f"{name}_low"], found[f"{name}_high"]) == pytest.approx(expected, abs=1e-12)
    assert log.reductions == []  # no epoch was averaged away


def test_sessions_have_a_span_each_and_replies_are_in_the_store_as_in_the_journal(tmp_path: Path) -> None:
    log = evaluated("restriction", tmp_path, task_args={"limit": 3})
    run = sx.run("sim/typical", experiments="restriction", limit=3, out=tmp_path / "r")
    kept = [line for sample in log.samples for line in sample.store["selfexec:replies"]]
    told = {(r["item"], r["session"]): (r["text"], r["output_tokens"], r["prompt_sha256"]) for r in kept}
    assert told == {
        (key.item, key.session): (r.text, r.output_tokens, r.prompt_sha256) for key, r in run.replies.items()
    }
    for sample in log.samples:
        names = [line["session"] for line in sample.store["selfexec:replies"]]
        begun = [event.name for event in sample.events if event.event == "span_begin" and event.type == "session"]
        assert sorted(begun) == sorted(names)
        spans = {event.id: event.name for event in sample.events if event.event == "span_begin"}
        asked = [spans[event.span_id] for event in sample.events if event.event == "model"]
        assert sorted(asked) == sorted(names)
        outcomes = [line["text"] for line in sample.store["selfexec:replies"] if line["session"] == "execute"]
        assert [sample.output.completion] == outcomes


def test_what_could_not_be_read_has_inspects_reason(tmp_path: Path) -> None:
    log = evaluated("restriction", tmp_path, "selfexec/sim/breaks-format", task_args={"limit": 60})
    reasons = Counter(sample.scores["claims"].reason for sample in log.samples)
    assert set(reasons) == {None, "invalid_response_format"} and reasons["invalid_response_format"] > 5
    declines = evaluated("restriction", tmp_path, "selfexec/sim/declines", task_args={"limit": 60})
    assert "refusal" in {sample.scores["claims"].reason for sample in declines.samples}


def test_roles_are_asked_what_is_theirs_and_are_named(tmp_path: Path) -> None:
    roles = {"predictor": "selfexec/sim/says-yes", "judge": "selfexec/sim/coin"}
    log = evaluated("restriction", tmp_path, model_roles=roles, task_args={"limit": 4})
    for sample in log.samples:
        [who] = {line["model"] for line in sample.store["selfexec:replies"]}
        assert who == "sim/typical, predicted by sim/says-yes, judged by sim/coin"
        assert sample.scores["claims"].metadata["claims"][0]["predicted"] in (True, None)
        spans = {event.id: event.name for event in sample.events if event.event == "span_begin"}
        by = {spans[e.span_id]: e.model for e in sample.events if e.event == "model"}
        assert by["predict"] == "selfexec/sim/says-yes" and by["execute"] == "selfexec/sim"
        assert by.get("judge", "selfexec/sim/coin") == "selfexec/sim/coin"
    assert set(log.stats.role_usage) == {"predictor", "judge"}


def test_inspect_score_reads_again_from_the_store_and_asks_nobody(tmp_path: Path) -> None:
    log = evaluated("association", tmp_path, task_args={"limit": 5, "prompts": "de"})
    again = tmp_path / "again.eval"
    command = [*INSPECT, "score", log.location, "--scorer", "selfexec/claims", "--action", "overwrite"]
    environment = {**os.environ, **NO_NETWORK, "INSPECT_EVAL_MODEL": "none"}
    done = subprocess.run([*command, "--output-file", str(again)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    from inspect_ai.log import read_eval_log

    scored = read_eval_log(str(again))
    assert metrics(scored) == metrics(log)
    assert scored.stats.model_usage == log.stats.model_usage


def test_a_setting_of_inspect_reaches_every_session_and_a_protocol_its_own(tmp_path: Path) -> None:
    log = evaluated("restriction", tmp_path, temperature=0.5, top_p=0.9, task_args={"limit": 2, "protocol": "paper"})
    sent = {
        (e.config.temperature, e.config.top_p, e.config.max_retries)
        for s in log.samples
        for e in s.events
        if e.event == "model"
    }
    assert sent == {(0.0, 0.9, 0)}  # the protocol's temperature is the narrower one
    assert log.eval.metadata["selfexec"]["settings"] == {"restriction.temperature": 0.0}


def test_another_condition_is_asked_with_its_own_prompts(tmp_path: Path) -> None:
    log = evaluated("restriction", tmp_path, task_args={"limit": 2, "facets": "frame=another-model"})
    by_session = {line["session"]: line for line in log.samples[0].store["selfexec:replies"]}
    assert by_session["predict"]["facets"] == {"frame": "another-model"} and "facets" not in by_session["execute"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"items": "nowhere"}, "neither a set"),
        ({"facets": "frame"}, "write it as -T facets=FACET=LEVEL"),
        ({"facets": "thinking=off"}, "tell Inspect how to think"),
        ({"facets": "strategy=own-history:5"}, "only `selfexec run` shows results"),
        ({"protocol": "mine"}, "protocol 'mine'"),
        ({"limit": 0}, "limit 0"),
    ],
)
def test_what_a_task_cannot_do_is_said_in_one_line(arguments: dict[str, Any], said: str, tmp_path: Path) -> None:
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError) as told:
        evaluated("restriction", tmp_path, task_args=arguments)
    assert said in str(told.value.message)


def test_an_experiment_whose_behaviour_comes_from_logs_is_no_task(tmp_path: Path) -> None:
    from inspect_ai._util.error import PrerequisiteError

    from selfexec.extensions.inspect.tasks import task_of

    class Recorded(type(EXPERIMENTS["restriction"])):  # type: ignore[misc]
        def session_names(self, item: Any) -> tuple[str, ...]:
            return ("predict", "execute", "judge", "logged")

    with pytest.raises(PrerequisiteError, match=r"what a model did \(logged\) is not asked, but comes from logs"):
        task_of(Recorded())(limit=1)


def test_an_experiment_of_another_package_is_a_task_too(tmp_path: Path) -> None:
    toys = Path(__file__).parents[2] / "toy" / "package"
    items = [{"id": "capital", "topic": "facts", "question": "The capital of France?"}]
    (tmp_path / "items").mkdir()
    write(tmp_path / "items" / "brevity.jsonl", items)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(toys), *sys.path])}
    command = [*INSPECT, "eval", "selfexec/brevity", "--model", "selfexec/sim", "-T", "items=items"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "brevity (1 sample)" in done.stdout, done.stdout + done.stderr
