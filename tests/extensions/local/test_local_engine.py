"""Weights in this process: a reply is what transformers itself would say, whichever sessions share the batch."""

import asyncio
import functools
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

import selfexec as sx
from selfexec.engines import Call, CallResult, Connection
from selfexec.errors import InputError
from selfexec.experiments import Injection, Key, Message
from selfexec.extensions.local import engine, weights
from selfexec.extensions.local.engine import LocalEngine, thoughts_apart
from selfexec.extensions.local.weights import Weights, no_bars_in_files
from selfexec.extras import to_install

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% if not (loop.last and m.role == 'assistant') %};{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% if enable_thinking %}<think>{% endif %}{% endif %}"
)

SIZES = {
    **{"vocab_size": 257, "eos_token_id": 256, "max_position_embeddings": 6000},
    **{"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4},
    "num_key_value_heads": 2,
}


# --- without torch ---------------------------------------------------------------------------------------------------


def test_without_the_extra_one_line_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=re.escape(to_install("local"))):
        sx.run(f"local/{tmp_path}", out=tmp_path / "r", limit=1)


def test_a_model_is_sampled_as_its_makers_have_set_and_greedily_where_they_did_not() -> None:
    def sampled(**theirs: object) -> dict[str, float]:
        config = SimpleNamespace(**{"temperature": 0.7, "top_p": 0.9, "top_k": None, **theirs})
        return Weights("local/x", SimpleNamespace(generation_config=config), None).sampling

    assert sampled(do_sample=True) == {"temperature": 0.7, "top_p": 0.9}
    assert sampled(do_sample=True, repetition_penalty=1.1)["repetition_penalty"] == 1.1
    assert sampled(do_sample=False) == {"temperature": 0.0, "repetition_penalty": 1.0}
    assert sampled(do_sample=False, repetition_penalty=1.1) == {"temperature": 0.0, "repetition_penalty": 1.1}


def test_weights_that_somebody_holds_are_not_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def load(name: str) -> Weights:
        loaded.append(name)
        return Weights(name, None, None)

    monkeypatch.setattr(weights, "_loaded", load)
    held = weights.load("local/a")
    assert weights.load("local/a") is held and weights.load("local/b").name == "local/b"
    assert loaded == ["local/a", "local/b"]
    del held
    assert weights.load("local/a").name == "local/a" and loaded[2:] == ["local/a"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("local/", "name weights: local/FOLDER, local/FILE.gguf or local/ORGANISATION/NAME."),
        ("local/./none", "there is no none."),
        ("local/there/is/no.gguf", "there is no there/is/no.gguf."),
    ],
)
def test_weights_that_are_not_there_are_refused_before_anything_is_asked(name: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        LocalEngine([name], Connection())
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "thinks", "parts"),
    [
        ("A", False, (None, "A")),
        ("<think>x y</think>\n\nA", False, ("x y", "A")),
        ("x y\n</think>A", True, ("x y", "A")),  # the template had opened it
        ("<think>x y", False, ("x y", "")),  # cut off before it answered
        ("A </think> B", False, (None, "A </think> B")),
    ],
)
def test_thoughts_stand_apart(text: str, thinks: bool, parts: tuple[str | None, str]) -> None:
    assert thoughts_apart(text, thinks) == parts


