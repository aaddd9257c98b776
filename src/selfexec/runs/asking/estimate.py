"""What the rest of a run will take, before it is paid for: tokens, time and money.

How long prompts are is known. How many tokens they and the replies have is taken from the run's own replies, where a
model has enough of a kind, else from the ten models recorded for arXiv 2508.12277.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from selfexec.engines import Outcome
from selfexec.experiments import EXPERIMENTS, Facets, Key, Prompt, messages_of
from selfexec.facets import Condition, in_condition
from selfexec.runs.asking.plan import Plan, Visit
from selfexec.runs.asking.remaining import NOT_ASKED, Standing
from selfexec.runs.records import Reply
from selfexec.runs.sittings import Sitting

Kind = tuple[str, str]  # experiment and kind of session
CHARACTERS = 4  # of a token, as in most English text
ENOUGH = 20  # replies of a kind, to go by them


@dataclass(frozen=True)
class Estimate:
    """Tokens, and seconds where the run so far tells its pace. `own` is the share of the sessions whose output tokens
    are estimated from the run's own replies.
    """

    input_tokens: float
    output_tokens: float
    own: float
    seconds: float | None

    def cost(self, price_in: float, price_out: float) -> float:
        """In dollars, at prices for a million tokens."""
        return (self.input_tokens * price_in + self.output_tokens * price_out) / 1e6


async def estimate(standing: Standing, sittings: Sequence[Sitting]) -> Estimate:
    """What the sessions that remain will take, at most."""
    plan, own = standing.plan, _own_tokens(standing.known)
    lengths = await _prompt_lengths(plan)
    sessions = Counter[tuple[str, Kind]]()
    characters = Counter[tuple[str, Kind]]()

    def count(keys: Iterable[Key], times: int) -> None:
        for key in keys:
            kind = (key.experiment, key.kind)
            sessions[key.model, kind] += times
            characters[key.model, kind] += times * lengths[key.experiment, key.item][key.session, key.facets]

    for visit in plan.turns:
        count(plan.keys(visit), plan.epochs)
    for visit in standing.whole:
        count(plan.keys(visit), -1)
    for here in standing.begun.values():
        count(here, -1)
    tokens_in = tokens_out = known = 0.0
    for (model, kind), n in sessions.items():
        mean_in, mean_out = own.get((model, kind), (None, None))
        tokens_in += characters[model, kind] / CHARACTERS if mean_in is None else n * mean_in
        tokens_out += n * (_usual(*kind) if mean_out is None else mean_out)
        known += n * (mean_out is not None)
    pace = calls_a_second(sittings, standing.known)
    seconds = standing.remaining / pace if pace else None
    return Estimate(tokens_in, tokens_out, known / max(1, sessions.total()), seconds)


def calls_a_second(sittings: Sequence[Sitting], known: Mapping[Key, Reply]) -> float | None:
    """The pace of the last command that asked enough to tell; None where there is none."""
    times = sorted(reply.time for reply in known.values() if reply.time)
    begins = [sitting.begin for sitting in sittings]
    for sitting, following in zip(reversed(sittings), [None, *reversed(begins)], strict=False):
        # times of one form and zone sort as text; a killed command has no end, and asked nothing once another began
        within = [time for time in times if sitting.begin <= time <= (sitting.end or following or time)]
        if len(within) < ENOUGH:
            continue
        end = sitting.end or within[-1]
        seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(sitting.begin)).total_seconds()
        if seconds > 1:  # times are whole seconds
            return (sitting.calls or len(within)) / seconds
    return None


def _own_tokens(known: Mapping[Key, Reply]) -> Mapping[tuple[str, Kind], tuple[float | None, float | None]]:
    """The mean number of tokens in and out of each model's replies of a kind, where there are enough."""
    counts: dict[tuple[str, Kind], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for key, reply in known.items():
        ins, outs = counts[key.model, (key.experiment, key.kind)]
        ins += [] if reply.failed or reply.input_tokens is None else [reply.input_tokens]
        outs += [] if reply.failed or reply.output_tokens is None else [reply.output_tokens]
    return {place: (_mean(ins), _mean(outs)) for place, (ins, outs) in counts.items()}


def _mean(counts: Sequence[int]) -> float | None:
    return sum(counts) / len(counts) if len(counts) >= ENOUGH else None


async def _prompt_lengths(plan: Plan) -> dict[tuple[str, str], dict[tuple[str, Facets], int]]:
    """Characters of each session's prompt, with the system prompt, by experiment and item, and by session and facets.
    A prompt that holds a reply is as long as it is with a reply of the length that is usual.
    """
    found: dict[tuple[str, str], dict[tuple[str, Facets], int]] = defaultdict(dict)
    system = len(plan.sampling.system or "")

    async def ask(
        visit: Visit, condition: Condition, session: str, prompt: Prompt, *, parent: str | None = None
    ) -> Outcome:
        key = in_condition(Key(*visit, session), condition)
        length = sum(len(message.content) for message in messages_of(prompt))
        found[key.experiment, key.item][session, key.facets] = length + system
        if session not in EXPERIMENTS[key.experiment].session_names(plan.item_set[key.experiment][key.item]):
            return NOT_ASKED  # a conversation may go on for ever
        return Outcome("x" * CHARACTERS * _usual(key.experiment, key.kind))

    for experiment, by_id in plan.item_set.items.items():
        for id, item in by_id.items():
            visit = Visit(plan.models[0], experiment, id, 1)
            for condition, prompts in plan.asked(visit).items():
                await EXPERIMENTS[experiment].sessions(item, partial(ask, visit, condition), prompts)
    return found


def _usual(experiment: str, kind: str) -> int:
    """Output tokens of a reply, as models have been seen to take."""
    return EXPERIMENTS[experiment].tokens[kind]
