"""Every kind of run by every pair of export and import: what comes back is the run that went out, whole manifest and
all score rows, but for what is listed here.
"""

import json
import re
from collections.abc import Callable, Collection
from pathlib import Path
from shutil import copytree
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import selfexec as sx
from batch_api import BatchApi, fine
from extension_parts import needs
from faulty_server import FaultyServer
from selfexec.cli import root
from selfexec.engines.sim.server import SimServer
from selfexec.items import load
from selfexec.prompts import digest
from selfexec.runs import Run, write_manifest
from sockets import served

STORED = Path(__file__).parents[1] / "stored"
FAULTS = {"content-filter": 0.1, "refusal": 0.1}
TWO = ["sim/knows-itself", "sim/breaks-format"]

# what of a manifest must differ on which way, and why
EVERYWHERE = {
    "format": "an import is in the format of the day",
    "selfexec": "it is written by the version of the day",
    "origin": "an import was not asked here, and cannot be continued by asking; a run of logs stays one",
    "sources": "it names the files that it was made of",
}
NOT_IN_LINES = {
    "invocations": "lines of replies do not say which command asked",
    "design": "nor what else was asked: every item of an experiment counts as asked, once there is a reply",
    "planned": "nor what was to be asked later",
    "prompts": "nor the templates: each line has the SHA-256 of what was sent",
    "settings": "nor what was sent with the prompts",
    "own_settings": "nor what was sent to one model alone",
    "simulated": "names, marks of replies or the run beside the journal tell it; `run.simulated` is compared",
    "preset_order": "kept only with its preset",
    "study": "nor which study file",
    "reached": "nor where a model was asked",
}
ASKED_UNEVENLY = {  # so that more counts as missing where only lines are known, and replies alone are compared
    "grown": "a model was asked fewer items than another",
    "unfinished": "what --max-calls left was not asked",
    "stored_grown": "a model was asked fewer items in the second epoch",
}


def wrote(folder: Path, **changes: Any) -> None:
    manifest = sx.load(folder).manifest
    write_manifest(folder, msgspec.structs.replace(manifest, **changes))


# --- kinds of run ----------------------------------------------------------------------------------------------------


def simulated(out: Path) -> Run:
    return sx.run(TWO, limit=4, out=out)


def epochs(out: Path) -> Run:
    return sx.run(TWO, limit=3, epochs=2, out=out)


def facets(out: Path) -> Run:
    return sx.run(TWO, limit=3, facets={"frame": ["self", "another-model"]}, out=out)


def in_german(out: Path) -> Run:
    return sx.run(TWO, limit=3, prompts="de", out=out)


def own_prompts(out: Path) -> Run:
    return sx.run(TWO, limit=3, prompts={"restriction.execute": "Bitte: $request"}, out=out)


def grown(out: Path) -> Run:
    sx.run(TWO[:1], limit=2, experiments="restriction", out=out)
    return sx.run(["sim/coin"], limit=3, out=out)


def unfinished(out: Path) -> Run:
    return sx.run([*TWO, "sim/coin"], limit=5, max_calls=20, out=out)


def of_a_preset(out: Path) -> Run:
    return sx.run(TWO, experiments="difficulty", preset="quick", out=out)


def failing_question(out: Path) -> Run:
    return sx.run(TWO, experiments="failing_question", limit=3, out=out)


