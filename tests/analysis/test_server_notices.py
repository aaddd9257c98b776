"""What servers say of their replies stands next to the answer, and below what was read."""

import html
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from build import write
from selfexec.analysis.screen import Screen
from selfexec.analysis.warnings import server_notices
from selfexec.cli import root
from selfexec.runs import Run


def run_with(said: list[dict[str, Any]], folder: Path) -> Run:
    """A run of `acme/m` with what a server said of its replies to requests: of each of three sessions the same."""
    items = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(len(said))]
    (folder / "items").mkdir(parents=True)
    write(folder / "items" / "restriction.jsonl", items)
    replies = [
        {"model": "acme/m", "experiment": "restriction", "item": str(n), "session": session, "text": text, **fields}
        for n, fields in enumerate(said)
        for session, text in (("predict", "A"), ("execute", f"Number {n}."), ("judge", "A"))
    ]
    write(folder / "replies.jsonl", replies)
    return sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")


SAID = [
    ({"served_model": "m-mini"}, "served", "acme/m: 6 of 30 replies came as those of another model: m-mini (6)."),
    ({"prompt_cut": True}, "prompt_cut", "acme/m: for 6 of 30 replies the server counted fewer tokens than the prompt"),
    ({"age": 90_000}, "age", "acme/m: 6 of 30 replies were made an hour or more before they were asked for"),
]


@pytest.mark.parametrize(("fields", "about", "text"), SAID)
def test_replies_of_which_the_server_says_so_are_counted_next_to_the_answer(
    tmp_path: Path, fields: dict[str, Any], about: str, text: str
) -> None:
    run = run_with([fields] * 2 + [{"served_model": "m-2026-01-01"}] * 8, tmp_path)
    [found] = server_notices([run])
    assert (found.model, found.about, found.replies) == ("acme/m", about, 6)  # 2 items, 3 sessions each
    assert found.text.startswith(text)
    scores = sx.score(run)
    assert found in scores.warnings
    assert found.text in Screen(scores).table().split("\n\n")[0]
    page = html.unescape(sx.report(run, tmp_path / "page.html").read_text("utf-8"))
    assert found.text.split(". ")[0].removeprefix("acme/m") in page
    shown = CliRunner().invoke(root, ["read", str(run.folder)])
    assert text.partition(":")[0] in shown.output and found.text in " ".join(shown.output.split())


def test_the_model_that_was_asked_by_an_older_or_longer_name_is_no_other(tmp_path: Path) -> None:
    names = ["m", "acme/m", "M-2026-01-01", "m-latest", None]
    assert not list(server_notices([run_with([{"served_model": name} for name in names], tmp_path)]))


def test_several_other_models_are_named_the_most_frequent_first(tmp_path: Path) -> None:
    names = ["a"] * 2 + [f"other-{letter}" for letter in "bcdefgh"]
    [found] = server_notices([run_with([{"served_model": name} for name in names], tmp_path)])
    assert "another model: a (6), other-b (3)" in found.text and "3 more" in found.text


def test_a_reply_that_is_missing_says_nothing(tmp_path: Path) -> None:
    lost = {"served_model": "m-mini", "text": None, "error": "status 500"}
    assert not list(server_notices([run_with([lost, {"served_model": "m"}], tmp_path)]))
