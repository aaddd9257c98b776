"""Tables and figures for papers that are set in LaTeX."""

from selfexec.extension import Extension, ReportFile

EXTENSION = Extension(
    figure_formats={"tex": "selfexec.extensions.latex.writing:as_latex"},
    report_files={
        "summary.tex": ReportFile("selfexec.extensions.latex.files:summary"),
        "models.tex": ReportFile("selfexec.extensions.latex.files:models"),
        "figures.tex": ReportFile("selfexec.extensions.latex.files:figures"),
    },
)
