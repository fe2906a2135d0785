# SPDX-License-Identifier: Apache-2.0
"""Emulated devices for tests: a server in a thread, on a socket in a temporary folder."""

import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

from modwright.contract.request import Request
from modwright.driver import FOLDER, SOURCES, description
from modwright.emulate import Device, address_of, listen, serve
from modwright.prepared import prepare
from modwright.prepared.registry import find

from ..tools import needs

HOST = Path(__file__).parents[1] / "data" / "driver" / "host.c"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")

needs_verilator = needs("compiled-simulator")


def core(name, store, **request):
    """A core, prepared."""
    return prepare(find(name), Request.from_mapping(find(name), {"core": name, "target": "generic", **request}), store)


@contextmanager
def served(device, where):
    """The address of a server of a device, which stops at the end."""
    done = threading.Event()
    with listen(where if isinstance(where, str) else f"unix:{where / 'device'}") as server:
        thread = threading.Thread(target=serve, args=(device, server, done.is_set, lambda _: None))
        thread.start()
        try:
            yield address_of(server)
        finally:
            done.set()
            thread.join(10)
            assert not thread.is_alive()


@contextmanager
def emulated(prepared, folder, wrap=lambda device: device, **options):
    """The address of an emulated core."""
    with Device(prepared, **options) as device, served(wrap(device), folder) as address:
        yield address


def sanitizers(c_compiler, folder):
    """Flags of the sanitizers that work here."""
    probe = folder / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    program = folder / "probe"
    for flags in (SANITIZERS, SANITIZERS[1:2] and ("-fsanitize=undefined", "-fno-sanitize-recover=all")):
        built = subprocess.run([*c_compiler, *flags, probe, "-o", program], capture_output=True, check=False)
        if built.returncode == 0 and subprocess.run([program], capture_output=True, check=False).returncode == 0:
            return flags
    return ()


def driver_objects(c_compiler, folder, flags=()):
    """Objects of the driver, which are those of every core."""
    objects = []
    for source in (FOLDER / name for name in SOURCES if name.endswith(".c")):
        objects.append(folder / f"{source.stem}.o")
        subprocess.run([*c_compiler, *STRICT, *flags, "-c", source, "-o", objects[-1]], check=True)
    return objects


def host_program(prepared, c_compiler, folder, objects, flags=()):
    """The test program for a core, with the driver compiled by the same flags."""
    described = folder / "core.c"
    described.write_text(description(prepared))
    program = folder / "host"
    name = f"-DCORE={prepared.top}_core"
    command = [*c_compiler, *STRICT, *flags, f"-I{FOLDER}", name, HOST, described, *objects, "-o", program]
    subprocess.run(command, check=True)
    return program


class Host:
    """Runs a program with lines of operations."""

    def __init__(self, program):
        self.program = program

    def __call__(self, address, lines, *arguments):
        done = subprocess.run(
            [self.program, address, *map(str, arguments)],
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, (done.returncode, done.stderr)
        first, *rest = done.stdout.splitlines()
        word, status, *_ = first.split()
        assert word == "open"
        return int(status), [line.split() for line in rest]
