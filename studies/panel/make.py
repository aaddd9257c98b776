"""Make the reference panel that ships, src/selfexec/panels/paper.json, from the reference data.

    python studies/panel/make.py REFERENCE

What ten recorded models predicted and did on the paper's items, as `selfexec` reads their replies: letters by claim and
nothing of any text, item or word. `tests/panels/test_paper_panel.py` holds the file to what this makes.
"""

import sys
import tempfile
from pathlib import Path

from selfexec import import_replies
from selfexec.panels import PAPER_PANEL, ReferencePanel, panel_of_run
from selfexec.runs import Run

SHIPPED = Path(__file__).parents[2] / "src" / "selfexec" / "panels" / "paper.json"
CITATION = (
    "Replies recorded by E. Ezra, A. Weizman and A. Azaria for The Self-Execution Benchmark (arXiv 2508.12277, "
    "github.com/anon-researcher-2025/Self-Execution-Benchmark), read by selfexec"
)


def made(run: Run) -> ReferencePanel:
    """The panel of the ten models' replies."""
    return panel_of_run(run, PAPER_PANEL, models=sorted(run.models), date="2025", citation=CITATION, licence="MIT")


def main(reference: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        replies = sorted((reference / "replies").glob("*.jsonl"))
        run = import_replies(replies, items=reference / "items", out=Path(folder) / "ten")
        text = made(run).json()
    SHIPPED.write_text(text, "utf-8", newline="\n")
    print(f"{SHIPPED}: {len(text):,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
