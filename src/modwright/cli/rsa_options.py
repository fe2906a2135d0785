# SPDX-License-Identifier: Apache-2.0
"""Groups of options of the command rsa."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from ..base.errors import UsageError, quoted
from ..catalog.expression import MAXIMUM_BITS
from .common import OptionsOption, TargetOption, parse_options
from .evidence import Simulator

if TYPE_CHECKING:
    from ..protocols import RsaPrivateKey, Scheme, SimulatedExponentiator

_MOST_COUNT = 1_000_000
"""Signatures of a self-test; a simulated one of 1024 bits takes a tenth of a second."""
PASSPHRASE = "MODWRIGHT_PASSPHRASE"


class Method(StrEnum):
    """Methods of scanning an exponent."""

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


@dataclass(frozen=True, kw_only=True)
class Action:
    """The operation with the key; a self-test when none is named."""

    heading: ClassVar = "Operation"

    sign: Annotated[Path | None, typer.Option("--sign", metavar="FILE", help="Sign the content of a file.")] = None
    decrypt: Annotated[
        Path | None, typer.Option("--decrypt", metavar="FILE", help="Decrypt a ciphertext of RSAES-OAEP.")
    ] = None
    raw: Annotated[
        str | None, typer.Option("--raw", metavar="HEX", help="Do the bare operation on a number below the modulus.")
    ] = None
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File for the signature or the message.")
    ] = None
    count: Annotated[
        int | None,
        typer.Option("--count", min=1, max=_MOST_COUNT, metavar="N", help="Signatures of the self-test.  [default: 1]"),
    ] = None
    passphrase_file: Annotated[
        Path | None,
        typer.Option(
            "--passphrase-file",
            metavar="FILE",
            help=f"File with the passphrase in its first line.  [default: {PASSPHRASE}]",
        ),
    ] = None

    @property
    def named(self) -> str:
        """The option that names the operation; "" for a self-test."""
        words = {"--sign": self.sign, "--decrypt": self.decrypt, "--raw": self.raw}
        return next((word for word, value in words.items() if value is not None), "")

    def check(self, key: Path) -> None:
        """Refuse operations that exclude each other, and an output that cannot be written."""
        if sum(action is not None for action in (self.sign, self.decrypt, self.raw)) > 1:
            raise UsageError("--sign, --decrypt and --raw exclude each other")
        if self.count is not None and self.named:
            raise UsageError(f"--count is for the self-test, and has no effect with {self.named}")
        _check_output(
            self.output,
            needed=self.decrypt is not None,
            used=(self.sign or self.decrypt) is not None,
            inputs=(key, self.sign, self.decrypt),
        )


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """Encoding of the message."""

    heading: ClassVar = "Encoding"

    padding: Annotated[Padding | None, typer.Option("--padding", help="Padding of a signature.  [default: pss]")] = None
    hash_name: Annotated[
        Hash | None,
        typer.Option("--hash", help="Hash of a signature or of OAEP; sha1 for OAEP only.  [default: sha256]"),
    ] = None
    salt: Annotated[
        int | None,
        typer.Option(
            "--salt",
            min=0,
            max=MAXIMUM_BITS // 8,
            metavar="BYTES",
            help="Salt of PSS.  [default: as long as the digest]",
        ),
    ] = None

    def scheme(self, action: Action) -> Scheme:
        """The scheme; UsageError for an option that is not for the operation."""
        from ..protocols import Scheme

        given = {"--padding": self.padding, "--salt": self.salt, "--hash": self.hash_name}
        idle = {"--raw": tuple(given), "--decrypt": ("--padding", "--salt")}
        for word in idle.get(action.named, ()):
            if given[word] is not None:
                raise UsageError(f"{word} has no effect with {action.named}", f"no {word}")
        if self.hash_name is Hash.sha1 and action.decrypt is None:
            raise UsageError("sha1 is not for signatures", "--hash sha256, sha384 or sha512")
        if self.padding is Padding.pkcs1v15 and self.salt is not None:
            raise UsageError("--salt has no effect with --padding pkcs1v15", "no --salt, or --padding pss")
        return Scheme(self.padding or Padding.pss, self.hash_name or Hash.sha256, self.salt)


@dataclass(frozen=True, kw_only=True)
class Protection:
    """Protection of the key."""

    heading: ClassVar = "Protection"

    no_blinding: Annotated[bool, typer.Option("--no-blinding", help="Do not blind the operand.")] = False
    exponent_blinding: Annotated[
        int,
        typer.Option("--exponent-blinding", min=0, max=128, metavar="BITS", help="Bits of exponent blinding."),
    ] = 0
    variable_time: Annotated[
        bool,
        typer.Option("--variable-latency", "--variable-time", help="Allow a core whose cycles depend on the key."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Exponentiator:
    """The simulated core, or cores."""

    heading: ClassVar = "Core"

    multiplier: Annotated[
        str, typer.Option("--core", metavar="NAME", help="The multiplier: modexp/NAME-METHOD is the core.")
    ] = "booth8-csa"
    method: Annotated[Method, typer.Option("--method", help="Method of exponentiation.")] = Method.window
    units: Annotated[
        int | None,
        typer.Option("--units", min=1, max=2, metavar="N", help="Cores that share the two halves.  [default: 2]"),
    ] = None
    interleave: Annotated[bool, typer.Option("--interleave", help="One core that does two products at once.")] = False
    target: TargetOption = None
    option: OptionsOption = None
    simulator: Annotated[Simulator, typer.Option("--simulator", help="Compiled C++ (Verilator), or pure Python.")] = (
        Simulator.auto
    )

    def simulated(self, private: RsaPrivateKey, protection: Protection) -> SimulatedExponentiator:
        """The core for a key, not compiled yet; UsageError when its cycles would depend on the key."""
        from ..protocols import SimulatedExponentiator

        found = SimulatedExponentiator(
            f"modexp/{self.multiplier}-{self.method.value}",
            private.half_bits,
            private.half_bits + protection.exponent_blinding,
            units=1 if self.interleave else self.units or 2,
            interleave=self.interleave,
            target=self.target or "ecp5",
            options=parse_options(self.option or ()),
            simulator=self.simulator.value,
        )
        _check_constant_latency(found, protection.variable_time)
        return found

    def check(self) -> None:
        """UsageError for an unknown multiplier, and for options that exclude each other."""
        from ..prepared.registry import entries, entry_of, name_of_today

        if self.interleave and self.units is not None:
            raise UsageError("--interleave (one core) and --units exclude each other")
        method = entry_of(f"modexp/{self.method.value}")
        parts = () if method is None else method.parts
        if name_of_today(f"modmul/{self.multiplier}") not in parts:
            runtime = [entry.name for entry in entries() if entry.name in parts and entry.runtime_modulus]
            names = ", ".join(sorted(name.partition("/")[2] for name in runtime))
            raise UsageError(f"no multiplier is called {quoted(self.multiplier)}", f"one of {names}")


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
        raise UsageError(f"cannot write {output}: {folder} is not a folder, or one that cannot be written")
    if output.exists() and any(path is not None and path.exists() and output.samefile(path) for path in inputs):
        raise UsageError(f"{output} is an input, and would be overwritten", "another file")


def _check_constant_latency(exponentiator: SimulatedExponentiator, allowed: bool) -> None:
    """UsageError for a core whose cycles depend on the key, unless that was allowed."""
    if not exponentiator.constant_time and not allowed:
        raise UsageError(
            f"{exponentiator.prepared.core.name} has no constant latency, and so is not for private keys",
            "--method window or ladder over a multiplier of constant latency; or --variable-latency, to "
            "measure it all the same",
        )
