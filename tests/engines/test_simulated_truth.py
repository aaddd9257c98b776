"""The simulated panel's truth is known: what comes out of a run must lie within what sampling allows."""

import math
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from scipy.stats import binom, t

import selfexec as sx
from build import part_of
from selfexec.engines.sim import PROFILES, Knowledge, respondent, truth
from selfexec.engines.sim.experiments.restriction import answers
from selfexec.experiments import messages_of
from selfexec.items import load
from selfexec.runs.asking import run

# five seeds of each profile among the slow tests, ten among the long ones
SEEDS = [pytest.param(5, marks=pytest.mark.slow), pytest.param(10, marks=pytest.mark.long)]
# the chance of a false alarm that a single check may have: there are some two hundred numbers
RARE = 2e-4
KNOWLEDGE = Knowledge.of(load("starter"))
# self_simulation and token_injection have studies of their own
EXPERIMENTS = ("association", "restriction", "difficulty", "failing_question")


@pytest.fixture(scope="module", params=SEEDS)
def seeds(request: pytest.FixtureRequest) -> int:
    """How many models there are of each profile."""
    return int(request.param)


@pytest.fixture(scope="module")
def panel(seeds: int, tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    models = [f"sim/{profile}@{seed}" for profile in PROFILES for seed in range(seeds)]
    return run(models, experiments=EXPERIMENTS, out=tmp_path_factory.mktemp("runs") / "panel")


@pytest.fixture(scope="module")
def strict(panel: sx.Run) -> sx.Scores:
    counted = [model for model in panel.models if model.startswith(("sim/coin@", "sim/knows-"))]
    return sx.score(part_of(panel, models=[*counted, "sim/breaks-format@0", "sim/declines@0"]))


@pytest.fixture(scope="module")
def readable(panel: sx.Run, seeds: int) -> sx.Scores:
    """Nothing that is looked at here depends on models of other profiles, which would take it twice as long."""
    alike = ([f"sim/{profile}@{seed}" for seed in range(seeds)] for profile in PROFILES)
    return sx.Scores(row for models in alike for row in sx.score(part_of(panel, models=models), "readable"))


@pytest.mark.parametrize("profile", PROFILES)
def test_known_rates_are_recovered(panel: sx.Run, readable: sx.Scores, seeds: int, profile: str) -> None:
    # the mean of so few seeds, over its standard error as they show it, has Student's t-distribution
    errors = t.isf(RARE, seeds - 1)
    wanted = {place: rate for place, rate in truth(PROFILES[profile], panel.items).items() if place[0] in EXPERIMENTS}
    assert {experiment for experiment, _ in wanted} == {*EXPERIMENTS}
    for (experiment, metric), expected in wanted.items():
        rows = [readable.row(f"sim/{profile}@{seed}", experiment, metric) for seed in range(seeds)]
        found = [row.value for row in rows if row.value is not None]
        assert len(found) == seeds
        mean = sum(found) / seeds
        spread = math.sqrt(sum((value - mean) ** 2 for value in found) / (seeds - 1))
        # what models in general find hard is one draw, shared by all seeds: hence the margin
        margin = 0.02 if experiment == "difficulty" else 1e-9
        if (
            metric == "coverage" and mean == 1
        ):  # no reply of so many items is unread: seeds alike show no error of theirs
            margin = 1 - RARE ** (1 / (seeds * len(panel.items[experiment])))
        assert abs(mean - expected) <= errors * spread / math.sqrt(seeds) + margin, (experiment, metric, mean, expected)


@pytest.mark.parametrize("convention", ["strict", "readable"])
def test_intervals_of_who_knows_nothing_cover_zero_skill_as_often_as_they_should(
    strict: sx.Scores, readable: sx.Scores, seeds: int, convention: str
) -> None:
    scores = strict if convention == "strict" else readable
    rows = [
        scores.row(f"sim/coin@{seed}", experiment, metric)
        for seed in range(seeds)
        for experiment, metric in (("association", "youden_j"), ("restriction", "youden_j"), ("difficulty", "tau"))
    ]
    # an unread prediction is a wrong one under strict: 1% of them move the centre by 1%
    shift = 0.01 if convention == "strict" else 0.0
    covered = sum((row.low or 0) - shift <= -shift <= (row.high or 0) + shift for row in rows)
    # of 15 intervals of 95% fewer than 11, and of 30 fewer than 24, have a chance below one in a thousand
    assert covered >= binom.ppf(0.001, len(rows), 0.95)


def test_who_knows_itself_is_told_from_who_knows_models_in_general(strict: sx.Scores, seeds: int) -> None:
    for seed in range(seeds):
        itself = strict.row(f"sim/knows-itself@{seed}", "overall", "skill")
        models = strict.row(f"sim/knows-models@{seed}", "overall", "skill")
        assert itself.low is not None
        assert models.high is not None
        assert itself.low > models.high


def test_much_that_cannot_be_read_withholds_the_headline(panel: sx.Run, strict: sx.Scores) -> None:
    for name in ("breaks-format", "declines"):
        row = strict.row(f"sim/{name}@0", "overall", "skill")
        assert row.value is None
        assert row.reason is not None
        assert "coverage" in row.reason
    reasons = set(panel.sessions.filter(panel.sessions["model"] == "sim/declines@0")["reason"].drop_nulls())
    assert "declined" in reasons


def test_who_writes_questions_that_it_fails_is_told_from_who_does_not(readable: sx.Scores, seeds: int) -> None:
    rows = {p: [readable.row(f"sim/{p}@{seed}", "failing_question", "lift") for seed in range(seeds)] for p in PROFILES}
    assert all(row.low is not None and row.low > 0 for row in rows["knows-itself"])
    # it fails one in ten of its own and one in four of the control: its questions are easier, if anything
    assert all(row.low is not None and row.low < 0 for row in rows["typical"])


def test_a_simulated_model_finds_its_own_wrong_keys_and_what_nobody_can_check(panel: sx.Run) -> None:
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    for key, reading in panel.readings.items():
        if key.session == "verify":
            verdicts[key.model.partition("@")[0].removeprefix("sim/")][reading.value] += 1
    for profile, found in verdicts.items():
        n, rates = found.total(), PROFILES[profile]
        wrong, unchecked = rates.wrong_keys, rates.own_random * (1 - rates.wrong_keys)
        for verdict, rate in (("B", wrong), ("C", 0.0), ("D", unchecked), ("A", 1 - wrong - unchecked)):
            assert abs(found[verdict] / n - rate) <= 4 * math.sqrt(rate * (1 - rate) / n) + 1e-9, (profile, verdict)


@pytest.mark.slow
def test_a_reply_depends_on_profile_seed_prompt_and_epoch_alone() -> None:
    prompts = [f"What is {n} + {n}?" for n in range(3)] + [next(iter(KNOWLEDGE["labels"]))]
    for prompt in prompts:
        one = respondent("sim/typical@4", KNOWLEDGE).reply(messages_of(prompt), 2)
        again = respondent("sim/typical@4", KNOWLEDGE)
        again.reply(messages_of("something else"), 1)
        assert again.reply(messages_of(prompt), 2) == one


@pytest.mark.slow
def test_seeds_and_epochs_differ() -> None:
    requests = list(KNOWLEDGE["labels"])

    def answered(model: str, epoch: int) -> list[bool]:
        return [answers(respondent(model, KNOWLEDGE), request, epoch) for request in requests]

    first = answered("sim/typical", 1)
    assert first != answered("sim/typical@1", 1)
    again = answered("sim/typical", 2)
    # a behaviour is drawn afresh in one epoch of ten, and then mostly comes out the same
    assert 0 < sum(a != b for a, b in zip(first, again, strict=True)) < 0.2 * len(requests)


@pytest.mark.slow
def test_a_prompt_that_it_does_not_know_gets_a_plain_reply() -> None:
    reply = respondent("sim/typical", KNOWLEDGE).reply(messages_of("Tell me a joke."))
    assert reply.text
    assert reply.output_tokens


@pytest.mark.slow
def test_it_knows_items_of_other_folders_too(tmp_path: Path) -> None:
    folder = tmp_path / "items"
    folder.mkdir()
    (folder / "association.jsonl").write_text('{"id": "x", "target": "Moon", "options": ["tide", "cheese"]}\n')
    found = run(["sim/knows-itself"], items=str(folder), out=tmp_path / "run")
    assert found.observations["state"].to_list() == ["read", "read"]
