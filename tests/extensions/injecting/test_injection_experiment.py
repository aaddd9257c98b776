"""What is asked, and what is claimed of it."""

import hashlib
import re
from collections import Counter
from string import Template
from typing import Any

import msgspec
import pytest
from flag import EXPERIMENT, FLAG, HERE, LOST, RIGHT, Said, contents, play, readings, states, tokens

from selfexec.experiments import Injection
from selfexec.extensions.injecting.experiment import NOT_ASKED, NOT_RIGHT, PROMPTS, VARIANTS, injected, seed_of
from selfexec.extensions.injecting.tasks import Task, foreign_words
from selfexec.items import STARTER, load
from selfexec.items.check import check
from selfexec.items.origins import origin

# A changed word changes the instrument: change the hash with it, and say so in the changelog.
PROMPT_HASHES = {
    "execute": "2b9a2b840c01d14d",
    "predict": "034e709d52986ebe",
    "notice": "c7918319d7c1fd54",
    "predict@frame": "6724fe4ba0520e57",
}
YES, NO = '{"choice": "A"}', '{"choice": "B"}'


def test_the_exact_prompts_are_pinned() -> None:
    found = {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in {**PROMPTS, **VARIANTS}.items()}
    assert found == PROMPT_HASHES


# --- sessions: over prefill ------------------------------------------------------------------------------------------


def test_with_prefill_alone_random_words_stand_behind_the_beginning_of_its_own_reply() -> None:
    asked = play(FLAG)
    one, *four = foreign_words(FLAG, 4)
    assert asked.prompts["execute"] == FLAG.prompt
    begun = {name: contents(asked.prompts[f"execute.{name}"]) for name in ("none", "random.1", "random.4")}
    assert begun["none"] == [("user", FLAG.prompt), ("assistant", RIGHT[:HERE])]
    assert begun["random.1"][-1] == ("assistant", f"{RIGHT[:HERE]} {one}")
    assert begun["random.4"][-1] == ("assistant", f"{RIGHT[:HERE]} {' '.join([one, *four])}")
    assert not any(asked.injections.values())


def test_what_the_engine_cannot_do_is_not_asked() -> None:
    kinds = Counter(session.split(".")[1] for session in play(FLAG).prompts if "." in session)
    # execute, predict and notice at two doses; the sham and its notice; the question at two doses
    assert kinds == {"random": 6, "none": 2, "question": 2}


def test_the_second_likeliest_token_is_put_in_where_log_probabilities_came_and_one_alone() -> None:
    asked = play(FLAG, undisturbed=Said(RIGHT, logprobs=tokens(" black")))
    assert contents(asked.prompts["execute.second.1"])[-1] == ("assistant", f"{RIGHT[:HERE]} black")
    assert "predict.second.1" in asked.prompts and "execute.second.4" not in asked.prompts


@pytest.mark.parametrize("second", [None, " "], ids=["no other", "a blank"])
def test_no_token_is_put_in_where_there_is_no_second(second: str | None) -> None:
    asked = play(FLAG, undisturbed=Said(RIGHT, logprobs=tokens(second)))
    assert not any("second" in session for session in asked.prompts)


def test_a_reply_that_is_not_right_is_not_gone_on_with() -> None:
    assert list(play(FLAG, undisturbed=Said("They are red, white and blue.")).prompts) == ["execute"]
    assert list(play(FLAG, undisturbed=Said(None)).prompts) == ["execute"]


def test_who_notices_is_shown_the_whole_disturbed_reply_and_nothing_of_what_was_put_in() -> None:
    asked = play(FLAG, replies={"execute.random.1": Said(" white and red, I think.")})
    word = foreign_words(FLAG, 1)[0]
    task, reply, question = contents(asked.prompts["notice.random.1"])
    assert task == ("user", FLAG.prompt)
    assert reply == ("assistant", f"They are blue, {word} white and red, I think.")
    assert question == ("user", PROMPTS["notice"]) and word not in PROMPTS["notice"]
    assert contents(asked.prompts["notice.none"])[1] == ("assistant", RIGHT)


def test_a_lost_disturbed_reply_is_not_shown() -> None:
    asked = play(FLAG, replies={"execute.random.1": Said(None)})
    assert "notice.random.1" not in asked.prompts and "notice.random.4" in asked.prompts


