"""What is said of the server behind a run: which models served, what came a second time, what held no answer."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import selfexec as sx
from selfexec.runs import Reply
from selfexec.runs.asking import Progress, carry_out, plan, remarks
from selfexec.runs.server_notices import notices_among
from sockets import completion, served

TURN = count()


def reply(text: str | None = "Hi", item: str | None = None, epoch: int = 1, **more: Any) -> Reply:
    return Reply(
        model="any/m",
        experiment="restriction",
        item=item or f"i{next(TURN)}",
        epoch=epoch,
        session="execute",
        text=text,
        **more,
    )


def said_by(*replies: Reply) -> str:
    return "\n".join(remarks(replies, notices=notices_among(replies)))


def warned(url: str, out: Path, **choices: Any) -> list[str]:
    """The warnings of a run."""
    progress = Progress()
    carry_out(plan(["any/m"], base_url=url, out=out, max_connections=1, **choices), None, progress)
    return list(progress.warnings)


def app_of(body: Any) -> web.Application:
    async def handler(request: web.Request) -> web.Response:
        asked = await request.json()
        answer = body(asked)
        answer["usage"]["prompt_tokens"] = sum(len(message["content"]) for message in asked["messages"]) // 4
        return web.json_response(answer)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    return app


# --- who served ------------------------------------------------------------------------------------------------------


def test_a_served_model_that_changes_at_every_reply_is_one_warning_with_counts(tmp_path: Path) -> None:
    turn, words = count(), count()
    with served(app_of(lambda body: completion(f"{next(words)}") | {"model": f"m-v{next(turn) % 2}"})) as url:
        # two items of each experiment: 20 sessions, each version served every other one
        found = warned(url, tmp_path / "r", limit=2)
    assert found == ["any/m: served by m-v0 (10), m-v1 (10). These replies are not of one model"]


def test_a_served_model_that_changed_since_an_earlier_command_is_noticed(tmp_path: Path) -> None:
    name, turn = "m-2024-01-01", count()
    with served(app_of(lambda body: completion(f"{next(turn)}") | {"model": name})) as url:
        assert warned(url, tmp_path / "r", limit=2, max_calls=14) == []
        old, name = len(sx.load(tmp_path / "r").replies), "m-2025-01-01"
        assert 10 < old < 20
        assert warned(url, tmp_path / "r", limit=2) == [
            f"any/m: served by m-2024-01-01 ({old}), m-2025-01-01 ({20 - old}). These replies are not of one model"
        ]


def test_of_many_names_the_first_are_shown_and_none_does_anything_on_a_terminal() -> None:
    names = ["a", "a", *"bcdefg", "\x1b[31mred"]
    found = said_by(*(reply(served_model=name) for name in names))
    assert found == "any/m: served by a (2), b (1), c (1), d (1), e (1), 3 more. These replies are not of one model"
    assert "\\x1b[31mred (1)" in said_by(reply(served_model="\x1b[31mred"), reply(served_model="b"))
    assert said_by(reply(served_model="m"), reply(served_model=None)) == ""


# --- what came a second time -----------------------------------------------------------------------------------------


def test_a_cache_on_the_way_is_told_by_its_ids(tmp_path: Path) -> None:
    """A gateway that asks the model anew for each new prompt, and else sends what it has."""
    turn, cache = count(), {}

    def cached(body: Any) -> Any:
        prompt = body["messages"][0]["content"]
        if prompt not in cache:
            n = next(turn)
            cache[prompt] = completion(f"text {n}") | {"id": f"chatcmpl-{n}"}
        return cache[prompt]

    with served(app_of(cached)) as url:
        # two items, each with a prediction and an execution, in three epochs: the first of each is new
        found = warned(url, tmp_path / "r", limit=2, epochs=3, experiments=["association"])
    assert len(found) == 1 and found[0].startswith(
        "any/m: 8 replies carry the id of an earlier one, with the same text"
    )


def test_a_server_that_samples_anew_is_said_nothing_of(tmp_path: Path) -> None:
    turn = count()
    # texts repeat, as they do at temperature 0
    with served(app_of(lambda body: completion("same") | {"id": f"chatcmpl-{next(turn)}"})) as url:
        assert warned(url, tmp_path / "r", limit=2, epochs=3, experiments=["association"]) == []


def test_ids_that_name_nothing_tell_nothing() -> None:
    # an id for all, or one of a few drawn at random: it comes with two texts sooner or later
    assert said_by(*(reply(text, completion_id="chatcmpl-1") for text in ("a", "a", "b"))) == ""
    assert said_by(reply("a"), reply("a")) == ""
    one = "any/m: 1 reply carries the id of an earlier one"
    assert said_by(reply("a", completion_id="x"), reply("a", completion_id="x"), reply("b")).startswith(one)


# --- thoughts alone --------------------------------------------------------------------------------------------------


def test_thoughts_without_an_answer_are_named_once_and_kept(tmp_path: Path) -> None:
    body = completion(None, reasoning_content="The answer is A.")
    with served(app_of(lambda asked: body)) as url:
        found = warned(url, tmp_path / "r", limit=1, experiments=["restriction"])
    # prediction and execution; what is empty is not judged
    assert len(found) == 1 and found[0].startswith("any/m: 2 of 2 replies hold thoughts and no answer.")
    assert {r.reasoning for r in sx.load(tmp_path / "r").replies.values()} == {"The answer is A."}


@pytest.mark.parametrize(
    "more", [{"stop_reason": "length"}, {"refusal": "No."}, {"stop_reason": "content_filter"}, {"reasoning": None}]
)
def test_thoughts_that_were_cut_off_or_end_in_a_refusal_are_no_wonder(more: dict[str, Any]) -> None:
    assert "thoughts" not in said_by(reply("", **({"reasoning": "hm", "stop_reason": "stop"} | more)))


def test_more_thoughts_than_output_are_named_of_those_replies_of_which_both_were_counted() -> None:
    counts = ((9, 8), (8, 8), (None, 8), (9, None), (12, 3))
    came = [reply("A", reasoning_tokens=thoughts, output_tokens=out) for thoughts, out in counts]
    assert "2 of 3 replies have more tokens of thoughts than of output" in said_by(*came)
    assert "thoughts" not in said_by(*came[1:4])


def test_many_replies_without_any_text_are_named_and_a_few_are_not() -> None:
    few = [*(reply() for _ in range(9)), reply("")]
    assert said_by(*few) == ""
    # what was withheld, or thought aloud, is silent for another reason
    for silent in (reply("", stop_reason="content_filter"), reply("", refusal="No."), reply(" ", reasoning="Hm.")):
        assert "held no text" not in said_by(*few[:3], *[silent] * 3)
    assert said_by(*few[:6], reply(""), reply(" ")) == (
        "any/m: 2 of 8 replies held no text. They are kept as what the model said: look whether the server is at fault"
    )


# --- what servers say, as `score` and `read` repeat it ---------------------------------------------------------------


def test_another_model_than_was_asked_is_said_at_the_end_of_a_run(tmp_path: Path) -> None:
    with served(app_of(lambda body: completion() | {"model": "gpt-3.5-turbo"})) as url:
        [found] = warned(url, tmp_path / "r", limit=1, experiments=["association"])
    assert found.startswith("any/m: 2 of 2 replies came as those of another model: gpt-3.5-turbo (2).")


def test_a_notice_among_good_replies_is_said_at_the_end_of_a_run(tmp_path: Path) -> None:
    """A gateway whose quota is used up at every third call."""
    turn = count()
    notice = "I'm sorry, but your account has exceeded its free quota ({} of 50 messages). Upgrade to continue."

    def body(asked: Any) -> Any:
        n = next(turn)
        return completion(notice.format(n) if n % 3 == 0 else f"Answer {n}: {n * 'very '}well.")

    with served(app_of(body)) as url:
        found = " ".join(warned(url, tmp_path / "r", limit=4))
    assert "hold a text that came to prompts which have nothing in common" in found and "your account has" in found


def test_texts_shorter_than_the_server_counted_and_nameless_replies_are_said() -> None:
    named = {"completion_id": "c-1", "served_model": "m", "output_tokens": 5, "latency": 1.0}
    long = reply("Ten bytes.", output_tokens=43, reasoning_tokens=0)
    assert "for 1 of 2 replies the server counted far more tokens of text" in said_by(long, reply("Hello"))
    came = [reply("A", **{**named, "completion_id": f"c-{n}"}) for n in range(2)]
    assert "1 of 3 replies came without an id, a model's name and counts" in said_by(*came, reply("B", latency=1.0))
    assert said_by(*came, reply("Ten bytes.", output_tokens=42, reasoning_tokens=0)) == ""
