"""Frame: whose behaviour a model is asked to predict. Its own is what it is asked anyway.

Only predictions are asked otherwise. What the model then does is the same for every level, and what it says of somebody
else is held against its own behaviour: how much more does it predict where it is asked about itself?
"""

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Prompts
from selfexec.facets.base import Condition, Facet, put

NAME, NAMED = "frame", "named:"
LONGEST_NAME = 100
TEXTS: Prompts = {
    "another-model": "another language model",
    "average-model": "an average language model",
    "person": "a person",
    "named": "$name",
}


def touches(experiment: str, kind: str) -> bool:
    """Predictions, in every experiment that has them."""
    return kind in EXPERIMENTS[experiment].predictions


def accepts(level: str) -> bool:
    """`named:NAME`: a name of one line."""
    name = level.removeprefix(NAMED)
    return level.startswith(NAMED) and name.strip() == name != "" and name.isprintable() and len(name) <= LONGEST_NAME


def prompts(level: str, experiment: str, templates: Prompts) -> Prompts:
    """The predictions, about somebody else: in the words that the prompts have for that."""
    phrase = templates.get(f"{NAME}.{level.partition(':')[0]}")
    kinds = EXPERIMENTS[experiment].predictions
    if lost := [kind for kind in kinds if f"{kind}@{NAME}" not in templates or phrase is None]:
        text = f"{experiment}.{lost[0]}@{NAME}"
        raise InputError(
            f"--{NAME} {level}: these prompts have no {text}, which asks about another. Add it to them, with "
            f"$who for the one asked about and with {', '.join(f'{NAME}.{one}' for one in TEXTS)}, or leave "
            f"{experiment} out: --experiment names those to ask. `selfexec prompts` shows what is shipped."
        )
    # the name is put into a template, where a dollar sign would stand for something to fill in
    who = put(phrase or "", "name", level.removeprefix(NAMED).replace("$", "$$"))
    return {**templates, **{kind: put(templates[f"{kind}@{NAME}"], "who", who) for kind in kinds}}


def addressed(condition: Condition) -> str:
    """Whom predictions are about in a condition, in English; nothing where that is the model itself."""
    level = dict(condition).get(NAME, "")
    name, _, given = level.partition(":")
    return given or TEXTS.get(name, "")


FRAME = Facet(
    name=NAME,
    about="Whose behaviour the model is asked to predict",
    default="self",
    usual="its own",
    levels={
        "another-model": "that of another language model",
        "average-model": "that of an average language model",
        "person": "that of a person",
    },
    further="named:NAME",
    accepts=accepts,
    texts=TEXTS,
    touches=touches,
    prompts=prompts,
)
