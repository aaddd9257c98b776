"""Commands and functions that read a run leave its folder as it is, to the byte and the time."""

import hashlib
import shlex
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from extension_parts import here
from selfexec.cli import root

STORED = Path(__file__).parents[1] / "stored"
READING = {
    "analyze": [
        *("analyze correlate run --with numbers.csv", "analyze cross run", "analyze ladder run", "analyze trend run"),
        *(["analyze ledger run"] if here("published") else []),
    ],
    **({"card": ["card run"]} if here("card") else {}),
    "compare": ["compare run"],
    "export": ["export run"],
    **({"judge": ["judge run --judge rule", "judge run --judge rule --dry-run"]} if here("judging") else {}),
    "list": ["list .", "list run"],
    "read": ["read run", "read run --show", "read run --format json"],
    "report": ["report run -o page.html"],
    "run": ["run --out run --dry-run", "run --out run --model sim/coin --dry-run"],
    "view": ["view run"],
    "score": [
        "score run",
        "score run --bootstrap 100",
        "score run --agreement",
        "score run --format json",
        *(["score run --convention authors"] if here("published") else []),
    ],
}
WITHOUT_A_RUN = {"check", "explain", "init", "items", "prompts", "serve"}
MODELS = ["sim/typical", "sim/coin", "sim/says-yes", "sim/knows-itself"]
MADE_TO_WRITE = {"import", *(["merge"] if here("shards") else [])}


def torn(run: Path) -> None:
    """A run of format 1, which what reads it upgrades in memory, and whose last line was cut off by a kill."""
    shutil.copytree(STORED / "panel", run)
    with (run / "replies.jsonl").open("ab") as journal:
        journal.write(b'{"model": "sim/typ')


def in_shards(run: Path) -> None:
    for n in range(2):
        sx.run(MODELS, limit=2, out=run, shard=f"{n}/2")


def joined(run: Path) -> None:
    """A run that was made of shards, which are there still."""
    in_shards(run)
    sx.merge(run)


RUNS: dict[str, Callable[[Path], None]] = {"torn": torn, **({"joined": joined} if here("shards") else {})}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, make in RUNS.items():
        make(folder / name / "run")
        lines = (f"{model},{n},{n * n}" for n, model in enumerate(MODELS))
        (folder / name / "numbers.csv").write_text("\n".join(["model,x,y", *lines, ""]), "utf-8")
    return folder


@pytest.fixture(scope="module")
def unjoined(made: Path) -> Path:
    in_shards(made / "unjoined" / "run")
    shutil.copy(made / "torn" / "numbers.csv", made / "unjoined")
    return made / "unjoined"


def state(run: Path) -> dict[str, tuple[int, int, str]]:
    """Each file and folder of a run: its size, when it was changed, and its digest."""
    return {
        str(path): (
            path.stat().st_size,
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in [run, *run.rglob("*")]
    }


@pytest.mark.parametrize("line", [line for lines in READING.values() for line in lines])
@pytest.mark.parametrize("name", RUNS)
def test_a_command_that_reads_a_run_leaves_its_folder_as_it_is(
    made: Path, name: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made / name)
    before = state(Path("run"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a line is cut off
        result = CliRunner().invoke(root, shlex.split(line), standalone_mode=False)
    assert result.exception is None, (line, result.exception)
    assert state(Path("run")) == before


@pytest.mark.parametrize("line", [line for lines in READING.values() for line in lines])
def test_shards_that_are_not_joined_are_refused_with_the_command_that_joins_them_and_left_as_they_are(
    unjoined: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(unjoined)
    before = state(Path("run"))
    result = CliRunner().invoke(root, shlex.split(line), standalone_mode=False)
    assert state(Path("run")) == before
    if line.startswith("list"):
        assert "not joined" in result.output or "0-of-2" in result.output
    else:
        assert isinstance(result.exception, sx.InputError), (line, result.output)
        assert str(result.exception).endswith("selfexec merge run"), line


@pytest.mark.filterwarnings("ignore:.*the last line is cut off")
@pytest.mark.parametrize("name", RUNS)
def test_load_and_all_that_is_worked_out_of_a_run_leave_its_folder_as_it_is(made: Path, name: str) -> None:
    folder = made / name / "run"
    before = state(folder)
    run = sx.load(folder)
    assert run.readings and len(run.observations) and len(run.sessions) and run.prompts is not None
    assert sx.score(run).records()
    assert state(folder) == before


def test_each_command_is_said_to_read_a_run_to_write_one_or_to_take_none() -> None:
    assert {*READING, *WITHOUT_A_RUN, *MADE_TO_WRITE} == set(root.commands_by_name)
    assert all(line.split()[0] == name for name, lines in READING.items() for line in lines)
