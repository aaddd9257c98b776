"""The prompts of all experiments: as shipped, with some replaced, and as a run keeps them."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Prompts
from selfexec.facets import Condition, condition_name, conditions_of, prompts_in, touching

AllPrompts = Mapping[str, Prompts]  # experiment -> its templates
KEY_ASKED_FOR = re.compile(r'\{"(\w+)": ')  # in a template's form of the answer


def all_prompts(changed: Mapping[str, str]) -> AllPrompts:
    """Every experiment's templates, with some replaced; `changed` goes from 'restriction.predict' to a template."""
    prompts = {experiment: dict(module.prompts) for experiment, module in EXPERIMENTS.items()}
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
    if not Template(template).is_valid():
        raise InputError(f"prompt {name!r}: a stray $. Write $$ for a dollar sign.")
    wanted, found = set(Template(original).get_identifiers()), set(Template(template).get_identifiers())
    if wanted != found:
        names = ", ".join(f"${w}" for w in sorted(wanted))
        raise InputError(f"prompt {name!r}: it must contain {names}, each at least once, and nothing else with a $.")
    return template


def by_name(prompts: AllPrompts) -> dict[str, str]:
    """Templates by 'restriction.predict' and so on."""
    return {f"{e}.{session}": template for e, templates in prompts.items() for session, template in templates.items()}


def digest(template: str) -> str:
    return hashlib.sha256(template.encode()).hexdigest()


def prompt_hashes(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: digest(template) for name, template in texts.items()}


def asked_prompts(prompts: AllPrompts, conditions: Iterable[Condition]) -> dict[str, str]:
    """Templates by name as they are asked with: where a condition changes one, under a name of its own."""
    named: dict[str, str] = {}
    for experiment, templates in prompts.items():
        for condition in conditions_of(conditions, experiment):
            for kind, template in prompts_in(condition, experiment, templates).items():
                named[name_in(condition, experiment, kind)] = template
    plain = by_name(prompts)
    return {name: text for name, text in named.items() if name in plain or text != plain[name.partition("@")[0]]}


def name_in(condition: Condition, experiment: str, kind: str) -> str:
    """What the template of a kind of session is called in a condition."""
    part = touching(condition, experiment, kind)
    return f"{experiment}.{kind}@{condition_name(part)}" if part else f"{experiment}.{kind}"


# --- in a run's folder -----------------------------------------------------------------------------------------------


def kept_prompts(path: Path, asked: Mapping[str, str]) -> dict[str, str | None]:
    """The templates that a run asked with, by name, as far as they are known: from its file, or as shipped where the
    SHA-256 in `asked` is that of the shipped one. None: not kept.
    """
    candidates = [_read(path), by_name(all_prompts({}))]
    return {
        name: next((texts[name] for texts in candidates if name in texts and digest(texts[name]) == sha256), None)
        for name, sha256 in asked.items()
    }


def prompts_file(texts: Mapping[str, str | None]) -> bytes:
    """The known ones of these templates as a file that `--prompts` takes, sorted by name."""
    known = {name: text for name, text in sorted(texts.items()) if text is not None}
    return msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n"


def _read(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}  # runs of versions that kept only hashes
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise InputError(f"{path}: not a JSON object of texts. Restore it, or remove it.") from None


# --- a file of one's own ---------------------------------------------------------------------------------------------


def read_prompts(path: Path) -> dict[str, Any]:
    """What a file for `--prompts` has, by name."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. `selfexec prompts > {path}` writes one to edit.") from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). Give a file like `selfexec prompts`.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save the file as UTF-8.") from None
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{path}: not valid JSON ({fault}). It must be one object, like `selfexec prompts`.") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: it must be one JSON object, like `selfexec prompts` prints.")
    return found


def prompt_faults(given: Mapping[str, Any]) -> Iterator[str]:
    """What no run could ask with, prompt by prompt."""
    for name, text in given.items():
        try:
            all_prompts({name: text})
        except InputError as fault:
            yield str(fault)


def prompt_oddities(given: Mapping[str, str]) -> Iterator[str]:
    """What may be meant, and mostly is not: a prompt that asks for another key than readers look for first."""
    shipped = by_name(all_prompts({}))
    for name, text in given.items():
        for key in KEY_ASKED_FOR.findall(shipped[name]):
            if f'"{key}"' not in text:
                yield f"{name} does not ask for the key {key!r}, which readers look for first"
