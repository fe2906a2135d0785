# SPDX-License-Identifier: Apache-2.0
"""Powers modulo m and multiples of points through a simulated core: one simulation that is opened once and kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from ..base.errors import UsageError, VerificationError, show_integer
from ..base.json import JsonMapping, JsonObject
from ..base.store import Store
from ..contract.request import Request
from ..functions.cases import encode_cases
from ..functions.modexp import FUNCTION as MODEXP
from ..prepared import Prepared, prepare
from ..prepared.registry import find
from ..simulate.session import Session
from ..simulate.simulator import available_simulator, open_session

PRODUCTS = 2
"""That share the data path of an interleaved core."""
SHARES = ("interleave", "slots")
"""Options that say how many, of the multipliers that have one."""


class Job(NamedTuple):
    """One power to compute: base^exponent mod modulus, with 0 <= base < modulus."""

    base: int
    exponent: int
    modulus: int


class Power(NamedTuple):
    """A power, and the cycles from the transfer of its operands to the first cycle with it valid."""

    value: int
    cycles: int


@dataclass(frozen=True)
class Powers:
    """The powers of some jobs, in their order.

    Parameters
    ----------
    results : tuple of Power
    cycles : int
        From the first transfer of operands to the last result.
    """

    results: tuple[Power, ...]
    cycles: int


class Exponentiator(Protocol):
    """Object that computes powers, in hardware or in Python."""

    def power(self, jobs: Sequence[Job]) -> Powers:
        """The powers, in the order of the jobs.

        Raises
        ------
        UsageError
            When an operand is out of range.
        VerificationError
            When the hardware reports an error or stops.
        """
        ...


class SimulatedCore:
    """A core under simulation, used as a context manager; the simulation lives as long as the context.

    Parameters
    ----------
    prepared : Prepared
        The core.
    simulator : str
        "auto", "compiled" or "pure".
    operations : int
        About how many will run; see `open_session`.

    Attributes
    ----------
    prepared : Prepared
    simulator : str
        "compiled" or "pure".
    """

    def __init__(self, prepared: Prepared, simulator: str, operations: int = 1) -> None:
        self.prepared = prepared
        self.operations = operations
        self.simulator = available_simulator() if simulator == "auto" else simulator
        self._stack = ExitStack()
        self._session: Session | None = None

    def __enter__(self) -> Self:
        self._session = self._stack.enter_context(
            open_session(self.prepared, self.simulator, operations=self.operations)
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = None
        self._stack.__exit__(kind, value, trace)

    @property
    def constant_time(self) -> bool:
        """Whether no cycle depends on operand values, by the schedule."""
        return self.prepared.schedule.constant_time

    def run(self, cases: Sequence[JsonMapping]) -> tuple[list[tuple[JsonObject, int]], int]:
        """Cases, offered without a pause: what each result decodes to with its cycles, and the cycles of all.

        Raises
        ------
        VerificationError
            When the hardware stops.
        """
        if self._session is None:
            raise RuntimeError("the simulation is open only inside a with statement")
        p, codec = self.prepared.parameters, self.prepared.codec
        trace = self._session.feed([p.i.pack(payload) for payload in encode_cases(self.prepared, cases)])
        cycles = [valid - accepted for valid, accepted in zip(trace.valid, trace.accepted, strict=True)]
        decoded = [codec.decode(p.o.unpack(word)) for word in trace.words]
        return list(zip(decoded, cycles, strict=True)), trace.valid[-1] - trace.accepted[0]


class SimulatedExponentiator(SimulatedCore):
    """A core `modexp/...` under simulation.

    Parameters
    ----------
    name : str
        Name of the core.
    bits : int
        Bits of the widest modulus.
    exponent_bits : int
        Bits of every exponent: a shorter one has leading zeros.
    units : int
        1: the jobs go to one core, one after another. 2: they go to two such cores in turns, and the cycles of two jobs
        count once. The second core is not simulated: its jobs run on the first one, each alone.
    interleave : bool
        One core whose data path carries two products at once: of two exponentiations, a cycle or an interval of the
        multiplier apart, where the method has one product at a time; else those of one.
    target : str
        See `request.TARGETS`.
    options : mapping
        Further options of the core.
    simulator : str
        "auto", "compiled" or "pure".
    store : Store or None
        Where what is compiled is kept; None: the user's.

    Raises
    ------
    UsageError
        Unknown core or option, or a core that is not an exponentiator.
    ParameterError
        When no parameters satisfy the request.
    """

    def __init__(
        self,
        name: str,
        bits: int,
        exponent_bits: int,
        *,
        units: int = 1,
        interleave: bool = False,
        target: str = "ecp5",
        options: JsonMapping | None = None,
        simulator: str = "auto",
        store: Store | None = None,
    ) -> None:
        if units not in (1, 2) or (interleave and units != 1):
            raise UsageError(f"a protocol takes one core, one interleaved core or two cores, not {units}")
        core = find(name)
        if core.function != MODEXP.name:
            raise UsageError(f"{name} computes {core.function}", "a core modexp/...: see `modwright list`")
        if not core.runtime_modulus:
            raise UsageError(f"{name} is built for one modulus, and a key has two", "modexp/booth8-csa-window")
        own: JsonObject = {**core.widths({"modulus": bits, "exponent": exponent_bits})}
        shares = [option.name for option in core.options if option.name in SHARES]
        if interleave:
            own |= dict.fromkeys(shares or SHARES[:1], PRODUCTS)
        given = dict(options or {})
        if taken := sorted(given.keys() & (own.keys() | set(SHARES))):
            raise UsageError(f"option {taken[0]} of {name} follows from the key and the number of units")
        super().__init__(prepare(core, Request.make(core, target=target, options=given | own), store), simulator)
        self.bits, self.exponent_bits = bits, exponent_bits
        self.units, self.interleave = units, interleave

    def power(self, jobs: Sequence[Job]) -> Powers:
        """See `Exponentiator.power`."""
        for job in jobs:
            self._check(job)
        if not jobs:
            return Powers((), 0)
        if self.units == 1:
            return self._feed(jobs)
        results = [self._feed([job]).results[0] for job in jobs]
        turns = range(0, len(results), self.units)
        return Powers(tuple(results), sum(max(r.cycles for r in results[k : k + self.units]) for k in turns))

    def _feed(self, jobs: Sequence[Job]) -> Powers:
        """Jobs through the simulated core, offered without a pause."""
        outcomes, cycles = self.run([job._asdict() for job in jobs])
        return Powers(tuple(Power(self._value(decoded), spent) for decoded, spent in outcomes), cycles)

    def _value(self, decoded: JsonMapping) -> int:
        if decoded["error"] is not None:
            raise VerificationError(f"{self.prepared.core.name} reports an error: {decoded['error']}")
        return decoded["z"]

    def _check(self, job: Job) -> None:
        """UsageError for operands that the core was not made for."""
        base, exponent, modulus = job
        if modulus % 2 == 0 or modulus < 3 or modulus.bit_length() > self.bits:
            raise UsageError(
                f"the modulus is odd, at least 3 and below 2^{self.bits}, but it is {show_integer(modulus)}"
            )
        if not 0 <= base < modulus:
            raise UsageError(f"the base is in [0, modulus), but it is {show_integer(base)}")
        if exponent < 0 or exponent.bit_length() > self.exponent_bits:
            raise UsageError(
                f"the exponent is in [0, 2^{self.exponent_bits}), but it has {exponent.bit_length()} bits"
                if exponent >= 0
                else "the exponent is negative"
            )
