# SPDX-License-Identifier: Apache-2.0
"""Reductions are proved at real widths, and every planted fault is refuted with inputs that show it."""

import re

import pytest
from amaranth.hdl import Mux

from modwright.prove import reduction, smt
from modwright.prove.proof import PROVED
from modwright.prove.smt import models_of
from modwright.rns import Fold, FoldPlan
from modwright.rtl import folding

WORD_66, WORD_48 = (1 << 66) - 1, (1 << 48) - 1


def values(detail):
    """The numbers of a counter-example."""
    return {name: int(value, 16) for name, value in re.findall(r"(\w+) = (0x[0-9a-f]+)", detail)}


@pytest.mark.parametrize(
    ("width", "u", "bound"),
    [
        (66, 33, WORD_66**2),
        (66, 1, WORD_66**2),
        (66, 0, WORD_66**2),
        (66, 4065, WORD_66**2),
        (66, 5, 2 * (1 << 66)),
        (66, 5, 9 * WORD_66),
        (66, 5, 1000),
        (66, (1 << 20) + 345, WORD_66**2),
        (48, 65, 13 * WORD_48**2),
        (48, 93, 13 * WORD_48**2),
        (8, 126, 1 << 20),
        (8, 1, 255),
    ],
)
def test_reductions_are_proved(width, u, bound):
    assert reduction.prove_plan(FoldPlan(width, u, bound)) == PROVED


def test_a_fold_with_an_addend_is_proved():
    step = FoldPlan(48, 65, 13 * WORD_48**2).folds[0]
    assert reduction.prove_lemmas([reduction.lemma_of_fold(step, WORD_48)]) == PROVED


@pytest.mark.parametrize(("width", "u"), [(66, 33), (48, 0), (8, 5)])
def test_modular_sums_are_proved(width, u):
    assert reduction.prove_lemmas([reduction.lemma_of_sum(width, u)]) == PROVED


def test_a_larger_addend_than_stated_is_refuted(monkeypatch):
    step = FoldPlan(16, 5, 1 << 24).folds[0]
    real = folding.folding
    monkeypatch.setattr(reduction, "folding", lambda s, a, bound: real(s, a + 1, bound))
    verdict = reduction.prove_lemmas([reduction.lemma_of_fold(step, 7)])
    found = values(verdict.detail)
    assert verdict.status == "refuted"
    assert found["z"] == (step.apply(found["x"]) + found["a"] + 1) % (1 << len(bin(step.result + 7)[2:]))


@pytest.mark.parametrize(("width", "u"), [(8, 5), (66, 33)])
def test_a_forgotten_fold_is_refuted(monkeypatch, width, u):
    real = folding.reduction
    monkeypatch.setattr(reduction, "reduction", lambda *a, **k: real(*a, **k)[1:])
    assert reduction.prove_plan(FoldPlan(width, u, ((1 << width) - 1) ** 2)).status == "refuted"


@pytest.mark.parametrize(("width", "u"), [(8, 5), (66, 33)])
def test_a_forgotten_digit_of_u_is_refuted(monkeypatch, width, u):
    real = folding.signed_digits
    monkeypatch.setattr(folding, "signed_digits", lambda value: real(value)[:-1])
    plan = FoldPlan(width, u, ((1 << width) - 1) ** 2)
    verdict = reduction.prove_plan(plan)
    found = values(verdict.detail)
    assert verdict.status == "refuted"
    assert (found["x"] - found["z"]) % plan.modulus


@pytest.mark.parametrize(("width", "u"), [(8, 5), (66, 33)])
def test_the_modulus_itself_left_unreduced_is_refuted(monkeypatch, width, u):
    plan = FoldPlan(width, u, ((1 << width) - 1) ** 2)
    real = folding.reduction

    def faulty(plan, *, canonical_result):
        stages = real(plan, canonical_result=canonical_result)
        if not canonical_result:
            return stages
        last = stages[-1]

        def apply(m, x, name):
            z = last.apply(m, x, name)
            return Mux(z == 0, plan.modulus, z)[: plan.width]

        return [*stages[:-1], folding.Stage((folding.Piece(0.0, apply),))]

    monkeypatch.setattr(reduction, "reduction", faulty)
    verdict = reduction.prove_plan(plan)
    assert verdict.status == "refuted"
    assert verdict.detail.startswith("hardware: end (canonical)")
    assert values(verdict.detail)["z"] == plan.modulus


def test_a_gap_between_lemmas_is_refuted():
    plan = FoldPlan(66, 33, WORD_66**2)
    lemmas = reduction.lemmas_of_plan(plan, canonical_result=True)
    assert reduction.compose(plan, lemmas, canonical_result=True) == PROVED
    for chain in (lemmas[1:], lemmas[:-1], [lemmas[0], lemmas[0]]):
        assert reduction.compose(plan, chain, canonical_result=True).status == "refuted"
    other = FoldPlan(66, 17, WORD_66**2)
    assert reduction.compose(other, lemmas, canonical_result=True).status == "refuted"
    models_of([lemma.hardware.finish() for lemma in lemmas])  # Amaranth warns of modules that nothing reads


def test_folds_of_a_plan_have_the_bounds_that_the_lemmas_prove():
    step = Fold(8, 5, 3000)
    for bound in (step.bound, step.bound + 1):
        tight = max(Fold(8, 5, bound).apply(x) for x in range(bound + 1))
        assert tight == Fold(8, 5, bound).result


def test_a_query_that_takes_too_long_is_not_run(monkeypatch):
    monkeypatch.setattr(smt, "TIME_LIMIT", 0.001)
    verdict = smt.decide(
        "(set-logic QF_BV)(declare-const a (_ BitVec 40))(declare-const b (_ BitVec 40))",
        [
            "(distinct a (_ bv1 40))",
            "(distinct b (_ bv1 40))",
            "(bvult a (_ bv1000000 40))",
            "(bvult b (_ bv1000000 40))",
        ],
        "(distinct (bvmul a b) (_ bv999962000357 40))",
        {},
    )
    assert verdict.status == "not run"
