# SPDX-License-Identifier: Apache-2.0
"""Cases of a core's function: edges and their products, extremes, random operands and payloads."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import product
from typing import Protocol

from ..base.errors import UsageError
from ..catalog import Curve, Modulus, is_prime, resolve_modulus
from ..contract import AnyCore, Bordered, Codec, Narrow, PayloadValue
from ..contract.operands import PAYLOAD
from ..contract.quantities import Extremes
from ..contract.request import Request
from . import Case, find_function
from .curves import SMALL_FIELD
from .drawn import OF_FORM

_PLAIN = 24
"""Number of random cases that contain each operation: one of three is missing once in 5,000 times."""


class Subject(Protocol):
    """A derived core, as the choice of cases needs it."""

    @property
    def core(self) -> AnyCore: ...
    @property
    def request(self) -> Request: ...
    @cached_property
    def codec(self) -> Codec: ...
    @cached_property
    def extremes(self) -> Extremes | None: ...


def edge_cases(subject: Subject, *, products: bool = True, extremes: bool = True) -> list[Case]:
    """Named cases: those that reach the extremes of the core, the edges of core and function, and of the edges every
    product of the values that their operands take.

    Parameters
    ----------
    subject : Subject
    products : bool
        False leaves out the products. Cases with a point at infinity never give any: the coordinates of a
        point belong together.
    extremes : bool
        False leaves out those of `extreme_cases` and `border_payloads`, which may be payloads, or of another runtime
        modulus.
    """
    function = find_function(subject.core.function)
    named: list[Case] = _fitted(subject, subject.codec.edges().values())
    named += [c for c in _fitted(subject, function.edges(*_domain(subject)).values()) if c not in named]
    values = [{case[name] for case in named} for name in function.operands]
    found = (
        [*extreme_cases(subject).values(), *({PAYLOAD: payload} for payload in border_payloads(subject).values())]
        if extremes
        else []
    )
    furthest = [case for case in _fitted(subject, found) if case not in named]
    if not products or not function.crossed or any(None in column for column in values):
        return [*furthest, *named]
    shared = {name: named[0][name] for name in function.constants if named and name in named[0]}
    crossed = [
        shared | dict(zip(function.operands, chosen, strict=True))
        for chosen in product(*(sorted(column) for column in values))
    ]
    return [*furthest, *named, *(case for case in _fitted(subject, crossed) if case not in named)]


def extreme_cases(subject: Subject) -> dict[str, Case]:
    """Cases that reach the ends of the quantities that the core states, each named by the value reached; empty without
    any."""
    if subject.extremes is None:
        return {}
    fitting = _fitting(subject)
    return subject.extremes.cases(lambda case: encode_cases(subject, [fitting(case)])[0])


def border_payloads(subject: Subject) -> dict[str, dict[str, PayloadValue]]:
    """Payloads at the borders of the error conditions; none for cores whose few errors random payloads find.

    They differ from a plain case of each operation. Where several operations treat a change alike, the last one
    is used: verification, which reads the most operands.
    """
    codec = subject.codec
    if not isinstance(codec, Bordered):
        return {}
    own, plain = given(subject), plain_cases(subject, _PLAIN, 0)
    of_each = {case.get("op", 0): {**own, **case} for case in plain}
    found: dict[tuple[str, str | None], tuple[str, dict[str, PayloadValue]]] = {}
    for operation, case in sorted(of_each.items()):
        for name, payload in codec.borders(case).items():
            reading = codec.read(payload)
            shown = f"operation {operation}, {name}" if len(of_each) > 1 else name
            found[name, reading and reading.error] = shown, dict(payload)
    return dict(found.values())


def random_cases(subject: Subject, count: int, seed: int) -> list[Case]:
    """`count` random operations, the same for the same seed: plain reduced operands and payloads in turn.

    The payloads are drawn over the whole contract: any representatives, unreduced operands, the bounds
    themselves, and operands that a core reports as errors.
    """
    rng = random.Random(f"payloads of seed {seed}")
    own, codec, cases = given(subject), subject.codec, plain_cases(subject, count, seed)
    return [{PAYLOAD: codec.draw(rng, {**own, **case})} if k % 2 else case for k, case in enumerate(cases)]


def plain_cases(subject: Subject, count: int, seed: int) -> list[Case]:
    """`count` random operations on plain reduced operands, the same for the same seed."""
    function, rng = find_function(subject.core.function), random.Random(seed)
    domain = _domain(subject)
    return _fitted(subject, (function.random(rng, *domain) for _ in range(count)))


def given(subject: Subject) -> Case:
    """Operands that the request fixes for every case: the modulus, where it is an operand."""
    modulus = subject.request.modulus
    return {"modulus": modulus.value} if subject.core.runtime_modulus and modulus is not None else {}


def _domain(subject: Subject) -> tuple[Modulus | None, Curve | None]:
    """The modulus and curve of the request; where only a width was requested, an odd modulus of that width, or a curve
    over a prime of it for a function on curves, unless such a function draws curves over its prime itself."""
    request, width = subject.request, subject.core.sizing("modulus")
    bits = request.options[width.name] if width else None
    if request.modulus is not None or request.curve is not None or not bits:
        return request.modulus, request.curve
    form = find_function(subject.core.function).curve_form
    if form in OF_FORM and bits >= SMALL_FIELD.bit_length():
        curve = OF_FORM[form](bits)
        return curve.field, curve
    least = 1 << (bits - 1)
    drawn = random.Random(f"a modulus of {bits} bits").getrandbits(bits) | least | 1
    while form and not is_prime(drawn):
        drawn = least + (drawn + 2) % least  # from the last of this width to the first
    return resolve_modulus(hex(drawn)), None


def _fitted(subject: Subject, cases: Iterable[Case]) -> list[Case]:
    """Cases that the core can take, see `_fitting`."""
    return list(map(_fitting(subject), cases))


def _fitting(subject: Subject) -> Callable[[Case], Case]:
    """Turn a case into one that the core can take: an exponent may be shorter than the modulus, and a modulus may be an
    operand."""
    codec, own = subject.codec, _own(subject)

    def fit(case: Case) -> Case:
        if PAYLOAD in case:
            return case
        complete = {**own, **case}
        return codec.fit(complete) if isinstance(codec, Narrow) else complete

    return fit


def _own(subject: Subject) -> dict[str, int]:
    """Modulus, and constants of the curve, that only the width requested: a case has to carry them."""
    (modulus, curve), request = _domain(subject), subject.request
    own = {} if request.modulus is not None or modulus is None else {"modulus": modulus.value}
    constants = find_function(subject.core.function).curve_constants
    return own if curve is None or request.curve is not None else own | constants(curve)


def encode_cases(subject: Subject, cases: Sequence[Case], first: int = 0) -> list[dict[str, PayloadValue]]:
    """Input payloads of cases; a core with a runtime modulus gets the request's where a case has none.

    Raises
    ------
    UsageError
        Names the case, counted from `first`, that cannot be represented.
    """
    core, own = subject.core, given(subject)
    payloads: list[dict[str, PayloadValue]] = []
    for number, case in enumerate(cases, first):
        if PAYLOAD in case:
            payloads.append(dict(case[PAYLOAD]))
            continue
        try:
            payloads.append(subject.codec.encode({**own, **case}))
        except ValueError as error:
            raise UsageError(f"case {number} cannot be given to {core.name}: {error}") from error
        except KeyError as error:
            raise UsageError(f"case {number} has no {error.args[0]}, which {core.name} needs") from error
    return payloads
