# SPDX-License-Identifier: Apache-2.0
"""Proof that folding reduction computes `mod` for every input, at the real width.

The hardware of `rtl.folding` has a built for each stage, for every input within its bound. Exact integers
show that the lemmas' bounds meet, so that together they give x mod 2^w - u for every x of the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from amaranth.hdl import Module, Signal, Value

from ..rns import Fold, FoldPlan, signed_digits
from ..rtl.folding import folding, modular_sum, reduction
from .proof import PROVED, Verdict
from .smt import Term, constant, decide, models_of, port

METHOD = "Yosys, Bitwuzla: an SMT query a stage; composition in exact integers"


class Hardware:
    """A piece of a core as a module: x and a as wide as their bounds, z as wide as the hardware makes it.

    Parameters
    ----------
    bound, addend_bound : int
        Largest x and a.
    """

    def __init__(self, bound: int, addend_bound: int = 0) -> None:
        self.module, self._stages = Module(), 0
        self.x, self.a = Signal(bits_of(bound), name="x"), Signal(addend_bound.bit_length(), name="a")
        self._z: Value = self.x

    def extend(self, apply: Callable[[Module, Value, str], Value]) -> None:
        """Append a stage, without a register in front of it."""
        self._stages += 1
        self._z = apply(self.module, self._z, f"stage_{self._stages}")

    @property
    def bits(self) -> int:
        """Bits of z."""
        return len(self._z)

    def finish(self) -> tuple[Module, list[Signal]]:
        """The module and its ports."""
        z = Signal(self.bits, name="z")
        self.module.d.comb += z.eq(self._z)
        return self.module, [self.x, self.a, z] if len(self.a) else [self.x, z]


def bits_of(bound: int) -> int:
    """Bits of a number up to the bound, at least 1."""
    return max(1, bound.bit_length())


@dataclass(frozen=True)
class FoldLemma:
    """z ≡ x + a modulo m = 2^w - u and z ≤ result, for every x ≤ bound and a ≤ addend_bound.

    In the query z = t + a, or z + 2^w = t + a + u, which states z + m = t + a in the terms of the hardware. With
    x = hi·2^w + lo, t is lo + hi·u, which is x - hi·m; where nothing is folded, t is x. So the query has no quotient,
    and with hi·u as a sum of shifts, no multiplier.

    Parameters
    ----------
    name : str
        Name of the stage.
    width, u : int
        Width w and u of the modulus.
    bound, result, addend_bound : int
        Largest x, z and a; without an addend, 0.
    folds : bool
        Whether t is lo + hi·u.
    hardware : Hardware
        Hardware that computes z.
    """

    name: str
    width: int
    u: int
    bound: int
    result: int
    folds: bool
    hardware: Hardware
    addend_bound: int = 0

    @property
    def bits(self) -> int:
        """Bits of x."""
        return bits_of(self.bound)

    @property
    def wide(self) -> int:
        """Bits in which no side of the equations overflows."""
        low, high = (1 << self.width) - 1, self.bound >> self.width
        largest = max(self.bound, low + high * self.u, self.result) + self.addend_bound
        return max((largest + (1 << self.width)).bit_length(), self.hardware.bits)

    def prove(self, model: str) -> Verdict:
        """Decide the lemma for the hardware's model."""
        digits = signed_digits(self.u)
        if sum(sign << power for sign, power in digits) != self.u:
            return Verdict("refuted", f"the signed digits of {self.u} have another sum")
        x, z = port("x", self.bits), port("z", self.hardware.bits)
        assumed, shown = [x.at_most(self.bound)], {"x": x, "z": z}
        total = self._folded(x, digits) if self.folds else x.extended(self.wide)
        if self.addend_bound:
            addend = port("a", self.addend_bound.bit_length())
            total = total + addend.extended(self.wide)
            assumed.append(addend.at_most(self.addend_bound))
            shown["a"] = addend
        z_wide = z.extended(self.wide)
        more, subtracted = z_wide + constant(1 << self.width, self.wide), total + constant(self.u, self.wide)
        claim = f"(and {z.at_most(self.result)} (or {z_wide.equals(total)} {more.equals(subtracted)}))"
        return decide(model, assumed, claim, shown)

    def _folded(self, x: Term, digits: Sequence[tuple[int, int]]) -> Term:
        """The sum lo + hi·u in the order of the hardware, so that the solver needs no associative law."""
        low = x.bits(0, min(self.width, self.bits)).extended(self.wide)
        if self.bits <= self.width:
            return low
        high = x.bits(self.width, self.bits - self.width).extended(self.wide)
        product = constant(0, self.wide)
        for sign, power in digits:
            term = high.shifted(power)
            product = product + term if sign > 0 else product - term
        return low + product


def lemma_of_fold(step: Fold, addend_bound: int) -> FoldLemma:
    """A fold with an addend."""
    hardware = Hardware(step.bound, addend_bound)
    hardware.extend(folding(step, hardware.a, addend_bound).apply)
    result = step.result + addend_bound
    return FoldLemma("fold", step.width, step.u, step.bound, result, True, hardware, addend_bound)


