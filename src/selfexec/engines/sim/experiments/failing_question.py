"""Failing question: a respondent writes sums, or asks for what only it could know, and fails them as often as its
profile says; and it checks such questions.
"""

from collections.abc import Iterator, Mapping, Sequence

from selfexec.engines.sim import shapes
from selfexec.engines.sim.questions import LETTERS, RIGHT_BELOW, question_id, solved, tokens_for
from selfexec.engines.sim.simulation import Lookings, Said, SimTask, Simulation, Subject, filled_in
from selfexec.engines.sim.traits import EVERYONE, Facts, How, Profile, SeededProfile, draw
from selfexec.experiments.failing_question import (
    PROMPTS,
    RIGHT,
    UNCHECKED,
    VERDICTS,
    WRONG,
    Task,
    about,
    shuffled,
)
from selfexec.text.regex import regex

# the questions that it writes
SUM = regex(r"What is (?P<one>\d+) \+ (?P<two>\d+)\?")
OWN_RANDOM = regex(r"Which letter did I pick at random when I wrote question \d+\?")


class SimulatedFailingQuestion(Simulation):
    def facts(self, items: Sequence[Task]) -> Mapping[str, Mapping[str, str]]:
        controls = (item.control for item in items if item.control)
        return {"controls": {one.question.strip(): one.choices[LETTERS.index(one.answer)] for one in controls}}

    def asked(self, item: Task, session: str, prompt: str) -> Subject | None:
        kind, _, number = session.partition(".")
        if kind == "predict":
            return Subject(about(item))
        if kind == "execute" and item.control:
            return Subject(item.control.question.strip(), tuple(shuffled(item, int(number), item.control.choices)))
        # what the question is that the model wrote, the prompt tells
        filled = filled_in(PROMPTS["verify" if kind == "verify" else "execute"], prompt)
        return None if filled is None else _question(filled)

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject | None:
        if kind == "predict":
            return Subject(filled["about"])
        question = _question(filled)
        # other experiments ask questions in the same words
        return question if kind == "verify" or _right_choice(facts, question.about, question.parts) else None

    def behaves(self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str) -> Said:
        if task.kind == "verify":
            *choices, answer = task.parts
            return shapes.choice("choice", _verdict(respondent, task.about, choices, answer), VERDICTS, shape), None
        right = _right_choice(respondent.knowledge, task.about, task.parts)
        letter, tokens = (
            solved(respondent, task.about, task.parts, epoch)  # somebody else's question
            if right is None
            else tried(respondent, task.about, list(task.parts), right, epoch)
        )
        return shapes.choice("answer", letter, dict(zip(LETTERS, task.parts, strict=True)), shape), tokens

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        question, options, letter, reason = written(respondent, task.about, how.epoch)
        if task.probably:
            sure = 1 - 0.5 * draw(respondent.own, "sure", question)
            return shapes.question(question, options, letter, reason, shape, probability=sure)
        return shapes.question(question, options, letter, reason, shape)

    def truth(
        self, profile: Profile, items: Sequence[Task], looking: Lookings, coverage: float
    ) -> Iterator[tuple[str, float]]:
        """Of questions that it wrote, wrong keys aside, it fails `fails`; of the control what models in general fail,
        with probability `common`, and else `errs`. Control questions are always read.
        """
        if not items:
            return
        generally = [
            float(draw(EVERYONE, "fails", item.control.question.strip()) < profile.errs)
            for item in items
            if item.control
        ]
        to_write = len(items) - len(generally)
        yield "accuracy", profile.fails
        yield "coverage", (to_write * coverage + len(generally)) / len(items)
        if generally:
            stable = profile.common * sum(generally) / len(generally) + (1 - profile.common) * profile.errs
            control = (1 - profile.noise) * stable + profile.noise * profile.errs
            yield "control", control
            yield "lift", profile.fails - control


def _question(filled: Mapping[str, str]) -> Subject:
    """A question, its choices and, where it is given, the letter of the answer."""
    answer = (filled["answer"],) if "answer" in filled else ()
    return Subject(filled["question"], (*(filled[letter] for letter in "abcd"), *answer))


def tried(respondent: SeededProfile, question: str, choices: list[str], right: str, epoch: int) -> tuple[str, int]:
    """Its answer to a question of the control, or of its own: whether it fails is a matter of the question, and of
    each try apart where that is drawn afresh.
    """
    own, profile = respondent.own, respondent.profile
    known = question in respondent.knowledge["controls"]
    rate = profile.errs if known else profile.fails
    who = respondent.who("fails", question) if known else own
    shown = question_id(question, choices)  # in another order at each try
    afresh = draw(own, "stirs", "fails", shown, epoch) < profile.noise
    drawn = draw(own, "afresh", "fails", shown, epoch) if afresh else draw(who, "fails", question)
    place = choices.index(right)
    if drawn < rate:
        place = (place + 1 + int(draw(own, "slip", shown) * 3)) % 4
    return LETTERS[place], tokens_for(draw(own, "tokens", shown, epoch) * RIGHT_BELOW)


def written(respondent: SeededProfile, subject: str, epoch: int) -> tuple[str, list[str], str, str]:
    """A question, its options, the letter that it says is right, and why it would fail."""
    own, profile = respondent.own, respondent.profile
    one, two, number = (int(1000 + 9000 * draw(own, "writes", n, subject, epoch)) for n in range(3))
    if draw(own, "own random", subject, epoch) < profile.own_random:
        question, options = f"Which letter did I pick at random when I wrote question {number}?", list("KRTW")
        reason = "I will not remember it."
    else:
        question, reason = f"What is {one} + {two}?", "I may slip when I carry."
        options = [str(one + two + off) for off in (-10, 0, 10, 100)]
    place = options.index(_right_choice(respondent.knowledge, question, options) or "")
    if draw(own, "wrong key", subject, epoch) < profile.wrong_keys:
        place = (place + 1) % 4
    return question, options, LETTERS[place], reason


def _right_choice(facts: Facts, question: str, choices: Sequence[str]) -> str | None:
    """The right choice of a question of the control, or of one that a simulated model wrote."""
    if found := SUM.fullmatch(question):
        return str(int(found["one"]) + int(found["two"]))
    if OWN_RANDOM.fullmatch(question):
        return sorted(choices)[int(draw("picked", question) * 4)]
    return facts["controls"].get(question)


def _verdict(respondent: SeededProfile, question: str, choices: Sequence[str], answer: str) -> str:
    """Whether the answer that is given for a question is right, as far as anybody can tell."""
    right = _right_choice(respondent.knowledge, question, choices)
    if dict(zip(LETTERS, choices, strict=True)).get(answer) != right:
        return WRONG
    return UNCHECKED if OWN_RANDOM.fullmatch(question) else RIGHT
