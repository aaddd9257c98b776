"""How a model is told whether to think before it replies, by where it is asked. Each provider has fields of its own,
and some have none: what is not known to work is refused, since most servers ignore a field that they do not know.
"""

from collections.abc import Callable, Mapping
from typing import Any

from selfexec.engines.base import Wire
from selfexec.engines.http.wires import ANTHROPIC_MAX_TOKENS
from selfexec.errors import InputError
from selfexec.facets import OFF, budget_of

Fields = Mapping[str, Any]
Way = Callable[[str, int | None, Fields], Fields]  # level, its budget, what is sent anyway -> what is sent for it
LEAST_BUDGET = 1024  # tokens, of the Anthropic format


def thinking_fields(model: str, wire: Wire, level: str, sampling: Fields) -> Fields:
    """The fields by which a model thinks as a level says. InputError where there are none, or where they do not go with
    what is sent anyway.
    """
    provider = model.partition("/")[0]
    way = BY_WIRE.get(wire) or BY_PROVIDER.get(provider)
    if way is None:
        known = ", ".join(["anthropic", "google", *BY_PROVIDER])
        raise InputError(
            f"model {model!r}: there is no known way to switch its thinking at {provider!r}. There is one at {known}: "
            "name the model after the one whose fields its server takes (--model vllm/NAME --base-url URL), or leave "
            "--thinking out."
        )
    found = way(level, budget_of(level), sampling)
    if not found:
        raise InputError(
            f"model {model!r}: {provider} takes no number of tokens to think for ({level}). Ask it with on and off."
        )
    for place in set_already(found, sampling):
        raise InputError(f"model {model!r}: {place} is set, and so does --thinking {level} set it. Give one of them.")
    return found


def set_already(ours: Fields, theirs: Fields, within: str = "") -> list[str]:
    """Fields that both set, otherwise than alike. A length is ours only where it leaves room to think."""
    found = []
    for name, value in ours.items():
        if name in theirs and name != "max_tokens" and theirs[name] != value:
            both = isinstance(value, Mapping) and isinstance(theirs[name], Mapping)
            found += set_already(value, theirs[name], f"{within}{name}.") if both else [f"{within}{name}"]
    return found


def _effort(none: str, some: str) -> Way:
    """One word for how hard it thinks, among which is one for not at all."""
    return lambda level, budget, sampling: {} if budget else {"reasoning_effort": none if level == OFF else some}


def _toggle(level: str, budget: int | None, sampling: Fields) -> Fields:
    return {} if budget else {"thinking": {"type": "disabled" if level == OFF else "enabled"}}


def _openrouter(level: str, budget: int | None, sampling: Fields) -> Fields:
    if budget:
        return {"reasoning": {"max_tokens": budget}}
    return {"reasoning": {"effort": "none"} if level == OFF else {"enabled": True}}


def _template(limit: str | None) -> Way:
    """What the model's chat template goes by: Qwen's and Gemma's have the first name, Granite's and DeepSeek's the
    other; a template passes over a name that it does not know. `limit` is the server's own field of a budget.
    """

    def way(level: str, budget: int | None, sampling: Fields) -> Fields:
        template = {"chat_template_kwargs": dict.fromkeys(("enable_thinking", "thinking"), level != OFF)}
        if budget is None:
            return template
        return {**template, limit: budget} if limit else {}

    return way


def _anthropic(level: str, budget: int | None, sampling: Fields) -> Fields:
    if level == OFF:
        return {"thinking": {"type": "disabled"}}
    if sampling.get("temperature", 1) != 1 or "top_k" in sampling:
        raise InputError(f"--thinking {level}: this format takes no temperature but 1, and no top_k, beside it.")
    if budget is None:
        return {"thinking": {"type": "adaptive"}}
    if budget < LEAST_BUDGET:
        raise InputError(f"--thinking {level}: the least that this format takes is {LEAST_BUDGET}.")
    room = sampling.get("max_tokens", budget + ANTHROPIC_MAX_TOKENS)  # it holds thoughts and reply together
    if room <= budget:
        raise InputError(f"--thinking {level}: max_tokens ({room}) leaves no room for a reply. Set more, or none.")
    return {"thinking": {"type": "enabled", "budget_tokens": budget}, "max_tokens": room}


def _gemini(level: str, budget: int | None, sampling: Fields) -> Fields:
    tokens = budget or (0 if level == OFF else -1)  # -1: as it sees fit
    return {"generationConfig": {"thinkingConfig": {"thinkingBudget": tokens}}}


def _responses(level: str, budget: int | None, sampling: Fields) -> Fields:
    return {} if budget else {"reasoning": {"effort": "none" if level == OFF else "medium"}}


BY_WIRE: Mapping[str, Way] = {"anthropic": _anthropic, "gemini": _gemini, "responses": _responses}
BY_PROVIDER: Mapping[str, Way] = {
    "openai": _effort("none", "medium"),
    "azure": _effort("none", "medium"),
    "mistral": _effort("none", "high"),
    "fireworks": _effort("none", "medium"),
    "groq": _effort("none", "default"),
    "ollama": _effort("none", "medium"),
    "deepseek": _toggle,
    "openrouter": _openrouter,
    "vllm": _template("thinking_token_budget"),
    "sglang": _template(None),
    "llamacpp": _template("thinking_budget_tokens"),
}
