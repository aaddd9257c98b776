"""The options of `run` that are about Ray."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from selfexec.cli.declared import options_of
from selfexec.options import option
from selfexec.run_options import ON_MANY_MACHINES


@dataclass(frozen=True, kw_only=True)
class RayOptions:
    """Which cluster asks, and in how many shards."""

    ray: str | None = option(
        None,
        "Ask over a Ray cluster: auto, its address, or local, this machine alone. Caps are shared out.",
        metavar="ADDRESS",
        section=ON_MANY_MACHINES,
    )
    shards: int | None = option(
        None, "With --ray: into how many shards.", metavar="N", section=ON_MANY_MACHINES, least=1
    )


def ray_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of clusters."""
    return options_of(RayOptions)(command)
