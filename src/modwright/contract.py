# SPDX-License-Identifier: Apache-2.0
"""The contract that every core keeps, as types.

A core is five functions and a codec (`Core`). `derive` turns a request into frozen parameters that carry a
`Certificate`; `schedule` turns parameters into the one source of control, cycle counts and pictures; `model`
and `build` read both and never each other. Payloads are described once (`Payload`), as plain integers: the
RTL, the model, the simulators and the pictures all read that description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from .operands import Reading, Residues, Unpromised

if TYPE_CHECKING:
    from amaranth.hdl import Module, Value
    from amaranth.lib.wiring import Component

    from .quantities import Extremes
    from .request import Request
    from .schedule import Schedule

PayloadValue = int | tuple[int, ...]
"""The value of a payload field: an integer, or a tuple for a field with `count` > 1."""


@dataclass(frozen=True)
class Field:
    """One field of a stream payload.

    Parameters
    ----------
    name : str
        Field name, a Verilog identifier.
    width : int
        Bits of one element.
    count : int
        Number of elements; an element array is packed least significant first.
    bound : int
        Every element is < bound (an integer ≤ 2^width); 0 stands for 2^width.
    note : str
        What the field holds and its range in words, for the datasheet.
    """

    name: str
    width: int
    count: int = 1
    bound: int = 0
    note: str = ""

    @property
    def bits(self) -> int:
        """Bits of the whole field."""
        return self.width * self.count

    @property
    def limit(self) -> int:
        """Exclusive upper bound of an element."""
        return self.bound or (1 << self.width)


@dataclass(frozen=True)
class Payload:
    """An ordered set of fields; the first field occupies the least significant bits."""

    fields: tuple[Field, ...]

    @cached_property
    def width(self) -> int:
        """Bits of the whole payload."""
        return sum(f.bits for f in self.fields)

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Least significant bit of each field."""
        result, at = {}, 0
        for f in self.fields:
            result[f.name] = at
            at += f.bits
        return result

    def __getitem__(self, name: str) -> Field:
        return next(f for f in self.fields if f.name == name)

    def pack(self, values: Mapping[str, PayloadValue]) -> int:
        """Pack field values into one integer of `width` bits; ValueError if one does not fit."""
        word = 0
        at = 0
        for f in self.fields:
            value = values[f.name]
            elements = (value,) if isinstance(value, int) else value
            if len(elements) != f.count:
                raise ValueError(f"{f.name}: {len(elements)} elements, {f.count} declared")
            for element in elements:
                if element < 0 or element >> f.width:
                    raise ValueError(f"{f.name}: {element:#x} does not fit {f.width} bits")
                word |= element << at
                at += f.width
        return word

    def unpack(self, word: int) -> dict[str, PayloadValue]:
        """Inverse of `pack`."""
        result: dict[str, PayloadValue] = {}
        for f in self.fields:
            mask = (1 << f.width) - 1
            elements = []
            for _ in range(f.count):
                elements.append(word & mask)
                word >>= f.width
            result[f.name] = elements[0] if f.count == 1 else tuple(elements)
        return result

    def out_of_bounds(self, values: Mapping[str, PayloadValue]) -> list[str]:
        """Names of the fields with an element at or above its declared bound."""
        bad = []
        for f in self.fields:
            value = values[f.name]
            elements = (value,) if isinstance(value, int) else value
            if any(element >= f.limit for element in elements):
                bad.append(f.name)
        return bad


@dataclass(frozen=True)
class Inequality:
    """One condition of a certificate: left `relation` right, in exact numbers.

    Parameters
    ----------
    name : str
        Short identifier, stable across versions.
    rule : str
        The condition in symbols, as a reader checks it.
    left, right : int or Fraction
        Its two sides.
    relation : str
        One of ``<``, ``<=``, ``=``, ``>=``, ``>``.
    why : str
        What breaks when it fails, and the source.
    stronger : str
        Why the condition is stronger than needed, or implied by another one; empty where operands go wrong as soon as
        it fails (tests/certificates has them).
    """

    name: str
    rule: str
    left: int | Fraction
    relation: str
    right: int | Fraction
    why: str = ""
    stronger: str = ""

    @property
    def holds(self) -> bool:
        """Whether the condition is true."""
        left, right = self.left, self.right
        return {
            "<": left < right,
            "<=": left <= right,
            "=": left == right,
            ">=": left >= right,
            ">": left > right,
        }[self.relation]

    @property
    def slack(self) -> int | Fraction:
        """Distance between the two sides, positive when there is room (0 for an equality)."""
        return self.right - self.left if self.relation.startswith("<") else self.left - self.right


