"""The options of `run` that are about study files."""

from dataclasses import dataclass
from pathlib import Path

from selfexec.cli.declared import options_of
from selfexec.options import option
from selfexec.run_options import STUDY


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Which study is run, and where one is written."""

    config: Path | None = option(
        None,
        "A study file, which can set all of these options. Options on the command line override it; --model selects "
        "among its models.",
        metavar="FILE",
        form="file",
        section=STUDY,
    )
    save: Path | None = option(
        None, "With --dry-run: save all of these options as a study file.", metavar="FILE", form="file", section=STUDY
    )


study_options = options_of(StudyOptions)
