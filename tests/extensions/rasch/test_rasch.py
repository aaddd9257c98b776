"""The Rasch model: the paper's table to its last digit, a second method for the rest, and refusals by name."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import selfexec as sx
from build import selfexec
from effort import examples
from selfexec.errors import InputError, NotSettled
from selfexec.extensions.rasch import solver
from selfexec.extensions.rasch.rates import load_rates
from selfexec.extensions.rasch.solver import RaschFit, fit_rasch, jackknife_errors, negative_log_likelihood
from selfexec.stats import Array

# Table 1 of arXiv 2508.12277, in the order of its rows and columns
PUBLISHED_ABILITIES = [1.466972, 0.725543, 0.531491, 1.22168, 0.526966, 1.664194, 1.290027, 0.065294]
PUBLISHED_ABILITIES += [-0.841314, -1.185893, -1.467503, -0.362898, 1.314551, -0.14673, -0.46919]
PUBLISHED_DIFFICULTIES = [-0.559443, -1.082048, -1.702462, -0.866156, 0.563616, 0.954143, -0.75085, 0.047792, 1.709482]


def expit(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def simulated(
    seed: int, models: int, items: int, questions: int, holes: float = 0.0, spread: float = 1.0
) -> tuple[Array, Array, Array]:
    """Abilities, item difficulties that add up to 0, and rates over so many questions."""
    rng = np.random.default_rng(seed)
    abilities, difficulties = rng.normal(0, spread, models), rng.normal(0, spread, items)
    difficulties -= difficulties.mean()
    rates = rng.binomial(questions, expit(abilities[:, None] - difficulties)) / questions
    rates[rng.random(rates.shape) < holes] = math.nan
    return abilities, difficulties, rates


def fitted(fit: RaschFit) -> Array:
    rates: Array = expit(fit.abilities[:, None] - fit.item_difficulties)
    return rates


def glm(rates: Array) -> tuple[Array, Array, Array, Array, float]:
    """A quasi-binomial regression on models and items (coded to add up to 0): estimates, errors, dispersion."""
    import statsmodels.api as sm

    models, items = rates.shape
    rows, columns = np.nonzero(~np.isnan(rates))
    code = np.vstack([np.eye(items - 1), -np.ones(items - 1)])
    design = np.hstack([np.eye(models)[rows], -code[columns]])
    found = sm.GLM(rates[rows, columns], design, family=sm.families.Binomial()).fit(tol=1e-13, scale="X2")
    covariance = found.cov_params()
    errors = [covariance[:models, :models], code @ covariance[models:, models:] @ code.T]
    estimates = found.params[:models], code @ found.params[models:]
    return *estimates, *(np.sqrt(np.diag(error)) for error in errors), found.scale


tables = st.builds(
    simulated,
    st.integers(0, 10_000),
    st.integers(2, 8),
    st.integers(2, 8),
    st.integers(3, 60),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from([0.3, 1.0]),
)


def estimable(rates: Array) -> RaschFit:
    """The fit; examples without a finite one are passed over."""
    try:
        return fit_rasch(rates)
    except InputError:
        assume(False)
        raise


def test_algorithm_1_gives_table_1_to_six_decimals_in_59_iterations() -> None:
    fit = sx.rasch("paper", method="paper").fit
    assert np.round(fit.abilities, 6).tolist() == PUBLISHED_ABILITIES
    assert np.round(fit.item_difficulties, 6).tolist() == PUBLISHED_DIFFICULTIES
    assert fit.iterations == 59
    assert fit.method == "paper"


def test_the_shipped_table_is_the_published_one(reference: Path) -> None:
    published = json.loads((reference / "published.json").read_text("utf-8"))
    table = load_rates("paper")
    assert table.models == tuple(published["models"])
    assert table.benchmarks == tuple(published["benchmarks"])
    rates = [[model["benchmarks"][name] for name in table.benchmarks] for model in published["models"].values()]
    np.testing.assert_array_equal(table.rates, np.array(rates, float))
    assert np.isfinite(table.rates).sum() == 88


def test_the_likelihood_of_even_odds_is_log_2_a_cell_and_a_hole_has_none() -> None:
    # all rates 1/2: every p is 1/2, and -(y log p + (1-y) log (1-p)) is log 2 in each of the three cells
    rates = np.array([[0.5, 0.5], [0.5, np.nan]])
    assert negative_log_likelihood(rates, fit_rasch(rates)) == pytest.approx(3 * math.log(2))


def test_no_abilities_are_likelier_than_the_fitted_ones() -> None:
    rates = load_rates("paper").rates
    fit = fit_rasch(rates)
    # by another formula: cell by cell, as line 25 is printed
    p = 1 / (1 + np.exp(-(fit.abilities[:, None] - fit.item_difficulties)))
    printed = -np.nansum(rates * np.log(p) + (1 - rates) * np.log(1 - p))
    assert negative_log_likelihood(rates, fit) == pytest.approx(printed, rel=1e-12)
    for model in range(len(fit.abilities)):
        moved = replace(fit, abilities=fit.abilities + 0.1 * (np.arange(len(fit.abilities)) == model))
        assert negative_log_likelihood(rates, moved) > negative_log_likelihood(rates, fit)


def test_both_methods_differ_by_the_origin_only() -> None:
    ours, printed = sx.rasch("paper").fit, sx.rasch("paper", method="paper").fit
    # the origin of Algorithm 1 is where it happens to stop: the mean of its item difficulties
    origin = np.mean(PUBLISHED_DIFFICULTIES)
    np.testing.assert_allclose(ours.abilities, printed.abilities - origin, atol=2e-6)
    np.testing.assert_allclose(ours.item_difficulties, printed.item_difficulties - origin, atol=2e-6)
    np.testing.assert_allclose(ours.se.abilities, printed.se.abilities, rtol=1e-5)


def test_two_models_on_two_items_can_be_solved_by_hand() -> None:
    # rates .8 .6 / .4 .2: by symmetry of the margins (1.4, .6 and 1.2, .8) ability is +-t and difficulty -+d with
    # p(t+d) + p(t-d) = 1.4 and p(t+d) + p(-t+d) = 1.2, so p(t+d) = .8 and p(t-d) = .6, as the four rates satisfy
    fit = fit_rasch([[0.8, 0.6], [0.4, 0.2]])
    t = (math.log(4) + math.log(1.5)) / 2
    d = (math.log(4) - math.log(1.5)) / 2
    np.testing.assert_allclose(fit.abilities, [t, -t], atol=1e-12)
    np.testing.assert_allclose(fit.item_difficulties, [-d, d], atol=1e-12)


@pytest.mark.parametrize("size", [(15, 9), (6, 25)])
@pytest.mark.slow
def test_a_quasi_binomial_regression_agrees(size: tuple[int, int]) -> None:
    _, _, rates = simulated(3, *size, questions=100, holes=0.3)
    fit = fit_rasch(rates)
    abilities, difficulties, ability_errors, difficulty_errors, dispersion = glm(rates)
    np.testing.assert_allclose(fit.abilities, abilities, atol=1e-8)
    np.testing.assert_allclose(fit.item_difficulties, difficulties, atol=1e-8)
    np.testing.assert_allclose(fit.se.abilities, ability_errors, rtol=1e-8)
    np.testing.assert_allclose(fit.se.item_difficulties, difficulty_errors, rtol=1e-8)
    assert fit.dispersion == pytest.approx(dispersion, rel=1e-8)


def by_proportional_fitting(rates: Array) -> tuple[Array, Array]:
    """Abilities and item difficulties by another method: a_i = won_i / sum_j 1 / (a_i + b_j), and so for b, in turn."""
    seen = ~np.isnan(rates)
    won, lost = np.nansum(rates, 1), np.nansum(1 - rates, 0)
    a, b = np.ones(len(rates)), np.ones(rates.shape[1])
    for _ in range(2000):
        a = won / np.sum(seen / (a[:, None] + b), 1)
        b = lost / np.sum(seen / (a[:, None] + b), 0)
    return np.log(a) - np.log(b).mean(), np.log(b) - np.log(b).mean()


def errors_by_pseudoinverse(fit: RaschFit, rates: Array) -> Array:
    """Errors of abilities and then difficulties: the information of all of them, inverted whole, and its zero moved."""
    models, items = rates.shape
    p = np.where(np.isnan(rates), 0, fitted(fit))
    information = np.block(
        [
            [np.diag((p * (1 - p)).sum(1)), -p * (1 - p)],
            [-(p * (1 - p)).T, np.diag((p * (1 - p)).sum(0))],
        ]
    )
    from_mean = np.eye(models + items) - np.repeat([0, 1 / items], [models, items])
    return np.sqrt(fit.dispersion * np.diag(from_mean @ np.linalg.pinv(information) @ from_mean.T))


@pytest.mark.parametrize("table", ["paper", "few models", "many models", "chain"])
def test_a_second_method_agrees_to_nine_decimals(table: str) -> None:
    rates = {
        "paper": load_rates("paper").rates,
        "few models": simulated(3, 6, 40, 50, holes=0.3)[2],
        "many models": simulated(4, 60, 8, 50, holes=0.3)[2],
        "chain": chain(9),
    }[table]
    fit = fit_rasch(rates)
    abilities, difficulties = by_proportional_fitting(rates)
    np.testing.assert_allclose(fit.abilities, abilities, atol=1e-9)
    np.testing.assert_allclose(fit.item_difficulties, difficulties, atol=1e-9)
    if fit.degrees_of_freedom:
        np.testing.assert_allclose(np.concatenate(fit.se), errors_by_pseudoinverse(fit, rates), rtol=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(tables)
def test_fitted_totals_are_observed_totals(table: tuple[Array, Array, Array]) -> None:
    rates = table[2]
    fit = estimable(rates)
    gaps = np.nan_to_num(rates - fitted(fit))
    np.testing.assert_allclose(gaps.sum(0), 0, atol=1e-11)
    np.testing.assert_allclose(gaps.sum(1), 0, atol=1e-11)
    assert fit.item_difficulties.sum() == pytest.approx(0, abs=1e-10)


@settings(max_examples=examples(40), deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_models_and_items_changes_nothing(table: tuple[Array, Array, Array], random: Any) -> None:
    rates = table[2]
    fit = estimable(rates)
    models, items = ([*range(size)] for size in rates.shape)
    random.shuffle(models)
    random.shuffle(items)
    other = fit_rasch(rates[np.ix_(models, items)])
    np.testing.assert_allclose(other.abilities, fit.abilities[models], atol=1e-8)
    np.testing.assert_allclose(other.item_difficulties, fit.item_difficulties[items], atol=1e-8)
    np.testing.assert_allclose(other.outfit.abilities, fit.outfit.abilities[models], atol=1e-8)


@settings(max_examples=examples(40), deadline=None)
@given(tables)
def test_items_that_win_where_models_lose_are_the_same_table_turned_over(table: tuple[Array, Array, Array]) -> None:
    fit = estimable(table[2])
    over = fit_rasch(1 - table[2].T)
    shift = over.item_difficulties - fit.abilities
    np.testing.assert_allclose(shift, shift[0], atol=1e-8)
    np.testing.assert_allclose(over.abilities - fit.item_difficulties, shift[0], atol=1e-8)


def test_noiseless_rates_give_their_parameters_back_whatever_the_scale_begins_at() -> None:
    abilities, difficulties, _ = simulated(5, 12, 9, 10, spread=2)
    fit = fit_rasch(expit(abilities[:, None] - difficulties))
    np.testing.assert_allclose(fit.abilities, abilities, atol=1e-9)
    np.testing.assert_allclose(fit.item_difficulties, difficulties, atol=1e-9)
    # abilities and difficulties moved together: the same rates, the same fit
    moved = fit_rasch(expit((abilities[:, None] + 3) - (difficulties + 3)))
    np.testing.assert_allclose(moved.abilities, fit.abilities, atol=1e-9)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    inside = []
    for seed in range(40):
        abilities, _, rates = simulated(seed, 15, 20, 50, holes=0.2)
        fit = fit_rasch(np.clip(rates, 0.005, 0.995))
        inside.append(np.abs(fit.abilities - abilities) < 1.96 * fit.se.abilities)
    # 600 intervals of 95%: 570 expected, standard deviation about 5 (they are nearly independent)
    assert 0.92 < np.mean(inside) < 0.98


def test_few_binary_items_spread_the_scale_and_many_questions_do_not() -> None:
    def slope(items: int, questions: int) -> float:
        # every model answers its own draw; regress the estimated item difficulties on the true ones
        rng = np.random.default_rng(0)
        difficulties = np.linspace(-1, 1, items)
        rates = rng.binomial(questions, expit(rng.normal(0, 1, (4000, 1)) - difficulties)) / questions
        rates = rates[(rates.min(1) < 1) & (rates.max(1) > 0)]
        return float(np.polyfit(difficulties, fit_rasch(rates).item_difficulties, 1)[0])

    # joint maximum likelihood spreads k binary items by about k / (k - 1) (Wright and Douglas 1977)
    assert slope(5, 1) == pytest.approx(5 / 4, abs=0.1)
    assert slope(20, 1) == pytest.approx(20 / 19, abs=0.05)
    assert slope(5, 200) == pytest.approx(1, abs=0.01)


def test_infit_and_outfit_are_what_their_formulas_say() -> None:
    rates = simulated(6, 5, 6, 30, holes=0.2)[2]
    fit = fit_rasch(rates)
    p = fitted(fit)
    squares = (rates - p) ** 2 / (p * (1 - p))
    information = np.where(np.isnan(rates), 0, p * (1 - p))
    for side, axis in ((0, 1), (1, 0)):
        np.testing.assert_allclose(fit.outfit[side], np.nanmean(squares, axis), rtol=1e-9)
        infit = np.nansum(information * squares, axis) / information.sum(axis)
        np.testing.assert_allclose(fit.infit[side], infit, rtol=1e-9)
    freedom = np.isfinite(rates).sum() - 5 - 6 + 1
    assert fit.degrees_of_freedom == freedom
    assert fit.dispersion == pytest.approx(np.nansum(squares) / freedom)


def test_without_a_degree_of_freedom_there_is_no_error() -> None:
    # a chain: 4 cells, 2 + 3 - 1 parameters
    fit = fit_rasch([[0.5, 0.7, math.nan], [math.nan, 0.4, 0.3]])
    assert math.isnan(fit.dispersion)
    assert np.isnan(fit.se.abilities).all() and np.isnan(fit.se.item_difficulties).all()


def chain(length: int) -> Array:
    """Each model shares one item with the next, and the last with the first: as weakly linked as a table can be."""
    rates = np.full((length, length), math.nan)
    models = np.arange(length)
    drawn = np.random.default_rng(0).uniform(0.2, 0.8, (2, length))
    rates[models, models], rates[models, (models + 1) % length] = drawn
    return rates


def test_the_jackknife_leaves_out_one_item_at_a_time() -> None:
    rates = simulated(9, 6, 7, 60)[2]
    errors = jackknife_errors(rates)
    # by hand: seven refits, each set back to the scale of the whole fit at the items that stay
    whole = fit_rasch(rates).item_difficulties
    refits = []
    for item in range(7):
        rest = [k for k in range(7) if k != item]
        fit = fit_rasch(rates[:, rest])
        refits.append(fit.abilities - np.mean(fit.item_difficulties - whole[rest]))
    expected = np.sqrt(6 / 7 * np.sum((refits - np.mean(refits, 0)) ** 2, 0))
    np.testing.assert_allclose(errors, expected, rtol=1e-9)


def test_jackknife_and_quasi_binomial_errors_are_alike_where_the_model_holds() -> None:
    rates = simulated(10, 30, 40, 100, spread=0.7)[2]
    ratio = jackknife_errors(rates) / fit_rasch(rates).se.abilities
    assert 0.9 < np.median(ratio) < 1.1


MODELS, ITEMS = ("ada", "ben", "cleo"), ("easy", "hard")
HOLE = math.nan
REFUSED: dict[str, tuple[list[list[float]], str]] = {
    "a perfect model": ([[1, 1], [0.5, 0.4], [0.3, 0.2]], "model 'ada' has the rate 1 on every item"),
    "two perfect models": (
        [[0.3, 0.2], [1, 1], [1, 1]],
        "model 'ben' has the rate 1 on every item (so it is with 1 more): its ability is infinite",
    ),
    "a model without success": ([[0.5, 0.4], [0, 0], [0.3, 0.2]], "model 'ben' has the rate 0 on every item"),
    "an item nobody solves": ([[0.5, 0], [0.4, 0], [0.3, 0]], "item 'hard' has the rate 0 for every model"),
    "an item all solve": ([[1, 0.5], [1, 0.4], [1, 0.3]], "item 'easy' has the rate 1 for every model"),
    "an empty row": ([[0.5, 0.4], [HOLE, HOLE], [0.3, 0.2]], "model 'ben': there is no rate at all"),
    "an empty column": ([[0.5, HOLE], [0.4, HOLE], [0.3, HOLE]], "item 'hard': there is no rate at all"),
    "above 1": ([[0.5, 0.4], [0.3, 80], [0.3, 0.2]], "model 'ben', item 'hard': the rate 80 is not a share"),
    "below 0": ([[0.5, 0.4], [0.3, -0.1], [0.3, 0.2]], "model 'ben', item 'hard': the rate -0.1 is not"),
    "infinite": ([[0.5, math.inf], [0.3, 0.1], [0.3, 0.2]], "model 'ada', item 'hard': the rate inf is not"),
    "no common item": (
        [[0.5, HOLE], [HOLE, 0.4], [HOLE, 0.6]],
        "model 'ada', item 'easy' shares no rate with the others: the table falls into 2 parts",
    ),
    # cleo always fails at hard, which ada and ben met too; at easy nobody else was seen
    "never against the others": (
        [[HOLE, 0.5], [HOLE, 0.4], [0.5, 0]],
        "model 'cleo', item 'easy' never win against the others",
    ),
}


@pytest.mark.parametrize(("rates", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_finite_estimate_is_refused_by_name(rates: list[list[float]], message: str) -> None:
    for method in ("newton", "paper"):
        with pytest.raises(InputError) as fault:
            fit_rasch(rates, models=MODELS, items=ITEMS, method=method)
        assert message in str(fault.value)
    with pytest.raises(InputError, match=r"(model|item) \[\d\]"):
        fit_rasch(rates)


def test_what_is_no_table_of_two_models_and_two_items_is_refused() -> None:
    with pytest.raises(InputError, match="there is 1 model"):
        fit_rasch([[0.5, 0.4]])
    with pytest.raises(InputError, match="there is no model"):
        fit_rasch(np.empty((0, 3)))
    with pytest.raises(InputError, match="there is 1 item"):
        fit_rasch([[0.5], [0.4]])
    with pytest.raises(InputError, match="rates have 1 dimensions"):
        fit_rasch([0.5, 0.4])
    with pytest.raises(InputError, match="there are 2 models and 1 names"):
        fit_rasch([[0.5, 0.4], [0.3, 0.2]], models=["ada"])
    with pytest.raises(InputError, match="method 'bayes': there are newton, paper"):
        fit_rasch([[0.5, 0.4], [0.3, 0.2]], method="bayes")  # type: ignore[arg-type]


def test_a_fit_that_does_not_settle_is_no_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = load_rates("paper").rates
    for name, method in (("NEWTON_STEPS", "newton"), ("PAPER_STEPS", "paper")):
        monkeypatch.setattr(solver, name, 2)
        with pytest.raises(NotSettled, match="did not settle in 2"):
            fit_rasch(rates, method=method)


def test_many_small_parts_are_linked_or_named_however_far_the_chain_reaches() -> None:
    rates = chain(200)
    assert fit_rasch(rates).iterations < 20
    rates[[99, 199], [100, 0]] = math.nan  # the two links between the halves
    with pytest.raises(InputError, match="falls into 2 parts"):
        fit_rasch(rates)


# The command line


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rates.csv").write_text("model,easy,hard,odd\nada,0.9,0.5,0.6\nben,0.7,,0.5\ncleo,0.4,0.2,0.4\n")
    return tmp_path


def test_the_command_prints_the_agreed_fields(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch, "analyze", "rasch", "rates.csv", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["abilities", "item_difficulties", "se", "infit", "outfit", "iterations", "method"]
    assert list(found["abilities"]) == ["ada", "ben", "cleo"]
    assert list(found["se"]["item_difficulties"]) == ["easy", "hard", "odd"]
    assert sum(found["item_difficulties"].values()) == pytest.approx(0, abs=1e-12)
    fit = fit_rasch([[0.9, 0.5, 0.6], [0.7, HOLE, 0.5], [0.4, 0.2, 0.4]])
    assert list(found["abilities"].values()) == fit.abilities.tolist()


def test_the_paper_is_a_table_with_the_published_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch, "analyze", "rasch", "paper", "--method", "paper", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert round(found["abilities"]["o4-mini"], 6) == 1.466972
    assert round(found["item_difficulties"]["SimpleBench"], 6) == 1.709482
    assert found["iterations"] == 59


def test_a_model_of_ones_own_stands_beside_the_papers(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "mine.csv").write_text("model,GPQA,MMLU\nmine,0.7,0.85\n")
    assert selfexec(monkeypatch, "analyze", "rasch", "paper", "--add", "mine.csv") == 0
    said = capsys.readouterr().out
    models = [line.split()[0] for line in said.splitlines() if " [" in line][:16]
    # between the models whose rates on the two benchmarks are a little higher and lower
    assert models.index("deepseek-r1") < models.index("mine") < models.index("gpt-4.1-mini")
    assert "16 models, 9 benchmarks, 90 of 144 rates" in said


BAD_TABLES: dict[str, tuple[str, str]] = {
    "a word": ("model,a,b\nx,0.5,good\ny,0.1,0.2\n", "rates.csv:2, column 'b': 'good' is not a number"),
    "percent": ("model,a,b\nx,0.5,0.4\ny,55,0.2\n", "rates.csv:3, column 'a': 55 is not a share from 0 to 1"),
    "nan": ("model,a,b\nx,nan,0.4\ny,0.5,0.2\n", "rates.csv:2, column 'a': 'nan' is not a rate"),
    "a model twice": ("model,a,b\nx,0.5,0.4\nx,0.5,0.2\n", "rates.csv:3: model 'x' is already at rates.csv:2"),
    "a column twice": ("model,a,a\nx,0.5,0.4\n", "rates.csv:1: column 'a' occurs twice"),
    "a column without a name": ("model,a,\nx,0.5,0.4\n", "rates.csv:1: column 3 has no name"),
    "a model without a name": ("model,a,b\n,0.5,0.4\n", "rates.csv:2: the first column, the model's name, is empty"),
    "too many cells": ("model,a,b\nx,0,5,0,4\n", "rates.csv:2: 4 rates for 2 benchmarks"),
    "an open quote": ('model,a,b\n"x,0.5,0.4\n', "rates.csv:2: not CSV"),
    "nothing": ("", "rates.csv:1: the first line must be a header"),
    "a header only": ("model,a,b\n", "there is no model"),
    "one model": ("model,a,b\nx,0.5,0.4\n", "there is 1 model"),
    "one benchmark": ("model,a\nx,0.5\ny,0.4\n", "there is 1 item"),
    "a perfect model": ("model,a,b\nx,1,1\ny,0.5,0.4\n", "model 'x' has the rate 1 on every item"),
    "no overlap": ("model,a,b\nx,0.5,\ny,,0.4\n", "cannot be put on one scale"),
}


@pytest.mark.parametrize(("content", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_a_bad_table_gets_one_line_that_names_the_place(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    (here / "rates.csv").write_text(content)
    assert selfexec(monkeypatch, "analyze", "rasch", "rates.csv") == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1 and said.out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "nowhere.csv: no such file"),
        (["rates.csv", "--add", "nowhere.csv"], "nowhere.csv: no such file"),
        (["rates.csv", "--add", "more.csv"], "more.csv:1: column 'esy' is not in rates.csv. Did you mean 'easy'?"),
        (["rates.csv", "--add", "rates.csv"], "rates.csv:2: model 'ada' is already at rates.csv:2"),
        (["rates.csv", "--method", "bayes"], "'bayes' is not one of"),
        (["latin.csv"], "latin.csv: not UTF-8"),
        ([], "Missing argument"),
    ],
)
def test_bad_arguments_get_one_line_and_status_2(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (here / "more.csv").write_text("model,esy\ndan,0.5\n")
    (here / "latin.csv").write_bytes(b"model,a\ncaf\xe9,0.5\n")
    assert selfexec(monkeypatch, "analyze", "rasch", *arguments) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1


def test_in_python_a_file_a_data_frame_and_an_added_file_come_to_the_same(here: Path) -> None:
    import polars as pl

    found = sx.rasch("rates.csv")
    assert sx.rasch(pl.read_csv("rates.csv")).abilities == found.abilities
    (here / "one.csv").write_text("model,easy,hard,odd\nada,0.9,0.5,0.6\nben,0.7,,0.5\n")
    (here / "two.csv").write_text("\ufeffmodel, odd, easy, hard\ncleo, 0.4, 0.4, 0.2\n")
    assert sx.rasch(here / "one.csv", add=["two.csv"]).abilities == found.abilities
    assert set(found.jackknife()) == {"ada", "ben", "cleo"}
    assert "cleo" in repr(found)
    assert callable(sx.rasch)  # a second time: no module of that name has taken its place
