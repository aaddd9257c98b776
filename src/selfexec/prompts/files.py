"""Prompts in files: one's own, and those that a run keeps."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment
from selfexec.facets import FACETS
from selfexec.prompts.templates import all_prompts, by_name, digest
from selfexec.renamed import with_new_names

KEY_ASKED_FOR = re.compile(r'\{"(\w+)": ')  # in a template's form of the answer

# --- one's own -------------------------------------------------------------------------------------------------------


ENGLISH = "en"  # those in the files of the experiments


def sets() -> dict[str, Path]:
    """The sets of prompts that are shipped beside the English ones, by the language that is their name."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob("*.json"))}


def read_prompts(given: str | Path) -> dict[str, Any]:
    """What a set or a file for `--prompts` has, by name."""
    if given == ENGLISH:
        return {}
    path = sets().get(str(given), Path(given))
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file, and no set of prompts ({', '.join([ENGLISH, *sets()])}). "
            f"`selfexec prompts > {path}` writes one to edit."
        ) from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). Give a file like `selfexec prompts`.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save the file as UTF-8.") from None
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{path}: not valid JSON ({fault}). It must be one object, like `selfexec prompts`.") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: it must be one JSON object, like `selfexec prompts` prints.")
    return found | _translated(given)


def _translated(name: str | Path) -> dict[str, str]:
    """What facets put into templates in the words of a set that ships, where they bring it themselves."""
    by_facet = {facet.name: facet.translations.get(str(name), {}) for facet in FACETS.values()}
    return {f"{facet}.{what}": text for facet, texts in by_facet.items() for what, text in texts.items()}


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
        for key in KEY_ASKED_FOR.findall(shipped.get(name, "")):
            if f'"{key}"' not in text:
                yield f"{name} does not ask for the key {key!r}, which readers look for first"
    texts = {**shipped, **given}
    for experiment, module in EXPERIMENTS.items():
        for kind, options in module.options.items():
            in_letters = [kind, *(name for name in module.variants if _asks_for_letters(module, kind, name))]
            for letter in options:
                said = f"{experiment}.{kind}.{letter}"
                for name in (f"{experiment}.{variant}" for variant in in_letters):
                    if texts[said] not in texts[name]:
                        yield f"{name} does not hold the sentence of {letter} ({said}), by which replies are read"


def _asks_for_letters(module: Experiment, kind: str, variant: str) -> bool:
    """Whether a variant is one of this kind of session that is answered as the plain prompt is, and not in another form
    (`predict@elicit`).
    """
    plain, _, facets = variant.partition("@")
    otherwise = {form.partition("=")[0] for form in module.read_otherwise}
    return plain == kind and otherwise.isdisjoint(facets.split(","))


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
        return msgspec.convert(with_new_names(msgspec.json.decode(path.read_bytes())), type=dict[str, str])
    except FileNotFoundError:
        return {}  # runs of versions that kept only hashes
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise InputError(f"{path}: not a JSON object of texts. Restore it, or remove it.") from None
