"""selfexec check"""

from typing import Any

import click

from selfexec.cli.endpoints import endpoint_choices, endpoint_options
from selfexec.cli.variadic import Variadic
from selfexec.nouns import number_of


@click.command("check", cls=Variadic)
@click.argument("model")
@click.option("--items", default="starter", show_default=True, help="A set of items (starter, paper) or a folder.")
@endpoint_options
def command(model: str, items: str, **endpoint: Any) -> None:
    """Try a model before a run: format, token counts, refusals, memory between sessions.

    It asks one item of each kind (some 13 calls) and the first prompt twice, and tells a made-up code word in one
    session and asks for it in another. Where the word comes back, sessions share memory: no run is made with that model
    there, since a recollection cannot be told from a prediction.
    """
    from selfexec.checks import check
    from selfexec.errors import InputError
    from selfexec.memory import shared_message
    from selfexec.tables import terminal_width

    found = check(model, items=items, **endpoint_choices(**endpoint))
    click.echo(found.table(terminal_width()))
    if found.shared_memory:
        raise InputError(shared_message(model))
    if found.failed:
        raise InputError(f"{model}: {number_of(found.failed, 'session')} came to nothing. The table shows why.")
