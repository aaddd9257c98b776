"""Finished logs of other tools, read with suspicion: what models did there, to be asked whether they know it."""

from selfexec.extension import Extension, Import

LOGS = Import(
    "selfexec.extensions.logs.command:import_finished_logs",
    takes=("--score", "--model"),
    about="log files, or folders of them.",
)
EXTENSION = Extension(
    experiments={
        "correctness": "selfexec.extensions.logs.experiments.correctness:Correctness",
        "refusal": "selfexec.extensions.logs.experiments.refusal:Refusal",
        "choice": "selfexec.extensions.logs.experiments.choice:Choice",
        "length": "selfexec.extensions.logs.experiments.length:Length",
    },
    public={"import_logs": "selfexec.extensions.logs.importing"},
    finished_logs={"inspect": LOGS, "lm-eval": LOGS},
)
