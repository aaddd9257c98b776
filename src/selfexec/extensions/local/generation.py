"""Several replies at once, token by token, from one model: a session that comes joins, one that is done leaves. Each
samples by a seed of its own: what it says does not hang on who else is there, but for the last bits of the arithmetic.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import RepetitionPenaltyLogitsProcessor
from transformers.cache_utils import DynamicCache, DynamicLayer

from selfexec.experiments import LEAST_LOGPROB, Injection
from selfexec.extensions.local.weights import Weights

ALIKE = 1.25  # prompts are read together where none is longer than the shortest by more than this factor
SHORT = 16  # and this many tokens


@dataclass(frozen=True)
class GenerationRequest:
    """A reply that is wanted: the tokens before it, how many it may have at most, and how it is sampled. Temperature 0
    takes the likeliest token. `likely` is for how many tokens at each place log-probabilities are kept, beside that of
    the one that is drawn; None where for none. `injection` says which tokens are forced into the reply, where any are.
    """

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
    """A reply under way: its tokens so far, and whether it ended by itself. `logprobs` has for each of them, where that
    is wanted, its log-probability and the likeliest tokens in its place, each with its own. `forced` has the
    log-probability of each token that was forced into it: these stand in a row, behind the first `injection.at`.
    """

    wanted: GenerationRequest
    tokens: list[int] = field(default_factory=list)
    logprobs: list[tuple[float, list[tuple[int, float]]]] = field(default_factory=list)
    ended: bool = False
    forced: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._draws = random.Random(self.wanted.seed)
        self._chances: list[float] = []

    @property
    def whole(self) -> bool:
        return self.ended or len(self.tokens) >= self.wanted.most

    @property
    def chance(self) -> float:
        """Of 0 to 1, for its next token: the same until it has that."""
        while len(self._chances) <= len(self.tokens):
            self._chances.append(self._draws.random())
        return self._chances[len(self.tokens)]

    @property
    def is_forced(self) -> bool:
        """Whether its next token is forced."""
        injection = self.wanted.injection
        if injection is None or injection.kind == "none":
            return False
        return injection.at <= len(self.tokens) < injection.at + injection.count

    @property
    def before(self) -> list[int]:
        """The tokens before its next one."""
        return [*self.wanted.prompt, *self.tokens]


class Batch:
    """Replies under way in one model. The keys and values of all their tokens but the last are kept."""

    def __init__(self, weights: Weights) -> None:
        self.rows: list[Row] = []
        self._weights = weights
        self._keeps_all = all(type(layer) is DynamicLayer for layer in DynamicCache(config=weights.model.config).layers)
        self._cache: Any = None
        self._mask: Any = None  # by row and place in the cache: whether there is a token of the row

    @property
    def open(self) -> bool:
        """Whether a reply can join those under way. It cannot where a model keeps less than all keys and values."""
        return self._keeps_all or not self.rows

    @torch.inference_mode()
    def join(self, coming: Sequence[Row]) -> None:
        """Read the prompts of more rows, with what they have said so far, and draw their next tokens."""
        device = self._weights.model.device
        for group in _alike(coming) if self._keeps_all else [coming]:
            longest = max(len(row.before) for row in group)
            # filled up on the left, so that all rows end at one place
            ids = torch.tensor([[0] * (longest - len(row.before)) + row.before for row in group], device=device)
            mask = torch.tensor([[0] * (longest - len(r.before)) + [1] * len(r.before) for r in group], device=device)
            cache = self._forward(group, ids, mask, (mask.cumsum(-1) - 1).clamp(min=0), None)
            self._add(group, cache, mask)

    @torch.inference_mode()
    def step(self) -> None:
        """Draw the next token of every row."""
        ids = torch.tensor([[row.tokens[-1]] for row in self.rows], device=self._mask.device)
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(self.rows), 1)], dim=1)
        places = self._mask.sum(-1, keepdim=True) - 1
        self._cache = self._forward(self.rows, ids, self._mask, places, self._cache)

    @torch.inference_mode()
    def keep(self, rows: Sequence[Row]) -> None:
        """Let go of all others, which take no more time."""
        if len(rows) == len(self.rows):
            return
        kept = [n for n, row in enumerate(self.rows) if row in rows]
        self.rows = [self.rows[n] for n in kept]
        if not kept:
            self._cache = self._mask = None
            return
        places = torch.tensor(kept, device=self._mask.device)
        self._mask = self._mask[places]
        self._cache.batch_select_indices(places)
        if self._keeps_all and (empty := int(self._mask.any(0).int().argmax())):  # of the longest, which has left
            self._mask = self._mask[:, empty:]
            for layer in self._cache.layers:
                layer.keys, layer.values = layer.keys[:, :, empty:], layer.values[:, :, empty:]

    def _forward(self, rows: Sequence[Row], ids: Any, mask: Any, places: Any, cache: Any) -> Any:
        """Draw a token for each of these rows; what the model keeps of those before."""
        found = self._weights.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=places,
            use_cache=True,
            **{self._weights.cache_name: cache},
            **self._weights.last_logits,
        )
        logits = found.logits[:, -1].float()
        models_own = _logprobs(rows, logits)
        forced = {n: self._forced(row, logits[n]) for n, row in enumerate(rows) if row.is_forced}  # before penalties
        for n, (row, token) in enumerate(zip(rows, _drawn(rows, logits), strict=True)):
            if n in forced:
                token, logprob = forced[n]
                row.forced.append(logprob)
            elif token in self._weights.ends:
                row.ended = True
                continue
            row.tokens.append(token)
            if n in models_own:
                row.logprobs.append(_at(models_own[n], token, row.wanted.likely or 0))
        return getattr(found, self._weights.cache_name)

    def _forced(self, row: Row, logits: Any) -> tuple[int, float]:
        """The token that an injection forces, and the log-probability that the model gives it."""
        injection, pieces = row.wanted.injection, self._weights.pieces
        assert injection is not None
        if injection.kind == "second":
            ends = self._weights.ends
            ranked = logits.topk(min(len(ends) + 2, len(logits))).indices.tolist()
            token = next(one for one in ranked[1:] if one not in ends)
        elif injection.kind == "least":
            token = pieces[int(logits[torch.tensor(pieces, device=logits.device)].argmin())]
        else:
            # the first so many of the same draws, however many are forced
            drawn = random.Random(injection.seed).choices(pieces, k=injection.count)
            token = drawn[len(row.tokens) - injection.at]
        return token, max(float(logits.log_softmax(-1)[token]), LEAST_LOGPROB)

    def _add(self, rows: Sequence[Row], cache: Any, mask: Any) -> None:
        if not self.rows:
            self.rows, self._cache, self._mask = [*rows], cache, mask
            return
        width = max(self._mask.shape[1], mask.shape[1])
        self._mask = torch.cat([_widened(one, width, 1) for one in (self._mask, mask)])
        for mine, theirs in zip(self._cache.layers, cache.layers, strict=True):
            mine.keys = torch.cat([_widened(one, width, 2) for one in (mine.keys, theirs.keys)])
            mine.values = torch.cat([_widened(one, width, 2) for one in (mine.values, theirs.values)])
        self.rows += rows


def _alike(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Groups of rows of about one length: what is filled up takes as long to read as what is said."""
    group: list[Row] = []
    for row in sorted(rows, key=lambda row: len(row.before)):
        if group and len(row.before) > ALIKE * len(group[0].before) + SHORT:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _widened(tensor: Any, width: int, axis: int) -> Any:
    """Filled up with zeros before what is there, along one axis."""
    shape = list(tensor.shape)
    shape[axis] = width - shape[axis]
    return torch.cat([tensor.new_zeros(shape), tensor], dim=axis) if shape[axis] else tensor


