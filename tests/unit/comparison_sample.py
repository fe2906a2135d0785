# SPDX-License-Identifier: Apache-2.0
"""A comparison with round numbers, for tests of what is rendered from it."""

from modwright.compare.lines import Line, marked


def line(
    label,
    *,
    lut=None,
    dsp=None,
    clocks=None,
    fmax=None,
    interval=None,
    kind="fixed",
    constant=True,
    source="measured",
    **rest,
):
    """A line of which only these figures matter."""
    return Line(
        label=label,
        core=f"modmul/{label}",
        source=source,
        clocks=clocks,
        mean_clocks=clocks,
        interval=clocks if interval is None else interval,
        interval_most=clocks if interval is None else interval,
        interval_kind=kind if clocks or interval else "",
        lut=lut,
        ff=lut,
        dsp=dsp,
        bram=0 if lut else None,
        fmax_mhz=fmax,
        fmax_median=fmax,
        constant_latency=constant,
        id=label,
        **rest,
    )


def row(label, **figures):
    return line(label, **figures).to_json()


LINES = marked(
    [
        line("fast", lut=5000, dsp=16, clocks=10, fmax=200.0),
        line("small", lut=1000, dsp=0, clocks=50, fmax=80.0),
        line("leaky", lut=3000, dsp=16, clocks=100, fmax=100.0, constant=False),
        line("unmeasured", clocks=30, source="not run"),
    ]
)
DOCUMENT = {
    "format": "modwright-comparison/1",
    "function": "modmul",
    "target": "ecp5",
    "work": "a sample",
    "modulus": None,
    "bits": 8,
    "front": "latency",
    "sorted_by": "ns",
    "rows": [one.to_json() for one in LINES],
    "unable": [{"core": "modmul/other", "reason": "it is odd"}],
}
