"""What the rest of a run will take, before it is paid for: tokens, time and money.

How long prompts are is known. How many tokens they and the replies have is taken from the run's own replies, where a
model has enough of a kind, else from the ten models recorded for arXiv 2508.12277. A model whose other kinds are
known to take more than those ten took, as it does where it thinks, is expected to take as much more in each kind.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from selfexec.engines import CallResult, Price, Respondent, given_fields, run_coroutine
from selfexec.engines.settings import EFFORT
from selfexec.experiments import EXPERIMENTS, Facets, Injection, Key, Message, Prompts
from selfexec.facets import answers_calls, behaviour_kind, in_condition, is_call, nested, nested_sessions
from selfexec.runs.asking.plan import Job, Plan
from selfexec.runs.asking.progress import CALLS_ENOUGH, CHARACTERS
from selfexec.runs.asking.remaining import NOT_ASKED, Remaining, remaining_of
from selfexec.runs.asking.shared_memory import refuse_memory
from selfexec.runs.ends import stored_replies
from selfexec.runs.folder import MANIFEST, load_manifest
from selfexec.runs.invocations import Invocation
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

Kind = tuple[str, str]  # experiment and kind of session
# settings by which providers have a model think
THINKING_SETTINGS = (
    *(EFFORT, "reasoning_effort", "reasoning", "thinking", "think", "enable_thinking", "thinking_budget"),
    *("thinkingConfig", "output_config"),
)
# a word of a name that says so, or a series of models that think
THINKING_NAMES = regex(
    r"(?<![a-z0-9])(reason(er|ing)?|think(er|ing)?|qwq|magistral|o[1-9](?!\d)|gpt-(5|oss)|(deepseek-)?r1|"
    r"gemini-(2\.5|[3-9])|grok-[4-9])(?![a-z])"
)
ENOUGH = 8  # replies of a kind, to go by what tokens they have
UNSURE = math.sqrt(2)  # a factor each way, by which estimates from other models or kinds may be off
THINKS = 1000  # tokens of thoughts in a reply of a model that is known to think, before it has replied
THINKS_UNSURE = 3.0  # the factor then: models think for 300 tokens or for 3,000


@dataclass(frozen=True)
class RemainingPart:
    """The sessions of one kind that a model has still to answer: the tokens that they will take, in and out. `own`:
    from how many of the run's own replies of this kind these are estimated; `others`: from how many of the model's
    replies of other kinds. `errors` are then the standard errors of both. `factor`: where `own` is 0, by how much the
    tokens may be off each way.
    """

    model: str
    sessions: int
    tokens: tuple[float, float]
    errors: tuple[float, float] = (0.0, 0.0)
    own: int = 0
    others: int = 0
    factor: float = UNSURE


@dataclass(frozen=True)
class RunEstimate:
    """What the rest takes, part by part, and seconds where the run so far tells its pace."""

    parts: Sequence[RemainingPart]
    seconds: float | None

    @property
    def input_tokens(self) -> float:
        return sum(part.tokens[0] for part in self.parts)

    @property
    def output_tokens(self) -> float:
        return sum(part.tokens[1] for part in self.parts)

    @property
    def own(self) -> float:
        """The share of the sessions whose output tokens are estimated from the run's own replies."""
        return sum(part.sessions for part in self.parts if part.own) / max(1, sum(part.sessions for part in self.parts))

    def cost(self, prices: Mapping[str, Price]) -> tuple[float, float]:
        """In dollars, from and to, for the models whose price is known.

        What is estimated from the run's own replies has a 95% interval, by Student's t with the degrees of freedom of
        Welch and Satterthwaite; of the rest nobody knows how far it is off, and it is given from 1/sqrt(2) to sqrt(2)
        of what is expected, and from a third to three times that for a model that is known to think and has not
        replied.
        """
        from scipy.special import stdtrit

        known = apart = low = high = 0.0
        variances, freedoms = [0.0], [1.0]
        for part in self.parts:
            if price := prices.get(part.model):
                dollars = price.of(*part.tokens)
                known += dollars if part.own else 0
                low += 0 if part.own else dollars / part.factor
                high += 0 if part.own else dollars * part.factor
                variances.append(price.of(part.errors[0], 0) ** 2 + price.of(0, part.errors[1]) ** 2)
                freedoms.append(max(1, part.own - 1, part.others - 1))
        if total := sum(variances):
            freedom = total**2 / sum(v**2 / f for v, f in zip(variances, freedoms, strict=True))
            apart = float(stdtrit(freedom, 0.975)) * math.sqrt(total)
        return max(0.0, known - apart) + low, known + apart + high


