# SPDX-License-Identifier: Apache-2.0
"""Small requests at which the contract of these cores is tested."""

from __future__ import annotations

from ....contract import long_trial, trial

TRIALS = (
    trial("25", width=9, channels=2),
    long_trial("1009", width=11),
    trial("25", width=12, latency=4, local=True),
    trial("65521", width=13, local=True, inversion="btmi"),
    trial("25", width=12, local=True, inversion="bmi", tables="blocks"),
    long_trial("65521", width=13, local=True, inversion="btmi", tables="blocks"),
    long_trial("65521", width=13, local=True, inversion="fused", tables="blocks"),
    long_trial("1009", width=11, local=True, registers=4, kappa=2, tables="blocks"),
    long_trial("1009", width=10, local=True, inversion="none", tables="blocks"),
    long_trial("63", width=11, latency=2, inversion="bmi"),
    trial("1009", width=10, inversion="none"),
    trial("25", width=9, channels=2, registers=4, kappa=2),
    long_trial("25", width=9, channels=2, registers=4),
    long_trial("25", width=9, channels=2, registers=4, conversion=True),
    long_trial("1009", width=11, local=True, registers=4, kappa=2, conversion=True),
    long_trial("25", width=9, channels=2, inversion="divstep"),
    long_trial("25", width=9, channels=2, registers=4, inversion="divstep", conversion=True),
    long_trial("1009", width=11, local=True, registers=4, kappa=2, inversion="none", conversion=True),
    long_trial("1009", width=11, local=True, registers=4, kappa=2, inversion="divstep"),
    long_trial("1009", width=11, local=True, registers=8),
    long_trial("1009", width=10, inversion="none", registers=16),
    long_trial("1009", width=10, inversion="none", local=True, registers=8, kappa=2),
    long_trial("1009", width=9, channels=4, inversion="none", registers=4, kappa=2, c=2),
)
