"""What the documents show is what comes out."""

import csv
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from differences import COLUMNS, differences
from extension_parts import left_out
from selfexec.analysis.score import score
from selfexec.cli import root
from selfexec.engines.sim.traits import PROFILES
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.items import cache_folder
from selfexec.runs import Run
from terminal import left, ours_on_a_terminal

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.slow
def test_the_readme_shows_what_its_command_prints_in_a_terminal_of_80_columns(tmp_path: Path) -> None:
    printed = [untimed(line) for line in left(ours_on_a_terminal(["run"], tmp_path))]
    assert max(map(len, printed)) <= 80
    shown = README.split("In part:\n\n```\n")[1].split("\n```")[0]
    at = 0
    # stretches of it in their order, each whole; `...` stands for what is left out
    for stretch in shown.split("\n...\n"):
        wanted = [untimed(line) for line in stretch.splitlines()]
        places = [n for n in range(at, len(printed)) if printed[n : n + len(wanted)] == wanted]
        assert places, stretch
        at = places[0] + len(wanted)


def untimed(line: str) -> str:
    return re.sub(r"\(\d+\.\d s\)", "(... s)", line).rstrip()


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows commands of a Unix shell")
@pytest.mark.slow
def test_a_model_is_left_out_and_asked_anew_as_the_page_of_commands_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    shown = page.split("Commands only add to a run; none removes anything.")[1].split("\n\n")[1]
    shown = shown.replace('"m"', '"sim/coin"').replace("--model m", "--model sim/coin --limit 3")
    mine, without, again = (tmp_path / "runs" / name for name in ("mine", "without-m", "again"))
    sx.run(["sim/typical", "sim/coin", "sim/knows-models"], limit=3, out=mine)
    before, whole = (mine / "replies.jsonl").read_bytes(), score(mine)
    script = shown.replace("selfexec ", f"{sys.executable} -m selfexec ")
    subprocess.run(["bash", "-ec", script], check=True, cwd=tmp_path, capture_output=True)
    assert (mine / "replies.jsonl").read_bytes() == before
    assert score(without).models == ["sim/typical", "sim/knows-models"]
    assert score(again).sorted_by("model").records() == whole.sorted_by("model").records()
    # of three items in each experiment 2 + 3 + 5 sessions; those of the model were asked once more, and come last
    lines = (again / "replies.jsonl").read_text("utf-8").splitlines()
    assert ['"model":"sim/coin"' in line for line in lines] == [False] * 60 + [True] * 30
    # what `score --model` does not show goes on being a reference model
    some = score(sx.Selection.of(mine, models="sim/typical"))
    margins = [found.value("sim/typical", "association", "baseline_margin") for found in (some, whole)]
    assert some.models == ["sim/typical"] and margins[0] == margins[1]
    shares = [found.value("sim/typical", "association", "accuracy") for found in (some, whole)]
    assert shares[0] == shares[1] and shares[0] is not None


def test_the_readme_is_short() -> None:
    assert README.count("\n") < 135
    assert len(README.split()) <= 800


def test_the_readme_counts_the_verdicts_of_the_study() -> None:
    claims = (ROOT / "studies" / "2025-paper" / "claims.md").read_text("utf-8")
    told = [re.findall(r"\| \*\*(.*?)\*\* \|", row)[-1] for row in re.findall(r"(?m)^\| \d+ \|.*$", claims)]
    n = Counter(told)
    said = (
        f"of {len(told)} quantitative sentences {n['holds']} hold, {n['holds by an artefact']} hold by an artefact, "
        f"{n['does not hold']} do not hold, {n['cannot be told at this n']} cannot be decided"
    )
    assert said in README


def test_the_readme_tells_what_a_quick_run_takes(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the paper's items, as they lie in the cache once they were fetched
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path))
    shutil.copytree(reference / "items", cache_folder())
    told = re.search(r"quick run takes ([\d,]+) calls: about ([\d,]+) tokens in and ([\d,]+) out", README)
    assert told
    calls, tokens_in, tokens_out = told.groups()
    line = "run --model openai/gpt-6-luna --items paper --preset quick --dry-run"
    assert f"selfexec {line}" in README
    planned = CliRunner().invoke(root, shlex.split(line)).output
    assert f"at most {calls} sessions; about {tokens_in} tokens in, {tokens_out} out." in planned


