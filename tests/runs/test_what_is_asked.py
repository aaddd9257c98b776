"""What is paid for is what was asked: nothing is accepted that would not be sent, or would ask for something else."""

import base64
import hashlib
import json
import math
import shlex
import shutil
import sys
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from string import Template
from typing import Any

import msgspec
import polars as pl
import pytest
from aiohttp import web

import selfexec as sx
from build import Command
from selfexec.analysis.power import outlook
from selfexec.engines import Call, CallResult, Price
from selfexec.engines.sim import SimEngine
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, Key, restriction
from selfexec.experiments.restriction import UserRequest
from selfexec.report.evidence import PageEvidence
from selfexec.report.sections.about import provenance
from selfexec.runs import Reply, invocations, load_manifest, write_manifest
from selfexec.runs.asking import Job, Plan, Progress, carry_out, note, plan, run
from selfexec.runs.asking.checks import check
from selfexec.runs.asking.estimate import calls_a_second, foreseen
from selfexec.runs.asking.progress import Caps
from sockets import completion, served

STORED = Path(__file__).parents[1] / "stored"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- settings and fields ---------------------------------------------------------------------------------------------

BODY = "--extra-body"
REFUSED: dict[str, tuple[list[str], str]] = {
    "a slip of the pen": (
        ["--set", "excute.temperature=0"],
        "--set excute.temperature: there is no session or experiment 'excute'. There are predict, execute, judge, "
        "verify",
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
        "difficulty.temperature would be in its place (--protocol paper). Drop one of the two, or change what is sent "
        "in an experiment by its name: --set association.temperature=...",
    ),
    "another model as a setting": (["--set", "execute.model=x"], "--set execute.model: the field 'model' is not free."),
    "twice in two places": (
        [BODY, '{"top_p": 1}', "--set", "execute.top_p=0.5"],
        "'top_p' is set by --set execute.top_p",
    ),
    "against the protocol": (
        [BODY, '{"temperature": 1}', "--protocol", "paper"],
        "'temperature' is set by --protocol paper already",
    ),
    "twice, as Gemini names it": (
        [BODY, '{"generationConfig": {"maxOutputTokens": 5}}', "--set", "max_tokens=9"],
        "'generationConfig.maxOutputTokens' is set by --set max_tokens already",
    ),
    "several replies, as Gemini asks for them": (
        [BODY, '{"generationConfig": {"candidateCount": 2}}'],
        "the field 'generationConfig.candidateCount' is not free. A session has one reply: ask more often with ",
    ),
}
for constant in ("NaN", "Infinity", "-Infinity", "1e999"):
    number = str(float(constant))
    REFUSED[f"a setting {constant}"] = (["--set", f"top_p={constant}"], f"--set top_p: {number} is no number that JSON")
    field = f'{{"a": [{{"b": {constant}}}]}}'
    REFUSED[f"a field {constant}"] = (
        [BODY, field],
        f"--extra-body: the field 'a': {number} is no number that JSON has.",
    )
