# SPDX-License-Identifier: Apache-2.0
"""A small system: the soft CPU with the delivered driver in its memory, and a device on its bus."""

from pathlib import Path

from modwright.base.errors import UsageError
from modwright.driver import FOLDER, description
from modwright.functions import find_function

from .compiled import compile_for
from .devices import Modelled
from .machine import Machine
from .program import Program

SOC = Path(__file__).parents[1] / "data" / "driver" / "soc.c"
SOURCES = ("modwright.c", "modwright_curves.c", "modwright_mmio.c")
_LEAST_BITS = 64
"""Of numbers in the driver: narrower cores share what is compiled for it, which the compiler keeps."""
_SPARE = 8
"""Words of MW_WORDS above MW_MAX_BITS."""
_INPUTS, _OUTPUTS = 7, 2
_MODULUS = 6


class System:
    """One core, its driver compiled for a CPU, and a device.

    Parameters
    ----------
    prepared : Prepared
    folder : Path
        For the program.
    device : Bus or None
        None: the model of the core.
    flags : sequence of str
        Of the compiler.
    multiplier : bool
        Whether the CPU has one.
    """

    def __init__(self, prepared, folder, device=None, flags=("-O2",), *, multiplier=True):
        self.prepared = prepared
        function = find_function(prepared.core.function)
        if function.c_operands is None:
            raise UsageError(f"{function.name}: no driver")
        self.operands, self.code = function.c_operands, function.register_code
        bits = max(_LEAST_BITS, *(f.width for f in prepared.parameters.i.fields))
        self.most = -(-bits // 32) + _SPARE
        described = folder / "core.c"
        described.write_text(description(prepared))
        soc = folder / "soc.c"  # so that the driver's files have the same options for every core, and are kept
        soc.write_text(f'#define CORE {prepared.top}_core\n#include "{SOC}"\n')
        sources = [soc, described, *(FOLDER / name for name in SOURCES)]
        settings = (f"-I{FOLDER}", f"-DMW_MAX_BITS={bits}", "-g")
        path = compile_for(folder / "system.elf", sources, (*flags, *settings), multiplier=multiplier)
        self.program = Program(path)
        self.device = device if device is not None else Modelled(prepared)
        self.machine = Machine(self.device, multiplier=multiplier)
        self.program.load(self.machine)
        self.box = self.program.symbols["box"]
        self.machine.run(self.program.entry)

    def _row(self, number):
        return self.box + 8 + 4 * number * self.most

    def field(self, number):
        """A word behind the numbers of the box: 2 cycles, 3 cycles of the core, 4 error, 5 swap, 6 opened, 7 status."""
        return self.machine.word(self._row(_INPUTS + _OUTPUTS) + 4 * number)

    @property
    def opened(self):
        """What `mw_open` returned."""
        return self.field(6) - (self.field(6) >> 31 << 32)

    def __call__(self, words, modulus=None, **operands):
        """One operation: (status, results, cycles of the CPU, cycles of the core)."""
        machine = self.machine
        machine.put(self.box, self.code, words)
        rows = {self.operands.index(name): value for name, value in operands.items()}
        for number, value in {**rows, _MODULUS: modulus or 0}.items():
            machine.put(self._row(number), *(value >> 32 * k & 0xFFFFFFFF for k in range(self.most)))
        machine.put(self._row(_INPUTS + _OUTPUTS) + 4, modulus is not None)
        machine.run(machine.pc + 4)
        found = [int.from_bytes(machine.memory[self._row(n) :][: 4 * words], "little") for n in (_INPUTS, _INPUTS + 1)]
        status = self.field(7) - (self.field(7) >> 31 << 32)
        return status, found, self.field(2), self.field(3)
