"""What a run will ask, settled before anything is asked."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from string import Template
from typing import Any, NamedTuple, Protocol

from selfexec.engines import (
    EFFORT,
    Call,
    Connection,
    Engine,
    Outcome,
    Price,
    Respondent,
    Sampling,
    check_settings,
    default_models,
    engine_of,
    list_price,
    merged,
    prices_of,
    refuse_unable,
    refuse_unable_in,
    refuse_unsendable,
    refuse_unsent,
    sent_to,
    thinking_in,
)
from selfexec.errors import InputError, NoApiKey
from selfexec.experiments import EXPERIMENTS, AskBy, Injection, JobKey, Key, Message, Prompt, Prompts, messages_of
from selfexec.facets import (
    DEFAULT,
    HISTORY,
    OFF,
    THINKING,
    Condition,
    answers_calls,
    behaviour_kind,
    conversing,
    crossed_levels,
    dialogue_in,
    facet,
    in_condition,
    is_call,
    nested,
    nested_sessions,
    settings_in,
    touching,
)
from selfexec.files import jsonl
from selfexec.items import STRATIFIED, ItemSet, newest_order
from selfexec.items import load as load_items
from selfexec.options import declared, names, part_of
from selfexec.prompts import AllPrompts, all_prompts, asked_prompts, by_condition, name_in, read_prompts
from selfexec.run_options import STARTER, ItemFields, RunOptions
from selfexec.runs.asking.caps import NO_CAPS, Caps, refuse_unpriced
from selfexec.runs.asking.histories import Histories, histories_of
from selfexec.runs.asking.paper_items import PAPER, at_hand
from selfexec.runs.design import Design, crossed, recorded
from selfexec.runs.ends import stored_replies
from selfexec.runs.folder import ITEMS, MANIFEST, REPLIES, load_manifest, of_logs, refuse_harmful_names
from selfexec.runs.hypotheses import DeclaredHypotheses
from selfexec.runs.invocations import StudyFile
from selfexec.runs.records import Reply
from selfexec.runs.sampling import protocol_origins, sampling_of, sampling_settings
from selfexec.runs.share import Shard, shard_folders
from selfexec.text.matching import apart, meant
from selfexec.text.numbers import number_of

CALL_TOKENS = 1000  # of a reply that a model asks for, where nothing else is said
CALL_TOKENS_SETTING = "call_tokens"
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")  # as bodies name it


class AskSession(Protocol):
    """Gives the reply of a session, for its key, its messages, the session within which it comes up, and what is
    forced into its reply.
    """

    def __call__(
        self, key: Key, messages: tuple[Message, ...], parent: str | None, injection: Injection | None = None
    ) -> Awaitable[Reply | Outcome]: ...


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
        sampling: What is sent to all respondents that have no sampling of their own.
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
        accept_ends: Words for unknown ends with which replies count, besides those that the run accepts already.
        retry_ends: Whether sessions whose reply has another unknown end are asked again.
        lacking: Sentences: what calls need and is not there.
        only: A design; nothing beyond it is asked.
        from_run: Sentences: what the plan has from the run in the folder, though the command does not say it.
        hypotheses: Those that the command names.
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

    @property
    def run_folder(self) -> Path:
        """The folder of the whole run."""
        return self.out.parent.parent if self.shard else self.out

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
        """The models, beside those that are asked, that answer calls for them."""
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
        ) -> Awaitable[Reply | Outcome]:
            messages = messages_of(prompt) if nested(session) else experiment.messages(prompt)
            return ask(in_condition(Key(*job, session), condition), messages, parent, injection)

        item = self.item_set[job.experiment][job.item]
        for condition, prompts in self.asked(job).items():
            opened = conversing(condition, job.experiment, AskBy(partial(ask_in, condition), can))
            await experiment.sessions(item, opened, prompts)

    def call(self, key: Key, messages: tuple[Message, ...], injection: Injection | None = None) -> Call:
        """What a session is asked, with all that is sent with it, of the model that answers it."""
        needs = EXPERIMENTS[key.experiment].needs
        if is_call(key.session):
            model = answers_calls(key)
            return Call(key._replace(model=model), messages, self._sent_with_calls(model, key.experiment), needs)
        sampling = self._cached_sampling(key.model, key.experiment, key.kind, key.facets)
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
        for e, kind, facets in self.parts:
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
    given = {**respondent.sampling.of(experiment, kind), **settings_in(facets, experiment, kind)}
    level = given.pop(THINKING, None)
    if level == OFF:
        given.pop(EFFORT, None)  # who is told not to think is not told how hard
    return level, sent_to(respondent.asked, respondent.connections[0], given)


def _thinking(respondent: Respondent, level: str, sent: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is sent to a model so that it thinks as a level says: the same wherever it runs."""
    return thinking_in(respondent.asked, respondent.connections[0], level, sent)