def exact_text(value: int | Fraction) -> str:
    """Decimal text of a number of any length: str() refuses integers of more than 4300 digits, `Decimal` does not."""
    above, below = str(Decimal(value.numerator)), str(Decimal(value.denominator))
    return above if below == "1" else f"{above}/{below}"


@dataclass(frozen=True)
class Certificate:
    """The inequalities that make one set of parameters correct."""

    inequalities: tuple[Inequality, ...]

    @property
    def failing(self) -> Inequality | None:
        """The first inequality that does not hold."""
        return next((i for i in self.inequalities if not i.holds), None)

    def to_json(self) -> list[dict[str, str]]:
        """Rows for report.json, numbers as exact strings."""
        return [
            {
                "name": i.name,
                "rule": i.rule,
                "left": exact_text(i.left),
                "relation": i.relation,
                "right": exact_text(i.right),
                "slack": exact_text(i.slack),
                "holds": "yes" if i.holds else "no",
                "why": i.why,
                "stronger": i.stronger,
            }
            for i in self.inequalities
        ]


class Parameters(Protocol):
    """What every family's frozen parameter class offers."""

    @property
    def certificate(self) -> Certificate:
        """The inequalities, all of which hold."""
        ...

    @property
    def i(self) -> Payload:
        """Payload of the input stream."""
        ...

    @property
    def o(self) -> Payload:
        """Payload of the output stream; has a field `error` (0 = none)."""
        ...

    @property
    def modulus(self) -> int | None:
        """The modulus built in, or None when it is a run-time operand."""
        ...

    def describe(self) -> dict[str, Any]:
        """Every constant, as plain values: what `modwright params` prints and the digest covers."""
        ...


@dataclass(frozen=True)
class Outcome:
    """What a model says of one operation."""

    payload: dict[str, PayloadValue]
    """The output payload, bit for bit."""
    cycles: int
    """Clocks from the input transfer to the first clock with the result valid, with the output never full."""


class Model(Protocol):
    """Golden model: what the core outputs, bit for bit, and when."""

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation on an input payload."""
        ...


class Codec(Protocol):
    """Between plain values (what vector files hold) and a core's own representation."""

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Plain operands to an input payload; ValueError when an operand cannot be represented."""
        ...

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The contract's reading of an input payload, from the declared bounds in plain integers; None where it
        promises nothing. The inverse of `encode`, for every payload and not only for those that `encode` makes."""
        ...

    def draw(self, rng: Random, case: Mapping[str, Any]) -> dict[str, PayloadValue]:
        """A payload drawn over the whole contract: every representative of an operand, uniform, at its bound and just
        below, and above where that is reported. `case`, plain, is where modulus and curve come from."""
        ...

    def decode(self, payload: Mapping[str, PayloadValue]) -> dict[str, Any]:
        """Output payload to plain results: the function's result names, and `error` (None or a name).

        A result beyond its bound has an error of a name that no reading states, such as "bound".
        """
        ...

    def edges(self) -> Mapping[str, Mapping[str, int]]:
        """Named plain edge cases, the core's own must-test values included."""
        ...

    def feedback(self) -> Sequence[tuple[str, str]]:
        """(output field, input field) pairs of equal shape through which results chain; may be empty."""
        ...


@runtime_checkable
class Narrow(Protocol):
    """A codec whose operands may be narrower than the function's."""

    def fit(self, case: Mapping[str, Any]) -> Mapping[str, Any]:
        """A case like this one that `encode` takes."""
        ...


@runtime_checkable
class Residual(Protocol):
    """A codec some of whose operands are integers in residues."""

    def residues(self) -> Sequence[Residues]:
        """The integers, and where their residues stand in the input payload."""
        ...


@runtime_checkable
class Conditional(Protocol):
    """A codec with fields that have to belong together."""

    def unpromised(self) -> Sequence[Unpromised]:
        """Payloads of which it promises nothing, as far as a few fields say so."""
        ...


