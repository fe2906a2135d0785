# SPDX-License-Identifier: Apache-2.0
"""Cores whose theorem is proved, small: their netlists, claims, operations and logs."""

import json
from functools import cache

import pytest

from modwright.base.disk import scratch
from modwright.checker import operation as checked
from modwright.contract.request import Request
from modwright.deliver.verilog import core_verilog
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.prove.theorem import PROVED, Theorem, stated
from modwright.prove.theorem.contract import Claim
from modwright.prove.theorem.decide import decide
from modwright.prove.theorem.handshake import find_interval
from modwright.prove.theorem.in_turn import operation_in_turn, takes_turns
from modwright.prove.theorem.log import log_of
from modwright.prove.theorem.netlist import read
from modwright.prove.theorem.residues.decide import decide_residues
from modwright.prove.theorem.resting import RestlessError, resting_of, rests_of
from modwright.prove.theorem.stretches import alone, around, known_bit, transfer
from modwright.prove.theorem.theorem import find_storage, operation_of, probes_of
from modwright.prove.theorem.unroll import Unrolled

SMALL = {
    "modadd/carry": ("0x3d", {}),
    "modmul/r64": ("0xe9d", {"limb": 4}),
    "modmul/limb-scan": ("0xe9d", {"limb": 4}),
    "modmul/limb-fold": ("0xe9d", {"limb": 4}),
    "modmul/limb-fold-karatsuba": ("0xe9d", {"limb": 4}),
    "modmul/radix2": ("0x1e9d1", {"limb": 16}),
    "modmul/csa": ("0x1d", {}),
    "modmul/csa-high-radix": ("0xe9d", {}),
    "modmul/booth4-csa": ("0x3e9d1", {"limb": 16}),
    "modmul/booth8-csa": ("0xe9d", {}),
    "modmul/blakley": ("0x3d", {}),
    "modmul/binary": ("0xffffffffffffffffffffffc5", {}),
    "modmul/orup-dsp": ("0xe9d", {"digit": 4, "limb": 8}),
}
"""Cores whose theorem is proved, small; in `binary`, sums are in three segments, and a carry selects."""
WITH_MEMORY = {"modmul/binary-serial": ("0xe9d", {"limb": 4})}
"""Cores whose theorem is proved, and whose operations read words that they wrote."""
RESIDUES = ("modmul/sor-lean", "modmul/sor-1m-p", "modmul/sor-1m-n", "modmul/sor-2m", "modmul/sor-nm")
"""Cores on residues whose theorem is proved; channels of `SMALL_CHANNEL` bits."""
EXTENDED = {
    "modmul/rns-kbe": ("0x3d", {"width": 8}),
    "modmul/rns-hbe": ("0x3d", {"width": 8}),
    "basext/kbe": ("0xe9d1", {"width": 8}),
    "basext/hbe": ("0x3d", {"width": 8}),
    "basext/shenoy-kumaresan": ("0xffffffffffc5", {"width": 12}),
}
"""Cores with base extensions whose theorem is proved, small: two to four channels."""
HYBRID = {"modmul/rns-hpr": ("0xfd035c534fdf", {"width": 16})}
"""The core on residues of coefficients: two of two channels in each base."""
IN_TURN = {
    "modmul/orup-interleaved": ("0xfffffffffffef", {"digit": 18}),
    "modmul/limb-columns": ("0x1d", {"contexts": 2, "digit": 2, "digits": 2}),
}
"""Cores whose operations take turns: four slots, with two limbs of 54 bits in the conversion, so that there is a carry
between them; and two places, with two limbs of 4 bits."""
FAMILIES = (*SMALL, *WITH_MEMORY, *RESIDUES, *EXTENDED, *HYBRID, *IN_TURN)
"""Cores in which bugs are planted."""
SMALL_CHANNEL = 8


@cache
def small(name, target="generic"):
    sums = dict.fromkeys(RESIDUES, ("0x3d", {"width": SMALL_CHANNEL}))
    modulus, options = (SMALL | WITH_MEMORY | EXTENDED | HYBRID | IN_TURN | sums)[name]
    core = find(name)
    return prepare(core, Request.make(core, modulus=modulus, target=target, options=options))


@cache
def small_netlist(name):
    one = small(name)
    return read(core_verilog(one), one.top)


def claim(one):
    return stated(one)


def operation(one, netlist):
    """The operation of a netlist, its claim not yet decided."""
    storage = find_storage(netlist)
    cycles = storage.ready + 2
    rows = alone(netlist, cycles + 3, cycles - 1)
    known = around(netlist, cycles, transfer(netlist, {}))
    resting = resting_of(netlist, rows, interval_of(netlist, known), storage.ready)
    while True:
        unrolled = Unrolled(netlist, known, rows, resting=resting, words_of=claim(one).words)
        found = operation_of(unrolled, claim(one), storage)
        try:
            rests_of(unrolled)
        except RestlessError as error:
            resting = {source: rest for source, rest in resting.items() if source not in error.sources}
        else:
            return found


def interval_of(netlist, rows):
    return find_interval([known_bit(netlist.outputs["i_ready"], row) for row in rows])


@cache
def log(name):
    """The log of a core whose operation is decided; its streams are taken as proved here, which takes ABC seconds."""
    return log_of_core(small(name), small_netlist(name))


def log_of_core(one, netlist):
    """The log of an operation, as `log` has it."""
    proved = Theorem(PROVED, "", claim=claim(one), netlist=netlist)
    if isinstance(proved.claim, Claim) and takes_turns(netlist):
        proved.operation, proved.turns = operation_in_turn(netlist, proved.claim, one.schedule.latency)
        proved.interval = proved.turns.transfers.interval
    else:
        proved.operation, proved.storage = operation(one, netlist), find_storage(netlist)
        proved.interval = interval_of(netlist, proved.operation.unrolled.around)
        proved.rests = rests_of(proved.operation.unrolled)
        proved.probes = probes_of(netlist, proved.operation.unrolled, {})
    if isinstance(proved.claim, Claim):
        decide(proved.claim, proved.operation)
    else:
        proved.channelled = decide_residues(proved.claim, proved.operation)
    return json.loads(json.dumps(log_of(proved, core_verilog(one), one.top)))


LOAD = checked.load


@cache
def loaded(text, top):
    """The module of a Verilog text, which Yosys reads once for all lies."""
    with scratch() as folder:
        (folder / "core.v").write_text(text, encoding="utf-8")
        return LOAD(folder / "core.v", top, sorted(checked.CELLS.glob("*.v")))


@pytest.fixture
def verilog_file(tmp_path):
    """A function from the name of a core to a file with its Verilog."""
    path = tmp_path / "core.v"

    def write(name):
        path.write_text(core_verilog(small(name)), encoding="utf-8")
        return path

    return write


@pytest.fixture(autouse=True)
def read_once(monkeypatch):
    """The checker in this process reads each Verilog once; as a command it reads its own, in tests of that."""
    monkeypatch.setattr(checked, "load", lambda path, top, _: loaded(path.read_text(encoding="utf-8"), top))