UNSENDABLE = ": not text that can be sent: half a surrogate pair is in it. Write it in UTF-8."
REFUSED |= {
    "a misspelt setting": (
        ["--set", "temprature=0"],
        "--set temprature: did you mean temperature? To send 'temprature' anyway, use --extra-body.",
    ),
    "a misspelt setting of one session": (["--set", "execute.max-tokens=9"], "did you mean max_tokens?"),
    "other capitals": (["--set", "Top_P=1"], "--set Top_P: did you mean top_p?"),
    "half a character in a setting": (["--set", r'user="\ud83d"'], f"--set user{UNSENDABLE}"),
    "half a character in a setting's name": (["--set", "us\udcffer=1"], f"--set us?er{UNSENDABLE}"),
    "a stray byte in a setting": (["--set", "user=a\udcff"], f"--set user{UNSENDABLE}"),
    "half a character in a field": ([BODY, r'{"a": {"\ud83d": 1}}'], f"--extra-body: the field 'a'{UNSENDABLE}"),
    "a stray byte in the system prompt": (["--system", "a\udcff"], f"--system{UNSENDABLE}"),
    "a reserved field with a blank": ([BODY, '{" model": "x"}'], "--extra-body: the field ' model' is not free. "),
    "a reserved field in capitals": ([BODY, '{"Messages": []}'], "--extra-body: the field 'Messages' is not free. "),
    "a field without end": (
        [BODY, f'{{"a": {"[" * 900}{"]" * 900}}}'],
        "the field 'a': nested more than 100 levels deep.",
    ),
    "a field that never ends": ([BODY, f'{{"a": {"[" * 100_000}'], "--extra-body: not valid JSON ("),
    "a setting without end": (["--set", f"a={'[' * 900}{']' * 900}"], "--set a: nested more than 100 levels deep."),
    "no end of seconds": (["--timeout", "inf"], "--timeout inf: give a finite number of seconds above 0."),
    "too many seconds": (["--timeout", "1e400"], "--timeout inf: give a finite number of seconds above 0."),
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
        with pytest.raises(InputError, match="the field 'a': nan is no number that JSON has"):
            ask(models, extra_body={"a": (1, {"b": math.nan})})
        for given in ({"settings": {"user": "\ud800"}}, {"extra_body": {"\ud800": 1}}, {"system": "\ud800"}):
            with pytest.raises(InputError, match="not text that can be sent"):
                ask(models, **given)
        with pytest.raises(InputError, match="models: not text that can be sent"):
            ask("any/\ud800", base_url="http://127.0.0.1:9/v1")
        for seconds in (math.inf, math.nan):
            with pytest.raises(InputError, match="give a finite number of seconds"):
                ask(models, timeout=seconds)


def test_every_scope_that_there_is_may_be_set() -> None:
    names = ("top_p", "predict.top_p", "judge.top_p", "association.top_p", "restriction.predict.top_p", "seed")
    settings = {name: n / 5 for n, name in enumerate(names)} | {"seed": 5}
    assert plan("sim/coin", settings=settings, extra_body={"user": "u"}).sampling.settings == settings
    # the paper's sampling with one experiment's changed: both are sent somewhere
    assert plan("sim/coin", protocol="paper", settings={"difficulty.predict.temperature": 0}).sampling.settings


def test_a_setting_that_is_like_no_known_one_is_sent_and_a_misspelt_one_as_a_field() -> None:
    settings = {"top_n": 3, "execute.max_new_tokens": 5, "num_ctx": 4096, "top_k": 4, "topP": 0.5}
    sampling = plan("sim/coin", settings=settings, extra_body={"temprature": 0}).sampling
    assert sampling.settings == settings and sampling.extra_body == {"temprature": 0}


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
        assert "r: none of the run's 3 restriction items is in 'mine' ('starter-" in err
        assert "The sets of items differ" in err and err.count("\n") == 1
    assert before == {path: path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()}
    # the other way round, and where only another experiment is asked
    assert selfexec("run", "--model", "sim/coin", "--items", mine, "--out", "s")[0] == 0
    assert "none of the run's 2 restriction items is in 'starter'" in selfexec(*ask[:-3], "s", "--limit", "1")[2]
    others = ("run", "--model", "sim/coin", "--out", "s", "--experiment", "association")
    assert "none of the run's 2 restriction items is in 'starter'" in selfexec(*others)[2]


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


@pytest.mark.filterwarnings("always:.*are of the set starter")  # as in a process of its own
def test_an_old_run_of_two_sets_loads_with_a_warning(selfexec: Command, tmp_path: Path) -> None:
    # as it was left before version 0.1.0 where items of one's own were asked into a run of the starter set
    folder = Path(shutil.copytree(STORED / "panel", tmp_path / "panel"))
    path = folder / "items" / "restriction.jsonl"
    path.write_text(path.read_text() + '{"id": "own", "request": "Wer war Goethe?", "label": "safe", "type": "t"}\n')
    with pytest.warns(UserWarning, match="panel: 6 of its 7 restriction items are of the set starter, and the others"):
        assert len(sx.load(folder).items["restriction"]) == 7
    status, out, err = selfexec("score", str(folder))
    assert status == 0 and "restriction" in out
    assert [line.startswith("selfexec: warning: ") for line in err.splitlines() if "items are" in line] == [True]
    # also when it went on, as it may with what is in it already
    journal = folder / "replies.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.warns(UserWarning, match="6 of its 7 restriction items"):
        found = run(load_manifest(folder).models, limit=6, out=folder)
    assert [one.calls for one in found.manifest.invocations] == [1]
    assert len(json.loads((folder / "prompts.json").read_text())) == 7
    # it grows by neither of its sets
    with pytest.raises(
        InputError, match=r"only 6 of the run's 7 restriction items are in 'starter' \('own' is the first"
    ):
        run("sim/coin", out=folder, limit=7)


# --- a capped or killed run is a smaller run -------------------------------------------------------------------------


def shares(jobs: Iterable[Job], planned: Plan) -> float:
    """How far the items that a model was asked of an experiment are from their share of all, at most."""
    asked = Counter((job.model, job.experiment) for job in jobs)
    sizes = {(m, e): len(by_id) for e, by_id in planned.item_set.items.items() for m in planned.models}
    part = asked.total() / sum(sizes.values())
    return max(abs(asked[stream] - part * size) for stream, size in sizes.items())


@pytest.mark.parametrize("models", [["sim/coin"], ["sim/coin", "sim/typical"]])
def test_wherever_a_run_ends_each_model_and_experiment_was_asked_its_share(models: list[str]) -> None:
    planned = plan(models, epochs=2)
    first = list(islice(planned.jobs(), len(planned.epoch_jobs)))
    # 300 targets, 176 requests, 64 groups
    assert len(set(first)) == len(first) == 540 * len(models)
    assert all(shares(first[:ends], planned) < 1 for ends in range(len(first) + 1))
    # epoch by epoch
    assert [job.epoch for job in planned.jobs()] == [1] * len(first) + [2] * len(first)
    # within an experiment item by item, in the fixed order
    for experiment, by_id in planned.item_set.items.items():
        asked = [job.item for job in first if job.experiment == experiment and job.model == models[-1]]
        assert asked == list(by_id)


@pytest.mark.parametrize("cap", [1, 2, 4, 5, 7, 30, 31, 32, 33, 100])
def test_a_cap_at_any_number_leaves_whole_items_in_their_shares(tmp_path: Path, cap: int) -> None:
    planned = plan(["sim/coin", "sim/typical"], out=tmp_path / "r", limit=10, max_calls=cap)
    found = carry_out(planned)
    assert len(found.replies) <= cap
    asked = Counter(Job(*key[:4]) for key in found.replies)
    assert shares(asked, planned) < 1
    if cap > 1:
        assert all(sessions == len(planned.keys(job)) for job, sessions in asked.items())
        # as many as the calls suffice for: the next item would have taken them over the cap
        following = next(job for job in planned.jobs() if job not in asked)
        assert len(found.replies) + len(planned.keys(following)) > cap
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
    turns = [job[:3] for job in planned.epoch_jobs]
    # the killed command had begun the first ten items, and of the last three of them only the predictions came back
    begun, half = turns[:10], turns[7:10]
    kept = [
        line
        for line in lines
        if (place := (line["model"], line["experiment"], line["item"])) in begun
        and (place not in half or line["session"] == "predict")
    ]
    (tmp_path / "r" / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept))
    lacking = sum(len(planned.keys(job)) - 1 for job in planned.epoch_jobs[7:10])
    found = carry_out(replace(planned, caps=Caps(calls=lacking)))
    asked = Counter(key[:3] for key in found.replies)
    assert asked == {turn: len(planned.keys(job)) for turn, job in zip(begun, planned.epoch_jobs[:10], strict=True)}


