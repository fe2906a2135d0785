# SPDX-License-Identifier: Apache-2.0
"""Choices: ten kinds of question, where figures are from, limits, and time that runs out."""

import time
from contextlib import closing
from shlex import split

import pytest

from modwright.base.errors import ParameterError, UsageError
from modwright.base.store import Store
from modwright.choose import GOALS, Limits, Question, choice, choose
from modwright.choose.candidates import (
    ESTIMATED,
    MEASURED,
    SYNTHESISED,
    Candidate,
    curve_for,
)
from modwright.choose.goals import Part, family_of
from modwright.choose.parts import part_of
from modwright.cli.common import select
from modwright.compare import Work
from modwright.explore import calibration
from modwright.explore.database import Database
from modwright.explore.executors import OutOfTimeError
from modwright.prepared.registry import find

from .conftest import CommandLine


class Here:
    """Estimates and syntheses that follow from the request, without a tool; `slow` ones take all the time there is."""

    batch = 8

    def __init__(self, slow=()):
        self.slow, self.ran = slow, []

    def results(self, tasks, beat):
        for key, stage, request, _, _ in tasks:
            if request["core"] in self.slow or stage in self.slow:
                raise OutOfTimeError
            beat()
            self.ran.append((stage, request["core"]))
            yield key, self.outcome(stage, request)

    def outcome(self, stage, request):
        lut = 9000 + 100 * len(request["core"])
        if stage == "estimate":
            return {"estimate": {"lut": lut, "ff": 10, "dsp": 0, "period_ns": 8.0}}
        record = {"request": request, "resources": {"lut": lut, "dsp": 0, "tool": "a tool"}, "timing": "not run"}
        return {"record": {"format": "none", **record}}

    def close(self):
        pass


@pytest.fixture
def here(monkeypatch, tmp_path):
    """The command line with estimates that take no time, and a store of its own."""
    executor = Here()
    monkeypatch.setattr("modwright.explore.executors.Processes", lambda number: executor)
    monkeypatch.setenv("MODWRIGHT_CACHE", str(tmp_path / "cache"))
    return executor


