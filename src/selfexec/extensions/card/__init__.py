"""The card of a run: benchmark card and data card in one page."""

from selfexec.extension import Command, Extension

EXTENSION = Extension(
    commands={
        "card": Command(
            "selfexec.extensions.card.command:command",
            "Write a run card: what was measured, how, and its limits.",
        ),
    },
    public={"Card": "selfexec.extensions.card.document", "card": "selfexec.extensions.card.document"},
)
