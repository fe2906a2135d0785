# SPDX-License-Identifier: Apache-2.0
"""Base extension and RNS Montgomery multiplication in integers: conditions, errata, models. No hardware."""

import itertools
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest

from modwright.base.errors import ParameterError
from modwright.catalog import resolve_modulus
from modwright.contract.request import Request
from modwright.contract.roles import Errors
from modwright.cores.basext.coxrower.model import ExtensionModel
from modwright.cores.basext.coxrower.parameters import ExtensionParameters
from modwright.cores.basext.coxrower.schedule import extension_schedule
from modwright.engines.coxrower.arithmetic import BusOperand, SumFold, SumReduction, row_limbs
from modwright.functions import find_function
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rns import Base
from modwright.rns.extension import SUM, SUPER, Extension, Reduction, find_bases, smallest_extension

from .rns_montgomery_cases import derive, prepared

DATA = Path(__file__).parents[1] / "data" / "rns_montgomery" / "base-extension.json"
CONFIGURATIONS = json.loads(DATA.read_text(encoding="utf-8"))["configs"]
IDS = [c["name"] for c in CONFIGURATIONS]
HALF = Fraction(1, 2)


def integers(values):
    return tuple(int(v, 16) for v in values)


def bases(configuration):
    return tuple(Base(configuration["w"], tuple(configuration[name])) for name in ("uA", "uB"))


def fraction_bits(configuration, c):
    """The vectors' t of KBE, and t' less the bit of two columns of HBE."""
    return configuration["t_kbe"] if c == 1 else configuration["tprime_hbe"] - 1


# --- the vectors


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=IDS)
def test_the_search_finds_the_bases_of_the_vectors(configuration):
    assert find_bases(configuration["w"], configuration["n"]) == bases(configuration)


@pytest.mark.parametrize(("c", "name"), [(1, "kbe"), (2, "hbe")])
@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=IDS)
def test_extensions_of_the_vectors(configuration, c, name):
    A, B = bases(configuration)
    f = fraction_bits(configuration, c)
    for case in configuration["be"]:
        source, target = (A, B) if case["dir"] == "A->B" else (B, A)
        extension = Extension(source, target, c, f, int(Fraction(case["sigma"]) * (1 << f)), canonical=True)
        assert extension.estimate(extension.hats(integers(case["x"]))) == case[f"h_{name}"]
        assert extension.apply(integers(case["x"])) == integers(case[name])
        if "trace" in case:
            hats = extension.hats(integers(case["x"]))
            assert hats == integers(case["trace"]["xhat"])
            if c == 2:
                assert extension.super_residues(hats) == integers(case["trace"]["Xhat"])


@pytest.mark.parametrize(("c", "name"), [(1, "kbe"), (2, "hbe")])
@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=IDS)
def test_reductions_of_the_vectors(configuration, c, name):
    A, B = bases(configuration)
    f = fraction_bits(configuration, c)
    pair = Extension(A, B, c, f, 0, canonical=True), Extension(B, A, c, f, 1 << (f - 1), canonical=True)
    for case in configuration["mm"] + configuration["red"]:
        reduction = Reduction(int(case["P"], 16), *pair)
        assert all(i.holds for i in reduction.inequalities())
        if "X" in case:
            in_a, in_b = integers(case["XA"]), integers(case["XB"])
        else:
            in_a, in_b = (
                [x * y for x, y in zip(integers(case[f"x{k}"]), integers(case[f"y{k}"]), strict=True)] for k in "AB"
            )
        s_a, s_b, q = reduction.apply(in_a, in_b)
        assert (s_a, s_b) == (integers(case[name]["SA"]), integers(case[name]["SB"]))
        if "Q" in case:
            plus = A.product if case[name]["Q_extended_as"] == "Q+A" else 0
            assert q == int(case["Q"], 16) + plus


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=IDS)
def test_errors_of_the_vectors(configuration):
    """Their bounds are of 2^-f a channel or row, a little above ours, and of canonical hats."""
    A, B = bases(configuration)
    for base, other, letter in ((A, B, "A"), (B, A, "B")):
        for c, name in ((1, "kbe"), (2, "hbe")):
            f = fraction_bits(configuration, c)
            stated = configuration["bounds"][f"E_{name}_{letter}"]
            assert float(Extension(base, other, c, f, 0).error) == pytest.approx(stated, rel=2e-3)


MORE = json.loads((DATA.parent / "more.json").read_text(encoding="utf-8"))["configs"]


