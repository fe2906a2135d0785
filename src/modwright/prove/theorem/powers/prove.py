# SPDX-License-Identifier: Apache-2.0
"""The theorem of an exponentiation: its multiplier's product, its products one after the other, and what leaves."""

from __future__ import annotations

from ..decide import Operation, UndecidedError
from ..netlist import read
from ..pieces import Node, Value, constant, number_of
from ..poly import ZERO, Poly
from ..stretches import check_streams
from ..theorem import Theorem, settled
from ..words import Words
from .claim import PowerClaim
from .cut import Halves, halves_of
from .cycle import cycles_of
from .elements import Elements, product_name, without_zeros
from .flights import OneAtATime, OverlapError
from .leaving import word_that_leaves
from .overlapping import Control, Overlapping, stretches_of
from .product import Limits, limits_by_one, prove_products, prove_stretches
from .refute import find_failing_power
from .run import Run, runs_of


def prove_exponentiation(verilog: str, top: str, claim: PowerClaim, latency: int, *, search: bool = True) -> Theorem:
    """Prove the claim of a module whose multiplier is a module of its own, or search for operands that fail."""
    return settled(
        claim.statement,
        latency,
        lambda: prove_power(halves_of(verilog, top, claim.i, claim.o), claim, latency),
        (lambda: find_failing_power(read(verilog, top), claim, latency)) if search else None,
    )


def prove_power(halves: Halves, claim: PowerClaim, latency: int) -> Run:
    """Prove the claim of an exponentiation, and return that of operands in range.

    Raises
    ------
    UndecidedError
        When a step fails.
    """
    check_streams(halves.rest, (claim.claim.result, claim.claim.error))
    try:
        (whole, *others), products = _one_at_a_time(halves, claim, latency)
    except OverlapError:
        (whole, *others), products = _overlapping(halves, claim, latency)
    for run in (whole, *others):
        if run.latency != latency:
            raise UndecidedError(f"the latency is {run.latency} cycles, and {latency} are stated")
    _decide(claim, whole, limits_by_one(claim.product, products))
    for code, run in zip(claim.claim.codes, others, strict=True):
        found = [number_of(run.outputs[field]) for field in (claim.claim.error, claim.claim.result)]
        if found != [code, 0]:
            raise UndecidedError(f"the error code is not {code}, or the result is not 0 with it")
    return whole


def _one_at_a_time(halves: Halves, claim: PowerClaim, latency: int) -> tuple[list[Run], list[Operation]]:
    """Exponentiations whose multiplier has one product in flight, which is proved in each of its idle states."""
    cycles = cycles_of(halves.multiplier, latency)
    found = runs_of(halves.rest, OneAtATime(halves.multiplier, cycles[0]), _products(claim), latency)
    return found, prove_products(halves.multiplier, claim.product, cycles)


def _overlapping(halves: Halves, claim: PowerClaim, latency: int) -> tuple[list[Run], list[Operation]]:
    """Exponentiations whose multiplier has several products in flight; each is proved in its stretch of control."""
    control = Control(halves.multiplier, latency)
    found = runs_of(halves.rest, Overlapping(control, control.idle), _products(claim), latency)
    traces = [run.flights.trace for run in found if isinstance(run.flights, Overlapping)]
    stretches = [[control.words(row) for row in stretch] for stretch in stretches_of(control, traces)]
    return found, prove_stretches(halves.multiplier, claim.product, stretches)


# --- products of the exponentiation


class _InRange:
    """Products of operands in range."""

    def __init__(self, claim: PowerClaim) -> None:
        self.claim = claim

    def __call__(self, words: Words, number: int, operands: Value) -> Value:
        claim = self.claim
        return _result(claim, words, result_node(claim, words, number), 0)


class _OutOfRange:
    """Products where the modulus, or the base, is not in range."""

    def __init__(self, claim: PowerClaim, kind: str) -> None:
        self.claim, self.kind = claim, kind

    def __call__(self, words: Words, number: int, operands: Value) -> Value:
        claim, product = self.claim, self.claim.product
        code = next((code for code, kind in product.codes.items() if kind == self.kind), None)
        if code is None:
            raise UndecidedError(f"a product does not report a wrong {self.kind}")
        elements = Elements(claim, words)
        elements.check_constants(operands)
        if self.kind == "modulus":
            return _result(claim, words, None, code)
        fields = elements.fields(operands)
        of_base = [name for name in claim.factors if elements.is_field(without_zeros(fields[name]), claim.base)]
        if of_base:
            if any(elements.required(product.operands[name]) != claim.claim.operands[claim.base] for name in of_base):
                raise UndecidedError("a product has another limit than the base")
            return _result(claim, words, None, code)
        for name in claim.factors:  # the base, in a choice, has no limit
            elements.check_range(name, elements.limits(fields[name], base=False))
        return _result(claim, words, result_node(claim, words, number), 0)


def _products(claim: PowerClaim) -> list[_InRange | _OutOfRange]:
    return [_InRange(claim), *(_OutOfRange(claim, kind) for kind in claim.claim.codes.values())]


def result_node(claim: PowerClaim, words: Words, number: int) -> Node:
    """The word of a product."""
    return words.node("input", claim.o[claim.product.result].bits, name=product_name(number))


def _result(claim: PowerClaim, words: Words, z: Node | None, code: int) -> Value:
    """The payload of a product's result."""
    pieces: list[Value] = []
    for field in claim.o.fields:
        if field.name == claim.product.error:
            pieces.append(constant(code, field.bits))
        elif field.name != claim.product.result:
            pieces.append(words.unknown(f"{field.name} of a product", field.bits))
        else:
            pieces.append(constant(0, field.bits) if z is None else words.whole(z))
    return words.join([piece for row in pieces for piece in row])


def _decide(claim: PowerClaim, run: Run, by_one: Limits) -> None:
    """Decide that the result of operands in range is the power; `by_one` has the limits of products by 1."""
    elements, whole = Elements(claim, run.words), claim.claim
    for number, operands in enumerate(run.operands):
        elements.multiply(operands, result_node(claim, run.words, number))
    if number_of(run.outputs[whole.error]) != 0:
        raise UndecidedError("the error code is not 0 for operands in range")
    result = run.outputs[whole.result]
    if not isinstance(whole.modulus, str):
        raise UndecidedError("the theorem on powers is stated for a modulus among the operands")
    m = run.words.node("input", claim.width_of_modulus, name=f"i_{whole.modulus}")
    limits = {
        result_node(claim, run.words, number): elements.required(elements.limit_of(operands, by_one))
        for number, operands in enumerate(run.operands)
    }
    if whole.limit.factor != 1 or whole.limit.of != whole.modulus:
        raise UndecidedError("the result is not claimed below the modulus")
    element = elements.products[word_that_leaves(run.words, result, m, limits)]
    due: Poly = ZERO
    for k, bit in enumerate(elements.bits):
        due += bit.scaled(1 << k)
    if element.log != due or element.power != whole.exponent:
        raise UndecidedError("the word that leaves is another power of the base")
