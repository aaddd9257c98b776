"""The ladder as people read it: the skill of all who might predict a model, beside that of its own prediction."""

from selfexec.analysis.ladder.result import Ladder, ladder, ladder_of, signed_interval
from selfexec.analysis.ladder.row import LadderRow
from selfexec.analysis.ladder.words import HEADS, LEGEND, NO_TEST
