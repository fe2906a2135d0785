# SPDX-License-Identifier: Apache-2.0
"""A residue multiplier with converters: binary operands and results, and results that are exact.

    io      output   what follows what
    rns     class    the multiplier alone (then nothing of this module is used)
    binary  class    to residues -> multiplier -> from residues, below the converter's bound
    binary  exact    the same, with the last conditional subtraction
    rns     exact    multiplier -> from residues, exact -> to residues

In front of a converter the multiplier scales its last constants by M_j^-1 (`scaled`), which costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from amaranth.hdl import Module, Mux
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...base.errors import ParameterError
from ...base.json import Constant
from ...contract import (
    Block,
    Certificate,
    Composite,
    Field,
    Model,
    Obligations,
    Option,
    Outcome,
    Parameters,
    Part,
    Payload,
    PayloadValue,
    unchecked,
)
from ...contract.obligation import owed_by, owed_together
from ...contract.operands import PAYLOAD
from ...contract.option import Options
from ...contract.quantities import Extremes, Operands, Values
from ...contract.roles import ErrorCode, Errors, Multiple, Operand, Residues, Result
from ...rns import Base
from ...rns.conversion import FromResidues, ToResidues
from ...rtl.control import StreamCore
from ...rtl.pipeline import delayed
from ...schedule import Schedule, chain
from .converters import FromResiduesDatapath, ToResiduesDatapath, from_residues_schedule, to_residues_schedule

NOT_REDUCED = 1
"""Error code of an operand that is not below p."""

DIGIT = 54
"""Bits of the converter's digits: three blocks of 18 bits on ECP5."""

OPTIONS = (
    Option("io", str, "rns", "operands and results as residues, or binary with converters", ("rns", "binary")),
    Option("output", str, "class", "a bounded representative, or exactly 0 <= z < p", ("class", "exact")),
)
"""The two options that every residue multiplier offers."""


class Multiplier(Parameters, Protocol):
    """Parameters of a residue multiplier."""

    @property
    def modulus(self) -> int: ...
    @property
    def base(self) -> Base: ...
    @cached_property
    def bound(self) -> int: ...
    @property
    def target(self) -> str: ...


M = TypeVar("M", bound=Multiplier, covariant=True)


def converts(options: Options) -> bool:
    """Whether a request needs converters, so that the multiplier scales its result."""
    return options["io"] == "binary" or options["output"] == "exact"


@dataclass(frozen=True)
class ConvertedParameters(Composite, Generic[M]):
    """A multiplier and its converters.

    Parameters
    ----------
    inner : Multiplier
        Its results are scaled by M_j^-1.
    binary : bool
        Operands and result are binary.
    exact : bool
        The result is below p.
    """

    inner: M
    binary: bool
    exact: bool

    @property
    def modulus(self) -> int:
        """p."""
        return self.inner.modulus

    @property
    def base(self) -> Base:
        """The channels."""
        return self.inner.base

    @property
    def N(self) -> int:
        """Number of channels."""
        return self.base.count

    @cached_property
    def to_residues(self) -> ToResidues:
        """Of both operands, or of the exact result."""
        return ToResidues(self.base, self.modulus, 2 if self.binary else 1)

    @cached_property
    def from_residues(self) -> FromResidues:
        """Of the multiplier's result."""
        return FromResidues(self.base, self.modulus, self.inner.bound, DIGIT, self.exact)

    @property
    def bound(self) -> int:
        """Exclusive bound of the result."""
        return self.modulus if self.exact else self.from_residues.bound

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The multiplier, then the converters; names of conditions and constants are their own."""
        return ("", self.inner), ("", Converters(self))

    @cached_property
    def i(self) -> Payload:
        """Operands."""
        if not self.binary:
            return self.inner.i
        note = "an integer below p; else the result is error 1"
        return Payload(tuple(Field(name, self.modulus.bit_length(), note=note, role=Operand(name)) for name in "xy"))

    @cached_property
    def o(self) -> Payload:
        """Result."""
        if self.binary:
            note = "x·y mod p" if self.exact else f"z ≡ x·y (mod p), 0 <= z < {self.bound:#x}"
            codes = ErrorCode({NOT_REDUCED: Errors.NOT_REDUCED})
            error = Field("error", 1, note="0: none; 1: an operand is not below p, and z = 0", role=codes)
            role = Result("z", limit=Multiple() if self.exact else self.bound)
            return Payload((Field("z", self.from_residues.width, bound=self.bound, note=note, role=role), error))
        note = "residues, any n-bit representatives, of x·y mod p"
        role = Result("z", Residues((self.base,)), self.bound)
        return Payload((Field("z", self.base.width, self.N, note=note, role=role), unchecked()))


@dataclass(frozen=True)
class Converters:
    """The converters as a part of the whole.

    Parameters
    ----------
    whole : ConvertedParameters
    """

    whole: ConvertedParameters[Multiplier]

    @cached_property
    def certificate(self) -> Certificate:
        """What makes the conversion from residues right."""
        return Certificate(self.whole.from_residues.inequalities())

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        whole, out = self.whole, self.whole.from_residues
        return {
            "io": "binary" if whole.binary else "rns",
            "exact": whole.exact,
            "converter_digit": out.digit,
            "converter_T": out.T,
            "converter_K": out.kappa_weights,
            "converter_w": out.weights,
            "converter_q": out.cox.f,
            "converter_D": out.cox.offset,
            "result_bound": whole.bound,
        }

    def obligations(self) -> Obligations:
        """The reductions of digits in every channel, and the estimate of α on the way back."""
        digits = (self.whole.to_residues.plan(channel).obligation for channel in range(self.whole.N))
        return owed_by("converters", owed_together((*digits, self.whole.from_residues.cox.obligation())))


def convert(inner: M, options: Options) -> M | ConvertedParameters[M]:
    """The multiplier itself, or with the converters that the options ask for.

    Raises
    ------
    ParameterError
        When the converter's conditions do not hold.
    """
    if not converts(options):
        return inner
    parameters = ConvertedParameters(inner, options["io"] == "binary", options["output"] == "exact")
    problem = parameters.certificate.failing
    if problem is not None:
        raise ParameterError(
            f"converters modulo {parameters.modulus:#x} with {parameters.N} channels: {problem.why}",
            rule=problem.rule,
            left=problem.left,
            right=problem.right,
            hint="wider channels, whose moduli lie closer to 2^n",
        )
    return parameters


def multiplier_of(p: M | ConvertedParameters[M]) -> M:
    """The multiplier's own parameters."""
    return p.inner if isinstance(p, ConvertedParameters) else p


