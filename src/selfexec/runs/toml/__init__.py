"""Study files, in TOML: what stands in them, and where."""

from selfexec.runs.toml.contents import (
    VARIABLE,
    StudyContents,
    StudyModel,
    held_headers,
    read_study,
    respondent_of,
    unset_headers,
)
