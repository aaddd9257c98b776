"""What servers say of their replies stands next to the answer, and below what was read."""

import html
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import selfexec as sx
from build import write
from selfexec.analysis.screen import Screen
from selfexec.analysis.warnings import server_notices
from selfexec.cli import root
from selfexec.runs import Reply, Run
from selfexec.runs.server_notices import notices_among, notices_of


def run_with(said: list[dict[str, Any]], folder: Path) -> Run:
    """A run of `acme/m` with what a server said of its replies to requests: of each of three sessions the same."""
    items = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(len(said))]
    (folder / "items").mkdir(parents=True)
    write(folder / "items" / "restriction.jsonl", items)
    replies = [
        {"model": "acme/m", "experiment": "restriction", "item": str(n), "session": session, "text": text, **fields}
        for n, fields in enumerate(said)
        for session, text in (("predict", "A"), ("execute", f"Number {n}."), ("judge", "A"))
    ]
    write(folder / "replies.jsonl", replies)
    return sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")


SAID = [
    ({"served_model": "m-mini"}, "served", "acme/m: 6 of 30 replies came as those of another model: m-mini (6)."),
    ({"prompt_cut": True}, "prompt_cut", "acme/m: for 6 of 30 replies the server counted fewer tokens than the prompt"),
    (
        {"prompt_extended": True},
        "prompt_extended",
        "acme/m: for 6 of 30 replies the server counted far more tokens of the prompt than were sent",
    ),
    ({"age": 1_800}, "age", "acme/m: 6 of 30 replies were made ten minutes or more before they were asked for"),
    (
        {"other_model": "gpt-3.5-turbo (openai-model)"},
        "served",
        "acme/m: 6 of 30 replies came as those of another model: gpt-3.5-turbo (openai-model) (6).",
    ),
    (
        {"form": 2, "form_parts": "field choices; field stub; header hoverfly", "stop_reason": "stop"},
        "unlike",
        "acme/m: 6 of 30 replies are made up differently from the others (only they have field stub, header hoverfly)",
    ),
    (
        {"prompt_bytes": 900, "input_tokens": 1},
        "prompt_counts",
        "acme/m: 6 of 30 replies have a count of prompt tokens that is far from what prompts of their length have",
    ),
    (
        {"contradictions": "turn is above 1, and each session has one turn"},
        "contradictions",
        "acme/m: 6 of 30 replies do not fit their requests, others or themselves: turn is above 1, and each session",
    ),
    ({"age": 90_000}, "age", "acme/m: 6 of 30 replies were made an hour or more before they were asked for"),
]


@pytest.mark.parametrize(("fields", "about", "text"), SAID)
def test_replies_of_which_the_server_says_so_are_counted_next_to_the_answer(
    tmp_path: Path, fields: dict[str, Any], about: str, text: str
) -> None:
    usual = {"form": 1, "form_parts": "field choices", "stop_reason": "stop", "prompt_bytes": 900, "input_tokens": 240}
    run = run_with([{**usual, **fields}] * 2 + [{**usual, "served_model": "m-2026-01-01"}] * 8, tmp_path)
    [found] = server_notices([run])
    assert (found.model, found.about, found.replies) == ("acme/m", about, 6)  # 2 items, 3 sessions each
    assert found.text.startswith(text)
    scores = sx.score(run)
    assert found in scores.warnings
    assert found.text in Screen(scores).table().split("\n\n")[0]
    page = html.unescape(sx.report(run, tmp_path / "page.html").read_text("utf-8"))
    assert found.text.split(". ")[0].removeprefix("acme/m") in page
    shown = CliRunner().invoke(root, ["read", str(run.folder)])
    typed = found.text.replace("selfexec read RUN", f"selfexec read {run.folder}")
    assert text.partition(":")[0] in shown.output and typed in " ".join(shown.output.split())


def test_ages_of_less_than_an_hour_are_a_clocks_where_half_of_the_replies_have_them(tmp_path: Path) -> None:
    short = [{"age": 1_800}] * 5
    assert not list(server_notices([run_with([*short, *[{}] * 5], tmp_path / "half")]))
    assert len(list(server_notices([run_with([*short, *[{}] * 6], tmp_path / "few")]))) == 1


def test_the_model_that_was_asked_by_an_older_or_longer_name_is_no_other(tmp_path: Path) -> None:
    names = ["m", "acme/m", "M-2026-01-01", "m-latest", None]
    assert not list(server_notices([run_with([{"served_model": name} for name in names], tmp_path)]))


