# SPDX-License-Identifier: Apache-2.0
"""Vector files: what is read, and what is refused with the case and the rule."""

import copy
import json
import re
from pathlib import Path

import pytest

from modwright.base.errors import UsageError
from modwright.catalog import resolve_curve
from modwright.contract.request import Request
from modwright.functions import find_function, vectors
from modwright.prepared import prepare
from modwright.simulate import verify

from ..toy import TOY

MODMUL = {"modulus": "0x3d", "cases": [{"x": "0x3", "y": "0x3c", "z": "0x3a", "note": "any"}]}
MODINV = {"field": "P-256", "cases": [{"a": "0x1", "z": "0x1"}]}
MODEXP = {
    "bits": 6,
    "cases": [
        {"modulus": "0x3d", "base": "0x2", "exponent": "0x3d", "z": "0x2"},
        {"modulus": "0x3b", "base": "0x2", "exponent": "0x3b", "z": "0x2"},
    ],
}
# The curve of Paar and Pelzl, Understanding Cryptography, section 9.1; (5, 1) generates 19 points.
ECPM = {
    "curve": {"name": "tiny", "p": "0x11", "a": "0x2", "b": "0x2", "order": "0x13"},
    "cases": [
        {"k": "0x2", "x": "0x5", "y": "0x1", "rx": "0x6", "ry": "0x3"},
        {"k": "0x13", "x": "0x5", "y": "0x1", "infinity": True},
        {"k": "0x1", "x": None, "y": None, "infinity": True},
    ],
}


def load(tmp_path, document):
    path = tmp_path / "vectors.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return vectors.load(path)


def changed(document, path, value):
    """A copy with one entry replaced, or removed when the value is the ellipsis."""
    document = copy.deepcopy(document)
    place = document
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return document


def test_the_vectors_of_the_documents(tmp_path):
    """Both files in docs/verification.md, by the plain functions."""
    page = (Path(__file__).parents[2] / "docs/verification.md").read_text(encoding="utf-8")
    texts = re.findall(r"^    (\{.*(?:\n      .*)*)", page, re.MULTILINE)
    assert len(texts) == 2
    for text in texts:
        found = load(tmp_path, text)
        function, domain = find_function(found.function), found.curve
        for case in found.cases:
            stated = {name: case.pop(name) for name in (*function.results, "error") if name in case}
            assert function.evaluate({"modulus": found.modulus, **case}, domain) == stated


def toy(store):
    document = {"core": TOY.name, "modulus": "61", "target": "generic"}
    return prepare(TOY, Request.from_mapping(TOY, document), store)


def test_modmul(tmp_path):
    file = load(tmp_path, MODMUL)
    assert (file.function, file.field, file.modulus, file.curve) == ("modmul", None, 61, None)
    assert file.cases == [{"x": 3, "y": 60, "z": 58}]
    assert file.request == {"modulus": "0x3d"}


@pytest.mark.parametrize(("named", "function"), [("modadd", "modadd"), ("modmul", "modmul"), (None, "modmul")])
def test_the_file_names_one_of_several_functions(tmp_path, named, function):
    """x and y are operands of products and of sums; without a name it is the product."""
    assert load(tmp_path, MODMUL | ({} if named is None else {"function": named})).function == function


def test_modinv_over_a_named_field(tmp_path):
    file = load(tmp_path, MODINV)
    assert (file.function, file.modulus) == ("modinv", resolve_curve("P-256").p)
    assert file.request == {"field": "P-256"}


@pytest.mark.parametrize(
    ("written", "read"),
    [("not reduced", "not reduced"), ("not invertible", "no inverse"), ("modulus even or below 3", "bad modulus")],
)
def test_errors_by_the_names_of_today_and_of_earlier_versions(tmp_path, written, read):
    assert load(tmp_path, {"modulus": "0x3d", "cases": [{"a": "0x0", "error": written}]}).cases[0]["error"] == read


def test_modexp_with_a_modulus_in_each_case(tmp_path):
    file = load(tmp_path, MODEXP)
    assert (file.function, file.modulus, file.request) == ("modexp", None, {})
    assert file.cases[1] == {"modulus": 59, "base": 2, "exponent": 59, "z": 2}


def test_ecpm_with_a_curve_of_its_own(tmp_path):
    file = load(tmp_path, ECPM)
    assert (file.function, file.modulus, file.request) == ("ecpm", 17, {"curve": "tiny"})
    assert (file.curve.gx, file.curve.gy, file.curve.order, file.curve.cofactor) == (5, 1, 19, 1)
    assert file.cases[0] == {"k": 2, "x": 5, "y": 1, "rx": 6, "ry": 3}
    assert file.cases[2] == {"k": 1, "x": None, "y": None, "infinity": True}


@pytest.mark.parametrize("described", ["by name", "by constants"])
def test_ecpm_on_a_curve_of_the_catalog(tmp_path, described):
    known = resolve_curve("secp256k1")
    constants = {"p": hex(known.p), "a": "0x0", "b": "0x7", "order": hex(known.order)}
    case = {"k": "0x1", "x": hex(known.gx), "y": hex(known.gy), "rx": hex(known.gx), "ry": hex(known.gy)}
    curve = "secp256k1" if described == "by name" else constants
    assert load(tmp_path, {"curve": curve, "cases": [case]}).curve == known


