"""A run as logs of Inspect: one for each model, experiment and condition, as `inspect eval` would have written it. They
open in `inspect view`, carry our scores, can be scored again, and come back as the same run.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment, Key, Message, Prompt, messages_of, session_kind
from selfexec.extensions.inspect.carried import narrowed
from selfexec.extensions.inspect.engine import extra_lacking
from selfexec.extensions.inspect.records import (
    ITEM,
    JUDGEMENTS,
    LOG_OF,
    REPLIES,
    SENTENCES,
    TASKS,
    VERSION,
    LogOf,
    lines_of,
)
from selfexec.facets import DEFAULT_NAME, Condition, condition_name, in_condition, opens_sessions
from selfexec.prompts import shipped_sentences
from selfexec.runs import Reply, Run
from selfexec.runs.folder import Manifest
from selfexec.runs.journal_writer import without_checked
from selfexec.runs.transcripts import prompts_sent
from selfexec.text.matching import apart
from selfexec.version import __version__

SCORER = "claims"


@dataclass(frozen=True)
class LogPart:
    """What one log is of: the items that a model was asked in an experiment and a condition, each with its epochs.
    `manifest` is that of what is exported together, in so many `logs`.
    """

    run: Run
    model: str
    experiment: Experiment
    condition: Condition
    asked: Mapping[str, Sequence[int]]
    manifest: Manifest
    logs: int

    @property
    def name(self) -> str:
        """Of its file, where there are several."""
        condition = condition_name(self.condition)
        words = [self.experiment.name, self.model, *([condition] if condition != DEFAULT_NAME else [])]
        return "_".join("".join(c if c.isalnum() or c in "-.@" else "-" for c in word)[:80] for word in words)

    def replies(self, item: str, epoch: int) -> list[Reply]:
        """Those of an item, in the order of the experiment: of sessions that conditions share, each has them."""
        there = self.run.replies
        place = (self.model, self.experiment.name, item, epoch)
        own = {key.session: there[key] for key in self._keys[place] if key == in_condition(key, self.condition)}
        names = self.experiment.in_order(self.run.items[self.experiment.name][item], own)
        return [own[name] for name in names]

    @cached_property
    def _keys(self) -> Mapping[tuple[str, str, str, int], list[Key]]:
        found: dict[tuple[str, str, str, int], list[Key]] = defaultdict(list)
        for key in self.run.replies:
            found[key[:4]].append(key)
        return found


def parts_of(run: Run, models: Sequence[str] = (), experiments: Sequence[str] = ()) -> list[LogPart]:
    """The logs that a run makes, of some models and experiments if you like. InputError: it does not have them."""
    if strange := [model for model in models if model not in run.models]:
        raise InputError(f"--model {strange[0]}: {run.folder} has {apart(run.models)}.")
    if strange := [name for name in experiments if name not in run.items.experiments]:
        raise InputError(f"--experiment {strange[0]}: {run.folder} has {', '.join(run.items.experiments)}.")
    chosen = {
        (model, experiment, condition): asked
        for (model, experiment, condition), asked in run.asked.items()
        if (not models or model in models) and (not experiments or experiment in experiments)
    }
    if held := [condition_name(condition) for _, _, condition in chosen if opens_sessions(condition)]:
        raise InputError(f"{held[0]}: models had prompts executed there, for which Inspect's logs have no place.")
    # a log has no place for what a run knows of its connections, but that its replies were checked
    run = replace(run, replies=without_checked(run.replies, [run.folder]))
    whole = msgspec.structs.replace(run.manifest, shard=None)
    named = models or whole.models, experiments or whole.experiments
    manifest = narrowed(whole, *named) if models or experiments else whole
    return [
        LogPart(run, model, EXPERIMENTS[experiment], condition, asked, manifest, len(chosen))
        for (model, experiment, condition), asked in chosen.items()
    ]


def write_logs(parts: Sequence[LogPart], out: Path) -> list[Path]:
    """Write each part as a log: one to the file `out`, several into the folder. Returns the files."""
    if lacking := extra_lacking():
        raise InputError(f"--to inspect: {lacking}")
    if not parts:
        raise InputError("there is nothing to export: no replies.")
    if out.suffix == ".eval" and len(parts) > 1:
        raise InputError(
            f"{out}: a log is of one model and one experiment, and this makes {len(parts)}. Choose by --model and "
            "--experiment, or give --out a folder."
        )
    from inspect_ai.log import write_eval_log

    files = [out] if out.suffix == ".eval" else [out / f"{part.name}.eval" for part in parts]
    if len({*files}) < len(files):
        raise InputError("two models have names that make the same file. Choose one by --model, and give its file.")
    for file, part in zip(files, parts, strict=True):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_eval_log(log_of(part), str(file))
        except OSError as fault:
            raise InputError(f"{file}: cannot be written ({fault.strerror}). Give another place to --out.") from None
    return files


def log_of(part: LogPart) -> Any:
    """The EvalLog of a part."""
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalPlan,
        EvalPlanStep,
        EvalResults,
        EvalSpec,
        EvalStats,
    )
    from inspect_ai.log._log import EvalMetricDefinition, EvalScorer

    run, name = part.run, part.experiment.name
    samples = list(_samples(part))
    replies = [reply for _, of_it in samples for reply in of_it]
    times = sorted(reply.time for reply in replies if reply.time)
    begin, end = (times[0], times[-1]) if times else ("1970-01-01T00:00:00+00:00",) * 2
    of = _log_of(part)
    named = [run.replies_sha256, part.model, name, dict(part.condition)]
    digest = hashlib.sha256(msgspec.json.encode(named)).hexdigest()  # the same log has the same ids
    metrics = [EvalMetricDefinition(name="selfexec/claims_metrics", options={})]
    spec = EvalSpec(
        eval_id=digest[:22],
        run_id=digest[22:44],
        task_id=digest[42:64],
        created=begin,
        task=f"{TASKS}{name}",
        task_version=VERSION,
        task_display_name=name,
        task_registry_name=f"{TASKS}{name}",
        task_description=f"Does a model predict {part.experiment.words.about}?",
        dataset=EvalDataset(name=of.items, samples=len(part.asked), sample_ids=[*part.asked], shuffled=False),
        model=theirs(part.model),
        config=EvalConfig(epochs=max((epoch for epochs in part.asked.values() for epoch in epochs), default=1)),
        packages={"selfexec": __version__},
        metadata={LOG_OF: msgspec.to_builtins(of)},
        scorers=[EvalScorer(name=SCORER, options={}, metrics=metrics, metadata={})],
    )
    return EvalLog(
        status="success",
        eval=spec,
        plan=EvalPlan(steps=[EvalPlanStep(solver=f"{TASKS}sessions", params={})]),
        results=EvalResults(
            total_samples=len(samples), completed_samples=len(samples), scores=[_score([one for one, _ in samples])]
        ),
        stats=EvalStats(started_at=begin, completed_at=end, model_usage=_usage(part, replies)),
        samples=[sample for sample, _ in samples],
    )


def _score(samples: Sequence[Any]) -> Any:
    """What our metrics make of all samples, as Inspect's own results have it."""
    from inspect_ai.log import EvalMetric, EvalScore
    from inspect_ai.scorer import SampleScore

    from selfexec.extensions.inspect.scoring import claims_metrics

    scores = [SampleScore(score=s.scores[SCORER], sample_id=s.id, sample_metadata=s.metadata) for s in samples]
    found = claims_metrics()(scores)
    metrics = {name: EvalMetric(name=name, group="claims_metrics", value=value) for name, value in found.items()}
    return EvalScore(name=SCORER, scorer=SCORER, metrics=metrics, scored_samples=len(scores), unscored_samples=0)


