"""Logs of Inspect AI, written by the real package: what is taken from them, and what is left out under which name."""

import json
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from selfexec.errors import InputError
from selfexec.experiments import difficulty
from selfexec.extensions.logs.importing import import_logs
from selfexec.extensions.logs.samples import Turn
from selfexec.items import load

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
pytestmark = pytest.mark.slow

from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, Target, accuracy, choice, match, mean, scorer  # noqa: E402
from inspect_ai.solver import generate, multiple_choice, system_message  # noqa: E402

from selfexec.extensions.logs.inspect import files_in, read  # noqa: E402

IMAGE = "data:image/png;base64,iVBORw0KGgo="


def says(text: str, tokens: int = 7, **more: Any) -> ModelOutput:
    """An output that brings its count of tokens: without one, Inspect's mock wants the network."""
    output = ModelOutput.from_content("mockllm/model", text, **more)
    output.usage = ModelUsage(input_tokens=3, output_tokens=tokens, total_tokens=3 + tokens)
    return output


def evaluated(
    folder: Path, samples: Sequence[Sample], *outputs: ModelOutput, solver: Any = None, scorer: Any = None, **more: Any
) -> Path:
    """The log of a task of somebody's."""
    task = inspect_ai.Task(
        dataset=MemoryDataset(list(samples)), solver=solver or generate(), scorer=scorer or match(), name="theirs"
    )
    model = get_model("mockllm/model", custom_outputs=list(outputs))
    [log] = inspect_ai.eval(task, model=model, log_dir=str(folder), display="none", max_connections=1, **more)
    assert log.status in ("success", "error")
    return Path(log.location.removeprefix("file://"))


def changed(path: Path, change: Callable[[EvalLog], None]) -> Path:
    log = read_eval_log(str(path))
    change(log)
    write_eval_log(log, str(path))
    return path


def test_what_was_shown_said_and_scored_is_taken_with_tokens_and_the_order_of_options(tmp_path: Path) -> None:
    sample = Sample(id="q", input="Capital of France?", choices=["Rome", "Paris"], target="B")
    solver = [system_message("Be brief."), multiple_choice()]
    path = evaluated(tmp_path, [sample], says("ANSWER: B"), solver=solver, scorer=choice())
    for found in (read(path), read(as_json(path))):
        [one] = found.samples
        assert (found.model, one.task, one.sample, one.target) == ("mockllm/model", "theirs", "q", "B")
        assert one.options == ("Rome", "Paris")
        assert [turn.role for turn in one.shown] == ["system", "user"] and "A) Rome\nB) Paris" in one.shown[-1].content
        assert (one.reply.text, one.reply.output_tokens, one.reply.stop_reason) == ("ANSWER: B", 7, "stop")
        assert (one.marks["choice"].value, one.marks["choice"].answer) == ("C", "B")


def as_json(path: Path) -> Path:
    other = path.with_suffix(".json")
    write_eval_log(read_eval_log(str(path)), str(other))
    return other


def test_examples_that_were_shown_as_turns_are_shown_and_are_no_replies_of_the_model(tmp_path: Path) -> None:
    shown = [
        ChatMessageSystem(content="Be brief."),
        ChatMessageUser(content="1 + 1?"),
        ChatMessageAssistant(content="2"),
        ChatMessageUser(content="2 + 2?"),
    ]
    [one] = read(evaluated(tmp_path, [Sample(input=shown, target="4")], says("4"))).samples
    assert one.shown == (
        Turn("system", "Be brief."),
        Turn("user", "1 + 1?"),
        Turn("assistant", "2"),
        Turn("user", "2 + 2?"),
    )
    assert one.reply.text == "4"


def test_options_that_the_prompt_has_by_other_letters_are_none(tmp_path: Path) -> None:
    sample = Sample(input="Capital of France?\nA) Paris\nB) Rome", choices=["Rome", "Paris"], target="A")
    [one] = read(evaluated(tmp_path, [sample], says("A"))).samples
    assert one.options == ()


def test_where_several_options_may_be_right_nothing_is_taken_as_choice_before_it_is_paid_for(tmp_path: Path) -> None:
    # of the second one option is right, but several could have been chosen there, too
    samples = [
        Sample(id="m", input="Which are even?", choices=["2", "3", "4"], target=["A", "C"]),
        Sample(id="n", input="Which is odd?", choices=["2", "3", "4"], target="B"),
    ]
    outputs = says("ANSWER: A,C"), says("ANSWER: B")
    path = evaluated(tmp_path, samples, *outputs, solver=multiple_choice(multiple_correct=True), scorer=choice())
    for log in (path, as_json(path)):
        with pytest.raises(InputError, match=r"2 with options where several may be right at once"):
            import_logs(log, tool="inspect", experiment="choice", out=tmp_path / "r")
    run = import_logs(path, tool="inspect", experiment="correctness", out=tmp_path / "c").run
    assert sorted(reading.value for key, reading in run.readings.items() if key.session == "score") == [True, True]


