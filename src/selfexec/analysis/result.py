"""What comes out of an analysis, and the one way in which it is shown, written and turned into data.

A kind of result says what people see of it (tables, and lines between them) and what stands in its JSON; whatever shows
or writes it stands here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from selfexec.files import csv_rows
from selfexec.text.tables import WIDTH, Part, all_as_html, all_as_markdown, all_as_text

if TYPE_CHECKING:
    import polars as pl
    from _typeshed import DataclassInstance

Form = Literal["text", "html", "markdown"]
Row = TypeVar("Row", bound="DataclassInstance")


class Result:
    """Prints as tables, in a notebook too, and turns into JSON and Markdown."""

    def _shown(self, form: Form, width: int) -> Iterable[Part]:
        """What people see, from top to bottom. Few results look otherwise in one `form` than in another."""
        raise NotImplementedError

    def _data(self) -> Mapping[str, Any]:
        """What stands in the JSON."""
        raise NotImplementedError

    def table(self, width: int = WIDTH, *, styled: bool = False) -> str:
        """Text of so many columns; `styled`, with bold and dim parts, as terminals show them."""
        return all_as_text(self._shown("text", width), width, styled=styled)

    def markdown(self) -> str:
        """The same for a page or a pull request."""
        return all_as_markdown(self._shown("markdown", WIDTH))

    def json(self) -> str:
        """Everything by name: what it is of, the numbers, and what is said of them."""
        return json.dumps(self._data(), ensure_ascii=False, indent=1, allow_nan=False)

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return all_as_html(self._shown("html", WIDTH))


class Rows(Result, Sequence[Row]):
    """A sequence of rows of one kind, `_ROW`. It turns into records, a data frame and CSV besides."""

    _ROW: ClassVar[type["DataclassInstance"]]

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = list(rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def records(self) -> list[dict[str, Any]]:
        """A record for each row."""
        return [asdict(row) for row in self._rows]

    def frame(self) -> "pl.DataFrame":
        """A Polars data frame of the records."""
        return framed(self.records())

    def csv(self) -> str:
        """A line for each row."""
        records = self.records()
        columns = list(records[0]) if records else [field.name for field in fields(self._ROW)]
        rows = ([_cell(record[column]) for column in columns] for record in records)
        return csv_rows.written([columns, *rows]).rstrip("\n")


def framed(records: Sequence[Mapping[str, Any]]) -> "pl.DataFrame":
    """One row per record, as a Polars data frame."""
    import polars as pl

    return pl.DataFrame(records, infer_schema_length=None)


def _cell(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, list) else value
