# SPDX-License-Identifier: Apache-2.0
"""Requests: options, targets, and the YAML form, on the toy core."""

from dataclasses import replace

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from modwright.base.errors import UsageError
from modwright.catalog import resolve_curve, resolve_modulus
from modwright.contract import Option
from modwright.contract.request import TARGETS, Request, check_options, load_document
from modwright.prepared.registry import find
from tests.toy import TOY

DEFAULTS = {"latency": 3, "interval": 2, "faulty": False}
RICH = replace(
    TOY,
    options=(
        *TOY.options,
        Option("recoding", str, "booth", "of the multiplier", choices=("booth", "none")),
        Option("words", int, None, "chosen by derive", minimum=1),
        Option("mask", int, 0, "any integer"),
    ),
)


def round_trip(request: Request, core=TOY) -> Request:
    return Request.from_mapping(core, yaml.safe_load(yaml.safe_dump(request.to_mapping())))


def test_a_request_by_field():
    request = Request.make(TOY, field="secp256k1")
    assert request == Request("modmul/toy", resolve_modulus("secp256k1"), None, "ecp5", DEFAULTS)
    assert request.to_mapping() == {
        "core": "modmul/toy",
        "field": "secp256k1",
        "target": "ecp5",
        "options": DEFAULTS,
    }


def test_a_request_by_modulus():
    request = Request.make(TOY, modulus="2^7-1", target="xc7")
    assert request.modulus is not None
    assert (request.modulus.value, request.modulus.name) == (127, "2^7-1")
    assert request.to_mapping()["modulus"] == "0x7f"
    assert "field" not in request.to_mapping()


def test_a_modulus_as_an_integer():
    """YAML reads 0x7f and 127 as integers."""
    document = yaml.safe_load("core: modmul/toy\nmodulus: 0x7f\n")
    assert Request.from_mapping(TOY, document) == Request.make(TOY, modulus="127")


def test_a_modulus_as_a_large_integer():
    """str() refuses an integer of 16384 bits; hex() does not."""
    request = Request.make(TOY, modulus=2**16384 - 3)
    assert request.modulus is not None and request.modulus.value == 2**16384 - 3


@pytest.mark.parametrize("key", ["field", "modulus", "curve"])
@pytest.mark.parametrize("value", [True, 2.5, [127], {"p": 127}])
def test_values_that_name_nothing(key, value):
    with pytest.raises(UsageError):
        Request.from_mapping(TOY, {"core": "modmul/toy", key: value})


def test_25519_is_the_field_in_yaml_too():
    """YAML reads it as an integer."""
    request = Request.from_mapping(TOY, yaml.safe_load("core: modmul/toy\nfield: 25519\n"))
    assert request.modulus is resolve_curve("curve25519").field


def test_a_request_by_curve():
    request = Request.make(TOY, curve="P-256")
    assert request.curve is resolve_curve("secp256r1")
    assert request.modulus is resolve_modulus("secp256r1")
    assert request.to_mapping()["curve"] == "secp256r1"
    assert not {"field", "modulus"} & set(request.to_mapping())


def test_a_request_without_a_modulus():
    request = Request.make(TOY)
    assert (request.modulus, request.curve) == (None, None)
    assert round_trip(request) == request


@pytest.mark.parametrize(
    "named",
    [
        {"field": "secp256k1", "modulus": "127"},
        {"field": "secp256k1", "curve": "secp256k1"},
        {"modulus": 127, "curve": "secp256k1"},
        {"field": "secp256k1", "modulus": "127", "curve": "secp256k1"},
    ],
    ids=" ".join,
)
def test_only_one_of_field_modulus_and_curve(named):
    with pytest.raises(UsageError, match="only one of them"):
        Request.make(TOY, **named)


@pytest.mark.parametrize("target", TARGETS)
def test_targets(target):
    request = Request.make(TOY, modulus="127", target=target)
    assert request.target == target
    assert round_trip(request) == request


