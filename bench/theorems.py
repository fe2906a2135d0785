# SPDX-License-Identifier: Apache-2.0
"""The theorem of cores, in docs/proof.md: `python bench/theorems.py [CORE..]` proves them and writes their rows."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from endings import exit_code
from modwright.base.errors import ModwrightError, UsageError
from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import Prepared, prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import PROVED, prove_verilog, stated
from modwright.prove.theorem.netlist import UnsupportedError
from rows import Rows

PAGE = Path(__file__).parents[1] / "docs" / "proof.md"
CORES = (
    "modmul/r64",
    "modmul/limb-scan",
    "modmul/limb-fold",
    "modmul/limb-fold-karatsuba",
    "modmul/radix2",
    "modmul/blakley",
    "modmul/csa",
    "modmul/csa-high-radix",
    "modmul/booth4-csa",
    "modmul/booth8-csa",
    "modmul/binary",
    "modmul/binary-serial",
    "modmul/orup-dsp",
    "modmul/orup-interleaved",
    "modmul/limb-columns",
    "modmul/sor-lean",
)
"""Multipliers whose theorem is proved."""
SUMS = ("modmul/sor-1m-p", "modmul/sor-1m-n", "modmul/sor-2m", "modmul/sor-nm")
"""Sums of residues for primes next to a power of two."""
FOLDED = "modmul/binary-serial"
"""A multiplier that has other passes for such a prime: it folds, and estimates no quotient."""
NEXT_TO_A_POWER = "secp256k1"
EXTENSIONS = ("modmul/rns-kbe", "modmul/rns-hbe", "basext/kbe", "basext/hbe", "basext/shenoy-kumaresan")
"""Base extensions, and Montgomery products of residues with two of them."""
LADDERS = (
    "modexp/radix2-ladder",
    "modexp/csa-ladder",
    "modexp/csa-high-radix-ladder",
    "modexp/booth4-csa-ladder",
    "modexp/booth8-csa-ladder",
    "modexp/r64-ladder",
    "modexp/limb-scan-ladder",
    "modexp/limb-fold-ladder",
)
"""Exponentiations whose theorem is proved."""
STREAMED = (*LADDERS, "modexp/limb-fold-karatsuba-ladder")
"""Exponentiations with constants that come with the operands."""
POINTS = ("ecpm/ladder", "ecpm/r64-ladder")
"""Point multiplications whose theorem is proved."""
INVERSIONS = ("modinv/binary-divstep", "modinv/binary-divstep-rt")
"""Inversions whose theorem is proved."""
OTHERS = (
    "modmul/vlm3",
    "modmul/rns-kbe-runtime",
    "modmul/rns-hbe-runtime",
    "basext/mixed-radix",
    "comparison/mixed-radix",
    "rns/processor",
    "rns/random-bases",
    "modinv/rns-divstep",
    "modinv/rns-flt",
    "modinv/rns-bmi",
    "modinv/rns-btmi",
    "modinv/rns-btmi-fused",
    "modexp/binary-ladder",
    "modexp/binary-serial-ladder",
    "modexp/limb-fold-karatsuba-ladder",
    "modexp/limb-columns-ladder",
    "modexp/orup-dsp-ladder",
    "modexp/sor-lean-ladder",
    "modexp/rns-hbe-runtime-ladder",
    "modexp/csa-l2r",
    "modexp/csa-r2l",
    "modexp/csa-window",
    "ecpm/row-ladder",
    "ecpm/word-ladder",
    "ecpm/rns-ladder",
    "xmul/montgomery-ladder",
    "xmul/pseudo-mersenne-ladder",
    "edmul/double-add",
    "edmul/comb",
    "ecdsa/joint",
    "eddsa/joint",
    "unit/adder",
    "unit/multiplier",
    "unit/rower-multiplier",
    "unit/reduction",
    "unit/mod3",
)
"""Cores whose theorem is not proved yet. Exponentiations are one or two of a family, as there is one over each
multiplier."""
FIELD = "P-256"
OF_UNITS = "2^32-5"
FIELDS = {
    "xmul/pseudo-mersenne-ladder": "25519",
    "unit/adder": OF_UNITS,
    "unit/multiplier": OF_UNITS,
    "unit/rower-multiplier": OF_UNITS,
    "unit/reduction": OF_UNITS,
    "unit/mod3": "3",
}
"""Moduli of cores that do not take `FIELD`: one next to a power of two, those of a channel, and 3."""
CURVES = {"edmul/comb": "ed25519"}
"""Curves of cores that have a point built in."""
HYBRID = "0xfef48022d21977df58c9c0ec58c72702e5d3394f956f80e06c560dbb1754f8b7"
"""A 256-bit prime of the form that `modmul/rns-hpr` takes (examples/hpr256.yaml)."""
LONG = "2^2048-1"
"""A modulus of 2048 bits: the hardware of limbs, and of carry-save sums, takes any odd one of that width."""
LONG_CORES = ("modmul/limb-scan", "modmul/csa")
LIMBS = ("modmul/limb-scan", LONG)
LIMB = 64
"""Bits of its limbs: 32 of them."""
TARGETS = ("generic", "ecp5")
"""Products in one piece, and in tiles of 18 bits on MULT18X18D."""
HEAD = (
    "| core | modulus | target | theorem | CPU in s, without ABC's | why not |",
    "| --- | --- | --- | --- | ---: | --- |",
)
TABLE = Rows("theorems", HEAD, 3)
ASSUMING = dict.fromkeys(POINTS, "with the contract of its unit") | dict.fromkeys(
    INVERSIONS, "with the published bound of divsteps"
)
"""Words next to an outcome, by the core, on what is assumed."""
SHOWN = 160
"""Characters of a reason."""


Subject = tuple[str, str, str]
"""Core, modulus and target."""


def prepared_of(subject: Subject) -> Prepared:
    """The core of a row."""
    name, modulus, target = subject
    core = find(name)
    options: dict[str, object] = {"limb": LIMB} if (name, modulus) == LIMBS else {}
    if name in STREAMED:
        options = {"constants": "stream"}
    numbers = (LONG, HYBRID, *FIELDS.values())
    kind = "curve" if name in CURVES else "modulus" if modulus in numbers else "field"
    return prepare(core, Request.make(core, **{kind: modulus}, target=target, options=options))


def row(subject: Subject) -> str:
    """A row of the table."""
    name, modulus, target = subject
    head = f"| `{name}` | {modulus} | {target} |"
    try:
        prepared = prepared_of(subject)
        stated(prepared)
        verilog = core_verilog(prepared)
        start = time.process_time()
        found = prove_verilog(prepared, verilog)
        cpu = f"{time.process_time() - start:.1f}"
    except (ModwrightError, UnsupportedError) as error:
        reason = " ".join(str(error).split())
        return f"{head} not proved | – | {reason[:SHOWN]} |"
    reason = found.detail.replace("|", "\\|")
    reason = reason if len(reason) <= SHOWN else f"{reason[:SHOWN]}…"
    return f"{head} {described(found.status, name)} | {cpu} | {reason or '–'} |"


def described(status: str, name: str) -> str:
    """Outcome of a theorem, with a word on what it assumes."""
    return f"{status}, {ASSUMING[name]}" if name in ASSUMING and status == PROVED else status


def subjects() -> list[Subject]:
    """Cores, moduli and targets of the table, in its order."""
    proved = [(name, FIELD, target) for name in CORES for target in TARGETS]
    proved += [(name, NEXT_TO_A_POWER, target) for name in (*SUMS, FOLDED) for target in TARGETS]
    proved += [(name, FIELD, target) for name in EXTENSIONS for target in TARGETS]
    proved += [("modmul/rns-hpr", HYBRID, target) for target in TARGETS]
    proved += [(name, FIELD, TARGETS[0]) for name in LADDERS]
    proved += [(name, FIELD, TARGETS[0]) for name in (*POINTS, *INVERSIONS)]
    others = [(name, (FIELDS | CURVES).get(name, FIELD), TARGETS[0]) for name in OTHERS]
    long = [(name, LONG, TARGETS[0]) for name in LONG_CORES]
    return [("modadd/carry", FIELD, TARGETS[0]), *proved, *long, *others]


def rows_of(page: str) -> dict[tuple[str, ...], str]:
    """Rows of the table in a page, by core, modulus and target."""
    return TABLE.read(page)


def main(names: Sequence[str]) -> None:
    """Prove the cores of some names, or all, and write their rows; other rows stay."""
    if unknown := set(names) - {subject[0] for subject in subjects()}:
        raise UsageError(f"no subject is called {', '.join(sorted(unknown))}")
    for subject in subjects():
        if not names or subject[0] in names:
            found = row(subject)
            print(found, flush=True)
            write(subject, found)


def write(subject: Subject, line: str) -> None:
    """Put a row into the page as it is now."""
    TABLE.write(PAGE, subject, line, subjects())


if __name__ == "__main__":
    sys.exit(exit_code(lambda: main(sys.argv[1:])))
