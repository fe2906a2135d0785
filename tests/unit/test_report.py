# SPDX-License-Identifier: Apache-2.0
"""report.json: its schema, what it holds, and that what was not run says so."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from jsonschema import Draft202012Validator

from modwright.base.json import plain
from modwright.contract import Block
from modwright.pages import summary
from modwright.report import build_report, schema, validate
from modwright.report.evidence import main_target
from modwright.schedule import Step

from .report_sample import (
    BLOCKS,
    STEPS,
    Failure,
    NotPlaced,
    Resources,
    Timing,
    Verification,
    evidence,
    sample_prepared,
)


@pytest.fixture
def prepared(tmp_path):
    return sample_prepared(tmp_path)


def test_the_schema_is_itself_valid():
    Draft202012Validator.check_schema(schema())


def test_a_full_report_survives_json(prepared):
    report = build_report(prepared, **evidence())
    assert json.loads(json.dumps(report)) == report
    validate(report)


def test_what_was_not_run_says_so(prepared):
    report = build_report(prepared)
    assert report["verification"] == report["proofs"] == report["latency_ns"] == "not run"
    assert report["resources"] == {"ecp5": "not run", "xc7": "not run"}
    assert report["timing"] == {"core": "not run", "channel": "not run"}


@pytest.mark.parametrize("name", sorted(schema()["required"]))
def test_a_report_without_a_part_is_refused(prepared, name):
    report = build_report(prepared, **evidence())
    del report[name]
    with pytest.raises(ValueError, match=name):
        validate(report)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("contract", "latency"), 0),
        (("contract", "streams", "i", "width"), "544"),
        (("schedule", "steps"), []),
        (("certificate", 0, "slack"), "0x10"),
        (("verification", "cases"), -1),
        (("timing", "core", "status"), "guessed"),
        (("resources", "ecp5"), "about 5000"),
        (("digest",), "1234"),
        (("latency_ns",), 0),
    ],
)
def test_a_wrong_value_is_refused(prepared, path, value):
    report = build_report(prepared, **evidence())
    at = report
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(ValueError, match=r"report\.json: \$"):
        validate(report)


def test_contract_repeats_payloads_and_schedule(prepared):
    contract = build_report(prepared)["contract"]
    x, y = contract["streams"]["i"]["fields"]
    assert (x["width"], x["count"], x["bits"], x["lsb"], x["full"]) == (34, 8, 272, 0, False)
    assert (y["lsb"], y["full"], int(y["limit"], 16)) == (272, True, 1 << 34)
    assert int(x["limit"], 16) == prepared.parameters.i["x"].bound
    assert contract["latency"] == prepared.schedule.latency
    assert contract["interval"] == prepared.schedule.interval == 11
    assert contract["forbidden"] == sorted(prepared.schedule.forbidden)
    assert contract["constant_time"] is True and contract["data_dependent"] == []


def test_error_codes_come_from_the_role_of_the_field(prepared):
    assert build_report(prepared)["contract"]["errors"] == [
        {"code": 1, "name": "operand not reduced"},
        {"code": 2, "name": "modulus <even> & small"},
    ]


def test_a_step_that_depends_on_data_is_named(tmp_path):
    steps = [replace(s, depends_on_data=s.name == "acc 2") for s in STEPS]
    contract = build_report(sample_prepared(tmp_path, steps=steps))["contract"]
    assert contract["constant_time"] is False and contract["data_dependent"] == ["acc 2"]


def test_certificate_is_exact(prepared):
    row = build_report(prepared)["certificate"][0]
    assert int(row["right"]) - int(row["left"]) == int(row["slack"]) > 1 << 256
    assert row["holds"] == "yes"


def test_nanoseconds_need_the_fmax_of_the_whole_core(prepared):
    channel = build_report(prepared, channel_timing=Timing(fmax_mhz=200.0))
    assert channel["latency_ns"] == "not run" and channel["timing"]["core"] == "not run"
    core = build_report(prepared, timing=Timing(fmax_mhz=210.0, fmax_median=200.0))
    assert core["latency_ns"] == pytest.approx(prepared.schedule.latency * 5.0)
    assert build_report(prepared, timing=NotPlaced())["latency_ns"] == "not placed"


def test_what_is_built_is_checked(tmp_path):
    with pytest.raises(ValueError, match=r"\$\.core"):
        build_report(sample_prepared(tmp_path, name="no-slash"))


def test_runs_are_summed(prepared):
    failure = Failure(3, {"x": "0x5"}, {"z": "0x1"}, {"z": "0x2"}, "value")
    runs = [Verification(cases=10, passed=10), Verification(engine="pure", cases=5, passed=4, failed=[failure])]
    found = build_report(prepared, verification=runs)["verification"]
    assert (found["cases"], found["passed"], len(found["runs"])) == (15, 14, 2)
    assert found["runs"][1]["failed"][0]["expected"] == {"z": "0x2"}
    assert found["runs"][0]["seeds"] == "not stated"
    assert build_report(prepared, verification=runs[0])["verification"]["cases"] == 10
    assert build_report(prepared, verification=[])["verification"] == "not run"


def test_stalls_are_said(prepared):
    runs = build_report(prepared, **evidence())["verification"]["runs"]
    assert [run["stalls"] for run in runs] == ["none", {"seed": 7, "i": 50, "o": 50}]


def test_run_times_of_proofs_stay_out(prepared):
    assert all("seconds" not in proof for proof in build_report(prepared, **evidence())["proofs"])


def test_a_device_stands_in_for_the_generic_target(tmp_path):
    prepared = sample_prepared(tmp_path)
    prepared = replace(prepared, request=replace(prepared.request, target="generic"))
    assert main_target(build_report(prepared)) == "generic"
    report = build_report(prepared, resources=Resources("ecp5", 1, 2, 3))
    assert main_target(report) == "ecp5" and "generic" not in report["resources"]


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ((Block("a", "a", ("missing",)),), "reads missing"),
        ((Block("a", "a"), Block("a", "b")), "same name"),
    ],
)
def test_wrong_blocks_are_refused(tmp_path, blocks, message):
    with pytest.raises(ValueError, match=message):
        build_report(sample_prepared(tmp_path, blocks=blocks))


def test_plain_values():
    assert plain((1 << 53) - 1) == (1 << 53) - 1
    assert plain(1 << 53) == "0x20000000000000" and plain(-(1 << 60)) == hex(-(1 << 60))
    assert plain({1: Fraction(1, 3), "s": {3, 1}, "b": True}) == {"1": "1/3", "s": [1, 3], "b": True}
    assert plain(BLOCKS[1])["inputs"] == ["i"]


def test_building_is_deterministic(tmp_path):
    first = build_report(sample_prepared(tmp_path / "a"), **evidence())
    assert build_report(sample_prepared(tmp_path / "b"), **evidence()) == first


def test_summary_has_twelve_lines_and_says_not_run(prepared):
    full, empty = summary(build_report(prepared, **evidence())), summary(build_report(prepared))
    assert full.count("\n") == empty.count("\n") == 12
    assert "4,900 of 4,900 cases passed" in full and "168.5 MHz" in full and "latency 201.8 ns" in full
    assert "5,321 LUT, 9,876 FF, 34 DSP" in full and "1 proved, 0 refuted, 1 not run" in full
    assert "270 of 273 killed (98.90 %), 27 more are equivalent" in full
    assert "not run" not in full.replace("1 not run", "")
    assert empty.count("not run") == 8
    assert "limited by     logic, 3.1 of 5.8 ns (3 nets): into acc.sum_0.DI, fed by multiplier block mul.tile_3" in full


def test_summary_warns_of_variable_time(tmp_path):
    steps = (*STEPS[:-1], Step("z", "output", 33, depends_on_data=True))
    assert "NO: 1 step depends on operand values" in summary(build_report(sample_prepared(tmp_path, steps=steps)))


def test_summary_counts_the_conditions_that_hold(prepared):
    report = build_report(prepared)
    assert "3 of 3 conditions hold" in summary(report)
    report["certificate"][1]["holds"] = "no"
    assert "2 of 3 conditions hold" in summary(report)


def test_summary_names_a_core_that_does_not_fit(prepared):
    assert "not placed: 340 MULT18X18D" in summary(build_report(prepared, timing=NotPlaced()))


def test_building_leaves_its_arguments_alone(prepared):
    given = evidence()
    before = copy.deepcopy(given)
    build_report(prepared, **given)
    assert given == before
