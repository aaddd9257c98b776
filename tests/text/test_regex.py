"""Regular expressions that are compiled when they are first tried."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import given
from hypothesis import strategies as st

import selfexec
from selfexec.text.regex import METHODS, regex


def test_nothing_is_compiled_before_something_is_searched_for() -> None:
    broken = regex("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.search("text")


@given(st.sampled_from(METHODS), st.text("aAb1 \n"))
def test_finds_what_a_pattern_finds_that_is_compiled_at_once(method: str, text: str) -> None:
    late, at_once = (
        regex(r"(a)|b\s$", re.IGNORECASE | re.MULTILINE),
        re.compile(r"(a)|b\s$", re.IGNORECASE | re.MULTILINE),
    )
    for _ in range(2):  # the second time it is compiled already
        got, wanted = (
            getattr(pattern, method)("-", text) if method.startswith("sub") else getattr(pattern, method)(text)
            for pattern in (late, at_once)
        )
        assert _plain(got) == _plain(wanted)


def test_takes_no_other_attribute_for_one_of_a_pattern() -> None:
    with pytest.raises(AttributeError, match="groupindex"):
        assert regex("(?P<one>a)").groupindex


def test_no_match_is_told_by_the_identity_of_its_pattern() -> None:
    of_any_match = re.compile(r"\.re (?:is|==|in)\b|\.re (?:!=|is not)")
    sources = Path(selfexec.__file__).parent.rglob("*.py")
    assert not [str(file) for file in sources if file.name != "regex.py" and of_any_match.search(file.read_text())]


def test_every_pattern_of_the_package_compiles() -> None:
    patterns = [pattern for module in _modules() for value in vars(module).values() for pattern in _within(value)]
    assert len(patterns) > 500
    for pattern in patterns:
        pattern.search(pattern.pattern[:0])  # of its own kind, text or bytes


def _plain(found: object) -> object:
    if isinstance(found, re.Match):
        return found.span(), found.groups()
    return found if isinstance(found, str | list | tuple | None) else [_plain(each) for each in found]  # type: ignore[attr-defined]


def _modules() -> Iterator[object]:
    for name in (module.name for module in walk_packages(selfexec.__path__, "selfexec.")):
        with suppress(ModuleNotFoundError):  # where an extra is not installed
            yield import_module(name)


def _within(value: object) -> Iterator[re.Pattern[str]]:
    if type(value) is type(regex("")):
        yield value  # type: ignore[misc]
    elif isinstance(value, Mapping):
        yield from (pattern for part in value.values() for pattern in _within(part))
    elif isinstance(value, list | tuple):
        yield from (pattern for part in value for pattern in _within(part))
