"""What `export --to sft` does."""

from typing import TYPE_CHECKING

from selfexec.cli.declared import collect, options_of
from selfexec.cli.options import STDOUT, say
from selfexec.errors import InputError
from selfexec.extension import registered
from selfexec.extensions.finetuning.options import SftOptions

if TYPE_CHECKING:
    from selfexec.cli.export import ExportRequest


sft_options = options_of(SftOptions, section=registered("exports")["sft"].heading)


def export_chats(request: "ExportRequest") -> None:
    """Write the chats that a model is trained on, and the controls."""
    from selfexec.extensions.finetuning.writing import export_sft
    from selfexec.runs import load

    part = request.run_part("which run? Chats say what its model did: give its folder", "chats are")
    if request.out is None or str(request.out) == STDOUT:
        raise InputError("--to sft: several files are written. Give --out a folder.")
    if len(part.models) > 1:
        raise InputError(
            f"--model {part.models[1]}: chats are of one model's behaviour. Name one; --against names others."
        )
    run = load(part.folder, accept_ends=part.accept_ends)
    model = part.models[0] if part.models else None
    given = {name: value for name, value in request.given.items() if name != "experiments"}
    options = collect(SftOptions, given, run=run, out=request.out, model=model, experiments=part.experiments)
    say(f"selfexec: {export_sft(**vars(options)).summary}", err=True)
