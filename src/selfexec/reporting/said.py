"""What the page says in words, in its order; each sentence follows by rule (`selfexec.scores.sentences`)."""

from collections.abc import Iterator, Sequence

from selfexec.observations import Tables
from selfexec.reporting.boards import Index
from selfexec.scores import sentences
from selfexec.scores.compared import Standing
from selfexec.scores.crossed import CrossPrediction
from selfexec.scores.sentences import Said
from selfexec.scores.simple import SIMPLE, rows_over_simple
from selfexec.scores.table import SKILL


def said(index: Index, tables: Tables, crossed: CrossPrediction, standings: Sequence[Standing]) -> list[Said]:
    """Everything that the numbers support: overall, then by experiment."""
    return sentences.all_said(_said(index, tables, crossed, standings))


def _said(
    index: Index, tables: Tables, crossed: CrossPrediction, standings: Sequence[Standing]
) -> Iterator[Said | None]:
    alone = len({row.model for row in index.scores}) == 1
    if not alone:
        yield sentences.best_skill(index.of("overall", "self_execution_skill"), standings)
    for experiment in index.experiments:
        if experiment == "overall":
            continue
        if alone:
            yield sentences.skill_alone(experiment, *index.of(experiment, SKILL[experiment]))
        else:
            yield sentences.self_knowledge(experiment, index.of(experiment, "self_knowledge"))
        if experiment in SIMPLE:
            guesses = {row.model: row for row in index.of(experiment, SIMPLE[experiment])}
            yield sentences.simple_guesser(
                experiment, rows_over_simple(index.of(experiment, "accuracy"), tables.claims[experiment]), guesses
            )
        own_rule, one_rule = (crossed.parts.get((experiment, f"self_bonus{rule}")) for rule in ("", "_by_rule"))
        if one_rule is not None:
            yield sentences.self_bonus(experiment, one_rule, own_rule)
        elif own_rule is not None:
            yield sentences.self_bonus(experiment, own_rule)
