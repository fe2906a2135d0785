# SPDX-License-Identifier: Apache-2.0
"""Candidates of a choice: limits that they break, their operands in words, and the parts of combinations."""

import math
from dataclasses import replace

import pytest

from modwright.choose import Limits
from modwright.choose.candidates import (
    ESTIMATED,
    MEASURED,
    Candidate,
    Obstacle,
    Sourced,
    doubt,
    missed,
    of_line,
    operand_words,
    unproved,
)
from modwright.choose.goals import FASTEST, GOALS, SMALLEST, Part
from modwright.choose.parts import least_blocks_of, nearest_of, part_of, scaled_by_part
from modwright.compare import Line
from modwright.contract.request import Request
from modwright.explore import calibration
from modwright.explore.calibration import least_blocks, nearest, scaled
from modwright.prepared.registry import find
from modwright.report.evidence import NOT_PLACED


@pytest.mark.parametrize(("name", "number"), [("modexp/csa-r2l", 2), ("modexp/csa-l2r", 1), ("modexp/vlm3-window", 1)])
def test_both_multipliers_of_a_combination_count(name, number):
    """In the area by a record of one, in the blocks that it has at least, and in the order of tries."""
    core, part = find(name), find(part_of(name))
    request = Request.make(core, options={"bits": 1024})
    one = scaled(part, "ecp5", 1024, request.options)
    two = scaled_by_part(request, "ecp5", 1024)
    assert two is not None and one is not None
    assert (two.lut, two.dsp) == (number * one.lut, number * one.dsp)
    assert two.basis.startswith(f"of {'2 times ' if number == 2 else ''}{part.name} alone, ")
    near = nearest_of(request, "ecp5", 1024, "lut")
    of_part = nearest(part.name, "ecp5", 1024, request.options, "lut")
    assert near is not None and of_part is not None
    assert (near.lut, near.fmax) == (number * of_part.lut, of_part.fmax)


def test_both_multipliers_have_blocks():
    request = Request.make(find("modexp/orup-dsp-r2l"), options={"bits": 1024})
    of_part = least_blocks(find("modmul/orup-dsp"), "ecp5", 1024, request.options)
    both = least_blocks_of(request, "ecp5", 1024)
    assert both is not None and of_part is not None and of_part.dsp
    assert both.dsp == 2 * of_part.dsp


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("modmul/binary-serial", "binary"),
        ("modmul/csa", "binary, in the Montgomery domain"),
        ("modmul/sor-lean", "RNS"),
        ("modmul/rns-kbe", "RNS, in the Montgomery domain"),
        ("edmul/double-add", "binary"),
        ("edmul/comb", "binary; x and y are part of the hardware"),
    ],
)
def test_operands_in_words(name, words):
    assert operand_words(Request.make(find(name), modulus=97)) == words


def words_of(candidate, limits):
    return [obstacle.words for obstacle in missed(candidate, limits)]


def times_of(candidate, limits):
    return [obstacle.times for obstacle in missed(candidate, limits)]


def test_what_no_number_decides_is_farther_than_a_number():
    request = Request.make(find("modmul/binary-serial"), modulus=97)
    candidate = Candidate(request, 100, 100, "mean", False, Part.of("ecp5"), lut=Sourced(90, MEASURED))
    limits = Limits(max_lut=60, constant_latency=True, runtime_modulus=True)
    assert times_of(candidate, limits) == [math.inf, math.inf, 1.5]
    assert words_of(candidate, limits)[1:] == ["its modulus is part of the hardware", "90 LUT of at most 60"]


@pytest.fixture
def fold():
    """A candidate of 4,373 LUTs and 9 blocks, 100 cycles and 221.04 ns."""
    request = Request.make(find("modmul/limb-fold"), options={"bits": 256})
    figures = (Sourced(value, MEASURED) for value in (4373, 9, 1e5 / 221.04))
    return Candidate(request, 100, 100, "fixed", True, Part.of("ecp5"), *figures)


def test_every_limit_that_is_broken_is_told(fold):
    both = ["4,373 LUT of at most 9", "9 DSP blocks of at most 1"]
    limits = Limits(max_lut=9, max_dsp=1)
    assert (words_of(fold, limits), times_of(fold, limits)) == (both, [4373 / 9, 9])
    assert missed(fold, replace(limits, max_dsp=0))[1] == Obstacle("9 DSP blocks of at most 0", 9, "--max-dsp")
    assert words_of(replace(fold, note="why"), limits) == ["why"]
    part = replace(fold, lut=Sourced(4373, ESTIMATED, least=True), dsp=Sourced(1, MEASURED))
    told = words_of(part, replace(limits, max_dsp=0))
    assert told == ["at least 4,373 LUT of at most 9", "1 DSP block of at most 0"]


