"""selfexec check"""

from pathlib import Path
from typing import Any

import click

from selfexec.cli.completion import complete_model_to_ask
from selfexec.cli.declared import collect, options_of, printed, quietly
from selfexec.cli.options import show
from selfexec.run_options import CheckOptions


@click.command("check")
@click.argument("model", shell_complete=complete_model_to_ask)
@options_of(CheckOptions, without=("max_connections", "accept_filters"))
@printed("json")
@quietly
def command(model: str, form: str, out: Path | None, **given: Any) -> None:
    """Try a model before a run: format, token counts, refusals, memory between sessions.

    It asks one item of each kind and the first prompt twice, 18 calls with sets that have requests of both kinds, and
    tells made-up code words in some sessions and asks for them in others. Where a word comes back, sessions share
    memory: no run is made with that model there, since a recollection cannot be distinguished from a prediction.

    The last line says whether the model is ready. Exit status 0: ready; 3: not ready; 2: bad input.

    \b
    selfexec check openai/gpt-6-luna
    selfexec check vllm/my-model --base-url http://localhost:8000/v1
    """
    from selfexec.runs.asking import carry_out_check

    checked = carry_out_check(collect(CheckOptions, given, model=model))
    show(checked, form, out)
    raise click.exceptions.Exit(0 if checked.ready else 3)
