"""Runs of which nothing has been answered: nothing is said of them, and nothing of them is forgotten."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from extension_parts import needs
from selfexec.cli import root


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of which all replies were lost."""
    folder = tmp_path_factory.mktemp("silent") / "run"
    sx.run("sim/coin", experiments="restriction", limit=2, facets={"frame": ["self", "person"]}, out=folder)
    (folder / "replies.jsonl").write_bytes(b"")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "score",
        "read",
        "compare",
        "report",
        pytest.param("card", marks=needs("card")),
        "analyze trend",
        "analyze cross",
        "analyze ladder",
    ],
)
def test_whatever_speaks_of_a_run_says_that_nothing_was_answered_in_it(command: str, silent: Path) -> None:
    said = CliRunner().invoke(root, [*command.split(), str(silent)])
    assert str(said.exception).startswith(f"{silent}: nothing has been answered in this run yet.")


def test_a_silent_run_beside_others_is_named_where_it_would_be_compared(silent: Path, tmp_path: Path) -> None:
    sx.run("sim/typical", experiments="restriction", limit=2, out=tmp_path / "other")
    with pytest.raises(sx.InputError, match=f"^{silent}: nothing has been answered"):
        sx.compare([tmp_path / "other", silent])


def test_all_sessions_of_a_silent_run_are_exported_in_every_condition(silent: Path) -> None:
    lines = CliRunner().invoke(root, ["export", str(silent)]).stdout.splitlines()
    # of each of two requests a prediction in either frame, and one execution; the judge waits for that
    assert len(lines) == 2 * 3
    assert sum('"person"' in line for line in lines) == 2
