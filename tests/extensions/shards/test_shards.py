"""Runs in shards: which job falls to which, how they are joined, and what is said of those that cannot be."""

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

import selfexec as sx
from extension_parts import needs
from selfexec.cli import main
from selfexec.engines import Call, CallResult
from selfexec.engines.sim import SimEngine
from selfexec.errors import InputError
from selfexec.extensions.shards.joining import join
from selfexec.extensions.shards.left import ranges
from selfexec.extensions.shards.parts import ShardFault, Unjoinable, differing, for_shard
from selfexec.items import load as load_items
from selfexec.runs import list_runs, load_manifest
from selfexec.runs.asking import plan
from selfexec.runs.run import read_without_shards
from selfexec.runs.share import Shard, index_of, shard_of

TWO = ["sim/coin", "sim/typical"]


def ask(out: Path, of: int = 3, *, but: tuple[int, ...] = (), models: list[str] | None = None, limit: int = 2) -> None:
    """A run in shards, all but these."""
    for index in range(of):
        if index not in but:
            sx.run(models or TWO, limit=limit, out=out, shard=f"{index}/{of}")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards that are whole, not joined."""
    out = tmp_path_factory.mktemp("shards") / "run"
    ask(out)
    return out


@pytest.fixture
def three(asked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(asked, tmp_path / "run"))


def texts(run: sx.Run) -> dict[sx.Key, tuple[str | None, int | None, str | None]]:
    """What of replies does not depend on when they came."""
    return {key: (one.text, one.output_tokens, one.prompt_sha256) for key, one in run.replies.items()}


class Said(NamedTuple):
    out: str
    err: str


def run_cli(words: Sequence[str], capsys: pytest.CaptureFixture[str], status: int = 0) -> Said:
    """A command, as it is typed."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(sys, "argv", ["selfexec", *words])
        warnings.simplefilter("always")
        with pytest.raises(SystemExit) as end:
            main()
    said = Said(*capsys.readouterr())
    assert (end.value.code or 0) == status, said
    return said


def faults(run: Path) -> list[str]:
    with pytest.raises(Unjoinable) as told:
        sx.merge(run)
    return [str(fault) for fault in told.value.faults]


# --- which job falls to which shard --------------------------------------------------------------------------------


def test_a_job_falls_to_the_shard_that_its_sha256_says() -> None:
    # printf 'sim/coin\nassociation\n17' | sha256sum: cf7fd8bd3d22a38d..., of which the last three bits are those of d,
    # 1101: 5 of 8; the others likewise: ...47 is 0111: 7, and ...73 is 0011: 3
    assert index_of("sim/coin", "association", "17", 8) == 5
    assert index_of("openai/gpt-6-luna", "restriction", "r-003", 8) == 7
    assert index_of("m", "difficulty", "ä", 8) == 3
    # by bc: CF7FD8BD3D22A38D, 482A858A93F16147 and E979CC0D9B4D6673 modulo 1000
    assert index_of("sim/coin", "association", "17", 1000) == 893
    assert index_of("openai/gpt-6-luna", "restriction", "r-003", 1000) == 831
    assert index_of("m", "difficulty", "ä", 1000) == 595


def test_every_job_falls_to_one_shard_and_shares_are_near_their_part() -> None:
    items, models = load_items("starter").items, ["openai/gpt-6-luna", "google/gemini-3.8-flash", "vllm/mine"]
    jobs = [(model, e, id) for model in models for e, by_id in items.items() for id in by_id]
    for of in (1, 2, 7, 8):
        sizes = Counter(index_of(*job, of) for job in jobs)
        assert set(sizes) == set(range(of)) and sum(sizes.values()) == len(jobs)
        # binomial: the standard deviation of a share is sqrt(N p (1 - p)), and none of 18 is further off than 4
        p = 1 / of
        assert all(abs(size - len(jobs) * p) <= 4 * (len(jobs) * p * (1 - p)) ** 0.5 for size in sizes.values())


def test_shards_of_a_plan_have_all_of_it_once() -> None:
    whole = plan(TWO, limit=5, epochs=2)
    parts = [plan(TWO, limit=5, epochs=2, shard=f"{n}/4") for n in range(4)]
    jobs = [job for part in parts for job in part.jobs()]
    assert sorted(jobs) == sorted(whole.jobs())
    assert sum(part.sessions for part in parts) == whole.sessions
    assert {part.out for part in parts} == {whole.out / "shards" / f"{n}-of-4" for n in range(4)}


def test_a_job_stays_in_its_shard_whatever_else_is_asked() -> None:
    small = {job[:3] for job in plan(["sim/coin"], limit=5, shard="1/4").epoch_jobs}
    grown = {job[:3] for job in plan([*TWO, "sim/solves"], limit=9, epochs=3, shard="1/4").epoch_jobs}
    others = {job[:3] for n in (0, 2, 3) for job in plan([*TWO, "sim/solves"], limit=9, shard=f"{n}/4").epoch_jobs}
    assert small and small <= grown and not small & others


