# SPDX-License-Identifier: Apache-2.0
"""A design with every kind of mutation, the toy, and its netlist."""

from __future__ import annotations

import pytest

from modwright.contract import Field, Payload
from modwright.contract.request import Request
from modwright.mutate import equivalence as eq
from modwright.mutate.netlist import Netlist
from modwright.prepared import prepare
from tests.toy import TOY, ToyCore

IN, OUT = Payload((Field("x", 4),)), Payload((Field("z", 4), Field("error", 1)))


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Few seconds for a solver: what these tests expect of one takes it less than one."""
    monkeypatch.setattr(eq, "SECONDS", dict.fromkeys(eq.SECONDS, 3))


def toy(store, modulus=3, **options):
    return prepare(TOY, Request.make(TOY, modulus=modulus, target="generic", options=options), store)


@pytest.fixture(scope="module")
def prepared(store):
    return toy(store)


@pytest.fixture(scope="module")
def netlist(prepared):
    return Netlist.of(ToyCore(prepared.parameters, prepared.schedule), prepared.top)


def one_that(found, **fields):
    """The first mutation whose attributes start with the given texts."""
    return next(m for m in found if all(str(getattr(m, name)).startswith(text) for name, text in fields.items()))
