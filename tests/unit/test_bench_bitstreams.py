# SPDX-License-Identifier: Apache-2.0
"""bench/bitstreams.py: its page is fresh, its records are of today's Verilog, and it reads nextpnr's log."""

import pytest

import bitstreams
from modwright.measurement.record import verilog_digest

from .devices import core

LOG = "Info: \t  LUT4:    8774/  20736    42%\nInfo: \t MULT18X18:  35/ 48 72%\nInfo: \t BSRAM: 0/ 46 0%\n"


def test_the_page_is_fresh():
    for path, text in bitstreams.files().items():
        assert path.read_text(encoding="utf-8") == text, "run python bench/bitstreams.py"
    assert [row["core"] for row in bitstreams.load()] == [each.core for each in bitstreams.PACKAGES]
    assert [row["seed"] for row in bitstreams.load()] == [each.seed for each in bitstreams.PACKAGES]


@pytest.mark.parametrize("package", [pytest.param(each, id=each.core) for each in bitstreams.PACKAGES])
def test_a_record_is_of_today(package, store):
    (row,) = (row for row in bitstreams.load() if row["core"] == package.core)
    assert row["verilog"] == verilog_digest(core(package.core, store, **package.request)), (
        f"run python bench/bitstreams.py --run {package.core}"
    )


def test_sites_in_a_log():
    assert bitstreams.sites(LOG) == {"LUT4": 8774, "MULT18X18": 35}


def test_a_row_of_the_table():
    row = {"core": "c/d", "modulus": "9 bits", "seed": 2, "mhz": 99.96, "sites": {"LUT4": 1234, "DFF": 5}}
    assert bitstreams.table([row]).endswith("\n| `c/d`, 9 bits | 2 | 1,234 | 5 | none | 100.0 |")
    row["sites"] |= {"MULT18X18": 3, "MULT36X36": 1}
    assert "| 3 of 18 x 18, 1 of 36 x 36 |" in bitstreams.table([row])


def test_an_unknown_package(capsys):
    with pytest.raises(SystemExit) as stopped:
        bitstreams.main(["--run", "modmul/unknown"])
    assert stopped.value.code == 2 and "modmul/orup-dsp" in capsys.readouterr().err
