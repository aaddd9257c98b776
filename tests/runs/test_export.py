"""`selfexec export`: sessions for somebody else to ask, in rounds; and replies from files of all kinds."""

import gzip
import hashlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.cli import root
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.runs import load_readings
from selfexec.runs.exporting import custom_id
from selfexec.runs.importing import run_of_replies
from selfexec.runs.transcripts import prompts_sent

STORED = Path(__file__).parents[1] / "stored"
PAGE = Path(__file__).parents[2] / "docs" / "export.md"
# the service of the page's example: a simulated model, which sees prompts and nothing else
SERVICE = """
from selfexec.engines.sim import respondent
from selfexec.engines.sim import Knowledge
from selfexec.experiments import messages_of
from selfexec.items import load

def ask_all(asked):
    known = Knowledge.of(load("starter").cut(preset="quick"))
    replies = {id: respondent(model, known).reply(messages_of(prompt)) for id, (model, prompt) in asked.items()}
    return {id: (reply.text, reply.output_tokens) for id, reply in replies.items()}
"""


def selfexec(*arguments: str) -> Any:
    return CliRunner().invoke(root, arguments)


def exported(*arguments: str) -> list[dict[str, Any]]:
    found = selfexec("export", *arguments)
    assert found.exit_code == 0, found.exception
    return [json.loads(line) for line in found.stdout.splitlines()]


def as_typed(command: str) -> None:
    """Do what a line of a shell does: `selfexec ...` or `python FILE ...`, with `> FILE` behind it or without."""
    typed, _, file = command.partition(" > ")
    called, *arguments = shlex.split(typed, comments=True)
    if called == "python":
        subprocess.run([sys.executable, *arguments], check=True)
        return
    assert called == "selfexec"
    done = selfexec(*arguments)
    assert done.exit_code == 0, done.output
    if file:
        Path(file).write_text(done.stdout, "utf-8")


@pytest.mark.slow
def test_the_example_of_the_page_comes_to_the_scores_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text("utf-8").replace("my-model", "sim/typical")
    [commands] = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    [script] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "answer.py").write_text(script)
    (tmp_path / "my_service.py").write_text(SERVICE)
    monkeypatch.chdir(tmp_path)
    for command in commands.splitlines():
        as_typed(command)
    run = sx.run(["sim/typical"], preset="quick", out=tmp_path / "direct")
    asked = sum((tmp_path / f"round-{n}.jsonl").read_text("utf-8").count("\n") for n in (1, 2))
    assert asked == len(run.replies)
    elsewhere = sx.load(tmp_path / "runs" / "sim" / "typical")
    assert {key: reply.text for key, reply in elsewhere.replies.items()} == {
        key: reply.text for key, reply in run.replies.items()
    }
    assert list(sx.score(elsewhere)) == list(sx.score(run))
    # lines that kept their prompt say what was sent, word for word
    key = next(key for key in run.replies if key.session == "judge")
    assert prompts_sent(elsewhere, [key]) == prompts_sent(run, [key]) != {key: None}
    assert "nothing is left to ask" in selfexec("export", str(tmp_path / "direct")).stderr


@pytest.mark.parametrize("preset", ["", " --preset quick"])
@pytest.mark.slow
def test_the_commands_of_the_page_end_in_the_scores_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str
) -> None:
    page = PAGE.read_text("utf-8").replace("runs/my-model", "runs/mine").replace("my-model", "sim/typical")
    road = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)[0]
    assert "--preset quick" in road and road.count("selfexec import") == 2
    [script] = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "answer.py").write_text(script)
    (tmp_path / "my_service.py").write_text(SERVICE.replace('.cut(preset="quick")', "") if not preset else SERVICE)
    monkeypatch.chdir(tmp_path)
    for line in road.replace(" --preset quick", preset).splitlines():
        as_typed(line.strip().partition("  #")[0].rstrip())
    run = sx.run(["sim/typical"], preset="quick" if preset else None, out=tmp_path / "direct")
    assert list(sx.score("runs/mine")) == list(sx.score(run))


