# SPDX-License-Identifier: Apache-2.0
"""The command emulate: a core as a device that programs can open."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from .common import MOST_PROCESSES, heartbeat, note
from .groups import grouped
from .selection import Selection


@grouped
def emulate(
    selection: Selection,
    listen: Annotated[
        str, typer.Option("--listen", metavar="ADDRESS", help="unix:PATH, or tcp:127.0.0.1:PORT (0: any free port).")
    ],
    devices: Annotated[
        int,
        typer.Option("--devices", min=1, max=MOST_PROCESSES, metavar="N", help="Number of devices, one thread each."),
    ] = 1,
    long_run: Annotated[
        bool, typer.Option("--long-run", help="Compile with -O3: takes longer, and simulates faster.")
    ] = False,
) -> None:
    """Serve a core as a device that programs can open.

    The compiled core with its AXI4-Lite registers answers at a socket of this machine, to the driver in C or to a
    program of your own, one connection at a time for each device. Ctrl-C ends it.

    Examples:
      modwright emulate modmul/binary -m 251 -t generic --listen unix:device
      modwright emulate modexp/booth8-csa-window -O bits=512 --listen unix:device
    """
    from ..emulate import Device, address_of, serve_all
    from ..emulate import listen as listening
    from ..simulate.compiled import LONG_RUN

    prepared = selection.prepare()
    with listening(listen) as server:
        note(f"compiling {prepared.top}, once for each request; minutes for a wide core")
        cycles = LONG_RUN if long_run else 0
        with ExitStack() as stack:
            with heartbeat(f"compiling {prepared.top}"):
                opened = [stack.enter_context(Device(prepared, cycles=cycles)) for _ in range(devices)]
            print(f"listening at {address_of(server)}", flush=True)
            serve_all(opened, server, log=note)
