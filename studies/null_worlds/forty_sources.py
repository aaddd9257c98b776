"""How often ten models with forty sources, and nothing of their own, are taken for `own`; forty_sources.txt.

    python studies/null_worlds/forty_sources.py     # 500 panels a cell, two CPU minutes

The hardest of the worlds of rules.py, by the verdict as it is, at the paper's sizes.
"""

import rules
from judge import judge
from nulls import draw

MODELS, PANELS = 10, 500


def own_panels(world: str, shape: str) -> int:
    kind, claims = rules.SHAPES[shape]
    items = rules.PAPER_ITEMS[shape]
    panels = (draw(world, models=MODELS, items=items, kind=kind, seed=seed, claims=claims) for seed in range(PANELS))
    return sum(judge(panel) == "own" for panel in panels)


def main() -> None:
    worlds = [world for world in rules.SOURCES if world.startswith("40 ")]
    lines = [f"{'world':20} {'shape':12} {'own':>4} of {PANELS}"]
    lines += [f"{world:20} {shape:12} {own_panels(world, shape):4d}" for world in worlds for shape in rules.SHAPES]
    (rules.HERE / "forty_sources.txt").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
