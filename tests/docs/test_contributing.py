"""CONTRIBUTING, followed to the letter: its files are written, its commands typed, and what they print is read."""

import os
import re
import shlex
import shutil
import site
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from build import installed
from extension_parts import OURS, left_out, needs
from selfexec.cli import root

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PACKAGE = ROOT / "src" / "selfexec"


def recipe(name: str) -> str:
    """The text below a heading."""
    return PAGE.split(f"\n### {name}\n")[1].split("\n### ")[0].split("\n## ")[0]


def blocks(text: str, language: str) -> list[str]:
    """The blocks of code in a language, wherever they are indented to."""
    found = re.finditer(rf"(?ms)^( *)```{language}\n(.*?)^\1```$", text)
    return [re.sub(rf"(?m)^{match[1]}", "", match[2]) for match in found]


def block(text: str, language: str) -> str:
    """The one block of code in a language."""
    [found] = blocks(text, language)
    return found


def typed(text: str) -> Iterator[tuple[str, str]]:
    """Each command with what is shown below it."""
    for shown in blocks(text, "console"):
        for part in re.split(r"(?m)^\$ ", shown)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def as_shown(shown: str, printed: str) -> bool:
    """Whether this was printed; `...` stands for any lines, or for the rest of one."""
    wanted = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in shown.splitlines()
    )
    return re.fullmatch(wanted, "".join(f"{line.rstrip()}\n" for line in printed.splitlines())) is not None


# --- a package of one's own ------------------------------------------------------------------------------------------


def page_of(text: str) -> str:
    """The page that the first step of a recipe names."""
    [page] = re.findall(r"\[(docs/\w+\.md)\]\(docs/\w+\.md#", text.split("\n2. ")[0])
    return (ROOT / page).read_text("utf-8")


class Followed:
    """A folder in which recipes are followed, one behind the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entry_points: dict[str, dict[str, str]] = {}
        self.write("mine/__init__.py", "")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")

    def write_files_of(self, text: str) -> None:
        """What a recipe adds: what stands on the page that it names, and its own lines of replies."""
        on_page = page_of(text)
        [module] = re.findall(r"The file `(mine/\w+\.py)`", text)
        self.write(module, block(on_page, "python"))
        self.entry_points |= tomllib.loads(block(on_page, "toml"))["project"]["entry-points"]
        for name, items in zip(re.findall(r"`(items/\w+\.jsonl)`", text), blocks(on_page, "json"), strict=True):
            self.write(name, items)
        for name, table in zip(re.findall(r"`(\w+\.csv)`:", text), blocks(text, "csv"), strict=True):
            self.write(name, table)
        replies = self.folder / "replies.jsonl"
        before = replies.read_text("utf-8") if replies.exists() else ""
        self.write("replies.jsonl", before + "".join(blocks(text, "json")))

    def install(self) -> None:
        """As `pip install -e .` does, in no time."""
        points = (
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in self.entry_points.items()
        )
        self.write("mine-0.1.dist-info/METADATA", "Name: mine\nVersion: 0.1\n")
        self.write("mine-0.1.dist-info/entry_points.txt", "\n".join(points))


def test_a_package_of_an_experiment_a_facet_an_engine_and_a_command_works_as_the_recipes_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = Followed(tmp_path)
    for name in ("An experiment", "A facet", "An engine", "A command and a tool's files"):
        mine.write_files_of(recipe(name))
        (install, _), *commands = typed(recipe(name))
        assert install == "pip install -e ."
        mine.install()
        with installed(tmp_path):
            for command, shown in commands:
                called, *arguments = shlex.split(command)
                assert called == "selfexec"
                done = CliRunner().invoke(root, arguments)
                assert done.exit_code == 0 and as_shown(shown, done.stdout), f"{command}\n{done.output}"
    # in a process of their own, which imports them while it imports us
    for words in (["--version"], ["import", "--help"], ["run", "--help"]):
        there = {**os.environ, "PYTHONPATH": str(tmp_path)}
        ran = subprocess.run([sys.executable, "-m", "selfexec", *words], env=there, capture_output=True, text=True)
        assert ran.returncode == 0 and not ran.stderr, ran.stderr


# --- the same, as pip installs it ------------------------------------------------------------------------------------


def builds_editable() -> bool:
    """Whether setuptools is here, new enough to build without another package; otherwise that package."""
    with suppress(metadata.PackageNotFoundError):
        version = tuple(int(part) for part in metadata.version("setuptools").split(".")[:2])
        return version >= (70, 1) or find_spec("wheel") is not None
    return False


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment, which has what this one has and can be installed into."""
    if not builds_editable():
        missing = "setuptools 70.1 or later is not here (pip install -e '.[dev]'), so nothing can be installed"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, symlinks=os.name != "nt")
    [packages] = folder.rglob("site-packages")
    lines = "".join(f"import site; site.addsitedir({place!r})\n" for place in site.getsitepackages())
    (packages / "ours.pth").write_text(lines)
    return next(path for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if path.exists())


