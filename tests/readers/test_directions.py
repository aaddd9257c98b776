"""Orders that run from hard to easy, wherever that is said."""

import pytest

from selfexec.readers import read_ranking

LAYOUTS = {
    "commas": "Q2, Q1, Q4, Q3",
    "greater": "Q2 > Q1 > Q4 > Q3",
    "arrows": "Q2 → Q1 → Q4 → Q3",
    "numbered": "\n1. Q2\n2. Q1\n3. Q4\n4. Q3",
    "remarks": "\n\n1. **Q2** – a proof\n2. **Q1** – a sum\n3. **Q4** – a date\n4. **Q3** – a name\n",
    "bullets": "\n- Q2\n- Q1\n- Q4\n- Q3",
    "object": '{"ranking": ["Q2", "Q1", "Q4", "Q3"]}',
    "fenced": '\n\n```json\n{"ranking": ["Q2", "Q1", "Q4", "Q3"]}\n```',
    "other key": '{"order": ["Q2", "Q1", "Q4", "Q3"]}',
    "brackets": '["Q2", "Q1", "Q4", "Q3"]',
    "words": "Q2, then Q1, then Q4, and finally Q3",
}
WRITTEN = ["Q2", "Q1", "Q4", "Q3"]
TURNED = WRITTEN[::-1]
PLACES = (
    "{way} I would say: {order}",
    "I would say, {way}: {order}",
    "My ranking {way} is: {order}",
    "Ranking them {way} would give: {order}",
    "My order, {way}, would be {order}",
    "If I had to rank them {way}, so: {order}",
    "I list them {way}. Here is the result: {order}",
    "{order} ({way})",
    "My order is {order}, {way}.",
    "Here is the order: {order}. This is {way}.",
)
DOWN = (
    "from hardest to easiest",
    "in descending order of difficulty",
    "hardest first",
    "starting with the one that takes the most tokens",
    "most tokens first",
    "with the hardest at the top",
    "vom schwersten zum leichtesten",
    "in absteigender Reihenfolge der Schwierigkeit",
    "de la más difícil a la más fácil",
    "de más a menos tokens",
    "du plus difficile au plus facile",
    "en commençant par la plus difficile",
    "从最难到最容易",
    "按难度从高到低",
    "من الأصعب إلى الأسهل",
    "بدءا من الأصعب",
)
UP = (
    "from easiest to hardest",
    "in ascending order of difficulty",
    "easiest first",
    "vom leichtesten zum schwersten",
    "de la más fácil a la más difícil",
    "du plus facile au plus difficile",
    "从易到难",
    "من الأسهل إلى الأصعب",
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("ways", "meant"), [(DOWN, TURNED), (UP, WRITTEN)], ids=["down", "up"])
def test_no_order_is_reversed_wherever_and_however_its_direction_is_said(
    place: str, ways: tuple[str, ...], meant: list[str]
) -> None:
    values = [
        (way, layout, read_ranking(place.format(way=way, order=order)).value)
        for way in ways
        for layout, order in LAYOUTS.items()
    ]
    assert not [read for read in values if read[2] not in (meant, None)]
    assert sum(value is not None for *_, value in values) >= 0.8 * len(values)


def test_a_chain_whose_signs_contradict_its_direction_is_not_read() -> None:
    assert read_ranking("From hardest to easiest: Q2 < Q1 < Q4 < Q3").value is None
    assert read_ranking("From hardest to easiest: Q2, Q1, Q4, Q3 (easiest first)").value is None


@pytest.mark.parametrize(
    "text",
    [
        "I would normally go from hardest to easiest, but you asked for the opposite: {order}",
        "I could go from hardest to easiest, but here is what was asked for: {order}",
        "I'll go through them from hardest to easiest. Final answer: {order}",
        "{order}\n\nFrom hardest to easiest it would be Q3, Q4, Q1, Q2.",
        "{order} (Q3 is the hardest.)",
        "{order} I put the hardest last.",
        "In descending order of confidence: {order}",
    ],
)
def test_a_direction_of_another_order_turns_nothing(text: str) -> None:
    assert read_ranking(text.format(order=LAYOUTS["object"])).value == WRITTEN


@pytest.mark.parametrize(
    "text",
    [
        "1. Q2 (hardest)\n2. Q1\n3. Q4\n4. Q3 (easiest)",
        "| Rank (1 = hardest) | Question |\n|---|---|\n| 1 | Q2 |\n| 2 | Q1 |\n| 3 | Q4 |\n| 4 | Q3 |",
        "Correcting myself, from hardest to easiest: [Q2, Q1, Q4, Q3]",
        "By difficulty (descending): Q2, Q1, Q4, Q3",
    ],
)
def test_a_list_is_turned_by_the_names_of_its_ends_too(text: str) -> None:
    assert read_ranking(text).value == TURNED
