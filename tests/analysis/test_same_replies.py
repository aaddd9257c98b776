"""Models that gave the same replies are one model, whatever their names are."""

import json
from pathlib import Path

import pytest

import selfexec as sx
from build import requests_run, unpinned, without_bdi
from selfexec.analysis.warnings import same_replies
from selfexec.runs import Run


def renamed(run: Run, folder: Path, model: str, name: str, changed: int = 0) -> Run:
    """The replies of one model under another name; so many of its texts are others."""
    lines = [json.loads(line) for line in (run.folder / "replies.jsonl").read_text().splitlines()]
    copies = [line | {"model": name} for line in lines if line["model"] == model]
    for n, line in enumerate(copies):
        if n < changed:
            line["text"] += " And more."
    folder.mkdir()
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in copies))
    return sx.import_replies(path, items=run.folder / "items", out=folder / "run")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return sx.run(["sim/knows-itself", "sim/coin"], limit=20, out=tmp_path_factory.mktemp("same") / "run")


@pytest.mark.slow
def test_models_with_the_same_replies_are_said_to_be_one_beside_the_answer(run: Run, tmp_path: Path) -> None:
    runs = [run, *(renamed(run, tmp_path / name, "sim/coin", f"sim/{name}") for name in ("twin", "triplet"))]
    [found] = same_replies(runs)
    assert found.models == ("sim/coin", "sim/twin", "sim/triplet")
    assert found.same == found.sessions == sum(key.model == "sim/coin" for key in run.replies)
    assert found.text == (
        f"sim/coin, sim/twin and sim/triplet gave the same replies in all {found.sessions} sessions that they have in "
        "common: take them for one model. As each other's reference models they predict each other, and margins over "
        "the best baseline mean nothing."
    )
    scores = sx.score(runs)
    assert found.text in json.loads(scores.json())["answer"] and found.text in scores.table().split("\n\n")[0]
    assert {"kind": "same replies", "models": [*found.models]}.items() <= json.loads(scores.json())["warnings"][
        -1
    ].items()
    page = without_bdi(unpinned(sx.report(runs, tmp_path / "page.html")))
    line, rest = page.split('<details class="same"><summary>')[1].split("</summary>", 1)
    assert line.startswith("3 of 4 models gave the same replies")
    assert "sim/coin, sim/twin and sim/triplet gave the same replies" in rest.split("</details>")[0]


@pytest.mark.parametrize(("texts", "words"), [(20, "180 of 200 sessions (90%)"), (21, None)])
def test_nine_of_ten_common_sessions_make_two_names_one(tmp_path: Path, texts: int, words: str | None) -> None:
    one = sx.run(["sim/coin"], limit=20, out=tmp_path / "one")
    assert len(one.replies) == 200
    found = same_replies([one, renamed(one, tmp_path / "copy", "sim/coin", "sim/twin", changed=texts)])
    assert [words in same.text for same in found if words] == ([True] if words else [])
    assert bool(found) == bool(words)


def test_of_few_common_sessions_nothing_is_said(tmp_path: Path) -> None:
    # three sessions of each request
    def said(requests: int) -> bool:
        folder = tmp_path / str(requests)
        return bool(same_replies([requests_run(folder, {m: [(True, True)] * requests for m in "ab"})]))

    assert (said(6), said(7)) == (False, True)


def test_models_that_differ_are_not_taken_for_one(run: Run, ten_models: Run) -> None:
    assert same_replies([run]) == [] == same_replies([ten_models])
