"""A server of chat completions that goes on with replies that are begun, or that only seems to."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from selfexec.engines.http.prefill import COUNT
from sockets import completion

NUMBERS = "one two three four five six seven eight nine ten"
DERAILED = " and so on."
Way = Literal["goes on", "repeats", "drops", "takes it for a turn", "refuses to count"]


@dataclass
class PrefillServer:
    """Knows the right replies to some prompts, and chooses A of whatever has options. A reply that is begun with one
    word too many it finishes rightly, and one with more it does not.

    Attributes:
        way: What it does with a reply that is begun.
        right: Right replies by prompt.
        bodies: What it was asked.
        logprobs: Whether it gives log-probabilities, of words as tokens.
    """

    way: Way
    right: dict[str, str] = field(default_factory=dict)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    logprobs: bool = False

    @property
    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/{rest:.*}", self._handle)
        return app

    async def _handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        text = self._reply(body)
        answer = completion(text)
        answer["usage"]["completion_tokens_details"]["reasoning_tokens"] = 0
        if self.logprobs and body.get("logprobs"):
            answer["choices"][0]["logprobs"] = {"content": [_token(word) for word in re.findall(r"\s*\S+", text)]}
        return web.json_response(answer)

    def _reply(self, body: dict[str, Any]) -> str:
        *_, last = body["messages"]
        if last["role"] == "user":
            return self._whole(last["content"])
        asked, begun = body["messages"][-2]["content"], last["content"]
        is_told = body.get("continue_final_message") is True and body.get("add_generation_prompt") is False
        if self.way == "drops" or not (is_told or last.get("prefix")):
            return self._whole(asked)
        if self.way == "takes it for a turn":
            return "four five six" if asked == COUNT else self._whole(asked)
        if self.way == "refuses to count":
            return " I would rather not."
        return (begun if self.way == "repeats" else "") + _rest(self._whole(asked), begun)

    def _whole(self, prompt: str) -> str:
        if prompt == COUNT:
            return NUMBERS
        if "not yours" in prompt:
            return '{"words": []}'
        return self.right.get(prompt, '{"choice": "A"}')


def _rest(whole: str, begun: str) -> str:
    """How a reply goes on that is begun so."""
    begun = re.sub(r"^\(\w+\) ", "", begun)
    if whole.startswith(begun):
        return whole[len(begun) :]
    same = next(n for n in range(len(begun)) if whole[n : n + 1] != begun[n])
    return f" {whole[same:].strip()}" if len(begun[same:].split()) == 1 else DERAILED


def _token(word: str) -> dict[str, Any]:
    likely = [{"token": word, "logprob": -0.1}, {"token": " perhaps", "logprob": -2.5}]
    return {"token": word, "logprob": -0.1, "top_logprobs": likely}
