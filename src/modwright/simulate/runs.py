# SPDX-License-Identifier: Apache-2.0
"""Simulations of a core: on edges and random operands, or on the cases of a vector file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..base.errors import VerificationError
from ..catalog import resolve_modulus
from ..contract import Core, PayloadValue
from ..contract.quantities import merged
from ..contract.request import Request
from ..contract.roles import ErrorCode, Errors, Multiple, Operand
from ..contract.runtime_modulus import width_of
from ..functions import Case, find_function
from ..functions.cases import edge_cases, encode_cases, given, random_cases
from ..functions.vectors import VectorFile
from ..prepared import Prepared, prepare
from . import Failure, Verification, verify
from .oracle import Oracle
from .patterns import STALLED, Pattern, patterns


@dataclass(frozen=True)
class Run:
    """Settings of a simulation.

    Parameters
    ----------
    simulator : str
        "auto", "compiled" or "pure".
    stalls : int
        Per cent of cycles, 0 to 99, in which either stream stalls, in patterns with random stalls.
    seed : int
        Seed of random operands, stalls, moments of reset and initial state.
    chained : bool
        Whether every operation takes the result of the one before it.
    pattern : str
        "free", "stalled", "bursts" or "all", see `simulate.patterns`.
    """

    simulator: str = "auto"
    stalls: int = STALLED
    seed: int = 1
    chained: bool = False
    pattern: str = "all"

    def patterns(self, prepared: Prepared, count: int) -> list[Pattern]:
        """The patterns in which `count` cases run."""
        return patterns(prepared.schedule, count, which=self.pattern, seed=self.seed, share=self.stalls)

    def verify(self, prepared: Prepared, cases: Sequence[Case], pattern: Pattern) -> Verification:
        """`simulate.verify` of the pattern's cases."""
        try:
            return verify(
                prepared,
                [cases[k] for k in pattern.indices],
                simulator=self.simulator,
                stalls=pattern.stalls,
                chained=self.chained,
                resets=pattern.resets,
                initial=pattern.initial,
            )
        except VerificationError as error:
            raise VerificationError(f"{error} ({pattern.title})") from error


@dataclass(frozen=True)
class Part:
    """One verification: its pattern, the cases in the order in which they ran, and what was found."""

    pattern: Pattern
    indices: Sequence[int]
    verification: Verification


