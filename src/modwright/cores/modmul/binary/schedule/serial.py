# SPDX-License-Identifier: Apache-2.0
"""Schedule of the serial multiplier: products in order, each as soon as its words are readable.

With M cycles from a product's issue to the accumulators, its column's limb can be read M + 3 cycles after the last
product of the column was issued: one cycle adds, one adds up the digits, one writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .....schedule import Schedule, Step
from ..parameters.serial import Operand, Product, SerialParameters

HELD = 2
"""Cycle from which x and y are held, and in which the first product is issued."""

SELECT = 1
"""Cycles to read an operand."""

SELECTED = {"x": "x_limb", "y": "y_limb", "word": "word", "constant": "constant"}
"""Control field that selects among the operands of a kind: one for each, as a field of all would reach too far."""


def multiplier_latency(p: SerialParameters) -> int:
    """M: operand selection, and the multiplier."""
    return SELECT + p.columns.latency


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
    first, last : bool
        Whether it is the first, the last product of the column.
    """

    name: str
    product: Product
    cycle: int
    number: int
    column: int
    first: bool
    last: bool


def slots_of(p: SerialParameters) -> tuple[Slot, ...]:
    """Every product with its cycle: in the order of the passes, within a column by readiness of the words."""
    delay = multiplier_latency(p) + 3
    ready: dict[int, int] = {}  # cycle from which an address is readable
    slots: list[Slot] = []
    cycle = HELD
    for number, pass_ in enumerate(p.passes):
        for c, column in enumerate(pass_.columns):
            pairs = sorted(column.products, key=lambda pair: _needs(pair, ready))
            for i, pair in enumerate(pairs):
                cycle = max(cycle, _needs(pair, ready))
                name = f"{pass_.name} {c}.{i}"
                slots.append(Slot(name, pair, cycle, number, c, i == 0, i == len(pairs) - 1))
                cycle += 1
            if column.address is not None:
                ready[column.address] = slots[-1].cycle + delay
    return tuple(slots)


def limb_of(slot: Slot) -> str:
    """Name of the step that adds up the limb of a column."""
    return f"{slot.name} limb"


def _needs(pair: Product, ready: Mapping[int, int]) -> int:
    return ready[pair[0].value] if pair[0].kind == "word" else 0


def make_schedule(p: SerialParameters) -> Schedule:
    """Schedule of one product; `word k` is the memory's word k, busy from its writing to its last reading."""
    slots = slots_of(p)
    delay = multiplier_latency(p)
    results = _result_steps(p, slots, delay)
    held = max(slot.cycle for slot in slots if slot.product[1].kind == "y")
    steps = [
        Step("input", "operand registers", 0),
        Step("load", "operands", 1, busy=held - 1, after=("input",)),
        Step("check", "check", HELD, busy=max(1, results[0].start - HELD)),
        *_product_steps(p, slots, delay),
        *_pass_steps(p, slots, delay),
        *_word_steps(p, slots, delay),
        *results,
    ]
    waits = slots[-1].cycle - len(slots) - 1
    formula = f"{len(slots)} products + {waits} waits + {delay} + 5"
    return Schedule(tuple(steps), results[-1].end, formula)


def _product_steps(p: SerialParameters, slots: Sequence[Slot], delay: int) -> Iterator[Step]:
    """Issue and addition of every product. All control is given with the issue and follows the product."""
    for slot in slots:
        left = slot.product[0]
        source = f"word {left.value}" if left.kind == "word" else "load"
        control = _issue_control(p, slot) | _finish_control(p, slot)
        yield Step(slot.name, "multiplier", slot.cycle, latency=delay, control=control, after=(source,))
        yield Step(f"{slot.name} +", "adder", slot.cycle + delay, after=(slot.name,))
        if slot.last:
            yield Step(limb_of(slot), "limb adder", slot.cycle + delay + 1, after=(f"{slot.name} +",))


def _issue_control(p: SerialParameters, slot: Slot) -> dict[str, int]:
    """Control fields of the operands of a product, and of its accumulation."""
    sources = {operand.kind: operand.value for operand in slot.product}
    if "constant" in sources:
        sources["constant"] = p.constants.index(sources["constant"])
    return {
        **{SELECTED[kind]: value for kind, value in sources.items()},
        "stored": int("word" in sources),
        "fixed": int("constant" in sources),
        "add": 1,
        "begin_pass": int(slot.first and slot.column == 0),
        "begin_column": int(slot.first and slot.column > 0),
        "end_column": int(slot.last),
        "end_pass": int(slot.last and slot.column == len(p.passes[slot.number].columns) - 1),
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
    """Limbs that are stored, in the cycle after they were added up."""
    for slot in slots:
        address = p.passes[slot.number].columns[slot.column].address
        if slot.last and address is not None:
            start = slot.cycle + delay + 2
            reads = [s.cycle for s in slots if s.product[0] == Operand("word", address)]
            busy = max(reads, default=start + 1) - start
            yield Step(f"word {address}", f"word {address}", start, busy, after=(limb_of(slot),))


def _result_steps(p: SerialParameters, slots: Sequence[Slot], delay: int) -> list[Step]:
    """Limbs of the last pass on their way into the subtractors, and the choice among their results."""
    last = len(p.passes) - 1
    columns = [slot for slot in slots if slot.number == last and slot.last]
    starts = [slot.cycle + delay + 2 for slot in columns]
    steps = [
        Step(f"limb {slot.column}", "subtractors", start, after=(limb_of(slot),))
        for slot, start in zip(columns, starts, strict=True)
    ]
    end = starts[-1] + 1
    steps.append(Step("choice", "result", starts[0], busy=end - starts[0] + 1, latency=end - starts[0] + 1))
    return steps
