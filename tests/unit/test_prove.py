# SPDX-License-Identifier: Apache-2.0
"""All proofs of a prepared core: what is offered is proved, kept, and not run where a tool is missing."""

import sys
from dataclasses import replace

import pytest
from amaranth.hdl import ClockDomain, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modwright import prove as package
from modwright.base.store import Store
from modwright.contract import BuiltFold, Core, ModularSum, Reduction
from modwright.contract.request import Request
from modwright.engines.coxrower.obligations import FOLD
from modwright.prepared import prepare, registry
from modwright.prove import abc, arithmetic, prove
from modwright.prove.proof import PROVED
from modwright.prove.queue import NO_QUEUE
from modwright.rns import FoldPlan, find_base
from modwright.rns.bounds import CoxBound
from tests import toy
from tests.toy import TOY, ToyCore, ToyParameters

CONTROL = [
    "control independent of data",
    "handshakes registered",
    "latency under any stalls",
    "result queue",
    "operands in addresses and enables",
]


class Offering(ToyParameters):
    """The toy's parameters with something of each kind to prove."""

    def obligations(self):
        plan = FoldPlan(16, 5, 0xFFFF**2)
        return (
            plan.obligation,
            Reduction(16, 1, 0x1FFFE),
            plan.obligation,
            plan.folds[0].with_addend(0xFFFF),
            ModularSum(16, 5),
            CoxBound(16, find_base(16, count=3).moduli, 5, 3).obligation(),
        )


def offering(request):
    p = toy.derive(request)
    return Offering(p.modulus, p.latency, p.interval, p.faulty)


def prepared(core: Core, folder, **options):
    return prepare(core, Request.make(core, modulus=251, options=options), Store(folder))


def statuses(proofs):
    return {proof.name: proof.status for proof in proofs}


def test_everything_that_is_offered_is_proved_once(tmp_path):
    proofs = prove(prepared(replace(TOY, derive=offering), tmp_path))
    assert list(statuses(proofs)) == [
        "reduction modulo 2^16 - 5 from 32 bits",
        "reduction modulo 2^16 - 1 from 17 bits",
        "fold modulo 2^16 - 5 with an addend",
        "sum modulo 2^16 - 5",
        "α exact",
        *CONTROL,
    ]
    assert len(proofs) == len(statuses(proofs))
    assert all(proof.status == "proved" and not proof.detail and proof.statement for proof in proofs)


def test_a_core_that_owes_nothing_says_why(tmp_path):
    [row] = [proof for proof in prove(prepared(TOY, tmp_path)) if proof.name not in CONTROL]
    assert (row.name, row.status, row.statement) == (
        "arithmetic",
        "nothing owed",
        "nothing to prove: one % of 8 bits",
    )


def test_lemmas_of_a_part_are_those_of_the_part_alone(store, monkeypatch):
    """An exponentiator's rows are its multiplier's, found in the store once the multiplier has proved them."""

    def rows(name, **options):
        core = registry.find(name)
        request = Request.make(core, modulus=61, target="generic", options={"width": 8, "latency": 2} | options)
        return list(arithmetic.prove(prepare(core, request, store)))

    alone = rows("modmul/sor-1m-p")
    for name in ("prove_plan", "prove_lemmas"):
        monkeypatch.setattr(package.arithmetic.reduction, name, None)
    whole = rows("modexp/sor-1m-p-l2r", exponent_bits=6)
    assert [replace(one, name=f"product: {one.name}") for one in alone] == whole
    assert len({one.name for one in whole}) == len(whole) == 13
    assert {one.status for one in whole} == {"proved"}


def test_the_hardware_of_a_built_fold_is_part_of_its_proof(tmp_path):
    """The statement of two folds is one; a proof of one says nothing of the other."""
    store = Store(tmp_path)
    good = BuiltFold(8, 3, 1023, 264, FOLD, ((3, 1023),), 0)
    wrong = replace(good, folds=((5, 1023),))
    assert arithmetic.row(good, store).status == "proved"
    assert arithmetic.row(wrong, store).status == "refuted"
    assert arithmetic.row(replace(good, part="product"), store).name.startswith("product: fold modulo 2^8 - 3")


