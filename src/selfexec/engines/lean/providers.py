"""Which providers are known by name, where they are, and in which environment variable their key is."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from selfexec.errors import InputError

Wire = Literal["openai", "anthropic", "gemini"]


@dataclass(frozen=True)
class Provider:
    """`keys`: environment variables that may hold the key, the first that is set counts; none where none is needed."""

    base_url: str
    keys: tuple[str, ...] = ()
    wire: Wire = "openai"


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    "anthropic": Provider("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), "anthropic"),
    "google": Provider(
        "https://generativelanguage.googleapis.com/v1beta", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "gemini"
    ),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "mistral": Provider("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    "deepseek": Provider("https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",)),
    "together": Provider("https://api.together.xyz/v1", ("TOGETHER_API_KEY",)),
    "groq": Provider("https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "fireworks": Provider("https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    "xai": Provider("https://api.x.ai/v1", ("XAI_API_KEY",)),
    "cerebras": Provider("https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    "nvidia": Provider("https://integrate.api.nvidia.com/v1", ("NVIDIA_API_KEY",)),
    "huggingface": Provider("https://router.huggingface.co/v1", ("HF_TOKEN",)),
    "vllm": Provider("http://localhost:8000/v1"),
    "sglang": Provider("http://localhost:30000/v1"),
    "llamacpp": Provider("http://localhost:8080/v1"),
    "ollama": Provider("http://localhost:11434/v1"),
    "lmstudio": Provider("http://localhost:1234/v1"),
}


@dataclass(frozen=True)
class Endpoint:
    """Where one model is asked. The key is kept out of every representation."""

    name: str
    url: str
    wire: Wire
    provider: str
    key: str | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """The address as it may be shown: without a name and password that stand in it."""
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"


def endpoint(model: str, base_url: str | None) -> Endpoint:
    """The endpoint of a model named provider/model. With a base URL, any provider's name will do."""
    provider, slash, name = model.partition("/")
    if not slash or not name:
        raise InputError(f"model {model!r}: write it as provider/model, like openai/gpt-4.1 or vllm/my-model.")
    known = PROVIDERS.get(provider)
    if base_url is None and known is None:
        raise InputError(
            f"model {model!r}: unknown provider {provider!r}. Known are {', '.join(PROVIDERS)}; "
            "for any other server that speaks the OpenAI format add --base-url URL."
        )
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise InputError("--base-url: it must begin with http:// or https://.")
    if base_url is not None and not base_url.partition("://")[2].strip("/"):
        raise InputError(f"--base-url {base_url}: it names no server.")
    if base_url is not None and ("?" in base_url or "#" in base_url):
        raise InputError("--base-url: it must end before ? and #. A key belongs into the environment.")
    keys = known.keys if known else ("SELFEXEC_API_KEY",)
    key = find_key(keys)
    if key is None and known and known.keys and base_url is None:
        raise InputError(
            f"model {model!r}: no key. Set {' or '.join(known.keys)} in the environment or in a file named .env here."
        )
    if key and base_url and "@" in base_url.split("/")[2]:
        raise InputError("--base-url holds a name and password, and there is a key as well: only one can be sent.")
    wire: Wire = known.wire if known and base_url is None else "openai"
    url = (base_url or (known.base_url if known else "")).rstrip("/")
    return Endpoint(name, url, wire, provider, key)


def find_key(names: tuple[str, ...]) -> str | None:
    """The first of these variables that is set, in the environment or in .env of the working directory."""
    from dotenv import dotenv_values

    written = dotenv_values(".env") if Path(".env").is_file() else {}
    for name in names:
        if key := (os.environ.get(name) or written.get(name) or "").strip():
            if not (key.isascii() and key.isprintable() and " " not in key):
                raise InputError(f"{name}: the key holds a blank, a line break or a letter that no key has. Mend it.")
            return key
    return None
