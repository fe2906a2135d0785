# SPDX-License-Identifier: Apache-2.0
"""Cores of RNS Montgomery multiplication in hardware, for tests."""

from pathlib import Path

from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import find

from ..tools import needs

DATA = Path(__file__).parents[1] / "data" / "rns_montgomery" / "base-extension.json"
EXTENSIONS, MULTIPLIERS = ("basext/kbe", "basext/hbe"), ("modmul/rns-kbe", "modmul/rns-hbe")

compiled_only = needs("compiled-simulator")


def make(name, store, modulus, target="generic", **options):
    core = find(name)
    return prepare(core, Request.make(core, modulus=modulus, target=target, options=options), store)
