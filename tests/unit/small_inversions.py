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

NAME = "modinv/binary-divstep"
MODULUS, SLICES = "0x1d", 2


@cache
def small(modulus=MODULUS, slices=SLICES):
    core = find(NAME)
    return prepare(core, Request.make(core, modulus=modulus, target="generic", options={"slices": slices}))


@cache
def netlist(modulus=MODULUS, slices=SLICES):
    one = small(modulus, slices)
    return read(core_verilog(one), one.top)


def claim(modulus=MODULUS, slices=SLICES):
    return stated(small(modulus, slices))


def operation(modulus=MODULUS, slices=SLICES):
    """An operation whose claim is not decided yet, and where its result waits."""
    storage = find_storage(netlist(modulus, slices))
    return run_of(netlist(modulus, slices), storage), storage
