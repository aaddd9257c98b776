"""What extensions add to the core, and where it lies. Nothing of an extension is imported until it is used.

An extension is a package whose `__init__.py` holds a value `EXTENSION`: ours are the folders in `selfexec.extensions`,
those of other packages announce that value under the entry point `selfexec.extensions`. The core never imports an
extension by name; it asks here what is registered.

Experiments, facets and engines are each a `Registry`: ours, what extensions add, and what other packages announce under
an entry point of their own.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any, Generic, NamedTuple, TypeVar

from selfexec.errors import InputError

GROUP = "selfexec.extensions"  # our package of extensions, and the entry point of others
Places = Mapping[str, str]  # name -> "module:attribute"


class Command(NamedTuple):
    """A command: where it lies as "module:attribute", what it does in a line, and the heading of the help that lists
    it; None where only those who look for it are to find it.
    """

    place: str
    about: str
    heading: str | None = "Data and tools"


class Export(NamedTuple):
    """A form in which `export` writes: a function of an `ExportRequest`, and what gives the command the options that
    only such files have. `files` is what these are called, and `about` what the help of `--to` says of the form.
    """

    place: str
    options: str | None = None
    files: str | None = None
    about: str = ""

    @property
    def heading(self) -> str:
        """Above these options in the help."""
        return f"{self.files} only".capitalize()


class Import(NamedTuple):
    """A tool whose files `import` takes: a function of an `ImportRequest`. Files that all have the `suffix` are taken
    to be of it. `takes` is which of the options that only some tools have go with it, as they are typed. `about` is
    what the help of `--from` says of it.
    """

    place: str
    suffix: str | None = None
    takes: tuple[str, ...] = ()
    about: str = ""


class PlanSource(NamedTuple):
    """What else `run` takes a plan from: a function of the choices and of all options by their names in Python, which
    gives a `PlannedRun`; what gives the command its options; and those of them of which one has to be typed, by their
    names in Python.
    """

    place: str
    options: str
    triggers: tuple[str, ...]


class Convention(NamedTuple):
    """A way of counting claims, for `score --convention NAME`: a function of a run, which gives rows of scores without
    intervals and baselines. `about` is what the help says of it; `title` stands above such scores, `legend` below.
    """

    place: str
    about: str
    title: str
    legend: str


class AppendixPart(NamedTuple):
    """A folded part of the report's appendix, by its id: a function of the page's data, which gives what the template
    shows (as `section`) or None, and where the template lies, as "package/file" (in the package's folder `templates`).
    `summary` is its heading. Of very many models the page says that `about` is in `command`.
    """

    place: str
    template: str
    summary: str
    about: str
    command: str


class ReportFile(NamedTuple):
    """A file of `report --figures`, by its name: a function of the page's data, which gives the text, or None
    where there is none. `columns` is where the meanings of a table's columns lie.
    """

    place: str
    columns: str | None = None


class Carrier(NamedTuple):
    """What else carries out a plan for `run`: a function of all options by their names in Python, which gives a
    function from a plan to its run; what gives the command its options; and those of them of which one has to be typed,
    by their names in Python.
    """

    place: str
    options: str
    triggers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Extension:
    """What an extension adds, at each of the points at which the core can be added to.

    Attributes:
        commands: Commands of the command line.
        analyses: Commands of `selfexec analyze`.
        public: Names of `import selfexec`.
        engines: An `EngineType` each, by the name that its models begin with.
        experiments: A subclass of `Experiment` each.
        facets: A facet each.
        plans: Where else `run` takes its plan from.
        carriers: What else carries out the plan of `run`.
        exports: Forms of `export --to NAME`.
        imports: Tools of `import --from NAME`.
        finished_logs: Tools of `import --from NAME --as EXPERIMENT`.
        conventions: Ways of counting claims.
        crossings: What `analyze cross` shows besides its tables, by its name in JSON: functions of a `Selection`, which
            give rows, or None where there is nothing.
        appendix: Parts of the report's appendix.
        report_files: Files of `report --figures` besides the figures.
        figure_formats: Functions from a `Figure` to the text of a file, by the suffix of its name.
        abilities: Functions that give abilities by model, which figures show unless others are given.
    """

    commands: Mapping[str, Command] = field(default_factory=dict)
    analyses: Mapping[str, Command] = field(default_factory=dict)
    public: Places = field(default_factory=dict)
    engines: Places = field(default_factory=dict)
    experiments: Places = field(default_factory=dict)
    facets: Places = field(default_factory=dict)
    plans: Mapping[str, PlanSource] = field(default_factory=dict)
    carriers: Mapping[str, Carrier] = field(default_factory=dict)
    exports: Mapping[str, Export] = field(default_factory=dict)
    imports: Mapping[str, Import] = field(default_factory=dict)
    finished_logs: Mapping[str, Import] = field(default_factory=dict)
    conventions: Mapping[str, Convention] = field(default_factory=dict)
    crossings: Places = field(default_factory=dict)
    appendix: Mapping[str, AppendixPart] = field(default_factory=dict)
    report_files: Mapping[str, ReportFile] = field(default_factory=dict)
    figure_formats: Places = field(default_factory=dict)
    abilities: Places = field(default_factory=dict)


def registered(point: str) -> dict[str, Any]:
    """What all extensions add at one point, by name: ours in the order of their names, then those of other packages.

    Args:
        point: A field of `Extension`.

    Raises:
        InputError: Two extensions add something under one name.
    """
    everything: dict[str, Any] = {}
    for name, extension in all_extensions().items():
        added: Mapping[str, Any] = getattr(extension, point)
        if taken := everything.keys() & added.keys():
            raise InputError(f"extension {name!r}: {point} {min(taken)!r} is there already. Remove one of the two.")
        everything |= added
    return everything


def explained(added: Mapping[str, Export] | Mapping[str, Import]) -> str:
    """What the help says of these names, each text once: "a, b: what both are." """
    by_text: dict[str, list[str]] = {}
    for name, one in added.items():
        by_text.setdefault(one.about, []).append(name)
    return " ".join(f"{', '.join(names)}: {about}" for about, names in by_text.items() if about)


def resolve(place: str) -> Any:
    """What lies at "module:attribute", imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@cache
def all_extensions() -> dict[str, Extension]:
    """Every extension of this installation, by name."""
    return _ours() | _of_other_packages()


def _ours() -> dict[str, Extension]:
    try:
        package = import_module(GROUP)
    except ModuleNotFoundError:  # an installation of the core alone
        return {}
    modules = {one.name: import_module(f"{GROUP}.{one.name}") for one in iter_modules(package.__path__)}
    return {name: _checked(name, getattr(module, "EXTENSION", None)) for name, module in modules.items()}


def _of_other_packages() -> dict[str, Extension]:
    from importlib.metadata import entry_points  # takes as long as all else here together

    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return {point.name: _checked(point.name, point.load()) for point in points}


def _checked(name: str, value: object) -> Extension:
    if not isinstance(value, Extension):
        raise InputError(f"extension {name!r}: EXTENSION is no Extension. Correct it, or remove it.")
    return value


# --- registries -------------------------------------------------------------------------------------------------------


T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Values of one type by name: ours, those of extensions, then those that other packages announce under the entry
    point `selfexec.POINT`, in the order of their names. Looked up when first asked for. A class of this type stands for
    its only instance, which is made here. `reserved` names are nobody's.
    """

    def __init__(
        self,
        kind: type[T],
        point: str,
        ours: Collection[T | type[T]],
        name: Callable[[T], str],
        reserved: Collection[str] = (),
    ) -> None:
        self._kind, self._point, self._ours, self._name, self._reserved = kind, point, ours, name, reserved

    @cached_property
    def _found(self) -> dict[str, T]:
        added = [resolve(place) for place in registered(self._point).values()]
        found = {self._name(value): value for value in map(self._instance, (*self._ours, *added))}
        group = f"selfexec.{self._point}"
        for point in sorted(entry_points(group=group), key=lambda point: point.name):
            value = self._instance(point.load())
            if not isinstance(value, self._kind):
                raise InputError(f"entry point {point.name!r} of {group}: {point.value} is no {self._kind.__name__}.")
            if (name := self._name(value)) in (*found, *self._reserved):
                raise InputError(f"entry point {point.name!r}: the name {name!r} is taken. Choose another.")
            found[name] = value
        return found

    def _instance(self, value: Any) -> Any:
        return value() if isinstance(value, type) and issubclass(value, self._kind) else value

    def __getitem__(self, name: str) -> T:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
