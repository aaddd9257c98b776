"""One session through Inspect: asked again where a failure may pass, and counted as such.

Inspect asks again by itself, and so do the SDKs behind it, and neither leaves a trace with the reply. Both are switched
off: it is asked again here, as often and with the same pauses as over HTTP, and the journal has the reasons.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from selfexec.engines.base import Call, CallResult
from selfexec.engines.http.client import ATTEMPTS, FIRST_ATTEMPTS, REFUSAL_PAUSES, REFUSALS, doubt_about, pause
from selfexec.engines.http.policy import shortened, verdict
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.quota import spent
from selfexec.errors import InputError
from selfexec.extensions.inspect.engine.results import NoCompletion, result_of
from selfexec.extras import to_install
from selfexec.text.redaction import HIDDEN
from selfexec.text.regex import regex

EXTRA = f"Inspect AI is not installed. Install it: {to_install('inspect')}"
ANYWHERE = Endpoint("", "", "openai", "")  # whose errors these are Inspect does not tell
KEYS = regex(r"(sk-|sk_|AIza|gsk_|xai-|hf_|nvapi-)[\w*.-]{4,}")
TIMEOUTS = ("AttemptTimeoutError", "StreamIdleTimeoutError", "TimeoutError", "APITimeoutError", "ReadTimeout")


class Final(InputError):
    """No further call can succeed: key, account, region, model or bill are in the way. Inspect raised `fault`."""

    def __init__(self, said: str, fault: BaseException) -> None:
        super().__init__(said)
        self.fault = fault


class Failure(NamedTuple):
    """What an exception is: `passing` failures are worth another try; `account` ones, once they stay, end it all."""

    kind: str
    cause: str
    said: str


def extra_lacking() -> InputError | None:
    """What to say where Inspect is not installed; None where it is."""
    try:
        import inspect_ai  # noqa: F401
    except ImportError:
        return InputError(EXTRA)
    return None


async def asked(model: Any, call: Call, config: Mapping[str, Any], answered: set[str]) -> CallResult:
    """What came back of a session. `answered` has the models that have replied at all, and gets this one. Raises Final.

    `config` are fields of Inspect's GenerateConfig.
    """
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig

    roles = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
    messages = [roles[message.role](content=message.content) for message in call.messages]
    options = GenerateConfig(**{**config, "max_retries": 0})
    provider = provider_of(str(model))
    causes: list[str] = []
    refusals = 0
    while True:
        _keep_sdk_from_asking_again(model)
        known = str(model) in answered
        try:
            result = result_of(await model.generate(messages, config=options, cache=False), provider)
        except Exception as fault:
            if is_limit(fault):
                raise
            failure = what_it_is(model, fault)
            if failure.kind == "policy":
                result = CallResult("", stop_reason="content_filter", policy=failure.said)
                return _with_causes(result, causes)
            if failure.kind == "account":
                refusals += 1
                if refusals == REFUSALS or not known:
                    raise Final(f"{model}: {failure.said}", fault) from None
                await asyncio.sleep(REFUSAL_PAUSES[refusals - 1])
            elif failure.kind == "passing" and len(causes) + 1 < (ATTEMPTS if known else FIRST_ATTEMPTS):
                await asyncio.sleep(pause(len(causes) + 1))
            else:
                times = f" ({len(causes) + 1} attempts)" if causes else ""
                return _with_causes(CallResult(None, error=f"{failure.said}{times}"), causes)
            causes.append(failure.cause)
            continue
        answered.add(str(model))
        if (doubt := doubt_about(result)) and doubt not in causes:
            causes.append(doubt)
            continue
        return _with_causes(result, causes)


def _with_causes(result: CallResult, causes: list[str]) -> CallResult:
    if not causes:
        return result
    return msgspec.structs.replace(result, attempt=len(causes) + 1, retry_causes=tuple(causes))


def what_it_is(model: Any, fault: BaseException) -> Failure:
    """What an exception out of Inspect says: about this input, the account, the request, or will it pass?"""
    fault = _unwrapped(fault)
    original = fault.__cause__ if type(fault).__name__ == "ModelGenerateError" and fault.__cause__ else fault
    said = _said(model, fault, original)
    if isinstance(fault, NoCompletion):
        return Failure("passing", "no completion", said)
    if any(type(one).__name__ in TIMEOUTS for one in (fault, original)):
        return Failure("passing", "timeout", f"timeout: {said}")
    status = next((n for one in (original, fault) if (n := _status(one)) is not None), None)
    if status is None:
        passing = isinstance(original, OSError) or _would_retry(model, original)
        return Failure("passing" if passing else "unknown", "no connection", f"{type(original).__name__}: {said}")
    body = _body(original)
    if why := spent(status, msgspec.json.encode({"error": body or {}})):
        return Failure("account", "refused", f"status {status}: {why}. {said}")
    found = verdict(ANYWHERE, status, {"error": body})
    if found.kind == "policy":
        return Failure("policy", "policy", f"status {status}: {found.said}")
    return Failure(found.kind, found.cause or f"status {status}", f"status {status}: {said}")


def provider_of(name: str) -> str:
    """`anthropic` of `anthropic/claude-...`, and of `bedrock/anthropic.claude-...` too."""
    first, _, rest = name.partition("/")
    return "anthropic" if "anthropic" in (first, rest.partition(".")[0], rest.partition("/")[0]) else first


def _unwrapped(fault: BaseException) -> BaseException:
    """The last attempt's own exception, where a library for trying again has put it into one of its own."""
    last = getattr(fault, "last_attempt", None)
    return (last.exception() or fault) if last is not None else fault


def is_limit(fault: BaseException) -> bool:
    """Whether a limit of the sample, or of the whole evaluation, was reached: Inspect's affair."""
    return type(fault).__name__ in ("LimitExceededError", "TerminateSampleError", "SampleTimeoutError")


def _status(fault: BaseException) -> int | None:
    """The HTTP status of an error, by the names that SDKs have for it."""
    response = getattr(fault, "response", None)
    for value in (getattr(fault, "status_code", None), getattr(fault, "code", None), getattr(response, "status", None)):
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
            return value
    return None


def _body(fault: BaseException) -> Any:
    """The error in the body of a response, as far as the SDK kept it."""
    body = getattr(fault, "body", None)
    if isinstance(body, dict):
        return body.get("error", body)
    return {"message": str(getattr(fault, "message", None) or fault)}


def _would_retry(model: Any, fault: BaseException) -> bool:
    """Whether the provider's own code takes this for a failure that may pass."""
    try:
        return bool(model.api.should_retry(fault))
    except Exception:
        return False


def _said(model: Any, fault: BaseException, original: BaseException) -> str:
    """In one line, without any key, and without the request, which Inspect puts into some."""
    text = getattr(fault, "provider_message", None) or str(original) or type(original).__name__
    key = getattr(getattr(model, "api", None), "api_key", None)
    if isinstance(key, str) and len(key) > 3:
        text = text.replace(key, HIDDEN)
    return shortened(KEYS.sub(HIDDEN, text))


def _keep_sdk_from_asking_again(model: Any) -> None:
    """The clients of OpenAI and Anthropic ask again by themselves, unless they are told not to."""
    client: Any = getattr(getattr(model, "api", None), "client", None)
    if isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = 0
