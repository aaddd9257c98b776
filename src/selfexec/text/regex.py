"""Regular expressions that are compiled when they are first tried: there are some five hundred, a usual reply needs a
hundred, and compiling them all takes a third of a second.
"""

import re
from typing import AnyStr, Generic, cast

METHODS = ("match", "search", "fullmatch", "finditer", "findall", "split", "sub", "subn")


def regex(form: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile`, put off until something is searched for. A match has the compiled pattern, so compare
    `match.re.pattern == PATTERN.pattern`: `match.re is PATTERN` is never true.
    """
    return cast("re.Pattern[AnyStr]", _Uncompiled(form, flags))


class _Uncompiled(Generic[AnyStr]):
    """Stands for a pattern, whose methods it takes over when one of them is first asked for."""

    def __init__(self, form: AnyStr, flags: int) -> None:
        self.pattern: AnyStr = form
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name not in METHODS:
            raise AttributeError(f"a regular expression that is compiled when it is first tried has no {name!r}")
        compiled = re.compile(self.pattern, self._flags)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)
