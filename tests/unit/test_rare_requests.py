# SPDX-License-Identifier: Apache-2.0
"""Requests at the ends of what options can be together: each is refused by the rule that it breaks, or works."""

import json

import pytest

from modwright.cli import main
from modwright.contract.request import Request
from modwright.cores.modmul.carry_save.plan import recode
from modwright.measurement import mean_latency
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find

REFUSED = (
    ("params unit/mod3 -m 9 -O width=3", 4, "m < 2^w"),
    ("params ecpm/rns-ladder -c P-256 -O t=20", 4, "1 <= f <= w"),
    ("params modmul/radix2 -O bits=16 -O ahead=true", 4, "S in carry-save form where ahead"),
    ("params modmul/binary -m 0xfffffffb -O reduction=barrett -O tables=2", 4, "tables = 0 without folds"),
    ("params modmul/csa -O bits=16 -O ahead=true -O interleave=2", 4, "interleave = 1 where ahead"),
    ("params modexp/rns-hbe-runtime-l2r -O bits=64 -O slots=2", 4, "slots=1, or another method"),
    (
        "simulate rns/processor -m 2^61-1 -O tables=blocks --simulator pure --random 3",
        2,
        "generic there is none with these",
    ),
)


@pytest.mark.parametrize(("words", "code", "says"), REFUSED)
def test_a_request_is_refused_by_its_rule(words, code, says, capsys):
    assert main(words.split()) == code
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        "modmul/orup-interleaved -m 7 -O digit=3",
        "modmul/orup-dsp -m 3 -O digit=4 -O tile=12",
        "unit/mod3 -m 9 -O width=4",
    ],
)
def test_a_short_modulus_with_wide_digits_is_simulated(words, capsys):
    assert main(["simulate", *words.split(), *["-t", "generic", "--random", "8", "--simulator", "pure"]]) == 0
    assert "cases passed (pure)" in capsys.readouterr().out


def test_vectors_of_another_function_are_refused_before_exponents_are_read(tmp_path, capsys):
    path = tmp_path / "v.json"
    path.write_text(json.dumps({"modulus": "0x3d", "cases": [{"x": "0x1", "y": "0x2", "z": "0x2"}]}))
    assert main(["simulate", "modexp/csa-l2r", "-m", "61", "-v", str(path)]) == 2
    assert "the vectors are for modmul" in capsys.readouterr().err


@pytest.mark.parametrize("interleave", [1, 2])
def test_a_digit_fewer_is_a_cycle_fewer_of_each_product_in_turn(interleave):
    """The exact mean of the digits, of all operands, decides the mean latency."""
    core = find("modmul/vlm3")
    prepared = prepare(core, Request.make(core, options={"bits": 16, "interleave": interleave}))
    p = prepared.parameters
    digits = [sum(1 for _ in recode(x, p.T)) for x in range(1 << p.operand_bits)]
    fewer = max(digits) - sum(digits) / len(digits)
    assert mean_latency(prepared) == (pytest.approx(prepared.schedule.latency - interleave * fewer), "exact")


def test_an_exact_count_spans_all_latencies():
    """From its least to its most value it is, by the cycles of each, from the shortest latency to the longest."""
    seen = 0
    for name, core in all_cores().items():
        for trial in core.trials if core.statistic else ():
            prepared = prepare(core, Request.from_mapping(core, {"core": name, **trial.document}))
            counted = core.statistic(prepared.parameters)
            if counted is not None and counted.exact is not None:
                latencies = prepared.schedule.latency - prepared.schedule.shortest_latency
                assert counted.cycles * (counted.exact.most - counted.exact.least) == latencies, name
                seen += 1
    assert seen > 20
