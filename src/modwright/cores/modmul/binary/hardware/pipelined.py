# SPDX-License-Identifier: Apache-2.0
"""The pipelined binary multiplier: one product a cycle.

Stage k of the schedule is the logic in front of the registers of cycle k + 1. Modulo 61:

    cycle    step                               register that holds the value from this cycle on
    1        xy factors                         factors of the blocks
    2        xy blocks                          products of the blocks
    5        product level 2                    x·y
    8        fold0 level 2                      x·y folded
    10       reduced level 1                    the last fold, and that minus the multiples of p
    11       choice                             result queue: z, below p

Wider ones have levels of the sums of digits behind the blocks, `tables address` and `tables word` where slices of the
product are looked up, a `join` behind levels where a sum is joined, `reduced candidates`, `reduced carries` and
`reduced select` where the last sum has segments, and `signs` in front of the choice next to tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from .....plan.pipeline import BLOCK, place_registers
from .....rtl.block_memory import WIDE, constant_words
from .....rtl.control import StreamCore, datapath_members
from .....rtl.copies import copied
from .....rtl.multiplier import TiledMultiplier, make_block
from .....rtl.pipeline import delayed
from .....schedule import Schedule
from ..parameters.pipelined import BinaryParameters, Lookup, Multiply, Sum
from ..plan.heap import Heap, Term
from ..plan.product import REFERENCE, DigitPlan, LimbSum, ProductPlan
from ..plan.reduction import Fold
from ..schedule.pipelined import inner_stages, registers_of
from .adders import Closing, add_level, first_numbers, join, joined_row
from .comparison import above_or_equal, compare


class BinaryDatapath(wiring.Component):
    """Product x·y mod p without streams: one a cycle, each the schedule's latency - 1 cycles after its operands.

    Attributes
    ----------
    start : in
        The operands are given in this cycle.
    x, y : in, w bits
    done : out
        The result is given in this cycle.
    z : out, w bits
    error : out
        An operand was not below p.
    """

    def __init__(self, p: BinaryParameters, schedule: Schedule) -> None:
        self.p, self.schedule = p, schedule
        super().__init__(datapath_members(p.i, p.o))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        z, bad = Pipeline(m, self.p).build(self.x, self.y)
        m.d.comb += [
            self.done.eq(delayed(m, self.start, self.schedule.latency - 1, "valid")),
            self.z.eq(z),
            self.error.eq(bad),
        ]
        return m


def build(p: BinaryParameters, schedule: Schedule) -> StreamCore:
    """The core with its streams."""
    return StreamCore(p.i, p.o, schedule, BinaryDatapath(p, schedule))


_FLAGS = {"check_x", "check_y", "bad"}
"""Values that pass the stages next to the product: comparisons with p, and the error from them."""


class Pipeline:
    """Writer of the stages of the schedule into a module, with a register wherever the schedule has one.

    `live` holds the values that a later stage reads; each register holds all of them.
    """

    def __init__(self, m: Module, p: BinaryParameters) -> None:
        self.m, self.p = m, p
        self.live: dict[str, Value] = {}
        self._registers = list(registers_of(p))  # those that are left, in front of the place that is written
        self._cycle = 0
        self._near: dict[int, dict[str, Value]] = {}  # sources of the next sum, by segment, in the place of `live`

    def build(self, x: Value, y: Value) -> tuple[Value, Value]:
        """Result and error, in the cycle before the queue."""
        self.live = {"x": x, "y": y, "check_x": compare(x, self.p.modulus), "check_y": compare(y, self.p.modulus)}
        for index, step in enumerate(self.p.datapath):
            later = {name for after in self.p.datapath[index + 1 :] for name in _reads(after)} | _FLAGS
            if isinstance(step, Multiply):
                self._multiply(step, later)
            elif isinstance(step, Lookup):
                self._look_up(step, self.p.folds[0], self.p.datapath[index + 1], later)
            else:
                self._sum(step, later)
        return self._choose(), self.live["bad"]

    def _stage(self, keep: set[str]) -> None:
        """End a stage: drop the values that are not in `keep`, and register the others where the schedule has a
        register; constants need none."""
        self.live = {name: value for name, value in self.live.items() if name in keep}
        if not self._registers.pop(0):
            return
        self._cycle += 1
        for name, value in self.live.items():
            if not isinstance(value, Const):
                held = Signal(len(value), name=f"{name}_at_{self._cycle}", reset_less=True)
                self.m.d.sync += held.eq(value)
                self.live[name] = held

    def _hold(self, values: Sequence[Value], later: set[str], name: str = "partial") -> list[Value]:
        """The values on the other side of a stage."""
        names = [f"{name}_{n}" for n in range(len(values))]
        self.live |= dict(zip(names, values, strict=True))
        self._stage(later | set(names))
        return [self.live.pop(name) for name in names]

    # --- products

    def _multiply(self, step: Multiply, later: set[str]) -> None:
        """Products of the plan's factors; the register in front of the blocks is theirs."""
        plan, target = step.plan, self.p.target
        a, b = self._limbs(plan, step.a), self._limbs(plan, step.b)
        for level in range(1, plan.karatsuba + 1):
            a, b = self._next_sums(plan, level, (a, b), later)
        pairs = [(a[left], b[right]) for left, right in plan.contributions]
        self._stage(later)
        if "check_x" in self.live:
            self.live["bad"] = above_or_equal(self.live.pop("check_x")) | above_or_equal(self.live.pop("check_y"))
        make = self._digits if target == REFERENCE else self._tiles
        products = make(step.name, plan, pairs, later)
        self.live |= {f"{step.name}{n}": product for n, product in enumerate(products)}

    def _limbs(self, plan: ProductPlan, operand: tuple[str, int] | int) -> dict[LimbSum, Value]:
        """The limbs of a value or of a constant."""
        slices = [plan.limb_slice(n) for n in range(plan.limbs)]
        if isinstance(operand, int):
            limbs = [Const(operand >> low & ((1 << high - low) - 1), high - low) for low, high in slices]
        else:
            source, start = operand
            limbs = [self.live[source][start + low : start + high] for low, high in slices]
        return {(n,): limb for n, limb in enumerate(limbs)}

    def _next_sums(
        self, plan: ProductPlan, level: int, given: tuple[dict[LimbSum, Value], ...], later: set[str]
    ) -> tuple[dict[LimbSum, Value], ...]:
        """The sums of up to 2^level limbs on the other side of a stage."""
        needed = _parts(plan, level)
        values = [_halves(sums, part) for sums in given for part in needed]
        held = self._hold(values, later, "sum")
        count = len(needed)
        return dict(zip(needed, held[:count], strict=True)), dict(zip(needed, held[count:], strict=True))

    def _digits(
        self, name: str, plan: ProductPlan, pairs: Sequence[tuple[Value, Value]], later: set[str]
    ) -> list[Value]:
        """Sums of products of digits, in blocks; their operand registers are those of the stage before."""
        digits, heap = plan.digits, plan.unit
        behind = self._registers[0]
        sources = []
        for a, b in pairs:
            products = (
                make_block(self.m, _digit(digits, a, left), _digit(digits, b, right), behind, REFERENCE)
                for left, right in digits.contributions
            )
            sources.append({f"p{n}": product for n, product in enumerate(products)})
        self._stage(later)
        numbers = [first_numbers(heap, products, 0) for products in sources]
        for level in range(len(heap.levels.steps)):
            after = [add_level(self.m, heap, level, [some], f"{name}{n}")[0] for n, some in enumerate(numbers)]
            numbers = self._hold_each(after, later)
        for index in range(len(heap.joins) - 1):
            joined = [join(self.m, heap, index, some, f"{name}{n}_join_{index}") for n, some in enumerate(numbers)]
            numbers = self._hold_each(joined, later)
        return [joined_row(heap, some) for some in numbers]

    def _tiles(
        self, name: str, plan: ProductPlan, pairs: Sequence[tuple[Value, Value]], later: set[str]
    ) -> list[Value]:
        """Products as binary numbers, with as many registers at the best places of their own tree."""
        stages = inner_stages(plan)
        before = self._cycle
        for _ in stages:
            self._stage(later)
        tiling = plan.tiling(self.p.target)
        registers = place_registers([BLOCK, *tiling.delays], self._cycle - before, tail=0.0)
        products = []
        for n, (a, b) in enumerate(pairs):
            self.m.submodules[f"{name}_{n}"] = unit = TiledMultiplier(tiling, registers)
            self.m.d.comb += [unit.a[0].eq(a), unit.b[0].eq(b)]
            products.append(unit.p)
        return products

    # --- tables

    def _look_up(self, step: Lookup, fold: Fold, after: Multiply | Sum | Lookup, later: set[str]) -> None:
        """The words for slices of a value; both registers are the memories'.

        Next to the second one are copies of the value's bits that are folded without a table, for each segment of the
        sum: each of these bits has many digits there.
        """
        found = {}
        for table in step.tables:
            address = self.live[table.slice.source][table.slice.low : table.slice.low + table.slice.width]
            found[table.name] = self._word(address, table.words, table.name)
        self._stage(later)
        copies = {}
        if isinstance(after, Sum) and fold.high:
            copies = {n: self._copies(fold.high, f"near_{n}") for n in range(len(after.heap.segments))}
        self._stage(later)
        for segment, values in copies.items():
            name = fold.high[0].source
            whole = self.live[name]
            bits = [whole[k] for k in range(len(whole))]
            for part, value in zip(fold.high, values, strict=True):
                bits[part.low : part.low + part.width] = [value[k] for k in range(len(value))]
            self._near[segment] = {name: Cat(*bits)}
        self.live |= found

    def _copies(self, parts: Sequence[Term], name: str) -> list[Signal]:
        """The bits of parts in the next cycle, in registers of their own."""
        values = (self.live[part.source][part.low : part.low + part.width] for part in parts)
        return [copied(self.m, value, self.p.target, f"{name}_{n}", reset=False) for n, value in enumerate(values)]

    def _word(self, address: Value, words: Sequence[int], name: str) -> Value:
        """The word of a table. Where it takes no more block RAMs, each has the bits of one segment of sums."""
        width, segment = self.p.width, self.p.product.segment
        cut = segment if -(-width // segment) <= -(-width // WIDE) else width
        parts = [(low, min(cut, width - low)) for low in range(0, width, cut)]
        found = list[Value]()
        for low, bits in parts:
            sliced = [word >> low & (1 << bits) - 1 for word in words]
            found.append(constant_words(self.m, address, sliced, bits, self.p.target, f"{name}_{low}"))
        return Cat(*found)

    # --- sums

    def _sum(self, step: Sum, later: set[str]) -> None:
        """Levels and joins of a heap, and what closes it; results go by the step's name, numbered if several."""
        heap, name = step.heap, step.name
        sets = [first_numbers(heap, self.live, addend, self._near) for addend in heap.addends]
        self._near = {}
        for level in range(len(heap.levels.steps)):
            sets = self._hold_each(add_level(self.m, heap, level, sets, name), later)
        for index in range(len(heap.joins) - 1):
            joined = [join(self.m, heap, index, some, f"{name}_join_{index}_{j}") for j, some in enumerate(sets)]
            sets = self._hold_each(joined, later)
        results = [joined_row(heap, sets[0])] if heap.open else self._closed(heap, name, sets, later)
        self.live |= {f"{name}{j or ''}": result for j, result in enumerate(results)}

    def _closed(self, heap: Heap, name: str, sets: Sequence[Sequence[Value]], later: set[str]) -> list[Value]:
        """The binary numbers, one for each constant."""
        closings = [Closing(self.m, heap, f"{name}_{j}") for j in range(len(sets))]
        if len(heap.segments) == 1:
            return [closing.whole(numbers) for closing, numbers in zip(closings, sets, strict=True)]
        values = self._hold_each([c.candidates(numbers) for c, numbers in zip(closings, sets, strict=True)], later)
        if not heap.pairs:
            return [Cat(low, high[:-1]) for low, high in values]
        values = self._hold_each([c.carries(some) for c, some in zip(closings, values, strict=True)], later)
        return self._hold([c.select(some) for c, some in zip(closings, values, strict=True)], later)

    def _hold_each(self, values: Sequence[Sequence[Value]], later: set[str]) -> list[list[Value]]:
        """Values of several results on the other side of a stage; one that results share is held once."""
        shared = {id(value): value for some in values for value in some}
        held = dict(zip(shared, self._hold(list(shared.values()), later), strict=True))
        return [[held[id(value)] for value in some] for some in values]

    def _choose(self) -> Value:
        """The candidate r - j·p that is not negative and has the largest j; 0 when an operand was not reduced."""
        names = [f"reduced{j or ''}" for j in range(self.p.subtractions + 1)]
        candidates = [self.live[name] for name in names]
        if self.p.tables:
            return self._choose_apart(names)
        result = candidates[0][: self.p.width]
        for candidate in candidates[1:]:
            result = Mux(candidate[-1], result, candidate[: self.p.width])
        return Mux(self.live["bad"], 0, result)

    def _choose_apart(self, names: Sequence[str]) -> Value:
        """The same a cycle later, by copies of its number for each segment."""
        last = len(names) - 1
        own = [self.live[name][-1] for name in names[1:]]  # sign j - 1 is that of r - j·p; those that follow are 1
        chosen = [(own[j] if j < last else Const(1, 1)) & ~(own[j - 1] if j else Const(0, 1)) for j in range(last + 1)]
        digits = [Cat(*(c for j, c in enumerate(chosen) if j >> k & 1)).any() for k in range(last.bit_length())]
        starts = range(0, self.p.width, self.p.product.segment)
        number = Cat(*digits, self.live["bad"])
        copies = [copied(self.m, number, self.p.target, f"number_{n}", reset=False) for n in range(len(starts))]
        self._stage({"bad", *names})
        held = [self.live[name] for name in names]
        parts = []
        for copy, start in zip(copies, starts, strict=True):
            end = min(start + self.p.product.segment, self.p.width)
            parts.append(Mux(copy[-1], 0, _selected([value[start:end] for value in held], copy[:-1])))
        return Cat(*parts)


def _selected(values: Sequence[Value], number: Value) -> Value:
    """The value with a number, by its bits; those above the last one are never chosen."""
    for bit in number:
        pairs = [values[n : n + 2] for n in range(0, len(values), 2)]
        values = [Mux(bit, pair[1], pair[0]) if len(pair) > 1 else pair[0] for pair in pairs]
    return values[0]


def _parts(plan: ProductPlan, level: int) -> list[LimbSum]:
    """The sums of up to 2^level limbs that make the factors, in a fixed order."""
    size = 1 << level
    parts = {part: None for pair in plan.contributions for factor in pair for part in _pieces(factor, size)}
    return list(parts)


def _pieces(factor: LimbSum, size: int) -> list[LimbSum]:
    """A factor in halves, until none has more than `size` limbs."""
    if len(factor) <= size:
        return [factor]
    half = len(factor) // 2
    return [*_pieces(factor[:half], size), *_pieces(factor[half:], size)]


def _halves(sums: dict[LimbSum, Value], part: LimbSum) -> Value:
    """A sum of limbs from those of the level before."""
    if part in sums:
        return sums[part]
    low, high = sums[part[: len(part) // 2]], sums[part[len(part) // 2 :]]
    if isinstance(low, Const) and isinstance(high, Const):
        return Const(low.value + high.value)
    return low + high


def _digit(plan: DigitPlan, factor: Value, part: LimbSum) -> Value:
    """A digit of a factor, or the sum of two."""
    digits = [factor[slice(*plan.slice_of(index))] for index in part]
    return digits[0] if len(digits) == 1 else (digits[0] + digits[1])[: plan.bits(part)]


def _reads(step: Multiply | Sum | Lookup) -> set[str]:
    """Names that a step of the datapath reads."""
    if isinstance(step, Lookup):
        return {table.slice.source for table in step.tables}
    if isinstance(step, Sum):
        return {term.source for term in step.heap.terms}
    return {operand[0] for operand in (step.a, step.b) if isinstance(operand, tuple)}
