# SPDX-License-Identifier: Apache-2.0
"""The contract that every core keeps, as types.

A core is five functions and a codec (`Core`). `derive` turns a request into frozen parameters that carry a
`Certificate`; `schedule` turns parameters into the one source of control, cycle counts and pictures; `model`
and `build` read both and never each other. Payloads are described once (`Payload`), as plain integers: the
RTL, the model, the simulators and the pictures all read that description.
"""

from .certificate import Certificate, Inequality, exact_text
from .core import Block, Codec, Conditional, Core, Model, Montgomery, Narrow, Option, Outcome, Parameters, Residual
from .payload import Field, Payload, PayloadValue
from .statistic import CLOCKS, Count, Distribution, Statistic

__all__ = [
    "CLOCKS",
    "Block",
    "Certificate",
    "Codec",
    "Conditional",
    "Core",
    "Count",
    "Distribution",
    "Field",
    "Inequality",
    "Model",
    "Montgomery",
    "Narrow",
    "Option",
    "Outcome",
    "Parameters",
    "Payload",
    "PayloadValue",
    "Residual",
    "Statistic",
    "exact_text",
]
