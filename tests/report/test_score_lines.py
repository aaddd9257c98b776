"""Ranks that a model may have."""

from selfexec.analysis.compare import Ranking
from selfexec.analysis.differences import Standing
from selfexec.report.figures import Figure
from selfexec.report.score_lines import places_of
from selfexec.report.sections.figures import halves


def ranking(**models: tuple[float, str]) -> Ranking:
    rows = [Standing("skill", "overall", model, value=value, tied=tied) for model, (value, tied) in models.items()]
    return Ranking((*rows, Standing("skill", "association", "a", value=0.1, tied="a")), {})


def test_a_place_is_behind_all_who_are_surely_ahead_and_before_all_who_are_surely_behind() -> None:
    # b and c cannot be told apart, nor c and d; a is ahead of all, b ahead of d
    found = places_of(ranking(a=(0.9, "a"), b=(0.6, "b"), c=(0.5, "b c"), d=(0.4, "c")), "skill", "overall")
    assert found == {"a": "1", "b": "2–3", "c": "2–4", "d": "3–4"}


def test_where_nobody_can_be_told_apart_each_may_be_anywhere() -> None:
    assert set(places_of(ranking(a=(0.9, "a"), b=(0.6, "a"), c=(0.5, "a")), "skill", "overall").values()) == {"1–3"}


def test_a_model_that_was_not_compared_has_no_place_and_takes_none() -> None:
    found = places_of(ranking(a=(0.9, "a"), b=(0.6, "b"), withheld=(0.7, "")), "skill", "overall")
    assert found == {"a": "1", "b": "2"}


def test_one_model_alone_has_no_place() -> None:
    assert places_of(ranking(a=(0.9, "a"), withheld=(0.7, "")), "skill", "overall") == {}


def test_figures_stand_in_two_columns_of_like_height_in_their_order() -> None:
    def figure(id: str, height: float) -> Figure:
        return Figure(id, id, "", lambda _: f'<svg viewBox="0 0 560 {height}"></svg>', [], [])

    # each has 230 more: 430, 230 and 130 of drawings are 660, 460 and 360; the first alone is nearest to a half
    columns = halves([figure("tall", 430), figure("low", 230), figure("lower", 130)])
    assert [[one.id for one in column] for column in columns] == [["tall"], ["low", "lower"]]
    assert [[one.id for one in column] for column in halves([figure("alone", 200)])] == [["alone"]]
