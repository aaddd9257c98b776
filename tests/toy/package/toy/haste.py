"""Haste: whether a model is told to be quick, in whatever it is asked."""

from selfexec.facets import Facet


def prompts(level, experiment, templates):
    """Every template, with a word before it on how quick to be."""
    return {kind: f"Be {level}. {template}" for kind, template in templates.items()}


def settings(level, experiment, kind):
    """Whoever is to be quick is asked at a low temperature, too."""
    return {"temperature": 0.25}


HASTE = Facet(
    name="haste",
    default="none",
    levels={"quick": "it is told to be quick"},
    touches=lambda experiment, kind: True,
    accepts=lambda level: level.startswith("very-"),
    prompts=prompts,
    settings=settings,
)
