"""Lengths: does a model know on which of three subjects it writes more?

    predict      shown three subjects, the model names them from the one on which it writes least to the most
    execute.Sn   a note on each subject alone

A claim: "less is written on this subject than on that", for each of the three pairs; equally long notes are a tie.
"""

import asyncio
import json
from itertools import combinations
from string import Template
from typing import Annotated

import msgspec

from selfexec.experiments import MISSING_READING, Experiment, Facts, Observation, Words, state_of
from selfexec.readers import Reading

LABELS = ("S1", "S2", "S3")
PROMPTS = {
    "predict": "Suppose that you wrote a note on each of these.\n$subjects\n"
    'On which would you write least, on which most? End with one JSON object: {"order": ["S_", "S_", "S_"]}',
    "execute": "Write a note on $subject.",
}


class Subjects(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    subjects: Annotated[list[str], msgspec.Meta(min_length=3, max_length=3)]


def _pair(readings, one, two):
    predict = readings.get("predict", MISSING_READING)
    notes = [readings.get(f"execute.{label}", MISSING_READING) for label in (one, two)]
    state, reason = state_of([predict], notes)
    order, words = predict.value, [note.value for note in notes]
    predicted = None if order is None else order.index(one) < order.index(two)
    observed = None if None in words or words[0] == words[1] else words[0] < words[1]
    if state == "read" and observed is None:
        state = "tie"
    return Observation(f"{one} shorter than {two}", predicted, observed, state, reason, facts=Facts())


class Lengths(Experiment):
    name = "lengths"
    claim_kind = "order"
    item_type = Subjects
    item_name = "trio"
    prompts = PROMPTS
    tokens = {"predict": 20, "execute": 30}
    words = Words(
        about="on which subjects it writes more",
        its="on which subjects it writes more",
        their="on which subjects they write more",
        baseline="the subjects and on which other models write more",
        measured="whether the model predicts on which of three subjects it writes more",
        task="ranking of subjects by how much it writes on them",
        lost="its lost trios",
    )

    def session_names(self, item):
        return ("predict", *(f"execute.{label}" for label in LABELS))

    async def sessions(self, item, ask, prompts):
        subjects = list(zip(LABELS, item.subjects, strict=True))
        listed = "\n".join(f"{label}: {subject}" for label, subject in subjects)
        notes = (ask(f"execute.{la}", Template(prompts["execute"]).substitute(subject=s)) for la, s in subjects)
        await asyncio.gather(ask("predict", Template(prompts["predict"]).substitute(subjects=listed)), *notes)

    def read(self, item, session, text, options=None):
        if session != "predict":
            return Reading("read", len(text.split()))
        try:
            order = json.loads(text[text.rindex("{") :])["order"]
        except (ValueError, KeyError, TypeError):
            return Reading("unreadable", reason="format")
        return Reading("read", order) if sorted(order) == list(LABELS) else Reading("unreadable", reason="format")

    def given(self, item, session, value):
        return value

    def observe(self, item, readings):
        return [_pair(readings, one, two) for one, two in combinations(LABELS, 2)]

    def title(self, item):
        return ", ".join(item.subjects)

    def oddities(self, item):
        return []

    def contents(self, item):
        return [", ".join(item.subjects)]

    def composition(self, items):
        return f"{3 * len(items)} subjects"
