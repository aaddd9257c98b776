"""What can be added from outside: ours, what extensions add, and what other packages announce under an entry point."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from selfexec.errors import InputError
from selfexec.extension import registered, resolve

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Values of one type by name: ours, those of extensions, then those that other packages announce under the entry
    point `selfexec.POINT`, in the order of their names. Looked up when first asked for. A class of this type stands for
    its only instance, which is made here. `reserved` names are nobody's.
    """

    def __init__(
        self,
        kind: type[T],
        point: str,
        ours: Collection[T | type[T]],
        name: Callable[[T], str],
        reserved: Collection[str] = (),
    ) -> None:
        self._kind, self._point, self._ours, self._name, self._reserved = kind, point, ours, name, reserved

    @cached_property
    def _found(self) -> dict[str, T]:
        added = [resolve(place) for place in registered(self._point).values()]
        found = {self._name(value): value for value in map(self._instance, (*self._ours, *added))}
        group = f"selfexec.{self._point}"
        for point in sorted(entry_points(group=group), key=lambda point: point.name):
            value = self._instance(point.load())
            if not isinstance(value, self._kind):
                raise InputError(f"entry point {point.name!r} of {group}: {point.value} is no {self._kind.__name__}.")
            if (name := self._name(value)) in (*found, *self._reserved):
                raise InputError(f"entry point {point.name!r}: the name {name!r} is taken. Choose another.")
            found[name] = value
        return found

    def _instance(self, value: Any) -> Any:
        return value() if isinstance(value, type) and issubclass(value, self._kind) else value

    def __getitem__(self, name: str) -> T:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