def test_an_unknown_target():
    with pytest.raises(UsageError, match="unknown target 'ice40'") as caught:
        Request.make(TOY, target="ice40")
    assert all(target in caught.value.hint for target in TARGETS)


@pytest.mark.parametrize(("family", "same"), [("nexus", "ecp5"), ("gowin", "generic"), ("xcup", "xc7")])
def test_a_family_with_the_hardware_of_another(family, same):
    with pytest.raises(UsageError, match=f"unknown target '{family}'") as caught:
        Request.make(TOY, target=family)
    assert caught.value.hint.startswith(f"{same}, ")


@pytest.mark.parametrize("target", [["ecp5"], {}, 3, 1 << 20000], ids=["list", "mapping", "number", "long number"])
def test_a_target_that_is_no_text(target):
    with pytest.raises(UsageError, match="unknown target"):
        Request.make(TOY, target=target)


@pytest.mark.parametrize(
    "selection",
    [
        {"field": "P-256"},
        {"field": "secp256k1-order"},
        {"modulus": "2^127 - 1"},
        {"modulus": "251"},
        {"modulus": "2^16384-3"},
        {"curve": "ed25519"},
        {"field": "bls12-381-r", "target": "asic", "options": {"latency": 7, "faulty": True}},
    ],
    ids=str,
)
def test_the_yaml_form_reads_back_as_the_same_request(selection):
    request = Request.make(TOY, **selection)
    again = round_trip(request)
    assert again == request
    assert again.to_mapping() == request.to_mapping()
    assert again.digest == request.digest


@given(
    st.integers(1, 2**256).map(lambda n: 2 * n + 1),
    st.sampled_from(TARGETS),
    st.fixed_dictionaries({}, optional={"latency": st.integers(1, 20), "faulty": st.booleans()}),
)
def test_every_request_round_trips(modulus, target, options):
    request = Request.make(TOY, modulus=hex(modulus), target=target, options=options)
    assert round_trip(request) == request
    assert round_trip(request).digest == request.digest


