# SPDX-License-Identifier: Apache-2.0
"""A device as a server on a socket of this machine: programs use it as they use the board.

A request has 12 bytes: operation, three bytes of 0, offset or milliseconds, value; an answer has 8: 0 or the response
of the bus, the interrupt line, two bytes of 0, value. Numbers are little-endian. Operations: 1 reads, 2 writes, 3 lets
the core run until its interrupt or until the time is over, and no longer than `LONGEST_WAIT`. Between operations
the clock is stopped. A malformed request ends the connection. A device has one user at a time: the next connection
waits, and finds it reset. Several devices behind one address take connections in turn.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from ..base.errors import UsageError, quoted
from ..bus import Response

READ, WRITE, WAIT = 1, 2, 3
REQUEST, ANSWER = struct.Struct("<B3xII"), struct.Struct("<BB2xI")
_PADDING = slice(1, 4)
LONGEST_WAIT = 600_000
"""Milliseconds of one wait; a longer one is malformed."""
_CLOSED = "closed"
_WAITING = 128
"""Connections that may wait for their turn."""
_LOOPBACK = "127.0.0.1"
_LAST_PORT = 0xFFFF
_TICK = 0.2
"""Seconds between two checks of a waiting server for the order to stop."""
_SHORT = 0.01
"""Seconds between two checks of what is about to end."""
_CYCLES_A_READ = 256
"""Cycles that pass with each read, so that a program that polls sees an end."""


class Registers(Protocol):
    """Device as the server needs it."""

    def read(self, offset: int) -> tuple[int, Response]:
        """A word and the response."""
        ...

    def write(self, offset: int, value: int, strobes: int = 0xF) -> Response:
        """Write a word."""
        ...

    def run(self, cycles: int = ...) -> bool:
        """Let cycles pass, until the interrupt."""
        ...

    def reset(self) -> None:
        """Reset wrapper and core."""
        ...

    @property
    def irq(self) -> bool:
        """The interrupt line."""
        ...


class _MalformedError(Exception):
    """Error of bytes that are not a request."""


@contextmanager
def listen(address: str) -> Iterator[socket.socket]:
    """A listening socket of this machine.

    Parameters
    ----------
    address : str
        "unix:PATH", or "tcp:127.0.0.1:PORT" with 0 for any free port.

    Raises
    ------
    UsageError
        For another form or host, or an address that cannot be bound.
    """
    kind, _, rest = address.partition(":")
    if kind == "unix" and rest:
        with _unix(Path(rest)) as server:
            yield server
        return
    host, _, port = rest.rpartition(":")
    # isdigit() alone takes digits that int() refuses, such as superscripts; it refuses thousands of digits, too
    decimal = port.isascii() and port.isdigit() and len(port) <= len(str(_LAST_PORT))
    if kind == "tcp" and host == _LOOPBACK and not (decimal and int(port) <= _LAST_PORT):
        raise UsageError(f"cannot listen at {quoted(address)}", f"a port is a number from 0 to {_LAST_PORT}")
    if kind != "tcp" or host != _LOOPBACK:
        raise UsageError(
            f"cannot listen at {quoted(address)}", f"unix:PATH, or tcp:{_LOOPBACK}:PORT: this machine only"
        )
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(server, (_LOOPBACK, int(port)), address)
        yield server


@contextmanager
def _unix(path: Path) -> Iterator[socket.socket]:
    """A socket with a name; one without a listener is replaced, and it is removed at the end."""
    with contextlib.suppress(OSError):
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise UsageError(f"cannot listen at unix:{path}: there is a file, which is not a socket", "another path")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        former = os.umask(0o177)  # operands are secrets: no other user may connect
        try:
            _bind(server, str(path), f"unix:{path}")
        finally:
            os.umask(former)
        try:
            yield server
        finally:
            path.unlink(missing_ok=True)


def _bind(server: socket.socket, name: str | tuple[str, int], address: str) -> None:
    try:
        server.bind(name)
        server.listen(_WAITING)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"cannot listen at {address}: {reason}") from error


def address_of(server: socket.socket) -> str:
    """The address as `listen` takes it."""
    name = server.getsockname()
    return f"unix:{name}" if server.family == socket.AF_UNIX else f"tcp:{name[0]}:{name[1]}"


def serve(
    device: Registers,
    server: socket.socket,
    stop: Callable[[], bool] = lambda: False,
    log: Callable[[str], None] = print,
) -> None:
    """Serve one connection after another until `stop` returns true.

    Parameters
    ----------
    device : Registers
    server : socket
        Socket from `listen`.
    stop : callable
        Called several times a second.
    log : callable
        Called with one line for each connection.
    """
    server.setblocking(False)
    while not stop():
        if not select.select([server], [], [], _TICK)[0]:
            continue
        try:
            connection, _ = server.accept()
        except BlockingIOError:  # another device of this server was first
            continue
        with connection:
            connection.setblocking(True)
            device.reset()
            if connection.family == socket.AF_INET:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            log("connected")
            try:
                reason = _converse(device, connection, stop)
            except _MalformedError as error:
                reason = f"malformed request: {error}"
            except OSError as error:
                reason = error.strerror or str(error)
            device.reset()  # nothing of the previous user may be left
            log(f"closed: {reason}")


def serve_all(
    devices: Sequence[Registers],
    server: socket.socket,
    stop: Callable[[], bool] = lambda: False,
    log: Callable[[str], None] = print,
) -> None:
    """Serve by several devices at a time, each in a thread, until `stop` returns true or one of them fails.

    A connection is taken by the first device that is free. The other parameters are those of `serve`.
    """
    over = threading.Event()
    busy: set[int] = set()

    def serve_one(device: Registers) -> None:
        busy.add(id(device))  # before it looks whether all is over
        try:
            serve(device, server, lambda: stop() or over.is_set(), log)
        finally:
            over.set()
            busy.discard(id(device))

    with ThreadPoolExecutor(len(devices)) as pool:
        try:  # a signal may come as soon as the first thread serves
            served = [pool.submit(serve_one, device) for device in devices]
            # Without a lock: Ctrl-C that came between taking one and its block would leave it taken for ever. And in
            # turns, as a signal that another thread was given ends no wait of this one.
            while not over.is_set():
                time.sleep(_TICK)
        finally:
            over.set()  # also after Ctrl-C, which comes to this thread
            # The pool does not wait for a thread whose start was interrupted, and the caller frees the devices next.
            while busy:
                time.sleep(_SHORT)
    for future in served:
        future.result()


def _converse(device: Registers, connection: socket.socket, stop: Callable[[], bool]) -> str:
    """Answer requests until the other side closes; why it ended."""
    while True:
        request = _receive(connection, stop)
        if len(request) < REQUEST.size:
            if request:
                raise _MalformedError(f"{len(request)} bytes of {REQUEST.size}")
            return "stopped" if stop() else _CLOSED
        connection.sendall(_answer(device, request, connection, stop))


def _receive(connection: socket.socket, stop: Callable[[], bool]) -> bytes:
    """A request; fewer bytes when the other side closed, or when the server is to stop."""
    data = b""
    while len(data) < REQUEST.size:
        if stop():
            return data
        if not select.select([connection], [], [], _TICK)[0]:
            continue
        more = connection.recv(REQUEST.size - len(data))
        if not more:
            return data
        data += more
    return data


def _answer(device: Registers, request: bytes, connection: socket.socket, stop: Callable[[], bool]) -> bytes:
    operation, first, second = REQUEST.unpack(request)
    if any(request[_PADDING]):
        raise _MalformedError(f"padding {request[_PADDING].hex()}")
    value, response = 0, Response.OKAY
    if operation == READ:
        if not device.irq:
            device.run(_CYCLES_A_READ)
        value, response = device.read(first)
    elif operation == WRITE:
        response = device.write(first, second)
    elif operation == WAIT and first <= LONGEST_WAIT and not second:
        _wait(device, first / 1000, connection, stop)
    else:
        raise _MalformedError(f"operation {operation} ({first}, {second})")
    return ANSWER.pack(response, device.irq, value)


def _wait(device: Registers, seconds: float, connection: socket.socket, stop: Callable[[], bool]) -> None:
    """Run until the interrupt; no longer than requested, nor than the connection lasts."""
    end = time.monotonic() + seconds
    while not device.run() and time.monotonic() < end and not stop():
        if select.select([connection], [], [], 0)[0] and not connection.recv(1, socket.MSG_PEEK):
            return
