# SPDX-License-Identifier: Apache-2.0
"""Memories in block RAMs.

Most have a register behind their output, so that no access time is in the path to what they are read for. On ECP5
they are instances of the block RAM, because Yosys leaves its output register empty; on other targets the register is
a plain one.

    cycle   read                           write
    0       address                        address, word
    1       the word is in the memory's    memory
    2       `found`                        -

`ConstantsAndWords` has none, and is an instance on ECP5 because Yosys does not put words and constants into one block.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Array, Cat, ClockSignal, Const, Instance, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .pipeline import delayed

WIDE = 36
"""Bits of a block RAM's word where one port reads and the other writes."""
DEEP = 512
"""Words of `WIDE` bits in a block."""
HALF = 18
"""Bits of its longest word where one port does both, of 1024; the initial contents come in such words, in 20 bits."""
ENTRIES = 1024
"""Words of `HALF` bits in a block."""
LINE = 16
"""Words of `HALF` bits in one parameter of initial contents."""
PLACE = 20
"""Bits of such a word in that parameter."""
WORDS = {512: 36, 1024: 18, 2048: 9}
"""Bits of a word, by the number of words in a block."""
BYTE = 9
"""Bits of a word behind one byte enable, of which the four are the lowest bits of the address of port A."""
ADDRESS = 14
"""Bits of the address of a bit."""
LEAST_DEEP = {"xc7": 512}
"""Words from which on Yosys puts a memory of constants into a block RAM, by device family."""