def test_several_other_models_are_named_the_most_frequent_first(tmp_path: Path) -> None:
    names = ["a"] * 2 + [f"other-{letter}" for letter in "bcdefgh"]
    [found] = server_notices([run_with([{"served_model": name} for name in names], tmp_path)])
    assert "another model: a (6), other-b (3)" in found.text and "3 more" in found.text


def test_a_reply_that_is_missing_says_nothing(tmp_path: Path) -> None:
    lost = {"served_model": "m-mini", "text": None, "error": "status 500"}
    assert not list(server_notices([run_with([lost, {"served_model": "m"}], tmp_path)]))


def replies_of(model: str, *said: dict[str, Any]) -> list[Reply]:
    """Replies to the two requests and the predictions of a run, each with what a server said of it."""
    sessions = [("predict", "1"), ("execute", "1"), ("predict", "2"), ("execute", "2"), ("execute", "3")]
    return [
        Reply(model=model, experiment="restriction", item=item, session=session, **{"text": f"Text {n}."} | fields)
        for n, ((session, item), fields) in enumerate(zip(sessions, said, strict=False))
    ]


def about(*said: dict[str, Any]) -> list[tuple[str, int]]:
    return [(found[0], found[1]) for found in notices_of("m", replies_of("m", *said))]


def test_more_tokens_of_text_than_it_can_have_are_named_where_none_of_them_are_thoughts() -> None:
    """Ten bytes have 42 tokens at most by the rule."""
    none = {"text": "Ten bytes.", "reasoning_tokens": 0, "stop_reason": "stop"}
    assert about({**none, "output_tokens": 43}, {**none, "output_tokens": 900}) == [("counts", 2)]
    for lawful in (
        {"output_tokens": 42},
        {"output_tokens": None},
        {"output_tokens": 900, "reasoning_tokens": 880},
        {"output_tokens": 900, "reasoning": "Hm."},
        {"output_tokens": 900, "stop_reason": "length"},
        {"output_tokens": 900, "text": "é" * 440},  # 880 bytes, 912 tokens
        {"output_tokens": 900, "facets": {"tool": "self:3"}},
    ):
        assert about({**none, **lawful}) == []


def test_more_tokens_than_a_text_can_have_say_nothing_where_thoughts_may_be_among_them() -> None:
    long = {"text": "Ten bytes.", "stop_reason": "stop", "output_tokens": 43}
    assert about(long, {**long, "reasoning_tokens": 0}, {}) == [("counts", 1)]


def test_the_recorded_models_that_think_unseen_are_not_suspected(ten_models: Run) -> None:
    assert ten_models.server_notices == ()


WHOLE = {"completion_id": "c-1", "served_model": "m", "output_tokens": 5, "latency": 1.0}
BARE = {"latency": 1.0}


def test_a_reply_without_what_most_others_have_is_named() -> None:
    assert about(WHOLE, WHOLE, BARE) == [("nameless", 1)]
    for lawful in ([BARE] * 3, [WHOLE, BARE], [WHOLE, WHOLE, {}], [WHOLE, WHOLE, {**BARE, "served_model": "m"}]):
        assert about(*lawful) == []
    assert about(WHOLE, WHOLE, {**BARE, "text": "", "policy": "status 400: no"}) == []


# --- counts that some lack -------------------------------------------------------------------------------------------

UNCOUNTED = {**WHOLE, "output_tokens": None}


def named(replies: list[Reply], **addresses: str) -> list[tuple[str, str, int]]:
    return [(found.model, found.about, found.replies) for found in notices_among(replies, addresses)]


def test_a_reply_without_counts_is_named_where_most_others_from_its_address_have_them() -> None:
    assert named(replies_of("m", WHOLE, WHOLE, UNCOUNTED)) == [("m", "uncounted", 1)]
    both = [*replies_of("m", UNCOUNTED, UNCOUNTED), *replies_of("n", *[WHOLE | {"served_model": "n"}] * 3)]
    assert named(both, m="http://a", n="http://a") == [("m", "uncounted", 2)]
    assert named(both, m="http://a", n="http://b") == named(both) == []
    for lawful in (
        [UNCOUNTED] * 3,
        [WHOLE, UNCOUNTED],
        [WHOLE, WHOLE, {**UNCOUNTED, "latency": None}],
        [WHOLE, WHOLE, {**UNCOUNTED, "text": "", "refusal": "No."}],
    ):
        assert named(replies_of("m", *lawful)) == []


# --- what replies show beside each other -----------------------------------------------------------------------------


