"""Plug-ins that happen to be installed beside this package: tests neither see them nor depend on them, in their own
process and in every Python that they start. What a test itself installs is found as ever.

It is done where this file is imported: before anything of selfexec is, and in other processes as their sitecustomize.
"""

import atexit
import importlib.metadata
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

GROUPS = ("selfexec.experiments", "selfexec.facets", "selfexec.engines", "selfexec.extensions")
HIDDEN = "SELFEXEC_TESTS_HIDDEN_PLUGINS"  # what a process that a test starts is to hide: group, name, folder

Place = tuple[str, str, str]


def place_of(point: Any) -> Place:
    """Which entry point it is: a test may install a package of the same name somewhere else."""
    folder = point.dist.locate_file("") if point.dist else ""
    return point.group, point.name, os.path.realpath(folder)


def hide(hidden: set[Place]) -> None:
    """Have `importlib.metadata.entry_points` leave these out in this process."""
    find = importlib.metadata.entry_points

    def entry_points(**choices: Any) -> Any:
        found = find(**choices)
        if choices.get("group") not in GROUPS:
            return found
        return importlib.metadata.EntryPoints(point for point in found if place_of(point) not in hidden)

    importlib.metadata.entry_points = entry_points


def hide_all() -> None:
    """Hide all that is installed now, here and in processes that are started from here."""
    there = {place_of(point) for group in GROUPS for point in importlib.metadata.entry_points(group=group)}
    if not there:
        return
    hide(there)
    folder = tempfile.mkdtemp(prefix="selfexec-tests-")
    shutil.copy(__file__, Path(folder) / "sitecustomize.py")
    sys.path.append(folder)  # tests hand it on as PYTHONPATH
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    os.environ[HIDDEN] = json.dumps(sorted(there))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


if HIDDEN in os.environ:  # a process that a test has started
    hide({(group, name, folder) for group, name, folder in json.loads(os.environ[HIDDEN])})
else:
    hide_all()
