"""What may be sent depends on the experiments of the run, and values of known settings are checked."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.cli import root
from selfexec.engines.settings import KNOWN, VALUES
from selfexec.runs.asking import plan

NUMBERS = ("temperature", "top_p", "max_tokens", "seed", "frequency_penalty", "top_k", "min_p", "maxOutputTokens")


@pytest.mark.parametrize("protocol_run", [None, "association", ["association", "restriction"]])
def test_a_setting_that_the_protocol_replaces_is_refused_whatever_else_is_installed(
    toys: Path, protocol_run: Any
) -> None:
    # brevity, which is installed, sends nothing of its own under the protocol
    with pytest.raises(sx.InputError, match="it would never be sent"):
        plan("sim/coin", protocol="paper", settings={"temperature": 0.5}, experiments=protocol_run)


def test_what_the_protocol_brings_is_named_as_its_own_and_can_be_changed_by_experiment() -> None:
    chosen: dict[str, Any] = {"protocol": "paper", "experiments": ["restriction", "difficulty"]}
    with pytest.raises(sx.InputError, match=r"\(protocol paper\)\. Drop.* restriction\.temperature=\.\.\.$"):
        plan("sim/coin", settings={"temperature": 0.5}, **chosen)
    with pytest.raises(sx.InputError, match=r"'temperature' is set by protocol paper already"):
        plan("sim/coin", extra_body={"temperature": 0.5}, **chosen)
    # what was typed replaces it, as the message says, and is then named as what was typed
    changed = plan("sim/coin", settings={"restriction.temperature": 0.5}, **chosen).sampling
    assert changed.settings == {"restriction.temperature": 0.5, "difficulty.temperature": 1.0}
    typed = {"predict.temperature": 1, "restriction.temperature": 0.5}
    with pytest.raises(sx.InputError, match=r"restriction\.temperature would be in its place\. Drop it\."):
        plan("sim/coin", settings=typed, experiments="restriction")
    with pytest.raises(sx.InputError, match=r"'temperature' is set by settings temperature already"):
        plan("sim/coin", settings={"temperature": 1}, extra_body={"temperature": 0.5})


def test_a_run_of_the_protocol_says_that_it_goes_on_with_it(tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"models": "sim/coin", "experiments": "restriction", "out": tmp_path / "run"}
    sx.run(protocol="paper", limit=1, **chosen)
    with pytest.raises(sx.InputError, match=r"It is sent by protocol paper: give that too, and the run goes on\."):
        sx.run(limit=2, **chosen)
    assert len(sx.run(protocol="paper", limit=2, **chosen).replies) == 6
    sx.run(settings={"temperature": 0.5}, limit=1, **chosen | {"out": tmp_path / "other"})
    with pytest.raises(sx.InputError, match=r"is not set now\. Choose another folder with out"):
        sx.run(limit=2, **chosen | {"out": tmp_path / "other"})


@pytest.mark.parametrize(("typed", "sent"), [(".5", 0.5), ("0.5", 0.5), ("5e-1", 0.5), ("1", 1)])
def test_numbers_are_numbers_with_and_without_the_nought(typed: str, sent: float, tmp_path: Path) -> None:
    command = [
        "run",
        "--model",
        "sim/coin",
        "--limit",
        "1",
        "--experiment",
        "restriction",
        "--out",
        str(tmp_path / "r"),
    ]
    assert CliRunner().invoke(root, [*command, "--set", f"temperature={typed}"]).exit_code == 0
    assert sx.load(tmp_path / "r").manifest.settings == {"temperature": sent}


def test_a_manifest_has_the_settings_of_the_runs_experiments_alone(toys: Path, tmp_path: Path) -> None:
    sx.run("sim/coin", protocol="paper", experiments="association", limit=2, out=tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["settings"] == {"association.temperature": 0.0}


def test_a_run_with_the_settings_of_more_experiments_goes_on(tmp_path: Path) -> None:
    options: dict[str, Any] = {"protocol": "paper", "out": tmp_path / "run"}
    sx.run("sim/coin", experiments="association", limit=2, **options)
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["settings"] |= {"restriction.temperature": 0.0, "not_installed.temperature": 0.0}
    path.write_text(json.dumps(manifest))
    assert len(sx.run("sim/coin", experiments="association", limit=3, **options).replies) == 6
    assert len(sx.run(out=tmp_path / "run", limit=4, experiments="association").replies) == 8
    sx.run("sim/coin", experiments="restriction", limit=2, **options)  # which none was asked of before


@pytest.mark.parametrize("scope", ["", "execute.", "difficulty.", "difficulty.execute."])
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", ["hot", True, [1], {"a": 1}, ""])
def test_what_is_no_number_is_no_value_of_a_number(name: str, value: Any, scope: str) -> None:
    with pytest.raises(sx.InputError, match="cannot be its value: it is a"):
        plan("sim/coin", settings={f"{scope}{name}": value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", 99999),
        ("top_p", 1.5),
        ("top_p", -1),
        ("max_tokens", -5),
        ("max_tokens", 0),
        ("max_tokens", 0.5),
        ("max_output_tokens", 2.0),
        ("seed", 1.5),
        ("top_k", 2.5),
        ("top_k", -2),
        ("min_p", 2),
        ("repetition_penalty", 0),
        ("stop", 5),
        ("ignore_eos", "yes"),
        ("logit_bias", [1]),
    ],
)
def test_values_that_cannot_be_are_refused_in_settings_and_in_the_body(name: str, value: Any) -> None:
    with pytest.raises(sx.InputError, match=f"{name}: .* cannot be its value"):
        plan("sim/coin", settings={name: value})
    with pytest.raises(sx.InputError, match=f"{name}: .* cannot be its value"):
        plan("sim/coin", extra_body={name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("temperature", value) for value in (0, 0.0, 1, 2, 3.5)),
        *(("top_p", value) for value in (0, 1, 0.95)),
        *(("max_tokens", value) for value in (1, 100_000)),
        *(("seed", value) for value in (0, -1, 2**63)),
        ("top_k", -1),
        ("frequency_penalty", -2),
        ("stop", ["a", "b"]),
        ("logprobs", True),
        ("logprobs", 5),
        ("max_tokens", None),
        ("num_ctx", "anything"),
    ],
)
def test_values_that_some_server_takes_are_sent(name: str, value: Any) -> None:
    assert plan("sim/coin", settings={name: value}).sampling.settings == {name: value}


def test_the_body_of_gemini_is_looked_into() -> None:
    with pytest.raises(sx.InputError, match=r"generationConfig\.maxOutputTokens: -5 cannot be its value"):
        plan("sim/coin", extra_body={"generationConfig": {"maxOutputTokens": -5}})


def test_all_settings_of_which_values_are_known_are_known_by_name() -> None:
    assert set(VALUES) <= set(KNOWN) | {"topP", "topK"}
    assert all(found.least is None or math.isfinite(found.least) for found in VALUES.values())
