"""The card of a run: benchmark card and data card in one page."""

from selfexec.extensions.card.document import Card, card
