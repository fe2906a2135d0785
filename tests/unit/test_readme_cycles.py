# SPDX-License-Identifier: Apache-2.0
"""The tables of cycles in the READMEs of cores over curves: every cell that a request makes, from its schedule."""

from pathlib import Path

import pytest

import modwright.cores
from modwright.contract.request import Request
from modwright.prepared import prepare
from modwright.prepared.registry import find

CORES = Path(modwright.cores.__file__).parent
LADDER, COLUMNS = "ecpm/ladder", "256 bits in all"
MACS = {"macs": 2}
SPECIAL = "2^255 - 19"
WORDS = "bits limbs step, of it busy"
"""The head of both tables of `ecpm/word-ladder`: with limbs of five digits, and in halves."""

# Folder, first words of the table's head, row, column, core, curve or bits, options.
CASES = (
    (LADDER, "core", "r64-ladder", COLUMNS, "ecpm/r64-ladder", "secp256r1", {}),
    (LADDER, "core", "r64-ladder", "384", "ecpm/r64-ladder", "secp384r1", {}),
    (LADDER, "core", "ladder, unit=scan", COLUMNS, "ecpm/ladder", "secp256r1", {"unit": "scan"}),
    (LADDER, "core", "ladder, unit=fold", COLUMNS, "ecpm/ladder", "secp256r1", {"unit": "fold"}),
    (LADDER, "core", "ladder", COLUMNS, "ecpm/ladder", "secp256r1", {}),
    (LADDER, "core", "ladder", "384", "ecpm/ladder", "secp384r1", {}),
    (LADDER, "core", "ladder", "521", "ecpm/ladder", "secp521r1", {}),
    (LADDER, "core", "ladder, unit=scan, macs=2", COLUMNS, "ecpm/ladder", "secp256r1", {"unit": "scan", **MACS}),
    (LADDER, "bits step before the ladder", "256", "in all", "ecpm/row-ladder", "secp256r1", {}),
    (LADDER, "bits step before the ladder", "384", "in all", "ecpm/row-ladder", "secp384r1", {}),
    (LADDER, "bits step before the ladder", "521", "in all", "ecpm/row-ladder", "secp521r1", {}),
    (LADDER, WORDS, "256 3", "in all", "ecpm/word-ladder", "secp256r1", {}),
    (LADDER, WORDS, "384 5", "in all", "ecpm/word-ladder", "secp384r1", {}),
    (LADDER, WORDS, "521 6", "in all", "ecpm/word-ladder", "secp521r1", {}),
    (LADDER, WORDS, "256 2", "in all", "ecpm/word-ladder", "secp256r1", {"digits": 8}),
    (LADDER, WORDS, "384 3", "in all", "ecpm/word-ladder", "secp384r1", {"digits": 8}),
    (LADDER, WORDS, "521 4", "in all", "ecpm/word-ladder", "secp521r1", {"digits": 8}),
    (LADDER, "P-256", "`width=18` (the default)", "in all", "ecpm/rns-ladder", "secp256r1", {}),
    (LADDER, "P-256", "`width=17` 16 64", "in all", "ecpm/rns-ladder", "secp256r1", {"width": 17}),
    (LADDER, "P-256", "`lanes=3`", "in all", "ecpm/rns-ladder", "secp256r1", {"lanes": 3}),
    (LADDER, "P-256", "`width=17`, `lanes=4`", "in all", "ecpm/rns-ladder", "secp256r1", {"width": 17, "lanes": 4}),
    (LADDER, "P-256", "`lanes=1`", "in all", "ecpm/rns-ladder", "secp256r1", {"lanes": 1}),
    (LADDER, "P-256", "P-384", "in all", "ecpm/rns-ladder", "secp384r1", {}),
    (LADDER, "P-256", "P-521", "in all", "ecpm/rns-ladder", "secp521r1", {}),
    ("ecdsa/joint", "core", "joint", COLUMNS, "ecdsa/joint", 256, {}),
    ("ecdsa/joint", "core", "joint, macs=2", COLUMNS, "ecdsa/joint", 256, MACS),
    ("ecdsa/joint", "core", "joint", "384 bits", "ecdsa/joint", 384, {}),
    ("eddsa/joint_edwards", "core", "joint", "255 bits in all", "eddsa/joint", 255, {}),
    ("eddsa/joint_edwards", "core", "joint, macs=2", "255 bits in all", "eddsa/joint", 255, MACS),
    ("eddsa/joint_edwards", "core", "joint", "448 bits", "eddsa/joint", 448, {}),
    ("edmul/double_add", "core", "double-add", "255 bits in all", "edmul/double-add", 255, {}),
    ("edmul/double_add", "core", "double-add, macs=2", "255 bits in all", "edmul/double-add", 255, MACS),
    ("edmul/double_add", "core", "double-add", "448 bits", "edmul/double-add", 448, {}),
    ("edmul/comb", "core v", "comb, 255 bits", "cycles in all", "edmul/comb", "ed25519", {}),
    ("edmul/comb", "core v", "comb, 255 bits, macs=2", "cycles in all", "edmul/comb", "ed25519", MACS),
    ("edmul/comb", "core v", "comb, 448 bits", "cycles in all", "edmul/comb", "ed448", {}),
    ("xmul/pseudo_mersenne", SPECIAL, "`rows=2`", "in all", "xmul/pseudo-mersenne-ladder", "curve25519", {}),
    ("xmul/pseudo_mersenne", SPECIAL, "`rows=1`", "in all", "xmul/pseudo-mersenne-ladder", "curve25519", {"rows": 1}),
)


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def cell_of(folder, head, row, column):
    """The cell under a column, in the tables whose heads begin with given words; the row is told by its first words."""
    lines = (CORES / folder / "README.md").read_text(encoding="utf-8").splitlines()
    columns = None
    for line in lines:
        if not line.startswith("|"):
            columns = None
        elif columns is None:
            columns = cells(line)
        elif " ".join(columns).startswith(head) and f"{' '.join(cells(line))} ".startswith(f"{row} "):
            return dict(zip(columns, cells(line), strict=True))[column]
    raise AssertionError(f"{folder} has no row {row!r} under {head!r}")


def identity(case):
    *_, core, size, options = case
    return "-".join([core, str(size), *(f"{name}={value}" for name, value in options.items())])


@pytest.mark.parametrize(
    ("folder", "head", "row", "column", "core", "size", "options"), CASES, ids=map(identity, CASES)
)
def test_cycles_in_a_readme_are_those_of_the_schedule(folder, head, row, column, core, size, options):
    kind = find(core)
    document = {"curve": size, "options": options} if isinstance(size, str) else {"options": {"bits": size, **options}}
    schedule = prepare(kind, Request.from_mapping(kind, {"core": core, **document})).schedule
    assert cell_of(folder, head, row, column) == f"{schedule.latency:,}"


def test_a_row_is_found_by_its_first_words_and_its_column():
    assert cell_of(LADDER, WORDS, "384 3", "in all") != cell_of(LADDER, WORDS, "384 5", "in all")
    with pytest.raises(AssertionError, match="has no row"):
        cell_of(LADDER, WORDS, "385", "in all")
