"""Long texts that other prompts of a model got as well are named; set answers and refusals are not."""

from typing import Any

from selfexec.runs.copied_texts import copied_texts, joined_texts
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run

LONG = (
    "It is about the {} and what lies behind it, which is more than one would think when one first hears of it at all."
)


def reply(item: str, text: str, session: str = "execute", **fields: Any) -> Reply:
    of = {"experiment": "restriction", **fields}
    return Reply(model="m", item=item, session=session, text=text, **of)


def copies(text: str, items: str, **fields: Any) -> list[Reply]:
    return [reply(item, text, **fields) for item in items]


REST = [reply(f"rest-{n}", LONG.format(n)) for n in range(9)]


def test_one_text_to_three_prompts_or_two_to_two_each_are_copies() -> None:
    one, two = LONG.format("river"), LONG.format("lantern")
    assert copied_texts([*REST, *copies(one, "abc")]) == copies(one, "abc")
    assert copied_texts([*REST, *copies(one, "ab"), *copies(two, "cd")]) == [*copies(one, "ab"), *copies(two, "cd")]
    assert copied_texts([*REST, *copies(one, "ab")]) == copied_texts([*REST, *copies(one, "aaa")]) == []


def test_lists_of_words_that_were_asked_for_are_copies_where_they_are_shorter() -> None:
    words = '{"words": ["river", "harbour", "lantern", "copper", "velvet"]}'
    kind = {"experiment": "association", "session": "execute"}
    assert copied_texts([*REST, *copies(words, "abc", **kind)]) == copies(words, "abc", **kind)
    assert copied_texts([*REST, *copies(words, "ab", **kind)]) == []
    assert copied_texts([*REST, *copies(words[:30], "abc", **kind)]) == []
    # options may be the same
    assert copied_texts([*REST, *copies(words, "abc", experiment="association", session="predict")]) == []


def test_short_texts_refusals_one_prompt_letters_and_orders_may_be_the_same() -> None:
    refusal = f"I'm sorry, but I can't help with that. {LONG}"
    for same in (
        copies("A river runs through it, and a lantern hangs over it.", "abcd"),
        copies(refusal, "abcd"),
        copies(LONG, "abcd", prompt_sha256="5f0c"),
        copies(LONG, "abcd", session="judge"),
        copies(LONG, "abcd", experiment="difficulty", session="predict"),
    ):
        assert copied_texts([*REST, *same]) == []


def test_letters_in_the_same_words_are_copies_where_the_prompts_were_counted_the_same_and_are_not() -> None:
    def of(lengths: tuple[int, int], text: str) -> list[Reply]:
        return [reply(f"{n}{text}", text, "judge", input_tokens=90, prompt_bytes=n) for n in lengths]

    one, two = LONG.format("river"), LONG.format("lantern")
    assert len(copied_texts([*REST, *of((400, 500), one), *of((300, 360), two)])) == 4
    assert copied_texts([*REST, *of((400, 500), one)]) == of((400, 500), one)
    assert copied_texts([*REST, *of((400, 410), one), *of((300, 310), two)]) == []


def test_texts_that_begin_with_anothers_whole_text_are_named() -> None:
    joined = [reply(f"j{n}", f"{LONG.format(n)}{LONG.format(f'{n}0')}") for n in range(3)]
    assert joined_texts([*REST, *joined]) == joined
    assert joined_texts([*REST, joined[0]]) == joined_texts(REST) == []
    behind = [reply(f"b{n}", f"{n} of them are known. {LONG.format(n)}") for n in range(3)]
    assert joined_texts([*REST, *behind]) == behind
    letters = [reply(f"a{n}", f'{LONG.format(n)}\n{{"choice": "A"}}', "judge") for n in range(3)]
    both = [reply(f"c{n}", f"{letters[n - 1].text}{letters[n].text}", "judge") for n in range(3)]
    assert {one.item for one in joined_texts([*letters, *both])} == {one.item for one in both}
    assert joined_texts([*letters, *(reply(f"d{n}", f"Well. {letters[n].text}", "judge") for n in range(3))]) == []
    same = [reply(f"rest-{n}", f"{LONG.format(n)} Indeed.", "predict") for n in range(3)]
    assert joined_texts([*REST, *same]) == []  # of one item


def test_texts_that_begin_with_the_end_of_another_are_named() -> None:
    left = [
        reply(f"l{n}", f"which is more than one would think when one first hears of it at all.{LONG.format(n)}")
        for n in "ab"
    ]
    assert joined_texts([*REST, *left]) == left
    assert joined_texts([*REST, left[0]]) == []
    own = [reply(f"rest-{n}", (left[0].text or "").replace("at all.", f"at all. {n}"), "predict") for n in range(9)]
    small = [reply(f"s{n}", f"what i would say about {n} {LONG.lower()}") for n in range(9)]
    assert joined_texts([*REST, *small]) == []
    assert joined_texts([*REST[:1], *own[:1]]) == []  # of one item


def test_of_ten_recorded_models_no_text_is_a_copy(ten_models: Run) -> None:
    for model in ten_models.models:
        own = [reply for reply in ten_models.replies.values() if reply.model == model]
        assert copied_texts(own) == joined_texts(own) == []
