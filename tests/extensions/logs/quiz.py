"""Logs of lm-eval made by hand: as the package writes them, without the package."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfexec.engines.sim import Knowledge, respondent
from selfexec.experiments import Message, difficulty
from selfexec.items import load
from selfexec.readers import read_choice

TIME = "2026-11-22T10-00-00.000000"


def generated(
    id: int, prompt: str, *replies: Any, filter: str = "none", target: Any = None, **metrics: Any
) -> dict[str, Any]:
    """A document that was answered in words."""
    return {
        "doc_id": id,
        "doc": {},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": []}}},
        "resps": [list(replies)],
        "filtered_resps": [replies[0]],
        "filter": filter,
        "metrics": list(metrics),
        **metrics,
    }


def weighed(id: int, prompt: str, options: Mapping[str, float], target: Any = "0", **metrics: Any) -> dict[str, Any]:
    """A document of which each option was weighed."""
    return {
        "doc_id": id,
        "doc": {},
        "target": target,
        "arguments": {f"gen_args_{n}": {"arg_0": prompt, "arg_1": f" {option}"} for n, option in enumerate(options)},
        "resps": [[[str(weight), "False"]] for weight in options.values()],
        "filtered_resps": [[str(weight), "False"] for weight in options.values()],
        "filter": "none",
        "metrics": list(metrics),
        **metrics,
    }


def log(folder: Path, lines: Iterable[Any], model: str | None = "them/theirs", task: str = "quiz") -> Path:
    """A file of samples, with its file of results where the model is known. A line may be text that is no JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    if model is not None:
        (folder / f"results_{TIME}.json").write_text(json.dumps({"model_name": model, "config": {}}), "utf-8")
    path = folder / f"samples_{task}_{TIME}.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return path


def simulated(folder: Path, models: Sequence[str], questions: int = 256) -> list[Path]:
    """What simulated models answer to the starter set's questions, each as a log of its own."""
    starter = load("starter")
    groups: Any = starter["difficulty"].values()
    asked = [question for group in groups for question in group.questions][:questions]
    knowledge = Knowledge.of(starter)
    return [log(folder / model.replace("/", "__"), _lines(model, knowledge, asked), model) for model in models]


def _lines(model: str, knowledge: Knowledge, asked: Sequence[difficulty.Question]) -> Iterable[dict[str, Any]]:
    one = respondent(model, knowledge)
    for n, question in enumerate(asked):
        prompt = difficulty._asked(difficulty.PROMPTS["execute"], question)
        text = one.reply([Message("user", prompt)]).text
        read = read_choice(text or "", dict(zip("ABCD", question.choices, strict=True)), key="answer")
        right = float(read.value == question.answer)
        yield generated(n, prompt, text, target=question.answer, exact_match=right)
