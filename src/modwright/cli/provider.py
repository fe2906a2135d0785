# SPDX-License-Identifier: Apache-2.0
"""Commands for third-party tools: a provider for OpenSSL, a generator for FuseSoC."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import ForceOption, note, prepare_selected, select

if TYPE_CHECKING:
    from ..prepared import Prepared


def provider(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to make.")],
    rsa: Annotated[
        Path | None, typer.Option("--rsa", metavar="FILE", help="Request of a core modexp/..., as wide as the primes.")
    ] = None,
    ec: Annotated[
        Path | None, typer.Option("--ec", metavar="FILE", help="Request of a core ecpm/... for P-256.")
    ] = None,
    ecdsa: Annotated[
        Path | None,
        typer.Option("--ecdsa", metavar="FILE", help="Request of a core ecdsa/..., as wide as the curves of the keys."),
    ] = None,
    x25519: Annotated[
        Path | None, typer.Option("--x25519", metavar="FILE", help="Request of a core xmul/... for Curve25519.")
    ] = None,
    ed25519: Annotated[
        Path | None, typer.Option("--ed25519", metavar="FILE", help="Request of a core edmul/... for Ed25519.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write a provider for OpenSSL 3 that uses cores.

    It does private-key operations of RSA, P-256 (ECDSA and ECDH), X25519 and Ed25519 on devices, or on emulated ones;
    and ECDSA on curves of prime order with keys and verification.
    `make` in the folder builds it and writes openssl.cnf from openssl.cnf.in, which names the devices.

    Example:
      modwright provider --rsa examples/rsa2048-booth8-csa-window.yaml -o out
    """
    from ..base.store import digest_of
    from ..deliver import check_folder, write_folder
    from ..provider import KINDS, provider_files

    check_folder(output, force=force)
    paths = dict(zip(KINDS, (rsa, ec, ecdsa, x25519, ed25519), strict=True))
    chosen = {kind: _prepared(path) if path else None for kind, path in paths.items()}
    files = provider_files(chosen)
    note("writing the provider")
    write_folder(output, files, digest_of([p.digest if p else None for p in chosen.values()]), force=force)
    print(output / "openssl.cnf.in")


def _prepared(path: Path) -> Prepared:
    return prepare_selected(*select(str(path), None, None, None, None, None))


def fusesoc() -> None:
    """Print the folder with the generator for FuseSoC.

    A FuseSoC core file that depends on modwright:generators:modwright then has packages made when it needs them.

    Examples:
      modwright fusesoc
      fusesoc library add modwright "$(modwright fusesoc)"
    """
    from ..deliver import FUSESOC

    print(FUSESOC)