def test_an_estimate_that_breaks_a_limit_is_told_as_one(fold):
    guess = replace(fold, lut=Sourced(4373, ESTIMATED))
    assert words_of(guess, Limits(max_lut=4000)) == ["an estimated 4,373 LUT of at most 4,000"]


def test_an_area_that_was_scaled_down_breaks_a_limit_far_below_it_only(fold):
    """A multiplier of 13 bits may have one block where its record of 256 bits in proportion says five."""
    scaled = replace(fold, dsp=Sourced(5, ESTIMATED, least=True, shrunk=256 / 13))
    assert words_of(scaled, Limits(max_dsp=4)) == []
    assert unproved(scaled, Limits(max_dsp=4)) == "whether it keeps 4 DSP blocks is not known"
    more = replace(fold, dsp=Sourced(9, ESTIMATED, shrunk=256 / 13))
    assert unproved(more, Limits(max_dsp=8)) == "whether it keeps 8 DSP blocks is not known"
    assert words_of(more, Limits(max_dsp=1)) == ["an estimated 9 DSP blocks of at most 1"]
    assert unproved(more, Limits(max_dsp=10)) == ""
    little = replace(fold, dsp=Sourced(82, ESTIMATED, shrunk=256 / 233))
    assert words_of(little, Limits(max_dsp=28)) == ["an estimated 82 DSP blocks of at most 28"]
    assert words_of(little, Limits(max_dsp=75)) == [], "as the square of the width they are 75"


def test_a_limit_of_none_is_given():
    assert Limits(max_dsp=0).given == {"max_dsp": 0}
    assert Limits().given == {}


@pytest.mark.parametrize(
    ("limits", "words", "option"),
    [
        (Limits(max_ns=221), "221.04 ns of at most 221", "--max-ns"),
        (Limits(max_ns=220.6), "221 ns of at most 220.6", "--max-ns"),
        (Limits(max_ns=1), "221 ns of at most 1", "--max-ns"),
        (Limits(min_rate=4_524_069), "4,524,068 operations a second of at least 4,524,069", "--min-rate"),
        (Limits(min_rate=4_524_068.1), "4,524,068 operations a second of at least 4,524,068.1", "--min-rate"),
    ],
)
def test_a_number_shows_on_which_side_of_a_limit_it_is(fold, limits, words, option):
    (obstacle,) = missed(fold, limits)
    assert (obstacle.words, obstacle.option) == (words, option)


def test_the_device_is_a_limit_where_none_is_less(fold):
    small = replace(fold, part=Part("LFE5U-9", 4000, 8, True))
    limits = Limits(max_lut=9000, max_dsp=7)
    assert [each.option for each in missed(small, limits)] == ["--device", "--max-dsp"]
    assert words_of(small, limits) == ["4,373 LUT of at most 4,000, which the LFE5U-9 has", "9 DSP blocks of at most 7"]


def test_an_area_that_is_not_known_is_told_where_it_is_limited(fold):
    """A clock rate may be that of ECP5 where the family has no record of the area."""
    limits = Limits(max_lut=9000, max_dsp=9)
    assert unproved(fold, limits) == ""
    part = replace(fold, lut=Sourced(10, ESTIMATED, least=True))
    assert unproved(part, limits) == "whether it keeps 9,000 LUTs is not known"
    assert unproved(replace(part, dsp=None), limits) == "whether it keeps 9,000 LUTs and 9 DSP blocks is not known"
    assert unproved(replace(part, part=replace(part.part, bounding=False)), Limits()) == ""


def test_a_time_that_is_not_known_is_told_where_it_is_limited(fold):
    unknown = replace(fold, fmax=None)
    limits = Limits(max_ns=7.5, min_rate=1000)
    assert missed(unknown, limits) == []
    assert unproved(unknown, limits) == "whether it keeps 7.5 ns and 1,000 operations a second is not known"
    guess = replace(fold, fmax=Sourced(100, ESTIMATED))
    assert words_of(guess, Limits(max_ns=7.5)) == ["an estimated 1,000 ns of at most 7.5"]
    rate = "an estimated 1,000,000 operations a second of at least 2,000,000"
    assert words_of(guess, Limits(min_rate=2e6)) == [rate]


def test_the_area_of_a_part_is_in_doubt_where_the_smallest_is_asked_for(fold):
    anywhere = replace(fold.part, bounding=False)
    part = replace(fold, lut=Sourced(10, ESTIMATED, least=True), part=anywhere)
    assert doubt(part, GOALS[SMALLEST], Limits()) == "its area is that of a part, and it has more"
    assert doubt(part, GOALS[FASTEST], Limits()) == doubt(fold, GOALS[SMALLEST], Limits()) == ""


