"""Sessions as people read them, line by line: what is marked, cut, wrapped and said of a reply."""

from typing import Any

from selfexec.experiments import Key, Message
from selfexec.readers import Reading
from selfexec.runs.reply import Reply
from selfexec.runs.transcripts import BEGIN, END, Marks, prompt_text, session_lines

PREDICT, EXECUTE = (Key("m", "restriction", "1", 1, session) for session in ("predict", "execute"))


def lines(reading: Reading, key: Key = PREDICT, prompt: Any = None, width: int | None = None, **more: Any) -> list[str]:
    reply = Reply(**key.fields(), **{"text": "A", **more})
    return list(session_lines(key, prompt, reply, reading, Marks("<", ">"), width))


def said(text: str, evidence: str | None, width: int | None = None) -> list[str]:
    """The lines of a reply between what is said of it and what it was read as."""
    return lines(Reading("read", "A", evidence=evidence), text=text, width=width)[3:-1]


def test_a_session_is_its_key_its_prompt_its_reply_and_what_it_was_read_as() -> None:
    thoughts = "x" * 1_234
    more: dict[str, Any] = {"output_tokens": 1, "stop_reason": "stop", "parent": "predict", "reasoning": thoughts}
    assert lines(Reading("read", "A", evidence="A"), prompt="Why?\nOr not?", **more) == [
        str(PREDICT),
        "  prompt",
        "  │ Why?",
        "  │ Or not?",
        "  reasoning, which is not read (1,234 characters): --format json has it",
        "  reply (1 token, asked within predict, stop reason: stop)",
        "  │ <A>",
        '  read as "A"',
    ]
    assert lines(Reading("read", "A")) == [
        str(PREDICT),
        *lines(Reading("read", "A"))[1:2],
        "  reply",
        "  │ A",
        '  read as "A"',
    ]
    assert lines(Reading("read", "A"), output_tokens=0)[2] == "  reply (0 tokens)"


def test_a_reply_that_is_empty_or_none_says_so_and_a_refusal_is_shown() -> None:
    assert lines(Reading("unreadable", reason="format"), text="")[2:] == [
        "  reply: empty",
        "  unreadable (format: no answer in a recognised form)",
    ]
    lost = lines(Reading("missing", reason="it broke off"), text=None, error="it broke off")
    assert lost[2:] == ["  reply: none", "  missing (it broke off)"]
    assert lines(Reading("missing"), text=None)[-1] == "  missing"
    refused = lines(Reading("withheld", reason="model"), text=None, refusal="No.")
    assert refused[2:] == ["  reply", "  │ No.", "  withheld (by the model)"]
    assert lines(Reading("withheld", reason="provider"), text="")[-1] == "  withheld (by the provider)"
    # what "format" means is said of what could not be read alone
    assert lines(Reading("unreadable", reason="odd"))[-1] == "  unreadable (odd)"


def test_a_response_is_kept_not_read_and_judgements_stand_beside_the_rule() -> None:
    kept = lines(Reading("read", "answer"), EXECUTE)
    assert kept[-1] == '  kept, not read; by a fixed rule: "answer"'
    judged: dict[str, Any] = {"human": True, "judge:a": False, "judge:b": None, "judge:c": "partly"}
    found = lines(Reading("read", "answer", judged=judged), EXECUTE)[-1]
    assert [part.rpartition(": ")[2] for part in found.split("; ")[2:]] == ["yes", "no", "cannot tell", "partly"]
    several: dict[str, Any] = {"human": {"one": True, "two": None}}
    assert lines(Reading("read", "A", judged=several))[-1].endswith(": one yes, two cannot tell")
    assert lines(Reading("read", "A", probability=0.25))[-1] == '  read as "A", probability .250'


def test_the_last_place_of_the_words_that_were_read_is_marked() -> None:
    assert said("B or A or A.", "A") == ["  │ B or A or <A>."]
    assert said("A", None) == said("A", "") == said("A", "B") == ["  │ A"]
    assert said("x\ny\nz w", "y\nz") == ["  │ x", "  │ <y>", "  │ <z> w"]


def test_a_long_text_is_cut_before_and_behind_the_marked_words_and_not_in_them() -> None:
    whole = "b" * BEGIN + "d" * END
    assert said(whole, None) == [f"  │ {whole}"]
    left_out = "  │ [... 1 characters left out: --format json has them ...]"
    assert said("b" * BEGIN + "c" + "d" * END, None) == [f"  │ {'b' * BEGIN}", left_out, f"  │ {'d' * END}"]
    marked = "m" * (BEGIN + END + 1)
    assert said(whole + marked + whole, marked) == [f"  │ {whole}<{marked}>{whole}"]


def test_lines_are_wrapped_to_the_room_beside_the_bar_of_twenty_characters_at_least() -> None:
    text = "aaaa bbbb cccc dddd eeee ffff"
    assert said(text, None, 28) == ["  │ aaaa bbbb cccc dddd eeee", "  │  ffff"]
    assert said(text, None, 5) == said(text, None, 24) == ["  │ aaaa bbbb cccc dddd ", "  │ eeee ffff"]
    assert said(text, "dddd eeee", 24) == ["  │ aaaa bbbb cccc <dddd>", "  │ < eeee> ffff"]
    assert said("aaaa bbbb cccc dd-eeee", None, 24) == ["  │ aaaa bbbb cccc ", "  │ dd-eeee"]
    assert said("a\n\nb", None, 24) == ["  │ a", "  │ ", "  │ b"]
    assert said(text, None) == [f"  │ {text}"]


def test_a_conversation_says_who_said_what() -> None:
    turns = [Message("user", "Why?"), Message("assistant", "So."), Message("user", "How?")]
    assert prompt_text(turns) == "[user] Why?\n\n[assistant] So.\n\n[user] How?"
    assert prompt_text("Why?") == "Why?"
