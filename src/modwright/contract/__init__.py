# SPDX-License-Identifier: Apache-2.0
"""The contract of every core, as types.

A core is five functions and a codec (`Core`). `derive` turns a request into frozen parameters that carry a
`Certificate`; `schedule` turns parameters into the one source of control, cycle counts and pictures; `model`
and `build` read both and never each other. The parameters say which lemmas about the hardware are due
(`Parameters.obligations`); those of a core made of others have the others' (`Composite`). Payloads are described once
(`Payload`), as plain integers: the RTL, the model, the simulators and the pictures all read that description.
"""

from .certificate import Certificate, Inequality
from .combination import Combination, name_over
from .compose import Composite, Part, certified, first_certified
from .core import (
    AnyCore,
    Block,
    Bordered,
    Codec,
    Conditional,
    Core,
    Covered,
    Hardware,
    Model,
    Narrow,
    Outcome,
    Parameters,
    Residual,
    Stateful,
    Varied,
)
from .domain import MultiplierDomain, domain_of, in_residues
from .obligation import (
    NO_CHANNEL,
    BuiltFold,
    CoxEstimate,
    FoldWithAddend,
    ModularSum,
    NothingOwed,
    Obligation,
    Obligations,
    Reduction,
)
from .option import Option
from .payload import Field, Payload, PayloadValue, integer, unchecked
from .statistic import CYCLES, Count, Distribution, Statistic
from .trial import Trial, long_trial, trial

__all__ = [
    "CYCLES",
    "NO_CHANNEL",
    "AnyCore",
    "Block",
    "Bordered",
    "BuiltFold",
    "Certificate",
    "Codec",
    "Combination",
    "Composite",
    "Conditional",
    "Core",
    "Count",
    "Covered",
    "CoxEstimate",
    "Distribution",
    "Field",
    "FoldWithAddend",
    "Hardware",
    "Inequality",
    "Model",
    "ModularSum",
    "MultiplierDomain",
    "Narrow",
    "NothingOwed",
    "Obligation",
    "Obligations",
    "Option",
    "Outcome",
    "Parameters",
    "Part",
    "Payload",
    "PayloadValue",
    "Reduction",
    "Residual",
    "Stateful",
    "Statistic",
    "Trial",
    "Varied",
    "certified",
    "domain_of",
    "first_certified",
    "in_residues",
    "integer",
    "long_trial",
    "name_over",
    "trial",
    "unchecked",
]
