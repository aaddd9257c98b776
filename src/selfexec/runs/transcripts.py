"""Sessions as people read them: the prompt, the reply with the words that it was read from marked, and the reading.

A reply is somebody else's text: its control characters are shown, not sent to the terminal, and each of its lines has a
bar before it, so that it cannot pass for ours.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgspec

from selfexec.experiments import EXPERIMENTS, JobKey, Key, Prompt, Prompts, by_source
from selfexec.facets import DEFAULT, Condition, condition_named, in_condition, is_call, turn_of
from selfexec.prompts import digest, name_in, of_model
from selfexec.readers import Reading
from selfexec.runs.ends import why_unknown
from selfexec.runs.readings import KEPT_STATE, UNKNOWN_END, state_shown
from selfexec.runs.replay import FORCED, ReplayedItem, forcing, prompts_of
from selfexec.runs.reply import Reply, ended_with
from selfexec.runs.run import Run
from selfexec.text.numbers import decimal, number_of
from selfexec.text.printable import harmless, harmless_line

BAR = "  │ "
OPEN, CLOSE = "\x01", "\x02"  # around the marked words; a reply's own control characters are written out by then
BEGIN, END = 2_000, 4_000  # characters of a long text that are shown: answers are mostly at the end
WHY = {
    "format": "no answer in a recognised form",
    "truncated": "it was cut off before an answer was whole",
    "performed": "it does the task instead of predicting how it would do it",
    "declined": "it says that it will not, or cannot, answer",
    "requested": "it asks for an execution instead of predicting",
    "model": "by the model",
    "provider": "by the provider",
    UNKNOWN_END: "its end is not known",
}


@dataclass(frozen=True)
class Marks:
    """What stands before and after the words that a reply was read from."""

    begin: str = "«"
    end: str = "»"


BOLD = Marks("\x1b[1;4m", "\x1b[0m")


def transcripts(
    run: Run,
    keys: Sequence[Key],
    marks: Marks = Marks(),
    width: int | None = None,
    claims: Mapping[JobKey, Sequence[str]] = MappingProxyType({}),
) -> Iterator[str]:
    """Each session as a few lines of text. With a `width`, lines are wrapped to it. What `claims` say of an item stands
    below the last of its sessions.
    """
    prompts = prompts_sent(run, keys)
    last = {key[:4]: key for key in keys}
    for key in keys:
        lines = list(session_lines(key, prompts[key], run.replies[key], run.readings[key], marks, width))
        if key._replace(session=turn_of(key.session, 2)) in run.replies:
            lines[-1] += ", by the last turn"
        if last[key[:4]] == key:
            lines += [f"  claim {harmless_line(claim)}" for claim in claims.get(key[:4], ())]
        yield "\n".join(lines)


def prompts_sent(run: Run, keys: Iterable[Key]) -> dict[Key, Prompt | None]:
    """The prompts of sessions, worked out again from items, templates and replies. None where it is unknown what
    was sent: the run kept another SHA-256, or none, as imported ones do.
    """
    keys = list(keys)
    there: dict[JobKey, list[Key]] = {key[:4]: [] for key in keys}
    for key in run.replies:
        if key[:4] in there:
            there[key[:4]].append(key)
    forcing_models = forcing(run.replies.values())
    narrowed = DEFAULT if run.condition is None else condition_named(run.condition)

    def job(place: JobKey, facets: Condition) -> ReplayedItem:
        model, experiment, item, _ = place
        replies = [run.replies[key] for key in there[place] if key == in_condition(key, facets)]
        return ReplayedItem(
            experiment,
            run.items[experiment][item],
            _templates(run, model, experiment, facets),
            {reply.session: reply.text for reply in replies},
            forced={reply.session: reply.forced for reply in replies if reply.forced is not None},
            logprobs={reply.session: reply.logprobs for reply in replies if reply.logprobs},
            can=FORCED if model in forcing_models else frozenset(),
            condition=facets or narrowed,
            tokens={reply.session: reply.output_tokens for reply in replies if reply.key.facets == facets},
        )

    jobs = {
        (place, facets): job(place, facets) for place, facets in dict.fromkeys((key[:4], key.facets) for key in keys)
    }
    rebuilt = dict(zip(jobs, prompts_of(jobs.values()), strict=True))
    return {key: _if_sent(run, key, rebuilt[key[:4], key.facets].get(key.session)) for key in keys}


def _templates(run: Run, model: str, experiment: str, facets: Condition) -> Prompts:
    """Those that the run keeps, of this model alone or of all; where it keeps none, those that are shipped, which may
    be others than were sent.
    """
    kept = run.prompts if run.manifest.prompts else {}
    shipped = EXPERIMENTS[experiment].prompts
    plain = {kind: kept.get(f"{experiment}.{kind}") or template for kind, template in shipped.items()}
    names = {kind: name_in(facets, experiment, kind) for kind in plain}
    return {kind: kept.get(of_model(name, model)) or kept.get(name) or plain[kind] for kind, name in names.items()}


def _if_sent(run: Run, key: Key, prompt: Prompt | None) -> Prompt | None:
    """A prompt, where the reply's line or the manifest says that it is the one that was sent."""
    if prompt is None:
        return None
    if (recorded := run.replies[key].prompt_sha256) is not None:
        return prompt if digest(prompt) == recorded else None
    names = (name_in(key.facets, key.experiment, key.session_kind), f"{key.experiment}.{key.session_kind}")
    known = run.manifest.prompts and any(run.prompts.get(name) is not None for name in names)
    return prompt if known else None


