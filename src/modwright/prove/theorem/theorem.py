# SPDX-License-Identifier: Apache-2.0
"""The theorem about a netlist: claim, words, polynomials, streams; and the outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from ..proof import NOT_PROVED, Status
from .contract import Claim
from .decide import Operation, Steady, UndecidedError, decide
from .handshake import Probe, Storage, find_interval, prove_streams
from .idle import idle_bits
from .in_turn import Turns, operation_in_turn, streams_in_turn, takes_turns
from .netlist import CONSTANT, MEMORY, Cell, Netlist, Runs, UnsupportedError, part, read
from .refute import AnyClaim, find_failure
from .residues.decide import Channelled, decide_residues
from .resting import Rest, RestlessError, resting_of, rests_of
from .staying import steady_words
from .stretches import ACCEPTED, READY, RESET, TAKEN, VALID, alone, around, check_streams, known_bit, transfer
from .ternary import Simulation, Word, after_reset, ones
from .turns import inputs_of
from .unroll import Unrolled

LONGEST_OPERATION = 20_000
"""Cycles after which the wait for a result is given up."""
FEW_PROBES = 64
"""Most control bits for which the proof assumes nothing about the registers at an input transfer."""
AFTER = 4
"""Cycles after the transfer of the result in which resting registers are observed."""
PROVED: Status = "proved"
REFUTED: Status = "refuted"


class Answer(TypedDict):
    """Document of a theorem for the command line and the report; operands in hexadecimal."""

    status: Status
    statement: str
    seconds: float
    detail: str
    operands: dict[str, str]


@dataclass
class Theorem:
    """The theorem about one netlist.

    Parameters
    ----------
    status : str
        "proved", "refuted" or "not proved".
    statement : str
    detail : str
        Reason for which it is not proved, or the refutation.
    operands : mapping of str to int
        Operands that fail in simulation; empty without any.
    seconds : float
    claim : Claim or None
    operation : Operation or None
    storage : Storage or None
    probes : mapping of int to sequence of Probe
        Control bits that were proved, by the cycle of an operation.
    interval : int
    rests : sequence of Rest
        Lemmas on registers between operations.
    netlist : Netlist or None
    channelled : Channelled or None
        The result as residues.
    turns : Turns or None
        The operations of a core that takes several in turn.
    """

    status: Status
    statement: str
    detail: str = ""
    operands: Mapping[str, int] = field(default_factory=dict[str, int])
    seconds: float = 0.0
    claim: AnyClaim | None = None
    operation: Operation | None = None
    storage: Storage | None = None
    probes: Mapping[int, Sequence[Probe]] = field(default_factory=dict[int, Sequence[Probe]])
    interval: int = 0
    rests: Sequence[Rest] = ()
    netlist: Netlist | None = None
    channelled: Channelled | None = None
    turns: Turns | None = None

    def to_json(self) -> Answer:
        """Document for the command line and the report."""
        return {
            "status": self.status,
            "statement": self.statement,
            "seconds": round(self.seconds, 2),
            "detail": self.detail,
            "operands": {name: hex(value) for name, value in self.operands.items()},
        }


def prove_netlist(verilog: str, top: str, claim: AnyClaim, latency: int, *, search: bool = True) -> Theorem:
    """Prove the claim of a module, with ports `i_valid`, `i_ready`, `i_FIELD`, `o_valid`, `o_ready`, `o_FIELD`.

    Parameters
    ----------
    verilog : str
    top : str
    claim : Claim
    latency : int
        Stated latency in cycles.
    search : bool
        Whether to search for operands that fail where it is not proved.
    """
    found = Theorem(NOT_PROVED, describe(claim.statement, latency), claim=claim)
    start = time.perf_counter()
    try:
        found.netlist = read(verilog, top)
    except UnsupportedError as error:
        found.detail = str(error)
    else:
        prove_claim(found.netlist, claim, latency, found, search=search)
    found.seconds = time.perf_counter() - start
    return found


def prove_claim(netlist: Netlist, claim: AnyClaim, latency: int, theorem: Theorem, *, search: bool = True) -> None:
    """Prove the claim of a netlist, or search for operands that refute it; `theorem` receives the result."""
    find = (lambda: find_failure(netlist, claim, latency)) if search else None
    settle(theorem, lambda: _prove(netlist, claim, latency, theorem), find)


def settled(
    statement: str,
    latency: int,
    prove: Callable[[], object],
    find: Callable[[], tuple[Mapping[str, int], str]] | None,
) -> Theorem:
    """The theorem of a claim, with the outcome of a proof and its time.

    Parameters
    ----------
    statement : str
        One operation in words.
    latency : int
    prove : callable
        Raises what it does not decide.
    find : callable or None
        See `settle`.
    """
    found = Theorem(NOT_PROVED, describe(statement, latency))
    start = time.perf_counter()

    def prove_whole() -> None:
        prove()
        found.status = PROVED

    settle(found, prove_whole, find)
    found.seconds = time.perf_counter() - start
    return found


def settle(
    theorem: Theorem, prove: Callable[[], None], find: Callable[[], tuple[Mapping[str, int], str]] | None
) -> None:
    """Prove, or search for operands that fail; the theorem receives the outcome.

    Parameters
    ----------
    theorem : Theorem
    prove : callable
        Sets the status, and raises what it does not decide.
    find : callable or None
        Operands that fail and the fault, empty where there are none; None for no search.
    """
    try:
        prove()
    except (UnsupportedError, UndecidedError) as error:
        theorem.detail = str(error)
    except RecursionError:
        theorem.detail = "sums in parts that depend on each other"
    if theorem.status != PROVED and find is not None:
        _refute(theorem, find)


def _refute(theorem: Theorem, find: Callable[[], tuple[Mapping[str, int], str]]) -> None:
    """Search for operands that fail; without any the status stays."""
    try:
        theorem.operands, wrong = find()
    except (KeyError, UnsupportedError):
        return
    if theorem.operands:
        theorem.status = REFUTED
        theorem.detail = f"{wrong}, in simulation; the proof ends at: {theorem.detail}"


def describe(claim: str, latency: int) -> str:
    """Statement of the theorem, with that of one operation."""
    return (
        "from reset, for every sequence of operands and every pattern of i_valid and o_ready: the k-th result is of "
        f"the k-th operands, valid {latency} cycles after their transfer or one cycle after the result before it was "
        f"taken, until it is taken, and in no other cycle; a core with none in it takes operands; and {claim}"
    )


def _prove_in_turn(netlist: Netlist, claim: Claim, latency: int, theorem: Theorem) -> None:
    theorem.operation, turns = operation_in_turn(netlist, claim, latency)
    if turns.ready + 1 != latency:
        raise UndecidedError(f"the latency is {turns.ready + 1} cycles, and {latency} are stated")
    decide(claim, theorem.operation)
    wrong = streams_in_turn(netlist, turns)
    if wrong:
        raise UndecidedError(f"streams and control: {wrong}")
    theorem.turns, theorem.interval = turns, turns.transfers.interval
    theorem.status = PROVED


def _prove(netlist: Netlist, claim: AnyClaim, latency: int, theorem: Theorem) -> None:
    check_streams(netlist)
    if isinstance(claim, Claim) and takes_turns(netlist):
        _prove_in_turn(netlist, claim, latency, theorem)
        return
    storage = find_storage(netlist, latency)
    if storage.latency != latency:
        raise UndecidedError(f"the latency is {storage.latency} cycles, and {latency} are stated")
    cycles = storage.ready + 1
    by_itself = alone(netlist, cycles + AFTER, cycles)
    idle: dict[int, Word] = {}
    found = _unroll(netlist, claim, storage, by_itself, idle)
    if len(found[0].unrolled.assumed) > FEW_PROBES:
        guessed = idle_bits(netlist, cycles, found[1])
        other = _unroll(netlist, claim, storage, by_itself, guessed)
        if 2 * len(other[0].unrolled.assumed) <= len(found[0].unrolled.assumed):
            found, idle = other, guessed
    operation, theorem.interval, theorem.rests = found
    theorem.operation, unrolled = operation, operation.unrolled
    if isinstance(claim, Claim):
        decide(claim, operation)
    else:
        theorem.channelled = decide_residues(claim, operation)
    theorem.storage, theorem.probes = storage, probes_of(netlist, unrolled, idle)
    verdict = prove_streams(netlist, storage, theorem.interval, theorem.probes, theorem.rests)
    if verdict.status != "proved":
        if verdict.status == "refuted" and verdict.detail.startswith("valid_wrong"):
            theorem.status = REFUTED
        theorem.detail = f"streams and control: {verdict.detail}"
        return
    theorem.status = PROVED


def _unroll(
    netlist: Netlist,
    claim: AnyClaim,
    storage: Storage,
    by_itself: Sequence[Sequence[Word]],
    idle: Mapping[int, Word],
) -> tuple[Operation, int, Sequence[Rest]]:
    """The operation, the least distance of two, and lemmas on resting registers, with some control bits as given."""
    known = around(netlist, storage.ready + 2, transfer(netlist, idle))
    interval = find_interval([known_bit(netlist.outputs[ACCEPTED], row) for row in known])
    resting = resting_of(netlist, by_itself, interval, storage.ready)
    while True:
        unrolled = Unrolled(netlist, known, by_itself, resting=resting, words_of=claim.words)
        operation = operation_of(unrolled, claim, storage)
        try:
            return operation, interval, rests_of(unrolled)
        except RestlessError as error:  # words are followed through these registers then
            resting = {source: rest for source, rest in resting.items() if source not in error.sources}


def probes_of(netlist: Netlist, unrolled: Unrolled, idle: Mapping[int, Word]) -> dict[int, list[Probe]]:
    """Control bits that have to be proved, by cycle."""
    found: dict[int, list[Probe]] = {}
    for (source, bit, cycle), value in sorted(unrolled.assumed.items()):
        found.setdefault(cycle, []).append((source, bit, value))
    for source, (value, known) in idle.items():
        for bit in range(netlist.widths[source]):
            if known >> bit & 1:
                found.setdefault(0, []).append((source, bit, value >> bit & 1))
    return found


# --- storage of results


def find_storage(netlist: Netlist, longest: int = LONGEST_OPERATION) -> Storage:
    """The queue of results, or the outputs themselves; a result is awaited for `longest` cycles."""
    outputs = {name: runs for name, runs in netlist.outputs.items() if name not in (ACCEPTED, TAKEN)}
    sources = {source for runs in outputs.values() for source, _, _ in runs if source >= 0}
    cells = [netlist.drivers.get(source) for source in sources]
    if len(cells) > 1 and any(cell is not None and cell.kind == MEMORY and cell.written for cell in cells):
        raise UnsupportedError("results wait in several memories")
    cell = cells[0] if len(cells) == 1 else None
    simulation = Simulation(netlist, after_reset(netlist, RESET))
    for cycle in range(longest + 1):
        inputs = {VALID: (int(cycle == 0), 1), READY: (0, 1), RESET: (0, 1)}
        values = simulation.settle(inputs, {})
        valid = known_bit(netlist.outputs[TAKEN], values)
        if valid is None:
            raise UnsupportedError(f"o_valid is not known in cycle {cycle}: the latency depends on operands")
        if valid:
            break
        simulation.clock()
    else:
        raise UnsupportedError(f"no result within {longest} cycles")
    if cell is None or cell.kind != MEMORY or not cell.written:
        return Storage(cycle, outputs, None)
    p = cell.parameters
    push = enable_of(netlist, cell)
    if (p["WR_PORTS"], p["RD_PORTS"]) != (1, 1) or push is None:
        raise UnsupportedError("the queue of results has more ports than two, or several enables")
    data = cell.ports["WR_DATA"]
    placed = {name: tuple(r for _, low, n in runs for r in part(data, low, n)) for name, runs in outputs.items()}
    return Storage(cycle - 1, placed, cell, push)


def enable_of(netlist: Netlist, memory: Cell) -> Runs | None:
    """The one bit that enables every bit of a write; it may choose between zeros and ones."""
    runs = memory.ports["WR_EN"]
    bits = {(source, low + k if source >= 0 else low >> k & 1, 1) for source, low, n in runs for k in range(n)}
    if len(bits) == 1:
        return tuple(bits)
    chooser = netlist.drivers.get(runs[0][0])
    if len(runs) != 1 or chooser is None or chooser.kind != "$mux" or runs[0][2] != chooser.parameters["WIDTH"]:
        return None
    width = chooser.parameters["WIDTH"]
    chosen = (CONSTANT, 0, width), (CONSTANT, ones(width), width)
    return chooser.ports["S"] if (chooser.ports["A"], chooser.ports["B"]) == ((chosen[0],), (chosen[1],)) else None


def operation_of(unrolled: Unrolled, claim: AnyClaim, storage: Storage) -> Operation:
    """Inputs and outputs of the operation, by field; an operand of several words by word."""
    inputs = inputs_of(unrolled)
    outputs = {name.removeprefix("o_"): unrolled.port(runs, storage.ready) for name, runs in storage.outputs.items()}
    missing = claim.fields - set(outputs) | claim.inputs - set(inputs)
    if missing:
        raise UndecidedError(f"the ports are not those of the core: {', '.join(sorted(missing))}")
    steady: Sequence[Steady] = ()
    if storage.memory is None:
        storage.hold, steady = steady_words(unrolled, storage)
    return Operation(unrolled, inputs, outputs, steady)
