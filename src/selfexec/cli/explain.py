"""selfexec explain"""

import click

from selfexec.cli.options import say
from selfexec.text.printable import command_line


@click.command("explain")
@click.argument("words", nargs=-1, metavar="TERM")
def command(words: tuple[str, ...]) -> None:
    """Explain a term, a sign, a verdict or a number that a command prints. Without TERM: list all terms.

    \b
    selfexec explain margin
    selfexec explain own excess
    selfexec explain "~"
    """
    from selfexec.analysis.glossary import entries, explain

    if not words:
        say(f"Terms: {', '.join(entry.term for entry in entries())}.")
        say(f"What one of them means: {command_line('explain margin')}")
        return
    entry = explain(" ".join(words))
    also = f" ({', '.join(entry.names)})" if entry.names else ""
    say(f"{entry.term}{also}\n{entry.text}")
