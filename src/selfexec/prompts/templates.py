"""The prompts of all experiments: as shipped, and with some replaced."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from string import Template

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment, Message, Options, Prompt, Prompts
from selfexec.facets import Condition, condition_name, conditions_of, prompts_in, touching

AllPrompts = Mapping[str, Prompts]  # experiment -> its templates


def all_prompts(changed: Mapping[str, str]) -> AllPrompts:
    """Every experiment's templates and the sentences of their options, with some replaced; `changed` goes from
    'restriction.predict' to a template, or from 'restriction.predict.A' to a sentence.
    """
    prompts = {name: {**module.prompts, **_sentences(module)} for name, module in EXPERIMENTS.items()}
    for name, template in changed.items():
        if "@" in name:
            continue  # what a facet makes of a template, as a run keeps it: it will be made of the plain one again
        experiment, _, session = name.partition(".")
        if session not in prompts.get(experiment, {}):
            raise InputError(f"prompt {name!r}: there is no such prompt. There are {', '.join(by_name(prompts))}.")
        prompts[experiment][session] = _checked(name, template, prompts[experiment][session])
    return prompts


def _checked(name: str, template: str, original: str) -> str:
    if not isinstance(template, str):
        raise InputError(f"prompt {name!r}: it must be text. Leave it out to ask as shipped.")
    if not template.strip():
        raise InputError(f"prompt {name!r}: it is empty. Leave it out to ask as shipped.")
    if not Template(template).is_valid():
        raise InputError(f"prompt {name!r}: a stray $. Write $$ for a dollar sign.")
    wanted, found = set(Template(original).get_identifiers()), set(Template(template).get_identifiers())
    if wanted != found:
        names = ", ".join(f"${w}" for w in sorted(wanted))
        raise InputError(f"prompt {name!r}: it must contain {names}, each at least once, and nothing else with a $.")
    return template


def _sentences(experiment: Experiment) -> Prompts:
    return {
        f"{kind}.{letter}": said for kind, options in experiment.options.items() for letter, said in options.items()
    }


def shipped_sentences(experiments: Iterable[str]) -> dict[str, str]:
    """What letters stand for as shipped, by 'restriction.predict.A': a run keeps them only where they are others."""
    return by_name({experiment: _sentences(EXPERIMENTS[experiment]) for experiment in experiments})


def options_in(texts: Mapping[str, str | None], experiment: str, kind: str) -> Options | None:
    """What the letters of a kind of session stand for, where these texts have it otherwise than it is shipped."""
    shipped = EXPERIMENTS[experiment].options.get(kind, {})
    told = {letter: texts.get(f"{experiment}.{kind}.{letter}") or said for letter, said in shipped.items()}
    return None if told == shipped else told


def by_name(prompts: AllPrompts) -> dict[str, str]:
    """Templates by 'restriction.predict' and so on, sentences by 'restriction.predict.A'."""
    return {f"{e}.{session}": template for e, templates in prompts.items() for session, template in templates.items()}


def digest(prompt: Prompt) -> str:
    """SHA-256 of a prompt: of the text of a single user message, else of the messages as JSON, keys sorted and without
    blanks.
    """
    text = prompt if isinstance(prompt, str) else _canonical(prompt)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(messages: Sequence[Message]) -> str:
    if len(messages) == 1 and messages[0].role == "user":
        return messages[0].content
    plain = [{"content": message.content, "role": message.role} for message in messages]
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def prompt_hashes(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: digest(template) for name, template in texts.items()}


def by_condition(prompts: AllPrompts, conditions: Sequence[Condition]) -> Mapping[str, Mapping[Condition, Prompts]]:
    """By experiment: the conditions that are told apart in it, and the templates that are asked with in each."""
    return {
        experiment: {c: prompts_in(c, experiment, templates) for c in conditions_of(conditions, experiment)}
        for experiment, templates in prompts.items()
    }


def asked_prompts(prompts: AllPrompts, conditions: Sequence[Condition]) -> dict[str, str]:
    """Templates by name as they are asked with: where a condition changes one, under a name of its own."""
    named = {
        name_in(condition, experiment, kind): template
        for experiment, asked in by_condition(prompts, conditions).items()
        for condition, templates in asked.items()
        for kind, template in templates.items()
    }
    plain, ours = by_name(prompts), shipped_sentences(prompts)
    told = {name: text for name, text in named.items() if name in plain or text != plain[name.partition("@")[0]]}
    return {name: text for name, text in told.items() if ours.get(name) != text}


def texts_in(texts: Mapping[str, str | None], condition: Condition) -> dict[str, str | None]:
    """Those of these texts that are asked with in a condition, by their plain names."""
    found: dict[str, str | None] = {}
    for name, text in texts.items():
        plain = name.partition("@")[0]
        experiment, kind = plain.split(".")[:2]
        wanted = name_in(condition, experiment, kind)
        if name == wanted or (name == plain and wanted not in texts):
            found[plain] = text
    return found


def name_in(condition: Condition, experiment: str, kind: str) -> str:
    """What the template of a kind of session is called in a condition."""
    part = touching(condition, experiment, kind)
    return f"{experiment}.{kind}@{condition_name(part)}" if part else f"{experiment}.{kind}"
