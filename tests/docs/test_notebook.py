"""The notebook runs, and shows what comes out.

Where it fails after a change that was meant, `make notebook` (this file as a script) runs the notebook anew in place.
Read its prose against the new numbers then: no test does.
"""

import html
import re
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # they take long to import, and most often nothing here is run
    from nbformat import NotebookNode

pytestmark = pytest.mark.slow

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def stored_notebook() -> "NotebookNode":
    import nbformat

    return nbformat.read(NOTEBOOK, as_version=4)


def executed(notebook: "NotebookNode", folder: Path) -> "NotebookNode":
    """The notebook with the outputs that it gives now, and nothing that tells when and where that was."""
    import nbformat
    from nbclient import NotebookClient

    found = deepcopy(notebook)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(found, timeout=60, record_timing=False, coalesce_streams=True, resources=where).execute()
    found.metadata = nbformat.from_dict(METADATA)
    return found


def code_cells(notebook: "NotebookNode") -> "list[NotebookNode]":
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts(cell: "NotebookNode") -> Iterator[str]:
    """What a cell shows, as text. Where there is HTML, that is shown, but not by every viewer: both must be right."""
    for output in cell.outputs:
        if output.output_type == "stream":
            yield output.text
        else:
            yield output.data["text/plain"]
            yield html.unescape(re.sub(r"(?s)<style>.*?</style>|<[^>]+>", " ", output.data.get("text/html", "")))


def words(cell: "NotebookNode") -> list[str]:
    """Its predictions and numbers, without the lines that draw tables."""
    found = [word for text in texts(cell) for word in text.split() if re.search(r"\w", word)]
    # seconds, which differ each time, are the only numbers with one decimal that `check` shows
    return [word for word in found if cell.id != "check" or not re.fullmatch(r"\d+\.\d", word)]


def test_the_notebook_shows_what_its_cells_give(tmp_path: Path) -> None:
    stored = stored_notebook()
    for before, now in zip(code_cells(stored), code_cells(executed(stored, tmp_path)), strict=True):
        assert words(now) == words(before), f"cell {now.id}: not what the notebook shows. Run: make notebook"


def test_the_notebook_tells_nothing_of_the_machine_it_was_run_on() -> None:
    import nbformat

    stored = stored_notebook()
    nbformat.validate(stored)
    assert (stored.nbformat, stored.nbformat_minor) == (4, 5)
    assert stored.metadata == METADATA
    cells = code_cells(stored)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert cell.metadata == {}
        assert all(output.get("name", "stdout") == "stdout" for output in cell.outputs)
        # a result is shown once, as itself
        assert {output.output_type for output in cell.outputs} <= {"stream", "execute_result"}
        # terminal colours, absolute paths, addresses
        assert not any(re.search(r"\x1b|(?<![\w/:])/\w|://", text) for text in texts(cell))


if __name__ == "__main__":
    import nbformat

    with tempfile.TemporaryDirectory() as scratch:
        nbformat.write(executed(stored_notebook(), Path(scratch)), NOTEBOOK)
