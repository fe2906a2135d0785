# SPDX-License-Identifier: Apache-2.0
"""Counts over operands drawn at random."""
