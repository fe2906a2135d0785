# SPDX-License-Identifier: Apache-2.0
"""Data-flow graphs of modular arithmetic, written as formulas, one operation a line.

    L   = YQ * YR            product
    H   = YR ^ 2             square
    U   = t ** H             product with a short number, on a machine that takes fewer steps for it
    P   = u *~ D             product with a factor of one digit less than that
    Q   = u *: F             the same in integers: the product without its lowest digits, as many as u has
    R   = u *. M             product of the lowest digits of u, as many as such a factor has, in integers, whole
    u   = given              a number that hardware around the program gives
    W   = A * B + C * D      sum of two products, reduced to less than twice the modulus only
    f   = u *: F N + v *: G P    row of a matrix in integers, without the lowest limb; N = -F and P = -G
    d   = u *~ D N + v *~ E P    the same modulo the modulus
    X   = reduce W           to less than the modulus
    J   = X - L              difference; + is the sum
    J   = X -. L             difference of what the words hold, without a lift
    I   = inverse D          the modulus's field inverse, 0 of 0
    one = 1                  the number 1
    zero H as h_zero         the flag h_zero says whether H is 0
    below X as x_range       the flag x_range says whether X is below the modulus
    mark decide              a control signal
    out X as x               a result leaves
    take F as f              the hardware around takes the lowest digits
    run steps                it works

An operand is the name of a value, or `flag?u:v`: v where the flag is set, else u; or `number?t:u:v:w`, one of four.
Every operation may read what an earlier line has made, the inputs of the graph, and nothing else. `after NAME` at the
end of a line delays it until the line that makes the value or flag, or gives the mark, NAME.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

PRODUCT, SQUARE, SUM = "product", "square", "sum"
SCALE = "scale"
FACTOR, INTEGER, WHOLE = "factor", "integer", "whole"
ADD, SUBTRACT, REDUCE, INVERSE, ONE = "add", "subtract", "reduce", "inverse", "one"
ZERO, BELOW, MARK, OUT = "zero", "below", "mark", "out"
GIVEN, TAKE, RUN = "given", "take", "run"
LINEAR, RESIDUE, DIFFERENCE = "linear", "residue", "difference"

MULTIPLICATIONS = (PRODUCT, SQUARE, SUM, SCALE, FACTOR, INTEGER, WHOLE, LINEAR, RESIDUE)
LOOKS = (ZERO, OUT, MARK, GIVEN, TAKE, RUN)
"""Kinds that pass neither a multiplier nor the adder."""
WITHOUT_VALUE = (ZERO, BELOW, MARK, OUT, TAKE, RUN)
"""Kinds that write no word."""


@dataclass(frozen=True)
class Operand:
    """A value, or one of two by a flag, or one of four by a number.

    Parameters
    ----------
    value : str
        The value; with a flag, the one that counts while the flag is not set.
    flag : str
        Empty where there is no choice.
    other : str
        The value that counts while the flag is set.
    more : tuple of str
        The values for the numbers 2 and 3, where `flag` is a number.
    """

    value: str
    flag: str = ""
    other: str = ""
    more: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Operand:
        """Parse `name`, `flag?u:v` or `number?t:u:v:w`."""
        flag, question, values = text.partition("?")
        if not question:
            return cls(text)
        value, other, *more = values.split(":")
        return cls(value, flag, other, tuple(more))

    @property
    def values(self) -> tuple[str, ...]:
        """Values that the operand may be."""
        return (self.value, self.other, *self.more) if self.flag else (self.value,)

    def __str__(self) -> str:
        return f"({self.flag}?{':'.join(self.values)})" if self.flag else self.value


@dataclass(frozen=True)
class Operation:
    """One line.

    Parameters
    ----------
    name : str
        The value that it makes, or the flag, mark or result.
    kind : str
        One of the constants above.
    operands : tuple of Operand
    after : str
        Name of an operation that comes first though nothing of it is read; empty without one.
    """

    name: str
    kind: str
    operands: tuple[Operand, ...]
    after: str = ""

    @property
    def makes_value(self) -> bool:
        """True where a word is written."""
        return self.kind not in WITHOUT_VALUE

    @property
    def text(self) -> str:
        """Text of the operation as a formula."""
        names = [str(operand) for operand in self.operands]
        return {
            PRODUCT: lambda: f"{self.name} = {names[0]}·{names[1]}",
            SQUARE: lambda: f"{self.name} = {names[0]}²",
            SCALE: lambda: f"{self.name} = {names[0]}·{names[1]}, short",
            FACTOR: lambda: f"{self.name} = {names[0]}·{names[1]}, short",
            INTEGER: lambda: f"{self.name} = {names[0]}·{names[1]} in integers, without the lowest digits",
            WHOLE: lambda: f"{self.name} = {names[0]}·{names[1]} in integers",
            GIVEN: lambda: f"{self.name} comes in",
            SUM: lambda: f"{self.name} = {names[0]}·{names[1]} + {names[2]}·{names[3]}",
            LINEAR: lambda: f"{self.name} = {names[0]}·{names[1]} + {names[3]}·{names[4]} in integers, a row",
            RESIDUE: lambda: f"{self.name} = {names[0]}·{names[1]} + {names[3]}·{names[4]}, a row",
            ADD: lambda: f"{self.name} = {names[0]} + {names[1]}",
            SUBTRACT: lambda: f"{self.name} = {names[0]} - {names[1]}",
            DIFFERENCE: lambda: f"{self.name} = {names[0]} - {names[1]} in words",
            REDUCE: lambda: f"{self.name} = {names[0]} mod m",
            INVERSE: lambda: f"{self.name} = 1 / {names[0]}",
            ONE: lambda: f"{self.name} = 1",
            ZERO: lambda: f"{self.name}: {names[0]} = 0",
            BELOW: lambda: f"{self.name}: {names[0]} < m",
            MARK: lambda: self.name,
            OUT: lambda: f"{self.name} leaves: {names[0]}",
            TAKE: lambda: f"lowest digits of {names[0]}: {self.name}",
            RUN: lambda: self.name,
        }[self.kind]()


@dataclass(frozen=True)
class Graph:
    """Formulas in an order in which every operand is made before it is read.

    Parameters
    ----------
    name : str
    inputs : tuple of str
        Values that are defined at the start.
    flags : tuple of str
        Flags that are defined at the start, or come from the hardware around.
    operations : tuple of Operation
    """

    name: str
    inputs: tuple[str, ...]
    flags: tuple[str, ...]
    operations: tuple[Operation, ...]

    def __post_init__(self) -> None:
        known = set(self.inputs)
        names: set[str] = set()
        for operation in self.operations:
            missing = {value for operand in operation.operands for value in operand.values} - known
            if missing:
                raise ValueError(f"{self.name}: {operation.name} reads {', '.join(sorted(missing))} too early")
            if operation.name in known | names:
                raise ValueError(f"{self.name}: {operation.name} is made twice")
            if operation.after and operation.after not in known | names:
                raise ValueError(f"{self.name}: {operation.name} comes after {operation.after}, which does not exist")
            names.add(operation.name)
            if operation.makes_value:
                known.add(operation.name)

    @cached_property
    def by_name(self) -> Mapping[str, Operation]:
        """Every operation by what it makes."""
        return {operation.name: operation for operation in self.operations}

    @property
    def values(self) -> tuple[str, ...]:
        """Inputs, then all that is made."""
        return (*self.inputs, *(operation.name for operation in self.operations if operation.makes_value))

    def readers(self, value: str) -> tuple[Operation, ...]:
        """The operations that may read a value."""
        return tuple(
            operation for operation in self.operations if any(value in operand.values for operand in operation.operands)
        )


def parse_graph(name: str, text: str, inputs: Iterable[str], flags: Iterable[str] = ()) -> Graph:
    """A graph from its formulas; empty lines and what follows a # do not count."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return Graph(name, tuple(inputs), tuple(flags), tuple(_operation(line) for line in lines if line))


