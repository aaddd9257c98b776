"""Whatever a screen prints can be looked up, and the page of all terms is what `selfexec explain` prints."""

import re
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.analysis.findings import CALLED, NO_ROOM, TOO_CLOSE
from selfexec.analysis.glossary import PAGE, by_heading, entries, explain, other_names
from selfexec.analysis.screen import MEANINGS, SIGNS
from selfexec.cli import root
from selfexec.experiments import EXPERIMENTS
from selfexec.experiments.base import ClaimState
from selfexec.metrics import LEAST_FOR_VERDICT, LEAST_OTHERS
from selfexec.metrics.own_excess.verdict import LEAST_FOR_OWN, Against, Verdict
from selfexec.readers import State
from selfexec.renamed import LEVELS

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "stored" / "panel"
REASONS = ("format", "truncated", "performed", "declined")  # of readings, as `Reading` has them


def test_the_page_of_terms_is_what_the_command_prints() -> None:
    assert (ROOT / "docs" / "glossary.md").read_text("utf-8") == PAGE.read_text("utf-8")


def test_every_metric_of_a_score_is_explained() -> None:
    metrics = {row.metric for row in sx.score(STORED)}
    assert len(metrics) > 40
    assert [metric for metric in sorted(metrics) if not explain(metric).text] == []


@pytest.mark.parametrize(
    "terms",
    [
        (*SIGNS.values(), *MEANINGS, "†", "–"),
        (*get_args(Verdict), TOO_CLOSE, NO_ROOM, *(name for pair in CALLED.values() for name in pair)),
        (*get_args(State), *get_args(ClaimState), *REASONS),
        tuple(f"against {reason}" for reason in get_args(Against)),
        (
            "PASS",
            "FAIL",
            "CANNOT TELL",
            "ready",
            "not ready",
            "own excess",
            "margin",
            "skill",
            "how often",
            "which ones",
        ),
        (*EXPERIMENTS, *LEVELS.values()),
    ],
)
def test_every_sign_verdict_state_reason_and_experiment_is_explained(terms: tuple[str, ...]) -> None:
    assert all(explain(term).text for term in terms)


def test_a_term_is_found_in_any_case_and_spelling() -> None:
    wanted = explain("own_excess")
    assert all(explain(name) == wanted for name in ("own excess", "Own Excess", "own-excess"))


def test_an_unknown_term_names_the_nearest() -> None:
    with pytest.raises(sx.InputError, match=r"explain 'marign': there is no such term\. Did you mean margin"):
        explain("marign")
    with pytest.raises(sx.InputError, match="All terms: selfexec explain"):
        explain("qqqq")


def test_the_numbers_of_models_are_those_that_verdicts_need() -> None:
    """Written out in the page, where nothing else would change them."""
    words = {4: "four", 6: "six", 10: "ten"}
    assert f"at least {words[LEAST_OTHERS + 1]} models" in explain("margin").text
    assert f"in favour of a model needs {words[LEAST_FOR_VERDICT]}" in explain("margin").text
    assert f"needs {words[LEAST_FOR_OWN]} models" in explain("against few models").text


def test_terms_are_listed_under_the_headings_of_the_page() -> None:
    listed = CliRunner().invoke(root, ["explain"]).output
    headings = re.findall(r"^## (.*)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    assert len(headings) == 9
    assert [heading for heading in headings if f"\n{heading}: " not in f"\n{listed}"] == []
    assert sum(map(len, by_heading().values())) == len(entries())


def test_a_spelling_of_the_term_is_not_said_to_be_explained_as_well() -> None:
    assert "own excess" in explain("own_excess").names
    assert other_names(explain("own_excess")) == ["own_excess_by_rule", "own_excess_detectable", "privileged access"]


def test_no_two_entries_go_by_the_same_name_and_each_has_a_sentence() -> None:
    names = [name.casefold() for entry in entries() for name in (entry.term, *entry.names)]
    assert sorted({name for name in names if names.count(name) > 1}) == []
    assert [entry.term for entry in entries() if not re.search(r"\w.*[.:]$", entry.text)] == []
