"""Weights and what belongs to them: where they are, the tokenizer with its chat template, how they are sampled."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partialmethod
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from selfexec.errors import InputError
from selfexec.extras import to_install

PIECE = 3  # letters that a piece of the vocabulary has at least that is forced at random
EXTRA = f"local models need torch and transformers. Install them: {to_install('local')}"


def refuse_unfound(model: str) -> None:
    """Raise InputError for a model that is written as a path where there is none. Hub names are looked up later."""
    where = place(model)
    if not where:
        raise InputError(f"model {model!r}: name weights: local/FOLDER, local/FILE.gguf or local/ORGANISATION/NAME.")
    path = Path(where).expanduser()
    looks_a_path = where.startswith((".", "/", "~")) or path.suffix == ".gguf"
    if looks_a_path and not path.exists():
        raise InputError(f"model {model!r}: there is no {path}.")


def place(model: str) -> str:
    """What stands behind `local/`."""
    return model.partition("/")[2]


@dataclass(frozen=True)
class Weights:
    """A model that can be asked. `name` is that of the user."""

    name: str
    model: Any
    tokenizer: Any

    def prompt(self, messages: Iterable[Mapping[str, str]], more: Mapping[str, Any]) -> tuple[list[int], bool]:
        """The tokens of a conversation by the model's own chat template, and whether it begins in a thought already.
        Where the assistant spoke last, the reply continues what it said. InputError: the template does not know `more`.
        """
        said = list(messages)
        if unknown := [name for name in more if name not in str(self.tokenizer.chat_template)]:
            raise InputError(f"model {self.name!r}: its chat template knows no {unknown[0]!r}. Leave it out.")
        goes_on = said[-1]["role"] == "assistant"
        if goes_on and (begun := self._begun(said, more)):
            return begun, said[-1]["content"].rstrip().endswith("<think>")
        text = self.tokenizer.apply_chat_template(
            said, tokenize=False, add_generation_prompt=not goes_on, continue_final_message=goes_on, **more
        )
        return self._ids(text), text.rstrip().endswith("<think>")

    def _begun(self, said: Sequence[Mapping[str, str]], more: Mapping[str, Any]) -> list[int] | None:
        """The tokens of a conversation whose last message begins the reply: those before the reply are the same as if
        nothing were begun, and the words of the beginning are as they were given, blanks at their end included. None
        where the reply is the only message, or the template has it begin in a thought: its own way is taken then.
        """
        if len(said) < 2:
            return None
        opened = self.tokenizer.apply_chat_template(
            said[:-1], tokenize=False, add_generation_prompt=True, continue_final_message=False, **more
        )
        if opened.rstrip().endswith("<think>"):
            return None
        head, whole = self._ids(opened), self._ids(opened + said[-1]["content"])
        # where a token would reach over the seam, the beginning is encoded by itself
        return whole if whole[: len(head)] == head else [*head, *self._ids(said[-1]["content"])]

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    @cached_property
    def pieces(self) -> Sequence[int]:
        """The tokens that are three letters or more and nothing else, but for a blank before them. InputError: the
        vocabulary has none.
        """
        special = {*self.tokenizer.all_special_ids, *self.ends}
        texts = ((id, self.tokenizer.decode([id]).removeprefix(" ")) for id in range(len(self.tokenizer)))
        found = [id for id, text in texts if len(text) >= PIECE and text.isalpha() and id not in special]
        if not found:
            raise InputError(
                f"model {self.name!r}: none of its tokens is a piece of {PIECE} letters that can be forced."
            )
        return found

    @cached_property
    def ends(self) -> frozenset[int]:
        """The tokens with which a reply ends."""
        found = [self.model.generation_config.eos_token_id, self.tokenizer.eos_token_id]
        return frozenset(id for ids in found if ids is not None for id in (ids if isinstance(ids, list) else [ids]))

    @cached_property
    def context(self) -> int:
        """How many tokens prompt and reply may have together."""
        return int(getattr(self.model.config.get_text_config(), "max_position_embeddings", None) or 2**31)

    @cached_property
    def sampling(self) -> dict[str, float]:
        """How the model is sampled where nobody says: as its makers have set, greedily where they did not."""
        theirs = self.model.generation_config
        named = ("temperature", "top_p", "top_k", "repetition_penalty")
        found = {name: value for name in named if (value := getattr(theirs, name, None)) is not None}
        if not theirs.do_sample:
            return {"temperature": 0.0, "repetition_penalty": found.get("repetition_penalty", 1.0)}
        return found

    @cached_property
    def last_logits(self) -> dict[str, int]:
        """What makes the model leave out the logits of a prompt's tokens, which fill gigabytes; not all know it."""
        return {"logits_to_keep": 1} if "logits_to_keep" in self._parameters else {}

    @cached_property
    def cache_name(self) -> str:
        """What the model calls the keys and values that it keeps, in what it takes and in what it gives: from
        transformers 5.24 on `cache`.
        """
        return "cache" if "cache" in self._parameters else "past_key_values"

    @cached_property
    def _parameters(self) -> frozenset[str]:
        return frozenset(inspect.signature(self.model.forward).parameters)


_HELD: WeakValueDictionary[str, Weights] = WeakValueDictionary()  # what somebody in this process holds


def load(name: str) -> Weights:
    """A model and its tokenizer, on a GPU where there is one: loaded, unless somebody holds it. InputError: that cannot
    be.
    """
    found = _HELD.get(name)
    if found is None:
        found = _HELD[name] = _loaded(name)
    return found


def _loaded(name: str) -> Weights:
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.utils import logging
    except ImportError:
        raise InputError(f"model {name!r}: {EXTRA}") from None
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    path = Path(place(name)).expanduser()
    there = (str(path.parent), {"gguf_file": path.name}) if path.suffix == ".gguf" else (str(path), {})
    if not path.exists():
        there = (place(name), {})  # of the hub
    device: dict[str, Any] = {"device_map": "auto"} if torch.cuda.is_available() else {}
    try:
        with no_bars_in_files():
            tokenizer = AutoTokenizer.from_pretrained(there[0], **there[1])
            model = AutoModelForCausalLM.from_pretrained(there[0], dtype="auto", **device, **there[1])
    except (OSError, ValueError, ImportError, KeyError) as fault:
        [said, *_] = str(fault).splitlines() or [type(fault).__name__]
        raise InputError(f"model {name!r}: its weights cannot be loaded ({said})") from None
    if not tokenizer.chat_template:
        raise InputError(
            f"model {name!r}: its tokenizer has no chat template, so it cannot hold a conversation. Use weights that "
            "were trained to chat (often called -Instruct or -it)."
        )
    return Weights(name, model.eval(), tokenizer)


@contextmanager
def no_bars_in_files() -> Iterator[None]:
    """Bars that are drawn while weights are read are drawn on a terminal alone: in a file they are a long line."""
    from tqdm import tqdm

    drawn = tqdm.__init__
    tqdm.__init__ = partialmethod(drawn, disable=None)
    try:
        yield
    finally:
        tqdm.__init__ = drawn
