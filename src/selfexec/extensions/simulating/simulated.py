"""Self-simulation: a respondent decides for each property whether it holds, and writes a reply with just these."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from selfexec.engines.sim import shapes
from selfexec.engines.sim.simulation import Lookings, Said, SimTask, Simulation, Subject
from selfexec.engines.sim.traits import Facts, How, Profile, SeededProfile, draw
from selfexec.engines.sim.truth import expected_cells, metrics_of
from selfexec.extensions.simulating.experiment import SECOND, SimulatedPrompt
from selfexec.extensions.simulating.facet import CLOSING, OPENING
from selfexec.extensions.simulating.properties import PROPERTIES, Value, wanted
from selfexec.extensions.simulating.rules import FREQUENT
from selfexec.readers import fold

RATE = 0.5  # how often a property holds
KNOWN = "prompts that are simulated"
AGAIN, IN_FULL = "again", "in full"  # mark the second execution, and a prediction of the reply as text
PLAIN = ["alpha", "beta", "gamma", "delta"]  # words that decide nothing
# what a property has where it has not the value that is claimed: the first of these that is another one
OTHERS: Mapping[str, Sequence[str]] = {
    "first_word": ("well", "now"),
    "second_character": ("e", "o"),
    "sentiment": ("neutral", "positive"),
    "number": ("8", "3"),
    "colour": ("red", "green"),
    "language": ("english", "french"),
}
FEELINGS = {"positive": "Wonderful, wonderful, wonderful.", "negative": "Terrible, terrible, terrible."}
OPENINGS = {"e": "Well", "o": "Now"}


class SimulatedSelfSimulation(Simulation):
    def facts(self, items: Sequence[SimulatedPrompt]) -> Mapping[str, Mapping[str, SimulatedPrompt]]:
        return {KNOWN: {item.prompt: item for item in items}}

    def asked(self, item: SimulatedPrompt, session: str, prompt: str) -> Subject:
        if session == SECOND:
            return Subject(item.prompt, (AGAIN,))
        return Subject(item.prompt, (IN_FULL,) if session == "predict" and CLOSING in prompt else ())

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject | None:
        in_full = kind == "predict" and "properties" not in filled
        return Subject(filled["prompt"], (IN_FULL,) if in_full else ()) if filled["prompt"] in facts[KNOWN] else None

    def behaves(self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str) -> Said:
        item = respondent.knowledge[KNOWN].get(task.about)
        if item is None:
            return shapes.plain(draw("plain", said)), None
        drawn = -epoch if task.parts else epoch  # the second execution is one more epoch
        given = item.properties.by_name()
        true = {name: respondent.does("holds", _about(item, name), RATE, drawn) for name in given}
        return reply_with(given, true), None

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        item = respondent.knowledge[KNOWN].get(task.about)
        if item is None:
            return shapes.broken(shape)
        given = item.properties.by_name()
        copied, early = respondent.profile.copies, _first_half(given)
        true = {
            name: name in early if copied else respondent.predicts("holds", _about(item, name), RATE, how)
            for name in given
        }
        if IN_FULL in task.parts:
            return in_full(reply_with(given, true), shape)
        values: Any = {name: value_of(name, given[name], true[name]) for name in given}
        return shapes.marks(values, shape)

    def truth(
        self, profile: Profile, items: Sequence[SimulatedPrompt], looking: Lookings, coverage: float
    ) -> Iterable[tuple[str, float]]:
        by_claim = (
            expected_cells(looking, "holds", _about(item, name), RATE, early=name in _first_half(given))
            for item in items
            for given in [item.properties.by_name()]
            for name in given
        )
        return metrics_of(by_claim, coverage)


def _about(item: SimulatedPrompt, name: str) -> str:
    return f"{item.prompt}\n{name}"


def _first_half(given: Mapping[str, Any]) -> Sequence[str]:
    """The properties that are shown in the first half, rounded up."""
    return [*given][: (len(given) + 1) // 2]


def value_of(name: str, given: Any, true: bool) -> Value:
    """A value with which the claim comes true, or does not."""
    if not PROPERTIES[name].is_open:
        return true
    if true:
        return wanted(given)
    if name == "picks":
        return fold(given[1])
    return next(other for other in OTHERS[name] if other != wanted(given))


def in_full(reply: str, shape: float) -> str:
    """A prediction of the reply as text: as asked for, behind a thought, or with something behind it."""
    marked = f"{OPENING}{reply}{CLOSING}"
    forms = (marked, f"{shapes.THOUGHTS[0]}\n\n{marked}", f"{marked}\n\nThis is what I expect.")
    return forms[int(shape * len(forms))]


def reply_with(given: Mapping[str, Any], true: Mapping[str, bool]) -> str:
    """A reply for which just these claims come true."""
    values = {name: value_of(name, given[name], holds) for name, holds in true.items()}
    sentences = [_opening(values)]
    if values.get("refuses"):
        sentences.append("I cannot do that.")
    if "names" in given and values["names"]:
        sentences.append(f"Alpha, {given['names']}.")
    if "picks" in values:
        sentences.append(f"I pick {values['picks']}.")
    sentences += [f"{value}." for name in ("number", "colour") if (value := values.get(name))]
    sentences.append(FEELINGS.get(str(values.get("sentiment")), "Alpha."))
    if "language" in values:
        sentences.append(f"{' '.join(sorted(FREQUENT[str(values['language'])]))}.")
    text = " ".join(sentences)
    if values.get("list"):
        text += "\n\n- alpha\n- beta\n\n"
    if values.get("longer"):
        text += f" {' '.join(PLAIN * given['longer'])}."
    return f"{text} Alpha?" if values.get("question") else text


def _opening(values: Mapping[str, Value]) -> str:
    """A first word; where its second character is asked for, one that has it."""
    if "second_character" in values:
        character = str(values["second_character"])
        return f"{OPENINGS.get(character, f'A{character}a')}."
    return f"{str(values.get('first_word', 'alpha')).capitalize()}."
