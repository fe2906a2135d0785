# SPDX-License-Identifier: Apache-2.0
"""Cores of RNS Montgomery multiplication for tests."""

from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import find


def derive(name, modulus, **options):
    """Parameters; nothing is built."""
    core = find(name)
    return core.derive(Request.make(core, modulus=modulus, target="generic", options=options))


def prepared(name, modulus, store, **options):
    core = find(name)
    return prepare(core, Request.make(core, modulus=modulus, target="generic", options=options), store)
