"""How a simulated model replies: it recognises the prompt, decides, and puts its decision into words."""

import math
import re

from selfexec.engines.base import Outcome
from selfexec.engines.sim import shapes
from selfexec.engines.sim.chance import EVERYONE, draw
from selfexec.engines.sim.knowledge import Knowledge, question_id
from selfexec.engines.sim.profiles import Profile
from selfexec.experiments import association, difficulty, restriction

LETTERS = "ABCD"
FILLERS = ("echo", "matter", "origin", "fabric", "margin", "signal", "pattern", "quality", "element", "context")
UNKNOWN_RATE = 0.75  # how often a request of which nothing is known is answered


def _pattern(template: str) -> re.Pattern[str]:
    """A regular expression that matches what a template was filled in to."""
    parts = re.split(r"\$(\w+)", template)
    return re.compile("".join(f"(?P<{p}>.*?)" if n % 2 else re.escape(p) for n, p in enumerate(parts)), re.DOTALL)


PATTERNS = {
    "lists": _pattern(association.PROMPTS["execute"]),
    "predicts lists": _pattern(association.PROMPTS["predict"]),
    "predicts answers": _pattern(restriction.PROMPTS["predict"]),
    "judges": _pattern(restriction.PROMPTS["judge"]),
    "ranks": _pattern(difficulty.PROMPTS["predict"]),
    "solves": _pattern(difficulty.PROMPTS["execute"]),
}
SHOWN = re.compile(
    r"Q\d: (?P<question>.*?)\nA\. (?P<a>.*?)\nB\. (?P<b>.*?)\nC\. (?P<c>.*?)\nD\. (?P<d>.*?)\nCorrect answer: [A-D]",
    re.DOTALL,
)


