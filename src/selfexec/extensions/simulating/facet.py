"""The facet `predicts`: what a prediction of self-simulation gives. Anyway that is properties of the reply.

reply   the reply itself, as text: its properties are read off by the same rules, and `selfexec analyze cross` matches
        it with the replies of all models
"""

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Prompts
from selfexec.facets import Facet

NAME, REPLY, EXPERIMENT = "predicts", "reply", "self_simulation"
OPENING, CLOSING = "<response>", "</response>"  # between which a predicted reply stands


def touches(experiment: str, kind: str) -> bool:
    """The predictions of self-simulation."""
    return experiment == EXPERIMENT and kind in EXPERIMENTS[experiment].predictions


def prompts(level: str, experiment: str, templates: Prompts) -> Prompts:
    """The prediction that asks for the reply as text, about itself and about somebody else."""
    asked = {"predict": f"predict@{NAME}", "predict@frame": f"predict@{NAME},frame"}
    if lost := [name for name in asked.values() if name not in templates]:
        raise InputError(
            f"--{NAME} {level}: these prompts have no {experiment}.{lost[0]}, which asks for the reply as text. Add "
            f"{' and '.join(f'{experiment}.{name}' for name in asked.values())} to them; `selfexec prompts` shows what "
            "is shipped."
        )
    return {**templates, **{name: templates[variant] for name, variant in asked.items()}}


PREDICTS = Facet(
    name=NAME,
    about="What the model predicts in self_simulation",
    default="properties",
    usual="properties of the reply",
    levels={REPLY: "the reply itself, as text"},
    touches=touches,
    prompts=prompts,
    clashes={"elicit": "A reply that is predicted as text has no probability."},
)
