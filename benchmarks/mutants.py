"""How many small faults does the plain test command find?

    python benchmarks/mutants.py 100 --seed 12 --out mutants.jsonl

draws places in the code of some packages at random, makes each a little wrong (one at a time: another comparison,
another sign, a number one greater, a condition the other way round, ...), and runs the plain test command on it. First
it is run once on the code as it is, with marks in it that say which tests reach which statement: a mutant is then tried
on the tests that reach it, the quickest first, and on all of them only if these pass. One that no test finds is listed
with its place: it wants a test, or a reason (benchmarks/mutants.md). With --out, a line for each is kept, and
what is there already is not tried again; beside it, in *.reached.jsonl, is kept which tests reach what.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import local

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src/selfexec")
PACKAGES = ("readers", "metrics", "runs", "engines")
LONGEST = 1200  # seconds: a mutant that waits for ever is found
CPU_SECONDS = 900  # as is one that works for ever
READS_COMMENTS = "tests/docs/test_reference.py"  # what the marks are set into loses its comments
FAILED, NO_SUCH_TEST = 1, 4  # how pytest ends; tests may be named by what a mutant changes
REACHING = 60  # seconds that the tests take that reach a statement, as far as they are tried before all others
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


def drawn(number: int, seed: int, packages: Sequence[str]) -> list[Mutant]:
    """So many places at random, each as likely as any other."""
    files = sorted(path.relative_to(ROOT) for package in packages for path in (ROOT / PACKAGE / package).rglob("*.py"))
    every = [mutant for file in files for mutant in mutants(file)]
    return random.Random(seed).sample(every, min(number, len(every)))


# --- which tests reach a statement -----------------------------------------------------------------------------------

Reached = Mapping[str, Sequence[tuple[float, str]]]  # file:line of a statement -> tests that reach it, and how long
MARK = "_reached_"  # as each file calls what it tells its statements to
# a plugin of pytest that writes down, test by test, what was told, and which tests failed
PLUGIN = """
import json, os, sys, time, pytest

def pytest_runtest_logreport(report):
    if report.failed:
        with open(os.environ["FAILED"], "a", encoding="utf-8") as out:
            out.write(report.nodeid + "\\n")

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    told = sys.__dict__.setdefault("_reached_", set())
    told.clear()
    begin = time.process_time()
    result = yield
    if told:
        with open(os.environ["REACHED"], "a", encoding="utf-8") as out:
            out.write(json.dumps([item.nodeid, time.process_time() - begin, sorted(told)]) + "\\n")
    return result
