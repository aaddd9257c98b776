"""The paper's Figure 2: does a model know which words it would list?"""

from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, baseline_dots, dots, signs_of, sizes, texts
from selfexec.report.figures.said import as_the_paper_counts, paper
from selfexec.report.svg import RowPanel, Sign, rows

TITLE = "Word association: predictions about words that the model would list"
CAPTION = (
    "Accuracy, precision, recall, and how often a model predicted that it would list a word (of the claims whose "
    "prediction and outcome were both read); diamonds are, next to accuracy, always saying no, and next to how often "
    "it predicted a word, how often it listed it."
)


def association(numbers: FigureNumbers) -> Figure | None:
    accuracy, precision, recall, no = (
        numbers.scored("association", metric) for metric in ("accuracy", "precision", "recall", "always_no")
    )
    predicted, did = numbers.how_often("association")
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
            "how often",
            [*dots(numbers, "did", did, "diamond", interval=False), *dots(numbers, "predicted", predicted)],
        ),
    ]
    signs = [
        Sign("main", "model, with 95% interval"),
        Sign("baseline", BASELINE),
        Sign("diamond", "always no; did"),
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
            "predicted": texts(predicted),
            "did": texts(did),
        },
    )
    svg = rows(numbers.model_order, "association", TITLE, CAPTION, panels, signs_of(signs, accuracy))
    beside = paper(numbers, 2, ["association"], lambda _: "accuracy")
    return Figure(
        "association", TITLE, CAPTION, svg, *table, numbers.behind_naive("association"), beside, "association"
    )
