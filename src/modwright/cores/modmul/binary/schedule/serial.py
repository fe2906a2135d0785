# SPDX-License-Identifier: Apache-2.0
"""Schedule of the serial multiplier: products in order, each as soon as its words are readable.

With M cycles from a product's issue to the accumulator, its column's limb can be read M + 2 cycles after the last
product of the column was issued: one cycle adds, one writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .....plan.pipeline import BLOCK, adder, place_registers, registers_needed
from .....plan.tiling import Tiling
from .....schedule import Schedule, Step
from ..parameters.serial import Operand, Product, SerialParameters
from ..plan.product import REFERENCE, WIDEST

SELECT = 1
"""Cycles to read an operand."""

PERIOD = adder(2 * WIDEST)
"""Estimated ns between the multiplier's registers: that of the accumulator of limbs of four blocks."""


def tree_delays(p: SerialParameters, target: str) -> list[float]:
    """Estimated delay of the blocks and of each level of the multiplier's adder tree."""
    tiling = Tiling(p.limb, p.limb, target)
    return [BLOCK, *[adder(2 * p.limb - p.limb // 2)] * tiling.levels]


def registers_of(p: SerialParameters, target: str) -> tuple[int, ...]:
    """Registers in the multiplier: as many on every target as the reference needs."""
    reference = tree_delays(p, REFERENCE)
    period = max(PERIOD, *reference)  # a level of the tree is slower where limbs are wider than four blocks
    count = 1 + int(registers_needed(reference, 0.0, frozenset(), period))
    return place_registers(tree_delays(p, target), count, tail=0.0)


def multiplier_latency(p: SerialParameters) -> int:
    """M: operand selection, the blocks' input registers, and the tree."""
    return SELECT + 1 + sum(registers_of(p, REFERENCE))


@dataclass(frozen=True)
class Slot:
    """One issued product.

    Parameters
    ----------
    name : str
        Name of the step.
    product : Product
        Factors of the product.
    cycle : int
        Cycle of the issue.
    number, column : int
        Indices of the pass and of the column.
    last : bool
        Whether it is the last product of the column.
    """

    name: str
    product: Product
    cycle: int
    number: int
    column: int
    last: bool


def slots_of(p: SerialParameters) -> tuple[Slot, ...]:
    """Every product with its cycle: in the order of the passes, within a column by readiness of the words."""
    delay = multiplier_latency(p) + 2
    ready: dict[int, int] = {}  # clock from which an address is readable
    slots: list[Slot] = []
    cycle = 1  # x and y are held from here on
    for number, pass_ in enumerate(p.passes):
        for c, column in enumerate(pass_.columns):
            pairs = sorted(column.products, key=lambda pair: _needs(pair, ready))
            for i, pair in enumerate(pairs):
                cycle = max(cycle, _needs(pair, ready))
                name = f"{pass_.name} {c}.{i}"
                slots.append(Slot(name, pair, cycle, number, c, i == len(pairs) - 1))
                cycle += 1
            if column.address is not None:
                ready[column.address] = slots[-1].cycle + delay
    return tuple(slots)


def _needs(pair: Product, ready: Mapping[int, int]) -> int:
    return ready[pair[0].value] if pair[0].kind == "word" else 0


def make_schedule(p: SerialParameters) -> Schedule:
    """Schedule of one product; `word k` is the memory's word k, busy from its writing to its last reading."""
    slots = slots_of(p)
    delay = multiplier_latency(p)
    results = _result_steps(p, slots, delay)
    held = max(slot.cycle for slot in slots if slot.product[1].kind == "y")
    steps = [
        Step("load", "operands", 0, busy=held),
        Step("check", "check", 1, busy=max(1, results[0].start - 1)),
        *_product_steps(p, slots, delay),
        *_pass_steps(p, slots, delay),
        *_word_steps(p, slots, delay),
        *results,
    ]
    waits = slots[-1].cycle - len(slots)
    formula = f"{len(slots)} products + {waits} waits + {delay} + 3"
    return Schedule(tuple(steps), results[-1].end, formula)


def _product_steps(p: SerialParameters, slots: Sequence[Slot], delay: int) -> Iterator[Step]:
    """Issue and addition of every product. All control is given with the issue and follows the product."""
    for slot in slots:
        left = slot.product[0]
        source = f"word {left.value}" if left.kind == "word" else "load"
        control = _issue_control(p, slot) | _finish_control(p, slot)
        yield Step(slot.name, "multiplier", slot.cycle, latency=delay, control=control, after=(source,))
        yield Step(f"{slot.name} +", "adder", slot.cycle + delay, after=(slot.name,))


def _issue_control(p: SerialParameters, slot: Slot) -> dict[str, int]:
    """Control fields of the operands of a product, and of its accumulation."""
    left, right = slot.product
    constant = right.kind == "constant"
    return {
        "left": left.value,
        "stored": int(left.kind == "word"),
        "right": p.constants.index(right.value) if constant else right.value,
        "constant": int(constant),
        "add": 1,
        "end_pass": int(slot.last and slot.column == len(p.passes[slot.number].columns) - 1),
        "end_column": int(slot.last),
    }


def _finish_control(p: SerialParameters, slot: Slot) -> dict[str, int]:
    """Control fields of the limb of a column, after its last product."""
    if not slot.last:
        return {}
    if slot.number == len(p.passes) - 1:
        ends = int(slot.column == p.limbs)
        return {"out": 1, "limb": slot.column, "begin_result": int(slot.column == 0), "end_result": ends}
    address = p.passes[slot.number].columns[slot.column].address
    return {} if address is None else {"write": 1, "address": address}


def _pass_steps(p: SerialParameters, slots: Sequence[Slot], delay: int) -> Iterator[Step]:
    """The accumulator holds a pass from its first addition to its last."""
    for number, pass_ in enumerate(p.passes):
        cycles = [slot.cycle + delay for slot in slots if slot.number == number]
        busy = cycles[-1] - cycles[0] + 1
        yield Step(pass_.name, "accumulator", cycles[0], busy, busy)


def _word_steps(p: SerialParameters, slots: Sequence[Slot], delay: int) -> Iterator[Step]:
    """Limbs that are stored, one cycle after the last addition of their column."""
    for slot in slots:
        address = p.passes[slot.number].columns[slot.column].address
        if slot.last and address is not None:
            start = slot.cycle + delay + 1
            reads = [s.cycle for s in slots if s.product[0] == Operand("word", address)]
            busy = max(reads, default=start + 1) - start
            yield Step(f"word {address}", f"word {address}", start, busy, after=(f"{slot.name} +",))


def _result_steps(p: SerialParameters, slots: Sequence[Slot], delay: int) -> list[Step]:
    """Limbs of the last pass on their way into the subtractors, and the choice among their results."""
    last = len(p.passes) - 1
    columns = [slot for slot in slots if slot.number == last and slot.last]
    starts = [slot.cycle + delay + 1 for slot in columns]
    steps = [
        Step(f"limb {slot.column}", "subtractors", start, after=(f"{slot.name} +",))
        for slot, start in zip(columns, starts, strict=True)
    ]
    end = starts[-1] + 1
    steps.append(Step("choice", "result", starts[0], busy=end - starts[0] + 1, latency=end - starts[0] + 1))
    return steps