def test_import_says_what_is_missing_and_the_command_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = exported("--model", "m", "--experiment", "restriction", "--preset", "quick")
    assert {json.dumps(line["cut"]) for line in first} == {'{"preset":"quick"}'.replace(":", ": ")}
    texts = {"predict": '{"choice": "A"}', "execute": "Here it is."}
    lines = [line | {"text": texts[line["session"]]} for line in first]
    lines[0] |= {"text": None, "error": "timeout"}
    Path("one.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:-2]))  # nothing of the last item
    done = selfexec("import", "one.jsonl", "--items", "starter", "--out", "r")
    requests = len(first) // 2
    said = done.output.splitlines()
    assert f"missing: {requests - 1} sessions, restriction judge: not asked yet" in said
    assert "missing: 1 session, restriction predict: failed" in said
    assert "missing: 1 session, restriction predict: no line of their item" in said
    # the last item lacks all three of its sessions; of these the judge has to wait for the response
    assert said[-1] == (
        f"r: imported ({len(first) - 3} replies, {requests + 3} sessions missing, 1 model). Next: "
        f"selfexec export r > round-2.jsonl ({requests + 2} sessions), then selfexec import ANSWERS --out r; "
        "to score what is there: selfexec score r"
    )
    assert len(exported("r")) == requests + 2
    assert sx.load("r").manifest.preset == "quick"


def test_a_later_round_is_added_to_the_run_and_contradicts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = sx.run(["sim/coin"], experiments="restriction", limit=4, out="whole")
    lines = Path("whole/replies.jsonl").read_text("utf-8").splitlines(keepends=True)
    early = [line for line in lines if '"judge"' not in line]
    Path("early.jsonl").write_text("".join(early))
    Path("late.jsonl").write_text("".join(line for line in lines if '"judge"' in line))
    run = sx.import_replies("early.jsonl", items="whole/items", out="r")
    assert len(run.replies) == len(early)
    sx.import_replies("late.jsonl", out="r")
    again = sx.import_replies(["early.jsonl", "late.jsonl"], out="r")  # the same once more is no error
    assert again.replies == whole.replies and len(Path("r/replies.jsonl").read_text().splitlines()) == len(lines)
    assert list(sx.score(again)) == list(sx.score(whole))
    assert set(again.manifest.sources) == {"early.jsonl", "late.jsonl"}
    before = Path("r/replies.jsonl").read_bytes()
    other = json.loads(lines[0]) | {"text": "Something else."}
    new = json.loads(lines[1]) | {"model": "another"}
    Path("other.jsonl").write_text(f"{json.dumps(new)}\n{json.dumps(other)}\n")
    with pytest.raises(sx.InputError, match=r"other\.jsonl:2: .* has another reply in r\."):
        sx.import_replies("other.jsonl", out="r")
    assert Path("r/replies.jsonl").read_bytes() == before  # the line before was not taken, either
    Path("strange.jsonl").write_text(json.dumps(new | {"item": "nowhere"}))
    with pytest.raises(sx.InputError, match=r"no restriction item has the id .*Give the items that were asked: items"):
        sx.import_replies("strange.jsonl", out="r")
    Path("new.jsonl").write_text(json.dumps(new))
    with pytest.warns(UserWarning, match="another has no line for 3 of the items"):
        assert sx.import_replies("new.jsonl", out="r").models == ("sim/coin", "another")
    with pytest.raises(sx.InputError, match="the folder holds another run already"):
        sx.import_replies("new.jsonl", items="whole/items", out="whole")


def test_lines_of_two_cuts_are_two_runs_and_what_is_typed_goes_before_them(tmp_path: Path) -> None:
    files = []
    for n, cut in enumerate((["--limit", "3"], ["--limit", "2"])):
        lines = exported("--model", "m", "--experiment", "restriction", *cut)
        files.append(tmp_path / f"{n}.jsonl")
        files[n].write_text("".join(json.dumps(line | {"text": "A"}) + "\n" for line in lines))
    with pytest.raises(sx.InputError, match=r"exported with limit 2, and .* with limit 3\. Import them into two"):
        sx.import_replies(files, items="starter", out=tmp_path / "r")
    run, _ = run_of_replies([files[0]], item_source="starter", out=tmp_path / "three")
    assert len(run.items["restriction"]) == 3
    run, _ = run_of_replies([files[0]], item_source="starter", limit=5, out=tmp_path / "five")
    assert len(run.items["restriction"]) == 5


def test_a_custom_id_is_the_same_for_ever_and_as_batch_apis_want_it() -> None:
    key = Key("a/b é", "restriction", "17", 2, "execute.Q1")
    digest = hashlib.sha256('["a/b é","restriction","17",2,"execute.Q1"]'.encode()).hexdigest()
    assert custom_id(key) == f"sx-{digest[:40]}"
    found = selfexec("export", "--model", "m,n", "--limit", "3", "--epochs", "2")
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert "108 sessions to ask. At most 12 more sessions follow" in found.stderr  # a judge for each request
    assert len({line["custom_id"] for line in lines}) == len(lines) == 2 * 2 * 3 * (2 + 2 + 5)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", line["custom_id"]) for line in lines)
    assert list(lines[0]) == ["model", "experiment", "item", "epoch", "session", "custom_id", "prompt", "cut"]
    assert all(line["cut"] == {"limit": 3} for line in lines)


def test_what_failed_is_asked_again_and_what_was_withheld_is_not(tmp_path: Path) -> None:
    first = exported("--model", "m", "--experiment", "restriction", "--limit", "3")
    assert [line["session"] for line in first] == ["predict", "execute"] * 3
    texts = {"text": "Here it is."}, {"text": None, "error": "timeout"}, {"text": None, "refusal": "no"}
    executed = [line | reply for line, reply in zip(first[1::2], texts, strict=True)]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(line) + "\n" for line in [*executed, first[0] | {"text": "A"}]))
    again = exported("--model", "m", "--experiment", "restriction", "--limit", "3", "--replies", str(answers))
    # of the first item the judge, of the second all but the judge, of the third the prediction: it needs no judge
    assert [(line["item"], line["session"]) for line in again] == [
        (first[0]["item"], "judge"),
        (first[2]["item"], "predict"),
        (first[2]["item"], "execute"),
        (first[4]["item"], "predict"),
    ]
    assert 'Response:\n"Here it is."' in again[0]["prompt"]


