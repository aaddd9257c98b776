"""The sections of a card, each from the manifest, the items, the replies and their readings alone."""

import hashlib
import json
import math
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from selfexec.analysis.hypotheses import EXPLORATORY, JudgedHypothesis
from selfexec.analysis.notes import noise_and_loss
from selfexec.analysis.probability_table import probability_legend, probability_table
from selfexec.analysis.reference_panel import panel_lines
from selfexec.analysis.score import Scores
from selfexec.analysis.score_table import (
    ACCURACY,
    BY_RATE,
    COLUMNS,
    LEGEND,
    absent,
    caution_heading,
    decided_by_rate,
    every_answer,
    grid_by_condition,
    legends,
    margin_cautions,
    own_notes,
    score_cells,
)
from selfexec.analysis.warnings import Canned, SameReplies, ServerNotice, texts_of
from selfexec.analysis.words import NO_TEST, sentence
from selfexec.engines import field_options
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, session_kind
from selfexec.extensions.card.benchmark import risks, scope
from selfexec.facets import DEFAULT_NAME, condition_named
from selfexec.items import UNKNOWN, Origin
from selfexec.options import Declared
from selfexec.prompts import all_prompts, asked_prompts, by_name, prompt_hashes
from selfexec.runs import LOGS, MANIFEST, PROMPTS, Reply
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line
from selfexec.text.redaction import HIDDEN, hides, shown
from selfexec.text.tables import as_markdown, bullets
from selfexec.version import __version__

if TYPE_CHECKING:
    from selfexec.runs import Run


def sections(
    run: "Run",
    everywhere: Scores,
    origins: Mapping[str, Origin],
    convention: str,
    panel: str | None = None,
    judged: Sequence[JudgedHypothesis] = (),
) -> Iterator[tuple[str, str]]:
    """The answer and what it does not say, then the numbers, then how they were measured."""
    scores = everywhere.by_condition[0]
    yield "The answer", the_answer(everywhere)
    if judged:
        yield "Hypotheses", hypotheses(run, judged)
    yield "What the scores do not show", limits(run, scores, origins)
    yield "Scores", results(everywhere, convention)
    yield "What was measured", measured(run)
    yield "Intended use and scope", scope(run, origins)
    yield "Models", models(run)
    yield "Items", items(run, origins)
    yield "Prompts", prompts(run)
    yield "Settings", settings(run)
    yield "What came back", coverage(run)
    yield "Risks and ethics", risks(run, origins)
    yield "How to repeat it", again(run, convention, panel)
    yield "Citation", CITATION


CITATION = """Of the benchmark, the paper that it comes from:

```bibtex
@article{ezra2025selfexecution,
  title = {The Self-Execution Benchmark: Measuring {LLMs'} Attempts to Overcome Their Lack of Self-Execution},
  author = {Ezra, Elon and Weizman, Ariel and Azaria, Amos},
  journal = {arXiv preprint arXiv:2508.12277},
  year = {2025}
}
```

Of the items, their sources, which stand above."""


def the_answer(everywhere: Scores) -> str:
    """What `selfexec score` says above its table, to the word."""
    return bullets(every_answer(everywhere.by_condition))


def hypotheses(run: "Run", judged: Sequence[JudgedHypothesis]) -> str:
    """What was written down before the first call, and what became of it."""
    assert run.manifest.hypotheses
    columns = ["hypothesis", "model", "experiment", "condition", "expected", "verdict", "observed"]
    rows = [
        [j.hypothesis.name, j.model, j.hypothesis.experiment, j.hypothesis.condition, j.expected, j.verdict, j.observed]
        for j in judged
    ]
    written = f"Written down before the first call, SHA-256 `{run.manifest.hypotheses.sha256}`. {EXPLORATORY}"
    return "\n".join([written, "", as_markdown(columns, rows)])


# of where the replies of a run are from: what is known of how they came to be
SESSIONS = {
    "run": "Prediction and behaviour come from separate sessions.",
    "import": "The replies were made elsewhere and imported: that prediction and behaviour came from separate sessions "
    "is what their file says, and was not seen.",
    LOGS: "What the models did stands in finished logs of another harness; what they predict of it was asked "
    "afterwards, each prediction in a session of its own.",
}


def measured(run: "Run") -> str:
    lines = [f"- **{experiment}**: {EXPERIMENTS[experiment].words.measured}" for experiment in run.items.experiments]
    about = (
        "Whether language models predict their own behaviour, after *The Self-Execution Benchmark* "
        "([arXiv 2508.12277](https://arxiv.org/abs/2508.12277))."
    )
    return "\n".join([f"{about} {SESSIONS[run.manifest.origin]}", "", *lines])


