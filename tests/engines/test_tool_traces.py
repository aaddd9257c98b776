"""What shows that a tool was used for a reply, though none was sent, is kept with it in every format."""

from typing import Any

import pytest
from test_contradictions import of
from test_ends import BEGIN, BLOCK_END, FORMATS, OWN, chunk, events, short_pauses, streamed, whole
from test_other_fields import asked

__all__ = ["short_pauses"]
NOT_ASKED = ", and no tool or search was asked for"
TEXT = "Hello there"
RAN = {"executableCode": {"language": "PYTHON", "code": "print(1)"}}
RESULT = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}


def items(*items: dict[str, Any]) -> dict[str, Any]:
    body = whole("responses", TEXT, "completed")
    return {**body, "output": [*items, *body["output"]]}


def blocks(*blocks: dict[str, Any]) -> dict[str, Any]:
    body = whole("anthropic", TEXT, "end_turn")
    return {**body, "content": [*blocks, *body["content"]]}


def parts(*parts: dict[str, Any], **candidate: Any) -> dict[str, Any]:
    one = {"content": {"parts": [*parts, {"text": TEXT}]}, "finishReason": "STOP", **candidate}
    return {"candidates": [one]}


def message(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"content": TEXT, **fields}, "finish_reason": "stop"}]}


KINDS = [
    *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"),
    *("mcp_list_tools", "some_new_call", "custom_tool_call_output"),
]
USES: list[tuple[str, dict[str, Any], str]] = [
    *(("responses", items({"type": kind, "status": "completed"}), f"output.type is {kind}") for kind in KINDS),
    ("anthropic", blocks({"type": "web_fetch_tool_result", "content": []}), "content.type is web_fetch_tool_result"),
    ("anthropic", blocks({"type": "mcp_tool_result", "content": []}), "content.type is mcp_tool_result"),
    ("openai", message(content=[{"type": "text", "text": TEXT}, {"type": "tool_reference"}]), "tool_reference"),
    ("gemini", parts(RAN, RESULT), "candidates.content.parts.executableCode is there"),
    ("gemini", parts(RESULT), "candidates.content.parts.codeExecutionResult is there"),
    (
        "gemini",
        parts(urlContextMetadata={"urlMetadata": [{"retrievedUrl": "https://a.example"}]}),
        "candidates.urlContextMetadata is there",
    ),
    ("gemini", parts(groundingMetadata={"webSearchQueries": ["a"]}), "candidates.groundingMetadata is there"),
    ("gemini", parts({"toolResponse": {"id": "a"}}), "candidates.content.parts.toolResponse is there"),
]


@pytest.mark.parametrize(("wire", "body", "said"), USES)
def test_an_item_or_a_part_of_a_tool_is_named_where_no_tool_was_sent(
    wire: str, body: dict[str, Any], said: str
) -> None:
    found = asked(wire, body)
    assert found.text == TEXT and found.contradictions and f"{said}{NOT_ASKED}" in found.contradictions
    assert of(body, {"messages": [], "tools": [{"type": "web_search"}]}) is None


@FORMATS
@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"tool_usage": {"x_search": {"num_requests": 2}}}, "tool_usage.x_search.num_requests is above 0"),
        ({"usage_of": {"x_search_calls": 1}}, "usage_of.x_search_calls is above 0"),
        ({"search_results": [{"title": "A"}]}, "search_results is there"),
        ({"hub": {"codeInterpreter": {"outputs": ["1"]}}}, "hub.codeInterpreter is there"),
    ],
)
def test_counts_and_finds_of_tools_are_named_in_every_format(wire: str, field: dict[str, Any], said: str) -> None:
    found = asked(wire, {**whole(wire, TEXT, next(iter(OWN[wire]))), **field})
    assert found.contradictions == f"{said}{NOT_ASKED}"


STREAMS = {
    "openai": events(
        chunk(delta={"content": "Hello "}),
        chunk(delta={"content": "there", "annotations": [{"type": "url_citation", "url_citation": {"url": "u"}}]}),
        chunk("stop", delta={}),
    ),
    "responses": events(
        {"type": "response.output_text.delta", "delta": TEXT},
        {"type": "response.completed", "response": items({"type": "web_search_call", "status": "completed"})},
    ),
    "anthropic": events(
        *BEGIN,
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {"url": "u"}}},
        BLOCK_END,
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ),
    "gemini": events(parts(RAN, RESULT)),
}


@pytest.mark.parametrize("wire", STREAMS)
def test_so_is_what_comes_in_pieces(wire: str) -> None:
    found = asked(wire, STREAMS[wire], stream=True)
    assert found.text == TEXT and found.contradictions and NOT_ASKED in found.contradictions
    usual = asked(wire, streamed(wire, TEXT, next(iter(OWN[wire]))), stream=True)
    assert (usual.text, usual.contradictions) == (TEXT, None)


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [], "tool_choice": "auto", "max_tool_calls": 128, "text": {"format": {"type": "text"}}},
        {"usage": {"server_tool_use": {"web_search_requests": 0}, "output_tokens": 9}},
        {"tool_usage": {"web_search": {"num_requests": 0}, "image_gen": {"input_tokens": 0}}},
        {"candidates": [{"groundingMetadata": {}, "urlContextMetadata": {"urlMetadata": []}}]},
        {
            "choices": [
                {"message": {"content": 'I say "type": "web_search_call".', "tool_calls": [], "citations": None}}
            ]
        },
        {"output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [{"type": "output_text"}]}]},
        {"limits": {"remaining_tool_calls": 40}},
    ],
)
def test_what_servers_send_with_every_reply_is_no_trace(body: dict[str, Any]) -> None:
    assert of(body) is None
