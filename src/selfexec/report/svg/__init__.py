"""Drawings as SVG: a pencil and layouts. Nothing here knows of models or scores, but of keys, groups and series."""

from selfexec.report.svg.canvas import (
    PHONE,
    POINT,
    SCREEN,
    SHEETS,
    SMALL_LETTERS,
    Drawing,
    Kind,
    Scale,
    Sheet,
    Sign,
    Whose,
    breadth,
    clean,
    drawing,
    ends_of,
    even_ticks,
    legend,
    log_ticks,
    mark,
    reach,
    reach_log,
    shortened,
    span,
    stroke,
    tick_label,
    write,
)
from selfexec.report.svg.curve import CurvePoint, curve
from selfexec.report.svg.order import ModelOrder
from selfexec.report.svg.pair import Pair, ThinRow, crowd, pair, place
from selfexec.report.svg.plane import Axis, Spot, plane
from selfexec.report.svg.rows import MOST, ROWS, Dot, Piece, RowPanel, rows, shares
