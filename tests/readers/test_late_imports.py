"""Readers with large patterns are imported when a reply is read with them, and behave as if they had been before."""

import subprocess
import sys

import pytest

from selfexec.readers import choice, late_imports, objects, performed, ranking, weighed_marks, weighed_words

LARGEST = tuple(
    f"selfexec.readers.{name}" for name in ("choice", "ranking", "weighed_marks", "weighed_words", "withdrawal")
)


def test_a_command_that_asks_imports_none_of_the_largest_readers() -> None:
    program = "import sys, selfexec.runs.asking, selfexec.engines.http.client; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "selfexec.readers.result" in run.stdout.split()  # something of the readers is there
    assert not {*LARGEST} & {*run.stdout.split()}


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("read_choice", choice),
        ("weigh_marks", weighed_marks),
        ("read_object", objects),
        ("read_ranking", ranking),
        ("weigh_words", weighed_words),
        *((name, performed) for name in ("answers_in_letters", "answers_the_questions", "responds_to")),
        *((name, performed) for name in ("responds_to_each", "under_the_key")),
    ],
)
def test_a_reader_imported_late_passes_everything_on(
    name: str, module: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[object] = []
    getattr(late_imports, name)  # each is there
    fresh = late_imports._imported_at_first_call(module.__name__.rpartition(".")[2], name)  # type: ignore[attr-defined]
    monkeypatch.setattr(module, name, lambda *args, **options: came.append((args, options)) or "brought")
    assert fresh("A", 1, key="choice") == "brought"
    assert came == [(("A", 1), {"key": "choice"})]
