# SPDX-License-Identifier: Apache-2.0
"""The rest of a point multiplier, cycle by cycle, with the operation unit's contract in the unit's place.

Words are operands, expressions, or unknown. What the position and the scalar give is a number in each case, or unknown;
a test of an expression against 0 is a bit of its own, or a number in the case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..decide import UndecidedError
from ..netlist import MEMORY, Cell, Netlist
from ..pieces import Node, Value, constant, function_of, number_of, width_of
from ..powers.forward import Forward
from ..stretches import ACCEPTED, CLOCK, READY, RESET, TAKEN, VALID, payload_inputs
from ..words import Words
from .cut import ADDER, MULTIPLIER, POSITION, PROGRAM, SCALAR, Parts, port
from .cut import WORD as CONTROL
from .expressions import GIVEN, Expressions
from .program import FIELDS, fields_at
from .unit import Contract, Inputs, Unit, UnitState

MODULUS = "m"
INFINITY = "infinity"
SCALARS = ("k", "order")
TESTED = ("$reduce", "$logic", "$eq", "$ne")
"""Starts of the kinds of cells that test words."""
CONSTANTS = (MODULUS, "q", "mu")
"""Operands that the unit gets as they are."""
POSITIONS = ("now", "before", "fresh_now", "fresh", "nothing", "mirror")
TESTS = ("y_zero", "g0_zero", "g_zero", "h_zero")
BANKS = ("x", "y", "x2", "y2")
RESULT, SIGN, NEGATIVE = "chosen", "inv_sign", "negative"
"""Ports of the adder: what leaves the second sum, the sign of U, and that of the first sum."""

Content = tuple[str, object]
"""The word in a register: a number, an expression, whether one is 0 or not, or words of operands."""
NUMBER, WORD, IS_ZERO, NOT_ZERO, RAW = "number", "word", "zero", "not zero", "raw"


def no_test(number: int) -> int | None:
    """None: no test is known."""
    del number
    return None


@dataclass(frozen=True)
class Setting:
    """Facts about a stretch of cycles besides its state.

    Parameters
    ----------
    position : mapping of str to int
        Outputs of the position; others are unknown.
    tests : function of int
        Whether an expression is other than 0; None for a bit of its own.
    sign : int or None
        Sign of the inverse.
    below : mapping of str to int or None
        Whether operands are below the modulus; 1 where they are not named.
    zero_order : int or None
        Whether the order is 0.
    infinity : int or None
        Whether the operand says that the point is at infinity; None for both.
    odd, large : int
        Whether the modulus is odd, and at least 4.
    usable : bool
        Whether the contract of the unit holds: operands are in range.
    """

    position: Mapping[str, int] = field(default_factory=dict[str, int])
    tests: Callable[[int], int | None] = no_test
    sign: int | None = None
    below: Mapping[str, int | None] = field(default_factory=dict[str, "int | None"])
    zero_order: int | None = 0
    infinity: int | None = 0
    odd: int = 1
    large: int = 1
    usable: bool = True


class PointWords(Words):
    """Words, with expressions and tests of them.

    Parameters
    ----------
    expressions : Expressions
    bits : int
        Bits of an operand.

    Attributes
    ----------
    evaluated : dict
        Words of cells by their operands, in any cycle of any machine of one netlist.
    """

    def __init__(self, expressions: Expressions, bits: int) -> None:
        super().__init__()
        self.expressions, self.bits, self.setting = expressions, bits, Setting()
        self._of_node: dict[Node, int] = {}
        self._of_test: dict[Node, int] = {}
        self.evaluated: dict[tuple[object, ...], Value] = {}
        self.modulus = self.node("input", bits - 1, name=f"i_{MODULUS} without its lowest bit")

    def word_of(self, number: int, bits: int) -> Value:
        """An expression as a word of some bits."""
        op, _, name = self.expressions.table[number]
        if op == GIVEN:
            node = self.node("input", self.bits, name=f"i_{name}")
        else:
            node = self.node("input", self.bits + 1, name=f"expression {number}")
        self._of_node[node] = number
        return self.extend(self.whole(node), bits, signed=False)

    def expression_of(self, value: Value) -> int | None:
        """The expression of a word; None for another one."""
        value = value[:-1] if len(value) > 1 and value[-1][:2] == (None, 0) else value
        node, low, bits = next(iter(value), (None, 0, 0))
        number = None if node is None else self._of_node.get(node)
        if len(value) > 1 or number is None or node is None or low:
            return None
        whole = bits == node.width or (self.expressions.bounds[number] == 1 and bits >= self.bits)
        return number if whole else None

    def nonzero(self, value: Value, name: str) -> Value:
        """Test whether some bit is 1."""
        number = self.expression_of(value) if value else None
        if number is not None and self.expressions.bounds[number] == 1:
            known = self.setting.tests(number)
            return constant(known, 1) if known is not None else self.test(number)
        if value == ((self.modulus, 1, self.modulus.width - 1),):
            return constant(self.setting.large, 1)
        return super().nonzero(value, name)

    def test(self, number: int) -> Value:
        """The bit that says whether an expression is other than 0."""
        node = self.node("input", 1, name=f"expression {number} is not 0")
        self._of_test[node] = number
        return self.whole(node)

    def content_of(self, value: Value) -> Content | None:
        """Content of a register with a word; None where that is not known."""
        number = number_of(value)
        if number is not None:
            return NUMBER, number
        expression = self.expression_of(value)
        if expression is not None:
            return WORD, expression
        table, leaves = function_of(value) or (2, (value,))
        leaf = leaves[0][0][0] if len(leaves) == 1 and leaves[0] else None
        test = None if leaf is None else self._of_test.get(leaf)
        if test is not None and width_of(value) == 1 and table in (1, 2):
            return (NOT_ZERO if table == 2 else IS_ZERO), test
        return (RAW, value) if all(self._is_raw(node) for node, _, _ in value) else None

    def _is_raw(self, node: Node | None) -> bool:
        return node is None or (node.op == "input" and node not in self._of_node and node not in self._of_test)

    def value_of(self, content: Content | None, bits: int, name: str) -> Value:
        """The word of a register that holds something."""
        kind, what = content or ("", None)
        if kind == RAW:
            return what  # pyright: ignore[reportReturnType]
        if not isinstance(what, int):
            return self.unknown(name, bits)
        if kind == NUMBER:
            return constant(what, bits)
        if kind == WORD:
            return self.word_of(what, bits)
        known = self.setting.tests(what)
        bit = self.test(what) if known is None else constant(known, 1)
        return bit if kind == NOT_ZERO else self.invert(bit, name)


Place = tuple[str, int, int]
"""A register, or a word of a memory, by its source and number."""


@dataclass(frozen=True)
class State:
    """Contents of registers, memories and the unit; others are not known."""

    contents: Mapping[Place, Content]
    unit: UnitState

    def replaced(self, changes: Mapping[Place, Content | None]) -> State:
        """The state with other contents in some places."""
        both = {**self.contents, **changes}
        return State({place: content for place, content in both.items() if content is not None}, self.unit)


class Machine(Forward):
    """The rest and the unit, from a state.

    Parameters
    ----------
    parts : Parts
    contract : Contract
    words : PointWords
        Shared by the machines whose states are compared; their setting is that of the machine made last.
    state : State
    setting : Setting
    """

    def __init__(self, parts: Parts, contract: Contract, words: PointWords, state: State, setting: Setting) -> None:
        netlist, self.parts, self._fields = parts.rest, parts, dict[str, int]()
        expressions, bits = words.expressions, words.bits
        words.setting, self.setting, self.expressions = setting, setting, expressions
        for name in operands_of(netlist):
            if name not in CONSTANTS and netlist.widths[netlist.inputs[f"i_{name}"]] == bits:
                words.word_of(expressions.make(GIVEN, name=name), bits)
        start = {
            cell.out: words.value_of(state.contents.get(("register", cell.out, 0)), netlist.widths[cell.out], "before")
            for cell in netlist.registers
        }
        super().__init__(netlist, start, words)
        for cell in netlist.memories:
            width = cell.parameters["WIDTH"]
            self._contents[cell.out] = [
                words.value_of(state.contents.get(("memory", cell.out, k)), width, "a word from before")
                for k in range(cell.parameters["SIZE"])
            ]
        self.point_words = words
        sign = "-" if setting.sign else ""
        self.unit = Unit(contract, expressions, state.unit, sign)
        self.macs = len(state.unit.flights)
        self.give(
            {RESET: constant(0, 1)} | {port(POSITION, n): self._known(setting.position.get(n)) for n in POSITIONS}
        )
        self.give({port(SCALAR, "zero"): self._known(setting.zero_order)})
        self.withdraw()
        self._constants = {name: self._operand(name) for name in CONSTANTS if name in operands_of(netlist)}

    def _evaluated(self, cell: Cell) -> Value:
        """The word of a cell, which is that of the same operands before unless the cell tests one."""
        if cell.kind == MEMORY or cell.kind.startswith(TESTED):
            return super()._evaluated(cell)
        key = cell.out, *(self._port(runs, 0) for runs in cell.ports.values())
        found = self.point_words.evaluated.get(key)
        if found is None:
            found = self.point_words.evaluated[key] = super()._evaluated(cell)
        return found

    # --- cycles

    def offer(self) -> None:
        """Put operands at the input ports."""
        self.give({f"i_{name}": self._operand(name) for name in operands_of(self.netlist)})

    def withdraw(self) -> None:
        """Put operands of another operation at the input ports."""
        for name in operands_of(self.netlist):
            self.give({f"i_{name}": self.words.unknown(f"{name} of another operation", self._width(f"i_{name}"))})

    def _operand(self, name: str) -> Value:
        words = self.point_words
        if name == MODULUS:
            return words.join([*constant(self.setting.odd, 1), *words.whole(words.modulus)])
        if name == INFINITY and self.setting.infinity is not None:
            return constant(self.setting.infinity, 1)
        return words.whole(words.node("input", self._width(f"i_{name}"), name=f"i_{name}"))

    def cycle(self, word: int, *, ready: int = 0, valid: int | None = None, taken: int | None = None) -> None:
        """All words of a cycle; `valid` and `taken` are the handshakes from outside."""
        self._fields = fields_at(self.parts.fields, word)
        given = {port(PROGRAM, CONTROL): constant(word, self._width(port(PROGRAM, CONTROL)))}
        given |= {port(PROGRAM, "ready"): constant(ready, 1), VALID: self._known(valid), READY: self._known(taken)}
        tested = self.unit.state.tested
        given[port(ADDER, NEGATIVE)] = self._negative(tested)
        given[port(ADDER, SIGN)] = self._known(self.setting.sign if self.unit.state.signed else None)
        self.give(given)
        self.settle()
        result = self.unit.result(self._fields.get("inverse", 0)) if self.setting.usable else None
        width = self._width(port(ADDER, RESULT))
        left = self.words.unknown("no result", width) if result is None else self.point_words.word_of(result, width)
        self.give({port(ADDER, RESULT): left})
        self.settle()

    def starts(self) -> bool:
        """Whether the program and the scalar start in this cycle, and the scalar gets scalar and order."""
        signals = ("start", "begin", "reduce", RESET, CLOCK)
        mine = [name for name in self.netlist.outputs if name.startswith(f"{SCALAR}.")]
        data = [self.at(name) for name in mine if name.rpartition(".")[2] not in signals]
        given = sorted((piece for value in data for piece in value), key=str)
        due = sorted((piece for name in SCALARS for piece in self._operand(name)), key=str)
        return given == due and self.bit(port(PROGRAM, "start")) == 1

    def next(self) -> None:
        """The state of the next cycle."""
        names = [*FIELDS, *(f"{name}_{k}" for k in range(self.macs) for name in ("start", "kind"))]
        fields = {name: self._fields.get(name, 0) for name in names}
        words = {name: self._expression(port(ADDER, name)) for name in ("read", "filled")}
        for k in range(self.macs):
            words |= {f"{bank}_{k}": self._expression(port(f"{MULTIPLIER}{k}", bank)) for bank in BANKS}
        self.unit.clock(Inputs(fields, words))
        self.clock()

    def run(self, words: Sequence[int], at: int = -1) -> dict[str, Content | None]:
        """Some cycles of an operation, in which no operands are accepted and no result is valid; the tests that the
        position gets in one of them."""
        found: dict[str, Content | None] = {}
        for number, word in enumerate(words):
            self.cycle(word)
            if self.bit(ACCEPTED) != 0 or self.bit(TAKEN) != 0 or self.bit(port(PROGRAM, "start")) != 0:
                raise UndecidedError("operands are accepted, or a result is valid, in an operation")
            self._check_modulus()
            if number == at:
                found = {name: self.content(port(POSITION, name)) for name in TESTS}
            self.next()
        return found

    def state(self) -> State:
        """The contents of all places."""
        found: dict[Place, Content] = {}
        for cell in self.netlist.registers:
            content = self.point_words.content_of(self.now[cell.out])
            if content is not None:
                found["register", cell.out, 0] = content
        for out, words in self._contents.items():
            for place, word in enumerate(words):
                content = self.point_words.content_of(word)
                if content is not None:
                    found["memory", out, place] = content
        return State(found, self.unit.state)

    # --- ports

    def at(self, name: str) -> Value:
        """The word at an output of the rest."""
        return self.port(self.netlist.outputs[name], 0)

    def bit(self, name: str) -> int | None:
        """The number at an output."""
        return number_of(self.at(name))

    def content(self, name: str) -> Content | None:
        """The content of an output, as if it were a register."""
        return self.point_words.content_of(self.at(name))

    def _check_modulus(self) -> None:
        """Check that the unit has the modulus of the operation, and its constants."""
        for instance in (ADDER, *(f"{MULTIPLIER}{k}" for k in range(self.macs))):
            for name in CONSTANTS:
                runs = self.netlist.outputs.get(port(instance, name))
                if runs is not None and self.setting.usable and self.port(runs, 0) != self._constants.get(name):
                    raise UndecidedError(f"{name} of the operation unit is not that of the operation")

    def _width(self, name: str) -> int:
        return self.netlist.widths[self.netlist.inputs[name]]

    def _known(self, bit: int | None) -> Value:
        return self.words.unknown("a bit of another kind", 1) if bit is None else constant(bit, 1)

    def _negative(self, tested: int | None) -> Value:
        """The sign of the first sum, which tests an operand."""
        op, _, name = self.expressions.table[tested] if tested is not None else ("", (), "")
        return self._known(self.setting.below.get(name, 1) if op == GIVEN else None)

    def _expression(self, name: str) -> int | None:
        if name not in self.netlist.outputs:
            return None
        value = self.at(name)
        return self.point_words.expression_of(value) if value else None


def operands_of(netlist: Netlist) -> list[str]:
    """Names of the operands."""
    inside = (ADDER, MULTIPLIER, PROGRAM, POSITION, SCALAR)
    names = [name for name in payload_inputs(netlist) if not name.startswith(inside)]
    return [name.removeprefix("i_") for name in names]
