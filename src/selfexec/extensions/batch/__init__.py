"""Batch files: the sessions of a run for a provider that asks them within a day at half the price, and its results."""

from selfexec.extensions.batch.exporting import (
    NARROWING,
    Exported,
    NextRound,
    WrittenFile,
    batch_prices,
    export,
    export_batch,
    foreseen_round,
    planned_for,
)
from selfexec.extensions.batch.importing import ImportedBatch, import_batch, imported
