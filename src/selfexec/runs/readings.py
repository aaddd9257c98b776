"""From replies to readings, and readings as users meet them: a line per session, a summary of what could be read."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, get_args

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item, Key, Options, Prompt
from selfexec.facets import (
    BY_TOKENS,
    DEFAULT,
    LETTER_ALONE,
    Condition,
    base_of,
    condition_name,
    dialogue_in,
    is_call,
    nested,
    touching,
    turn_of,
)
from selfexec.items import ItemSet
from selfexec.prompts import options_in
from selfexec.readers import Reading, State, closed, ends_in_the_open, up_to_a_further_prompt, visible_tokens
from selfexec.runs.reply import BySession, GivenReading, Reply
from selfexec.text.matching import meant
from selfexec.text.numbers import number_of

KEPT_STATE = "kept"  # what is said of it where it came back
SHORT = 80  # characters of a reply: no prompt fits behind its answer
UNREADABLE = ("format", "truncated", "performed", "declined", "requested")  # why, in the order of columns
REQUESTED = "requested"  # why a session says nothing that asked for executions to the end
UNFINISHED = "unfinished"  # why one is missing that asked for an execution and was not told what came of it
UNKNOWN_END = "end"  # why a session is missing whose reply ended in a way that is not known


def read_replies(
    item_set: ItemSet,
    replies: Mapping[Key, Reply],
    given: Mapping[Key, GivenReading] | None = None,
    prompts: Mapping[str, str | None] = MappingProxyType({}),
    condition: Condition = DEFAULT,
) -> BySession[Reading]:
    """A reading of every reply. `prompts` are the texts of the prompts that were asked: what a letter stands for is as
    they have it. Readings given from elsewhere take the place of ours, session by session. `condition` is the one that
    replies without facets were asked in.
    """
    given = given or {}
    kinds = ((name, kind) for name, definition in EXPERIMENTS.items() for kind in definition.options)
    options = {place: said for place in kinds if (said := options_in(prompts, *place))} if prompts else {}
    read_before: ReadBefore = {}
    readings = BySession(
        (
            key,
            read_reply(
                item_set.items[key.experiment][key.item],
                reply,
                given.get(key) if given else None,
                options.get((key.experiment, key.session_kind)) if options else None,
                read_before,
                condition,
            ),
        )
        for key, reply in replies.items()
    )
    if not (condition or any(key.facets for key in replies)):
        return readings
    return _with_last_turns(readings, replies, given, condition)


def _with_last_turns(
    readings: BySession[Reading],
    replies: Mapping[Key, Reply],
    given: Mapping[Key, GivenReading],
    condition: Condition,
) -> BySession[Reading]:
    """The readings, where a session of several turns is read as its last turn is, under the name of the session. One
    that asks on at the end is unreadable (`requested`) if it could not go on, and else missing. Turns and calls
    themselves stay among the readings.
    """
    turns: dict[Key, int] = defaultdict(int)
    for key in replies:
        if dialogue_in(key.facets or condition, key.experiment, key.session_kind) and not is_call(key.session):
            within = nested(key.session)
            first = key._replace(session=base_of(key.session))
            turns[first] = max(turns[first], within.number if within else 1)
    spoken = {first: _last_turn(first, number, readings, replies, condition) for first, number in turns.items()}
    concluded = {first: reading for first, reading in spoken.items() if first in readings and first not in given}
    return BySession({**readings, **concluded}) if concluded else readings


def _last_turn(
    first: Key, number: int, readings: Mapping[Key, Reading], replies: Mapping[Key, Reply], condition: Condition
) -> Reading:
    """What a conversation of so many turns says."""
    held = dialogue_in(first.facets or condition, first.experiment, first.session_kind)
    last = first._replace(session=turn_of(first.session, number))
    reading = readings.get(last, Reading("missing"))
    if held is None or reading.state in ("missing", "withheld"):
        return reading
    dialogue, level = held
    if dialogue.asks_on(replies[last].text or "") is None:
        return reading
    if number >= dialogue.turns(level):
        return Reading("unreadable", reason=REQUESTED, evidence=reading.evidence, tokens=reading.tokens)
    return Reading("missing", reason=UNFINISHED, tokens=reading.tokens)


# experiment, item, session, what was said there and in what form -> what it commits to: models often say the same
ReadBefore = dict[tuple[str, str, str, str, str], Reading]


def read_reply(
    item: Item,
    reply: Reply,
    given: GivenReading | None = None,
    options: Options | None = None,
    read_before: ReadBefore | None = None,
    condition: Condition = DEFAULT,
) -> Reading:
    """What a reply commits to: of one with an injection, what came behind it. `options`: what its letters stand for,
    where the prompt gave them another meaning than our prompts do. Texts that were `read_before` in the same session
    are not read again; those that are not are added. `condition`: what it was asked in, where its key has no facets.
    """
    facets = reply.key.facets or condition
    asked_form = _form(reply.key, facets) if facets else ""
    if reply.ended_unknown:
        return Reading("missing", reason=UNKNOWN_END, tokens=reply.output_tokens)
    if by := reply.withheld_by:
        found = Reading("withheld", reason=by, evidence=reply.refusal or reply.policy, tokens=reply.output_tokens)
        return _with_visible(found, reply)
    if reply.failed or reply.text is None:
        return Reading("missing", reason=reply.error, tokens=reply.output_tokens)
    if facets and is_call(reply.session):
        return Reading("read", tokens=reply.output_tokens)
    if facets and given is None and (held := dialogue_in(facets, reply.experiment, reply.key.session_kind)):
        asked = held[0].asks_on(reply.text)
        if asked is not None:
            return Reading("read", {"asks": asked}, tokens=reply.output_tokens)
    if given is None or is_kept(reply.key):
        session = base_of(reply.session) if facets else reply.session
        reading = _read(item, reply, session, options, {} if read_before is None else read_before, asked_form)
        if reading.state == "read" and not reply.read_text.strip() and reply.known_stop == "length":
            # its budget was used up before the first word: nobody knows what it would have said
            reading = Reading("unreadable")
        elif (
            reading.state == "read"
            and reply.known_stop == "length"
            and not _is_whole(item, reply, reading.value, asked_form)
        ):
            reading = Reading("unreadable")
        elif reading.state == "read" and reply.known_stop in (None, "length") and _is_cut_short(item, reply, reading):
            reading = msgspec.structs.replace(reading, reason="truncated")
    elif (value := EXPERIMENTS[reply.experiment].given(item, base_of(reply.session), given.value)) is not None:
        reading = Reading("read", value, probability=given.probability)
    else:
        reading = Reading("unreadable", reason=given.reason or "format")
    if asked_form in BY_TOKENS and given is None:
        reading = _read_by_tokens(item, reply, reading, alone=asked_form == LETTER_ALONE)
    if reading.state == "unreadable" and reply.known_stop == "length":
        reading = msgspec.structs.replace(reading, reason="truncated")
    elif reading.reason == "truncated" and reply.known_stop == "stop":
        # it looks cut off, but the model ended there
        reading = msgspec.structs.replace(reading, reason="format")
    if reply.seconds is not None:
        reading = msgspec.structs.replace(reading, seconds=reply.seconds)
    if reply.output_tokens is None:
        return reading
    return _with_visible(msgspec.structs.replace(reading, tokens=reply.output_tokens), reply)


def _form(key: Key, condition: Condition) -> str:
    """The facet's level by which a prediction was to be answered in another form than usual, as `elicit=probability`;
    "" where none was.
    """
    experiment = EXPERIMENTS[key.experiment]
    if key.session_kind not in experiment.predictions:
        return ""
    otherwise = {*experiment.read_otherwise, *BY_TOKENS}
    facets = key.facets or touching(condition, key.experiment, key.session_kind)
    return next((form for name, level in facets if (form := f"{name}={level}") in otherwise), "")


def _read_by_tokens(item: Item, reply: Reply, reading: Reading, *, alone: bool) -> Reading:
    """What a reply commits to, with probabilities by its tokens. A reply that does the task, or declines to predict,
    stays what it is.
    """
    if reading.reason in ("performed", "declined"):
        return reading
    experiment = EXPERIMENTS[reply.experiment]
    return experiment.read_tokens(item, reading, reply.text or "", reply.logprobs or (), alone=alone)


def _is_whole(item: Item, reply: Reply, value: Any, form: str) -> bool:
    experiment, session, text = EXPERIMENTS[reply.experiment], base_of(reply.session), reply.read_text
    if form in experiment.read_otherwise:
        return _read_as_asked(item, reply, session, text, None, form, truncated=True).value is not None
    return experiment.counts_when_cut(item, session, text, value)


def _is_cut_short(item: Item, reply: Reply, reading: Reading) -> bool:
    """Whether a part of what was asked for is lacking because the reply was cut off, as the engine says, or, where it
    says nothing, as the text looks.
    """
    if not EXPERIMENTS[reply.experiment].leaves_open(item, base_of(reply.session), reading.value):
        return False
    return reply.known_stop == "length" or ends_in_the_open(reply.read_text)


def _read(
    item: Item, reply: Reply, session: str, options: Options | None, read_before: ReadBefore, form: str
) -> Reading:
    """What the words of a reply commit to, no matter who says them."""
    text = reply.read_text
    experiment = EXPERIMENTS[reply.experiment]
    is_otherwise = form in experiment.read_otherwise
    whole = closed(text) if is_otherwise and reply.known_stop == "stop" else text
    said = (reply.experiment, reply.item, session, whole, form)
    found = read_before.get(said)
    if found is None:
        found = _read_as_asked(item, reply, session, whole, options, form)
        if experiment.performed(item, session, text, found):
            found = Reading("unreadable", reason="performed", evidence=found.evidence)
        if whole != text and found.evidence:
            found = msgspec.structs.replace(found, evidence=found.evidence.rstrip("}]"))  # as it stands in the reply
        if "\\u" in text:
            found = msgspec.structs.replace(found, value=_in_whole_characters(found.value))
        read_before[said] = found
    return found


def _read_as_asked(
    item: Item, reply: Reply, session: str, text: str, options: Options | None, form: str, *, truncated: bool = False
) -> Reading:
    """What a text commits to where that is asked for in this form, up to a further prompt: a prompt that leaves the
    form to the model may well be answered by one.
    """
    experiment = EXPERIMENTS[reply.experiment]

    def read(words: str) -> Reading:
        if form in experiment.read_otherwise:
            return experiment.read_otherwise[form](item, words, **({"truncated": True} if truncated else {}))
        return experiment.read(item, session, words, *([options] if options else []))

    if reply.key.session_kind in (*experiment.kept, *experiment.free) or _is_an_answer_alone(text):
        return read(text)
    templates = (*experiment.prompts.values(), *experiment.variants.values())
    drafts = experiment.claim_kind == "order" and reply.key.session_kind in experiment.predictions
    return up_to_a_further_prompt(read, text, templates, drafts=drafts)


def _is_an_answer_alone(text: str) -> bool:
    """Whether a reply is a single plain object, in a fence or without, or a short line, as most are: no prompt follows
    that.
    """
    bare = text.strip("`\n ").removeprefix("json").lstrip()
    return (bare.startswith("{") and bare.find("}") == len(bare) - 1) or (len(text) < SHORT and "\n" not in text)


def _with_visible(reading: Reading, reply: Reply) -> Reading:
    """The reading with the tokens of its visible answer, or why they are not known, where thoughts were counted."""
    if reply.reasoning_tokens is None:
        return reading
    text = reply.text or reply.refusal or ""
    found = visible_tokens(reply.output_tokens, reply.reasoning_tokens, text, reply.reasoning)
    if isinstance(found, str):
        return msgspec.structs.replace(reading, uncounted=found)
    return msgspec.structs.replace(reading, visible_tokens=found)


def is_kept(key: Key) -> bool:
    """Whether the reply of this session is kept, not read: it is judged in another one. Of an experiment that is not
    installed nothing is known.
    """
    known = EXPERIMENTS.get(key.experiment)
    return (known is not None and key.session_kind in known.kept) or is_call(key.session)


def is_free(key: Key) -> bool:
    """Whether the prompt of this session leaves the form of its reply to the model."""
    known = EXPERIMENTS.get(key.experiment)
    return known is not None and (is_kept(key) or key.session_kind in known.free)


def _in_whole_characters(value: Any) -> Any:
    """A value without halves of characters, which a reply may spell out (\\ud83d) and no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_in_whole_characters(part) for part in value]
    if isinstance(value, dict):
        return {_in_whole_characters(name): part for name, part in value.items()}
    return value


