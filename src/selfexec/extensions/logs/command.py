"""What `import --from TOOL --as EXPERIMENT` does."""

from typing import TYPE_CHECKING

from selfexec.cli.import_ import ImportRequest, refuse_cut
from selfexec.cli.options import say
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.runs.folder import ImportedLog


def import_finished_logs(request: ImportRequest) -> None:
    """Make a run of finished logs, whose predictions are still to be asked."""
    from selfexec.engines import why_unaskable
    from selfexec.extensions.logs.importing import import_logs

    refuse_cut(request, "logs bring their own items, all of them")
    tool, experiment, out = str(request.tool), str(request.experiment), request.out
    found = import_logs(
        request.files, tool=tool, experiment=experiment, out=out, score=request.score, model=request.model
    )
    for warning in found.warnings:
        say(f"selfexec: warning: {warning}", err=True)
    for log in found.logs:
        say(_used(log))
    items = len(found.run.items[experiment])
    models = number_of(len(found.run.models), "model")
    used = dict.fromkeys(log.model for log in found.logs if log.used)
    unaskable = {name: why for name in used if (why := why_unaskable(name))}
    for name, why in unaskable.items():
        say(
            f"selfexec: warning: {name} cannot be asked by the name that its log has for it ({why}) To call it as "
            "it is asked, import its logs into a new folder, with --model PROVIDER/MODEL.",
            err=True,
        )
    to_ask = "" if unaskable else f" Next: {command_line('run --out {} --dry-run', out)}"
    say(f"{out}: {number_of(items, 'item')} of {experiment}, {models}.{to_ask}")


def _used(log: "ImportedLog") -> str:
    """What became of the samples of a log."""
    by = f", by the score {log.score}" if log.score else ""
    left = "".join(f"\n  left out: {number_of(n, 'sample')}: {reason}" for reason, n in log.left_out.items())
    return f"{log.file}: {number_of(log.used, 'sample')} of {log.model}{by}{left}"
