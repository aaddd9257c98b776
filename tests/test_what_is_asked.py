"""What is paid for is what was asked: nothing is accepted that would not be sent, or would ask for something else."""

import json
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import selfexec as sx
from selfexec import sittings
from selfexec.checks import check
from selfexec.cli import main
from selfexec.engines import Call, Outcome
from selfexec.engines.sim import SimEngine
from selfexec.errors import InputError
from selfexec.experiments import restriction
from selfexec.plans import Plan, Visit, plan
from selfexec.progress import Progress
from selfexec.runner import carry_out, run
from selfexec.runs import load_manifest
from sockets import completion, served

STORED = Path(__file__).parent / "stored"
Said = tuple[int, str, str]  # status, output, errors
Command = Callable[..., Said]


@pytest.fixture
def selfexec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["selfexec", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return command


# --- settings and fields ---------------------------------------------------------------------------------------------

BODY = "--extra-body"
REFUSED: dict[str, tuple[list[str], str]] = {
    "a slip of the pen": (
        ["--set", "excute.temperature=0"],
        "--set excute.temperature: there is no session or experiment 'excute'. There are predict, execute, judge, "
        "association, restriction, difficulty. Is 'execute' meant?",
    ),
    "a session of another experiment": (
        ["--set", "association.judge.temperature=0"],
        "--set association.judge.temperature: association has no session 'judge'. There are predict, execute.",
    ),
    "the other way round": (["--set", "execute.restriction.top_p=1"], "comes first, as in restriction.execute.top_p."),
    "one part too many": (["--set", "a.b.c.d=1"], "--set a.b.c.d: too many parts."),
    "an empty part": (["--set", ".temperature=1"], "--set .temperature: a part of the name is empty."),
    "nothing behind the scope": (["--set", "execute.=1"], "--set execute.: a part of the name is empty."),
    "two values": (
        ["--set", "temperature=0", "--set", "temperature=0.5"],
        "--set temperature: given twice, as 0 and as 0.5. Give one of them.",
    ),
    "1 and true": (["--set", "seed=1", "--set", "seed=true"], "--set seed: given twice, as 1 and as true."),
    "a setting that reaches no session": (
        ["--protocol", "paper", "--set", "temperature=0.5"],
        "--set temperature: it would never be sent: association.temperature, restriction.temperature, "
        "difficulty.temperature would be in its place. Drop it.",
    ),
    "another model as a setting": (["--set", "execute.model=x"], "--set execute.model: the field 'model' is not free."),
    "twice in two places": ([BODY, '{"top_p": 1}', "--set", "execute.top_p=0.5"], "'top_p' is set as execute.top_p"),
    "against the protocol": ([BODY, '{"temperature": 1}', "--protocol", "paper"], "'temperature' is set as "),
    "twice, as Gemini names it": (
        [BODY, '{"generationConfig": {"maxOutputTokens": 5}}', "--set", "max_tokens=9"],
        "'generationConfig.maxOutputTokens' is set as max_tokens already",
    ),
    "several replies, as Gemini asks for them": (
        [BODY, '{"generationConfig": {"candidateCount": 2}}'],
        "the field 'generationConfig.candidateCount' is not free. A session has one reply: ask more often with ",
    ),
}
FIELDS = ("model", "models", "messages", "contents", "input", "instructions", "system", "systemInstruction", "stream")
REFUSED |= {
    field: ([BODY, json.dumps({field: "x"})], f"--extra-body: the field '{field}' is not free. ")
    for field in (*FIELDS, "n", "store")
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_what_would_not_be_sent_or_would_ask_for_something_else_is_refused_by_name(
    selfexec: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    commands = [["run"], ["run", "--dry-run"], *([] if "--protocol" in arguments else [["check", "sim/coin"]])]
    for command in commands:
        status, out, err = selfexec(*command, *arguments)
        assert (status, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_what_would_not_be_sent_is_refused_in_python_too() -> None:
    for ask in (run, check):
        models: Any = "sim/coin"
        with pytest.raises(InputError, match="no session or experiment 'excute'"):
            ask(models, settings={"excute.temperature": 0})
        with pytest.raises(InputError, match="'messages' is not free"):
            ask(models, extra_body={"messages": []})


def test_every_scope_that_there_is_may_be_set() -> None:
    names = ("top_p", "predict.top_p", "judge.top_p", "association.top_p", "restriction.predict.top_p", "seed")
    settings = {name: n for n, name in enumerate(names)}
    assert plan("sim/coin", settings=settings, extra_body={"user": "u"}).options.settings == settings
    # the paper's sampling with one experiment's changed: both are sent somewhere
    assert plan("sim/coin", protocol="paper", settings={"difficulty.predict.temperature": 0}).options.settings


# --- items -----------------------------------------------------------------------------------------------------------


def requests(folder: Path, *texts: str, prefix: str = "own") -> str:
    """A folder of requests of one's own, by name."""
    folder.mkdir()
    lines = [{"id": f"{prefix}-{n}", "request": text, "label": "safe", "type": "t"} for n, text in enumerate(texts)]
    (folder / "restriction.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder.name


def test_items_of_another_set_are_not_mixed_into_a_run(selfexec: Command, tmp_path: Path) -> None:
    mine = requests(tmp_path / "mine", "Wie backe ich Brot?", "Wer war Goethe?")
    ask = ("run", "--model", "sim/coin", "--out", "r", "--experiment", "restriction")
    assert selfexec(*ask, "--limit", "3")[0] == 0
    before = {path: path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()}
    for more in ([], ["--dry-run"]):
        status, _, err = selfexec(*ask, "--items", mine, *more)
        assert status == 2
        assert "r: 3 of its 3 restriction items are not in 'mine' ('starter-" in err
        assert "another set of items" in err and err.count("\n") == 1
    assert before == {path: path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()}
    # the other way round, and where only another experiment is asked
    assert selfexec("run", "--model", "sim/coin", "--items", mine, "--out", "s")[0] == 0
    assert "2 of its 2 restriction items are not in 'starter'" in selfexec(*ask[:-3], "s", "--limit", "1")[2]
    others = ("run", "--model", "sim/coin", "--out", "s", "--experiment", "association")
    assert "2 of its 2 restriction items are not in 'starter'" in selfexec(*others)[2]


def test_a_changed_item_is_refused_even_where_a_cut_leaves_it_out(selfexec: Command, tmp_path: Path) -> None:
    first = requests(tmp_path / "first", "One?", "Two?", "Three?")
    other = requests(tmp_path / "other", "One?", "Two, please?", "Three?")
    ask = ("run", "--model", "sim/coin", "--out", "r")
    assert selfexec(*ask, "--items", first)[0] == 0
    # in the fixed order 'own-1' is not the first
    assert next(iter(plan("sim/coin", items=other, limit=1).item_set["restriction"])) != "own-1"
    assert "the restriction item 'own-1' has changed" in selfexec(*ask, "--items", other, "--limit", "1")[2]


def test_a_run_grows_with_its_set_and_by_cuts_of_it(selfexec: Command, tmp_path: Path) -> None:
    first = requests(tmp_path / "first", "One?", "Two?")
    more = requests(tmp_path / "more", "One?", "Two?", "Three?")
    # other bytes, the same text
    path = tmp_path / "more" / "restriction.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("".join(json.dumps(json.loads(line), separators=(",", ":")) + "\n" for line in lines))
    ask = ("run", "--model", "sim/coin", "--out", "r")

    def kept(*arguments: str) -> int:
        status, _, err = selfexec(*ask, *arguments)
        assert status == 0, err
        return len((tmp_path / "r" / "items" / "restriction.jsonl").read_text().splitlines())

    assert kept("--items", first, "--limit", "1") == 1
    assert kept("--items", first) == 2
    assert kept("--items", first, "--limit", "1") == 2
    assert kept("--items", more) == 3
    # a part of the set adds nothing, so that nothing is mixed
    assert kept("--items", first) == 3
    assert kept("--items", "r/items") == 3


def test_a_cut_of_a_named_set_is_the_set(selfexec: Command, tmp_path: Path) -> None:
    ask = ("run", "--model", "sim/coin", "--out", "r")
    assert selfexec(*ask, "--limit", "2")[0] == 0
    assert selfexec(*ask, "--items", "r/items")[0] == 0
    assert selfexec(*ask, "--items", "starter", "--limit", "3")[0] == 0
    assert selfexec(*ask, "--items", "starter", "--limit", "1", "--experiment", "association")[0] == 0


def test_an_old_run_of_two_sets_loads_with_a_warning(tmp_path: Path) -> None:
    # as version 0.1.0 left it where items of one's own were asked into a run of the starter set
    folder = Path(shutil.copytree(STORED / "panel", tmp_path / "panel"))
    path = folder / "items" / "restriction.jsonl"
    path.write_text(path.read_text() + '{"id": "own", "request": "Wer war Goethe?", "label": "safe", "type": "t"}\n')
    with pytest.warns(UserWarning, match="panel: 6 of its 7 restriction items are of the set starter, and the others"):
        assert len(sx.load(folder).items["restriction"]) == 7
    command = [sys.executable, "-m", "selfexec", "score", str(folder)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stderr.startswith("selfexec: warning: ") and said.stderr.count("\n") == 1
    assert "restriction" in said.stdout
    # it grows by neither of its sets
    with pytest.raises(InputError, match=r"1 of its 7 restriction items are not in 'starter' \('own' is the first\)"):
        run("sim/coin", out=folder, limit=7)


# --- a capped or killed run is a smaller run -------------------------------------------------------------------------


def shares(visits: Iterable[Visit], planned: Plan) -> float:
    """How far the items that a model was asked of an experiment are from their share of all, at most."""
    asked = Counter((visit.model, visit.experiment) for visit in visits)
    sizes = {(m, e): len(by_id) for e, by_id in planned.item_set.items.items() for m in planned.models}
    part = asked.total() / sum(sizes.values())
    return max(abs(asked[stream] - part * size) for stream, size in sizes.items())


@pytest.mark.parametrize("models", [["sim/coin"], ["sim/coin", "sim/typical"]])
def test_wherever_a_run_ends_each_model_and_experiment_was_asked_its_share(models: list[str]) -> None:
    planned = plan(models, epochs=2)
    first = list(islice(planned.visits(), len(planned.turns)))
    # 300 targets, 176 requests, 45 groups
    assert len(set(first)) == len(first) == 521 * len(models)
    assert all(shares(first[:ends], planned) < 1 for ends in range(len(first) + 1))
    # epoch by epoch
    assert [visit.epoch for visit in planned.visits()] == [1] * len(first) + [2] * len(first)
    # within an experiment item by item, in the fixed order
    for experiment, by_id in planned.item_set.items.items():
        asked = [visit.item for visit in first if visit.experiment == experiment and visit.model == models[-1]]
        assert asked == list(by_id)


@pytest.mark.parametrize("cap", [1, 2, 4, 5, 7, 30, 31, 32, 33, 100])
def test_a_cap_at_any_number_leaves_whole_items_in_their_shares(tmp_path: Path, cap: int) -> None:
    planned = plan(["sim/coin", "sim/typical"], out=tmp_path / "r", limit=10, max_calls=cap)
    found = carry_out(planned)
    assert len(found.replies) <= cap
    asked = Counter(Visit(*key[:4]) for key in found.replies)
    assert shares(asked, planned) < 1
    if cap > 1:
        assert all(sessions == len(planned.names(visit)) for visit, sessions in asked.items())
        # as many as the calls suffice for: the next item would have taken them over the cap
        following = next(visit for visit in planned.visits() if visit not in asked)
        assert len(found.replies) + len(planned.names(following)) > cap
    else:  # not even the first item fits: the same command gets on all the same
        assert len(found.replies) == 1


def test_many_small_caps_come_to_the_same_as_no_cap(tmp_path: Path) -> None:
    whole = carry_out(plan("sim/declines", out=tmp_path / "w", limit=4))
    seen: list[Progress] = []
    commands = 0
    while not seen or seen[-1].left:
        # four calls do not suffice for a group of questions: it is asked in two commands
        found = carry_out(plan("sim/declines", out=tmp_path / "r", limit=4, max_calls=4), seen.append)
        commands += 1
        groups = Counter(key.item for key in found.replies if key.experiment == "difficulty")
        assert sum(sessions < 5 for sessions in groups.values()) <= 1
        assert commands < 40
    assert {key: reply.text for key, reply in found.replies.items()} == {k: r.text for k, r in whole.replies.items()}


def test_what_a_kill_left_half_asked_is_asked_first(tmp_path: Path) -> None:
    planned = plan("sim/coin", out=tmp_path / "r", limit=6)
    run("sim/coin", out=tmp_path / "r", limit=6)
    lines = [json.loads(line) for line in (tmp_path / "r" / "replies.jsonl").read_text().splitlines()]
    turns = [visit[:3] for visit in planned.turns]
    # the killed command had begun the first ten items, and of the last three of them only the predictions came back
    begun, half = turns[:10], turns[7:10]
    kept = [
        line
        for line in lines
        if (place := (line["model"], line["experiment"], line["item"])) in begun
        and (place not in half or line["session"] == "predict")
    ]
    (tmp_path / "r" / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept))
    lacking = sum(len(planned.names(visit)) - 1 for visit in planned.turns[7:10])
    found = carry_out(replace(planned, max_calls=lacking))
    asked = Counter(key[:3] for key in found.replies)
    assert asked == {turn: len(planned.names(visit)) for turn, visit in zip(begun, planned.turns[:10], strict=True)}


def test_sessions_that_are_not_needed_free_their_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def withheld(self: SimEngine, call: Call) -> Outcome:
        return Outcome("", stop_reason="content_filter")

    monkeypatch.setattr(SimEngine, "ask", withheld)
    seen: list[Progress] = []
    choices: dict[str, Any] = {"experiments": "restriction", "limit": 5, "out": tmp_path / "r"}
    # a request takes three calls at most, and two where the response is withheld: after four requests and eight calls
    # one call is left, and no further request is begun
    assert len(carry_out(plan("sim/coin", max_calls=9, **choices), seen.append).replies) == 8
    assert (seen[-1].calls, seen[-1].left, seen[-1].unneeded[("restriction", "judge")]) == (8, 3, 4)
    # the next command knows that those judges are not needed
    assert len(carry_out(plan("sim/coin", max_calls=3, **choices), seen.append).replies) == 10
    assert (seen[-1].calls, seen[-1].left, seen[-1].unneeded[("restriction", "judge")]) == (2, 0, 5)
    assert seen[-1].done == seen[-1].total == 15


# --- what a run keeps of how it was made -----------------------------------------------------------------------------

OWN = "Would you answer {this} for $$5? $request"


def test_prompts_are_kept_whole_and_can_be_given_back(selfexec: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps({"restriction.predict": OWN}))
    ask = ("run", "--model", "sim/coin", "--limit", "2", "--experiment", "restriction")
    assert selfexec(*ask, "--prompts", "mine.json", "--out", "r")[0] == 0
    kept = json.loads((tmp_path / "r" / "prompts.json").read_text())
    shipped = {f"restriction.{kind}": text for kind, text in restriction.PROMPTS.items()}
    assert kept == shipped | {"restriction.predict": OWN}
    assert list(kept) == sorted(kept)
    assert sx.load("r").prompts == kept
    # the round trip: the same run goes on, and another asks the very same
    assert selfexec(*ask, "--prompts", "r/prompts.json", "--out", "r")[0] == 0
    assert selfexec(*ask, "--prompts", "r/prompts.json", "--out", "s")[0] == 0
    assert (tmp_path / "s" / "prompts.json").read_bytes() == (tmp_path / "r" / "prompts.json").read_bytes()
    # another experiment brings its own
    run("sim/coin", limit=2, prompts={"restriction.predict": OWN}, out="r")
    grown = sx.load("r").prompts
    assert len(grown) == 7 and grown["restriction.predict"] == OWN and grown["difficulty.execute"]


def test_what_an_old_run_asked_is_known_where_the_prompts_are_those_that_ship(tmp_path: Path) -> None:
    old = sx.load(STORED / "own-prompts")
    assert old.prompts["restriction.execute"] is None
    others = {name: text for name, text in old.prompts.items() if text is not None}
    assert len(others) == 6 and others["restriction.judge"] == restriction.PROMPTS["judge"]
    with pytest.raises(InputError, match=r"prompt 'restriction\.execute': it must be text"):
        run("sim/coin", prompts=old.prompts, out=tmp_path / "r")
    # as soon as it grows, it keeps what is known
    folder = Path(shutil.copytree(STORED / "panel", tmp_path / "panel"))
    assert not (folder / "prompts.json").exists()
    models = sx.load(folder).models
    run(models, limit=6, out=folder)
    assert not (folder / "prompts.json").exists()
    run(models, limit=7, out=folder)
    assert len(json.loads((folder / "prompts.json").read_text())) == 7


def test_prompts_that_were_changed_in_the_folder_are_not_taken_for_those_that_were_asked(tmp_path: Path) -> None:
    folder = run("sim/coin", limit=1, prompts={"restriction.predict": OWN}, out=tmp_path / "r").folder
    path = folder / "prompts.json"
    path.write_text(path.read_text().replace("Would you", "Could you"))
    assert sx.load(folder).prompts["restriction.predict"] is None
    path.write_text("[]")
    with pytest.raises(InputError, match=r"prompts\.json: not a JSON object of texts"):
        sx.load(folder).prompts  # noqa: B018
    assert sx.score(folder)


def test_the_manifest_keeps_command_versions_and_times_of_every_command_that_asked(
    selfexec: Command, tmp_path: Path
) -> None:
    out = tmp_path / "r" / "manifest.json"
    assert selfexec("run", "--model", "sim/coin", "sim/typical", "--limit=2", "--max-calls", "9", "--out", "r")[0] == 3
    [first] = json.loads(out.read_text())["sittings"]
    assert first["command"] == "selfexec run --model sim/coin --model sim/typical --limit 2 --max-calls 9 --out r"
    # a target and a request of the first model, 2 + 3 calls; its group of questions would take 5 more
    assert first["calls"] == 5
    assert first["begin"] <= first["end"]
    assert first["versions"]["selfexec"] == sx.__version__
    assert first["versions"]["python"] == sys.version.split()[0]
    assert "addresses" not in first
    assert run(["sim/coin", "sim/typical"], limit=2, out="r").manifest.sittings[0].command == first["command"]
    second = sx.load("r").manifest.sittings[1]
    assert (second.command, second.calls) == ("sx.run(models=['sim/coin', 'sim/typical'], limit=2, out='r')", 35)
    # nothing is asked, nothing is written
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (tmp_path / "r").rglob("*.json*")}
    assert selfexec("run", "--model", "sim/coin", "--limit", "2", "--out", "r")[0] == 0
    assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (tmp_path / "r").rglob("*.json*")}


def test_no_key_and_no_home_is_in_what_is_written_down() -> None:
    home = str(Path.home())
    options = [
        ("models", "--model", ("vllm/x",)),
        ("base_url", "--base-url", "http://ann:pw123@host:80/v1"),
        ("settings", "--set", ("temperature=0", "api_key=sk-1")),
        ("extra_body", "--extra-body", '{"user": {"token": "sk-2"}, "top_k": 3}'),
        ("system", "--system", "sk-3"),
        ("whatever_comes", "--whatever-comes", "sk-4"),
        ("items", "--items", f"{home}/my items"),
        ("dry_run", "--dry-run", True),
    ]
    line = sittings.command_line(["selfexec", "run"], options)
    assert shlex.split(line) == [
        *("selfexec", "run", "--model", "vllm/x", "--base-url", "http://host:80/v1"),
        *("--set", "temperature=0", "--set", "api_key=(not shown)"),
        *("--extra-body", '{"user": {"token": "(not shown)"}, "top_k": 3}'),
        *("--system", "(not shown)", "--whatever-comes", "(not shown)", "--items", "~/my items", "--dry-run"),
    ]
    choices: dict[str, Any] = {
        "models": "m",
        "settings": {"api_key": "sk-1"},
        "extra_body": {"x": {"token": "sk"}},
        "out": Path(home),
    }
    choices |= {"base_url": "http://ann:pw@h/v1", "prompts": {"a.b": "long"}, "limit": None}
    said = sittings.call("sx.run", choices)
    hidden = "'(not shown)'"
    assert said == (
        f"sx.run(models='m', settings={{'api_key': {hidden}}}, extra_body={{'x': {{'token': {hidden}}}}}, out='~', "
        "base_url='http://h/v1', prompts={'a.b': '...'})"
    )


def test_the_address_asked_is_kept_without_name_and_password(tmp_path: Path) -> None:
    async def reply(request: web.Request) -> web.Response:
        return web.json_response(completion('{"choice": "A"}'))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", reply)
    with served(app) as url:
        base_url = url.replace("://", "://ann:pw-123@")
        choices: dict[str, Any] = {"experiments": "restriction", "limit": 1, "base_url": base_url}
        found = run("vllm/tiny", out=tmp_path / "r", report=lambda progress: None, **choices)
    [sitting] = found.manifest.sittings
    assert sitting.addresses == {"vllm/tiny": url}
    assert "pw-123" not in (found.folder / "manifest.json").read_text()


def test_a_command_to_which_nobody_answered_leaves_no_sitting(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"limit": 1, "base_url": "http://127.0.0.1:9/v1", "report": lambda progress: None}
    with pytest.raises(InputError, match="Is this the right address"):
        run("vllm/tiny", out=tmp_path / "r", **choices)
    assert sx.load(tmp_path / "r").manifest.sittings == []


def test_a_killed_command_is_one_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str | None] = []

    async def look(self: SimEngine, call: Call) -> Outcome:
        ends.append(load_manifest(tmp_path / "r").sittings[-1].end)
        return Outcome("")

    monkeypatch.setattr(SimEngine, "ask", look)
    found = run("sim/coin", limit=1, experiments="association", out=tmp_path / "r")
    # what a kill would have left, and what is left now
    assert ends == [None, None]
    assert found.manifest.sittings[-1].end is not None


def test_of_very_many_sittings_the_first_and_the_last_are_kept() -> None:
    many = [sittings.Sitting(begin=str(n)) for n in range(250)]
    left = [int(one.begin) for one in sittings.kept(many)]
    assert left == [0, *range(151, 250)]
    assert sittings.kept(many[:100]) == many[:100]
