"""Who made a model, as far as its name says: the maker, and never the host or server that the model is asked at.

A maker is known by the model's own name (`llama-3-8b` is Meta's wherever it runs), by the organisation in the name
(`vllm/acme/foundry-7b` is acme's: the provider table says whose models are named so), or by a provider that serves its
own models alone (`openai/...`). Everything else is unknown, and a model of an unknown maker belongs to no family.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from selfexec.engines import is_at_home, makers_own, names_organisations
from selfexec.text.printable import harmless_line
from selfexec.text.regex import regex

if TYPE_CHECKING:
    from selfexec.runs import Run


class Maker(NamedTuple):
    """How a maker is recognised.

    Attributes:
        organisations: What the maker is called in names like `organisation/model`, in small letters.
        models: A pattern that the names of its models begin with, in small letters.
    """

    organisations: tuple[str, ...]
    models: str


# maker -> how it is recognised. A name stands here only where nobody else gives it to a model of another descent.
MAKERS: Mapping[str, Maker] = {
    "01-ai": Maker(("01-ai", "01ai"), r"yi-(?:\d|large|lightning|coder|vl)"),
    "ai21": Maker(("ai21", "ai21labs"), r"jamba|jurassic"),
    "allenai": Maker(("allenai",), r"olmo|tulu|tülu|molmo"),
    "amazon": Maker(("amazon",), r"(?:amazon-)?(?:nova|titan)-(?:micro|lite|pro|premier|text)"),
    "anthropic": Maker(("anthropic",), r"claude"),
    "baidu": Maker(("baidu",), r"ernie"),
    "bytedance": Maker(("bytedance", "bytedance-seed"), r"doubao|seed-(?:oss|\d)"),
    "cohere": Maker(("cohere", "coherelabs", "cohereforai"), r"(?:c4ai-)?(?:command-(?:r|a|light|nightly)|aya)\b"),
    "databricks": Maker(("databricks",), r"dbrx|dolly-"),
    "deepseek": Maker(("deepseek", "deepseek-ai"), r"deepseek"),
    "eleutherai": Maker(("eleutherai",), r"pythia|gpt-(?:j|neox?)\b"),
    "google": Maker(("google", "google-deepmind"), r"gemini|(?:code|med|pali|shield|t5)?gemma|palm-2|text-bison"),
    "huggingface": Maker(("huggingfacetb", "huggingfaceh4"), r"smollm|zephyr"),
    "ibm": Maker(("ibm", "ibm-granite"), r"granite"),
    "internlm": Maker(("internlm",), r"internlm|intern-?s\d"),
    "lg": Maker(("lgai-exaone", "lg-ai"), r"exaone"),
    "liquid": Maker(("liquid", "liquidai"), r"lfm-?\d"),
    "meta": Maker(("meta", "meta-llama", "facebook"), r"(?:meta-)?(?:code-?)?llama|opt-\d"),
    "microsoft": Maker(("microsoft",), r"phi-?\d|wizardlm|orca-\d|mai-"),
    "minimax": Maker(("minimax", "minimaxai"), r"minimax|abab\d"),
    "mistral": Maker(
        ("mistral", "mistralai", "mistral-ai"),
        r"(?:open-)?mi[sx]tral|ministral|codestral|magistral|pixtral|devstral|voxtral|mathstral",
    ),
    "moonshot": Maker(("moonshot", "moonshotai"), r"kimi|moonlight|moonshot-v\d"),
    "nous": Maker(("nousresearch", "nous"), r"(?:nous-)?(?:hermes|deephermes)-"),
    "nvidia": Maker(("nvidia",), r"nemotron|minitron"),
    "openai": Maker(
        ("openai", "openai-community"),
        r"(?:ft:)?(?:gpt-?\d|gpt-(?:oss|image|audio|realtime)|chatgpt|o[1-9](?:\b|-|$)|codex-|davinci-|text-davinci)",
    ),
    "perplexity": Maker(("perplexity", "perplexity-ai"), r"sonar(?:\b|-)"),
    "qwen": Maker(("qwen", "alibaba", "alibaba-nlp"), r"(?:code)?qwen|qwq|qvq|tongyi"),
    "stability": Maker(("stabilityai",), r"stablelm|stable-(?:beluga|code)"),
    "tencent": Maker(("tencent", "tencent-hunyuan"), r"hunyuan"),
    "tii": Maker(("tiiuae",), r"falcon\d*-"),
    "upstage": Maker(("upstage",), r"solar-(?:\d|pro|mini)"),
    "xai": Maker(("xai", "x-ai", "xai-org"), r"grok"),
    "zhipu": Maker(("zhipu", "zai", "z-ai", "zai-org", "thudm", "zhipuai"), r"(?:chat|code)?glm"),
}
ORGANISATIONS: Mapping[str, str] = {name: maker for maker, known in MAKERS.items() for name in known.organisations}
MODELS: Mapping[str, re.Pattern[str]] = {maker: regex(known.models) for maker, known in MAKERS.items()}
ADAPTERS = ("inspect",)  # engines whose models are called ENGINE/PROVIDER/MODEL


def family_of(model: str, *, at_home: bool = True) -> str | None:
    """The maker of a model, by its name; None where the name does not say it.

    Args:
        model: The name as it is asked by: `provider/model`, `provider/organisation/model`, or the model's own name.
        at_home: Whether it was asked at the provider's own address. Elsewhere any server may go by a provider's name.
    """
    parts = [part for part in harmless_line(model).casefold().split("/") if part]
    while parts and parts[0] in ADAPTERS:
        parts = parts[1:]
    if not parts:
        return None
    *path, name = parts
    if maker := _maker_by_model(name):
        return maker
    organisations = [*path[1:], *name.split(".")[:-1]]  # gateways write organisation.model, too
    if known := [ORGANISATIONS[part] for part in organisations if part in ORGANISATIONS]:
        return known[-1]
    if len(path) == 2 and names_organisations(path[0]):
        return path[1]
    return makers_own(path[0]) if at_home and len(path) == 1 else None


def families_elsewhere(runs: Iterable["Run"]) -> dict[str, str | None]:
    """Model -> family, of the models that were asked under a provider's name at another address than the provider's
    own, where this makes a difference.
    """
    found = {}
    for run in runs:
        for invocation in run.manifest.invocations:
            for model, address in invocation.addresses.items():
                if model in run.simulated or all(is_at_home(model, url) for url in address.split(", ")):
                    continue
                if family_of(model) != (family := family_of(model, at_home=False)):
                    found[model] = family
    return found


def _maker_by_model(name: str) -> str | None:
    """The maker whose models are called like this one."""
    return next((maker for maker, pattern in MODELS.items() if pattern.match(name)), None)
