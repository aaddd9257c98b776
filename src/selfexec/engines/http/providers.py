"""Which providers are known by name, where they are, and in which environment variable their key is."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, get_args
from urllib.parse import urlsplit

from selfexec.engines.base import Connection, Wire
from selfexec.errors import InputError, NoApiKey
from selfexec.text.redaction import bare_address
from selfexec.text.regex import regex

# what is no key for sure: keys have small letters, or figures among the others
LIKE_A_VARIABLE = regex(r"[A-Z][A-Z_]*\d{0,2}", re.ASCII)
ANY_KEY = "SELFEXEC_API_KEY"  # the key of whatever stands behind --base-url


Prefill = Literal["continue_final_message", "prefix"]


@dataclass(frozen=True)
class Provider:
    """`keys`: environment variables that may hold the key; the first that is set counts. `local` are servers of one's
    own, which need no key, and which stand wherever --base-url says. Without a `base_url` each customer has an address
    of their own, at one of its `hosts`. `maker` names who made all models that are served there; None where a provider
    hosts models of several makers. `by_organisation`: its models are named ORGANISATION/MODEL, where the organisation
    published the model, and never by an account, a deployment or a folder. `prefill` is how chat completions are told
    there to go on with a reply that was begun (see `selfexec.engines.http.prefill`), None where they cannot be; at the
    provider's own hosts that may be so at one path alone, `prefill_path`.
    """

    base_url: str
    keys: tuple[str, ...]
    wire: Wire = "openai"
    local: bool = False
    hosts: tuple[str, ...] = ()
    maker: str | None = None
    by_organisation: bool = False
    prefill: Prefill | None = None
    prefill_path: str = ""


CONTINUE: Prefill = "continue_final_message"
AZURE = ("openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com", "openai.azure.us")

PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", ("OPENAI_API_KEY",), maker="openai"),
    "anthropic": Provider("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), "anthropic", maker="anthropic"),
    "google": Provider(
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "gemini",
        maker="google",
    ),
    "azure": Provider("", ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"), hosts=AZURE),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), by_organisation=True),
    "mistral": Provider("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), maker="mistral", prefill="prefix"),
    "deepseek": Provider(
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        maker="deepseek",
        prefill="prefix",
        prefill_path="/beta",
    ),
    "together": Provider("https://api.together.xyz/v1", ("TOGETHER_API_KEY",), by_organisation=True),
    "groq": Provider("https://api.groq.com/openai/v1", ("GROQ_API_KEY",), by_organisation=True),
    "fireworks": Provider("https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",)),
    "xai": Provider("https://api.x.ai/v1", ("XAI_API_KEY",), maker="xai"),
    "cerebras": Provider("https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    "nvidia": Provider("https://integrate.api.nvidia.com/v1", ("NVIDIA_API_KEY",), by_organisation=True),
    "huggingface": Provider("https://router.huggingface.co/v1", ("HF_TOKEN",), by_organisation=True),
    "vllm": Provider("http://localhost:8000/v1", ("VLLM_API_KEY",), local=True, by_organisation=True, prefill=CONTINUE),
    "sglang": Provider(
        "http://localhost:30000/v1", ("SGLANG_API_KEY",), local=True, by_organisation=True, prefill=CONTINUE
    ),
    "llamacpp": Provider("http://localhost:8080/v1", ("LLAMA_API_KEY",), local=True, prefill=CONTINUE),
    "ollama": Provider("http://localhost:11434/v1", ("OLLAMA_API_KEY",), local=True),
    "lmstudio": Provider("http://localhost:1234/v1", ("LM_API_TOKEN", "LM_STUDIO_API_KEY"), local=True),
}


def makers_own(provider: str) -> str | None:
    """The maker of every model that a provider serves; None of a host, a server, and a name that is not known."""
    known = PROVIDERS.get(provider)
    return known.maker if known else None


def names_organisations(provider: str) -> bool:
    """Whether what stands before the slash in the names of a provider's models is the organisation of each."""
    known = PROVIDERS.get(provider)
    return known is not None and known.by_organisation


# what the wire formats add to a base URL, and with which header they send the key
ENDINGS: Mapping[Wire, str] = {
    "openai": "/chat/completions",
    "responses": "/responses",
    "anthropic": "/messages",
    "gemini": "/models",
}
KEY_HEADERS: Mapping[Wire, str] = {
    "openai": "Authorization",
    "responses": "Authorization",
    "anthropic": "x-api-key",
    "gemini": "x-goog-api-key",
}


