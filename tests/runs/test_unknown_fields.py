"""What is not known in a run's replies is listed once, what tells replies apart first, and never as a warning."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from build import write
from selfexec.cli import root
from selfexec.runs import Reply, Run
from selfexec.runs.unknown_fields import unknown_fields, unknown_lines


def run_with(fields: list[str | None], folder: Path, model: str = "acme/m") -> Run:
    """A run whose requests' replies have these unknown fields: of each of three sessions the same."""
    items = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(len(fields))]
    (folder / "items").mkdir(parents=True)
    write(folder / "items" / "restriction.jsonl", items)
    replies: list[dict[str, Any]] = [
        {"model": model, "experiment": "restriction", "item": str(n), "session": session, "text": text}
        | ({"other_fields": given} if given else {})
        for n, given in enumerate(fields)
        for session, text in (("predict", "A"), ("execute", f"Number {n}."), ("judge", "A"))
    ]
    write(folder / "replies.jsonl", replies)
    return sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")


def named(fields: list[str | None], folder: Path) -> str:
    """What is listed of the fields, behind the words that are always there."""
    [line] = unknown_lines(run_with(fields, folder), None)
    return line.partition("does not know: ")[2]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (["edits: 2"] * 4, "edits: 2"),
        (["edits: 2", None, None, None], "edits: 2 (3 of 12)"),
        (["dlp: allow", "dlp: mask", "dlp: mask", "dlp: mask"], "dlp: mask (9), allow (3)"),
        (["turn: 1", "turn: 2", "turn: 3", "turn"], "turn: 1, 2, 3, ..."),
        (["turn: 1", "turn: 2", "turn: 3", None], "turn: 1 (3), 2 (3), 3 (3)"),
        ([f"turn: {n}" for n in range(1, 6)], "turn: 1, 2, 3, ..."),
        (["preview"] * 4, "preview"),
        (["thread: #0ab"] * 4, "thread: one id"),
        (["thread: #0ab", "thread: #0ac"], "thread"),
        ([f"pool: main-{n}" for n in range(5)] + ["pool: spare"], "pool: main-0 (15), spare (3)"),
        (["a: false; b: x", "a: false; b: y"], "b: x (3), y (3); a: false"),
        (["all: x; some: y", "all: x"], "some: y (3 of 6); all: x"),
        (["a\x1b[2J: x\u202e"], "a\\x1b[2J: x\\u202e"),
    ],
)
def test_fields_are_named_with_their_values_and_how_many_replies_have_them(
    fields: list[str | None], said: str, tmp_path: Path
) -> None:
    assert named(fields, tmp_path) == said


def test_a_run_whose_fields_are_all_known_has_no_line(tmp_path: Path) -> None:
    assert list(unknown_lines(run_with([None] * 3, tmp_path))) == []


def test_a_few_are_named_and_the_rest_counted_with_the_command_that_names_them(tmp_path: Path) -> None:
    run = run_with(["; ".join(f"f{n}: x" for n in range(7))] * 2, tmp_path)
    [line] = unknown_lines(run)
    assert line.startswith("acme/m: replies have 7 fields and headers that selfexec does not know: f0: x; f1: x; ")
    assert line.endswith(f"f3: x; 3 more (selfexec read {run.folder} names them)")
    shown = CliRunner().invoke(root, ["read", str(run.folder)])
    assert shown.exit_code == 0 and "f6: x" in shown.output


def test_they_are_no_warning_and_no_reason_against_a_reply(tmp_path: Path) -> None:
    run = run_with([None] * 9 + ["memory_injected: true"] * 3, tmp_path)
    assert run.server_notices == ()
    assert "memory_injected" not in CliRunner().invoke(root, ["score", str(run.folder)]).output


def test_models_with_the_same_fields_share_a_line(tmp_path: Path) -> None:
    one, other = (run_with(["x: y"] * 2, tmp_path / name, name) for name in ("m", "n"))
    both = sx.import_replies(
        [tmp_path / name / "replies.jsonl" for name in ("m", "n")], items=tmp_path / "m" / "items", out=tmp_path / "b"
    )
    assert [line.partition(":")[0] for line in unknown_lines(both)] == ["m, n"]
    assert [line.partition(":")[0] for run in (one, other) for line in unknown_lines(run)] == ["m", "n"]


def test_replies_that_failed_or_that_nobody_served_have_none() -> None:
    key = {"model": "m", "experiment": "restriction", "item": "a", "session": "execute", "other_fields": "x: y"}
    assert unknown_fields([Reply(**key, text=None, error="e"), Reply(**key, text="a", simulated=True)]) == []
    assert [field.name for field in unknown_fields([Reply(**key, text="a")])] == ["x"]
