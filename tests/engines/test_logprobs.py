"""Log-probabilities of a reply's tokens: asked for in each wire's words, kept as they came, and missed where they did
not come.
"""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

import selfexec as sx
from effort import examples
from selfexec.engines import CallResult
from selfexec.engines.http.bodies import LONGEST_TEXT, bounded
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.scrubbing import Scrubber
from selfexec.engines.http.wires import WIRES, Stream
from selfexec.engines.http.wires.logprobs import gemini_tokens_of, tokens_of
from selfexec.experiments import Likely, Message, Token
from selfexec.runs.asking import Progress, carry_out, plan
from sockets import completion, served

YES = {"token": "Yes", "logprob": -0.1, "bytes": [89, 101, 115]}
NO = {"token": "No", "logprob": -2.5, "bytes": [78, 111]}
STOP = {"token": ".", "logprob": 0, "top_logprobs": []}
SENT = [{**YES, "top_logprobs": [YES, NO]}, STOP]
KEPT = (Token("Yes", -0.1, (Likely("Yes", -0.1), Likely("No", -2.5))), Token(".", 0.0))
GEMINI = {
    "chosenCandidates": [{"token": "Yes", "logProbability": -0.1}, {"token": ".", "logProbability": 0}],
    "topCandidates": [
        {"candidates": [{"token": "Yes", "logProbability": -0.1}, {"token": "No", "logProbability": -2.5}]}
    ],
}
CHAT = {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop", "logprobs": {"content": SENT}}]}
PART = {"type": "output_text", "text": "Yes.", "logprobs": SENT}
RESPONSES = {"status": "completed", "output": [{"type": "message", "content": [PART]}]}
CANDIDATE = {"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP", "logprobsResult": GEMINI}
BODIES: dict[str, dict[str, Any]] = {"openai": CHAT, "responses": RESPONSES, "gemini": {"candidates": [CANDIDATE]}}


@pytest.mark.parametrize("wire", BODIES)
def test_each_wire_brings_the_tokens_with_their_log_probabilities(wire: str) -> None:
    assert WIRES[wire].result(BODIES[wire]).logprobs == KEPT
    assert "logprobs" in WIRES[wire].capabilities and "logprobs" not in WIRES["anthropic"].capabilities


def test_each_wire_asks_for_them_by_its_own_fields() -> None:
    wanted = {"logprobs": True, "top_logprobs": 5}

    def sent(wire: Any, **sampling: Any) -> Any:
        return WIRES[wire].body(Endpoint("m", "http://x", wire, ""), [Message("user", "Q")], sampling)

    assert wanted.items() <= sent("openai", **wanted).items()
    body = sent("responses", **wanted, include=["reasoning.encrypted_content"])
    assert body["include"] == ["reasoning.encrypted_content", "message.output_text.logprobs"]
    assert body["top_logprobs"] == 5 and "logprobs" not in body
    assert "include" not in sent("responses", logprobs=False)
    config = {"responseLogprobs": True, "logprobs": 5, "temperature": 0}
    assert sent("gemini", **wanted, temperature=0)["generationConfig"] == config


def streamed(wire: str, *pieces: Any) -> CallResult:
    stream = Stream(WIRES[wire].gathering())
    stream.feed("".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces).encode())
    return WIRES[wire].result(json.loads(stream.raw()))


def test_in_pieces_they_are_put_together_in_their_order() -> None:
    choices = [{"delta": {"content": "Yes"}, "logprobs": {"content": SENT[:1]}}]
    choices += [{"delta": {"content": "."}, "logprobs": {"content": SENT[1:]}}, {"delta": {}, "finish_reason": "stop"}]
    assert streamed("openai", *({"choices": [choice]} for choice in choices)).logprobs == KEPT
    assert streamed("openai", *({"choices": [{**choice, "logprobs": None}]} for choice in choices)).logprobs is None
    first, last = (
        {**CANDIDATE, "logprobsResult": {name: places[cut] for name, places in GEMINI.items()}}
        for cut in (slice(1), slice(1, None))
    )
    assert streamed("gemini", {"candidates": [first | {"finishReason": None}]}, {"candidates": [last]}).logprobs == KEPT


@pytest.mark.parametrize(
    "sent",
    [
        *(None, {}, [], "Yes", [None], [SENT], [YES, {}], [{**YES, "logprob": None}], [{**YES, "logprob": "-0.1"}]),
        *([{**YES, "logprob": True}], [{**YES, "logprob": math.nan}], [{**YES, "token": 7}]),
        [{**YES, "top_logprobs": [NO, "No"]}],
    ],
)
def test_what_is_not_whole_is_none(sent: Any) -> None:
    assert tokens_of(sent) is None
    assert WIRES["openai"].result({"choices": [{**CHAT["choices"][0], "logprobs": sent}]}).logprobs is None


def test_a_probability_of_0_is_kept_as_the_least_that_json_holds_and_gemini_may_leave_out_what_was_likely() -> None:
    assert tokens_of([{"token": "a", "logprob": -math.inf}]) == (Token("a", -9999.0),)
    assert gemini_tokens_of({"chosenCandidates": GEMINI["chosenCandidates"]}) == (
        Token("Yes", -0.1),
        Token(".", 0.0),
    )


