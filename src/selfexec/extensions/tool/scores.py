"""What a tool for self-execution adds to predictions: gain, cost, use and belief."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from selfexec.analysis.result import Form, Rows, ScoredRun, head
from selfexec.analysis.selection import Selection, refuse_unknown, selection_of
from selfexec.claims import Claims
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.extensions.tool.calls import (
    Conversation,
    ItemPrompts,
    conversation_of,
    predicted_outcomes,
    tokens_by_session,
)
from selfexec.extensions.tool.counting import gain_for_cost, gain_of, share_of
from selfexec.extensions.tool.facet import NAME
from selfexec.extensions.tool.options import ToolOptions
from selfexec.extensions.tool.protocol import BESIDE, MALFORMED, NO_CALLS, SEVERAL, TOO_LONG
from selfexec.facets import Condition, condition_name, in_condition
from selfexec.metrics import Estimate, none_if_nan
from selfexec.runs import Run, takes
from selfexec.runs.readings import REQUESTED
from selfexec.text.numbers import decimal, interval, signed
from selfexec.text.tables import Part, Table

NO_SELF_KNOWLEDGE = (
    "A prediction that may have prompts executed shows use of a tool, and not self-knowledge: it is in no headline, "
    "own excess, panel or overall score. A model does not do the same each time: that bounds the gain."
)
SUPERVISION = (
    "Models that execute themselves may go on without end; here an executed prompt can execute nothing, and calls and "
    "their tokens are limited. The paper recommends to use such tools only under strict human supervision."
)
REFUSALS = (NO_CALLS, TOO_LONG, MALFORMED, SEVERAL, BESIDE)
ADDS = ["model", "asked with", "experiment", "without", "with", "gain", "per call", "per 1,000 tokens", "items"]
USES = ["model", "asked with", "experiment", "used", "calls", "very prompt", "followed", "against it", "refused"]
LEGEND = (
    "gain: skill with the tool less skill without it, on the same items. per call, per 1,000 tokens: the gain divided\n"
    "by how many calls, and how many tokens more, a prediction took. used: the share of predictions with a call.\n"
    "calls: of each prediction. very prompt: the share of calls in the words by which the behaviour is asked for.\n"
    "followed: of the claims whose outcome was seen in such a call, the share that is predicted as it was seen;\n"
    "against it: the same of those about which the prediction without the tool said the opposite.\n"
    "refused: requests that were not carried out. Intervals are 95%, over items."
)


@dataclass(frozen=True)
class ToolScore:
    """What the tool added to the predictions of one model in one experiment, at one level.

    `condition` is the one with the tool and `against` the same without it; skills and gain are of the items that both
    have. `tokens` are how many more a prediction took, in and out. `followed` is of the claims that were seen (`seen`),
    `followed_against` of those among them about which the prediction without the tool said the opposite
    (`seen_against`). `never_predicted` counts predictions that asked for executions to the end. `reason` says why a
    number is None.
    """

    model: str
    condition: str
    against: str
    experiment: str
    skill_without: float | None
    skill: float | None
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    gain_per_call: float | None
    gain_per_call_low: float | None
    gain_per_call_high: float | None
    gain_per_1000_tokens: float | None
    gain_per_1000_tokens_low: float | None
    gain_per_1000_tokens_high: float | None
    predictions: int
    calls: int
    tokens: float | None
    used: float | None
    used_low: float | None
    used_high: float | None
    very_prompt: float | None
    very_prompt_low: float | None
    very_prompt_high: float | None
    followed: float | None
    followed_low: float | None
    followed_high: float | None
    followed_against: float | None
    followed_against_low: float | None
    followed_against_high: float | None
    seen: int
    seen_against: int
    refused: int
    refused_no_calls: int
    refused_too_long: int
    refused_malformed: int
    refused_several: int
    refused_beside: int
    never_predicted: int
    items: int
    reason: str | None = None


class ToolScores(Rows[ToolScore]):
    """A row for each model, condition and experiment in which the tool was given. It prints as tables, and turns into
    records or a data frame.
    """

    _ROW = ToolScore
    BEFORE_NUMBERS: ClassVar[int] = 3  # columns

    def __init__(self, rows: Iterable[ToolScore], runs: Sequence[ScoredRun] = ()) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)

    @property
    def tables(self) -> list[Table]:
        """What the tool added, and how it was used."""
        return [
            Table("What the tool adds", ADDS, [*map(_adds, self)]),
            Table("How it is used", USES, [*map(_uses, self)]),
        ]

    def _data(self) -> Mapping[str, Any]:
        return {**head(self.runs, None), "note": NO_SELF_KNOWLEDGE, "warning": SUPERVISION, "tool": self.records()}

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        yield NO_SELF_KNOWLEDGE
        yield SUPERVISION
        for table in self.tables:
            yield ""
            yield table
        yield LEGEND
        for row in self:
            if row.reason:
                yield f"{row.model} [{row.condition}], {row.experiment}: {row.reason}."


# --- from runs -------------------------------------------------------------------------------------------------------


@takes(ToolOptions, "what a tool adds")
def tool_scores(options: ToolOptions) -> ToolScores:
    """What a tool for self-execution adds to predictions: skill with it less skill without it, for each call and each
    1,000 tokens, how it is used, and whether predictions follow what they saw.

    Args:
        runs: A run or its folder, or several, or a selection of them.

    Raises:
        InputError: Nobody had the tool, or nothing was asked without it.
    """
    selection = selection_of(options.runs, options)
    selection.refuse_unknown()
    known = [condition_name(c) for run in selection.whole_runs for c in _with_tool(run)]
    refuse_unknown("condition", selection.conditions, known)
    scores = found_in(selection)
    if not scores:
        raise InputError(
            "nobody had a tool for self-execution here. Ask with one: selfexec run --tool self:2 --allow-self-execution"
        )
    return scores


def found_in(selection: Selection) -> ToolScores:
    """The same of a selection; nothing where nobody had the tool."""
    rows = [
        row
        for run in selection.whole_runs
        for condition in _with_tool(run)
        if not selection.conditions or condition_name(condition) in selection.conditions
        for row in _rows(run, condition, selection)
    ]
    return ToolScores(rows, selection.scored_runs if rows else ())


def _with_tool(run: Run) -> list[Condition]:
    """The conditions of a run in which predictions had the tool."""
    return sorted({condition for _, _, condition in run.asked if NAME in dict(condition)})


def _rows(run: Run, condition: Condition, selection: Selection) -> Iterator[ToolScore]:
    """Of one condition: every model in every experiment that is meant."""
    prompts = ItemPrompts(run)
    claims = cache(lambda name: run.under(name).tables.claims)
    places = sorted(run.asked, key=lambda place: (run.models.index(place[0]), list(EXPERIMENTS).index(place[1])))
    for model, experiment, asked in places:
        if asked != condition or not selection.wants([model], experiment):
            continue
        without = tuple(pair for pair in condition if pair[0] != NAME)
        if (model, experiment, without) not in run.asked:
            raise InputError(
                f"{run.folder}: {model} was not asked in {condition_name(without)}, against which the tool is held. "
                "Give the command that asked once more: it asks both."
            )
        names = condition_name(condition), condition_name(without)
        both = [claims(name)[experiment].of(model) for name in names]
        keys = _predictions(run, model, experiment, condition)
        conversations = [conversation_of(run.replies, key) for key in keys if key in run.replies]
        yield _row(run, names, conversations, prompts, (both[0], both[1]), selection.convention == "strict")


def _predictions(run: Run, model: str, experiment: str, condition: Condition) -> list[Key]:
    """The predictions of a model in a condition."""
    asked = EXPERIMENTS[experiment]
    return [
        in_condition(Key(model, experiment, item, epoch, session), condition)
        for item, epochs in run.asked[model, experiment, condition].items()
        for epoch in epochs
        for session in asked.session_names(run.items[experiment][item])
        if session.partition(".")[0] in asked.predictions
    ]


def _row(
    run: Run,
    names: tuple[str, str],
    conversations: Sequence[Conversation],
    prompts: ItemPrompts,
    claims: tuple[Claims, Claims],
    strict: bool,
) -> ToolScore:
    model, experiment = conversations[0].first[:2]
    costs = _costs(run, conversations)
    tool, without, gain = gain_of(experiment, *claims, strict)
    per_call, per_tokens = gain_for_cost(experiment, *claims, strict, costs)
    followed, against = _belief(run, conversations, prompts)
    refused = sum((conversation.refused for conversation in conversations), Counter[str]())
    readings = [run.readings[conversation.first] for conversation in conversations]
    estimates = {
        "gain": gain,
        "gain_per_call": per_call,
        "gain_per_1000_tokens": per_tokens,
        "used": share_of(
            _by_item((conversation, [bool(conversation.exchanges)]) for conversation in conversations),
            "nothing was asked",
        ),
        "very_prompt": share_of(
            _by_item((conversation, prompts.asked_by(conversation)) for conversation in conversations),
            "no prompt was executed",
        ),
        "followed": share_of(followed, "no outcome was seen"),
        "followed_against": share_of(against, "no outcome was seen that it had not predicted anyway"),
    }
    return ToolScore(
        model=model,
        condition=names[0],
        against=names[1],
        experiment=experiment,
        skill_without=none_if_nan(without.value),
        skill=none_if_nan(tool.value),
        **_ends(estimates),
        predictions=len(conversations),
        calls=sum(len(conversation.exchanges) for conversation in conversations),
        tokens=sum(cost[1] for cost in costs.values()) / len(conversations),
        seen=int(sum(pair[1] for pair in followed.values())),
        seen_against=int(sum(pair[1] for pair in against.values())),
        refused=refused.total(),
        refused_no_calls=refused[NO_CALLS],
        refused_too_long=refused[TOO_LONG],
        refused_malformed=refused[MALFORMED],
        refused_several=refused[SEVERAL],
        refused_beside=refused[BESIDE],
        never_predicted=sum(reading.reason == REQUESTED for reading in readings),
        items=len({conversation.first.item for conversation in conversations}),
        reason=gain.reason or per_call.reason,
    )


def _ends(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    """Each estimate with the ends of its interval, as fields name them."""
    fields: dict[str, float | None] = {}
    for name, estimate in estimates.items():
        ends = (estimate.value, *estimate.interval)
        fields |= dict(zip((name, f"{name}_low", f"{name}_high"), map(none_if_nan, ends), strict=True))
    return fields


def _by_item(trials: Iterable[tuple[Conversation, Iterable[bool]]]) -> dict[str, tuple[float, float]]:
    """Hits and trials by item."""
    by_item: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for conversation, hits in trials:
        for hit in hits:
            by_item[conversation.first.item][0] += hit
            by_item[conversation.first.item][1] += 1
    return {item: (hits, number) for item, (hits, number) in by_item.items()}


def _costs(run: Run, conversations: Sequence[Conversation]) -> dict[str, tuple[float, float, float]]:
    """By item: the calls of its predictions, the tokens that they took beyond those without the tool, and how many
    predictions there are.
    """
    plain = {conversation.first: _without_tool(conversation.first) for conversation in conversations}
    tokens = tokens_by_session(
        run, [*(key for conversation in conversations for key in conversation.sessions), *plain.values()]
    )
    costs: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for conversation in conversations:
        cost = costs[conversation.first.item]
        cost[0] += len(conversation.exchanges)
        cost[1] += sum(tokens[key] for key in conversation.sessions) - tokens.get(plain[conversation.first], 0)
        cost[2] += 1
    return {item: (calls, more, number) for item, (calls, more, number) in costs.items()}


def _without_tool(key: Key) -> Key:
    """The same prediction without the tool."""
    return key._replace(facets=tuple(pair for pair in key.facets if pair[0] != NAME))


def _belief(
    run: Run, conversations: Sequence[Conversation], prompts: ItemPrompts
) -> tuple[dict[str, tuple[float, float]], dict[str, tuple[float, float]]]:
    """By item how many of the claims that were seen are predicted as they were seen, of how many; and the same of those
    about which the prediction without the tool said the opposite.
    """
    every: list[tuple[Conversation, list[bool]]] = []
    against: list[tuple[Conversation, list[bool]]] = []
    for conversation in conversations:
        seen = prompts.seen_in(conversation)
        predicted = {claim: yes for claim, yes in predicted_outcomes(run, conversation.first) if yes is not None}
        anyway = dict(predicted_outcomes(run, _without_tool(conversation.first)))
        both = {claim: predicted[claim] == outcome for claim, outcome in seen.items() if claim in predicted}
        every.append((conversation, [*both.values()]))
        against.append((conversation, [hit for claim, hit in both.items() if anyway.get(claim) is (not seen[claim])]))
    return _by_item(every), _by_item(against)


# --- in print --------------------------------------------------------------------------------------------------------


def _shown(row: ToolScore, name: str, say: Any = decimal) -> str:
    value, low, high = (getattr(row, f"{name}{end}") for end in ("", "_low", "_high"))
    return interval(value, low, high, say)


def _adds(row: ToolScore) -> list[str]:
    gains = (_shown(row, name, signed) for name in ("gain", "gain_per_call", "gain_per_1000_tokens"))
    skills = (decimal(row.skill_without), decimal(row.skill))
    return [row.model, row.condition, row.experiment, *skills, *gains, f"{row.items:,}"]


def _uses(row: ToolScore) -> list[str]:
    shares = (_shown(row, name) for name in ("very_prompt", "followed", "followed_against"))
    calls = decimal(row.calls / row.predictions, 2)
    return [row.model, row.condition, row.experiment, _shown(row, "used"), calls, *shares, f"{row.refused:,}"]
