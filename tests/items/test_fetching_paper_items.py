"""The paper's items for who asks for them the first time: from a server on this machine, or the starter items."""

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_paper_items import ASSOCIATION, DIFFICULTY, REQUESTS, RESTRICTION, SUMS, WORDS, as_csv, sha256

import selfexec as sx
from extension_parts import needs
from selfexec.cli import main, root
from selfexec.errors import Notice
from selfexec.items import load, paper

ASKED: list[str] = []


class Files(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        ASKED.append(self.path)
        super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, str]]:
    """A folder, and the address at which its files are."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "upstream"
    folder.mkdir()
    ASKED.clear()
    with HTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder))) as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield folder, f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


@pytest.fixture
def small_upstream(server: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of our own on the server, with pins that are made of them."""
    folder, address = server
    contents = {
        "taboo": {name: json.dumps(words).encode() for name, words in WORDS.items()},
        "xstest": {"xstest_prompts.csv": as_csv(REQUESTS)},
        "mmlu": {"sums_test.csv": as_csv(SUMS)},
    }
    for name, files in contents.items():
        (folder / name).mkdir()
        for file, content in files.items():
            (folder / name / file).write_bytes(content)
        pins = {file: sha256(content) for file, content in files.items()}
        monkeypatch.setattr(paper, name.upper(), paper.Upstream(name, f"{address}/{name}/", pins))
    group = paper.Grouping([("sums", 2), ("sums", 4), ("sums", 1), ("sums", 3)], sha256(DIFFICULTY.strip()))
    monkeypatch.setattr(paper, "groupings", lambda: [group])
    built = {"association": ASSOCIATION, "restriction": RESTRICTION, "difficulty": DIFFICULTY}
    monkeypatch.setattr(paper, "BUILT", {experiment: sha256(content) for experiment, content in built.items()})
    return folder


def run(*more: str) -> Result:
    return CliRunner().invoke(root, ["run", "--model", "sim/coin", "--items", "paper", *more], standalone_mode=False)


def by_command(out: str) -> None:
    result = run("--limit", "2", "--out", out)
    if result.exception:
        raise result.exception


def by_python(out: str) -> None:
    sx.run("sim/coin", items="paper", limit=2, out=out)


def by_study(out: str) -> None:
    Path("study.toml").write_text(f'models = ["sim/coin"]\nitems = "paper"\nlimit = 2\nout = "{out}"\n')
    sx.load_study("study.toml").run()


def by_check(_: str) -> None:
    sx.check("sim/coin", items="paper")


MAKING_RUNS = [by_command, by_python, pytest.param(by_study, marks=needs("study"))]
DOWNLOADED = "The paper's items are downloaded, once: 4 files"  # two word lists, requests, questions


@pytest.mark.parametrize("asked", [*MAKING_RUNS, by_check])
def test_whatever_wants_the_items_first_fetches_them_once_and_says_so(
    small_upstream: Path, asked: Callable[[str], None]
) -> None:
    with pytest.warns(Notice, match=DOWNLOADED):
        asked("one")
    assert len(ASKED) == 4
    asked("two")  # where warnings are errors
    assert len(ASKED) == 4


@pytest.mark.filterwarnings("ignore:The paper's items are downloaded")
@pytest.mark.parametrize("asked", MAKING_RUNS)
def test_whatever_cannot_fetch_them_asks_the_starter_items_and_says_what_is_lost(
    small_upstream: Path, asked: Callable[[str], None]
) -> None:
    (small_upstream / "taboo" / "animals.json").unlink()
    for _ in range(2):  # the same call goes on with that run, still without a connection
        with pytest.warns(UserWarning, match="animals.json: could not be downloaded .* The starter items are used"):
            asked("one")
    assert all(item.startswith("starter-") for item in sx.load("one").items["restriction"])


def test_the_first_run_fetches_the_items_it_asks(small_upstream: Path) -> None:
    with pytest.warns(Notice, match=DOWNLOADED):
        assert run("--out", "one").exception is None
    assert sorted(ASKED) == [
        "/mmlu/sums_test.csv",
        "/taboo/animals.json",
        "/taboo/cars.json",
        "/xstest/xstest_prompts.csv",
    ]
    assert sx.load("one").items["restriction"].keys() == {"1", "2"}