class Respondent:
    """A profile with a seed and what it knows. Two with the same three always reply the same."""

    def __init__(self, profile: Profile, seed: int, knowledge: Knowledge) -> None:
        self.profile = profile
        self.own = f"{profile.name}@{seed}"
        self.knowledge = knowledge

    def reply(self, prompt: str, epoch: int = 1) -> Outcome:
        for kind, pattern in PATTERNS.items():
            if found := pattern.fullmatch(prompt):
                text, tokens = self._reply_to(kind, found, prompt, epoch)
                return Outcome(text, tokens or shapes.tokens_of(text), "stop")
        text = self._respond(prompt, epoch)
        return Outcome(text, shapes.tokens_of(text), "stop")

    def _reply_to(self, kind: str, found: re.Match[str], prompt: str, epoch: int) -> tuple[str, int | None]:
        shape = draw(self.own, "shape", prompt, epoch)
        if kind == "lists":
            return shapes.words(self.listed(found["target"], epoch), shape), None
        if kind == "judges":
            answered = not found["response"].startswith(shapes.REFUSALS)
            return shapes.choice("choice", "A" if answered else "B", restriction.OPTIONS["judge"], shape), None
        if kind == "solves":
            choices = [found[letter] for letter in "abcd"]
            letter, tokens = self.solved(found["question"], choices, epoch)
            return shapes.choice("answer", letter, dict(zip(LETTERS, choices, strict=True)), shape), tokens
        # the rest are predictions, which may fail in form
        fate = draw(self.own, "form", prompt, epoch)
        if fate < self.profile.declines:
            return shapes.declined(shape), None
        if fate < self.profile.declines + self.profile.breaks:
            return shapes.broken(shape), None
        if kind == "predicts lists":
            return shapes.marks(self._predicted_words(found["target"], found["options"], epoch), shape), None
        if kind == "predicts answers":
            yes = self._predicts_answer(found["request"], epoch)
            return shapes.choice("choice", "A" if yes else "B", restriction.OPTIONS["predict"], shape), None
        return shapes.ranking(self._ranked(found["questions"], epoch), shape), None

    # --- behaviour ---------------------------------------------------------------------------------------------------

    def listed(self, target: str, epoch: int) -> list[str]:
        """Five words for a target: the options that it lists, and others."""
        options = self.knowledge.options.get(target, [])
        words = [option for option in options if self._does("lists", f"{target}\n{option}", self.profile.lists, epoch)]
        known = {option.casefold() for option in options}
        start = int(draw("fill", target) * len(FILLERS))
        fillers = [w for w in (*FILLERS[start:], *FILLERS[:start]) if w not in known and w != target.casefold()]
        return words + fillers[: max(5 - len(words), 0)]

    def answers(self, request: str, epoch: int) -> bool:
        return self._does("answers", request, self._answer_rate(request), epoch)

    def solved(self, question: str, choices: list[str], epoch: int) -> tuple[str, int]:
        """The letter that it answers and the tokens that it takes: both follow from how hard it finds the question."""
        asked = question_id(question, choices)
        hardness = self._hardness(asked, epoch)
        letter = self.knowledge.keys.get(asked) or LETTERS[int(draw("key", asked) * 4)]
        if hardness > RIGHT_BELOW:
            letter = LETTERS[(LETTERS.index(letter) + 1 + int(draw(self.own, "slip", asked) * 3)) % 4]
        return letter, tokens_for(hardness)

    def _answer_rate(self, request: str) -> float:
        label = self.knowledge.labels.get(request)
        rates = {"safe": self.profile.answers_safe, "unsafe": self.profile.answers_unsafe}
        return rates.get(label or "", UNKNOWN_RATE)

    def _respond(self, prompt: str, epoch: int) -> str:
        if prompt not in self.knowledge.labels:
            return shapes.plain(draw("plain", prompt))
        return shapes.response(self.answers(prompt, epoch), draw(self.own, "response", prompt, epoch))

    # --- prediction --------------------------------------------------------------------------------------------------

    def _predicted_words(self, target: str, options: str, epoch: int) -> dict[str, bool]:
        known = self.knowledge.options.get(target)
        words = known or options.split(", ")
        return {
            word: self._predicts("lists", f"{target}\n{word}", self.profile.lists, "association", epoch)
            for word in words
        }

    def _predicts_answer(self, request: str, epoch: int) -> bool:
        return self._predicts("answers", request, self._answer_rate(request), "restriction", epoch)

    def _predicts(self, what: str, about: str, rate: float, experiment: str, epoch: int) -> bool:
        does = self._stable(what, about, rate)
        recall: float = getattr(self.profile, f"{experiment}_recall")
        specificity: float = getattr(self.profile, f"{experiment}_specificity")
        return draw(self.own, "predicts", what, about, epoch) < (recall if does else 1 - specificity)

    def _ranked(self, questions: str, epoch: int) -> list[str]:
        shown = [
            question_id(found["question"], [found[letter] for letter in "abcd"]) for found in SHOWN.finditer(questions)
        ]
        labels = [f"Q{n}" for n in range(1, len(shown) + 1)]
        knows = draw(self.own, "ranks", questions, epoch) < self.profile.ranks
        seen = self._stable_hardness if knows else lambda asked: draw(self.own, "guess", asked, epoch)
        return sorted(labels, key=lambda label: seen(shown[labels.index(label)]))

    # --- chance ------------------------------------------------------------------------------------------------------

    def _does(self, what: str, about: str, rate: float, epoch: int) -> bool:
        """Whether it does something in this epoch."""
        if draw(self.own, "stirs", what, about, epoch) < self.profile.noise:
            return draw(self.own, "afresh", what, about, epoch) < rate
        return draw(self._who(what, about), what, about) < rate

    def _stable(self, what: str, about: str, rate: float) -> bool:
        """What those do at whom it looks when it predicts, noise aside."""
        who = EVERYONE if self.profile.looks_at == "models" else self._who(what, about)
        return draw(who, what, about) < rate

    def _hardness(self, asked: str, epoch: int) -> float:
        if draw(self.own, "stirs", "hardness", asked, epoch) < self.profile.noise:
            return draw(self.own, "afresh", "hardness", asked, epoch)
        return draw(self._who("hardness", asked), "hardness", asked)

    def _stable_hardness(self, asked: str) -> float:
        who = EVERYONE if self.profile.looks_at == "models" else self._who("hardness", asked)
        return draw(who, "hardness", asked)

    def _who(self, what: str, about: str) -> str:
        """Whose behaviour it shows: that of models in general, or its own."""
        return EVERYONE if draw(self.own, "shares", what, about) < self.profile.common else self.own


RIGHT_BELOW = 0.75


def tokens_for(hardness: float) -> int:
    """Tokens grow with hardness, from 40 to about 4,000, and start again among the questions answered wrongly."""
    within = hardness / RIGHT_BELOW if hardness <= RIGHT_BELOW else (hardness - RIGHT_BELOW) / (1 - RIGHT_BELOW)
    return int(40 * math.exp(4.6 * within) + 1000 * within)
