"""The simulated respondents as a model of Inspect: `selfexec/sim`, `selfexec/sim/knows-itself`, `selfexec/sim/coin@3`.

In our tasks they are told what they are asked, as by `selfexec run`, and so say the same; elsewhere they go by the
words of the prompt, as behind `selfexec serve`. They need no network: they bring their own counts of tokens.
"""

from collections.abc import Mapping
from typing import Any

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.solver._task_state import sample_state

from selfexec.engines import Call, CallResult
from selfexec.engines.sim import Knowledge, SimEngine, respondent
from selfexec.engines.sim.engine import SimRespondent
from selfexec.errors import InputError
from selfexec.experiments import Message
from selfexec.extensions.inspect.engine import OPENED, Opened
from selfexec.extensions.inspect.engine.results import SIMULATED
from selfexec.extensions.inspect.records import our_name
from selfexec.items import load


class SimulatedModel(ModelAPI):
    """A simulated respondent."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        if model_args:
            raise PrerequisiteError(f"-M {next(iter(model_args))}: simulated models have no such argument.")
        if model_name.partition("/")[0] != "sim":
            raise PrerequisiteError(f"model selfexec/{model_name}: there is selfexec/sim, and selfexec/sim/NAME.")
        self.name = our_name(f"selfexec/{model_name}")
        try:
            self._alone: SimRespondent = respondent(self.name, Knowledge.of(load("starter")))
        except InputError as fault:  # said by Inspect in a line, and not in a traceback
            raise PrerequisiteError(str(fault)) from None
        self._engines: dict[int, SimEngine] = {}

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
        opened = OPENED.get()
        messages = tuple(Message(m.role, m.text) for m in input if m.role in ("user", "assistant"))
        result = await self._told(opened) if opened else self._recognising(messages)
        into = sum(len(message.content) for message in messages) // 4
        return _output(self.model_name, result, into)

    async def _told(self, opened: Opened) -> CallResult:
        """As `selfexec run` asks it: by the session's name, as this model, no matter whose session it is besides."""
        key = id(opened.item_set)
        if key not in self._engines:
            self._engines[key] = SimEngine([self.name], opened.item_set)
        call = opened.call
        return await self._engines[key].ask(
            Call(call.key._replace(model=self.name), call.messages, call.sampling, call.needs)
        )

    def _recognising(self, messages: tuple[Message, ...]) -> CallResult:
        state = sample_state()
        return self._alone.reply(messages, state.epoch if state else 1)

    def connection_key(self) -> str:
        return "selfexec/sim"

    def should_retry(self, ex: Exception) -> bool:
        return False


def _output(model: str, result: CallResult, input_tokens: int) -> ModelOutput:
    tokens = result.output_tokens or 0
    usage = ModelUsage(input_tokens=input_tokens, output_tokens=tokens, total_tokens=input_tokens + tokens)
    message = ChatMessageAssistant(content=result.text or "", model=model, source="generate")
    metadata: Mapping[str, Any] = {SIMULATED: True}
    choice = ChatCompletionChoice(message=message, stop_reason="stop")
    return ModelOutput(model=model, choices=[choice], usage=usage, metadata=dict(metadata))