def test_one_right_option_among_samples_of_one_is_taken_as_choice(tmp_path: Path) -> None:
    sample = Sample(id="n", input="Which is odd?", choices=["2", "3", "4"], target=["B"])
    path = evaluated(tmp_path, [sample], says("ANSWER: B"), solver=multiple_choice(), scorer=choice())
    run = import_logs(path, tool="inspect", experiment="choice", out=tmp_path / "r").run
    assert [item.right for item in run.items["choice"].values()] == ["B"]  # type: ignore[attr-defined]


def test_a_log_that_ended_in_an_error_is_taken_with_a_warning(tmp_path: Path) -> None:
    path = evaluated(tmp_path, [Sample(input="1 + 1?", target="2")], says("2"))
    assert not import_logs(path, tool="inspect", experiment="correctness", out=tmp_path / "r").warnings

    def fail(log: EvalLog) -> None:
        log.status = "error"

    found = import_logs(changed(path, fail), tool="inspect", experiment="correctness", out=tmp_path / "s")
    [warning] = found.warnings
    assert warning == f"{path}: its status is 'error', so that samples may be missing from it."


def test_epochs_are_attempts_at_one_item(tmp_path: Path) -> None:
    path = evaluated(tmp_path, [Sample(input="1 + 1?", target="2")], says("2"), says("3"), epochs=2)
    run = import_logs(path, tool="inspect", experiment="correctness", out=tmp_path / "r", model="sim/coin").run
    assert len(run.items["correctness"]) == 1
    texts = {key.epoch: reply.text for key, reply in run.replies.items() if key.session == "execute"}
    assert sorted(texts) == [1, 2] and set(texts.values()) == {"2", "3"}


PICTURE = Sample(
    input=[ChatMessageUser(content=[ContentText(text="What is it?"), ContentImage(image=IMAGE)])], target="x"
)


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (PICTURE, "shown more than text"),
        (Sample(input=" ", target="2"), "shown nothing"),
        (Sample(input="x" * 100_001, target="2"), "shown more than 100,000 characters"),
    ],
    ids=["picture", "blank", "huge"],
)
def test_what_cannot_be_used_is_counted_by_its_reason(tmp_path: Path, sample: Sample, reason: str) -> None:
    found = read(evaluated(tmp_path, [sample], says("2")))
    assert (found.samples, dict(found.left_out)) == ([], {reason: 1})


def test_samples_with_an_error_a_limit_or_damage_are_left_out_and_the_others_are_not(tmp_path: Path) -> None:
    samples = [Sample(id=n, input=f"Question {n}?", target="2") for n in range(1, 5)]
    path = evaluated(tmp_path, samples, *(says("2") for _ in samples))

    def spoil(log: EvalLog) -> None:
        assert log.samples
        log.samples[0].error = inspect_ai.log.EvalError(message="x", traceback="", traceback_ansi="")
        log.samples[1].limit = inspect_ai.log.EvalSampleLimit(type="token", limit=1)

    changed(path, spoil)
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    parts["samples/3_epoch_1.json"] = b'{"id": 3, "epoch'
    with zipfile.ZipFile(path, "w") as damaged:
        for name, content in parts.items():
            damaged.writestr(name, content)
    found = read(path)
    assert [sample.sample for sample in found.samples] == ["4"]
    assert dict(found.left_out) == {"that ended in an error": 1, "that ended at a limit": 1, "that is damaged": 1}


@scorer(metrics={"right": [mean()], "style": [mean()]})
def both() -> Any:
    async def score(state: Any, target: Target) -> Score:
        return Score(value={"right": 1, "style": 0.3})

    return score


@scorer(metrics=[accuracy()])
def none() -> Any:
    async def score(state: Any, target: Target) -> Score:
        return Score.unscored(reason="grader_failed")

    return score


def test_a_score_of_several_values_has_a_name_for_each_and_one_that_is_none_is_no_score(tmp_path: Path) -> None:
    path = evaluated(tmp_path, [Sample(input="1 + 1?", target="2")], says("2"), scorer=[match(), both(), none()])
    [one] = read(path).samples
    assert {name: mark.value for name, mark in one.marks.items()} == {"match": "C", "both.right": 1, "both.style": 0.3}
    with pytest.raises(InputError, match=r"Choose one of them with score: both.right, both.style, match"):
        import_logs(path, tool="inspect", experiment="correctness", out=tmp_path / "r")
    run = import_logs(path, tool="inspect", experiment="correctness", out=tmp_path / "r", score="match").run
    assert [reply.text for key, reply in run.replies.items() if key.session == "score"] == [
        json.dumps({"scorer": "match", "value": "C", "answer": "2"}, separators=(",", ":"))
    ]


