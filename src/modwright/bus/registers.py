# SPDX-License-Identifier: Apache-2.0
"""The registers of a core behind a bus: the one description that RTL, exports, driver and datasheet are made from.

Words of 32 bits, addresses in bytes. The space has four equal regions, a power of two each: registers, operands,
results, and one that is empty. Every element of a payload field has words of its own, the least significant first; what
its last word has above the element's width is to be 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .. import __version__
from ..base.json import plain
from ..base.store import digest_of
from ..contract import Field, Payload
from ..functions import all_functions
from ..prepared import Prepared

WORD = 32
"""Bits of a word."""
BYTES = WORD // 8
IDENTITY = int.from_bytes(b"MODW", "big")
"""Value of ID: "MODW" in ASCII, the first letter in the most significant byte."""
MAP_VERSION = 2
"""Version of the register map: 1 had no KEEP."""
DIGEST_WORDS = 4
REGISTER_REGION = 16
"""Words for registers."""


@dataclass(frozen=True)
class Bits:
    """Bits of a register.

    Parameters
    ----------
    name : str
    low, width : int
        Least significant bit, and how many.
    access : str
        "r": read; "rw": read and write; "w": write, reads as 0; "w1c": read, and a 1 written clears it.
    note : str
    """

    name: str
    low: int
    width: int
    access: str
    note: str


@dataclass(frozen=True)
class Register:
    """One word.

    Parameters
    ----------
    name : str
    offset : int
        In bytes.
    bits : tuple of Bits
    note : str
    value : int
        After reset; a constant where nothing writes it.
    """

    name: str
    offset: int
    bits: tuple[Bits, ...]
    note: str
    value: int = 0

    def value_of(self, bits: Bits) -> int:
        """Value of some bits after reset."""
        return self.value >> bits.low & ((1 << bits.width) - 1)

    @property
    def readable(self) -> bool:
        """Whether a read shows something."""
        return any(b.access != "w" for b in self.bits)

    @property
    def writable(self) -> bool:
        """Whether a write is taken."""
        return any(b.access != "r" for b in self.bits)


VERSION = (
    Bits("PATCH", 0, 8, "r", "of Modwright"),
    Bits("MINOR", 8, 8, "r", "of Modwright"),
    Bits("MAJOR", 16, 8, "r", "of Modwright"),
    Bits("MAP", 24, 8, "r", "of this table"),
)

COMMANDS = (
    Register(
        "CONTROL",
        0x20,
        (
            Bits("START", 0, 1, "w", "start an operation; an error while one is in flight, or with WIPE or RESET"),
            Bits("WIPE", 1, 1, "w", "clear operands and results; the result of an operation in flight is dropped"),
            Bits("RESET", 2, 1, "w", "reset the core and end an operation; clears operands and results"),
        ),
        "commands",
    ),
    Register(
        "STATUS",
        0x24,
        (
            Bits("BUSY", 0, 1, "r", "an operation is in flight"),
            Bits("DONE", 1, 1, "r", "the result window holds a result"),
            Bits("ERROR", 8, 8, "r", "error code of the result, 0 for none"),
        ),
        "state",
    ),
    Register(
        "INTERRUPT",
        0x28,
        (
            Bits("ENABLE", 0, 1, "rw", "the line irq follows PENDING"),
            Bits("PENDING", 1, 1, "w1c", "an operation ended; START clears it, too"),
        ),
        "interrupt",
    ),
    Register(
        "CYCLES",
        0x2C,
        (Bits("CYCLES", 0, 32, "r", "cycles from the transfer of the operands to the result"),),
        "cycles of the last operation",
    ),
)
"""Registers that are the same for every core."""


@dataclass(frozen=True)
class Window:
    """The words of one field of a payload.

    Parameters
    ----------
    field : Field
    offset : int
        Offset of the first word in bytes.
    operand : bool
        Written, and reads as 0; else a result, which is read.
    low : int
        Least significant bit of the field in its payload.
    """

    field: Field
    offset: int
    operand: bool
    low: int

    @property
    def name(self) -> str:
        """`I_` or `O_` and the field's name in capitals."""
        return ("I_" if self.operand else "O_") + self.field.name.upper()

    @property
    def shape(self) -> str:
        """Elements, bits and the field's note, in words."""
        f = self.field
        shape = f"{f.count} x {f.width} bits" if f.count > 1 else f"{f.width} bits"
        return f"{shape}{f', {f.note}' if f.note else ''}"

    @property
    def element_words(self) -> int:
        """Words of one element."""
        return -(-self.field.width // WORD)

    @property
    def words(self) -> int:
        """Words of the field."""
        return self.element_words * self.field.count

    def slices(self) -> Iterator[tuple[int, int, int]]:
        """(offset in bytes, least significant bit in the payload, bits) of each word."""
        for number in range(self.words):
            element, part = divmod(number, self.element_words)
            bits = min(WORD, self.field.width - part * WORD)
            yield self.offset + number * BYTES, self.low + element * self.field.width + part * WORD, bits


@dataclass(frozen=True)
class RegisterMap:
    """Registers and windows of one core.

    Parameters
    ----------
    top : str
        Name of the core's module.
    function : str
        Part of the core's name before the slash.
    digest : str
        Digest of request and parameters, in hex.
    i, o : Payload
    runtime_modulus, constant_latency : bool
    """

    top: str
    function: str
    digest: str
    i: Payload
    o: Payload
    runtime_modulus: bool = False
    constant_latency: bool = True

    @cached_property
    def region(self) -> int:
        """Bytes of a region."""
        words = max(REGISTER_REGION, *(self._words(payload) for payload in (self.i, self.o)))
        return BYTES << (words - 1).bit_length()

    @staticmethod
    def _words(payload: Payload) -> int:
        return sum(-(-f.width // WORD) * f.count for f in payload.fields)

    @property
    def address_bits(self) -> int:
        """Bits of a byte address."""
        return (4 * self.region - 1).bit_length()

    @cached_property
    def operands(self) -> tuple[Window, ...]:
        """Windows of the operands, one after another."""
        return self._windows(self.i, self.region, operand=True)

    @cached_property
    def results(self) -> tuple[Window, ...]:
        """Windows of the results, one after another."""
        return self._windows(self.o, 2 * self.region, operand=False)

    @property
    def windows(self) -> tuple[Window, ...]:
        """Windows of operands, then of results."""
        return (*self.operands, *self.results)

    @staticmethod
    def _windows(payload: Payload, start: int, *, operand: bool) -> tuple[Window, ...]:
        found = []
        for field in payload.fields:
            found.append(Window(field, start, operand, payload.offsets[field.name]))
            start += found[-1].words * BYTES
        return tuple(found)

    @cached_property
    def registers(self) -> tuple[Register, ...]:
        """Registers in the order of their addresses."""
        keep = Register("KEEP", 0x30, self._keep, "operands for the operations that follow; 0 after RESET")
        return (*self._identity, *COMMANDS, keep)

    @cached_property
    def _identity(self) -> tuple[Register, ...]:
        """Registers with constants: the core, its versions, its function and the digest of its request."""
        major, minor, patch = (int(part) for part in __version__.split(".")[:3])
        codes = {f.name: f.register_code for f in all_functions().values()}
        words = bytes.fromhex(self.digest)[: DIGEST_WORDS * BYTES]
        digest = [int.from_bytes(words[at : at + BYTES], "big") for at in range(0, len(words), BYTES)]
        function = (
            Bits("CODE", 0, 8, "r", ", ".join(f"{code}: {name}" for name, code in codes.items())),
            Bits("RUNTIME_MODULUS", 8, 1, "r", "the modulus is an operand"),
            Bits("CONSTANT_LATENCY", 9, 1, "r", "the latency does not depend on operand values"),
        )
        value = codes.get(self.function, 0) | self.runtime_modulus << 8 | self.constant_latency << 9
        note = "SHA-256 of request and parameters, its first 128 bits"
        return (
            Register("ID", 0x00, (Bits("ID", 0, 32, "r", '"MODW" in ASCII'),), "identification", IDENTITY),
            Register("VERSION", 0x04, VERSION, "versions", MAP_VERSION << 24 | major << 16 | minor << 8 | patch),
            Register("FUNCTION", 0x08, function, "function of the core", value),
            *(
                Register(f"DIGEST{n}", 0x10 + n * BYTES, (Bits("DIGEST", 0, 32, "r", "big-endian words"),), note, word)
                for n, word in enumerate(digest)
            ),
        )

    @cached_property
    def _keep(self) -> tuple[Bits, ...]:
        """A bit for each window of an operand, as many as a word has."""
        names = [field.name for field in self.i.fields[:WORD]]
        note = "the operand stays when the core takes it, and after WIPE"
        return tuple(Bits(name.upper(), number, 1, "rw", note) for number, name in enumerate(names))

    def register(self, name: str) -> Register:
        """A register by its name."""
        return next(r for r in self.registers if r.name == name)

    def window(self, name: str) -> Window:
        """A window by its name, such as `I_X`."""
        return next(w for w in self.windows if w.name == name)


def register_map(prepared: Prepared) -> RegisterMap:
    """The map of a core."""
    p = prepared.parameters
    return RegisterMap(
        prepared.top,
        prepared.core.function,
        digest_of(prepared.request.to_mapping(), plain(p.describe())),
        p.i,
        p.o,
        prepared.core.runtime_modulus,
        prepared.schedule.constant_time,
    )
