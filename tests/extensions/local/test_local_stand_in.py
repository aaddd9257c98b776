"""Local models with stand-ins for torch and the weights: where weights are looked for, what a prompt and a reply are
made of, and what becomes of a session that is given up.
"""

import asyncio
import hashlib
import math
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from selfexec.engines import Call, CallResult, Connection
from selfexec.errors import InputError
from selfexec.experiments import Key, Likely, Message, Token
from selfexec.extensions.local import engine
from selfexec.extensions.local.engine import (
    LocalEngine,
    checked_sampling,
    likeliest_wanted,
    row_logprobs,
    row_result,
    session_seed,
)
from selfexec.extensions.local.engine_type import local_thinking
from selfexec.extensions.local.weights import Weights, load, refuse_unfound


class Letters:
    """A tokenizer whose tokens are letters; 1 begins a text and 0 ends it, where special tokens are wanted."""

    chat_template: str | None = "{{ enable_thinking }}"
    eos_token_id: Any = 0

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, list[int]]:
        return {"input_ids": [1] * add_special_tokens + [ord(letter) for letter in text]}

    def decode(self, tokens: Sequence[int], skip_special_tokens: bool = False) -> str:
        return "".join(chr(token) for token in tokens if token > 1 or not skip_special_tokens)

    def apply_chat_template(
        self,
        messages: Sequence[Any],
        *,
        tokenize: bool,
        add_generation_prompt: bool,
        continue_final_message: bool,
        enable_thinking: bool = False,
    ) -> str:
        assert not tokenize
        text = "".join(f"{message['role'][0]}:{message['content']};" for message in messages)
        text = text.removesuffix(";") if continue_final_message else text
        return text + "a:" * add_generation_prompt + "<think>\n" * enable_thinking


def weights_with(tokenizer: Any = None, config: Any = None, forward: Any = None, **generation: Any) -> Weights:
    model = SimpleNamespace(
        generation_config=SimpleNamespace(**{"eos_token_id": None, "do_sample": False, **generation}),
        config=SimpleNamespace(get_text_config=lambda: config),
        forward=forward,
    )
    return Weights("local/x", model, tokenizer or Letters())


def text_of(tokens: Sequence[int]) -> str:
    return "".join(map(chr, tokens))


# --- where weights are -----------------------------------------------------------------------------------------------


def test_only_what_is_written_as_a_path_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.gguf").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for there in ("local/organisation/name", f"local/{tmp_path}", "local/x.gguf", "local/~/x.gguf", "local/./x.gguf"):
        refuse_unfound(there)
    for missing in ("local/y.gguf", "local/~/y", "local//no/such/folder", "local/../no-such-folder"):
        with pytest.raises(InputError, match=r"there is no "):
            refuse_unfound(missing)


