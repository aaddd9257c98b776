"""Inspect's model layer with a stand-in for the package: how often a session is asked again, what ends a run, how a
model is opened, and what counts as a reply.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfexec.engines import Call, CallResult, Connection
from selfexec.errors import InputError, NoApiKey
from selfexec.experiments import Message
from selfexec.extensions.inspect.engine import OPENED, InspectEngine, asking
from selfexec.extensions.inspect.engine.asking import Final, asked, is_limit, provider_of, what_it_is
from selfexec.extensions.inspect.engine.results import NoCompletion, result_of
from selfexec.text.redaction import HIDDEN
from sockets import call


class APIStatusError(Exception):
    def __init__(self, status: int, body: Any = None, said: str = "it says so") -> None:
        super().__init__(said)
        self.status_code, self.body = status, body


class ModelGenerateError(RuntimeError):
    """As Inspect calls what it wraps a provider's error into."""


class LimitExceededError(Exception):
    """As Inspect calls the end of a sample."""


def output(content: Any = "A", stop: str = "stop", usage: Any = (3, 5), **more: Any) -> SimpleNamespace:
    """As Inspect's ModelOutput: `usage` in and out, None where nobody was billed."""
    counted = usage and SimpleNamespace(input_tokens=usage[0], output_tokens=usage[1])
    choice = SimpleNamespace(message=SimpleNamespace(content=content), stop_reason=stop)
    plain = {"model": "m-1", "error": None, "metadata": None, "choices": [choice], "usage": counted}
    return SimpleNamespace(**{**plain, **more})


