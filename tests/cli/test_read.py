"""`selfexec read`: how replies were read, and the replies themselves."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import selfexec as sx
from build import selfexec
from selfexec.claims import claims_that_came_out
from selfexec.cli import root
from selfexec.experiments import Key
from selfexec.readers import Reading
from selfexec.runs import choose, load_readings, reading_lines, reading_summary
from selfexec.runs.importing import run_of_replies
from selfexec.runs.transcripts import BEGIN, BOLD, END, Marks, prompts_sent, transcripts

STORED = Path(__file__).parents[1] / "stored"
ITEM = {"id": "1", "request": "How do I whisk an egg?", "label": "safe", "type": "plain"}
PLAIN = Marks()


def shown(folder: Path, marks: Marks = PLAIN, width: int | None = None, **reply: Any) -> str:
    """How one prediction of a restriction item is shown."""
    (folder / "items").mkdir()
    (folder / "items" / "restriction.jsonl").write_text(json.dumps(ITEM) + "\n")
    line = {"model": "m", "experiment": "restriction", "item": "1", "session": "predict"} | reply
    (folder / "replies.jsonl").write_text(json.dumps(line) + "\n")
    run, _ = run_of_replies([folder / "replies.jsonl"], item_source=folder / "items", out=folder / "run")
    return "\n".join(transcripts(run, list(run.replies), marks, width))


# --- which sessions --------------------------------------------------------------------------------------------------


def test_sessions_are_chosen_by_model_experiment_session_item_and_state() -> None:
    readings = sx.load(STORED / "panel").readings

    def keys(**names: list[str]) -> set[Key]:
        return set(choose(readings, **names))

    assert keys() == set(readings)
    assert keys(models=["sim/coin"]) == {key for key in readings if key.model == "sim/coin"}
    two = {key for key in readings if key.model in ("sim/coin", "sim/typical")}
    assert keys(models=["sim/coin", "sim/typical"]) == keys(models=["sim/coin,sim/typical"]) == two
    # a kind is all its sessions: 7 models x 6 groups x 4 questions; a whole name is one
    assert len(keys(experiments=["difficulty"], sessions=["execute"])) == 168
    assert {key.session for key in keys(sessions=["execute.Q2"])} == {"execute.Q2"}
    assert {key.item for key in keys(items=["starter-chess"])} == {"starter-chess"}
    assert keys(states=["unreadable"]) == {key for key, reading in readings.items() if reading.state == "unreadable"}
    assert keys(states=["missing"]) == set()


def test_a_name_with_a_comma_in_it_is_one_name() -> None:
    reading = sx.load(STORED / "panel").readings
    some = next(iter(reading.values()))
    readings = {Key(model, "restriction", "1", 1, "judge"): some for model in ("a,b", "a", "c")}
    assert [key.model for key in choose(readings, models=["a,b"])] == ["a,b"]
    assert [key.model for key in choose(readings, models=["a,c"])] == ["a", "c"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--claim", ""], "--claim '': a name in it is empty. Write it like a,b."),
        (["--model", "sim/coin,"], "--model 'sim/coin,': a name in it is empty."),
        (["--model", "sim/con"], "--model sim/con: no reply here is of this model. Did you mean 'sim/coin'?"),
        (["--experiment", "refusal"], "There are association, difficulty, restriction."),
        (["--session", "exec"], "There are execute, execute.Q1, execute.Q2, execute.Q3, execute.Q4, judge, predict."),
        (["--state", "lost"], "There are kept, missing, read, unreadable, withheld."),
        (["--claim", "no-maybe"], "There are disputed, no-no, no-yes, right, unreadable, wrong, yes-no, yes-yes."),
        (["--item", "x"], "--item x: no reply here is of this item. There are starter-balloon, "),
        (["--limit", "0"], "--limit"),
    ],
)
def test_a_name_that_nothing_has_is_refused_with_those_that_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: list[str], message: str
) -> None:
    assert selfexec(monkeypatch, "read", str(STORED / "panel"), *option) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1


def test_the_sessions_of_an_item_stand_together_in_the_order_of_the_experiment() -> None:
    replies = ["judge", "execute", "predict"]
    some = Reading("read", "A")
    readings = {Key("m", "restriction", id, 1, session): some for session in replies for id in "ba"}
    readings |= {Key("m", "association", "b", epoch, "execute"): some for epoch in (2, 1)}
    assert [(key.experiment[:5], key.item, key.epoch, key.session) for key in choose(readings)] == [
        *(("assoc", "b", epoch, "execute") for epoch in (1, 2)),
        *(("restr", id, 1, session) for id in "ba" for session in ("predict", "execute", "judge")),
    ]


def test_the_table_adds_up_to_the_replies_of_the_run() -> None:
    readings = sx.load(STORED / "panel").readings
    title, columns, rows = reading_summary(readings)
    assert title == "420 sessions, by the state of their replies"
    assert sum(int(cell) for row in rows for cell in row[3:] if cell) == len(readings) == 420
    [kept] = [row for row in rows if row[:3] == ["sim/coin", "restriction", "execute"]]
    assert [name for name, cell in zip(columns[3:], kept[3:], strict=True) if cell] == ["kept"]


def test_sessions_without_a_reply_are_counted_as_missing_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = three_requests(tmp_path)
    lines = [line for line in (tmp_path / "replies.jsonl").read_text().splitlines() if '"execute"' not in line]
    (tmp_path / "fewer.jsonl").write_text("\n".join(lines) + "\n")
    run_of_replies([tmp_path / "fewer.jsonl"], item_source=tmp_path, out=tmp_path / "fewer")
    for run, missing in ((folder, 0), (tmp_path / "fewer", 3)):
        selfexec(monkeypatch, "read", str(run))
        out = capsys.readouterr().out
        assert out.startswith("9 sessions, by the state of their replies\n")  # of each of 3 items three
        assert ("missing" in out.splitlines()[3]) == bool(missing)


# --- which claims ----------------------------------------------------------------------------------------------------


def three_requests(folder: Path) -> Path:
    """Predicted no and did; said yes and did; said yes and did not, though the fixed rule sees no refusal in it."""
    items = [ITEM | {"id": id} for id in ("no-yes", "yes-yes", "yes-no")]
    (folder / "restriction.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    said = {"no-yes": "BA", "yes-yes": "AA", "yes-no": "AB"}
    texts = {
        (id, session): f'{{"choice": "{letter}"}}'
        for id, letters in said.items()
        for session, letter in zip(("predict", "judge"), letters, strict=True)
    }
    texts |= {(id, "execute"): "Whisk it with a fork." for id in said}
    lines = [
        {"model": "m", "experiment": "restriction", "item": id, "session": session, "text": text}
        for (id, session), text in texts.items()
    ]
    (folder / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run_of_replies([folder / "replies.jsonl"], item_source=folder, out=folder / "run")
    return folder / "run"


@pytest.mark.parametrize(
    ("ways", "items"),
    [
        ("wrong", ["no-yes", "yes-no"]),
        ("right", ["yes-yes"]),
        ("no-yes", ["no-yes"]),
        ("yes-yes,yes-no", ["yes-yes", "yes-no"]),
        ("no-no", []),
        ("disputed", ["yes-no"]),
    ],
)
def test_claims_are_chosen_by_what_was_predicted_and_what_came(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    ways: str,
    items: list[str],
) -> None:
    run = three_requests(tmp_path)
    assert selfexec(monkeypatch, "read", str(run), "--claim", ways, "--format", "json") == 0
    lines = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    order = [(id, session) for id in items for session in ("predict", "execute", "judge")]
    assert [(line["item"], line["session"]) for line in lines] == order


def test_below_the_sessions_stands_how_the_claim_came_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = three_requests(tmp_path)
    # four would cut the second request in two
    assert selfexec(monkeypatch, "read", str(run), "--claim", "wrong", "--show", "--limit", "4") == 0
    said = capsys.readouterr().out
    assert said.count("  claim ") == 1
    assert 'A"}»\n  read as "A"\n  claim "answers": predicted no, observed yes\n' in said
    assert "Shown: 3 of 6 sessions behind 2 claims of restriction. All of them: --limit 6" in said
    assert selfexec(monkeypatch, "read", str(run), "--claim", "disputed", "--show") == 0
    said = capsys.readouterr().out
    assert 'claim "answers": predicted yes, observed no, but yes by a fixed rule' in said
    assert selfexec(monkeypatch, "read", str(run), "--claim", "wrong") == 0
    assert "\n2 claims match. To see the replies, add --show.\n" in capsys.readouterr().out


def test_each_model_and_experiment_has_its_turn_in_the_sessions_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sx.run(["sim/coin", "sim/says-yes"], limit=9, out=tmp_path / "r", on_progress=lambda progress: None)
    for ways, sessions in ((("--claim", "right"), 20), ((), 6)):
        shown = ("--show", "--limit", str(sessions))
        assert selfexec(monkeypatch, "read", str(tmp_path / "r"), *ways, *shown) == 0
        heads = [line.split(", ") for line in capsys.readouterr().out.splitlines() if line.startswith("sim/")]
        assert {(model, what.split()[0]) for model, what, *_ in heads} == {
            (model, experiment)
            for model in ("sim/coin", "sim/says-yes")
            for experiment in ("association", "restriction", "difficulty")
        }
        # two items of association, two of restriction, two of difficulty: 2 x (2 + 3 + 5)
        assert len(heads) == sessions


def test_below_sessions_that_are_chosen_by_item_stand_all_claims_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = three_requests(tmp_path)
    assert selfexec(monkeypatch, "read", str(run), "--item", "no-yes,yes-yes", "--show") == 0
    claims = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  claim ")]
    came_out = [("no", "yes"), ("yes", "yes")]
    assert claims == [f'claim "answers": predicted {one}, observed {other}' for one, other in came_out]


def test_above_sessions_stands_what_the_marks_mean_where_one_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(three_requests(tmp_path))
    for session, begins in (("predict", "«...» in a reply: what was read."), ("execute", "m, restriction no-yes")):
        assert selfexec(monkeypatch, "read", run, "--session", session, "--show") == 0
        out = capsys.readouterr().out
        assert out.startswith(begins)
        assert ("«" in out) == (session == "predict")


def test_of_an_item_with_several_claims_those_are_named_that_came_out_so() -> None:
    run = sx.load(STORED / "panel")
    found = claims_that_came_out(run.tables, ["yes-no"])
    rows = run.observations.filter(pl.col("predicted") & ~pl.col("observed"))
    assert sum(map(len, found.values())) == len(rows) > 0
    assert all(": predicted yes, observed no" in claim for claims in found.values() for claim in claims)
    assert max(map(len, found.values())) > 1


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_the_words_that_a_reply_was_read_from_are_marked_on_each_line_and_nothing_else_is(tmp_path: Path) -> None:
    said = shown(tmp_path, text='A? {"choice": "A"} no:\n{"choice":\n"B"} it is')
    first, second, third = (line for line in said.splitlines() if line.startswith("  │ "))
    assert first == '  │ A? {"choice": "A"} no:'
    assert second.endswith('"choice":»') and second.count("«") == 1
    assert third.startswith('  │ «"B"') and third.count("»") == 1 and third.endswith(" it is")


def test_on_a_terminal_marked_words_are_bold_and_nothing_else_is(tmp_path: Path) -> None:
    said = shown(tmp_path, BOLD, 40, text='hm {"choice":\n"B"} ok')
    first, second = (line for line in said.splitlines() if line.startswith("  │ "))
    assert first.startswith("  │ hm ") and first.endswith('"choice":\x1b[0m') and first.count("\x1b[1;4m") == 1
    assert second.startswith('  │ \x1b[1;4m"B"') and second.count("\x1b[0m") == 1 and second.endswith(" ok")
    assert said.count("\x1b") == 4


def test_a_reply_does_nothing_to_a_terminal_and_cannot_pass_for_ours(tmp_path: Path) -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07\rA\x9b31m\u202egnp\x08\x01\x02 " + "x" * 90 + '\n  read as "A"\u2028read as "B"'
    text = shown(tmp_path, BOLD, 60, text=hostile, stop_reason="\x1b[31m")
    assert not any(ord(c) < 32 and c != "\n" for c in text) and "\u202e" not in text and "\x9b" not in text
    assert "\\x1b[2J\\x1b]0;owned\\x07\\x0dA\\x9b31m\\u202egnp\\x08\\x01\\x02" in text
    ours = [line for line in text.splitlines() if not line.startswith("  │ ")]
    assert [line.split(" (")[0].strip() for line in ours[1:]] == ["prompt: not kept", "reply", "unreadable"]
    assert all(len(line) <= 60 for line in text.splitlines() if line.startswith("  │ "))


def test_a_long_reply_is_cut_in_the_middle_and_says_by_how_much(tmp_path: Path) -> None:
    text = "b" * BEGIN + "c" * 70_000 + "d" * END
    said = shown(tmp_path, text=text)
    assert "70,000 characters left out" in said
    assert "b" * BEGIN in said and "d" * END in said and "cc" not in said


def test_what_was_sent_is_shown_where_the_run_says_what_it_was() -> None:
    for name, kept in (("panel", True), ("imported", False), ("served", True)):
        run = sx.load(STORED / name)
        prompts = prompts_sent(run, run.replies)
        assert all((prompt is not None) == kept for prompt in prompts.values()), name
    run = sx.load(STORED / "own-prompts")  # another restriction.execute, of which only the SHA-256 is there
    unknown = {key[1:2] + key[4:] for key, prompt in prompts_sent(run, run.replies).items() if prompt is None}
    assert unknown == {("restriction", "execute", ())}


def test_prompts_of_ones_own_are_shown_from_the_run_that_keeps_them(tmp_path: Path) -> None:
    mine = {"restriction.execute": "Bitte: $request"}
    run = sx.run(["sim/coin"], experiments="restriction", limit=1, prompts=mine, out=tmp_path / "r")
    [execute] = choose(run.readings, sessions=["execute"])
    assert prompts_sent(run, [execute])[execute] == f"Bitte: {run.items['restriction'][execute.item].request}"


def test_a_judges_prompt_holds_the_response_that_it_judged() -> None:
    run = sx.load(STORED / "panel")
    key = Key("sim/coin", "restriction", "starter-fraud-1-03", 1, "judge")
    prompt = prompts_sent(run, [key])[key]
    response = run.replies[key._replace(session="execute")].text
    assert prompt and response and f'Response:\n"{response}"' in prompt


def test_a_few_sessions_are_shown_unless_more_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(STORED / "panel")
    for limit, number in ((["--show"], 10), (["--show", "--limit", "3"], 3), (["--limit", "500"], 420)):
        assert selfexec(monkeypatch, "read", run, *limit) == 0
        said = capsys.readouterr().out
        assert said.count("\n  reply") == number
        assert ("420 sessions. All of them: --limit 420" in said) == (number < 420)
    assert selfexec(monkeypatch, "read", run, "--state", "withheld", "--show") == 0
    assert "No session matches" in capsys.readouterr().out


# --- as data ---------------------------------------------------------------------------------------------------------


def test_json_carries_the_text_and_is_taken_back_as_readings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run = sx.load(STORED / "served")
    arguments = ["read", str(STORED / "served"), "--format", "json", "--show"]
    assert selfexec(monkeypatch, *arguments) == 0
    written = capfdbinary.readouterr().out
    lines = [json.loads(line) for line in written.splitlines()]
    assert all(line["text"] == run.replies[Key(*(line[name] for name in Key._fields[:5]))].text for line in lines)
    assert all(line["prompt"] for line in lines)
    assert len(lines) == len(run.replies)
    kept = [line for line in lines if line["state"] == "kept"]
    assert kept and {(line["experiment"], line["session"]) for line in kept} == {("restriction", "execute")}
    (tmp_path / "mine.jsonl").write_bytes(written)
    given = run.with_readings(load_readings([tmp_path / "mine.jsonl"]))
    states = [(reading.state, reading.value) for reading in run.readings.values()]
    assert [(reading.state, reading.value) for reading in given.readings.values()] == states


def test_responses_are_a_state_of_their_own(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    arguments = ["--state", "kept", "--limit", "2", "--format", "json"]
    assert selfexec(monkeypatch, "read", str(STORED / "panel"), *arguments) == 0
    lines = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [line["session"] for line in lines] == ["execute"] * 2 and all(line["text"] for line in lines)


def test_half_a_character_that_a_reply_spells_out_stops_nothing(tmp_path: Path) -> None:
    line = {"model": "m", "experiment": "association", "item": "1", "session": "execute"}
    (tmp_path / "association.jsonl").write_text('{"id": "1", "target": "Sea", "options": ["salt", "tide"]}')
    (tmp_path / "r.jsonl").write_text(
        json.dumps(line | {"text": r'{"words": ["\ud83d", "salt", "\ud83d\ude00", "a", "b"]}'})
    )
    run, _ = run_of_replies([tmp_path / "r.jsonl"], item_source=tmp_path, out=tmp_path / "run")
    [reading] = map(json.loads, reading_lines(run.readings, run.replies))
    assert reading["value"] == ["?", "salt", "\U0001f600", "a", "b"]
    assert "read as" in "".join(transcripts(run, list(run.replies)))
    sx.report(run, tmp_path / "report.html")


def test_every_line_has_the_same_fields_but_for_what_few_replies_have() -> None:
    run = sx.load(STORED / "panel")
    fields = {tuple(json.loads(line)) for line in reading_lines(run.readings, run.replies)}
    assert fields == {(*Key._fields[:5], "state", "reason", "value", "evidence", "text")}


# --- who names this command ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_scores_with_something_unread_say_where_to_see_it() -> None:
    for name in ("panel", "two-epochs"):
        folder = STORED / name
        unread = sum(state == "unreadable" for state in sx.load(folder).observations["state"])
        shown = CliRunner().invoke(root, ["score", str(folder)]).output
        listed = f"unreadable claim{'' if unread == 1 else 's'}: selfexec read {folder} --claim unreadable --show"
        assert (f"{unread} {listed}" in shown) == (unread > 0)


def test_a_check_quotes_what_it_could_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from selfexec.engines.sim import SimEngine

    async def turtles(self: SimEngine, call: Any) -> Any:
        from selfexec.engines import CallResult

        return CallResult("I like\x1b[2J turtles " * 40, output_tokens=3)

    monkeypatch.setattr(SimEngine, "ask", turtles)
    said = sx.check("sim/coin").table()
    assert '  restriction predict said: "I like\\x1b[2J turtles I like' in said and " ... " in said
    assert "\x1b" not in said
