"""Every experiment through every command: it ends with a documented status, or with one line on what is wrong."""

import asyncio
import itertools
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from aiohttp import web
from click.testing import CliRunner

from build import changed, installed
from conftest import TOYS
from extension_parts import here, needs
from selfexec.cli import root
from selfexec.engines import CallResult
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, OURS
from selfexec.extension import registered
from selfexec.items import load as load_items
from selfexec.runs.asking import plan
from selfexec.runs.asking.estimate import estimate
from selfexec.runs.asking.remaining import remaining_of
from sockets import completion, served

ASKED = (*(experiment.name for experiment in OURS), "brevity", "habit", "lengths")
NAMES = (*ASKED, *registered("experiments"))
REPLIES = (
    '{"choice": "A"}',
    "B",
    '{"answer": "C"}',
    "I cannot help with that.",
    "tree, house, dog, cat, sun",
    '{"Q1": 1, "Q2": 2, "Q3": 3}',
    '{"question": "How many?", "options": {"A": "1", "B": "2", "C": "3", "D": "4"}, "answer": "B", "reason": "hard"}',
)
ITEMS = {  # of experiments that give no examples
    "habit": [{"id": "f1", "options": ["red", "green"]}, {"id": "c1", "options": ["red", "green"], "named": "red"}],
    "lengths": [{"id": "t1", "subjects": ["the sea", "the sky", "the earth"]}],
}
FREE = ("serve", "explain", "init", "view")  # which have nothing to do with experiments, or do not end by themselves


