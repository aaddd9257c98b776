"""A reference panel as people read of it: named wherever its models were others."""

from collections.abc import Collection, Iterator

from selfexec.panels import MatchedPanel
from selfexec.text.numbers import number_of

NOT_KNOWN = ", with prompts that may differ from these"  # of the panel, or of imported replies


def panel_lines(matched: MatchedPanel, shown: Collection[str] | None = None) -> Iterator[str]:
    """Which panel baselines are from, and what was left out of it; nothing where it has none of the experiments that
    are `shown`.
    """
    panel = matched.panel
    there = tuple(name for name in matched.experiments if shown is None or name in shown)
    if not there:
        return
    experiments = "" if not matched.without else f" in {_listed(there)}"
    when = f" recorded in {panel.date}" if panel.date else ""
    words = {True: ", asked with the same prompts", False: ", asked with other prompts", None: NOT_KNOWN}[matched.alike]
    models = number_of(len(matched.models), "model")
    others = "the other models and " if len(matched.own) > 1 else ""
    yield f"The baseline{experiments} is built from {others}the reference panel `{panel.name}`: {models}{when}{words}."
    if matched.left_out:
        since = "it is" if len(matched.left_out) == 1 else "they are"
        which = "; ".join(f"{model} ({why})" if why else model for model, why in matched.left_out.items())
        yield f"Not among these models, since {since} scored here: {which}."


def _listed(names: tuple[str, ...]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
