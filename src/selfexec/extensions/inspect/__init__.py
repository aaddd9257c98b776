"""Inspect AI, both ways: our experiments as its tasks, our simulated models as its models, and logs of these tasks as
runs, and runs as logs. Nothing here is imported unless somebody asks for it; what imports `inspect_ai` says so.
"""

from selfexec.extension import Export, Extension, Import

LOG_FILES = "log files, or folders of them."
EXTENSION = Extension(
    public={"import_task_logs": "selfexec.extensions.inspect.importing"},
    exports={"inspect": Export("selfexec.extensions.inspect.command:export_logs", about="RUN as Inspect AI logs.")},
    imports={"inspect": Import("selfexec.extensions.inspect.command:import_logs", suffix=".eval", about=LOG_FILES)},
    engines={"inspect": "selfexec.extensions.inspect.engine_type:INSPECT"},
)
