"""The batch APIs of three providers, as far as files go: what was uploaded comes back as results and errors, out of
order, from simulated respondents who see the requests and nothing else."""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from aiohttp import web

from selfexec.engines import CallResult
from selfexec.engines.sim import Knowledge, respondent
from selfexec.experiments import Message
from selfexec.items import load

Body = dict[str, Any]
Fate = Callable[[int], str | None]  # the number of a request in its file -> what befalls it; None: it is answered


class Sent(NamedTuple):
    """A request as it stands in a file."""

    id: str
    body: Body


def fine(number: int) -> str | None:
    return None


def requests_in(form: str, path: Path) -> list[Sent]:
    """The requests that a provider finds in a file."""
    text = path.read_text("utf-8")
    if form == "anthropic":
        whole = json.loads(text)
        assert whole.keys() == {"requests"}
        return [Sent(one["custom_id"], one["params"]) for one in whole["requests"]]
    lines = [json.loads(line) for line in text.splitlines()]
    if form == "gemini":
        assert all(line.keys() == {"key", "request"} for line in lines)
        return [Sent(line["key"], line["request"]) for line in lines]
    assert all(line["method"] == "POST" and line["url"] == "/v1/chat/completions" for line in lines)
    return [Sent(line["custom_id"], line["body"]) for line in lines]


def prompt_of(form: str, body: Body) -> str:
    """The one message that a request holds."""
    if form == "gemini":
        [content] = body["contents"]
        [part] = content["parts"]
        return str(part["text"])
    [message] = [one for one in body["messages"] if one["role"] != "system"]
    return str(message["content"])


class BatchApi:
    """A provider: `work` takes a file of requests and gives back the lines of results and those of errors."""

    def __init__(self, form: str, name: str = "typical") -> None:
        self.form = form
        self.asked: list[str] = []  # the ids of all requests that were answered, which is what is paid for
        self._who = respondent(name, Knowledge.of(load("starter")))

    def work(self, path: Path, fate: Fate = fine, seed: int = 1) -> tuple[list[str], list[str]]:
        results, errors = [], []
        for number, sent in enumerate(requests_in(self.form, path)):
            befalls = fate(number)
            if befalls is None:
                self.asked.append(sent.id)
            reply = self._who.reply((Message("user", prompt_of(self.form, sent.body)),))
            line = json.dumps(LINES[self.form](sent, reply, befalls), ensure_ascii=False)
            apart = self.form == "openai" and befalls is not None
            (errors if apart else results).append(line)
        random.Random(seed).shuffle(results)
        return results, errors


def _openai(sent: Sent, reply: CallResult, befalls: str | None) -> Body:
    frame: Body = {"id": f"batch_req_{sent.id}", "custom_id": sent.id, "response": None, "error": None}
    if befalls == "expired":
        return frame | {"error": {"code": "batch_expired", "message": "This request could not be executed in time."}}
    if befalls == "cancelled":
        return frame | {"error": {"code": "batch_cancelled", "message": "This batch was cancelled."}}
    if befalls == "failed":
        error = {"error": {"message": "The server had an error.", "type": "server_error"}}
        return frame | {"response": {"status_code": 500, "request_id": "r", "body": error}}
    if befalls == "policy":
        error = {"error": {"message": "Your request was rejected.", "code": "content_policy_violation"}}
        return frame | {"response": {"status_code": 400, "request_id": "r", "body": error}}
    message: Body = {"role": "assistant", "content": reply.text}
    finish = "stop"
    if befalls == "refusal":
        message = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    elif befalls == "filtered":
        message, finish = {"role": "assistant", "content": ""}, "content_filter"
    elif befalls == "truncated":
        message, finish = {"role": "assistant", "content": "Let me th"}, "length"
    usage = {"prompt_tokens": 11, "completion_tokens": reply.output_tokens}
    usage |= {"completion_tokens_details": {"reasoning_tokens": 2}} if befalls == "thinks" else {}
    body = {
        "id": f"chatcmpl-{sent.id}",
        "model": sent.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }
    return frame | {"response": {"status_code": 200, "request_id": "r", "body": body}}


def _anthropic(sent: Sent, reply: CallResult, befalls: str | None) -> Body:
    if befalls in ("expired", "cancelled"):
        result: Body = {"type": "canceled" if befalls == "cancelled" else "expired"}
    elif befalls == "failed":
        error = {"type": "api_error", "message": "Internal server error"}
        result = {"type": "errored", "error": {"type": "error", "error": error}}
    elif befalls == "policy":
        error = {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}
        result = {"type": "errored", "error": {"type": "error", "error": error}}
    else:
        said = {"refusal": ("", "refusal"), "truncated": ("Let me th", "max_tokens")}
        text, stop = said.get(befalls or "", (reply.text, "end_turn"))
        usage = {"input_tokens": 11, "output_tokens": reply.output_tokens}
        content = [{"type": "text", "text": text}] if text else []
        message = {"id": f"msg_{sent.id}", "type": "message", "role": "assistant", "model": sent.body["model"]}
        message |= {"content": content, "stop_reason": stop, "usage": usage}
        result = {"type": "succeeded", "message": message}
    return {"custom_id": sent.id, "result": result}