def part(type: str, text: str | None, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(type=type, **({"reasoning": text} if type == "reasoning" else {"text": text}), **more)


class Scripted:
    """A model that says, or raises, one thing after the other. Its SDK asks again by itself, unless told not to."""

    def __init__(self, *script: Any) -> None:
        self.script, self.asked = list(script), list[Any]()
        self.closed = False
        self.api = SimpleNamespace(
            client=SimpleNamespace(max_retries=2), api_key="abcd", should_retry=lambda fault: "again" in str(fault)
        )

    def __str__(self) -> str:
        return "openai/x"

    async def generate(self, messages: Any, *, config: Any, cache: bool) -> Any:
        self.asked.append((messages, config, cache, self.api.client.max_retries))
        self.api.client.max_retries = 2  # a client that was made anew
        now = self.script.pop(0)
        if isinstance(now, Exception):
            raise now
        return now


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What is used of Inspect: it hands back what it is given. `open` makes a model of a name."""
    given = SimpleNamespace(
        ChatMessageUser=lambda content: ("user", content),
        ChatMessageAssistant=lambda content: ("assistant", content),
        GenerateConfig=dict,
        open=lambda name: Scripted(output()),
        opened=[],
    )

    def get_model(name: str, config: Any, memoize: bool) -> Any:
        given.opened.append((name, config, memoize))
        return given.open(name)

    given.get_model = get_model
    monkeypatch.setitem(sys.modules, "inspect_ai", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "inspect_ai.model", given)
    return given


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch, package: SimpleNamespace) -> list[float]:
    """The pauses that were made, none of which takes time: before the n-th further attempt it is n * 100."""
    made: list[float] = []

    async def sleep(seconds: float) -> None:
        made.append(seconds)

    monkeypatch.setattr(asking, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(asking, "pause", lambda attempt: attempt * 100.0)
    return made


def reply(model: Scripted, known: bool = False) -> CallResult:
    """What is made of a session. `known`: the model has replied before."""
    return asyncio.run(asked(model, call("inspect/openai/x"), {}, {"openai/x"} if known else set()))


# --- asked again -----------------------------------------------------------------------------------------------------


def test_a_session_goes_to_inspect_message_by_message_and_nobody_else_asks_again(pauses: list[float]) -> None:
    model, answered = Scripted(APIStatusError(503), output("A")), set[str]()
    config = {"temperature": 0.5, "max_retries": 9}
    session = Call(call("x").key, (Message("user", "Q"), Message("assistant", "I"), Message("user", "Go on")))
    found = asyncio.run(asked(model, session, config, answered))
    sent = [("user", "Q"), ("assistant", "I"), ("user", "Go on")]
    assert model.asked == [(sent, {"temperature": 0.5, "max_retries": 0}, False, 0)] * 2
    assert (found.text, found.attempt, found.retry_causes) == ("A", 2, ("server error",))
    assert answered == {"openai/x"} and pauses == [100]


def test_a_reply_at_the_first_attempt_counts_no_attempts(pauses: list[float]) -> None:
    found = reply(Scripted(output("A")))
    assert (found.text, found.attempt, found.retry_causes, pauses) == ("A", None, (), [])


@pytest.mark.parametrize(("known", "attempts"), [(False, 3), (True, 8)])
def test_a_failure_that_may_pass_is_tried_three_times_and_eight_once_the_model_has_replied(
    known: bool, attempts: int, pauses: list[float]
) -> None:
    model = Scripted(*[APIStatusError(429)] * 9)
    found = reply(model, known)
    assert len(model.asked) == attempts
    assert pauses == [100.0 * n for n in range(1, attempts)]  # one between each two
    assert (found.text, found.error) == (None, f"status 429: it says so ({attempts} attempts)")
    assert (found.attempt, found.retry_causes) == (attempts, ("rate limit",) * (attempts - 1))


def test_a_failure_that_will_not_pass_is_not_tried_again(pauses: list[float]) -> None:
    assert reply(Scripted(TypeError("a bug"))).error == "TypeError: a bug"
    assert reply(Scripted(APIStatusError(400))).error == "status 400: it says so"
    found = reply(Scripted(APIStatusError(500), APIStatusError(400)))
    assert (found.error, found.attempt) == ("status 400: it says so (2 attempts)", 2)


def test_an_account_that_is_refused_before_any_reply_ends_it_at_once(pauses: list[float]) -> None:
    fault = APIStatusError(401)
    with pytest.raises(Final, match=r"^openai/x: status 401: it says so$") as ended:
        reply(Scripted(fault))
    assert ended.value.fault is fault and pauses == []


def test_an_account_that_was_good_is_refused_three_times_before_it_ends(pauses: list[float]) -> None:
    model = Scripted(*[APIStatusError(401)] * 4)
    with pytest.raises(Final):
        reply(model, known=True)
    assert len(model.asked) == 3 and pauses == [2.0, 6.0]
    found = reply(Scripted(APIStatusError(401), APIStatusError(401), output("A")), known=True)
    assert (found.text, found.attempt, found.retry_causes) == ("A", 3, ("status 401", "status 401"))


def test_a_content_policy_is_behaviour_also_after_an_attempt_that_failed(pauses: list[float]) -> None:
    flagged = APIStatusError(400, {"code": "content_policy_violation", "message": "It was flagged."})
    found = reply(Scripted(APIStatusError(500), flagged))
    assert (found.text, found.stop_reason, found.error) == ("", "content_filter", None)
    assert found.policy == "status 400: It was flagged."
    assert (found.attempt, found.retry_causes) == (2, ("server error",))


def test_a_limit_of_inspects_is_left_to_inspect(pauses: list[float]) -> None:
    with pytest.raises(LimitExceededError):
        reply(Scripted(LimitExceededError("time")))
    assert not is_limit(TimeoutError())


def test_an_empty_reply_is_asked_for_once_more_and_then_kept(pauses: list[float]) -> None:
    model = Scripted(output(""), output(""), output("never"))
    found = reply(model)
    assert (found.text, found.attempt, found.retry_causes, pauses) == ("", 2, ("empty reply",), [])
    # whoever was silent has replied: from then on it is waited for as long as for others
    assert len(reply(Scripted(output(""), *[APIStatusError(500)] * 9)).retry_causes) == 7


@pytest.mark.parametrize(
    "said",
    [
        output("", "max_tokens"),
        output("", "content_filter"),
        output([part("text", "No.", refusal=True)]),
        output("too long", "model_length", usage=None),  # an error, which is no reply
    ],
)
def test_what_has_a_reason_to_be_empty_is_kept_at_once(said: Any, pauses: list[float]) -> None:
    model = Scripted(said, output("never"))
    assert reply(model).attempt is None and len(model.asked) == 1


# --- what an exception says ------------------------------------------------------------------------------------------


def caused(by: Exception, **fields: Any) -> Exception:
    """What Inspect makes of a provider's error."""
    fault = ModelGenerateError("Request: {the whole prompt}")
    fault.__cause__ = by
    for name, value in fields.items():
        setattr(fault, name, value)
    return fault


def with_fields(fault: Exception, **fields: Any) -> Exception:
    for name, value in fields.items():
        setattr(fault, name, value)
    return fault


def last_of(last: Exception | None) -> Exception:
    """What a library for trying again makes of the last attempt."""
    return with_fields(RuntimeError("gave up"), last_attempt=SimpleNamespace(exception=lambda: last))


@pytest.mark.parametrize(
    ("fault", "kind", "cause", "said"),
    [
        # the provider's own error goes before what it was wrapped into, also for its status
        (caused(APIStatusError(429), status_code=400), "passing", "rate limit", "status 429: it says so"),
        (caused(ConnectionError("gone"), status_code=400), "request", "status 400", "status 400: gone"),
        (caused(type("ReadTimeout", (Exception,), {})("slow")), "passing", "timeout", "timeout: slow"),
        # a cause of any other error is another matter
        (
            with_fields(APIStatusError(400), __cause__=APIStatusError(429)),
            "request",
            "status 400",
            "status 400: it says so",
        ),
        (last_of(APIStatusError(503)), "passing", "server error", "status 503: it says so"),
        (last_of(None), "unknown", "no connection", "RuntimeError: gave up"),
        (NoCompletion("no choices"), "passing", "no completion", "no choices"),
        (TimeoutError(), "passing", "timeout", "timeout: TimeoutError"),
        (APIStatusError(418), "request", "status 418", "status 418: it says so"),
        (APIStatusError(500), "passing", "server error", "status 500: it says so"),
        (
            APIStatusError(402),
            "account",
            "refused",
            "status 402: the account is out of credit, or its quota is spent. it says so",
        ),
        # the error in a body, or the whole body where it is the error
        (APIStatusError(400, {"error": {"code": "content_filter"}}), "policy", "policy", "status 400: content_filter"),
        (APIStatusError(400, {"code": "content_filter"}), "policy", "policy", "status 400: content_filter"),
        (
            with_fields(APIStatusError(400), message="Content Exists Risk"),
            "policy",
            "policy",
            "status 400: Content Exists Risk",
        ),
    ],
)
def test_an_error_is_told_by_the_first_who_knows(fault: Exception, kind: str, cause: str, said: str) -> None:
    assert what_it_is(Scripted(), fault) == (kind, cause, said)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"status_code": 100}, 100),
        ({"status_code": 599}, 599),
        ({"status_code": 99}, None),
        ({"status_code": 600}, None),
        ({"status_code": "429"}, None),
        ({"status_code": True}, None),
        ({"code": 429}, 429),
        ({"code": 8, "response": SimpleNamespace(status=503)}, 503),
        ({"status_code": 404, "code": 500}, 404),
    ],
)
def test_a_status_is_found_by_any_of_its_names(fields: dict[str, Any], status: int | None) -> None:
    said = what_it_is(Scripted(), with_fields(ValueError("no"), **fields)).said
    assert said == (f"status {status}: no" if status else "ValueError: no")


