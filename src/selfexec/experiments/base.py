"""What every experiment speaks of: sessions to open, and claims about the model's own behaviour."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Protocol

import msgspec

from selfexec.errors import InputError
from selfexec.experiments.form_fields import FormField
from selfexec.experiments.given import given_letter
from selfexec.experiments.sources import RULE
from selfexec.readers import Reading, Side, letter_shares, read_choice, read_probability
from selfexec.renamed import EXPERIMENT, refuse_old_names, refuses_old_words

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
MISSING_READING = Reading("missing")
ROUNDING = 1e-9  # quantities that are no further apart are equal


class Item(Protocol):
    """What an experiment asks about: whatever it is, it has an id."""

    @property
    def id(self) -> str: ...


Facets = tuple[tuple[str, str], ...]  # sorted pairs of a facet and its level, where that is not the default one


def session_kind(session: str) -> str:
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
    def session_kind(self) -> str:
        """`execute` of `execute.Q1`."""
        return session_kind(self.session)

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


InjectionKind = Literal["none", "second", "random", "least"]


class Injection(msgspec.Struct, frozen=True):
    """Tokens that are forced into a reply while it is written, as if the model had chosen them.

    Args:
        kind: What is forced at each place. `second`: the token that the model finds the second likeliest there.
            `random`: a piece of the vocabulary of three letters or more, drawn by `seed`. `least`: the least likely of
            these pieces. `none`: nothing, a sham that the engine handles like the others. No token that would end the
            reply is ever forced.
        count: How many tokens are forced, one behind the other.
        at: Behind how many tokens of the reply; thoughts count as part of the reply. Of a reply that ends before this
            place nothing is disturbed.
        seed: What random pieces are drawn by.
    """

    kind: InjectionKind
    count: Annotated[int, msgspec.Meta(ge=0)]
    at: Annotated[int, msgspec.Meta(ge=0)]
    seed: int = 0


class Answer(Protocol):
    """What an experiment sees of a reply.

    `text` is the whole reply; None where none came: withheld, or lost. `forced` has the tokens that an injection forced
    into it, each with the log-probability that the model gave it there: none where the reply was over before, or the
    injection was a sham. It is None where no injection was asked for. `logprobs` has the tokens of the reply with their
    log-probabilities, where these were asked for and came.
    """

    @property
    def text(self) -> str | None: ...
    @property
    def forced(self) -> "tuple[Token, ...] | None": ...
    @property
    def logprobs(self) -> "tuple[Token, ...] | None": ...


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

    An `injection` disturbs the reply while it is written: it takes an engine with `forced_tokens`. Such a session is
    sampled like the undisturbed one that is named by its kind alone: `execute.random.4` like `execute`, so that with
    the same prompt both have the same beginning. What is read of its reply (`Experiment.read`) is what came behind the
    injection, as it is of a reply that was begun for the model.

    `can` is what the engine of the model that is asked can carry, for an experiment that can make use of more than it
    `needs`. Where a run is replayed without any engine, it is what the replies show that the engine could.
    """

    @property
    def can(self) -> frozenset[Capability]: ...

    def __call__(
        self, session: str, prompt: Prompt, *, parent: str | None = None, injection: Injection | None = None
    ) -> Awaitable[Answer]: ...


@dataclass(frozen=True)
class AskFunction:
    """An `Ask` made of a function that opens sessions, and of what the engine behind it can carry. InputError where an
    injection is asked of one that has no `forced_tokens`.
    """

    opened: Callable[..., Awaitable[Answer]]
    can: frozenset[Capability] = frozenset()

    def __call__(
        self, session: str, prompt: Prompt, *, parent: str | None = None, injection: Injection | None = None
    ) -> Awaitable[Answer]:
        if injection is not None and "forced_tokens" not in self.can:
            raise InputError(
                f"session {session}: an injection takes forced_tokens of the engine, which that of this model has not. "
                "An experiment names them among its `needs`, or looks for them in `ask.can`."
            )
        return self.opened(session, prompt, parent=parent, injection=injection)


Options = Mapping[str, str]  # letter -> the sentence that it stands for
Prompts = Mapping[str, str]  # session kind -> template; "$name" marks what an item fills in
Readings = Mapping[str, Reading]  # session -> what its reply says


class ReadOtherwise(Protocol):
    """What a prediction in another form commits to; with `truncated`, of a reply that was cut off."""

    def __call__(self, item: Any, text: str, *, truncated: bool = False) -> Reading: ...


