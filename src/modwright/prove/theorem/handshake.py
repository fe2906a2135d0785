# SPDX-License-Identifier: Apache-2.0
"""Streams and control of a netlist for every pattern of `i_valid` and `o_ready`, from reset and for all time: by all
states that can be reached, or by ABC.

A monitor in Verilog counts next to the core. Its properties together state: a result is due a fixed number of cycles
after each input transfer and at no other time; it is written to the place of the queue from which it is read in its
turn, and no place with a waiting result is written; an empty core takes operands; `o_valid` is high while a result
waits; and in each cycle of an operation the control bits have the values that the polynomials were made with.
Operands are 0 in the monitor: they reach no bit that it reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...base.disk import scratch
from ...rtl.verilog import run_yosys
from ..abc import Bench
from ..proof import PROVED, Verdict
from ..reached import never_one, read_graph
from .module import Bits, Module
from .netlist import Cell, Netlist, Runs
from .resting import Rest
from .stretches import ACCEPTED, CLOCK, READY, RESET, TAKEN, VALID, payload_inputs
from .ternary import after_reset, width_of
from .undefined import UNKNOWN, freed, unset

LONGEST = 64
"""Most cycles of an operation that the monitor follows by one register for each; longer ones by a counter."""

Probe = tuple[int, int, int]
"""Source, bit, and the value that it must have."""


@dataclass
class Storage:
    """Registers in which results wait.

    Parameters
    ----------
    ready : int
        Cycle of an operation in which its result is written to a place, or is at the outputs where there is no queue.
    outputs : mapping of str to Runs
        Bits of the result in that cycle, by output port.
    memory : Cell or None
        Memory of the queue.
    push : Runs
        Bit with which the queue takes a result.
    hold : sequence of Probe
        Control bits while a result waits and is not taken, without a queue.
    """

    ready: int
    outputs: Mapping[str, Runs]
    memory: Cell | None = None
    push: Runs = ()
    hold: Sequence[Probe] = field(default=())

    @property
    def places(self) -> int:
        """Results that can wait."""
        return self.memory.parameters["SIZE"] if self.memory else 1

    @property
    def latency(self) -> int:
        """Cycles from the input transfer to the first cycle with a valid result."""
        return self.ready + 1 if self.memory else self.ready


def prove_streams(
    netlist: Netlist,
    storage: Storage,
    interval: int,
    probes: Mapping[int, Sequence[Probe]],
    rests: Sequence[Rest] = (),
) -> Verdict:
    """Prove every property of the monitor.

    Parameters
    ----------
    netlist : Netlist
    storage : Storage
    interval : int
        Cycles between two input transfers, at least.
    probes : mapping of int to sequence of Probe
        Control bits that an operation needs, by its cycle.
    rests : sequence of Rest
        Registers that rest, whose control bits have values in all cycles but some of an operation.
    """
    nets = _nets(netlist, storage, probes, rests)
    tainted = netlist.tainted(payload_inputs(netlist))
    for name, runs in nets.items():
        reached = next((netlist.names[source] for source, _, _ in runs if source in tainted), None)
        if reached is not None:
            return Verdict("refuted", f"{name}, which is {reached}, depends on operands")
    module, unknown = freed(netlist)
    monitor = _Monitor(netlist, storage, interval, nets, probes, rests, unknown)
    bench = Bench(_bench(netlist, module, nets, monitor.text()))
    if holds_in_all_states(bench, monitor.properties):
        return PROVED
    return bench.check([(name,) for name in monitor.properties], 2 * storage.latency + interval + 8)


def holds_in_all_states(bench: Bench, properties: Sequence[str]) -> bool:
    """Whether no property is violated in any state that can be reached, for all handshakes; false, too, if there are
    many states."""
    with scratch() as folder:
        inputs = bench.graph(folder, properties)["input"]
        graph = read_graph(folder / "bench.aig")
    return never_one(graph, [inputs.index(name) for name in (VALID, READY) if name in inputs])


def _nets(
    netlist: Netlist, storage: Storage, probes: Mapping[int, Sequence[Probe]], rests: Sequence[Rest]
) -> dict[str, Runs]:
    """Bits that the monitor reads, by the port that they get."""
    nets = {"accepted": netlist.outputs[ACCEPTED], "valid": netlist.outputs[TAKEN]}
    if storage.memory is not None:
        ports = storage.memory.ports
        nets |= {"push": storage.push, "into": ports["WR_ADDR"], "out_of": ports["RD_ADDR"]}
    resting = (bit for rest in rests for bit in rest.bits)
    for source, low, _ in {*(p for row in probes.values() for p in row), *storage.hold, *resting}:
        nets[f"bit_{source}_{low}"] = ((source, low, 1),)
    return nets


class _Monitor:
    """Text of the monitor.

    Attributes
    ----------
    properties : list of str
        Outputs of the monitor, each of which must stay 0.
    """

    def __init__(
        self,
        netlist: Netlist,
        storage: Storage,
        interval: int,
        nets: Mapping[str, Runs],
        probes: Mapping[int, Sequence[Probe]],
        rests: Sequence[Rest],
        unknown: int,
    ) -> None:
        self.netlist, self.storage, self.interval = netlist, storage, interval
        self.nets, self.probes, self.rests = nets, probes, rests
        self._unknown = unknown
        self.lines: list[str] = []
        self.properties: list[str] = []

    def text(self) -> str:
        """The module `bench`."""
        self._wires()
        self._ages()
        self._queue()
        for cycle, row in sorted(self.probes.items()):
            self._never(f"control_{cycle}", f"{self._age(cycle)} & ({_wrong(row)})")
        if self.storage.hold:
            self._never("held", f"valid & ~{READY} & ({_wrong(self.storage.hold)})")
        for number, rest in enumerate(self.rests):
            busy = self._between(rest.first - 1, rest.end - 1)
            self._never(f"rest_{number}", f"~({busy}) & ({_wrong(rest.bits) or 0})")
        ports = ", ".join(
            [
                "input clk",
                f"input {VALID}",
                f"input {READY}",
                *([f"input [{self._unknown - 1}:0] {UNKNOWN}"] if self._unknown else []),
                *(f"output {p}" for p in self.properties),
            ]
        )
        return "\n".join([f"module bench({ports});", *self.lines, "endmodule"])

    def _never(self, name: str, condition: str) -> None:
        self.properties.append(name)
        self.lines.append(f"assign {name} = {condition};")

    def _wires(self) -> None:
        given = [f".{CLOCK}(clk)", f".{RESET}(1'b0)", f".{VALID}({VALID})", f".{READY}({READY})"]
        for name in payload_inputs(self.netlist):
            given.append(f".{name}({self.netlist.widths[self.netlist.inputs[name]]}'d0)")
        if self._unknown:
            given.append(f".{UNKNOWN}({UNKNOWN})")
        for name, runs in self.nets.items():
            self.lines.append(f"wire [{width_of(runs) - 1}:0] {name};")
            given.append(f".{name}({name})")
        self.lines += [
            f"core u({', '.join(given)});",
            f"wire admitted = {VALID} & accepted;",
            f"wire taken = valid & {READY};",
        ]

    # --- cycles since the input transfer

    def _ages(self) -> None:
        """Define `age_<n>`: an operation is in its cycle n."""
        last = self.storage.ready
        if last <= LONGEST:
            self.lines.append(f"reg [{last}:0] past = 0;")
            self.lines.append("always @(posedge clk) past <= {past, admitted};")
            return
        lanes = -(-last // self.interval)
        bits = last.bit_length()
        self.lines.append(f"reg [{max(1, (lanes - 1).bit_length()) - 1}:0] turn = 0;")
        self.lines.append(f"always @(posedge clk) if (admitted) turn <= turn == {lanes - 1} ? 0 : turn + 1;")
        for lane in range(lanes):
            self.lines += [
                f"reg [{bits - 1}:0] lane_{lane} = 0;",
                f"always @(posedge clk) lane_{lane} <= (admitted && turn == {lane}) ? 1 : "
                f"(lane_{lane} == 0 || lane_{lane} == {last}) ? 0 : lane_{lane} + 1;",
            ]

    def _age(self, cycle: int) -> str:
        if cycle == 0:
            return "admitted"
        if self.storage.ready <= LONGEST:
            return f"past[{cycle - 1}]"
        lanes = -(-self.storage.ready // self.interval)
        return "(" + " | ".join(f"(lane_{lane} == {cycle})" for lane in range(lanes)) + ")"

    def _between(self, first: int, last: int) -> str:
        """Condition that an operation is in one of the cycles `first` to `last`."""
        if self.storage.ready <= LONGEST:
            return " | ".join(self._age(cycle) for cycle in range(first, last + 1))
        lanes = range(-(-self.storage.ready // self.interval))
        spans = [f"(lane_{lane} >= {max(first, 1)} & lane_{lane} <= {last})" for lane in lanes]
        return " | ".join([*spans, *(["admitted"] if not first else [])])

    # --- results

    def _queue(self) -> None:
        places, due = self.storage.places, self._age(self.storage.ready)
        bits = places.bit_length()
        if self.storage.memory is None:
            due = self._age(self.storage.ready - 1)
        self.lines += [
            f"wire due = {due};",
            f"reg [{bits - 1}:0] waiting = 0;",
            "always @(posedge clk) waiting <= waiting + due - taken;",
        ]
        self._never("valid_wrong", "valid != (waiting != 0)")
        rest = max(self.storage.ready, self.interval) + 1
        self.lines += [
            f"reg [{rest.bit_length() - 1}:0] rest = {rest};",
            f"always @(posedge clk) rest <= admitted ? 0 : rest == {rest} ? {rest} : rest + 1;",
        ]
        self._never("stuck", f"(rest == {rest}) & (waiting == 0) & ~accepted")
        self._never("full", f"due & (waiting == {places}) & ~taken")
        if self.storage.memory is None:
            return
        self._never("push_wrong", "push != due")
        width = max(1, (places - 1).bit_length())
        for name, step in (("head", "taken"), ("tail", "due")):
            self.lines += [
                f"reg [{width - 1}:0] {name} = 0;",
                f"always @(posedge clk) if ({step}) {name} <= {name} == {places - 1} ? 0 : {name} + 1;",
            ]
        self._never("head_wrong", "valid & (out_of != head)")
        self._never("tail_wrong", "push & (into != tail)")


def _wrong(bits: Sequence[Probe]) -> str:
    """Condition that some bit differs from its required value; one comparison, as Yosys does not read long sums."""
    names = ", ".join(f"bit_{source}_{low}" for source, low, _ in bits)
    return f"{{{names}}} != {len(bits)}'b{''.join(str(value) for _, _, value in bits)}" if bits else ""


def _bench(netlist: Netlist, module: Module, nets: Mapping[str, Runs], monitor: str) -> str:
    """RTLIL of the monitor with the core, whose registers start as one cycle of reset leaves them."""
    bits: list[Bits] = [[bit for bit in given if isinstance(bit, int | str)] for given in netlist.bits]
    any_at_first = unset(netlist)
    ports = {CLOCK, RESET, VALID, READY, UNKNOWN, *payload_inputs(netlist)}
    module["ports"] = {name: port for name, port in module["ports"].items() if name in ports}
    for name, runs in nets.items():
        found: Bits = []
        for source, low, count in runs:
            found += bits[source][low : low + count] if source >= 0 else list(f"{low:0{count}b}"[::-1])
        module["ports"][name] = {"direction": "output", "bits": found}
        module["netnames"][name] = {"bits": found, "attributes": {}}
    for source, (value, known) in after_reset(netlist, RESET).items():
        if source in any_at_first:
            continue
        width = netlist.widths[source]
        text = "".join(str(value >> k & 1) if known >> k & 1 else "x" for k in reversed(range(width)))
        module["netnames"][f"start_{source}"] = {
            "bits": bits[source],
            "attributes": {"init": text},
        }
    module["attributes"] = {}
    with scratch() as folder:
        (folder / "core.json").write_text(json.dumps({"modules": {"core": module}}), encoding="utf-8")
        (folder / "monitor.v").write_text(monitor, encoding="utf-8")
        run_yosys(
            "read_json core.json\nread_verilog monitor.v\nhierarchy -top bench\nproc\nflatten\n"
            "opt_clean -purge\nwrite_rtlil bench.il\n",
            folder=folder,
        )
        return (folder / "bench.il").read_text(encoding="utf-8")


def find_interval(ready: Sequence[int | None]) -> int:
    """Least cycles between two input transfers: those for which `i_ready` is always low after one."""
    return next((cycle for cycle, bit in enumerate(ready) if cycle and bit != 0), len(ready))
