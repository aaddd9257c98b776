"""The errors that a user meets."""

import re
from typing import TYPE_CHECKING

from selfexec.renamed import module_getattr

# what options of the command line are called in Python and in study files, where that is something else
RENAMED = {
    "model": "models",
    "experiment": "experiments",
    "set": "settings",
    "header": "headers",
    "facet": "facets",
    "condition": "conditions",
    "metric": "metrics",
    "from": "tool",
    "as": "experiment",
    "behaviour-thinking": "behaviour-thinking",  # a facet, as are all that have an option of their own
    "stream": "stream=True",
    "accept-filters": "accept_filters=True",
    "retry-ends": "retry_ends=True",
}
# those that are no choice in Python, or another tool's
ELSEWHERE = ("dry-run", "save", "format", "show", "config", "with", "ray", "to", "no-log-samples", "abilities")
# a command is left as it is typed, up to the end of its line or sentence; so is whatever stands in backticks
OPTION = re.compile(r"`[^`\n]*`|\bselfexec [a-z]\S*(?: .*?)?(?=$|\n|\)|[.;] )|(?<![\w-])--([a-z][a-z-]*)", re.MULTILINE)


class InputError(ValueError):
    """Something that was given cannot be used. The message names it, says what is wrong and the way out.

    It is written, and kept in `typed`, in the words of the command line; as text it is in those of Python and of study
    files: settings for --set.
    """

    @property
    def typed(self) -> str:
        """The message in the words of the command line."""
        return super().__str__()

    @property
    def choice(self) -> tuple[str, ...]:
        """The choice that it is about, and the part of it, where the message begins with one: settings, temprature."""
        found = re.match(r"--([a-z][a-z-]*)(?: ([^\s:=]+))?", self.typed)
        return tuple(filter(None, (_called(found[1]), found[2]))) if found else ()

    def __str__(self) -> str:
        return in_python(self.typed)


def in_python(text: str) -> str:
    """Text in which options are called as in Python and in study files, and not as on the command line."""
    return OPTION.sub(lambda found: _called(found[1]) if found[1] else found[0], text)


def _called(option: str) -> str:
    """What an option of the command line is called elsewhere."""
    return f"--{option}" if option in ELSEWHERE else RENAMED.get(option, option.replace("-", "_"))


class Interrupted(InputError):
    """No further call can succeed for now. `obstacle` is the message without what a command may do that keeps its
    replies.
    """

    def __init__(self, obstacle: str, way_on: str) -> None:
        super().__init__(f"{obstacle} {way_on}")
        self.obstacle = obstacle
        self.way_on = way_on


class NoApiKey(InputError):
    """A key that is not there: all else is in order."""


class WrongName(InputError, TypeError):
    """A choice that a function does not have. Python alone would say so with a TypeError, and this is one too."""


class NotSettled(InputError):
    """An estimate that was not found: what was given does not pin it down well enough."""


class SeveralFaults(InputError):
    """More than one thing is wrong: the message has a line for each."""


class Notice(UserWarning):
    """Something that was done, or is being waited for, and that nobody need do anything about."""


if not TYPE_CHECKING:  # names that are nowhere are errors to a type checker
    __getattr__ = module_getattr(__name__)