def theirs(model: str) -> str:
    """What Inspect calls a model: `selfexec/sim/typical` for `sim/typical`, and `x/y` for `inspect/x/y`."""
    return f"{TASKS}{model}" if model.startswith("sim/") else model.removeprefix("inspect/")


def _log_of(part: LogPart) -> LogOf:
    run, name, manifest = part.run, part.experiment.name, part.manifest
    texts = {key: text for key, text in run.prompts.items() if text is not None and key.partition(".")[0] == name}
    return LogOf(
        version=manifest.selfexec,
        experiment=name,
        items=Path(run.items.name).name,  # of a folder the name alone: where it lies is nobody's business
        items_sha256=run.items.hashes[name],
        condition=dict(part.condition),
        preset=manifest.preset,
        preset_order=manifest.preset_order,
        prompts=texts,
        settings=dict(manifest.settings),
        model=part.model,
        invocations=manifest.invocations,
        accept_ends=list(run.accept_ends),
        run=part.manifest,
        logs=part.logs,
        further_items=[line.decode() for id, line in run.items.lines[name].items() if id not in part.asked],
    )


def _samples(part: LogPart) -> Iterator[tuple[Any, list[Reply]]]:
    """The sample of each item in each epoch, and its replies."""
    name, run = part.experiment.name, part.run
    shipped = shipped_sentences([name])
    prompts = {key: text for key, text in run.prompts.items() if text is not None}
    sentences = {key: text for key, text in prompts.items() if key in shipped and shipped[key] != text}
    for id, epochs in part.asked.items():
        for epoch in epochs:
            replies = part.replies(id, epoch)
            yield _sample(part, id, epoch, replies, sentences), replies


