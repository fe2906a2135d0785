# SPDX-License-Identifier: Apache-2.0
"""Explanations: every core at a small modulus, numbers in the cycles in which the hardware has them, text and page."""

import json
import re
from pathlib import Path

import pytest

from modwright.base.errors import ParameterError, UsageError, VerificationError
from modwright.cli.explaining import parse_operands
from modwright.contract.request import Request
from modwright.explain import as_text, explain, small_request
from modwright.explain.families import FAMILIES, family_of
from modwright.explain.numbers import _cycles
from modwright.explain.request import SMALL_BITS
from modwright.functions import find_function
from modwright.pages import explanation_page
from modwright.prepared import prepare
from modwright.prepared.registry import all_cores, find
from modwright.schedule import Step

from .conftest import CommandLine

LONG = {name for name in all_cores() if find(name).function in ("ecpm", "xmul", "edmul", "ecdsa", "eddsa")}
"""Cores of thousands of cycles: at the modulus of their smallest trial here, and at 97 in `make test-all`."""
OF_A_FORM = {"modmul/rns-hpr", "unit/mod3", "xmul/pseudo-mersenne-ladder"}
"""Cores for moduli of one form, which 97 has not."""
CORES = [name for name in all_cores() if not name.startswith("modexp/")]
POWERS = [f"modexp/{part}" for part in ("csa-l2r", "vlm3-r2l", "sor-lean-ladder", "limb-scan-window")]


def test_every_family_has_a_lesson():
    page = (Path(__file__).parents[2] / "docs" / "learn.md").read_text(encoding="utf-8")
    taught = [family_of(core) for core in re.findall(r"\| `modwright explain (\S+?)[ `]", page)]
    assert [family.cores for family in FAMILIES if family not in taught] == []


def smallest(name):
    core = find(name)
    return prepare(core, Request.from_mapping(core, {"core": name, **core.trials[0].document}))


def small(name, modulus="97"):
    return small_request(find(name), {"core": name, "modulus": modulus, "target": "generic"})


def check(prepared):
    """What holds for every explanation."""
    document = explain(prepared)
    json.dumps(document)
    latency, cycles = prepared.schedule.latency, document["cycles"]
    assert prepared.schedule.shortest_latency <= cycles <= latency
    assert cycles == latency or not prepared.schedule.constant_time
    assert all(0 <= step["start"] < step["end"] <= latency and step["busy"] >= 1 for step in document["steps"])
    assert all(0 <= number["cycle"] <= cycles for number in document["numbers"])
    for number in document["numbers"]:
        assert number["least"] <= number["value"] <= number["most"], number
    assert document["registers"]
    for register in document["registers"]:
        assert len(register["values"]) == cycles + 1
        assert all(value.bit_length() <= register["bits"] for value in register["values"])
    names = {box["name"] for box in document["blocks"]}
    assert set(document["boxes"].values()) <= names
    units = {step["resource"] for step in document["steps"]}
    assert len(units - set(document["boxes"])) <= len(units) // 3, "most units are seen in the block picture"
    case = document["operands"]
    plain = find_function(prepared.core.function).evaluate(case, prepared.request.curve or prepared.request.modulus)
    assert {name: document["result"].get(name) for name in plain} == plain
    assert f"valid in cycle {cycles}" in as_text(document)
    for row in document["bases"]:
        assert not row["scale"] or len(row["scale"]) == len(row["moduli"])
    return document


@pytest.mark.parametrize("name", [*CORES, *POWERS])
def test_every_core(name, store):
    check(smallest(name) if name in LONG | OF_A_FORM else small(name))


@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(set(all_cores()) - set(CORES) - set(POWERS) - OF_A_FORM))
def test_every_exponentiation(name, store):
    check(smallest(name) if "rns-hpr" in name else small(name))


@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(LONG - OF_A_FORM))
def test_long_operations(name, store):
    check(small(name))


@pytest.mark.parametrize("modulus", ["17", "251", "65521"])
def test_small_moduli_of_residue_cores(modulus, store):
    for name in ("modmul/sor-1m-p", "modmul/sor-lean", "modmul/rns-kbe"):
        check(small(name, modulus))


# --- numbers stand in the cycles in which the hardware has them


