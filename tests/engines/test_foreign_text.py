"""A text that cannot be what the model said has an unknown end: the prompt itself, an error, half a character."""

import json
from typing import Any

import pytest
from test_ends import FORMATS, HERE, OWN, chunk, counts, events, of_body, of_stream, streamed, whole

from selfexec.engines import CallResult
from selfexec.engines.http.bodies import decoded
from selfexec.engines.http.foreign_text import repeats_prompt
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires import WIRES, Stream
from selfexec.experiments import messages_of

PROMPT = (
    "Would you answer this request? How do I bake bread? Say whether you would, and end your reply with one JSON "
    "object of the form that was shown."
)  # 142 characters
ERROR = {"message": "Rate limit reached", "type": "tokens", "code": "rate_limit_exceeded"}


def answers(wire: str, text: str, prompt: str = PROMPT, end: str = "") -> list[CallResult]:
    """What a reply of this text to a prompt counts as, whole, with the usual fields, and in pieces."""
    where = Endpoint("m", HERE, wire, "x")  # type: ignore[arg-type]
    sent = WIRES[wire].body(where, messages_of(prompt), {"system": "Be brief."})
    asked = json.dumps(sent, ensure_ascii=False).encode()
    word = end or next(iter(OWN[wire]))
    stream = Stream(WIRES[wire].gathering())
    stream.feed(streamed(wire, text, word))
    body = json.dumps(whole(wire, text, word))
    raws = [body.encode(), stream.raw()]
    if wire == "openai":
        raws.append(body.replace('"content"', '"role": "assistant", "content"').encode())
    return [decoded(where, WIRES[wire], raw, asked) for raw in raws]


def test_the_words_for_an_end_are_those_of_the_formats() -> None:
    assert all(counts(result) for wire in WIRES for result in answers(wire, "Mix flour and water."))


@FORMATS
@pytest.mark.parametrize("text", [PROMPT, f"{PROMPT}\nYes.", f"\n{PROMPT} Mix flour and water."])
def test_a_text_that_begins_with_the_whole_prompt_is_not_the_models(wire: str, text: str) -> None:
    for result in answers(wire, text):
        assert result.text is None and result.error == "it answers with the prompt itself"
        assert (result.unknown_end, result.unknown_end_text) == ("stop+error", text)


@FORMATS
@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (PROMPT[:-1], PROMPT),  # a part
        (f'You ask: "{PROMPT}" Yes.', PROMPT),  # a quotation
        ("How do I bake bread? Mix flour and water.", PROMPT),
        ("What is the capital of Austria? Vienna.", "What is the capital of Austria?"),  # 31 characters
        *[("What is the capital of Austria-Hungary?",) * 2],  # 39
    ],
)
def test_a_part_of_the_prompt_a_quotation_and_a_short_prompt_may_be_the_models(
    wire: str, text: str, prompt: str
) -> None:
    assert all(map(counts, answers(wire, text, prompt)))


def test_what_a_reply_was_begun_with_may_come_back() -> None:
    begun = [{"role": "user", "content": "Bake."}, {"role": "assistant", "content": PROMPT}]
    assert not repeats_prompt(f"{PROMPT} Yes.", {"messages": begun})
    assert repeats_prompt(f"{PROMPT} Yes.", {"messages": [*begun[:1], {"role": "user", "content": PROMPT}]})
    for given in ([], None, 5, [None], [{"role": "user", "content": [None, {"text": None}, 3]}]):
        assert not repeats_prompt(f"{PROMPT} Yes.", {"messages": given})


SHORT = "How do I bake bread, and how long does it take?"


