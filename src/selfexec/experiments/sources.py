"""Who says what a model did: the source of an outcome.

self         the model itself, in a session of the experiment
rule         a fixed rule, the same for all models
visible      that rule by the tokens of visible answers alone, without thoughts
majority     that rule by the keys that most other models' answers give to questions which models made up
log          the scorer of the log that it was taken from
human        a person, afterwards
judge:NAME   another model, or whatever else goes by this name, afterwards
"""

SELF, RULE, VISIBLE, MAJORITY, LOG, HUMAN = "self", "rule", "visible", "majority", "log", "human"
JUDGE = "judge:"
NAMES = {
    SELF: "the model's own judgement",
    RULE: "a fixed rule",
    VISIBLE: "the tokens of visible answers alone",
    MAJORITY: "the keys that most other models give",
    LOG: "the scorer of the log",
    HUMAN: "human judgement",
}
BY = {
    SELF: "by its own judgement",
    RULE: "by the rule",
    VISIBLE: "by visible tokens",
    MAJORITY: "by the keys of most other models",
    LOG: "by the scorer of the log",
    HUMAN: "by human judgement",
}


def judges_later(source: str) -> bool:
    """Whether it looks at stored replies, and so has a journal of its own."""
    return source == HUMAN or source.removeprefix(JUDGE) not in ("", source)


def source_name(source: str) -> str:
    """At the head of a sentence on one claim: "a fixed rule says otherwise"."""
    return f"the judge {source.removeprefix(JUDGE)}" if source.startswith(JUDGE) else NAMES.get(source, source)


def by_source(source: str) -> str:
    """Where outcomes by several sources stand side by side: "by the rule"."""
    return BY.get(source, f"by {source}")
