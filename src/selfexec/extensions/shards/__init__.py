"""Joining the shards of a run that several machines asked."""

from selfexec.extension import Command, Extension

EXTENSION = Extension(
    commands={
        "merge": Command(
            "selfexec.extensions.shards.command:command",
            "Join the shards of a run that several machines asked.",
            None,
        ),
    },
    public={"merge": "selfexec.extensions.shards.joining"},
)
