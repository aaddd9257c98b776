"""What happens to a session whose reply ended in a way that is not known, and to one whose end somebody accepted."""

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

import selfexec as sx
from build import selfexec
from extension_parts import needs
from selfexec.analysis.selection import Selection
from selfexec.engines import Call, CallResult
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.run_options import JudgeOptions
from selfexec.runs import Reply, choose, given_replies, load_manifest, reading_lines
from selfexec.runs.asking import IN_A_ROW, EndsInARow, Progress, carry_out, plan
from selfexec.runs.asking import checks as checking
from selfexec.runs.asking.estimate import foreseen
from selfexec.runs.ends import keep_accepted, stored_replies, ways_on, with_accepted_end
from selfexec.runs.exporting import Round
from selfexec.runs.journal import read_journal
from selfexec.runs.listing import listed
from selfexec.runs.readings import read_reply
from selfexec.runs.transcripts import transcripts
from sockets import completion, served
from unknown_ends import WORD, Scripted, ended, said, scripted, with_stop

MODEL = "odd/m"


def run_in(out: Path, models: tuple[str, ...] = (MODEL,), **choices: Any) -> tuple[sx.Run, Progress]:
    """Ask restriction items; `more` are fields of the plan that no choice has yet."""
    more = {name: choices.pop(name) for name in ("accept_ends", "retry_ends") if name in choices}
    planned = plan(list(models), **{"experiments": ["restriction"], "limit": 6, "out": out, **choices})
    progress = Progress()
    return carry_out(replace(planned, **more), None, progress), progress


def third_execute(call: Call, number: int) -> CallResult:
    """The responses to every third item end in an unknown way."""
    if call.session_kind == "execute":
        third_execute.items.setdefault(call.key.item, len(third_execute.items))  # type: ignore[attr-defined]
        return ended("Half of an answ") if third_execute.items[call.key.item] % 3 == 0 else said("Of course.")  # type: ignore[attr-defined]
    return said('{"choice": "A"}')


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path / "cache"))
    third_execute.items = {}  # type: ignore[attr-defined]


def quiet(folder: Path, **choices: Any) -> sx.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sx.load(folder, **choices)


# --- missing, and named ----------------------------------------------------------------------------------------------


def test_a_reply_with_an_unknown_end_is_missing_for_that_reason_and_no_text_of_it_is_read(tmp_path: Path) -> None:
    with scripted(third_execute):
        found, progress = run_in(tmp_path / "r")
    # 6 items: 6 predictions, 4 responses and 4 judgements came; 2 responses are missing, and their judges wait
    states = [
        (key.session_kind, reading.reason) for key, reading in found.readings.items() if reading.state == "missing"
    ]
    assert states == [("execute", "end")] * 2
    assert len(found.replies) == 16 and progress.waiting == 2
    assert progress.failures == {f"unknown end '{WORD}'": 2} and progress.unknown_ends == 2
    assert dict(found.sessions["state"].value_counts().rows())["missing"] >= 2
    assert {reply.text for reply in found.replies.values() if reply.ended_unknown} == {None}


def test_scores_are_those_of_a_run_from_which_nothing_came_in_these_sessions(tmp_path: Path) -> None:
    def lost(call: Call, number: int) -> CallResult:
        outcome = third_execute(call, number)
        return CallResult(None, error="timeout") if outcome.unknown_end else outcome

    with scripted(third_execute):
        unknown, _ = run_in(tmp_path / "unknown")
    third_execute.items.clear()  # type: ignore[attr-defined]
    with scripted(lost):
        without, _ = run_in(tmp_path / "without")
    assert sx.score(unknown).records() == sx.score(without).records()


