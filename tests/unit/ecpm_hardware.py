# SPDX-License-Identifier: Apache-2.0
"""Cores of point multiplication in hardware, for tests."""

from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import find

LADDER, PAPER = find("ecpm/ladder"), find("ecpm/r64-ladder")


def make(store, core=LADDER, curve=None, target="generic", **options):
    return prepare(core, Request.make(core, curve=curve, target=target, options=options), store)