def _logprobs(rows: Sequence[Row], logits: Any) -> dict[int, Any]:
    """The logarithms of what the model gives to each token, whatever it is sampled by, for the rows that want them."""
    wanting = [n for n, row in enumerate(rows) if row.wanted.likely is not None]
    return dict(zip(wanting, logits[wanting].log_softmax(-1), strict=True)) if wanting else {}


def _at(logprobs: Any, token: int, likely: int) -> tuple[float, list[tuple[int, float]]]:
    """What is kept of a place: of the token that stands there, and of the likeliest."""
    values, others = logprobs.clamp(min=LEAST_LOGPROB).topk(min(likely, len(logprobs)))
    return max(float(logprobs[token]), LEAST_LOGPROB), list(zip(others.tolist(), values.tolist(), strict=True))


def _drawn(rows: Sequence[Row], logits: Any) -> list[int]:
    """The next token of each row. Rows that are sampled in one way are drawn together."""
    for n, row in enumerate(rows):
        if row.wanted.repetition_penalty != 1:
            before = torch.tensor([row.before], device=logits.device)
            logits[n] = RepetitionPenaltyLogitsProcessor(row.wanted.repetition_penalty)(before, logits[n : n + 1])[0]
    ways: dict[tuple[float, float, int], list[int]] = {}
    for n, row in enumerate(rows):
        ways.setdefault((row.wanted.temperature, row.wanted.top_p, int(row.wanted.top_k)), []).append(n)
    tokens = [0] * len(rows)
    for (temperature, top_p, top_k), places in ways.items():
        mine = logits[places] if len(ways) > 1 else logits
        if temperature == 0:
            found = mine.argmax(-1)
        else:
            chances = torch.tensor([rows[n].chance for n in places], dtype=torch.float64, device=logits.device)
            found = _sampled(mine / temperature, chances, top_p, top_k)
        for n, token in zip(places, found.tolist(), strict=True):
            tokens[n] = token
    return tokens


def _sampled(scores: Any, chances: Any, top_p: float, top_k: int) -> Any:
    """A token for each row of scores: that at which so much of the probability has been passed, from the likeliest on,
    as its chance of 0 to 1 says. Only the `top_k` likeliest count, and of these the fewest that make up `top_p`.
    """
    vocabulary = scores.shape[-1]
    size = min(top_k, vocabulary) if top_k else vocabulary
    scores, tokens = scores.topk(size) if size < vocabulary else scores.sort(descending=True, stable=True)
    mass = scores.softmax(-1).double().cumsum(-1)
    if top_p < 1:
        within = torch.cat([mass.new_ones(len(mass), 1, dtype=torch.bool), mass[:, :-1] < top_p], dim=1)
        last = within.sum(-1, keepdim=True) - 1
    else:
        last = torch.full_like(tokens[:, :1], size - 1)
    sought = chances[:, None] * mass.gather(-1, last)
    return tokens.gather(-1, torch.searchsorted(mass, sought, right=True).minimum(last))[:, 0]