def test_where_a_provider_cannot_say_whether_it_will_pass_it_is_not_tried_again() -> None:
    model = Scripted()
    assert what_it_is(model, RuntimeError("try again")).kind == "passing"
    model.api.should_retry = lambda fault: fault.no_such_field
    assert what_it_is(model, RuntimeError("try again")).kind == "unknown"


def test_a_key_is_not_shown_and_a_word_of_three_letters_is_no_key() -> None:
    model = Scripted()
    assert what_it_is(model, ValueError("key abcd")).said == f"ValueError: key {HIDDEN}"
    model.api.api_key = "key"
    assert what_it_is(model, ValueError("key abcd")).said == "ValueError: key abcd"
    model.api.api_key = None
    assert what_it_is(model, ValueError("sk-1234 sk-123")).said == f"ValueError: {HIDDEN} sk-123"


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("anthropic/claude-x", "anthropic"),
        ("bedrock/anthropic.claude-x", "anthropic"),
        ("vertex/anthropic/claude-x", "anthropic"),
        ("openai/gpt-x", "openai"),
        ("mine/not-anthropic", "mine"),
    ],
)
def test_whose_model_it_is_stands_in_its_name(name: str, provider: str) -> None:
    assert provider_of(name) == provider


# --- what counts as a reply ------------------------------------------------------------------------------------------


