# SPDX-License-Identifier: Apache-2.0
"""The emulated device: AXI4-Lite of the Verilated wrapper, and the server on a socket."""

import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from modwright.base.errors import UsageError
from modwright.bus import Response
from modwright.emulate import Device, address_of, listen, serve_all

from .devices import core, needs_verilator, served

REQUEST, ANSWER = struct.Struct("<B3xII"), struct.Struct("<BB2xI")
READ, WRITE, WAIT = 1, 2, 3


@pytest.fixture(scope="module")
def prepared(store):
    return core("modmul/binary", store, modulus="251")


@pytest.fixture
def device(prepared):
    with Device(prepared) as opened:
        yield opened


def product(device, x, y):
    """One product through the registers."""
    m = device.map
    assert device.write(m.window("I_X").offset, x) == Response.OKAY
    assert device.write(m.window("I_Y").offset, y) == Response.OKAY
    assert device.write(m.register("CONTROL").offset, 1) == Response.OKAY
    while device.read(m.register("STATUS").offset)[0] & 1:
        device.run(1)
    return device.read(m.window("O_Z").offset)[0]


@needs_verilator
@pytest.mark.parametrize("pauses", [0, 5])
def test_products(prepared, pauses):
    """400 of 63,001 pairs, with pauses of 0 to 5 cycles between the steps of each access, address or data first."""
    rng = random.Random(pauses)
    with Device(prepared, pauses=pauses, seed=3) as device:
        for _ in range(400):
            x, y = rng.randrange(251), rng.randrange(251)
            assert product(device, x, y) == x * y % 251


@needs_verilator
def test_every_word_answers(device):
    """All 64 of 64 words, read and written; the responses of the table."""
    m = device.map
    known = {r.offset for r in m.registers} | {o for w in (*m.operands, *m.results) for o, _, _ in w.slices()}
    for offset in range(0, 1 << m.address_bits, 4):
        value, response = device.read(offset)
        assert (response == Response.OKAY) == (offset in known)
        assert offset in known or value == 0
        if offset not in known:
            assert response == Response.DECERR
            assert device.write(offset, 0xFFFFFFFF) == Response.DECERR


@needs_verilator
def test_a_reset_in_the_middle(device):
    for cycles in range(20):
        m = device.map
        device.write(m.window("I_X").offset, 7)
        device.write(m.register("CONTROL").offset, 1)
        device.run(cycles)
        device.reset()
        assert product(device, 100, 200) == 100 * 200 % 251


# --- the server


