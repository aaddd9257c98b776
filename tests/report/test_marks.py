"""What marks of the page's figures say and lead to, by pointer, finger and keys, and figures taken away as files."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import selfexec as sx
from browser import Browser
from selfexec.analysis.selection import Selection
from selfexec.report.data import Data, Options
from selfexec.report.export import as_csv
from selfexec.report.figures import Figure
from selfexec.runs import Run

RIGHT, DOWN, ENTER, ESCAPE, TAB = (
    ("ArrowRight", 39),
    ("ArrowDown", 40),
    ("Enter", 13),
    ("Escape", 27),
    ("Tab", 9),
)


@pytest.fixture(scope="module")
def opened(whole_panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sx.report(whole_panel, tmp_path_factory.mktemp("marks") / "report.html")


@pytest.fixture(scope="module")
def figures(whole_panel: Run) -> dict[str, Figure]:
    data = Data(Selection.of(whole_panel), Options())
    return {figure.id: figure for figure in (*data.figures, *data.further_figures)}


TOLD = "(() => { const t = document.querySelector('.tip'); return t.hidden ? null : t.firstChild.textContent; })()"
FOCUSED = "document.activeElement.getAttribute('aria-label')"


def focus(browser: Browser, id: str) -> None:
    browser.js(f"document.querySelector('#figure-{id} .canvas').focus()")


@pytest.mark.slow
def test_arrow_keys_go_from_mark_to_mark_and_a_figure_is_one_stop(browser: Browser, opened: Path) -> None:
    browser.open(opened)
    focus(browser, "ladder")
    said = []
    for key in (RIGHT, RIGHT, DOWN, DOWN):
        browser.press(*key)
        said.append(browser.js(FOCUSED))
        assert browser.js(TOLD) == said[-1]
    models = browser.js("""[...new Set([...document.querySelectorAll('#figure-ladder .sx-panel .sx-mark')]
        .map(mark => mark.dataset.model))]""")
    # along the row of the first model, then down from row to row
    assert [models[0] in text for text in said] == [True, True, False, False]
    assert models[1] in said[2] and models[2] in said[3]
    browser.press(*TAB)
    assert browser.js("document.activeElement.closest('.canvas')") is None


@pytest.mark.slow
def test_escape_hides_what_a_mark_says_and_leaves_the_drawing(browser: Browser, opened: Path) -> None:
    browser.open(opened)
    focus(browser, "ladder")
    browser.press(*RIGHT)
    browser.press(*ESCAPE)
    assert browser.js(TOLD) is None
    assert browser.js("document.activeElement.matches('#figure-ladder .canvas')")


@pytest.mark.slow
def test_enter_opens_the_items_behind_a_mark(browser: Browser, opened: Path) -> None:
    browser.open(opened)
    browser.js("document.getElementById('further-figures').open = true")
    focus(browser, "restriction")
    browser.press(*RIGHT)
    whose = browser.js("document.activeElement.dataset.model")
    browser.press(*ENTER)
    browser.until("document.querySelector('dialog').open && !!document.querySelector('#drill-items li')")
    assert browser.js("document.querySelector('#drill-h').textContent") == whose
    assert browser.js("document.querySelector('#drill-experiment').value") == "restriction"


@pytest.mark.slow
def test_a_finger_is_told_first_and_goes_on_from_there(browser: Browser, opened: Path) -> None:
    browser.open(opened, 390)
    tap = """(() => { const mark = document.querySelector('#figure-ladder .sx-panel .sx-main .sx-shape');
        mark.dispatchEvent(new PointerEvent('click', {bubbles: true, pointerType: 'touch'})); })()"""
    browser.js(tap)
    assert "its own prediction" in browser.js(TOLD)
    assert browser.js("document.querySelector('dialog').open") is False
    browser.js("document.querySelector('.tip .ev').click()")
    browser.until("document.querySelector('dialog').open")


@pytest.mark.slow
def test_no_mark_is_a_stop_of_its_own_and_no_title_is_told_twice(browser: Browser, opened: Path) -> None:
    browser.open(opened)
    assert browser.js("document.querySelectorAll('.canvas [tabindex=\"0\"]').length") == 0
    mark = "document.querySelector('#figure-ladder .sx-panel .sx-main')"
    said = browser.js(f"{mark}.querySelector('title').textContent")
    browser.js(f"{mark}.dispatchEvent(new PointerEvent('pointerover', {{bubbles: true, pointerType: 'mouse'}}))")
    assert browser.js(TOLD) == said == browser.js(f"{mark}.getAttribute('aria-label')")
    assert browser.js(f"{mark}.querySelector('title')") is None


@pytest.mark.slow
def test_each_table_is_copied_as_its_file_has_it(browser: Browser, opened: Path, figures: dict[str, Figure]) -> None:
    browser.open(opened)
    browser.js("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    for id, figure in figures.items():
        browser.js("window.copied = null")
        browser.js(f"document.querySelector('#figure-{id} .copy').click()")
        browser.until("window.copied !== null")
        assert browser.js("window.copied") == as_csv(figure)
    cells = csv.DictReader(io.StringIO(as_csv(figures["ladder"])))
    skills = [float(row["value"]) for row in cells if row["quantity"] == "its own prediction" and row["value"]]
    assert len(skills) >= 14 and all(-1 <= value <= 1 for value in skills)


SAVED = """(async () => { let blob; const make = URL.createObjectURL;
    URL.createObjectURL = (b) => { blob = b; return make(b); };
    HTMLAnchorElement.prototype.click = () => {};
    document.querySelector('#figure-ID .save').click();
    return await blob.text(); })()"""


@pytest.mark.slow
@pytest.mark.parametrize("id", ["ladder", "loss"])
def test_a_saved_drawing_stands_alone_and_says_what_its_marks_say(browser: Browser, opened: Path, id: str) -> None:
    browser.open(opened)
    focus(browser, id)
    browser.press(*RIGHT)
    text = browser.js(SAVED.replace("ID", id))
    drawing = ET.fromstring(text)
    assert "var(--" not in text and "aria-label=" not in text.replace("aria-labelledby", "")
    assert float(drawing.get("width") or 0) == 560 and drawing.get("role") == "img"
    marks = [g for g in drawing.iter("{http://www.w3.org/2000/svg}g") if "sx-mark" in (g.get("class") or "")]
    assert marks and all(g.findtext("{http://www.w3.org/2000/svg}title") for g in marks)


@pytest.mark.slow
def test_a_figure_has_an_address(browser: Browser, opened: Path, figures: dict[str, Figure]) -> None:
    browser.open(opened)
    links = browser.js("[...document.querySelectorAll('.tools a')].map(a => a.getAttribute('href'))")
    assert links == [f"#figure-{id}" for id in figures]
    assert browser.js(f"{json.dumps(links)}.every(link => document.querySelector(link).matches('.figure'))")
