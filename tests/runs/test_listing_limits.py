"""`selfexec list`: what counts as a run, and how sizes and names are cut."""

from pathlib import Path

import pytest

from selfexec.runs.listing import Listed, Listing, run_folders


@pytest.mark.parametrize(
    ("size", "said"),
    [
        *((0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (9_940, "9.9 kB"), (10_000, "10 kB"), (999_499, "999 kB")),
        *((1_000_000, "1.0 MB"), (12_000_000, "12 MB"), (1_000_000_000, "1.0 GB"), (25_000_000_000, "25 GB")),
    ],
)
def test_sizes_are_told_in_two_digits_or_whole(size: int, said: str) -> None:
    [row] = Listing(Path("runs"), [Listed(Path("one"), models=["m"], size=size)]).table().splitlines()[-1:]
    assert row.endswith(f" {said}")


def test_three_models_are_named_and_of_more_the_first_two() -> None:
    def names(count: int) -> str:
        models = [f"model-{n}" for n in range(count)]
        return Listing(Path("runs"), [Listed(Path("one"), models=models, items={"x": 1_200}, epochs=count)]).table()

    assert "model-2" in names(3) and "more" not in names(3)
    assert "model-1" in names(5) and "model-2" not in names(5) and "and 3 more" in names(5)
    assert "5 epochs" in names(5) and "epoch" not in names(1).splitlines()[-1] and "x 1,200" in names(1)


def test_what_is_left_of_a_run_is_one_where_it_has_replies_and_items(tmp_path: Path) -> None:
    for name in ("manifest", "both", "replies", "items"):
        (tmp_path / name).mkdir()
    (tmp_path / "manifest" / "manifest.json").touch()
    for name in ("both", "replies"):
        (tmp_path / name / "replies.jsonl").touch()
    for name in ("both", "items"):
        (tmp_path / name / "items").mkdir()
    assert [place.name for place in run_folders(tmp_path)] == ["both", "manifest"]
    assert run_folders(tmp_path / "both") == [tmp_path / "both"]
