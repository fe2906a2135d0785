# SPDX-License-Identifier: Apache-2.0
"""Wide products, tiled for the multiplier blocks of a device, and their sums: the only place with a wide ``*``.

`plan.tiling` decides how a product is cut and its rows are added. Operands are always registered at the blocks;
whether a register follows the blocks and each level of the tree is a choice (see `plan.pipeline`).

On ECP5 the blocks are instantiated with their input and output registers, because Yosys never infers those; on
series 7 the same registers, written as plain ones, pack into AREG, BREG and MREG of the DSP48E1.

Registers of a tiled multiplier, counted from the cycle of its operands; r_n registers behind level n, w for the way:

    cycle                            register that holds the value from this cycle on
    1                                operands of the tiles, inside the blocks or in front of the products
    1 + r_0 + w                      products of the tiles
    1 + r_0 + w + r_1 + ... + r_n    `sum_n_i`, delayed: rows behind level n of the tree, the last one at `p` and `q`

Registers of columns, from the cycle of the operands, on ECP5; other targets have as many in a tiled multiplier:

    cycle    register that holds the value from this cycle on
    1        digits, inside the blocks
    2        products, inside the blocks
    3        `way`: products
    3 + n    `column_n_k_i`: sum i behind level n in column k; the last one at `columns`
"""

from __future__ import annotations

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..plan.columns import GROUP, ColumnTiling
from ..plan.pipeline import BLOCK, place_registers
from ..plan.tiling import LOGIC_TILE, DigitTiling, Row, Tile, Tiling
from .pipeline import delayed


