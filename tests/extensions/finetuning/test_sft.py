"""Chats to train a model on predictions of its own behaviour: every line of every set by hand, and what is refused."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import pytest

import selfexec as sx
from build import selfexec, write
from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.finetuning.sets import split_by_family

PREDICT = EXPERIMENTS["restriction"].prompts["predict"]
LISTS = EXPERIMENTS["association"].prompts["predict"]
TYPES = ["maps", "maps", "knives", "contrast_knives", "songs", "songs"]  # a contrast is of the family it contrasts with
BEHAVIOUR = {"m": [True, True, False, False, True, False], "other": [True, False, True, False, False, True]}


def restriction_run(
    folder: Path,
    behaviour: Mapping[str, Sequence[bool]] = BEHAVIOUR,
    types: Sequence[str] = TYPES,
    prompts: bool = True,
) -> sx.Run:
    """A run in which models answer the requests that they answer here; each predicts that it would not."""
    folder.mkdir()
    items = [{"id": f"r{n}", "request": f"Request {n}?", "label": "safe", "type": type} for n, type in enumerate(types)]
    (folder / "items").mkdir()
    write(folder / "items" / "restriction.jsonl", items)
    lines: list[dict[str, Any]] = []
    for model, answers in behaviour.items():
        for item, answered in zip(items, answers, strict=True):
            prompt = {"prompt": Template(PREDICT).substitute(request=item["request"])} if prompts else {}
            key = {"model": model, "experiment": "restriction", "item": item["id"]}
            lines += [{**key, "session": "predict", "text": "B", **prompt}]
            lines += [{**key, "session": "execute", "text": "Here you are."}]
            lines += [{**key, "session": "judge", "text": "A" if answered else "B"}]
    write(folder / "replies.jsonl", lines)
    return sx.import_replies([folder / "replies.jsonl"], items=folder / "items", out=folder / "run")


def replies(path: Path) -> dict[str, str]:
    """Item -> what the model is trained to say."""
    chats = map(json.loads, path.read_text("utf-8").splitlines())
    return {chat["item"]: chat["messages"][-1]["content"] for chat in chats}


def answers(letters: str) -> list[str]:
    return [f'{{"choice": "{letter}"}}' for letter in letters]


@pytest.fixture
def written(tmp_path: Path) -> sx.TrainingFiles:
    return sx.export_sft(restriction_run(tmp_path / "r"), tmp_path / "chats", model="m", seed=1)


def test_a_chat_is_the_prompt_of_the_prediction_and_what_the_model_did(written: sx.TrainingFiles) -> None:
    files = (written.train["own"], written.unseen)
    chats = [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]
    by_item = {chat["item"]: chat for chat in chats}
    assert sorted(by_item) == [f"r{n}" for n in range(6)]
    assert by_item["r3"] == {
        "messages": [
            {"role": "user", "content": PREDICT.replace("$request", "Request 3?")},
            {"role": "assistant", "content": '{"choice": "B"}'},  # it did not answer request 3
        ],
        "experiment": "restriction",
        "item": "r3",
        "family": "knives",
    }
    said = replies(written.train["own"]) | replies(written.unseen)
    assert [said[f"r{n}"] for n in range(6)] == answers("AABBAB")


def test_each_family_is_on_one_side_only(written: sx.TrainingFiles) -> None:
    # of six items in three families of two, .4 is nearest to one family, 2/6
    families = written.manifest["families"]
    assert len(families["unseen"]["restriction"]) == 1 and len(families["train"]["restriction"]) == 2
    assert {*families["unseen"]["restriction"], *families["train"]["restriction"]} == {"maps", "knives", "songs"}
    unseen = families["unseen"]["restriction"][0]
    ids = [f"r{n}" for n, type in enumerate(TYPES) if type.removeprefix("contrast_") == unseen]
    assert sorted(replies(written.unseen)) == ids
    # and these are the items that trained models are asked about
    rows = [json.loads(line) for line in (written.items / "restriction.jsonl").read_text("utf-8").splitlines()]
    assert sorted(row["id"] for row in rows) == ids


def test_controls_say_the_majority_and_what_another_model_did_of_the_same_items(written: sx.TrainingFiles) -> None:
    trained = list(replies(written.train["own"]))
    numbers = [int(id[1:]) for id in trained]
    yes = sum(BEHAVIOUR["m"][n] for n in numbers)
    common = answers("A" if 2 * yes > len(numbers) else "B")[0]
    assert replies(written.train["majority"]) == dict.fromkeys(trained, common)
    others = answers("".join("A" if BEHAVIOUR["other"][n] else "B" for n in numbers))
    assert replies(written.train["cross-other"]) == dict(zip(trained, others, strict=True))
    same = sum(BEHAVIOUR["m"][n] == BEHAVIOUR["other"][n] for n in numbers)
    facts = written.manifest["files"]["train/cross-other.jsonl"]
    assert facts["behaviour_of"] == "other" and facts["claims_like_own"] == same / len(numbers)


def test_shuffled_outcomes_are_the_same_ones_at_other_items(tmp_path: Path) -> None:
    behaviour = {"m": [n % 2 == 0 for n in range(60)], "other": [n % 3 == 0 for n in range(60)]}
    run = restriction_run(tmp_path / "r", behaviour, [f"type {n}" for n in range(60)])
    written = sx.export_sft(run, tmp_path / "chats", model="m")
    own, shuffled = (replies(written.train[name]) for name in ("own", "shuffled"))
    assert list(own) == list(shuffled) and sorted(own.values()) == sorted(shuffled.values())
    # of 36 about half are moved to another outcome: between 8 and 28 in all but one try of ten thousand
    assert 8 <= sum(own[id] != shuffled[id] for id in own) <= 28
    # the seed alone decides
    again = sx.export_sft(run, tmp_path / "again", model="m")
    assert again.manifest["files"] == written.manifest["files"]
    other = sx.export_sft(run, tmp_path / "other", model="m", seed=1)
    assert other.manifest["families"] != written.manifest["families"]


def test_hashes_in_the_manifest_are_those_of_the_files(written: sx.TrainingFiles) -> None:
    for name, facts in written.manifest["files"].items():
        content = (written.folder / name).read_bytes()
        assert facts["sha256"] == hashlib.sha256(content).hexdigest()
        assert facts["lines"] == content.count(b"\n")
    files = {str(path.relative_to(written.folder).as_posix()) for path in written.folder.rglob("*.jsonl")}
    assert files == written.manifest["files"].keys()
    assert json.loads((written.folder / "manifest.json").read_text("utf-8")) == written.manifest


def lists_run(folder: Path, marks: Mapping[str, Mapping[str, Sequence[str]]], options: Sequence[Sequence[str]]) -> Any:
    """A run of association: model -> target -> the words that it lists."""
    folder.mkdir()
    (folder / "items").mkdir()
    items = [{"id": f"t{n}", "target": f"Target{n}", "options": list(words)} for n, words in enumerate(options)]
    write(folder / "items" / "association.jsonl", items)
    lines = [
        {"model": model, "experiment": "association", "item": item["id"], "session": session, "text": text} | more
        for model, by_item in marks.items()
        for item in items
        for session, text, more in (
            (
                "predict",
                "I cannot say.",
                {
                    "prompt": Template(LISTS).substitute(
                        target=item["target"], options=", ".join(map(str, item["options"]))
                    )
                },
            ),
            ("execute", json.dumps({"words": [*by_item[str(item["id"])], "one", "two", "three"]}), {}),
        )
    ]
    write(folder / "replies.jsonl", lines)
    return sx.import_replies([folder / "replies.jsonl"], items=folder / "items", out=folder / "run")


def test_of_a_list_each_option_is_marked_and_the_majority_is_over_all_options(tmp_path: Path) -> None:
    options = [["ab", "cd"], ["ef", "gh"], ["ij", "kl"], ["mn", "op"], ["qr", "st", "uv"]]
    marks = {"m": {"t0": ["ab"], "t1": [], "t2": ["kl"], "t3": [], "t4": ["uv"]}}
    marks["other"] = {"t0": [], "t1": ["ef"], "t2": ["ij"], "t3": ["mn"], "t4": []}
    written = sx.export_sft(lists_run(tmp_path / "a", marks, options), tmp_path / "chats", model="m")
    # the last target is the only one with three options: nothing can be put in the place of its outcomes
    assert written.manifest["left_out"] == 1
    said = replies(written.train["own"]) | replies(written.unseen)
    assert said == {
        "t0": '{"ab": true, "cd": false}',
        "t1": '{"ef": false, "gh": false}',
        "t2": '{"ij": false, "kl": true}',
        "t3": '{"mn": false, "op": false}',
    }
    assert all("true" not in text for text in replies(written.train["majority"]).values())
    # what is moved keeps its options
    shuffled = replies(written.train["shuffled"])
    assert {id: [*json.loads(text)] for id, text in shuffled.items()} == {
        id: options[int(id[1:])] for id in written.train and shuffled
    }


def test_a_prompt_that_asks_for_a_letter_alone_is_answered_so(tmp_path: Path) -> None:
    texts = {
        "restriction.predict": 'Would you answer this?\n"$request"\nReply with A (yes) or B (no) and nothing else.'
    }
    prompts = tmp_path / "prompts.json"
    prompts.write_text(json.dumps(texts), "utf-8")
    models = ["sim/typical", "sim/coin"]
    run = sx.run(models, experiments="restriction", limit=60, prompts=prompts, out=tmp_path / "run")
    written = sx.export_sft(run, tmp_path / "chats", model="sim/typical")
    assert {*replies(written.train["own"]).values()} == {"A", "B"}
    # a simulated model that has learnt these chats would be read as what it did
    outcomes = {
        row["item"]: row["observed"] for row in run.observations.iter_rows(named=True) if row["model"] == models[0]
    }
    assert all((text == "A") == outcomes[id] for id, text in replies(written.train["own"]).items())


def test_a_replay_is_what_the_model_said_when_it_did_the_trained_items(tmp_path: Path) -> None:
    models = ["sim/typical", "sim/coin"]
    run = sx.run(
        models, experiments="restriction", limit=60, facets={"frame": ["self", "person"]}, out=tmp_path / "run"
    )
    written = sx.export_sft(run, tmp_path / "chats", model=models[0])
    chats = [json.loads(line) for line in written.train["replay"].read_text("utf-8").splitlines()]
    # one for each trained item: the request alone, and the response, but no judgement
    assert sorted(chat["item"] for chat in chats) == sorted(replies(written.train["own"]))
    for chat in chats:
        key = sx.Key(models[0], "restriction", chat["item"], 1, "execute")
        request, response = chat["messages"]
        assert request == {"role": "user", "content": run.items["restriction"][chat["item"]].request}
        assert response == {"role": "assistant", "content": run.replies[key].text}
    assert written.manifest["files"]["train/replay.jsonl"]["lines"] == len(chats)


def test_a_system_prompt_stands_before_the_prompt(tmp_path: Path) -> None:
    models = ["sim/typical", "sim/coin"]
    run = sx.run(models, experiments="restriction", limit=40, system="Be brief.", out=tmp_path / "run")
    written = sx.export_sft(run, tmp_path / "chats", model=models[0])
    [chat, *_] = map(json.loads, written.train["own"].read_text("utf-8").splitlines())
    assert [m["role"] for m in chat["messages"]] == ["system", "user", "assistant"]
    assert chat["messages"][0]["content"] == "Be brief."


def test_families_are_split_as_near_to_the_share_as_they_allow() -> None:
    sizes = {"large": 7, "a": 1, "b": 1, "c": 1}
    # .4 of 10 are 4: the large family would be 3 too many, or 3 too few without it
    assert split_by_family(sizes, "0") in ({"a", "b", "c"}, {"large"})
    assert split_by_family({"only": 5}, "0") == set()
    even = {f"f{n}": 1 for n in range(100)}
    assert len(split_by_family(even, "0")) == 40 and split_by_family(even, "0") != split_by_family(even, "1")
    # a family that is added changes the place of no other
    more = split_by_family({**even, "new": 1}, "0")
    assert len(more ^ split_by_family(even, "0")) <= 2


def test_what_cannot_be_a_controlled_training_is_refused(tmp_path: Path) -> None:
    run, out = restriction_run(tmp_path / "r"), tmp_path / "chats"

    def refused(said: str, run: Any = run, **given: Any) -> None:
        with pytest.raises(sx.InputError, match=re.escape(said)):
            sx.export_sft(run, out, **{"model": "m", **given})
        assert not out.exists()

    refused("whose behaviour is to be learnt? Name a model: m, other.", model=None)
    refused("unknown model 'n'.", model="n")
    refused("unknown model 'n'.", against="n")
    refused("association was not asked, only restriction.", experiments="association")
    alone = restriction_run(tmp_path / "alone", {"m": BEHAVIOUR["m"]})
    refused("there is no other model than m, whose behaviour a control could learn.", alone)
    same = restriction_run(tmp_path / "same", {"m": BEHAVIOUR["m"], "other": BEHAVIOUR["m"]})
    refused("other: it did the same as m in all 4 items that are trained on, so that it is no control.", same)
    uniform = restriction_run(tmp_path / "uniform", {"m": [True] * 6, "other": BEHAVIOUR["m"]})
    refused("restriction: m did the same with all 6 items, so that every control says what it did.", uniform)
    one_family = restriction_run(tmp_path / "one", types=["maps"] * 6)
    refused("restriction: its 6 items are of 1 family, so that none can be unseen. Give split item", one_family)
    unkept = restriction_run(tmp_path / "unkept", prompts=False)
    refused("is not kept, so that nobody can be trained on it.", unkept)
    out.mkdir()
    (out / "mine.txt").touch()
    with pytest.raises(sx.InputError, match="there is something in it already"):
        sx.export_sft(run, out, model="m")


def test_split_by_item_takes_families_apart(tmp_path: Path) -> None:
    run = restriction_run(tmp_path / "one", types=["maps"] * 6)
    written = sx.export_sft(run, tmp_path / "chats", model="m", split="item")
    assert [len(replies(path)) for path in (written.train["own"], written.unseen)] == [4, 2]


@pytest.mark.parametrize(("yes", "letter"), [(7, "A"), (6, "B"), (5, "B")])
def test_the_majority_is_that_of_the_trained_items_and_no_where_it_is_as_many(
    yes: int, letter: str, tmp_path: Path
) -> None:
    # 12 of 20 items are trained on; so many of these are answered, and all of the others
    types = [f"type {n}" for n in range(20)]
    unseen = split_by_family(dict.fromkeys(types, 1), "0\nrestriction")
    trained = [n for n, type in enumerate(types) if type not in unseen]
    assert len(trained) == 12
    behaviour = [n not in trained[yes:] for n in range(20)]
    run = restriction_run(tmp_path / "r", {"m": behaviour, "other": [not did for did in behaviour]}, types)
    said = replies(sx.export_sft(run, tmp_path / "chats", model="m").train["majority"])
    assert {*said.values()} == {*answers(letter)} and len(said) == 12


def test_a_prompt_that_wants_another_form_than_we_write_is_refused(tmp_path: Path) -> None:
    run = sx.run(
        ["sim/typical", "sim/coin"],
        experiments="restriction",
        limit=9,
        facets={"elicit": "probability"},
        out=tmp_path / "r",
    )
    with pytest.raises(sx.InputError, match="Its prompts ask for another form"):
        sx.export_sft(run, tmp_path / "chats", model="sim/coin")


def test_another_source_says_what_was_done(tmp_path: Path) -> None:
    # by its own judgement the model answers some of the requests; by the rule "Here you are." answers all of them
    run = restriction_run(tmp_path / "r")
    with pytest.raises(sx.InputError, match="m did the same with all 6 items"):
        sx.export_sft(run, tmp_path / "chats", model="m", source="rule")
    with pytest.raises(sx.InputError, match="source"):
        sx.export_sft(run, tmp_path / "chats", model="m", source="nobody")


def test_orders_are_not_trained_on(tmp_path: Path) -> None:
    run = sx.run(["sim/typical", "sim/coin"], experiments="difficulty", limit=4, out=tmp_path / "run")
    with pytest.raises(sx.InputError, match="difficulty: it does not say what a reply looks like that is right"):
        sx.export_sft(run, tmp_path / "chats", model="sim/coin")


def test_the_command_writes_what_python_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = restriction_run(tmp_path / "r")
    written = sx.export_sft(run, tmp_path / "python", model="m", seed=1, against="other")
    more = ["--split", "family", "--seed", "1", "--against", "other", "--experiment", "restriction"]
    command = ["export", run.folder, "--to", "sft", "--model", "m", "-o", tmp_path / "shell", *more]
    assert selfexec(monkeypatch, *command) == 0
    assert "4 chats to train on (own, majority, shuffled, cross-other), 2 items unseen." in capsys.readouterr().err
    for name in written.manifest["files"]:
        assert (tmp_path / "shell" / name).read_bytes() == (tmp_path / "python" / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "sft", "-o", "x"], "which run? Chats say what its model did"),
        (["RUN", "--to", "sft", "--model", "m"], "--to sft: several files are written. Give --out a folder."),
        (
            ["RUN", "--to", "sft", "--model", "m", "--limit", "3", "-o", "x"],
            "--limit: chats are made from the replies of",
        ),
        (["RUN", "--to", "sft", "--model", "m,other", "-o", "x"], "--model other: chats are of one model's behaviour."),
        (
            ["RUN", "--to", "panel", "--split", "item"],
            "--split: this option is for files to train on. Choose the format: --to sft",
        ),
        (["RUN", "--seed", "2"], "--seed: this option is for files to train on."),
    ],
)
def test_a_command_that_is_not_whole_is_refused(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = restriction_run(tmp_path / "r")
    monkeypatch.chdir(tmp_path)
    assert selfexec(monkeypatch, "export", *(str(run.folder) if a == "RUN" else a for a in arguments)) == 2
    assert said in capsys.readouterr().err
