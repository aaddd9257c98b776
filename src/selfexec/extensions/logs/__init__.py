"""Finished logs of other tools, read with suspicion: what models did there, to be asked whether they know it."""

from selfexec.extension import Extension

EXTENSION = Extension(public={"import_logs": "selfexec.extensions.logs.importing"})
