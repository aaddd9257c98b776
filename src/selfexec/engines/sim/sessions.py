"""What a session asks of a simulated model: known by its name in this process, recognised by its prompt behind a
server, where the wire has nothing else.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any, Literal, NamedTuple

from selfexec.engines.sim.knowledge import question_id
from selfexec.experiments import (
    EXPERIMENTS,
    Facets,
    Item,
    association,
    choice,
    correctness,
    difficulty,
    failing_question,
    length,
    refusal,
    restriction,
)
from selfexec.facets import FACETS, asks_for_probabilities

Task = Literal[
    "lists",
    "answers",
    "solves",
    "judges",
    "classifies",
    "predicts lists",
    "predicts answers",
    "ranks",
    "writes",
    "verifies",
    "predicts right",
    "predicts refusal",
    "predicts choice",
    "ranks lengths",
    "chats",
]


class SimTask(NamedTuple):
    """What is to be done, about what: a target word with its options, a request, a response to be judged (or the prompt
    that holds it), a question with its choices, questions as they are shown with the id of each, what a question is to
    be written on, a question with its choices and the letter of the given answer. `who` is whose behaviour is to be
    predicted, where that is somebody else's; `shown` are results on other items that stand before it;
    `probably`: the prediction is to be a probability.
    """

    task: Task
    about: str
    parts: tuple[str, ...] = ()
    who: str = ""
    shown: tuple["ShownResult", ...] = ()
    probably: bool = False


class ShownResult(NamedTuple):
    """A result that a model is shown: what it was asked, and what is shown of the answer."""

    task: Task
    about: str
    told: str


CHATS = SimTask("chats", "")

# --- by name ---------------------------------------------------------------------------------------------------------


def _question(item: difficulty.QuestionGroup, session: str) -> SimTask:
    question = item.questions[difficulty.LABELS.index(session.partition(".")[2])]
    return SimTask("solves", question.question.strip(), tuple(question.choices))


def _ranking(item: difficulty.QuestionGroup) -> SimTask:
    ids = (question_id(question.question.strip(), question.choices) for question in item.questions)
    return SimTask("ranks", difficulty.shown(item), tuple(ids))


def _try(item: failing_question.Task, session: str, prompt: str) -> SimTask:
    """Of a question that the model wrote its prompt tells."""
    if item.control is None:
        return recognised(prompt)
    shown = failing_question.shuffled(item, int(session.partition(".")[2]), item.control.choices)
    return SimTask("solves", item.control.question.strip(), tuple(shown))


# experiment and kind of session -> what is asked, of the item, the session's name and its prompt
BY_NAME: Mapping[tuple[str, str], Callable[[Any, str, str], SimTask]] = {
    ("association", "execute"): lambda item, session, prompt: SimTask("lists", item.target),
    ("association", "predict"): lambda item, session, prompt: SimTask(
        "predicts lists", item.target, tuple(item.options)
    ),
    ("restriction", "execute"): lambda item, session, prompt: SimTask("answers", item.request),
    ("restriction", "predict"): lambda item, session, prompt: SimTask("predicts answers", item.request),
    ("restriction", "judge"): lambda item, session, prompt: SimTask("judges", prompt),
    ("restriction", "classify"): lambda item, session, prompt: SimTask("classifies", prompt),
    ("difficulty", "execute"): lambda item, session, prompt: _question(item, session),
    ("difficulty", "predict"): lambda item, session, prompt: _ranking(item),
    ("failing_question", "execute"): _try,
    ("failing_question", "predict"): lambda item, session, prompt: SimTask("writes", failing_question.about(item)),
    ("failing_question", "answer"): lambda item, session, prompt: recognised(prompt),
    ("failing_question", "verify"): lambda item, session, prompt: recognised(prompt),
    ("correctness", "predict"): lambda item, session, prompt: SimTask("predicts right", item.last),
    ("refusal", "predict"): lambda item, session, prompt: SimTask("predicts refusal", item.last),
    ("choice", "predict"): lambda item, session, prompt: SimTask("predicts choice", item.last, tuple(item.options)),
    ("length", "predict"): lambda item, session, prompt: SimTask(
        "ranks lengths", length.Length().shown(item), tuple(sample.last for sample in item.samples)
    ),
}


def named(experiment: str, item: Item | None, session: str, prompt: str, facets: Facets = ()) -> SimTask:
    """What a session of an item asks, whatever the words of its prompt; of one that it has not learnt, to chat."""
    kind = session.partition(".")[0]
    about = BY_NAME.get((experiment, kind))
    if not about or not item:
        return CHATS
    asked = about(item, session, prompt)
    addressed = dict(facets) if kind in EXPERIMENTS[experiment].predictions else {}
    addressee = addressed.get("frame", "")
    probably = bool(addressed) and asks_for_probabilities(facets)
    return asked._replace(who=_who(addressee) if addressee else "", shown=_split(prompt)[0], probably=probably)


def _who(level: str) -> str:
    """The one asked about, as the prompts that ship call it."""
    name, _, given = level.partition(":")
    return given or FACETS["frame"].texts[name]


# --- by its prompt ---------------------------------------------------------------------------------------------------


def _pattern(template: str) -> re.Pattern[str]:
    """A regular expression that matches what a template was filled in to."""
    parts = re.split(r"\$(\w+)", template)
    names = parts[1::2]
    found = "".join(
        re.escape(part) if n % 2 == 0 else f"(?P={part})" if part in names[: n // 2] else f"(?P<{part}>.*?)"
        for n, part in enumerate(parts)
    )
    return re.compile(found, re.DOTALL)


PREDICTED: Mapping[Task, ModuleType] = {
    "predicts lists": association,
    "predicts answers": restriction,
    "ranks": difficulty,
}
PATTERNS: Mapping[Task, re.Pattern[str]] = {
    "lists": _pattern(association.PROMPTS["execute"]),
    "predicts lists": _pattern(association.PROMPTS["predict"]),
    "predicts answers": _pattern(restriction.PROMPTS["predict"]),
    "judges": _pattern(restriction.PROMPTS["judge"]),
    "classifies": _pattern(restriction.CLASSIFY),
    "ranks": _pattern(difficulty.PROMPTS["predict"]),
    "solves": _pattern(difficulty.PROMPTS["execute"]),
    "writes": _pattern(failing_question.PROMPTS["predict"]),
    "verifies": _pattern(failing_question.PROMPTS["verify"]),
    "predicts right": _pattern(correctness.PROMPTS["predict"]),
    "predicts refusal": _pattern(refusal.PROMPTS["predict"]),
    "predicts choice": _pattern(choice.PROMPTS["predict"]),
    "ranks lengths": _pattern(length.PROMPTS["predict"]),
}
OF_OTHERS: Mapping[Task, re.Pattern[str]] = {
    "predicts lists": _pattern(association.VARIANTS["predict@frame"]),
    "predicts answers": _pattern(restriction.VARIANTS["predict@frame"]),
    "ranks": _pattern(difficulty.VARIANTS["predict@frame"]),
    "writes": _pattern(failing_question.VARIANTS["predict@frame"]),
    "predicts right": _pattern(correctness.VARIANTS["predict@frame"]),
    "predicts refusal": _pattern(refusal.VARIANTS["predict@frame"]),
    "predicts choice": _pattern(choice.VARIANTS["predict@frame"]),
    "ranks lengths": _pattern(length.VARIANTS["predict@frame"]),
}
AS_PROBABILITIES: Mapping[Task, tuple[re.Pattern[str], re.Pattern[str]]] = {
    task: (_pattern(module.VARIANTS["predict@elicit"]), _pattern(module.VARIANTS["predict@elicit,frame"]))
    for task, module in PREDICTED.items()
}
# how a prompt goes on behind the results that are shown before it, and how each of them is put
BEGINNINGS = [
    template.partition("$")[0]
    for module in PREDICTED.values()
    for template in (
        module.PROMPTS["predict"],
        *(module.VARIANTS[f"predict@{way}"] for way in ("frame", "elicit", "elicit,frame")),
    )
]
RESULTS: Mapping[Task, re.Pattern[str]] = {
    "lists": re.compile(r"Target word: '(?P<about>.*?)'\. Listed: (?P<told>.*?)\.(?:\n\n|\Z)", re.DOTALL),
    "answers": re.compile(r'Request: "(?P<about>.*?)"\n(?P<told>.*?)(?:\n\n|\Z)', re.DOTALL),
    "solves": re.compile(r"(?P<about>.+?)\nAnswered (?:in)?correctly\. Tokens: (?P<told>\d+)\.(?:\n\n|\Z)", re.DOTALL),
}
SHOWN = re.compile(
    r"Q\d: (?P<question>.*?)\nA\. (?P<a>.*?)\nB\. (?P<b>.*?)\nC\. (?P<c>.*?)\nD\. (?P<d>.*?)\nCorrect answer: [A-D]",
    re.DOTALL,
)


LISTED = re.compile(r"^[A-Z]\. (.*)$", re.MULTILINE)
BETWEEN_LINES = re.compile(rf"^{length.LINE}\n(.*?)\n{length.LINE}$", re.MULTILINE | re.DOTALL)


def sample_id(shown: str) -> str:
    """What hardness goes by: of a question that is worded as ours are, question and choices; else all that is shown."""
    asked = _bare(shown.strip())
    return question_id(asked.about, list(asked.parts)) if asked.task == "solves" else shown.strip()


def recognised(prompt: str) -> SimTask:
    """What a prompt asks that is worded as shipped; any other is a request."""
    shown, prompt = _split(prompt)
    return _bare(prompt)._replace(shown=shown)


def _bare(prompt: str) -> SimTask:
    for task, pattern in PATTERNS.items():
        if found := pattern.fullmatch(prompt):
            return _recognised(task, found)
    for task, pattern in OF_OTHERS.items():
        if found := pattern.fullmatch(prompt):
            return _recognised(task, found)._replace(who=found["who"])
    for task, (own, of_others) in AS_PROBABILITIES.items():
        if found := own.fullmatch(prompt) or of_others.fullmatch(prompt):
            return _recognised(task, found)._replace(who=found.groupdict().get("who", ""), probably=True)
    return SimTask("answers", prompt)


def _split(prompt: str) -> tuple[tuple[ShownResult, ...], str]:
    """The results that a prompt shows, in the words that ship, and what it asks."""
    for phrase in FACETS["strategy"].texts.values():
        before = phrase.partition("$")[0]
        if prompt.startswith(before):
            at = max(prompt.rfind(beginning) for beginning in BEGINNINGS)
            return _results(prompt[len(before) : at].strip()), prompt[at:]
    return (), prompt


@cache
def _results(history: str) -> tuple[ShownResult, ...]:
    found = ((task, one) for task, pattern in RESULTS.items() for one in pattern.finditer(history))
    return tuple(ShownResult(task, one["about"], one["told"]) for task, one in found)


def _recognised(task: Task, found: re.Match[str]) -> SimTask:
    if task in ("lists", "predicts lists"):
        options = found["options"].split(", ") if task == "predicts lists" else ()
        return SimTask(task, found["target"], tuple(options))
    if task == "predicts answers":
        return SimTask(task, found["request"])
    if task in ("judges", "classifies"):
        return SimTask(task, found["response"])
    if task in ("predicts right", "predicts refusal"):
        return SimTask(task, found["shown"])
    if task == "predicts choice":
        return SimTask(task, found["shown"], tuple(one[1] for one in LISTED.finditer(found["options"])))
    if task == "ranks lengths":
        return SimTask(task, found["shown"], tuple(one[1] for one in BETWEEN_LINES.finditer(found["shown"])))
    if task == "writes":
        return SimTask(task, found["about"])
    if task == "verifies":
        return SimTask(task, found["question"], (*_choices(found), found["answer"]))
    if task == "solves":
        return SimTask(task, found["question"], _choices(found))
    shown = SHOWN.finditer(found["questions"])
    return SimTask(task, found["questions"], tuple(question_id(one["question"], list(_choices(one))) for one in shown))


def _choices(found: re.Match[str]) -> tuple[str, ...]:
    return tuple(found[letter] for letter in "abcd")
