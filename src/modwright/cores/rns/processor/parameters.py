# SPDX-License-Identifier: Apache-2.0
"""Constants of a processor in residues: a Montgomery multiplier on a cox-rower, and plus-minus passes on the same one.

Inversion works on the hats of base B, the stored form of operands. With x·A as the operand and V1 starting from
A² mod P, the result is A²/(x·A) = x^-1·A: an operand again. V1 and U1 are held with P added (κ = 1), so that the
coefficient of P/D, f + D - 1 - s, is never negative, and the result is V1 + P or P - V1; V3 and U3 as they are. The cox
of the second extension, which starts from 1/2, rounds for the passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd

from ....base.errors import ParameterError, UsageError
from ....base.json import Constant
from ....contract import Certificate, Field, Inequality, Obligations, Payload, unchecked
from ....contract.obligation import owed_together
from ....contract.request import Request
from ....contract.roles import ErrorCode, Errors, Scalar, Value
from ....engines.coxrower.bases import describe, fewest, make_extension
from ....engines.coxrower.engine import CoxrowerEngine
from ....engines.coxrower.montgomery import Multiplication
from ....engines.coxrower.obligations import built_folds
from ....engines.coxrower.options import local_of
from ....engines.plus_minus import BMI, BTMI, FUSED, Kind, Rules
from ....functions.rns import MOVE, SUM, TO_BINARY
from ....rns import Base
from ....rns.extension import Extension, Reduction, find_bases
from .plan.conversions import factors, inequalities
from .plan.divsteps import Divsteps
from .plan.passes import PassConstants, hats_of
from .plan.registers import fields

NOT_INVERTIBLE = 1
"""Error code of an inversion: the operand is 0 modulo P, or has a factor in common with it."""
KINDS = {"fused": FUSED, "btmi": BTMI, "bmi": BMI}
STEPPED, WITHOUT = "divstep", "none"
"""Values of `inversion` for divsteps, and for the multiplier alone, with the same streams."""
F, G, D, E, T = range(5)
"""Results that a rower stores for divsteps: f, g, d and e times 2^-k, and the last of them before it is scaled."""
V3, U3, V1, U1 = range(1, 5)
"""Results that a rower stores, numbered from 1 by the fields `pick` and `write`: V and U, which are exchanged by
renaming, differ in the lowest bit."""
LOGIC, BLOCKS = "logic", "blocks"
"""Values of `tables`: constants and stored results of rowers in LUTs, or in a block RAM of each."""
SIGMA = Fraction(1, 2)
"""Offset of the cox of the second extension, with which it rounds."""


@dataclass(frozen=True)
class ProcessorParameters(Multiplication):
    """Every constant of one processor.

    Parameters
    ----------
    kind : Kind or None
        Divisors of a pass; None without inversion.
    registers : int
        Numbers of the register file, of which 0 is the stream; 0 without registers.
    stepped : bool
        Whether it inverts by divsteps; without `kind`.
    blocks : bool
        Whether constants and stored results are in block RAMs.
    conversion : bool
        Whether extensions alone, and conversion from and to binary, are operations; with registers.
    """

    kind: Kind | None = None
    registers: int = 0
    conversion: bool = False
    stepped: bool = False
    blocks: bool = False

    @property
    def inverts(self) -> bool:
        """Whether inversion is an operation."""
        return self.stepped or self.kind is not None

    @cached_property
    def divsteps(self) -> Divsteps | None:
        """Rounds of divsteps, where it inverts by them."""
        return Divsteps(self.reduction) if self.stepped else None

    @cached_property
    def rules(self) -> Rules:
        """The rules of a pass; only with inversion."""
        assert self.kind is not None
        return Rules(self.kind, self.modulus, (self.bound - 1).bit_length() - 1, 1, self.local)

    @property
    def start(self) -> int:
        """Start of V1, A² mod P."""
        return self.A.product**2 % self.modulus

    # --- the cox-rower

    @cached_property
    def passes(self) -> PassConstants:
        """Constants of passes; only with inversion by them."""
        assert self.kind is not None
        products = len(self.cox_rower().factors)
        return PassConstants(self.B, self.modulus, self.kind, self.start, products, self.blocks)

    @cached_property
    def constants(self) -> dict[str, tuple[int, ...]]:
        """Factors of passes and conversions by name, modulo the moduli of B."""
        converting = factors(self.reduction) if self.conversion else {}
        if self.divsteps is not None:
            return self.divsteps.factors | converting
        if self.kind is None:
            return {"1": (1,) * self.n} | converting if self.conversion else {}
        return self.passes.factors | converting

    def hats_in_b(self, value: int) -> tuple[int, ...]:
        """Canonical hats of an integer."""
        return hats_of(self.B, value)

    def address(self, name: str) -> int:
        """Address of a factor of passes in the constant memories; those of products come first."""
        return self.engine.factor_address(self.factor(name), 0)

    def factor(self, name: str) -> int:
        """Number of a factor of passes or conversions among those of the engine."""
        return len(self.engine.factors) - len(self.constants) + self._numbers[name]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.constants)}

    @cached_property
    def engine(self) -> CoxrowerEngine:
        """The cox-rower."""
        if not self.constants:
            return self.cox_rower(blocks=self.blocks)
        return self.cox_rower(
            more=tuple(self.constants.values()),
            file=max(T, U1) + 1,
            sums_of_kept=3,
            guest=True,
            converts=self.conversion,
            signed=self.divsteps.k + 2 if self.divsteps else 0,
            blocks=self.blocks,
        )

    # --- conditions

    @property
    def least(self) -> int:
        """Lower bound of every V3: a difference of two numbers below λP, over a D of plus-minus steps; or that of d."""
        if self.divsteps is not None:
            return -self.divsteps.offset * self.modulus
        return -(2 * self.bound // self.passes.least_step)

    def rounding(self) -> Inequality:
        """The condition under which the cox is right for negative numbers down to `least`, too.

        With E the error of the cox, h is floor(h + X/B - e + 1/2) with 0 ≤ e ≤ E, all on the grid of 2^-f.
        """
        second = self.reduction.second
        return Inequality(
            "cox-passes",
            "E2 - X_min/B < 1/2 + 2^-f",
            second.error - Fraction(self.least, self.B.product),
            "<",
            second.sigma + Fraction(1, 1 << second.f),
            "else q of a negative number can come out one too small",
        )

    def _inequalities(self) -> tuple[Inequality, ...]:
        """Conditions of passes."""
        rules, P = self.rules, self.modulus
        shared = 6 if rules.kind.threes else 2
        return (
            self.rounding(),
            Inequality("class", f"gcd(P, {shared}) = 1", gcd(P, shared), "=", 1, "V3 + s·U3 is divisible, or never"),
            Inequality(
                "base",
                f"gcd(B, {shared}) = 1",
                gcd(self.B.product, shared),
                "=",
                1,
                "D has an inverse modulo every modulus of B",
            ),
            Inequality(
                "coefficient",
                "largest f + D - 1 - s < 2^w",
                rules.coefficient,
                "<",
                1 << self.width,
                "it is an operand of the rowers",
                "it is 216 at most, and a channel has 8 bits or more, so no parameters can break it",
            ),
            Inequality(
                "result",
                "2P <= λP",
                2 * P,
                "<=",
                self.bound,
                "inverses are operands again, and numbers that the cox of B is right for",
                "λ is 2(1 + E1), so no parameters can break it",
            ),
            Inequality(
                "passes",
                "least gain of all passes before the last > 4·k - 2, λP <= 2^k",
                rules.kind.least_gain * (self.rules.most_passes // 2) + (2 if self.rules.most_passes % 2 else 0),
                ">",
                4 * (self.bound - 1).bit_length() - 2,
                "then |V3| < 2 or |U3| < 1: V3 is 0 or ±1",
                "every pass counts with its least gain; the passes of an operand end by V3, not by their number",
            ),
        )

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate of the multiplication, and of the passes."""
        own = self._inequalities() if self.kind else ()
        own = (self.rounding(), *self.divsteps.inequalities()) if self.divsteps else own
        converting = inequalities(self.reduction) if self.conversion else ()
        return Certificate((*self.reduction.inequalities(), *own, *converting))

    def obligations(self) -> Obligations:
        """The folds of the rowers, and the estimate of the second extension, which rounds for negative numbers, too."""
        below = Fraction(-self.least, self.B.product) if self.inverts else Fraction(0)
        return owed_together((*built_folds(self.engine), self.reduction.second.cox.obligation(below)))

    # --- streams

    @property
    def unwritten(self) -> int:
        """Error code of an operand from a register that was never written; only with registers."""
        return NOT_INVERTIBLE + 1 if self.inverts else 1

    @property
    def _operations(self) -> str:
        """Operations with registers, in words."""
        inverse = "1: 1/x, " if self.inverts else ""
        sums = ", 3: x, and x and y are held, 4: x·y + the pair that is held" if self.reduction.products > 1 else ""
        converted = ", 5: x from B into A, 6: x from A into B, 7: x from binary, 8: x to binary"
        last = converted if self.conversion else ""
        return f"0: x·y, {inverse}2: x{sums}{last}; y counts for all but 1 and 2{' and from 5 on' if last else ''}"

    @property
    def codes(self) -> dict[int, Errors]:
        """Error codes with registers."""
        inverse = {NOT_INVERTIBLE: Errors.NO_INVERSE} if self.inverts else {}
        return inverse | {self.unwritten: Errors.UNWRITTEN}

    @cached_property
    def i(self) -> Payload:
        """The operation and its operands."""
        operands = (self.operand_field("x"), self.operand_field("y"))
        if self.registers:
            last = TO_BINARY if self.conversion else SUM if self.reduction.products > 1 else MOVE
            op = Field("op", last.bit_length(), bound=last + 1, role=Scalar("op"), more=self._operations)
            return Payload((op, *fields(self.registers), *operands))
        if not self.inverts:
            return Payload(operands)
        return Payload(
            (Field("op", 1, role=Scalar("op"), more="0: x·y, 1: 1/x, for which y does not count"), *operands)
        )

    @cached_property
    def o(self) -> Payload:
        """The result, and the error of an operand without inverse."""
        if self.registers:
            role = ErrorCode(self.codes)
            error = Field("error", self.unwritten.bit_length(), bound=self.unwritten + 1, role=role)
            binary = Field(
                "binary", 1, role=Value("binary"), more="1: z is a number below P, its n words in place of B"
            )
            return Payload((self.result_field("the result of op"), *((binary,) if self.conversion else ()), error))
        if not self.inverts:
            return Payload((self.result_field("x·y"), unchecked()))
        error = Field("error", 1, role=ErrorCode({NOT_INVERTIBLE: Errors.NO_INVERSE}))
        return Payload((self.result_field("x·y or 1/x"), error))

    def describe(self) -> dict[str, Constant]:
        """Every constant."""
        first, second = self.reduction.first, self.reduction.second
        found: dict[str, Constant] = {"modulus": self.modulus, "result_bound": self.bound}
        found |= describe(self.engine, first) | {"second_cox_error": str(second.error)}
        if self.kind is not None:
            found |= {"divisors": self.kind.divisors, "inversion_start": self.start}
            found["most_passes"] = self.rules.most_passes
        if self.divsteps is not None:
            found |= {"round_divsteps": self.divsteps.k, "rounds": self.divsteps.rounds}
        return found