QUESTIONS = {
    "smallest multiplier of BLS12-381": "--function modmul --modulus bls12-381 --device ecp5 --smallest",
    "fastest multiplier of secp256k1, measured": "--function modmul --field secp256k1 --fastest --constant-latency",
    "most products a second of a small prime": "--function modmul --modulus 3329 --throughput",
    "any modulus of 256 bits in 3,000 LUTs": "--function modmul --bits 256 --runtime-modulus --fastest --max-lut 3000",
    "inversion in constant latency": "--function modinv --field P-256 --fastest --constant-latency",
    "exponentiation without blocks": "--function modexp --bits 64 --fastest --max-dsp 0",
    "point multiplication": "--function ecpm --curve P-256 --smallest --seconds 5",
    "base extension": "--function basext --field P-256 --fastest",
    "modular sum": "--function modadd --modulus 97 --smallest",
    "multiplier on a small device in 2 µs": "--function modmul --bits 256 --device 25k --smallest --max-ns 2000",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_ten_kinds_of_question(question, here, capsys):
    run = CommandLine(capsys)
    assert run("choose", *QUESTIONS[question].split(), "--json") == 0
    answer = run.json
    best, limits = answer["best"], answer["limits"]
    assert 1 <= len(best) <= 3
    assert len({row["core"] for row in best}) == len(best)
    assert all(row["core"].partition("/")[0] == answer["function"] for row in best)
    cost = GOALS[answer["goal"]].cost
    costs = [row[cost] for row in best]
    assert costs == sorted(costs)
    for row in best:
        assert row["reason"]
        assert all(row[name]["source"] in (MEASURED, ESTIMATED, SYNTHESISED) for name in ("lut", "dsp", "fmax"))
        assert not limits.get("constant_latency") or row["constant_latency"]
        assert not limits.get("runtime_modulus") or row["runtime_modulus"]
        assert row["lut"]["value"] <= limits.get("max_lut", 1e9)
        assert row["dsp"]["value"] <= limits.get("max_dsp", 1e9)
        assert row["ns"] <= limits.get("max_ns", 1e12)
        assert _builds(row) == row["request"]


def _builds(row):
    """The request that the command of a candidate makes."""
    words = split(row["command"])
    assert words[:2] == ["modwright", "build"]
    pairs = list(zip(words[3::2], words[4::2], strict=True))
    named = {name[2:]: value for name, value in pairs if name != "-O"}
    if "curve" not in row["request"]:
        named.pop("curve", None)  # the operands' alone
    options = [value for name, value in pairs if name == "-O"]
    target = named.pop("target")
    _, request = select(words[2], named.get("field"), named.get("modulus"), named.get("curve"), target, options or None)
    return request.to_mapping()


def test_the_text_says_where_each_figure_is_from(here, capsys):
    run = CommandLine(capsys)
    assert run("choose", "--function", "modmul", "--bits", "256", "--smallest") == 0
    first = run.out.partition("\n2. ")[0]
    assert "1. modmul/radix2\n   what     Montgomery, a bit a cycle, binary sums: the baseline\n" in first
    assert "2,096 LUT (measured: record on LFE5U-85F)" in first
    assert "smallest of" in first
    assert "modwright build modmul/radix2" in first
    assert "536 LUTs" in run.out
    assert not [name for stage, name in here.ran if name == "modmul/radix2" and stage == "synthesis"]


ERRORS = {
    "--bits 256": "one goal, and none",
    "--bits 256 --smallest --fastest": "2 are given: --smallest, --fastest",
    "--smallest": "one of --field, --modulus, --curve and --bits",
    "--bits 256 --smallest --device asic": "in the cells of a library",
    "--bits 256 --smallest --device virtex": "by the name of 'virtex'",
    "--modulus nonsense --smallest": "nonsense",
    "--bits 256 --smallest --max-lut 0": "max-lut",
}


@pytest.mark.parametrize("words", ERRORS)
def test_bad_questions(words, here, capsys):
    assert ERRORS[words] in CommandLine(capsys).fails(2, "choose", "--function", "modmul", *words.split())
    assert not here.ran


def test_limits_that_none_keeps(here, capsys):
    words = ("--function", "modmul", "--bits", "256", "--smallest", "--max-lut", "9")
    error = CommandLine(capsys).fails(4, "choose", *words)
    assert "keeps the limits" in error
    assert "modmul/radix2: 2,096 LUT of at most 9" in error
    assert "0 of 0" not in error, "nothing is no progress"


def test_a_reason_does_not_repeat_the_name_of_its_core(here, capsys):
    error = CommandLine(capsys).fails(4, "choose", "--function", "unit", "--bits", "32", "--smallest")
    assert "\n  unit/adder: built for one modulus" in error


def test_limits_are_told_as_they_were_given(here, capsys):
    run = CommandLine(capsys)
    words = ("--function", "modmul", "--bits", "256", "--smallest", "--max-cycles", "12345678", "--max-ns", "1e7")
    assert run("choose", *words) == 0
    assert "smallest, max cycles 12,345,678, max ns 10,000,000\n" in run.out


def test_the_nearest_comes_first_whatever_the_goal_is(here, capsys):
    """One limit that is broken is nearer than two, and less of it than more."""
    words = ("--function", "modmul", "--bits", "256", "--fastest", "--max-lut", "1000", "--max-dsp", "0")
    first, *others = CommandLine(capsys).fails(4, "choose", *words).splitlines()[-4:-1]
    assert first.strip() == "modmul/radix2: 2,096 LUT of at most 1,000"
    assert not any("DSP" in line for line in others)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("--max-lut 9", "a higher --max-lut"),
        ("--max-lut 9 --max-dsp 0", "a higher --max-lut"),
        ("--max-ns 1 --max-cycles 1", "a higher --max-cycles and a higher --max-ns"),
        ("--min-rate 1e12", "a lower --min-rate"),
    ],
)
def test_the_limit_in_the_way_is_named(here, capsys, words, hint):
    error = CommandLine(capsys).fails(
        4, "choose", "--function", "modmul", "--bits", "256", "--smallest", *words.split()
    )
    assert error.endswith(f"\n  try: {hint}\n")


def test_a_limit_of_yes_or_no_is_to_be_left_out(here, capsys):
    """No number widens it."""
    words = ("--function", "basext", "--field", "P-256", "--smallest", "--runtime-modulus")
    error = CommandLine(capsys).fails(4, "choose", *words)
    assert error.endswith("\n  try: no --runtime-modulus\n")


def work(function="modmul", target="ecp5", **named):
    return Work.make(function, target, **named)


def answer(tmp_path, executor, goal="smallest", limits=None, seconds=60, of=None):
    database = Database(tmp_path / "explore.sqlite")
    try:
        question = Question(of or work(bits=64), GOALS[goal], limits or Limits(), Part.of((of or work(bits=64)).target))
        return choose(question, Store(tmp_path), database, executor, seconds=seconds)
    finally:
        database.close()


