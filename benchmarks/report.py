"""How large a report is, how long it takes to make, and to open: `python benchmarks/report.py [CASE ...] [--markdown]`.

Runs of simulated models are made first (`--folder` keeps them, and the pages). Each page is then opened in Chromium
`--repeats` times, each time anew; the figures are medians.

score      CPU-seconds of `selfexec score RUN`
report     CPU-seconds of `selfexec report RUN`
ratio      the one over the other: what the page takes beside its numbers
open       seconds from the address to the first frame after everything is there and the script has run
evidence   seconds from a click on a number to the first rows of what is behind it
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import selfexec as sx
from selfexec.engines.sim import PROFILES

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from browser import Browser, browsing, chromium

FRAME = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
NUMBER = "document.querySelector('button.ev[data-m]').click()"
ROWS = "document.querySelector('#drill-items button') !== null"
COLUMNS = {"case": 12, "models": 6, "replies": 8, "evidence": 8, "score": 7, "report": 7, "ratio": 5, "MB": 6}
COLUMNS |= {"elements": 8, "open": 6, "evidence opens": 14}


@dataclass(frozen=True)
class Case:
    models: int
    evidence: str
    preset: str | None


CASES = {
    "ten": Case(10, "sample", None),
    "fifteen": Case(15, "all", None),
    "hundred": Case(100, "sample", "quick"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(_line(list(COLUMNS), asked.markdown))
        if asked.markdown:
            print("|" + "---|" * len(COLUMNS))
        for name in asked.cases or CASES:
            print(_line(measured(name, asked.folder or Path(folder), asked.repeats), asked.markdown), flush=True)


def measured(name: str, folder: Path, repeats: int) -> list[str]:
    """The figures of a case, as text."""
    case, run = CASES[name], folder / name
    if not run.exists():
        sx.run(_models(case.models), items="starter", preset=case.preset, out=run)
    page = folder / f"{name}.html"
    score = _cpu("score", str(run))
    report = _cpu("report", str(run), "-o", str(page), "--evidence", case.evidence)
    elements, opened, evidence = _opened(page, repeats)
    facts = [name, str(case.models), f"{len(sx.load(run).replies):,}", case.evidence]
    costs = [f"{score:.1f}", f"{report:.1f}", f"{report / score:.1f}", f"{page.stat().st_size / 1e6:.1f}"]
    return [*facts, *costs, f"{elements:,}", f"{opened:.2f}", f"{evidence:.2f}"]


def _models(n: int) -> list[str]:
    """So many simulated models, of each profile in turn."""
    names = list(PROFILES)
    return [f"sim/{names[k % len(names)]}@{k // len(names)}" for k in range(n)]


def _cpu(*command: str) -> float:
    """Of a command, all that it takes to start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "selfexec", *command], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _opened(page: Path, repeats: int) -> tuple[int, float, float]:
    """How many elements it has, and the median times until it is open and until evidence is."""
    program = chromium()
    if program is None:
        return 0, float("nan"), float("nan")
    with browsing(program) as browser:
        times = [_opened_once(browser, page) for _ in range(repeats)]
        elements: int = browser.js("document.querySelectorAll('*').length")
    return elements, *(statistics.median(part) for part in zip(*times, strict=True))


def _opened_once(browser: Browser, page: Path) -> tuple[float, float]:
    browser.call("Page.navigate", url="about:blank")
    begun = time.perf_counter()
    browser.call("Page.navigate", url=page.resolve().as_uri())
    browser.until("document.readyState === 'complete' && location.protocol === 'file:'")
    browser.js(FRAME)
    there = time.perf_counter()
    browser.js(NUMBER)
    browser.until(ROWS)
    browser.js(FRAME)
    return there - begun, time.perf_counter() - there


def _line(cells: Sequence[str], markdown: bool) -> str:
    if markdown:
        return f"| {' | '.join(cells)} |"
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, COLUMNS.values(), strict=True))


if __name__ == "__main__":
    main()
