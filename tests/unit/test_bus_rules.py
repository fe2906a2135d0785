# SPDX-License-Identifier: Apache-2.0
"""The rules of the buses: proved of every wrapper and of the registers, refuted for planted faults."""

from collections.abc import Callable

import pytest
from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from modwright.bus import AxiStream, RegisterBlock, register_map
from modwright.bus.proofs import (
    WITH_REGISTERS,
    FreeBlock,
    FreeCore,
    Monitor,
    free_signals,
    register_rules,
    stream_rules,
    wrapper_rules,
)
from modwright.bus.registers import RegisterMap
from modwright.bus.rules import axi_stream, block
from modwright.contract import Field, Payload
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores
from modwright.prove.proof import PROVED

from .packages import WHOLE

SMALL = RegisterMap(
    "small",
    "modmul",
    "ab" * 32,
    Payload((Field("x", 40), Field("pair", 5, 2))),
    Payload((Field("z", 40), Field("error", 2))),
)
"""Fields that end in the middle of a word, and an array."""
LONG = RegisterMap(
    "long", "modexp", "ab" * 32, Payload((Field("x", 4096),)), Payload((Field("z", 33), Field("error", 1)))
)


@pytest.mark.parametrize("registers", [SMALL, pytest.param(LONG, marks=pytest.mark.campaign)], ids=["small", "long"])
@pytest.mark.parametrize("bus", WITH_REGISTERS)
def test_wrappers_keep_the_rules(bus, registers):
    assert wrapper_rules(registers, bus) == PROVED


def test_registers_answer_as_the_wrappers_need():
    assert register_rules(SMALL) == PROVED


@pytest.mark.parametrize("beat", [32, 64])
def test_streams_keep_the_rules(beat):
    assert stream_rules(SMALL, beat) == PROVED


def requests():
    """The first small request of every core of one multiplier, or none."""
    return [(name, c) for name, c in all_cores().items() if c.function != "modexp" or "booth8" in name]


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "core"), requests(), ids=lambda v: v if isinstance(v, str) else "")
def test_every_core(name, core, store):
    """All wrappers of every core, by its own registers."""
    document = {"core": name, "target": "generic", **core.trials[0].document}
    registers = register_map(prepare(core, Request.from_mapping(core, document), store))
    for bus in WITH_REGISTERS:
        assert wrapper_rules(registers, bus) == PROVED
    assert register_rules(registers) == PROVED
    for beat in (32, 64):
        assert stream_rules(registers, beat) == PROVED


def whole(name, store):
    """The registers of a package of `WHOLE`."""
    core = all_cores()[name]
    return register_map(prepare(core, Request.from_mapping(core, {"core": name, **WHOLE[name]}), store))


@pytest.mark.campaign
@pytest.mark.parametrize("bus", WITH_REGISTERS)
@pytest.mark.parametrize("name", WHOLE)
def test_wrappers_of_whole_packages(name, bus, store):
    assert wrapper_rules(whole(name, store), bus) == PROVED


@pytest.mark.campaign
@pytest.mark.parametrize("name", WHOLE)
def test_registers_of_whole_packages(name, store):
    assert register_rules(whole(name, store), apart=True) == PROVED


@pytest.mark.campaign
@pytest.mark.parametrize("beat", [32, 64])
@pytest.mark.parametrize("name", WHOLE)
def test_streams_of_whole_packages(name, beat, store):
    assert stream_rules(whole(name, store), beat, apart=True) == PROVED


class Spoiled(wiring.Component):
    """A component with some of its outputs changed.

    Parameters
    ----------
    inner : Component
    change : mapping of str to callable
        By the name of an output: its new value, of the module, the old value and the component.
    """

    def __init__(self, inner: wiring.Component, change: dict[str, Callable]) -> None:
        self.inner, self.change = inner, change
        for name in ("block", "core", "beats_out", "beats_in"):
            if hasattr(inner, name):
                setattr(self, name, getattr(inner, name))
        super().__init__(inner.signature)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.inner = self.inner
        for name, member in self.inner.signature.members.items():
            ours, its = getattr(self, name), getattr(self.inner, name)
            if member.flow == In:
                m.d.comb += its.eq(ours)
            else:
                m.d.comb += ours.eq(self.change[name](m, its, self.inner) if name in self.change else its)
        return m


def later(m, signal, _):
    """A cycle late."""
    register = Signal.like(signal)
    m.d.sync += register.eq(signal)
    return register


def pulse(m, signal, _):
    """Only in the first cycle of an offer."""
    return signal & ~later(m, signal, None)


def counted(m, signal, _):
    """Another number in every cycle."""
    count = Signal.like(signal)
    m.d.sync += count.eq(count + 1)
    return signal + count


