# SPDX-License-Identifier: Apache-2.0
"""Units, cores, moduli and operands for the tests of the multipliers on limbs."""

import dataclasses

import pytest

from modwright.base.store import Store
from modwright.contract.request import Request
from modwright.engines.limb.units import PRODUCT, SQUARE, SUM, UNITS
from modwright.engines.limb.work import most_multipliers
from modwright.prepared import prepare
from modwright.prepared.registry import find

NAMES = [unit.name for unit in UNITS]
EACH_KIND = [(unit, kind) for unit in UNITS for kind in unit.kinds]
KIND_IDS = [f"{unit.name}-{kind}" for unit, kind in EACH_KIND]


SEVERAL = [
    pytest.param(unit, kind, macs, registers, id=f"{unit.name}-{kind}-{macs}-{registers}")
    for unit, kind in EACH_KIND[1:]
    for macs, registers in ((2, 0), (2, 1), (3, 0))
]
"""Kinds with several multipliers, and registers inside them."""


def allowed(unit, s, macs, registers=0):
    """Whether so many multipliers can work at once."""
    return macs <= most_multipliers(unit, s, 1 + registers)


def parameters(name, n, kind=PRODUCT, target="generic", **options):
    """Parameters; nothing is built."""
    core = find(f"modmul/{name}")
    found = core.derive(Request.make(core, target=target, options={"bits": n, **options}))
    return dataclasses.replace(found, kind=kind)


def make(name, n, store, kind=PRODUCT, modulus=None, target="generic", **options):
    """A core; one whose streams carry another kind than a product needs a store of its own."""
    core = find(f"modmul/{name}")
    request = Request.make(core, modulus=modulus, target=target, options={"bits": n, **options})
    if kind != PRODUCT:
        core = dataclasses.replace(core, derive=lambda r: dataclasses.replace(find(r.core).derive(r), kind=kind))
        store = Store(store.root / kind)
    return prepare(core, request, store)


def constants(p, m):
    """Constants of an odd modulus."""
    found = {"m": m, "q": -pow(m, -1, 1 << p.w) % (1 << p.w)}
    return found | ({"mu": pow(1 << p.w, -1, m)} if p.unit.folds else {})


def operands(p, kind, m, draw):
    """Operands for a kind, y = x for a square."""
    x = draw(m)
    found = {"x": x, "y": x if kind == SQUARE else draw(m)}
    return found | ({"x2": draw(m), "y2": draw(m)} if kind == SUM else {}) | constants(p, m)


def drawn(rng, m):
    """Half of the time an end of the range or runs of bits."""
    ones = (1 << (m.bit_length() - 1)) - 1
    return rng.choice([rng.randrange(m), rng.randrange(m), rng.randrange(m), 0, 1, m - 1, ones, ones // 3])


def moduli(p, rng, count):
    """Odd moduli: of all sizes, all ones, with a lowest limb of 1 and of ones, and 3."""
    w, n = p.w, p.n
    some = [(1 << n) - 1, 3, 1 << (n - 1) | 1, (1 << n) - (1 << w) + 1, 1 << (n - 1) | ((1 << w) - 1)]
    return [m for m in some + [rng.getrandbits(rng.randint(3, n)) | 1 for _ in range(count)] if 3 <= m < 1 << n]


def check(p, kind, given, z):
    """A result against plain integers."""
    total = given["x"] * given["y"] + (given["x2"] * given["y2"] if kind == SUM else 0)
    assert ((z << p.T) - total) % given["m"] == 0
    assert 0 <= z < p.multiple(kind) * given["m"]