def test_what_is_odd_about_replies_is_said_with_how_to_look_at_one_of_them() -> None:
    cut = [
        of("execute", f"it em {n}", f"{'word ' * 9}{n} Error: upstream stream terminated unexpectedly") for n in "abc"
    ]
    [found] = notices_among([*(good(n) for n in range(2, 12)), *cut], folder=Path("my run"))
    assert found.about == "note" and found.text.endswith(
        "what cut them may have written it. Look at one of them: "
        "selfexec read 'my run' --item 'it em a' --session execute --show"
    )
    torn = [of("execute", f"t{n}", f"Caf\ufffd number {n}.") for n in range(3)]
    [found] = notices_among([*(good(n) for n in range(2, 12)), *torn])
    assert found.text.startswith(
        "m: 3 of 13 replies have signs of damage: characters that were lost (U+FFFD) (3). Something on the way may have"
    )


def test_what_people_replied_is_not_looked_at() -> None:
    torn = [of("execute", f"t{n}", f"Caf\ufffd number {n}.") for n in range(3)]
    assert named([msgspec.structs.replace(reply, person=True) for reply in torn]) == []


# --- texts that came to prompts which have nothing in common ---------------------------------------------------------

NOTICES = [
    "I'm sorry, but your account has exceeded its free message quota for today. Upgrade to continue.",
    "\u5f53\u524d\u5206\u7ec4\u4e0a\u6e38\u8d1f\u8f7d\u5df2\u9971\u548c\uff0c\u8bf7\u7a0d\u540e\u518d\u8bd5",
    "\u26a0\ufe0f The model is currently overloaded. Please try again later.",
    "Request blocked by guardrail policy 'pii-filter'. Contact your administrator.",
    "This is a mock request",
    "Please try again in 5 minutes (request req_0a9f, 2026-11-27 10:00).",
]
KINDS = ("predict", "execute", "judge")


def of(session: str, item: str, text: str, model: str = "m", experiment: str = "restriction") -> Reply:
    return Reply(model=model, experiment=experiment, item=item, session=session, text=text)


def good(number: int, session: str = "execute", model: str = "m") -> Reply:
    return of(session, str(number), f"{model} says: {'word ' * number}of number {number}.", model)


def same_text(replies: list[Reply]) -> list[tuple[str, str, int]]:
    """What is said of texts to prompts with nothing in common: some of these are named by themselves as well."""
    return [found for found in named(replies) if found[1] == "same_text"]


@pytest.mark.parametrize("notice", NOTICES)
def test_a_text_to_prompts_of_several_forms_is_named_however_few_replies_have_it(notice: str) -> None:
    rest = [good(n) for n in range(2, 40)]
    came = [of("predict", "50", notice), of("execute", "51", notice), of("predict", "52", notice)]
    assert same_text([*rest, *came]) == [("m", "same_text", 3)]
    assert same_text([*rest, *came[:2]]) == []  # twice
    assert same_text([*rest, *(of("predict", str(n), notice) for n in range(50, 60))]) == []  # of one form
    assert same_text([*rest, *(of(kind, "50", notice) for kind in KINDS)]) == []  # of one item
    letters = [of(kind, str(n), notice) for n in (50, 51) for kind in ("predict", "judge")]
    assert same_text([*rest, *letters]) == []  # both ask for a letter: a model may refuse to give it in the same words
    others = [of("predict", str(n), notice, experiment="association") for n in (50, 51)]
    assert same_text([*rest, *letters, *others]) == [("m", "same_text", 6)]


@pytest.mark.parametrize("text", [*NOTICES[1:], "Let me connect you with a colleague. One moment please..."])
def test_one_text_to_three_requests_is_named_unless_it_refuses(text: str) -> None:
    rest = [good(n) for n in range(2, 40)]
    assert same_text([*rest, *(of("execute", str(n), text) for n in range(50, 53))]) == [("m", "same_text", 3)]
    assert same_text([*rest, *(of("execute", str(n), text) for n in range(50, 52))]) == []
    refusals = [of("execute", str(n), f"I'm sorry, but I can't help with that. {text}") for n in range(50, 60)]
    assert same_text([*rest, *refusals]) == []
    once = [msgspec.structs.replace(of("execute", str(n), text), prompt_sha256="one") for n in range(50, 60)]
    assert same_text([*rest, *once]) == []  # the items of one prompt have one reply


