"""Brevity: does a model know which questions it answers in ten words or fewer?

    predict   shown the question, the model says whether its answer would have ten words at most
    execute   the question, alone

A claim: "the answer is brief".
"""

import asyncio
from string import Template

import msgspec
import numpy as np

from selfexec.experiments import MISSING, Experiment, Facts, Naive, Observation, Words, state_of
from selfexec.readers import Reading, read_choice

MOST = 10  # words of a brief answer


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question, and what it is about."""

    id: str
    question: str
    topic: str


PROMPTS = {
    "predict": """\
Suppose that you were asked: "$question"
Would your whole answer have ten words at most?

A: "Yes"
B: "No"

End your reply with one JSON object of this form: {"choice": "A or B"}""",
    "execute": "$question",
}


def session_names(item):
    return ("predict", "execute")


async def sessions(item, ask, prompts):
    """Each session is fresh: none sees what was said in the other."""
    filled = {kind: Template(prompts[kind]).substitute(question=item.question) for kind in session_names(item)}
    await asyncio.gather(*(ask(kind, prompt) for kind, prompt in filled.items()))


def read(item, session, text):
    """What a reply commits to: a letter; of an answer, how many words it has."""
    if session == "predict":
        return read_choice(text, {"A": "Yes", "B": "No"}, key="choice")
    return Reading("read", len(text.split()))


def given(item, session, value):
    """A reading that was made elsewhere."""
    known = value in ("A", "B") if session == "predict" else isinstance(value, int)
    return value if known else None


def observe(item, readings):
    """The claims of an item: what was predicted, what was done, and whether both are known."""
    predict, execute = readings.get("predict", MISSING), readings.get("execute", MISSING)
    state, reason = state_of([predict], [execute])
    predicted = None if predict.value is None else predict.value == "A"
    observed = None if execute.value is None else execute.value <= MOST
    facts = Facts(subject=item.topic, length=len(item.question))
    return [Observation("brief", predicted, observed, state, reason, facts=facts)]


def short_question(claims):
    """A question of fewer than forty characters gets a brief answer."""
    return np.where(claims.length < 40, 1.0, 0.0)


def oddities(item):
    if not item.question.endswith("?"):
        yield "the question does not end in a question mark"


BREVITY = Experiment(
    name="brevity",
    kind="binary",
    item_type=Question,
    item_name="question",
    prompts=PROMPTS,
    tokens={"predict": 12, "execute": 40},
    session_names=session_names,
    sessions=sessions,
    read=read,
    given=given,
    observe=observe,
    title=lambda item: item.question,
    oddities=oddities,
    contents=lambda item: [item.question.casefold()],
    composition=lambda items: f"on {len({item.topic for item in items})} topics",
    examples=(Question(id="capital", question="What is the capital of France?", topic="geography"),),
    words=Words(
        about="which questions it answers briefly",
        its="which questions it answers briefly",
        their="which questions they answer briefly",
        baseline="the questions and what other models do with them",
        behaviour=("answer briefly", "it answers briefly all the same"),
        does="answers briefly",
        measured="whether it predicts which questions it answers in ten words or fewer",
        task="prediction of the length of its own answers",
        lost="its lost questions",
        item="a question, and its topic",
        wants="60 questions or more, such that your models answer 20 briefly, and 20 at length",
    ),
    baselines={"short_question": short_question},
    naive=Naive("short_question", "The length of the question alone"),
)
