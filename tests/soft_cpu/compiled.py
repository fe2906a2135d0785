# SPDX-License-Identifier: Apache-2.0
"""Programs for the soft CPU: C by the compiler of the ziglang wheel, linked to run from memory without any library."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..tools import needs

needs_riscv = needs("ziglang", why="it compiles for RISC-V")
TARGET = ("-target", "riscv32-freestanding")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffreestanding", "-nostdlibinc", "-fno-sanitize=all")


def compile_for(
    target: Path, sources: Sequence[Path], flags: Sequence[str], *, multiplier: bool = True, linked: bool = True
) -> Path:
    """An executable, or an object file, for RV32IM or RV32I; there is no library, and no header but the compiler's."""
    cpu = "-mcpu=generic_rv32+m" if multiplier else "-mcpu=generic_rv32"
    link = ("-nostdlib", "-static", "-Wl,-e,_start", "-Wl,--image-base=0x10000") if linked else ("-c",)
    command = [sys.executable, "-m", "ziglang", "cc", *TARGET, cpu, *STRICT, *link, *flags]
    subprocess.run([*command, *sources, "-o", target], check=True)
    return target
