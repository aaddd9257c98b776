"""The options of `run` that are about Ray."""

from dataclasses import dataclass

from selfexec.cli.declared import options_of
from selfexec.options import option
from selfexec.run_options import ON_MANY_MACHINES


@dataclass(frozen=True, kw_only=True)
class RayOptions:
    """Which cluster asks, and in how many shards."""

    ray: str | None = option(
        None,
        "Ask on a Ray cluster: auto, its address, or local (this machine only). Caps are divided among the shards.",
        metavar="ADDRESS",
        section=ON_MANY_MACHINES,
    )
    shards: int | None = option(
        None, "With --ray: the number of shards.", metavar="N", section=ON_MANY_MACHINES, least=1
    )


ray_options = options_of(RayOptions)
