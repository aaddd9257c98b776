"""`run --out RUN` without models goes on with the run that is there, of whatever kind it is."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from extension_parts import here, needs
from selfexec.cli import root
from selfexec.engines.sim.server import SimServer
from selfexec.errors import InputError
from selfexec.items import load as load_items
from selfexec.runs import load_manifest
from selfexec.runs.asking import plan
from selfexec.runs.folder import MANIFEST
from sockets import served

MODELS = ["vllm/typical", "vllm/coin"]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(SimServer(load_items("starter")).app()) as address:
        yield address


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def begun(url: str, **more: Any) -> Path:
    """A run of two models of which not all was asked."""
    options = {"base_url": url, "limit": 3, "max_calls": 25, "settings": {"temperature": 0.5}, "system": "Be brief."}
    sx.run(MODELS, out="run", **(options | more))
    return Path("run")


def sessions(folder: Path) -> set[tuple[str, ...]]:
    return {tuple(map(str, key)) for key in sx.load(folder).replies}


def whole_manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    return {name: value for name, value in found.items() if name != "invocations"}


def test_what_was_left_is_asked_of_the_runs_own_models_at_their_address(url: str) -> None:
    folder = begun(url)
    assert len(sx.load(folder).replies) == 25
    sx.run(out=folder)
    # 3 items: 2 sessions of a target, 3 of a request, 5 of a group, for each of two models
    assert len(sx.load(folder).replies) == 2 * 3 * (2 + 3 + 5)
    there = load_manifest(folder)
    assert there.models == MODELS and there.simulated == []
    assert there.settings == {"temperature": 0.5, "system": "Be brief."}


def test_it_comes_to_the_same_run_as_the_same_command_with_everything_in_it(url: str) -> None:
    options = {"limit": 3, "settings": {"temperature": 0.5}, "system": "Be brief.", "base_url": url}
    folder = begun(url, facets={"frame": ["self", "person"]}, epochs=2)
    sx.run(out=folder)
    sx.run(MODELS, out="whole", facets={"frame": ["self", "person"]}, epochs=2, **options)
    assert sessions(folder) == sessions(Path("whole"))
    continued, whole = whole_manifest(folder), whole_manifest(Path("whole"))
    assert continued == whole


def test_a_whole_run_is_left_as_it_is(url: str) -> None:
    folder = begun(url, max_calls=None)
    before = (folder / "replies.jsonl").read_bytes()
    sx.run(out=folder)
    assert (folder / "replies.jsonl").read_bytes() == before
    assert plan(out=folder).sessions == len(sx.load(folder).replies)


def test_models_that_were_asked_different_items_are_asked_no_others(url: str) -> None:
    folder = begun(url, max_calls=None)
    sx.run(
        MODELS[:1], out=folder, base_url=url, limit=5, max_calls=5, settings={"temperature": 0.5}, system="Be brief."
    )
    sx.run(out=folder)
    by_model = {model: {key.item for key in sx.load(folder).replies if key.model == model} for model in MODELS}
    assert len(by_model[MODELS[0]]) == 15 and len(by_model[MODELS[1]]) == 9  # of three experiments


def test_more_items_epochs_and_conditions_are_asked_of_its_own_models(url: str) -> None:
    folder = begun(url, max_calls=None)
    assert plan(out=folder, limit=4).sessions == 2 * 4 * 10
    assert plan(out=folder, epochs=2).sessions == 2 * 2 * 3 * 10
    assert plan(out=folder, experiments="failing_question").models == MODELS
    # the frame touches the predictions alone, one for each of 9 items; what is done is shared
    framed = plan(out=folder, facets={"frame": ["self", "person"]})
    assert framed.sessions == 2 * 3 * (10 + 3)


def test_simulated_models_go_on_and_none_comes_in_unasked() -> None:
    sx.run(["sim/coin", "sim/typical"], out="run", limit=3, max_calls=7)
    found = sx.run(out="run")
    assert found.models == ("sim/coin", "sim/typical") and len(found.replies) == 60


@pytest.mark.parametrize("models", ["sim/coin", ["sim/coin", "sim/says-yes"]])
def test_simulated_models_never_come_into_a_run_of_others_by_themselves(url: str, models: Any) -> None:
    folder = begun(url)
    with pytest.raises(sx.InputError, match=r"name both: models vllm/typical,sim/coin"):
        sx.run(models, out=folder, limit=3, settings={"temperature": 0.5}, system="Be brief.")
    assert load_manifest(folder).models == MODELS


def test_others_never_come_into_a_run_of_simulated_models_by_themselves(url: str) -> None:
    sx.run("sim/coin", out="run", limit=3)
    with pytest.raises(sx.InputError, match=r"name both: models sim/coin,vllm/typical"):
        sx.run("vllm/typical", out="run", limit=3, base_url=url)


def test_a_run_of_nobody_is_begun_with_the_simulated_panel() -> None:
    assert len(plan(out="new").models) == 12


def test_what_differs_from_the_run_is_refused_and_what_does_not_is_not(url: str) -> None:
    folder = begun(url)
    with pytest.raises(sx.InputError, match=r"the setting temperature was 0\.5"):
        sx.run(out=folder, settings={"temperature": 0.7})
    assert len(sx.run(out=folder, settings={"temperature": 0.5}).replies) == 60


def test_a_header_is_asked_for_by_name(url: str) -> None:
    folder = begun(url, headers={"X-Team": "secret-of-mine"})
    with pytest.raises(
        sx.InputError, match=r"header X-Team, whose value is never kept\. Give it: headers X-Team=VALUE"
    ):
        sx.run(out=folder)
    assert "secret-of-mine" not in (folder / MANIFEST).read_text()
    assert len(sx.run(out=folder, headers={"X-Team": "secret-of-mine"}).replies) == 60


def test_a_query_that_was_not_kept_is_asked_for(url: str) -> None:
    folder = begun(f"{url}?code=abcdef")
    assert "abcdef" not in (folder / MANIFEST).read_text()
    with pytest.raises(sx.InputError, match=r"Give it whole: base_url URL"):
        sx.run(out=folder)
    assert len(sx.run(out=folder, base_url=f"{url}?code=abcdef").replies) == 60


def test_the_variable_of_the_key_is_kept_and_the_key_is_not(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-abc-not-to-be-kept")
    folder = begun(url, api_key_env="MY_KEY")
    assert "sk-abc" not in (folder / MANIFEST).read_text()
    assert load_manifest(folder).reached["vllm/coin"].api_key_env == "MY_KEY"
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(sx.InputError, match=r"MY_KEY: no variable of this name is set"):
        sx.run(out=folder)


def test_a_run_of_a_version_that_did_not_keep_addresses_asks_for_it(url: str) -> None:
    folder = begun(url)
    found = json.loads((folder / MANIFEST).read_text())
    del found["reached"]
    (folder / MANIFEST).write_text(json.dumps(found))
    with pytest.raises(sx.InputError, match=f"Give the address: base_url {url}"):
        sx.run(out=folder)
    assert len(sx.run(out=folder, base_url=url).replies) == 60


@needs("study")
def test_a_study_goes_on_as_its_file_says(url: str) -> None:
    Path("study.toml").write_text(
        f'out = "run"\nlimit = 3\nmax_calls = 7\nbase_url = "{url}"\n'
        'models = [{model = "vllm/typical", name = "mine", temperature = 0.5}]\n'.replace(
            "temperature = 0.5", "settings = {temperature = 0.5}"
        )
    )
    sx.load_study("study.toml").run()
    found = sx.run(out="run")
    assert found.models == ("mine",) and len(found.replies) == 30


def test_imported_replies_are_not_continued_and_the_way_on_is_said(url: str) -> None:
    folder = begun(url, max_calls=None)
    sx.import_replies(folder / "replies.jsonl", items=folder / "items", out="imported")
    with pytest.raises(sx.InputError, match=r"imported replies, which cannot be continued.*selfexec export imported"):
        sx.run(out="imported")


def test_a_shard_goes_on_and_a_run_in_shards_is_not_asked_as_a_whole(url: str) -> None:
    sx.run(MODELS, out="run", base_url=url, limit=3, shard="0/2", max_calls=3)
    found = sx.run(out="run", shard="0/2")
    assert set(found.models) <= set(MODELS) and len(found.replies) > 3
    other = sx.run(out="run", shard="1/2")
    assert len(found.replies) + len(other.replies) == 60
    if here("shards"):
        assert len(sx.merge("run").replies) == 60
    assert plan(out="run").models == MODELS


def test_a_run_in_shards_that_are_not_joined_is_not_asked_as_a_whole(url: str) -> None:
    sx.run(MODELS, out="run", base_url=url, limit=3, shard="0/2", max_calls=3)
    with pytest.raises(sx.InputError, match=r"1 shard, not joined"):
        sx.run(out="run")


@needs("batch")
def test_what_was_exported_for_a_batch_is_asked_where_it_is_asked_again(url: str) -> None:
    sx.export_batch(MODELS[:1], to="openai", out="run", base_url=url, limit=3)
    planned = plan(out="run")
    assert planned.models == MODELS[:1]
    [connection] = planned.respondents[0].connections
    assert connection.base_url == url


STORED = Path(__file__).parents[1] / "stored"


@pytest.mark.parametrize("name", ["panel", "two-epochs", "served"])
def test_nothing_more_is_asked_of_a_run_of_an_earlier_version_that_is_whole(name: str) -> None:
    shutil.copytree(STORED / name, name)
    before = sessions(Path(name))
    sx.run(out=name)
    assert sessions(Path(name)) == before


def test_what_counts_as_missing_in_a_run_that_kept_no_design_is_what_is_asked() -> None:
    shutil.copytree(STORED / "grown", "grown")
    # 2 of 5 items of 3 experiments were not asked again in the second epoch
    assert set(sx.load("grown").unasked.values()) == {2 * 3}
    assert plan(out="grown").sessions == len(sx.load("grown").replies) + 3 * 2 * 10
    assert sx.run(out="grown").unasked == {}


def test_a_command_that_asks_nothing_does_not_change_how_the_models_are_reached(url: str) -> None:
    folder = begun(url, max_calls=None)
    before = whole_manifest(folder)
    sx.run(out=folder, base_url="http://127.0.0.1:9/v1", headers={"X-Team": "a"})
    assert whole_manifest(folder) == before
    assert plan(out=folder).respondents[0].connections[0].base_url == url


def test_an_address_at_which_nobody_answers_does_not_replace_one_at_which_somebody_did(url: str) -> None:
    folder = begun(url)
    with pytest.raises(InputError, match="connection failed"):
        sx.run(out=folder, base_url="http://127.0.0.1:9/v1", patience=0)
    sx.run(out=folder)
    assert len(sx.load(folder).replies) == 2 * 3 * (2 + 3 + 5)


def test_where_somebody_answered_last_is_where_the_rest_is_asked(url: str) -> None:
    folder = begun(url)
    elsewhere = url.replace("127.0.0.1", "localhost")
    sx.run(out=folder, base_url=elsewhere, max_calls=5)
    assert plan(out=folder).respondents[0].connections[0].base_url == elsewhere


# --- models that are named ----------------------------------------------------------------------------------------


def test_a_new_model_is_asked_what_the_models_of_the_run_were(url: str) -> None:
    sx.run(
        MODELS[0], out="run", base_url=url, limit=3, epochs=2, experiments="restriction",
        facets={"frame": ["self", "person"]}, settings={"temperature": 0.5},
    )  # fmt: skip
    sx.run("vllm/says-yes", out="run", base_url=url)
    asked = {
        model: {key[1:] for key in sx.load("run").replies if key.model == model} for model in sx.load("run").models
    }
    # 3 requests in 2 epochs: a prediction in each of 2 frames, what it does and the judgement
    assert len(asked[MODELS[0]]) == 3 * 2 * (2 + 1 + 1)
    assert asked["vllm/says-yes"] == asked[MODELS[0]]
    assert load_manifest(Path("run")).own_settings == {}


def test_a_new_model_is_asked_with_the_prompts_of_the_run(url: str) -> None:
    own = {"restriction.predict": "Would you? $request A or B?"}
    sx.run(MODELS[0], out="run", base_url=url, limit=1, experiments="restriction", prompts=own)
    found = sx.run("vllm/coin", out="run", base_url=url)
    assert len({reply.prompt_sha256 for key, reply in found.replies.items() if key.session == "predict"}) == 1


def test_options_say_what_else_a_new_model_is_asked(url: str) -> None:
    sx.run(MODELS[0], out="run", base_url=url, limit=3, epochs=2, experiments=["restriction", "association"])
    assert plan("vllm/coin", out="run", base_url=url).sessions == 2 * 3 * (3 + 2)
    assert plan("vllm/coin", out="run", base_url=url, epochs=1).sessions == 3 * (3 + 2)
    assert plan("vllm/coin", out="run", base_url=url, limit=2).sessions == 2 * 2 * (3 + 2)
    assert plan("vllm/coin", out="run", base_url=url, experiments="restriction").sessions == 2 * 3 * 3


def test_a_model_of_the_run_that_is_named_is_asked_what_it_was(url: str) -> None:
    folder = begun(url)
    sx.run(MODELS[0], out=folder)
    # 10 sessions an item, 3 items
    assert sum(key.model == MODELS[0] for key in sx.load(folder).replies) == 3 * 10
    assert load_manifest(folder).models == MODELS


def test_a_model_that_is_named_is_asked_at_the_address_that_the_run_has(url: str) -> None:
    folder = begun(url)
    said = f"vllm/coin: asked at {url}, as before in run."
    for more in ({}, {"limit": 5, "settings": {"temperature": 0.5}, "system": "Be brief."}):
        planned = plan("vllm/coin", out=folder, **more)
        assert [connection.base_url for connection in planned.respondents[0].connections] == [url]
        assert planned.from_run == (said,) or planned.from_run == [said]
    elsewhere = plan("vllm/coin", out=folder, base_url="http://127.0.0.1:9/v1", limit=5)
    assert elsewhere.respondents[0].connections[0].base_url == "http://127.0.0.1:9/v1"
    assert not elsewhere.from_run


def test_the_screen_says_what_a_command_has_from_the_run(url: str) -> None:
    begun(url, max_calls=None)
    said = CliRunner().invoke(root, ["run", "--out", "run"]).stdout
    assert f"vllm/typical and vllm/coin: asked at {url}, as before in run." in said
    said = CliRunner().invoke(root, ["run", "--model", "vllm/says-yes", "--base-url", url, "--out", "run"]).stdout
    assert "vllm/says-yes: new in run, and asked what its models are asked, as they are." in said


# --- models that never answered -----------------------------------------------------------------------------------


def test_a_mistyped_model_does_not_become_part_of_the_run(url: str) -> None:
    folder = begun(url, max_calls=None)
    before = load_manifest(folder)
    with pytest.raises(sx.InputError, match=r"status 404.*vllm/coim never answered and is not part of run\."):
        sx.run("vllm/coim", out=folder, base_url=url)
    assert load_manifest(folder) == before
    assert plan(out=folder).models == MODELS


def test_a_run_that_began_with_a_mistyped_model_goes_on_without_it(url: str) -> None:
    with pytest.raises(sx.InputError, match="status 404"):
        sx.run("vllm/coim", out="run", base_url=url, limit=1)
    with pytest.raises(sx.InputError, match=r"no model has answered in this run\. Name the models to ask: models"):
        sx.run(out="run")
    sx.run("vllm/coin", out="run", base_url=url, limit=1)
    assert load_manifest(Path("run")).models == ["vllm/coin"]
    assert sx.run(out="run").unanswered == {}


def test_a_mistyped_model_that_an_earlier_version_kept_can_be_left_out(url: str) -> None:
    folder = begun(url, max_calls=None)
    kept = json.loads((folder / MANIFEST).read_text())
    kept["models"].append("vllm/coim")
    kept["reached"]["vllm/coim"] = kept["reached"]["vllm/coin"]
    for block in kept["design"]:
        block["models"].append("vllm/coim")
    (folder / MANIFEST).write_text(json.dumps(kept))
    said = r"vllm/coim never answered in run\. To go on without it, name the others: models vllm/typical,vllm/coin$"
    with pytest.raises(sx.InputError, match=said):
        sx.run(out=folder)


def test_a_system_prompt_that_reads_like_a_header_of_keys_is_kept_and_gone_on_with(url: str) -> None:
    folder = begun(url, system="Use basic English.")
    assert load_manifest(folder).settings["system"] == "Use basic English."
    sx.run(out=folder)
    assert len(sx.load(folder).replies) == 2 * 3 * (2 + 3 + 5)
