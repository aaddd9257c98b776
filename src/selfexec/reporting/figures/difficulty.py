"""The paper's Figure 4: does a model know which questions it finds hard?"""

from selfexec.reporting.figures.canvas import Sign
from selfexec.reporting.figures.figure import Figure, behind
from selfexec.reporting.figures.rows import Panel, dots, guesser_dots, rows, shares
from selfexec.reporting.figures.tables import Numbers, sizes, texts

TITLE = "Difficulty: rankings of questions by how hard the model will find them"
CAPTION = (
    "Share of pairs of questions ranked rightly, once with unreadable rankings counted as wrong (strict), once "
    "without them (readable), beside the best guesser; at one half the ranking says nothing. To the right, how many "
    "of the questions the model answers correctly."
)


def difficulty(numbers: Numbers) -> Figure | None:
    strict, readable = (numbers.accuracies("difficulty", convention) for convention in ("strict", "readable"))
    answers = numbers.scored("difficulty", "question_accuracy")
    if not strict and not answers:
        return None
    best = numbers.best_guessers("difficulty")
    marks = [
        *guesser_dots(numbers, best),
        *dots(numbers, "readable", readable, "open", lane=4.5),
        *dots(numbers, "strict", strict, lane=-4.5),
    ]
    right = dots(numbers, "question accuracy", answers)
    panels = [
        Panel("ranking accuracy", marks, domain=shares(marks), line=0.5, share=1.4),
        Panel("right answers", right, domain=shares(right)),
    ]
    signs = [
        Sign("main", "strict, with 95% interval"),
        Sign("open", "readable"),
        Sign("guess", "best guesser"),
        Sign("half", "a coin"),
    ]
    table = behind(
        numbers.models,
        {
            "groups": sizes(readable, strict),
            "coverage": texts(numbers.scored("difficulty", "coverage")),
            "accuracy, strict": texts(strict),
            "accuracy, readable": texts(readable),
            "best guesser": texts(best),
            "questions answered correctly": texts(answers),
        },
    )
    svg = rows(numbers, "difficulty", TITLE, CAPTION, panels, signs, height=25)
    return Figure("difficulty", TITLE, CAPTION, svg, *table)