def test_a_request_from_a_key_keeps_no_path(tmp_path):
    path = tmp_path / "key.pem"
    key = rsa.generate_private_key(65537, 1024).public_key()
    path.write_bytes(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    request = Request.make(TOY, modulus=str(path))
    assert request.to_mapping()["modulus"] == hex(key.public_numbers().n)
    assert str(tmp_path) not in repr(request)


def test_the_digest_follows_from_what_is_asked_and_not_from_how():
    digest = Request.make(TOY, modulus="127").digest
    assert digest == Request.make(TOY, modulus="2^7-1").digest
    assert digest == Request.make(TOY, modulus="0x7F", options={"latency": "3"}).digest
    different = [
        Request.make(TOY, modulus="125"),
        Request.make(TOY, modulus="127", target="xc7"),
        Request.make(TOY, modulus="127", options={"latency": 4}),
        Request.make(replace(TOY, name="modmul/other"), modulus="127"),
    ]
    assert len({digest, *(r.digest for r in different)}) == 5


def test_unknown_keys_of_a_document():
    with pytest.raises(UsageError, match="no key clock, width") as caught:
        Request.from_mapping(TOY, {"core": "modmul/toy", "width": 8, "clock": 100})
    assert "modulus" in caught.value.hint


def test_unknown_keys_need_not_be_text():
    with pytest.raises(UsageError, match="no key 1, width"):
        Request.from_mapping(TOY, {"core": "modmul/toy", "width": 8, 1: 2})


@pytest.mark.parametrize("options", [["latency"], "latency", 3])
def test_options_must_be_a_mapping(options):
    with pytest.raises(UsageError, match="'options' of a request has to be a mapping"):
        Request.from_mapping(TOY, {"core": "modmul/toy", "options": options})


def test_empty_options_give_the_defaults():
    assert Request.from_mapping(TOY, {"core": "modmul/toy", "options": None}).options == DEFAULTS
    assert check_options(TOY, {}) == DEFAULTS


@pytest.mark.parametrize(
    ("given_options", "expected"),
    [
        ({"latency": 20}, {"latency": 20}),
        ({"latency": "0x10"}, {"latency": 16}),
        ({"faulty": "True"}, {"faulty": True}),
        ({"faulty": "false"}, {"faulty": False}),
        ({"recoding": "none"}, {"recoding": "none"}),
        ({"words": None}, {"words": None}),
        ({"words": 5}, {"words": 5}),
        ({"mask": -1}, {"mask": -1}),
    ],
    ids=str,
)
def test_option_values(given_options, expected):
    defaults = {**DEFAULTS, "recoding": "booth", "words": None, "mask": 0}
    assert check_options(RICH, given_options) == defaults | expected


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"depth": 1}, "modmul/toy has no option 'depth'"),
        ({"latency": 0}, "latency is at least 1, not 0"),
        ({"latency": 21}, "latency is at most 20, not 21"),
        ({"latency": "many"}, "latency is an integer, not 'many'"),
        ({"latency": 2.0}, "latency is int, not 2.0"),
        ({"latency": True}, "latency is int, not True"),
        ({"latency": None}, "latency is int, not None"),
        ({"faulty": 1}, "faulty is bool, not 1"),
        ({"faulty": "yes"}, "faulty is bool, not 'yes'"),
        ({"recoding": "naf"}, "recoding is one of booth, none, not 'naf'"),
        ({"recoding": 3}, "recoding is str, not 3"),
        ({"words": 0}, "words is at least 1, not 0"),
    ],
    ids=str,
)
def test_option_errors(given_options, message):
    with pytest.raises(UsageError, match=message):
        check_options(RICH, given_options)


def test_an_unknown_option_is_answered_with_the_known_ones():
    with pytest.raises(UsageError) as caught:
        check_options(TOY, {"depth": 1})
    assert caught.value.hint == "its options: latency, interval, faulty"
    with pytest.raises(UsageError) as caught:
        check_options(replace(TOY, options=()), {"depth": 1})
    assert caught.value.hint == "its options: none"


def test_load_document(tmp_path):
    path = tmp_path / "request.yaml"
    request = Request.make(TOY, field="secp256k1", options={"latency": 5})
    path.write_text(yaml.safe_dump(request.to_mapping()), encoding="utf-8")
    assert Request.from_mapping(TOY, load_document(path)) == request


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a request has to be a mapping with a 'core'"),
        (b"- core", "a request has to be a mapping with a 'core'"),
        (b"field: P-256", "a request has to be a mapping with a 'core'"),
        (b"core: modmul/toy\nfeild: P-256", "a request has no key feild"),
        (b"core: 5", "a request has to be a mapping with a 'core'"),
        (b"core: [", "is not YAML"),
        (b"core: modmul/toy\nmodulus: " + b"9" * 5000, "is not YAML"),
        (b"core: \xff\xfe", "is not YAML"),
        (b"core: !!python/object/apply:os.getcwd []", "is not YAML"),
    ],
)
def test_files_that_are_no_request(tmp_path, data, message):
    path = tmp_path / "request.yaml"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=message) as caught:
        load_document(path)
    assert str(path) in caught.value.message


def test_a_missing_request_file(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read .*: No such file or directory"):
        load_document(tmp_path / "missing.yaml")


@pytest.mark.parametrize(
    "name", ["modinv/rns-flt", "modinv/rns-bmi", "modinv/binary-divstep", "modmul/sor-lean", "basext/kbe"]
)
def test_a_fixed_modulus_that_is_missing_is_an_error_of_the_user(name):
    core = find(name)
    with pytest.raises(UsageError, match=f"{name} needs a modulus"):
        core.derive(Request.make(core))
