# SPDX-License-Identifier: Apache-2.0
"""All operands of which a point multiplier promises something, together where they are alike: what is reported does not
depend on the fields that come after it in the order of errors, nor a point off the curve on the scalar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count, product

from .....catalog.points import multiply_point
from .....contract.operands import Bits, Cover, nonzero
from .....engines.ladder.curve import SMALLEST_MODULUS
from ..parameters.operands import EcpmOperands
from ..plan.formulas import BLIND, CURVE, POINT

IsCurve = Callable[..., bool]
"""Whether modulus, a and b are those of a curve."""


def covers(p: EcpmOperands, is_curve: IsCurve) -> Iterator[Cover]:
    """Covers of all payloads of which something is promised."""
    yield from ({"m": Bits(0, 1)}, {"m": 1}, {"m": 3}, {"order": 0})
    for m in range(SMALLEST_MODULUS, 1 << p.n, 2):
        for order in nonzero(p.order_bits):
            yield from ({"m": m, "order": order, **wrong} for wrong in _out_of_range(p, m))
        own = {"m": m, **p.constants_of(m)}
        for a, b in product(range(m), repeat=2):
            if is_curve(m, a, b):
                for blind in range(1, m) if BLIND in p.i.offsets else (0,):
                    yield from _of_curve(p, {**own, "a": a, "b": b} | ({BLIND: blind} if blind else {}))


def _out_of_range(p: EcpmOperands, m: int) -> Iterator[Cover]:
    """Covers of what is out of range, next to a good modulus and a good order."""
    blind = [BLIND] if BLIND in p.i.offsets else []
    above = range(m, 1 << p.n)
    yield from ({name: value} for name in (*CURVE, *blind) for value in above)
    yield from ({name: value, "infinity": 0} for name in POINT for value in above)
    yield from ({name: 0} for name in blind)


def _of_curve(p: EcpmOperands, own: Mapping[str, int]) -> Iterator[Cover]:
    """Covers of all points, on the curve and off it."""
    m, a, b = own["m"], own["a"], own["b"]
    yield from ({**own, "order": order, "infinity": 1} for order in nonzero(p.order_bits))
    for x, y in product(range(m), repeat=2):
        point = {**own, "x": x, "y": y, "infinity": 0}
        if (y * y - x**3 - a * x - b) % m:
            yield from ({**point, "order": order} for order in nonzero(p.order_bits))
        else:
            least = next(k for k in count(1) if multiply_point(k, (x, y), m, a) is None)
            orders = range(least, 1 << p.order_bits, least)
            yield from ({**point, "order": order, "k": k} for order in orders for k in range(1 << (p.n + 1)))


def covers_of_prime(p: EcpmOperands, m: int, is_curve: IsCurve) -> Iterator[Cover]:
    """Covers of all payloads of which something is promised, of a core with its prime built in."""
    yield {"order": 0}
    for order in nonzero(p.order_bits):
        yield from ({"order": order, **wrong} for wrong in _out_of_range(p, m))
    for a, b in product(range(m), repeat=2):
        if is_curve(m, a, b):
            for cover in _of_curve(p, {"m": m, "a": a, "b": b}):
                yield {name: value for name, value in cover.items() if name != "m"}
