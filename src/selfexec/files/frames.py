"""Data frames whose columns have their types whatever is in them, even where every value is missing."""

import io
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from selfexec.errors import InputError

if TYPE_CHECKING:
    import polars as pl

NO_PANDAS = "to_pandas: there is no pandas here. Install it: pip install pandas"


NOT_IN_RECORDS = {"in_records": False}  # metadata of a field that is for code alone


def record_fields(rows_of: Any) -> list[str]:
    """The names of the fields of a dataclass, or of a value of it, that its records have."""
    return [field.name for field in fields(rows_of) if field.metadata.get("in_records", True)]


@cache
def column_types(rows_of: type) -> Mapping[str, Any]:
    """The type of each column of rows that are values of a dataclass: that of the field, whether or not None may stand
    in its place.
    """
    hints = get_type_hints(rows_of)
    return {name: _plain_type(hints[name]) for name in record_fields(rows_of)}


def _plain_type(hint: Any) -> Any:
    """`str` for `str | None` and for a choice of words, `list` for a sequence of words."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        [hint] = [part for part in get_args(hint) if part is not type(None)]
        return _plain_type(hint)
    if origin is Literal:
        return type(get_args(hint)[0])
    return origin or hint


def framed(records: Sequence[Mapping[str, Any]], columns: Mapping[str, Any]) -> "pl.DataFrame":
    """One row per record, as a Polars data frame.

    Args:
        records: All with these columns.
        columns: The type of each column: str, int, float, bool, or list and tuple for lists of text.
    """
    import polars as pl

    kinds = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    schema = {name: kinds.get(kind, pl.List(pl.String)) for name, kind in columns.items()}
    return pl.DataFrame([pl.Series(name, [record[name] for record in records], kind) for name, kind in schema.items()])


def as_parquet(frame: "pl.DataFrame") -> bytes:
    """A table as a Parquet file."""
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def to_pandas(frame: "pl.DataFrame") -> Any:
    """The same table as a pandas data frame, which takes pandas and no other package.

    Text, whole numbers and yes or no have the types of pandas in which a value may be missing (`string`, `Int64`,
    `boolean`), other numbers are `float64` with nan for what is missing, and lists are objects.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise InputError(NO_PANDAS) from None
    import polars as pl

    def kind_of(kind: "pl.DataType") -> Any:
        if kind == pl.String:
            return pandas.StringDtype("python")
        if kind == pl.Boolean:
            return pandas.BooleanDtype()
        return pandas.Int64Dtype() if kind.is_integer() else "float64" if kind.is_float() else "object"

    columns = {
        series.name: pandas.Series(series.to_list(), dtype=kind_of(series.dtype)) for series in frame.get_columns()
    }
    return pandas.DataFrame(columns, columns=frame.columns)
