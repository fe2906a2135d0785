# SPDX-License-Identifier: Apache-2.0
"""Operands and results of point multipliers, and the widths of the scalar."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from .....base.errors import ParameterError
from .....catalog import Curve
from .....contract import Field, Inequality, Payload
from .....contract.request import Request
from .....contract.roles import Blind, ErrorCode, Errors, Flag, Result, Scalar
from .....engines.ladder.curve import BAD_MODULUS, MODULUS_CAUSE, OUT_OF_RANGE, CurveOperands
from ..plan.formulas import BLIND, CURVE, POINT

OFF_CURVE = 3
ERRORS = {BAD_MODULUS: Errors.BAD_MODULUS, OUT_OF_RANGE: Errors.NOT_REDUCED, OFF_CURVE: Errors.NOT_ON_CURVE}
"""Error codes of the result."""

WIDTH = 256
"""Bits of a modulus that a message suggests."""


class EcpmOperands(CurveOperands):
    """Operands and results of a point multiplier, to be derived from.

    Attributes
    ----------
    order_bits : int
        N, bits of the widest order, n or n + 1: steps of the ladder.
    blinding : bool
        Whether the first Z is multiplied by a number that comes in.
    """

    order_bits: int
    blinding: bool

    @property
    def modulus(self) -> int | None:
        """Prime of the field, if it is built in; None where it is an operand."""
        return None

    @property
    def scalar_bits(self) -> int:
        """Bits of r with its sign, in the reduction of the scalar."""
        return self.order_bits + 1

    def scalar_inequalities(self) -> tuple[Inequality, ...]:
        """The reduction of the scalar, a bit at a time, for every order q of N bits."""
        N, q = self.order_bits, (1 << self.order_bits) - 1
        return (
            Inequality(
                "scalar",
                "q - 1 < 2^(b-1), b bits of r",
                q - 1,
                "<",
                1 << (self.scalar_bits - 1),
                "r is from -1 to q - 1; k' = 2^N + ((k - 2^N) mod q) has N + 1 bits, the first of them 1",
            ),
            Inequality(
                "scalar-begin",
                "2^(n+1) <= 2^(N+1)",
                1 << (self.n + 1),
                "<=",
                1 << (N + 1),
                "r begins with 0 or -1: bit N of k, less 1; k has n + 1 bits",
            ),
        )

    def scalar_sums(self) -> tuple[Inequality, ...]:
        """The sums of the scalar, for every order of at most N bits, and k of n + 1."""
        N = self.order_bits
        return (
            Inequality(
                "scalar",
                "2^(n+1) <= 2^(N+1)",
                1 << (self.n + 1),
                "<=",
                1 << (N + 1),
                "k has no bit above bit N, and neither have k + q' and k + 2q', if the sum before has no bit N",
            ),
            Inequality(
                "scalar-reach",
                "2^N <= 2·2^(N-1)",
                1 << N,
                "<=",
                2 << (N - 1),
                "q' has N bits, so that k, k + q' or k + 2q' has a bit N",
                "q' is q moved up to bit N - 1",
            ),
        )

    # --- payloads

    @cached_property
    def i(self) -> Payload:
        """A curve, a point, a scalar, and what is computed from the modulus once."""
        n = self.n
        order = f"a multiple of the order of the point; 0: error {BAD_MODULUS}"
        on_curve = f"y² = x³ + a·x + b, else error {OFF_CURVE}"
        infinity = "the point is that at infinity; x and y are not checked then"
        fields = [
            *([] if self.modulus else [self.modulus_field()]),
            *self.reduced_fields(CURVE, also=on_curve),
            Field("order", self.order_bits, role=Scalar("order"), more=order),
            Field("k", n + 1, role=Scalar("k"), more="the scalar; counts modulo the order"),
            *self.reduced_fields(POINT),
            Field("infinity", 1, role=Flag("infinity"), more=infinity),
            *self.constants_of_modulus,
        ]
        if self.blinding:
            fields.append(Field(BLIND, n, role=Blind(BLIND), more=f"else error {OUT_OF_RANGE}"))
        return Payload(tuple(fields))

    @cached_property
    def o(self) -> Payload:
        """The multiple of the point."""
        zero, bound = "0 for the point at infinity", self.modulus or 0
        causes = {BAD_MODULUS: "order zero" if self.modulus else f"{MODULUS_CAUSE}, or order zero"}
        return Payload(
            (
                Field("x", self.n, bound=bound, role=Result("rx"), more=zero),
                Field("y", self.n, bound=bound, role=Result("ry"), more=zero),
                Field("infinity", 1, role=Flag("infinity"), more="the result is the point at infinity"),
                Field("error", 2, role=ErrorCode(ERRORS, causes)),
            )
        )


class SerialOperands(EcpmOperands):
    """Operands of a point multiplier whose scalar is lifted bit by bit, to be derived from."""

    @property
    @abstractmethod
    def target(self) -> str:
        """Device family."""
        ...


def order_bits_of(request: Request, n: int, curve: Curve | None) -> int:
    """Bits of the widest order for a modulus of n bits, the requested ones or those of the curve's order.

    Raises
    ------
    ParameterError
        For an order that is too wide, or bits that no order of a curve over the field has.
    """
    order = 0 if curve is None else curve.order
    # Hasse: an order has at most n + 1 bits
    bits = request.options["order_bits"] or (n + 1 if curve is None else max(n, order.bit_length()))
    if not n <= bits <= n + 1:
        raise ParameterError(
            f"{request.core}: a ladder for orders of {n} or {n + 1} bits",
            rule="n <= order_bits <= n + 1",
            left=bits,
            right=n if bits < n else n + 1,
            hint="shorter orders are taken as well",
        )
    if order.bit_length() > bits:
        raise ParameterError(
            f"{request.core}: the order of {curve.name if curve else 'the curve'} does not fit",
            rule="bits of the order <= order_bits",
            left=order.bit_length(),
            right=bits,
            hint="order_bits one more, or not given",
        )
    return bits