@pytest.mark.parametrize("name", ["kbe", "hbe"])
@pytest.mark.parametrize("configuration", MORE, ids=[c["name"] for c in MORE])
def test_more_vectors(configuration, name, store):
    """Eight extensions and eight multiplications of each, at other widths and up to 1024 bits, in the models."""
    options = {"width": configuration["w"], "channels": configuration["n"]}
    one = prepared(f"basext/{name}", configuration["P"], store, **options)
    assert (one.parameters.A.u, one.parameters.B.u) == (tuple(configuration["uA"]), tuple(configuration["uB"]))
    for case in configuration["be"]:
        assert one.model.run({"x": integers(case["x"])}).payload["z"] == integers(case["z"])
    one = prepared(f"modmul/rns-{name}", configuration["P"], store, **options)
    for case in configuration["mm"]:
        operands = {name: one.codec.store(int(case[name], 16)) for name in "xy"}
        s = one.codec.restore(one.model.run(operands).payload["z"])
        assert s < one.parameters.bound
        assert s % one.parameters.modulus == int(case["s"], 16)


# --- conditions


@pytest.mark.parametrize(("bits", "top_bits"), [(256, (5, 5, 5, 5)), (384, (6, 6, 6, 5))])
def test_fewest_bits_of_the_cox(bits, top_bits):
    sizes = {256: (16, 14, 12, 10), 384: (24, 20, 18, 14)}[bits]
    for width, n, wanted in zip((17, 20, 24, 28), sizes, top_bits, strict=True):
        A, B = find_bases(width, n)
        for c, fed in ((1, SUPER), (2, SUPER), (2, SUM)):
            assert smallest_extension(A, B, c, HALF, fed=fed).top_bits == wanted


ERRATUM = Base(8, (30, 29, 27, 25))
"""A = {226, 227, 229, 231}: right by KBE with t = 8, wrong by HBE with t' = 9."""
OTHER = Base(8, (1, 3, 5, 17))


def test_the_erratum_is_refused_and_wrong():
    kbe, hbe = (Extension(ERRATUM, OTHER, c, 8, 128, canonical=True) for c in (1, 2))
    assert kbe.top_bits == 8
    assert hbe.top_bits == 9
    assert kbe.exact(100)[0].holds
    assert not hbe.exact(100)[0].holds
    wrong = [x for x in range(1, 6) if hbe.apply(ERRATUM.to_residues(x)) != OTHER.to_residues(x)]
    assert wrong == [1, 2, 5]
    assert all(kbe.apply(ERRATUM.to_residues(x)) == OTHER.to_residues(x) for x in range(10_000))
    with pytest.raises(ParameterError, match="can come out one too small"):
        smallest_extension(ERRATUM, OTHER, 2, HALF, f=8, canonical=True)


def test_the_erratum_is_right_with_the_sum_of_hats():
    extension = Extension(ERRATUM, OTHER, 2, 8, 128, SUM, canonical=True)
    assert extension.exact(100)[0].holds
    assert all(extension.apply(ERRATUM.to_residues(x)) == OTHER.to_residues(x) for x in range(10_000))


def test_the_erratum_as_a_core():
    """The certificate refuses it; a model that is forced gives wrong residues."""
    p = ExtensionParameters(100, Extension(ERRATUM, OTHER, 2, 8, 128), target="generic", latency=3)
    assert p.certificate.failing is not None
    assert p.certificate.failing.name == "alpha-low"
    model = ExtensionModel(p, extension_schedule(p))
    found = [model.run({"x": ERRATUM.to_residues(x)}).payload["z"] for x in range(100)]
    wrong = {x for x in range(100) if found[x] != OTHER.to_residues(x)}
    assert {1, 2, 5} <= wrong


def test_n_times_w_above_the_modulus_is_not_enough():
    """A modulus of 271 bits with 16 channels of 17 bits."""
    with pytest.raises(ParameterError) as refused:
        derive("modmul/rns-hbe", (1 << 271) - 3, channels=16)
    assert "4·κ·(1+E1)·P" in str(refused.value.rule)


TINY = [(8, 2, c, fed) for c, fed in ((1, SUPER), (2, SUPER), (2, SUM))]


@pytest.mark.parametrize(("width", "n", "c", "fed"), TINY)
@pytest.mark.parametrize("sigma", [HALF, Fraction(3, 4), Fraction(7, 8)])
def test_every_value_of_a_tiny_base(width, n, c, fed, sigma):
    """Every X of (E - σ)·A ≤ X < (1 - σ)·A comes out exactly, with as few bits as the condition allows."""
    A, B = find_bases(width, n)
    extension = smallest_extension(A, B, c, sigma, fed=fed, canonical=True)
    low = -int((sigma - extension.error) * A.product)
    high = int((1 - sigma) * A.product)
    assert high - low > A.product // 8
    for x in range(low, high):
        assert extension.value(extension.hats(A.to_residues(x))) == x


