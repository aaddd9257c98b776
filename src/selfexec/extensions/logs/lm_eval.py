"""Logs of lm-evaluation-harness: samples_TASK_TIME.jsonl, as --log_samples writes them, beside results_TIME.json.

A line is a document under one filter of replies; its requests are either one text to be continued, or the options of
which each was weighed by its log-likelihood.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfexec.errors import InputError
from selfexec.extensions.logs.chats import turns_of
from selfexec.extensions.logs.log import Log, UnusableLog, nested, plain, sound
from selfexec.extensions.logs.samples import Logged, LoggedReply, Mark
from selfexec.files import jsonl
from selfexec.text.regex import regex

NAME = "lm-eval"
SHOWN = 5  # lines that a reason names
SCORED_TOGETHER = (
    "its documents were answered several times (repeats, as for a majority vote), and a score is of all replies to a "
    "document together: no single reply has one. Import a log of a run with `repeats: 1`, or use --as refusal, choice "
    "or length, which need no score."
)
FIELDS = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter")  # which are no scores
FILE = regex(r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(?:\.gz)?")
NAMED = regex(r"(?:^|,)(?:pretrained|model|path)=([^,]+)")


def files_in(folder: Path) -> list[Path]:
    """The logs of a folder, as lm-eval lays them out: below a folder for each model."""
    return sorted(path for path in folder.rglob("samples_*.jsonl*") if FILE.fullmatch(path.name))


def read(path: Path) -> Log:
    """One file of samples. What cannot be used is counted; InputError where the file is none of lm-eval's."""
    log = Log(path, hashlib.sha256(jsonl.file_bytes(path)).hexdigest(), NAME, _model(path))
    named = FILE.fullmatch(path.name)
    task = named["task"] if named else path.name.removesuffix(".gz").removesuffix(".jsonl")
    documents: dict[str, list[dict[str, Any]]] = {}
    broken, strange = [], []
    for number, line in jsonl.numbered_lines(path):
        if (found := _object(line)) is None:
            broken.append(number)
        elif "doc_id" not in found or not isinstance(found.get("resps"), list) or "arguments" not in found:
            strange.append(number)
        else:
            documents.setdefault(str(plain(found["doc_id"])), []).append(found)
    if not documents:
        raise InputError(
            f"{path}: no line is a sample of lm-eval (with doc_id, arguments and resps). Give the file "
            "samples_TASK_TIME.jsonl that `lm_eval --log_samples` wrote, or the folder that it is in."
        )
    for what, numbers in (("no JSON object", broken), ("no sample", strange)):
        if numbers:
            log.left_out[f"{what} ({_lines(numbers)})"] += len(numbers)
    for id, lines in documents.items():
        try:
            log.samples += _samples(log, task, id, lines)
        except UnusableLog as fault:
            log.left_out[str(fault)] += 1
    if any(sample.epoch > 1 for sample in log.samples):
        log.why_no_score, log.unscored = SCORED_TOGETHER, "answered several times, with one score for all replies"
    else:
        log.why_no_score = _why_no_score([line for lines in documents.values() for line in lines])
    log.left_out += type(log.left_out)()  # without zeros
    return log


def _lines(numbers: Sequence[int]) -> str:
    """Such as "lines 3, 7 and 2 more"."""
    shown = ", ".join(map(str, numbers[:SHOWN]))
    more = f" and {len(numbers) - SHOWN:,} more" if len(numbers) > SHOWN else ""
    return f"line{'s' if len(numbers) > 1 else ''} {shown}{more}"


def _why_no_score(lines: Sequence[dict[str, Any]]) -> str:
    """What keeps lines from having a score: that none says which of its fields are scores, with what these may be."""
    if any("metrics" in line for line in lines):
        return ""
    found = dict.fromkeys(
        sound(name) for line in lines for name, value in line.items() if name not in FIELDS and _is_value(value)
    )
    maybe = f" (found: {', '.join(found)})" if found else ""
    return (
        f"no line has `metrics`, the list that says which of its fields are scores{maybe}. Add it to each line, as in "
        f'"metrics": ["{next(iter(found), "exact_match")}"]; docs/logs.md shows one.'
    )