def test_one_unknown_end_is_named_after_the_run_and_whenever_it_is_read(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(lambda call, number: ended() if number == 1 else said('{"choice": "A"}')):
        _, progress = run_in(out)
    named = [text for text in progress.warnings if WORD in text]
    assert len(named) == 1
    assert named[0].startswith(f"{MODEL}: 1 of ")
    assert f"replies ended with '{WORD}', which is not known to end a reply; it is missing." in named[0]
    assert f"selfexec read {out} --state missing --show; to count it: --accept-ends {WORD}" in named[0]
    with pytest.warns(UserWarning, match="1 of .* is not known to end a reply; it is missing"):
        sx.load(out)


def test_each_model_and_each_word_has_its_line(tmp_path: Path) -> None:
    def how(call: Call, number: int) -> CallResult:
        if call.session_kind != "predict":
            return said("Of course.")
        return ended(word="eos" if call.model == "odd/a" else "it's over")

    with scripted(how):
        _, progress = run_in(tmp_path / "r", ("odd/a", "odd/b"), limit=3)
    named = [text for text in progress.warnings if "not known to end" in text]
    assert [text.split(" replies ")[0] for text in named] == ["odd/a: 3 of 9", "odd/b: 3 of 9"]
    assert named[0].endswith("--accept-ends eos")
    assert named[1].endswith("""--accept-ends 'it'"'"'s over'""")


def test_without_a_word_the_line_says_so(tmp_path: Path) -> None:
    with scripted(lambda call, number: ended(word="none") if number == 1 else said('{"choice": "A"}')):
        _, progress = run_in(tmp_path / "r", limit=1)
    [named] = [text for text in progress.warnings if "--accept-ends" in text]
    assert "ended without a word for how, so that it is not known whether that is all; it is missing" in named
    assert named.endswith("--accept-ends none")


def test_its_text_is_shown_as_what_it_is_and_stands_in_json(tmp_path: Path) -> None:
    with scripted(third_execute):
        found, _ = run_in(tmp_path / "r")
    missing = choose(found.readings, states=["missing"])
    shown = "\n".join(transcripts(found, list(missing)))
    fact = f"ended with '{WORD}', which is not known to end a reply; it is kept and does not count"
    assert shown.count(f"reply (5 tokens, {fact})") == 2
    assert shown.count("  │ Half of an answ\n  missing (its end is not known)") == 2
    for line in map(json.loads, reading_lines(missing, found.replies)):
        assert (line["state"], line["reason"], line["text"]) == ("missing", "end", None)
        assert (line["unknown_end"], line["unknown_end_text"]) == (WORD, "Half of an answ")


def test_what_it_took_is_counted(tmp_path: Path) -> None:
    with scripted(lambda call, number: ended(output_tokens=7, input_tokens=3)):
        with pytest.raises(InputError):
            run_in(tmp_path / "r", price="10,100", limit=20, max_connections=1)
        third = plan([MODEL], experiments=["restriction"], limit=20, out=tmp_path / "r", price="10,100", max_cost=0.006)
        # ten replies of 3 tokens in at $10 and 7 out at $100 for a million: $0.0073, above the cap
        assert carry_out(third, None, progress := Progress()).replies
    assert progress.calls == 0 and "the run has cost $0.0073" in str(progress.capped)


def test_tokens_that_nobody_counted_are_taken_from_the_text_that_was_kept_apart() -> None:
    from selfexec.runs.asking.progress import tokens_of

    # 40 characters at four a token
    assert tokens_of(reply(1, ended("x" * 40, output_tokens=None))) == (0, 10)


# --- accepted --------------------------------------------------------------------------------------------------------


def test_accepted_replies_count_as_if_their_end_were_known(tmp_path: Path) -> None:
    with scripted(third_execute):
        run_in(tmp_path / "odd", accept_ends=(WORD,))
    third_execute.items.clear()  # type: ignore[attr-defined]
    with scripted(lambda call, number: with_stop(third_execute(call, number))):
        plain, _ = run_in(tmp_path / "plain")
    accepted = sx.load(tmp_path / "odd")
    assert accepted.readings == plain.readings
    assert sx.score(accepted).records() == sx.score(plain).records()
    # the journal has them as they came
    raw = [reply for reply in read_journal(tmp_path / "odd" / "replies.jsonl").values() if reply.unknown_end]
    assert len(raw) == 2 and all(reply.text is None and reply.error for reply in raw)


@pytest.mark.parametrize("word", ["length", "stop", "content_filter", "refusal", "none", "eos"])
@pytest.mark.parametrize("text", ['{"choice": "B"}', "I would"])
def test_no_accepted_word_is_read_as_an_end_that_is_known(word: str, text: str) -> None:
    from selfexec.items import load

    item = next(iter(load("starter").items["restriction"].values()))
    key = Key("m", "restriction", item.id, 1, "predict")
    reply = with_accepted_end(Reply.of(key, ended(text, word), 0.0), [word])
    unsaid = Reply.of(key, CallResult(text, output_tokens=5), 0.0)
    # a reply of which the server said nothing of its end: no rule about ends applies
    assert read_reply(item, reply) == read_reply(item, unsaid)
    assert (reply.stop_reason, reply.unknown_end, reply.failed, reply.withheld_by) == (word, word, False, None)


@pytest.mark.parametrize("text", ["", None])
def test_a_word_that_is_accepted_makes_no_silence_of_a_reply_without_text(text: str | None) -> None:
    reply = Reply.of(Key("m", "restriction", "1", 1, "execute"), ended(text, "none"), 0.0)
    assert with_accepted_end(reply, ["none"]) == reply and reply.failed


def test_an_unknown_end_is_missing_whatever_else_the_server_said() -> None:
    key = Key("m", "restriction", "1", 1, "predict")
    for more in ({"refusal": "No."}, {"stop_reason": "content_filter"}, {"stop_reason": "refusal"}):
        reply = Reply.of(key, msgspec.structs.replace(ended(), **more), 0.0)
        assert reply.failed and reply.withheld_by is None


def test_what_is_accepted_is_kept_with_the_run_and_never_shrinks(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute):
        run_in(out)
        run_in(out, accept_ends=(WORD,))
        found, _ = run_in(out)
    assert load_manifest(out).accept_ends == [WORD] == [*found.accept_ends]
    assert not [reading for reading in sx.load(out).readings.values() if reading.state == "missing"]


def test_everything_that_reads_the_folder_sees_the_same_replies(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute):
        run_in(out)
    missing = listed(out)
    # 2 responses, and their judges
    assert (missing.replies, missing.missing) == (14, 4)
    assert {key for key, reply in stored_replies(out).items() if reply.failed} == {
        key for key, reply in given_replies([out]).replies.items() if reply.failed
    }
    keep_accepted(out, [WORD])
    accepted = listed(out)
    # the judges of the two were never asked
    assert (accepted.replies, accepted.missing) == (16, 2)
    loaded = sx.load(out)
    assert dict(given_replies([out]).replies) == dict(stored_replies(out)) == dict(loaded.replies)
    assert {reply.text for reply in loaded.replies.values() if reply.unknown_end} == {"Half of an answ"}


def test_words_are_accepted_for_one_reading_alone_and_nothing_is_written(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute):
        run_in(out)
    before = (out / "manifest.json").read_bytes(), (out / "replies.jsonl").read_bytes()
    found = sx.load(out, accept_ends=WORD)
    assert not any(reply.failed for reply in found.replies.values())
    assert ((out / "manifest.json").read_bytes(), (out / "replies.jsonl").read_bytes()) == before
    assert sum(reply.failed for reply in quiet(out).replies.values()) == 2


def test_a_word_that_no_reply_has_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute):
        run_in(out)
        with pytest.raises(InputError, match=f"accept_ends eos: no reply in {out} ended with that. There are {WORD}."):
            quiet(out, accept_ends=["eos"])
        with pytest.raises(InputError, match=f"Did you mean '{WORD}'"):
            run_in(out, accept_ends=("wraped_up",))
    assert load_manifest(out).accept_ends == []


