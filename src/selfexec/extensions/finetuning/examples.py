"""What there is to learn from: the prompts of predictions, and what each model did."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment, Item, Key, Prompt, messages_of
from selfexec.facets import DEFAULT_NAME, Condition, condition_named, touching
from selfexec.metrics.baselines.text import merged
from selfexec.readers import Reading
from selfexec.runs import Reply, Run
from selfexec.runs.readings import read_replies
from selfexec.runs.transcripts import prompts_sent

Outcomes = Mapping[str, bool]  # claim -> whether it came true
Messages = tuple[tuple[str, str], ...]  # role and content of each


@dataclass(frozen=True)
class Example:
    """One item: the prompt of its prediction, the family of its wording, and what each model did, by model."""

    experiment: str
    item: Item
    family: str
    prompt: Messages
    outcomes: Mapping[str, Outcomes]

    def reply(self, outcomes: Outcomes) -> str:
        """What a model says that predicts these outcomes, as the prompt asks for it."""
        return EXPERIMENTS[self.experiment].replied(self.item, outcomes, self.prompt[-1][1])


def examples_of(run: Run, model: str, others: Sequence[str], experiments: Sequence[str]) -> list[Example]:
    """The items whose outcomes are known of all of these models, in the condition in which they were asked about
    themselves, in the first epoch.

    Raises:
        InputError: An experiment has nothing that a model could be trained to say, or a prompt was not kept.
    """
    condition = _condition(run)
    examples: list[Example] = []
    for experiment in _trainable(run, experiments):
        examples += _of_experiment(run, condition, EXPERIMENTS[experiment], [model, *others])
    if not examples:
        models = ", ".join([model, *others])
        raise InputError(f"{run.folder}: no item has a known outcome in all of these: {models}.")
    return examples


@dataclass(frozen=True)
class Behaviour:
    """A session in which a model did something: what it was asked, and its own reply, word for word."""

    example: Example
    prompt: Messages
    text: str


def behaviour_of(run: Run, model: str, examples: Sequence[Example]) -> list[Behaviour]:
    """What a model did with these items, to be trained on besides, so that the training leaves its behaviour as it was.

    Sessions that show other replies, as a judge's, are left out, and so are those whose prompt was not kept.
    """
    condition, by_place = condition_named(_condition(run)), {(e.experiment, e.item.id): e for e in examples}
    wanted = {
        key: by_place[key.experiment, key.item]
        for key, reply in run.replies.items()
        if key.model == model
        and (key.experiment, key.item) in by_place
        and reply.text
        and _is_behaviour(key, condition)
    }
    epochs: dict[tuple[str, str], int] = {}
    for key in wanted:
        epochs[key[1:3]] = min(key.epoch, epochs.get(key[1:3], key.epoch))
    keys = [key for key in wanted if key.epoch == epochs[key[1:3]]]
    prompts = prompts_sent(run, keys)
    return [
        Behaviour(wanted[key], _messages(run, model, prompt), str(run.replies[key].text))
        for key in keys
        if (prompt := prompts[key]) is not None
    ]


def _is_behaviour(key: Key, condition: Condition) -> bool:
    """Whether a session was asked for what the model does, under these facets."""
    experiment = EXPERIMENTS[key.experiment]
    apart = (*experiment.predictions, *experiment.recorded, *experiment.shows)
    return key.session_kind not in apart and key.facets == touching(condition, key.experiment, key.session_kind)


def _condition(run: Run) -> str:
    if DEFAULT_NAME in run.conditions or not run.conditions:
        return DEFAULT_NAME
    if len(run.conditions) > 1:
        raise InputError(f"{run.folder}: which prompts are to be learnt? There are {'; '.join(run.conditions)}.")
    return run.conditions[0]


def _trainable(run: Run, experiments: Sequence[str]) -> list[str]:
    """The experiments whose predictions a model can be trained to give."""
    if strange := [name for name in experiments if name not in run.items.items]:
        raise InputError(f"{run.folder}: {strange[0]} was not asked, only {', '.join(run.items.items)}.")
    wanted = list(experiments or run.items.items)
    usable = [name for name in wanted if EXPERIMENTS[name].trainable]
    without = [name for name in wanted if name not in usable]
    if without and (experiments or not usable):
        there = ", ".join(name for name, module in EXPERIMENTS.items() if module.trainable)
        raise InputError(
            f"{without[0]}: it does not say what a reply looks like that is right, so that there is nothing to train "
            f"on. Take one that does: {there}, or give it `replied`."
        )
    return usable


def _of_experiment(run: Run, condition: str, experiment: Experiment, models: Sequence[str]) -> Iterator[Example]:
    narrowed = run.under(condition)
    model, by_model = models[0], {name: _outcomes(narrowed, experiment.name, name) for name in models}
    items, session = run.items[experiment.name], experiment.predictions[0]
    facets = touching(condition_named(condition), experiment.name, session)
    predictions = [key for key in run.replies if key[:2] == (model, experiment.name) and key.session == session]
    predictions.sort(key=lambda key: -key.epoch)  # the first epoch stays
    asked = {key.item: key for key in predictions if key.facets == facets}
    known = [id for id in items if id in asked and all(id in outcomes for outcomes in by_model.values())]
    prompts = prompts_sent(run, [asked[id] for id in known])
    families = dict(zip(items, merged([_family(experiment, item) for item in items.values()]), strict=True))
    for id in known:
        prompt = prompts[asked[id]]
        if prompt is None:
            raise InputError(
                f"{run.folder}: the prompt of {experiment.name} {id} is not kept, so that nobody can be trained on it. "
                "Ask the run anew, or keep `prompt` in the lines that are imported."
            )
        messages = _messages(run, model, prompt)
        example = Example(
            experiment.name, items[id], families[id], messages, {name: by_model[name][id] for name in models}
        )
        _refuse_unread(run, example, asked[id])
        yield example


def _messages(run: Run, model: str, prompt: Prompt) -> Messages:
    """A prompt as it was sent, after the system prompt if there was one."""
    system = run.manifest.settings_of(model).get("system")
    messages: Messages = (("system", str(system)),) if system else ()
    return messages + tuple((message.role, message.content) for message in messages_of(prompt))


def _outcomes(run: Run, experiment: str, model: str) -> Mapping[str, Outcomes]:
    """What a model did with each item, where that is known of all its claims, in the first epoch."""
    rows = run.observations.filter((pl.col("experiment") == experiment) & (pl.col("model") == model))
    first = rows.filter(pl.col("epoch") == pl.col("epoch").min().over("item"))
    outcomes: dict[str, dict[str, bool | None]] = {}
    for id, claim, observed in first.select("item", "claim", "observed").iter_rows():
        outcomes.setdefault(id, {})[claim] = observed
    return {
        id: {claim: bool(did) for claim, did in by_claim.items()}
        for id, by_claim in outcomes.items()
        if None not in by_claim.values()
    }


def _family(experiment: Experiment, item: Item) -> str:
    """The family of an item's wording; where it has none, it is one of its own."""
    wordings = [each for some in experiment.wording(item).values() for each in some]
    return wordings[0].family if wordings else item.id


def _refuse_unread(run: Run, example: Example, key: Key) -> None:
    """Refuse a reply that our own reader would read as another one: a model that learnt it would be read wrongly."""
    outcomes = example.outcomes[key.model]
    text = example.reply(outcomes)
    reply = Reply(**key._asdict() | {"facets": dict(key.facets)}, text=text)
    reading: Reading = read_replies(run.items, {key: reply}, None, run.prompts)[key]
    claims = EXPERIMENTS[example.experiment].observe(example.item, {key.session: reading})
    if {claim.claim: claim.predicted for claim in claims} != outcomes:
        raise InputError(
            f"{run.folder}: {text} is not read as what {key.model} did with {example.experiment} {key.item}. Its "
            "prompts ask for another form than those that are shipped."
        )