@pytest.mark.parametrize("name", ["ed25519", "Ed25519", "ED-25519", "ed_25519"])
def test_the_form_of_a_curve_by_every_spelling_of_its_name(tmp_path, name):
    """It says that the operands of a point are those of `edmul` and not of `ecpm`."""
    known = resolve_curve("ed25519")
    case = {"k": "0x1", "x": hex(known.gx), "y": hex(known.gy), "rx": hex(known.gx), "ry": hex(known.gy)}
    assert load(tmp_path, {"curve": name, "cases": [case]}).function == "edmul"


def test_expected_error_needs_no_result(tmp_path, store):
    file = load(tmp_path, MODMUL | {"cases": [{"x": "0x3e", "y": "0x1", "error": "not reduced"}]})
    assert verify(toy(store), file.cases_for(TOY, toy(store).request), simulator="pure").failed == []


def test_cases_run_and_wrong_ones_fail(tmp_path, store):
    assert verify(toy(store), load(tmp_path, MODMUL).cases_for(TOY, toy(store).request), simulator="pure").passed == 1
    wrong = load(tmp_path, changed(MODMUL, ["cases", 0, "z"], "0x0"))
    assert verify(toy(store), wrong.cases_for(TOY, toy(store).request), simulator="pure").passed == 0


def test_vectors_for_another_core(tmp_path, store):
    with pytest.raises(UsageError, match="the vectors are for modinv, and modmul/toy computes modmul"):
        load(tmp_path, MODINV).cases_for(TOY, toy(store).request)
    other = load(tmp_path, changed(MODMUL, ["modulus"], "0x3b") | {"cases": [{"x": "0x1", "y": "0x1", "z": "0x1"}]})
    with pytest.raises(UsageError, match="case 0 is modulo 59, and modmul/toy was made for 61"):
        other.cases_for(TOY, toy(store).request)


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("\ud800".encode("utf-16-le", "surrogatepass").decode("latin-1"), "is not JSON"),
        ([], "an object with a list 'cases'"),
        ({"cases": {}}, "an object with a list 'cases'"),
        ({"cases": []}, "'cases' is empty"),
        ({"cases": [3]}, "case 0 is an object"),
        ({"cases": [{"u": "0x1"}]}, "case 0 has the operands of no function"),
        (MODMUL | {"function": "modsub"}, "'function' is one of modmul, modinv, .*, not \"modsub\""),
        (MODMUL | {"function": ["modadd"]}, "'function' is one of"),
        (MODMUL | {"function": "modinv"}, r"case 0 has the operands of no function \(modinv: a\)"),
        (changed(MODMUL, ["modulus"], ...), "case 0 has no modulus, and neither has the file, which is read"),
        (changed(MODMUL, ["modulus"], "0x3c"), "the file: the modulus is odd and at least 3, not 60"),
        (changed(MODMUL, ["modulus"], 61), "the file: modulus is a hexadecimal string"),
        (changed(MODMUL, ["modulus"], "61"), "the file: modulus is a hexadecimal string"),
        (changed(MODMUL, ["cases", 0, "x"], "-0x1"), "case 0: x is a hexadecimal string"),
        (changed(MODMUL, ["cases", 0, "x"], "0x"), "case 0: x is a hexadecimal string"),
        (changed(MODMUL, ["cases", 0, "x"], "0x1_0"), "case 0: x is a hexadecimal string"),
        (changed(MODMUL, ["cases", 0, "x"], "0x3d"), "case 0: x < modulus, but x is 61"),
        (changed(MODMUL, ["cases", 0, "z"], "0x3e"), "case 0: z < modulus, but z is 62"),
        (changed(MODMUL, ["cases", 0, "z"], ...), "case 0 has no expected z"),
        (changed(MODMUL, ["cases", 0, "error"], True), "case 0: 'error' is a name"),
        (changed(MODINV, ["field"], 256), "'field' is a name"),
        (changed(MODINV, ["field"], "P-2560"), "P-2560"),
        (MODINV | {"modulus": "0x3d"}, "'modulus' is not that of the field P-256"),
        (changed(MODEXP, ["cases", 1, "modulus"], "0x43"), "case 1: the modulus has 7 bits, the file says 6"),
        (changed(MODEXP, ["cases", 1, "exponent"], ...), "case 1 has no exponent"),
        (changed(ECPM, ["curve"], ...), "ecpm needs a 'curve'"),
        (changed(ECPM, ["curve"], "ed25519") | {"function": "ecpm"}, "ed25519 is of the edwards form"),
        (changed(ECPM, ["curve"], "ed25519"), "case 1 has no expected rx, ry"),
        (changed(ECPM, ["curve", "b"], ...), "the curve has no b"),
        (changed(ECPM, ["curve", "a"], "0x11"), "a and b are below p"),
        (changed(ECPM, ["curve", "order"], "0x0"), "the order is at least 1"),
        (changed(ECPM, ["cases", 0, "y"], "0x2"), r"case 0: \(x, y\) is not on tiny"),
        (changed(ECPM, ["cases", 0, "ry"], "0x4"), r"case 0: \(rx, ry\) is not on tiny"),
        (changed(ECPM, ["cases", 1, "infinity"], False), "case 1: 'infinity' is true"),
        (changed(ECPM, ["cases", 0, "infinity"], True), "case 0 has both 'infinity' and a finite result"),
        (changed(ECPM, ["cases", 2, "y"], "0x1"), "case 2: y is null when x is"),
        (ECPM | {"cases": ECPM["cases"][2:]}, "no case has a finite point"),
    ],
)
def test_broken_files(tmp_path, document, rule):
    with pytest.raises(UsageError, match=rule):
        load(tmp_path, document)


def test_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        vectors.load(tmp_path / "none.json")
