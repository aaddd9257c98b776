"""A study in one file: each model is reached and asked in its own way, and the result is one run."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

import selfexec as sx
from build import Command
from extension_parts import needs
from selfexec.engines import Connection, Sampling, default_models
from selfexec.errors import InputError
from selfexec.extensions.study.planning import load_study
from selfexec.extensions.study.saving import save
from selfexec.run_options import RunOptions
from selfexec.runs.toml.contents import TABLES, is_path
from selfexec.runs.toml.places import line_of
from sockets import completion, served, sim_server

DOCS = Path(__file__).parents[3] / "docs" / "study.md"


def written(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, "utf-8")
    return path


def timeless(run: sx.Run) -> dict[sx.Key, Any]:
    """The replies of a run, without when and how fast they came."""
    return {key: msgspec.structs.replace(r, time=None, latency=None) for key, r in run.replies.items()}


# --- what a file says ------------------------------------------------------------------------------------------------


def test_a_file_takes_all_that_a_run_may_be_told_and_a_model_all_about_itself() -> None:
    of_file = set(TABLES[None].__struct_fields__)
    # a shard is one process's share of the study, whatever file holds it; the others are about one call, and only a
    # person who calls allows models to execute anything
    not_of_a_study = {"models", "shard", "again", "retry_ends", "on_progress", "allow_self_execution"}
    assert of_file - {"models", "outputs"} == {choice.name for choice in fields(RunOptions)} - not_of_a_study
    own = {choice.name for kind in (Connection, Sampling) for choice in fields(kind)}
    assert set(TABLES["models"].__struct_fields__) - {"model", "name", "price"} == own


def test_the_example_in_the_documents_says_what_its_remarks_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert example
    monkeypatch.setenv("TEAM", "evals")
    plan = load_study(written(tmp_path, example[1].replace('"paper"', '"starter"'))).plan()
    luna, warm, cold, gateway, coin = plan.respondents
    assert [one.name for one in plan.respondents] == [
        *("openai/gpt-6-luna", "vllm/checkpoint-500", "checkpoint-500, cold"),
        *("anthropic/claude-sonnet-5-5", "sim/coin"),
    ]
    assert (luna.connections, luna.sampling.settings) == (
        (Connection(),),
        {"temperature": 0.7, "execute.max_tokens": 2000},
    )
    assert [(c.base_url, c.max_connections) for c in warm.connections] == [
        *(("http://gpu1:8000/v1", 64), ("http://gpu2:8000/v1", 64)),
    ]
    assert (cold.asked, cold.sampling.settings) == (warm.asked, {"temperature": 0, "execute.max_tokens": 2000})
    assert gateway.connections == (
        Connection(
            base_url="https://gateway.example/anthropic",
            api_key_env="GATEWAY_KEY",
            wire="anthropic",
            headers={"X-Team": "evals"},
        ),
    )
    assert coin.simulated and not luna.simulated
    assert plan.out == tmp_path / "runs/checkpoints"
    assert (plan.epochs, plan.preset, plan.caps.dollars) == (2, "quick", 20.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("limit = 3\n\nepoch = 2\n", ":3: unknown key 'epoch'. Did you mean 'epochs'?"),
        ("zzz = 1\n", ":1: unknown key 'zzz'. There are accept_ends, "),
        (
            'limit = 1\n[[models]]\nmodel = "a/b"\n[[models]]\nmodel = "a/c"\nbaseurl = "x"\n',
            ":6: unknown key 'baseurl'",
        ),
        ('models = [\n  "a/b",\n  { model = "a/c", nam = "x" },\n]\n', ":3: unknown key 'nam'. Did you mean 'name'?"),
        ('# a\nlimit = "ten"\n', ":2: field 'limit' must be a whole number, not text."),
        (
            '[outputs]\nscores = "s.xls"\n',
            ":2: scores = 's.xls': the name must end in .txt or .json or .csv or .md or .parquet.",
        ),
        ('[outputs]\npage = "s.html"\n', ":2: unknown key 'page'. There are card, report, scores."),
        ("limit = = 1", "not valid TOML"),
        ('models = ["sim/coin", "sim/coin"]\n', ":1: the model 'sim/coin' is there twice."),
        ('[[models]]\nmodel = "sim/coin"\n[[models]]\nname = "sim/coin"\nmodel = "sim/typical"\n', ":4: the model"),
        ('[headers]\nX-Key = "secret-123"\n', ":2: header X-Key: what it holds may be a key"),
        ('[headers]\nX-Key = "$NOBODY_SET_THIS"\n', "header X-Key: the variable $NOBODY_SET_THIS is not set."),
        ('[extra_body]\napi_key = "sk-1234567890"\n', ":2: extra_body: api_key looks like a key"),
        ('limit = 1\nbase_url = "https://me:pass@host/v1"\n', ":2: the address holds a key"),
        ('limit = 1\nbase_url = "https://host/v1?api-version=1&code=a"\n', ":2: the address holds a key"),
        ('models = ["a/b"]\nbase_url = ["http://h/v1", "http://h/v1"]\n', "the address http://h/v1 is there twice"),
        ("epochs = 0\n", ":1: epochs 0: give 1 or more."),
        ('models = ["sim/nobody"]\n', "unknown simulated model"),
        ("[[models]]\nname = 'x'\n", ":1: field 'models[0]' lacks 'model'."),
        ("settings = { temprature = 1 }\n", "temprature"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line_and_the_way_out(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        load_study(written(tmp_path, text)).plan().engine()


def test_a_file_that_says_nothing_is_no_study(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"study.toml: it says nothing\. Name the models"):
        load_study(written(tmp_path, "# nothing yet\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('models = ["sim/coin"]\nsettings = {temprature = 1}\n', ":2: settings temprature: did you mean temperature?"),
        (
            '[[models]]\nmodel = "sim/coin"\nname = "x"\n[models.settings]\nexecute.temprature = 1\n',
            ":5: model 'x'",
        ),
        ('models = ["sim/coin"]\nmax_connections = 0\n', ":2: max_connections 0: give 1"),
    ],
)
def test_what_a_study_says_wrongly_is_told_with_its_line_and_its_own_wording(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(InputError, match=re.escape(f"study.toml{said}")):
        load_study(written(tmp_path, text)).plan()


def test_what_is_typed_beside_a_study_is_no_line_of_it(tmp_path: Path) -> None:
    study = load_study(written(tmp_path, 'models = ["sim/coin"]\nepochs = 2\n'))
    with pytest.raises(InputError, match=r"^epochs 0: give"):
        study.plan(epochs=0)


def test_to_say_what_a_study_would_ask_takes_no_variable_of_a_header(
    selfexec: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, 'limit = 1\nmodels = ["vllm/m"]\nheaders = { X-Team = "$NOBODY_SET_THIS" }\n')
    lacks = "header X-Team: the variable $NOBODY_SET_THIS is not set."
    status, out, _ = selfexec("run", "--config", "study.toml", "--dry-run")
    assert status == 0 and f"Note: {lacks}" in out
    status, _, err = selfexec("run", "--config", "study.toml")
    assert status == 2 and lacks in err
    with pytest.raises(InputError, match=re.escape(lacks)):
        load_study("study.toml").run()


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: cannot be read \(No such file or directory\)"):
        load_study(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'items = "\xe4"')
    with pytest.raises(InputError, match="not UTF-8"):
        load_study(tmp_path / "latin.toml")


def test_a_key_is_found_in_the_line_that_names_it_whatever_goes_over_several() -> None:
    text = 'a = 1\n# b = 2\n[t]\nb = """\nc = 1\n"""\n\n[[m]]\nx = 1\n[[m]]\ny = [\n  1,\n]\nx = { z = 2 }\n'
    places: dict[int, list[Any]] = {
        1: ["a"],
        4: ["t", "b"],
        9: ["m", 0, "x"],
        11: ["m", 1, "y"],
        14: ["m", 1, "x", "z"],
    }
    assert {line: line_of(text, where) for line, where in places.items()} == {line: line for line in places}
    assert line_of(text, ["c"]) is None


def test_items_are_a_path_where_they_look_like_one_and_else_a_set_by_its_name() -> None:
    assert all(map(is_path, ("./mine", "mine/items", "/mine", "../mine", ".")))
    assert not any(map(is_path, ("starter", "paper", "my.items")))


def test_what_no_single_line_names_is_in_the_first_that_says_anything() -> None:
    lines = ["a = 1", "", "# t", "  # x = 1", "[[t]]", "x = [", "  1,", "]", "y = { x = 1, z = {", "x = 2 } }"]
    text = "\n".join(lines)
    assert line_of("\n# one\n [[t]]\ny = 1", ["t"]) == 3  # what is between brackets is named by no `t =`
    assert line_of("a = 1\n\n# one\n[t]\nx = 1", ["t", 0]) == 4  # it is no list: where it is itself
    assert line_of("a = 1", []) is None and line_of("", ["a"]) is None
    assert line_of("a = 1\nb = {", ["b"]) is None  # never whole
    assert line_of("[[t]]\nx = 1\n[[t]]\nx = 2", ["t", 1, "x"]) == 4
    assert line_of("[[t]]\nx = 1\n[[t]]\nx = 2", ["t", 2, "x"]) == 1  # there is no third
    assert line_of(text.partition("y =")[0], ["t", 0, "x"]) == 6
    assert line_of("y = { x = 1,\n", ["y"]) is None


def test_paths_begin_where_the_file_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    path = written(
        tmp_path, 'models = ["sim/coin"]\nitems = "./mine"\nprompts = "p.json"\nprice = ["p2.json", "1,2"]\n'
    )
    monkeypatch.chdir(tmp_path / "here")
    study = load_study(path)
    assert study.choices.items == str(tmp_path / "mine")
    assert study.choices.prompts == str(tmp_path / "p.json")
    assert study.choices.price == [str(tmp_path / "p2.json"), "1,2"]
    assert study.choices.out == str(tmp_path / "runs/study")


# --- what is asked ---------------------------------------------------------------------------------------------------


def listening(seen: list[tuple[dict[str, Any], str | None]]) -> web.Application:
    """A server that keeps what it is sent."""

    async def answer(request: web.Request) -> web.Response:
        seen.append((await request.json(), request.headers.get("X-Team")))
        return web.json_response(completion("A"))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    return app


def test_each_model_is_asked_at_its_own_address_with_its_own_settings_and_headers_and_no_secret_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAM", "hush-hush")
    first: list[Any] = []
    second: list[Any] = []
    third: list[Any] = []
    with served(listening(first)) as a, served(listening(second)) as b, served(listening(third)) as c:
        study = f"""
            limit = 6
            experiments = "difficulty"
            settings = {{ temperature = 1, execute.top_p = 0.5 }}
            [[models]]
            model = "vllm/m"
            base_url = ["{a}", "{b}"]
            max_connections = 2
            [[models]]
            name = "cold"
            model = "vllm/m"
            base_url = "{c}"
            headers = {{ X-Team = "$TEAM" }}
            settings = {{ temperature = 0 }}
            system = "Be brief."
            """
        run = sx.load_study(written(tmp_path, study)).run(lambda progress: None)
    assert set(run.models) == {"vllm/m", "cold"} and not any(r.failed for r in run.replies.values())
    assert len(first) + len(second) == len(third) == len(run.replies) / 2
    assert min(len(first), len(second)) >= len(third) / 4  # shared out
    assert {body["model"] for body, _ in [*first, *second, *third]} == {"m"}
    assert {(body["temperature"], body.get("top_p")) for body, _ in first + second} == {(1, None), (1, 0.5)}
    assert {(body["temperature"], body.get("top_p")) for body, _ in third} == {(0, None), (0, 0.5)}
    assert {team for _, team in third} == {"hush-hush"} and {team for _, team in first + second} == {None}
    assert all(body["messages"][0] == {"role": "system", "content": "Be brief."} for body, _ in third)
    assert run.manifest.own_settings == {"cold": {"execute.top_p": 0.5, "system": "Be brief.", "temperature": 0}}
    assert run.manifest.invocations[0].addresses == {"vllm/m": f"{a}, {b}", "cold": c}
    kept = b"".join(file.read_bytes() for file in run.folder.rglob("*") if file.is_file())
    assert b"hush-hush" not in kept and b"$TEAM" in kept


def test_a_model_that_is_asked_with_other_settings_than_before_is_refused_and_a_new_one_is_not(tmp_path: Path) -> None:
    text = 'limit = 1\nmodels = ["sim/coin", { model = "sim/typical", settings = { temperature = 1 } }]\n'
    run = sx.load_study(written(tmp_path, text)).run()
    assert run.manifest.settings_of("sim/coin") == {} and run.manifest.settings_of("sim/typical") == {"temperature": 1}
    told = "the setting temperature of sim/typical was 1 when it was asked before and is 2 now. Give the model another"
    with pytest.raises(InputError, match=told):
        sx.load_study(written(tmp_path, text.replace("= 1 }", "= 2 }"))).run()
    more = text.replace("}]", '}, { model = "sim/typical", name = "hot", settings = { temperature = 2 } }]')
    grown = sx.load_study(written(tmp_path, more.replace("= 1 }", "= 2 }", 0))).run()
    assert list(grown.models) == ["sim/coin", "sim/typical", "hot"]
    assert grown.manifest.own_settings["hot"] == {"temperature": 2}


def test_the_run_keeps_the_study_and_names_it_with_its_hash(tmp_path: Path) -> None:
    import hashlib

    path = written(tmp_path, 'limit = 1\nmodels = ["sim/coin"]\n')
    run = sx.load_study(path).run()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert run.manifest.invocations[0].study == f"study.toml, SHA-256 {digest}"
    assert (run.folder / "study.toml").read_bytes() == path.read_bytes()


def test_a_study_without_models_is_of_the_simulated_panel_wherever_it_is_asked(tmp_path: Path) -> None:
    here = load_study(written(tmp_path, "limit = 1\n")).plan()
    assert here.models == default_models() and here.all_simulated
    there = load_study(written(tmp_path, 'limit = 1\nbase_url = "http://127.0.0.1:9/v1"\n')).plan()
    assert there.models == here.models and not there.all_simulated


# --- the command -----------------------------------------------------------------------------------------------------


def test_a_command_line_that_is_saved_asks_what_it_would_have_asked(
    selfexec: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = ("--model", "sim/coin,sim/typical", "--limit", "2", "--epochs", "2", "--set", "execute.temperature=1")
    typed += ("--frame", "another-model", "--out", "o", "--price", "1,2", "--system", 'Say "hi"\n\x7f')
    status, out, err = selfexec("run", *typed, "--dry-run", "--save", "study.toml")
    assert (status, err) == (0, "") and "study.toml: written. Next: selfexec run --config study.toml" in out
    assert selfexec("run", "--config", "study.toml")[0] == 0
    assert selfexec("run", *("p" if word == "o" else word for word in typed))[0] == 0
    one, two = sx.load("o"), sx.load("p")
    without_times = [
        {key: msgspec.structs.replace(r, time=None, latency=None) for key, r in run.replies.items()}
        for run in (one, two)
    ]
    assert without_times[0] == without_times[1]
    assert one.manifest.settings == two.manifest.settings
    assert "the file already exists" in selfexec("run", "--dry-run", "--save", "study.toml")[2]
    assert "it goes with --dry-run" in selfexec("run", "--save", "other.toml")[2]


def test_headers_are_saved_as_variables_and_keys_not_at_all(
    selfexec: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("run", "--dry-run", "--model", "vllm/m", "--base-url", "http://127.0.0.1:9/v1", "--limit", "1")
    status, out, _ = selfexec(*asked, "--header", "X-Key=hush-hush", "--save", "study.toml")
    assert status == 0 and "Set X_KEY to what the header X-Key holds." in out
    assert "hush" not in (tmp_path / "study.toml").read_text() and '"$X_KEY"' in (tmp_path / "study.toml").read_text()
    status, _, err = selfexec(*asked, "--extra-body", '{"api_key": "sk-123456789"}', "--save", "other.toml")
    assert status == 2 and "looks like a key" in err and not (tmp_path / "other.toml").exists()
    for body in ({"thing": "correcthorsebattery"}, {"deep": {"in": [{"lies": "correcthorsebattery"}]}}):
        status, _, err = selfexec(*asked, "--extra-body", json.dumps(body), "--save", "other.toml")
        assert status == 2 and f"extra_body {next(iter(body))} holds text under a name that is no known setting" in err
        assert "correcthorse" not in err and not (tmp_path / "other.toml").exists()
    harmless = '{"fast": true, "depth": 3, "provider": {"only": ["mistral"]}}'
    assert selfexec(*asked, "--extra-body", harmless, "--save", "other.toml")[0] == 0


def test_options_beside_a_study_come_first_and_model_chooses_of_its_models(
    selfexec: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, 'limit = 3\nepochs = 2\nmodels = ["sim/coin", "sim/typical"]\n')
    out = selfexec("run", "--config", "study.toml", "--dry-run", "--limit", "1", "--model", "sim/typical")[1]
    assert out.startswith("sim/typical, items starter (1 association, 1 restriction, 1 difficulty), 20 sessions")
    err = selfexec("run", "--config", "study.toml", "--dry-run", "--model", "sim/typicl")[2]
    assert "study.toml has no such model. Did you mean 'sim/typical'?" in err
    assert selfexec("run", "--config", "study.toml", "--dry-run", "--save", "two.toml", "--epochs", "1")[0] == 0
    again = load_study("two.toml")
    assert (again.choices.epochs, again.choices.limit, again.models) == (1, 3, ["sim/coin", "sim/typical"])


@needs("judging")
def test_a_model_of_a_study_whose_name_has_a_comma_is_chosen_by_its_name(
    selfexec: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    models = '[[models]]\nmodel = "sim/coin"\nname = "typical, cold"\n[[models]]\nmodel = "sim/typical"\n'
    written(tmp_path, f'limit = 2\nexperiments = "restriction"\nout = "run"\n{models}')
    for order in (
        ("--config", "study.toml", "--model", "typical, cold"),
        ("--model", "typical, cold", "--config", "study.toml"),
    ):
        status, out, err = selfexec("run", "--dry-run", *order)
        assert (status, out.splitlines()[0][:21]) == (0, "typical, cold, items "), err
    assert selfexec("run", "--config", "study.toml")[0] == 0
    for command in (["judge", "run", "--judge", "rule"], ["score", "run"], ["export", "run", "--to", "panel"]):
        status, _, err = selfexec(*command, "--model", "typical, cold")
        assert status == 0, err
    err = selfexec("run", "--config", "study.toml", "--dry-run", "--model", "zzz")[2]
    assert "There are 'typical, cold', sim/typical." in err


def test_what_a_study_wants_at_its_end_is_written_and_is_what_the_commands_say(
    selfexec: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(
        tmp_path, 'limit = 1\nmodels = ["sim/coin"]\n[outputs]\nscores = ["r/s.json", "r/s.csv"]\ncard = "r/c.md"\n'
    )
    status, out, _ = selfexec("run", "--config", "study.toml")
    assert status == 0 and "r/s.json: written." in out
    assert json.loads((tmp_path / "r/s.json").read_text()) == json.loads(
        selfexec("score", "runs/study", "--format", "json")[1]
    )
    assert (tmp_path / "r/c.md").read_text() == selfexec("card", "runs/study")[1]
    assert selfexec("run", "--config", "study.toml", "--epochs", "2", "--max-calls", "2")[0] == 3
    assert "written" not in selfexec("run", "--config", "study.toml", "--epochs", "2", "--max-calls", "2")[1]


def test_a_saved_study_is_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "evals")
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert example
    study = load_study(written(tmp_path, example[1]))
    save(study, tmp_path / "again.toml")
    again = load_study(tmp_path / "again.toml")
    assert replace(again, path=study.path, content=study.content) == study


@pytest.mark.filterwarnings("ignore:.*not checked for swapped answers")  # their command was killed
@pytest.mark.slow  # starts servers and processes, and kills them
def test_a_study_of_two_servers_and_a_simulated_engine_that_is_killed_twice_scores_as_three_runs_do(
    tmp_path: Path,
) -> None:
    with sim_server("--latency", "0.02") as a, sim_server("--latency", "0.04") as b:
        text = f"""
            limit = 25
            models = [
                {{ name = "one", model = "sim/knows-itself", base_url = "{a}" }},
                {{ name = "two", model = "sim/typical", base_url = "{b}", max_connections = 8 }},
                "sim/coin",
            ]
            """
        path = written(tmp_path, text)
        journal = tmp_path / "runs" / "study" / "replies.jsonl"
        for size in (60_000, 120_000):
            process = subprocess.Popen(
                [sys.executable, "-m", "selfexec", "run", "--config", str(path)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            while not journal.exists() or journal.stat().st_size < size:
                assert process.poll() is None
                time.sleep(0.001)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        done = subprocess.run([sys.executable, "-m", "selfexec", "run", "--config", str(path)], capture_output=True)
        assert done.returncode == 0, done.stderr
        singly = []
        for n, entry in enumerate(re.findall(r"\{ name.*\}|\"sim/coin\"", text)):
            one = written(tmp_path, f'limit = 25\nout = "single-{n}"\nmodels = [{entry}]\n')
            singly.append(sx.load_study(one).run(lambda progress: None))
    study = sx.load(tmp_path / "runs" / "study")
    assert not study.unasked and list(study.models) == ["one", "two", "sim/coin"]
    assert sx.score(study).records() == sx.score(singly).records()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('preset = "quik"', "unknown preset 'quik'. There are quick, standard, full."),
        ('protocol = "papr"', "unknown protocol 'papr'. There are default, paper."),
        ('wire = "opnai"', "unknown wire 'opnai'. There are openai, responses, anthropic, gemini."),
    ],
)
def test_a_bad_choice_is_refused_with_its_line_and_the_choices(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(f'models = ["sim/coin"]\n{line}\n')
    with pytest.raises(InputError) as refused:
        load_study(path)
    assert str(refused.value) == f"{path}:2: {message}"


def test_hypotheses_lie_next_to_the_study_and_are_in_the_manifest_before_the_first_call(tmp_path: Path) -> None:
    items = sx.items.load("starter").cut(["association"], limit=2)
    hypothesis = {"name": "h", "metric": "skill", "models": ["sim/coin"], "experiment": "association"}
    expected = {"items": items.hashes, "hypotheses": [{**hypothesis, "direction": "above", "margin": 0.0}]}
    (tmp_path / "expected.json").write_text(json.dumps(expected), "utf-8")
    study = 'experiments = ["association"]\nlimit = 2\nmodels = ["sim/coin"]\nout = "r"\nhypotheses = "expected.json"\n'
    (tmp_path / "study.toml").write_text(study, "utf-8")
    planned = sx.load_study(tmp_path / "study.toml").plan()
    assert planned.hypotheses is not None
    run = sx.load_study(tmp_path / "study.toml").run()
    assert run.manifest.hypotheses == planned.hypotheses
    assert json.loads(run.manifest.hypotheses.text) == {**expected}