def choose(
    readings: Mapping[Key, Reading],
    *,
    models: Sequence[str] = (),
    experiments: Sequence[str] = (),
    sessions: Sequence[str] = (),
    items: Sequence[str] = (),
    states: Sequence[str] = (),
) -> BySession[Reading]:
    """The readings of some models, experiments, sessions, items and states; of all where none is named.

    A session is named whole or by its kind: `execute` is every `execute.Q1`. Several names may stand in one, with
    commas between them. A name that no session here has is refused. The sessions of an item stand together, in the
    order of the experiment.
    """
    wanted = (
        named("model", models, {key.model for key in readings}),
        named("experiment", experiments, {key.experiment for key in readings}),
        named("session", sessions, {name for key in readings for name in (key.session, key.session_kind)}),
        named("item", items, {key.item for key in readings}),
        named("state", states, {*get_args(State), KEPT_STATE}),
    )

    def chosen(key: Key, reading: Reading) -> bool:
        names: tuple[set[str], ...] = (
            {key.model},
            {key.experiment},
            {key.session, key.session_kind},
            {key.item},
            {state_shown(key, reading)},
        )
        return all(not some or some & have for some, have in zip(wanted, names, strict=True))

    return BySession((key, readings[key]) for key in _in_order(readings) if chosen(key, readings[key]))


