"""Finished logs of other tools, read with suspicion: what models did there, to be asked whether they know it."""

from selfexec.extensions.logs.importing import ImportedLogs, import_logs
from selfexec.extensions.logs.tools import TOOLS