class TiledMultiplier(wiring.Component):
    """Σ a_k·b_k, pipelined.

    The operands are registered; `registers[0]` is the number of registers after the blocks, `registers[n]` after level
    n of the adder tree. A sum can be read 1 + sum(registers) + way cycles after its operands were given, one a cycle.

    Parameters
    ----------
    tiling : Tiling
    registers : tuple of int
        One number for the blocks and one for each level of the tree.
    way : int
        Registers of the fabric between the blocks and the tree, for the route out of the block.

    Attributes
    ----------
    a, b : in, arrays of `pairs` operands, a_width and b_width bits
    p : out, sum_width bits
        The sum, or the first of two rows.
    q : out, sum_width bits
        The other row; 0 when there is none.
    """

    def __init__(self, tiling: Tiling, registers: tuple[int, ...], *, way: int = 0) -> None:
        if len(registers) != 1 + tiling.levels:
            raise ValueError(f"{1 + tiling.levels} places for registers, {len(registers)} given")
        self.tiling, self.registers, self.way = tiling, registers, way
        super().__init__(
            {
                "a": In(data.ArrayLayout(tiling.a_width, tiling.pairs)),
                "b": In(data.ArrayLayout(tiling.b_width, tiling.pairs)),
                "p": Out(tiling.sum_width),
                "q": Out(tiling.sum_width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        rows: list[tuple[Row, Value]] = []
        for pair in range(self.tiling.pairs):
            products = self._products(m, self.a[pair], self.b[pair])
            rows += [self._row(indices, products) for indices in self.tiling.packing]
        for level in range(self.tiling.levels):
            rows = self._add_level(m, rows, level, self.registers[1 + level])
        for port, (row, value) in zip((self.p, self.q), rows, strict=False):
            m.d.comb += port.eq(Cat(Const(0, row.offset), value))
        return m

    def _products(self, m: Module, a: Value, b: Value) -> list[Value]:
        blocks = self.tiling.target == "ecp5"
        products = []
        for tile in self.tiling.tiles:
            a_slice = a[tile.a_low : tile.a_low + tile.a_width]
            b_slice = b[tile.b_low : tile.b_low + tile.b_width]
            make = _ecp5_block if blocks and not tile.in_logic else _plain_tile
            products.append(delayed(m, make(m, a_slice, b_slice, self.registers[0]), self.way, "way"))
        return products

    def _row(self, indices: tuple[int, ...], products: list[Value]) -> tuple[Row, Value]:
        parts: list[Value] = []
        start = end = self.tiling.tiles[indices[0]].offset
        for index in indices:
            tile = self.tiling.tiles[index]
            parts += [Const(0, tile.offset - end), products[index]]
            end = tile.offset + tile.width
        return Row(start, end - start), Cat(*parts)

    def _add_level(
        self, m: Module, rows: list[tuple[Row, Value]], level: int, registers: int
    ) -> list[tuple[Row, Value]]:
        """Add the rows in pairs; a row without a partner passes through the same register."""
        result = []
        ordered = sorted(rows, key=lambda row: row[0].offset)
        for index in range(0, len(ordered), 2):
            row, value = ordered[index]
            if index + 1 < len(ordered):
                row, value = self._add(row, value, *ordered[index + 1])
            node = Signal(row.width, name=f"sum_{level}_{index // 2}")
            m.d.comb += node.eq(value)
            result.append((row, delayed(m, node, registers, node.name)))
        return result

    def _add(self, low: Row, low_value: Value, high: Row, high_value: Value) -> tuple[Row, Value]:
        """Sum of two rows, `low` starting first: its bits below `high` pass without an adder."""
        below = high.offset - low.offset
        if below >= low.width:
            gap = below - low.width
            return Row(low.offset, below + high.width), Cat(low_value, Const(0, gap), high_value)
        top = max(low.offset + low.width, high.offset + high.width) + 1
        width = min(top, self.tiling.sum_width) - low.offset
        total = low_value[below:] + high_value
        return Row(low.offset, width), Cat(low_value[:below], total)[:width]


class DigitMultiplier(wiring.Component):
    """Products of a wide word, which stays in the blocks, and a digit that changes in every cycle; not summed.

    Parameters
    ----------
    tiling : DigitTiling
    registers : int
        Registers behind the products.
    copies : int
        Copies of the digit, each for as many tiles next to each other.

    Attributes
    ----------
    load : in
        `word` is loaded into the blocks, and multiplied from the next cycle on.
    word : in, width bits
    digit : in, digit bits for each copy
    products : out, an array of tile + digit bits each
        Element j is (tile j of the word)·digit, 1 + registers cycles after the digit was given.
    """

    def __init__(self, tiling: DigitTiling, registers: int, copies: int = 1) -> None:
        self.tiling, self.registers, self.copies = tiling, registers, copies
        products = data.ArrayLayout(tiling.tile + tiling.digit, len(tiling.tiles))
        super().__init__(
            {"load": In(1), "word": In(tiling.width), "digit": In(tiling.digit * copies), "products": Out(products)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        blocks = self.tiling.target == "ecp5"
        for index, tile in enumerate(self.tiling.tiles):
            word = self.word[tile.a_low : tile.a_low + tile.a_width]
            make = _ecp5_block if blocks and not tile.in_logic else _plain_tile
            low = index * self.copies // len(self.tiling.tiles) * self.tiling.digit
            digit = self.digit[low : low + self.tiling.digit]
            m.d.comb += self.products[index].eq(make(m, word, digit, self.registers, self.load))
        return m


def make_block(m: Module, a: Value, b: Value, registers: int, target: str) -> Value:
    """Add one product of two numbers of at most a block's operands; read 1 + registers cycles after these.

    Parameters
    ----------
    m : Module
    a, b : Value
    registers : int
        Registers behind the product.
    target : str
        Device family of the block.
    """
    in_logic = min(len(a), len(b)) <= LOGIC_TILE
    return (_ecp5_block if target == "ecp5" and not in_logic else _plain_tile)(m, a, b, registers)


class ColumnMultiplier(wiring.Component):
    """The columns of a product, `tiling.latency` cycles after its factors were given, one a cycle.

    On ECP5 the products of the blocks are added column by column, with a register behind each block and each level.
    On other targets the product is that of a tiled multiplier with as many registers, cut into digits.

    Attributes
    ----------
    a, b : in, width bits
    columns : out, an array of numbers
        Element k is at most `tiling.bounds[k]`; Σ columns[k]·2^(digit·k) = a·b.
    """

    def __init__(self, tiling: ColumnTiling, target: str) -> None:
        self.tiling, self.target = tiling, target
        bits = max(tiling.bounds).bit_length()
        columns = data.ArrayLayout(bits, len(tiling.columns))
        super().__init__({"a": In(tiling.width), "b": In(tiling.width), "columns": Out(columns)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self.target == "ecp5":
            self._digits(m)
        else:
            self._sliced(m)
        return m

    def _digits(self, m: Module) -> None:
        products = [self._product(m, tile) for tile in self.tiling.tiles]
        for k, halves in enumerate(self.tiling.columns):
            sums = [(products[h.tile][h.low : h.low + h.width], self.tiling.largest(h)) for h in halves]
            for level in range(1, self.tiling.levels + 1):
                sums = self._add_level(m, sums, f"column_{level}_{k}")
            m.d.comb += self.columns[k].eq(sum((value for value, _ in sums), Const(0, 0)))

    def _product(self, m: Module, tile: Tile) -> Value:
        a = self.a[tile.a_low : tile.a_low + tile.a_width]
        b = self.b[tile.b_low : tile.b_low + tile.b_width]
        return delayed(m, make_block(m, a, b, 1, self.target), 1, "way")

    @staticmethod
    def _add_level(m: Module, sums: list[tuple[Value, int]], name: str) -> list[tuple[Value, int]]:
        """Add the numbers in groups, each with its largest value, and register the sums."""
        result = []
        for index in range(0, len(sums), GROUP):
            group = sums[index : index + GROUP]
            largest = sum(bound for _, bound in group)
            total = Signal(largest.bit_length(), name=f"{name}_{index // GROUP}")
            m.d.sync += total.eq(sum((value for value, _ in group), Const(0, 0)))
            result.append((total, largest))
        return result

    def _sliced(self, m: Module) -> None:
        tiling = Tiling(self.tiling.width, self.tiling.width, self.target)
        registers = place_registers([BLOCK, *tiling.delays], self.tiling.latency - 1, tail=0.0)
        m.submodules.product = unit = TiledMultiplier(tiling, registers)
        m.d.comb += [unit.a[0].eq(self.a), unit.b[0].eq(self.b)]
        for k in range(len(self.tiling.columns)):
            m.d.comb += self.columns[k].eq(unit.p[self.tiling.digit * k : self.tiling.digit * (k + 1)])


# --- one tile: operand registers, product, `registers` registers; `load` is the enable of the register of a


def _plain_tile(m: Module, a: Value, b: Value, registers: int, load: Value | None = None) -> Value:
    a_register, b_register = Signal(len(a)), Signal(len(b))
    if load is None:
        m.d.sync += [a_register.eq(a), b_register.eq(b)]
    else:
        m.d.sync += b_register.eq(b)
        with m.If(load):
            m.d.sync += a_register.eq(a)
    product = Signal(len(a) + len(b))
    m.d.comb += product.eq(a_register * b_register)
    return delayed(m, product, registers, "product")


def _ecp5_block(m: Module, a: Value, b: Value, registers: int, load: Value | None = None) -> Value:
    product = Signal(36)
    ports: dict[str, object] = {}
    for name, operand in (("A", a), ("B", b)):
        for bit in range(18):
            ports[f"i_{name}{bit}"] = operand[bit] if bit < len(operand) else Const(0, 1)
    for bit in range(36):
        ports[f"o_P{bit}"] = product[bit]
    for pin in ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "RST0"):
        ports[f"i_{pin}"] = Const(0, 1)
    if load is not None:
        ports |= {"p_REG_INPUTA_CE": "CE1", "i_CE1": load}
    m.submodules += Instance(
        "MULT18X18D",
        p_REG_INPUTA_CLK="CLK0",
        p_REG_INPUTB_CLK="CLK0",
        p_REG_PIPELINE_CLK="CLK0" if registers > 1 else "NONE",
        p_REG_OUTPUT_CLK="CLK0" if registers else "NONE",
        p_RESETMODE="SYNC",
        p_GSR="DISABLED",
        i_CLK0=ClockSignal("sync"),
        i_CE0=Const(1, 1),
        **ports,
    )
    return delayed(m, product[: len(a) + len(b)], max(0, registers - 2), "product")