def _in_order(keys: Iterable[Key]) -> list[Key]:
    """Models and items as they came, experiments and kinds of sessions as they are listed."""
    keys = list(keys)
    models = {model: n for n, model in enumerate(dict.fromkeys(key.model for key in keys))}
    experiments = {experiment: n for n, experiment in enumerate(EXPERIMENTS)}
    items = {item: n for n, item in enumerate(dict.fromkeys(key.item for key in keys))}
    kinds = {(e, kind): n for e, definition in EXPERIMENTS.items() for n, kind in enumerate(definition.session_kinds)}

    def place(key: Key) -> tuple[int | str, ...]:
        item = (models[key.model], experiments[key.experiment], items[key.item], key.epoch)
        within = nested(key.session)
        turn = (within.number, within.role == "call") if within else (1, False)
        return (*item, kinds[key.experiment, key.session_kind], base_of(key.session), condition_name(key.facets), *turn)

    return sorted(keys, key=place)


def named(what: str, given: Sequence[str], known: set[str]) -> set[str]:
    """The names that are given; one with a comma in it may be several."""
    names = {part.strip() for name in given for part in ([name] if name in known else name.split(","))}
    if "" in names:
        raise InputError(f"--{what} {','.join(given)!r}: a name in it is empty. Write it like a,b.")
    if strange := sorted(names - known):
        way_out = meant(strange[0], sorted(known)) if known else "There are no replies here."
        raise InputError(f"--{what} {strange[0]}: no reply here is of this {what}. {way_out}")
    return names


