# SPDX-License-Identifier: Apache-2.0
"""Golden model: results in one piece, and the registers of a unit cycle by cycle, by the control words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ....contract import Outcome, PayloadValue
from ....contract.runtime_modulus import BAD_MODULUS, OUT_OF_RANGE
from ....engines.limb.operands import A_MINUS, B_MINUS, A, B, field_of, forward_code, limb_of
from ....engines.limb.scanning import CARRY, QUOTIENT, REG1, REG2
from ....engines.limb.schedule import ADDENDS
from ....engines.limb.units import R64, SUM
from ....schedule import Schedule
from .parameters import LimbParameters

Word = Mapping[str, int]


class LimbModel:
    """Golden model: the outputs of the core bit for bit, and their cycles."""

    def __init__(self, p: LimbParameters, schedule: Schedule) -> None:
        self.p = p
        self._latency = schedule.latency

    def run(self, operands: Mapping[str, PayloadValue]) -> Outcome:
        """One operation."""
        values = {name: value for name, value in operands.items() if isinstance(value, int)}
        m = values["m"]
        error = self._error(values)
        # q and mu come from the operands: wrong ones give a wrong result, and no error
        z = 0 if error else result(self.p, values, self.p.kind) & ((1 << self.p.z_bits) - 1)
        return Outcome({"z": z, "modulus": m, "error": error}, self._latency)

    def _error(self, values: Mapping[str, int]) -> int:
        m = values["m"]
        if m % 2 == 0 or m < 3:
            return BAD_MODULUS
        return OUT_OF_RANGE if max(values[name] for name in self.p.operands) >= m << self.p.shift else 0


def result(p: LimbParameters, values: Mapping[str, int], kind: str) -> int:
    """Result z in one piece: multiples of m (or of mu·2^w - 1) are added until s limbs are 0.

    Like the hardware, this assumes the carries out of limb + t·m_0 for the t that follows from q,
    so that the result equals the hardware's for any q.
    """
    w, s, mask = p.w, p.s, (1 << p.w) - 1
    total = values["x"] * values["y"]
    if kind == SUM:
        total += values["x2"] * values["y2"]
    for _ in range(s - 1 if p.unit.folds else 0):
        total = (total >> w) + (total & mask) * values["mu"]
    for _ in range(1 if p.unit.folds else s):
        limb = total & mask
        t = limb * values["q"] & mask
        if p.unit is R64:
            total = (total + t * values["m"]) >> w
        else:
            low = values["m"] & mask
            total = (total >> w) + (t * low >> w) + (limb != 0) + t * (values["m"] >> w)
    return total


# --- column units, cycle by cycle


@dataclass
class ColumnState:
    """Registers of a column unit; those that a unit lacks stay 0."""

    accumulator: int
    t: list[int]
    chain: int = 0
    head: list[int] = field(default_factory=list)
    nonzero: int = 0


def column_states(
    p: LimbParameters, schedule: Schedule, values: Mapping[str, int], state: ColumnState | None = None
) -> Iterator[ColumnState]:
    """The registers after cycles 1, 2, .. up to the one before the result's.

    `state` has their contents at the start, all 0 when it is not given. It is changed in place, and yielded each time.
    """
    if state is None:
        state = ColumnState(0, [0] * p.s, head=[0] * (p.s - 1))
    in_flight: deque[tuple[list[int], Word]] = deque([([0] * p.macs, {})] * p.delay)
    for cycle in range(1, schedule.latency - 1):
        word = schedule.words[cycle] if cycle < schedule.span else {}
        products, action = in_flight.popleft()
        given = []
        for lane in range(p.macs):
            a = _factor(p, word, values, state.t, (A, A_MINUS), products[0], lane)
            given.append((a, _factor(p, word, values, state.t, (B, B_MINUS), products[0], lane)))
        in_flight.append(([a * b for a, b in given], word))
        nonzero = int(given[0][0] != 0) if word.get("quotient") else state.nonzero
        _accumulate(p, state, products, action)
        state.nonzero = nonzero
        yield state


def _factor(
    p: LimbParameters,
    word: Word,
    values: Mapping[str, int],
    t: list[int],
    ports: tuple[str, str],
    leaving: int,
    lane: int = 0,
) -> int:
    """A factor, of the multiplier `lane`."""
    limb, minus = (_limb(p, port, word.get(field_of(port, lane), 0), values, t, leaving) for port in ports)
    return limb - minus


def _limb(p: LimbParameters, port: str, code: int, values: Mapping[str, int], t: list[int], leaving: int) -> int:
    mask = (1 << p.w) - 1
    if code == 0:
        return 0
    if port == A and code == forward_code(p.s):
        return leaving & mask
    limb = limb_of(port, code, p.s)
    return t[limb.index] if limb.bank == "t" else values[limb.bank] >> (p.w * limb.index) & mask


def _accumulate(p: LimbParameters, state: ColumnState, products: list[int], action: Word) -> None:
    """Effects of the products of a cycle when they leave the multipliers."""
    limb, product = (1 << p.w) - 1, products[0]
    total = 0 if action.get("first") else state.accumulator
    for lane, found in enumerate(products):
        if lane == 0 and action.get("high"):
            total += (found >> p.w) + state.nonzero
        elif action.get(field_of("add", lane)):
            total += found << action.get(field_of("double", lane), 0) + p.w * action.get(field_of("ahead", lane), 0)
    if action.get("plus"):
        total += state.chain
    if action.get("minus"):
        total -= state.head[0]
    total &= (1 << p.accumulator) - 1
    if action.get("chain"):
        state.chain = (state.chain + product) & ((1 << p.column_bits) - 1)
    if action.get("keep") or action.get("minus"):
        state.head = [*state.head[1:], state.chain if action.get("keep") else state.head[-1]]
    if action.get("done"):
        state.chain = 0
    if index := action.get("quotient", 0):
        state.t[index - 1] = product & limb
    if index := action.get("close", 0):
        state.t[index - 1] = total & limb
        if p.signed and total >> (p.accumulator - 1):
            total -= 1 << p.accumulator
        total = total >> p.w & ((1 << p.accumulator) - 1)
    state.accumulator = total


def column_result(p: LimbParameters, state: ColumnState) -> int:
    """Result z, after the last cycle."""
    return sum(limb << (p.w * k) for k, limb in enumerate([*state.t[: p.s - 1], state.accumulator]))


# --- r64, cycle by cycle


@dataclass
class ScanState:
    """Registers of r64."""

    z: list[int]
    reg1: int = 0
    reg2: int = 0
    c: int = 0
    q: int = 0


def scan_states(
    p: LimbParameters, schedule: Schedule, values: Mapping[str, int], state: ScanState | None = None
) -> Iterator[ScanState]:
    """States of a scanning unit in each cycle, like `column_states`."""
    if state is None:
        state = ScanState([0] * p.s)
    product, action, adding = 0, {}, 0
    for cycle in range(1, schedule.latency - 1):
        word: Word = schedule.words[cycle] if cycle < schedule.span else {}
        found = product + _addend(state, action.get("addend", 0))
        a = _factor(p, word, values, [state.q], (A, A_MINUS), found)
        b = _factor(p, word, values, [state.q], (B, B_MINUS), found)
        both = state.reg1 + state.reg2
        _store(p, state, found, action.get("target", 0))
        if adding:
            state.z[adding - 1] = both & ((1 << p.w) - 1)
            if adding == p.s - 1:
                state.z[adding] = both >> p.w
            else:
                state.c = both >> p.w
        product, adding, action = a * b, action.get("sum", 0), word
        yield state


def _addend(state: ScanState, code: int) -> int:
    fixed = {0: 0, ADDENDS.index("reg1"): state.reg1, ADDENDS.index("c"): state.c}
    return fixed[code] if code in fixed else state.z[code - ADDENDS.index("z")]


def _store(p: LimbParameters, state: ScanState, value: int, target: int) -> None:
    if target == REG1:
        state.reg1 = value
    elif target == REG2:
        state.reg2 = value
    elif target == QUOTIENT:
        state.q = value & ((1 << p.w) - 1)
    elif target == CARRY:
        state.c = value >> p.w


def scan_result(p: LimbParameters, state: ScanState) -> int:
    """Result z, after the last cycle."""
    return sum(limb << (p.w * k) for k, limb in enumerate(state.z))
