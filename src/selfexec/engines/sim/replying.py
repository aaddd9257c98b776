"""How a simulated model replies: it decides what it is asked for, and puts its decision into words."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

from selfexec.engines.base import Outcome
from selfexec.engines.sim import shapes
from selfexec.engines.sim.chance import EVERYONE, draw
from selfexec.engines.sim.knowledge import Knowledge, question_id
from selfexec.engines.sim.profiles import Profile
from selfexec.engines.sim.sessions import ShownResult, SimTask, recognised, sample_id
from selfexec.experiments import Message, correctness, failing_question, refusal, restriction
from selfexec.experiments.recorded import letters

LETTERS = "ABCD"
FILLERS = ("echo", "matter", "origin", "fabric", "margin", "signal", "pattern", "quality", "element", "context")
UNKNOWN_RATE = 0.75  # how often a request is answered that nothing is known about
# what it remembers of a conversation: a word that it was told, when it is asked for one
TOLD, WANTED = re.compile(r'code word is "(\w+)"'), re.compile(r"code word\b.*\?", re.DOTALL)


# the questions that it writes
SUM = re.compile(r"What is (?P<one>\d+) \+ (?P<two>\d+)\?")
OWN_RANDOM = re.compile(r"Which letter did I pick at random when I wrote question \d+\?")


SURE = 0.9  # what a model that goes by the place where something stands says of it
UNSURE = 0.15  # how far a hardness is from the bound of what is answered rightly, for odds of e to 1
LEAST_RATE = 0.001  # a rate of 0 or 1 would be evidence without end


def quantile(rate: float) -> float:
    """Where the normal distribution has passed this rate."""
    return NormalDist().inv_cdf(min(max(rate, LEAST_RATE), 1 - LEAST_RATE))


def expit(logit: float) -> float:
    """The probability that has this logit."""
    return 1 / (1 + math.exp(-logit))


class How(NamedTuple):
    """In which epoch a prediction is made, whose behaviour it is to be of, where not its own, whether it thinks, and
    whose results it was shown, if any.
    """

    epoch: int
    who: str = ""
    thinks: bool = True
    shown: str = ""

    @property
    def apart(self) -> tuple[object, ...]:
        """What one prediction is drawn apart from others by: by its epoch alone, where nothing is asked otherwise."""
        said = (f"of {self.who}" if self.who else "", "" if self.thinks else "at once", self.shown)
        return (self.epoch, *(word for word in said if word))


class SimRespondent:
    """A profile with a seed and what it knows. Two with the same three always reply the same."""

    def __init__(self, profile: Profile, seed: int, knowledge: Knowledge) -> None:
        self.profile = profile
        self.own = f"{profile.name}@{seed}"
        self.knowledge = knowledge
        self._told_apart: dict[tuple[ShownResult, ...], str] = {}

    def reply(
        self, messages: Sequence[Message], epoch: int = 1, asked: SimTask | None = None, thinks: bool = True
    ) -> Outcome:
        """Its reply to a conversation. What is `asked` is recognised by the last message where nobody tells."""
        prompt = messages[-1].content
        said = prompt if len(messages) == 1 else "\n".join(f"{m.role}: {m.content}" for m in messages)
        text, tokens = self._replied(asked or recognised(prompt), said, epoch, thinks)
        if len(messages) > 1 and (word := _remembered(messages)):
            text, tokens = word, None
        return Outcome(text, tokens or shapes.tokens_of(text), "stop")

    def _replied(self, asked: SimTask, said: str, epoch: int, thinks: bool) -> tuple[str, int | None]:
        """Text and tokens. In what shape it puts the same decision depends on all that was `said`."""
        shape = draw(self.own, "shape", said, epoch)
        if asked.task == "lists":
            return shapes.words(self.listed(asked.about, epoch), shape), None
        if asked.task in ("judges", "classifies"):
            answered = not any(refusal in asked.about for refusal in shapes.REFUSALS)
            options = restriction.OPTIONS["judge"] if asked.task == "judges" else restriction.JUDGING.options
            return shapes.choice("choice", "A" if answered else "B", options, shape), None
        if asked.task == "verifies":
            *choices, answer = asked.parts
            verdict = self._verdict(asked.about, choices, answer)
            return shapes.choice("choice", verdict, failing_question.VERDICTS, shape), None
        if asked.task == "solves":
            right = self._right_choice(asked.about, asked.parts)
            solved = self.solved(asked.about, list(asked.parts), epoch)
            letter, tokens = solved if right is None else self._tried(asked.about, list(asked.parts), right, epoch)
            return shapes.choice("answer", letter, dict(zip(LETTERS, asked.parts, strict=True)), shape), tokens
        if asked.task == "answers" and asked.about in self.knowledge.labels:
            return shapes.response(self.answers(asked.about, epoch), draw(self.own, "response", said, epoch)), None
        if asked.task in ("answers", "chats"):
            return shapes.plain(draw("plain", said)), None
        return self._prediction(asked, shape, draw(self.own, "form", said, epoch), epoch, thinks), None

    def _prediction(self, asked: SimTask, shape: float, fate: float, epoch: int, thinks: bool) -> str:
        """What it predicts, in words; a prediction may fail in form."""
        if fate < self.profile.declines:
            return shapes.declined(shape)
        if fate < self.profile.declines + self.profile.breaks:
            return shapes.broken(shape)
        how = How(epoch, asked.who, thinks, self._whose(asked.shown))
        if asked.task == "writes":
            return shapes.question(*self._written(asked.about, epoch), shape)
        if asked.probably:
            return self._probably(asked, shape, how)
        if asked.task == "predicts lists":
            return shapes.marks(self._predicted_words(asked.about, asked.parts, how), shape)
        if asked.task == "predicts right":
            yes = self.profile.copies or self._predicts_right(sample_id(asked.about), how)
            return shapes.prediction("A" if yes else "B", correctness.OPTIONS["predict"], shape)
        if asked.task == "predicts refusal":
            yes = not self._predicts_answer(asked.about.strip(), how)
            return shapes.prediction("A" if yes else "B", refusal.OPTIONS["predict"], shape)
        if asked.task == "predicts choice":
            options = dict(zip(letters(len(asked.parts)), asked.parts, strict=True))
            return shapes.choice("choice", self._predicted_choice(asked.about, options, how), options, shape)
        if asked.task == "ranks lengths":
            return shapes.ranking(self._ranked_by_length(asked.about, asked.parts, how), shape)
        if asked.task == "predicts answers":
            yes = self._predicts_answer(asked.about, how)
            return shapes.choice("choice", "A" if yes else "B", restriction.OPTIONS["predict"], shape)
        return shapes.ranking(self._ranked(asked.about, asked.parts, how), shape)

    def _probably(self, asked: SimTask, shape: float, how: How) -> str:
        """The same prediction in probabilities."""
        if asked.task == "predicts lists":
            words = self.knowledge.options.get(asked.about) or asked.parts
            half = [*asked.parts][: (len(asked.parts) + 1) // 2]
            chances = {
                word: self._copied(word in half)
                or self._chance("lists", f"{asked.about}\n{word}", self.profile.lists, "association", how)
                for word in words
            }
            return shapes.chances(chances, shape)
        if asked.task == "predicts answers":
            rate = self._answer_rate(asked.about)
            copied = self._copied(True)
            return shapes.chance(copied or self._chance("answers", asked.about, rate, "restriction", how), shape)
        return shapes.expectations(self._expectations(asked.about, asked.parts, how), shape)

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
        return self._letter(asked, hardness, self.own), tokens_for(hardness)

    def _letter(self, asked: str, hardness: float, who: str, right: str | None = None, letters: str = LETTERS) -> str:
        """The right letter of a question; of one that is too hard, the one that somebody takes for it."""
        known, n = right or self.knowledge.keys.get(asked), len(letters)
        letter = known if known and known in letters else letters[int(draw("key", asked) * n)]
        if hardness <= RIGHT_BELOW:
            return letter
        return letters[(letters.index(letter) + 1 + int(draw(who, "slip", asked) * (n - 1))) % n]

    def _tried(self, question: str, choices: list[str], right: str, epoch: int) -> tuple[str, int]:
        """Its answer to a question of the control, or of its own: whether it fails is a matter of the question, and of
        each try apart where that is drawn afresh.
        """
        known = question in self.knowledge.controls
        rate = self.profile.errs if known else self.profile.fails
        who = self._who("fails", question) if known else self.own
        shown = question_id(question, choices)  # in another order at each try
        afresh = draw(self.own, "stirs", "fails", shown, epoch) < self.profile.noise
        drawn = draw(self.own, "afresh", "fails", shown, epoch) if afresh else draw(who, "fails", question)
        place = choices.index(right)
        if drawn < rate:
            place = (place + 1 + int(draw(self.own, "slip", shown) * 3)) % 4
        return LETTERS[place], tokens_for(draw(self.own, "tokens", shown, epoch) * RIGHT_BELOW)

    def _right_choice(self, question: str, choices: Sequence[str]) -> str | None:
        """The right choice of a question of the control, or of one that a simulated model wrote."""
        if found := SUM.fullmatch(question):
            return str(int(found["one"]) + int(found["two"]))
        if OWN_RANDOM.fullmatch(question):
            return sorted(choices)[int(draw("picked", question) * 4)]
        return self.knowledge.controls.get(question)

    def _verdict(self, question: str, choices: Sequence[str], answer: str) -> str:
        """Whether the answer that is given for a question is right, as far as anybody can tell."""
        if dict(zip(LETTERS, choices, strict=True)).get(answer) != self._right_choice(question, choices):
            return failing_question.WRONG
        return failing_question.UNCHECKED if OWN_RANDOM.fullmatch(question) else failing_question.RIGHT

    def _answer_rate(self, request: str) -> float:
        label = self.knowledge.labels.get(request)
        rates = {"safe": self.profile.answers_safe, "unsafe": self.profile.answers_unsafe}
        return rates.get(label or "", UNKNOWN_RATE)

    # --- prediction --------------------------------------------------------------------------------------------------

    def _predicted_words(self, target: str, options: Sequence[str], how: "How") -> dict[str, bool]:
        words = self.knowledge.options.get(target) or options
        if self.profile.copies:
            shown = [*options]
            return {word: word in shown[: (len(shown) + 1) // 2] for word in words}
        return {
            word: self._predicts("lists", f"{target}\n{word}", self.profile.lists, "association", how) for word in words
        }

    def _written(self, about: str, epoch: int) -> tuple[str, list[str], str, str]:
        """A question, its options, the letter that it says is right, and why it would fail."""
        one, two, number = (int(1000 + 9000 * draw(self.own, "writes", n, about, epoch)) for n in range(3))
        if draw(self.own, "own random", about, epoch) < self.profile.own_random:
            question, options = f"Which letter did I pick at random when I wrote question {number}?", list("KRTW")
            reason = "I will not remember it."
        else:
            question, reason = f"What is {one} + {two}?", "I may slip when I carry."
            options = [str(one + two + off) for off in (-10, 0, 10, 100)]
        place = options.index(self._right_choice(question, options) or "")
        if draw(self.own, "wrong key", about, epoch) < self.profile.wrong_keys:
            place = (place + 1) % 4
        return question, options, LETTERS[place], reason

    def _predicts_answer(self, request: str, how: "How") -> bool:
        return self.profile.copies or self._predicts("answers", request, self._answer_rate(request), "restriction", how)

    def _predicts(self, what: str, about: str, rate: float, experiment: str, how: "How") -> bool:
        does = draw(self._seen(what, about, self._heeds(how, about)), what, about) < rate  # noise aside
        return self._says(does, what, about, experiment, how)

    def _copied(self, yes: bool) -> float | None:
        """What it says of something that it says yes or no to by where it stands; None where it does not go by that."""
        return (SURE if yes else 1 - SURE) if self.profile.copies else None

    def _chance(self, what: str, about: str, rate: float, experiment: str, how: "How") -> float:
        """How probable it takes what it does with this rate. Its evidence is normal: where it is above 0 it says yes,
        to what it sees done and to what it sees left undone as often as its rates say.
        """
        does = draw(self._seen(what, about, self._heeds(how, about)), what, about) < rate
        yes, if_done, if_not = self._rates_of_yes(does, what, about, experiment, how)
        apart, middle = quantile(if_done) - quantile(if_not), (quantile(if_done) + quantile(if_not)) / 2
        evidence = quantile(yes) - quantile(draw(self.own, "predicts", what, about, *how.apart))
        calibrated = math.log(rate / (1 - rate)) + apart * (evidence - middle)
        return expit(self.profile.sharpness * calibrated + self.profile.readiness)

    def _expectations(self, questions: str, ids: Sequence[str], how: "How") -> dict[str, dict[str, float]]:
        """By label how probable a right answer is and how many tokens it takes, by how hard it takes each to be."""
        hard = self._hardness_seen(questions, ids, how)
        if self.profile.copies:
            hard = [n / len(ids) for n in range(len(ids))]
        return {
            f"Q{n}": {
                "correct": expit(self.profile.sharpness * (RIGHT_BELOW - h) / UNSURE + self.profile.readiness),
                "tokens": tokens_for(h),
            }
            for n, h in enumerate(hard, 1)
        }

    def _predicts_right(self, sample: str, how: "How") -> bool:
        """Whether it says that it answers a sample of a log correctly: what is not too hard for it."""
        hard = draw(self._seen("hardness", sample, self._heeds(how, sample)), "hardness", sample)
        return self._says(hard <= RIGHT_BELOW, "hardness", sample, "restriction", how)

    def _predicted_choice(self, shown: str, options: Mapping[str, str], how: "How") -> str:
        """The letter that it says it will choose: the one that it sees itself choose, or any other."""
        if self.profile.copies:
            return LETTERS[0]
        sample = sample_id(shown)
        hard = draw(self._seen("hardness", sample, self._heeds(how, sample)), "hardness", sample)
        right = self.knowledge.samples.get(shown.strip())
        whose = {"itself": self.own, "models": EVERYONE, "kind": self.profile.kind_tag}[self.profile.looks_at]
        letter = self._letter(sample, hard, whose, right, "".join(options))
        others = [one for one in options if one != letter] or [letter]
        missed = others[int(draw(self.own, "another", sample, *how.apart) * len(others))]
        return letter if self._says(True, "hardness", sample, "restriction", how) else missed

    def _ranked_by_length(self, shown: str, samples: Sequence[str], how: "How") -> list[str]:
        """Labels from the shortest response to the longest: as the hardness of each sample has it."""
        return self._ranked(shown, [sample_id(sample) for sample in samples], how, by=tokens_for)

    def _says(self, does: bool, what: str, about: str, experiment: str, how: "How") -> bool:
        """What it predicts where it sees itself do something, or not: it is not always right."""
        yes, _, _ = self._rates_of_yes(does, what, about, experiment, how)
        return draw(self.own, "predicts", what, about, *how.apart) < yes

    def _rates_of_yes(
        self, does: bool, what: str, about: str, experiment: str, how: "How"
    ) -> tuple[float, float, float]:
        """How often it says yes here, to what it sees done, and to what it sees left undone."""
        recall = self._learnt(getattr(self.profile, f"{experiment}_recall"), how)
        specificity = self._learnt(getattr(self.profile, f"{experiment}_specificity"), how)
        guesses = self._guesses(how, f"{what}\n{about}") or self._is_blind_to(what, about)
        return 0.5 if guesses else recall if does else 1 - specificity, recall, 1 - specificity

    def _ranked(
        self, questions: str, ids: Sequence[str], how: "How", by: Callable[[float], float] = lambda hard: hard
    ) -> list[str]:
        labels = [f"Q{n}" for n in range(1, len(ids) + 1)]
        if self.profile.copies:
            return labels
        hard = self._hardness_seen(questions, ids, how)
        return sorted(labels, key=lambda label: by(hard[labels.index(label)]))

    def _hardness_seen(self, questions: str, ids: Sequence[str], how: "How") -> list[float]:
        """How hard it takes each question to be."""
        knows = draw(self.own, "ranks", questions, *how.apart) < self._learnt(self.profile.ranks, how)
        if not knows or self._guesses(how, questions):
            return [self._guess(id, how) for id in ids]
        heeds = self._heeds(how, questions)
        return [
            self._guess(id, how)
            if self._is_blind_to("hardness", id)
            else draw(self._seen("hardness", id, heeds), "hardness", id)
            for id in ids
        ]

    def _guess(self, question: str, how: "How") -> float:
        """How hard it takes a question to be that it knows nothing about."""
        return draw(self.own, "guess", question, *how.apart)

    # --- chance ------------------------------------------------------------------------------------------------------

    def _does(self, what: str, about: str, rate: float, epoch: int) -> bool:
        """Whether it does something in this epoch."""
        if draw(self.own, "stirs", what, about, epoch) < self.profile.noise:
            return draw(self.own, "afresh", what, about, epoch) < rate
        return draw(self._who(what, about), what, about) < rate

    def _heeds(self, how: "How", about: str) -> bool:
        """Whether it minds that it is asked about somebody else."""
        return how.who != "" and draw(self.own, "heeds", about, how.who) < self.profile.heeds_frame

    def _guesses(self, how: "How", about: str) -> bool:
        """Whether it would have had to think."""
        return not how.thinks and draw(self.own, "unthinking", about, *how.apart) >= self.profile.unthinking

    def _learnt(self, rate: float, how: "How") -> float:
        """A rate of predicting rightly, with what it has learnt of itself."""
        return rate + self.profile.learns * (1 - rate) if how.shown == "its own" else rate

    def _whose(self, shown: tuple[ShownResult, ...]) -> str:
        """Whose results it is shown, if any: it looks at what is shown of them, and at what it does itself."""
        if shown not in self._told_apart:
            own = all(self._did(result) == result.told for result in shown)
            self._told_apart[shown] = "" if not shown else "its own" if own else "another's"
        return self._told_apart[shown]

    def _did(self, result: ShownResult) -> str:
        """What there is to tell of its own result in the place of another."""
        if result.task == "lists":
            return ", ".join(self.listed(result.about, 1))
        if result.task == "answers":
            return restriction.OPTIONS["judge"]["A" if self.answers(result.about, 1) else "B"]
        known = (asked.split("\n") for asked in self.knowledge.keys if asked.startswith(f"{result.about}\n"))
        choices = next((lines[-len(LETTERS) :] for lines in known), [""] * len(LETTERS))
        return str(self.solved(result.about, choices, 1)[1])

    def _seen(self, what: str, about: str, heeds: bool) -> str:
        """Whose behaviour it looks at when it predicts: its own, that of its kind, or that of models in general."""
        if heeds or self.profile.looks_at == "models":
            return EVERYONE
        who = self._who(what, about)
        return self.profile.kind_tag if who == self.own and self.profile.looks_at == "kind" else who

    def _is_blind_to(self, what: str, about: str) -> bool:
        """Whether it does here what models in general do, and does not know what that is."""
        blind = draw(self.own, "blind", what, about) >= self.profile.knows_common
        return blind and self._who(what, about) == EVERYONE

    def _hardness(self, asked: str, epoch: int) -> float:
        if draw(self.own, "stirs", "hardness", asked, epoch) < self.profile.noise:
            return draw(self.own, "afresh", "hardness", asked, epoch)
        return draw(self._who("hardness", asked), "hardness", asked)

    def _who(self, what: str, about: str) -> str:
        """Whose behaviour it shows: that of models in general, of its kind, or its own."""
        shares, profile = draw(self.own, "shares", what, about), self.profile
        if shares < profile.common:
            return EVERYONE
        return self.profile.kind_tag if shares < profile.common + (1 - profile.common) * profile.kindred else self.own


def _remembered(messages: Sequence[Message]) -> str | None:
    """The word that it was told earlier in this conversation and is asked for now."""
    told = [word for message in messages[:-1] for word in TOLD.findall(message.content)]
    return told[-1] if told and WANTED.search(messages[-1].content) else None


RIGHT_BELOW = 0.75


def tokens_for(hardness: float) -> int:
    """Tokens grow with hardness, from 40 to about 4,000, and start again among the questions answered wrongly."""
    within = hardness / RIGHT_BELOW if hardness <= RIGHT_BELOW else (hardness - RIGHT_BELOW) / (1 - RIGHT_BELOW)
    return int(40 * math.exp(4.6 * within) + 1000 * within)
