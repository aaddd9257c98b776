"""A reply that is a copy of one to another prompt does not count, in any wire format; where ids say nothing, nothing is
void.
"""

import hashlib
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

import selfexec as sx
from repeating_server import WIRES
from selfexec.runs.asking import carry_out, plan
from selfexec.runs.asking.progress import Progress
from selfexec.runs.journal_writer import COPIED, FirstPositions, RepeatedReplies
from selfexec.runs.reply import Reply
from sockets import served

FORMATS = {"openai": "/chat/completions", "responses": "/responses", "anthropic": "/messages", "gemini": ":generate"}
Answer = Callable[[int, str], tuple[str, str]]


def sha(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()


def replaying(answer: Answer) -> web.Application:
    """A server whose n-th answer to a prompt has the id and the text that `answer` gives."""
    n = 0

    async def handle(request: web.Request) -> web.Response:
        nonlocal n
        n += 1
        wire = next(wire for mark, wire in WIRES.items() if mark in request.path)
        number, text = answer(n, wire.prompt(await request.json()))
        return web.json_response({wire.number: number, **wire.answer(text)})

    app = web.Application()
    app.router.add_post("/{rest:.*}", handle)
    return app


def run(answer: Answer, out: Path, wire: Any = "openai", **choices: Any) -> tuple[sx.Run, Progress, list[Any]]:
    given: dict[str, Any] = {"experiments": ["restriction"], "limit": 10, "max_connections": 2, "wire": wire, **choices}
    progress = Progress()
    with served(replaying(answer)) as url:
        found = carry_out(plan(["any/m"], base_url=url, out=out, **given), progress=progress)
    return found, progress, [json.loads(line) for line in (out / "replies.jsonl").read_text().splitlines()]


def copying(every: int, *, forever: bool = False) -> Answer:
    """Now and then an answer is that to another prompt, four answers ago; with `forever`, this prompt keeps it."""
    sent: list[tuple[str, str]] = []
    stale: dict[str, tuple[str, str]] = {}

    def answer(n: int, prompt: str) -> tuple[str, str]:
        if prompt in stale:
            return stale[prompt]
        if n % every == 0 and n < 30:
            if forever:
                stale[prompt] = sent[-4]
            return sent[-4]
        sent.append((f"answer-{n}", sha(prompt)))
        return sent[-1]

    return answer


@pytest.mark.parametrize("wire", FORMATS)
def test_copies_of_earlier_replies_are_void_with_what_they_copy_and_asked_again(wire: str, tmp_path: Path) -> None:
    found, progress, lines = run(copying(7), tmp_path / "r", wire)
    assert all(reply.text == reply.prompt_sha256 for reply in found.replies.values()) and len(found.replies) == 30
    # the 7th, 14th, 21st and 28th answers, each with the one that it is a copy of
    assert sum(line.get("error") == COPIED for line in lines) == 2 * 4
    assert [text for text in progress.warnings if "8 replies came with the id and the text of a reply" in text]


@pytest.mark.parametrize("wire", FORMATS)
def test_a_cache_that_goes_on_so_costs_its_prompts_and_no_other(wire: str, tmp_path: Path) -> None:
    found, _, lines = run(copying(7, forever=True), tmp_path / "r", wire)
    right = [reply for reply in found.replies.values() if not reply.failed]
    wrong = [reply for reply in found.replies.values() if reply.failed]
    assert all(reply.text == reply.prompt_sha256 for reply in right)
    assert wrong and all(reply.error and reply.error.startswith("void") for reply in wrong)
    assert len(lines) < 100  # no prompt is asked without end


@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.parametrize("length", [1, 5])
def test_what_two_prompts_get_again_and_again_is_missing_for_both(wire: str, length: int, tmp_path: Path) -> None:
    chosen: list[str] = []

    def answer(n: int, prompt: str) -> tuple[str, str]:
        if n in (3, 9):
            chosen.append(prompt)
        return ("answer-of-many-signs-0", "I will not say. " * length) if prompt in chosen else (f"a-{n}", sha(prompt))

    found, _, lines = run(answer, tmp_path / "r", wire, max_connections=1)
    wrong = {reply.prompt_sha256 for reply in found.replies.values() if reply.failed}
    assert len(set(chosen)) == 2 and {sha(prompt) for prompt in chosen} <= wrong
    assert not any("not say" in (reply.text or "") for reply in found.replies.values())
    assert len(lines) < 50  # no prompt is asked without end


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("one id for all", lambda n, prompt: ("chatcmpl-123", sha(prompt))),
        ("one long id for all", lambda n, prompt: ("chatcmpl-0123456789abcdef", sha(prompt))),
        ("one id and one text", lambda n, prompt: ("chatcmpl-0123456789abcdef", "I will not say. " * 5)),
        ("few ids", lambda n, prompt: (f"chatcmpl-{n % 5}", sha(prompt))),
        ("few ids and a short text", lambda n, prompt: (f"chatcmpl-{n % 5}", '{"choice": "A"}')),
        ("an id each", lambda n, prompt: (f"chatcmpl-{n}", "I will not say. " * 5)),
        ("an id for each prompt", lambda n, prompt: (sha(prompt), sha(prompt))),
        ("no id", lambda n, prompt: ("", "I will not say. " * 5)),
    ],
)
def test_where_ids_say_nothing_or_each_reply_has_its_own_nothing_is_void(
    name: str, answer: Answer, tmp_path: Path
) -> None:
    # over one connection, so that no two answers in a row have one of the few ids: those would be one answer sent twice
    found, _, lines = run(answer, tmp_path / "r", epochs=2, max_connections=1)
    assert not any(reply.failed for reply in found.replies.values()), name
    assert len(lines) == len(found.replies) == 60


