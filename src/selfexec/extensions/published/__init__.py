"""Each number under the three conventions, and why they differ.

accounts        what became of each claim under each convention
ledger          `ledger`: the three numbers, explained by the accounts
given_readings  readings that were given, held against ours
sensitivity     what one choice of ours comes to, were it otherwise
entries         what comes out, as data and as people read it
"""

from selfexec.extensions.published.conventions import FORMULAS, NUMBERS, ledger
from selfexec.extensions.published.entries import Entry, Ledger, shown
from selfexec.extensions.published.sensitivity import inflected
