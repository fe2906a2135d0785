# SPDX-License-Identifier: Apache-2.0
"""Signatures by one program: u1·G + u2·Q, a bit of both scalars a step, modulo p, next to scalars modulo the order."""
