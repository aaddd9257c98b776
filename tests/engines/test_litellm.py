"""A real LiteLLM proxy, with simulated models behind it: a quick run through each of its wire formats, whole and in
pieces; its cache, and what it says of costs. It is an extra, and slow to start: `.ci/extras` runs this.
"""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from faulty_server import FaultyServer
from selfexec.errors import InputError
from selfexec.items import load
from sockets import served, sim_server

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("litellm"), reason="LiteLLM is not installed here")
KEY = "sk-of-the-gateway-0123456789"
MODEL = "sim/knows-itself"
ALONE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "NO_PROXY": "127.0.0.1"}
WIRES = ("openai", "responses", "anthropic", "gemini")


def at(address: str, wire: str) -> str:
    """Where the proxy speaks a format."""
    return f"{address}beta" if wire == "gemini" else address


@contextmanager
def proxy(folder: Path, upstream: str, **settings: Any) -> Iterator[str]:
    """A LiteLLM proxy that knows one simulated model, at an address of its own."""
    reached = {"model": f"openai/{MODEL.partition('/')[2]}", "api_base": upstream, "api_key": "none"}
    price = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}
    config = {
        "model_list": [{"model_name": "behind", "litellm_params": {**reached, **price}}],
        "litellm_settings": settings,
        "general_settings": {"master_key": KEY},
    }
    (folder / "config.yaml").write_text(json.dumps(config))  # JSON is YAML
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("litellm")), "--config", "config.yaml", "--port", str(port)]
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1"],
            cwd=folder,
            env={**os.environ, **ALONE},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            for _ in range(240):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=5).close()
                    break
                except OSError:
                    assert process.poll() is None, (folder / "log.txt").read_text()[-3000:]
                    time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with sim_server() as upstream, proxy(tmp_path_factory.mktemp("litellm"), upstream) as found:
        yield found


@pytest.fixture(autouse=True)
def with_the_gateways_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SELFEXEC_API_KEY", KEY)
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same model, asked in this process."""
    folder = tmp_path_factory.mktemp("plain") / "r"
    sx.run(MODEL, preset="quick", out=folder)
    return sx.run(MODEL, limit=20, out=folder)


@pytest.mark.slow
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stream", [False, True])
def test_a_quick_run_through_the_proxy_is_the_run_without_it(
    wire: Any, stream: bool, address: str, plain: Any, tmp_path: Path
) -> None:
    cut: dict[str, Any] = {"limit": 20} if stream else {"preset": "quick"}
    found = sx.run(
        "any/behind",
        base_url=at(address, wire),
        wire=wire,
        stream=stream,
        max_connections=8,
        out=tmp_path / "r",
        on_progress=lambda progress: None,
        **cut,
    )
    replies = {key._replace(model=MODEL): reply for key, reply in found.replies.items()}
    assert len(replies) == (200 if stream else 720)
    assert {key: reply.text for key, reply in replies.items()} == {key: plain.replies[key].text for key in replies}
    assert {reply.error for reply in replies.values()} == {None}
    assert {reply.stop_reason for reply in replies.values()} == {"stop"}
    # in streams of Gemini's format earlier versions of the proxy count 0 of everything, which is no count
    counted = {(reply.input_tokens is not None, reply.output_tokens is not None) for reply in replies.values()}
    assert counted == {(True, True)} or (wire == "gemini" and stream and counted == {(False, False)})
    if wire != "gemini" and not stream:
        assert {reply.upstream for reply in replies.values()} == {"openai/knows-itself"}
        assert all(reply.cost_usd for reply in replies.values())
    lines = (tmp_path / "r" / "replies.jsonl").read_text() + (tmp_path / "r" / "manifest.json").read_text()
    assert KEY not in lines


@pytest.mark.slow
def test_no_half_of_a_stream_that_breaks_off_behind_the_proxy_is_taken_for_a_reply(plain: Any, tmp_path: Path) -> None:
    again = 0
    torn = FaultyServer(load("starter"), {"cut": 0.3}).app()
    with served(torn) as upstream, proxy(tmp_path, upstream, num_retries=0) as address:
        for wire in WIRES:
            found = sx.run(
                "any/behind",
                limit=10,
                base_url=at(address, wire),
                wire=wire,  # type: ignore[arg-type]
                stream=True,
                max_connections=4,
                out=tmp_path / wire,
                on_progress=lambda progress: None,
            )
            said = {key._replace(model=MODEL): reply.text for key, reply in found.replies.items()}
            assert said == {key: plain.replies[key].text for key in said}
            again += sum(len(reply.retry_causes) for reply in found.replies.values())
    assert again > 30


@pytest.mark.slow
def test_a_reply_from_the_proxys_cache_stops_the_run_and_its_way_out_works(tmp_path: Path) -> None:
    cache = {"cache": True, "cache_params": {"type": "local"}}
    choices: dict[str, Any] = {"limit": 1, "epochs": 2, "max_connections": 1, "out": tmp_path / "r"}
    with sim_server() as upstream, proxy(tmp_path, upstream, **cache) as address:
        with pytest.raises(InputError, match=r"the reply came from a cache \(the header x-litellm-cache-key says so\)"):
            sx.run("any/behind", base_url=address, on_progress=lambda progress: None, **choices)
        around: dict[str, Any] = {"extra_body": {"cache": {"no-cache": True}}, "out": tmp_path / "other"}
        found = sx.run("any/behind", base_url=address, on_progress=lambda progress: None, **{**choices, **around})
    assert not any(reply.failed for reply in found.replies.values())


@pytest.mark.slow
@pytest.mark.parametrize("wire", WIRES)
def test_a_wrong_key_and_a_model_that_is_none_are_told_in_the_proxys_words(
    wire: Any, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError) as unknown:
        sx.check("any/nobody", base_url=at(address, wire), wire=wire)
    assert "nobody" in str(unknown.value)
    monkeypatch.setenv("SELFEXEC_API_KEY", "sk-of-somebody-else-0123456789")
    with pytest.raises(InputError, match="The server says") as refused:
        sx.check("any/behind", base_url=at(address, wire), wire=wire)
    assert "somebody-else" not in str(refused.value)