class Bar:
    """A bar of progress, as they are drawn while weights are loaded."""

    def __init__(self, disable: bool | None = False) -> None:
        self.disable = disable


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What is used of torch and transformers: it keeps what is asked for. Where there is a `fault`, weights have it."""
    given = SimpleNamespace(asked=[], gpu=False, fault=None, tokenizer=Letters(), said=[])

    def from_pretrained(found: Any) -> Any:
        def loaded(place: str, **how: Any) -> Any:
            given.asked.append((place, how))
            assert Bar().disable is None  # on a terminal alone
            if given.fault:
                raise given.fault
            return found()

        return SimpleNamespace(from_pretrained=loaded)

    logging = SimpleNamespace(
        set_verbosity_error=lambda: given.said.append("errors only"),
        disable_progress_bar=lambda: given.said.append("no bar"),
    )
    transformers = SimpleNamespace(
        AutoTokenizer=from_pretrained(lambda: given.tokenizer),
        AutoModelForCausalLM=from_pretrained(lambda: SimpleNamespace(eval=lambda: "a model that learns no more")),
    )
    torch = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: given.gpu))
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=Bar))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    monkeypatch.setitem(sys.modules, "transformers.utils", SimpleNamespace(logging=logging))
    return given


def test_weights_are_loaded_from_their_folder_their_file_or_the_hub_and_onto_a_gpu_where_there_is_one(
    tmp_path: Path, package: SimpleNamespace
) -> None:
    (tmp_path / "x.gguf").touch()
    assert load(f"local/{tmp_path}").model == "a model that learns no more"
    load(f"local/{tmp_path}/x.gguf")
    package.gpu = True
    found = load("local/organisation/name")
    assert (found.name, found.tokenizer) == ("local/organisation/name", package.tokenizer)
    file, gpu = {"gguf_file": "x.gguf"}, {"device_map": "auto"}
    assert package.asked == [
        *((str(tmp_path), {}), (str(tmp_path), {"dtype": "auto"})),
        *((str(tmp_path), file), (str(tmp_path), {"dtype": "auto", **file})),
        *(("organisation/name", {}), ("organisation/name", {"dtype": "auto", **gpu})),
    ]
    assert package.said == ["errors only", "no bar"] * 3 and Bar().disable is False


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (OSError("no such weights\nand much more"), "no such weights"),
        (ValueError(""), "ValueError"),
        (ImportError("gguf is lacking"), "gguf is lacking"),
        (KeyError("architecture"), "'architecture'"),
    ],
)
def test_weights_that_cannot_be_loaded_are_refused_with_the_first_line_of_why(
    fault: Exception, said: str, package: SimpleNamespace
) -> None:
    package.fault = fault
    with pytest.raises(InputError) as refused:
        load("local/organisation/name")
    assert str(refused.value) == f"model 'local/organisation/name': its weights cannot be loaded ({said})"


def test_weights_without_a_chat_template_are_refused(package: SimpleNamespace) -> None:
    package.tokenizer.chat_template = None
    with pytest.raises(InputError, match="its tokenizer has no chat template"):
        load("local/organisation/name")


# --- what a prompt is made of, and a reply ---------------------------------------------------------------------------


def test_a_prompt_asks_for_a_reply_or_goes_on_with_what_the_assistant_said() -> None:
    there = weights_with()
    user, assistant = {"role": "user", "content": "Q"}, {"role": "assistant", "content": "I"}
    prompts = [there.prompt([user], {}), there.prompt([user, assistant], {}), there.prompt([user, assistant, user], {})]
    assert [text_of(tokens) for tokens, _ in prompts] == ["u:Q;a:", "u:Q;a:I", "u:Q;a:I;u:Q;a:"]
    assert not any(thinks for _, thinks in prompts)
    tokens, thinks = there.prompt([user], {"enable_thinking": True})
    assert (text_of(tokens), thinks) == ("u:Q;a:<think>\n", True)
    with pytest.raises(InputError, match=r"^model 'local/x': its chat template knows no 'depth'\. Leave it out\.$"):
        there.prompt([user], {"enable_thinking": True, "depth": 3})


@pytest.mark.parametrize(
    ("models", "tokenizers", "ends"),
    [([1, 2], 3, {1, 2, 3}), (1, None, {1}), (None, 0, {0}), (None, None, set())],
)
def test_a_reply_ends_with_what_the_model_or_its_tokenizer_says(models: Any, tokenizers: Any, ends: set[int]) -> None:
    tokenizer = Letters()
    tokenizer.eos_token_id = tokenizers
    assert weights_with(tokenizer, eos_token_id=models).ends == ends


def test_a_context_is_as_long_as_the_model_says_and_else_without_an_end() -> None:
    assert weights_with(config=SimpleNamespace(max_position_embeddings=4096)).context == 4096
    assert weights_with(config=SimpleNamespace()).context > 10**9


def test_only_a_model_that_can_leave_out_logits_is_told_to() -> None:
    assert weights_with(forward=lambda ids, logits_to_keep: None).last_logits == {"logits_to_keep": 1}
    assert weights_with(forward=lambda ids: None).last_logits == {}


def test_keys_and_values_are_kept_under_the_name_that_the_model_has_for_them() -> None:
    assert weights_with(forward=lambda ids, past_key_values: None).cache_name == "past_key_values"
    assert weights_with(forward=lambda ids, cache: None).cache_name == "cache"


def replied(text: str, prompt: int, *, thinks: bool = False, ended: bool = True) -> CallResult:
    """What is made of a reply to a prompt of so many tokens. The end of a reply may be among its tokens."""
    tokens = [*map(ord, text)] + [0] * ended
    row = SimpleNamespace(
        wanted=SimpleNamespace(prompt=[7] * prompt, likely=None, injection=None), tokens=tokens, ended=ended
    )
    waiting: Any = SimpleNamespace(row=row, thinks=thinks)
    return row_result(weights_with(), waiting)


def test_thoughts_are_counted_apart_and_a_reply_that_was_cut_off_says_so() -> None:
    # 7 + 2 + 8 + 2 + 3 letters and the end are 23 tokens; the answer has 3
    assert replied("<think>ab</think>\n\nyes", 5) == CallResult(
        "yes", input_tokens=5, output_tokens=23, reasoning="ab", reasoning_tokens=20, stop_reason="stop"
    )
    assert replied("no", 6) == CallResult("no", input_tokens=6, output_tokens=3, stop_reason="stop")
    assert replied("still th", 7, thinks=True, ended=False) == CallResult(
        "", input_tokens=7, output_tokens=8, reasoning="still th", reasoning_tokens=8, stop_reason="length"
    )
    assert replied("<think>a <think> b</think>c", 1).reasoning == "a <think> b"  # it thought of the word


class Words(Letters):
    """A tokenizer whose tokens are words: as many do, it leaves out the blank of one that stands alone."""

    def decode(self, tokens: Sequence[int], skip_special_tokens: bool = False) -> str:
        return " ".join(("I", "will", "not", "<end>")[token] for token in tokens)


def test_each_token_reads_as_it_does_behind_the_one_before_it() -> None:
    kept = [(-0.1, [(0, -0.1)]), (-0.2, [(1, -0.2), (3, -1.9)]), (-0.3, [])]
    row = SimpleNamespace(wanted=SimpleNamespace(likely=2), tokens=[0, 1, 2], logprobs=kept)
    assert row_logprobs(weights_with(Words()), row) == (  # type: ignore[arg-type]
        Token("I", -0.1, (Likely("I", -0.1),)),
        Token(" will", -0.2, (Likely(" will", -0.2), Likely(" <end>", -1.9))),
        Token(" not", -0.3),
    )
    row.wanted.likely = None
    assert row_logprobs(weights_with(Words()), row) is None  # type: ignore[arg-type]


# --- settings and seeds ----------------------------------------------------------------------------------------------


def session(prompt: str = "Q", item: str = "i", model: str = "local/x", **sampling: Any) -> Call:
    return Call(Key(model, "e", item, 2, "predict"), (Message("user", prompt),), sampling)


@pytest.mark.parametrize("name", ["temperature", "top_p", "top_k", "repetition_penalty", "seed", "max_tokens"])
def test_a_setting_is_a_number_from_0_on_and_of_tokens_from_1_on(name: str) -> None:
    least = 1 if name == "max_tokens" else 0
    for good in (least, least + 0.5, 10**6):
        assert checked_sampling(session(**{name: good})) == {name: good}
    for bad in (least - 0.5, math.inf, math.nan, True, "1", None):
        with pytest.raises(InputError, match=rf"^setting {name}=.*: give a number of {least} or more\.$"):
            checked_sampling(session(**{name: bad}))


def test_what_is_no_number_is_sent_as_it_is_and_what_nobody_heeds_refused() -> None:
    sent = {"system": "Be.", "chat_template_kwargs": {"enable_thinking": True}}
    assert checked_sampling(session(**sent)) == sent
    with pytest.raises(InputError, match=r"^setting min_p: local models know temperature, top_p, top_k, "):
        checked_sampling(session(min_p=0.1))


def test_log_probabilities_are_kept_where_they_are_wanted_of_as_many_tokens_as_are() -> None:
    def likely(needs: frozenset[Any] = frozenset(), **sampling: Any) -> int | None:
        call = msgspec.structs.replace(session(**sampling), needs=needs)
        return likeliest_wanted(call, checked_sampling(call))

    assert likely() is None and likely(logprobs=False, top_logprobs=3) is None
    assert likely(logprobs=True) == 0 and likely(top_logprobs=3) == 3 and likely(logprobs=True, top_logprobs=20) == 20
    assert likely(frozenset({"logprobs"})) == 0 and likely(frozenset({"turns"})) is None
    for name, value in {"logprobs": 5, "top_logprobs": 21}.items():
        with pytest.raises(InputError, match=rf"^setting {name}={value}: "):
            likely(**{name: value})


def test_a_seed_is_the_first_56_bits_of_the_sessions_name() -> None:
    name = "\x1f".join(["8", "local/x", "e", "i", "2", "predict", "()"])
    # 14 digits of 4 bits each
    assert session_seed(session(), 8) == int(hashlib.sha256(name.encode()).hexdigest()[:14], 16)
    assert session_seed(session(item="\ud800"), 8) == session_seed(
        session(item="?"), 8
    )  # half a letter is no reason to fail


# --- sessions that wait ----------------------------------------------------------------------------------------------


class Roomy(Weights):
    """Weights with a context of 5,000 tokens, sampled greedily."""

    context = 5000
    sampling = {"temperature": 0.0}


class Answered:
    """The sessions that were answered, each with the third letter of its prompt, the first that the user said; and what
    is done meanwhile.
    """

    def __init__(self) -> None:
        self.made: list[list[Any]] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def batch(self, weights: Weights) -> Any:
        def join(rows: Sequence[Any]) -> None:
            self.made.append([row.wanted for row in rows])
            self.meanwhile()
            for row in rows:
                row.tokens, row.whole, row.ended = row.wanted.prompt[2:3], True, True

        return SimpleNamespace(rows=[], open=True, keep=lambda rows: None, join=join)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Answered:
    found = Answered()
    generation = SimpleNamespace(
        GenerationRequest=lambda prompt, **how: SimpleNamespace(prompt=prompt, **how),
        Row=lambda wanted: SimpleNamespace(wanted=wanted, whole=False),
        Batch=found.batch,
    )
    monkeypatch.setitem(sys.modules, "selfexec.extensions.local.generation", generation)
    monkeypatch.setattr(engine, "load", lambda name: Roomy(name, None, Letters()))
    return found


def test_what_is_said_reaches_the_prompt_and_what_is_not_has_its_defaults(answered: Answered) -> None:
    async def ask() -> list[CallResult]:
        async with LocalEngine(["local/x", "local/y"], Connection()) as there:
            return [
                await there.ask(session("A")),
                await there.ask(session("B", model="local/y", chat_template_kwargs={"enable_thinking": True}, seed=3)),
                await there.ask(session("x" * 4994)),
                await there.ask(session("x" * 4995)),
            ]

    _, thinking, last, none = asyncio.run(ask())
    [plain], [thinks], [full] = answered.made
    assert (text_of(plain.prompt), plain.most, plain.temperature) == ("u:A;a:", 1024, 0.0)
    assert (plain.seed, thinks.seed) == (session_seed(session("A"), 0), session_seed(session("B", model="local/y"), 3))
    assert text_of(thinks.prompt) == "u:B;a:<think>\n" and (thinking.text, thinking.reasoning) == ("", "B")
    # the template has 5 letters of its own: 4,999 leave room for one token, and 5,000 for none
    assert (full.most, last.text) == (1, "x")
    assert (none.text, none.error) == (None, "its 5,000 tokens do not fit into a context of 5,000")


@pytest.mark.parametrize("fails", [False, True])
def test_a_session_that_is_given_up_is_not_answered_and_costs_no_other(fails: bool, answered: Answered) -> None:
    answering, given_up = threading.Event(), threading.Event()

    def meanwhile() -> None:
        answering.set()
        assert given_up.wait(20)
        if fails and len(answered.made) == 1:
            raise ValueError("unlucky")

    answered.meanwhile = meanwhile

    async def ask() -> list[Any]:
        async with asyncio.timeout(60), LocalEngine(["local/x"], Connection()) as there:
            early, late, stays = (asyncio.create_task(there.ask(session(prompt))) for prompt in "ABC")
            await asyncio.sleep(0)  # all three wait
            early.cancel()
            await asyncio.to_thread(answering.wait, 20)
            late.cancel()
            await asyncio.wait([late])
            given_up.set()
            found = await asyncio.gather(early, late, stays, return_exceptions=True)
            return [*found, await there.ask(session("D"))]

    early, late, stays, after = asyncio.run(ask())
    assert [text_of([one.prompt[2] for one in wanted]) for wanted in answered.made] == ["BC", "D"]
    assert isinstance(early, asyncio.CancelledError) and isinstance(late, asyncio.CancelledError)
    assert isinstance(stays, ValueError) if fails else stays.text == "C"
    assert after.text == "D"


def test_weights_are_told_to_think_or_not_by_their_template_and_a_budget_is_none_of_it() -> None:
    def told(level: str) -> Any:
        return local_thinking("local/m", Connection(), level, {})

    assert [told(level) for level in ("on", "off", "low", "1024")] == [
        {"chat_template_kwargs": {"enable_thinking": True}},
        {"chat_template_kwargs": {"enable_thinking": False}},
        *(None, None),
    ]
