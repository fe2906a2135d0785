# SPDX-License-Identifier: Apache-2.0
"""Candidates of a choice: limits that they break, their operands in words, and the parts of combinations."""

import math
from dataclasses import replace

import pytest

from modwright.choose import Limits
from modwright.choose.candidates import MEASURED, Candidate, Sourced, broken, missed, operand_words
from modwright.choose.choice import _of_parts
from modwright.choose.goals import Part
from modwright.contract.request import Request
from modwright.explore.calibration import Between
from modwright.prepared.registry import find


@pytest.mark.parametrize(("name", "number"), [("modexp/csa-r2l", 2), ("modexp/csa-l2r", 1), ("modexp/vlm3-window", 1)])
def test_both_multipliers_of_a_combination_count(name, number):
    request = Request.make(find(name), options={"bits": 1024})
    candidate = Candidate(request, 100, 100, "fixed", True, Part.of("ecp5"))
    records = _of_parts(Between(4000.0, 3.0, 100.0, "its record"), "modmul/csa", candidate)
    times = "2 times " if number == 2 else ""
    assert records == Between(number * 4000.0, number * 3.0, 100.0, f"of {times}modmul/csa alone, its record")


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


def test_what_no_number_decides_is_farther_than_a_number():
    request = Request.make(find("modmul/binary-serial"), modulus=97)
    candidate = Candidate(request, 100, 100, "mean", False, Part.of("ecp5"), lut=Sourced(90, MEASURED))
    limits = Limits(max_lut=60, constant_latency=True, runtime_modulus=True)
    assert [times for _, times in missed(candidate, limits)] == [math.inf, math.inf, 1.5]
    assert broken(candidate, limits).endswith("its modulus is part of the hardware, 90 LUT of at most 60")


def test_every_limit_that_is_broken_is_told():
    both = "4,373 LUT of at most 9, 9 DSP blocks of at most 1"
    limits = Limits(max_lut=9, max_dsp=1)
    request = Request.make(find("modmul/limb-fold"), options={"bits": 256})
    fold = Candidate(
        request, 100, 100, "fixed", True, Part.of("ecp5"), lut=Sourced(4373, MEASURED), dsp=Sourced(9, MEASURED)
    )
    assert (broken(fold, limits), [times for _, times in missed(fold, limits)]) == (both, [4373 / 9, 9])
    assert missed(fold, replace(limits, max_dsp=0))[1] == ("9 DSP blocks of at most 0", 9)
    assert broken(replace(fold, note="why"), limits) == "why"
