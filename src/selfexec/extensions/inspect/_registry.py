"""What Inspect finds of ours: it imports this under the entry point `inspect_ai`."""

from inspect_ai.model import ModelAPI, modelapi

from selfexec.extensions.inspect.scoring import claims, claims_metrics
from selfexec.extensions.inspect.sessions import sessions
from selfexec.extensions.inspect.tasks import TASKS_BY_NAME

__all__ = ["TASKS_BY_NAME", "claims", "claims_metrics", "selfexec", "sessions"]


@modelapi(name="selfexec")
def selfexec() -> type[ModelAPI]:
    """Simulated respondents: selfexec/sim, selfexec/sim/NAME."""
    from selfexec.extensions.inspect.sim import SimulatedModel

    return SimulatedModel
