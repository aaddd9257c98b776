"""Responses that are the same to whatever is asked are said to be so next to the answer."""

import html
import re
from pathlib import Path

import pytest

import selfexec as sx
from build import write
from selfexec.analysis.screen import Screen
from selfexec.analysis.warnings import canned
from selfexec.runs import Run


def run_with(responses: list[str], folder: Path) -> Run:
    """A model's responses to requests, one each."""
    items = [
        {"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(len(responses))
    ]
    (folder / "items").mkdir(parents=True)
    write(folder / "items" / "restriction.jsonl", items)
    replies = [
        {"model": "m", "experiment": "restriction", "item": str(n), "session": session, "text": text}
        for n, response in enumerate(responses)
        for session, text in (("predict", "A"), ("execute", response), ("judge", "A"))
    ]
    write(folder / "replies.jsonl", replies)
    return sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")


def test_few_texts_for_all_requests_are_named_next_to_the_answer(tmp_path: Path) -> None:
    run = run_with(["Certainly. Step one.", "I cannot help with that."] * 10, tmp_path)
    [found] = canned([run])
    assert (found.model, found.experiment, found.texts, found.items) == ("m", "restriction", 2, 20)
    assert found.text.startswith("m gave 2 different responses to 20 requests of restriction:")
    scores = sx.score(run)
    assert found.text in Screen(scores).table().split("\n\n")[0]
    assert found.text in scores.table().split("\n\n")[0]
    page = sx.report(run, tmp_path / "page.html").read_text("utf-8")
    assert found.text in html.unescape(re.sub(r"<[^>]+>", "", page))


@pytest.mark.parametrize(("repeated", "warned"), [(18, True), (17, False)])
def test_nine_of_ten_requests_answered_by_a_text_of_another_one_look_canned(
    tmp_path: Path, repeated: int, warned: bool
) -> None:
    responses = ["I cannot help with that."] * repeated + [f"Number {n}." for n in range(20 - repeated)]
    assert bool(list(canned([run_with(responses, tmp_path)]))) is warned


def test_fewer_than_twenty_requests_say_nothing(tmp_path: Path) -> None:
    assert not list(canned([run_with(["Certainly."] * 19, tmp_path)]))


def test_one_text_given_to_the_same_request_again_is_no_other_request(tmp_path: Path) -> None:
    run = run_with([f"Number {n}." for n in range(20)], tmp_path)
    twice = dict(run.replies) | {key._replace(epoch=2): reply for key, reply in run.replies.items()}
    assert not list(canned([Run(run.folder, run.manifest, run.items, twice)]))


def test_simulated_models_speak_in_fixed_texts_and_are_not_warned_of(tmp_path: Path) -> None:
    run = sx.run(["sim/coin"], experiments=["restriction"], out=tmp_path / "run")
    assert not list(canned([run]))


def test_no_model_of_ten_recorded_ones_looks_canned(ten_models: Run) -> None:
    assert not list(canned([ten_models]))
