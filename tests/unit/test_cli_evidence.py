# SPDX-License-Identifier: Apache-2.0
"""The commands simulate, prove, synth and wave."""

import json

import pytest

from modwright import prove, synthesize
from modwright.synthesize import NotPlaced

TOY = "modmul/toy"
PURE = ("--simulator", "pure")


def case(x, y, z, **rest):
    return {"x": hex(x), "y": hex(y), "z": hex(z)} | rest


@pytest.fixture
def vectors(toy_only):
    def write(*cases, **rest):
        (toy_only / "v.json").write_text(json.dumps(rest | {"cases": cases}))
        return "v.json"

    return write


# --- simulate


def test_simulate_prints_what_the_design_says(run, vectors):
    file = vectors(case(3, 5, 15), case(96, 96, 1), modulus="0x61")
    assert run("simulate", TOY, "--modulus", "97", "--vectors", file, "--json", *PURE) == 0
    cycles = {"min": 3, "median": 3, "max": 3}
    stable = {"core": TOY, "cases": 2, "passed": 2, "failed": [], "cycles": cycles, "extremes": []}
    assert run.json.items() >= stable.items()
    rows = {row["pattern"]: row for row in run.json["patterns"]}
    assert list(rows) == ["free", "stalled", "bursts"]
    assert (rows["free"]["stalls"], rows["free"]["operations"]) == (None, 2)
    assert rows["stalled"]["stalls"] == {"seed": 1, "i": 50, "o": 50, "quiet": 0, "sparse": 0}
    assert rows["bursts"]["stalls"]["quiet"] == 6  # latency 3, interval 2
    assert [row["initial_state"] for row in rows.values()] == [f"random, seed {n}" for n in (1, 2, 3)]
    for row in rows.values():
        assert row["passed"] == row["operations"]
        assert 1 <= row["resets"] <= row["operations"]


def test_a_wrong_core_fails(run, vectors):
    file = vectors(case(5, 3, 15), case(3, 5, 15), modulus="0x61")
    assert run("simulate", TOY, "-O", "faulty=true", "--vectors", file, "--json", *PURE) == 1
    assert (run.json["cases"], run.json["passed"]) == (2, 1)
    assert {f["level"] for f in run.json["failed"]} == {"value", "bits"}
    assert {f["case"] for f in run.json["failed"]} == {1}
    assert {"case": 1, "got": {"z": "0x10"}, "expected": {"z": "0xf"}, "level": "value"} in run.json["failed"]
    assert run("simulate", TOY, "-O", "faulty=true", "--vectors", file, *PURE) == 1
    assert "1 of 2 cases passed" in run.out
    assert "free: 1 of 2 operations passed; 1 reset ended 1 more" in run.out
    assert "expected z = 0xf" in run.out


def test_a_wrong_expectation_fails(run, vectors):
    assert run("simulate", TOY, "--vectors", vectors(case(3, 5, 16), modulus="0x61"), "--json", *PURE) == 1
    assert run.json["failed"][0]["expected"] == {"z": "0x10"}


def test_the_modulus_of_the_cases(run, vectors):
    file = vectors(case(3, 5, 15, modulus="0x61"), case(88, 88, 1, modulus="0x59"))
    assert run("simulate", TOY, "--vectors", file, "--json", *PURE) == 0
    assert run.json["passed"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--random", "5"), "none is named"),
        (("-m", "97"), "--vectors"),
        (("-m", "97", "--random", "5", "--vectors", "v.json"), "exactly one of"),
        (("-m", "101", "--vectors", "v.json"), "97"),
        (("-m", "97", "--vectors", "absent.json"), "absent.json"),
        (("-m", "97", "--vectors", "."), "cannot read"),
        (("-m", "97", "--vectors", "other.json"), "not JSON"),
        (("-m", "97", "--random", "0"), "--random"),
        (("-m", "97", "--random", "5", "--stalls", "100"), "--stalls"),
        (("-m", "97", "--random", "5", "--stalls", "0", "--pattern", "stalled"), "1 to 99 per cent"),
        (("-m", "97", "--random", "5", "--pattern", "calm"), "--pattern"),
        (("-m", "97", "--random", "5", "--simulator", "fast"), "--simulator"),
        (("-m", "97", "--random", "5", "--seed", "-1"), "--seed"),
    ],
)
def test_simulate_refuses(run, vectors, toy_only, words, message):
    vectors(case(3, 5, 15), modulus="0x61")
    (toy_only / "other.json").write_text("{")
    assert message in run.fails(2, "simulate", TOY, *words)


def test_random_operations_with_stalls_in_a_chain(run):
    assert run("simulate", TOY, "-m", 97, "--random", 10, "--stalls", 30, "--chain", "--json", *PURE) == 0
    assert run.json["passed"] == run.json["cases"] > 10


@pytest.mark.parametrize(
    ("words", "ran"),
    [
        (("--pattern", "free"), ["free"]),
        (("--pattern", "bursts"), ["bursts"]),
        (("--pattern", "stalled", "--stalls", "80"), ["stalled"]),
        (("--stalls", "0"), ["free", "bursts"]),
    ],
)
def test_one_pattern_runs_every_case(run, words, ran):
    assert run("simulate", TOY, "-m", 97, "--random", 4, "--json", *words, *PURE) == 0
    assert [row["pattern"] for row in run.json["patterns"]] == ran
    assert run.json["patterns"][0]["operations"] == run.json["cases"] == run.json["passed"]