@pytest.mark.filterwarnings("default")
def test_the_command_says_on_standard_error_why_and_what_is_lost(
    small_upstream: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (small_upstream / "taboo" / "animals.json").unlink()
    words = ["run", "--model", "sim/coin", "--items", "paper", "--limit", "2", "--out", "one"]
    monkeypatch.setattr("sys.argv", ["selfexec", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    said = capsys.readouterr().err
    assert not stop.value.code and f"selfexec: {DOWNLOADED}" in said
    assert "animals.json: could not be downloaded (the server answered 404" in said
    assert "The starter items are used instead" in said and "a margin takes three more models" in said


@pytest.mark.filterwarnings("ignore:The paper's items are downloaded")
def test_a_run_of_the_papers_items_does_not_go_on_with_others(small_upstream: Path, tmp_path: Path) -> None:
    assert run("--out", "one").exception is None
    for file in (tmp_path / "cache").rglob("*.jsonl"):
        file.unlink()
    next((tmp_path / "cache" / "items").iterdir()).rename(tmp_path / "away")
    (small_upstream / "xstest" / "xstest_prompts.csv").unlink()
    refused = run("--out", "one", "--epochs", "2")
    assert isinstance(refused.exception, sx.InputError) and "could not be downloaded" in str(refused.exception)


@pytest.mark.filterwarnings("ignore:The paper's items are downloaded")
def test_a_file_that_is_not_as_pinned_is_never_used(small_upstream: Path) -> None:
    (small_upstream / "taboo" / "cars.json").write_text("{}")
    with pytest.warns(UserWarning, match="cars.json: sha256 is .* expected"):
        by_python("one")
    assert all(item.startswith("starter-") for item in sx.load("one").items["restriction"])


def indented(text: bytes) -> bytes:
    """A file of word lists with the indentation of upstream, which the reference data does not have."""
    depth, lines = 0, []
    for line in text.split(b"\n"):
        depth -= line[:1] in (b"]", b"}")
        lines.append(b"  " * depth + line if line else line)
        depth += line[-1:] in (b"[", b"{")
    return b"\n".join(lines)


# the other three have a blank before a line end, or a space in a word, that the reference data does not have
AS_UPSTREAM = ("cars", "city-country", "food", "literature", "people", "tv", "web")


@pytest.mark.parametrize("as_upstream", [True, False])
def test_the_real_word_lists_pass_the_real_pins_over_http_and_changed_copies_do_not(
    server: tuple[Path, str], reference: Path, tmp_path: Path, as_upstream: bool
) -> None:
    folder, address = server
    pins = {f"{name}.json": paper.TABOO.files[f"{name}.json"] for name in AS_UPSTREAM}
    for name in pins:
        content = (reference / "taboo_raw" / "en" / name).read_bytes()
        (folder / name).write_bytes(indented(content) if as_upstream else content)
    (tmp_path / "sources").mkdir()
    fetched = partial(paper._save, paper.Upstream("taboo", f"{address}/", pins), tmp_path / "sources", paper._download)
    if as_upstream:
        fetched()
        assert {path.name for path in (tmp_path / "sources" / "taboo").iterdir()} == pins.keys()
        assert len(ASKED) == 7
    else:
        with pytest.raises(sx.InputError, match=r"taboo/cars\.json: sha256 is \w+\.\.\., expected b0c41ad8"):
            fetched()


def test_unsafe_requests_are_counted_before_the_first_call_with_the_way_round_them() -> None:
    words = ["run", "--model", "vllm/m", "--base-url", "http://127.0.0.1:9/v1", "--dry-run"]
    unsafe = sum(item.label == "unsafe" for item in load("starter")["restriction"].values())
    assert 0 < unsafe < 176
    said = CliRunner().invoke(root, words).output
    line = next(line for line in said.splitlines() if "unsafe on purpose" in line)
    assert f"{unsafe} of 176 requests" in line and "--experiment association,difficulty" in line
    assert "unsafe" not in CliRunner().invoke(root, [*words, "--experiment", "association,difficulty"]).output
    assert "unsafe" not in CliRunner().invoke(root, ["run", "--model", "sim/coin", "--dry-run"]).output


def test_a_check_ends_with_the_command_that_leads_to_a_margin() -> None:
    said = CliRunner().invoke(root, ["check", "sim/coin"]).output
    assert said.splitlines()[-1] == "Next: selfexec run --model sim/coin --items paper --preset quick --dry-run"
