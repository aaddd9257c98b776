"""What a check says of the sessions that it tried: cell by cell and line by line, on replies that are made up."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from selfexec.engines import Call
from selfexec.experiments import Key
from selfexec.experiments.restriction import UserRequest
from selfexec.readers import most_tokens
from selfexec.runs.asking.checks import Check, TriedSession, excerpt, findings_of, session_row
from selfexec.runs.asking.shared_memory import Memory
from selfexec.runs.readings import read_reply
from selfexec.runs.reply import Reply

REQUEST = UserRequest(id="1", request="How do I whisk an egg?", label="safe", type="plain")
NO_MEMORY = Memory(False, 4)


def tried(session: str, text: str | None = "A", **more: Any) -> TriedSession:
    key = Key("x/m", "restriction", "1", 1, session)
    reply = Reply(**key.fields(), text=text, **more)
    return TriedSession(Call(key, ()), REQUEST, reply, read_reply(REQUEST, reply))


def findings(*sessions: TriedSession, memory: Memory = NO_MEMORY, again: TriedSession | None = None) -> list[str]:
    return list(findings_of(sessions, again or tried("predict", None), memory, "x/m"))


def check(sessions: Sequence[TriedSession], shared: bool = False, notes: Sequence[str] = ()) -> Check:
    return Check("x/m", sessions, shared, notes)


# --- the table -------------------------------------------------------------------------------------------------------


def test_a_row_has_what_was_said_in_thirty_characters_and_what_it_took() -> None:
    counts = {"input_tokens": 1_234, "output_tokens": 0, "reasoning_tokens": 5_678, "stop_reason": "stop"}
    row = ["restriction", "execute", "kept", "Whisk it.", "1,234", "0", "5,678", "stop", "1.2"]
    assert session_row(tried("execute", "Whisk it.", latency=1.249, **counts)) == row
    assert session_row(tried("predict")) == ["restriction", "predict", "read", "A", "", "", "", "", "0.0"]
    assert session_row(tried("predict", "Who knows?"))[2:4] == ["unreadable: format", ""]
    assert [session_row(tried("execute", n * "x"))[3] for n in (30, 31)] == [30 * "x", 29 * "x" + "…"]
    assert session_row(tried("execute", "", refusal="No."))[2:4] == ["withheld: model", ""]
    assert session_row(tried("execute", None, error="x" * 28))[2:4] == ["missing: " + "x" * 27, ""]


def test_the_heads_of_columns_without_anything_are_left_out() -> None:
    title, head = filter(None, check([tried("predict", latency=0.3, reasoning_tokens=7)]).table().splitlines()[:3])
    assert title == "x/m: one item of each kind; thought: tokens; s: seconds"
    assert head.split() == ["experiment", "session", "state", "value", "thought", "s"]
    assert check([tried("predict")]).table().startswith("x/m: one item of each kind; s: seconds\n")


def test_what_a_check_found_is_told_in_json_session_by_session() -> None:
    sessions = [tried("predict", input_tokens=3, output_tokens=2), tried("judge", None, error="reset")]
    text = check(sessions, notes=["a note"]).json()
    found = json.loads(text)
    assert text == json.dumps(found, indent=1)
    names = {"model": "x/m", "experiment": "restriction", "item": "1", "epoch": 1}
    assert found["sessions"] == [
        {
            **{**names, "session": "predict", "state": "read", "reason": None, "value": "A", "text": "A"},
            **{"input_tokens": 3, "output_tokens": 2, "reasoning_tokens": None, "error": None},
        },
        {
            **{**names, "session": "judge", "state": "missing", "reason": "reset", "value": None, "text": None},
            **{"input_tokens": None, "output_tokens": None, "reasoning_tokens": None, "error": "reset"},
        },
    ]
    assert (found["model"], found["ready"], found["shared_memory"], found["notes"]) == ("x/m", False, False, ["a note"])
    assert found["verdict"] == "not ready: 1 session came to nothing (reset)"


# --- the verdict -----------------------------------------------------------------------------------------------------


def test_what_is_in_the_way_of_a_run_is_memory_what_never_came_and_kinds_that_cannot_be_read() -> None:
    whole = [tried("predict"), tried("execute", "Whisk it."), tried("judge")]
    assert check(whole).ready and check(whole).failed == 0
    assert check(whole).verdict == "ready: x/m can be asked, as far as these 3 sessions can tell"
    assert check(whole, shared=True).verdict == "not ready: sessions share memory, see above"
    lost = [*whole, tried("judge", None, error="reset"), tried("judge", None)]
    assert check(lost).failed == 2
    assert check(lost).verdict == "not ready: 2 sessions came to nothing (reset)"
    assert check([tried("judge", None)]).verdict == "not ready: 1 session came to nothing (no text)"
    # one that can be read will do, and a response is not read
    assert check([*whole, tried("predict", "Who knows?")]).ready
    unread = check([tried("predict", "Who knows?"), tried("execute", ""), tried("judge", "Perhaps."), tried("judge")])
    assert unread.verdict == "not ready: restriction predict could not be read. If that may be chance, check again"
    both = check([tried("predict", "Who knows?"), tried("judge", "Perhaps.")], shared=True)
    said = "restriction predict, restriction judge could not be read. If that may be chance, check again"
    assert both.verdict == f"not ready: sessions share memory, see above; {said}"
    assert check([tried("predict", "", refusal="No.")]).ready  # withheld is no matter of reading


# --- the notes -------------------------------------------------------------------------------------------------------


def test_calls_and_what_could_be_read_are_counted() -> None:
    said = findings(tried("predict"), tried("execute", "So."), tried("judge", "?"), tried("judge", None, error="x"))
    assert said[0] == (
        "calls: 9, the 4 above, the first prompt once more (is there a cache?) and 4 about made-up words (is there a "
        "memory?)"
    )
    unread = "format: 1 of 2 replies could be read (restriction judge: format); 1 response is kept, not read"
    assert said[1:3] == [unread, '  restriction judge said: "?"']
    assert findings(tried("predict"))[1] == "format: 1 of 1 reply could be read"
    assert findings(tried("execute"), tried("execute"))[1].endswith("; 2 responses are kept, not read")


def test_what_the_first_prompt_got_the_second_time_tells_of_a_cache() -> None:
    def told(text: str | None) -> list[str]:
        return [line for line in findings(tried("predict"), again=tried("predict", text)) if line.startswith("cache: ")]

    assert told("A") == [
        "cache: the first prompt, sent once more, got the same text: a cache, or a model that always gives it"
    ]
    assert told("B") == ["cache: the first prompt, sent once more, got another text: no cache seen"]
    assert told(None) == []


def test_more_tokens_than_bytes_of_text_are_named_where_no_thoughts_are_seen() -> None:
    def tokens(count: int, **more: Any) -> str:
        [line] = [one for one in findings(tried("judge", output_tokens=count, **more)) if one.startswith("tokens: ")]
        return line

    # "A" has one byte, and a server may count marks around it, as `most_tokens` allows
    most = most_tokens("A")
    assert most == 33
    assert "no reasoning seen;" in tokens(most) and "more tokens" not in tokens(most)
    assert "no reasoning seen, but 1 reply has more tokens" in tokens(most + 1)
    assert "more tokens" not in tokens(900, reasoning_tokens=899)
    assert findings(tried("execute", None, error="x"))[1] == "format: 0 of 0 replies could be read"


def test_a_long_reply_is_quoted_from_its_beginning_and_its_end() -> None:
    whole = "a" * 100 + "b" * 100
    assert excerpt(whole) == f'"{whole}"'
    assert excerpt(whole + "c") == f'"{100 * "a"} ... {99 * "b"}c"'


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        ([{"output_tokens": 4, "input_tokens": 1}, {"output_tokens": 3}], "4 a reply, no reasoning seen"),
        ([{"output_tokens": 0, "input_tokens": 0}], "0 a reply, no reasoning seen"),
        ([{"output_tokens": 4}], "4 a reply, no reasoning seen; those of prompts are not counted"),
        ([{"output_tokens": 4, "input_tokens": 1, "reasoning_tokens": 2}], "4 a reply, reasoning tokens counted apart"),
        (
            [{"output_tokens": 2_000, "input_tokens": 1, "reasoning": "Hm."}],
            "2,000 a reply, reasoning text kept apart; its tokens are not counted apart",
        ),
        (
            [{"output_tokens": 4}, {}],
            "not counted by this server; in difficulty, pairs alike in correctness will be missing",
        ),
        ([{"text": None, "error": "x"}], None),
    ],
)
def test_tokens_are_told_as_far_as_they_were_counted(replies: list[dict[str, Any]], said: str | None) -> None:
    found = [line for line in findings(*(tried("predict", **one) for one in replies)) if line.startswith("tokens: ")]
    assert found == ([] if said is None else [f"tokens: {said}"])


def test_how_a_request_is_turned_down_is_told() -> None:
    def refusals(*sessions: TriedSession) -> str:
        [found] = [line.removeprefix("refusals: ") for line in findings(*sessions) if line.startswith("refusals: ")]
        return found

    assert refusals(tried("predict")) == "not tried"
    assert refusals(tried("judge", "A")) == "none seen"
    assert refusals(tried("judge", "A"), tried("judge", "B")) == "in words, as the model's own judgement says"
    policy = {"stop_reason": "content_filter", "policy": "it is against the rules"}
    assert refusals(
        tried("predict", "", refusal="No."), tried("judge", "", **policy), tried("predict", "", **policy)
    ) == (
        "withheld: restriction predict by the model, restriction judge by the provider, restriction predict by the "
        "provider; the server says (it is against the rules)"
    )


def test_cost_effort_servers_and_memory_are_told() -> None:
    said = findings(
        tried("predict", cost_usd=0.25, effort="low", served_model="m-2"),
        tried("judge", cost_usd=0.25, effort="high", served_model="m-1"),
        tried("judge"),
        tried("judge", None, error="reset", cost_usd=9.0, effort="none", served_model="m-3"),
    )
    assert said[-4:] == [
        "cost: $0.5000 for 3 replies",
        "effort: high, low, as the server says",
        "served by: m-1, m-2, unnamed",
        "memory: no session knew what another was told",
    ]
    nobody = findings(tried("predict", None, error="x"), memory=Memory(True, 2))
    assert nobody[-2] == "served by: nobody" and nobody[-1].startswith("x/m: sessions share memory")
    assert nobody[0].startswith("calls: 4, the 1 above, ")
