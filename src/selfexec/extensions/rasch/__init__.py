"""Models and benchmarks on one scale, from tables of success rates."""

from selfexec.extension import Command, Extension

EXTENSION = Extension(
    analyses={
        "rasch": Command(
            "selfexec.extensions.rasch.command:command",
            "Place models and benchmarks on one scale (Rasch), from success rates.",
        ),
    },
    abilities={"paper": "selfexec.extensions.rasch.abilities:paper_abilities"},
    public={"Rasch": "selfexec.extensions.rasch.abilities", "rasch": "selfexec.extensions.rasch.abilities"},
)
