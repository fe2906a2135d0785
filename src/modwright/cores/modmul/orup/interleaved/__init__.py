# SPDX-License-Identifier: Apache-2.0
"""Several products in turn on one row of multiplier blocks: no quotient digit is late, no cycle of the row is empty."""