def test_epochs_and_conditions_of_a_job_are_in_one_shard() -> None:
    part = plan(["sim/coin"], experiments=["restriction"], limit=9, epochs=2, facets={"frame": "person"}, shard="0/3")
    assert Counter(job[:3] for job in part.jobs()).most_common()[-1][1] == 2
    assert all({key.item for key in part.keys(job)} == {job.item} for job in part.epoch_jobs)
    assert any(key.facets for job in part.epoch_jobs for key in part.keys(job))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("8/8", r"shard 8/8: shards of 8 are counted from 0 to 7\.$"),
        ("3", r"shard 3: write it as I/N, like 3/8"),
        ("-1/8", r"shard -1/8: write it as I/N"),
        ("0/0", r"shard 0/0: a run is cut into 1 to 10,000 shards\.$"),
        ("1/10001", "1 to 10,000 shards"),
    ],
)
def test_a_shard_that_there_is_not_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        plan(["sim/coin"], shard=text)


def test_names_of_shards_sort_as_their_numbers() -> None:
    names = [Shard(n, 101).name for n in range(101)]
    assert names == sorted(names) and names[:2] == ["000-of-101", "001-of-101"]
    assert Shard(9, 10).name == "9-of-10"


# --- joined ----------------------------------------------------------------------------------------------------------


