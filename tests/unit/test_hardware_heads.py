# SPDX-License-Identifier: Apache-2.0
"""Tables of registers by cycle in the heads of hardware files: their cycles are the schedules'.

A row has a cycle in symbols, the name of a step, and the registers. The step of that name ends in that cycle, so that
its result can be read from it on.
"""

import ast
import importlib
import re
from itertools import takewhile
from pathlib import Path

import pytest

from modwright.contract.request import Request
from modwright.cores.ecpm.ladder.plan.ladder import places_of
from modwright.cores.ecpm.ladder.schedule.row import START
from modwright.prepared.registry import find

from ..sources import parsed

PACKAGE = Path(__file__).parents[2] / "src" / "modwright"
HEAD = re.compile(r"^    cycle +step +register .*$")
ROW = re.compile(r"^    (\S.*?) {2,}(\S.*?) {2,}(\S.*)$")


def rows(text):
    """(cycle, step) of each row of the table of a head."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines, 1) if HEAD.match(line)), len(lines))
    for line in takewhile(str.strip, lines[start:]):
        if found := ROW.match(line):
            yield found[1], found[2]


def value(formula, symbols):
    """A cycle in symbols: sums, differences and products, as in 2L + (N - 1)·I."""
    python = re.sub(r"(\d)([A-Za-z])", r"\1*\2", formula).replace("·", "*")
    return eval(compile(ast.parse(python, mode="eval"), "<head>", "eval"), {"__builtins__": {}}, symbols)


def sor(p, s):
    return {"L": p.latency, "I": p.issue, "N": p.N, "a": p.adder, "k": p.kappa_cycles}


def lean(p, s):
    return {"L": p.latency, "N": p.N}


def limb(p, s):
    return {"I": s.interval, "d": p.delay, "s": p.s}


def ladder(p, s):
    code = s.microcode
    S, P = code.loops[0].first, code.loops[0].length
    return {"S": S, "P": P, "N": p.order_bits, "E": len(code.words) - S - P}


def lifted(p, s):
    return {"M": places_of(p.order_bits)}


def adder(p, s):
    a, t = s.step("set-up: y22 = y2 + y2").start, s.step("set-up: y1 = y·r2").start
    return {"a": a, "t": t, "M": s.parts["product"].latency}


def xmul(p, s):
    code = s.microcode
    S, P = code.loops[0].first, code.loops[0].length
    return {"C": p.mask_cycles, "S": S, "P": P, "n": p.n, "E": len(code.words) - S - P}


def row_ladder(p, s):
    *alone, steps, batch = s.microcode.loops
    F, X, C = s.step("to words").end, sum(loop.count for loop in alone), p.batches
    N, S, V = p.order_bits, steps.length, batch.length
    B = steps.first - (F - START) - len(alone)
    before = batch.first - steps.first - S  # exit, and what prepares the batches
    Y = s.step("last").busy
    words = {"Z": len(s.microcode.words) - 1 - batch.first - V - Y, "Y": Y}
    P = F + X + B + S * N + before + V * C
    return {"F": F, "X": X, "N": N, "S": S, "V": V, "C": C, "B": B, "P": P} | words


def word_ladder(p, s):
    alone = [loop for loop in s.microcode.loops if loop.length == 1]
    steps, batch = s.microcode.loops[len(alone) :]
    F, X, N, S = s.step("to words").end, sum(loop.count for loop in alone), p.order_bits, steps.length
    B, E = steps.first + 1 - F - len(alone), batch.first - steps.first - S
    return {"F": F, "X": X, "N": N, "S": S, "B": B, "E": E, "V": batch.length, "b": batch.count}


def residue_ladder(p, s):
    steps, power, of_x, of_y = s.microcode.loops
    N, n, S, V = p.order_bits, p.n, steps.length, power.length
    B, E = steps.first - 2, power.first - steps.first - S
    words = {"Z": of_x.first - power.first - V, "Y": of_y.first - of_x.first - 1, "C": of_x.count}
    return {"N": N, "n": n, "S": S, "V": V, "B": B, "E": E, "T": B + 3 + S * N + E + V * n} | words


def edmul(p, s):
    code = s.microcode
    S, P = code.loops[0].first, code.loops[0].length
    return {"S": S, "P": P, "n": p.n, "E": len(code.words) - S - P}


def comb(p, s):
    return {**edmul(p, s), "c": p.columns, "W": len(p.table)}


def product(p, s):
    return {"M": s.parts["product"].latency, "t": s.step("set-up: U0 = u·r2").start}


def bits(p, s):
    return {"n": p.width}


def slots(p, s):
    return {"c": s.step("S 0").start, "P": p.slots, "I": p.digits}


def converters(p, s):
    return {"K": p.to_residues.digits}


def rowers(p, s):
    return {"L": p.engine.latency, "F": p.engine.fold_cycles, "E": s.latency}


def redundant(p, s):
    return rowers(p, s) | {"B": s.step("X: bus 1").start}


def kept(p, s):
    return rowers(p, s) | {"K": s.step("ŝ kept").start}


def kbe(p, s):
    return {
        "L": p.engine.latency,
        "F": p.engine.fold_cycles,
        "R": s.step("ŝ: rows").start - p.engine.latency,
    }


def orup(p, s):
    return {"I": p.digits, "L": p.limbs, "d": p.d}


def carry_save(p, s):
    return {"J": p.most_digits, "L": p.limbs}


def serial(p, s):
    return {"D": s.step("product 0.0").latency}


def plus_minus(p, s):
    return {"k": 3, "L": p.engine.latency, "F": p.engine.fold_cycles}


def processor(p, s):
    return {"L": p.engine.latency, "F": p.engine.fold_cycles, "n": p.n, "g": max(p.n, 3)}


def binary_divstep(p, s):
    return {"S": s.step("divsteps").busy, "L": p.slices, "H": p.halving_cycles}


def fermat(p, s):
    return {"C": p.product_cycles, "n": len(p.program)}


def unit(p, s):
    return {"L": p.latency}


def in_parts(p, s):
    return {"L": s.step("steps").end - 1, "W": s.microcode.cycles}


def in_columns(p, s):
    return {"s": p.s, "t": s.span - 1}


def none(p, s):
    return {}


SMALL = {"target": "generic"}
TWO_LIMBS = {**SMALL, "options": {"bits": 8, "limb": 4}}
LIMBS = {**SMALL, "modulus": "0xe9d", "options": {"limb": 4}}
CURVE = {"curve": "P-256", **SMALL}
HYBRID = {"modulus": "0xfd035c534fdf", **SMALL, "options": {"width": 16}}
BINARY = {**SMALL, "field": "secp256k1.p", "options": {"io": "binary"}}
RESIDUES = {"modulus": "13", **SMALL, "options": {"width": 8}}
X25519 = {"curve": "curve25519", **SMALL}

HEADS = [
    ("cores.modmul.sor.hardware", "modmul/sor-1m-p", {**SMALL, "modulus": "61", "options": {"width": 8}}, sor, None),
    ("cores.modmul.sor.hardware", "modmul/sor-1m-p", {"field": "secp256k1.p"}, sor, None),
    ("cores.modmul.sor_lean.hardware", "modmul/sor-lean", {"field": "secp256k1.p"}, lean, None),
    ("cores.unit.channel.hardware", "unit/multiplier", {"modulus": "2^66-5", **SMALL}, unit, None),
    ("engines.limb.hardware.columns", "modmul/limb-scan", TWO_LIMBS, none, None),
    ("engines.limb.hardware.scanner", "modmul/r64", TWO_LIMBS, none, None),
    ("engines.limb.hardware.multiplier", "modmul/limb-scan", LIMBS, limb, None),
    ("engines.limb.hardware.multiplier", "modmul/limb-fold-karatsuba", LIMBS, limb, None),
    ("cores.ecpm.ladder.hardware.core", "ecpm/ladder", CURVE, ladder, None),
    ("cores.ecpm.ladder.hardware.scalar", "ecpm/ladder", CURVE, ladder, None),
    ("cores.ecpm.ladder.hardware.lifted", "ecpm/r64-ladder", CURVE, lifted, None),
    ("cores.ecpm.ladder.hardware.row.core", "ecpm/row-ladder", CURVE, row_ladder, None),
    ("cores.ecpm.ladder.hardware.word.core", "ecpm/word-ladder", CURVE, word_ladder, None),
    ("cores.ecpm.ladder.hardware.residues.core", "ecpm/rns-ladder", RESIDUES, residue_ladder, None),
    ("engines.ladder.hardware.arithmetic", "ecpm/ladder", CURVE, adder, None),
    ("cores.xmul.montgomery_ladder.hardware.core", "xmul/montgomery-ladder", X25519, xmul, None),
    ("cores.xmul.montgomery_ladder.hardware.scalar", "xmul/montgomery-ladder", X25519, xmul, None),
    ("cores.xmul.pseudo_mersenne.hardware.core", "xmul/pseudo-mersenne-ladder", X25519, in_parts, None),
    ("cores.edmul.double_add.hardware.core", "edmul/double-add", {"curve": "ed25519", **SMALL}, edmul, None),
    ("cores.edmul.comb.hardware.core", "edmul/comb", {"curve": "ed25519", **SMALL}, comb, None),
    ("cores.eddsa.joint_edwards.hardware.core", "eddsa/joint", {"curve": "ed25519", **SMALL}, edmul, None),
    ("cores.ecdsa.joint.hardware.core", "ecdsa/joint", CURVE, edmul, None),
    ("engines.ladder.hardware.core", "edmul/double-add", {"curve": "ed25519", **SMALL}, none, None),
    ("engines.ladder.hardware.joint", "eddsa/joint", {"curve": "ed25519", **SMALL}, edmul, None),
    ("engines.ladder.hardware.machine", "xmul/montgomery-ladder", X25519, product, None),
    ("engines.coxrower.hardware.rower", "modmul/rns-kbe", {"field": "secp256k1.p", "target": "generic"}, kbe, None),
    ("cores.modmul.orup.hardware.loop", "modmul/orup-dsp", {"options": {"bits": 256}}, orup, None),
    ("cores.modmul.orup.hardware.core", "modmul/orup-dsp", {"options": {"bits": 256}}, orup, None),
    ("cores.modmul.orup.hardware.interleaved.core", "modmul/orup-interleaved", {"options": {"bits": 128}}, slots, None),
    ("cores.modmul.limb.hardware.core", "modmul/limb-scan", LIMBS, limb, None),
    ("cores.modmul.limb.hardware.core", "modmul/r64", TWO_LIMBS, limb, None),
    ("cores.modmul.limb_columns.hardware", "modmul/limb-columns", {"options": {"bits": 256}}, in_columns, None),
    ("cores.modmul.blakley.hardware", "modmul/blakley", {"field": "P-192", **SMALL}, bits, None),
    ("cores.modadd.carry.hardware", "modadd/carry", {"field": "P-192", **SMALL}, none, None),
    ("cores.basext.redundant.hardware", "basext/shenoy-kumaresan", {"field": "P-192", **SMALL}, redundant, None),
    ("cores.basext.mixed_radix.hardware", "basext/mixed-radix", {"field": "P-192", **SMALL}, rowers, None),
    ("cores.comparison.difference.hardware", "comparison/mixed-radix", {"field": "P-192", **SMALL}, rowers, None),
    ("cores.basext.coxrower.hardware", "basext/kbe", {"field": "P-192", **SMALL}, rowers, None),
    ("cores.modmul.rns_montgomery.hardware", "modmul/rns-kbe", {"field": "P-192", **SMALL}, kept, None),
    ("cores.modmul.rns_hybrid.hardware", "modmul/rns-hpr", HYBRID, none, None),
    ("engines.residue.hardware.converters", "modmul/sor-1m-p", BINARY, converters, "in"),
    ("cores.modmul.carry_save.hardware.core", "modmul/csa", {"options": {"bits": 256, "domain": 1}}, carry_save, None),
    ("cores.modmul.binary.hardware.pipelined", "modmul/binary", {**SMALL, "modulus": "61"}, none, None),
    ("cores.modmul.binary.hardware.serial", "modmul/binary-serial", {"field": "secp256k1.p"}, serial, None),
    (
        "cores.modinv.plus_minus.hardware.core",
        "modinv/rns-bmi",
        {**SMALL, "modulus": "1009", "options": {"width": 10}},
        plus_minus,
        "turn",
    ),
    ("cores.rns.random_bases.hardware", "rns/random-bases", {**SMALL, "field": "P-192"}, kept, None),
    ("cores.rns.processor.hardware.machine", "rns/processor", {**SMALL, "field": "P-192"}, processor, "turn"),
    (
        "cores.modinv.rns_divstep.hardware",
        "modinv/rns-divstep",
        {**SMALL, "modulus": "1009", "options": {"width": 11}},
        none,
        "turn",
    ),
    ("cores.modinv.binary_divstep.hardware.core", "modinv/binary-divstep", {"field": "P-256"}, binary_divstep, None),
    ("combine.fermat.hardware", "modinv/rns-flt", {**SMALL, "modulus": "61", "options": {"width": 10}}, fermat, None),
]


def wrong(text, plan, symbols, part=None):
    """Rows whose step does not end in the cycle that they state, and the number of rows."""
    schedule = plan if part is None else plan.parts[part]
    names = {f"steps 2 to {name}": f"steps 2 to {symbols.get(name)}" for name in "cnN"}
    found = [(cycle, step, schedule.step(names.get(step, step)).end) for cycle, step in rows(text)]
    return [row for row in found if value(row[0], symbols) != row[2]], len(found)


@pytest.mark.parametrize(
    ("module", "core", "request_", "symbols", "part"), HEADS, ids=[f"{head[0]}-{head[1]}" for head in HEADS]
)
def test_cycles_of_a_head_are_those_of_the_schedule(module, core, request_, symbols, part):
    text = importlib.import_module(f"modwright.{module}").__doc__
    found = find(core)
    p = found.derive(Request.make(found, **request_))
    plan = found.schedule(p)
    bad, count = wrong(text, plan, symbols(p, plan), part)
    assert bad == []
    assert count


def test_a_wrong_cycle_is_seen():
    found = find("modmul/binary")
    p = found.derive(Request.make(found, modulus="61", target="generic"))
    text = "\n    cycle  step  register that holds\n    1  xy factors  blocks\n    4  choice  z\n"
    assert wrong(text, found.schedule(p), {}) == ([("4", "choice", 11)], 2)


# --- every file


def is_component(tree):
    """Whether a module has a class of hardware."""
    bases = (base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases)
    return any(getattr(base, "attr", getattr(base, "id", "")) == "Component" for base in bases)


def lacks_a_table(source):
    """Whether hardware with registers of its own has no table of them in its head."""
    tree = parsed(source)
    table = re.search(r"^    cycle  +.*$", ast.get_docstring(tree) or "", flags=re.MULTILINE)
    return is_component(tree) and "m.d.sync" in source and table is None


def test_every_file_of_hardware_tells_its_registers_by_cycle():
    names = {path: path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    files = [path for path, name in names.items() if "hardware" in name or name.startswith("rtl/")]
    assert len(files) > 70
    found = [path for path in files if lacks_a_table(path.read_text(encoding="utf-8"))]
    assert [path.relative_to(PACKAGE).as_posix() for path in found] == []


def test_a_head_without_a_table_is_seen():
    plain = "class C(wiring.Component):\n    def elaborate(self, p):\n        m.d.sync += x.eq(1)\n"
    assert lacks_a_table(f'"""A core."""\n{plain}')
    assert not lacks_a_table(f'"""A core.\n\nRegisters:\n\n    cycle    register\n    1        x\n"""\n{plain}')
