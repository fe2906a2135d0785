# SPDX-License-Identifier: Apache-2.0
"""Inverters by divsteps whose theorem is proved, small."""

from functools import cache

from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import stated
from modwright.prove.theorem.inversions.prove import run_of
from modwright.prove.theorem.netlist import read
from modwright.prove.theorem.theorem import find_storage

FIXED, HELD = "modinv/binary-divstep", "modinv/binary-divstep-rt"
"""Inverters with the modulus in the hardware, and with one that is an operand."""
MODULUS, SLICES, BITS = "0x1d", 2, 5
CORES = {FIXED: (MODULUS, {"slices": SLICES}), HELD: (None, {"bits": BITS, "slices": SLICES})}
"""The smallest ones in slices."""


@cache
def small(name=FIXED):
    modulus, options = CORES[name]
    return prepared(name, modulus, **options)


def prepared(name, modulus, **options):
    core = find(name)
    field, number = (modulus, None) if modulus == "P-256" else (None, modulus)
    return prepare(core, Request.make(core, field=field, modulus=number, target="generic", options=options))


def netlist_of(one):
    return read(core_verilog(one), one.top)


@cache
def netlist(name=FIXED):
    return netlist_of(small(name))


def claim(name=FIXED):
    return stated(small(name))


def operation(name=FIXED):
    """An operation whose claim is not decided yet, and where its result waits."""
    storage = find_storage(netlist(name))
    return run_of(netlist(name), storage), storage
