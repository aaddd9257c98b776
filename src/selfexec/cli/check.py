"""selfexec check"""

from pathlib import Path
from typing import Any

import click

from selfexec.cli.completion import complete_model_to_ask
from selfexec.cli.declared import collect, options_of, printed, quietly
from selfexec.cli.options import say, show
from selfexec.run_options import CheckOptions
from selfexec.text.printable import HOLE, command_line


@click.command("check")
@click.argument("model", shell_complete=complete_model_to_ask)
@options_of(CheckOptions, without=("max_connections", "accept_filters"))
@printed("json")
@quietly
def command(model: str, form: str, out: Path | None, **given: Any) -> None:
    """Test a model before a run: format, token counts, refusals, memory between sessions.

    The model is asked one item of each kind, and the first prompt twice: 18 calls if the item set has both safe
    requests and requests that are unsafe on purpose. Some sessions are given made-up code words, and others are asked
    for them. If a word comes back, sessions share memory, and no run is made with that model at that address: a
    recollection cannot be distinguished from a prediction.

    The last line says whether the model is ready. Exit status 0: ready; 3: not ready; 2: bad input.

    \b
    selfexec check openai/gpt-6-luna
    selfexec check vllm/my-model --base-url http://localhost:8000/v1
    """
    from selfexec.runs.asking.checks import carry_out_check

    checked = carry_out_check(collect(CheckOptions, dict(given), model=model))
    show(checked, form, out)
    if checked.ready and form == "table" and out is None:
        say(_next(model, given))
    raise click.exceptions.Exit(0 if checked.ready else 3)


def _next(model: str, given: dict[str, Any]) -> str:
    """The command that shows what a run takes: on the paper's items, for which a reference panel comes along."""
    from selfexec.runs.asking.paper_items import PAPER_ITEMS

    reached = [("--base-url", given["base_url"]), ("--wire", given["wire"]), ("--api-key-env", given["api_key_env"])]
    asked = [("--model", model), *reached, ("--items", given["items"] or PAPER_ITEMS)]
    shown = [(option, value) for option, value in asked if value]
    template = f"run {' '.join(f'{option} {HOLE}' for option, _ in shown)} --preset quick --dry-run"
    return f"Next: {command_line(template, *(value for _, value in shown))}"
