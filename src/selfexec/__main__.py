"""The command as a process, whose imports may be interrupted too."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress


def process() -> None:
    """Run the command that was typed and end the process. Where it is interrupted while something is imported, it ends
    as it does anywhere else: with one line and status 130.
    """
    try:
        from selfexec.cli import process as run_command

        run_command()
    except BaseException as fault:
        if not any(isinstance(cause, KeyboardInterrupt) for cause in _with_causes(fault)):
            raise
        with suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        with suppress(OSError):
            os.write(2, b"\nselfexec: stopped.\n")  # behind the ^C of a terminal, as click has it
        os._exit(130)


def _with_causes(fault: BaseException) -> Iterator[BaseException]:
    """An exception and those that led to it. Python before 3.12 makes a RuntimeError of whatever interrupts a
    `__set_name__`, and modules written in other languages have conversions of their own.
    """
    cause: BaseException | None = fault
    seen: set[int] = set()
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


if __name__ == "__main__":
    process()
