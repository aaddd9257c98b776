"""What comes out of an analysis, and the one way in which it is shown, written and turned into data.

A kind of result says what people see of it (tables, and lines between them) and what stands in its JSON; whatever shows
or writes it stands here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from selfexec.experiments import EXPERIMENTS
from selfexec.files import csv_rows
from selfexec.files.frames import as_parquet, column_types, framed, record_fields, to_pandas
from selfexec.files.outputs import RESULTS, form_by_ending, tried, write_bytes, write_page
from selfexec.runs.folder import BATCHES
from selfexec.runs.requests import out_with_batches
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line
from selfexec.text.tables import WIDTH, Part, all_as_html, all_as_markdown, all_as_text, beginning
from selfexec.version import __version__

if TYPE_CHECKING:
    import polars as pl
    from _typeshed import DataclassInstance

    from selfexec.runs import Run

Form = Literal["text", "html", "markdown"]
Row = TypeVar("Row", bound="DataclassInstance")


class Result:
    """Prints as tables, in a notebook too, and turns into JSON and Markdown."""

    def _content(self, form: Form, width: int) -> Iterable[Part]:
        """What people see, from top to bottom. Few results look otherwise in one `form` than in another."""
        raise NotImplementedError

    def _data(self) -> Mapping[str, Any]:
        """What stands in the JSON."""
        raise NotImplementedError

    def table(self, width: int = WIDTH, *, styled: bool = False) -> str:
        """Text of so many columns; `styled`, with bold and dim parts, as terminals show them."""
        return all_as_text(self._content("text", width), width, styled=styled)

    def markdown(self) -> str:
        """The same for a page or a pull request."""
        return all_as_markdown(self._content("markdown", WIDTH))

    def json(self) -> str:
        """Everything by name: what it is of, the numbers, and what is said of them."""
        return json.dumps(self._data(), ensure_ascii=False, indent=1, allow_nan=False)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return beginning(str(self))

    def _repr_html_(self) -> str:
        return all_as_html(self._content("html", WIDTH))


class Tabular(Result):
    """A result that is also one table: a Polars or pandas data frame, or a Parquet file."""

    def frame(self) -> "pl.DataFrame":
        """The table as a Polars data frame."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The same table as a pandas data frame. It takes pandas, and nothing else."""
        return to_pandas(self.frame())

    def parquet(self) -> bytes:
        """The content of a Parquet file of the table. It keeps the types of the columns."""
        return as_parquet(self.frame())


class Rows(Tabular, Sequence[Row]):
    """A sequence of rows of plain values, of one kind, `_ROW`. It turns into records, a data frame and CSV besides."""

    _ROW: ClassVar[type["DataclassInstance"]]

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = list(rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def records(self) -> list[dict[str, Any]]:
        """A record for each row."""
        return as_records(self._rows)

    def _columns(self) -> Mapping[str, Any]:
        """The columns of the records, each with its type."""
        return column_types(self._ROW)

    def frame(self) -> "pl.DataFrame":
        """A Polars data frame of the records."""
        return framed(self.records(), self._columns())

    def write(self, path: str | Path) -> Path:
        """Write the rows to a file and return its path. The ending of its name decides the format: .csv, .json, .md,
        .txt or .parquet. Parquet keeps the types of the columns, and needs no further package.

        Args:
            path: The file, which is overwritten.

        Raises:
            InputError: The name has another ending, or the file cannot be written.
        """
        path = tried(Path(path))
        form = form_by_ending(path, RESULTS, option="")
        if form == "parquet":
            write_bytes(path, self.parquet())
        else:
            write_page(path, (self.table() if form == "table" else getattr(self, form)()) + "\n")
        return path

    def csv(self) -> str:
        """A line for each row."""
        records = self.records()
        columns = list(self._columns())
        rows = ([_cell(record[column]) for column in columns] for record in records)
        return csv_rows.written([columns, *rows]).rstrip("\n")


def as_records(rows: Iterable["DataclassInstance"]) -> list[dict[str, Any]]:
    """Of rows of plain values. `asdict` copies each value deeply, which takes many times as long."""
    return [{name: getattr(row, name) for name in record_fields(row)} for row in rows]


def _cell(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, list) else value


# --- what it is of ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoredRun:
    """A run that was scored: its folder as it was given, the SHA-256 of its replies (None where they are not on disk),
    its models, and how many items of each experiment it has. `readings_given`: replies read as somebody else says;
    `simulated`: those of the models that no language model is behind;
    `people`: those that are people;
    `sources`: experiments where another source than their own says what was done, and which; `out`: sessions that
    are out with a batch; `origin`: where its replies come from, and `epochs`: how often everything is asked, as its
    manifest has it.
    """

    folder: str
    replies_sha256: str | None
    models: tuple[str, ...]
    items: dict[str, int]
    readings_given: int
    simulated: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    out: int = 0
    origin: str = "run"
    epochs: int = 1


def scored_runs(runs: Iterable["Run"]) -> tuple[ScoredRun, ...]:
    """What there is to say of these runs, each once."""
    return tuple(_scored_run(run) for run in {id(run): run for run in runs}.values())


def _scored_run(run: "Run") -> ScoredRun:
    return ScoredRun(
        folder=str(run.folder),
        replies_sha256=run.replies_sha256,
        models=run.models,
        items={experiment: len(by_id) for experiment, by_id in run.items.items.items()},
        readings_given=sum(key in run.replies for key in run.given or ()),
        simulated=tuple(model for model in run.models if model in run.simulated),
        people=tuple(model for model in run.models if model in run.people),
        sources={
            e: by for e, by in run.chosen_sources.items() if e in run.items.items and by != EXPERIMENTS[e].sources[0]
        },
        out=_out(run) if (run.folder / BATCHES).is_dir() else 0,
        origin=run.manifest.origin,
        epochs=run.manifest.epochs,
    )


def _out(run: "Run") -> int:
    """How many sessions are out in batch files, of those that have no reply that counts."""
    return out_with_batches(run.folder, {key for key, reply in run.replies.items() if not reply.failed})


def out_lines(runs: Iterable[ScoredRun]) -> list[str]:
    """What of these runs is out with a batch, which counts as missing until it is back."""
    return [
        f"{run.folder}: {number_of(run.out, 'session is', 'sessions are')} out with a batch, and missing here until "
        f"{command_line('import --from batch RESULTS -o {}', run.folder)} brings them back."
        for run in runs
        if run.out
    ]


def folders_of(runs: Sequence[ScoredRun], models: Iterable[str], *, name_only: bool = False) -> list[str]:
    """The folders of the runs that have these models."""
    wanted = set(models)
    folders = [run.folder for run in runs if wanted & {*run.models}]
    return [Path(folder).name if name_only else folder for folder in folders]


WHO, WHO_ELSE = ("models", "simulated"), ("people",)  # these are named where there are any
NOT_SHOWN = ("origin", "epochs")  # by which advice goes


def head(runs: Sequence[ScoredRun], convention: str | None) -> dict[str, Any]:
    """What stands on top of every JSON of numbers about runs."""
    records = [
        asdict(run) | {kind: list(getattr(run, kind)) for kind in ("models", "simulated", "people")} for run in runs
    ]
    for record in records:
        if not record["people"]:
            del record["people"]
    return {
        "runs": [{name: value for name, value in record.items() if name not in NOT_SHOWN} for record in records],
        "convention": convention,
        "version": __version__,
    }
