"""Asker: whose behaviour a model is asked to predict. Its own is what it is asked anyway.

Only predictions are asked otherwise: what the model then does is the same for every level.
"""

from selfexec.facets import Facet

OWN, ANOTHERS = "that you were asked", "that somebody else were asked"


def touches(experiment, kind):
    """Predictions of brevity."""
    return experiment == "brevity" and kind == "predict"


def prompts(level, experiment, templates):
    """The prediction, with somebody else in the place of the model."""
    return {**templates, "predict": templates["predict"].replace(OWN, ANOTHERS)}


ASKER = Facet(
    name="asker",
    default="self",
    levels={"another": "the behaviour of somebody else is to be predicted"},
    touches=touches,
    prompts=prompts,
)
