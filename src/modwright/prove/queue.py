# SPDX-License-Identifier: Apache-2.0
"""Proof that the result queue of a core loses nothing and keeps the order while it is deep enough, and is deep
enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amaranth.hdl import Array, Cat, ClockDomain, Fragment, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..contract import Field, Payload
from ..engines.orup.hardware.waiting import WaitingWords
from ..rtl.control import ScheduledCore, in_flight
from ..rtl.streams import ResultQueue
from .abc import Bench
from .proof import PROVED, Verdict

PROPERTIES = (("queue_wrong",),)
NO_QUEUE = "the core has no result queue of the kind that this proof is for"


class QueueMonitor(wiring.Component):
    """A `ResultQueue` of one bit, pushed only while it has room; one result, any one, is followed through it.

    The payload's bits are stored and read alike, so one represents all. The monitor has a reference queue, with which
    the other is compared; that the followed result leaves it unchanged is checked with the
    invariant that makes this inductive: the place of the result, and the number of results ahead of it.

    Parameters
    ----------
    depth : int
        Places of the queue.

    Attributes
    ----------
    clk : in
        Clock; no reset.
    push, data, ready, follow : in
        Free; `push` counts while there is room. `follow` chooses the result to follow.
    queue_wrong : out
        `valid` is not that of a queue with `filled` results, or the payload at the head is not the oldest one, or the
        followed result is lost.
    """

    def __init__(self, depth: int) -> None:
        self.depth = depth
        inputs = {name: In(1) for name in ("clk", "push", "data", "ready", "follow")}
        super().__init__(inputs | {name: Out(1) for ways in PROPERTIES for name in ways})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        filled = Signal(range(self.depth + 1))
        pushed = Signal()
        m.d.comb += [domain.clk.eq(self.clk), pushed.eq(self.push & (filled < self.depth))]
        valid, taken, shown = self._queue(m, pushed, filled != 0)
        m.d.sync += filled.eq(filled + pushed - taken)
        head, tail = Signal(range(self.depth)), Signal(range(self.depth))  # places of the next result out and in
        for position, step in ((tail, pushed), (head, taken)):
            with m.If(step):
                m.d.sync += position.eq(Mux(position == self.depth - 1, 0, position + 1))
        content = Array(Signal(name=f"place_{index}") for index in range(self.depth))
        with m.If(pushed):
            m.d.sync += content[tail].eq(self.data)
        lost = self._follow(m, pushed, taken, filled, head, tail, content)
        payload_wrong = valid & Cat(bit != content[head] for bit in shown).any()
        m.d.comb += self.queue_wrong.eq((valid != (filled != 0)) | payload_wrong | lost)
        return m

    def _queue(self, m: Module, pushed: Value, waits: Value) -> tuple[Value, Value, Sequence[Value]]:
        """The queue itself; its `valid`, the strobe with which a result leaves, and the copies of the bit at its head.
        `waits` says whether the reference has a result."""
        m.submodules.queue = queue = ResultQueue(Payload((Field("bit", 1),)), self.depth)
        m.d.comb += [queue.push.eq(pushed), queue.data.bit.eq(self.data), queue.o.ready.eq(self.ready)]
        return queue.o.valid, queue.taken, [queue.o.p.bit]

    def _follow(
        self, m: Module, pushed: Value, taken: Value, filled: Value, head: Value, tail: Value, content: Array[Signal]
    ) -> Value:
        """Follow one result; 1 where it is not in its place."""
        followed, bit = Signal(), Signal()
        place, ahead = Signal(range(self.depth)), Signal(range(self.depth))
        with m.If(followed & taken):
            m.d.sync += [ahead.eq(ahead - 1), followed.eq(ahead != 0)]
        with m.Elif(pushed & self.follow & ~followed):
            m.d.sync += [followed.eq(1), place.eq(tail), bit.eq(self.data), ahead.eq(filled - taken)]
        window = (head < self.depth) & (filled <= self.depth) & (tail == self._after(head, filled))
        inside = (ahead < filled) & (place == self._after(head, ahead)) & (content[place] == bit)
        return ~window | (followed & ~inside)

    def _after(self, place: Value, steps: Value) -> Value:
        """The place `steps` further on, with at most `depth` steps."""
        total = place + steps
        return Mux(total >= self.depth, total - self.depth, total)


class WaitingMonitor(QueueMonitor):
    """The same of `WaitingWords`, with a slice of one bit for each start that its address registers can have.

    The queue has no `valid`: whoever reads it knows whether a word waits, and takes none else.
    """

    def _queue(self, m: Module, pushed: Value, waits: Value) -> tuple[Value, Value, Sequence[Value]]:
        starts = 1 << self.depth.bit_length()
        m.submodules.queue = words = WaitingWords(starts, self.depth, slice_bits=1)
        m.d.comb += [words.put.eq(pushed), words.word.eq(self.data.replicate(starts))]
        m.d.comb += words.taken.eq(waits & self.ready)
        return waits, words.taken, list(words.first)


MONITORS: dict[type, type[QueueMonitor]] = {ResultQueue: QueueMonitor, WaitingWords: WaitingMonitor}
"""Monitor of each kind of queue."""


def depths(core: wiring.Component, results: int) -> list[tuple[type, int, int]]:
    """Kind and places of every queue of results of a core, and the most that can be needed at once.

    The core's own queues need `results` places; those of a core inside, such as the multiplier of an exponentiator, as
    many as its schedule requires.
    """

    def queues(fragment: Fragment, needed: int) -> Iterator[tuple[type, int, int]]:
        for origin in fragment.origins or ():
            if isinstance(origin, ScheduledCore) and origin is not core:
                needed = in_flight(origin.schedule)
            if isinstance(origin, ResultQueue):
                yield ResultQueue, origin.depth, needed
            if isinstance(origin, WaitingWords):
                yield WaitingWords, origin.places, needed
        for inner, *_ in fragment.subfragments:
            yield from queues(inner, needed)

    return sorted(set(queues(Fragment.get(core, None), results)), key=lambda row: (row[0].__name__, *row[1:]))


def prove_queue(core: wiring.Component, results: int) -> Verdict:
    """Prove that every queue of the core has the places it can need, and that a queue of its depth works; not run for a
    core without one, or with queues of another kind."""
    found = depths(core, results)
    if not found:
        return Verdict("not run", NO_QUEUE)
    for _, depth, needed in found:
        if depth < needed:
            return Verdict("refuted", f"{needed} results can wait, but a queue has {depth} places")
    for kind, depth in dict.fromkeys((kind, depth) for kind, depth, _ in found):
        verdict = Bench.of(MONITORS[kind](depth)).check(PROPERTIES, 2 * depth + 2)
        if verdict.status != "proved":
            return verdict
    return PROVED


def describe_queue(results: int) -> str:
    """The statement of `prove_queue`."""
    return (
        f"each queue of results has the places that can be needed at once: {results} for the core's own results, for "
        "those of a core inside as many as its schedule needs; and with no more results in it than places, each comes "
        "out once, unchanged and in order, and stays at the output until it is taken"
    )
