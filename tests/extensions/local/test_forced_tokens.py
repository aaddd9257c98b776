"""Tokens that are forced into a reply of weights in this process, and replies that were begun for them."""

import asyncio
import functools
import random
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfexec.engines import Call, CallResult, Connection
from selfexec.errors import InputError
from selfexec.experiments import Injection, Key, Message
from selfexec.extensions.local.engine import LocalEngine, row_result, session_seed
from selfexec.extensions.local.weights import Weights, load

WORDS = ("ribbon", "anchor", "whisper", "lantern", "copper", "gravel")
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}{% if not (loop.last and m.role == 'assistant') %};"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)

# --- without torch ---------------------------------------------------------------------------------------------------


class Pairs:
    """A tokenizer of letters, and of one token (1) for the two letters of `>o`; 0 ends a reply."""

    chat_template = ""
    eos_token_id = 0
    all_special_ids = (0,)
    opens_a_thought = False

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, list[int]]:
        return {"input_ids": [1 if part == "\1" else ord(part) for part in text.replace(">o", "\1")]}

    def decode(self, tokens: Sequence[int], skip_special_tokens: bool = False) -> str:
        return "".join(">o" if token == 1 else chr(token) for token in tokens if token or not skip_special_tokens)

    def apply_chat_template(self, messages: Sequence[Any], *, add_generation_prompt: bool, **more: Any) -> str:
        text = "".join(f"<{message['role'][0]}>{message['content'].strip()}" for message in messages)
        return text + "<a>" * add_generation_prompt + "<think>" * (add_generation_prompt and self.opens_a_thought)


def weights(tokenizer: Any = None) -> Weights:
    return Weights(
        "local/x", SimpleNamespace(generation_config=SimpleNamespace(eos_token_id=None)), tokenizer or Pairs()
    )


def prompt(given: Weights, *contents: str) -> tuple[str, list[int]]:
    roles = ("user", "assistant")
    ids, _ = given.prompt([{"role": roles[n % 2], "content": text} for n, text in enumerate(contents)], {})
    return given.tokenizer.decode(ids), ids


def test_a_begun_reply_has_the_tokens_before_it_that_an_unbegun_one_has() -> None:
    plain = prompt(weights(), "Hello?")[1]
    text, ids = prompt(weights(), "Hello?", "one")
    # by itself `>o` would be one token, which reaches over the seam
    assert text == "<u>Hello?<a>one" and ids[: len(plain)] == plain


def test_blanks_at_the_end_of_a_begun_reply_stay() -> None:
    assert prompt(weights(), "Hello?", "two ")[0] == "<u>Hello?<a>two "


def test_where_the_template_opens_a_thought_a_begun_reply_is_put_as_the_template_has_it() -> None:
    thinking = Pairs()
    thinking.opens_a_thought = True
    assert prompt(weights(thinking), "Hello?", "two")[0] == "<u>Hello?<a>two"


def test_a_session_with_an_injection_draws_like_the_undisturbed_one_of_its_kind() -> None:
    def seed(session: str, injection: Injection | None = None) -> int:
        return session_seed(Call(Key("m", "e", "i", 1, session), (Message("user", "x"),), injection=injection), 0)

    sham = Injection("none", 4, 2)
    assert seed("execute.none.4", sham) == seed("execute.random.2", Injection("random", 2, 2)) == seed("execute")
    assert seed("execute.none.4") != seed("execute")


@pytest.mark.parametrize(
    ("text", "forced", "at", "end"),
    [
        ("one two three", 1, 4, 5),  # four letters, and one that was forced
        ("one two three", 0, 4, 4),  # a sham
        ("one", 0, 4, 3),  # over before
        ("<think>ab</think>cdef", 0, 19, 2),  # two letters of the answer
        ("<think>ab</think>cdef", 1, 3, 0),  # within the thought
    ],
)
def test_what_came_behind_an_injection_begins_behind_the_forced_tokens(
    text: str, forced: int, at: int, end: int
) -> None:
    injection = Injection("random", forced, at)
    wanted = SimpleNamespace(prompt=[7], likely=None, injection=injection)
    row = SimpleNamespace(wanted=wanted, tokens=[ord(c) for c in text], ended=True, forced=[-3.0] * forced)
    session: Any = SimpleNamespace(row=row, thinks=False)
    found = row_result(weights(), session)
    assert found.forced_end == end
    assert [token.token for token in found.forced or ()] == [*text[at : at + forced]]
    assert row_result(weights(), _plain(session)).forced_end is None


def _plain(session: Any) -> Any:
    session.row.wanted.injection = None
    return session


def test_a_vocabulary_without_pieces_of_three_letters_is_refused() -> None:
    class Letters(Pairs):
        def __len__(self) -> int:
            return 100

    with pytest.raises(InputError, match=r"^model 'local/x': none of its tokens is a piece of 3 letters"):
        _ = weights(Letters()).pieces