def test_a_new_run_may_accept_a_word_before_any_reply_has_it(tmp_path: Path) -> None:
    with scripted(lambda call, number: ended(f'I say {{"choice": "A"}} ({number})', "eos")):
        found, progress = run_in(tmp_path / "r", accept_ends=("eos",))
    assert len(found.replies) == 18 and not progress.unfinished and not progress.warnings


def test_a_word_is_accepted_as_it_is_shown_too(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(lambda call, number: ended(word="over \x1b[2J\n and  out") if number == 1 else said("A")):
        _, progress = run_in(out, limit=1)
    [named] = [text for text in progress.warnings if "--accept-ends" in text]
    assert "\x1b" not in named + "".join(progress.failures)
    assert named.endswith("--accept-ends 'over \\x1b[2J and out'")
    assert not any(reply.failed for reply in sx.load(out, accept_ends="over \\x1b[2J and out").replies.values())


def test_of_several_runs_one_may_lack_the_word(tmp_path: Path) -> None:
    with scripted(third_execute):
        run_in(tmp_path / "odd")
    with scripted(lambda call, number: said('{"choice": "A"}')):
        run_in(tmp_path / "plain", ("odd/n",))
    folders = (tmp_path / "odd", tmp_path / "plain")
    odd, plain = Selection.of(folders, accept_ends=WORD).whole_runs
    assert not any(reply.failed for reply in [*odd.replies.values(), *plain.replies.values()])
    with pytest.raises(InputError, match=r"accept_ends eos: no reply in .*odd and .*plain ended with that"):
        assert Selection.of(folders, accept_ends=("eos",)).whole_runs


def test_a_run_in_hand_takes_words_and_judgements_of_the_texts_that_count_then(tmp_path: Path) -> None:
    from selfexec.prompts import digest

    out = tmp_path / "r"
    with scripted(third_execute):
        found, _ = run_in(out)
    key = next(key for key, reply in found.replies.items() if reply.ended_unknown)
    line = key.fields() | {"source": "human", "value": False, "reply_sha256": digest("Half of an answ")}
    (out / "judgements.jsonl").write_text(json.dumps(line) + "\n")
    found = quiet(out)
    assert found.readings[key].judged == {}  # there is no text that it could be of
    assert found.with_accepted_ends(WORD).readings[key].judged == {"human": False}
    # no warning calls that judgement one of a reply that is not here
    assert sx.load(out, accept_ends=WORD).readings[key].judged == {"human": False}


# --- going on --------------------------------------------------------------------------------------------------------


def test_the_same_command_asks_nothing_again_and_what_depends_on_it_waits(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute) as engine:
        run_in(out)
        asked = len(engine.calls)
        now, _ = foreseen(plan([MODEL], experiments=["restriction"], limit=6, out=out))
        _, progress = run_in(out)
    # of 18 sessions 14 are here; 2 responses have an unknown end, and their 2 judges wait for them
    assert (now.here, now.not_asked_again, now.behind, now.sessions_left) == (14, 2, 2, 0)
    assert (progress.done, progress.not_asked_again, progress.waiting, progress.left) == (14, 2, 2, 0)
    assert len(engine.calls) == asked == 16 and progress.unfinished


def test_once_accepted_the_judges_are_asked_by_the_same_command(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute) as engine:
        run_in(out)
        found, progress = run_in(out, accept_ends=(WORD,))
    more = engine.calls[16:]
    assert [call.session_kind for call in more] == ["judge", "judge"]
    assert all("Half of an answ" in call.prompt for call in more)
    assert len(found.replies) == 18 and not progress.unfinished


def test_they_are_asked_again_where_that_is_wanted(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute):
        run_in(out)
    with scripted(lambda call, number: said('{"choice": "A"}')) as mended:
        now, _ = foreseen(replace(plan([MODEL], experiments=["restriction"], limit=6, out=out), retry_ends=True))
        found, progress = run_in(out, retry_ends=True)
    assert now.sessions_left == 4
    assert sorted(call.session_kind for call in mended.calls) == ["execute", "execute", "judge", "judge"]
    assert not progress.unfinished and not any(reply.failed for reply in found.replies.values())


def test_an_item_of_which_a_prediction_is_missing_is_asked_for_the_rest(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(lambda call, number: ended() if call.session_kind == "predict" else said("Of course.")):
        run_in(out, max_calls=2, limit=1, max_connections=1)
    with scripted(lambda call, number: said('{"choice": "A"}')) as engine:
        _, progress = run_in(out, limit=1)
    assert "predict" not in {call.session_kind for call in engine.calls} and engine.calls
    assert (progress.not_asked_again, progress.left, progress.waiting) == (1, 0, 0)


def test_sessions_for_somebody_else_to_ask_are_none_that_ended_so(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute):
        found, _ = run_in(out)
    planned = plan([MODEL], experiments=["restriction"], limit=6, out=out)

    def left(replies: Any, **more: Any) -> Round:
        one = Round([MODEL], planned.item_set, planned.prompts, 1, replies, **more)
        list(one.sessions())
        return one

    held, again = left(found.replies), left(found.replies, retry_ends=True)
    accepted = left(stored_replies(out, [WORD]))
    assert (held.asked, held.not_asked_again) == (0, 2)
    assert (again.asked, again.not_asked_again) == (2, 0)
    assert (accepted.asked, accepted.not_asked_again) == (2, 0)  # the judges


def test_ways_on_name_both_options() -> None:
    for number in (1, 4):
        text = ways_on(number, Path("runs/a b"))
        assert "selfexec read 'runs/a b' --state missing --show" in text
        assert "--accept-ends WORD" in text and "--retry-ends" in text


# --- ten in a row ----------------------------------------------------------------------------------------------------


def reply(item: int, outcome: CallResult, model: str = "m") -> Reply:
    return Reply.of(Key(model, "restriction", str(item), 1, "predict"), outcome, 0.0)


def test_ten_in_a_row_are_counted_by_model_and_word() -> None:
    rows = EndsInARow()
    assert not any(rows.count(reply(n, ended())) for n in range(IN_A_ROW - 1))
    assert not rows.count(reply(1, ended(), "other"))  # another model's does not count, nor end the row
    assert not rows.count(reply(1, CallResult(None, error="timeout")))  # from which nothing came neither
    assert rows.count(reply(10, ended()))
    assert not rows.count(reply(11, ended(word="eos")))  # another word begins anew
    assert not rows.count(reply(12, said()))
    assert not any(rows.count(reply(n, ended())) for n in range(IN_A_ROW - 1))


def test_after_ten_in_a_row_the_run_stops_and_names_the_ways_on(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(lambda call, number: ended()) as engine, pytest.raises(InputError) as stopped:
        run_in(out, limit=60, max_connections=1)
    assert len(engine.calls) == len(read_journal(out / "replies.jsonl")) == IN_A_ROW
    typed = stopped.value.typed
    assert (
        f"{MODEL}: 10 replies in a row ended with '{WORD}', which is not known to end a reply. Nothing is lost" in typed
    )
    assert f"selfexec read {out} --state missing --show" in typed
    assert f"--accept-ends {WORD}" in typed and "--retry-ends" in typed


def test_a_known_end_between_lets_the_run_go_on(tmp_path: Path) -> None:
    with scripted(lambda call, number: said("A") if number % IN_A_ROW == 0 else ended()) as engine:
        run_in(tmp_path / "r", limit=20, max_connections=1)
    assert len(engine.calls) > 2 * IN_A_ROW


def test_another_model_that_answers_does_not_keep_the_run_going(tmp_path: Path) -> None:
    def how(call: Call, number: int) -> CallResult:
        return ended() if call.model == MODEL else said('{"choice": "A"}')

    with scripted(how), pytest.raises(InputError, match=f"{MODEL}: 10 replies in a row"):
        run_in(tmp_path / "r", (MODEL, "odd/fine"), limit=60)


def test_with_many_calls_under_way_all_that_comes_is_kept(tmp_path: Path) -> None:
    import asyncio

    class Slow(Scripted):
        async def ask(self, call: Call) -> CallResult:
            self.calls.append(call)
            await asyncio.sleep(0.001 * (len(self.calls) % 7))
            return ended()

    with scripted(lambda call, number: ended()) as plain:
        slow = Slow(plain.how)
        plain.ask = slow.ask  # type: ignore[method-assign]
        with pytest.raises(InputError, match="10 replies in a row"):
            run_in(tmp_path / "r", limit=200, max_connections=40)
    # whatever was asked came, and was written down; no more was begun than was under way when the tenth came
    assert len(read_journal(tmp_path / "r" / "replies.jsonl")) == len(slow.calls) < 2 * 40 + IN_A_ROW


def test_accepted_words_never_stop_a_run(tmp_path: Path) -> None:
    with scripted(lambda call, number: ended('{"choice": "A"}')):
        found, progress = run_in(tmp_path / "r", limit=20, accept_ends=(WORD,))
    assert len(found.replies) == 60 and not progress.unfinished


def test_a_model_whose_end_is_accepted_has_spoken_so_that_filters_are_behaviour(tmp_path: Path) -> None:
    filtered = CallResult("", stop_reason="content_filter", policy="status 403: against the policy")

    with scripted(lambda call, number: ended('{"choice": "A"}') if number == 1 else filtered):
        found, _ = run_in(tmp_path / "r", limit=3, max_connections=1, accept_ends=(WORD,))
    # 3 predictions and 3 responses, of which the first that came counts and the others were withheld
    assert [reading.state for reading in found.readings.values()].count("withheld") == 5


def test_a_command_that_goes_on_does_not_pay_for_ten_more(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(lambda call, number: ended()) as engine:
        for calls in (IN_A_ROW, IN_A_ROW + 1):
            with pytest.raises(InputError, match="10 replies in a row"):
                run_in(out, limit=60, max_connections=1)
            assert len(engine.calls) == calls
        # who asks for them again begins to count anew
        with pytest.raises(InputError, match="10 replies in a row"):
            run_in(out, limit=60, max_connections=1, retry_ends=True)
        assert len(engine.calls) == IN_A_ROW + 1 + IN_A_ROW


def test_after_the_stop_the_word_is_accepted_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(lambda call, number: ended('{"choice": "A"}')) as engine:
        with pytest.raises(InputError):
            run_in(out, limit=20)
        found, progress = run_in(out, limit=20, accept_ends=(WORD,))
    assert len(engine.calls) == len(found.replies) == 60 and not progress.unfinished


# --- judges, checks, batches, logs, shards ---------------------------------------------------------------------------


def judging(run: sx.Run, **choices: Any) -> tuple[sx.Run, Progress]:
    from selfexec.extensions.judging.asking import carry_out as carry_out_judging
    from selfexec.extensions.judging.plan import plan as plan_judging

    progress = Progress()
    return carry_out_judging(plan_judging(run, JudgeOptions(run, "odd/judge", **choices)), None, progress), progress


def judged_run(out: Path) -> sx.Run:
    with scripted(lambda call, number: said('{"choice": "A"}' if call.session_kind != "execute" else "Of course.")):
        return run_in(out, limit=20)[0]


@needs("judging")
def test_a_judge_stops_after_ten_in_a_row_and_goes_on_once_its_end_is_accepted(tmp_path: Path) -> None:
    out = tmp_path / "r"
    found = judged_run(out)
    with scripted(lambda call, number: ended('{"choice": "A"}')) as engine:
        with pytest.raises(InputError, match="odd/judge: 10 replies in a row") as stopped:
            judging(found, max_connections=1)
        assert str(out / "judge_replies.jsonl") in str(stopped.value)
        assert not found.judgements and len(engine.calls) == IN_A_ROW
        accepted = sx.load(out, accept_ends=WORD)  # a word that only the judge's replies have
        judged, progress = judging(accepted)
    assert len(engine.calls) == len(judged.judgements) == 20 and not progress.unfinished


@needs("judging")
def test_a_judges_reply_with_an_unknown_end_is_not_asked_again_unless_that_is_wanted(tmp_path: Path) -> None:
    found = judged_run(tmp_path / "r")
    with scripted(lambda call, number: ended() if number == 1 else said('{"choice": "A"}')) as engine:
        judged, progress = judging(found)
        assert len(judged.judgements) == 19 and [text for text in progress.warnings if "odd/judge: 1 of 20" in text]
        _, progress = judging(judged)
        assert (len(engine.calls), progress.not_asked_again, progress.left) == (20, 1, 0) and progress.unfinished
        judged, progress = judging(judged, retry_ends=True)
    assert len(engine.calls) == 21 and len(judged.judgements) == 20 and not progress.unfinished


def test_check_names_unknown_ends_as_an_obstacle_with_the_option() -> None:
    with scripted(lambda call, number: ended("NONE")):
        found = sx.check(MODEL)
    assert not found.ready
    assert f"ended with '{WORD}', which is not known to end a reply" in found.verdict
    assert f"--accept-ends {WORD}" in found.verdict and "came to nothing" not in found.verdict
    assert any("it is unknown whether sessions share one" in note for note in found.notes)
    assert any('with the text "NONE"' in note for note in found.notes)


def test_check_takes_accepted_ends_for_replies() -> None:
    from selfexec.engines import Connection, engine_for, run_coroutine
    from selfexec.items import load

    item_set = load("starter")
    with scripted(lambda call, number: ended('{"choice": "A"}')):
        engine = engine_for([MODEL], item_set, Connection())
        found = run_coroutine(checking._check(MODEL, item_set, engine, None, lambda e, kind: {}, (WORD,)))
    assert "--accept-ends" not in found.verdict and not found.failed
    assert "memory: no session knew what another was told" in found.notes


def test_a_memory_that_was_found_stays_marked_where_it_cannot_be_told_any_more(tmp_path: Path) -> None:
    from selfexec.runs.asking import note, refuse_shared

    note(MODEL, None, True)
    with scripted(lambda call, number: ended("")):
        sx.check(MODEL)
    with pytest.raises(InputError, match="sessions share memory"):
        refuse_shared(MODEL, None)


def exported_and_worked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path, int]:
    """A run whose first round is out, and its results, all of which have an unknown end."""
    from selfexec.extensions.batch import importing

    out, results = folder / "r", folder / "results.jsonl"
    exported = sx.export_batch("openai/m", to="openai", out=out, experiments="restriction", limit=10)
    ids = [json.loads(line)["custom_id"] for file in exported.files for line in file.path.read_text().splitlines()]
    body = {"status_code": 200, "body": completion('{"choice": "A"}')}
    lines = [json.dumps({"id": id, "custom_id": id, "response": body, "error": None}) for id in ids]
    results.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(importing, "call_result", lambda *asked: ended('{"choice": "A"}'))
    return out, results, len(ids)


@needs("batch")
def test_a_batch_keeps_all_results_and_stops_before_the_next_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selfexec.extensions.batch.importing import imported

    out, results, number = exported_and_worked(tmp_path, monkeypatch)
    with pytest.raises(InputError, match="openai/m: 10 replies in a row"):
        sx.import_batch(results, out=out)
    assert len(read_journal(out / "replies.jsonl")) == number == 20
    # they are here, and not exported again; judges follow once the end is accepted
    left = sx.export_batch(to="openai", out=out)
    assert (left.sessions, left.ended, left.out) == (0, 20, 0)
    again = imported([results], out, accept_ends=[WORD])
    assert (len(again.replies), again.again) == (0, 20)
    assert load_manifest(out).accept_ends == [WORD]
    assert sx.export_batch(to="openai", out=out).sessions == 10


@needs("batch")
def test_results_whose_end_is_accepted_count_and_are_written_as_they_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from selfexec.extensions.batch.importing import imported

    out, results, number = exported_and_worked(tmp_path, monkeypatch)
    found = imported([results], out, accept_ends=[WORD])
    assert not found.failures and found.ended == 0 and len(found.replies) == number
    assert {reply.text for reply in read_journal(out / "replies.jsonl").values()} == {None}
    assert {reply.text for reply in sx.load(out).replies.values()} == {'{"choice": "A"}'}


def test_reply_lines_carry_both_fields(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with scripted(third_execute):
        found, _ = run_in(out)
    with pytest.warns(UserWarning, match="2 of 16 replies ended with"):
        back = sx.import_replies([out / "replies.jsonl"], items=out / "items", out=tmp_path / "lines")
    assert dict(back.replies) == dict(found.replies)
    assert sum(reply.unknown_end_text == "Half of an answ" for reply in back.replies.values()) == 2


@needs("inspect")
def test_logs_of_inspect_carry_both_fields_and_what_is_accepted(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from selfexec.extensions.inspect.exporting import parts_of, write_logs

    out = tmp_path / "r"
    with scripted(third_execute):
        found, _ = run_in(out)
    [log] = write_logs(parts_of(found), tmp_path / "m.eval")
    with pytest.warns(UserWarning, match="not known to end a reply"):
        back = sx.import_task_logs([log], out=tmp_path / "back")
    assert dict(back.replies) == dict(found.replies)
    keep_accepted(out, [WORD])
    accepted = sx.load(out)
    [log] = write_logs(parts_of(accepted), tmp_path / "accepted.eval")
    back = sx.import_task_logs([log], out=tmp_path / "accepted")
    assert dict(back.replies) == dict(accepted.replies) and back.accept_ends == (WORD,)


@needs("shards")
def test_joined_shards_accept_what_any_of_them_does(tmp_path: Path) -> None:
    out = tmp_path / "r"

    def how(call: Call, number: int) -> CallResult:
        return ended('{"choice": "A"}')

    for n in range(2):
        with scripted(how):
            run_in(out, shard=f"{n}/2", accept_ends=(WORD,))
    found = sx.merge(out)
    assert found.accept_ends == (WORD,) and len(found.replies) == 18
    assert not any(reply.failed for reply in found.replies.values())


def test_over_a_socket_every_third_reply_of_a_server_with_a_word_of_its_own_is_missing(tmp_path: Path) -> None:
    asked: dict[str, int] = {}

    async def handler(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        number = asked.setdefault(prompt, len(asked))
        return web.json_response(completion('{"choice": "A"}', finish=WORD if number % 3 == 0 else "stop"))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    with served(app) as url:
        found, _ = run_in(tmp_path / "r", ("x/m",), base_url=url, max_connections=1)
        missing = [reply for reply in found.replies.values() if reply.failed]
        assert len(missing) == -(-len(found.replies) // 3) and {r.unknown_end for r in missing} == {WORD}
        assert {r.unknown_end_text for r in missing} == {'{"choice": "A"}'}
        again, progress = run_in(tmp_path / "r", ("x/m",), base_url=url, accept_ends=(WORD,))
    assert len(again.replies) == 18
    assert progress.done == 18 and not any(
        reply.ended_unknown for key, reply in again.replies.items() if key in found.replies
    )


@pytest.mark.filterwarnings("default")
def test_commands_that_read_say_how_many_ended_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r"
    with scripted(third_execute):
        run_in(out)
    for command in ("read", "score"):
        assert selfexec(monkeypatch, command, out) == 0
        assert f"{MODEL}: 2 of 16 replies ended with '{WORD}'" in " ".join(capsys.readouterr().err.split())
    assert selfexec(monkeypatch, "read", out, "--state", "missing", "--show") == 0
    assert "  │ Half of an answ" in capsys.readouterr().out