@pytest.mark.parametrize("label", ["[m-small]", "(fallback) ", "<draft>"])
def test_a_label_in_brackets_before_replies_of_several_forms_is_named(label: str) -> None:
    came = [of(KINDS[n % 2], str(n), f"{label} {good(n).text}") for n in range(2, 6)]
    [found] = notices_among([*came, *(good(n) for n in range(6, 20))])
    assert (found.about, found.replies) == ("same_text", 4) and f'("{label.strip()}", 4 times)' in found.text
    assert same_text([reply for reply in came if reply.session == "predict"]) == []
    assert named([of(KINDS[n % 2], str(n), f'["word {n}", "b"] {good(n).text}') for n in range(2, 6)]) == []


def test_a_long_first_line_before_replies_of_several_forms_is_named_and_a_short_one_is_not() -> None:
    def begun(line: str) -> list[Reply]:
        return [of(KINDS[n % 2], str(n), f"{line}\n\n{good(n).text}") for n in range(2, 8)]

    line = "I have looked at what we said before, and this is what I found there for you now:"
    [found] = notices_among(begun(line))
    assert (found.about, found.replies) == ("same_text", 6) and "I have looked at what we said before" in found.text
    assert named(begun("Let me think through this step by step, slowly.")) == []


def test_labels_before_replies_without_a_form_are_named_from_five_prompts_on() -> None:
    came = [of("execute", str(n), f"[m-small] {good(n).text}") for n in range(2, 8)]
    rest = [good(n) for n in range(8, 20)]
    assert same_text([*rest, *came]) == [("m", "same_text", 6)]
    assert same_text([*rest, *came[:4]]) == []


def test_what_a_model_says_of_itself_behind_each_object_is_its_own_and_a_notice_there_is_not() -> None:
    def closed(line: str) -> list[Reply]:
        return [
            of(KINDS[n % 2], str(n), f'{good(n).text} of {chr(97 + n)}.\n\n{{"choice": "A"}}\n\n{line}')
            for n in range(2, 14)
        ]

    assert same_text(closed("Let me know if you would like more of these!")) == []
    assert same_text(closed("Generated by the gateway of the company, all rights reserved.")) == [
        ("m", "same_text", 12)
    ]


def test_a_label_like_the_name_of_a_model_is_named_before_replies_of_one_form_too() -> None:
    def labelled(label: str, number: int = 5) -> list[Reply]:
        texts = (f'{label} It is {n}.\n\n{{"answer": "A"}}' for n in range(2, 2 + number))
        return [of("execute.Q1", str(n), text, experiment="difficulty") for n, text in enumerate(texts)]

    rest = [good(n) for n in range(8, 20)]
    assert same_text([*rest, *labelled("[acme-mini]")]) == [("m", "same_text", 5)]
    assert same_text([*rest, *labelled("[acme-mini]", 4)]) == []
    assert same_text([*rest, *labelled("[Solution]")]) == []


def test_a_last_line_whose_numbers_alone_differ_is_named_where_replies_have_no_form() -> None:
    came = [of("execute", str(n), f"{good(n).text}\n*Answered by a gateway in {n}.{n} s*") for n in range(2, 8)]
    rest = [good(n) for n in range(8, 20)]
    assert same_text([*rest, *came]) == [("m", "same_text", 6)]
    assert same_text([*rest, *came[:4]]) == []
    closing = [of("execute", str(n), f"{good(n).text}\nAsk for help at the number 116 123.") for n in range(2, 8)]
    assert same_text([*rest, *closing]) == []  # a model may well name one number


def test_a_first_line_whose_numbers_alone_differ_is_named_unless_it_leads_to_what_follows() -> None:
    def begun(line: str) -> list[Reply]:
        return [of("execute", str(n), f"{line.format(n)}\n\n{good(n).text}") for n in range(2, 8)]

    rest = [good(n) for n in range(8, 20)]
    assert same_text([*rest, *begun("Thought for {} seconds")]) == [("m", "same_text", 6)]
    for line in ("Here are {} ways to do it:", "# The {} best ways", "There are {} good ways.", "Step {}"):
        assert same_text([*rest, *begun(line)]) == []


def test_replies_of_an_experiment_that_is_not_there_are_looked_at_as_far_as_they_can_be() -> None:
    texts = [f"it {n} goes on. And so on, in so many words that it is long enough. (1) [m]" for n in range(9)]
    assert named([of("execute", str(n), text, experiment="nobodys") for n, text in enumerate(texts)]) == []


def test_times_counts_and_ids_make_no_other_text() -> None:
    texts = [f"Try again in {n} s: request 7f{n}e was queued behind others." for n in range(4)]
    assert named([of(KINDS[n % 2], str(n), text) for n, text in enumerate(texts)]) == [("m", "same_text", 4)]


