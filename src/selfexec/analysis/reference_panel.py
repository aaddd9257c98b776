"""A reference panel as people read of it: named wherever its models were others."""

from collections.abc import Iterator

from selfexec.panels import Beside
from selfexec.text.numbers import number_of


def panel_lines(beside: Beside) -> Iterator[str]:
    """Which panel baselines are from, and what was left out of it."""
    panel = beside.panel
    experiments = "" if not beside.without else f" in {_listed(beside.experiments)}"
    when = f" recorded in {panel.date}" if panel.date else ""
    words = {True: ", asked with the same prompts", False: ", asked with other prompts", None: ""}[beside.alike]
    models = number_of(len(beside.models), "model")
    others = "the other models and " if len(beside.own) > 1 else ""
    yield f"Baselines{experiments} are of {others}the reference panel `{panel.name}`: {models}{when}{words}."
    if beside.left_out:
        since = "it is" if len(beside.left_out) == 1 else "they are"
        which = "; ".join(f"{model} ({why})" for model, why in beside.left_out.items())
        yield f"Left out of the panel, since {since} scored here: {which}."


def _listed(names: tuple[str, ...]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
