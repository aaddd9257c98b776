"""Own excess as people read it."""

from selfexec.analysis.own_excess.tables import (
    NOTES,
    NOTES_ON_ALL,
    QUESTION,
    all_own_parts,
    below_models,
    below_panel,
    loadings,
    of_models,
    of_panel,
    similar_behaviour,
    too_small,
    whole_records,
)
from selfexec.analysis.own_excess.verdicts import (
    NO_GROUPS,
    against,
    families_of,
    in_words,
    own_lines,
    own_of,
    own_records,
    panel_size,
    panel_title,
    printed,
)