# --- with a tiny model -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of random weights that speaks in bytes and six words."""
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("weights")
    signs = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "<eos>"]
    parts = [word[:n] for word in WORDS for n in range(2, len(word) + 1)]
    merges = [(part[:-1], part[-1]) for part in parts]
    vocabulary = {sign: n for n, sign in enumerate(dict.fromkeys([*signs, *parts]))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    eos = {"vocab_size": len(vocabulary), "eos_token_id": vocabulary["<eos>"], "max_position_embeddings": 6000}
    LlamaForCausalLM(LlamaConfig(**sizes, **eos, num_key_value_heads=2)).save_pretrained(folder)
    return folder


def call(folder: Path, session: str, injection: Injection | None = None, item: str = "a", **sampling: Any) -> Call:
    key = Key(f"local/{folder}", "e", item, 1, session)
    return Call(key, (Message("user", f"Hello, {item}?"),), {"max_tokens": 20, **sampling}, injection=injection)


def replies(folder: Path, *calls: Call, **connection: Any) -> list[CallResult]:
    async def ask() -> list[CallResult]:
        async with LocalEngine([f"local/{folder}"], Connection(**connection)) as engine:
            return await asyncio.gather(*map(engine.ask, calls))

    return asyncio.run(ask())


WAYS: list[dict[str, Any]] = [{"temperature": 0}, {"temperature": 1.0}, {"temperature": 0.7, "top_p": 0.9, "top_k": 40}]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_sham_is_the_undisturbed_reply(tiny: Path, way: dict[str, Any]) -> None:
    items = [*"abcdefgh"]
    plain = [call(tiny, "execute", None, item, logprobs=True, **way) for item in items]
    sham = [call(tiny, "execute.none.4", Injection("none", 4, 6), item, logprobs=True, **way) for item in items]
    found = replies(tiny, *plain, *sham)
    undisturbed, disturbed = found[: len(items)], found[len(items) :]
    assert [one.text for one in disturbed] == [one.text for one in undisturbed]
    assert [one.output_tokens for one in disturbed] == [one.output_tokens for one in undisturbed]
    assert all(one.forced == () for one in disturbed)
    assert len({one.text for one in undisturbed}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["second", "random", "least"])
def test_what_is_forced_is_what_its_kind_says_with_the_log_probability_that_one_pass_gives(
    tiny: Path, kind: Any, way: dict[str, Any]
) -> None:
    import torch

    held = load(f"local/{tiny}")
    plain, forced = replies(
        tiny,
        call(tiny, "execute", logprobs=True, **way),
        call(tiny, f"execute.{kind}.3", Injection(kind, 3, 5, 9), logprobs=True, **way),
    )
    assert forced.output_tokens == 20 and forced.logprobs is not None and plain.logprobs is not None
    assert [one.token for one in forced.logprobs[:5]] == [one.token for one in plain.logprobs[:5]]
    assert [(one.token, one.logprob) for one in forced.logprobs[5:8]] == [
        (one.token, one.logprob) for one in forced.forced or ()
    ]
    pieces = [id for word in WORDS for id in range(len(held.tokenizer)) if held.tokenizer.decode([id]) == word]
    before, _ = held.prompt([{"role": "user", "content": "Hello, a?"}], {})
    ids = before + _ids(held, plain, 5)
    drawn = random.Random(9).choices(held.pieces, k=3)
    for n, token in enumerate(forced.forced or ()):
        logprobs = held.model(torch.tensor([ids])).logits[0, -1].detach().float().log_softmax(-1)
        if kind == "second":
            id = next(one for one in logprobs.topk(3).indices.tolist()[1:] if one not in held.ends)
        elif kind == "least":
            id = min((one for one in held.pieces), key=lambda one: float(logprobs[one]))
        else:
            id = drawn[n]
        assert kind == "second" or id in held.pieces
        assert token.logprob == pytest.approx(float(logprobs[id]), abs=1e-4)
        ids.append(id)
    assert set(pieces) <= {*held.pieces}


def _ids(held: Weights, result: CallResult, first: int) -> list[int]:
    """The ids of the first tokens of a reply, found again by their log-probabilities: single bytes are no text."""
    import torch

    ids, _ = held.prompt([{"role": "user", "content": "Hello, a?"}], {})
    start = len(ids)
    for token in (result.logprobs or ())[:first]:
        logprobs = held.model(torch.tensor([ids])).logits[0, -1].detach().float().log_softmax(-1)
        ids.append(int((logprobs - token.logprob).abs().argmin()))
    return ids[start:]


@pytest.mark.slow
def test_a_larger_dose_of_random_pieces_begins_with_the_smaller_one(tiny: Path) -> None:
    one, four = replies(
        tiny, *(call(tiny, f"execute.random.{n}", Injection("random", n, 3, 5), temperature=0) for n in (1, 4))
    )
    assert (four.forced or ())[:1] == (one.forced or ()) and len(four.forced or ()) == 4


@pytest.mark.slow
def test_forced_tokens_count_to_the_most_that_a_reply_may_have(tiny: Path) -> None:
    [found] = replies(tiny, call(tiny, "execute.least.9", Injection("least", 9, 4), temperature=0, max_tokens=8))
    assert found.output_tokens == 8 and len(found.forced or ()) == 4 and found.stop_reason == "length"


@pytest.mark.slow
def test_a_disturbed_reply_is_the_same_where_memory_gives_out_on_the_way(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import LlamaForCausalLM

    class OutOfMemoryError(RuntimeError):
        """As torch calls it."""

    calls = [call(tiny, "execute.random.3", Injection("random", 3, 2, 5), item, temperature=0.7) for item in "abcd"]
    undisturbed = [result.text for result in replies(tiny, *calls)]
    forward, seen = LlamaForCausalLM.forward, []

    @functools.wraps(forward)
    def scarce(self: Any, *args: Any, **given: Any) -> Any:
        seen.append(len(given["input_ids"]))
        if len(seen) == 4 or (len(seen) > 4 and seen[-1] > 2):
            raise OutOfMemoryError
        return forward(self, *args, **given)

    monkeypatch.setattr(LlamaForCausalLM, "forward", scarce)
    assert [result.text for result in replies(tiny, *calls)] == undisturbed