def _gemini(sent: Sent, reply: CallResult, befalls: str | None) -> Body:
    gone = {"expired": (4, "Deadline expired"), "cancelled": (1, "Cancelled"), "failed": (13, "Internal error")}
    if befalls in gone:
        code, message = gone[befalls]
        return {"key": sent.id, "error": {"code": code, "message": message}}
    if befalls == "policy":
        return {"key": sent.id, "response": {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}}
    text, finish = {"refusal": ("", "SAFETY"), "truncated": ("Let me th", "MAX_TOKENS")}.get(
        befalls or "", (reply.text, "STOP")
    )
    counts = {"promptTokenCount": 11, "candidatesTokenCount": reply.output_tokens}
    counts |= {"thoughtsTokenCount": 2} if befalls == "thinks" else {}
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": finish}
    return {"key": sent.id, "response": {"candidates": [candidate], "usageMetadata": counts, "responseId": sent.id}}


LINES: Mapping[str, Callable[[Sent, CallResult, str | None], Body]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
}


# --- the same behind addresses, as far as the commands of docs/batch.md go --------------------------------------------


class BatchServer:
    """The three APIs on one server. A batch has ended as soon as it is begun; of the first, some requests expired."""

    def __init__(self, folder: Path) -> None:
        self.apis = {form: BatchApi(form) for form in LINES}
        self._folder = folder
        self._files: dict[str, str] = {}
        self._batches = 0

    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 2**20)
        routes = app.router
        routes.add_post("/v1/files", self._upload)
        routes.add_post("/v1/batches", self._begin_openais)
        routes.add_get("/v1/files/{id}/content", self._content)
        routes.add_get("/v1/batches/{id}", self._openais)
        routes.add_post("/v1/messages/batches", self._begin_anthropics)
        routes.add_get("/v1/messages/batches/{id}/results", self._results)
        routes.add_post("/upload/v1beta/files", self._begin_upload)
        routes.add_post("/uploaded", self._uploaded)
        routes.add_post("/v1beta/models/{call}", self._begin_geminis)
        routes.add_get("/v1beta/batches/{id}", self._geminis)
        routes.add_get("/download/v1beta/files/{id}", self._download)
        return app

    def _work(self, form: str, text: str) -> str:
        """Do a batch, and keep what came of it as `ID-results` and `ID-errors`."""
        self._batches += 1
        path = self._folder / f"{form}-{self._batches}"
        path.write_text(text, "utf-8")
        first = not self.apis[form].asked
        lines = self.apis[form].work(path, lambda number: "expired" if first and number % 3 == 0 else None)
        for kind, some in zip(("results", "errors"), lines, strict=True):
            self._files[f"{path.name}-{kind}"] = "".join(f"{line}\n" for line in some)
        return path.name

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        assert isinstance(form["file"], web.FileField)
        id = f"file-{len(self._files)}"
        self._files[id] = form["file"].file.read().decode()
        return web.json_response({"id": id})

    async def _begin_openais(self, request: web.Request) -> web.Response:
        body = await request.json()
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        return web.json_response({"id": self._work("openai", self._files[body["input_file_id"]])})

    async def _openais(self, request: web.Request) -> web.Response:
        id = request.match_info["id"]
        errors = f"{id}-errors" if self._files[f"{id}-errors"] else None
        return web.json_response({"status": "completed", "output_file_id": f"{id}-results", "error_file_id": errors})

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(text=self._files[request.match_info["id"]])

    async def _begin_anthropics(self, request: web.Request) -> web.Response:
        assert request.headers["anthropic-version"] == "2023-06-01"
        return web.json_response({"id": self._work("anthropic", await request.text())})

    async def _results(self, request: web.Request) -> web.Response:
        return web.Response(text=self._files[f"{request.match_info['id']}-results"])

    async def _begin_upload(self, request: web.Request) -> web.Response:
        assert request.headers["X-Goog-Upload-Command"] == "start"
        return web.Response(headers={"X-Goog-Upload-URL": str(request.url.with_path("/uploaded"))})

    async def _uploaded(self, request: web.Request) -> web.Response:
        assert request.headers["X-Goog-Upload-Command"] == "upload, finalize"
        id = f"files/{len(self._files)}"
        self._files[id] = await request.text()
        return web.json_response({"file": {"name": id}})

    async def _begin_geminis(self, request: web.Request) -> web.Response:
        assert request.match_info["call"] == "typical:batchGenerateContent"
        asked = (await request.json())["batch"]["input_config"]["file_name"]
        return web.json_response({"name": f"batches/{self._work('gemini', self._files[asked])}"})

    async def _geminis(self, request: web.Request) -> web.Response:
        response = {"responsesFile": f"files/{request.match_info['id']}-results"}
        return web.json_response({"metadata": {"state": "BATCH_STATE_SUCCEEDED"}, "done": True, "response": response})

    async def _download(self, request: web.Request) -> web.Response:
        id, _, call = request.match_info["id"].partition(":")
        assert call == "download"
        return web.Response(text=self._files[id])
