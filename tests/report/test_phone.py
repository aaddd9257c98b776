"""The page on a phone: drawings are laid out anew, so that nothing of them is off the screen."""

import json
from pathlib import Path

import pytest

import selfexec as sx
from browser import Browser
from selfexec.runs import Run

PHONE = 390
HIDDEN = "[...document.querySelectorAll('.canvas')].filter(c => c.scrollWidth > c.clientWidth)"
STACKED = "document.querySelector('.canvas') && !document.querySelector('.canvas:not(.stacked)')"
FIND = "(text => { const box = document.getElementById('find'); box.value = text; "
FIND += "box.dispatchEvent(new Event('input')) })"


@pytest.fixture(scope="module")
def opened(whole_panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sx.report(whole_panel, tmp_path_factory.mktemp("phone") / "report.html")


def turn(browser: Browser, width: int) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)


@pytest.mark.slow
def test_no_drawing_goes_on_beyond_the_edge_of_a_phone(browser: Browser, opened: Path) -> None:
    browser.open(opened, PHONE)
    browser.until(STACKED)
    assert browser.js(f"{HIDDEN}.map(c => c.parentElement.id)") == []
    # all panels stand in the window, and their marks with them
    outside = "[...document.querySelectorAll('.canvas .sx-panel, .canvas .sx-mark, .canvas text')]"
    outside += f".filter(e => e.getBoundingClientRect().right > {PHONE}).map(e => e.textContent.slice(0, 40))"
    assert browser.js(outside) == []
    assert browser.log == []


@pytest.mark.slow
def test_a_phone_that_is_turned_has_the_wide_drawings_and_back(browser: Browser, opened: Path) -> None:
    browser.open(opened, 1000)
    wide = "document.querySelector('#figure-ladder svg').viewBox.baseVal.width"
    assert browser.js(wide) == 560
    browser.js(f"{FIND}('coin')")
    turn(browser, PHONE)
    browser.until(STACKED)
    assert browser.js(wide) == 430
    shown = "[...new Set([...document.querySelectorAll('#figure-ladder .canvas [data-model]:not(.off)')]"
    shown += ".map(e => e.dataset.model))]"
    assert browser.js(shown) == ["sim/coin"]  # what was filtered away before is so in the other drawing
    turn(browser, 1000)
    browser.until("!document.querySelector('.stacked')")
    browser.until(f"{wide} === 560")
    assert browser.js(shown) == ["sim/coin"]
    assert browser.log == []


@pytest.mark.slow
def test_rows_of_each_line_of_panels_move_together_and_those_below_move_up(browser: Browser, opened: Path) -> None:
    browser.open(opened, PHONE)
    browser.until(STACKED)
    svg = "document.querySelector('#figure-ladder svg')"
    names = "[...line.querySelectorAll('[data-band][data-model]:not(.off)')].map(e => e.dataset.model)"
    lines = f"[...{svg}.querySelectorAll('.sx-line')].map(line => {names})"
    before, height = browser.js(lines), browser.js(f"{svg}.viewBox.baseVal.height")
    assert len(before) == 2 and before[0] == before[1] and len(before[0]) == 7
    tops = f"[...{svg}.querySelectorAll('.sx-line [data-band]:not(.off) text')]"
    tops += f".map(t => t.getBoundingClientRect().top - {svg}.getBoundingClientRect().top)"
    first = browser.js(tops)
    browser.js(f"{FIND}({json.dumps('typical')})")
    assert browser.js(lines) == [["sim/typical"], ["sim/typical"]]
    # in both lines the row that is left stands where the first one stood; the lower line is higher up by six rows
    scale = browser.js(f"{svg}.getBoundingClientRect().width / {svg}.viewBox.baseVal.width")
    gone = (height - browser.js(f"{svg}.viewBox.baseVal.height")) / 2
    assert gone == pytest.approx(6 * 21)
    upper, lower = browser.js(tops)
    assert upper == pytest.approx(first[0], abs=1) and lower == pytest.approx(first[7] - gone * scale, abs=1)
    browser.js(f"{FIND}('')")
    assert browser.js(lines) == before and browser.js(tops) == pytest.approx(first, abs=0.5)
    # sorted, both lines have one order
    choose = "const s = document.querySelector('#figure-ladder .order select'); s.selectedIndex = 1; "
    browser.js(f"(() => {{ {choose} s.dispatchEvent(new Event('change')) }})()")
    above = f"[...{svg}.querySelectorAll('.sx-line')].map(line => [...line.querySelectorAll('[data-band][data-model]')]"
    above += ".sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)"
    above += ".map(e => e.dataset.model))"
    one, two = browser.js(above)
    assert one == two != before[0]
    assert browser.log == []


@pytest.mark.slow
def test_an_address_leads_to_its_figure_on_a_phone_too(browser: Browser, opened: Path) -> None:
    browser.open(opened, PHONE)
    browser.navigate("about:blank")
    browser.navigate(f"{opened.resolve().as_uri()}#figure-experiments")
    browser.until(STACKED)
    browser.until("Math.abs(document.getElementById('figure-experiments')?.getBoundingClientRect().top) < 60")


@pytest.mark.slow
def test_a_table_that_goes_on_has_a_shade_at_its_edge_until_its_end(browser: Browser, opened: Path) -> None:
    browser.open(opened, PHONE)
    browser.until(STACKED)
    box = "document.getElementById('score-table').parentElement"
    browser.js("document.getElementById('every-score').open = true")
    browser.js(f"{box}.scrollIntoView({{ behavior: 'instant' }})")
    assert browser.js(f"{box}.scrollWidth > {box}.clientWidth")

    def edge() -> tuple[int, ...]:
        right, top = browser.js(f"[{box}.getBoundingClientRect().right, {box}.getBoundingClientRect().top]")
        return browser.colours(right - 2, top + 3, 1, 1)[0][0]

    more = edge()
    browser.js(f"{box}.scrollLeft = {box}.scrollWidth")
    assert sum(more) < sum(edge()) - 30
