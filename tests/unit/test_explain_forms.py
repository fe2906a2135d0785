# SPDX-License-Identifier: Apache-2.0
"""Forms of the fields of streams in explanations: factor, scale and base of residues, one notation, the command."""

import re
import shlex

import pytest

from modwright.base.notation import number_text
from modwright.contract.request import Request
from modwright.explain import as_text, explain, small_request
from modwright.explain.meanings import scaled_name
from modwright.explain.text import base_text
from modwright.pages import explanation_page
from modwright.prepared import prepare
from modwright.prepared.registry import find
from modwright.rns.base import Base

from .conftest import CommandLine

IN_RESIDUES = [
    "basext/hbe",
    "basext/kbe",
    "basext/mixed-radix",
    "basext/shenoy-kumaresan",
    "comparison/mixed-radix",
    "modexp/rns-kbe-l2r",
    "modinv/rns-btmi",
    "modinv/rns-flt",
    "modmul/rns-hbe",
    "modmul/rns-kbe",
    "modmul/rns-kbe-runtime",
    "modmul/sor-lean",
    "modmul/sor-nm",
    "rns/processor",
    "rns/random-bases",
]


def small(name, modulus="97", **options):
    document = {"core": name, "modulus": modulus, "target": "generic"}
    return small_request(find(name), document | ({"options": options} if options else {}))


def field_of(document, name):
    """Residues of a field, with the moduli and scale of the bases that it is in."""
    stream, _, field = name.partition(": ")
    rows = [row for row in document["bases"] if name in row["fields"]]
    moduli = [m for row in rows for m in row["moduli"]]
    scale = [s for row in rows for s in row["scale"] or [1] * len(row["moduli"])]
    return document["input" if stream == "i" else "output"][field], moduli, scale


@pytest.mark.parametrize("name", IN_RESIDUES)
def test_residues_follow_from_the_text(name, store):
    """The integer of the text, times what the base says, is the field; and it is the operand times the factor."""
    document = explain(small(name))
    told = 0
    for field, form in document["stored"].items():
        if not (match := re.match(r"residues of (?:(\d+) ≡ )?(\w+)(·A)?[ ,]?", form)) or match[2] in ("1", "P"):
            continue
        numbers = document["operands"] if field[0] == "i" else document["result"]
        plain = numbers[match[2]]
        stored = int(match[1] or plain)
        residues, moduli, scale = field_of(document, field)
        assert [r % m for r, m in zip(residues, moduli, strict=True)] == [
            stored * s % m for s, m in zip(scale, moduli, strict=True)
        ]
        factor = 1
        if match[3]:
            product = next(row["product"] for row in document["bases"] if row["product"])
            factor = int(re.match(r"A = (\d+)", product)[1])
            assert re.fullmatch(rf"A = {factor} ≡ {factor % 97} \(mod [PM]\)", product)
        assert (stored - plain * factor) % 97 == 0
        told += 1
    assert told >= 1


def test_factor_scale_and_bases_are_told(store):
    document = explain(small("modmul/rns-kbe"), {"x": 72, "y": 32})
    text, page = as_text(document), explanation_page(document, ["modwright", "explain"])
    lines = [
        "x: residues of 56 ≡ x·A (mod P), in base A, then in base B",
        "base A of x, y, z: modulo 511, 507; A = 259077 ≡ 87 (mod P)",
        "base B of x, y, z: modulo 509, 505; each residue times T_b = (B/b)^-1 mod b: 127, 379",
    ]
    assert all(f"  {line}\n" in text for line in lines)
    assert lines[0].partition(": ")[2] in page and all(line in page for line in lines[1:])
    assert 511 * 507 == 259077 and 72 * 259077 % 97 == 56 and 505 * 127 % 509 == 1 and 509 * 379 % 505 == 1


