"""What every experiment speaks of: sessions to open, and claims about the model's own behaviour."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Protocol

import msgspec

from selfexec.errors import InputError
from selfexec.experiments.recorded import Recording
from selfexec.experiments.sources import RULE
from selfexec.readers import Reading
from selfexec.renamed import refuses_old_words

KindName = Literal["binary", "order", "share"]  # of claims
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]
else:  # NumPy takes memory and time to import, and asking does without
    Floats = Numbers = Any
Name = Annotated[str, msgspec.Meta(min_length=1)]
ClaimState = Literal["read", "tie", "unreadable", "missing"]
Capability = Literal["turns", "prefill", "tools", "logprobs", "forced_tokens"]
"""What an engine may be able to carry beside one user message and its reply: several messages, a reply that is begun
for the model, tools, log-probabilities of tokens, tokens that the reply must have."""
MISSING = Reading("missing")
ROUNDING = 1e-9  # quantities that are no further apart are equal


class Item(Protocol):
    """What an experiment asks about: whatever it is, it has an id."""

    @property
    def id(self) -> str: ...


Facets = tuple[tuple[str, str], ...]  # sorted pairs of a facet and its level, where that is not the default one


def kind_of(session: str) -> str:
    """`execute` of `execute.Q1`: what prompts, settings and facets go by."""
    return session.split(".")[0]


class Key(NamedTuple):
    """What names one session: no two replies that count share it."""

    model: str
    experiment: str
    item: str
    epoch: int
    session: str
    facets: Facets = ()

    @property
    def kind(self) -> str:
        """Of session: `execute` of `execute.Q1`."""
        return kind_of(self.session)

    def fields(self) -> dict[str, Any]:
        """As lines of replies and readings have it: without facets at their defaults."""
        model, experiment, item, epoch, session, facets = self
        named: dict[str, Any] = {
            "model": model,
            "experiment": experiment,
            "item": item,
            "epoch": epoch,
            "session": session,
        }
        return {**named, "facets": dict(facets)} if facets else named

    def __str__(self) -> str:
        at = "".join(f", {facet} {level}" for facet, level in self.facets)
        return f"{self.model}, {self.experiment} {self.item}, {self.session}, epoch {self.epoch}{at}"


JobKey = tuple[str, str, str, int]  # an item as one model was asked it in one epoch


class Answer(Protocol):
    """What an experiment sees of a reply. `text` is None where none came: withheld, or lost."""

    @property
    def text(self) -> str | None: ...


class Message(msgspec.Struct, frozen=True):
    """A part of a conversation: what the user said, or what the model is held to have replied."""

    role: Literal["user", "assistant"]
    content: str


LEAST_LOGPROB = -9999.0  # for a probability of 0, of whose logarithm JSON knows nothing


class Likely(msgspec.Struct, frozen=True):
    """A token that may stand at a place of a reply, and the natural logarithm of its probability there."""

    token: str
    logprob: float


class Token(Likely, frozen=True, omit_defaults=True):
    """A token that a reply has. `top_logprobs` are the likeliest at its place, the likeliest first, where they were
    asked for: it need not be among them.
    """

    top_logprobs: tuple[Likely, ...] = ()


Prompt = str | Sequence[Message]
"""What a session is asked: one user message, or a conversation so far."""


class Ask(Protocol):
    """Opens a fresh session and brings its reply. A session that knows of another does so by its messages alone:
    each turn of a conversation is a session of its own name, which carries what was said before. `parent` names the
    session within which one is asked, where it is.
    """

    def __call__(self, session: str, prompt: Prompt, *, parent: str | None = None) -> Awaitable[Answer]: ...


Options = Mapping[str, str]  # letter -> the sentence that it stands for
Prompts = Mapping[str, str]  # session kind -> template; "$name" marks what an item fills in
Readings = Mapping[str, Reading]  # session -> what its reply says


class ReadOtherwise(Protocol):
    """What a prediction in another form commits to; with `cut`, of a reply that was cut off."""

    def __call__(self, item: Any, text: str, *, cut: bool = False) -> Reading: ...


class Facts(msgspec.Struct, frozen=True):
    """What is known of a claim's item without asking any model: what baselines predict from.

    `length` counts the characters of what the claim is about. In a claim about two questions, `other_` names the
    second.
    """

    label: str | None = None
    subject: str | None = None
    length: int | None = None
    other_subject: str | None = None
    other_length: int | None = None


class Observation(msgspec.Struct, frozen=True):
    """One claim: what the model predicted, what it then did, and whether both are known.

    `reason` says why a claim is unreadable, or what else leaves it open. The side that is not known is None: an unread
    prediction, or outcome. `basis` is what decided a claim of the difficulty experiment: `correctness` or `tokens`.
    `probability` is that of a yes, where the model was asked for one. `observed` is by the first of the experiment's
    `sources`; `by_source` has what the others make of the same outcome. `predicted_state` is that of the predicted side
    alone, where `state` and `predicted` do not say it: where both sides are lost, in different ways.
    """

    claim: str
    predicted: bool | None
    observed: bool | None
    state: ClaimState
    reason: str | None = None
    basis: str | None = None
    facts: Facts = Facts()
    probability: float | None = None
    by_source: Mapping[str, bool | None] = {}
    predicted_state: ClaimState | None = None


class FactColumns(Protocol):
    """The facts of many claims, an entry for each: labels and subjects by their number in the sorted names, -1 where
    there is none; lengths nan where they are not known. `Facts` says what each is.
    """

    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def label(self) -> Numbers: ...
    @property
    def length(self) -> Floats: ...
    @property
    def other_length(self) -> Floats: ...
    def __len__(self) -> int: ...


Baseline = Callable[[FactColumns], Floats]
"""The chance (0 to 1) of a yes to each claim, from facts alone: 0.5 where it has nothing to go by, nan where it says
nothing."""


class Wording(NamedTuple):
    """Words that a claim is about: what a text baseline goes by. Nothing of the same `family` (a pair of requests that
    differ in a word, questions of one subject) is in what it learns from when it speaks of this one.
    """

    text: str
    family: str


class Naive(NamedTuple):
    """The baseline that takes no model at all, which accuracy is held against: the metric that has its accuracy, and
    what it is called at the head of a sentence."""

    metric: str
    words: str


class Spread(NamedTuple):
    """What recorded models were like, to predict what a run can tell apart: standard deviations by item of one model's
    skill, and of the difference of two models' skill; and the least share of items with the rarer outcome."""

    alone: float
    paired: float
    rarer_share: float


