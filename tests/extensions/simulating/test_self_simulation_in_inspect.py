"""Self-simulation as a task of Inspect, with the real package and without a network: scores as `selfexec score` has
them, logs as runs, runs as logs.
"""

from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from extension_parts import needs

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
pytestmark = [pytest.mark.slow, needs("inspect")]
NAME, LIMIT = "self_simulation", 12
QUIET: Any = {"on_progress": lambda progress: None}


def evaluated(logs: Path, **arguments: Any) -> Any:
    [log] = inspect_ai.eval(
        f"selfexec/{NAME}",
        model="selfexec/sim/solves",
        log_dir=str(logs),
        display="none",
        task_args={"limit": LIMIT, **arguments},
    )
    assert log.status == "success" and len(log.samples) == LIMIT
    return log


@pytest.mark.parametrize("facets", [{}, {"predicts": "reply"}])
def test_scores_are_those_of_selfexec_score(facets: dict[str, str], tmp_path: Path) -> None:
    [score] = evaluated(tmp_path / "logs", **({"facets": facets} if facets else {})).results.scores
    run = sx.run("sim/solves", experiments=NAME, limit=LIMIT, facets=facets, out=tmp_path / "r", **QUIET)
    rows = {row.metric: row for row in sx.score(run) if row.experiment == NAME}
    for name in ("accuracy", "skill", "coverage"):
        row = rows[name]
        shown = [score.metrics[key].value for key in (name, f"{name}_low", f"{name}_high")]
        assert shown == pytest.approx([row.value, row.low, row.high], abs=1e-12)


def test_its_log_is_a_run_and_a_run_is_its_log_to_the_same_properties(tmp_path: Path) -> None:
    evaluated(tmp_path / "logs")
    sx.run("sim/solves", experiments=NAME, limit=LIMIT, out=tmp_path / "r", **QUIET)
    before = sx.property_scores(tmp_path / "r").records()
    sx.import_task_logs(tmp_path / "logs", out=tmp_path / "of-log")
    assert sx.property_scores(tmp_path / "of-log").records() == before
    from click.testing import CliRunner

    from selfexec.cli import root

    words = ["export", str(tmp_path / "r"), "--to", "inspect", "--out", str(tmp_path / "exported")]
    CliRunner().invoke(root, words, catch_exceptions=False, standalone_mode=False)
    sx.import_task_logs(tmp_path / "exported", out=tmp_path / "again")
    assert sx.property_scores(tmp_path / "again").records() == before


def test_each_execution_has_a_span_of_its_own(tmp_path: Path) -> None:
    sample = evaluated(tmp_path / "logs").samples[0]
    assert [line["session"] for line in sample.store["selfexec:replies"]] == ["predict", "execute.1", "execute.2"]
