"""The tests give the same results whatever is installed beside this package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FACET = """
from selfexec.facets import Facet
MOOD = Facet(name="mood", default="calm", levels={"cross": "in a bad mood"}, touches=lambda experiment, kind: False)
"""
HERE = """
import subprocess, sys

def test_here_and_in_another_process():
    from selfexec.facets import FACETS
    assert "mood" not in FACETS
    code = "from selfexec.facets import FACETS; print('mood' in FACETS)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\\n"
"""


@pytest.mark.slow
def test_what_is_installed_beside_the_package_is_seen_by_no_test_and_by_no_process_that_it_starts(
    tmp_path: Path,
) -> None:
    plugin = tmp_path / "site"
    info = plugin / "moody-1.dist-info"
    info.mkdir(parents=True)
    (plugin / "moody.py").write_text(FACET)
    (info / "METADATA").write_text("Name: moody\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[selfexec.facets]\nmood = moody:MOOD\n")
    without = {name: value for name, value in os.environ.items() if not name.startswith("SELFEXEC_TESTS")}
    places = [place for place in sys.path if not (Path(place) / "sitecustomize.py").exists()]
    environment = without | {"PYTHONPATH": os.pathsep.join([str(plugin), *places])}
    code = "from selfexec.facets import FACETS; print('mood' in FACETS)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr  # it is there
    for path in TESTS.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_foreign_plugins.py").write_text(HERE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_foreign_plugins.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
