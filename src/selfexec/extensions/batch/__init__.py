"""Batch files: the sessions of a run for a provider that asks them within a day at half the price, and its results."""

from selfexec.extension import Extension

EXTENSION = Extension(
    public={
        "Exported": "selfexec.extensions.batch.exporting",
        "export_batch": "selfexec.extensions.batch.exporting",
        "import_batch": "selfexec.extensions.batch.importing",
    },
)
