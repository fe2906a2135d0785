# SPDX-License-Identifier: Apache-2.0
"""Schedule of one product: a step for each product of limbs, with its control word, and the ring of all of them.

Operations in flight start at multiples of the interval I. So control words are read by the cycle modulo I: each belongs
to the operation of some age, in intervals since its start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...schedule import Schedule, Step
from .cycles import FIRST, RESULT, WORD
from .digits import ABOVE, STORED
from .parameters import ColumnParameters
from .placement import place
from .program import B_BANKS, Column, Limb, T, program
from .program import RESULT as RESULT_BANK

FIELDS = ("multiply", "close")
"""Fields that are set for words of an operation in flight only; the others have no effect without them."""
CONTEXT, PARITY = "context", "parity"
"""Fields that a word gets when it is issued: the context of its operation, and a bit that the next operation of that
context has not."""
END = "end"
"""Field of the last word of an operation."""
IN_LOGIC = 64
"""Control words that are made of logic; more are in a memory, whose output has a register of its own. Synthesis for
ECP5 makes block RAM of 76 words in logic, without that register."""
UNIT = "multiply-accumulate"


def make_schedule(p: ColumnParameters) -> Schedule:
    """Schedule of one product."""
    columns = program(p.s)
    placed = place(columns, p.contexts)
    first = first_word(placed.interval)
    steps = [
        Step("operands", "operand registers", 0, p.s + 1),
        Step("check", "comparators", 1, p.s, p.s + 3, after=("operands",)),
    ]
    producers: dict[Limb, Step] = {}
    for column, start in zip(columns, placed.starts, strict=True):
        steps += _column(column, first + start, producers)
    steps[-1] = replace(steps[-1], control={**steps[-1].control, END: 1})
    last = steps[-1].start
    steps.append(Step("result", "queue", last + WORD + 1))
    formula = "2s² + 15 and the cycles in which a product waits for a limb"
    return Schedule(tuple(steps), last + RESULT, formula, placed.interval, aligned=True)


def first_word(interval: int) -> int:
    """Cycle of the first control word, counted from the transfer of the operands."""
    return FIRST + (interval > IN_LOGIC)


def _column(column: Column, start: int, producers: dict[Limb, Step]) -> Iterator[Step]:
    """Steps of one column; the last one has the word."""
    ends = column.cycles - 1
    for at in range(column.cycles):
        product = column.products[at] if column.products else None
        control = dict[str, int]()
        if at == 0:
            control |= {
                "first": 1,
                "lower": int(column.opening is STORED),
                "ones": int(column.opening is ABOVE),
                "upper": int(column.opening is ABOVE),
            }
        if at == ends:
            control |= {"close": 1, "store": int(column.stores), **_leaving(column.leaves)}
        after: tuple[str, ...] = ()
        if product is not None:
            control |= {"multiply": 1} | _factors(product, start + at, producers)
            after = tuple(producers[limb].name for limb in product if limb in producers)
        name = column.name if at == ends else f"{product[0]}·{product[1]}" if product else column.name
        step = Step(name, UNIT, start + at, 1, WORD, {k: v for k, v in control.items() if v}, after)
        if at == ends and column.leaves is not None:
            producers[column.leaves] = step
        yield step


def _leaving(limb: Limb | None) -> dict[str, int]:
    """Fields for the word that leaves: whether it is a limb of t or of the result, and which."""
    if limb is None:
        return {}
    return {"to_t": int(limb.bank == T), "to_z": int(limb.bank == RESULT_BANK), "to": limb.index}


def _factors(product: tuple[Limb, Limb], cycle: int, producers: dict[Limb, Step]) -> dict[str, int]:
    """Fields for the limbs of a product; a word that left now or a cycle ago is not read from its memory."""
    a, b = product
    since = cycle - producers[a].end if a in producers else None
    return {
        "a_t": int(a.bank == T),
        "forward": int(since == 0),
        "late": int(since == 1),
        "a": a.index,
        "b_bank": B_BANKS.index(b.bank),
        "b": b.index,
    }


# --- the ring


@dataclass(frozen=True)
class Ring:
    """Control words by the cycle modulo the interval.

    Parameters
    ----------
    words : tuple of dict
        Fields of each word; `age` is the number of intervals since the start of its operation.
    ages : int
        Ages of operations that have a word.
    """

    words: tuple[dict[str, int], ...]
    ages: int


def ring_of(schedule: Schedule) -> Ring:
    """The ring of a schedule."""
    interval = schedule.interval
    words: list[dict[str, int]] = [{} for _ in range(interval)]
    for cycle, word in enumerate(schedule.words):
        if word:
            words[cycle % interval] = {**word, "age": cycle // interval}
    return Ring(tuple(words), (schedule.span - 1) // interval + 1)