def test_a_judge_of_another_response_is_asked_anew(tmp_path: Path) -> None:
    run = sx.run(["sim/coin"], experiments="restriction", limit=1, out=tmp_path / "r")
    [item] = run.items["restriction"]
    other = {"model": "sim/coin", "experiment": "restriction", "item": item, "session": "execute", "text": "Other."}
    (tmp_path / "other.jsonl").write_text(json.dumps(other))
    [judge] = exported(str(run.folder), "--replies", str(tmp_path / "other.jsonl"))
    assert judge["session"] == "judge" and 'Response:\n"Other."' in judge["prompt"]


def test_of_a_run_that_was_cut_off_the_rest_is_exported_with_its_own_prompts(tmp_path: Path) -> None:
    mine = {"restriction.execute": "Bitte: $request"}
    choices = {"limit": 4, "prompts": mine, "out": tmp_path / "r", "settings": {"temperature": 0}}
    run = sx.run(["sim/coin", "sim/typical"], max_calls=9, **choices)
    found = selfexec("export", str(tmp_path / "r"))
    assert "temperature=0: send the same" in found.stderr
    rest = {Key(*(line[name] for name in Key._fields[:5])): line for line in map(json.loads, found.stdout.splitlines())}
    whole = sx.run(["sim/coin", "sim/typical"], **choices)
    # what is left, but for judges that wait for a response that is not there
    waiting = {key for key in whole.replies if key.session == "judge" and key._replace(session="execute") in rest}
    assert rest.keys() == whole.replies.keys() - run.replies.keys() - waiting
    sent = prompts_sent(whole, rest)
    assert all(line["prompt"] == sent[key] for key, line in rest.items())
    assert any(line["prompt"].startswith("Bitte: ") for line in rest.values())
    one = exported(str(tmp_path / "r"), "--model", "sim/coin", "--experiment", "difficulty")
    assert {(line["model"], line["experiment"]) for line in one} <= {("sim/coin", "difficulty")}


def test_a_run_that_showed_results_is_refused_by_the_condition_and_not_by_its_own_prompts(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"models": "sim/coin", "experiments": "restriction", "limit": 6, "out": tmp_path / "r"}
    sx.run(**asked)
    sx.run(**asked, facets={"strategy": "own-history:2"}, max_calls=1)
    fault = selfexec("export", str(tmp_path / "r")).exception
    assert isinstance(fault, sx.InputError) and "strategy=own-history:2: what is shown there" in fault.typed


