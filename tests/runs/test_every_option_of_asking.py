"""Whatever is declared as a field of `Sampling` or `Connection` reaches the engine, from wherever it is given; where it
does not apply, it is refused by name. The options are those that the classes declare, so that a new one is tried, too.
"""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from click.testing import CliRunner

import selfexec as sx
from extension_parts import here, needs
from selfexec.cli import root
from selfexec.engines import FREE, Call, CallResult, Connection, Sampling, field_options, refuse_unsent
from selfexec.engines.base import EngineType
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires import WIRES
from selfexec.engines.registry import ENGINES
from selfexec.errors import InputError
from selfexec.experiments import Message
from selfexec.options import Declared, declared
from selfexec.runs import load_manifest
from selfexec.text.redaction import HIDDEN

URL = "http://localhost:9/v1"
MODEL, OTHER = "vllm/mine", "vllm/other"
LITTLE: Mapping[str, Any] = {"experiments": "restriction", "limit": 1}
OF_SAMPLING = list(declared(Sampling))
OF_CONNECTION = list(declared(Connection))
ALL = [*OF_SAMPLING, *OF_CONNECTION]


def named(options: Sequence[Declared]) -> Any:
    return pytest.mark.parametrize("option", options, ids=lambda option: option.name)


def sample(option: Declared) -> Any:
    """A value that the option has not by default."""
    by_form: dict[str, Any] = {
        "settings": {"temperature": 0.5},
        "object": {"sample_field": 1},
        "pairs": {"X-Sample": "sample"},
        "names": ["sample"],
        "repeated": ["sample"],
    }
    if option.option.form in by_form:
        return by_form[option.option.form]
    if option.choices:
        return option.choices[-1]
    if option.is_switch:
        return not option.default
    if option.kind in (int, float):
        return option.kind((option.default or option.option.least or 0) + 1)
    assert option.kind is str, f"{option.name}: say here which value to try for an option of its kind"
    return URL  # a text that is an address, too, where one is wanted


def typed(option: Declared) -> list[str]:
    """The option with its sample, as on the command line."""
    value = sample(option)
    if option.option.form == "object":
        return [option.flag, json.dumps(value)]
    if isinstance(value, Mapping):
        return [word for name, part in value.items() for word in (option.flag, f"{name}={part}")]
    if isinstance(value, list):
        return [word for part in value for word in (option.flag, part)]
    return [option.flag] if value is True else [option.flag, str(value)]


def in_a_file(option: Declared) -> dict[str, Any]:
    """The same in a study file, where what headers hold stands in variables."""
    return {option.name: {"X-Sample": "$SAMPLE"} if option.name == "headers" else sample(option)}


def wire_for(option: Declared) -> dict[str, Any]:
    """The wire format to ask in: one that sends the option, where it is not one of all."""
    if option.name not in field_options():
        return {}
    sending = [name for name, wire in WIRES.items() if option.body_field in wire.sends]
    assert sending, f"{option.flag}: no wire format sends the field {option.body_field!r}: add it to its `sends`"
    return {} if "openai" in sending else {"wire": sending[0], "base_url": URL}


