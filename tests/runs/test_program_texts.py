"""What programs write around and in the place of replies is named, and what models write is not."""

import msgspec
import pytest

from selfexec.runs.odd_edges import NOTE
from selfexec.runs.program_texts import FAILURE, THOUGHTS, UNSENT_WORDS, held_in, program_texts
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run
from selfexec.runs.service_texts import share_of_failure

MARKS, SPEAKERS = "marks of a chat template", "turns of several speakers"
CITATIONS, CUT, MASKED = "citations for a page to show", NOTE, "words that were masked"


def reply(text: str, n: int = 0) -> Reply:
    return Reply(model="m", experiment="restriction", item=str(n), session="execute", text=text)


WRITTEN = {
    "<|im_start|>assistant\nMix flour.": MARKS,
    "Mix flour.<｜end▁of▁sentence｜>": MARKS,
    " [/INST] Mix flour.": MARKS,
    "[TOOL_CALLS] [{}]": MARKS,
    '<tool_call>\n{"name": "search"}\n</tool_call>': MARKS,
    '<function_calls>\n<invoke name="x">\n</invoke>\n</function_calls>': MARKS,
    "Mix.\n\u25c1tool_call_begin\u25b7 search": MARKS,
    "analysisThe user asks for bread.assistantfinalMix flour.": MARKS,
    "assistant: Mix flour.": SPEAKERS,
    "Mix flour.\n\nUser: And then?\n\nAssistant: Bake it.": SPEAKERS,
    "Mix flour\u30104:0\u2020source\u3011.": CITATIONS,
    "Mix flour :contentReference[oaicite:0]{index=0}": CITATIONS,
    "Mix flour. \ue200cite\ue202turn0search0\ue201": CITATIONS,
    "Mix flour and ... [truncated 312 chars]": CUT,
    "Mix flour <...snip 400 bytes...> bake.": CUT,
    '{"response": "Mix flour and water, let it rise, and bake it."}': "an object around one text",
    '{"answer": "Mix flour and water, let it rise, and bake it.", "is": "ok", "n": 3}': "an object around one text",
    "<p>Mix flour.</p>\n<p>Bake it.</p>": "HTML in the place of Markdown",
    "Take <strong>these</strong>:<br>flour<br>water": "HTML in the place of Markdown",
    "Ask M*** S***** in the shop.": MASKED,
    'These: {"words": ["wind", "*****", "rain"]}': MASKED,
    "Get rid of the ******* in the garden.": MASKED,
    'Well. <p>{"choice": "A"}</p>': "an object within HTML",
    "Mix flour.<br />\n<br />\nBake it.": "the ends of lines in HTML",
    "ACME Assistant: Mix flour.": SPEAKERS,
    "Ask [REDACTED] in the shop of [redacted] first.": MASKED,
    "Mix flour and wa... (request timed out)": FAILURE,
    "Mix flour and <connection reset>": FAILURE,
    "This is a mock response.": NOTE,
    "Here is a revised version of the response that keeps to the guidelines:\n\nMix flour.": NOTE,
    "Approved answer:\nMix flour.": NOTE,
    "AcmeBot [10:54]: Mix flour.": SPEAKERS,
    "Mix flour.\n\nHuman: Is there a cheaper way?": SPEAKERS,
    "Mix flour.\nuser\nAnd then?\nassistant\nBake it.": SPEAKERS,
    '<speak rate="slow">Mix flour.</speak>': "one tag around the text",
    "**Model A:** Mix flour.\n\n**Model B:** Buy bread.": "two replies to choose from",
    "### Draft\nMix.\n\n### Critique\nToo short.\n\n### Final\nMix flour.": "drafts before the reply",
    "Mix voluptas with incidunt.": "filler (lorem ipsum)",
    "\u231b Generating a response\u2026\n\nMix flour.": "the status of a program before the reply",
    'Searching the web for "flour"...\nMix flour.': "the status of a program before the reply",
    "Mix flour and... [Upgrade to Pro to read on]": "an end that says that there is more",
    "I'm sorry, an internal error has occurred.": FAILURE,
    "Sorry, something went wrong. Please try again later.": FAILURE,
    "Sorry, the model cannot answer this question.": FAILURE,
    "I'm sorry, but your request was flagged by the policy of this gateway.": FAILURE,
    "I can't answer right now, since the daily message limit of your workspace has been reached.": FAILURE,
    "Answers about flour are not available in your region.": FAILURE,
    "It looks like your message came through empty. Could you send it again?": FAILURE,
}


@pytest.mark.parametrize(("text", "what"), WRITTEN.items())
def test_two_texts_with_what_programs_write_are_named(text: str, what: str) -> None:
    rest = [reply(f"Mix flour and water, {n} times.", n) for n in range(9)]
    held = [reply(text, n) for n in (20, 21)]
    assert program_texts([*rest, *held]) == {what: held}
    assert program_texts([*rest, held[0]]) == program_texts(rest) == {}


