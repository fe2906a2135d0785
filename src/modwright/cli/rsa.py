# SPDX-License-Identifier: Apache-2.0
"""The command that uses a core for RSA with a real key."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.errors import UsageError, quoted
from ..catalog.expression import MAXIMUM_BITS
from .common import JsonOption, OptionsOption, TargetOption, note, paragraph, parse_options, print_json, still, table
from .evidence import Engine

if TYPE_CHECKING:
    from ..protocols import Clocks, Rsa, RsaPrivateKey, Scheme, SimulatedExponentiator

_MOST_COUNT = 1_000_000
"""Signatures of a self-test; a simulated one of 1024 bits takes a tenth of a second."""
PASSPHRASE = "MODWRIGHT_PASSPHRASE"
_TEST_MESSAGE = 32
"""Bytes of a random message of the self-test; a signature sees only its digest."""
_READABLE, _PRIVATE = 0o666, 0o600
"""Modes of a new file, from which the user's mask takes away."""
_MOST_BYTES = 1 << 30
"""Largest file that is signed, in bytes: it is hashed in memory."""
_HEX = re.compile(r"(0[xX])?[0-9a-fA-F]+")


class Method(StrEnum):
    """How exponents are scanned."""

    window = "window"
    ladder = "ladder"
    l2r = "l2r"
    r2l = "r2l"


class Padding(StrEnum):
    """Encoding of a message that is signed."""

    pss = "pss"
    pkcs1v15 = "pkcs1v15"


class Hash(StrEnum):
    """Hash function of an encoding."""

    sha1 = "sha1"
    sha256 = "sha256"
    sha384 = "sha384"
    sha512 = "sha512"


@dataclass(frozen=True)
class Operation:
    """One private-key operation that was done.

    Parameters
    ----------
    name : str
        What it was.
    clocks : Clocks
    verified : str
        What found the result right.
    """

    name: str
    clocks: Clocks
    verified: str


