# SPDX-License-Identifier: Apache-2.0
"""Constants of base extensions and of RNS Montgomery multiplication on a cox-rower.

The multiplication follows Algorithm 3 of Djath, Bigou and Tisserand 2019 (Posch and Posch 1995), with its products
reordered as in Gandino et al. 2012, so that a reduction takes 2n² + 2n of them for KBE. Operands and results are
x·A mod P; in base B they are stored as hats, <x·T_b>:

    q̂_a = <x_a·y_a·(-P^-1·T_a)>                    the hats of Q in A
    ŝ_b = <x̂_b·ŷ_b·(A·T_b)^-1 + Q·P·A^-1·T_b>       the hats of S in B; Q is extended without its own residues
    s_a = <Σ Ŝ_i·B/B_i - h·B>                      S in A
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeVar

from ....base.errors import ParameterError, UsageError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligations, Payload, unchecked
from ....contract.obligation import owed_together
from ....contract.request import Request
from ....contract.roles import Operand, Residues, Result
from ....engines.coxrower.engine import Engine
from ....engines.coxrower.obligations import built_folds
from ....rns import Base
from ....rns.conversion import FromResidues
from ....rns.extension import NONE, SUPER, Extension, Reduction, find_bases, smallest_extension

COX, WITHOUT = "cox", "none"
"""The first extension: with a cox, or without."""
CLASS, EXACT = "class", "exact"
"""The result of a multiplication: residues of an integer below λP, or the binary number below P."""

DIGIT = 54
"""Bits of the converter's digits: three blocks of 18 bits on ECP5."""

MOST_ROWS = 4
"""Rows beyond the fewest that a search for parameters tries."""


class OnTwoBases(Protocol):
    """What all parameters of this family say of their bases."""

    @property
    def first(self) -> Extension:
        """The extension from A to B."""
        ...

    @property
    def A(self) -> Base:
        """The base of the operand of an extension; its product is the Montgomery factor of a multiplication."""
        return self.first.source

    @property
    def B(self) -> Base:
        """The other base."""
        return self.first.target

    @property
    def width(self) -> int:
        """w."""
        return self.A.width

    @property
    def n(self) -> int:
        """Moduli of a base."""
        return self.A.count


