"""selfexec serve"""

import click

from selfexec.cli.declared import options_of
from selfexec.cli.options import say
from selfexec.run_options import STARTER, ItemSource


@click.command("serve")
@options_of(ItemSource)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to be reached at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8321, show_default=True, help="0: any that is free.")
@click.option("--latency", type=float, default=0.0, help="Seconds before each reply.")
@click.option("--rate", type=float, default=0.0, help="Requests a second; more are turned away with 429. 0: no limit.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="FAULT=SHARE",
    help="Faults for this share of requests, like 429=0.1. Repeat; a wrong one lists them all.",
)
@click.option("--seed", type=int, default=0, help="Which requests the faults befall.")
def command(
    items: str | None, host: str, port: int, latency: float, rate: float, faults: tuple[str, ...], seed: int
) -> None:
    """Serve the simulated models over HTTP, in every wire format, whole or in pieces, to try a set-up on.

    \b
    selfexec serve --latency 0.05 --fault 429=0.1 --fault reset=0.02
    selfexec run --base-url http://127.0.0.1:8321/v1 --model sim/typical
    selfexec check sim/typical --base-url http://127.0.0.1:8321/v1 \\
      --wire responses --stream
    """
    import asyncio
    import math
    import socket
    import sys

    from selfexec.engines.sim.server import Manners, parse_faults, serve
    from selfexec.errors import InputError
    from selfexec.items import load

    for option, value, what in (("--latency", latency, "seconds"), ("--rate", rate, "requests a second")):
        if not 0 <= value < math.inf:
            raise InputError(f"{option} {value:g}: give a number of {what}, 0 or more.")
    item_set, manners = load(items or STARTER), Manners(latency, rate, parse_faults(faults), seed)

    def announce(address: str) -> None:
        say(f"{address}: serving the simulated models. Stop with Ctrl-C.")
        sys.stdout.flush()

    try:
        asyncio.run(serve(item_set, manners, host, port, announce))
    except (socket.gaierror, UnicodeError):
        raise InputError(f"--host {host}: no address of this machine has this name. Try 127.0.0.1.") from None
    except OSError as fault:
        import errno

        reason = (fault.strerror or str(fault)).rsplit(": ", 1)[-1]
        other = "--host" if fault.errno == errno.EADDRNOTAVAIL else "--port"
        raise InputError(f"{host}:{port}: cannot be served at ({reason}). Choose another {other}.") from None
