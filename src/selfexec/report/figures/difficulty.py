"""The paper's Figure 4: does a model know which questions it finds hard?"""

from collections.abc import Mapping

from selfexec.analysis.numbers import Number
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, baseline_dots, dots, signs_of, sizes, texts
from selfexec.report.figures.said import HALF, across, against, as_the_paper_counts, paper, sentence
from selfexec.report.svg import Kind, RowPanel, Sign, rows, shares

TITLE = "Difficulty: rankings of questions by how hard the model will find them"
CAPTION = (
    "Share of pairs of questions ranked rightly, with unreadable rankings counted as wrong (strict) and without them "
    "(readable), next to the most accurate baseline; at the right, how many questions the model answers correctly."
)


def difficulty(numbers: FigureNumbers) -> Figure | None:
    strict, readable = (numbers.accuracies("difficulty", convention) for convention in ("strict", "readable"))
    answers = numbers.scored("difficulty", "question_accuracy")
    if not strict and not answers:
        return None
    baselines = numbers.baselines("difficulty")
    # the page's own convention is the filled mark
    kinds: tuple[Kind, Kind] = ("main", "diamond") if numbers.strict else ("diamond", "main")
    marks = [
        *baseline_dots(numbers, baselines),
        *dots(numbers, "readable", readable, kinds[1], offset=4.5),
        *dots(numbers, "strict", strict, kinds[0], offset=-4.5),
    ]
    right = dots(numbers, "question accuracy", answers)
    panels = [
        RowPanel("ranking accuracy", marks, domain=shares(marks), line=0.5, share=1.4, axis="share of pairs"),
        RowPanel("right answers", right, domain=shares(right), axis="share of questions"),
    ]
    signs = [
        Sign(kinds[0], "strict"),
        Sign(kinds[1], "readable"),
        Sign("baseline", BASELINE),
        Sign("half", "a coin"),
    ]
    table = behind(
        numbers.models,
        {
            "groups": sizes(readable, strict),
            "coverage": texts(numbers.scored("difficulty", "coverage")),
            "accuracy, strict": texts(strict),
            "accuracy, readable": texts(readable),
            "accuracy, as the paper counts": texts(as_the_paper_counts(numbers, "difficulty")),
            BASELINE: texts(baselines),
            "questions answered correctly": texts(answers),
        },
    )
    svg = rows(numbers.model_order, "difficulty", TITLE, CAPTION, panels, signs_of(signs, strict, readable), height=25)
    beside = paper(numbers, 4, ["difficulty"], lambda _: "accuracy")
    return Figure(
        "difficulty",
        TITLE,
        CAPTION,
        svg,
        *table,
        _finding(strict if numbers.strict else readable),
        beside,
        "difficulty",
    )


def _finding(accuracies: Mapping[str, Number]) -> str:
    found = against(accuracies, HALF)
    if not found.above:
        return ""
    who, pairs = found.whom(found.above), across(accuracies[model] for model in found.above)
    verb = "ranks" if len(found.above) == 1 else "rank"
    return sentence(f"{who} {verb} questions better than a coin: {pairs} of pairs rightly")
