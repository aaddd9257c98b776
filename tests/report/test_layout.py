"""What nobody should see: names torn in two, a table's last column off the screen, heads of tables letter by letter."""

from html import unescape
from pathlib import Path

import pytest

import selfexec as sx
from browser import Browser
from selfexec.analysis.selection import Selection
from selfexec.report.data import Options
from selfexec.report.page import page
from selfexec.runs import Run

TORN = "[...document.querySelectorAll('.nb')].filter(e => e.getClientRects().length > 1).map(e => e.textContent)"


@pytest.fixture(scope="module")
def opened(whole_panel: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sx.report(whole_panel, tmp_path_factory.mktemp("layout") / "report.html")


def test_each_name_and_interval_in_a_sentence_is_one_piece(small_panel: Run) -> None:
    html = page(Selection.of(small_panel), Options("none"))
    start = html.index('<dl class="said">')
    said = unescape(html[start : html.index("</dl>", start)])
    assert said.count("sim/") == said.count('<bdi class="nb">sim/') > 0
    assert said.count("[") == said.count('<bdi class="nb">[') > 0


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 768, 1440])
def test_nothing_of_that_is_torn_at_the_end_of_a_line(browser: Browser, opened: Path, width: int) -> None:
    browser.open(opened, width)
    assert browser.js("document.querySelectorAll('.nb').length") > 20
    assert browser.js(TORN) == []
    assert browser.js("document.documentElement.scrollWidth") == width


@pytest.mark.slow
def test_a_tablet_shows_all_columns_of_the_scores(browser: Browser, opened: Path) -> None:
    browser.open(opened, 768)
    browser.js("window.box = document.querySelector('#score-table').parentElement")
    assert browser.js("box.scrollWidth") == browser.js("box.clientWidth")
