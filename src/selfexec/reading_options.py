"""What can be set wherever the replies of a run are read: apart from what asks models, which takes long to import."""

from dataclasses import dataclass

from selfexec.options import WHERE_IT_GOES, Names, option


@dataclass(frozen=True, kw_only=True)
class AcceptedEnds:
    """Which ends of replies count though nobody knows them."""

    accept_ends: Names | None = option(
        None,
        "Accept replies that ended with this unrecognised stop reason (`none`: no stop reason given). Look at these "
        "replies before you accept them: `selfexec read RUN --state missing --show`.",
        metavar="WORD",
        form="repeated",
        section=WHERE_IT_GOES,
        stored=True,
    )
