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
    from selfexec.analysis.glossary import by_heading, explain, other_names

    if not words:
        for heading, terms in by_heading().items():
            say(f"{heading}: {', '.join(terms)}")
        say(f"To look up a term: {command_line('explain margin')}")
        return
    entry = explain(" ".join(words))
    also = other_names(entry)
    say("\n".join([entry.term, entry.text, *([f"This entry also explains: {', '.join(also)}"] if also else [])]))
