"""Logs of Inspect AI: .eval and .json files, read by its own reader, which comes with the extra [inspect].

What a model was shown are the messages before its first response, and the tools that it could call. Where it spoke more
than once (tools, several turns) the log's events must show that it began with these messages: nobody could show it
beforehand what it was shown later.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from selfexec.errors import InputError
from selfexec.extensions.logs.chats import whole
from selfexec.extensions.logs.log import Log, UnusableLog, nested, plain, sound
from selfexec.extensions.logs.samples import Logged, LoggedReply, Mark, Turn
from selfexec.extras import to_install
from selfexec.files import jsonl
from selfexec.text.regex import regex

NAME = "inspect"
EXTRA = f"logs of Inspect AI are read by its own package. Install it: {to_install('inspect')}"
MOST_UNPACKED = 2_000_000_000  # bytes of a log
SAMPLES = "samples/"  # before the names of their parts
UNWANTED = {"events", "events_data", "store", "timelines"}
ATTACHED = regex(r"attachment://([a-f0-9]{32})")
STOPS = {"max_tokens": "length", "model_length": "length"}  # as we call them


def files_in(folder: Path) -> list[Path]:
    """The logs of a folder. Other JSON may lie there, too."""
    found = [path for path in folder.rglob("*") if path.suffix == ".eval" or _is_log(path)]
    return sorted(path for path in found if path.is_file())


def _is_log(path: Path) -> bool:
    """Whether a JSON file begins as logs do; whole ones may be large."""
    if path.suffix != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        begin = file.read(2000)
    return b'"version"' in begin and b'"eval"' in begin


def read(path: Path) -> Log:
    """One log, whole or cut short. What cannot be used is counted; InputError where the file is none of Inspect's."""
    try:
        import inspect_ai.log
    except ImportError:
        raise InputError(f"{path}: {EXTRA}") from None
    sha256 = hashlib.sha256(jsonl.file_bytes(path)).hexdigest()
    try:
        _refuse_unreadable(path)
        begun = inspect_ai.log.read_eval_log(str(path), header_only=True)
    except InputError:
        raise
    except Exception as fault:  # whatever a damaged file makes it raise
        raise InputError(
            f"{path}: Inspect cannot read it ({type(fault).__name__}). Give a log that `inspect eval` wrote, .eval or "
            ".json."
        ) from None
    header = begun.eval
    # a simulated model is asked here by the name that it has here
    log = Log(path, sha256, NAME, sound(header.model).removeprefix("selfexec/") or None)
    if begun.status != "success":
        log.notes.append(f"its status is {begun.status!r}, so that samples may be missing from it")
    for sample, first in _samples(path, log):
        try:
            log.samples.append(_logged(sample, first, sound(header.task) or "task", f"{sha256[:16]}:{sample.id}"))
        except UnusableLog as fault:
            log.left_out[str(fault)] += 1
    if _multiple_correct(begun.plan) or any(one.several_right for one in log.samples):
        log.samples = [msgspec.structs.replace(one, several_right=True) for one in log.samples]
    return log


def _multiple_correct(plan: Any) -> bool:
    """Whether the task lets the model choose several options."""
    return any((step.params or {}).get("multiple_correct") is True for step in (plan.steps if plan else ()))


def _refuse_unreadable(path: Path) -> None:
    """Raise where a log is none, before Inspect's reader sees it: what is nested deeply enough takes all memory there,
    and what is packed well enough, too.
    """
    if path.suffix != ".eval":
        json.loads(path.read_bytes())
        return
    with zipfile.ZipFile(path) as packed:
        if sum(part.file_size for part in packed.infolist()) > MOST_UNPACKED:
            raise InputError(f"{path}: unpacked it has more than {MOST_UNPACKED:,} bytes. Give it in parts.")
        for name in packed.namelist():
            if not name.startswith(SAMPLES) and name.endswith(".json"):
                json.loads(packed.read(name))


def _samples(path: Path, log: Log) -> Iterator[tuple[Any, "_FirstCall | None"]]:
    """Each sample that can be read, with its first call of a model. One that is damaged is no reason to lose the
    others, where they are apart.
    """
    from inspect_ai.log import read_eval_log

    if path.suffix != ".eval":
        try:
            for sample in read_eval_log(str(path), resolve_attachments=True).samples or ():
                calls = [event.model_dump(mode="json") for event in sample.events or () if event.event == "model"][:1]
                yield sample, _first_call(calls)
        except Exception as fault:
            raise InputError(f"{path}: its samples cannot be read ({type(fault).__name__}). Is it whole?") from None
        return
    with zipfile.ZipFile(path) as packed:
        for part in sorted(packed.namelist()):
            if part.startswith(SAMPLES) and part.endswith(".json"):
                try:
                    yield _from_part(packed, part)
                except Exception:  # whatever a damaged part makes it raise
                    log.left_out["that is damaged"] += 1