def _sample(part: LogPart, id: str, epoch: int, replies: list[Reply], sentences: Mapping[str, str]) -> Any:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessageUser, ModelOutput

    from selfexec.extensions.inspect.scoring import score_of

    name, run = part.experiment.name, part.run
    sent = prompts_sent(run, [reply.key for reply in replies])
    metadata = {
        LOG_OF: name,
        "title": part.experiment.title(run.items[name][id]),
        ITEM: run.items.lines[name][id].decode(),
    }
    keys = {reply.key for reply in replies}
    judged = [judgement for (key, _), judgement in run.judgements.items() if key in keys] if run.judgements else []
    store: dict[str, Any] = {REPLIES: lines_of(replies)}
    store |= {SENTENCES: dict(sentences)} if sentences else {}
    store |= {JUDGEMENTS: lines_of(judged)} if judged else {}
    behaviour = next((r for r in replies if session_kind(r.session) not in part.experiment.predictions), None)
    asked = _text(sent[behaviour.key]) if behaviour else ""
    output = _output(part, behaviour) if behaviour else ModelOutput(model=theirs(part.model))
    return EvalSample(
        id=id,
        epoch=epoch,
        input=asked,
        target="",
        messages=[ChatMessageUser(content=asked), output.message] if output.choices else [],
        output=output,
        scores={SCORER: score_of(metadata, store, id, epoch)},
        metadata=metadata,
        store=store,
        events=list(_events(part, replies, sent)),
        model_usage=_usage(part, replies),
    )


def _text(prompt: Prompt | None) -> str:
    return "(the prompt was not kept)" if prompt is None else messages_of(prompt)[-1].content


def _output(part: LogPart, reply: Reply) -> Any:
    """A reply as Inspect has one."""
    from inspect_ai.model import (
        ChatCompletionChoice,
        ChatMessageAssistant,
        ContentReasoning,
        ContentText,
        ModelOutput,
        ModelUsage,
    )

    name = theirs(part.model)
    content: list[Any] = [ContentReasoning(reasoning=reply.reasoning)] if reply.reasoning else []
    if reply.refusal:
        content.append(ContentText(text=reply.refusal, refusal=True))
    if reply.text or not content:
        content.append(ContentText(text=reply.text or ""))
    stops = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter", "refusal": "content_filter"}
    plain = content[0].text if len(content) == 1 and content[0].type == "text" and not reply.refusal else content
    usage = None
    if reply.input_tokens is not None and reply.output_tokens is not None:  # Inspect has no word for "not counted"
        usage = ModelUsage(
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            total_tokens=reply.input_tokens + reply.output_tokens,
            reasoning_tokens=reply.reasoning_tokens,
            total_cost=reply.cost_usd,
        )
    message = ChatMessageAssistant(content=plain, model=name, source="generate")
    return ModelOutput(
        model=reply.served_model or name,
        choices=[ChatCompletionChoice(message=message, stop_reason=stops.get(reply.known_stop or "", "unknown"))],
        usage=usage,
        time=reply.latency,
        error=reply.error or reply.policy,
        response_id=reply.completion_id,
    )


def _events(part: LogPart, replies: Iterable[Reply], sent: Mapping[Key, Prompt | None]) -> Iterator[Any]:
    """A span for each session, with the call in it."""
    from inspect_ai.event import ModelEvent, SpanBeginEvent, SpanEndEvent
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig

    for reply in replies:
        prompt = sent[reply.key]
        said = messages_of(prompt) if prompt is not None else (Message("user", _text(None)),)
        span = hashlib.sha256(str(reply.key).encode()).hexdigest()[:22]
        at = {"timestamp": reply.time} if reply.time else {}
        place = {"working_start": 0.0, **at}
        yield SpanBeginEvent(id=span, span_id=span, name=reply.session, type="session", **place)
        yield ModelEvent(
            span_id=span,
            model=theirs(part.model),
            input=[
                (ChatMessageUser if one.role == "user" else ChatMessageAssistant)(content=one.content) for one in said
            ],
            tools=[],
            tool_choice="none",
            config=GenerateConfig(),
            output=_output(part, reply),
            error=reply.error,
            **place,
        )
        yield SpanEndEvent(id=span, span_id=span, **place)


def _usage(part: LogPart, replies: Iterable[Reply]) -> dict[str, Any]:
    """The tokens of all replies together; nothing where those of one were not counted."""
    from inspect_ai.model import ModelUsage

    total = ModelUsage()
    for reply in replies:
        if reply.input_tokens is None or reply.output_tokens is None:
            return {}
        into, out = reply.input_tokens, reply.output_tokens
        total = total + ModelUsage(input_tokens=into, output_tokens=out, total_tokens=into + out)
    return {theirs(part.model): total}
