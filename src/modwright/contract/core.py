# SPDX-License-Identifier: Apache-2.0
"""A core as data: derivation, schedule, model, hardware and codec, and the protocols of their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

from ..base.json import JsonObject
from ..schedule import Schedule
from .compose import Part
from .operands import Cover, Reading, Residues, Unpromised
from .option import Option, Size
from .payload import Payload, PayloadValue
from .quantities import Extremes
from .request import Request
from .roles import Role
from .statistic import Statistic
from .trial import Trial

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component

Hardware: TypeAlias = "Component"
"""An Amaranth component. A family imports its own in the function that builds one: Amaranth takes longer to load than
all parameters and schedules."""


class Parameters(Part, Protocol):
    """Frozen parameters of a family: certificate, constants and obligations (`Part`), and the two streams.

    Everything derived is a `cached_property`.
    """

    @cached_property
    def i(self) -> Payload:
        """Payload of the input stream."""
        ...

    @cached_property
    def o(self) -> Payload:
        """Payload of the output stream; has a field `error` (0 = none)."""
        ...

    @property
    def modulus(self) -> int | None:
        """The fixed modulus, or None when it is a runtime operand."""
        ...


@dataclass(frozen=True)
class Outcome:
    """Result of one operation by the model."""

    payload: dict[str, PayloadValue]
    """The output payload, bit for bit."""
    cycles: int
    """Cycles from the input transfer to the first cycle with the result valid, with the output never full."""


class Model(Protocol):
    """Golden model: outputs of the core, bit for bit, and when."""

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation on an input payload."""
        ...


class Codec(Protocol):
    """Conversion between plain values, as in vector files, and a core's own representation."""

    def encode(self, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """Plain operands to an input payload; ValueError when an operand cannot be represented."""
        ...

    def read(self, payload: Mapping[str, PayloadValue]) -> Reading | None:
        """The contract's reading of an input payload, from the declared bounds in plain integers; None where it
        promises nothing. The inverse of `encode`, for every payload and not only for those that `encode` makes."""
        ...

    def draw(self, rng: Random, case: Mapping[str, int]) -> dict[str, PayloadValue]:
        """A payload drawn over the whole contract: every representative of an operand, uniform, at its bound and just
        below, and above where that is reported. `case`, plain, is where modulus and curve come from."""
        ...

    def decode(self, payload: Mapping[str, PayloadValue]) -> JsonObject:
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

    def fit(self, case: Mapping[str, int]) -> Mapping[str, int]:
        """A case like this one that `encode` takes."""
        ...


@runtime_checkable
class Bordered(Protocol):
    """A codec that names payloads at the borders of what its core reports."""

    def borders(self, case: Mapping[str, int]) -> Mapping[str, Mapping[str, PayloadValue]]:
        """Payloads that differ from that of a case by what is reported, or is just not: one for each operand and end of
        its range. The contract promises something of each."""
        ...


@runtime_checkable
class Residual(Protocol):
    """A codec some of whose operands are integers in residues."""

    def residues(self) -> Sequence[Residues]:
        """The integers, and where their residues stand in the input payload."""
        ...


@runtime_checkable
class Varied(Protocol):
    """A codec of numbers whose base depends on an operand."""

    def roles_of(self, payload: Mapping[str, PayloadValue]) -> Mapping[str, Role]:
        """Roles of the fields of an input or output payload that have another one than the stream says."""
        ...


@runtime_checkable
class Conditional(Protocol):
    """A codec with fields that have to belong together."""

    def unpromised(self) -> Sequence[Unpromised]:
        """Payloads of which it promises nothing, as far as a few fields say so."""
        ...


@runtime_checkable
class Covered(Protocol):
    """A codec that lists what its contract promises, where payloads are too many to go through one by one."""

    def covers(self) -> Iterator[Cover]:
        """Covers that together hold each payload of which something is promised, one after the other: of a wide core
        there are more than can be listed."""
        ...


@runtime_checkable
class Stateful(Protocol):
    """A codec of a core whose results depend on operations before, by registers that operands name.

    `read`, model and `Extremes` find registers next to the fields of an input payload, under names that no field has;
    one that no operation has written since the reset is absent. So a payload alone is an operation right after a reset.
    A register is what an earlier result was on the output stream, representatives and all.
    """

    def written(
        self, operands: Mapping[str, PayloadValue], result: Mapping[str, PayloadValue]
    ) -> Mapping[str, PayloadValue]:
        """Registers that an operation on an input payload writes by its output payload, with their new values."""
        ...


P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True)
class Core(Generic[P]):
    """One registered architecture over its parameters' type: the only thing that the rest of Modwright knows of it."""

    name: str
    """`function/architecture`."""
    summary: str
    """One line."""
    source: str
    """The paper, section or algorithm it follows; "Modwright" for our own."""
    options: tuple[Option, ...]
    derive: Callable[[Request], P]
    schedule: Callable[[P], Schedule]
    model: Callable[[P, Schedule], Model]
    build: Callable[[P, Schedule], Hardware]
    codec: Callable[[P], Codec]
    widest: int | None = None
    """Bits of the widest modulus, fixed or runtime; None where the derivation itself has such a rule."""
    statistic: Callable[[P], Statistic | None] | None = None
    """The count on which the cycles of an operation depend, to be sampled; None where they do not vary."""
    channel: Callable[[P, Schedule], Hardware | None] | None = None
    """One representative channel for a quick place and route, or None when the core has no such part."""
    blocks: Callable[[P, Schedule], Iterable[Block]] | None = None
    """The boxes of the block picture."""
    extremes: Callable[[P, Schedule], Extremes] | None = None
    """Numbers inside an operation with their ranges, and operands that reach the ends; None where nothing is stated."""
    trials: tuple[Trial, ...] = field(default=(), compare=False, repr=False)
    """Small requests at which the contract is tested; every run has the first one."""
    aliases: tuple[str, ...] = ()
    """Other names, accepted wherever a core is named; requests and records have `name`."""
    former: str = ""
    """The alias that was the name once, or empty: the top module keeps it, as designs instantiate that."""

    @property
    def function(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]

    @property
    def top(self) -> str:
        """Name of the top module in Verilog."""
        return (self.former or self.name).replace("/", "_").replace("-", "_")

    def smallest(self) -> P:
        """Parameters of the first trial, whose fields have the roles that those of every request have."""
        return self.derive(Request.from_mapping(self, {"core": self.name, **self.trials[0].document}))

    def sizing(self, number: Size) -> Option | None:
        """The option with the bits of a number, None for a core whose number is fixed or absent."""
        return next((option for option in self.options if option.sizes == number), None)

    def widths(self, bits: Mapping[Size, int]) -> dict[str, int]:
        """Options that give numbers these widths, without numbers that the core does not size."""
        return {o.name: bits[o.sizes] for o in self.options if o.sizes is not None and o.sizes in bits}

    @property
    def runtime_modulus(self) -> bool:
        """Whether the modulus is an operand, so that only its width is chosen."""
        return self.sizing("modulus") is not None


AnyCore: TypeAlias = Core[Any]
"""A core over parameters that the reader does not look into: an entry of the registry."""


@dataclass(frozen=True)
class Block:
    """A box of the block picture; `inputs` name the boxes whose output it reads."""

    name: str
    label: str
    inputs: tuple[str, ...] = ()
    detail: str = ""
    kind: str = field(default="logic")
    """One of logic, multiplier, memory, control, port."""