def never(m, signal, _):
    return Signal.like(signal)


def always(m, signal, _):
    return ~Signal.like(signal)


# a fault, and the rules of which one is named first; none where several ways of breaking them are as short
FAULTS = {
    "AXI4-Lite": [
        ("s_axi_bvalid", pulse, "b_held"),
        ("s_axi_rdata", counted, "r_held"),
        ("s_axi_rvalid", always, "r_after_request|after_reset|r_held"),
        ("s_axi_rresp", lambda m, s, _: Mux(s == 3, 1, s), "codes"),
        ("s_axi_arready", always, "two_at_most"),
        ("s_axi_bvalid", never, "b_in_time|two_at_most"),
        ("s_axi_awready", never, ""),
    ],
    "Wishbone": [
        ("wb_ack", later, "answer_to_strobe|answer_of_this_access"),
        ("wb_ack", lambda m, s, w: s | w.wb_err, "one_answer"),
        ("wb_ack", lambda m, s, w: w.wb_cyc & w.wb_stb, "answer_of_this_access|after_reset"),
        ("wb_ack", never, "in_time|access_once"),
    ],
    "APB4": [
        ("s_apb_pready", later, ""),
        ("s_apb_pslverr", later, "error_with_ready"),
        ("s_apb_pready", lambda m, s, w: w.s_apb_psel & w.s_apb_penable, "answer_of_this_access"),
        ("s_apb_pready", never, ""),
    ],
    "TileLink-UL": [
        ("tl_d_valid", pulse, "d_held"),
        ("tl_d_data", counted, "d_held"),
        ("tl_d_source", lambda m, s, w: w.tl_a_source, "d_held|answer_of_the_request"),
        ("tl_d_opcode", lambda m, s, _: s ^ 1, "answer_of_the_request"),
        ("tl_d_corrupt", never, "corrupt_where_denied"),
        ("tl_a_ready", always, "one_at_a_time"),
        ("tl_d_valid", never, ""),
        ("tl_a_ready", never, ""),
    ],
}


@pytest.mark.parametrize(
    ("bus", "port", "change", "rules"), [(bus, *fault) for bus, faults in FAULTS.items() for fault in faults]
)
def test_faults_are_refuted(bus, port, change, rules):
    wrapper, broken = WITH_REGISTERS[bus]
    made = FreeBlock(SMALL)
    verdict = Monitor(Spoiled(wrapper(SMALL, made), {port: change}), broken, made.free()).decide()
    assert verdict.status == "refuted"
    assert any(f"broken_{rule}" in verdict.detail for rule in rules.split("|")), verdict


@pytest.mark.parametrize(
    ("port", "change", "rules"),
    [
        ("m_axis_tvalid", pulse, "m_0_held"),
        ("m_axis_tdata", counted, "m_0_held"),
        ("m_axis_tlast", never, "length"),
        ("m_axis_tvalid", always, "after_reset|m_0_held|length"),
    ],
)
def test_faults_of_streams_are_refuted(port, change, rules):
    core = FreeCore(SMALL)
    verdict = Monitor(Spoiled(AxiStream(SMALL, core), {port: change}), axi_stream, free_signals(core)).decide()
    assert verdict.status == "refuted"
    assert any(f"broken_{rule} in cycle" in verdict.detail for rule in rules.split("|")), verdict


@pytest.mark.parametrize(
    ("port", "change", "rule"),
    [
        ("write_done", later, "write_answered"),
        ("read_done", never, "read_answered"),
        ("read_response", lambda m, s, _: Mux(s == 3, 1, s), "read_codes"),
        ("read_data", always, "data_0_when_good"),
    ],
)
def test_faults_of_registers_are_refuted(port, change, rule):
    core = FreeCore(SMALL)
    verdict = Monitor(Spoiled(RegisterBlock(SMALL, core), {port: change}), block, free_signals(core)).decide()
    assert verdict.status == "refuted"
    assert f"broken_{rule} in cycle" in verdict.detail, verdict


def test_a_wrapper_that_a_reset_does_not_reach_is_refuted():
    """Its answers outlive the reset of what asked."""
    wrapper, broken = WITH_REGISTERS["AXI4-Lite"]
    made = FreeBlock(SMALL)
    monitor = Monitor(ResetFree(wrapper(SMALL, made)), broken, made.free())
    assert monitor.decide().status == "refuted"


class ResetFree(Spoiled):
    """A wrapper whose answers are registered once more, beyond the reach of its reset."""

    def __init__(self, inner: wiring.Component) -> None:
        def kept(m, signal, _):
            register = Signal(reset_less=True)
            m.d.sync += register.eq(signal | register)
            return signal | register

        super().__init__(inner, {"s_axi_bvalid": kept})
