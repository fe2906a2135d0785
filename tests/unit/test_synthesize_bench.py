# SPDX-License-Identifier: Apache-2.0
"""bench/measure.py on the toy core."""

import importlib.util
import json
from pathlib import Path

import pytest

from modwright.measurement.record import summary
from modwright.prepared import Prepared, registry
from modwright.synthesize import Timing, nextpnr

from ..toy import TOY

SCRIPT = Path(__file__).parents[2] / "bench" / "measure.py"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One store for the module: the second measurement of a core costs nothing."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def measure(monkeypatch, cache):
    """The script as a module, with the toy core registered and a store of its own."""
    monkeypatch.setenv("MODWRIGHT_CACHE", str(cache))
    monkeypatch.setattr(registry, "all_cores", lambda: {TOY.name: TOY})
    specification = importlib.util.spec_from_file_location("measure", SCRIPT)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def record(measure, path: Path, *words: str) -> dict:
    assert measure.main([TOY.name, "--modulus", "251", "--option", "latency=4", *words, "-o", str(path)]) == 0
    return json.loads(path.read_text())


def test_record_of_a_placed_core(measure, tmp_path):
    found = record(measure, tmp_path / "deeper" / "toy.json", "--place", "--seeds", "1,2")
    timing = Timing.from_json(found["timing"])
    assert [s.seed for s in timing.per_seed] == [1, 2]
    assert (found["schedule"]["latency_cycles"], found["schedule"]["interval_cycles"]) == (4, 2)
    assert found["derived"]["latency_ns"] == round(4 * 1e3 / timing.fmax_median, 3)
    assert found["derived"]["interval_ns"] == round(2 * 1e3 / timing.fmax_median, 3)
    assert found["derived"]["dsp_ns"] == round(found["resources"]["dsp"] * 4e3 / timing.fmax_median, 1)
    assert found["request"]["options"]["latency"] == 4
    assert found["channel_timing"] == "not run"


def test_seeds_of_a_record_are_kept(measure, tmp_path, monkeypatch):
    """Two seeds and then three more give the record of five seeds, whichever of them is the best."""
    path, whole = tmp_path / "toy.json", record(measure, tmp_path / "whole.json", "--place", "--seeds", "1,2,3,4,5")
    placed = placements(monkeypatch)
    for first in ("1,2", "3,5", str(whole["timing"]["seed"])):
        record(measure, path, "--place", "--seeds", first, "--frequency", "60")
        del placed[:]
        assert record(measure, path, "--place", "--keep-seeds") == whole
        assert placed == [seed for seed in (1, 2, 3, 4, 5) if str(seed) not in first]


def test_seeds_stand_in_the_order_requested(measure, tmp_path):
    """As in a record of one run, so that none is sorted where some of them are kept."""
    path, whole = tmp_path / "toy.json", record(measure, tmp_path / "whole.json", "--place", "--seeds", "3,1,2")
    record(measure, path, "--place", "--seeds", "1")
    assert record(measure, path, "--place", "--keep-seeds", "--seeds", "3,1,2") == whole
    assert [each["seed"] for each in whole["timing"]["per_seed"]] == [3, 1, 2]


@pytest.fixture
def channel(monkeypatch):
    """The toy core has a channel, which is all of it."""
    monkeypatch.setattr(Prepared, "channel_verilog", lambda own: own.verilog().replace(own.top, f"{own.top}_channel"))


@pytest.mark.usefixtures("channel")
def test_seeds_of_a_channel_are_kept(measure, tmp_path, monkeypatch):
    """Of the same channel alone: an older record has no numbers of its cells, and all its seeds are placed again."""
    path, whole = tmp_path / "toy.json", record(measure, tmp_path / "whole.json", "--channel", "--seeds", "1,2,3")
    placed = placements(monkeypatch)
    for change, seeds in (
        (lambda old: None, [1, 3]),
        (lambda old: old["channel_resources"].update(lut=1), [1, 2, 3]),
        (lambda old: old.pop("channel_resources"), [1, 2, 3]),
        (lambda old: old["verilog"].update(sha256="0"), [1, 2, 3]),
        (lambda old: old.update(channel_timing="not run"), [1, 2, 3]),
    ):
        old = record(measure, path, "--channel", "--seeds", "2")
        change(old)
        path.write_text(json.dumps(old))
        del placed[:]
        assert record(measure, path, "--channel", "--keep-seeds", "--seeds", "1,2,3") == whole
        assert placed == seeds