def test_the_numbers_of_a_montgomery_product_follow_from_the_text(store):
    document = explain(small("modmul/rns-kbe"), {"x": 72, "y": 32})
    values = {number["name"]: number["value"] for number in document["numbers"]}
    x, y, A, B, P = 56, 68, 511 * 507, 509 * 505, 97
    Q = -x * y * pow(P, -1, A) % A
    for place, a in enumerate((511, 507)):
        assert values[f"hats of Q [{place}]"] % a == Q * pow(A // a, -1, a) % a
    cox = sum(values[f"hats of S [{place}]"] >> 9 - 2 for place in range(2)) + 2
    words = next(number["meaning"] for number in document["numbers"] if number["name"] == "cox of S")
    assert (values["cox of S"], values["h of S"]) == (cox, cox >> 2)
    assert "the offset 2; without its 2 lowest bits it is h" in words
    S = (x * y + (Q + values["A added to Q"] * A) * P) // A
    hats = [values[f"hats of S [{place}]"] for place in range(2)]
    assert [hat % b for hat, b in zip(hats, (509, 505), strict=True)] == [S * 127 % 509, S * 379 % 505]
    assert sum(hat * (B // b) for hat, b in zip(hats, (509, 505), strict=True)) - values["h of S"] * B == S == 46


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("modmul/rns-kbe-runtime", ["f: residues of -1/P, in base A", "g: residues of P, in base B"]),
        ("modexp/rns-kbe-runtime-l2r", ["square: residues of A² mod M, in base A, then in base B"]),
        ("modmul/sor-lean", ["base of x, y, z: modulo 251, 239, 227, 223, 191; each residue times r_i, a root of"]),
        ("modmul/limb-fold", ["x: x·2^8 (mod m)", "q: -m^-1 mod 2^4", "mu: 2^-4 mod m"]),
        ("modmul/orup-dsp", ["m: 2^-12 mod M"]),
    ],
)
def test_other_fields(name, lines, store):
    text = as_text(explain(small(name)))
    assert all(f"\n  {line}" in text for line in lines)


def test_digits_in_a_base(store):
    core = find("modmul/rns-hpr")
    document = explain(prepare(core, Request.from_mapping(core, {"core": core.name, **core.trials[0].document})))
    form = document["stored"]["i: x_a"]
    radix = int(re.search(r"x ≡ c_0 \+ c_1·M \(mod P\), M = (\d+), in base A", form)[1])
    rows = {row["name"]: row["moduli"] for row in document["bases"]}
    width = max(rows["base A"]).bit_length()
    base_a = Base(width, tuple(2**width - m for m in rows["base A"]))
    low, high = (base_a.from_residues(part) for part in (document["input"]["x_a"][:2], document["input"]["x_a"][2:]))
    assert max(low, high) < radix
    assert (low + high * radix - document["operands"]["x"]) % (radix**2 - 2) == 0


def test_a_redundant_residue_is_no_channel(store):
    document = explain(small("basext/shenoy-kumaresan"), {"x": 72})
    rows = {row["name"]: row["moduli"] for row in document["bases"] if "i: x" in row["fields"]}
    assert rows == {"base A": [255, 251, 241], "redundant residue": [256]}
    assert "\n  redundant residue of x: modulo 256\n" in as_text(document)
    # 2 channels and a redundant residue are as few as 2 channels
    assert explain(small("basext/shenoy-kumaresan", "50021"))["options"]["channels"] == 3


def test_bases_of_a_draw(store):
    core = small("rns/random-bases")
    drawn = [explain(core, {"x": x, "y": x}) for x in range(1, 5)]
    bases = {tuple(row["moduli"]) for document in drawn for row in document["bases"]}
    assert len({document["input"]["draw"] for document in drawn}) > 1 and len(bases) > 2


# --- notation


def test_many_moduli_are_counted():
    row = {"name": "base A", "fields": ["i: x"], "moduli": list(range(101, 135, 2)), "times": "", "scale": []}
    row["product"] = ""
    assert base_text(row) == "base A of x: 17 moduli, the first 101, the last 133"
    row["moduli"] = row["moduli"][:16]
    assert base_text(row).startswith("base A of x: modulo 101, 103,") and base_text(row).endswith(", 131")


def test_residues_and_moduli_have_one_notation(store):
    core = find("modmul/sor-nm")
    prepared = prepare(core, Request.make(core, field="secp256k1", target="generic"))
    document = explain(prepared, {"x": 3, "y": 2**200})
    text, page = as_text(document), explanation_page(document, [])
    assert "x = (0x3, 0x3," in text and "modulo 0x3ffffffffffffffff, 0x3fffffffffffffffb," in text
    assert "(0x3, 0x3," in page
    assert number_text([1, 10**12]) == "(0x1, 0xe8d4a51000)" and number_text([1, 2]) == "(1, 2)"


def test_parts_of_the_modulus_are_named():
    assert scaled_name("S/m", "in 64ths of m, rounded down") == "64·S/m"
    assert scaled_name("last e/M", "in 64ths of M; certificate `halvings`") == "last 64·e/M"
    assert scaled_name("smallest γ_i/m_i", "in 2^-8, of all channels") == "smallest 2^8·γ_i/m_i"
    assert scaled_name("D", "divisors of a pass") == "D"


# --- options and the command


COMMANDS = {
    "basext/kbe": {"width": 8, "channels": 3},
    "modmul/blakley": {},
    "modmul/booth4-csa": {"domain": 1},
    "modmul/rns-kbe": {"width": 9},
    "modinv/binary-divstep": {},
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_makes_the_same_core(name, store, capsys):
    run = CommandLine(capsys)
    assert run("explain", name, "--modulus", "97", "--json") == 0
    document = run.json
    assert document["options"] == COMMANDS[name]
    words = shlex.split(document["command"])
    assert words[0] == "modwright" and run(*words[1:], "--json") == 0
    assert run.json == document


def test_given_defaults_stay_in_the_command(store):
    """A small modulus without options takes those of a trial."""
    document = explain(small("modmul/csa", domain=2))
    assert document["options"] == {} and "-O domain=2" in document["command"]
    assert "-O blind=true" in explain(small("modinv/rns-btmi", width=10, blind=True))["command"]


def test_the_text_has_options_and_command(store):
    document = explain(small("modmul/rns-kbe"), {"x": 72, "y": 32})
    assert (
        "modulus P = 97\noptions, where not the defaults: width=9\n"
        "command: modwright explain modmul/rns-kbe --modulus 97 -O width=9 --operands x=72,y=32\n"
    ) in as_text(document)
    assert "options, where not the defaults: width=9" in explanation_page(document, [])
    assert "op = 0: product\n" in as_text(explain(small("rns/random-bases"), {"op": 0}))


@pytest.mark.parametrize("op", [0, 1, 2])
def test_operands_are_drawn_for_the_operation_that_is_given(store, op):
    """Drawn for another one, some of its operands are 0: a signature of zeros is not accepted."""
    document = explain(small("ecdsa/joint"), {"op": op})
    read = {0: "d", 1: "k", 2: "s"}[op]
    assert document["operands"]["op"] == op and document["operands"][read]
    assert op != 2 or document["result"]["accepted"] == 1


def test_help_mentions_channels(capsys):
    run = CommandLine(capsys)
    assert run("explain", "--help") == 0
    assert "-O channels=N" in " ".join(run.out.split())


def test_an_operation_that_ends_early_says_so(store):
    text = as_text(explain(small("modmul/vlm3"), {"x": 72, "y": 32}))
    assert "valid in cycle 8; steps are in the cycles of the longest operation, which takes 10" in text


def test_lengths_of_registers_are_in_their_cycles(store):
    document = explain(small("modmul/r64"))
    carry = next(r["values"] for r in document["registers"] if r["name"].endswith("accumulator.c"))
    rows = [number for number in document["numbers"] if number["name"] == "bits of c"]
    assert len(rows) > 1
    assert all(carry[row["cycle"]].bit_length() == row["value"] for row in rows)