@refuses_old_words
@dataclass(frozen=True, kw_only=True)
class Words:
    """What sentences need of an experiment.

    about      what a model predicts: "which requests it will answer"
    asks       the same as the question that the model is asked, for a heading: "Will you answer this request?"; where
               there is none, `about` is the heading
    its        what it is said to predict: "gpt predicts ...", of several models `their`
    baseline   what the best baseline knows
    behaviour  what it says that it would do ("list a word"), and that this was so where it had not said it ("it lists
               it all the same"; of a share, what is so of the control); None for orders
    rates      how often it does it, with {} for a share: "list {} of the offered words", and the same in short, of
               several models and of one: "list {}", "lists {}"; None for orders, and where how many of the claims of an
               item come true is fixed
    said       a claim as the model makes it by its yes, or by its no: "Q1 is easier than Q2"; None where a plain yes or
               no will do
    claimed    an item's claim as the model makes it by its yes, or by its no, after "predicted that": "it would list
               “white”"; None where a plain yes or no will do
    outcomes   of yes and no: that it did it, and that it did not, with {} for items: "it answered {}"
    does       what a model does whose prediction is a yes that comes true: "answers the request"; None where how many
               of the claims of an item come true is fixed, as where one option is chosen, so that how often a model
               says yes shows nothing
    measured   for a card: "whether the model ..."
    task       for a card: what kind of task it is
    lost       what was lost, in a comparison with what was read
    item       what a line of its item file is, for who writes one
    wants      how many items it takes, and what good ones are
    judged     what is judged where several sources say what was done, and what a yes makes of it: "3 of 9 responses
               are answers"; `rule` is what the fixed rule among them is a rule of
    limits     for a card: what its scores do not show, a sentence each
    risks      for a card: a harm and what it is
    """

    about: str
    its: str
    their: str
    baseline: str
    asks: str = ""
    claimed: Callable[[Any, str, bool], str] | None = None
    behaviour: tuple[str, str] | None = None
    rates: tuple[str, str, str] | None = None
    said: Callable[[str, bool], str] | None = None
    outcomes: tuple[str, str] | None = None
    does: str | None = None
    measured: str
    task: str
    lost: str
    item: str = ""
    wants: str = ""
    judged: tuple[str, str] = ("claim", "true")
    rule: str = "rule"
    limits: tuple[str, ...] = ()
    risks: tuple[tuple[str, str], ...] = ()


