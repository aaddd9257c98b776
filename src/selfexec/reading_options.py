"""What can be set wherever the replies of a run are read: apart from what asks models, which takes long to import."""

from dataclasses import dataclass

from selfexec.options import WHERE_IT_GOES, Names, option


@dataclass(frozen=True, kw_only=True)
class AcceptedEnds:
    """Which ends of replies count though nobody knows them."""

    accept_ends: Names | None = option(
        None,
        "Count replies with this unknown stop reason (`none`: without a stop reason). Look at them first: `selfexec "
        "read RUN --state missing --show`.",
        metavar="WORD",
        form="repeated",
        section=WHERE_IT_GOES,
        stored=True,
    )
