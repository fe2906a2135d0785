# SPDX-License-Identifier: Apache-2.0
"""Point multiplication through a simulated core."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from ..base.errors import FaultError, UsageError, VerificationError, show_integer
from ..base.json import JsonMapping, JsonObject
from ..base.store import Store
from ..catalog import Curve
from ..contract.request import Request
from ..contract.roles import Errors
from ..functions.ecpm import FUNCTION as ECPM
from ..prepared import prepare
from ..prepared.registry import find
from .exponentiator import SimulatedCore
from .points import Multiplication, PointError, Product, check_point, weierstrass

_BLIND = "blind"
"""Field of a core that multiplies its first Z by a random number."""


class SimulatedPointMultiplier(SimulatedCore):
    """A core `ecpm/...` under simulation, for one curve.

    Whether a point is on the curve, the core says. Every result is held against the equation of the curve once more
    before it is given out: a fault that leaves the curve tells of the scalar (Biehl, Meyer, Müller, CRYPTO 2000).

    Parameters
    ----------
    curve : Curve
        In Weierstrass form. The order of its group, the cofactor included, goes to the core.
    name : str
        Name of the core.
    target : str
        See `request.TARGETS`.
    options : mapping
        Options of the core. With `blinding` on, every multiplication gets a fresh random number.
    simulator : str
        "auto", "compiled" or "pure".
    store : Store or None
        Where what is compiled is kept; None: the user's.
    operations : int
        About how many multiplications will run: for many, the core is compiled with more effort.

    Raises
    ------
    UsageError
        Unknown core or option, a core that is not a point multiplier, or a curve of another form.
    ParameterError
        When no parameters satisfy the request.
    """

    def __init__(
        self,
        curve: Curve,
        name: str = "ecpm/ladder",
        *,
        target: str = "ecp5",
        options: JsonMapping | None = None,
        simulator: str = "auto",
        store: Store | None = None,
        operations: int = 1,
    ) -> None:
        core = find(name)
        if core.function != ECPM.name:
            raise UsageError(f"{name} computes {core.function}", "a core ecpm/...: see `modwright list`")
        self.curve = weierstrass(curve)
        widths: JsonObject = {**core.widths({"modulus": curve.p.bit_length(), "order": self.order_bits})}
        built_in = None if any(option.sizes == "modulus" for option in core.options) else hex(curve.p)
        request = Request.make(core, modulus=built_in, target=target, options=widths | dict(options or {}))
        super().__init__(prepare(core, request, store), simulator, operations)

    @property
    def order(self) -> int:
        """Order of the group of points."""
        return self.curve.order * self.curve.cofactor

    @property
    def order_bits(self) -> int:
        """Steps of the ladder: bits of the order, and not fewer than those of the prime."""
        return max(self.order.bit_length(), self.curve.p.bit_length())

    def multiply(self, jobs: Sequence[Multiplication]) -> Sequence[Product]:
        """See `PointMultiplier.multiply`; a scalar counts modulo the order, and may be longer than it.

        Raises
        ------
        FaultError
            When a result is not on the curve.
        """
        if not jobs:
            return []
        outcomes, _ = self.run([self._case(job) for job in jobs])
        return [Product(self._point(decoded), cycles) for decoded, cycles in outcomes]

    def _case(self, job: Multiplication) -> JsonObject:
        k, point = job
        if not 0 <= k < 1 << self.order_bits:
            raise UsageError(f"a scalar has no sign and at most {self.order_bits} bits")
        x, y = point or (None, None)
        for coordinate in point or ():
            if not 0 <= coordinate < 1 << self.curve.p.bit_length():
                raise PointError(f"a coordinate is below p, but one is {show_integer(coordinate)}")
        curve = {"modulus": self.curve.p, "a": self.curve.a, "b": self.curve.b, "order": self.order}
        blind = {_BLIND: 1 + secrets.randbelow(self.curve.p - 1)} if self._blinded else {}
        return {**curve, **blind, "k": k, "x": x, "y": y}

    @property
    def _blinded(self) -> bool:
        return any(field.name == _BLIND for field in self.prepared.parameters.i.fields)

    def _point(self, decoded: JsonMapping) -> tuple[int, int] | None:
        if decoded["error"] in (Errors.NOT_ON_CURVE, Errors.NOT_REDUCED):
            raise PointError(f"the point is not one of {self.curve.name}: {decoded['error']}")
        if decoded["error"] is not None:
            raise VerificationError(f"{self.prepared.core.name} reports an error: {decoded['error']}")
        if decoded.get("infinity"):
            return None
        point = decoded["rx"], decoded["ry"]
        try:
            check_point(self.curve, point)
        except PointError:
            raise FaultError("the result is not on the curve; it was not released") from None
        return point
