# SPDX-License-Identifier: Apache-2.0
"""Parameters of the multipliers, the modular adder and the inversion that programs of field operations run on.

The multipliers' own conditions make every product right (`engines.limb.parameters`); those here make its reduced
result an operand, the sums exact, and the inversion complete.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ...contract import Composite, Field, Inequality, Part, Payload
from ...contract.roles import NegInverse, Power, constant
from ..limb.parameters import UnitParameters
from ..limb.units import FOLD, FOLD_KARATSUBA, PRODUCT, R64, SCAN, SQUARE, SUM

UNITS = {unit.name.removeprefix("limb-"): unit for unit in (SCAN, FOLD, FOLD_KARATSUBA)}
UNIT_ALIASES = tuple((unit.former.removeprefix("limb-"), name) for name, unit in UNITS.items())


def values_of(fields: Iterable[Field], m: int) -> dict[str, int]:
    """Values of operands that follow from an odd number."""
    return {f.name: constant(f.role, m) for f in fields if isinstance(f.role, NegInverse | Power)}


@dataclass(frozen=True)
class FieldParameters(Composite):
    """Constants of the arithmetic modulo m, to be derived from.

    Parameters
    ----------
    core : str
        Name of the core.
    unit : UnitParameters
        Parameters of each multiplier.
    macs : int
        Multipliers side by side.
    """

    reduces_sums: ClassVar[bool] = True
    """Whether programs have sums of two products that are reduced once."""

    core: str
    unit: UnitParameters
    macs: int

    @property
    def modulus(self) -> int | None:
        """None: the modulus is an operand."""
        return None

    @property
    def n(self) -> int:
        """Bits of the widest modulus."""
        return self.unit.n

    @property
    def T(self) -> int:
        """Exponent T of R = 2^T."""
        return self.unit.T

    @property
    def constants_of_modulus(self) -> tuple[Field, ...]:
        """Operands that follow from the modulus: -1/m, 2^-w where the unit folds, and R²."""
        w, n = self.unit.w, self.n
        folds = (Field("mu", n, role=Power(-w)),) if self.unit.unit.folds else ()
        return Field("q", w, role=NegInverse(w)), *folds, Field("r2", n, role=Power(2 * self.T))

    @property
    def iterations(self) -> int:
        """Exponent of 2 in the result of the inversion: 2T, so that it is of the Montgomery domain."""
        return 2 * self.T

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of operation of the multipliers, in the order of their numbers."""
        if self.unit.unit is R64:
            return (PRODUCT,)
        return (PRODUCT, SQUARE, SUM) if self.reduces_sums else (PRODUCT, SQUARE)

    @property
    def sums(self) -> bool:
        """Whether a sum of two products is one operation."""
        return SUM in self.kinds

    @property
    def forwards(self) -> bool:
        """Whether results go to operand registers as they are written: two multipliers wait for each other's."""
        return self.macs > 1

    @property
    def inverts_alone(self) -> bool:
        """Whether U and R of the inversion are in A and in the register of the first sum, as in the paper's engine: it
        has fewer registers, and an inversion leaves no cycle of the adder to other operations."""
        return self.unit.unit is R64

    # --- registers

    @property
    def multiple(self) -> int:
        """A result of the multipliers is below this multiple of m."""
        return max(self.unit.multiple(kind) for kind in self.kinds)

    @property
    def word_bits(self) -> int:
        """Bits of a word, of A, and at least those of U, V, R and S of the inversion; U and V have a sign."""
        return self.n + 1

    @property
    def sum_bits(self) -> int:
        """Bits of both sums and of the first one's register, which has its sign next to it."""
        return self.n + 2

    # --- certificate

    @property
    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The multipliers, whose conditions make the products right."""
        return (("product", self.unit),)

    def own_inequalities(self) -> tuple[Inequality, ...]:
        """Ranges of the sums and of the inversion."""
        return (*self._sums(), *self._inversion())

    def _sums(self) -> tuple[Inequality, ...]:
        """Ranges of the words and the two sums, for every m < 2^n."""
        m, multiple = (1 << self.n) - 1, self.multiple
        return (
            Inequality(
                "reduced",
                "multiples of m in a result - 1 <= 3",
                multiple - 1,
                "<=",
                3,
                "z - m is in [-m, 3m): the second sum leaves it below 2m; a sum of two products is reduced once more",
                "no kind of any unit gives more than 4m, so no parameters can break it",
            ),
            Inequality(
                "first-operand",
                "multiple·m <= 2^b, b bits of the first sum",
                multiple * m,
                "<=",
                1 << self.sum_bits,
                "a result of a multiplier is an operand of the first sum",
            ),
            Inequality(
                "first-sum",
                "(multiple - 1)·m <= 2^b, b bits of the first sum",
                (multiple - 1) * m,
                "<=",
                1 << self.sum_bits,
                "from -m to 3m - 1, a negative one with a flag: the register is the sum modulo 2^b",
                "first-operand implies it",
            ),
            Inequality(
                "word",
                "2m <= 2^b, b bits of a word",
                2 * m,
                "<=",
                1 << self.word_bits,
                "the second sum subtracts m where it can: what it leaves is below 2m",
            ),
        )

    def _inversion(self) -> tuple[Inequality, ...]:
        """Iterations, and what U, V, R and S hold; while V is not 0, |U|·S + |V|·R = m."""
        m = (1 << self.n) - 1
        return (
            Inequality(
                "inversion",
                "2n <= iterations",
                2 * self.n,
                "<=",
                self.iterations,
                "|U·V| < 2^(2n) at the start and is halved each time, so V = 0 at the end",
                "U·V is below m^2 and is often more than halved; the iterations have to be 2T for another reason, "
                "as 2^iterations is R^2",
            ),
            Inequality(
                "inversion-domain",
                "iterations = 2T",
                self.iterations,
                "=",
                2 * self.T,
                "the result is ±2^iterations / d: with d = D·R it is the inverse of D in the Montgomery domain",
            ),
            Inequality(
                "inversion-signed",
                "m < 2^(b-1), b bits of U and V",
                m,
                "<",
                1 << (self.word_bits - 1),
                "U and V are from -m to m",
            ),
            Inequality(
                "inversion-double",
                "2m <= 2^b, b bits of R",
                2 * m,
                "<=",
                1 << self.word_bits,
                "R < 2m: below m until V is 0, and doubled once by the iteration that makes it so",
            ),
            Inequality(
                "inversion-sum",
                "3m <= 2^b, b bits of the second sum",
                3 * m,
                "<=",
                1 << self.sum_bits,
                "R + S < 2m + m",
                "while V is not 0, R + S <= |U|·S + |V|·R = m; the second sum has the bits of the first one",
            ),
        )


@dataclass(frozen=True)
class CoreParameters(FieldParameters, ABC):
    """Constants of a core whose program runs between two streams, to be derived from."""

    @cached_property
    @abstractmethod
    def i(self) -> Payload:
        """Payload of the input stream."""
        ...

    @cached_property
    @abstractmethod
    def o(self) -> Payload:
        """Payload of the output stream."""
        ...
