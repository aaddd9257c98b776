"""Do simulated models that know only which items are hard earn a verdict of their own on logs? And those that know
themselves? `python studies/logs/simulate.py [PANELS] [SEED]`.

Each panel is eight models that answer the starter set's questions; their answers are written as samples of lm-eval,
imported as each experiment, and predicted by `selfexec.run`. Writes panels.csv and results.md next to this file.
"""

import csv
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import selfexec as sx
from selfexec.engines.sim import Knowledge, respondent
from selfexec.experiments import Message, difficulty
from selfexec.items import load
from selfexec.readers import read_choice

HERE = Path(__file__).parent
MODELS = 8
PROFILES = ("knows-models", "knows-itself", "typical")
EXPERIMENTS = ("correctness", "choice", "length")
COLUMNS = ("seed", "profile", "experiment", "panel", "own", "unresolved", "not shown", "skill")


def main() -> None:
    panels, seed = (int(given) for given in (*sys.argv[1:], "20", "1")[:2])
    path = HERE / "panels.csv"
    done = list(csv.DictReader(path.read_text().splitlines())) if path.is_file() else []
    there = {int(row["seed"]) for row in done}
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not done:
            writer.writeheader()
        for number in range(seed, seed + panels):
            if number not in there:
                writer.writerows(one_seed(number))
                file.flush()
    (HERE / "results.md").write_text(results(list(csv.DictReader(path.read_text().splitlines()))))


def one_seed(seed: int) -> Iterator[dict[str, object]]:
    for profile in PROFILES:
        models = [f"sim/{profile}@{MODELS * seed + n}" for n in range(MODELS)]
        with tempfile.TemporaryDirectory() as folder:
            words, weighed = (
                [log(Path(folder) / form, model, form) for model in models] for form in ("words", "weighed")
            )
            for experiment in EXPERIMENTS:
                out = Path(folder) / experiment
                logs = weighed if experiment == "choice" else words
                sx.import_logs(logs, tool="lm-eval", experiment=experiment, out=out)
                yield {
                    "seed": seed,
                    "profile": profile,
                    "experiment": experiment,
                    **verdicts(sx.score(sx.run(out=out))),
                }


def verdicts(scores: sx.Scores) -> dict[str, object]:
    of_models = Counter(row.verdict for row in scores if row.metric == "own_excess")
    skills = [row.value for row in scores if row.metric == "skill" and row.value is not None]
    own = scores.own[0].found
    return {
        "panel": own.overall.verdict,
        **{name: of_models[name] for name in ("own", "unresolved", "not shown")},
        "skill": f"{sum(skills) / len(skills):.3f}",
    }


def log(folder: Path, model: str, form: str) -> Path:
    """What a model answers, as lm-eval writes it: in words, as long as its tokens say, or as options weighed."""
    groups: Any = load("starter")["difficulty"].values()
    one, name = respondent(model, KNOWN), model.replace("/", "__")
    (folder / name).mkdir(parents=True)
    (folder / name / "results_2026-01-01T00-00-00.000000.json").write_text(json.dumps({"model_name": model}))
    path = folder / name / "samples_quiz_2026-01-01T00-00-00.000000.jsonl"
    questions = [question for group in groups for question in group.questions]
    lines = (document(n, question, one, form) for n, question in enumerate(questions))
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def document(n: int, question: difficulty.Question, one: Any, form: str) -> dict[str, object]:
    prompt = difficulty._asked(difficulty.PROMPTS["execute"], question)
    reply = one.reply([Message("user", prompt)])
    letter = read_choice(reply.text, dict(zip("ABCD", question.choices, strict=True)), key="answer").value
    line: dict[str, object] = {"doc_id": n, "metrics": ["right"], "right": float(letter == question.answer)}
    if form == "words":
        said = f"{reply.text}\n{'.' * (reply.output_tokens or 0)}"
        return line | {"target": question.answer, "arguments": [[prompt, {}]], "resps": [[said]]}
    weights = [[[-1.0 if name == letter else -2.0, False]] for name in "ABCD"]
    target = "ABCD".index(question.answer)
    return line | {
        "target": str(target),
        "arguments": [[prompt, choice] for choice in question.choices],
        "resps": weights,
    }


KNOWN = Knowledge.of(load("starter"))


def results(rows: Sequence[Mapping[str, str]]) -> str:
    """A row for each profile and experiment: verdicts on panels, and on their models."""
    head = [
        "profile",
        "experiment",
        "panels",
        "of panels own",
        "models",
        "of models own",
        "unresolved",
        "mean skill",
    ]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(cells(rows, p, e))} |" for p in PROFILES for e in EXPERIMENTS]
    return "\n".join(lines) + "\n"


def cells(rows: Iterable[Mapping[str, str]], profile: str, experiment: str) -> list[str]:
    mine = [row for row in rows if (row["profile"], row["experiment"]) == (profile, experiment)]
    own, shared = (sum(int(row[name]) for row in mine) for name in ("own", "unresolved"))
    skill = sum(float(row["skill"]) for row in mine) / max(len(mine), 1)
    panels = sum(row["panel"] == "own" for row in mine)
    return [profile, experiment, *map(str, (len(mine), panels, MODELS * len(mine), own, shared)), f"{skill:.2f}"]


if __name__ == "__main__":
    main()