"""


class _Marked(ast.NodeTransformer):
    """A file whose functions tell each statement before they carry it out."""

    def __init__(self, file: Path) -> None:
        self.file, self.inside = file, False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self.inside = self.inside, True
        self.generic_visit(node)
        self.inside = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # noqa: N815

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if self.inside:
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    setattr(node, field, [part for n, one in enumerate(block) for part in self._told(n, one)])
        return node

    def _told(self, n: int, one: ast.stmt) -> list[ast.stmt]:
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and n == 0:
            return [one]  # a docstring
        return [*ast.parse(f"{MARK}({f'{self.file}:{one.lineno}'!r})").body, one]


def marked(file: Path) -> str:
    """The text of a file with its marks."""
    tree = _Marked(file).visit(ast.parse((ROOT / file).read_text("utf-8")))
    first = int(ast.get_docstring(tree) is not None)
    tree.body[first:first] = ast.parse(
        f"import sys as _sys_\n{MARK} = _sys_.__dict__.setdefault('_reached_', set()).add"
    ).body
    return ast.unparse(ast.fix_missing_locations(tree))


def statement(mutant: Mutant) -> str | None:
    """The innermost statement within a function that a mutant is in, by file and line."""
    found = None
    nodes = [(ast.parse((ROOT / mutant.file).read_text("utf-8")), False)]
    while nodes:
        node, inside = nodes.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case) and _holds(child, mutant.line):
                nodes.append((child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)))
                if inside and isinstance(child, ast.stmt):
                    found = f"{mutant.file}:{child.lineno}"
    return found


def _holds(node: ast.AST, line: int) -> bool:
    parts = [part for part in ast.walk(node) if hasattr(part, "lineno")]
    return any(part.lineno <= line <= part.end_lineno for part in parts)  # type: ignore[attr-defined]


# --- trying them -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tried:
    """What became of a mutant: whether it was `found`, and by which tests: those that reach it, or only by all."""

    mutant: str
    start: int
    found: bool
    by: str

    def is_of(self, mutant: Mutant) -> bool:
        return (self.mutant, self.start) == (str(mutant), mutant.start)


class Trial:
    """Copies of the repository, one for each thread, in which mutants are tried."""

    def __init__(self, folder: Path, quickly: float | None = None) -> None:
        self._folder, self._quickly = folder, quickly
        (folder / "noting.py").write_text(PLUGIN, "utf-8")
        self._mine = local()
        self.reached: Reached = {}

    def tried(self, mutant: Mutant) -> Tried:
        copy = self._copy()
        file = copy / mutant.file
        before = file.read_bytes()
        file.write_bytes(before[: mutant.start] + mutant.new.encode() + before[mutant.end :])
        try:
            return Tried(str(mutant), mutant.start, *self._found(copy, mutant))
        finally:
            file.write_bytes(before)

    def _found(self, copy: Path, mutant: Mutant) -> tuple[bool, str]:
        tests = self._reaching(mutant)
        chosen = f"@{written(copy.parent / 'tests.txt', tests)}"
        if self._quickly:
            return bool(tests) and self._status(copy, chosen) not in (0, NO_SUCH_TEST), "tests that reach it"
        if tests and self._fails(copy, chosen):
            return True, "tests that reach it"
        return self._fails(copy), "all tests"

    def _reaching(self, mutant: Mutant) -> list[str]:
        """The tests that reach the statement, the quickest first, as many as take a minute, or as long as is said."""
        chosen, took = [], 0.0
        for seconds, test in sorted(self.reached.get(statement(mutant) or "", ())):
            chosen.append(test)
            if (took := took + seconds) > (self._quickly or REACHING):
                break
        return chosen

    def reach(self, packages: Sequence[str], kept: Path | None) -> Reached | None:
        """Which tests reach which statement of these packages, unless it is `kept` from before. None where tests fail
        on the code as it is: each mutant would count as found.
        """
        kept = kept or self._folder / "kept.jsonl"
        if not kept.exists() and not self._kept(kept, packages):
            return None
        found: dict[str, list[tuple[float, str]]] = {}
        for line in kept.read_text("utf-8").splitlines():
            test, seconds, statements = json.loads(line)
            for one in statements:
                found.setdefault(one, []).append((seconds, test))
        return found

    def _kept(self, kept: Path, packages: Sequence[str]) -> bool:
        copy, told = self._copy(), self._folder / "reached.jsonl"
        files = sorted(
            path.relative_to(ROOT) for package in packages for path in (ROOT / PACKAGE / package).rglob("*.py")
        )
        for file in files:
            (copy / file).write_text(marked(file), "utf-8")
        try:
            if self._fails(copy, "--maxfail=0", f"--deselect={READS_COMMENTS}", REACHED=str(told)):
                return False
        finally:
            for file in files:
                shutil.copy(ROOT / file, copy / file)
        shutil.move(told, kept)
        return True

    def _fails(self, copy: Path, *arguments: str, **environment: str) -> bool:
        """Whether tests fail, and fail once more: on a busy machine one that minds the time may do so once."""
        failed = copy.parent / "failed.txt"
        failed.unlink(missing_ok=True)
        status = self._status(copy, *arguments, **environment)
        if (status in (0, NO_SUCH_TEST) and arguments) or not status:
            return False
        if status != FAILED or not failed.exists():
            return True
        again = written(copy.parent / "again.txt", dict.fromkeys(failed.read_text("utf-8").splitlines()))
        return self._status(copy, f"@{again}", **environment) != 0

    def _status(self, copy: Path, *arguments: str, **environment: str) -> int:
        """How the plain test command ends in a copy, with what is given to it."""
        limited = ["bash", "-c", f'ulimit -t {CPU_SECONDS}; exec "$@"', "bash"]
        pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "noting"]
        command = [*limited, *pytest, *arguments]
        places = os.pathsep.join(map(str, [copy / "src", copy / "tests", self._folder]))
        noted = {"PYTHONPATH": places, "FAILED": str(copy.parent / "failed.txt")} | environment
        quiet = {"cwd": copy, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            done = subprocess.run(command, env=os.environ | noted, timeout=LONGEST, check=False, **quiet)
        except subprocess.TimeoutExpired:
            return -1
        return done.returncode

    def _copy(self) -> Path:
        if not hasattr(self._mine, "copy"):
            self._mine.copy = self._folder / f"copy-{id(self._mine):x}-{time.monotonic_ns()}" / "repository"
            ignored = shutil.ignore_patterns(".git", "__pycache__", ".venv", ".*_cache")
            shutil.copytree(ROOT, self._mine.copy, ignore=ignored)
            if (ROOT.parent / "shared").exists():
                (self._mine.copy.parent / "shared").symlink_to((ROOT.parent / "shared").resolve())
        copy: Path = self._mine.copy
        return copy


def written(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def known(out: Path | None) -> list[Tried]:
    """What was tried before."""
    if out is None or not out.exists():
        return []
    return [Tried(**json.loads(line)) for line in out.read_text("utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--packages", nargs="+", default=PACKAGES, help="where")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    parser.add_argument(
        "--quickly",
        type=float,
        metavar="SECONDS",
        help="try only so many seconds of the tests that reach each, once: to look for holes, not for a rate",
    )
    parser.add_argument("--list", action="store_true", help="only say which")
    parser.add_argument("--out", type=Path, help="a file with a line for each, to go on with")
    given = parser.parse_args()
    chosen = drawn(given.number, given.seed, given.packages)
    if given.list:
        print(*chosen, sep="\n")
        return
    before = known(given.out)
    done = [one for mutant in chosen for one in before if one.is_of(mutant)]
    left = [mutant for mutant in chosen if not any(one.is_of(mutant) for one in before)]
    reaching = given.out and given.out.with_suffix(".reached.jsonl")
    with TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        trial = Trial(Path(folder), given.quickly)
        if left and (reached := pool.submit(trial.reach, given.packages, reaching).result()) is None:
            raise SystemExit("The tests fail on a copy of the repository as it is. Fix that first.")
        trial.reached = reached if left else {}
        for one in pool.map(trial.tried, left):
            done.append(one)
            print(f"{len(done):>4}  {'found by ' + one.by if one.found else 'SURVIVES':<28}  {one.mutant}", flush=True)
            if given.out is not None:
                with given.out.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(asdict(one)) + "\n")
    survivors = [one.mutant for one in done if not one.found]
    print(f"\n{len(done) - len(survivors)} of {len(done)} found (seed {given.seed})", *survivors, sep="\n")


if __name__ == "__main__":
    main()
