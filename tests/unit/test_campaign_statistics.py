# SPDX-License-Identifier: Apache-2.0
"""Sampled counts: against exact distributions, by any number of processes, resumed, and on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random
from xml.etree import ElementTree

import pytest

from modwright.base.errors import UsageError, VerificationError
from modwright.base.store import Store
from modwright.contract import CYCLES, Distribution, Statistic
from modwright.contract.request import Request
from modwright.draw.histogram import histogram
from modwright.prepared import prepare, registry
from modwright.prepared.registry import find
from modwright.statistics import sampling
from modwright.statistics.sampling import Sample, sample

from ..toy import TOY

NS = "{http://www.w3.org/2000/svg}"
THROWS = Distribution(Fraction(7, 2), Fraction(35, 12), 1, 6)
DIE = Statistic(
    "points", "a die", lambda rng: rng.randint(1, 6), cycles=1, exact=THROWS, published=(("a paper", Fraction(3)),)
)
LOADED = replace(DIE, draw=lambda rng: rng.choice([1, 2, 3, 4, 5, 6, 6]))
SEVEN = replace(DIE, draw=lambda rng: rng.randint(1, 7))
CHUNK = DIE.batch
DICE = {
    f"modmul/{name}": replace(TOY, name=f"modmul/{name}", statistic=lambda _, one=statistic: one)
    for name, statistic in {"die": DIE, "loaded": LOADED, "seven": SEVEN}.items()
}


def vlm3(tmp_path, bits=24, **options):
    core = find("modmul/vlm3")
    request = Request.make(core, options={"bits": bits, **options}, target="generic")
    return prepare(core, request, Store(tmp_path / "store"))


@pytest.fixture
def dice(monkeypatch):
    """Toy cores whose count is that of a die."""
    monkeypatch.setattr(registry, "all_cores", lambda: {TOY.name: TOY, **DICE})


@pytest.fixture
def die(tmp_path):
    core = DICE["modmul/die"]
    return prepare(core, Request.make(core, modulus=97), Store(tmp_path / "store"))


# --- sampling


def test_a_sample_has_the_moments_of_its_histogram():
    found = Sample(DIE, 1, {1: 1, 2: 3}).distribution
    assert found == Distribution(Fraction(7, 4), Fraction(3, 16), 1, 2)


@pytest.mark.parametrize("domain", [1, 2])
def test_digits_against_their_exact_distribution(tmp_path, domain):
    """4000 multipliers of 2^24 or 2^25 possible."""
    found = sample(vlm3(tmp_path, domain=domain), 4000, 1, workers=1)
    assert found.size == 4000
    assert abs(found.standard_errors) < 4
    found.check()


def test_every_multiplier_of_eight_bits_gives_the_exact_distribution(tmp_path):
    """256 multipliers of 256 possible."""
    statistic = vlm3(tmp_path, 8, domain=1).statistic

    class All(Random):
        """Yields 0, 1, 2 and so on."""

        next = -1

        def getrandbits(self, k):
            assert k == 8
            self.next += 1
            return self.next

    rng = All()
    counts = [statistic.draw(rng) for _ in range(256)]
    found = Sample(statistic, 1, {count: counts.count(count) for count in sorted(set(counts))})
    assert found.distribution == statistic.exact
    assert found.standard_errors == 0


def test_the_mean_latency_is_that_of_the_mean_count(tmp_path):
    prepared = vlm3(tmp_path)
    cycles = [
        prepared.model.run({"x": x, "y": 1, "m": (1 << 24) - 3}).cycles for x in (0, (1 << 24) // 3, (1 << 24) - 1)
    ]
    exact = prepared.statistic.exact
    around = prepared.schedule.latency - exact.most
    assert prepared.mean_latency == around + exact.mean
    assert min(cycles) == around + exact.least
    assert max(cycles) <= prepared.schedule.latency
    booth = find("modmul/booth8-csa")
    constant = prepare(booth, Request.make(booth, options={"bits": 24}), prepared.store)
    assert constant.mean_latency == constant.schedule.latency


@pytest.mark.parametrize("method", ["r2l", "l2r", "ladder"])
def test_cycles_of_exponentiations(tmp_path, method):
    """60 exponentiations of 2^30 possible: within the schedule, and neither all alike nor all the longest."""
    core = find(f"modexp/vlm3-{method}")
    prepared = prepare(core, Request.make(core, options={"bits": 10}, target="generic"), Store(tmp_path))
    found = sample(prepared, 60, 1, workers=1)
    assert found.statistic.name == CYCLES
    assert prepared.schedule.latency / 4 < found.distribution.least < found.distribution.most
    assert found.distribution.most <= prepared.schedule.latency
    assert (found.statistic.exact, found.standard_errors, prepared.mean_latency) == (None, None, None)


def test_cycles_that_do_not_vary_are_not_sampled(tmp_path):
    core = find("modexp/booth8-csa-ladder")
    prepared = prepare(core, Request.make(core, options={"bits": 10}, target="generic"), Store(tmp_path))
    with pytest.raises(UsageError, match="no count to sample"):
        sample(prepared, 10, 1)


def test_any_number_of_processes_gives_the_same(tmp_path):
    one = sample(vlm3(tmp_path / "one"), 3 * CHUNK // 2, 5, workers=1)
    two = sample(vlm3(tmp_path / "two"), 3 * CHUNK // 2, 5, workers=2)
    assert one.histogram == two.histogram
    assert one.histogram != sample(vlm3(tmp_path / "one"), 3 * CHUNK // 2, 6, workers=1).histogram


def test_an_interrupted_campaign_goes_on(die, monkeypatch):
    drawn = []
    count = sampling.Chunk.count

    def interrupted(chunk, statistic):
        if len(drawn) == 1:
            drawn.append("interrupted")
            raise KeyboardInterrupt
        drawn.append(chunk.number)
        return count(chunk, statistic)

    monkeypatch.setattr(sampling.Chunk, "count", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sample(die, 3 * CHUNK, 1, workers=1)
    done = []
    found = sample(die, 3 * CHUNK, 1, workers=1, progress=done.append)
    assert drawn == [0, "interrupted", 1, 2]
    assert done == [CHUNK, 2 * CHUNK, 3 * CHUNK]
    assert found.size == 3 * CHUNK
    found.check()


def test_a_longer_campaign_keeps_the_whole_chunks(die, monkeypatch):
    sample(die, CHUNK + 5, 1, workers=1)
    sizes = []
    count = sampling.Chunk.count
    monkeypatch.setattr(
        sampling.Chunk, "count", lambda chunk, statistic: sizes.append(chunk.size) or count(chunk, statistic)
    )
    assert sample(die, 2 * CHUNK, 1, workers=1).size == 2 * CHUNK
    assert sizes == [CHUNK]


def test_a_core_without_a_count_is_refused(tmp_path):
    prepared = prepare(TOY, Request.make(TOY, modulus=97), Store(tmp_path))
    with pytest.raises(UsageError, match="no count to sample"):
        sample(prepared, 10, 1)


@pytest.mark.parametrize(
    ("histogram", "says"),
    [
        ({7: 1, 3: 5}, "3 to 7 were counted, and only 1 to 6"),
        ({6: 100}, "14.6 standard errors from the exact one, 3.5"),
    ],
)
def test_a_sample_that_contradicts_the_exact_distribution(histogram, says):
    with pytest.raises(VerificationError, match=says):
        Sample(DIE, 1, histogram).check()


def test_without_anything_exact_nothing_is_contradicted():
    unknown = Sample(replace(DIE, exact=None), 1, {100: 3})
    unknown.check()
    assert unknown.standard_errors is None


# --- the picture


def test_histogram_has_a_bar_for_each_count_and_a_line_for_each_mark():
    counts = {10: 1, 11: 4, 13: 2}
    root = ElementTree.fromstring(histogram(counts, "title", "axis", [("mean", 11.1), ("paper", 2.0)]))
    bars = [group for group in root.iter(f"{NS}g") if group.get("class") == "bar"]
    assert [bar.find(f"{NS}title").text for bar in bars] == ["10: 1 times", "11: 4 times", "13: 2 times"]
    boxes = [bar.find(f"{NS}rect") for bar in bars]
    heights = [float(box.get("height")) for box in boxes]
    assert heights[0] * 4 == pytest.approx(heights[1]) == pytest.approx(2 * heights[2])
    assert len({float(box.get("y")) + float(box.get("height")) for box in boxes}) == 1, "all stand on the axis"
    texts = [text.text for text in root.iter(f"{NS}text")]
    assert {"title", "axis", "mean", "paper"} <= set(texts)
    assert "modwright" not in "".join(texts)


def test_marks_and_bars_lie_within_the_picture():
    root = ElementTree.fromstring(histogram({500: 3}, "title", "axis", [("far", 2.0), ("at the end", 900.0)]))
    width = float(root.get("viewBox").split()[2])
    places = [float(element.get("x")) for element in root.iter() if element.get("x")]
    places += [float(path.get("d")[1:].split()[0]) for path in root.iter(f"{NS}path")]
    assert all(0 <= x <= width for x in places)


# --- the command


def test_campaign_prints_what_was_counted_beside_what_is_exact(run, dice):
    words = ("campaign", "modmul/die", "-m", 97, "--samples", 3000, "--workers", 1)
    assert run(*words, "--json") == 0
    record = run.json
    assert (record["samples"], record["seed"], sum(record["histogram"].values())) == (3000, 1, 3000)
    assert record["exact"] == {"mean": 3.5, "deviation": 1.7078, "least": 1, "most": 6}
    assert abs(record["measured"]["mean"] - 3.5) < 0.2
    assert record["published"] == [{"source": "a paper", "mean": 3.0}]
    assert run(*words) == 0
    assert "measured" in run.out and "exact" in run.out and "paper: a paper" in run.out
    assert f"{record['standard_errors']:+.2f} standard errors" in run.out
    assert max(map(len, run.out.splitlines())) <= 80


@pytest.mark.parametrize(("core", "says"), [("modmul/loaded", "standard errors"), ("modmul/seven", "1 to 7")])
def test_a_model_that_contradicts_theory_fails(run, dice, core, says):
    assert run("campaign", core, "-m", 97, "--samples", 4000, "--workers", 1) == 1
    assert says in run.err


def test_the_folder_of_a_campaign(run, dice, toy_only):
    words = ("campaign", "modmul/die", "-m", 97, "--samples", 100, "--workers", 1)
    assert run(*words, "-o", "out", "--json") == 0
    assert sorted(path.name for path in (toy_only / "out").iterdir()) == [
        "histogram.svg",
        "manifest.json",
        "statistics.json",
    ]
    assert json.loads((toy_only / "out" / "statistics.json").read_text()) == run.json
    before = {path.name: path.read_bytes() for path in (toy_only / "out").iterdir()}
    assert run(*words, "-o", "out") == 0
    assert {path.name: path.read_bytes() for path in (toy_only / "out").iterdir()} == before
    (toy_only / "out" / "mine.txt").write_text("mine")
    assert "did not write" in run.fails(2, *words, "-o", "out")
    assert run(*words, "-o", "out", "--force") == 0
    assert (toy_only / "out" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("modmul/die", "-m", "97"), "--samples"),
        (("modmul/die", "-m", "97", "--samples", "0"), "--samples"),
        (("modmul/die", "-m", "97", "--samples", "many"), "--samples"),
        (("modmul/die", "-m", "97", "--samples", "5", "--seed", "-1"), "--seed"),
        (("modmul/die", "-m", "97", "--samples", "5", "--workers", "0"), "--workers"),
        (("modmul/die", "--samples", "5"), "none is named"),
        (("modmul/nonesuch", "--samples", "5"), "no core is called"),
        (("modmul/toy", "-m", "97", "--samples", "5"), "no count to sample"),
        (("modmul/die", "-m", "97", "--samples", "5", "-o", "file"), "is a file"),
    ],
)
def test_campaign_refuses(run, dice, toy_only, words, says):
    (toy_only / "file").write_text("")
    assert says in run.fails(2, "campaign", *words)
    assert sorted(path.name for path in toy_only.iterdir()) == ["file"]


def test_progress_is_on_stderr(run, dice, monkeypatch):
    monkeypatch.setattr("modwright.cli.statistics._QUIET_SECONDS", 0.0)
    assert run("campaign", "modmul/die", "-m", 97, "--samples", CHUNK + 1, "--workers", 1, "--json") == 0
    assert run.err.splitlines() == [
        f"modmul/die: operands counted: {CHUNK} of {CHUNK + 1}",
        f"modmul/die: operands counted: {CHUNK + 1} of {CHUNK + 1}",
    ]
    assert run.json["samples"] == CHUNK + 1