def _is_value(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _object(line: bytes) -> dict[str, Any] | None:
    """Python's own decoder, since lm-eval writes NaN."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _model(path: Path) -> str | None:
    """The model's name, from the file of results that was written with these samples, or the only one beside them."""
    named = FILE.fullmatch(path.name)
    beside = [path.with_name(f"results_{named['time']}.json")] if named and named["time"] else []
    beside = [one for one in beside if one.is_file()] or sorted(path.parent.glob("results_*.json"))
    if len(beside) != 1:
        return None
    found = _object(jsonl.file_bytes(beside[0]))
    name = nested(found, "model_name")
    if not isinstance(name, str) or not name.strip():
        given = nested(found, "config", "model_args")
        in_words = NAMED.search(given) if isinstance(given, str) else None
        name = in_words[1] if in_words else None
    return sound(name).strip() if name else None


# --- one document ----------------------------------------------------------------------------------------------------


def _samples(log: Log, task: str, id: str, lines: Sequence[dict[str, Any]]) -> Iterator[Logged]:
    """A document as the model was asked it, once for each reply. It has a line for each filter of replies."""
    first = lines[0]
    filters = [str(line.get("filter", "none")) for line in lines]
    if len(set(filters)) < len(filters) or any(line["arguments"] != first["arguments"] for line in lines):
        raise UnusableLog("a doc_id that occurs twice")
    contexts, more = _requests(first["arguments"])
    shown = turns_of(contexts[0])
    marks = {mark: value for line, name in zip(lines, filters, strict=True) for mark, value in _marks(line, name)}
    place = f"{log.sha256[:16]}:{id}"
    if isinstance(more[0], str):
        if len({*contexts}) > 1:
            raise UnusableLog("options that stand in different prompts")
        options = tuple(sound(option).strip() for option in more)
        weights = tuple(_likelihood(response) for response in _responses(first["resps"], len(options)))
        reply = LoggedReply(
            text=json.dumps({"log_likelihoods": dict(zip(_letters(len(options)), weights, strict=True))})
        )
        yield Logged(
            place=f"{place}:1",
            task=task,
            sample=id,
            shown=shown,
            reply=reply,
            options=options,
            likelihoods=weights,
            target=_target(first.get("target"), options),
            marks=marks,
        )
        return
    [said] = _responses(first["resps"], 1)
    texts = said if isinstance(said, list) else [said]
    if not texts:
        raise UnusableLog("without a reply in words")
    for n, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise UnusableLog("without a reply in words")
        yield Logged(
            place=f"{place}:{n}",
            task=task,
            sample=id,
            epoch=n,
            shown=shown,
            reply=LoggedReply(text=sound(text)),
            target=_target(first.get("target"), ()),
            # a score of several replies together is one of none of them
            marks=marks if len(texts) == 1 else {},
        )


def _requests(arguments: Any) -> tuple[list[str], list[Any]]:
    """What stood before, and what was weighed or how it was to be continued, request by request."""
    found = list(arguments.values()) if isinstance(arguments, Mapping) else arguments
    if not isinstance(found, list) or not found:
        raise UnusableLog("without what the model was shown")
    pairs = [list(one.values()) if isinstance(one, Mapping) else one for one in found]
    if all(isinstance(pair, list) and len(pair) == 1 for pair in pairs):
        raise UnusableLog("whose own likelihood was measured (loglikelihood_rolling): nothing was asked or answered")
    if not all(isinstance(pair, list) and len(pair) >= 2 for pair in pairs):
        raise UnusableLog("without what the model was shown")
    contexts = [pair[0] if isinstance(pair[0], str) else json.dumps(pair[0]) for pair in pairs]
    more = [pair[1] for pair in pairs]
    # beside the options, some metrics weigh each without what stands before it
    if isinstance(more[0], str) and len(pairs) > 2 and contexts[0] and "" in contexts:
        kept = [n for n, context in enumerate(contexts) if context]
        contexts, more = [contexts[n] for n in kept], [more[n] for n in kept]
    if not all(isinstance(one, str) for one in more) and len(more) > 1:
        raise UnusableLog("several requests of one document")
    return contexts, more


def _responses(responses: Any, wanted: int) -> list[Any]:
    found = [one[0] if isinstance(one, list) and len(one) == 1 else one for one in responses[:wanted]]
    if len(found) < wanted:
        raise UnusableLog("with fewer responses than requests")
    return found


def _likelihood(response: Any) -> float:
    """The log-likelihood of an option: the first of [log-likelihood, whether it is the greedy one], as text or not."""
    value = response[0] if isinstance(response, list) and response else response
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise UnusableLog("with a log-likelihood that is no number") from None
    if found != found or abs(found) == float("inf"):
        raise UnusableLog("with a log-likelihood that is no number")
    return found


def _letters(n: int) -> list[str]:
    return [chr(ord("A") + k) if k < 26 else str(k + 1) for k in range(n)]


def _target(target: Any, options: Sequence[str]) -> str | None:
    """What is right: of options the one itself, which lm-eval names by its number."""
    text = sound(target) if isinstance(target, str) else None if target is None else json.dumps(target)
    if text is not None and text.isdecimal() and int(text) < len(options):
        return options[int(text)]
    return text


def _marks(line: Mapping[str, Any], filter: str) -> Iterator[tuple[str, Mark]]:
    """What metrics made of it, by the names that lm-eval's own results have: `exact_match,strict-match`."""
    names = line.get("metrics")
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and name in line:
            full = sound(f"{name},{filter}")
            yield full, Mark(scorer=full, value=plain(line[name]))
