"""What is analysed is said once, and every function and command takes it."""

import inspect
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import click
import pytest

import selfexec as sx
from build import part_of
from extension_parts import here, needs
from selfexec.analysis.selection import Selection
from selfexec.analysis.warnings import SameReplies
from selfexec.cli import root
from selfexec.cli.analyze import command as analyze
from selfexec.errors import InputError

STORED = Path(__file__).parents[1] / "stored"
FUNCTIONS: dict[str, Callable[..., object]] = {
    "score": sx.score,
    "compare": sx.compare,
    "trend": sx.trend,
    "cross": sx.cross_prediction,
    "ladder": sx.ladder,
    "correlate": sx.correlations,
    **({"ledger": sx.ledger} if here("published") else {}),
    **({"card": sx.card} if here("card") else {}),
    **({"properties": sx.property_scores} if here("simulating") else {}),
    **({"injection": sx.injection_scores} if here("injecting") else {}),
    **({"tool": sx.tool_scores} if here("tool") else {}),
    "report": sx.report,
}


@pytest.fixture(
    scope="module",
    params=[
        ("strict", None),
        ("readable", None),
        pytest.param(("authors", None), marks=needs("published")),
        pytest.param(("strict", 100), marks=pytest.mark.slow),
    ],
)
def every(request: pytest.FixtureRequest) -> tuple[str, int | None, sx.Scores]:
    """A convention, how often it was drawn, and the scores of the whole run."""
    convention, bootstrap = request.param
    return convention, bootstrap, sx.score(STORED / "panel", convention, bootstrap=bootstrap)


@pytest.mark.parametrize(
    ("models", "experiments"), [(["sim/typical", "sim/coin"], ["restriction"]), ([], ["difficulty", "overall"])]
)
@pytest.mark.slow
def test_a_selection_shows_some_models_and_experiments_and_keeps_the_others_as_reference_models(
    models: list[str], experiments: list[str], every: tuple[str, int | None, sx.Scores]
) -> None:
    convention, bootstrap, scores = every
    selection = Selection.of(STORED / "panel", convention, models=models, experiments=experiments)
    some = sx.score(selection, bootstrap=bootstrap)
    wanted = [row for row in scores if row.experiment in experiments and (not models or row.model in models)]
    by_row = zip(scores, scores.records(), strict=True)
    assert some.records() == [record for row, record in by_row if row in wanted] != []
    assert some.runs == scores.runs
    of_rows = [warning for warning in scores.warnings if not isinstance(warning, SameReplies)]
    meant = [w for w in of_rows if w.experiment in experiments and (not models or w.model in models)]
    assert [w for w in some.warnings if not isinstance(w, SameReplies)] == meant
    own = [one for one in scores.own if one.experiment in experiments and (not models or {*models} & {*one.found.each})]
    assert [(one.experiment, repr(one.found.overall)) for one in some.own] == [
        (one.experiment, repr(one.found.overall)) for one in own
    ]


@pytest.mark.slow
def test_every_function_finds_by_a_selection_what_it_finds_by_the_same_choices() -> None:
    pair = ["sim/typical", "sim/coin"]
    run = part_of(sx.load(STORED / "panel"), experiments=["association", "restriction"])
    some = Selection.of(run, models=pair)
    assert sx.compare(some, metrics="accuracy").json() == sx.compare(run, models=pair, metrics="accuracy").json()
    assert sx.trend(some, metrics="accuracy").json() == sx.trend(run, models=pair, metrics="accuracy").json()
    assert sx.ladder(some).json() == sx.ladder(run, models=pair).json()
    readable = Selection.of([run], "readable")
    assert sx.compare(readable).convention == sx.trend(readable).convention == "readable"
    assert sx.score(readable).json() == sx.score(run, "readable").json()
    assert sx.correlations(readable).json() == sx.correlations(run, convention="readable").json()
    by_rule = Selection.of(run, source="rule")
    assert sx.score(by_rule).records() == sx.score(run, source="rule").records() != sx.score(some).records()
    assert sx.cross_prediction(Selection.of(run)).json() == sx.cross_prediction(run).json()


@pytest.mark.slow
@needs("published")
def test_the_ledger_finds_by_a_selection_what_it_finds_by_the_same_choices() -> None:
    pair = ["sim/typical", "sim/coin"]
    run = part_of(sx.load(STORED / "panel"), experiments=["association", "restriction"])
    assert sx.ledger(Selection.of(run, models=pair)).json() == sx.ledger(run, models=pair).json()


