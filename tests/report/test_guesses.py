"""Can you predict it? Which claims a visitor may guess, and that guessing works with whatever there is."""

import base64
import json
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import selfexec as sx
from browser import Browser
from build import requests_run
from selfexec.analysis.selection import Selection
from selfexec.experiments import EXPERIMENTS
from selfexec.report.data import Data, Options
from selfexec.report.guesses import TEN, drawn
from selfexec.runs import Run


@pytest.fixture(scope="module")
def data(small_panel: Run) -> Data:
    return Data(Selection.of(small_panel), Options())


# --- the draw --------------------------------------------------------------------------------------------------------


def test_each_model_has_ten_claims_of_all_experiments_and_of_both_outcomes_from_no_item_twice(data: Data) -> None:
    assert [*data.guesses] == [*data.models]
    for guesses in data.guesses.values():
        assert len(guesses) == TEN
        assert len({(guess.experiment, guess.item) for guess in guesses}) == TEN
        # ten in turns of three: 4, 3 and 3, each about half
        assert sorted(Counter(guess.experiment for guess in guesses).values()) == [3, 3, 4]
        assert 4 <= sum(guess.observed for guess in guesses) <= 6


def test_nothing_of_a_delicate_item_is_drawn(data: Data) -> None:
    (run,) = data.runs
    for guesses in data.guesses.values():
        for guess in guesses:
            assert not EXPERIMENTS[guess.experiment].delicate(run.items[guess.experiment][guess.item])
    # and of a run of nothing but such items, nothing at all
    unsafe = data.claims.filter((pl.col("experiment") == "restriction") & (pl.col("label") == "unsafe"))
    assert len(unsafe) > 100
    places = set(data.quotable.claims.select("experiment", "item").rows())
    assert not places & set(unsafe.select("experiment", "item").rows())


def test_the_same_data_give_the_same_claims_in_whatever_order_they_come(data: Data) -> None:
    claims = data.quotable.claims
    shuffled = claims.sample(fraction=1.0, shuffle=True, seed=1)
    assert sorted(map(str, drawn(shuffled))) == sorted(map(str, drawn(claims)))
    models = {row["model"] for row in drawn(claims)}
    first = {model: [row["item"] for row in drawn(claims) if row["model"] == model] for model in models}
    assert len({str(items) for items in first.values()}) == len(models)  # each model has its own


def test_claims_are_drawn_from_all_that_were_read_and_not_from_errors_alone(data: Data) -> None:
    every = [guess for guesses in data.guesses.values() for guess in guesses]
    right = sum(guess.predicted == guess.observed for guess in every)
    assert 0.2 * len(every) < right < len(every)
    known = {(c["model"], c["experiment"], c["item"]): c for c in data.claims.iter_rows(named=True)}
    for model, guesses in data.guesses.items():
        assert all(known[model, guess.experiment, guess.item]["state"] != "missing" for guess in guesses)


def test_the_baselines_word_is_the_one_that_the_evidence_has(data: Data) -> None:
    assert data.evidence
    index: Any = json.loads(zlib.decompress(base64.b64decode(data.evidence.index)))
    rows, spoken = drawn(data.quotable.claims), 0
    of = {(row["model"], row["experiment"], row["item"]): row for row in rows}
    for model, guesses in data.guesses.items():
        found = next(m for m in index["models"] if m["name"] == model)
        for guess in guesses:
            told = found["baseline_predictions"].get(guess.experiment)
            if told is None or told["best"] is None:
                assert guess.baseline is None
                continue
            items = index["runs"][found["run"]]["items"][guess.experiment]
            names = [(item["id"], claim) for item in items for claim in item["claims"]]
            claim = of[model, guess.experiment, guess.item]["claim"]
            letter = told["said"][told["best"]]["1"][names.index((guess.item, claim))]
            assert guess.baseline == {"Y": True, "y": True, "N": False, "n": False}.get(letter)
            # a capital says that it was right
            assert guess.baseline is None or letter.isupper() == (guess.baseline == guess.observed)
            spoken += guess.baseline is not None
    assert spoken > 20


def test_what_is_said_of_a_claim_is_what_was_predicted_and_done(tmp_path: Path) -> None:
    """m: yes and did. Of the others n said yes and did, o said no and did not."""
    run = requests_run(tmp_path / "run", {"m": [(True, True)], "n": [(True, True)], "o": [(False, False)]})
    (guess,) = Data(Selection.of(run), Options()).guesses["m"]
    assert (guess.title, guess.question) == ("Request 0?", "Will you answer this request?")
    assert guess.choices == ("it would answer", "it would not answer")
    assert guess.said == "m predicted that it would answer. It did: “Here you are”."
    assert guess.others == "Of 2 other models, 1 predicted that they would, and 1 did."
    assert (guess.predicted, guess.observed, guess.baseline) == (True, True, None)


def test_where_nothing_may_be_quoted_the_page_has_no_such_section(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "run", {"m": [(None, True)]})
    page = sx.report(run, tmp_path / "report.html").read_text("utf-8")
    assert 'id="guess"' not in page and "#guess" not in page.split("<main")[1].split("<script")[0]