# --- models ----------------------------------------------------------------------------------------------------------


def models(run: "Run") -> str:
    columns = ["model", "served as", "replies", "missing", "first reply", "last reply", "output tokens", "cost"]
    rows = [_model_row(model, replies) for model, replies in _by_model(run).items()]
    lines = [as_markdown(columns, rows)]
    simulated = [model for model in run.models if model in run.simulated]
    if simulated:
        who = "All models are" if len(simulated) == len(run.models) else f"{', '.join(simulated)} are"
        lines += ["", f"{who} simulated: their numbers describe no language model."]
    lines += ["", "“Served as” is the model name that the provider reported. Times are UTC."]
    return "\n".join(lines)


def _by_model(run: "Run") -> dict[str, list[Reply]]:
    found: dict[str, list[Reply]] = {model: [] for model in run.models}
    for key, reply in run.replies.items():
        found[key.model].append(reply)
    return found


def _model_row(model: str, replies: Sequence[Reply]) -> list[str]:
    came = [reply for reply in replies if not reply.failed]
    served = {(r.served_model, r.fingerprint) for r in replies if r.served_model}
    names = sorted(f"{name} ({fingerprint})" if fingerprint else str(name) for name, fingerprint in served)
    times = sorted(reply.time for reply in replies if reply.time)
    return [
        model,
        ", ".join(names) or UNKNOWN,
        f"{len(came):,}",
        f"{len(replies) - len(came):,}",
        times[0] if times else UNKNOWN,
        times[-1] if times else UNKNOWN,
        _total([reply.output_tokens for reply in came]),
        _total([reply.cost_usd for reply in came], "{:,.2f} USD"),
    ]


def _total(values: Sequence[float | None], form: str = "{:,.0f}") -> str:
    """A sum of what was recorded, and of how many it is, where that is not all."""
    known = [value for value in values if value is not None]
    if not known:
        return UNKNOWN
    total = form.format(math.fsum(known))
    everything = number_of(len(values), "reply", "replies")
    return total if len(known) == len(values) else f"{total} (of {len(known):,} of {everything})"


# --- items, prompts, settings ----------------------------------------------------------------------------------------


def items(run: "Run", origins: Mapping[str, Origin]) -> str:
    hashes = run.items.hashes
    rows = []
    for experiment, by_id in run.items.items.items():
        found = origins[experiment]
        size, digest = len(by_id), hashes[experiment]
        made_of = EXPERIMENTS[experiment].composition(list(by_id.values()))
        rows.append([experiment, f"{size}", made_of, found.of(size), found.licence, digest])
    columns = ["experiment", "items", "composition", "from", "source and licence", "SHA-256 of the file"]
    lines = [as_markdown(columns, rows)]
    changed = [e for e, digest in hashes.items() if run.manifest.items.get(e) != digest]
    if changed:
        lines += ["", f"The items of {', '.join(changed)} are not those of the manifest: their file was changed."]
    lines += ["", _how_much(run)]
    if UNKNOWN in {found.name for found in origins.values()}:
        lines += ["", "Items of unknown origin have a licence that this card cannot tell: ask those who made them."]
    return "\n".join(lines)


def _how_much(run: "Run") -> str:
    if len(
        {(block.epochs, block.items is None) for block in run.manifest.design or ()} - {(run.manifest.epochs, True)}
    ):
        return f"Not every model was to be asked every item as often as every other: `design` in `{MANIFEST}` has what."
    often = "once" if run.manifest.epochs == 1 else f"{run.manifest.epochs} times"
    order = f" (its order: {run.manifest.preset_order})" if run.manifest.preset_order else ""
    subset = f" They are the subset that --preset {run.manifest.preset} selects{order}." if run.manifest.preset else ""
    return f"The run asks each of these items {often}.{subset}"


def prompts(run: "Run") -> str:
    if not run.manifest.prompts:
        return f"{UNKNOWN.capitalize()}: the replies came from elsewhere, and what was asked was not recorded."
    ours = _shipped(run)
    own = {name: text for name, text in run.prompts.items() if run.manifest.prompts[name] != ours.get(name)}
    rows = [[name, _whose(name in own, run.prompts[name]), digest] for name, digest in run.manifest.prompts.items()]
    where = f"Compared with selfexec {__version__}, whose prompts are in `selfexec/experiments`."
    if (run.folder / PROMPTS).is_file():
        where += f" Their full texts are in the run's `{PROMPTS}`, in the format that `--prompts` accepts."
    shown_whole = [f"`{name}`:\n\n{_verbatim(text)}" for name, text in own.items() if text is not None]
    return "\n\n".join([as_markdown(["prompt", "text", "SHA-256"], rows), where, *shown_whole])


