"""Which session is being opened: for models of ours behind Inspect, where a prompt is all there is."""

from contextvars import ContextVar
from typing import NamedTuple

from selfexec.engines.base import Call
from selfexec.items import ItemSet


class Opened(NamedTuple):
    """A session, and the items that simulated respondents know."""

    call: Call
    item_set: ItemSet


OPENED: ContextVar[Opened | None] = ContextVar("selfexec_opened", default=None)