def foreseen(plan: Plan) -> tuple[Remaining[Plan], RunEstimate]:
    """How a plan stands, and what the rest of it will take. Asks and writes nothing, and refuses what a run would."""
    refuse_memory(plan.respondents)
    begun = (plan.out / MANIFEST).exists()
    remaining = run_coroutine(remaining_of(plan, stored_replies(plan.out, plan.accept_ends) if begun else {}))
    return remaining, run_coroutine(estimate(remaining, load_manifest(plan.out).invocations if begun else []))


async def estimate(remaining: Remaining[Plan], invocations: Sequence[Invocation]) -> RunEstimate:
    """What the sessions that remain will take, at most."""
    plan, own = remaining.plan, _own_tokens(remaining.stored)
    lengths = await _prompt_lengths(plan)
    everybody = [*plan.respondents, *plan.stand_ins]
    systems = {one.name: len(one.sampling.system or "") for one in everybody}
    sessions = Counter[tuple[str, Kind]]()
    characters = Counter[tuple[str, Kind]]()

    def count(keys: Iterable[Key], times: int) -> None:
        for key in keys:
            model, kind = _answered_as(key)
            sessions[model, kind] += times
            length = systems[model] + lengths[key.experiment, key.item][key.session, key.facets]
            characters[model, kind] += times * length

    if plan.only is None:
        for job in plan.epoch_jobs:
            count(plan.keys(job), plan.epochs)
    else:
        for job in plan.jobs():
            count(plan.keys(job), 1)
    for job in remaining.whole | remaining.waiting:
        count(plan.keys(job), -1)
    for here in remaining.begun.values():
        count(here, -1)
    replies = _by_kind(remaining.stored)
    beyond = {one.name: _beyond_usual(replies.get(one.name, {}), one) for one in everybody}
    unseen = Counter[str]()
    for (model, kind), n in sessions.items():
        unseen[model] += 0 if own.get((model, kind), (None, None))[1] else n
    parts = []
    for (model, kind), n in sessions.items():
        seen = own.get((model, kind), (None, None))
        part = part_of(model, n, seen, characters[model, kind], n * _usual(*kind))
        parts.append(part if part.own else beyond[model].added_to(part, n * _usual(*kind), unseen[model]))
    pace = calls_a_second(invocations, remaining.stored)
    return RunEstimate(parts, remaining.sessions_left / pace if pace else None)


def _answered_as(key: Key) -> tuple[str, Kind]:
    """Who answers a session, and as what kind: what a model has executed is answered as behaviour is."""
    if is_call(key.session):
        return answers_calls(key), (key.experiment, behaviour_kind(key.experiment))
    return key.model, (key.experiment, key.session_kind)


def calls_a_second(invocations: Sequence[Invocation], known: Mapping[Key, Reply]) -> float | None:
    """The pace of the last command that asked enough to tell; None where there is none."""
    times = sorted(reply.time for reply in known.values() if reply.time and not reply.batch)
    begins = [invocation.begin for invocation in invocations]
    for invocation, following in zip(reversed(invocations), [None, *reversed(begins)], strict=False):
        # times of one form and zone sort as text; a killed command has no end, and asked nothing once another began
        within = [time for time in times if invocation.begin <= time <= (invocation.end or following or time)]
        if len(within) < CALLS_ENOUGH:
            continue
        end = invocation.end or within[-1]
        seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(invocation.begin)).total_seconds()
        if seconds > 1:  # times are whole seconds
            return (invocation.calls or len(within)) / seconds
    return None


