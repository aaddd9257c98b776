"""Headers that a user adds, for gateways that want more than a key."""

from collections.abc import Iterator, Mapping

from selfexec.engines.http.providers import Endpoint
from selfexec.errors import InputError
from selfexec.text.regex import regex

# what the transport says by itself
OURS = {
    *("content-type", "content-length", "content-encoding", "transfer-encoding", "accept-encoding", "connection"),
    *("host", "expect", "x-selfexec-epoch"),
}
NAME = regex(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# what these say is meant to be seen; any other may carry a secret, whatever a gateway calls it
PUBLIC = {
    *("http-referer", "referer", "origin", "x-title", "x-openrouter-title", "user-agent", "accept", "accept-language"),
    "cache-control",
    *("anthropic-version", "anthropic-beta", "openai-beta"),
}


def checked(headers: Mapping[str, str], where: Endpoint) -> Mapping[str, str]:
    """These headers, if they can go to this place beside its key. Values are not shown: they may be secrets."""
    spelling: dict[str, str] = {}
    for name, value in headers.items():
        if (first := spelling.setdefault(name.lower(), name)) != name:
            raise InputError(f"--header {name}: it is the same header as {first}, which is given too. Leave one out.")
        if not NAME.fullmatch(name):
            raise InputError(f"--header {name!r}: this is no name of a header. Write NAME=VALUE, like X-Team=research.")
        if name.lower() in OURS:
            raise InputError(f"--header {name}: this one is set by itself. Leave it out.")
        if not value or not (value.isascii() and value.isprintable()):
            raise InputError(f"--header {name}: the value is empty, or holds what no header can. Fix it.")
        taken = name.lower() == where.key_header.lower()
        if where.key and (taken or where.key in value):
            raise InputError(
                f"--header {name}: the key is sent as {where.key_header} already. Leave this header out, or "
                "unset the variable that holds the key."
            )
        if name.lower() == "authorization" and where.has_password:
            raise InputError(f"--header {name}: the base URL holds a name and password, and only one can be sent.")
    return headers


def secrets_of(headers: Mapping[str, str]) -> Iterator[str]:
    """The values that may be secrets, with and without the word before them, as in `Bearer sk-...`."""
    for name, value in headers.items():
        if name.lower() not in PUBLIC:
            yield value
            yield value.rpartition(" ")[2]
