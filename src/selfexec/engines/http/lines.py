"""The way to one model, the same for all its calls."""

from collections.abc import Mapping
from typing import Any

from yarl import URL

from selfexec.engines.http.formats import WIRES
from selfexec.engines.http.headers import checked, secrets_of
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.proxies import proxy_for
from selfexec.engines.http.rate_limit import RateLimit
from selfexec.engines.http.scrubbing import Scrubber, passwords
from selfexec.errors import InputError
from selfexec.text.redaction import secrets_in


class Line:
    """Where a model is asked, in which wire format, with which headers, through which proxy, at which pace, and what is
    taken out of whatever comes back. InputError: the address or a header cannot be used.
    """

    def __init__(self, where: Endpoint, pace: RateLimit, headers: Mapping[str, str]) -> None:
        self.where, self.pace, self.wire = where, pace, WIRES[where.wire]
        given = checked(headers, where)
        ours = {"Content-Type": "application/json", "User-Agent": "selfexec", **self.wire.headers(where)}
        replaced = {name.lower() for name in given}
        self.headers = {**{name: value for name, value in ours.items() if name.lower() not in replaced}, **given}
        self.url = _valid(where, self.wire.url(where))
        self.proxy = proxy_for(self.url)
        ends = [self.url, *([self.proxy] if self.proxy else [])]
        secrets = [where.key, *(word for end in ends for word in passwords(end)), *secrets_of(given)]
        self._secrets = {secret for secret in secrets if secret}
        self.scrubber = Scrubber(self._secrets)

    def keep_back(self, sampling: Mapping[str, Any]) -> None:
        """Take the keys that stand in settings for secrets too, from now on."""
        if new := set(secrets_in(sampling.items())) - self._secrets:
            self._secrets |= new
            self.scrubber = Scrubber(self._secrets)


def _valid(where: Endpoint, address: str) -> URL:
    try:
        url = URL(address)
    except ValueError:
        url = URL()
    if not url.host:
        raise InputError(f"{where.shown}: not a valid address. Fix --base-url.")
    return url
