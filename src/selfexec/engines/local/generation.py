"""Several replies at once, token by token, from one model. Each row samples for itself, by a seed of its own: what it
says does not hang on who else is in the batch, but for the last bits of the arithmetic.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import RepetitionPenaltyLogitsProcessor, TopKLogitsWarper, TopPLogitsWarper

from selfexec.engines.local.weights import Weights


@dataclass(frozen=True)
class Wanted:
    """A reply that is wanted: the tokens before it, how many it may have at most, and how it is sampled. Temperature 0
    takes the likeliest token.
    """

    prompt: Sequence[int]
    most: int
    seed: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    repetition_penalty: float = 1.0


@dataclass
class Row:
    """A reply under way: its tokens so far, and whether it ended by itself."""

    wanted: Wanted
    generator: Any
    tokens: list[int] = field(default_factory=list)
    ended: bool = False

    @property
    def whole(self) -> bool:
        return self.ended or len(self.tokens) >= self.wanted.most


@torch.inference_mode()
def generate(weights: Weights, wanted: Sequence[Wanted]) -> list[Row]:
    """A reply to each of the prompts, in their order."""
    device = weights.model.device
    rows = [Row(one, torch.Generator(device).manual_seed(one.seed)) for one in wanted]
    longest = max(len(one.prompt) for one in wanted)
    # filled up on the left, so that all replies begin at one place
    ids = torch.tensor([[0] * (longest - len(one.prompt)) + list(one.prompt) for one in wanted], device=device)
    mask = torch.tensor([[0] * (longest - len(r.prompt)) + [1] * len(r.prompt) for r in wanted], device=device)
    places = (mask.cumsum(-1) - 1).clamp(min=0)
    going, cache = [row for row in rows if not row.whole], None
    while going:
        found = weights.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=places,
            past_key_values=cache,
            use_cache=True,
            **weights.last_logits,
        )
        cache, logits = found.past_key_values, found.logits[:, -1].float()
        for row, mine in zip(going, logits, strict=True):
            token = _picked(row, mine)
            if token in weights.ends:
                row.ended = True
            else:
                row.tokens.append(token)
        still = [n for n, row in enumerate(going) if not row.whole]
        going = [going[n] for n in still]
        if not going:
            break
        kept = torch.tensor(still, device=device)
        if len(still) < len(ids):
            cache.batch_select_indices(kept)  # who is done takes no more time
        ids = torch.tensor([[row.tokens[-1]] for row in going], device=device)
        mask = torch.cat([mask[kept], mask.new_ones(len(going), 1)], dim=1)
        places = places[kept, -1:] + 1
    return rows


def _picked(row: Row, logits: Any) -> int:
    """The next token of a row."""
    wanted, scores = row.wanted, logits[None]
    before = torch.tensor([[*wanted.prompt, *row.tokens]], device=logits.device)
    if wanted.repetition_penalty != 1:
        scores = RepetitionPenaltyLogitsProcessor(wanted.repetition_penalty)(before, scores)
    if wanted.temperature == 0:
        return int(scores.argmax())
    scores = scores / wanted.temperature
    if wanted.top_k:
        scores = TopKLogitsWarper(int(wanted.top_k))(before, scores)
    if wanted.top_p < 1:
        scores = TopPLogitsWarper(wanted.top_p)(before, scores)
    return int(torch.multinomial(scores.softmax(-1), 1, generator=row.generator))
