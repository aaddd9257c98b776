"""Items: what the experiments ask about."""

from selfexec.items.blank import BLANK_SET, write_template
from selfexec.items.check import check
from selfexec.items.paper import cache_folder, groupings
from selfexec.items.presets import Preset
from selfexec.items.schema import KINDS, Group, Item, Question, Request, Target
from selfexec.items.sets import STARTER, ItemSet, fixed_order, load

__all__ = [
    "BLANK_SET",
    "KINDS",
    "STARTER",
    "Group",
    "Item",
    "ItemSet",
    "Preset",
    "Question",
    "Request",
    "Target",
    "cache_folder",
    "check",
    "fixed_order",
    "groupings",
    "load",
    "write_template",
]