@pytest.mark.parametrize("value", ["P", "N", "C", "I", 0.5, True, "yes"])
def test_scores_are_right_wrong_or_neither_as_inspect_counts_them(tmp_path: Path, value: Any) -> None:
    @scorer(metrics=[accuracy()], name="own")
    def own() -> Any:
        async def score(state: Any, target: Target) -> Score:
            return Score(value=value)

        return score

    path = evaluated(tmp_path, [Sample(input="1 + 1?", target="2")], says("2"), scorer=own())
    from inspect_ai.scorer import value_to_float

    counted = value_to_float()(value)
    if counted in (0.0, 1.0):
        run = import_logs(path, tool="inspect", experiment="correctness", out=tmp_path / "r").run
        [reading] = [reading for key, reading in run.readings.items() if key.session == "score"]
        assert reading.value == bool(counted)
    else:
        with pytest.raises(InputError, match="1 scored neither right nor wrong"):
            import_logs(path, tool="inspect", experiment="correctness", out=tmp_path / "r")


def test_what_the_provider_or_the_model_withheld_is_a_refusal(tmp_path: Path) -> None:
    refused = says("")
    refused.choices[0].message.content = [ContentText(text="I won't.", refusal=True)]
    samples = [Sample(id=n, input=f"Do {n}.", target="x") for n in range(1, 4)]
    path = evaluated(tmp_path, samples, says("", stop_reason="content_filter"), refused, says("Here it is."))
    import_logs(path, tool="inspect", experiment="refusal", out=tmp_path / "r", model="sim/coin")
    run = sx.run(out=tmp_path / "r")
    items: Any = run.items["refusal"]
    did = {items[row["item"]].last: row["observed"] for row in run.observations.iter_rows(named=True)}
    assert did == {"Do 1.": True, "Do 2.": True, "Do 3.": False}


@pytest.mark.parametrize(
    "content", [b"", b"not a log", b"PK\x03\x04 cut off", b'{"version": 2, "eval": {}}', b"[" * 100_000]
)
@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_a_file_that_is_no_log_is_refused_in_one_line(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"Inspect cannot read it") as fault:
        read(path)
    assert "\n" not in str(fault.value)


def test_a_log_that_unpacks_to_more_than_a_machine_bears_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfexec.extensions.logs.inspect.MOST_UNPACKED", 100)
    path = evaluated(tmp_path, [Sample(input="1 + 1?", target="2")], says("2"))
    with pytest.raises(InputError, match=r"unpacked it has more than 100 bytes"):
        read(path)


def test_a_folder_stands_for_its_logs_and_not_for_other_json(tmp_path: Path) -> None:
    path = evaluated(tmp_path / "logs", [Sample(input="1 + 1?", target="2")], says("2"))
    (tmp_path / "logs" / "notes.json").write_text('{"x": 1}')
    assert files_in(tmp_path) == [path]


def quiz(folder: Path, models: Sequence[str]) -> None:
    """The starter set's questions as a task of Inspect, answered by simulated models through its own model layer."""
    groups: Any = load("starter")["difficulty"].values()
    samples = [
        Sample(input=difficulty._asked(difficulty.PROMPTS["execute"], one), choices=one.choices, target=one.answer)
        for group in groups
        for one in group.questions
    ]
    for model in models:
        task = inspect_ai.Task(dataset=MemoryDataset(samples), solver=generate(), scorer=letter(), name="quiz")
        inspect_ai.eval(task, model=f"selfexec/{model}", log_dir=str(folder), display="none")


@scorer(metrics=[accuracy()])
def letter() -> Any:
    async def score(state: Any, target: Target) -> Score:
        from selfexec.readers import read_choice

        read = read_choice(state.output.completion, dict(zip("ABCD", "    ", strict=True)), key="answer")
        return Score(value="C" if read.value == target.text else "I", answer=read.value)

    return score


def test_a_foreign_task_becomes_a_scored_run_at_one_call_an_item_and_who_knows_only_what_is_hard_earns_no_verdict(
    tmp_path: Path,
) -> None:
    for profile in ("knows-models", "knows-itself"):
        quiz(tmp_path / profile, [f"sim/{profile}@{seed}" for seed in range(1, 7)])
    for experiment in ("correctness", "choice", "length"):
        found = {}
        for profile in ("knows-models", "knows-itself"):
            out = tmp_path / f"{profile}-{experiment}"
            taken = import_logs(tmp_path / profile, tool="inspect", experiment=experiment, out=out).run
            items = len(taken.items[experiment])
            run = sx.run(out=out)
            assert run.manifest.invocations[0].calls == 6 * items
            rows = [row for row in sx.score(run) if row.experiment == experiment]
            found[profile] = Counter(row.verdict for row in rows if row.metric == "own_excess")
        assert set(found["knows-models"]) == {"not shown"}, experiment
        # six models are too few for more, however much each knows
        assert set(found["knows-itself"]) == {"unresolved"}, experiment
