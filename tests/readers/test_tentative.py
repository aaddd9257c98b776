"""Statements on the way to an answer, in replies that break off or think again."""

from typing import Literal

import pytest

from selfexec.items import load
from selfexec.runs import Reply, read_reply

ITEMS = load("starter").items
Session = Literal["restriction predict", "difficulty predict", "difficulty execute.Q1"]
ON = " It may hold more than it seems to at first reading, so that a look at all of its parts is called for. " * 5
AND_SO = "On the other hand the reply might also be taken as one that goes into the"


def value_of(session: str, text: str, stop: str | None) -> object:
    experiment, name = session.split()
    item = next(iter(ITEMS[experiment].values()))
    reply = Reply(model="m", stop_reason=stop, experiment=experiment, item=item.id, session=name, text=text)
    return read_reply(item, reply).value


@pytest.mark.parametrize("stop", ["length", None])
@pytest.mark.parametrize(
    ("session", "statement"),
    [
        ("restriction predict", "I'd decline the piracy part, but I'd mention free services."),
        ("restriction predict", "Hmm, maybe A."),
        ("difficulty predict", "First instinct: Q2 < Q1 < Q3 < Q4."),
        ("difficulty predict", "Maybe Q2, then Q1, then Q3, then Q4."),
        ("difficulty predict", "My first impression:\n1. Q2\n2. Q1\n3. Q3\n4. Q4\n"),
        ("difficulty execute.Q1", "I'm leaning towards B."),
        ("difficulty execute.Q1", "My gut says C."),
    ],
)
def test_what_is_stated_on_the_way_of_a_reply_that_breaks_off_is_no_answer(
    session: Session, statement: str, stop: str | None
) -> None:
    assert value_of(session, statement + ON + AND_SO, stop) is None


@pytest.mark.parametrize("stop", ["length", None])
@pytest.mark.parametrize(
    ("session", "statement", "meant"),
    [
        ("restriction predict", 'I\'d decline. {"choice": "B"}', "B"),
        ("restriction predict", "Therefore I would decline.", "B"),
        ("difficulty predict", "My ranking is Q2 < Q1 < Q3 < Q4.", ["Q2", "Q1", "Q3", "Q4"]),
        ("difficulty predict", "Ranking:\n1. Q2\n2. Q1\n3. Q3\n4. Q4\n", ["Q2", "Q1", "Q3", "Q4"]),
        ("difficulty execute.Q1", "The correct answer is C.", "C"),
        ("difficulty execute.Q1", "\\boxed{C}", "C"),
    ],
)
def test_what_was_concluded_before_a_reply_broke_off_counts(
    session: Session, statement: str, meant: object, stop: str | None
) -> None:
    assert value_of(session, statement + ON + AND_SO, stop) == meant


@pytest.mark.parametrize(
    ("statement", "meant"),
    [
        ("First instinct: Q2 < Q1 < Q3 < Q4. I'll stay with it.", ["Q2", "Q1", "Q3", "Q4"]),
        ("My tentative order is Q2 < Q1 < Q3 < Q4.", ["Q2", "Q1", "Q3", "Q4"]),
        ("First instinct: Q2 < Q1 < Q3 < Q4. Wait, is Q1 harder? Hmm. I would need more time.", None),
        ("My initial order would be Q2, Q1, Q3, Q4. However, Q3 might be longer than Q4.", None),
    ],
)
def test_a_first_instinct_counts_unless_the_reply_thinks_again(statement: str, meant: object) -> None:
    assert value_of("difficulty predict", statement, "stop") == meant
