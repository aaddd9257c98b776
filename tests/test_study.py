"""The frozen study comes out of its frozen numbers, and these out of the replies."""

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

STUDY = Path(__file__).parents[1] / "studies" / "2025-paper"
MADE = sorted(path.name for path in STUDY.iterdir() if path.suffix in (".md", ".csv", ".svg") and path.stem != "README")
VERDICTS = {"holds", "holds by an artefact", "cannot be told at this n", "does not hold"}


def make(*arguments: str) -> None:
    subprocess.run([sys.executable, str(STUDY / "make.py"), *arguments], check=True)


def sentences() -> list[list[str]]:
    """The rows of claims.md: where, the paper, worked out again, verdict, why, shown by."""
    lines = (STUDY / "claims.md").read_text("utf-8").splitlines()
    cells = [line.strip("|").split("|") for line in lines if "“" in line and line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in cells]


@pytest.fixture(scope="module")
def made_again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study")
    make("--out", str(out))
    return out


@pytest.mark.parametrize("name", MADE)
def test_the_study_comes_out_of_its_frozen_numbers_byte_for_byte(made_again: Path, name: str) -> None:
    assert (made_again / name).read_bytes() == (STUDY / name).read_bytes()


def test_the_frozen_numbers_come_out_of_the_replies(reference: Path, tmp_path: Path) -> None:
    make("--out", str(tmp_path), "--reference", str(reference))

    def numbers(folder: Path) -> list[dict[str, str]]:
        with (folder / "recorded.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    frozen, again = numbers(STUDY), numbers(tmp_path)
    assert len(frozen) == len(again) > 400
    for one, two in zip(frozen, again, strict=True):
        for name, cell in one.items():
            if name in ("value", "low", "high") and cell:
                assert float(two[name]) == pytest.approx(float(cell), abs=2e-6), one
            else:
                assert two[name] == cell
    published = [json.loads((folder / "published.json").read_text()) for folder in (STUDY, reference)]
    assert published[0] == published[1]


def test_every_sentence_has_a_place_a_number_a_verdict_a_reason_and_a_source() -> None:
    rows = sentences()
    assert len(rows) > 40
    for row in rows:
        assert len(row) == 6 and all(row), row
        assert row[3].strip("*") in VERDICTS
    quotes = Counter(row[1] for row in rows)
    assert max(quotes.values()) == 1


def test_what_is_quoted_is_what_the_paper_says(reference: Path) -> None:
    paper = " ".join((reference.parent / "paper.txt").read_text("utf-8").split())
    for row in sentences():
        assert row[1].strip("“”") in paper, row[1]


def test_a_verdict_without_words_stops_the_study(tmp_path: Path) -> None:
    # gemini-2.5-pro without failures: .32 is then no artefact, for which nothing is written
    published = json.loads((STUDY / "published.json").read_text())
    restriction = published["models"]["gemini-2.5-pro"]["restriction"]
    restriction["prediction_failures"] = restriction["judgement_failures"] = 0
    (tmp_path / "study").mkdir()
    for path in STUDY.iterdir():
        if path.is_file():
            (tmp_path / "study" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "study" / "published.json").write_text(json.dumps(published))
    done = subprocess.run([sys.executable, str(tmp_path / "study" / "make.py")], capture_output=True, text=True)
    assert done.returncode == 1
    assert "32%" in done.stderr and "“holds”" in done.stderr


def test_no_item_and_no_reply_is_copied(reference: Path) -> None:
    texts = " ".join(path.read_text("utf-8") for path in STUDY.iterdir() if path.is_file())
    lines = {
        name: (reference / "items" / f"{name}.jsonl").read_text("utf-8").split("\n")
        for name in ("restriction", "difficulty")
    }
    requests = [json.loads(line)["request"] for line in lines["restriction"] if line]
    questions = [
        question["question"] for line in lines["difficulty"] if line for question in json.loads(line)["questions"]
    ]
    assert not [text for text in requests + questions if len(text) > 20 and text in texts]