@dataclass
class Asked:
    """What engines were opened with and asked."""

    calls: list[tuple[Connection, Call]] = field(default_factory=list)

    def arrived(self, option: Declared, model: str = MODEL) -> bool:
        """Whether a model was asked, and in every call with the option's sample. What was asked is forgotten."""
        calls = [(connection, call) for connection, call in self.calls if call.model == model]
        self.calls.clear()
        assert calls
        value = sample(option)
        if option in OF_CONNECTION:
            return all(getattr(connection, option.name) == value for connection, _ in calls)
        sent = value if option.name in FREE else {option.body_field: value}
        return all(sent.items() <= dict(call.sampling).items() for _, call in calls)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Everybody who is asked over HTTP answers A and a number, and nothing is sent anywhere."""
    noted = Asked()

    class Answering:
        def __init__(self, models: Sequence[str], connection: Connection) -> None:
            self.warnings: list[str] = []
            self.addresses: dict[str, str] = {}
            self._connection = connection

        async def __aenter__(self) -> "Answering":
            return self

        async def __aexit__(self, *failure: object) -> None:
            return None

        async def ask(self, call: Call) -> CallResult:
            noted.calls.append((self._connection, call))
            return CallResult(f"My answer: A {len(noted.calls)}", output_tokens=1, stop_reason="stop")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAMPLE", "sample")
    monkeypatch.setattr("selfexec.engines.http.client.HttpEngine", Answering)
    return noted


def selfexec(*words: str) -> str:
    done = CliRunner().invoke(root, words)
    assert done.exit_code in (0, 3), f"{shlex.join(words)}\n{done.output}"  # 3: some are missing, as --max-calls has it
    return done.output


def wire_words(option: Declared) -> list[str]:
    return [word for name, value in wire_for(option).items() for word in (f"--{name.replace('_', '-')}", value)]


@named(ALL)
def test_an_option_of_the_command_line_reaches_the_engine(option: Declared, asked: Asked) -> None:
    little = ("--experiment", "restriction", "--limit", "1", *wire_words(option))
    selfexec("run", "--model", MODEL, *typed(option), *little, "--out", "run")
    assert asked.arrived(option)


@named(ALL)
def test_an_option_in_python_reaches_the_engine(option: Declared, asked: Asked) -> None:
    given = {option.name: sample(option), **wire_for(option)}
    sx.run(MODEL, out="run", **LITTLE, **given)
    assert asked.arrived(option)
    if here("judging"):
        sx.judge("run", MODEL, **given)
        assert asked.arrived(option)
    if option.name != "patience":  # a check waits for no server
        sx.check(MODEL, **given)
        assert asked.arrived(option)


# --- study files -----------------------------------------------------------------------------------------------------


def study(content: Mapping[str, Any], **more: Any) -> Path:
    path = Path("study.toml")
    path.write_text(tomli_w.dumps({"out": "run", **LITTLE, **content, **more}), "utf-8")
    return path


@needs("study")
@named(ALL)
def test_an_option_at_the_top_of_a_study_file_reaches_the_engine_for_all_models(option: Declared, asked: Asked) -> None:
    path = study({**in_a_file(option), **wire_for(option), "models": [MODEL, OTHER]})
    sx.load_study(path).run()
    calls = list(asked.calls)
    assert asked.arrived(option)
    asked.calls[:] = calls
    assert asked.arrived(option, OTHER)


@needs("study")
@named(ALL)
def test_an_option_of_one_model_of_a_study_file_reaches_the_engine_for_that_model_alone(
    option: Declared, asked: Asked
) -> None:
    own = {"model": MODEL, **in_a_file(option), **wire_for(option)}
    sx.load_study(study({"models": [own, {"model": OTHER}]})).run()
    calls = list(asked.calls)
    assert asked.arrived(option)
    asked.calls[:] = calls
    assert not asked.arrived(option, OTHER)


@needs("study")
@named(ALL)
def test_a_run_of_a_study_goes_on_with_the_options_of_its_file(option: Declared, asked: Asked) -> None:
    own = {"model": MODEL, **in_a_file(option), **wire_for(option)}
    sx.load_study(study({"models": [own]}, max_calls=1)).run()
    assert asked.arrived(option)
    sx.run(out="run")
    assert asked.arrived(option)


def may_be_a_secret(option: Declared) -> bool:
    """Whether a run does not keep the value: of an address it keeps what is none, and of what is sent everything."""
    return option in OF_CONNECTION and not option.is_stored and option.name != "base_url"


# --- going on --------------------------------------------------------------------------------------------------------


@named(ALL)
def test_a_run_goes_on_with_the_options_that_it_was_begun_with(option: Declared, asked: Asked) -> None:
    given = {option.name: sample(option)}
    sx.run(MODEL, out="run", max_calls=1, **LITTLE, **given, **wire_for(option))
    assert asked.arrived(option)
    if may_be_a_secret(option):
        with pytest.raises(InputError) as refusal:
            sx.run(out="run", max_calls=1)
        assert option.flag in refusal.value.typed
        assert asked.calls == []
    sx.run(out="run", max_calls=1, **(given if may_be_a_secret(option) else {}))
    assert asked.arrived(option)


@named([option for option in OF_CONNECTION if option.default and not option.is_switch])
def test_an_option_that_is_given_now_comes_before_that_of_the_run_even_where_it_is_the_default(
    option: Declared, asked: Asked
) -> None:
    sx.run(MODEL, out="run", experiments="restriction", limit=6, max_calls=3, **{option.name: sample(option)})
    assert asked.arrived(option)
    typed_default = (option.flag, str(option.default))
    for words, value in (
        (typed_default, option.default),
        ((), option.default),  # as it was last
        (typed(option), sample(option)),
        ((), sample(option)),
    ):
        asked.calls.clear()
        selfexec("run", "--out", "run", "--max-calls", "3", *words)
        assert {getattr(connection, option.name) for connection, _ in asked.calls} == {value}
    asked.calls.clear()
    sx.run(out="run", **{option.name: option.default})
    assert {getattr(connection, option.name) for connection, _ in asked.calls} == {option.default}


@named(OF_SAMPLING)
def test_a_run_does_not_go_on_without_what_it_was_begun_with(option: Declared, asked: Asked) -> None:
    value = sample(option)
    sx.run(MODEL, out="run", max_calls=1, **LITTLE, **{option.name: value}, **wire_for(option))
    [kept] = load_manifest(Path("run")).settings
    assert kept in {option.name, *(value if isinstance(value, dict) else ()), "extra_body.sample_field"}
    with pytest.raises(InputError, match=rf"the setting {kept} was .* is not set now"):
        sx.run(MODEL, out="run", **LITTLE, **wire_for(option))
    assert len(asked.calls) == 1


@named(OF_CONNECTION)
def test_how_a_run_was_reached_is_kept_as_far_as_it_may_be_and_not_where_all_is_as_by_default(
    option: Declared, asked: Asked
) -> None:
    sx.run(MODEL, out="plain", **LITTLE)
    assert "reached" in json.loads(Path("plain/manifest.json").read_text())
    assert load_manifest(Path("plain")).reached == {}
    sx.run(MODEL, out="run", **LITTLE, **{option.name: sample(option)})
    way = load_manifest(Path("run")).reached[MODEL]
    kept = {**{name: getattr(way, name) for name in way.__struct_fields__ if name != "options"}, **way.options}
    if option.name == "base_url":
        assert kept["base_url"] == [sample(option)]
    elif option.name == "headers":
        assert kept["headers"] == ["X-Sample"]
    else:
        assert kept[option.name] == (HIDDEN if may_be_a_secret(option) else sample(option))


@needs("batch")
@named(OF_CONNECTION)
def test_what_is_left_of_a_run_can_be_exported_however_its_models_were_reached(option: Declared, asked: Asked) -> None:
    from selfexec.extensions.batch.forms import FORMS

    wire = sample(option) if option.name == "wire" else "openai"
    given = {"base_url": URL, option.name: sample(option)}  # a provider's own address speaks its own format
    sx.run(MODEL, out="run", max_calls=1, **LITTLE, **given)
    [form] = [name for name, form in FORMS.items() if wire in form.wires]
    assert sx.export_batch(to=form, out="run").sessions == 1  # what the model says of a request that it was asked


@needs("batch")
@named(OF_SAMPLING)
def test_batch_files_hold_what_is_sent_with_a_run_that_is_exported_or_gone_on_with(
    option: Declared, asked: Asked
) -> None:
    from selfexec.extensions.batch.forms import FORMS

    wire = wire_for(option)
    [form, *_] = [name for name, form in FORMS.items() if wire.get("wire", "openai") in form.wires]
    given = {option.name: sample(option), **wire}
    sx.run(MODEL, out="run", max_calls=1, **LITTLE, **given)
    with_option = sx.export_batch(to=form, out="run").files[0].path.read_text()
    anew = sx.export_batch(MODEL, to=form, out="new", **LITTLE, **given).files[0].path.read_text()
    for text in (with_option, anew):
        for value in sample(option).values() if isinstance(sample(option), dict) else [sample(option)]:
            assert json.dumps(value, separators=(",", ":")) in text


# --- where an option does not apply ----------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES)
@named(list(field_options().values()))
def test_a_wire_format_sends_an_option_or_it_is_refused_by_name(option: Declared, wire: Any) -> None:
    value = sample(option)
    if option.body_field in WIRES[wire].sends:
        where = Endpoint("mine", URL, wire, "vllm")
        body = WIRES[wire].body(where, (Message("user", "Hello"),), {option.body_field: value})
        assert json.dumps(value) in json.dumps(body)
        refuse_unsent(MODEL, Connection(wire=wire), Sampling(**{option.name: value}))
    else:
        with pytest.raises(InputError) as refusal:
            refuse_unsent(MODEL, Connection(wire=wire), Sampling(**{option.name: value}))
        assert refusal.value.typed.startswith(f"{option.flag}: the wire format {wire!r}")


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda engine: engine.name)
@named(list(field_options().values()))
def test_an_engine_sends_an_option_or_it_is_refused_by_name(option: Declared, engine: EngineType) -> None:
    model = "vllm/mine" if engine.name == "http" else f"{engine.name}/mine"
    connection, sampling = Connection(**wire_for(option)), Sampling(**{option.name: sample(option)})
    if option.body_field in engine.sends(model, connection):
        refuse_unsent(model, connection, sampling)
    else:
        with pytest.raises(InputError, match=rf"^{option.name}: .* has no such field"):
            refuse_unsent(model, connection, sampling)


def test_an_option_that_is_not_sent_is_refused_before_anything_is_asked(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    monkeypatch.setitem(WIRES, "gemini", replace(WIRES["gemini"], sends=frozenset()))  # type: ignore[arg-type]
    asking: list[Callable[[], object]] = [
        lambda: sx.run(MODEL, out="run", system="Be brief.", wire="gemini", **LITTLE),
        lambda: sx.check(MODEL, system="Be brief.", wire="gemini"),
    ]
    if here("batch"):
        asking.append(
            lambda: sx.export_batch(MODEL, to="gemini", out="run", system="Be brief.", wire="gemini", **LITTLE)
        )
    for ask in asking:
        with pytest.raises(InputError, match=r"^system: the wire format 'gemini'"):
            ask()
    assert asked.calls == [] and not Path("run").exists()
    if here("judging"):
        sx.run(MODEL, out="run", **LITTLE)
        asked.calls.clear()
        with pytest.raises(InputError, match=r"^system: the wire format 'gemini'"):
            sx.judge("run", MODEL, system="Be brief.", wire="gemini")
        assert asked.calls == []


def settings_that_send(option: Declared) -> Iterator[dict[str, Any]]:
    for name in (option.body_field, f"execute.{option.body_field}"):
        yield {"settings": {name: "another"}}
    yield {"extra_body": {option.body_field: "another"}}


@named(list(field_options().values()))
def test_a_field_that_an_option_sends_cannot_be_set_in_another_way_too(option: Declared, asked: Asked) -> None:
    for other in settings_that_send(option):
        with pytest.raises(InputError) as refusal:
            sx.run(MODEL, out="run", **LITTLE, **{option.name: sample(option)}, **other, **wire_for(option))
        where = "--extra-body" if "extra_body" in other else f"--set {next(iter(other['settings']))}"
        assert refusal.value.typed.startswith(where) and option.flag in refusal.value.typed
    assert asked.calls == [] and not Path("run").exists()
