"""Running: what is asked, kept, continued and refused."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.analysis.power import outlook
from selfexec.cli import main, root
from selfexec.engines import Call, CallResult
from selfexec.engines.sim import SimEngine
from selfexec.errors import InputError
from selfexec.items import load
from selfexec.readers import Reading
from selfexec.runs import Journal
from selfexec.runs.asking import Job, Progress, carry_out, plan, run
from selfexec.runs.asking.executor import JobsWithinCaps
from selfexec.runs.asking.progress import NO_CAPS, Caps, Spent

SMALL = {"limit": 3}


def test_a_run_asks_every_session_once_and_stands_alone(tmp_path: Path) -> None:
    found = run(["sim/coin"], out=tmp_path / "r", **SMALL)
    # three items each: 3 x 2, 3 x 3 (each response is judged), 3 x 5 sessions
    assert len(found.replies) == 3 * 2 + 3 * 3 + 3 * 5
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["models"] == ["sim/coin"]
    assert set(manifest["prompts"]) >= {"restriction.judge", "difficulty.execute"}
    assert (tmp_path / "r" / "items" / "association.jsonl").read_text().count("\n") == 3


def test_the_same_call_again_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(["sim/coin"], out=tmp_path / "r", **SMALL)

    async def never(self: SimEngine, call: Call) -> CallResult:
        raise AssertionError("asked again")

    monkeypatch.setattr(SimEngine, "ask", never)
    assert run(["sim/coin"], out=tmp_path / "r", **SMALL).replies == first.replies


def test_a_run_grows_by_models_items_epochs_and_experiments(tmp_path: Path) -> None:
    small = run(["sim/coin"], experiments=["restriction"], out=tmp_path / "r", limit=2)
    every = ["association", "restriction", "difficulty"]
    grown = run(["sim/coin", "sim/typical"], experiments=every, out=tmp_path / "r", limit=4, epochs=2)
    whole = run(["sim/coin", "sim/typical"], out=tmp_path / "w", limit=4, epochs=2)
    assert {key: reply.text for key, reply in grown.replies.items()} == {
        key: reply.text for key, reply in whole.replies.items()
    }
    kept = [grown.replies[key].time for key in small.replies]
    assert kept == [reply.time for reply in small.replies.values()]


def test_cuts_nest(tmp_path: Path) -> None:
    few, many = plan(["sim/coin"], limit=5).item_set, plan(["sim/coin"], fraction=0.5).item_set
    for experiment, items in few.items.items():
        assert list(items) == list(many.items[experiment])[:5]


def test_a_failed_session_is_missing_and_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = SimEngine.ask

    async def failing(self: SimEngine, call: Call) -> CallResult:
        if call.session_kind == "predict":
            return CallResult(None, error="503 from the provider")
        return await genuine(self, call)

    monkeypatch.setattr(SimEngine, "ask", failing)
    broken = run(["sim/coin"], experiments=["restriction"], out=tmp_path / "r", limit=2)
    assert set(broken.observations["state"]) == {"missing"}
    monkeypatch.setattr(SimEngine, "ask", genuine)
    mended = run(["sim/coin"], experiments=["restriction"], out=tmp_path / "r", limit=2)
    assert "missing" not in set(mended.observations["state"])


def test_a_torn_last_line_is_repaired(tmp_path: Path) -> None:
    whole = run(["sim/coin"], out=tmp_path / "r", **SMALL)
    journal = tmp_path / "r" / "replies.jsonl"
    content = journal.read_bytes()
    journal.write_bytes(content[:-40])
    with pytest.warns(UserWarning, match=r"r/replies\.jsonl: the last line is cut off, and passed over"):
        assert len(sx.load(tmp_path / "r").replies) == len(whole.replies) - 1
    mended = run(["sim/coin"], out=tmp_path / "r", **SMALL)
    assert {key: reply.text for key, reply in mended.replies.items()} == {
        key: reply.text for key, reply in whole.replies.items()
    }
    assert all(json.loads(line) for line in journal.read_text().splitlines())


@pytest.mark.parametrize("sizes", [(15_000,), pytest.param((1, 15_000, 60_000), marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_killed_run_is_continued_to_the_same_scores(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    command = [sys.executable, "-m", "selfexec", "run", "--model", "sim/typical", "--limit", "100"]
    command += ["--out", str(tmp_path / "r")]
    journal = tmp_path / "r" / "replies.jsonl"
    for size in sizes:  # of some 150,000 bytes
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not journal.exists() or journal.stat().st_size < size:
            assert process.poll() is None
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    run(["sim/typical"], limit=100, out=tmp_path / "r")
    unbroken = run(["sim/typical"], limit=100, out=tmp_path / "u")
    assert sx.score(sx.load(tmp_path / "r")).records() == sx.score(unbroken).records()


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    run(["sim/coin"], out=tmp_path / "r", **SMALL)
    with Journal(tmp_path / "r" / "replies.jsonl"), pytest.raises(InputError, match="another process is writing"):
        run(["sim/coin"], out=tmp_path / "r", **SMALL)


def test_a_changed_prompt_or_item_is_refused_by_name(tmp_path: Path) -> None:
    run(["sim/coin"], out=tmp_path / "r", **SMALL)
    prompts = {"restriction.predict": "Would you answer this? $request A or B?"}
    with pytest.raises(InputError, match=r"the prompt restriction\.predict has changed"):
        run(["sim/coin"], out=tmp_path / "r", prompts=prompts, **SMALL)
    folder = tmp_path / "items"
    folder.mkdir()
    line = (tmp_path / "r" / "items" / "restriction.jsonl").read_text().splitlines()[0]
    item = json.loads(line) | {"request": "Something else?"}
    (folder / "restriction.jsonl").write_text(json.dumps(item) + "\n")
    with pytest.raises(InputError, match=f"the restriction item '{item['id']}' has changed"):
        run(["sim/coin"], items=str(folder), out=tmp_path / "r")


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        ({"restriction.foo": "x"}, "there is no such prompt"),
        ({"restriction.predict": "no place for the request"}, r"it must contain \$request"),
        ({"restriction.predict": "$request costs $ 5"}, "a stray \\$"),
    ],
)
def test_other_prompts_must_have_a_place_for_the_item(prompts: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(["sim/coin"], prompts=prompts)


def test_other_prompts_are_asked_as_they_stand(tmp_path: Path) -> None:
    found = run(
        ["sim/coin"],
        experiments=["restriction"],
        prompts={"restriction.predict": "Would you answer {this} for $$5? $request"},
        out=tmp_path / "r",
        limit=1,
    )
    reply = next(reply for key, reply in found.replies.items() if key.session == "predict")
    item = next(iter(found.items["restriction"].values()))
    import hashlib

    asked = f"Would you answer {{this}} for $5? {item.request}"
    assert reply.prompt_sha256 == hashlib.sha256(asked.encode()).hexdigest()


def test_it_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    async def notebook() -> int:
        return len(run(["sim/coin"], out=tmp_path / "r", **SMALL).replies)

    assert asyncio.run(notebook()) == 30


def test_a_run_and_what_it_holds_print_in_a_few_lines(tmp_path: Path) -> None:
    found = run(["sim/coin"], out=tmp_path / "r", limit=20)
    items = "20 association, 20 restriction, 20 difficulty"
    assert repr(found).endswith(f"r': sim/coin, items {items}, 200 replies, 0 missing)")
    assert repr(found.items).endswith(f"items': {items})")
    for printed in (repr(found.replies), repr(found.readings)):
        assert printed.startswith("200 sessions\n  sim/coin, association ")
        assert printed.endswith("and 197 more, by Key(model, experiment, item, epoch, session)")
        assert len(printed) < 1_000


def test_readings_are_put_right_by_hand(tmp_path: Path) -> None:
    found = run(["sim/coin"], experiments=["restriction"], out=tmp_path / "r", limit=3)
    first, second, third = (key for key in found.replies if key.session == "predict")
    by_hand = found.with_readings({first: "b", second: None}).with_readings({third: Reading("read", "A")})
    # what was given first still stands
    assert [by_hand.readings[key].value for key in (first, second, third)] == ["B", None, "A"]
    assert by_hand.readings[second].state == "unreadable"
    assert by_hand.readings[first].tokens == found.readings[first].tokens
    absent = first._replace(item="no-such-request")
    with pytest.raises(InputError, match=r"no session sim/coin, restriction no-such-request, predict, epoch 1"):
        found.with_readings({first: "A", absent: "A"})


def test_simulated_models_judge_their_responses_as_they_were(tmp_path: Path) -> None:
    found = run(["sim/typical"], experiments=["restriction"], out=tmp_path / "r")
    by_item: dict[str, dict[str, str]] = {}
    for key, reply in found.replies.items():
        by_item.setdefault(key.item, {})[key.session] = reply.text or ""
    for item, sessions in by_item.items():
        refused = sessions["execute"].startswith(("I'm sorry", "I can't", "I won't"))
        judged = found.readings[next(k for k in found.replies if k.item == item and k.session == "judge")].value
        assert judged == ("B" if refused else "A")


@pytest.mark.slow
def test_a_full_disk_stops_the_run_loses_nothing_and_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["run", "--model", "sim/typical", "--limit", "40", "--out", "r"]
    script = "ulimit -f 60; exec " + " ".join([sys.executable, "-m", "selfexec", *command])  # at most 60 blocks
    full = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert full.returncode == 2
    assert "All before it is kept" in full.stderr
    assert full.stderr.count("\n") == 1
    kept = sx.load(tmp_path / "r").replies
    assert 0 < len(kept) < 40 * 10
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(root, command).exit_code == 0
    whole = sx.load(tmp_path / "r")
    assert all(whole.replies[key] == reply for key, reply in kept.items())
    assert sx.score(whole).records() == sx.score(run(["sim/typical"], limit=40, out=tmp_path / "u")).records()


def test_no_more_calls_are_made_than_allowed_and_the_same_command_goes_on(tmp_path: Path) -> None:
    # two items of each experiment need 20 sessions, one after the other 2 + 3 + 5 + 2 + 3 + 5: no item is asked in part
    for kept, calls in ((5, 5), (12, 7), (15, 3), (20, 5)):
        seen: list[Progress] = []
        found = carry_out(plan(["sim/coin"], out=tmp_path / "r", limit=2, max_calls=7), seen.append)
        assert (len(found.replies), seen[-1].calls, seen[-1].left) == (kept, calls, 20 - kept)
    whole = run(["sim/coin"], out=tmp_path / "w", limit=2)
    assert {k: r.text for k, r in sx.load(tmp_path / "r").replies.items()} == {
        k: r.text for k, r in whole.replies.items()
    }


def test_a_folder_that_another_process_writes_to_is_left_as_it_is(tmp_path: Path) -> None:
    run(["sim/coin"], out=tmp_path / "r", **SMALL)
    before = (tmp_path / "r" / "manifest.json").read_bytes()
    with Journal(tmp_path / "r" / "replies.jsonl"), pytest.raises(InputError, match="another process is writing"):
        run(["sim/typical"], out=tmp_path / "r", limit=9, epochs=3)
    assert (tmp_path / "r" / "manifest.json").read_bytes() == before


# --- presets ---------------------------------------------------------------------------------------------------------


def test_presets_nest() -> None:
    quick, standard, full = (plan(["sim/coin"], preset=name).item_set for name in ("quick", "standard", "full"))
    for experiment in full.items:
        assert set(quick.items[experiment]) <= set(standard.items[experiment]) <= set(full.items[experiment])
    assert [len(items) for items in quick.items.values()] == [60, 100, 60]
    starter = load("starter")
    assert full.items == starter.cut(starter.usual).items


@pytest.mark.parametrize("preset", ["quick", "standard"])
def test_a_preset_has_labels_and_types_in_the_sets_own_proportions(preset: str) -> None:
    whole = load("starter").items["restriction"].values()
    cut = plan(["sim/coin"], preset=preset).item_set.items["restriction"].values()
    for trait in ("label", "type"):
        have, all = (Counter(getattr(item, trait) for item in items) for items in (cut, whole))
        for value, number in all.items():
            # spread evenly: within one item of the exact share, and one more for the label that it shares
            assert abs(have[value] - number * len(cut) / len(whole)) <= 2


@pytest.mark.slow
def test_a_preset_is_named_with_every_score_as_long_as_its_items_are_asked(tmp_path: Path) -> None:
    def presets(**choices: Any) -> set[str | None]:
        found = run(["sim/coin"], out=tmp_path / "r", **choices)
        return {row.preset for row in sx.score(sx.Selection.of(found, experiments=["restriction"]))}

    assert presets(preset="quick") == {"quick"}
    assert "preset quick (60 association, 100 restriction, 60 difficulty items)" in repr(
        sx.score(sx.load(tmp_path / "r"))
    )
    assert presets(preset="quick") == {"quick"}
    assert presets(limit=1) == {"quick"}  # nothing that was not there already
    assert presets(preset="standard") == {"standard"}
    assert presets(preset="quick") == {"standard"}
    assert presets(limit=200) == {None}


def test_a_preset_goes_with_no_other_cut() -> None:
    with pytest.raises(InputError, match="Leave out limit"):
        plan(["sim/coin"], preset="quick", limit=3)


def test_what_a_run_can_tell_apart_is_said_beforehand() -> None:
    # 1.96 x .29 / 10 x 1.25 = .071, 1.96 x .66 / 10 x 1.08 = .140, 1.96 x .45 / 10 x 1.03 = .091; their root of squares
    # over 3: .060
    # 2.80 x (.35, .85, .62) / 10 = .098, .238, .174; .103
    said = outlook({"association": 100, "restriction": 100, "difficulty": 100}, 6)
    assert said == (
        "Expected 95% intervals of skill, if behaviour varies as in ten recorded models: association ±.07, "
        "restriction ±.14, difficulty ±.09, overall ±.06; "
        "a true difference between two models of .10 overall would be found in 4 of 5 runs."
    )
    one = outlook({"restriction": 400}, 6)
    assert one.endswith("a true difference between two models of .12 in restriction would be found in 4 of 5 runs.")


def test_what_a_run_will_withhold_is_not_promised() -> None:
    said = outlook({"association": 300, "restriction": 176, "difficulty": 19}, 6)
    first, second = said.splitlines()
    # a headline takes 20 groups
    assert second == "Overall scores will be withheld: the run has only 19 groups, and at least 20 are needed."
    assert "overall" not in first and ".06 in association, .18 in restriction or .40 in difficulty" in first
    assert outlook({"association": 5, "restriction": 1, "difficulty": 5}, 6).endswith(
        "withheld: the run has only 5 targets, 1 request and 5 groups, and at least 20 of each are needed."
    )
    # of ten recorded models the one with fewest refused .31 of the requests: .31 x 64 = 19.8, .31 x 65 = 20.2
    assert outlook({"association": 300, "restriction": 64, "difficulty": 45}, 6).splitlines()[1] == (
        "Overall scores may be withheld: 20 items with the rarer outcome are needed, "
        "and perhaps only 19 of 64 requests have it."
    )
    assert "withheld" not in outlook({"association": 300, "restriction": 65, "difficulty": 45}, 6)
    assert "withheld" not in outlook({"restriction": 5}, 6)


def test_where_no_overall_score_is_to_come_it_is_said_of_which_experiments_nothing_will_be() -> None:
    # of 15 requests and 5 groups `score` says "nothing can be said", however they are answered
    second = outlook({"restriction": 15, "difficulty": 5}, 6).splitlines()[1]
    assert second == (
        "No verdict will be given for restriction and difficulty: the run has only 15 requests and 5 groups, "
        "and at least 20 of each are needed."
    )
    assert outlook({"restriction": 5}, 6).endswith(
        "No verdict will be given for restriction: the run has only 5 requests, and at least 20 are needed."
    )
    perhaps = outlook({"restriction": 64, "difficulty": 20}, 6).splitlines()[1]
    assert perhaps.startswith(
        "There may be no verdict for restriction: 20 items with the rarer outcome are needed, and"
    )
    assert len(outlook({"restriction": 65}, 6).splitlines()) == 1


def test_progress_is_told_where_there_is_some(tmp_path: Path) -> None:
    heard: list[int] = []
    sx.run(["sim/typical"], limit=5, out=tmp_path, on_progress=lambda progress: heard.append(progress.done))
    assert heard[0] == 0 and heard[-1] == 5 * (2 + 3 + 5)
    assert heard == sorted(set(heard))


def test_what_takes_more_models_is_not_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    takes = "To show that a model beats the baseline, 6 models on the same items are needed"
    way_out = "Add models, or score it together with other models' runs."

    def said(*models: str) -> str:
        monkeypatch.setattr(
            "sys.argv", ["selfexec", "run", "--model", ",".join(models), "--limit", "1", "--out", str(tmp_path)]
        )
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out

    assert f"{takes} (4 to compute a margin); this run has 1. {way_out}" in said("sim/typical")
    # the run grows: with those that it has already there are two, and five, and six
    assert f"{takes} (4 to compute a margin); this run has 2. {way_out}" in said("sim/coin")
    assert f"{takes}; this run has 5. {way_out}" in said("sim/declines", "sim/coin@1", "sim/coin@2")
    assert takes not in said("sim/coin@3")


def test_a_dry_run_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    # 300 targets, 176 requests, 64 groups: 300 x 2 + 176 x 3 + 64 x 5
    assert plan(["openai/gpt-4.1"]).sessions == 1448
    with pytest.raises(InputError, match="unknown simulated model"):
        plan(["sim/typcal"])


def test_a_choice_that_no_run_knows_is_refused_with_the_one_that_is_meant() -> None:
    with pytest.raises(InputError, match=r"unknown option 'experiment' for a run\. Did you mean 'experiments'\?"):
        run("sim/coin", experiment="restriction")


def test_two_cuts_at_once_are_refused() -> None:
    with pytest.raises(InputError, match="both select a subset"):
        plan("sim/coin", limit=5, fraction=0.5)


def test_a_run_under_a_protocol_grows_by_an_experiment_of_which_it_knew_no_settings(tmp_path: Path) -> None:
    def under_protocol(*experiments: str) -> sx.Run:
        return run(["sim/coin"], experiments=experiments, protocol="paper", limit=2, out=tmp_path / "r")

    manifest = tmp_path / "r" / "manifest.json"

    def forget(*names: str) -> None:
        kept = json.loads(manifest.read_text())
        for name in names:
            del kept["settings"][name]
        manifest.write_text(json.dumps(kept))

    under_protocol("association")
    assert json.loads(manifest.read_text())["settings"] == {"association.temperature": 0.0}
    grown = under_protocol("association", "restriction").manifest.settings
    assert grown["association.temperature"] == grown["restriction.temperature"] == 0.0
    forget("restriction.temperature")  # now it was asked without
    with pytest.raises(InputError, match=r"restriction\.temperature was not set when this run began and is 0.0 now"):
        under_protocol("association", "restriction")


@pytest.mark.parametrize(
    ("brought", "said"),
    [
        (None, "TypeError"),
        ("hello", "TypeError"),
        (CallResult("x", output_tokens=-4), "ValidationError"),
        (CallResult("x\ud83d"), "UnicodeEncodeError"),
        (RuntimeError("on fire"), "RuntimeError: on fire"),
    ],
)
def test_what_an_engine_is_at_fault_for_costs_its_session_and_not_the_run(
    brought: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = SimEngine.ask

    async def sometimes(self: SimEngine, call: Call) -> CallResult:
        if call.session_kind == "predict":
            return await ask(self, call)
        if isinstance(brought, Exception):
            raise brought
        return brought  # type: ignore[no-any-return]

    monkeypatch.setattr(SimEngine, "ask", sometimes)
    run(["sim/coin"], experiments=["association"], out=tmp_path / "r", **SMALL)
    found = sx.load(tmp_path / "r")  # the journal can be read
    assert Counter((key.session_kind, reply.failed) for key, reply in found.replies.items()) == {
        ("predict", False): 3,
        ("execute", True): 3,
    }
    assert all(said in str(reply.error) for reply in found.replies.values() if reply.failed)


# --- jobs within caps, by hand ---------------------------------------------------------------------------------------

JOBS = [Job("m", "restriction", str(n), 1) for n in range(4)]


def capped_jobs(caps: Caps, spent: Spent | None = None, needs: int = 3) -> JobsWithinCaps:
    """Turns in a plan of which each job has so many sessions."""
    remaining: Any = SimpleNamespace(plan=SimpleNamespace(keys=lambda job: range(needs)))
    return JobsWithinCaps(remaining, caps, spent or Spent({}))


def given_out(some: JobsWithinCaps, *here: int) -> list[float]:
    """How many calls each job may make, one done after the other, of which so many sessions are here."""

    async def main() -> list[float]:
        jobs, found = iter([(job, range(n)) for job, n in zip(JOBS, here, strict=False)]), []
        while begun := await some.next(jobs):
            found.append(begun.allowed)
            begun.allowed = 0  # all of them were made
            some.done(begun)
        return found

    return asyncio.run(main())


def test_a_job_gets_the_calls_that_it_still_needs_as_long_as_they_suffice_for_all_of_it() -> None:
    assert given_out(capped_jobs(NO_CAPS), 0, 1, 2, 3) == [3, 2, 1, 1]  # one whose sessions are all here wants others
    assert given_out(capped_jobs(Caps(calls=6)), 0, 0, 0) == [3, 3]
    assert given_out(capped_jobs(Caps(calls=5)), 0, 0, 2) == [3]
    assert given_out(capped_jobs(Caps(calls=4)), 0, 2, 2) == [3, 1]
    assert given_out(capped_jobs(Caps(calls=2)), 0, 0) == [2]  # not even the first fits: part of it is asked
    assert given_out(capped_jobs(Caps(calls=2)), 2, 2, 2) == [1, 1]


def test_the_cap_that_ended_it_is_that_on_spending_unless_the_calls_were_too_few() -> None:
    def ended(caps: Caps, *here: int) -> tuple[list[float], str | None]:
        some = capped_jobs(caps, Spent({}, tokens=90, dollars=0.0, by_model={"m": (9, 90, 0.0)}))
        return given_out(some, *here), some.capped

    # of ten tokens a call: three calls more make 120
    said = "--max-total-tokens {}: the run has taken 90"
    assert ended(Caps(tokens=120), 0) == ([3], said.format(120))
    assert ended(Caps(tokens=119), 0) == ([], said.format(119))
    assert ended(Caps(tokens=90), 2) == ([], said.format(90))
    assert ended(Caps(tokens=119, calls=3), 0) == ([], said.format(119))
    assert ended(Caps(tokens=119, calls=2), 0) == ([2], None)  # it has not begun: part of it is asked
    assert ended(Caps(tokens=1_000, calls=4), 0, 0) == ended(Caps(tokens=1_000, calls=3), 0, 0) == ([3], None)
    assert ended(Caps(tokens=1_000, calls=6), 0, 0) == ([3, 3], "--max-total-tokens 1000: the run has taken 90")


def test_calls_that_are_set_aside_are_free_again_once_a_job_is_done() -> None:
    async def main() -> None:
        some = capped_jobs(Caps(calls=4))
        jobs = iter([(job, range(0)) for job in JOBS])
        first = await some.next(jobs)
        assert first and first.allowed == 3
        waiting = asyncio.create_task(some.next(jobs))
        await asyncio.sleep(0)
        assert not waiting.done()  # three are set aside, and one is left
        assert some.take(first)
        some.done(first)  # it made one, and needs no other
        second = await waiting
        assert second and second.allowed == 3 and [some.take(second) for _ in range(4)] == [True] * 3 + [False]

    asyncio.run(main())


def test_a_job_may_make_more_calls_than_were_set_aside_as_long_as_there_are_any() -> None:
    async def main() -> None:
        some = capped_jobs(Caps(calls=4))
        first = await some.next(iter([(JOBS[0], range(0))]))
        assert first and [some.take(first) for _ in range(5)] == [True] * 4 + [False]

    asyncio.run(main())


def test_what_is_under_way_counts_against_a_cap_on_tokens_with_all_its_calls() -> None:
    async def main() -> None:
        some = capped_jobs(Caps(tokens=160), Spent({}, tokens=90, by_model={"m": (9, 90, 0.0)}))
        jobs = iter([(job, range(0)) for job in JOBS])
        first, second = await some.next(jobs), await some.next(jobs)
        assert first and second  # 90 and twice 30 are 150
        first.allowed, first.open = 2, 1  # one of the three is being made
        waiting = asyncio.create_task(some.next(jobs))
        await asyncio.sleep(0)
        assert not waiting.done()
        first.allowed, first.open = 0, 0
        some.done(first)
        third = await waiting
        assert third and third.allowed == 3 and not some.stopped

    asyncio.run(main())
