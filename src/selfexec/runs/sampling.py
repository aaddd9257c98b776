"""What is sent beside the prompts, as the options of a run have it."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, get_args

from selfexec.engines import Sampling, field_options, given_fields, kept_setting
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.options import part_of
from selfexec.run_options import RunOptions, SamplingProtocol

EXTRA = "extra_body."
NOTHING_SENT = Sampling()
PROTOCOLS: tuple[str, ...] = get_args(SamplingProtocol)


def sampling_of(choices: RunOptions) -> Sampling:
    """What is sent beside the prompts, with what the protocol sends."""
    settings = {**sampling_settings(choices.protocol), **choices.settings}
    return replace(part_of(choices, Sampling), settings=settings)


def by_name(sampling: Sampling) -> dict[str, Any]:
    """What is sent beside the prompts, by the names that a run keeps it by: settings by theirs, `extra_body.NAME` for
    more fields of the request body, and the other options of `Sampling` by theirs.
    """
    extra = {f"{EXTRA}{name}": value for name, value in sampling.extra_body.items()}
    return {**sampling.settings, **extra, **{each.name: value for each, value in given_fields(sampling)}}


def from_names(sent: Mapping[str, Any]) -> Sampling:
    """The same the other way round."""
    options = field_options()
    return Sampling(
        settings={name: v for name, v in sent.items() if name not in options and not name.startswith(EXTRA)},
        extra_body={name.removeprefix(EXTRA): v for name, v in sent.items() if name.startswith(EXTRA)},
        **{name: value for name, value in sent.items() if name in options},
    )


def kept_settings(sampling: Sampling) -> dict[str, Any]:
    """What changes the replies, as a run keeps it. How fast and from where they are asked does not."""
    if sampling == NOTHING_SENT:
        return {}
    return {name: kept_setting(name, value) for name, value in by_name(sampling).items()}


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
