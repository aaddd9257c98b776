"""Token injection and Inspect, with the real package: no task of Inspect begins replies or forces tokens, and that is
said; runs are still its logs.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from extension_parts import needs
from selfexec.cli import root

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
pytestmark = [pytest.mark.slow, needs("inspect")]
NAME = "token_injection"
QUIET: Any = {"on_progress": lambda progress: None}


def test_a_task_is_refused_by_what_it_takes(tmp_path: Path) -> None:
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError) as refusal:
        inspect_ai.eval(f"selfexec/{NAME}", model="selfexec/sim", log_dir=str(tmp_path), display="none")
    assert "token_injection needs prefill of the engine, which Inspect's tasks do not carry." in refusal.value.message
    assert not list(tmp_path.glob("*.eval"))


def test_a_model_of_inspect_is_refused_before_it_is_asked(tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match=r"token_injection needs prefill .* 'inspect/mockllm/model'"):
        sx.run("inspect/mockllm/model", experiments=NAME, out=tmp_path / "r", **QUIET)
    assert not (tmp_path / "r").exists()


def test_a_run_is_its_log_and_comes_back_with_what_was_forced(tmp_path: Path) -> None:
    sx.run("sim/solves", experiments=NAME, limit=4, out=tmp_path / "r", **QUIET)
    words = ["export", str(tmp_path / "r"), "--to", "inspect", "--out", str(tmp_path / "logs")]
    CliRunner().invoke(root, words, catch_exceptions=False, standalone_mode=False)
    sx.import_task_logs(tmp_path / "logs", out=tmp_path / "again")

    def forced(run: str) -> dict[Any, Any]:
        return {key: (reply.text, reply.forced) for key, reply in sx.load(tmp_path / run).replies.items()}

    assert forced("again") == forced("r")
    # items come in another order, and sums of shares differ in their last digit
    before, after = (json.loads(sx.injection_scores(tmp_path / run).json())["injection"] for run in ("r", "again"))
    assert [{n: pytest.approx(v) if isinstance(v, float) else v for n, v in row.items()} for row in before] == after
