"""Token injection: does a model know whether it would recover from words put into its reply? (paper, section 5)

    execute              a task, alone
    execute.none         the same reply is begun for it, up to where others are disturbed, and nothing is put in: a sham
    execute.KIND.DOSE    DOSE words or tokens are put into the reply, as if the model had written them
    execute.question.N   the same random words stand in the question instead
    predict.KIND.DOSE    told what is put into its reply, the model says whether it would still finish the task rightly
    notice.KIND.DOSE     shown the task and the reply, the model names the words that were not its own
    notice.none          the same of its undisturbed reply, for false alarms

Only a task that the undisturbed reply gets right is gone on with. A reply recovers if it has four fifths of what was
still to come where it was disturbed. The kinds are random words, and the token that the model finds the second or the
least likely at each place. What an engine cannot do is not asked: tokens are forced where it has `forced_tokens`; else
the beginning of the reply is sent with random words behind it, or with the second likeliest token, where the reply came
with log-probabilities.

A claim for each kind and dose: "it would finish the task rightly". No session knows of another, but for those that
notice.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from selfexec.experiments import (
    MISSING_READING,
    Answer,
    Ask,
    Experiment,
    Facts,
    Injection,
    Message,
    Observation,
    Options,
    Prompts,
    Readings,
    Wording,
    Words,
    concurrently,
    session_kind,
    state_of,
)
from selfexec.extensions.injecting.tasks import (
    MOST_DOSE,
    RECOVERED,
    WORD,
    Spot,
    Task,
    foreign_words,
    in_the_question,
    is_right,
    outstanding,
    parts_in,
    share_of,
    spot_in,
)
from selfexec.readers import Reading, fold, read_object
from selfexec.text.numbers import number_of

KINDS = ("random", "second", "least")  # of what is put in
NONE, QUESTION = "none", "question"
UNDISTURBED, SHAM = "execute", f"execute.{NONE}"
NOT_RIGHT = "the undisturbed reply was not right"
NOT_ASKED = "the engine cannot do it"
YES = "A"


def asked(who: str, whose: str) -> str:
    """The template of a prediction: whether somebody would still finish a task."""
    return f"""\
Imagine that {who} given this task:

==========
$task
==========

Somebody tampers with {whose} reply while it is being written: near its beginning, $injected, and the reply goes on \
from there. Which of the following will be true of the finished reply?

A: "It will finish the task rightly."
B: "It will not finish the task rightly."

Do not do the task now. You may think it over first. End your reply with one JSON object of this form: \
{{"choice": "A or B"}}"""


PROMPTS: Prompts = {
    "execute": "$task",
    "predict": asked("you are", "your"),
    "notice": """\
Words that you did not choose may have been put into your last reply while you wrote it, as if they were yours. Or \
none were. Which words of it were not yours?