class BlockMemory(wiring.Component):
    """Words with one port to read and one to write.

    Parameters
    ----------
    width, depth : int
    target : str
        Device family.

    Attributes
    ----------
    read, into : in
        Addresses; not the same in one cycle with `write`.
    write : in
    word : in, width bits
    found : out, width bits
        The word read, two cycles later.
    """

    def __init__(self, width: int, depth: int, target: str) -> None:
        self.width, self.depth, self.target = width, depth, target
        number = (depth - 1).bit_length()
        super().__init__(
            {"read": In(number), "into": In(number), "write": In(1), "word": In(width), "found": Out(width)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.target != "ecp5":
            self._plain(m)
            return m
        for low in range(0, self.width, WIDE):
            part = slice(low, min(low + WIDE, self.width))
            m.d.comb += self.found[part].eq(self._stack(m, self.word[part]))
        return m

    def _stack(self, m: Module, word: Value) -> Value:
        """Blocks one above the other, each with `DEEP` words of at most `WIDE` bits."""
        if self.depth <= DEEP:
            return _block(m, {"A": self.into, "B": self.read}, WIDE, (), self.write, word)
        low = DEEP.bit_length() - 1
        ports = {"A": self.into[:low], "B": self.read[:low]}
        blocks = [
            _block(m, ports, WIDE, (), self.write & (self.into[low:] == number), word)
            for number in range(-(-self.depth // DEEP))
        ]
        return Array(blocks)[delayed(m, self.read[low:], 2, "block")]

    def _plain(self, m: Module) -> None:
        m.submodules.store = store = memory.Memory(shape=self.width, depth=self.depth, init=[])
        write, read = store.write_port(), store.read_port()
        m.d.comb += [
            read.addr.eq(self.read),
            read.en.eq(1),
            write.addr.eq(self.into),
            write.en.eq(self.write),
            write.data.eq(self.word),
        ]
        m.d.sync += self.found.eq(read.data)


class ConstantsAndWords(wiring.Component):
    """Constants, which one port reads, and a few words, which the other one reads or writes.

    On ECP5 they share a block RAM, whose contents a random state before a reset must not change: so the first words,
    which are constant, too, are not written.

        cycle   constant            word read                word written
        0       `address`           `pick`, while no write   `into`, `write`, `word`
        1       `constant`          `found`                  memory

    Parameters
    ----------
    width : int
    constants : sequence of int
    fixed : sequence of int
        The first words.
    count : int
        Number of words in all; 0 for constants alone.
    target : str
        Device family.

    Attributes
    ----------
    address : in
        Number of the constant.
    pick, into : in
        Numbers of words.
    write : in
        Strobe: `word` is written, unless `into` is a fixed word; what `pick` names is not read in this cycle.
    word : in, width bits
    constant, found : out, width bits
        The constant and the word that were read.
    """

    def __init__(self, width: int, constants: Sequence[int], fixed: Sequence[int], count: int, target: str) -> None:
        self.width, self.constants, self.fixed, self.count, self.target = width, constants, fixed, count, target
        number = max(1, (count - 1).bit_length())
        super().__init__(
            {"address": In(max(1, (len(constants) - 1).bit_length())), "pick": In(number), "into": In(number)}
            | {"write": In(1), "word": In(width), "constant": Out(width), "found": Out(width)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        writes = self.write & (self.into >= len(self.fixed))
        if self.target == "ecp5":
            self._in_one(m, writes)
        else:
            self._apart(m, writes)
        return m

    def _in_one(self, m: Module, writes: Value) -> None:
        """All in block RAMs of `HALF` bits, with the words at the end."""
        last = 1 << len(self.pick)
        between = [0] * (ENTRIES - last - len(self.constants))
        contents = [*self.constants, *between, *self.fixed, *[0] * (last - len(self.fixed))]
        second = Cat(Mux(writes, self.into, self.pick), Const(-1, (ENTRIES - 1).bit_length() - len(self.pick)))
        for low in range(0, self.width, HALF):
            part = slice(low, min(low + HALF, self.width))
            words = [word >> low & (1 << HALF) - 1 for word in contents]
            ports = {"A": self.address, "B": second}
            constant, found = _two_readers(m, ports, words, writes, self.word[part])
            m.d.comb += [self.constant[part].eq(constant), self.found[part].eq(found)]

    def _apart(self, m: Module, writes: Value) -> None:
        """Constants and words in memories of their own."""
        least = 1 << (len(self.constants) - 1).bit_length()
        depth = max(least, LEAST_DEEP.get(self.target, 0))
        m.submodules.store = store = memory.Memory(shape=self.width, depth=depth, init=list(self.constants))
        port = store.read_port()
        m.d.comb += [port.addr.eq(self.address), self.constant.eq(port.data)]
        if not self.count:
            return
        m.submodules.words = words = memory.Memory(shape=self.width, depth=1 << len(self.pick), init=[])
        write, read, held = words.write_port(), words.read_port(domain="comb"), Signal.like(self.pick)
        m.d.sync += held.eq(self.pick)
        m.d.comb += [
            read.addr.eq(held),
            write.addr.eq(self.into),
            write.en.eq(writes),
            write.data.eq(self.word),
            self.found.eq(read.data),
        ]
        for number, value in enumerate(self.fixed):
            with m.If(held == number):
                m.d.comb += self.found.eq(value)


def constant_words(
    m: Module, address: Value, words: Sequence[int], width: int, target: str, name: str = "memory"
) -> Value:
    """The word of a constant memory, two cycles after its address.

    Parameters
    ----------
    m : Module
    address : Value
    words : sequence of int
    width : int
        Bits of a word.
    target : str
        Device family.
    name : str
        Name of the memory in the module, on a target without blocks of its own.
    """
    if target == "ecp5" and len(words) > 2 * max(WORDS):
        low = max(WORDS).bit_length() - 1
        pieces = [words[first : first + max(WORDS)] for first in range(0, len(words), max(WORDS))]
        found = [constant_words(m, address[:low], piece, width, target) for piece in pieces]
        return Array(found)[delayed(m, address[low:], 2, "piece")]
    if target == "ecp5" and len(words) > max(WORDS):
        half = max(WORDS)
        parts = [
            constant_words(m, address[: half.bit_length() - 1], part, width, target)
            for part in (words[:half], words[half:])
        ]
        return Mux(delayed(m, address[half.bit_length() - 1 :].any(), 2, "upper"), parts[1], parts[0])
    size = next((size for depth, size in WORDS.items() if len(words) <= depth), 0)
    if target == "ecp5":
        mask = (1 << size) - 1
        parts = [
            _block(m, {"B": address}, size, [word >> low & mask for word in words]) for low in range(0, width, size)
        ]
        return Cat(parts)[:width]
    m.submodules[name] = store = memory.Memory(shape=width, depth=len(words), init=list(words))
    port, found = store.read_port(), Signal(width, name="fetched", reset_less=True)
    m.d.comb += [port.addr.eq(address), port.en.eq(1)]
    m.d.sync += found.eq(port.data)
    return found


def _block(
    m: Module,
    addresses: dict[str, Value],
    size: int,
    words: Sequence[int],
    write: Value | None = None,
    word: Value | None = None,
) -> Value:
    """One block RAM with words of `size` bits: port B reads; with `write`, port A writes."""
    found = Signal(WIDE)
    ports: dict[str, object] = {f"p_INITVAL_{n:02X}": value for n, value in enumerate(contents_of(words, size))}
    for port, half in (("A", 0), ("B", HALF)):
        address = _address(addresses.get(port), size, port == "A" and write is not None)
        ports |= {f"i_AD{port}{bit}": value for bit, value in enumerate(address)}
        data = Const(0, HALF) if word is None else Cat(word, Const(0, WIDE - len(word)))[half : half + HALF]
        ports |= {f"i_DI{port}{bit}": data[bit] for bit in range(HALF)}
        ports |= {f"o_DO{port}{bit}": found[half + bit] for bit in range(HALF)}
        ports |= {f"i_{pin}{port}": Const(1, 1) for pin in ("CE", "OCE")}
        ports |= {f"i_CS{port}{number}": Const(0, 1) for number in range(3)}
        ports |= {f"i_CLK{port}": ClockSignal("sync"), f"i_RST{port}": Const(0, 1)}
        ports |= {f"p_DATA_WIDTH_{port}": size, f"p_REGMODE_{port}": "OUTREG", f"p_CSDECODE_{port}": "0b000"}
        ports[f"p_CLK{port}MUX"] = f"CLK{port}"
    ports |= {"i_WEA": Const(0, 1) if write is None else write, "i_WEB": Const(0, 1)}
    m.submodules += Instance("DP16KD", p_RESETMODE="SYNC", p_ASYNC_RESET_RELEASE="SYNC", p_GSR="AUTO", **ports)
    return found if size == WIDE else found[HALF : HALF + size]


def _two_readers(
    m: Module, addresses: dict[str, Value], words: Sequence[int], write: Value, word: Value
) -> tuple[Value, Value]:
    """One block RAM with words of `HALF` bits without output registers: both ports read, and port B also writes."""
    found = {port: Signal(HALF, name=f"found_{port.lower()}") for port in addresses}
    ports: dict[str, object] = {f"p_INITVAL_{n:02X}": value for n, value in enumerate(contents_of(words, HALF))}
    for port, address in addresses.items():
        data = Cat(word, Const(0, HALF - len(word))) if port == "B" else Const(0, HALF)
        enables = HALF // BYTE if port == "B" else 0
        bits = [*[Const(int(bit < enables), 1) for bit in range(ADDRESS - (ENTRIES - 1).bit_length())], *address]
        bits = [*bits, *[Const(0, 1)] * (ADDRESS - len(bits))]
        ports |= {f"i_AD{port}{bit}": value for bit, value in enumerate(bits)}
        ports |= {f"i_DI{port}{bit}": data[bit] for bit in range(HALF)}
        ports |= {f"o_DO{port}{bit}": found[port][bit] for bit in range(HALF)}
        ports |= {f"i_{pin}{port}": Const(1, 1) for pin in ("CE", "OCE")}
        ports |= {f"i_CS{port}{number}": Const(0, 1) for number in range(3)}
        ports |= {f"i_CLK{port}": ClockSignal("sync"), f"i_RST{port}": Const(0, 1)}
        ports |= {f"p_DATA_WIDTH_{port}": HALF, f"p_REGMODE_{port}": "NOREG", f"p_CSDECODE_{port}": "0b000"}
        ports |= {f"i_WE{port}": write if port == "B" else Const(0, 1), f"p_CLK{port}MUX": f"CLK{port}"}
    m.submodules += Instance("DP16KD", p_RESETMODE="SYNC", p_ASYNC_RESET_RELEASE="SYNC", p_GSR="AUTO", **ports)
    return found["A"][: len(word)], found["B"][: len(word)]


def _address(address: Value | None, size: int, writes: bool) -> list[Value]:
    """Address of a word's first bit; a port that writes has its byte enables in the lowest bits."""
    if address is None:
        return [Const(0, 1)] * ADDRESS
    unused = 2 + (size // BYTE).bit_length()
    low = [Const(int(writes and bit < WIDE // BYTE), 1) for bit in range(unused)]
    return [*low, *address, *[Const(0, 1)] * ADDRESS][:ADDRESS]


def contents_of(words: Sequence[int], size: int) -> list[Const]:
    """Parameters of the initial contents; none for a memory without."""
    if not words:
        return []
    whole = sum(word << size * number for number, word in enumerate(words))
    entries = [whole >> HALF * number & (1 << HALF) - 1 for number in range(ENTRIES)]
    lines = [entries[first : first + LINE] for first in range(0, ENTRIES, LINE)]
    return [Const(sum(entry << PLACE * k for k, entry in enumerate(line)), LINE * PLACE) for line in lines]