def test_the_words_stand_in_the_question_too() -> None:
    word = foreign_words(FLAG, 1)[0]
    assert play(FLAG).prompts["execute.question.1"] == f"Which colours has {word} the flag of France?"


def test_a_prediction_shows_the_task_and_what_is_put_in_and_not_which_words() -> None:
    asked = play(FLAG, "forced_tokens")
    for kind, dose in (("random", 4), ("second", 1), ("least", 4)):
        prompt = asked.prompts[f"predict.{kind}.{dose}"]
        assert isinstance(prompt, str) and FLAG.prompt in prompt and injected(kind, dose) in prompt
        assert not any(word in prompt for word in foreign_words(FLAG, 16))
    assert "4 random words" in injected("random", 4) and "a random word" in injected("random", 1)


# --- sessions: with forced tokens ------------------------------------------------------------------------------------


def test_where_tokens_are_forced_each_kind_and_dose_is_an_injection_into_the_same_prompt() -> None:
    asked = play(FLAG, "forced_tokens", undisturbed=Said(RIGHT, logprobs=tokens()))
    seed = seed_of(FLAG)
    assert {name: one for name, one in asked.injections.items() if one} == {
        "execute.none": Injection("none", 0, 3, seed),
        **{
            f"execute.{kind}.{dose}": Injection(kind, dose, 3, seed)  # type: ignore[arg-type]
            for kind in ("random", "second", "least")
            for dose in (1, 4)
        },
    }
    assert all(asked.prompts[name] == FLAG.prompt for name, one in asked.injections.items() if one)


def test_where_tokens_are_not_known_words_are_counted_which_are_no_more() -> None:
    asked = play(FLAG, "forced_tokens")
    assert asked.injections["execute.none"] == Injection("none", 0, 3, seed_of(FLAG))  # They are blue,


# --- readings and claims ---------------------------------------------------------------------------------------------


def test_an_undisturbed_reply_is_read_as_its_parts_and_what_stands_before() -> None:
    found = readings(execute=RIGHT, execute__none=" white and red.")
    assert found["execute"].value == {"parts": [0, 1, 2], "before": [0]}
    assert found["execute.none"].value == {"parts": [1, 2]}


def test_it_recovers_with_four_fifths_of_what_was_to_come() -> None:
    common: Any = {"execute": RIGHT, "predict__random__1": YES, "predict__random__4": YES}
    found = readings(**common, execute__random__1=" white and red.", execute__random__4=" and red.")
    assert states(found)["random.1"] == (True, True, "read", None)
    assert states(found)["random.4"] == (True, False, "read", None)  # one of two: half


def test_parts_that_were_given_before_do_not_count() -> None:
    found = readings(execute=RIGHT, predict__random__1=NO, execute__random__1=" blue blue blue.")
    assert states(found)["random.1"] == (False, False, "read", None)


def test_an_item_whose_undisturbed_reply_is_wrong_is_no_claim() -> None:
    found = readings(execute="They are red.", predict__random__1=YES, execute__random__1=" white and red.")
    assert {*states(found).values()} == {(None, None, "tie", NOT_RIGHT)}


def test_kinds_that_were_not_asked_are_no_claims() -> None:
    found = states(readings(execute=RIGHT, predict__random__1=YES, execute__random__1=" white and red."))
    assert found["least.4"] == (None, None, "tie", NOT_ASKED)
    assert found["random.1"][2] == "read"


def test_a_lost_session_leaves_its_claim_missing_and_an_unreadable_prediction_is_unreadable() -> None:
    found = readings(execute=RIGHT, predict__random__1="Perhaps.", execute__random__1=" white and red.")
    assert states(found)["random.1"] == (None, True, "unreadable", "format")
    assert states({**found, "execute.random.1": LOST})["random.1"][2] == "missing"
    assert {state for _, _, state, _ in states({}).values()} == {"missing"}


def test_idle_sessions_are_those_that_were_not_asked() -> None:
    every = set(EXPERIMENT.session_names(FLAG))
    wrong = EXPERIMENT.idle(readings(execute="They are red."))
    assert every - {*wrong} == {"execute"}
    some = EXPERIMENT.idle(readings(execute=RIGHT, predict__random__1=YES, predict__random__4=YES))
    assert {name.split(".")[1] for name in every & {*some}} == {"second", "least"}
    assert EXPERIMENT.idle({}) == ()


