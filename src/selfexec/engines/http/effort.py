"""How hard a model is told to think, by where it is asked: one name for what each provider spells in its own way. What
is not known to work is refused, since most servers ignore a field that they do not know.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from selfexec.engines.base import Wire
from selfexec.engines.http.thinking import set_already
from selfexec.errors import InputError

Fields = Mapping[str, Any]
SOME = ("low", "medium", "high")


class Spelling(NamedTuple):
    """The levels that somebody has, and what is sent for one."""

    levels: tuple[str, ...]
    sent: Callable[[str], Fields]


def _chat(*levels: str) -> Spelling:
    return Spelling(levels, lambda level: {"reasoning_effort": level})


OPENAI = ("minimal", *SOME, "xhigh", "max")
BY_WIRE: Mapping[Wire, Spelling] = {
    "responses": Spelling(OPENAI, lambda level: {"reasoning": {"effort": level}}),
    "anthropic": Spelling((*SOME, "xhigh", "max"), lambda level: {"output_config": {"effort": level}}),
    "gemini": Spelling(
        ("minimal", *SOME), lambda level: {"generationConfig": {"thinkingConfig": {"thinkingLevel": level}}}
    ),
}
BY_PROVIDER: Mapping[str, Spelling] = {
    **dict.fromkeys(("openai", "azure"), _chat(*OPENAI)),
    "openrouter": Spelling(("minimal", *SOME, "xhigh", "max"), lambda level: {"reasoning": {"effort": level}}),
    **dict.fromkeys(("xai", "groq", "cerebras", "fireworks", "together", "ollama", "vllm", "sglang"), _chat(*SOME)),
    "mistral": _chat("high"),
    "deepseek": _chat("high", "max"),
    # what the chat template of models like gpt-oss goes by
    "llamacpp": Spelling(SOME, lambda level: {"chat_template_kwargs": {"reasoning_effort": level}}),
}


def effort_fields(model: str, wire: Wire, level: str, sampling: Fields) -> Fields:
    """The fields by which a model thinks as hard as a level says. InputError where there are none, or where they do not
    go with what is sent anyway.
    """
    provider = model.partition("/")[0]
    spelling = BY_WIRE.get(wire) or BY_PROVIDER.get(provider)
    if spelling is None:
        raise InputError(
            f"model {model!r}: there is no known way to set how hard it thinks at {provider!r}. There is one at "
            f"{', '.join(['anthropic', 'google', *BY_PROVIDER])}, and of --wire responses: name the model after the "
            "one whose fields its server takes (--model openai/NAME --base-url URL), or send the field that it has by "
            "its own name, as in --set reasoning_effort=low."
        )
    if level not in spelling.levels:
        raise InputError(f"model {model!r}: --set effort={level}: there are {', '.join(spelling.levels)} of it there.")
    found = spelling.sent(level)
    for place in set_already(found, sampling):
        raise InputError(f"model {model!r}: {place} is set, and so does --set effort={level} set it. Give one of them.")
    return found
