"""What tests build their worlds from: claims written down one by one, runs in which models say and do as told here."""

import base64
import json
import os
import re
import sys
import tomllib
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from selfexec.analysis.score import Scores, score_tables
from selfexec.claims import OBSERVATIONS, OUTCOMES, SESSIONS, Tables
from selfexec.cli import main
from selfexec.engines import ENGINES
from selfexec.experiments import EXPERIMENTS, Experiment
from selfexec.extension import all_extensions
from selfexec.facets import FACETS
from selfexec.report.figures import Figure, FigureNumbers, drawn
from selfexec.runs import Run
from selfexec.runs.importing import run_of_replies

# simulated models of which each is of another kind, where it need not be all that are asked by default
SEVEN = [
    f"sim/{name}"
    for name in ("knows-itself", "knows-models", "typical", "says-yes", "coin", "breaks-format", "declines")
]
Claims = Sequence[tuple[bool | None, bool]]  # (predicted, None where unreadable; observed), request by request


def table(rows: Iterable[dict[str, Any]]) -> Tables:
    """Observations with everything that is not said left empty; no sessions. `by`: source -> what it says was done,
    beside what was observed.
    """
    rows = list(rows)
    full = [{name: row.get(name, "default" if name == "condition" else None) for name in OBSERVATIONS} for row in rows]
    others = [
        {name: row.get(name, "default" if name == "condition" else None) for name in OUTCOMES}
        | {"source": source, "observed": did}
        for row in rows
        for source, did in row.get("by", {}).items()
    ]
    frames = (pl.DataFrame(full, schema=OBSERVATIONS), pl.DataFrame([], schema=SESSIONS))
    return Tables(*frames, pl.DataFrame(others, schema=OUTCOMES))


def request(
    item: int, predicted: bool | None, observed: bool | None, state: str = "read", **more: Any
) -> dict[str, Any]:
    row = {"model": "m", "experiment": "restriction", "item": str(item), "epoch": 1, "claim": "answers"}
    return row | {"predicted": predicted, "observed": observed, "state": state} | more


def pair(group: int, predicted: bool | None, observed: bool | None, state: str = "read", **more: Any) -> dict[str, Any]:
    row = {"model": "m", "experiment": "difficulty", "item": str(group), "epoch": 1}
    row |= {"claim": "Q1 before Q2", "length": 10, "other_length": 20}
    return row | {"predicted": predicted, "observed": observed, "state": state} | more


def scores(rows: Iterable[dict[str, Any]], convention: str = "strict") -> Scores:
    return Scores(score_tables(table(rows), ["m"], convention))


def whole_run(n: int = 200, lost: int = 0, positives: int = 50) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for i in range(n):
        observed = i < positives
        said = bool(observed) if rng.random() < 0.8 else not observed
        rows += [request(i, said, observed), request(i, said, observed, experiment="association", claim="w")]
        rows.append(pair(i, said, observed))
    for i in range(n, n + lost):
        rows.append(request(i, None, None, "missing"))
    return rows


def rename_model(run: Path, old: str, new: str) -> None:
    """Give a model of a run another name, also one that is not taken in now but was by earlier versions."""
    for name in ("manifest.json", "replies.jsonl"):
        text = (run / name).read_text("utf-8")
        (run / name).write_text(text.replace(json.dumps(old), json.dumps(new)), "utf-8")


def requests_run(folder: Path, models: Mapping[str, Claims], text: str = "Request", first: int = 0) -> Run:
    """A run of the restriction experiment, in which the models predict and do what is said here."""
    folder.mkdir(parents=True)
    count = max(len(claims) for claims in models.values())
    numbers = range(first, first + count)
    items = [{"id": str(n), "request": f"{text} {n}?", "label": "safe", "type": "plain"} for n in numbers]
    (folder / "items").mkdir()
    write(folder / "items" / "restriction.jsonl", items)
    replies = [
        {"model": model, "experiment": "restriction", "item": str(n), "session": session, "text": text}
        for model, claims in models.items()
        for n, (predicted, observed) in zip(numbers, claims, strict=False)
        for session, text in (
            ("predict", "Who knows?" if predicted is None else "A" if predicted else "B"),
            ("execute", "Here you are."),
            ("judge", "A" if observed else "B"),
        )
    ]
    write(folder / "replies.jsonl", replies)
    run, _ = run_of_replies([folder / "replies.jsonl"], item_source=folder / "items", out=folder / "run")
    return run


