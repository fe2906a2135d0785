# SPDX-License-Identifier: Apache-2.0
"""Cores of RNS Montgomery multiplication in hardware, for tests."""

from pathlib import Path

from modwright.contract.request import Request
from modwright.functions.cases import random_cases
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify
from modwright.simulate.patterns import patterns

from ..tools import needs

DATA = Path(__file__).parents[1] / "data" / "rns_montgomery" / "base-extension.json"
EXTENSIONS, MULTIPLIERS = ("basext/kbe", "basext/hbe"), ("modmul/rns-kbe", "modmul/rns-hbe")

compiled_only = needs("compiled-simulator")


def make(name, store, modulus, target="generic", **options):
    core = find(name)
    return prepare(core, Request.make(core, modulus=modulus, target=target, options=options), store)


def check_in_every_pattern(one, count):
    """Random operations, in each pattern of stalls, with resets and initial values of registers."""
    cases = random_cases(one, count, seed=5)
    for pattern in patterns(one.schedule, len(cases), seed=3):
        ordered = [cases[k] for k in pattern.indices]
        found = verify(one, ordered, stalls=pattern.stalls, resets=pattern.resets, initial=pattern.initial)
        assert found.failed == []
        assert found.passed == found.cases
