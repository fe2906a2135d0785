# SPDX-License-Identifier: Apache-2.0
"""Description of the registers of a core: words, SystemRDL, IP-XACT, the table, the header in C."""

import re
import subprocess

from modwright.bus import (
    c_header,
    register_map,
    system_rdl,
    table,
)
from modwright.bus.registers import IDENTITY, RegisterMap
from modwright.contract import Field, Payload

from ..tools import require_module
from .bus_models import toy

RSA = RegisterMap(
    "modexp_demo",
    "modexp",
    "ab" * 32,
    Payload((Field("base", 70, more="below M"), Field("exponent", 33), Field("m", 64), Field("pair", 40, 2))),
    Payload((Field("z", 70), Field("error", 2))),
    runtime_modulus=True,
)
"""Fields that end in the middle of a word, at its end, and an array."""


def test_words_of_a_map():
    assert [(w.name, w.offset, w.words) for w in RSA.operands] == [
        ("I_BASE", 0x40, 3),
        ("I_EXPONENT", 0x4C, 2),
        ("I_M", 0x54, 2),
        ("I_PAIR", 0x5C, 4),
    ]
    assert [bits for w in RSA.operands for _, _, bits in w.slices()] == [32, 32, 6, 32, 1, 32, 32, 32, 8, 32, 8]
    assert [low for _, low, _ in RSA.window("I_PAIR").slices()] == [167, 199, 207, 239]
    assert RSA.results[0].offset == 0x80
    assert RSA.address_bits == 8
    assert RSA.register("FUNCTION").value == 3 | 1 << 8 | 1 << 9
    assert [RSA.register(f"DIGEST{n}").value for n in range(4)] == [0xABABABAB] * 4


def test_a_large_operand_makes_the_regions_larger():
    operands, results = Payload((Field("x", 2048), Field("y", 32))), Payload((Field("error", 1),))
    large = RegisterMap("t", "modexp", "00" * 32, operands, results)
    assert large.region == 4 * 128
    assert large.address_bits == 11
    assert large.results[0].offset == 0x400


def test_bits_of_a_register_do_not_overlap():
    for register in RSA.registers:
        taken = 0
        for bits in register.bits:
            mask = ((1 << bits.width) - 1) << bits.low
            assert not taken & mask
            assert mask < 1 << 32
            taken |= mask
    offsets = [r.offset for r in RSA.registers]
    assert offsets == sorted(set(offsets))
    assert max(offsets) < RSA.region


def test_the_digest_is_of_the_parameters(tmp_path):
    one, same, other = (register_map(toy(tmp_path, interval=n)) for n in (2, 2, 3))
    assert one.digest == same.digest != other.digest


def test_system_rdl_compiles(tmp_path):
    systemrdl = require_module("systemrdl")
    path = tmp_path / "registers.rdl"
    path.write_text(system_rdl(RSA))
    compiler = systemrdl.RDLCompiler()
    compiler.compile_file(str(path))
    top = compiler.elaborate().top
    found = {}
    for node in top.descendants(unroll=True):
        if isinstance(node, systemrdl.node.RegNode):
            found[node.get_path_segment()] = node.absolute_address
    expected = {r.name: r.offset for r in RSA.registers}
    for window in (*RSA.operands, *RSA.results):
        expected |= {f"{window.name}[{n}]": window.offset + 4 * n for n in range(window.words)}
    assert found == expected
    function = top.get_child_by_name("FUNCTION").get_child_by_name("CODE")
    assert (function.lsb, function.msb, function.get_property("reset")) == (0, 7, 3)


def test_the_table_has_every_word():
    text = table(RSA)
    for register in RSA.registers:
        assert f"| {register.offset:#06x} | {register.name}" in text
    assert "| 0x0040 to 0x0048 | I_BASE | 3 words | w | 70 bits, below M |" in text


def test_the_header_says_the_same_to_c(tmp_path, c_compiler):
    """Every macro, evaluated by a compiler of C."""
    header = c_header(RSA)
    names = re.findall(r"^#define (\w+) ", header, flags=re.MULTILINE)
    (tmp_path / "registers.h").write_text(header)
    prints = "".join(f'printf("{name} %lu\\n", (unsigned long){name});' for name in names)
    source = tmp_path / "show.c"
    source.write_text(f'#include <stdio.h>\n#include "registers.h"\nint main(void) {{ {prints} return 0; }}\n')
    subprocess.run([*c_compiler, "-std=c99", "-Wall", "-Werror", source, "-o", tmp_path / "show"], check=True)
    shown = subprocess.run([tmp_path / "show"], capture_output=True, text=True, check=True).stdout
    values = {name: int(value) for name, value in (line.split() for line in shown.splitlines())}
    for register in RSA.registers:
        assert values[f"MODEXP_DEMO_{register.name}"] == register.offset
        for bits in register.bits:
            mask = ((1 << bits.width) - 1) << bits.low
            assert values[f"MODEXP_DEMO_{register.name}_{bits.name}_MASK"] == mask
    assert values["MODEXP_DEMO_ID_VALUE"] == IDENTITY
    assert values["MODEXP_DEMO_O_Z"] == 0x80
    assert values["MODEXP_DEMO_I_PAIR_WORDS"] == 4
