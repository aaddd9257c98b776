"""The way to one model, the same for all its calls."""

from collections.abc import Mapping
from typing import Any
from urllib.request import getproxies_environment, proxy_bypass

from yarl import URL

from selfexec.engines.http.headers import checked, secrets_of
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.rate_limit import RateLimit
from selfexec.engines.http.scrubbing import Scrubber, passwords
from selfexec.engines.http.wires import WIRES, Habit, listing
from selfexec.engines.settings import secrets_sent
from selfexec.errors import InputError
from selfexec.text.redaction import secrets_in_query

NONE: Mapping[str, str] = {}


class Route:
    """Where a model is asked, in which wire format, in pieces or not, with which headers, through which proxy, at which
    pace, and what is taken out of whatever comes back. InputError: the address or a header cannot be used.
    """

    def __init__(
        self, where: Endpoint, pace: RateLimit, headers: Mapping[str, str] = NONE, streams: bool = False
    ) -> None:
        self.where, self.pace, self.wire, self.streams = where, pace, WIRES[where.wire], streams
        given = checked(headers, where)
        ours = {"Content-Type": "application/json", "User-Agent": "selfexec", **self.wire.headers(where)}
        replaced = {name.lower() for name in given}
        self.headers = {**{name: value for name, value in ours.items() if name.lower() not in replaced}, **given}
        asked = self.wire.streamed_url if streams and self.wire.streamed_url else self.wire.url
        self.url = _valid(where, asked(where))
        self.listed = _valid(where, listing(where))
        self.proxy = proxy_for(self.url)
        ends = [self.url, *([self.proxy] if self.proxy else [])]
        secrets = [where.key, *(word for end in ends for word in passwords(end))]
        secrets += secrets_in_query(where.query)
        self._secrets = {secret for secret in secrets if secret}
        self._habits: set[Habit] = set()
        self._given = frozenset(secrets_of(given))
        self.scrubber = Scrubber(self._secrets, self._given)

    def lost_in(self, habit: Habit | None) -> str | None:
        """What was lost of a stream: what others by the same server have there, and this does not. Some servers never
        have it.
        """
        if habit is None:
            return None
        if habit.is_there:
            self._habits.add(habit)
        return habit.lost if habit._replace(is_there=True) in self._habits and not habit.is_there else None

    def keep_back(self, sampling: Mapping[str, Any]) -> None:
        """Take the keys that stand in settings for secrets too, from now on."""
        if new := set(secrets_sent(sampling)) - self._secrets:
            self._secrets |= new
            self.scrubber = Scrubber(self._secrets, self._given)


def _valid(where: Endpoint, address: str) -> URL:
    try:
        url = URL(address)
    except ValueError:
        url = URL()
    if not url.host:
        raise InputError(f"{where.shown}: not a valid address. Fix --base-url.")
    return url


def proxy_for(url: URL) -> URL | None:
    """The proxy by HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, in small letters as well, unless NO_PROXY excepts the host.
    Nothing else is looked at, `~/.netrc` least of all.
    """
    proxies = getproxies_environment()
    scheme = url.scheme if proxies.get(url.scheme) else "all"
    given = proxies.get(scheme)
    if not given or proxy_bypass(f"{url.host}:{url.port}"):
        return None
    variable = f"{scheme.upper()}_PROXY"
    try:
        proxy = URL(given)
    except ValueError:
        proxy = URL()
    if proxy.scheme not in ("http", "https") or not proxy.host:
        raise InputError(
            f"{variable}: only proxies of the form http://HOST:PORT can be used. Write it so, or except "
            f"{url.host} by NO_PROXY."
        )
    return proxy