def test_what_ended_nobody_says_why_is_no_reply_and_is_kept_apart() -> None:
    thoughts = [part("reasoning", "Hm."), part("reasoning", None), part("reasoning", "x", redacted=True)]
    found = result_of(output([*thoughts, part("reasoning", "So.")], "unknown"))
    assert (found.text, found.reasoning, found.unknown_end, found.unknown_end_text) == (
        None,
        "Hm.\n\nSo.",
        "unknown",
        None,
    )
    assert result_of(output([*thoughts, part("reasoning", "So.")], "stop")).text == ""
    assert result_of(output("A", "unknown")).unknown_end_text == "A"
    assert result_of(output([part("text", "No.", refusal=True)], "unknown")).unknown_end_text == "No."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (output(choices=[]), "no choices"),
        (output(choices=[], error="it failed"), "it failed"),
        (output("", "unknown"), "no text, and no reason why it ended"),
        (output("", "unknown", error="it failed"), "it failed"),
    ],
)
def test_no_reply_says_what_the_server_said(given: Any, said: str) -> None:
    with pytest.raises(NoCompletion, match=f"^{said}$"):
        result_of(given)


def test_an_error_in_the_form_of_a_reply_is_one_also_without_words() -> None:
    filtered = result_of(output("", "content_filter", usage=None))
    assert (filtered.text, filtered.policy, filtered.served_model) == ("", "content filter", "m-1")
    assert result_of(output("", "model_length", usage=None)).error == "the prompt is too long"
    assert result_of(output("its", "model_length", usage=None, error="theirs")).error == "theirs"


def test_a_filter_with_other_details_is_no_refusal_of_the_model() -> None:
    given = output("", "content_filter")
    given.choices[0].stop_details = SimpleNamespace(type="other")
    assert result_of(given).stop_reason == "content_filter"
    assert result_of(given, "anthropic").stop_reason == "refusal"


def test_what_was_not_counted_is_not_known_and_what_was_is_added_up() -> None:
    nothing = result_of(output("A", usage=None, model=""))
    assert (nothing.text, nothing.input_tokens, nothing.output_tokens, nothing.cost_usd) == ("A", None, None, None)
    assert (nothing.served_model, nothing.completion_id, nothing.simulated) == (None, None, False)
    given = output("A", metadata={"simulated": True})
    given.usage.input_tokens_cache_read, given.usage.input_tokens_cache_write = 10, 200
    given.usage.total_cost = 0.25
    found = result_of(given)
    assert (found.input_tokens, found.cost_usd, found.simulated) == (213, 0.25, True)
    given.usage.input_tokens = None
    assert result_of(given).input_tokens is None


# --- how models are opened -------------------------------------------------------------------------------------------


@pytest.fixture
def engine(package: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., InspectEngine]:
    """An engine of some models, in a folder without .env."""
    monkeypatch.chdir(tmp_path)
    items: Any = "the items"
    return lambda *models, **connection: InspectEngine(models, items, Connection(**connection))


