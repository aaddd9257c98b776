"""docs/paper.md has a verdict on every paragraph of the paper, and on every field of the card made of it."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "paper.md"
VERDICTS = {"implemented", "differs", "not yet", "refused", "background"}
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


@pytest.mark.parametrize("folder", ["experiments", "stats/rasch/", "experiments/association.py"])
def test_the_files_that_it_names_are_there(folder: str) -> None:
    assert folder in PAGE.read_text("utf-8")
    assert (PAGE.parents[1] / "src" / "selfexec" / folder).exists()