def test_calls_that_suffice_for_what_is_left_of_several_items_ask_all_of_it(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"experiments": "restriction", "limit": 3, "out": tmp_path / "r"}
    run("sim/coin", **choices)
    journal = tmp_path / "r" / "replies.jsonl"
    whole = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(line for line in whole if '"session":"judge"' not in line))
    seen: list[Progress] = []
    # of each of three requests one call is left: with two calls two of them are made whole
    assert len(carry_out(plan("sim/coin", max_calls=2, **choices), seen.append).replies) == 8
    assert (seen[-1].calls, seen[-1].left, seen[-1].done, seen[-1].total) == (2, 1, 8, 9)
    assert len(carry_out(plan("sim/coin", max_calls=1, **choices), seen.append).replies) == 9
    assert (seen[-1].left, seen[-1].capped) == (0, None)


def test_sessions_that_are_not_needed_free_their_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def withheld(self: SimEngine, call: Call) -> CallResult:
        return CallResult("", stop_reason="content_filter")

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


def test_the_report_shows_the_prompts_that_were_asked_with(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"limit": 1, "prompts": {"restriction.predict": OWN}}
    found = run("sim/coin", experiments="restriction", out=tmp_path / "r", **choices)
    nothing = pl.DataFrame(schema=dict.fromkeys(("model", "experiment", "epoch", "item", "code"), pl.String))
    nothing = nothing.with_columns(source=None, disputed=pl.lit([], dtype=pl.List(pl.String)))
    for shown, kept in ((found, {"predict": OWN}), (sx.load(STORED / "own-prompts"), {})):
        index = PageEvidence([shown], nothing, nothing).index
        prompts = json.loads(zlib.decompress(base64.b64decode(index)))["runs"][0]["prompts"]["restriction"]
        ours = {"judge": restriction.PROMPTS["judge"]}
        theirs = {"execute": restriction.PROMPTS["execute"]} if kept else {"predict": restriction.PROMPTS["predict"]}
        assert prompts == kept | ours | theirs


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
    assert selfexec("run", "--model", "sim/coin,sim/typical", "--limit=2", "--max-calls", "9", "--out", "r")[0] == 3
    [first] = json.loads(out.read_text())["invocations"]
    assert first["command"] == "selfexec run --model sim/coin --model sim/typical --limit 2 --max-calls 9 --out r"
    # a target and a request of the first model, 2 + 3 calls; its group of questions would take 5 more
    assert first["calls"] == 5
    assert first["begin"] <= first["end"]
    assert first["versions"]["selfexec"] == sx.__version__
    assert first["versions"]["python"] == sys.version.split()[0]
    assert "addresses" not in first
    assert run(["sim/coin", "sim/typical"], limit=2, out="r").manifest.invocations[0].command == first["command"]
    second = sx.load("r").manifest.invocations[1]
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
    line = invocations.command_line(["selfexec", "run"], options)
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
    said = invocations.call("sx.run", choices)
    hidden = "'(not shown)'"
    digest = hashlib.sha256(b'{"token": "sk"}').hexdigest()[:16]  # `x` is no known setting, `user` is one
    assert said == (
        f"sx.run(models='m', settings={{'api_key': {hidden}}}, "
        f"extra_body={{'x': '(not shown) SHA-256 {digest}'}}, out='~', "
        "base_url='http://h/v1', prompts={'a.b': '...'})"
    )