@dataclass(frozen=True)
class ExtensionParameters(OnTwoBases):
    """Every constant of one base extension.

    Parameters
    ----------
    modulus : int
        Values are below it, as the request says; more are taken (`limit`).
    extension : Extension
    target : str
        What the multiplier blocks are written for.
    latency : int
        Clocks of a multiply-accumulate, L.
    rowers : int, optional
        n when not given.
    """

    modulus: int
    extension: Extension
    target: str
    latency: int
    rowers: int | None = None

    @property
    def first(self) -> Extension:
        """The extension."""
        return self.extension

    @property
    def exact(self) -> bool:
        """Whether the result is X itself (σ > 0), not X or X + A."""
        return self.extension.offset > 0

    @cached_property
    def limit(self) -> int:
        """Exclusive bound of values whose result is right, and can be told from its residues in B.

        With σ = 0 it is the modulus; X + A and X of values below it are told apart.
        """
        if not self.exact:
            return self.modulus
        return min(-(-(1 - self.extension.sigma) * self.A.product // 1), self.B.product)

    @cached_property
    def least(self) -> int:
        """The smallest value, not positive: X ≥ -(σ - E)·A comes out right, too."""
        sigma, product = self.extension.sigma, self.A.product
        room = self.B.product - self.limit
        return -max(0, min(int((sigma - self.extension.error) * product), room)) if self.exact else 0

    @cached_property
    def engine(self) -> Engine:
        """The cox-rower: x·T, then the weights A/A_i."""
        product = self.A.product
        weights = tuple(tuple(product // a % b for a in self.extension.super_moduli) for b in self.B.moduli)
        return Engine(
            (self.A, self.B),
            (self.extension,),
            (self.A.inverses,),
            (weights,),
            (tuple(-product % b for b in self.B.moduli),),
            self.target,
            self.latency,
            operands=1,
            initial=False,
            products=1,
            rowers=self.rowers or self.n,
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the estimate of h."""
        return owed_together((*built_folds(self.engine), self.extension.cox.obligation()))

    @cached_property
    def certificate(self) -> Certificate:
        """What makes every value below `modulus` come out right."""
        if self.exact:
            low, high = self.extension.exact(self.modulus - 1)
            fits = Inequality(
                "range-B", "X < B", self.modulus - 1, "<", self.B.product, "else residues in B do not hold X"
            )
            return Certificate((low, high, fits))
        apart = Inequality(
            "apart",
            "|A - B| >= X",
            abs(self.A.product - self.B.product),
            ">=",
            self.modulus,
            "else X and X + A cannot be told apart by residues in B",
        )
        fits = Inequality("range", "X < A", self.modulus - 1, "<", self.A.product, "else residues in A do not hold X")
        return Certificate((self.extension.nearly, fits, apart))

    @cached_property
    def i(self) -> Payload:
        """Residues in A."""
        note = "X mod a_k, any w-bit representative, in the order of A"
        role = Operand("x", Residues((self.A,)), self.limit, self.least)
        return Payload((Field("x", self.width, self.n, note=note, role=role),))

    @cached_property
    def o(self) -> Payload:
        """Residues in B."""
        what = "X" if self.exact else "X or X + A"
        note = f"{what} mod b_k, canonical, in the order of B"
        role = Result("z", Residues((self.B,)), self.limit if self.exact else self.limit + self.A.product)
        return Payload((Field("z", self.width, self.n, note=note, role=role), unchecked()))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        return {"limit": self.limit, "least": self.least} | describe(self.engine, self.extension)


@dataclass(frozen=True)
class MultiplierParameters(OnTwoBases):
    """Every constant of one RNS Montgomery multiplier.

    Parameters
    ----------
    reduction : Reduction
        P and both extensions.
    target : str
        What the multiplier blocks are written for.
    latency : int
        Clocks of a multiply-accumulate, L.
    rowers : int, optional
        n when not given.
    exact : bool
        Whether the result is the binary number below P, and not residues. Then the second extension is left out.
    """

    reduction: Reduction
    target: str
    latency: int
    rowers: int | None = None
    exact: bool = False

    @property
    def modulus(self) -> int:
        """P."""
        return self.reduction.modulus

    @property
    def first(self) -> Extension:
        """The extension of Q."""
        return self.reduction.first

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Names of the operands whose products are summed; the first pair is x and y."""
        numbers = ["", *(str(k) for k in range(2, self.reduction.products + 1))]
        return [(f"x{k}", f"y{k}") for k in numbers]

    @property
    def formula(self) -> str:
        """The sum of products."""
        return " + ".join(f"{x}·{y}" for x, y in self.pairs)

    @property
    def bound(self) -> int:
        """Operands and result, as integers, are below it."""
        return self.reduction.bound

    @cached_property
    def base(self) -> Base:
        """A and B together, in the order of the payload."""
        return Base(self.width, (*self.A.u, *self.B.u))

    @cached_property
    def scale(self) -> tuple[int, ...]:
        """What a residue is stored times: 1 in A, T_b in B."""
        return (*(1 for _ in range(self.n)), *self.B.inverses)

    @cached_property
    def engine(self) -> Engine:
        """The cox-rower."""
        A, B, P = self.A, self.B, self.modulus
        first, second = self.reduction.first, self.reduction.second
        pairs = list(zip(B.inverses, B.moduli, strict=True))
        q = tuple(t * k % a for t, k, a in zip(A.inverses, self.reduction.minus_inverse, A.moduli, strict=True))
        s = tuple(pow(A.product * t, -1, b) for t, b in pairs)
        into_b = tuple(tuple(P * t * pow(row, -1, b) % b for row in first.super_moduli) for t, b in pairs)
        into_a = tuple(tuple(B.product // row % a for row in second.super_moduli) for a in A.moduli)
        corrections = (tuple(-P * t % b for t, b in pairs), tuple(-B.product % a for a in A.moduli))
        used = 1 if self.exact else 2
        return Engine(
            (A, B),
            (first, second)[:used],
            (q, s),
            (into_b, into_a)[:used],
            corrections[:used],
            self.target,
            self.latency,
            operands=2,
            initial=True,
            products=self.reduction.products,
            rowers=self.rowers or self.n,
        )

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the exact estimate: of the second extension, or of the conversion."""
        exact = self.conversion.cox if self.exact else self.reduction.second.cox
        return owed_together((*built_folds(self.engine), exact.obligation()))

    @cached_property
    def conversion(self) -> FromResidues:
        """From the hats of S in B to z = S/A modulo P, binary."""
        factor = pow(self.A.product, -1, self.modulus)
        return FromResidues(self.B, self.modulus, self.bound, DIGIT, exact=True, factor=factor)

    @cached_property
    def certificate(self) -> Certificate:
        """All conditions, with slack."""
        more = self.conversion.inequalities() if self.exact else ()
        return Certificate((*self.reduction.inequalities(), *more))

    @property
    def domain(self) -> Residues:
        """Residues in both bases, with the Montgomery factor A."""
        return Residues((self.base,), tuple(self.scale), self.A.product % self.modulus)

    def _residues(self, role: Operand | Result, what: str) -> Field:
        note = f"{what}: n residues in A, then n times T_b in B; any w-bit representatives"
        return Field(role.name, self.width, 2 * self.n, note=note, role=role)

    @cached_property
    def i(self) -> Payload:
        """Operands in both bases."""
        names = [name for pair in self.pairs for name in pair]
        roles = (Operand(name, self.domain, self.bound, optional=name not in ("x", "y")) for name in names)
        return Payload(tuple(self._residues(role, f"{role.name}·A mod P, below {self.bound:#x}") for role in roles))

    @cached_property
    def o(self) -> Payload:
        """Result in both bases, or the binary number."""
        error = unchecked()
        if self.exact:
            note = f"{self.formula} mod P"
            return Payload((Field("z", self.conversion.width, bound=self.modulus, note=note, role=Result("z")), error))
        role = Result("z", self.domain, self.bound)
        return Payload((self._residues(role, f"z·A, z ≡ {self.formula} (mod P), below {self.bound:#x}"), error))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        first, second = self.reduction.first, self.reduction.second
        more = {"P": self.modulus, "bound": self.bound, "κ": self.reduction.products}
        more |= {"exact": self.exact, "E2": str(second.error), "σ2": str(second.sigma)}
        return more | describe(self.engine, first)


def describe(engine: Engine, extension: Extension) -> dict[str, Constant]:
    """The constants that both kinds of core have."""
    return {
        "w": engine.width,
        "n": engine.count,
        "rowers": engine.rowers,
        "c": engine.columns,
        "A": extension.source.moduli,
        "B": extension.target.moduli,
        "σ": str(extension.sigma),
        "t": extension.kept,
        "E": str(extension.error),
        "cox_fed": extension.fed,
        "factors": engine.factors,
        "weights": engine.weights,
        "corrections": engine.corrections,
        "multiplier_latency": engine.latency,
        "fold_clocks": engine.fold_clocks,
        "bus_clocks": engine.bus_clocks,
    }


# --- from a request


def _sigma(text: str) -> Fraction:
    try:
        sigma = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"option sigma is a fraction, not {text!r}", "such as 1/2, 15/16 or 0") from None
    if not 0 <= sigma < 1:
        raise UsageError(f"option sigma is at least 0 and below 1, not {sigma}", "such as 1/2")
    return sigma


def _sizes(options: Mapping[str, Any], columns: int, bits: int) -> Iterator[int]:
    """Numbers of moduli to try: the one asked for, or the fewest and some more."""
    if options["channels"]:
        if options["channels"] % columns:
            raise ParameterError(
                f"{options['channels']} channels in rows of {columns}",
                rule="n mod c = 0",
                left=options["channels"] % columns,
                right=0,
                hint="another number of channels",
            )
        yield options["channels"]
        return
    least = -(-bits // (options["width"] * columns))
    for rows in range(least, least + MOST_ROWS):
        yield rows * columns


def _extension(options: Mapping[str, Any], source: Base, target: Base, sigma: Fraction) -> Extension:
    bits, columns = options["t"], options.get("c", 1)
    if bits is not None:
        bits -= (columns - 1).bit_length()
    return smallest_extension(source, target, columns, sigma, fed=options.get("cox", SUPER), f=bits)


def _rowers(options: Mapping[str, Any], count: int) -> int:
    """The number of rowers, one for each of `count` moduli when not given."""
    asked, columns = options["rowers"], options.get("c", 1)
    if asked is None:
        return count
    if asked > count or asked % columns:
        rule, right = ("p <= n", count) if asked > count else ("p mod c = 0", 0)
        raise ParameterError(
            f"{asked} rowers for {count} moduli in rows of {columns}",
            rule=rule,
            left=asked if asked > count else asked % columns,
            right=right,
            hint="a row's moduli have a rower each",
        )
    return asked


def _asked(request: Request) -> int:
    if request.modulus is None:
        raise UsageError(f"{request.core} needs a modulus", "--field P-256")
    return request.modulus.value


def _refused(request: Request, problem: Inequality) -> ParameterError:
    name = request.modulus.name if request.modulus else ""
    return ParameterError(
        f"{request.core} for {name}: {problem.name} fails ({problem.why})",
        rule=problem.rule,
        left=problem.left,
        right=problem.right,
        hint="more channels, or wider ones",
    )


def derive_extension(request: Request) -> ExtensionParameters:
    """The fewest moduli, then the fewest bits of the cox, for which the certificate holds."""
    modulus, options = _asked(request), request.options
    sigma = _sigma(options["sigma"])

    def derived(count: int) -> ExtensionParameters:
        A, B = find_bases(options["width"], count)
        extension = _extension(options, A, B, sigma)
        return ExtensionParameters(modulus, extension, request.target, options["latency"], _rowers(options, count))

    return _fewest(request, modulus.bit_length(), derived)


def derive_multiplier(request: Request) -> MultiplierParameters:
    """The fewest moduli, then the fewest bits of the cox, for which the certificate holds."""
    modulus, options = _asked(request), request.options
    sigma = _sigma(options["sigma"])
    if sigma == 0:
        raise UsageError("option sigma is of the second extension, which is exact: above 0", "such as 1/2")

    def derived(count: int) -> MultiplierParameters:
        A, B = find_bases(options["width"], count, coprime_to=modulus)
        second = _extension(options, B, A, sigma)
        first = Extension(A, B, second.columns, second.f, 0, second.fed if options["first"] == COX else NONE)
        reduction = Reduction(modulus, first, second, options["kappa"])
        rowers, exact = _rowers(options, count), options["output"] == EXACT
        return MultiplierParameters(reduction, request.target, options["latency"], rowers, exact)

    return _fewest(request, modulus.bit_length() + 2, derived)


Derived = TypeVar("Derived", ExtensionParameters, MultiplierParameters)


def _fewest(request: Request, bits: int, derived: Callable[[int], Derived]) -> Derived:
    """Parameters of the first number of moduli whose certificate holds; the first failure where none does."""
    failure: ParameterError | None = None
    for count in _sizes(request.options, request.options.get("c", 1), bits):
        try:
            parameters = derived(count)
        except ParameterError as error:
            failure = failure or error
            continue
        problem = parameters.certificate.failing
        if problem is None:
            return parameters
        failure = _refused(request, problem)
    assert failure is not None
    raise failure
