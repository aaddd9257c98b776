"""Models through Inspect AI's model layer: for providers that we do not speak ourselves."""

from selfexec.extensions.inspect.engine.asking import EXTRA, Final, asked, extra_lacking, is_limit
from selfexec.extensions.inspect.engine.engine import SETTINGS, InspectEngine
from selfexec.extensions.inspect.engine.opened import OPENED, Opened
from selfexec.extensions.inspect.engine.results import result_of