def test_results_are_kept(tmp_path, monkeypatch):
    core = replace(TOY, derive=offering)
    first = prove(prepared(core, tmp_path))

    def never(*args, **kwargs):
        raise AssertionError("proved again")

    for module, name in (
        (arithmetic.reduction, "prove_plan"),
        (arithmetic.reduction, "prove_lemmas"),
        (arithmetic.cox, "prove_cox"),
        (package.streams, "prove_streams"),
        (package.cone, "prove_independent"),
        (package.cone, "prove_registered"),
        (package.queue, "prove_queue"),
    ):
        monkeypatch.setattr(module, name, never)
    again = prove(prepared(core, tmp_path))
    assert again == first
    assert [proof.seconds for proof in again] == [proof.seconds for proof in first]
    with pytest.raises(AssertionError, match="proved again"):
        prove(prepared(core, tmp_path, latency=4))


def test_without_bitwuzla_the_arithmetic_is_not_run(tmp_path, monkeypatch):
    core = replace(TOY, derive=offering)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "bitwuzla", None)
        proofs = prove(prepared(core, tmp_path))
    for proof in proofs:
        assert proof.status == ("proved" if proof.name in CONTROL else "not run")
        assert ("Bitwuzla is not installed" in proof.detail) is (proof.status == "not run")
    assert set(statuses(prove(prepared(core, tmp_path))).values()) == {"proved"}  # what was not run is not kept


def test_without_abc_the_timing_is_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(abc.pyosys, "__file__", str(tmp_path / "__init__.py"))
    found = statuses(prove(prepared(TOY, tmp_path)))
    assert found["latency under any stalls"] == found["result queue"] == "not run"
    assert found["control independent of data"] == "proved"


class Constants(wiring.Component):
    """Outputs that Yosys sees to be constant, between others."""

    def __init__(self):
        super().__init__(
            {"clk": In(1), "wide": In(3), "always": Out(1), "never": Out(1), "held": Out(1), "sometimes": Out(1)}
        )

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        m.d.comb += [domain.clk.eq(self.clk), self.always.eq(1), self.sometimes.eq(self.wide.all())]
        m.d.sync += self.held.eq(self.held & self.wide.any())
        return m


def test_constant_outputs_have_their_names(tmp_path):
    bench = abc.Bench.of(Constants())
    ports = bench.graph(tmp_path, ["always", "never", "held"])
    assert (sorted(ports["input"]), sorted(ports["output"])) == (
        ["clk", "wide", "wide[1]", "wide[2]"],
        ["always", "held", "never"],
    )
    assert bench.check([("never",), ("held",)], 3) == PROVED
    for name in ("always", "sometimes"):
        verdict = bench.check([("never",), (name,), ("held",)], 3)
        assert verdict.status == "refuted"
        assert verdict.detail.startswith(f"{name} in cycle 0")


def test_a_wrong_schedule_is_refuted_with_the_cycle(tmp_path):
    late = replace(TOY, build=lambda p, s: ToyCore(replace(p, latency=p.latency + 1), s))
    by_name = {proof.name: proof for proof in prove(prepared(late, tmp_path))}
    latency = by_name["latency under any stalls"]
    assert latency.status == "refuted"
    assert "cycle 3" in latency.detail
    assert by_name["control independent of data"].status == "proved"


def test_a_variable_time_is_not_claimed(tmp_path):
    def schedule(p):
        steps = tuple(replace(step, depends_on_data=True) for step in toy.schedule(p).steps)
        return replace(toy.schedule(p), steps=steps)

    found = statuses(prove(prepared(replace(TOY, schedule=schedule), tmp_path)))
    assert found["control independent of data"] == found["latency under any stalls"] == "not run"
    assert found["handshakes registered"] == "proved"


@pytest.mark.parametrize("name", ["modmul/sor-lean", "modmul/binary", "modmul/radix2"])
def test_cores_of_the_registry_keep_their_schedules(name, tmp_path):
    """At 24 bits; the control is that of the large ones."""
    core = registry.find(name)
    options = {"width": 16} if any(option.name == "width" for option in core.options) else {}
    request = Request.make(core, modulus=(1 << 24) - 3, options=options)
    proofs = prove(prepare(core, request, Store(tmp_path)))
    rest = {proof.name: proof.detail for proof in proofs if proof.status != "proved"}
    nothing = {} if name == "modmul/sor-lean" else {"arithmetic": ""}
    queue = {"result queue": NO_QUEUE} if name == "modmul/radix2" else {}
    assert rest == nothing | queue
    assert set(CONTROL) <= set(statuses(proofs))