# --- prove


def proof(status):
    return prove.Proof("fold", "y = x mod m", status, "bitwuzla")


@pytest.mark.parametrize(("status", "code"), [("proved", 0), ("not run", 0), ("refuted", 1)])
def test_prove(run, monkeypatch, status, code):
    monkeypatch.setattr(prove, "prove", lambda prepared: [proof(status)])
    assert run("prove", TOY, "-m", 97) == code
    assert status in run.out
    assert run("prove", TOY, "-m", 97, "--json") == code
    assert run.json["proofs"][0]["statement"] == "y = x mod m"


# --- synth


def test_synth_without_place_has_no_frequency(run):
    assert run("synth", TOY, "-m", 97, "--json") == 0
    found = run.json
    assert (found["core"], found["target"], found["cycles"], found["dsp"]) == (TOY, "ecp5", 3, 1)
    assert found["lut"] > 0
    assert (found["fmax_mhz"], found["latency_ns"]) == (None, None)
    assert found["timing"] == found["place_and_route"] == "not run"
    assert run("synth", TOY, "-m", 97) == 0
    assert "not run" in run.out
    assert max(map(len, run.out.splitlines())) <= 80


def test_synth_says_whether_luts_are_wide(run):
    for words, wide in (((), False), (("--no-wide-lut",), False), (("--wide-lut",), True)):
        assert run("synth", TOY, "-m", 97, *words, "--json") == 0
        assert run.json["wide_lut"] is wide
        assert run.json["method"].endswith("wide LUTs") is wide
    assert "target ecp5" in run.fails(2, "synth", TOY, "-m", 97, "--target", "xc7", "--wide-lut")


def test_a_core_without_a_channel_is_refused_before_the_work(run, monkeypatch, tmp_path):
    def resources(*_, **__):
        raise AssertionError("Yosys ran")

    monkeypatch.setattr(synthesize, "resources", resources)
    for words in ((), ("--submit", tmp_path / "queue")):
        assert "no channel" in run.fails(2, "synth", TOY, "-m", 97, "--channel", *words)
    assert not (tmp_path / "queue").exists()


@pytest.fixture
def placed(monkeypatch):
    """Place and route at 100 MHz, without the tool."""

    def timing(verilog, top, settings, **_):
        return synthesize.Timing(
            fmax_mhz=100.0,
            fmax_median=96.0,
            per_seed=tuple(synthesize.SeedResult(seed, 104.0 - 4 * seed) for seed in settings.seeds),
            seed=1,
            device="LFE5U-85F",
            package="CABGA756",
            speed="6",
            frequency_mhz=settings.frequency,
            router=settings.router or "router1",
            harness="out-of-context",
            method="a stand-in",
            utilisation={},
            critical_path={
                "from": "a_TRELLIS_FF_Q.Q", "to": "u.b_TRELLIS_FF_Q_3.DI", "delay_ns": 10.0, "logic_ns": 3.0,
                "routing_ns": 7.0, "nets": 2, "levels": 1,
            },
            tool={},
        )  # fmt: skip

    monkeypatch.setattr(synthesize, "timing", timing)


def test_synth_with_place(run, placed):
    assert run("synth", TOY, "-m", 97, "--place", "--seeds", "1,2,3", "--json") == 0
    assert (run.json["fmax_mhz"], run.json["latency_ns"], run.json["timing"]) == (100.0, 31.25, "core")
    assert [row["seed"] for row in run.json["place_and_route"]["per_seed"]] == [1, 2, 3]
    assert run.json["place_and_route"]["router"] == "router1"
    limit = "routing, 7.0 of 10.0 ns (2 nets, 1 level of logic): into register u.b, fed by register a"
    assert run.json["limit"] == limit
    assert run("synth", TOY, "-m", 97, "--place", "--router", "router2") == 0
    assert limit in " ".join(run.out.split())
    assert "; router2" in run.out


@pytest.mark.parametrize(("frequency", "code"), [(100, 0), (100.5, 5)])
def test_a_clock_that_is_missed(run, placed, frequency, code):
    assert run("synth", TOY, "-m", 97, "--place", "--freq", frequency) == code
    assert "96.0 (one seed) MHz" in run.out
    assert ("100.5 MHz" in run.err) == (code == 5)


def test_a_design_that_does_not_fit(run, monkeypatch):
    monkeypatch.setattr(synthesize, "timing", lambda *a, **o: NotPlaced("it needs 200 MULT18X18D of 156", "LFE5U-85F"))
    assert run("synth", TOY, "-m", 97, "--place", "--json") == 5
    assert run.json["fmax_mhz"] is None
    assert "200 MULT18X18D of 156" in run.err


# --- wave


def test_wave(run, toy_only):
    assert run("wave", TOY, "-m", 97, "-o", "waves") == 0
    listed = [toy_only / line for line in run.out.splitlines()]
    assert any(path.suffix == ".vcd" for path in listed)
    assert all(path.stat().st_size for path in listed)
    (toy_only / "waves" / "mine.txt").write_text("mine")
    assert "mine.txt" in run.fails(2, "wave", TOY, "-m", 97, "-o", "waves")
