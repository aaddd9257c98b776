"""Whose logs can be read. To add a tool, write its file and list it here."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from selfexec.extensions.logs import inspect, lm_eval
from selfexec.extensions.logs.log import Log


class Tool(NamedTuple):
    """How the logs of a tool are read, and which of the files in a folder are logs."""

    read: Callable[[Path], Log]
    files_in: Callable[[Path], list[Path]]


TOOLS: Mapping[str, Tool] = {
    lm_eval.NAME: Tool(lm_eval.read, lm_eval.files_in),
    inspect.NAME: Tool(inspect.read, inspect.files_in),
}
