"""Who says what a model did: the source of an outcome.

self         the model itself, in a session of the experiment
rule         a fixed rule, the same for all models
human        a person, afterwards
judge:NAME   another model, or whatever else goes by this name, afterwards
"""

SELF, RULE, HUMAN = "self", "rule", "human"
JUDGE = "judge:"


def judges_later(source: str) -> bool:
    """Whether it looks at stored replies, and so has a journal of its own."""
    return source == HUMAN or source.removeprefix(JUDGE) not in ("", source)


def source_name(source: str) -> str:
    """At the head of a sentence on one claim: "a fixed rule says otherwise"."""
    return {SELF: "the model's own judgement", RULE: "a fixed rule", HUMAN: "human judgement"}.get(source, source)


def by_source(source: str) -> str:
    """Where outcomes by several sources stand side by side: "by the rule"."""
    return {SELF: "by its own judgement", RULE: "by the rule", HUMAN: "by human judgement"}.get(source, f"by {source}")