@dataclass(frozen=True)
class Summary:
    """The verifications of one simulation together.

    Parameters
    ----------
    core : str
        Name of the core.
    parts : list of Part
        One part for each pattern, and for each modulus where there are several.
    """

    core: str
    parts: list[Part] = field(default_factory=list)

    @property
    def cases(self) -> int:
        """Cases run, in whatever patterns."""
        return len({k for part in self.parts for k in part.indices})

    @property
    def passed(self) -> int:
        """Cases without any failure in any pattern."""
        return self.cases - len({f.index for _, f in self.failures})

    @property
    def simulators(self) -> list[str]:
        """Simulators that ran the cases."""
        return sorted({part.verification.simulator for part in self.parts})

    @property
    def failures(self) -> list[tuple[str, Failure]]:
        """Every failure by the index of its case, with the name of the pattern that showed it first."""
        found: dict[object, tuple[str, Failure]] = {}
        for part in self.parts:
            for f in part.verification.failed:
                failure = replace(f, index=part.indices[f.index])
                seen = (failure.index, f.level, *f.got.items(), *f.expected.items())
                found.setdefault(seen, (part.pattern.name, failure))
        return sorted(found.values(), key=lambda row: row[1].index)

    @property
    def failed(self) -> list[Failure]:
        """Every failure, by the index of its case."""
        return [failure for _, failure in self.failures]

    @property
    def cycles(self) -> dict[str, int]:
        """min, median and max of the cycles; of several parts, the median of their medians, weighted by cases."""
        known = [part.verification for part in self.parts if part.verification.cycles]
        if not known:
            return {}
        medians = sorted(v.cycles["median"] for v in known for _ in range(v.cases))
        return {
            "min": min(v.cycles["min"] for v in known),
            "median": medians[(len(medians) - 1) // 2],
            "max": max(v.cycles["max"] for v in known),
        }

    @property
    def extremes(self) -> list[dict[str, Any]]:
        """Range that each quantity of the core reached over all parts (`quantities.record`)."""
        return merged(part.verification.extremes for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """Document that `modwright simulate --json` prints."""
        failed = [{"case": f.index, "got": f.got, "expected": f.expected, "level": f.level} for f in self.failed]
        return {
            "core": self.core,
            "cases": self.cases,
            "passed": self.passed,
            "failed": failed,
            "cycles": self.cycles,
            "patterns": self.patterns(),
            "extremes": self.extremes,
        }

    def patterns(self) -> list[dict[str, Any]]:
        """Counts of each pattern, over all moduli."""
        rows: dict[str, dict[str, Any]] = {}
        for part in self.parts:
            how, verification = part.pattern, part.verification
            row = rows.setdefault(
                how.name,
                {
                    "pattern": how.name,
                    "stalls": None if how.stalls is None else asdict(how.stalls),
                    "initial_state": how.state,
                    **dict.fromkeys(("operations", "passed", "simulated_cycles", "resets", "lost"), 0),
                },
            )
            row["operations"] += verification.cases
            row["simulated_cycles"] += verification.simulated_cycles
            for name in ("passed", "resets", "lost"):
                row[name] += getattr(verification, name)
        return list(rows.values())


def in_chain(prepared: Prepared, cases: Sequence[Case]) -> list[Case]:
    """The cases in an order in which a chain lives long: those that leave 0 or an error to the next, or change the
    modulus, come last. A result need not be an operand modulo another modulus: where a core does not report that, cases
    with another modulus are left out."""
    answers, payloads = Oracle(prepared), encode_cases(prepared, cases)
    modulus = given(prepared).get("modulus")

    def breaks(payload: Mapping[str, PayloadValue]) -> bool:
        answer = answers.answer(payload)
        return answer is None or answer.reading.case.get("modulus", modulus) != modulus

    if _unreported(prepared):
        reported = [(case, payload) for case, payload in zip(cases, payloads, strict=True) if not breaks(payload)]
        cases, payloads = [case for case, _ in reported], [payload for _, payload in reported]

    def ends(payload: Mapping[str, PayloadValue]) -> bool:
        answer = answers.answer(payload)
        return (
            answer is None
            or not any(answer.results.get(name) for name in answers.function.results)
            or answer.reading.case.get("modulus", modulus) != modulus
        )

    numbered = sorted(zip(cases, map(ends, payloads), strict=True), key=lambda pair: pair[1])
    return [case for case, _ in numbered]


def _unreported(prepared: Prepared) -> bool:
    """Whether operands have a limit that depends on the modulus, and none of them is reported above it."""
    p = prepared.parameters
    codes = {name for _, role in p.o.having(ErrorCode) for name in role.codes.values()}
    limited = any(isinstance(role.limit, Multiple) for _, role in p.i.having(Operand))
    return limited and p.modulus is None and Errors.NOT_REDUCED not in codes


def simulate_random(prepared: Prepared, count: int, run: Run) -> Summary:
    """Edge products and `count` random operations."""
    cases = edge_cases(prepared) + random_cases(prepared, count, run.seed)
    if run.chained:
        cases = in_chain(prepared, cases)
    return Summary(prepared.core.name, _parts(prepared, cases, range(len(cases)), run))


def _parts(prepared: Prepared, cases: Sequence[Case], indices: Sequence[int], run: Run) -> list[Part]:
    """The cases, whose places in the whole are `indices`, in each pattern."""
    return [
        Part(pattern, [indices[k] for k in pattern.indices], run.verify(prepared, cases, pattern))
        for pattern in run.patterns(prepared, len(cases))
    ]


def simulate_file(core: Core, request: Request, file: VectorFile, run: Run) -> Summary:
    """The cases of a vector file. A core with a fixed modulus is built once for each modulus of the cases."""
    parts: list[Part] = []
    file.require_function(core.name, core.function)
    request = _with_room_for_order(core, _with_room(core, request, file.cases), file)
    for value, indices in _by_modulus(core, request, file.cases).items():
        own = request
        if value is not None and request.modulus is not None and value != request.modulus.value:
            own = replace(request, modulus=resolve_modulus(hex(value)), curve=None)
        prepared = prepare(core, own)
        cases = replace(file, cases=[file.cases[k] for k in indices]).cases_for(core, prepared.request)
        parts += _parts(prepared, cases, indices, run)
    return Summary(core.name, parts)


def _with_room(core: Core, request: Request, cases: Sequence[Case]) -> Request:
    """Room for the longest exponent of the cases, where no option gives the length of exponents."""
    option = core.sizing("exponent")
    if option is None or request.options[option.name] is not None:
        return request
    scalars = find_function(core.function).scalars
    longest = max((case[name].bit_length() for case in cases for name in scalars), default=0)
    if request.modulus is None or longest <= request.modulus.value.bit_length():
        return request
    return replace(request, options={**request.options, option.name: longest})


def _with_room_for_order(core: Core, request: Request, file: VectorFile) -> Request:
    """Room for the order of the file's curve, where no option gives the length of orders, or of all numbers for a core
    whose orders are as long as its moduli."""
    width = core.sizing("modulus")
    option = core.sizing("order") or width
    if option is None or width is None or request.options[option.name] is not None:
        return request
    if file.curve is None or request.modulus is None or "order" not in find_function(core.function).constants:
        return request
    order = file.curve.order.bit_length()
    if option is width and order <= request.modulus.value.bit_length():
        return request
    return replace(request, options={**request.options, option.name: max(width_of(request, order), order)})


def _by_modulus(core: Core, request: Request, cases: Sequence[Case]) -> dict[int | None, list[int]]:
    """Indices of the cases by the modulus that the core has to be built for."""
    modulus = None if request.modulus is None else request.modulus.value
    groups: dict[int | None, list[int]] = {}
    for index, case in enumerate(cases):
        value = modulus if core.runtime_modulus else case.get("modulus", modulus)
        groups.setdefault(value, []).append(index)
    return groups


def describe_failure(failure: Failure, pattern: str = "") -> str:
    """A failure in words, on three lines."""
    where = f"{failure.level}, {pattern}" if pattern else failure.level
    return (
        f"  operation {failure.index} ({where}): {_words(failure.case)}\n"
        f"    got      {_words(failure.got)}\n"
        f"    expected {_words(failure.expected)}"
    )


def _words(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items()) or "nothing"