def test_an_area_that_was_scaled_down_far_comes_after_others(fold):
    """In proportion a point multiplier of 7 bits has 123 LUTs, by its record of 256 bits; it has 3,289."""
    far = replace(fold, lut=Sourced(123, ESTIMATED, shrunk=256 / 7))
    words = "its area is scaled down far, and control does not shrink"
    assert doubt(far, GOALS[SMALLEST], Limits()) == words
    assert doubt(far, GOALS["fastest"], Limits()) == ""
    assert doubt(replace(fold, lut=Sourced(123, ESTIMATED, shrunk=8)), GOALS[SMALLEST], Limits()) == ""


@pytest.mark.parametrize(("device", "note"), [("LFE5U-85F", "needs 99 blocks"), ("LFE5U-25F", "")])
def test_a_core_that_does_not_fit_another_device_is_a_candidate(device, note):
    request = Request.make(find("modmul/limb-fold"), options={"bits": 256}).to_mapping()
    line = Line("limb-fold", "modmul/limb-fold", NOT_PLACED, "needs 99 blocks", device=device, request=request)
    line = replace(line, clocks=36, interval=33.0, interval_kind="fixed", lut=4373, dsp=9)
    assert of_line(line, Part.of("ecp5")).note == note


# --- figures from records of other widths


def test_a_clock_rate_between_other_widths_than_the_area_says_so(monkeypatch):
    core = find("modmul/radix2")
    rates = {256: 90.0, 512: 80.0, 1024: None}
    known = [calibration.Anchor(core.name, "ecp5", n, {}, n, 0, rate, None, None) for n, rate in rates.items()]
    monkeypatch.setattr(calibration, "anchors", lambda target: known)
    found = calibration.between(core, "ecp5", 700, {})
    assert found.basis == "between its records at 512 and 1,024 bits"
    assert found.clock == "on the curve through its records at 256 and 512 bits"


def test_widths_between_two_records():
    core = find("modmul/radix2")
    found = calibration.between(core, "ecp5", 381, core.widths({"modulus": 381}))
    assert found is not None
    assert 2096 < found.lut < 4126
    assert 41.12 < found.fmax < 67.83
    assert calibration.between(core, "ecp5", 16, {}) is None  # far from every record
    assert calibration.between(core, "ecp5", 381, {"interleave": 2}) is None  # never measured
    assert calibration.between(find("modmul/binary"), "ecp5", 381, {}) is None  # a fixed modulus


@pytest.mark.parametrize(
    ("bits", "pair", "basis"),
    [
        (1024, (1024, 2048), "between its records at 1,024 and 2,048 bits"),
        (1100, (1024, 2048), "between its records at 1,024 and 2,048 bits"),
        (400, (512, 1024), "on the curve through its records at 512 and 1,024 bits"),
        (3000, (1024, 2048), "on the curve through its records at 1,024 and 2,048 bits"),
        (3100, None, ""),
    ],
)
def test_records_on_both_sides_come_first(monkeypatch, bits, pair, basis):
    core = find("modmul/radix2")
    known = [
        calibration.Anchor(core.name, "ecp5", width, {}, width, 0, 100.0, None, None) for width in (512, 1024, 2048)
    ]
    monkeypatch.setattr(calibration, "anchors", lambda target: known)
    found = calibration.between(core, "ecp5", bits, {})
    assert (found and found.basis) == (basis or None)
    assert found is None or abs(found.lut - bits) < 1, "the curve through both"


def test_one_record_is_scaled():
    core = find("modmul/limb-scan")
    found = calibration.scaled(core, "ecp5", 300, {"bits": 300})
    assert (found.lut, found.dsp) == (4206 * 300 / 256, 16), "as many blocks as at 256 and 1024 bits"
    assert (found.clock, found.shrunk) == ("as in its record at 256 bits", 1), "a clock rate is not scaled"
    assert calibration.scaled(core, "ecp5", 20, {"bits": 20}).shrunk == 8, "from 160 bits"
    assert calibration.scaled(core, "ecp5", 512, {"macs": 2}) is None


def test_a_core_on_limbs_has_the_same_blocks_at_every_width():
    """Where one width has a record: its multiplier is as wide as a limb."""
    comb = find("edmul/comb")
    blocks = calibration.scaled(comb, "ecp5", 255, {"bits": 255}).dsp
    assert blocks > 1
    assert [calibration.scaled(comb, "ecp5", bits, {"bits": bits}).dsp for bits in (7, 448)] == [blocks] * 2


def test_blocks_that_no_width_changes_stay():
    """Where one width has a record, blocks grow with it; where two have, as from one to the other."""
    columns, scan = find("modmul/limb-columns"), find("modmul/orup-dsp")
    assert calibration.scaled(columns, "ecp5", 4096, {"bits": 4096}).dsp == 15
    assert calibration.scaled(scan, "ecp5", 2048, {"bits": 2048}).dsp > 119, "it has 119 at 1024 bits"
    assert calibration.least_blocks(columns, "ecp5", 2048, {"bits": 2048}).dsp == 15
    assert calibration.least_blocks(columns, "ecp5", 150, {"bits": 150}) is None