class Facts(msgspec.Struct, frozen=True):
    """What is known of a claim's item without asking any model: what baselines by facts may predict from (the
    experiment's `baselines` say from which), and tests of what was lost.

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
    prediction, or outcome. `basis` is what decided a claim of the difficulty experiment: `correctness`, `tokens` or (of
    people) `seconds`.
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
"""The probability of a yes to each claim (0 to 1), from facts alone: 0.5 where it has nothing to go by, nan where it
says nothing."""


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
    skill, and of the difference of two models' skill; and the least share of items with the rarer outcome. The interval
    of one model's skill is wider than its standard deviation makes it where items are few: by `few` / n with n items.
    """

    alone: float
    paired: float
    rarer_share: float
    few: float


@refuses_old_words
@dataclass(frozen=True, kw_only=True)
class Words:
    """What sentences need of an experiment. Only `about` must be given: `its`, `their`, `measured` and `task` follow
    from it where they are not, and the rest have defaults.

    about      what a model predicts: "which requests it will answer"
    asks       the same as the question that the model is asked, for a heading: "Will you answer this request?"; where
               there is none, `about` is the heading
    which      the second question in short, for a column: "which requests"; from `about` where that begins so
    its        what it is said to predict: "gpt predicts ...", of several models `their`
    baseline   what the baseline of the margin knows
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
    which: str = ""
    its: str = ""
    their: str = ""
    baseline: str = "the items and what other models do with them"
    asks: str = ""
    claimed: Callable[[Any, str, bool], str] | None = None
    behaviour: tuple[str, str] | None = None
    rates: tuple[str, str, str] | None = None
    said: Callable[[str, bool], str] | None = None
    outcomes: tuple[str, str] | None = None
    does: str | None = None
    measured: str = ""
    task: str = ""
    lost: str = "its unread items"
    item: str = ""
    wants: str = ""
    judged: tuple[str, str] = ("claim", "true")
    rule: str = "rule"
    limits: tuple[str, ...] = ()
    risks: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        first, second, *_ = (*self.about.split(" "), "")
        defaults = {
            "which": f"{first} {second}" if first == "which" else "which ones",
            "its": self.about,
            "their": self.about,
            "measured": f"whether it predicts {self.about}",
            "task": f"prediction of {self.about}",
        }
        for name, default in defaults.items():
            object.__setattr__(self, name, getattr(self, name) or default)


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


class Experiment(ABC):
    """All that is known of an experiment: one is written as a subclass, in a file of its own. It knows nothing of HTTP,
    files or tables.

    A subclass names itself, its items and its prompts, says what its words are, and defines `read` (the default does
    for kinds of session that are answered by the letter of an option) and `observe`. Everything else has a default.
    There is one instance of each, in `EXPERIMENTS`.

    Attributes:
        name: Its name in item files, replies and tables.
        claim_kind: The kind of its claims: `binary` (yes or no, pooled), `order` (pairs, averaged by group) or `share`
            (how often what was predicted came true, against a control).
        words: The few phrases that sentences need of it.
        prompts: Kind of session -> template.
        variants: Prompts that facets put in the place of those of `prompts`, by kind and facet: `predict@frame`, where
            $who stands for whose behaviour is to be predicted.
        options: Kind of session -> letter -> the sentence that it stands for in the template; `read` is then given
            those of the prompts that were asked with, as a fourth argument.
        people: What people are asked, by kind and facet, as `prompts` and `variants` are: the question, and behind an
            empty line what it is about, word for word. Empty where there is no form for people.
        tokens: Kind of session -> tokens of a reply, to estimate what a run takes.
        predictions: The kinds of session in which a model predicts what it does in the others.
        kept: Kinds of session whose reply is judged in another session, and not read itself.
        free: Further kinds of session whose prompt leaves the form of the reply to the model.
        recorded: Kinds of session whose replies stand in a finished log, from which a run has them: they are never
            asked for, and predictions alone are.
        shows: Kinds of session whose prompts show what was said in others, with the kinds of these.
        unneeded: Kinds of session that an item may do without, each with what was so where it did; `idle` says which.
        answers: The kind of session that answers a question, rightly or wrongly, in a number of tokens that counts.
        sampling: Settings that a sampling protocol sends, by its name.
        needs: What of an engine besides one user message and its reply.
        read_otherwise: How predictions are read where a facet asks for them in another form, by `elicit=probability`:
            from the item and the reply; with `truncated`, what counts in a reply that was cut off.
        sources: Who says what was done (`selfexec.experiments.sources`): first the one that counts unless another is
            chosen, then those of `Observation.by_source`.
        on_request: Further sources, which are used only where they are chosen: `observe_by` says what they make of an
            item. Why one leaves a claim open is the claim's `reason`.
        judging: How kept replies are judged again, by other models; None where they are not.
        keying: How questions that a model made up get keys from other models; None where there are none.
        item_type: What a line of its item file holds.
        item_name: What an item is called.
        examples: Items to fill in: what `selfexec items new` writes, to be replaced.
        quick: The size of the quickest subset of items.
        starter: The file with its items of the set `starter`, where it brings them itself.
        baselines: Baselines that take facts alone, by name.
        naive: The baseline that accuracy is held against.
        metrics: Metrics of its kind that not every experiment has.
        spread: What recorded models were like; None where none were.
        is_of_ability: Whether what comes true is that the model was right: how often it does is then its accuracy in a
            task, which the report holds the skill of its predictions against.
        simulation: Where it lies how simulated models answer it (`selfexec.engines.sim.Simulation`), as
            "module:attribute", imported when it is asked for. Without it they make small talk.
    """

    name: str
    claim_kind: KindName
    words: Words

    def __init_subclass__(cls) -> None:
        refuse_old_names(cls, vars(cls), EXPERIMENT)

    # --- prompts, by kind of session ---

    prompts: Prompts
    variants: Prompts = {}
    options: Mapping[str, Options] = {}
    people: Prompts = {}
    tokens: Mapping[str, int] = {}
    predictions: tuple[str, ...] = ("predict",)
    kept: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    shows: Mapping[str, tuple[str, ...]] = {}
    unneeded: Mapping[str, str] = {}
    answers: str | None = None
    sampling: Mapping[str, Mapping[str, float]] = {}

    # --- sessions ---

    needs: frozenset[Capability] = frozenset()

    def session_names(self, item: Any) -> Sequence[str]:
        """The sessions that an item may need, as far as they are known beforehand: what is counted in advance. The
        part before a dot is the kind.
        """
        return self.session_kinds

    def further(self, item: Any, session: str) -> bool:
        """Whether a name is one of a session of an item too, where not all are known beforehand: `turn.1`, `turn.2`
        and so on.
        """
        return False

    async def sessions(self, item: Any, ask: Ask, prompts: Prompts) -> None:
        """Opens the sessions of one item: here concurrently, prompts filled in with what `filled_in` gives."""
        fields = self.filled_in(item)
        await concurrently(*(ask(name, Template(prompts[name]).substitute(fields)) for name in self.asked_names(item)))

    def filled_in(self, item: Any) -> Mapping[str, str]:
        """What prompts fill in, by name: the fields of the item."""
        return {field: str(getattr(item, field)) for field in item.__struct_fields__}

    def stand_in(self, item: Any, session: str) -> str | None:
        """A reply to a session of an item, of the usual length, from which `sessions` goes on: what follows is
        estimated by it. None where any text will do.
        """
        return None

    def form_field(self, item: Any, session: str, *, own: bool = True) -> FormField:
        """How a person answers a session that `people` asks. `own`: it is about the person's own behaviour."""
        raise NotImplementedError(f"{self.name}: people are asked {session}. Define `form_field`.")

    def idle(self, readings: Readings) -> Sequence[str]:
        """Which sessions of an item were not needed, by its readings."""
        return ()

    # --- readings ---

    read_otherwise: Mapping[str, ReadOtherwise] = {}

    def read(self, item: Any, session: str, text: str, options: Options | None = None) -> Reading:
        """What a reply commits to: here the letter of one of the options of this kind of session."""
        shown = options or self.options.get(session_kind(session))
        if shown is None:
            raise NotImplementedError(f"{self.name}: it has no options for {session}, and defines no `read` for it.")
        return read_choice(text, shown, key="choice", text_over_letter=True)

    def read_tokens(self, item: Any, reading: Reading, text: str, tokens: Sequence[Token], *, alone: bool) -> Reading:
        """The reading of a prediction with probabilities, by the log-probabilities of its tokens; unreadable where they
        do not say. With `alone`, the letter alone was asked for (`predict@letter`).
        """
        raise NotImplementedError(f"{self.name}: no one token decides its predictions. Define `read_tokens`.")

    def performed(self, item: Any, session: str, text: str, reading: Reading) -> bool:
        """Whether a reply does the task instead of what its session asks for: a prediction that answers the request, or
        lists words of its own. Its reading is then unreadable, with that reason.
        """
        return False

    def counts_when_cut(self, item: Any, session: str, text: str, value: Any) -> bool:
        """Whether a value that was read from a reply that was cut off is all that its session asks for; where it is
        not, the reading is `truncated`.
        """
        return True

    def leaves_open(self, item: Any, session: str, value: Any) -> bool:
        """Whether a value that counts leaves out a part of what its session asks for. Where the reply was cut off, or
        may have been, as its text ends in the open, that is why: the reading is `read` with the reason `truncated`.
        """
        return False

    def given(self, item: Any, session: str, value: Any) -> Any:
        """A reading made elsewhere, in the form that `read` gives: here a letter. None where it is no answer."""
        letters = self.options.get(session_kind(session))
        return given_letter(value, letters) if letters else None

    def correct(self, item: Any, session: str, reading: Reading) -> bool | None:
        """Whether an answer (in a session of the kind `answers`) is right."""
        return None

    def expected(self, readings: Readings) -> Mapping[str, tuple[float, float]]:
        """What a prediction in probabilities says of each answer, by session: how probable it is that it is right, and
        how many tokens it takes.
        """
        return {}

    # --- claims ---

    sources: tuple[str, ...] = (RULE,)
    on_request: tuple[str, ...] = ()
    judging: Judging | None = None
    keying: Keying | None = None

    @abstractmethod
    def observe(self, item: Any, readings: Readings) -> list[Observation]:
        """The claims of one item, from what its sessions say."""

    def observe_by(self, source: str, item: Any, readings: Readings) -> list[Observation]:
        """The claims of one item by a source of `on_request`."""
        raise NotImplementedError(f"{self.name}: it does not say what {source} makes of an item. Define `observe_by`.")

    def repeats(self, by_item: Mapping[str, Readings]) -> Collection[str]:
        """Where a model makes up what is asked: items whose claims repeat those of another item, by what its sessions
        say of each. They count once; the rest are ties.
        """
        return ()

    def recounts(self, item: Any, readings: Readings, texts: Prompts) -> str | None:
        """What came of an item in one line or a few, in the words of prompts (those of `variants` that end in
        `@strategy`), None where it is not known: for predictions that are shown results.
        """
        return None

    def replied(self, item: Any, outcomes: Mapping[str, bool], prompt: str) -> str:
        """A reply to a prediction's prompt that predicts these outcomes, claim -> outcome, in the form that the prompt
        asks for: what a model is trained to say.
        """
        raise NotImplementedError(f"{self.name}: nobody is trained on it. Define `replied`.")

    # --- items ---

    item_type: type[Any]
    item_name: str = "item"
    examples: tuple[Any, ...] = ()
    quick: int = 60
    starter: Path | None = None

    def title(self, item: Any) -> str:
        """An item in a few words."""
        return str(item.id)

    def delicate(self, item: Any) -> bool:
        """Whether an item, and replies to it, stay off the pages that people send around, as a request that is unsafe
        on purpose does; they are still among the evidence.
        """
        return False

    def unsafe(self, item: Any) -> bool:
        """Whether an item asks for something harmful on purpose, which a provider may count against an account."""
        return False

    def oddities(self, item: Any) -> Iterable[str]:
        """What is allowed in an item, and seldom meant."""
        return ()

    def contents(self, item: Any) -> Sequence[str]:
        """The texts that no two items should share."""
        return ()

    def composition(self, items: Sequence[Any]) -> str:
        """What items are made of, in words."""
        return ""

    def strata(self, item: Any) -> tuple[str, str]:
        """What subsets of the items keep in proportion: a label, and a kind within it."""
        return "", ""

    def wording(self, item: Any) -> Mapping[str, Sequence[Wording]]:
        """Claim -> the words that it is about, those of both where it is about two; what is not named has none."""
        return {}

    # --- scores ---

    # of the experiment's own, from facts of the items alone; those from other models are in metrics/baselines
    baselines: Mapping[str, Baseline] = {}
    naive: Naive | None = None
    metrics: tuple[str, ...] = ()
    spread: Spread | None = None

    is_of_ability: bool = False

    # --- simulated models ---

    simulation: str = ""

    # --- what follows from these ---

    @property
    def rejudged(self) -> Judging | Keying | None:
        """How stored replies are shown to other models."""
        return self.judging or self.keying

    @property
    def session_kinds(self) -> tuple[str, ...]:
        """All kinds of session, those that are asked first."""
        return (*self.prompts, *self.recorded)

    @property
    def tells_results(self) -> bool:
        """Whether it says how its results are shown (`recounts`)."""
        return type(self).recounts is not Experiment.recounts

    @property
    def decided_by_tokens(self) -> bool:
        """Whether single tokens decide its predictions (`read_tokens`)."""
        return type(self).read_tokens is not Experiment.read_tokens

    @property
    def trainable(self) -> bool:
        """Whether it says what a model is trained to reply (`replied`)."""
        return type(self).replied is not Experiment.replied

    @property
    def open_ended(self) -> bool:
        """Whether an item may have sessions that are not known beforehand (`further`)."""
        return type(self).further is not Experiment.further

    def asked_names(self, item: Any) -> Sequence[str]:
        """The sessions of an item that are asked, as far as they are known beforehand."""
        names = self.session_names(item)
        return [name for name in names if session_kind(name) not in self.recorded] if self.recorded else names

    def accepts(self, item: Any, session: str) -> bool:
        """Whether this is the name of a session of an item."""
        return session in self.session_names(item) or (
            session_kind(session) in self.session_kinds and self.further(item, session)
        )

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
    """The state of a claim whose two sides need these sessions, and the reason: missing before unreadable before read.

    `withheld` is a state of readings and none of claims: a claim with a side that was withheld is unreadable, with the
    reason `withheld`.
    """
    unread = [reading for reading in (*predicted, *observed) if reading.state != "read"]
    if not unread:
        return "read", None
    if any(reading.state == "missing" for reading in unread):
        return "missing", None
    reason = "withheld" if unread[0].state == "withheld" else unread[0].reason
    return "unreadable", reason


