"""What is sent beside the prompts, as the options of a run have it."""

from collections.abc import Collection
from dataclasses import replace
from typing import get_args

from selfexec.engines import Sampling
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.options import part_of
from selfexec.run_options import RunOptions, SamplingProtocol

PROTOCOLS: tuple[str, ...] = get_args(SamplingProtocol)


def sampling_of(choices: RunOptions) -> Sampling:
    """What is sent beside the prompts, with what the protocol sends."""
    settings = {**sampling_settings(choices.protocol), **choices.settings}
    return replace(part_of(choices, Sampling), settings=settings)


def protocol_origins(choices: RunOptions) -> dict[str, str]:
    """The settings that the protocol sends and nobody set otherwise, each with the option that brings it."""
    brought = sampling_settings(choices.protocol).keys() - choices.settings.keys()
    return dict.fromkeys(brought, f"--protocol {choices.protocol}")


def sampling_settings(protocol: str, experiments: Collection[str] | None = None) -> dict[str, float]:
    """The settings of a sampling protocol, by scope: 'restriction.temperature'.

    Args:
        protocol: Its name.
        experiments: Only in these; in all that there are, where none are named.
    """
    if protocol not in PROTOCOLS:
        raise InputError(f"protocol {protocol!r}: there are {', '.join(PROTOCOLS)}.")
    asked = [name for name in EXPERIMENTS if experiments is None or name in experiments]
    settings = {name: EXPERIMENTS[name].sampling.get(protocol, {}) for name in asked}
    return {f"{name}.{setting}": value for name, sent in settings.items() for setting, value in sent.items()}
