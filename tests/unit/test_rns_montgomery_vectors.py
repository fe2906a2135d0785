# SPDX-License-Identifier: Apache-2.0
"""Base extensions and RNS Montgomery multipliers in hardware: vectors of an independent model."""

import json
from fractions import Fraction

import pytest

from modwright.contract.request import Request
from modwright.functions.vectors import load
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.simulate import Stimulus, run, verify

from .rns_montgomery_hardware import DATA, MULTIPLIERS, compiled_only, make

CONFIGURATIONS = {c["name"]: c for c in json.loads(DATA.read_text(encoding="utf-8"))["configs"]}


def integers(values):
    return tuple(int(v, 16) for v in values)


QUICK = [("256_w17", 1), ("256_w17", 2)]
LONG = [(name, c) for name in ("384_w20", "256_w24") for c in (1, 2)]


def vectors_of(c):
    """All vectors, of which those of one kind of extension run every time: each kind in one of both tests, as a
    multiplication consists of extensions."""
    return [pytest.param(*row, marks=[] if row == ("256_w17", c) else [pytest.mark.campaign]) for row in QUICK + LONG]


@pytest.mark.parametrize(("name", "c"), vectors_of(1))
def test_extensions_of_the_vectors(name, c, store):
    """Residue for residue, signed ones included; the way back is in the multiplications."""
    configuration = CONFIGURATIONS[name]
    core, key, t = (("basext/kbe", "kbe", "t_kbe"), ("basext/hbe", "hbe", "tprime_hbe"))[c - 1]
    options = {"width": configuration["w"], "channels": configuration["n"], "t": configuration[t]}
    one = make(core, store, f"2^{configuration['bits']}-189", **options)
    assert one.parameters.A.u == tuple(configuration["uA"])
    cases = [k for k in configuration["be"] if k["dir"] == "A->B" and Fraction(k["sigma"]) == Fraction(1, 2)]
    p = one.parameters
    trace = run(one, Stimulus([p.i.pack({"x": integers(k["x"])}) for k in cases]))
    assert len(cases) == 12
    assert [p.o.unpack(word)["z"] for word in trace.words] == [integers(k[key]) for k in cases]


@pytest.mark.parametrize(("name", "c"), vectors_of(2))
def test_multiplications_of_the_vectors(name, c, store):
    """S in both bases is one integer below λP and right modulo P; reductions of X are products of X and 1."""
    configuration = CONFIGURATIONS[name]
    core, t = (("modmul/rns-kbe", "t_kbe"), ("modmul/rns-hbe", "tprime_hbe"))[c - 1]
    moduli = {case["P"] for case in configuration["mm"]}
    checked = 0
    for modulus in sorted(moduli):
        options = {"width": configuration["w"], "channels": configuration["n"], "t": configuration[t]}
        one = make(core, store, modulus, **options)
        cases = [k for k in configuration["mm"] + configuration["red"] if k["P"] == modulus]
        operands = []
        for k in cases:
            pair = (k["X"], "0x1") if "X" in k else (k["x"], k["y"])
            x, y = (one.codec.store(int(v, 16)) for v in pair)
            operands.append(one.parameters.i.pack({"x": x, "y": y}))
        trace = run(one, Stimulus(operands))
        for k, word in zip(cases, trace.words, strict=True):
            payload = one.parameters.o.unpack(word)
            assert one.codec.decode(payload)["error"] is None
            assert one.codec.restore(payload["z"]) % int(modulus, 16) == int(k["canonical"], 16)
            checked += 1
    assert checked == len(configuration["mm"]) + len([k for k in configuration["red"] if k["P"] in moduli])


MORE = {c["name"]: c for c in json.loads((DATA.parent / "more.json").read_text(encoding="utf-8"))["configs"]}


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["kbe", "hbe"])
@pytest.mark.parametrize("configuration", MORE.values(), ids=MORE)
def test_more_vectors(configuration, name, store):
    """Extensions and multiplications at other widths and up to 1024 bits."""
    options = {"width": configuration["w"], "channels": configuration["n"]}
    one = make(f"basext/{name}", store, configuration["P"], **options)
    p = one.parameters
    trace = run(one, Stimulus([p.i.pack({"x": integers(k["x"])}) for k in configuration["be"]]))
    assert [p.o.unpack(word)["z"] for word in trace.words] == [integers(k["z"]) for k in configuration["be"]]
    one = make(f"modmul/rns-{name}", store, configuration["P"], **options)
    p = one.parameters
    operands = [{name: one.codec.store(int(k[name], 16)) for name in "xy"} for k in configuration["mm"]]
    trace = run(one, Stimulus([p.i.pack(pair) for pair in operands]))
    for k, word in zip(configuration["mm"], trace.words, strict=True):
        s = one.codec.restore(p.o.unpack(word)["z"])
        assert s < p.bound
        assert s % p.modulus == int(k["s"], 16)


VECTOR_FILES = sorted((DATA.parents[1] / "vectors").glob("modmul-*.json"))


@compiled_only
@pytest.mark.campaign
@pytest.mark.parametrize("name", MULTIPLIERS)
@pytest.mark.parametrize("path", VECTOR_FILES, ids=[path.stem for path in VECTOR_FILES])
def test_vectors_of_named_primes(path, name, store):
    vectors = load(path)
    core = find(name)
    found = verify(prepare(core, Request.make(core, field=vectors.field, target="generic"), store), vectors.cases)
    assert found.failed == []
    assert found.passed == len(vectors.cases) > 0
