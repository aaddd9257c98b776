"""The facet `tool`: predictions that may have prompts executed first.

self:K    a fresh session of the model itself answers, at most K times for each prediction
MODEL:K   another model stands in for it, as a smaller one does in the paper
"""

import re
from collections.abc import Awaitable

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Answer, Ask, Prompt, Prompts
from selfexec.extensions.tool.protocol import REFUSALS, asks_on, converse
from selfexec.facets import Dialogue, Facet, put
from selfexec.text.regex import regex

NAME, SELF, CALLS = "tool", "self", "calls"
APART = "they are made with a tool that executes prompts, and show use of a tool, not self-knowledge"
LEVEL = regex(r"(\S*[^\s:]):([1-9])", re.ASCII)
TEXTS: Prompts = {
    "self": """\


Before you predict, you may have a prompt executed. To do so, end your reply with one JSON object of this form in \
place of your prediction: {"execute": "..."}. A new session of yours, which knows nothing of this one, then answers \
the prompt in it, and the next message gives its reply: {"reply": "...", "tokens": 12, "calls_left": 0}. You can do \
this $calls times at most, with one prompt at a time; what cannot be done is answered with {"refused": "..."}. Your \
last reply must be your prediction, in the form that is asked for above.""",
    "stand-in": """\


Before you predict, you may have a prompt executed. To do so, end your reply with one JSON object of this form in \
place of your prediction: {"execute": "..."}. A session of another language model, which knows nothing of this one, \
then answers the prompt in it, and the next message gives its reply: {"reply": "...", "tokens": 12, "calls_left": \
0}. You can do this $calls times at most, with one prompt at a time; what cannot be done is answered with \
{"refused": "..."}. Your last reply must be your prediction, in the form that is asked for above.""",
}

GERMAN: Prompts = {
    "self": """\


Bevor du vorhersagst, kannst du einen Prompt ausführen lassen. Beende dazu deine Antwort statt mit der Vorhersage mit \
einem JSON-Objekt dieser Form: {"execute": "..."}. Eine neue Sitzung von dir, die von dieser nichts weiß, beantwortet \
dann den Prompt darin, und die nächste Nachricht enthält ihre Antwort: {"reply": "...", "tokens": 12, "calls_left": \
0}. Das geht höchstens $calls Mal, mit einem Prompt auf einmal; was nicht geht, wird mit {"refused": "..."} \
beantwortet. Deine letzte Antwort muss deine Vorhersage sein, in der oben verlangten Form.""",
    "stand-in": """\


Bevor du vorhersagst, kannst du einen Prompt ausführen lassen. Beende dazu deine Antwort statt mit der Vorhersage mit \
einem JSON-Objekt dieser Form: {"execute": "..."}. Eine Sitzung eines anderen Sprachmodells, die von dieser nichts \
weiß, beantwortet dann den Prompt darin, und die nächste Nachricht enthält ihre Antwort: {"reply": "...", "tokens": \
12, "calls_left": 0}. Das geht höchstens $calls Mal, mit einem Prompt auf einmal; was nicht geht, wird mit \
{"refused": "..."} beantwortet. Deine letzte Antwort muss deine Vorhersage sein, in der oben verlangten Form.""",
}


def parts_of(level: str) -> tuple[str, int]:
    """Who answers, and how many calls there are."""
    matched = LEVEL.fullmatch(level)
    assert matched
    return matched[1], int(matched[2])


def touches(experiment: str, kind: str) -> bool:
    """Predictions, in every experiment that has them."""
    return kind in EXPERIMENTS[experiment].predictions


def prompts(level: str, experiment: str, templates: Prompts) -> Prompts:
    """The predictions, in all their forms, with what is said of the tool at their end."""
    asked = EXPERIMENTS[experiment]
    if set(asked.predictions).intersection(shown for kinds in asked.shows.values() for shown in kinds):
        raise InputError(
            f"--{NAME} {level}: in {experiment} what a model does is made of its prediction, so that there is nothing "
            "to execute before. Leave it out: --experiment names those to ask."
        )
    who, calls = parts_of(level)
    name = f"{NAME}.{SELF if who == SELF else 'stand-in'}"
    if (text := templates.get(name)) is None:
        raise InputError(
            f"--{NAME} {level}: these prompts have no {name}, which says how a prompt is executed. Add "
            f"{' and '.join(f'{NAME}.{each}' for each in TEXTS)} to them; `selfexec prompts` shows what is shipped."
        )
    paragraph = put(text, CALLS, str(calls))
    return {name: t + paragraph if name.partition("@")[0] in asked.predictions else t for name, t in templates.items()}


def calls_at(level: str) -> int:
    """How many calls a prediction may make at a level."""
    return parts_of(level)[1]


def turns_at(level: str) -> int:
    """How many turns it may take."""
    return 1 + calls_at(level) + REFUSALS


def stand_in(level: str) -> str | None:
    """Who answers in the model's place, if anybody."""
    who, _ = parts_of(level)
    return None if who == SELF else who


def conversation(level: str, session: str, prompt: Prompt, ask: Ask, parent: str | None = None) -> Awaitable[Answer]:
    return converse(calls_at(level), turns_at(level), session, prompt, ask, parent)


TOOL = Facet(
    name=NAME,
    about="Whether the model may run prompts before it predicts (requires --allow-self-execution)",
    default="off",
    levels={},
    further="self:K, MODEL:K",
    hint="K is 1 to 9, and MODEL answers in place of the model itself, as openai/small:2.",
    accepts=lambda level: LEVEL.fullmatch(level) is not None,
    texts=TEXTS,
    translations={"de": GERMAN},
    touches=touches,
    prompts=prompts,
    dialogue=Dialogue(
        converse=conversation,
        calls=calls_at,
        turns=turns_at,
        asks_on=asks_on,
        stand_in=stand_in,
        simulation="selfexec.extensions.tool.simulated:turn",
    ),
    apart=APART,
    clashes={
        "elicit=logprob": "who is to say a letter alone cannot ask for an execution.",
        "behaviour-thinking": "what is executed does not depend on how behaviour is asked.",
    },
)
