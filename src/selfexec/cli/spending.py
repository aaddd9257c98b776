"""What asking will cost and what it cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from selfexec.cli.options import say
from selfexec.text.numbers import dollars, number_of

if TYPE_CHECKING:
    from selfexec.engines import Price
    from selfexec.runs.asking import Progress
    from selfexec.runs.asking.estimate import RunEstimate

# --- what is foreseen ------------------------------------------------------------------------------------------------


def costs(models: Sequence[str], prices: "Mapping[str, Price]", rest: "RunEstimate") -> Iterator[str]:
    """What the rest will cost, for the models whose price is known, and how to have it for the others."""
    if any(price.source != "simulated" for price in prices.values()):
        low, high = rest.cost(prices)
        yield f"Cost: {_dollars(low)} to {_dollars(high)}, at {_sources(prices)}."
    if unpriced := [model for model in models if model not in prices]:
        way = f"--price {unpriced[0]}=IN,OUT says it, in dollars for a million tokens"
        yield f"Cost of {', '.join(unpriced)}: not known. {way}."


def _sources(prices: "Mapping[str, Price]") -> str:
    """Which prices these are: what they are where there is one, else where they come from."""
    different = {(price.input, price.output): price for price in prices.values() if price.source != "simulated"}
    sources = dict.fromkeys(price.source for price in different.values())
    if len(different) > 1:
        return f"prices of {' and '.join(sources)}"
    [price] = different.values()
    each = f"${price.input:,.10g} for a million tokens in and ${price.output:,.10g} for a million out"
    return f"{each} ({', '.join(sources)})"


def _dollars(amount: float) -> str:
    """To two figures or to the cent: more would claim too much."""
    return f"${amount:,.2f}" if amount >= 0.095 else f"${amount:.2g}"


def tokens_about(n: float) -> str:
    """A number of tokens to two figures or so: more would claim too much."""
    return f"{n / 1e6:,.1f} million" if n >= 1e6 else f"{max(100, round(n, -3 if n >= 10_000 else -2)):,.0f}"


# --- what was spent --------------------------------------------------------------------------------------------------


def calls_made(progress: "Progress") -> Iterator[str]:
    """Calls, retries by cause, and what they cost."""
    cost = f", cost {dollars(progress.cost)}" if progress.cost else ""
    causes = ", ".join(f"{cause} {n:,}" for cause, n in progress.retry_causes.most_common())
    yield f"calls {progress.calls:,}, retries {progress.retries:,}{f' ({causes})' if causes else ''}{cost}"
    if any(price.source != "simulated" for price in progress.prices.values()):
        replies = number_of(progress.uncounted, "reply", "replies")
        without = f"; without {replies} whose tokens were not counted" if progress.uncounted else ""
        said = "what the provider did not price" if progress.cost else "this command"
        yield f"cost of {said}, at {_sources(progress.prices)}: {dollars(progress.priced)}{without}"


def went_wrong(progress: "Progress") -> Iterator[str]:
    yield from (f"failed: {n:,} x {error}" for error, n in progress.failures.most_common())
    yield from (f"warning: {warning}" for warning in progress.warnings)


def say_took(progress: "Progress") -> None:
    """What this command took, by experiment and kind of session, where tokens were counted."""
    from selfexec.experiments import EXPERIMENTS
    from selfexec.text.tables import as_text, terminal_width

    if not any(took.input or took.output for took in progress.took.values()):
        return
    judged = {name: [e.judging.kind] if e.judging else [] for name, e in EXPERIMENTS.items()}
    order = [(name, kind) for name, e in EXPERIMENTS.items() for kind in (*e.prompts, *judged[name])]
    rows = [
        (
            *(name, kind, f"{took.calls:,}", f"{took.input:,}", f"{took.output:,}"),
            "–" if took.reasoning is None else f"{took.reasoning:,}",
            "–" if took.dollars is None else dollars(took.dollars),
        )
        for name, kind in order
        if (took := progress.took.get((name, kind)))
    ]
    columns = ("experiment", "session", "calls", "tokens in", "tokens out", "of it thoughts", "cost")
    say(as_text("", columns, rows, terminal_width(), "plain").rstrip())


def capped(progress: "Progress", max_calls: int | None) -> str:
    """What left the rest undone, and what of it was not used."""
    if progress.capped:
        return progress.capped
    unused = (max_calls or 0) - progress.calls
    if unused <= 0:
        return "--max-calls"
    are = number_of(unused, "call is", "calls are")
    return f"--max-calls; {are} left of it, and the next item, which is asked whole, takes more"
