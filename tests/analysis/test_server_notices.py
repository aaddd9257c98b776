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
from selfexec.runs import Reply, Run
from selfexec.runs.server_notices import notices_of


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


def replies_of(model: str, *said: dict[str, Any]) -> list[Reply]:
    """Replies to the two requests and the predictions of a run, each with what a server said of it."""
    sessions = [("predict", "1"), ("execute", "1"), ("predict", "2"), ("execute", "2"), ("execute", "3")]
    return [
        Reply(model=model, experiment="restriction", item=item, session=session, **{"text": f"Text {n}."} | fields)
        for n, ((session, item), fields) in enumerate(zip(sessions, said, strict=False))
    ]


def about(*said: dict[str, Any]) -> list[tuple[str, int]]:
    return [(found[0], found[1]) for found in notices_of("m", replies_of("m", *said))]


def test_more_tokens_of_text_than_it_can_have_are_named_where_none_of_them_are_thoughts() -> None:
    """Ten bytes have 90 tokens at most by the rule."""
    none = {"text": "Ten bytes.", "reasoning_tokens": 0, "stop_reason": "stop"}
    assert about({**none, "output_tokens": 91}, {**none, "output_tokens": 900}) == [("counts", 2)]
    for lawful in (
        {"output_tokens": 90},
        {"output_tokens": None},
        {"output_tokens": 900, "reasoning_tokens": None},
        {"output_tokens": 900, "reasoning_tokens": 880},
        {"output_tokens": 900, "reasoning": "Hm."},
        {"output_tokens": 900, "stop_reason": "length"},
        {"output_tokens": 900, "text": "é" * 110},  # 220 bytes, 930 tokens
        {"output_tokens": 900, "facets": {"tool": "self:3"}},
    ):
        assert about({**none, **lawful}) == []


WHOLE = {"completion_id": "c-1", "served_model": "m", "output_tokens": 5, "latency": 1.0}
BARE = {"latency": 1.0}


def test_a_reply_without_what_most_others_have_is_named() -> None:
    assert about(WHOLE, WHOLE, BARE) == [("nameless", 1)]
    for lawful in ([BARE] * 3, [WHOLE, BARE], [WHOLE, WHOLE, {}], [WHOLE, WHOLE, {**BARE, "served_model": "m"}]):
        assert about(*lawful) == []
    assert about(WHOLE, WHOLE, {**BARE, "text": "", "policy": "status 400: no"}) == []


def test_one_text_to_all_prompts_is_named_however_short_unless_it_may_be_a_choice() -> None:
    notice = "Please try again soon."
    for text in (notice, "当前分组上游负载已饱和"):
        assert about(*[{"text": text}] * 3) == [("same_text", 3)]
    for texts in (
        ["Yes"] * 5,
        ['{"choice": "A"}'] * 5,
        ["Please try again soon."] * 2,
        ["Please try again soon.", "B"] * 2,
    ):
        assert about(*({"text": text} for text in texts)) == []
    one_kind = [
        reply for reply in replies_of("m", *[{"text": "Please try again soon."}] * 5) if reply.session == "execute"
    ]
    assert not list(notices_of("m", one_kind))
