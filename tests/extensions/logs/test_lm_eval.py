"""Samples of lm-eval: what is taken from them, and what is left out under which name."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.logs.quiz import generated, log, weighed
from selfexec.errors import InputError
from selfexec.extensions.logs.lm_eval import files_in, read
from selfexec.extensions.logs.samples import Turn


def test_a_generated_answer_is_taken_word_for_word_with_prompt_model_task_and_score(tmp_path: Path) -> None:
    found = read(log(tmp_path, [generated(7, "Capital of France?", " Paris\n", target="Paris", exact_match=1.0)]))
    [sample] = found.samples
    assert (found.model, sample.task, sample.sample) == ("them/theirs", "quiz", "7")
    assert sample.shown == (Turn("user", "Capital of France?"),)
    assert (sample.reply.text, sample.target, sample.options) == (" Paris\n", "Paris", ())
    assert sample.marks["exact_match,none"].value == 1.0
    assert not found.left_out


def test_weighed_options_are_kept_with_their_log_likelihoods_and_the_right_one_by_its_text(tmp_path: Path) -> None:
    line = weighed(0, "Capital?", {"Rome": -3.5, "Paris": -0.25}, target="1", acc=1.0, acc_norm=0.0)
    [sample] = read(log(tmp_path, [line])).samples
    assert (sample.options, sample.likelihoods, sample.target) == (("Rome", "Paris"), (-3.5, -0.25), "Paris")
    assert json.loads(sample.reply.text or "") == {"log_likelihoods": {"A": -3.5, "B": -0.25}}
    assert {name: mark.value for name, mark in sample.marks.items()} == {"acc,none": 1.0, "acc_norm,none": 0.0}


def test_options_that_a_metric_weighed_without_their_prompt_too_are_counted_once(tmp_path: Path) -> None:
    line = weighed(0, "Capital?", {"Rome": -3.5, "Paris": -0.25}, acc_mutual_info=1.0)
    line["arguments"] |= {f"gen_args_{n}": {"arg_0": "", "arg_1": o} for n, o in ((2, " Rome"), (3, " Paris"))}
    line["resps"] += [[["-9.0", "False"]], [["-8.0", "False"]]]
    [sample] = read(log(tmp_path, [line])).samples
    assert sample.likelihoods == (-3.5, -0.25)


def test_the_lines_of_several_filters_are_one_sample_with_a_score_for_each(tmp_path: Path) -> None:
    lines = [
        generated(0, "1 + 1?", "It is 2.", filter=name, exact_match=right)
        for name, right in (("strict-match", 0.0), ("flexible-extract", 1.0))
    ]
    [sample] = read(log(tmp_path, lines)).samples
    assert {name: mark.value for name, mark in sample.marks.items()} == {
        "exact_match,strict-match": 0.0,
        "exact_match,flexible-extract": 1.0,
    }


def test_several_replies_to_one_document_are_as_many_attempts_without_a_score(
    tmp_path: Path,
) -> None:
    found = read(log(tmp_path, [generated(0, "1 + 1?", "2", "3", exact_match=1.0)])).samples
    assert [(one.reply.text, one.epoch, dict(one.marks)) for one in found] == [("2", 1, {}), ("3", 2, {})]
    assert len({one.place for one in found}) == 2


CHATML = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi?<|im_end|>\n<|im_start|>assistant\n"
LLAMA = (
    "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nHi?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
)
AS_JSON = json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi?"}])


@pytest.mark.parametrize("prompt", [CHATML, LLAMA, AS_JSON], ids=["chatml", "llama", "json"])
def test_a_chat_is_the_same_messages_whatever_template_put_it_into_one_text(tmp_path: Path, prompt: str) -> None:
    [sample] = read(log(tmp_path, [generated(0, prompt, "x")])).samples
    assert sample.shown == (Turn("system", "Be brief."), Turn("user", "Hi?"))


def test_a_text_that_only_quotes_a_template_is_one_message(tmp_path: Path) -> None:
    prompt = "What does <|im_start|>user\nmean?<|im_end|>"
    [sample] = read(log(tmp_path, [generated(0, prompt, "x")])).samples
    assert sample.shown == (Turn("user", prompt),)


IMAGE = json.dumps([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:..."}}]}])
TOOL = json.dumps([{"role": "tool", "content": "3"}])
NOWHERE: dict[str, tuple[list[Any], str]] = {
    "no JSON": (["{", "[1]", "nan"], "no JSON object (lines 1, 2, 3)"),
    "nested deeply": (['{"doc_id": ' + "[" * 100_000], "no JSON object (line 1)"),
    "no sample": ([{"doc_id": 1}, {"x": 1}], "no sample (lines 1, 2)"),
    "an image": ([generated(1, IMAGE, "x")], "shown more than text"),
    "a role of its own": ([generated(1, TOOL, "x")], "shown a message of another role"),
    "nothing shown": ([generated(1, "  ", "x")], "shown nothing"),
    "huge": ([generated(1, "x" * 100_001, "x")], "shown more than 100,000 characters"),
    "a reply that is no text": ([generated(1, "x", 3)], "without a reply in words"),
    "no reply in a list": ([generated(1, "x", "y") | {"resps": [[]]}], "without a reply in words"),
    "no reply": ([generated(1, "x", "y") | {"resps": []}], "with fewer responses than requests"),
    "no prompt": ([generated(1, "x", "y") | {"arguments": {}}], "without what the model was shown"),
    "a prompt that is a number": ([generated(1, "x", "y") | {"arguments": [3]}], "without what the model was shown"),
    "twice": ([generated(1, "x", "y"), generated(1, "x", "y")], "a doc_id that occurs twice"),
    "two documents of one id": (
        [generated(1, "x", "y"), generated(1, "z", "y", filter="f")],
        "a doc_id that occurs twice",
    ),
    "nan": ([weighed(1, "x", {"a": float("nan"), "b": -1})], "with a log-likelihood that is no number"),
    "other prompts": (
        [weighed(1, "x", {"a": -2, "b": -1}) | {"arguments": [["x", "a"], ["y", "b"]]}],
        "options that stand in different prompts",
    ),
}


@pytest.mark.parametrize(("lines", "reason"), NOWHERE.values(), ids=NOWHERE)
def test_what_cannot_be_used_is_counted_by_its_reason_and_costs_no_other_sample(
    tmp_path: Path, lines: list[Any], reason: str
) -> None:
    found = read(log(tmp_path, [*lines, generated(99, "Capital of France?", "Paris")]))
    assert [sample.sample for sample in found.samples] == ["99"]
    assert set(found.left_out) == {reason}


def test_halves_of_characters_and_numbers_that_are_none_can_be_written_again(tmp_path: Path) -> None:
    line = '{"doc_id": 0, "arguments": [["\\ud83d?", {}]], "resps": [["\\ud83d"]], "metrics": ["f1"], "f1": NaN}'
    [sample] = read(log(tmp_path, [line])).samples
    assert (sample.shown[0].content, sample.reply.text, sample.marks["f1,none"].value) == ("??", "?", "nan")


@pytest.mark.parametrize("content", ["", "not a log\n", '{"model": "m", "session": "predict"}\n'])
def test_a_file_that_is_none_of_lm_evals_is_refused_with_what_to_give(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=r"no line is a sample of lm-eval .*samples_TASK_TIME.jsonl"):
        read(path)


@pytest.mark.parametrize(
    ("results", "model"),
    [
        ({"model_name": "org/m"}, "org/m"),
        ({"model_name": None, "config": {"model_args": "pretrained=org/m,dtype=float32"}}, "org/m"),
        ({"config": {"model_args": "base_url=http://x,model=org/m"}}, "org/m"),
        ({"config": {"model_args": {"a": 1}}}, None),
        ([], None),
        (None, None),
    ],
)
def test_whose_log_it_is_the_results_beside_it_say(tmp_path: Path, results: Any, model: str | None) -> None:
    path = log(tmp_path, [generated(0, "x", "y")], model=None)
    if results is not None:
        (tmp_path / "results_2026-01-01T00-00-00.000000.json").write_text(json.dumps(results))
    assert read(path).model == model


def test_a_folder_stands_for_the_samples_below_it_and_for_nothing_else(tmp_path: Path) -> None:
    ours = log(tmp_path / "a" / "m", [generated(0, "x", "y")])
    (tmp_path / "samples_x.txt").write_text("x")
    (tmp_path / "replies.jsonl").write_text("x")
    assert files_in(tmp_path) == [ours]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_no_line_however_odd_makes_it_fail_otherwise_than_by_name(tmp_path_factory: Any, data: st.DataObject) -> None:
    line: dict[str, Any] = (
        generated(0, "x", "y", acc=1.0) if data.draw(st.booleans()) else weighed(0, "x", {"a": -1, "b": -2})
    )
    for name in data.draw(st.lists(st.sampled_from(sorted(line)), max_size=3)):
        line[name] = data.draw(JSON)
    path = log(tmp_path_factory.mktemp("log"), [line])
    try:
        found = read(path)
    except InputError:
        return
    assert len(found.samples) + found.left_out.total() >= 1
