# SPDX-License-Identifier: Apache-2.0
"""Claims of Mehrabi 2019, sum-of-residues modular multiplication."""

from __future__ import annotations

from ...catalog import resolve_modulus
from ...contract.request import Request
from ...cores.modmul.sor.parameters import SorParameters
from ...prepared import Prepared, prepare, registry
from .claim import Claim, Evidence, Finding, measured, of_erratum, verdict

CYCLES = {"sor-1m-n": 31, "sor-1m-p": 24, "sor-2m": 18}
"""Cycles of a product by the formulas of section 4, with eight channels: 3N + 7, 2(N + 4), 2(N/2 + 5)."""
BITS = 256
RESIDUES = "modmul/rns-hbe"
"""Montgomery multiplication of residues that ours is compared with: the faster one of the two with this prime."""


def _prepared(name: str, **options: int) -> Prepared:
    core = registry.find(f"modmul/{name}")
    modulus = resolve_modulus("secp256k1.p").value
    return prepare(core, Request.make(core, modulus=modulus, target="xc7", options=options))


def _operand_again(_: Evidence) -> Finding:
    p = _prepared("sor-1m-p").parameters
    assert isinstance(p, SorParameters)
    room = (1 - p.cox.delta) * p.base.product
    below = float(p.bound / p.modulus)
    return verdict(
        (p.bound - 1) ** 2 < room
    ), f"on secp256k1 a result is below {below:.4g}·p, and the product of two in range"


def _cycles(_: Evidence) -> Finding:
    ours = {name: _prepared(name, latency=2).schedule.latency for name in CYCLES}
    words = ", ".join(f"`{name}` {cycles}" for name, cycles in ours.items())
    return verdict(*(ours[name] == cycles for name, cycles in CYCLES.items())), f"by the schedules: {words}"


def _faster(evidence: Evidence) -> Finding:
    ours, theirs = (evidence.fastest(core, BITS) for core in ("modmul/sor-1m-p", RESIDUES))
    assert ours.latency_ns is not None and theirs.latency_ns is not None
    words = f"ECP5, secp256k1: `{ours.core}` {ours.latency_ns:.0f} ns, `{theirs.core}` {theirs.latency_ns:.0f} ns"
    return measured(ours.latency_ns < theirs.latency_ns), words


def _larger(evidence: Evidence) -> Finding:
    ours, theirs = (evidence.fastest(core, BITS) for core in ("modmul/sor-1m-p", RESIDUES))
    more = {unit: (ours.resources[unit], theirs.resources[unit]) for unit in ("lut", "dsp")}
    words = ", ".join(f"{a:,} and {b:,} {unit.upper()}" for unit, (a, b) in more.items())
    return measured(*(a > b for a, b in more.values())), f"the same two: {words}"


def _throughput(evidence: Evidence) -> Finding:
    row = "SOR_2M, KINTEX US+"
    rate, time = (evidence.printed("Table 4", row, column) for column in ("throughput, Mbit/s", "latency, ns"))
    counted = rate * time / 1000
    words = (
        f"{BITS} bits in {time:g} ns are {BITS / time * 1000:,.0f} Mbit/s; {rate:,.0f} would be {counted:.1f} bits, "
        "and 40 moduli of 14 bits have 560"
    )
    return verdict(round(counted) <= BITS), words


def _memory(evidence: Evidence) -> Finding:
    ours = evidence.ours("Memory")
    rows = ("SECP256K1, sor-1m-p", "ED25519, sor-1m-p")
    bits = {row: (ours[row, "bits"], evidence.printed("Memory", row, "bits")) for row in rows}
    words = f"{' and '.join(f'{a:,.0f}' for a, _ in bits.values())} bits, counted on the parameters"
    return verdict(*(a == b for a, b in bits.values())), words


CLAIMS = (
    Claim(
        "The result is the precise value of X mod p.",
        "Abstract, section 3",
        "modwright paper sum-of-residues --errata",
        of_erratum("precise result", "{printed_fails} of {cases:,} products are p too large"),
    ),
    Claim(
        "Results are in range as operands of the next product.",
        "Section 3, after Algorithm 2",
        "modwright params modmul/sor-1m-p --field secp256k1",
        _operand_again,
    ),
    Claim(
        "With N = 8 a product takes 31 cycles (SOR_1M_N), 24 (SOR_1M_P) or 18 (SOR_2M).",
        "Section 4",
        " && ".join(f"modwright params modmul/{name} --field secp256k1 -O latency=2" for name in CYCLES),
        _cycles,
    ),
    Claim(
        "It is faster than the Montgomery reduction of residues.",
        "Sections 1 and 5",
        "modwright compare --function modmul --field secp256k1",
        _faster,
    ),
    Claim(
        "It takes more hardware than the Montgomery reduction of residues.",
        "Section 5",
        "modwright compare --function modmul --field secp256k1",
        _larger,
    ),
    Claim(
        "SOR_2M has a throughput of 5,821 Mbit/s on Kintex UltraScale+.",
        "Table 4",
        "modwright paper sum-of-residues",
        _throughput,
    ),
    Claim(
        "Precomputed constants take 9,944 bits on secp256k1 and 9,856 on Ed25519.",
        "Section 4",
        "modwright paper sum-of-residues",
        _memory,
    ),
)
