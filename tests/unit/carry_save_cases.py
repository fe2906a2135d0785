# SPDX-License-Identifier: Apache-2.0
"""Cores, moduli and operands for the tests of the carry-save multipliers."""

from pathlib import Path

from modwright.contract.request import Request
from modwright.cores.modmul import carry_save
from modwright.prepared import prepare

DATA = Path(__file__).parents[1] / "data" / "carry_save"
CORES = {core.name.partition("/")[2]: core for core in carry_save.CORES}
ALL = [(name, domain) for name in CORES for domain in (1, 2)]


def make(name, n, store, modulus=None, target="generic", **options):
    core = CORES[name]
    return prepare(core, Request.make(core, modulus=modulus, target=target, options={"bits": n, **options}), store)


def of_paper(name, n, domain, **options):
    """Parameters and schedule; nothing is built."""
    prepared = make(name, n, None, domain=domain, **options)
    return prepared.parameters, prepared.schedule


def word(p, x, y, m):
    """A packed input payload."""
    return x | y << p.operand_bits | m << 2 * p.operand_bits


def moduli(n, rng, count):
    """Odd moduli of n bits, of all four classes of m2 m1 in turn."""
    return [rng.getrandbits(n - 3) << 3 | 1 << (n - 1) | (2 * k + 1) % 8 for k in range(count)]


def multipliers(m, bound, rng):
    """0, 1, runs and alternating bits, the ends of the range, and random values, all below `bound`."""
    ones = (1 << (bound.bit_length() - 1)) - 1
    fixed = [0, 1, ones, ones // 3, ones // 3 * 2, ones // 5, m - 1, bound - 1, (ones + 1) % bound]
    return [*fixed, *(rng.randrange(bound) for _ in range(3))]