@pytest.mark.parametrize(
    "text", ["A", "Yes.", '{"choice": "A"}', '```json\n{\n  "answer": "D"\n}\n```', "I cannot help."]
)
def test_a_short_answer_may_come_to_prompts_of_any_form(text: str) -> None:
    rest = [good(n, kind) for n, kind in enumerate(KINDS, 2)]
    assert named([*rest, *(of(kind, str(n), text) for n in range(50, 60) for kind in KINDS)]) == []


@pytest.mark.parametrize("text", ["The final answer is: $\\boxed{A}$", "I have weighed both sides.\n\n**A**"])
def test_an_answer_in_set_words_may_come_to_every_prompt_that_asks_for_a_letter(text: str) -> None:
    rest = [good(n, kind) for n, kind in enumerate(KINDS, 2)]
    letters = [of(kind, str(n), text) for n in range(50, 60) for kind in ("predict", "judge")]
    answers = [of(f"execute.Q{n}", str(n), text, experiment="difficulty") for n in range(1, 5)]
    assert named([*rest, *letters, *answers]) == []
    # a ranking is no letter, and so this is no answer to it
    rankings = [of("predict", str(n), text, experiment="difficulty") for n in range(1, 5)]
    assert named([*rest, *letters, *rankings]) == [("m", "same_text", 24)]


def test_the_only_text_of_a_model_is_named_however_short_where_prompts_are_of_three_kinds() -> None:
    came = [of(kind, str(n), "safe") for n in range(2) for kind in KINDS]
    assert named(came) == [("m", "same_text", 6)]
    assert named([*came, good(3)]) == named([reply for reply in came if reply.session != "judge"]) == []
    numbers = [of(kind, str(n), str(n)) for n in range(2) for kind in KINDS]
    assert named(numbers) == []


LINES = ["[Error: upstream connection lost]", "\u23f3 In queue, position 3..."]


@pytest.mark.parametrize("line", LINES)
def test_a_line_before_or_behind_replies_is_named_where_it_looks_like_a_notice(line: str) -> None:
    def with_line(kind: str, number: int, line: str) -> Reply:
        text = good(number).text
        return of(kind, str(number), f"{text}\n\n{line}" if line[0] == "[" else f"{line}\n{text}")

    came = [with_line(KINDS[number % 2], number, line) for number in range(2, 8)]
    [found] = notices_among(came)
    assert (found.about, found.replies) == ("same_text", 6) and f'("{line}", 6 times)' in found.text
    for lawful in ("Let me think through this step by step.", "The final answer is in the box above.", "[1]"):
        assert named([with_line(KINDS[number % 2], number, lawful) for number in range(2, 8)]) == []


def test_a_line_behind_the_object_that_was_asked_for_is_named_where_requests_get_it_as_well() -> None:
    line = "Was this answer helpful?"
    asked = [of("predict", str(n), f'It would be {n}.\n\n{{"choice": "A"}}\n\n{line}') for n in range(4)]
    kept = [of("execute", str(n), f"{good(n).text}\n{line}") for n in range(2, 6)]
    [found] = notices_among([*asked, *kept])
    assert (found.about, found.replies) == ("same_text", 8) and f'("{line}", 8 times)' in found.text
    assert named(asked) == named(kept) == []  # a model may well close so where it writes freely, or in one form
    assert named([*asked[:2], *kept]) == []


SHARED = "The service is closed for maintenance until the morning. All of its users were told so by a letter last week."


def test_a_long_text_from_several_models_to_several_items_is_named_unless_it_refuses() -> None:
    def came(text: str, models: str = "mnm") -> list[Reply]:
        shared = [of("execute", str(n), text, model) for n, model in enumerate(models, 50)]
        return [*(good(n, model=model) for n in range(2, 9) for model in "mn"), *shared]

    assert named(came(SHARED)) == [("m", "same_text", 2), ("n", "same_text", 1)]
    assert named(came(SHARED, "mn")) == named(came(SHARED[:79])) == []
    assert named(came(SHARED, "mm")) == []
    assert named(came(f"I'm sorry, but I can't help with that. {SHARED}")) == []


def test_what_is_said_of_texts_shows_one_and_where_to_find_it() -> None:
    [found] = notices_among([of(KINDS[n % 2], str(n), NOTICES[0]) for n in range(4)], folder=Path("my run"))
    assert found.text == (
        "m: 4 of 4 replies hold a text that came to prompts which have nothing in common "
        '("I\'m sorry, but your account has exceeded its free message q\u2026", 4 times): '
        "unless the model itself writes so (a set refusal, a closing line), something on the way has written it. "
        f"Look at one of them: selfexec read 'my run' --item 0 --session {KINDS[0]} --show"
    )
