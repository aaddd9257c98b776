"""Free text matched: is a predicted reply nearer to the model's own reply than to those of other models?

Arrays in, arrays out. Texts are compared by the cosine of their counts of character trigrams: it knows no language, and
sees words, their order within three characters, and style alike. What style alone does is taken out by the same
matching against replies to other items.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from selfexec.metrics import Estimate
from selfexec.readers import fold
from selfexec.stats import NO_SPREAD, NONE, Array, student
from selfexec.text.regex import regex

LENGTH = 3  # characters of what is counted
LEAST_ITEMS = 3  # so that a prompt can be left out, and there are still others
ROUNDING = 9  # decimals of a cosine: what is no further apart is equal
BLANKS = regex(r"\s+")


def trigrams(text: str) -> Counter[str]:
    """How often each run of three characters stands in a text, case folded, with one blank for several, at both ends
    too.
    """
    plain = f" {BLANKS.sub(' ', fold(text)).strip()} "
    return Counter(plain[n : n + LENGTH] for n in range(len(plain) - LENGTH + 1))


def similarities(predicted: Sequence[str | None], replies: Sequence[str | None]) -> Array:
    """The cosine of each predicted text with each reply, by their counts of trigrams (Salton & McGill 1983): shape
    (predicted, replies), from 0 to 1; nan where a text is None or has nothing to count.
    """
    from scipy import sparse  # takes a while to import

    counts = [trigrams(text) if text else Counter() for text in (*predicted, *replies)]
    places = {gram: n for n, gram in enumerate(dict.fromkeys(gram for counted in counts for gram in counted))}
    rows = np.repeat(np.arange(len(counts)), [*map(len, counts)])
    columns = np.array([places[gram] for counted in counts for gram in counted], int)
    values = np.array([n for counted in counts for n in counted.values()], float)
    table = sparse.csr_array((values, (rows, columns)), shape=(len(counts), max(len(places), 1)))
    lengths = np.sqrt(np.asarray((table * table).sum(1)))
    lengths[lengths == 0] = np.nan
    first = len(predicted)
    products: Array = (table[:first] @ table[first:].T).toarray()
    return products / np.outer(lengths[:first], lengths[first:])


@dataclass(frozen=True)
class Match:
    """How a model's predicted replies match its own replies.

    Attributes:
        same: How often a predicted reply is nearer to its own reply than to another model's reply to the same prompt,
            over prompts and models; a tie is half.
        style: The same of the two models' replies to other prompts.
        beyond_style: `same` less `style`.
        closeness: By how much it is nearer, in cosines, less the same of replies to other prompts.
        items: How many prompts that rests on.
    """

    same: float
    style: float
    beyond_style: Estimate
    closeness: Estimate
    items: int


def match(own: Array, others: Array) -> Match:
    """How predicted replies match, beyond style.

    Args:
        own: Similarity of the prediction for prompt i (rows) to the model's own reply to prompt j (columns), in each
            epoch: shape (epochs, items, items). nan where there is none.
        others: The same with the replies of each other model: shape (others, epochs, items, items).
    """
    with np.errstate(invalid="ignore"):
        in_epochs = np.round(own - others, ROUNDING)
        ahead, won = _mean_of_epochs(in_epochs), _mean_of_epochs((np.sign(in_epochs) + 1) / 2)
    here, elsewhere = _by_pair(won)
    known = np.isfinite(here - elsewhere)
    same, style = (_mean_of_items(np.where(known, part, np.nan)) for part in (here, elsewhere))
    return Match(same, style, _less_style(won), _less_style(ahead), int(known.any(0).sum()))


def _mean_of_epochs(values: Array) -> Array:
    known = ~np.isnan(values)
    return _ratio(np.where(known, values, 0).sum(1), known.sum(1))


def _by_pair(values: Array) -> tuple[Array, Array]:
    """For each other model and prompt the value of the reply to that prompt, and the mean of those to the other
    prompts: both of shape (others, items).
    """
    here = np.diagonal(values, axis1=1, axis2=2)
    sums, counts = _sums_elsewhere(values)
    return here, _ratio(sums, counts)


def _sums_elsewhere(values: Array) -> tuple[Array, Array]:
    """The sum of what is known of replies to the other prompts, and of how many it is."""
    known, here = ~np.isnan(values), np.diagonal(values, axis1=1, axis2=2)
    sums = np.where(known, values, 0).sum(2) - np.nan_to_num(here)
    return sums, known.sum(2) - ~np.isnan(here)


def _less_style(values: Array) -> Estimate:
    """The mean over prompts of a value for the same prompt less that for the other prompts, with its interval: a reply
    is part of its own prompt and of the style of all others, so that the jackknife leaves a prompt out in both (Tukey
    1958). Where style decides nearly everything, what is left is rare, and the jackknife's error too small; so it is
    never less than the error by chance. Student's t.
    """
    here, (sums, counts) = np.diagonal(values, axis1=1, axis2=2), _sums_elsewhere(values)
    difference = here - _ratio(sums, counts)
    asked = np.flatnonzero(np.isfinite(difference).any(0))
    if len(asked) < LEAST_ITEMS:
        return Estimate(math.nan, reason=f"it takes {LEAST_ITEMS} prompts with predicted and actual replies")
    without = []
    for item in asked:
        gone = values[:, :, item]
        left = here - _ratio(sums - np.nan_to_num(gone), counts - ~np.isnan(gone))
        without.append(_mean_of_items(np.delete(left, item, axis=1)))
    spread = np.array(without) - np.mean(without)
    jackknifed = math.sqrt((len(asked) - 1) / len(asked) * float((spread**2).sum()))
    error = max(jackknifed, _error_by_chance(values[:, asked][:, :, asked]))
    value = _mean_of_items(difference)
    if not error > NO_SPREAD:
        return Estimate(value, NONE, error, reason="no interval, since all prompts come out alike")
    return Estimate(value, student(value, error, len(asked)).within(-1, 1), error)


def _error_by_chance(values: Array) -> float:
    """The standard error if it were by chance which reply belongs to which prompt: exact over all permutations
    (Hoeffding 1951, A combinatorial central limit theorem, theorem 2). What is not known is taken to be as usual for
    its prompt.
    """
    known = ~np.isnan(values)
    table = _ratio(np.where(known, values, 0).sum(0), known.sum(0))
    items = len(table)
    rows = _ratio(np.nansum(table, 1), (~np.isnan(table)).sum(1))
    table = np.where(np.isnan(table), rows[:, None], table)
    apart = table - table.mean(1, keepdims=True) - table.mean(0, keepdims=True) + table.mean()
    of_the_mean = float((apart**2).sum()) / (items - 1) / items**2
    return items / (items - 1) * math.sqrt(of_the_mean)


def _ratio(sums: Array, counts: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, sums / counts, np.nan)


def _mean_of_items(values: Array) -> float:
    """The mean over prompts of the mean over other models; nan where nothing is known."""
    known = np.isfinite(values)
    by_item = _ratio(np.where(known, values, 0).sum(0), known.sum(0))
    known_items = by_item[np.isfinite(by_item)]
    return float(known_items.mean()) if len(known_items) else math.nan