def test_a_copy_of_what_an_earlier_command_brought_is_one_too(tmp_path: Path) -> None:
    first: dict[str, str] = {}

    def answer(n: int, prompt: str) -> tuple[str, str]:
        if n < 10:
            first[f"answer-{n}"] = sha(prompt)
        return f"answer-{n}", sha(prompt)

    run(answer, tmp_path / "r", max_calls=30, limit=20)
    later, n = dict(first), 30

    def again(_: int, prompt: str) -> tuple[str, str]:
        nonlocal n
        n += 1
        return next(iter(later.items())) if n == 35 else (f"answer-{n}", sha(prompt))

    found, _, lines = run(again, tmp_path / "r", limit=20)
    assert all(reply.text == reply.prompt_sha256 for reply in found.replies.values())
    assert sum(line.get("error") == COPIED for line in lines) == 2


# few values, so that hashes come again, and many with the same last bits, so that they share slots of the table
HASHES = st.one_of(
    st.integers(-50, 50), st.integers(-100, 100).map(lambda n: n * 2**50), st.integers(-(2**63), 2**63 - 1)
)


@given(st.lists(HASHES, max_size=400))
def test_first_positions_are_those_that_a_dictionary_would_hold(hashes: list[int]) -> None:
    first, expected = FirstPositions(), dict[int, int]()
    for position, id_hash in enumerate(hashes):
        assert first.setdefault(id_hash, position) == expected.setdefault(id_hash, position)
        assert len(first) == len(expected)


def test_first_positions_of_many_ids_take_a_third_of_what_a_dictionary_of_them_takes() -> None:
    # 16 bytes for a hash and a position, and 4 for each slot of a table that is at least three eighths full:
    # 27 at most, and a sixteenth more where an array has room to grow. Two integers alone take 64 in a dictionary.
    ids = 50_000
    tracemalloc.start()
    try:
        first = FirstPositions()
        for n in range(ids):
            first.setdefault(hash(f"chatcmpl-{n}"), n * 500)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(first) == ids
    assert taken / ids < 30


@pytest.mark.parametrize(
    ("has_long_id", "has_long_text", "counts", "is_copy"),
    [
        *((True, True, (9, 9), True), (True, True, (9, 14), True), (True, True, (9, None), True)),  # counted anew
        *((True, False, (9, 9), True), (True, False, (9, 14), False)),
        *((False, True, (9, 9), True), (False, True, (9, 14), False), (False, False, (9, 9), False)),
    ],
)
def test_a_copy_may_count_its_prompt_anew_where_both_its_id_and_its_text_are_long(
    has_long_id: bool, has_long_text: bool, counts: tuple[int | None, int | None], is_copy: bool
) -> None:
    number = "chatcmpl-0123456789abcdef" if has_long_id else "c-1"
    text = "I cannot tell, since it depends on the weather and on the beans." if has_long_text else "A"
    first = reply(1, number, text, counts[0])
    second = reply(2, number, text, counts[1])
    found = RepeatedReplies(lambda position, kind: first)
    copies = [found.note(one, n) for n, one in enumerate([first, second, reply(3, f"{number}-other", "B", 9)])]
    assert bool(sum(map(len, copies))) == is_copy


def test_the_same_text_under_another_id_is_no_copy_however_long_it_is() -> None:
    found = RepeatedReplies(lambda position, kind: pytest.fail("nothing is read"))
    text = "I cannot help with that request, since it could do harm to somebody. " * 5
    assert not any(found.note(reply(n, f"chatcmpl-0123456789abcdef{n}", text, 9), n) for n in range(20))


def reply(number: int, completion_id: str, text: str, input_tokens: int | None) -> Reply:
    prompt = sha(f"prompt {number}")
    return Reply(
        model="any/m",
        experiment="restriction",
        item=str(number),
        epoch=1,
        session="execute",
        prompt_sha256=prompt,
        text=text,
        output_tokens=7,
        input_tokens=input_tokens,
        completion_id=completion_id,
    )
