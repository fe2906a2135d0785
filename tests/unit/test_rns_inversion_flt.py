# SPDX-License-Identifier: Apache-2.0
"""Inversion by Fermat's theorem in residues: its products, constants, RTL; the contract is in tests/contract."""

from pathlib import Path

import pytest

from modwright.base.errors import ParameterError
from modwright.combine.fermat.plan import Multiplication, exponent_of, sliding_windows
from modwright.contract.request import Request
from modwright.functions import vectors
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import verify

from ..tools import needs

CORE = "modinv/rns-flt"
VECTORS = sorted((Path(__file__).parents[1] / "data" / "vectors").glob("modinv-*.json"))
NEEDS_COMPILER = needs("compiled-simulator")
PRIMES = [p for p in range(5, 252) if all(p % q for q in range(2, p))]


def request_for(field=None, modulus=None, target="generic", **options):
    return Request.make(find(CORE), field=field, modulus=modulus, target=target, options=options)


def make(store, **selection):
    return prepare(find(CORE), request_for(**selection), store)


@pytest.mark.parametrize("window", range(1, 6))
def test_products_of_every_small_exponent(window):
    for exponent in range(2, 600):
        program = sliding_windows(exponent, window)
        assert exponent_of(program) == exponent
        assert len(program) <= 2 * exponent.bit_length() + 2**window


def test_products_of_an_exponent_by_hand():
    """a^11, 1011 in digits of at most 2 bits: a², a³ for the table; then 1, 10, 100, 1000 and 1011."""
    assert sliding_windows(11, 2) == (
        Multiplication(0, 0, 2),
        Multiplication(0, 2, 1),
        Multiplication(0, 0, 2),
        Multiplication(2, 2, 2),
        Multiplication(2, 2, 2),
        Multiplication(2, 1, 2),
    )


@pytest.mark.parametrize(("field", "products"), [("P-192", 241), ("P-256", 292), ("P-384", 459), ("P-521", 633)])
def test_cycles(field, products):
    core = find(CORE)
    p = core.derive(request_for(field=field))
    schedule = core.schedule(p)
    assert len(p.program) == products
    assert schedule.latency == 2 + products * (p.schedule.latency + 1)
    assert schedule.constant_time
    assert p.certificate.failing is None


@pytest.mark.parametrize("modulus", [15, 1001, 3])
def test_a_composite_modulus_is_refused(modulus):
    rule = "P >= 5\\n  but:  3 against 5" if modulus < 5 else "P is a prime"
    with pytest.raises(ParameterError, match=rule):
        find(CORE).derive(request_for(modulus=modulus, width=12))


@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=[pytest.mark.campaign] if n else []) for n, p in enumerate(VECTORS)]
)
@NEEDS_COMPILER
def test_vectors(path, store):
    """Every file; one of them in every run. 0, and P and more, besides."""
    file = vectors.load(path)
    prepared = make(store, field=file.field)
    edges = [prepared.codec.edges()[name] for name in ("0", "M", "M+1", "limit-1")]
    found = verify(prepared, [*file.cases_for(prepared.core, prepared.request), *edges])
    assert found.failed == []
    assert found.cycles == dict.fromkeys(("min", "median", "max"), prepared.schedule.latency)


@pytest.mark.parametrize(
    "modulus", [pytest.param(p, marks=[] if p in (5, 13) else [pytest.mark.campaign]) for p in PRIMES]
)
@NEEDS_COMPILER
def test_every_operand_of_a_small_prime(modulus, store):
    """All a below 2P, of every prime from 5 to 251; two primes on every run."""
    prepared = make(store, modulus=modulus, width=10)
    found = verify(prepared, [{"a": a} for a in range(2 * modulus)])
    assert found.failed == []
