"""Names of models as servers write them: with an owner or a path before them, a date or a version behind, and dots,
dashes or capitals as each likes.
"""

import re
from functools import lru_cache

from selfexec.text.regex import regex

OWNER = regex(r".*/")
# of a provider before a model, as on Bedrock: `anthropic.claude-...`, `us.anthropic.claude-...`
DOTTED_OWNER = regex(r"(?:[a-z-]+\.)+(?=[a-z])")
BEHIND = regex(r"[-@:.]?(?:v\d:\d+|v?\d{3,8}|\d{4}-\d\d-\d\d|\d\d-\d\d|\d\d-\d{4}|latest)(?=$|:)")
TAG = regex(r":[\w.-]+$")
WORD = regex(r":[a-z]+$", re.IGNORECASE)  # a tag that is no size
SEPARATORS = regex(r"[-_.\s]+")


@lru_cache(maxsize=1024)
def bare_name(name: str) -> str:
    """A name in small letters without its owner, and without its date or version."""
    bare = DOTTED_OWNER.sub("", OWNER.sub("", name.strip().casefold()), count=1)
    while (shorter := BEHIND.sub("", bare)) not in (bare, ""):
        bare = shorter
    return SEPARATORS.sub("-", bare)


@lru_cache(maxsize=1024)
def is_one_model(asked: str, served: str) -> bool:
    """Whether two names can be of one model: one may add an owner, a date or a version, and a server may leave out a
    tag behind a colon, or add one that is a word (`:nitro`, and not `:70b`). What differs in any other word (`gpt-4o`,
    `gpt-4o-mini`) is another model or an alias, which the names do not tell apart.
    """
    if bare_name(asked) == bare_name(served):
        return True
    return bare_name(TAG.sub("", asked)) == bare_name(served) or bare_name(asked) == bare_name(WORD.sub("", served))
