"""Draw the replies to label: `python sample.py REFERENCE OUT` writes hard-1, -2, -3 and execute.jsonl there.

A reply is hard when the asked-for JSON object is not simply its end: no such object, several, broken, an odd
value, text behind it; or when it is among the longest of its model. Strata are session kind, model and outward
shape; within one, order is by SHA-256, so that the sample depends on nobody's taste.
"""

import collections
import hashlib
import json
import re
import sys
from pathlib import Path

KEYS = {
    ("restriction", "predict"): "choice",
    ("restriction", "judge"): "choice",
    ("difficulty", "predict"): "ranking",
    ("difficulty", "execute"): "answer",
}
# how many of each kind, in three samples that were drawn and labelled one after the other
WANTED = {
    ("restriction", "predict"): (60, 20, 10),
    ("restriction", "judge"): (70, 25, 15),
    ("difficulty", "predict"): (105, 45, 30),
    ("difficulty", "execute"): (115, 60, 50),
    ("association", "predict"): (14, 0, 0),
    ("association", "execute"): (6, 0, 0),
}
EXECUTE = 100


def kind(reply):
    return reply["experiment"], reply["session"].split(".")[0]


def digest(reply):
    key = "\t".join(str(reply[k]) for k in ("model", "experiment", "item", "session"))
    return hashlib.sha256(key.encode()).hexdigest()


def shape(reply, options):
    """The outward shape of a reply, or None where it is plain."""
    text = reply["text"]
    if reply["experiment"] == "association":
        return association_shape(reply, options)
    key = KEYS[kind(reply)]
    found = re.findall(rf'"{key}"\s*:', text)
    if not found:
        return "boxed" if "boxed" in text else "odd key" if key in text else "no JSON"
    if len(found) > 1:
        return "several"
    whole = re.search(rf'\{{[^{{}}]*"{key}"\s*:[^{{}}]*\}}', text)
    if not whole:
        return "unclosed"
    try:
        value = json.loads(whole.group())[key]
    except ValueError:
        return "broken"
    plain = sorted(value) == ["Q1", "Q2", "Q3", "Q4"] if isinstance(value, list) else value in list("ABCD")
    if not plain:
        return "odd value"
    return "text behind" if text[whole.end() :].strip("\n `") else None


def association_shape(reply, options):
    value = json.loads(reply["text"])
    if reply["session"] == "execute":
        return "not five words" if len(set(value["words"])) != 5 else None
    if any(not isinstance(v, bool) for v in value.values()):
        return "not boolean"
    return "other keys" if {o.lower() for o in options} != set(value) else None


def round_robin(strata, n):
    """n replies, one from each stratum in turn."""
    queues = [strata[k] for k in sorted(strata, key=str)]
    chosen = []
    while len(chosen) < n and any(queues):
        for queue in queues:
            if queue and len(chosen) < n:
                chosen.append(queue.pop(0))
    return chosen


def hard(replies, options):
    """The hard replies to label, in three samples."""
    strata = collections.defaultdict(lambda: collections.defaultdict(list))
    longest = collections.defaultdict(list)
    for reply in sorted(replies, key=digest):
        found = shape(reply, options.get(reply["item"], []))
        if found:
            strata[kind(reply)][reply["model"], found].append(reply)
        else:
            longest[kind(reply), reply["model"]].append(reply)
    for (of_kind, model), plain in longest.items():
        plain.sort(key=lambda r: -len(r["text"]))
        strata[of_kind][model, "longest"] = plain[:2]
    return [[r for k in WANTED for r in round_robin(strata[k], WANTED[k][n])] for n in range(3)]


def load(reference):
    """The options of each target, and all replies that say something."""
    items = [json.loads(line) for line in (reference / "items/association.jsonl").open(encoding="utf-8")]
    files = sorted((reference / "replies").glob("*.jsonl"))
    replies = (json.loads(line) for file in files for line in file.open(encoding="utf-8"))
    return {i["id"]: i["options"] for i in items}, [r for r in replies if r["text"] is not None]


def main(reference, out):
    options, spoken = load(reference)
    executed = collections.defaultdict(list)
    for r in sorted((r for r in spoken if kind(r) == ("restriction", "execute")), key=digest):
        executed[r["model"]].append(r)
    read = [r for r in spoken if kind(r) != ("restriction", "execute")]
    samples = {f"hard-{n}": sample for n, sample in enumerate(hard(read, options), 1)}
    samples["execute"] = round_robin(executed, EXECUTE)
    for name, chosen in samples.items():
        with (out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in chosen)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
