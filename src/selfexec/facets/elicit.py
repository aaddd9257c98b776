"""Elicit: in what form a prediction is given. Anyway that is a choice: a letter, marks, an order.

Only predictions are asked otherwise. What a model gives a probability to is scored without a threshold: how readily it
says yes does not matter to which claims it tells apart.

probability     a model says how probable each claim is
logprob         it is asked for the letter alone, and what it gives the letters counts, not what it says
choice-logprob  the prediction as it is asked anyway, with what it gave the words that decide it
"""

from collections.abc import Mapping
from typing import Any

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Prompts
from selfexec.facets.base import Condition, Facet

NAME, PROBABILITY, LOGPROB, CHOICE_LOGPROB = "elicit", "probability", "logprob", "choice-logprob"
LETTER_ALONE, OF_CHOICE = f"{NAME}={LOGPROB}", f"{NAME}={CHOICE_LOGPROB}"
BY_TOKENS = (LETTER_ALONE, OF_CHOICE)  # read by the log-probabilities of tokens
LIKELIEST = 20  # tokens at each place, as many as most servers give


def touches(experiment: str, kind: str) -> bool:
    """Predictions, in every experiment that has them."""
    return kind in EXPERIMENTS[experiment].predictions


def asks_for_probabilities(condition: Condition) -> bool:
    """Whether predictions are probabilities in a condition: at every level but the default one."""
    return NAME in dict(condition)


def prompts(level: str, experiment: str, templates: Prompts) -> Prompts:
    """The predictions in the form of a level, and what asks for them about somebody else."""
    if level == PROBABILITY:
        return _worded(level, experiment, templates, NAME)
    if not EXPERIMENTS[experiment].decided_by_tokens:
        raise InputError(
            f"--{NAME} {level}: no single token decides a prediction in {experiment}, so that log-probabilities say "
            "nothing of it. Leave it out: --experiment names those to ask."
        )
    in_letters = level == LOGPROB and any("@letter" in name for name in EXPERIMENTS[experiment].variants)
    return _worded(level, experiment, templates, "letter") if in_letters else templates


def _worded(level: str, experiment: str, templates: Prompts, variant: str) -> Prompts:
    """The templates, with the predictions in the words of a variant."""
    kinds = EXPERIMENTS[experiment].predictions
    wanted = [f"{kind}@{variant}{frame}" for kind in kinds for frame in ("", ",frame")]
    if lost := [name for name in wanted if name not in templates]:
        raise InputError(
            f"--{NAME} {level}: these prompts have no {experiment}.{lost[0]}, which asks for it. Add "
            f"{' and '.join(f'{experiment}.{name}' for name in wanted)} to them, or leave {experiment} out: "
            "--experiment names those to ask. `selfexec prompts` shows what is shipped."
        )
    asked = {kind: templates[f"{kind}@{variant}"] for kind in kinds}
    return {**templates, **asked, **{f"{kind}@frame": templates[f"{kind}@{variant},frame"] for kind in kinds}}


def settings(level: str, experiment: str, kind: str) -> Mapping[str, Any]:
    """The log-probabilities of the likeliest tokens, where they are read."""
    return {} if level == PROBABILITY else {"logprobs": True, "top_logprobs": LIKELIEST}


ELICITING = Facet(
    name=NAME,
    about="How predictions are asked for",
    default="choice",
    usual="as a choice: yes or no, or an order",
    levels={
        PROBABILITY: "as a probability of each claim",
        LOGPROB: "as the letter alone, by the log-probabilities of the letters",
        CHOICE_LOGPROB: "as ever, by the log-probabilities of the words that decide it",
    },
    touches=touches,
    prompts=prompts,
    settings=settings,
    needs={LOGPROB: frozenset({"logprobs"}), CHOICE_LOGPROB: frozenset({"logprobs"})},
)
