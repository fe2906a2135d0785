# SPDX-License-Identifier: Apache-2.0
"""Commands that answer a question: explain, choose, fields, curves, doctor, and those of Vivado."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case

LONG = "9" * 6000
CSA = ("explain", "modmul/csa", "-m", "97")
CHOOSE = ("choose", "--function", "modmul", "--bits", "8", "--smallest", "--seconds", "5")

EXPLAIN: dict[str, tuple[str, ...]] = {
    "explain nothing": ("explain",),
    "explain no core": ("explain", "zzz"),
    "explain a function": ("explain", "modmul"),
    "explain a file that is missing": ("explain", "missing.yaml"),
    "explain without a modulus": ("explain", "modmul/sor-lean", "-m", ""),
    "explain an even modulus": ("explain", "modmul/csa", "-m", "98"),
    "explain an operand of no value": (*CSA, "--operands", "x="),
    "explain an operand of no name": (*CSA, "--operands", "=3"),
    "explain an operand without either": (*CSA, "--operands", "x"),
    "explain an operand that is none": (*CSA, "--operands", "q=3"),
    "explain a number for the number": (*CSA, "--operands", "x=x"),
    "explain a fraction": (*CSA, "--operands", "x=1.5"),
    "explain a negative operand": (*CSA, "--operands", "x=-1"),
    "explain a long operand": (*CSA, "--operands", f"x={LONG}"),
    "explain an operand of a million digits": (*CSA, "--operands", "x=" + "7" * 1_000_000),
    "explain a name of 5000 letters": (*CSA, "--operands", "x" * 5000 + "=1"),
    "explain an operand twice": (*CSA, "--operands", "x=1,x=2"),
    "explain a comma too many": (*CSA, "--operands", "x=1,,y=2"),
    "explain operands of no UTF-8": (*CSA, "--operands", "\udcff=1"),
    "explain a result as operand": (*CSA, "--operands", "z=1"),
    "explain an even modulus as operand": (*CSA, "--operands", "modulus=98"),
    "explain a modulus of nothing": (*CSA, "--operands", "modulus=0"),
    "explain a curve over no numbers": ("explain", "unit/adder", "-m", "13", "--operands", "modulus=1"),
    "explain an order that is even": ("explain", "ecpm/ladder", "--operands", "order=16,k=3"),
    "explain an order of one": ("explain", "ecpm/ladder", "--operands", "order=1"),
    "explain a constant of another curve": ("explain", "xmul/montgomery-ladder", "--operands", "a24=0"),
    "explain an order that is no prime": ("explain", "ecdsa/joint", "--operands", "order=9"),
    "explain an operand of other units": ("explain", "unit/adder", "-m", "13", "--operands", "y=4"),
    "explain with two moduli": (*CSA, "-m", "13"),
    "explain no seed": (*CSA, "--seed", "-1"),
    "explain a seed in words": (*CSA, "--seed", "one"),
    "explain into no folder": (*CSA, "--html", "/dev/null/page.html"),
    "explain into a folder": (*CSA, "--html", "."),
    "explain into a long name": (*CSA, "--html", "h" * 300),
    "explain with no option": (*CSA, "-O", "zzz=1"),
    "explain too many cycles": ("explain", "ecpm/ladder", "-c", "P-256"),
    "explain a curve of another kind": ("explain", "ecpm/ladder", "-c", "curve25519"),
    "explain a field of nothing": ("explain", "modmul/csa", "-f", "zzz"),
    "explain two moduli": (*CSA, "-f", "P-256"),
    "explain JSON of something": (*CSA, "--json=1"),
}

CHOICES: dict[str, tuple[str, ...]] = {
    "choose nothing": ("choose",),
    "choose no goal": ("choose", "--function", "modmul", "--bits", "8"),
    "choose two goals": (*CHOOSE, "--fastest"),
    "choose three goals": (*CHOOSE, "--fastest", "--throughput"),
    "choose for no width": ("choose", "--function", "modmul", "--smallest"),
    "choose for a width and a modulus": (*CHOOSE, "-m", "97"),
    "choose for a field and a curve": ("choose", "--function", "ecpm", "-f", "P-256", "-c", "P-256", "--fastest"),
    "choose a curve of another form": ("choose", "--function", "ecpm", "-c", "ed25519", "--smallest"),
    "choose a curve of no core": ("choose", "--function", "edmul", "-c", "secp256k1", "--fastest"),
    "choose no function": ("choose", "--function", "zzz", "--bits", "8", "--smallest"),
    "choose an empty function": ("choose", "--function", "", "--bits", "8", "--smallest"),
    "choose a long function": ("choose", "--function", "f" * 5000, "--bits", "8", "--smallest"),
    "choose a function of no UTF-8": ("choose", "--function", "\udcff", "--bits", "8", "--smallest"),
    "choose a core": ("choose", "--function", "modmul/csa", "--bits", "8", "--smallest"),
    "choose one bit": ("choose", "--function", "modmul", "--bits", "1", "--smallest"),
    "choose too many bits": ("choose", "--function", "modmul", "--bits", "16385", "--smallest"),
    "choose a long number of bits": ("choose", "--function", "modmul", "--bits", LONG, "--smallest"),
    "choose an even modulus": ("choose", "--function", "modmul", "-m", "98", "--smallest"),
    "choose a modulus of nothing": ("choose", "--function", "modmul", "-m", "", "--smallest"),
    "choose a field of nothing": ("choose", "--function", "modmul", "-f", "zzz", "--smallest"),
    "choose a field with two meanings": ("choose", "--function", "modmul", "-f", "goldilocks", "--smallest"),
    "choose a curve of nothing": ("choose", "--function", "ecpm", "-c", "zzz", "--smallest"),
    "choose on no device": (*CHOOSE, "-t", "vax"),
    "choose on gates": (*CHOOSE, "-t", "asic"),
    "choose on a long device": (*CHOOSE, "-t", "t" * 5000),
    "choose no LUT": (*CHOOSE, "--max-lut", "0"),
    "choose LUTs in words": (*CHOOSE, "--max-lut", "few"),
    "choose too few blocks": (*CHOOSE, "--max-dsp", "-1"),
    "choose no cycles": (*CHOOSE, "--max-cycles", "0"),
    "choose a long number of cycles": (*CHOOSE, "--max-cycles", LONG),
    "choose no time": (*CHOOSE, "--max-ns", "0"),
    "choose a time of no number": (*CHOOSE, "--max-ns", "nan"),
    "choose a negative time": (*CHOOSE, "--max-ns", "-1"),
    "choose no rate": (*CHOOSE, "--min-rate", "0"),
    "choose a rate of no number": (*CHOOSE, "--min-rate", "nan"),
    "choose in no seconds": ("choose", "--function", "modmul", "--bits", "8", "--smallest", "--seconds", "0"),
    "choose in too many seconds": ("choose", "--function", "modmul", "--bits", "8", "--smallest", "--seconds", "1e9"),
    "choose in seconds of no number": (*CHOOSE, "--seconds", "nan"),
}

LISTS: dict[str, tuple[str, ...]] = {
    "fields of bits in words": ("fields", "--bits", "wide"),
    "fields of two names": ("fields", "P-256", "P-384"),
    "fields of fewer bits than none": ("fields", "--bits", "-8"),
    "fields of a long number of bits": ("fields", "--bits", LONG),
    "fields as JSON of something": ("fields", "--json=1"),
    "curves of two names": ("curves", "P-256", "P-384"),
    "curves of no bits": ("curves", "--bits", "0"),
    "curves of a long number of bits": ("curves", "--bits", LONG),
    "curves of no UTF-8": ("curves", "\udcff"),
    "list as JSON of something": ("list", "--json=1"),
    "show two cores": ("show", "modmul/csa", "modmul/r64"),
    "doctor of something": ("doctor", "yosys"),
    "doctor as JSON of something": ("doctor", "--json=1"),
    "doctor prepares something": ("doctor", "--prepare=all"),
    "fusesoc as JSON": ("fusesoc", "--json"),
    "worker of two folders": ("worker", "a", "b"),
    "worker of a file": ("worker", "/dev/null"),
    "worker of a long name": ("worker", "w" * 300),
    "worker of no UTF-8": ("worker", "\udcff"),
    "worker of nothing": ("worker",),
    "vivado of nothing": ("vivado",),
    "vivado of no command": ("vivado", "run"),
    "vivado export of nothing": ("vivado", "export"),
    "vivado export of no core": ("vivado", "export", "zzz", "-t", "xc7", "-o", "out"),
    "vivado export without a folder": ("vivado", "export", "modmul/csa", "-O", "bits=8", "-t", "xc7"),
    "vivado import of nothing": ("vivado", "import"),
    "vivado import of no folder": ("vivado", "import", "nowhere"),
    "vivado import of a folder of others": ("vivado", "import", "."),
    "vivado import of a file": ("vivado", "import", "/dev/null"),
    "vivado import of a long name": ("vivado", "import", "v" * 300),
}


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, words in {**EXPLAIN, **CHOICES, **LISTS}.items():
        yield Case(name, words)
    yield Case("explain a prime that is none", ("explain", "modinv/rns-flt", "-m", "1001"), 4, "P is a prime")
