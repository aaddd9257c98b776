"""Where results and what is large are kept: the options that make.py and causal.py share."""

import argparse
import os
from pathlib import Path

from number_type import NUMBER_TYPES
from progress import refuse

RECORDED = Path(__file__).parent.resolve()  # the results that the repository has
WORK = Path("planted-work")
CLAIM = "results-are-in.txt"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add --out, --work and --dtype."""
    out_help = (
        "folder of results, where an earlier command is continued (default: studies/planted, with the recorded ones)"
    )
    parser.add_argument("--out", type=Path, default=RECORDED, help=out_help)
    parser.add_argument("--work", type=Path, default=WORK, help=f"folder for what is large (default: {WORK})")
    dtype_help = "number type of training (default: bfloat16 where the processor has instructions for it)"
    parser.add_argument("--dtype", choices=NUMBER_TYPES, help=dtype_help)


def claim(work: Path, out: Path) -> None:
    """Make both folders, and keep with the work where its results are: with other results it would pass off the
    replies of earlier models as new ones.
    """
    holder = work / CLAIM
    if holder.exists():
        belongs = Path(holder.read_text("utf-8").strip())
    elif any(work.glob("*-*-*.json")) or any(work.glob("persons-*.pt")):
        belongs = RECORDED  # the only place before there was --out
    else:
        belongs = out.resolve()
    if belongs != out.resolve():
        refuse(
            f"{work} has models whose results are in {belongs}, and not in {out}. Give another folder with --work, "
            f"or, where the results were moved, put their new place into {holder}."
        )
    for folder in (work, out):
        folder.mkdir(parents=True, exist_ok=True)
    part = holder.with_suffix(".part")
    part.write_text(f"{belongs}\n", "utf-8")
    os.replace(part, holder)


def nothing_to_do(out: Path, command: str) -> str:
    """What a command says where all that it would make is there already."""
    return (
        f"Nothing was trained or asked: all of it is in {out} already. "
        f"To repeat it, name folders that do not exist yet: {command} --out mine --work work"
    )
