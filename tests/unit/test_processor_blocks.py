# SPDX-License-Identifier: Apache-2.0
"""Constants and stored results of a processor's rowers in block RAMs: the memory, its port, addresses, refusals."""

import pytest
from amaranth.sim import Simulator

from modwright.base.errors import UsageError
from modwright.catalog import resolve_modulus
from modwright.cores.rns.processor.parameters import ProcessorParameters
from modwright.cores.rns.processor.schedule.words import STORED
from modwright.engines.plus_minus import factor
from modwright.rtl.block_memory import ConstantsAndWords

from .rns_montgomery_hardware import check_in_every_pattern, compiled_only, make

NAME = "rns/processor"
FIXED = (5, 6)


def blocks(store, modulus, target="ecp5", **options):
    return make(NAME, store, str(modulus), target, tables="blocks", **options)


def test_fixed_words_are_not_written():
    """Constants and words come a cycle after their numbers; every word is written, and the first two are what they
    were."""
    unit, constants, words = ConstantsAndWords(4, (3, 1, 4, 15, 9), FIXED, 6, "generic"), [], []

    async def bench(ctx):
        for number in range(6):
            ctx.set(unit.into, number)
            ctx.set(unit.word, 10 + number)
            ctx.set(unit.write, 1)
            ctx.set(unit.address, number % 5)
            await ctx.tick()
            constants.append(ctx.get(unit.constant))
        ctx.set(unit.write, 0)
        for number in range(6):
            ctx.set(unit.pick, number)
            await ctx.tick()
            words.append(ctx.get(unit.found))

    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert constants == [3, 1, 4, 15, 9, 3]
    assert words == [*FIXED, 12, 13, 14, 15]


@compiled_only
def test_the_block_of_a_device_serves_products_and_passes(store):
    """In the Verilog for ECP5, with its own cell, whose contents stay what they are when the core starts in any
    state."""
    check_in_every_pattern(blocks(store, 25, width=12), 12)


@pytest.mark.parametrize("channels", range(6, 13))
def test_the_port_of_stored_results_has_one_user_a_cycle(store, channels):
    """Also where V1 would be read while V3 is written, if its hats were not later."""
    one = blocks(store, 65521, channels=channels)
    for part in one.schedule.parts.values():
        used = [step.start for step in part.steps if step.resource == STORED]
        assert len(used) == len(set(used))


@pytest.mark.parametrize("field", ["P-192", "P-256"])
@pytest.mark.parametrize("inversion", ["bmi", "btmi", "fused"])
def test_passes_take_as_long_as_without(store, field, inversion):
    modulus = resolve_modulus(field).value
    with_blocks, without = (
        make(NAME, store, str(modulus), "ecp5", tables=tables, inversion=inversion) for tables in ("blocks", "logic")
    )
    assert with_blocks.schedule.formula == without.schedule.formula


@pytest.mark.parametrize("inversion", ["bmi", "btmi", "fused"])
def test_every_coefficient_has_its_product_with_p(store, inversion):
    """The address of a coefficient of P/D is that of its product with P/D, for every sum that a pass can have."""
    one = blocks(store, 65521, width=13, inversion=inversion).parameters
    assert isinstance(one, ProcessorParameters)
    passes, words = one.passes, one.engine
    for d, offset in zip(passes.kind.divisors, passes.offsets, strict=True):
        for s in (0, 1, -1) if d in passes.subtracted else (0,):
            for total in range(d):
                c = factor(total, d, one.modulus) + d - 1 - s
                hats = passes.hats(c * one.modulus * pow(d, -1, one.B.product))
                assert [words.constants(k)[c + offset] for k in range(one.n)] == list(hats)


@pytest.mark.parametrize(
    "options",
    [{"local": False}, {"inversion": "divstep"}, {"registers": 4, "conversion": True}],
    ids=["shared control", "divsteps", "conversion"],
)
def test_other_processors_have_no_blocks(store, options):
    with pytest.raises(UsageError, match="tables=blocks"):
        blocks(store, 25, width=12, **options)