def test_the_readme_says_what_python_it_takes_and_where_the_package_is_from() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"Python {project['requires-python'].removeprefix('>=')} or later" in README
    # as long as it is on none, no line installs it by its name
    assert "the package is on no index" in README and "pip install selfexec" not in README


def test_each_command_block_of_the_readme_is_one_line() -> None:
    blocks = re.findall(r"(?m)(?:^    \$ .*\n)+", README)
    assert [block.count("\n") for block in blocks] == [1, 1]
    assert blocks[0].rstrip().endswith("selfexec run") and blocks[1].rstrip().endswith("python -m pytest")


def test_the_readme_goes_from_a_first_try_to_a_real_model_to_the_rest() -> None:
    headings = re.findall(r"^## (.*)", README, flags=re.MULTILINE)
    assert headings[:4] == ["Try it", "Ask a real model", "What the numbers mean", "Where to go next"]
    # what is asked stands before all of it: the paper's experiments in a table, the others by their names
    first = README.split("## ")[0]
    assert all(re.search(rf"(?m)^\| {experiment} \|", first) for experiment in PAPER_HEADLINE.experiments)
    assert all(re.search(rf"\b{experiment}\b", first) for experiment in EXPERIMENTS)
    assert max(len(line.split()) for line in README.splitlines() if not line.startswith("|")) < 120


@pytest.mark.slow
def test_the_listed_differences_from_the_authors_readings_are_those_there_are(reference: Path, ten_models: Run) -> None:
    with (ROOT / "docs" / "differences.csv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    assert list(listed[0]) == COLUMNS
    assert listed == list(differences(reference, ten_models.readings))


REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Repository"]
OURS = re.compile(rf"{re.escape(REPOSITORY)}/(?:blob|raw)/main/")  # the address of a file of this repository
PAGES = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)", path.read_text("utf-8")):
        if place := OURS.match(link):
            assert (ROOT / link[place.end() :]).exists() or left_out(link), link
        elif not link.startswith("http"):
            assert (path.parent / link).exists() or left_out(link), link


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_links_to_headings_lead_to_one(path: Path) -> None:
    for link, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", path.read_text("utf-8")):
        if not link.startswith("http"):
            page = path.parent / link if link else path
            assert anchor in anchors(page.read_text("utf-8")), f"{link}#{anchor}"


