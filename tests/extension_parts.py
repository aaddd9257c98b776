"""For tests, and cases of tests, that need extensions: the core is tested without any, and with each one taken away."""

import pytest

from selfexec.extension import all_extensions

OURS = (
    *("batch", "card", "finetuning", "forms", "injecting", "inspect", "judging", "latex", "local", "logs", "published"),
    *("rasch", "ray", "shards", "simulating", "study", "tool"),
)


def here(*names: str) -> bool:
    """Whether all these extensions are in this installation."""
    assert {*OURS} >= {*names}, f"no extensions of ours: {sorted({*names} - {*OURS})}"
    return all_extensions().keys() >= {*names}


def needs(*names: str) -> pytest.MarkDecorator:
    """Marks a test, or a case of it, that is skipped unless all these extensions are in this installation."""
    missing = [name for name in names if not here(name)]
    return pytest.mark.skipif(bool(missing), reason=f"without the extension {', '.join(missing)}")


def left_out(place: str) -> bool:
    """Whether a file or folder is part of an extension, or of its tests, that is not in this installation; of all, if
    none is.
    """
    missing = [name for name in OURS if not here(name)]
    return (place.endswith("/extensions") and missing == [*OURS]) or any(
        f"/extensions/{one}/" in place for one in missing
    )
