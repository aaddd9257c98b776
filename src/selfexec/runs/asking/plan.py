"""What a run will ask, settled before anything is asked."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from string import Template
from typing import Any, NamedTuple, Protocol

from selfexec.engines import (
    EFFORT,
    Call,
    CallResult,
    Connection,
    Engine,
    Price,
    Respondent,
    Sampling,
    engine_of,
    merged,
    sent_to,
    thinking_in,
)
from selfexec.errors import NoApiKey
from selfexec.experiments import (
    EXPERIMENTS,
    Ask,
    AskFunction,
    Injection,
    JobKey,
    Key,
    Message,
    Prompt,
    Prompts,
    messages_of,
)
from selfexec.facets import (
    DEFAULT,
    HISTORY,
    OFF,
    THINKING,
    Condition,
    answers_calls,
    behaviour_kind,
    conversing,
    dialogue_in,
    in_condition,
    is_call,
    nested,
    nested_sessions,
    settings_in,
    touching,
)
from selfexec.files import jsonl
from selfexec.items import ItemSet
from selfexec.prompts import AllPrompts, asked_prompts, by_condition, name_in
from selfexec.runs.asking.histories import Histories
from selfexec.runs.asking.progress import NO_CAPS, Caps
from selfexec.runs.design import Design, crossed
from selfexec.runs.folder import REPLIES, SHARDS
from selfexec.runs.hypotheses import DeclaredHypotheses
from selfexec.runs.invocations import StudyFile
from selfexec.runs.reply import Reply
from selfexec.runs.share import Shard

CALL_TOKENS = 1000  # of a reply that a model asks for, where nothing else is said
CALL_TOKENS_SETTING = "call_tokens"
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")  # as bodies name it


class AskSession(Protocol):
    """Gives the reply of a session, for its key, its messages, the session within which it comes up, and what is
    forced into its reply.
    """

    def __call__(
        self, key: Key, messages: tuple[Message, ...], parent: str | None, injection: Injection | None = None
    ) -> Awaitable[Reply | CallResult]: ...


class Job(NamedTuple):
    """One model with one item in one epoch. Jobs do not depend on each other."""

    model: str
    experiment: str
    item: str
    epoch: int


@dataclass(frozen=True)
class Plan:
    """Everything that a run will ask.

    Attributes:
        respondents: The models, and how each is reached.
        item_set: The items that are asked.
        whole_set: The set that they are a cut of.
        epochs: How often everything is asked.
        prompts: The templates and texts to ask with.
        sampling: What the run says that it sends; what a model is sent is the sampling of its respondent.
        out: The folder that replies go to: that of the run, or of its shard.
        conditions: Those that are asked.
        preset: The name of the cut, where it has one.
        preset_order: The order of items that the preset is a prefix of; None for the usual one.
        caps: What the run may take.
        prices: By model.
        command: How the plan was made, as it may be written down.
        study: The study file that it was made from.
        histories: Results that are shown to models, where a condition shows any.
        recorded: The jobs whose outcome a finished log has.
        shard: The part of the run that is asked; all counts and jobs of this plan are those of this part.
        again: Whether sessions that are out in a batch are asked nevertheless.
        accept_ends: Words for unknown ends (those in no table of ours, `runs.ends`) with which replies count, besides
            those that the run accepts already.
        retry_ends: Whether sessions whose reply has another unknown end are asked again.
        lacking: Sentences: what calls need and is not there.
        only: A design; nothing beyond it is asked.
        from_run: Sentences: what the plan has from the run in the folder, though the command does not say it.
        hypotheses: Those that the command names.
        wanted_items: How the command names its items, where it does; those of the plan may stand in for them.
        call_tokens: How many tokens the reply of a session has at most that a model asks for.
        call_connection: How a model is reached for such a session that is none of the respondents.
    """

    respondents: Sequence[Respondent]
    item_set: ItemSet
    whole_set: ItemSet
    epochs: int
    prompts: AllPrompts
    sampling: Sampling
    out: Path
    conditions: Sequence[Condition] = (DEFAULT,)
    preset: str | None = None
    preset_order: str | None = None
    caps: Caps = NO_CAPS
    prices: Mapping[str, Price] = field(default_factory=dict)
    command: str | None = None
    study: StudyFile | None = None
    histories: Histories | None = None
    recorded: frozenset[JobKey] = frozenset()
    shard: Shard | None = None
    again: bool = False
    accept_ends: tuple[str, ...] = ()
    retry_ends: bool = False
    call_tokens: int = CALL_TOKENS
    call_connection: Connection = Connection()
    lacking: Sequence[str] = ()
    only: Design | None = None
    from_run: Sequence[str] = ()
    hypotheses: DeclaredHypotheses | None = None
    wanted_items: str | None = None

    @property
    def run_folder(self) -> Path:
        """The folder of the whole run."""
        return self.out.parent.parent if self.shard else self.out

    @property
    def has_shards(self) -> bool:
        """Whether it is a shard, or the folder of its run is one or holds some."""
        run = self.run_folder
        return self.shard is not None or run.parent.name == SHARDS or (run / SHARDS).is_dir()

    @cached_property
    def models(self) -> list[str]:
        return [one.name for one in self.respondents]

    @property
    def all_simulated(self) -> bool:
        """Whether nothing is sent anywhere."""
        return all(one.simulated for one in self.respondents)

    def engine(self) -> Engine:
        """The engine that asks them. InputError where one of them cannot be asked, NoApiKey without a key."""
        if self.lacking:
            raise NoApiKey(self.lacking[0])
        return engine_of([*self.respondents, *self.stand_ins], self.item_set)

    @cached_property
    def stand_ins(self) -> list[Respondent]:
        """The models, beside those that are asked, that are asked the `execute` prompts which these call for."""
        if not any(self.conditions):
            return []
        dialogues = (dialogue_in(facets, e, kind) for e, kind, facets in self.parts)
        named = dict.fromkeys(model for held in dialogues if held and (model := held[0].stand_in(held[1])))
        return [
            Respondent(model, model, (self.call_connection,), self.sampling)
            for model in named
            if model not in self.models
        ]

    @cached_property
    def _by_name(self) -> Mapping[str, Respondent]:
        return {respondent.name: respondent for respondent in (*self.respondents, *self.stand_ins)}

    def lines(self) -> Sequence[Reply]:
        """All lines of its replies so far, also those that later ones replaced."""
        return jsonl.values(self.out / REPLIES, Reply)

    def jobs(self) -> Iterator[Job]:
        """Everything in the order in which it is asked, epoch by epoch. Experiments and models take turns, so that
        whenever it ends each has been asked its share, to within one item.
        """
        for epoch in range(1, self.epochs + 1):
            yield from filter(self.can_ask, (job._replace(epoch=epoch) for job in self.epoch_jobs))

    def can_ask(self, job: Job) -> bool:
        """Whether anything is to be had by asking: a prediction of what no log has is worth nothing."""
        if self.only is not None and not self.conditions_of(job):
            return False
        return not EXPERIMENTS[job.experiment].recorded or job in self.recorded

    @cached_property
    def epoch_jobs(self) -> Sequence[Job]:
        """One epoch in order: the items of an experiment stand evenly spread over it, and those of a model too."""
        placed = [
            ((n * len(self.models) + m + 0.5) / (len(by_id) * len(self.models)), e, m, id)
            for e, by_id in enumerate(self.item_set.items.values())
            for n, id in enumerate(by_id)
            for m in range(len(self.models))
        ]
        experiments, shard = self.item_set.experiments, self.shard
        jobs = (Job(self.models[m], experiments[e], id, 1) for _, e, m, id in sorted(placed))
        return [job for job in jobs if shard is None or shard.has(*job[:3])]

    def keys(self, job: Job) -> Sequence[Key]:
        """The sessions that a job has at most: one that several conditions share is there once."""
        names = EXPERIMENTS[job.experiment].asked_names(self.item_set[job.experiment][job.item])
        sessions = [Key(*job, name) for name in names]
        asked = self.conditions_of(job)
        if not any(asked):
            return sessions if asked else []
        return list(
            dict.fromkeys(
                in_condition(session_key, condition)
                for condition in asked
                for key in sessions
                for session_key in (
                    key,
                    *(key._replace(session=s) for s in nested_sessions(condition, key.experiment, key.session)),
                )
            )
        )

    def conditions_of(self, job: Job) -> Sequence[Condition]:
        """In which conditions a job is asked: in all, but for those in which results of its item are shown with others,
        and those in which the design that is gone by does not have it.
        """
        model, experiment, item, epoch = job
        asked = list(self.asking[experiment])
        if self.histories:
            asked = self.histories.conditions(asked, experiment, item)
        if self.only is not None:
            asked = [c for c in asked if epoch <= self.only.get((model, experiment, c), {}).get(item, 0)]
        return asked

    def asked(self, job: Job) -> Mapping[Condition, Prompts]:
        """The conditions in which a job is asked, and the templates that it is asked with in each."""
        there = {condition: self.asking[job.experiment][condition] for condition in self.conditions_of(job)}
        if not self.histories:
            return there
        return {c: self.histories.prompts(job.model, job.experiment, c, prompts) for c, prompts in there.items()}

    async def play(self, job: Job, ask: AskSession) -> None:
        """Play a job through in all its conditions: `ask` is asked for the reply of each session that comes up, which
        may be the same one in several conditions.
        """
        experiment = EXPERIMENTS[job.experiment]
        can = self._by_name[job.model].can

        def ask_in(
            condition: Condition,
            session: str,
            prompt: Prompt,
            *,
            parent: str | None = None,
            injection: Injection | None = None,
        ) -> Awaitable[Reply | CallResult]:
            if not condition:
                return ask(Key(*job, session), experiment.messages(prompt), parent, injection)
            messages = messages_of(prompt) if nested(session) else experiment.messages(prompt)
            return ask(in_condition(Key(*job, session), condition), messages, parent, injection)

        item = self.item_set[job.experiment][job.item]
        for condition, prompts in self.asked(job).items():
            ask_of_condition: Ask = AskFunction(partial(ask_in, condition), can)
            if condition:
                ask_of_condition = conversing(condition, job.experiment, ask_of_condition)
            await experiment.sessions(item, ask_of_condition, prompts)

    def call(self, key: Key, messages: tuple[Message, ...], injection: Injection | None = None) -> Call:
        """What a session is asked, with all that is sent with it, of the model that answers it."""
        needs = EXPERIMENTS[key.experiment].needs
        if key.facets and is_call(key.session):
            model = answers_calls(key)
            return Call(key._replace(model=model), messages, self._sent_with_calls(model, key.experiment), needs)
        sampling = self._cached_sampling(key.model, key.experiment, key.session_kind, key.facets)
        return Call(key, messages, sampling, needs | {"turns"} if len(messages) > 1 else needs, injection)

    def _sent_with_calls(self, model: str, experiment: str) -> Mapping[str, Any]:
        """What is sent with a prompt that a model asked for: what is sent where it shows its behaviour, and a limit."""
        sent = self._cached_sampling(model, experiment, behaviour_kind(experiment), DEFAULT)
        field = next((name for name in LIMITS if name in sent), LIMITS[0])
        return {**sent, field: min(self.call_tokens, sent.get(field) or self.call_tokens)}

    @cached_property
    def _cached_sampling(self) -> Callable[..., Mapping[str, Any]]:
        return cache(self.sampling_of)

    @property
    def design(self) -> Design:
        """Who is asked what, in which condition, in how many epochs: by the whole run, whatever its shards."""
        if self.only is not None:
            return {
                (model, e, c): {id: n for id, n in by_id.items() if id in self.item_set.items[e]}
                for (model, e, c), by_id in self.only.items()
                if model in self.models and e in self.item_set.items
            }
        everything = crossed(self.models, self.item_set, self.epochs, self.conditions)
        if self.recorded:
            everything = {
                (model, e, c): {id: n for id in by_id if (n := self._epochs_of(model, e, id))}
                for (model, e, c), by_id in everything.items()
            }
        if not self.histories:
            return everything
        return {
            (model, e, c): {id: n for id, n in by_id.items() if c in self.conditions_of(Job(model, e, id, 1))}
            for (model, e, c), by_id in everything.items()
        }

    def _epochs_of(self, model: str, experiment: str, item: str) -> int:
        """In how many epochs an item is asked, from the first on."""
        return sum(self.can_ask(Job(model, experiment, item, n)) for n in range(1, self.epochs + 1))

    @cached_property
    def asking(self) -> Mapping[str, Mapping[Condition, Prompts]]:
        """By experiment: the conditions of a job, and the templates that are asked with in each."""
        return by_condition(self.prompts, self.item_set.experiments, self.conditions)

    @cached_property
    def sessions(self) -> int:
        """How many sessions the plan has at most."""
        if self.shard and self.only is None:
            return sum(len(self.keys(job)) for job in self.epoch_jobs) * self.epochs
        if self.recorded or self.only is not None:
            return sum(len(self.keys(job)) for job in self.jobs())
        items = self.item_set.items.items()
        once = sum(len(self.keys(Job("", e, id, 1))) for e, by_id in items for id in by_id)
        return once * len(self.models) * self.epochs

    def sampling_of(self, model: str, experiment: str, kind: str, facets: Condition) -> Mapping[str, Any]:
        """What is sent to a model beside the prompt of a session. InputError where its engine cannot do it."""
        respondent = self._by_name[model]
        if not facets and respondent.sampling == Sampling():
            return {}
        level, sent = _sent(respondent, experiment, kind, facets)
        return sent if level is None else merged(sent, _thinking(respondent, level, sent))

    @property
    def parts(self) -> Sequence[tuple[str, str, Condition]]:
        """Experiments, kinds of session in them, and the facets that these have."""
        found = {
            (e, kind, touching(condition, e, kind))
            for e in self.item_set.experiments
            for kind in EXPERIMENTS[e].prompts
            for condition in self.conditions
        }
        return sorted(found)

    @property
    def settings_of_facets(self) -> dict[str, Any]:
        """What facets send, by session and field: 'restriction.predict@haste=quick.temperature'. How a model is told
        to think depends on where it is asked, and stands by model: 'restriction.predict@thinking=off.vllm/mine'; so
        does how hard: 'predict.effort@openai/mine'.
        """
        found: dict[str, Any] = {}
        for e, kind, facets in self.parts if any(self.conditions) else ():
            by_facets, name = settings_in(facets, e, kind), name_in(facets, e, kind)
            level = by_facets.pop(THINKING, None)
            found |= {f"{name}.{field}": value for field, value in by_facets.items()}
            for one in self.respondents if level is not None else ():
                _, sent = _sent(one, e, kind, facets)
                found[f"{name}.{one.name}"] = _thinking(one, level, sent)
            if dialogue_in(facets, e, kind):
                found[f"{name}.{CALL_TOKENS_SETTING}"] = self.call_tokens
        efforts = {place: told for one in self.respondents for place, told in one.efforts.items()}
        return {**found, **efforts, **(self.histories.settings if self.histories else {})}

    @cached_property
    def asked_prompts(self) -> Mapping[str, str]:
        """The templates of the experiments that are asked, by name; those that a condition changes stand apart:
        'restriction.predict@frame=another-model'.
        """
        plain = asked_prompts(self.prompts, self.item_set.experiments, self.conditions)
        one_for_all = {name: text for name, text in plain.items() if HISTORY not in Template(text).get_identifiers()}
        return {**one_for_all, **(self.histories.templates if self.histories else {})}


def _sent(
    respondent: Respondent, experiment: str, kind: str, facets: Condition
) -> tuple[str | None, Mapping[str, Any]]:
    """Whether a model is told to think in a session, and what is sent to it beside that and the prompt."""
    given = {**respondent.sampling.of(experiment, kind), **(settings_in(facets, experiment, kind) if facets else {})}
    level = given.pop(THINKING, None)
    if level == OFF:
        given.pop(EFFORT, None)  # who is told not to think is not told how hard
    return level, sent_to(respondent.asked, respondent.connections[0], given)


def _thinking(respondent: Respondent, level: str, sent: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is sent to a model so that it thinks as a level says: the same wherever it runs."""
    return thinking_in(respondent.asked, respondent.connections[0], level, sent)