def _shipped(run: "Run") -> dict[str, str]:
    """The SHA-256 of the prompts of this version, also as the facets of the run change them."""
    shipped, conditions = all_prompts({}), list(map(condition_named, run.conditions))
    found = by_name(shipped)
    for experiment in run.items.experiments:
        with suppress(InputError):  # what a facet takes of prompts, the run's own may have and the shipped ones not
            found |= asked_prompts(shipped, [experiment], conditions)
    return prompt_hashes(found)


def _whose(own: bool, text: str | None) -> str:
    if not own:
        return "as shipped"
    return "**not as shipped, and not kept**" if text is None else "**not as shipped**: below"


def _verbatim(text: str) -> str:
    """A text in a fence that it cannot break out of."""
    fence = "`" * max(3, 1 + max((len(ticks) for ticks in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def settings(run: "Run") -> str:
    if run.manifest.origin == "import":
        return f"{UNKNOWN.capitalize()}: the replies came from elsewhere, and how they were sampled was not recorded."
    if not run.manifest.all_settings:
        if run.simulated.issuperset(run.models):
            return "None."
        if run.manifest.origin == LOGS:
            return "None were sent for the predictions. How the responses were sampled stands in the logs."
        return "None were sent. What the providers' defaults were at the time is unknown."
    rows = [[label, _setting(name, value)] for label, name, value in run.manifest.all_settings]
    rest = "Whatever is not listed was the provider's default, which is unknown."
    if run.manifest.origin == LOGS:
        rest += " That is of the predictions; how the responses were sampled stands in the logs."
    return "\n".join([as_markdown(["setting", "value"], rows), "", rest])


def _setting(name: str, value: Any) -> str:
    if _is_hashed(name):
        digest = hashlib.sha256(str(value).encode()).hexdigest()
        return f"{len(str(value))} characters, SHA-256 {digest}"
    return "not sent" if value is None else shown(name, value)


def _is_hashed(name: str) -> bool:
    """Whether a card has only the hash of a setting, like the system prompt: as free text it may say anything."""
    each = field_options().get(name)
    return each is not None and not each.is_stored


# --- what came back --------------------------------------------------------------------------------------------------


def coverage(run: "Run") -> str:
    columns = ["model", "experiment", "claims", "read", "ties", "unreadable", "missing", "coverage"]
    rows = [
        _coverage_row(str(model), f"{experiment}{'' if condition == DEFAULT_NAME else f', {condition}'}", claims)
        for (model, experiment, condition), claims in run.observations.group_by(
            ["model", "experiment", "condition"], maintain_order=True
        )
    ]
    lines = [as_markdown(columns, rows)]
    withheld = Counter(by for reply in run.replies.values() if (by := reply.withheld_by))
    if withheld:
        by = ", ".join(f"{n:,} by the {who}" for who, n in sorted(withheld.items()))
        lines += ["", f"Withheld replies, which count as behaviour: {by}."]
    if run.given:
        given = number_of(len(run.given.keys() & run.replies.keys()), "reading was", "readings were")
        lines += ["", f"{given} given from elsewhere."]
    return "\n".join(lines)


def _coverage_row(model: str, experiment: str, claims: pl.DataFrame) -> list[str]:
    states = Counter(claims["state"])
    reasons = Counter(claims.filter(pl.col("state") == "unreadable")["reason"].fill_null("format"))
    why = ", ".join(f"{n:,} {reason}" for reason, n in sorted(reasons.items()))
    return [
        model,
        experiment,
        f"{len(claims):,}",
        f"{states['read']:,}",
        f"{states['tie']:,}",
        f"{states['unreadable']:,} ({why})" if why else "0",
        f"{states['missing']:,}",
        f"{(states['read'] + states['tie']) / len(claims):.3f}",
    ]


# --- scores ----------------------------------------------------------------------------------------------------------


def results(everywhere: Scores, convention: str) -> str:
    scores = everywhere.by_condition[0]
    legend = [
        f"{LEGEND[convention].capitalize()}. Intervals are 95% confidence intervals over items.",
        *(f"{text[0].upper()}{text[1:]}" for text in (*legends(scores), *absent(score_cells(scores)))),
    ]
    reasons = {
        (row.model, row.experiment): row.reason
        for row in scores
        if row.reason and row.metric == ACCURACY.get(row.experiment, "accuracy")
    }
    of_panel = [line for one in scores.panels for line in panel_lines(one)]
    own = own_notes(scores)
    below = [
        *texts_of(scores.warnings, SameReplies, Canned, ServerNotice),
        *of_panel,
        *own,
        *noise_and_loss(scores, scores.warnings, scores.runs, name_only=True),
    ]
    # what is known of noise and loss stands here as below the table of `selfexec score`
    parts = []
    told = [f"{model}, {experiment}: {reason}" for (model, experiment), reason in reasons.items()]
    if told := [*told, *margin_cautions(scores)]:
        parts += [f"{sentence(caution_heading(scores))}:", bullets(told)]
    if by_rate := [*decided_by_rate(scores)]:
        parts += [f"{sentence(BY_RATE)}:", bullets(by_rate)]
    parts.append(as_markdown(COLUMNS, score_cells(scores)))
    if len(everywhere.conditions) > 1:
        parts.append(f"That is the condition {scores.conditions[0]}. In all of them:")
        parts.append(as_markdown(*grid_by_condition(everywhere.by_condition)))
    columns, rows = probability_table(everywhere.by_condition)
    if rows:
        parts.append("Predictions that were asked for as probabilities, by AUROC and the Brier score:")
        parts.append(as_markdown(columns, rows))
    parts.append(bullets([*below, *legend, *probability_legend(everywhere.by_condition)]))
    return "\n\n".join(parts)


def limits(run: "Run", scores: Scores, origins: Mapping[str, Origin]) -> str:
    return "\n".join(f"- {text}" for text in _limits(run, scores, origins))


def _limits(run: "Run", scores: Scores, origins: Mapping[str, Origin]) -> Iterator[str]:
    if run.simulated.issuperset(run.models):
        yield "Nothing about any language model: all replies are simulated."
    if run.manifest.epochs == 1:
        yield (
            "How much a model varies from run to run: each item was asked once. So it is also unknown how "
            "predictable its behaviour is."
        )
    known = {row.model for row in scores if row.metric == "baseline_margin" and row.value is not None}
    if not known:
        yield "A margin over the baseline: this needs at least three other models, which this run does not include."
    elif scores.panels:
        yield "How margins would change with another reference panel: the baseline is built from its models."
    else:
        yield "How margins would change with other models in the run: the baseline is built from them."
    yield f"Whether a model knows *itself*. A margin does not test this: {NO_TEST}."
    for experiment in run.items.experiments:
        yield from EXPERIMENTS[experiment].words.limits
        yield from _without_tokens(run, experiment)
    if "starter" in {found.name for found in origins.values()}:
        yield "A ranking: the starter items have not been validated on real models."
    yield "Whether the items were in a model's training data. Nothing here tests that."
    yield "Anything beyond these items and prompts: other wording, other languages and other tasks were not tried."
    if run.manifest.origin != "run":
        yield "Effects of prompts and settings: not recorded, so differences between models may be due to them."


def _without_tokens(run: "Run", experiment: str) -> Iterator[str]:
    """Whether answers lack the number of tokens that decides claims."""
    if (kind := EXPERIMENTS[experiment].answers) is None:
        return
    replies = [reply for reply in run.replies.values() if reply.experiment == experiment and not reply.failed]
    answers = [reply for reply in replies if session_kind(reply.session) == kind]
    if uncounted := sum(reply.output_tokens is None for reply in answers):
        yield (
            f"{experiment.capitalize()}: {uncounted:,} of {len(answers):,} answers have no token count; "
            "their pairs are missing."
        )


# --- again -----------------------------------------------------------------------------------------------------------


def again(run: "Run", convention: str, panel: str | None = None) -> str:
    name = run.folder.resolve().name
    made = f"Made by selfexec {run.manifest.selfexec}; this card by selfexec {__version__}."
    beside = ["--convention", convention] if convention != "strict" else []
    beside += ["--panel", Path(panel).name] if panel else []
    rescored = shlex.join(["selfexec", "score", name, *beside])
    # what is typed begins where the folder lies, wherever that is by now
    place = "To compute the scores again from the stored replies, run this in the folder that holds the run's:"
    lines = [made, "", place, "", f"    {rescored}", ""]
    if run.given:
        lines[-1:] = ["", "with the readings that were given, which are not in the folder.", ""]
    if run.manifest.origin == "run":
        return "\n".join(
            [*lines, "The replies, from the models:", "", f"    {_command(run, name)}", "", *_missing(run), *_made(run)]
        )
    if run.manifest.origin == LOGS:
        files = [[log.file, log.model, log.experiment, log.sha256] for log in run.manifest.logs]
        imported = dict.fromkeys(
            f"    {command_line('import --from {} LOG --as {} --out NEW', log.tool, log.experiment)}"
            for log in run.manifest.logs
        )
        return "\n".join(
            [
                *lines,
                "The run, from the logs, and the predictions, from the models:",
                "",
                *imported,
                "    selfexec run --out NEW",
                "",
                as_markdown(["log", "model", "experiment", "SHA-256"], files),
            ]
        )
    files = [[file, digest] for file, digest in run.manifest.sources.items()]
    sources = list(run.manifest.sources) or "REPLIES"
    return "\n".join(
        [
            *lines,
            "The run, from the files that were imported (the replies themselves cannot be made again from here):",
            "",
            f"    {command_line('import {} --items {} --out NEW', sources, f'{name}/items')}",
            "",
            as_markdown(["file", "SHA-256"], files) if files else "Which files they were is unknown.",
        ]
    )


def _command(run: "Run", name: str) -> str:
    words = ["selfexec", "run"]
    for model in run.manifest.models:
        words += ["--model", model]
    if set(run.items.experiments) != set(EXPERIMENTS):
        for experiment in run.items.experiments:
            words += ["--experiment", experiment]
    words += ["--items", f"{name}/items"]
    if run.manifest.epochs > 1:
        words += ["--epochs", str(run.manifest.epochs)]
    for setting, value in sorted(run.manifest.settings.items()):
        if each := field_options().get(setting):
            words += [] if _is_hashed(setting) else _typed(each, value)
        elif not setting.startswith("extra_body.") and "@" not in setting and not hides(setting, value):
            words += ["--set", f"{setting}={shown(setting, value)}"]
    return shlex.join([*words, "--out", "NEW"])


def _typed(each: Declared, value: Any) -> Iterator[str]:
    """An option and its value as they are typed."""
    if isinstance(value, Mapping) and each.option.form != "object":
        value = [f"{name}={part if isinstance(part, str) else json.dumps(part)}" for name, part in value.items()]
    for one in value if isinstance(value, list) else [value]:
        yield each.flag
        if one is not True:
            yield json.dumps(one) if isinstance(one, Mapping) else str(one)


def _made(run: "Run") -> Iterator[str]:
    """When replies were asked for, and by what."""
    if not run.manifest.invocations:
        return
    # a command may hold a place on this machine, which is nobody's business but the run's
    yield from ("", f"When the replies were asked for, in UTC; the commands are in `{MANIFEST}`:", "")
    rows = [
        [one.begin, one.end or "was stopped", str(one.calls or UNKNOWN), _versions(one.versions)]
        for one in run.manifest.invocations
    ]
    yield as_markdown(["begin", "end", "calls", "versions"], rows)


def _versions(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in found.items()) or UNKNOWN


def _missing(run: "Run") -> Iterator[str]:
    """What the command lacks, since the folder does not have it."""
    addresses = {f"{model} at {url}" for one in run.manifest.invocations for model, url in one.addresses.items()}
    if addresses:
        yield f"The models were asked here: {', '.join(sorted(addresses))} (`--base-url`)."
    elif not run.simulated.issuperset(run.models):
        yield "Where the models were reached (`--base-url`) is not recorded."
    yield "A model behind a name may have changed since."
    if run.manifest.own_settings:
        yield "Some models have settings of their own, above: give them in a study file, with `--config`."
    settings = run.manifest.settings
    for name in filter(_is_hashed, settings):
        what = "the system prompt" if name == "system" else f"`{name}`"
        yield f"Add {what} with `{field_options()[name].flag}`; only its hash is given above."
    if any(name.startswith("extra_body.") for name in settings):
        yield "Add the settings named `extra_body` with `--extra-body`."
    if any(hides(name, value) for name, value in settings.items() if name not in field_options()):
        yield f"Add the settings that are {HIDDEN.strip('()')} here."
    ours = _shipped(run)
    if any(ours.get(name) != digest for name, digest in run.manifest.prompts.items()):
        lost = "; the run has only the hashes of some" if None in run.prompts.values() else ""
        yield f"Some prompts are not those of this version: give them with `--prompts {PROMPTS}`{lost}."
