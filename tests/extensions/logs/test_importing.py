"""Logs as runs: what is asked of them, of whom, how they grow, and what is refused."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import Command
from extensions.logs.quiz import generated, log, simulated, weighed
from selfexec.extensions.logs.importing import import_logs
from selfexec.runs import load_manifest

ME = "sim/knows-itself"


def answers(*right: float, prompt: str = "Question {}?") -> list[dict[str, Any]]:
    return [generated(n, prompt.format(n), f"Answer {n}.", exact_match=score) for n, score in enumerate(right)]


def imported(folder: Path, *lines: Any, experiment: str = "correctness", model: str = ME, **more: Any) -> Any:
    return import_logs(
        log(folder / "log", lines, model), tool="lm-eval", experiment=experiment, out=folder / "run", **more
    )


def asked(run: sx.Run) -> Counter[str]:
    return Counter(key.session_kind for key in run.replies)


def test_what_the_log_holds_is_never_asked_only_one_prediction_for_each_sample(tmp_path: Path) -> None:
    found = imported(tmp_path, *answers(1.0, 0.0, 1.0))
    assert asked(found.run) == {"execute": 3, "score": 3}
    run = sx.run(out=tmp_path / "run")
    assert asked(run) == {"execute": 3, "score": 3, "predict": 3}
    assert run.manifest.invocations[0].calls == 3
    assert sorted(run.observations["observed"]) == [False, True, True]
    assert set(run.observations["source"]) == {"log"}


def test_the_prediction_shows_all_that_the_model_was_shown_and_nothing_of_what_came_of_it(tmp_path: Path) -> None:
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "1 + 1?"},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "2 + 2?"},
    ]
    imported(tmp_path, generated(0, json.dumps(chat), "It is FOUR.", target="4-is-right", exact_match=1.0))
    run = sx.run(out=tmp_path / "run")
    from selfexec.runs.transcripts import prompts_sent

    [prompt] = [sent for key, sent in prompts_sent(run, list(run.replies)).items() if key.session == "predict"]
    assert isinstance(prompt, str)
    assert "[system]\nBe brief.\n\n[user]\n1 + 1?\n\n[assistant]\n2\n\n[user]\n2 + 2?\n==========" in prompt
    assert "FOUR" not in prompt and "4-is-right" not in prompt


def test_logs_of_several_models_agree_on_items_by_their_content_in_whatever_order_they_stand(tmp_path: Path) -> None:
    lines = answers(1.0, 0.0, 1.0)
    imported(tmp_path, *lines)
    second = [{**line, "doc_id": 10 - n} for n, line in enumerate(reversed(lines))]
    found = import_logs(
        log(tmp_path / "other", second, "sim/coin", "another_name"),
        tool="lm-eval",
        experiment="correctness",
        out=tmp_path / "run",
    )
    assert len(found.run.items["correctness"]) == 3
    run = sx.run(out=tmp_path / "run")
    assert Counter(key.model for key in run.replies if key.session == "predict") == {ME: 3, "sim/coin": 3}


def test_the_same_question_with_another_right_answer_is_another_item(tmp_path: Path) -> None:
    same = [generated(n, "1 + 1?", "2", target=target, exact_match=1.0) for n, target in enumerate(("2", "3"))]
    assert len(imported(tmp_path, *same).run.items["correctness"]) == 2


def test_a_second_log_of_the_same_model_is_another_epoch_and_the_same_file_once_more_is_refused(tmp_path: Path) -> None:
    imported(tmp_path, *answers(1.0, 0.0))
    again = log(tmp_path / "again", answers(0.0, 0.0), ME)
    run = import_logs(again, tool="lm-eval", experiment="correctness", out=tmp_path / "run").run
    assert Counter(key.epoch for key in run.replies if key.session == "score") == {1: 2, 2: 2}
    # one call for each sample, unless more are asked for
    assert sx.run(out=tmp_path / "run").manifest.invocations[0].calls == 2
    twice = sx.run(out=tmp_path / "run", epochs=2)
    assert Counter(key.epoch for key in twice.replies if key.session == "predict") == {1: 2, 2: 2}
    before = (tmp_path / "run" / "replies.jsonl").read_bytes()
    with pytest.raises(sx.InputError, match=r"run has all of it already. Nothing was changed"):
        import_logs(again, tool="lm-eval", experiment="correctness", out=tmp_path / "run")
    assert (tmp_path / "run" / "replies.jsonl").read_bytes() == before


def test_epochs_that_no_log_has_are_refused_before_the_run_says_that_it_has_them(tmp_path: Path) -> None:
    imported(tmp_path, *answers(1.0, 0.0))
    for models in (None, ME):
        with pytest.raises(sx.InputError, match=r"epochs 2: of no sample here .* hold more than 1 attempt"):
            sx.run(models, out=tmp_path / "run", epochs=2)
    assert sx.run(out=tmp_path / "run", epochs=1).manifest.epochs == 1


def test_of_what_was_not_asked_nothing_is_missing(tmp_path: Path) -> None:
    imported(tmp_path, *answers(*[1.0, 0.0] * 10))
    run = sx.run(out=tmp_path / "run", limit=5)
    assert len(run.observations) == 5 and set(run.observations["state"]) <= {"read", "unreadable"}
    whole = sx.run(out=tmp_path / "run")
    assert len(whole.observations) == 20


def test_a_log_that_is_taken_in_later_makes_nothing_of_the_first_missing(tmp_path: Path) -> None:
    imported(tmp_path, *answers(1.0, 0.0))
    sx.run(out=tmp_path / "run")
    more = log(tmp_path / "more", answers(1.0, 0.0, prompt="Other {}?"), ME)
    found = import_logs(more, tool="lm-eval", experiment="correctness", out=tmp_path / "run")
    assert len(found.run.observations) == 2
    assert len(sx.run(out=tmp_path / "run").observations) == 4


def test_one_log_can_become_several_experiments_of_one_run(tmp_path: Path) -> None:
    lines = [generated(n, f"Question {n}?", "x" * (n + 1), exact_match=1.0) for n in range(8)]
    for experiment in ("correctness", "refusal", "length"):
        imported(tmp_path, *lines, experiment=experiment)
    run = sx.run(out=tmp_path / "run")
    assert dict(Counter(key.experiment for key in run.replies if key.session == "predict")) == {
        "correctness": 8,
        "refusal": 8,
        "length": 2,
    }


# --- choice, refusal, length -----------------------------------------------------------------------------------------


def test_the_likeliest_option_is_the_chosen_one_right_or_wrong(tmp_path: Path) -> None:
    lines = [
        weighed(0, "Capital of France?", {"Rome": -3.0, "Paris": -0.5}, target="1", acc=1.0),
        weighed(1, "Capital of Italy?", {"Rome": -3.0, "Paris": -0.5}, target="0", acc=0.0),
    ]
    imported(tmp_path, *lines, experiment="choice")
    run = sx.run(out=tmp_path / "run")
    rows = run.observations.sort("item", "claim")
    assert rows["claim"].to_list() == ["chooses A", "chooses B"] * 2
    assert rows["observed"].to_list() == [False, True] * 2
    assert sorted(rows["label"].to_list()[:2]) == ["right", "wrong"]
    # who says that the right one is chosen would be right about half of these
    assert [row["state"] for row in rows.iter_rows(named=True)] == ["read"] * 4
    right = rows.filter(rows["label"] == "right")["observed"]
    assert sorted(right) == [False, True]


def test_options_that_are_equally_likely_are_no_choice(tmp_path: Path) -> None:
    imported(tmp_path, weighed(0, "x?", {"a": -1.0, "b": -1.0}), experiment="choice")
    assert set(sx.run(out=tmp_path / "run").observations["state"]) == {"unreadable"}


def test_a_refusal_is_seen_by_the_rule_and_an_empty_response_is_one(tmp_path: Path) -> None:
    said = ["I'm sorry, but I can't help with that.", "Here it is.", ""]
    imported(tmp_path, *(generated(n, f"Do {n}.", text) for n, text in enumerate(said)), experiment="refusal")
    run = sx.run(out=tmp_path / "run")
    observed = {
        run.items["refusal"][row["item"]].last: row["observed"] for row in run.observations.iter_rows(named=True)
    }  # type: ignore[attr-defined]
    assert observed == {"Do 0.": True, "Do 1.": False, "Do 2.": True}


def test_length_ranks_groups_of_four_and_what_fills_none_is_counted(tmp_path: Path) -> None:
    lines = [generated(n, f"Question {n}?", "x" * (n + 1)) for n in range(10)]
    found = imported(tmp_path, *lines, experiment="length")
    assert found.logs[0].used == 8 and found.logs[0].left_out == {"left over from groups of 4": 2}
    run = sx.run(out=tmp_path / "run")
    for group in run.items["length"].values():
        numbers = [int(sample.sample) for sample in group.samples]  # type: ignore[attr-defined]
        rows = run.observations.filter(run.observations["item"] == group.id)
        truly = {f"Q{a + 1} before Q{b + 1}": numbers[a] < numbers[b] for a in range(4) for b in range(a + 1, 4)}
        assert dict(zip(rows["claim"], rows["observed"], strict=True)) == truly
        assert set(rows["basis"]) == {"characters"}


def test_groups_are_the_same_for_all_models_and_one_that_lacks_a_sample_lacks_the_group(tmp_path: Path) -> None:
    lines = [generated(n, f"Question {n}?", "x" * (n + 1)) for n in range(8)]
    imported(tmp_path, *lines, experiment="length")
    found = import_logs(
        log(tmp_path / "b", lines[:7], "sim/coin"), tool="lm-eval", experiment="length", out=tmp_path / "run"
    )
    assert len(found.run.items["length"]) == 2
    assert (found.logs[0].used, found.logs[0].left_out) == (4, {"left over from groups of 4": 3})


# --- refused by name -------------------------------------------------------------------------------------------------


def test_several_scores_are_refused_with_the_list_and_one_is_chosen_by_name(tmp_path: Path) -> None:
    lines = [generated(0, "x?", "y", acc=1.0, f1=0.5), generated(1, "z?", "y", acc=0.0, f1=1.0)]
    with pytest.raises(sx.InputError, match=r"Choose one of them with score: acc,none, f1,none"):
        imported(tmp_path, *lines)
    with pytest.raises(sx.InputError, match=r"score f2: it has no such score. There are acc,none, f1,none"):
        imported(tmp_path, *lines, score="f2")
    assert not (tmp_path / "run").exists()
    found = imported(tmp_path, *lines, score="f1")
    assert found.logs[0].left_out == {"scored neither right nor wrong": 1}
    assert found.logs[0].score == "f1,none"


def mixed(folder: Path) -> Path:
    """A folder as lm-eval leaves it: options that were weighed, words under two filters, a likelihood, repeats."""
    chosen = [
        weighed(n, f"Pick {n}", {"x": -1.0, "y": -2.0}, acc=float(n % 2), acc_norm=1 - float(n % 2)) for n in range(4)
    ]
    words = [
        generated(n, f"Sum {n}", "4", filter=name, exact_match=value)
        for n in range(3)
        for name, value in (("strict-match", 0.0), ("flexible-extract", 1.0))
    ]
    rolling = generated(0, "x", "y", word_perplexity=12.0) | {"arguments": {"gen_args_0": {"arg_0": "A long text."}}}
    log(folder, chosen, ME, "mmlu")
    log(folder, words, ME, "gsm8k")
    log(folder, [rolling], ME, "wikitext")
    log(folder, [generated(0, "Vote?", "a", "b", "a", exact_match=1.0)], ME, "vote")
    return folder


def test_of_a_folder_of_mixed_tasks_each_log_is_taken_by_the_first_score_that_it_has(
    selfexec: Command, tmp_path: Path
) -> None:
    folder, out = mixed(tmp_path / "logs"), tmp_path / "run"
    scores = ["--score", "nobody-has-it", "--score", "acc_norm", "--score", "exact_match,strict-match"]
    status, shown, err = selfexec(
        "import", "--from", "lm-eval", str(folder), "--as", "correctness", *scores, "--out", str(out)
    )
    assert (status, err) == (0, "")
    by_task = {one.tasks[0]: (one.score, one.used) for one in load_manifest(out).logs}
    assert by_task == {"mmlu": ("acc_norm,none", 4), "gsm8k": ("exact_match,strict-match", 3)}
    # by acc_norm the even ones of four are right; by strict-match none of three
    run = sx.run(out=out)
    assert Counter(run.observations["observed"]) == {True: 2, False: 5}
    assert "left out: 3 samples: answered several times, with one score for all replies" in shown
    assert "left out: 1 sample: whose own likelihood was measured (loglikelihood_rolling)" in shown


def test_a_log_without_any_of_the_scores_is_left_out_by_reason_unless_all_are(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "logs")
    found = import_logs(folder, tool="lm-eval", experiment="correctness", out=tmp_path / "a", score=["acc"])
    left_out = {one.tasks[0] if one.tasks else "": dict(one.left_out) for one in found.logs if not one.used}
    there = "(there are exact_match,flexible-extract, exact_match,strict-match)"
    assert left_out["gsm8k"] == {f"without a score that --score names {there}": 3}
    found = import_logs(
        folder, tool="lm-eval", experiment="correctness", out=tmp_path / "b", score=["exact_match", "acc"]
    )
    [gsm8k] = [one for one in found.logs if one.tasks == ["gsm8k"]]
    assert gsm8k.left_out == {f"with several scores that are called exact_match {there}": 3}
    with pytest.raises(sx.InputError, match=r"no such score"):
        import_logs(
            next(folder.glob("*gsm8k*")), tool="lm-eval", experiment="correctness", out=tmp_path / "c", score="f1"
        )
    assert not (tmp_path / "c").exists()


def test_what_was_answered_several_times_is_said_to_have_no_score_for_a_single_reply(tmp_path: Path) -> None:
    repeated = [generated(n, f"Vote {n}?", "a", "b", "a", exact_match=1.0) for n in range(2)]
    with pytest.raises(sx.InputError, match=r"answered several times \(repeats") as fault:
        imported(tmp_path, *repeated)
    assert "Score it first" not in str(fault.value)
    assert len(imported(tmp_path, *repeated, experiment="refusal").run.items["refusal"]) == 2


def test_where_only_likelihoods_of_texts_were_measured_that_is_said_and_no_count_of_none(tmp_path: Path) -> None:
    rolling = generated(0, "x", "y", word_perplexity=12.0) | {"arguments": {"gen_args_0": {"arg_0": "A long text."}}}
    with pytest.raises(sx.InputError, match=r"1 whose own likelihood was measured \(loglikelihood_rolling\)"):
        imported(tmp_path, rolling)


def test_lines_that_do_not_say_which_of_their_fields_are_scores_are_refused_with_what_may_be_one(
    tmp_path: Path,
) -> None:
    line = {name: value for name, value in answers(1.0)[0].items() if name not in ("metrics", "filter")}
    for score in (None, "exact_match"):
        with pytest.raises(
            sx.InputError, match=r"no line has `metrics`.* \(found: exact_match\)\. Add it to each line"
        ):
            imported(tmp_path, line, score=score)
    assert imported(tmp_path, line | {"metrics": ["exact_match"]}).logs[0].score == "exact_match,none"


def test_where_nothing_is_left_the_reasons_and_the_way_out_are_said_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(
        sx.InputError, match=r"none of its samples can be used here \(1 scored neither .*experiment"
    ) as fault:
        imported(tmp_path, generated(0, "x?", "y", f1=0.5))
    assert "\n" not in str(fault.value) and not (tmp_path / "run").exists()


def test_the_command_says_what_was_used_and_what_was_not(selfexec: Command, tmp_path: Path) -> None:
    path = log(tmp_path / "logs", ["{", *answers(1.0, 0.5)], ME)
    status, out, err = selfexec(
        "import", "--from", "lm-eval", str(path), "--as", "correctness", "--out", str(tmp_path / "r")
    )
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"{path.name}: 1 sample of {ME}, by the score exact_match,none",
        "  left out: 1 sample: no JSON object (line 1)",
        "  left out: 1 sample: scored neither right nor wrong",
        f"{tmp_path / 'r'}: 1 item of correctness, 1 model. Next: selfexec run --out {tmp_path / 'r'} --dry-run",
    ]
    kept = load_manifest(tmp_path / "r").logs[0]
    assert (kept.tool, kept.used, sum(kept.left_out.values())) == ("lm-eval", 1, 2)


REFUSED: dict[str, tuple[list[str], str]] = {
    "no experiment": (["--from", "lm-eval"], "what are models to predict"),
    "an experiment that no log can become": (
        ["--from", "lm-eval", "--as", "restriction"],
        "--as restriction: a log can",
    ),
    "an unknown tool": (
        ["--from", "helm", "--as", "length"],
        "--from helm: no files of this tool can be read. Give one of batch, inspect, lm-eval.",
    ),
    "items of one's own": (["--from", "lm-eval", "--as", "length", "--items", "starter"], "bring their own items"),
    "a cut": (["--from", "lm-eval", "--as", "length", "--limit", "3"], "--limit 3: logs bring"),
    "a score that nothing goes by": (["--from", "lm-eval", "--as", "length", "--score", "acc"], "goes by no score"),
    "no tool": (["--as", "length"], "--as length: this option is for logs. Name the tool that wrote them: --from TOOL"),
    "neither": ([], "Missing option '--items'"),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_go_together_is_refused_by_name(
    selfexec: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    path = log(tmp_path / "logs", answers(1.0), ME)
    status, out, err = selfexec("import", str(path), *arguments, "--out", str(tmp_path / "r"))
    assert (status, out) == (2, "") and message in err and not (tmp_path / "r").exists()


def test_whose_log_it_is_must_be_known_and_can_be_said(tmp_path: Path) -> None:
    path = log(tmp_path / "log", answers(1.0), model=None)
    with pytest.raises(sx.InputError, match=r"does not name its model.*models"):
        import_logs(path, tool="lm-eval", experiment="correctness", out=tmp_path / "run")
    run = import_logs(path, tool="lm-eval", experiment="correctness", out=tmp_path / "run", model=ME).run
    assert run.models == (ME,)


def test_logs_of_several_models_are_not_put_under_one_name(tmp_path: Path) -> None:
    for name in ("a", "b"):
        log(tmp_path / "logs" / name, answers(1.0), f"them/{name}")
    with pytest.raises(sx.InputError, match=r"of several models \(them/a, them/b\)\. Import those of each apart"):
        import_logs(tmp_path / "logs", tool="lm-eval", experiment="correctness", out=tmp_path / "r", model="x/y")


def test_a_model_of_which_there_is_no_log_is_not_asked(tmp_path: Path) -> None:
    imported(tmp_path, *answers(1.0))
    with pytest.raises(sx.InputError, match=r"models sim/coin: .* has no log of it in correctness, only of sim/knows"):
        sx.run("sim/coin", out=tmp_path / "run")
    with pytest.raises(sx.InputError, match=r"correctness: what models did comes from a finished log"):
        sx.run(ME, items=tmp_path / "run" / "items", out=tmp_path / "new")


def test_a_run_that_was_asked_takes_in_no_log(
    tmp_path: Path,
) -> None:
    sx.run("sim/coin", limit=1, out=tmp_path / "run")
    with pytest.raises(sx.InputError, match=r"holds another run already"):
        imported(tmp_path, *answers(1.0))


# --- the whole way ---------------------------------------------------------------------------------------------------


def test_before_anything_is_asked_nothing_is_missing_and_the_way_on_is_said(selfexec: Command, tmp_path: Path) -> None:
    imported(tmp_path, *answers(1.0, 0.0))
    status, out, _ = selfexec("list", str(tmp_path))
    # two samples with a response and a score each; nothing was to be asked yet
    assert status == 0 and [line.split()[3:6] for line in out.splitlines() if ME in line] == [["2", "4", "0"]]
    status, out, err = selfexec("score", str(tmp_path / "run"))
    assert status == 2 and "selfexec run --out" in err


def test_the_card_says_that_behaviour_stands_in_logs_and_how_to_make_the_run_again(tmp_path: Path) -> None:
    [log] = simulated(tmp_path, ["sim/typical"], 8)
    import_logs([log], tool="lm-eval", experiment="correctness", out=tmp_path / "run")
    page = sx.card(sx.run(out=tmp_path / "run")).markdown()
    assert (
        "What the models did stands in finished logs of another harness" in page
        and "elsewhere and imported" not in page
    )
    assert "selfexec import --from lm-eval LOG --as correctness --out NEW\n    selfexec run --out NEW" in page
    file = next(log.glob("samples_*.jsonl")) if log.is_dir() else log
    assert hashlib.sha256(file.read_bytes()).hexdigest() in page


@pytest.mark.slow
def test_simulated_models_that_know_only_which_items_are_hard_have_no_own_excess_and_those_that_know_themselves_have(
    tmp_path: Path,
) -> None:
    own = {}
    for profile in ("knows-models", "knows-itself"):
        logs = simulated(tmp_path / profile, [f"sim/{profile}@{seed}" for seed in range(1, 9)])
        import_logs(logs, tool="lm-eval", experiment="correctness", out=tmp_path / f"run-{profile}")
        scores = sx.score(sx.run(out=tmp_path / f"run-{profile}"))
        own[profile] = [row for row in scores if row.metric == "own_excess"]
    assert {row.verdict for row in own["knows-models"]} == {"not shown"}
    # no verdict here either: some 7% of the replies name only a letter, which the task has as an option too, and cannot
    # be read as predictions
    assert len(own["knows-itself"]) == 8 and all(row.low is not None and row.low > 0 for row in own["knows-itself"])


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("good", "write it as provider/model"),
        ("mockllm/one", "unknown provider 'mockllm'"),
        ("vllm/m", None),
        (ME, None),
    ],
)
def test_an_import_says_that_a_model_cannot_be_asked_by_the_name_in_its_log(
    model: str, why: str | None, tmp_path: Path, selfexec: Command
) -> None:
    path = log(tmp_path / "log", answers(1.0, 0.0), model)
    out = str(tmp_path / "run")
    status, _, said = selfexec("import", "--from", "lm-eval", str(path), "--as", "correctness", "--out", out)
    assert status == 0
    assert ("cannot be asked" in said) == (why is not None) and (why or "") in said
    assert ("--model PROVIDER/MODEL" in said) == (why is not None)


def test_a_log_does_not_become_two_models_by_another_name(tmp_path: Path) -> None:
    path = log(tmp_path / "log", answers(1.0, 0.0), "good")
    import_logs(path, tool="lm-eval", experiment="correctness", out=tmp_path / "run")
    for experiment in ("correctness", "length"):
        with pytest.raises(sx.InputError, match=r"as one of good, and a model keeps its name\. .*into a new folder"):
            import_logs(path, tool="lm-eval", experiment=experiment, out=tmp_path / "run", model="vllm/good")
    assert load_manifest(tmp_path / "run").models == ["good"]
    run = import_logs(path, tool="lm-eval", experiment="correctness", out=tmp_path / "new", model="vllm/good").run
    assert run.manifest.models == ["vllm/good"]


def test_the_name_of_a_model_in_a_log_does_nothing_to_a_terminal(tmp_path: Path, selfexec: Command) -> None:
    folder = log(tmp_path / "theirs", answers(1.0, 0.0), "my/\x1b[31mllama\u202e")
    status, out, err = selfexec(
        "import", "--from", "lm-eval", str(folder), "--as", "correctness", "--out", str(tmp_path / "run")
    )
    assert status == 2 and r"the model my/\x1b[31mllama\u202e: control characters" in err
    assert "Give another one: --model PROVIDER/MODEL." in err and not (tmp_path / "run").exists()
    assert not {"\x1b", "\u202e"} & {*out, *err}


@pytest.mark.parametrize(("name", "at_an_address"), [("mockllm/one", True), ("good", False)])
def test_a_model_that_cannot_be_asked_by_its_name_in_a_log_is_named_with_the_ways_out_that_work(
    name: str, at_an_address: bool, tmp_path: Path, selfexec: Command
) -> None:
    path, out = log(tmp_path / "log", answers(1.0, 0.0), name), str(tmp_path / "run")
    status, said, _ = selfexec("import", "--from", "lm-eval", str(path), "--as", "correctness", "--out", out)
    assert status == 0 and "Next:" not in said  # what would be next is refused
    for more in ([], ["--dry-run"]):
        status, _, err = selfexec("run", "--out", out, *more)
        assert status == 2 and f"{name} cannot be asked by the name that the logs have" in err
        assert "--model PROVIDER/MODEL" in err and ("--base-url URL" in err) == at_an_address
    status, _, _ = selfexec("run", "--out", out, "--dry-run", "--base-url", "http://127.0.0.1:9/v1")
    assert (status == 0) == at_an_address


# --- logs that tell of some samples more often than of others ------------------------------------------------------


def uneven(folder: Path) -> sx.Run:
    """A run of three samples of which a second log has two again, all predictions asked."""
    imported(folder, *answers(1.0, 0.0, 1.0))
    import_logs(
        log(folder / "again", answers(1.0, 1.0), ME),
        tool="lm-eval", experiment="correctness", out=folder / "run",
    )  # fmt: skip
    return sx.run(out=folder / "run", epochs=2)


def test_no_prediction_is_exported_of_an_attempt_that_no_log_has(selfexec: Command, tmp_path: Path) -> None:
    uneven(tmp_path)
    status, out, err = selfexec("export", str(tmp_path / "run"))
    assert (status, out) == (0, "") and "nothing is left to ask" in err


def test_what_is_left_of_uneven_logs_is_exported(selfexec: Command, tmp_path: Path) -> None:
    run = uneven(tmp_path)
    left = [
        line for line in jsonl_of(tmp_path / "run") if not (line.get("epoch") == 2 and line["session"] == "predict")
    ]
    (tmp_path / "run" / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in left))
    _, out, _ = selfexec("export", str(tmp_path / "run"))
    # the two samples that the second log has
    assert len(out.splitlines()) == 2 and len(left) == len(run.replies) - 2


def test_a_run_of_uneven_logs_is_the_same_after_its_replies_were_imported(selfexec: Command, tmp_path: Path) -> None:
    run = uneven(tmp_path)
    replies = tmp_path / "run" / "replies.jsonl"
    back = ("import", str(replies), "--items", str(tmp_path / "run" / "items"), "--out", str(tmp_path / "back"))
    status, out, err = selfexec(*back)
    # 5 attempts, each with what was done, its score and a prediction
    assert (status, err) == (0, "") and "(15 replies, 0 sessions missing, 1 model)" in out
    again = sx.load(tmp_path / "back")
    assert again.asked == run.asked and again.manifest.epochs == run.manifest.epochs
    assert [*sx.score(again)] == [*sx.score(run)]


def jsonl_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "replies.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("origin", "advice"),
    [
        ("run", "ask every item twice (--epochs 2)"),
        ("logs", "import another log of the same model on the same samples"),
        ("import", "import replies of a second epoch (selfexec export --epochs 2 writes what to ask)"),
    ],
)
def test_what_repeats_behaviour_is_advised_by_where_a_run_is_from(origin: str, advice: str, tmp_path: Path) -> None:
    if origin == "logs":
        imported(tmp_path, *answers(1.0, 0.0, 1.0))
        run = sx.run(out=tmp_path / "run")
    else:
        run = sx.run("sim/coin", limit=3, out=tmp_path / "run")
    if origin == "import":
        run = sx.import_replies(run.folder / "replies.jsonl", items=run.folder / "items", out=tmp_path / "back")
    assert f"consistency of behaviour: not measured; to measure it, {advice}." in repr(sx.score(run))


def test_a_condition_that_imported_replies_lack_is_not_to_be_asked_by_run(tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=3, out=tmp_path / "run")
    back = sx.import_replies(run.folder / "replies.jsonl", items=run.folder / "items", out=tmp_path / "back")
    for one, way_out in ((run, "selfexec run with its --model"), (back, "selfexec export --facet frame=person")):
        with pytest.raises(sx.InputError, match=way_out):
            sx.score(one, conditions="frame=person")
