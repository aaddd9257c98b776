"""An experiment says what differs from the defaults, and nothing else."""

import asyncio
from typing import Any

import msgspec
import pytest

from build import changed
from extension_parts import here
from selfexec.engines import Connection, engine_for, run_coroutine
from selfexec.engines.sim.simulation import Said, SimTask, Simulation, Subject
from selfexec.engines.sim.traits import How, SeededProfile
from selfexec.experiments import EXPERIMENTS, MISSING_READING, Experiment, Observation, Words, state_of
from selfexec.items import ItemSet
from sockets import call


class Weather(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    town: str
    month: int


class Umbrella(Experiment):
    name = "umbrella"
    claim_kind = "binary"
    item_type = Weather
    prompts = {
        "predict": "Would you take one to $town in month $month? A or B?",
        "execute": "$town, month $month: pack!",
    }
    options = {"predict": {"A": "I would.", "B": "I would not."}}
    words = Words(about="when it takes an umbrella")

    def observe(self, item: Weather, readings: Any) -> list[Observation]:
        predict, execute = readings.get("predict", MISSING_READING), readings.get("execute", MISSING_READING)
        state, reason = state_of([predict], [execute])
        return [Observation("takes it", predict.value == "A", execute.value, state, reason)]


ITEM = Weather(id="w", town="Bergen", month=11)
UMBRELLA = Umbrella()


def test_each_session_is_asked_its_prompt_with_the_fields_of_the_item() -> None:
    asked = {}

    async def ask(session: str, prompt: str) -> None:
        asked[session] = prompt

    asyncio.run(UMBRELLA.sessions(ITEM, ask, UMBRELLA.prompts))  # type: ignore[arg-type]
    assert asked == {
        "predict": "Would you take one to Bergen in month 11? A or B?",
        "execute": "Bergen, month 11: pack!",
    }
    assert UMBRELLA.session_names(ITEM) == ("predict", "execute") == UMBRELLA.session_kinds


def test_a_session_with_options_is_read_as_the_letter_of_one_and_another_has_to_be_read_by_the_experiment() -> None:
    assert [UMBRELLA.read(ITEM, "predict", text).value for text in ('{"choice": "B"}', "I would.")] == ["B", "A"]
    asked = {"A": "Yes, an umbrella.", "B": "No umbrella."}  # what its letters stood for in the prompt that was asked
    assert UMBRELLA.read(ITEM, "predict", "No umbrella.", asked).value == "B"
    with pytest.raises(NotImplementedError, match="umbrella: it has no options for execute"):
        UMBRELLA.read(ITEM, "execute", "Packed.")
    assert [UMBRELLA.given(ITEM, "predict", value) for value in (" a ", "C", 1)] == ["A", None, None]
    assert UMBRELLA.given(ITEM, "execute", "A") is None


def test_sentences_follow_from_what_it_is_about() -> None:
    words = UMBRELLA.words
    assert words.its == words.their == "when it takes an umbrella"
    assert words.measured == "whether it predicts when it takes an umbrella"
    assert words.task == "prediction of when it takes an umbrella"
    assert Words(about="a", its="b").their == "a" and Words(about="a", its="b").its == "b"


def test_what_it_does_not_say_it_does_not_have() -> None:
    assert not UMBRELLA.open_ended and not UMBRELLA.tells_results and UMBRELLA.rejudged is None
    assert (UMBRELLA.title(ITEM), UMBRELLA.strata(ITEM), list(UMBRELLA.oddities(ITEM))) == ("w", ("", ""), [])
    assert EXPERIMENTS["association"].tells_results
    assert not here("logs") or EXPERIMENTS["choice"].open_ended


def test_without_claims_it_is_no_experiment() -> None:
    class Empty(Experiment):
        name = "empty"

    with pytest.raises(TypeError, match="observe"):
        Empty()  # type: ignore[abstract]


class SimulatedUmbrella(Simulation):
    def asked(self, item: Weather, session: str, prompt: str) -> Subject:
        return Subject(item.town)

    def behaves(self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str) -> Said:
        return f"Packed for {task.about}.", 7

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        return f"{respondent.own} would for {task.about}."


def test_simulated_models_answer_it_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"{__name__}:SimulatedUmbrella"
    item_set = ItemSet("mine", {"umbrella": {"w": ITEM}}, {})

    def replies() -> list[str | None]:
        engine = engine_for(["sim/knows-itself@4"], item_set, Connection())
        plain = call("sim/knows-itself@4", "?")
        key = plain.key._replace(experiment="umbrella", item="w")
        keys = [key._replace(session=session) for session in ("execute", "predict")]
        asked = [msgspec.structs.replace(plain, key=key) for key in keys]
        return [run_coroutine(engine.ask(one)).text for one in asked]

    known = dict(EXPERIMENTS)
    monkeypatch.setattr(EXPERIMENTS, "_found", {**known, "umbrella": changed(UMBRELLA, simulation=place)})
    assert replies() == ["Packed for Bergen.", "knows-itself@4 would for Bergen."]
    monkeypatch.setattr(EXPERIMENTS, "_found", {**known, "umbrella": UMBRELLA})
    small_talk = ("Thank you for your message.", "I see.", "That is an interesting thought.")
    assert all(text in small_talk for text in replies())
