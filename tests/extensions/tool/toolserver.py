"""A server whose models have prompts executed as a test says, and which keeps every body that it was sent."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from build import write
from sockets import served

ASKS = '{"execute": "What is item 1?"}'
PREDICTS = '{"choice": "A"}'
Turn = Callable[[int], str]  # the number of the turn -> what is said


@dataclass
class ToolServer:
    """`url` is its address; `turn` says what predictions with the tool say, `executed` what a prompt is answered that
    is none of an item. `bodies` are all that it was sent, in order.
    """

    turn: Turn
    executed: Callable[[str], str]
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)

    def reply(self, body: dict[str, Any]) -> str:
        messages = [message for message in body["messages"] if message["role"] != "system"]
        prompt = messages[-1]["content"]
        if '{"execute": "..."}' in messages[0]["content"]:
            return self.turn(1 + len(messages) // 2)
        if "which of" in prompt.casefold() or "Assume" in prompt:
            return PREDICTS
        if "Response" in prompt or "response" in prompt:
            return '{"choice": "A"}'
        return self.executed(prompt)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The bodies of calls: those of the prompts that models ask for here."""
        return [body for body in self.bodies if "max_tokens" in body]


@contextmanager
def tool_server(
    turn: Turn, executed: Callable[[str], str] = lambda prompt: "Of course, I can."
) -> Iterator[ToolServer]:
    found = ToolServer(turn, executed)

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        found.bodies.append(body)
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": found.reply(body)},
            "finish_reason": "stop",
        }
        usage = {"prompt_tokens": 11, "completion_tokens": 7}
        return web.json_response({"model": body["model"], "choices": [choice], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    with served(app) as found.url:
        yield found


def requests(folder: Path, count: int = 2) -> Path:
    """A folder with so many items of the restriction experiment."""
    folder.mkdir(parents=True, exist_ok=True)
    write(
        folder / "restriction.jsonl",
        [
            {"id": str(n), "request": f"What is item {n}?", "label": "safe", "type": "plain"}
            for n in range(1, count + 1)
        ],
    )
    return folder


def lines(run: Path) -> list[dict[str, Any]]:
    """The lines of a run's journal."""
    return [json.loads(line) for line in (run / "replies.jsonl").read_text("utf-8").splitlines()]
