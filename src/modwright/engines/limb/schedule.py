# SPDX-License-Identifier: Apache-2.0
"""Control words of the units: each in the cycle in which its product's factors are at the multiplier.

The product is processed when it leaves the multiplier, `UnitParameters.delay` cycles later, and the sums
of r64 follow a cycle after that: the unit delays that part of the word. So the words of one operation lie in cycles 1
to the last product, and those of the next operation follow directly.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...schedule import Schedule, Step
from .operands import factors, field_of
from .parameters import FEWEST_LIMBS, UnitParameters
from .scanning import ScanSlot, scan
from .slots import Slot, slots_of
from .units import R64

OPERANDS, CHECK, TAG, RESULT = "operands", "operands in range", "modulus and error", "result"
ADDENDS = ("", "reg1", "c", "z")
"""Addends of r64, by number: z from 3 on."""


def make_schedule(p: UnitParameters, kind: str) -> Schedule:
    """Schedule of one operation of a kind of the unit.

    Operands are read in cycles 1 to `interval`; the result is valid in cycle `latency` - 1, and in the output stream in
    cycle `latency`.
    """
    steps = _scanning(p) if p.unit is R64 else _columns(p, kind)
    last = max(step.start for step in steps)
    done = last + p.delay + (2 if p.unit is R64 else 1)
    steps = [
        Step(OPERANDS, "operand registers", 0),
        Step(CHECK, "comparators", 1, p.s + 1, p.s + 1, after=(OPERANDS,)),
        *steps,
        Step(TAG, "tag register", last, after=(CHECK,)),
        Step(RESULT, "result", done, after=(TAG,)),
    ]
    scanning = "s(2s + 1) + 4" if p.s > FEWEST_LIMBS else "s(2s + 1) + 5"
    products = "products" if p.macs == 1 else f"products / {p.macs}"
    formula = scanning if p.unit is R64 else f"{products} + free cycles + registers + 3"
    return Schedule(tuple(steps), done + 1, formula, minimum_interval=last)


# --- column units


def _columns(p: UnitParameters, kind: str) -> list[Step]:
    slots = slots_of(p, kind)
    steps = []
    for number, slot in enumerate(slots):
        control = column_control(p, slot)
        if number == 0:
            control["first"] = 1
        if number == len(slots) - 1:
            control["done"] = 1
        steps.append(Step(slot.product.name, _multiplier(slot.lane), slot.cycle, 1, p.delay + 1, control, slot.after))
    return steps


def _multiplier(lane: int) -> str:
    return f"multiplier {lane + 1}" if lane else "multiplier"


def column_control(p: UnitParameters, slot: Slot) -> dict[str, int]:
    """Fields of one product in the control word of its cycle.

    Fields next to the factors: `quotient`, 1 + c when the product's lowest limb is t_c; `add`, it is added to the
    accumulator, twice if `double`, times 2^w if `ahead`, without its lowest limb and with the carry if `high`; `chain`,
    it is added to U, which is V_c afterwards if `keep`; `plus`, U is added to the accumulator; `minus`, the first
    stored V is subtracted; `close`, 1 + k when the lowest limb of the sum leaves for limb k of t. Each multiplier
    has its own factors, `add`, `double` and `ahead` (`operands.field_of`).
    """
    product, s = slot.product, p.s
    control = factors(product.a, product.b, forwarded=slot.forwarded, s=s, lane=slot.lane)
    if product.quotient is not None:
        return control | {"quotient": 1 + product.quotient}
    inside_chain = bool(product.chain) and not slot.closes
    flags = {
        field_of("add", slot.lane): not inside_chain,
        field_of("double", slot.lane): product.double,
        field_of("ahead", slot.lane): slot.ahead,
        "high": product.high,
        "chain": bool(product.chain),
        "keep": product.chain == "E",
        "plus": p.unit.karatsuba and (slot.closes if slot.column < s else slot.opens),
        "minus": p.unit.karatsuba and slot.column >= s and slot.closes,
    }
    control |= {name: 1 for name, flag in flags.items() if flag}
    if slot.closes:
        control["close"] = 1 + slot.column % s
    return control


# --- r64


def _scanning(p: UnitParameters) -> list[Step]:
    slots = scan(p)
    steps = []
    for number, slot in enumerate(slots):
        control = scan_control(p, slot)
        if number == len(slots) - 1:
            control["done"] = 1
        steps.append(Step(slot.name, "multiplier", slot.cycle, 1, p.delay, control, _before(slots, number)))
    return steps


def _before(slots: Sequence[ScanSlot], number: int) -> tuple[str, ...]:
    """The product whose result is read: q reads reg1, c reads q."""
    return (slots[number - 1].name,) if slots[number].forwarded else ()


def scan_control(p: UnitParameters, slot: ScanSlot) -> dict[str, int]:
    """The control word of one product: factors, `target`, `addend` and, for `REG2`, `sum`: j, limb j - 1 of z is the
    lowest limb of reg1 + reg2 a cycle later."""
    addend = ADDENDS.index(slot.addend) + (slot.j if slot.addend == "z" else 0)
    control = factors(slot.a, slot.b, forwarded=slot.forwarded, s=p.s) | {"target": slot.target}
    if addend:
        control["addend"] = addend
    if slot.addend == "c":
        control["sum"] = slot.j
    return control