@dataclass(frozen=True)
class Endpoint:
    """Where one model is asked. Key and query are kept out of every representation; `way_to_key` is what to do where
    the key is not accepted.
    """

    name: str
    url: str
    wire: Wire
    provider: str
    key: str | None = field(default=None, repr=False)
    way_to_key: str = "Check it."
    query: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        """The address as it may be shown: without what of it may be a secret."""
        return bare_address(f"{self.url}?{self.query}" if self.query else self.url)

    @property
    def has_password(self) -> bool:
        """Whether a name and password stand in the address."""
        return "@" in _server_in(self.url)

    @property
    def key_header(self) -> str:
        """With which header the key is sent."""
        header = KEY_HEADERS[self.wire]
        azure = self.provider == "azure" or any(map(self.at, AZURE))
        return "api-key" if azure and header == "Authorization" else header

    @cached_property
    def host(self) -> str:
        return (urlsplit(self.url).hostname or "").lower()

    def at(self, host: str) -> bool:
        """Whether this is that host, or part of it, as eu.api.openai.com is of api.openai.com."""
        return self.host == host or self.host.endswith(f".{host}")


class ApiKey(NamedTuple):
    """A key, and which variable holds it."""

    variable: str
    value: str


class UnknownProvider(InputError):
    """The name of a model does not say where it is asked. Which one may be meant, the list of all engines can say.

    Attributes:
        model: The name.
    """

    def __init__(self, model: str) -> None:
        super().__init__(f"model {model!r}: no provider is known by this name. Add --base-url URL.")
        self.model = model


def endpoint(
    model: str, base_url: str | None = None, *, api_key_env: str | None = None, wire: Wire | None = None
) -> Endpoint:
    """The endpoint of a model named provider/model. With a base URL, any provider's name will do."""
    provider, slash, name = model.partition("/")
    known = PROVIDERS.get(provider)
    if not slash or not name or (base_url is None and known is None):
        raise UnknownProvider(model)
    if wire is not None and wire not in get_args(Wire):
        raise InputError(f"--wire {wire}: there are {', '.join(get_args(Wire))}.")
    if base_url is None and known is not None:
        _refuse_away_from_home(model, known, wire)
        place = Endpoint(name, known.base_url, wire or known.wire, provider)
    else:
        url, query = trimmed(_valid(base_url or ""), wire or "openai")
        place = Endpoint(name, url, wire or "openai", provider, query=query)
    names = _variables(place, known, at_home=base_url is None)
    key = _named_key(api_key_env) if api_key_env else first_key(names)
    if key is None and base_url is None and known and not known.local:
        raise NoApiKey(
            f"model {model!r}: no API key found. Set {' or '.join(known.keys)} in the environment or in a "
            ".env file in this folder."
        )
    if key and place.has_password:
        raise InputError("--base-url holds a name and password, and there is a key as well: only one can be sent.")
    way = _way_to_key(names, key, first_key(known.keys) if known else None)
    return replace(place, key=key.value if key else None, way_to_key=way)


def _refuse_away_from_home(model: str, known: Provider, wire: Wire | None) -> None:
    """Raise InputError where a model cannot be asked so at its provider's own address."""
    if not known.base_url:
        raise InputError(
            f"model {model!r}: each customer has their own address there. Add --base-url, as in "
            "https://NAME.openai.azure.com/openai/v1, or .../openai/deployments/DEPLOYMENT?api-version=2024-10-21."
        )
    if wire not in (None, known.wire) and (wire, known.wire) != ("responses", "openai"):
        raise InputError(
            "--wire goes with --base-url: a provider's own address speaks the format that it has. Where that is chat "
            "completions, --wire responses may be there as well."
        )


def wire_of(model: str, connection: Connection) -> Wire:
    """The wire format in which a model is asked."""
    if connection.base_url or connection.wire:
        return connection.wire or "openai"
    known = PROVIDERS.get(model.partition("/")[0])
    return known.wire if known else "openai"


def is_at_home(model: str, url: str) -> bool:
    """Whether this is the address of the provider that a model is named after, where its list prices hold."""
    known = PROVIDERS.get(model.partition("/")[0])
    return known is not None and known.base_url == url


