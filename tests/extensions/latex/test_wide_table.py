"""A paper's Table 1: models by experiments."""

import re

import pytest

import selfexec as sx
from build import SEVEN
from selfexec.analysis.findings import which_ones
from selfexec.analysis.selection import Selection
from selfexec.extensions.latex.wide_table import wide_table
from selfexec.report.data import Data, Options
from selfexec.runs import Run
from selfexec.text.numbers import with_zeros


@pytest.fixture(scope="module")
def table(data_of_ten: Data) -> str:
    return wide_table(data_of_ten.scores, data_of_ten.lines)


def test_a_row_has_said_and_did_skill_and_both_margins_of_each_experiment(table: str) -> None:
    """STATISTICS.md: in association, gpt-4.1 says .68, does .21; skill .395, margin -.40, at its own rate -.01."""
    (row,) = (line for line in table.splitlines() if line.startswith("gpt-4.1 &"))
    cells = [re.sub(r"\\textbf\{(.*)\}|\\rlap.*", r"\1", cell.strip()) for cell in row.removesuffix("\\\\").split("&")]
    assert cells[3:8] == ["68", "21", "0.40", "$-$0.40", "$-$0.01"]
    heads = "\\multicolumn{2}{c}{overall} & \\multicolumn{5}{c}{association}"
    assert heads in table and len(cells) == 1 + 2 + 5 + 5 + 2  # orders have no rates, nor has the mean
    assert "\\cmidrule(lr){2-3}\\cmidrule(lr){4-8}\\cmidrule(lr){9-13}\\cmidrule(lr){14-15}" in table


def test_what_is_decided_is_bold_and_what_is_to_be_read_with_caution_has_a_mark(
    table: str, scores_of_ten: sx.Scores
) -> None:
    for finding in which_ones(scores_of_ten, "association"):
        (row,) = (line for line in table.splitlines() if line.startswith(f"{finding.subject} &"))
        at_own_rate = row.split("&")[7]
        assert ("\\textbf" in at_own_rate) == (finding.answer in ("yes", "no"))
        assert ("\\dag" in at_own_rate) == (finding.answer == "withheld")
    assert "\\dag{}: to be read with caution." in table
    (without,) = (line for line in table.splitlines() if line.startswith("gemini-2.5-flash &"))
    assert [cell.strip(" \\") for cell in without.split("&")][-2:] == ["--", "--"]  # its rankings were not kept


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (".143", "0.143"),
        ("-.05 [-.10, .00]", "-0.05 [-0.10, 0.00]"),
        ("coverage .143 is below .9 (−.5)", "coverage 0.143 is below 0.9 (−0.5)"),
        ("1.000 of 1.5, gpt-.5 v.5 a.b ... .", "1.000 of 1.5, gpt-.5 v.5 a.b ... ."),
        ("p<.001", "p<0.001"),
    ],
)
def test_numbers_have_a_zero_before_the_point_in_latex_and_names_keep_theirs(text: str, printed: str) -> None:
    assert with_zeros(text) == printed


@pytest.fixture(scope="module")
def in_both_forms(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("forms") / "run"
    asked = ["association", "difficulty"]
    return sx.run(SEVEN, experiments=asked, limit=40, facets={"elicit": ["choice", "probability"]}, out=folder)


def test_probabilities_have_a_table_of_their_own_and_no_row_has_skill_and_auroc(in_both_forms: Run) -> None:
    data = Data(Selection.of(in_both_forms), Options("none"))
    of_choices, of_areas = wide_table(data.scores, data.lines, data.areas).split("\\end{table*}")[:2]
    assert "skill" in of_choices and "AUROC" not in of_choices
    assert "{tab:models-auroc}" in of_areas and "model & given & did & AUROC & within & AUROC margin \\\\" in of_areas
    assert "difficulty" not in of_areas  # an order has no AUROC
    areas = sx.score(in_both_forms, conditions="elicit=probability")
    (row,) = (line for line in of_areas.splitlines() if line.startswith("sim/knows-itself &"))
    printed = re.sub(r"\\textbf\{(.*?)\}", r"\1", row.removesuffix("\\\\")).replace("$-$", "-").split(" & ")
    wanted = [areas.value("sim/knows-itself", "association", m) for m in ("auroc", "auroc_within", "auroc_margin")]
    assert [float(cell) for cell in printed[3:]] == [round(value or 0.0, 2) for value in wanted]
    decided = {f.subject for f in which_ones(areas, "association") if f.answer in ("yes", "no")}
    assert decided and all(
        ("\\textbf" in line) == (line.split(" &")[0] in decided)
        for line in of_areas.splitlines()
        if line.startswith("sim/")
    )


def test_without_probabilities_the_table_of_choices_stands_alone(table: str) -> None:
    assert table.count("\\end{table*}") == 1 and "AUROC" not in table