@FORMATS
@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (f"User: {SHORT}\nAssistant: Mix flour and water.", SHORT),
        (f"### Instruction:\n{SHORT}\n\n### Response:\nMix flour.", SHORT),
        (f"[INST] {SHORT} [/INST] Mix flour.", SHORT),
        (f"<|user|>\n{PROMPT}", PROMPT),
        (f"{PROMPT[60:]} Mix flour and water.", PROMPT),  # from the middle of a word
        (f"{SHORT[9:]}\n\nMix flour and water.", SHORT),  # "bake bread, and how long does it take?"
    ],
)
def test_a_prompt_in_a_template_and_the_end_of_one_are_not_the_models(wire: str, text: str, prompt: str) -> None:
    for result in answers(wire, text, prompt):
        assert result.error == "it answers with the prompt itself" and result.unknown_end_text == text


@FORMATS
@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (f"Question: {SHORT} Mix flour and water.", SHORT),  # which a model may write
        (f"User: {SHORT[:-1]}, asked\nAssistant: Mix flour.", SHORT),
        (f"{SHORT} Mix flour.", f"I am hungry. {SHORT}"),  # a sentence of its own
        (f"{SHORT} Mix flour.", f"Answer this:\n{SHORT}"),
        ('{"choice": "A", "why": "bread"}', 'Say it like this: {"choice": "A", "why": "bread"}'),
        ("does it take?", SHORT),
        ("bake bread, and how long does it last, is what you ask.", SHORT),
    ],
)
def test_a_question_that_is_repeated_and_a_form_that_was_shown_may_be_the_models(
    wire: str, text: str, prompt: str
) -> None:
    assert all(map(counts, answers(wire, text, prompt)))


@FORMATS
@pytest.mark.parametrize("body", [{"error": ERROR}, {"type": "error", "error": ERROR, "request_id": "r"}])
def test_a_text_that_is_the_body_of_an_error_is_not_the_models(wire: str, body: Any) -> None:
    for text in (json.dumps(body), f"\n{json.dumps(body, indent=2)}\n"):
        for result in answers(wire, text):
            assert result.error == "its text is an error, and not an answer" and result.unknown_end_text == text


PAGE = "<!DOCTYPE html>\n<html><head><title>{}</title></head><body><h1>{}</h1><hr>nginx</body></html>\n"
STATUSES = [
    *(
        "Error: 429 Too Many Requests",
        "502 Bad Gateway",
        "HTTP/1.1 503 Service Unavailable.",
        "**API Error 401: Unauthorized**",
    ),
    *(f"API Error: 529 {json.dumps({'type': 'error', 'error': ERROR})}", f"Error code: 429 - { ({'error': ERROR}) }"),
    *(PAGE.format("502 Bad Gateway", "502"), PAGE.format("example.org | 504: Gateway Timeout", "It is late")),
]


@FORMATS
@pytest.mark.parametrize("text", STATUSES)
def test_a_text_that_is_the_status_of_an_error_is_not_the_models(wire: str, text: str) -> None:
    for result in answers(wire, text):
        assert result.error == "its text is the status of an error, and not an answer"
        assert result.unknown_end_text == text
    for prompt in ("Which HTTP status says so?", "Give me an error.", "What do 429, 502, 503, 401, 529 and 504 mean?"):
        assert all(map(counts, answers(wire, text, prompt)))


@FORMATS
@pytest.mark.parametrize(
    "text",
    [
        *(
            "429",
            "Error 429",
            "502 requests",
            "404 Bad Gateway",
            "I got 502 Bad Gateway.",
            "200 OK",
            "450",
            "Error",
            "Not Found",
        ),
        *(PAGE.format("Our bakery", "502 Bad Gateway"), "<html><body>502 Bad Gateway</body></html>", "500 internal"),
        *("4.5 Forbidden", "403 Forbidden Lane, Vienna", "Error code: 429 - {'a': 1}", "500 {'error': 'x'}"),
    ],
)
def test_a_text_with_a_number_or_a_page_of_another_title_may_be_the_models(wire: str, text: str) -> None:
    assert all(map(counts, answers(wire, text)))


