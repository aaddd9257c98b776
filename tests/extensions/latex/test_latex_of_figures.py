"""Every figure as a table in LaTeX."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from build import figures
from report.test_figures import HOSTILE, OBEYED, drawn, panel, renamed, scores
from selfexec.analysis.score import score
from selfexec.extensions.latex.writing import as_latex
from selfexec.report.export import export
from selfexec.report.figures import Figure
from selfexec.runs import Run
from selfexec.text.numbers import Printed

__all__ = ["drawn", "panel", "scores"]
HAS_LATEX = (
    bool(shutil.which("pdflatex") and shutil.which("kpsewhich"))
    and not subprocess.run(["kpsewhich", "siunitx.sty"], capture_output=True).returncode
)


@pytest.mark.slow
def test_latex_is_a_booktabs_table_with_every_number(drawn: dict[str, Figure]) -> None:
    for figure in drawn.values():
        source = as_latex(figure)
        assert source.count("\\toprule") == source.count("\\bottomrule") >= 1
        numbers = sorted(re.findall(r"(?<![\d.{-])-?\d+(?:\.\d+)?(?= (?:&|\\\\))", source))
        expected = (cell for row in figure.cells for cell in row[figure.keys :] if isinstance(cell, Printed))
        shown = [re.sub(r"^(-?)\.", r"\g<1>0.", cell.split()[0].replace(",", "").lstrip("+")) for cell in expected]
        # what is crossed with all models names its rows by numbers, which stand in no cell of their own
        assert numbers == sorted(shown), figure.id


@pytest.mark.slow
@pytest.mark.skipif(not HAS_LATEX, reason="pdflatex with siunitx is not installed")
@pytest.mark.parametrize("names", [{}, HOSTILE | {"sim/knows-itself": "\x1b[31mred\x00"}], ids=["plain", "hostile"])
def test_latex_compiles_and_no_table_is_wider_than_a_page(panel: Run, names: dict[str, str], tmp_path: Path) -> None:
    run = renamed(panel, names) if names else panel
    tables = "\n".join(as_latex(figure) + "\\clearpage" for figure in figures([run], score([run], "readable")))
    packages = "\\usepackage{booktabs,siunitx}\\setlength{\\textwidth}{397pt}"
    (tmp_path / "all.tex").write_text(
        f"\\documentclass{{article}}{packages}\\begin{{document}}{tables}\\end{{document}}"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"], cwd=tmp_path, capture_output=True
    )
    said = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, said[-2000:]
    assert "Overfull" not in said and "Missing character" not in said


@pytest.mark.slow
def test_hostile_names_are_text_and_nothing_else_in_latex(panel: Run) -> None:
    run = renamed(panel, HOSTILE | {"sim/knows-itself": "\x1b[31mred\x00"})
    for figure in figures([run], score([run], "readable")):
        assert not re.search(OBEYED, as_latex(figure))


@pytest.mark.slow
def test_latex_takes_nothing_else(drawn: dict[str, Figure], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    paths = export(drawn.values(), tmp_path / "out", ("tex",))
    assert {path.name for path in paths} == {f"{id}.tex" for id in drawn}
