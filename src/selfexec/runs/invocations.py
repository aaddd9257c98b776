"""What is written down of each command that asked: when, by which versions, how it was called, and where it asked.

No key and nobody's name is in it: of addresses, settings and fields only what `redaction` lets pass, of other choices
only those that hold none, and paths in a home directory begin with ~.
"""

import hashlib
import json
import platform
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

import msgspec

from selfexec.engines import kept_field
from selfexec.run_options import stored_names
from selfexec.text.redaction import HIDDEN, bare, bare_address, hides
from selfexec.version import __version__

PACKAGES = ("aiohttp", "msgspec", "numpy", "polars")
MOST = 100  # invocations of a run that are kept: the first, and the last ones
# what may be written down as it is
OPEN = stored_names() | {"judge", "to", "config"}


class CallCounter(Protocol):
    """Whatever counts calls."""

    calls: int


class Invocation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One command that asked. `end` is None as long as it works, and where it was killed; then `calls` is unknown.
    `study` names the study file that it ran, and its SHA-256.
    """

    begin: str
    end: str | None = None
    calls: int | None = None
    command: str | None = None
    versions: dict[str, str] = {}
    addresses: dict[str, str] = {}
    study: str | None = None


@dataclass(frozen=True)
class StudyFile:
    """The study file that a command ran, as it was, and as the run keeps it."""

    name: str
    content: bytes
    kept: bytes

    def __str__(self) -> str:
        return f"{self.name}, SHA-256 {hashlib.sha256(self.content).hexdigest()}"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def begun(command: str | None, addresses: Mapping[str, str], study: StudyFile | None = None) -> Invocation:
    """The invocation that begins now."""
    named = None if study is None else str(study)
    return Invocation(begin=now(), command=command, versions=versions(), addresses=dict(addresses), study=named)


@contextmanager
def noted(begun: Invocation, write: Callable[..., None], progress: CallCounter) -> Iterator[None]:
    """Have an invocation written down from its beginning, and with its end; where no call came of it, it is taken back.
    `write` writes those that it is given behind the ones before.
    """

    def end() -> None:
        write(*[msgspec.structs.replace(begun, end=now(), calls=progress.calls)] if progress.calls else [])

    write(begun)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # a full disk is reported with what could not be kept, which is more than this
            end()
        raise
    end()


def kept(invocations: Sequence[Invocation]) -> list[Invocation]:
    """As many of them as a manifest should hold."""
    return list(invocations) if len(invocations) <= MOST else [invocations[0], *invocations[1 - MOST :]]


def versions() -> dict[str, str]:
    return {"selfexec": __version__, "python": platform.python_version(), **dict(map(_installed, PACKAGES))}


@cache
def _installed(package: str) -> tuple[str, str]:
    """With its version, which is searched for among all that is installed: no part of a process changes it."""
    return package, metadata.version(package)


# --- how it was called -----------------------------------------------------------------------------------------------


def command_line(words: Sequence[str], options: Iterable[tuple[str, str, Any]]) -> str:
    """A command as it may be written down, of options as (name in Python, name on the command line, value)."""
    shown = list(words)
    for name, option, value in options:
        for one in value if isinstance(value, tuple | list) else [value]:
            shown += [option] if one is True else [option, str(without_secrets(name, one))]
    return shlex.join(shown)


def call(function: str, choices: Mapping[str, Any]) -> str:
    """A call in Python as it may be written down."""
    arguments = (f"{name}={without_secrets(name, value)!r}" for name, value in choices.items() if value is not None)
    return f"{function}({', '.join(arguments)})"


def without_secrets(name: str, value: Any) -> Any:
    """What of a choice may be written down."""
    if name == "base_url":
        return bare_address(str(value))
    if name == "headers":  # any of them may be a key, whatever a gateway calls it
        return f"{value.partition('=')[0].strip()}={HIDDEN}" if isinstance(value, str) else dict.fromkeys(value, HIDDEN)
    if name == "settings" and isinstance(value, str):
        setting, equals, text = value.partition("=")
        return f"{setting}{equals}{HIDDEN if hides(setting, text) else text}"
    if name == "extra_body" and isinstance(value, str):
        return json.dumps(without_secrets(name, json.loads(value)))
    if name == "extra_body":
        return bare("", {field: kept_field(field, part) for field, part in dict(value).items()})
    if name == "settings":
        return bare("", dict(value))
    if name == "prompts" and isinstance(value, Mapping):
        return dict.fromkeys(value, "...")  # they are kept whole beside the manifest
    return _at_home(value) if name in OPEN else HIDDEN


def _at_home(value: Any) -> Any:
    """A path as it is, but for the name of the home directory that it may begin with."""
    if isinstance(value, list | tuple):
        return [_at_home(one) for one in value]
    if not isinstance(value, str | Path):
        return value
    home, text = str(Path.home()), str(value)
    inside = len(home) > 1 and (text == home or text.startswith(f"{home}/"))
    return f"~{text[len(home) :]}" if inside else text