def rsa(
    key: Annotated[Path, typer.Argument(metavar="KEY", help="File of an RSA private key: PKCS#1 or PKCS#8.")],
    sign: Annotated[Path | None, typer.Option("--sign", metavar="FILE", help="Sign the content of a file.")] = None,
    decrypt: Annotated[
        Path | None, typer.Option("--decrypt", metavar="FILE", help="Decrypt a ciphertext of RSAES-OAEP.")
    ] = None,
    raw: Annotated[
        str | None, typer.Option("--raw", metavar="HEX", help="The bare operation on a number below the modulus.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File for the signature or the message.")
    ] = None,
    padding: Annotated[Padding, typer.Option("--padding", help="Of a signature.")] = Padding.pss,
    hash_name: Annotated[Hash, typer.Option("--hash", help="Of a signature or of OAEP; sha1 for OAEP only.")] = (
        Hash.sha256
    ),
    salt: Annotated[
        int | None,
        typer.Option(
            "--salt",
            min=0,
            max=MAXIMUM_BITS // 8,
            metavar="BYTES",
            help="Salt of PSS.  [default: as long as the digest]",
        ),
    ] = None,
    multiplier: Annotated[
        str, typer.Option("--core", metavar="NAME", help="The multiplier: modexp/NAME-METHOD is the core.")
    ] = "booth8-csa",
    method: Annotated[Method, typer.Option("--method", help="Of exponentiation.")] = Method.window,
    units: Annotated[
        int | None, typer.Option("--units", min=1, max=2, help="Cores that share the two halves.  [default: 2]")
    ] = None,
    interleave: Annotated[
        bool, typer.Option("--interleave", help="One core, whose data path carries two products at once.")
    ] = False,
    no_blinding: Annotated[bool, typer.Option("--no-blinding", help="Leave the operand as it is.")] = False,
    exponent_blinding: Annotated[
        int, typer.Option("--exponent-blinding", min=0, max=128, metavar="BITS", help="Lengthen the exponents.")
    ] = 0,
    variable_time: Annotated[
        bool,
        typer.Option("--variable-latency", "--variable-time", help="Allow a core whose cycles depend on the key."),
    ] = False,
    target: TargetOption = None,
    option: OptionsOption = None,
    engine: Annotated[Engine, typer.Option("--engine", help="The simulator.")] = Engine.auto,
    passphrase_file: Annotated[
        Path | None,
        typer.Option(
            "--passphrase-file", metavar="FILE", help=f"Its first line is the passphrase; else {PASSPHRASE} is."
        ),
    ] = None,
    count: Annotated[
        int, typer.Option("--count", min=1, max=_MOST_COUNT, metavar="N", help="Signatures of the self-test.")
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Use an RSA private key through a simulated core.

    Both halves of the operation (CRT) run on the core, the operand is blinded, and the result is checked with
    the public exponent before it is released. Without --sign, --decrypt or --raw: a self-test, which signs random
    messages and has the signatures verified by another library.

    \b
    Examples:
      modwright rsa key.pem --count 5
      modwright rsa key.pem --sign letter.txt -o letter.sig --core booth8-csa
      modwright rsa key.pem --decrypt secret.bin -o secret.txt --interleave --json
    """
    from ..protocols import Rsa, Scheme, SimulatedExponentiator, read_private_key

    if sum(action is not None for action in (sign, decrypt, raw)) > 1:
        raise UsageError("--sign, --decrypt and --raw exclude each other")
    if interleave and units is not None:
        raise UsageError("--interleave is for one core, and --units says how many: they exclude each other")
    _check_output(output, needed=decrypt is not None, used=(sign or decrypt) is not None, inputs=(key, sign, decrypt))
    if hash_name is Hash.sha1 and decrypt is None:
        raise UsageError("sha1 is not for signatures", "--hash sha256, sha384 or sha512")
    private = read_private_key(key, _passphrase(passphrase_file))
    exponentiator = SimulatedExponentiator(
        f"modexp/{multiplier}-{method.value}",
        private.half_bits,
        private.half_bits + exponent_blinding,
        units=1 if interleave else units or 2,
        interleave=interleave,
        target=target or "ecp5",
        options=parse_options(option or ()),
        engine=engine.value,
    )
    _check_constant_latency(exponentiator, variable_time)
    task = _Task(private, Scheme(padding.value, hash_name.value, salt), output)
    protocol = Rsa(private, exponentiator, blinding=not no_blinding, exponent_blinding=exponent_blinding)
    job = task.prepare(sign, decrypt, raw, count)
    note(f"preparing {exponentiator.prepared.core.name}, {private.half_bits} bits, engine {exponentiator.engine}")
    with ExitStack() as stack:
        with still(f"compiling {exponentiator.prepared.core.name}, once for each width and set of options"):
            stack.enter_context(exponentiator)
        start = time.monotonic()
        job(protocol)
        seconds = time.monotonic() - start
    record = _record(protocol, exponentiator, task, seconds)
    if as_json:
        print_json(record)
    else:
        _print_record(record)


class _Task:
    """What is done with the key, and what came of it."""

    def __init__(self, key: RsaPrivateKey, scheme: Scheme, output: Path | None) -> None:
        self.key, self.scheme, self.output = key, scheme, output
        self.operations: list[Operation] = []
        self.results: dict[str, Any] = {}

    def prepare(self, sign: Path | None, decrypt: Path | None, raw: str | None, count: int) -> Callable[[Rsa], None]:
        """The function that does it. What can be refused without the core is refused now, before it is compiled."""
        from ..protocols import check_ciphertext

        if decrypt is not None:
            ciphertext = _read(decrypt)
            check_ciphertext(self.key, ciphertext, self.scheme.hash)
            return lambda protocol: self.decrypt(protocol, ciphertext)
        if raw is not None:
            operand = self._operand(raw)
            return lambda protocol: self.raw(protocol, operand)
        self.scheme.encode(b"", self.key.bits)
        if sign is None:
            return lambda protocol: self.test(protocol, count)
        message = _read(sign)
        return lambda protocol: self.sign(protocol, message)

    def sign(self, protocol: Rsa, message: bytes) -> None:
        """Sign, verify, and only then release."""
        signature = self._signed(protocol, message)
        self.results["signature"] = signature.hex()
        self._write(signature, _READABLE)

    def decrypt(self, protocol: Rsa, ciphertext: bytes) -> None:
        """Decrypt into the output file."""
        message, clocks = protocol.decrypt(ciphertext, self.scheme.hash)
        self.operations.append(Operation("decrypt", clocks, "public exponent"))
        self.results["bytes"] = len(message)
        self._write(message, _PRIVATE)

    def raw(self, protocol: Rsa, operand: int) -> None:
        """The bare operation."""
        result, clocks = protocol.private(operand)
        self.operations.append(Operation("raw", clocks, "public exponent"))
        self.results["result"] = hex(result)

    def test(self, protocol: Rsa, count: int) -> None:
        """Sign random messages and verify the signatures."""
        for _ in range(count):
            self._signed(protocol, secrets.token_bytes(_TEST_MESSAGE))

    def _signed(self, protocol: Rsa, message: bytes) -> bytes:
        from ..protocols import verify_signature

        signature, clocks = protocol.sign(message, self.scheme)
        verify_signature(self.key, message, signature, self.scheme)
        self.operations.append(Operation("sign", clocks, "cryptography"))
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


def _check_output(output: Path | None, *, needed: bool, used: bool, inputs: tuple[Path | None, ...]) -> None:
    """Refuse an output that is missing, without use, no file, or one of the inputs."""
    from ..base.store import check_writable

    if output is None:
        if needed:
            raise UsageError("--decrypt writes the message into a file", "-o FILE")
        return
    if not used:
        raise UsageError("-o is for --sign and --decrypt")
    check_writable(output)
    folder = output.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write {output}: {folder} is no folder, or one that cannot be written")
    if output.exists() and any(path is not None and path.exists() and output.samefile(path) for path in inputs):
        raise UsageError(f"{output} is an input, and would be overwritten", "another file")


def _passphrase(path: Path | None) -> bytes | None:
    """The passphrase of a file's first line, else of the environment, else None."""
    if path is None:
        text = os.environ.get(PASSPHRASE)
        return None if text is None else os.fsencode(text)  # bytes that are no UTF-8 come as surrogates
    lines = _read(path).splitlines()
    if not lines or not lines[0]:
        raise UsageError(f"{path} has no passphrase in its first line")
    return lines[0]


def _check_constant_latency(exponentiator: SimulatedExponentiator, allowed: bool) -> None:
    """UsageError for a core whose clocks depend on the key, unless that was allowed."""
    if not exponentiator.constant_time and not allowed:
        raise UsageError(
            f"{exponentiator.prepared.core.name} has no constant latency, and so is not for private keys",
            "--method window or ladder over a multiplier of constant latency; or --variable-latency, to "
            "measure it all the same",
        )


def _record(protocol: Rsa, exponentiator: SimulatedExponentiator, task: _Task, seconds: float) -> dict[str, Any]:
    """What `--json` prints."""
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
        "engine": exponentiator.engine,
        "simulation_seconds": round(seconds, 3),
    }


def _operation(operation: Operation) -> dict[str, Any]:
    clocks = operation.clocks
    return {
        "operation": operation.name,
        "clocks_p": clocks.p,
        "clocks_q": clocks.q,
        "clocks": clocks.both,
        "thousand_clocks_a_half": max(clocks.p, clocks.q) / 1000,
        "verified": True,
        "verified_by": operation.verified,
    }


def _print_record(record: dict[str, Any]) -> None:
    cores = "one interleaved core" if record["interleave"] else f"{record['units']} core{'s' * (record['units'] > 1)}"
    latency_kind = "constant latency" if record["constant_latency"] else "VARIABLE LATENCY"
    blinding = "blinded" if record["blinding"] else "NOT BLINDED"
    paragraph(f"RSA-{record['key_bits']} on {cores} {record['core']}: {latency_kind}, {blinding}")
    rows = [
        (o["operation"], *(f"{o[name]:,}" for name in ("clocks_p", "clocks_q", "clocks")), o["verified_by"])
        for o in record["operations"]
    ]
    table(("operation", "half p", "half q", "clocks", "verified by"), rows, right=(1, 2, 3))
    print(f"simulated in {record['simulation_seconds']:.1f} s")
    for name in ("result", "output", "signature"):
        if name in record:
            print(f"{name:<10} {record[name]}")
            break