def test_of_a_key_among_the_settings_a_run_keeps_only_the_digest_and_knows_it_again(tmp_path: Path) -> None:
    def ask(key: str) -> sx.Run:
        extra = {"api_key": key, "metadata": [{"access_token": key}], "note": f"Bearer {key}", "user": "me"}
        return sx.run("sim/coin", limit=1, out=tmp_path / "r", settings={"secret": key}, extra_body=extra)

    ask("first-secret")
    written = [path.read_text("utf-8") for path in (tmp_path / "r").rglob("*.json*")]
    assert not any("first-secret" in text for text in written)
    assert sx.load(tmp_path / "r").manifest.settings["extra_body.user"] == "me"  # what is no key is told as it is
    ask("first-secret")  # the same goes on
    with pytest.raises(sx.InputError, match=r"the setting \S+ was .*not shown.* when this run began"):
        ask("second-secret")
    # a version that kept settings as they were given: the same key is known, and no more shown by the report
    manifest = msgspec.structs.replace(sx.load(tmp_path / "r").manifest, settings=dict.fromkeys(["secret"], "first"))
    write_manifest(tmp_path / "r", manifest)
    sx.run("sim/coin", limit=1, out=tmp_path / "r", settings={"secret": "first"})
    assert "first" not in str(provenance(sx.load(tmp_path / "r")).settings)