@pytest.mark.parametrize(("width", "n", "c", "fed"), TINY)
def test_every_value_of_a_tiny_base_without_offset(width, n, c, fed):
    """X or X + A, and X + A only where 0 < X < E·A."""
    A, B = find_bases(width, n)
    extension = smallest_extension(A, B, c, Fraction(0), fed=fed, canonical=True)
    more = 0
    for x in range(A.product):
        found = extension.value(extension.hats(A.to_residues(x)))
        assert found in (x, x + A.product)
        if found != x:
            more += 1
            assert 0 < x < extension.error * A.product
    assert more > 0


@pytest.mark.parametrize("c", [3, 4])
def test_more_columns(c):
    """20,000 values of about 2^(24c - 1): two rows of three and of four channels of 12 bits."""
    A, B = find_bases(12, 2 * c)
    extension = smallest_extension(A, B, c, HALF, canonical=True)
    rng = random.Random(c)
    for _ in range(20_000):
        x = rng.randrange(A.product // 2)
        assert extension.apply(A.to_residues(x)) == B.to_residues(x)


def test_offsets_off_the_grid_are_refused():
    A, B = find_bases(17, 4)
    with pytest.raises(ParameterError, match="σ"):
        smallest_extension(A, B, 1, Fraction(1, 3))
    with pytest.raises(ParameterError) as refused:
        smallest_extension(A, B, 1, Fraction(15, 16), f=3)
    assert refused.value.left == 4


# --- the units of a rower


@pytest.mark.parametrize(("width", "u", "sums"), [(8, 1, 9), (8, 27, 3), (9, 5, 40)])
def test_the_reduction_of_a_sum(width, u, sums):
    """Every 61st sum up to the bound, with three addends, is congruent, below 2^w, and folded within its stages."""
    m, word = (1 << width) - u, (1 << width) - 1
    bound = sums * word * word
    reduction = SumReduction(SumFold(width, u, bound, m - 1))
    for x, addend in itertools.product(range(0, bound + 1, 61), (0, 1, m - 1)):
        first = reduction.first.apply(x, addend)
        assert 0 <= first <= reduction.first.result
        z = reduction.apply(x, addend)
        assert z <= word
        assert (z - x - addend) % m == 0


@pytest.mark.parametrize("us", [(5, 17), (1, 27, 15), (3, 5, 9, 21)])
def test_operands_of_the_bus(us):
    """Every pair of hats at w = 8, and 20,000 rows of three and four: the super-residue, and within the bound."""
    u, c, rng = 9, len(us), random.Random(len(us))
    drawn = (tuple(rng.choice((0, 255, rng.randrange(256))) for _ in us) for _ in range(20_000))
    unit = BusOperand(8, u, (us,))
    counts = ()
    for stage in range(c - 1):
        counts += (len(unit.stages(counts)[stage].folds),)
    moduli = [256 - u_j for u_j in us]
    for hats in itertools.product(range(256), repeat=2) if c == 2 else drawn:
        limbs = row_limbs(hats, (us,))[0]
        y = unit.apply(limbs, counts)
        assert 0 <= y <= unit.bound(counts)
        exact = sum(x * math.prod(moduli[:j] + moduli[j + 1 :]) for j, x in enumerate(hats))
        assert exact == sum((-1) ** d * limb << 8 * (c - 1 - d) for d, limb in enumerate(limbs))
        assert (y - exact) % (256 - u) == 0


# --- the plain function


def test_the_plain_function_of_an_extension():
    """The value stays what it is; beyond the modulus, of either sign, an error would do as well."""
    function, modulus = find_function("basext"), resolve_modulus("61")
    assert function.evaluate({"x": 60}, modulus) == {"z": 60}
    assert function.evaluate({"x": -60}, modulus) == {"z": -60}
    assert function.evaluate({"x": 61}, modulus) == {"z": 61, "error": Errors.NOT_REDUCED}
    assert {case["x"] for case in function.edges(modulus, None).values()} == {0, 1, 30, 60}
    assert all(0 <= function.random(random.Random(n), modulus, None)["x"] < 61 for n in range(100))


@pytest.mark.parametrize(("target", "intervals"), [("generic", (32, 28, 26)), ("ecp5", (35, 31, 29))])
def test_intervals_at_384_bits(store, target, intervals):
    """Those of README.md, with channels of 17, 20 and 24 bits."""
    core = find("modmul/rns-hbe")
    for width, interval in zip((17, 20, 24), intervals, strict=True):
        request = Request.make(core, modulus="secp384r1", target=target, options={"width": width})
        assert prepare(core, request, store).schedule.interval == interval