def test_options_are_tried_where_the_defaults_break_a_limit(tmp_path):
    found = answer(tmp_path, Here(), "throughput", Limits(max_cycles=6), of=work(modulus="3329"))
    assert [one.core for one in found.best] == ["modmul/binary"], (
        "by default it takes 9 cycles, and no other core fewer"
    )
    assert found.best[0].cycles <= 6


def test_a_clock_rate_that_no_record_of_the_family_has_is_that_of_ecp5(tmp_path):
    slow = Here(slow={"estimate", "synthesis"})
    found = answer(tmp_path, slow, "fastest", of=work("modexp", bits=96, target="xc7"))
    assert found.best
    for one in found.best:
        assert one.fmax.source == ESTIMATED
        assert one.fmax.detail.endswith("on ecp5")


def test_what_there_is_no_time_for_is_named(tmp_path):
    found = answer(tmp_path, Here(slow={"modmul/blakley"}), of=work(target="gowin", modulus="65521"))
    assert "modmul/blakley" in found.unseen
    assert found.looked_at >= 3


def test_a_combination_without_time_is_estimated_by_its_part(tmp_path):
    found = answer(tmp_path, Here(slow={"estimate", "synthesis"}), of=work(function="modexp", bits=1024))
    assert len(found.best) == 3
    assert all(one.lut.detail.startswith(f"of modmul/{one.core[7:].rpartition('-')[0]} alone") for one in found.best)


def test_a_second_question_finds_the_estimates(tmp_path):
    first = Here()
    answer(tmp_path, first)
    second = Here()
    answer(tmp_path, second)
    assert [stage for stage, _ in first.ran].count("estimate") > 5
    assert not second.ran


def test_synthesised_areas_replace_estimates(tmp_path):
    found = answer(tmp_path, Here())
    assert {one.lut.source for one in found.best} == {SYNTHESISED}
    estimated = answer(tmp_path / "other", Here(slow={"synthesis"}))
    assert {one.lut.source for one in estimated.best} == {ESTIMATED}


def test_without_time_nothing_runs(tmp_path):
    executor, start = Here(), time.monotonic()
    with pytest.raises(ParameterError, match="more --seconds"):
        answer(tmp_path, executor, seconds=-1, of=work(modulus="3329"), limits=Limits(max_lut=1))
    assert not executor.ran
    assert time.monotonic() - start < 60


def test_time_alone_is_told_where_no_limit_was_given(tmp_path):
    question = Question(Work.make("modmul", "xcup", bits=8), GOALS["smallest"], Limits(), Part.of("xcup"))
    database = Database(tmp_path / "explore.sqlite")
    with closing(database), pytest.raises(ParameterError, match="was found in time") as told:
        choose(question, Store(tmp_path), database, Here(), seconds=-1)
    assert told.value.hint == "more --seconds"


def test_a_block_counts_as_its_share():
    assert Part.of("ecp5").lut_of_block == pytest.approx(83640 / 156)
    assert Part.of("ecp5", "25k").lut_of_block == pytest.approx(24288 / 28)
    assert Part.of("xc7").lut_of_block == pytest.approx(63400 / 240)
    assert not Part.of("xc7").bounding


def test_devices_and_families():
    assert family_of("25k") == ("ecp5", "25k")
    assert family_of("gowin") == ("gowin", None)
    assert family_of("sky130") == ("asic", "sky130")
    with pytest.raises(UsageError, match="cells of a library"):
        family_of("asic")


def test_the_part_of_a_combination():
    assert part_of("modexp/csa-high-radix-window") == "modmul/csa-high-radix"
    assert part_of("modmul/csa") == ""


def test_a_core_on_any_curve_is_built_on_the_curve_of_the_question(here, capsys):
    run = CommandLine(capsys)
    for words, curve in ((("--curve", "secp521r1"), "secp521r1"), (("--field", "P-384"), "secp384r1")):
        assert run("choose", "--function", "ecpm", *words, "--smallest", "--json") == 0
        assert run.json["best"]
        assert all(f"--curve {curve} " in row["command"] for row in run.json["best"])


