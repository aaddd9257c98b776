"""Judging stored replies again: which, by whom, and what is kept of it."""

from selfexec.extension import Command, Extension

EXTENSION = Extension(
    commands={
        "judge": Command("selfexec.extensions.judging.command:command", "Have another model judge the stored replies."),
    },
    public={"judge": "selfexec.extensions.judging.asking"},
)