def trimmed(base_url: str, wire: Wire = "openai") -> tuple[str, str]:
    """A base URL and its query, without what the wire format adds to it by itself: many copy the whole address."""
    url, _, query = base_url.partition("?")
    return url.rstrip("/").removesuffix(ENDINGS[wire]).rstrip("/"), query


def _valid(base_url: str) -> str:
    if not base_url.startswith(("http://", "https://")):
        raise InputError("--base-url: it must begin with http:// or https://.")
    if not _server_in(base_url):
        raise InputError(f"--base-url {bare_address(base_url)}: it names no server.")
    if "#" in base_url:
        raise InputError("--base-url: it must end before #, which is never sent.")
    return base_url


def _server_in(url: str) -> str:
    """What stands between the slashes: the server, with a port, and with name and password where they are given."""
    return re.split("[/?]", url.partition("://")[2], maxsplit=1)[0]


# --- replies that are begun ------------------------------------------------------------------------------------------


def prefill_at(provider: str, url: str) -> Prefill | None:
    """How chat completions at an address, asked under the name of this provider, are told to go on with a reply that
    was begun; None where they cannot be. A server at another address is taken to speak as the provider does.
    """
    known = PROVIDERS.get(provider)
    if known is None or known.prefill is None:
        return None
    place = Endpoint("", url, "openai", provider)
    home = (urlsplit(known.base_url).hostname or "",) if known.prefill_path else ()
    if any(map(place.at, home)) and not urlsplit(url).path.rstrip("/").endswith(known.prefill_path):
        return None
    return known.prefill


def prefill_of(model: str, connection: Connection) -> Prefill | None:
    """The same of a model as it is reached."""
    provider = model.partition("/")[0]
    known = PROVIDERS.get(provider)
    url = connection.base_url or (known.base_url if known else "")
    return prefill_at(provider, trimmed(url)[0]) if wire_of(model, connection) == "openai" else None


# --- keys ------------------------------------------------------------------------------------------------------------


def _variables(place: Endpoint, known: Provider | None, at_home: bool) -> Sequence[str]:
    """The variables whose key may go to this place: a provider's own go to nobody else's server."""
    own = known is not None and (at_home or known.local or _belongs(place, known))
    theirs = known.keys if known and own else ()
    return theirs if known and at_home and not known.local else (*theirs, ANY_KEY)


def _belongs(place: Endpoint, known: Provider) -> bool:
    """Whether a base URL is the provider's own after all, as for a region or another version. In the open, none is."""
    try:
        homes = known.hosts or (urlsplit(known.base_url).hostname or "",)
        return place.url.startswith("https://") and any(map(place.at, homes))
    except ValueError:
        return False


def _way_to_key(names: Sequence[str], sent: ApiKey | None, kept_back: ApiKey | None) -> str:
    """What to do where a server accepts no key."""
    if sent:
        return f"Check {sent.variable}."
    if kept_back:
        return (
            f"None was sent, since {kept_back.variable} is not for this address. Set {ANY_KEY}, or say "
            f"--api-key-env {kept_back.variable} if it is."
        )
    return f"None was sent. Set {' or '.join(names)}, or name another variable by --api-key-env."


def _named_key(variable: str) -> ApiKey:
    """The key in the variable of --api-key-env. Somebody may have written the key itself there: it is not shown."""
    key = first_key((variable,)) if re.fullmatch(r"[A-Za-z_]\w*", variable, re.ASCII) else None
    if key is None:
        shown = f" {variable}" if LIKE_A_VARIABLE.fullmatch(variable) else ""
        raise NoApiKey(
            f"--api-key-env{shown}: no variable of this name is set. Give one that is, in the environment or in .env "
            "here."
        )
    return key


def first_key(names: Sequence[str]) -> ApiKey | None:
    """The first of these variables that is set, in the environment or in .env of the working directory."""
    written = _dotenv()
    for name in names:
        if key := (os.environ.get(name) or written.get(name) or "").strip():
            if not (key.isascii() and key.isprintable() and " " not in key):
                raise InputError(f"{name}: the key holds a blank, a line break or a letter that no key has. Fix it.")
            return ApiKey(name, key)
    return None


def _dotenv() -> Mapping[str, str | None]:
    if not Path(".env").is_file():
        return {}
    from dotenv import dotenv_values

    try:
        return dotenv_values(".env", encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(".env: not UTF-8. Save the file as UTF-8, or move it away.") from None
    except OSError as fault:
        raise InputError(f".env: cannot be read ({fault.strerror}). Make it readable, or move it away.") from None