def anchors(page: str) -> set[str]:
    """What the headings of a page are called in links."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```$", "", page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.slow
def test_the_published_page_shows_what_the_replies_give(
    ten_models: Run,
    scores_of_ten: sx.Scores,
    as_the_authors_read_them: Run,
    scores_as_the_authors_read_them: sx.Scores,
) -> None:
    authors, readable, ours = score(as_the_authors_read_them, "authors"), scores_as_the_authors_read_them, scores_of_ten
    columns = [
        (authors, "association", "accuracy"),
        (readable, "association", "accuracy"),
        (readable, "association", "always_no"),
        (authors, "restriction", "accuracy"),
        (readable, "restriction", "accuracy"),
        (readable, "restriction", "label"),
        (authors, "difficulty", "accuracy"),
        (readable, "difficulty", "accuracy"),
        (ours, "difficulty", "accuracy"),
    ]
    page = (ROOT / "docs" / "published.md").read_text("utf-8")
    for model in ten_models.models:
        values = [scores.value(model, experiment, metric) for scores, experiment, metric in columns]
        cells = ["–" if value is None else f"{value:.3f}".replace("0.", ".") for value in values]
        assert f"| {model} | {' | '.join(cells)} |" in page


@pytest.mark.slow
def test_the_page_on_the_field_has_the_numbers_of_the_recorded_models(
    as_the_authors_read_them: Run, scores_as_the_authors_read_them: sx.Scores
) -> None:
    page = (ROOT / "docs" / "field.md").read_text("utf-8")
    scores, cross = scores_as_the_authors_read_them, sx.cross_prediction(as_the_authors_read_them)

    def printed(number: float, digits: int = 2) -> str:
        return f"{number:.{digits}f}".replace("0.", ".")

    # which of two models is right about itself, by experiment: in restriction by one fixed rule
    by_rule = [own.found for own in cross.own if own.source == "rule"]
    assert f"own excess {', '.join(printed(found.overall.estimate.value, 3) for found in by_rule)}" in page
    swaps = [found.swap[1] for found in by_rule]
    assert len(swaps) == 3
    for swap in swaps:
        assert f"{printed(swap.value)} [{', '.join(map(printed, swap.interval))}]" in page
    for row in scores:
        if row.metric in ("self_bonus", "self_bonus_by_rule") and row.value is not None:
            assert f"+{printed(100 * row.value, 1)}" in page, row
    # of those that are judged in restriction
    judged = [
        row.model for row in scores if row.metric == "d_prime" and row.experiment == "restriction" and not row.reason
    ]
    of_judged = [scores.value(model, "restriction", "d_prime") or 0.0 for model in judged]
    assert len(judged) == 8
    assert f"d' {min(of_judged):.1f} to {max(of_judged):.1f} in the eight models" in page
    criteria = [scores.value(model, "restriction", "criterion") or 0.0 for model in judged]
    assert f"criterion {printed(min(criteria), 1)} to {max(criteria):.1f}" in page
    # the largest entry of a column of M[a, b] is on the diagonal
    words = {1: "one", 3: "three"}
    for experiment, models in (("association", "nine"), ("restriction", "ten"), ("difficulty", "nine")):
        matrix = cross.parts[experiment, "self_bonus"].matrix
        own_best = int((matrix.diagonal() == matrix.max(0)).sum())
        assert f"{words[own_best]} of {models}" in page
    accurate = [scores.value(model, "restriction", "accuracy") or 0.0 for model in scores.models]
    label = [scores.value(model, "restriction", "label") or 0.0 for model in scores.models]
    assert sum(two > one for one, two in zip(accurate, label, strict=True)) == 8 and "than eight of the ten" in page


def test_each_decision_has_a_number_of_its_own() -> None:
    numbers = sorted(path.name[:4] for path in (ROOT / "docs" / "decisions").glob("*.md"))
    assert numbers == [f"{n:04}" for n in range(1, len(numbers) + 1)]


INDEX = (ROOT / "docs" / "README.md").read_text("utf-8")


def test_every_page_is_listed_in_the_index_and_the_readme_leads_there() -> None:
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*") if path.is_file()}
    missing = pages - set(re.findall(r"\]\(([^)#]+)", INDEX)) - {"README.md", "report.png"}
    assert not missing, f"list in docs/README.md: {sorted(missing)}"
    assert "/docs/README.md)" in README and "/CONTRIBUTING.md)" in README


def test_the_index_calls_each_decision_as_its_page_does() -> None:
    for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        heading = path.read_text("utf-8").splitlines()[0]
        title = re.sub(r"^# (\d{4}\. )?", "", heading)
        assert f"- [{path.name[:4]}](decisions/{path.name}) {title}\n" in INDEX, path.name


def test_the_number_of_the_version_is_that_of_the_changelog_and_of_the_citation() -> None:
    headings = re.findall(r"(?m)^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    number, day = headings[1].removesuffix(")").split(" (")
    assert headings[0] == "Unreleased" and number == sx.__version__
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {number}\ndate-released: {day}\n" in citation
    # and nowhere else: the package takes it from there
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dynamic"]


@pytest.mark.slow
def test_the_page_on_the_first_result_shows_what_the_first_command_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "first-result.md").read_text("utf-8")
    printed = {untimed(line) for line in left(ours_on_a_terminal(["run"], tmp_path))}
    shown = [untimed(line) for block in re.findall(r"(?s)```\n(.*?)```", page) for line in block.splitlines()]
    assert len(shown) > 15 and [line for line in shown if line not in printed] == []
    # every simulated model is explained
    listed = page.split("## The simulated models")[1]
    assert all(f"`sim/{name}`" in listed for name in PROFILES)