@dataclass(frozen=True)
class Seen:
    """Tokens of a number of replies: their mean, and their variance from one to the next."""

    number: int
    mean: float
    variance: float

    def error_of_sum(self, further: int) -> float:
        """The standard error of what so many further replies take: they vary, and the mean is not known for sure."""
        return math.sqrt(self.variance * (further + further**2 / self.number)) if further > 0 else 0.0


@dataclass(frozen=True)
class Beyond:
    """How many tokens `more` than usual a model takes in each reply, from all `replies` that it has made, and the
    standard error of that. A model that takes fewer is expected to take what is usual in kinds that it was not seen in.
    """

    more: float = 0.0
    error: float = 0.0
    replies: int = 0
    factor: float = UNSURE

    def added_to(self, part: RemainingPart, usual: float, unseen: int) -> RemainingPart:
        """A part that is estimated from no replies of its own, one of several that have so many sessions together. Its
        error goes together with theirs: the errors' squares add up to that of the sum.
        """
        tokens_out = usual + part.sessions * self.more
        error = self.error * math.sqrt(max(0, part.sessions) * max(0, unseen))
        return replace(
            part,
            tokens=(part.tokens[0], tokens_out),
            errors=(part.errors[0], error),
            others=self.replies,
            factor=self.factor,
        )


def _by_kind(known: Mapping[Key, Reply]) -> Mapping[str, Mapping[Kind, Sequence[int]]]:
    """The output tokens of each model's replies, by kind, where they were counted."""
    found: dict[str, dict[Kind, list[int]]] = defaultdict(lambda: defaultdict(list))
    for key, reply in known.items():
        if not reply.failed and reply.output_tokens is not None:
            found[key.model][key.experiment, key.session_kind].append(reply.output_tokens)
    return found


def _beyond_usual(replies: Mapping[Kind, Sequence[int]], respondent: Respondent) -> Beyond:
    """By the model's replies of all kinds where there are enough, else by whether it is known to think."""
    apart = [count - _usual(*kind) for kind, counts in replies.items() for count in counts]
    if len(apart) < ENOUGH:
        return Beyond(more=THINKS, factor=THINKS_UNSURE) if known_to_think(respondent) else Beyond()
    more, variance = _mean_and_variance(apart)
    if more < 0:
        return Beyond()
    return Beyond(more=more, error=math.sqrt(variance / len(apart)), replies=len(apart))


def known_to_think(respondent: Respondent) -> bool:
    """Whether its settings have it think, or its name is one of models that do unless they are told not to."""
    sampling = respondent.sampling
    given = [*sampling.settings.items(), *sampling.extra_body.items()]
    given += [(each.body_field, value) for each, value in given_fields(sampling)]
    levels = [value for name, value in given if name.rpartition(".")[2] in THINKING_SETTINGS]
    if levels:
        return not all(_is_off(level) for level in levels)
    return THINKING_NAMES.search(respondent.asked.casefold()) is not None


def _is_off(level: Any) -> bool:
    """Whether a setting of thinking says that there is none."""
    if isinstance(level, Mapping):
        return all(_is_off(value) for value in level.values())
    return level in (None, False, 0) or str(level).casefold() in ("none", "off", "minimal", "disabled", "false", "0")


def _own_tokens(known: Mapping[Key, Reply]) -> Mapping[tuple[str, Kind], tuple[Seen | None, Seen | None]]:
    """The tokens in and out of each model's replies of a kind, where there are enough."""
    replies: dict[tuple[str, Kind], list[Reply]] = defaultdict(list)
    for key, reply in known.items():
        replies[key.model, (key.experiment, key.session_kind)].append(reply)
    return {place: seen_tokens(found) for place, found in replies.items()}


