"""Whatever a reply is made of, its reading is well-formed, the same each time, and quotes words of the reply."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from selfexec.experiments import EXPERIMENTS
from selfexec.items import load

PIECES = (
    *(
        '{"answer": "',
        '{"choice": "A"}',
        '{"ranking": ["Q1", "Q2"',
        '{"words": ["wool", ',
        '"cat": true, ',
        "}",
        "]",
        '"',
    ),
    *(
        "A",
        "B",
        "C",
        "D",
        "Q1",
        "Q2",
        "Q3",
        "Q4",
        ", ",
        " < ",
        " > ",
        "\n",
        "\n\n",
        "```json\n",
        "```",
        "1. ",
        "- ",
        ": ",
    ),
    *(
        "The answer is ",
        "I would not answer ",
        "Actually, no. ",
        "that is wrong.",
        "option ",
        "boxed{",
        "true",
        "false",
        "\\text{",
        "\\{",
        "<li>",
        "</answer>",
        "\n\n> ",
        "&quot;",
        "«",
        "I can't ",
        "so I cannot give one",
        "## Answer\n",
        "| answer | ",
        "답은 ",
        " (20 tokens)",
    ),
    *("if ", "would ", "not ", "Therefore ", "None of the above", "<br>", "\\", "'", "\u2003", "\x00", "é", "İ", "🅰"),
)
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=40).map("".join)
SESSIONS = [
    (name, next(iter(by_id.values())), session)
    for name, by_id in load("starter").items.items()
    for session in EXPERIMENTS[name].session_names(next(iter(by_id.values())))[:3]
    if (name, session) != ("restriction", "execute")
]


def well_formed(experiment: str, session: str, value: Any) -> bool:
    if experiment == "association":
        words = value if session == "execute" else value.keys()
        marks = [] if session == "execute" else value.values()
        return all(isinstance(w, str) and w for w in words) and all(isinstance(m, bool) for m in marks) and bool(words)
    if experiment == "token_injection" and session == "execute":
        return all(isinstance(part, int) for part in [*value["parts"], *(value["before"] or [])])
    if experiment == "self_simulation":
        return all(isinstance(one, bool | str) for one in value.values())
    if experiment == "difficulty" and session == "predict":
        return sorted(value) == ["Q1", "Q2", "Q3", "Q4"]
    return value in (("A", "B") if experiment == "restriction" else ("A", "B", "C", "D"))


@settings(max_examples=examples(400), deadline=None)
@given(TEXTS, st.sampled_from(SESSIONS))
def test_readings_are_well_formed_repeatable_and_quote_the_reply(text: str, asked: tuple[str, Any, str]) -> None:
    experiment, item, session = asked
    reading = EXPERIMENTS[experiment].read(item, session, text)
    assert reading == EXPERIMENTS[experiment].read(item, session, text)
    assert (reading.state == "read") == (reading.value is not None)
    assert (reading.state == "unreadable") == (reading.reason in ("format", "truncated", "declined"))
    if reading.value is not None:
        assert well_formed(experiment, session, reading.value)
    if reading.evidence:
        assert reading.evidence in text


@settings(max_examples=examples(200), deadline=None)
@given(TEXTS, st.sampled_from(SESSIONS), st.integers(0, 400))
def test_any_prefix_of_a_reply_can_be_read(text: str, asked: tuple[str, Any, str], length: int) -> None:
    experiment, item, session = asked
    assert EXPERIMENTS[experiment].read(item, session, text[:length]).state in ("read", "unreadable")
