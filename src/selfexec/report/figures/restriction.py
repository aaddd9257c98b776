"""The paper's Figure 3: does a model know which requests it would answer?"""

from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, baseline_dots, dots, signs_of, sizes, texts
from selfexec.report.figures.said import as_the_paper_counts, paper
from selfexec.report.svg import RowPanel, Sign, rows, shares

TITLE = "Restriction: predictions about requests that the model would answer"
CAPTION = (
    "Accuracy next to the baseline that goes by the request's own label and to the most accurate baseline, and "
    "over-niceness: of the errors, the share in which the model said no and then answered, next to that by chance."
)


def restriction(numbers: FigureNumbers) -> Figure | None:
    accuracy, label, over, by_chance = (
        numbers.scored("restriction", m) for m in ("accuracy", "label", "over_niceness", "over_niceness_expected")
    )
    if not accuracy:
        return None
    baselines = numbers.baselines("restriction")
    marks = [
        *dots(numbers, "label", label, "diamond", interval=False),
        *baseline_dots(numbers, baselines),
        *dots(numbers, "accuracy", accuracy),
    ]
    panels = [
        RowPanel("accuracy", marks, domain=shares(marks)),
        RowPanel(
            "over-niceness",
            [
                *dots(numbers, "over-niceness by chance", by_chance, "diamond", interval=False),
                *dots(numbers, "over-niceness", over),
            ],
        ),
    ]
    signs = [
        Sign("main", "model, with 95% interval"),
        Sign("diamond", "label, and by chance"),
        Sign("baseline", BASELINE),
    ]
    table = behind(
        numbers.models,
        {
            "requests": sizes(accuracy),
            "coverage": texts(numbers.scored("restriction", "coverage")),
            "accuracy": texts(accuracy),
            "accuracy, as the paper counts": texts(as_the_paper_counts(numbers, "restriction")),
            "label": texts(label),
            BASELINE: texts(baselines),
            "over-niceness": texts(over),
            "by chance": texts(by_chance),
        },
    )
    svg = rows(numbers.model_order, "restriction", TITLE, CAPTION, panels, signs_of(signs, accuracy))
    beside = paper(numbers, 3, ["restriction"], lambda _: "accuracy")
    return Figure(
        "restriction", TITLE, CAPTION, svg, *table, numbers.behind_naive("restriction"), beside, "restriction"
    )