def planned(choices: RunOptions, respondents: Sequence[Respondent] | None = None) -> Plan:
    """What would be asked of `respondents`, or of models that are all asked alike: of the simulated panel, where none
    are named.
    """
    models = None if choices.models is None else names(choices.models)
    if models is not None and not models:
        raise InputError("which model? None is named in the list.")
    epochs, caps = choices.repetitions, Caps(choices.max_calls, choices.max_total_tokens, choices.max_cost)
    asked = _items_asked(choices, models)
    on_command = respondents is None  # and not by what a run or a study says
    experiments = asked.item_set.experiments
    respondents = [
        replace(one, sampling=_for_these(one.sampling, choices, experiments))
        for one in (_all_alike(choices, models) if respondents is None else respondents)
    ]
    by_name = {one.name: one for one in respondents}
    standing_in = {m for m in _standing_in(choices.facets) if m not in by_name}
    given = [price for price in names(choices.price or ()) if price.rpartition("=")[0] not in standing_in]
    prices = prices_of(list(by_name), given, partial(_list_price, by_name))
    refuse_unpriced(by_name, prices, caps)
    _refuse_unaskable(respondents, asked.item_set, choices)
    found = Plan(
        respondents=respondents,
        item_set=asked.item_set,
        whole_set=asked.whole_set,
        epochs=epochs,
        conditions=[DEFAULT] if choices.facets == {} else crossed_levels(_levels(choices.facets)),
        prompts=all_prompts(_changed(choices.prompts)),
        sampling=_for_these(sampling_of(choices), choices, experiments),
        out=asked.out,
        preset=choices.preset,
        preset_order=None if asked.order == STRATIFIED else asked.order,
        caps=caps,
        prices=prices,
        shard=asked.shard,
        recorded=_recorded(asked.out, asked.item_set, list(by_name)),
        accept_ends=tuple(choices.accept_ends or ()),
        retry_ends=choices.retry_ends,
        call_tokens=CALL_TOKENS if choices.tool_tokens is None else choices.tool_tokens,
        call_connection=_one_way(respondents) or part_of(choices, Connection),
    )
    found = replace(found, histories=_histories(found, asked.run))
    for model, part in product(found.models, found.parts):
        found.sampling_of(model, *part)  # refuses what its engine cannot do
    if asked.of_logs and on_command:
        refuse_epochs_without_log(found, choices.epochs)
    return with_calls(found, choices)


class _ItemsAsked(NamedTuple):
    """Which items are asked, and where the replies go: `run` is the folder of the run, `out` that of the shard, where
    there is one. `order` is that of the preset, and `of_logs` tells whether the run was made of finished logs.
    """

    item_set: ItemSet
    whole_set: ItemSet
    order: str | None
    run: Path
    out: Path
    shard: Shard | None
    of_logs: bool


def _items_asked(choices: RunOptions, models: Sequence[str] | None) -> _ItemsAsked:
    parts = None if choices.experiments is None else names(choices.experiments)
    if unknown := [name for name in parts or [] if name not in EXPERIMENTS]:
        raise InputError(f"unknown experiment {unknown[0]!r}. {meant(unknown[0], EXPERIMENTS)}")
    if choices.out == "":
        raise InputError("--out: the name is empty. Is a variable not set?")
    given = Path(choices.out) if choices.out else None
    is_of_logs = given is not None and of_logs(given) is not None
    items = at_hand(choices.items, given) if str(choices.items) == PAPER else choices.items
    # nobody has to say which items these are: they came with the logs
    whole_set = load_items(items or (Path(choices.out or "") / ITEMS if is_of_logs else STARTER))
    run = Path("runs") / _folder_name(models, whole_set.name) if given is None else given
    shard = None if choices.shard is None else Shard.parse(choices.shard)
    if shard and is_of_logs:
        raise InputError(
            f"--shard {choices.shard}: {run} is made of logs, which are asked about as a whole. Leave it out."
        )
    order = (_order_there(run) or newest_order(whole_set.hashes)) if choices.preset else None
    item_set = whole_set.cut(
        parts or whole_set.usual, limit=choices.limit, fraction=choices.fraction, preset=choices.preset, order=order
    )
    item_set, whole_set = (_with_fields(some, choices) for some in (item_set, whole_set))
    return _ItemsAsked(item_set, whole_set, order, run, shard.folder(run) if shard else run, shard, is_of_logs)


