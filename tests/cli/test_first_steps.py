"""What somebody meets first: one screen, a study that runs as it is written, a page in the browser."""

import re
import sys
import webbrowser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import selfexec as sx
from extension_parts import needs
from selfexec.analysis.screen import Screen
from selfexec.cli import root
from terminal import left, ours_on_a_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")


def invoked(*words: str) -> Result:
    return CliRunner().invoke(root, words, standalone_mode=False)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that `selfexec run` makes: a dozen models, the starter items."""
    folder = tmp_path_factory.mktemp("first")
    assert len(sx.run(out=folder / "runs" / "simulated-panel-starter").models) == 12
    return folder


def screen(folder: Path, columns: int, *more: str) -> list[str]:
    """What `selfexec score` leaves on a terminal, from the question on."""
    lines = left(ours_on_a_terminal(["score", "runs/simulated-panel-starter", *more], folder, columns))
    return lines[next(n for n, line in enumerate(lines) if line.startswith("Did ")) :][:-1]


@pytest.mark.slow
def test_a_dozen_models_fit_24_lines_of_80_columns_and_the_last_says_what_to_type_next(simulated: Path) -> None:
    lines = screen(simulated, 80)
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert sum(line.startswith("sim/") for line in lines) == 12
    assert lines[-1] == "Next: selfexec score runs/simulated-panel-starter --full; selfexec explain"
    # one line for each experiment, whatever else there is
    assert [line.split()[0] for line in lines[1:4]] == ["association", "restriction", "difficulty"]


@pytest.mark.slow
def test_every_sign_in_the_table_is_explained_below_it_and_no_other(simulated: Path) -> None:
    scores = sx.score(simulated / "runs" / "simulated-panel-starter")
    few = sx.score(sx.Selection.of(simulated / "runs" / "simulated-panel-starter", models=["sim/coin", "sim/solves"]))
    meanings = {
        "~": "~ too close to call",
        "?": "? no room to differ",
        "†": "† no verdict (why: --full)",
        "–": "– no number",
    }
    for chosen in (scores, few):
        lines = Screen(chosen).table(80).splitlines()
        rows = " ".join(line for line in lines if line.startswith("sim/") or line.startswith(" sim/"))
        legend = " ".join(line.strip() for line in lines if not line.lstrip().startswith("sim/"))
        for sign, meaning in meanings.items():
            assert (sign in rows) == (meaning in legend), sign
        assert "own excess: unexplained by other models" in legend


@pytest.mark.slow
def test_on_40_columns_what_does_not_fit_is_named(simulated: Path) -> None:
    lines = screen(simulated, 40)
    longer = [line for line in lines if len(line) > 40]
    assert all(line.startswith("  selfexec ") for line in longer)  # in two, a command could not be pasted
    assert "Not in this table: restriction and difficulty (--full)." in " ".join(line.strip() for line in lines)


@needs("study")
def test_a_study_and_items_that_init_writes_run_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written = invoked("init", "mine")
    assert written.exception is None and "selfexec run --config mine/study.toml" in written.output
    assert invoked("items", "check", "mine/items").exception is None
    asked = invoked("run", "--config", "mine/study.toml")
    assert asked.exception is None, asked.output
    assert list(sx.load("mine/run").models) == ["sim/knows-itself", "sim/knows-models", "sim/typical", "sim/coin"]
    assert Path("mine/report.html").exists()
    before = Path("mine/study.toml").read_bytes()
    again = invoked("init", "mine")
    assert isinstance(again.exception, sx.InputError) and "nothing was changed" in str(again.exception)
    assert Path("mine/study.toml").read_bytes() == before


class Window(webbrowser.BaseBrowser):
    """A browser that notes what it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.shown.append(url)
        return True


def test_view_opens_the_page_or_says_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sx.run("sim/coin", limit=2, out=tmp_path / "run")
    window = Window()
    monkeypatch.setattr(webbrowser, "get", lambda: window)
    seen = invoked("view", str(tmp_path / "run"))
    assert seen.exception is None and "opened in the browser" in seen.output
    page = Path(window.shown[0].removeprefix("file://"))
    assert "<html" in page.read_text("utf-8")[:500]

    def none() -> None:
        raise webbrowser.Error("no browser")

    monkeypatch.setattr(webbrowser, "get", none)
    quiet = invoked("view", str(tmp_path / "run"), "-q").output
    path = re.fullmatch(r"Open this page in a browser: (.*)\n", quiet)  # what to open is the last word of it
    assert path and Path(path[1]).is_file()


def test_a_browser_in_the_terminal_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sx.run("sim/coin", limit=2, out=tmp_path / "run")
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("lynx"))
    assert "No browser can be opened here" in invoked("view", str(tmp_path / "run")).output


def test_quiet_prints_the_result_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loud, quiet = (invoked("run", "-m", "sim/coin", "--limit", "2", "-o", name, *more) for name, more in
                   (("a", ()), ("b", ("-q",))))  # fmt: skip
    table = loud.output.split("\n\n", 1)[1]
    assert quiet.output.startswith("Did the model") and quiet.output in table + "\n"
    assert "Next:" in loud.output and "Next:" not in quiet.output and "sessions" not in quiet.output
    assert invoked("score", "a", "-q").output == quiet.output
    assert invoked("report", "a", "-q").output == ""
