# SPDX-License-Identifier: Apache-2.0
"""An executable in ELF (System V ABI, 32 bits, little-endian), as the soft CPU loads it."""

import struct
from pathlib import Path

from .machine import Machine

_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_SEGMENT = struct.Struct("<8I")
_SECTION = struct.Struct("<10I")
_SYMBOL = struct.Struct("<IIIBBH")
_LOAD, _SYMBOLS, _UNDEFINED = 1, 2, 0


class Program:
    """An executable or an object file.

    Attributes
    ----------
    entry : int
    symbols : dict of str to int
        Address by name.
    undefined : set of str
    """

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        head = _HEADER.unpack_from(self.data)
        assert head[0][:6] == b"\x7fELF\x01\x01", path
        self.entry, self._segments_at, self._sections_at = head[4:7]
        self._segments, self._sections = head[10], head[12]
        self.symbols: dict[str, int] = {}
        self.undefined: set[str] = set()
        for number in range(self._sections):
            section = _SECTION.unpack_from(self.data, self._sections_at + number * _SECTION.size)
            if section[1] == _SYMBOLS:
                self._read_symbols(section)

    def _read_symbols(self, section: tuple[int, ...]) -> None:
        strings = _SECTION.unpack_from(self.data, self._sections_at + section[6] * _SECTION.size)[4]
        for at in range(section[4], section[4] + section[5], _SYMBOL.size):
            name_at, value, _, _, _, where = _SYMBOL.unpack_from(self.data, at)
            start = strings + name_at
            name = self.data[start : self.data.index(b"\0", start)].decode()
            if name and where == _UNDEFINED:
                self.undefined.add(name)
            elif name:
                self.symbols[name] = value

    @property
    def text_bytes(self) -> int:
        """Bytes of the segments with instructions."""
        return sum(s[5] for s in self._loaded() if s[6] & 1)

    def _loaded(self) -> list[tuple[int, ...]]:
        rows = [_SEGMENT.unpack_from(self.data, self._segments_at + n * _SEGMENT.size) for n in range(self._segments)]
        return [row for row in rows if row[0] == _LOAD]

    def load(self, machine: Machine) -> None:
        """Copy the segments into the memory of a machine."""
        for _, offset, address, _, size, memory, _, _ in self._loaded():
            machine.memory[address : address + memory] = self.data[offset : offset + size].ljust(memory, b"\0")
