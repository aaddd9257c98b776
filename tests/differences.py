"""List where our readers and the paper's authors differ: `python tests/differences.py` rewrites docs/differences.csv.

One line per session: what they read, what we read, and in what kind of case. No text of a reply is copied.
"""

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from selfexec import items
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.readers import Reading, fold
from selfexec.runs import Reply, is_kept, load_readings, load_replies, read_reply

HERE = Path(__file__).parents[1]
COLUMNS = ["model", "experiment", "item", "session", "authors", "ours", "reason", "case"]


def differences(reference: Path, read: Mapping[Key, Reading] | None = None) -> Iterator[dict[str, str]]:
    """Sessions with a reply that both read, and read differently. `read` is what we read, where that is known."""
    item_set = items.load(reference / "items")
    replies = load_replies(sorted((reference / "replies").glob("*.jsonl"))).replies
    readings = load_readings(sorted((reference / "readings").glob("*.jsonl")))
    for key, reply in replies.items():
        if reply.failed or is_kept(key):
            continue
        item = item_set.items[key.experiment][key.item]
        ours = read_reply(item, reply) if read is None else read[key]
        theirs = readings[key].value
        # the same tidying for both: what is left is a difference in reading
        if not _same(ours.value, EXPERIMENTS[key.experiment].given(item, key.session, theirs)):
            yield _line(key, theirs, ours, case(key, reply, theirs, ours))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return {fold(w): m for w, m in one.items()} == {fold(w): m for w, m in other.items()}
    if isinstance(one, list) and isinstance(other, list):
        return [fold(w) for w in one] == [fold(w) for w in other]
    return bool(one == other)


def case(key: Key, reply: Reply, theirs: Any, ours: Reading) -> str:
    text = reply.text or ""
    if key.experiment == "difficulty" and key.session != "predict":
        first = next((letter for letter in text.upper() if letter in "ABCD"), None)
        if theirs == first:
            return "they took the first a, b, c or d of the text" + (
                "; it commits to no letter" if ours.value is None else "; its own answer comes later"
            )
        if ours.value is None:
            return "its last answer is no letter, or was withdrawn"
        return "a later answer replaces the one they took"
    if theirs is None:
        return "a list, an order or a box that their rules do not know"
    if ours.value is None:
        return "its last answer is none, or was amended"
    if key.session == "predict" and key.experiment == "difficulty":
        return "a later or complete order replaces the one they took"
    if key.experiment == "association":
        return "a mark at the edge of a word"
    return "a later choice replaces the one they took"


def _line(key: Key, theirs: Any, ours: Reading, about: str) -> dict[str, str]:
    values = [json.dumps(value, ensure_ascii=False) for value in (theirs, ours.value)]
    cells = [key.model, key.experiment, key.item, key.session, *values, ours.reason or "", about]
    return dict(zip(COLUMNS, cells, strict=True))


if __name__ == "__main__":
    reference = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "shared" / "reference"
    with (HERE / "docs" / "differences.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(differences(reference))
