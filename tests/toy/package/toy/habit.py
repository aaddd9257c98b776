"""Habit: does a model know what it will pick, asked afresh again and again?

    predict     shown the options, the model says which one it would pick
    execute.n   the options, alone, three times

A claim: "this try picks what was predicted". Items with a `named` option are the control: nobody predicts it, and
there is nothing to predict.
"""

import asyncio
import json
from string import Template

import msgspec

from selfexec.experiments import MISSING_READING, Experiment, Facts, Observation, Words, state_of
from selfexec.readers import Reading

TRIES = (1, 2, 3)
PROMPTS = {
    "predict": "Suppose that you were asked to pick one of these: $options. Which one would you pick? "
    'End with one JSON object: {"pick": "..."}',
    "execute": 'Pick one of these: $options. End with one JSON object: {"pick": "..."}',
}


class Options(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    options: list[str]
    named: str | None = None


def _try(item, prediction, n, picked):
    state, reason = state_of([prediction], [picked])
    known = prediction.value is not None and picked.value is not None
    observed = prediction.value == picked.value if known else None
    facts = Facts(label="control" if item.named else "predicted")
    predicted = False if item.named else True if prediction.value is not None else None
    return Observation(f"try {n}", predicted, observed, state, reason, facts=facts)


class Habit(Experiment):
    name = "habit"
    claim_kind = "share"
    item_type = Options
    item_name = "choice"
    prompts = PROMPTS
    tokens = {"predict": 10, "execute": 10}
    words = Words(
        about="what it will pick",
        its="what it will pick",
        their="what they will pick",
        baseline="the options and what other models pick",
        behaviour=("pick an option", "the named option is picked"),
        measured="whether the model picks what it predicted, more often than what nobody predicted",
        task="prediction of its own picks",
        lost="its lost lists",
    )
    quick = 40

    def session_names(self, item):
        tries = tuple(f"execute.{n}" for n in TRIES)
        return tries if item.named else ("predict", *tries)

    async def sessions(self, item, ask, prompts):
        options = ", ".join(item.options)
        await asyncio.gather(
            *(
                ask(s, Template(prompts[s.partition(".")[0]]).substitute(options=options))
                for s in self.session_names(item)
            )
        )

    def read(self, item, session, text, options=None):
        try:
            pick = json.loads(text[text.rindex("{") :])["pick"]
        except (ValueError, KeyError, TypeError):
            return Reading("unreadable", reason="format")
        return Reading("read", pick) if pick in item.options else Reading("unreadable", reason="format")

    def given(self, item, session, value):
        return value if value in item.options else None

    def observe(self, item, readings):
        prediction = Reading("read", item.named) if item.named else readings.get("predict", MISSING_READING)
        return [_try(item, prediction, n, readings.get(f"execute.{n}", MISSING_READING)) for n in TRIES]

    def title(self, item):
        return ", ".join(item.options)

    def oddities(self, item):
        return [] if len(item.options) > 1 else ["there is nothing to choose from"]

    def contents(self, item):
        return [", ".join(item.options)]

    def composition(self, items):
        return f"{sum(item.named is not None for item in items)} of the control"

    def strata(self, item):
        return ("control" if item.named else "predicted", "")
