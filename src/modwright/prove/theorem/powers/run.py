# SPDX-License-Identifier: Apache-2.0
"""One exponentiation, cycle by cycle: its products, in their order, and its outputs.

Control is that of the netlist, and each bit of it that is needed must be a number whatever the operands are. The
multiplier takes operands and gives results in the cycles of `Flights`; a result is a word of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..decide import UndecidedError
from ..netlist import Netlist
from ..pieces import Value, constant, number_of
from ..stretches import ACCEPTED, READY, RESET, TAKEN, VALID, payload_inputs
from ..ternary import Word, after_reset, common, ones
from ..words import Words
from .cut import DONE, INSTANCE, OFFERED, PAYLOAD, RESULT, port
from .cut import READY as ACCEPTS
from .cycle import AFTER
from .flights import Flights
from .forward import Forward

BEGINNING = 3
"""Products' times at the beginning of an exponentiation, after which registers with words are taken as unknown between
exponentiations: of others, such as those of a limb unit that always runs, new words would come in every cycle."""
MOST_TRIALS = 8
"""Most times that less is taken to be known in the idle state."""


class Product(Protocol):
    """The contract of a product: the payload of its result, by its number and the payload of its operands."""

    def __call__(self, words: Words, number: int, operands: Value) -> Value:
        """The payload of the result."""
        ...


@dataclass
class Run:
    """One exponentiation.

    Parameters
    ----------
    words : Words
    operands : list of Value
        Payload of each product.
    results : list of Value
        Payload of the result of each product.
    outputs : mapping of str to Value
        By field.
    latency : int
        Cycle in which the power is valid.
    flights : Flights or None
        The multiplier in that cycle.
    """

    words: Words
    operands: list[Value] = field(default_factory=list[Value])
    results: list[Value] = field(default_factory=list[Value])
    outputs: dict[str, Value] = field(default_factory=dict[str, Value])
    latency: int = 0
    flights: Flights | None = None


def runs_of(netlist: Netlist, flights: Flights, products: Sequence[Product], longest: int) -> list[Run]:
    """An exponentiation in each case of its products, from the idle state, which is that before and after every one.

    Raises
    ------
    UndecidedError
        When control depends on operands, the power does not stay while it waits, or there is none within `longest`
        cycles.
    """
    idle = after_reset(netlist, RESET)
    for source in _Machine(netlist, flights, idle, products[0]).words_after(BEGINNING * flights.span):
        idle[source] = 0, 0
    for trial in range(MOST_TRIALS):
        cases = products if trial else [products[0], *products[1:][-1:]]  # most of what is not known shows in these
        found, both = list[Run](), dict(idle)
        for product in cases:
            one = _Machine(netlist, flights, idle, product)
            found.append(one.operation(longest))
            for source, word in both.items():
                both[source] = common([word, *(known_in(row[source]) for row in one.states)])
            if trial and both != idle:
                break
        if trial and both == idle:
            return found
        idle = both
    raise UndecidedError("the exponentiation has no idle state that it returns to")


def known_in(value: Value) -> Word:
    """The bits of a word that are numbers."""
    found = known = at = 0
    for node, low, bits in value:
        if node is None:
            found, known = found | low << at, known | ones(bits) << at
        at += bits
    return found, known


def word_of(words: Words, word: Word, bits: int, name: str) -> Value:
    """A word of which some bits are numbers."""
    value, known = word
    pieces = [constant(value >> k & 1, 1) if known >> k & 1 else words.unknown(name, 1) for k in range(bits)]
    return words.join([piece for row in pieces for piece in row])


class _Machine:
    """The netlist with its multiplier, from an idle state."""

    def __init__(self, netlist: Netlist, flights: Flights, idle: Mapping[int, Word], product: Product) -> None:
        self.netlist, self.flights, self.product = netlist, flights.copy(), product
        self.words = words = Words()
        name = "a register from before the operation"
        start = {source: word_of(words, word, netlist.widths[source], name) for source, word in idle.items()}
        self.forward = Forward(netlist, start, words)
        self.made = Run(self.words)
        self.states: list[list[Value]] = []

    def words_after(self, cycles: int) -> list[int]:
        """Registers with words after some cycles of an operation."""
        self._begin()
        for _ in range(cycles):
            self._cycle(valid=self._any("i_valid"), ready=self._any("o_ready"))
            self.forward.clock()
        return [cell.out for cell in self.netlist.registers if number_of(self.forward.now[cell.out]) is None]

    def operation(self, longest: int) -> Run:
        """One operation, and the states that are idle: after a cycle without operands, and after the operation."""
        start, flights = self.forward.copy(), self.flights.copy()
        self._idle_cycle()
        self.forward, self.flights = start, flights
        self._begin()
        cycle = 1
        while True:
            self._cycle(valid=self._any("i_valid"), ready=self._any("o_ready"))
            if self._bit(ACCEPTED) != 0:
                raise UndecidedError(f"operands are accepted in cycle {cycle} of an operation")
            if self._bit(TAKEN):
                break
            cycle += 1 if self.forward.clock() else 1 + self.flights.skip()
            if cycle > longest:
                raise UndecidedError(f"no power within {longest} cycles")
        self.made.latency, self.made.flights = cycle, self.flights.copy()
        products = len(self.made.operands)
        self._finish()
        if len(self.made.operands) != products:
            raise UndecidedError("a product starts after the power is valid")
        return self.made

    def _begin(self) -> None:
        """The cycle in which operands come in."""
        forward, widths = self.forward, self.netlist.widths
        names = payload_inputs(self.netlist)
        operands = [name for name in names if not name.startswith(INSTANCE)]
        inputs = self.netlist.inputs
        forward.give(
            {name: self.words.whole(self.words.node("input", widths[inputs[name]], name=name)) for name in operands}
        )
        self._cycle(valid=constant(1, 1), ready=self._any("o_ready"))
        if self._bit(ACCEPTED) != 1 or self._bit(TAKEN) != 0:
            raise UndecidedError("operands are not accepted in the idle state")
        forward.clock()
        forward.give(
            {name: self.words.unknown(f"{name} of another operation", widths[inputs[name]]) for name in operands}
        )

    def _idle_cycle(self) -> None:
        """A cycle without operands; the registers after it."""
        self._cycle(valid=constant(0, 1), ready=self._any("o_ready"))
        if self._bit(ACCEPTED) != 1 or self._bit(TAKEN) != 0 or not self.flights.idle:
            raise UndecidedError("operands are not accepted in the idle state")
        self.forward.clock()
        self.states.append(list(self.forward.now))

    def _finish(self) -> None:
        """The power stays until it is taken, whenever that is; then the core is idle.

        First the states in which it waits are followed. Then registers that change are taken as unknown; the others
        stay by induction, as their next words are the same whatever the unknown ones are.
        """
        fields = [name for name in self.netlist.outputs if name.startswith("o_") and name != TAKEN]
        self.made.outputs = {name.removeprefix("o_"): self._port(name) for name in fields}
        for _ in range(AFTER):
            before = self.forward.copy()
            self._waits(before)
            if self.flights.idle and self._stays(before.joined(self.forward)):
                return
        raise UndecidedError("the power does not stay until it is taken")

    def _waits(self, state: Forward) -> None:
        """A state has the power, and is followed by the idle one if that is taken; the next state if it is not."""
        flights = self.flights
        self.forward, self.flights = state.copy(), flights.copy()
        self._cycle(valid=self._any("i_valid"), ready=self._any("o_ready"))
        outputs = {name: self._port(f"o_{name}") for name in self.made.outputs}
        if self._bit(TAKEN) != 1 or self._bit(ACCEPTED) != 0 or outputs != self.made.outputs:
            raise UndecidedError("the power changes while it waits")
        self.forward, self.flights = state.copy(), flights.copy()
        self._taken()
        self.forward, self.flights = state.copy(), flights.copy()
        self._cycle(valid=self._any("i_valid"), ready=constant(0, 1))
        self.forward.clock()

    def _stays(self, state: Forward) -> bool:
        """Whether a state with unknown registers is followed by itself while the power waits."""
        followed, flights = self.forward, self.flights.copy()
        for _ in range(MOST_TRIALS):
            try:
                self._waits(state)
            except UndecidedError:
                break
            joined = state.joined(self.forward)
            if joined.state == state.state:
                return True
            state = joined
        self.forward, self.flights = followed, flights
        return False

    def _taken(self) -> None:
        """The power is taken in this cycle; the state in which the next operands are accepted is idle."""
        self._cycle(valid=self._any("i_valid"), ready=constant(1, 1))
        self.forward.clock()
        for _ in range(AFTER):
            self._cycle(valid=self._any("i_valid"), ready=self._any("o_ready"))
            if self._bit(TAKEN) != 0:
                raise UndecidedError("a power is valid twice")
            if self._bit(ACCEPTED) == 1:
                if not self.flights.idle:
                    raise UndecidedError("operands are accepted next to a product")
                self.states.append(list(self.forward.now))
                return
            self.forward.clock()
        raise UndecidedError("no operands are accepted after an operation")

    def _port(self, name: str) -> Value:
        return self.forward.port(self.netlist.outputs[name], 0)

    def _any(self, name: str) -> Value:
        return self.words.unknown(f"{name} of any cycle", 1)

    def _bit(self, name: str) -> int:
        """A handshake, which must be a number."""
        found = number_of(self._port(name))
        if found is None:
            raise UndecidedError(f"{name} depends on operands, or on what was before the operation")
        return found

    def _cycle(self, *, valid: Value, ready: Value) -> None:
        """All words of a cycle, the multiplier's among them; a product that is offered and accepted starts."""
        forward, flights = self.forward, self.flights
        accepts, done = flights.bits
        bits = self.netlist.widths[self.netlist.inputs[port(RESULT)]]
        if done and not 0 <= flights.result < len(self.made.results):
            raise UndecidedError("the multiplier has a result of no product")
        result = self.made.results[flights.result] if done else self.words.unknown("no result of a product", bits)
        given = {port(ACCEPTS): constant(accepts, 1), port(DONE): constant(done, 1), port(RESULT): result}
        forward.give(given | {VALID: valid, READY: ready, RESET: constant(0, 1)})
        forward.settle()
        offered = number_of(forward.port(self.netlist.outputs[port(OFFERED)], 0))
        if offered is None:
            raise UndecidedError("whether a product starts depends on operands")
        if offered and accepts:
            operands = forward.port(self.netlist.outputs[port(PAYLOAD)], 0)
            self.made.results.append(self.product(self.words, len(self.made.operands), operands))
            self.made.operands.append(operands)
        flights.step(offered)