def _from_part(packed: zipfile.ZipFile, part: str) -> tuple[Any, "_FirstCall | None"]:
    """A sample from its part of a log. (Inspect's reader opens the log anew for each: twenty times as long.)"""
    from inspect_ai.log import EvalSample

    content = json.loads(packed.read(part))
    attached = content.pop("attachments", None) or {}
    kept = {name: value for name, value in content.items() if name not in UNWANTED}
    calls = [event for event in content.get("events") or () if nested(event, "event") == "model"][:1]
    sample = EvalSample.model_validate(_with_texts(kept, attached))
    return sample, _first_call(_with_texts([_without_messages(call) for call in calls], attached))


def _without_messages(call: Mapping[str, Any]) -> dict[str, Any]:
    """What is read of an event, without the rest, which may be long."""
    return {name: call.get(name) for name in ("tools", "output", "pending")}


class _FirstCall(NamedTuple):
    """The first call of a model in a sample: its tools, by name and description, and the message that came back, by its
    id and by its words with those of the tools that it called.
    """

    tools: tuple[tuple[str, str], ...]
    id: str | None
    words: str


def _first_call(calls: Sequence[Mapping[str, Any]]) -> _FirstCall | None:
    if not calls:
        return None
    choices = nested(calls[0], "output", "choices") or [{}]
    message = nested(choices[0], "message") or {}
    tools = tuple(
        (sound(nested(tool, "name")), sound(nested(tool, "description"))) for tool in calls[0].get("tools") or ()
    )
    called = [sound(nested(call, "function")) for call in message.get("tool_calls") or ()]
    return _FirstCall(tools, message.get("id"), _signature(message.get("content"), called))


def _signature(content: Any, called: Sequence[str]) -> str:
    texts = [content] if isinstance(content, str) else [nested(part, "text") for part in content or ()]
    return json.dumps([[text for text in texts if text], list(called)])


def _with_texts(value: Any, attached: Mapping[str, str]) -> Any:
    """The same with texts in the place of what stands for them: long ones are kept apart, once."""
    if isinstance(value, str):
        return ATTACHED.sub(lambda found: attached.get(found[1], found[0]), value) if "://" in value else value
    if isinstance(value, list):
        return [_with_texts(one, attached) for one in value]
    if isinstance(value, dict):
        return {name: _with_texts(one, attached) for name, one in value.items()}
    return value


# --- one sample ------------------------------------------------------------------------------------------------------


def _logged(sample: Any, first: _FirstCall | None, task: str, place: str) -> Logged:
    if sample.error is not None:
        raise UnusableLog("that ended in an error")
    if sample.limit is not None:
        raise UnusableLog("that ended at a limit")
    if sample.invalidation is not None:
        raise UnusableLog("that was invalidated")
    before, responses, turns = _conversation(sample)
    begins = first is not None and _is_reply(responses[0], first)
    if turns is not None and not begins:
        raise UnusableLog(f"{turns}, where the log does not show how they began")
    if first is not None and not begins:
        # the messages before the response may tell of what came before them, as a summary of earlier turns does
        raise UnusableLog("in which another call of a model came before the response")
    tools = _tools(first.tools) if first else []
    messages = whole([*tools, *(Turn(_role(message), _text(message.content)) for message in before)])
    options = _options(sample.choices or (), messages)
    return Logged(
        place=f"{place}:{sample.epoch}",
        task=task,
        sample=sound(str(sample.id)),
        epoch=sample.epoch,
        shown=messages,
        reply=_told(sample, responses[-1]) if turns is None else _told_at_the_end(sample, responses[-1]),
        options=options,
        target=_target(sample.target),
        marks=dict(_marks(sample.scores or {})),
        several_right=_several_letters(sample.target, len(sample.choices or ())),
        turns=turns,
    )


def _conversation(sample: Any) -> tuple[Sequence[Any], Sequence[Any], str | None]:
    """The messages before the first response, all responses that the model made, and in words whether there were
    several turns.
    """
    messages = list(sample.messages)
    given = [m for m in sample.input if m.role == "assistant"] if isinstance(sample.input, list) else []
    made = [m for m in messages if m.role == "assistant" and m.source != "input"]
    if all(m.source is None for m in messages):  # as older versions wrote them
        made = made[len(given) :]
    if not made:
        raise UnusableLog("without a response")
    begin = next(n for n, message in enumerate(messages) if message is made[0])
    after = messages[begin + 1 :]
    if made[0].tool_calls or any(m.role == "tool" or m.tool_calls for m in after if m.role in ("tool", "assistant")):
        return messages[:begin], made, "with calls of tools"
    if len(made) > 1:
        return messages[:begin], made, "of several turns"
    return messages[:begin], made, "that goes on behind the response" if after else None


