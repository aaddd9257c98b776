"""Who asks, for `engine.py`: each contender sends the same prompts to the same server, in a process of its own.

bare      an aiohttp loop that posts and decodes: no prompts filled, nothing kept, nothing retried
lean      ours, as a user calls it: plans, fills prompts, keeps the pace, writes the journal, closes it
lm-eval   a task of lm-evaluation-harness as its evaluator runs it, samples kept in memory, no progress bar
          `lm-eval-model` is its chat-completions model alone: no task, texts written at the end;
          `lm-eval-cache` is that with its cache, which keeps each reply as it comes, as the journal of lean does
openai    the openai client, which posts and decodes; `openai-aiohttp` is the same over its aiohttp transport
inspect   a task of Inspect AI with its usual log, over that transport too, but no display, no scores, no live view
"""

import asyncio
import itertools
import json
import logging
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest import mock

MODEL = "typical"


class Errand(NamedTuple):
    """What to ask, of whom, how much of it at once, and a folder of one's own to write to."""

    url: str
    prompts: list[str]  # the two of each item, items in the order of a run
    epochs: int
    connections: int
    folder: Path

    @property
    def calls(self) -> int:
        return len(self.prompts) * self.epochs

    def each(self) -> Iterator[str]:
        """Every prompt to send, one after the other."""
        return itertools.chain.from_iterable(itertools.repeat(self.prompts, self.epochs))


Counter = Callable[[], int]  # how many replies there are, counted when the clock has stopped


def bare(errand: Errand) -> Counter:
    import aiohttp

    bodies = {prompt: json.dumps({"model": MODEL, "messages": _user(prompt)}).encode() for prompt in errand.prompts}
    answered = 0

    async def work(http: aiohttp.ClientSession, left: Iterator[str]) -> None:
        nonlocal answered
        for prompt in left:
            async with http.post(f"{errand.url}/chat/completions", data=bodies[prompt]) as response:
                body = json.loads(await response.read())
            answered += bool(body["choices"][0]["message"]["content"])

    async def ask_all() -> None:
        left = errand.each()
        connector, headers = aiohttp.TCPConnector(limit=0), {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=connector, headers=headers) as http:
            await asyncio.gather(*(work(http, left) for _ in range(errand.connections)))

    asyncio.run(ask_all())
    return lambda: answered


def lean(errand: Errand) -> Counter:
    from selfexec.runs import read_journal
    from selfexec.runs.asking import carrying_out, plan

    out = errand.folder / "run"
    planned = plan(
        [f"sim/{MODEL}"],
        experiments=["association"],
        limit=len(errand.prompts) // 2,
        epochs=errand.epochs,
        out=out,
        base_url=errand.url,
        max_connections=errand.connections,
    )
    # once all is asked and the journal closed, the run is read back; the others are not asked for that
    nothing = SimpleNamespace(replies={}, server_notices=())
    with mock.patch.object(carrying_out, "read_run", return_value=nothing):  # refuses a name that is not there
        carrying_out.carry_out(planned)
    # the others ask as in epoch 1, where every reply has a text; in later ones a simulated model may reply with none
    return lambda: sum(not reply.failed for reply in read_journal(out / "replies.jsonl").values())


def openai(errand: Errand, *, transport: str = "usual") -> Counter:
    import openai

    answered = 0

    async def work(client: openai.AsyncOpenAI, left: Iterator[str]) -> None:
        nonlocal answered
        for prompt in left:
            completion = await client.chat.completions.create(model=MODEL, messages=_user(prompt))
            answered += bool(completion.choices[0].message.content)

    async def ask_all() -> None:
        left = errand.each()
        http = _openai_transport(transport, errand.connections)
        async with openai.AsyncOpenAI(base_url=errand.url, api_key="none", http_client=http) as client:
            await asyncio.gather(*(work(client, left) for _ in range(errand.connections)))

    asyncio.run(ask_all())
    return lambda: answered


def inspect(errand: Errand) -> Counter:
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import get_model
    from inspect_ai.solver import generate

    http = _openai_transport("aiohttp", errand.connections)
    # a transport of aiohttp lives no longer than its event loop, so neither may the model
    model = get_model(f"openai-api/local/{MODEL}", base_url=errand.url, api_key="none", memoize=False, http_client=http)
    samples = [Sample(input=prompt) for prompt in errand.prompts]
    [log] = inspect_ai.eval(
        inspect_ai.Task(dataset=MemoryDataset(samples), solver=generate()),
        model=model,
        epochs=errand.epochs,
        max_connections=errand.connections,
        max_samples=errand.connections,
        max_tasks=1,
        score=False,
        display="none",
        log_dir=str(errand.folder / "logs"),
        log_format="eval",
        log_realtime=False,
        log_header_only=True,
        ctl_server=False,
    )
    return lambda: sum(bool(sample.output.completion) for sample in read_eval_log(log.location).samples or [])


def _openai_transport(name: str, connections: int) -> Any:
    """The HTTP client of the openai package, with room for all connections."""
    import openai

    limits = type(openai.DEFAULT_CONNECTION_LIMITS)(max_connections=connections, max_keepalive_connections=connections)
    return {"usual": openai.DefaultAsyncHttpxClient, "aiohttp": openai.DefaultAioHttpClient}[name](limits=limits)


UNTIL = {"until": ["</s>"], "do_sample": False}