class NoAnswerKey(NamedTuple):
    """Why answers make no key; where they are `too_few`, more of them may yet."""

    why: str
    too_few: bool = False


@dataclass(frozen=True, kw_only=True)
class Judging:
    """How stored replies are judged again, by another model than the one whose replies they are.

    session   the kind of session whose replies are judged
    kind      what the judge's own sessions are called
    prompt    what a judge is asked; $response is the reply, and `shown` gives the other names, from the item
    options   letter -> the sentence that it stands for in the prompt
    classes   letter -> what this class of replies is called
    outcomes  class -> what it makes of the claims of the item; None where it leaves them open
    tokens    of a judge's reply, to estimate what judging takes
    """

    session: str
    kind: str
    prompt: str
    shown: Callable[[Any], Mapping[str, str]]
    options: Options
    classes: Mapping[str, str]
    outcomes: Mapping[str, bool | None]
    tokens: int


@dataclass(frozen=True, kw_only=True)
class Keying:
    """How questions that a model made up get keys from other models: these answer them, each in a fresh session.

    session   the kind of session in which a question is made up
    kind      what the sessions are called in which it is answered
    prompt    what is asked there; `shown` gives its names, from the item and what was read of the question, None where
              none was made up
    read      what an answer commits to, in the terms of the question
    answers   all of these terms; `Reading.judged` has them by source, for an `observe` of `on_request`
    key       the key that these make, or why they make none
    own       the key that the question's author gives
    source    of `on_request`, by which they count
    tokens    of an answer, to estimate what it takes
    """

    session: str
    kind: str
    prompt: str
    shown: Callable[[Any, Reading], Mapping[str, str] | None]
    read: Callable[[Any, str], Reading]
    answers: Collection[str]
    key: Callable[[Reading], str | NoAnswerKey]
    own: Callable[[Reading], str | None]
    source: str
    tokens: int


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """All that is known of an experiment. It knows nothing of HTTP, files or tables.

    name           as in item files, replies and tables
    kind           of its claims: `binary` (yes or no, pooled), `order` (pairs, averaged by group) or `share` (how often
                   what was predicted came true, against a control)
    item_type      what a line of its item file holds; `item_name` is what an item is called
    prompts        kind of session -> template
    options        kind of session -> letter -> the sentence that it stands for in the template; `read` is then given
                   those of the prompts that were asked with, as a fourth argument
    tokens         kind of session -> tokens of a reply, to estimate what a run takes
    stand_in       a reply to a session of an item, of the usual length, from which `sessions` goes on: what follows is
                   estimated by it. None where any text will do
    session_names  the sessions that an item may need, as far as they are known beforehand: what is counted in advance;
                   the part before a dot is the kind
    further        whether a name is one of a session of an item too, where not all are known beforehand: `turn.1`,
                   `turn.2` and so on; None where they are
    needs          what of an engine beside one user message and its reply
    sessions       opens the sessions of one item
    read           what a reply commits to
    performed      whether a reply does the task instead of what its session asks for: a prediction that answers the
                   request, or lists words of its own. Its reading is then unreadable, with that reason
    whole          whether a value that was read from a reply that was cut off is all that its session asks for; where
                   it is not, the reading is `truncated`
    read_otherwise how predictions are read where a facet asks for them in another form, by `elicit=probability`: from
                   the item and the reply; with `cut`, what counts in a reply that was cut off
    given          a reading made elsewhere, in the form that `read` gives; None where it is no answer
    observe        the claims of one item, from what its sessions say
    repeats        where a model makes up what is asked: items whose claims repeat those of another item, by what
                   its sessions say of each. They count once; the rest are ties
    examples       items to fill in: what `selfexec items new` writes, to be replaced
    title          an item in a few words
    delicate       whether an item, and replies to it, stay off the pages that people send around, as a request that is
                   unsafe on purpose does; they are still among the evidence
    oddities       what is allowed in an item, and seldom meant; `contents` is the text that no two items should share
    composition    what items are made of, in words
    sources        who says what was done (`selfexec.experiments.sources`): first the one that counts unless another is
                   chosen, then those of `Observation.by_source`
    on_request     further sources, each with an `observe` of its own: they stand beside nothing, and say something only
                   where they are chosen. Why one leaves a claim open is the claim's `reason`
    predictions    the kinds of session in which a model predicts what it does in the others
    kept           kinds of session whose reply is kept, not read: it is judged in another session
    judging        how kept replies are judged again, by other models; None where they are not
    keying         how questions that a model made up get keys from other models; None where there are none
    recording      how what was done is taken from a finished log, where it is: then predictions alone are asked
    shows          kinds of session whose prompts show what was said in others, with the kinds of these
    variants       prompts that facets put in the place of those of `prompts`, by kind and facet: `predict@frame`, where
                   $who stands for whose behaviour is to be predicted
    recounts       what came of an item in one line or a few, from its readings, in the words of prompts (those of
                   `variants` that end in `@strategy`), None where it is not known: for predictions that are shown
                   results
    replied        a reply to a prediction's prompt that predicts these outcomes, claim -> outcome, in the form that the
                   prompt asks for: what a model is trained to say. None where nobody is trained on it
    unneeded       kinds of session that an item may do without, each with what was so where it did; `idle` says which
                   sessions of an item are so, from its readings
    answers        the kind of session that answers a question, rightly or wrongly, in a number of tokens that counts;
                   `correct` is whether an answer is right
    baselines      those that take facts alone, by name; `naive` is the one that accuracy is held against
    wording        claim -> the words that it is about, those of both where it is about two; what is not named has none
    strata         what cuts keep in proportion: a label, and a kind within it; `quick` is the size of the quickest cut
    unsafe         whether an item asks for something harmful on purpose, which a provider may count against an account
    metrics        those of its kind that not every experiment has
    sampling       settings that a sampling protocol sends, by its name
    spread         what recorded models were like; None where none were
    """

    name: str
    kind: KindName
    item_type: type[Any]
    item_name: str
    prompts: Prompts
    tokens: Mapping[str, int]
    session_names: Callable[[Any], Sequence[str]]
    sessions: Callable[[Any, Ask, Prompts], Awaitable[None]]
    read: Callable[..., Reading]
    given: Callable[[Any, str, Any], Any]
    observe: Callable[[Any, Readings], list[Observation]]
    title: Callable[[Any], str]
    oddities: Callable[[Any], Iterable[str]]
    contents: Callable[[Any], Sequence[str]]
    composition: Callable[[Sequence[Any]], str]
    words: Words
    delicate: Callable[[Any], bool] = lambda item: False
    examples: tuple[Any, ...] = ()
    performed: Callable[[Any, str, str, Reading], bool] = lambda item, session, text, reading: False
    whole: Callable[[Any, str, str, Any], bool] = lambda item, session, text, value: True
    sources: tuple[str, ...] = (RULE,)
    on_request: Mapping[str, Callable[[Any, Readings], list[Observation]]] = field(default_factory=dict)
    repeats: Callable[[Mapping[str, Readings]], Collection[str]] = lambda by_item: ()
    predictions: tuple[str, ...] = ("predict",)
    kept: tuple[str, ...] = ()
    judging: Judging | None = None
    keying: Keying | None = None
    recording: Recording | None = None
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    variants: Prompts = field(default_factory=dict)
    recounts: Callable[[Any, Readings, Prompts], str | None] | None = None
    replied: Callable[[Any, Mapping[str, bool], str], str] | None = None
    unneeded: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Options] = field(default_factory=dict)
    idle: Callable[[Readings], Sequence[str]] = lambda readings: ()
    stand_in: Callable[[Any, str], str | None] = lambda item, session: None
    read_otherwise: Mapping[str, ReadOtherwise] = field(default_factory=dict)
    further: Callable[[Any, str], bool] | None = None
    needs: frozenset[Capability] = frozenset()
    answers: str | None = None
    correct: Callable[[Any, str, Reading], bool | None] = lambda item, session, reading: None
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    naive: Naive | None = None
    wording: Callable[[Any], Mapping[str, Sequence[Wording]]] = lambda item: {}
    strata: Callable[[Any], tuple[str, str]] = lambda item: ("", "")
    quick: int = 60
    unsafe: Callable[[Any], bool] = lambda item: False
    metrics: tuple[str, ...] = ()
    sampling: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    spread: Spread | None = None

    @property
    def rejudged(self) -> Judging | Keying | None:
        """How stored replies are shown to other models."""
        return self.judging or self.keying

    @property
    def recorded(self) -> tuple[str, ...]:
        """Kinds of session that stand in a log and are never asked."""
        return self.recording.kinds if self.recording else ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds of session, those that are asked first."""
        return (*self.prompts, *self.recorded)

    def asked_names(self, item: Any) -> Sequence[str]:
        """The sessions of an item that are asked, as far as they are known beforehand."""
        names = self.session_names(item)
        return [name for name in names if kind_of(name) not in self.recorded] if self.recording else names

    def accepts(self, item: Any, session: str) -> bool:
        """Whether this is the name of a session of an item."""
        if session in self.session_names(item):
            return True
        known_kind = kind_of(session) in self.kinds
        return self.further is not None and known_kind and self.further(item, session)

    def in_order(self, item: Any, found: Iterable[str]) -> list[str]:
        """Those of an item's sessions that are found, in the order of the experiment: what was counted in advance, then
        what further ones there are, turn.2 before turn.10.
        """
        there, counted = set(found), self.session_names(item)
        return [*(s for s in counted if s in there), *sorted(there.difference(counted), key=_by_number)]

    def messages(self, prompt: Prompt) -> tuple[Message, ...]:
        """A prompt as messages. InputError where it takes more than the experiment says that it needs."""
        messages = messages_of(prompt)
        if not messages:
            raise InputError(f"{self.name}: a session is asked nothing. Give its prompt a message.")
        if len(messages) > 1 and "turns" not in self.needs:
            raise InputError(f"{self.name}: a session of several messages, but `needs` does not name 'turns'. Add it.")
        if messages[-1].role != "user" and "prefill" not in self.needs:
            raise InputError(f"{self.name}: the last message is not the user's. End with one of the user's.")
        return messages


def messages_of(prompt: Prompt) -> tuple[Message, ...]:
    """A prompt as messages: text is one of the user's."""
    return (Message("user", prompt),) if isinstance(prompt, str) else tuple(prompt)