def test_a_bar_is_drawn_on_a_terminal_alone(capsys: pytest.CaptureFixture[str]) -> None:
    tqdm = pytest.importorskip("tqdm").tqdm
    with no_bars_in_files():
        assert list(tqdm(range(3), desc="Reading")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    assert list(tqdm(range(3), desc="Reading")) == [0, 1, 2]
    assert "Reading" in capsys.readouterr().err


# --- with weights that only count -----------------------------------------------------------------------------------


class OutOfMemoryError(RuntimeError):
    """As torch calls it."""


class Counting:
    """Stands in for weights: a prompt is as long as its text, and a reply says how it was wanted, and beside whom."""

    context, name, tokenizer = 100, "local/x", None
    sampling: ClassVar[dict[str, float]] = {"temperature": 0.6, "top_p": 0.9}
    seen: ClassVar[list[list[dict[str, str]]]] = []

    def prompt(self, messages: Any, more: Any) -> tuple[list[int], bool]:
        self.seen.append(messages)
        return [7] * sum(len(message["content"]) for message in messages), False


@dataclass(frozen=True)
class GenerationRequest:
    prompt: Sequence[int]
    most: int
    seed: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    repetition_penalty: float = 1.0
    likely: int | None = None
    injection: Injection | None = None


@dataclass(eq=False)
class Row:
    """Is whole with three tokens, each of which is the length of its prompt."""

    wanted: GenerationRequest
    tokens: list[int] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        return len(self.tokens) == 3

    whole = ended


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[list[GenerationRequest]]:
    """What was being answered after each step, by an engine whose memory suffices for five, and for no 17 tokens."""
    made: list[list[GenerationRequest]] = []

    class Batch:
        open = True

        def __init__(self, weights: Any) -> None:
            self.rows: list[Row] = []

        def join(self, coming: list[Row]) -> None:
            self.rows += coming
            if len(self.rows) > 5 or any(len(row.wanted.prompt) == 17 for row in self.rows):
                raise OutOfMemoryError
            if any(len(row.wanted.prompt) == 13 for row in self.rows):
                raise ValueError("unlucky")
            self._say(coming)

        def step(self) -> None:
            self._say(self.rows)

        def keep(self, rows: list[Row]) -> None:
            self.rows = [row for row in self.rows if row in rows]

        def _say(self, rows: list[Row]) -> None:
            for row in rows:
                assert not row.whole
                row.tokens.append(len(row.wanted.prompt))
            made.append([row.wanted for row in rows])

    def result(weights: Any, one: Any) -> CallResult:
        return CallResult("".join(map(str, one.row.tokens)), stop_reason="stop")

    monkeypatch.setitem(
        sys.modules,
        "selfexec.extensions.local.generation",
        SimpleNamespace(GenerationRequest=GenerationRequest, Row=Row, Batch=Batch),
    )
    monkeypatch.setattr(engine, "load", lambda name: Counting())
    monkeypatch.setattr(engine, "row_result", result)
    return made


def called(prompt: str, epoch: int = 1, **sampling: Any) -> Call:
    return Call(Key("local/x", "e", "i", epoch, "predict"), (Message("user", prompt),), sampling)


def counted(*prompts: str, at_once: int = 50, **sampling: Any) -> list[Any]:
    async def ask() -> list[Any]:
        async with LocalEngine(["local/x"], Connection(max_connections=at_once)) as opened:
            calls = [called(prompt, n, **sampling) for n, prompt in enumerate(prompts)]
            return await asyncio.gather(*map(opened.ask, calls), return_exceptions=True)

    return asyncio.run(ask())


def test_all_that_are_there_are_answered_together_as_far_as_may_be_open_at_once(
    batches: list[list[GenerationRequest]],
) -> None:
    assert [result.text for result in counted("a", "bb", "ccc", "dddd")] == ["111", "222", "333", "444"]
    assert [len(batch) for batch in batches] == [4, 4, 4]
    batches.clear()
    assert [result.text for result in counted("a", "bb", "ccc", "dddd", at_once=3)] == ["111", "222", "333", "444"]
    assert [len(batch) for batch in batches] == [3, 3, 3, 1, 1, 1]


def test_who_comes_later_joins_those_that_are_being_answered(batches: list[list[GenerationRequest]]) -> None:
    async def ask() -> list[CallResult]:
        async with LocalEngine(["local/x"], Connection(max_connections=2)) as opened:
            first = asyncio.create_task(opened.ask(called("a")))
            while not batches:
                await asyncio.sleep(0)
            return await asyncio.gather(first, opened.ask(called("bb")))

    assert [result.text for result in asyncio.run(ask())] == ["111", "222"]
    said = [sorted(len(one.prompt) for one in batch) for batch in batches]
    assert said[0] == [1] and [1, 2] in said and sum(map(len, said)) == 6


def test_who_was_given_up_takes_no_more_time(batches: list[list[GenerationRequest]]) -> None:
    async def ask() -> CallResult:
        async with LocalEngine(["local/x"], Connection()) as opened:
            given_up, goes_on = (asyncio.create_task(opened.ask(called(prompt))) for prompt in ("a", "bb"))
            while not batches:
                await asyncio.sleep(0)
            given_up.cancel()
            return await goes_on

    assert asyncio.run(ask()).text == "222"
    assert [len(one.prompt) for one in batches[-1]] == [2]


def test_what_does_not_fit_into_memory_is_tried_by_halves_and_keeps_its_order(
    batches: list[list[GenerationRequest]],
) -> None:
    prompts = ["x" * n for n in range(1, 12)]
    assert [result.text for result in counted(*prompts)] == [str(len(prompt)) * 3 for prompt in prompts]
    # eleven were too many, and five are their half
    assert [len(batch) for batch in batches] == [5, 5, 5, 5, 5, 5, 1, 1, 1]
    assert [len(one.prompt) for one in batches[0]] == [1, 2, 3, 4, 5]


def test_what_does_not_fit_by_itself_is_missing_and_costs_no_other(batches: list[list[GenerationRequest]]) -> None:
    large, small = counted("x" * 17, "xx")
    assert large.text is None and large.error == "memory does not suffice for it, not even by itself"
    assert small.text == "222"


def test_a_fault_costs_the_sessions_that_were_being_answered_and_no_others(
    batches: list[list[GenerationRequest]],
) -> None:
    bad, good = counted("x" * 13, "xx", at_once=1)
    assert isinstance(bad, ValueError) and good.text == "222"


def test_a_session_is_sampled_as_is_said_else_as_the_model_is(batches: list[list[GenerationRequest]]) -> None:
    counted("abc", "abc")
    first, second = batches[-1]
    assert (first.temperature, first.top_p, first.top_k, first.repetition_penalty) == (0.6, 0.9, 0, 1.0)
    assert first.most == 97  # what the context has room for
    assert first.seed != second.seed
    counted("abc", "abc", temperature=0, max_tokens=9, top_k=4)
    again, _ = batches[-1]
    assert (again.temperature, again.top_p, again.top_k, again.most) == (0, 0.9, 4, 9)
    assert again.seed == first.seed  # of the same session
    counted("abc", "abc", seed=1)
    assert batches[-1][0].seed != first.seed
    [full] = counted("x" * 100)
    assert full.error == "its 100 tokens do not fit into a context of 100"
    counted("x" * 99)
    assert batches[-1][0].most == 1


def test_a_system_prompt_stands_first(batches: list[list[GenerationRequest]]) -> None:
    counted("abc", system="Be.")
    assert len(batches[-1][0].prompt) == 6
    assert [(said["role"], said["content"]) for said in Counting.seen.pop()] == [("system", "Be."), ("user", "abc")]


# --- with a tiny model -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of random weights that speaks in bytes."""
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("weights")
    vocabulary = {sign: n for n, sign in enumerate([*sorted(pre_tokenizers.ByteLevel.alphabet()), "<eos>"])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    torch.manual_seed(1)
    LlamaForCausalLM(LlamaConfig(**SIZES)).save_pretrained(folder)
    return folder


def call(folder: Path, prompt: str, epoch: int = 1, *before: Message, **sampling: Any) -> Call:
    key = Key(f"local/{folder}", "restriction", "eggs", epoch, "predict")
    return Call(key, (*before, Message("user", prompt)), {"max_tokens": 12, **sampling})


def replies(folder: Path, *calls: Call, **connection: Any) -> list[CallResult]:
    async def ask() -> list[CallResult]:
        async with LocalEngine([f"local/{folder}"], Connection(**connection)) as engine:
            return await asyncio.gather(*map(engine.ask, calls))

    return asyncio.run(ask())


@pytest.mark.slow
def test_greedily_it_says_what_transformers_says(tiny: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny), AutoTokenizer.from_pretrained(tiny)
    prompts = ["Hello?", "A much longer question, of several words, with others beside it.", "?"]
    found = replies(tiny, *(call(tiny, prompt, temperature=0) for prompt in prompts))
    for prompt, result in zip(prompts, found, strict=True):
        ids = tokenizer(f"<user>{prompt};<assistant>", return_tensors="pt")
        theirs = model.generate(**ids, max_new_tokens=12, do_sample=False)[0, ids["input_ids"].shape[1] :]
        assert result.text == tokenizer.decode(theirs, skip_special_tokens=True)
        assert (result.input_tokens, result.output_tokens) == (ids["input_ids"].shape[1], 12)
        assert result.stop_reason == "length"


@pytest.mark.slow
def test_log_probabilities_are_the_models_own_whatever_a_reply_is_sampled_by(tiny: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny), AutoTokenizer.from_pretrained(tiny)
    asked = [
        call(tiny, "Hello?", temperature=0, repetition_penalty=9.0, logprobs=True, top_logprobs=3, max_tokens=40),
        call(tiny, "Something longer that is asked beside it.", logprobs=False),
        call(tiny, "Hello?", 2, temperature=3.0, top_k=5, logprobs=True),
    ]
    found, without, sampled = replies(tiny, *asked)
    ids = tokenizer("<user>Hello?;<assistant>", return_tensors="pt")
    before = ids["input_ids"].shape[1]
    whole = model.generate(**ids, max_new_tokens=40, do_sample=False, repetition_penalty=9.0)
    said = whole[0, before:].tolist()
    # what one pass over all of it gives to each token from those before it
    given = model(whole).logits[0, before - 1 : -1].log_softmax(-1)
    assert found.logprobs is not None and len(found.logprobs) == len(said) == 40
    for n, token in enumerate(found.logprobs):
        values, likeliest = given[n].topk(3)
        assert token.logprob == pytest.approx(given[n, said[n]].item(), abs=1e-4)
        assert [one.logprob for one in token.top_logprobs] == pytest.approx(values.tolist(), abs=1e-4)
        texts = [tokenizer.decode([one]) for one in likeliest.tolist()]
        for one, text in zip(token.top_logprobs, texts, strict=True):
            assert one.token == text or "\ufffd" in one.token + text  # a part of a letter
    assert found.logprobs[0].token == tokenizer.decode(said[:1])
    assert any(token.logprob < token.top_logprobs[0].logprob for token in found.logprobs)  # which the penalty chose
    assert without.logprobs is None
    assert sampled.logprobs is not None and len(sampled.logprobs) == sampled.output_tokens
    assert all(token.logprob < 0 and not token.top_logprobs for token in sampled.logprobs)


@pytest.mark.slow
def test_a_reply_hangs_on_its_session_alone(tiny: Path) -> None:
    calls = [call(tiny, "x" * n, epoch, temperature=0.7, top_p=0.9, top_k=40) for n in (3, 70) for epoch in (1, 2)]
    together = [result.text for result in replies(tiny, *calls)]
    assert [replies(tiny, one)[0].text for one in calls] == together
    for at_once in (1, 3):  # with 3, the fourth joins when one is done
        assert [result.text for result in replies(tiny, *calls, max_connections=at_once)] == together
    assert len(set(together)) == 4
    assert [o.text for o in replies(tiny, call(tiny, "xxx", 1, temperature=0.7, seed=8))] != together[:1]


@pytest.mark.slow
def test_a_reply_is_the_same_where_memory_gives_out_on_the_way(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import LlamaForCausalLM

    calls = [call(tiny, "x" * n, temperature=0.7, top_p=0.9) for n in (3, 30, 70, 9)]
    undisturbed = [result.text for result in replies(tiny, *calls)]
    forward, seen = LlamaForCausalLM.forward, []

    @functools.wraps(forward)
    def scarce(self: Any, *args: Any, **given: Any) -> Any:
        seen.append(len(given["input_ids"]))
        if len(seen) == 5 or (len(seen) > 5 and seen[-1] > 2):
            raise OutOfMemoryError
        return forward(self, *args, **given)

    monkeypatch.setattr(LlamaForCausalLM, "forward", scarce)
    assert [result.text for result in replies(tiny, *calls)] == undisturbed
    assert max(seen[:5]) == 4 and max(seen[5:]) == 2


@pytest.mark.slow
def test_replies_are_the_same_where_nobody_can_join_since_the_model_forgets(tiny: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer, MistralConfig, MistralForCausalLM

    shutil.copytree(tiny, tmp_path / "w")
    MistralForCausalLM(MistralConfig(**SIZES, sliding_window=16)).save_pretrained(tmp_path / "w")
    calls = [call(tmp_path / "w", "x" * n, temperature=0) for n in (3, 30, 70, 9)]
    model, tokenizer = (kind.from_pretrained(tmp_path / "w") for kind in (AutoModelForCausalLM, AutoTokenizer))
    found = replies(tmp_path / "w", *calls, max_connections=3)
    for one, result in zip(calls, found, strict=True):
        ids = tokenizer(f"<user>{one.prompt};<assistant>", return_tensors="pt")
        theirs = model.generate(**ids, max_new_tokens=12, do_sample=False)[0, ids["input_ids"].shape[1] :]
        assert result.text == tokenizer.decode(theirs, skip_special_tokens=True)


@pytest.mark.slow
def test_a_reply_ends_where_the_model_ends_it_and_others_go_on(tiny: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    prompts = ["Hello?", "Another one, that is not like it."]
    first, second = replies(tiny, *(call(tiny, prompt, temperature=0) for prompt in prompts))
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    said, others = (tokenizer(o.text, add_special_tokens=False)["input_ids"] for o in (first, second))
    ends = next(token for token in said if token not in others)  # from now on this token ends a reply
    model = AutoModelForCausalLM.from_pretrained(tiny)
    model.generation_config.eos_token_id = [ends]
    shutil.copytree(tiny, tmp_path / "w")
    model.save_pretrained(tmp_path / "w")
    first, second = replies(tmp_path / "w", *(call(tmp_path / "w", prompt, temperature=0) for prompt in prompts))
    assert (first.stop_reason, first.output_tokens) == ("stop", said.index(ends))
    assert (second.stop_reason, second.output_tokens) == ("length", 12)
    assert tokenizer(second.text, add_special_tokens=False)["input_ids"] == others


@pytest.mark.slow
def test_what_does_not_fit_into_the_context_costs_its_session_and_no_other(tiny: Path) -> None:
    long, short = replies(tiny, call(tiny, "x" * 6000), call(tiny, "x" * 5970, max_tokens=100))
    assert long.text is None and "do not fit into a context of 6,000" in str(long.error)
    assert short.output_tokens == 6000 - short.input_tokens < 100


@pytest.mark.slow
@pytest.mark.parametrize("sent", [{"frequency_penalty": 1}, {"temperature": -1}, {"max_tokens": 0}, {"top_p": "x"}])
def test_a_setting_that_it_cannot_heed_is_refused_by_name(tiny: Path, sent: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"setting {next(iter(sent))}"):
        replies(tiny, call(tiny, "Hello?", **sent))


@pytest.mark.slow
def test_a_prompt_is_what_the_template_makes_of_it(tiny: Path) -> None:
    plain, system, thinks = replies(
        tiny,
        call(tiny, "Hi"),
        call(tiny, "Hi", system="Be."),
        call(tiny, "Hi", chat_template_kwargs={"enable_thinking": True}),
    )
    assert plain.input_tokens == len("<user>Hi;<assistant>")
    assert system.input_tokens == len("<system>Be.;<user>Hi;<assistant>")
    assert thinks.input_tokens == len("<user>Hi;<assistant><think>")
    assert (thinks.text, thinks.reasoning_tokens) == ("", 12)  # it never left its thought
    with pytest.raises(InputError, match="its chat template knows no 'depth'"):
        replies(tiny, call(tiny, "Hi", chat_template_kwargs={"depth": 3}))
    begun = Call(call(tiny, "").key, (Message("user", "Hi"), Message("assistant", "I")), {"max_tokens": 1})
    assert replies(tiny, begun)[0].input_tokens == len("<user>Hi;<assistant>I")


@pytest.mark.slow
def test_weights_that_nobody_can_talk_to_are_refused(tiny: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny, tmp_path / "w")
    (tmp_path / "w" / "chat_template.jinja").unlink()
    with pytest.raises(InputError, match="no chat template"):
        replies(tmp_path / "w", call(tmp_path / "w", "Hi"))
    (tmp_path / "w" / "config.json").write_text("{}")
    with pytest.raises(InputError, match="its weights cannot be loaded"):
        replies(tmp_path / "w", call(tmp_path / "w", "Hi"))


@pytest.mark.slow
def test_a_run_ends_honestly_and_goes_on_where_it_was_cut_off(tiny: Path, tmp_path: Path) -> None:
    choices: dict[str, Any] = {"limit": 3, "out": tmp_path / "r", "settings": {"max_tokens": 20}}
    sx.run(f"local/{tiny}", max_calls=12, on_progress=lambda progress: None, **choices)
    run = sx.run(f"local/{tiny}", on_progress=lambda progress: None, **choices)
    whole = sx.run(f"local/{tiny}", on_progress=lambda progress: None, **{**choices, "out": tmp_path / "w"})
    assert {key: reply.text for key, reply in run.replies.items()} == {k: r.text for k, r in whole.replies.items()}
    assert not any(reply.failed for reply in run.replies.values())
    assert not run.manifest.simulated
    assert sx.score(run).table(120).count("No verdict:") == 3  # random bytes
