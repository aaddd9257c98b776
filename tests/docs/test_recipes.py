"""Each recipe of docs/recipes.md runs as it is printed; the columns in docs/tables.md are those of the tables."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

import selfexec as sx

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "stored" / "panel"
PARTS = re.split(r"(?m)^## ", (ROOT / "docs" / "recipes.md").read_text("utf-8"))[1:]
RECIPES = {part.splitlines()[0]: re.findall(r"(?s)```python\n(.*?)```", part)[0] for part in PARTS}
TABLES = re.split(r"(?m)^## ", (ROOT / "docs" / "tables.md").read_text("utf-8"))[1:]
COLUMNS = {part.splitlines()[0]: re.findall(r"(?m)^\| `(\w+)` \| (\w+) \| .+ \|$", part) for part in TABLES}


@pytest.fixture(scope="module")
def six_models(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    models = ["knows-itself", "knows-models", "typical", "solves", "says-yes", "coin"]
    return sx.run([f"sim/{model}" for model in models], limit=25, out=tmp_path_factory.mktemp("six") / "run")


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_runs_as_it_is_printed_and_writes_its_file(title: str, six_models: sx.Run, tmp_path: Path) -> None:
    code = RECIPES[title]
    for package in re.findall(r"(?m)^import (\w+)", code):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed here")
    sx.score(six_models).write(tmp_path / "scores.csv")
    shutil.copytree(six_models.folder, tmp_path / "runs" / "mine")
    [written] = re.findall(r'(?:save|savefig|to_csv|write_parquet)\("(.+?)"\)', code)
    environment = {"MPLBACKEND": "agg", "MPLCONFIGDIR": str(tmp_path / "matplotlib"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    content = (tmp_path / written).read_bytes()
    assert len(content) > 200
    if not written.endswith((".png", ".parquet")):
        assert b"sim/knows-itself" in content


def schema(frame: pl.DataFrame) -> list[tuple[str, str]]:
    return [(name, str(kind)) for name, kind in frame.schema.items()]


def test_the_page_of_tables_has_their_columns_with_their_types() -> None:
    run = sx.load(STORED)
    frames = {"Observations": run.observations, "Sessions": run.sessions, "Outcomes": run.outcomes}
    frames["Scores"] = sx.score(run).frame()
    assert {name: schema(frame) for name, frame in frames.items()} == COLUMNS


def test_tables_without_a_row_have_the_columns_that_the_page_names() -> None:
    run = sx.load(STORED)
    emptied = sx.Run(run.folder, run.manifest, run.items.cut([]), {})
    assert emptied.observations.is_empty() and emptied.sessions.is_empty() and emptied.outcomes.is_empty()
    frames = {"Observations": emptied.observations, "Sessions": emptied.sessions, "Outcomes": emptied.outcomes}
    frames["Scores"] = sx.Scores([]).frame()
    assert {name: schema(frame) for name, frame in frames.items()} == COLUMNS
    assert emptied.observations.schema == run.observations.schema
