# SPDX-License-Identifier: Apache-2.0
"""Multiplication of x-coordinates, [k]u = z on Montgomery curves, one family a folder."""