@dataclass(frozen=True)
class Parts:
    """The data paths' schedules, each with the clock of its start."""

    first: tuple[Schedule, int] | None
    multiplier: tuple[Schedule, int]
    out: tuple[Schedule, int]
    last: tuple[Schedule, int] | None
    done: int
    """Clock in which the result is there."""


def parts(p: ConvertedParameters[Multiplier], inner: Schedule) -> Parts:
    """Where each data path starts: in the clock in which the one before is done."""
    conversion, out = to_residues_schedule(p.to_residues), from_residues_schedule(p.from_residues)
    first = (conversion, 0) if p.binary else None
    start = conversion.step("residues").start if p.binary else 0
    begin = start + inner.latency - 1  # a multiplier is done in the clock before its latency
    done = begin + out.step("binary").start
    last = None
    if not p.binary:
        last = (conversion, done)
        done += conversion.step("residues").start
    return Parts(first, (inner, start), (out, begin), last, done)


def make_schedule(p: M | ConvertedParameters[M], inner_schedule: Callable[[M], Schedule]) -> Schedule:
    """Schedule of a multiplier, with its converters where there are some."""
    if not isinstance(p, ConvertedParameters):
        return inner_schedule(p)
    inner = inner_schedule(p.inner)
    where = parts(p, inner)
    named = [("in", where.first), ("multiply", where.multiplier), ("out", where.out), ("back", where.last)]
    chained = [(name, part[0], part[1]) for name, part in named if part is not None]
    return chain(chained, where.done + 1, f"{inner.formula}, and the converters")


