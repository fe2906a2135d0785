# SPDX-License-Identifier: Apache-2.0
"""Golden model in residues: the formulas modulo P, the ladder's position by its rules.

What leaves is below P, so the representatives of the rowers do not show; `engines.rowers.model` has those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .....contract import Outcome, PayloadValue
from .....engines.rowers.program import CONSTANT, Operation
from .....schedule import Schedule
from ..parameters.residues import ResidueLadderParameters
from ..plan.ladder import Mode, Position, begin, lifted_scalar
from ..plan.residues.formulas import COPIED, GRAPHS, TESTS
from .common import PointModel


class PlainField:
    """Numbers modulo P by name, in the domain in which the rowers have them.

    Attributes
    ----------
    values, flags : dict
    """

    def __init__(self, p: ResidueLadderParameters) -> None:
        self.P, self.out = p.modulus, pow(p.rowers.A.product, -1, p.modulus)
        self.constants = {CONSTANT + name: value for name, value in p.rowers.constants.items()}
        self.values: dict[str, int] = {}
        self.flags: dict[str, int] = {}

    def run(self, operations: Iterable[Operation]) -> None:
        """Run operations in turn; a number that is tested sets its flag."""
        known = self.values | self.constants
        for operation in operations:
            total = 0
            for term in operation.terms:
                product = known[term.x.name(self.flags)] * known[term.y.name(self.flags)]
                total += -product if term.minus else product
            known[operation.name] = self.values[operation.name] = total * self.out % self.P
            if operation.name in TESTS:
                self.flags[TESTS[operation.name]] = int(known[operation.name] == 0)


class ResidueLadderModel(PointModel[PlainField]):
    """Golden model: the outputs of the core bit for bit, and their cycles, the same for every operand.

    Attributes
    ----------
    p : ResidueLadderParameters
    """

    p: ResidueLadderParameters

    def __init__(self, p: ResidueLadderParameters, schedule: Schedule) -> None:
        self.p = p
        self._latency = schedule.latency

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation."""
        given = {name: value for name, value in operands.items() if isinstance(value, int)}
        return Outcome(self.outputs(given | {"m": self.p.modulus}), self._latency)

    def setup(self, given: Mapping[str, int]) -> PlainField:
        """Operands, checks, and the first state."""
        field = PlainField(self.p)
        field.values = {f"p{name}": given[name] for name in "xyab"} | {"unit": 1}
        field.flags = {f"{name}_zero": int(given[name] == 0) for name in "xya"} | {"turned": 0}
        field.run(GRAPHS["set-up"])
        return field

    def scalar(self, given: Mapping[str, int]) -> int:
        """Bits of k' below its first one."""
        return lifted_scalar(given["k"], given["order"], self.p.order_bits)

    def step(self, field: PlainField) -> None:
        """Run a step of the ladder."""
        field.run(GRAPHS["step"])

    def exit(self, field: PlainField, given: Mapping[str, int]) -> tuple[int, int]:
        """Run the inverse, and what follows; affine x and y."""
        del given
        field.run((*GRAPHS["exit"], *GRAPHS["first power"]))
        for at in range(self.p.modulus.bit_length()):
            field.flags["digit"] = self.p.modulus - 2 >> at & 1
            field.run(GRAPHS["power"])
        field.run((*GRAPHS["end"], *GRAPHS["last"]))
        return field.values["ox"], field.values["oy"]

    def _walk(self, field: PlainField, scalar: int) -> Position:
        """Run the steps that count: none while a point is at infinity."""
        flags, values = field.flags, field.values
        fresh = {name: values[f"{name}0"] for name in COPIED}
        position, before, g_zero = begin(False, bool(flags["y_zero"])), False, 0
        values |= fresh
        for at in reversed(range(self.p.order_bits)):
            bit = bool(scalar >> at & 1)
            exchanged = position.exchanged(bit)
            if position.mode is Mode.FRESH:
                values |= fresh
                before, g_zero = False, flags["g0_zero"]
            if position.mode is not Mode.NOTHING:
                flags["turn"] = flags["turned"] = int(exchanged != before)
                self.step(field)
            y_zero = bool(flags["y_zero"])
            position = position.after(bit, g_zero=bool(g_zero), h_zero=bool(flags.get("h_zero", 0)), y_zero=y_zero)
            before, g_zero = exchanged, flags.get("g_zero", 0)
        if position.mode is Mode.FRESH:
            values |= fresh
            before = False
        flags["own"] = int(position.mirror != before)
        return position