def part_of(
    model: str, n: int, seen: tuple[Seen | None, Seen | None], characters: float, usual: float
) -> RemainingPart:
    """What n sessions of a model take: as its replies so far did, else by the characters that are sent, and the tokens
    out that are usual for all of them.
    """
    own_in, own_out = seen
    tokens_in = n * own_in.mean if own_in else characters / CHARACTERS
    tokens_out = n * own_out.mean if own_out else usual
    errors = (own_in.error_of_sum(n) if own_in else 0.0, own_out.error_of_sum(n) if own_out else 0.0)
    return RemainingPart(model, n, (tokens_in, tokens_out), errors, own_out.number if own_out else 0)


def seen_tokens(replies: Iterable[Reply]) -> tuple[Seen | None, Seen | None]:
    """The tokens in and out of some replies, where enough of them were counted."""
    came = [reply for reply in replies if not reply.failed]
    ins = [reply.input_tokens for reply in came if reply.input_tokens is not None]
    outs = [reply.output_tokens for reply in came if reply.output_tokens is not None]
    return _seen(ins), _seen(outs)


def _seen(counts: Sequence[int]) -> Seen | None:
    return Seen(len(counts), *_mean_and_variance(counts)) if len(counts) >= ENOUGH else None


def _mean_and_variance(counts: Sequence[float]) -> tuple[float, float]:
    from statistics import fmean, variance  # nearly 1 MB, which a run that begins does not need

    return fmean(counts), variance(counts)


async def _prompt_lengths(plan: Plan) -> dict[tuple[str, str], dict[tuple[str, Facets], int]]:
    """Characters of each session's prompt, by experiment and item, and by session and facets.
    A prompt that holds a reply is as long as it is with a reply of the length that is usual. A session that is opened
    only after replies of another form than the stand-in's is taken to be as long as its template and what that shows.
    """
    found: dict[tuple[str, str], dict[tuple[str, Facets], int]] = defaultdict(dict)

    async def ask(
        key: Key, messages: tuple[Message, ...], parent: str | None, injection: Injection | None = None
    ) -> CallResult:
        length = sum(len(message.content) for message in messages)
        found[key.experiment, key.item][key.session, key.facets] = length
        experiment, item = EXPERIMENTS[key.experiment], plan.item_set[key.experiment][key.item]
        if key.session not in experiment.session_names(item):
            return NOT_ASKED  # a conversation may go on for ever
        text = experiment.stand_in(item, key.session)
        return CallResult("x" * CHARACTERS * _usual(key.experiment, key.session_kind) if text is None else text)

    everything = replace(plan, only=None)
    for experiment, by_id in plan.item_set.items.items():
        for id, item in by_id.items():
            job = Job(plan.models[0], experiment, id, 1)
            await everything.play(job, ask)
            for condition, prompts in everything.asked(job).items():
                for session in EXPERIMENTS[experiment].asked_names(item):
                    key = in_condition(Key(*job, session), condition)
                    length = found[experiment, id].setdefault((session, key.facets), _template_length(key, prompts))
                    for name in nested_sessions(condition, experiment, session):
                        found[experiment, id].setdefault((name, key.facets), _nested_length(name, experiment, length))
    return found


def _nested_length(session: str, experiment: str, first: int) -> int:
    """Characters of what is sent within a session whose own prompt has so many: with a call a prompt that is half as
    long, with a turn all that was said before.
    """
    within = nested(session)
    if within is None or within.role == "call":
        return first // 2
    kinds = (EXPERIMENTS[experiment].predictions[0], behaviour_kind(experiment))
    return first + (within.number - 1) * CHARACTERS * sum(_usual(experiment, kind) for kind in kinds)


def _template_length(key: Key, prompts: Prompts) -> int:
    """Characters of a prompt that nothing is known of but its template, and which replies it shows."""
    shown = EXPERIMENTS[key.experiment].shows.get(key.session_kind, ())
    return len(prompts.get(key.session_kind, "")) + sum(CHARACTERS * _usual(key.experiment, kind) for kind in shown)


def _usual(experiment: str, kind: str) -> int:
    """Output tokens of a reply, as models have been seen to take."""
    return EXPERIMENTS[experiment].tokens[kind]
