"""selfexec import"""

from pathlib import Path

import click


@click.command("import")
@click.argument("replies", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--items", "item_source", required=True, help="The items that were asked: a folder, or a set's name.")
@click.option(
    "--preset", type=click.Choice(["quick", "standard", "full"]), help="The cut that was asked, if it was one."
)
@click.option("--limit", type=int, help="So many items per experiment were asked.")
@click.option("--fraction", type=float, help="This share of the items was asked.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The run's folder; it must be new.")
def command(
    replies: tuple[Path, ...],
    item_source: str,
    preset: str | None,
    limit: int | None,
    fraction: float | None,
    out: Path,
) -> None:
    """Make a run of replies from elsewhere: another harness, a batch API, a form that people filled in.

    REPLIES are JSON Lines, also gzipped, or - for standard input; one reply a line:

    \b
    {"model": "...", "experiment": "restriction", "item": "17", "epoch": 1,
     "session": "predict", "text": "...", "output_tokens": 57, "error": null}
    """
    from selfexec.runs import import_replies

    run, warnings = import_replies(
        replies, item_source=item_source, out=out, limit=limit, fraction=fraction, preset=preset
    )
    for warning in warnings:
        click.echo(f"selfexec: warning: {warning}", err=True)
    for model, number in run.unasked.items():
        click.echo(
            f"selfexec: warning: {model} has no line for {number:,} of the items, which count as missing. If it was "
            "not asked them, give --items with those that it was.",
            err=True,
        )
    counts = f"replies: {len(run.replies):,}, models: {len(run.models)}"
    click.echo(f"{out}: imported ({counts}). Next: selfexec score {out}")