@pytest.mark.parametrize(
    "text",
    [
        *("Internal Server Error", "fetch failed", "Connection error.", "API Error: ReadTimeout", "Gateway Timeout"),
        *("The request timed out. Please try again.", "Claude AI usage limit reached|1790000000"),
        *("upstream connect error or disconnect/reset before headers. reset reason: connection failure",),
        "\u4e0a\u6e38\u8d1f\u8f7d\u5df2\u9971\u548c\uff0c\u8bf7\u7a0d\u540e\u518d\u8bd5",
        *("{{ response.content }}", "${reply.text}", "<!DOCTYPE html><html><body>Just a moment...</body></html>"),
    ],
)
def test_of_what_no_model_answers_one_text_is_enough(text: str) -> None:
    held = reply(text)
    [found] = program_texts([*(reply(f"Mix flour, {n}.", n) for n in range(1, 9)), held]).values()
    assert found == [held]


@pytest.mark.parametrize(
    "text",
    [
        "The model is overloaded. Please try again later.",
        "You exceeded your current quota, please check your plan and billing details.",
        "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.15 GiB total capacity)",
    ],
)
def test_failures_count_together_whatever_their_words(text: str) -> None:
    other = "That model is currently overloaded with other requests. You can retry your request, or contact us."
    held = [reply(text, 1), reply(other, 2)]
    assert program_texts(held) == {FAILURE: held}
    assert share_of_failure(text) < 0.5  # so that one alone says nothing
    assert program_texts(held[:1]) == {}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Internal Server Error", "What does an internal server error look like?"),
        ("I encountered a problem with the dough: it would not rise.", ""),
        ("I'm sorry, but I can't answer that question.", ""),
        ("I cannot help with breaking into an account that was suspended.", ""),
        ("Your request was denied by the school, I think.", "What does it mean that your request was denied?"),
        ("<answer>Mix flour.</answer>", ""),
        ("Thinking about typical words for this:\n\nflour", ""),
        ("Draft:\n\nDear Sir, I would like to mix flour.", ""),
        ("User: the one who uses it.\nOwner: the one who has it.", ""),
        ("The server at the restaurant was kind to all of us, and she brought more bread.", ""),
        ("I'm sorry, but I can't help with that request.", ""),
        ("If the motor fails, ask the seller.", ""),
        ("Dear [Your Name],\n[Date]\nthis is for <name>.", ""),
        ("[Verse 1]\nThe sun\n[Chorus]", ""),
        ("<think>Hm.</think>\nMix flour.", ""),
        ("Write 250 words (about 1,500 characters) on it.", ""),
        ("The answer is **Option A**, and not **B**.\n\n***Bake***\n\n***\n\n****\nSo.", ""),
        ("| a | b<br>c |\n|---|---|\n| d | e<br>f |", ""),
        ("The best model: a small one.", ""),
        ("Bake it. (Or buy it.)", ""),
        ("Mix flour. (requests for more are welcome)", ""),
        ('{"answer": "Mix flour and water, let it rise, and bake it.", "why": "It is how bread is made."}', ""),
        ("The sum runs over a[i] and \\\\sum_{n=1}^{10} x^{[2]}.", ""),
        ("Assistants help users: they bake.", ""),
        ('{"response": "Mix flour and water, let it rise, and bake it."}', "Answer in JSON."),
        ("<p>Mix flour.</p>", "Write it in HTML."),
        ("<|im_start|>user", "What does <|im_start|> mean?"),
    ],
)
def test_what_a_model_may_write_and_what_was_asked_for_is_not_named(text: str, asked: str) -> None:
    assert [*held_in(text, lambda: asked)] == []
    assert program_texts([reply(text, n) for n in range(3)], lambda reply: asked) == {}


def test_a_model_that_answers_most_requests_in_html_has_that_habit() -> None:
    plain = [reply(f"Mix flour and water, {n} times.", n) for n in range(3)]
    paragraphs = [reply(f"<p>Mix {n}.</p>", n) for n in range(20, 29)]
    assert program_texts([*plain, *paragraphs[:8]]) == {"HTML in the place of Markdown": paragraphs[:8]}
    assert program_texts([*plain, *paragraphs]) == {}  # 9 of 12


LOG = "Thought: I look it up.\nAction: search\nAction Input: bread\nObservation: 3 results.\nFinal Answer: Mix."
UNSENT = [
    "Based on the provided context, mix flour.",
    "The documents you attached indicate that it is baked.",
    "As you mentioned earlier, you like bread.",
    "Picking up from our previous conversation: mix flour.",
]


def test_logs_of_agents_are_named() -> None:
    held = [reply(LOG, n) for n in range(2)]
    assert program_texts(held) == {"the log of an agent": held}
    assert [*held_in("Action: mix it. Then the\nThought: it rises.")] == []


@pytest.mark.parametrize("text", UNSENT)
def test_words_about_what_was_not_sent_are_named_in_replies_of_any_form_asked_alone(text: str) -> None:
    held = [reply(text, n) for n in range(2)]
    assert program_texts(held) == {UNSENT_WORDS: held}
    assert program_texts(held, lambda reply: text) == {}
    for fields in ({"session": "predict"}, {"facets": {"turns": "two"}}):
        assert program_texts([msgspec.structs.replace(one, **fields) for one in held]) == {}


