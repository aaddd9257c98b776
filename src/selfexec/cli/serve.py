"""selfexec serve"""

from dataclasses import dataclass

import click

from selfexec.cli.declared import options_of
from selfexec.cli.options import say
from selfexec.options import option
from selfexec.run_options import STARTER, ItemSource


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """Where the models are served, and how fast."""

    host: str = option("127.0.0.1", "The address to serve at.")
    port: int = option(8321, "The port to serve at; 0: any free port.", least=0, most=65535)
    latency: float = option(0.0, "Seconds to wait before each reply.")
    rate: float = option(0.0, "The maximum number of requests a second; more are refused with status 429. 0: no limit.")


@click.command("serve")
@options_of(ItemSource)
@options_of(ServeOptions)
def command(items: str | None, host: str, port: int, latency: float, rate: float) -> None:
    """Serve the simulated models over HTTP, for testing a set-up, in every wire format, with or without streaming.

    \b
    selfexec serve --latency 0.05 --rate 50
    selfexec run --base-url http://127.0.0.1:8321/v1 --model sim/typical
    selfexec check sim/typical --base-url http://127.0.0.1:8321/v1 \\
      --wire responses --stream
    """
    import asyncio
    import math
    import socket
    import sys

    from selfexec.engines.sim.server import SimServer, serve
    from selfexec.errors import InputError
    from selfexec.items import load

    for flag, value, what in (("--latency", latency, "seconds"), ("--rate", rate, "requests a second")):
        if not 0 <= value < math.inf:
            raise InputError(f"{flag} {value:g}: give a number of {what}, 0 or more.")
    server = SimServer(load(items or STARTER), latency=latency, rate=rate)

    def announce(address: str) -> None:
        say(f"{address}: serving the simulated models. Stop with Ctrl-C.")
        sys.stdout.flush()

    try:
        asyncio.run(serve(server, host, port, announce))
    except (socket.gaierror, UnicodeError):
        raise InputError(f"--host {host}: no address of this machine has this name. Try 127.0.0.1.") from None
    except OSError as fault:
        import errno

        reason = (fault.strerror or str(fault)).rsplit(": ", 1)[-1]
        other = "--host" if fault.errno == errno.EADDRNOTAVAIL else "--port"
        raise InputError(f"{host}:{port}: cannot be served at ({reason}). Choose another {other}.") from None
