"""Tables and figures for papers that are set in LaTeX."""

from selfexec.extension import Extension

EXTENSION = Extension()
