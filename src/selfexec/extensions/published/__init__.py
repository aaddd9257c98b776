"""Each number under the three conventions, and why they differ.

authors         how the paper's authors counted
conventions     `ledger`: the three numbers, explained by what became of each claim
decomposition   what became of each claim under each convention
given_readings  readings that were given, held against ours
sensitivity     what one choice of ours comes to, were it otherwise
entries         what comes out, as data and as people read it
"""

from selfexec.extension import AppendixPart, Command, Convention, Extension, ReportFile

EXTENSION = Extension(
    analyses={
        "ledger": Command(
            "selfexec.extensions.published.command:command",
            "Show each score under the conventions strict, readable and authors.",
        ),
    },
    conventions={
        "authors": Convention(
            "selfexec.extensions.published.authors:authors_scores",
            about="as the paper's published numbers were counted.",
            title="Scores by the counting rule of the paper's authors",
            legend="authors: counted as for the paper's published numbers",
        ),
    },
    appendix={
        "conventions": AppendixPart(
            "selfexec.extensions.published.page:conventions",
            template="selfexec.extensions.published/ledger.html.j2",
            summary="Each number, counted in three ways",
            about="each number counted in three ways",
            command="selfexec analyze ledger",
        ),
    },
    report_files={
        "ledger.csv": ReportFile(
            "selfexec.extensions.published.page:ledger_csv", columns="selfexec.extensions.published.page:COLUMNS"
        ),
    },
    public={
        "Ledger": "selfexec.extensions.published.entries",
        "ledger": "selfexec.extensions.published.conventions",
    },
)
