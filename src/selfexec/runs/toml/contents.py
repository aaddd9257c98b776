"""Study files, in TOML: what can be set about a run, and models that are each reached and asked in their own way.

What stands at the top holds for all models; what a model has of its own takes its place. Relative paths begin where the
file lies. No key stands in a study file: it names the variables that hold them.
"""

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin

import msgspec

from selfexec.engines import Connection, Respondent, Sampling, kept_field
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.files.jsonl import in_words
from selfexec.files.outputs import RESULTS
from selfexec.options import alternatives, declared, names, part_of, put_over
from selfexec.prompts import sets
from selfexec.run_options import RunOptions
from selfexec.runs.sampling import sampling_of
from selfexec.runs.toml.places import line_of
from selfexec.text.matching import meant
from selfexec.text.redaction import bare_address, kept
from selfexec.text.regex import regex

Refuse = Callable[[Sequence[str | int], str], NoReturn]
VARIABLE = regex(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
OUTPUTS: Mapping[str, Sequence[str]] = {
    "scores": tuple(RESULTS),
    "report": (".html",),
    "card": (".md",),
}


def _toml(kind: Any) -> Any:
    """The type that an option has in a TOML file."""
    parts = alternatives(kind)
    origins = {get_origin(part) or part: part for part in parts}
    if str in origins or Path in origins:
        return str | list[str] if Iterable in origins else str
    if Mapping in origins:
        _, value = get_args(origins[Mapping])
        return dict.__class_getitem__((str, value if value is Any else _toml(value)))
    return kind


def _table(title: str, /, *kinds: type[Any], **own: Any) -> type[msgspec.Struct]:
    """What a table of a study file may hold: options of these classes, and what is its own."""
    options = {each.name: _toml(each.kind) for kind in kinds for each in declared(kind) if each.option.study}
    keys = [(key, kind | None, None) for key, kind in {**options, **own}.items()]
    return msgspec.defstruct(title, keys, frozen=True, kw_only=True, forbid_unknown_fields=True)


_ADDRESSES = {"base_url": str | list[str]}
_OUTPUTS = _table("_Outputs", scores=str | list[str], report=str, card=str)
_MODEL = msgspec.defstruct(
    "_Model",
    [("model", str)],
    bases=(_table("_OfModel", Connection, Sampling, **_ADDRESSES, name=str, price=str),),
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
)
_FILE = _table("_File", RunOptions, **_ADDRESSES, models=list[str | _MODEL], outputs=_OUTPUTS)  # type: ignore[valid-type]


@dataclass(frozen=True)
class StudyModel:
    """A model of a study.

    Attributes:
        model: As it is asked.
        name: What the run calls it, where that is something else.
        price: What it costs.
        own: The options that it has of its own, by name.
    """

    model: str
    name: str | None = None
    price: str | None = None
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """What the run calls it."""
        return self.name or self.model


KEPT_WITHOUT = """\
# Written anew: values of an extra body under names that are no known settings may be secrets, and are digests here.

"""


@dataclass(frozen=True)
class StudyContents:
    """What a study file says, with its paths resolved. `choices` hold for all models, and so do `addresses`, where any
    are given; `entries` are the models with what each has of its own, `outputs` what is to be written at the end, by
    kind; `content` is the file as it was read.
    """

    path: Path
    content: bytes
    choices: RunOptions
    addresses: Sequence[str] = ()
    entries: Sequence[StudyModel] = ()
    outputs: Mapping[Literal["scores", "report", "card"], Sequence[Path]] = field(default_factory=dict)

    @property
    def models(self) -> list[str]:
        """What the run calls them."""
        return [one.called for one in self.entries]

    @property
    def kept_content(self) -> bytes:
        """The file as a run keeps it: as it was read, unless an extra body holds what a run keeps the digest of alone.
        Then the digest stands in its place, and the file is written anew, without its comments.
        """
        raw = tomllib.loads(self.content.decode("utf-8-sig"))
        bodies = [table["extra_body"] for table in (raw, *_tables(raw.get("models"))) if "extra_body" in table]
        if all(kept_field(name, value) == value for body in bodies for name, value in body.items()):
            return self.content
        import tomli_w  # seldom needed

        for body in bodies:
            body.update({name: kept_field(name, value) for name, value in body.items()})
        return (KEPT_WITHOUT + tomli_w.dumps(raw)).encode()

    def _refuse_in_place(self, fault: InputError, instead: Mapping[str, Any]) -> None:
        """Refuse what the file says with its line, where it is the file that says it."""
        raw, [choice, *part] = tomllib.loads(self.content.decode("utf-8-sig")), fault.choice or [""]
        steps = [step for name in part for step in name.split(".")] if choice == "settings" else []
        places = [((), raw), *((("models", n), one) for n, one in enumerate(_tables(raw.get("models"))))]
        for place, table in places:
            said = choice in table and (choice != "settings" or {*part} <= _by_scope(table[choice]).keys())
            if said and not (choice in instead and not place):
                whose = f"model {table.get('name', table['model'])!r}: " if place else ""
                _refuse(self.path, self.content, (*place, choice, *steps), f"{whose}{fault}")

    def respondents(self, models: Sequence[str] | None = None) -> list[Respondent]:
        """How some of its models, or all, are reached and asked; without what headers hold, which only calls need."""
        bare = replace(self.choices, headers={})
        return [respondent_of(_without_headers(one), bare, self.addresses) for one in self._chosen(models)]

    def reached(self, models: Sequence[str]) -> tuple[list[Respondent], tuple[str, ...]]:
        """How some of its models are reached and asked, with what headers hold; and which variables of these are not
        set, in sentences.
        """
        chosen = self._chosen(models)
        choices = replace(self.choices, headers=held_headers(self.choices.headers))
        headers = [self.choices.headers, *(one.own.get("headers", {}) for one in chosen)]
        lacking = dict.fromkeys(said for some in headers for said in unset_headers(some))
        return [respondent_of(one, choices, self.addresses) for one in chosen], tuple(lacking)

    def _chosen(self, models: Sequence[str] | None) -> list[StudyModel]:
        """Its models, or those of them that are named. InputError: it has no such model."""
        if strange := [name for name in models or () if name not in self.models]:
            way_out = meant(strange[0], self.models)
            raise InputError(f"--model {strange[0]}: {self.path} has no such model. {way_out}")
        return [one for one in self.entries if not models or one.called in models]


def read_study(path: str | Path) -> StudyContents:
    """A study file. InputError: it cannot be read, or something in it is not what it must be, with its line."""
    path = Path(path)
    content, raw = _parsed(path)
    refuse = partial(_refuse, path, content)
    if not raw:
        raise InputError(f'{path}: it says nothing. Name the models, as in models = ["openai/gpt-6-luna"].')
    _refuse_keys(raw, refuse)
    try:
        file = _given(msgspec.convert(raw, _FILE))
    except msgspec.ValidationError as fault:
        _refuse_fault(str(fault), refuse)
    entries = [StudyModel(one) if isinstance(one, str) else _entry(one) for one in file.get("models", ())]
    for n, one in enumerate(entries):
        if one.called in [other.called for other in entries[:n]]:
            what = f"the model {one.called!r} is there twice. Give one of them another `name`."
            refuse(("models", n, "name" if one.name else "model"), what)
    at = partial(_path, path.parent)
    made = {each.name: file[each.name] for each in declared(RunOptions) if each.option.study and each.name in file}
    addresses = names(made.pop("base_url", ()))
    made |= {"settings": _by_scope(made["settings"])} if "settings" in made else {}
    made |= {"items": at(made["items"])} if is_path(made.get("items", "")) else {}
    made |= {"prompts": at(made["prompts"])} if "prompts" in made and made["prompts"] not in ("en", *sets()) else {}
    made |= {"hypotheses": at(made["hypotheses"])} if "hypotheses" in made else {}
    made |= {"price": [_price(path.parent, text) for text in names(made["price"])]} if "price" in made else {}
    made["out"] = at(made.get("out", f"runs/{path.stem}"))
    try:
        choices = RunOptions(**made)
    except InputError as fault:
        refuse(fault.choice[:1], str(fault))
    return StudyContents(
        path=path,
        content=content,
        choices=choices,
        addresses=addresses,
        entries=entries,
        outputs=_outputs(_given(file.get("outputs")), at, refuse),
    )


# --- what a file says ------------------------------------------------------------------------------------------------


def _parsed(path: Path) -> tuple[bytes, dict[str, Any]]:
    try:
        content = path.read_bytes()
        return content, tomllib.loads(content.decode("utf-8-sig"))
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). `--dry-run --save {path}` writes one.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save the file as UTF-8.") from None
    except tomllib.TOMLDecodeError as fault:
        raise InputError(f"{path}: not valid TOML ({fault}).") from None
    except RecursionError:
        raise InputError(f"{path}: lists or tables in it are nested too deeply. Is this a study file?") from None