def test_the_address_asked_is_kept_without_name_and_password(tmp_path: Path) -> None:
    async def reply(request: web.Request) -> web.Response:
        return web.json_response(completion('{"choice": "A"}'))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", reply)
    with served(app) as url:
        base_url = url.replace("://", "://ann:pw-123@")
        choices: dict[str, Any] = {"experiments": "restriction", "limit": 1, "base_url": base_url}
        found = run("vllm/tiny", out=tmp_path / "r", on_progress=lambda progress: None, **choices)
    [invocation] = found.manifest.invocations
    assert invocation.addresses == {"vllm/tiny": url}
    assert "pw-123" not in (found.folder / "manifest.json").read_text()


def test_a_command_to_which_nobody_answered_leaves_no_invocation(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"limit": 1, "base_url": "http://127.0.0.1:9/v1", "on_progress": lambda progress: None}
    with pytest.raises(InputError, match="Is this the right address"):
        run("vllm/tiny", out=tmp_path / "r", **choices)
    assert sx.load(tmp_path / "r").manifest.invocations == []


def test_a_killed_command_is_one_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str | None] = []

    async def look(self: SimEngine, call: Call) -> CallResult:
        ends.append(load_manifest(tmp_path / "r").invocations[-1].end)
        return CallResult("")

    monkeypatch.setattr(SimEngine, "ask", look)
    found = run("sim/coin", limit=1, experiments="association", out=tmp_path / "r")
    # what a kill would have left, and what is left now
    assert ends == [None, None]
    assert found.manifest.invocations[-1].end is not None


def test_of_very_many_invocations_the_first_and_the_last_are_kept() -> None:
    many = [invocations.Invocation(begin=str(n)) for n in range(250)]
    left = [int(one.begin) for one in invocations.kept(many)]
    assert left == [0, *range(151, 250)]
    assert invocations.kept(many[:100]) == many[:100]


# --- what is said beforehand, and in the end -------------------------------------------------------------------------

DRY = ("run", "--dry-run")
SHORT = {"predict": "$request A or B?", "execute": "$request", "judge": "$request $response"}