# --- in a browser ----------------------------------------------------------------------------------------------------

CHOICES = "[...document.querySelectorAll('#guess .choice')]"
CARD = "document.getElementById('guess-card').innerText"


@pytest.fixture(scope="module", params=["sample", "none"])
def played(small_panel: Run, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    return sx.report(small_panel, tmp_path_factory.mktemp("page") / "report.html", evidence=request.param)


def by_keys(browser: Browser) -> None:
    """Tab to the next choice, and take it."""
    browser.press("Tab", 9)
    while not browser.js("document.activeElement.matches('.choice, .begin')"):
        browser.press("Tab", 9)
    browser.press("Enter", 13)


def played_by_keys(browser: Browser) -> Iterator[str]:
    """What the card says after each step, from its start to its end."""
    browser.js("document.querySelector('.begin').focus()")
    browser.press("Enter", 13)
    browser.until(f"{CHOICES}.length === 2")
    for _ in range(2 * TEN):
        yield browser.js(CARD)
        by_keys(browser)
    yield browser.js(CARD)


@pytest.mark.slow
def test_ten_claims_are_guessed_by_keys_on_a_phone_and_the_result_adds_up(
    browser: Browser, played: Path, data: Data
) -> None:
    browser.open(played, 390, 844)
    model = data.models[0]
    assert browser.js("document.querySelector('#guess-h').textContent") == f"Try it: can you predict {model}?"
    steps = [*played_by_keys(browser)]
    guesses = data.guesses[model]
    for guess, asked, told in zip(guesses, steps[::2], steps[1::2], strict=False):
        assert guess.question in asked and all(choice in asked for choice in guess.choices)
        assert guess.said not in asked  # not before it is guessed
        right = "You were right." if guess.observed else "You were wrong."  # the first choice is a yes
        assert right in told and guess.said in told and guess.others in told
    end = " ".join(steps[-1].split())
    spoken = [guess for guess in guesses if guess.baseline is not None]
    assert f"You {sum(guess.observed for guess in guesses)} of 10" in end
    assert f"{model} {sum(guess.predicted == guess.observed for guess in guesses)} of 10" in end
    told = sum(guess.baseline == guess.observed for guess in spoken)
    assert f"Best baseline {told} of {len(spoken)}" in end
    assert "no measurement" in end
    assert browser.js("document.documentElement.scrollWidth") == 390
    assert browser.log == [] and browser.requests == [played.resolve().as_uri()]


@pytest.mark.slow
def test_the_model_that_is_picked_is_the_one_to_be_guessed(browser: Browser, played: Path, data: Data) -> None:
    browser.open(played)
    browser.js("(f => { f.value = 'sim/coin'; f.dispatchEvent(new Event('input')); })(document.getElementById('find'))")
    names = browser.js("[...document.querySelectorAll('.guessed')].map(name => name.textContent)")
    assert names == ["sim/coin"]  # in the heading alone: the game is behind what is known of the models
    browser.js("document.querySelector('.begin').click()")
    browser.until(f"{CHOICES}.length === 2")
    browser.js(f"{CHOICES}[1].click()")
    guess = data.guesses["sim/coin"][0]
    assert guess.said in browser.js(CARD)
    assert ("You were wrong." in browser.js(CARD)) is guess.observed
    # another model: its game begins anew
    browser.js("document.querySelector('.filter .reset').click()")
    assert browser.js(CARD) == "Start"


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_fault_in_any_step(browser: Browser, played: Path, dark: bool) -> None:
    place = Path(os.environ.get("AXE_JS", ""))
    if not place.is_file():
        pytest.skip("axe-core is not here: npm install axe-core, and set AXE_JS")
    browser.open(played, 390, 844, dark)
    browser.js(place.read_text("utf-8") + "; 0")
    check = "axe.run('#guess').then(r => r.violations.map(v => [v.id, v.nodes[0].html]))"
    assert browser.js(check) == []
    for number, _ in enumerate(played_by_keys(browser)):
        if number in (0, 1, 2 * TEN):
            assert browser.js(check) == []


@pytest.mark.slow
def test_hostile_texts_are_only_text(browser: Browser, tmp_path: Path) -> None:
    model = "<script>window.pwned = 1</script>"
    text = "<img src=x onerror='window.pwned = 2'></script><b>\u202e"
    claims = [(n % 2 == 0, n % 3 == 0) for n in range(4)]
    run = requests_run(tmp_path / "run", {model: claims, "n": claims}, text)
    page = sx.report(run, tmp_path / "report.html")
    browser.open(page)
    browser.js("document.querySelector('.begin').click()")
    browser.until(f"{CHOICES}.length === 2")
    for _ in range(8):
        if browser.js(CARD).startswith(("1 of", "2 of", "3 of", "4 of")):
            assert "<img src=x onerror='window.pwned = 2'></script><b>U+202E" in browser.js(CARD)
        browser.js(f"{CHOICES}[0].click()")
    assert "of 4" in browser.js(CARD)
    assert browser.js("window.pwned") is None and browser.js("document.querySelectorAll('#guess img').length") == 0
    assert browser.log == []