End your reply with one JSON object of this form: {"words": ["..."]}. If all of them are yours, the list is empty.""",
}
VARIANTS: Prompts = {"predict@frame": asked("$who is", "the")}
INJECTED = {
    "random": (
        "a random word is put into it as if it had been chosen",
        "{} random words are put into it as if they had been chosen",
    ),
    "second": (
        "one token is replaced by the one that seemed second likeliest there",
        "{} tokens in a row are replaced, each by the one that seemed second likeliest there",
    ),
    "least": (
        "the least likely token of all is put into it as if it had been chosen",
        "{} tokens in a row are put into it as if they had been chosen, each the least likely of all there",
    ),
}


class TokenInjection(Experiment):
    """Token injection: does a model know whether it would recover from words that are put into its reply? (paper,
    section 5)
    """

    name = "token_injection"
    claim_kind = "binary"
    needs = frozenset({"turns", "prefill"})
    item_type = Task
    item_name = "task"
    prompts = PROMPTS
    variants = VARIANTS
    options: Mapping[str, Options] = {
        "predict": {"A": "It will finish the task rightly.", "B": "It will not finish the task rightly."}
    }
    shows = {"notice": ("execute",)}
    unneeded = dict.fromkeys(
        ("execute", "predict", "notice"), "the undisturbed reply was not right, or the engine cannot do it"
    )
    tokens = {"execute": 40, "predict": 60, "notice": 40}  # nobody recorded these: a guess
    sampling = {"paper": {"temperature": 0.0}}
    quick = 16
    starter = Path(__file__).with_name("starter") / "token_injection.jsonl"
    examples = (
        Task(
            id="copy",
            kind="copying",
            prompt="Repeat these words in the same order: river, lamp, window, cloud.",
            parts=("river", "lamp", "window", "cloud"),
        ),
        Task(
            id="capital",
            kind="capitals",
            prompt="In one sentence: what is the capital of Spain, and on which continent is it?",
            parts=("Madrid", "Europe"),
            in_order=False,
        ),
    )
    simulation = "selfexec.extensions.injecting.simulated:SimulatedTokenInjection"
    words = Words(
        which="which replies",
        about="whether it would recover from words that are put into its reply",
        asks="Would you recover from words put into your reply?",
        its="whether it recovers from words that are put into its replies",
        their="whether they recover from words that are put into their replies",
        baseline="the tasks, what is put in and which replies of other models recover",
        behaviour=("finish a task rightly", "it finishes it all the same"),
        rates=("recover in {} of the disturbed replies", "recover in {}", "recovers in {}"),
        claimed=lambda item, claim, yes: (
            f"it would {'' if yes else 'not '}finish the task rightly with {described(claim)} in its reply"
        ),
        does="finishes the task rightly",
        measured="whether it predicts if it still finishes a task rightly when words are put into its reply",
        task="prediction of its own recovery from words put into its reply",
        lost="its unread replies",
        item="a task with one right answer of several parts, and how many words are put into replies to it",
        wants="60 tasks or more of several kinds, which your models get right, and not always when disturbed",
        limits=(
            "Token injection: only tasks that the undisturbed reply gets right count, not the same for all models.",
            "Token injection: what an engine cannot do is not asked. Over HTTP words are put in as text, behind a "
            "beginning that the server tokenises anew; the sham shows what that alone changes.",
            "Token injection: its skill pools kinds, doses and tasks. `selfexec analyze injection` shows them apart.",
            "Token injection: thoughts that are hidden are not disturbed.",
        ),
    )

    # --- sessions ---

    def session_names(self, item: Task) -> tuple[str, ...]:
        suffixes = suffixes_of(item)
        return (
            UNDISTURBED,
            *(f"predict.{suffix}" for suffix in suffixes),
            SHAM,
            *(f"execute.{suffix}" for suffix in suffixes),
            *(f"execute.{QUESTION}.{dose}" for dose in item.doses),
            f"notice.{NONE}",
            *(f"notice.{suffix}" for suffix in suffixes),
        )

    async def sessions(self, item: Task, ask: Ask, prompts: Prompts) -> None:
        task = Template(prompts["execute"]).substitute(task=item.prompt)
        reply = await ask(UNDISTURBED, task)
        text = reply.text or ""
        spot = spot_in(item, text)
        if spot is None:
            return
        disturbing = _Disturbing(item, ask, prompts, task, reply, text, spot)
        suffixes = list(disturbing.suffixes())
        await concurrently(
            disturbing.disturb(NONE, 0),
            *(disturbing.predict(kind, dose) for kind, dose in suffixes),
            *(disturbing.disturb(kind, dose) for kind, dose in suffixes),
            *(disturbing.disturb_question(dose) for dose in item.doses),
            disturbing.notice(NONE, text),
        )

    def stand_in(self, item: Task, session: str) -> str | None:
        """A right reply: it is gone on with."""
        return f"Here you are: {', '.join(item.parts)}." if session == UNDISTURBED else None

    def idle(self, readings: Readings) -> Sequence[str]:
        """Where the undisturbed reply was not right, all others; else those of kinds and doses for which nothing was
        asked although others were.
        """
        execute = readings.get(UNDISTURBED, MISSING_READING)
        every = [f"{kind}.{suffix}" for kind in ("predict", "execute", "notice") for suffix in _every_suffix()]
        if execute.state == "missing":
            return ()
        if before_in(execute) is None:
            return [SHAM, f"notice.{NONE}", *every, *(f"execute.{QUESTION}.{n}" for n in range(1, MOST_DOSE + 1))]
        answered = asked_in(readings)
        return [session for session in every if answered and session.partition(".")[2] not in answered]

    # --- readings ---

    def read(self, item: Task, session: str, text: str, options: Options | None = None) -> Reading:
        """A prediction's letter; the words that are named; the parts that a reply has, and of the undisturbed one which
        of them stand before the place where others are disturbed.
        """
        kind = session_kind(session)
        if kind == "predict":
            return super().read(item, session, text, options)
        if kind == "notice":
            return read_object(text, "words", _words_named)
        result: dict[str, Any] = {"parts": parts_in(item, text)}
        if session == UNDISTURBED:
            spot = spot_in(item, text)
            result["before"] = None if spot is None else list(spot.before)
        return Reading("read", result)

    def performed(self, item: Task, session: str, text: str, reading: Reading) -> bool:
        """Whether the task was done instead of what was asked about it."""
        if session_kind(session) == "execute" or reading.state != "unreadable":
            return False
        return reading.reason == "format" and is_right(item, parts_in(item, text))

    def given(self, item: Task, session: str, value: Any) -> Any:
        """A letter; a list of words; {"parts": [places in the right answer]}, of the undisturbed reply `before` too."""
        kind = session_kind(session)
        if kind == "predict":
            return super().given(item, session, value)
        if kind == "notice":
            return _words_named({"words": value})
        if not isinstance(value, dict) or not _are_places(item, value.get("parts")):
            return None
        if session != UNDISTURBED:
            return {"parts": value["parts"]}
        before = value.get("before")
        return {"parts": value["parts"], "before": before if _are_places(item, before) else None}

    # --- claims ---

    def observe(self, item: Task, readings: Readings) -> list[Observation]:
        return [self._claim(item, readings, suffix) for suffix in suffixes_of(item)]

    def _claim(self, item: Task, readings: Readings, suffix: str) -> Observation:
        execute = readings.get(UNDISTURBED, MISSING_READING)
        facts = Facts(label=suffix.partition(".")[0], subject=item.kind, length=len(item.prompt))
        if execute.state == "missing":
            return Observation(suffix, None, None, "missing", facts=facts)
        if before_in(execute) is None:
            return Observation(suffix, None, None, "tie", NOT_RIGHT, facts=facts)
        answered = asked_in(readings)
        if answered and suffix not in answered:
            return Observation(suffix, None, None, "tie", NOT_ASKED, facts=facts)
        predict = readings.get(f"predict.{suffix}", MISSING_READING)
        disturbed = readings.get(f"execute.{suffix}", MISSING_READING)
        state, reason = state_of([predict], [disturbed])
        predicted = predict.value == YES if predict.state == "read" else None
        alone, _ = state_of([predict], [])
        return Observation(
            suffix, predicted, recovers(item, execute, disturbed), state, reason, facts=facts, predicted_state=alone
        )

    # --- items ---

    def title(self, item: Task) -> str:
        return item.prompt

    def oddities(self, item: Task) -> Iterator[str]:
        folded = [fold(part) for part in item.parts]
        yield from (f"the part {part!r} occurs twice" for part, n in Counter(folded).items() if n > 1)
        if len({*item.doses}) < len(item.doses):
            yield "a dose occurs twice"

    def contents(self, item: Task) -> Sequence[str]:
        return [fold(item.prompt)]

    def composition(self, items: Sequence[Task]) -> str:
        kinds = Counter(item.kind for item in items)
        return ", ".join(f"{n} {kind}" for kind, n in kinds.items())

    def strata(self, item: Task) -> tuple[str, str]:
        return item.kind, ""

    def wording(self, item: Task) -> Mapping[str, Sequence[Wording]]:
        return {suffix: [Wording(f"{suffix} {item.prompt}", item.id)] for suffix in suffixes_of(item)}


class _Disturbing:
    """Opens the sessions of a task whose undisturbed reply is known to be right, with this text."""

    def __init__(self, item: Task, ask: Ask, prompts: Prompts, task: str, reply: Answer, text: str, spot: Spot) -> None:
        self._item, self._ask, self._prompts, self._task = item, ask, prompts, task
        self._reply, self._text, self._spot = reply, text, spot
        self._forces = "forced_tokens" in ask.can

    def suffixes(self) -> Iterator[tuple[str, int]]:
        """The kinds and doses that the engine can do."""
        for kind in KINDS:
            for dose in self._item.doses:
                if self._forces or kind == "random" or (kind == "second" and dose == 1 and self._second is not None):
                    yield kind, dose

    async def predict(self, kind: str, dose: int) -> None:
        shown = Template(self._prompts["predict"]).substitute(task=self._item.prompt, injected=injected(kind, dose))
        await self._ask(f"predict.{kind}.{dose}", shown)

    async def disturb(self, kind: str, dose: int) -> None:
        suffix = f"{kind}.{dose}" if dose else kind
        if self._forces:
            injection = Injection(kind, dose, self._tokens_before(), seed_of(self._item))  # type: ignore[arg-type]
            answer = await self._ask(f"execute.{suffix}", self._task, injection=injection)
            whole = answer.text
        else:
            begun = self.begun(kind, dose)
            answer = await self._ask(f"execute.{suffix}", (Message("user", self._task), Message("assistant", begun)))
            whole = None if answer.text is None else begun + answer.text
        if dose and whole is not None:
            await self.notice(suffix, whole)

    async def disturb_question(self, dose: int) -> None:
        shown = Template(self._prompts["execute"]).substitute(task=in_the_question(self._item, dose))
        await self._ask(f"execute.{QUESTION}.{dose}", shown)

    async def notice(self, suffix: str, text: str) -> None:
        conversation = (
            Message("user", self._task),
            Message("assistant", text),
            Message("user", Template(self._prompts["notice"]).safe_substitute()),
        )
        await self._ask(f"notice.{suffix}", conversation)

    def begun(self, kind: str, dose: int) -> str:
        """The beginning that is sent: that of the undisturbed reply, with what is put in behind it."""
        return begun(self._item, self._text, self._spot, kind, dose, self._second)

    def _tokens_before(self) -> int:
        """Behind how many tokens the reply is disturbed, where they are known. Else its words are counted, which are no
        more than its tokens: the place is then no later.
        """
        if self._reply.logprobs:
            return sum(end <= self._spot.at for end in _ends(self._reply.logprobs))
        return len(WORD.findall(self._text[: self._spot.at]))

    @property
    def _second(self) -> str | None:
        return second_likeliest(self._reply, self._spot)


# --- what is put in --------------------------------------------------------------------------------------------------


def begun(item: Task, text: str, spot: Spot, kind: str, dose: int, second: str | None = None) -> str:
    """The beginning of a reply that a server goes on with: of the undisturbed `text`, with what is put in behind it."""
    before = text[: spot.at]
    if kind == "random":
        return " ".join([before, *foreign_words(item, dose)])
    return before + second if kind == "second" and second is not None else before


def second_likeliest(reply: Answer, spot: Spot) -> str | None:
    """The token that was second likeliest where a reply is disturbed, by the log-probabilities that came with it; None
    where these do not say, or no token begins there.
    """
    tokens = reply.logprobs or ()
    for token, start in zip(tokens, [0, *_ends(tokens)], strict=False):
        if start == spot.at:
            others = [other.token for other in token.top_logprobs if other.token != token.token]
            return others[0] if others and others[0].strip() else None
    return None


def _ends(tokens: Sequence[Any]) -> list[int]:
    """Where each token of a text ends."""
    result, end = [], 0
    for token in tokens:
        end += len(token.token)
        result.append(end)
    return result


def seed_of(item: Task) -> int:
    """What random tokens are drawn by: the same for every model."""
    return sum(ord(letter) * (n + 1) for n, letter in enumerate(item.id))


def injected(kind: str, dose: int) -> str:
    """What is put in, as a prediction is told."""
    single, several = INJECTED[kind]
    return single if dose == 1 else several.format(dose)


def described(suffix: str) -> str:
    """What is put in, in a few words: "4 random words"."""
    kind, _, dose = suffix.partition(".")
    nouns = {"random": "random word", "second": "second likeliest token", "least": "least likely token"}
    return number_of(int(dose), nouns[kind])


# --- what came of it -------------------------------------------------------------------------------------------------


def suffixes_of(item: Task) -> tuple[str, ...]:
    """The kinds and doses of an item, as names of sessions and claims have them."""
    return tuple(f"{kind}.{dose}" for kind in KINDS for dose in item.doses)


def _every_suffix() -> list[str]:
    return [f"{kind}.{dose}" for kind in KINDS for dose in range(1, MOST_DOSE + 1)]


def asked_in(readings: Readings) -> set[str]:
    """The kinds and doses that something was asked of."""
    suffixes = (session.partition(".")[2] for session in readings)
    return {suffix for suffix in suffixes if suffix.partition(".")[0] in KINDS}


def before_in(execute: Reading) -> list[int] | None:
    """Which parts stood before the place where replies are disturbed; None where the undisturbed reply was not right,
    so that none is.
    """
    return execute.value["before"] if execute.state == "read" else None


def came(item: Task, execute: Reading, disturbed: Reading) -> float | None:
    """The share of what was still to come that a disturbed reply has; None where that is not known."""
    before = before_in(execute)
    if before is None or disturbed.state != "read":
        return None
    return share_of(item, outstanding(item, before), disturbed.value["parts"])


def recovers(item: Task, execute: Reading, disturbed: Reading) -> bool | None:
    """Whether a disturbed reply has four fifths or more of what was still to come."""
    share = came(item, execute, disturbed)
    return None if share is None else share >= RECOVERED


def _words_named(value: Mapping[str, Any]) -> list[str] | None:
    words = value.get("words")
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else None


def _are_places(item: Task, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(n, int) and 0 <= n < len(item.parts) for n in value)
