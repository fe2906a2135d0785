# SPDX-License-Identifier: Apache-2.0
"""Numbers inside operations of a processor: hats and cox of products; passes, V3, V1 and divisors of inversions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from ....contract import PayloadValue
from ....contract.operands import PAYLOAD
from ....contract.quantities import Extremes, Operands, Quantity
from ....contract.quantities import Values as Found
from ....engines.coxrower.extremes import DRAWN, quantities, values
from ....engines.inversion.edges import SAMPLE, UNITS
from ....engines.plus_minus import Flow
from ....functions.rns import FROM_BINARY, HOLD, INTO_A, INTO_B, INVERSION, MOVE, TO_BINARY
from ....schedule import Schedule
from .codec import ProcessorCodec
from .model import Values
from .model.hats import from_binary_hats, to_binary_hats
from .parameters import ProcessorParameters
from .plan.divsteps import Divsteps, Rounds
from .plan.registers import factors_of, operands_of

_Hats = tuple[tuple[int, ...], tuple[int, ...]]


def extremes(p: ProcessorParameters, schedule: Schedule) -> Extremes:
    """Extremes of a processor; those of passes with inversion alone."""
    del schedule
    first, second = p.reduction.first, p.reduction.second
    codec = ProcessorCodec(p)

    def observe(operands: Operands) -> Found:
        numbers = operands_of(operands)
        if numbers is None or operands.get("op") in (MOVE, HOLD, INTO_A, INTO_B):
            return {}
        if operands.get("op") == INVERSION and p.divsteps is not None:
            return _rounds(p, p.divsteps, numbers["x"])
        if operands.get("op") == INVERSION:
            return _passes(p, codec.restore(numbers["x"]))
        q, s = _hats(p, operands.get("op"), numbers)
        return {**values("Q", first, q, "A"), **values("S", second, s, "B")}

    rows = quantities("Q", first, p.A.product - 1, "A") + quantities("S", second, p.bound - 1, "B")
    more = _of_passes(p) if p.kind else _of_rounds(p.divsteps) if p.divsteps else ()
    return Extremes(rows + more, observe, lambda: _candidates(p, codec), SAMPLE)


def _hats(p: ProcessorParameters, op: PayloadValue | None, numbers: Mapping[str, PayloadValue]) -> _Hats:
    """Hats of Q and S in an operation that reduces modulo P."""
    x = numbers["x"]
    assert isinstance(x, tuple)
    if op == FROM_BINARY:
        return from_binary_hats(p, x)
    return to_binary_hats(p, x) if op == TO_BINARY else p.hats(factors_of(numbers))


def _of_passes(p: ProcessorParameters) -> tuple[Quantity, ...]:
    parts = f"in {UNITS}ths of P, rounded down"
    divisors = p.rules.kind.divisors
    return (
        Quantity("passes", 0, p.rules.most_passes, "certificate `passes`"),
        Quantity("V3/P", p.least * UNITS // p.modulus, p.bound * UNITS // p.modulus, f"{parts}; `cox-passes` and λ"),
        Quantity("V1/P", -UNITS, UNITS, f"{parts}; |V1| <= P"),
        Quantity("D", min(divisors), max(divisors), "divisors of a pass"),
    )


def _passes(p: ProcessorParameters, x: int) -> Found:
    """V3 and V1 after each pass."""
    P, flow, inside = p.modulus, Flow(p.rules.kind, p.modulus, x), Values(p)
    found: dict[str, list[int]] = {"V3/P": [x * UNITS // P], "V1/P": [inside.V * UNITS // P], "D": []}
    while not flow.done:
        step = flow.step()
        inside.step(step)
        for name, value in (("V3/P", flow.V3 * UNITS // P), ("V1/P", inside.V * UNITS // P), ("D", step.divisor)):
            found[name].append(value)
    return {**found, "passes": (len(found["D"]),)}


def _of_rounds(plan: Divsteps) -> tuple[Quantity, ...]:
    parts, top = f"in {UNITS}ths of P, rounded down", plan.offset * UNITS
    return (
        Quantity("f/P", -2 * UNITS, 2 * UNITS, f"{parts}; as g < 2P"),
        Quantity("d/P", -top, top, f"{parts}; `range-d`"),
    )


def _rounds(p: ProcessorParameters, plan: Divsteps, x: PayloadValue) -> Found:
    """f, g, d and e after each round."""
    assert isinstance(x, tuple)
    _, s = to_binary_hats(p, x)
    state = Rounds(plan, sum(hat * m_over for hat, m_over in zip(s, p.B.cofactors, strict=True)) % p.B.product)
    found: dict[str, list[int]] = {"f/P": [], "d/P": []}
    for _ in range(plan.rounds):
        state.step()
        found["f/P"] += [state.f * UNITS // p.modulus, state.g * UNITS // p.modulus]
        found["d/P"] += [state.d * UNITS // p.modulus, state.e * UNITS // p.modulus]
    return {**found}


def _candidates(p: ProcessorParameters, codec: ProcessorCodec) -> Iterator[Mapping[str, object]]:
    """The edges, and random operands over the whole contract."""
    yield from codec.edges().values()
    rng = Random(p.modulus)
    for _ in range(DRAWN):
        yield {PAYLOAD: codec.draw(rng, {})}