def _by_number(session: str) -> list[tuple[bool, int, str]]:
    """Sorts names by their parts, numbers among them as numbers."""
    return [(p.isdecimal(), int(p) if p.isdecimal() else 0, p) for p in session.split(".")]


def state_of(predicted: Sequence[Reading], observed: Sequence[Reading]) -> tuple[ClaimState, str | None]:
    """The state of a claim whose two sides need these sessions: missing before unreadable before read."""
    unread = [reading for reading in (*predicted, *observed) if reading.state != "read"]
    if not unread:
        return "read", None
    if any(reading.state == "missing" for reading in unread):
        return "missing", None
    reason = "withheld" if unread[0].state == "withheld" else unread[0].reason
    return "unreadable", reason


def repeated(values: Sequence[str]) -> list[str]:
    """Those that occur more than once, sorted."""
    return sorted({value for value in values if values.count(value) > 1})


async def at_once(first: Awaitable[Any], *others: Awaitable[Any]) -> None:
    """Open sessions at once, in this order. Where one fails, the others are given up.

    The first has no task of its own: a task for each takes more time than all else that is done for a session here.
    """
    tasks = [asyncio.ensure_future(other) for other in others]
    try:
        await first
        for task in tasks:
            await task
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def say(quantity: Floats, threshold: float) -> Floats:
    """1 above the threshold, 0 below, 0.5 on it (to within rounding) and where nothing is known."""
    import numpy as np  # not to be imported by a command that only asks

    return np.where(quantity > threshold + ROUNDING, 1.0, np.where(quantity < threshold - ROUNDING, 0.0, 0.5))
