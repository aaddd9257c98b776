"""What logs carry of the manifest of the run that they were exported from, and the manifest of the run that is made of
them. All logs of an export together make the same manifest again; some of them make that of their part.
"""

from collections.abc import Collection, Iterator, Sequence

import msgspec

from selfexec.items import ItemSet
from selfexec.runs import Run
from selfexec.runs.design import Block
from selfexec.runs.folder import BATCHES, FORMAT, LOGS, STUDY, Manifest
from selfexec.text.numbers import number_of
from selfexec.version import __version__


def narrowed(manifest: Manifest, models: Collection[str], experiments: Collection[str]) -> Manifest:
    """The manifest of a run as if these models and experiments were all that it has."""

    def here(blocks: Sequence[Block]) -> list[Block]:
        chosen = ((block, [model for model in block.models if model in models]) for block in blocks)
        return [
            msgspec.structs.replace(block, models=of_block)
            for block, of_block in chosen
            if of_block and block.experiment in experiments
        ]

    simulated = manifest.simulated
    return msgspec.structs.replace(
        manifest,
        models=[model for model in manifest.models if model in models],
        experiments=[name for name in manifest.experiments if name in experiments],
        items={name: sha256 for name, sha256 in manifest.items.items() if name in experiments},
        design=None if manifest.design is None else here(manifest.design),
        planned=here(manifest.planned),
        simulated=None if simulated is None else [model for model in simulated if model in models],
        prompts={name: sha256 for name, sha256 in manifest.prompts.items() if name.partition(".")[0] in experiments},
        own_settings={model: own for model, own in manifest.own_settings.items() if model in models},
        logs=[log for log in manifest.logs if log.model in models and log.experiment in experiments],
        shard=None,
    )


def made_again(carried: Sequence[Manifest | None], parts: int, item_set: ItemSet) -> Manifest | None:
    """The manifest of the run that logs were exported from, where each log carries one of these; None where they are
    not all that was exported, or of several runs, or of evaluations. What is different in a run that was imported:
    who wrote it, and that it was not asked here, unless what was done comes from logs in any case.
    """
    [first, *others] = carried
    if first is None or len(carried) != parts or any(other != first for other in others):
        return None
    if item_set.hashes != first.items:
        return None
    origin = LOGS if first.origin == LOGS else "import"
    return msgspec.structs.replace(first, format=FORMAT, selfexec=__version__, origin=origin)


def not_carried(run: Run, exported: Collection[tuple[str, str]]) -> Iterator[str]:
    """What of a run is in none of its logs, in words; `exported` are the models and experiments that were chosen."""
    if (run.folder / STUDY).is_file():
        yield f"the study file ({STUDY})"
    if (run.folder / BATCHES).is_dir():
        yield f"which sessions are out with a batch ({BATCHES}/)"
    if run.manifest.shard is not None:
        yield "that it is a shard of another run"
    asked = {
        (model, experiment, id, epoch)
        for (model, experiment, _), by_id in run.asked.items()
        for id, epochs in by_id.items()
        for epoch in epochs
    }
    if left := sum(key[:2] in exported and key[:4] not in asked for key in run.replies):
        yield f"{number_of(left, 'reply', 'replies')} to items for which no prediction was asked"