def values_of(document, register):
    return next(r["values"] for r in document["registers"] if r["name"] == register)


def test_gamma_and_alpha_are_in_the_registers_of_their_cycles(store):
    document = explain(small("modmul/sor-1m-p"), {"x": 58, "y": 44})
    numbers = {n["name"]: n for n in document["numbers"]}
    gammas = [numbers[f"γ_{place}"] for place in range(4)]
    registers = [r["values"] for r in document["registers"] if r["name"].startswith("datapath.gamma_")]
    held = [values[gammas[0]["cycle"] + 1] for values in registers]
    assert {gamma["value"] for gamma in gammas[1:]} <= set(held), "a rotation of them, a cycle after they can be read"
    cox = numbers["cox"]
    assert values_of(document, "datapath.alpha_sum")[cox["cycle"]] == cox["value"]
    assert document["result"]["z"] == 58 * 44 % 97


def test_the_sum_of_a_digit_is_in_its_register(store):
    document = explain(small("modmul/csa"), {"x": 58, "y": 44})
    sums = [n for n in document["numbers"] if n["name"].startswith("S [")]
    loop = zip(values_of(document, "loop.total"), values_of(document, "loop.carry"), strict=True)
    held = [total + carry for total, carry in loop]
    lost = 1  # S is the two words and the carry that was shifted out
    for number in sums:
        found = {(held[number["cycle"]] + extra) * 64 // 97 for extra in range(lost + 1)}
        assert number["value"] in found


@pytest.mark.parametrize(
    ("name", "modulus", "numbers"),
    [
        ("basext/kbe", "97", ["h of X"]),
        ("basext/hbe", "97", ["h of X"]),
        ("basext/shenoy-kumaresan", "97", ["h of X", "hats of X [2]"]),
        ("basext/mixed-radix", "1000003", ["digits of X [0]", "digits of X [1]", "digits of X [2]"]),
        ("comparison/mixed-radix", "97", ["digits of x - y [2]", "last digit, x < y"]),
    ],
)
def test_a_lesson_shows_what_it_is_about(name, modulus, numbers, store):
    """One channel, equal operands or h = 0 would show nothing: a few channels, and operands that are not so."""
    shown = {n["name"]: n["value"] for n in explain(small(name, modulus))["numbers"]}
    assert all(shown[number] for number in numbers)


@pytest.mark.parametrize("name", ["modinv/rns-flt", "modmul/csa", "rns/random-bases", "basext/kbe"])
def test_drawn_operands_are_the_first_that_show_something(name, store):
    """Not those that show the most, which are an end of their range, or one operation or draw of several."""
    core = small(name)
    shown = [explain(core, seed=seed)["operands"] for seed in range(1, 5)]
    assert all(1 not in case.values() for case in shown)
    if name == "rns/random-bases":
        assert len({explain(core, seed=seed)["input"]["draw"] for seed in range(1, 9)}) > 1


def test_fields_that_carry_another_number_are_told(store):
    text = as_text(explain(small("modmul/csa"), {"x": 58, "y": 44}))
    assert "stream i: x = 52, y = 6, m = 97\n  x: x·2^7 (mod M)\n  y: y·2^7 (mod M)\n" in text
    assert (58 * 2**7 % 97, 44 * 2**7 % 97) == (52, 6)
    assert "stream o: z = 57, m = 97, error = 0\n  z: z·2^7 (mod M)\nz = 30\n" in text
    assert 58 * 44 % 97 == 30 and 30 * 2**7 % 97 == 57
    assert explain(small("modadd/carry"))["stored"] == {}


def test_cycles_of_values():
    def step(start, busy=1, latency=1):
        return Step(f"{start}", "unit", start, busy, latency)

    assert list(_cycles(2, [], 9)) == [None, None]
    assert list(_cycles(2, [step(1), step(4)], 9)) == [2, 5]
    assert list(_cycles(3, [step(2, 6, 6)], 9)) == [4, 6, 8]
    assert list(_cycles(2, [step(1), step(3), step(7, 1, 9)], 9)) == [9, 9]


@pytest.mark.parametrize("name", [*CORES, *POWERS])
def test_wording_names_steps_that_there_are(name):
    prepared = smallest(name)
    family = family_of(name)
    assert family in FAMILIES
    extremes = prepared.extremes
    for quantity in extremes.quantities if extremes else ():
        pattern = family.steps_of(quantity.name)
        assert pattern, quantity.name
        assert any(pattern.fullmatch(step.name) for step in prepared.schedule.steps), quantity.name


# --- requests, operands, faults


def test_large_moduli_take_the_defaults(store):
    core = find("modmul/csa")
    prepared = small_request(core, {"core": core.name, "field": "secp256k1"})
    assert prepared.request.modulus.value.bit_length() > SMALL_BITS
    assert prepared.request.options["domain"] == 2
    given = small_request(core, {"core": core.name, "modulus": "97", "options": {"domain": 2}})
    assert given.request.options["domain"] == 2


def test_a_modulus_of_another_form_is_refused(store):
    with pytest.raises(ParameterError, match=r"P = M\^d"):
        small("modmul/rns-hpr")


def test_operands_are_checked(store):
    with pytest.raises(UsageError, match="no operand w"):
        explain(small("modmul/csa"), {"w": 1})
    assert explain(small("modmul/csa"), {"x": 0, "y": 96})["result"]["z"] == 0


def test_hardware_that_differs_is_seen(store, monkeypatch):
    from modwright.explain import operation

    real = operation.record

    def wrong(prepared, word):
        found = real(prepared, word)
        return type(found)(found.word ^ 1, found.cycles, found.registers, found.widths)

    monkeypatch.setattr(operation, "record", wrong)
    with pytest.raises(VerificationError, match="differ"):
        explain(small("modmul/csa"))


def test_long_operations_are_refused(store, monkeypatch):
    monkeypatch.setattr("modwright.explain.operation.MOST_CYCLES", 5)
    with pytest.raises(UsageError, match="at most 5 are shown"):
        explain(small("modmul/csa"))


@pytest.mark.parametrize("text", ["x", "x=", "=3", "x=a", "x=-1", "x=1,x=2", "x=1.5"])
def test_bad_operands(text):
    with pytest.raises(UsageError):
        parse_operands(text)


def test_operands_in_words():
    assert parse_operands("x=58, y=0x2c") == {"x": 58, "y": 44}
    assert parse_operands(None) == {}


# --- the page


def test_the_page_loads_nothing(store):
    document = explain(small("modmul/sor-1m-p"))
    page = explanation_page(document, ["modwright", "explain", "a <core>"])
    assert not re.search(r"""(src|href)\s*=|url\(|@import|fetch\(""", page)
    assert "<core>" not in page
    assert page.count("<script") == 2
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert data["cycles"] == document["cycles"]
    assert len(data["registers"]) == len(document["registers"])
    assert all(f'data-name="{box["name"]}"' in page for box in document["blocks"])


def test_the_command(store, capsys, tmp_path):
    run = CommandLine(capsys)
    words = ("explain", "modmul/csa", "--modulus", "97", "--operands", "x=58,y=44")
    assert run(*words) == 0
    assert "z = 30" in run.out
    assert "quotient digit: as many M" in run.out
    assert run(*words, "--json") == 0
    assert run.json["result"]["z"] == 58 * 44 % 97
    assert run(*words, "--html", tmp_path / "page.html") == 0
    assert "modmul/csa" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "takes name=number" in run.fails(2, *words[:-1], "x")
    (tmp_path / "request.yaml").write_text("core: modmul/csa\nmodulus: 97\noptions: {bits: 8}\n", encoding="utf-8")
    assert run("explain", tmp_path / "request.yaml", *words[4:], "--json") == 0
    assert run.json["result"]["z"] == 58 * 44 % 97
    assert run("explain", tmp_path / "request.yaml", "-m", "101", *words[4:], "--json") == 0
    assert run.json["result"]["z"] == 58 * 44 % 101
    assert "no core" in run.fails(2, "explain", "modmul/none", "--modulus", "97")


def test_a_seed_without_effect_is_refused(store):
    """All operands are given; where one is drawn, the seed chooses it."""
    with pytest.raises(UsageError, match="all of them are"):
        explain(small("modmul/csa"), {"x": 58, "y": 44}, seed=1)
    assert explain(small("modmul/csa"), {"x": 58}, seed=3) != explain(small("modmul/csa"), {"x": 58}, seed=4)
