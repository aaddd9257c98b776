"""Which proxy lies before an address, by the environment. Nothing else is looked at, `~/.netrc` least of all."""

from urllib.request import getproxies_environment, proxy_bypass

from yarl import URL

from selfexec.errors import InputError


def proxy_for(url: URL) -> URL | None:
    """The proxy by HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, unless NO_PROXY excepts the host. In small letters as well."""
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
