"""Inspect AI, both ways: our experiments as its tasks, our simulated models as its models, and logs of these tasks as
runs, and runs as logs. Nothing here is imported unless somebody asks for it; what imports `inspect_ai` says so.
"""

from selfexec.extension import Extension

EXTENSION = Extension(
    public={"import_task_logs": "selfexec.extensions.inspect.importing"},
    engines={"inspect": "selfexec.extensions.inspect.engine_type:INSPECT"},
)
