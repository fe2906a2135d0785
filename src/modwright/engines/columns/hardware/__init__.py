# SPDX-License-Identifier: Apache-2.0
"""Hardware of the multiply-accumulate: products of digits, their sums, columns."""
