"""Batch files: the sessions of a run for a provider that asks them within a day at half the price, and its results."""

from selfexec.extension import Export, Extension, Import

FILES = Export(
    "selfexec.extensions.batch.command:export_files",
    options="selfexec.extensions.batch.options:batch_options",
    files="batch files",
    about="files for a provider's batch API, often at a lower price.",
)

EXTENSION = Extension(
    exports={"batch-openai": FILES, "batch-anthropic": FILES, "batch-gemini": FILES},
    imports={
        "batch": Import(
            "selfexec.extensions.batch.command:import_files",
            takes=("--accept-filters",),
            about="the results of a provider's batch API.",
        ),
    },
    public={
        "Exported": "selfexec.extensions.batch.exporting",
        "export_batch": "selfexec.extensions.batch.exporting",
        "import_batch": "selfexec.extensions.batch.importing",
    },
)
