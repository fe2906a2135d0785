# SPDX-License-Identifier: Apache-2.0
"""The model of RV32IM: each instruction by its encoding in the manual, the cost of sequences, and compiled C."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..soft_cpu import Machine, Program, TrapError, compile_for, needs_riscv

EBREAK = 0x00100073
WORD = st.integers(0, 2**32 - 1) | st.sampled_from((0, 1, 2**31 - 1, 2**31, 2**32 - 1))


def run(*words, multiplier=True, **registers):
    """A machine after a program at address 0."""
    machine = Machine(multiplier=multiplier)
    machine.put(0, *words, EBREAK)
    for name, value in registers.items():
        machine.x[int(name[1:])] = value
    machine.run(0)
    return machine


def signed(value):
    return value - (value >> 31 << 32)


def towards_zero(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


REGISTERS = {  # x3 = x1 op x2
    "add": (0x002081B3, lambda a, b: a + b, 3),
    "sub": (0x402081B3, lambda a, b: a - b, 3),
    "sll": (0x002091B3, lambda a, b: a << b % 32, None),
    "slt": (0x0020A1B3, lambda a, b: signed(a) < signed(b), 3),
    "sltu": (0x0020B1B3, lambda a, b: a < b, 3),
    "xor": (0x0020C1B3, lambda a, b: a ^ b, 3),
    "srl": (0x0020D1B3, lambda a, b: a >> b % 32, None),
    "sra": (0x4020D1B3, lambda a, b: signed(a) >> b % 32, None),
    "or": (0x0020E1B3, lambda a, b: a | b, 3),
    "and": (0x0020F1B3, lambda a, b: a & b, 3),
    "mul": (0x022081B3, lambda a, b: a * b, 40),
    "mulh": (0x022091B3, lambda a, b: signed(a) * signed(b) >> 32, 72),
    "mulhsu": (0x0220A1B3, lambda a, b: signed(a) * b >> 32, 72),
    "mulhu": (0x0220B1B3, lambda a, b: a * b >> 32, 72),
    "div": (0x0220C1B3, lambda a, b: towards_zero(signed(a), signed(b)) if b else -1, 40),
    "divu": (0x0220D1B3, lambda a, b: a // b if b else -1, 40),
    "rem": (0x0220E1B3, lambda a, b: signed(a) - signed(b) * towards_zero(signed(a), signed(b)) if b else a, 40),
    "remu": (0x0220F1B3, lambda a, b: a % b if b else a, 40),
}
IMMEDIATES = {  # x3 = x1 op -7, or shifted by 9
    "addi": (0xFF908193, lambda a: a - 7, 3),
    "slti": (0xFF90A193, lambda a: signed(a) < -7, 3),
    "sltiu": (0xFF90B193, lambda a: a < 2**32 - 7, 3),
    "xori": (0xFF90C193, lambda a: a ^ -7, 3),
    "ori": (0xFF90E193, lambda a: a | -7, 3),
    "andi": (0xFF90F193, lambda a: a & -7, 3),
    "slli": (0x00909193, lambda a: a << 9, 4 + 2 + 1),
    "srli": (0x0090D193, lambda a: a >> 9, 4 + 2 + 1),
    "srai": (0x4090D193, lambda a: signed(a) >> 9, 4 + 2 + 1),
}


@settings(max_examples=25)
@given(WORD, WORD)
def test_instructions_on_registers(a, b):
    for name, (word, expected, cost) in REGISTERS.items():
        machine = run(word, x1=a, x2=b)
        assert machine.x[3] == expected(a, b) % 2**32, name
        assert machine.cycle == (cost or 4 + b % 32 // 4 + b % 4), name


@settings(max_examples=25)
@given(WORD)
def test_instructions_with_immediates(a):
    for name, (word, expected, cost) in IMMEDIATES.items():
        machine = run(word, x1=a)
        assert (machine.x[3], machine.cycle) == (expected(a) % 2**32, cost), name


@pytest.mark.parametrize(
    ("kind", "taken", "skipped"),
    [
        (0, (5, 5), (5, 6)),
        (1, (5, 6), (5, 5)),
        (4, (2**32 - 1, 0), (0, 2**32 - 1)),
        (5, (0, 2**32 - 1), (2**32 - 1, 0)),
        (6, (0, 2**32 - 1), (2**32 - 1, 0)),
        (7, (5, 5), (4, 5)),
    ],
)
def test_branches(kind, taken, skipped):
    """Over an instruction that sets x3: 5 cycles, or 3 and those of the instruction."""
    words = (0x00208463 | kind << 12, 0x00100193)  # branch x1, x2, +8; li x3, 1
    over, through = (run(*words, x1=a, x2=b) for a, b in (taken, skipped))
    assert (over.x[3], over.cycle) == (0, 5)
    assert (through.x[3], through.cycle) == (1, 3 + 3)


def test_loads_and_stores():
    """sw, sh, sb; then lb, lh, lw, lbu, lhu of what they left."""
    words = [0x0020A023, 0x00209223, 0x00208423]  # sw x2, 0(x1); sh x2, 4(x1); sb x2, 8(x1)
    words += [0x00008183, 0x00009203, 0x0000A283, 0x0000C303, 0x0000D383]  # lb x3 ... lhu x7, 0(x1)
    machine = run(*words, x1=0x800, x2=0x89ABCDEF)
    assert [machine.word(0x800 + at) for at in (0, 4, 8)] == [0x89ABCDEF, 0xCDEF, 0xEF]
    assert machine.x[3:8] == [0xFFFFFFEF, 0xFFFFCDEF, 0x89ABCDEF, 0xEF, 0xCDEF]
    assert machine.cycle == 8 * 5


def test_jumps_and_constants():
    """A call and a return, lui and auipc: what returns costs 6, the call 3."""
    machine = run(0x00C000EF, 0x12345137, EBREAK, 0x00001197, 0x00008067)
    assert (machine.x[1], machine.x[2], machine.x[3]) == (4, 0x12345000, 0x100C)
    assert machine.cycle == 3 + 3 + 6 + 3
    assert machine.pc == 8
    back = run(0x0080006F, EBREAK, 0xFFDFF06F)  # j +8; ebreak; j -4
    assert (back.pc, back.cycle) == (4, 6)


def test_a_loop_costs_what_the_table_says():
    """The sum of 1 to 10: two constants, ten turns of three instructions, and a branch that is not taken at last."""
    machine = run(0x00A00093, 0x00000113, 0x00110133, 0xFFF08093, 0xFE009CE3)
    assert machine.x[2] == 55
    assert machine.cycle == 2 * 3 + 10 * (3 + 3) + 9 * 5 + 3
    assert machine.steps == 2 + 30


def test_the_counter_and_register_zero():
    machine = run(0x00500013, 0xC00021F3)  # li x0, 5; rdcycle x3
    assert (machine.x[0], machine.x[3]) == (0, 3)


@pytest.mark.parametrize("word", [0, 0xFFFFFFFF, 0x022081B3, 0x00002003 | 0x7FF << 20 | 1 << 15])
def test_what_is_not_there_traps(word):
    """No instruction, M on a CPU without it, a load beyond the memory."""
    with pytest.raises(TrapError):
        run(word, multiplier=False, x1=0x7FFFF000)
    with pytest.raises(TrapError, match="no end"):
        Machine().run(0, steps=0)


@needs_riscv
def test_compiled_c_gives_what_the_host_gives(tmp_path, c_compiler):
    """A mix of 32- and 64-bit arithmetic, shifts and byte accesses; the same source as a program of this machine."""
    source = tmp_path / "mix.c"
    source.write_text(
        """#include <stdint.h>
