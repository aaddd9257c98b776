"""Tables in LaTeX: numbers for siunitx, what has no room finds another place, and no name is taken for a command."""

import re

import pytest

from selfexec.extensions.latex.writing import ROOM, as_latex, includes, latex
from selfexec.report.data import Data
from selfexec.report.figures import Figure
from selfexec.report.score_lines import summary
from selfexec.text.numbers import count_in_a_cell, in_a_cell


def figure(columns: list[str], *rows: list[str], title: str = "A title") -> Figure:
    return Figure("one", title, "What it is", None, columns, list(rows))


def skill(n: int) -> str:
    return in_a_cell(n / 7 - 0.5, n / 7 - 0.6, n / 7 - 0.4)


def test_numbers_stand_in_columns_of_their_form_beside_their_intervals() -> None:
    found = figure(["model", "skill", "replies"], ["a", in_a_cell(-0.1, -0.25, 0.05), count_in_a_cell(1204, "replies")])
    lines = as_latex(found).splitlines()
    assert lines[0] == "% needs \\usepackage{booktabs,siunitx}"
    assert "\\begin{tabular}{lS[table-format=-1.3]@{\\ }>{\\scriptsize}lS[table-format=4]}" in lines
    assert "a & -0.100 & {}[\\num{-0.250}, \\num{0.050}] & 1204 \\\\" in lines
    assert "\\caption{A title. In brackets: 95\\% intervals.}" in lines
    assert "\\label{tab:one}\\par\\smallskip" in lines and "\\begin{table}" in lines


def test_a_count_and_a_baseline_say_of_how_many_and_whose() -> None:
    baseline = in_a_cell(0.9, 0.8, 1.0)
    baseline.baseline = "others' mode"  # type: ignore[attr-defined]
    source = as_latex(figure(["model", "lost", "baseline"], ["a", count_in_a_cell(3, "replies", of=1250), baseline]))
    assert "a & 3 & {}of \\num{1250} & 0.900 & {}[\\num{0.800}, \\num{1.000}] others' mode \\\\" in source


def test_what_has_no_number_is_empty_or_says_why() -> None:
    why = "coverage .143 is below .9 (0 claims unreadable)"
    source = as_latex(figure(["model", "skill", "why"], ["a", skill(1), ""], ["b", "", why], ["c", "withheld", why]))
    # what is said of a row alone has no column: it stands below, at a mark behind the name
    assert "b\\textsuperscript{a} &  &  \\\\" in source and "c\\textsuperscript{a} & {withheld} &  \\\\" in source
    said = "coverage 0.143 is below 0.9 (0 claims unreadable)"  # numbers as in the table above it
    assert source.count(said) == 1 and "\\textsuperscript{a} coverage" in source and "{why}" not in source


@pytest.mark.parametrize("columns", [5, 11, 40])
def test_columns_without_room_stand_in_blocks_and_none_is_lost(columns: int) -> None:
    heads = [f"quantity {n}" for n in range(columns)]
    source = as_latex(
        figure(["model", *heads], *([f"model-{m}", *map(skill, range(m, m + columns))] for m in range(3)))
    )
    assert "\\begin{table*}" in source and "resizebox" not in source
    blocks = source.split("\\begin{tabular}")[1:]
    assert len(blocks) == {5: 1, 11: 2, 40: 7}[columns]
    # so wide is a digit of 8 points, and an interval has 14 of them at least
    assert all(block.split("\n")[0].count("S[") * 14 * 3.3 < ROOM for block in blocks)
    for n in range(columns):
        assert source.count(f"quantity {n}}}") + source.count(f"quantity\\\\{n}}}") == 1
    assert source.count("\\num{") == 3 * columns * 2


def test_many_rows_come_as_several_tables_with_labels_of_their_own() -> None:
    source = as_latex(figure(["model", "skill"], *([f"model-{n}", skill(n)] for n in range(100))))
    labels = re.findall(r"\\label\{(.*?)\}", source)
    assert len(labels) == source.count("\\begin{table}") == 3 and len(set(labels)) == 3
    assert all(source.count(f"model-{n} &") == 1 for n in range(100))
    assert "(3 of 3)" in source


def test_columns_that_are_rows_too_are_called_by_their_numbers() -> None:
    models = [f"a-long-name-of-a-model-{n}" for n in range(6)]
    table = figure(["prediction of", *models], *([m, *(in_a_cell(k / 10) for k in range(6))] for m in models))
    source = as_latex(table)
    assert "prediction of & {1} & {2} & {3} & {4} & {5} & {6} \\\\" in source
    assert all(f"{n} {m} &" in source for n, m in enumerate(models, 1))


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("50% of $x_1 & #2 {a}", "50\\% of \\$x\\_1 \\& \\#2 \\{a\\}"),
        ("\\b ~^`", "\\textbackslash{}b \\textasciitilde{}\\textasciicircum{}\\textasciigrave{}"),
        ("a--b---c ''", "a-{}-b-{}-{}-c '{}'"),  # each would be one other sign
        ('say "yes" <b|c>', "say \\texttt{\\char34}yes\\texttt{\\char34} \\textless{}b\\textbar{}c\\textgreater{}"),
        ("−.5 – 1…", "$-$.5 -- 1\\dots{}"),
        ("a\nb\x1b\u202e", "a b\\textbackslash{}x1b\\textbackslash{}u202e"),
        ("Café 模", "Café \\sxletter{模}{6A21}"),
    ],
)
def test_latex_takes_nothing_for_a_command(text: str, source: str) -> None:
    assert latex(text) == source


@pytest.mark.parametrize("name", ["[50pt]", "*", "*[2cm]"])
def test_a_name_is_no_option_of_the_line_before(name: str) -> None:
    source = as_latex(figure(["model", "skill"], [name, skill(1)], [name, skill(2)]))
    assert source.count(f"\n{{}}{name} &") == 2


def test_a_letter_that_pdflatex_lacks_is_told_by_its_number_there() -> None:
    source = as_latex(figure(["model", "skill"], ["模型", skill(1)]))
    assert "\\providecommand{\\sxletter}[2]{\\ifdefined\\Umathcode#1\\else U+#2\\fi}" in source
    assert "sxletter" not in as_latex(figure(["model", "skill"], ["model", skill(1)]))


def test_a_name_without_a_break_can_be_broken() -> None:
    source = as_latex(figure(["model", "skill"], ["M" * 300, skill(1)]))
    assert max(map(len, re.findall("M+", source))) == 8 and source.count("M") == 300 and "}p{120pt}" in source


def test_every_drawing_is_included_at_its_own_size_with_its_caption() -> None:
    source = includes([figure(["model"], title="What is found & shown")], page=True)
    assert "\\begin{figure*}" in source and "\\includegraphics{one}" in source and "\\label{fig:one}" in source
    assert "\\caption{What is found \\& shown. What it is}" in source


def test_a_table_without_a_number_is_one_all_the_same() -> None:
    assert "\\label{tab:one}" in as_latex(figure(["model"])) and "\\label{tab:one}" in as_latex(
        figure(["model", "skill"])
    )
    assert "\\caption{Who knows?}" in as_latex(figure(["model", "said"], ["a", "b"], title="Who knows?"))


def test_the_summary_of_a_page_has_its_columns_in_a_paper_too(data_of_ten: Data) -> None:
    text = as_latex(summary(data_of_ten.lines))
    assert "margin at own" in text and "predicted rate" in text
