"""Hypotheses are in the manifest before the first call, by the SHA-256 of their canonical bytes."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from extension_parts import here
from selfexec.analysis.hypotheses import EXPLORATORY, judged_hypotheses
from selfexec.analysis.selection import Selection
from selfexec.runs.folder import load_manifest
from selfexec.runs.hypotheses import canonical_text, declared_hypotheses

MODELS = ["sim/knows-itself", "sim/coin"]
ACCURACY = {
    "name": "both do better than .8",
    "metric": "accuracy",
    "models": MODELS,
    "experiment": "association",
    "direction": "above",
    "margin": 0.8,
}


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The SHA-256 of the items of each experiment, as a manifest has them."""
    return sx.run("sim/coin", limit=30, out=tmp_path_factory.mktemp("items") / "r").manifest.items


def written(path: Path, items: dict[str, str], *hypotheses: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"items": items, "seed": 7, "hypotheses": hypotheses or [ACCURACY]}, indent=2))
    return path


def asked(path: Path, out: Path, **options: Any) -> sx.Run:
    return sx.run(MODELS, limit=30, hypotheses=path, out=out, **options)


def test_the_digest_is_that_of_sorted_keys_without_blanks_in_utf_8(tmp_path: Path) -> None:
    # written out by hand: keys in the order of their letters, ä as two bytes
    assert canonical_text({"b": [1, 0.5], "a": "ä"}) == '{"a":"ä","b":[1,0.5]}'
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"hypotheses": [ACCURACY], "items": {"association": "x"}}))
    by_hand = json.dumps(
        {"hypotheses": [dict(sorted(ACCURACY.items()))], "items": {"association": "x"}}, separators=(",", ":")
    )
    declared = declared_hypotheses(path, {"association": "x"})
    assert declared.sha256 == hashlib.sha256(by_hand.encode()).hexdigest()


def test_the_order_of_keys_and_blanks_change_nothing(tmp_path: Path, items: dict[str, str]) -> None:
    one = written(tmp_path / "one.json", items)
    two = tmp_path / "two.json"
    two.write_text(json.dumps(dict(reversed(json.loads(one.read_text()).items()))))
    assert one.read_bytes() != two.read_bytes()
    assert declared_hypotheses(one, items) == declared_hypotheses(two, items)


def test_they_are_in_the_manifest_before_the_first_call(tmp_path: Path, items: dict[str, str]) -> None:
    seen: list[bool] = []

    def watch(progress: object) -> None:
        seen.append(load_manifest(tmp_path / "r").hypotheses is not None)

    asked(written(tmp_path / "h.json", items), tmp_path / "r", on_progress=watch)
    assert seen
    assert all(seen)


def test_each_model_is_judged_by_its_own_interval(tmp_path: Path, items: dict[str, str]) -> None:
    # sim/knows-itself predicts about .95 of the words rightly, sim/coin half of them: of 150 claims each
    run = asked(written(tmp_path / "h.json", items), tmp_path / "r")
    assert [judged.verdict for judged in judged_hypotheses(Selection((run,)))] == ["held", "failed"]


def test_what_lies_within_the_interval_or_is_withheld_cannot_be_told(tmp_path: Path, items: dict[str, str]) -> None:
    near = {**ACCURACY, "models": ["sim/coin"], "margin": 0.5}
    withheld = {**ACCURACY, "models": ["sim/coin"], "metric": "baseline_margin"}
    nowhere = {**ACCURACY, "models": ["sim/coin"], "condition": "frame=person"}
    other = {**ACCURACY, "readings": "0" * 64}
    run = asked(written(tmp_path / "h.json", items, near, withheld, nowhere, other), tmp_path / "r")
    judged = judged_hypotheses(Selection((run,)))
    assert {one.verdict for one in judged} == {"cannot be told"}
    assert [one.reason for one in judged[2:]] == ["there is no such number"] + [
        "these are other readings than were named"
    ] * 2


def test_a_run_that_began_without_or_with_others_takes_none(tmp_path: Path, items: dict[str, str]) -> None:
    path = written(tmp_path / "h.json", items)
    sx.run(MODELS, limit=30, out=tmp_path / "without")
    with pytest.raises(sx.InputError, match="began without hypotheses"):
        asked(path, tmp_path / "without")
    asked(path, tmp_path / "with")
    asked(path, tmp_path / "with")  # the same again goes on
    with pytest.raises(sx.InputError, match="with other hypotheses"):
        asked(written(tmp_path / "other.json", items, {**ACCURACY, "margin": 0.9}), tmp_path / "with")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ('{"items": {}, "hypotheses": []}', "length >= 1"),
        ('{"items": {}, "items": {}, "hypotheses": []}', "'items' stands twice"),
        ('{"items": {}, "hypotheses": [{"margin": NaN}]}', "NaN is no number"),
        ('{"items": {}, "hypotheses": [{"direction": "upwards"}]}', "upwards"),
        ('{"items": {}, "hypothesis": []}', "unknown field"),
        ("[", "docs/hypotheses.md"),
    ],
)
def test_a_file_that_is_none_is_refused_before_anything_is_asked(tmp_path: Path, changed: str, said: str) -> None:
    path = tmp_path / "h.json"
    path.write_text(changed)
    with pytest.raises(sx.InputError, match=said):
        asked(path, tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_other_items_are_refused_with_the_digest_that_is_asked(tmp_path: Path, items: dict[str, str]) -> None:
    path = written(tmp_path / "h.json", {**items, "association": "0" * 64})
    with pytest.raises(sx.InputError, match=items["association"]):
        asked(path, tmp_path / "r")


def test_report_and_card_say_what_became_of_them_and_that_all_else_is_exploratory(
    tmp_path: Path, items: dict[str, str]
) -> None:
    run = asked(written(tmp_path / "h.json", items), tmp_path / "r")
    assert run.manifest.hypotheses
    page = sx.report(run, tmp_path / "page.html").read_text(encoding="utf-8")
    for text in (page, *([str(sx.card(run))] if here("card") else [])):
        assert EXPLORATORY in text
        assert run.manifest.hypotheses.sha256 in text
        assert "held" in text
        assert "failed" in text
    plain = sx.run(MODELS, limit=30, out=tmp_path / "plain")
    assert not here("card") or "exploratory" not in str(sx.card(plain))