def test_no_secret_is_kept_token_by_token() -> None:
    secret = "sk-planted-0123456789"
    scrubber = Scrubber([secret])
    said = tuple(Token(letter, -0.1) for letter in f"My key is {secret}.")
    for text in (f"My key is {secret}.", "Nothing."):  # nor where the server says something else beside it
        assert scrubber.result(CallResult(text, logprobs=said)).logprobs is None
    assert scrubber.result(CallResult("Yes.", logprobs=KEPT)).logprobs == KEPT


SECRET = "sk-planted-4fQz81LmVx93TbNw77KdRy"
PIECES = [SECRET[at : at + 4] for at in range(0, len(SECRET), 4)]
OTHERS = ("yes", "no", "the", "7", "sk", "!", " ", "\n")


def place(*likely: str) -> Token:
    return Token("x", -0.1, tuple(Likely(token, -2.0) for token in likely))


@given(data=st.data())
@settings(max_examples=examples(100), deadline=None)
def test_no_secret_is_kept_in_the_alternatives_of_tokens(data: st.DataObject) -> None:
    scrubber = Scrubber([SECRET])
    cut = sorted(data.draw(st.sets(st.integers(1, len(SECRET) - 1), min_size=2)))
    pieces = [SECRET[start:end] for start, end in pairwise([0, *cut, len(SECRET)])]
    spelt = data.draw(st.sampled_from([str, str.upper, str.lower]))
    more = st.lists(st.sampled_from(OTHERS), max_size=4)
    one_each = [place(*before, spelt(piece), *data.draw(more)) for piece in pieces for before in [data.draw(more)]]
    between = [place(*data.draw(more), " ")] * data.draw(st.integers(0, 2))
    for tokens in (one_each, [*one_each[:1], *between, *one_each[1:]], [place("yes"), place(*pieces), place("no")]):
        around = (place("a"), *tokens, place("b"))
        assert scrubber.result(CallResult("Hi", logprobs=around)).logprobs is None
        assert scrubber.result(CallResult("Hi", logprobs=around)).text == "Hi"


def test_alternatives_that_hold_a_few_letters_of_a_secret_are_kept() -> None:
    scrubber = Scrubber([SECRET])
    for tokens in ([place(*PIECES[:2])], [place(piece) for piece in PIECES[:2]], [place(PIECES[3]), place(PIECES[5])]):
        assert scrubber.result(CallResult("Hi", logprobs=tuple(tokens))).logprobs == tuple(tokens)
    # nor do rows of words make one that is known as a whole alone
    words = tuple(place(word, "no") for word in ("correct", "horse", "battery"))
    assert Scrubber(["correct horse battery staple"]).result(CallResult("Hi", logprobs=words)).logprobs == words


@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_the_alternatives_of_each_format_are_looked_through(wire: str) -> None:
    if wire == "openai":
        sent: Any = [{**YES, "top_logprobs": [{"token": piece, "logprob": -2}]} for piece in PIECES]
        tokens = tokens_of(sent)
    else:
        chosen = [GEMINI["chosenCandidates"][0]] * len(PIECES)
        likely = [{"candidates": [{"token": piece, "logProbability": -2}]} for piece in PIECES]
        tokens = gemini_tokens_of({"chosenCandidates": chosen, "topCandidates": likely})
    assert tokens and Scrubber([SECRET]).result(CallResult("Yes", logprobs=tokens)).logprobs is None


def test_they_count_for_how_long_a_reply_may_be() -> None:
    assert bounded(CallResult("Yes.", logprobs=KEPT)).logprobs == KEPT
    found = bounded(CallResult("Yes.", logprobs=(Token("x" * LONGEST_TEXT, -0.1),)))
    assert (found.text, found.logprobs) == (None, None)
    assert found.error == "the reply is longer than 4,000,000 characters with its log-probabilities"


def server_of(logprobs: Any) -> web.Application:
    async def handler(request: web.Request) -> web.Response:
        body = completion()
        if (await request.json()).get("logprobs"):
            body["choices"][0]["logprobs"] = logprobs
        return web.json_response(body)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    return app


def test_a_run_keeps_them_in_its_journal_for_the_sessions_that_were_to_have_them(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"settings": {"predict.logprobs": True}, "experiments": ["restriction"], "limit": 1}
    with served(server_of({"content": SENT})) as url:
        sx.run("any/m", base_url=url, out=tmp_path / "r", **choices)
    kept = {key.session_kind: reply.logprobs for key, reply in sx.load(tmp_path / "r").replies.items()}
    assert kept == {"predict": KEPT, "execute": None, "judge": None}
    lines = [json.loads(line) for line in (tmp_path / "r" / "replies.jsonl").read_text("utf-8").splitlines()]
    [there] = [line["logprobs"] for line in lines if "logprobs" in line]
    bare = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.5}]
    assert there == [{**bare[0], "top_logprobs": bare}, {"token": ".", "logprob": 0.0}]


def test_where_they_do_not_come_a_run_says_so(tmp_path: Path) -> None:
    progress = Progress()
    with served(server_of(None)) as url:
        settings = {"settings": {"predict.logprobs": True}}
        carry_out(plan(["any/m"], base_url=url, out=tmp_path, limit=1, **settings), None, progress)
    [said] = [text for text in progress.warnings if "log-prob" in text]
    assert said == (
        "any/m: 3 of 3 replies came without the log-probabilities that were asked for: the server passes over that "
        "setting, or has none of this model"
    )
