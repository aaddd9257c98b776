"""A study file of what was chosen on a command line or in another study file."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from selfexec.engines import kept_field
from selfexec.errors import InputError
from selfexec.options import declared
from selfexec.run_options import RunOptions
from selfexec.runs.toml import VARIABLE, StudyContents
from selfexec.text.redaction import bare_address, kept

IN_A_FILE = {each.name for each in declared(RunOptions) if each.option.study}
HEAD = """\
# A study of selfexec: `selfexec run --config {name} --dry-run` checks it and says what it takes.
# Paths begin where this file lies. No key is in it: those stay in the variables that are named.

"""


def save(study: StudyContents, path: Path) -> list[str]:
    """Write a study to a file that is not there yet, and return what else is to be known of it. What headers hold goes
    into variables. InputError: something in it is or holds a key.
    """
    import tomli_w  # only who saves needs it

    notes: list[str] = []
    if headers := study.choices.headers:
        variables = {name: value if VARIABLE.fullmatch(value) else _variable(name) for name, value in headers.items()}
        new = {name: variable for name, variable in variables.items() if variable != headers[name]}
        notes = [f"Set {variable[1:]} to what the header {name} holds." for name, variable in new.items()]
        study = replace(study, choices=replace(study.choices, headers=variables))
    text = HEAD.format(name=path.name) + tomli_w.dumps(_tables(study, path.parent))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"--save {path}: the file already exists. Give another name.") from None
    except OSError as fault:
        raise InputError(f"--save {path}: cannot be written ({fault.strerror}).") from None
    return notes


def _tables(study: StudyContents, folder: Path) -> dict[str, Any]:
    made = {name: value for name, value in study.choices.made.items() if name in IN_A_FILE}
    for name in ("settings", "extra_body"):
        if hidden := [key for key, value in made.get(name, {}).items() if kept(key, value) != value]:
            raise InputError(f"--save: {name} {hidden[0]} looks like a key, which does not belong in a file.")
    if hidden := [key for key, value in made.get("extra_body", {}).items() if kept_field(key, value) != value]:
        raise InputError(
            f"--save: extra_body {hidden[0]} holds text under a name that is no known setting: it may be a secret, of "
            "which runs keep the digest alone. Leave it out, and give it beside the file: "
            "--config FILE --extra-body JSON."
        )
    if (address := str(made.get("base_url", ""))) != bare_address(address):
        raise InputError(
            "--save: the address holds a key, or what may be one: which does not belong in a file. Leave it out."
        )
    for name in ("items", "prompts", "hypotheses", "out"):
        if name in made and (name == "out" or Path(made[name]).exists()):
            made[name] = _from(folder, made[name])
    if "price" in made:
        made["price"] = [_from(folder, text) if text.endswith(".json") else text for text in made["price"]]
    if study.addresses:
        made["base_url"] = list(study.addresses)
    found = {name: _plain(value) for name, value in made.items()}
    if study.outputs:
        outputs = {kind: [_from(folder, one) for one in paths] for kind, paths in study.outputs.items()}
        found["outputs"] = {kind: some if len(some) > 1 else some[0] for kind, some in outputs.items()}
    own = [_set({"model": one.model, "name": one.name, "price": one.price, **one.own}) for one in study.entries]
    return {"models": [one["model"] for one in own] if all(one.keys() == {"model"} for one in own) else own, **found}


def _set(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


def _from(folder: Path, path: str | Path) -> str:
    """A path as seen from where the file lies."""
    return str(path) if Path(path).is_absolute() else os.path.relpath(path, folder)


def _variable(header: str) -> str:
    """A variable after which a header may be filled in."""
    return "$" + "".join(c if c.isascii() and c.isalnum() else "_" for c in header.upper())
