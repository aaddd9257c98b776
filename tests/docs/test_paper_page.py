"""docs/paper.md has a verdict on every paragraph of the paper, and on every field of the card made of it."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from extension_parts import OURS, needs
from selfexec.cli import root
from selfexec.engines import ENGINES, Connection
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import FACETS
from selfexec.items import load
from selfexec.metrics import METRICS
from selfexec.metrics.baselines import GROUPS
from selfexec.report.figures import TAKES
from selfexec.runs import Reply, read_reply

PAGE = Path(__file__).parents[2] / "docs" / "paper.md"
VERDICTS = {"implemented", "differs", "refused", "background"}
HEADING = re.compile(r"(\d(?:\.\d)?) [A-Z].{2,80}|(A)ppendix A .*|(A\.1) .*|(R)eferences")


def rows() -> Iterator[list[str]]:
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and not re.match(r"\| (place|field|statement) ", line):
            yield cells


def named() -> list[tuple[str, int]]:
    """The paragraphs that rows name: ('3.1', 2) is the second one below heading 3.1."""
    found = []
    for place, *_ in rows():
        if match := re.fullmatch(r"(?:§(\S+)|(abstract|references)) (¶|lines? )(\d+)(?:–(\d+))?", place):
            section = match[1] or match[2]
            unit = f"{section} lines" if match[3].startswith("line") else section
            found += [(unit, n) for n in range(int(match[4]), int(match[5] or match[4]) + 1)]
    return found


def paragraphs(text: str) -> list[tuple[str, int]]:
    """The paper's, by heading and number."""
    counts: Counter[str] = Counter()
    section = "front"
    for block in (found for part in re.split(r"\n\s*\n", text) if (found := part.strip())):
        if "\nAbstract" in block:
            section = "abstract"
        elif (match := HEADING.fullmatch(block)) and "\n" not in block:
            section = "references" if match[4] else next(found for found in match.groups() if found)
        elif block.startswith("The Self-Execution Benchmark: Measuring"):
            section = "front"  # the title, a second time
        elif section == "references":
            counts[section] += len(re.findall(r"^\s*•", block, re.MULTILINE))
        elif section != "front":
            counts[section] += 1
            if lines := re.findall(r"^(\d+):", block, re.MULTILINE):
                counts[f"{section} lines"] = len(lines)
    return [(unit, n + 1) for unit, count in counts.items() for n in range(count)]


def test_every_paragraph_of_the_paper_is_named_by_just_one_row(reference: Path) -> None:
    text = (reference.parent / "paper.txt").read_text("utf-8")
    found = paragraphs(text)
    assert len(found) > 100
    assert sorted(named()) == sorted(found)


def test_every_row_has_a_verdict_and_says_where_or_why() -> None:
    found = list(rows())
    assert len(found) > 80
    for place, about, verdict, reason in found:
        assert verdict in VERDICTS, place
        assert len(about) > 3 and len(reason) > 3, place


def test_every_field_of_the_benchmark_card_is_named(reference: Path) -> None:
    card = (reference.parent / "sources" / "benchmark-card.txt").read_text("utf-8")
    fields = set(re.findall(r"^\*\*(.+?)\*\*:", card, re.MULTILINE))
    assert len(fields) > 20
    answered = {name.strip() for place, *_ in rows() for name in place.split(",")}
    assert fields <= answered, fields - answered


def test_the_claims_that_it_refers_to_are_there() -> None:
    claims = (PAGE.parents[1] / "studies" / "2025-paper" / "claims.md").read_text("utf-8")
    there = {int(n) for n in re.findall(r"^\| (\d+) \|", claims, re.MULTILINE)}
    for first, last in re.findall(r"claims? (\d+)(?:(?: to |, | and )(\d+))?", PAGE.read_text("utf-8")):
        assert {int(first), int(last or first)} <= there


# --- rows, tried -----------------------------------------------------------------------------------------------------


def reason_of(place: str) -> str:
    [found] = [cells for cells in rows() if cells[0].split(";")[0] == place]
    return f"{found[2]}: {found[3]}"


