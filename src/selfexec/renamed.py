"""What was called otherwise in earlier versions. What somebody types by an old name is refused with the new one; what
a run kept under an old name is read under the new one.
"""

from typing import Any

METRICS = {
    "guesser_skill": "best_baseline",
    "self_knowledge": "baseline_margin",
    "self_execution_skill": "skill",
    "siblings_say": "family_predictions",
    "siblings_did": "family_behaviour",
    "others_say": "others_predictions",
}
FACETS = {"deed-thinking": "behaviour-thinking"}
FIELDS = {"sittings": "invocations"}
PROMPTS = {"deed@strategy": "behaviour@strategy"}
OPTIONS = {f"--{old}": f"--{new}" for old, new in FACETS.items()}
PARTS = {f"{old}=": f"{new}=" for old, new in FACETS.items()} | PROMPTS  # of the names of settings and prompts


def with_new_names(kept: Any) -> Any:
    """What was read from a file of a run, with the names that fields, facets, settings and prompts have now."""
    if isinstance(kept, list):
        return [with_new_names(one) for one in kept]
    if isinstance(kept, dict):
        return {new_name(name): with_new_names(value) for name, value in kept.items()}
    return kept


def new_name(name: str) -> str:
    """What a field, a facet, a setting or a prompt is called now."""
    for old, new in PARTS.items():
        name = name.replace(old, new)
    return (FIELDS | FACETS).get(name, name)
