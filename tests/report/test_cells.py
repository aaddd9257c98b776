"""What stands in cells of the page: somebody else's text is shown there, and does nothing."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from selfexec.analysis.score import Score
from selfexec.report import cells

HOSTILE = """<b onclick='x()'>"&\x1b[31m\u202e"""
SHOWN = "&lt;b onclick=&#39;x()&#39;&gt;&#34;&amp;\\x1b[31m\\u202e"  # in an element as in an attribute
ROW = Score("model", "restriction", "skill", -0.0421, -0.1, 0.25, 9, 9, 0, 0, "strict")
BASELINE_PREDICTIONS = SimpleNamespace(behind=lambda row: (HOSTILE, "said"))
DATA = SimpleNamespace(
    families={HOSTILE: HOSTILE}, number_of={HOSTILE: 0}, evidence=object(), baseline_predictions=BASELINE_PREDICTIONS
)
PAGE: Any = {"data": DATA}
PLAIN: Any = {"data": SimpleNamespace(evidence=None)}


@pytest.mark.parametrize(
    "made",
    [
        cells.name(HOSTILE),
        cells.marks(PAGE, HOSTILE),
        cells.known(replace(ROW, model=HOSTILE, experiment=HOSTILE, metric=HOSTILE)),
        cells.behind(PAGE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, find=HOSTILE, row=ROW),
        cells.behind(PLAIN, HOSTILE, HOSTILE, HOSTILE, HOSTILE),
    ],
    ids=["name", "marks", "known", "behind", "without evidence"],
)
def test_what_others_wrote_is_shown_and_does_nothing(made: str) -> None:
    own = re.sub(r'</?(?:bdi|button|span)(?: [a-z-]+="[^"<>]*")*>', "", made)  # elements of ours, whole
    assert SHOWN in made
    assert not re.search(r"[<>\x1b\u202e]|onclick='", own)


def test_a_number_says_what_it_is_and_a_minus_sign_stands_before_it() -> None:
    # -0.0421 and -0.1 as tables print them; programs get all digits
    assert cells.number_cell(PLAIN, ROW) == (
        '<td class="n" data-metric="skill" data-model="model" data-experiment="restriction" data-value="-0.0421" '
        'data-low="-0.1" data-high="0.25">−.042 <span class="ci">[−.100, .250]</span></td>\n'
    )


def test_a_number_that_is_withheld_has_neither_value_nor_interval() -> None:
    row = replace(ROW, experiment="overall", value=None, low=None, high=None)
    assert cells.number_cell(PLAIN, row, "all") == (
        '<td class="n none" data-metric="skill" data-model="model" data-experiment="overall" data-value="">'
        "withheld</td>\n"
    )
    assert cells.number_cell(PLAIN, None, "all") == '<td class="n"></td>\n'
