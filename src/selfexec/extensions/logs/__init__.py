"""Finished logs of other tools, read with suspicion: what models did there, to be asked whether they know it."""

from selfexec.extension import Extension

IMPORT = "selfexec.extensions.logs.command:import_finished_logs"
EXTENSION = Extension(
    public={"import_logs": "selfexec.extensions.logs.importing"},
    finished_logs={"inspect": IMPORT, "lm-eval": IMPORT},
)
