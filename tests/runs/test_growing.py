"""The folder of a run as it grows, plan by plan: what may be asked in it, and what its manifest says then."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfexec.errors import InputError
from selfexec.facets import DEFAULT
from selfexec.items import load
from selfexec.runs.asking import Plan, begin, grow, growth, plan, refuse_misfit
from selfexec.runs.design import Block, crossed, unfolded
from selfexec.runs.folder import load_manifest

ITEMS = load("starter").cut(["restriction"], limit=3)
OWN = {"restriction.predict": "Would you? $request A or B?"}


def wanted(out: Path, models: Any = "sim/coin", **more: Any) -> Plan:
    return plan(models, out=out, **{"experiments": "restriction", "limit": 2, **more})


def test_a_changed_prompt_is_a_misfit_only_where_its_experiment_is_asked(tmp_path: Path) -> None:
    begin(wanted(tmp_path / "r", prompts=OWN))
    refuse_misfit(wanted(tmp_path / "r", prompts=OWN))
    refuse_misfit(wanted(tmp_path / "r", experiments="association"))
    for experiments in (["restriction"], ["association", "restriction"]):
        with pytest.raises(InputError, match=r"the prompt restriction\.predict has changed since this run began"):
            refuse_misfit(wanted(tmp_path / "r", experiments=experiments))


def test_a_sentence_that_a_letter_stands_for_is_held_against_the_shipped_one(tmp_path: Path) -> None:
    other, said = {"restriction.predict.A": "It will."}, r"the prompt restriction\.predict\.A has changed"
    begin(wanted(tmp_path / "other", prompts=other))
    refuse_misfit(wanted(tmp_path / "other", prompts=other))
    refuse_misfit(wanted(tmp_path / "other", experiments="association"))
    with pytest.raises(InputError, match=said):
        refuse_misfit(wanted(tmp_path / "other"))
    begin(wanted(tmp_path / "shipped"))
    with pytest.raises(InputError, match=said):
        refuse_misfit(wanted(tmp_path / "shipped", prompts=other))
    begin(wanted(tmp_path / "without", experiments="association"))
    refuse_misfit(wanted(tmp_path / "without", prompts=other))  # nothing of it was asked before


def test_a_changed_setting_is_a_misfit_but_for_experiments_that_were_not_asked(tmp_path: Path) -> None:
    begin(wanted(tmp_path / "r", settings={"temperature": 0}))

    def said(**settings: Any) -> str:
        with pytest.raises(InputError) as refused:
            refuse_misfit(wanted(tmp_path / "r", **settings))
        return str(refused.value).removeprefix(f"{tmp_path / 'r'}: the setting ").partition(". Choose another")[0]

    refuse_misfit(wanted(tmp_path / "r", settings={"temperature": 0}))
    refuse_misfit(wanted(tmp_path / "r", settings={"temperature": 0, "association.top_p": 0.5}))
    assert said() == "temperature was 0 when this run began and is not set now"
    assert said(settings={"temperature": 1}) == "temperature was 0 when this run began and is 1 now"
    more = {"temperature": 0, "restriction.top_p": 0.5}
    assert said(settings=more) == "restriction.top_p was not set when this run began and is 0.5 now"
    assert said(settings={"temperature": 0}, system="Be.") == "system was not set when this run began and is 'Be.' now"


BEGUN: list[dict[str, Any]] = [
    {},
    {"max_calls": 1},
    {"shard": "1/2"},
    {"facets": {"thinking": ["on", "off"]}},
    {"experiments": ["restriction", "association"]},
]


@pytest.mark.parametrize("given", BEGUN)
def test_a_run_is_begun_with_the_manifest_to_which_an_empty_one_grows(tmp_path: Path, given: dict[str, Any]) -> None:
    begun, empty = (wanted(tmp_path / name, epochs=2, **given) for name in ("begun", "empty"))
    manifest = begin(begun, begun.design)
    assert manifest == load_manifest(begun.out)
    begin(empty)
    assert grow(empty) == manifest and manifest.settings == empty.settings_of_facets


def test_the_manifest_of_a_run_that_was_begun_is_known_again_whatever_its_settings_are_made_of(tmp_path: Path) -> None:
    begun = wanted(tmp_path / "r", settings={"metadata": {"of": ("a", "b")}})
    assert begin(begun, begun.design) == load_manifest(begun.out)


def test_what_is_planned_under_a_cap_is_not_yet_what_was_asked(tmp_path: Path) -> None:
    begin(wanted(tmp_path / "r"))
    capped = grow(wanted(tmp_path / "r", max_calls=1))
    assert (capped.design, capped.planned) == ([], [Block(["sim/coin"], "restriction")])
    whole = grow(wanted(tmp_path / "r"))
    assert (whole.design, whole.planned) == ([Block(["sim/coin"], "restriction")], [])
    assert grow(wanted(tmp_path / "r", max_calls=1)).planned == []  # all of it was asked before


def test_a_run_grows_by_models_items_epochs_and_experiments_and_loses_none(tmp_path: Path) -> None:
    begin(wanted(tmp_path / "r", epochs=2))
    grow(wanted(tmp_path / "r", epochs=2))
    grown = grow(
        wanted(
            tmp_path / "r", ["sim/typical", "sim/coin"], experiments=["restriction", "association"], limit=3, epochs=1
        )
    )
    assert (grown.models, grown.simulated, grown.epochs) == (["sim/coin", "sim/typical"],) * 2 + (2,)
    assert set(grown.experiments) == {"association", "restriction"}
    design = unfolded(grown.design or [], load(tmp_path / "r" / "items"))
    one, two, three = ITEMS["restriction"]
    assert design["sim/coin", "restriction", DEFAULT] == {one: 2, two: 2, three: 1}
    assert design["sim/typical", "restriction", DEFAULT] == {one: 1, two: 1, three: 1}
    assert set(design["sim/coin", "association", DEFAULT].values()) == {1}


def test_the_name_of_a_cut_holds_as_long_as_the_items_are_those_of_the_cut(tmp_path: Path) -> None:
    quick = wanted(tmp_path / "r", limit=None, preset="quick")
    begin(quick)
    assert grow(quick).preset == "quick"
    assert grow(wanted(tmp_path / "r", limit=1)).preset == "quick"  # nothing new came
    assert grow(wanted(tmp_path / "r", limit=None)).preset is None
    assert grow(quick).preset is None
    named = tmp_path / "named"
    begin(wanted(named, limit=1))
    assert grow(wanted(named, limit=None, preset="full")).preset == "full"


def test_a_model_with_settings_of_its_own_keeps_them(tmp_path: Path) -> None:
    begin(wanted(tmp_path / "r"))
    grown = grow(wanted(tmp_path / "r"))
    assert (grown.settings, grown.own_settings, grown.shard, grown.origin) == ({}, {}, None, "run")
    assert grown.prompts and all(len(sha256) == 64 for sha256 in grown.prompts.values())


def test_what_a_log_has_in_more_epochs_than_are_asked_is_asked_in_those_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = wanted(tmp_path / "r", limit=3, epochs=2)
    one, two, _ = ITEMS["restriction"]
    assert planned.design == crossed(["sim/coin"], ITEMS, 2)
    seen = {(one, 1), (one, 2), (one, 3), (two, 2)}
    asked = replace(planned, recorded=frozenset(("sim/coin", "restriction", id, n) for id, n in seen))

    monkeypatch.setattr(Plan, "can_ask", lambda plan, job: tuple(job) in plan.recorded)
    assert asked.design == {("sim/coin", "restriction", DEFAULT): {one: 2, two: 1}}


@pytest.mark.parametrize(
    ("more", "added"),
    [
        ({}, None),
        ({"models": "sim/typical"}, None),  # the plan itself says that it is new
        ({"limit": 5}, "3 more restriction requests"),
        ({"epochs": 3}, "restriction in 3 epochs, where it was 1"),
        (
            {"experiments": ["association", "restriction"], "epochs": 2},
            "2 association targets; restriction in 2 epochs, where it was 1",
        ),
        ({"experiments": "association"}, "2 association targets"),
        (
            {"experiments": ["association", "restriction"], "limit": 3},
            "3 association targets; 1 more restriction request",
        ),
        ({"facets": {"frame": ["person"]}}, "condition frame=person"),
    ],
)
def test_what_a_command_adds_to_the_run_in_its_folder_is_said_before_it_asks(
    more: dict[str, Any], added: str | None, tmp_path: Path
) -> None:
    out = tmp_path / "r"
    assert list(growth(wanted(out, **more))) == []  # nothing is there that could grow
    first = wanted(out)
    begin(first, first.design)
    said = f"{out}: this run exists, and the command adds to it: {added}. For a separate run, give another --out."
    assert list(growth(wanted(out, **more))) == ([said] if added else [])


def test_what_a_run_was_to_ask_and_has_not_asked_yet_is_nothing_more(tmp_path: Path) -> None:
    first = wanted(tmp_path / "r", epochs=2, max_calls=1)
    begin(first, first.design)
    assert list(growth(wanted(tmp_path / "r", epochs=2))) == []
    assert list(growth(wanted(tmp_path / "r"))) == []  # fewer epochs than there are
