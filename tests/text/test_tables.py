"""Tables as text lose nothing, however narrow the terminal."""

import re
from collections import Counter

import pytest

from selfexec.text.tables import Layout, Part, Table, all_as_html, all_as_markdown, all_as_text, as_text, fitted
from terminal import STYLE

COLUMNS = ["model", "experiment", "accuracy", "best baseline", "margin"]
ROWS = [
    [
        "provider/a-model-with-a-long-name",
        "association",
        ".897 [.877, .915]",
        ".765 others' mode",
        "-.346 [-.406, -.286]",
    ],
    ["provider/a-model-with-a-long-name", "overall", ".914 [.892, .936]", "", "–"],
    ["b", "association", ".510 [.484, .536]", ".493 question length", ".044 [.005, .082]"],
]


def visible(text: str) -> Counter[str]:
    return Counter(c for c in text if not c.isspace() and c != "─")


@pytest.mark.parametrize("layout", ["sections", "stacked", "plain"])
@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_every_character_of_every_cell_is_shown(layout: Layout, width: int) -> None:
    shown = as_text("What?", COLUMNS, ROWS, width, layout)
    names = ["provider/a-model-with-a-long-name", "b"]  # each said once
    cells = [cell for _, *others in ROWS for cell in others]
    assert visible(shown) == visible("".join(["What?", *COLUMNS, *names, *cells]))
    assert all(len(line) <= width for line in shown.splitlines())


@pytest.mark.parametrize("layout", ["sections", "stacked", "plain"])
@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_bold_and_dim_parts_change_no_character_and_no_place(layout: Layout, width: int) -> None:
    def of(text: str) -> list[str]:
        return [line.rstrip() for line in text.splitlines()]

    styled = as_text("What?", COLUMNS, ROWS, width, layout, styled=True)
    assert of(STYLE.sub("", styled)) == of(as_text("What?", COLUMNS, ROWS, width, layout))
    assert "\x1b[1mb\x1b[0m" in styled and "\x1b[2m[.877," in styled
    assert "\x1b[2m[+.199, +.332]\x1b[0m" in as_text("What?", ["a", "b"], [["x", "+.266 [+.199, +.332]"]], styled=True)
    assert ".897 " in styled.replace("\x1b[2m", "")  # the value itself stands as it is
    assert "\x1b" not in as_text("What?", COLUMNS, ROWS, width, layout)


def test_over_the_models_of_a_stacked_table_stands_model_and_over_their_experiments_experiment() -> None:
    lines = as_text("What?", COLUMNS, ROWS, 200, "stacked").splitlines()
    names = next(n for n, line in enumerate(lines) if line.strip() == ROWS[0][0])
    model, experiment = lines[names - 3 : names - 1]  # then comes the rule
    assert model.index("model") == lines[names].index(ROWS[0][0])
    assert experiment.index("experiment") == lines[names + 1].index("association")


@pytest.mark.parametrize("width", [80, 120])
def test_values_and_intervals_stay_in_one_piece(width: int) -> None:
    shown = as_text("What?", COLUMNS, ROWS, width, "stacked")
    for piece in (".897", "[.877, .915]", ".510", "[.484, .536]", ".044", "[.005, .082]"):
        assert piece in shown
    assert (".897 [.877, .915]" in shown) == (width == 120)  # below its value only where room is scarce


SCORED = ["model", "experiment", "accuracy", "skill", "best baseline", "margin", "coverage"]
LONGEST = [
    [
        "m",
        "association",
        ".298 [.275, .322]",
        "-.009 [-.032, -.005]",
        ".483 others' share",
        "-.492 [-1.614, -.422]",
        ".993",
    ],
    ["m", "overall", "withheld", "withheld", "", "withheld", ""],
]


@pytest.mark.parametrize("width", [78, 80, 100])
def test_a_table_of_scores_breaks_no_interval_and_no_name_of_a_column_at_80_columns(width: int) -> None:
    shown = as_text("What?", SCORED, LONGEST, width, "stacked")
    assert all(len(line) <= width for line in shown.splitlines())
    pieces = [
        "[.275, .322]",
        "[-.032, -.005]",
        "[-1.614, -.422]",
        "-.492",
        ".993",
        "association",
        "coverage",
        "baseline",
    ]
    assert [piece for piece in pieces if piece not in shown] == []


@pytest.mark.parametrize("width", range(50, 80))
def test_where_an_interval_must_be_broken_it_is_between_its_ends(width: int) -> None:
    shown = as_text("What?", SCORED, LONGEST, width, "stacked").split()
    for number in ("[.275,", ".322]", "[-.032,", "-.005]", "[-1.614,", "-.422]", ".993", ".298", "-.492"):
        assert number in shown