@pytest.fixture(scope="module", autouse=True)
def _toys() -> Iterator[None]:
    with installed(TOYS):
        yield


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that answers whatever it is asked with one text after another: some fit, most do not."""
    texts = itertools.cycle(REPLIES)

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(completion(next(texts)))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    with served(app) as address:
        yield address


def made_items(folder: Path, name: str) -> Path:
    """The examples of an experiment, as a set of items of its own."""
    folder.mkdir(parents=True)
    lines = [msgspec.json.encode(item) for item in EXPERIMENTS[name].examples or ITEMS[name]]
    (folder / f"{name}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    return folder


def made_log(folder: Path, *, with_options: bool) -> Path:
    """A log of lm-eval: six questions, of which every other was answered rightly; options were weighed, or there was a
    reply in words.
    """
    documents: list[dict[str, Any]] = [
        {
            "doc_id": n,
            "doc": {},
            "target": "A",
            "arguments": {"gen_args_0": {"arg_0": f"Question {n}? Tell A or B.", "arg_1": {"until": []}}},
            "resps": [["A" if n % 3 else "I cannot help."]],
            "filtered_resps": ["A" if n % 3 else "I cannot help."],
            "filter": "none",
            "metrics": ["acc"],
            "acc": float(n % 2),
        }
        for n in range(6)
    ]
    if with_options:
        for n, document in enumerate(documents):
            requests = [{"arg_0": f"Question {n}?", "arg_1": f" {option}"} for option in ("red", "green")]
            document["arguments"] = {f"gen_args_{k}": request for k, request in enumerate(requests)}
            document |= {"target": "0", "resps": [[["-1.5", "False"]], [[str(-1.0 - n % 2), "True"]]]}
            document["filtered_resps"] = [response[0] for response in document["resps"]]
    folder.mkdir(parents=True)
    place = "2026-11-22T10-00-00.000000"
    (folder / f"results_{place}.json").write_text(json.dumps({"model_name": "them/theirs", "config": {}}))
    path = folder / f"samples_quiz_{place}.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def commands(name: str, url: str) -> Iterator[str]:
    """Command lines that have to do with an experiment, in an order in which each has what it takes."""
    ask = f"--base-url {url} --experiment {name}"
    if EXPERIMENTS[name].recorded:
        yield f"import --from lm-eval log --as {name} --model vllm/a --out run"
        yield f"run --model vllm/a --items run/items {ask} --out run --dry-run"
        yield f"run --base-url {url} --out run"
    else:
        yield "items check items"
        yield f"run --model vllm/a,vllm/b --items items {ask} --out run --dry-run"
        yield f"run --model vllm/a,vllm/b --items items {ask} --out run"
        yield f"run --model sim/typical --items items --experiment {name} --out simulated"
        yield "run --out simulated"
        yield f"check vllm/a --items items --base-url {url}"
        yield f"export --model m --items items --experiment {name}"
        if here("batch"):
            yield f"export --model openai/m --items items --experiment {name} --to batch-openai -o batch --dry-run"
            yield f"export --model openai/m --items items --experiment {name} --to batch-openai -o batch"
            yield "export batch --to batch-openai"
    yield "run --out run --dry-run"
    yield "run --out run"
    yield "run --out run --epochs 2"
    yield "export run"
    yield "export run --to panel -o panel.json"
    if here("inspect"):
        yield "export run --to inspect -o logs"
        yield "import logs --from inspect --out again"
    yield "import run/replies.jsonl --items run/items --out imported"
    yield "export imported -o rest.jsonl"
    yield "run --out imported"
    for form in ("table", "json"):
        yield f"read run --format {form}"
    for how in ("--show", "--state missing", "--state unreadable --show", "--claim wrong --show"):
        yield f"read run {how}"
    for form in ("table", "json", "csv", "markdown"):
        yield f"score run --format {form}"
    yield f"score run --experiment {name} --convention readable"
    yield "score run --panel panel.json"
    for ending in ("json", "csv", "md", "txt"):
        yield f"score run -o scores.{ending}"
    yield "report run -o report.html"
    if here("card"):
        yield "card run"
    yield "compare run"
    yield "compare run --fail-if 'overall.skill drops 0.1'"
    yield f"compare run --fail-if '{name}.skill drops 0.1'"
    yield "analyze cross run"
    yield "analyze cross run --subject vllm/a"
    yield "analyze ladder run"
    yield "analyze correlate run"
    if here("published"):
        yield "analyze ledger run"
    yield "analyze trend run"
    if here("shards"):
        yield "merge run"
    yield "list ."
    yield "prompts run"
    if here("judging"):
        yield from judging(name, url)


def judging(name: str, url: str) -> Iterator[str]:
    yield "judge run"
    yield "judge run --judge rule"
    yield f"judge run --judge vllm/j --base-url {url} --experiment {name} --dry-run"
    yield f"judge run --judge vllm/j --base-url {url} --experiment {name}"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_command_ends_in_a_traceback(
    name: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.chdir(tmp_path)
    if EXPERIMENTS[name].recorded:
        made_log(tmp_path / "log", with_options=name == "choice")
    else:
        made_items(tmp_path / "items", name)
    used, run = set(), CliRunner()
    for line in commands(name, url):
        words = shlex.split(line)
        used.add(words[0])
        result = run.invoke(root, words, catch_exceptions=True, standalone_mode=False)
        wrong = result.exception
        assert wrong is None or isinstance(wrong, InputError | click.ClickException | SystemExit), (line, wrong)
        # where there is no run yet, `run` asks default models all items
        assert words[0] != "import" or words[-1] != "run" or wrong is None, wrong
        if isinstance(wrong, InputError):
            assert "\n" not in str(wrong) and str(wrong), line
        else:
            assert result.return_value in (None, 0, 3, 4), (line, result.output)
    left = set(root.commands_by_name) - used - set(FREE)
    assert left <= ({"items", "check"} if EXPERIMENTS[name].recorded else set())


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize(
    "command",
    [
        *("run", "dry-run", "check", "read", "score", "report"),
        pytest.param("card", marks=needs("card")),
        "export",
    ],
)
def test_these_work_for_every_experiment_and_are_not_just_refused(
    name: str, command: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made_items(tmp_path / "items", name)
    ask = f"run --model vllm/a --items items --base-url {url} --experiment {name} --out run"
    lines = {
        "run": [ask],
        "dry-run": [f"{ask} --dry-run"],
        "check": [f"check vllm/a --items items --base-url {url}"],
        "read": [ask, "read run --show"],
        "score": [ask, "score run"],
        "report": [ask, "report run -o report.html"],
        "card": [ask, "card run"],
        "export": [ask, f"export --model m --items items --experiment {name}"],
    }
    for line in lines[command]:
        result = CliRunner().invoke(root, shlex.split(line), standalone_mode=False)
        assert result.exception is None, (line, result.exception)
        assert result.return_value in (None, 0, 3), (line, result.output)


# --- what a run would take -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["association", "restriction", "difficulty", "failing_question"])
def test_every_session_is_opened_with_the_stand_ins(name: str) -> None:
    item_set = load_items("starter").cut([name], limit=5)
    experiment = EXPERIMENTS[name]
    for item in item_set[name].values():
        opened = []

        async def ask(session: str, prompt: object, *, parent: str | None = None) -> CallResult:
            opened.append(session)  # noqa: B023
            text = experiment.stand_in(item, session)  # noqa: B023
            return CallResult("x" * 100 if text is None else text)

        asyncio.run(experiment.sessions(item, ask, experiment.prompts))
        assert sorted(opened) == sorted(experiment.asked_names(item))


def test_an_experiment_without_a_stand_in_is_estimated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = changed(EXPERIMENTS["failing_question"], stand_in=lambda item, session: None)
    monkeypatch.setitem(vars(EXPERIMENTS)["_found"], "failing_question", plain)
    planned = plan("sim/coin", experiments="failing_question", limit=4)
    found = asyncio.run(estimate(asyncio.run(remaining_of(planned, {})), []))
    assert sum(part.sessions for part in found.parts) == planned.sessions and found.input_tokens > 0
