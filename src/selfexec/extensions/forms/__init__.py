"""Forms for people: what a model is asked, as pages that a person fills in, alone or with a twin."""

from selfexec.extension import Export, Extension

EXTENSION = Extension(
    exports={
        "form": Export(
            "selfexec.extensions.forms.command:export_forms",
            options="selfexec.extensions.forms.options:form_options",
            files="forms for people",
            about="pages for people to fill in.",
        ),
    },
)
