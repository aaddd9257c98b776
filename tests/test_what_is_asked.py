"""What is paid for is what was asked: nothing is accepted that would not be sent, or would ask for something else."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfexec.checks import check
from selfexec.cli import main
from selfexec.errors import InputError
from selfexec.plans import plan
from selfexec.runner import run

Said = tuple[int, str, str]  # status, output, errors
Command = Callable[..., Said]


@pytest.fixture
def selfexec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["selfexec", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return command


# --- settings and fields ---------------------------------------------------------------------------------------------

BODY = "--extra-body"
REFUSED: dict[str, tuple[list[str], str]] = {
    "a slip of the pen": (
        ["--set", "excute.temperature=0"],
        "--set excute.temperature: there is no session or experiment 'excute'. There are predict, execute, judge, "
        "association, restriction, difficulty. Is 'execute' meant?",
    ),
    "a session of another experiment": (
        ["--set", "association.judge.temperature=0"],
        "--set association.judge.temperature: association has no session 'judge'. There are predict, execute.",
    ),
    "the other way round": (["--set", "execute.restriction.top_p=1"], "comes first, as in restriction.execute.top_p."),
    "one part too many": (["--set", "a.b.c.d=1"], "--set a.b.c.d: too many parts."),
    "an empty part": (["--set", ".temperature=1"], "--set .temperature: a part of the name is empty."),
    "nothing behind the scope": (["--set", "execute.=1"], "--set execute.: a part of the name is empty."),
    "two values": (
        ["--set", "temperature=0", "--set", "temperature=0.5"],
        "--set temperature: given twice, as 0 and as 0.5. Give one of them.",
    ),
    "1 and true": (["--set", "seed=1", "--set", "seed=true"], "--set seed: given twice, as 1 and as true."),
    "a setting that reaches no session": (
        ["--protocol", "paper", "--set", "temperature=0.5"],
        "--set temperature: it would never be sent: association.temperature, restriction.temperature, "
        "difficulty.temperature would be in its place. Drop it.",
    ),
    "another model as a setting": (["--set", "execute.model=x"], "--set execute.model: the field 'model' is not free."),
    "twice in two places": ([BODY, '{"top_p": 1}', "--set", "execute.top_p=0.5"], "'top_p' is set as execute.top_p"),
    "against the protocol": ([BODY, '{"temperature": 1}', "--protocol", "paper"], "'temperature' is set as "),
    "twice, as Gemini names it": (
        [BODY, '{"generationConfig": {"maxOutputTokens": 5}}', "--set", "max_tokens=9"],
        "'generationConfig.maxOutputTokens' is set as max_tokens already",
    ),
    "several replies, as Gemini asks for them": (
        [BODY, '{"generationConfig": {"candidateCount": 2}}'],
        "the field 'generationConfig.candidateCount' is not free. A session has one reply: ask more often with --epochs.",
    ),
}
FIELDS = ("model", "models", "messages", "contents", "input", "instructions", "system", "systemInstruction", "stream")
REFUSED |= {
    field: ([BODY, json.dumps({field: "x"})], f"--extra-body: the field '{field}' is not free. ")
    for field in (*FIELDS, "n", "store")
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_what_would_not_be_sent_or_would_ask_for_something_else_is_refused_by_name(
    selfexec: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    commands = [["run"], ["run", "--dry-run"], *([] if "--protocol" in arguments else [["check", "sim/coin"]])]
    for command in commands:
        status, out, err = selfexec(*command, *arguments)
        assert (status, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_what_would_not_be_sent_is_refused_in_python_too() -> None:
    for ask in (run, check):
        models: Any = "sim/coin"
        with pytest.raises(InputError, match="no session or experiment 'excute'"):
            ask(models, settings={"excute.temperature": 0})
        with pytest.raises(InputError, match="'messages' is not free"):
            ask(models, extra_body={"messages": []})


def test_every_scope_that_there_is_may_be_set() -> None:
    names = ("top_p", "predict.top_p", "judge.top_p", "association.top_p", "restriction.predict.top_p", "seed")
    settings = {name: n for n, name in enumerate(names)}
    assert plan("sim/coin", settings=settings, extra_body={"user": "u"}).options.settings == settings
    # the paper's sampling with one experiment's changed: both are sent somewhere
    assert plan("sim/coin", protocol="paper", settings={"difficulty.predict.temperature": 0}).options.settings
