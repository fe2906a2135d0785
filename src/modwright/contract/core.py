# SPDX-License-Identifier: Apache-2.0
"""A core as data: derivation, schedule, model, hardware and codec, and the protocols of what each gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from .certificate import Certificate
from .operands import Reading, Residues, Unpromised
from .payload import Payload, PayloadValue
from .statistic import Statistic

if TYPE_CHECKING:
    from amaranth.hdl import Module, Value
    from amaranth.lib.wiring import Component

    from ..schedule import Schedule
    from .quantities import Extremes
    from .request import Request


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
