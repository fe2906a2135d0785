# SPDX-License-Identifier: Apache-2.0
"""The Verilog of measured records is what the code writes now: of small hardware always, of the rest in campaigns."""

import pytest

import tables

RESULTS = tables.sources().results
SMALL = ("unit17-", "unit66-", "x25519-xmul-")
"""What names of records begin with whose Verilog is written in less than a second."""


@pytest.mark.parametrize(
    "name", [name if name.startswith(SMALL) else pytest.param(name, marks=pytest.mark.campaign) for name in RESULTS]
)
def test_the_verilog_of_a_record_is_written_today(name):
    assert tables.other_verilog({name: RESULTS[name]}) == []


def test_a_record_of_other_verilog_is_seen():
    """One hexadecimal digit of the digest."""
    record = RESULTS["unit17-mod3-ecp5.json"]
    digest = record["verilog"]["sha256"]
    other = digest[:-1] + ("1" if digest[-1] == "0" else "0")
    assert tables.other_verilog({"other": {**record, "verilog": {**record["verilog"], "sha256": other}}}) == ["other"]