def _refuse(path: Path, content: bytes, where: Sequence[str | int], what: str) -> NoReturn:
    line = line_of(content.decode("utf-8-sig"), where)
    raise InputError(f"{path}{f':{line}' if line else ''}: {what}")


def _refuse_fault(fault: str, refuse: Refuse) -> NoReturn:
    """Refuse what is of the wrong type, or unknown, in words."""
    said, _, place = fault.partition(" - at `$")
    steps = re.findall(r"\.([^.\[\]`]+)|\[(\d+)\]", place)
    where = [name or int(number) for name, number in steps]
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", said, re.DOTALL):
        table = TABLES[where[0] if where else None]
        known = sorted(table.__struct_fields__)
        refuse([*where, unknown[1]], f"unknown key {unknown[1]!r}. {meant(unknown[1], known)}")
    choosing = next((each for each in declared(RunOptions) if each.choices and each.name in where[-1:]), None)
    if choosing and (value := re.fullmatch(r"Invalid enum value '(.*)'", said, re.DOTALL)):
        refuse(where, choosing.unknown_choice(value[1]))
    refuse(where, in_words(fault).replace(" or null", ""))  # which TOML has not


TABLES: Mapping[str | int | None, Any] = {None: _FILE, "models": _MODEL, "outputs": _OUTPUTS}


