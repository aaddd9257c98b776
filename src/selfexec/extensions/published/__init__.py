"""Each number under the three conventions, and why they differ.

authors         how the paper's authors counted
conventions     `ledger`: the three numbers, explained by what became of each claim
decomposition   what became of each claim under each convention
given_readings  readings that were given, held against ours
sensitivity     what one choice of ours comes to, were it otherwise
entries         what comes out, as data and as people read it
"""

from selfexec.extension import Command, Extension

EXTENSION = Extension(
    analyses={
        "ledger": Command(
            "selfexec.extensions.published.command:command", "Show each score under three counting rules."
        ),
    },
    public={
        "Ledger": "selfexec.extensions.published.entries",
        "ledger": "selfexec.extensions.published.conventions",
    },
)