def judged(out: Path) -> Run:
    run = sx.run(TWO, limit=3, experiments="restriction", out=out)
    lines = [
        {**key.fields(), "source": source, "value": True, "reply_sha256": digest(reply.text)}
        for key, reply in run.replies.items()
        if key.session == "execute" and reply.text
        for source in ("human", "judge:m")
    ]
    (out / "judgements.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return sx.load(out)


def asked(out: Path) -> Run:
    """Over HTTP, of models that are not called sim/..., with settings, and settings of one model's own."""
    with served(FaultyServer(load("starter"), FAULTS).app()) as url:
        sx.run(
            ["vllm/typical", "vllm/coin"],
            base_url=url,
            limit=4,
            settings={"temperature": 0},
            system="Answer briefly.",
            out=out,
        )
    own = {"vllm/coin": {"temperature": 1, "system": "Answer briefly."}}
    wrote(out, own_settings=own)
    return sx.load(out)


def real(out: Path) -> Run:
    """As if a real model had been asked: nothing in the replies says that it is simulated, some failed, and some were
    withheld by the provider or by the model.
    """
    run = sx.run(TWO, limit=6, out=out.parent / f"{out.name}-before")
    copytree(run.folder, out)
    lines = []
    for n, (key, reply) in enumerate(run.replies.items()):
        line = json.loads(msgspec.json.encode(reply)) | {"model": key.model.replace("sim/", "lab/")}
        if n % 17 == 5:
            line |= {"text": None, "error": "timeout"}
        if n % 23 == 7:
            line |= {"text": None, "stop_reason": "content_filter"}
        if n % 29 == 3:
            line |= {"text": None, "refusal": "I would rather not."}
        lines.append(json.dumps(line) + "\n")
    (out / "replies.jsonl").write_text("".join(lines))
    manifest = run.manifest
    models = [model.replace("sim/", "lab/") for model in manifest.models]
    design = [msgspec.structs.replace(block, models=models) for block in manifest.design or ()]
    wrote(out, models=models, simulated=[], design=design)
    return sx.load(out)


def of_an_engine_that_simulates(out: Path) -> Run:
    """Simulated models whose names do not say so, as engines of other packages have them."""
    real(out)
    wrote(out, simulated=sx.load(out).manifest.models[:1])
    return sx.load(out)


def joined(out: Path) -> Run:
    for n in range(2):
        sx.run(TWO, limit=3, out=out, shard=f"{n}/2")
    return sx.merge(out)


def of_a_study(out: Path) -> Run:
    out.parent.mkdir(parents=True, exist_ok=True)
    study = out.parent / "study.toml"
    study.write_text(f"models = {json.dumps(TWO)}\nlimit = 3\nepochs = 2\nout = {json.dumps(str(out))}\n")
    return sx.load_study(study).run()


def of_a_batch(out: Path) -> Run:
    """Of which two rounds are back, and are all that there is to ask."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "k")
        api = BatchApi("openai")
        found = sx.export_batch("openai/typical", to="openai", out=out, limit=3, experiments="restriction")
        while found.sessions:
            for n, file in enumerate(found.files):
                results, errors = api.work(file.path, fine)
                place = out.parent / f"{found.sessions}-{n}.jsonl"
                place.write_text("".join(f"{line}\n" for line in [*results, *errors]))
                sx.import_batch(place, out=out)
            found = sx.export_batch(to="openai", out=out)
    return sx.load(out)


def stored(name: str) -> Callable[[Path], Run]:
    def made(out: Path) -> Run:
        copytree(STORED / name, out)
        return sx.load(out)

    made.__name__ = f"stored_{name}"
    return made


MADE = (
    *(simulated, epochs, facets, in_german, own_prompts, grown, unfinished, of_a_preset, failing_question, judged),
    *(asked, real, of_an_engine_that_simulates),
    pytest.param(joined, marks=needs("shards")),
    pytest.param(of_a_study, marks=needs("study")),
    pytest.param(of_a_batch, marks=needs("batch")),
    *(stored(name) for name in ("panel", "two-epochs", "grown", "own-prompts", "served", "imported")),
)


@pytest.fixture(scope="module", params=MADE, ids=lambda made: made.__name__)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    found = request.param(tmp_path_factory.mktemp("run") / "run")
    assert isinstance(found, Run) and found.replies
    return found


# --- there and back --------------------------------------------------------------------------------------------------


def rows(run: Run, **how: Any) -> list[Any]:
    return sorted(map(repr, sx.score(run, **how)))


def facts(run: Run, apart: Collection[str]) -> dict[str, Any]:
    fields = json.loads(msgspec.json.encode(run.manifest))
    return {name: value for name, value in fields.items() if name not in apart}


def without_connections(run: Run) -> dict[sx.Key, Any]:
    return {key: msgspec.structs.replace(reply, connection=None) for key, reply in run.replies.items()}


def is_the_same(again: Run, before: Run, apart: Collection[str]) -> None:
    assert facts(again, apart) == facts(before, apart)
    # which connection brought a reply matters only until it was checked, where the run says how far it was
    assert without_connections(again) == without_connections(before)
    assert again.simulated == before.simulated and again.models == before.models
    for convention in ("strict", "readable"):
        assert rows(again, convention=convention) == rows(before, convention=convention)


@needs("inspect")
@pytest.mark.parametrize("ending", ["eval", "json"])
@pytest.mark.slow
def test_by_logs_of_inspect(run: Run, tmp_path: Path, ending: str) -> None:
    pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
    from inspect_ai.log import read_eval_log, write_eval_log

    from selfexec.extensions.inspect.exporting import parts_of, write_logs
    from selfexec.extensions.inspect.importing import import_task_logs

    logs = write_logs(parts_of(run), tmp_path / "logs.d")
    if ending == "json":
        for log in logs:
            write_eval_log(read_eval_log(str(log)), str(log.with_suffix(".json")))
    again = import_task_logs([log.with_suffix(f".{ending}") for log in logs], out=tmp_path / "again")
    is_the_same(again, run, EVERYWHERE)
    assert again.prompts == run.prompts and again.asked == run.asked
    assert dict(again.judgements) == dict(run.judgements)


@pytest.mark.filterwarnings("ignore:.*has no line for")
def test_by_the_lines_of_its_journal(run: Run, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    preset = run.manifest.preset
    items = "starter" if preset else run.folder / "items"
    again = sx.import_replies(run.folder / "replies.jsonl", items=items, preset=preset, out=tmp_path / "again")
    if run.judgements:
        (again.folder / "judgements.jsonl").write_bytes((run.folder / "judgements.jsonl").read_bytes())
        again = sx.load(again.folder)
    if request.node.callspec.id in ASKED_UNEVENLY:
        assert dict(again.replies) == dict(run.replies) and again.simulated == run.simulated & {*run.models}
        return
    is_the_same(again, run, {**EVERYWHERE, **NOT_IN_LINES})


@pytest.mark.parametrize("made", [simulated, epochs, facets, in_german, of_a_preset, failing_question])
def test_by_lines_that_are_exported_and_answered_elsewhere(
    made: Callable[[Path], Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = made(tmp_path / "before")
    chosen = {
        "simulated": "--limit 4",
        "epochs": "--limit 3 --epochs 2",
        "facets": "--limit 3 --frame self,another-model",
        "in_german": "--limit 3 --prompts de",
        "of_a_preset": "--experiment difficulty --preset quick",
        "failing_question": "--experiment failing_question --limit 3",
    }[made.__name__].split()
    command = ["export", "--model", ",".join(TWO), *chosen]
    more = ["--items", "starter"]
    for number in range(1, 9):
        asked = CliRunner().invoke(root, command)
        assert asked.exit_code == 0, asked.exception
        lines = [json.loads(line) for line in asked.stdout.splitlines()]
        if not lines:
            break
        answers = [line | msgspec.to_builtins(before.replies[reply_key(line)]) for line in lines]
        Path(f"{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in answers))
        done = CliRunner().invoke(root, ["import", f"{number}.jsonl", *more, "--out", "again"])
        assert done.exit_code == 0, done.exception
        more = []
        following = re.search(r"Next: selfexec (export .*) > ", done.output)
        if following is None:
            break
        command = following[1].split()
    is_the_same(sx.load("again"), before, {**EVERYWHERE, **NOT_IN_LINES})


def reply_key(line: dict[str, Any]) -> Any:
    from selfexec.experiments import Key
    from selfexec.facets import facets_of

    names = ("model", "experiment", "item", "epoch", "session")
    return Key(*(line[name] for name in names), facets_of(line.get("facets", {})))


@needs("shards")
@pytest.mark.parametrize(
    "chosen", [{}, {"epochs": 2}, {"facets": {"frame": ["self", "another-model"]}}, {"prompts": "de"}]
)
def test_by_shards_that_are_joined(chosen: dict[str, Any], tmp_path: Path) -> None:
    before = sx.run(TWO, limit=4, out=tmp_path / "before", **chosen)
    for n in range(3):
        sx.run(TWO, limit=4, out=tmp_path / "again", shard=f"{n}/3", **chosen)
    again = sx.merge(tmp_path / "again")
    assert facts(again, {"invocations", "reached"}) == facts(
        before, {"invocations", "reached"}
    )  # asked otherwise, elsewhere
    assert again.replies.keys() == before.replies.keys() and rows(again) == rows(before)
    assert again.simulated == before.simulated


@needs("batch")
def test_by_files_of_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    choices: dict[str, Any] = {
        "experiments": ["restriction", "association"],
        "limit": 3,
        "settings": {"temperature": 0},
    }
    with served(SimServer(load("starter")).app()) as url:
        before = sx.run("openai/typical", base_url=url, out=tmp_path / "before", **choices)
    api = BatchApi("openai")
    found = sx.export_batch("openai/typical", to="openai", out=tmp_path / "again", **choices)
    while found.sessions:
        for n, file in enumerate(found.files):
            results, errors = api.work(file.path, fine)
            (tmp_path / f"{n}.jsonl").write_text("".join(f"{line}\n" for line in [*results, *errors]))
            sx.import_batch(tmp_path / f"{n}.jsonl", out=tmp_path / "again")
        found = sx.export_batch(to="openai", out=tmp_path / "again")
    again = sx.load(tmp_path / "again")
    assert facts(again, {"invocations", "reached"}) == facts(
        before, {"invocations", "reached"}
    )  # asked otherwise, elsewhere
    assert {key: reply.text for key, reply in again.replies.items()} == {
        key: reply.text for key, reply in before.replies.items()
    }
    assert rows(again) == rows(before)  # who is simulated is not compared: no provider's batch API would say so


@needs("study")
def test_by_a_study_file(tmp_path: Path) -> None:
    before = sx.run(TWO, limit=3, epochs=2, out=tmp_path / "before")
    study = f'models = {json.dumps(TWO)}\nlimit = 3\nepochs = 2\nout = "again"\n'
    (tmp_path / "study.toml").write_text(study)
    again = sx.load_study(tmp_path / "study.toml").run()
    assert facts(again, {"invocations"}) == facts(before, {"invocations"})  # another command asked, and names the file
    assert rows(again) == rows(before) and again.simulated == before.simulated


@needs("inspect")
@pytest.mark.slow
def test_part_of_a_run_that_goes_through_inspect_is_that_part(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
    from selfexec.extensions.inspect.exporting import parts_of, write_logs
    from selfexec.extensions.inspect.importing import import_task_logs

    run = of_an_engine_that_simulates(tmp_path / "run")
    one, other = run.models
    logs = write_logs(parts_of(run, [one], ["restriction", "difficulty"]), tmp_path / "one")
    again = import_task_logs(logs, out=tmp_path / "again")
    assert again.models == (one,) == tuple(again.manifest.models) == tuple(again.manifest.simulated or ())
    assert again.manifest.experiments == ["restriction", "difficulty"]
    assert dict(again.replies) == {
        key: reply
        for key, reply in run.replies.items()
        if key.model == one and key.experiment in again.manifest.experiments
    }
    # some of the logs of an export, and logs of two exports, say it too
    some = import_task_logs(logs[:1], out=tmp_path / "some")
    assert some.manifest.simulated == [one] and len(some.manifest.experiments) == 1
    more = write_logs(parts_of(run, [other]), tmp_path / "other")
    both = import_task_logs([*logs, *more], out=tmp_path / "both")
    assert both.manifest.simulated == [one] and both.simulated == {one} and set(both.models) == {one, other}


@needs("inspect", "logs")
@pytest.mark.slow
def test_a_run_of_logs_that_goes_through_inspect_is_one_of_logs_and_can_be_asked_on(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
    from extensions.logs.quiz import generated, log
    from selfexec.extensions.inspect.exporting import parts_of, write_logs
    from selfexec.extensions.inspect.importing import import_task_logs
    from selfexec.extensions.logs.importing import import_logs

    lines = [generated(n, f"Question {n}?", f"Answer {n}.", exact_match=float(n % 2)) for n in range(6)]
    path = log(tmp_path / "log", lines, "sim/knows-itself")
    import_logs(path, tool="lm-eval", experiment="correctness", out=tmp_path / "run")
    run = sx.run(out=tmp_path / "run", limit=4)
    again = import_task_logs(write_logs(parts_of(run), tmp_path / "logs"), out=tmp_path / "again")
    left = {key for key in run.replies if key not in again.replies}
    assert facts(again, EVERYWHERE) == facts(run, EVERYWHERE) and again.manifest.origin == "logs"
    assert rows(again) == rows(run)
    asked = {key.item for key in run.replies if key.session == "predict"}
    assert {key.item for key in left}.isdisjoint(asked)
    command = ["export", str(tmp_path / "run"), "--to", "inspect", "--out", str(tmp_path / "more")]
    said = CliRunner().invoke(root, command).stderr
    lost = len(left)
    assert (f"not in the logs: {lost} replies to items for which no prediction was asked" in said) == bool(lost)
