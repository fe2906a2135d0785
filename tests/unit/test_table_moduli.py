# SPDX-License-Identifier: Apache-2.0
"""Columns of the tables of measured cores: the modulus or curve in each row, clock rates, and no gates."""

import pytest

from modwright.functions import all_functions
from modwright.measurement.rows import rows_of
from modwright.report.evidence import NOT_RUN
from modwright.tables import tables
from modwright.tables.measured import built_for
from modwright.tables.moduli import MODULI, refusal

from .test_bench_tables import GIVEN, record

MADE = tables(GIVEN)
NAMES = [function.table.name or name for name, function in all_functions().items()]


@pytest.mark.parametrize("name", [*NAMES, "base-extensions", "exact-extensions"])
def test_each_row_names_its_modulus(name):
    """A row without one is the paper's, which prints the width alone."""
    table = MADE[name]
    if table == NOT_RUN:
        return
    place = table.headings.index("modulus")
    assert all(row[place] or "paper" in row for row in table.rows)


@pytest.mark.parametrize(
    ("core", "named", "says"),
    [
        ("ecpm/ladder", {"curve": "secp256r1"}, "any of 256 bits, as secp256r1"),
        ("ecpm/rns-ladder", {"curve": "secp256r1"}, "secp256r1"),
        ("edmul/comb", {"curve": "ed25519"}, "ed25519"),
        ("basext/kbe", {"field": "secp384r1"}, "secp384r1"),
        ("unit/mod3", {"modulus": "0x3"}, "0x3"),
    ],
)
def test_what_a_core_is_built_for(core, named, says):
    made = record(core)
    request = {key: value for key, value in made["request"].items() if key != "field"}
    (row,) = rows_of([made | {"request": request | named}])
    assert built_for(row) == says


def test_a_width_alone_is_any_modulus():
    made = record("modexp/orup-interleaved-window", bits=512)
    del made["request"]["field"]
    (row,) = rows_of([made])
    assert built_for(row) == "any of 512 bits"


def test_products_and_inversions_have_clock_rates_and_times():
    """Of what was placed; the time is that of the most cycles at the median."""
    table = MADE["rns"]
    row = next(r for r in table.rows if r[:3] == ("secp256r1", "`processor` `inversion=none`", "ecp5"))
    cells = dict(zip(table.headings, row, strict=True))
    median, _, spread = cells["Fmax, MHz"].partition(" ")
    assert spread.endswith("5 seeds)")
    assert float(cells["ns, at most"]) == pytest.approx(65e3 / float(median), rel=1e-3)
    for row in table.rows:
        cells = dict(zip(table.headings, row, strict=True))
        assert (cells["Fmax, MHz"] in ("", NOT_RUN)) == (cells["ns, at most"] in ("", "–"))


def test_gates_are_on_a_page_of_their_own():
    """No record next to those of FPGAs is of gates, which docs/gates.md has for each library."""
    assert not [name for name, made in GIVEN.results.items() if made["resources"]["target"] == "asic"]
    assert {row.liberty for row in GIVEN.gates} == {"ihp-sg13g2", "sky130", "asap7"}
    target = MADE["points"].headings.index("target")
    assert {row[target] for row in MADE["points"].rows} == {"ecp5"}


def test_multipliers_with_a_built_in_modulus_have_a_row_for_three_kinds():
    """A cell has a record of that core and modulus, the rule that refuses it, or says that it was not run."""
    table = MADE["moduli"]
    rows = rows_of(GIVEN.results.values())
    assert {row[0].strip("`") for row in table.rows} >= {"binary", "binary-serial", "rns-kbe", "sor-lean", "blakley"}
    for name, *cells in table.rows:
        for modulus, cell in zip(MODULI, cells, strict=True):
            if cell == NOT_RUN or cell.startswith("refused: "):
                assert not [
                    r for r in rows if r.placed and (f"`{r.core}`", r.modulus) == (name, modulus) and r.latency_ns
                ]
            else:
                luts = [f"{r.resources['lut']:,} LUT" for r in rows if (f"`{r.core}`", r.modulus) == (name, modulus)]
                assert any(lut in cell for lut in luts)


def test_a_modulus_is_refused_by_a_rule():
    assert refusal("modmul/sor-2m", "secp256r1") == "refused: N·2^n·ε < 2^W"
    assert refusal("modmul/binary", "secp256r1") == ""
