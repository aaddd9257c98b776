"""How simulated models use the tool: by their profiles they ask for the very behaviour that they predict and say what
they saw, ask for it and say what they would say anyway, or ask for more than they may.
"""

import json

from selfexec.engines.sim.shapes import THOUGHTS
from selfexec.engines.sim.simulation import SimTurn, simulation_of
from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.tool.facet import calls_at, turns_at
from selfexec.extensions.tool.history import Exchange, exchanges, seen_outcomes


def turn(asked: SimTurn) -> str | None:
    """What a simulated model says; None for what it would say anyway."""
    uses = asked.profile.executes
    if not uses:
        return None
    conversation = exchanges(asked.messages)
    wanted = list(asked.behaviour.values())[: calls_at(asked.level)]
    if uses == "more" and len(conversation) < turns_at(asked.level) - 1:
        return _requests([*wanted, *wanted][: 1 + len(conversation) % 2] or ["?"], asked.shape)
    if uses != "more" and len(conversation) < len(wanted):
        return _requests([wanted[len(conversation)]], asked.shape)
    return _as_seen(asked, conversation) if uses == "uses" else None


def _requests(prompts: list[str], shape: float) -> str:
    """A reply that asks for these."""
    thought = f"{THOUGHTS[int(shape * len(THOUGHTS))]}\n\n" if shape < 0.5 else ""
    return thought + "\n".join(json.dumps({"execute": prompt}, ensure_ascii=False) for prompt in prompts)


def _as_seen(asked: SimTurn, conversation: list[Exchange]) -> str | None:
    """The prediction of what it saw, and of all else what it would say anyway."""
    experiment, simulation = EXPERIMENTS[asked.experiment], simulation_of(asked.experiment)
    seen = seen_outcomes(asked.experiment, asked.item, asked.behaviour, conversation)
    if simulation is None or not seen:
        return None
    usual = experiment.read(asked.item, experiment.predictions[0], asked.usual)
    anyway = {o.claim: bool(o.predicted) for o in experiment.observe(asked.item, {experiment.predictions[0]: usual})}
    return simulation.predicts_outcomes(asked.item, seen, anyway, asked.shape)
