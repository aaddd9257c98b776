"""Whether predictions moved with a planted behaviour: slopes by hand, simulated pairs, and what is no such pair."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats

import selfexec as sx
from build import selfexec, write
from selfexec.analysis.compare.moved import Changes, Estimated, moved_over_items, moved_over_pairs
from selfexec.analysis.compare.planted import Claimed, is_mirror, pairs_of
from selfexec.stats import fieller

ROOT = Path(__file__).parents[2]
Answers = Mapping[str, Sequence[bool | None]]  # about itself, about a person, behaviour -> a yes for each item


def planted_run(folder: Path, model: str, answers: Answers, who: str = "person") -> Path:
    """A run of restriction in which a model predicts and behaves as said here, request by request."""
    items = folder.parent / "items"
    if not items.exists():
        items.mkdir(parents=True)
        count = len(answers["behaviour"])
        rows = [{"id": f"r{n}", "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(count)]
        write(items / "restriction.jsonl", rows)
    facets: dict[str, dict[str, str]] = {"itself": {}, "person": {"frame": who}}
    letter = {True: "A", False: "B", None: "Who knows?"}
    lines = [
        {"session": "predict", "text": letter[yes], "item": f"r{n}", "facets": facets[about]}
        for about in facets
        for n, yes in enumerate(answers.get(about, ()))
    ]
    for n, yes in enumerate(answers["behaviour"]):
        lines += [{"session": "execute", "text": "Here you are.", "item": f"r{n}"}]
        lines += [{"session": "judge", "text": letter[yes], "item": f"r{n}"}]
    replies = folder.with_suffix(".jsonl")
    write(replies, [{"model": model, "experiment": "restriction", **line} for line in lines])
    sx.import_replies([replies], items=items, out=folder)
    return folder


def planted_csv(path: Path, assignments: Mapping[str, Sequence[bool]]) -> Path:
    lines = [
        f"{model},r{n},{'yes' if yes else 'no'}"
        for model, planted in assignments.items()
        for n, yes in enumerate(planted)
    ]
    path.write_text("\n".join(["model,item,planted", *lines, ""]), "utf-8")
    return path


HALF = [True, False] * 20


def before_and_after(tmp_path: Path) -> list[Path]:
    """40 requests, all answered before, and predicted to be by everybody. Half of them are planted to be declined, by
    turns: the model declines 16 of these 20, predicts that of 12, and of a person it predicts it of 4; of the 20 that
    are planted to be answered it now predicts 2 not to be, and of a person none.
    """
    every = [True] * 40
    declined = [n for n in range(40) if not HALF[n]]
    kept = [n for n in range(40) if HALF[n]]

    def without(numbers: Sequence[int]) -> list[bool | None]:
        return [n not in numbers for n in range(40)]

    old = planted_run(tmp_path / "before", "m", {"itself": every, "person": every, "behaviour": every})
    answers = {
        "itself": without([*declined[:12], *kept[:2]]),
        "person": without(declined[:4]),
        "behaviour": without(declined[4:]),
    }
    return [old, planted_run(tmp_path / "after", "m", answers)]


def test_slopes_by_hand(tmp_path: Path) -> None:
    runs = before_and_after(tmp_path)
    found = sx.compare(runs, metrics="moved", planted=planted_csv(tmp_path / "p.csv", {"after": HALF}))
    [row] = found.moves
    # behaviour: 0 where yes was planted, -16/20 where no was; predictions: -2/20 and -12/20; about a person 0 and -4/20
    assert row.behaviour == pytest.approx(0.8)
    assert row.own == pytest.approx((-2 / 20 + 12 / 20) / 0.8)
    assert row.other == pytest.approx((4 / 20) / 0.8)
    assert row.difference == pytest.approx(0.5 / 0.8 - 0.2 / 0.8)
    assert (row.about, row.mirrored, row.units, row.items, row.claims) == ("person", False, "items", 40, 40)
    assert row.reason is None and row.caution is None
    assert found.frame().select("new", "own", "claims").rows() == [(["m (after)"], row.own, 40)]
    assert found.records()["moves"][0]["old"] == ["m (before)"]
    # the interval of the behaviour: errors of two means of twenty, each with sums of squares 0 and 20 * .8 * .2
    error = math.sqrt(40 / 38 * 3.2 / 20**2)
    half = scipy_stats.t(38).ppf(0.975) * error
    assert (row.behaviour_low, row.behaviour_high) == pytest.approx((0.8 - half, 0.8 + half))
    # every end of the interval is a slope at which what is left of the difference is just surely not 0
    for end in (row.difference_low, row.difference_high):
        assert end is not None
        # change of itself less person less end * behaviour, by hand: 12 and 4 and 16 of the 20 where no was planted
        yes = np.array([-1.0] * 2 + [0.0] * 18)
        no = np.array([-(n < 12) + (n < 4) + end * (n >= 4) for n in range(20)])
        left = yes.mean() - no.mean()
        spread = math.sqrt(40 / 38 * sum(((side - side.mean()) ** 2).sum() / 20**2 for side in (yes, no)))
        assert abs(left) / spread == pytest.approx(scipy_stats.t(38).ppf(0.975))


def test_mirrored_models_move_half_of_what_lies_between_them(tmp_path: Path) -> None:
    # 40 requests; the first model answers what it was planted to, the second the opposite of all; topics 0 to 9 are
    # answered in any case. Predictions about itself follow on 20 to 39, those about a person nowhere.
    def behaviour(planted: Sequence[bool]) -> list[bool | None]:
        return [n < 10 or yes for n, yes in enumerate(planted)]

    def itself(planted: Sequence[bool]) -> list[bool | None]:
        return [n < 20 or yes for n, yes in enumerate(planted)]

    opposite = [not yes for yes in HALF]
    person = [True] * 40
    runs = [
        planted_run(tmp_path / name, name, {"itself": itself(p), "person": person, "behaviour": behaviour(p)})
        for name, p in (("one", HALF), ("mirror", opposite))
    ]
    csv = planted_csv(tmp_path / "p.csv", {"one": HALF, "mirror": opposite})
    [row] = sx.compare(runs, metrics="moved", planted=csv).moves
    # half of the difference, planted yes less planted no: 15 of 20 items either way differ by 1, so 15/20; itself 10/20
    assert row.mirrored and (row.new, row.old) == (("one",), ("mirror",))
    assert row.behaviour == pytest.approx(15 / 20)
    assert row.own == pytest.approx(10 / 15) and row.other == pytest.approx(0)
    # whichever comes first
    [other_way] = sx.compare(runs[::-1], metrics="moved", planted=csv).moves
    assert (other_way.new, other_way.own) == (("mirror",), pytest.approx(10 / 15))
    assert other_way.difference_low == pytest.approx(row.difference_low)


# --- worlds ----------------------------------------------------------------------------------------------------------


def simulated(
    rng: np.random.Generator, follows: float, follows_itself: float | None = None, *, mirrored: bool, items: int = 32
) -> Changes:
    """A pair in which behaviour moves with what was planted, predictions about somebody else by `follows`, and those
    about itself by `follows_itself`, in standard deviations of a reply; what a topic suggests is in everything.
    """
    yes = rng.permutation(np.arange(items) < items // 2)
    topic, start = rng.normal(size=items), -1.0 if mirrored else 0.0

    def said(effect: float) -> np.ndarray:
        signs = np.where(yes, effect, -effect)
        return (topic + signs + rng.normal(size=items) > 0).astype(float)

    sizes = (follows if follows_itself is None else follows_itself, follows, 1.5)
    changes = np.stack([said(size) - said(start * size) for size in sizes], 1)
    return Changes(changes / (2 if mirrored else 1), yes, np.arange(items))


def holds_zero(found: Estimated) -> bool | None:
    """Whether the interval of the difference holds 0; None where slopes are withheld."""
    if not found.behaviour.low > 0:
        return None
    low, high = found.slope((1.0, -1.0))[1]
    return low <= 0 <= high


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("follows", [0.0, 0.5])
def test_where_both_predictions_move_alike_19_of_20_intervals_hold_0(follows: float, mirrored: bool) -> None:
    rng = np.random.default_rng(7)
    held = [holds_zero(moved_over_items(simulated(rng, follows, mirrored=mirrored))) for _ in range(800)]
    judged = [one for one in held if one is not None]
    # of 800 at .95 between .93 and .97 in 99 of 100 tries
    assert len(judged) > 600 and 0.93 <= np.mean(judged) <= 0.97


def test_over_pairs_19_of_20_intervals_hold_0_also_where_trainings_differ() -> None:
    rng = np.random.default_rng(8)

    def pairs() -> np.ndarray:
        # each training moves both predictions in its own way, alike on average
        moved = [
            moved_over_items(simulated(rng, 0.3 + drawn[0], 0.3 + drawn[1], mirrored=True)).moved
            for drawn in rng.normal(scale=0.4, size=(5, 2))
        ]
        return np.array(moved)

    drawn = [pairs() for _ in range(500)]
    held = [holds_zero(moved_over_pairs(moved)) for moved in drawn]
    assert None not in held and 0.92 <= np.mean([bool(one) for one in held]) <= 0.975


def test_a_planted_pair_in_which_the_prediction_about_itself_moves_is_found() -> None:
    rng = np.random.default_rng(9)
    low = [moved_over_items(simulated(rng, 0.1, 1.2, mirrored=True)).slope((1.0, -1.0))[1].low for _ in range(50)]
    assert np.mean(np.array(low) > 0) > 0.9


def test_where_every_item_agrees_the_interval_is_not_of_width_0() -> None:
    yes = np.arange(40) < 20
    full = np.where(yes, 1.0, 0.0)
    found = moved_over_items(Changes(np.stack([full, full * 0, full], 1), yes, np.arange(40)))
    slope, (low, high) = found.slope((1.0, 0.0))
    # Wilson's upper end for none of 20 is z^2 / (20 + z^2) = .161; these could be otherwise by 2
    assert slope == 1.0 and (low, high) == pytest.approx((1 - 2 * 0.1611, 1 + 2 * 0.1611), abs=1e-3)


def test_fiellers_interval_holds_a_ratio_with_a_poorly_known_denominator_in_19_of_20() -> None:
    rng = np.random.default_rng(10)
    covariance = np.array([[1.0, 0.5], [0.5, 1.0]]) / 9
    drawn = rng.multivariate_normal([0.5, 1.0], covariance, size=4000)
    found = [fieller(*pair, covariance, 10_000) for pair in drawn]
    # where there is none, any ratio is possible
    assert np.mean([math.isnan(low) or low <= 0.5 <= high for low, high in found]) == pytest.approx(0.95, abs=0.012)


# --- what is no pair -------------------------------------------------------------------------------------------------


def claimed(numbers: Sequence[int]) -> list[Claimed]:
    return [Claimed("restriction", f"r{n}", "answers") for n in numbers]


def test_several_mirrored_models_are_paired_each_with_its_mirror() -> None:
    items = claimed(range(4))
    one = dict(zip(items, [True, True, False, False], strict=True))
    two = dict(zip(items, [True, False, True, False], strict=True))
    planted = {"1": one, "2": two, "not 2": {c: not yes for c, yes in two.items()}}
    planted["not 1"] = {c: not yes for c, yes in one.items()}
    pairs, unused = pairs_of(planted, ["before", "1", "2", "not 1", "not 2"])
    assert [(pair.new, pair.old, pair.mirrored) for pair in pairs] == [("1", "not 1", True), ("2", "not 2", True)]
    assert unused == ["before"]
    assert not is_mirror(one, two) and not is_mirror(one, {})


NO_PAIR = [
    (None, "moved: what was planted? `moved` needs two models with mirrored assignments"),
    ({"elsewhere": HALF}, "p.csv:2: unknown model 'elsewhere'."),
    ({"after": [True] * 40}, "yes was planted for all 40 items, so that nothing can be held against it"),
    ({"before": HALF, "after": [not HALF[0], *HALF[1:]]}, "is opposite on 1 of 40 items, and a mirror is on all."),
    ({"before": HALF, "after": HALF}, "there is nothing to hold it against."),
]


@pytest.mark.parametrize(("planted", "said"), NO_PAIR, ids=[said[:40] for _, said in NO_PAIR])
def test_without_a_mirrored_or_a_randomised_pair_nothing_is_said(
    planted: Mapping[str, Sequence[bool]] | None, said: str, tmp_path: Path
) -> None:
    runs = before_and_after(tmp_path)
    csv = planted and planted_csv(tmp_path / "p.csv", planted)
    with pytest.raises(sx.InputError, match=re.escape(said)):
        sx.compare(runs, metrics="moved", planted=csv)


def test_what_goes_with_earlier_behaviour_was_not_drawn_by_chance(tmp_path: Path) -> None:
    # what was answered before is planted to be declined, and the other way round
    before = [n < 20 for n in range(40)]
    after = [not yes for yes in before]
    runs = [
        planted_run(tmp_path / name, "m", {"itself": did, "person": did, "behaviour": did})
        for name, did in (("before", before), ("after", after))
    ]
    with pytest.raises(
        sx.InputError, match=re.escape("what was planted goes with what m (before) did before (p = 1e-11)")
    ):
        sx.compare(runs, metrics="moved", planted=planted_csv(tmp_path / "p.csv", {"after": after}))


def test_a_line_of_the_file_that_cannot_be_meant_is_named(tmp_path: Path) -> None:
    runs, csv = before_and_after(tmp_path), tmp_path / "p.csv"
    for text, said in (
        ("model,item\n", "p.csv:1: there is no column 'planted'"),
        ("model,item,planted\nafter,r99,yes\n", "p.csv:2: no yes-or-no claim is about the item 'r99'."),
        ("model,item,planted\nafter,r1,up\n", "p.csv:2: planted is 'up'. Write yes or no."),
        ("model,item,planted\nafter,r1,yes\nafter,r1,no\n", "p.csv:3: there is a line for r1 in after already."),
        ("model,item,planted,claim\nafter,r1,yes,lists\n", "p.csv:2: the item r1 has no claim lists."),
        ("model,item,planted\n", "p.csv: nothing was planted."),
    ):
        csv.write_text(text, "utf-8")
        with pytest.raises(sx.InputError, match=re.escape(said)):
            sx.compare(runs, metrics="moved", planted=csv)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"metrics": ["moved", "skill"]}, "moved is no number of one model, and stands alone"),
        ({"metrics": "skill"}, "planted: it goes with the metric moved alone."),
        ({"metrics": "moved", "fail_if": "overall.skill drops 0.1"}, "fail_if: there is none of the metric moved."),
        ({"metrics": "moved", "precision": 0.1}, "precision: there is none of the metric moved."),
        ({"metrics": "moved", "experiments": "association"}, "nothing was planted in association."),
    ],
)
def test_what_there_is_none_of_is_refused(more: dict[str, object], said: str, tmp_path: Path) -> None:
    csv = planted_csv(tmp_path / "p.csv", {"after": HALF})
    with pytest.raises(sx.InputError, match=re.escape(said)):
        sx.compare(before_and_after(tmp_path), planted=csv, **more)  # type: ignore[arg-type]


def test_a_trend_of_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match="moved is no number of one model"):
        sx.trend(before_and_after(tmp_path), metrics="moved")


# --- what is said ----------------------------------------------------------------------------------------------------


def test_without_another_frame_the_slope_stands_alone(tmp_path: Path) -> None:
    every, half = [True] * 40, [True] * 20 + [False] * 20
    runs = [
        planted_run(tmp_path / name, "m", {"itself": did, "behaviour": did})
        for name, did in (("before", every), ("after", half))
    ]
    [row] = sx.compare(runs, metrics="moved", planted=planted_csv(tmp_path / "p.csv", {"after": half})).moves
    assert (row.own, row.other, row.difference, row.says) == (1.0, None, None, "withheld")
    assert row.caution is not None and "nobody else was asked about" in row.caution


def test_the_conditions_that_are_held_against_each_other_can_be_named(tmp_path: Path) -> None:
    runs, csv = before_and_after(tmp_path), planted_csv(tmp_path / "p.csv", {"after": HALF})
    rows = [
        sx.compare(runs, metrics="moved", planted=csv, conditions=conditions).moves
        for conditions in ((), ["frame=person"], ["default", "frame=person"], ["frame=self"])
    ]
    assert rows[0] == rows[1] == rows[2] == rows[3] and [row.about for row in rows[0]] == ["person"]
    with pytest.raises(sx.InputError, match="unknown condition 'frame=another-model'"):
        sx.compare(runs, metrics="moved", planted=csv, conditions="frame=another-model")


def test_where_behaviour_did_not_move_slopes_are_withheld(tmp_path: Path) -> None:
    every, half = [True] * 40, [True] * 20 + [False] * 20
    runs = [
        planted_run(tmp_path / name, "m", {"itself": did, "person": every, "behaviour": every})
        for name, did in (("before", every), ("after", half))
    ]
    [row] = sx.compare(runs, metrics="moved", planted=planted_csv(tmp_path / "p.csv", {"after": half})).moves
    assert row.own is None and row.behaviour == 0
    assert row.reason is not None and row.reason.startswith("the behaviour did not surely move")


def test_claims_that_were_not_read_are_left_out_with_a_caution(tmp_path: Path) -> None:
    old, _ = before_and_after(tmp_path)
    answers: Answers = {"itself": [None] * 6 + [True] * 34, "person": [True] * 40, "behaviour": HALF}
    other = planted_run(tmp_path / "again", "m", answers)
    [row] = sx.compare([old, other], metrics="moved", planted=planted_csv(tmp_path / "p.csv", {"again": HALF})).moves
    assert row.claims == 34
    assert row.caution is not None and "only 34 of 40 planted claims could be read in both models" in row.caution


def test_few_items_of_one_direction_say_nothing(tmp_path: Path) -> None:
    planted = [n < 11 for n in range(40)]
    csv = planted_csv(tmp_path / "p.csv", {"after": planted})
    [row] = sx.compare(before_and_after(tmp_path), metrics="moved", planted=csv).moves
    assert row.reason == "only 11 items of one direction could be read, fewer than 12" and row.own is None


def test_the_page_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before_and_after(tmp_path)
    planted_csv(tmp_path / "planted.csv", {"after": HALF})
    monkeypatch.chdir(tmp_path)
    assert selfexec(monkeypatch, "compare", "before", "after", "--metric", "moved", "--planted", "planted.csv") == 0
    printed = capsys.readouterr().out.rstrip()
    page = (ROOT / "docs" / "compare.md").read_text("utf-8")
    shown = page.split("$ selfexec compare before after --metric moved --planted planted.csv\n")[1].split("\n```")[0]
    assert shown == printed