def pip_installs(python: Path, folder: Path) -> None:
    """`pip install -e .`, with no network."""
    command = ["-m", "pip", "--python", str(python), "install", "-e", ".", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [sys.executable, *command, "--no-index", "-q"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def prints(python: Path, *arguments: str, cwd: Path) -> str:
    done = subprocess.run([python, *arguments], cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_pip_installs_the_recipe_for_an_experiment_as_it_is_printed(environment: Path, tmp_path: Path) -> None:
    recipe_of = recipe("An experiment")
    mine = Followed(tmp_path)
    mine.write_files_of(recipe_of)
    mine.write("pyproject.toml", block(page_of(recipe_of), "toml"))
    (install, _), (check, shown), *_ = typed(recipe_of)
    assert install == "pip install -e ."
    pip_installs(environment, tmp_path)
    assert as_shown(shown, prints(environment, "-m", *shlex.split(check), cwd=tmp_path))
    listed = "from selfexec.experiments import EXPERIMENTS; print(EXPERIMENTS['brevity'].name)"
    assert prints(environment, "-c", listed, cwd=tmp_path.parent) == "brevity\n"


@pytest.mark.slow
def test_pip_installs_the_engine_of_its_page_as_it_is_printed(environment: Path, tmp_path: Path) -> None:
    recipe_of = recipe("An engine")
    mine = Followed(tmp_path)
    mine.write_files_of(recipe_of)
    mine.write("pyproject.toml", block(page_of(recipe_of), "toml"))
    mine.write("items/whatever.jsonl", "")  # a folder beside the package, as the other recipes have it
    pip_installs(environment, tmp_path)
    listed = "from selfexec.engines import ENGINES; print('parrot' in ENGINES)"
    assert prints(environment, "-c", listed, cwd=tmp_path.parent) == "True\n"


# --- what goes inside ------------------------------------------------------------------------------------------------


def inserted(path: Path, text: str, *, above: str = "", below: str = "") -> None:
    """Put text into a file, above or below the one line that begins like this."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    [at] = [n for n, line in enumerate(lines) if line.startswith(above or below)]
    path.write_text("".join([*lines[: at + bool(below)], text, *lines[at + bool(below) :]]), "utf-8")


def copied(folder: Path, *names: str) -> None:
    """Folders of this repository, to be changed. What is compiled comes along, so that it need not be again."""
    for name in names:
        shutil.copytree(ROOT / name, folder / name)


def as_done(folder: Path, command: str) -> str:
    """What a command prints where the package is the one in this folder."""
    called, *arguments = shlex.split(command)
    inherited = filter(None, [os.environ.get("PYTHONPATH")])
    program = {"python": [sys.executable], "selfexec": [sys.executable, "-m", "selfexec"]}[called]
    done = subprocess.run(
        [*program, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder / "src"), *inherited]), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize(
    ("name", "package", "listed", "tuple_of_ours"),
    [
        ("An experiment", "experiments", "__init__", r"^OURS\b.* = \("),
        ("A facet", "facets", "__init__", r"^OURS\b.* = \("),
        ("An engine", "engines", "registry", r"^ENGINES\b.*, \("),
    ],
)
@pytest.mark.slow
def test_one_of_ours_is_the_same_file_and_a_name_in_a_list(
    name: str, package: str, listed: str, tuple_of_ours: str, tmp_path: Path
) -> None:
    copied(tmp_path, "src")
    text, page = recipe(name), page_of(recipe(name))
    assert all(f"`{said}`" in text for said in (f"src/selfexec/{package}", f"selfexec.{package}.base", f"{listed}.py"))
    [(module, value)] = re.findall(r'= "mine\.(\w+):(\w+)"', block(page, "toml"))
    folder = tmp_path / "src" / "selfexec" / package
    own = block(page, "python").replace(f"from selfexec.{package} import", f"from selfexec.{package}.base import")
    (folder / f"{module}.py").write_text(own, "utf-8")
    path = folder / f"{listed}.py"
    there = path.read_text("utf-8")
    [begin] = re.findall(f"(?m){tuple_of_ours}", there)
    imported = f"from selfexec.{package}.{module} import {value}\n"
    path.write_text(there.replace(begin, f"{imported}{begin}{value}, "), "utf-8")
    known = f"from selfexec.{package} import {package.upper()}; print({module!r} in {package.upper()})"
    assert as_done(tmp_path, f'python -c "{known}"') == "True\n"


@pytest.mark.parametrize("called", ["selfexec", pytest.param("python", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_metric_works_as_the_recipe_says(tmp_path: Path, called: str) -> None:
    text = recipe("A metric")
    copied(tmp_path, "src", "tests/metrics", "tests/stored/panel")
    for path in ("pyproject.toml", "docs/metrics.md", *(f"tests/{path.name}" for path in ROOT.glob("tests/*.py"))):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    function, entry, test = blocks(text, "python")
    formulas = tmp_path / "src/selfexec/metrics/kinds/formulas.py"
    inserted(formulas, f"{function}\n\n", above="# --- the list of them")
    inserted(formulas, entry, below='    "recall": ')
    inserted(tmp_path / "docs/metrics.md", block(text, "markdown"), below="| `precision`")
    tests = tmp_path / "tests/metrics/test_scores.py"
    tests.write_text(f"{tests.read_text('utf-8')}\n\n{test}", "utf-8")
    commands = [(command, shown) for command, shown in typed(text) if command.split()[0] == called]
    assert len(commands) == 1
    for command, shown in commands:
        printed = as_done(tmp_path, command)
        assert as_shown(shown, printed), f"{command}\n{printed}"


def with_tests(folder: Path, *names: str) -> None:
    """The package and these folders of tests, to be changed."""
    copied(folder, "src", *names)
    for path in ("pyproject.toml", *(f"tests/{path.name}" for path in ROOT.glob("tests/*.py"))):
        shutil.copy(ROOT / path, folder / path)


def refuse_another_result(folder: Path, text: str, called: str) -> None:
    """Type the commands of a recipe that call this program, and look at what they print."""
    commands = [(command, shown) for command, shown in typed(text) if command.split()[0] == called]
    assert commands
    for command, shown in commands:
        printed = as_done(folder, command)
        assert as_shown(shown, printed), f"{command}\n{printed}"


@pytest.mark.parametrize("called", ["selfexec", "python"])
@pytest.mark.slow
def test_an_option_of_asking_works_as_the_recipe_says(tmp_path: Path, called: str) -> None:
    text = recipe("An option of asking")
    with_tests(tmp_path, "tests/engines", "tests/runs")
    sent, test_of_sent, reached, use, test_of_reached = blocks(text, "python")
    [wire] = re.findall(r"the line `(sends=\S.*?)`", text)
    engines = tmp_path / "src/selfexec/engines"
    inserted(engines / "settings.py", sent, above="    system: str | None = option(")
    inserted(engines / "http/wires/chat.py", f"    {wire}\n", below="    capabilities=")
    inserted(engines / "base.py", reached, above="    stream: bool = option(")
    inserted(engines / "http/client.py", use, below="        given = connection.headers")
    for name, test in (
        ("runs/test_every_option_of_asking.py", test_of_sent),
        ("engines/test_transport.py", test_of_reached),
    ):
        tests = tmp_path / "tests" / name
        tests.write_text(f"{tests.read_text('utf-8')}\n\n{test}", "utf-8")
    refuse_another_result(tmp_path, text, called)


@pytest.mark.parametrize("called", ["selfexec", "python"])
@pytest.mark.slow
def test_an_option_of_an_analysis_works_as_the_recipe_says(tmp_path: Path, called: str) -> None:
    text = recipe("An option of an analysis")
    with_tests(tmp_path, "tests/analysis", "tests/stored/panel")
    field, use, test = blocks(text, "python")
    inserted(tmp_path / "src/selfexec/analysis/options.py", field, above="    seed: int | None = option(")
    inserted(tmp_path / "src/selfexec/analysis/score.py", use, below="    rows = with_presets(")
    tests = tmp_path / "tests/analysis/test_selection.py"
    tests.write_text(f"{tests.read_text('utf-8')}\n\n{test}", "utf-8")
    refuse_another_result(tmp_path, text, called)


@pytest.mark.slow
def test_a_provider_works_as_the_recipe_says(tmp_path: Path) -> None:
    text = recipe("A provider")
    with_tests(tmp_path, "tests/engines", "tests/analysis")
    inserted(tmp_path / "src/selfexec/engines/http/providers.py", block(text, "python"), below='    "groq": ')
    refuse_another_result(tmp_path, text, "selfexec")


@pytest.mark.slow
def test_a_wording_works_as_the_recipe_says(tmp_path: Path) -> None:
    text = recipe("A wording")
    copied(tmp_path, "src")
    (tmp_path / "mine.json").write_text(block(text, "json"), "utf-8")
    refuse_another_result(tmp_path, text, "selfexec")


@needs("logs")
@pytest.mark.slow
def test_a_log_format_works_as_the_recipe_says(tmp_path: Path) -> None:
    text = recipe("A log format")
    copied(tmp_path, "src")
    logs = tmp_path / "src/selfexec/extensions/logs"
    module, entry = blocks(text, "python")
    (logs / "quiz_lines.py").write_text(module, "utf-8")
    inserted(logs / "tools.py", entry, above="    inspect.NAME")
    [imported] = re.findall(r"`(from selfexec\.extensions\.logs import .*?)`", text)
    [registered] = re.findall(r"`(finished_logs=.*?)`", text)
    for path, begin, line in (
        ("tools.py", "from selfexec.extensions.logs import", imported),
        ("__init__.py", "    finished_logs=", f"    {registered}"),
    ):
        there = (logs / path).read_text("utf-8")
        (logs / path).write_text(re.sub(rf"(?m)^{re.escape(begin)}.*$", lambda _, line=line: line, there), "utf-8")
    (tmp_path / "mine.quiz.jsonl").write_text(block(text, "json"), "utf-8")
    refuse_another_result(tmp_path, text, "selfexec")


@pytest.mark.slow
def test_a_figure_works_as_the_recipe_says(tmp_path: Path) -> None:
    text = recipe("A figure")
    copied(tmp_path, "src", "tests/stored/panel")
    figures = tmp_path / "src/selfexec/report/figures"
    module, takes = blocks(text, "python")
    [imported] = re.findall(r"`(from selfexec\.report\.figures\.skills import skills)`", text)
    (figures / "skills.py").write_text(module, "utf-8")
    inserted(figures / "__init__.py", f"{imported}\n", above="from selfexec.report.figures.tokens")
    [place] = re.findall(r"the line `(\w+,)`", text)
    inserted(figures / "__init__.py", f"    {place}\n", above="    difficulty,")
    inserted(figures / "__init__.py", takes, above='    "difficulty"')
    refuse_another_result(tmp_path, text, "selfexec")
    [shown] = [(command, printed) for command, printed in typed(text) if command.startswith("python -c")]
    assert as_shown(shown[1], as_done(tmp_path, shown[0]))


# --- the architecture ------------------------------------------------------------------------------------------------


@needs(*OURS)
def test_the_packages_of_the_table_are_all_in_the_order_that_imports_keep() -> None:
    table = PAGE.split("| package | what is in it |")[1].split("\n\n")[0]
    packages = re.findall(r"(?m)^\| `(\w+)` \|", table)
    there = {path.stem for path in PACKAGE.iterdir() if not path.stem.startswith("__") and path.name != "py.typed"}
    assert set(packages) == there
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = [set(layer.replace("selfexec.", "").split(" | ")) for layer in contracts[0]["layers"]]
    at = 0
    for layer in layers:
        assert set(packages[at : at + len(layer)]) == layer
        at += len(layer)


def test_each_test_and_file_that_it_names_is_there() -> None:
    for name in re.findall(r"`((?:src|tests|docs|\.ci)/[\w/.]+)`", PAGE):
        assert (ROOT / name).exists() or left_out(name), name


def test_make_pre_commit_and_ci_run_the_same_checks() -> None:
    checks = re.findall(r"(?m)^\t(.*)$", (ROOT / "Makefile").read_text("utf-8").split("check:\n")[1].split("\n\n")[0])
    assert len(checks) == 4
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert re.findall(r"(?m)^ +entry: (.*)$", hooks) == checks
    assert "\n".join(["", *checks, ""]) in (ROOT / ".ci" / "run").read_text("utf-8")
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert {"make check", "python -m pytest", ".ci/run"} <= set(re.findall(r"- run: (.*)", workflow))
    least = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]
    assert f'"{least.removeprefix(">=")}"' in workflow.split("matrix:")[1]
