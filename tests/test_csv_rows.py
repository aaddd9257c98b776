"""A table of models is read in one way, whichever command it is given to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfexec.errors import InputError
from selfexec.rates import load_rates
from selfexec.scores.compare.tags import load_tags
from selfexec.scores.correlating import read_tables


def rates(path: Path) -> dict[str, dict[str, float]]:
    found = load_rates(path)
    return {name: dict(zip(found.models, found.rates[:, k], strict=True)) for k, name in enumerate(found.benchmarks)}


def tables(path: Path) -> dict[str, dict[str, float]]:
    return read_tables([path])


def tags(path: Path) -> dict[str, dict[str, float]]:
    return {tag: {m: float(value) for m, value in found.items()} for tag, found in load_tags(path).values.items()}


Reader = Callable[[Path], dict[str, dict[str, float]]]
every_reader = pytest.mark.parametrize("reader", [rates, tables, tags])


@every_reader
def test_a_table_from_a_spreadsheet_is_read(reader: Reader, tmp_path: Path) -> None:
    # a byte order mark, Windows line ends, blank lines, space around cells, and quotes where a name holds a comma
    text = '\ufeffmodel, a ,b\r\n\r\n"x, large",.5, .25\r\n,,\r\n y\u2028z , ".75",1\r\n'
    (tmp_path / "t.csv").write_bytes(text.encode())
    large, odd = "x, large", "y\u2028z"
    assert reader(tmp_path / "t.csv") == {"a": {large: 0.5, odd: 0.75}, "b": {large: 0.25, odd: 1}}


BAD: dict[str, tuple[str, str]] = {
    # what is on line 5 is said to be on line 5, though two lines before it are blank
    "too many cells below blank lines": ("model,a,b\n\nx,.5,.4\n,,\ny,.5,.4,.3\n", "t.csv:5: "),
    "a cell over two lines": ('model,a,b\n\n"x\nlarge",.5,.4\ny,.5,.4\n', "t.csv:3: not CSV"),
    "a cell over the rows below it": ('model,a,b\n"x,.5,.4\ny,.5,.4\n"z",.5,.4\n', "t.csv:2: not CSV"),
    "a heading over two lines": ('model,"a\n(5 shots)",b\nx,.5,.4\n', "t.csv:1: not CSV"),
    "text behind quotes": ('model,a,b\n"x"large,.5,.4\n', "t.csv:2: not CSV"),
}


@every_reader
@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_by_its_number(reader: Reader, tmp_path: Path, name: str) -> None:
    text, place = BAD[name]
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError) as fault:
        reader(tmp_path / "t.csv")
    assert place in str(fault.value)


@pytest.mark.parametrize("reader", [rates, tables])
def test_a_model_named_again_is_reported_on_its_line(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,a,b\n\n\nx,.5,.4\nx,.5,.4\n")
    with pytest.raises(InputError, match=r"t\.csv:5: the model 'x' occurs twice|t\.csv:5: model 'x' is already"):
        reader(tmp_path / "t.csv")


@every_reader
def test_a_file_that_cannot_be_read_is_named(reader: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(b"model,a\ncaf\xe9,.5\n")
    for file, reason in (("latin.csv", "not UTF-8"), ("none.csv", "here|no such file"), ("", "cannot be read")):
        with pytest.raises(InputError, match=reason) as fault:
            reader(tmp_path / file)
        assert str(fault.value).startswith(str(tmp_path / file))
