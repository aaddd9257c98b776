"""Make the study from its frozen numbers: python studies/2025-paper/make.py [--reference DIR] [--out DIR]

Without the replies everything but recorded.csv is made anew. With --reference, a folder with `items`, `replies`,
`readings` and `published.json` (docs/published.md), the numbers that need the replies are worked out again too.
"""

import argparse
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import claims
import drawing
import recorded
import tables
from evidence import Evidence

HERE = Path(__file__).parent
FROZEN = ("published.json", "recorded.csv")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the study from its frozen numbers.")
    parser.add_argument("--reference", type=Path, help="Work out the frozen numbers again from this folder.")
    parser.add_argument("--out", type=Path, default=HERE, help="Where to write (default: the study's own folder).")
    chosen = parser.parse_args()
    make(chosen.out, chosen.reference)


def make(out: Path, reference: Path | None = None) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if out.resolve() != HERE.resolve():
        for name in FROZEN:
            shutil.copyfile(HERE / name, out / name)
    if reference is not None:
        shutil.copyfile(reference / "published.json", out / "published.json")
        recorded.write(out / "recorded.csv", recorded.work_out(reference))
    evidence = Evidence.of(out)
    for name in ("figure_7", "figure_8", "figure_9", "rasch_abilities", "rasch_benchmarks"):
        table = getattr(tables, name)(evidence)
        _write(out / f"{name}.csv", tables.as_csv(table, digits=6 if name.startswith("rasch") else 4))
        if hasattr(drawing, name):
            _write(out / f"{name}.svg", getattr(drawing, name)(table))
    _write(out / "claims.md", "\n".join(page(evidence)) + "\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def page(evidence: Evidence) -> Iterator[str]:
    rows = claims.worked_out(evidence)
    counts = Counter(verdict for _, _, verdict, _ in rows)
    yield "# The paper's quantitative sentences, worked out again"
    yield ""
    yield from INTRODUCTION.splitlines()
    yield ""
    yield "| verdict | sentences |"
    yield "| --- | --- |"
    yield from (f"| {verdict} | {counts[verdict]} |" for verdict in claims.VERDICTS)
    yield f"| all | {len(rows)} |"
    for section, of_section in groupby(rows, key=lambda row: claims.section(row[0])):
        yield ""
        yield f"## {section}"
        yield ""
        yield "| where | the paper | worked out again | verdict | why | shown by |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for s, found, verdict, why in of_section:
            yield f"| {s.place} | “{s.quote}” | {found} | **{verdict}** | {why} | {s.shown_by} |"


INTRODUCTION = """\
Made by `make.py` from `published.json`, `recorded.csv` and Table 1; do not edit by hand. The paper is \
[arXiv 2508.12277](https://arxiv.org/abs/2508.12277); its words are in quotation marks.

- **holds**: the number rounds to what is printed, or the 95% interval lies on the side that is claimed.
- **holds by an artefact**: it holds as published, and no longer once what was lost is left out, or what a guesser \
gets is taken away.
- **cannot be told at this n**: the interval lies on both sides of what is claimed, or there is no number to tell by. \
That a difference or a relation is *not there* can be refuted by so few models, not shown.
- **does not hold**: the interval lies on the other side, or the number is another.

The rules are functions at the head of `claims.py`, their limits (what is “low”, “most”, “close”) constants there.

- TEN is the run of ten models with published replies, scored with the authors' readings \
(`--readings readings/*.jsonl`), so that nothing here hangs on how replies are read.
- Intervals are 95%: of one model over items; of groups of models by Welch's t test, and of correlations by Fisher's \
z, over models. Accuracies as published are taken to scatter over items as those of TEN do. No test is adjusted for \
the number of sentences.
- *Failed requests* are those that the authors counted as failures; leaving them out gives the least that an accuracy \
of restriction can be, since some were lost without being counted.
- *Skill* is the mean of Youden's J twice and Kendall's tau; *self-knowledge* is skill less that of the best guesser \
who never saw the model; *self-bonus* is what models gain from predicting themselves rather than others \
(docs/metrics.md)."""


if __name__ == "__main__":
    main()
