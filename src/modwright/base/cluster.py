# SPDX-License-Identifier: Apache-2.0
"""Dask clusters: the client of a scheduler, after checks of its address and of its workers' version of Modwright."""

from __future__ import annotations

import re
import socket
from typing import Any

from .errors import ToolMissingError, UsageError, quoted
from .store import source_digest

TIMEOUT = 10.0
"""Seconds in which a scheduler has to answer."""

_ADDRESS = re.compile(r"(?:(?:tcp|tls)://)?(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>[0-9]{1,5})")


def connect(address: str) -> Any:
    """A client of the scheduler at `address`, such as tcp://10.0.0.1:8786; the caller closes it.

    Raises
    ------
    ToolMissingError
        When Dask is not installed.
    UsageError
        When the address is malformed or does not answer, or a worker has another version of Modwright.
    """
    try:
        import distributed
    except ImportError as error:
        raise ToolMissingError("dask.distributed is not installed", "pip install 'modwright[cluster]'") from error
    library: Any = distributed
    check_address(address)
    try:
        client = library.Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}", "dask scheduler") from error
    other = [worker for worker, digest in client.run(source_digest).items() if digest != source_digest()]
    if other:
        client.close()
        raise UsageError(f"another version of Modwright runs on {', '.join(other)}", "install the same one")
    return client


def check_address(address: str) -> None:
    """UsageError for what is not an address, and where no scheduler listens: a client of Dask that never reached its
    scheduler writes a traceback when it is thrown away."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match["port"]) <= 0xFFFF:
        raise UsageError(f"{quoted(address)} is not an address of a Dask scheduler", "tcp://HOST:PORT")
    try:
        socket.create_connection((match["host"].strip("[]"), int(match["port"])), timeout=TIMEOUT).close()
    except (OSError, UnicodeError) as error:
        raise UsageError(f"no Dask scheduler answers at {quoted(address)}: {error}", "dask scheduler") from error
