# SPDX-License-Identifier: Apache-2.0
"""A soft CPU on which the delivered driver runs in tests: a model of RV32IM, its memory, and a device on its bus."""

from .compiled import compile_for, needs_riscv
from .devices import Modelled, Posted, Simulated
from .machine import Machine, TrapError
from .program import Program
from .system import System

__all__ = ["Machine", "Modelled", "Posted", "Program", "Simulated", "System", "TrapError", "compile_for", "needs_riscv"]
