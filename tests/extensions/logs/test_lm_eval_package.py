"""Samples that the real lm-eval writes, of a task and a model of our own: the whole way, with no network."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from selfexec.extensions.logs.importing import import_logs
from selfexec.extensions.logs.lm_eval import files_in, read

lm_eval = pytest.importorskip("lm_eval", reason="lm-eval is not installed here")
pytestmark = pytest.mark.slow

QUESTIONS = [
    {"question": "What is 17 + 26?", "choices": ["33", "43", "42", "53"], "answer": 1},
    {"question": "Capital of France?", "choices": ["Paris", "Rome", "Oslo", "Bern"], "answer": 0},
    {"question": "Capital of Norway?", "choices": ["Paris", "Rome", "Oslo", "Bern"], "answer": 2},
    {"question": "Capital of Italy?", "choices": ["Paris", "Rome", "Oslo", "Bern"], "answer": 1},
]
COMMON = """\
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
doc_to_text: "Question: {{{{question}}}}\\nAnswer:"
"""
CHOICE = """\
output_type: multiple_choice
doc_to_choice: "{{choices}}"
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_norm}]
"""
GENERATED = """\
output_type: generate_until
fewshot_split: test
num_fewshot: 1
doc_to_target: "{{choices[answer]}}"
generation_kwargs: {until: ["\\n\\n"], do_sample: false}
metric_list: [{metric: exact_match}]
filter_list:
  - {name: strict-match, filter: [{function: take_first}]}
  - {name: first-word, filter: [{function: regex, regex_pattern: "(\\\\w+)"}, {function: take_first}]}
"""


@pytest.fixture(scope="module", params=["as text", "as a chat"])
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `lm_eval --log_samples` leaves: a model that says Paris whatever it is asked, and likes long options."""
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class Parisian(LM):  # type: ignore[misc]
        tokenizer_name = "own"

        def loglikelihood(self, requests: Any) -> Any:
            return [(float(len(one.args[1])), False) for one in requests]

        def loglikelihood_rolling(self, requests: Any) -> Any:
            return [0.0 for _ in requests]

        def generate_until(self, requests: Any) -> Any:
            return ["Paris" for _ in requests]

        def apply_chat_template(self, chat: Any, add_generation_prompt: bool = True) -> str:
            said = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in chat)
            return f"{said}<|im_start|>assistant\n"

        def get_model_info(self) -> dict[str, Any]:
            return {}

    folder = tmp_path_factory.mktemp("lm-eval")
    data = folder / "data.jsonl"
    data.write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS))
    tasks = folder / "tasks"
    tasks.mkdir()
    for name, kind in (("capital_choice", CHOICE), ("capital_words", GENERATED)):
        (tasks / f"{name}.yaml").write_text(COMMON.format(name=name, data=data) + kind)
    chat = request.param == "as a chat"
    tracker = EvaluationTracker(output_path=str(folder / "out"))
    found = lm_eval.simple_evaluate(
        model=Parisian(),
        tasks=["capital_choice", "capital_words"],
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
        log_samples=True,
        evaluation_tracker=tracker,
        bootstrap_iters=0,
        apply_chat_template=chat,
        fewshot_as_multiturn=chat,
        system_instruction="Be brief." if chat else None,
    )
    samples = found.pop("samples")
    tracker.general_config_tracker.model_name = "them/parisian"
    tracker.save_results_aggregated(results=found, samples=samples)
    for task, one in samples.items():
        tracker.save_results_samples(task_name=task, samples=one)
    return folder / "out"


def test_nothing_of_what_it_writes_is_left_out(logs: Path) -> None:
    found = [read(path) for path in files_in(logs)]
    assert {sample.task: len(log.samples) for log in found for sample in log.samples} == {
        "capital_choice": 4,
        "capital_words": 4,
    }
    assert not any(log.left_out for log in found)
    words = next(log for log in found if log.samples[0].task == "capital_words")
    assert words.scores == ("exact_match,first-word", "exact_match,strict-match")
    assert {sample.reply.text for sample in words.samples} == {"Paris"}
    roles = {tuple(turn.role for turn in sample.shown) for sample in words.samples}
    assert roles <= {("user",), ("system", "user", "assistant", "user")} and len(roles) == 1


def test_it_becomes_a_scored_run_at_one_call_a_sample(logs: Path, tmp_path: Path) -> None:
    [words] = [path for path in files_in(logs) if "words" in path.name]
    more = {"tool": "lm-eval", "out": tmp_path / "r", "model": "sim/coin"}
    import_logs(words, experiment="correctness", score="exact_match,strict-match", **more)
    import_logs(words, experiment="length", **more)
    import_logs([path for path in files_in(logs) if "choice" in path.name], experiment="choice", **more)
    run = sx.run(out=tmp_path / "r")
    assert run.manifest.invocations[0].calls == 4 + 1 + 4
    rows = run.observations
    did = {e: Counter(rows.filter(rows["experiment"] == e)["observed"]) for e in ("correctness", "choice", "length")}
    assert did["correctness"] == {True: 1, False: 3}  # Paris is one capital of the three, and no sum
    assert did["length"] == {None: 6}  # all of its responses have five letters
    # of "Paris", "Rome", "Oslo", "Bern" the longest is the likeliest; of "33", "43", "42", "53" none is
    assert did["choice"] == {True: 3, False: 9, None: 4}