class Client:
    """Requests by hand."""

    def __init__(self, address):
        kind, _, rest = address.partition(":")
        if kind == "unix":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(rest)
        else:
            host, _, port = rest.rpartition(":")
            self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(10)

    def ask(self, operation, first=0, second=0):
        """(response, irq, value)."""
        self.socket.sendall(REQUEST.pack(operation, first, second))
        return ANSWER.unpack(self.exactly(ANSWER.size))

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            assert more, "closed"
            data += more
        return data

    def is_closed(self):
        """Whether the other side closes, and says nothing before."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def works(address):
    """A product by a new client."""
    client = Client(address)
    assert client.ask(WRITE, 0x40, 20)[0] == 0
    assert client.ask(WRITE, 0x44, 30)[0] == 0
    assert client.ask(WRITE, 0x28, 1)[0] == 0
    assert client.ask(WRITE, 0x20, 1)[0] == 0
    assert client.ask(WAIT, 5000)[:2] == (0, 1)
    assert client.ask(READ, 0x80) == (0, 1, 600 % 251)
    client.socket.close()


@needs_verilator
@pytest.mark.parametrize("form", ["unix", "tcp"])
def test_a_client(device, tmp_path, form):
    where = tmp_path if form == "unix" else "tcp:127.0.0.1:0"
    with served(device, where) as address:
        works(address)
        works(address)
        client = Client(address)
        assert client.ask(READ, 0x4)[0] == 0
        assert client.ask(READ, 0xFC)[0] == Response.DECERR
        assert client.ask(WAIT, 1) == (0, 0, 0)


@needs_verilator
@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x00" * 12,
        b"\xff" * 12,
        REQUEST.pack(9, 0, 0),
        REQUEST.pack(WAIT, 0xFFFFFFFF, 0),
        REQUEST.pack(WAIT, 1, 1),
        b"\x01\x01\x00\x00" + bytes(8),
        b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=lambda b: b[:4].hex(),
)
def test_what_is_malformed_ends_the_connection(device, tmp_path, request_bytes):
    with served(device, tmp_path) as address:
        client = Client(address)
        client.socket.sendall(request_bytes)
        assert client.is_closed()
        works(address)


@needs_verilator
@pytest.mark.parametrize("bytes_sent", [0, 1, 11])
def test_a_connection_that_breaks_off(device, tmp_path, bytes_sent):
    with served(device, tmp_path) as address:
        client = Client(address)
        client.socket.sendall(REQUEST.pack(READ, 0, 0)[:bytes_sent])
        client.socket.close()
        works(address)


@needs_verilator
def test_a_client_that_goes_while_it_waits(device, tmp_path):
    """The wait of ten minutes ends with the connection."""
    with served(device, tmp_path) as address:
        client = Client(address)
        client.socket.sendall(REQUEST.pack(WAIT, 600_000, 0))
        time.sleep(0.1)
        client.socket.close()
        works(address)


@needs_verilator
def test_operands_are_not_left_to_the_next_client(device, tmp_path):
    with served(device, tmp_path) as address:
        client = Client(address)
        client.ask(WRITE, 0x40, 20)
        client.ask(WRITE, 0x44, 30)
        client.socket.close()
        other = Client(address)
        other.ask(WRITE, 0x20, 1)
        other.ask(WAIT, 1)
        assert other.ask(READ, 0x24)[2] == 2
        assert other.ask(READ, 0x80)[2] == 0


@pytest.mark.parametrize(
    "address",
    ["", "unix:", "tcp:0.0.0.0:80", "tcp:127.0.0.1:x", "tcp:127.0.0.1:\u00b2", "tcp:127.0.0.1:70000", "udp:1"],
)
def test_only_this_machine(address):
    with pytest.raises(UsageError, match="cannot listen"), listen(address):
        pass


def test_an_address_in_use(tmp_path):
    with listen(f"unix:{tmp_path / 's'}") as server:
        with pytest.raises(UsageError, match="in use"), listen(f"unix:{tmp_path / 's'}"):
            pass
        assert address_of(server) == f"unix:{tmp_path / 's'}"
    assert not (tmp_path / "s").exists()
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "s"))
    left.close()
    with listen(f"unix:{tmp_path / 's'}"):
        pass
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="which is not a socket"), listen(f"unix:{tmp_path / 'file'}"):
        pass
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(UsageError), listen(f"unix:{tmp_path / ('x' * 200)}"):
        pass


class EndedAtOnce(list):
    """Devices, of which the first serves when a signal comes."""

    def __iter__(self):
        yield self[0]
        raise KeyboardInterrupt


def test_a_signal_while_the_first_device_starts_ends_all(tmp_path):
    """As it may in the test below on a busy machine; the thread of the first must not serve on."""
    ends = []

    def run():
        with listen(f"unix:{tmp_path / 'device'}") as server:
            try:
                serve_all(EndedAtOnce([None]), server)
            except KeyboardInterrupt:
                ends.append("interrupted")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert ends == ["interrupted"]


class InterruptedStart(ThreadPoolExecutor):
    """A pool that a signal interrupts before it knows of the thread that it has started."""

    def submit(self, function, *arguments):
        threading.Thread(target=function, args=arguments, daemon=True).start()
        assert arguments[0].used.wait(10)
        raise KeyboardInterrupt


class Slow:
    """A device whose reset takes a while."""

    def __init__(self):
        self.used, self.free = threading.Event(), False

    def reset(self):
        self.used.set()
        time.sleep(0.2)
        self.free = True


def test_no_device_is_in_use_when_a_signal_ends_the_server(tmp_path, monkeypatch):
    """Its memory is freed next."""
    monkeypatch.setattr("modwright.emulate.server.ThreadPoolExecutor", InterruptedStart)
    device = Slow()
    with listen(f"unix:{tmp_path / 'device'}") as server, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "device"))
        with pytest.raises(KeyboardInterrupt):
            serve_all([device], server, log=lambda text: None)
        assert device.free


class Unused:
    """A device that nobody connects to."""

    def reset(self):
        raise AssertionError


def interrupted_at(number, address, ends):
    """Serve, and interrupt this thread before the line of that number, of all that it runs while it waits."""
    left = number

    def trace(frame, event, argument):
        nonlocal left
        if event == "line" and frame.f_code.co_filename.endswith(("emulate/server.py", "futures/_base.py")):
            left -= 1
            if not left:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    with listen(f"unix:{address}") as server:
        sys.settrace(trace)
        try:
            serve_all([Unused(), Unused()], server)
        except KeyboardInterrupt:
            ends.append(number)
        finally:
            sys.settrace(None)


def test_an_interrupt_at_any_line_ends_all_devices(tmp_path, monkeypatch):
    """Behind the first lines, in which devices start, for longer than a round of waiting has lines."""
    monkeypatch.setattr("modwright.emulate.server._TICK", 0.01)
    for number in range(20, 60):
        ends = []
        thread = threading.Thread(target=interrupted_at, args=(number, tmp_path / str(number), ends), daemon=True)
        thread.start()
        thread.join(20)
        assert ends == [number]


@needs_verilator
@pytest.mark.parametrize(
    ("number", "code", "says"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_the_command_ends_with_a_signal(tmp_path, store, number, code, says):
    environment = {**os.environ, "MODWRIGHT_CACHE": str(store.root)}
    words = ["emulate", "modmul/binary", "-m", "251", "-t", "generic", "--listen", f"unix:{tmp_path / 'device'}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "modwright", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where a shell runs in the background
    )  # fmt: skip
    try:
        assert process.stdout.readline() == f"listening at unix:{tmp_path / 'device'}\n"
        works(f"unix:{tmp_path / 'device'}")
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == code
    assert err.endswith(f"{says}\n")
    assert "Traceback" not in err
    assert not (tmp_path / "device").exists()
