"""Runs of earlier versions load, score and go on as they did (tests/stored/README.md)."""

import json
import shutil
from pathlib import Path

import pytest

import selfexec as sx
from selfexec.analysis.score import score
from selfexec.runs.asking import run as run_again

STORED = Path(__file__).parents[1] / "stored"
NAMES = ("panel", "two-epochs", "grown", "own-prompts", "served", "imported")
FIELDS = ("value", "low", "high", "items", "claims", "unreadable", "missing", "baseline")
# metrics that have another name by now: (experiment, name then) -> name now; None stands for any experiment
RENAMED: dict[tuple[str | None, str], str] = {
    (None, "guesser_skill"): "best_baseline",  # and the field `guesser` is called `baseline`
    (None, "self_knowledge"): "baseline_margin",
    ("overall", "self_execution_skill"): "skill",
}
# metrics that are worked out in another way by now, each with the reason
CHANGED: dict[str, str] = {
    "shuffled_p": "predictions are dealt among items with the same claims, and skill is tested (decision 11)",
    "others_share": "yes where the share reaches the others' base rate, and no cut is looked for (decision 29)",
    "best_baseline": "one baseline of fixed design, and not the best of several on the same items (decision 29)",
    "baseline_margin": "over that baseline, and it takes three other models (decision 29)",
    **dict.fromkeys(("subject", "others_mode"), "it takes three other models that tell something (decision 29)"),
}
# (experiment, metric) -> why its interval is another by now; the rest of its row is what it was
OTHER_ENDS: dict[tuple[str, str], str] = dict.fromkeys(
    [
        ("difficulty", "accuracy"),
        ("difficulty", "tau"),
        ("difficulty", "accuracy_by_correctness"),
        ("difficulty", "accuracy_by_tokens"),
        ("difficulty", "baseline_margin"),
    ],
    "orders in which few groups err, or of which few tell two apart, have intervals of their own (decision 26)",
)
# (run, model, experiment) -> why all its rows are others by now
OTHER_READINGS = {
    ("served", model, experiment): "of a list that was cut off before its fifth word nothing is read any more"
    for model in ("sim/knows-itself", "sim/coin")
    for experiment in ("association", "overall")
}


def then(name: str, convention: str) -> dict[tuple[str, str, str], tuple[object, ...]]:
    """The scores of a stored run as its own version gave them, by today's names."""
    lines = (STORED / f"{name}.scores.jsonl").read_text("utf-8").splitlines()
    found = {}
    for of, model, experiment, metric, *values in map(json.loads, lines):
        if of == convention:
            now = RENAMED.get((experiment, metric)) or RENAMED.get((None, metric)) or metric
            found[model, experiment, now] = tuple(values)
    return found


@pytest.mark.parametrize("convention", ["strict", "readable"])
@pytest.mark.parametrize("name", NAMES)
def test_a_stored_run_scores_as_it_did(name: str, convention: str) -> None:
    now = {(row.model, row.experiment, row.metric): row for row in score(STORED / name, convention)}
    for key, values in then(name, convention).items():
        if key[2] not in CHANGED and (name, *key[:2]) not in OTHER_READINGS:
            ends = ("low", "high") if key[1:] in OTHER_ENDS else ()
            both = zip(FIELDS, [getattr(now[key], field) for field in FIELDS], values, strict=True)
            assert all(same(got, was) for field, got, was in both if field not in ends), f"{key} was {values}"


def test_lists_that_were_cut_off_are_unread_in_a_stored_run_and_nothing_else_is() -> None:
    unread = {
        (key.model, key.item, reading.reason)
        for key, reading in sx.load(STORED / "served").readings.items()
        if (key.experiment, key.session) == ("association", "execute") and reading.state == "unreadable"
    }
    assert unread == {
        ("sim/knows-itself", "starter-balloon", "truncated"),
        ("sim/coin", "starter-hurricane", "truncated"),
    }


def same(now: object, then: object) -> bool:
    if isinstance(now, float) and isinstance(then, float):
        return now == pytest.approx(then, rel=1e-12, abs=1e-12)
    return now == then


@pytest.mark.parametrize("name", ["panel", "two-epochs"])
def test_a_stored_run_goes_on_where_it_was(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(STORED / name, tmp_path / name))
    before = (folder / "replies.jsonl").read_bytes()
    models = sx.load(folder).models
    epochs = 2 if name == "two-epochs" else 1
    limit = 6 if name == "panel" else 5
    # all is there: nothing is asked
    run_again(models, limit=limit, epochs=epochs, out=folder)
    assert (folder / "replies.jsonl").read_bytes() == before
    # one more item of each experiment: what was there stays as it was
    grown = run_again(models, limit=limit + 1, epochs=epochs, out=folder)
    assert (folder / "replies.jsonl").read_bytes().startswith(before)
    assert not any(reply.failed for reply in grown.replies.values())
    assert len(grown.replies) > before.count(b"\n")


def test_a_stored_run_with_prompts_of_its_own_refuses_others_by_name(tmp_path: Path) -> None:
    folder = shutil.copytree(STORED / "own-prompts", tmp_path / "own-prompts")
    with pytest.raises(sx.InputError, match=r"the prompt restriction\.execute has changed"):
        run_again(["sim/coin"], limit=5, out=folder)
