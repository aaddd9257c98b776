"""What is asked, and what is claimed of it."""

import hashlib
import re
from collections import Counter
from string import Template

import pytest
from annie import ANNIE, EXPERIMENT, HAD, REPLY, SAID, read

from selfexec.experiments import EXPERIMENTS, Readings
from selfexec.extensions.simulating.experiment import PROMPTS, VARIANTS, SimulatedPrompt
from selfexec.extensions.simulating.properties import PROPERTIES, Asked
from selfexec.items import STARTER, load
from selfexec.items.check import check
from selfexec.items.origins import origin
from selfexec.readers import Reading

# A changed word changes the instrument: change the hash with it, and say so in the changelog.
PROMPT_HASHES = {
    "predict": "94d6c26c19cae2d7",
    "execute": "65bca533ae6751e7",
    "predict@frame": "2febf31f9c939cf8",
    "predict@predicts": "8f13884973803e97",
    "predict@predicts,frame": "a68a0393635d168b",
}


def observed(predict: Reading, execute: Reading | None = None) -> dict[str, tuple[object, ...]]:
    readings: Readings = {"predict": predict, **({"execute.1": execute} if execute else {})}
    return {o.claim: (o.predicted, o.observed, o.state, o.reason) for o in EXPERIMENT.observe(ANNIE, readings)}


def test_the_exact_prompts_are_pinned() -> None:
    found = {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in {**PROMPTS, **VARIANTS}.items()}
    assert found == PROMPT_HASHES


def test_the_prompt_asks_for_each_property_and_does_not_show_the_value_that_is_claimed() -> None:
    shown = Template(PROMPTS["predict"]).substitute(EXPERIMENT.filled_in(ANNIE))
    assert "If someone were to execute you with the following prompt" in shown
    assert ANNIE.prompt in shown and "longer than 25 words" in shown and '"cats", "dogs"' in shown
    assert all(f"- {name}: " in shown and f'"{name}": ' in shown for name in ANNIE.properties.by_name())
    assert "hello" not in shown.lower() and "7" not in shown


def test_the_prompt_is_executed_alone_and_twice() -> None:
    asked = []

    async def ask(session: str, prompt: str) -> None:
        asked.append((session, prompt))

    from selfexec.engines import run_coroutine

    run_coroutine(EXPERIMENT.sessions(ANNIE, ask, PROMPTS))
    assert [session for session, _ in asked] == ["predict", "execute.1", "execute.2"]
    assert asked[1][1] == asked[2][1] == ANNIE.prompt


def test_a_reply_has_the_values_that_rules_find() -> None:
    assert EXPERIMENT.read(ANNIE, "execute.1", REPLY).value == HAD


def test_each_property_is_a_claim_that_a_value_comes_true() -> None:
    # it says that it would pick dogs, and picks cats, which the claim is about; the number 7 comes in neither
    assert observed(read(SAID), read(HAD)) == {
        "first_word": (True, True, "read", None),
        "question": (True, True, "read", None),
        "longer": (False, False, "read", None),
        "names": (True, True, "read", None),
        "picks": (False, True, "read", None),
        "number": (False, False, "read", None),
    }


def test_a_property_without_a_value_is_unreadable_and_the_others_count() -> None:
    claims = observed(read({**SAID, "picks": None}), read({**HAD, "number": None}))
    assert claims["picks"] == (None, True, "unreadable", "format")
    assert claims["number"] == (False, None, "unreadable", "format")
    assert claims["question"] == (True, True, "read", None)


def test_a_withheld_reply_declines_and_nothing_else_is_known_of_it() -> None:
    item = SimulatedPrompt(id="a", prompt="?", topic="", properties=Asked(refuses=True, question=True))
    said = read({"refuses": False, "question": True})
    refuses, question = sorted(
        EXPERIMENT.observe(item, {"predict": said, "execute.1": Reading("withheld", reason="provider")}),
        key=lambda claim: claim.claim != "refuses",
    )
    assert (refuses.predicted, refuses.observed, refuses.state) == (False, True, "read")
    assert (question.observed, question.state, question.reason) == (None, "unreadable", "withheld")


def test_claims_without_readings_are_missing_and_have_the_same_names() -> None:
    claims = EXPERIMENT.observe(ANNIE, {})
    assert [claim.claim for claim in claims] == list(ANNIE.properties.by_name())
    assert {claim.state for claim in claims} == {"missing"}
    assert all(claim.facts.subject == claim.claim for claim in claims)


def test_a_claim_is_said_in_words() -> None:
    claimed = EXPERIMENT.words.claimed
    assert claimed is not None
    assert claimed(ANNIE, "first_word", True) == "its reply would begin with “Hello”"
    assert claimed(ANNIE, "picks", False) == "its reply would not pick “cats” rather than “dogs”"
    assert claimed(ANNIE, "longer", True) == "its reply would be longer than 25 words"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Asked(), "it asks for no property"),
        (Asked(first_word="hello", second_character="e"), "the second character follows"),
        (Asked(longer=5, question=True), "longer than 5 words"),
        (Asked(first_word="hello there", question=True), "no value that a reply can have"),
        (Asked(colour="mauve", question=True), "no value that a reply can have"),
        (Asked(language="Klingon", question=True), "no value that a reply can have"),
        (Asked(names="Bob", question=True), "the user is not called Bob"),
    ],
)
def test_what_is_seldom_meant_is_said(asked: Asked, said: str) -> None:
    item = SimulatedPrompt(id="a", prompt="Hi", topic="", properties=asked)
    [oddity] = EXPERIMENT.oddities(item)
    assert said in oddity


# --- the items that ship ---------------------------------------------------------------------------------------------


def test_sixty_prompts_or_more_ship_and_are_without_a_fault() -> None:
    items = load("starter")[EXPERIMENT.name]
    assert len(items) >= 60
    assert [fault for fault in check("starter") if "self_simulation" in fault.place] == []
    claims = Counter(name for item in items.values() for name in item.properties.by_name())  # type: ignore[attr-defined]
    assert claims.keys() == PROPERTIES.keys() and min(claims.values()) >= 10


def test_prompts_of_a_family_differ_in_a_name_alone() -> None:
    families: dict[str, set[str]] = {}
    for item in load("starter")[EXPERIMENT.name].values():
        if item.family:  # type: ignore[attr-defined]
            name = item.properties.names  # type: ignore[attr-defined]
            families.setdefault(item.family, set()).add(item.prompt.replace(name, "NAME"))  # type: ignore[attr-defined]
    assert len(families) == 8 and all(len(prompts) == 1 for prompts in families.values())


def test_they_are_part_of_the_starter_set_and_asked_for_by_name_alone() -> None:
    starter = load("starter")
    assert EXPERIMENT.name not in starter.usual and not (STARTER / "self_simulation.jsonl").exists()
    assert origin(EXPERIMENT.name, starter.cut([EXPERIMENT.name])).of(82) == "the set starter, all 82 items"
    assert origin(EXPERIMENT.name, starter).licence.startswith("written for selfexec, CC-BY-4.0")
    card = EXPERIMENTS[EXPERIMENT.name].starter.with_name("README.md")  # type: ignore[union-attr]
    [link] = re.findall(r"\[LICENSE\]\((.*?)\)", card.read_text("utf-8"))  # of both: a wheel has nothing twice
    assert (card.parent / link).read_text() == (STARTER / "LICENSE").read_text()
