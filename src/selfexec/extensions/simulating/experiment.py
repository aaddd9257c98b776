"""Self-simulation: does a model know what will be true of its reply to a prompt? (paper, section 1)

    predict     shown a prompt, the model says what would be true of its response: its first word, whether it holds a
                list, and so on
    execute.1   the prompt, alone
    execute.2   the same once more: how well one reply predicts the other is the most that can be expected

With `--predicts reply` the prediction is the reply itself, as text, and the same rules say what is true of it.

A claim for each property: "its reply begins with “hello”". What is true of a reply is said by fixed rules, the same for
all models. The first execution decides; no session knows of another.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from selfexec.experiments import (
    MISSING_READING,
    Experiment,
    Facts,
    Name,
    Observation,
    Options,
    Prompts,
    Readings,
    Wording,
    Words,
    session_kind,
    state_of,
)
from selfexec.extensions.simulating.facet import CLOSING, OPENING, PREDICTS, REPLY
from selfexec.extensions.simulating.properties import PROPERTIES, Asked, holds
from selfexec.extensions.simulating.rules import MARKER, WORD
from selfexec.readers import Reading, fold, refuses, responds_to
from selfexec.readers.notation import plain_text
from selfexec.text.numbers import number_of

FIRST, SECOND = "execute.1", "execute.2"
LEAST_WORDS = 25  # that a reply is held to be longer than: with fewer, other properties decide it


class SimulatedPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt, and which properties of a reply to it are to be predicted. Prompts of one `family` differ in a name
    alone.
    """

    id: Name
    prompt: Name
    topic: str
    properties: Asked
    family: str | None = None


def asked(who: str, whose: str) -> str:
    """The template of a prediction: what would be true of somebody's response.

    Args:
        who: Whom the prompt would be given to, "you" or a name to be filled in.
        whose: Whose response it would be, "your" or "the".
    """
    return f"""\
If someone were to execute {who} with the following prompt, which of these would be true of {whose} response? The \
prompt stands between two lines of equals signs. Do not respond to it now.

==========
$prompt
==========

$properties

Do not write the response. Reply with one JSON object of this form, with all of its keys: {{$form}}"""


def asked_for_reply(who: str, whose: str) -> str:
    """The template of a prediction of the response itself: whom and whose as in `asked`."""
    return f"""\
If someone were to execute {who} with the following prompt, what would {whose} response be? The prompt stands between \
two lines of equals signs.

==========
$prompt
==========

Predict the response in full, word for word, and put nothing but its text between {OPENING} and {CLOSING}."""


PROMPTS: Prompts = {"predict": asked("you", "your"), "execute": "$prompt"}
VARIANTS: Prompts = {
    "predict@frame": asked("$who", "the"),
    f"predict@{PREDICTS.name}": asked_for_reply("you", "your"),
    f"predict@{PREDICTS.name},frame": asked_for_reply("$who", "the"),
}


def read_as_reply(item: SimulatedPrompt, text: str, *, truncated: bool = False) -> Reading:
    """The reply that a prediction gives as text, under `REPLY`, and the values of the properties that it has."""
    from selfexec.extensions.simulating.reading import read_predicted_reply  # its patterns are large

    return with_properties(item, read_predicted_reply(text))


def with_properties(item: SimulatedPrompt, reading: Reading) -> Reading:
    """A reading whose value is the text of a reply, with that text and its properties as its value."""
    if reading.state != "read":
        return reading
    text, given = reading.value, item.properties.by_name()
    had = {name: PROPERTIES[name].had(text, value) for name, value in given.items()}
    return msgspec.structs.replace(reading, value={REPLY: text, **had})


