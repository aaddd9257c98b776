"""The sessions of an item as a solver of Inspect: each in a span of its own, all replies in the sample's store."""

from collections.abc import Mapping
from typing import Any

import msgspec
from inspect_ai.model import ChatMessageUser, Model, ModelOutput, get_model, model_roles
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import span

from selfexec.engines import Call, CallResult, Sampling
from selfexec.engines.registry import TURNS
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, AskFunction, Experiment, Injection, Item, Key, Prompt, session_kind
from selfexec.extensions.inspect.engine import OPENED, Final, Opened, asked, is_limit
from selfexec.extensions.inspect.records import ITEM, REPLIES, SENTENCES, lines_of, our_name, role_of, subject
from selfexec.facets import Condition, in_condition, settings_in
from selfexec.items import ItemSet
from selfexec.prompts import shipped_sentences
from selfexec.runs import Reply
from selfexec.runs.asking import reply_to

NOT_ASKED = CallResult(None, error="not asked")


class Asking:
    """What a task asks with: the items that simulated respondents know, templates, and what is sent beside them."""

    def __init__(
        self,
        experiment: str,
        item_set: ItemSet,
        condition: Condition,
        prompts: Mapping[str, str],
        sentences: Mapping[str, str],
        settings: Mapping[str, Any],
    ) -> None:
        shipped = shipped_sentences([experiment])
        self.experiment = EXPERIMENTS[experiment]
        self.item_set = item_set
        self.condition = condition
        self.prompts = prompts
        self.sentences = {name: text for name, text in sentences.items() if shipped.get(name, text) != text}
        self.sampling = Sampling(settings=settings)
        self.answered: set[str] = set()  # models that have replied at all

    def sent(self, key: Key) -> dict[str, Any]:
        """What the task itself sends with a session."""
        return {
            **self.sampling.of(key.experiment, key.session_kind),
            **settings_in(key.facets, key.experiment, key.session_kind),
        }


class _Sample:
    """One item in one epoch: its sessions as they are opened, and their replies as they come."""

    def __init__(self, asking: Asking, state: TaskState) -> None:
        self.asking = asking
        self.item = item_of(asking.experiment, state.metadata)
        self.models = {role: _model_of(role) for role in (None, "predictor", "judge")}
        bound = {role: our_name(str(self.models[role])) for role in ("predictor", "judge") if role in model_roles()}
        who = subject(our_name(str(self.models[None])), bound)
        self.place = (who, asking.experiment.name, str(state.sample_id), state.epoch)
        self.replies: list[Reply] = []
        self.final: Final | None = None
        self.over = False

    async def open(
        self, session: str, prompt: Prompt, *, parent: str | None = None, injection: Injection | None = None
    ) -> Reply | CallResult:
        """As an experiment asks. What a key or an account is in the way of ends it, once nothing is under way."""
        experiment = self.asking.experiment
        key = in_condition(Key(*self.place, session), self.asking.condition)
        messages = experiment.messages(prompt)
        if self.final:
            return NOT_ASKED
        call = Call(key, messages, self.asking.sent(key), experiment.needs, injection)
        async with span(session, type="session"):
            try:
                reply = await reply_to(self, call, parent, is_over=lambda: self.over)  # type: ignore[arg-type]
            except Final as fault:
                self.final = fault
                return NOT_ASKED
        self.replies.append(reply)
        return reply

    async def ask(self, call: Call) -> CallResult:
        """As an engine asks."""
        token = OPENED.set(Opened(call, self.asking.item_set))
        try:
            model = self.models[role_of(self.asking.experiment, call.session_kind)]
            return await asked(model, call, call.sampling, self.asking.answered)
        except Exception as fault:
            self.over |= is_limit(fault)
            raise
        finally:
            OPENED.reset(token)

    def in_order(self) -> list[Reply]:
        """The replies in the order of the experiment."""
        names = self.asking.experiment.in_order(self.item, [reply.session for reply in self.replies])
        return sorted(self.replies, key=lambda reply: names.index(reply.session))


def _model_of(role: str | None) -> Model:
    """Who is asked in a role: the model that is evaluated, unless --model-role names another."""
    return get_model(role=role) if role in model_roles() else get_model()


def item_of(experiment: Experiment, metadata: Mapping[str, Any]) -> Item:
    """The item of a sample. InputError: there is none, or another experiment's."""
    try:
        item: Item = msgspec.json.decode(metadata[ITEM], type=experiment.item_type)
    except (KeyError, TypeError, msgspec.DecodeError) as fault:
        said = f"a sample without an item of {experiment.name} ({fault})"
        raise InputError(f"{said}. Is it of a task of selfexec?") from None
    return item


@solver
def sessions(asking: Asking) -> Solver:
    """Opens the sessions of an item, each fresh. A session without any reply is missing, and costs no other."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sample = _Sample(asking, state)
        try:
            await asking.experiment.sessions(sample.item, AskFunction(sample.open, TURNS), asking.prompts)
        finally:
            # what is cut off keeps what came
            state.store.set(REPLIES, lines_of(sample.in_order()))
            if asking.sentences:
                state.store.set(SENTENCES, dict(asking.sentences))
        if sample.final:
            raise sample.final.fault
        _show(state, sample)
        return state

    return solve


def _show(state: TaskState, sample: _Sample) -> None:
    """The outcome as the sample's conversation, that of the first session in which nothing is predicted."""
    predictions = sample.asking.experiment.predictions
    behaviour = next((r for r in sample.in_order() if session_kind(r.session) not in predictions), None)
    if behaviour is not None:
        state.output = ModelOutput.from_content(str(sample.models[None]), behaviour.text or behaviour.refusal or "")
        state.messages = [ChatMessageUser(content=state.input_text), state.output.message]
