"""Strategy: what a model is shown before it predicts. Anyway that is nothing but the item.

own-history:K     K results of its own on other items
history-of:MODEL  as many of another model's, for comparison: what do examples help, no matter which model's?

The items of these results are the same for all others, and are not predicted under this facet. The plan puts the
results in the place of $history, since they are another text for each model.
"""

import re
from typing import NamedTuple

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Prompts
from selfexec.facets.base import Condition, Facet
from selfexec.text.regex import regex

STRATEGY, HISTORY, USUAL = "strategy", "history", 10
TEXTS: Prompts = {
    "own-history": "In other sessions, each on its own, you did the following:\n\n$history\n\n",
    "history-of": "In other sessions, each on its own, another language model did the following:\n\n$history\n\n",
}
LEVEL = regex(r"(own-history)(?::([1-9]\d?))?|(history-of):(?:([1-9]\d?):)?(\S*[^\s:])", re.ASCII)


class Shown(NamedTuple):
    """How many results are shown; whose, where not its own."""

    results: int
    of: str | None = None


def shown_at(level: str) -> Shown:
    """What a level shows."""
    found = LEVEL.fullmatch(level)
    assert found
    return Shown(int(found[2] or found[4] or USUAL), found[5])


def history_in(condition: Condition) -> Shown | None:
    """What is shown in a condition, if anything."""
    level = dict(condition).get(STRATEGY)
    return None if level is None else shown_at(level)


def touches(experiment: str, kind: str) -> bool:
    return kind in EXPERIMENTS[experiment].predictions


def prompts(level: str, experiment: str, templates: Prompts) -> Prompts:
    """The predictions with $history before them."""
    one = EXPERIMENTS[experiment]
    if not one.tells_results:
        raise InputError(
            f"--{STRATEGY} {level}: {experiment} does not say how its results are shown (`recounts`). Leave it out: "
            "--experiment names those to ask."
        )
    phrase = f"{STRATEGY}.{'own-history' if shown_at(level).of is None else 'history-of'}"
    told = [name for name in one.variants if name.endswith(f"@{STRATEGY}")]
    if lost := [name for name in (phrase, *told) if name not in templates]:
        raise InputError(
            f"--{STRATEGY} {level}: these prompts have no {lost[0] if phrase in lost else f'{experiment}.{lost[0]}'}, "
            f"by which results are shown. Add all names that end in @{STRATEGY}, and "
            f"{', '.join(f'{STRATEGY}.{whose}' for whose in TEXTS)}; `selfexec prompts` shows what is shipped."
        )
    return {**templates, **{kind: templates[phrase] + templates[kind] for kind in one.predictions}}


RECALLING = Facet(
    name=STRATEGY,
    about="What the model is shown before it predicts",
    default="none",
    usual="nothing",
    levels={"own-history": f"{USUAL} results of its own on other items"},
    further="own-history:K, history-of:MODEL",
    hint="K is 1 to 99.",
    accepts=lambda level: LEVEL.fullmatch(level) is not None,
    texts=TEXTS,
    touches=touches,
    prompts=prompts,
)
