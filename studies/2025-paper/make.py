"""Make the study from its frozen numbers: python studies/2025-paper/make.py [--reference DIR] [--out DIR]

Without the replies everything but recorded.csv is made anew. With --reference, a folder with `items`, `replies`,
`readings` and `published.json` (docs/published.md), the numbers that need the replies are worked out again too.
With --claim N nothing is written: row N of claims.md is worked out again and printed.
"""

import argparse
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import drawing
import recorded
import tables
from evidence import REQUESTS, Evidence

import claims

HERE = Path(__file__).parent
FROZEN = ("published.json", "recorded.csv")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the study from its frozen numbers.")
    parser.add_argument("--reference", type=Path, help="Work out the frozen numbers again from this folder.")
    parser.add_argument("--out", type=Path, help="Where to write (default: the study's own folder).")
    parser.add_argument("--claim", type=int, metavar="N", help="Print row N of claims.md, worked out again.")
    chosen = parser.parse_args()
    if chosen.claim is None:
        make(chosen.out or HERE, chosen.reference)
        return
    if chosen.out is not None:
        parser.error("--claim writes nothing: leave --out away.")
    if not 1 <= chosen.claim <= len(claims.SENTENCES):
        parser.error(f"there is no claim {chosen.claim}: claims.md has 1 to {len(claims.SENTENCES)}.")
    print("\n".join(claim(chosen.claim, chosen.reference)))


def claim(number: int, reference: Path | None = None) -> Iterator[str]:
    """One row of claims.md, worked out from the frozen numbers, or from the replies."""
    with tempfile.TemporaryDirectory() as scratch:
        if reference is not None:
            freeze(Path(scratch), reference)
        evidence = Evidence.of(HERE if reference is None else Path(scratch))
        s, found, verdict, why = claims.work_out(claims.SENTENCES[number - 1], evidence)
    source = f"the replies in {reference}" if reference is not None else "the frozen numbers of this study"
    lines = {
        "claim": f"{number} of {len(claims.SENTENCES)}",
        "where": s.place,
        "the paper": f"“{s.quote}”",
        "worked out from": source,
        "worked out again": found,
        "verdict": verdict,
        "why": why,
    }
    yield from (f"{name + ':':<18}{text}" for name, text in lines.items())


def freeze(out: Path, reference: Path) -> None:
    """The two files that all else is made from."""
    shutil.copyfile(reference / "published.json", out / "published.json")
    recorded.write(out / "recorded.csv", recorded.work_out(reference))


