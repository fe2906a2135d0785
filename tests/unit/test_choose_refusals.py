# SPDX-License-Identifier: Apache-2.0
"""What a choice refuses: cores beyond a limit by their synthesis and not by an estimate, and curves of another kind."""

from dataclasses import replace

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.choose import Limits
from modwright.choose.candidates import SYNTHESISED

from .test_choose import Here, answer, work


class Large(Here):
    """Estimates that are ten times what a synthesis finds."""

    def outcome(self, stage, request):
        outcome = super().outcome(stage, request)
        if stage == "estimate":
            outcome["estimate"]["lut"] *= 10
        return outcome


def test_an_area_beyond_a_limit_is_synthesised_before_it_is_refused(tmp_path):
    limits = Limits(max_lut=15_000, max_dsp=0)
    found = answer(tmp_path, Large(), limits=limits, seconds=600)
    assert found.best
    assert all(one.lut.source == SYNTHESISED and one.lut.value <= 15_000 for one in found.best)
    with pytest.raises(ParameterError, match="an estimated"):
        answer(tmp_path / "other", Large(slow={"synthesis"}), limits=limits)
    with pytest.raises(ParameterError, match="LUT of at most 5,000"):
        answer(tmp_path / "small", Large(), limits=replace(limits, max_lut=5_000), seconds=600)


def test_a_curve_without_prime_order_is_refused():
    """A core for any curve is requested by its width, and would not say it."""
    with pytest.raises(UsageError, match="bls12-381 is of cofactor"):
        work("ecdsa", curve="bls12-381")
    assert work("ecdsa", curve="secp256r1").curve is not None
    assert work("ecpm", curve="bls12-381").curve is not None
