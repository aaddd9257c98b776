"""The page on an experiment of one's own: its code is that of the toy, and works as it stands there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from click.testing import CliRunner

from build import block, installed, package_of
from conftest import TOYS
from selfexec.cli import root
from sockets import completion, served

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "experiments.md").read_text("utf-8")


def test_its_code_is_that_of_the_toy() -> None:
    assert block(PAGE, "python") == (TOYS / "toy" / "brevity.py").read_text("utf-8")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The package and the items as the page has them, installed as pip would."""
    package_of(PAGE, "brevity", tmp_path)
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "brevity.jsonl").write_text(block(PAGE, "json"))
    return tmp_path


def selfexec(*arguments: str) -> str:
    done = CliRunner().invoke(root, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def model() -> Iterator[str]:
    """It says that it will be brief, and is, but on the tides."""

    async def answer(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        asked = "at most" in prompt
        return web.json_response(
            completion(json.dumps({"choice": "A"}) if asked else "word " * (20 if "tides" in prompt else 1))
        )

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    with served(app) as url:
        yield url


def test_it_runs_from_the_page(mine: Path, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine)
    with installed(mine):
        assert "0 errors" in selfexec("items", "check", "items")
        said = selfexec("run", "--model", "vllm/m", "--base-url", model, "--items", "items", "--out", "brief")
        assert "2 brevity" in said
        rows = json.loads(selfexec("score", "brief", "--format", "json"))["scores"]
    # yes to both, right once
    assert {row["metric"]: row["value"] for row in rows}["accuracy"] == 0.5