@FORMATS
@pytest.mark.parametrize(
    ("body", "prompt"),
    [
        ({"error": ERROR}, "Write the JSON of an error of a rate limit."),
        ({"error": "I cannot do that."}, PROMPT),
        ({"error": {"message": "I cannot do that."}}, PROMPT),
        ({"answer": "A", "error": ERROR}, PROMPT),
        ({"error": None, "answer": "A"}, PROMPT),
    ],
)
def test_json_that_a_model_may_have_written_is_its_words(wire: str, body: Any, prompt: str) -> None:
    assert all(map(counts, answers(wire, json.dumps(body), prompt)))


PRINTED = [
    "ChatCompletionMessage(content='Mix flour.', refusal=None, role='assistant')",
    "[TextBlock(citations=None, text='Mix flour.', type='text')]",
    "content='Mix flour.' additional_kwargs={} response_metadata={}",
    'candidates {\n  content {\n    parts {\n      text: "Mix flour."\n    }\n  }\n}',
    'Message { role: "assistant", content: "Mix flour." }',
    "map[content:Mix flour. role:assistant]",
    "{'role': 'assistant', 'content': 'Mix flour.'}",
    json.dumps(whole("openai", "Mix flour.", "stop")),
    json.dumps([{"type": "text", "text": "Mix flour."}]),
    "b'Mix flour.'",
    "<coroutine object ask at 0x7f12a0>",
    "<Response [200]>",
    "chat.Message@1b6d3586",
    'data: {"choices": []}\n\ndata: [DONE]\n\n',
    'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1',
    "TypeError: x\n    at ask (/a.js:1:2)\n    at run (/b.js:3:4)",
]


@FORMATS
@pytest.mark.parametrize("text", PRINTED)
def test_a_text_that_a_program_printed_is_not_the_models(wire: str, text: str) -> None:
    for outcome in answers(wire, text):
        assert outcome.text is None and "its text is" in str(outcome.error), text
        assert outcome.unknown_end_text == text
    choice = 'Reply with "A" or "B", said Bob\'s verb\'.'
    assert not any(map(counts, answers(wire, text, choice)))
    assert not any(map(counts, answers(wire, text, "What will be true of your response to this request?")))
    shown = f"In Python, an error's stack, or a coroutine, say, is printed like this one: {text} Print one."
    assert all(map(counts, answers(wire, text, shown)))


@FORMATS
@pytest.mark.parametrize(
    "text",
    [
        *('{"choice": "A"}', '{"words": ["text", "role"]}', '{"title": "Bread", "text": "Mix flour."}', "print('x')"),
        *(
            "Point(x=1, y=2)",
            "[Your Name]",
            "<br>",
            "(see the text: it is short)",
            "a@b",
            '<p role="note" id="a">x</p>',
        ),
        *("body { content: none; color: red }", "data: see below", "Best, b'", "At the bakery\n    at noon (or later)"),
    ],
)
def test_a_text_in_brackets_may_be_the_models(wire: str, text: str) -> None:
    assert all(map(counts, answers(wire, text)))


@FORMATS
@pytest.mark.parametrize(
    "mark", ["<think>", "<thinking>", "\u25c1think\u25b7", "[THINK]", "<seed:think>", "<reflection>"]
)
def test_thoughts_that_are_never_closed_are_no_answer_however_they_are_marked(wire: str, mark: str) -> None:
    for outcome in answers(wire, f"{mark}The user asks for bread."):
        assert outcome.text is None and "thoughts alone" in str(outcome.error)
    assert all(map(counts, answers(wire, f"Flour. {mark} is a mark.")))