def _with_fields(item_set: ItemSet, choices: RunOptions) -> ItemSet:
    """The items with the fields that the run sets for all of them: lists of numbers, each once."""
    for each in declared(ItemFields):
        given = getattr(choices, each.name)
        if given is None:
            continue
        values = [
            int(word) if word.isascii() and word.isdecimal() else word for word in ",".join(names(given)).split(",")
        ]
        if twice := [value for value in values if values.count(value) > 1]:
            raise InputError(f"{each.flag} {','.join(map(str, values))}: {twice[0]} occurs twice.")
        item_set = item_set.with_field(each.name, values)
    return item_set


def _all_alike(choices: RunOptions, models: Sequence[str] | None) -> list[Respondent]:
    """These models, or the simulated panel, each reached and asked as the options say."""
    reached, sampling = (part_of(choices, Connection),), sampling_of(choices)
    return [Respondent(model, model, reached, sampling) for model in dict.fromkeys(models or default_models())]


def _refuse_unaskable(respondents: Sequence[Respondent], item_set: ItemSet, choices: RunOptions) -> None:
    """Raise InputError for a model that cannot be asked about these items, or not with what is to be sent to it."""
    for one in respondents:
        refuse_unsendable("--model", one.asked)
        refuse_harmful_names([one.name, one.asked], "--model ")
        if one.sampling != Sampling():
            check_settings(one.sampling, item_set.experiments, protocol_origins(choices))
        for connection in one.connections:
            refuse_unable([one.asked], item_set.experiments, connection)
            if one.sampling != Sampling():
                refuse_unsent(one.asked, connection, one.sampling)
    if simulated := [one for one in respondents if one.simulated]:
        engine_of(simulated, item_set)  # refuses models that nobody simulates; real ones want a key, later


def _histories(plan: Plan, run: Path) -> Histories | None:
    """What is shown to each model of earlier behaviour. InputError: an engine cannot ask in one of the conditions."""
    for one in plan.respondents:
        for condition, connection in product(plan.conditions, one.connections):
            refuse_unable_in(one.asked, condition, connection)
    if plan.conditions == [DEFAULT]:
        return None
    return histories_of(run, plan.models, plan.item_set, plan.prompts, plan.asking)


def with_calls(plan: Plan, choices: RunOptions, *, asks: bool = True) -> Plan:
    """The plan, where models may have prompts executed in it: with what the models cost that stand in for others.

    Args:
        plan: What is to be asked.
        choices: What the command says.
        asks: Whether it is this command that asks, and not somebody to whom prompts are handed out.

    Raises:
        InputError: The command does not allow it, or a model that stands in for another cannot be asked.
    """
    opening = [(n, level) for c in plan.conditions for n, level in c if facet(n).dialogue]
    if not opening:
        return plan
    asked = "--{} {}".format(*opening[0])
    if not asks or not isinstance(choices, RunOptions):
        raise InputError(f"{asked}: what is asked there follows from replies at once, so only `selfexec run` asks it.")
    if not choices.allow_self_execution:
        raise InputError(
            f"{asked}: models are then given a tool by which they have prompts executed. Somebody has to allow that, "
            "in each command: --allow-self-execution"
        )
    for stand_in in plan.stand_ins:
        if stand_in.simulated != plan.all_simulated:
            raise InputError(f"{asked}: a simulated model and one that is not cannot stand in for each other.")
        refuse_unsendable(asked, stand_in.asked)
        refuse_harmful_names([stand_in.asked], f"{asked}: ")
    engine_of([stand_in for stand_in in plan.stand_ins if stand_in.simulated], plan.item_set)
    by_name = {stand_in.name: stand_in for stand_in in plan.stand_ins}
    given = [p for p in names(choices.price or ()) if p.partition("=")[0] in by_name or "=" not in p]
    prices = prices_of(list(by_name), given, partial(_list_price, by_name)) if by_name else {}
    refuse_unpriced(by_name, prices, plan.caps)
    return replace(plan, prices={**plan.prices, **prices})


