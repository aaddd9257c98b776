"""How many functions lie on the path from a reply to a number: `python benchmarks/path.py [COMMAND ...] [--list]`.

A run of one simulated model with one item of association is made, scored, reported and read, each command a second
time under `sys.setprofile`: a process that is warm has imported and cached what it needs. Whatever code of the package
is entered is counted once, on all threads.

functions     `def`s and methods that are entered
code objects  these, and lambdas, comprehensions, generator expressions and bodies of classes
files         that have any of these functions
"""

import argparse
import ast
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

from click.testing import CliRunner

import selfexec
from selfexec.cli import root

PACKAGE = Path(selfexec.__file__).parent
OF_ONE_ITEM = ("--model", "sim/coin", "--experiment", "association", "--limit", "1")


class Entered(NamedTuple):
    """A code object of the package: its file, seen from the package's folder, the line it begins on, and its name."""

    file: str
    line: int
    name: str

    @property
    def is_function(self) -> bool:
        """Whether it is a `def`: lambdas, comprehensions and the like are called <...>."""
        return not self.name.rpartition(".")[2].startswith("<")


def commands(folder: Path) -> dict[str, list[str]]:
    """Each command and its arguments. All but the first need what the first writes."""
    run = str(folder / "run")
    return {
        "run": ["run", *OF_ONE_ITEM, "--out", run],
        "score": ["score", run],
        "report": ["report", run, "--out", str(folder / "report.html")],
        "read": ["read", run],
    }


def measured(names: Sequence[str] = ()) -> dict[str, list[Entered]]:
    """What each of these commands enters, in the order of files and lines; without names, all of them."""
    with tempfile.TemporaryDirectory() as cold, tempfile.TemporaryDirectory() as warm:
        wanted = {*names, "run"} if names else {*commands(Path(cold))}  # what the run writes all others need
        for name, arguments in commands(Path(cold)).items():
            if name in wanted:
                _carried_out(arguments)
        entered = {name: _entered_by(its) for name, its in commands(Path(warm)).items() if name in wanted}
    return {name: entered[name] for name in names or entered}


def _carried_out(arguments: Sequence[str]) -> None:
    done = CliRunner().invoke(root, list(arguments), catch_exceptions=False)
    if done.exit_code:
        raise SystemExit(f"selfexec {' '.join(arguments)}: exit status {done.exit_code}\n{done.output}")


def _entered_by(arguments: Sequence[str]) -> list[Entered]:
    with _noting() as codes:
        _carried_out(arguments)
    places = ((Path(code.co_filename), code.co_firstlineno, code.co_qualname) for code in codes.copy())
    return sorted(
        {
            Entered(file.relative_to(PACKAGE).as_posix(), line, name)
            for file, line, name in places
            if PACKAGE in file.parents
        }
    )


@contextmanager
def _noting() -> Iterator[set[CodeType]]:
    """The code objects that are entered meanwhile, in this thread and in those that it starts."""
    codes: set[CodeType] = set()
    over = threading.Event()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if over.is_set():
            sys.setprofile(None)  # a thread goes on that was started meanwhile
        elif event == "call":
            codes.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield codes
    finally:
        over.set()
        sys.setprofile(None)
        threading.setprofile(None)


def functions(entered: Sequence[Entered]) -> list[Entered]:
    """Without lambdas, comprehensions and the like."""
    return [one for one in entered if one.is_function]


def files(entered: Sequence[Entered]) -> list[str]:
    """The files of the functions."""
    return sorted({one.file for one in functions(entered)})


def function_sizes() -> list[int]:
    """How many lines each function of the package has, its docstring included and its decorators not."""
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in sorted(PACKAGE.rglob("*.py")))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help="run, score, report or read; all by default")
    parser.add_argument("--list", action="store_true", help="also each function, by file and line")
    parser.add_argument("--sizes", action="store_true", help="also how long the functions of the whole package are")
    options = parser.parse_args()
    if unknown := set(options.commands) - {*commands(Path())}:
        parser.error(f"unknown command {min(unknown)}: there are {', '.join(commands(Path()))}")
    for name, entered in measured(options.commands).items():
        print(
            f"{name}: {len(functions(entered))} functions in {len(files(entered))} files, {len(entered)} code objects"
        )
        of_package = Counter(Path(one.file).parent.as_posix() for one in functions(entered))
        in_files = Counter(Path(file).parent.as_posix() for file in files(entered))
        for package, number in sorted(of_package.items()):
            print(f"  {number:4} in {in_files[package]:2}  {package}")
        if options.list:
            print(*(f"  {one.file}:{one.line} {one.name}" for one in functions(entered)), sep="\n")
    if options.sizes:
        sizes = sorted(function_sizes())
        middle, most = statistics.median(sizes), statistics.quantiles(sizes, n=10)[-1]
        print(f"{len(sizes):,} functions: median {middle:g} lines, 90% within {most:g}, the longest {sizes[-1]}")


if __name__ == "__main__":
    main()