# --- from a request


def derive(request: Request) -> ProcessorParameters:
    """The fewest moduli, then the fewest bits of the cox, for which the certificate holds.

    Raises
    ------
    ParameterError
        When P shares a factor with the divisors, or no bases fit the width.
    """
    P, options = request.fixed_modulus(), request.options
    kind, stepped = KINDS.get(options["inversion"]), options["inversion"] == STEPPED
    if options["kappa"] > 1 and not options["registers"]:
        raise UsageError("option kappa holds a pair of operands for a sum, next to registers", "registers=16")
    if options["c"] > 1 and options["inversion"] != WITHOUT:
        raise UsageError("option c is for products alone: inversion reads hats on the bus one by one", "inversion=none")
    if options["conversion"] and not options["registers"]:
        raise UsageError("option conversion is for a processor with registers", "registers=16")
    if options["conversion"] and options["c"] > 1:
        raise UsageError("option conversion reads hats on the bus one by one", "c=1")
    if options["tables"] == BLOCKS:
        _check_blocks(request)
    shared = 1 + int(stepped) if kind is None else 6 if kind.threes else 2
    if gcd(P, shared) > 1:
        raise ParameterError(
            f"{request.core} divides by 2 and 3 modulo P = {P:#x}",
            rule=f"gcd(P, {shared}) = 1",
            left=gcd(P, shared),
            right=1,
            hint="inversion=bmi takes every odd P, inversion=none every P that is co-prime to the bases",
        )

    def derived(count: int) -> ProcessorParameters:
        A, B = find_bases(options["width"], count, coprime_to=P * shared)
        least = make_extension(options, B, A, SIGMA).f
        plain = kind is None and not stepped
        sizes = (least,) if plain or options["t"] else range(least, options["width"] + 1)
        every = (_with_bits(request, (A, B), f, kind) for f in sizes)
        return next((p for p in every if plain or p.rounding().holds), _with_bits(request, (A, B), least, kind))

    return fewest(request, P.bit_length() + 2, derived)


def _check_blocks(request: Request) -> None:
    """Refuse what block RAMs are not for."""
    options = request.options
    if not local_of(request):
        raise UsageError("option tables=blocks takes the registers of local rowers for the memory's", "local=true")
    if options["inversion"] == STEPPED or options["conversion"]:
        raise UsageError("option tables=blocks is for products and passes", "inversion=btmi")


def _with_bits(request: Request, bases: tuple[Base, Base], f: int, kind: Kind | None) -> ProcessorParameters:
    """Parameters with f fraction bits of the cox."""
    A, B = bases
    columns = request.options["c"]
    first, second = Extension(A, B, columns, f, 0), Extension(B, A, columns, f, int(SIGMA * (1 << f)))
    reduction = Reduction(request.fixed_modulus(), first, second, request.options["kappa"])
    return ProcessorParameters(
        reduction,
        kind,
        request.options["registers"],
        request.options["conversion"],
        request.options["inversion"] == STEPPED,
        request.options["tables"] == BLOCKS,
        target=request.target,
        latency=request.options["latency"],
        local=local_of(request),
    )