def refuse_epochs_without_log(plan: Plan, epochs: int | None) -> None:
    """Raise InputError where epochs are named in which no log has any of the samples: nothing would be asked there."""
    most = max((n for by_id in plan.design.values() for n in by_id.values()), default=0)
    if epochs and plan.recorded and 0 < most < epochs:
        raise InputError(
            f"--epochs {epochs}: of no sample here do the logs in {plan.run_folder} hold more than "
            f"{number_of(most, 'attempt')}, and each prediction is about an attempt. Import another log of the model, "
            f"or give --epochs {most}."
        )


def _for_these(sampling: Sampling, choices: RunOptions, experiments: Collection[str]) -> Sampling:
    """What is sent, without what the protocol sends in other experiments than those that are asked."""
    others = sampling_settings(choices.protocol, EXPERIMENTS.keys() - set(experiments)).items() - {
        (name, value) for name, value in choices.settings.items() if isinstance(value, int | float)
    }
    kept = {name: value for name, value in sampling.settings.items() if name not in dict(others)}
    return replace(sampling, settings=kept)


def _list_price(respondents: Mapping[str, Respondent], name: str) -> Price | None:
    """What a model costs wherever it runs, if that is known."""
    one = respondents[name]
    found = [list_price(one.asked, connection) for connection in one.connections]
    return found[0] if len(set(found)) == 1 else None


def _recorded(out: Path, item_set: ItemSet, models: Sequence[str]) -> frozenset[JobKey]:
    """What logs have of these items; InputError where they have nothing of an experiment, or of a model."""
    wanted = [name for name in item_set.experiments if EXPERIMENTS[name].recorded]
    if not wanted:
        return frozenset()
    found = recorded(item_set, stored_replies(out) if (out / MANIFEST).is_file() else ())
    for name in wanted:
        told = dict.fromkeys(job[0] for job in sorted(found) if job[1] == name)
        if not told:
            raise InputError(
                f"{name}: what models did comes from a finished log, and {out} has none of these items. First: "
                f"selfexec import --from TOOL LOG --as {name} --out {out}"
            )
        if strange := [model for model in models if model not in told]:
            raise InputError(
                f"--model {strange[0]}: {out} has no log of it in {name}, only of {apart(told)}. Import one, with "
                f"--model {strange[0]} if it goes by another name there."
            )
    return found


def _order_there(out: Path) -> str | None:
    """The order that presets have in the run that is to grow, or in any shard of it; None where there is no run, or it
    never had a preset.
    """
    there = next((folder for folder in (out, *shard_folders(out)) if (folder / MANIFEST).is_file()), None)
    if there is None:
        return None
    manifest = load_manifest(there)
    return manifest.preset_order or (STRATIFIED if manifest.preset else None)


def _levels(facets: Any) -> dict[str, list[str]]:
    """Facet -> the levels that are given."""
    given = facets.items() if isinstance(facets, Mapping) else [(facets, None)]
    for name, levels in given:
        if not isinstance(name, str) or not levels or not all(isinstance(level, str) for level in levels):
            raise InputError(f'facets {facets!r}: write {{"facet": "level"}}, or {{"facet": ["a", "b"]}} for several.')
    return {name: names(levels or ()) for name, levels in given}


def _one_way(respondents: Sequence[Respondent]) -> Connection | None:
    """How all of these are reached; None where they are not all reached in one way."""
    first, *others = (connection for one in respondents for connection in one.connections)
    return first if all(other == first for other in others) else None


def _standing_in(facets: Any) -> set[str]:
    """The models that are named to answer calls for others."""
    if not facets:
        return set()
    given = ((facet(name), level) for name, levels in _levels(facets).items() for level in levels)
    dialogues = (
        (named.dialogue, level)
        for named, level in given
        if named.dialogue and level != named.default and named.has(level)
    )
    return {model for dialogue, level in dialogues if (model := dialogue.stand_in(level))}


def _changed(prompts: Mapping[str, str] | str | Path | None) -> Mapping[str, str]:
    """The prompts that are not asked as shipped, from their file if it is one."""
    return read_prompts(prompts) if isinstance(prompts, str | Path) else prompts or {}


def _folder_name(models: Sequence[str] | None, item_name: str) -> str:
    who = "-".join(model.replace("/", "-") for model in models) if models else "simulated-panel"
    return f"{who[:80]}-{Path(item_name).name}"
