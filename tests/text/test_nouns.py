"""Numbers of things read as people write them, down to one."""

from pathlib import Path

import numpy as np
import pytest

import selfexec as sx
from selfexec.stats import correlate
from selfexec.text.numbers import number_of, too_few


@pytest.mark.parametrize(
    ("n", "noun", "plural", "text"),
    [
        (0, "item", "", "0 items"),
        (1, "item", "", "1 item"),
        (2, "item", "", "2 items"),
        (1500, "reply", "replies", "1,500 replies"),
        (1, "item has", "items have", "1 item has"),
    ],
)
def test_one_thing_is_no_several(n: int, noun: str, plural: str, text: str) -> None:
    assert number_of(n, noun, plural) == text


def test_of_none_it_is_not_said_that_they_are_few() -> None:
    assert too_few(3, 20, "item has", "items have", " it") == "only 3 items have it, fewer than 20"
    assert too_few(1, 20, "item has", "items have", " it") == "only 1 item has it, fewer than 20"
    assert too_few(0, 20, "item has", "items have", " it") == "no item has it"


def test_a_run_of_one_item_counts_one_of_each(tmp_path: Path) -> None:
    run = sx.run(["sim/typical", "sim/coin"], limit=1, out=tmp_path / "run")
    reasons = {row.reason for row in sx.score(run) if row.reason}
    assert {
        "only one item could be scored",
        "only 1 common item, fewer than 100",
    } < reasons
    page = sx.report(run, tmp_path / "report.html").read_text("utf-8")
    assert "Asked: 1 association item, 1 restriction item, 1 difficulty item." in page


def test_one_pair_is_one_pair() -> None:
    assert correlate(np.array([1.0]), np.array([2.0])).reason == "only 1 pair, fewer than 4"