def test_settings_of_one_value_are_named_once_and_counted(tmp_path: Path) -> None:
    sx.run(["sim/coin", "sim/typical"], limit=2, out=tmp_path / "r", facets={"thinking": ["off"]}, max_calls=2)
    found = selfexec("export", str(tmp_path / "r")).stderr
    # predictions of three experiments by two models, and that of the ranking
    assert found.count("thinking mode") == 1 and "(and 5 more settings with this value): send the same" in found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "which model?"),
        (["--model", ","], "a name in it is empty"),
        (["nowhere"], "nowhere: no run found"),
        ([str(STORED / "panel"), "--items", "starter"], "this is already set by"),
        ([str(STORED / "panel"), "--model", "sim/x"], "--model sim/x: "),
        ([str(STORED / "own-prompts")], "the prompt restriction.execute is not kept"),
        (["--model", "m", "--experiment", "refusal"], "experiment 'refusal'"),
        (["--model", "m", "--replies", str(STORED / "panel")], "none of these replies is of a session that is asked"),
        (["--model", "m", "--replies", "nowhere.jsonl"], "nowhere.jsonl: no such file"),
        (["--model", "m", "--prompts", "nowhere.json"], "nowhere.json: no such file"),
        (["--model", "m", "--out", "nowhere/x.jsonl"], "nowhere/x.jsonl: cannot be written"),
    ],
)
def test_what_cannot_be_exported_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    fault = selfexec("export", *arguments).exception
    assert isinstance(fault, sx.InputError) and message in fault.typed and "\n" not in fault.typed
    assert list(tmp_path.iterdir()) == []


# --- files of replies ------------------------------------------------------------------------------------------------


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    """Replies of a stored run, as a file of somebody else's."""
    path = tmp_path / "replies.jsonl"
    path.write_bytes((STORED / "panel" / "replies.jsonl").read_bytes())
    return path


def test_a_gzipped_file_and_standard_input_are_the_same_as_the_file(tmp_path: Path, replies: Path) -> None:
    packed = tmp_path / "replies.jsonl.gz"
    packed.write_bytes(gzip.compress(replies.read_bytes()[:1_000]) + gzip.compress(replies.read_bytes()[1_000:]))
    items = STORED / "panel" / "items"
    plain, _ = run_of_replies([replies], item_source=items, out=tmp_path / "plain")
    unpacked, _ = run_of_replies([packed], item_source=items, out=tmp_path / "unpacked")
    assert unpacked.replies == plain.replies
    for content in (replies.read_bytes(), packed.read_bytes()):
        out = tmp_path / f"piped-{len(content)}"
        done = CliRunner().invoke(root, ["import", "-", "--items", str(items), "--out", str(out)], input=content)
        assert done.exit_code == 0, done.exception
        assert sx.load(out).replies == plain.replies
    [digest] = sx.load(tmp_path / "plain").manifest.sources.values()
    assert digest == hashlib.sha256(replies.read_bytes()).hexdigest()


def test_readings_may_be_gzipped(tmp_path: Path) -> None:
    line = b'{"model": "m", "experiment": "restriction", "item": "1", "session": "judge", "value": "A"}\n'
    (tmp_path / "r.jsonl.gz").write_bytes(gzip.compress(line))
    assert [reading.value for reading in load_readings([tmp_path / "r.jsonl.gz"]).values()] == ["A"]


@pytest.mark.parametrize("damage", ["cut off", "another byte", "only the beginning"])
def test_a_damaged_gzip_file_is_refused(tmp_path: Path, replies: Path, damage: str) -> None:
    packed = bytearray(gzip.compress(replies.read_bytes()))
    if damage == "another byte":
        packed[len(packed) // 2] ^= 0xFF
    content = {"cut off": packed[:-20], "another byte": packed, "only the beginning": b"\x1f\x8b"}[damage]
    (tmp_path / "r.gz").write_bytes(content)
    with pytest.raises(sx.InputError, match=r"r\.gz: the gzip file is damaged or cut off"):
        run_of_replies([tmp_path / "r.gz"], item_source="starter", out=tmp_path / "run")


def test_a_file_that_unpacks_to_more_than_a_machine_bears_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "MOST_UNPACKED", 1_000)
    (tmp_path / "r.gz").write_bytes(gzip.compress(b" " * 1_001))
    with pytest.raises(sx.InputError, match=r"unpacked it has more than 1,000 bytes\. Give it in parts"):
        load_readings([tmp_path / "r.gz"])
    (tmp_path / "r.gz").write_bytes(gzip.compress(b" " * 1_000))
    assert load_readings([tmp_path / "r.gz"]) == {}


def test_a_cut_that_was_asked_is_imported_as_that_cut(tmp_path: Path) -> None:
    run = sx.run(["sim/coin"], limit=3, out=tmp_path / "r")
    path = run.folder / "replies.jsonl"
    again, _ = run_of_replies([path], item_source="starter", limit=3, out=tmp_path / "again")
    assert again.items.items == run.items.items and not again.unasked
    with pytest.raises(sx.InputError, match="Are these the right items"):
        run_of_replies([path], item_source="starter", limit=2, out=tmp_path / "less")