@dataclass(frozen=True)
class Option:
    """One option of a core, the same in YAML, on the command line and in Python."""

    name: str
    kind: type
    """int, str or bool."""
    default: Any
    """The value when nothing is said; None when `derive` chooses."""
    help: str
    choices: tuple[Any, ...] = ()
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class Montgomery:
    """The domain of a multiplier whose modulus M is an operand: z = x·y / 2^T modulo M.

    Parameters
    ----------
    T : int
        Operands and result stand for their value times 2^-T.
    guard : int
        K: the operand `m` of the multiplier is 2^-K mod M; 0 where it is M itself.
    domain : int
        With K = 0, operands and result are below domain·M. With K > 0, they are below 2^(K+1)·m.
    """

    T: int
    guard: int = 0
    domain: int = 2


@dataclass(frozen=True)
class Distribution:
    """Mean, variance and range of a count, exact."""

    mean: Fraction
    variance: Fraction
    least: int
    most: int


CLOCKS = "clocks"
"""Name of the statistic that counts the clocks of an operation themselves."""


@dataclass(frozen=True)
class Count:
    """A count that is taken along with a statistic.

    Parameters
    ----------
    name : str
        What is counted.
    published : tuple of (str, Fraction)
        Means that papers state: where, and the value.
    """

    name: str
    published: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True)
class Statistic:
    """A count that follows from operands, such as the digits of a multiplier, over operands drawn at random.

    Parameters
    ----------
    name : str
        What is counted.
    operands : str
        How they are drawn.
    draw : callable
        The count of one operation, by the model, with operands from a random generator; where others are taken along,
        all of them in order.
    clocks : int
        Clocks that each adds to an operation; the schedule's latency is that of the largest count.
    exact : Distribution or None
        What theory says, None when it says nothing.
    bound : int or None
        The largest count, where theory says no more than that.
    published : tuple of (str, Fraction)
        Means that papers state: where, and the value.
    batch : int
        Operations that are drawn and kept together: some seconds of work, which is what an interruption loses.
    also : tuple of Count
        What else is counted in the same operations.
    """

    name: str
    operands: str
    draw: Callable[[Random], int | tuple[int, ...]]
    clocks: int
    exact: Distribution | None = None
    published: tuple[tuple[str, Fraction], ...] = ()
    batch: int = 2000
    also: tuple[Count, ...] = ()
    bound: int | None = None

    @property
    def largest(self) -> int | None:
        """The count of which the schedule's latency is; None where it is not known."""
        return self.bound if self.exact is None else self.exact.most


@dataclass(frozen=True)
class Core:
    """One registered architecture: the only thing that the rest of Modwright knows of it."""

    name: str
    """`function/architecture`."""
    summary: str
    """One line."""
    source: str
    """The paper, section or algorithm it follows; "Modwright" for our own."""
    options: tuple[Option, ...]
    derive: Callable[[Request], Any]
    schedule: Callable[[Any], Schedule]
    model: Callable[[Any, Schedule], Model]
    build: Callable[[Any, Schedule], Component]
    codec: Callable[[Any], Codec]
    runtime_modulus: bool = False
    residues: bool = False
    """Operands and results are residues, unless an option `io` says binary."""
    montgomery: Callable[[Any], Montgomery] | None = None
    """The domain of a multiplier with a run-time modulus: what exponentiation needs to know of it."""
    statistic: Callable[[Any], Statistic | None] | None = None
    """The count on which the clocks of an operation depend, to be sampled; None where they do not vary."""
    channel: Callable[[Any, Schedule], Component | None] | None = None
    """One representative channel for a quick place and route, or None when the core has no such part."""
    blocks: Callable[[Any, Schedule], Iterable[Block]] | None = None
    """The boxes of the block picture."""
    extremes: Callable[[Any, Schedule], Extremes] | None = None
    """Numbers inside an operation with their ranges, and operands that reach the ends; None where nothing is stated."""
    folds: Callable[[Any], Iterable[tuple[Any, int, Callable[[Module, Value, str], Value]]]] | None = None
    """Folds that a core builds in its own way, to be proved: each a `rns.Fold`, the largest result, and what makes the
    hardware of (module, x, name); None where those of `rtl.folding` are all."""

    @property
    def function(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]


@dataclass(frozen=True)
class Block:
    """A box of the block picture; `inputs` name the boxes whose output it reads."""

    name: str
    label: str
    inputs: tuple[str, ...] = ()
    detail: str = ""
    kind: str = field(default="logic")
    """One of logic, multiplier, memory, control, port."""
