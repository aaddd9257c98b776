"""The paper's Figure 4: does a model know which questions it finds hard?"""

from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, Numbers, baseline_dots, dots, sizes, texts
from selfexec.report.svg import Kind, Panel, Sign, rows, shares

TITLE = "Difficulty: rankings of questions by how hard the model will find them"
CAPTION = (
    "Share of pairs of questions ranked rightly, once with unreadable rankings counted as wrong (strict), once "
    "without them (readable), beside the most accurate baseline; at one half the ranking says nothing. To the right, "
    "how many of the questions the model answers correctly."
)


def difficulty(numbers: Numbers) -> Figure | None:
    strict, readable = (numbers.accuracies("difficulty", convention) for convention in ("strict", "readable"))
    answers = numbers.scored("difficulty", "question_accuracy")
    if not strict and not answers:
        return None
    baselines = numbers.baselines("difficulty")
    # the page's own convention is the filled mark
    kinds: tuple[Kind, Kind] = ("main", "open") if numbers.strict else ("open", "main")
    marks = [
        *baseline_dots(numbers, baselines),
        *dots(numbers, "readable", readable, kinds[1], lane=4.5),
        *dots(numbers, "strict", strict, kinds[0], lane=-4.5),
    ]
    right = dots(numbers, "question accuracy", answers)
    panels = [
        Panel("ranking accuracy", marks, domain=shares(marks), line=0.5, share=1.4, axis="share of pairs"),
        Panel("right answers", right, domain=shares(right), axis="share of questions"),
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
            BASELINE: texts(baselines),
            "questions answered correctly": texts(answers),
        },
    )
    svg = rows(numbers.lineup, "difficulty", TITLE, CAPTION, panels, signs, height=25)
    return Figure("difficulty", TITLE, CAPTION, svg, *table)
