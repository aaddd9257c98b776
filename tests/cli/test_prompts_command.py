"""`selfexec prompts`: the prompts, to edit and to pass on."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.cli import root
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import FACETS

STORED = Path(__file__).parents[1] / "stored"


def selfexec(*arguments: str) -> Any:
    return CliRunner().invoke(root, arguments)


def test_what_is_printed_are_the_shipped_prompts_and_run_takes_them_back_unchanged(tmp_path: Path) -> None:
    printed = selfexec("prompts").output
    templates = {f"{e}.{kind}": text for e, module in EXPERIMENTS.items() for kind, text in module.prompts.items()}
    sentences = {
        f"{e}.{kind}.{letter}": said
        for e, module in EXPERIMENTS.items()
        for kind, options in module.options.items()
        for letter, said in options.items()
    }
    of_facets = {f"{e}.{name}": text for e, module in EXPERIMENTS.items() for name, text in module.variants.items()}
    of_facets |= {f"{name}.{level}": text for name, facet in FACETS.items() for level, text in facet.texts.items()}
    assert json.loads(printed) == templates | sentences | of_facets
    (tmp_path / "same.json").write_text(printed)
    arguments = ("run", "--model", "sim/coin", "--limit", "1", "--out", str(tmp_path / "r"))
    assert selfexec(*arguments).exit_code == 0
    # were a letter of them another, the run would refuse to go on
    assert selfexec(*arguments, "--prompts", str(tmp_path / "same.json")).exit_code == 0


def test_the_prompts_of_a_run_are_its_own(tmp_path: Path) -> None:
    mine = {"restriction.execute": "Bitte: $request"}
    sx.run(["sim/coin"], experiments="restriction", limit=1, prompts=mine, out=tmp_path / "r")
    printed = json.loads(selfexec("prompts", str(tmp_path / "r")).output)
    assert printed["restriction.execute"] == "Bitte: $request"
    assert printed["restriction.judge"] == EXPERIMENTS["restriction"].prompts["judge"]


def test_prompts_that_a_run_did_not_keep_are_named() -> None:
    found = selfexec("prompts", str(STORED / "own-prompts"))
    assert "not kept, but for their SHA-256: restriction.execute\n" in found.stderr
    assert "restriction.execute" not in json.loads(found.stdout)
    assert "its prompts are not kept" in str(selfexec("prompts", str(STORED / "imported")).exception)


def test_a_check_tells_every_fault_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps({"difficulty.execute": "$foo", "x": "y", "restriction.judge": 3, "a.b": "$"}))
    found = selfexec("prompts", "--check", str(file))
    lines = found.output.splitlines()
    assert [line.partition(": error: prompt ")[2].partition(":")[0] for line in lines] == [
        "'difficulty.execute'",
        "'x'",
        "'restriction.judge'",
        "'a.b'",
    ]
    assert "4 errors. Fix what is named above" in str(found.exception)


def test_a_check_says_which_differ_and_which_ask_for_another_key(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    shipped = EXPERIMENTS["restriction"].prompts
    file.write_text(json.dumps({"restriction.judge": shipped["judge"], "restriction.predict": "Antworten? $request"}))
    found = selfexec("prompts", "--check", str(file)).output
    assert "warning: restriction.predict does not ask for the key 'choice'" in found
    assert "2 prompts; 1 differs from the built-in ones (restriction.predict)" in found
    assert "1 differs from those of" in selfexec("prompts", str(STORED / "panel"), "--check", str(file)).output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1]", "it must be one JSON object"),
        (b'{"a": ', "not valid JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"\x00\xff" * 500, "not "),
        (b"[" * 100_000, "not valid JSON"),
        (None, "no such file, and no set of prompts (en, de). `selfexec prompts > "),
    ],
)
def test_a_file_that_is_none_of_prompts_is_refused_by_run_and_by_check(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    file = tmp_path / "p.json"
    if content is not None:
        file.write_bytes(content)
    for arguments in (["prompts", "--check", str(file)], ["run", "--dry-run", "--prompts", str(file)]):
        fault = selfexec(*arguments).exception
        assert isinstance(fault, sx.InputError) and message in str(fault) and "\n" not in str(fault)
    assert "cannot be read (Is a directory)" in str(selfexec("prompts", "--check", str(tmp_path)).exception)
