"""What stands alike in tens of thousands of cells of a page: whose a number is, what it is, and the button that opens
what is behind it. Filters of the templates, in Python, as a macro takes several times as long.
"""

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from selfexec.analysis.score import Score
from selfexec.report.outcomes import LOST, OUTCOMES, UNREADABLE, Counts
from selfexec.stats import Interval
from selfexec.text.numbers import decimal, typeset
from selfexec.text.printable import harmless


def shown_as(value: Any) -> Any:
    """What a page says instead of a text that would do something; it is escaped besides."""
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def written(value: object) -> str:
    """As HTML, whatever it is."""
    if type(value) is str:
        return _written(value)
    return str(value) if type(value) in (int, float) else str(escape(shown_as(value)))


@lru_cache(maxsize=10_000)  # names of models, of experiments, of metrics: most stand in a page again and again
def _written(text: str) -> str:
    return str(escape(harmless(text)))


def attributes(given: Mapping[str, object]) -> Markup:
    """Of an element, without those that are None."""
    return Markup(" ".join(f'{name}="{written(value)}"' for name, value in given.items() if value is not None))


def name(model: str) -> Markup:
    return Markup(f'<bdi class="name">{written(model)}</bdi>')


@pass_context
def marks(context: Context, model: str) -> Markup:
    """Whose row it is."""
    return Markup(f'data-model="{written(model)}" data-family="{written(context["data"].families[model])}"')


def known(row: Score) -> Markup:
    """What programs that read the page get of a number."""
    value = "" if row.value is None else row.value
    low = "" if row.low is None else f' data-low="{row.low}"'
    high = "" if row.high is None else f' data-high="{row.high}"'
    of = f'data-metric="{written(row.metric)}" data-model="{written(row.model)}" '
    return Markup(f'{of}data-experiment="{written(row.experiment)}" data-value="{value}"{low}{high}')


def range_of(row: Score | Interval) -> Markup:
    """Its interval, behind a number."""
    if row.low is None or row.high is None:
        return Markup("")
    return Markup(f' <span class="ci">[{typeset(decimal(row.low))}, {typeset(decimal(row.high))}]</span>')


@pass_context
def behind(
    context: Context,
    text: str,
    model: str,
    experiment: str,
    what: str,
    claims: str | None = None,
    *,
    states: str | None = None,
    session: str | None = None,
    find: str | None = None,
    row: Score | None = None,
) -> Markup:
    """A number that opens what is behind it: sessions of these outcomes or states. `what` it does is for who cannot see
    it; `row` where a baseline may be behind it too.
    """
    data = context["data"]
    if not data.evidence:
        return Markup(written(text))
    baseline, which = (row and data.baseline_predictions.behind(row)) or (None, None)
    of = attributes(
        {
            "data-m": data.number_of[model],
            "data-e": experiment,
            "data-c": claims,
            "data-s": states,
            "data-k": session,
            "data-f": find or None,
            "data-b": baseline,
            "data-w": which,
        }
    )
    return Markup(
        f'<button type="button" class="ev" {of}>{written(text)}<span class="sr"> {written(what)}</span></button>'
    )


def cell(text: str, value: float | None, kind: str = "n") -> Markup:
    """A number as it is read, with the one by which a table is sorted: nothing, where it is None or nan."""
    known = "" if value is None or math.isnan(value) else value
    return Markup(f'<td class="{kind}" data-value="{written(known)}">{written(text)}</td>')


@pass_context
def number_cell(context: Context, row: Score | None, claims: str | None = None, places: str = "") -> Markup:
    """A number with its interval, and the `places` that its model may have by it; with `claims` it opens these."""
    if row is None:
        return Markup('<td class="n"></td>\n')
    if row.value is None:
        withheld = "withheld" if row.experiment == "overall" else "–"
        return Markup(f'<td class="n none" {known(row)}>{withheld}</td>\n')
    number = typeset(decimal(row.value))
    if claims:
        what = f"{row.metric}: show what is behind it"
        number = behind(context, number, row.model, row.experiment, what, claims, row=row)
    below = f'<small class="places"><span>place </span>{places}</small>' if places else ""
    return Markup(f'<td class="n" {known(row)}>{number}{range_of(row)}{below}</td>\n')


@pass_context
def score_rows(context: Context, rows: Iterable[Score], counts: Counts) -> Markup:
    """A row for each score, with a header that says whose it is. Numbers of claims that were lost lead to these where
    they count just what is listed there.
    """

    def lost(row: Score, n: int, code: str) -> Markup:
        text = f"{n:,}"
        if n and counts.get(row.model, {}).get(row.experiment, {}).get(code) == n:
            text = behind(context, text, row.model, row.experiment, OUTCOMES[code], code)
        return cell(text, n)

    return Markup("\n").join(
        Markup(
            f'<tr {marks(context, row.model)} data-of="{written(row.experiment)}">'
            f'<th scope="row">{name(row.model)}</th>'
            f"<td>{written(row.experiment)}</td><td>{written(row.metric)}</td>"
            f"{number_cell(context, row, '?.' if row.metric == 'coverage' else 'all')}"
            f"{cell(f'{row.items:,}', row.items)}{cell(f'{row.claims:,}', row.claims)}"
            f"{lost(row, row.unreadable, UNREADABLE)}{lost(row, row.missing, LOST)}"
            f'<td class="why"><bdi>{written(row.reason or "")}</bdi></td></tr>'
        )
        for row in rows
    )


FILTERS = {each.__name__: each for each in (name, marks, known, behind, cell, number_cell, score_rows)} | {
    "range": range_of
}
