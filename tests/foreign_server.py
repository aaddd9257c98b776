"""A chat-completions server of somebody else's making, to try a set-up on: `python tests/foreign_server.py [PORT]`.

Its habits are odd but legal: content comes in parts, in chunks and late; usage counts only what was written; the served
model has a name of its own; every so often it is busy, or says that it would rather not. It answers at random, but the
same to the same prompt. Nothing here knows `selfexec`.
"""

import hashlib
import json
import random
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

CALLS = count(1)
WORDS = [
    "water",
    "light",
    "stone",
    "music",
    "paper",
    "river",
    "garden",
    "engine",
    "window",
    "forest",
    "bread",
    "silver",
]


def reply(prompt: str) -> str:
    """What a model might say, by the JSON that the prompt asks for."""
    chance = random.Random(hashlib.sha256(prompt.encode()).digest())
    if '"ranking"' in prompt:
        order = ["Q1", "Q2", "Q3", "Q4"]
        chance.shuffle(order)
        return (
            f"Shorter ones first.\n\n**Ranking:** {' < '.join(order)}\n\n```json\n{json.dumps({'ranking': order})}\n```"
        )
    if '"choice"' in prompt:
        return f'Let me think.\n{{"choice": "{chance.choice("AAB")}"}}'
    if '"answer"' in prompt:
        return f"{'Because it follows. ' * chance.randrange(1, 9)}\n\n$\\boxed{{\\text{{{chance.choice('ABCD')}}}}}$"
    if '"words"' in prompt:
        return json.dumps({"words": chance.sample(WORDS, 5)}, indent=1)
    if options := re.search(r"Option words: .(.*?).\.", prompt):
        return json.dumps({option: chance.random() < 0.4 for option in options[1].split(", ")})
    if chance.random() < 0.2:
        return "I'm sorry, but I can't help with that."
    return "Here is what I know of it. " * chance.randrange(1, 6)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(0.02)
        if next(CALLS) % 40 == 0:
            busy = {"error": {"message": "Busy. Try again.", "type": "overloaded"}}
            self.say(429, busy, **{"Retry-After": "1"})
            return
        text = reply(body["messages"][-1]["content"])
        parts = [{"type": "text", "text": text[:20]}, {"type": "text", "text": text[20:]}]
        choice = {"index": 0, "message": {"role": "assistant", "content": parts}, "finish_reason": "stop"}
        usage = {"completion_tokens": len(text) // 4 + 1, "prompt_tokens": None}
        model = f"{body['model']}@foreign-7"
        self.say(200, {"object": "chat.completion", "model": model, "choices": [choice], "usage": usage})

    def say(self, status: int, body: object, **headers: str) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(data), 700):
            part = data[at : at + 700]
            self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        pass


def main(port: int) -> None:
    ThreadingHTTPServer.request_queue_size = 100
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
