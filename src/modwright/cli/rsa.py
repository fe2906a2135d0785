# SPDX-License-Identifier: Apache-2.0
"""The command rsa: RSA with a real key on a simulated core."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import UsageError, quoted
from ..base.json import JsonObject
from .common import JsonOption, heartbeat, note, paragraph, print_json, table
from .groups import grouped
from .rsa_options import PASSPHRASE, Action, Encoding, Exponentiator, Protection
from .statistics import progress

if TYPE_CHECKING:
    from ..protocols import Cycles, Rsa, RsaPrivateKey, Scheme, SimulatedExponentiator

_TEST_MESSAGE = 32
"""Bytes of a random message of the self-test; a signature sees only its digest."""
_READABLE, _PRIVATE = 0o666, 0o600
"""Modes of a new file, from which the user's mask takes away."""
_MOST_BYTES = 1 << 30
"""Largest file that is signed, in bytes: it is hashed in memory."""
_HEX = re.compile(r"(0[xX])?[0-9a-fA-F]+")


@dataclass(frozen=True)
class Operation:
    """One private-key operation that was done.

    Parameters
    ----------
    name : str
        Name of the operation.
    cycles : Cycles
    verified : str
        Check by which the result was found right.
    """

    name: str
    cycles: Cycles
    verified: str


@grouped
def rsa(
    key: Annotated[Path, typer.Argument(metavar="KEY", help="File of an RSA private key: PKCS#1 or PKCS#8.")],
    action: Action,
    encoding: Encoding,
    protection: Protection,
    core: Exponentiator,
    as_json: JsonOption = False,
) -> None:
    """Use an RSA private key through a simulated core.

    Both halves of the operation (CRT) run on the core, the operand is blinded, and the result is checked with
    the public exponent before it is released. Without --sign, --decrypt or --raw: a self-test, which signs random
    messages and has the signatures verified by another library.

    Examples:
      modwright rsa key.pem --count 5
      modwright rsa key.pem --sign letter.txt -o letter.sig --core booth8-csa
      modwright rsa key.pem --decrypt secret.bin -o secret.txt --interleave --json
    """
    from ..protocols import Rsa, read_private_key

    action.check(key)
    core.check()
    scheme = encoding.scheme(action)
    private = read_private_key(key, _passphrase(action.passphrase_file))
    exponentiator = core.simulated(private, protection)
    task = _Task(private, scheme, action.output)
    protocol = Rsa(
        private, exponentiator, blinding=not protection.no_blinding, exponent_blinding=protection.exponent_blinding
    )
    seconds = _run(task.prepare(action), protocol, exponentiator)
    record = _record(protocol, exponentiator, task, seconds)
    if as_json:
        print_json(record)
    else:
        _print_record(record)


def _run(job: Callable[[Rsa], None], protocol: Rsa, exponentiator: SimulatedExponentiator) -> float:
    """Compile the core and do the job; seconds of the job."""
    prepared = exponentiator.prepared
    note(f"preparing {prepared.core.name}, {protocol.key.half_bits} bits, simulator {exponentiator.simulator}")
    with ExitStack() as stack:
        with heartbeat(f"compiling {prepared.core.name}, once for each width and set of options"):
            stack.enter_context(exponentiator)
        start = time.monotonic()
        job(protocol)
        return time.monotonic() - start