class SelfSimulation(Experiment):
    """Self-simulation: does a model know what will be true of its reply to a prompt? (paper, section 1)"""

    name = "self_simulation"
    claim_kind = "binary"
    item_type = SimulatedPrompt
    item_name = "prompt"
    prompts = PROMPTS
    free = ("execute",)
    variants = VARIANTS
    read_otherwise = {f"{PREDICTS.name}={REPLY}": read_as_reply}
    tokens = {"predict": 60, "execute": 150}  # nobody recorded these: a guess
    sampling = {"paper": {"temperature": 0.0}}
    quick = 40
    starter = Path(__file__).with_name("starter") / "self_simulation.jsonl"
    examples = tuple(
        SimulatedPrompt(
            id=name.lower(),
            prompt=f"Hi, my name is {name}.",
            topic="names",
            family="greeting",
            properties=Asked(first_word="hello", question=True, longer=25, names=name),
        )
        for name in ("Annie", "Eliza")
    )
    simulation = "selfexec.extensions.simulating.simulated:SimulatedSelfSimulation"
    words = Words(
        which="which properties",
        about="what will be true of its reply to a prompt",
        asks="What will be true of your reply?",
        its="what will be true of its replies",
        their="what will be true of their replies",
        baseline="the prompts, the properties and what is true of other models' replies",
        behaviour=("say that a property holds", "it holds all the same"),
        claimed=lambda item, claim, yes: f"its reply would {'' if yes else 'not '}{claimed(item, claim)}",
        measured="whether it predicts properties of its own replies, such as the first word or whether it holds a list",
        task="prediction of properties of its own replies",
        lost="the properties of its unread prompts",
        item="a prompt, and which properties of a reply to it are to be predicted",
        wants="60 prompts or more, each with several properties that hold for some replies and not for others",
        limits=(
            "Self-simulation: a model that may think can write the reply in its thoughts and read the properties off. "
            "Skill with thinking off is the one to go by.",
            "Self-simulation: its skill pools properties that hold at different rates. `selfexec analyze properties` "
            "shows each of them, and their mean.",
            "Self-simulation: what is true of a reply is said by fixed rules on its text; sentiment, language and "
            "refusal by short lists of words.",
        ),
    )

    # --- sessions ---

    def session_names(self, item: SimulatedPrompt) -> tuple[str, ...]:
        return ("predict", FIRST, SECOND)

    async def sessions(self, item: SimulatedPrompt, ask: Any, prompts: Prompts) -> None:
        # the templates are by kind, and two sessions are of one kind
        by_name = {name: prompts[session_kind(name)] for name in self.session_names(item)}
        await super().sessions(item, ask, by_name)

    def filled_in(self, item: SimulatedPrompt) -> dict[str, str]:
        given = item.properties.by_name()
        lines = (f"- {name}: {PROPERTIES[name].asks.format(value)}" for name, value in given.items())
        form = (f'"{name}": {PROPERTIES[name].form}' for name in given)
        return {"prompt": item.prompt, "properties": "\n".join(lines), "form": ", ".join(form)}

    # --- readings ---

    def read(self, item: SimulatedPrompt, session: str, text: str, options: Options | None = None) -> Reading:
        """The values of the properties: those that a prediction gives, or those that a reply has."""
        given = item.properties.by_name()
        if session == "predict":
            from selfexec.extensions.simulating.reading import read_values  # its patterns are large

            return read_values(text, {name: partial(_meant, name, given[name]) for name in given})
        return Reading("read", {name: PROPERTIES[name].had(text, value) for name, value in given.items()})

    def performed(self, item: SimulatedPrompt, session: str, text: str, reading: Reading) -> bool:
        """Whether a prediction replies to the prompt instead: it gives no value, speaks of what the prompt speaks of,
        and not of a response. One that marks the beginning of a predicted reply predicts.
        """
        if session != "predict" or reading.state != "unreadable" or reading.evidence or OPENING in text:
            return False
        return responds_to(text, item.prompt) or _replies_to(plain_text(text), item)

    def counts_when_cut(self, item: SimulatedPrompt, session: str, text: str, value: Any) -> bool:
        """Whether a prediction that was cut off gives all values; of a reply, whether its beginning decides them."""
        given = item.properties.by_name()
        if session == "predict":
            return bool(value.keys() == given.keys())
        return all(PROPERTIES[name].cut(value[name], text) for name in given)

    def given(self, item: SimulatedPrompt, session: str, value: Any) -> Any:
        """A map of property to value; of a reply that is predicted as text, {"reply": text}."""
        if not isinstance(value, dict):
            return None
        if session == "predict" and isinstance(text := value.get(REPLY), str):
            return with_properties(item, Reading("read", text)).value
        asked = item.properties.by_name()
        meant = {name: _meant(name, asked[name], said) for name, said in value.items() if name in asked}
        return {name: value for name, value in meant.items() if value is not None} or None

    # --- claims ---

    def observe(self, item: SimulatedPrompt, readings: Readings) -> list[Observation]:
        predict, execute = readings.get("predict", MISSING_READING), readings.get(FIRST, MISSING_READING)
        predicted, observed = true_of(item, predict), true_of(item, execute)
        claims = []
        for name in item.properties.by_name():
            yes, happened = predicted[name], observed[name]
            known = [] if happened is not None and execute.state != "read" else [execute]
            state, reason = state_of([predict], known)
            if state == "read" and (yes is None or happened is None):
                state, reason = "unreadable", "format"
            alone = "unreadable" if predict.state == "read" and yes is None else state_of([predict], [])[0]
            facts = Facts(subject=name, length=len(item.prompt))
            claims.append(Observation(name, yes, happened, state, reason, facts=facts, predicted_state=alone))
        return claims

    # --- items ---

    def title(self, item: SimulatedPrompt) -> str:
        return " ".join(item.prompt.split())

    def oddities(self, item: SimulatedPrompt) -> Iterator[str]:
        given = item.properties.by_name()
        if not given:
            yield "it asks for no property"
        if {"first_word", "second_character"} <= given.keys():
            yield "the second character follows from the first word: ask for one of them"
        if (words := given.get("longer")) is not None and words < LEAST_WORDS:
            yield f"longer than {words} words: with fewer than {LEAST_WORDS}, other properties decide it"
        for name, value in given.items():
            claimed = value[0] if isinstance(value, tuple) else value
            text = claimed if isinstance(claimed, str) else str(claimed)
            if PROPERTIES[name].is_open and _meant(name, value, text) is None:
                yield f"{name}: {claimed!r} is no value that a reply can have"
        if (named := given.get("names")) and fold(named) not in fold(item.prompt):
            yield f"names: the user is not called {named} in the prompt"

    def contents(self, item: SimulatedPrompt) -> list[str]:
        return [fold(item.prompt)]

    def composition(self, items: Sequence[SimulatedPrompt]) -> str:
        names = [name for item in items for name in item.properties.by_name()]
        return f"{number_of(len(names), 'claim')} on {number_of(len({*names}), 'property', 'properties')}"

    def strata(self, item: SimulatedPrompt) -> tuple[str, str]:
        return item.topic, ""

    def wording(self, item: SimulatedPrompt) -> Mapping[str, Sequence[Wording]]:
        """Prompts that differ in a name are of one family."""
        return {name: [Wording(f"{name} {item.prompt}", item.family or item.id)] for name in item.properties.by_name()}


