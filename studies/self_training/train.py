"""Train a model on the chats of `selfexec export --to sft`: its upper layers, by the loss of the last reply alone.

    python train.py MODEL OUT chats/train/own.jsonl chats/train/replay.jsonl
    python train.py MODEL OUT chats/train/own.jsonl chats/train/replay.jsonl --layers 0 --rate 1e-5    # all layers

MODEL is a folder as `save_pretrained` writes it, or a name on the Hugging Face hub, and OUT one that `selfexec run
--model local/OUT` asks. A GPU is used where there is one. The layers that are trained are held in 32 bits, all else in
16: of a model of 8B parameters with 10 of 32 layers that is some 45 GB. It wants torch and transformers.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

IGNORED = -100


def tokens_of(chat: dict[str, Any], tokenizer: Any) -> tuple[list[int], list[int]]:
    """The tokens of a chat by the model's own template, and those of its last reply and the end of that."""
    messages = chat["messages"]
    prompt = tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template(messages, tokenize=False)
    if not whole.startswith(prompt):
        raise SystemExit("The chat template does not put a reply behind its prompt: it cannot be trained on so.")
    parts = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in (prompt, whole[len(prompt) :])]
    return parts[0], parts[1]


def batches(
    chats: list[tuple[list[int], list[int]]], size: int, epochs: int, seed: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Tokens and targets, filled up on the right; each chat once in each epoch."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        order = torch.randperm(len(chats), generator=generator).tolist()
        for first in range(0, len(order), size):
            chosen = [chats[n] for n in order[first : first + size]]
            length = max(len(prompt) + len(reply) for prompt, reply in chosen)
            ids = torch.zeros(len(chosen), length, dtype=torch.long)
            targets = torch.full_like(ids, IGNORED)
            for row, (prompt, reply) in enumerate(chosen):
                end = len(prompt) + len(reply)
                ids[row, :end] = torch.tensor(prompt + reply)
                targets[row, len(prompt) : end] = ids[row, len(prompt) : end]
            yield ids, targets


def trained_parameters(model: Any, layers: int) -> list[Any]:
    """Those of the upper layers and of the last norm, of all layers where it is 0; held in 32 bits."""
    model.requires_grad_(False)
    base = model.base_model
    for part in [*base.layers[-layers:], base.norm]:
        part.float().requires_grad_(True)
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def train(given: argparse.Namespace) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = AutoTokenizer.from_pretrained(given.model)
    model = AutoModelForCausalLM.from_pretrained(given.model, dtype=torch.bfloat16).to(device)
    lines = [line for path in given.chats for line in path.read_text("utf-8").splitlines()]
    chats = [tokens_of(json.loads(line), tokenizer) for line in lines]
    parameters = trained_parameters(model, given.layers)
    optimiser = torch.optim.AdamW(parameters, lr=given.rate, betas=(0.9, 0.95), weight_decay=0.0)
    steps = given.epochs * -(-len(chats) // given.batch)
    for step, (ids, targets) in enumerate(batches(chats, given.batch, given.epochs, given.seed)):
        for group in optimiser.param_groups:  # it rises for ten steps, and falls to a tenth
            group["lr"] = given.rate * min((step + 1) / 10, 1 - 0.9 * step / steps)
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = model(ids.to(device), use_cache=False).logits[:, :-1].float()
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), targets[:, 1:].flatten().to(device), ignore_index=IGNORED
        )
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        optimiser.zero_grad()
        if step % 10 == 9 or step == steps - 1:
            print(f"step {step + 1} of {steps}: loss {loss.item():.3f}", flush=True)
    model.to(torch.bfloat16).save_pretrained(given.out)
    tokenizer.save_pretrained(given.out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("chats", type=Path, nargs="+", help="files of chats, which are mixed")
    parser.add_argument("--layers", type=int, default=10, help="how many of the upper layers are trained; 0: all")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=0)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