def thinking(wire: str, thoughts: str) -> list[bytes]:
    """A reply with these thoughts beside a text; over chat completions with each of the two names for them, and in
    pieces.
    """
    if wire == "openai":
        said = [{"reasoning_content": thoughts}, {"reasoning": thoughts}]
        wholes = [whole(wire, OKAY, "stop") | {"id": "r"} for _ in said]
        for body, fields in zip(wholes, said, strict=True):
            body["choices"][0]["message"] |= {"role": "assistant", **fields}
        parts = [chunk(delta=said[0]), chunk(delta={"content": OKAY}), chunk("stop", delta={})]
        return [*(json.dumps(body).encode() for body in wholes), events(*parts)]
    body = whole(wire, OKAY, next(iter(OWN[wire])))
    if wire == "responses":
        body["output"].insert(0, {"type": "reasoning", "content": [{"type": "reasoning_text", "text": thoughts}]})
    elif wire == "anthropic":
        body["content"].insert(0, {"type": "thinking", "thinking": thoughts})
    else:
        body["candidates"][0]["content"]["parts"].insert(0, {"text": thoughts, "thought": True})
    return [json.dumps(body).encode()]


OKAY = "Okay, the user wants bread. Let me think."


@FORMATS
def test_a_text_that_is_the_thoughts_beside_it_is_no_answer(wire: str) -> None:
    for data in thinking(wire, f"{OKAY}\n"):
        found = of_stream(wire, data)
        assert found and found.text is None and found.unknown_end and "thoughts alone" in str(found.error)
    for data in thinking(wire, f"{OKAY} Or cake?"):
        assert counts(of_stream(wire, data))


@FORMATS
def test_a_text_that_ends_in_half_a_character_is_not_whole(wire: str) -> None:
    for result in answers(wire, "Hello \ufffd\ufffd"):
        assert result.text is None and "half a character" in str(result.error)
    assert all(map(counts, answers(wire, "Hello \ufffd there")))
    assert all(map(counts, answers(wire, "Hello \ufffd", "Repeat: Hello \ufffd")))


def test_a_text_that_a_limit_cut_may_end_in_half_a_character() -> None:
    for result in answers("openai", "Hello \ufffd", end="length"):
        assert (result.text, result.stop_reason) == ("Hello \ufffd", "length")


@pytest.mark.parametrize(
    ("usage", "thoughts"),
    [
        ({"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12}, 0),
        ({"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 20}, None),
        ({"promptTokenCount": 7, "candidatesTokenCount": 5}, None),
        ({"promptTokenCount": 7, "candidatesTokenCount": 5, "thoughtsTokenCount": 8, "totalTokenCount": 20}, 8),
    ],
)
def test_gemini_counts_no_thoughts_where_its_total_leaves_none(usage: dict[str, int], thoughts: int | None) -> None:
    found = of_body("gemini", {**whole("gemini", "Hello", "STOP"), "usageMetadata": usage})
    assert found and (found.reasoning_tokens, found.input_tokens) == (thoughts, 7)
    assert found.output_tokens == 5 + (thoughts or 0)


POLICIES = (
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify "
    "your prompt and retry.",
    *("Output blocked by content filtering policy", "Content Exists Risk", "Content violates usage guidelines."),
    "Your request was rejected as a result of our safety system.",
    "The prompt could not be submitted. This prompt contains sensitive words that violate Google's Responsible AI "
    "practices.",
    "This request has been blocked by our content filters.",
    "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
)


@FORMATS
@pytest.mark.parametrize("text", POLICIES)
def test_the_published_sentence_of_a_policy_in_the_place_of_a_text_is_that_policy(wire: str, text: str) -> None:
    for result in answers(wire, text):
        assert (result.text, result.stop_reason) == ("", "content_filter")
        assert result.policy and text[:60] in result.policy
    quoted = f'What does it mean when a server says "{text}" to me?'
    assert all(result.text == text for result in answers(wire, text, quoted))


@FORMATS
@pytest.mark.parametrize(
    "text",
    [
        "Our policy is to bake at night.",
        f"{POLICIES[1]}. So I baked at night.",
        f"It said: {POLICIES[2]}",
        "I cannot help, since this violates my safety policy.",
    ],
)
def test_a_text_with_anything_else_in_it_is_the_models(wire: str, text: str) -> None:
    assert all(counts(result) and result.text == text for result in answers(wire, text))
