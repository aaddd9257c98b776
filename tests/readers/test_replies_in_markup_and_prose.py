"""Replies in the markup of chat templates, in objects, tables and prose, and what looks like them and says nothing."""

import pytest
from replies_in_markup_and_prose import LOST, REPLIES
from test_replies_in_further_styles import value_of

from selfexec.readers.notation import plain_text


def test_no_reply_in_markup_or_prose_is_read_as_another_value_than_meant_and_none_is_invented() -> None:
    assert sum(reply.wanted is None for reply in REPLIES) > 90
    wrong = [
        (reply.text, value)
        for reply in REPLIES
        if (value := value_of(reply.session, reply.text)) is not None and value != reply.wanted
    ]
    assert not wrong


def test_all_replies_in_markup_and_prose_but_those_that_are_named_are_read() -> None:
    lost = {reply.text for reply in REPLIES if reply.wanted is not None and value_of(reply.session, reply.text) is None}
    assert lost == LOST


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<|channel|>analysis<|message|>B?<|end|><|start|>assistant<|channel|>final<|message|>A<|return|>", "A"),
        ("<|channel>thought\nB?<channel|>A", "A"),
        ("A<|im_end|>\n<|im_start|>user\nAnd this?<|im_end|>\n<|im_start|>assistant\nB", "A"),
        ("<|im_start|>user\nA or B?<|im_end|>\n<|im_start|>assistant\nB<|im_end|>", "B"),
        ("<｜Assistant｜>A<｜end▁of▁sentence｜>", "A"),
        ("a < b | c > d", "a < b | c > d"),
    ],
)
def test_what_a_chat_template_puts_around_a_reply_is_no_part_of_it(text: str, said: str) -> None:
    plain = plain_text(text)
    assert len(plain) == len(text)
    assert plain.split() == said.split()


def test_a_comment_is_blank_in_an_object_and_stands_in_a_string_or_in_prose() -> None:
    kept = '{"url": "https://a.org/#\\"x", "choice": "A"}'
    assert plain_text(kept) == kept
    prose = '{"choice": "A"}\n# "Why" it is so'
    assert plain_text(prose) == prose
    assert plain_text('{"a": 1, // not "b": 2\n"c": 3}').split() == ['{"a":', "1,", '"c":', "3}"]
