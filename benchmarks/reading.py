"""How long readers take on noise: `python benchmarks/reading.py`.

Prints, for each kind of noise, the slowest reader on one megabyte and how much longer two megabytes take (2 is
linear), measured side by side in one run.
"""

import random
import time
from collections.abc import Callable, Iterator

from selfexec.experiments import EXPERIMENTS
from selfexec.items import load

MEGABYTE = 1_000_000


def noises() -> dict[str, str]:
    """Texts that hurt readers which look too far: floods of what their patterns begin with."""
    floods = (
        "\u2003",
        " ",
        "\n",
        "{",
        "}",
        "[",
        '["',
        '"',
        '{"',
        "\\",
        '\\"',
        "answer ",
        "answer is ",
        '"answer": "A, ',
    )
    floods += ('"choice":', '"ranking": [', "Q1 ", "Q1, Q2, ", "1. Q1\n2. Q2\n", "boxed{", '"x": true, ', "x: true\n")
    floods += ('"words": ["a",', "- a\n", "a, ", "The response does ", "<think>", "</think>", ":\n\n", "so, C. ", "1")
    floods += (
        "\\text{",
        "boxed{{",
        "Answer\n",
        "| answer |\n",
        "</",
        "</answer>",
        "<li>",
        "\n\n> a\n",
        "\n>",
        "«",
        "&quot;",
    )
    floods += (
        "so I cannot give ",
        "A: this choice is incorrect.\n",
        "- Q1 (20 tokens)\n",
        "Cat: ",
        "is = ",
        "答案是 ",
        "I would ",
        "this choice is incorrect ",
    )
    texts = {repr(flood): flood * (2 * MEGABYTE // len(flood)) for flood in floods}
    letters = "abcdefgh ijklmn.,\n{}[]\"':QABCD1234<>-*"
    return {"random": "".join(random.Random(1).choices(letters, k=2 * MEGABYTE))} | texts


def readers() -> Iterator[Callable[[str], object]]:
    for name, by_id in load("starter").items.items():
        item = next(iter(by_id.values()))
        for session in EXPERIMENTS[name].session_names(item)[:3]:
            yield lambda text, name=name, item=item, session=session: EXPERIMENTS[name].read(item, session, text)


def seconds(read: Callable[[str], object], text: str) -> float:
    started = time.perf_counter()
    read(text)
    return time.perf_counter() - started


def main() -> None:
    print(f"{'noise':24} {'1 MB, slowest':>14} {'2 MB / 1 MB':>12}")
    for name, text in noises().items():
        one = max(readers(), key=lambda read: seconds(read, text[:MEGABYTE]))
        first = min(seconds(one, text[:MEGABYTE]) for _ in range(3))
        second = min(seconds(one, text) for _ in range(3))
        print(f"{name:24} {first * 1000:11.1f} ms {second / first:12.1f}")


if __name__ == "__main__":
    main()
