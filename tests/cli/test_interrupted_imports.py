"""Ctrl-C ends a command with one line and status 130, whatever is being imported at that time."""

import subprocess
import sys

import pytest

# raises KeyboardInterrupt when the first function of this name is called once a file of this path is being imported
INTERRUPTED = """
import sys

name, path = sys.argv[1:3]
sys.argv[1:] = sys.argv[3:]


def interrupt(frame, event, _):
    caller = frame.f_back
    if event == "call" and frame.f_code.co_name == name and caller and path in caller.f_code.co_filename:
        sys.setprofile(None)
        raise KeyboardInterrupt


sys.setprofile(interrupt)
from selfexec.__main__ import process

process()
"""


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("__set_name__", "selfexec/analysis/options.py"),  # which Python 3.11 makes a RuntimeError of
        ("_find_and_load", "selfexec/analysis/score.py"),
        ("_find_and_load", "selfexec/cli/__init__.py"),  # before the command line is there
        ("_find_and_load", "selfexec/__main__.py"),
        ("_find_and_load", "click/"),
        ("import_module", "selfexec/extension.py"),
        ("dataclass", "selfexec/"),
    ],
)
def test_ctrl_c_during_an_import_ends_with_one_line(name: str, path: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, name, path, "score", "nowhere"], capture_output=True, text=True, check=False
    )
    assert (ended.stderr.strip(), ended.returncode) == ("selfexec: stopped.", 130)


def test_any_other_fault_during_an_import_is_shown_as_it_is() -> None:
    other = INTERRUPTED.replace("raise KeyboardInterrupt", "raise LookupError('of the import')")
    ended = subprocess.run(
        [sys.executable, "-c", other, "__set_name__", "selfexec/analysis/options.py", "score", "nowhere"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "LookupError: of the import" in ended.stderr and ended.returncode == 1
