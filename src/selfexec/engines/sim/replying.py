"""How a simulated model replies: it decides what it is asked for, and puts its decision into words."""

import re
from collections.abc import Sequence

from selfexec.engines.base import Outcome
from selfexec.engines.sim import shapes
from selfexec.engines.sim.chance import draw
from selfexec.engines.sim.sessions import recognised
from selfexec.engines.sim.simulation import Said, ShownResult, SimTask, Simulation, simulation_of
from selfexec.engines.sim.traits import How, Respondent
from selfexec.experiments import EXPERIMENTS, Message

# what it remembers of a conversation: a word that it was told, when it is asked for one
TOLD, WANTED = re.compile(r'code word is "(\w+)"'), re.compile(r"code word\b.*\?", re.DOTALL)


class SimRespondent(Respondent):
    """A respondent that puts what it does and predicts into words. Two with the same profile, seed and knowledge always
    reply the same.
    """

    def reply(
        self, messages: Sequence[Message], epoch: int = 1, asked: SimTask | None = None, thinks: bool = True
    ) -> Outcome:
        """Its reply to a conversation. What is `asked` is recognised by the last message where nobody tells."""
        prompt = messages[-1].content
        said = prompt if len(messages) == 1 else "\n".join(f"{m.role}: {m.content}" for m in messages)
        text, tokens = self._replied(asked or recognised(prompt, self.knowledge), said, epoch, thinks)
        if len(messages) > 1 and (word := _remembered(messages)):
            text, tokens = word, None
        return Outcome(text, tokens or shapes.tokens_of(text), "stop")

    def _replied(self, asked: SimTask, said: str, epoch: int, thinks: bool) -> Said:
        """Text and tokens. In what shape it puts the same decision depends on all that was `said`."""
        simulation = simulation_of(asked.experiment)
        if simulation is None:
            return shapes.plain(draw("plain", said)), None
        shape = draw(self.own, "shape", said, epoch)
        if asked.kind not in EXPERIMENTS[asked.experiment].predictions:
            return simulation.behaves(self, asked, epoch, shape, said)
        fate = draw(self.own, "form", said, epoch)
        how = How(epoch, asked.who, thinks, self._whose(asked.shown) if asked.shown else "")
        return self._prediction(simulation, asked, shape, fate, how), None

    def _prediction(self, simulation: Simulation, asked: SimTask, shape: float, fate: float, how: How) -> str:
        """What it predicts, in words; a prediction may fail in form."""
        if fate < self.profile.declines:
            return shapes.declined(shape)
        if fate < self.profile.declines + self.profile.breaks:
            return shapes.broken(shape)
        return simulation.predicts(self, asked, shape, how)

    def _whose(self, shown: tuple[ShownResult, ...]) -> str:
        """Whose results it is shown: it looks at what is shown of them, and at what it does itself."""
        return "its own" if all(self._did(result) == result.told for result in shown) else "another's"

    def _did(self, result: ShownResult) -> str | None:
        """What there is to tell of its own result in the place of another."""
        simulation = simulation_of(result.experiment)
        return simulation.did(self, result.about) if simulation else None


def _remembered(messages: Sequence[Message]) -> str | None:
    """The word that it was told earlier in this conversation and is asked for now."""
    told = [word for message in messages[:-1] for word in TOLD.findall(message.content)]
    return told[-1] if told and WANTED.search(messages[-1].content) else None