def test_a_model_is_opened_by_inspects_name_and_waits_whole_seconds(
    package: SimpleNamespace, engine: Callable[..., InspectEngine]
) -> None:
    engine("inspect/openai/x", "inspect/vertex/a/b", max_connections=7, timeout=2.2)
    config = {"max_connections": 7, "attempt_timeout": 3, "max_retries": 0}
    assert package.opened == [("openai/x", config, False), ("vertex/a/b", config, False)]


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"api_key_env": "MINE"}, "--api-key-env"),
        ({"headers": {"a": "b"}}, "--header"),
        ({"wire": "responses"}, "--wire"),
        ({"stream": True}, "--stream"),
    ],
)
def test_what_inspect_finds_by_itself_is_refused_by_its_option(
    given: dict[str, Any], option: str, engine: Callable[..., InspectEngine]
) -> None:
    with pytest.raises(InputError) as refused:
        engine("inspect/openai/x", **given)
    assert refused.value.typed.startswith(f"{option}: Inspect finds keys, headers and formats by itself.")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("set the environment variable X", NoApiKey),
        ("X_API_KEY is not set", NoApiKey),
        ("[bold]x[/bold]\n  is [blue]unknown[/blue]", InputError),
    ],
)
def test_a_model_that_cannot_be_opened_is_refused_in_inspects_words_and_a_missing_key_is_told_apart(
    said: str, kind: type[InputError], package: SimpleNamespace, engine: Callable[..., InspectEngine]
) -> None:
    def refused(name: str) -> Any:
        raise ValueError(said)

    package.open = refused
    with pytest.raises(InputError, match=r"^model 'inspect/openai/x': Inspect cannot open it\. It says: ") as told:
        engine("inspect/openai/x")
    assert type(told.value) is kind
    assert "\n" not in str(told.value) and "[" not in str(told.value)
    with pytest.raises(InputError, match=r"^model 'inspect/x': write it as inspect/PROVIDER/MODEL"):
        engine("inspect/x")


def test_keys_in_a_file_are_read_where_there_is_one(
    engine: Callable[..., InspectEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    dotenv = SimpleNamespace(load_dotenv=lambda place, encoding: read.append(place))
    monkeypatch.setitem(sys.modules, "dotenv", dotenv)
    engine("inspect/openai/x")
    assert read == []
    Path(".env").write_text("X=y")
    engine("inspect/openai/x")
    assert read == [".env"]


def test_an_address_is_known_where_a_provider_says_one_and_shows_no_password(
    package: SimpleNamespace, engine: Callable[..., InspectEngine]
) -> None:
    addresses = {
        "a": "https://me:secret@host:8/v1?key=1",
        "b": "http://host",
        "c": "host/v1",  # nothing that could be asked
        "d": None,
    }

    def opened(name: str) -> Scripted:
        model = Scripted()
        model.api.base_url = addresses[name.partition("/")[2]]
        return model

    package.open = opened
    found = engine(*(f"inspect/openai/{name}" for name in addresses)).addresses
    assert found == {"inspect/openai/a": "https://host:8/v1", "inspect/openai/b": "http://host"}


def test_a_session_is_known_to_our_models_while_it_is_open_and_all_models_are_closed_in_the_end(
    package: SimpleNamespace, engine: Callable[..., InspectEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    transcripts: list[str] = []
    inner = SimpleNamespace(Transcript=lambda: "new", init_transcript=transcripts.append)
    monkeypatch.setitem(sys.modules, "inspect_ai.log._transcript", inner)
    seen: list[Any] = []
    closed: list[str] = []

    def opened(name: str) -> Scripted:
        async def close() -> None:
            closed.append(name)
            raise RuntimeError("it cannot be closed")

        async def generate(messages: Any, *, config: Any, cache: bool) -> Any:
            seen.append((OPENED.get(), config))
            return output(name)

        model = Scripted()
        model.api.aclose = close
        model.generate = generate  # type: ignore[method-assign]
        return model

    package.open = opened
    session = Call(call("inspect/openai/y").key, (Message("user", "Q"),), {"stop": "END"})

    async def ask() -> CallResult:
        async with engine("inspect/openai/x", "inspect/openai/y") as there:
            found = await there.ask(session)
            assert OPENED.get() is None
            return found

    assert asyncio.run(ask()).text == "openai/y"
    assert seen == [((session, "the items"), {"stop_seqs": ["END"], "max_retries": 0})]
    assert transcripts == ["new"] and closed == ["openai/x", "openai/y"]
