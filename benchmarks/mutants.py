"""How many small faults does the plain test command find?

    python benchmarks/mutants.py 100 --seed 12

draws places in the code of some rooms at random, makes each a little wrong (one at a time: another comparison, another
sign, a number one greater, a condition the other way round, ...), and runs the plain test command on it, first the
tests of the same room. A mutant that no test finds is told with its place: it wants a test, or a reason.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import local

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src/selfexec")
ROOMS = ("readers", "metrics", "runs", "engines")
LONGEST = 900  # seconds: a mutant that runs for ever is found
OTHER = {
    **{ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not"},
    **{ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in"},
    **{ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*"},
    **{ast.And: "or", ast.Or: "and", ast.BitAnd: "|", ast.BitOr: "&"},
}


@dataclass(frozen=True)
class Mutant:
    """A place in a file, what stands there, and what is put in its stead."""

    file: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {' '.join(self.old.split())}  ->  {' '.join(self.new.split())}"


def mutants(file: Path) -> Iterator[Mutant]:
    """Everything that can be made wrong in a file. Annotations and docstrings are no code."""
    source = (ROOT / file).read_text("utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    encoded = source.encode()

    def place(node: ast.expr) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[(node.end_lineno or 0) - 1] + (
            node.end_col_offset or 0
        )

    for node in _code(ast.parse(source)):
        for new in _wrong(node):
            start, end = place(node)
            yield Mutant(file, node.lineno, start, end, encoded[start:end].decode(), new)


def _code(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that are carried out."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_comment", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr) or (
                isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            ):
                continue
            if isinstance(child, ast.expr):
                yield child
            if isinstance(child, ast.AST):
                yield from _code(child)


def _wrong(node: ast.expr) -> Iterator[str]:
    """What a slip of the pen would have made of an expression."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OTHER:
        yield f"({ast.unparse(node.left)} {OTHER[type(node.ops[0])]} {ast.unparse(node.comparators[0])})"
    elif isinstance(node, ast.BinOp) and type(node.op) in OTHER:
        yield f"({ast.unparse(node.left)} {OTHER[type(node.op)]} {ast.unparse(node.right)})"
    elif isinstance(node, ast.BoolOp):
        yield "(" + f" {OTHER[type(node.op)]} ".join(f"({ast.unparse(value)})" for value in node.values) + ")"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.IfExp):
        yield f"(({ast.unparse(node.orelse)}) if ({ast.unparse(node.test)}) else ({ast.unparse(node.body)}))"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield repr(node.value + 1)


def drawn(number: int, seed: int, rooms: Sequence[str]) -> list[Mutant]:
    """So many places at random, each as likely as any other."""
    files = sorted(path.relative_to(ROOT) for room in rooms for path in (ROOT / PACKAGE / room).rglob("*.py"))
    every = [mutant for file in files for mutant in mutants(file)]
    return random.Random(seed).sample(every, min(number, len(every)))


# --- trying them -----------------------------------------------------------------------------------------------------


class Trial:
    """Copies of the repository, one for each thread, in which mutants are tried."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mine = local()

    def survives(self, mutant: Mutant) -> bool:
        copy = self._copy()
        file, room = copy / mutant.file, mutant.file.relative_to(PACKAGE).parts[0]
        before = file.read_bytes()
        file.write_bytes(before[: mutant.start] + mutant.new.encode() + before[mutant.end :])
        try:
            return self._passes(copy, [f"tests/{room}"]) and self._passes(copy, ["tests", f"--ignore=tests/{room}"])
        finally:
            file.write_bytes(before)

    def works(self) -> bool:
        """Whether the tests pass on a copy as it is: else every mutant would count as found."""
        return self._passes(self._copy(), ["tests"])

    def _passes(self, copy: Path, tests: Sequence[str]) -> bool:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        places = os.pathsep.join([str(copy / "src"), str(copy / "tests")])
        quiet = {"cwd": copy, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            done = subprocess.run(
                command, env=os.environ | {"PYTHONPATH": places}, timeout=LONGEST, check=False, **quiet
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def _copy(self) -> Path:
        if not hasattr(self._mine, "copy"):
            self._mine.copy = self._folder / f"copy-{id(self._mine):x}-{time.monotonic_ns()}" / "repository"
            ignored = shutil.ignore_patterns(".git", "__pycache__", ".venv", ".*_cache")
            shutil.copytree(ROOT, self._mine.copy, ignore=ignored)
            if (ROOT.parent / "shared").exists():
                (self._mine.copy.parent / "shared").symlink_to((ROOT.parent / "shared").resolve())
        copy: Path = self._mine.copy
        return copy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--rooms", nargs="+", default=ROOMS, help="where")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    parser.add_argument("--list", action="store_true", help="only say which")
    given = parser.parse_args()
    chosen = drawn(given.number, given.seed, given.rooms)
    if given.list:
        print(*chosen, sep="\n")
        return
    survivors = []
    with TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        trial = Trial(Path(folder))
        if not pool.submit(trial.works).result():
            raise SystemExit("The tests fail on a copy of the repository as it is. Fix that first.")
        for n, (mutant, survived) in enumerate(zip(chosen, pool.map(trial.survives, chosen), strict=True), 1):
            print(f"{n:>4}  {'SURVIVES' if survived else 'found   '}  {mutant}", flush=True)
            survivors += [mutant] if survived else []
    print(f"\n{len(chosen) - len(survivors)} of {len(chosen)} found (seed {given.seed})")


if __name__ == "__main__":
    main()