def changed(experiment: Experiment, **attributes: Any) -> Experiment:
    """The experiment with other attributes; a function takes what the method in its place takes, without `self`."""
    copied = copy(experiment)
    vars(copied).update(attributes)
    return copied


def part_of(run: Run, *, models: Collection[str] = (), experiments: Collection[str] = ()) -> Run:
    """The run as if these models and experiments alone had been asked (all, where none is named). What was read of it
    is not read again.
    """
    kept = {
        key: reply
        for key, reply in run.replies.items()
        if (not models or key.model in models) and (not experiments or key.experiment in experiments)
    }
    found = replace(run, replies=kept)
    vars(found)["readings"] = {key: run.readings[key] for key in kept}
    return found


def write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def wrong_on(wrong: Sequence[int], count: int = 200) -> Claims:
    """The first half of the requests is answered; predictions are right, but for these."""
    return [((n < count // 2) != (n in wrong), n < count // 2) for n in range(count)]


Command = Callable[..., tuple[int, str, str]]


def selfexec(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    """The exit status of a command."""
    monkeypatch.setattr(sys, "argv", ["selfexec", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


def package_of(page: str, module: str, folder: Path) -> None:
    """The package whose files are the blocks of a page of the documentation, in this folder, as pip installs it."""
    project = tomllib.loads(block(page, "toml"))["project"]
    (folder / "mine").mkdir()
    (folder / "mine" / "__init__.py").touch()
    (folder / "mine" / f"{module}.py").write_text(block(page, "python"), "utf-8")
    info = folder / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    points = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    (info / "entry_points.txt").write_text("\n".join(points))


def block(page: str, language: str) -> str:
    """The one block of code in this language."""
    [found] = re.findall(rf"```{language}\n(.*?)```", page, flags=re.DOTALL)
    return str(found)


@contextmanager
def installed(package: Path) -> Iterator[None]:
    """As if what lies in this folder (with its .dist-info) were installed: what it adds is found anew, in here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(package)
        _forget()  # what was found before, if anything
        try:
            yield
        finally:
            _forget()
            for name, module in list(sys.modules.items()):  # another package may have modules of the same name
                if (getattr(module, "__file__", None) or "").startswith(f"{package}{os.sep}"):
                    del sys.modules[name]


def _forget() -> None:
    all_extensions.cache_clear()
    for registry in (EXPERIMENTS, FACETS, ENGINES):
        vars(registry).pop("_found", None)


def unpinned(page: Path) -> str:
    """The page without the marks around what is not to be torn at the end of a line."""
    return re.sub(r'<span class="nb">([^<]*)</span>', r"\1", page.read_text("utf-8"))


def without_bdi(page: str) -> str:
    """The page without the marks that keep names and sentences apart from the direction of what is around them."""
    return re.sub(r"</?bdi[^>]*>", "", page)


def unfolded(page: str) -> str:
    """The page of a report with what is folded and packed in its place."""
    packed = r'<div class="packed"><script type="text/plain">([^<]+)</script>.*?</div>'
    return re.sub(packed, lambda part: json.loads(zlib.decompress(base64.b64decode(part[1]))), page)


def figures(
    runs: Sequence[Run],
    scores: Scores,
    *,
    abilities: Mapping[str, float] | None = None,
    groups: Mapping[str, str] | None = None,
) -> list[Figure]:
    """The figures of a page with these scores, which may be of some of the models alone."""
    return list(drawn(FigureNumbers(runs, scores, abilities, groups)))
