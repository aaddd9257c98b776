"""The paper's Figure 2: does a model know which words it would list?"""

from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, baseline_dots, dots, signs_of, sizes, texts
from selfexec.report.figures.said import as_the_paper_counts, paper
from selfexec.report.svg import RowPanel, Sign, rows

TITLE = "Word association: predictions about words that the model would list"
CAPTION = (
    "Accuracy, precision, recall and positive rate (how often a model says that it would list a word); diamonds are, "
    "next to accuracy, always saying no, and next to the positive rate how often the words were listed."
)


def association(numbers: FigureNumbers) -> Figure | None:
    accuracy, precision, recall, positive, no, base = (
        numbers.scored("association", metric)
        for metric in ("accuracy", "precision", "recall", "positive_rate", "always_no", "base_rate")
    )
    if not accuracy:
        return None
    baselines = numbers.baselines("association")
    panels = [
        RowPanel(
            "accuracy",
            [
                *dots(numbers, "always no", no, "diamond", interval=False),
                *baseline_dots(numbers, baselines),
                *dots(numbers, "accuracy", accuracy),
            ],
        ),
        RowPanel("precision", dots(numbers, "precision", precision)),
        RowPanel("recall", dots(numbers, "recall", recall)),
        RowPanel(
            "positive rate",
            [
                *dots(numbers, "base rate", base, "diamond", interval=False),
                *dots(numbers, "positive rate", positive),
            ],
        ),
    ]
    signs = [
        Sign("main", "model, with 95% interval"),
        Sign("baseline", BASELINE),
        Sign("diamond", "always no; base rate"),
    ]
    table = behind(
        numbers.models,
        {
            "targets": sizes(accuracy),
            "coverage": texts(numbers.scored("association", "coverage")),
            "accuracy": texts(accuracy),
            BASELINE: texts(baselines),
            "always no": texts(no),
            "accuracy, as the paper counts": texts(as_the_paper_counts(numbers, "association")),
            "precision": texts(precision),
            "recall": texts(recall),
            "positive rate": texts(positive),
            "base rate": texts(base),
        },
    )
    svg = rows(numbers.model_order, "association", TITLE, CAPTION, panels, signs_of(signs, accuracy))
    beside = paper(numbers, 2, ["association"], lambda _: "accuracy")
    return Figure(
        "association", TITLE, CAPTION, svg, *table, numbers.behind_naive("association"), beside, "association"
    )
