# SPDX-License-Identifier: Apache-2.0
"""The pipelined binary multiplier: one product a cycle.

Stage k of the schedule is what lies in front of the registers of cycle k + 1. Modulo 61:

    cycle    step                            register that holds the value from this cycle on
    1        xy factors                      factors of the blocks
    2        xy tree 0                       products of the blocks
    3        product level 0                 rows of x·y
    4        product level 1, fold0 level 0  x·y; rows of its fold
    5        fold0 level 1                   x·y folded
    6        reduced level 0                 that minus the multiples of p
    7        choice                          result queue: z, below p
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from .....plan.pipeline import place_registers
from .....rtl.control import StreamCore, datapath_members
from .....rtl.multiplier import TiledMultiplier
from .....rtl.pipeline import delayed
from .....schedule import Schedule
from ..parameters.pipelined import BinaryParameters, Multiply, Sum
from ..plan.product import REFERENCE, LimbSum, ProductPlan
from ..schedule.pipelined import multiplier_delays, registers_of, stages_of
from .adders import add_rows, candidates, first_rows, join, pack, select, split
from .comparison import above_or_equal, compare


class BinaryDatapath(wiring.Component):
    """x·y mod p without streams: a product a cycle, each the schedule's latency - 1 cycles after its operands.

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
"""Values that run next to the datapath: comparisons with p, and what follows from them."""


class Pipeline:
    """Writer of the stages of the schedule into a module, with a register wherever the schedule has one.

    `live` holds the values that a later stage reads; each register holds all of them.
    """

    def __init__(self, m: Module, p: BinaryParameters) -> None:
        self.m, self.p = m, p
        self.live: dict[str, Value] = {}
        stages = zip(stages_of(p), registers_of(p), strict=True)
        self._registers: Iterator[int] = iter([register for _, register in stages])
        self._cycle = 0

    def build(self, x: Value, y: Value) -> tuple[Value, Value]:
        """Result and error, in the cycle before the queue."""
        self.live = {"x": x, "y": y, "check_x": compare(x, self.p.modulus), "check_y": compare(y, self.p.modulus)}
        for index, step in enumerate(self.p.datapath):
            later = {name for after in self.p.datapath[index + 1 :] for name in _reads(after)} | {
                "check_x",
                "check_y",
                "bad",
            }
            if isinstance(step, Multiply):
                self._multiply(step, later)
            else:
                self._sum(step, later)
        return self._choose(), self.live["bad"]

    def _stage(self, keep: set[str]) -> None:
        """End of a stage: what is not kept is dropped, and a register holds the rest where the schedule has one."""
        self.live = {name: value for name, value in self.live.items() if name in keep}
        if not next(self._registers):
            return
        self._cycle += 1
        for name, value in self.live.items():
            held = Signal(len(value), name=f"{name}_at_{self._cycle}", reset_less=True)
            self.m.d.sync += held.eq(value)
            self.live[name] = held

    # --- products

    def _multiply(self, step: Multiply, later: set[str]) -> None:
        """Products of the plan's factors; the register in front of the blocks is theirs."""
        m, plan = self.m, step.plan
        a = self._factors(plan, self._operand(plan, step.a), f"{step.name}_a")
        b = self._factors(plan, self._operand(plan, step.b), f"{step.name}_b")
        self._stage(later)
        if "check_x" in self.live:
            self.live["bad"] = above_or_equal(self.live.pop("check_x")) | above_or_equal(self.live.pop("check_y"))
        inside = [next(self._registers) for _ in multiplier_delays(plan, REFERENCE)]
        self.live = {name: delayed(m, v, sum(inside), f"{name}_beside_{step.name}") for name, v in self.live.items()}
        registers = self._unit_registers(plan, inside)
        for n, (left, right) in enumerate(plan.contributions):
            m.submodules[f"{step.name}_{n}"] = unit = TiledMultiplier(plan.tiling(self.p.target), registers)
            m.d.comb += [unit.a[0].eq(a[left]), unit.b[0].eq(b[right])]
            self.live[f"{step.name}{n}"] = unit.p

    def _unit_registers(self, plan: ProductPlan, inside: Sequence[int]) -> tuple[int, ...]:
        """The schedule's registers; for another target than the reference as many, where its own tree wants them."""
        if self.p.target == REFERENCE:
            return tuple(inside)
        return place_registers(multiplier_delays(plan, self.p.target), sum(inside), tail=0.0)

    def _operand(self, plan: ProductPlan, operand: tuple[str, int] | int) -> Value:
        if isinstance(operand, int):
            return Const(operand, plan.width)
        source, low = operand
        bits = self.live[source][low : low + plan.width]
        return Cat(bits, Const(0, plan.width - len(bits)))

    def _factors(self, plan: ProductPlan, operand: Value, name: str) -> dict[LimbSum, Signal]:
        """The limb sums that the plan multiplies; each < 2^factor."""
        parts = {part: None for pair in plan.contributions for part in pair}  # a dict keeps the order
        factors = {}
        for part in parts:
            factors[part] = factor = Signal(plan.factor, name="_".join([name, *map(str, part)]))
            limbs = [operand[slice(*plan.limb_slice(index))] for index in part]
            self.m.d.comb += factor.eq(sum(limbs[1:], limbs[0]))
        return factors

    # --- sums

    def _sum(self, step: Sum, later: set[str]) -> None:
        """Levels, candidates and selection of a heap; the results go by the step's name, numbered if several."""
        heap, m, name = step.heap, self.m, step.name
        rows = first_rows(heap, self.live)
        for level, groups in enumerate(heap.levels):
            n = len(groups)
            totals = [add_rows(m, heap, rows[g::n], 0, f"{name}_{level}_{g}") for g in range(n)]
            if level == len(heap.levels) - 1:
                totals = [add_rows(m, heap, rows, addend, f"{name}_last_{j}") for j, addend in enumerate(heap.addends)]
            held = self._hold([pack(t) for t in totals], later)
            rows = [split(heap, value, t) for value, t in zip(held, totals, strict=True)]
        if heap.candidates:
            pairs = self._hold([candidates(m, heap, row, f"{name}_sum_{j}") for j, row in enumerate(rows)], later)
            results = [select(heap, value) for value in pairs]
        else:
            results = [join(heap, row) for row in rows]
        if heap.select:
            results = self._hold(results, later)
        self.live |= {f"{name}{j or ''}": result for j, result in enumerate(results)}

    def _hold(self, values: list[Value], later: set[str]) -> list[Value]:
        """The values on the other side of a stage."""
        names = [f"partial_{n}" for n in range(len(values))]
        self.live |= dict(zip(names, values, strict=True))
        self._stage(later | set(names))
        return [self.live.pop(name) for name in names]

    def _choose(self) -> Value:
        """The candidate r - j·p that is not negative and has the largest j; 0 when an operand was not reduced."""
        result = self.live["reduced"][: self.p.width]
        for j in range(1, self.p.subtractions + 1):
            candidate = self.live[f"reduced{j}"]
            result = Mux(candidate[-1], result, candidate[: self.p.width])
        return Mux(self.live["bad"], 0, result)


def _reads(step: Multiply | Sum) -> set[str]:
    """Names that a step of the datapath reads."""
    if isinstance(step, Sum):
        return {term.source for term in step.heap.terms}
    return {operand[0] for operand in (step.a, step.b) if isinstance(operand, tuple)}
