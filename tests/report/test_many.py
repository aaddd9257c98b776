"""The page of many models, which has a thin line for each; and the appendix, which stands in the page packed."""

import re
import sys
from pathlib import Path

import pytest

import selfexec as sx
from browser import Browser
from selfexec.report.svg import MOST, SCREEN, SHEETS, Dot, ModelOrder, Pair, RowPanel, ThinRow, crowd, rows
from selfexec.runs import Run

SCRIPT = Path(sx.__file__).parent / "report" / "templates" / "script.js"
FIND = "(text => { const box = document.getElementById('find'); box.value = text; "
FIND += "box.dispatchEvent(new Event('input')) })"
SEEN = "filter(e => e.checkVisibility({checkVisibilityCSS: true}))"


@pytest.fixture(scope="module")
def crowded(small_panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of seven models as it would be if more than three were many."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("selfexec.report.data", "selfexec.report.svg.rows"):
            patch.setattr(sys.modules[module], "MOST", 3)
        return sx.report(small_panel, tmp_path_factory.mktemp("many") / "many.html")


@pytest.fixture(scope="module")
def opened(small_panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sx.report(small_panel, tmp_path_factory.mktemp("few") / "few.html")


def in_rows(browser: Browser) -> list[str]:
    """The models of the rows that can be seen in the first panel."""
    found = f"[...document.querySelectorAll('.panel.first tbody:not(.crowd) tr[data-model]')].{SEEN}"
    names: list[str] = browser.js(f"{found}.map(row => row.dataset.model)")
    return names


def names_in(browser: Browser, figure: str) -> list[str]:
    """The models whose names can be seen in a drawing."""
    found = f"[...document.querySelectorAll('#figure-{figure} [data-band] text')].{SEEN}"
    names: list[str] = browser.js(f"{found}.map(name => name.parentElement.dataset.model)")
    return names


# --- a thin line for each ------------------------------------------------------------------------------------------


def height_and_names(models: int, sheet: str) -> tuple[float, int]:
    """How high a drawing of so many models is, and how many of their names and numbers its style shows."""
    keys = tuple(f"m{n}" for n in range(models))
    order = ModelOrder(keys, dict.fromkeys(keys, "all"), {key: key for key in keys})
    panel = RowPanel("skill", [Dot(key, "one", 0.5, "said") for key in keys])
    svg = rows(order, "one", "A title", "Words", [panel], [])(SHEETS[sheet] if sheet else SCREEN)
    [height] = re.findall(r'viewBox="0 0 \S+ (\S+)"', svg)
    hidden = svg.count('sx-name"') if ".sx-crowd .sx-name{display:none}" in svg else 0
    return float(height), svg.count("data-band") - hidden


def test_thirty_models_have_rows_with_names_and_one_more_makes_all_of_them_thin_lines() -> None:
    high, names = height_and_names(30, "")
    low, hidden = height_and_names(31, "")
    assert MOST == 30 and names == 30 and hidden == 0
    assert high > 30 * 21 and low < high - 30 * 21 + 31 * 3 + 1  # rows of 21, and of 3
    # as a file each has its row
    (thirty, of_thirty), (more, of_more) = (height_and_names(n, "page") for n in (30, 31))
    assert (of_thirty, of_more) == (30, 31) and more - thirty == pytest.approx(21)


def test_the_script_has_rows_for_as_many_picked_models_as_a_page_has_rows() -> None:
    assert re.findall(r"const FEW = (\d+);", SCRIPT.read_text("utf-8")) == [str(MOST)]


def test_thin_lines_stand_one_below_the_other_at_their_numbers() -> None:
    thin = {"a": ThinRow(Pair(0.25, held=0.75), "said"), "c": ThinRow(Pair(1.0, look="caution"), "said")}
    svg = crowd(["a", "b", "c", "d"], thin, (0.0, 1.0), [])
    # four lines of a quarter each: the first has its middle at 12.5 per cent, the third at 62.5; b and d have no number
    [a, c] = re.findall(r"<g .*?</g>", svg)
    assert re.findall(r'<circle cx="([\d.]+)%" cy="([\d.]+)%"', a + c) == [("25", "12.5"), ("100", "62.5")]
    assert re.findall(r'class="held" x1="([\d.]+)%"', a + c) == ["75"]
    assert 'class="caution"' in c and "caution" not in a


@pytest.mark.slow
def test_of_many_models_those_that_are_picked_have_rows_and_names_and_the_others_fade(
    browser: Browser, crowded: Path, small_panel: Run
) -> None:
    browser.open(crowded, 1440)
    faded = "[...document.querySelectorAll('.panel.first .crowd .off')].map(line => line.dataset.model)"
    lines = set(
        browser.js("[...document.querySelectorAll('.panel.first .crowd [data-model]')].map(e => e.dataset.model)")
    )
    assert in_rows(browser) == [] == names_in(browser, "ladder") and "sim/typical" in lines
    browser.js(f"{FIND}('typical')")
    assert in_rows(browser) == ["sim/typical"] == names_in(browser, "ladder")
    assert set(browser.js(faded)) == lines - {"sim/typical"}
    note = "[...document.querySelectorAll('#figure-ladder .sx-note')].filter(e => e.checkVisibility()).length"
    assert browser.js(note) == 0
    browser.js(f"{FIND}('knows')")
    assert set(in_rows(browser)) == {"sim/knows-itself", "sim/knows-models"} and names_in(browser, "ladder") == []
    browser.js(f"{FIND}('')")
    assert in_rows(browser) == [] and browser.js(faded) == [] and browser.js(note) > 0
    assert browser.log == []


@pytest.mark.slow
def test_each_of_many_models_is_shown_as_a_row_where_that_is_asked_for_without_a_script_too(
    browser: Browser, crowded: Path, small_panel: Run
) -> None:
    browser.open(crowded, 1440)
    browser.js("document.getElementById('every-row').click()")
    assert set(in_rows(browser)) == set(small_panel.models)
    browser.js("document.getElementById('every-row').click()")
    assert in_rows(browser) == []
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.call("Page.reload")
        browser.until("document.readyState === 'complete' && document.querySelector('.begin').hidden")
        browser.js("document.getElementById('every-row').click()")
        assert set(in_rows(browser)) == set(small_panel.models)
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


# --- the packed appendix -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_address_into_the_packed_appendix_opens_and_shows_what_it_names(browser: Browser, opened: Path) -> None:
    id = "figure-experiments"
    assert f'id="{id}"' not in opened.read_text("utf-8")
    browser.open(opened)
    browser.navigate("about:blank")
    # the script finds it even if the page never has nothing else to do
    idle = "window.requestIdleCallback = () => {}"
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=idle)["identifier"]
    try:
        browser.navigate(f"{opened.resolve().as_uri()}#{id}")
        browser.until(f"location.hash === '#{id}' && !!document.getElementById('{id}')")
        browser.until(f"Math.abs(document.getElementById('{id}').getBoundingClientRect().top) < innerHeight / 2")
        assert browser.js(f"document.getElementById('{id}').checkVisibility()")
        assert browser.js(f"document.getElementById('{id}').closest('#appendix > details').open")
    finally:
        browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    assert browser.log == []


@pytest.mark.slow
def test_a_search_within_the_page_finds_what_stands_in_the_appendix(browser: Browser, opened: Path) -> None:
    """Browsers search what is folded, and unfold it; of what is packed they know nothing."""
    browser.open(opened)
    assert browser.js("document.querySelectorAll('#appendix > details[open]').length") == 0
    text = browser.js("document.getElementById('appendix').textContent")
    assert "The experiments side by side" in text and "Similarity of behaviour" in text
    assert "The experiments side by side" not in opened.read_text("utf-8")


@pytest.mark.slow
def test_paper_has_the_parts_of_the_appendix_that_are_open(browser: Browser, opened: Path) -> None:
    figure = "document.getElementById('figure-experiments').checkVisibility()"
    browser.open(opened)
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.js(figure) is False
    browser.js("document.getElementById('further-figures').open = true")
    assert browser.js(figure) is True


@pytest.mark.slow
def test_without_a_script_the_appendix_says_where_its_figures_are(browser: Browser, opened: Path) -> None:
    browser.open(opened)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.call("Page.reload")
        browser.until("document.querySelector('#further-figures .packed') !== null")
        browser.js("document.getElementById('further-figures').open = true")
        said = browser.js("document.getElementById('further-figures').innerText")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert "This part is packed" in said and "allow JavaScript" in said and "selfexec report --figures" in said
