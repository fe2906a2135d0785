# SPDX-License-Identifier: Apache-2.0
"""The theorem of a whole operation about a core's Verilog: proved, and refuted or not proved where a bug is planted."""

import re
from functools import cache

import pytest

from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import prove_verilog
from modwright.prove.theorem.facts import Facts
from modwright.prove.theorem.poly import ONE, Poly, Ring, number
from modwright.prove.theorem.words import Words, constant, number_of
from modwright.catalog import resolve


def prepared_core(name, modulus, target="generic", **options):
    core = find(name)
    return prepare(core, Request.make(core, resolve(modulus), options, target))


@cache
def verilog_of(name, modulus, target="generic", **options):
    return core_verilog(prepared_core(name, modulus, target, **options))