def test_a_curve_stands_in_the_place_of_its_field(tmp_path):
    """A core built for the field needs the curve for its operands, and both are not taken."""
    over = Work.make("ecpm", "ecp5", field="P-256")
    request = over.request(find("ecpm/rns-ladder"))
    assert "field" in request.to_mapping()
    assert request.to_mapping()["field"]
    one = Candidate(request, 1, 1, "fixed", True, Part.of("ecp5"), curve=curve_for(request, over))
    assert split(one.command)[2:5] == ["ecpm/rns-ladder", "--curve", "secp256r1"]
    assert "--field" not in one.command


@pytest.mark.parametrize(("device", "place"), [("gowin", " --place"), ("nexus", " --place"), ("xcup", "")])
def test_a_family_that_is_not_built_for_is_measured_by_synth(here, capsys, device, place):
    run = CommandLine(capsys)
    assert run("choose", "--function", "modmul", "--bits", "64", "--smallest", "--device", device) == 0
    assert f" --target {device}{place}\n" in run.out
    assert run.out.count("   measure  modwright synth modmul/") == run.out.count("   build    ") >= 2
    assert run("choose", "--function", "modmul", "--bits", "64", "--smallest") == 0
    assert "   measure  " not in run.out


def test_operands_in_residues_are_told(here, capsys):
    run = CommandLine(capsys)
    assert run("choose", "--function", "modmul", "--field", "secp256k1", "--fastest", "--json") == 0
    assert {row["operands"] for row in run.json["best"]} <= {"RNS", "binary", "RNS, exact"}
    assert run("choose", "--function", "modmul", "--field", "secp256k1", "--fastest") == 0
    assert run.out.count("   operands RNS") + run.out.count("   operands binary") == 3


def test_what_a_part_has_is_the_least_of_the_whole(tmp_path):
    """It is told as such, and never as an area within a limit, or next to one of another core."""
    found = answer(
        tmp_path,
        Here(slow={"estimate", "synthesis"}),
        of=work(function="modexp", bits=2048),
        limits=Limits(max_lut=20_000),
    )
    assert all(one.lut.least and one.whole_area is None for one in found.best)
    for number in range(len(found.best)):
        assert "whether it keeps 20,000 LUTs and 156 DSP blocks is not known" in found.reason(number)
        assert "times the area" not in found.reason(number)


def test_what_is_known_whole_comes_before_parts_where_area_is_limited(tmp_path):
    found = answer(tmp_path, Here(), of=work(function="modexp", bits=64), goal="fastest", limits=Limits(max_lut=20_000))
    assert not any(one.lut.least for one in found.best)


def test_time_that_no_synthesis_needs_is_for_estimates(tmp_path, monkeypatch):
    monkeypatch.setattr(choice, "DEFAULTS", 0)
    monkeypatch.setattr(choice, "VARIANTS_DONE", 0)
    with monkeypatch.context() as patch:
        patch.setattr(choice, "ALL_DONE", 0)
        unseen = answer(tmp_path, Here(), of=work(modulus="65521")).unseen
    assert unseen
    executor = Here()
    assert answer(tmp_path, executor, of=work(modulus="65521")).unseen == ()
    assert {name for stage, name in executor.ran if stage == "estimate"} >= {label.split()[0] for label in unseen}


def test_a_synthesis_that_the_time_ends_is_named(tmp_path):
    found = answer(tmp_path, Here(slow={"synthesis"}))
    assert {one.label for one in found.best} <= set(found.unfinished)


def test_corrections_come_from_the_nearest_record():
    own = calibration.correction("modmul/csa", "ecp5", 600, {"interleave": 1})
    assert "521 bits" in own.basis
    assert 0.4 < own.lut < 1
    other = calibration.correction("modmul/none", "ecp5", 600, {})
    assert "median" in other.basis


def test_a_core_without_a_record_on_the_family_is_corrected_by_that_on_ecp5(monkeypatch):
    def anchor(core, target, ratio):
        return calibration.Anchor(core, target, 256, {}, 100.0, 0, 100.0, ratio, 2 * ratio)

    known = {"ecp5": [anchor("a", "ecp5", 0.5), anchor("b", "ecp5", 3.0)], "nexus": [anchor("a", "nexus", 1.0)]}
    monkeypatch.setattr(calibration, "anchors", lambda target: known[target])
    calibration.between_families.cache_clear()
    factors = calibration.correction("b", "nexus", 256, {})
    calibration.between_families.cache_clear()
    assert (factors.lut, factors.period) == (6.0, 12.0), "both families have a, twice as slow and large on nexus"
    assert factors.basis == "corrected by its record at 256 bits on ecp5"
