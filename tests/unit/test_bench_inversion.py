# SPDX-License-Identifier: Apache-2.0
"""bench/inversion.py: cycles of inversion, the paper's figures again, and that they are fresh."""

import json

import pytest

import inversion
from modwright.prepared.registry import find
from modwright.tables.inversion import CORES, FIELDS, cycles, operations, passes


def test_figures_and_table_are_fresh():
    for path, text in inversion.files().items():
        assert path.read_text(encoding="utf-8") == text, "run python bench/inversion.py"


def test_stale_files_are_named(tmp_path, monkeypatch, capsys):
    page = tmp_path / "inversion.md"
    starts = [inversion.START, *(f"<!-- table: {name} -->\n" for name in inversion.TABLES)]
    tables = "\n".join(f"{start}{inversion.END}" for start in starts)
    page.write_text(f"before\n{tables}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(inversion, "PICTURES", tmp_path)
    monkeypatch.setattr(inversion, "PAGE", page)
    assert inversion.main([]) == 0
    assert inversion.main(["--check"]) == 0
    assert page.read_text(encoding="utf-8").startswith("before\n")
    assert page.read_text(encoding="utf-8").endswith("\nafter\n")
    page.write_text(page.read_text(encoding="utf-8").replace("893", "892"), encoding="utf-8")
    assert inversion.main(["--check"]) == 1
    assert "inversion.md" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("label", "most"), [("BTMI", 2700), ("fused", 1650), ("divsteps", 1000), ("binary divsteps", 614)]
)
def test_mean_cycles_at_256_bits(label, most):
    found = cycles(CORES[label], 256)
    assert found is not None
    assert found <= most


def test_operations_are_those_of_the_paper():
    """EMM of BTMI: 1.61·n·l; n = 14."""
    for bits in FIELDS:
        found = operations(CORES["BTMI"], bits, 14)
        if found is not None:
            assert found[0] / (14 * bits) == pytest.approx(1.61, abs=0.03)


def test_simulated_cycles_are_those_of_the_passes_that_were_counted():
    """Means of a few hundred operands, against means of hundreds of thousands: within four standard errors."""
    for row in json.loads(inversion.SIMULATED.read_text(encoding="utf-8"))["rows"]:
        counted, found = passes(row["core"], row["bits"]), cycles(row["core"], row["bits"])
        if found is None:
            continue
        core = find(row["core"])
        if counted is None:
            assert row["mean"] == row["least"] == row["most"] == found
        else:
            step = core.statistic is not None and 12
            error = counted["measured"]["deviation"] * step / row["operands"] ** 0.5
            assert abs(row["mean"] - found) < 4 * error
