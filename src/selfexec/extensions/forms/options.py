"""The options of `export` that only forms for people have."""

from dataclasses import dataclass

from selfexec.cli.declared import options_of
from selfexec.extension import registered
from selfexec.options import option


@dataclass(frozen=True, kw_only=True)
class FormOptions:
    """What people are asked."""

    unsafe: bool = option(
        False, "Also include items that are unsafe on purpose, which are left out of forms by default."
    )


form_options = options_of(FormOptions, section=registered("exports")["form"].heading)