class ConvertedModel:
    """The multiplier's model between those of the converters."""

    def __init__(self, p: ConvertedParameters[Multiplier], schedule: Schedule, inner: Model) -> None:
        self.p, self.schedule, self.inner = p, schedule, inner

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One product."""
        p = self.p
        if p.binary:
            x, y = operands["x"], operands["y"]
            assert isinstance(x, int)
            assert isinstance(y, int)
            if max(x, y) >= p.modulus:
                return Outcome({"z": 0, "error": NOT_REDUCED}, self.schedule.latency)
            operands = {"x": p.to_residues.apply(x), "y": p.to_residues.apply(y)}
        scaled = self.inner.run(operands).payload["z"]
        assert isinstance(scaled, tuple)
        z = p.from_residues.apply(scaled)
        return Outcome({"z": z if p.binary else p.to_residues.apply(z), "error": 0}, self.schedule.latency)


def make_model(
    p: M | ConvertedParameters[M],
    schedule: Schedule,
    inner_schedule: Callable[[M], Schedule],
    model: Callable[[M, Schedule], Model],
) -> Model:
    """The model, with or without converters."""
    if not isinstance(p, ConvertedParameters):
        return model(p, schedule)
    return ConvertedModel(p, schedule, model(p.inner, inner_schedule(p.inner)))


def make_extremes(p: M | ConvertedParameters[M], inner: Callable[[M, int], Extremes]) -> Extremes:
    """The quantities of the multiplier, with or without converters.

    Parameters
    ----------
    p : parameters
    inner : callable
        Of the multiplier's own parameters and the exclusive bound of operands.
    """
    if not isinstance(p, ConvertedParameters):
        return inner(p, p.bound)
    if not p.binary:
        return inner(p.inner, p.inner.bound)
    own = inner(p.inner, p.modulus)

    def observe(operands: Operands) -> Values:
        x, y = operands["x"], operands["y"]
        assert isinstance(x, int)
        assert isinstance(y, int)
        if max(x, y) >= p.modulus:
            return {}
        return own.observe({"x": p.to_residues.apply(x), "y": p.to_residues.apply(y)})

    return replace(own, observe=observe, candidates=lambda: (c for c in own.candidates() if PAYLOAD not in c))


class ConvertedDatapath(wiring.Component):
    """The data paths in a row: operands with `start`, z and error with `done`."""

    def __init__(self, p: ConvertedParameters[Multiplier], inner: wiring.Component, schedule: Schedule) -> None:
        self.p, self.inner, self.where = p, inner, parts(p, schedule)
        residues = data.ArrayLayout(p.base.width, p.N)
        operand = p.modulus.bit_length() if p.binary else residues
        result = p.from_residues.width if p.binary else residues
        super().__init__(
            {"start": In(1), "x": In(operand), "y": In(operand), "done": Out(1), "z": Out(result), "error": Out(1)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, inner = self.p, self.inner
        m.submodules.multiplier = inner
        m.submodules.out = out = FromResiduesDatapath(p.from_residues, self.where.out[0], p.inner.target)
        m.d.comb += [out.start.eq(inner.done), *(out.xi[j].eq(inner.z[j]) for j in range(p.N))]
        if p.binary:
            self._binary(m, out)
        else:
            self._residues(m, out)
        return m

    def _binary(self, m: Module, out: FromResiduesDatapath) -> None:
        assert self.where.first is not None
        schedule = self.where.first[0]
        m.submodules.convert = convert = ToResiduesDatapath(self.p.to_residues, schedule)
        wait = self.where.done - schedule.step("residues").start
        bad = delayed(m, convert.bad, wait, "bad")
        m.d.comb += [
            convert.start.eq(self.start),
            convert.x.eq(self.x),
            convert.y.eq(self.y),
            self.inner.start.eq(convert.done),
            *(self.inner.x[j].eq(convert.rx[j]) for j in range(self.p.N)),
            *(self.inner.y[j].eq(convert.ry[j]) for j in range(self.p.N)),
            self.done.eq(out.done),
            self.z.eq(Mux(bad, 0, out.z)),
            self.error.eq(bad),
        ]

    def _residues(self, m: Module, out: FromResiduesDatapath) -> None:
        assert self.where.last is not None
        m.submodules.convert = convert = ToResiduesDatapath(self.p.to_residues, self.where.last[0])
        m.d.comb += [
            self.inner.start.eq(self.start),
            *(self.inner.x[j].eq(self.x[j]) for j in range(self.p.N)),
            *(self.inner.y[j].eq(self.y[j]) for j in range(self.p.N)),
            convert.start.eq(out.done),
            convert.x.eq(out.z),
            self.done.eq(convert.done),
            *(self.z[j].eq(convert.rx[j]) for j in range(self.p.N)),
        ]


def make_core(
    p: M | ConvertedParameters[M],
    schedule: Schedule,
    inner_schedule: Callable[[M], Schedule],
    datapath: Callable[[M, Schedule], wiring.Component],
) -> StreamCore:
    """The core with streams, with or without converters."""
    if not isinstance(p, ConvertedParameters):
        return StreamCore(p.i, p.o, schedule, datapath(p, schedule))
    inner = inner_schedule(p.inner)
    return StreamCore(p.i, p.o, schedule, ConvertedDatapath(p, datapath(p.inner, inner), inner))


def make_blocks(p: M | ConvertedParameters[M], inner: Callable[[M], list[Block]]) -> list[Block]:
    """The block picture: the multiplier's boxes between those of the converters."""
    boxes = inner(multiplier_of(p))
    if not isinstance(p, ConvertedParameters):
        return boxes
    first = Block("to residues", "to residues", ("i",), "two clocks a digit", "logic")
    factor = f"{p.from_residues.factor_width} x {DIGIT} bits"
    out = Block("from residues", "from residues", ("accumulated",), factor, "multiplier")
    renamed = []
    for box in boxes:
        if box.name == "queue":
            out = replace(out, inputs=box.inputs)
            back = replace(first, inputs=("from residues",))
            renamed += [out] if p.binary else [out, back]
            box = replace(box, inputs=("from residues" if p.binary else "to residues",))
        elif p.binary and "i" in box.inputs:
            box = replace(box, inputs=tuple("to residues" if name == "i" else name for name in box.inputs))
        renamed.append(box)
        if box.name == "i" and p.binary:
            renamed.append(first)
    return renamed
