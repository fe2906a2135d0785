# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: how many single faults of a core's netlist the evidence of `build` sees."""

from .again import survivors_again
from .run import CHUNK, Mutants, mutate
from .sites import KINDS

__all__ = ["CHUNK", "KINDS", "Mutants", "mutate", "survivors_again"]
