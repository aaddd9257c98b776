"""The fields and headers of a run's replies that are not known, in one line for each model: no warning, but a list.

Nobody can tell by a name alone what a gateway did (see `selfexec.engines.http.other_fields`). So the list says what
there is, in how many replies, and with which values, where these are few: first what some replies have and others have
not, or with another value; then what all have; then what has another value in each; and last what says no by its value.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from selfexec.engines.base import BETWEEN_PARTS
from selfexec.facets import is_call
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line, harmless_line, in_short

SHOWN = 4  # fields and headers that are named, where there is room for a few
FEW_VALUES = 4  # that are shown with how many replies have each
EXAMPLES, LONGEST_EXAMPLE = 3, 30  # of more values than that, and their characters
LONGEST_SHOWN = 80  # characters of one field
NO = frozenset(("false", "0", "none", "null", "no", "off", "never", "disabled", "not applied", "unmodified", "n/a"))
DIGITS = str.maketrans("0123456789", "0000000000")


class UnknownField(NamedTuple):
    """A field or a header that is not known: how many of so many replies have each of its values; "" is any other."""

    name: str
    values: Mapping[str, int]
    among: int

    @property
    def replies(self) -> int:
        return sum(self.values.values())

    @property
    def varies(self) -> bool:
        """Whether it has more values than can be shown."""
        are_ids = len(self.values) > 1 and all(map(_is_id, self.values))
        return are_ids or ("" in self.values and len(self.values) > 1) or len(self.values) > FEW_VALUES

    @property
    def says_no(self) -> bool:
        return NO.issuperset(value.casefold() for value in self.values)

    @property
    def splits(self) -> bool:
        """Whether some replies have it and others have not, or with another value."""
        return not self.varies and (self.replies < self.among or len(self.values) > 1)


def unknown_fields(replies: Iterable[Reply]) -> list[UnknownField]:
    """What is not known in the replies of one model, what tells replies apart first."""
    came = [reply for reply in replies if not (reply.failed or reply.simulated or reply.person)]
    values: dict[str, Counter[str]] = {}
    for reply in came:
        for part in (reply.other_fields or "").split(BETWEEN_PARTS):
            name, _, value = part.partition(": ")
            if name:
                values.setdefault(name, Counter())[value] += 1
    fields = [UnknownField(name, _by_kind(own), len(came)) for name, own in values.items()]
    return sorted(fields, key=lambda field: (field.says_no, not field.splits, field.varies))


def _by_kind(values: Counter[str]) -> Mapping[str, int]:
    """Values with how often each came. Where there are many, those that differ in digits alone count as one."""
    if len(values) <= FEW_VALUES:
        return values
    kinds: dict[str, Counter[str]] = {}
    for value, number in values.items():
        kinds.setdefault(value.translate(DIGITS), Counter())[value] += number
    are_words = all(any(map(str.isalpha, kind)) for kind in kinds)
    if not are_words or len(kinds) > FEW_VALUES:
        return values
    return {own.most_common(1)[0][0]: own.total() for own in kinds.values()}


def unknown_lines(run: Run, shown: int | None = SHOWN) -> Iterator[str]:
    """One line for each model of a run whose replies hold something that is not known, with so many names, or all of
    them; models that have the same share a line.
    """
    by_model: dict[str, list[Reply]] = {}
    for reply in run.replies.values():
        if reply.model not in run.simulated and not is_call(reply.session):
            by_model.setdefault(reply.model, []).append(reply)
    lines: dict[str, list[str]] = {}
    for model, replies in by_model.items():
        if fields := unknown_fields(replies):
            lines.setdefault(_in_words(fields, shown, run.folder), []).append(harmless_line(model))
    for line, models in lines.items():
        yield f"{', '.join(models)}: {line}"


def _in_words(fields: list[UnknownField], shown: int | None, folder: Path | None) -> str:
    named = "; ".join(in_short(harmless_line(_one(field)), LONGEST_SHOWN) for field in fields[:shown])
    what = number_of(len(fields), "field or header", "fields and headers")
    more = ""
    if shown is not None and len(fields) > shown:
        look = f" ({command_line('read {}', folder)} names them)" if folder else ""
        more = f"; {len(fields) - shown:,} more{look}"
    return f"replies have {what} that selfexec does not know: {named}{more}"


def _one(field: UnknownField) -> str:
    """A field with its values, and in how many replies it has them, where that is not all."""
    if field.varies:
        examples = [value for value in field.values if 0 < len(value) <= LONGEST_EXAMPLE and "#" not in value][
            :EXAMPLES
        ]
        text = f"{field.name}: {', '.join(map(_shown, examples))}, ..." if examples else field.name
        return f"{text} ({field.replies:,} of {field.among:,})" if field.replies < field.among else text
    if len(field.values) > 1:
        ordered = sorted(field.values.items(), key=lambda pair: -pair[1])
        return f"{field.name}: {', '.join(f'{_shown(value)} ({number:,})' for value, number in ordered)}"
    value = next(iter(field.values))
    text = f"{field.name}: {_shown(value)}" if value else field.name
    return f"{text} ({field.replies:,} of {field.among:,})" if field.replies < field.among else text


def _shown(value: str) -> str:
    """A value as it is shown: "one id" in place of an id, since only three of its digits are kept."""
    return "one id" if _is_id(value) else value


def _is_id(value: str) -> bool:
    return len(value) == 4 and value.startswith("#")
