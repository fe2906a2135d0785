# SPDX-License-Identifier: Apache-2.0
"""Constants of an RNS Montgomery multiplier: those of the multiplication, and of the conversion of an exact result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ....base.errors import UsageError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligations, Payload, unchecked
from ....contract.obligation import owed_together
from ....contract.request import Request
from ....contract.roles import Result
from ....engines.coxrower.bases import COX, describe, fewest, make_extension, rowers_of, sigma_of
from ....engines.coxrower.engine import CoxrowerEngine
from ....engines.coxrower.montgomery import Multiplication
from ....engines.coxrower.obligations import built_folds
from ....engines.coxrower.options import local_of
from ....rns import Base
from ....rns.conversion import FromResidues
from ....rns.extension import NONE, Extension, Reduction, find_bases
from ....rns.roots import doubly_rooted_bases, hat_factors, rooted_bases, square_roots

CLASS, EXACT = "class", "exact"
"""The result of a multiplication: residues of an integer below λP, or the binary number below P."""

DIGIT = 54
"""Bits of the converter's digits: three blocks of 18 bits on ECP5."""


@dataclass(frozen=True)
class MultiplierParameters(Multiplication):
    """Every constant of one RNS Montgomery multiplier.

    Parameters
    ----------
    exact : bool
        Whether the result is the binary number below P, and not residues. Then the second extension is left out.
    rooted : bool
        Whether residues in A are stored times a root of what Q's hats take of them.
    doubly : bool
        Whether residues in B are stored times a root, too, of what the hats of S take of them.
    """

    exact: bool = False
    rooted: bool = False
    doubly: bool = False

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Roots r_a of -P^-1·T_a modulo a; 0 where there is none."""
        return square_roots(-self.modulus, self.A) if self.rooted else ()

    @cached_property
    def second_roots(self) -> tuple[int, ...]:
        """Roots r_b of A^-1·T_b; 0 where there is none."""
        return square_roots(self.A.product, self.B) if self.doubly else ()

    @property
    def formula(self) -> str:
        """The sum of products."""
        return " + ".join(f"{x}·{y}" for x, y in self.pairs)

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The cox-rower."""
        return self.cox_rower(1 if self.exact else 2)

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the exact estimate: of the second extension, or of the conversion."""
        exact = self.conversion.cox if self.exact else self.reduction.second.cox
        return owed_together((*built_folds(self.engine), exact.obligation()))

    @cached_property
    def conversion(self) -> FromResidues:
        """Conversion from the hats of S in B to z = S/A modulo P, binary."""
        factor = pow(self.A.product, -1, self.modulus)
        return FromResidues(self.B, self.modulus, self.bound, DIGIT, exact=True, factor=factor)

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        more = self.conversion.inequalities() if self.exact else ()
        squares = (self._squares("roots", "-T/P", -self.modulus, self.A, self.roots),) if self.rooted else ()
        if self.doubly:
            squares += (self._squares("roots-B", "T/A", self.A.product, self.B, self.second_roots),)
        return Certificate((*self.reduction.inequalities(), *squares, *more))

    def _squares(self, name: str, square: str, number: int, base: Base, roots: tuple[int, ...]) -> Inequality:
        """Condition of the roots of a base."""
        factors = zip(roots, hat_factors(number, base), base.moduli, strict=True)
        right = sum(root * root % a == factor for root, factor, a in factors)
        hats = "hats of Q" if base is self.A else "first terms of the hats of S"
        why = f"else products in {'A' if base is self.A else 'B'} are not the {hats}"
        return Inequality(name, f"r² = {square} in every channel", right, "=", self.n, why)

    @cached_property
    def i(self) -> Payload:
        """Operands in both bases."""
        names = [name for pair in self.pairs for name in pair]
        return Payload(tuple(self.operand_field(name, optional=name not in ("x", "y")) for name in names))

    @cached_property
    def o(self) -> Payload:
        """Result in both bases, or the binary number."""
        if self.exact:
            z = Field("z", self.conversion.width, bound=self.modulus, role=Result("z", formula=self.formula))
            return Payload((z, unchecked()))
        return Payload((self.result_field(self.formula), unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        first, second = self.reduction.first, self.reduction.second
        more = {"modulus": self.modulus, "result_bound": self.bound, "summands": self.reduction.products}
        more |= {"exact": self.exact, "second_cox_error": str(second.error), "second_sigma": str(second.sigma)}
        more |= {"rooted": True, "roots": self.roots} if self.rooted else {}
        more |= {"second_roots": self.second_roots} if self.doubly else {}
        return more | describe(self.engine, first)


# --- from a request


def _bases(request: Request, count: int) -> tuple[Base, Base]:
    """The bases of a number of moduli that the options ask for."""
    options, modulus = request.options, request.fixed_modulus()
    if options["second_roots"]:
        return doubly_rooted_bases(options["width"], count, modulus)
    if options["roots"]:
        return rooted_bases(options["width"], count, modulus)
    return find_bases(options["width"], count, coprime_to=modulus)


def derive_multiplier(request: Request) -> MultiplierParameters:
    """The fewest moduli, then the fewest bits of the cox, for which the certificate holds."""
    modulus, options = request.fixed_modulus(), request.options
    sigma = sigma_of(options["sigma"])
    if sigma == 0:
        raise UsageError("option sigma belongs to the second extension, which is exact: above 0", "such as 1/2")

    doubly = options["second_roots"]
    if doubly and (not options["roots"] or options["kappa"] > 1 or options["rowers"] is not None):
        raise UsageError("option second_roots needs roots, one product in a sum, and a rower for every modulus")

    def derived(count: int) -> MultiplierParameters:
        A, B = _bases(request, count)
        second = make_extension(options, B, A, sigma)
        first = Extension(A, B, second.columns, second.f, 0, second.fed if options["first"] == COX else NONE)
        reduction = Reduction(modulus, first, second, options["kappa"])
        return MultiplierParameters(
            reduction,
            options["output"] == EXACT,
            options["roots"],
            doubly,
            target=request.target,
            latency=options["latency"],
            rowers=rowers_of(options, count),
            local=local_of(request),
        )

    return fewest(request, modulus.bit_length() + 2, derived)
