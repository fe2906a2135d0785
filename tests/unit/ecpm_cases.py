# SPDX-License-Identifier: Apache-2.0
"""Cores of point multiplication for tests."""

from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.plan.microcode import make_plan
from modwright.engines.ladder.control import unit_schedules
from modwright.prepared import prepare
from modwright.prepared.registry import find

LADDER, PAPER = find("ecpm/ladder"), find("ecpm/r64-ladder")


def make(core=LADDER, curve=None, **options):
    return prepare(core, Request.make(core, curve=curve, target="generic", options=options))


def plan_of(p):
    return make_plan(p, unit_schedules(p))