@pytest.mark.slow
@needs("card")
def test_the_card_finds_by_a_selection_what_it_finds_by_the_same_choices() -> None:
    run = part_of(sx.load(STORED / "panel"), experiments=["association", "restriction"])
    readable = Selection.of([run], "readable")
    assert sx.card(readable).markdown() == sx.card(run, convention="readable").markdown()


def test_a_choice_beside_a_selection_is_refused_and_so_is_one_that_would_do_nothing() -> None:
    run = STORED / "panel"
    for refused, message in (
        (lambda: sx.score(Selection.of(run), "readable"), "a selection holds its own options"),
        (lambda: sx.compare(Selection.of(run), models="sim/coin"), "a selection holds its own options"),
        (lambda: sx.compare(Selection.of(run, groups="families.csv")), "there is no option groups here"),
    ):
        with pytest.raises(InputError, match=message):
            refused()


@needs("card", "published")
def test_a_choice_of_a_selection_that_a_card_or_a_ledger_would_not_heed_is_refused() -> None:
    run = STORED / "panel"
    for refused, message in (
        (lambda: sx.card(Selection.of(run, models="sim/coin")), "there is no option models here"),
        (lambda: sx.card(Selection.of(run, source="rule")), "there is no option source here"),
        (lambda: sx.ledger(Selection.of(run, "readable")), "there is no option convention here"),
    ):
        with pytest.raises(InputError, match=message):
            refused()


def test_names_and_conventions_that_are_not_there_are_refused_with_those_that_are() -> None:
    run = STORED / "panel"
    for choices, message in (
        ({"models": "nobody"}, "unknown model 'nobody'. There are sim/"),
        ({"experiments": "taste"}, "unknown experiment 'taste'. There are association, .*overall"),
        ({"convention": "lax"}, "unknown convention 'lax'. There are strict, readable"),
    ):
        with pytest.raises(InputError, match=message):
            sx.score(Selection.of(run, **choices))
    for function in (sx.compare, sx.trend, sx.report, sx.ladder, *([sx.card] if here("card") else [])):
        with pytest.raises(InputError, match=r"unknown convention 'authors'\. There are strict, readable"):
            function(Selection.of(run, "authors"))


def test_nothing_is_read_before_it_is_wanted() -> None:
    absent = Selection.of("no/such/run", readings="none.jsonl")
    assert replace(absent, models=("m",)).given == ("no/such/run",)
    with pytest.raises(InputError, match="no/such/run"):
        absent.runs  # noqa: B018


def command_named(name: str) -> click.Command | None:
    """A command, or an analysis."""
    context = click.Context(root)
    analyze = root.get_command(context, "analyze")
    assert isinstance(analyze, click.Group)
    return root.get_command(context, name) or analyze.get_command(context, name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_command_has_each_choice_of_a_selection_that_its_function_has(name: str) -> None:
    command = command_named(name)
    assert command is not None
    # a function and a selection are called with the options themselves, so that `signature` sees what people see
    choices = {*inspect.signature(Selection.of).parameters} - {"given"}
    taken = choices & {*inspect.signature(FUNCTIONS[name]).parameters}
    assert {"readings", "conditions", "accept_ends"} <= taken
    assert choices & {param.name for param in command.params} == taken
    for missing in choices - taken:
        value = {"convention": "readable", "groups": "families.csv", "panel": "none"}.get(missing, "self")
        with pytest.raises(InputError, match=f"there is no option {missing} here"):
            FUNCTIONS[name](Selection.of(STORED / "panel", **{missing: value}))


def test_a_selection_holds_what_its_options_are() -> None:
    # whether conditions may be meant that stand apart, is for each function to say and for nobody to choose
    chosen = {field.name for field in fields(Selection)} - {"with_apart"}
    assert chosen == {*inspect.signature(Selection.of).parameters}


def test_there_is_no_other_command_about_several_runs() -> None:
    commands = {name: command_named(name) for name in (*root.commands_by_name, *analyze.commands_by_name)}
    about_runs = {name for name, c in commands.items() if c and any(p.name == "runs" for p in c.params)}
    assert about_runs == {*FUNCTIONS, "view"}  # which shows what `report` writes