def _refuse_keys(raw: Mapping[str, Any], refuse: Refuse) -> None:
    """Refuse what is a key, or may be one: a file is handed on."""
    models = raw.get("models")
    tables = [((), raw), *((("models", n), one) for n, one in enumerate(models if isinstance(models, list) else ()))]
    for place, table in tables:
        if not isinstance(table, dict):
            continue
        for name, value in _items(table.get("headers")):
            if not VARIABLE.fullmatch(str(value)):
                refuse(
                    (*place, "headers", name),
                    f'header {name}: what it holds may be a key, which does not belong into a file. Write "$NAME", '
                    "for the variable that has it.",
                )
        for part in ("settings", "extra_body"):
            for name, value in _items(table.get(part)):
                if kept(name, value) != value:
                    refuse((*place, part, name), f"{part}: {name} looks like a key, which does not belong in a file.")
        for address in names(table.get("base_url") or ()):
            if bare_address(str(address)) != str(address):  # a password, or in the query what is no version
                refuse(
                    (*place, "base_url"),
                    "the address holds a key, or what may be one: which does not belong in a file.",
                )


def _items(table: Any) -> Sequence[tuple[str, Any]]:
    return list(table.items()) if isinstance(table, dict) else []


def _tables(given: Any) -> Sequence[Any]:
    """The models of a study as tables; of one that is a name alone, an empty one."""
    return [one if isinstance(one, dict) else {} for one in given or ()]


def held_headers(given: Mapping[str, str]) -> dict[str, str]:
    """Headers, with what the variables hold, as far as these are set."""
    held = {
        name: os.environ.get(variable[1]) for name, value in given.items() if (variable := VARIABLE.fullmatch(value))
    }
    return {name: value for name, value in held.items() if value is not None}


def unset_headers(headers: Mapping[str, str]) -> list[str]:
    """Which of the variables of headers are not set, in sentences."""
    set_ = held_headers(headers)
    return [
        f"header {name}: the variable {value} is not set. Set it, and give the command again."
        for name, value in headers.items()
        if name not in set_
    ]


def _by_scope(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their scopes, as `--set` names them: a table of a kind of session or an experiment is a scope."""
    scopes = {*EXPERIMENTS, *(kind for one in EXPERIMENTS.values() for kind in one.prompts)}

    def flat(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
        for name, value in table.items():
            if name in scopes and isinstance(value, dict):
                yield from flat(value, f"{before}{name}.")
            else:
                yield f"{before}{name}", value

    return dict(flat(settings, ""))


def _path(folder: Path, text: str) -> str:
    return str(folder / Path(text).expanduser())


def is_path(items: str) -> bool:
    """Whether items are no set by its name."""
    return "/" in items or os.sep in items or items.startswith(".")


def _price(folder: Path, text: str) -> str:
    return _path(folder, text) if text.endswith(".json") else text


def _outputs(given: Mapping[str, Any], at: Any, refuse: Refuse) -> dict[Any, list[Path]]:
    found: dict[Any, list[Path]] = {}
    for kind, endings in OUTPUTS.items():
        paths = [Path(at(text)) for text in names(given.get(kind, ()))]
        for one in paths:
            if one.suffix not in endings:
                refuse(("outputs", kind), f"{kind} = {one.name!r}: the name must end in {' or '.join(endings)}.")
        found |= {kind: paths} if paths else {}
    return found


# --- the models ------------------------------------------------------------------------------------------------------


def _given(table: Any) -> dict[str, Any]:
    """What a table of a file holds, by its keys."""
    values = {} if table is None else msgspec.structs.asdict(table)
    return {key: value for key, value in values.items() if value is not None}


def _entry(table: Any) -> StudyModel:
    own = _given(table)
    return StudyModel(own.pop("model"), own.pop("name", None), own.pop("price", None), own)


def _without_headers(one: StudyModel) -> StudyModel:
    return replace(one, own={key: value for key, value in one.own.items() if key != "headers"})


def respondent_of(one: StudyModel, choices: RunOptions, addresses: Sequence[str]) -> Respondent:
    """A model with what it has of its own in place of what holds for all."""
    given = dict(one.own)
    if "headers" in given:
        given["headers"] = {**choices.headers, **held_headers(given["headers"])}
    if "settings" in given:
        given["settings"] = _by_scope(given["settings"])
    own = {each.name: given[each.name] for each in declared(Connection) if each.name in given}
    urls: list[Any] = names(own.pop("base_url", ())) or list(addresses) or [choices.base_url]
    if doubled := next((url for url in urls if urls.count(url) > 1), None):
        raise InputError(f"model {one.called!r}: the address {doubled} is there twice. Give each once.")
    connection = put_over(part_of(choices, Connection), own)
    sent = {each.name: given[each.name] for each in declared(Sampling) if each.name in given}
    sampling = put_over(sampling_of(choices), sent)
    return Respondent(one.called, one.model, tuple(replace(connection, base_url=url) for url in urls), sampling)