def lm_eval(errand: Errand) -> Counter:
    model = _lm_eval_model(errand)
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.evaluator import evaluate

    errand.folder.mkdir(parents=True, exist_ok=True)
    questions = errand.folder / "prompts.jsonl"
    questions.write_text("".join(json.dumps({"prompt": prompt}) + "\n" for prompt in errand.prompts))
    metric = {"metric": "bypass", "aggregation": "bypass", "higher_is_better": True}
    task = ConfigurableTask(
        config={
            "task": "prompts",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(questions)}, "cache_dir": str(errand.folder / "cache")},
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "{{prompt}}",
            "doc_to_target": "",
            "generation_kwargs": UNTIL,
            "repeats": errand.epochs,
            "metric_list": [metric],
        }
    )
    found = evaluate(model, {"prompts": task}, apply_chat_template=True, log_samples=True, bootstrap_iters=0)
    texts = [text for sample in found["samples"]["prompts"] for text in sample["resps"][0]]
    return lambda: sum(map(bool, texts))


def _lm_eval_model(errand: Errand) -> Any:
    os.environ["TQDM_DISABLE"] = "1"
    os.environ["HF_DATASETS_OFFLINE"] = "1"
    from lm_eval.models.openai_completions import LocalChatCompletion

    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    return LocalChatCompletion(
        base_url=f"{errand.url}/chat/completions", model=MODEL, num_concurrent=errand.connections, eos_string="</s>"
    )


def lm_eval_model(errand: Errand, *, cache: bool = False) -> Counter:
    model = _lm_eval_model(errand)
    from lm_eval.api.instance import Instance
    from lm_eval.api.model import CachingLM

    requests = [
        Instance("generate_until", {}, (model.apply_chat_template(_user(prompt)), UNTIL), number)
        for number, prompt in enumerate(errand.each())
    ]
    errand.folder.mkdir(parents=True, exist_ok=True)
    texts = (CachingLM(model, str(errand.folder / "cache.db")) if cache else model).generate_until(requests)
    with (errand.folder / "replies.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    return lambda: sum(map(bool, texts))


# name -> how it asks, and the modules and packages that it needs
CONTENDERS: Mapping[str, tuple[Callable[[Errand], Counter], Mapping[str, str]]] = {
    "bare": (bare, {"aiohttp": "aiohttp"}),
    "lean": (lean, {"selfexec": "selfexec"}),
    "lm-eval": (lm_eval, {"lm_eval": "lm_eval[api]", "aiohttp": "lm_eval[api]", "tenacity": "lm_eval[api]"}),
    "lm-eval-model": (lm_eval_model, {"lm_eval": "lm_eval[api]", "tenacity": "lm_eval[api]"}),
    "lm-eval-cache": (partial(lm_eval_model, cache=True), {"lm_eval": "lm_eval[api]", "tenacity": "lm_eval[api]"}),
    "openai": (openai, {"openai": "openai"}),
    "openai-aiohttp": (partial(openai, transport="aiohttp"), {"openai": "openai[aiohttp]"}),
    "inspect": (inspect, {"inspect_ai": "inspect_ai", "openai": "openai[aiohttp]"}),
}


def _user(prompt: str) -> list[Any]:
    return [{"role": "user", "content": prompt}]


# --- measuring -------------------------------------------------------------------------------------------------------


def measured(ask: Callable[[Errand], Counter], errand: Errand) -> dict[str, float]:
    """Wall and CPU seconds of all calls, and the most memory that the process had until then, in MB.

    A few calls come first, so that imports and first uses are not counted as time; as memory they are.
    """
    ask(errand._replace(prompts=errand.prompts[:20], epochs=1, connections=10, folder=errand.folder / "first"))
    cpu, started = _cpu(), time.perf_counter()
    count = ask(errand)
    wall, cpu = time.perf_counter() - started, _cpu() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    if (answered := count()) != errand.calls:
        raise SystemExit(f"only {answered} of {errand.calls} calls brought a reply: the figures would mean nothing.")
    return {"calls": errand.calls, "wall": wall, "cpu": cpu, "peak": peak}


def _cpu() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def starter_prompts(items: int) -> list[str]:
    """The association prompts of the first starter items, as a run fills them."""
    from selfexec.experiments import EXPERIMENTS
    from selfexec.items import load

    association = EXPERIMENTS["association"]
    prompts: list[str] = []

    async def note(session: str, prompt: str) -> Any:
        prompts.append(prompt)

    async def fill() -> None:
        by_id: Mapping[str, Any] = load("starter").cut(["association"], limit=items).items["association"]
        for item in by_id.values():
            await association.sessions(item, note, association.prompts)

    asyncio.run(fill())
    return prompts


def read_back(journal: Path) -> dict[str, float]:
    """How long a journal takes to read, and how many replies it holds."""
    from selfexec.runs import read_journal

    started = time.perf_counter()
    replies = read_journal(journal)
    return {
        "seconds": time.perf_counter() - started,
        "replies": len(replies),
        "megabytes": journal.stat().st_size / 1e6,
    }


def main(task: str, *arguments: str) -> None:
    """`prompts ITEMS`, `read JOURNAL` or `NAME URL PROMPTS EPOCHS CONNECTIONS FOLDER`; prints JSON as its last line."""
    result: Any
    if task == "prompts":
        result = starter_prompts(int(arguments[0]))
    elif task == "read":
        result = read_back(Path(arguments[0]))
    else:
        url, prompts, epochs, connections, folder = arguments
        errand = Errand(url, json.loads(Path(prompts).read_bytes()), int(epochs), int(connections), Path(folder))
        result = measured(CONTENDERS[task][0], errand)
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
