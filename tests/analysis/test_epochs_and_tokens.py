"""Epochs that are one, and answers whose tokens nobody counted or sees, are named wherever scores are."""

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import write
from selfexec.analysis.screen import Screen
from selfexec.analysis.warnings import same_epochs, uncounted_tokens, unseen_tokens
from selfexec.runs import Run

LETTERS = ["Q1", "Q2", "Q3", "Q4"]


def run_of(folder: Path, epochs: int, text: Callable[[int, int], str], tokens: Callable[[int], int | None]) -> Run:
    """A model's responses to 20 requests, `text` by item and epoch, and its answers to 20 groups of questions."""
    asked = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(20)]
    question = {"subject": "sums", "question": "1 + 1?", "choices": ["1", "2", "3", "4"], "answer": "B"}
    groups = [{"id": str(n), "questions": [{"id": f"{n}.{k}", **question} for k in range(4)]} for n in range(20)]
    (folder / "items").mkdir(parents=True)
    write(folder / "items" / "restriction.jsonl", asked)
    write(folder / "items" / "difficulty.jsonl", groups)

    def line(experiment: str, n: int, epoch: int, session: str, text: str, **more: Any) -> dict[str, Any]:
        place = {"model": "m", "experiment": experiment, "item": str(n), "epoch": epoch}
        return {**place, "session": session, "text": text, **more}

    lines = []
    for epoch in range(1, epochs + 1):
        for n in range(20):
            for session, said in (("predict", "A"), ("execute", text(n, epoch)), ("judge", "A")):
                lines.append(line("restriction", n, epoch, session, said))
            lines.append(line("difficulty", n, epoch, "predict", json.dumps(dict(zip(LETTERS, "1234", strict=True)))))
            for k in range(4):
                more = {} if tokens(n) is None else {"output_tokens": tokens(n)}
                lines.append(line("difficulty", n, epoch, f"execute.Q{k + 1}", f"B, {text(n, epoch)}", **more))
    write(folder / "replies.jsonl", lines)
    return sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")


def everywhere(run: Run, folder: Path) -> list[str]:
    """The first screen, all numbers, and the page."""
    scores = sx.score(run)
    page = sx.report(run, folder / "page.html").read_text("utf-8")
    plain = html.unescape(re.sub(r"<[^>]+>", "", page))
    return [" ".join(text.split()) for text in (Screen(scores).table(), scores.table(), plain, scores.json())]


def test_epochs_of_equal_text_are_named_wherever_scores_are(tmp_path: Path) -> None:
    run = run_of(tmp_path, 2, lambda n, epoch: f"Response {n}.", lambda n: 10)
    [found] = same_epochs([run])
    # 20 items with a prediction, a response and a judgement; 20 groups with a prediction and four answers
    assert (found.model, found.same, found.sessions) == ("m", 20 * 3 + 20 * 5, 20 * 3 + 20 * 5)
    assert found.text.startswith("m gave the same text in every epoch in all 160 sessions: a cache, or a model that ")
    assert all(found.text in text for text in everywhere(run, tmp_path))


@pytest.mark.parametrize(("other", "warned"), [(3, True), (4, False)])
def test_nine_of_ten_sessions_with_one_text_are_as_good_as_all(tmp_path: Path, other: int, warned: bool) -> None:
    # each item that differs has a response and four answers that differ: 15 of 160 are below a tenth, 20 are not
    run = run_of(tmp_path, 2, lambda n, epoch: f"Response {n} {epoch if n < other else 0}.", lambda n: 10)
    assert bool(list(same_epochs([run]))) is warned


def test_one_epoch_is_nothing_that_repeats(tmp_path: Path) -> None:
    assert not list(same_epochs([run_of(tmp_path, 1, lambda n, epoch: "Yes.", lambda n: 10)]))


def test_answers_that_nobody_counted_are_named_wherever_scores_are(tmp_path: Path) -> None:
    run = run_of(tmp_path, 1, lambda n, epoch: f"Response {n}.", lambda n: None)
    [found] = uncounted_tokens([run])
    assert (found.experiment, found.uncounted, found.answers) == ("difficulty", 80, 80)
    assert found.text == (
        "m: no answer in difficulty came with a token count, so pairs of questions that are alike in correctness have "
        "no order, and are missing."
    )
    assert all(found.text in text for text in everywhere(run, tmp_path))
    assert found.text not in Screen(sx.score(run, experiments="restriction")).table(10_000)  # where it does not matter


def test_some_that_are_not_counted_are_numbered_and_none_is_not_said(tmp_path: Path) -> None:
    some = run_of(tmp_path / "some", 1, lambda n, epoch: f"Response {n}.", lambda n: None if n < 5 else 10)
    [found] = uncounted_tokens([some])
    assert found.text.startswith("m: 20 of 80 answers in difficulty came without a token count, so pairs ")
    whole = run_of(tmp_path / "whole", 1, lambda n, epoch: f"Response {n}.", lambda n: 10)
    assert not list(uncounted_tokens([whole]))


def test_answers_with_more_tokens_than_their_texts_can_have_are_named_wherever_scores_are(tmp_path: Path) -> None:
    run = run_of(tmp_path, 1, lambda n, epoch: f"Response {n}.", lambda n: 500 if n < 10 else 10)
    [found] = unseen_tokens([run])
    assert (found.experiment, found.unseen, found.answers) == ("difficulty", 40, 80)
    assert found.text.startswith("m: 40 of 80 answers in difficulty have more tokens than their texts can have: ")
    assert all(found.text in text for text in everywhere(run, tmp_path))
    assert found.text not in Screen(sx.score(run, experiments="restriction")).table(10_000)


@pytest.mark.parametrize(("n_more", "more"), [(9, {}), (20, {"reasoning_tokens": 480}), (20, {"reasoning": "Well."})])
def test_fewer_than_half_or_thoughts_that_are_told_are_nothing_unseen(
    tmp_path: Path, n_more: int, more: dict[str, Any]
) -> None:
    run_of(tmp_path, 1, lambda n, epoch: f"Response {n}.", lambda n: 500 if n < n_more else 10)
    lines = [json.loads(line) | more for line in (tmp_path / "replies.jsonl").read_text("utf-8").splitlines()]
    write(tmp_path / "more.jsonl", lines)
    run = sx.import_replies(tmp_path / "more.jsonl", items=tmp_path / "items", out=tmp_path / "again")
    assert not list(unseen_tokens([run]))
