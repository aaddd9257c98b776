"""Draw further replies to label: `python sample_further.py REFERENCE OUT` writes further-1.jsonl and so on there.

Drawn from the replies that no earlier sample holds. Strata are session kind, model and outward shape, the shapes finer
than in `sample.py`; within one, order is by SHA-256 with a salt, so that the sample depends on nobody's taste. No
reader is involved.
"""

import collections
import hashlib
import json
import re
import sys
from pathlib import Path

from sample import kind, load, round_robin, shape

SALT = "further"
SAMPLES = 4
# 150 in all
WANTED = {
    ("restriction", "predict"): 35,
    ("restriction", "judge"): 30,
    ("difficulty", "predict"): 35,
    ("difficulty", "execute"): 47,
    ("association", "predict"): 3,
}
# outward signs, the first that is found names the stratum
SIGNS = {
    "LaTeX": r"\\(?:boxed|text|\{|\[|\()",
    "refusal": r"(?i)\b(?:I can(?:no|')t|I'm sorry|I am unable|I won't|unable to)\b",
    "withdrawal": r"(?i)\b(?:however|actually|wait|but)\b[^\n]{0,120}$",
    "tag": r"</?[a-z_]{2,20}>",
    "table": r"\n\s*\|.*\|",
    "bullets at the end": r"(?:^|\n)\s*(?:[-*]|\d+[.)])[^\n]*\s*$",
    "heading": r"(?:^|\n)#{1,4} ",
    "other script": "[\\u0400-\\u04ff\\u0600-\\u06ff\\u3040-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7af]",
    "fence": r"```",
    "question back": r"\?\s*$",
}


def digest(*parts):
    return hashlib.sha256("\t".join([SALT, *parts]).encode()).hexdigest()


def name(reply):
    return tuple(str(reply[k]) for k in ("model", "experiment", "item", "session"))


def odd(reply, options):
    """The stratum of a reply that is not plain; None for a plain one."""
    outward = shape(reply, options)
    if outward is None:
        return None
    sign = next((name for name, pattern in SIGNS.items() if re.search(pattern, reply["text"])), "other")
    return outward, sign


def further(replies, options, known):
    """Samples of 150, drawn one after the other."""
    strata = collections.defaultdict(lambda: collections.defaultdict(list))
    plain = collections.defaultdict(list)
    for reply in sorted(replies, key=lambda reply: digest(*name(reply))):
        if name(reply) in known:
            continue
        if found := odd(reply, options.get(reply["item"], [])):
            # strata take turns in an order that depends on nobody's name
            stratum = (reply["model"], *found)
            strata[kind(reply)][digest(*stratum), *stratum].append(reply)
        else:
            plain[kind(reply), reply["model"]].append(reply)
    for (of_kind, model), replies_of in plain.items():
        replies_of.sort(key=lambda reply: -len(reply["text"]))
        strata[of_kind][digest(model, "longest"), model, "longest"] = replies_of[:SAMPLES]
    return [[r for k, n in WANTED.items() for r in round_robin(strata[k], n)] for _ in range(SAMPLES)]


def main(reference, out):
    options, spoken = load(reference)
    read = [r for r in spoken if kind(r) != ("restriction", "execute")]
    labelled = (Path(__file__).parent / "hard_replies.jsonl").read_text(encoding="utf-8").splitlines()
    known = set(map(name, map(json.loads, labelled)))
    for n, sample in enumerate(further(read, options, known), 1):
        with (out / f"further-{n}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in sample)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
