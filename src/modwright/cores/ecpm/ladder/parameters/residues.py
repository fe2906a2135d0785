# SPDX-License-Identifier: Apache-2.0
"""Parameters of a point multiplier in residues: its field, and the widths of the scalar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from .....base.errors import ParameterError
from .....base.json import Constant
from .....catalog import Curve
from .....contract import Composite, Field, Inequality, Part, first_certified
from .....contract.fixed_modulus import prime_of
from .....contract.request import Request
from .....engines.ladder.curve import SMALLEST_MODULUS, curve_of
from .....engines.rowers.bases import find_root_bases
from .....engines.rowers.parameters import BELOW, RowerField
from .....rns import Base
from .....rns.extension import Extension, smallest_extension
from ..plan.residues.formulas import MOST, constants_of
from .operands import SerialOperands, order_bits_of

SIGMA = Fraction(1, 2)
"""Offset of the cox of the second extension, with which it rounds: numbers may be negative."""
MOST_CHANNELS = 4
"""Channels beyond the fewest that a search for parameters tries."""
FEWEST = 2
"""Fewest channels."""
OTHER_CORE = "the prime of a curve; ecpm/row-ladder takes the modulus as an operand"
"""Hint for a modulus that is refused."""


@dataclass(frozen=True)
class ResidueLadderParameters(SerialOperands, Composite):
    """Every constant of one point multiplier.

    Parameters
    ----------
    core : str
    rowers : RowerField
        The field.
    order_bits : int
        N, bits of the widest order, n or n + 1: steps of the ladder.
    example : Curve or None
        A curve to make edge cases for; the hardware does not depend on it.
    """

    core: str
    rowers: RowerField
    order_bits: int
    example: Curve | None = field(default=None, kw_only=True)

    @property
    def blinding(self) -> bool:
        """False: Z begins with 2y."""
        return False

    @property
    def modulus(self) -> int:
        """Prime P of the field."""
        return self.rowers.modulus

    @property
    def target(self) -> str:
        """Device family."""
        return self.rowers.target

    @property
    def n(self) -> int:
        """Bits of P."""
        return self.modulus.bit_length()

    @property
    def constants_of_modulus(self) -> tuple[Field, ...]:
        """None: the modulus is not an operand."""
        return ()

    # --- certificate

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The field, whose conditions make the sums of products right."""
        return (("", self.rowers),)

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Ranges of the scalar."""
        return self.scalar_sums()

    def own_description(self) -> dict[str, Constant]:
        """Every constant but the field's."""
        return {"bits": self.n, "order_bits": self.order_bits}


def derive_residues(request: Request) -> ResidueLadderParameters:
    """Parameters with the fewest channels whose certificate holds.

    Raises
    ------
    UsageError
        Without a modulus, or for a curve that is not a Weierstrass curve.
    ParameterError
        For a modulus other than a prime from 5 on, or an order that is too wide; and where no bases fit the width.
    """
    curve = curve_of(request, "weierstrass")
    modulus, options = prime_of(request, SMALLEST_MODULUS, OTHER_CORE), request.options
    bits = order_bits_of(request, modulus.bit_length(), curve)

    def candidates() -> Iterator[ResidueLadderParameters | ParameterError]:
        least = options["channels"] or max(FEWEST, -(-modulus.bit_length() // options["width"]))
        for count in range(least, least + (1 if options["channels"] else MOST_CHANNELS)):
            try:
                made = _field(request, modulus, count)
            except ParameterError as error:
                yield error
                continue
            yield ResidueLadderParameters(request.core, made, bits, example=curve)

    def refused(problem: Inequality) -> ParameterError:
        message = f"{request.core} modulo {modulus:#x}: {problem.name} fails ({problem.why})"
        return problem.refusal(message, "more channels, or wider ones")

    return first_certified(candidates(), refused)


def _first_extension(A: Base, B: Base, f: int | None) -> Extension:
    """The extension from A to B with the fewest bits of its cox for which numbers stay below 2·P."""
    for bits in range(1, A.width + 1) if f is None else (f,):
        extension = Extension(A, B, 1, bits, 0)
        if 1 + extension.error + BELOW < 2:
            return extension
    return Extension(A, B, 1, f or A.width, 0)


def _field(request: Request, modulus: int, count: int) -> RowerField:
    """The field with a number of channels and the fewest bits of each cox."""
    options = request.options
    A, B = find_root_bases(options["width"], count, modulus)
    second = smallest_extension(B, A, 1, SIGMA, f=options["t"])
    first = _first_extension(A, B, options["t"])
    constants = constants_of(modulus, A.product)
    lanes = min(options["lanes"], count)
    return RowerField(modulus, first, second, lanes, MOST, request.target, options["latency"], constants)
