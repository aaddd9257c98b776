"""Haste: whether a model is told to be quick, in whatever it is asked."""

from selfexec.facets import Facet


def prompts(level, experiment, templates):
    """Every template, with a word before it on how quick to be."""
    return {kind: f"Be {level}. {template}" for kind, template in templates.items()}


HASTE = Facet(
    name="haste",
    default="none",
    levels={"quick": "it is told to be quick"},
    touches=lambda experiment, kind: True,
    accepts=lambda level: level.startswith("very-"),
    prompts=prompts,
)
