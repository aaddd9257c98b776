"""Scores: what the observations amount to, with intervals, beside baselines, and withheld where they would mislead."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from selfexec.analysis.options import WITH_SKILL, ScoreOptions
from selfexec.analysis.own_excess import NO_GROUPS, families_of, own_of
from selfexec.analysis.preset_levels import adjusted_rows, with_presets
from selfexec.analysis.score_table import Scores
from selfexec.analysis.selection import (
    NO_PANEL,
    Selection,
    refuse_unknown,
    rows_by,
    selection_of,
)
from selfexec.analysis.warnings import (
    Warned,
    is_about,
    left_open,
    of_replies,
    same_replies,
)
from selfexec.claims import NO_ANSWERS, Claims, Tables, occurring
from selfexec.claims.arrays import MISSING, UNREADABLE
from selfexec.errors import InputError
from selfexec.extension import registered
from selfexec.facets import DEFAULT_NAME, why_apart
from selfexec.metrics import (
    LEAST_FOR_VERDICT,
    NO_EVIDENCE,
    NO_OWN_EXCESS,
    OF_BASELINE,
    TAKES_TWO,
    Bootstrap,
    Crossed,
    Estimate,
    Extent,
    ModelScores,
    Own,
    RowMaker,
    Score,
    VoteTables,
    ceilings,
    claim_kind,
    gives_probabilities,
    judge_warnings,
    loss_warnings,
    models_read,
    overall_scores,
    peers,
    score_experiment,
    self_bonuses,
    with_bootstrap,
    with_bounds,
)
from selfexec.panels import MatchedPanel
from selfexec.runs import takes

__all__ = ["Bootstrap", "Score", "Scores", "Selection", "score", "score_tables"]


@takes(ScoreOptions, "scoring")
def score(options: ScoreOptions) -> Scores:
    """Every metric of every model, under one convention of counting: strict, readable or authors; in every condition in
    which anything was asked, each by itself.

    Args:
        runs: A run or its folder, or several: their models are then each other's reference models. Or a selection of
            them.

    Raises:
        InputError: A model is in two of the runs, items differ between them, or the panel has none of them.
    """
    return scores_of(options)


def scores_of(options: ScoreOptions) -> Scores:
    """Scores by options that are collected already, as commands have them: rows of numbers, one for each metric. The
    findings are made of them where they are printed (`analysis.findings`).
    """
    selection = selection_of(options.runs, options).with_those_apart()
    added = registered("conventions")
    refuse_unknown("convention", [selection.convention], [*WITH_SKILL, *added])
    selection.refuse_unknown()
    runs = selection.whole_runs
    has_preset = any(run.manifest.preset for run in runs)
    drawn = Bootstrap(options.bootstrap, options.seed or 0) if options.bootstrap is not None else None
    extent: Extent = "brief" if options.brief else "all"
    in_conditions: list[Scores] = []
    if selection.convention in added:
        _refuse_what_takes_more(selection, drawn, brief=options.brief)
        rows: Iterable[Score] = [row for run in selection.runs for row in rows_by(selection.convention, run)]
        warnings: list[Warned] = []
    else:
        narrowed = [selection.under(condition) for condition in selection.shown_conditions]
        in_conditions = [
            _in_condition(one, selection.families, drawn, has_preset=has_preset, extent=extent) for one in narrowed
        ]
        rows = [row for one in in_conditions for row in one]
        warnings = [*(warning for one in in_conditions for warning in one.warnings), *same_replies(runs)]
    panels = [panel for one in in_conditions for panel in one.panels]
    if in_conditions and selection.panel not in (None, NO_PANEL) and not panels:
        raise InputError(f"--panel {selection.panel}: it was asked in another condition. Leave it out.")
    rows = with_presets(rows, runs) if has_preset else rows
    return Scores(
        (row for row in rows if selection.wants([row.model], row.experiment)),
        (warning for warning in (*warnings, *of_replies(runs)) if is_about(warning, selection.wants)),
        drawn,
        in_conditions[0].parts if in_conditions else None,
        selection.scored_runs,
        (own for one in in_conditions for own in one.own if selection.wants(own.found.each, own.experiment)),
        panels,
    )


def _in_condition(
    selection: Selection,
    groups: Mapping[str, str | None],
    drawn: Bootstrap | None,
    *,
    has_preset: bool,
    extent: Extent,
) -> Scores:
    """The scores of the wanted models and experiments, in the one condition of a selection. All other models are
    reference models. `has_preset`: some of the runs asked a preset, which is a cut of the items.
    """
    models = [model for model in selection.everybody if selection.wants([model])]
    if selection.condition != DEFAULT_NAME and (why := why_apart(selection.condition)):
        return _apart(selection, why, models, groups, drawn, extent)
    experiments = () if "overall" in selection.experiments else selection.experiments
    scores = score_tables(
        selection.tables,
        models,
        selection.convention,
        drawn,
        matched=selection.matched_panel,
        experiments=experiments,
        groups=groups,
        extent=extent,
    )
    if extent == "brief" or not has_preset:
        return scores
    rows = [*scores, *adjusted_rows(selection, scores.parts, scores.of("overall", "skill"))]
    return Scores(rows, scores.warnings, drawn, scores.parts, scores.runs, scores.own, scores.panels)


def _apart(
    selection: Selection,
    why: str,
    models: Sequence[str],
    groups: Mapping[str, str | None],
    drawn: Bootstrap | None,
    extent: Extent,
) -> Scores:
    """The scores in a condition whose predictions are none of what a model knows of itself: of each experiment by
    itself, without an own excess, an overall score, a panel and whatever a model is held against.
    """
    plain = score_tables(
        selection.tables,
        models,
        selection.convention,
        drawn,
        experiments=selection.experiments,
        groups=groups,
        extent=extent,
    )
    of_others = {*OF_BASELINE, "own_excess"}
    rows = (
        replace(row, value=None, low=None, high=None, reason=why, verdict=None, baseline=None)
        if row.metric in of_others or row.metric.startswith("own_excess") or row.experiment == "overall"
        else row
        for row in plain
    )
    return Scores(rows, plain.warnings, drawn, plain.parts, plain.runs)


def score_tables(
    tables: Tables,
    models: Sequence[str],
    convention: str,
    bootstrap: Bootstrap | None = None,
    *,
    matched: MatchedPanel | None = None,
    experiments: Collection[str] = (),
    groups: Mapping[str, str | None] = NO_GROUPS,
    extent: Extent = "all",
) -> Scores:
    """Scores of some models, from tables alone.

    Args:
        tables: Observations and sessions, in one condition.
        models: Those to score. All models of the tables are their reference models.
        convention: `strict` or `readable`.
        bootstrap: Replaces intervals by bootstrap ones.
        matched: The reference panel, where there is one.
        experiments: Those to score; all where none is named.
        groups: Model -> family, where somebody has named it.
        extent: How much is worked out. Only `all` has warnings, tests of loss, self-bonuses, noise ceilings and bounds.
    """
    claims = {name: found for name, found in tables.claims.items() if not experiments or name in experiments}
    together = matched.tables if matched else tables
    votes = {experiment: VoteTables(together.claims[experiment]) for experiment in claims}
    everybody = {model for tables_of in votes.values() for model in tables_of.everyone.models}
    # a model alone has nobody of its family beside it
    families = families_of(everybody, together.simulated, groups) if len(everybody) > 1 else dict.fromkeys(everybody)
    scored = {model: _scored(together, votes, model, convention, families, extent) for model in models}
    if extent == "bare":
        return Scores(_bare_rows(convention, scored), parts=scored)
    panels = [matched] if matched else []
    has_verdicts = matched is not None or len(everybody) >= LEAST_FOR_VERDICT  # of so few there is none that is shown
    own = (
        list(own_of(claims, tables.simulated, families, matched, people=tables.people))
        if has_verdicts or extent == "all"
        else []
    )
    if extent == "brief":
        return Scores(_shown_rows(scored, bootstrap), (), bootstrap, scored, own=own, panels=panels)
    judged = judge_warnings(claims, convention == "strict")
    opened = [one for one in left_open(tables) if one.experiment in claims]
    warnings: list[Warned] = [*loss_warnings(claims), *judged, *opened]
    rows = _rows(claims, convention, scored, own, bootstrap)
    if matched is not None:
        rows = (_with_panel(row, matched) for row in rows)
    return Scores(rows, warnings, bootstrap, scored, own=own, panels=panels)


def _scored(
    tables: Tables,
    votes: Mapping[str, VoteTables],
    model: str,
    convention: str,
    families: Mapping[str, str | None],
    extent: Extent,
) -> dict[str, ModelScores]:
    """The scores of one model in each experiment. The other models of its sort, simulated or not, are its reference
    models.
    """
    strict = convention == "strict"
    scored: dict[str, ModelScores] = {}
    for experiment, vote_tables in votes.items():
        everyone = vote_tables.everyone
        if not len(claims := everyone.of(model)):
            continue
        references = peers(model, everyone.models, tables.simulated, tables.people)
        asked = _row_maker(model, convention, claims, models_read(vote_tables, model, references))
        others = vote_tables.others(claims, references)
        answers = tables.answers.get(experiment, {}).get(model, NO_ANSWERS)
        family = families[model]
        of_family = [one for one in references if family and families[one] == family]
        same_family = vote_tables.others(claims, of_family, varying=False)
        scored[experiment] = score_experiment(asked, claims, answers, others, same_family, strict, extent)
    return scored


def _row_maker(model: str, convention: str, claims: Claims, models: int) -> RowMaker:
    """What every row says of a model in an experiment, besides its number."""
    return RowMaker(
        model,
        claims.experiment,
        convention,
        len(occurring(claims.item)),
        len(claims),
        int((claims.state == UNREADABLE).sum()),
        int((claims.state == MISSING).sum()),
        models,
        source=claims.source,
        condition=claims.condition,
    )


def _rows(
    everyone: Mapping[str, Claims],
    convention: str,
    scored: Mapping[str, Mapping[str, ModelScores]],
    own: Sequence[Own],
    bootstrap: Bootstrap | None,
) -> Iterator[Score]:
    """The rows of all models, with bounds or drawn intervals where these are asked for. `everyone` has all claims, by
    experiment; `scored` is by model and experiment.
    """
    # a bonus goes by shares of yes, and so by a threshold; and there is none of one model alone
    crossed = {
        experiment: self_bonuses(claims) if len(claims.models) > 1 and not gives_probabilities(claims) else {}
        for experiment, claims in everyone.items()
    }
    rows: Iterator[Score] = (
        row for model, parts in scored.items() for row in _of_model(everyone, model, convention, parts, crossed, own)
    )
    if convention == "readable":
        rows = with_bounds(rows, scored, everyone)
    return rows if bootstrap is None else with_bootstrap(rows, scored, crossed, bootstrap)


def _of_model(
    everyone: Mapping[str, Claims],
    model: str,
    convention: str,
    scored: Mapping[str, ModelScores],
    crossed: Mapping[str, Mapping[str, Crossed]],
    own: Sequence[Own],
) -> Iterator[Score]:
    """The rows of one model: in each experiment those of its score, then what takes all models or several epochs; last
    the overall scores.
    """
    for experiment, part in scored.items():
        claims = everyone[experiment].of(model)
        yield from part.rows
        if gives_probabilities(claims):
            yield part.asked.row("own_excess", Estimate(math.nan, reason=NO_OWN_EXCESS))
        elif claims.repeated:
            for metric, estimate in ceilings(claims, convention == "strict").items():
                yield part.asked.row(metric, estimate)
        yield from _bonus_rows(part.asked, everyone[experiment], crossed[experiment])
        for one in own:
            if one.experiment == experiment and one.is_of(model):
                yield _own_row(part.asked, one, model)
    yield from overall_scores(model, convention, scored)


def _bonus_rows(asked: RowMaker, everyone: Claims, crossed: Mapping[str, Crossed]) -> Iterator[Score]:
    """The self-bonus of all models together, as rows of one of them: by the source that counts, then by each other."""
    if len(everyone.models) < 2 and claim_kind(everyone).SHARED_CLAIMS and not gives_probabilities(everyone):
        sources = {
            "self_bonus": everyone.source,
            **{f"self_bonus_by_{other}": other for other in everyone.further_sources},
        }
        for metric, source in sources.items():
            yield replace(asked, source=source).row(metric, Estimate(math.nan, reason=TAKES_TWO))
    for metric, found in crossed.items():
        by, estimate = replace(asked, source=found.common.source), found.estimate_for(asked.model)
        yield by.row(metric, estimate, None if estimate.reason else f"{NO_EVIDENCE}; {found.basis}")


def _own_row(asked: RowMaker, own: Own, model: str) -> Score:
    judged = own.found.for_model(model)
    row = replace(asked, source=own.source).row(own.metric, judged.estimate)
    row = replace(row, reason=judged.reason, models=len(own.found.compared.models), verdict=judged.verdict)
    return replace(row, panel=own.panel)


def _with_panel(row: Score, matched: MatchedPanel) -> Score:
    """What is said of the baseline, with the name of the panel that it is of."""
    if row.metric not in OF_BASELINE:
        return row
    experiments = matched.experiments if row.experiment == "overall" else [row.experiment]
    return replace(row, panel=matched.panel.name) if matched.serves(row.model, experiments) else row


def _shown_rows(scored: Mapping[str, Mapping[str, ModelScores]], bootstrap: Bootstrap | None) -> Iterator[Score]:
    """The rows that the first screen is made of."""
    rows = (row for parts in scored.values() for part in parts.values() for row in part.rows)
    return rows if bootstrap is None else with_bootstrap(rows, scored, {}, bootstrap)


def _bare_rows(convention: str, scored: Mapping[str, Mapping[str, ModelScores]]) -> Iterator[Score]:
    for model, parts in scored.items():
        for part in parts.values():
            yield from part.rows
        yield from overall_scores(model, convention, parts)


def _refuse_what_takes_more(selection: Selection, drawn: Bootstrap | None, *, brief: bool) -> None:
    """Refuse options that a convention without intervals and baselines cannot follow."""
    convention = f"convention {selection.convention!r}"
    if brief:
        raise InputError(f"brief: the first screen is made of what {convention} lacks. Leave it out.")
    if drawn:
        raise InputError(f"{convention} has no intervals to bootstrap: take strict or readable.")
    if selection.panel not in (None, NO_PANEL):
        raise InputError(f"--panel {selection.panel}: {convention} has no baselines. Leave it out.")
    if selection.groups:
        raise InputError(f"--groups {selection.groups}: {convention} has no baselines. Leave it out.")
