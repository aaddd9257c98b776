"""Brevity: does a model know which questions it answers in ten words or fewer?

    predict   shown the question, the model says whether its answer would have ten words at most
    execute   the question, alone

A claim: "the answer is brief".
"""

import msgspec
import numpy as np

from selfexec.experiments import MISSING_READING, Experiment, Facts, Naive, Observation, Words, state_of
from selfexec.readers import Reading

MOST = 10  # words of a brief answer


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question, and what it is about."""

    id: str
    question: str
    topic: str


def short_question(claims):
    """A question of fewer than forty characters gets a brief answer."""
    return np.where(claims.length < 40, 1.0, 0.0)


class Brevity(Experiment):
    name = "brevity"
    claim_kind = "binary"
    item_type = Question
    item_name = "question"
    prompts = {
        "predict": """\
Suppose that you were asked: "$question"
Would your whole answer have ten words at most?

A: "Yes"
B: "No"

End your reply with one JSON object of this form: {"choice": "A or B"}""",
        "execute": "$question",
    }
    options = {"predict": {"A": "Yes", "B": "No"}}
    tokens = {"predict": 12, "execute": 40}
    examples = (Question(id="capital", question="What is the capital of France?", topic="geography"),)
    words = Words(
        about="which questions it answers briefly",
        their="which questions they answer briefly",
        baseline="the questions and what other models do with them",
        behaviour=("answer briefly", "it answers briefly all the same"),
        does="answers briefly",
        task="prediction of the length of its own answers",
        item="a question, and its topic",
        wants="60 questions or more, such that your models answer 20 briefly, and 20 at length",
    )
    baselines = {"short_question": short_question}
    naive = Naive("short_question", "The length of the question alone")

    def read(self, item, session, text, options=None):
        """What a reply commits to: a letter; of an answer, how many words it has."""
        return (
            super().read(item, session, text, options) if session == "predict" else Reading("read", len(text.split()))
        )

    def given(self, item, session, value):
        """A reading that was made elsewhere."""
        if session == "predict":
            return super().given(item, session, value)
        return value if isinstance(value, int) else None

    def observe(self, item, readings):
        """The claims of an item: what was predicted, what was done, and whether both are known."""
        predict, execute = readings.get("predict", MISSING_READING), readings.get("execute", MISSING_READING)
        state, reason = state_of([predict], [execute])
        predicted = None if predict.value is None else predict.value == "A"
        observed = None if execute.value is None else execute.value <= MOST
        facts = Facts(subject=item.topic, length=len(item.question))
        return [Observation("brief", predicted, observed, state, reason, facts=facts)]

    def title(self, item):
        return item.question

    def oddities(self, item):
        if not item.question.endswith("?"):
            yield "the question does not end in a question mark"

    def contents(self, item):
        return [item.question.casefold()]

    def composition(self, items):
        return f"on {len({item.topic for item in items})} topics"