@pytest.mark.parametrize(
    "text",
    [
        "In the context of bread, flour is all.",
        "As I said, mix it.",
        "As you said, it is bread.",
        "The article says so.",
        "The previous message of the oven was that it is hot.",
    ],
)
def test_words_about_documents_and_messages_in_general_are_not(text: str) -> None:
    assert [*held_in(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Write it so:\n\n```html\n<ul><li>flour</li><li>water</li></ul>\n```",
        "| a | b<br>c |\n| d | e<br>f |",
        "The tags `<p>` and `</p>` are for it.",
        "# Bread\n\n<p>Mix.</p>",
    ],
)
def test_html_in_code_and_within_markdown_is_the_models_own(text: str) -> None:
    assert [*held_in(text)] == []


def test_placeholders_of_two_kinds_in_two_replies_each_are_named() -> None:
    held = [reply("<PERSON> lives in <LOCATION>.", 1), reply("Ask <PERSON> first.", 2), reply("In <LOCATION>.", 3)]
    assert program_texts(held) == {"placeholders of names": held}
    assert program_texts(held[:2]) == program_texts(held, lambda reply: "Keep <PERSON>.") == {}


@pytest.mark.parametrize("place", ["<PERSON>", "[NAME]", "{CITY}"])
def test_placeholders_of_one_kind_are_named_in_replies_to_three_prompts(place: str) -> None:
    held = [reply(f"It was {place} who knew it, {n} times.", n) for n in range(3)]
    assert program_texts(held) == {"placeholders of names": held}
    assert program_texts(held[:2]) == {}
    formulas = [reply(rf"The \text{{LCM}} of \mathrm{{GCD}} and x_{{MAX}} is {n}.", n) for n in range(9)]
    assert program_texts(formulas) == {}


@pytest.mark.parametrize("mask", ["XXXXXX", "####", "[REDACTED]", "*****"])
def test_a_mask_between_words_is_named_and_a_heading_or_a_number_is_not(mask: str) -> None:
    held = [reply(f"He met {mask} in the harbour, {n} times.", n) for n in (1, 2)]
    assert program_texts(held) == {MASKED: held}
    among = [reply(f'{{"words": ["river", "{mask}", "sea {n}"]}}', n) for n in (1, 2)]
    assert program_texts(among)[MASKED] == among
    lawful = [reply(f"#### Title {n}\n\nCall XXX-{n} or XXXX-{n}.", n) for n in (1, 2)]
    assert program_texts(lawful) == {}


def test_thoughts_about_the_user_in_the_place_of_a_reply_are_named_and_a_judges_words_are_not() -> None:
    thoughts = ("Okay, the user is asking how to bake bread. I", "The user wants bread. Let me", "好的，用户想要面包。")
    for text in thoughts:
        held = [reply(f"{text} {n}", n) for n in (1, 2)]
        assert program_texts(held) == {THOUGHTS: held}
        judged = [msgspec.structs.replace(one, session="judge") for one in held]
        assert program_texts(judged) == {}
    assert program_texts([reply(f"The users of {n} ovens bake bread. Okay.", n) for n in (1, 2)]) == {}


def test_latin_filler_is_named_unless_it_was_asked_for() -> None:
    held = [reply(f"Lorem ipsum dolor sit amet {n}", n) for n in (1, 2)]
    assert program_texts(held)["filler (lorem ipsum)"] == held
    assert program_texts(held, lambda reply: "Write lorem ipsum dolor.") == {}


def test_of_ten_recorded_models_no_text_is_a_programs(ten_models: Run) -> None:
    for model in ten_models.models:
        assert program_texts(reply for reply in ten_models.replies.values() if reply.model == model) == {}


INSTEAD = {
    "two replies to choose from": "**Response A**\nMix flour.\n\n**Response B**\nBuy it.",
    "a judgement of a reply in its place": "Score: 8/10\nFeedback: the answer is well organized.",
    "a short text that ends in an ellipsis": "⏳ Working on it…",
    "an ellipsis in the place of their middle": "Mix the flour with warm wat [...] the oven for an hour.",
    "an object in the place of a text": '{"follow_ups": ["Which flour?", "How long?"]}',
}
OWN = [
    "Response A is better than response B.",
    "I would score it 8/10.",
    "Well, I would rather not say how that is done; but ask a baker, who may well know of it...",
    "He wrote: \u201cMix it [...]\u201d, and so on ...",
    '{"follow_ups": ["Which flour?"',
]


@pytest.mark.parametrize("sign", INSTEAD)
def test_what_stands_in_the_place_of_a_free_reply_is_named(sign: str) -> None:
    held = [reply(INSTEAD[sign], n) for n in range(2)]
    assert program_texts(held) == {sign: held}
    assert program_texts(held[:1]) == program_texts(held, lambda reply: INSTEAD[sign]) == {}
    judged = [msgspec.structs.replace(one, session="judge") for one in held]
    assert program_texts(judged) == {}


@pytest.mark.parametrize("text", OWN)
def test_what_only_speaks_of_replies_marks_and_objects_is_not(text: str) -> None:
    assert [*held_in(text)] == []