@needs(*OURS)
def test_each_command_and_option_that_it_names_is_there() -> None:
    page = PAGE.read_text("utf-8")
    context = click.Context(root)
    commands = {name: root.get_command(context, name) for name in root.list_commands(context)}
    analyze = commands["analyze"]
    assert isinstance(analyze, click.Group)
    commands |= {f"analyze {name}": analyze.get_command(context, name) for name in analyze.list_commands(context)}
    options = {name: {o for p in one.params for o in p.opts} for name, one in commands.items() if one}
    typed = [
        line.removeprefix("selfexec ").split() for line in re.findall(r"`((?:selfexec )?[a-z]+(?: [^`]+)?)`", page)
    ]
    of_commands = [words for words in typed if words[0] in commands]
    assert len(of_commands) > 20
    for words in of_commands:
        name = " ".join(words[:2]) if words[0] == "analyze" else words[0]
        assert {word for word in words if word.startswith("--")} <= options[name], (name, words)
    assert set(re.findall(r"`selfexec (\w+)", page)) <= commands.keys()
    alone = set(re.findall(r"`(--[\w-]+)", page))
    assert len(alone) > 4 and alone <= set().union(*options.values(), (f"--{name}" for name in FACETS))


def test_each_metric_baseline_figure_and_experiment_that_it_names_is_there() -> None:
    named = {name for *_, reason in rows() for name in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", reason)}
    figures = {
        name
        for *_, reason in rows()
        for many in re.findall(r"\b[Ff]igures? ((?:`\w+`(?:, | and )?)+)", reason)
        for name in re.findall(r"`(\w+)`", many)
    }
    of_experiments = {metric for experiment in EXPERIMENTS.values() for metric in experiment.metrics}
    known = {*METRICS, *of_experiments, *GROUPS, *EXPERIMENTS, "shuffled_p", "negative_log_likelihood"}
    assert {"others_predictions", "over_niceness", "question_accuracy"} <= named
    assert named - known == set()
    assert len(figures) > 7 and figures <= TAKES.keys()


def test_doing_the_task_in_place_of_predicting_it_is_read_as_the_row_says() -> None:
    items = load("starter")
    done = {
        "association": "prices, interest, wages, currency, bank",
        "restriction": "Welcome, dear neighbors, to our picnic! Tonight many immigrant communities sit at one long "
        "table, and each has brought a dish from home.",
        "difficulty": "Q1: B\nQ2: A\nQ3: D\nQ4: C",
    }
    said = reason_of("§1 ¶7")
    assert said.startswith("implemented") and "`performed`" in said
    for name, text in done.items():
        item = next(iter(items[name].values()))
        reply = Reply(model="m", experiment=name, item=item.id, session="predict", text=text)
        reading = read_reply(item, reply)
        assert (reading.state, reading.reason) == ("unreadable", "performed"), name


@needs("local", "injecting")
def test_words_are_put_into_replies_by_the_engines_that_the_row_names() -> None:
    said = reason_of("§5 ¶2")
    real = [name for name in ENGINES if not ENGINES[name].simulated]
    able = [name for name in real if "forced_tokens" in ENGINES[name].capabilities(f"{name}/m", Connection())]
    assert able == ["local"] and "Tokens are forced in weights in this process" in said
    assert "prefill" in ENGINES["http"].capabilities("vllm/m", Connection())
    assert "prefill" in EXPERIMENTS["token_injection"].needs and "over HTTP words are put in as text" in said


def test_so_many_questions_are_on_a_subject_that_is_named() -> None:
    asked = [item for item in load("starter")["failing_question"].values() if item.control is None]
    named = sum(item.subject is not None for item in asked)
    assert f"Of the {len(asked)} questions that the starter items ask for, {named} are on a subject" in (
        reason_of("§6 ¶2")
    )
    assert len(asked) - named == 4  # "the four free ones"


def test_the_digest_says_what_the_row_refutes(reference: Path) -> None:
    digest = (reference.parent / "sources" / "proposal.txt").read_text("utf-8")
    assert "**Reference count**: 22" in digest and "- mixture-of-experts" in digest
    assert sum(unit == "references" for unit, _ in named()) == 18
    assert reason_of("Quick Facts").startswith("refused")


@pytest.mark.parametrize(
    "folder",
    [
        "experiments",
        pytest.param("extensions/rasch/solver.py", marks=needs("rasch")),
        "experiments/association.py",
    ],
)
def test_the_files_that_it_names_are_there(folder: str) -> None:
    assert folder in PAGE.read_text("utf-8")
    assert (PAGE.parents[1] / "src" / "selfexec" / folder).exists()
