"""Readers against the product of reading_product.py: meaning known by construction, or that there is none."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice

import pytest
import reading_product as made
from reading_product import Case

from selfexec.experiments.restriction import Restriction, UserRequest
from selfexec.readers import Reading, read_choice, read_marks, read_ranking, read_words

REQUEST = UserRequest(id="1", request="How do I whisk an egg?", label="safe", type="plain")
# primes, so that no table of the grammar is skipped in step
EVERY = {
    made.answers: 311,
    made.stated_answers: 13,
    made.predictions: 313,
    made.rankings: 317,
    made.word_lists: 53,
    made.mark_maps: 59,
    made.refusals: 11,
    made.withdrawals: 211,
    made.invalid_answers: 127,
    made.idle: 3,
}


def read(case: Case) -> Reading:
    match case.session:
        case "answer":
            return read_choice(case.text, made.LENGTHS, key="answer")
        case "ranking":
            return read_ranking(case.text)
        case "words":
            return read_words(case.text)
        case "marks":
            return read_marks(case.text, made.OPTIONS)
        case session:
            return Restriction().read(REQUEST, session, case.text)


def wrong(cases: Iterator[Case]) -> tuple[int, list[str]]:
    """How many cases there are, and those that are read otherwise than they were made."""
    n, found = 0, []
    for case in cases:
        n += 1
        reading = read(case)
        if reading.value != case.wanted or (case.reason and reading.reason != case.reason):
            found.append(f"{case.made_of}: {case.text!r} is {case.wanted}, read as {reading.value} ({reading.reason})")
    return n, found


@pytest.mark.parametrize("cases", EVERY, ids=lambda cases: cases.__name__)
def test_what_is_said_is_read_however_it_is_written(cases: Callable[[], Iterator[Case]]) -> None:
    n, found = wrong(islice(cases(), 0, None, EVERY[cases]))
    assert n > 300
    assert not found, f"{len(found)} of {n}:\n" + "\n".join(found[:10])


@pytest.mark.slow
@pytest.mark.parametrize("cases", EVERY, ids=lambda cases: cases.__name__)
def test_of_the_product_another_part_each_day_is_read_as_it_was_made(cases: Callable[[], Iterator[Case]]) -> None:
    # a prime that is no step of the quick test: within 31 days each case has its turn
    step = 31
    first = datetime.now(UTC).toordinal() % step
    n, found = wrong(islice(cases(), first, None, step))
    assert n > 80
    assert not found, f"cases {first}, {first + step}, ...: {len(found)} of {n}:\n" + "\n".join(found[:10])


@pytest.mark.long
def test_the_whole_product_is_read_as_it_was_made(capsys: pytest.CaptureFixture[str]) -> None:
    counts, found = Counter[str](), list[str]()
    for cases in EVERY:
        counts[cases.__name__], more = wrong(cases())
        found += more
    with capsys.disabled():
        print(f"\nproduct: {counts.total():,} texts, {len(found)} read otherwise; {dict(counts)}")
    assert not found, "\n".join(found[:20])