# --- as text ---------------------------------------------------------------------------------------------------------


def session_lines(
    key: Key, prompt: Prompt | None, reply: Reply, reading: Reading, marks: Marks, width: int | None
) -> Iterator[str]:
    yield harmless_line(str(key))
    yield f"  prompt{'' if prompt is not None else ': not kept'}"
    if prompt is not None:
        yield from _barred(_shortened(harmless(prompt_text(prompt))), marks, width)
    if reply.reasoning:
        yield f"  reasoning, which is not read ({len(reply.reasoning):,} characters): --format json has it"
    text = _text_shown(reply)
    facts = ", ".join(_facts(reply))
    yield f"  reply{f' ({facts})' if facts else ''}{'' if text else ': empty' if text == '' else ': none'}"
    if text:
        yield from _barred(_marked(text, reading.evidence), marks, width)
    yield f"  {_outcome(key, reading)}"


def _text_shown(reply: Reply) -> str | None:
    """What came; of a reply whose end is not known, the text that was kept apart."""
    if reply.ended_unknown:
        return reply.unknown_end_text or ""
    return reply.refusal if reply.text is None else reply.text


def prompt_text(prompt: Prompt) -> str:
    """A prompt as people read it: of a conversation, who said what."""
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(f"[{message.role}] {message.content}" for message in prompt)


def _facts(reply: Reply) -> Iterator[str]:
    if reply.output_tokens is not None:
        yield number_of(reply.output_tokens, "token")
    if reply.parent:
        yield f"asked within {harmless_line(reply.parent)}"
    if reply.ended_unknown:
        yield f"{ended_with(reply.unknown_end)}, {why_unknown(reply.unknown_end)}; it is kept and does not count"
    elif reply.unknown_end is not None:
        yield f"{ended_with(reply.unknown_end)}, {why_unknown(reply.unknown_end)}; that end is accepted"
    elif reply.stop_reason:
        yield f"stop reason: {harmless_line(reply.stop_reason)}"


def _outcome(key: Key, reading: Reading) -> str:
    if reading.state == "read":
        value = harmless(msgspec.json.encode(reading.value).decode())
        if is_call(key.session):
            return "kept: what another session is told of it is its text"
        kept = state_shown(key, reading) == KEPT_STATE
        chance = "" if reading.probability is None else f", probability {decimal(reading.probability)}"
        judged = "".join(
            f"; {harmless_line(by_source(source))}: {_verdict(said)}" for source, said in reading.judged.items()
        )
        return f"kept, not read; by a fixed rule: {value}{judged}" if kept else f"read as {value}{chance}{judged}"
    why = reading.reason or ""
    reason = f"{why}: {WHY[why]}" if why in WHY and reading.state == "unreadable" else WHY.get(why, harmless_line(why))
    return f"{reading.state}{f' ({reason})' if reason else ''}"


def _verdict(said: Any) -> str:
    """What somebody said of a reply afterwards."""
    if isinstance(said, Mapping):
        return ", ".join(f"{harmless_line(claim)} {_verdict(one)}" for claim, one in said.items())
    if isinstance(said, str):
        return harmless_line(said)
    return "cannot tell" if said is None else "yes" if said else "no"


def _marked(text: str, evidence: str | None) -> str:
    """The text with marks around the last place of the words that it was read from, and cut in the middle where it is
    long; the marked words stay.
    """
    at = text.rfind(evidence) if evidence else -1
    if at < 0 or not evidence:
        return _shortened(harmless(text))
    before, after = harmless(text[:at]), harmless(text[at + len(evidence) :])
    return f"{_shortened(before)}{OPEN}{harmless(evidence)}{CLOSE}{_shortened(after)}"


def _shortened(text: str) -> str:
    left_out = len(text) - BEGIN - END
    if left_out <= 0:
        return text
    return f"{text[:BEGIN]}\n[... {left_out:,} characters left out: --format json has them ...]\n{text[-END:]}"


def _barred(text: str, marks: Marks, width: int | None) -> Iterator[str]:
    """Its lines, each with a bar before it, and marks around what is marked on each."""
    within = False
    for line in text.splitlines() or [""]:
        for piece in _wrapped(line, width):
            opened, within = within, _still_open(piece, within)
            whole = f"{OPEN if opened else ''}{piece}{CLOSE if within else ''}" if piece else ""
            yield BAR + whole.replace(OPEN, marks.begin).replace(CLOSE, marks.end)


def _still_open(piece: str, before: bool) -> bool:
    opens, closes = piece.rfind(OPEN), piece.rfind(CLOSE)
    return before if opens == closes else opens > closes


def _wrapped(line: str, width: int | None) -> list[str]:
    if width is None or not line:
        return [line]
    room = max(width - len(BAR), 20)
    return textwrap.wrap(line, room, replace_whitespace=False, drop_whitespace=False, break_on_hyphens=False)