class _Task:
    """An operation with a key, and its results."""

    def __init__(self, key: RsaPrivateKey, scheme: Scheme, output: Path | None) -> None:
        self.key, self.scheme, self.output = key, scheme, output
        self.operations: list[Operation] = []
        self.results: JsonObject = {}

    def prepare(self, action: Action) -> Callable[[Rsa], None]:
        """The function that does it. What can be refused without the core is refused now, before it is compiled."""
        from ..protocols import check_ciphertext

        if action.decrypt is not None:
            ciphertext = _read(action.decrypt)
            check_ciphertext(self.key, ciphertext, self.scheme.hash)
            return lambda protocol: self.decrypt(protocol, ciphertext)
        if action.raw is not None:
            operand = self._operand(action.raw)
            return lambda protocol: self.raw(protocol, operand)
        self.scheme.encode(b"", self.key.bits)
        if action.sign is None:
            return lambda protocol: self.test(protocol, action.count or 1)
        message = _read(action.sign)
        return lambda protocol: self.sign(protocol, message)

    def sign(self, protocol: Rsa, message: bytes) -> None:
        """Sign, verify, and only then release."""
        signature = self._signed(protocol, message)
        self.results["signature"] = signature.hex()
        self._write(signature, _READABLE)

    def decrypt(self, protocol: Rsa, ciphertext: bytes) -> None:
        """Decrypt into the output file."""
        message, cycles = protocol.decrypt(ciphertext, self.scheme.hash)
        self.operations.append(Operation("decrypt", cycles, "public exponent"))
        self.results["bytes"] = len(message)
        self._write(message, _PRIVATE)

    def raw(self, protocol: Rsa, operand: int) -> None:
        """The bare operation."""
        result, cycles = protocol.private(operand)
        self.operations.append(Operation("raw", cycles, "public exponent"))
        self.results["result"] = hex(result)

    def test(self, protocol: Rsa, count: int) -> None:
        """Sign random messages and verify the signatures."""
        with progress("signatures", count) as show:
            for done in range(count):
                show(done)
                self._signed(protocol, secrets.token_bytes(_TEST_MESSAGE))

    def _signed(self, protocol: Rsa, message: bytes) -> bytes:
        from ..protocols import verify_signature

        signature, cycles = protocol.sign(message, self.scheme)
        verify_signature(self.key, message, signature, self.scheme)
        self.operations.append(Operation("sign", cycles, "cryptography"))
        return signature

    def _operand(self, text: str) -> int:
        if not _HEX.fullmatch(text):
            raise UsageError(f"--raw takes a hexadecimal number, not {quoted(text)}")
        value = int(text, 16)
        if value >= self.key.n:
            raise UsageError(f"--raw takes a number below the modulus, which has {self.key.bits} bits")
        return value

    def _write(self, data: bytes, mode: int) -> None:
        """The whole output file or none."""
        from ..base.store import whole_file

        if self.output is None:
            return
        with whole_file(self.output) as part:
            part.touch(mode)
            part.write_bytes(data)
        self.results["output"] = str(self.output)


def _read(path: Path) -> bytes:
    from ..base.disk import read_bounded

    return read_bounded(path, _MOST_BYTES)


def _passphrase(path: Path | None) -> bytes | None:
    """The passphrase of a file's first line, else of the environment, else None."""
    if path is None:
        text = os.environ.get(PASSPHRASE)
        return None if text is None else os.fsencode(text)  # bytes that are not UTF-8 come as surrogates
    lines = _read(path).splitlines()
    if not lines or not lines[0]:
        raise UsageError(f"{path} has no passphrase in its first line")
    return lines[0]


def _record(protocol: Rsa, exponentiator: SimulatedExponentiator, task: _Task, seconds: float) -> JsonObject:
    """Document that `--json` prints."""
    request = exponentiator.prepared.request
    return {
        "core": request.core,
        "target": request.target,
        "options": dict(request.options),
        "constant_latency": exponentiator.constant_time,
        "constant_time": exponentiator.constant_time,
        "units": exponentiator.units,
        "interleave": exponentiator.interleave,
        "key_bits": task.key.bits,
        "blinding": protocol.blinding,
        "exponent_blinding": protocol.exponent_blinding,
        "operations": [_operation(operation) for operation in task.operations],
        **task.results,
        "engine": exponentiator.simulator,
        "simulation_seconds": round(seconds, 3),
    }


def _operation(operation: Operation) -> JsonObject:
    cycles = operation.cycles
    return {
        "operation": operation.name,
        "clocks_p": cycles.p,
        "clocks_q": cycles.q,
        "clocks": cycles.both,
        "thousand_clocks_a_half": max(cycles.p, cycles.q) / 1000,
        "verified": True,
        "verified_by": operation.verified,
    }


def _print_record(record: JsonObject) -> None:
    cores = "one interleaved core" if record["interleave"] else f"{record['units']} core{'s' * (record['units'] > 1)}"
    latency_kind = "constant latency" if record["constant_latency"] else "VARIABLE LATENCY"
    blinding = "blinded" if record["blinding"] else "NOT BLINDED"
    paragraph(f"RSA-{record['key_bits']} on {cores} {record['core']}: {latency_kind}, {blinding}")
    rows = [
        (o["operation"], *(f"{o[name]:,}" for name in ("clocks_p", "clocks_q", "clocks")), o["verified_by"])
        for o in record["operations"]
    ]
    table(("operation", "half p", "half q", "cycles", "verified by"), rows, right=(1, 2, 3))
    print(f"simulated in {record['simulation_seconds']:.1f} s")
    for name in ("result", "output", "signature"):
        if name in record:
            print(f"{name:<10} {record[name]}")
            break