def state_shown(key: Key, reading: Reading) -> str:
    """The state of a session as users meet it: a response that came back is kept, not read."""
    kept = is_kept(key) and reading.state == "read"
    return KEPT_STATE if kept else reading.state


def reading_lines(
    readings: Mapping[Key, Reading], replies: Mapping[Key, Reply], prompts: Mapping[Key, Prompt | None] | None = None
) -> Iterator[bytes]:
    """JSON lines {model, experiment, item, epoch, session, state, reason, value, evidence, text}, and what else a reply
    has: the reasoning, a refusal, a probability, the word and the text of an unknown end. With `prompts`, each has its
    prompt, null where it was not kept. A session without a reply has the reason "no reply". A response of the
    restriction experiment is `kept`; its value is what a fixed rule makes of it.
    """
    encode = msgspec.json.Encoder().encode
    for key, reading in readings.items():
        reply = replies.get(key)
        found = {
            "state": state_shown(key, reading),
            "reason": reading.reason or _why_missing(reading, reply),
            "value": reading.value,
            "evidence": reading.evidence,
            "text": None if reply is None else reply.text,
        }
        if reply is None:
            yield encode(key.fields() | found | ({} if prompts is None else {"prompt": None}))
            continue
        more = {"reasoning": reply.reasoning, "refusal": reply.refusal, "probability": reading.probability}
        more |= {"parent": reply.parent, "unknown_end": reply.unknown_end, "unknown_end_text": reply.unknown_end_text}
        found |= {name: part for name, part in more.items() if part is not None and part != ""}
        yield encode(key.fields() | found | ({} if prompts is None else {"prompt": prompts[key]}))


def _why_missing(reading: Reading, reply: Reply | None) -> str | None:
    """Why nothing that counts came of a session; None where something did."""
    if reply is None:
        return "no reply"
    return reply.failure if reading.state == "missing" else None


def reading_summary(readings: Mapping[Key, Reading]) -> tuple[str, list[str], list[list[str]]]:
    """Title, columns and rows: how many sessions of each model and kind came to which state. They add up to all."""
    states: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for key, reading in readings.items():
        states[key.model, key.experiment, key.session_kind][_column(key, reading)] += 1
    known = [
        *("read", KEPT_STATE, *UNREADABLE),
        *("withheld", "missing"),
    ]
    found = set().union(*states.values()) if states else set()
    columns = [name for name in known if name in found] + sorted(found - set(known))
    rows = [[*place, *(f"{count[c]:,}" if count[c] else "" for c in columns)] for place, count in states.items()]
    title = f"{number_of(len(readings), 'session')}, by the state of their replies"
    return title, ["model", "experiment", "session", *columns], rows


def _column(key: Key, reading: Reading) -> str:
    state = state_shown(key, reading)
    return reading.reason or "other" if state == "unreadable" else state


def reading_legend(readings: Mapping[Key, Reading]) -> Iterator[str]:
    """What the columns of the summary mean that are no plain words."""
    columns = dict.fromkeys(_column(key, reading) for key, reading in readings.items())
    if KEPT_STATE in columns:
        yield "kept: stored, and not read by itself; another session or a fixed rule judges it."
    if unreadable := [name for name in (*UNREADABLE, "other") if name in columns]:
        yield f"{', '.join(unreadable)}: unreadable, for this reason (selfexec explain unreadable)."