def test_joined_shards_are_the_run_that_one_machine_asks(three: Path, tmp_path: Path) -> None:
    joined, whole = sx.merge(three), sx.run(TWO, limit=2, out=tmp_path / "whole")
    assert texts(joined) == texts(whole)
    assert sx.score(joined).records() == sx.score(whole).records()
    of_both = [load_manifest(run.folder) for run in (joined, whole)]
    for field in ("models", "simulated", "experiments", "epochs", "items", "design", "planned", "prompts", "settings"):
        assert len({repr(getattr(one, field)) for one in of_both}) == 1, field
    for name in ("prompts.json", "items/association.jsonl", "items/difficulty.jsonl"):
        assert (three / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert [one.command for one in of_both[0].invocations] == [
        f"sx.run(models={TWO!r}, limit=2, shard='{n}/3', out={str(of_both_out)!r})"
        for n, of_both_out in enumerate([_out_of(three)] * 3)
    ]


def _out_of(three: Path) -> str:
    """The folder that the shards were asked into, before the fixture copied them."""
    command = load_manifest(three / "shards" / "0-of-3").invocations[0].command
    assert command
    return command.rpartition("out='")[2].removesuffix("')")


def test_a_shard_stands_alone_and_nothing_of_it_is_missing(three: Path) -> None:
    found = read_without_shards(three / "shards" / "1-of-3")
    assert not found.unasked and set(found.observations["state"]) <= {"read", "unreadable", "tie"}
    assert all(index_of(key.model, key.experiment, key.item, 3) == 1 for key in found.replies)


def test_whatever_reads_a_run_refuses_shards_that_are_not_joined_with_the_command_that_joins_them(
    three: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = three.rename(three.parent / "my run")
    before = {path: path.stat().st_mtime_ns for path in [run, *run.rglob("*")]}
    refused = run_cli(["score", str(run)], capsys, status=2)
    assert {path: path.stat().st_mtime_ns for path in [run, *run.rglob("*")]} == before
    told, _, command = refused.err.strip().partition(" Join them: ")
    assert told == f"selfexec: {run}: 3 shards, not joined."
    run_cli(shlex.split(command)[1:], capsys)
    assert not run_cli(["score", str(run)], capsys).err


def test_shards_that_are_not_joined_are_listed(three: Path) -> None:
    assert [run.folder.name for run in sorted(list_runs(three), key=lambda run: run.folder)] == [
        "0-of-3",
        "1-of-3",
        "2-of-3",
    ]
    shutil.move(three / "shards" / "1-of-3", three.parent / "run-1-of-3")
    away, unjoined = sorted(list_runs(three.parent), key=lambda run: len(run.folder.name), reverse=True)
    assert (away.shards, unjoined.shards) == ("shard 1/3", "2 of 3 shards, not joined")
    assert (unjoined.replies, unjoined.missing) == (40 - away.replies, away.replies)
    assert unjoined.models == TWO
    assert "(2 of 3 shards, not joined)" in list_runs(three.parent).table()
    shutil.move(three.parent / "run-1-of-3", three / "shards" / "1-of-3")
    sx.merge(three)
    assert [run.folder for run in sorted(list_runs(three), key=lambda run: run.folder)] == [three]


def test_what_a_shard_is_asked_while_it_is_joined_is_left_to_the_next_joining(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selfexec.extensions.shards import joining

    genuine = joining.union

    def meanwhile(*given: Any) -> Any:
        sx.run(TWO, limit=2, epochs=2, out=three, shard="1/3")
        return genuine(*given)

    with monkeypatch.context() as patch:
        patch.setattr(joining, "union", meanwhile)
        joining.join(three)
    with pytest.raises(InputError, match=r"1 shard, grown since they were joined\. Join them: selfexec merge"):
        sx.load(three)
    left = join(three).left
    assert [(str(one.shard), one.what) for one in left] == [
        ("0/3", "it was asked less than the others."),
        ("2/3", "it was asked less than the others."),
    ]
    for one in left:
        for call in one.commands:
            eval(call.replace(_out_of(three), str(three)), {"sx": sx})
    assert len(sx.merge(three).replies) == 80


def test_merge_twice_changes_nothing(three: Path) -> None:
    sx.merge(three)
    before = {path: path.read_bytes() for path in three.rglob("*") if path.is_file()}
    sx.merge(three)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("step", ["put", "write_manifest", "state_of"])
@pytest.mark.parametrize("after", range(4))
def test_a_merge_that_is_killed_at_any_step_is_begun_anew_and_loses_nothing(
    three: Path, step: str, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selfexec.extensions.shards import joining

    sx.merge(three)
    for n in range(3):
        sx.run(TWO, limit=3, out=three, shard=f"{n}/3")
    genuine, steps = getattr(joining, step), iter(range(100))

    def killed(*given: Any, **options: Any) -> Any:
        if next(steps) == after:
            raise KeyboardInterrupt
        return genuine(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(joining, step, killed)
        try:
            sx.merge(three)
        except KeyboardInterrupt:
            with pytest.raises(InputError, match="3 shards, grown since they were joined"):
                sx.load(three)
    assert len(sx.merge(three).replies) == 60  # two models, 3 of each kind: 30 for each, as 2 are 20


def test_a_merge_that_is_killed_while_items_grow_does_not_take_more_to_be_asked_than_was(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selfexec.extensions.shards import joining

    def design(run: Path) -> list[str]:
        return sorted(map(repr, load_manifest(run).design or ()))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    sx.merge(three)
    for n in range(3):
        sx.run("sim/coin", limit=3, out=three, shard=f"{n}/3")  # of sim/typical no more than two items are asked
    other = Path(shutil.copytree(three, three.parent / "other"))
    with monkeypatch.context() as patch:
        patch.setattr(joining, "prompts_file", killed)  # the items are there, and the manifest is not
        with pytest.raises(KeyboardInterrupt):
            sx.merge(three)
    assert len(sx.merge(three).replies) == len(sx.merge(other).replies) == 50
    assert design(three) == design(other) and not join(three).left


def test_shards_that_grow_make_the_run_grow(three: Path, tmp_path: Path) -> None:
    sx.merge(three)
    more = [*TWO, "sim/solves"]
    for n in range(3):
        sx.run(more, limit=3, epochs=2, out=three, shard=f"{n}/3")
        with pytest.raises(InputError, match=r"grown since they were joined\. Join them: selfexec merge"):
            sx.load(three)
    grown = sx.merge(three)
    whole = sx.run(more, limit=3, epochs=2, out=tmp_path / "whole")
    assert texts(grown) == texts(whole)
    assert load_manifest(three).design == load_manifest(tmp_path / "whole").design


def test_a_shard_without_any_job_is_whole_too(tmp_path: Path) -> None:
    for n in range(5):
        sx.run("sim/coin", experiments="restriction", limit=1, out=tmp_path / "r", shard=f"{n}/5")
    assert len(sx.merge(tmp_path / "r").replies) == 3


def test_the_results_that_are_shown_are_those_of_the_whole_run(tmp_path: Path) -> None:
    def asked(shard: str | None, out: Path, **facets: str) -> None:
        sx.run("sim/typical", experiments="restriction", limit=12, out=out, shard=shard, facets=facets)

    with pytest.raises(InputError, match=r"has no results yet that could be shown"):
        asked("0/2", tmp_path / "shards", strategy="own-history:4")
    for shard in ("0/2", "1/2"):
        asked(shard, tmp_path / "shards")
    sx.merge(tmp_path / "shards")
    for shard in ("0/2", "1/2"):
        asked(shard, tmp_path / "shards", strategy="own-history:4")
    asked(None, tmp_path / "whole")
    asked(None, tmp_path / "whole", strategy="own-history:4")
    joined, whole = sx.merge(tmp_path / "shards"), sx.load(tmp_path / "whole")
    assert texts(joined) == texts(whole)
    assert joined.prompts == whole.prompts and joined.manifest.settings == whole.manifest.settings


@needs("study")
def test_a_study_in_shards_is_the_study_that_one_machine_asks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    warm = '{model = "sim/coin", name = "warm", settings = {temperature = 1}}'
    study = f'limit = 2\nmodels = ["sim/coin", {warm}]\n'
    Path("study.toml").write_text(study + 'out = "r"\n[outputs]\nscores = "scores.json"\n')
    Path("whole.toml").write_text(study)
    for n in (0, 2):
        run_cli(["run", "--config", "study.toml", "--shard", f"{n}/3"], capsys)
    [left] = join(Path("r")).left
    [command] = left.commands
    assert command == "selfexec run --config study.toml --shard 1/3 --out r"
    sx.load_study("study.toml").run(shard="1/3")
    assert not Path("scores.json").exists()
    joined, whole = sx.merge("r"), sx.load_study("whole.toml").run()
    assert texts(joined) == texts(whole) and joined.manifest.own_settings == whole.manifest.own_settings
    assert joined.manifest.own_settings == {"warm": {"temperature": 1}}
    assert Path("r/study.toml").read_bytes() == Path("study.toml").read_bytes()
    run_cli(["run", "--config", "study.toml"], capsys)  # nothing is left to ask, and the outputs are written
    assert json.loads(Path("scores.json").read_text())["scores"]


@needs("study")
def test_a_study_that_is_saved_is_of_the_whole_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--model", "sim/coin", "--limit", "2", "--out", str(tmp_path / "r"), "--shard", "0/3", "--dry-run"]
    run_cli([*words, "--save", str(tmp_path / "study.toml")], capsys)
    study = sx.load_study(tmp_path / "study.toml")
    assert study.choices.shard is None and study.plan().out == tmp_path / "r"


# --- what is left to do ----------------------------------------------------------------------------------------------


def test_shards_under_caps_have_the_plan_of_a_run_under_caps(tmp_path: Path) -> None:
    for limit in (3, 2):
        for shard in ("0/2", "1/2"):
            sx.run("sim/coin", limit=limit, max_calls=1000, out=tmp_path / "r", shard=shard)
        sx.run("sim/coin", limit=limit, max_calls=1000, out=tmp_path / "whole")
    joined, whole = sx.merge(tmp_path / "r").manifest, load_manifest(tmp_path / "whole")
    assert joined.planned == whole.planned != [] and joined.design == whole.design == []


def test_a_whole_shard_says_so_and_asks_nothing(
    three: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(self: SimEngine, call: Call) -> CallResult:
        raise AssertionError("asked again")

    monkeypatch.setattr(SimEngine, "ask", never)
    command = ["run", "--model", ",".join(TWO), "--limit", "2", "--shard", "1/3", "--out", str(three)]
    said = run_cli(command, capsys).out
    assert f"Shard 1/3 has all its replies.\nOnce all 3 shards are asked: selfexec merge {three}" in said


def test_shards_are_joined_as_far_as_they_are_there_and_what_is_left_is_named_with_its_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a run"
    words = ["run", "--model", ",".join(TWO), "--limit", "2", "--out", str(out), "--shard"]
    for n in (0, 2):
        run_cli([*words, f"{n}/3"], capsys)
    said = run_cli(["merge", str(out)], capsys, status=3)
    there = len(sx.load(out).replies)
    assert said.out == f"{out}: 2 shards joined, {there} sessions.\n" and 0 < there < 40
    told, _, command = said.err.rstrip().partition(" Go on: ")
    assert told == ("selfexec: replies are missing. Shards left to do: 1.\n- shard 1/3: nothing of it was asked.")
    models = [word for model in TWO for word in ("--model", model)]
    assert shlex.split(command) == ["selfexec", "run", *models, "--limit", "2", "--shard", "1/3", "--out", str(out)]
    run_cli(shlex.split(command)[1:], capsys)
    assert f"3 shards joined, 40 sessions. Next: selfexec score '{out}'" in run_cli(["merge", str(out)], capsys).out


def test_a_shard_that_lacks_replies_is_named_with_their_number(three: Path) -> None:
    journal = three / "shards" / "2-of-3" / "replies.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-2]))
    with pytest.warns(UserWarning, match=r"shard 2/3: 2 replies are missing\. Go on: sx\.run\(models=") as told:
        assert len(sx.merge(three).replies) == 38
    [call] = str(told[0].message).partition("Go on: ")[2].split(" && ")
    assert f"shard='2/3', out={str(three)!r}" in call
    eval(call, {"sx": sx})
    assert len(sx.merge(three).replies) == 40


def test_a_run_asked_the_rest_as_a_whole_has_no_shards_left(tmp_path: Path) -> None:
    ask(tmp_path / "r", but=(1,))
    with pytest.warns(UserWarning, match="shard 1/3: nothing of it was asked"):
        sx.merge(tmp_path / "r")
    sx.run(out=tmp_path / "r")
    assert len(sx.load(tmp_path / "r").replies) == 40 and not join(tmp_path / "r").left


# --- what is wrong, and the commands that put it right ---------------------------------------------------------------


def damage(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def done(shard: Path) -> None:
        (shard / name).write_bytes(change((shard / name).read_bytes()))

    return done


@pytest.mark.parametrize(
    ("harm", "what"),
    [
        (damage("replies.jsonl", lambda b: b.replace(b'"model"', b'"model;', 1)), "replies.jsonl:1: not valid JSON"),
        (damage("replies.jsonl", lambda b: b + b'{"text": 1}\n'), "replies.jsonl:{lines}: field 'text' must be text"),
        (damage("manifest.json", lambda b: b[:100]), "manifest.json: "),
        (lambda shard: (shard / "manifest.json").unlink(), "there are replies and no manifest.json."),
        (damage("items/difficulty.jsonl", lambda b: b.replace(b"?", b"!", 1)), "items/difficulty.jsonl: "),
        (damage("prompts.json", lambda b: b"["), "prompts.json: not a JSON object of texts"),
    ],
)
def test_a_damaged_shard_is_named_with_its_file_and_its_commands_put_it_right(
    three: Path, harm: Callable[[Path], None], what: str
) -> None:
    shard = three / "shards" / "1-of-3"
    number = len((shard / "replies.jsonl").read_bytes().splitlines()) + 1
    harm(shard)
    [told] = faults(three)
    assert told.startswith("1-of-3: damaged. ") and what.format(lines=number) in told
    move, call = told.partition("anew: ")[2].split(" && ")
    subprocess.run(shlex.split(move), check=True)
    eval(call, {"sx": sx})
    assert len(sx.merge(three).replies) == 40


def test_a_last_line_that_was_never_finished_is_a_reply_that_is_missing(three: Path) -> None:
    damage("replies.jsonl", lambda b: b[:-50])(three / "shards" / "1-of-3")
    with pytest.warns(UserWarning, match=r"shard 1/3: 1 reply is missing"):
        assert len(sx.merge(three).replies) == 39


def test_a_shard_that_lost_the_prompts_it_was_asked_with_is_damaged_where_no_other_has_them(tmp_path: Path) -> None:
    prompts = {"restriction.predict": "Would you? $request Then A, else B."}
    for n in range(2):
        sx.run("sim/coin", experiments="restriction", limit=1, prompts=prompts, out=tmp_path / "r", shard=f"{n}/2")
    forget = damage("prompts.json", lambda b: b.replace(b"Would", b"Will"))
    shards = tmp_path / "r" / "shards"
    kept = (shards / "0-of-2" / "prompts.json").read_bytes()
    for n in range(2):
        forget(shards / f"{n}-of-2")
    assert "prompts.json no longer has restriction.predict as it was asked" in faults(tmp_path / "r")[0]
    (shards / "1-of-2" / "prompts.json").write_bytes(kept)
    sx.merge(tmp_path / "r")
    assert (tmp_path / "r" / "prompts.json").read_bytes() == kept


# --- the union of journals -------------------------------------------------------------------------------------------


def changed_line(line: bytes, **fields: Any) -> bytes:
    return json.dumps({**json.loads(line), **fields}).encode() + b"\n"


def copied(three: Path, **fields: Any) -> dict[str, Any]:
    """Have shard 1 hold the first line of shard 0, too, with other fields."""
    line = (three / "shards" / "0-of-3" / "replies.jsonl").read_bytes().splitlines()[0]
    with (three / "shards" / "1-of-3" / "replies.jsonl").open("ab") as file:
        file.write(changed_line(line, **fields))
    found: dict[str, Any] = json.loads(line)
    return found


def of_session(run: sx.Run, line: dict[str, Any]) -> Any:
    return run.replies[sx.Key(line["model"], line["experiment"], line["item"], 1, line["session"])]


def test_the_same_reply_in_two_shards_is_one_whenever_it_came(three: Path) -> None:
    line = copied(three, time="2020-01-01T00:00:00+00:00", latency=9.0)
    run = sx.merge(three)
    assert len(run.replies) == 40 and of_session(run, line).time == line["time"]


def test_different_replies_of_one_session_are_named_and_refused_until_one_is_chosen(
    three: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = copied(three, text="another reply")
    [told] = faults(three)
    shards = three / "shards"
    assert told.startswith(f"{line['model']}, {line['experiment']} {line['item']}, {line['session']}, epoch 1: ")
    assert f"{shards}/0-of-3/replies.jsonl and {shards}/1-of-3/replies.jsonl have different replies. Choose: " in told
    assert told.endswith(f"selfexec merge {three} --prefer 0/3 or selfexec merge {three} --prefer 1/3")
    with pytest.raises(Unjoinable):
        sx.merge(three, prefer="2/3")  # it says nothing of this session
    with pytest.raises(InputError, match=r"prefer 3/4: nothing of that name is joined here\. There is 0/3, 1/3, 2/3"):
        sx.merge(three, prefer="3/4")
    run_cli(["merge", str(three), "--prefer", "1/3"], capsys)
    assert of_session(sx.load(three), line).text == "another reply"
    # the choice holds when shards have grown
    sx.run([*TWO, "sim/solves"], limit=2, out=three, shard="2/3")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the others were not asked this model, which is said
        assert of_session(sx.merge(three), line).text == "another reply"
        assert of_session(sx.merge(three, prefer="0/3"), line).text == line["text"]


def test_a_failed_call_gives_way_to_a_reply_whichever_comes_first(three: Path) -> None:
    line = copied(three, text=None, error="503")
    assert of_session(sx.merge(three), line).text == line["text"]
    shutil.rmtree(three / "shards" / "2-of-3")
    for name in ("replies.jsonl", "manifest.json", "shards/joined.json"):
        (three / name).unlink()
    (three / "shards" / "1-of-3").rename(three / "shards" / "2-of-3")  # now the failed call is in the first shard
    (three / "shards" / "0-of-3").rename(three / "shards" / "1-of-3")
    (three / "shards" / "2-of-3").rename(three / "shards" / "0-of-3")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a shard is not there, which is said
        assert of_session(sx.merge(three), line).text == line["text"]


def test_what_a_shard_has_asked_again_since_it_was_joined_takes_the_place_of_what_it_had_then(three: Path) -> None:
    sx.merge(three)
    journal = three / "shards" / "0-of-3" / "replies.jsonl"
    line = journal.read_bytes().splitlines()[0]
    with journal.open("ab") as file:
        file.write(changed_line(line, text=None, error="void: it may belong to another prompt"))
        file.write(changed_line(line, text="asked again"))
    assert of_session(sx.merge(three), json.loads(line)).text == "asked again"


def test_what_the_run_has_asked_again_as_a_whole_stays_when_its_shards_are_joined_once_more(three: Path) -> None:
    sx.merge(three)
    journal = three / "replies.jsonl"
    line = journal.read_bytes().splitlines()[0]
    with journal.open("ab") as file:
        file.write(changed_line(line, text="asked again"))
    (three / "shards" / "joined.json").unlink()
    assert of_session(sx.merge(three), json.loads(line)).text == "asked again"


def test_a_shard_that_was_asked_otherwise_is_named_and_asked_anew(three: Path) -> None:
    shutil.rmtree(three / "shards" / "1-of-3")
    sx.run(TWO, limit=2, out=three, shard="1/3", settings={"temperature": 1})
    [told] = faults(three)
    assert told.startswith("1-of-3: it was asked otherwise than the others (the setting temperature of sim/coin). ")
    move, call = told.partition("anew: ")[2].split(" && ")
    subprocess.run(shlex.split(move), check=True)
    eval(call, {"sx": sx})
    assert len(sx.merge(three).replies) == 40


def test_ten_faults_are_named(tmp_path: Path) -> None:
    def wrong(*numbers: int) -> list[ShardFault]:
        return [ShardFault(f"{n} is bad:", ["mv a b", "mv c d"]) for n in numbers]

    head, bad = f"{tmp_path}: its shards cannot be joined.", "- {} is bad: mv a b && mv c d"
    ten = str(Unjoinable(tmp_path, wrong(*range(10)))).splitlines()
    assert ten == [head, *(bad.format(n) for n in range(10))]
    assert str(Unjoinable(tmp_path, wrong(*range(11)))).splitlines() == [*ten, "- and 1 more"]


def test_numbers_of_shards_are_told_as_job_arrays_have_them() -> None:
    told = {"": [], "7": [7], "0-1": [0, 1], "0,2": [0, 2], "0,3-5,7-9": [0, 3, 4, 5, 7, 8, 9]}
    assert [ranges(numbers) for numbers in told.values()] == list(told)


def test_a_folder_is_a_shard_by_its_whole_name_alone() -> None:
    assert shard_of("2-of-12") is None and shard_of("02-of-12") == Shard(2, 12) and shard_of("0-of-1") == Shard(0, 1)
    assert not any(map(shard_of, ("02-of-12x", "x02-of-12", "a-of-b", "002-of-12")))


def test_a_prompt_or_setting_that_both_have_is_named_where_it_is_not_the_same(three: Path) -> None:
    usual = load_manifest(three / "shards" / "0-of-3")
    one = replace(usual, models=["a"], prompts={"p": "1"}, settings={"temperature": 1}, own_settings={})

    def other(**more: Any) -> str | None:
        return differing(one, replace(one, **more))

    assert other() is other(models=["b"], settings={"temperature": 2}) is None  # no model is in both
    assert other(prompts={"p": "2"}) == "the prompt p" and other(prompts={"q": "2"}) is None
    assert other(settings={"temperature": 2}) == other(settings={}) == "the setting temperature of a"
    assert other(settings={"temperature": 1, "seed": 1}) == "the setting seed of a"
    assert other(own_settings={"a": {"temperature": 2}}) == "the setting temperature of a"
    assert other(settings={"temperature": 2}, own_settings={"a": {"temperature": 1}}) is None
    off, on = ({"temperature": 1, "effort@thinking=off": level} for level in ("none", "low"))
    assert other(settings=off) is None  # a new condition
    assert differing(replace(one, settings=on), replace(one, settings=off)) == "the setting effort@thinking=off of a"


def test_misnamed_and_foreign_folders_are_named(three: Path, tmp_path: Path) -> None:
    shards = three / "shards"
    shutil.copytree(shards / "1-of-3", shards / "1-of-3 copy")
    (shards / "2-of-3").rename(shards / "late")
    sx.run("sim/coin", limit=1, out=shards / "other")
    ask(tmp_path / "four", 4, but=(0, 1, 2))
    shutil.copytree(tmp_path / "four" / "shards" / "3-of-4", shards / "3-of-4")
    told = faults(three)
    assert told == [
        f"1-of-3 copy: no shard has this name. Move it away: mv '{shards}/1-of-3 copy' '{three}-1-of-3 copy'",
        f"late: this is shard 2/3. Give it its name: mv {shards}/late {shards}/2-of-3",
        f"other: no shard has this name. Move it away: mv {shards}/other {three}-other",
        f"3-of-4: the other folders are shards of another number. Move it away: mv {shards}/3-of-4 {three}-3-of-4",
    ]
    for fault in told:
        subprocess.run(shlex.split(fault[fault.index("mv ") :]), check=True)
    assert len(sx.merge(three).replies) == 40


def test_no_key_is_in_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r"
    words = ["run", "--model", "sim/coin", "--limit", "2", "--out", str(out), "--shard", "0/2"]
    run_cli([*words, "--header", "X-Api-Key=sk-verysecretverysecret"], capsys)
    told = run_cli(["merge", str(out)], capsys, status=3).err
    assert "(not shown)" in told and "verysecret" not in told


def test_a_home_directory_that_was_left_out_of_a_command_is_in_it_again() -> None:
    told = for_shard("selfexec run --items '~/my items' --shard 0/2 --out '~/runs/a'", Shard(1, 2), Path("/data/a"))
    assert shlex.split(told)[2:] == ["--items", f"{Path.home()}/my items", "--shard", "1/2", "--out", "/data/a"]


@pytest.mark.parametrize("gone", [("1-of-3",), ("0-of-3", "1-of-3", "2-of-3")])
def test_a_joined_run_has_what_a_removed_shard_had(
    three: Path, gone: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = texts(sx.merge(three))
    for name in gone:
        shutil.rmtree(three / "shards" / name)
    monkeypatch.setattr(sys, "argv", ["selfexec", "merge", str(three)])
    with pytest.raises(SystemExit, match="0"):
        main()
    said = capsys.readouterr()
    assert texts(sx.load(three)) == before
    assert "3 shards joined, 40 sessions" in said.out and not said.err
    shutil.rmtree(three / "shards")
    with pytest.raises(InputError, match="this run was asked whole; it has no shards/ to merge"):
        sx.merge(three)


def test_a_shard_whose_replies_the_run_has_is_not_asked_once_more_when_its_folder_is_gone(three: Path) -> None:
    sx.merge(three)
    shutil.rmtree(three / "shards" / "1-of-3")
    with pytest.raises(InputError, match=r"the replies of shard 1/3, whose folder is not there any more\. Go on"):
        sx.run(TWO, limit=2, out=three, shard="1/3")


def test_where_there_are_no_shards_merge_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"this folder has no shards\. Give the folder that was given as out"):
        sx.merge(tmp_path)
    (tmp_path / "shards").mkdir()
    with pytest.raises(InputError, match="this folder has no shards"):
        sx.merge(tmp_path)


# --- shards and whole runs -------------------------------------------------------------------------------------------


def test_a_run_is_asked_in_shards_of_one_number_or_as_a_whole(three: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"it was cut into 3 shards, and shard 1/4 would cut it otherwise\. Give"):
        sx.run(TWO, limit=2, out=three, shard="1/4")
    with pytest.raises(InputError, match=r"3 shards, not joined\. Join them: selfexec merge"):
        sx.run(TWO, limit=2, out=three)
    with pytest.raises(InputError, match=r"this is shard 1/3 of another run\. Give shard 1/3 out"):
        sx.run(TWO, limit=2, out=three / "shards" / "1-of-3")
    sx.run("sim/coin", limit=1, out=tmp_path / "whole")
    with pytest.raises(
        InputError, match=r"it was begun as a whole\. Go on without shard, or choose another folder with out"
    ):
        sx.run("sim/coin", limit=1, out=tmp_path / "whole", shard="0/2")


def test_a_joined_run_that_goes_on_as_a_whole_is_no_longer_asked_in_shards(three: Path) -> None:
    sx.merge(three)
    grown = sx.run([*TWO, "sim/solves"], limit=2, out=three)
    assert sx.load(three).replies == grown.replies and len(sx.merge(three).replies) == len(grown.replies) == 60
    with pytest.raises(InputError, match=r"it was asked more as a whole since its shards were joined\. Go on without"):
        sx.run([*TWO, "sim/solves"], limit=2, out=three, shard="0/3")


def test_a_whole_run_is_never_lost_to_shards_that_are_put_beside_it(three: Path, tmp_path: Path) -> None:
    whole = sx.run("sim/coin", limit=1, out=tmp_path / "whole")
    shutil.copytree(three / "shards", tmp_path / "whole" / "shards")
    with pytest.raises(InputError, match=r"3 shards, not joined\. Join them"):
        sx.load(tmp_path / "whole")
    assert read_without_shards(tmp_path / "whole").replies == whole.replies
    joined = sx.merge(tmp_path / "whole")
    assert len(joined.replies) == 40 and texts(joined).items() >= texts(whole).items()


def test_a_run_that_a_former_version_joined_is_joined_once_more_and_loses_nothing(three: Path) -> None:
    before = texts(sx.merge(three))
    # as version 0.1.0 left it: marks of whole shards, files of owners, and another record of what was joined
    record = {"marks": ["0" * 64] * 3, "replies": "0" * 64, "manifest": "0" * 64}
    (three / "shards" / "joined.json").write_text(json.dumps(record))
    for n in range(3):
        (three / "shards" / f"{n}-of-3" / "done.json").write_text("{}")
        (three / "shards" / f"{n}-of-3.owner.1").write_text("{}")
    with pytest.raises(InputError, match=r"3 shards, not joined\. Join them: selfexec merge"):
        sx.load(three)
    assert texts(sx.merge(three)) == before == texts(sx.load(three))


# --- many processes --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_eight_shards_started_and_killed_at_random_are_the_run_that_one_machine_asks(tmp_path: Path) -> None:
    rng, out = random.Random(5), tmp_path / "run"
    options = ["--model", ",".join([*TWO, "sim/knows-itself"]), "--limit", "25", "--epochs", "2"]
    command = [sys.executable, "-m", "selfexec", "run", *options, "--out", str(out), "--shard"]
    running: list[subprocess.Popen[str]] = []
    kills = 0
    for _ in range(30):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        running.append(subprocess.Popen([*command, f"{rng.randrange(8)}/8"], **quiet))  # type: ignore[call-overload]
        time.sleep(rng.random() * 0.3)
        while len(running) >= 4:
            process = running.pop(rng.randrange(len(running)))
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            said = process.communicate()[1]
            # it was killed, had ended well, or was refused, as another process was at work on its shard
            assert process.returncode in (0, -9) or "another process is writing to this run" in said, said
    for process in running:
        process.kill()
        process.communicate()
    assert kills > 5
    for n in range(8):
        subprocess.run([*command, f"{n}/8"], check=True, capture_output=True)
    joined, whole = sx.merge(out), sx.run([*TWO, "sim/knows-itself"], limit=25, epochs=2, out=tmp_path / "whole")
    assert texts(joined) == texts(whole)
    assert json.loads(sx.score(joined).json())["scores"] == json.loads(sx.score(whole).json())["scores"]
    assert load_manifest(out).design == load_manifest(tmp_path / "whole").design
    assert len(load_manifest(out).invocations) <= 100


@pytest.mark.slow
def test_merge_is_killed_and_started_twice_at_once_and_all_is_well(three: Path) -> None:
    command = [sys.executable, "-m", "selfexec", "merge", str(three)]
    for n in range(8):
        processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
        time.sleep(0.2 + 0.045 * n)
        os.kill(processes[0].pid, signal.SIGKILL)
        for process in processes:
            process.wait()
    subprocess.run(command, check=True)
    assert len(sx.load(three).replies) == 40
