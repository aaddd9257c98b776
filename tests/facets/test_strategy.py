"""Strategy: results that the run has are shown before a prediction, the same for every item, and kept as they were."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.cli import root
from selfexec.engines.sim import PROFILES, truth
from selfexec.engines.sim.server import SimServer
from selfexec.experiments import EXPERIMENTS, MISSING_READING, PAPER_HEADLINE
from selfexec.facets import crossed_levels
from selfexec.items import load
from selfexec.prompts import all_prompts, read_prompts
from selfexec.readers import Reading
from selfexec.runs.asking import plan
from selfexec.runs.transcripts import prompts_sent
from sockets import served

MODELS = ["sim/typical", "sim/knows-itself"]
OWN, OTHERS = "strategy=own-history:4", "strategy=history-of:4:sim/knows-itself"
LEVELS = {"strategy": ["own-history:4", "history-of:4:sim/knows-itself"]}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    """Two models with and without their own results, and those of one of them."""
    out = tmp_path_factory.mktemp("runs") / "shown"
    sx.run(MODELS, limit=12, out=out)
    return sx.run(MODELS, limit=12, facets=LEVELS, out=out)


def held_out(run: sx.Run, experiment: str, condition: str = OWN) -> list[str]:
    ids: list[str] = run.manifest.settings[f"{experiment}@{condition}.held_out"]
    return ids


@pytest.mark.parametrize("experiment", PAPER_HEADLINE.experiments)
def test_items_whose_results_are_shown_are_the_same_for_all_and_are_not_predicted(
    shown: sx.Run, experiment: str
) -> None:
    ids = held_out(shown, experiment)
    assert len(ids) == 4 and ids == held_out(shown, experiment, OTHERS)
    predicted = Counter(
        (key.model, key.item, key.facets)
        for key in shown.replies
        if (key.experiment, key.session_kind) == (experiment, "predict")
    )
    for model in MODELS:
        for facets in ((("strategy", "own-history:4"),), (("strategy", "history-of:4:sim/knows-itself"),)):
            assert {item for m, item, f in predicted if (m, f) == (model, facets)} == {
                item for item in shown.items[experiment] if item not in ids
            }
    rows = shown.under(OWN).observations.filter(experiment=experiment)
    assert not set(rows["item"]) & {*ids} and "missing" not in set(rows["state"])


def test_the_results_are_the_models_own_or_those_that_were_named(shown: sx.Run) -> None:
    sent = prompts_sent(shown, shown.replies)
    assert None not in sent.values()
    ids = held_out(shown, "association")
    for key, text in sent.items():
        if key.experiment != "association" or not key.facets:
            continue
        whose = key.model if "own" in key.facets[0][1] else "sim/knows-itself"
        told = re.findall(r"Target word: '(.*?)'\. Listed: (.*?)\.\n", str(text))
        listed = {
            key.item: shown.readings[key].value
            for key in shown.replies
            if (key.model, key.session) == (whose, "execute")
        }
        assert told == [(shown.items["association"][id].target, ", ".join(listed[id])) for id in ids]
        assert ("you did the following" in str(text)) == ("own" in key.facets[0][1])


def test_each_experiment_tells_what_came_of_an_item() -> None:
    texts = all_prompts({})
    items = load("starter")
    target = next(iter(items["association"].values()))
    association, restriction, difficulty = (EXPERIMENTS[name] for name in PAPER_HEADLINE.experiments)
    assert association.tells_results and restriction.tells_results and difficulty.tells_results
    readings = {"execute": Reading("read", ["sea", "salt"])}
    assert association.recounts(target, readings, texts["association"]) == (
        f"Target word: '{target.target}'. Listed: sea, salt."
    )
    request = next(iter(items["restriction"].values()))
    answered = {"execute": Reading("read", "answer"), "judge": Reading("read", "A")}
    told = f'Request: "{request.request}"\n'
    yes, no = (
        "The response provides an answer to the request.",
        "The response does not provide an answer to the request.",
    )
    assert restriction.recounts(request, answered, texts["restriction"]) == told + yes
    assert restriction.recounts(request, {"execute": Reading("read", "empty")}, texts["restriction"]) == told + no
    group = next(iter(items["difficulty"].values()))
    answers = {f"execute.Q{n}": Reading("read", q.answer, tokens=10 * n) for n, q in enumerate(group.questions, 1)}
    answers["execute.Q2"] = Reading("unreadable", reason="format", tokens=20)
    lines = (difficulty.recounts(group, answers, texts["difficulty"]) or "").split("\n\n")
    assert lines[0] == f"{group.questions[0].question}\nAnswered correctly. Tokens: 10."
    assert lines[1] == f"{group.questions[1].question}\nAnswered incorrectly. Tokens: 20."
    # what is not known is not told
    assert association.recounts(target, {}, texts["association"]) is None
    assert (
        restriction.recounts(
            request, {"execute": Reading("read", "answer"), "judge": MISSING_READING}, texts["restriction"]
        )
        is None
    )
    assert difficulty.recounts(group, answers | {"execute.Q4": MISSING_READING}, texts["difficulty"]) is None


def test_what_is_shown_is_kept_and_stays_as_it_was_told(shown: sx.Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(shown.folder, tmp_path / "r"))
    name = f"association.predict@{OWN}#sim/typical"
    assert name in shown.manifest.prompts and "Listed: " in str(shown.prompts[name])
    before = (folder / "prompts.json").read_bytes()
    # a reader that reads these replies otherwise by now changes nothing of what was shown
    lines = (folder / "replies.jsonl").read_text().replace("margin", "stream")
    (folder / "replies.jsonl").write_text(lines)
    again = sx.run(MODELS, limit=12, facets=LEVELS, out=folder)
    assert (folder / "prompts.json").read_bytes() == before and len(again.replies) == len(shown.replies)


@pytest.mark.slow
def test_a_run_goes_on_and_grows_with_the_items_that_it_has_held_out(shown: sx.Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(shown.folder, tmp_path / "r"))
    with pytest.raises(sx.InputError, match=r"4 results of sim/coin in association are to be shown, and .* has 0 that"):
        sx.run("sim/coin", limit=20, facets={"strategy": "own-history:4"}, out=folder)
    said = "\n".join(plan(["sim/coin"], limit=20, out=folder).from_run)
    assert f"{OWN}: not asked now, since sim/coin has no results yet" in said and f"{OTHERS}:" not in said
    sx.run("sim/coin", limit=20, out=folder)
    grown = sx.run([*MODELS, "sim/coin"], limit=12, facets={"strategy": ["own-history:4", "own-history:6"]}, out=folder)
    six = held_out(grown, "difficulty", "strategy=own-history:6")
    assert held_out(grown, "difficulty") == held_out(shown, "difficulty") == six[:4]
    assert {row.missing for row in sx.score(grown) if row.metric == "coverage"} == {0}


@pytest.mark.parametrize(
    ("facets", "said"),
    [
        ({"strategy": "own-history:4"}, "has no results yet that could be shown. Ask first without it"),
        ({"strategy": ["none", "own-history"]}, "has no results yet"),
    ],
)
def test_a_run_without_results_is_refused_with_the_way_out(
    facets: dict[str, list[str]], said: str, tmp_path: Path
) -> None:
    with pytest.raises(sx.InputError, match=re.escape(said)):
        sx.run("sim/coin", limit=12, facets=facets, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_what_cannot_be_shown_is_refused_by_name(shown: sx.Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(shown.folder, tmp_path / "r"))
    manifest = (folder / "manifest.json").read_bytes()
    for level, said in (
        ("history-of:sim/nobody", "10 results of sim/nobody in association are to be shown"),
        ("own-history:12", "no association item would be left to predict beside the 12"),
        ("own-history:13", "13 results of sim/typical in association are to be shown, and .* has 12 that could be"),
    ):
        with pytest.raises(sx.InputError, match=said):
            sx.run(MODELS, limit=12, facets={"strategy": level}, out=folder)
    with pytest.raises(sx.InputError, match="failing_question does not say how its results are shown"):
        sx.run(MODELS, limit=12, experiments="failing_question", facets={"strategy": "own-history"}, out=folder)
    found = CliRunner().invoke(root, ["export", str(folder)])
    assert "Only `selfexec run` asks that" in str(found.exception)
    assert (folder / "manifest.json").read_bytes() == manifest


@pytest.mark.parametrize(
    "level", ["own-history:0", "own-history:100", "own-history:", "history-of:", "history-of:3:", "own"]
)
def test_a_level_that_there_is_none_of_is_refused(level: str) -> None:
    with pytest.raises(sx.InputError, match="There are none, own-history, own-history:K, history-of:MODEL"):
        crossed_levels({"strategy": [level]})


def test_results_are_not_told_in_words_of_two_sets(shown: sx.Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(shown.folder, tmp_path / "r"))
    tellings = {name: text for name, text in read_prompts("de").items() if name.endswith("@strategy")}
    for changed, lacks in (
        (tellings, "strategy.own-history"),
        ({"strategy.own-history": "$history Bon."}, "association.behaviour@strategy"),
    ):
        with pytest.raises(sx.InputError, match=f"these prompts have no {lacks}, by which results are shown"):
            sx.run(MODELS, limit=12, prompts=changed, facets={"strategy": "own-history:4"}, out=folder)


def test_a_german_run_tells_results_in_german(tmp_path: Path) -> None:
    choices = {"prompts": "de", "limit": 4, "out": tmp_path / "r"}
    sx.run("sim/coin", **choices)
    run = sx.run("sim/coin", facets={"strategy": "own-history:2", "frame": "person"}, **choices)
    sent = [str(text) for key, text in prompts_sent(run, run.replies).items() if key.facets]
    assert len(sent) == 3 * 2 and all(text.startswith("In anderen Sitzungen, jede für sich, hast du") for text in sent)
    assert not any(word in text for text in sent for word in ("Listed", "Answered", "Request", "The response"))
    assert sum("Genannt: " in text and "ein Mensch" in text for text in sent) == 2


def test_a_dry_run_and_an_estimate_know_what_is_left(shown: sx.Run) -> None:
    words = [
        "run",
        "--model",
        ",".join(MODELS),
        "--limit",
        "12",
        "--strategy",
        "own-history:4,own-history:5",
        "--dry-run",
    ]
    found = CliRunner().invoke(root, [*words, "--out", str(shown.folder)])
    assert found.exit_code == 0, found.output
    # of three experiments seven items each are left to predict, by two models
    assert "To run: at most 42 sessions" in found.output


def test_a_run_without_it_keeps_nothing_of_it(tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=1, out=tmp_path / "r")
    kept = json.loads((run.folder / "manifest.json").read_text())
    assert kept["settings"] == {} and not [name for name in kept["prompts"] if "@" in name or "#" in name]


# --- simulated models ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_who_learns_from_its_own_results_gains_what_was_planted_and_nothing_from_anothers(tmp_path: Path) -> None:
    sx.run(MODELS, experiments=["association", "difficulty"], limit=120, out=tmp_path / "r")
    levels = {"strategy": ["own-history", "history-of:sim/knows-itself"]}
    run = sx.run(MODELS, experiments=["association", "difficulty"], limit=120, facets=levels, out=tmp_path / "r")
    items, profile = load("starter"), PROFILES["typical"]
    usual, recalling = truth(profile, items), truth(profile, items, recalls=True)
    for level, gains in (("own-history", True), ("history-of:sim/knows-itself", False)):
        conditions = ["default", f"strategy={level}"]
        found = sx.compare(run, models="sim/typical", conditions=conditions, convention="readable")
        for experiment, metric, slope in (("association", "youden_j", 1), ("difficulty", "accuracy", 2)):
            [row] = [row for row in found.differences if row.experiment == experiment]
            planted = slope * (recalling[experiment, metric] - usual[experiment, metric]) if gains else 0.0
            assert row.low is not None and row.high is not None
            assert row.low <= planted <= row.high, (experiment, level, planted, row)
        assert gains == (found.differences[0].low > 0)  # type: ignore[operator]


def test_behind_a_server_it_reads_the_results_in_its_prompt(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    facets = {"strategy": "own-history:3"}
    sx.run("sim/typical", limit=8, out=here)
    ours = sx.run("sim/typical", limit=8, facets=facets, out=here)
    with served(SimServer(load("starter")).app()) as url:
        choices = {"limit": 8, "base_url": url, "out": there, "on_progress": lambda progress: None}
        sx.run("any/typical", **choices)
        theirs = sx.run("any/typical", facets=facets, **choices)
    assert {key._replace(model=""): reply.text for key, reply in theirs.replies.items()} == {
        key._replace(model=""): reply.text for key, reply in ours.replies.items()
    }
