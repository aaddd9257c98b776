"""A study in one file: which models, each reached and asked in its own way, which items, and what is wanted of it."""

from selfexec.extension import Extension, PlanSource

EXTENSION = Extension(
    plans={
        "study": PlanSource(
            "selfexec.extensions.study.command:planned_study",
            "selfexec.extensions.study.options:study_options",
            ("config", "save"),
        ),
    },
    public={"Study": "selfexec.extensions.study.planning", "load_study": "selfexec.extensions.study.planning"},
)
