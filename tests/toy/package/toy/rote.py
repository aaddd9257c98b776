"""Rote: an engine whose models say by heart what they do, whatever the words in which they are asked.

rote/clever  is brief on odd questions, writes 5, 10 and 15 words, picks the first option; and says so
rote/dull    does the same but picks the second option; says that it is brief, that it writes most on the first subject
             and least on the last, and that it picks the first option
rote/ill     says nothing
"""

import json
import re

from selfexec.engines import CallResult, EngineType
from selfexec.errors import InputError

MODELS = ("rote/clever", "rote/dull", "rote/ill")


class Rote:
    """The models in this process: there is nothing to open, and nowhere to ask."""

    def __init__(self, models, item_set):
        if unknown := set(models) - set(MODELS):
            raise InputError(f"model {min(unknown)!r}: nobody learnt that. There are {', '.join(MODELS)}.")
        self.warnings = []
        self.addresses = {}
        self.items = item_set.items

    async def __aenter__(self):
        return self

    async def __aexit__(self, *failure):
        return None

    async def ask(self, call):
        if call.model == "rote/ill":
            return CallResult(None, error="it is ill")
        item = self.items.get(call.key.experiment, {}).get(call.key.item)
        text = self.said(call, item) if item else chat(call.messages)
        return CallResult(text, output_tokens=len(text.split()), stop_reason="stop")

    def said(self, call, item):
        clever, predicts = call.model == "rote/clever", call.key.session == "predict"
        if call.key.experiment == "brevity":
            brief = int(item.id[1:]) % 2 == 1
            if predicts:
                return json.dumps({"choice": "A" if brief or not clever else "B"})
            return "Yes." if brief else "word " * 20
        if call.key.experiment == "lengths":
            if predicts:
                return json.dumps({"order": ["S1", "S2", "S3"] if clever else ["S3", "S2", "S1"]})
            return "word " * 5 * int(call.key.session[-1])
        return json.dumps({"pick": item.options[0 if clever or predicts else 1]})


def chat(messages):
    """It keeps in mind what was said in this conversation, and nothing else."""
    *before, last = messages
    words = [word for message in before for word in re.findall(r'code word is "(\w+)"', message.content)]
    return words[-1] if words and "code word" in last.content else f"You said: {last.content}"


ROTE = EngineType(
    name="rote",
    open=lambda models, item_set, connection: Rote(models, item_set),
    capabilities=lambda model, connection: frozenset({"turns"}),
    simulated=True,
    models=lambda: MODELS,
)
