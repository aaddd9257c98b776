"""A prompt with properties of every form, for tests."""

from typing import Any

from selfexec.experiments import Experiment
from selfexec.extensions.simulating.experiment import SelfSimulation, SimulatedPrompt
from selfexec.extensions.simulating.properties import Asked
from selfexec.readers import Reading

EXPERIMENT: Experiment = SelfSimulation()
ANNIE = SimulatedPrompt(
    id="annie",
    prompt="Hi, my name is Annie. Cats or dogs?",
    topic="names",
    family="greeting",
    properties=Asked(first_word="Hello", question=True, longer=25, names="Annie", picks=("cats", "dogs"), number=7),
)
SAID = {"first_word": "hello", "question": True, "longer": False, "names": True, "picks": "dogs", "number": "none"}
REPLY = "Hello Annie! I pick cats. And you?"
HAD = {"first_word": "hello", "question": True, "longer": False, "names": True, "picks": "cats", "number": "none"}


def read(value: Any) -> Reading:
    return Reading("read", value)
