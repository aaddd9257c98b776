"""What `extra_body` holds under names that are no known settings may be a secret: it stands nowhere in a run."""

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from extension_parts import needs
from selfexec.engines import kept_field
from selfexec.errors import InputError
from selfexec.report.sections.about import provenance
from selfexec.runs.folder import load_manifest
from selfexec.runs.invocations import without_secrets

SECRET = "correcthorsebatterystap"
SENT: dict[str, Any] = {
    "thing": SECRET,
    "deep": {"in": ["it", {"lies": SECRET}]},
    "fast": True,
    "depth": 3,
    "of": [1, 2],
}


def run(out: Path, extra_body: dict[str, Any]) -> Any:
    return sx.run("sim/coin", experiments="restriction", limit=3, out=out, extra_body=extra_body)


def everything(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*")) if path.is_file())


def test_texts_under_unknown_names_are_kept_as_digests_and_known_settings_and_numbers_in_clear(tmp_path: Path) -> None:
    run(tmp_path / "r", {**SENT, "provider": {"only": ["mistral"]}, "seed": 7})
    assert SECRET not in everything(tmp_path / "r")
    settings = load_manifest(tmp_path / "r").settings
    digest = hashlib.sha256(json.dumps(SECRET).encode()).hexdigest()[:16]
    assert settings["extra_body.thing"] == f"(not shown) SHA-256 {digest}"
    assert settings["extra_body.deep"].startswith("(not shown) SHA-256 ")
    assert [settings[f"extra_body.{name}"] for name in ("fast", "depth", "of", "seed")] == [True, 3, [1, 2], 7]
    assert settings["extra_body.provider"] == {"only": ["mistral"]}


def test_the_same_value_goes_on_and_another_one_is_refused_without_being_shown(tmp_path: Path) -> None:
    run(tmp_path / "r", SENT)
    run(tmp_path / "r", SENT)
    for changed in ({**SENT, "thing": "another-thing-altogether"}, {**SENT, "deep": {"in": []}}):
        with pytest.raises(InputError, match=r"the setting extra_body\.(thing|deep) was ") as refused:
            run(tmp_path / "r", changed)
        assert SECRET not in str(refused.value) and "another-thing" not in str(refused.value)


def test_a_run_that_holds_the_value_in_clear_goes_on_with_the_same_and_with_no_other(tmp_path: Path) -> None:
    run(tmp_path / "r", SENT)
    path = tmp_path / "r" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["settings"] |= {f"extra_body.{name}": value for name, value in SENT.items()}
    path.write_text(json.dumps(manifest))
    run(tmp_path / "r", SENT)
    with pytest.raises(InputError, match=r"the setting extra_body\.thing was ") as refused:
        run(tmp_path / "r", {**SENT, "thing": "another"})
    assert SECRET not in str(refused.value)


def test_commands_are_written_down_without_the_value() -> None:
    for given in (SENT, json.dumps(SENT)):
        shown = without_secrets("extra_body", given)
        assert SECRET not in str(shown) and "SHA-256" in str(shown)


@pytest.mark.parametrize("value", [True, False, None, 0, 1.5, [1, [2]], {"a": {"b": 3}}])
def test_what_holds_no_text_is_no_secret(value: Any) -> None:
    assert kept_field("anything", value) == value


@needs("judging")
def test_a_judge_goes_by_the_same_rule(tmp_path: Path) -> None:
    run(tmp_path / "r", {})
    sx.judge(tmp_path / "r", "sim/coin", name="j", extra_body=SENT)
    assert SECRET not in everything(tmp_path / "r")
    sx.judge(tmp_path / "r", "sim/coin", name="j", extra_body=SENT)
    with pytest.raises(InputError, match=r"the setting extra_body\.thing was "):
        sx.judge(tmp_path / "r", "sim/coin", name="j", extra_body={**SENT, "thing": "x"})


def test_the_report_of_a_run_that_holds_the_value_in_clear_does_not_show_it(tmp_path: Path) -> None:
    run(tmp_path / "r", SENT)
    path = tmp_path / "r" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["settings"] |= {f"extra_body.{name}": value for name, value in SENT.items()}
    path.write_text(json.dumps(manifest))
    settings = provenance(sx.load(tmp_path / "r")).settings
    assert SECRET not in str(settings) and "SHA-256" in str(settings["extra_body.thing"])


STUDY = """\
# the secret stands here: {secret}
limit = 1
experiments = ["restriction"]
models = [
    "sim/coin",
    {{ model = "sim/typical", name = "own", extra_body = {{ deep = {{ in = ["{secret}"] }}, depth = 3 }} }},
]
[extra_body]
thing = "{secret}"
seed = 7
provider = {{ only = ["mistral"] }}
"""


@needs("study")
def test_the_copy_of_a_study_file_has_digests_where_the_manifest_has_them(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY.format(secret=SECRET))
    run_of_study = sx.load_study(path).run()
    assert SECRET not in everything(run_of_study.folder)
    copy = tomllib.loads((run_of_study.folder / "study.toml").read_text())
    settings = load_manifest(run_of_study.folder).settings
    assert copy["extra_body"] == {"thing": settings["extra_body.thing"], "seed": 7, "provider": {"only": ["mistral"]}}
    assert copy["models"][1]["extra_body"]["deep"].startswith("(not shown) SHA-256 ")
    assert copy["models"][1]["extra_body"]["depth"] == 3
    again = sx.load_study(path).run()
    assert len(again.replies) == len(run_of_study.replies)


@needs("study")
def test_a_study_file_without_such_values_is_copied_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text('# ours\nlimit = 1\nmodels = ["sim/coin"]\n[extra_body]\nseed  =  7\n')
    run_of_study = sx.load_study(path).run()
    assert (run_of_study.folder / "study.toml").read_bytes() == path.read_bytes()
