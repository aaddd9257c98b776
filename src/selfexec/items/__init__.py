"""Items: what the experiments ask about."""

from selfexec.items.origins import PAPER_FILES, UNKNOWN, Origin, origin
from selfexec.items.paper import cache_folder, groupings
from selfexec.items.presets import FULL, STRATIFIED, Preset, level_spread, newest_order, preset_ids, preset_orders
from selfexec.items.sets import STARTER, ItemSet, fixed_order, load
