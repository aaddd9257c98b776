"""How many replies change where they are cut and gone on with, although nothing is put in:
`python benchmarks/begun_replies.py MODEL [--base-url URL]`.

Over HTTP a reply is disturbed as text: its beginning is sent, and the server cuts it into tokens anew. Each prompt is
asked greedily, then once more in the same way, and then with the first half of the words of its own reply as the
beginning; with `--within` of its characters, which mostly ends within a word. The share of replies that differ is what
cutting alone does; that of those asked once more is what the server does by itself. A reply that was cut off for its
length is the same as one that goes on behind it.
"""

import argparse
import asyncio
import re
from collections.abc import Mapping, Sequence

from selfexec.engines import Call, CallResult, Connection, Engine, engine_for
from selfexec.experiments import EXPERIMENTS, Key, Message
from selfexec.items import load

SOURCES: Mapping[str, str] = {"token_injection": "tasks", "self_simulation": "free prompts"}
NEEDS = EXPERIMENTS["token_injection"].needs


def prompts_of(limit: int) -> dict[str, list[str]]:
    """The first prompts of each experiment whose items are plain prompts, by what they are."""
    items = load("starter").items
    return {what: [item.prompt for item in list(items[name].values())[:limit]] for name, what in SOURCES.items()}


async def triple(
    engine: Engine, model: str, name: str, prompt: str, options: argparse.Namespace
) -> tuple[CallResult, ...]:
    """The reply to a prompt, the reply to it once more, and what comes behind the first half of the words."""

    async def ask(session: str, *messages: Message) -> CallResult:
        key, sampling = (
            Key(model, "token_injection", name, 1, session),
            {"temperature": 0, "max_tokens": options.tokens},
        )
        return await engine.ask(Call(key, messages, sampling, NEEDS))

    user = Message("user", prompt)
    first, again = await ask("execute", user), await ask("execute", user)
    cut = beginning(first.text or "", options.within)
    return first, again, await ask("execute.none", user, Message("assistant", cut))


def beginning(text: str, within: bool) -> str:
    """The first half of the words of a text, at least one; or of its characters, but for blanks at the end."""
    if within:
        return text[: len(text) // 2].rstrip()
    ends = [word.end() for word in re.finditer(r"\S+", text)]
    return text[: ends[max(len(ends) // 2 - 1, 0)]] if ends else ""


def is_same(first: CallResult, text: str) -> bool:
    """Whether a text is the reply, as far as that goes."""
    whole = first.text or ""
    return text.startswith(whole) if first.stop_reason == "length" else text == whole


def row(replies: Sequence[tuple[CallResult, ...]], within: bool) -> tuple[int, int, int]:
    """How many replies there are, how many differ once more, and how many where they are cut."""
    known = [some for some in replies if some[0].text and all(one.text is not None for one in some)]
    again = sum(not is_same(first, second.text or "") for first, second, _ in known)
    cut = sum(not is_same(first, beginning(first.text or "", within) + (rest.text or "")) for first, _, rest in known)
    return len(known), again, cut


async def measured(engine: Engine, model: str, options: argparse.Namespace) -> dict[str, tuple[int, int, int]]:
    """What came of the prompts of each kind."""
    gate = asyncio.Semaphore(options.workers)

    async def one(name: str, prompt: str) -> tuple[CallResult, ...]:
        async with gate:
            return await triple(engine, model, name, prompt, options)

    async with engine:
        return {
            what: row(
                await asyncio.gather(*(one(f"{what} {n}", prompt) for n, prompt in enumerate(prompts))), options.within
            )
            for what, prompts in prompts_of(options.limit).items()
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--base-url", metavar="URL")
    parser.add_argument("--limit", type=int, default=64, help="prompts of each kind")
    parser.add_argument("--tokens", type=int, default=40, help="tokens of a reply at most")
    parser.add_argument("--within", action="store_true", help="cut within words")
    parser.add_argument("--workers", type=int, default=4, help="prompts at once")
    options = parser.parse_args()
    connection = Connection(base_url=options.base_url, max_connections=options.workers)
    engine = engine_for([options.model], load("starter"), connection)
    found = asyncio.run(measured(engine, options.model, options))
    found["all"] = tuple(map(sum, zip(*found.values(), strict=True)))  # type: ignore[assignment]
    print(f"{'':>14}{'replies':>9}{'differ once more':>18}{'differ where cut':>18}{'share':>8}")
    for what, (replies, again, cut) in found.items():
        share = f"{cut / replies:.3f}" if replies else "-"
        print(f"{what:>14}{replies:>9}{again:>18}{cut:>18}{share:>8}")


if __name__ == "__main__":
    main()