def letter_alone(template: str) -> str:
    """A prediction's template that asks for the letter alone, where its last paragraph asks for a form."""
    question, _, _ = template.rpartition("\n\n")
    return f"{question}\n\nReply with the letter alone, and with nothing else."


def reads_probability_of(side: Side) -> Callable[..., Reading]:
    """How predictions are read that give the probability of a yes, which is the option A: as that, with the option that
    is the more probable one. `side` says what a yes is, so that the probability of its opposite is turned round.
    """

    def read_as_probability(item: Any, text: str, *, truncated: bool = False) -> Reading:
        reading = read_probability(text, keyed_alone=truncated, side=side)
        if reading.value is None:
            return reading
        return msgspec.structs.replace(reading, value="A" if reading.value >= 0.5 else "B", probability=reading.value)

    return read_as_probability


def yes_by_tokens(
    reading: Reading, text: str, tokens: Sequence[Token], letters: Collection[str], *, alone: bool
) -> Reading:
    """The reading of a prediction whose A is a yes, with the probability of that by its tokens."""
    shares = letter_shares(reading, text, tokens, letters, alone=alone)
    if shares is None:
        return without_shares(reading)
    yes = shares["A"]
    return Reading("read", "A" if yes >= 0.5 else "B", evidence=reading.evidence, probability=yes)


def without_shares(reading: Reading) -> Reading:
    """The reading of a prediction whose tokens do not say how probable it is: unreadable, whatever its words say."""
    return Reading("unreadable", reason="format", evidence=reading.evidence) if reading.state == "read" else reading


def repeated(values: Sequence[str]) -> list[str]:
    """Those that occur more than once, sorted."""
    return sorted({value for value in values if values.count(value) > 1})


async def concurrently(first: Awaitable[Any], *others: Awaitable[Any]) -> None:
    """Open sessions concurrently, in this order. Where one fails, the others are given up.

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


def thresholded(quantity: Floats, threshold: float) -> Floats:
    """1 above the threshold, 0 below, 0.5 on it (to within rounding) and where nothing is known."""
    import numpy as np  # not to be imported by a command that only asks

    return np.where(quantity > threshold + ROUNDING, 1.0, np.where(quantity < threshold - ROUNDING, 0.0, 0.5))