def _is_reply(message: Any, first: _FirstCall) -> bool:
    """Whether a message is what the first call of a model brought."""
    if message.id and message.id == first.id:
        return True
    content = message.content
    parts = content if isinstance(content, str) else [part.model_dump() for part in content]
    return _signature(parts, [call.function for call in message.tool_calls or ()]) == first.words


def _tools(tools: Sequence[tuple[str, str]]) -> list[Turn]:
    """The tools as a prediction is shown them. They are shown wherever they could be called, used or not."""
    if not tools:
        return []
    lines = (f"- {name}: {' '.join(description.split())}" for name, description in tools)
    return [Turn("tools", "\n".join(["These tools can be called, over several turns:", *lines]))]


def _role(message: Any) -> Any:
    if message.role == "tool" or (message.role == "assistant" and message.tool_calls):
        raise UnusableLog("shown calls of tools")
    return message.role


def _text(content: Any) -> str:
    """What was said in words; pictures, sounds and files cannot be shown again."""
    if isinstance(content, str):
        return content
    if any(part.type not in ("text", "reasoning") for part in content):
        raise UnusableLog("shown more than text")
    return "\n".join(part.text for part in content if part.type == "text")


def _told(sample: Any, message: Any) -> LoggedReply:
    output = sample.output
    usage = output.usage if output else None
    stop = output.stop_reason if output and output.choices else None
    parts = message.content if isinstance(message.content, list) else []
    refused = [part.text for part in parts if part.type == "text" and part.refusal]
    thoughts = [part.reasoning for part in parts if part.type == "reasoning" and part.reasoning]
    return LoggedReply(
        text=sound(_text(message.content)),
        output_tokens=_count(usage and usage.output_tokens),
        input_tokens=_count(usage and usage.input_tokens),
        reasoning_tokens=_count(usage and usage.reasoning_tokens),
        reasoning=sound("\n".join(thoughts)) or None,
        stop_reason=STOPS.get(stop, stop) if stop else None,
        refusal=sound("\n".join(refused)) or None if refused else None,
        served_model=sound(output.model) or None if output and output.model else None,
    )


def _told_at_the_end(sample: Any, message: Any) -> LoggedReply:
    """Of several turns the last message; tokens of one turn are not those of all."""
    last = _told(sample, message)
    return msgspec.structs.replace(
        last,
        output_tokens=None,
        input_tokens=None,
        reasoning_tokens=None,
        stop_reason=None if last.stop_reason == "tool_calls" else last.stop_reason,
    )


def _count(number: Any) -> int | None:
    """A count of tokens; 0 is what logs have where nobody counted."""
    return number if isinstance(number, int) and number > 0 else None


def _options(choices: Sequence[Any], shown: Sequence[Turn]) -> tuple[str, ...]:
    """The options in the order of their letters; none where the prompt has them by other letters: they were shuffled,
    and the log does not say how.
    """
    options = tuple(sound(str(choice)).strip() for choice in choices)
    lines = re.findall(r"(?m)^\W{0,3}([A-Z])[).:]\s+(.+?)\s*$", shown[-1].content)
    lettered = {letter: text for letter, text in lines if text in options}
    wrong = any(ord(letter) - ord("A") != options.index(text) for letter, text in lettered.items())
    return () if wrong else options


def _several_letters(target: Any, options: int) -> bool:
    """Whether several options are right: the target has more than one, each by its letter."""
    letters = {chr(ord("A") + n) for n in range(options)}
    return not isinstance(target, str) and len(target) > 1 and {str(one).strip() for one in target} <= letters


def _target(target: Any) -> str | None:
    if isinstance(target, str):
        return sound(target) or None
    return sound(target[0]) if len(target) == 1 else json.dumps(list(target)) if target else None


def _marks(scores: Mapping[str, Any]) -> Iterator[tuple[str, Mark]]:
    """Scores by name; of one that has several values each by its own, behind a dot."""
    for name, score in scores.items():
        values = {f"{name}.{part}": value for part, value in score.value.items()} if _several(score.value) else {}
        for full, value in (values or {name: score.value}).items():
            if isinstance(value, str | int | float | bool) and value == value:
                full = sound(full)
                yield full, Mark(scorer=full, value=plain(value), answer=sound(score.answer)[:1000] or None)


def _several(value: Any) -> bool:
    return isinstance(value, dict)
