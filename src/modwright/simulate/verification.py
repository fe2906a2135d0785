# SPDX-License-Identifier: Apache-2.0
"""The levels of check: values against a plain function, bits against the model, cycles against the schedule, and
numbers inside an operation against the ranges that the core states."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import asdict, dataclass, field
from typing import Any

from ..base.errors import UsageError, VerificationError
from ..base.json import JsonObject
from ..contract import Field, Outcome, PayloadValue, Stateful
from ..contract.operands import PAYLOAD
from ..contract.quantities import Reached
from ..functions import Case, find_function
from ..functions.cases import encode_cases
from ..prepared import Prepared
from ..schedule import Schedule
from .oracle import Answer, Oracle, elements, unlike_stated
from .patterns import Moment, moments, stretches, victims
from .progress import Progress
from .session import Session
from .simulator import available_simulator, open_session
from .stimulus import Interrupted, Stalls, Trace

VALUE, BITS, CYCLE, RANGE = "value", "bits", "cycle", "range"
_BATCH = 4096
"""Operations that are simulated and then checked together."""


@dataclass(frozen=True)
class Failure:
    """One difference.

    Parameters
    ----------
    index : int
        Index of the operation, from 0.
    case : mapping
        Plain operands of the operation in hex; the fields of the payload where a payload was given; in a chain the
        operands that the payload represents.
    got, expected : mapping of str to str
        Results, payload fields (arrays with element 0 first) in hex, or cycles in decimal.
    level : str
        "value", "bits", "cycle", or "range" for a number inside that leaves the range that the core states.
    """

    index: int
    case: Mapping[str, str]
    got: Mapping[str, str]
    expected: Mapping[str, str]
    level: str


@dataclass
class Verification:
    """Checks of a verification and their outcome.

    Parameters
    ----------
    simulator : str
        "compiled" or "pure".
    cases, passed : int
        Operations run, and those without any failure.
    failed : list of Failure
        At most one an operation and level.
    cycles : dict
        min, median (the lower one) and max of the cycles from the input transfer to the result, measured on
        those operations whose result did not wait for an earlier one; empty without any case.
    interval : int or None
        Least distance seen between two input transfers, in cycles; where an interval admits a burst of operations,
        between the first ones of two bursts.
    simulated_cycles : int
        Cycles simulated in all.
    resets : int
        Resets in the middle of operations.
    lost : int
        Operations in flight that those resets ended.
    extremes : list of dict
        Range that each quantity of the core reached, see `quantities.record`; empty where the core states none.
    """

    simulator: str
    cases: int = 0
    passed: int = 0
    failed: list[Failure] = field(default_factory=list)
    cycles: dict[str, int] = field(default_factory=dict)
    interval: int | None = None
    simulated_cycles: int = 0
    resets: int = 0
    lost: int = 0
    extremes: list[dict[str, Any]] = field(default_factory=list)

    def to_json(self) -> JsonObject:
        """Run of report.json, with the keys of its schema."""
        keys = {"simulator": "engine", "simulated_cycles": "clocks"}
        return {keys.get(name, name): value for name, value in asdict(self).items()}


def verify(
    prepared: Prepared,
    cases: Iterable[Case],
    *,
    simulator: str = "auto",
    stalls: Stalls | None = None,
    chained: bool = False,
    oracle: bool = True,
    resets: int = 0,
    initial: int | None = 1,
) -> Verification:
    """Run cases and compare them on four levels.

    * value: the decoded output is the plain function of the operands that the codec reads from the input payload,
    or the error that the reading states, by name and with a result of 0; fields that repeat an operand do so. The same
    holds for the plain operands that were encoded, and for the result that the case itself states.
    * bits: the output payload equals the model's and every field lies within its declared bound.
    * cycle: result k is valid in cycle max(accepted[k] + the model's cycles, taken[k - 1] + 1); two operations
      are accepted at least the schedule's interval apart, and exactly so when nothing stalls, or in the cycles of one
      burst; a schedule of constant latency and the model agree on it.
    * range: numbers inside an operation of the model lie in the ranges that the core states, where it states any.

    A core with registers (`contract.Stateful`) is compared operation by operation in the order of acceptance: registers
    hold its own earlier results as they came out, and none after a reset.

    Parameters
    ----------
    prepared : Prepared
    cases : iterable of mapping
        Plain operands, with expected results or without, or ``{"payload": fields}``; read in batches.
    simulator : str
        "auto", "compiled" or "pure".
    stalls : Stalls or None
    chained : bool
        Feed the codec's feedback fields of each result into the next operation. The model is fed with the
        core's own previous output, which is read like any other operand, the 0 of an error too;
        the operands and results that a case states do not apply. Only a wrong result may lead to a next operation
        for which the contract promises nothing; that one is checked for bits and cycles.
    oracle : bool
        False leaves out the comparison with the plain function; a result that a case itself states is compared.
    resets : int
        Number of resets in the middle of other operations, before the first cases, see `patterns.stretches`. No
        result of those operations may come afterwards, and the cases that follow are checked like all others.
    initial : int or None
        Seed of registers and memories before the first reset, see `simulator.open_session`.

    Raises
    ------
    UsageError
        When a case cannot be encoded, or the contract promises nothing of a payload.
    VerificationError
        When the core stops or breaks the rules of its output stream.
    """
    name = available_simulator() if simulator == "auto" else simulator
    check = _Check(prepared, Verification(name), stalls is None, chained, oracle)
    total = len(cases) if isinstance(cases, Sized) else None
    supply = iter(cases)
    interruptions = moments(prepared.schedule, initial or 0, resets)
    with (
        open_session(prepared, name, stalls=stalls, chained=chained, initial=initial, operations=total) as session,
        Progress(prepared.core.name, total) as progress,
    ):
        while batch := list(itertools.islice(supply, _BATCH)):
            encoded = encode_cases(prepared, batch, check.verification.cases)
            words = [prepared.parameters.i.pack(e) for e in encoded]
            for part, moment in stretches(len(batch), interruptions):
                if moment is not None:
                    check.interrupted(_interrupt(session, words, prepared.schedule, moment))
                trace = session.feed(words[part], progress.simulated)
                check.batch(batch[part], encoded[part], trace)
                progress.checked(len(batch[part]))
        session.idle(prepared.schedule.latency + prepared.schedule.interval)
    return check.result()


def _interrupt(session: Session, words: Sequence[int], schedule: Schedule, moment: Moment) -> Interrupted:
    window = session.interrupt(victims(words, schedule, moment.cycles), moment.cycles, moment.reset, moment.state)
    session.idle(moment.pause)
    return window


class _Check:
    """Comparison of batch after batch, with the state that the next one needs."""

    def __init__(
        self, prepared: Prepared, verification: Verification, unstalled: bool, chained: bool, oracle: bool
    ) -> None:
        self.prepared = prepared
        self.verification = verification
        self.unstalled = unstalled
        self.oracle = Oracle(prepared) if oracle else None
        self.feedback = tuple(prepared.codec.feedback()) if chained else ()
        self.bounded = any(f.limit < 1 << f.width for f in prepared.parameters.o.fields)
        self.reached = Reached(prepared.extremes)
        self.cycles: Counter[int] = Counter()
        self.previous: dict[str, PayloadValue] = {}  # output payload of the operation before, when chained
        self.stateful = prepared.codec if isinstance(prepared.codec, Stateful) else None
        self.registers: dict[str, PayloadValue] = {}  # those that operations since the reset have written
        self.accepted = self.taken = -1  # cycles of the operation before; -1 before the first
        self.first = self.burst = 0  # cycle of the first transfer of a burst, and transfers in it so far

    def batch(self, cases: Sequence[Case], encoded: Sequence[dict[str, PayloadValue]], trace: Trace) -> None:
        """Check one batch."""
        first = self.verification.cases
        for k, (case, operands) in enumerate(zip(cases, encoded, strict=True)):
            before = len(self.verification.failed)
            self._operation(first + k, case, operands, trace, k)
            self.verification.passed += len(self.verification.failed) == before
        self.verification.cases += len(cases)
        self.verification.simulated_cycles = self.taken + 1

    def interrupted(self, window: Interrupted) -> None:
        """Continue after a reset: no result is fed back, no register is written, and no distance to an operation before
        it counts."""
        self.verification.resets += 1
        self.verification.lost += window.lost
        self.previous, self.registers = {}, {}
        self.burst = 0

    def result(self) -> Verification:
        """The verification, complete."""
        total = self.cycles.total()
        if total:
            ordered = sorted(self.cycles)
            reached = itertools.accumulate(self.cycles[c] for c in ordered)
            median = next(c for c, n in zip(ordered, reached, strict=True) if 2 * n >= total)
            self.verification.cycles = {"min": ordered[0], "median": median, "max": ordered[-1]}
        self.verification.extremes = self.reached.records()
        return self.verification

    def _operation(self, index: int, case: Case, operands: dict[str, PayloadValue], trace: Trace, k: int) -> None:
        fed = bool(self.feedback and self.previous)
        if fed:
            operands = operands | {target: self.previous[source] for source, target in self.feedback}
        operands = operands | self.registers
        answer = self._answer(index, operands, fed or bool(self.registers))
        shown = self._shown(operands, answer) if fed else case
        outcome = self.prepared.outcome(operands)
        expected = self._packed(index, outcome)
        word = trace.words[k]
        payload = outcome.payload if word == expected else self._unpacked(word, outcome)
        if answer is not None:
            self._value(index, shown, payload, answer, None if fed or PAYLOAD in case else case)
        elif self.oracle is None and not fed and PAYLOAD not in case:
            self._stated(index, case, payload)
        self._bits(index, shown, payload, outcome.payload)
        self._cycle(index, shown, trace, k, outcome)
        self._range(index, shown, operands)
        if self.feedback:
            self.previous = payload
        if self.stateful is not None:
            self.registers |= self.stateful.written(operands, payload)

    @staticmethod
    def _shown(operands: Mapping[str, PayloadValue], answer: Answer | None) -> Case:
        """The operands of a chained operation, plain where the payload represents some."""
        return answer.reading.case if answer and answer.reading.case else {PAYLOAD: operands}

    def _answer(self, index: int, operands: Mapping[str, PayloadValue], fed: bool) -> Answer | None:
        if self.oracle is None:
            return None
        answer = self.oracle.answer(operands)
        if answer is None and not (fed and self.verification.failed):
            name = self.prepared.core.name
            raise UsageError(f"case {index}: {name} promises no result for it", "operands within the contract")
        return answer

    def _unpacked(self, word: int, outcome: Outcome) -> dict[str, PayloadValue]:
        """An output payload in the model's form, in which a field of one residue is a tuple as well."""
        found = self.prepared.parameters.o.unpack(word)
        return {name: elements(v) if isinstance(outcome.payload[name], tuple) else v for name, v in found.items()}

    def _packed(self, index: int, outcome: Outcome) -> int:
        try:
            return self.prepared.parameters.o.pack(outcome.payload)
        except ValueError as error:
            raise VerificationError(
                f"{self.prepared.core.name}: the model's output of operation {index} is not a payload: {error}"
            ) from error

    def _bits(
        self,
        index: int,
        case: Case,
        payload: Mapping[str, PayloadValue],
        expected: Mapping[str, PayloadValue],
    ) -> None:
        o = self.prepared.parameters.o
        if payload is not expected and (wrong := [f.name for f in o.fields if payload[f.name] != expected[f.name]]):
            got = {name: _hex(payload[name]) for name in wrong}
            self._fail(index, case, got, {name: _hex(expected[name]) for name in wrong}, BITS)
        elif self.bounded and (wrong := o.out_of_bounds(payload)):
            got = {name: _hex(payload[name]) for name in wrong}
            self._fail(index, case, got, {name: _bound(o[name]) for name in wrong}, BITS)

    def _value(
        self, index: int, shown: Case, payload: Mapping[str, PayloadValue], answer: Answer, plain: Case | None
    ) -> None:
        """The answer in the payload, and the plain case in the answer, None for what was not encoded from one."""
        oracle = self.oracle
        assert oracle is not None
        found = oracle.difference(answer, payload, self.prepared.codec.decode(payload))
        if found is None and plain is not None:
            found = oracle.contradiction(answer, plain)
        if found is not None:
            got, expected = ({name: _show(value) for name, value in side.items()} for side in found)
            self._fail(index, shown, got, expected, VALUE)

    def _stated(self, index: int, case: Case, payload: Mapping[str, PayloadValue]) -> None:
        """The result that a case itself states, where the plain function is not evaluated."""
        decoded = self.prepared.codec.decode(payload)
        found = unlike_stated(find_function(self.prepared.core.function), decoded, case)
        if found is not None:
            got, expected = ({name: _show(value) for name, value in side.items()} for side in found)
            self._fail(index, case, got, expected, VALUE)

    def _range(self, index: int, case: Case, operands: Mapping[str, PayloadValue]) -> None:
        wrong = self.reached.observe(operands)
        if wrong:
            got = {quantity.name: str(value) for quantity, value in wrong}
            rule = {q.name: f"{q.ends[0]} to {q.ends[1]}" for q, _ in wrong}
            self._fail(index, case, got, rule, RANGE)

    def _cycle(self, index: int, case: Case, trace: Trace, k: int, outcome: Outcome) -> None:
        schedule = self.prepared.schedule
        accepted, valid = trace.accepted[k], trace.valid[k]
        own = accepted + outcome.cycles
        expected = max(own, self.taken + 1)
        got: dict[str, int | str] = {}
        rule: dict[str, int | str] = {}
        if valid != expected:
            got["valid"], rule["valid"] = valid, expected
        if schedule.constant_time and outcome.cycles != schedule.latency:
            got["model's cycles"], rule["model's cycles"] = outcome.cycles, schedule.latency
        if self.burst and self.burst < schedule.burst and accepted == self.accepted + schedule.burst_distance:
            self.burst += 1
        else:
            if self.burst:
                self._distance(accepted - self.first, k, got, rule)
            self.first, self.burst = accepted, 1
        if got:
            texts = [{name: str(v) for name, v in side.items()} for side in (got, rule)]
            self._fail(index, case, texts[0], texts[1], CYCLE)
        if own >= self.taken + 1 or valid > self.taken + 1:
            self.cycles[valid - accepted] += 1
        self.accepted, self.taken = accepted, trace.taken[k]

    def _distance(self, distance: int, k: int, got: dict[str, int | str], rule: dict[str, int | str]) -> None:
        """Check the distance of two operations, or of the first ones of two bursts."""
        least = self.prepared.schedule.interval
        known = self.verification.interval
        self.verification.interval = distance if known is None else min(known, distance)
        if distance < least:
            got["interval"], rule["interval"] = distance, f"at least {least}"
        elif distance > least and k and self._back_to_back:
            got["interval"], rule["interval"] = distance, least

    @property
    def _back_to_back(self) -> bool:
        """Whether operations of a batch must follow each other at exactly the interval."""
        return self.unstalled and not self.feedback and self.prepared.schedule.constant_time

    def _fail(self, index: int, case: Case, got: Mapping[str, str], expected: Mapping[str, str], level: str) -> None:
        shown = {name: _show(value) for name, value in case.get(PAYLOAD, case).items()}
        self.verification.failed.append(Failure(index, shown, got, expected, level))


def _hex(value: PayloadValue) -> str:
    return hex(value) if isinstance(value, int) else " ".join(map(hex, value))


def _bound(described: Field) -> str:
    return f"below {described.limit:#x}"


def _show(value: object) -> str:
    if isinstance(value, tuple):
        return _hex(value)
    return hex(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)
