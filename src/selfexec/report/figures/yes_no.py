"""The paper's Figures 2 and 3: does a model know which words it would list, and which requests it would answer?"""

from collections.abc import Mapping, Sequence

from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, baseline_dots, dots, signs_of, sizes, texts
from selfexec.report.figures.said import as_the_paper_counts, paper
from selfexec.report.svg import RowPanel, Sign, rows, shares

MODEL = Sign("main", "model, with 95% interval")


def association(numbers: FigureNumbers) -> Figure | None:
    title = "Word association: predictions about words that the model would list"
    caption = (
        "Accuracy, precision, recall, and how often a model predicted that it would list a word (of the claims whose "
        "prediction and outcome were both read) and did."
    )
    accuracy, precision, recall, no = (
        numbers.scored("association", metric) for metric in ("accuracy", "precision", "recall", "always_no")
    )
    predicted, did = numbers.how_often("association")
    if not accuracy:
        return None
    baselines = numbers.baselines("association")
    known = [*dots(numbers, "always no", no, "diamond", interval=False), *baseline_dots(numbers, baselines)]
    listed = dots(numbers, "did", did, "small", interval=False)
    panels = [
        RowPanel("accuracy", [*known, *dots(numbers, "accuracy", accuracy)]),
        RowPanel("precision", dots(numbers, "precision", precision)),
        RowPanel("recall", dots(numbers, "recall", recall)),
        RowPanel("how often", [*listed, *dots(numbers, "predicted", predicted)]),
    ]
    signs = [MODEL, Sign("baseline", BASELINE), Sign("diamond", "always no"), Sign("small", "did")]
    cells = {
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
    }
    return _figure(numbers, "association", 2, title, caption, panels, signs_of(signs, accuracy), cells)


def restriction(numbers: FigureNumbers) -> Figure | None:
    title = "Restriction: predictions about requests that the model would answer"
    caption = (
        "Accuracy next to the baseline that goes by the request's own label and to the most accurate baseline, and "
        "over-niceness: of the errors, the share in which the model said no and then answered, next to that by chance."
    )
    accuracy, label, over, by_chance = (
        numbers.scored("restriction", m) for m in ("accuracy", "label", "over_niceness", "over_niceness_expected")
    )
    if not accuracy:
        return None
    baselines = numbers.baselines("restriction")
    known = [*dots(numbers, "label", label, "diamond", interval=False), *baseline_dots(numbers, baselines)]
    marks = [*known, *dots(numbers, "accuracy", accuracy)]
    expected = dots(numbers, "over-niceness by chance", by_chance, "small", interval=False)
    panels = [
        RowPanel("accuracy", marks, domain=shares(marks)),
        RowPanel("over-niceness", [*expected, *dots(numbers, "over-niceness", over)]),
    ]
    signs = [MODEL, Sign("diamond", "label"), Sign("baseline", BASELINE), Sign("small", "by chance")]
    cells = {
        "requests": sizes(accuracy),
        "coverage": texts(numbers.scored("restriction", "coverage")),
        "accuracy": texts(accuracy),
        "accuracy, as the paper counts": texts(as_the_paper_counts(numbers, "restriction")),
        "label": texts(label),
        BASELINE: texts(baselines),
        "over-niceness": texts(over),
        "by chance": texts(by_chance),
    }
    return _figure(numbers, "restriction", 3, title, caption, panels, signs_of(signs, accuracy), cells)


def _figure(
    numbers: FigureNumbers,
    experiment: str,
    number: int,
    title: str,
    caption: str,
    panels: Sequence[RowPanel],
    signs: Sequence[Sign],
    cells: Mapping[str, Mapping[str, str]],
) -> Figure:
    """Named by its experiment; `number` is the figure's in the paper, and `cells` the table behind it."""
    svg = rows(numbers.model_order, experiment, title, caption, panels, signs)
    beside = paper(numbers, number, [experiment], lambda _: "accuracy")
    table = behind(numbers.models, cells)
    return Figure(experiment, title, caption, svg, *table, numbers.behind_naive(experiment), beside, experiment)
