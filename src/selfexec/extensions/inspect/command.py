"""What `export --to inspect` and `import --from inspect` do."""

import shlex

from selfexec.cli.export import ExportRequest
from selfexec.cli.import_ import ImportRequest, refuse_cut, say_imported
from selfexec.cli.options import say
from selfexec.errors import InputError
from selfexec.text.numbers import number_of


def export_logs(request: ExportRequest) -> None:
    """Write a run as logs of Inspect."""
    from selfexec.extensions.inspect.carried import not_carried
    from selfexec.extensions.inspect.exporting import parts_of, write_logs
    from selfexec.runs import load

    part = request.run_part("which run? Logs are of one: give its folder", "logs are")
    out = request.out
    if out is None:
        raise InputError("--to inspect: logs are no text. Give --out a file, like mine.eval, or a folder.")
    run = load(part.folder, accept_ends=part.accept_ends)
    logs = parts_of(run, part.models, part.experiments)
    files = write_logs(logs, out)
    if lost := list(not_carried(run, {(log.model, log.experiment.name) for log in logs})):
        say(f"selfexec: not in the logs: {'; '.join(lost)}", err=True)
    then = f"inspect view --log-dir {shlex.quote(str(out if len(files) > 1 else files[0].parent))}"
    say(f"selfexec: {out}: {number_of(len(files), 'log')}. Next: {then}", err=True)


def import_logs(request: ImportRequest) -> None:
    """Make a run of logs of our tasks."""
    from selfexec.extensions.inspect.importing import run_of_logs

    refuse_cut(request, "logs bring their own items, all of them")
    run, warnings = run_of_logs(request.files, request.out)
    for warning in warnings:
        say(f"selfexec: warning: {warning}", err=True)
    say_imported(run, request.out)
