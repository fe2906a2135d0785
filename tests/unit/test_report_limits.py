# SPDX-License-Identifier: Apache-2.0
"""The critical path in words."""

import pytest

from modwright.report.limits import limit_in_words

PLACED = {
    "from": "\\$signal$16_TRELLIS_FF_Q_129.Q",
    "to": "lane.supply.bound_limb_TRELLIS_FF_Q_32.DI",
    "delay_ns": 6.505,
    "logic_ns": 1.469,
    "routing_ns": 5.036,
    "nets": 5,
    "levels": 4,
    "longest_net": {"name": "lane.limb[3]", "delay_ns": 2.073},
}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (
            PLACED,
            "routing, 5.0 of 6.5 ns (5 nets, 4 levels of logic): into register lane.supply.bound_limb, fed by register "
            "$signal$16; the longest net takes 2.1 ns: lane.limb[3]",
        ),
        (
            {"from": "tiles.U$1.P2", "to": "tiles.U$9.B17", "delay_ns": 9, "logic_ns": 5, "routing_ns": 4, "nets": 1},
            "logic, 5.0 of 9.0 ns (1 net): into multiplier block tiles.U$9, fed by multiplier block tiles.U$1",
        ),
        (
            {"from": "core.a_DFFCE_Q_3.Q", "to": "core.b_DFF_Q.D", "delay_ns": 2, "logic_ns": 1, "routing_ns": 1},
            "logic, 1.0 of 2.0 ns: into register core.b, fed by register core.a",
        ),
        ({"from": "_1_", "to": "_2_", "delay_ns": 11.5}, "logic, 11.5 ns without wires: into _2_, fed by _1_"),
        ({"delay_ns": 3.0}, ""),
        ({}, ""),
    ],
)
def test_what_limits_the_clock(path, words):
    assert limit_in_words(path) == words
