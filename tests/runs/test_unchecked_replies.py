"""The replies on a connection of which nothing is known yet, as the ledger holds them."""

from selfexec.runs.journal_writer import Unchecked


def test_replies_that_a_check_is_about_are_taken_out_by_their_calls_and_the_others_stay() -> None:
    unchecked = Unchecked()
    for call, position in ((2, 0), (3, 700), (5, 2**33), (4, 900)):  # a reply may be held back; journals may be long
        unchecked.append(call, position)
    assert unchecked.take(3, 4) == [700, 900]
    assert unchecked and unchecked.take(1, 9) == [0, 2**33]
    assert not unchecked and unchecked.take(1, 9) == []