@pytest.mark.parametrize("width", range(22, 80))
@pytest.mark.parametrize("layout", ["sections", "stacked", "plain"])
def test_no_number_is_broken_however_narrow_the_terminal(layout: Layout, width: int) -> None:
    shown = as_text("What?", SCORED, LONGEST, width, layout)
    pieces = {piece for _, *cells in LONGEST for cell in cells for piece in cell.split() if re.search(r"\d", piece)}
    assert pieces >= {".298", "[.275,", ".322]", "-.492", "[-1.614,", ".993", ".483"}
    assert pieces <= {*shown.split()}
    assert all(len(line) <= width for line in shown.splitlines())


def test_a_table_for_which_there_is_no_room_is_a_list_of_cells_with_the_names_of_their_columns() -> None:
    lines = as_text("What?", SCORED, LONGEST, 30, "stacked").splitlines()
    assert lines[:5] == ["What?", "", "m", "  experiment: association", "  accuracy: .298 [.275, .322]"]
    second = lines.index("  experiment: overall")  # of the same model, which is said once
    assert lines[second - 1] == "" and lines[second + 1 :] == [
        "  accuracy: withheld",
        "  skill: withheld",
        "  margin: withheld",  # its best baseline and coverage are empty
    ]


def test_lines_that_are_too_long_go_on_below_at_words_and_keep_their_intervals() -> None:
    text = "  a margin of .35 [.25, .41] in so and so many words, and runs/a-name-with-hyphens-in-it is not broken"
    lines = fitted(text, 30).splitlines()
    assert " ".join(line.strip() for line in lines) == text.strip()
    assert lines[0] == "  a margin of .35 [.25, .41]"
    assert all(line.startswith("    ") for line in lines[1:])
    assert fitted("short\n\n" + text, 200) == "short\n\n" + text


@pytest.mark.parametrize("layout", ["sections", "stacked", "plain"])
def test_a_name_that_looks_like_markup_is_shown_as_it_is(layout: Layout) -> None:
    shown = as_text("What?", ["model", "value", "of"], [["[red]m[/]", "x[/y]", ":smile: [bold]z"]], 120, layout)
    for text in ("[red]m[/]", "x[/y]", ":smile: [bold]z"):
        assert text in shown


def test_a_line_with_bold_and_dim_parts_is_as_long_as_what_is_seen_of_it() -> None:
    line = "\x1b[1msim/coin\x1b[0m .503 \x1b[2m[.475, .530]\x1b[0m"
    assert fitted(line, len("sim/coin .503 [.475, .530]")) == line


SHOWN: list[Part] = [
    Table("Who?\nHe <did>.", ["a", "b"], [["x", "1"]]),
    Table("And?", ["c", "d"], [["y", "2"]], "plain"),
    "one",
    "  two",
    "",
    "three",
]


def test_tables_and_lines_stand_below_each_other_as_text() -> None:
    first, second = as_text("Who?\nHe <did>.", ["a", "b"], [["x", "1"]]), as_text("And?", ["c", "d"], [["y", "2"]])
    assert all_as_text(SHOWN) == f"{first}\n{second}\none\n  two\n\nthree"


def test_in_html_an_empty_line_parts_paragraphs() -> None:
    assert all_as_html(SHOWN).partition("<p>")[2] == "one<br>&ensp;&ensp;two</p><p>three</p>"
    assert all_as_html(SHOWN).count("<table>") == 2


def test_in_markdown_a_title_is_bold_what_it_says_stands_below_it_and_lines_are_lists() -> None:
    tables = ["**Who?**", "He &lt;did>.", "| a | b |\n| --- | --- |\n| x | 1 |"]
    tables += ["**And?**", "| c | d |\n| --- | --- |\n| y | 2 |"]
    assert all_as_markdown(SHOWN) == "\n\n".join([*tables, "- one\n  - two", "- three"])


def test_a_command_stays_on_one_line_however_long_and_what_stands_around_it_is_folded() -> None:
    command = "selfexec read '/tmp/a run with blanks in its name' --state unreadable --show"
    text = f"Nine claims of these four models could not be read: {command}. Some more of them were withheld."
    lines = fitted(text, 40).splitlines()
    assert f"  {command}." in lines and all(len(line) <= 40 for line in lines if command not in line)
    assert command in fitted(f"To see them, type `{command}` and look.", 40)


def test_no_head_is_broken_inside_a_word_where_cells_can_give_way() -> None:
    columns = ["model", "experiment", "precision", "baseline", "coverage", "rate bias", "skill", "at equal rates"]
    rows = [["provider/a-model", "association", *([".302 [.279, .326]"] * 6)]]
    shown = as_text("What?", columns, rows, 80, "stacked")
    heads = shown.split("─")[0].split()
    assert {"precision", "baseline", "coverage"} <= set(heads)