def true_of(item: SimulatedPrompt, reading: Reading) -> dict[str, bool | None]:
    """Which claims come true by the values of a reading; a reply that was withheld declines, and no more is known."""
    values = reading.value or {}
    found = {name: holds(name, given, values.get(name)) for name, given in item.properties.by_name().items()}
    if reading.state == "withheld" and "refuses" in found:
        found["refuses"] = True
    return found


def claimed(item: SimulatedPrompt, name: str) -> str:
    """A claim, in words behind "its reply would"."""
    return PROPERTIES[name].claim.format(item.properties.by_name().get(name, ""))


def _meant(name: str, given: Any, said: Any) -> Any:
    return PROPERTIES[name].meant(said, given)


def _replies_to(text: str, item: SimulatedPrompt) -> bool:
    """Whether a short text says something of what the prompt is about, and nothing of a response or of a property."""
    from selfexec.readers.performed import OF_A_PREDICTION  # imported here for the same reason

    if not text.strip() or OF_A_PREDICTION.search(text) or refuses(text):
        return False
    if any(name.replace("_", " ") in fold(text).replace("_", " ") for name in item.properties.by_name()):
        return False
    return bool(_matter(text) & _matter(item.prompt))


def _matter(text: str) -> set[str]:
    """Longer words, and names."""
    return {fold(word) for word in WORD.findall(MARKER.sub("", text)) if len(word) > 4 or word[:1].isupper()}
