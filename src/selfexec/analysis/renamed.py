"""Metrics that had other names before the first version. A request by an old name is refused with the new one."""

from collections.abc import Collection

from selfexec.errors import InputError
from selfexec.renamed import METRICS
from selfexec.text.matching import meant


def called_now(name: str) -> str:
    return f"{name} is called {METRICS[name]} now"


def refuse_unknown_metric(name: str, known: Collection[str], before: str = "") -> None:
    """Refuse a metric that is not among those known; `before` says where it was named."""
    if name in known:
        return
    if (now := METRICS.get(name)) in known:
        raise InputError(f"{before}{called_now(name)}.")
    if now:
        raise InputError(f"{before}{called_now(name)}, and is not among {', '.join(known)}.")
    raise InputError(f"{before}unknown metric {name!r}. {meant(name, known)}")


def refuse_old_name(name: str | None) -> None:
    """For look-ups, which find nothing under an old name."""
    if name in METRICS:
        raise KeyError(called_now(name))
