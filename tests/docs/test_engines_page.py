"""The page on an engine of one's own: its code works as it stands there, and its table of capabilities is true."""

import asyncio
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from build import installed, package_of
from selfexec.cli import root
from selfexec.engines import ENGINES, Connection, engine_for
from selfexec.errors import InputError
from selfexec.experiments import Capability
from selfexec.items import load
from sockets import call

PAGE = (Path(__file__).parents[2] / "docs" / "engines.md").read_text("utf-8")


@pytest.fixture
def mine(tmp_path: Path) -> Any:
    """The package as the page has it, installed as pip would."""
    package_of(PAGE, "parrot", tmp_path)
    with installed(tmp_path):
        yield


def test_its_engine_is_found_and_does_what_it_says(mine: Any) -> None:
    item_set = load("starter").cut(limit=1)

    async def said(**sampling: Any) -> tuple[Any, ...]:
        async with engine_for(["parrot/green"], item_set, Connection()) as engine:
            one = call("parrot/green", "one two three")
            outcome = await engine.ask(type(one)(one.key, one.messages, sampling))
            return outcome.text, outcome.output_tokens, outcome.stop_reason

    assert asyncio.run(said()) == ("ONE TWO THREE", 3, "stop")
    assert asyncio.run(said(max_tokens=2)) == ("ONE TWO", 2, "length")
    with pytest.raises(InputError, match="no such parrot"):
        engine_for(["parrot/blue"], item_set, Connection())


def test_the_commands_of_the_page_work(mine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    monkeypatch.chdir(tmp_path)
    for command in re.findall(r"(?m)^    selfexec (.*)$", PAGE):
        found = CliRunner().invoke(root, command.split())
        # a parrot is asked and answers; most of what it says is no answer
        assert found.exit_code in (0, 3) and "parrot/grey" in found.output, (command, found.output, found.exception)


def test_its_table_of_capabilities_is_what_engines_declare() -> None:
    rows = dict(re.findall(r"(?m)^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", PAGE[PAGE.index("| capability |") :]))
    assert set(rows) == set(get_args(Capability))
    wires = [Connection(base_url="http://127.0.0.1:9/v1", wire=wire) for wire in ("openai", "anthropic", "gemini")]
    for capability, who in rows.items():
        have = [capability in ENGINES["sim"].capabilities("sim/coin", Connection())]
        have += [capability in ENGINES["http"].capabilities("any/m", wire) for wire in wires]
        named = ["OpenAI" in who, "Anthropic" in who, "Gemini" in who]
        assert have == ["`sim`" in who, *("all four" in who or one for one in named)]