def test_a_dry_run_refuses_what_the_run_would_and_takes_note_of_keys(
    selfexec: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "MISTRAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "write it as provider/model" in selfexec(*DRY, "--model", "gpt-4.1")[2]
    assert "unknown provider 'foo'" in selfexec(*DRY, "--model", "foo/gpt-4.1")[2]
    # also behind one that only lacks its key
    assert "unknown provider 'foo'" in selfexec(*DRY, "--model", "openai/a", "--model", "foo/b")[2]
    assert "unknown simulated model" in selfexec(*DRY, "--model", "openai/a", "--model", "sim/nobody")[2]
    assert "it must begin with http://" in selfexec(*DRY, "--model", "foo/a", "--base-url", "localhost")[2]
    status, out, err = selfexec(*DRY, "--model", "openai/a", "--model", "mistral/b", "--model", "vllm/c")
    assert (status, err) == (0, "")
    notes = [line for line in out.splitlines() if line.startswith("Note: ")]
    assert ["OPENAI_API_KEY" in line for line in notes] == [True, False]
    assert ["MISTRAL_API_KEY" in line for line in notes] == [False, True]
    unset = selfexec(*DRY, "--model", "vllm/c", "--base-url", "http://h/v1", "--api-key-env", "NOT_SET_HERE")
    assert unset[0] == 0 and "Note: --api-key-env NOT_SET_HERE: no variable of this name is set." in unset[1]
    assert selfexec("run", "--model", "openai/a")[0] == 2
    note("vllm/c", None, shared=True)
    try:
        assert "sessions share memory" in selfexec(*DRY, "--model", "vllm/c")[2]
    finally:
        note("vllm/c", None, shared=False)
    assert not list(tmp_path.iterdir())


def test_what_is_here_and_what_remains_is_said(selfexec: Command) -> None:
    ask = ("run", "--model", "sim/coin", "--limit", "4", "--out", "r")
    _, out, capped = selfexec(*ask, "--max-calls", "13")
    assert "are here" not in out
    # a target, a request and a group, 2 + 3 + 5 calls, and another target
    said = "12 of 40 sessions are here; 28 remain."
    left = "28 left by --max-calls; 1 call is left of it, and the next item, which is asked whole, takes more"
    assert f"28 replies are missing ({left})" in capped
    dry = selfexec(*ask, "--dry-run", "--max-calls", "10")[1]
    assert said in dry and "To run: at most 28 sessions, of which 10 now; about " in dry
    lines = selfexec(*ask)[1].splitlines()
    assert lines.index(said) < lines.index(next(line for line in lines if "40 replies kept, 0 missing" in line))
    dry = selfexec(*ask, "--dry-run")[1]
    assert "40 of 40 sessions are here; nothing remains to be asked." in dry and "To run" not in dry


def test_a_dry_run_names_the_price_and_the_runs_in_which_a_model_was_asked_already(selfexec: Command) -> None:
    ask = ("run", "--limit", "1", "--model")
    for models in ("sim/coin", "sim/typical"):
        selfexec(*ask, models)
    selfexec(*ask, "sim/coin", "--out", "runs/others")  # a name of its own: it may be of anything
    dry = selfexec(*ask, "sim/coin,sim/says-yes", "--dry-run")[1]
    assert "sim/coin was asked in runs/sim-coin-starter already" in dry and dry.count("already") == 1
    assert (
        "Runs can be scored together instead: selfexec score runs/sim-coin-starter runs/sim-coin-sim-says-yes-starter"
        in dry
    )
    assert "already" not in selfexec(*ask, "sim/coin", "--limit", "2", "--dry-run")[1]  # it is this run
    assert "--price" not in dry  # simulated models cost nothing
    real = ("run", "--limit", "1", "--model", "openai/x", "--dry-run")
    assert "Cost of openai/x: not known. --price openai/x=IN,OUT says it" in selfexec(*real)[1]
    assert "not known" not in selfexec(*real, "--price", "1,2")[1]


def test_a_dry_run_answers_at_once_whatever_the_epochs(selfexec: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def enumerated(self: Plan) -> Iterable[Job]:
        raise AssertionError("every job was gone through")

    monkeypatch.setattr(Plan, "jobs", enumerated)
    # 300 x 2 + 176 x 3 + 64 x 5 = 1,448 sessions an epoch
    assert "14,480,000 sessions" in selfexec(*DRY, "--model", "sim/coin", "--epochs", "10000")[1]
    assert "--epochs 10001: a run holds 10,000 at most." in selfexec(*DRY, "--epochs", "10001")[2]


def test_tokens_in_are_the_prompts_and_tokens_out_those_of_the_recorded_models(tmp_path: Path) -> None:
    mine = requests(tmp_path / "mine", "Why?")
    prompts = {f"restriction.{kind}": text for kind, text in SHORT.items()}
    planned = plan(
        "vllm/x", items=tmp_path / mine, prompts=prompts, epochs=3, out=tmp_path / "r", system="Be.", limit=1
    )
    now, rest = foreseen(planned)
    # "Why? A or B?", "Why?" and "Why? " with a response of the usual 297 tokens; each with the system prompt
    characters = (12 + 3) + (4 + 3) + (5 + 4 * 297 + 3)
    assert rest.input_tokens == 3 * characters / 4
    assert rest.output_tokens == 3 * (182 + 297 + 148)
    assert (rest.own, rest.seconds, now.sessions_left) == (0, None, 9)
    # dollars for a million tokens
    expected = (2 * rest.input_tokens + 8 * rest.output_tokens) / 1_000_000
    assert rest.cost({"vllm/x": Price(2, 8, "")}) == pytest.approx((expected / math.sqrt(2), expected * math.sqrt(2)))
    assert rest.cost({}) == (0, 0)  # nobody knows


def test_what_the_run_so_far_shows_is_gone_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = {"predict": (100, 10), "execute": (50, None), "judge": (None, 7)}

    async def counted(self: SimEngine, call: Call) -> CallResult:
        tokens_in, tokens_out = tokens[call.session_kind]
        return CallResult("A", input_tokens=tokens_in, output_tokens=tokens_out)

    monkeypatch.setattr(SimEngine, "ask", counted)
    choices: dict[str, Any] = {"experiments": "restriction", "out": tmp_path / "r"}
    run("sim/coin", limit=7, **choices)
    assert foreseen(plan("sim/coin", limit=25, **choices))[1].own == 0
    run("sim/coin", limit=20, **choices)
    planned = plan("sim/coin", limit=25, **choices)
    now, rest = foreseen(planned)
    judge = sum(
        len(Template(restriction.PROMPTS["judge"]).substitute(request=item.request, response="x" * 4 * 297)) / 4
        for item in list(planned.item_set["restriction"].values())[20:]
        if isinstance(item, UserRequest)
    )
    assert now.sessions_left == 15
    assert rest.input_tokens == pytest.approx(5 * 100 + 5 * 50 + judge)
    # nobody counted the tokens of the responses
    assert rest.output_tokens == pytest.approx(5 * 10 + 5 * 297 + 5 * 7)
    assert rest.own == pytest.approx(10 / 15)


def test_a_session_that_is_here_is_not_estimated_again(tmp_path: Path) -> None:
    whole = foreseen(plan("sim/coin", limit=3, out=tmp_path / "none"))[1]
    # four calls for a group of five: one session of it remains
    choices: dict[str, Any] = {"limit": 1, "experiments": "difficulty", "out": tmp_path / "r"}
    carry_out(plan("sim/coin", max_calls=4, **choices))
    rest = foreseen(plan("sim/coin", **choices))[1]
    assert rest.output_tokens in (423, 698)
    run("sim/coin", limit=3, out=tmp_path / "s")
    nothing = foreseen(plan("sim/coin", limit=3, out=tmp_path / "s"))[1]
    assert (nothing.input_tokens, nothing.output_tokens) == (0, 0) != (whole.input_tokens, whole.output_tokens)


def test_the_recorded_averages_are_those_of_the_recorded_replies(ten_models: sx.Run) -> None:
    hidden = {"deepseek-r1", "gemini-2.5-flash", "o4-mini"}  # their thoughts were not recorded
    by_model: dict[tuple[str, str], dict[str, list[float]]] = {}
    for key, reply in ten_models.replies.items():
        kind = (key.experiment, key.session.split(".")[0])
        recorded = reply.output_tokens if key.experiment == "difficulty" else len(reply.text or "") / 4
        if reply.failed or recorded is None or (key.experiment == "restriction" and key.model in hidden):
            continue
        by_model.setdefault(kind, {}).setdefault(key.model, []).append(recorded)
    means = {kind: fmean(fmean(counts) for counts in models.values()) for kind, models in by_model.items()}
    usual = {(name, kind): n for name in PAPER_HEADLINE.experiments for kind, n in EXPERIMENTS[name].tokens.items()}
    assert {kind: round(mean) for kind, mean in means.items()} == usual


def test_the_time_left_is_told_from_the_pace_of_the_last_command_that_tells_it() -> None:
    def replies(minute: int, n: int) -> dict[Key, Reply]:
        keys = [Key("m", "restriction", f"{minute}-{i}", 1, "predict") for i in range(n)]
        return {
            k: Reply(**k._asdict(), text="A", time=f"2026-01-01T00:{minute:02}:{i + 1:02}+00:00")
            for i, k in enumerate(keys)
        }

    def invocation(minute: int, seconds: int | None, calls: int | None) -> invocations.Invocation:
        end = None if seconds is None else f"2026-01-01T00:{minute:02}:{seconds:02}+00:00"
        return invocations.Invocation(begin=f"2026-01-01T00:{minute:02}:00+00:00", end=end, calls=calls)

    assert calls_a_second([], replies(0, 50)) is None
    # 40 calls in 50 seconds; a killed command with 30 replies, the last after half a minute; one that made too few
    assert calls_a_second([invocation(0, 50, 40)], replies(0, 40)) == 40 / 50
    two = replies(0, 40) | replies(5, 30)
    assert calls_a_second([invocation(0, 50, 40), invocation(5, None, None)], two) == 30 / 30
    three = two | replies(9, 19)
    assert calls_a_second([invocation(0, 50, 40), invocation(5, None, None), invocation(9, 19, 19)], three) == 30 / 30


@pytest.mark.parametrize("price", ["2", "2,8,1", "a,b", "-1,8", "nan,1", "1,inf", ""])
def test_a_price_that_is_none_is_refused(selfexec: Command, price: str) -> None:
    status, _, err = selfexec(*DRY, f"--price={price}")
    assert status == 2
    assert f"--price {price}: write it as IN,OUT, dollars for a million tokens in and out, like 2,8; MODEL" in err


def test_the_cost_is_told_before_and_after(selfexec: Command, tmp_path: Path) -> None:
    mine = requests(tmp_path / "mine", "Why?")
    usage: dict[str, Any] = {"prompt_tokens": 3, "completion_tokens": 5}

    async def reply(request: web.Request) -> web.Response:
        return web.json_response({**completion('{"choice": "A"}'), "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", reply)
    with served(app) as url:
        ask = ("run", "--model", "vllm/x", "--base-url", url, "--items", mine, "--price", "100000,200000")
        dry = selfexec(*ask, "--dry-run", "--out", "a")[1]
        [cost] = [line for line in dry.splitlines() if line.startswith("Cost: $")]
        assert cost.endswith(", at $100,000 for a million tokens in and $200,000 for a million out (the price given).")
        # three calls of 3 tokens in at $ .1 and 5 out at $ .2
        at = "$100,000 for a million tokens in and $200,000 for a million out (the price given)"
        out = selfexec(*ask, "--out", "a")[1]
        assert f"cost of this command, at {at}: $3.9000\n" in out
        assert f"cost of this command, at {at}: $0.0000\n" in selfexec(*ask, "--out", "a")[1]
        # what a provider says itself counts
        usage["cost"] = 0.25
        out = selfexec(*ask, "--out", "b")[1]
        assert "cost $0.7500\n" in out and f"cost of what the provider did not price, at {at}: $0.0000" in out
        usage.clear()
        out = selfexec(*ask, "--out", "c")[1]
        assert f"at {at}: $0.0000; without 3 replies whose tokens were not counted" in out


def test_sessions_that_were_not_needed_are_told(selfexec: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    async def withheld(self: SimEngine, call: Call) -> CallResult:
        return CallResult("", stop_reason="content_filter") if call.session_kind == "execute" else CallResult("A")

    monkeypatch.setattr(SimEngine, "ask", withheld)
    ask = ("run", "--model", "sim/coin", "--limit", "4", "--experiment", "restriction", "--out", "r")
    for _ in range(2):
        status, out, _ = selfexec(*ask)
        assert status == 0
        # 12 were announced
        assert "restriction), 12 sessions\n" in out and "r: 8 replies kept, 0 missing" in out
        assert "4 judge sessions were not needed: the response was withheld or empty.\n" in out
    assert "8 of 12 sessions are here, 4 are not needed; nothing remains to be asked." in out


def test_sessions_that_wait_for_a_reply_that_failed_are_missing(
    selfexec: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: SimEngine, call: Call) -> CallResult:
        return CallResult(None, error="503") if call.session_kind == "execute" else CallResult("A")

    monkeypatch.setattr(SimEngine, "ask", broken)
    ask = ("run", "--model", "sim/coin", "--limit", "2", "--experiment", "restriction", "--out", "r")
    status, out, err = selfexec(*ask)
    assert status == 3
    # of each request the prediction came; the response failed, and its judge could not be asked
    assert "r: 2 replies kept, 4 missing" in out and "not needed" not in out
    assert "4 replies are missing." in err


def test_what_cannot_tell_two_models_apart_is_said_so() -> None:
    # one request: 2.80 x .85 = 2.38, two: 1.68; 1 is the difference between chance and perfect
    said = outlook({"association": 5, "restriction": 1, "difficulty": 5}, 3)
    assert (
        "difference between two models of .44 in association or .78 in difficulty would be found in 4 of 5 runs; "
        in said
    )
    assert "in restriction no difference up to 1 would be found as often." in said
    assert "2.38" not in said
    assert all("two models" not in outlook({"restriction": few}, 3) for few in (1, 2))
    assert "no difference" not in outlook({"restriction": 6}, 3)  # 2.80 x .85 / 2.45 = .97