uint32_t result[8];
uint8_t bytes[64];
void mix(void) {
    uint32_t a = 0x12345678u; int32_t b = -77777; uint64_t c = 0x0123456789ABCDEFu;
    for (uint32_t n = 1; n < 200; ++n) {
        a = a * 1664525u + n; b = b / (int32_t)(n | 1u) + (int32_t)(a >> (n % 31));
        c = (c << (n % 63)) ^ (c >> 7) ^ ((uint64_t)a * (uint32_t)b); c += (uint64_t)(int64_t)(b >> 3);
        bytes[n % 64] = (uint8_t)(bytes[(n * 7) % 64] + (uint8_t)a); a ^= bytes[(n * 13) % 64]; b %= (int32_t)(n + 9);
        result[n % 8] += a ^ (uint32_t)b ^ (uint32_t)(c >> 32) ^ (uint32_t)c;
    }
}
#ifdef HOST
#include <stdio.h>
int main(void) { mix(); for (int k = 0; k < 8; ++k) printf("%u\\n", (unsigned)result[k]); return 0; }
#else
__asm__(".globl _start\\n_start: li sp, 0x100000\\n jal mix\\n ebreak\\n");
#endif
"""
    )
    subprocess.run([*c_compiler, "-DHOST", "-fwrapv", source, "-o", tmp_path / "host"], check=True)
    expected = subprocess.run([tmp_path / "host"], capture_output=True, text=True, check=True).stdout.split()
    program = Program(compile_for(tmp_path / "mix.elf", [source], ["-O2", "-fwrapv"]))
    machine = Machine()
    program.load(machine)
    machine.run(program.entry)
    assert [machine.word(program.symbols["result"] + 4 * k) for k in range(8)] == [int(v) for v in expected]
