# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: the share of single faults of a core's netlist that the evidence of `build` detects."""

from .again import survivors_again
from .run import CHUNK, Mutants, mutate
from .sites import KINDS
from .states import MEMORY

__all__ = ["CHUNK", "KINDS", "MEMORY", "Mutants", "mutate", "survivors_again"]
