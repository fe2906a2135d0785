# SPDX-License-Identifier: Apache-2.0
"""Powers through small simulated cores: values, cycles, units, and what is refused."""

import random

import pytest

from modwright.base.errors import ParameterError, UsageError, VerificationError
from modwright.protocols import Job, SimulatedExponentiator

BITS = 16
RNG = random.Random(1)
MODULI = [61, 65521, 65535, 3, 0x8001]
JOBS = [Job(RNG.randrange(m), RNG.randrange(1 << BITS), m) for m in MODULI]
EDGES = [Job(0, 0, 61), Job(5, 0, 61), Job(0, 5, 61), Job(60, 1, 61), Job(2, 65535, 65521), Job(65520, 65535, 65521)]


def core(store, name="modexp/booth8-csa-window", **options):
    return SimulatedExponentiator(name, BITS, BITS, simulator="pure", store=store, **options)


def values(powers):
    return [result.value for result in powers.results]


def expected(jobs):
    return [pow(*job) for job in jobs]


@pytest.mark.parametrize("method", ["window", "ladder"])
def test_powers_and_cycles(store, method):
    with core(store, f"modexp/booth8-csa-{method}") as exponentiator:
        assert exponentiator.constant_time
        latency = exponentiator.prepared.schedule.latency
        for jobs in (JOBS, EDGES, JOBS[:1]):
            powers = exponentiator.power(jobs)
            assert values(powers) == expected(jobs)
            assert {result.cycles for result in powers.results} == {latency}
            assert powers.cycles >= latency * len(jobs)
        assert exponentiator.power([]).cycles == 0


def test_two_units_count_the_longer_of_two_jobs(store):
    """The cycles of VLM3 vary, so that the longer one is one of them."""
    name = "modexp/vlm3-l2r"
    with core(store, name) as one, core(store, name, units=2) as two:
        assert not one.constant_time
        alone = [one.power([job]).cycles for job in JOBS]
        assert len(set(alone)) > 1
        powers = two.power(JOBS)
        assert values(powers) == expected(JOBS)
        assert [result.cycles for result in powers.results] == alone
        assert powers.cycles == max(alone[:2]) + max(alone[2:4]) + alone[4]


@pytest.mark.parametrize(("method", "together"), [("window", True), ("ladder", False)])
def test_an_interleaved_core(store, method, together):
    """Two exponentiations by windows a cycle apart; the two products of a step of the ladder."""
    with core(store, f"modexp/booth8-csa-{method}", interleave=True) as exponentiator:
        latency = exponentiator.prepared.schedule.latency
        cycles = []
        for count in (1, 2, 3, 4):
            powers = exponentiator.power(JOBS[:count])
            assert values(powers) == expected(JOBS[:count])
            assert {result.cycles for result in powers.results} == {latency}
            cycles.append(powers.cycles)
        assert cycles[0] == latency
        assert cycles[1] == (latency + 1 if together else 2 * latency + 1)
        assert (cycles[2] == cycles[3] - 1) == together


def test_two_exponentiations_in_two_slots(store):
    """The second one of a pair comes an interval of the multiplier later, and takes the cycles of one alone."""
    with core(store, "modexp/orup-interleaved-window", interleave=True, target="generic") as exponentiator:
        schedule = exponentiator.prepared.schedule
        powers = exponentiator.power(JOBS[:2])
        assert values(powers) == expected(JOBS[:2])
        assert {result.cycles for result in powers.results} == {schedule.latency}
        assert powers.cycles == schedule.latency + schedule.burst_distance


def test_what_cannot_be_interleaved(store):
    with pytest.raises(ParameterError, match="products at a time"):
        core(store, "modexp/booth8-csa-l2r", interleave=True)


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (Job(1, 1, 62), "the modulus is odd"),
        (Job(0, 1, 1), "at least 3"),
        (Job(1, 1, 65537), r"below 2\^16"),
        (Job(61, 1, 61), "the base is in"),
        (Job(-1, 1, 61), "the base is in"),
        (Job(1, 65536, 61), "it has 17 bits"),
        (Job(1, -1, 61), "negative"),
    ],
)
def test_operands_out_of_range(store, job, message):
    with core(store) as exponentiator, pytest.raises(UsageError, match=message):
        exponentiator.power([Job(1, 1, 61), job])


def test_an_error_of_the_hardware(store, monkeypatch):
    """The modulus does not become even on its way, so the codec is bent."""
    with core(store) as exponentiator:
        codec = exponentiator.prepared.codec
        monkeypatch.setattr(codec, "encode", lambda case: {"base": 1, "exponent": 1, "m": 62})
        with pytest.raises(VerificationError, match=r"reports an error: bad modulus"):
            exponentiator.power(JOBS[:1])


def test_only_inside_a_context(store):
    exponentiator = core(store)
    with pytest.raises(RuntimeError, match="with"):
        exponentiator.power(JOBS)
    with exponentiator:
        pass
    with pytest.raises(RuntimeError, match="with"):
        exponentiator.power(JOBS)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("modmul/csa", {}, "computes modmul"),
        ("modexp/csa-slow", {}, "no core is called"),
        ("modexp/sor-lean-window", {}, "a key has two"),
        ("modexp/csa-window", {"units": 3}, "not 3"),
        ("modexp/csa-window", {"units": 2, "interleave": True}, "two cores"),
        ("modexp/csa-window", {"options": {"bits": 8}}, "option bits"),
        ("modexp/csa-window", {"options": {"interleave": 2}}, "option interleave"),
        ("modexp/csa-window", {"options": {"speed": 2}}, "speed"),
        ("modexp/csa-window", {"target": "vax"}, "vax"),
    ],
)
def test_what_is_refused(store, name, options, message):
    with pytest.raises(UsageError, match=message):
        core(store, name, **options)