def _operation(words: list[str]) -> Operation:
    after = ""
    if len(words) > 2 and words[-2] == "after":
        after = words[-1]
        words = words[:-2]
    match words:
        case ["zero" | "below" | "out" | "take" as kind, value, "as", name]:
            return Operation(name, kind, (Operand.parse(value),), after)
        case ["mark" | "run" as kind, name]:
            return Operation(name, kind, (), after)
        case [name, "=", "given"]:
            return Operation(name, GIVEN, (), after)
        case [name, "=", "1"]:
            return Operation(name, ONE, (), after)
        case [name, "=", "reduce" | "inverse" as kind, value]:
            return Operation(name, kind, (Operand.parse(value),), after)
        case [name, "=", value, "^", "2"]:
            return Operation(name, SQUARE, (Operand.parse(value),), after)
        case [name, "=", one, "*" | "**" | "*~" | "*:" | "*." | "+" | "-" | "-." as sign, other]:
            products = {"*": PRODUCT, "**": SCALE, "*~": FACTOR, "*:": INTEGER, "*.": WHOLE}
            kind = {**products, "+": ADD, "-": SUBTRACT, "-.": DIFFERENCE}[sign]
            return Operation(name, kind, (Operand.parse(one), Operand.parse(other)), after)
        case [name, "=", u, "*:" | "*~" as sign, f, f_less, "+", v, same, g, g_less] if same == sign:
            kind = {"*:": LINEAR, "*~": RESIDUE}[sign]
            return Operation(name, kind, tuple(map(Operand.parse, (u, f, f_less, v, g, g_less))), after)
        case [name, "=", a, "*", b, "+", c, "*", d]:
            return Operation(name, SUM, tuple(map(Operand.parse, (a, b, c, d))), after)
    raise ValueError(f"not a formula: {' '.join(words)}")
