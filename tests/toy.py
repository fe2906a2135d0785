# SPDX-License-Identifier: Apache-2.0
"""A core of a few lines that keeps the contract: what the tests of simulators and flows run on.

It multiplies modulo a prime of at most 8 bits with one `%`, in a pipeline of `latency` cycles that takes an
operation every `interval` cycles. An operand that is not reduced gives error 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from modwright.base.errors import ParameterError
from modwright.contract import Certificate, Core, Field, Inequality, NothingOwed, Option, Outcome, Payload, trial
from modwright.contract.codec import FieldCodec
from modwright.contract.roles import ErrorCode, Errors, Operand, Result
from modwright.rtl.streams import Admission, ResultQueue, core_members, layout, places
from modwright.schedule import Schedule, Step


@dataclass(frozen=True)
class ToyParameters:
    modulus: int
    latency: int
    interval: int
    faulty: bool

    @property
    def certificate(self):
        return Certificate((Inequality("width", "p < 2^8", self.modulus, "<", 256, "the table is 8 bits wide"),))

    @property
    def i(self):
        return Payload(tuple(Field(name, 8, role=Operand(name)) for name in "xy"))

    @property
    def o(self):
        error = Field("error", 1, role=ErrorCode({1: Errors.NOT_REDUCED}))
        return Payload((Field("z", 8, bound=self.modulus, role=Result("z")), error))

    def obligations(self):
        return (NothingOwed("one % of 8 bits"),)

    def describe(self):
        return {"modulus": self.modulus, "latency": self.latency, "interval": self.interval, "faulty": self.faulty}


def derive(request):
    if request.modulus is None or request.modulus.value >= 256:
        raise ParameterError("modmul/toy", rule="p < 2^8", left=request.modulus.value, right=256)
    o = request.options
    return ToyParameters(request.modulus.value, o["latency"], o["interval"], o["faulty"])


def schedule(p):
    step = Step("product", "multiplier", 0, busy=p.interval, latency=p.latency, control={"go": 1})
    return Schedule((step,), latency=p.latency, formula="L")


class Model:
    def __init__(self, p, s):
        self.p, self.s = p, s

    def run(self, operands):
        x, y = operands["x"], operands["y"]
        bad = x >= self.p.modulus or y >= self.p.modulus
        z = 0 if bad else x * y % self.p.modulus
        return Outcome({"z": z, "error": int(bad)}, self.s.latency)


class ToyCore(wiring.Component):
    def __init__(self, p, s):
        self.p, self.s = p, s
        super().__init__(core_members(p.i, p.o))

    def elaborate(self, platform):
        m = Module()
        p, s = self.p, self.s
        m.submodules.admission = admission = Admission(s.interval, places(s.latency, s.interval))
        m.submodules.queue = queue = ResultQueue(p.o, places(s.latency, s.interval))
        accept = self.i.valid & self.i.ready
        m.d.comb += [
            self.i.ready.eq(admission.ready),
            admission.admit.eq(accept),
            admission.release.eq(queue.taken),
        ]
        x, y = self.i.p.x, self.i.p.y
        bad = Signal()
        m.d.comb += bad.eq((x >= p.modulus) | (y >= p.modulus))
        value = Signal(layout(p.o))
        wrong = (x == 3) & (y == 5) if p.faulty else 0
        m.d.comb += [value.z.eq(Mux(bad, 0, (x * y + wrong) % p.modulus)), value.error.eq(bad)]
        valid = accept
        for n in range(1, p.latency):  # the queue is the last register
            stage, flag = Signal(layout(p.o), name=f"stage_{n}"), Signal(name=f"valid_{n}")
            m.d.sync += [stage.eq(value), flag.eq(valid)]
            value, valid = stage, flag
        m.d.comb += [queue.push.eq(valid), queue.data.eq(value)]
        wiring.connect(m, queue.o, wiring.flipped(self.o))
        return m


TOY = Core(
    name="modmul/toy",
    summary="one % of at most 8 bits; for tests",
    source="tests",
    options=(
        Option("latency", int, 3, "cycles", minimum=1, maximum=20),
        Option("interval", int, 2, "cycles", minimum=1, maximum=20),
        Option("faulty", bool, False, "give a wrong product for 3 x 5"),
    ),
    derive=derive,
    schedule=schedule,
    model=Model,
    build=ToyCore,
    codec=FieldCodec,
    trials=tuple(trial("61", latency=L, interval=D) for L, D in ((1, 1), (3, 2), (4, 9))),
)