def make(out: Path, reference: Path | None = None) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if reference is not None:
        freeze(out, reference)
    elif out.resolve() != HERE.resolve():
        for name in FROZEN:
            shutil.copyfile(HERE / name, out / name)
    evidence = Evidence.of(out)
    for name in ("figure_7", "figure_8", "figure_9", "rates", "models", "rasch_abilities", "rasch_benchmarks"):
        table = getattr(tables, name)(evidence)
        _write(out / f"{name}.csv", tables.as_csv(table, digits=4 if name.startswith("figure") else 6))
        if hasattr(drawing, name):
            _write(out / f"{name}.svg", getattr(drawing, name)(table))
    _write(out / "claims.md", "\n".join(page(evidence)) + "\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def page(evidence: Evidence) -> Iterator[str]:
    rows = [(n, *claims.work_out(s, evidence)) for n, s in enumerate(claims.SENTENCES, start=1)]
    counts = Counter(verdict for *_, verdict, _ in rows)
    yield "# The paper's quantitative sentences, worked out again"
    yield ""
    yield from INTRODUCTION.splitlines()
    yield from lost_requests(evidence)
    yield ""
    yield "| verdict | sentences |"
    yield "| --- | --- |"
    yield from (f"| {verdict} | {counts[verdict]} |" for verdict in claims.VERDICTS)
    yield f"| all | {len(rows)} |"
    for section, of_section in groupby(rows, key=lambda row: claims.section(row[1])):
        yield ""
        yield f"## {section}"
        yield ""
        yield "| # | where | the paper | worked out again | verdict | why | shown by |"
        yield "| --- | --- | --- | --- | --- | --- | --- |"
        for n, s, found, verdict, why in of_section:
            yield f"| {n} | {s.place} | “{s.quote}” | {found} | **{verdict}** | {why} | {claims.shown_by(n)} |"


def lost_requests(e: Evidence) -> Iterator[str]:
    """What the rows call failed and lost requests, and what leaving the lost ones out does not tell."""
    lost = {model: int(x.value) for model, x in e.recorded.of("requests_lost", "restriction").items()}
    last = {model: int(x.value) for model, x in e.recorded.of("last_request_recorded", "restriction").items()}
    more = ", ".join(
        f"of {model} {n} and not {e.failed(model)}"
        + (f" (all after request {last[model]})" if n == REQUESTS - last[model] else "")
        for model, n in lost.items()
        if n > e.failed(model)
    )
    most = max(lost, key=lost.__getitem__)
    labels = {label: e.recorded.of(f"did_{label}", "restriction") for label in ("safe", "unsafe")}
    read = " and ".join(f"{of[most].n} of {max(x.n or 0 for x in of.values())} {label}" for label, of in labels.items())
    yield (
        "- *Failed requests* are those that the authors counted as failures, *lost requests* all that could not be "
        f"read. Of the {len(lost)} models with replies it is known which were lost: {more}, of the others those that "
        "failed. Of a model without replies only those that failed can be left out; some may have been lost without "
        "being counted, so that this gives the least that its accuracy of restriction can be."
    )
    yield (
        "- *If more was lost uncounted*: the lowest and the highest that a correlation comes to with each model "
        "without replies at its least or its most accuracy of restriction. At most all its errors were lost but the "
        "over-nice ones, which were read."
    )
    yield f"- What was read need not be like what was lost: of {most} it is {read} requests."


INTRODUCTION = """\
Made by `make.py` from `published.json`, `recorded.csv` and Table 1; do not edit by hand. The paper is \
[arXiv 2508.12277](https://arxiv.org/abs/2508.12277); its words are in quotation marks.

- **holds**: the number rounds to what is printed, or the 95% interval lies on the side that is claimed.
- **holds by an artefact**: it holds as published, and no longer once what was lost is left out, or what a baseline \
gets is taken away, or models that say yes at different rates are compared by the share of what is possible at their \
own rate.
- **cannot be told at this n**: the interval lies on both sides of what is claimed, or there is no number to tell by. \
That a difference or a relation is *not there* can be refuted by so few models, not shown.
- **does not hold**: the interval lies on the other side, or the number is another.

The rules are functions in `claims/rules.py`, their limits (what is “low”, “most”, “close”) constants there; its \
first lines say which sentences are judged by one rule.

## What shows it

Commands are for the root of this repository. Whatever command stands beside a row, \
`python studies/2025-paper/make.py --claim N` works out row N again and prints it whole; with `--reference REFERENCE` \
it does so from the replies. A note in brackets says which part of a row a command shows; one without a note shows \
every number of the row.

| in a command | put in its place |
| --- | --- |
| REFERENCE | the folder with `items`, `replies`, `readings` and `published.json` \
([docs/published.md](../../docs/published.md)), wherever it stands |
| TEN | the folder of the run of the ten models with published replies, made once, wherever it is to stand: \
`selfexec import REFERENCE/replies/*.jsonl --items REFERENCE/items --out TEN` |
| READINGS | the authors' readings, all ten files: the folder `REFERENCE/readings`. With them nothing here hangs on \
how replies are read; without them the numbers are others |

## How to read the numbers

- Intervals are 95%: of one model over items; of groups of models by Welch's t test, and of correlations by Fisher's \
z, over models. Accuracies as published are taken to scatter over items as those of TEN do. No test is adjusted for \
the number of sentences.
- *Surely*: with the whole interval.
- *Skill* is the mean of Youden's J twice and Kendall's tau, of one experiment its own of these; *margin* is skill \
less that of the best baseline that never saw the model. It says which of the two is the better guide to what the \
model does, and neither that a model knows itself nor that it does not ([docs/metrics.md](../../docs/metrics.md)).
- *How often* and *which ones*: accuracy, J and the margin mix the two. *Rate bias* is predicted less observed share \
of yes. The *ceiling* is the greatest J that is possible at a model's rate of yes, and the *share of the ceiling* is J \
over that. Models with different rates of yes are compared by it; where it is near 1, or the ceiling is low, yes and \
no cannot tell which of two picks better. Orders have no rate, and tau stands in its place."""


if __name__ == "__main__":
    main()