def test_the_words_that_are_named_are_read_and_none_is_a_value() -> None:
    assert EXPERIMENT.read(FLAG, "notice.none", 'Sure. {"words": []}').value == []
    assert EXPERIMENT.read(FLAG, "notice.none", '{"words": ["ribbon", "is"]}').value == ["ribbon", "is"]
    for text in ("None.", '{"words": "ribbon"}', '{"words": [1]}'):
        assert EXPERIMENT.read(FLAG, "notice.none", text).state == "unreadable"


def test_a_prediction_that_does_the_task_is_no_prediction() -> None:
    found = EXPERIMENT.read(FLAG, "predict.random.1", RIGHT)
    assert EXPERIMENT.performed(FLAG, "predict.random.1", RIGHT, found)
    assert not EXPERIMENT.performed(FLAG, "predict.random.1", "Perhaps.", EXPERIMENT.read(FLAG, "predict", "Perhaps."))


@pytest.mark.parametrize(
    ("session", "value", "read"),
    [
        ("predict.random.1", "a", "A"),
        ("predict.random.1", "C", None),
        ("notice.none", ["x"], ["x"]),
        ("notice.none", "x", None),
        ("execute.none", {"parts": [1]}, {"parts": [1]}),
        ("execute.none", {"parts": [7]}, None),
        ("execute", {"parts": [0, 1, 2], "before": [0]}, {"parts": [0, 1, 2], "before": [0]}),
        ("execute", {"parts": [2]}, {"parts": [2], "before": None}),
    ],
)
def test_readings_made_elsewhere_have_the_form_of_ours(session: str, value: Any, read: Any) -> None:
    assert EXPERIMENT.given(FLAG, session, value) == read


def test_claims_are_said_in_words() -> None:
    claimed = EXPERIMENT.words.claimed
    assert claimed is not None
    assert claimed(FLAG, "random.4", True) == "it would finish the task rightly with 4 random words in its reply"
    assert (
        claimed(FLAG, "least.1", False) == "it would not finish the task rightly with 1 least likely token in its reply"
    )


# --- items -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"parts": ("blue", "Blue")}, "the part 'Blue' occurs twice"),
        ({"doses": (1, 1)}, "a dose occurs twice"),
    ],
)
def test_what_is_seldom_meant_is_said(changed: Any, said: str) -> None:
    [oddity] = EXPERIMENT.oddities(msgspec.structs.replace(FLAG, **changed))
    assert said.casefold() in oddity.casefold()


def test_sixty_tasks_or_more_of_four_kinds_ship_and_are_without_a_fault() -> None:
    items: list[Any] = [*load("starter")[EXPERIMENT.name].values()]
    assert Counter(item.kind for item in items) == dict.fromkeys(("copying", "capitals", "counting", "sorting"), 16)
    assert [fault for fault in check("starter") if EXPERIMENT.name in fault.place] == []


def test_the_right_answers_follow_from_the_tasks() -> None:
    for item in load("starter")[EXPERIMENT.name].values():
        assert isinstance(item, Task)
        listed = re.split(r", ", item.prompt.rpartition(": ")[2].rstrip("."))
        numbers = [int(number) for number in re.findall(r"\d+", item.prompt)]
        if item.kind == "copying":
            assert list(item.parts) == listed
        elif item.kind == "sorting":
            assert list(item.parts) == sorted(listed, key=lambda word: int(word) if word.isdecimal() else word)
        elif item.kind == "counting":
            first, step, many, _ = numbers
            step = -step if "down" in item.prompt else step
            assert list(item.parts) == [str(first + n * step) for n in range(many)]


def test_they_are_part_of_the_starter_set_and_asked_for_by_name_alone() -> None:
    starter = load("starter")
    assert EXPERIMENT.name not in starter.usual and not (STARTER / "token_injection.jsonl").exists()
    assert origin(EXPERIMENT.name, starter.cut([EXPERIMENT.name])).of(64) == "the set starter, all 64 items"
    assert origin(EXPERIMENT.name, starter).licence.startswith("written for selfexec, CC-BY-4.0")


def test_prompts_are_filled_in_whole() -> None:
    shown = Template(PROMPTS["predict"]).substitute(task=FLAG.prompt, injected=injected("random", 1))
    assert "$" not in shown and "Do not do the task now" in shown
