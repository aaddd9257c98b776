"""The sections of a page: each a file with a function, from the data to what its part of the template shows, and that
part, of the same name, in `templates/sections`. Without its data a section is None, and not in the page.
"""

from collections.abc import Callable
from dataclasses import dataclass

from selfexec.report.data import Data
from selfexec.report.sections.about import about
from selfexec.report.sections.answer import answer
from selfexec.report.sections.appendix import appendix
from selfexec.report.sections.conditions import conditions
from selfexec.report.sections.failing_question import failing_question
from selfexec.report.sections.figures import figures
from selfexec.report.sections.guess import guess
from selfexec.report.sections.hypotheses import hypotheses
from selfexec.report.sections.lost import lost
from selfexec.report.sections.models import models
from selfexec.report.sections.scores import scores
from selfexec.report.sections.top import top


@dataclass(frozen=True)
class Section:
    """`id` names its part of the template, and what links lead to; `name` is how the contents call it, if they do."""

    id: str
    name: str
    made: Callable[[Data], object | None]


# In the order of the page.
SECTIONS = (
    Section("answer", "", answer),
    Section("hypotheses", "Hypotheses", hypotheses),
    Section("conditions", "Conditions", conditions),
    Section("figures", "Figures", figures),
    Section("scores", "Scores", scores),
    Section("models", "Models", models),
    Section("guess", "Try it", guess),
    Section("failing_question", "Failing questions", failing_question),
    Section("lost", "Losses", lost),
    Section("appendix", "Appendix", appendix),
)
TOP, ABOUT = Section("top", "", top), Section("about", "About", about)