def lemma_of_built(step: Fold, most: int, make: Callable[[Module, Value, str], Value]) -> FoldLemma:
    """A fold in the hardware that `make` makes, whose result is at most `most`."""
    hardware = Hardware(step.bound)
    hardware.extend(make)
    return FoldLemma("fold", step.width, step.u, step.bound, most, True, hardware)


def lemma_of_sum(width: int, u: int) -> FoldLemma:
    """The sum of two canonical numbers, canonical."""
    most = (1 << width) - u - 1
    hardware = Hardware(most, most)
    hardware.extend(lambda m, x, name: modular_sum(m, width, u, x, hardware.a, name))
    return FoldLemma("sum", width, u, most, most, False, hardware, most)


def lemmas_of_plan(plan: FoldPlan, *, canonical_result: bool) -> list[FoldLemma]:
    """Lemmas for the stages of the hardware.

    Stage k is fold k of the plan, if it leaves as many bits as that fold and is not the last stage. The others
    end the plan and make one built: with the next fold when the plan has one, else without.
    """
    kind = "canonical" if canonical_result else "any representative"
    lemmas = []
    bound = plan.bound
    hardware: Hardware | None = None
    stages = reduction(plan, canonical_result=canonical_result)
    for number, stage in enumerate(stages):
        hardware = hardware or Hardware(bound)
        hardware.extend(stage.apply)
        step = plan.folds[len(lemmas)] if len(lemmas) < len(plan.folds) else None
        if number == len(stages) - 1:
            result = plan.modulus - 1 if canonical_result else (1 << plan.width) - 1
            lemmas.append(FoldLemma(f"end ({kind})", plan.width, plan.u, bound, result, step is not None, hardware))
        elif number == len(lemmas) and step is not None and hardware.bits == bits_of(step.result):
            lemmas.append(FoldLemma(f"fold {number} ({kind})", plan.width, plan.u, bound, step.result, True, hardware))
            bound, hardware = step.result, None
    return lemmas


def compose(plan: FoldPlan, lemmas: Sequence[FoldLemma], *, canonical_result: bool) -> Verdict:
    """Check that the lemmas meet: each covers every result of the one before, and the last has the required bound."""
    bound = plan.bound
    for built in lemmas:
        if (built.width, built.u) != (plan.width, plan.u):
            return Verdict("refuted", f"{built.name} is for 2^{built.width} - {built.u}")
        if bound > built.bound:
            return Verdict("refuted", f"{built.name} takes x <= {built.bound:#x}, but x can be {bound:#x}")
        bound = built.result
    limit = plan.modulus if canonical_result else 1 << plan.width
    if bound >= limit:
        return Verdict("refuted", f"after {len(lemmas)} stages x can be {bound:#x}, which is not below {limit:#x}")
    return PROVED


def prove_lemmas(lemmas: Sequence[FoldLemma]) -> Verdict:
    """Prove every lemma, with one run of Yosys."""
    models = models_of([built.hardware.finish() for built in lemmas])
    return first_failure([(built.name, built.prove(model)) for built, model in zip(lemmas, models, strict=True)])


def prove_plan(plan: FoldPlan) -> Verdict:
    """Prove every stage of a plan's hardware and their composition, with a canonical result and with any
    representative."""
    verdicts = []
    lemmas: list[FoldLemma] = []
    for canonical_result in (False, True):
        chain = lemmas_of_plan(plan, canonical_result=canonical_result)
        verdicts.append(("composition", compose(plan, chain, canonical_result=canonical_result)))
        lemmas += chain
    return first_failure([*verdicts, ("hardware", prove_lemmas(lemmas))])


def first_failure(verdicts: Sequence[tuple[str, Verdict]]) -> Verdict:
    """Verdict on all: proved when each is; else the first that is refuted, or the first that was not run."""
    for status in ("refuted", "not run"):
        for name, verdict in verdicts:
            if verdict.status == status:
                return Verdict(status, f"{name}: {verdict.detail}")
    return PROVED


def describe_plan(plan: FoldPlan) -> str:
    """The statement of `prove_plan`."""
    return (
        f"the stages of the reduction give x mod 2^{plan.width} - {plan.u}, or a representative below "
        f"2^{plan.width}, for every x <= {plan.bound:#x}"
    )


def describe_sum(width: int, u: int) -> str:
    """The statement of `lemma_of_sum`."""
    return f"a + b mod 2^{width} - {u} comes out for all a, b < 2^{width} - {u}"


def describe_built(step: Fold, most: int) -> str:
    """The statement of `lemma_of_built`."""
    return f"y ≡ x (mod 2^{step.width} - {step.u}) and y <= {most:#x}, for every x <= {step.bound:#x}"


def describe_fold(step: Fold, addend_bound: int) -> str:
    """The statement of `lemma_of_fold`."""
    return (
        f"y ≡ x + a (mod 2^{step.width} - {step.u}) and y <= {step.result + addend_bound:#x}, for every "
        f"x <= {step.bound:#x} and a <= {addend_bound:#x}"
    )
