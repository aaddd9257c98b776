"""The card of a run: benchmark card and data card in one page."""

from selfexec.analysis.card.document import Card, card
from selfexec.analysis.card.origins import PAPER_FILES, origin

__all__ = ["PAPER_FILES", "Card", "card", "origin"]
