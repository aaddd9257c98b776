"""What made the page, and of what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from selfexec.analysis.reference_panel import panel_lines
from selfexec.engines import kept_setting
from selfexec.report.data import Data

if TYPE_CHECKING:
    from selfexec.runs import Run


@dataclass(frozen=True)
class Provenance:
    """What identifies a run: hashes of replies, items and prompts, and how it was made."""

    name: str
    origin: str
    made_by: str
    models: Sequence[str]
    epochs: int
    preset: str | None
    replies: int
    failed: int
    unasked: int
    given: int
    settings: Mapping[str, str]
    hashes: Sequence[tuple[str, str]]

    @property
    def has_many_settings(self) -> bool:
        """Whether they take a table: where facets set something, there is one for each session and model, or a list."""
        return len(self.settings) > FEW or any(len(value) > SHORT for value in self.settings.values())


FEW, SHORT = 6, 60  # settings in a line, and letters of one


@dataclass(frozen=True)
class About:
    command: str
    runs: Sequence[Provenance]
    panel: Sequence[str]


def about(data: Data) -> About:
    options = data.options
    panel = [line for one in data.scores.panels for line in panel_lines(one)]
    citations = [f"The panel: {one.panel.citation}." for one in data.scores.panels if one.panel.citation]
    runs = [
        replace(provenance(run), models=[m for m in data.models if m in run.models], unasked=unasked(data, run))
        for run in data.selection.whole_runs
    ]
    return About(options.command(data.selection), runs, [*panel, *citations])


def unasked(data: Data, run: "Run") -> int:
    """How many of the sessions that the page is of have no reply, not even one that failed."""
    never = pl.col("model").is_in(run.models), pl.col("code") == "m", pl.col("reason").is_null()
    return data.sessions.filter(*never).height


def provenance(run: "Run") -> Provenance:
    manifest = run.manifest
    digests = {"items": manifest.items, "prompt": manifest.prompts, "source": manifest.sources}
    return Provenance(
        name=run.folder.name,
        origin=manifest.origin,
        made_by=manifest.selfexec,
        models=run.models,
        epochs=manifest.epochs,
        preset=manifest.preset,
        replies=sum(not reply.failed for reply in run.replies.values()),
        failed=sum(reply.failed for reply in run.replies.values()),
        unasked=0,
        given=len(run.given or ()),
        settings={label: as_listed(kept_setting(name, value)) for label, name, value in manifest.all_settings},
        hashes=[
            ("replies", run.replies_sha256 or "not on disk"),
            *((f"{what} {name}", digest) for what, of in digests.items() for name, digest in sorted(of.items())),
        ],
    )


def as_listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
