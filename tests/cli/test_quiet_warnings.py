"""`run -q` says nothing but what is wrong: warnings stay, on standard error."""

import itertools
from pathlib import Path

import pytest
from aiohttp import web
from click.testing import CliRunner

from selfexec.cli import root
from sockets import completion, served


@pytest.fixture
def two_models() -> web.Application:
    """A server that answers now as one model, now as another."""
    number = itertools.count()

    async def answer(request: web.Request) -> web.Response:
        n = next(number)
        names = {"id": f"reply-{n}", "model": ("m-one", "m-two")[n % 2]}
        return web.json_response(completion('{"choice": "A"}') | names)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    return app


def test_that_two_models_answered_is_said_on_standard_error_of_a_quiet_run(
    two_models: web.Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with served(two_models) as url:
        words = ("run", "--model", "any/m", "--base-url", url, "--experiment", "restriction", "--limit", "4")
        quiet = CliRunner().invoke(root, (*words, "-q"), standalone_mode=False)
    assert "selfexec: warning: any/m: served by " in quiet.stderr
    assert "m-one (" in quiet.stderr and "m-two (" in quiet.stderr and "served by" not in quiet.stdout