@pytest.mark.parametrize(
    "change",
    [
        lambda old: old["verilog"].update(sha256="0"),
        lambda old: old["resources"].update(lut=1),
        lambda old: old["tools"].update(pyosys="0.1"),
        lambda old: old["timing"].update(router="router2"),
        lambda old: old["timing"].update(device="LFE5U-25F"),
        lambda old: old["timing"].update(status="not placed"),
        lambda old: old["timing"]["per_seed"][0].update(seed=9),
        lambda old: old["timing"]["per_seed"].extend(dict(old["timing"]["per_seed"][0], seed=n) for n in (3, 4, 5)),
        lambda old: old.update(timing="not run"),
        lambda old: old.update(timing=5),
        lambda old: old["timing"].pop("critical_path"),
        lambda old: old["timing"].update(newer=1),
        lambda old: old["timing"].update(per_seed=[{"seed": 3}]),
        lambda old: old["timing"].update(fmax_mhz=None),
        lambda old: old["timing"]["per_seed"][0].update(fmax_mhz=None, reason="no time"),
    ],
)
def test_seeds_of_another_design_are_not_kept(measure, tmp_path, change):
    """The figures of the older record are false, and the new one does not have them."""
    path, whole = tmp_path / "toy.json", record(measure, tmp_path / "whole.json", "--place", "--seeds", "1,2,3,4,5")
    old = record(measure, path, "--place", "--seeds", "1,2")
    old["timing"]["per_seed"][0]["fmax_mhz"] = old["timing"]["fmax_mhz"] = 1000.0
    change(old)
    path.write_text(json.dumps(old))
    assert record(measure, path, "--place", "--keep-seeds") == whole


@pytest.mark.parametrize("text", ["", "{}", "[]", "1", '{"request": {"core": "no/core"}}', '{"request": 1}'])
def test_a_file_that_is_no_record_has_no_seeds(measure, tmp_path, capsys, text):
    path = tmp_path / "toy.json"
    path.write_text(text)
    assert measure.main([TOY.name, "--modulus", "251", "--place", "--keep-seeds", "-o", str(path)]) == 2
    assert "has no record whose seeds can be kept" in capsys.readouterr().err
    assert path.read_text() == text


def placements(monkeypatch) -> list[int]:
    """Seeds that are placed from now on."""
    seeds: list[int] = []
    place = nextpnr.place

    def counted(netlist, flow, seed, **rest):
        seeds.append(seed)
        return place(netlist, flow, seed, **rest)

    monkeypatch.setattr(nextpnr, "place", counted)
    return seeds


def test_record_is_the_same_bytes_twice_and_says_what_was_not_run(measure, tmp_path):
    found = record(measure, tmp_path / "one.json")
    assert found == record(measure, tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert found["timing"] == found["channel_timing"] == found["derived"] == "not run"
    assert found["resources"]["target"] == "ecp5"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.json", "two.json"]


def test_record_says_whether_luts_are_wide(measure, tmp_path):
    plain = record(measure, tmp_path / "plain.json", "--place")
    wide = record(measure, tmp_path / "wide.json", "--place", "--wide-lut")
    assert [r["resources"]["wide_lut"] for r in (plain, wide)] == [False, True]
    assert [r["timing"]["wide_lut"] for r in (plain, wide)] == [False, True]
    assert plain["schedule"]["mean_latency_cycles"] == plain["schedule"]["latency_cycles"] == 4
    assert plain["timing"]["critical_path"]["levels"] > 0


def test_a_core_without_channels_has_no_channel_timing(measure, tmp_path):
    assert record(measure, tmp_path / "toy.json", "--channel")["channel_timing"] == "not run"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--target", "xc7", "--place"], "has no place and route"),
        (["--target", "xc7", "--wide-lut"], "--wide-lut is for ecp5"),
        (["--keep-seeds"], "add --place or --channel"),
        (["--option", "depth=3"], "no option 'depth'"),
        (["--field", "nonesuch"], "nonesuch"),
    ],
)
def test_wrong_requests_end_with_the_exit_code_of_the_command(measure, tmp_path, capsys, words, says):
    target = tmp_path / "toy.json"
    modulus = [] if "--field" in words else ["--modulus", "251"]
    assert measure.main([TOY.name, *modulus, *words, "-o", str(target)]) == 2
    assert says in capsys.readouterr().err
    assert not target.exists()


def test_long_constants_are_summed_up():
    given = {"p": 1 << 255, "w": 64, "table": list(range(100)), "short": (1, 1 << 100)}
    assert summary(given) == {"p": "256 bits", "w": 64, "table": "100 entries", "short": [1, "101 bits"]}
