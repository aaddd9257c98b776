"""Elicit: in what form a prediction is given. Anyway that is a choice: a letter, marks, an order.

Only predictions are asked otherwise. With `probability` a model says how probable each claim is, so that how readily it
says yes does not matter to which claims it tells apart.
"""

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Prompts
from selfexec.facets.base import Condition, Facet

NAME, PROBABILITY = "elicit", "probability"


def touches(experiment: str, kind: str) -> bool:
    """Predictions, in every experiment that has them."""
    return kind in EXPERIMENTS[experiment].predictions


def asks_for_probabilities(condition: Condition) -> bool:
    """Whether predictions are probabilities in a condition."""
    return dict(condition).get(NAME) == PROBABILITY


def prompts(level: str, experiment: str, templates: Prompts) -> Prompts:
    """The predictions as probabilities, and what asks for them about somebody else."""
    kinds = EXPERIMENTS[experiment].predictions
    wanted = [f"{kind}@{NAME}{frame}" for kind in kinds for frame in ("", ",frame")]
    if lost := [name for name in wanted if name not in templates]:
        raise InputError(
            f"--{NAME} {level}: these prompts have no {experiment}.{lost[0]}, which asks for probabilities. Add "
            f"{' and '.join(f'{experiment}.{name}' for name in wanted)} to them, or leave {experiment} out: "
            "--experiment names those to ask. `selfexec prompts` shows what is shipped."
        )
    asked = {kind: templates[f"{kind}@{NAME}"] for kind in kinds}
    return {**templates, **asked, **{f"{kind}@frame": templates[f"{kind}@{NAME},frame"] for kind in kinds}}


ELICITING = Facet(
    name=NAME,
    about="In what form predictions are given",
    default="choice",
    levels={PROBABILITY: "as a probability of each claim"},
    touches=touches,
    prompts=prompts,
)
