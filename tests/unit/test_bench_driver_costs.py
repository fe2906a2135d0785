# SPDX-License-Identifier: Apache-2.0
"""bench/driver_costs.py: its page is fresh, and its record is what the driver takes today."""

import json

import pytest

import driver_costs

from ..soft_cpu import needs_riscv

OPERATIONS = driver_costs.operations()
RECORD = json.loads(driver_costs.RECORD.read_text(encoding="utf-8"))


def test_the_page_is_fresh():
    for path, text in driver_costs.files().items():
        assert path.read_text(encoding="utf-8") == text, "run python bench/driver_costs.py"
    assert [(row["title"], row["core"]) for row in RECORD] == [(each.title, each.core) for each in OPERATIONS]


def test_a_row_of_the_table():
    rows = [{"title": "t", "core": "c/d", "operations": 2, "in the core": 1000, "again": 1250, "first": 90000}]
    assert driver_costs.table(rows).endswith("\n| t | `c/d` | 2 | 1,000 | 1,250 | 1.25 | 90,000 |")


@needs_riscv
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(n, id=w.core, marks=[] if w.core == "modmul/r64" else [pytest.mark.campaign])
        for n, w in enumerate(OPERATIONS)
    ],
)
def test_the_record_is_of_today(number, store):
    assert driver_costs.measure(OPERATIONS[number], store) == RECORD[number], "run python bench/driver_costs.py --run"


@needs_riscv
def test_a_wrong_result_is_no_figure(store):
    operation = OPERATIONS[0]
    wrong = driver_costs.Operation(**{**vars(operation), "results": (operation.results[0] ^ 1,)})
    with pytest.raises(SystemExit, match="128-bit product on modmul/r64: status 0"):
        driver_costs.measure(wrong, store)
