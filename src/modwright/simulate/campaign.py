# SPDX-License-Identifier: Apache-2.0
"""Which operations are simulated: edge products, random operands, and the cases of a vector file."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from ..base.errors import VerificationError
from ..catalog import Curve, Modulus, resolve_modulus
from ..contract import Core, Narrow, PayloadValue
from ..contract.operands import PAYLOAD
from ..contract.quantities import merged
from ..contract.request import Request
from ..functions.functions import Case, find_function
from ..prepared import Prepared, prepare
from . import Failure, Verification, verify
from .oracle import Oracle
from .patterns import STALLED, Pattern, patterns
from .vectors import VectorFile
from .verification import encode_cases


@dataclass(frozen=True)
class Run:
    """How operations are simulated.

    Parameters
    ----------
    engine : str
        "auto", "compiled" or "pure".
    stalls : int
        Per cent of cycles in which either stream stalls, where streams stall at random; 0 to 99.
    seed : int
        Of random operands, stalls, moments of reset and initial state.
    chained : bool
        Every operation takes the result of the one before it.
    pattern : str
        "free", "stalled", "bursts" or "all", see `simulate.patterns`.
    """

    engine: str = "auto"
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
                engine=self.engine,
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
    found: Verification


@dataclass(frozen=True)
class Summary:
    """The verifications of one simulation together.

    Parameters
    ----------
    core : str
        Its name.
    parts : list of Part
        One for each pattern, and for each modulus where there are several.
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
    def engines(self) -> list[str]:
        """What ran them."""
        return sorted({part.found.engine for part in self.parts})

    @property
    def failures(self) -> list[tuple[str, Failure]]:
        """Every failure by the index of its case, with the name of the pattern that showed it first."""
        found: dict[object, tuple[str, Failure]] = {}
        for part in self.parts:
            for f in part.found.failed:
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
        """min, median and max of the clocks; of several parts, the median of their medians, weighted by cases."""
        known = [part.found for part in self.parts if part.found.cycles]
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
        """How far each quantity of the core went over all parts (`quantities.record`)."""
        return merged(part.found.extremes for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """What `modwright simulate --json` prints."""
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
            how, found = part.pattern, part.found
            row = rows.setdefault(
                how.name,
                {
                    "pattern": how.name,
                    "stalls": None if how.stalls is None else asdict(how.stalls),
                    "initial_state": how.state,
                    **dict.fromkeys(("operations", "passed", "simulated_cycles", "resets", "lost"), 0),
                },
            )
            row["operations"] += found.cases
            row["simulated_cycles"] += found.clocks
            for name in ("passed", "resets", "lost"):
                row[name] += getattr(found, name)
        return list(rows.values())


def edge_cases(prepared: Prepared, *, products: bool = True, extremes: bool = True) -> list[Case]:
    """Named cases: those that reach the extremes of the core, the edges of core and function, and of the edges every
    product of the values that their operands take.

    Parameters
    ----------
    prepared : Prepared
    products : bool
        False leaves out the products. Cases with a point at infinity never give any: the coordinates of a
        point belong together.
    extremes : bool
        False leaves out those of `extreme_cases`, which may be payloads, or of another runtime modulus.
    """
    function = find_function(prepared.core.function)
    named: list[Case] = _fitted(prepared, prepared.codec.edges().values())
    named += [c for c in _fitted(prepared, function.edges(*_domain(prepared)).values()) if c not in named]
    values = [{case[name] for case in named} for name in function.operands]
    found = extreme_cases(prepared).values() if extremes else ()
    furthest = [case for case in _fitted(prepared, found) if case not in named]
    if not products or any(None in column for column in values):
        return [*furthest, *named]
    crossed = [
        dict(zip(function.operands, chosen, strict=True)) for chosen in product(*(sorted(column) for column in values))
    ]
    return [*furthest, *named, *(case for case in _fitted(prepared, crossed) if case not in named)]


def extreme_cases(prepared: Prepared) -> dict[str, Case]:
    """Cases that go to the ends of the quantities that the core states, each named by what it gives; none without
    any."""
    if prepared.extremes is None:
        return {}
    fitting = _fitting(prepared)
    return prepared.extremes.cases(lambda case: encode_cases(prepared, [fitting(case)])[0])


def random_cases(prepared: Prepared, count: int, seed: int) -> list[Case]:
    """`count` random operations, the same for the same seed: plain reduced operands and payloads in turn.

    The payloads are drawn over all that the contract has: any representatives, unreduced operands, the bounds
    themselves, and what a core reports.
    """
    rng = random.Random(f"payloads of seed {seed}")
    given, codec, cases = _given(prepared), prepared.codec, plain_cases(prepared, count, seed)
    return [{PAYLOAD: codec.draw(rng, {**given, **case})} if k % 2 else case for k, case in enumerate(cases)]


def plain_cases(prepared: Prepared, count: int, seed: int) -> list[Case]:
    """`count` random operations on plain reduced operands, the same for the same seed."""
    function, rng = find_function(prepared.core.function), random.Random(seed)
    domain = _domain(prepared)
    return _fitted(prepared, (function.random(rng, *domain) for _ in range(count)))


def _given(prepared: Prepared) -> Case:
    """The part of the request about a modulus that is an operand."""
    modulus = prepared.request.modulus
    return {"modulus": modulus.value} if prepared.core.runtime_modulus and modulus is not None else {}


def in_chain(prepared: Prepared, cases: Sequence[Case]) -> list[Case]:
    """The cases in an order in which a chain lives long: those that leave 0 or an error to the next, or change the
    modulus, come last."""
    answers, payloads = Oracle(prepared), encode_cases(prepared, cases)
    given = _given(prepared).get("modulus")

    def ends(payload: Mapping[str, PayloadValue]) -> bool:
        answer = answers.answer(payload)
        return (
            answer is None
            or not any(answer.results.get(name) for name in answers.function.results)
            or answer.reading.case.get("modulus", given) != given
        )

    numbered = sorted(zip(cases, map(ends, payloads), strict=True), key=lambda pair: pair[1])
    return [case for case, _ in numbered]


def _domain(prepared: Prepared) -> tuple[Modulus | None, Curve | None]:
    """The modulus and curve of the request; where only a width was asked for, an odd modulus of that width."""
    request = prepared.request
    bits = request.options.get("bits")
    if request.modulus is not None or request.curve is not None or not bits:
        return request.modulus, request.curve
    drawn = random.Random(f"a modulus of {bits} bits").getrandbits(bits)
    return resolve_modulus(hex(drawn | 1 << (bits - 1) | 1)), None


def _fitted(prepared: Prepared, cases: Iterable[Case]) -> list[Case]:
    """Cases that the core can take, see `_fitting`."""
    return list(map(_fitting(prepared), cases))


def _fitting(prepared: Prepared) -> Callable[[Case], Case]:
    """Turn a case into one that the core can take: an exponent may be shorter than the modulus, and a modulus may be an
    operand."""
    codec, (modulus, _) = prepared.codec, _domain(prepared)
    own = {} if prepared.request.modulus is not None or modulus is None else {"modulus": modulus.value}
    fit = codec.fit if isinstance(codec, Narrow) else dict
    return lambda case: case if PAYLOAD in case else fit({**own, **case})


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
    """The cases of a vector file. A core with a built-in modulus is built once for each modulus of the cases."""
    parts: list[Part] = []
    request = _with_room_for_order(_with_room(request, file.cases), file)
    for value, indices in _by_modulus(core, request, file.cases).items():
        own = request
        if value is not None and request.modulus is not None and value != request.modulus.value:
            own = replace(request, modulus=resolve_modulus(hex(value)), curve=None)
        prepared = prepare(core, own)
        cases = replace(file, cases=[file.cases[k] for k in indices]).cases_for(prepared)
        parts += _parts(prepared, cases, indices, run)
    return Summary(core.name, parts)


def _with_room(request: Request, cases: Sequence[Case]) -> Request:
    """Room for the longest exponent of the cases, where nobody has said how long exponents are."""
    if "exponent_bits" not in request.options or request.options["exponent_bits"] is not None:
        return request
    longest = max((case["exponent"].bit_length() for case in cases if "exponent" in case), default=0)
    if request.modulus is None or longest <= request.modulus.value.bit_length():
        return request
    return replace(request, options={**request.options, "exponent_bits": longest})


def _with_room_for_order(request: Request, file: VectorFile) -> Request:
    """Room for the order of the file's curve, where nobody has said how long orders are."""
    if file.curve is None or request.modulus is None or request.options.get("order_bits", 0) is not None:
        return request
    bits = request.options["bits"] or request.modulus.value.bit_length()
    order = file.curve.order.bit_length()
    return replace(request, options={**request.options, "order_bits": max(bits, order)})


def _by_modulus(core: Core, request: Request, cases: Sequence[Case]) -> dict[int | None, list[int]]:
    """Indices of the cases by the modulus that the core has to be built for."""
    asked = None if request.modulus is None else request.modulus.value
    groups: dict[int | None, list[int]] = {}
    for index, case in enumerate(cases):
        value = asked if core.runtime_modulus else case.get("modulus", asked)
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
